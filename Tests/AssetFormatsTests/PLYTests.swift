import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct PLYTests {
    // MARK: Helpers

    private struct Read {
        var scene: Scene
        var diagnostics: Diagnostics
        var mesh: Mesh { scene.meshes.first ?? Mesh() }
        var codes: [String] { diagnostics.entries.map(\.code) }

        func points() throws -> [[Double]] {
            let array = scene.meshes.first?.points ?? scene.points.first?.points ?? PointArray()
            switch array {
            case .float(let a): return try a.load().map { [Double($0.x), Double($0.y), Double($0.z)] }
            case .double(let a): return try a.load().map { [$0.x, $0.y, $0.z] }
            }
        }

        func faces() throws -> [[Int32]] {
            let indices = try mesh.faceVertexIndices.load()
            var start = 0
            return try mesh.faceVertexCounts.load().map { n in
                defer { start += Int(n) }
                return Array(indices[start..<start + Int(n)])
            }
        }

        func primvar(_ name: String) -> Primvar? { (scene.meshes.first?.primvars ?? scene.points.first?.primvars)?.first { $0.name == name } }

        func numbers(_ name: String) throws -> [[Float]] {
            switch primvar(name)?.values {
            case .float(let a): try a.load().map { [$0] }
            case .float2(let a): try a.load().map { [$0.x, $0.y] }
            case .float3(let a): try a.load().map { [$0.x, $0.y, $0.z] }
            default: []
            }
        }
    }

    private func read(_ bytes: [UInt8], siblings: [String: [UInt8]] = [:]) throws -> Read {
        let resolver = InMemoryResolver(siblings)
        var context = ReadContext(resolver: resolver)
        let document = try PLYFormat().open(FileBytes(name: "a.ply", bytes: bytes), &context)
        let scene = try document.scene(&context)
        #expect(SceneInvariants.violations(in: scene, level: .geometry).isEmpty)
        return Read(scene: scene, diagnostics: context.diagnostics)
    }

    private func read(_ text: String, siblings: [String: [UInt8]] = [:]) throws -> Read { try read(Array(text.utf8), siblings: siblings) }

    private func failure(_ bytes: [UInt8]) -> Diagnostic? {
        do {
            _ = try read(bytes)
            return nil
        } catch {
            return (error as? AssetError)?.diagnostic
        }
    }

    private func header(_ format: String, _ lines: String, end: String = "\n") -> String {
        (["ply", "format \(format) 1.0"] + lines.split(separator: "\n").map(String.init) + ["end_header"]).map { $0 + end }.joined()
    }

    private let xyz = "property float x\nproperty float y\nproperty float z\n"
    private let list = "property list uchar int vertex_indices\n"

    private func bytes<T: FixedWidthInteger>(_ value: T, big: Bool) -> [UInt8] {
        withUnsafeBytes(of: big ? value.bigEndian : value.littleEndian) { Array($0) }
    }
    private func floats(_ values: [Float], big: Bool = false) -> [UInt8] { values.flatMap { bytes($0.bitPattern, big: big) } }

    private let pyramid: [Float] = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 2]

    // MARK: Text

    @Test(arguments: ["vertex_index", "vertex_indices"]) func aListOfEitherNameMakesFaces(name: String) throws {
        let read = try read(
            header("ascii", "element vertex 5\n\(xyz)element face 2\nproperty list uchar int \(name)")
                + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 2\n4 0 1 2 3\n3 0 1 4\n")
        #expect(try read.points() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 2]])
        #expect(try read.faces() == [[0, 1, 2, 3], [0, 1, 4]])
        #expect(read.diagnostics.isEmpty)
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func linesMayEndInThreeWays(end: String) throws {
        let text = header("ascii", "comment x\nelement vertex 3\n\(xyz)element face 1\n\(list)", end: end)
        let read = try read(text + "1.0000012 0 0\(end)2 0 0\(end)0 2 0\(end)3 0 1 2\(end)")
        #expect(try read.points()[0] == [Double(Float(1.0000012)), 0, 0])
        #expect(try read.faces() == [[0, 1, 2]])
        #expect(read.scene.metadata.comment == "x")
    }

    // MARK: Header

    private func headerFailure(_ text: String, limit: Int) -> Diagnostic? {
        var context = ReadContext(resolver: InMemoryResolver([:]))
        context.options.limits.headerBytes = limit
        do throws(AssetError) {
            _ = try PLYFormat().open(FileBytes(name: "a.ply", bytes: Array(text.utf8)), &context)
            return nil
        } catch { return error.diagnostic }
    }

    /// What has no end is not searched to the end of the file.
    @Test(arguments: ["\n", "\r\n", "\r"]) func aHeaderHasALimit(end: String) {
        let begin = "ply\(end)format ascii 1.0\(end)"
        for endless in [
            "comment " + String(repeating: "x", count: 5000), String(repeating: "comment x\(end)", count: 500), String(repeating: "\0", count: 5000),
            String(repeating: "element a 1\(end)property float \(String(repeating: "b", count: 100))\(end)", count: 40),
        ] {
            let found = headerFailure(begin + endless + "\(end)end_header\(end)", limit: 1000)
            #expect(found?.code == "limit.header-bytes" && found?.message.contains("1000") == true && found?.message.contains("end_header") == true)
        }
        #expect(headerFailure("ply" + String(repeating: " ", count: 2000), limit: 1000)?.code == "limit.header-bytes")
        // One that is just as long is read, whatever follows.
        let header = begin + "comment x\(end)element vertex 0\(end)end_header\(end)"
        for (limit, code) in [(header.utf8.count, nil), (header.utf8.count - end.utf8.count, "limit.header-bytes")] {
            #expect(headerFailure(header + String(repeating: "0\n", count: 1000), limit: limit)?.code == code)
        }
        // The file's own end is told first.
        #expect(headerFailure(begin + "comment x", limit: 1000)?.code == "ply.no-end-of-header")
    }

    @Test func longWordsAreShortenedInMessages() throws {
        let long = String(repeating: "x", count: 100_000)
        #expect((headerFailure("ply\nformat \(long)\nend_header\n", limit: 1 << 20)?.message.utf8.count ?? 0) < 300)
        let read = try read("ply\nformat ascii \(long)\nelement \(long) 0\nproperty int \(long)\nend_header\n")
        #expect(read.codes == ["ply.version", "ply.dropped.element"] && read.diagnostics.entries.allSatisfy { $0.message.utf8.count < 300 })
    }

    @Test func manyLinesOfAHeaderAreRead() throws {
        let lines = (0..<5_000).map { "comment c\($0)\ncomment TextureFile t.png\nelement e\($0) 0\nproperty int p\n" }.joined()
        let read = try read("ply\nformat ascii 1.0\n\(lines)element vertex 1\n\(xyz)end_header\n0 0 0\n")
        #expect(read.scene.metadata.comment?.split(separator: "\n").count == 5_000 && read.scene.materials.count == 5_000)
        #expect(read.scene.metadata.comment?.hasPrefix("c0\nc1\n") == true)
        #expect(read.codes.first == "ply.dropped.element" && read.codes.contains("ply.missing-texture"))
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func binaryDataMayBeginWithALineFeed(end: String) throws {
        let text = header("binary_little_endian", "element vertex 3\n\(xyz)element face 1\n\(list)", end: end)
        var data = Array(text.utf8) + [0x0A, 0, 0x80, 0x3F] + floats([0, 0, 2, 0, 0, 0, 2, 0])
        data += [3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]
        let read = try read(data)
        #expect(try read.points()[0] == [Double(Float(bitPattern: 0x3F80_000A)), 0, 0])
        #expect(try read.faces() == [[0, 1, 2]])
    }

    @Test func blanksMayStandAnywhere() throws {
        let read = try read(
            "ply\nformat ascii 1.0  \nelement  vertex   3   \nproperty float\tx\nproperty  float y \nproperty float z\n"
                + "element face 1 \nproperty list  uchar int  vertex_indices \nend_header \n\n0 0 0\n\n 1 0\t0 \n1 1 0\n 3  0 1 2 ")
        #expect(try read.faces() == [[0, 1, 2]])
    }

    @Test func numbersOfCLibrariesAreRead() throws {
        let read = try read(header("ascii", "element vertex 4\n\(xyz)") + "1e1 -2.5E-1 .5\n+1 nan -inf\n-nan(ind) 1.#QNAN -1.#INF\n1. 2 3")
        let points = try read.points()
        #expect(points[0] == [10, -0.25, 0.5])
        #expect(points[1][1].isNaN && points[1][2] == -.infinity)
        #expect(points[2][0].isNaN && points[2][1].isNaN && points[2][2] == -.infinity)
        #expect(points[3] == [1, 2, 3])
    }

    @Test func textThatFloatsWouldMoveIsReadAsDoubles() throws {
        let near = try read(header("ascii", "element vertex 2\n\(xyz)") + "0.1 0 0\n1.1 0 0\n")
        guard case .float = near.scene.points[0].points else { throw TestFailure("expected floats") }
        let far = try read(header("ascii", "element vertex 2\n\(xyz)") + "4000000.1 0 0\n4000000.7 0 0\n")
        guard case .double = far.scene.points[0].points else { throw TestFailure("expected doubles") }
        #expect(try far.points() == [[4000000.1, 0, 0], [4000000.7, 0, 0]])
    }

    @Test func doublesStayDoubles() throws {
        let text = "element vertex 1\nproperty float64 x\nproperty double y\nproperty double z"
        #expect(try read(header("ascii", text) + "0.1 0.2 0.3").points() == [[0.1, 0.2, 0.3]])
        let data = Array(header("binary_big_endian", text).utf8) + [0.1, 0.2, 0.3].flatMap { bytes($0.bitPattern, big: true) }
        #expect(try read(data).points() == [[0.1, 0.2, 0.3]])
    }

    // MARK: Edges and names

    private let edgeLines = "element edge 4\nproperty int vertex1\nproperty int vertex2\n"

    @Test(arguments: [true, false]) func edgesAreLines(isText: Bool) throws {
        let lines =
            "element vertex 5\n\(xyz)property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\nproperty uchar green\n"
            + "property uchar blue\n\(edgeLines)"
        let rows: [([Float], [UInt8])] = [
            ([0, 0, 0, 0, 0, 1], [255, 0, 0]), ([1, 0, 0, 0, 0, 1], [0, 255, 0]), ([1, 1, 0, 0, 0, 1], [0, 0, 255]),
            ([0, 1, 0, 0, 0, 1], [0, 0, 0]), ([5, 5, 5, 0, 0, 1], [255, 255, 255]),
        ]
        let edges: [[Int32]] = [[0, 1], [1, 2], [3, 0], [9, 1]]
        var data = Array(header(isText ? "ascii" : "binary_little_endian", lines).utf8)
        for (numbers, colors) in rows {
            data += isText ? Array((numbers.map { "\($0)" } + colors.map { "\($0)" }).joined(separator: " ").utf8) + [10] : floats(numbers) + colors
        }
        for edge in edges { data += isText ? Array("\(edge[0]) \(edge[1])\n".utf8) : edge.flatMap { bytes($0, big: false) } }
        let read = try read(data)
        #expect(read.scene.nodes.map(\.typeName) == ["Lines", "Points"])
        let curves = read.scene.curves[ID(0)]
        #expect(try curves.curveVertexCounts.load() == [3, 2] && curves.ownPointCount == 4)
        guard case .float(let points) = curves.points else { throw TestFailure("expected floats") }
        #expect(try points.load() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]].map { Point3f($0[0], $0[1], $0[2]) })
        #expect(curves.primvars.map(\.name) == ["displayColor"])
        // What no edge ends at stays a point, with all it has.
        #expect(try read.points() == [[5, 5, 5]] && read.numbers("normals") == [[0, 0, 1]])
        #expect(read.codes == ["ply.bad-edge", "ply.dropped.edge-attributes"])
        #expect(read.diagnostics.entries[0].message.hasPrefix("1 edge left out, the first at edge 3"))
    }

    /// Edges beside faces are lines beside the mesh, which keeps all vertices.
    @Test func edgesBesideFaces() throws {
        let text = header("ascii", "element vertex 4\n\(xyz)element face 1\n\(list)element edge 1\nproperty int vertex1\nproperty int vertex2")
        let read = try read(text + "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n2 3\n")
        #expect(read.scene.nodes.map(\.path) == ["/mesh", "/lines"] && read.codes == [])
        #expect(read.mesh.points.count == 4 && read.scene.curves[ID(0)].ownPointCount == 0)
    }

    @Test func edgesWithoutTheirEndsAreNamed() throws {
        let read = try read(header("ascii", "element vertex 1\n\(xyz)element edge 1\nproperty int from\nproperty int to") + "0 0 0\n0 0\n")
        #expect(read.codes == ["ply.dropped.element"] && read.scene.nodes.map(\.typeName) == ["Points"])
    }

    @Test func theFirstOfRepeatedNamesIsRead() throws {
        let read = try read(
            header("ascii", "element vertex 3\n\(xyz)property float x\nelement face 1\n\(list)element face 1\n\(list)")
                + "0 0 0 7\n1 0 0 7\n0 1 0 7\n3 0 1 2\n3 0 2 1\n")
        #expect(try read.points()[1] == [1, 0, 0] && read.faces() == [[0, 1, 2]])
        #expect(read.diagnostics.entries.filter { $0.severity == .warning }.map(\.code) == ["ply.repeated-element", "ply.repeated-property"])
        #expect(read.diagnostics.entries[1].message == "1 property with the name of one before, which is read: vertex.x")
    }

    /// A name of any bytes leads to its file.
    @Test func namesOfTexturesNeedNotBeUTF8() throws {
        let name: [UInt8] = [0x62, 0xE4, 0x20, 0x64]
        var data = Array("ply\nformat ascii 1.0\ncomment TextureFile ".utf8) + name
        data += Array("\nelement vertex 1\n\(xyz)end_header\n0 0 0\n".utf8)
        let read = try read(data, siblings: [SystemPath.decode(name): [1]])
        #expect(read.codes == [] && SystemPath.bytes(read.scene.textures[ID(0)].authoredPath) == name)
    }

    /// What `info` does not show it does not read: a bad number of a normal is found where normals are read.
    @Test func numbersAreHeldToBeOnesWhereTheyAreRead() throws {
        let text =
            header("ascii", "element vertex 3\n\(xyz)property float nx\nproperty float ny\nproperty float nz\nelement face 1\n\(list)")
            + "0 0 0 0 0 1\n1 0 0 0 oops 1\n0 1 0 0 0 1\n3 0 1 2\n"
        #expect(failure(Array(text.utf8))?.code == "ply.bad-number")
        var context = ReadContext(resolver: InMemoryResolver())
        (context.options.wantsArrays, context.options.wantsMeshPrimvars) = (false, false)
        let scene = try PLYFormat().open(FileBytes(name: "a.ply", bytes: Array(text.utf8)), &context).scene(&context)
        #expect(scene.meshes[ID(0)].points.count == 3 && context.diagnostics.isEmpty)
    }

    // MARK: Binary

    @Test(arguments: [false, true], [("uchar", "int", 1, 4), ("ushort", "uint", 2, 4), ("int", "short", 4, 2), ("uint32", "uint8", 4, 1)])
    func listsOfAllWidths(big: Bool, types: (String, String, Int, Int)) throws {
        let lines = "element vertex 5\n\(xyz)element face 2\nproperty list \(types.0) \(types.1) vertex_indices"
        func number(_ value: UInt32, _ size: Int) -> [UInt8] {
            let all = bytes(value, big: big)
            return big ? Array(all.suffix(size)) : Array(all.prefix(size))
        }
        var data = Array(header(big ? "binary_big_endian" : "binary_little_endian", lines).utf8) + floats(pyramid, big: big)
        for face in [[0, 1, 2, 3], [0, 1, 4]] as [[UInt32]] {
            data += number(UInt32(face.count), types.2) + face.flatMap { number($0, types.3) }
        }
        let read = try read(data)
        #expect(try read.points().flatMap { $0 }.map(Float.init) == pyramid)
        #expect(try read.faces() == [[0, 1, 2, 3], [0, 1, 4]])
    }

    @Test(arguments: [false, true]) func trianglesStayInTheFile(big: Bool) throws {
        let lines = "element face 2\n\(list)element vertex 5\n\(xyz)"
        var data = Array(header(big ? "binary_big_endian" : "binary_little_endian", lines).utf8)
        for face in [[0, 1, 2], [0, 1, 4]] as [[Int32]] { data += [3] + face.flatMap { bytes($0, big: big) } }
        data += floats(pyramid, big: big)
        let read = try read(data)
        #expect(try read.faces() == [[0, 1, 2], [0, 1, 4]])
        #expect(try read.points().flatMap { $0 }.map(Float.init) == pyramid)
    }

    @Test func otherElementsAndPropertiesArePassedOver() throws {
        let read = try read(
            header(
                "ascii",
                "obj_info num_cols 2\nelement camera 1\nproperty double fov\nproperty list uchar float view\nelement vertex 3\n"
                    + "property float confidence\n\(xyz)element range 3\nproperty float r\nelement face 1\nproperty list uchar float weights\n"
                    + "\(list)property int flags\nelement version 2\nproperty uchar v")
                + "1.25 3 9 9 9\n0.5 0 0 0\n0.5 1 0 0\n0.5 1 1 0\n100\n100\n100\n2 0.5 0.5 3 0 1 2 7\n1\n2\n")
        #expect(try read.faces() == [[0, 1, 2]])
        #expect(read.codes == ["ply.dropped.element", "ply.dropped.property"])
        #expect(
            read.diagnostics.entries.map(\.message) == [
                "not read: 3 elements: camera (1), range (3), version (2)",
                "not read: 3 properties: vertex.confidence, face.weights, face.flags",
            ])
    }

    // MARK: Attributes

    @Test func coloursOfAllTypes() throws {
        func colors(_ type: String, _ values: String, prefix: String = "") throws -> [[Float]] {
            let properties = ["red", "green", "blue"].map { "property \(type) \(prefix)\($0)\n" }.joined()
            return try read(header("ascii", "element vertex 1\n\(xyz)\(properties)") + "0 0 0 \(values)").numbers("displayColor")
        }
        #expect(try colors("uchar", "255 128 0") == [[1, 128.0 / 255, 0]])
        #expect(try colors("ushort", "65535 32768 0") == [[1, 32768.0 / 65535, 0]])
        #expect(try colors("float", "1 0.5 0") == [[1, 0.5, 0]])
        #expect(try colors("float", "255 51 0") == [[1, 0.2, 0]])
        #expect(try colors("uint8", "255 128 0", prefix: "diffuse_") == [[1, 128.0 / 255, 0]])
    }

    @Test func alphaIsOpacity() throws {
        let read = try read(header("ascii", "element vertex 1\n\(xyz)property uchar alpha") + "0 0 0 51")
        #expect(try read.numbers("displayOpacity") == [[0.2]])
    }

    @Test func coloursOfFacesAreUniform() throws {
        let read = try read(
            header("ascii", "element vertex 3\n\(xyz)element face 2\n\(list)property uchar red\nproperty uchar green\nproperty uchar blue")
                + "0 0 0\n1 0 0\n0 1 0\n3 0 1 9 1 1 1\n3 0 1 2 0 51 255")
        #expect(read.primvar("displayColor")?.interpolation == .uniform)
        #expect(try read.numbers("displayColor") == [[0, 0.2, 1]])
        #expect(read.codes == ["ply.bad-face"])
    }

    @Test(arguments: [("s", "t"), ("u", "v"), ("texture_u", "texture_v")]) func coordinatesOfAllNames(names: (String, String)) throws {
        let read = try read(
            header("ascii", "element vertex 3\n\(xyz)property float \(names.0)\nproperty float \(names.1)\nelement face 1\n\(list)")
                + "0 0 0 0 0.25\n1 0 0 1 0\n1 1 0 1 1\n3 0 1 2")
        #expect(try read.numbers("st") == [[0, 0.25], [1, 0], [1, 1]])
    }

    @Test func normalsAreRead() throws {
        let normals = "property float nx\nproperty float ny\nproperty float nz\n"
        let read = try read(
            header("ascii", "element vertex 3\n\(xyz)\(normals)element face 1\n\(list)") + "0 0 0 0 0 1 1 0 0 0 0 1 1 1 0 0 1 0 3 0 1 2")
        guard case .float3(let values) = read.mesh.normals?.values else { throw TestFailure("no normals") }
        #expect(try values.load() == [Vector3f(0, 0, 1), Vector3f(0, 0, 1), Vector3f(0, 1, 0)])
    }

    private let square = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

    @Test func coordinatesOfCornersAndTexturesOfFaces() throws {
        let read = try read(
            header(
                "ascii",
                "comment TextureFile tex a.png\ncomment TextureFile b.png\nelement vertex 4\n\(xyz)element face 2\n\(list)"
                    + "property list uchar float texcoord\nproperty int texnumber")
                + square + "3 0 1 2 6 0 0 0.5 0 0.5 1 0\n3 0 2 3 6 0.6 0 1 1 0.6 1 1\n", siblings: ["tex a.png": [0], "b.png": [0]])
        #expect(read.primvar("st")?.interpolation == .faceVarying)
        #expect(try read.numbers("st") == [[0, 0], [0.5, 0], [0.5, 1], [0.6, 0], [1, 1], [0.6, 1]])
        #expect(read.scene.textures.map(\.authoredPath) == ["tex a.png", "b.png"])
        #expect(read.scene.textures.map(\.resolvedPath) == ["tex a.png", "b.png"])
        #expect(try read.mesh.subsets.map { try $0.faces.load() } == [[0], [1]])
        #expect(read.scene.nodes[0].subsetMaterials.map { $0?.index } == [0, 1])
        #expect(read.diagnostics.isEmpty)
    }

    @Test func aTextureThatIsNotThereIsToldOf() throws {
        let read = try read(header("ascii", "comment TextureFile no.png\nelement vertex 4\n\(xyz)element face 1\n\(list)") + square + "4 0 1 2 3")
        #expect(read.codes == ["ply.missing-texture"])
        #expect(read.scene.nodes[0].material?.index == 0)
    }

    @Test func stripsMakeTrianglesOfOneWinding() throws {
        let read = try read(
            header("ascii", "element vertex 5\n\(xyz)element tristrips 1\nproperty list int int vertex_indices")
                + "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n9 0 1 2 3 -1 2 3 4 99")
        #expect(try read.faces() == [[0, 1, 2], [2, 1, 3], [2, 3, 4]])
        #expect(read.codes == ["ply.bad-face"])
    }

    @Test func splatsArePointsWithTheirAttributes() throws {
        let names = ["f_dc_0", "scale_0", "rot_0", "opacity"]
        let lines = "element vertex 2\n\(xyz)" + names.map { "property float \($0)\n" }.joined()
        let data = Array(header("binary_little_endian", lines).utf8) + floats((0..<14).map(Float.init))
        let read = try read(data)
        #expect(read.scene.nodes[0].typeName == "Points")
        #expect(read.scene.points[0].primvars.map(\.name) == names)
        #expect(try read.numbers("rot_0") == [[5], [12]])
        #expect(read.codes == ["ply.gaussian-splats"])
    }

    // MARK: Trouble

    @Test func badFacesAreLeftOutAndCounted() throws {
        let read = try read(
            header("ascii", "element vertex 4\n\(xyz)element face 6\n\(list)") + square
                + "4 0 1 2 3\n3 0 1 99\n3 0 1 -1\n2 0 1\n3 0 one 2\n3 0 1.5 2\n")
        #expect(try read.faces() == [[0, 1, 2, 3]])
        #expect(read.codes == ["ply.bad-face"])
        let warning = read.diagnostics.entries[0]
        #expect(warning.message == "5 faces are left out, the first at face 1: the index 99, expected one of 4")
        #expect(warning.location.position == .line(15, column: 1))
    }

    @Test func aCornerMoreThanItsCoordinatesTakesThem() throws {
        let read = try read(
            header("ascii", "element vertex 4\n\(xyz)element face 1\n\(list)property list uchar float texcoord") + square + "3 0 1 2 4 0 0 1 1")
        #expect(try read.faces() == [[0, 1, 2]])
        #expect(read.primvar("st") == nil)
        #expect(read.codes == ["ply.dropped.texture-coordinates"])
    }

    @Test func dataThatContradictTheHeaderAreRefused() {
        let binary = "element vertex 5\n\(xyz)element face 2\n"
        let faces: [UInt8] = [4, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]
        let whole = Array(header("binary_little_endian", binary + list).utf8) + floats(pyramid) + faces
        #expect(failure(whole + [3, 0, 0, 0, 0, 1, 0])?.code == "ply.truncated")
        #expect(failure(whole + [3, 0, 0, 0, 0, 1, 0])?.message == "the file ends in face 1 of 2")
        let negative = header("binary_little_endian", binary + "property list char int vertex_indices")
        #expect(failure(Array(negative.utf8) + floats(pyramid) + [255] + [UInt8](repeating: 0, count: 40))?.code == "ply.bad-list-length")
        let huge = header("binary_little_endian", "element vertex 4000000000\n\(xyz)")
        #expect(failure(Array(huge.utf8) + floats(pyramid))?.message == "4000000000 rows of vertex declared, data for at most 5 of them")
        #expect(failure(Array(header("ascii", "element vertex 9223372036854775807\n\(xyz)").utf8))?.code == "ply.truncated")
        #expect(failure(Array((header("ascii", "element vertex 1\n\(xyz)") + "0 0 zero").utf8))?.code == "ply.bad-number")
        let long = header("ascii", "element vertex 1\n\(xyz)element face 1\n\(list)") + "0 0 0\n4000000000 0 0 0"
        #expect(failure(Array(long.utf8))?.code == "ply.truncated")
    }

    @Test func headersThatAreNoneAreRefused() {
        for (text, code) in [
            ("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n", "ply.no-end-of-header"),
            ("ply\n", "ply.no-end-of-header"), ("", "ply.no-end-of-header"), ("play\nend_header\n", "ply.not-a-ply"),
            ("ply\nend_header\n", "ply.bad-format"), ("ply\nformat text 1.0\nend_header\n", "ply.bad-format"),
            ("ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", "ply.bad-element"),
            ("ply\nformat ascii 1.0\nelement vertex\nend_header\n", "ply.bad-element"),
            ("ply\nformat ascii 1.0\nproperty float x\nend_header\n", "ply.bad-property"),
            ("ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n", "ply.bad-property"),
            ("ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar x\nend_header\n", "ply.bad-property"),
            ("ply\nformat ascii 1.0\nsomething else\nend_header\n", "ply.bad-header"),
        ] { #expect(failure(Array(text.utf8))?.code == code, "\(text)") }
    }

    @Test func aFileOfNothingIsRead() throws {
        let read = try read(header("ascii", "element vertex 0\n\(xyz)element face 0\n\(list)"))
        #expect(read.scene.nodes.count == 1)
        #expect(read.mesh.points.isEmpty && read.mesh.faceVertexCounts.isEmpty)
    }

    @Test(arguments: ["vertex", "tristrips", "face", "other"]) func anyNumberOfRowsOfNothingIsNothing(name: String) throws {
        let read = try read(header("ascii", "element \(name) 9223372036854775807\nelement more 1\nproperty int i") + "1\n")
        #expect(read.scene.nodes.isEmpty)
    }

    @Test func facesWithoutCornersAreToldOf() throws {
        let read = try read(header("ascii", "element vertex 1\n\(xyz)element face 1\nproperty list uchar int corners") + "0 0 0\n3 0 0 0\n")
        #expect(read.codes == ["ply.no-corners", "ply.dropped.element"])
        #expect(read.scene.nodes[0].typeName == "Points")
    }

    @Test func facesOfAVertexElementWithoutPositionsAreLeftOut() throws {
        let read = try read(
            header("ascii", "element vertex 3\nproperty float x\nproperty float y\nelement face 1\n\(list)") + "0 0\n1 0\n1 1\n3 0 1 2\n")
        #expect(read.codes == ["ply.no-positions", "ply.dropped.property", "ply.bad-face"])
        #expect(try read.faces().isEmpty)
    }

    @Test func whatFollowsTheDataIsToldOf() throws {
        #expect(try read(header("ascii", "element vertex 1\n\(xyz)") + "0 0 0\n1 1 1\n").codes == ["ply.trailing-data"])
    }

    @Test func damageGivesAnErrorOrAScene() {
        let lines =
            "comment TextureFile a.png\nelement vertex 5\n\(xyz)property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 2\n"
            + "\(list)property list uchar float texcoord\nproperty int texnumber\nelement tristrips 1\nproperty list int int vertex_indices"
        var binary = Array(header("binary_big_endian", lines).utf8)
        for i in 0..<5 { binary += floats(Array(pyramid[i * 3..<i * 3 + 3]), big: true) + [1, 2, 3] }
        for _ in 0..<2 {
            binary += [3] + [0, 1, 2].flatMap { bytes(Int32($0), big: true) } + [6] + floats([0, 0, 1, 0, 1, 1], big: true)
            binary += bytes(Int32(0), big: true)
        }
        binary += [4, 0, 1, 2, 3].flatMap { bytes(Int32($0), big: true) }
        let text = Array(
            (header("ascii", lines) + "0 0 0 1 2 3\n1 0 0 1 2 3\n1 1 0 1 2 3\n0 1 0 1 2 3\n0 0 2 1 2 3\n"
                + "3 0 1 2 6 0 0 1 0 1 1 0\n3 0 1 2 6 0 0 1 0 1 1 0\n4 0 1 2 3\n").utf8)
        let registry = FormatRegistry([PLYFormat()])
        for sound in [binary, text] {
            #expect(Exercise(sound, name: "a.ply", format: "ply", registry: registry, writes: false).error == nil)
            for n in Mutations.truncationLengths(sound.count) {
                let result = Exercise(Array(sound[..<n]), name: "a.ply", format: "ply", registry: registry, writes: false)
                #expect(result.violations.isEmpty)
            }
            for bit in 0..<sound.count * 8 {
                let result = Exercise(Mutations.flippingBit(bit, of: sound), name: "a.ply", format: "ply", registry: registry, writes: false)
                #expect(result.violations.isEmpty)
            }
            var random = SplitMix64(seed: 4)
            for _ in 0..<2000 {
                let bytes = Mutations.edited(sound, edits: 4, using: &random)
                #expect(Exercise(bytes, name: "a.ply", format: "ply", registry: registry, writes: false).violations.isEmpty)
            }
        }
    }

    @Test func aPLYIsToldByItsFirstLine() {
        for (text, isPLY) in [("ply\n", true), ("ply\r\n", true), ("ply \t\r", true), ("plywood\n", false), ("ply", false), ("", false)] {
            let bytes = FileBytes(name: "a", bytes: Array(text.utf8))
            #expect(PLYFormat().recognizes(bytes.bytes) == isPLY)
        }
    }
}
