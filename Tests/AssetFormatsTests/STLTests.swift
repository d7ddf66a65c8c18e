import AssetFormats
import AssetIO
import AssetModel
import AssetOps
import TestSupport
import Testing

/// An STL file read into a scene.
private struct STLScene {
    let scene: Scene
    let codes: [String]
    let messages: [String]

    init(_ bytes: [UInt8]) throws {
        let resolver = InMemoryResolver(["a.stl": bytes])
        var context = ReadContext(resolver: resolver)
        scene = try STLFormat().open(try resolver.open("a.stl"), &context).scene(&context)
        codes = context.diagnostics.entries.map(\.code)
        messages = context.diagnostics.entries.map(\.message)
        #expect(SceneInvariants.violations(in: scene).map(\.description) == [])
    }

    init(_ text: String) throws { try self.init(Array(text.utf8)) }

    func points(_ i: Int = 0) throws -> [Point3f] {
        guard case .float(let points) = scene.meshes[ID(i)].points else { return [] }
        return try points.load()
    }
}

/// A binary file: header, the count that it says, triangles of nine numbers, attribute words.
private func binary(header: String = "made here", count: UInt32? = nil, _ triangles: [[Float]], words: [UInt16] = []) -> [UInt8] {
    var out = Array(header.utf8.prefix(80)) + [UInt8](repeating: 0, count: max(0, 80 - header.utf8.count))
    func put(_ x: UInt32) { for k in 0..<4 { out.append(UInt8(truncatingIfNeeded: x >> UInt32(8 * k))) } }
    put(count ?? UInt32(triangles.count))
    for (i, t) in triangles.enumerated() {
        for x in [0, 0, 5] + t { put(x.bitPattern) }
        let word = i < words.count ? words[i] : 0
        out += [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
    }
    return out
}

private let square: [[Float]] = [[0, 0, 0, 1, 0, 0, 1, 1, 0], [0, 0, 0, 1, 1, 0, 0, 1, 0]]
private let corners = [
    Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(0, 0, 0), Point3f(1, 1, 0), Point3f(0, 1, 0),
]

@Suite struct STLTests {
    @Test(arguments: ["made here", "solid base", "solid a\n facet normal 0 0 1\n outer loop"])
    func binaryIsToldByItsSize(_ header: String) throws {
        let s = try STLScene(binary(header: header, square))
        #expect(try s.points() == corners)
        #expect(s.scene.source.version == "binary" && s.codes == [] && s.scene.nodes.map(\.name) == [""])
        #expect(s.scene.nodes.map(\.path) == ["/mesh"] && s.scene.nodes.map(\.typeName) == ["Mesh"])
        #expect(s.scene.meshes[ID(0)].faceVertexCounts.count == 2 && s.scene.meshes[ID(0)].normals == nil)
    }

    /// The complete triangles count, whatever the header says.
    @Test(arguments: [(UInt32(4_000_000_000), 0, 2), (0, 0, 2), (2, 7, 2), (2, -20, 1), (3, 0, 2)])
    func countsThatDoNotFit(_ declared: UInt32, _ change: Int, _ complete: Int) throws {
        var bytes = binary(count: declared, square)
        if change > 0 { bytes += [UInt8](repeating: 1, count: change) } else { bytes.removeLast(-change) }
        let s = try STLScene(bytes)
        #expect(try s.points() == Array(corners.prefix(3 * complete)))
        #expect(s.codes == ["stl.count-mismatch"])
    }

    @Test(arguments: [[UInt8]("\u{FF}\u{D8}\u{FF}\u{E0} JFIF".utf8), [], Array("hello".utf8), [UInt8](repeating: 0x41, count: 500)])
    func whatIsNoneIsRefused(_ bytes: [UInt8]) {
        #expect(throws: AssetError.self) { try STLScene(bytes) }
    }

    static let dialects: [(String, String)] = [
        ("PART", "SOLID PART\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 1 1 0\nENDLOOP\nENDFACET\nENDSOLID PART\n"),
        ("", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\nendsolid\n"),
        (
            "two words #1",
            "\u{FEFF}  solid   two words #1 \r\n\tfacet  normal 0 0 1\r\n outer   loop\r\n vertex  0 0 0\r\n vertex 1 0 0\r\n vertex 1 1 0\r\n endloop\r\n endfacet\r\n endsolid\r\n"
        ),
        ("e", "solid e\rfacet normal 0 0 1\router loop\rvertex 0e0 -0 +0.0\rvertex 1E+0 0 0\rvertex .1e1 10.e-1 0\rendloop\rendfacet\rendsolid e"),
        ("line", "solid line\nfacet normal nan 0 1 outer\nouter loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 endloop endfacet endsolid"),
    ]

    @Test(arguments: dialects) func textInEverySpelling(_ name: String, _ text: String) throws {
        let s = try STLScene(text)
        #expect(try s.points() == Array(corners.prefix(3)))
        #expect(s.scene.nodes.map(\.name) == [name] && s.scene.source.version == "ascii" && s.codes == [])
    }

    /// A text may end anywhere: wherever words are missing then, that is told, and what was whole is kept.
    @Test(arguments: ["solid a b\n", "solid\n"]) func everyCutIsTold(_ first: String) throws {
        let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0.5\nendloop\nendfacet\n"
        let text = first + facet + facet + "endsolid"
        #expect(try STLScene(text).codes == [])
        for length in first.utf8.count..<text.utf8.count {
            // So little that it is nothing is refused.
            guard let s = try? STLScene(Array(text.utf8.prefix(length))) else {
                #expect(length < first.utf8.count + 6)
                continue
            }
            #expect(s.codes.contains { $0 == "stl.truncated" || $0 == "stl.strange-statement" }, "\(length) bytes: \(s.codes)")
            let whole = (length - first.utf8.count) / facet.utf8.count
            if whole > 0 { #expect(try s.points().count >= 3 * whole) }
        }
        // Behind the third vertex of the second facet.
        let third = first + facet + String(facet.prefix { $0 != "5" }) + "5"
        let s = try STLScene(third)
        #expect(try s.points().count == 6 && s.codes == ["stl.truncated"])
    }

    @Test func severalSolidsAreNodesOfTheirOwn() throws {
        let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
        let s = try STLScene(
            "solid a\n\(facet)endsolid a\nsolid A\n\(facet)\(facet)endsolid\nsolid\nendsolid\nsolid b/c\n\(facet)endsolid\nsolid b_c\n\(facet)")
        #expect(s.scene.nodes.map(\.name) == ["a", "A", "", "b/c", "b_c"])
        #expect(s.scene.nodes.map(\.path) == ["/a", "/A_2", "/mesh", "/b_c", "/b_c_2"])
        #expect(s.scene.meshes.map(\.faceVertexCounts.count) == [1, 2, 0, 1, 1])
    }

    @Test func whatCannotBeReadIsCountedAndLeftOut() throws {
        let good = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
        let s = try STLScene(
            "solid x\n" + good + "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n"
                + "facet normal 0 0 1\nouter loop\nvertex 0 zero 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\nwhat is this\n" + good
                + "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0")
        #expect(try s.points() == Array(corners.prefix(3)) + Array(corners.prefix(3)))
        #expect(s.codes == ["stl.strange-statement", "stl.bad-facet", "stl.truncated"])
        #expect(s.messages[0] == "1 line without a statement of STL: left out")
    }

    @Test func largeCoordinatesAreKeptInDoublePrecision() throws {
        let text =
            "solid\nfacet normal 0 0 1\nouter loop\nvertex 446522.057 6280752.806 0\nvertex 446522.307 6280752.806 0\nvertex 446522.307 6280753.056 0\nendloop\nendfacet\nendsolid"
        guard case .double(let points) = try STLScene(text).scene.meshes[ID(0)].points else {
            Issue.record("single precision")
            return
        }
        #expect(try points.load()[0] == Point3d(446522.057, 6280752.806, 0))
    }

    @Test func facetColours() throws {
        func colors(_ header: String, _ words: [UInt16]) throws -> [Vector3f]? {
            let s = try STLScene(binary(header: header, square, words: words))
            guard case .float3(let values)? = s.scene.meshes[ID(0)].primvars.first?.values else { return nil }
            return try values.load()
        }
        #expect(try colors("plain", [0, 0]) == nil)
        // VisCAM: red on top; a triangle without the bit is white.
        #expect(try colors("plain", [0x8000 | 31 << 10, 0]) == [Vector3f(1, 0, 0), Vector3f(1, 1, 1)])
        // Magics: red at the bottom; the bit means the header's colour.
        #expect(try colors("x COLOR=\u{7F}\u{0}\u{0}\u{7F}", [31, 0x8000]) == [Vector3f(1, 0, 0), Vector3f(127.0 / 255, 0, 0)])
    }

    /// Any cut of a text or binary file gives an error or a scene that keeps its promises.
    @Test func cutAnywhere() {
        for whole in [binary(header: "COLOR=\u{1}\u{2}\u{3}\u{4}", square, words: [1, 2]), Array(Self.dialects[2].1.utf8)] {
            for n in 0...whole.count { _ = try? STLScene(Array(whole[0..<n])) }
        }
    }
}

@Suite struct WeldTests {
    @Test func equalCornersAreJoined() throws {
        var scene = try STLScene(binary([[0, 0, 0, 1, 0, 0, 1, 1, 0], [-0.0, 0, 0, 1, 1, 0, 0, 1, 0], [0, 0, 0, .nan, 1, 0, 0, 1, 0]])).scene
        var diagnostics = Diagnostics()
        try scene.weldCorners(&diagnostics)
        let mesh = scene.meshes[ID(0)]
        guard case .float(let points) = mesh.points else { return }
        #expect(try points.load() == [Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(0, 1, 0)])
        #expect(try mesh.faceVertexIndices.load() == [0, 1, 2, 0, 2, 3] && mesh.faceVertexCounts.load() == [3, 3])
        #expect(diagnostics.entries.map(\.code) == ["mesh.position-not-finite"])
    }

    /// Colours stay with the triangles that stay.
    @Test func coloursOfFacesThatAreLeftOutGoWithThem() throws {
        let bad: [Float] = [0, 0, 0, .infinity, 1, 0, 0, 1, 0]
        var scene = try STLScene(binary([square[0], bad, square[1]], words: [0x8000 | 31 << 10, 0, 0x8000 | 31])).scene
        var diagnostics = Diagnostics()
        try scene.weldCorners(&diagnostics)
        guard case .float3(let colors)? = scene.meshes[ID(0)].primvars.first?.values else {
            Issue.record("no colours")
            return
        }
        #expect(try colors.load() == [Vector3f(1, 0, 0), Vector3f(0, 0, 1)])
    }

    /// On generated soups: every corner is where it was, and no two points are equal.
    @Test func weldingMovesNothing() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<50 {
            let triangles = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                (0..<9).map { _ in Float(Int.random(in: -2...2, using: &random)) / 4 }
            }
            let soup = try STLScene(binary(triangles))
            var scene = soup.scene
            var diagnostics = Diagnostics()
            try scene.weldCorners(&diagnostics)
            guard case .float(let points) = scene.meshes[ID(0)].points else { return }
            let all = try points.load()
            let before = try soup.points()
            #expect(try scene.meshes[ID(0)].faceVertexIndices.load().map { all[Int($0)] } == before)
            #expect(Set(all.map { [$0.x, $0.y, $0.z] }).count == all.count)
        }
    }
}
