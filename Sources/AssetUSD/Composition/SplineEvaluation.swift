import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Spline {
    /// The value at a time in the type of the spline; nil where there is none (value blocks).
    func value(at time: Double) -> USDValue? { evaluate(at: time).map(typed) }

    /// The value before all knots, as OpenUSD answers for the earliest time, or behind them where time runs backwards. Where that is
    /// without end, because the spline goes on at a slope or loops, the value of the first knot in time.
    func earliest(isReversed: Bool) -> USDValue? {
        guard let first = knots.first, let last = knots.last else { return nil }
        let edge = isReversed ? last : first
        if (isReversed ? postExtrapolation : preExtrapolation).loops { return typed(edge.value) }
        let far = Double.greatestFiniteMagnitude
        guard let v = evaluate(at: isReversed ? far : -far) else { return nil }
        return typed(abs(v) < Double(Float.greatestFiniteMagnitude) ? v : edge.value)
    }

    private func typed(_ v: Double) -> USDValue {
        switch valueType {
        case .float: return .float(Float(v))
        case .half: return .half(halfBits(v))
        case .timeCode: return .timeCode(v)
        default: return isTimeValued ? .timeCode(v) : .double(v)
        }
    }

    /// The value at a time, with the arithmetic of OpenUSD in its order: a time in a loop's copies is taken back to what they are
    /// copies of, and the value is moved on.
    func evaluate(at time: Double) -> Double? {
        guard let first = knots.first, let last = knots.last, time.isFinite else { return nil }
        let loop = Loop(self)
        var place = Place(time: time)
        let start = min(first.time, loop?.start ?? first.time)
        let end = max(last.time, loop?.end ?? last.time)
        if start < end {
            // Where the spline loops on, the loop's next turn begins with the last knot.
            if time < start, preExtrapolation.loops {
                guard wind(&place, from: start, to: end, loop, before: true) else { return nil }
            } else if time >= end, postExtrapolation.loops {
                guard wind(&place, from: start, to: end, loop, before: false) else { return nil }
            }
        }
        loop?.enter(&place)
        return value(place, loop).map { $0 + place.added }
    }

    /// Where to look for a value, and what is added to it.
    private struct Place {
        var time: Double
        var added = 0.0
        /// Whether the value just before the time counts, as where a loop runs backwards.
        var isBefore = false
    }

    /// The inner loop: the knots from its start to before its end stand on both sides again, instead of what else is there.
    private struct Loop {
        var parameters: InnerLoop
        /// The knot at the loop's start, and the last one before its end.
        var head: Int
        var tail: Int
        var span: Double
        var pre: Double
        var post: Double
        var start: Double { parameters.protoStart - pre * span }
        var end: Double { parameters.protoEnd + post * span }

        init?(_ spline: Spline) {
            guard let loop = spline.innerLoop, loop.protoEnd > loop.protoStart, loop.preLoops > 0 || loop.postLoops > 0 else { return nil }
            let head = spline.position(of: loop.protoStart)
            guard head < spline.knots.count, spline.knots[head].time == loop.protoStart else { return nil }
            parameters = loop
            self.head = head
            tail = spline.position(of: loop.protoEnd) - 1
            span = loop.protoEnd - loop.protoStart
            pre = Double(max(0, loop.preLoops))
            post = Double(max(0, loop.postLoops))
        }

        /// From a copy to the knots themselves.
        func enter(_ place: inout Place) {
            guard place.time >= start, place.time <= end else { return }
            if place.time < parameters.protoStart {
                let turns = ((parameters.protoStart - place.time) / span).rounded(.up)
                place.time += turns * span
                place.added -= turns * parameters.valueOffset
            } else if place.time >= parameters.protoEnd {
                let turns = ((place.time - parameters.protoEnd) / span).rounded(.down) + 1
                place.time -= turns * span
                place.added += turns * parameters.valueOffset
            }
        }

        /// A knot's copy so many turns on.
        func copy(_ knot: Knot, _ turns: Double) -> Knot {
            var copy = knot
            let added = turns * parameters.valueOffset
            copy.time += turns * span
            copy.value += added
            copy.preValue = knot.preValue.map { $0 + added }
            return copy
        }
    }

    /// Takes a time outside the knots back to between them, as looping extrapolation does. False where the loop ends at no knot.
    private func wind(_ place: inout Place, from first: Double, to last: Double, _ loop: Loop?, before: Bool) -> Bool {
        let how = before ? preExtrapolation : postExtrapolation
        var start = first
        var end = last
        // Before the knots a turn begins with the values that the knots come in with, behind them with those they go on with.
        func value(_ knot: Knot) -> Double { before ? knot.preValue ?? knot.value : knot.value }
        var startValue = value(knots[0])
        var endValue = value(knots[knots.count - 1])
        if let loop {
            let head = value(knots[loop.head])
            if loop.start < knots[0].time { startValue = head - loop.pre * loop.parameters.valueOffset }
            if loop.end > knots[knots.count - 1].time { endValue = head + (loop.post + 1) * loop.parameters.valueOffset }
        }
        if let boundary = how.loopBoundaryTime {
            let k = position(of: boundary)
            guard k < knots.count, knots[k].time == boundary else { return false }
            if before {
                end = boundary
                endValue = value(knots[k])
            } else {
                start = boundary
                startValue = value(knots[k])
            }
        }
        let span = end - start
        guard span > 0 else {
            // Nothing to repeat: the value holds.
            place = Place(time: before ? first : last, isBefore: before)
            return true
        }
        let turns: Double
        if before {
            turns = ((start - place.time) / span).rounded(.up)
        } else {
            turns = -(((place.time - end) / span).rounded(.down) + 1)
        }
        place.time += turns * span
        switch how.mode {
        case .loopRepeat: place.added -= turns * (endValue - startValue)
        case .loopOscillate where turns.truncatingRemainder(dividingBy: 2) != 0:
            place.time = start + (span - (place.time - start))
            place.isBefore = true
        default: break
        }
        return true
    }

    /// The position of the first knot at or after a time.
    private func position(of time: Double) -> Int {
        var low = 0
        var high = knots.count
        while low < high {
            let middle = (low + high) / 2
            if knots[middle].time < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func value(_ place: Place, _ loop: Loop?) -> Double? {
        let time = place.time
        let k = position(of: time)
        if k < knots.count, knots[k].time == time {
            let knot = knots[k]
            if place.isBefore {
                if k > 0, knots[k - 1].next == .held { return knots[k - 1].value }
                if k > 0, knots[k - 1].next == .valueBlock { return nil }
                return knot.preValue ?? knot.value
            }
            return (k + 1 == knots.count ? postExtrapolation.mode == .valueBlock : knot.next == .valueBlock) ? nil : knot.value
        }
        var previous = k > 0 ? knots[k - 1] : nil
        var next = k < knots.count ? knots[k] : nil
        if let loop {
            let head = knots[loop.head]
            let hasTail = loop.tail > loop.head
            if time > knots[loop.tail].time, time < loop.parameters.protoEnd {
                next = loop.copy(head, 1)
            } else if time < loop.start {
                guard let p = previous else {
                    // Before all: the first two are copies, unless authored ones come first.
                    if loop.start < knots[0].time {
                        let second = loop.copy(hasTail ? knots[loop.head + 1] : head, hasTail ? -loop.pre : 1 - loop.pre)
                        return before(time, loop.copy(head, -loop.pre), second)
                    }
                    return before(time, knots[0], knots.count > 1 ? knots[1] : nil)
                }
                // The last authored knot before the copies goes on to the first of them.
                if next.map({ $0.time >= loop.start }) ?? true, p.time < loop.start { next = loop.copy(head, -loop.pre) }
            } else if time > loop.end {
                if next == nil, loop.end > knots[knots.count - 1].time {
                    return behind(time, loop.copy(head, loop.post + 1), loop.copy(knots[loop.tail], loop.post))
                }
                // Only on the way to a knot: behind all knots the last one goes on.
                if next != nil, previous.map({ $0.time <= loop.end }) ?? true { previous = loop.copy(head, loop.post + 1) }
            }
        }
        guard let a = previous else { return next.flatMap { before(time, $0, knots.count > 1 ? knots[1] : nil) } }
        guard let b = next else { return behind(time, a, knots.count > 1 ? knots[knots.count - 2] : nil) }
        switch a.next {
        case .valueBlock: return nil
        case .held: return a.value
        case .linear: return a.value + a.slope(to: b) * (time - a.time)
        case .curve: return curve(a, b, time)
        }
    }

    private func before(_ time: Double, _ edge: Knot, _ other: Knot?) -> Double? {
        let value = edge.preValue ?? edge.value
        guard let slope = slope(preExtrapolation, edge, other, from: edge) else { return nil }
        return slope == 0 ? value : value - slope * (edge.time - time)
    }

    private func behind(_ time: Double, _ edge: Knot, _ other: Knot?) -> Double? {
        guard let slope = slope(postExtrapolation, edge, other, from: other) else { return nil }
        return slope == 0 ? edge.value : edge.value + slope * (time - edge.time)
    }

    /// The slope beyond the first or last knot; nil where there is no value.
    ///
    /// - Parameter from: the earlier one of the two knots at that end.
    private func slope(_ how: Extrapolation, _ edge: Knot, _ other: Knot?, from earlier: Knot?) -> Double? {
        switch how.mode {
        case .valueBlock: return nil
        case .sloped: return how.slope
        case .linear:
            // Flat where the knot has two values.
            guard let other, let earlier, knots.count > 1, edge.preValue == nil else { return 0 }
            let isBefore = edge.time < other.time
            switch earlier.next {
            case .held, .valueBlock: return 0
            case .linear: return isBefore ? edge.slope(to: other) : other.slope(to: edge)
            case .curve: return isBefore ? edge.postTangentSlope : edge.preTangentSlope
            }
        case .held, .loopRepeat, .loopReset, .loopOscillate: return 0
        }
    }

    // MARK: Curves

    private func curve(_ a: Knot, _ b: Knot, _ time: Double) -> Double {
        let span = b.time - a.time
        let end = b.preValue ?? b.value
        if curveType == .hermite {
            let u = (time - a.time) / span
            let m0 = span * a.postTangentSlope
            let m1 = span * b.preTangentSlope
            let c3 = 2 * (a.value - end) + m0 + m1
            let c2 = 3 * (end - a.value) - 2 * m0 - m1
            return ((c3 * u + c2) * u + m0) * u + a.value
        }
        let (w0, w1) = Self.forward(max(0, a.postTangentWidth), max(0, b.preTangentWidth), span)
        // Time is a cubic of the parameter that rises from knot to knot.
        let u = Cubic(a.time - time, a.time + w0 - time, b.time - w1 - time, b.time - time).root
        if !(u > 0) { return a.value }
        if u >= 1 { return b.value }
        return Cubic(a.value, a.value + w0 * a.postTangentSlope, end - w1 * b.preTangentSlope, end).value(u)
    }

    /// A Bézier curve's polynomial.
    private struct Cubic {
        var a: Double
        var b: Double
        var c: Double
        var d: Double

        init(_ p0: Double, _ p1: Double, _ p2: Double, _ p3: Double) {
            a = -p0 + 3 * p1 - 3 * p2 + p3
            b = 3 * p0 - 6 * p1 + 3 * p2
            c = -3 * p0 + 3 * p1
            d = p0
        }

        func value(_ t: Double) -> Double { t * (t * (t * a + b) + c) + d }

        /// The one zero between 0 and 1 of a polynomial that rises there: by Cardano's formula, as OpenUSD finds it, so that the
        /// bits agree.
        var root: Double {
            let small = 1e-10
            if abs(a) < small {
                if abs(b) < small { return -d / c }
                let r = (c * c - 4 * b * d).squareRoot()
                return Self.inside((-c - r) / (2 * b), (-c + r) / (2 * b), -1)
            }
            let p2 = b / a
            let p1 = c / a
            let p0 = d / a
            let p = (3 * p1 - p2 * p2) / 3 / 3
            let cube = p * p * p
            let q = (2 * p2 * p2 * p2 - 9 * p2 * p1 + 27 * p0) / 27 / 2
            let discriminant = q * q + cube
            let shift = p2 / 3
            if discriminant < 0 {
                let r = (-cube).squareRoot()
                let angle = acos(min(max(-(q * 2) / (2 * r), -1), 1))
                let length = 2 * cbrt(r)
                return Self.inside(
                    length * cos(angle / 3) - shift, length * cos((angle + 2 * Double.pi) / 3) - shift,
                    length * cos((angle + 4 * Double.pi) / 3) - shift)
            }
            if discriminant == 0 {
                let u = -cbrt(q)
                return Self.inside(2 * u - shift, -u - shift, -1)
            }
            let r = discriminant.squareRoot()
            return cbrt(r - q) - cbrt(r + q) - shift
        }

        /// The last of some numbers that lies between 0 and 1.
        private static func inside(_ x: Double, _ y: Double, _ z: Double) -> Double {
            if z >= 0, z <= 1 { return z }
            if y >= 0, y <= 1 { return y }
            return x >= 0 && x <= 1 ? x : 0
        }
    }
}

extension Spline.Knot {
    /// From this knot's value to what the next one comes in with.
    fileprivate func slope(to next: Spline.Knot) -> Double { ((next.preValue ?? next.value) - value) / (next.time - time) }
}

extension Spline.Extrapolation {
    fileprivate var loops: Bool { mode == .loopRepeat || mode == .loopReset || mode == .loopOscillate }
}
