extension Spline {
    /// The tangents that are computed and not written (`autoEase`), as OpenUSD does when it reads a spline: whatever the file says of
    /// them is replaced. A tangent is a third of the way to the neighbour, at a slope between those to both neighbours: flat at the
    /// ends, where the value jumps or is blocked, and where the neighbours lie both above or both below.
    mutating func computeTangents() {
        let authored = knots
        for i in authored.indices {
            let knot = authored[i]
            let previous = i > 0 ? authored[i - 1] : nil
            let next = i + 1 < authored.count ? authored[i + 1] : nil
            if knot.preTangentAlgorithm == Self.autoEase, let previous {
                (knots[i].preTangentWidth, knots[i].preTangentSlope) = eased(previous, knot, next, span: knot.time - previous.time)
            }
            if knot.postTangentAlgorithm == Self.autoEase, let next {
                (knots[i].postTangentWidth, knots[i].postTangentSlope) = eased(previous, knot, next, span: next.time - knot.time)
            }
        }
    }

    /// Shortens the tangents of curves on which time would run backwards, as OpenUSD does when it reads a crate, and once more when
    /// it evaluates.
    mutating func shortenTangents() {
        guard curveType == .bezier else { return }
        for i in knots.indices.dropLast() where knots[i].next == .curve {
            (knots[i].postTangentWidth, knots[i + 1].preTangentWidth) = Self.forward(
                knots[i].postTangentWidth, knots[i + 1].preTangentWidth, knots[i + 1].time - knots[i].time)
        }
    }

    /// The widths of two tangents as far as time runs forward: longer ones are shortened in the same proportion, a little more than
    /// they need be, as OpenUSD does.
    static func forward(_ first: Double, _ second: Double, _ span: Double) -> (Double, Double) {
        let tiny = 1e-6
        let margin = 1e-5
        let a = first / span
        let b = second / span
        if a <= 1, b <= 1 { return (first, second) }
        let x = a + tiny
        let y = b + tiny
        guard x * x + y * y - 2 * (x + y) + x * y + 1 > 0 else { return (first, second) }
        if a < tiny { return (first, (1 - margin) * span) }
        if b < tiny { return ((1 - margin) * span, second) }
        let ratio = a / b
        let shortened = (ratio.squareRoot() + ratio + 1) / (ratio * ratio + ratio + 1)
        return ((ratio * shortened - margin) * span, (shortened - margin) * span)
    }

    private static let autoEase: UInt8 = 2

    private func eased(_ previous: Knot?, _ knot: Knot, _ next: Knot?, span: Double) -> (width: Double, slope: Double) {
        let width = span / 3
        guard let previous, let next, knot.preValue == nil, knot.next != .valueBlock, previous.next != .valueBlock else { return (width, 0) }
        let before = (knot.value - previous.value) / (knot.time - previous.time)
        let after = ((next.preValue ?? next.value) - knot.value) / (next.time - knot.time)
        guard before * after > 0 else { return (width, 0) }
        // The nearer neighbour has the greater say, by a cubic of how near it is.
        let place = (knot.time - previous.time) / (next.time - previous.time) - 0.5
        let share = 0.5 + place * (0.5 + 2 * place * place)
        let blended = (1 - share) * before + share * after
        let slope = after > 0 ? min(blended, 3 * after, 3 * before) : max(blended, 3 * after, 3 * before)
        let stored = rounded(slope)
        if stored.isFinite { return (width, stored) }
        // Too steep for the type: as far up in a longer way.
        let steepest = (valueType == .half ? 65504 : Double(Float.greatestFiniteMagnitude)) * (slope < 0 ? -1 : 1)
        return (slope * width / steepest, steepest)
    }

    private func rounded(_ d: Double) -> Double {
        switch valueType {
        case .float: Double(Float(d))
        case .half: halfValue(halfBits(d))
        default: d
        }
    }
}
