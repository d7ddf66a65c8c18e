import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// Damaged files: an error that says where, or a layer; never a crash, a hang, or memory without end.
@Suite struct USDCDamageTests {
    /// A file with something in each section.
    private func sample(_ minor: UInt8 = 8) -> CrateWriter {
        var w = CrateWriter(0, minor, minor == 0 ? 1 : 0)
        let array = w.array(24, count: 4, (0..<12).map { Float($0) })
        let packed = isPacked(minor) ? w.packedArray(3, (0..<40).map { Int64($0 * 3) }, wide: false) : array
        let key = w.string("key")
        let dictionary = w.value(31) { w in
            w.put(UInt64(2))
            w.put(key)
            w.putNested(CrateWriter.inlined(3, 7))
            w.put(key)
            w.putNested(array)
        }
        let times = w.value(48) { $0.putVector([1.0, 2.0]) }
        let samples = w.value(46) { w in
            w.putNested(times)
            w.put(Int64(8))
            w.putVector([array, CrateWriter.inlined(51, 0)])
        }
        let target = w.path(["A", "B"])
        let targets = w.value(34) {
            $0.put(UInt8(3)); $0.putVector([target])
        }
        w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["A"])), ("customLayerData", dictionary)])
        w.spec("prim", ["A"], [("primChildren", w.tokenVector(["B"])), ("properties", w.tokenVector(["r", "s", "i"]))])
        w.spec("prim", ["A", "B"], [])
        w.spec("relationship", ["A", ".r"], [("targetPaths", targets)])
        w.spec("attribute", ["A", ".s"], [("timeSamples", samples), ("default", array)])
        w.spec("attribute", ["A", ".i"], [("default", packed)])
        _ = w.finish()
        return w
    }

    private func isPacked(_ minor: UInt8) -> Bool { minor >= 5 }

    /// Reads everything there is; errors are fine.
    private func readAll(_ bytes: [UInt8]) -> AssetError? {
        do {
            let (layer, _) = try readCrate(bytes)
            for f in layer.fields {
                let text = CrateText(layer.session)
                _ = try text.text(f.value)
                if case .deferred(let source, let rep) = f.value {
                    _ = try source.arrayShape(rep)
                    try source.deferredArray(rep, as: Vector3f.self)?.forEachBlock { _ in }
                }
            }
            return nil
        } catch { return error as? AssetError }
    }

    @Test func theSampleIsWhole() {
        for minor in [UInt8(0), 1, 4, 5, 8, 16] { #expect(readAll(sample(minor).bytes) == nil) }
    }

    @Test(arguments: [UInt8(0), 1, 4, 8]) func truncationAtEveryByte(_ minor: UInt8) throws {
        let bytes = sample(minor).bytes
        for n in 0..<bytes.count {
            let error = try #require(readAll(Array(bytes[..<n])))
            #expect(error.diagnostic.code.hasPrefix("usdc."))
            #expect(error.diagnostic.location.file == "test.usdc")
        }
    }

    @Test(arguments: [UInt8(0), 4, 8]) func everyFlippedBit(_ minor: UInt8) {
        let bytes = sample(minor).bytes
        for bit in 0..<bytes.count * 8 where bit % 7 == 0 { _ = readAll(Mutations.flippingBit(bit, of: bytes)) }
    }

    @Test func randomEdits() {
        var random = SplitMix64(seed: 42)
        let files = [sample(0).bytes, sample(1).bytes, sample(7).bytes, base64(openUSDSample)]
        for round in 0..<1500 {
            _ = readAll(Mutations.edited(files[round % files.count], edits: 1 + round % 5, using: &random))
        }
    }

    @Test func randomBytesBehindAGoodHeader() {
        var random = SplitMix64(seed: 3)
        let head = sample().bytes[..<16]
        for _ in 0..<200 {
            let noise = random.bytes(400)
            let contents = withUnsafeBytes(of: Int64(random.int(in: 80...410))) { Array($0) }
            _ = readAll(head + contents + noise)
        }
    }

    // MARK: One wrong number each

    struct Patch: CustomTestStringConvertible {
        var section: String
        /// Behind the start of the section.
        var offset: Int
        var value: UInt64
        var code: String
        var testDescription: String { "\(section)+\(offset) = \(value)" }
    }

    @Test(arguments: [
        Patch(section: "TOKENS", offset: 0, value: 1 << 60, code: "usdc.token-count-mismatch"),
        Patch(section: "TOKENS", offset: 0, value: 99, code: "usdc.token-count-mismatch"),
        Patch(section: "TOKENS", offset: 8, value: 1 << 40, code: "usdc.bad-tokens"),
        Patch(section: "TOKENS", offset: 8, value: 20, code: "usdc.bad-tokens"),
        Patch(section: "TOKENS", offset: 16, value: 1 << 62, code: "usdc.bad-tokens"),
        Patch(section: "STRINGS", offset: 0, value: 1 << 61, code: "usdc.bad-strings"),
        Patch(section: "STRINGS", offset: 0, value: .max, code: "usdc.bad-strings"),
        Patch(section: "STRINGS", offset: 8, value: 1 << 30, code: "usdc.bad-strings"),
        Patch(section: "FIELDS", offset: 0, value: 1 << 62, code: "usdc.bad-fields"),
        Patch(section: "FIELDS", offset: 0, value: 60, code: "usdc.bad-fields"),
        Patch(section: "FIELDS", offset: 8, value: .max, code: "usdc.bad-fields"),
        Patch(section: "FIELDSETS", offset: 0, value: 1 << 33, code: "usdc.bad-field-sets"),
        Patch(section: "FIELDSETS", offset: 0, value: 5, code: "usdc.bad-field-sets"),
        Patch(section: "PATHS", offset: 0, value: 1, code: "usdc.bad-paths"),
        Patch(section: "PATHS", offset: 0, value: 1 << 50, code: "usdc.bad-paths"),
        Patch(section: "PATHS", offset: 8, value: 1 << 50, code: "usdc.bad-paths"),
        Patch(section: "PATHS", offset: 16, value: 0, code: "usdc.bad-paths"),
        Patch(section: "SPECS", offset: 0, value: 1 << 50, code: "usdc.bad-specs"),
        Patch(section: "SPECS", offset: 8, value: 1 << 50, code: "usdc.bad-specs"),
        Patch(section: "contents", offset: 0, value: 7 << 40, code: "usdc.bad-contents"),
        Patch(section: "contents", offset: 24, value: 1 << 50, code: "usdc.bad-contents"),
        Patch(section: "contents", offset: 32, value: .max, code: "usdc.bad-contents"),
    ]) func wrongNumbersNameTheSection(_ p: Patch) throws {
        let w = sample()
        var bytes = w.bytes
        let section = try #require(w.sections[p.section])
        withUnsafeBytes(of: p.value) { bytes.replaceSubrange(section.lowerBound + p.offset..<section.lowerBound + p.offset + 8, with: $0) }
        let error = try #require(readAll(bytes))
        #expect(error.diagnostic.code == p.code)
        guard case .byteOffset(let at) = error.diagnostic.location.position else {
            Issue.record("a byte offset expected")
            return
        }
        #expect(section.contains(at))
    }

    @Test func wrongHeaders() throws {
        let bytes = sample().bytes
        func code(_ edit: (inout [UInt8]) -> Void) -> String? {
            var b = bytes
            edit(&b)
            return readAll(b)?.diagnostic.code
        }
        #expect(code { $0 = [] } == "usdc.bad-header")
        #expect(code { $0 = Array($0[..<87]) } == "usdc.bad-header")
        #expect(code { $0[0] = 0 } == "usdc.bad-header")
        #expect(code { $0[8] = 1 } == "usdc.unsupported-version")
        #expect(code { $0[9] = 99 } == "usdc.unsupported-version")
        #expect(
            code {
                $0[16] = 0; $0[17] = 0
            } == "usdc.bad-header")
        #expect(code { $0.replaceSubrange(16..<24, with: [UInt8](repeating: 255, count: 8)) } == "usdc.bad-header")
        #expect(code { $0[23] = 0x7F } == "usdc.bad-header")
    }

    @Test func missingSections() throws {
        let w = sample()
        let contents = try #require(w.sections["contents"])
        for i in 0..<6 {
            var bytes = w.bytes
            bytes[contents.lowerBound + 8 + 32 * i] = UInt8(ascii: "x")
            #expect(readAll(bytes)?.diagnostic.code == "usdc.bad-contents")
        }
    }

    // MARK: Trees and tables

    /// A file whose PATHS section is the given packed arrays.
    private func paths(_ count: Int, _ indices: [Int64], _ elements: [Int64], _ jumps: [Int64]) -> AssetError? {
        var w = CrateWriter()
        w.spec("pseudoRoot", [], [])
        w.spec("prim", ["A"], [])
        w.spec("prim", ["A", "B"], [])
        _ = w.finish()
        return readAll(withPaths(w, count, indices, elements, jumps))
    }

    /// Puts a second PATHS section at the end and points the table of contents at it.
    private func withPaths(_ w: CrateWriter, _ count: Int, _ indices: [Int64], _ elements: [Int64], _ jumps: [Int64]) -> [UInt8] {
        var w = w
        guard let contents = w.sections["contents"] else { return [] }
        let start = w.bytes.count
        w.put(UInt64(count), UInt64(indices.count))
        w.putPacked(indices)
        w.putPacked(elements)
        w.putPacked(jumps)
        var place = CrateWriter()
        place.bytes = []
        place.put(Int64(start), Int64(w.bytes.count - start))
        let entry = contents.lowerBound + 8 + 32 * 4 + 16
        w.bytes.replaceSubrange(entry..<entry + 16, with: place.bytes)
        return w.bytes
    }

    @Test func pathTreesThatAreNone() throws {
        let a = 1 as Int64
        #expect(paths(3, [0, 1, 2], [0, a, a], [-1, -1, -2]) == nil)
        for (what, error) in [
            ("index outside", paths(3, [0, 1, 3], [0, a, a], [-1, -1, -2])),
            ("a gap of a thousand million", paths(1 << 30, [0, 1, 1 << 29], [0, a, a], [-1, -1, -2])),
            ("negative index", paths(3, [0, 1, -1], [0, a, a], [-1, -1, -2])),
            ("index twice", paths(3, [0, 1, 1], [0, a, a], [-1, -1, -2])),
            ("token outside", paths(3, [0, 1, 2], [0, a, 999], [-1, -1, -2])),
            ("lowest token", paths(3, [0, 1, 2], [0, a, Int64(Int32.min)], [-1, -1, -2])),
            ("jump outside", paths(3, [0, 1, 2], [0, a, a], [-1, 5, -2])),
            ("jump to itself", paths(3, [0, 1, 2], [0, a, a], [-1, 1, 1])),
            ("greatest jump", paths(3, [0, 1, 2], [0, a, a], [Int64(Int32.max), -1, -2])),
            ("a child behind the end", paths(3, [0, 1, 2], [0, a, a], [-1, -1, -1])),
            ("a sibling behind the end", paths(3, [0, 1, 2], [0, a, a], [-1, -1, 0])),
        ] {
            #expect(error?.diagnostic.code == "usdc.bad-paths", Comment(rawValue: what))
        }
    }

    /// Counts that LZ4 could hold in so few bytes, but that are out of all proportion to them.
    @Test(arguments: ["FIELDS", "FIELDSETS", "PATHS", "SPECS"]) func packedCountsAreInProportion(_ section: String) throws {
        var w = sample()
        // Room that a packed list could be in.
        w.bytes += [UInt8](repeating: 0, count: 100_000)
        let at = try #require(w.sections[section]).lowerBound + (section == "PATHS" ? 8 : 0)
        var bytes = w.bytes
        withUnsafeBytes(of: UInt64(40_000_000)) { bytes.replaceSubrange(at..<at + 8, with: $0) }
        #expect(readAll(bytes)?.diagnostic.code == "limit.prims")
        var limits = ReadLimits()
        limits.prims = 1000
        let error = try #require(throws: AssetError.self) { try readCrate(bytes, limits: limits) }
        #expect(error.diagnostic.code.hasPrefix("usdc.bad-"))
    }

    /// A hundred million numbers that differ by one, in a hundred thousand bytes.
    @Test func packedIntegersAreInProportion() throws {
        let bytes = try #require(CrateBytes(FileBytes(name: "a", bytes: [UInt8](repeating: 0, count: 200_000))))
        let error = #expect(throws: AssetError.self) {
            try EncodedIntegers(bytes, 0, 200_000, count: 100_000_000, wide: false, .array)
        }
        #expect(error?.diagnostic.message.contains("100000000 integers in a file of 200000 bytes") == true)
    }

    /// Text of tokens that nothing but one letter is in.
    @Test func tokensAreInProportion() throws {
        var w = sample()
        let section = try #require(w.sections["TOKENS"])
        w.bytes += [UInt8](repeating: 0, count: 2_000_000)
        var bytes = w.bytes
        // Size of the text, and a packed size for which it is possible.
        withUnsafeBytes(of: (UInt64(400_000_000), UInt64(1_900_000))) {
            bytes.replaceSubrange(section.lowerBound + 8..<section.lowerBound + 24, with: $0)
        }
        #expect(readAll(bytes)?.diagnostic.code == "limit.prims")
    }

    @Test func deepPathsAreRefusedAndWidePathsAreNot() throws {
        func chain(_ n: Int) -> [UInt8] {
            var w = CrateWriter()
            w.spec("pseudoRoot", [], [])
            _ = w.token("A")
            _ = w.finish()
            return withPaths(
                w, n, (0..<n).map { Int64($0) }, [Int64](repeating: 1, count: n), (0..<n).map { $0 == n - 1 ? -2 : -1 })
        }
        #expect(readAll(chain(400)) == nil)
        #expect(readAll(chain(100_000))?.diagnostic.code == "limit.nesting-depth")
    }

    @Test func specsThatAreWrong() throws {
        func code(_ edit: (inout CrateWriter) -> Void) -> String? {
            var w = CrateWriter()
            w.spec("pseudoRoot", [], [("primChildren", w.tokenVector(["A"]))])
            w.spec("prim", ["A"], [("active", CrateWriter.inlined(1, 0))])
            edit(&w)
            return readAll(w.finish())?.diagnostic.code
        }
        #expect(code { _ in } == nil)
        #expect(code { $0.specs[1].path = 77 } == "usdc.bad-specs")
        #expect(code { $0.specs[1].path = $0.specs[0].path } == "usdc.bad-specs")
        #expect(code { $0.specs[1].type = 0 } == "usdc.bad-specs")
        #expect(code { $0.specs[1].type = 12 } == "usdc.bad-specs")
        #expect(code { $0.specs[1].type = 7 } == "usdc.bad-specs")
        #expect(code { $0.specs[1].set += 1 } == "usdc.bad-specs")
        #expect(code { $0.specs[1].set = 1000 } == "usdc.bad-specs")
        #expect(code { $0.fieldSets[0] = 1000 } == "usdc.bad-field-sets")
        #expect(code { $0.fieldSets.removeLast() } == "usdc.bad-field-sets")
        #expect(code { $0.fields[0].name = 1000 } == "usdc.bad-fields")
        #expect(code { $0.fields[0].rep = CrateWriter.inlined(3, 7) } == "usdc.bad-value")
    }
}
