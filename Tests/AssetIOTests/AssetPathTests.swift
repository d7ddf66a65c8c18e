import AssetIO
import Testing

@Suite struct AssetPathTests {
    @Test func packages() throws {
        let (outer, rest) = try #require(AssetPath.splitPackage("d/a.usdz[b.usdz[c.usda]]"))
        #expect((outer, rest) == ("d/a.usdz", "b.usdz[c.usda]"))
        let (inner, member) = try #require(AssetPath.splitMember("d/a.usdz[b.usdz[c.usda]]"))
        #expect((inner, member) == ("d/a.usdz[b.usdz]", "c.usda"))
        #expect(try #require(AssetPath.splitPackage("a.usdz[tex[1].png]")) == ("a.usdz", "tex[1].png"))
        #expect(AssetPath.splitPackage("a.usdz") == nil)
        #expect(AssetPath.splitPackage("[a]") == nil)
        #expect(AssetPath.splitPackage("a]") == nil)
        #expect(AssetPath.member("c", of: "a.usdz[b.usdz]") == "a.usdz[b.usdz[c]]")
        #expect(AssetPath.member("c", of: "a.usdz") == "a.usdz[c]")
    }

    /// Brackets within brackets without end are no packages, and cost next to nothing.
    @Test(.timeLimit(.minutes(1)), arguments: [33, 400, 20_000]) func bracketsWithoutEnd(_ count: Int) {
        let path = String(repeating: "a[", count: count) + "b" + String(repeating: "]", count: count)
        #expect(AssetPath.splitPackage(path) == nil)
        #expect(AssetPath.normalise("./" + path) == path)
        #expect(AssetPath.join("d", path) == "d/" + path)
        #expect(AssetPath.splitMember(AssetPath.member(path, of: "p.usdz"))?.member == (count > 4000 ? nil : path))
        let nested = String(repeating: "a[", count: 32) + "b" + String(repeating: "]", count: 32)
        #expect(AssetPath.splitMember(nested)?.member == "b")
        #expect(AssetPath.normalise(nested) == nested)
    }

    /// Names of members may hold brackets, closed or not: OpenUSD writes them behind backslashes.
    @Test(arguments: ["a].usda", "a[b.usda", "r\u{1B}[31m\n.usda", "tex[1].png", "[", "]", "][", "d]x/[b", "a[b]"])
    func bracketsOfNames(_ name: String) throws {
        for package in ["p.usdz", "d/p.usdz[in.usdz]", "p.usdz[i\\].usdz]"] {
            let path = AssetPath.member(name, of: package)
            let (outer, inner) = try #require(AssetPath.splitMember(path))
            #expect((outer, inner) == (package, name))
            #expect(AssetPath.normalise(path) == path)
            #expect(AssetPath.join("", path) == path)
            let nested = AssetPath.member("c.usda", of: path)
            let (around, last) = try #require(AssetPath.splitMember(nested))
            #expect((around, last) == (path, "c.usda"))
        }
        #expect(AssetPath.member("b [x].usda", of: "a.usdz") == "a.usdz[b \\[x\\].usda]")
        #expect(AssetPath.member("c].usda", of: "a.usdz[b.usdz]") == "a.usdz[b.usdz[c\\].usda]]")
        #expect(AssetPath.join("a.usdz[]", "c].usda") == "a.usdz[c\\].usda]")
        #expect(AssetPath.asked("s[2]/in.usdz[i\\].usda]", of: "a.usdz") == "a.usdz[s\\[2\\]/in.usdz[i\\].usda]]")
        #expect(AssetPath.asked("tex[1].png", of: "a.usdz") == "a.usdz[tex\\[1\\].png]")
        #expect(AssetPath.asked("tex\\[1\\].png", of: "a.usdz") == "a.usdz[tex\\[1\\].png]")
        #expect(AssetPath.fileExtension("a.usdz[c\\].usda]") == "usda")
    }

    @Test func names() {
        #expect(AssetPath.folder("a/b.png") == "a")
        #expect(AssetPath.folder("b.png") == "")
        #expect(AssetPath.folder("/b.png") == "/")
        #expect(AssetPath.folder("x.usdz[a/b.png]") == "x.usdz[a]")
        #expect(AssetPath.folder("x.usdz[b.png]") == "x.usdz[]")
        #expect(AssetPath.folder("x.usdz[y.usdz[b.png]]") == "x.usdz[y.usdz[]]")
        #expect(AssetPath.baseName("d/x.usdz[a/b.png]") == "b.png")
        #expect(AssetPath.fileExtension("A.B.PNG") == "png")
        #expect(AssetPath.fileExtension("dir.x/name") == "")
        #expect(AssetPath.fileExtension(".hidden") == "")
        #expect(AssetPath.fileExtension("x.usdz[a/b.USDA]") == "usda")
        #expect(AssetPath.stem("d/a.b.obj") == "a.b")
        #expect(AssetPath.scheme("https://x/y") == "https")
        #expect(AssetPath.scheme("C:\\x") == nil)
        #expect(AssetPath.scheme("a/b:c") == nil)
    }

    static let joinCases: [(String, String, String?)] = [
        ("a", "b.png", "a/b.png"), ("", "b.png", "b.png"), ("a", "./b.png", "a/b.png"), ("a/c", "../b.png", "a/b.png"), ("a", "../../b", "../b"),
        ("/", "b", "/b"), ("a", "/b", "/b"), ("/a", "../../b", "/b"), ("a", "b//c", "a/b/c"), ("x.usdz[]", "b.png", "x.usdz[b.png]"),
        ("x.usdz[a]", "../b.png", "x.usdz[b.png]"), ("x.usdz[a]", "../../b.png", nil), ("x.usdz[a]", "/b.png", nil),
        ("d", "x.usdz[y.usda]", "d/x.usdz[y.usda]"), ("d/x.usdz[a]", "y.usdz[z.usda]", "d/x.usdz[a/y.usdz[z.usda]]"),
        ("x.usdz[y.usdz[]]", "../b", nil),
    ]

    @Test(arguments: joinCases)
    func joins(_ folder: String, _ path: String, _ expected: String?) { #expect(AssetPath.join(folder, path) == expected) }

    @Test func normalising() {
        #expect(AssetPath.normalise("./a/../b/./c") == "b/c")
        #expect(AssetPath.normalise("../a") == "../a")
        #expect(AssetPath.normalise("/../a") == "/a")
        #expect(AssetPath.normalise("d/../x.usdz[a/../b]") == "x.usdz[b]")
    }

    @Test func percents() {
        #expect(AssetPath.decodingPercent("a%20b%C3%A9.png") == "a bé.png")
        #expect(AssetPath.decodingPercent("100%") == "100%")
        #expect(AssetPath.decodingPercent("%zz%4") == "%zz%4")
        #expect(AssetPath.decodingPercent("%00") == "%00")
    }
}
