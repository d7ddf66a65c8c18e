import AssetIO
import AssetModel

/// Lines and columns of the places that messages may name: all are found in one pass over the file, once the first is asked for.
final class OBJPlaces {
    private let file: FileBytes
    private var offsets: [Int]
    private var found: [Int: SourceLocation.Position]?

    init(_ file: FileBytes, _ offsets: [Int]) {
        self.file = file
        self.offsets = offsets
    }

    func place(_ offset: Int) -> SourceLocation {
        let found = found ?? find()
        return SourceLocation(file: file.name, position: found[offset] ?? .byteOffset(offset))
    }

    private func find() -> [Int: SourceLocation.Position] {
        var result: [Int: SourceLocation.Position] = [:]
        let file = file
        let count = file.count
        var (line, at) = (1, 0)
        var released = 0
        for offset in offsets.sorted() where offset >= at && offset <= count {
            while at < offset {
                let next = min(offset, at + 4 << 20)
                line += lineEnds(in: file.byteSpan, at..<next)
                at = next
                if at - released >= 4 << 20 {
                    file.release(released, count: at - released, isRead: false)
                    released = at
                }
            }
            result[offset] = .line(line, column: column(of: offset))
        }
        file.release(0, count: count, isRead: false)
        found = result
        return result
    }

    private func column(of offset: Int) -> Int {
        file.withUnsafeBytes { bytes in
            var start = offset
            while start > 0, bytes[start - 1] != UInt8(ascii: "\n"), bytes[start - 1] != UInt8(ascii: "\r") { start -= 1 }
            return offset - start + 1
        }
    }
}
