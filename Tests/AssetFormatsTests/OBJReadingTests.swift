import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetFormats

/// What an OBJ file becomes.
struct OBJRead {
    var scene: Scene
    var diagnostics: Diagnostics
    var codes: [String] { diagnostics.entries.map(\.code) }

    init(_ bytes: [UInt8], siblings: [String: [UInt8]] = [:], pieceSize: Int = OBJTables.pieceSize, wantsPrimvars: Bool = true) throws {
        var context = ReadContext(resolver: InMemoryResolver(siblings))
        if pieceSize == OBJTables.pieceSize {
            context.options.wantsMeshPrimvars = wantsPrimvars
            scene = try OBJFormat().open(FileBytes(name: "a.obj", bytes: bytes), &context).scene(&context)
        } else {
            let tables = try OBJTables(FileBytes(name: "a.obj", bytes: bytes), wantsPrimvars: wantsPrimvars, pieceSize: pieceSize)
            var builder = OBJToScene(tables, wantsPrimvars: wantsPrimvars)
            scene = try builder.scene(&context)
        }
        diagnostics = context.diagnostics
        #expect(SceneInvariants.violations(in: scene, level: .geometry).isEmpty)
    }

    init(_ text: String, siblings: [String: [UInt8]] = [:]) throws { try self.init(Array(text.utf8), siblings: siblings) }

    static func points(_ array: PointArray) throws -> [[Double]] {
        switch array {
        case .float(let a): return try a.load().map { [Double($0.x), Double($0.y), Double($0.z)] }
        case .double(let a): return try a.load().map { [$0.x, $0.y, $0.z] }
        }
    }

    func points(_ mesh: Int = 0) throws -> [[Double]] { try OBJRead.points(scene.meshes[mesh].points) }

    /// Each face as the indices of its corners.
    func faces(_ mesh: Int = 0) throws -> [[Int32]] {
        let indices = try scene.meshes[mesh].faceVertexIndices.load()
        var start = 0
        return try scene.meshes[mesh].faceVertexCounts.load().map { n in
            defer { start += Int(n) }
            return Array(indices[start..<start + Int(n)])
        }
    }

    /// The texture coordinates of each corner; nil where it has none.
    func texcoords(_ mesh: Int = 0) throws -> [[Float]?] {
        guard let st = scene.meshes[mesh].primvars.first(where: { $0.name == "st" }), case .float2(let values) = st.values else { return [] }
        let loaded = try values.load()
        return try (st.indices?.load() ?? []).map { i in
            i == st.unauthoredValuesIndex ? nil : [loaded[Int(i)].x, loaded[Int(i)].y]
        }
    }

    /// The normal of each corner.
    func normals(_ mesh: Int = 0) throws -> [[Float]] {
        guard let normals = scene.meshes[mesh].normals, case .float3(let values) = normals.values else { return [] }
        let loaded = try values.load()
        return try (normals.indices?.load() ?? []).map { [loaded[Int($0)].x, loaded[Int($0)].y, loaded[Int($0)].z] }
    }

    func subsets(_ mesh: Int = 0) throws -> [String: [Int32]] {
        var all: [String: [Int32]] = [:]
        for subset in scene.meshes[mesh].subsets { all[subset.name] = try subset.faces.load() }
        return all
    }
}

@Suite struct OBJReadingTests {
    private let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    private let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1\nvn 0 0 -1\n"

    private func failure(_ text: String) -> Diagnostic? {
        do {
            _ = try OBJRead(text)
            return nil
        } catch {
            return (error as? AssetError)?.diagnostic
        }
    }

    // MARK: Faces

    @Test func cornersMayHaveAnyForm() throws {
        let read = try OBJRead(square + "f 1 2 3\nf 1/1 2/2 3/3 4/4\nf 1//1 2//1 3//2\nf 1/1/1 2/2/1 3/3/2\nf 1/4/ 2/ 3/2\n")
        #expect(try read.faces() == [[0, 1, 2], [0, 1, 2, 3], [0, 1, 2], [0, 1, 2], [0, 1, 2]])
        let st = try read.texcoords()
        #expect(st[0..<3] == [nil, nil, nil] && st[3..<7] == [[0, 0], [1, 0], [1, 1], [0, 1]] && st[7..<10] == [nil, nil, nil])
        #expect(st[10..<13] == [[0, 0], [1, 0], [1, 1]] && st[13...] == [[0, 1], nil, [1, 0]])
        let n = try read.normals()
        // Faces without normals among others that have some are flat, and so made from their corners.
        #expect(n[0..<7].allSatisfy { $0 == [0, 0, 1] } && n[9] == [0, 0, -1] && n[12] == [0, 0, -1] && n[13] == [0, 0, 1])
        #expect(read.diagnostics.isEmpty)
    }

    @Test func negativeIndicesCountBack() throws {
        let read = try OBJRead(triangle + "vt 0 0\nvt 1 0\nf -3/-2 -2/-1 -1/-1\nv 5 5 5\nv 6 6 6\nf -1 -2 -5\nf 1 -1 -2\n")
        #expect(try read.points() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5], [6, 6, 6]])
        #expect(try read.faces() == [[0, 1, 2], [4, 3, 0], [0, 4, 3]])
        #expect(try read.texcoords() == [[0, 0], [1, 0], [1, 0], nil, nil, nil, nil, nil, nil])
        #expect(read.diagnostics.isEmpty)
    }

    @Test func facesOfManyCornersAreRead() throws {
        let count = 300
        let vertices = (0..<count).map { "v \($0) 0 0\n" }.joined()
        let read = try OBJRead(vertices + "f " + (1...count).map(String.init).joined(separator: " ") + "\nf 1 2 3\n")
        #expect(try read.faces() == [Array(0..<Int32(count)), [0, 1, 2]])
    }

    @Test func aSlashEndsACorner() throws {
        let read = try OBJRead(square + "f 1/1/1/9 2/2/1/9 3/3/1/9\nfo 1 2 3\n")
        #expect(try read.faces() == [[0, 1, 2], [0, 1, 2]])
    }

    @Test(arguments: [
        ("f 1 2 0", "obj.index-zero"), ("f 1 2 4", "obj.index-out-of-range"), ("f 1 2 -4", "obj.index-out-of-range"),
        ("f 1 2 x", "obj.index-unreadable"), ("f 1 2 1.5", "obj.index-unreadable"), ("f 1 2", "obj.face-too-small"), ("f", "obj.face-too-small"),
        ("f 1 2 99999999999999999999", "obj.index-out-of-range"), ("f 1 2 -99999999999999999999", "obj.index-out-of-range"),
        ("f 1 2 2147483648", "obj.index-out-of-range"), ("f 1 2 /3", "obj.index-unreadable"), ("l 1 9", "obj.bad-element"),
        ("l 1", "obj.bad-element"), ("p 0", "obj.bad-element"),
    ])
    func elementsThatNameNothingAreLeftOut(line: String, code: String) throws {
        for twice in [false, true] {
            let read = try OBJRead(triangle + "f 1 2 3\n" + line + "\n" + (twice ? line + "\n" : "") + "f 3 2 1\n")
            #expect(try read.faces() == [[0, 1, 2], [2, 1, 0]])
            #expect(read.codes == [code])
            #expect(read.diagnostics.entries.first?.count == (twice ? 2 : 1))
            #expect(read.diagnostics.entries.first?.location.position == .line(5, column: 1))
        }
    }

    @Test func indicesCountWhatStandsBefore() throws {
        // The first face would be right at the end of the file, but names what is not there yet.
        let read = try OBJRead(triangle + "f 1 2 4\nv 5 5 5\nf 1 2 4\n")
        #expect(try read.faces().count == 1)
        #expect(read.codes == ["obj.index-out-of-range"])
        // A file that has all faces first means them all.
        let turned = try OBJRead("f 1 2 3\nf 1 3 4\n" + square)
        #expect(try turned.faces() == [[0, 1, 2], [0, 2, 3]])
        #expect(turned.diagnostics.isEmpty)
    }

    @Test func attributesThatNameNothingAreTakenFromTheCorner() throws {
        let read = try OBJRead(square + "f 1/1 2/9 3/0\nf 1//1 2//-9 3//x\n")
        #expect(try read.faces() == [[0, 1, 2], [0, 1, 2]])
        #expect(try read.texcoords() == [[0, 0], nil, nil, nil, nil, nil])
        #expect(read.codes == ["obj.texcoord-index", "obj.normal-index"])
    }

    // MARK: Numbers

    @Test func numbersAreFreeInForm() throws {
        let read = try OBJRead("v\t+2.  .5 1e-3 \nv -1.E+0 2 2\n  v 0 -0 0.10000000000000000000001\nv 1 -.5 2E3\nf 1 2 3\nf 2 3 4\n")
        #expect(try read.points() == [[2, 0.5, Double(Float(0.001))], [-1, 2, 2], [0, 0, Double(Float(0.1))], [1, -0.5, 2000]])
        #expect(read.diagnostics.isEmpty)
    }

    @Test func numbersThatAreNoneAreTold() throws {
        let read = try OBJRead("v 1 2\nv a b c\nv nan 0 0\nv 0 0 inf\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt x\nvn 1 2\nf 5/1 6/1 7/1\n")
        #expect(read.codes == ["obj.bad-position", "obj.bad-texcoord", "obj.bad-normal"])
        #expect(read.diagnostics.entries.first?.count == 2)
        #expect(try read.faces() == [[0, 1, 2]])
    }

    @Test func aFourthNumberIsAWeightAndSixAreAColour() throws {
        let read = try OBJRead("v 0 0 0 1\nv 1 0 0 0.5\nv 0 1 0 0.25 0.5 1\nf 1 2 3\n")
        #expect(try read.points() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        #expect(read.codes == ["obj.dropped.weight"])
        guard case .float3(let colors) = read.scene.meshes[0].primvars.first?.values else { throw TestFailure("expected colours") }
        #expect(try colors.load() == [Vector3f(1, 1, 1), Vector3f(1, 1, 1), Vector3f(0.25, 0.5, 1)])
    }

    @Test func coloursMayBeBytes() throws {
        let read = try OBJRead("v 0 0 0 255 0 51\nv 1 0 0 0 0 0\nv 0 1 0 1 1 1\nf 1 2 3\n")
        guard case .float3(let colors) = read.scene.meshes[0].primvars.first?.values else { throw TestFailure("expected colours") }
        #expect(try colors.load()[0] == Vector3f(1, 0, 51 * (1 / Float(255))))
    }

    @Test func textThatFloatsWouldMoveIsReadAsDoubles() throws {
        let read = try OBJRead("v 4000000.1 0 0\nv 4000000.7 0 0\nv 4000000.1 1 0\nf 1 2 3\no near\nv 0.1 0 0\nv 1.1 0 0\nv 0 1 0\nf 4 5 6\n")
        #expect(try read.points(0) == [[4000000.1, 0, 0], [4000000.7, 0, 0], [4000000.1, 1, 0]])
        guard case .float = read.scene.meshes[1].points else { throw TestFailure("expected floats") }
    }

    // MARK: Lines of text

    @Test(arguments: ["\n", "\r\n", "\r"]) func linesMayEndInThreeWays(end: String) throws {
        let text = "# a comment \\\nmtllib x y.mtl\no an object \nv 0 0 0\nv 1 0 0 # here\nv 0 \\\n1 0\nf 1 2 \\\n3\n\n# end"
        let read = try OBJRead(text.replacing("\n", with: end), siblings: ["x y.mtl": Array("newmtl a\nKd 1 0 0\n".utf8)])
        #expect(try read.faces() == [[0, 1, 2]])
        #expect(read.scene.nodes[0].name == "an object")
        #expect(read.diagnostics.isEmpty)
        #expect(read.scene.materials.count == 1)
    }

    @Test func aMarkOfUTF8IsPassedOver() throws {
        #expect(try OBJRead([0xEF, 0xBB, 0xBF] + Array((triangle + "f 1 2 3").utf8)).faces() == [[0, 1, 2]])
    }

    @Test(arguments: [false, true]) func utf16IsRead(isBig: Bool) throws {
        let units = Array((triangle + "o Würfel\nf 1 2 3\n").utf16)
        let bytes = ([0xFEFF] + units).flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
        let read = try OBJRead(bytes)
        #expect(try read.faces() == [[0, 1, 2]])
        #expect(read.scene.nodes[0].name == "Würfel")
        #expect(read.codes == ["obj.utf-16"])
    }

    @Test func aBackslashContinuesOnlyAsTheLastCharacter() throws {
        let read = try OBJRead(triangle + "f 1 2 3 \\ \nf 1 2 \\\n\\\n3\n")
        #expect(try read.faces() == [[0, 1, 2]])
        #expect(read.codes == ["obj.index-unreadable"])
    }

    // MARK: Objects, groups, materials

    @Test func eachObjectIsANode() throws {
        let read = try OBJRead(
            triangle + "f 1 2 3\no first\ng left arm\nf 1 2 3\ng\nf 3 2 1\no empty\no second object\nf 1 2 3\no first\nf 1 2 3\n")
        #expect(read.scene.nodes.elements.map(\.name) == ["", "first", "empty", "second object", "first"])
        #expect(read.scene.nodes.elements.map(\.path) == ["/mesh", "/first", "/empty", "/second object", "/first_2"])
        #expect(try read.subsets(1) == ["left": [0], "arm": [0]])
        #expect(try read.subsets(2).isEmpty)
    }

    @Test func groupsAreNodesWhereThereAreNoObjects() throws {
        let read = try OBJRead(triangle + "g default\ng a\nf 1 2 3\ng b c\nf 1 2 3\ng a\nf 3 2 1\ng nothing\n")
        #expect(read.scene.nodes.elements.map(\.name) == ["a", "b c"])
        #expect(try read.faces(0) == [[0, 1, 2], [2, 1, 0]])
    }

    @Test func oneObjectIsOneMeshHoweverOftenMaterialsAlternate() throws {
        let faces = (0..<50).map { "usemtl \($0 % 2 == 0 ? "red" : "green")\nf 1 2 3\n" }.joined()
        let read = try OBJRead("mtllib m.mtl\n" + triangle + "f 1 2 3\n" + faces, siblings: ["m.mtl": Array("newmtl red\nnewmtl green\n".utf8)])
        #expect(read.scene.meshes.count == 1)
        let subsets = try read.subsets()
        #expect(subsets["red"] == (0..<25).map { 2 * $0 + 1 } && subsets["green"] == (0..<25).map { 2 * $0 + 2 })
        #expect(read.scene.nodes[0].subsetMaterials.map { $0.map { read.scene.materials[$0].name } } == ["red", "green"])
        #expect(read.scene.nodes[0].material == nil)
    }

    @Test func aSingleMaterialIsTheNodes() throws {
        let read = try OBJRead("mtllib m.mtl\n" + triangle + "usemtl a #1\nf 1 2 3\n", siblings: ["m.mtl": Array("newmtl a #1\n".utf8)])
        #expect(read.scene.nodes[0].material.map { read.scene.materials[$0].name } == "a #1")
        #expect(read.scene.meshes[0].subsets.isEmpty && read.diagnostics.isEmpty)
    }

    @Test func namesAreCutAtACommentOnlyWhereALibraryKnowsTheShorterOne() throws {
        let read = try OBJRead("mtllib m.mtl\n" + triangle + "usemtl red # warm\nf 1 2 3\n", siblings: ["m.mtl": Array("newmtl red\n".utf8)])
        #expect(read.scene.nodes[0].material.map { read.scene.materials[$0].name } == "red")
        #expect(read.diagnostics.isEmpty)
    }

    @Test func librariesMayBeSeveralAndTheFirstWins() throws {
        let files = [
            "a.mtl": Array("newmtl both\nKd 1 0 0\n".utf8), "b.mtl": Array("newmtl both\nnewmtl mb\n".utf8), "c d.mtl": Array("newmtl mc\n".utf8),
        ]
        let read = try OBJRead("mtllib a.mtl b.mtl\nmtllib c d.mtl\n" + triangle + "usemtl mb\nf 1 2 3\nusemtl mc\nf 1 2 3\n", siblings: files)
        #expect(read.scene.materials.elements.map(\.name) == ["both", "mb", "mc"])
        #expect(read.scene.materials[0].surface?.diffuseColor.value == Vector3f(1, 0, 0))
        #expect(read.scene.source.files.map(\.role) == ["root", "library", "library", "library"])
        #expect(read.diagnostics.isEmpty)
    }

    @Test func severalLibrariesWithBlanksInTheirNames() throws {
        let files = [
            "my red.mtl": Array("newmtl r\n".utf8), "my blue.mtl": Array("newmtl b\n".utf8), "g.mtl": Array("newmtl g\n".utf8),
        ]
        let text = "mtllib my red.mtl g.mtl lost.mtl my blue.mtl \n" + triangle + "usemtl r\nf 1 2 3\nusemtl g\nf 1 2 3\nusemtl b\nf 1 2 3\n"
        let read = try OBJRead(text, siblings: files)
        #expect(read.codes == ["obj.missing-library"])
        #expect(read.scene.source.files.filter { $0.role == "library" }.map(\.path) == ["my red.mtl", "g.mtl", "my blue.mtl"])
    }

    @Test func whatIsMissingIsTold() throws {
        let none = try OBJRead(triangle + "usemtl red\nf 1 2 3\n")
        #expect(none.codes == ["obj.no-library"] && none.scene.materials.elements.map(\.name) == ["red"])
        let lost = try OBJRead("\nmtllib lost.mtl\n" + triangle + "usemtl red\nf 1 2 3\n")
        #expect(lost.codes == ["obj.missing-library", "obj.no-library"])
        #expect(lost.diagnostics.entries[0].location.position == .line(2, column: 1))
        let other = try OBJRead("mtllib m.mtl\n" + triangle + "usemtl blue\nf 1 2 3\n", siblings: ["m.mtl": Array("newmtl red\n".utf8)])
        #expect(other.codes == ["obj.missing-material"])
        #expect(other.scene.materials.elements.map(\.name) == ["red", "blue"])
    }

    @Test func namesThatAreNotUTF8FindTheirMaterial() throws {
        let name: [UInt8] = Array("M".utf8) + [0xFC] + Array("ller".utf8)
        let read = try OBJRead(
            Array(("mtllib m.mtl\n" + triangle + "usemtl ").utf8) + name + Array("\nf 1 2 3\n".utf8),
            siblings: ["m.mtl": Array("newmtl ".utf8) + name + Array("\nKd 1 0 0\n".utf8)])
        #expect(read.codes == [])
        #expect(read.scene.materials.count == 1 && read.scene.materials[0].name == "M\u{FFFD}ller")
    }

    // MARK: Smoothing

    @Test func smoothingGroupsMakeNormals() throws {
        let corner = "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 -1\n"
        let h = Float(0.5).squareRoot()
        func close(_ a: [Float], _ b: [Float]) -> Bool { zip(a, b).allSatisfy { ($0 - $1).magnitude < 1e-6 } }
        let one = try OBJRead(corner + "s 1\nf 1 3 2\nf 1 2 4\n").normals()
        #expect(close(one[0], [-h, 0, h]) && close(one[1], [0, 0, 1]) && close(one[2], [-h, 0, h]) && close(one[5], [-1, 0, 0]))
        let two = try OBJRead(corner + "s 1\nf 1 3 2\ns 2\nf 1 2 4\n").normals()
        #expect(two[0..<3].allSatisfy { close($0, [0, 0, 1]) } && two[3...].allSatisfy { close($0, [-1, 0, 0]) })
        for off in ["s off\n", "s 0\n", ""] { #expect(try OBJRead(corner + off + "f 1 3 2\nf 1 2 4\n").scene.meshes[0].normals == nil) }
        // Where the file has normals, smoothing groups say nothing.
        #expect(try OBJRead(corner + "vn 0 1 0\ns 1\nf 1//1 3//1 2//1\n").normals() == [[0, 1, 0], [0, 1, 0], [0, 1, 0]])
    }

    // MARK: Points and lines

    @Test func verticesAloneArePoints() throws {
        let read = try OBJRead("o cloud\n" + triangle)
        guard case .points(let id) = read.scene.nodes[0].content else { throw TestFailure("expected points") }
        #expect(try OBJRead.points(read.scene.points[id].points) == [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        #expect(read.scene.nodes[0].name == "cloud")
    }

    @Test func linesAndPointsHaveTheirVertices() throws {
        let read = try OBJRead("o x\n" + triangle + "l 1/1 2/2 3/3\nl -1 -3\np 2 3\np 1\nf 1 2 3\n")
        #expect(read.scene.nodes.elements.map(\.typeName) == ["Mesh", "Lines", "Points"])
        #expect(read.scene.nodes.elements.map(\.path) == ["/x", "/x_2", "/x_3"])
        #expect(try read.scene.curves[0].curveVertexCounts.load() == [3, 2])
        #expect(try OBJRead.points(read.scene.curves[0].points) == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]])
        #expect(try OBJRead.points(read.scene.points[0].points) == [[1, 0, 0], [0, 1, 0], [0, 0, 0]])
        #expect(read.codes == ["obj.dropped.line-texcoords"])
    }

    @Test func anObjectHasOnlyThePointsItUses() throws {
        let read = try OBJRead("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\no a\nf 2 3 5\no b\nf 2 5 3\nf 2 3 5\n")
        #expect(try read.points(0) == [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        #expect(try read.faces(1) == [[0, 2, 1], [0, 1, 2]])
    }

    @Test func aFewOfVeryManyPointsNeedNoTableOfAll() throws {
        let many = (0..<5000).map { "v \($0) 0 1\n" }.joined()
        let read = try OBJRead(many + "f 1 2500 5000\nf 5000 1 2500\n")
        #expect(try read.points() == [[0, 0, 1], [2499, 0, 1], [4999, 0, 1]])
        #expect(try read.faces() == [[0, 1, 2], [2, 0, 1]])
    }

    // MARK: What else a file says

    @Test func otherStatementsAreCounted() throws {
        let read = try OBJRead(
            triangle + "vp 0 1\ncstype bspline\ndeg 3\ncurv 0 1 1 2 3\nparm u 0 1\nend\nbevel on\nlod 3\ncall x.obj\nfrobnicate\nf 1 2 3\n")
        #expect(read.codes == ["obj.dropped.surface", "obj.dropped.call", "obj.dropped.display", "obj.unknown-statement"])
        #expect(read.diagnostics.entries.map(\.count) == [6, 1, 2, 1])
        #expect(try read.faces() == [[0, 1, 2]])
    }

    @Test(arguments: ["", "\n\n", "hello\nworld\n", "\u{0}\u{1}\u{2}", "{\"a\": 1}"]) func whatIsNoOBJIsAnError(text: String) {
        #expect(failure(text)?.code == "obj.not-obj")
    }

    @Test func aLargeFileOfZerosIsNoText() {
        let zeros = FileBytes(name: "a.obj", bytes: [UInt8](repeating: 0, count: 2 << 20))
        #expect(!OBJSniffing.mayBeText(zeros))
        #expect(OBJSniffing.mayBeText(FileBytes(name: "a.obj", bytes: [0x76, 0, 0x0A] + [UInt8](repeating: 0, count: 2 << 20))))
    }

    @Test(arguments: ["# nothing here", "o empty\n", "v 1 2 3\n", "mtllib a.mtl\n"]) func filesWithoutFacesAreRead(text: String) throws {
        let read = try OBJRead(text)
        #expect(read.scene.meshes.isEmpty)
    }

    @Test func contentTellsOBJ() {
        func isOBJ(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { OBJSniffing.isOBJ($0) } }
        for text in [triangle, "# x\n\nmtllib a.mtl\r\n", "o a\nv 1 2 3"] { #expect(isOBJ(text)) }
        for text in ["", "# x", "ply\nformat ascii 1.0\n", "solid a\nfacet", "v", "o a\n", "#usda 1.0\n(\n)", "v 1 2 3\nhello there"] {
            #expect(!isOBJ(text))
        }
    }
}
