import AssetModel

/// Values that weaker ones show through: edits of arrays, and path expressions that refer to the weaker one.
extension Stage {
    /// The value of a source at a time, and the opinion that holds it; clips are no opinion.
    func value(of source: ValueSource, _ prim: StagePrim, _ attribute: Token, at time: EvalTime) -> (value: USDValue?, opinion: Opinion?) {
        switch source {
        case .default(let o, _, let value):
            let moved = offsetTimeCodes(resolvedUnlessArray(value), offset(prim, o))
            return (moved.map { placed($0, prim, o, isDefault: true) }, o)
        case .samples(let o, _, let samples):
            let offset = offset(prim, o)
            return (interpolated(samples, at: time, offset).map { placed($0, prim, o, isDefault: false) }, o)
        case .spline(let o, _, let spline):
            let offset = offset(prim, o)
            guard case .at(let t) = time else { return (offsetTimeCodes(spline.earliest(isReversed: offset.scale < 0), offset), o) }
            return (offsetTimeCodes(spline.value(at: offset.isIdentity ? t : offset.inverse.apply(t)), offset), o)
        case .clips(let set, let site):
            var t = ClipTimes.earliest
            if case .at(let x) = time { t = x }
            return (evaluated(clips.value(self, site, attribute, set, t), set, prim), nil)
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

    /// A value as it counts on the stage: the paths of path expressions in the stage's namespace, expressions in asset paths
    /// replaced by what they stand for; those in dictionaries too. Of a default in text, relative patterns are seen from the prim
    /// that holds them.
    func placed(_ value: USDValue, _ prim: StagePrim, _ o: Opinion, isDefault: Bool, depth: Int = 0) -> USDValue {
        switch value {
        case .pathExpression(let text): return .pathExpression(anchored(text, prim, o, isDefault: isDefault))
        case .asset(let text): return ExpressionText.isExpression(text) ? .asset(evaluated(text, stack(prim, o), prim)) : value
        case .array(let a):
            guard a.type == .pathExpression || a.type == .asset, case .string(let list) = a.storage else { return value }
            if a.type == .asset { return .array(evaluated(a, stack(prim, o), prim)) }
            return .array(USDArray(a.type, .string(list.map { anchored($0, prim, o, isDefault: isDefault) })))
        case .deferred(let source, let rep):
            guard let type = try? source.arrayShape(rep)?.type, type == .pathExpression || type == .asset, let array = try? source.decode(rep)
            else { return value }
            return placed(array, prim, o, isDefault: isDefault, depth: depth)
        case .dictionary(var d) where depth < 64:
            for i in d.entries.indices {
                d.entries[i].value = placed(d.entries[i].value, prim, o, isDefault: isDefault, depth: depth + 1)
            }
            return .dictionary(d)
        default: return value
        }
    }

    /// The layer stack that an opinion is in.
    private func stack(_ prim: StagePrim, _ o: Opinion) -> StackIndex {
        let r = prims[holder(prim)]
        return r.nodeCount == 0 ? 0 : nodes[Int(r.nodeStart + o.node)].stack
    }

    /// The asset path that an expression stands for in a layer stack; the expression itself where it has no value.
    private func evaluated(_ text: String, _ stack: StackIndex, _ prim: StagePrim) -> String {
        switch stacks.stacks[Int(stack)].variables.evaluateString(text) {
        case .success(let s): return s.isEmpty ? text : s
        case .failure(let error):
            ownDiagnostics.warning(
                "usd.bad-expression", "asset path \(text): \(error.message)",
                at: SourceLocation(file: rootLayer.identifier, primPath: paths.string(path(prim))))
            return text
        }
    }

    private func evaluated(_ array: USDArray, _ stack: StackIndex, _ prim: StagePrim) -> USDArray {
        guard case .string(let list) = array.storage, list.contains(where: ExpressionText.isExpression) else { return array }
        return USDArray(array.type, .string(list.map { ExpressionText.isExpression($0) ? evaluated($0, stack, prim) : $0 }))
    }

    /// A value of clips with the expressions in its asset paths replaced.
    private func evaluated(_ value: USDValue?, _ set: ClipSet, _ prim: StagePrim) -> USDValue? {
        switch value {
        case .asset(let text)? where ExpressionText.isExpression(text): .asset(evaluated(text, set.stack, prim))
        case .array(let a)? where a.type == .asset: .array(evaluated(a, set.stack, prim))
        default: value
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
