import AssetIO
import AssetModel
import Testing
import TestSupport

@testable import AssetUSD

/// Long arrays of numbers stay in their text; what they hold must be what the grammar says.
@Suite struct TextArrayTests {
    private func layer(_ type: String, _ list: String) throws -> USDLayer { try parseUSDA("def \"A\"\n{\n    \(type)[] x = \(list)\n}\n") }

    private func field(_ layer: USDLayer) throws -> USDValue {
        let path = try #require(layer.session.paths.parse("/A.x"))
        let spec = try #require(layer.spec(at: path))
        return try #require(layer.field(spec, .default))
    }

    private func isDeferred(_ value: USDValue) -> Bool { if case .deferred = value { true } else { false } }

    /// The value with the list left in the text, and with a comment in it, which needs the grammar.
    private func both(_ type: String, _ list: String) throws -> (USDValue, USDValue) {
        let left = try field(layer(type, list))
        #expect(isDeferred(left), "\(list.prefix(60))")
        let read = try field(layer(type, "[ # read at once\n" + list.dropFirst()))
        #expect(!isDeferred(read))
        return (try left.resolved(), read)
    }

    private func bits(_ value: USDValue) -> [UInt64] {
        guard case .array(let a) = value else { return [] }
        switch a.storage {
        case .int(let v): return v.map { UInt64(bitPattern: Int64($0)) }
        case .uint(let v): return v.map { UInt64($0) }
        case .int64(let v): return v.map { UInt64(bitPattern: $0) }
        case .uint64(let v): return v
        case .float(let v): return v.map { UInt64($0.bitPattern) }
        case .double(let v): return v.map(\.bitPattern)
        default: return []
        }
    }

    @Test(arguments: [
        ("int", ["7", "-12", "0", "2147483647", "-2147483648", "3.9"]), ("uint", ["4294967295", "0", "17"]),
        ("int64", ["-9223372036854775808", "9223372036854775807", "-0"]), ("uint64", ["18446744073709551615", "1"]),
        ("float", ["1", "-1.5", ".5", "-.25", "3.", "1e-40", "6.02e+23", "1E5", "0.1", "16777217", "-0"]),
        ("double", ["0.1", "1e308", "4.9406564584124654e-324", "123456789012345678901234567890", "-7e-3"]),
    ])
    func listsOfNumbersAreWhatTheGrammarSays(type: String, numbers: [String]) throws {
        for (columns, suffix) in [(1, ""), (2, "2"), (3, "3"), (4, "4")] where columns == 1 || ["int", "float", "double"].contains(type) {
            var random = SplitMix64(seed: UInt64(columns))
            let elements = (0..<(40 + columns)).map { _ in
                let tuple = (0..<columns).map { _ in numbers[Int(random.next() % UInt64(numbers.count))] }
                return columns == 1 ? tuple[0] : "(" + tuple.joined(separator: ", ") + ")"
            }
            let layouts: [(String, String, String)] = [
                ("[", ", ", "]"), ("[", ",", "]"), ("[\n", ",\r\n\t", "\n]"), ("[ ", ",  ", ", ]"), ("[", ",\n", ",\n]"),
            ]
            for (open, separator, close) in layouts {
                let list: String = open + elements.joined(separator: separator) + close
                let (left, read) = try both(type + suffix, list)
                #expect(bits(left) == bits(read) && bits(left).count == elements.count * columns, "\(type)\(suffix)")
            }
        }
    }

    @Test func quaternionsHaveTheirRealPartLast() throws {
        let (left, read) = try both("quatf", "[" + (0..<12).map { "(\($0), 0.5, \(-$0), 2e0)" }.joined(separator: ", ") + "]")
        #expect(bits(left) == bits(read))
    }

    @Test(arguments: [
        "1.2.3", "1 2", ", 1", "1,", "1e5e5", "1e5.5", "1-2", "--1", "+1", "1e", "1e-", "-", ".", "1.e", "(1)", "1)", "(1", "x", "1f", "0x10", "",
        " ", "1 , 2 3", "--", "1,,2", "é", "\"1\"", "None", "[1]]", "1;2", "1\u{0}2", "\u{0}",
    ])
    func whatIsNoNumberIsAnError(wrong: String) throws {
        let good = Array(repeating: "1.5", count: 30)
        for position in [0, 15, 30] {
            for trailing in ["", ",", " ,"] {
                var items = good
                items.insert(wrong, at: position)
                let list = "[" + items.joined(separator: ", ") + trailing + "]"
                // A comma may end a list.
                if wrong.allSatisfy({ $0 == " " || $0 == "," }), position == 30, trailing.isEmpty, wrong != "1,", wrong != ", 1" { continue }
                if wrong == "1,", position == 30, trailing.isEmpty { continue }
                #expect(throws: (any Error).self, "\(list)") { try layer("float", list) }
            }
        }
    }

    @Test(arguments: [
        "1, 2, 3", "(1, 2), 3", "(1, 2, 3, 4)", "((1, 2, 3))", "(1, 2, 3", "1, 2, 3)", "(1 2 3)", "(1, 2 3)", "(1, (2, 3))", "()",
        "(1, 2, 3)(4, 5, 6)",
    ])
    func whatIsNoTupleIsAnError(wrong: String) throws {
        let good = Array(repeating: "(1, 2, 3)", count: 10)
        for position in [0, 5, 10] {
            var items = good
            items.insert(wrong, at: position)
            let list = "[" + items.joined(separator: ", ") + "]"
            #expect(throws: (any Error).self, "\(list)") { try layer("float3", list) }
        }
    }

    @Test(arguments: [("float", "1e--5"), ("float2", "(1, 2, 3), (4)"), ("float3", "(1, 2), (3, 4, 5, 6)"), ("int", "99999999999")])
    func whatTheShapeDoesNotTellIsAnErrorWhenRead(type: String, wrong: String) throws {
        let good = type == "float3" ? "(1, 2, 3)" : type == "float2" ? "(1, 2)" : "12"
        for position in [0, 15, 30] {
            var items = Array(repeating: good, count: 30)
            items.insert(wrong, at: position)
            let list = "[" + items.joined(separator: ", ") + "]"
            #expect(throws: (any Error).self, "\(list)") { try field(layer(type, list)).resolved() }
        }
    }

    @Test func spacesAcrossStretchesAreSeen() throws {
        // Lists longer than what is looked at in one go, with spaces at every place of a stretch.
        for shift in 0..<24 {
            let lines = (0..<400).map { "(\($0), 0.5, -1)" }.joined(separator: ",\n        ")
            let list = "[" + String(repeating: " ", count: shift) + lines + "\n    ]"
            let value = try field(layer("float3", list))
            #expect(isDeferred(value))
            #expect(bits(try value.resolved()).count == 1200)
        }
    }

    @Test func numbersOutOfRangeSayWhere() throws {
        let items = Array(repeating: "12", count: 30) + ["3000000000"]
        let value = try field(layer("int", "[" + items.joined(separator: ", ") + "]"))
        let error = #expect(throws: AssetError.self) { try value.resolved() }
        #expect(error?.diagnostic.code == "usda.value-out-of-range")
        #expect(error?.diagnostic.location.position == .line(4, column: 16 + 30 * 4))
    }

    @Test func blocksAreTheWholeAndReadersAgree() throws {
        let n = 20_001
        let text = "[" + (0..<n).map { "(\($0), \($0).5, -\($0))" }.joined(separator: ", ") + "]"
        guard case .deferred(let source, let number) = try field(layer("point3f", text)) else { return #expect(Bool(false)) }
        #expect(try source.arrayShape(number)?.count == n)
        let array = try #require(try source.deferredArray(number, as: Vector3f.self))
        #expect(array.count == n)
        let all = try array.load()
        var seen = 0
        try array.forEachBlock { block in
            for p in block {
                #expect(p == all[seen] && p == Vector3f(Float(seen), Float(seen) + 0.5, -Float(seen)))
                seen += 1
            }
        }
        #expect(seen == n)
        // Another layout is refused.
        #expect(try source.deferredArray(number, as: Vector2f.self) == nil)
        #expect(try source.deferredArray(number, as: Int32.self) == nil)
    }

    @Test func truncatedListsEndInAnError() throws {
        let text = "def \"A\"\n{\n    float[] x = [" + Array(repeating: "1.25", count: 40).joined(separator: ", ") + "]\n}\n"
        let bytes = Array(text.utf8)
        for n in 22..<(bytes.count - 2) {
            #expect(throws: (any Error).self) { try parseUSDA(bytes: Array(bytes[..<n])) }
        }
    }
}
