/// A namespace mapping of a composition arc, from the arc's source (weaker) to its target (stronger) side.
///
/// Pairs map subtrees; the longest matching one counts. `hasRootIdentity` maps everything else onto itself. The functions
/// are stored in a `MapTable` and named by their number there.
typealias MapID = Int32

struct PathPair: Hashable {
    var source: Path
    var target: Path
}

/// All map functions of a stage, in flat storage.
final class MapTable {
    struct Entry {
        var start: Int32
        var count: Int32
        var hasRootIdentity: Bool
        var offset: LayerOffset
    }

    static let identity: MapID = 0

    private let paths: PathTable
    @exclusivity(unchecked) private(set) var entries: ContiguousArray<Entry> = []
    @exclusivity(unchecked) private var pairs: ContiguousArray<PathPair> = []
    /// Of functions of many pairs, which relocations make: where a path is named first.
    @exclusivity(unchecked) private var places: [MapID: (sources: [Path: Int], targets: [Path: Int])] = [:]
    @exclusivity(unchecked) private var composed: [UInt64: MapID] = [:]
    /// Up to this many pairs all are looked at.
    private let fewPairs: Int

    init(paths: PathTable, fewPairs: Int = 16) {
        self.paths = paths
        self.fewPairs = fewPairs
        entries.append(Entry(start: 0, count: 0, hasRootIdentity: true, offset: .identity))
    }

    func offset(_ f: MapID) -> LayerOffset { entries[Int(f)].offset }
    func hasRootIdentity(_ f: MapID) -> Bool { entries[Int(f)].hasRootIdentity }

    func pairs(_ f: MapID) -> ArraySlice<PathPair> {
        let e = entries[Int(f)]
        return ArraySlice(pairs[Int(e.start)..<Int(e.start + e.count)])
    }

    /// A function of one pair, as arcs introduce it.
    func arc(_ source: Path, to target: Path, rootIdentity: Bool, offset: LayerOffset) -> MapID {
        if source.isRoot, target.isRoot { return add([], rootIdentity: true, offset: offset) }
        if rootIdentity, source == target { return add([], rootIdentity: true, offset: offset) }
        let start = Int32(pairs.count)
        pairs.append(PathPair(source: source, target: target))
        entries.append(Entry(start: start, count: 1, hasRootIdentity: rootIdentity, offset: offset))
        return MapID(entries.count - 1)
    }

    /// Whether a function maps to or from a path or one below it.
    func mentions(_ f: MapID, below path: Path) -> Bool {
        pairs(f).contains { paths.hasPrefix($0.source, path) || paths.hasPrefix($0.target, path) }
    }

    /// A function of one pair with another target.
    func retargeted(_ f: MapID, to target: Path) -> MapID {
        let e = entries[Int(f)]
        guard e.count == 1 else { return f }
        return arc(pairs[Int(e.start)].source, to: target, rootIdentity: e.hasRootIdentity, offset: e.offset)
    }

    /// A function of any pairs; pairs that say nothing new are left out. A pair without a target blocks its source.
    func add(_ list: [PathPair], rootIdentity: Bool, offset: LayerOffset) -> MapID {
        var pairs = list.filter { !($0.source.isRoot && $0.target.isRoot) }
        // The closest pair above a path is the one with the longest source.
        if pairs.count > 1 {
            let depths = pairs.map { paths.depth($0.source) }
            if (1..<pairs.count).contains(where: { depths[$0 - 1] > depths[$0] }) {
                let order = depths.indices.sorted { depths[$0] != depths[$1] ? depths[$0] < depths[$1] : $0 < $1 }
                pairs = order.map { pairs[$0] }
            }
        }
        let rootIdentity = rootIdentity || pairs.count < list.count
        if rootIdentity { pairs.insert(PathPair(source: .root, target: .root), at: 0) }
        if pairs.count <= fewPairs || !removeRedundantOfMany(&pairs) {
            var i = 0
            while i < pairs.count {
                if isRedundant(i, pairs) { pairs.remove(at: i) } else { i += 1 }
            }
        }
        if rootIdentity { pairs.removeFirst() }
        if pairs.isEmpty, rootIdentity, offset.isIdentity { return Self.identity }
        let start = Int32(self.pairs.count)
        self.pairs.append(contentsOf: pairs)
        entries.append(Entry(start: start, count: Int32(pairs.count), hasRootIdentity: rootIdentity, offset: offset))
        return MapID(entries.count - 1)
    }

    /// Whether a pair could be left out of a list without changing what it maps.
    private func isRedundant(_ i: Int, _ list: [PathPair]) -> Bool {
        let pair = list[i]
        if pair.source.isRoot { return false }
        // What would map the source without the pair.
        let above = paths.parent(pair.source)
        var best = -1
        for k in list.indices where k != i && paths.hasPrefix(above, list[k].source) { best = k }
        if pair.target.isEmpty {
            guard best >= 0, !list[best].target.isEmpty,
                let mapped = paths.replacingPrefix(pair.source, list[best].source, with: list[best].target)
            else { return true }
            return hasBetterTarget(mapped, list, best)
        }
        guard best >= 0, !list[best].target.isEmpty,
            paths.replacingPrefix(pair.source, list[best].source, with: list[best].target) == pair.target
        else { return false }
        return !hasBetterTarget(paths.parent(pair.target), list, best)
    }

    /// Leaves out the redundant ones of many pairs, in order of depth. Returns false where a source is there twice.
    private func removeRedundantOfMany(_ list: inout [PathPair]) -> Bool {
        var sources: [Path: Int] = [:]
        var targets: [Path: Int] = [:]
        for (i, pair) in list.enumerated() {
            if !pair.source.isEmpty, sources.updateValue(i, forKey: pair.source) != nil { return false }
            if !pair.target.isEmpty { targets[pair.target, default: 0] += 1 }
        }
        /// Whether another pair would claim a path that one maps to.
        func hasBetterTarget(_ path: Path, _ best: Int) -> Bool {
            var up = path
            for _ in 0..<max(0, paths.depth(path) - paths.depth(list[best].target)) {
                if targets[up, default: 0] > 0 { return true }
                up = paths.parent(up)
            }
            return false
        }
        func isRedundant(_ pair: PathPair) -> Bool {
            if pair.source.isRoot { return false }
            var up = paths.parent(pair.source)
            while up.id > 0, sources[up] == nil { up = paths.parent(up) }
            guard up.id > 0, let best = sources[up], !list[best].target.isEmpty,
                let mapped = paths.replacingPrefix(pair.source, up, with: list[best].target)
            else { return pair.target.isEmpty }
            if pair.target.isEmpty { return hasBetterTarget(mapped, best) }
            return mapped == pair.target && !hasBetterTarget(paths.parent(pair.target), best)
        }
        var kept: [PathPair] = []
        kept.reserveCapacity(list.count)
        for pair in list {
            if isRedundant(pair) {
                sources[pair.source] = nil
                if !pair.target.isEmpty { targets[pair.target, default: 0] -= 1 }
            } else {
                kept.append(pair)
            }
        }
        list = kept
        return true
    }

    /// Whether another pair would claim a path that a pair maps to.
    private func hasBetterTarget(_ path: Path, _ list: [PathPair], _ best: Int) -> Bool {
        let depth = paths.depth(list[best].target)
        for k in list.indices where k != best && !list[k].target.isEmpty && paths.hasPrefix(path, list[k].target) {
            if paths.depth(list[k].target) > depth { return true }
        }
        return false
    }

    func addingRootIdentity(_ f: MapID) -> MapID {
        let e = entries[Int(f)]
        if e.hasRootIdentity { return f }
        return add(Array(pairs(f)), rootIdentity: true, offset: e.offset)
    }

    func inverse(_ f: MapID) -> MapID {
        if f == Self.identity { return f }
        let e = entries[Int(f)]
        let scale = e.offset.scale == 0 ? 1 : 1 / e.offset.scale
        let offset = LayerOffset(offset: -e.offset.offset * scale, scale: scale)
        return add(pairs(f).map { PathPair(source: $0.target, target: $0.source) }, rootIdentity: e.hasRootIdentity, offset: offset)
    }

    /// `outer` after `inner`.
    func compose(_ outer: MapID, _ inner: MapID) -> MapID {
        if outer == Self.identity { return inner }
        if inner == Self.identity { return outer }
        let f = entries[Int(outer)]
        let g = entries[Int(inner)]
        if Int(f.count) + Int(g.count) > fewPairs { return composeMany(outer, inner) }
        return composeAnew(outer, inner)
    }

    /// `outer` after `inner`, each two of them once.
    private func composeMany(_ outer: MapID, _ inner: MapID) -> MapID {
        let key = UInt64(UInt32(bitPattern: outer)) << 32 | UInt64(UInt32(bitPattern: inner))
        if let known = composed[key] { return known }
        let made = composeAnew(outer, inner)
        composed[key] = made
        return made
    }

    private func composeAnew(_ outer: MapID, _ inner: MapID) -> MapID {
        let f = entries[Int(outer)]
        let g = entries[Int(inner)]
        var list: [PathPair] = []
        for p in pairs(inner) {
            let target = p.target.isEmpty ? .empty : toTarget(outer, p.target)
            list.append(PathPair(source: p.source, target: target))
        }
        var sources = KnownSources(list, more: Int(f.count), few: fewPairs)
        for p in pairs(outer) {
            let source = toSource(inner, p.source)
            if !source.isEmpty, !sources.contains(source, list) {
                list.append(PathPair(source: source, target: p.target))
                sources.insert(source)
            }
        }
        let root = f.hasRootIdentity && g.hasRootIdentity
        return add(list, rootIdentity: root, offset: f.offset.concatenating(inner: g.offset))
    }

    /// The mapping of a class arc where another arc brings it in: class and instance moved across that arc, and what the arc
    /// moves within the instance.
    func impliedClass(_ transfer: MapID, _ classMap: MapID) -> MapID {
        if transfer == Self.identity { return classMap }
        var list: [PathPair] = []
        for p in pairs(classMap) {
            let source = toTarget(transfer, p.source)
            if source.isEmpty { continue }
            list.append(PathPair(source: source, target: p.target.isEmpty ? .empty : toTarget(transfer, p.target)))
        }
        var sources = KnownSources(list, more: Int(entries[Int(transfer)].count), few: fewPairs)
        for p in pairs(transfer) where !p.target.isEmpty {
            guard hasTarget(above: p.source, classMap) else { continue }
            let source = toTarget(transfer, toSource(classMap, p.source))
            if source.isEmpty || sources.contains(source, list) { continue }
            list.append(PathPair(source: source, target: p.target))
            sources.insert(source)
        }
        let across = offset(transfer)
        return add(list, rootIdentity: true, offset: across.concatenating(inner: offset(classMap)).concatenating(inner: across.inverse))
    }

    /// The sources of a list that grows: a set where there may be many.
    private struct KnownSources {
        private var set: Set<Path>?

        init(_ list: [PathPair], more: Int, few: Int) {
            if list.count + more > few { set = Set(list.map(\.source)) }
        }

        func contains(_ source: Path, _ list: [PathPair]) -> Bool {
            set?.contains(source) ?? list.contains { $0.source == source }
        }

        mutating func insert(_ source: Path) { set?.insert(source) }
    }

    /// Whether a function maps something to a place above a path.
    private func hasTarget(above path: Path, _ f: MapID) -> Bool {
        if Int(entries[Int(f)].count) <= fewPairs {
            return pairs(f).contains { !$0.target.isEmpty && $0.target != path && paths.hasPrefix(path, $0.target) }
        }
        let targets = placesOfMany(f).targets
        var up = path.id > 0 ? paths.parent(path) : path
        while up.id > 0 {
            if targets[up] != nil { return true }
            up = paths.parent(up)
        }
        return false
    }

    /// Where the pairs of a function name a path first, counted from its first pair.
    private func placesOfMany(_ f: MapID) -> (sources: [Path: Int], targets: [Path: Int]) {
        if let known = places[f] { return known }
        var made: (sources: [Path: Int], targets: [Path: Int]) = ([:], [:])
        for (i, pair) in pairs(f).enumerated() {
            if !pair.source.isEmpty, made.sources[pair.source] == nil { made.sources[pair.source] = i }
            if !pair.target.isEmpty, made.targets[pair.target] == nil { made.targets[pair.target] = i }
        }
        places[f] = made
        return made
    }

    private func mapByMany(_ f: MapID, _ path: Path, inverted: Bool) -> Path {
        let e = entries[Int(f)]
        let (sources, targets) = placesOfMany(f)
        let (froms, tos) = inverted ? (targets, sources) : (sources, targets)
        var from = path
        while from.id > 0, froms[from] == nil { from = paths.parent(from) }
        var result = path
        var toDepth = 0
        if from.id > 0, let best = froms[from] {
            let pair = pairs[Int(e.start) + best]
            let to = inverted ? pair.source : pair.target
            guard !to.isEmpty, let r = paths.replacingPrefix(path, from, with: to) else { return .empty }
            result = r
            toDepth = paths.depth(to)
        } else if !e.hasRootIdentity {
            return .empty
        }
        // The mapping must lead back: another pair closer to the result would claim it.
        var up = result
        for _ in 0..<max(0, paths.depth(result) - toDepth) {
            if tos[up] != nil { return .empty }
            up = paths.parent(up)
        }
        return result
    }

    /// The path on the target side; `.empty` where the function does not reach it.
    func toTarget(_ f: MapID, _ path: Path) -> Path { map(f, path, inverted: false) }
    /// The path on the source side; `.empty` where the function does not reach it.
    func toSource(_ f: MapID, _ path: Path) -> Path { map(f, path, inverted: true) }

    private func map(_ f: MapID, _ path: Path, inverted: Bool) -> Path {
        if f == Self.identity || path.isEmpty { return path }
        let e = entries[Int(f)]
        if e.count == 0 { return e.hasRootIdentity ? path : .empty }
        if Int(e.count) > fewPairs { return mapByMany(f, path, inverted: inverted) }
        let range = Int(e.start)..<Int(e.start + e.count)
        var best = -1
        var bestDepth = -1
        for i in range {
            let from = inverted ? pairs[i].target : pairs[i].source
            if from.isEmpty || !paths.hasPrefix(path, from) { continue }
            let d = paths.depth(from)
            if d > bestDepth {
                best = i
                bestDepth = d
            }
        }
        var result = path
        var toDepth = 0
        if best >= 0 {
            let from = inverted ? pairs[best].target : pairs[best].source
            let to = inverted ? pairs[best].source : pairs[best].target
            if to.isEmpty { return .empty }
            guard let r = paths.replacingPrefix(path, from, with: to) else { return .empty }
            result = r
            toDepth = paths.depth(to)
        } else if !e.hasRootIdentity {
            return .empty
        }
        if e.count == 1, best >= 0 {
            return result
        }
        // The mapping must lead back: another pair closer to the result would claim it.
        for i in range where i != best {
            let to = inverted ? pairs[i].source : pairs[i].target
            if !to.isEmpty, paths.hasPrefix(result, to), paths.depth(to) > toDepth { return .empty }
        }
        return result
    }

    func isSame(_ a: MapID, _ b: MapID) -> Bool {
        if a == b { return true }
        let x = entries[Int(a)]
        let y = entries[Int(b)]
        guard x.hasRootIdentity == y.hasRootIdentity, x.count == y.count, x.offset == y.offset else { return false }
        if pairs(a) == pairs(b) { return true }
        if Int(x.count) <= fewPairs { return pairs(a).allSatisfy { pairs(b).contains($0) } }
        return Set(pairs(b)).isSuperset(of: pairs(a))
    }
}
