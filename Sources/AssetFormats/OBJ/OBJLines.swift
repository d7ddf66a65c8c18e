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
    @inline(__always)
    static func putColor(_ c: Vector3f, _ p: inout UnsafeMutablePointer<UInt8>) {
        TextRow.put(c.x.isFinite ? c.x : 0, &p)
        TextRow.put(c.y.isFinite ? c.y : 0, &p)
        TextRow.put(c.z.isFinite ? c.z : 0, &p)
    }

    // MARK: Vertices

    /// `v x y z` and, with colours, `r g b`.
    static func vertices(
        _ vertices: OBJVertices, _ points: PolygonMesh.Points, _ m: Matrix4d?, asDouble: Bool, colors: MeshAttribute<Vector3f>?,
        to text: OutputPieces
    ) throws(AssetError) {
        if case .float(let array) = points, m == nil, colors == nil, vertices.points == nil, !asDouble {
            try text.items(vertices.count, perPiece: perPiece, room: { $0.count * (2 + 3 * TextRow.number) }) { range, out in
                var p = out
                for i in range {
                    let v = array[i]
                    p[0] = UInt8(ascii: "v")
                    p += 1
                    TextRow.put(v.x, &p)
                    TextRow.put(v.y, &p)
                    TextRow.put(v.z, &p)
                    TextRow.end(&p)
                }
                return p - out
            }
            return
        }
        let m = m ?? .identity
        let isMoved = m != .identity
        try text.items(vertices.count, perPiece: perPiece, room: { $0.count * (2 + 6 * TextRow.number) }) { range, out in
            var p = out
            for i in range {
                let point = vertices.points.map { Int($0[i]) } ?? i
                var v = points[point]
                if isMoved { v = m.transform(point: v) }
                p[0] = UInt8(ascii: "v")
                p += 1
                if asDouble {
                    TextRow.put(v.x, &p)
                    TextRow.put(v.y, &p)
                    TextRow.put(v.z, &p)
                } else {
                    TextRow.put(Float(v.x), &p)
                    TextRow.put(Float(v.y), &p)
                    TextRow.put(Float(v.z), &p)
                }
                if let colors {
                    let color = vertices.colorIndices.map { Int($0[i]) } ?? colors.valueIndex(face: 0, corner: 0, point: point)
                    putColor(colors.values[color], &p)
                }
                TextRow.end(&p)
            }
            return p - out
        }
    }

    /// `vt u v`.
    static func coordinates(_ values: [Vector2f], baked: TextureTransform?, to text: OutputPieces) throws(AssetError) {
        let turn = baked.map(CoordinateTransform.init)
        try text.items(values.count, perPiece: perPiece, room: { $0.count * (3 + 2 * TextRow.number) }) { range, out in
            var p = out
            for i in range {
                var v = values[i]
                if let turn { v = turn.apply(v) }
                p[0] = UInt8(ascii: "v")
                p[1] = UInt8(ascii: "t")
                p += 2
                TextRow.put(v.x.isFinite ? v.x : 0, &p)
                TextRow.put(v.y.isFinite ? v.y : 0, &p)
                TextRow.end(&p)
            }
            return p - out
        }
    }

    /// `vn x y z`, of unit length.
    static func normals(_ values: [Vector3f], _ rotation: NormalTransform?, to text: OutputPieces) throws(AssetError) {
        try text.items(values.count, perPiece: perPiece, room: { $0.count * (3 + 3 * TextRow.number) }) { range, out in
            var p = out
            for i in range {
                var n = values[i]
                n = rotation?.apply(n) ?? NormalTransform.normalized(n)
                p[0] = UInt8(ascii: "v")
                p[1] = UInt8(ascii: "n")
                p += 2
                TextRow.put(n.x, &p)
                TextRow.put(n.y, &p)
                TextRow.put(n.z, &p)
                TextRow.end(&p)
            }
            return p - out
        }
    }
}
