/// Numbers in text, straight from the bytes: exact (the nearest value, ties to even), without locale and without Strings.
///
/// Every function reads the longest number that starts at `i` and moves `i` behind it; where there is none it returns
/// nil and leaves `i`. What may follow a number is the caller's business.
public enum FloatParser {
    /// `[+-] digits [. digits] [(e|E) [+-] digits]`, where one side of the point may be empty, or `inf`, `infinity`, `nan`
    /// in any letter case. Too large becomes infinity, too small zero, as in C.
    public static func double(_ bytes: Span<UInt8>, at i: inout Int) -> Double? {
        guard let number = Decimal(bytes, i) else { return special(bytes, at: &i) }
        let start = i
        i = number.end
        let magnitude: Double
        if number.isExact, let value = number.nearestDouble {
            magnitude = value
        } else {
            magnitude = Double(text(bytes, start, number)) ?? .nan
        }
        return number.isNegative ? -magnitude : magnitude
    }

    /// Like `double`, rounded once: the float nearest to the text, not to the double nearest to the text.
    public static func float(_ bytes: Span<UInt8>, at i: inout Int) -> Float? {
        guard let number = Decimal(bytes, i) else {
            guard let value = special(bytes, at: &i) else { return nil }
            return Float(value)
        }
        let start = i
        i = number.end
        let magnitude: Float
        if number.isExact, let value = number.nearestDouble, isSafeToNarrow(value) {
            magnitude = Float(value)
        } else {
            magnitude = Float(text(bytes, start, number)) ?? .nan
        }
        return number.isNegative ? -magnitude : magnitude
    }

    /// Whether rounding the nearest double gives the nearest float: not so halfway between two floats (the text may lie on
    /// either side of it), nor where floats lose bits near zero.
    @inline(__always)
    private static func isSafeToNarrow(_ value: Double) -> Bool {
        let isHalfway = value.bitPattern & 0x1FFF_FFFF == 0x1000_0000
        return !isHalfway && (value >= 0x1p-126 || value == 0)
    }

    /// The digits without sign, for the library's own conversion; the rare cases only.
    private static func text(_ bytes: Span<UInt8>, _ start: Int, _ number: Decimal) -> String {
        var first = start
        if bytes[first] == UInt8(ascii: "-") || bytes[first] == UInt8(ascii: "+") { first += 1 }
        var copy: [UInt8] = []
        copy.reserveCapacity(number.end - first + 1)
        for k in first..<number.end { copy.append(bytes[k]) }
        return String(decoding: copy, as: UTF8.self)
    }

    private static func special(_ bytes: Span<UInt8>, at i: inout Int) -> Double? {
        var k = i
        var isNegative = false
        if k < bytes.count, bytes[k] == UInt8(ascii: "-") || bytes[k] == UInt8(ascii: "+") {
            isNegative = bytes[k] == UInt8(ascii: "-")
            k += 1
        }
        func matches(_ word: StaticString) -> Bool {
            guard word.utf8CodeUnitCount <= bytes.count - k else { return false }
            for n in 0..<word.utf8CodeUnitCount where bytes[k + n] | 0x20 != word.utf8Start[n] { return false }
            return true
        }
        for (word, value) in [("infinity", Double.infinity), ("inf", .infinity), ("nan", .nan)] as [(StaticString, Double)]
        where matches(word) {
            i = k + word.utf8CodeUnitCount
            return isNegative ? -value : value
        }
        return nil
    }

    /// What reading an integer gave.
    public enum IntegerResult<Value: Sendable>: Sendable {
        case none
        case value(Value)
        /// Digits were there (and were passed over) but the value does not fit.
        case overflow
    }

    /// `[+-] digits`.
    public static func int64(_ bytes: Span<UInt8>, at i: inout Int) -> IntegerResult<Int64> {
        var k = i
        var isNegative = false
        if k < bytes.count, bytes[k] == UInt8(ascii: "-") || bytes[k] == UInt8(ascii: "+") {
            isNegative = bytes[k] == UInt8(ascii: "-")
            k += 1
        }
        switch magnitude(bytes, &k) {
        case .none: return .none
        case .overflow:
            i = k
            return .overflow
        case .value(let m):
            i = k
            if isNegative { return m <= 1 << 63 ? .value(Int64(truncatingIfNeeded: 0 &- m)) : .overflow }
            return m < 1 << 63 ? .value(Int64(truncatingIfNeeded: m)) : .overflow
        }
    }

    /// `[+] digits`; a minus only before zero.
    public static func uint64(_ bytes: Span<UInt8>, at i: inout Int) -> IntegerResult<UInt64> {
        var k = i
        var isNegative = false
        if k < bytes.count, bytes[k] == UInt8(ascii: "-") || bytes[k] == UInt8(ascii: "+") {
            isNegative = bytes[k] == UInt8(ascii: "-")
            k += 1
        }
        let result = magnitude(bytes, &k)
        if case .none = result { return .none }
        i = k
        if isNegative, case .value(let m) = result, m != 0 { return .overflow }
        return result
    }

    @inline(__always)
    private static func magnitude(_ bytes: Span<UInt8>, _ k: inout Int) -> IntegerResult<UInt64> {
        let start = k
        var value: UInt64 = 0
        var overflow = false
        while k < bytes.count {
            let digit = bytes[k] &- 48
            guard digit < 10 else { break }
            if k &- start >= 19 {
                // Only from the twentieth digit on can it be too much.
                let (product, over) = value.multipliedReportingOverflow(by: 10)
                let (sum, overSum) = product.addingReportingOverflow(UInt64(digit))
                overflow = overflow || over || overSum
                value = sum
            } else {
                value = value &* 10 &+ UInt64(digit)
            }
            k &+= 1
        }
        if k == start { return .none }
        return overflow ? .overflow : .value(value)
    }
}

/// A decimal number as it stands in the text: `mantissa * 10^exponent`.
private struct Decimal {
    var mantissa: UInt64
    var exponent: Int
    var isNegative: Bool
    /// Whether the mantissa holds all digits (19 always fit).
    var isExact: Bool
    var end: Int

    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ start: Int) {
        let count = bytes.count
        var k = start
        guard k >= 0, k < count else { return nil }
        var byte = bytes[k]
        isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") {
            k &+= 1
            guard k < count else { return nil }
            byte = bytes[k]
        }
        let firstDigit = k
        var value: UInt64 = 0
        while k < count {
            let digit = bytes[k] &- 48
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            k &+= 1
        }
        var digits = k &- firstDigit
        exponent = 0
        if k < count, bytes[k] == UInt8(ascii: ".") {
            k &+= 1
            let firstDecimal = k
            while k < count {
                let digit = bytes[k] &- 48
                guard digit < 10 else { break }
                value = value &* 10 &+ UInt64(digit)
                k &+= 1
            }
            exponent = firstDecimal &- k
            digits = digits &- exponent
        }
        guard digits > 0 else { return nil }
        isExact = true
        if digits > 19 {
            // Leading zeros do not count.
            var z = firstDigit
            while z < k, bytes[z] == UInt8(ascii: "0") || bytes[z] == UInt8(ascii: ".") {
                if bytes[z] == UInt8(ascii: "0") { digits &-= 1 }
                z &+= 1
            }
            isExact = digits <= 19
        }
        if k < count, bytes[k] | 0x20 == UInt8(ascii: "e") {
            var e = k &+ 1
            var isNegativeExponent = false
            if e < count, bytes[e] == UInt8(ascii: "-") || bytes[e] == UInt8(ascii: "+") {
                isNegativeExponent = bytes[e] == UInt8(ascii: "-")
                e &+= 1
            }
            let firstExponentDigit = e
            var power = 0
            while e < count {
                let digit = bytes[e] &- 48
                guard digit < 10 else { break }
                // Beyond any range already; more digits change nothing.
                if power < 1_000_000_000 { power = power &* 10 &+ Int(digit) }
                e &+= 1
            }
            if e > firstExponentDigit {
                k = e
                exponent = exponent &+ (isNegativeExponent ? 0 &- power : power)
            }
        }
        mantissa = value
        end = k
    }

    /// The double nearest to an exact mantissa; nil in the very rare cases that need more digits of the power of ten.
    @inline(__always)
    var nearestDouble: Double? {
        // Clinger: both factors are doubles without rounding, so one operation rounds once.
        if mantissa <= 1 << 53 {
            if exponent == 0 { return Double(mantissa) }
            if exponent < 0, exponent >= -22 { return Double(mantissa) / smallPowers[0 &- exponent] }
            if exponent > 0, exponent <= 22 { return Double(mantissa) * smallPowers[exponent] }
        }
        return lemireDouble
    }

    /// D. Lemire, "Number parsing at a gigabyte per second" (2021): the product with 128 bits of the power of ten decides
    /// the rounding, except where the bits that are not known could change it.
    @inline(never)
    private var lemireDouble: Double? {
        if mantissa == 0 || exponent < -342 { return 0 }
        if exponent > 308 { return .infinity }
        let leadingZeros = mantissa.leadingZeroBitCount
        let w = mantissa << leadingZeros
        // The paper's table is rounded up for these, where the product is then known to be exact enough.
        let power =
            (-27..<0).contains(exponent) ? PowersOfTen.shared.ceiling(exponent) : PowersOfTen.shared.floor(exponent)
        var (high, low) = w.multipliedFullWidth(by: power.high)
        if high & 0x1FF == 0x1FF {
            let second = w.multipliedFullWidth(by: power.low).high
            let sum = low.addingReportingOverflow(second)
            low = sum.partialValue
            if sum.overflow { high &+= 1 }
        }
        if low == .max, exponent < -27 || exponent > 55 { return nil }
        let upper = Int(high >> 63)
        var bits = high >> UInt64(upper + 9)
        var power2 = ((217_706 * exponent) >> 16) + 63 + upper - leadingZeros + 1023
        if power2 <= 0 {
            if power2 <= -63 { return 0 }
            bits >>= UInt64(1 - power2)
            bits += bits & 1
            bits >>= 1
            // A carry into the hidden bit makes it the smallest normal number, whose pattern follows by itself.
            return Double(bitPattern: bits)
        }
        if low <= 1, exponent >= -4, exponent <= 23, bits & 3 == 1, bits << UInt64(upper + 9) == high {
            // Exactly halfway: to even.
            bits &= ~1
        }
        bits += bits & 1
        bits >>= 1
        if bits >= 1 << 53 {
            bits = 1 << 52
            power2 += 1
        }
        if power2 >= 0x7FF { return .infinity }
        return Double(bitPattern: UInt64(power2) << 52 | (bits & (1 << 52 - 1)))
    }
}

/// The powers of ten that are doubles without rounding.
nonisolated(unsafe) private let smallPowers: UnsafePointer<Double> = immortal([
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
])
