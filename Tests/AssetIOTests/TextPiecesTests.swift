@testable import AssetIO
import Testing

@Suite struct TextPiecesTests {
    /// Reads a run of one letter.
    private final class Run: TextPiece {
        let bytes: [UInt8]
        nonisolated(unsafe) private(set) var stop = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func read(from start: Int, upTo limit: Int) {
            stop = start
            while stop < limit, stop < bytes.count, bytes[stop] == UInt8(ascii: "a") { stop += 1 }
        }
    }

    /// Where nothing is plain the caller comes again and again: no beginning is looked for at each place, and no pages are given back.
    @Test(arguments: [64, 1000, 1 << 14]) func aTextThatIsNotPlainIsNotSearchedAtEachWord(size: Int) {
        let bytes = [UInt8](repeating: UInt8(ascii: "b"), count: 1 << 18)
        let pieces = TextPieces(FileBytes(name: "a", bytes: bytes), from: 0, size: size) { Run(bytes) }
        for place in bytes.indices {
            #expect(pieces.read(from: place, upTo: bytes.count, begin: { _ in nil }, take: { _ in true }) == place)
        }
        #expect(pieces.searches <= bytes.count / (size / 8) + 1)
        #expect(pieces.releases <= 1 + bytes.count >> 16)
    }

    /// What is plain between other things is read all the same, each byte once.
    @Test(arguments: [1, 7, 64, 1000]) func whatIsPlainIsReadBetween(size: Int) {
        let bytes = (0..<20_000).map { UInt8(ascii: $0 % 100 < 3 ? "b" : "a") }
        let pieces = TextPieces(FileBytes(name: "a", bytes: bytes), from: 0, size: size) { Run(bytes) }
        var (place, plain) = (0, 0)
        while place < bytes.count {
            let end = pieces.read(
                from: place, upTo: bytes.count,
                begin: { after in bytes[after..<min(bytes.count, after + 20)].firstIndex(of: UInt8(ascii: "b")).map { $0 + 1 } }, take: { _ in true })
            plain += end - place
            place = end + 1
        }
        #expect(plain == bytes.count(where: { $0 == UInt8(ascii: "a") }))
    }
}
