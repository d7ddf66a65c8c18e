/// A namespace mapping of a composition arc, from the arc's source (weaker) to its target (stronger) side.
///
/// Pairs map subtrees; the longest matching one counts. `hasRootIdentity` maps everything else onto itself. The functions
/// are stored in a `MapTable` and named by their number there.
typealias MapID = Int32

struct PathPair: Equatable {
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

    init(paths: PathTable) {
        self.paths = paths
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

    /// A function of any pairs; pairs that say nothing new are left out.
    func add(_ list: [PathPair], rootIdentity: Bool, offset: LayerOffset) -> MapID {
        var rootIdentity = rootIdentity
        var kept: [PathPair] = []
        for p in list where p.source.isRoot && p.target.isRoot { rootIdentity = true }
        for (i, p) in list.enumerated() {
            if p.source.isRoot, p.target.isRoot { continue }
            if list[..<i].contains(where: { $0.source == p.source }) { continue }
            // A pair is redundant where the closest pair above it already maps it so.
            var best: PathPair?
            var bestDepth = -1
            for q in list where q.source != p.source && paths.hasPrefix(p.source, q.source) {
                let d = paths.depth(q.source)
                if d > bestDepth {
                    best = q
                    bestDepth = d
                }
            }
            if let best {
                if !best.target.isEmpty, paths.replacingPrefix(p.source, best.source, with: best.target) == p.target { continue }
            } else if rootIdentity, p.source == p.target {
                continue
            }
            kept.append(p)
        }
        if kept.isEmpty, rootIdentity, offset.isIdentity { return Self.identity }
        let start = Int32(pairs.count)
        pairs.append(contentsOf: kept)
        entries.append(Entry(start: start, count: Int32(kept.count), hasRootIdentity: rootIdentity, offset: offset))
        return MapID(entries.count - 1)
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
        var list: [PathPair] = []
        for p in pairs(inner) {
            let target = p.target.isEmpty ? .empty : toTarget(outer, p.target)
            list.append(PathPair(source: p.source, target: target))
        }
        for p in pairs(outer) {
            let source = toSource(inner, p.source)
            if !source.isEmpty, !list.contains(where: { $0.source == source }) {
                list.append(PathPair(source: source, target: p.target))
            }
        }
        let root = f.hasRootIdentity && g.hasRootIdentity
        // Without anything that would map it, a blocked pair says nothing.
        let all = list
        list.removeAll { p in
            p.target.isEmpty && !root && !all.contains { $0.source != p.source && paths.hasPrefix(p.source, $0.source) && !$0.target.isEmpty }
        }
        return add(list, rootIdentity: root, offset: f.offset.concatenating(inner: g.offset))
    }

    /// The path on the target side; `.empty` where the function does not reach it.
    func toTarget(_ f: MapID, _ path: Path) -> Path { map(f, path, inverted: false) }
    /// The path on the source side; `.empty` where the function does not reach it.
    func toSource(_ f: MapID, _ path: Path) -> Path { map(f, path, inverted: true) }

    private func map(_ f: MapID, _ path: Path, inverted: Bool) -> Path {
        if f == Self.identity || path.isEmpty { return path }
        let e = entries[Int(f)]
        if e.count == 0 { return e.hasRootIdentity ? path : .empty }
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
        return pairs(a).allSatisfy { pairs(b).contains($0) }
    }
}
