/// 128-bit leading parts of the powers of ten, shared by reading and printing of numbers.
///
/// Entry `k` holds `floor(10^k * 2^s)` with `s` chosen so that the highest of the 128 bits is set. The entries are worked
/// out exactly at first use (about 0.2 ms), which takes less room than a table of 1300 literals.
struct PowersOfTen: Sendable {
    static let lowest = -342
    static let highest = 324
    /// Powers that fit in 128 bits, so that the entry is the power itself.
    static let exact = 0...55

    static let shared = PowersOfTen()

    /// High and low halves in turn. A pointer for ever, since counting references of an array costs as much as printing a number.
    private nonisolated(unsafe) let halves: UnsafePointer<UInt64>

    private init() {
        let halves = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * (Self.highest - Self.lowest + 1))
        func store(_ limbs: [UInt64], _ power: Int) {
            var top = limbs.count - 1
            while limbs[top] == 0 { top -= 1 }
            let shift = limbs[top].leadingZeroBitCount
            func limb(_ i: Int) -> UInt64 { i >= 0 ? limbs[i] : 0 }
            func shifted(_ i: Int) -> UInt64 { shift == 0 ? limb(i) : limb(i) << shift | limb(i - 1) >> (64 - shift) }
            halves[2 * (power - Self.lowest)] = shifted(top)
            halves[2 * (power - Self.lowest) + 1] = shifted(top - 1)
        }
        // Powers of two only shift, so 5^k stands for 10^k. 5^324 has 753 bits.
        var power = [UInt64](repeating: 0, count: 13)
        power[0] = 1
        for k in 0...Self.highest {
            store(power, k)
            var carry: UInt64 = 0
            for i in power.indices {
                let product = power[i].multipliedFullWidth(by: 5)
                let sum = product.low.addingReportingOverflow(carry)
                power[i] = sum.partialValue
                carry = product.high &+ (sum.overflow ? 1 : 0)
            }
        }
        // floor(floor(x / 5) / 5) is floor(x / 25), so dividing 2^1216 again and again keeps exact leading bits:
        // 2^1216 / 5^342 still has 421 of them.
        var reciprocal = [UInt64](repeating: 0, count: 20)
        reciprocal[19] = 1
        for k in 1...(-Self.lowest) {
            var remainder: UInt64 = 0
            for i in reciprocal.indices.reversed() {
                let (q, r) = UInt64(5).dividingFullWidth((remainder, reciprocal[i]))
                reciprocal[i] = q
                remainder = r
            }
            store(reciprocal, -k)
        }
        self.halves = UnsafePointer(halves)
    }

    /// The leading 128 bits, rounded down; `k` is within `lowest...highest`.
    @inline(__always)
    func floor(_ k: Int) -> (high: UInt64, low: UInt64) {
        assert(k >= Self.lowest && k <= Self.highest)
        let at = 2 &* (k &- Self.lowest)
        return (halves[at], halves[at &+ 1])
    }

    /// The leading 128 bits, rounded up.
    @inline(__always)
    func ceiling(_ k: Int) -> (high: UInt64, low: UInt64) {
        let (high, low) = floor(k)
        if k >= 0, k <= 55 { return (high, low) }
        let sum = low.addingReportingOverflow(1)
        return (high &+ (sum.overflow ? 1 : 0), sum.partialValue)
    }
}

/// A table that lives as long as the program, to be read without counting references.
func immortal<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
    let table = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    table.initialize(from: elements, count: elements.count)
    return UnsafePointer(table)
}
