import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct AssetLookupTests {
    static func find(
        _ authored: String, _ files: [String], from: String = "d/sub/a.obj", opened: String = "d/main.obj", decodingPercent: Bool = false
    ) -> AssetLookup.Found? {
        let resolver = InMemoryResolver()
        for file in files { resolver.add(file, [1]) }
        return AssetLookup.find(authored, from: from, opened: opened, decodingPercent: decodingPercent, in: resolver)
    }

    struct Case: Sendable {
        var authored: String
        var files: [String]
        var path: String
        var way: AssetLookup.Way

        init(_ authored: String, _ files: [String], _ path: String, _ way: AssetLookup.Way) {
            (self.authored, self.files, self.path, self.way) = (authored, files, path, way)
        }
    }

    /// Each place in turn: what is authored, what is there, what is taken and how.
    @Test(arguments: [
        Case("t.png", ["d/sub/t.png", "d/t.png"], "d/sub/t.png", .asWritten),
        Case("./x/../t.png", ["d/sub/t.png"], "d/sub/t.png", .asWritten),
        Case("../t.png", ["d/t.png"], "d/t.png", .asWritten),
        Case("/abs/t.png", ["/abs/t.png"], "/abs/t.png", .asWritten),
        Case("x\\t.png", ["d/sub/x/t.png", "d/x/t.png"], "d/sub/x/t.png", .slashes),
        Case("x\\t.png", ["d/sub/x\\t.png", "d/sub/x/t.png"], "d/sub/x\\t.png", .asWritten),
        Case("\"t.png\"", ["d/sub/t.png"], "d/sub/t.png", .quotesStripped),
        Case("'x\\t.png'", ["d/sub/x/t.png"], "d/sub/x/t.png", .quotesStripped),
        Case("t.png", ["d/t.png", "d/sub/T.png"], "d/t.png", .openedFolder),
        Case("T.PNG", ["d/sub/t.png"], "d/sub/t.png", .letterCase),
        Case("Tex/T.png", ["d/sub/tex/t.png"], "d/sub/tex/t.png", .letterCase),
        Case("Tex/T.png", ["d/tex/t.png", "d/sub/T.png"], "d/tex/t.png", .letterCase),
        Case("/art/x/t.png", ["d/sub/t.png"], "d/sub/t.png", .baseName),
        Case("C:\\art\\t.png", ["d/t.png"], "d/t.png", .baseName),
        Case("C:\\art\\T.PNG", ["d/t.png"], "d/t.png", .baseName),
        Case("https://host/x/t.png", ["d/sub/t.png"], "d/sub/t.png", .baseName),
        Case("file:///abs/a%20b.png", ["/abs/a b.png"], "/abs/a b.png", .asWritten),
        Case("file://localhost/abs/t.png", ["/abs/t.png"], "/abs/t.png", .asWritten),
        Case("é.png", ["d/sub/É.png"], "d/sub/É.png", .letterCase),
    ])
    func inTurn(_ test: Case) {
        #expect(Self.find(test.authored, test.files) == AssetLookup.Found(path: test.path, way: test.way))
    }

    /// The work grows with the files and the paths, not with one times the other.
    @Test(.timeLimit(.minutes(1))) func manyMissingBesideManyFiles() throws {
        let resolver = InMemoryResolver()
        let count = 20_000
        for i in 0..<count { resolver.add("d/file\(i).usda", [1]) }
        let missing = (0..<count).filter { AssetLookup.find("./none\($0).usda", from: "d/a.usda", opened: "d/a.usda", in: resolver) == nil }
        #expect(missing.count == count)
        #expect(AssetLookup.find("FILE7.usda", from: "d/a.usda", opened: "d/a.usda", in: resolver)?.path == "d/file7.usda")
        // What is there only now is found, too.
        resolver.add("d/None7.usda", [1])
        #expect(AssetLookup.find("none7.usda", from: "d/a.usda", opened: "d/a.usda", in: resolver)?.path == "d/None7.usda")
    }

    @Test func folderNames() {
        let names = FolderNames(["b.png", "B.png", "a.PNG", "A.png"])
        #expect(names.ignoringCase("b.png") == "b.png")
        #expect(names.ignoringCase("B.PNG") == "B.png")
        #expect(names.ignoringCase("a.png") == "A.png")
        #expect(names.ignoringCase("c.png") == nil)
        #expect(!names.isEmpty && FolderNames([]).isEmpty)
    }

    @Test func percentsOnlyWhereTheFormatHasThem() {
        #expect(Self.find("a%20b.png", ["d/sub/a b.png"]) == nil)
        let found = Self.find("a%20b.png", ["d/sub/a b.png"], decodingPercent: true)
        #expect(found == AssetLookup.Found(path: "d/sub/a b.png", way: .percentDecoded))
        #expect(found?.warning("a%20b.png", at: SourceLocation(file: "x")) == nil)
        #expect(Self.find("a%20b.png", ["d/sub/a%20b.png", "d/sub/a b.png"], decodingPercent: true)?.path == "d/sub/a%20b.png")
    }

    @Test(arguments: ["", "t.png", "data:image/png;base64,t.png", "anon:0x1:t", "..", "x/..", "/"])
    func nothing(_ authored: String) { #expect(Self.find(authored, ["d/other.png", "t.png"]) == nil) }

    static func package() throws -> InMemoryResolver {
        let resolver = InMemoryResolver()
        let members = [("scene.usda", "#usda 1.0"), ("geo/b.usda", "#usda 1.0"), ("tex/Wood.png", "w"), ("top.png", "t")]
        resolver.add("d/a.usdz", try ZipSupport.archive(members.map { ($0.0, Array($0.1.utf8)) }))
        resolver.add("d/outside.png", [1])
        resolver.add("/abs.png", [1])
        resolver.add("outside.png", [1])
        return resolver
    }

    static let packageCases: [(String, String?, AssetLookup.Way)] = [
        ("../tex/Wood.png", "d/a.usdz[tex/Wood.png]", .asWritten), ("tex/Wood.png", "d/a.usdz[tex/Wood.png]", .openedFolder),
        ("../tex/wood.PNG", "d/a.usdz[tex/Wood.png]", .letterCase), ("/x/y/top.png", "d/a.usdz[top.png]", .baseName),
        ("../../outside.png", nil, .asWritten), ("../outside.png", nil, .asWritten), ("/abs.png", nil, .asWritten),
        ("outside.png", nil, .asWritten), ("../../../top.png", "d/a.usdz[top.png]", .baseName), ("file:///abs.png", nil, .asWritten),
    ]

    /// From within a package only the package is searched.
    @Test(arguments: packageCases)
    func withinPackages(_ authored: String, _ path: String?, _ way: AssetLookup.Way) throws {
        let found = AssetLookup.find(authored, from: "d/a.usdz[geo/b.usda]", opened: "d/a.usdz", in: try Self.package())
        #expect(found?.path == path)
        if path != nil { #expect(found?.way == way) }
    }

    @Test func intoPackages() throws {
        let found = AssetLookup.find("A.usdz[scene.usda]", from: "d/root.usda", opened: "d/root.usda", in: try Self.package())
        #expect(found == AssetLookup.Found(path: "d/a.usdz[scene.usda]", way: .letterCase))
    }

    @Test func warningsSayWhatWasTaken() {
        let location = SourceLocation(file: "a.obj")
        #expect(AssetLookup.Found(path: "t", way: .asWritten).warning("t", at: location) == nil)
        let codes = AssetLookup.Way.allCases.compactMap { AssetLookup.Found(path: "t", way: $0).warning("T", at: location)?.code }
        #expect(codes == ["path.backslash", "path.quotes", "path.other-folder", "path.letter-case", "path.base-name"])
    }

    /// In a package, paths that may be searched for are also seen from its root layer; that is by the rules, not a way out.
    @Test func packagesAreSearchedFromTheirRootLayer() {
        let resolver = InMemoryResolver([
            "a.usdz": ZipBuilder.aligned(["set/root.usd", "set/refs/r.usd", "set/sub/x.usd", "y.usd"].map { ($0, [1]) }).bytes()
        ])
        func find(_ authored: String) -> AssetLookup.Found? {
            AssetLookup.find(authored, from: "a.usdz[set/refs/r.usd]", opened: "a.usdz", packageRoot: "a.usdz[set/root.usd]", in: resolver)
        }
        #expect(find("sub/x.usd") == AssetLookup.Found(path: "a.usdz[set/sub/x.usd]", way: .asWritten))
        #expect(find("./sub/x.usd")?.way != .asWritten)
        #expect(find("y.usd") == AssetLookup.Found(path: "a.usdz[y.usd]", way: .openedFolder))
    }

    @Test func whatMustBeTheVeryFileIsNotFoundByItsNameAlone() {
        let resolver = InMemoryResolver(["d/a.usda": [1], "d/b.usda": [1]])
        func find(_ authored: String, _ allowsBaseName: Bool) -> String? {
            AssetLookup.find(authored, from: "d/a.usda", opened: "d/a.usda", allowsBaseName: allowsBaseName, in: resolver)?.path
        }
        #expect(find("gone/b.usda", true) == "d/b.usda" && find("gone/b.usda", false) == nil)
        #expect(find("B.usda", false) == "d/b.usda")
    }
}
