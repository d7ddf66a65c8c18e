import AssetIO
import AssetModel
import AssetOps

/// The vertices of one mesh as the file has them: the mesh's points, or points split and left out as needed.
struct OBJVertices {
    var count: Int
    /// The point of each vertex; nil: vertex i is point i.
    var points: [Int32]?
    /// The vertex of each corner, where a point has several.
    var ofCorner: [Int32]?
    /// The vertex of each point, where some are left out.
    var ofPoint: [Int32]?
    /// Index of each vertex's colour; nil: by the attribute's own domain.
    var colorIndices: [Int32]?
}

/// Formats runs of vertices, coordinates, normals and faces.
enum OBJLines {
    /// Lines formatted in one go: few enough that the text is still in the processor's cache when it is written out.
    static let perPiece = 1 << 12
    static let number = FloatPrinter.maximumCount + 1

    @inline(__always)
    static func put(_ value: Float, _ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = UInt8(ascii: " ")
        p += 1 + FloatPrinter.print(value, to: p + 1)
    }

    @inline(__always)
    static func put(_ value: Double, _ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = UInt8(ascii: " ")
        p += 1 + FloatPrinter.print(value, to: p + 1)
    }

    @inline(__always)
    static func end(_ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = UInt8(ascii: "\n")
        p += 1
    }

    @inline(__always)
    static func key(_ a: Character, _ p: inout UnsafeMutablePointer<UInt8>) {
        p[0] = a.asciiValue ?? 0
        p += 1
    }

    @inline(__always)
    static func putColor(_ c: Vector3f, _ p: inout UnsafeMutablePointer<UInt8>) {
        put(c.x.isFinite ? c.x : 0, &p)
        put(c.y.isFinite ? c.y : 0, &p)
        put(c.z.isFinite ? c.z : 0, &p)
    }

    // MARK: Vertices

    /// `v x y z` and, with colours, `r g b`.
    static func vertices(
        _ vertices: OBJVertices, _ points: PolygonMesh.Points, _ m: Matrix4d?, asDouble: Bool, colors: MeshAttribute<Vector3f>?,
        to text: OBJText
    ) throws(AssetError) {
        if case .float(let array) = points, m == nil, colors == nil, vertices.points == nil, !asDouble {
            try text.items(vertices.count, perPiece: perPiece, room: { $0.count * (2 + 3 * number) }) { range, out in
                var p = out
                for i in range {
                    let v = array[i]
                    p[0] = UInt8(ascii: "v")
                    p += 1
                    put(v.x, &p)
                    put(v.y, &p)
                    put(v.z, &p)
                    end(&p)
                }
                return p - out
            }
            return
        }
        let m = m ?? .identity
        let isMoved = m != .identity
        try text.items(vertices.count, perPiece: perPiece, room: { $0.count * (2 + 6 * number) }) { range, out in
            var p = out
            for i in range {
                let point = vertices.points.map { Int($0[i]) } ?? i
                var v = points[point]
                if isMoved { v = m.transform(point: v) }
                p[0] = UInt8(ascii: "v")
                p += 1
                if asDouble {
                    put(v.x, &p)
                    put(v.y, &p)
                    put(v.z, &p)
                } else {
                    put(Float(v.x), &p)
                    put(Float(v.y), &p)
                    put(Float(v.z), &p)
                }
                if let colors {
                    let color = vertices.colorIndices.map { Int($0[i]) } ?? colors.valueIndex(face: 0, corner: 0, point: point)
                    putColor(colors.values[color], &p)
                }
                end(&p)
            }
            return p - out
        }
    }

    /// `vt u v`.
    static func coordinates(_ values: [Vector2f], baked: TextureTransform?, to text: OBJText) throws(AssetError) {
        let turn = baked.map(CoordinateTransform.init)
        try text.items(values.count, perPiece: perPiece, room: { $0.count * (3 + 2 * number) }) { range, out in
            var p = out
            for i in range {
                var v = values[i]
                if let turn { v = turn.apply(v) }
                p[0] = UInt8(ascii: "v")
                p[1] = UInt8(ascii: "t")
                p += 2
                put(v.x.isFinite ? v.x : 0, &p)
                put(v.y.isFinite ? v.y : 0, &p)
                end(&p)
            }
            return p - out
        }
    }

    /// `vn x y z`, of unit length.
    static func normals(_ values: [Vector3f], _ rotation: NormalTransform?, to text: OBJText) throws(AssetError) {
        try text.items(values.count, perPiece: perPiece, room: { $0.count * (3 + 3 * number) }) { range, out in
            var p = out
            for i in range {
                var n = values[i]
                if let rotation {
                    n = rotation.apply(n)
                } else {
                    // What is of unit length as floats go stays as it is, to the last digit.
                    let square = n.x * n.x + n.y * n.y + n.z * n.z
                    if !((square - 1).magnitude < 1e-6) { n = NormalTransform.unit(Vector3d(n)) }
                }
                p[0] = UInt8(ascii: "v")
                p[1] = UInt8(ascii: "n")
                p += 2
                put(n.x, &p)
                put(n.y, &p)
                put(n.z, &p)
                end(&p)
            }
            return p - out
        }
    }
}

/// A texture transform applied to coordinates: scale, then rotation, then translation.
struct CoordinateTransform {
    private let a, b, c, d, x, y: Double

    init(_ t: TextureTransform) {
        let (cosine, sine) = turn(degrees: Double(t.rotation))
        (a, b) = (cosine * Double(t.scale.x), -sine * Double(t.scale.y))
        (c, d) = (sine * Double(t.scale.x), cosine * Double(t.scale.y))
        (x, y) = (Double(t.translation.x), Double(t.translation.y))
    }

    func apply(_ v: Vector2f) -> Vector2f {
        let (s, t) = (Double(v.x), Double(v.y))
        return Vector2f(Float(a * s + b * t + x), Float(c * s + d * t + y))
    }
}

/// Takes normals along with a transform of points: the cofactors of the upper 3×3, which work for flattening transforms,
/// too, turned round where the transform mirrors.
struct NormalTransform {
    private let x, y, z: Vector3d
    /// Equal for transforms that treat normals alike.
    var key: [Double] { [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z] }

    init(_ m: Matrix4d) {
        let a = Vector3d(m.rows.0.x, m.rows.0.y, m.rows.0.z)
        let b = Vector3d(m.rows.1.x, m.rows.1.y, m.rows.1.z)
        let c = Vector3d(m.rows.2.x, m.rows.2.y, m.rows.2.z)
        let sign: Double = m.determinant3 < 0 ? -1 : 1
        (x, y, z) = (b.cross(c) * sign, c.cross(a) * sign, a.cross(b) * sign)
    }

    func apply(_ n: Vector3f) -> Vector3f {
        Self.unit(x * Double(n.x) + y * Double(n.y) + z * Double(n.z))
    }

    static func unit(_ n: Vector3d) -> Vector3f {
        let length = n.length
        // A transform that flattens everything leaves no direction.
        guard length > 0, length.isFinite else { return Vector3f(0, 0, 1) }
        return Vector3f(Float(n.x / length), Float(n.y / length), Float(n.z / length))
    }
}
