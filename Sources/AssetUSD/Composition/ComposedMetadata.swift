public import AssetModel

extension Stage {
    // MARK: Prim metadata

    /// Composed metadata of a prim: the strongest opinion. Edits of numbers, strings and tokens are combined with weaker ones,
    /// dictionaries merged; those of paths, references and payloads are the strongest layer's as they stand there.
    public func metadata(_ prim: StagePrim, _ name: Token) -> USDValue? {
        switch name {
        case .specifier: return .specifier(specifier(prim))
        case .typeName: return typeName(prim).isEmpty ? nil : .token(typeName(prim))
        default: break
        }
        return compose(prim, name) { o, _ in o.spec }
    }

    /// The applied API schemas, in order, instance names included (`CollectionAPI:plasticStuff`). Every edit counts for them,
    /// those too that the field's own value passes over.
    public func apiSchemas(_ prim: StagePrim) -> [Token] {
        var list: [Token] = []
        for k in opinionRange(prim).reversed() {
            guard let raw = cache.layers[Int(opinions[k].layer)].field(opinions[k].spec, .apiSchemas) else { continue }
            do throws(AssetError) {
                if case .tokenListOp(let op) = try raw.resolved() { op.apply(to: &list) }
            } catch {
                ownDiagnostics.add(Self.damaged(error))
            }
        }
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
                first = placed(value, prim, o)
                switch value {
                case .dictionary: break
                default: if !value.isCombined { return first }
                }
            } else {
                rest.append(placed(value, prim, o))
            }
        }
        guard case .dictionary(var merged)? = first else { return first?.combined(over: rest) }
        for case .dictionary(let weaker) in rest { merged = merged.merging(weaker: weaker) }
        return .dictionary(merged.withoutWeaker())
    }

    /// A metadata value as it counts on the stage.
    private func placed(_ value: USDValue, _ prim: StagePrim, _ o: Opinion) -> USDValue {
        switch value {
        case .dictionary, .array, .timeCode, .duration, .asset, .pathExpression:
            placed(offsetTimeCodes(value, offset(prim, o)) ?? value, prim, o, isDefault: false)
        default: value
        }
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
    /// This dictionary with the keys of a weaker one that it does not have; dictionaries and path expressions within go on top
    /// of the weaker ones.
    func merging(weaker: USDDictionary, depth: Int = 0) -> USDDictionary {
        var out = self
        guard depth < 64 else { return out }
        var index: [String: Int] = [:]
        for (i, e) in entries.enumerated() { index[e.key] = i }
        for (key, value) in weaker.entries {
            guard let i = index[key] else {
                out.entries.append((key, value))
                continue
            }
            switch (out.entries[i].value, value) {
            case (.dictionary(let a), .dictionary(let b)): out.entries[i].value = .dictionary(a.merging(weaker: b, depth: depth + 1))
            case (.pathExpression(let a), .pathExpression(let b)):
                if let e = PathExpression(a), e.refersToWeaker, let below = PathExpression(b) {
                    out.entries[i].value = .pathExpression(e.composed(over: below).text)
                }
            default: break
            }
        }
        return out
    }

    /// Path expressions that refer to a weaker one where none is: that matches nothing.
    func withoutWeaker(depth: Int = 0) -> USDDictionary {
        var out = self
        guard depth < 64 else { return out }
        for i in out.entries.indices {
            switch out.entries[i].value {
            case .dictionary(let inner): out.entries[i].value = .dictionary(inner.withoutWeaker(depth: depth + 1))
            case .pathExpression(let text):
                if let e = PathExpression(text), e.refersToWeaker { out.entries[i].value = .pathExpression(e.composed(over: nil).text) }
            default: break
            }
        }
        return out
    }
}
