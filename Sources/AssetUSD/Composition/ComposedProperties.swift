import AssetModel

extension Stage {
    /// The spec of a property below a prim's spec.
    @inline(__always)
    func propertySpec(_ layer: USDLayer, _ primSpec: SpecIndex, _ name: Token) -> SpecIndex? {
        let range = layer.view.specs[Int(primSpec)].properties
        if range.count > Self.manyProperties { return layer.spec(at: paths.property(layer.specs[Int(primSpec)].path, name)) }
        let spec = layer.view.property(primSpec, name)
        return spec < 0 ? nil : spec
    }

    /// Above this number of properties a look-up by path is quicker than by name among them.
    private static var manyProperties: Int { 64 }

    /// The spec of a property below an opinion's spec, -1 where there is none.
    @inline(__always)
    func property(_ o: Opinion, _ view: LayerView, _ name: Token) -> SpecIndex {
        if view.specs[Int(o.spec)].properties.count > Self.manyProperties {
            return propertySpec(cache.layers[Int(o.layer)], o.spec, name) ?? -1
        }
        return view.property(o.spec, name)
    }

    func mapToRoot(_ prim: StagePrim, _ o: Opinion) -> MapID {
        let r = prims[holder(prim)]
        return r.nodeCount == 0 ? MapTable.identity : nodes[Int(r.nodeStart + o.node)].mapToRoot
    }

    /// From a layer's time to the stage's.
    func offset(_ prim: StagePrim, _ o: Opinion) -> LayerOffset {
        let r = prims[holder(prim)]
        let stack = stacks.stacks[r.nodeCount == 0 ? 0 : Int(nodes[Int(r.nodeStart + o.node)].stack)]
        let inner = stack.entries[Int(o.entry)].offset
        if r.nodeCount == 0 { return inner }
        return maps.offset(nodes[Int(r.nodeStart + o.node)].mapToRoot).concatenating(inner: inner)
    }

    public func hasProperty(_ prim: StagePrim, _ name: Token) -> Bool { propertyKind(prim, name) != nil }

    /// `.attribute` or `.relationship`, by the strongest spec; nil where there is none.
    public func propertyKind(_ prim: StagePrim, _ name: Token) -> SpecKind? {
        for k in opinionRange(prim) {
            let layer = cache.views[Int(opinions[k].layer)]
            let spec = property(opinions[k], layer, name)
            if spec >= 0 { return layer.specs[Int(spec)].kind }
        }
        return nil
    }

    /// Calls `body` with the name of each composed property, once, in any order.
    func forEachPropertyName(_ prim: StagePrim, _ body: (Token) -> Void) {
        let range = opinionRange(prim)
        var total = 0
        for k in range { total += cache.views[Int(opinions[k].layer)].specs[Int(opinions[k].spec)].properties.count }
        // Comparing all with all is only for few.
        guard range.count == 1 || total < 100 else { return composedPropertyNames(prim).forEach(body) }
        for k in range {
            let view = cache.views[Int(opinions[k].layer)]
            let properties = view.specs[Int(opinions[k].spec)].properties
            for c in Int(properties.lowerBound)..<Int(properties.upperBound) {
                let name = view.childNames[c]
                var isKnown = false
                for stronger in range.lowerBound..<k where !isKnown {
                    isKnown = cache.views[Int(opinions[stronger].layer)].property(opinions[stronger].spec, name) >= 0
                }
                if !isKnown { body(name) }
            }
        }
    }

    func composedPropertyNames(_ prim: StagePrim) -> [Token] {
        var names: [Token] = []
        let range = opinionRange(prim)
        var have = Set<Token>()
        for k in range.reversed() {
            let layer = cache.views[Int(opinions[k].layer)]
            let properties = layer.specs[Int(opinions[k].spec)].properties
            for c in Int(properties.lowerBound)..<Int(properties.upperBound) {
                let name = layer.childNames[c]
                if range.count == 1 || have.insert(name).inserted { names.append(name) }
            }
        }
        if names.count > 1 { sortByName(&names) }
        for k in range {
            let layer = cache.layers[Int(opinions[k].layer)]
            if case .tokens(let order)? = layer.value(opinions[k].spec, .propertyOrder) {
                applyOrder(order, to: &names)
                break
            }
        }
        return names
    }

    /// Sorts as OpenUSD sorts property names: numbers by value, letters without case first.
    func sortByName(_ names: inout [Token]) {
        names.sort { a, b in dictionaryLess(session.string(a), session.string(b)) }
    }

    func composedTargets(_ prim: StagePrim, _ property: Token, _ field: Token) -> [Path] {
        var list: [Path] = []
        for k in opinionRange(prim).reversed() {
            let o = opinions[k]
            let layer = cache.layers[Int(o.layer)]
            guard let spec = propertySpec(layer, o.spec, property), case .pathListOp(let op)? = layer.value(spec, field) else { continue }
            let f = mapToRoot(prim, o)
            op.apply(to: &list) { path in
                let plain = self.paths.strippingVariants(path)
                let p = f == MapTable.identity ? plain : self.maps.toTarget(f, plain)
                if p.isEmpty {
                    self.ownDiagnostics.warning(
                        "usd.target-outside-arc",
                        "\(self.session.string(property)) targets <\(self.paths.string(path))>, which the arc that holds it does not bring in",
                        at: SourceLocation(file: layer.identifier, primPath: self.paths.string(self.path(prim))))
                    return nil
                }
                return p
            }
        }
        if prims[Int(prim.index)].instanceRoot >= 0 { return list.map { translate($0, for: prim) } }
        return list
    }

    /// The one target of a relationship that a single opinion targets plainly; nil where more is to be said, then `targets`
    /// is to be asked.
    func plainTarget(_ prim: StagePrim, _ relationship: Token) -> Path? {
        let record = prims[holder(prim)]
        let start = Int(record.opinionStart)
        var only: (opinion: Opinion, field: PackedField)?
        for k in start..<(start + Int(record.opinionCount)) {
            let view = cache.views[Int(opinions[k].layer)]
            let spec = property(opinions[k], view, relationship)
            if spec < 0 { continue }
            let f = view.find(spec, .targetPaths)
            if f < 0 { continue }
            if only != nil { return nil }
            only = (opinions[k], view.fields[f])
        }
        guard let only else { return nil }
        let layer = Int(only.opinion.layer)
        var path: Path?
        switch only.field.form {
        case .path: path = Path(id: Int32(truncatingIfNeeded: only.field.payload))
        case .source: path = cache.layers[layer].store.source?.singlePath(only.field.payload)
        case .other:
            if case .pathListOp(let op) = cache.layers[layer].store.value(only.field), op.appended.isEmpty, op.deleted.isEmpty, op.added.isEmpty,
                op.ordered.isEmpty
            {
                let list = op.isExplicit ? op.explicit : op.prepended
                if list.count == 1 { path = list[0] }
            }
        default: return nil
        }
        guard let path, paths.kind(path) == .prim else { return nil }
        let f = mapToRoot(prim, only.opinion)
        let plain = paths.strippingVariants(path)
        let mapped = f == MapTable.identity ? plain : maps.toTarget(f, plain)
        if mapped.isEmpty { return nil }
        return prims[Int(prim.index)].instanceRoot >= 0 ? translate(mapped, for: prim) : mapped
    }

    /// Targets with relationships among them followed to what they target.
    public func forwardedTargets(_ prim: StagePrim, _ relationship: Token) -> [Path] {
        var out: [Path] = []
        var seen = Set<Path>()
        var have = Set<Path>()
        // Depth first, in order; iterative, as chains may be long or lead back.
        var stack = Array(targets(prim, relationship).reversed())
        seen.insert(paths.property(path(prim), relationship))
        while let p = stack.popLast() {
            if paths.kind(p) == .property, let owner = self.prim(at: paths.parent(p)),
                propertyKind(owner, paths.name(p)) == .relationship
            {
                if seen.insert(p).inserted { stack.append(contentsOf: targets(owner, paths.name(p)).reversed()) }
                continue
            }
            if have.insert(p).inserted { out.append(p) }
        }
        return out
    }
}

/// OpenUSD's order of names (`TfDictionaryLessThan`): letters regardless of case, runs of digits by their number; where
/// that is equal, upper case first and leading zeros first.
func dictionaryLess(_ a: String, _ b: String) -> Bool {
    var a = a
    var b = b
    return a.withUTF8 { x in b.withUTF8 { y in dictionaryOrder(x, y) < 0 } }
}

private func dictionaryOrder(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    func isDigit(_ c: UInt8) -> Bool { c >= 48 && c <= 57 }
    func lower(_ c: UInt8) -> UInt8 { c >= 65 && c <= 90 ? c + 32 : c }
    var i = 0
    var j = 0
    /// The first difference that only counts where all else is equal.
    var tie = 0
    while i < a.count, j < b.count {
        if isDigit(a[i]), isDigit(b[j]) {
            var p = i
            var q = j
            while p < a.count, a[p] == 48 { p += 1 }
            while q < b.count, b[q] == 48 { q += 1 }
            var m = p
            var n = q
            while m < a.count, isDigit(a[m]) { m += 1 }
            while n < b.count, isDigit(b[n]) { n += 1 }
            if m - p != n - q { return (m - p) - (n - q) }
            for k in 0..<(m - p) where a[p + k] != b[q + k] { return Int(a[p + k]) - Int(b[q + k]) }
            if tie == 0 { tie = (q - j) - (p - i) }
            i = m
            j = n
            continue
        }
        let x = lower(a[i])
        let y = lower(b[j])
        if x != y { return Int(x) - Int(y) }
        if tie == 0 { tie = Int(a[i]) - Int(b[j]) }
        i += 1
        j += 1
    }
    if a.count - i != b.count - j { return (a.count - i) - (b.count - j) }
    return tie
}
