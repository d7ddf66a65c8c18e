import AssetIO
import AssetModel

/// References and payloads.
extension PrimIndexer {
    private struct Item: Hashable {
        /// The file, or the asset path where there is none; empty for the same layer stack.
        var asset: String
        var primPath: Path
        var offset: LayerOffset
    }

    private struct Origin {
        var entry: LayerStack.Entry
        var assetPath: String
        /// The path as written, which may be an expression.
        var authored: String
        var found: AssetLookup.Found?
        /// As written.
        var offset: LayerOffset
    }

    func evaluateReferences(_ build: PrimBuild, _ n: Int32) { evaluateReferences(build, n, .reference, .references) }

    func evaluateReferences(_ build: PrimBuild, _ n: Int32, _ arc: ArcType, _ field: Token) {
        let node = build.nodes[Int(n)]
        guard node.canContribute else { return }
        let stack = stacks.stacks[Int(node.stack)]
        var items: [Item] = []
        var origins: [Item: Origin] = [:]
        for (entry, value) in fields(node.stack, node.path, field).reversed() {
            let op: ListOp<Reference>
            switch value {
            case .referenceListOp(let o), .payloadListOp(let o): op = o
            default: continue
            }
            let translate: (Reference) -> Item? = { reference in
                var assetPath = reference.assetPath
                if ExpressionText.isExpression(assetPath) {
                    switch stack.variables.evaluateString(assetPath) {
                    case .success(let s): assetPath = s
                    case .failure(let e):
                        self.warn("usd.bad-expression", "\(self.name(of: arc)) \(assetPath): \(e.message)", node.stack)
                        return nil
                    }
                    // An expression without a value is no reference; one to the layer itself is written as such.
                    if assetPath.isEmpty { return nil }
                }
                var key = assetPath
                var found: AssetLookup.Found?
                if !assetPath.isEmpty {
                    found = self.cache.locate(assetPath, from: entry.index)
                    key = found?.path ?? "?" + assetPath
                }
                // What cannot be used is all one, and equal to itself.
                let offset = reference.layerOffset
                let item = Item(asset: key, primPath: reference.primPath, offset: offset.isUsable ? offset : LayerOffset(scale: 0))
                origins[item] = Origin(entry: entry, assetPath: assetPath, authored: reference.assetPath, found: found, offset: offset)
                return item
            }
            op.asItems(translate).apply(to: &items)
        }
        for (number, item) in items.enumerated() {
            guard let origin = origins[item] else { continue }
            addReference(build, n, arc, item, origin, number)
        }
    }

    private func addReference(_ build: PrimBuild, _ n: Int32, _ arc: ArcType, _ item: Item, _ origin: Origin, _ number: Int) {
        let node = build.nodes[Int(n)]
        let stack = stacks.stacks[Int(node.stack)]
        let layer = origin.entry.layer
        let role = name(of: arc)
        // An arc within the layer stack names no file.
        let shown = origin.assetPath.isEmpty ? role : "\(role) '\(origin.assetPath)'"
        let place = SourceLocation(file: layer.identifier, primPath: paths.string(stagePath))
        var offset = item.offset
        if !offset.isUsable {
            diagnostics.warning("usd.bad-layer-offset", "\(shown) \(origin.offset.complaint)", at: place)
            offset = .identity
        } else if !item.asset.isEmpty {
            // What lies in the same stack keeps its own layer's time.
            offset = origin.entry.offset.concatenating(inner: offset)
        }

        if arc == .payload, !options.loadPayloads {
            lose(arc, origin.assetPath, item.primPath, .unloaded)
            return
        }
        var target = stack
        if !item.asset.isEmpty {
            guard let found = origin.found else {
                stacks.missing.append((origin.assetPath, layer.identifier, paths.string(stagePath), role))
                lose(arc, origin.assetPath, item.primPath, .missing)
                let message = MissingAsset.message(
                    role, origin.assetPath, authored: origin.authored, stack.variables, namedBy: layer.identifier)
                diagnostics.warning("usd.missing-\(role)", message, at: place)
                return
            }
            switch cache.open(found.path) {
            case .failure(let failure):
                stacks.missing.append((origin.assetPath, layer.identifier, paths.string(stagePath), role))
                if case .notFound = failure {
                    lose(arc, origin.assetPath, item.primPath, .missing)
                } else {
                    lose(arc, origin.assetPath, item.primPath, .unreadable)
                }
                diagnostics.add(failure.diagnostic("usd.bad-\(role)", "\(role) '\(origin.assetPath)'", place))
                return
            case .success(let index):
                if let w = found.warning(origin.assetPath, at: place) { diagnostics.add(w) }
                target = stacks.stack(root: index, outer: stack.variables, role: role)
            }
            // Of the layer that names it: what its sublayer arc scales is in the offset already.
            if target.timeCodesPerSecond != layer.timeCodesPerSecond, target.timeCodesPerSecond != 0 {
                offset.scale = offset.scale * layer.timeCodesPerSecond / target.timeCodesPerSecond
            }
        }

        var path = item.primPath
        if path.isEmpty {
            guard let p = defaultPrim(of: target.rootLayer) else {
                diagnostics.warning(
                    "usd.no-default-prim", "\(shown) names no prim, and \(target.rootLayer.identifier) has no default prim",
                    at: place)
                lose(arc, origin.assetPath, .empty, .missing)
                return
            }
            path = p
        }
        guard paths.kind(path) == .prim, paths.strippingVariants(path) == path else {
            diagnostics.warning("usd.bad-prim-path", "\(role) to <\(paths.string(path))>, expected the path of a prim", at: place)
            return
        }
        let here = paths.strippingVariants(node.path)
        // An arc within the layer stack reaches everything there: only what it moves gets another place.
        let map = map(from: path, to: here, node.stack, rootIdentity: item.asset.isEmpty, offset: offset)
        var new = NewArc(type: arc, parent: n, origin: n, stack: target.index, path: path, map: map, sibling: number)
        new.isAncestral = !paths.parent(path).isRoot
        let added = addArc(build, new)
        if added >= 0 {
            build.unresolved.append(
                (added, layer, "usd.unresolved-prim", "\(shown) to <\(paths.string(path))>, which has no prim there"))
        }
    }

    /// The prim that `defaultPrim` names: a root prim's name, or the path of any prim.
    func defaultPrim(of layer: USDLayer) -> Path? {
        let name: String
        switch layer.value(0, .defaultPrim) {
        case .token(let t)?: name = session.string(t)
        case .string(let s)?: name = s
        default: return nil
        }
        if name.isEmpty { return nil }
        guard let path = paths.parse(name.hasPrefix("/") ? name : "/" + name), paths.kind(path) == .prim else { return nil }
        return path
    }

    /// Tells of arcs to prims that no layer knows.
    func reportUnresolved(_ build: PrimBuild) {
        if build.unresolved.isEmpty { return }
        for (n, layer, code, message) in build.unresolved {
            var hasSpecs = false
            for i in Int(n)..<build.nodes.count where build.nodes[i].hasSpecs && build.nodes.isAncestor(n, of: Int32(i)) {
                hasSpecs = true
                break
            }
            if !hasSpecs {
                diagnostics.warning(code, message, at: SourceLocation(file: layer.identifier, primPath: paths.string(stagePath)))
            }
        }
        build.unresolved.removeAll(keepingCapacity: true)
    }
}

extension ListOp {
    /// The same edits of translated items.
    func asItems<Other: Hashable>(_ translate: (Item) -> Other?) -> ListOp<Other> {
        var out = ListOp<Other>()
        out.isExplicit = isExplicit
        if isExplicit {
            out.explicit = explicit.compactMap(translate)
            return out
        }
        out.deleted = deleted.compactMap(translate)
        out.added = added.compactMap(translate)
        out.prepended = prepended.compactMap(translate)
        out.appended = appended.compactMap(translate)
        out.ordered = ordered.compactMap(translate)
        return out
    }
}
