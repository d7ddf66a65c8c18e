import AssetIO
import AssetModel

extension PLYFaceReader {
    /// Reads the rows of a text.
    mutating func read(_ values: inout PLYTextValues, row: inout Int) throws(PLYFault) {
        if keeps { indices.reserveCapacity(element.count * 3) }
        let (file, limit, keeps) = (table.file, UInt32(clamping: min(points, Int(Int32.max))), self.keeps)
        let (before, after) = (list, element.properties.count - list - 1)
        try values.rows(
            element.count, in: file, pieceSize: isPlain ? table.pieceSize : 0, row: &row,
            make: { PLYPlainFaces(file, before: before, after: after, points: limit, keeps: keeps) },
            take: { piece, _ in
                guard piece.rows > 0 else { return }
                counts.append(UnsafeBufferPointer(start: piece.counts.base, count: piece.rows), areEqual: piece.areEqual)
                corners += piece.corners
                if keeps { indices.append(contentsOf: UnsafeBufferPointer(start: piece.indices.base, count: piece.corners)) }
            }, other: { (values, row) throws(PLYFault) in try self.row(&values, row) })
    }
}

/// Reads rows with one list of whole numbers that are all indices, three or more.
final class PLYPlainFaces: PLYRowPiece {
    private let file: FileBytes
    /// Words before the list and behind it.
    private let before: Int
    private let after: Int
    private let points: UInt32
    private let keeps: Bool
    nonisolated(unsafe) private(set) var stop = 0
    nonisolated(unsafe) private(set) var rows = 0
    nonisolated(unsafe) private(set) var corners = 0
    /// Corners of each face, and whether they are as many for all.
    nonisolated(unsafe) private(set) var counts = PLYStore<Int32>(0)
    nonisolated(unsafe) private(set) var areEqual = true
    /// The indices, where they are kept.
    nonisolated(unsafe) private(set) var indices = PLYStore<Int32>(0)
    nonisolated(unsafe) private var most: Int?

    init(_ file: FileBytes, before: Int, after: Int, points: UInt32, keeps: Bool) {
        (self.file, self.before, self.after, self.points, self.keeps) = (file, before, after, points, keeps)
    }

    func limit(rows: Int?) { most = rows }

    func read(from start: Int, upTo limit: Int) {
        (stop, rows, corners, areEqual) = (start, 0, 0, true)
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self), start < limit, limit <= raw.count else { return }
            // Four words and a blank behind each.
            let largest = min(most ?? .max, (limit - start) / 8 + 1)
            if counts.count < largest { counts = PLYStore<Int32>(largest) }
            if keeps, indices.count < (limit - start) / 2 + 64 { indices = PLYStore<Int32>((limit - start) / 2 + 64) }
            var p = base + start
            if keeps {
                read(&p, base + limit, base + raw.count, largest, keeps: true)
            } else {
                read(&p, base + limit, base + raw.count, largest, keeps: false)
            }
            stop = p - base
        }
    }

    @inline(__always)
    private func read(
        _ start: inout UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ most: Int, keeps: Bool
    ) {
        // So much can be read at any place before.
        let safe = end - 48
        let (before, after, points, room) = (before, after, points, indices.count)
        let (counts, indices) = (counts.base, indices.base)
        var p = start
        var (n, corners) = (0, 0)
        var differing: UInt32 = 0
        rows: while n < most, p < limit {
            if before > 0 {
                guard p < safe, PlainText.passWords(&p, before, safe) else { break }
                p += 1
                PlainText.passBlanks(&p, safe)
            }
            guard p < safe, let count = PlainNumber.quickWhole(&p), count >= 3, !keeps || Int(count) <= room - corners else { break }
            var largest: UInt32 = 0
            for k in 0..<Int(count) {
                p += 1
                PlainText.passBlanks(&p, safe)
                guard p < safe, let index = PlainNumber.quickWhole(&p) else { break rows }
                largest = max(largest, index)
                if keeps { indices[corners &+ k] = Int32(truncatingIfNeeded: index) }
            }
            guard largest < points else { break }
            if after > 0 {
                p += 1
                PlainText.passBlanks(&p, safe)
                guard p < safe, PlainText.passWords(&p, after, safe) else { break }
            }
            p += 1
            PlainText.passBlanks(&p, safe)
            counts[n] = Int32(truncatingIfNeeded: count)
            differing |= count ^ UInt32(truncatingIfNeeded: counts[0])
            start = p
            n += 1
            corners += Int(count)
        }
        (rows, self.corners, areEqual) = (n, corners, differing == 0)
    }
}
