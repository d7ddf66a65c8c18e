import AssetIO
import AssetModel
import AssetOps

/// Where a corner's index into an attribute comes from: small enough for the innermost loop.
struct OBJIndexSource {
    private enum Space { case whole, face, point, corner }
    private let space: Space
    private let indices: [Int32]?
    /// What is added: the attribute's first line in the file, counted from 1.
    private let start: Int
    /// The line that stands for none, so that a corner has no number.
    private let absent: Int

    init<E>(_ attribute: MeshAttribute<E>, start: Int) {
        space =
            switch attribute.domain {
            case .whole: .whole
            case .face: .face
            case .point: .point
            case .corner: .corner
            }
        indices = attribute.indices
        self.start = start
        absent = attribute.absent.map { start + $0 } ?? -1
    }

    @inline(__always)
    func isAbsent(_ index: Int) -> Bool { index == absent }

    func isPoint(from start: Int) -> Bool { space == .point && indices == nil && self.start == start }

    @inline(__always)
    func index(face: Int, corner: Int, point: Int) -> Int {
        let element =
            switch space {
            case .whole: 0
            case .face: face
            case .point: point
            case .corner: corner
            }
        if let indices { return start &+ Int(indices[element]) }
        return start &+ element
    }
}

/// Formats `f` lines.
struct OBJFaces {
    let polygons: PolygonMesh
    let vertices: OBJVertices
    /// First vertex in the file, counted from 1.
    let vertexStart: Int
    let coordinates: OBJIndexSource?
    let normals: OBJIndexSource?
    /// Whether corners come in the other order; the first one stays first.
    let isFlipped: Bool

    /// Three numbers of up to 19 digits, two slashes, a blank.
    private static let cornerRoom = 64

    /// Whether all numbers of a corner are the same: attributes a point, without indices, that start where the vertices do.
    private var hasOneNumber: Bool {
        if vertices.ofCorner != nil || vertices.ofPoint != nil || coordinates == nil { return false }
        return [coordinates, normals].allSatisfy { $0?.isPoint(from: vertexStart) ?? true }
    }

    /// Polygons as they are.
    func polygons(_ faces: [Int32]?, to text: OutputPieces) throws(AssetError) {
        let count = faces?.count ?? polygons.faceCount
        if hasOneNumber {
            try simplePolygons(faces, count, normals == nil ? 2 : 3, to: text)
            return
        }
        let piece = OBJLines.perPiece
        try text.items(count, perPiece: piece, room: { room($0, faces) }) { range, out in
            var p = out
            for k in range {
                let face = faces.map { Int($0[k]) } ?? k
                let corners = polygons.corners(face)
                p[0] = UInt8(ascii: "f")
                p += 1
                if isFlipped {
                    put(face, corners.lowerBound, &p)
                    for corner in corners.dropFirst().reversed() { put(face, corner, &p) }
                } else {
                    for corner in corners { put(face, corner, &p) }
                }
                p[0] = UInt8(ascii: "\n")
                p += 1
            }
            return p - out
        }
    }

    /// Corners whose two or three numbers are the same: the digits are made once and stored again.
    private func simplePolygons(_ faces: [Int32]?, _ count: Int, _ copies: Int, to text: OutputPieces) throws(AssetError) {
        let start = vertexStart
        try text.items(count, perPiece: OBJLines.perPiece, room: { room($0, faces) + 32 }) { range, out in
            var p = UnsafeMutableRawPointer(out)
            polygons.faceVertexIndices.withUnsafeBufferPointer { indices in
                for k in range {
                    let face = faces.map { Int($0[k]) } ?? k
                    let corners = polygons.corners(face)
                    p.storeBytes(of: UInt8(ascii: "f"), as: UInt8.self)
                    p += 1
                    for i in 0..<corners.count {
                        // Flipped: the first corner, then the others from the end.
                        let corner = isFlipped && i > 0 ? corners.upperBound &- i : corners.lowerBound &+ i
                        let digits = Digits(start &+ Int(indices[corner]))
                        digits.store(after: UInt8(ascii: " "), &p)
                        digits.store(after: UInt8(ascii: "/"), &p)
                        if copies == 3 { digits.store(after: UInt8(ascii: "/"), &p) }
                    }
                    p.storeBytes(of: UInt8(ascii: "\n"), as: UInt8.self)
                    p += 1
                }
            }
            return p - UnsafeMutableRawPointer(out)
        }
    }

    private func room(_ range: Range<Int>, _ faces: [Int32]?) -> Int {
        if let size = polygons.faceSize { return range.count * (2 + size * Self.cornerRoom) }
        var corners = 0
        for k in range { corners += polygons.corners(faces.map { Int($0[k]) } ?? k).count }
        return range.count * 2 + corners * Self.cornerRoom
    }

    /// Triangles: three corners each, and the face they belong to.
    func triangles(_ triangles: FaceTriangles, to text: OutputPieces) throws(AssetError) {
        try text.items(triangles.count, perPiece: OBJLines.perPiece, room: { $0.count * (2 + 3 * Self.cornerRoom) }) { range, out in
            var p = out
            for k in range {
                let face = triangles.face(k)
                let (a, b, c) = triangles.corners(k)
                p[0] = UInt8(ascii: "f")
                p += 1
                put(face, a, &p)
                put(face, isFlipped ? c : b, &p)
                put(face, isFlipped ? b : c, &p)
                p[0] = UInt8(ascii: "\n")
                p += 1
            }
            return p - out
        }
    }

    @inline(__always)
    private func put(_ face: Int, _ corner: Int, _ p: inout UnsafeMutablePointer<UInt8>) {
        let point = Int(polygons.faceVertexIndices[corner])
        let vertex: Int
        if let ofCorner = vertices.ofCorner {
            vertex = Int(ofCorner[corner])
        } else if let ofPoint = vertices.ofPoint {
            vertex = Int(ofPoint[point])
        } else {
            vertex = point
        }
        p[0] = UInt8(ascii: " ")
        p += 1
        let v = vertexStart &+ vertex
        let first = p
        let length = FloatPrinter.print(UInt(bitPattern: v), to: p)
        p += length
        var hasCoordinates = false
        if let coordinates {
            let index = coordinates.index(face: face, corner: corner, point: point)
            if !coordinates.isAbsent(index) {
                p[0] = UInt8(ascii: "/")
                p += 1
                put(index, v, first, length, &p)
                hasCoordinates = true
            }
        }
        if let normals {
            p[0] = UInt8(ascii: "/")
            p += 1
            if !hasCoordinates {
                p[0] = UInt8(ascii: "/")
                p += 1
            }
            put(normals.index(face: face, corner: corner, point: point), v, first, length, &p)
        }
    }

    /// A number that is often the one just written.
    @inline(__always)
    private func put(
        _ value: Int, _ written: Int, _ first: UnsafeMutablePointer<UInt8>, _ length: Int, _ p: inout UnsafeMutablePointer<UInt8>
    ) {
        if value == written {
            for k in 0..<length { p[k] = first[k] }
            p += length
        } else {
            p += FloatPrinter.print(UInt(bitPattern: value), to: p)
        }
    }
}

/// The decimal digits of a positive number, in a register, ready to be stored several times.
struct Digits {
    private let low: UInt64
    private let high: UInt64
    private let count: Int

    @inline(__always)
    init(_ value: Int) {
        if value < 100_000_000 {
            let (text, zeros) = Self.eight(UInt64(truncatingIfNeeded: value))
            low = text >> UInt64(truncatingIfNeeded: zeros &* 8)
            high = 0
            count = 8 &- zeros
        } else {
            // Up to 16 digits: more lines than that no file has.
            let (top, bottom) = (value / 100_000_000, value % 100_000_000)
            let (topText, zeros) = Self.eight(UInt64(truncatingIfNeeded: top % 100_000_000))
            let (bottomText, _) = Self.eight(UInt64(truncatingIfNeeded: bottom))
            let shift = UInt64(truncatingIfNeeded: zeros &* 8)
            low = topText >> shift | (shift == 0 ? 0 : bottomText << (64 &- shift))
            high = bottomText >> shift
            count = 16 &- zeros
        }
    }

    /// Eight digits as bytes, the first one lowest, and how many zeros lead (at most 7).
    @inline(__always)
    private static func eight(_ value: UInt64) -> (text: UInt64, zeros: Int) {
        // Halves, then pairs, then single digits side by side; quotients by multiplication.
        let (a, b) = (value / 10_000, value % 10_000)
        let fours = a | b << 32
        let hundreds = ((fours &* 10_486) >> 20) & 0x7F_0000_007F
        let pairs = hundreds | (fours &- hundreds &* 100) << 16
        let tens = ((pairs &* 103) >> 10) & 0x0F_000F_000F_000F
        let digits = tens | (pairs &- tens &* 10) << 8
        let zeros = digits == 0 ? 7 : digits.trailingZeroBitCount / 8
        return (digits | 0x3030_3030_3030_3030, zeros)
    }

    /// Stores a byte and the digits; up to 17 bytes are touched.
    @inline(__always)
    func store(after byte: UInt8, _ p: inout UnsafeMutableRawPointer) {
        p.storeBytes(of: byte, as: UInt8.self)
        p.storeBytes(of: low.littleEndian, toByteOffset: 1, as: UInt64.self)
        p.storeBytes(of: high.littleEndian, toByteOffset: 9, as: UInt64.self)
        p += 1 &+ count
    }
}
