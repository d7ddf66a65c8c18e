import AssetIO
import AssetModel

/// A clip set as a prim's metadata defines it: layers that hold time samples, and when each of them counts. All times that
/// are not a clip's own are those of the layer that says when clips count.
final class ClipSet {
    struct Clip {
        var assetPath: String
        /// As written; the first clip counts from the earliest time on all the same.
        var authoredStart: Double
        var start: Double
        var end: Double
    }

    let name: String
    /// The layer stack and prim that define the set, and the layer of the stack that names the clips.
    let stack: StackIndex
    let path: Path
    let entry: Int32
    let layer: LayerIndex
    let clipPrim: Path
    /// From the set's times to the stage's.
    let offset: LayerOffset
    /// In order of time; never empty.
    let clips: [Clip]
    let times: ClipTimes
    let manifest: String?
    let interpolatesMissing: Bool
    var opened: [Int: LayerIndex?] = [:]
    var manifestLayer: LayerIndex??

    init(
        name: String, stack: StackIndex, path: Path, entry: Int32, layer: LayerIndex, clipPrim: Path, offset: LayerOffset, clips: [Clip],
        times: ClipTimes, manifest: String?, interpolatesMissing: Bool
    ) {
        self.name = name
        self.stack = stack
        self.path = path
        self.entry = entry
        self.layer = layer
        self.clipPrim = clipPrim
        self.offset = offset
        self.clips = clips
        self.times = times
        self.manifest = manifest
        self.interpolatesMissing = interpolatesMissing
    }

    /// A stage time in the set's times.
    func local(_ time: Double) -> Double { offset.isNegligible ? time : offset.inverse.apply(time) }

    /// A time of the set in the stage's times.
    func outer(_ time: Double) -> Double { offset.isNegligible ? time : offset.apply(time) }

    /// The clip that counts at a time of the set.
    func clip(at time: Double) -> Int {
        var low = 0
        var high = clips.count
        while low < high {
            let middle = (low + high) / 2
            if clips[middle].start <= time { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}

extension ClipTable {
    static let maximalClips = 100_000

    /// What the layers of one node, or all nodes, say about a clip set.
    private struct Definition {
        var info = USDDictionary()
        /// The strongest opinion that names clips, with its layer's offset to the stage.
        var anchor: (opinion: Opinion, offset: LayerOffset)?
        /// Offsets to the stage of the strongest layers of the anchor's node that have `active`, or `times`, or name clips.
        var active = LayerOffset.identity
        var times = LayerOffset.identity
        /// From `times` as written to the set's times, as OpenUSD has it: the offset of `active` is taken back first, then that of
        /// `times` applied. None where the node names no clips.
        var timesToActive = LayerOffset.identity
        /// Place in the node's list of sets.
        var order = 0
    }

    /// The sets that a prim's own metadata defines, strongest first.
    func own(_ stage: Stage, _ holder: Int) -> [ClipSet] {
        let r = stage.prims[holder]
        let range = Int(r.opinionStart)..<Int(r.opinionStart + r.opinionCount)
        guard range.contains(where: { stage.cache.layers[Int(stage.opinions[$0].layer)].field(stage.opinions[$0].spec, .clips) != nil }) else {
            return []
        }
        var composed: [String: Definition] = [:]
        var names: [String] = []
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start + 1
            while end < range.upperBound, stage.opinions[end].node == stage.opinions[start].node { end += 1 }
            for (name, definition) in node(stage, holder, start..<end) {
                if var stronger = composed[name] {
                    if stronger.info["times"] == nil { stronger.timesToActive = definition.timesToActive }
                    stronger.info = stronger.info.merging(weaker: definition.info)
                    // Times count from the node that names the clips, whichever node has the entries.
                    if stronger.anchor == nil {
                        stronger.anchor = definition.anchor
                        stronger.active = definition.active
                        stronger.times = definition.times
                        stronger.order = definition.order
                    }
                    composed[name] = stronger
                } else {
                    composed[name] = definition
                    names.append(name)
                }
            }
            start = end
        }
        var found: [(definition: Definition, name: String)] = []
        for name in names {
            if let d = composed[name], d.anchor != nil { found.append((d, name)) }
        }
        func place(_ f: (definition: Definition, name: String)) -> (Int32, Int, String) {
            (f.definition.anchor?.opinion.node ?? 0, f.definition.order, f.name)
        }
        found.sort { place($0) < place($1) }
        return found.compactMap { set(stage, holder, $0.name, $0.definition) }
    }

    /// The sets of one node, in the order of their names' bytes: its layers from weak to strong, those that `clipSets` leaves out not.
    private func node(_ stage: Stage, _ holder: Int, _ opinions: Range<Int>) -> [(String, Definition)] {
        var sets: [String: Definition] = [:]
        var listed: [String] = []
        let prim = StagePrim(index: Int32(holder))
        for k in opinions.reversed() {
            let o = stage.opinions[k]
            let layer = stage.cache.layers[Int(o.layer)]
            if case .dictionary(let clips)? = layer.value(o.spec, .clips) {
                let offset = stage.offset(prim, o)
                var added = ListOp<String>()
                for (name, value) in clips.entries where !name.isEmpty {
                    guard case .dictionary(let info)? = try? value.resolved() else { continue }
                    var definition = sets[name] ?? Definition()
                    var namesClips = false
                    if case .array(let a)? = resolved(info, "assetPaths"), a.type == .asset { namesClips = true }
                    if case .string? = resolved(info, "templateAssetPath") { namesClips = true }
                    if namesClips { definition.anchor = (o, offset) }
                    if namesClips || info["active"] != nil { definition.active = offset }
                    if namesClips || info["times"] != nil { definition.times = offset }
                    definition.info = info.merging(weaker: definition.info)
                    sets[name] = definition
                    added.added.append(name)
                }
                added.added.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                added.apply(to: &listed)
            }
            if case .stringListOp(let op)? = layer.value(o.spec, .clipSets) { op.apply(to: &listed) }
        }
        var out: [(String, Definition)] = []
        for (place, name) in listed.enumerated() {
            guard var d = sets[name] else { continue }
            d.order = place
            if d.anchor != nil { d.timesToActive = d.times.concatenating(inner: d.active.inverse) }
            out.append((name, d))
        }
        return out.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    private func resolved(_ info: USDDictionary, _ key: String) -> USDValue? { info[key].flatMap { try? $0.resolved() } }

    private static func pairs(_ value: USDValue?) -> [(Double, Double)]? {
        guard case .array(let a)? = value, a.type == .double2, case .double(let d) = a.storage else { return nil }
        return stride(from: 0, to: d.count - 1, by: 2).map { (d[$0], d[$0 + 1]) }
    }

    /// The set of a composed definition; nil where something that it needs is missing or wrong.
    private func set(_ stage: Stage, _ holder: Int, _ name: String, _ definition: Definition) -> ClipSet? {
        guard let (anchor, offset) = definition.anchor else { return nil }
        let info = definition.info
        let r = stage.prims[holder]
        func fail(_ message: String) -> ClipSet? {
            stage.ownDiagnostics.warning(
                "usd.bad-clips", "clip set '\(name)': \(message)",
                at: SourceLocation(file: stage.cache.layers[Int(anchor.layer)].identifier, primPath: stage.paths.string(r.path)))
            return nil
        }
        var assetPaths: [String]
        var active: [(Double, Double)]
        var times: [(Double, Double)]
        var setOffset = offset
        var timesOffset = definition.times.concatenating(inner: offset.inverse)
        if case .array(let a)? = resolved(info, "assetPaths"), a.type == .asset {
            guard case .string(let s) = a.storage, let authored = Self.pairs(resolved(info, "active")) else { return nil }
            assetPaths = s
            active = authored
            times = Self.pairs(resolved(info, "times")) ?? []
            setOffset = definition.active
            timesOffset = definition.timesToActive
        } else {
            guard case .string(let text)? = resolved(info, "templateAssetPath"), case .double(let step)? = resolved(info, "templateStride"),
                case .double(let start)? = resolved(info, "templateStartTime"), case .double(let end)? = resolved(info, "templateEndTime")
            else { return nil }
            var shift: Double?
            if case .double(let d)? = resolved(info, "templateActiveOffset") { shift = d }
            do {
                let template = try ClipTemplate(text, start: start, end: end, stride: step, activeOffset: shift)
                (assetPaths, active, times) = template.clips { stage.cache.locate($0, from: anchor.layer) != nil }
            } catch {
                return fail(error.message)
            }
        }
        guard case .string(let prim)? = resolved(info, "primPath") else { return nil }
        guard !prim.isEmpty, prim.utf8.first == UInt8(ascii: "/"), let clipPrim = stage.paths.parse(prim), stage.paths.kind(clipPrim) == .prim else {
            return fail("'primPath' must be the absolute path of a prim, found '\(prim)'")
        }
        if assetPaths.contains("") { return fail("an empty path in 'assetPaths'") }
        guard active.count <= Self.maximalClips, times.count <= 10 * Self.maximalClips else { return fail("too many clips") }
        var seen = Set<Double>()
        for (time, index) in active {
            guard index >= 0, index < Double(assetPaths.count) else { return fail("no clip \(index) of \(assetPaths.count) in 'active'") }
            guard time.isFinite, seen.insert(time).inserted else { return fail("more than one clip at time \(time) in 'active'") }
        }
        var count: [Double: Int] = [:]
        for (time, _) in times {
            count[time, default: 0] += 1
            if count[time] == 3 { return fail("more than two entries for time \(time) in 'times'") }
        }
        // Without clips a set hides weaker ones of its name.
        if active.isEmpty { return nil }
        active.sort { $0.0 < $1.0 }
        var clips: [ClipSet.Clip] = []
        for (i, a) in active.enumerated() {
            clips.append(
                ClipSet.Clip(
                    assetPath: assetPaths[Int(a.1)], authoredStart: a.0, start: i == 0 ? ClipTimes.earliest : a.0,
                    end: i + 1 < active.count ? active[i + 1].0 : ClipTimes.latest))
        }
        var manifest: String?
        if case .asset(let path)? = resolved(info, "manifestAssetPath") { manifest = path }
        var interpolates = false
        if case .bool(let b)? = resolved(info, "interpolateMissingClipValues") { interpolates = b }
        let node = r.nodeCount == 0 ? IndexNode(path: r.path, stack: 0) : stage.nodes[Int(r.nodeStart + anchor.node)]
        return ClipSet(
            name: name, stack: node.stack, path: node.path, entry: anchor.entry, layer: anchor.layer, clipPrim: clipPrim, offset: setOffset,
            clips: clips, times: ClipTimes(times.map { (stage: $0.0, clip: $0.1) }, offset: timesOffset),
            manifest: manifest, interpolatesMissing: interpolates)
    }
}

/// `clip.###.usd` or `clip.##.##.usd` for the times from a start to an end.
struct ClipTemplate {
    struct Problem: Error {
        var message: String
    }

    private let folder: String
    private let parts: [String]
    private let whole: Int
    private let fraction: Int?
    private let start: Double
    private let end: Double
    private let stride: Double
    private let activeOffset: Double?
    /// Times are counted in this fraction of one, so that steps of decimal fractions add up.
    private static let promotion = 10_000.0

    init(_ template: String, start: Double, end: Double, stride: Double, activeOffset: Double?) throws(Problem) {
        guard stride > 0, stride.isFinite else { throw Problem(message: "'templateStride' must be above 0, found \(stride)") }
        if let activeOffset {
            guard abs(activeOffset) <= stride else {
                throw Problem(message: "'templateActiveOffset' \(activeOffset) is more than the stride \(stride)")
            }
        }
        guard start.isFinite, end.isFinite, start <= end else {
            throw Problem(message: "'templateStartTime' \(start) must not be behind 'templateEndTime' \(end)")
        }
        guard (end - start) / stride < Double(ClipTable.maximalClips), start + stride > start else {
            throw Problem(message: "the template asks for more than \(ClipTable.maximalClips) clips")
        }
        self.start = start
        self.end = end
        self.stride = stride
        self.activeOffset = activeOffset
        let cut = template.utf8.lastIndex(of: UInt8(ascii: "/")).map { template.index(after: $0) } ?? template.startIndex
        folder = String(template[..<cut])
        let parts = template[cut...].split(separator: ".").map(String.init)
        let hashes = parts.indices.filter { parts[$0].utf8.allSatisfy { $0 == UInt8(ascii: "#") } }
        guard hashes.count == 1 || (hashes.count == 2 && hashes[1] == hashes[0] + 1) else {
            throw Problem(message: "'templateAssetPath' must be like clip.###.usd or clip.##.##.usd, found '\(template)'")
        }
        guard hashes.allSatisfy({ parts[$0].utf8.count < 16 }) else { throw Problem(message: "'templateAssetPath' has too many hash marks") }
        self.parts = parts
        whole = hashes[0]
        fraction = hashes.count == 2 ? hashes[1] : nil
    }

    /// The path at a time; nil for times that no file is named after.
    func path(_ time: Double) -> String? {
        guard abs(time) < 2_147_483_648 else { return nil }
        var parts = self.parts
        let width = parts[whole].utf8.count
        let digits = String(abs(Int(time)))
        let sign = time <= -1 ? "-" : ""
        parts[whole] = sign + String(repeating: "0", count: max(0, width - digits.utf8.count - sign.utf8.count)) + digits
        if let fraction {
            let places = parts[fraction].utf8.count
            var power = 1.0
            for _ in 0..<places { power *= 10 }
            let rest = (abs(time) * power).rounded(.toNearestOrEven).truncatingRemainder(dividingBy: power)
            let text = String(Int64(exactly: rest) ?? 0)
            parts[fraction] = String(repeating: "0", count: max(0, places - text.utf8.count)) + text
        }
        return folder + parts.joined(separator: ".")
    }

    /// The clips whose files are there, when each of them counts, and the times of the clips.
    func clips(exists: (String) -> Bool) -> (assetPaths: [String], active: [(Double, Double)], times: [(Double, Double)]) {
        var assetPaths: [String] = []
        var active: [(Double, Double)] = []
        var times: [(Double, Double)] = []
        let promoted = abs(activeOffset ?? 0) * Self.promotion
        // Before the first and behind the last clip the times go on as far as the offset.
        if activeOffset != nil {
            let t = (start * Self.promotion - promoted) / Self.promotion
            times.append((t, t))
        }
        var t = start * Self.promotion
        while t <= end * Self.promotion {
            let time = t / Self.promotion
            if let path = path(time), exists(path) {
                times.append((time, time))
                active.append((activeOffset.map { (t + $0 * Self.promotion) / Self.promotion } ?? time, Double(assetPaths.count)))
                assetPaths.append(path)
            }
            let next = t + stride * Self.promotion
            if !(next > t) { break }
            t = next
        }
        if activeOffset != nil {
            let t = (end * Self.promotion + promoted) / Self.promotion
            times.append((t, t))
        }
        return (assetPaths, active, times)
    }
}
