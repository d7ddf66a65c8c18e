import AssetModel

extension StageFlattener {
    /// Copies an attribute's default and what moves: samples, a spline, or clips as samples.
    func copyValues(
        _ name: Token, _ sites: [FlattenSite], _ place: Place, _ builtin: BuiltinProperty?, to spec: SpecIndex
    ) throws(AssetError) {
        var hasDefault = false
        var mayMove = stage.prims[stage.holder(place.prim)].flags.contains(.hasClips)
        for site in sites {
            let range = site.layer.specs[Int(site.spec)].fields
            for f in Int(range.lowerBound)..<Int(range.upperBound) {
                switch site.layer.fields[f].name {
                case .default: hasDefault = true
                case .timeSamples, .spline: mayMove = true
                default: break
                }
            }
        }
        let type = builder.field(spec, .typeName)
        if case .token(let t)? = type, t == pathExpressionType {
            try copyStacked(sites, place, to: spec)
            return
        }
        if hasDefault {
            // An animation block with nothing below it lets the schema's own value count.
            let value = try composedDefault(sites[...], place) ?? builtin.flatMap { definitions.fallback(of: $0) }
            builder.append(spec, .default, value ?? .block)
        }
        guard mayMove else { return }
        var found: Stage.ValueSource?
        stage.visit(place.prim, name, true) { found = $0 }
        func index(_ o: Opinion, _ spec: SpecIndex) -> Int? {
            sites.firstIndex { $0.opinion.layer == o.layer && $0.opinion.node == o.node && $0.spec == spec }
        }
        switch found {
        case .samples(let o, let source, let samples)?:
            guard let k = index(o, source) else { return }
            var out = try moved(samples, sites[k], place)
            if out.values.contains(where: \.isComposable) { out = try stackedSamples(sites[k...], place, isExpression: false) ?? out }
            if !out.times.isEmpty { builder.append(spec, .timeSamples, .timeSamples(out)) }
        case .spline(let o, let source, let spline)?:
            guard let k = index(o, source) else { return }
            builder.append(spec, .spline, .spline(spline.moved(by: timing(sites[k], place))))
        case .clips(let set, let site)?:
            let times = stage.timeSamples(place.prim, name)
            if times.isEmpty { return }
            builder.append(spec, .timeSamples, .timeSamples(baked(name, times, set, site, place)))
        case .default(let o, let source, .arrayEdit)?:
            // Edits go on top of what moves below them.
            if let k = index(o, source), let out = try stackedSamples(sites[k...], place, isExpression: false) {
                builder.append(spec, .timeSamples, .timeSamples(out))
            }
        case .default?, nil: break
        }
    }

    // MARK: Values that go on top of weaker ones

    /// The strongest default: an animation block hides none, edits change the array below them, path expressions may refer to
    /// the weaker one. Nil where all are animation blocks.
    private func composedDefault(_ sites: ArraySlice<FlattenSite>, _ place: Place) throws(AssetError) -> USDValue? {
        var above: [USDValue] = []
        var out: USDValue?
        for site in sites {
            guard let raw = site.layer.field(site.spec, .default) else { continue }
            if case .animationBlock = raw { continue }
            let value = try localised(raw, site, place, isDefault: true) ?? .block
            if value.isComposable {
                above.append(value)
            } else {
                out = value
                break
            }
        }
        for value in above.reversed() { out = stage.composed(value, over: out) }
        return out
    }

    /// The default and the samples of a path expression: each goes on top of what weaker layers say.
    private func copyStacked(_ sites: [FlattenSite], _ place: Place, to spec: SpecIndex) throws(AssetError) {
        if sites.contains(where: { $0.layer.field($0.spec, .default) != nil }) {
            builder.append(spec, .default, try composedDefault(sites[...], place) ?? .block)
        }
        if let samples = try stackedSamples(sites[...], place, isExpression: true), !samples.times.isEmpty {
            builder.append(spec, .timeSamples, .timeSamples(samples))
        }
    }

    /// Samples that go on top of one another: at the times of all that have a say, each layer's samples held, or its default. Nil
    /// where nothing moves.
    ///
    /// - Parameter isExpression: path expressions take the times of hidden layers too.
    private func stackedSamples(
        _ sites: ArraySlice<FlattenSite>, _ place: Place, isExpression: Bool
    ) throws(AssetError) -> TimeSamples? {
        var layers: [TimeSamples] = []
        for site in sites {
            if case .timeSamples(let samples)? = try site.layer.field(site.spec, .timeSamples)?.resolved(), !samples.times.isEmpty {
                let samples = try moved(samples, site, place)
                layers.append(samples)
                if !isExpression, !samples.values.contains(where: \.isComposable) { break }
            } else if let raw = site.layer.field(site.spec, .default) {
                if case .animationBlock = raw {
                    // Only defaults count below.
                    if let rest = sites.firstIndex(where: { $0.spec == site.spec && $0.layer === site.layer }) {
                        layers.append(TimeSamples(times: [], values: [try composedDefault(sites[(rest + 1)...], place) ?? .block]))
                    }
                    break
                }
                let value = try localised(raw, site, place, isDefault: true) ?? .block
                layers.append(TimeSamples(times: [], values: [value]))
                if !isExpression, !value.isComposable { break }
            }
        }
        guard layers.contains(where: { !$0.times.isEmpty }) else { return nil }
        var times: [Double] = []
        for (k, layer) in layers.enumerated() {
            for t in layer.times where isExpression || layers[..<k].allSatisfy({ $0.held(t).isComposable }) { times.append(t) }
        }
        var out = TimeSamples()
        for t in times.sorted() where out.times.last != t {
            var value: USDValue?
            var above: [USDValue] = []
            for layer in layers {
                let v = layer.held(t)
                if v.isComposable {
                    above.append(v)
                } else {
                    value = layer.times.count > 1 ? stage.interpolated(layer, t) ?? v : v
                    break
                }
            }
            for v in above.reversed() { value = stage.composed(v, over: value) }
            out.times.append(t)
            out.values.append(value ?? .block)
        }
        return out
    }

    // MARK: Samples

    /// The samples of a site in the stage's time.
    private func moved(_ samples: TimeSamples, _ site: FlattenSite, _ place: Place) throws(AssetError) -> TimeSamples {
        let offset = timing(site, place)
        var out = TimeSamples()
        out.times.reserveCapacity(samples.times.count)
        out.values.reserveCapacity(samples.times.count)
        var isSorted = true
        for (i, time) in samples.times.enumerated() where time.isFinite {
            let moved = offset.isIdentity ? time : offset.apply(time)
            if let last = out.times.last, last >= moved { isSorted = false }
            out.times.append(moved)
            if case .animationBlock = samples.values[i] {
                out.values.append(.block)
            } else {
                out.values.append(try localised(samples.values[i], site, place) ?? .block)
            }
        }
        if isSorted { return out }
        // Time runs backwards or stands: of several samples at one time the last counts.
        let order = out.times.indices.sorted { (out.times[$0], $0) < (out.times[$1], $1) }
        var sorted = TimeSamples()
        for i in order {
            if sorted.times.last == out.times[i] {
                sorted.times.removeLast()
                sorted.values.removeLast()
            }
            sorted.times.append(out.times[i])
            sorted.values.append(out.values[i])
        }
        return sorted
    }

    /// What clips say, as samples.
    private func baked(_ name: Token, _ times: [Double], _ set: ClipSet, _ site: Path, _ place: Place) -> TimeSamples {
        var out = TimeSamples(times: times)
        for time in times {
            switch stage.value(place.prim, name, at: .at(time)) {
            case nil: out.values.append(.block)
            case .asset(let path)?:
                let layer = stage.clips.layer(stage, site, name, set, time)
                out.values.append(.asset(layer.map { located(path, $0, set.stack).path } ?? path))
            case .array(let array)? where array.type == .asset:
                let layer = stage.clips.layer(stage, site, name, set, time)
                guard let layer, case .string(let list) = array.storage else {
                    out.values.append(.array(array))
                    continue
                }
                out.values.append(.array(USDArray(.asset, .string(located(list, layer, set.stack, stops: false)))))
            case let value?: out.values.append(value)
            }
        }
        return out
    }
}

extension TimeSamples {
    /// The value that holds at a time: of the last sample before, or of the first; without times the only value.
    fileprivate func held(_ t: Double) -> USDValue {
        let i = times.firstIndex { $0 > t } ?? times.count
        return values[max(0, i - 1)]
    }
}

extension USDValue {
    /// Whether weaker values show through: edits of an array, a path expression that refers to a weaker one.
    fileprivate var isComposable: Bool {
        switch self {
        case .arrayEdit: true
        case .pathExpression(let text): text.utf8.contains(UInt8(ascii: "%")) && (PathExpression(text)?.refersToWeaker ?? false)
        default: false
        }
    }
}

extension Spline {
    /// The spline with its times moved; values too where they are times.
    func moved(by offset: LayerOffset) -> Spline {
        if offset.isIdentity { return self }
        var out = self
        let run = isTimeValued ? 1 : offset.scale
        func value(_ v: Double) -> Double { isTimeValued ? offset.apply(v) : v }
        for i in out.knots.indices {
            out.knots[i].time = offset.apply(out.knots[i].time)
            out.knots[i].value = value(out.knots[i].value)
            out.knots[i].preValue = out.knots[i].preValue.map(value)
            out.knots[i].preTangentWidth *= offset.scale
            out.knots[i].postTangentWidth *= offset.scale
            out.knots[i].preTangentSlope /= run
            out.knots[i].postTangentSlope /= run
        }
        for extrapolation in [\Spline.preExtrapolation, \Spline.postExtrapolation] {
            out[keyPath: extrapolation].slope /= run
            out[keyPath: extrapolation].loopBoundaryTime = out[keyPath: extrapolation].loopBoundaryTime.map { offset.apply($0) }
        }
        // A loop of no length stays as it is.
        if var loop = out.innerLoop, loop.protoStart < loop.protoEnd {
            loop.protoStart = offset.apply(loop.protoStart)
            loop.protoEnd = offset.apply(loop.protoEnd)
            out.innerLoop = loop
        }
        return out
    }
}
