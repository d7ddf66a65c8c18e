import AssetModel
import AssetOps
import TestSupport
import Testing

@Suite struct VertexWeldTests {
    /// What a vertex is told apart by, corner by corner, in a set: the count that no weld can go below.
    @Test(arguments: 0..<20) func thereAreAsManyVerticesAsDifferentCorners(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        func number() -> Float { [0, -0.0, 1, 2][random.int(in: 0...3)] }
        let pointCount = random.int(in: 3...12)
        let points = (0..<pointCount).map { _ in Point3f(number(), number(), number()) }
        let counts = (0..<random.int(in: 1...30)).map { _ in Int32(random.int(in: 3...5)) }
        let corners = counts.reduce(0) { $0 + Int($1) }
        let indices = (0..<corners).map { _ in Int32(random.int(in: 0...(pointCount - 1))) }
        var mesh = Mesh(points: PointArray(points), faceVertexCounts: .loaded(counts), faceVertexIndices: .loaded(indices))
        mesh.primvars = [
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: .faceVarying,
                values: .float2(.loaded((0..<corners).map { _ in Vector2f(number(), 0) }))),
            Primvar(name: "w", interpolation: .vertex, values: .float(.loaded((0..<pointCount).map { _ in number() }))),
            Primvar(name: "u", interpolation: .uniform, values: .float(.loaded(counts.map { _ in number() }))),
        ]
        let arrays = try MeshArrays(mesh, at: SourceLocation(file: "test"))
        let st = try #require(try arrays.coordinates("st", inherited: []))
        func floats(_ i: Int) throws -> MeshAttribute<Float> {
            guard case .float(let values) = mesh.primvars[i].values else { throw TestFailure("no floats") }
            return try #require(try arrays.attribute(values, mesh.primvars[i]))
        }
        let (w, u) = (try floats(1), try floats(2))
        let weld = VertexWeld(
            arrays.polygons, positions: WeldColumn(ofPoints: points), columns: [WeldColumn(st), WeldColumn(w), WeldColumn(u)])
        var different = Set<[Float]>()
        for face in 0..<arrays.polygons.faceCount {
            for corner in arrays.polygons.corners(face) {
                let point = Int(indices[corner])
                let p = points[point]
                let own = [p.x + 0, p.y + 0, p.z + 0, st.values[corner].x + 0, w.values[point] + 0, u.values[face] + 0]
                different.insert(own)
                let vertex = Int(weld.ofCorner[corner])
                let q = points[Int(weld.points[vertex])]
                let found = [
                    q.x + 0, q.y + 0, q.z + 0, st.values[Int(weld.corners[vertex])].x + 0, w.values[Int(weld.points[vertex])] + 0,
                    u.values[Int(weld.faces[vertex])] + 0,
                ]
                #expect(found == own)
            }
        }
        #expect(weld.count == different.count)
    }

    /// Very many different corners at one point take no long time.
    @Test func aFanOfDifferentCorners() throws {
        let n = 60_000
        let points = [Point3f(0, 0, 0)] + (0..<n).map { Point3f(Float($0), 1, 0) } + [Point3f(-1, 1, 0)]
        let indices = (0..<n).flatMap { [Int32(0), Int32($0 + 1), Int32($0 + 2)] }
        let mesh = Mesh(
            points: PointArray(points), faceVertexCounts: .loaded([Int32](repeating: 3, count: n)), faceVertexIndices: .loaded(indices))
        let arrays = try MeshArrays(mesh, at: SourceLocation(file: "test"))
        let st = MeshAttribute<Vector2f>(domain: .corner, values: (0..<(3 * n)).map { Vector2f(Float($0), 0) })
        #expect(VertexWeld(arrays.polygons, positions: WeldColumn(ofPoints: points), columns: [WeldColumn(st)]).count == 3 * n)
    }
}

@Suite struct TransformPartsTests {
    private func matrix(_ random: inout SplitMix64) -> Matrix4d {
        func number() -> Double { Double(random.int(in: -1000...1000)) / 250 }
        return Matrix4d(
            SIMD4(number(), number(), number(), 0), SIMD4(number(), number(), number(), 0), SIMD4(number(), number(), number(), 0),
            SIMD4(number(), number(), number(), 1))
    }

    private func expectEqual(_ a: Matrix4d, _ b: Matrix4d, _ tolerance: Double) {
        for (x, y) in zip(a.elements, b.elements) { #expect((x - y).magnitude < tolerance) }
    }

    @Test func anyMatrixIsAScaleBetweenTwoRotations() throws {
        var random = SplitMix64(seed: 11)
        for k in 0..<200 {
            var m = matrix(&random)
            // Flattened and mirrored ones among them.
            if k % 5 == 0 { m.rows.1 = SIMD4(0, 0, 0, 0) }
            if k % 7 == 0 { m.rows.2 = m.rows.0 }
            let (inner, outer) = try #require(TransformParts.pair(m))
            expectEqual(inner.matrix * outer.matrix, m, 1e-4)
        }
    }

    @Test func partsMakeTheMatrixAgain() throws {
        var random = SplitMix64(seed: 12)
        for _ in 0..<200 {
            let (inner, _) = try #require(TransformParts.pair(matrix(&random)))
            var m = inner.matrix
            (m.rows.0, m.rows.1, m.rows.2) = (m.rows.0 * 2, m.rows.1 * -3, m.rows.2 * 0.5)
            m.rows.3 = SIMD4(4, 5, 6, 1)
            let parts = try #require(TransformParts(m))
            expectEqual(parts.matrix, m, 1e-9)
            #expect(
                (parts.rotation.x * parts.rotation.x + parts.rotation.y * parts.rotation.y + parts.rotation.z * parts.rotation.z
                    + parts.rotation.w * parts.rotation.w - 1).magnitude < 1e-9)
        }
        #expect(TransformParts(Matrix4d([1, 0, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1])) == nil)
        #expect(TransformParts(Matrix4d([.nan, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1])) == nil)
        #expect(TransformParts(.scale(Vector3d(0, 0, 0)))?.scale == Vector3d(0, 0, 0))
    }
}
