import AssetModel
import TestSupport
import Testing

@Suite struct SceneInvariantsTests {
    /// A root with two children, the first of which holds two meshes.
    static func sound() -> SceneBuilder {
        var builder = SceneBuilder()
        let red = builder.material("Red")
        builder.node("World") { builder in
            builder.node("Left", transform: .translation(Vector3d(-1, 0, 0))) { builder in
                builder.mesh("Cube", SampleMesh.cube(), material: red)
                builder.mesh("Grid", SampleMesh.grid(columns: 2, rows: 3), transform: .scale(Vector3d(2, 2, 2)))
            }
            builder.node("Right")
        }
        return builder
    }

    static func violations(_ change: (inout Scene) -> Void) -> [String] {
        var builder = sound()
        builder.changeScene(change)
        return SceneInvariants.violations(in: builder.scene, level: .geometry).map(\.message)
    }

    @Test func soundScenesKeepEveryPromise() {
        #expect(Self.violations { _ in } == [])
        #expect(SceneInvariants.violations(in: Scene(source: SourceDescription(file: "", format: "test")), level: .geometry) == [])
    }

    @Test func orderIsChecked() {
        #expect(Self.violations { $0.nodes[1].descendantCount = 3 }.contains { $0.hasPrefix("parent is not") })
        #expect(Self.violations { $0.nodes[4].descendantCount = 1 }.contains { $0.hasPrefix("descendant count is 1") })
        #expect(Self.violations { $0.nodes[2].depth = 1 } == ["depth is 1, expected 2"])
        #expect(Self.violations { $0.nodes[3].parent = nil }.first == "parent is not the node that the order puts above it")
    }

    @Test func pathsAreUniqueAndNested() {
        #expect(Self.violations { $0.nodes[3].path = $0.nodes[2].path } == ["path is used twice"])
        #expect(Self.violations { $0.nodes[3].path = "/Elsewhere" } == ["path does not lie below its parent's"])
        #expect(Self.violations { $0.nodes[0].path = "" }.contains("path is not absolute"))
    }

    @Test func linksAreChecked() {
        #expect(Self.violations { $0.nodes[2].content = .mesh(ID(2)) } == ["content is outside its table"])
        #expect(Self.violations { $0.nodes[2].material = ID(-1) } == ["material is outside its table"])
        #expect(Self.violations { $0.nodes[2].subsetMaterials = [nil] } == ["1 subset materials for 0 subsets"])
        #expect(
            Self.violations { $0.materials[0].inputs[0].texture = TextureBinding(texture: ID(0)) } == ["texture is outside its table"])
    }

    @Test func geometryIsChecked() {
        #expect(Self.violations { $0.nodes[1].worldTransform = .identity }.contains("world transform is not local times parent's"))
        #expect(Self.violations { $0.nodes[0].localTransform = .scale(Vector3d(.nan, 1, 1)) }.contains("transform is not finite"))
        #expect(Self.violations { $0.meshes[0].points = PointArray() } == ["an index is outside the 0 points"])
        #expect(
            Self.violations { $0.meshes[0].faceVertexCounts = DeferredArray([4]) } == ["faces have 4 corners, there are 24 indices"])
        #expect(
            Self.violations { $0.meshes[1].primvars[0].interpolation = .faceVarying } == ["primvar st has 12 values, expected 24"])
    }

    @Test func theNumberOfFindingsIsLimited() {
        var builder = SceneBuilder()
        for _ in 0..<50 { builder.node("Same") }
        #expect(SceneInvariants.violations(in: builder.scene, limit: 7).count == 7)
        #expect(SceneInvariants.violations(in: builder.scene).count == 49)
    }
}
