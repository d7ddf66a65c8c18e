import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct OBJSceneTests {
    private let triangle = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0)])

    @Test func namesAreUniqueIgnoringCaseAndTakeNoNaturalName() throws {
        var builder = SceneBuilder()
        for parent in ["A", "B", "C"] {
            builder.node(parent) { $0.mesh(parent == "B" ? "PART" : "part", triangle) }
        }
        builder.mesh("a_part", triangle)
        builder.mesh("two words #1", triangle)
        let read = try writeOBJ(builder.scene).read()
        #expect(read.objects == ["A_part_2", "B_PART", "C_part", "a_part", "two_words__1"])
        #expect(read.faces.map(\.group) == ["A", "B", "C", "default", "default"])
    }

    @Test func onlyWhatIsVisibleAndOfTheRightPurpose() throws {
        var builder = SceneBuilder()
        let hidden = builder.mesh("hidden", triangle)
        let guide = builder.mesh("guide", triangle)
        let render = builder.mesh("render", triangle)
        builder.change(hidden) { $0.isVisible = false }
        builder.change(guide) { $0.purpose = .guide }
        builder.change(render) { $0.purpose = .render }
        #expect(try writeOBJ(builder.scene).read().objects == ["render"])
        #expect(try writeOBJ(builder.scene) { $0.includeHidden = true }.read().objects == ["hidden", "render"])
        #expect(try writeOBJ(builder.scene) { $0.purposes = [.guide] }.read().objects == ["guide"])
    }

    @Test func subtreeKeepsItsPlaceInTheWorld() throws {
        var builder = SceneBuilder()
        builder.node("A", transform: .translation(Vector3d(1, 0, 0))) { $0.mesh("m", triangle) }
        builder.node("B", transform: .translation(Vector3d(2, 0, 0))) { $0.mesh("m", triangle) }
        let read = try writeOBJ(builder.scene) { $0.nodePath = "/B" }.read()
        #expect(read.objects == ["m"])
        #expect(read.vertices[0] == [2, 0, 0])
        let error = #expect(throws: AssetError.self) { try writeOBJ(builder.scene) { $0.nodePath = "/C" } }
        #expect(error?.diagnostic.code == "scene.no-such-node")
    }

    @Test func nothingToWriteIsAnErrorUnlessAllowed() throws {
        var builder = SceneBuilder()
        builder.node("empty")
        builder.mesh("faceless", Mesh())
        let error = #expect(throws: AssetError.self) { try writeOBJ(builder.scene) }
        #expect(error?.diagnostic.code == "obj.nothing-to-write")
        let written = try writeOBJ(builder.scene) { $0.allowEmpty = true }
        #expect(written.codes == ["obj.nothing-to-write"])
        #expect(written.files.keys.sorted() == ["out.obj"])
    }

    @Test func instancesShareCoordinatesAndAreWrittenEach() throws {
        let grid = SampleMesh.grid(columns: 1, rows: 1)
        var builder = SceneBuilder()
        let first = builder.mesh("a", grid)
        let content = builder.scene.nodes[first].content
        builder.node("b", type: "Mesh", transform: .translation(Vector3d(0, 5, 0)), content: content)
        let read = try writeOBJ(builder.scene).read()
        #expect(read.vertices.count == 8)
        #expect(read.coordinates.count == 4)
        #expect(read.faces.map { $0.corners.map(\.vt) } == [[0, 1, 3, 2], [0, 1, 3, 2]])
        #expect(read.positions(read.faces[1]).allSatisfy { $0[1] == 5 })
    }

    @Test func pointInstancersAreExpanded() throws {
        var instancer = PointInstancer(prototypePaths: ["/inst/proto", "/elsewhere"])
        instancer.protoIndices = [0, 1, 0, 7, 0]
        instancer.transforms = (0..<5).map { .translation(Vector3d(Double($0), 0, 0)) }
        instancer.maskedInstances = [4]
        var builder = SceneBuilder()
        var id: ID<PointInstancer>?
        builder.changeScene { id = $0.instancers.append(instancer) }
        let content = id.map { Node.Content.instancer($0) } ?? .none
        builder.node("inst", type: "PointInstancer", transform: .translation(Vector3d(0, 10, 0)), content: content) { builder in
            builder.node("proto", transform: .translation(Vector3d(99, 0, 0))) { builder in
                builder.mesh("leaf", triangle, transform: .translation(Vector3d(0, 0, 1)))
            }
        }
        builder.node("elsewhere") { $0.mesh("stone", triangle) }
        let read = try writeOBJ(builder.scene).read()
        #expect(read.objects == ["leaf", "stone", "leaf_2", "elsewhere_stone"])
        #expect(read.faces.map(\.group) == ["inst/0", "inst/1", "inst/2", "elsewhere"])
        #expect(read.faces.map { read.positions($0)[0] } == [[0, 10, 1], [1, 10, 0], [2, 10, 1], [0, 0, 0]])
    }

    @Test func instancerWithinItselfEnds() throws {
        var instancer = PointInstancer(prototypePaths: ["/inst/proto"])
        instancer.protoIndices = [0]
        instancer.transforms = [.identity]
        var builder = SceneBuilder()
        var id: ID<PointInstancer>?
        builder.changeScene { id = $0.instancers.append(instancer) }
        let content = id.map { Node.Content.instancer($0) } ?? .none
        builder.node("inst", content: content) { builder in
            builder.node("proto") { builder in
                builder.mesh("m", triangle)
                builder.node("again", content: content)
            }
        }
        // An instancer inside its own prototype is left out there.
        #expect(try writeOBJ(builder.scene).read().faces.count == 1)
    }

    @Test func implicitShapesBecomePolygons() throws {
        var builder = SceneBuilder()
        builder.node("cube", type: "Cube", content: .implicit(.cube(size: 2)))
        builder.node("ball", type: "Sphere", transform: .scale(Vector3d(1, 1, -1)), content: .implicit(.sphere(radius: 3)))
        let read = try writeOBJ(builder.scene).read()
        #expect(read.objects == ["cube", "ball"])
        #expect(read.faces.filter { $0.object == "cube" }.count == 6)
        let ball = read.faces.filter { $0.object == "ball" }
        for face in ball {
            // Every normal points out, and so does the winding.
            let p = read.positions(face).map { Vector3d($0[0], $0[1], $0[2]) }
            #expect((p[1] - p[0]).cross(p[2] - p[0]).dot(p[0] + p[1] + p[2]) > 0)
            for corner in face.corners {
                guard let vn = corner.vn else { continue }
                let n = read.normals[vn]
                let v = read.vertices[corner.v]
                #expect(abs(n[0] * 3 - v[0]) < 1e-5 && abs(n[1] * 3 - v[1]) < 1e-5 && abs(n[2] * 3 - v[2]) < 1e-5)
            }
        }
    }

    @Test func shapesHaveTheirConstantColour() throws {
        func color(_ interpolation: Interpolation, _ values: [Vector3f]) -> Primvar {
            Primvar(name: "displayColor", role: .color, interpolation: interpolation, values: .float3(DeferredArray(values)))
        }
        var builder = SceneBuilder()
        let one = builder.node("one", type: "Cube", content: .implicit(.cube(size: 2)))
        builder.change(one) { $0.inheritedPrimvars = [color(.constant, [Vector3f(1, 0, 0)])] }
        let many = builder.node("many", type: "Cube", content: .implicit(.cube(size: 2)))
        builder.change(many) { $0.inheritedPrimvars = [color(.uniform, Array(repeating: Vector3f(0, 1, 0), count: 6))] }
        let written = try writeOBJ(builder.scene)
        let read = try written.read()
        #expect(read.vertices.prefix(8).allSatisfy { $0.suffix(3) == [1, 0, 0] })
        #expect(read.vertices.suffix(8).allSatisfy { $0.count == 3 })
        #expect(written.codes == ["obj.lost.display-color"])
    }

    @Test func curvesAndPoints() throws {
        var builder = SceneBuilder()
        var curves = Curves(
            kind: .basis, points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(5, 5, 5), Point3f(6, 5, 5)]),
            curveVertexCounts: DeferredArray([3, 2]))
        curves.wrap = "periodic"
        let cloud = PointCloud(
            points: PointArray([Point3f(7, 7, 7), Point3f(8, 8, 8)]),
            primvars: [
                Primvar(
                    name: "displayColor", interpolation: .vertex,
                    values: .float3(DeferredArray([Vector3f(1, 0, 0), Vector3f(0, 1, 0)])))
            ])
        var ids: (ID<Curves>, ID<PointCloud>)?
        builder.changeScene { ids = ($0.curves.append(curves), $0.points.append(cloud)) }
        guard let ids else { return }
        builder.node("hair", type: "BasisCurves", content: .curves(ids.0))
        builder.node("dust", type: "Points", content: .points(ids.1))
        let read = try writeOBJ(builder.scene).read()
        #expect(read.lines == [[0, 1, 2, 0], [3, 4]])
        #expect(read.pointElements == [5, 6])
        #expect(read.vertices[6] == [8, 8, 8, 0, 1, 0])
    }

    @Test func whatOBJCannotHoldIsSaid() throws {
        var mesh = SampleMesh.cube()
        mesh.subdivisionScheme = "catmullClark"
        mesh.blendShapeCount = 2
        mesh.primvars = [
            Primvar(name: "wear", interpolation: .uniform, values: .float(DeferredArray(Array(repeating: 0, count: 6)))),
            Primvar(name: "displayOpacity", interpolation: .constant, values: .float(DeferredArray([0.5]))),
        ]
        var builder = SceneBuilder()
        builder.mesh("m", mesh)
        builder.material("unused")
        var camera: ID<Camera>?
        builder.changeScene { camera = $0.cameras.append(Camera()) }
        if let camera { builder.node("cam", type: "Camera", content: .camera(camera)) }
        let written = try writeOBJ(builder.scene)
        #expect(
            written.codes == [
                "obj.lost.primvar", "obj.lost.display-opacity", "obj.cage", "obj.rest-shape", "obj.unused", "obj.lost.cameras",
            ])
        #expect(written.diagnostics[4].message == "1 material not used by what is written left out")
    }
}
