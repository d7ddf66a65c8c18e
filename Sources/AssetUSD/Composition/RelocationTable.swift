import AssetModel

/// The relocations of a layer stack (`relocates` in the layers' metadata), strongest layer first.
final class RelocationTable {
    /// Source → target; `.empty` deletes the source.
    let targets: [Path: Path]
    /// Target → source.
    let sources: [Path: Path]
    /// Sources with their targets, by the source's parent.
    let departures: [Path: [(source: Path, target: Path)]]
    /// Targets with their sources, by the target's parent.
    let arrivals: [Path: [(target: Path, source: Path)]]
    /// Target → where the prim lies before any relocation, which differs from its source where a prim above was moved too.
    private let origins: [Path: Path]
    /// Sources and origins, and all that lies above them: nothing is moved at or below any other path.
    private let movesBelow: Set<Path>
    private var known: [Path: MapID] = [:]
    /// An arc within the layer stack, and the mappings of those met so far.
    struct Arc: Hashable {
        var source: Path
        var target: Path
        var rootIdentity: Bool
        var offset: LayerOffset
    }
    var arcs: [Arc: MapID] = [:]

    /// Nil where no layer relocates anything.
    init?(_ layers: [USDLayer], paths: PathTable, _ diagnostics: inout Diagnostics) {
        var authored: [Path: (target: Path, layer: USDLayer)] = [:]
        for layer in layers {
            guard case .relocates(let list)? = layer.value(0, .layerRelocates) else { continue }
            for (source, target) in list {
                if let flaw = Self.flaw(source, target, paths) {
                    Self.warn(source, target, flaw, layer, paths, &diagnostics)
                    continue
                }
                // The strongest layer's opinion about a source counts.
                if authored[source] == nil { authored[source] = (target, layer) }
            }
        }
        if authored.isEmpty { return nil }
        var byTarget: [Path: [Path]] = [:]
        for (source, entry) in authored where !entry.target.isEmpty { byTarget[entry.target, default: []].append(source) }
        var conflicts: [(source: Path, reason: String)] = []
        for (source, entry) in authored {
            conflicts.append(contentsOf: Self.conflicts(source, entry.target, authored, byTarget, paths).map { (source, $0) })
        }
        // In the order of their names, whatever the hash values.
        let ordered = conflicts.map { (paths.string($0.source), $0) }.sorted { ($0.0, $0.1.reason) < ($1.0, $1.1.reason) }
        for (_, conflict) in ordered {
            guard let entry = authored[conflict.source] else { continue }
            Self.warn(conflict.source, entry.target, conflict.reason, entry.layer, paths, &diagnostics)
        }
        for conflict in conflicts { authored[conflict.source] = nil }
        if authored.isEmpty { return nil }
        targets = authored.mapValues(\.target)
        var sources: [Path: Path] = [:]
        for (source, target) in targets where !target.isEmpty { sources[target] = source }
        self.sources = sources
        var departures: [Path: [(source: Path, target: Path)]] = [:]
        for (source, target) in targets { departures[paths.parent(source), default: []].append((source, target)) }
        self.departures = departures
        var arrivals: [Path: [(target: Path, source: Path)]] = [:]
        for (target, source) in sources { arrivals[paths.parent(target), default: []].append((target, source)) }
        self.arrivals = arrivals
        var origins: [Path: Path] = [:]
        for target in sources.keys { Self.findOrigin(target, sources, &origins, paths) }
        self.origins = origins
        var movesBelow = Set<Path>()
        for path in [Array(targets.keys), Array(origins.values)].joined() {
            var up = path
            while up.id > 0, movesBelow.insert(up).inserted { up = paths.parent(up) }
        }
        self.movesBelow = movesBelow
    }

    private static func warn(
        _ source: Path, _ target: Path, _ reason: String, _ layer: USDLayer, _ paths: PathTable, _ diagnostics: inout Diagnostics
    ) {
        diagnostics.warning(
            "usd.bad-relocate", "relocation of <\(paths.string(source))> to <\(paths.string(target))>: \(reason)",
            at: SourceLocation(file: layer.identifier, primPath: paths.string(source)))
    }

    /// What is wrong with a relocation by itself.
    private static func flaw(_ source: Path, _ target: Path, _ paths: PathTable) -> String? {
        guard paths.kind(source) == .prim, paths.strippingVariants(source) == source else { return "the source is not a prim" }
        if paths.parent(source).isRoot { return "root prims cannot be relocated" }
        if target.isEmpty { return nil }
        guard paths.kind(target) == .prim, paths.strippingVariants(target) == target else { return "the target is not a prim" }
        if source == target { return "source and target are the same" }
        if paths.hasPrefix(source, target) { return "the target is above the source" }
        if paths.hasPrefix(target, source) { return "the target is below the source" }
        return nil
    }

    /// What is wrong with a relocation beside the others: sources and targets must be named as they are after all relocations
    /// of prims above, and each prim is moved once.
    private static func conflicts(
        _ source: Path, _ target: Path, _ authored: [Path: (target: Path, layer: USDLayer)], _ byTarget: [Path: [Path]], _ paths: PathTable
    ) -> [String] {
        var out: [String] = []
        if !target.isEmpty {
            let sources = byTarget[target]?.count ?? 0
            if sources > 1 { out.append("\(sources) prims are relocated there") }
            if authored[target] != nil { out.append("the target is itself relocated") }
            var up = paths.parent(target)
            while up.id > 1 {
                if authored[up] != nil { out.append("<\(paths.string(up))> above the target is relocated") }
                up = paths.parent(up)
            }
        }
        if byTarget[source] != nil { out.append("another prim is relocated to the source") }
        var up = paths.parent(source)
        while up.id > 1 {
            if authored[up] != nil { out.append("<\(paths.string(up))> above the source is relocated") }
            up = paths.parent(up)
        }
        return out
    }

    private static func findOrigin(_ target: Path, _ sources: [Path: Path], _ origins: inout [Path: Path], _ paths: PathTable) {
        // Iterative: relocations within relocations may be a long chain.
        var chain: [Path] = []
        var next: Path? = target
        while let t = next, origins[t] == nil, let source = sources[t], !chain.contains(t) {
            chain.append(t)
            next = nil
            var up = source
            while up.id > 1 {
                if sources[up] != nil {
                    next = up
                    break
                }
                up = paths.parent(up)
            }
        }
        for t in chain.reversed() {
            guard let source = sources[t] else { continue }
            origins[t] = source
            var up = source
            while up.id > 1 {
                if sources[up] != nil {
                    if let origin = origins[up] { origins[t] = paths.replacingPrefix(source, up, with: origin) ?? source }
                    break
                }
                up = paths.parent(up)
            }
        }
    }

    /// The mapping that relocations at and below a path make, for arcs to that path; identity where there are none.
    func map(at path: Path, _ maps: MapTable, _ paths: PathTable) -> MapID {
        guard movesBelow.contains(path) else { return MapTable.identity }
        if let map = known[path] { return map }
        var pairs: [PathPair] = []
        var have = Set<Path>()
        for (target, origin) in origins where paths.hasPrefix(origin, path) {
            pairs.append(PathPair(source: origin, target: target))
            have.insert(target)
        }
        let moved = Set(pairs.map(\.source))
        for (source, target) in targets where !target.isEmpty && paths.hasPrefix(source, path) && !have.contains(target) {
            if moved.contains(source) { continue }
            pairs.append(PathPair(source: source, target: target))
        }
        pairs.sort { $0.source.id < $1.source.id }
        let map = pairs.isEmpty ? MapTable.identity : maps.add(pairs, rootIdentity: true, offset: .identity)
        known[path] = map
        return map
    }
}
