import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct STLWriterTests {
    private let triangle = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0)])

    private func write(_ scene: Scene, _ change: (inout WriteOptions) -> Void = { _ in }) throws -> Written {
        try Written(STLFormat(), scene, change)
    }

    private func scene(_ meshes: Mesh...) -> Scene {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        for (i, mesh) in meshes.enumerated() { builder.mesh("part \(i)", mesh) }
        return builder.scene
    }

    /// Normals and points of the records of a binary file.
    private func records(_ bytes: [UInt8]) throws -> [(normal: [Float], points: [[Float]], word: UInt16)] {
        guard bytes.count >= 84, (bytes.count - 84) % 50 == 0 else { throw TestFailure("\(bytes.count) bytes") }
        return bytes.withUnsafeBytes { raw in
            #expect(Int(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 80, as: UInt32.self))) == (bytes.count - 84) / 50)
            return (0..<((bytes.count - 84) / 50)).map { i in
                let numbers = (0..<12).map { k in
                    Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 84 + 50 * i + 4 * k, as: UInt32.self)))
                }
                let word = UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: 84 + 50 * i + 48, as: UInt16.self))
                return (Array(numbers[0..<3]), [Array(numbers[3..<6]), Array(numbers[6..<9]), Array(numbers[9..<12])], word)
            }
        }
    }

    @Test func oneTriangleByteByByte() throws {
        let written = try write(scene(triangle))
        var expected = Array("Facet binary STL".utf8) + [UInt8](repeating: 0, count: 64) + [1, 0, 0, 0]
        for x in [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0] as [Float] {
            for k in 0..<4 { expected.append(UInt8(truncatingIfNeeded: x.bitPattern >> UInt32(8 * k))) }
        }
        #expect(written.bytes == expected + [0, 0])
        #expect(written.codes == ["stl.lost.name"])
    }

    @Test func oneTriangleAsText() throws {
        let text = """
            solid part 0
            facet normal 0 0 1
             outer loop
              vertex 0 0 0
              vertex 1 0 0
              vertex 0 1 0
             endloop
            endfacet
            endsolid part 0

            """
        #expect(try write(scene(triangle)) { $0.encoding = .ascii }.text == text)
    }

    @Test func aCubeOfSquaresIsTwelveTriangles() throws {
        let written = try write(scene(SampleMesh.cube()))
        let records = try records(written.bytes)
        #expect(written.bytes.count == 684 && records.count == 12)
        var volume = 0.0
        for r in records {
            let p = r.points.map { Vector3d(Double($0[0]), Double($0[1]), Double($0[2])) }
            volume += p[0].dot(p[1].cross(p[2])) / 6
            #expect(r.normal.map(\.magnitude).sorted() == [0, 0, 1] && r.word == 0)
        }
        #expect((volume - 8).magnitude < 1e-9)
    }

    @Test func theHeaderTellsUnitsAndNeverBeginsWithSolid() throws {
        var builder = SceneBuilder(upAxis: "Z", metersPerUnit: 0.01)
        builder.mesh("solid thing", triangle)
        let header = String(decoding: try write(builder.scene).bytes.prefix(80), as: UTF8.self)
        #expect(header.hasPrefix("Facet binary STL, Z up, 0.01 metres a unit\0"))
        #expect(!header.lowercased().hasPrefix("solid") && !header.contains("COLOR="))
    }

    @Test func namesStandInTextOnly() throws {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        builder.node("A") { $0.mesh("wheel", triangle) }
        builder.node("B") { $0.mesh("Wheel", triangle) }
        builder.mesh(" two words\n#1 ", triangle)
        let text = try write(builder.scene) { $0.encoding = .ascii }
        #expect(try text.read(STLFormat()).nodes.map(\.name) == ["A_wheel", "B_Wheel", "two words_#1"])
        #expect(text.codes == ["stl.lost.names", "stl.unique-names"])
        #expect(try write(builder.scene).codes == ["stl.lost.objects"])
    }

    @Test func windingFollowsOrientationAndMirrors() throws {
        var left = triangle
        left.orientation = .leftHanded
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        builder.mesh("left", left)
        builder.mesh("mirrored", triangle, transform: .scale(Vector3d(-1, 1, 1)))
        builder.mesh("both", left, transform: .scale(Vector3d(-1, 1, 1)))
        let records = try records(try write(builder.scene).bytes)
        #expect(records.map(\.normal) == [[0, 0, -1], [0, 0, 1], [0, 0, -1]])
        #expect(records.map { $0.points[0] } == [[0, 0, 0], [0, 0, 0], [0, 0, 0]])
        #expect(records[0].points[1] == [0, 1, 0])
    }

    @Test func whatHasNoAreaIsLeftOut() throws {
        let flat = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(2, 0, 0)])
        let written = try write(scene(flat, triangle))
        #expect(try records(written.bytes).count == 1)
        #expect(written.codes == ["mesh.face-degenerate", "stl.lost.name"])
        let error = #expect(throws: AssetError.self) { try write(scene(flat)) }
        #expect(error?.diagnostic.code == "stl.nothing-to-write")
    }

    @Test func verySmallAndVeryLargeTrianglesHaveUnitNormals() throws {
        for size in [1e-18, 1e-30, 1e-37, 1e18, 1e30] as [Float] {
            let mesh = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(size, 0, 0), Point3f(0, size, 0)])
            #expect(try records(try write(scene(mesh)).bytes).map(\.normal) == [[0, 0, 1]], "\(size)")
        }
    }

    @Test func linesAndPointsAreLost() throws {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        var curves: ID<Curves>?
        var cloud: ID<PointCloud>?
        builder.changeScene {
            curves = $0.curves.append(
                Curves(kind: .basis, points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0)]), curveVertexCounts: .loaded([2])))
            cloud = $0.points.append(PointCloud(points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0)])))
        }
        if let curves, let cloud {
            builder.node("line", content: .curves(curves))
            builder.node("dots", content: .points(cloud))
        }
        let error = #expect(throws: AssetError.self) { try write(builder.scene) }
        #expect(error?.diagnostic.code == "stl.nothing-to-write")
        for encoding in [WriteOptions.Encoding.binary, .ascii] {
            let empty = try write(builder.scene) {
                $0.allowEmpty = true
                $0.encoding = encoding
            }
            #expect(empty.codes == ["stl.nothing-to-write", "stl.lost.curves", "stl.lost.points"])
            #expect(try empty.read(STLFormat()).meshes.map(\.faceVertexCounts.count) == [0])
        }
        builder.mesh("m", triangle)
        let written = try write(builder.scene)
        #expect(written.codes == ["stl.lost.curves", "stl.lost.points", "stl.lost.name"])
        #expect(
            written.diagnostics.dropLast().map(\.message) == [
                "1 curve not written: STL has triangles only", "2 points not written: STL has triangles only",
            ])
    }

    @Test func whatSTLHasNoPlaceForIsTold() throws {
        var mesh = SampleMesh.grid(columns: 2, rows: 1)
        mesh.primvars.append(Primvar(name: "displayColor", role: .color, interpolation: .constant, values: .float3(.loaded([Vector3f(1, 0, 0)]))))
        mesh.primvars.append(Primvar(name: "heat", interpolation: .uniform, values: .float(.loaded([1, 2]))))
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        let red = builder.material("Red")
        builder.mesh("m", mesh, material: red)
        let written = try write(builder.scene)
        #expect(written.codes == ["stl.lost.colors", "stl.lost.texture-coordinates", "stl.lost.materials", "stl.lost.primvars", "stl.lost.name"])
        #expect(written.diagnostics[2].message == "1 material not written: STL has none: 'Red'")
        #expect(Set(written.files.keys) == ["out.stl"])
    }

    @Test func singlePrecisionThatMovesOrMergesIsAWarning() throws {
        var far = Mesh(faceVertexCounts: .loaded([3]), faceVertexIndices: .loaded([0, 1, 2]))
        far.points = .double(.loaded([Point3d(6_280_752.8, 0, 0), Point3d(6_280_752.81, 0, 0), Point3d(6_280_752.8, 5, 0)]))
        let binary = try write(scene(far))
        #expect(binary.codes == ["stl.lost.precision", "stl.lost.name"])
        #expect(binary.diagnostics.first?.message.hasSuffix("and makes corners of 1 triangle one") ?? false, "\(binary.diagnostics)")
        // Text keeps all digits.
        let text = try write(scene(far)) { $0.encoding = .ascii }
        #expect(text.codes == [])
        #expect(try text.read(STLFormat()).meshes[ID(0)].points.triples() == far.points.triples())
        // Doubles that single precision holds are none to warn of.
        far.points = .double(.loaded([Point3d(0, 0, 0), Point3d(1, 0, 0), Point3d(0, 1, 0)]))
        #expect(try write(scene(far)).codes == ["stl.lost.name"])
    }

    @Test func unitsAxesAndPartsAreThoseAskedFor() throws {
        var builder = SceneBuilder(upAxis: "Y", metersPerUnit: 1)
        builder.mesh("a", triangle)
        builder.node("B", transform: .translation(Vector3d(0, 2, 0))) { $0.mesh("b", triangle) }
        let written = try write(builder.scene) {
            $0.metersPerUnit = 0.001
            $0.upAxis = "Z"
            $0.nodePath = "/B"
        }
        let records = try records(written.bytes)
        #expect(records.map(\.points) == [[[0, 0, 2000], [1000, 0, 2000], [0, 0, 3000]]])
        #expect(records.map(\.normal) == [[0, -1, 0]])
    }

    /// On generated triangles: all points come back, bit by bit, in both encodings, and the normals are those of the winding.
    @Test func whatIsWrittenIsReadAgain() throws {
        var random = SplitMix64(seed: 31)
        for round in 0..<60 {
            var mesh = randomMesh(&random, triangles: true)
            mesh.primvars = []
            let corners = try mesh.corners().filter(hasArea)
            for encoding in [WriteOptions.Encoding.binary, .ascii] where !corners.isEmpty {
                let written = try write(scene(mesh)) { $0.encoding = encoding }
                #expect(try written.read(STLFormat()).meshes[ID(0)].corners() == corners, "round \(round)")
                #expect(try write(scene(mesh)) { $0.encoding = encoding }.bytes == written.bytes)
                var context = ReadContext(resolver: InMemoryResolver())
                context.options.checksStoredNormals = true
                _ = try STLFormat().open(FileBytes(name: "a.stl", bytes: written.bytes), &context).scene(&context)
                #expect(context.diagnostics.isEmpty)
            }
        }
    }

    private func hasArea(_ c: [[Double]]) -> Bool {
        let points = c.map { Vector3d($0[0], $0[1], $0[2]) }
        return (points[1] - points[0]).cross(points[2] - points[0]).length > 0
    }

    // MARK: Stored normals

    private func normalsFound(_ bytes: [UInt8], asked: Bool = true) throws -> [Diagnostic] {
        var context = ReadContext(resolver: InMemoryResolver())
        context.options.checksStoredNormals = asked
        _ = try STLFormat().open(FileBytes(name: "a.stl", bytes: bytes), &context).scene(&context)
        return context.diagnostics.entries
    }

    @Test func storedNormalsAreHeldAgainstTheWinding() throws {
        let normals = ["0 0 1", "0 0 0", "0 0 5", "nan 0 1", "0 0 -1", "0.577 0.577 0.577", "0.01 0 0.9999", "1e0 0 0", "what is this"]
        var text = "solid\n"
        for n in normals { text += "facet normal \(n)\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n" }
        text += "endsolid\n"
        let found = try normalsFound(Array(text.utf8))
        #expect(found.map(\.code) == ["stl.normals-disagree"])
        #expect(found.first?.message == "6 of 9 stored normals are not those of the winding of their triangles, which are taken")
        #expect(found.first?.location.position == .line(9, column: 1))
        #expect(try normalsFound(Array(text.utf8), asked: false).isEmpty)
        // Where normals and triangles cannot be told to belong together, nothing is said.
        #expect(
            try normalsFound(Array("solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid".utf8)).isEmpty)

        var binary = try write(scene(triangle, triangle, triangle)).bytes
        #expect(try normalsFound(binary).isEmpty)
        binary[84 + 50 + 11] ^= 0x80
        let one = try normalsFound(binary)
        #expect(one.map(\.code) == ["stl.normals-disagree"] && one.first?.location.position == .byteOffset(134))
        // A triangle without area has no normal to hold another against.
        let flat = "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0\nendloop\nendfacet\nendsolid"
        #expect(try normalsFound(Array(flat.utf8)).isEmpty)
    }
}
