import AssetModel

extension StageFlattener {
    /// Copies what the sites of one prim or property say, strongest first; values and arcs not.
    func copyFields(_ sites: [FlattenSite], _ kind: FlattenFields.Kinds, _ place: Place, to spec: SpecIndex) throws(AssetError) {
        for (k, site) in sites.enumerated() {
            let range = site.layer.specs[Int(site.spec)].fields
            for f in Int(range.lowerBound)..<Int(range.upperBound) {
                let name = site.layer.fields[f].name
                guard fields.has(name, kind), k == 0 || builder.field(spec, name) == nil else { continue }
                if let value = try compose(name, site.layer.fields[f].value, sites, k, place) { builder.append(spec, name, value) }
            }
        }
    }

    /// The value of a field whose strongest opinion is that of `sites[k]`: dictionaries are merged, list edits applied.
    private func compose(
        _ name: Token, _ strongest: USDValue, _ sites: [FlattenSite], _ k: Int, _ place: Place
    ) throws(AssetError) -> USDValue? {
        let value = try strongest.resolved()
        // A value of a type that the field does not have.
        if case .unregistered = value { return nil }
        func weaker(_ body: (USDValue, FlattenSite) throws(AssetError) -> Void) throws(AssetError) {
            for site in sites[(k + 1)...] {
                if let raw = site.layer.field(site.spec, name) { try body(try raw.resolved(), site) }
            }
        }
        switch value {
        case .dictionary:
            guard case .dictionary(var merged)? = try localised(value, sites[k], place) else { return nil }
            try weaker { (v, site) throws(AssetError) in
                guard case .dictionary = v, case .dictionary(let d)? = try self.localised(v, site, place) else { return }
                merged = merged.merging(weaker: d)
            }
            return .dictionary(merged.withoutWeaker())
        case _ where value.isCombined:
            var below: [USDValue] = []
            try weaker { (v, _) in below.append(v) }
            return value.combined(over: below)
        default: return try localised(value, sites[k], place)
        }
    }

    // MARK: Values out of their layer

    /// A value as it is to be written outside the layer that holds it: asset paths anchored, times moved by the layer's offset,
    /// path expressions in the stage's namespace. Arrays that hold none of these stay where they are.
    ///
    /// - Parameter isDefault: for the default of an attribute.
    func localised(
        _ value: USDValue, _ site: FlattenSite, _ place: Place, isDefault: Bool = false
    ) throws(AssetError) -> USDValue? {
        switch value {
        case .deferred(let source, let representation):
            guard let shape = try source.arrayShape(representation) else {
                return try localised(value.resolved(), site, place, isDefault: isDefault)
            }
            switch shape.type {
            case .asset, .timeCode, .duration, .pathExpression: return try localised(value.resolved(), site, place, isDefault: isDefault)
            default: return value
            }
        case .asset(let path): return .asset(located(path, site.layer, site.stack).path)
        case .timeCode(let t): return .timeCode(offset(site, place).apply(t))
        case .duration(let t): return .duration(offset(site, place).scale * t)
        case .pathExpression(let text): return .pathExpression(mapped(text, site, place, isDefault))
        case .array(let array):
            switch (array.type, array.storage) {
            case (.asset, .string(let list)):
                return .array(USDArray(.asset, .string(located(list, site.layer, site.stack, stops: isDefault))))
            case (.timeCode, .double(let times)):
                let offset = offset(site, place)
                return offset.isIdentity ? value : .array(USDArray(.timeCode, .double(times.map { offset.apply($0) })))
            case (.duration, .double(let times)):
                let offset = offset(site, place)
                return offset.isIdentity ? value : .array(USDArray(.duration, .double(times.map { offset.scale * $0 })))
            case (.pathExpression, .string(let list)):
                return .array(USDArray(.pathExpression, .string(list.map { mapped($0, site, place, isDefault) })))
            default: return value
            }
        case .dictionary(let d):
            var out = d
            for i in out.entries.indices {
                if let v = try localised(out.entries[i].value, site, place) { out.entries[i].value = v }
            }
            return .dictionary(out)
        default: return value
        }
    }

    /// From the layer's time to the stage's.
    func offset(_ site: FlattenSite, _ place: Place) -> LayerOffset { stage.offset(place.prim, site.opinion) }

    /// From the layer's time to the stage's for the times of samples and splines: OpenUSD takes little for nothing there, not so for
    /// values that are times.
    func timing(_ site: FlattenSite, _ place: Place) -> LayerOffset {
        let offset = offset(site, place)
        return offset.isNegligible ? .identity : offset
    }

    // MARK: Asset paths

    /// The asset paths of an array.
    ///
    /// - Parameter stops: in a default OpenUSD goes no further than to a path that cannot be anchored.
    func located(_ list: [String], _ layer: USDLayer, _ stack: StackIndex, stops: Bool) -> [String] {
        var list = list
        for i in list.indices {
            let found = located(list[i], layer, stack)
            if stops, found.isLast { break }
            list[i] = found.path
        }
        return list
    }

    /// An asset path as it leads from a layer, and whether it ends an array's anchoring.
    func located(_ path: String, _ layer: USDLayer, _ stack: StackIndex) -> (path: String, isLast: Bool) {
        guard ExpressionText.isExpression(path) else {
            return (anchor.anchored(path, in: layer.identifier), path.isEmpty || path.hasPrefix("anon:"))
        }
        switch stage.stacks.stacks[Int(stack)].variables.evaluateString(path) {
        case .success(let evaluated):
            let found = anchor.anchored(evaluated, in: layer.identifier)
            // What cannot be anchored stays the expression that it is.
            return (found == evaluated ? path : found, evaluated.isEmpty || evaluated.hasPrefix("anon:"))
        case .failure(let error):
            stage.ownDiagnostics.warning("usd.bad-expression", "\(path): \(error.message)", at: SourceLocation(file: layer.identifier))
            return (path, false)
        }
    }

    // MARK: Path expressions

    /// A path expression of a site in the namespace that is written. Of a default relative patterns are absolute once they are
    /// read from text; anywhere else they stay relative.
    private func mapped(_ text: String, _ site: FlattenSite, _ place: Place, _ isDefault: Bool) -> String {
        let f = stage.mapToRoot(place.prim, site.opinion)
        let isAnchored = isDefault && site.layer.encoding == "usda"
        if f == MapTable.identity, place.from == nil, !isAnchored { return text }
        guard let expression = PathExpression(text) else { return text }
        let anchor = isAnchored ? paths.strippingVariants(paths.primPath(site.layer.specs[Int(site.spec)].path)) : nil
        let mapped = expression.mapped(paths, anchor: anchor, keepsRelative: stage.maps.hasRootIdentity(f)) { path in
            let target = f == MapTable.identity ? path : self.stage.maps.toTarget(f, path)
            return target.isEmpty ? target : self.mapped(target, place)
        }
        return mapped.text
    }
}
