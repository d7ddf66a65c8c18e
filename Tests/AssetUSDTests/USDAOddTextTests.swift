import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

private func parse(_ bytes: [UInt8]) throws -> (layer: USDLayer, warnings: [Diagnostic]) {
    var diagnostics = Diagnostics()
    let layer = try USDA.parse(
        FileBytes(name: "test.usda", bytes: bytes), session: USDSession(), identifier: "test.usda", limits: ReadLimits(), &diagnostics)
    return (layer, diagnostics.entries)
}

/// The first line: what OpenUSD 26.11 takes and refuses, tried spelling by spelling.
@Suite struct USDAHeaderTests {
    private static let prim = "\ndef \"A\"\n{\n}\n"

    @Test(arguments: [
        "1.0", "1.0 hello world", "1.0\t# my file", "1.0\thello", " 1.0", "1.0 x", "1.0.1", "1.0.1 x", "1.1 x", "1.4 x", "1.4.0", "01.00",
        "1.00 hello", "1.1.0", "1.0.9", "1.0 \"x\"", "1.0 1.0", "1.0 \0x", "1.0 \r", "1.0\r", "1.0 é",
    ])
    func whatFollowsTheVersionIsAComment(_ text: String) throws {
        let (layer, warnings) = try parse(Array(("#usda " + text + Self.prim).utf8))
        #expect(warnings.isEmpty)
        #expect(layer.specs.count == 2)
    }

    @Test func bytesBehindTheVersionAreNoMatter() throws {
        #expect(try parse(Array("#usda 1.0 ".utf8) + [0xFF] + Array(Self.prim.utf8)).warnings.isEmpty)
    }

    @Test(arguments: [
        "1.0x", "1.0;", "1.0#c", "1.0-x", "1.", "1", "1 x", "+1.0", "1.0\u{b} x", "1.0\u{a0}x", "\t1.0", "1.0.1.2 x", "1.0.x", "1 .0", "v1.0",
        "1.-1", "1.256", "1.0.256", "257.0", "4294967297.0", "2.0 x", "1.10", "1.99", "0.9", "1.4.1", "",
    ])
    func otherVersions(_ text: String) {
        #expect(throws: AssetError.self) { try parse(Array(("#usda " + text + Self.prim).utf8)) }
    }

    /// The line ends with a line feed: a carriage return within it belongs to the comment, and so do prims behind it.
    @Test func theLineEndsWithALineFeed() throws {
        #expect(try parse(Array("#usda 1.0 x\rdef \"A\"{}".utf8)).layer.specs.count == 1)
        #expect(try parse(Array("#usda 1.0\ndef \"A\"\n{\n    # a\r int b = 2\n    int c\n}\n".utf8)).layer.specs.count == 3)
        // In files that know no other line end the comments end there as well.
        let (layer, warnings) = try parse(Array("#usda 1.0\rdef \"A\"\r{\r    # a\r    int b = 2\r}\r".utf8))
        #expect(layer.specs.count == 3)
        #expect(warnings.map(\.code) == ["usda.lone-carriage-return"])
        #expect(warnings.first?.location.position == .line(1, column: 10))
    }
}

/// Strings keep their bytes, whatever they are.
@Suite struct USDAStringBytesTests {
    /// What is written for the value of a string, token or path behind `=`.
    private func printed(_ declaration: String, _ value: [UInt8]) throws -> String {
        let text = Array("#usda 1.0\ndef \"A\"\n{\n    \(declaration) s = ".utf8) + value + Array("\n}\n".utf8)
        let first = try USDA.text(of: try parse(text).layer)
        // What is written reads as the same again.
        #expect(try USDA.text(of: try parse(first).layer) == first)
        let lines = String(decoding: first, as: UTF8.self).split(separator: "\n")
        return String(try #require(lines.first { $0.contains(" s = ") }?.drop { $0 != "=" }.dropFirst(2)))
    }

    @Test(arguments: [
        (#""\xff\xfe""#, #""\xff\xfe""#), (#""\777""#, #""\xff""#), (#""\x80""#, #""\x80""#), (#""\xe9abc""#, #""\xe9abc""#),
        (#""\xc3(""#, #""\xc3(""#), (#""\xe2\x82x""#, #""\xe2\x82x""#), (#""\xf0\x9f\x98""#, #""\xf0\x9f\x98""#),
        (#""\xc3\xa9 \303\251""#, "\"é é\""), (#""\xef\xbf\xbd\xff""#, "\"\u{fffd}\\xff\""), (#""\xfff""#, #""\xfff""#),
        (#""\xff\"'""#, #""\xff\"'""#), (#""\xff\\\n""#, "\"\"\"\\xff\\\\"),
        // Letters of the area that stands for bytes are letters all the same.
        (#""\xf4\x8f\xba\x80 \xf4\x8f\xbf\xbf""#, "\"\u{10fe80} \u{10ffff}\""), ("\"\u{10feff}\"", "\"\u{10feff}\""),
        (#""\u1234\x7\q""#, #""u1234\x07q""#),
    ])
    func escapedBytes(_ text: String, _ expected: String) throws {
        for declaration in ["string", "token"] where !expected.hasPrefix("\"\"\"") || declaration == "string" {
            #expect(try printed(declaration, Array(text.utf8)) == expected)
        }
        let array = try printed("string[]", Array("[\(text), \"x\"]".utf8))
        #expect(array == "[\(expected), \"x\"]" || expected.hasPrefix("\"\"\""))
    }

    @Test func rawBytes() throws {
        for declaration in ["string", "token"] {
            #expect(try printed(declaration, [0x22, 0x61, 0xFF, 0xC3, 0x22]) == #""a\xff\xc3""#)
        }
        let text = Array("#usda 1.0\ndef \"A\"\n{\n    asset s = @a".utf8) + [0xFF] + Array("@\n    asset t = @@@a@".utf8) + [0x80]
        let whole = text + Array("@@@\n    foo u = \"".utf8) + [0xFE] + Array("\"\n}\n".utf8)
        let (layer, warnings) = try parse(whole)
        #expect(warnings.map(\.code) == ["usda.invalid-utf8"])
        let out = try USDA.text(of: layer)
        for byte: UInt8 in [0xFF, 0x80, 0xFE] { #expect(out.contains(byte)) }
        #expect(try USDA.text(of: try parse(out).layer) == out)
    }

    /// OpenUSD keeps the zeros of strings as well, but its text ends at them.
    @Test func zerosStayInStrings() throws {
        #expect(try printed("string", Array(#""a\0b\400""#.utf8)) == #""a\x00b\x00""#)
        #expect(try printed("string", Array("\"a\0b\"".utf8)) == #""a\x00b""#)
        #expect(try printed("string", Array("\"\"\"a\0b\"\"\"".utf8)) == #""a\x00b""#)
    }

    @Test(arguments: [#""a\0b""#, "\"a\0b\"", #""a\x00""#])
    func zerosEndTokens(_ text: String) throws {
        #expect(try printed("token", Array(text.utf8)) == "\"a\"")
        let warnings = try parse(Array("#usda 1.0\ndef \"A\"\n{\n    token s = \(text)\n    token[] t = [\(text)]\n}\n".utf8)).warnings
        #expect(warnings.map(\.code) == ["usda.null-in-token"])
        #expect(warnings.map(\.count) == [2])
        #expect(warnings.first?.location.position == .line(4, column: 15))
    }

    @Test func tokensKeepBytes() {
        var random = SplitMix64(seed: 8)
        let tokens = TokenTable()
        for round in 0..<500 {
            // Half of them begin with a letter of the area that stands for bytes.
            let bytes = (round % 2 == 0 ? [0xF4, 0x8F, 0xBA, 0x80] : []) + random.bytes(random.int(in: 0...6))
            let token = bytes.withUnsafeBufferPointer { tokens.intern($0) }
            #expect(tokens.intern(tokens.string(token)) == token)
            #expect(tokens.withBytes(token) { Array($0) } == bytes)
            #expect(SystemPath.bytes(tokens.string(token)) == bytes)
        }
    }
}

/// What OpenUSD refuses or leaves out, and is told here.
@Suite struct USDAOddStatementTests {
    private func warnings(_ prim: String, _ body: String = "") throws -> [Diagnostic] {
        try parse(Array("#usda 1.0\ndef \"A\" (\n    \(prim)\n)\n{\n    \(body)\n}\n".utf8)).warnings
    }

    @Test func beginningsOfFiles() throws {
        #expect(try parse(Array("\u{feff}#usda 1.0\n".utf8)).warnings.map(\.code) == ["usda.byte-order-mark"])
        #expect(try parse(Array("#sdf 1.4.32\n".utf8)).warnings.map(\.code) == ["usda.old-header"])
    }

    @Test(arguments: ["# \u{e9}", "// x", "/* \u{e9}\n */"]) func commentsThatAreNotUTF8(_ text: String) throws {
        let bytes = Array("#usda 1.0\n".utf8)
        #expect(try parse(bytes + Array((text + "\n").utf8)).warnings.isEmpty)
        var broken = Array((text + "\n").utf8)
        broken.insert(0xFF, at: 2)
        let found = try parse(bytes + broken).warnings
        #expect(found.map(\.code) == ["usda.invalid-utf8"])
        #expect(found.first?.location.position == .line(2, column: 3))
    }

    @Test(arguments: [
        "references = <B>", "payload = <B>", "references = <../B>", "references = @a@<B>", "prepend references = [</C>, <B>]",
    ])
    func relativeReferences(_ text: String) throws {
        let found = try warnings(text)
        #expect(found.map(\.code) == ["usda.relative-reference"])
        #expect(found.first?.location.primPath == "/A")
        #expect(try warnings(text + "\n" + text.replacing("references", with: "payload")).map(\.count) == [2])
    }

    @Test(arguments: [
        "references = [</B>, </B>]", "prepend references = [@a@, @b@, @a@]", "references = [</B> (offset = 1), </B> (offset = 1)]",
        "payload = [</B>, </B>]", "references = [<>, <>]", "inherits = [</B>, </B>]", "delete inherits = [</A/B>, <B>]",
        "specializes = [</B>, </C>, </B>]", "variantSets = [\"a\", \"a\"]", "prepend variantSets = [\"a\", \"a\"]",
    ])
    func itemsThatComeTwice(_ text: String) throws { #expect(try warnings(text).map(\.code) == ["usda.duplicate-item"]) }

    @Test(arguments: [
        "rel r = [</A>, </A>]", "prepend rel r = [</B>, <../B>]", "reorder rel r = [</A>, </A>]", "int r.connect = [</A.x>, </B.x>, </A.x>]",
        "rel r = [</a>, </b>, </c>, </d>, </e>, </f>, </g>, </h>, </i>, </j>, </a>]",
    ])
    func targetsThatComeTwice(_ text: String) throws { #expect(try warnings("", text).map(\.code) == ["usda.duplicate-item"]) }

    @Test func longListsOfTargets() throws {
        let targets = (0..<100).map { "</B\($0)>" }
        let backwards = targets.reversed().joined(separator: ", ")
        #expect(try warnings("", "rel r = [\(targets.joined(separator: ", "))]\n    rel s = [\(backwards)]").isEmpty)
        #expect(try warnings("", "rel r = [\(backwards), </B50>]").map(\.code) == ["usda.duplicate-item"])
    }

    @Test(arguments: [
        "references = [@a@, @a@</B>]", "references = [</B> (offset = 1), </B>]", "references = [</B>, </B> (customData = { int a = 1 })]",
        "prepend references = </B>\n    append references = </B>", "foo = [\"X\", \"X\"]", "prepend foo = [1, 1]", "inherits = <B>",
    ])
    func itemsThatDiffer(_ text: String) throws { #expect(try warnings(text).isEmpty) }

    @Test(arguments: ["references = </B{v=x}C>", "inherits = </B{v=x}C>", "payload = @a@</B{v=x}C>"])
    func pathsThroughVariants(_ text: String) throws {
        #expect(try warnings(text).map(\.code) == ["usda.variant-in-path"])
        #expect(try warnings("", "rel r = </B{v=x}C>").map(\.code) == ["usda.variant-in-path"])
    }

    /// OpenUSD leaves such lists out and keeps the layer.
    @Test(
        arguments: [
            ("apiSchemas = [\"X\", \"X\"]", "apiSchemas", nil), ("prepend apiSchemas = [\"X\", \"X\"]", "apiSchemas", nil),
            ("clipSets = [\"X\", \"X\"]", "clipSets", nil), ("inactiveIds = [1, 1]", "inactiveIds", nil),
            ("prepend apiSchemas = [\"Y\", \"Y\"]\nappend apiSchemas = [\"Z\"]", "apiSchemas", "append apiSchemas = [\"Z\"]"),
            ("prepend apiSchemas = [\"Y\"]\napiSchemas = [\"X\", \"X\"]", "apiSchemas", "prepend apiSchemas = [\"Y\"]"),
            ("apiSchemas = [\"X\", \"X\"]\nprepend apiSchemas = [\"Y\"]", "apiSchemas", "prepend apiSchemas = [\"Y\"]"),
        ] as [(String, String, String?)])
    func listsThatCountForNothing(_ text: String, _ field: String, _ expected: String?) throws {
        let (layer, warnings) = try parse(Array("#usda 1.0\ndef \"A\" (\n\(text)\n)\n{\n}\n".utf8))
        #expect(warnings.map(\.code) == ["usda.dropped-list-edit"])
        let written = try printUSDA(layer).split(separator: "\n").first { $0.contains(field) }
        #expect(written.map { String($0.drop { $0 == " " }) } == expected)
    }

    /// An attribute stays one, and is uniform from then on.
    @Test(arguments: [
        ("rel x", "uniform int x = 1"), ("custom rel x", "custom uniform int x = 1"), ("varying rel x", "int x = 1"),
        ("rel x = </B>", "uniform int x = 1"), ("prepend rel x = [</B>, </C>]", "uniform int x = 1"), ("rel x[</B>]", "uniform int x = 1"),
        ("rel x.default = </B>", "uniform int x = 1"), ("rel x (doc = \"a\")", "uniform int x = 1 ("),
        ("rel x\n    uniform int x = 2", "uniform int x = 2"),
    ])
    func attributesThatBecomeRelationships(_ text: String, _ expected: String) throws {
        let (layer, warnings) = try parse(Array("#usda 1.0\ndef \"A\"\n{\n    int x = 1\n    \(text)\n}\n".utf8))
        #expect(warnings.map(\.code) == ["usda.property-kind-changed"])
        #expect(warnings.first?.location.primPath == "/A.x")
        #expect(try printUSDA(layer).split(separator: "\n").contains { $0 == "    " + expected })
    }
}
