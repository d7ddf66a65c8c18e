public import AssetModel

extension Stage {
    // MARK: Prim metadata

    /// Composed metadata of a prim: the strongest opinion; list ops are applied, dictionaries merged.
    public func metadata(_ prim: StagePrim, _ name: Token) -> USDValue? {
        switch name {
        case .specifier: return .specifier(specifier(prim))
        case .typeName: return typeName(prim).isEmpty ? nil : .token(typeName(prim))
        default: break
        }
        return compose(prim, name) { o, _ in o.spec }
    }

    /// The applied API schemas, in order, instance names included (`CollectionAPI:plasticStuff`).
    public func apiSchemas(_ prim: StagePrim) -> [Token] {
        guard case .tokenListOp(let op)? = metadata(prim, .apiSchemas) else { return [] }
        var list: [Token] = []
        op.apply(to: &list)
        return list
    }

    // MARK: Property metadata

    /// Composed metadata of a property (`interpolation`, `elementSize`, `typeName`, `variability`, `custom`, …).
    public func metadata(_ prim: StagePrim, _ property: Token, _ name: Token) -> USDValue? {
        switch name {
        case .targetPaths, .connectionPaths:
            let kind: Token = name
            guard hasProperty(prim, property) else { return nil }
            return .paths(composedTargets(prim, property, kind))
        case .custom, .variability:
            return weakest(prim, property, name)
        default: break
        }
        return compose(prim, name) { o, layer in self.propertySpec(layer, o.spec, property) }
    }

    /// The weakest spec decides whether a property is custom, and whether an attribute may vary. Where it does not say, it is
    /// not custom and varies if it is an attribute.
    private func weakest(_ prim: StagePrim, _ property: Token, _ name: Token) -> USDValue? {
        for k in opinionRange(prim).reversed() {
            let layer = cache.layers[Int(opinions[k].layer)]
            guard let spec = propertySpec(layer, opinions[k].spec, property) else { continue }
            if let value = layer.field(spec, name) { return try? value.resolved() }
            return name == .variability && layer.specs[Int(spec)].kind == .relationship ? .variability(.uniform) : nil
        }
        return nil
    }

    /// Combines a field over the opinions that `specOf` picks.
    private func compose(_ prim: StagePrim, _ name: Token, _ specOf: (Opinion, USDLayer) -> SpecIndex?) -> USDValue? {
        var first: USDValue?
        var rest: [USDValue] = []
        for k in opinionRange(prim) {
            let o = opinions[k]
            let layer = cache.layers[Int(o.layer)]
            guard let spec = specOf(o, layer), let raw = layer.field(spec, name) else { continue }
            let value: USDValue
            do throws(AssetError) {
                value = try raw.resolved()
            } catch {
                ownDiagnostics.add(Self.damaged(error))
                continue
            }
            if first == nil {
                switch value {
                case .dictionary, .tokenListOp, .stringListOp, .pathListOp, .intListOp, .uintListOp, .int64ListOp, .uint64ListOp,
                    .variantSelections:
                    first = mapped(value, prim, o)
                default: return mapped(value, prim, o)
                }
            } else {
                rest.append(mapped(value, prim, o))
            }
        }
        guard let first else { return nil }
        switch first {
        case .dictionary(var merged):
            for v in rest {
                if case .dictionary(let weaker) = v { merged = merged.merging(weaker: weaker) }
            }
            return .dictionary(merged)
        case .variantSelections(var list):
            for case .variantSelections(let weaker) in rest {
                for s in weaker where !list.contains(where: { $0.set == s.set }) { list.append(s) }
            }
            return .variantSelections(list)
        case .tokenListOp(let op): return .tokenListOp(Self.flatten(op, rest) { if case .tokenListOp(let o) = $0 { o } else { nil } })
        case .stringListOp(let op): return .stringListOp(Self.flatten(op, rest) { if case .stringListOp(let o) = $0 { o } else { nil } })
        case .pathListOp(let op): return .pathListOp(Self.flatten(op, rest) { if case .pathListOp(let o) = $0 { o } else { nil } })
        case .intListOp(let op): return .intListOp(Self.flatten(op, rest) { if case .intListOp(let o) = $0 { o } else { nil } })
        case .uintListOp(let op): return .uintListOp(Self.flatten(op, rest) { if case .uintListOp(let o) = $0 { o } else { nil } })
        case .int64ListOp(let op): return .int64ListOp(Self.flatten(op, rest) { if case .int64ListOp(let o) = $0 { o } else { nil } })
        case .uint64ListOp(let op): return .uint64ListOp(Self.flatten(op, rest) { if case .uint64ListOp(let o) = $0 { o } else { nil } })
        default: return first
        }
    }

    /// The list that edits of all strengths make, as an explicit list.
    private static func flatten<T: Hashable>(_ strongest: ListOp<T>, _ weaker: [USDValue], _ get: (USDValue) -> ListOp<T>?) -> ListOp<T> {
        var list: [T] = []
        for v in weaker.reversed() { get(v)?.apply(to: &list) }
        strongest.apply(to: &list)
        return ListOp(explicit: list)
    }

    private func mapped(_ value: USDValue, _ prim: StagePrim, _ o: Opinion) -> USDValue {
        guard case .pathListOp(let op) = value else {
            switch value {
            case .dictionary, .timeCode, .duration, .array: return offsetTimeCodes(value, offset(prim, o)) ?? value
            default: return value
            }
        }
        let f = mapToRoot(prim, o)
        return .pathListOp(
            op.asItems { path in
                let p = self.maps.toTarget(f, self.paths.strippingVariants(path))
                return p.isEmpty ? nil : self.translate(p, for: prim)
            })
    }

    static func damaged(_ error: AssetError) -> Diagnostic {
        var d = error.diagnostic
        d.severity = .warning
        return d
    }

    // MARK: Variants

    public func variantSets(_ prim: StagePrim) -> [VariantSet] {
        let h = holder(prim)
        guard prims[h].nodeCount > 0 else { return [] }
        // Sites count that have no other say: placeholders, and what an instance overrides below itself.
        guard hasField(prim, .variantSetNames) || self.tree(h).contains(where: { $0.isInert && $0.hasSpecs }) else { return [] }
        let tree = NodeArray(tree(h))
        let order = tree.strengthOrder()
        // A list of one node does not undo another's.
        var sets: [Token] = []
        for n in order where tree[Int(n)].hasSpecs {
            for set in indexer.variantSetNames(tree[Int(n)].stack, tree[Int(n)].path) where !sets.contains(set) { sets.append(set) }
        }
        return sets.map { set in
            // In the order of their bytes, as OpenUSD lists them.
            var choices: Set<Token> = []
            for node in tree {
                indexer.forEachSpec(node) { entry, spec in
                    let layer = entry.layer
                    for s in layer.children(layer.specs[Int(spec)].variantChildren) where layer.specs[Int(s)].kind == .variantSet {
                        let setSpec = layer.specs[Int(s)]
                        guard paths.name(setSpec.path) == set else { continue }
                        for v in layer.children(setSpec.variantChildren) { choices.insert(paths.variantName(layer.specs[Int(v)].path)) }
                    }
                }
            }
            let names = choices.map { session.string($0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return VariantSet(name: session.string(set), selection: selection(tree, order, set), choices: names)
        }
    }

    /// The variant that the prim has, not what may be authored besides.
    private func selection(_ tree: NodeArray, _ order: [Int32], _ set: Token) -> String {
        for n in order {
            let p = tree[Int(n)].path
            if paths.kind(p) == .variantSelection, paths.name(p) == set { return session.string(paths.variantName(p)) }
        }
        return ""
    }
}

extension USDDictionary {
    /// This dictionary with the keys of a weaker one that it does not have, dictionaries within likewise.
    func merging(weaker: USDDictionary, depth: Int = 0) -> USDDictionary {
        var out = self
        guard depth < 64 else { return out }
        var index: [String: Int] = [:]
        for (i, e) in entries.enumerated() { index[e.key] = i }
        for (key, value) in weaker.entries {
            if let i = index[key] {
                if case .dictionary(let a) = out.entries[i].value, case .dictionary(let b) = value {
                    out.entries[i].value = .dictionary(a.merging(weaker: b, depth: depth + 1))
                }
            } else {
                out.entries.append((key, value))
            }
        }
        return out
    }
}
