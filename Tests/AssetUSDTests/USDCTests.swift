import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// Reads crate bytes in memory.
func readCrate(
    _ bytes: [UInt8], session: USDSession = USDSession(), limits: ReadLimits = ReadLimits()
) throws -> (layer: USDLayer, diagnostics: Diagnostics) {
    var diagnostics = Diagnostics()
    let layer = try USDC.parse(
        FileBytes(name: "test.usdc", bytes: bytes), session: session, identifier: "test.usdc", limits: limits, &diagnostics)
    return (layer, diagnostics)
}

/// A file with one prim, `/A`, whose attribute `v` has the given value, and that value.
func roundTrip(
    _ version: CrateWriter.Version = (0, 8, 0), _ make: (inout CrateWriter) -> UInt64
) throws -> (value: USDValue, session: USDSession, raw: USDValue) {
    var w = CrateWriter(version.major, version.minor, version.patch)
    let rep = make(&w)
    let children = w.tokenVector(["A"])
    let properties = w.tokenVector(["v"])
    w.spec("pseudoRoot", [], [("primChildren", children)])
    w.spec("prim", ["A"], [("specifier", CrateWriter.inlined(42, 0)), ("properties", properties)])
    w.spec("attribute", ["A", ".v"], [("default", rep)])
    let (layer, diagnostics) = try readCrate(w.finish())
    #expect(diagnostics.isEmpty)
    let prim = layer.session.paths.child(.root, layer.session.token("A"))
    let spec = try #require(layer.spec(at: layer.session.paths.property(prim, layer.session.token("v"))))
    let raw = try #require(layer.field(spec, .default))
    return (try raw.resolved(), layer.session, raw)
}

let crateVersions: [CrateWriter.Version] = (0...16).map { (0, UInt8($0), $0 == 0 ? 1 : 0) }

@Suite struct USDCTests {
    // MARK: Structure

    @Test(arguments: crateVersions.map(\.minor)) func everyVersionGivesTheSameLayer(_ minor: UInt8) throws {
        var w = CrateWriter(0, minor, minor == 0 ? 1 : 0)
        let up = w.token("Y")
        let list = w.value(34) { w in
            let target = w.path(["A", "B"])
            w.put(UInt8(3))
            w.putVector([target])
        }
        w.spec("pseudoRoot", [], [("upAxis", CrateWriter.inlined(11, up)), ("primChildren", w.tokenVector(["C", "A"]))])
        w.spec(
            "prim", ["A"],
            [
                ("specifier", CrateWriter.inlined(42, 0)), ("typeName", CrateWriter.inlined(11, w.token("Xform"))),
                ("primChildren", w.tokenVector(["B"])), ("properties", w.tokenVector(["z", "a"])),
                ("variantSetChildren", w.tokenVector(["look"])),
            ])
        w.spec("prim", ["A", "B"], [("specifier", CrateWriter.inlined(42, 1))])
        w.spec("prim", ["C"], [("specifier", CrateWriter.inlined(42, 2))])
        w.spec("attribute", ["A", ".a"], [("default", CrateWriter.inlined(3, 7))])
        w.spec("relationship", ["A", ".z"], [("targetPaths", list)])
        w.spec("variantSet", ["A", "{look=}"], [("variantChildren", w.tokenVector(["red", "blue"]))])
        w.spec("variant", ["A", "{look=blue}"], [])
        w.spec("variant", ["A", "{look=red}"], [("primChildren", w.tokenVector(["V"]))])
        w.spec("prim", ["A", "{look=red}", "V"], [("specifier", CrateWriter.inlined(42, 0))])
        let (layer, diagnostics) = try readCrate(w.finish())
        #expect(diagnostics.isEmpty)
        #expect(layer.version == "0.\(minor).\(minor == 0 ? 1 : 0)")
        #expect(layer.encoding == "usdc")
        let s = layer.session
        func names(_ spec: SpecIndex, _ range: Range<Int32>) -> [String] {
            layer.children(range).map { i in
                #expect(layer.specs[Int(i)].parent == spec)
                return s.string(layer.specs[Int(i)].path)
            }
        }
        #expect(names(0, layer.specs[0].primChildren) == ["/C", "/A"])
        let a = try #require(layer.spec(at: s.paths.child(.root, s.token("A"))))
        let spec = layer.specs[Int(a)]
        #expect(names(a, spec.primChildren) == ["/A/B"])
        #expect(names(a, spec.properties) == ["/A.z", "/A.a"])
        #expect(names(a, spec.variantChildren) == ["/A{look=}"])
        let set = try #require(layer.children(spec.variantChildren).first)
        #expect(names(set, layer.specs[Int(set)].variantChildren) == ["/A{look=red}", "/A{look=blue}"])
        let red = try #require(layer.children(layer.specs[Int(set)].variantChildren).first)
        #expect(layer.specs[Int(red)].kind == .variant)
        #expect(names(red, layer.specs[Int(red)].primChildren) == ["/A{look=red}V"])
        // Lists of children are no fields.
        #expect(layer.fields(of: a).map { s.string($0.name) } == ["specifier", "typeName"])
        guard case .specifier(.def)? = layer.field(a, .specifier), case .token(let up)? = layer.field(0, .upAxis) else {
            Issue.record("specifier and upAxis")
            return
        }
        #expect(s.string(up) == "Y")
        let z = try #require(layer.children(spec.properties).first)
        #expect(layer.specs[Int(z)].kind == .relationship)
        guard case .pathListOp(let op)? = try layer.field(z, .targetPaths)?.resolved() else {
            Issue.record("targets")
            return
        }
        #expect(op.isExplicit && op.explicit.map { s.string($0) } == ["/A/B"])
    }

    @Test func specsShareFieldSets() throws {
        var w = CrateWriter()
        w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["A", "B"]))])
        w.spec("prim", ["A"], [("specifier", CrateWriter.inlined(42, 0))])
        w.spec("prim", ["B"], [])
        w.specs[2].set = w.specs[1].set
        let (layer, _) = try readCrate(w.finish())
        #expect(layer.specs[1].fields == layer.specs[2].fields)
        #expect(layer.fields.count == 1)
    }

    @Test func targetPathsAndRelationalAttributes() throws {
        var w = CrateWriter()
        w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["A"]))])
        w.spec("prim", ["A"], [("properties", w.tokenVector(["r"]))])
        w.spec("relationship", ["A", ".r"], [])
        w.spec("relationshipTarget", ["A", ".r", "[/A{v=x}B.p]"], [])
        w.spec("attribute", ["A", ".r", "[/A{v=x}B.p]", ".q"], [])
        let (layer, diagnostics) = try readCrate(w.finish())
        let s = layer.session
        #expect(layer.specs.map { s.string($0.path) } == ["/", "/A", "/A.r", "/A.r[/A{v=x}B.p]", "/A.r[/A{v=x}B.p].q"])
        #expect(layer.children(layer.specs[2].otherChildren).count == 1)
        #expect(diagnostics.entries.map(\.code) == ["usdc.dropped.spec"])
    }

    @Test func childrenAreCheckedAgainstTheirLists() throws {
        var w = CrateWriter()
        w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["A", "A", "gone"]))])
        w.spec("prim", ["A"], [])
        w.spec("prim", ["B"], [])
        let (layer, diagnostics) = try readCrate(w.finish())
        #expect(layer.children(layer.specs[0].primChildren).count == 1)
        #expect(diagnostics.entries.map(\.code) == ["usdc.missing-child", "usdc.missing-child", "usdc.dropped.spec"])
        #expect(diagnostics.entries.last?.location.primPath == "/B")
    }

    @Test func equalNamesMayHaveSeveralTokens() throws {
        var w = CrateWriter()
        w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["other"]))])
        w.spec("prim", ["A"], [])
        _ = w.finish()
        var again = w
        again.bytes = Array(w.bytes[..<(w.sections["TOKENS"]?.lowerBound ?? 0)])
        let i = try #require(again.tokens.firstIndex(of: "other"))
        again.tokens[i] = "A"
        // The writer looks names up, so the path keeps the first of the two.
        let (layer, diagnostics) = try readCrate(again.finish())
        #expect(diagnostics.isEmpty)
        #expect(layer.children(layer.specs[0].primChildren).count == 1)
    }

    /// Property names with token 0 lose the sign that tells properties from prims.
    @Test func aPropertyNamedByTheFirstToken() throws {
        var w = CrateWriter()
        w.tokens[0] = "v"
        w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["A"]))])
        w.spec("prim", ["A"], [("properties", w.tokenVector(["v"]))])
        w.spec("attribute", ["A", ".v"], [])
        let (layer, diagnostics) = try readCrate(w.finish())
        #expect(diagnostics.isEmpty)
        #expect(layer.specs.map { layer.session.string($0.path) } == ["/", "/A", "/A.v"])
        #expect(layer.children(layer.specs[1].properties).count == 1)
    }

    @Test func recognition() {
        func recognizes(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return USDC.recognizes(bytes.span.bytes)
        }
        #expect(recognizes("PXR-USDC"))
        #expect(recognizes("PXR-USDC and more"))
        #expect(!recognizes("PXR-USDA"))
        #expect(!recognizes("PXR-USD"))
    }

    @Test func sessionsShareNamesBetweenLayers() throws {
        var w = CrateWriter()
        w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["A"]))])
        w.spec("prim", ["A"], [])
        let bytes = w.finish()
        let session = USDSession()
        let (one, _) = try readCrate(bytes, session: session)
        let (two, _) = try readCrate(bytes, session: session)
        #expect(one.specs[1].path == two.specs[1].path)
    }

    // MARK: A file by OpenUSD

    /// Written by OpenUSD 26.11: two levels of prims, arrays, samples, a variant; see the text beside it.
    @Test func aFileByOpenUSD() throws {
        let session = USDSession()
        let (layer, diagnostics) = try readCrate(base64(openUSDSample), session: session)
        var other = Diagnostics()
        let text = try USDA.parse(
            FileBytes(name: "sample.usda", bytes: Array(openUSDSampleText.utf8)), session: session, identifier: "sample.usda",
            limits: ReadLimits(), &other)
        #expect(diagnostics.isEmpty && other.isEmpty)
        #expect(layer.version == "0.16.0")
        #expect(layer.specs.count == text.specs.count)
        let crateLines = try CrateText(session).lines(layer)
        #expect(crateLines == (try CrateText(session).lines(text)))
        #expect(crateLines.count > 60)
    }
}

func base64(_ text: String) -> [UInt8] {
    var out: [UInt8] = []
    var word: UInt32 = 0
    var bits = 0
    for c in text.utf8 {
        let v: UInt32
        switch c {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): v = UInt32(c - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): v = UInt32(c - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): v = UInt32(c - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): v = 62
        case UInt8(ascii: "/"): v = 63
        default: continue
        }
        word = word << 6 | v
        bits += 6
        if bits >= 8 {
            bits -= 8
            out.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
        }
    }
    return out
}
