import AssetIO

/// Numbers in rows of text, a blank before each; the place has room for them.
enum TextRow {
    /// The most bytes that a number and its blank take.
    static let number = FloatPrinter.maximumCount + 1

    @inline(__always)
    static func put(_ value: Float, _ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = UInt8(ascii: " ")
        p += 1 + FloatPrinter.print(value, to: p + 1)
    }

    @inline(__always)
    static func put(_ value: Double, _ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = UInt8(ascii: " ")
        p += 1 + FloatPrinter.print(value, to: p + 1)
    }

    @inline(__always)
    static func put(_ value: Int, _ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = UInt8(ascii: " ")
        p += 1 + FloatPrinter.print(value, to: p + 1)
    }

    @inline(__always)
    static func put(_ word: StaticString, _ p: inout UnsafeMutablePointer<UInt8>) {
        p.update(from: word.utf8Start, count: word.utf8CodeUnitCount)
        p += word.utf8CodeUnitCount
    }

    @inline(__always)
    static func end(_ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = UInt8(ascii: "\n")
        p += 1
    }

    /// The first number of a row, without a blank.
    @inline(__always)
    static func begin(_ value: Float, _ p: inout UnsafeMutablePointer<UInt8>) { p += FloatPrinter.print(value, to: p) }

    @inline(__always)
    static func begin(_ value: Double, _ p: inout UnsafeMutablePointer<UInt8>) { p += FloatPrinter.print(value, to: p) }

    @inline(__always)
    static func begin(_ value: Int, _ p: inout UnsafeMutablePointer<UInt8>) { p += FloatPrinter.print(value, to: p) }
}
