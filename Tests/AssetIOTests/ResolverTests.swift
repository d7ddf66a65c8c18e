import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct ResolverTests {
    @Test func membersOfPackagesInMemory() throws {
        let inner = try ZipSupport.archive([("c.usda", Array("inner".utf8))])
        let outer = try ZipSupport.archive([("b.usdz", inner), ("x/tex[1].png", Array("png".utf8))])
        let resolver = InMemoryResolver(["p/a.usdz": outer])
        #expect(try ZipSupport.text(resolver.open("p/a.usdz[b.usdz[c.usda]]")) == "inner")
        #expect(try ZipSupport.text(resolver.open("p/a.usdz[x/tex[1].png]")) == "png")
        #expect(try resolver.open("p/a.usdz[b.usdz[c.usda]]").name == "p/a.usdz[b.usdz[c.usda]]")
        #expect(resolver.exists("p/a.usdz[b.usdz]"))
        #expect(!resolver.exists("p/a.usdz[missing]"))
        #expect(!resolver.exists("p/a.usdz[b.usdz[missing]]"))
        #expect(!resolver.exists("p/a.usdz[x]"))
        #expect(resolver.list("p/a.usdz[]") == ["b.usdz", "x"])
        #expect(resolver.list("p/a.usdz[x]") == ["tex[1].png"])
        #expect(resolver.list("p") == ["a.usdz"])
        #expect(resolver.list("") == ["p"])
        #expect(resolver.list("q") == [])
        #expect(try resolver.package("p/a.usdz[b.usdz]").names == ["c.usda"])
        let missing = #expect(throws: AssetError.self) { try resolver.open("p/a.usdz[nothing]") }
        #expect(missing?.diagnostic.code == "io.no-such-member")
        let none = #expect(throws: AssetError.self) { try resolver.open("nowhere") }
        #expect(none?.diagnostic.code == "io.cannot-open")
    }

    /// Members whose names hold brackets and control characters, and are found from each other.
    @Test func membersWithOddNames() throws {
        let names = ["a].usda", "a[b.usda", "r\u{1B}[31m\n.usda", "d]/x.usda", "r [x].usda"]
        let inner = ZipBuilder.aligned(names.map { ($0, Array($0.utf8)) } + [("i].usdz", ZipBuilder([.init("c[.usda", "deep")]).bytes())])
        let resolver = InMemoryResolver(["p.usdz": inner.bytes()])
        for name in names {
            let path = AssetPath.member(name, of: "p.usdz")
            #expect(try ZipSupport.text(resolver.open(path)) == name)
            #expect(try resolver.open(path).name == path)
            let found = AssetLookup.find(name, from: "p.usdz[r.usda]", opened: "p.usdz", in: resolver)
            #expect(found == AssetLookup.Found(path: path, way: .asWritten))
            let upper = AssetLookup.find(name.uppercased(), from: "p.usdz[r.usda]", opened: "p.usdz", in: resolver)
            #expect(upper == AssetLookup.Found(path: path, way: .letterCase))
            // As somebody types it.
            #expect(resolver.exists("p.usdz[\(name)]"))
        }
        #expect(try ZipSupport.text(resolver.open("p.usdz[i\\].usdz[c\\[.usda]]")) == "deep")
        #expect(try resolver.package("p.usdz[i\\].usdz]").names == ["c[.usda"])
        #expect(resolver.list("p.usdz[d\\]]") == ["x.usda"])
    }

    @Test(.timeLimit(.minutes(1))) func bracketsWithoutEnd() {
        let path = "p.usdz[" + String(repeating: "a[", count: 200_000) + "b" + String(repeating: "]", count: 200_001)
        #expect(!InMemoryResolver(["p.usdz": ZipBuilder([.init("a", "a")]).bytes()]).exists(path))
        #expect(!DiskResolver().exists(path))
    }

    @Test func theDisk() throws {
        let folder = try TemporaryFolder()
        try folder.write("Sub/a.usdz", ZipSupport.archive([("t.usda", Array("text".utf8))]))
        try folder.write("plain[1].txt", "plain")
        try folder.write("odd[1]", "odd")
        let resolver = DiskResolver()
        #expect(try ZipSupport.text(resolver.open(folder.path + "/Sub/a.usdz[t.usda]")) == "text")
        #expect(try ZipSupport.text(resolver.open(folder.path + "/plain[1].txt")) == "plain")
        #expect(try ZipSupport.text(resolver.open(folder.path + "/odd[1]")) == "odd")
        #expect(resolver.list(folder.path) == ["Sub", "odd[1]", "plain[1].txt"])
        #expect(!resolver.exists(folder.path + "/Sub"))
        let root = folder.path + "/x.usda"
        let found = AssetLookup.find("sub/A.USDZ[t.usda]", from: root, opened: root, in: resolver)
        #expect(found?.path == folder.path + "/Sub/a.usdz[t.usda]")
        let missing = #expect(throws: AssetError.self) { try resolver.open(folder.path + "/none") }
        #expect(missing?.diagnostic.code == "io.cannot-open")
        let isFolder = #expect(throws: AssetError.self) { try resolver.open(folder.path) }
        #expect(isFolder?.diagnostic.code == "io.is-a-directory")
        resolver.give(FileBytes(name: "-", bytes: [1, 2]), as: "-")
        #expect(try resolver.open("-").count == 2)
    }

    @Test func fileBytesSlices() {
        let file = FileBytes(name: "f", bytes: [1, 2, 3, 4])
        #expect(file.slice(1, count: 2)?.withUnsafeBytes { Array($0) } == [2, 3])
        #expect(file.slice(4, count: 0)?.count == 0)
        #expect(file.slice(5, count: 0) == nil)
        #expect(file.slice(-1, count: 1) == nil)
        #expect(file.slice(1, count: .max) == nil)
        #expect(FileBytes(name: "e", bytes: []).byteSpan.count == 0)
        #expect(file.byteSpan[3] == 4)
    }

    @Test func cursor() throws {
        let file = FileBytes(name: "f", bytes: [1, 2, 3, 4, 5, 6, 7, 8, 9])
        var cursor = ByteCursor(file.bytes)
        let first = try cursor.littleEndian(UInt16.self)
        let second = try cursor.bigEndian(UInt32.self)
        let third = try cursor.array(of: UInt8.self, count: 2)
        #expect(first == 0x0201)
        #expect(second == 0x0304_0506)
        #expect(third == [7, 8])
        var errors: [ByteError] = []
        do { _ = try cursor.littleEndian(UInt16.self) } catch { errors.append(error) }
        do { _ = try cursor.array(of: UInt32.self, count: .max) } catch { errors.append(error) }
        do { try cursor.seek(to: 10) } catch { errors.append(error) }
        do { try cursor.skip(-1) } catch { errors.append(error) }
        #expect(errors.map(\.offset) == [8, 8, 10, 8])
        #expect(errors.first == ByteError(offset: 8, wanted: 2, available: 1))
        try cursor.seek(to: 0)
        let remaining = cursor.remaining
        #expect(remaining == 9)
    }
}
