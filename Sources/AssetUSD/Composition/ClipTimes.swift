/// The times of a clip set: when each clip counts, and the piecewise linear function from the set's time,
/// which stands for the stage's here, to the clips'.
struct ClipTimes {
    struct Mapping {
        /// Stage time.
        var external: Double
        /// Clip time.
        var inner: Double
        /// Whether the clip's time jumps behind this entry.
        var jumps = false
    }

    /// OpenUSD's earliest and latest times of clips.
    static let earliest = -Double.greatestFiniteMagnitude
    static let latest = Double.greatestFiniteMagnitude
    /// The smallest difference of two stage times that survives scaling, by which the left side of a jump is moved.
    private static let safeStep = 0x1p-52 * 1e6 * 10 * 2

    /// In order of stage time, with the first and the last entry doubled; empty where clips run in stage time.
    private(set) var mappings: [Mapping] = []
    /// The clips' times that entries lie between.
    private var innerRange = -Double.infinity...Double.infinity

    /// From the entries as a layer holds them, and that layer's offset to the set's time.
    init(_ pairs: [(stage: Double, clip: Double)], offset: LayerOffset) {
        // Entries of one stage time stay in the order in which they were written: it tells the sides of a jump.
        var list = pairs.map { (stage: offset.isNegligible ? $0.stage : offset.apply($0.stage), clip: $0.clip) }.enumerated()
            .sorted { ($0.element.stage, $0.offset) < ($1.element.stage, $1.offset) }
            .map { Mapping(external: $0.element.stage, inner: $0.element.clip) }
        // Nothing lies before a jump at the very start.
        if list.count > 1, list[0].external == list[1].external { list.removeFirst() }
        for i in 0..<max(0, list.count - 1) where list[i].external == list[i + 1].external {
            list[i].external -= Self.safeStep
            list[i].jumps = true
        }
        guard let first = list.first, let last = list.last else { return }
        mappings = [first] + list + [last]
        let (low, high) = list.reduce((first.inner, first.inner)) { (min($0.0, $1.inner), max($0.1, $1.inner)) }
        if low <= high { innerRange = low...high }
    }

    /// The segment that a stage time falls into: a position in `mappings` that has a next one.
    private func segment(_ time: Double) -> Int? {
        guard let first = mappings.first, let last = mappings.last else { return nil }
        if time <= first.external { return 0 }
        if time >= last.external { return mappings.count - 2 }
        return lowerBound(time) - 1
    }

    /// Position of the first entry at or after a stage time.
    func lowerBound(_ time: Double) -> Int {
        var low = 0
        var high = mappings.count
        while low < high {
            let middle = (low + high) / 2
            if mappings[middle].external < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The two ends of a segment; the left side of a jump is put back to where it was written.
    private func ends(_ i: Int) -> (Mapping, Mapping) {
        let a = mappings[i]
        var b = mappings[i + 1]
        if b.jumps, i + 2 < mappings.count { b.external = mappings[i + 2].external }
        return (a, b)
    }

    func clipTime(_ time: Double) -> Double {
        guard let i = segment(time) else { return time }
        let (a, b) = ends(i)
        if a.external == b.external || time == a.external { return a.inner }
        if time == b.external { return b.inner }
        return (b.inner - a.inner) / (b.external - a.external) * (time - a.external) + a.inner
    }

    private func stageTime(_ time: Double, _ i: Int) -> Double {
        let (a, b) = ends(i)
        if a.inner == b.inner || time == a.inner { return a.external }
        if time == b.inner { return b.external }
        return (b.external - a.external) / (b.inner - a.inner) * (time - a.inner) + a.external
    }

    /// How time codes in a clip move to the stage at a stage time: with the segment there, or the nearest one that is not a point.
    func moved(at time: Double) -> (Double) -> Double {
        guard var i = segment(time) else { return { $0 } }
        let n = mappings.count
        if !mappings[i + 1].jumps {
            if mappings[i].jumps, i + 2 < n {
                i += 1
            } else if i == 0, n >= 3 {
                i = 1
            } else if i + 1 == n - 1, n >= 3 {
                i = n - 3
            }
        }
        let (a, b) = ends(i)
        return { time in
            if a.inner == b.inner || time == a.inner { return a.external }
            if time == b.inner { return b.external }
            return (b.external - a.external) / (b.inner - a.inner) * (time - a.inner) + a.external
        }
    }

    /// The stage times of two neighbouring sample times of a clip around a stage time: of the many that a clip time may have,
    /// those nearest to it on either side.
    func stageTimes(_ lower: Double, _ upper: Double, around time: Double) -> (Double, Double) {
        guard let start = segment(time) else { return (lower, upper) }
        func translated(_ inner: Double, _ i: Int, isLower: Bool) -> Double? {
            let a = mappings[i]
            let b = mappings[i + 1]
            guard !a.jumps, min(a.inner, b.inner) <= inner, inner <= max(a.inner, b.inner) else { return nil }
            if a.inner != b.inner { return stageTime(inner, i) }
            if lower == upper, time == a.external { return a.external }
            if lower == upper, time == b.external { return b.external }
            return isLower ? a.external : b.external
        }
        var low: Double?
        var high: Double?
        if innerRange.contains(lower) {
            for i in stride(from: start, through: 0, by: -1) {
                low = translated(lower, i, isLower: true)
                if low != nil { break }
            }
        }
        if innerRange.contains(upper) {
            for i in start..<(mappings.count - 1) {
                high = translated(upper, i, isLower: false)
                if high != nil { break }
            }
        }
        if let known = low ?? high { return (low ?? known, high ?? known) }
        // Both lie beyond the mapped times.
        func clamped(_ inner: Double) -> Double {
            guard let first = mappings.first, let last = mappings.last else { return inner }
            return inner < first.inner ? first.external : inner > last.inner ? last.external : first.external
        }
        return (clamped(lower), clamped(upper))
    }

    /// All stage times from `start` to before `end` that a clip's sample times have, until `add` says that it wants no more.
    func stageTimes(_ samples: [Double], _ start: Double, _ end: Double, _ add: (Double) -> Bool) {
        func take(_ t: Double) -> Bool { start <= t && t < end ? add(t) : true }
        if mappings.isEmpty {
            for t in samples where !take(t) { return }
            return
        }
        // Each of many clips looks only at the entries of its own time; the left sides of jumps may stand a little out of order.
        let first = max(0, lowerBound(start - 2 * Self.safeStep) - 1)
        for i in first..<max(first, mappings.count - 1) {
            let a = mappings[i]
            let b = mappings[i + 1]
            guard take(a.external), a.external <= end + 2 * Self.safeStep else { return }
            guard !a.jumps, b.external >= start, a.external < end || (i == 0 && a.external <= end) else { continue }
            let low = min(a.inner, b.inner)
            let high = max(a.inner, b.inner)
            var k = Self.lowerBound(samples, low)
            while k < samples.count, samples[k] <= high {
                if a.inner == b.inner {
                    // The same for every sample.
                    guard take(a.external), take(b.external) else { return }
                    break
                }
                guard take(stageTime(samples[k], i)) else { return }
                k += 1
            }
        }
        if let last = mappings.last { _ = take(last.external) }
    }

    static func lowerBound(_ times: [Double], _ t: Double) -> Int {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < t { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The sample times on both sides of a time: twice the same where it is one of them or outside.
    static func bracket(_ times: [Double], _ t: Double) -> (Double, Double)? {
        guard let first = times.first, let last = times.last else { return nil }
        if t <= first { return (first, first) }
        if t >= last { return (last, last) }
        let i = lowerBound(times, t)
        return times[i] == t ? (t, t) : (times[i - 1], times[i])
    }

    /// The entries on both sides of a stage time.
    func bracket(_ t: Double) -> (Double, Double)? {
        guard let first = mappings.first, let last = mappings.last else { return nil }
        if t <= first.external { return (first.external, first.external) }
        if t >= last.external { return (last.external, last.external) }
        let i = lowerBound(t)
        return mappings[i].external == t ? (t, t) : (mappings[i - 1].external, mappings[i].external)
    }
}
