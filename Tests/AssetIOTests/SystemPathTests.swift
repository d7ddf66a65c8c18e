import TestSupport
import Testing

@testable import AssetIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Names of files whose bytes are no UTF-8.
@Suite struct SystemPathTests {
    private func bytes(_ text: String) -> [UInt8] { SystemPath.encode(text).dropLast().map { UInt8(bitPattern: $0) } }

    @Test func anyBytesComeBack() {
        var random = SplitMix64(seed: 5)
        // Pieces of letters, whole ones, and letters of the area that stands for bytes.
        let pieces: [[UInt8]] = [
            Array("aé日😀".utf8), [0xC3], [0x80], [0xFF], [0xED, 0xA0, 0x80], [0xF4, 0x8F, 0xBA, 0x80], [0xF4, 0x8F, 0xBB, 0xBF], [0xF4, 0x8F],
            [0xC0, 0xAF], Array("/x.usda".utf8),
        ]
        var seen: [String: [UInt8]] = [:]
        for round in 0..<2000 {
            let name =
                round % 2 == 0
                ? random.bytes(random.int(in: 0...9)).map { $0 == 0 ? 1 : $0 }
                : (0..<random.int(in: 1...5)).flatMap { _ in pieces[random.int(in: 0...pieces.count - 1)] }
            let text = SystemPath.decode(name)
            #expect(bytes(text) == name)
            #expect(seen[text] == nil || seen[text] == name)
            seen[text] = name
        }
    }

    @Test func plainNamesStay() {
        for name in ["", "a/b.usda", "日本/é😀.png", "\u{10FFFD}"] {
            #expect(SystemPath.decode(Array(name.utf8)) == name)
            #expect(bytes(name) == Array(name.utf8))
            #expect(SystemPath.readable(name) == name)
        }
        #expect(SystemPath.readable(SystemPath.decode([0x61, 0xFF, 0x62])) == "a_b")
    }

    @Test func bytesForTexts() {
        #expect(SystemPath.bytes(SystemPath.decode([0x61, 0xFF, 0x62])) == [0x61, 0xFF, 0x62])
        #expect(SystemPath.bytes("é") == Array("é".utf8))
    }

    #if os(Linux)
    /// Other systems take no such names.
    @Test func filesAreReadListedAndWritten() throws {
        let folder = try TemporaryFolder()
        let name = SystemPath.decode(Array("a".utf8) + [0xFF] + Array(".usda".utf8))
        let path = folder.path + "/" + name
        let output = try DiskOutput(path)
        let file = try output.create(name)
        try file.write("text")
        try file.close()
        try output.commit()
        defer { unlink(SystemPath.encode(path)) }
        var status = stat()
        #expect(stat([CChar]((folder.path + "/a").utf8CString.dropLast()) + [-1] + ".usda".utf8CString, &status) == 0)
        let resolver = DiskResolver()
        #expect(resolver.exists(path))
        #expect(try resolver.open(path).count == 4)
        #expect(resolver.list(folder.path) == [name])
        #expect(resolver.opened.contains(path))
    }
    #endif
}
