import AssetIO
import AssetModel
import AssetUSD
import TestSupport
import Testing

@Suite struct USDZTests {
    typealias Entry = ZipBuilder.Entry

    private static let layer = "#usda 1.0\n"

    private func open(_ bytes: [UInt8], name: String = "a.usdz") throws -> (package: USDZPackage, diagnostics: [Diagnostic]) {
        var diagnostics = Diagnostics()
        let package = try USDZPackage(name, resolver: InMemoryResolver([name: bytes]), diagnostics: &diagnostics)
        return (package, diagnostics.entries)
    }

    private func entries(_ names: String..., contents: String = layer) -> [(String, [UInt8])] {
        names.map { ($0, Array(contents.utf8)) }
    }

    @Test func aGoodPackageGivesNoWarning() throws {
        let (package, diagnostics) = try open(ZipBuilder.aligned(entries("scene.usda", "0/tex0.png")).bytes())
        #expect(diagnostics == [])
        #expect(package.root.name == "scene.usda")
        #expect(package.rootPath == "a.usdz[scene.usda]")
    }

    @Test(arguments: ["PXR-USDC\0\u{8}\0", "#usda 1.0", "\u{FEFF}#usda 1.0", "#usda 1.4"])
    func layersAreToldByContent(_ head: String) throws {
        let bytes = ZipBuilder.aligned([("tex.usda", Array("JFIF".utf8)), ("misleading.png", Array(head.utf8)), ("b.usda", Array(Self.layer.utf8))])
            .bytes()
        let (package, diagnostics) = try open(bytes)
        #expect(package.root.name == "misleading.png")
        #expect(diagnostics.map(\.code) == ["usdz.first-entry-not-layer"])
    }

    @Test func hiddenFilesArePassedOver() throws {
        let names = entries(".DS_Store", "__MACOSX/._scene.usda", ".hidden/x.usda", "a/.b.usda", "scene.usda", "other.usda")
        let (package, diagnostics) = try open(ZipBuilder.aligned(names).bytes())
        #expect(package.root.name == "scene.usda")
        #expect(diagnostics.map(\.code) == ["usdz.first-entry-not-layer"])
        #expect(diagnostics[0].message == "the first entry is '.DS_Store', expected a USD layer; 'scene.usda' is taken")
    }

    @Test func everyBreachIsAWarning() throws {
        let bytes = ZipBuilder([
            Entry("dir/", ""), Entry("scene.usda", Self.layer) { $0.isDeflated = true }, Entry("late.png", "x") { $0.hasDescriptor = true },
            Entry("secret.png", "x") { $0.flags = 1 }, Entry("../out.usda", Self.layer), Entry("/abs.usda", Self.layer),
            Entry("scene.usda", "again"), Entry("sub\\tex.png", "x"),
        ]).bytes()
        let (package, diagnostics) = try open(bytes)
        #expect(package.root.name == "scene.usda")
        #expect(diagnostics.allSatisfy { $0.severity == .warning && $0.location.file == "a.usdz" })
        let codes = Set(diagnostics.map(\.code))
        #expect(
            codes == [
                "usdz.backslash-name", "usdz.compressed-entry", "usdz.data-descriptor", "usdz.duplicate-name", "usdz.encrypted",
                "usdz.first-entry-not-layer", "usdz.not-aligned", "usdz.unsafe-name",
            ])
        #expect(diagnostics.filter { $0.code == "usdz.unsafe-name" }.count == 2)
        // Local header of 30 bytes and the folder's name before it.
        let compressed = try #require(diagnostics.first { $0.code == "usdz.compressed-entry" })
        #expect(compressed.location.position == .byteOffset(34))
        #expect(compressed.message == "the entry 'scene.usda' is compressed, expected stored")
        let unaligned = try #require(diagnostics.first { $0.code == "usdz.not-aligned" })
        #expect(unaligned.location.position == .byteOffset(34 + 30 + 10))
        #expect(unaligned.message == "the contents of 'scene.usda' begin at byte 74, expected a multiple of 64")
    }

    @Test func bytesAroundThePackage() throws {
        var builder = ZipBuilder.aligned(entries("scene.usda"))
        builder.prefix = [UInt8](repeating: 0x20, count: 64)
        builder.suffix = [0]
        #expect(try open(builder.bytes()).diagnostics.map(\.code) == ["usdz.appended-data", "usdz.prepended-data"])
    }

    @Test func unsafeNamesAreNeverTheRoot() throws {
        let (package, _) = try open(ZipBuilder.aligned(entries("../a.usda", "/b.usda", "x/../../c.usda", "good.usda")).bytes())
        #expect(package.root.name == "good.usda")
    }

    @Test func noLayer() {
        for bytes in [ZipBuilder([]).bytes(), ZipBuilder([Entry("a.png", "PNG"), Entry("b.usda", "")]).bytes()] {
            let error = #expect(throws: AssetError.self) { try open(bytes) }
            #expect(error?.diagnostic.code == "usdz.no-layer")
        }
        let error = #expect(throws: AssetError.self) { try open(ZipBuilder([Entry("a.usda", Self.layer) { $0.flags = 1 }]).bytes()) }
        #expect(error?.diagnostic.code == "usdz.no-layer")
    }

    /// What a name holds does not matter as long as it stays within the archive.
    @Test(arguments: ["r\u{1B}[31m\n.usda", "a].usda", "\u{7F}[.usd", "tab\t.usdc"])
    func oddNames(_ name: String) throws {
        let bytes = ZipBuilder.aligned([(name, Array(Self.layer.utf8))]).bytes()
        let resolver = InMemoryResolver(["a.usdz": bytes])
        var diagnostics = Diagnostics()
        let package = try USDZPackage("a.usdz", resolver: resolver, diagnostics: &diagnostics)
        #expect(package.root.name == name)
        #expect(package.rootPath == AssetPath.member(name, of: "a.usdz"))
        #expect(try resolver.open(package.rootPath).count == Self.layer.utf8.count)
        #expect(diagnostics.isEmpty)
    }

    /// A package without a layer says why what is named like one is none.
    @Test func whyThereIsNoLayer() {
        let cases: [(Entry, String)] = [
            (Entry("a.usda", Self.layer) { $0.statedMethod = 12 }, "the compression of 'a.usda' is bzip2 (method 12), which is not supported"),
            (Entry("a.usda", Self.layer) { $0.statedMethod = 14 }, "the compression of 'a.usda' is lzma (method 14), which is not supported"),
            (Entry("a.usda", Self.layer) { $0.statedMethod = 77 }, "the compression of 'a.usda' is method 77, which is not supported"),
            (Entry("a.usda", Self.layer) { $0.flags = 1 }, "'a.usda' is encrypted"),
            (Entry("../a.usda", Self.layer), "the name '../a.usda' leads out of the archive"),
            (Entry("a\u{0}.usda", Self.layer), "the name 'a\u{0}.usda' holds a zero byte"),
            (Entry("", Self.layer), "the name '' is empty"), (Entry("C:a.usda", Self.layer), "the name 'C:a.usda' begins with the letter of a drive"),
            (Entry(".a.usda", Self.layer), "'.a.usda' is a hidden file"), (Entry("a.usda", ""), "'a.usda' is empty"),
            (Entry("a.usda", "words"), "'a.usda' begins like none"),
        ]
        for (entry, reason) in cases {
            let error = #expect(throws: AssetError.self) { try open(ZipBuilder([Entry("x.png", "x"), entry]).bytes()) }
            #expect(error?.diagnostic.code == "usdz.no-layer")
            let message = error?.diagnostic.message ?? ""
            #expect(message.hasPrefix("none of the 2 entries is a USD layer") && message.hasSuffix(": " + reason), "\(message)")
        }
    }

    @Test func packagesWithinPackages() throws {
        let inner = ZipBuilder.aligned(entries("x.usda")).bytes()
        let resolver = InMemoryResolver(["a.usdz": ZipBuilder.aligned([("scene.usda", Array(Self.layer.utf8)), ("in.usdz", inner)]).bytes()])
        var diagnostics = Diagnostics()
        let package = try USDZPackage("a.usdz[in.usdz]", resolver: resolver, diagnostics: &diagnostics)
        #expect(package.rootPath == "a.usdz[in.usdz[x.usda]]")
        #expect(try resolver.open(package.rootPath).count == Self.layer.utf8.count)
        #expect(diagnostics.isEmpty)
    }

    /// Packages that hold many of each other are not looked into without end.
    @Test func manyPackagesWithoutALayer() throws {
        func nested(_ count: Int) -> [UInt8] {
            let empty = ZipBuilder([Entry("x.txt", "x")]).bytes()
            let two = ZipBuilder([Entry("0.usdz", empty), Entry("1.usdz", empty)]).bytes()
            return ZipBuilder((0..<count).map { Entry("\($0).usdz", two) } + [Entry("z.usda", Self.layer)]).bytes()
        }
        #expect(try open(nested(300)).package.root.name == "z.usda")
        let error = #expect(throws: AssetError.self) { try open(nested(400)) }
        #expect(error?.diagnostic.code == "usdz.too-many-packages")
    }

    @Test func aPackageAsFirstEntryIsFollowed() throws {
        let inner = ZipBuilder.aligned(entries("x.png", contents: "PNG") + entries("x.usda")).bytes()
        let (package, diagnostics) = try open(ZipBuilder.aligned([("in.usdz", inner)] + entries("second.usda")).bytes())
        #expect(package.rootPath == "a.usdz[in.usdz[x.usda]]")
        #expect(package.root.name == "in.usdz")
        #expect(diagnostics.map(\.code) == ["usdz.first-entry-not-layer"])
        #expect(diagnostics.map(\.location.file) == ["a.usdz[in.usdz]"])
        // One without a layer is an entry like any other.
        let empty = ZipBuilder.aligned(entries("x.png", contents: "PNG")).bytes()
        #expect(try open(ZipBuilder.aligned([("in.usdz", empty)] + entries("second.usda")).bytes()).package.rootPath == "a.usdz[second.usda]")
        // Deeper than anybody packs.
        var deep = ZipBuilder.aligned(entries("x.usda")).bytes()
        for _ in 0..<40 { deep = ZipBuilder.aligned([("in.usdz", deep)]).bytes() }
        #expect(throws: AssetError.self) { try open(deep) }
    }

    @Test func damagedPackagesAreRefusedOrRead() {
        let bytes = ZipBuilder.aligned(entries("scene.usda", "0/tex0.png")).bytes()
        for length in Mutations.truncationLengths(bytes.count) {
            #expect(throws: AssetError.self) { try open(Array(bytes[..<length])) }
        }
        var random = SplitMix64(seed: 77)
        for _ in 0..<2_000 { _ = try? open(Mutations.edited(bytes, edits: 4, using: &random)) }
    }
}
