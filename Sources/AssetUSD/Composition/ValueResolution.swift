import AssetModel

extension Stage {
    /// The value of an attribute at a time: time samples (through layer offsets), value clips, splines or the default; nil
    /// where there is none or it is blocked. Arrays may be `.deferred`.
    public func value(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) -> USDValue? {
        switch plain(prim, attribute, at: time) {
        case .none: return nil
        case .field(let field, let layer):
            let plain = resolvedUnlessArray(value(field, layer))
            switch plain {
            // Paths in the stage's namespace, and what is below.
            case .pathExpression?, .arrayEdit?: break
            case .asset(let text)? where ExpressionText.isExpression(text): break
            case .array(let a)? where a.type == .asset || a.type == .pathExpression: break
            default: return plain
            }
        case .array(let a): return .array(a)
        case .other: break
        }
        var result: USDValue?
        var opinion: Opinion?
        visit(prim, attribute, time != .default) { source in
            (result, opinion) = self.value(of: source, prim, attribute, at: time)
        }
        if let value = result, let opinion, value.showsWeaker { result = showingWeaker(value, opinion, prim, attribute, at: time) }
        switch result {
        case .block?, .animationBlock?: return nil
        default: return result
        }
    }

    /// Whether the strongest value of an attribute at a time is a block: it has none, whatever weaker layers say.
    func isBlocked(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) -> Bool {
        var isBlock = false
        visit(prim, attribute, time != .default) { source in
            switch value(of: source, prim, attribute, at: time).value {
            case .block?, .animationBlock?: isBlock = true
            default: break
            }
        }
        return isBlock
    }

    /// Whether the attribute has any value (default or samples).
    public func hasValue(_ prim: StagePrim, _ attribute: Token) -> Bool {
        switch plain(prim, attribute, at: .earliest) {
        case .none: return false
        case .field, .array: return true
        case .other: break
        }
        var has = false
        visit(prim, attribute, true) { source in
            switch source {
            case .default(_, _, let value):
                if case .block = value { return }
                if case .animationBlock = value { return }
                has = true
            default: has = true
            }
        }
        return has
    }

    /// Whether value clips count for a prim: they may have values for attributes of which no layer has a spec.
    func hasClips(_ prim: StagePrim) -> Bool { prims[holder(prim)].flags.contains(.hasClips) }

    /// Sample times of the attribute in stage time, sorted.
    public func timeSamples(_ prim: StagePrim, _ attribute: Token) -> [Double] {
        var times: [Double] = []
        visit(prim, attribute, true) { source in
            switch source {
            case .samples(let o, _, let samples):
                let offset = offset(prim, o)
                // OpenUSD does not count samples at infinite times.
                times = samples.times.filter(\.isFinite)
                if !offset.isIdentity { times = times.map { offset.apply($0) } }
                if offset.scale < 0 { times.reverse() }
            case .clips(let set, let site): times = clips.times(self, site, attribute, set)
            default: break
            }
        }
        return times
    }

    /// Whether the value may change over time (more than one sample, a spline, clips).
    public func mightBeTimeVarying(_ prim: StagePrim, _ attribute: Token) -> Bool {
        switch plain(prim, attribute, at: .earliest) {
        case .none, .field, .array: return false
        case .other: break
        }
        var varies = false
        visit(prim, attribute, true) { source in
            switch source {
            case .default: break
            case .samples(_, _, let samples): varies = samples.times.count > 1
            // As in OpenUSD, whatever the knots say.
            case .spline: varies = true
            case .clips(let set, let site): varies = clips.mightVary(self, site, attribute, set)
            }
        }
        return varies
    }

    /// The layer that holds the strongest opinion with a value for an attribute: asset paths in it are relative to it.
    public func layerOfValue(_ prim: StagePrim, _ attribute: Token) -> USDLayer? {
        var layer: USDLayer?
        visit(prim, attribute, true) { source in
            switch source {
            case .default(let o, _, _), .samples(let o, _, _), .spline(let o, _, _): layer = cache.layers[Int(o.layer)]
            case .clips(let set, let site): layer = clips.layer(self, site, attribute, set, nil)
            }
        }
        return layer
    }

    // MARK: Sources of values

    enum ValueSource {
        case `default`(Opinion, SpecIndex, USDValue)
        case samples(Opinion, SpecIndex, TimeSamples)
        case spline(Opinion, SpecIndex, Spline)
        /// The set, and the prim's site in the layer stack that defines it.
        case clips(ClipSet, Path)
    }

    /// Calls `body` with the strongest source of an attribute's value; a blocked default counts. In a layer samples win over
    /// a spline and that over the default; clips are weaker than the layers that name them.
    func visit(_ prim: StagePrim, _ attribute: Token, _ wantsAnimation: Bool, from first: Int = 0, _ body: (ValueSource) -> Void) {
        let h = holder(prim)
        let range = opinionRange(prim)
        var due: [DueClips] = []
        var ranks: [Int] = []
        if wantsAnimation, prims[h].flags.contains(.hasClips) { (due, ranks) = dueClips(h, attribute) }
        let strongestClips = due.first
        var k = max(range.lowerBound, first)
        while k < range.upperBound {
            let o = opinions[k]
            // Clips come right behind the layer that names them.
            if let c = strongestClips, (c.rank, c.set.entry) < (ranks.isEmpty ? 0 : ranks[Int(o.node)], o.entry) {
                body(.clips(c.set, c.site))
                return
            }
            k += 1
            let view = cache.views[Int(o.layer)]
            let spec = property(o, view, attribute)
            if spec < 0 { continue }
            let fields = view.specs[Int(spec)].fields
            var defaultField = -1
            var splineField = -1
            var samplesField = -1
            for f in Int(fields.lowerBound)..<Int(fields.upperBound) {
                switch view.fields[f].name {
                case .default: defaultField = f
                case .timeSamples: samplesField = f
                case .spline: splineField = f
                default: break
                }
            }
            if defaultField < 0, !wantsAnimation || (samplesField < 0 && splineField < 0) { continue }
            let store = cache.layers[Int(o.layer)].store
            let samples = samplesField < 0 ? nil : store.value(samplesField)
            let spline = splineField < 0 ? nil : store.value(splineField)
            let defaultValue = defaultField < 0 ? nil : store.value(defaultField)
            if wantsAnimation {
                if let samples {
                    do throws(AssetError) {
                        if case .timeSamples(let s) = try samples.resolved(), !s.times.isEmpty, s.times.count == s.values.count {
                            body(.samples(o, spec, s))
                            return
                        }
                    } catch {
                        ownDiagnostics.add(Self.damaged(error))
                    }
                }
                if let spline, let resolved = try? spline.resolved(), case .spline(let s) = resolved {
                    body(.spline(o, spec, s))
                    return
                }
            }
            if let defaultValue {
                if case .animationBlock = defaultValue {
                    // Hides weaker animation, not weaker defaults.
                    visitDefaults(prim, attribute, from: k, body)
                    return
                }
                body(.default(o, spec, defaultValue))
                return
            }
        }
        if let c = strongestClips { body(.clips(c.set, c.site)) }
    }

    private struct DueClips {
        var set: ClipSet
        var site: Path
        var rank: Int
    }

    /// The clip sets that declare an attribute, strongest first, and the rank of every node of the prim's tree.
    private func dueClips(_ h: Int, _ attribute: Token) -> ([DueClips], [Int]) {
        let r = prims[h]
        let sets = clips.sets(self, h)
        if sets.isEmpty { return ([], []) }
        let order = r.nodeCount == 0 ? [] : NodeArray(tree(h)).strengthOrder()
        var ranks = [Int](repeating: 0, count: order.count)
        for (rank, n) in order.enumerated() { ranks[Int(n)] = rank }
        var due: [DueClips] = []
        for set in sets {
            if r.nodeCount == 0 {
                guard set.stack == 0, paths.hasPrefix(r.path, set.path), clips.declares(self, r.path, attribute, set) else { continue }
                due.append(DueClips(set: set, site: r.path, rank: 0))
                continue
            }
            for (rank, n) in order.enumerated() {
                let node = nodes[Int(r.nodeStart + n)]
                guard !node.isInert, node.stack == set.stack, paths.hasPrefix(node.path, set.path) else { continue }
                if clips.declares(self, node.path, attribute, set) {
                    due.append(DueClips(set: set, site: node.path, rank: rank))
                    break
                }
            }
        }
        // Equal ones stay in order: the prim's own before those of prims above.
        let sorted = due.enumerated().sorted {
            ($0.element.rank, $0.element.set.entry, $0.offset) < ($1.element.rank, $1.element.set.entry, $1.offset)
        }
        return (sorted.map(\.element), ranks)
    }

    private func visitDefaults(_ prim: StagePrim, _ attribute: Token, from start: Int, _ body: (ValueSource) -> Void) {
        for k in start..<max(start, opinionRange(prim).upperBound) {
            let o = opinions[k]
            let layer = cache.layers[Int(o.layer)]
            guard let spec = propertySpec(layer, o.spec, attribute), let value = layer.field(spec, .default) else { continue }
            if case .animationBlock = value { continue }
            body(.default(o, spec, value))
            return
        }
    }

    func resolvedUnlessArray(_ value: USDValue) -> USDValue? {
        guard case .deferred(let source, let rep) = value else { return value }
        do throws(AssetError) {
            if try source.arrayShape(rep) != nil { return value }
            return try source.decode(rep)
        } catch {
            ownDiagnostics.add(Self.damaged(error))
            return nil
        }
    }

    func layerTime(_ time: EvalTime, _ offset: LayerOffset, _ times: [Double]) -> Double {
        switch time {
        case .at(let t): return offset.isIdentity ? t : offset.inverse.apply(t)
        case .earliest: return offset.scale < 0 ? times[times.count - 1] : times[0]
        case .default: return times[0]
        }
    }

    /// The value of samples at a stage time. As in OpenUSD the layer's time says which samples lie around it, and what lies
    /// between them is measured in the stage's time.
    func interpolated(_ samples: TimeSamples, at time: EvalTime, _ offset: LayerOffset) -> USDValue? {
        let inner = layerTime(time, offset, samples.times)
        guard case .at(let outer) = time, !offset.isIdentity else { return offsetTimeCodes(interpolated(samples, inner), offset) }
        return interpolated(samples, inner, outer) {
            offset.apply($0)
        } moved: {
            offsetTimeCodes($0, offset) ?? $0
        }
    }

    /// The value of samples at a layer's time: linear between two samples of a type that can be interpolated, else held.
    func interpolated(_ samples: TimeSamples, _ t: Double) -> USDValue? {
        interpolated(samples, t, t) {
            $0
        } moved: {
            $0
        }
    }

    /// - Parameters:
    ///   - t: the layer's time.
    ///   - outer: the same time as the caller counts it, `map` from the one to the other, and `moved` of values.
    private func interpolated(
        _ samples: TimeSamples, _ t: Double, _ outer: Double, map: (Double) -> Double, moved: (USDValue) -> USDValue
    ) -> USDValue? {
        let times = samples.times
        var low = 0
        var high = times.count
        // The last sample at or before t.
        while low < high {
            let middle = (low + high) / 2
            if times[middle] <= t { low = middle + 1 } else { high = middle }
        }
        let i = max(0, low - 1)
        let lower = samples.values[i]
        if low == 0 || low >= times.count || times[i] == t { return resolvedUnlessArray(lower).map(moved) }
        let start = map(times[i])
        let end = map(times[i + 1])
        guard let a = resolvedUnlessArray(lower).map(moved) else { return nil }
        if case .block = a { return a }
        // Nor where time runs backwards: the next sample is not behind the first then.
        if end - start < 1e-6 { return a }
        let b = resolvedUnlessArray(samples.values[i + 1]).map(moved) ?? a
        // Before a block the value holds, to the last bit.
        if case .block = b { return a }
        let u = (outer - start) / (end - start)
        if u == 0 { return a }
        do throws(AssetError) {
            return try SampleInterpolation.linear(a, b, u) ?? a
        } catch {
            ownDiagnostics.add(Self.damaged(error))
            return a
        }
    }

    /// Time codes as values move with the layers' offsets, as sample times do; those in dictionaries too. Durations are scaled.
    func offsetTimeCodes(_ value: USDValue?, _ offset: LayerOffset) -> USDValue? {
        guard let value, !offset.isIdentity else { return value }
        return movedTimeCodes(value) { offset.apply($0) }
    }

    /// A value with its time codes moved by a linear function.
    func movedTimeCodes(_ value: USDValue, depth: Int = 0, _ move: (Double) -> Double) -> USDValue {
        switch value {
        case .timeCode(let t): return .timeCode(move(t))
        case .duration(let d): return .duration(d * (move(1) - move(0)))
        case .array(let a) where a.type == .timeCode || a.type == .duration:
            guard case .double(let d) = a.storage else { return value }
            let scale = move(1) - move(0)
            return .array(USDArray(a.type, .double(a.type == .timeCode ? d.map(move) : d.map { $0 * scale })))
        case .deferred(let source, let rep):
            guard let shape = try? source.arrayShape(rep), shape.type == .timeCode || shape.type == .duration,
                let resolved = try? source.decode(rep)
            else { return value }
            return movedTimeCodes(resolved, depth: depth, move)
        case .dictionary(var d) where depth < 64:
            for i in d.entries.indices { d.entries[i].value = movedTimeCodes(d.entries[i].value, depth: depth + 1, move) }
            return .dictionary(d)
        default: return value
        }
    }
}
