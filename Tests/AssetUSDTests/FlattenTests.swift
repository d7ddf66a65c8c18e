import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// A resolver over texts that knows where it is: relative paths begin at `/w`.
private final class PlacedResolver: AssetResolver {
    private let files = InMemoryResolver()

    func add(_ path: String, _ bytes: [UInt8]) { files.add(path, bytes) }
    func open(_ path: String) throws(AssetError) -> FileBytes { try files.open(path) }
    func exists(_ path: String) -> Bool { files.exists(path) }
    func list(_ folder: String) -> [String] { files.list(folder) }
    func package(_ path: String) throws(AssetError) -> ZipArchive { try files.package(path) }
    func give(_ file: FileBytes, as path: String) { files.give(file, as: path) }
    func obey(_ limits: ReadLimits) { files.obey(limits) }

    func absolute(_ path: String) -> String {
        if let (package, member) = AssetPath.splitPackage(path) { return AssetPath.asked(member, of: absolute(package)) }
        return AssetPath.normalise(AssetPath.isAbsolute(path) ? path : "/w/" + path)
    }
}

private struct Flattened {
    var text: String
    var codes: [String]

    /// The flattened stage of the first file.
    init(_ files: [(String, [UInt8])], _ change: (inout ReadOptions) -> Void = { _ in }) throws {
        let resolver = PlacedResolver()
        for (name, bytes) in files { resolver.add(name, bytes) }
        var context = ReadContext(resolver: resolver)
        change(&context.options)
        let document = try USDDocument(resolver.open(files[0].0), &context)
        var out: [UInt8] = []
        try document.writeText(flatten: true, &context) { out.append(contentsOf: $0) }
        text = String(decoding: out, as: UTF8.self)
        codes = context.diagnostics.entries.map(\.code)
    }

    init(texts: [(String, String)], _ change: (inout ReadOptions) -> Void = { _ in }) throws {
        try self.init(texts.map { ($0.0, Array(("#usda 1.0\n" + $0.1).utf8)) }, change)
    }

    init(_ text: String) throws { try self.init(texts: [("/w/root.usda", text)]) }

    func has(_ part: String) -> Bool { text.contains(part) }
}

@Suite struct FlattenTests {
    static let cases = Repository.folders(in: "Tests/Fixtures/flatten")

    /// Folders of layers, `root.usda` first, with what OpenUSD 26.11 flattens them to (`expected.usda`).
    @Test(arguments: cases) func answersOfOpenUSD(_ name: String) throws {
        let folder = "Tests/Fixtures/flatten/" + name
        var files: [(String, [UInt8])] = [("/w/root.usda", try Repository.bytes(folder + "/root.usda"))]
        for file in Repository.files(under: folder) where !file.hasSuffix("/root.usda") && !file.hasSuffix("/expected.usda") {
            files.append(("/w/" + file.dropFirst(folder.count + 1), try Repository.bytes(file)))
        }
        let expected = try Repository.text(folder + "/expected.usda")
        let flattened = try Flattened(files)
        #expect(trimmed(flattened.text) == trimmed(expected))
        // What is flat already stays as it is; but for asset paths that nothing answered to where they stood, and for prototypes,
        // which get new names.
        if name == "assets" || name == "instances" { return }
        let root = files[0].0
        files[0].1 = Array(flattened.text.utf8)
        #expect(try Flattened(files).text == flattened.text, "\(root) of \(name) flattened twice")
    }

    @Test func thereAreCases() { #expect(Self.cases.count >= 12) }

    @Test func littleOffsetsMoveValuesButNoSamples() throws {
        let flat = try Flattened(texts: [
            ("/w/root.usda", "def \"R\" (\n    references = @./a.usda@</P> (offset = 1e-7)\n) {\n}\n"),
            (
                "/w/a.usda",
                "def \"P\" {\n    timecode c = 5\n    timecode s.timeSamples = { 0: 0, 10: 10 }\n    double d.timeSamples = { 0: 0, 10: 10 }\n}\n"
            ),
        ])
        #expect(flat.has("timecode c = 5.0000001"))
        #expect(flat.has("0: 1e-7,") && flat.has("10: 10.0000001,"))
        #expect(flat.has("0: 0,") && flat.has("10: 10,"))
    }

    private func trimmed(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    // MARK: Options

    @Test func selectionsAndPayloadsAreThoseAskedFor() throws {
        let text = """
            def "A" (
             payload = </Load>
             variants = { string v = "one" }
             prepend variantSets = "v"
            ) {
             variantSet "v" = {
              "one" { double a = 1
              }
              "two" { double a = 2
              }
             }
            }
            def "Load" { double loaded = 1
            }
            """
        let plain = try Flattened(text)
        #expect(plain.has("double a = 1") && plain.text.components("double loaded").count == 3)
        let chosen = try Flattened(texts: [("/w/root.usda", text)]) {
            $0.variants = [VariantChoice(path: "/A", set: "v", choice: "two")]
            $0.loadPayloads = false
        }
        #expect(chosen.has("double a = 2") && chosen.text.components("double loaded").count == 2)
    }

    // MARK: Packages

    @Test func membersOfPackagesAreNamedInTheirPackage() throws {
        let layer = """
            #usda 1.0
            def "A"
            {
                asset above = @../../out.png@
                asset beside = @./no.png@
                asset found = @tex.png@
                asset lost = @no.png@
                asset outside = @/w/tex.png@
                asset rooted = @img/tex.png@
            }
            """
        let zip = ZipBuilder.aligned([("sub/a.usda", Array(layer.utf8)), ("sub/tex.png", [1]), ("sub/img/tex.png", [1])])
        let flattened = try Flattened([("/w/box.usdz", zip.bytes()), ("/w/no.png", [1])])
        for line in [
            "asset above = @/w/box.usdz[../out.png]@", "asset beside = @/w/box.usdz[sub/no.png]@",
            "asset found = @/w/box.usdz[sub/tex.png]@", "asset lost = @no.png@", "asset outside = @/w/tex.png@",
            "asset rooted = @/w/box.usdz[sub/img/tex.png]@",
        ] { #expect(flattened.has(line), "\(line) in\n\(flattened.text)") }
    }

    // MARK: What goes wrong

    @Test func attributesOfUnknownTypesAreLeftOutAndSaidSo() throws {
        let flattened = try Flattened("def \"A\" {\n strange a = 1\n double b = 2\n}\n")
        #expect(!flattened.has("strange") && flattened.has("double b = 2"))
        #expect(flattened.codes.contains("usd.unknown-type"))
    }

    @Test func aLimitThatIsPassedIsAnError() throws {
        #expect(throws: AssetError.self) {
            try Flattened(texts: [("/w/root.usda", "def \"A\" {\n def \"B\" {\n def \"C\" {\n }\n }\n}\n")]) { $0.limits.nestingDepth = 2 }
        }
    }

    @Test func hostileEditsAndExpressionsAreBounded() throws {
        let many = String(repeating: "append 1; ", count: 20_000)
        let deep = String(repeating: "(", count: 100_000) + "/a" + String(repeating: ")", count: 100_000)
        let flattened = try Flattened(
            """
            def "A" {
             int[] big = edit [minsize 4000000000000; resize 9000000000000000000]
             int[] many = edit [\(many)]
             pathExpression deep = "\(deep)"
             pathExpression wide = "\(String(repeating: "/a + ", count: 100_000))/a"
            }
            """)
        #expect(flattened.codes.contains("usd.bad-array-edit"))
        #expect(flattened.has("int[] big = []"))
    }

    // MARK: Properties of any layer

    /// What a stage says before and after it was flattened, for layers made at random.
    @Test(arguments: 0..<40) func valuesStay(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let files = RandomLayers.make(&random)
        let before = try TextStage(files)
        let flat = try before.stage.flattened()
        let text = try USDA.text(of: flat)
        let after = try TextStage([("flat.usda", String(decoding: text.dropFirst("#usda 1.0\n".utf8.count), as: UTF8.self))])
        let paths = before.all()
        #expect(paths == after.all(), "seed \(seed)")
        for path in paths {
            let (p, q) = (try before.prim(path), try after.prim(path))
            #expect(before.stage.session.string(before.stage.typeName(p)) == after.stage.session.string(after.stage.typeName(q)))
            let names = before.stage.propertyNames(p).map { before.stage.session.string($0) }
            #expect(names == after.stage.propertyNames(q).map { after.stage.session.string($0) }, "\(path), seed \(seed)")
            for name in names {
                let (a, b) = (before.token(name), after.token(name))
                #expect(before.stage.timeSamples(p, a) == after.stage.timeSamples(q, b), "\(path).\(name), seed \(seed)")
                for time in [EvalTime.default, .at(1), .at(12), .at(40)] {
                    let (x, y) = (try before.number(path, name, time), try after.number(path, name, time))
                    #expect(x == y, "\(path).\(name) at \(time), seed \(seed)")
                }
                #expect(try before.targets(path, name) == after.targets(path, name), "\(path).\(name), seed \(seed)")
            }
        }
    }
}

/// Small stages of references, sublayers, variants, inherits and instances.
private enum RandomLayers {
    static func make(_ random: inout SplitMix64) -> [(String, String)] {
        let count = 1 + Int(random.next() % 3)
        return (0..<count).map { k in
            var text = "(\n defaultPrim = \"A\"\n"
            if k + 1 < count, random.next() % 2 == 0 { text += " subLayers = [@l\(k + 1).usda@ (offset = \(random.next() % 5))]\n" }
            if random.next() % 4 == 0 { text += " timeCodesPerSecond = \(random.next() % 2 == 0 ? 12 : 48)\n" }
            text += ")\n"
            for name in ["A", "B", "C"] { text += prim(name, k, count, 0, &random) }
            return ("l\(k).usda", text)
        }
    }

    private static func prim(_ name: String, _ k: Int, _ count: Int, _ depth: Int, _ random: inout SplitMix64) -> String {
        func chance(_ n: UInt64) -> Bool { random.next() % n == 0 }
        var text = "\(chance(4) ? "over" : "def") \(["", "Xform", "Scope", "Sphere"][Int(random.next() % 4)]) \"\(name)\" (\n"
        if chance(3), k + 1 < count {
            text += " references = @l\(k + 1).usda@</\(["A", "B", "C"][Int(random.next() % 3)])> (offset = \(random.next() % 7); scale = 2)\n"
        }
        if chance(5), depth == 0, name == "C" { text += " inherits = </B>\n" }
        if chance(6) { text += " instanceable = true\n" }
        let hasVariants = chance(5)
        if hasVariants { text += " variants = { string v = \"one\" }\n prepend variantSets = \"v\"\n" }
        text += ") {\n" + properties(&random)
        if depth < 2 {
            for child in ["A", "B"] where chance(2) { text += prim(child, k, count, depth + 1, &random) }
        }
        if hasVariants {
            text += " variantSet \"v\" = {\n \"one\" {\n" + properties(&random) + " }\n \"two\" {\n" + properties(&random) + " }\n }\n"
        }
        return text + "}\n"
    }

    private static func properties(_ random: inout SplitMix64) -> String {
        var text = ""
        for name in ["x", "y", "radius"] {
            switch random.next() % 6 {
            case 0: text += " double \(name) = \(random.next() % 100)\n"
            case 1: text += " double \(name).timeSamples = { 1: \(random.next() % 100), 10: \(random.next() % 100), 30: None }\n"
            case 2: text += " double \(name) = None\n"
            default: break
            }
        }
        if random.next() % 4 == 0 { text += " rel r = </\(["A", "B/A", "C"][Int(random.next() % 3)])>\n" }
        return text
    }
}

extension String {
    fileprivate func components(_ part: String) -> [Substring] { split(separator: part, omittingEmptySubsequences: false) }

    /// A clip without samples leaves the manifest's default, whose paths are seen from the manifest.
    @Test func pathsFromAManifestAreSeenFromIt() throws {
        let f = try Flattened(texts: [
            (
                "/w/root.usda",
                """
                def "M" (
                    clips = {
                        dictionary default = {
                            asset[] assetPaths = [@./c/clip.usda@, @./none.usda@]
                            asset manifestAssetPath = @./m/manifest.usda@
                            string primPath = "/M"
                            double2[] active = [(0, 0), (1, 1)]
                            double2[] times = [(0, 0), (1, 0)]
                        }
                    }
                )
                {
                    asset one
                    asset[] many
                }
                """
            ),
            ("/w/c/clip.usda", "def \"M\" {\n asset one.timeSamples = { 0: @./clip.usda@ }\n asset[] many.timeSamples = { 0: [@./clip.usda@] }\n}\n"),
            ("/w/none.usda", "def \"M\" {\n}\n"),
            ("/w/m/manifest.usda", "def \"M\" {\n asset one = @./manifest.usda@\n asset[] many = [@./manifest.usda@]\n}\n"),
        ])
        #expect(f.has("0: @/w/c/clip.usda@") && f.has("1: @/w/m/manifest.usda@"))
        #expect(f.has("0: [@/w/c/clip.usda@]") && f.has("1: [@/w/m/manifest.usda@]"))
    }

    /// One file is one layer, however its path is spelled: its instances share one prototype.
    @Test func aLayerIsOneUnderAllItsNames() throws {
        let names = ["./x.usda", "/w/x.usda", "../w/x.usda", "x.usda"]
        let instances = names.enumerated().map {
            "def \"I\($0.offset)\" (\n instanceable = true\n references = @\($0.element)@</X>\n) {\n}\n"
        }
        let x = "def \"X\" {\n def Cube \"c\" {\n }\n}\n"
        let f = try Flattened(texts: [("main.usda", instances.joined()), ("x.usda", x), ("/w/x.usda", x), ("../w/x.usda", x)])
        #expect(f.text.split(separator: "over \"Flattened_Prototype", omittingEmptySubsequences: false).count == 2)
    }
}
