import AssetIO
import TestSupport
import Testing

@Suite struct FloatParserTests {
    /// A number at the start of a text and how many bytes it took.
    static func double(_ text: String) -> (value: Double, count: Int)? {
        let bytes = Array(text.utf8)
        var i = 0
        return FloatParser.double(bytes.span, at: &i).map { ($0, i) }
    }

    static func float(_ text: String) -> (value: Float, count: Int)? {
        let bytes = Array(text.utf8)
        var i = 0
        return FloatParser.float(bytes.span, at: &i).map { ($0, i) }
    }

    @Test(arguments: [
        ("0", 0.0), ("-1", -1), ("+1.5", 1.5), (".5", 0.5), ("5.", 5), ("-.25e1", -2.5), ("1e3", 1000), ("1E+3", 1000), ("1e-3", 0.001),
        ("00012.5", 12.5), ("0.1", 0.1), ("123456789012345678901234567890", 0x1.8ee90ff6c373ep+96),
        ("0.000000000000000000000000000000000000000000001", 1e-45), ("1e400", .infinity), ("-1e400", -.infinity), ("1e-400", 0),
        ("1.7976931348623157e308", 0x1.fffffffffffffp+1023), ("1.7976931348623159e308", .infinity), ("4.9e-324", .leastNonzeroMagnitude),
        ("2.4703282292062327e-324", 0), ("2.4703282292062329e-324", .leastNonzeroMagnitude),
        ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown),
        ("9007199254740993", 9007199254740992), ("9007199254740993.00000000000000000000000000001", 9007199254740994),
        ("0e99999999999999999999", 0), ("1e99999999999999999999", .infinity), ("1e-99999999999999999999", 0),
        ("inf", .infinity), ("-INF", -.infinity), ("Infinity", .infinity), ("+infinity", .infinity),
    ])
    func readsWholeDoubles(_ text: String, _ expected: Double) throws {
        let (value, count) = try #require(Self.double(text))
        #expect(value.bitPattern == expected.bitPattern)
        #expect(count == text.utf8.count)
    }

    @Test func minusZeroAndNaN() throws {
        #expect(try #require(Self.double("-0.0")).value.sign == .minus)
        #expect(try #require(Self.float("-0")).value.sign == .minus)
        #expect(try #require(Self.double("nan")).value.isNaN)
        #expect(try #require(Self.float("-NaN")).value.isNaN)
    }

    @Test(arguments: [
        ("1,2", 1), ("1.5.2", 3), ("2e", 1), ("2e+", 1), ("2exp", 1), ("1 2", 1), ("3-4", 1), ("infinit", 3), ("1.e5x", 4), ("0x10", 1),
    ])
    func stopsWhereTheNumberEnds(_ text: String, _ count: Int) throws {
        #expect(try #require(Self.double(text)).count == count)
        #expect(try #require(Self.float(text)).count == count)
    }

    @Test(arguments: ["", "-", "+", ".", "-.", "e5", ".e5", "abc", " 1", "--1", "in", "na"])
    func leavesWhatIsNoNumber(_ text: String) {
        #expect(Self.double(text) == nil)
        #expect(Self.float(text) == nil)
    }

    /// Halfway between two floats, a double that rounds to the middle must not decide.
    @Test func roundsFloatsOnce() throws {
        // The middle between 1 and the next float is 1 + 2^-24.
        #expect(try #require(Self.float("1.000000059604644775390625")).value == 1)
        #expect(try #require(Self.float("1.00000005960464477539062500000001")).value == Float(1).nextUp)
        #expect(try #require(Self.float("1.00000005960464477539062499999999")).value == 1)
        #expect(try #require(Self.float("16777217")).value == 16_777_216)
        #expect(try #require(Self.float("16777219")).value == 16_777_220)
        #expect(try #require(Self.float("3.4028236e38")).value == .infinity)
        #expect(try #require(Self.float("7e-46")).value == 0)
        #expect(try #require(Self.float("8e-46")).value == .leastNonzeroMagnitude)
    }

    @Test func agreesWithTheLibraryOnRandomDecimals() {
        var random = SplitMix64(seed: 7)
        for k in 0..<20_000 {
            var text = String(random.next() >> UInt64(random.int(in: 0...63)))
            if k % 3 == 0 { text = "." + text }
            if k % 2 == 0 { text += "e\(random.int(in: -340...320))" } else { text += "e\(random.int(in: -20...20))" }
            if Self.double(text)?.value.bitPattern != Double(text)?.bitPattern || Self.float(text)?.value.bitPattern != Float(text)?.bitPattern {
                Issue.record("\(text), seed \(random.seed)")
            }
        }
    }

    @Test func agreesWithTheLibraryHalfwayBetweenFloats() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<5_000 {
            let below = random.anyFiniteFloat().magnitude
            guard below.nextUp.isFinite else { continue }
            let middle = (Double(below) + Double(below.nextUp)) / 2
            for value in [middle, middle.nextUp, middle.nextDown] {
                let text = value.description
                if Self.float(text)?.value != Float(text) { Issue.record("\(text), seed \(random.seed)") }
            }
        }
    }

    @Test func integersTellOverflow() {
        func int(_ text: String) -> (FloatParser.IntegerResult<Int64>, Int) {
            var i = 0
            let bytes = Array(text.utf8)
            let result = FloatParser.int64(bytes.span, at: &i)
            return (result, i)
        }
        func check(_ text: String, _ expected: Int64?, isOverflow: Bool = false, count: Int) {
            let (result, end) = int(text)
            #expect(end == count, "\(text)")
            switch result {
            case .none: #expect(expected == nil && !isOverflow, "\(text)")
            case .overflow: #expect(isOverflow, "\(text)")
            case .value(let value): #expect(value == expected, "\(text)")
            }
        }
        check("42", 42, count: 2)
        check("-7,", -7, count: 2)
        check("+0003 ", 3, count: 5)
        check("9223372036854775807", .max, count: 19)
        check("-9223372036854775808", .min, count: 20)
        check("9223372036854775808", nil, isOverflow: true, count: 19)
        check("-9223372036854775809", nil, isOverflow: true, count: 20)
        check("18446744073709551616", nil, isOverflow: true, count: 20)
        check("00000000000000000000000000012", 12, count: 29)
        check("99999999999999999999999999999999", nil, isOverflow: true, count: 32)
        check("", nil, count: 0)
        check("-", nil, count: 0)
        check("x1", nil, count: 0)

        func uint(_ text: String) -> UInt64? {
            var i = 0
            let bytes = Array(text.utf8)
            if case .value(let value) = FloatParser.uint64(bytes.span, at: &i) { return value }
            return nil
        }
        #expect(uint("18446744073709551615") == .max)
        #expect(uint("18446744073709551616") == nil)
        #expect(uint("-0") == 0)
        #expect(uint("-1") == nil)
    }
}
