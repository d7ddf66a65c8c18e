import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct PLYWriterTests {
    private let triangle = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0)])
    private let encodings = WriteOptions.Encoding.allCases

    private func write(_ scene: Scene, files: [String: [UInt8]] = [:], _ change: (inout WriteOptions) -> Void = { _ in }) throws -> Written {
        try Written(PLYFormat(), scene, files: files, change)
    }

    private func text(_ scene: Scene, files: [String: [UInt8]] = [:], _ change: (inout WriteOptions) -> Void = { _ in }) throws -> Written {
        try write(scene, files: files) {
            $0.encoding = .ascii
            change(&$0)
        }
    }

    private func scene(_ meshes: Mesh...) -> Scene {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        for mesh in meshes { builder.mesh("", mesh) }
        return builder.scene
    }

    /// The lines of the header behind the comments, and the rows.
    private func parts(_ text: String) -> (header: [String], rows: [String]) {
        let lines = text.split(separator: "\n").map(String.init)
        let end = lines.firstIndex(of: "end_header") ?? 0
        return (lines[0..<end].filter { !["ply", "format ascii 1.0", "comment Facet"].contains($0) }, Array(lines[min(end + 1, lines.count)...]))
    }

    // MARK: Small files

    @Test func aTriangleAndASquareAsText() throws {
        let mesh = Mesh(
            points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(0, 1.5, 0)]),
            faceVertexCounts: .loaded([3, 4]), faceVertexIndices: .loaded([0, 1, 2, 0, 1, 2, 3]))
        let expected = """
            ply
            format ascii 1.0
            comment Facet
            element vertex 4
            property float x
            property float y
            property float z
            element face 2
            property list uchar int vertex_indices
            end_header
            0 0 0
            1 0 0
            1 1 0
            0 1.5 0
            3 0 1 2
            4 0 1 2 3

            """
        let written = try text(scene(mesh))
        #expect(written.text == expected && written.codes == [])
    }

    /// The bytes after the header, in both orders.
    @Test(arguments: [false, true]) func coloursAndFacesByteByByte(big: Bool) throws {
        var mesh = triangle
        mesh.primvars.append(
            Primvar(
                name: "displayColor", role: .color, interpolation: .vertex,
                values: .float3(.loaded([Vector3f(1, 0, 0), Vector3f(0, 0.5, 0), Vector3f(0.2, 7, .nan)]))))
        let written = try write(scene(mesh)) { $0.encoding = big ? .bigEndian : .binary }
        func bytes(_ word: UInt32) -> [UInt8] { withUnsafeBytes(of: big ? word.bigEndian : word.littleEndian) { Array($0) } }
        func row(_ p: [Float], _ color: [UInt8]) -> [UInt8] { p.flatMap { bytes($0.bitPattern) } + color }
        let expected =
            row([0, 0, 0], [255, 0, 0]) + row([1, 0, 0], [0, 128, 0]) + row([0, 1, 0], [51, 255, 0]) + [3] + [0, 1, 2].flatMap(bytes)
        #expect(Array(written.bytes.suffix(expected.count)) == expected)
        let header = String(decoding: written.bytes.dropLast(expected.count), as: UTF8.self)
        #expect(header.hasPrefix("ply\nformat binary_\(big ? "big" : "little")_endian 1.0\n") && header.hasSuffix("vertex_indices\nend_header\n"))
        #expect(header.contains("property uchar red\nproperty uchar green\nproperty uchar blue\n"))
        #expect(written.codes == ["ply.lost.color-range"])
    }

    @Test func pointsAreSplitWhereCornersDiffer() throws {
        var mesh = Mesh(
            points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(0, 1, 0), Point3f(9, 9, 9)]),
            faceVertexCounts: .loaded([3, 3]), faceVertexIndices: .loaded([0, 1, 2, 0, 2, 3]))
        let st = [Vector2f(0, 0), Vector2f(0.5, 0), Vector2f(0.5, 1), Vector2f(-0.0, 0), Vector2f(1, 1), Vector2f(0.6, 1)]
        mesh.primvars = [Primvar(name: "st", role: .textureCoordinate, interpolation: .faceVarying, values: .float2(.loaded(st)))]
        let (header, rows) = parts(try text(scene(mesh)).text)
        #expect(header[4...5] == ["property float s", "property float t"])
        // Points keep their numbers, those of no face too; the second vertex of a point comes behind.
        #expect(rows == ["0 0 0 0 0", "1 0 0 0.5 0", "1 1 0 0.5 1", "0 1 0 0.6 1", "9 9 9 0 0", "1 1 0 1 1", "3 0 1 2", "3 0 5 3"])
    }

    @Test func coloursOfFacesSplitPoints() throws {
        var mesh = Mesh(
            points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(0, 1, 0)]),
            faceVertexCounts: .loaded([3, 3]), faceVertexIndices: .loaded([0, 1, 2, 0, 2, 3]))
        mesh.primvars = [
            Primvar(
                name: "displayColor", role: .color, interpolation: .uniform, values: .float3(.loaded([Vector3f(1, 0, 0), Vector3f(0, 0, 1)])))
        ]
        #expect(try parts(text(scene(mesh)).text).rows.count == 8)
        mesh.primvars[0].values = .float3(.loaded([Vector3f(1, 0, 0), Vector3f(1, 0, 0)]))
        #expect(try parts(text(scene(mesh)).text).rows == ["0 0 0 255 0 0", "1 0 0 255 0 0", "1 1 0 255 0 0", "0 1 0 255 0 0", "3 0 1 2", "3 0 2 3"])
    }

    @Test func largePolygonsHaveALongCount() throws {
        let points = (0..<300).map { Point3f(Float($0), Float($0 * $0) / 300, 0) }
        let written = try write(scene(SampleMesh.polygon(points)))
        #expect(String(decoding: written.bytes.prefix(400), as: UTF8.self).contains("property list int int vertex_indices"))
        #expect(try written.read(PLYFormat()).meshes[ID(0)].faces().map(\.count) == [300])
        let cut = try write(scene(SampleMesh.polygon(points))) { $0.triangulate = true }
        #expect(try cut.read(PLYFormat()).meshes[ID(0)].faces().map(\.count) == [Int](repeating: 3, count: 298))
    }

    @Test func doublesStayDoubles() throws {
        var mesh = triangle
        mesh.points = .double(.loaded([Point3d(0.1, 0, 0), Point3d(6_280_752.806, 0, 0), Point3d(0, 1, 0)]))
        for encoding in encodings {
            let written = try write(scene(triangle, mesh)) { $0.encoding = encoding }
            #expect(try written.read(PLYFormat()).meshes[ID(0)].points.triples().suffix(3) == mesh.points.triples()[...])
        }
        // A place far away asks for them as well.
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        builder.mesh("far", triangle, transform: .translation(Vector3d(10_000_000.25, 0, 0)))
        #expect(try parts(text(builder.scene).text).rows[0] == "10000000.25 0 0")
    }

    // MARK: Several things

    @Test func mirroredCopiesAreTurnedRoundAndStandBehindEachOther() throws {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        let first = builder.mesh("a", triangle)
        let content = builder.scene.nodes[first].content
        builder.node("b", type: "Mesh", transform: .scale(Vector3d(-1, 1, 1)), content: content)
        let written = try text(builder.scene)
        #expect(parts(written.text).rows == ["0 0 0", "1 0 0", "0 1 0", "0 0 0", "-1 0 0", "0 1 0", "3 0 1 2", "3 3 5 4"])
        #expect(written.codes == ["ply.lost.objects"])
    }

    @Test func normalsAreOfUnitLengthAndMadeWhereOthersHaveSome() throws {
        var long = triangle
        long.normals = Primvar(name: "normals", role: .normal, interpolation: .constant, values: .float3(.loaded([Vector3f(0, 3, 4)])))
        let written = try text(scene(long, triangle))
        let rows = parts(written.text).rows
        #expect(rows[0] == "0 0 0 0 0.6 0.8" && rows[3] == "0 0 0 0 0 1")
        #expect(written.codes == ["ply.lost.objects", "ply.made-normals"])
        // Two faces of a bend are flat, on a subdivision surface smooth.
        var bend = Mesh(
            points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0), Point3f(0, 0, 1)]),
            faceVertexCounts: .loaded([3, 3]), faceVertexIndices: .loaded([0, 1, 2, 0, 2, 3]))
        #expect(try parts(text(scene(long, bend)).text).rows.count == 3 + 6 + 3)
        bend.subdivisionScheme = "catmullClark"
        #expect(try parts(text(scene(long, bend)).text).rows.count == 3 + 4 + 3)
        #expect(try !text(scene(triangle)).text.contains("nx"))
    }

    @Test func curvesAreEdges() throws {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        var curves: ID<Curves>?
        builder.changeScene {
            var made = Curves(
                kind: .basis, points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0)]), curveVertexCounts: .loaded([3]))
            made.wrap = "periodic"
            curves = $0.curves.append(made)
        }
        builder.mesh("", triangle)
        if let curves { builder.node("", content: .curves(curves)) }
        let (header, rows) = parts(try text(builder.scene).text)
        #expect(header.suffix(3) == ["element edge 3", "property int vertex1", "property int vertex2"])
        #expect(rows.suffix(4) == ["3 0 1 2", "3 4", "4 5", "5 3"])
    }

    @Test func pointsWithAttributesHaveNoFaces() throws {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        var cloud: ID<PointCloud>?
        builder.changeScene {
            var made = PointCloud(points: PointArray([Point3f(0, 0, 0), Point3f(.nan, 0, 0), Point3f(1, 2, 3)]))
            made.primvars = [
                Primvar(
                    name: "displayColor", role: .color, interpolation: .vertex,
                    values: .float3(.loaded([Vector3f(1, 1, 1), Vector3f(0, 0, 0), Vector3f(0, 1, 0)]))),
                Primvar(name: "displayOpacity", interpolation: .vertex, values: .float(.loaded([1, 1, 0.2]))),
                Primvar(name: "heat", interpolation: .vertex, values: .float(.loaded([5, 6, 7]))),
                Primvar(
                    name: "normals", role: .normal, interpolation: .vertex,
                    values: .float3(.loaded([Vector3f(0, 0, 2), Vector3f(1, 0, 0), Vector3f(0, 1, 0)]))),
                Primvar(name: "id", interpolation: .vertex, values: .int(.loaded([1, 2, 3]))),
            ]
            cloud = $0.points.append(made)
        }
        if let cloud { builder.node("", content: .points(cloud)) }
        let written = try text(builder.scene)
        let (header, rows) = parts(written.text)
        #expect(header.last == "property float heat" && !written.text.contains("face"))
        #expect(rows == ["0 0 0 0 0 1 255 255 255 255 5", "1 2 3 0 1 0 0 255 0 51 7"])
        #expect(written.codes == ["points.not-finite", "ply.lost.primvars"])
        // Beside a mesh there is no place for numbers that only points have.
        builder.mesh("", triangle)
        #expect(try text(builder.scene).codes == ["points.not-finite", "ply.lost.objects", "ply.lost.primvars", "ply.made-normals"])
    }

    @Test func nothingToWrite() throws {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        builder.node("empty")
        let error = #expect(throws: AssetError.self) { try write(builder.scene) }
        #expect(error?.diagnostic.code == "ply.nothing-to-write")
        let empty = try write(builder.scene) { $0.allowEmpty = true }
        #expect(empty.codes == ["ply.nothing-to-write"])
        #expect(try empty.read(PLYFormat()).meshes.map(\.points.count) == [0])
    }

    // MARK: Materials

    private let png: [UInt8] = [
        137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 144, 119, 83, 222,
    ]

    /// A scene with textures `a.png`, `b.png`, … and a plain material; which faces of a grid have which.
    private func textured(_ faces: [[Int32]], extra: Bool = false) -> Scene {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        var mesh = SampleMesh.grid(columns: 3, rows: 1)
        var bindings: [ID<Material>?] = []
        for (i, part) in faces.enumerated() {
            let id = builder.material("m\(i)", color: Vector3f(1, 0, 0))
            bindings.append(id)
            mesh.subsets.append(GeomSubset(name: "s\(i)", family: "materialBind", faces: .loaded(part)))
            builder.changeScene {
                guard i < 2 else { return }
                let path = "textures of mine/\(i == 0 ? "a" : "b").png"
                let texture = $0.textures.append(Texture(authoredPath: path, source: .file(path)))
                var surface = Surface()
                surface.diffuseColor = Channel(Vector3f(1, 1, 1), texture: TextureBinding(texture: texture), isAuthored: true)
                if extra {
                    surface.roughness = Channel(0.5, texture: TextureBinding(texture: texture, output: "g"), isAuthored: true)
                    $0.materials[id].inputs.append(MaterialInput(name: "roughness"))
                }
                $0.materials[id].surface = surface
            }
        }
        let node = builder.mesh("", mesh)
        builder.change(node) {
            $0.subsetMaterials = bindings
            $0.subsetPreviewMaterials = bindings
        }
        return builder.scene
    }

    private var images: [String: [UInt8]] { ["textures of mine/a.png": png, "textures of mine/b.png": png + [0]] }

    @Test func oneTextureIsNamedAndCopied() throws {
        let written = try text(textured([[0, 1, 2]]), files: images)
        let (header, rows) = parts(written.text)
        #expect(header[0] == "comment TextureFile textures/a.png" && !written.text.contains("texnumber") && rows.count == 8 + 3)
        #expect(written.files["textures/a.png"] == png && written.codes == ["ply.lost.material-names"])
        let read = try written.read(PLYFormat())
        #expect(read.textures.map(\.authoredPath) == ["textures/a.png"] && read.nodes[0].previewMaterial != nil)
    }

    @Test func severalTexturesAreNumbered() throws {
        let written = try text(textured([[0], [2], [1]], extra: true), files: images)
        let (header, rows) = parts(written.text)
        #expect(header[0...1] == ["comment TextureFile textures/a.png", "comment TextureFile textures/b.png"])
        #expect(header.last == "property int texnumber")
        #expect(rows.suffix(3).map { $0.split(separator: " ").last } == ["0", "-1", "1"])
        // The plain face is red, the others white.
        #expect(rows.filter { $0.hasSuffix(" 255 0 0") }.count == 4)
        #expect(written.codes == ["ply.lost.materials", "ply.lost.material-names"])
        #expect(Set(written.files.keys) == ["out.ply", "textures/a.png", "textures/b.png"])
        let read = try written.read(PLYFormat())
        #expect(try read.meshes[ID(0)].subsets.map { try $0.faces.load() } == [[0], [2]])
    }

    @Test func texturesWithoutAPlaceAreLost() throws {
        let stream = try text(textured([[0, 1, 2]]), files: images) { $0.hasFolder = false }
        #expect(stream.codes == ["ply.lost.material-names", "ply.lost.textures"] && stream.files.count == 1)
        #expect(!stream.text.contains("TextureFile"))
        let skipped = try text(textured([[0, 1, 2]]), files: images) { $0.textures = .skip }
        #expect(skipped.codes == ["ply.lost.material-names", "ply.textures-skipped"] && skipped.files.count == 1)
    }

    @Test func plainColoursOfMaterialsAreThoseOfTheVertices() throws {
        var builder = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        let red = builder.material("Red", color: Vector3f(1, 0, 0))
        var own = triangle
        own.primvars = [Primvar(name: "displayColor", role: .color, interpolation: .constant, values: .float3(.loaded([Vector3f(0, 1, 0)])))]
        builder.mesh("", own, material: red)
        builder.mesh("", own)
        builder.mesh("", triangle)
        let rows = parts(try text(builder.scene).text).rows
        #expect([rows[0], rows[3], rows[6]] == ["0 0 0 255 0 0", "0 0 0 0 255 0", "0 0 0 255 255 255"])
        var white = SceneBuilder(upAxis: nil, metersPerUnit: nil)
        let plain = white.material("White", color: Vector3f(1, 1, 1))
        white.mesh("", triangle, material: plain)
        #expect(try !text(white.scene).text.contains("red"))
    }

    // MARK: There and back

    /// On generated meshes, in every encoding: faces, positions and the attributes of every corner come back, bit by bit.
    @Test func whatIsWrittenIsReadAgain() throws {
        var random = SplitMix64(seed: 41)
        for round in 0..<80 {
            let mesh = randomMesh(&random, isDouble: round % 4 == 0)
            let scene = scene(mesh)
            for encoding in encodings {
                let written = try write(scene) { $0.encoding = encoding }
                let read = try written.read(PLYFormat()).meshes[ID(0)]
                #expect(try read.corners() == mesh.corners(), "round \(round)")
                #expect(try read.corners("normals") == mesh.corners("normals"), "round \(round)")
                #expect(try read.corners("st") == mesh.corners("st"), "round \(round)")
                let colors = try mesh.corners("displayColor")
                if !colors.isEmpty { #expect(try read.corners("displayColor") == colors, "round \(round)") }
                let opacity = try mesh.corners("displayOpacity")
                let isOpaque = opacity.allSatisfy { $0.allSatisfy { $0 == [1] } }
                if !isOpaque { #expect(try read.corners("displayOpacity") == opacity, "round \(round)") }
                #expect(read.points.count >= mesh.points.count)
                #expect(try write(scene) { $0.encoding = encoding }.bytes == written.bytes)
                // No vertex is there twice.
                if read.points.count > mesh.points.count {
                    let rows = try Set(parts(text(scene).text).rows.dropLast(read.faceVertexCounts.count))
                    let all = try parts(text(scene).text).rows.dropLast(read.faceVertexCounts.count)
                    let doubles = try mesh.points.triples().count - Set(mesh.points.triples()).count
                    let unused = mesh.points.count - Set(try mesh.faces().joined()).count
                    #expect(all.count - rows.count <= doubles + unused)
                }
            }
        }
    }

    /// A point at which every face has another value takes no time beyond its size.
    @Test func aFanOfManyValuesIsSplitAtOnce() throws {
        let count = 30_000
        var points = [Point3f(0, 0, 1)]
        var indices: [Int32] = []
        var st: [Vector2f] = []
        for i in 0..<count {
            points.append(Point3f(Float(i), 1, 0))
            indices += [0, Int32(i + 1), Int32((i + 1) % count + 1)]
            st += [Vector2f(Float(i), .nan), Vector2f(0, 0), Vector2f(0, 0)]
        }
        var mesh = Mesh(
            points: PointArray(points), faceVertexCounts: .loaded([Int32](repeating: 3, count: count)), faceVertexIndices: .loaded(indices))
        mesh.primvars = [Primvar(name: "st", role: .textureCoordinate, interpolation: .faceVarying, values: .float2(.loaded(st)))]
        #expect(try write(scene(mesh)).read(PLYFormat()).meshes[ID(0)].points.count == 2 * count)
    }
}
