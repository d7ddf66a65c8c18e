import AssetModel

/// What flat numeric arrays are made of.
protocol ArrayComponent {
    static var isReal: Bool { get }
    /// The value of a number, nil where it is out of range.
    init?(_ n: USDANumber)
    /// The plainly written number at the cursor; nil, with the cursor unmoved, for all that need a closer look.
    static func takePlain(_ scan: inout USDAScanner) -> Self?
    /// The same below an end, for texts whose shape is known.
    static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Self?
    /// The same for the shortest numbers alone, where at least 48 bytes can be read.
    static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Self?
}

/// A number of at most seven digits, a point and eight more, as a mantissa and a count of decimals. It reads 24 bytes at most.
@inline(__always)
private func quickDigits(
    _ p: inout UnsafePointer<UInt8>, _ powers: PowersOfTen
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

/// Reads up to eight digits at once: those before the first that is no digit move to the top and are added up pairwise.
@inline(__always)
private func decimalsAtOnce(_ q: UnsafePointer<UInt8>, _ mantissa: UInt64, _ powers: PowersOfTen) -> (mantissa: UInt64, count: Int) {
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
@inline(__always)
private func plainDigits(
    _ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: PowersOfTen
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
@inline(__always)
private func plainReal(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Double? {
    let start = p
    guard let (mantissa, decimals, isNegative) = plainDigits(&p, end, powers) else { return nil }
    guard mantissa < 1 << 53 else {
        p = start
        return nil
    }
    let magnitude = decimals == 0 ? Double(mantissa) : Double(mantissa) / powers.exact[decimals]
    return isNegative ? -magnitude : magnitude
}

/// Fifteen digits are exact as they are.
@inline(__always)
private func quickReal(_ p: inout UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Double? {
    guard let (mantissa, decimals, isNegative) = quickDigits(&p, powers) else { return nil }
    let magnitude = Double(mantissa) / powers.exact[decimals]
    return isNegative ? -magnitude : magnitude
}

extension Float: ArrayComponent {
    static var isReal: Bool { true }
    @inline(__always) static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Float? {
        plainReal(&p, end, powers).map { Float($0) }
    }
    @inline(__always) static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Float? {
        quickReal(&p, powers).map { Float($0) }
    }
    init?(_ n: USDANumber) { self = Float(n.double) }
    @inline(__always) static func takePlain(_ scan: inout USDAScanner) -> Float? {
        let d = scan.takePlainReal()
        return d.isNaN ? nil : Float(d)
    }
}

extension Double: ArrayComponent {
    static var isReal: Bool { true }
    @inline(__always) static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Double? {
        plainReal(&p, end, powers)
    }
    @inline(__always) static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Double? { quickReal(&p, powers) }
    init?(_ n: USDANumber) { self = n.double }
    @inline(__always) static func takePlain(_ scan: inout USDAScanner) -> Double? {
        let d = scan.takePlainReal()
        return d.isNaN ? nil : d
    }
}

extension ArrayComponent where Self: FixedWidthInteger {
    static var isReal: Bool { false }
    @inline(__always) static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Self? {
        let start = p
        if let (mantissa, decimals, isNegative) = plainDigits(&p, end, powers), decimals == 0 {
            // Eighteen digits fit.
            let whole = Int64(truncatingIfNeeded: mantissa)
            if let value = Self(exactly: isNegative ? -whole : whole) { return value }
        }
        p = start
        return nil
    }
    @inline(__always) static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: PowersOfTen) -> Self? {
        let start = p
        if let (mantissa, decimals, isNegative) = quickDigits(&p, powers), decimals == 0 {
            let whole = Int64(truncatingIfNeeded: mantissa)
            if let value = Self(exactly: isNegative ? -whole : whole) { return value }
        }
        p = start
        return nil
    }
    init?(_ n: USDANumber) {
        guard let value: Self = USDAParser.integer(n) else { return nil }
        self = value
    }
    @inline(__always) static func takePlain(_ scan: inout USDAScanner) -> Self? {
        let start = scan.at
        let n = scan.takePlainInteger()
        if n != .min, let value = Self(exactly: n) { return value }
        scan.at = start
        return nil
    }
}

extension UInt8: ArrayComponent {}
extension Int32: ArrayComponent {}
extension UInt32: ArrayComponent {}
extension Int64: ArrayComponent {}
extension UInt64: ArrayComponent {}

/// Powers of ten at hand for a loop: exact ones as doubles, up to 10^22, and whole ones up to 10^8.
struct PowersOfTen {
    let exact: UnsafePointer<Double>
    let whole: UnsafePointer<UInt64>

    /// Calls `body` with the tables, which live as long as the call.
    static func with(_ body: (PowersOfTen) -> Void) {
        exactPowersOfTen.withUnsafeBufferPointer { exact in
            wholePowersOfTen.withUnsafeBufferPointer { whole in
                guard let e = exact.baseAddress, let w = whole.baseAddress else { return }
                body(PowersOfTen(exact: e, whole: w))
            }
        }
    }
}

private let wholePowersOfTen: [UInt64] = [1, 10, 100, 1000, 10000, 100_000, 1_000_000, 10_000_000, 100_000_000]
