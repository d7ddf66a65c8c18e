import AssetIO
import AssetModel
import Synchronization

/// A whole file, parsed: pieces in file order, and what all of them define side by side.
final class OBJTables: Sendable {
    let file: FileBytes
    let pieces: [OBJPiece]
    let positions: OBJColumn<Point3f>
    /// One a position; empty where none has a colour. NaN where a position has none.
    let colors: OBJColumn<Vector3f>
    let texcoords: OBJColumn<Vector2f>
    let normals: OBJColumn<Vector3f>
    let faults: OBJFaults
    /// Whether any line is a statement of the format, or a comment.
    let hasStatements: Bool
    /// How far single precision is from the text, at most.
    let largestError: Double

    /// Bytes of a piece, roughly: large enough that its own cost does not count, small enough to stay near the processor.
    static let pieceSize = 2 << 20

    /// Parses a file on all cores. Throws `obj.too-large` where it has more elements than an index can name.
    init(_ file: FileBytes, wantsPrimvars: Bool, pieceSize: Int = OBJTables.pieceSize) throws(AssetError) {
        self.file = file
        let ranges = OBJTables.split(file, pieceSize)
        let settings = OBJPieceParser.Settings(wantsPrimvars: wantsPrimvars)
        var pieces = OBJTables.parse(file, ranges) { _ in settings }
        var bases: [OBJBases] = []
        var total = OBJBases()
        for piece in pieces {
            bases.append(total)
            total.positions += piece.counts.positions
            total.texcoords += piece.counts.texcoords
            total.normals += piece.counts.normals
        }
        let corners = pieces.reduce(0) { $0 + $1.cornerCount }
        guard max(total.positions, total.texcoords, total.normals, corners) < Int(Int32.max) else {
            throw AssetError(
                "obj.too-large",
                "\(amount(total.positions, "position")), \(total.texcoords) texture coordinates, \(total.normals) normals and "
                    + "\(amount(corners, "corner")), expected fewer than \(Int32.max) of each", at: SourceLocation(file: file.name))
        }
        // All faces before all positions: the file is written that way round, and its indices count over the whole of it.
        let isFacesFirst = OBJTables.isFacesFirst(pieces)
        let troubled = pieces.indices.filter { !pieces[$0].isSound(after: bases[$0]) }
        if !troubled.isEmpty {
            let again = OBJTables.parse(file, troubled.map { ranges[$0] }) { i in
                var settings = settings
                settings.known = (bases[troubled[i]], isFacesFirst ? total : nil)
                return settings
            }
            for (i, piece) in zip(troubled, again) { pieces[i] = piece }
        }
        let sound = Set(pieces.indices).subtracting(troubled)
        let (read, before) = (pieces, bases)
        concurrently(read.count) { i in if sound.contains(i) { read[i].resolve(after: before[i]) } }
        positions = OBJTables.joined(pieces.map(\.positions), total.positions)
        colors = OBJTables.joinedColors(pieces, bases, total.positions)
        texcoords = OBJTables.joined(pieces.map(\.texcoords), wantsPrimvars ? total.texcoords : 0)
        normals = OBJTables.joined(pieces.map(\.normals), wantsPrimvars ? total.normals : 0)
        var faults = OBJFaults()
        for piece in pieces { faults.add(piece.faults) }
        self.faults = faults
        hasStatements = pieces.contains { $0.statementCount > 0 || $0.hasComments }
        largestError = pieces.reduce(0) { max($0, $1.largestError) }
        self.pieces = pieces.map { $0.withoutVertices() }
    }

    /// All positions in double precision: the text is read once more, as few files need it.
    func doubles() -> OBJColumn<Point3d> {
        let settings = OBJPieceParser.Settings(wantsPrimvars: false, keepsDoubles: true)
        let again = OBJTables.parse(file, pieces.map(\.range)) { _ in settings }
        return OBJTables.joined(again.map(\.doubles), positions.count)
    }

    // MARK: Pieces

    /// Parts of the file that end where a line ends and is not continued.
    private static func split(_ file: FileBytes, _ pieceSize: Int) -> [Range<Int>] {
        file.withUnsafeBytes { bytes in
            var ranges: [Range<Int>] = []
            var start = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
            while start < bytes.count {
                var end = start + max(pieceSize, 1)
                while end < bytes.count {
                    let c = bytes[end - 1]
                    if c == 0x0A || c == 0x0D && bytes[end] != 0x0A {
                        // The line before: not continued?
                        var last = end - 1
                        if c == 0x0A, last > start, bytes[last - 1] == 0x0D { last -= 1 }
                        if last == start || bytes[last - 1] != UInt8(ascii: "\\") { break }
                    }
                    end += 1
                }
                end = min(end, bytes.count)
                ranges.append(start..<end)
                // A look at one byte may have mapped megabytes.
                file.release(start, count: end - start, isRead: false)
                start = end
            }
            return ranges
        }
    }

    private static func parse(
        _ file: FileBytes, _ ranges: [Range<Int>], _ settings: (Int) -> OBJPieceParser.Settings
    ) -> [OBJPiece] {
        var pieces = [OBJPiece?](repeating: nil, count: ranges.count)
        // Each thread takes the next piece that nobody has, with a parser of its own for all of them.
        let next = Atomic<Int>(0)
        pieces.withUnsafeMutableBufferPointer { pieces in
            nonisolated(unsafe) let pieces = pieces
            concurrently(min(ranges.count, Threads.coreCount)) { _ in
                var parser = OBJPieceParser(settings(0))
                while true {
                    let i = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard i < ranges.count else { return }
                    parser.settings = settings(i)
                    parse(file, ranges[i], &parser)
                    pieces[i] = parser.finished(ranges[i])
                    file.release(ranges[i].lowerBound, count: ranges[i].count)
                }
            }
        }
        return pieces.compactMap { $0 }
    }

    private static func parse(_ file: FileBytes, _ range: Range<Int>, _ parser: inout OBJPieceParser) {
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            if raw.count - range.upperBound >= OBJPieceParser.lookahead {
                parser.parse(base + range.lowerBound, count: range.count, fileOffset: range.lowerBound)
                return
            }
            // The end of the file: a copy with room behind it.
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: range.count + 1 + OBJPieceParser.lookahead)
            defer { copy.deallocate() }
            copy.update(from: base + range.lowerBound, count: range.count)
            (copy + range.count).update(repeating: 0x0A, count: 1 + OBJPieceParser.lookahead)
            parser.parse(copy, count: range.count, fileOffset: range.lowerBound)
        }
    }

    private static func isFacesFirst(_ pieces: [OBJPiece]) -> Bool {
        guard let first = pieces.firstIndex(where: { $0.counts.positions > 0 }) else { return false }
        return pieces[first].facesBeforePositions == pieces[first].faceCount && pieces[(first + 1)...].allSatisfy { $0.faceCount == 0 }
    }

    // MARK: Columns

    private static func joined<E>(_ columns: [OBJColumn<E>], _ count: Int) -> OBJColumn<E> {
        if columns.count == 1, let only = columns.first { return only }
        var starts: [Int] = []
        var sum = 0
        for column in columns {
            starts.append(sum)
            sum += column.count
        }
        guard sum == count else { return .empty }
        let places = starts
        return OBJColumn(count: count) { target in
            nonisolated(unsafe) let target = target
            concurrently(columns.count) { i in
                guard let source = columns[i].elements.baseAddress else { return }
                (target + places[i]).update(from: source, count: columns[i].count)
            }
        }
    }

    private static func joinedColors(_ pieces: [OBJPiece], _ bases: [OBJBases], _ count: Int) -> OBJColumn<Vector3f> {
        guard pieces.contains(where: { $0.colors.count > 0 }) else { return .empty }
        return OBJColumn(count: count) { target in
            target.update(repeating: Vector3f(.nan, .nan, .nan), count: count)
            for (piece, base) in zip(pieces, bases) where piece.colors.count > 0 {
                guard let source = piece.colors.elements.baseAddress else { continue }
                (target + base.positions).update(from: source, count: piece.colors.count)
            }
        }
    }
}

extension OBJPiece {
    /// The piece without what has been joined with that of the others.
    func withoutVertices() -> OBJPiece {
        var piece = self
        (piece.positions, piece.doubles, piece.colors) = (.empty, .empty, .empty)
        (piece.texcoords, piece.normals) = (.empty, .empty)
        return piece
    }
}
