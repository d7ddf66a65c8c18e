import AssetModel

/// The relocations of a layer stack (`relocates` in the layers' metadata), strongest layer first.
final class RelocationTable {
    /// Source → target; `.empty` deletes the source.
    let targets: [Path: Path]
    /// Target → source.
    let sources: [Path: Path]

    /// Nil where no layer relocates anything.
    init?(_ layers: [USDLayer], paths: PathTable, _ diagnostics: inout Diagnostics) {
        var targets: [Path: Path] = [:]
        var sources: [Path: Path] = [:]
        for layer in layers {
            let field = layer.value(0, .layerRelocates) ?? layer.value(0, .relocates)
            guard case .relocates(let list)? = field else { continue }
            for (source, target) in list {
                if let reason = Self.flaw(source, target, paths) {
                    diagnostics.warning(
                        "usd.bad-relocate", "relocation of \(paths.string(source)) to \(paths.string(target)): \(reason)",
                        at: SourceLocation(file: layer.identifier, primPath: "/"))
                    continue
                }
                if targets[source] != nil { continue }
                targets[source] = target
            }
        }
        if targets.isEmpty { return nil }
        // Two sources for one target, a target that is itself a source of another name, and the like make both invalid.
        var byTarget: [Path: [Path]] = [:]
        for (s, t) in targets where !t.isEmpty { byTarget[t, default: []].append(s) }
        for (t, s) in byTarget where s.count > 1 {
            for source in s { targets[source] = nil }
            diagnostics.warning(
                "usd.bad-relocate", "\(s.count) prims are relocated to \(paths.string(t))",
                at: SourceLocation(file: layers[0].identifier, primPath: paths.string(t)))
        }
        for (s, t) in targets where !t.isEmpty { sources[t] = s }
        // A source must be named as it is after the relocations of its ancestors: a target that is a source as well, or a
        // source below another's source, is named by a path that no longer exists.
        for (s, t) in targets {
            var bad = false
            if targets[t] != nil, !t.isEmpty { bad = true }
            if sources[s] != nil { bad = true }
            var up = paths.parent(s)
            while up.id > 1 {
                if targets[up] != nil { bad = true }
                up = paths.parent(up)
            }
            up = t.isEmpty ? .root : paths.parent(t)
            while up.id > 1 {
                if targets[up] != nil { bad = true }
                up = paths.parent(up)
            }
            if bad {
                diagnostics.warning(
                    "usd.bad-relocate", "relocation of \(paths.string(s)) conflicts with another one",
                    at: SourceLocation(file: layers[0].identifier, primPath: paths.string(s)))
                targets[s] = nil
                if !t.isEmpty, sources[t] == s { sources[t] = nil }
            }
        }
        self.targets = targets
        self.sources = sources
    }

    private static func flaw(_ source: Path, _ target: Path, _ paths: PathTable) -> String? {
        guard paths.kind(source) == .prim, paths.strippingVariants(source) == source else { return "the source is not a prim" }
        if paths.parent(source).isRoot { return "root prims cannot be relocated" }
        if target.isEmpty { return nil }
        guard paths.kind(target) == .prim, paths.strippingVariants(target) == target else { return "the target is not a prim" }
        if source == target { return "source and target are the same" }
        if paths.hasPrefix(source, target) { return "the target is above the source" }
        if paths.hasPrefix(target, source) { return "the target is below the source" }
        if paths.parent(target).isRoot { return "the target is a root prim" }
        return nil
    }

    /// The mapping that relocations at and below a path make, for arcs to that path; identity where there are none.
    func map(at path: Path, _ maps: MapTable, _ paths: PathTable) -> MapID {
        var pairs: [PathPair] = []
        for (s, t) in targets where paths.hasPrefix(s, path) {
            pairs.append(PathPair(source: s, target: t))
        }
        if pairs.isEmpty { return MapTable.identity }
        return maps.add(pairs, rootIdentity: true, offset: .identity)
    }
}
