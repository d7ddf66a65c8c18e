/// Numbers as text: the shortest digits that read back as the same value, the nearest of them to it, without locale.
///
/// Plain decimals from 1e-6 up to below 1e15 (`0.000001`, `120000`), an exponent beyond (`1e-7`, `1.5e20`); `1`, not `1.0`;
/// `inf`, `-inf`, `nan`. These are the spellings of USD's text files, and every reader of OBJ, PLY and JSON takes them
/// (JSON has no word for the non-finite ones).
public enum FloatPrinter {
    /// No number needs more bytes than this.
    public static let maximumCount = 32

    /// Writes a number at `out`, which has room for `maximumCount` bytes, and returns how many were written.
    public static func print(_ value: Float, to out: UnsafeMutablePointer<UInt8>) -> Int {
        let bits = value.bitPattern
        var p = out
        if bits >> 31 != 0 {
            p[0] = UInt8(ascii: "-")
            p += 1
        }
        let exponent = Int(bits >> 23 & 0xFF)
        let significand = bits & 0x7F_FFFF
        if exponent == 0xFF { return special(significand == 0, out, p) }
        if exponent == 0, significand == 0 {
            p[0] = UInt8(ascii: "0")
            return p - out + 1
        }
        let (digits, power) = shortest(significand, exponent)
        return p - out + place(UInt64(digits), power, p)
    }

    public static func print(_ value: Double, to out: UnsafeMutablePointer<UInt8>) -> Int {
        let bits = value.bitPattern
        var p = out
        if bits >> 63 != 0 {
            p[0] = UInt8(ascii: "-")
            p += 1
        }
        let exponent = Int(bits >> 52 & 0x7FF)
        let significand = bits & (1 << 52 - 1)
        if exponent == 0x7FF { return special(significand == 0, out, p) }
        if exponent == 0, significand == 0 {
            p[0] = UInt8(ascii: "0")
            return p - out + 1
        }
        let (digits, power) = shortest(significand, exponent)
        return p - out + place(digits, power, p)
    }

    public static func print(_ value: Int, to out: UnsafeMutablePointer<UInt8>) -> Int {
        if value < 0 {
            out[0] = UInt8(ascii: "-")
            return 1 + print(value.magnitude, to: out + 1)
        }
        return print(UInt(bitPattern: value), to: out)
    }

    public static func print(_ value: UInt, to out: UnsafeMutablePointer<UInt8>) -> Int {
        let count = digitCount(UInt64(value))
        put(UInt64(value), count, out)
        return count
    }

    /// The text as a String, where speed does not matter.
    public static func text(_ value: Float) -> String { text { print(value, to: $0) } }
    public static func text(_ value: Double) -> String { text { print(value, to: $0) } }

    private static func text(_ body: (UnsafeMutablePointer<UInt8>) -> Int) -> String {
        String(unsafeUninitializedCapacity: maximumCount) { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            return body(base)
        }
    }

    private static func special(_ isInfinite: Bool, _ out: UnsafeMutablePointer<UInt8>, _ p: UnsafeMutablePointer<UInt8>) -> Int {
        // The sign of a NaN says nothing.
        let at = isInfinite ? p : out
        let word: StaticString = isInfinite ? "inf" : "nan"
        at.update(from: word.utf8Start, count: 3)
        return at - out + 3
    }

    // MARK: Digits

    /// Puts `digits * 10^power` without trailing zeros; returns the count of bytes.
    @inline(__always)
    private static func place(_ allDigits: UInt64, _ allPower: Int, _ p: UnsafeMutablePointer<UInt8>) -> Int {
        var digits = allDigits
        var power = allPower
        while digits % 100 == 0 {
            digits /= 100
            power &+= 2
        }
        if digits % 10 == 0 {
            digits /= 10
            power &+= 1
        }
        let count = digitCount(digits)
        // The value is d.ddd * 10^exponent.
        let exponent = power &+ count &- 1
        if exponent >= -6, exponent < 15 {
            if power >= 0 {
                put(digits, count, p)
                for k in 0..<power { p[count &+ k] = UInt8(ascii: "0") }
                return count &+ power
            }
            if exponent >= 0 {
                // Digits once, one place to the right, then those before the point moved back.
                put(digits, count, p + 1)
                for k in 0...exponent { p[k] = p[k &+ 1] }
                p[exponent &+ 1] = UInt8(ascii: ".")
                return count &+ 1
            }
            let zeros = 0 &- exponent
            p[0] = UInt8(ascii: "0")
            p[1] = UInt8(ascii: ".")
            for k in 1..<zeros { p[1 &+ k] = UInt8(ascii: "0") }
            put(digits, count, p + (1 &+ zeros))
            return 1 &+ zeros &+ count
        }
        var end = 1
        if count == 1 {
            p[0] = UInt8(truncatingIfNeeded: digits) &+ 48
        } else {
            put(digits, count, p + 1)
            p[0] = p[1]
            p[1] = UInt8(ascii: ".")
            end = count &+ 1
        }
        p[end] = UInt8(ascii: "e")
        end &+= 1
        return end &+ print(exponent, to: p + end)
    }

    @inline(__always)
    private static func digitCount(_ value: UInt64) -> Int {
        if value < 10 { return 1 }
        // 1233/4096 is a little more than log10(2).
        let guess = ((64 &- value.leadingZeroBitCount) &* 1233) >> 12
        return value >= integerPowers[guess] ? guess &+ 1 : guess
    }

    /// Puts exactly `count` digits.
    @inline(__always)
    private static func put(_ value: UInt64, _ count: Int, _ p: UnsafeMutablePointer<UInt8>) {
        let pairs = digitPairs.utf8Start
        var rest = value
        var k = count
        while k >= 2 {
            let (q, r) = (rest / 100, rest % 100)
            rest = q
            k &-= 2
            p[k] = pairs[Int(r) &* 2]
            p[k &+ 1] = pairs[Int(r) &* 2 &+ 1]
        }
        if k == 1 { p[0] = UInt8(truncatingIfNeeded: rest) &+ 48 }
    }

    // MARK: Shortest decimal

    // R. Giulietti, "The Schubfach way to render doubles" (2020). With c * 2^q the value and k = floor(log10(2^q)), the interval
    // that rounds to it holds one or two multiples of 10^k and at most one of 10^(k+1). The three bounds are scaled by
    // 10^-k, kept in quarters, and rounded to odd so that comparisons stay right.

    @inline(__always)
    private static func shortest(_ significand: UInt32, _ biased: Int) -> (digits: UInt32, power: Int) {
        let c: UInt32
        let q: Int
        if biased != 0 {
            c = 1 << 23 | significand
            q = biased &- 150
            if q <= 0, q > -24, c & (1 << UInt32(truncatingIfNeeded: 0 &- q) &- 1) == 0 {
                return (c >> UInt32(truncatingIfNeeded: 0 &- q), 0)
            }
        } else {
            c = significand
            q = -149
        }
        let isOdd = c & 1
        let isLowerCloser = significand == 0 && biased > 1
        let k = (q &* 1_262_611 &- (isLowerCloser ? 524_031 : 0)) >> 22
        let h = UInt32(truncatingIfNeeded: q &+ ((0 &- k) &* 1_741_647) >> 19 &+ 1)
        let g = floatPowers[0 &- k &+ 31]
        let low = scaled(g, (4 &* c &- 2 &+ (isLowerCloser ? 1 : 0)) << h) &+ isOdd
        let mid = scaled(g, (4 &* c) << h)
        let high = scaled(g, (4 &* c &+ 2) << h) &- isOdd
        let s = mid / 4
        if s >= 10 {
            let tens = s / 10
            let isBelowInside = low <= 40 &* tens
            let isAboveInside = 40 &* tens &+ 40 <= high
            if isBelowInside != isAboveInside { return (tens &+ (isAboveInside ? 1 : 0), k &+ 1) }
        }
        let isBelowInside = low <= 4 &* s
        let isAboveInside = 4 &* s &+ 4 <= high
        if isBelowInside != isAboveInside { return (s &+ (isAboveInside ? 1 : 0), k) }
        let half = 4 &* s &+ 2
        return (s &+ (mid > half || (mid == half && s & 1 != 0) ? 1 : 0), k)
    }

    /// The upper part of the product, rounded to odd.
    @inline(__always)
    private static func scaled(_ g: UInt64, _ value: UInt32) -> UInt32 {
        let product = g.multipliedFullWidth(by: UInt64(value))
        let upper = UInt32(truncatingIfNeeded: product.high)
        let next = UInt32(truncatingIfNeeded: product.low >> 32)
        return upper | (next > 1 ? 1 : 0)
    }

    @inline(__always)
    private static func shortest(_ significand: UInt64, _ biased: Int) -> (digits: UInt64, power: Int) {
        let c: UInt64
        let q: Int
        if biased != 0 {
            c = 1 << 52 | significand
            q = biased &- 1075
            if q <= 0, q > -53, c & (1 << UInt64(truncatingIfNeeded: 0 &- q) &- 1) == 0 {
                return (c >> UInt64(truncatingIfNeeded: 0 &- q), 0)
            }
        } else {
            c = significand
            q = -1074
        }
        let isOdd = c & 1
        let isLowerCloser = significand == 0 && biased > 1
        let k = (q &* 1_262_611 &- (isLowerCloser ? 524_031 : 0)) >> 22
        let h = UInt64(truncatingIfNeeded: q &+ ((0 &- k) &* 1_741_647) >> 19 &+ 1)
        let g = PowersOfTen.shared.ceiling(0 &- k)
        let low = scaled(g, (4 &* c &- 2 &+ (isLowerCloser ? 1 : 0)) << h) &+ isOdd
        let mid = scaled(g, (4 &* c) << h)
        let high = scaled(g, (4 &* c &+ 2) << h) &- isOdd
        let s = mid / 4
        if s >= 10 {
            let tens = s / 10
            let isBelowInside = low <= 40 &* tens
            let isAboveInside = 40 &* tens &+ 40 <= high
            if isBelowInside != isAboveInside { return (tens &+ (isAboveInside ? 1 : 0), k &+ 1) }
        }
        let isBelowInside = low <= 4 &* s
        let isAboveInside = 4 &* s &+ 4 <= high
        if isBelowInside != isAboveInside { return (s &+ (isAboveInside ? 1 : 0), k) }
        let half = 4 &* s &+ 2
        return (s &+ (mid > half || (mid == half && s & 1 != 0) ? 1 : 0), k)
    }

    @inline(__always)
    private static func scaled(_ g: (high: UInt64, low: UInt64), _ value: UInt64) -> UInt64 {
        let lower = g.low.multipliedFullWidth(by: value)
        let upper = g.high.multipliedFullWidth(by: value)
        let sum = upper.low.addingReportingOverflow(lower.high)
        return (upper.high &+ (sum.overflow ? 1 : 0)) | (sum.partialValue > 1 ? 1 : 0)
    }
}

/// The leading 64 bits, rounded up, of the powers of ten that floats need: -31 to 45.
private let floatPowers: [UInt64] = (-31...45).map { k in
    let (high, low) = PowersOfTen.shared.floor(k)
    return low == 0 && PowersOfTen.exact.contains(k) ? high : high &+ 1
}

private let integerPowers: [UInt64] = [
    1, 10, 100, 1000, 10000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
    1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000,
    100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]

private let digitPairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960\
    616263646566676869707172737475767778798081828384858687888990919293949596979899
    """
