import AssetIO
import AssetModel
import AssetOps

/// Formats the triangles of a mesh. Normals always come from the winding of the points as they are written.
struct STLFacets {
    let polygons: PolygonMesh
    let triangles: FaceTriangles
    /// Nil where points stay as they are.
    let transform: Matrix4d?
    let isFlipped: Bool

    private static let perPiece = 1 << 12

    // MARK: Binary

    /// Records of fifty bytes. Tells what single precision does to the points.
    func records(to file: OutputPieces) throws(AssetError) -> FloatLoss {
        if transform == nil, case .float(let points) = polygons.points {
            try points.withFloats { points throws(AssetError) in
                try polygons.faceVertexIndices.withFloats { indices throws(AssetError) in
                    try exactRecords(points, indices, to: file)
                }
            }
            return FloatLoss()
        }
        let pieces = (triangles.count + Self.perPiece - 1) / Self.perPiece
        let losses = UnsafeMutablePointer<FloatLoss>.allocate(capacity: pieces)
        defer { losses.deallocate() }
        losses.initialize(repeating: FloatLoss(), count: pieces)
        try file.items(triangles.count, perPiece: Self.perPiece, room: { $0.count * STLBinary.recordSize }) { range, out in
            var loss = FloatLoss()
            var p = UnsafeMutableRawPointer(out)
            for k in range {
                let exact = corners(k)
                let (a, b, c) = (single(exact.0), single(exact.1), single(exact.2))
                note(exact.0, a, &loss)
                note(exact.1, b, &loss)
                note(exact.2, c, &loss)
                if a == b && exact.0 != exact.1 || b == c && exact.1 != exact.2 || c == a && exact.2 != exact.0 { loss.merged += 1 }
                put(normal(a, b, c) ?? normal(exact), a, b, c, &p)
            }
            losses[range.lowerBound / Self.perPiece] = loss
            return p - UnsafeMutableRawPointer(out)
        }
        var sum = FloatLoss()
        for k in 0..<pieces { sum.formUnion(losses[k]) }
        return sum
    }

    /// Points that are single precision already.
    private func exactRecords(
        _ points: UnsafeBufferPointer<Point3f>, _ indices: UnsafeBufferPointer<Int32>, to file: OutputPieces
    ) throws(AssetError) {
        let (triangles, isFlipped) = (triangles, isFlipped)
        try file.items(triangles.count, perPiece: Self.perPiece, room: { $0.count * STLBinary.recordSize }) { range, out in
            var p = UnsafeMutableRawPointer(out)
            for k in range {
                let corners = triangles.corners(k)
                let a = points[Int(indices[corners.0])]
                var b = points[Int(indices[corners.1])]
                var c = points[Int(indices[corners.2])]
                if isFlipped { swap(&b, &c) }
                put(normal(a, b, c) ?? Vector3f(0, 0, 1), a, b, c, &p)
            }
            return p - UnsafeMutableRawPointer(out)
        }
    }

    @inline(__always)
    private func put(_ n: Vector3f, _ a: Point3f, _ b: Point3f, _ c: Point3f, _ p: inout UnsafeMutableRawPointer) {
        put(n, p)
        put(a, p + 12)
        put(b, p + 24)
        put(c, p + 36)
        p.storeBytes(of: 0, toByteOffset: 48, as: UInt16.self)
        p += STLBinary.recordSize
    }

    @inline(__always)
    private func put(_ v: Vector3f, _ p: UnsafeMutableRawPointer) {
        p.storeBytes(of: v.x.bitPattern.littleEndian, as: UInt32.self)
        p.storeBytes(of: v.y.bitPattern.littleEndian, toByteOffset: 4, as: UInt32.self)
        p.storeBytes(of: v.z.bitPattern.littleEndian, toByteOffset: 8, as: UInt32.self)
    }

    // MARK: Text

    /// `facet` to `endfacet`, a number as short as reads back as the same.
    /// - Parameter asDouble: whether coordinates keep double precision: text can.
    func text(asDouble: Bool, to file: OutputPieces) throws(AssetError) {
        try file.items(triangles.count, perPiece: Self.perPiece, room: { $0.count * (80 + 12 * TextRow.number) }) { range, out in
            var p = out
            for k in range {
                let exact = corners(k)
                let (a, b, c) = (single(exact.0), single(exact.1), single(exact.2))
                let n = asDouble ? normal(exact) : normal(a, b, c) ?? normal(exact)
                TextRow.put("facet normal", &p)
                TextRow.put(n.x + 0, &p)
                TextRow.put(n.y + 0, &p)
                TextRow.put(n.z + 0, &p)
                TextRow.put("\n outer loop\n", &p)
                if asDouble {
                    vertex(exact.0, &p)
                    vertex(exact.1, &p)
                    vertex(exact.2, &p)
                } else {
                    vertex(a, &p)
                    vertex(b, &p)
                    vertex(c, &p)
                }
                TextRow.put(" endloop\nendfacet\n", &p)
            }
            return p - out
        }
    }

    @inline(__always)
    private func vertex(_ v: Point3f, _ p: inout UnsafeMutablePointer<UInt8>) {
        TextRow.put("  vertex", &p)
        TextRow.put(v.x, &p)
        TextRow.put(v.y, &p)
        TextRow.put(v.z, &p)
        TextRow.end(&p)
    }

    @inline(__always)
    private func vertex(_ v: Point3d, _ p: inout UnsafeMutablePointer<UInt8>) {
        TextRow.put("  vertex", &p)
        TextRow.put(v.x, &p)
        TextRow.put(v.y, &p)
        TextRow.put(v.z, &p)
        TextRow.end(&p)
    }

    // MARK: Corners and normals

    /// The corners of a triangle at their place in the output, counter-clockwise from outside.
    @inline(__always)
    private func corners(_ k: Int) -> (Point3d, Point3d, Point3d) {
        let corners = triangles.corners(k)
        let a = place(corners.0)
        let (b, c) = (place(corners.1), place(corners.2))
        return isFlipped ? (a, c, b) : (a, b, c)
    }

    @inline(__always)
    private func place(_ corner: Int) -> Point3d {
        let point = polygons.points[Int(polygons.faceVertexIndices[corner])]
        return transform?.transform(point: point) ?? point
    }

    @inline(__always)
    private func single(_ p: Point3d) -> Point3f { Point3f(Float(p.x), Float(p.y), Float(p.z)) }

    @inline(__always)
    private func note(_ exact: Point3d, _ held: Point3f, _ loss: inout FloatLoss) {
        let x = (exact.x - Double(held.x)).magnitude
        let y = (exact.y - Double(held.y)).magnitude
        let z = (exact.z - Double(held.z)).magnitude
        loss.moved = max(loss.moved, max(x, max(y, z)))
    }

    /// The unit normal of a triangle; nil where it has none in single precision.
    @inline(__always)
    private func normal(_ a: Point3f, _ b: Point3f, _ c: Point3f) -> Vector3f? {
        let o = Vector3d(a)
        let n = (Vector3d(b) - o).cross(Vector3d(c) - o)
        let square = n.dot(n)
        // Beyond these bounds squares lose their digits.
        guard square > 1e-280, square < 1e280 else { return scaledNormal(Vector3d(b) - o, Vector3d(c) - o) }
        let f = 1 / square.squareRoot()
        return Vector3f(Float(n.x * f), Float(n.y * f), Float(n.z * f))
    }

    private func normal(_ p: (Point3d, Point3d, Point3d)) -> Vector3f { scaledNormal(p.1 - p.0, p.2 - p.0) ?? Vector3f(0, 0, 1) }

    /// The unit normal of edges of any length.
    @inline(never)
    private func scaledNormal(_ u: Vector3d, _ v: Vector3d) -> Vector3f? {
        func unit(_ v: Vector3d) -> Vector3d? {
            let largest = max(v.x.magnitude, max(v.y.magnitude, v.z.magnitude))
            guard largest > 0, largest.isFinite else { return nil }
            let scaled = Vector3d(v.x / largest, v.y / largest, v.z / largest)
            return scaled * (1 / scaled.length)
        }
        guard let a = unit(u), let b = unit(v), let n = unit(a.cross(b)) else { return nil }
        return Vector3f(Float(n.x), Float(n.y), Float(n.z))
    }
}

extension Array {
    /// The elements in place, for bodies that throw the one type of error.
    fileprivate func withFloats(_ body: (UnsafeBufferPointer<Element>) throws(AssetError) -> Void) throws(AssetError) {
        var failure: AssetError?
        withUnsafeBufferPointer { elements in
            do throws(AssetError) { try body(elements) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
