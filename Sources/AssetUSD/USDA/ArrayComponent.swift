import AssetIO
import AssetModel

/// What flat numeric arrays are made of.
protocol ArrayComponent {
    static var isReal: Bool { get }
    /// The value of a number, nil where it is out of range.
    init?(_ n: USDANumber)
    /// The plainly written number at the cursor; nil, with the cursor unmoved, for all that need a closer look.
    static func takePlain(_ scan: inout USDAScanner) -> Self?
    /// The same below an end, for texts whose shape is known.
    static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Self?
    /// The same for the shortest numbers alone, where at least 48 bytes can be read.
    static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Self?
}

extension Float: ArrayComponent {
    static var isReal: Bool { true }
    @inline(__always) static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Float? {
        PlainNumber.real(&p, end, powers).map { Float($0) }
    }
    @inline(__always) static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Float? {
        PlainNumber.quickReal(&p, powers).map { Float($0) }
    }
    init?(_ n: USDANumber) { self = Float(n.double) }
    @inline(__always) static func takePlain(_ scan: inout USDAScanner) -> Float? {
        let d = scan.takePlainReal()
        return d.isNaN ? nil : Float(d)
    }
}

extension Double: ArrayComponent {
    static var isReal: Bool { true }
    @inline(__always) static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Double? {
        PlainNumber.real(&p, end, powers)
    }
    @inline(__always) static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Double? {
        PlainNumber.quickReal(&p, powers)
    }
    init?(_ n: USDANumber) { self = n.double }
    @inline(__always) static func takePlain(_ scan: inout USDAScanner) -> Double? {
        let d = scan.takePlainReal()
        return d.isNaN ? nil : d
    }
}

extension ArrayComponent where Self: FixedWidthInteger {
    static var isReal: Bool { false }
    @inline(__always) static func takePlain(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Self? {
        let start = p
        if let (mantissa, decimals, isNegative) = PlainNumber.digits(&p, end, powers), decimals == 0 {
            // Eighteen digits fit.
            let whole = Int64(truncatingIfNeeded: mantissa)
            if let value = Self(exactly: isNegative ? -whole : whole) { return value }
        }
        p = start
        return nil
    }
    @inline(__always) static func takeQuickly(_ p: inout UnsafePointer<UInt8>, _ powers: DecimalPowers) -> Self? {
        let start = p
        if let (mantissa, decimals, isNegative) = PlainNumber.quickDigits(&p, powers), decimals == 0 {
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
