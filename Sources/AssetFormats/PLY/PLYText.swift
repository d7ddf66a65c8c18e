import AssetIO
import AssetModel

/// Reads text data number by number; how lines are broken does not matter.
struct PLYTextValues: PLYValues {
    private let file: FileBytes
    private let base: UnsafePointer<UInt8>
    private var p: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    private let powers = DecimalPowers.shared
    private var dropped: Int
    /// Stands in for the bytes of an empty file.
    private static let nothing: StaticString = ""

    init(_ file: FileBytes, at offset: Int) {
        self.file = file
        // The storage lives as long as `file` does, which is held beside it.
        let start = file.withUnsafeBytes { $0.baseAddress }.map { $0.assumingMemoryBound(to: UInt8.self) }
        base = start ?? PLYTextValues.nothing.utf8Start
        end = base + (start == nil ? 0 : file.count)
        p = base + (start == nil ? 0 : min(offset, file.count))
        dropped = offset
    }

    var offset: Int { p - base }

    /// Goes to another place.
    mutating func move(to offset: Int) { p = base + min(max(0, offset), end - base) }

    /// The first word of the next line behind an offset; nil where there is none near.
    func lineStart(behind offset: Int) -> Int? {
        guard offset < end - base else { return nil }
        let last = base + min(end - base, offset + 1 << 16)
        var q = base + offset
        PlainText.passLine(&q, last)
        PlainText.passBlanks(&q, last)
        return q < last ? q - base : nil
    }

    @inline(__always)
    mutating func passBlanks() {
        while p < end, p.pointee <= 32 { p += 1 }
    }

    @inline(__always)
    mutating func value(_ scalar: PLYScalar) throws(PLYFault) -> Double {
        passBlanks()
        guard p < end else { throw .ended(at: offset) }
        let start = p
        if end - p >= 48 {
            if let value = PlainNumber.quickNumber(&p, powers), p.pointee <= 32 { return value }
            p = start
        }
        return try slowValue()
    }

    private mutating func slowValue() throws(PLYFault) -> Double {
        let start = p
        var stop = p
        while stop < end, stop.pointee > 32 { stop += 1 }
        let word = UnsafeBufferPointer(start: start, count: stop - start)
        var i = 0
        let value = FloatParser.double(word.span, at: &i)
        guard let value else { throw .notANumber(at: offset) }
        if i < word.count {
            // What C libraries print: nan(ind), 1.#INF, -1.#IND.
            guard word[i] == UInt8(ascii: "#") || word[i] == UInt8(ascii: "("), value.isNaN || word[i] == UInt8(ascii: "#") else {
                throw .notANumber(at: offset)
            }
            p = stop
            let isInfinite =
                word.count > i + 2 && word[i + 1] == UInt8(ascii: "I") && word[i + 2] == UInt8(ascii: "N")
                && word.count > i + 3 && word[i + 3] == UInt8(ascii: "F")
            return isInfinite ? (value < 0 ? -.infinity : .infinity) : .nan
        }
        p = stop
        return value
    }

    @inline(__always)
    mutating func index(_ scalar: PLYScalar) throws(PLYFault) -> Double {
        do throws(PLYFault) {
            return try value(scalar)
        } catch {
            guard case .notANumber = error else { throw error }
            while p < end, p.pointee > 32 { p += 1 }
            return .nan
        }
    }

    mutating func skip(_ scalar: PLYScalar, count: Int) throws(PLYFault) {
        for _ in 0..<count {
            passBlanks()
            guard p < end else { throw .ended(at: offset) }
            while p < end, p.pointee > 32 { p += 1 }
        }
    }

    func holds(_ count: Int, of scalar: PLYScalar) -> Bool { count <= (end - p + 1) / 2 }

    mutating func vertices(
        _ table: PLYTable, _ layout: PLYVertexLayout, wantsPrimvars: Bool, keeps: Bool, row: inout Int
    ) throws(PLYFault) -> PLYVertices {
        let source = PLYTextVertices(table: table, layout: layout)
        return try source.read(&self, wants: { $0 == .points || wantsPrimvars }, keeps: keeps, row: &row)
    }

    mutating func faces(
        _ table: PLYTable, points: Int, wantsPrimvars: Bool, keeps: Bool, row: inout Int
    ) throws(PLYFault) -> PLYFaces {
        var reader = PLYFaceReader(table, points: points, wantsPrimvars: wantsPrimvars, keeps: keeps)
        try reader.read(&self, row: &row)
        return reader.finished()
    }

    mutating func dropBehind() {
        guard offset - dropped >= 4 << 20 else { return }
        file.release(dropped, count: offset - dropped)
        dropped = offset
    }
}
