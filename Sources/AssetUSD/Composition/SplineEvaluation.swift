import AssetModel

extension Spline {
    /// Whether the value may differ between two times.
    var mightVary: Bool {
        if knots.count > 1 || innerLoop != nil { return true }
        return preExtrapolation.changes || postExtrapolation.changes || knots.first?.preValue != nil
    }

    /// The value at a time in the type of the spline; nil where there is none (value blocks).
    func value(at time: Double) -> USDValue? {
        guard let v = evaluate(at: time) else { return nil }
        switch valueType {
        case .float: return .float(Float(v))
        case .half: return .half(halfBits(v))
        case .timeCode: return .timeCode(v)
        default: return isTimeValued ? .timeCode(v) : .double(v)
        }
    }

    func evaluate(at time: Double) -> Double? {
        let knots = unrolled()
        guard let first = knots.first, let last = knots.last, time.isFinite else { return nil }
        if time < first.time { return extrapolate(time, knots, before: true) }
        // Where the spline loops on, the loop's next turn begins with the last knot.
        if time > last.time || (time == last.time && knots.count > 1 && postExtrapolation.loops) {
            return extrapolate(time, knots, before: false)
        }
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
        if i + 1 >= knots.count { return a.value }
        if a.time == time { return a.next == .valueBlock ? nil : a.value }
        let b = knots[i + 1]
        switch a.next {
        case .valueBlock: return nil
        case .held: return a.value
        case .linear: return a.value + a.slope(to: b) * (time - a.time)
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
        // Tangents so long that time would run backwards are shortened in the same proportion, just as far as needed.
        var w0 = max(0, a.postTangentWidth)
        var w1 = max(0, b.preTangentWidth)
        let mean = w0.squareRoot() * w1.squareRoot()
        if w0 + w1 - mean > span {
            let s = span / (w0 + w1 - mean)
            w0 *= s
            w1 *= s
        }
        // Time is a cubic of the parameter: bisect, as it rises from knot to knot.
        let target = time - a.time
        var low = 0.0
        var high = 1.0
        var u = target / span
        for _ in 0..<64 {
            let t = Self.bezier(0, w0, span - w1, span, u)
            if t == target { break }
            if t < target { low = u } else { high = u }
            let next = (low + high) / 2
            if next == u { break }
            u = next
        }
        return Self.bezier(a.value, a.value + w0 * a.postTangentSlope, end - w1 * b.preTangentSlope, end, u)
    }

    private static func bezier(_ p0: Double, _ p1: Double, _ p2: Double, _ p3: Double, _ t: Double) -> Double {
        let a = -p0 + 3 * p1 - 3 * p2 + p3
        let b = 3 * p0 - 6 * p1 + 3 * p2
        let c = -3 * p0 + 3 * p1
        return t * (t * (t * a + b) + c) + p0
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
            // Flat where the knot has two values.
            guard knots.count > 1, edge.preValue == nil else { return value }
            let other = before ? knots[1] : knots[knots.count - 2]
            let slope: Double
            switch before ? edge.next : other.next {
            case .held: slope = 0
            case .linear: slope = before ? edge.slope(to: other) : other.slope(to: edge)
            case .curve, .valueBlock: slope = before ? edge.postTangentSlope : edge.preTangentSlope
            }
            return value + slope * (time - edge.time)
        case .loopRepeat, .loopReset, .loopOscillate:
            var start = knots[0]
            var end = knots[knots.count - 1]
            if let boundary = how.loopBoundaryTime, let knot = knots.first(where: { $0.time == boundary }) {
                if before { end = knot } else { start = knot }
            }
            let span = end.time - start.time
            guard span > 0 else { return value }
            let turns = before ? -((start.time - time) / span).rounded(.up) : ((time - end.time) / span).rounded(.down) + 1
            var t = time - turns * span
            if how.mode == .loopOscillate, turns.truncatingRemainder(dividingBy: 2) != 0 { t = start.time + (span - (t - start.time)) }
            guard let v = inside(min(max(t, start.time), end.time), knots) else { return nil }
            if how.mode == .loopRepeat { return v + turns * (end.value - (start.preValue ?? start.value)) }
            return v
        }
    }

    /// The knots with the inner loop's copies, which hide what else lies where they are.
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
        func copy(_ knot: Knot, _ turns: Int) -> Knot {
            var copy = knot
            copy.time += Double(turns) * span
            copy.value += Double(turns) * loop.valueOffset
            if let v = knot.preValue { copy.preValue = v + Double(turns) * loop.valueOffset }
            return copy
        }
        var out = knots.filter { $0.time < start }
        for i in -pre...post {
            for k in prototype { out.append(copy(k, i)) }
        }
        out.append(copy(head, post + 1))
        out.append(contentsOf: knots.filter { $0.time > end })
        return out
    }
}

extension Spline.Knot {
    /// From this knot's value to what the next one comes in with.
    fileprivate func slope(to next: Spline.Knot) -> Double { ((next.preValue ?? next.value) - value) / (next.time - time) }
}

extension Spline.Extrapolation {
    fileprivate var loops: Bool { mode == .loopRepeat || mode == .loopReset || mode == .loopOscillate }
    fileprivate var changes: Bool { mode == .linear || (mode == .sloped && slope != 0) || mode == .valueBlock || loops }
}
