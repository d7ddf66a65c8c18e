import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// Where errors point and what they say.
@Suite struct USDAErrorTests {
    /// A body with `^` before the byte the error must point at.
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var code: String
        var testDescription: String { text }
        init(_ text: String, _ code: String) {
            self.text = text
            self.code = code
        }
    }

    static let cases: [Case] = [
        Case("^fed \"A\"\n{\n}\n", "usda.syntax"), Case("def ^\"A/B\"\n{\n}\n", "usda.bad-prim-name"), Case("def \"A\"\n^", "usda.syntax"),
        Case("def \"A\"\n{\n}\ndef ^\"A\"\n{\n}\n", "usda.duplicate-prim"), Case("def \"A\"\n{\n} ^def \"B\"\n{\n}\n", "usda.syntax"),
        Case("def \"A\"\n{\n    float ^1x\n}\n", "usda.syntax"), Case("def \"A\"\n{\n    float x = ^\"a\"\n}\n", "usda.bad-value"),
        Case("def \"A\"\n{\n    int x = ^5000000000\n}\n", "usda.value-out-of-range"),
        Case("def \"A\"\n{\n    uint[] x = [1, ^-1]\n}\n", "usda.value-out-of-range"),
        Case("def \"A\"\n{\n    float3 x = (1, 2^)\n}\n", "usda.syntax"), Case("def \"A\"\n{\n    float3 x = ^1\n}\n", "usda.bad-value"),
        Case("def \"A\"\n{\n    float3[] x = [(1, 2, 3), (1, 2, 3, ^4)]\n}\n", "usda.syntax"),
        Case("def \"A\"\n{\n    float[] x = ^1\n}\n", "usda.bad-value"),
        Case("def \"A\"\n{\n    float x = ^[1]\n}\n", "usda.bad-value"), Case("def \"A\"\n{\n    float[] x = [1 ^2]\n}\n", "usda.syntax"),
        Case("def \"A\"\n{\n    matrix2d x = (^1, 2, 3, 4)\n}\n", "usda.bad-value"), Case("def \"A\"\n{\n    token x = ^word\n}\n", "usda.bad-value"),
        Case("def \"A\"\n{\n    string x = ^\"a\n}\n", "usda.unterminated-string"),
        Case("def \"A\"\n{\n    string x = ^\"\"\"a\n}\n", "usda.unterminated-string"),
        Case("def \"A\"\n{\n    asset x = ^@a\n}\n", "usda.unterminated-asset-path"),
        Case("def \"A\"\n{\n    rel r = ^</A\n}\n", "usda.unterminated-path"),
        Case("def \"A\"\n{\n    rel r = ^</A/>\n}\n", "usda.bad-path"), Case("def \"A\"\n{\n    rel r = ^<../../..>\n}\n", "usda.bad-path"),
        Case("def \"A\"\n{\n    float x\n    double ^x\n}\n", "usda.attribute-type-changed"),
        Case("def \"A\"\n{\n    rel x\n    float ^x\n}\n", "usda.property-kind-changed"),
        Case("def \"A\"\n{\n    uniform float x\n    float ^x\n}\n", "usda.attribute-variability-changed"),
        Case("def \"A\"\n{\n    ^delete rel r = None\n}\n", "usda.empty-list-edit"),
        Case("def \"A\"\n{\n    variantSet \"v\" = {\n    ^}\n}\n", "usda.syntax"),
        Case("def \"A\"\n{\n    float x = 1 ^float y\n}\n", "usda.syntax"), Case("def \"A\"\n{\n    opaque x = ^1\n}\n", "usda.bad-value"),
        Case("def \"A\" (\n    kind = ^word\n)\n{\n}\n", "usda.syntax"), Case("def \"A\" (\n    ^specifier = 1\n)\n{\n}\n", "usda.reserved-field"),
        Case("def \"A\" (\n    prepend ^active = [1]\n)\n{\n}\n", "usda.not-a-list-op"),
        Case("def \"A\" (\n    references = ^@@\n)\n{\n}\n", "usda.empty-asset-path"),
        Case("def \"A\" (\n    inherits = ^</B.x>\n)\n{\n}\n", "usda.bad-path"),
        Case("def \"A\" (\n    customData = { ^strange a = 1 }\n)\n{\n}\n", "usda.unknown-type"),
        Case("def \"A\" (\n    customData = { int a = 1^, int b = 2 }\n)\n{\n}\n", "usda.syntax"),
        Case("def \"A\"\n{\n    variantSet ^\"a b\" = {\n    }\n}\n", "usda.bad-variant-set-name"),
        Case("^/* never ends", "usda.unterminated-comment"),
    ]

    /// What OpenUSD refuses in attributes and splines.
    @Test(arguments: [
        ("foo x.spline = {1: 2}", "usda.bad-spline"), ("double[] x.spline = {1: 2}", "usda.bad-spline"),
        ("string x.spline = {1: 2}", "usda.bad-spline"), ("dictionary x", "usda.syntax"), ("custom dictionary x = {}", "usda.syntax"),
        ("double x.spline = {1: 2; post (1, 2)}", "usda.syntax"), ("double x.spline = {hermite, 1: 2; post (1)}", "usda.syntax"),
        ("double x.spline = {1: 2; post curve ()}", "usda.bad-spline"), ("double x.spline = {1: 2; post curve (1, 2, 3)}", "usda.syntax"),
        ("double x.spline = {loop: (1, 2, 3.5, 4, 5), 1: 2}", "usda.bad-spline"),
        ("uniform rel r", "usda.syntax"), ("custom config rel r = </A>", "usda.syntax"), ("append custom float x = 1", "usda.syntax"),
    ]) func refusedAsByOpenUSD(_ property: String, _ code: String) throws {
        let error = try #require(throws: AssetError.self) { try parseUSDA("def \"A\"\n{\n    \(property)\n}\n") }
        #expect(error.diagnostic.code == code)
    }

    @Test(arguments: cases) func pointsAtTheFault(_ c: Case) throws {
        let text = "#usda 1.0\n" + c.text
        let bytes = Array(text.utf8)
        let marked = bytes.firstIndex(of: UInt8(ascii: "^"))
        let clean = bytes.filter { $0 != UInt8(ascii: "^") }
        let error = try #require(throws: AssetError.self) { try parseUSDA(bytes: clean) }
        #expect(error.diagnostic.code == c.code)
        #expect(error.diagnostic.location.file == "test.usda")
        if let marked {
            let (line, column) = lineAndColumn(of: marked, in: clean.span)
            #expect(error.diagnostic.location.position == .line(line, column: column))
        }
    }

    @Test func messagesSayFoundAndExpected() throws {
        let error = try #require(throws: AssetError.self) { try parseUSDA("def \"A\"\n{\n    float3 x = (1, two, 3)\n}\n") }
        #expect(error.diagnostic.message == "found 'two', expected a value of type float3")
        #expect(error.diagnostic.location.position == .line(4, column: 20))
        #expect(error.diagnostic.location.primPath == "/A.x")
    }

    @Test(arguments: ["", "usda 1.0\n", "#usda\n", "#usda x\n", "#usda 2.0\n", "#usda 1.5\n", "#usda 0.9\n"])
    func headersOfOtherFiles(_ text: String) {
        #expect(throws: AssetError.self) { try parseUSDA(bytes: Array(text.utf8)) }
    }

    @Test func recognizesItsHeader() {
        func recognized(_ s: String) -> Bool { USDA.recognizes(Array(s.utf8).span.bytes) }
        #expect(recognized("#usda 1.0\n"))
        #expect(recognized("\u{feff}#usda 1.0"))
        #expect(recognized("#sdf 1.4.32\n"))
        #expect(!recognized("PXR-USDC"))
        #expect(!recognized("#usd"))
        #expect(!recognized(""))
    }

    @Test func lineEndsOfEveryKind() throws {
        for end in ["\n", "\r\n", "\r"] {
            let error = try #require(throws: AssetError.self) {
                try parseUSDA(bytes: Array("#usda 1.0\(end)def \"A\"\(end){\(end)  ?\(end)}".utf8))
            }
            #expect(error.diagnostic.location.position == .line(4, column: 3))
        }
    }

    // MARK: Limits

    @Test func nestingHasALimit() throws {
        var limits = ReadLimits()
        limits.nestingDepth = 20
        func prims(_ n: Int) -> String { String(repeating: "def \"A\"\n{\n", count: n) + String(repeating: "}\n", count: n) }
        func dictionaries(_ n: Int) -> String {
            "def \"A\" (\ncustomData = " + String(repeating: "{ dictionary d = ", count: n) + "{}" + String(repeating: "}", count: n) + "\n)\n{\n}\n"
        }
        func lists(_ n: Int) -> String {
            "def \"A\"\n{\nint[] x = " + String(repeating: "[", count: n) + "1" + String(repeating: "]", count: n) + "\n}\n"
        }
        func unknown(_ n: Int) -> String {
            "def \"A\" (\nfoo = " + String(repeating: "(", count: n) + "1" + String(repeating: ")", count: n) + "\n)\n{\n}\n"
        }
        for make in [prims, dictionaries, lists, unknown] {
            _ = try parseUSDA(make(10), limits: limits)
            let error = try #require(throws: AssetError.self) { try parseUSDA(make(100_000), limits: limits) }
            #expect(error.diagnostic.code == "usda.nesting-too-deep")
        }
        let deepPath = String(repeating: "/A", count: 100_000)
        #expect(throws: AssetError.self) { try parseUSDA("def \"A\"\n{\nrel r = <\(deepPath)>\n}\n") }
        let deepTarget = String(repeating: "/A.r[", count: 100_000) + "/B" + String(repeating: "]", count: 100_000)
        #expect(throws: AssetError.self) { try parseUSDA("def \"A\"\n{\nrel r = <\(deepTarget)>\n}\n") }
    }

    @Test(.timeLimit(.minutes(1))) func manyFieldsOnOnePrim() throws {
        let n = 30_000
        let text = "def \"A\" (\n" + (0..<n).map { "f\($0) = \($0)\n" }.joined() + "f7 = 70\n)\n{\n}\n"
        let layer = try parseUSDA(text)
        #expect(layer.specs[1].fields.count == n + 1)
        #expect(try layer.text("/A", "f7") == "70")
    }

    // MARK: Damage

    static let sample = """
        #usda 1.0
        (
            "note"
            defaultPrim = "A"
            subLayers = [@a.usda@ (offset = 1), @@@b@@@]
        )

        def Xform "A" (
            prepend apiSchemas = ["B"]
            customData = { int a = 1; dictionary d = { string "x y" = 'z' } }
            references = [@r@</R> (scale = 2), </S>]
            unknown = [(1, "two"), three]
        )
        {
            custom float3[] points = [(1, 2, 3), (-4.5e3, inf, nan)] ( interpolation = "vertex" )
            matrix2d m = ((1, 0), (0, 1))
            string s = \"\"\"a\\n"b\"\"\" # comment
            float x.timeSamples = { 0: 1, 1.5: None }
            float x.connect = [</A.y>, <B{v=w}C.z>]
            double k.spline = { bezier, pre: sloped(1), 1: 2 & 3; pre (1, 2); post curve (1, 2); { int a = 1 } }
            float[] e = edit [append 1; write [0] to [1]; minsize 3 fill 2]
            rel r = [</A>, <B.r[/C].d>] /* c */
            variantSet "v" = { "one" { def "D" {} } "two" (active = false) {} }
        }

        """

    @Test func sampleIsSound() throws { _ = try parseUSDA(bytes: Array(Self.sample.utf8)) }

    @Test func cutAtEveryByte() {
        let bytes = Array(Self.sample.utf8)
        for n in Mutations.truncationLengths(bytes.count) {
            if let layer = try? parseUSDA(bytes: Array(bytes[0..<n])) { _ = try? USDA.text(of: layer) }
        }
    }

    @Test func everyBitFlipped() {
        let bytes = Array(Self.sample.utf8)
        for bit in 0..<(bytes.count * 8) {
            if let layer = try? parseUSDA(bytes: Mutations.flippingBit(bit, of: bytes)) { _ = try? USDA.text(of: layer) }
        }
    }

    @Test func randomEdits() throws {
        var random = SplitMix64(seed: 11)
        let bytes = Array(Self.sample.utf8)
        for _ in 0..<3000 {
            let damaged = Mutations.edited(bytes, edits: 4, using: &random)
            guard let layer = try? parseUSDA(bytes: damaged) else { continue }
            // What still reads prints as something that reads again.
            let text = try USDA.text(of: layer)
            #expect(throws: Never.self, "\(String(decoding: damaged, as: UTF8.self))") { try parseUSDA(bytes: text) }
        }
    }
}

/// What OpenUSD refuses and is read here with a warning, and what both take.
@Suite struct USDALeniencyTests {
    @Test func knotsOfOneTime() throws {
        let text = "def \"A\"\n{\n    double x.spline = {2: 5, 1: 2, 1: 3, 0: 7}\n}\n"
        #expect(try warnings(text).map(\.code) == ["usda.duplicate-knot"])
        let layer = try parseUSDA(text)
        guard case .spline(let spline) = layer.fields.first(where: { $0.name == .spline })?.value else {
            Issue.record("no spline")
            return
        }
        #expect(spline.knots.map(\.time) == [0, 1, 2])
        #expect(spline.knots.map(\.value) == [7, 2, 5])
    }

    private func warnings(_ body: String) throws -> [Diagnostic] {
        var diagnostics = Diagnostics()
        let bytes = Array(("#usda 1.0\n" + body).utf8)
        _ = try USDA.parse(
            FileBytes(name: "test.usda", bytes: bytes), session: USDSession(), identifier: "test.usda", limits: ReadLimits(), &diagnostics)
        return diagnostics.entries
    }

    @Test(arguments: [
        "def \"A\"\n{ int a = 1 }\n", "def \"A\"\n{\n    rel r = </A>}\n", "def \"A\"\n{\n    def \"B\"\n    {\n    }}\n",
        "def \"A\"\n{\n    reorder properties = [\"a\"] }\n", "def \"A\"\n{\n    variantSet \"v\" = {\n        \"x\" { }\n    } }\n",
    ])
    func aStatementEndsWithItsLine(text: String) throws {
        #expect(try warnings(text).map(\.code) == ["usda.missing-line-end"])
        // Said once, wherever the next ones are.
        #expect(try warnings(text + text.replacing("\"A\"", with: "\"C\"")).map(\.code) == ["usda.missing-line-end"])
    }

    @Test(arguments: [
        "def\"A\"\n{\n}\n", "def Mesh\"A\"\n{\n}\n", "class\"A\"\n{\n}\n", "def \"A\"\n{\n    double[]x = [1]\n}\n",
        "def \"A\"\n{\n    variantSet\"v\" = {\n        \"x\" {\n        }\n    }\n}\n",
    ])
    func aWordEndsWithASpace(text: String) throws {
        #expect(try warnings(text).map(\.code) == ["usda.missing-blank"])
    }

    @Test func theWarningSaysWhere() throws {
        let first = try #require(try warnings("def \"A\"\n{\n    int a = 1 }\n").first)
        #expect(first.location.position == .line(4, column: 15))
        #expect(first.location.primPath == "/A")
    }

    @Test(arguments: [
        ("string s = \"ok ", [0xFF, 0xFE], "\"", 20), ("string s = \"", [0xC3, 0x28], "\"", 17),
        ("token s = \"\"\"", [0xED, 0xA0, 0x80], "\"\"\"", 18),
        ("asset s = @a", [0xC0, 0x80], "@", 17), ("asset s = @@@", [0x80], "@@@", 18),
    ])
    func stringsThatAreNotUTF8(before: String, broken: [UInt8], after: String, column: Int) throws {
        var diagnostics = Diagnostics()
        let text = Array("#usda 1.0\ndef \"A\"\n{\n    \(before)".utf8) + broken + Array("\(after)\n    string t = \"é€😀\"\n}\n".utf8)
        _ = try USDA.parse(
            FileBytes(name: "test.usda", bytes: text), session: USDSession(), identifier: "test.usda", limits: ReadLimits(), &diagnostics)
        #expect(diagnostics.entries.map(\.code) == ["usda.invalid-utf8"])
        #expect(diagnostics.entries.first?.location.position == .line(4, column: column))
    }

    /// The name of a file is bytes: those that are not UTF-8 come out of a layer as they went in.
    @Test(arguments: [
        [0x66, 0xFF, 0x2F, 0x61], [0x80], [0xC3, 0x28, 0xE9], [0xF4, 0x8F, 0xBA, 0x85], Array("é😀\u{FFFD}".utf8), [0xFF, 0x40, 0x40],
    ])
    func assetPathsKeepTheirBytes(_ bytes: [UInt8]) throws {
        let delimiter = bytes.contains(0x40) ? "@@@" : "@"
        let path = Array(delimiter.utf8) + bytes + Array(delimiter.utf8)
        let text =
            Array("#usda 1.0\ndef \"A\" (references = ".utf8) + path + Array(")\n{\n    asset s = ".utf8) + path + Array("\n    asset[] t = [".utf8)
            + path + Array("]\n}\n".utf8)
        let layer = try parseUSDA(bytes: text)
        guard case .asset(let kept)? = layer.value("/A.s") else { return #expect(Bool(false), "no asset path") }
        #expect(kept == SystemPath.decode(bytes))
        let printed = try USDA.text(of: layer)
        var found = 0
        for i in 0...(printed.count - path.count) where Array(printed[i..<(i + path.count)]) == path { found += 1 }
        #expect(found == 3)
    }

    @Test(arguments: [
        "def \"A\"\n{\n}\n", "def \"A\" { }\n", "def \"A\"\n{\n    int a = 1;\n}\n", "def \"A\"\n{\n    int a = 1; }\n",
        "def \"A\" ( active = true )\n{\n}\n", "def \"A\" (\n    customData = { int a = 1 }\n)\n{\n}\n",
        "def \"A\"\n{\n    double x. timeSamples = {\n        1: 2,\n    }\n}\n",
    ])
    func whatOpenUSDTakesIsNoMatter(text: String) throws { #expect(try warnings(text).isEmpty) }
}
