import AssetModel

extension StageFlattener {
    /// Copies an attribute's default and what moves: samples, a spline, or clips as samples.
    func copyValues(_ name: Token, _ sites: [FlattenSite], _ place: Place, to spec: SpecIndex) throws(AssetError) {
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
        if hasDefault, let value = try composedDefault(sites, place) { builder.append(spec, .default, value) }
        guard mayMove else { return }
        var found: Stage.ValueSource?
        stage.visit(place.prim, name, true) { found = $0 }
        switch found {
        case .samples(let o, let source, let samples)?:
            guard let site = sites.first(where: { $0.opinion.layer == o.layer && $0.opinion.node == o.node && $0.spec == source }) else { return }
            builder.append(spec, .timeSamples, .timeSamples(try moved(samples, site, place)))
        case .spline(let o, _, let spline)?: builder.append(spec, .spline, .spline(spline.moved(by: stage.offset(place.prim, o))))
        case .clips(let set, _, _)?:
            let times = stage.timeSamples(place.prim, name)
            if times.isEmpty { return }
            builder.append(spec, .timeSamples, .timeSamples(try baked(name, times, set, place)))
        case .default?, nil: break
        }
    }

    /// The strongest default; an animation block hides no defaults.
    private func composedDefault(_ sites: [FlattenSite], _ place: Place) throws(AssetError) -> USDValue? {
        for site in sites {
            guard let value = site.layer.field(site.spec, .default) else { continue }
            if case .animationBlock = value { continue }
            return try localised(value, site, place)
        }
        return .block
    }

    // MARK: Samples

    /// Samples in the stage's time. OpenUSD asks for the value at each time of the stage: what rounding makes of the way
    /// there and back counts.
    private func moved(_ samples: TimeSamples, _ site: FlattenSite, _ place: Place) throws(AssetError) -> TimeSamples {
        let offset = stage.offset(place.prim, site.opinion)
        var out = TimeSamples()
        out.times.reserveCapacity(samples.times.count)
        out.values.reserveCapacity(samples.times.count)
        let inverse = offset.inverse
        for (i, time) in samples.times.enumerated() {
            var value = samples.values[i]
            if !offset.isIdentity {
                let back = inverse.apply(offset.apply(time))
                if back != time { value = stage.interpolated(samples, back) ?? .block }
            }
            if case .animationBlock = value { value = .block }
            out.times.append(offset.isIdentity ? time : offset.apply(time))
            out.values.append(try localised(value, site, place) ?? .block)
        }
        if offset.scale < 0 {
            out.times.reverse()
            out.values.reverse()
        }
        return out
    }

    /// What clips say, as samples.
    private func baked(_ name: Token, _ times: [Double], _ set: ClipSet, _ place: Place) throws(AssetError) -> TimeSamples {
        var out = TimeSamples(times: times)
        for time in times {
            guard let value = stage.value(place.prim, name, at: .at(time)) else {
                out.values.append(.block)
                continue
            }
            out.values.append(value)
        }
        return out
    }
}

extension Spline {
    /// The spline with its times moved; values too where they are times.
    func moved(by offset: LayerOffset) -> Spline {
        if offset.isIdentity { return self }
        var out = self
        let slope = isTimeValued ? 1 : 1 / offset.scale
        func value(_ v: Double) -> Double { isTimeValued ? offset.apply(v) : v }
        for i in out.knots.indices {
            out.knots[i].time = offset.apply(out.knots[i].time)
            out.knots[i].value = value(out.knots[i].value)
            out.knots[i].preValue = out.knots[i].preValue.map(value)
            out.knots[i].preTangentWidth *= offset.scale
            out.knots[i].postTangentWidth *= offset.scale
            out.knots[i].preTangentSlope *= slope
            out.knots[i].postTangentSlope *= slope
        }
        for extrapolation in [\Spline.preExtrapolation, \Spline.postExtrapolation] {
            out[keyPath: extrapolation].slope *= slope
            out[keyPath: extrapolation].loopBoundaryTime = out[keyPath: extrapolation].loopBoundaryTime.map { offset.apply($0) }
        }
        if var loop = out.innerLoop {
            loop.protoStart = offset.apply(loop.protoStart)
            loop.protoEnd = offset.apply(loop.protoEnd)
            if isTimeValued { loop.valueOffset *= offset.scale }
            out.innerLoop = loop
        }
        return out
    }
}
