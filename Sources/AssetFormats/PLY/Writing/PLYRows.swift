import AssetIO
import AssetModel
import AssetOps

/// Formats the rows of the vertices of one part under a transform.
struct PLYVertexRows {
    let vertices: PLYPartVertices
    let columns: PLYColumns
    /// Nil where points stay as they are.
    let transform: Matrix4d?
    let normalTransform: NormalTransform?

    private static let perPiece = 1 << 12

    init(_ part: PLYPart, _ columns: PLYColumns, _ m: Matrix4d) {
        vertices = part.vertices
        self.columns = columns
        transform = m == .identity ? nil : m
        normalTransform = transform.map { NormalTransform($0) }
    }

    // MARK: Binary

    func binary(isBig: Bool, to file: OutputPieces) throws(AssetError) {
        let size = columns.vertexSize
        try file.items(vertices.count, perPiece: Self.perPiece, room: { $0.count * size }) { range, out in
            let start = UnsafeMutableRawPointer(out)
            // Column by column: each is a loop of its own.
            var column = start
            putPoints(range, size, isBig, column)
            column += columns.isDouble ? 24 : 12
            if columns.hasNormals {
                putNormals(range, size, isBig, column)
                column += 12
            }
            if columns.hasCoordinates {
                putCoordinates(range, size, isBig, column)
                column += 8
            }
            if columns.hasColors {
                putColors(range, size, column)
                column += columns.hasAlpha ? 4 : 3
            }
            for k in columns.others.indices {
                putOther(k, range, size, isBig, column)
                column += 4
            }
            return range.count * size
        }
    }

    private func putPoints(_ range: Range<Int>, _ size: Int, _ isBig: Bool, _ start: UnsafeMutableRawPointer) {
        var p = start
        if case .float(let points) = vertices.points, transform == nil, !columns.isDouble {
            points.withUnsafeBufferPointer { points in
                if let pointOf = vertices.pointOf {
                    for v in range {
                        PLYBytes.put(points[Int(pointOf[v])], isBig, p)
                        p += size
                    }
                } else {
                    for v in range {
                        PLYBytes.put(points[v], isBig, p)
                        p += size
                    }
                }
            }
            return
        }
        for v in range {
            let point = place(v)
            if columns.isDouble {
                PLYBytes.put(point.x, isBig, p)
                PLYBytes.put(point.y, isBig, p + 8)
                PLYBytes.put(point.z, isBig, p + 16)
            } else {
                PLYBytes.put(Vector3f(Float(point.x), Float(point.y), Float(point.z)), isBig, p)
            }
            p += size
        }
    }

    private func putNormals(_ range: Range<Int>, _ size: Int, _ isBig: Bool, _ start: UnsafeMutableRawPointer) {
        var p = start
        for v in range {
            PLYBytes.put(normal(v), isBig, p)
            p += size
        }
    }

    private func putCoordinates(_ range: Range<Int>, _ size: Int, _ isBig: Bool, _ start: UnsafeMutableRawPointer) {
        var p = start
        for v in range {
            let c = coordinates(v)
            PLYBytes.put(c.x, isBig, p)
            PLYBytes.put(c.y, isBig, p + 4)
            p += size
        }
    }

    private func putColors(_ range: Range<Int>, _ size: Int, _ start: UnsafeMutableRawPointer) {
        var p = start
        for v in range {
            let c = color(v)
            p.storeBytes(of: UInt8(truncatingIfNeeded: c), as: UInt8.self)
            p.storeBytes(of: UInt8(truncatingIfNeeded: c >> 8), toByteOffset: 1, as: UInt8.self)
            p.storeBytes(of: UInt8(truncatingIfNeeded: c >> 16), toByteOffset: 2, as: UInt8.self)
            if columns.hasAlpha { p.storeBytes(of: UInt8(truncatingIfNeeded: c >> 24), toByteOffset: 3, as: UInt8.self) }
            p += size
        }
    }

    private func putOther(_ k: Int, _ range: Range<Int>, _ size: Int, _ isBig: Bool, _ start: UnsafeMutableRawPointer) {
        var p = start
        for v in range {
            PLYBytes.put(other(k, v), isBig, p)
            p += size
        }
    }

    // MARK: Text

    func text(to file: OutputPieces) throws(AssetError) {
        let numbers = 3 + 3 + 2 + 4 + columns.others.count
        try file.items(vertices.count, perPiece: Self.perPiece, room: { $0.count * (1 + numbers * TextRow.number) }) { range, out in
            var p = out
            for v in range {
                putPoint(v, &p)
                if columns.hasNormals {
                    let n = normal(v)
                    TextRow.put(n.x, &p)
                    TextRow.put(n.y, &p)
                    TextRow.put(n.z, &p)
                }
                if columns.hasCoordinates {
                    let c = coordinates(v)
                    TextRow.put(c.x, &p)
                    TextRow.put(c.y, &p)
                }
                if columns.hasColors {
                    let c = color(v)
                    TextRow.put(Int(c & 255), &p)
                    TextRow.put(Int(c >> 8 & 255), &p)
                    TextRow.put(Int(c >> 16 & 255), &p)
                    if columns.hasAlpha { TextRow.put(Int(c >> 24), &p) }
                }
                for k in columns.others.indices { TextRow.put(other(k, v), &p) }
                TextRow.end(&p)
            }
            return p - out
        }
    }

    @inline(__always)
    private func putPoint(_ v: Int, _ p: inout UnsafeMutablePointer<UInt8>) {
        let point = place(v)
        if columns.isDouble {
            TextRow.begin(point.x, &p)
            TextRow.put(point.y, &p)
            TextRow.put(point.z, &p)
        } else {
            TextRow.begin(Float(point.x), &p)
            TextRow.put(Float(point.y), &p)
            TextRow.put(Float(point.z), &p)
        }
    }

    // MARK: Values

    @inline(__always)
    private func place(_ v: Int) -> Point3d {
        let point = vertices.points[vertices.pointOf.map { Int($0[v]) } ?? v]
        return transform?.transform(point: point) ?? point
    }

    /// Of unit length; what has none points up its z axis.
    @inline(__always)
    private func normal(_ v: Int) -> Vector3f {
        guard let normals = vertices.normals, let i = vertices.index(normals, v) else { return Vector3f(0, 0, 1) }
        let n = normals.values[i]
        return normalTransform?.apply(n) ?? NormalTransform.normalized(n)
    }

    @inline(__always)
    private func coordinates(_ v: Int) -> Vector2f {
        guard let coordinates = vertices.coordinates, let i = vertices.index(coordinates, v) else { return Vector2f(0, 0) }
        let c = coordinates.values[i]
        return Vector2f(c.x.isFinite ? c.x : 0, c.y.isFinite ? c.y : 0)
    }

    @inline(__always)
    private func color(_ v: Int) -> UInt32 {
        guard let colors = vertices.colors, let i = vertices.index(colors, v) else { return PLYColor.white }
        return colors.values[i]
    }

    @inline(__always)
    private func other(_ k: Int, _ v: Int) -> Float {
        guard k < vertices.others.count, let values = vertices.others[k] else { return 0 }
        return values[vertices.pointOf.map { Int($0[v]) } ?? v]
    }
}

/// Formats the faces and edges of one part.
struct PLYFaceRows {
    let columns: PLYColumns
    /// The number of the part's first vertex in the file.
    let start: Int
    let isFlipped: Bool

    private static let perPiece = 1 << 12

    func faces(_ part: PLYPart, _ encoding: PLYHeader.Encoding, to file: OutputPieces) throws(AssetError) {
        guard let polygons = part.polygons else { return }
        let source = Source(part, polygons)
        let isText = encoding == .ascii
        let perFace = isText ? 1 + 2 * TextRow.number : 8
        let perCorner = isText ? TextRow.number : 4
        try file.items(
            part.faceCount, perPiece: Self.perPiece,
            room: { $0.count * perFace + source.cornerCount($0) * perCorner },
            { range, out in isText ? text(source, range, out) : binary(source, range, encoding == .bigEndian, out) })
    }

    private func binary(_ source: Source, _ range: Range<Int>, _ isBig: Bool, _ out: UnsafeMutablePointer<UInt8>) -> Int {
        var p = UnsafeMutableRawPointer(out)
        let size = source.faceSize
        source.vertexOfCorner.withUnsafeBufferPointer { vertexOf in
            for k in range {
                let face = source.face(k)
                let count = size ?? source.polygons.corners(face).count
                if columns.hasLargeFaces {
                    PLYBytes.put(Int32(truncatingIfNeeded: count), isBig, p)
                    p += 4
                } else {
                    p.storeBytes(of: UInt8(truncatingIfNeeded: count), as: UInt8.self)
                    p += 1
                }
                if let triangles = source.triangles {
                    let (a, b, c) = triangles.corners(k)
                    PLYBytes.put(vertexOf[a] &+ Int32(truncatingIfNeeded: start), isBig, p)
                    PLYBytes.put(vertexOf[isFlipped ? c : b] &+ Int32(truncatingIfNeeded: start), isBig, p + 4)
                    PLYBytes.put(vertexOf[isFlipped ? b : c] &+ Int32(truncatingIfNeeded: start), isBig, p + 8)
                    p += 12
                } else {
                    let corners = source.polygons.corners(face)
                    for i in 0..<count {
                        // Flipped: the first corner, then the others from the end.
                        let corner = isFlipped && i > 0 ? corners.upperBound &- i : corners.lowerBound &+ i
                        PLYBytes.put(vertexOf[corner] &+ Int32(truncatingIfNeeded: start), isBig, p)
                        p += 4
                    }
                }
                if columns.hasTextureNumbers {
                    PLYBytes.put(source.texture(face), isBig, p)
                    p += 4
                }
            }
        }
        return p - UnsafeMutableRawPointer(out)
    }

    private func text(_ source: Source, _ range: Range<Int>, _ out: UnsafeMutablePointer<UInt8>) -> Int {
        var p = out
        for k in range {
            let face = source.face(k)
            let count = source.faceSize ?? source.polygons.corners(face).count
            TextRow.begin(count, &p)
            if let triangles = source.triangles {
                let (a, b, c) = triangles.corners(k)
                TextRow.put(start + Int(source.vertexOfCorner[a]), &p)
                TextRow.put(start + Int(source.vertexOfCorner[isFlipped ? c : b]), &p)
                TextRow.put(start + Int(source.vertexOfCorner[isFlipped ? b : c]), &p)
            } else {
                let corners = source.polygons.corners(face)
                for i in 0..<count {
                    let corner = isFlipped && i > 0 ? corners.upperBound - i : corners.lowerBound + i
                    TextRow.put(start + Int(source.vertexOfCorner[corner]), &p)
                }
            }
            if columns.hasTextureNumbers { TextRow.put(Int(source.texture(face)), &p) }
            TextRow.end(&p)
        }
        return p - out
    }

    func edges(_ part: PLYPart, _ encoding: PLYHeader.Encoding, to file: OutputPieces) throws(AssetError) {
        let edges = part.edges
        let (isText, isBig) = (encoding == .ascii, encoding == .bigEndian)
        let room = isText ? 2 * TextRow.number + 1 : 8
        try file.items(edges.count / 2, perPiece: Self.perPiece, room: { $0.count * room }) { range, out in
            var p = out
            for k in range {
                let (a, b) = (start + Int(edges[2 * k]), start + Int(edges[2 * k + 1]))
                if isText {
                    TextRow.begin(a, &p)
                    TextRow.put(b, &p)
                    TextRow.end(&p)
                } else {
                    PLYBytes.put(Int32(truncatingIfNeeded: a), isBig, UnsafeMutableRawPointer(p))
                    PLYBytes.put(Int32(truncatingIfNeeded: b), isBig, UnsafeMutableRawPointer(p + 4))
                    p += 8
                }
            }
            return p - out
        }
    }

    /// Where faces come from.
    private struct Source {
        let polygons: PolygonMesh
        let triangles: FaceTriangles?
        /// Before the part's first vertex is added.
        let vertexOfCorner: [Int32]
        let faceSize: Int?
        private let textures: PLYPart.Textures

        init(_ part: PLYPart, _ polygons: PolygonMesh) {
            self.polygons = polygons
            triangles = part.triangles
            vertexOfCorner = part.ofCorner ?? polygons.faceVertexIndices
            faceSize = triangles == nil ? polygons.faceSize : 3
            textures = part.textures
        }

        @inline(__always)
        func face(_ k: Int) -> Int {
            if let triangles { return triangles.face(k) }
            return polygons.keptFaces.map { Int($0[k]) } ?? k
        }

        func cornerCount(_ range: Range<Int>) -> Int {
            if let faceSize { return range.count * faceSize }
            var count = 0
            for k in range { count += polygons.corners(face(k)).count }
            return count
        }

        func texture(_ face: Int) -> Int32 {
            switch textures {
            case .one(let number): number
            case .each(let numbers): numbers[face]
            }
        }
    }
}

/// Numbers as bytes of a binary file, in either order.
enum PLYBytes {
    @inline(__always)
    static func put(_ value: Float, _ isBig: Bool, _ p: UnsafeMutableRawPointer) {
        let bits = value.bitPattern
        p.storeBytes(of: isBig ? bits.bigEndian : bits.littleEndian, as: UInt32.self)
    }

    @inline(__always)
    static func put(_ value: Double, _ isBig: Bool, _ p: UnsafeMutableRawPointer) {
        let bits = value.bitPattern
        p.storeBytes(of: isBig ? bits.bigEndian : bits.littleEndian, as: UInt64.self)
    }

    @inline(__always)
    static func put(_ value: Int32, _ isBig: Bool, _ p: UnsafeMutableRawPointer) {
        p.storeBytes(of: isBig ? value.bigEndian : value.littleEndian, as: Int32.self)
    }

    @inline(__always)
    static func put(_ v: Vector3f, _ isBig: Bool, _ p: UnsafeMutableRawPointer) {
        put(v.x, isBig, p)
        put(v.y, isBig, p + 4)
        put(v.z, isBig, p + 8)
    }
}
