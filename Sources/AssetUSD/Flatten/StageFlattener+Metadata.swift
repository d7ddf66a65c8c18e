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
        func weaker(_ body: (USDValue, FlattenSite) throws(AssetError) -> Void) throws(AssetError) {
            for site in sites[(k + 1)...] {
                if let raw = site.layer.field(site.spec, name) { try body(try raw.resolved(), site) }
            }
        }
        func flat<T: Hashable>(_ op: ListOp<T>, _ get: (USDValue) -> ListOp<T>?) throws(AssetError) -> ListOp<T> {
            var ops = [op]
            try weaker { (v, _) in
                if let op = get(v) { ops.append(op) }
            }
            var list: [T] = []
            for op in ops.reversed() { op.apply(to: &list) }
            return ListOp(explicit: list)
        }
        switch value {
        case .dictionary:
            guard case .dictionary(var merged)? = try localised(value, sites[k], place) else { return nil }
            try weaker { (v, site) throws(AssetError) in
                guard case .dictionary = v, case .dictionary(let d)? = try self.localised(v, site, place) else { return }
                merged = merged.merging(weaker: d)
            }
            return .dictionary(merged)
        case .tokenListOp(let op): return .tokenListOp(try flat(op) { if case .tokenListOp(let o) = $0 { o } else { nil } })
        case .stringListOp(let op): return .stringListOp(try flat(op) { if case .stringListOp(let o) = $0 { o } else { nil } })
        case .intListOp(let op): return .intListOp(try flat(op) { if case .intListOp(let o) = $0 { o } else { nil } })
        case .uintListOp(let op): return .uintListOp(try flat(op) { if case .uintListOp(let o) = $0 { o } else { nil } })
        case .int64ListOp(let op): return .int64ListOp(try flat(op) { if case .int64ListOp(let o) = $0 { o } else { nil } })
        case .uint64ListOp(let op): return .uint64ListOp(try flat(op) { if case .uint64ListOp(let o) = $0 { o } else { nil } })
        default: return try localised(value, sites[k], place)
        }
    }

    // MARK: Values out of their layer

    /// A value as it is to be written outside the layer that holds it: asset paths anchored, times moved by the layer's offset.
    /// Arrays that hold neither stay where they are.
    func localised(_ value: USDValue, _ site: FlattenSite, _ place: Place) throws(AssetError) -> USDValue? {
        switch value {
        case .deferred(let source, let representation):
            guard let shape = try source.arrayShape(representation) else { return try localised(value.resolved(), site, place) }
            switch shape.type {
            case .asset, .timeCode, .duration, .pathExpression: return try localised(value.resolved(), site, place)
            default: return value
            }
        case .asset(let path): return .asset(located(path, site).path)
        case .timeCode(let t): return .timeCode(stage.offset(place.prim, site.opinion).apply(t))
        case .duration(let t): return .duration(stage.offset(place.prim, site.opinion).scale * t)
        case .array(let array): return .array(localised(array, site, place))
        case .dictionary(let d):
            var out = d
            for i in out.entries.indices {
                if let v = try localised(out.entries[i].value, site, place) { out.entries[i].value = v }
            }
            return .dictionary(out)
        default: return value
        }
    }

    private func localised(_ array: USDArray, _ site: FlattenSite, _ place: Place) -> USDArray {
        switch (array.type, array.storage) {
        case (.asset, .string(var list)):
            for i in list.indices {
                let found = located(list[i], site)
                // OpenUSD goes no further where there is nothing to anchor.
                if found.isLast { break }
                list[i] = found.path
            }
            return USDArray(.asset, .string(list))
        case (.timeCode, .double(let times)):
            let offset = stage.offset(place.prim, site.opinion)
            return offset.isIdentity ? array : USDArray(.timeCode, .double(times.map { offset.apply($0) }))
        case (.duration, .double(let times)):
            let offset = stage.offset(place.prim, site.opinion)
            return offset.isIdentity ? array : USDArray(.duration, .double(times.map { offset.scale * $0 }))
        default: return array
        }
    }

    /// An asset path as it leads from the layer of a site, and whether it ends an array's anchoring.
    private func located(_ path: String, _ site: FlattenSite) -> (path: String, isLast: Bool) {
        guard ExpressionText.isExpression(path) else {
            return (anchor.anchored(path, in: site.layer.identifier), path.isEmpty || path.hasPrefix("anon:"))
        }
        switch variables(of: site).evaluateString(path) {
        case .success(let evaluated):
            let found = anchor.anchored(evaluated, in: site.layer.identifier)
            // What cannot be anchored stays the expression that it is.
            return (found == evaluated ? path : found, evaluated.isEmpty || evaluated.hasPrefix("anon:"))
        case .failure(let error):
            stage.ownDiagnostics.warning(
                "usd.bad-expression", "\(path): \(error.message)", at: SourceLocation(file: site.layer.identifier))
            return (path, false)
        }
    }

    private func variables(of site: FlattenSite) -> ExpressionVariables { stage.stacks.stacks[Int(site.stack)].variables }
}
