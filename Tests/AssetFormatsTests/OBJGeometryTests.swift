@testable import AssetFormats
import AssetIO
import AssetModel
import AssetOps
import TestSupport
import Testing

@Suite struct OBJGeometryTests {
    private let triangle = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0)])

    @Test func exactText() throws {
        var mesh = triangle
        mesh.normals = Primvar(
            name: "normals", role: .normal, interpolation: .constant, values: .float3(DeferredArray([Vector3f(0, 0, 2)])))
        mesh.primvars = [
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: .faceVarying,
                values: .float2(DeferredArray([Vector2f(0, 0.25), Vector2f(1, 0.25), Vector2f(0, 1)])))
        ]
        var builder = SceneBuilder()
        let red = builder.material("Red", color: Vector3f(1, 0, 0.5))
        builder.node("Root") { builder in
            builder.mesh("part", mesh, transform: .translation(Vector3d(10, 0, 0)), material: red)
            builder.mesh("bare", triangle)
        }
        let written = try writeOBJ(builder.scene)
        try TextDiff.check(
            written.text("out.obj"),
            equals: """
                # Facet
                # Y up, 1 metres a unit
                mtllib out.mtl
                g Root
                o part
                v 10 0 0
                v 11 0 0
                v 10 1 0
                vt 0 0.25
                vt 1 0.25
                vt 0 1
                vn 0 0 1
                usemtl Red
                f 1/1/1 2/2/1 3/3/1
                o bare
                v 0 0 0
                v 1 0 0
                v 0 1 0
                usemtl no_material
                f 4 5 6

                """)
        try TextDiff.check(
            written.text("out.mtl"),
            equals: """
                # Facet

                newmtl Red
                Kd 1 0 0.5
                Ks 0.04 0.04 0.04
                Ni 1.5
                d 1
                illum 2
                Pr 0.5
                Pm 0

                newmtl no_material
                Kd 1 1 1
                d 1
                illum 1

                """)
        #expect(written.diagnostics.isEmpty)
    }

    @Test func mirroredAndLeftHandedMeshesTurnCounterClockwise() throws {
        for (transform, orientation) in [
            (Matrix4d.scale(Vector3d(-1, 1, 1)), Orientation.rightHanded), (.identity, .leftHanded),
            (Matrix4d.scale(Vector3d(1, -2, 1)), .leftHanded), (.scale(Vector3d(2, 3, 0.5)), .rightHanded),
        ] {
            var mesh = SampleMesh.cube()
            mesh.orientation = orientation
            if orientation == .leftHanded {
                // The same cube with its corners in the other order.
                let corners = try mesh.faceVertexIndices.load()
                mesh.faceVertexIndices = DeferredArray(stride(from: 0, to: 24, by: 4).flatMap { corners[$0..<($0 + 4)].reversed() })
            }
            var builder = SceneBuilder()
            builder.mesh("cube", mesh, transform: transform)
            let read = try writeOBJ(builder.scene).read()
            let volume = signedVolume(read)
            #expect(abs(volume - 8 * abs(transform.determinant3)) < 1e-6, "\(transform.elements) \(orientation)")
        }
    }

    @Test func reversingKeepsTheFirstCornerAndEachCornersData() throws {
        var mesh = triangle
        mesh.primvars = [
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: .faceVarying,
                values: .float2(DeferredArray([Vector2f(0, 0), Vector2f(0.5, 0), Vector2f(1, 1)])))
        ]
        mesh.orientation = .leftHanded
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let read = try writeOBJ(builder.scene).read()
        #expect(read.faces.map { $0.corners.map(\.v) } == [[0, 2, 1]])
        #expect(read.faces[0].corners.map { read.coordinates[$0.vt ?? 0] } == [[0, 0], [1, 1], [0.5, 0]])
    }

    @Test func normalsFollowTheTransformAndHaveUnitLength() throws {
        var mesh = SampleMesh.polygon([Point3f(1, 0, 0), Point3f(0, 1, 0), Point3f(0, 0, 1)])
        let n = Float(1) / Float(3).squareRoot()
        mesh.normals = Primvar(
            name: "normals", role: .normal, interpolation: .vertex,
            values: .float3(DeferredArray([Vector3f(n, n, n), Vector3f(5, 5, 5), Vector3f(1e-30, 1e-30, 1e-30)])))
        for transform in [Matrix4d.scale(Vector3d(1, 2, 4)), .scale(Vector3d(-1, 1, 1)), .identity] {
            var builder = SceneBuilder()
            builder.mesh("m", mesh, transform: transform)
            let read = try writeOBJ(builder.scene).read()
            let expected = faceNormal(read, read.faces[0])
            for normal in read.normals {
                let length = Vector3d(normal[0], normal[1], normal[2]).length
                #expect(abs(length - 1) < 1e-6)
                #expect((Vector3d(normal[0], normal[1], normal[2]) - expected).length < 1e-6)
            }
        }
    }

    @Test func zeroNormalsAreMadeFromTheFaces() throws {
        var mesh = triangle
        mesh.normals = Primvar(
            name: "normals", role: .normal, interpolation: .vertex,
            values: .float3(DeferredArray([Vector3f(0, 0, 0), Vector3f(.nan, 0, 0), Vector3f(1, 0, 0)])))
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let written = try writeOBJ(builder.scene)
        #expect(try written.read().normals == [[0, 0, 1], [0, 0, 1], [1, 0, 0]])
        #expect(written.codes == ["mesh.normals-recomputed"])
    }

    @Test func badFacesAreLeftOutOneByOne() throws {
        let mesh = Mesh(
            points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0), Point3f(.nan, 0, 0), Point3f(1, 1, 0)]),
            faceVertexCounts: DeferredArray([3, 2, 3, 3, 4, 3]),
            faceVertexIndices: DeferredArray([0, 1, 2, 0, 1, 0, 1, 9, 0, 1, -1, 0, 1, 3, 2, 1, 4, 2]))
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let written = try writeOBJ(builder.scene)
        let read = try written.read()
        #expect(read.faces.map { read.positions($0) } == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0], [0, 1, 0]]])
        #expect(read.vertices.count == 4)
        #expect(written.codes == ["mesh.face-too-small", "mesh.index-out-of-range", "mesh.position-not-finite"])
        #expect(written.diagnostics.map(\.count) == [1, 2, 1])
        #expect(written.diagnostics.allSatisfy { $0.location.primPath == "/m" && $0.severity == .warning })
    }

    @Test func meshWhoseCountsAndIndicesDisagreeIsLeftOut() throws {
        var builder = SceneBuilder()
        builder.mesh(
            "bad",
            Mesh(
                points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0)]), faceVertexCounts: DeferredArray([4]),
                faceVertexIndices: DeferredArray([0, 1, 2])))
        builder.mesh("good", triangle)
        let written = try writeOBJ(builder.scene)
        #expect(try written.read().objects == ["good"])
        #expect(written.codes == ["mesh.topology-mismatch"])
    }

    @Test func holesAreNotDrawn() throws {
        var mesh = SampleMesh.cube()
        mesh.holeIndices = [1, 3]
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let written = try writeOBJ(builder.scene)
        #expect(try written.read().faces.count == 4)
        #expect(written.diagnostics.isEmpty)
    }

    @Test func primvarOfTheWrongLengthGoesAndTheMeshStays() throws {
        var mesh = triangle
        mesh.primvars = [
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: .faceVarying,
                values: .float2(DeferredArray([Vector2f(0, 0), Vector2f(1, 0)])))
        ]
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let written = try writeOBJ(builder.scene)
        #expect(try written.read().faces.map(\.corners.count) == [3])
        #expect(try written.read().coordinates.isEmpty)
        #expect(written.codes == ["mesh.primvar-mismatch"])
    }

    @Test func indexedPrimvarsShareTheirValues() throws {
        var mesh = SampleMesh.cube()
        mesh.primvars = [
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: .faceVarying,
                values: .float2(DeferredArray([Vector2f(0, 0), Vector2f(1, 0), Vector2f(1, 1), Vector2f(0, 1)])),
                indices: DeferredArray((0..<24).map { Int32($0 % 4) }))
        ]
        mesh.normals = Primvar(
            name: "normals", role: .normal, interpolation: .uniform,
            values: .float3(DeferredArray([Vector3f(0, 0, 1), Vector3f(0, 0, -1)])), indices: DeferredArray([1, 0, 0, 0, 0, 0]))
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let read = try writeOBJ(builder.scene).read()
        #expect(read.coordinates.count == 4)
        #expect(read.normals.count == 2)
        #expect(read.faces[5].corners.map(\.vt) == [0, 1, 2, 3])
        #expect(read.faces[0].corners.map(\.vn) == [1, 1, 1, 1])
    }

    @Test func constantColourOfABareMeshColoursEveryVertex() throws {
        var mesh = triangle
        mesh.primvars = [
            Primvar(
                name: "displayColor", role: .color, interpolation: .constant, values: .float3(DeferredArray([Vector3f(1, 0.5, 0)])))
        ]
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        #expect(try writeOBJ(builder.scene).read().vertices == [[0, 0, 0, 1, 0.5, 0], [1, 0, 0, 1, 0.5, 0], [0, 1, 0, 1, 0.5, 0]])
    }

    @Test func faceColoursSplitVerticesOnlyWhereTheyDiffer() throws {
        // Two triangles that share an edge.
        var mesh = Mesh(
            points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(0, 1, 0)]),
            faceVertexCounts: DeferredArray([3, 3]), faceVertexIndices: DeferredArray([0, 1, 2, 0, 2, 3]))
        func colors(_ interpolation: Interpolation, _ values: [Vector3f]) -> Primvar {
            Primvar(name: "displayColor", role: .color, interpolation: interpolation, values: .float3(DeferredArray(values)))
        }
        let (red, blue) = (Vector3f(1, 0, 0), Vector3f(0, 0, 1))
        mesh.primvars = [colors(.uniform, [red, blue])]
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let read = try writeOBJ(builder.scene).read()
        #expect(read.vertices.count == 6)
        #expect(read.faces[0].corners.allSatisfy { read.vertices[$0.v][3...] == [1, 0, 0] })
        #expect(read.faces[1].corners.allSatisfy { read.vertices[$0.v][3...] == [0, 0, 1] })

        mesh.primvars = [colors(.uniform, [red, red])]
        var same = SceneBuilder()
        same.mesh("m", mesh)
        #expect(try writeOBJ(same.scene).read().vertices.count == 4)

        mesh.primvars = [colors(.faceVarying, [red, blue, red, red, red, blue])]
        var corners = SceneBuilder()
        corners.mesh("m", mesh)
        let split = try writeOBJ(corners.scene).read()
        #expect(split.faces[1].corners.map { split.vertices[$0.v][3] } == [1, 1, 0])
        #expect(split.vertices.count == 4)
    }

    @Test func triangulationOnRequest() throws {
        var builder = SceneBuilder()
        builder.mesh("m", SampleMesh.cube())
        builder.mesh("flat", SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(2, 0, 0), Point3f(3, 0, 0)]))
        let written = try writeOBJ(builder.scene) { $0.triangulate = true }
        let read = try written.read()
        #expect(read.faces.count == 12)
        #expect(abs(signedVolume(read) - 8) < 1e-9)
        #expect(written.codes == ["mesh.face-degenerate"])
    }

    @Test func unitsAndUpAxisOfTheOutput() throws {
        var builder = SceneBuilder(upAxis: "Z", metersPerUnit: 0.01)
        builder.mesh("m", SampleMesh.polygon([Point3f(0, 0, 50), Point3f(100, 200, 50), Point3f(0, 0, 350)]))
        let read = try writeOBJ(builder.scene) {
            $0.upAxis = "Y"
            $0.metersPerUnit = 1
        }.read()
        #expect(read.vertices == [[0, 0.5, 0], [1, 0.5, -2], [0, 3.5, 0]])
        #expect(try writeOBJ(builder.scene).read().vertices[1] == [100, 200, 50])
    }

    @Test func farAwayMeshesKeepTheirShape() throws {
        var builder = SceneBuilder()
        builder.mesh("m", triangle, transform: .translation(Vector3d(4_000_000.125, 0, 0)))
        #expect(try writeOBJ(builder.scene).read().vertices == [[4_000_000.125, 0, 0], [4_000_001.125, 0, 0], [4_000_000.125, 1, 0]])
    }

    @Test func doublesStayDoubles() throws {
        var mesh = triangle
        mesh.points = .double(DeferredArray([Point3d(0.1, 0, 0), Point3d(1.000000001, 0, 0), Point3d(0, 1, 0)]))
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        #expect(try writeOBJ(builder.scene).read().vertices[1] == [1.000000001, 0, 0])
    }

    @Test func manyLinesComeOutInOrder() throws {
        // More lines than one piece: the pieces are formatted side by side.
        let mesh = SampleMesh.grid(columns: 150, rows: 120)
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        let read = try writeOBJ(builder.scene).read()
        guard case .float(let points) = mesh.points else { return }
        #expect(read.vertices.map { Point3f(Float($0[0]), Float($0[1]), Float($0[2])) } == (try points.load()))
        #expect(try read.faces.flatMap { $0.corners.map { Int32($0.v) } } == mesh.faceVertexIndices.load())
        #expect(read.faces.allSatisfy { $0.corners.allSatisfy { $0.v == $0.vt } })
    }

    @Test func digitsOfAnyNumber() {
        var random = SplitMix64(seed: 9)
        var numbers = [1, 9, 10, 99_999_999, 100_000_000, 100_000_001, 123_456_789, 1_000_000_000_000_000, 9_999_999_999_999_999]
        for _ in 0..<2000 { numbers.append(Int(random.next() >> UInt64(random.int(in: 12...60))) % 10_000_000_000_000_000 + 1) }
        for number in numbers {
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = bytes.withUnsafeMutableBytes { raw -> Int in
                guard let base = raw.baseAddress else { return 0 }
                var p = base
                Digits(number).store(after: UInt8(ascii: "/"), &p)
                return p - base
            }
            #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "/\(number)")
        }
    }

    // MARK: Measures

    private func signedVolume(_ read: ReadOBJ) -> Double {
        var sum = 0.0
        for face in read.faces {
            let p = read.positions(face).map { Vector3d($0[0], $0[1], $0[2]) }
            for i in 1..<(p.count - 1) { sum += p[0].dot(p[i].cross(p[i + 1])) / 6 }
        }
        return sum
    }

    private func faceNormal(_ read: ReadOBJ, _ face: ReadOBJ.Face) -> Vector3d {
        let n = newellNormal(read.positions(face).map { Vector3d($0[0], $0[1], $0[2]) })
        return n * (1 / n.length)
    }
}
