import AssetIO
import TestSupport
import Testing

@Suite struct FloatPrinterTests {
    static let floatCases: [(Float, String)] = [
        (0, "0"), (-0.0, "-0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (0.5, "0.5"), (1.5, "1.5"), (100, "100"), (123456, "123456"),
        (0.001, "0.001"), (0.000001, "0.000001"), (0.0000012, "0.0000012"), (1e-7, "1e-7"), (1.25e-7, "1.25e-7"), (16_777_216, "16777216"),
        (123_456_788_103_168, "123456790000000"), (1e14, "100000000000000"), (1e15, "1e15"), (1.5e20, "1.5e20"),
        (3.4028235e38, "3.4028235e38"), (.leastNonzeroMagnitude, "1e-45"), (1.1754944e-38, "1.1754944e-38"), (.infinity, "inf"), (-.infinity, "-inf"),
        (.nan, "nan"), (0.3, "0.3"), (33_554_432, "33554432"), (1.0000001, "1.0000001"), (12.25, "12.25"), (-1234.5, "-1234.5"),
    ]

    @Test(arguments: floatCases)
    func floats(_ value: Float, _ text: String) { #expect(FloatPrinter.text(value) == text) }

    static let doubleCases: [(Double, String)] = [
        (0, "0"), (-0.0, "-0"), (0.1, "0.1"), (1.0 / 3, "0.3333333333333333"), (100000, "100000"), (123_456_789_012_345, "123456789012345"),
        (1e15, "1e15"), (999_999_999_999_999, "999999999999999"), (1e23, "1e23"), (9_007_199_254_740_992, "9.007199254740992e15"),
        (.leastNonzeroMagnitude, "5e-324"), (2.2250738585072014e-308, "2.2250738585072014e-308"), (1.7976931348623157e308, "1.7976931348623157e308"),
        (0.000001, "0.000001"), (1e-7, "1e-7"), (0.3, "0.3"), (0.1 + 0.2, "0.30000000000000004"), (-4.35, "-4.35"), (1e22, "1e22"),
        (.infinity, "inf"), (-.nan, "nan"),
    ]

    @Test(arguments: doubleCases)
    func doubles(_ value: Double, _ text: String) { #expect(FloatPrinter.text(value) == text) }

    /// Digits without zeros at either end, and where the point stands.
    static func digits(_ text: String) -> (String, Int) {
        guard let e = text.firstIndex(of: "e") else { return trimmed(text, 0) }
        return trimmed(String(text[..<e]), Int(text[text.index(after: e)...]) ?? 0)
    }

    private static func trimmed(_ mantissa: String, _ exponent: Int) -> (String, Int) {
        let halves = mantissa.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        var digits = Array(halves.joined())
        var point = halves[0].count + exponent
        while digits.first == "0" {
            digits.removeFirst()
            point -= 1
        }
        while digits.last == "0" { digits.removeLast() }
        return (String(digits), digits.isEmpty ? 0 : point)
    }

    /// Whether a text has the digits that the standard library prints, and reads back.
    static func isShortest(_ value: Float) -> Bool {
        let text = FloatPrinter.text(value)
        return digits(text) == digits(value.description) && FloatParserTests.float(text)?.value.bitPattern == value.bitPattern
    }

    static func isShortest(_ value: Double) -> Bool {
        let text = FloatPrinter.text(value)
        return digits(text) == digits(value.description) && FloatParserTests.double(text)?.value.bitPattern == value.bitPattern
    }

    @Test func randomFloats() {
        var random = SplitMix64(seed: 3)
        for k in 0..<10_000 {
            let value = k % 2 == 0 ? random.anyFiniteFloat() : random.float(in: -1000...1000)
            if !Self.isShortest(value) { Issue.record("\(value), seed \(random.seed)") }
        }
    }

    @Test func randomDoubles() {
        var random = SplitMix64(seed: 5)
        for k in 0..<10_000 {
            let value: Double
            switch k % 3 {
            case 0: value = random.anyFiniteDouble()
            case 1: value = Double(random.int(in: -10_000_000...10_000_000)) / 1000
            // Powers of two have a closer neighbour below.
            default: value = Double(sign: .plus, exponent: random.int(in: -1074...1023), significand: 1)
            }
            if !Self.isShortest(value) { Issue.record("\(value), seed \(random.seed)") }
        }
    }

    @Test func everyPowerOfTwoOfFloat() {
        for exponent in -149...127 {
            let value = Float(sign: .plus, exponent: exponent, significand: 1)
            for near in [value, value.nextUp, value.nextDown] where !Self.isShortest(near) { Issue.record("\(near)") }
        }
    }

    @Test func integers() {
        var out = TextWriter(blockSize: 64)
        for value in [0, 7, -7, 10, 99, 100, 12345, -1_000_000, Int.max, Int.min] {
            out.write(value)
            out.write(byte: 0x20)
        }
        #expect(out.text == "0 7 -7 10 99 100 12345 -1000000 9223372036854775807 -9223372036854775808 ")
        var random = SplitMix64(seed: 9)
        for _ in 0..<2_000 {
            let value = Int(truncatingIfNeeded: random.next()) >> random.int(in: 0...63)
            var writer = TextWriter(blockSize: 64)
            writer.write(value)
            if writer.text != String(value) { Issue.record("\(value), seed \(random.seed)") }
        }
    }

    @Test func theWriterGrowsAndFlushes() {
        var out = TextWriter(blockSize: 16)
        let long = String(repeating: "ä", count: 10_000)
        out.write(long)
        let isFull = out.isFull
        #expect(isFull)
        var got: [UInt8] = []
        out.flush { got.append(contentsOf: $0) }
        #expect(String(decoding: got, as: UTF8.self) == long)
        let left = out.count
        #expect(left == 0)
        out.writeSpaced(1, -2.5, 1e-9)
        out.write("!" as StaticString)
        #expect(out.text == " 1 -2.5 1e-9!")
    }
}
