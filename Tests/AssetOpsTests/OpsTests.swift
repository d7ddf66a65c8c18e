import AssetModel
@testable import AssetOps
import TestSupport
import Testing

@Suite struct KeptCacheTests {
    /// Small things are many: those that hold next to nothing are not kept without end.
    @Test func whatHoldsNothingTakesRoomAsWell() {
        var cache = KeptCache<Int, Int>(limit: 1 << 20)
        for i in 0..<10_000 {
            cache.keep(i, for: i, bytes: 0)
            #expect(cache[i] == i)
        }
        #expect((0..<10_000).count { cache[$0] != nil } <= 1024)
    }
}

@Suite struct UniqueNamesTests {
    @Test func firstKeepsItsNameAndNaturalNamesAreNeverTaken() {
        var names = UniqueNames()
        for name in ["a", "A", "a", "a_2", "b"] { names.announce(name) }
        #expect(["a", "A", "a", "a_2", "b", "b"].map { names.unique($0) } == ["a", "A_3", "a_4", "a_2", "b", "b_2"])
    }

    @Test func madeNamesYieldToNaturalOnes() {
        var names = UniqueNames()
        for name in ["x", "A_x"] { names.announce(name) }
        #expect(
            [names.unique(made: "a_x"), names.unique(made: "b_x"), names.unique(made: "b_x"), names.unique("A_x")] == [
                "a_x_2", "b_x", "b_x_2", "A_x",
            ])
    }

    @Test func madeNamesThatLookNumberedAreNumbered() {
        var names = UniqueNames()
        #expect(
            [names.unique("leaf"), names.unique("leaf"), names.unique(made: "leaf_2"), names.unique(made: "leaf_2")] == [
                "leaf", "leaf_2", "leaf_2_2", "leaf_2_3",
            ])
    }

    @Test func manyNamesOfAFewBasesStayUnique() {
        var random = SplitMix64(seed: 3)
        let bases = ["x", "X", "x_1", "x_2", "x_1_2", "x_2_2", "y"]
        let wanted = (0..<2000).map { _ in bases[random.int(in: 0...(bases.count - 1))] }
        var names = UniqueNames()
        for name in wanted { names.announce(name) }
        let given = wanted.map { names.unique($0).lowercased() }
        #expect(Set(given).count == given.count)
    }

    @Test func safeFileNames() {
        #expect(safeFileName("wood.png") == "wood.png")
        #expect(safeFileName("two words.png") == "two_words.png")
        #expect(safeFileName("..") == "_")
        #expect(safeFileName("-rf.png") == "rf.png")
        #expect(safeFileName("a/b\\c:d*.png") == "a_b_c_d_.png")
        #expect(safeFileName("AUX.png") == "_AUX.png")
        #expect(safeFileName("com1.png") == "_com1.png")
        #expect(safeFileName("コルク.jpg") == "コルク.jpg")
        #expect(safeFileName("line\nbreak\u{202E}.png") == "line_break_.png")
        #expect(safeFileName(String(repeating: "é", count: 200) + ".png").utf8.count <= 104)
        #expect(safeFileName("BASECO~1.PNG") == "BASECO~1.PNG")
    }
}

@Suite struct CurvePointsTests {
    private func line(_ points: [Point3f], _ change: (inout Curves) -> Void) throws -> [Polyline] {
        var curves = Curves(kind: .basis, points: PointArray(points), curveVertexCounts: DeferredArray([Int32(points.count)]))
        curves.type = "cubic"
        change(&curves)
        var lines: [Polyline] = []
        _ = try CurvePoints(curves).forEach { _, line in lines.append(line) }
        return lines
    }

    private let four = [Point3f(0, 0, 0), Point3f(1, 2, 0), Point3f(3, 2, 0), Point3f(4, 0, 0)]

    @Test func bezierGoesThroughItsEndsAndItsMiddle() throws {
        let line = try line(four) { $0.basis = "bezier" }[0]
        #expect(line.points.count == 9)
        #expect(line.points[0] == Point3d(0, 0, 0))
        #expect(line.points[4] == Point3d(2, 1.5, 0))
        #expect(line.points[8] == Point3d(4, 0, 0))
    }

    @Test func splinesByBasisAndWrap() throws {
        let spline = try line(four) { $0.basis = "bspline" }[0]
        #expect((spline.points[0] - Point3d(7.0 / 6, 10.0 / 6, 0)).length < 1e-12)
        let catmull = try line(four) { $0.basis = "catmullRom" }[0]
        #expect(catmull.points.first == Point3d(1, 2, 0))
        #expect(catmull.points.last == Point3d(3, 2, 0))
        let pinned = try line(four) {
            $0.basis = "bspline"
            $0.wrap = "pinned"
        }[0]
        #expect((pinned.points[0] - Point3d(0, 0, 0)).length < 1e-12)
        #expect((pinned.points[pinned.points.count - 1] - Point3d(4, 0, 0)).length < 1e-12)
        let closed = try line(four) {
            $0.basis = "catmullRom"
            $0.wrap = "periodic"
        }[0]
        #expect(closed.isClosed)
        #expect(closed.points.count == 32)
    }

    @Test func nurbsWithBezierKnotsIsTheBezierCurve() throws {
        let nurbs = try line(four) {
            $0.kind = .nurbs
            $0.orders = [4]
            $0.knots = [0, 0, 0, 0, 1, 1, 1, 1]
        }[0]
        let bezier = try line(four) { $0.basis = "bezier" }[0]
        #expect(nurbs.points.count == bezier.points.count)
        for (a, b) in zip(nurbs.points, bezier.points) { #expect((a - b).length < 1e-12) }
    }

    @Test func hermiteCurvesFollowTheirTangents() throws {
        // A Bezier curve's inner points are a third of the tangents away.
        let hermite = try line([four[0], four[3]]) {
            $0.kind = .hermite
            $0.primvars = [
                Primvar(name: "tangents", interpolation: .vertex, values: .float3(DeferredArray([Vector3f(3, 6, 0), Vector3f(3, -6, 0)])))
            ]
        }[0]
        let bezier = try line(four) { $0.basis = "bezier" }[0]
        for (a, b) in zip(hermite.points, bezier.points) { #expect((a - b).length < 1e-12) }
        #expect(hermite.points.count == 9)
    }

    @Test func badCurvesAreCounted() throws {
        var curves = Curves(
            kind: .basis, points: PointArray(four + [Point3f(.nan, 0, 0), Point3f(0, 0, 0), Point3f(9, 9, 9)]),
            curveVertexCounts: DeferredArray([4, 2, 1, 50, 2]))
        curves.type = "linear"
        var count = 0
        let leftOut = try CurvePoints(curves).forEach { _, _ in count += 1 }
        #expect(count == 1)
        #expect(leftOut == 4)
    }
}

@Suite struct MeasurementsTests {
    @Test func countsAndDrawCalls() {
        var builder = SceneBuilder()
        let (red, blue) = (builder.material("red"), builder.material("blue"))
        var mesh = SampleMesh.cube()
        mesh.subsets = [GeomSubset(name: "s", family: "materialBind", faces: DeferredArray([0, 1]))]
        let first = builder.mesh("a", mesh, material: red)
        builder.change(first) { $0.subsetPreviewMaterials = [blue] }
        let content = builder.scene.nodes[first].content
        let hidden = builder.node("b", type: "Mesh", content: content)
        builder.change(hidden) { $0.isVisible = false }
        var diagnostics = Diagnostics()
        let summary = Summary(builder.scene, diagnostics: &diagnostics)
        #expect(summary.totals.meshes == 2)
        #expect(summary.totals.points == 16)
        #expect(summary.totals.faces == 12)
        #expect(summary.totals.triangles == 24)
        #expect(summary.totals.materials == 2)
        #expect(summary.totals.drawCalls == 2)
        #expect(summary.nodesByType.map { "\($0.type) \($0.count)" } == ["Mesh 2"])
        #expect(summary.boundsMeters == summary.bounds)
    }

    @Test func instancerPartsCountOnce() {
        var instancer = PointInstancer(prototypePaths: ["/i/p"])
        instancer.protoIndices = [0, 0, 0]
        instancer.transforms = [.identity, .identity, .identity]
        var builder = SceneBuilder()
        var id = ID<PointInstancer>(0)
        builder.changeScene { id = $0.instancers.append(instancer) }
        builder.node("i", type: "PointInstancer", content: .instancer(id)) { $0.mesh("p", SampleMesh.cube()) }
        var diagnostics = Diagnostics()
        let totals = SceneMeasurements(builder.scene, diagnostics: &diagnostics).totals
        #expect(totals.drawCalls == 1)
        #expect(totals.meshes == 1)
    }
}

@Suite struct DrawListTests {
    /// Ten copies of the next one, as often as there are levels; the last one's prototype has the given content.
    private func nested(_ levels: Int, last: Node.Content) -> Scene {
        var builder = SceneBuilder()
        for i in 0..<levels {
            var instancer = PointInstancer(prototypePaths: [i + 1 < levels ? "/i\(i + 1)" : "/last"])
            instancer.protoIndices = Array(repeating: 0, count: 10)
            instancer.transforms = Array(repeating: .identity, count: 10)
            var id = ID<PointInstancer>(0)
            builder.changeScene { id = $0.instancers.append(instancer) }
            builder.node("i\(i)", content: .instancer(id))
        }
        builder.node("last", content: last)
        return builder.scene
    }

    @Test func instancersThatMultiplyAreRefused() throws {
        let scene = nested(4, last: .implicit(.sphere(radius: 1)))
        var drawn = 0
        // 11,110 copies of the first one alone: none is made before that is found out.
        let list = DrawList(scene, filter: NodeFilter(), maximumCopies: 5000)
        let error = #expect(throws: AssetError.self) { try list.forEach { _ in drawn += 1 } }
        #expect(error?.diagnostic.code == "scene.too-many-copies")
        #expect(error?.diagnostic.location.primPath == "/i0" && drawn == 0)
        try DrawList(scene, filter: NodeFilter(), maximumCopies: 12_340).forEach { _ in drawn += 1 }
        #expect(drawn == 10_000 + 1000 + 100 + 10 + 1)
        #expect(throws: AssetError.self) { try DrawList(scene, filter: NodeFilter(), maximumCopies: 12_339).forEach { _ in } }
        // Bounds of 10^15 copies are not even begun.
        var diagnostics = Diagnostics()
        let bounds = SceneBounds(nested(15, last: .implicit(.sphere(radius: 1))), filter: NodeFilter(), diagnostics: &diagnostics)
        #expect(bounds.nodes.first == .some(nil))
        #expect(diagnostics.entries.contains { $0.code == "scene.too-many-copies" })
    }

    /// A prototype that holds its own instancer has no end: the instancer is left out there.
    @Test func instancerWithinItsPrototype() throws {
        var instancer = PointInstancer(prototypePaths: ["/inst/proto"])
        instancer.protoIndices = Array(repeating: 0, count: 10)
        instancer.transforms = Array(repeating: .identity, count: 10)
        var builder = SceneBuilder()
        var id = ID<PointInstancer>(0)
        builder.changeScene { id = $0.instancers.append(instancer) }
        builder.node("inst", content: .instancer(id)) {
            $0.node("proto", content: .implicit(.sphere(radius: 1))) { $0.node("again", content: .instancer(id)) }
        }
        var drawn = 0
        try DrawList(builder.scene, filter: NodeFilter(), maximumCopies: 10).forEach { _ in drawn += 1 }
        #expect(drawn == 10)
        var diagnostics = Diagnostics()
        let bounds = SceneBounds(builder.scene, filter: NodeFilter(), diagnostics: &diagnostics)
        #expect(bounds.total != nil)
    }
}
