import AssetModel
import AssetOps
import TestSupport
import Testing

@Suite struct BoundsTests {
    private func measure(_ builder: SceneBuilder, _ filter: NodeFilter = NodeFilter()) -> SceneBounds {
        var diagnostics = Diagnostics()
        return SceneBounds(builder.scene, filter: filter, diagnostics: &diagnostics)
    }

    private func box(_ lo: (Double, Double, Double), _ hi: (Double, Double, Double)) -> BoundingBox {
        BoundingBox(min: Vector3d(lo.0, lo.1, lo.2), max: Vector3d(hi.0, hi.1, hi.2))
    }

    private func near(_ a: BoundingBox?, _ b: BoundingBox?, _ tolerance: Double = 1e-9) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return (a.min - b.min).length <= tolerance && (a.max - b.max).length <= tolerance
    }

    /// A turn about z by an angle with a known sine and cosine (3-4-5).
    private let turned = Matrix4d([0.6, 0.8, 0, 0], [-0.8, 0.6, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1])

    @Test func pointsGoThroughTheWorldTransform() {
        var builder = SceneBuilder()
        builder.node("a", transform: .translation(Vector3d(10, 0, 0))) { builder in
            builder.mesh("m", SampleMesh.polygon([Point3f(0, 0, 0), Point3f(5, 0, 0), Point3f(0, 5, 0)]), transform: turned)
        }
        // (5, 0) turns to (3, 4), (0, 5) to (-4, 3); the box of the turned box would reach (-4, 0) to (3, 7).
        let bounds = measure(builder)
        #expect(near(bounds.total, box((6, 0, 0), (13, 4, 0))))
        #expect(bounds.nodes[0] == nil)
        #expect(near(bounds.nodes[1], bounds.total))
    }

    @Test func sharedMeshesAreMeasuredUnderEachTransform() {
        var random = SplitMix64(seed: 11)
        let points = (0..<1000).map { _ in
            Point3f(random.float(in: -1...1), random.float(in: -3...2), random.float(in: 0...1))
        }
        let mesh = Mesh(points: PointArray(points))
        var builder = SceneBuilder()
        let first = builder.mesh("m", mesh)
        let content = builder.scene.nodes[first].content
        var transforms: [Matrix4d] = [.identity]
        for i in 0..<12 {
            var m = turned
            for _ in 0..<i { m = m * Matrix4d([1, 0, 0, 0], [0, 0.6, 0.8, 0], [0, -0.8, 0.6, 0], [Double(i), 0, 0, 1]) }
            transforms.append(m)
            builder.node("n\(i)", transform: m, content: content)
        }
        let bounds = measure(builder)
        for (i, m) in transforms.enumerated() {
            var expected = BoundingBox()
            for p in points { expected.formUnion(m.transform(point: Vector3d(p))) }
            #expect(near(bounds.nodes[i], expected), "\(i)")
        }
    }

    @Test func pointsThatAreNotFiniteAreLeftOut() {
        var points = (0..<9).map { Point3f(Float($0), 1, 2) }
        points[3] = Point3f(.nan, 100, 100)
        points[4] = Point3f(-.infinity, 0, 0)
        for m in [Matrix4d.identity, turned] {
            var builder = SceneBuilder()
            builder.mesh("m", Mesh(points: PointArray(points)), transform: m)
            var expected = BoundingBox()
            for p in points where p.isFinite { expected.formUnion(m.transform(point: Vector3d(p))) }
            #expect(near(measure(builder).total, expected))
        }
        var none = SceneBuilder()
        none.mesh("m", Mesh(points: PointArray([Point3f(.nan, 0, 0)])))
        #expect(measure(none).total == nil)
        #expect(measure(none).nodes == [nil])
    }

    /// However an array is measured (alone, a few times, many times), what is left out of it is counted and told once.
    @Test func pointsLeftOutAreToldOnce() {
        var points = (0..<9).map { Point3f(Float($0), 1, 2) }
        points[3] = Point3f(.nan, 100, 100)
        points[8] = Point3f(0, 0, .infinity)
        let doubles = points.map { Vector3d($0) }
        for uses in [1, 2, 6] {
            for array in [PointArray(points), .double(DeferredArray(doubles))] {
                for m in [Matrix4d.identity, turned] {
                    var builder = SceneBuilder()
                    let first = builder.mesh("m", Mesh(points: array), transform: m)
                    let content = builder.scene.nodes[first].content
                    for i in 1..<max(2, uses) where i < uses { builder.node("n\(i)", transform: m, content: content) }
                    for total in [false, true] {
                        var diagnostics = Diagnostics()
                        if total {
                            _ = SceneBounds.total(of: builder.scene, diagnostics: &diagnostics)
                        } else {
                            _ = SceneBounds(builder.scene, diagnostics: &diagnostics)
                        }
                        #expect(diagnostics.entries.map(\.message) == ["2 points that are not finite are left out of the bounds"], "\(uses)")
                        #expect(diagnostics.entries.first?.location.primPath == "/m")
                    }
                }
            }
        }
    }

    @Test func hiddenAndGuidesHaveBoundsButDoNotCount() {
        let mesh = SampleMesh.cube()
        var builder = SceneBuilder()
        builder.mesh("a", mesh)
        let hidden = builder.mesh("b", mesh, transform: .translation(Vector3d(10, 0, 0)))
        let guide = builder.mesh("c", mesh, transform: .translation(Vector3d(20, 0, 0)))
        builder.change(hidden) { $0.isVisible = false }
        builder.change(guide) { $0.purpose = .guide }
        let bounds = measure(builder)
        #expect(bounds.total == box((-1, -1, -1), (1, 1, 1)))
        #expect(bounds.nodes[2] == box((19, -1, -1), (21, 1, 1)))
        #expect(measure(builder, NodeFilter(includeHidden: true)).total?.max.x == 11)
        #expect(measure(builder, NodeFilter(purposes: [.guide])).total?.min.x == 19)
    }

    @Test func implicitShapesAreExactForTheShape() {
        func bounds(_ shape: ImplicitShape, _ m: Matrix4d) -> BoundingBox? {
            var builder = SceneBuilder()
            builder.node("s", transform: m, content: .implicit(shape))
            return measure(builder).total
        }
        #expect(near(bounds(.sphere(radius: 2), turned), box((-2, -2, -2), (2, 2, 2))))
        #expect(near(bounds(.cube(size: 2), turned), box((-1.4, -1.4, -1), (1.4, 1.4, 1))))
        #expect(near(bounds(.cylinder(radiusBottom: 1, radiusTop: 2, height: 4, axis: "X"), .identity), box((-2, -2, -2), (2, 2, 2))))
        // Along the turned axis (0.6, 0.8): two discs of radius 1, reaching 0.8 and 0.6 sideways.
        #expect(near(bounds(.cylinder(radiusBottom: 1, radiusTop: 1, height: 10, axis: "X"), turned), box((-3.8, -4.6, -1), (3.8, 4.6, 1))))
        #expect(near(bounds(.cone(radius: 1, height: 10, axis: "X"), turned), box((-3.8, -4.6, -1), (3, 4, 1))))
        #expect(near(bounds(.capsule(radiusBottom: 1, radiusTop: 1, height: 10, axis: "X"), turned), box((-4, -5, -1), (4, 5, 1))))
        // The radii are the rims': the ends' spheres are larger and lie further up, so that the side runs into them.
        let r = 2.0615528128088303
        #expect(
            near(
                bounds(.capsule(radiusBottom: 1, radiusTop: 2, height: 4, axis: "Y"), .identity),
                box((-r, -2.7807764064044154, -r), (r, 4.561552812808831, r))))
        #expect(near(bounds(.plane(width: 2, length: 6, axis: "X"), .identity), box((0, -3, -1), (0, 3, 1))))
        #expect(near(bounds(.plane(width: 2, length: 6, axis: "Y"), .identity), box((-1, 0, -3), (1, 0, 3))))
        #expect(near(bounds(.plane(width: 2, length: 6, axis: "Z"), .identity), box((-1, -3, 0), (1, 3, 0))))
    }

    @Test func tessellatedShapesFillTheirBounds() throws {
        let shapes: [ImplicitShape] = [
            .cube(size: 3), .sphere(radius: 2), .cylinder(radiusBottom: 1, radiusTop: 2, height: 5, axis: "Y"),
            .cone(radius: 2, height: 3, axis: "X"), .capsule(radiusBottom: 1, radiusTop: 1.5, height: 2, axis: "Z"),
            .capsule(radiusBottom: 3, radiusTop: 1, height: 4, axis: "X"), .capsule(radiusBottom: 1, radiusTop: 0, height: 3, axis: "Y"),
            .capsule(radiusBottom: 3, radiusTop: 1, height: 0, axis: "Z"),
            .plane(width: 1, length: 2, axis: "Y"), .plane(width: 1, length: 2, axis: "X"),
        ]
        for shape in shapes {
            var builder = SceneBuilder()
            builder.mesh("m", tessellate(shape))
            builder.node("s", content: .implicit(shape))
            let bounds = measure(builder)
            #expect(near(bounds.nodes[0], bounds.nodes[1], 1e-6), "\(shape)")
            #expect(SceneInvariants.violations(in: builder.scene, level: .geometry).isEmpty)
        }
    }

    @Test func instancersCoverTheirUnmaskedInstances() {
        var instancer = PointInstancer(prototypePaths: ["/inst/proto"])
        instancer.protoIndices = [0, 0, 0, 9]
        instancer.transforms = [.translation(Vector3d(10, 0, 0)), turned, .translation(Vector3d(-50, 0, 0)), .translation(Vector3d(77, 0, 0))]
        instancer.maskedInstances = [2]
        var builder = SceneBuilder()
        var id = ID<PointInstancer>(0)
        builder.changeScene { id = $0.instancers.append(instancer) }
        builder.node("inst", transform: .translation(Vector3d(0, 0, 5)), content: .instancer(id)) { builder in
            // The root's own transform is in the instances' already.
            builder.node("proto", transform: .translation(Vector3d(99, 0, 0))) { builder in
                builder.mesh("m", SampleMesh.polygon([Point3f(0, 0, 0), Point3f(5, 0, 0), Point3f(0, 5, 0)]))
                builder.node("ball", transform: .translation(Vector3d(0, -3, 0)), content: .implicit(.sphere(radius: 1)))
            }
        }
        let bounds = measure(builder)
        // Untouched at x = 10; turned: the triangle reaches (3, 4) and (-4, 3), the ball's centre (2.4, -1.8).
        #expect(near(bounds.nodes[0], box((-4, -4, 4), (15, 5, 6))))
        #expect(near(bounds.total, bounds.nodes[0]))
        #expect(near(bounds.nodes[2], box((99, 0, 5), (104, 5, 5))))
    }

    @Test func damagedArraysAreReportedAndLeftOut() {
        struct Damaged: DeferredArraySource {
            var count: Int { 3 }
            func load() throws(AssetError) -> [Point3f] { throw AssetError("test.damaged", "cut off", at: SourceLocation(file: "x")) }
        }
        var builder = SceneBuilder()
        builder.mesh("bad", Mesh(points: .float(.deferred(Damaged()))))
        builder.mesh("good", SampleMesh.cube())
        var diagnostics = Diagnostics()
        let bounds = SceneBounds(builder.scene, diagnostics: &diagnostics)
        #expect(bounds.nodes[0] == nil)
        #expect(bounds.total == box((-1, -1, -1), (1, 1, 1)))
        #expect(diagnostics.entries.map(\.code) == ["test.damaged"])
        #expect(diagnostics.entries.map(\.severity) == [.warning])
        #expect(diagnostics.entries.map(\.location.primPath) == ["/bad"])
    }
}
