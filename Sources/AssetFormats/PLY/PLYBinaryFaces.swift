import AssetIO
import AssetModel

extension PLYFaceReader {
    /// Takes over the first rows, which are triangles.
    mutating func add(_ triangles: PLYTriangleSource) {
        counts.append(3, times: triangles.rows)
        corners += triangles.count
        if keeps, let all = try? triangles.load() { indices = all }
    }

    /// Reads the rows of binary data from `row` on.
    mutating func read(_ values: inout PLYBinaryValues, isBig: Bool, row: inout Int) throws(PLYFault) {
        if keeps { indices.reserveCapacity(element.count * 3) }
        let plain = PLYBinaryFaces(element, list: list, points: points, isBig: isBig)
        while row < element.count {
            let before = row
            if isPlain, let plain {
                values.withRest { start, size in
                    let run = plain.read(start, size, rows: element.count - row, keeps: keeps)
                    run.counts.withUnsafeBufferPointer { counts.append($0, areEqual: run.areEqual) }
                    if keeps { indices.append(contentsOf: run.indices) }
                    corners += run.corners
                    row += run.counts.count
                    return run.size
                }
            }
            if row == before {
                try self.row(&values, row)
                row += 1
            }
            values.dropBehind()
        }
    }
}

/// Reads binary rows with one list of whole numbers that are all indices, three or more.
struct PLYBinaryFaces {
    struct Run {
        var counts: [Int32] = []
        var areEqual = true
        /// Where they are kept.
        var indices: [Int32] = []
        var corners = 0
        /// Bytes that were read.
        var size = 0
    }

    /// Bytes before the list and behind it.
    private var before = 0
    private var after = 0
    private let length: PLYScalar
    private let scalar: PLYScalar
    private let points: Int
    private let isBig: Bool

    init?(_ element: PLYElement, list: Int, points: Int, isBig: Bool) {
        guard element.properties.indices.contains(list), let length = element.properties[list].length, !length.isReal,
            !element.properties[list].scalar.isReal
        else { return nil }
        (self.length, scalar, self.points, self.isBig) = (length, element.properties[list].scalar, points, isBig)
        for (i, p) in element.properties.enumerated() where i != list {
            if p.length != nil { return nil }
            if i < list { before += p.scalar.size } else { after += p.scalar.size }
        }
    }

    /// Reads up to a number of rows from a place on, as far as they are plain and whole; not all at once.
    func read(_ start: UnsafeRawPointer, _ size: Int, rows: Int, keeps: Bool) -> Run {
        switch scalar {
        case .int8: read(start, size, rows, keeps, Int8.self)
        case .uint8: read(start, size, rows, keeps, UInt8.self)
        case .int16: read(start, size, rows, keeps, Int16.self)
        case .uint16: read(start, size, rows, keeps, UInt16.self)
        case .uint32: read(start, size, rows, keeps, UInt32.self)
        default: read(start, size, rows, keeps, Int32.self)
        }
    }

    @inline(__always)
    private func read<Index: FixedWidthInteger & BitwiseCopyable>(
        _ start: UnsafeRawPointer, _ size: Int, _ rows: Int, _ keeps: Bool, _ type: Index.Type
    ) -> Run {
        switch length {
        case .uint8, .int8: read(start, size, rows, keeps, type, UInt8.self)
        case .uint16, .int16: read(start, size, rows, keeps, type, UInt16.self)
        default: read(start, size, rows, keeps, type, UInt32.self)
        }
    }

    @inline(__always)
    private func read<Index: FixedWidthInteger & BitwiseCopyable, Length: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ start: UnsafeRawPointer, _ size: Int, _ rows: Int, _ keeps: Bool, _ type: Index.Type, _ lengthType: Length.Type
    ) -> Run {
        let most = min(rows, PLYBinary.blockRows)
        let (width, head) = (MemoryLayout<Index>.size, before + MemoryLayout<Length>.size)
        // A negative length has its highest bit: it is no plain one.
        let longest = Int(Length.max >> 1)
        let limit = UInt64(clamping: min(points, Int(Int32.max)))
        var run = Run()
        run.counts.reserveCapacity(min(most, 256))
        if keeps { run.indices.reserveCapacity(min(most, 256) * 4) }
        var p = start
        let end = start + size
        while run.counts.count < most {
            guard end - p >= head else { break }
            let length = PLYBinary.integer(p + before, Length.self, isBig)
            guard length >= 3, length <= longest else { break }
            let n = Int(length)
            guard end - p >= head + n * width + after else { break }
            var q = p + head
            // Negative ones are beyond all limits.
            var largest: UInt64 = 0
            for _ in 0..<n {
                let index = UInt64(truncatingIfNeeded: PLYBinary.signed(q, Index.self, isBig))
                largest = max(largest, index)
                if keeps { run.indices.append(Int32(truncatingIfNeeded: index)) }
                q += width
            }
            guard largest < limit else {
                if keeps { run.indices.removeLast(n) }
                break
            }
            run.counts.append(Int32(truncatingIfNeeded: n))
            run.areEqual = run.areEqual && run.counts[0] == Int32(truncatingIfNeeded: n)
            run.corners += n
            p = q + after
        }
        run.size = p - start
        return run
    }
}

extension PLYBinary {
    /// A whole number, widened with its sign.
    @inline(__always)
    static func signed<I: FixedWidthInteger & BitwiseCopyable>(_ p: UnsafeRawPointer, _ type: I.Type, _ isBig: Bool) -> Int {
        let raw = p.loadUnaligned(as: I.self)
        return Int(truncatingIfNeeded: isBig ? I(bigEndian: raw) : I(littleEndian: raw))
    }
}
