import AssetIO
import AssetModel

/// A clip set as a prim's metadata defines it: layers that hold time samples, and when each of them counts.
final class ClipSet {
    let name: String
    /// The layer stack and prim that define the set, and the layer of the stack that names the clips.
    let stack: StackIndex
    let path: Path
    let entry: Int32
    let layer: LayerIndex
    let assetPaths: [String]
    let clipPrim: Path
    /// (stack time, clip) in order of time.
    let active: [(time: Double, clip: Int)]
    /// (stack time, clip time) in order of time.
    let times: [(stack: Double, clip: Double)]
    let manifest: String?
    let interpolatesMissing: Bool
    var opened: [Int: LayerIndex?] = [:]
    var manifestLayer: LayerIndex??

    init(
        name: String, stack: StackIndex, path: Path, entry: Int32, layer: LayerIndex, assetPaths: [String], clipPrim: Path,
        active: [(time: Double, clip: Int)], times: [(stack: Double, clip: Double)], manifest: String?, interpolatesMissing: Bool
    ) {
        self.name = name
        self.stack = stack
        self.path = path
        self.entry = entry
        self.layer = layer
        self.assetPaths = assetPaths
        self.clipPrim = clipPrim
        self.active = active
        self.times = times
        self.manifest = manifest
        self.interpolatesMissing = interpolatesMissing
    }

    /// The clip that counts at a time of the stack.
    func clip(at time: Double) -> Int {
        var found = active.first?.clip ?? 0
        for a in active where a.time <= time { found = a.clip }
        return found
    }

    /// When the clip that counts at a time starts and ends to count.
    func interval(_ index: Int) -> (start: Double, end: Double) {
        let start = index == 0 ? -Double.infinity : active[index].time
        return (start, index + 1 < active.count ? active[index + 1].time : .infinity)
    }

    func clipTime(_ time: Double) -> Double {
        guard let first = times.first, let last = times.last else { return time }
        if time < first.stack { return first.clip }
        if time >= last.stack { return last.clip }
        var i = 0
        while i + 1 < times.count, times[i + 1].stack <= time { i += 1 }
        let a = times[i]
        let b = times[i + 1]
        if b.stack <= a.stack { return b.clip }
        return a.clip + (b.clip - a.clip) * (time - a.stack) / (b.stack - a.stack)
    }
}

/// The clip sets of a stage's prims, and the values of attributes in them.
final class ClipTable {
    private var known: [Int: [ClipSet]] = [:]
    private static let maximalClips = 100_000

    /// The sets that speak for a prim: its own, then those of the prims above it.
    func sets(_ stage: Stage, _ holder: Int) -> [ClipSet] {
        if let sets = known[holder] { return sets }
        var sets = own(stage, holder)
        let up = stage.prims[holder].parent
        if up >= 0, stage.prims[Int(up)].flags.contains(.hasClips) { sets += self.sets(stage, Int(up)) }
        known[holder] = sets
        return sets
    }

    /// Where a set stands in a prim's order of strength: the place of its node, and of its layer within that.
    func anchor(_ stage: Stage, _ holder: Int, _ set: ClipSet, _ order: [Int32]) -> (rank: Int, path: Path)? {
        let r = stage.prims[holder]
        if r.nodeCount == 0 { return set.stack == 0 && stage.paths.hasPrefix(r.path, set.path) ? (0, r.path) : nil }
        for (rank, n) in order.enumerated() {
            let node = stage.nodes[Int(r.nodeStart + n)]
            if node.stack == set.stack, stage.paths.hasPrefix(node.path, set.path) { return (rank, node.path) }
        }
        return nil
    }

    // MARK: Definitions

    private func own(_ stage: Stage, _ holder: Int) -> [ClipSet] {
        let r = stage.prims[holder]
        var sites: [(Opinion, USDDictionary)] = []
        for k in Int(r.opinionStart)..<Int(r.opinionStart + r.opinionCount) {
            let o = stage.opinions[k]
            if case .dictionary(let d)? = stage.cache.layers[Int(o.layer)].value(o.spec, .clips) { sites.append((o, d)) }
        }
        if sites.isEmpty { return [] }
        var names: [String] = []
        for (_, d) in sites {
            for (key, _) in d.entries where !names.contains(key) { names.append(key) }
        }
        names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if case .stringListOp(let op)? = stage.metadata(StagePrim(index: Int32(holder)), .clipSets) {
            var order = names
            op.apply(to: &order)
            names = order.filter { names.contains($0) }
        }
        return names.compactMap { define(stage, holder, $0, sites) }
    }

    private func define(_ stage: Stage, _ holder: Int, _ name: String, _ sites: [(Opinion, USDDictionary)]) -> ClipSet? {
        /// The strongest opinion about a field of the set.
        func find(_ key: String) -> (Opinion, USDValue)? {
            for (o, d) in sites {
                guard case .dictionary(let set)? = d[key: name].flatMap({ try? $0.resolved() }) else { continue }
                if let v = set[key: key], let resolved = try? v.resolved() { return (o, resolved) }
            }
            return nil
        }
        func pairs(_ key: String) -> [(Double, Double)] {
            guard case .array(let a)? = find(key)?.1, case .double(let d) = a.storage else { return [] }
            return stride(from: 0, to: d.count - 1, by: 2).map { (d[$0], d[$0 + 1]) }.filter { $0.0.isFinite && $0.1.isFinite }
        }
        func number(_ key: String) -> Double? {
            switch find(key)?.1 {
            case .double(let d)?: d.isFinite ? d : nil
            case .float(let f)?: f.isFinite ? Double(f) : nil
            case .int(let i)?: Double(i)
            default: nil
            }
        }
        func text(_ key: String) -> String? {
            switch find(key)?.1 {
            case .string(let s)?, .asset(let s)?: s.isEmpty ? nil : s
            default: nil
            }
        }
        var assetPaths: [String] = []
        var active = pairs("active").map { (time: $0.0, clip: Int(exactly: $0.1.rounded()) ?? -1) }
        var times = pairs("times").map { (stack: $0.0, clip: $0.1) }
        let anchor: Opinion
        if let (o, value) = find("assetPaths"), case .array(let a) = value, case .string(let s) = a.storage, !s.isEmpty {
            anchor = o
            assetPaths = s
        } else if let (o, value) = find("templateAssetPath"), let template = string(value), let start = number("templateStartTime"),
            let end = number("templateEndTime"), let step = number("templateStride"), step > 0, end >= start
        {
            anchor = o
            guard (end - start) / step < Double(Self.maximalClips) else {
                stage.ownDiagnostics.warning(
                    "usd.too-many-clips", "a clip template asks for more than \(Self.maximalClips) clips",
                    at: SourceLocation(file: stage.rootLayer.identifier, primPath: stage.paths.string(stage.prims[holder].path)))
                return nil
            }
            let offset = number("templateActiveOffset") ?? 0
            active = []
            times = []
            var i = 0
            while start + Double(i) * step <= end + 1e-9 {
                let t = start + Double(i) * step
                guard let path = Self.expand(template, t) else { return nil }
                assetPaths.append(path)
                active.append((t + offset, i))
                times.append((t, t))
                if offset != 0 { times.append((t + offset, t + offset)) }
                i += 1
            }
            times.sort { $0.stack < $1.stack }
        } else {
            return nil
        }
        guard let prim = text("primPath"), let clipPrim = stage.paths.parse(prim), stage.paths.kind(clipPrim) == .prim else { return nil }
        active = active.filter { $0.clip >= 0 && $0.clip < assetPaths.count }.sorted { $0.time < $1.time }
        guard !active.isEmpty else { return nil }
        var interpolates = false
        if case .bool(let b)? = find("interpolateMissingClipValues")?.1 { interpolates = b }
        let r = stage.prims[holder]
        let node = r.nodeCount == 0 ? IndexNode(path: r.path, stack: 0) : stage.nodes[Int(r.nodeStart + anchor.node)]
        // Sorting must keep jumps: two times for one moment stay in their order.
        let ordered = times.enumerated().sorted { ($0.element.stack, $0.offset) < ($1.element.stack, $1.offset) }.map(\.element)
        return ClipSet(
            name: name, stack: node.stack, path: node.path, entry: anchor.entry, layer: anchor.layer, assetPaths: assetPaths,
            clipPrim: clipPrim, active: active, times: ordered, manifest: text("manifestAssetPath"), interpolatesMissing: interpolates)
    }

    private func string(_ value: USDValue) -> String? {
        switch value {
        case .string(let s), .asset(let s): s.isEmpty ? nil : s
        default: nil
        }
    }

    /// `clip.###.usd` at a time: hashes are digits, `##.##` whole and fractional ones.
    static func expand(_ template: String, _ time: Double) -> String? {
        let bytes = Array(template.utf8)
        guard let last = bytes.lastIndex(of: 35) else { return nil }
        var first = last
        while first > 0, bytes[first - 1] == 35 { first -= 1 }
        var whole = first..<(last + 1)
        var fraction = 0
        if first > 1, bytes[first - 1] == 46, bytes[first - 2] == 35 {
            fraction = last + 1 - first
            let end = first - 1
            var start = end
            while start > 0, bytes[start - 1] == 35 { start -= 1 }
            whole = start..<end
        }
        guard fraction <= 9, abs(time) < 1e15 else { return nil }
        var power = 1.0
        for _ in 0..<fraction { power *= 10 }
        guard let scaled = Int64(exactly: (abs(time) * power).rounded()) else { return nil }
        func padded(_ v: Int64, _ n: Int) -> String {
            let s = String(v)
            return String(repeating: "0", count: max(0, n - s.utf8.count)) + s
        }
        let divisor = Int64(power)
        var middle = (time < 0 ? "-" : "") + padded(scaled / divisor, whole.count)
        if fraction > 0 { middle += "." + padded(scaled % divisor, fraction) }
        return String(decoding: bytes[..<whole.lowerBound], as: UTF8.self) + middle + String(decoding: bytes[(last + 1)...], as: UTF8.self)
    }

    // MARK: Values

    private func open(_ stage: Stage, _ set: ClipSet, _ assetPath: String) -> LayerIndex? {
        guard let found = stage.cache.locate(assetPath, from: set.layer), case .success(let layer) = stage.cache.open(found.path) else {
            stage.stacks.missing.append((assetPath, stage.cache.layers[Int(set.layer)].identifier, stage.paths.string(set.path), "clip"))
            stage.ownDiagnostics.warning(
                "usd.missing-clip", "clip '\(assetPath)' not found or not a layer",
                at: SourceLocation(file: stage.cache.layers[Int(set.layer)].identifier, primPath: stage.paths.string(set.path)))
            return nil
        }
        return layer
    }

    private func clipLayer(_ stage: Stage, _ set: ClipSet, _ clip: Int) -> USDLayer? {
        if let known = set.opened[clip] { return known.map { stage.cache.layers[Int($0)] } }
        let layer = open(stage, set, set.assetPaths[clip])
        set.opened[clip] = .some(layer)
        return layer.map { stage.cache.layers[Int($0)] }
    }

    private func manifestLayer(_ stage: Stage, _ set: ClipSet) -> USDLayer? {
        guard let name = set.manifest else { return nil }
        if set.manifestLayer == nil { set.manifestLayer = .some(open(stage, set, name)) }
        return (set.manifestLayer ?? nil).map { stage.cache.layers[Int($0)] }
    }

    /// The attribute's path in the clips.
    private func clipPath(_ stage: Stage, _ site: Path, _ set: ClipSet, _ attribute: Token) -> Path? {
        stage.paths.replacingPrefix(site, set.path, with: set.clipPrim).map {
            stage.paths.property(stage.paths.strippingVariants($0), attribute)
        }
    }

    /// Whether a set declares an attribute: in its manifest, or where it has none by samples in a clip.
    func declares(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet) -> Bool {
        guard let path = clipPath(stage, site, set, attribute) else { return false }
        if set.manifest != nil, let manifest = manifestLayer(stage, set) { return manifest.spec(at: path) != nil }
        for a in set.active.prefix(1000) where samples(clipLayer(stage, set, a.clip), path) != nil { return true }
        return false
    }

    private func samples(_ layer: USDLayer?, _ path: Path) -> TimeSamples? {
        guard let layer, let spec = layer.spec(at: path), case .timeSamples(let s)? = layer.value(spec, .timeSamples), !s.times.isEmpty,
            s.times.count == s.values.count
        else { return nil }
        return s
    }

    /// The value at a time of the set's layer stack; `.block` where the clip has none.
    func value(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet, _ time: Double?) -> USDValue? {
        guard let path = clipPath(stage, site, set, attribute) else { return nil }
        let t = time ?? times(stage, site, attribute, set).first ?? set.active[0].time
        let clip = set.clip(at: t)
        if let s = samples(clipLayer(stage, set, clip), path) { return stage.interpolated(s, set.clipTime(t)) }
        if set.interpolatesMissing, let v = neighbours(stage, path, set, t) { return v }
        if let manifest = manifestLayer(stage, set), let spec = manifest.spec(at: path), let v = manifest.field(spec, .default) { return v }
        return .block
    }

    /// Between the last value of the clips before a clip without values and the first of those behind it.
    private func neighbours(_ stage: Stage, _ path: Path, _ set: ClipSet, _ t: Double) -> USDValue? {
        guard let now = set.active.lastIndex(where: { $0.time <= t }) ?? set.active.indices.first else { return nil }
        var before: (Double, USDValue)?
        for i in stride(from: now - 1, through: 0, by: -1) {
            let at = set.interval(i).end
            if let s = samples(clipLayer(stage, set, set.active[i].clip), path), let v = stage.interpolated(s, set.clipTime(at.nextDown)) {
                before = (at, v)
                break
            }
        }
        var after: (Double, USDValue)?
        for i in (now + 1)..<max(now + 1, set.active.count) {
            let at = set.active[i].time
            if let s = samples(clipLayer(stage, set, set.active[i].clip), path), let v = stage.interpolated(s, set.clipTime(at)) {
                after = (at, v)
                break
            }
        }
        guard let before, let after, after.0 > before.0 else { return before?.1 ?? after?.1 }
        let u = (t - before.0) / (after.0 - before.0)
        return (try? SampleInterpolation.linear(before.1, after.1, u)) ?? before.1
    }

    /// Sample times in the time of the set's layer stack.
    func times(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet) -> [Double] {
        guard let path = clipPath(stage, site, set, attribute) else { return [] }
        var out = Set<Double>()
        for (i, a) in set.active.enumerated() {
            let (start, end) = set.interval(i)
            if i > 0 { out.insert(start) }
            guard let s = samples(clipLayer(stage, set, a.clip), path) else { continue }
            if set.times.isEmpty {
                for t in s.times where t >= start && t < end { out.insert(t) }
                continue
            }
            for t in set.times where t.stack >= start && t.stack < end { out.insert(t.stack) }
            for k in 0..<max(0, set.times.count - 1) {
                let p = set.times[k]
                let q = set.times[k + 1]
                guard q.stack > p.stack, q.clip != p.clip, q.stack >= start, p.stack < end else { continue }
                for t in s.times where t >= min(p.clip, q.clip) && t <= max(p.clip, q.clip) {
                    let stack = p.stack + (q.stack - p.stack) * (t - p.clip) / (q.clip - p.clip)
                    if stack >= start, stack < end { out.insert(stack) }
                }
            }
        }
        return out.sorted()
    }

    func layer(_ stage: Stage, _ set: ClipSet, _ time: Double?) -> USDLayer? {
        clipLayer(stage, set, set.clip(at: time ?? set.active[0].time))
    }
}

extension USDDictionary {
    subscript(key name: String) -> USDValue? { self[name] }
}
