import AssetModel

extension Spline {
    /// Whether the spline changes outside its knots.
    var isSloped: Bool { preExtrapolation.mode != .held || postExtrapolation.mode != .held }

    /// The value at a time in the type of the spline; nil where there is none (value blocks).
    func value(at time: Double) -> USDValue? {
        guard let v = evaluate(at: time) else { return nil }
        switch valueType {
        case .float: return .float(Float(v))
        case .half: return .half(halfBits(v))
        case .timeCode: return .timeCode(v)
        default: return .double(v)
        }
    }

    func evaluate(at time: Double) -> Double? {
        let knots = unrolled()
        guard let first = knots.first, let last = knots.last, time.isFinite else { return nil }
        if time < first.time { return extrapolate(time, knots, before: true) }
        if time > last.time { return extrapolate(time, knots, before: false) }
        return inside(time, knots)
    }

    private func inside(_ time: Double, _ knots: [Knot]) -> Double? {
        var low = 0
        var high = knots.count
        while low < high {
            let middle = (low + high) / 2
            if knots[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        let i = max(0, low - 1)
        let a = knots[i]
        if a.time == time || i + 1 >= knots.count { return a.next == .valueBlock && i + 1 < knots.count ? nil : a.value }
        let b = knots[i + 1]
        switch a.next {
        case .valueBlock: return nil
        case .held: return a.value
        case .linear:
            let end = b.preValue ?? b.value
            return a.value + (end - a.value) * (time - a.time) / (b.time - a.time)
        case .curve: return curve(a, b, time)
        }
    }

    private func curve(_ a: Knot, _ b: Knot, _ time: Double) -> Double {
        let span = b.time - a.time
        let end = b.preValue ?? b.value
        if curveType == .hermite {
            let u = (time - a.time) / span
            let u2 = u * u
            let u3 = u2 * u
            return (2 * u3 - 3 * u2 + 1) * a.value + (u3 - 2 * u2 + u) * span * a.postTangentSlope
                + (3 * u2 - 2 * u3) * end + (u3 - u2) * span * b.preTangentSlope
        }
        // Tangents that reach past the other knot would make time run backwards; both are shortened together.
        var w0 = max(0, a.postTangentWidth)
        var w1 = max(0, b.preTangentWidth)
        if w0 + w1 > span, w0 + w1 > 0 {
            let s = span / (w0 + w1)
            if w0 > span || w1 > span || w0 + w1 > span * 1.5 {
                w0 *= s
                w1 *= s
            }
        }
        let t1 = a.time + w0
        let t2 = b.time - w1
        // Time is a cubic of the parameter: bisect, as it rises from knot to knot.
        var low = 0.0
        var high = 1.0
        var u = (time - a.time) / span
        for _ in 0..<60 {
            let t = Self.bezier(a.time, t1, t2, b.time, u)
            if t < time { low = u } else { high = u }
            let next = (low + high) / 2
            if next == u { break }
            u = next
        }
        return Self.bezier(a.value, a.value + w0 * a.postTangentSlope, end - w1 * b.preTangentSlope, end, u)
    }

    private static func bezier(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ u: Double) -> Double {
        let v = 1 - u
        return v * v * v * a + 3 * v * v * u * b + 3 * v * u * u * c + u * u * u * d
    }

    private func extrapolate(_ time: Double, _ knots: [Knot], before: Bool) -> Double? {
        let how = before ? preExtrapolation : postExtrapolation
        let edge = before ? knots[0] : knots[knots.count - 1]
        let value = before ? edge.preValue ?? edge.value : edge.value
        switch how.mode {
        case .valueBlock: return nil
        case .held: return value
        case .sloped: return value + how.slope * (time - edge.time)
        case .linear:
            guard knots.count > 1 else { return value }
            let other = before ? knots[1] : knots[knots.count - 2]
            let segment = before ? edge.next : other.next
            switch segment {
            case .held, .valueBlock: return value
            case .curve: return value + (before ? edge.postTangentSlope : edge.preTangentSlope) * (time - edge.time)
            case .linear:
                let a = before ? edge : other
                let b = before ? other : edge
                let slope = ((b.preValue ?? b.value) - a.value) / (b.time - a.time)
                return value + slope * (time - edge.time)
            }
        case .loopRepeat, .loopReset, .loopOscillate:
            let span = knots[knots.count - 1].time - knots[0].time
            guard span > 0 else { return value }
            let start = knots[0].time
            let turns = ((time - start) / span).rounded(.down)
            var t = time - turns * span
            if how.mode == .loopOscillate, turns.truncatingRemainder(dividingBy: 2) != 0 { t = start + span - (t - start) }
            guard let v = inside(min(max(t, start), start + span), knots) else { return nil }
            if how.mode == .loopRepeat { return v + turns * (knots[knots.count - 1].value - knots[0].value) }
            return v
        }
    }

    /// The knots with the inner loop's copies.
    private func unrolled() -> [Knot] {
        guard let loop = innerLoop, loop.protoEnd > loop.protoStart else { return knots }
        let pre = max(0, Int(loop.preLoops))
        let post = max(0, Int(loop.postLoops))
        let prototype = knots.filter { $0.time >= loop.protoStart && $0.time < loop.protoEnd }
        // The looped region must begin with a knot; a hostile count of loops must not fill the memory.
        guard let head = prototype.first, head.time == loop.protoStart, (pre + post + 1) <= 1_000_000 / max(1, prototype.count) else { return knots }
        let span = loop.protoEnd - loop.protoStart
        let start = loop.protoStart - Double(pre) * span
        let end = loop.protoEnd + Double(post) * span
        var out = knots.filter { $0.time < start }
        for i in -pre...post {
            for k in prototype {
                var copy = k
                copy.time += Double(i) * span
                copy.value += Double(i) * loop.valueOffset
                if let v = copy.preValue { copy.preValue = v + Double(i) * loop.valueOffset }
                out.append(copy)
            }
        }
        var last = head
        last.time = end
        last.value += Double(post + 1) * loop.valueOffset
        if let v = last.preValue { last.preValue = v + Double(post + 1) * loop.valueOffset }
        if let after = knots.first(where: { $0.time == end }) {
            last.next = after.next
            last.postTangentWidth = after.postTangentWidth
            last.postTangentSlope = after.postTangentSlope
        }
        out.append(last)
        out.append(contentsOf: knots.filter { $0.time > end })
        return out
    }
}
