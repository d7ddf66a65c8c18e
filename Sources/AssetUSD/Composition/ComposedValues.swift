import AssetModel

/// Values that weaker ones show through: edits of arrays, and path expressions that refer to the weaker one.
extension Stage {
    /// The value of a source at a time, and the opinion that holds it; clips are no opinion.
    func value(of source: ValueSource, _ prim: StagePrim, _ attribute: Token, at time: EvalTime) -> (value: USDValue?, opinion: Opinion?) {
        switch source {
        case .default(let o, _, let value):
            return (anchored(offsetTimeCodes(resolvedUnlessArray(value), offset(prim, o)), prim, o, isDefault: true), o)
        case .samples(let o, _, let samples):
            let offset = offset(prim, o)
            let value = offsetTimeCodes(interpolated(samples, layerTime(time, offset, samples.times)), offset)
            return (anchored(value, prim, o, isDefault: false), o)
        case .spline(let o, _, let spline):
            let offset = offset(prim, o)
            let t: Double
            switch time {
            case .at(let x): t = offset.isIdentity ? x : offset.inverse.apply(x)
            default: t = spline.knots.first?.time ?? 0
            }
            return (offsetTimeCodes(spline.value(at: t), offset), o)
        case .clips(let set, let site):
            var t = ClipTimes.earliest
            if case .at(let x) = time { t = x }
            return (clips.value(self, site, attribute, set, t), nil)
        }
    }

    /// A value with what is below it put in, down to one that hides all others.
    func showingWeaker(_ strongest: USDValue, _ opinion: Opinion, _ prim: StagePrim, _ attribute: Token, at time: EvalTime) -> USDValue? {
        var above: [USDValue] = []
        var current: USDValue? = strongest
        var holder: Opinion? = opinion
        let range = opinionRange(prim)
        while let value = current, value.showsWeaker {
            above.append(value)
            current = nil
            guard let o = holder, let k = range.first(where: { opinions[$0].node == o.node && opinions[$0].entry == o.entry }) else { break }
            holder = nil
            visit(prim, attribute, time != .default, from: k + 1) { source in
                (current, holder) = self.value(of: source, prim, attribute, at: time)
            }
        }
        for value in above.reversed() { current = composed(value, over: current) }
        return current
    }

    /// A path expression with its paths in the stage's namespace; other values as they are. Of a default in text, relative
    /// patterns are seen from the prim that holds them.
    private func anchored(_ value: USDValue?, _ prim: StagePrim, _ o: Opinion, isDefault: Bool) -> USDValue? {
        switch value {
        case .pathExpression(let text)?: return .pathExpression(anchored(text, prim, o, isDefault: isDefault))
        case .array(let a)? where a.type == .pathExpression:
            guard case .string(let list) = a.storage else { return value }
            return .array(USDArray(a.type, .string(list.map { anchored($0, prim, o, isDefault: isDefault) })))
        default: return value
        }
    }

    private func anchored(_ text: String, _ prim: StagePrim, _ o: Opinion, isDefault: Bool) -> String {
        let f = mapToRoot(prim, o)
        let layer = cache.layers[Int(o.layer)]
        let isInstance = prims[Int(prim.index)].instanceRoot >= 0
        if text.utf8.contains(where: { $0 < 9 }) { return text }
        guard let expression = PathExpression(text) else { return text }
        let anchor = isDefault ? paths.strippingVariants(paths.primPath(layer.specs[Int(o.spec)].path)) : nil
        let mapped = expression.mapped(paths, anchor: anchor, keepsRelative: maps.hasRootIdentity(f)) { path in
            let target = f == MapTable.identity ? path : self.maps.toTarget(f, path)
            return target.isEmpty || !isInstance ? target : self.translate(target, for: prim)
        }
        return mapped.text
    }

    /// An edit or path expression on top of the weaker value; over a block nothing is left.
    func composed(_ value: USDValue, over weaker: USDValue?) -> USDValue {
        switch value {
        case .arrayEdit(let edit):
            let below = (try? weaker?.resolved()) ?? .array(USDArray(edit.type, values: []))
            guard case .array(let array) = below else { return below }
            if let edited = edit.applied(to: array) { return .array(edited) }
            ownDiagnostics.warning(
                "usd.bad-array-edit", "edits that cannot be done to the array below them", at: SourceLocation(file: rootLayer.identifier))
            return below
        case .pathExpression(let text):
            var below: PathExpression?
            switch weaker {
            case .pathExpression(let text)?: below = PathExpression(text)
            case .block?: return .block
            default: break
            }
            return PathExpression(text).map { .pathExpression($0.composed(over: below).text) } ?? value
        default: return value
        }
    }
}

extension USDValue {
    /// Whether weaker values show through.
    var showsWeaker: Bool {
        switch self {
        case .arrayEdit: true
        case .pathExpression(let text): PathExpression(text)?.refersToWeaker ?? false
        default: false
        }
    }
}
