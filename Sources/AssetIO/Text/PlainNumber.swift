/// Numbers as nearly all text files write them, straight from a pointer: for loops over millions of them. What is not plain
/// is left to `FloatParser`.
public enum PlainNumber {
    /// A number of at most seven digits, a point and eight more, as a mantissa and a count of decimals. It reads 24 bytes at most.
    @inlinable @inline(__always)
    public static func quickDigits(
        _ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers
    ) -> (mantissa: UInt64, decimals: Int, isNegative: Bool)? {
        var q = p
        let isNegative = q.pointee == UInt8(ascii: "-")
        q += isNegative ? 1 : 0
        let first = q
        var mantissa: UInt64 = 0
        var digit = q.pointee &- 48
        while digit <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            q += 1
            digit = q.pointee &- 48
            if q - first == 8 { return nil }
        }
        var (digits, decimals) = (q - first, 0)
        if digit == UInt8(ascii: ".") &- 48 {
            q += 1
            (mantissa, decimals) = decimalsAtOnce(q, mantissa, powers)
            q += decimals
            digits += decimals
            digit = q.pointee &- 48
        }
        // More digits, another point, an exponent.
        guard digits > 0, digit > 9, digit != UInt8(ascii: ".") &- 48, (digit &+ 48) | 0x20 != UInt8(ascii: "e") else { return nil }
        p = q
        return (mantissa, decimals, isNegative)
    }

    /// A number of at most seven digits, a point, sixteen more and an exponent, where one multiplication or division makes its value
    /// exact (Clinger 1990). It reads 40 bytes at most; nil leaves the place.
    @inlinable @inline(__always)
    public static func quickNumber(_ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Double? {
        // As C prints numbers: one digit, a point and six more, and an exponent of two digits or none. Its length is then not waited for.
        let isNegative = p.pointee == UInt8(ascii: "-")
        let q = p + (isNegative ? 1 : 0)
        let letters = UInt64(littleEndian: UnsafeRawPointer(q).loadUnaligned(as: UInt64.self)) ^ 0x3030_3030_3030_2E30
        guard (letters | (letters &+ 0x7676_7676_7676_7F76)) & 0x8080_8080_8080_8080 == 0 else { return otherNumber(&p, powers) }
        var v = (letters & ~0xFFFF) | (letters & 0xFF) &<< 8
        v = (v &* 10 &+ (v &>> 8)) & 0x00FF_00FF_00FF_00FF
        v = (v &* 100 &+ (v &>> 16)) & 0x0000_FFFF_0000_FFFF
        v = (v &* 10000 &+ (v &>> 32)) & 0xFFFF_FFFF
        let mantissa = Double(v)
        let magnitude: Double
        if q[8] <= 32 {
            p = q + 8
            magnitude = mantissa / 1e6
        } else {
            let (tens, ones) = (q[10] &- 48, q[11] &- 48)
            guard q[8] | 0x20 == UInt8(ascii: "e"), q[9] == UInt8(ascii: "-") || q[9] == UInt8(ascii: "+"), tens <= 1, ones <= 9, q[12] <= 32
            else { return otherNumber(&p, powers) }
            let exponent = Int(tens &* 10 &+ ones)
            let power = (q[9] == UInt8(ascii: "-") ? 0 &- exponent : exponent) &- 6
            guard power >= -22 else { return otherNumber(&p, powers) }
            p = q + 12
            magnitude = power <= 0 ? mantissa / powers.exact[0 &- power] : mantissa * powers.exact[power]
        }
        return isNegative ? -magnitude : magnitude
    }

    @inlinable @inline(never)
    static func otherNumber(_ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Double? {
        var q = p
        let isNegative = q.pointee == UInt8(ascii: "-")
        q += isNegative ? 1 : 0
        let first = q
        var mantissa: UInt64 = 0
        var digit = q.pointee &- 48
        while digit <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            q += 1
            digit = q.pointee &- 48
            if q - first == 8 { return nil }
        }
        var (digits, power) = (q - first, 0)
        if digit == UInt8(ascii: ".") &- 48 {
            q += 1
            var decimals: Int
            (mantissa, decimals) = decimalsAtOnce(q, mantissa, powers)
            q += decimals
            if decimals == 8 {
                // Seventeen digits more would not fit.
                guard mantissa < 10_000_000_000 else { return nil }
                let more: Int
                (mantissa, more) = decimalsAtOnce(q, mantissa, powers)
                q += more
                decimals += more
            }
            digits += decimals
            power = 0 &- decimals
            digit = q.pointee &- 48
        }
        guard digits > 0, digit > 9, digit != UInt8(ascii: ".") &- 48 else { return nil }
        if (digit &+ 48) | 0x20 == UInt8(ascii: "e") {
            q += 1
            let sign = q.pointee
            q += sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") ? 1 : 0
            let firstOfExponent = q
            var exponent = 0
            digit = q.pointee &- 48
            while digit <= 9 {
                exponent = exponent &* 10 &+ Int(digit)
                q += 1
                digit = q.pointee &- 48
                if q - firstOfExponent == 4 { return nil }
            }
            guard q > firstOfExponent else { return nil }
            power = sign == UInt8(ascii: "-") ? power &- exponent : power &+ exponent
        }
        guard mantissa < 1 << 53, power >= -22, power <= 22 else { return nil }
        let magnitude = power <= 0 ? Double(mantissa) / powers.exact[0 &- power] : Double(mantissa) * powers.exact[power]
        p = q
        return isNegative ? -magnitude : magnitude
    }

    /// A whole number of at most nine digits and nothing else, with a blank or a line end behind it. It reads ten bytes at most; nil
    /// leaves the place.
    @inlinable @inline(__always)
    public static func quickWhole(_ p: inout UnsafePointer<UInt8>) -> UInt32? {
        var q = p
        var value = UInt32(q.pointee) &- 48
        guard value <= 9 else { return nil }
        q += 1
        var digit = UInt32(q.pointee) &- 48
        while digit <= 9 {
            value = value &* 10 &+ digit
            q += 1
            digit = UInt32(q.pointee) &- 48
            if q - p > 9 { return nil }
        }
        guard q.pointee <= 32 else { return nil }
        p = q
        return value
    }

    /// Reads up to eight digits at once: those before the first that is no digit move to the top and are added up pairwise.
    @inlinable @inline(__always)
    static func decimalsAtOnce(_ q: UnsafePointer<UInt8>, _ mantissa: UInt64, _ powers: DecimalPowers) -> (mantissa: UInt64, count: Int) {
        let letters = UInt64(littleEndian: UnsafeRawPointer(q).loadUnaligned(as: UInt64.self)) ^ 0x3030_3030_3030_3030
        let others = (letters | (letters &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080
        let count = others == 0 ? 8 : others.trailingZeroBitCount >> 3
        guard count > 0 else { return (mantissa, 0) }
        var v = letters &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
        v = (v &* 10 &+ (v &>> 8)) & 0x00FF_00FF_00FF_00FF
        v = (v &* 100 &+ (v &>> 16)) & 0x0000_FFFF_0000_FFFF
        v = (v &* 10000 &+ (v &>> 32)) & 0xFFFF_FFFF
        return (mantissa &* powers.whole[count] &+ v, count)
    }

    /// The number at a pointer as digits, decimals and sign, where it is written plainly with at most 18 digits: no exponent,
    /// and no further point. Nothing at or behind `end` is looked at.
    @inlinable @inline(__always)
    public static func digits(
        _ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: DecimalPowers
    ) -> (mantissa: UInt64, decimals: Int, isNegative: Bool)? {
        var q = p
        let isNegative = q < end && q.pointee == UInt8(ascii: "-")
        if isNegative { q += 1 }
        var mantissa: UInt64 = 0
        let first = q
        while q < end {
            let digit = q.pointee &- 48
            if digit > 9 { break }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            q += 1
        }
        var digits = q - first
        var decimals = 0
        if q < end, q.pointee == UInt8(ascii: ".") {
            q += 1
            let dot = q
            if end - q > 8, digits <= 10 {
                let (m, count) = decimalsAtOnce(q, mantissa, powers)
                mantissa = m
                q += count
            }
            while q < end {
                let digit = q.pointee &- 48
                if digit > 9 { break }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                q += 1
            }
            decimals = q - dot
            digits += decimals
        }
        guard digits > 0, digits <= 18, q < end, q.pointee != UInt8(ascii: "."), q.pointee | 0x20 != UInt8(ascii: "e") else { return nil }
        p = q
        return (mantissa, decimals, isNegative)
    }

    /// A real number from plain digits whose value one division makes exact (Clinger 1990).
    @inlinable @inline(__always)
    public static func real(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Double? {
        let start = p
        guard let (mantissa, decimals, isNegative) = digits(&p, end, powers) else { return nil }
        guard mantissa < 1 << 53 else {
            p = start
            return nil
        }
        let magnitude = decimals == 0 ? Double(mantissa) : Double(mantissa) / powers.exact[decimals]
        return isNegative ? -magnitude : magnitude
    }

    /// Fifteen digits are exact as they are.
    @inlinable @inline(__always)
    public static func quickReal(_ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Double? {
        guard let (mantissa, decimals, isNegative) = quickDigits(&p, powers) else { return nil }
        let magnitude = Double(mantissa) / powers.exact[decimals]
        return isNegative ? -magnitude : magnitude
    }
}

/// Powers of ten at hand for a loop: exact ones as doubles, up to 10^22, and whole ones up to 10^8.
public struct DecimalPowers {
    public let exact: UnsafePointer<Double>
    public let whole: UnsafePointer<UInt64>

    private init() {
        exact = immortal((0...22).map { power in (0..<power).reduce(1.0) { x, _ in x * 10 } })
        whole = immortal((0...8).map { power in (0..<power).reduce(1) { x, _ in x * 10 } })
    }

    private nonisolated(unsafe) static let made = DecimalPowers()
    /// The tables; they live as long as the program.
    public static var shared: DecimalPowers { made }
}
