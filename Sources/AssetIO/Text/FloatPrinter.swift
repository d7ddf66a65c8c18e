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
        return p - out + (digits < 100_000_000 ? place(short: digits, power, p) : place(long: UInt64(digits), power, p))
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
        if digits < 100_000_000 { return p - out + place(short: UInt32(truncatingIfNeeded: digits), power, p) }
        return p - out + place(long: digits, power, p)
    }

    public static func print(_ value: Int, to out: UnsafeMutablePointer<UInt8>) -> Int {
        if value < 0 {
            out[0] = UInt8(ascii: "-")
            return 1 + print(value.magnitude, to: out + 1)
        }
        return print(UInt(bitPattern: value), to: out)
    }

    public static func print(_ value: UInt, to out: UnsafeMutablePointer<UInt8>) -> Int {
        if value < 100_000_000 {
            let digits = eightDigits(UInt32(truncatingIfNeeded: value))
            // Zero has one digit, too.
            let leading = min(digits.trailingZeroBitCount & ~7, 56)
            store(digits >> UInt64(leading) | zeros, out)
            return 8 &- leading / 8
        }
        let count = print(value / 100_000_000, to: out)
        store(eightDigits(UInt32(truncatingIfNeeded: value % 100_000_000)) | zeros, out + count)
        return count &+ 8
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

    // Digits are made eight at a time, a byte each in one word, the first in the lowest byte. Zeros at either end are then
    // counted by one instruction, and whole words are stored: what is beyond the end is overwritten or not counted. A loop
    // over the digits takes twice as long, since their number is hard to predict.

    private static let zeros: UInt64 = 0x3030_3030_3030_3030

    /// The eight decimal digits of a number below 10^8.
    @inline(__always)
    private static func eightDigits(_ value: UInt32) -> UInt64 {
        let high = value / 10_000
        var x = UInt64(high) | UInt64(value &- high &* 10_000) << 32
        let hundreds = ((x &* 10_486) >> 20) & 0x0000_007F_0000_007F
        x = hundreds | (x &- hundreds &* 100) << 16
        let tens = ((x &* 103) >> 10) & 0x000F_000F_000F_000F
        return tens | (x &- tens &* 10) << 8
    }

    @inline(__always)
    private static func store(_ word: UInt64, _ p: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(p).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    @inline(__always)
    private static func load(_ p: UnsafeMutablePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
    }

    /// Puts `digits * 10^power` without trailing zeros, for 1 to 8 digits; returns the count of bytes.
    @inline(__always)
    private static func place(short digits: UInt32, _ power: Int, _ p: UnsafeMutablePointer<UInt8>) -> Int {
        let word = eightDigits(digits)
        let leading = word.trailingZeroBitCount & ~7
        let count = 8 &- leading / 8
        let significant = count &- word.leadingZeroBitCount / 8
        let text = word >> UInt64(truncatingIfNeeded: leading) | zeros
        // The value is d.ddd * 10^exponent.
        let exponent = power &+ count &- 1
        if exponent >= 0, exponent < 7, significant > exponent &+ 1 {
            let shift = UInt64(truncatingIfNeeded: 8 &* (exponent &+ 1))
            store(text, p)
            p[exponent &+ 1] = UInt8(ascii: ".")
            store(text >> shift, p + (exponent &+ 2))
            return significant &+ 1
        }
        if exponent < 0, exponent >= -6 {
            store(0x3030_3030_3030_2E30, p)
            store(text, p + (1 &- exponent))
            return 1 &- exponent &+ significant
        }
        if exponent >= 0, exponent < 15 {
            store(text, p)
            store(zeros, p + 8)
            return exponent &+ 1
        }
        store(text, p + 1)
        return finishExponent(significant, exponent, p)
    }

    /// The same for 9 to 17 digits.
    @inline(never)
    private static func place(long digits: UInt64, _ power: Int, _ p: UnsafeMutablePointer<UInt8>) -> Int {
        let (high, low) = (digits / 100_000_000, digits % 100_000_000)
        let first = high / 100_000_000
        let highWord = eightDigits(UInt32(truncatingIfNeeded: high % 100_000_000))
        let lowWord = eightDigits(UInt32(truncatingIfNeeded: low))
        let leading = first != 0 ? 0 : highWord.trailingZeroBitCount & ~7
        let count = (first != 0 ? 17 : 16) &- leading / 8
        let trailing = lowWord != 0 ? lowWord.leadingZeroBitCount / 8 : 8 &+ highWord.leadingZeroBitCount / 8
        let significant = max(1, count &- trailing)
        let exponent = power &+ count &- 1
        let isWhole = exponent >= 0 && exponent < 15 && significant <= exponent &+ 1
        let isSmall = exponent < 0 && exponent >= -6
        var at = p + (isWhole ? 0 : isSmall ? 1 &- exponent : 1)
        let start = at
        if isSmall { store(0x3030_3030_3030_2E30, p) }
        if first != 0 {
            at[0] = UInt8(truncatingIfNeeded: first) &+ 48
            at += 1
        }
        store(highWord >> UInt64(truncatingIfNeeded: leading) | zeros, at)
        at += 8 &- leading / 8
        store(lowWord | zeros, at)
        if isWhole {
            store(zeros, at + 8)
            return exponent &+ 1
        }
        if isSmall { return start - p + significant }
        if exponent < 0 || exponent >= 15 { return finishExponent(significant, exponent, p) }
        // The digits before the point move one place to the left.
        if exponent < 8 {
            let rest = load(p + (exponent &+ 2))
            store(load(p + 1), p)
            store(rest, p + (exponent &+ 2))
        } else {
            for k in 0...exponent { p[k] = p[k &+ 1] }
        }
        p[exponent &+ 1] = UInt8(ascii: ".")
        return significant &+ 1
    }

    /// The point and the exponent around digits that begin at `p + 1`.
    private static func finishExponent(_ significant: Int, _ exponent: Int, _ p: UnsafeMutablePointer<UInt8>) -> Int {
        p[0] = p[1]
        p[1] = UInt8(ascii: ".")
        let end = significant == 1 ? 1 : significant &+ 1
        p[end] = UInt8(ascii: "e")
        return end &+ 1 &+ print(exponent, to: p + (end &+ 1))
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
nonisolated(unsafe) private let floatPowers: UnsafePointer<UInt64> = immortal(
    (-31...45).map { k in
        let (high, low) = PowersOfTen.shared.floor(k)
        return low == 0 && PowersOfTen.exact.contains(k) ? high : high &+ 1
    })
