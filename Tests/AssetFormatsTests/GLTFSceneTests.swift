import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct GLTFSceneTests {
    private static let shown = "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]"
    private static let triangle: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]

    private func sound(_ read: ReadGLTF) { #expect(SceneInvariants.violations(in: read.scene, level: .geometry).isEmpty) }

    @Test func textAndBinaryAreRecognised() {
        let file = GLTFFile(Self.shown)
        #expect(file.text.withUnsafeBytes { GLTFFormat(.gltf).recognizes(RawSpan(_unsafeBytes: $0)) })
        #expect(file.binary.withUnsafeBytes { GLTFFormat(.glb).recognizes(RawSpan(_unsafeBytes: $0)) })
        #expect(!file.binary.withUnsafeBytes { GLTFFormat(.gltf).recognizes(RawSpan(_unsafeBytes: $0)) })
        #expect(!Array("{\"a\":1}".utf8).withUnsafeBytes { GLTFFormat(.gltf).recognizes(RawSpan(_unsafeBytes: $0)) })
    }

    @Test func triangleInBothContainers() throws {
        var file = GLTFFile(Self.shown, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"indices\":2}]}]")
        file.add(Self.triangle, "VEC3")
        file.add([0, 0, 0.25, 1, 1, 0.75], "VEC2")
        file.add(indices: [2, 1, 0])
        for bytes in [file.text, file.binary] {
            let read = try readGLTF(bytes)
            sound(read)
            #expect(read.codes == [])
            #expect(try read.points() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
            #expect(try read.faces() == [[2, 1, 0]])
            // v counts from the bottom.
            #expect(try read.numbers("st") == [[0, 1], [0.25, 0], [1, 0.25]])
            #expect(read.scene.nodes.map(\.typeName) == ["Mesh"])
            #expect(read.scene.metadata.upAxis == "Y")
            #expect(read.scene.metadata.metersPerUnit == 1)
        }
        #expect(try readGLTF(file.text).scene.source.format == "gltf")
        #expect(try readGLTF(file.binary).scene.source.format == "glb")
    }

    @Test func stripsAndFans() throws {
        func faces(_ mode: Int, _ indices: [UInt16]?) throws -> [[Int32]] {
            var file = GLTFFile(
                Self.shown,
                "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":\(mode)\(indices == nil ? "" : ",\"indices\":1")}]}]")
            file.add([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0], "VEC3")
            if let indices { file.add(indices: indices) }
            let read = try readGLTF(file.text)
            sound(read)
            return try read.faces()
        }
        #expect(try faces(5, nil) == [[0, 1, 2], [1, 3, 2], [2, 3, 4]])
        #expect(try faces(6, [0, 1, 3, 2]) == [[1, 3, 0], [3, 2, 0]])
        #expect(try faces(4, nil) == [[0, 1, 2]])
    }

    @Test func linesAndPointsAreNodesOfTheirOwn() throws {
        let modes = [0, 1, 2, 3].map { "{\"attributes\":{\"POSITION\":0},\"mode\":\($0)}" }.joined(separator: ",")
        var file = GLTFFile(Self.shown, "\"meshes\":[{\"primitives\":[\(modes)]}]")
        file.add([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0], "VEC3")
        let read = try readGLTF(file.text)
        sound(read)
        #expect(read.scene.nodes.map(\.typeName) == ["Points", "Lines", "Lines", "Lines"])
        #expect(read.scene.points.map(\.points.count) == [5])
        #expect(try read.scene.curves.map { try $0.curveVertexCounts.load() } == [[2, 2], [5], [5]])
        #expect(read.scene.curves.map(\.wrap) == ["nonperiodic", "periodic", "nonperiodic"])
        #expect(read.scene.nodes[0].descendantCount == 3)
    }

    @Test func primitivesOfOneMeshBecomeSubsets() throws {
        var file = GLTFFile(
            Self.shown, "\"materials\":[{\"name\":\"a\"},{\"name\":\"b\"}]",
            "\"meshes\":[{\"primitives\":["
                + "{\"attributes\":{\"POSITION\":0},\"material\":0},{\"attributes\":{\"POSITION\":1},\"material\":1},"
                + "{\"attributes\":{\"POSITION\":0},\"material\":0}]}]")
        file.add(Self.triangle, "VEC3")
        file.add([0, 0, 1, 1, 0, 1, 0, 1, 1], "VEC3")
        let read = try readGLTF(file.text)
        sound(read)
        #expect(read.scene.meshes.count == 1)
        #expect(read.mesh.points.count == 6)
        #expect(try read.faces() == [[0, 1, 2], [3, 4, 5], [0, 1, 2]])
        #expect(read.mesh.subsets.map(\.name) == ["a", "b"])
        #expect(try read.mesh.subsets.map { try $0.faces.load() } == [[0, 2], [1]])
        #expect(read.scene.nodes[0].subsetMaterials.map { $0?.index } == [0, 1])
    }

    @Test func primitivesOfOtherAttributesAreMeshesOfTheirOwn() throws {
        var file = GLTFFile(
            Self.shown, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}},{\"attributes\":{\"POSITION\":0,\"NORMAL\":0}}]}]")
        file.add(Self.triangle, "VEC3")
        let read = try readGLTF(file.text)
        sound(read)
        #expect(read.scene.meshes.count == 2)
        #expect(read.paths == ["/node0", "/node0/mesh"])
    }

    @Test func transformsOfNodes() throws {
        let read = try readGLTF(
            "\"scenes\":[{\"nodes\":[0]},{\"name\":\"other\",\"nodes\":[]}],\"nodes\":["
                + "{\"name\":\"top\",\"scale\":[2,2,2],\"children\":[1]},"
                + "{\"name\":\"mid\",\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],\"children\":[2]},"
                + "{\"name\":\"leaf\",\"translation\":[1,0,0]}]")
        sound(read)
        #expect(read.paths == ["/top", "/top/mid", "/top/mid/leaf"])
        let p = read.scene.nodes[2].worldTransform.transform(point: Vector3d(0, 0, 0))
        #expect((p - Vector3d(0, 2, 0)).length < 1e-12)
        #expect(read.codes == ["gltf.other-scenes"])
    }

    @Test func namesAreUniqueAmongSiblings() throws {
        let read = try readGLTF(
            "\"scenes\":[{\"nodes\":[0,1,2,3]}],\"nodes\":[{\"name\":\"Box\"},{\"name\":\"box\"},{},{\"name\":\"a/b\",\"children\":[4]},{\"name\":\"Box\"}]"
        )
        sound(read)
        #expect(read.paths == ["/Box", "/box_2", "/node2", "/a_b", "/a_b/Box"])
        #expect(read.scene.nodes.map(\.name) == ["Box", "box", "", "a/b", "Box"])
    }

    @Test func loopsAndDepth() throws {
        func nodes(_ text: String) -> [UInt8] {
            Array("{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[\(text)]}".utf8)
        }
        #expect(failureOfGLTF(nodes("{\"children\":[1]},{\"children\":[0]}")) == "gltf.node-loop")
        #expect(failureOfGLTF(nodes("{\"children\":[0]}")) == "gltf.node-loop")
        let chain = (1...600).map { "{\"children\":[\($0)]}" }.joined(separator: ",")
        #expect(failureOfGLTF(nodes(chain + ",{}")) == "gltf.too-deep")
        // Twice as many nodes on each floor.
        let doubling = (1...40).map { "{\"children\":[\($0),\($0)]}" }.joined(separator: ",")
        #expect(failureOfGLTF(nodes(doubling + ",{}")) == "gltf.too-many-nodes")
        #expect(failureOfGLTF(nodes("{\"children\":[7]}")) == nil)
    }

    @Test func colorsJointsAndTargets() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0,1]}]",
            "\"nodes\":[{\"mesh\":0,\"skin\":0},{\"name\":\"hip\",\"translation\":[0,1,0],\"children\":[2]},{\"name\":\"knee\",\"translation\":[0,2,0]}]",
            "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":5}]",
            "\"meshes\":[{\"extras\":{\"targetNames\":[\"smile\"]},\"primitives\":[{\"attributes\":"
                + "{\"POSITION\":0,\"COLOR_0\":1,\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"targets\":[{\"POSITION\":4}]}]}]")
        file.add(Self.triangle, "VEC3")
        file.add(bytes: [255, 0, 0, 255, 0, 51, 0, 0, 0, 0, 255, 255], 5121, numbers: 12, "VEC4", extra: "\"normalized\":true")
        file.add(bytes: [0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0], 5121, numbers: 12, "VEC4")
        file.add([1, 0, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0], "VEC4")
        file.add([0, 0, 1, 0, 0, 0, 0, 0, 0], "VEC3")
        let identity: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
        file.add(identity + identity.dropLast(4) + [0, -3, 0, 1], "MAT4")
        let read = try readGLTF(file.text)
        sound(read)
        #expect(try read.numbers("displayColor") == [[1, 0, 0], [0, 0.2, 0], [0, 0, 1]])
        #expect(try read.numbers("displayOpacity") == [[1], [0], [1]])
        #expect(read.mesh.blendShapes.map(\.name) == ["smile"])
        #expect(try read.mesh.blendShapes[0].offsets.load()[0] == Vector3f(0, 0, 1))
        let skin = try #require(read.mesh.skin)
        #expect(skin.skeletonPath == "/hip")
        #expect(skin.jointIndices.elementSize == 4)
        guard case .int(let joints) = skin.jointIndices.values else { throw TestFailure("joints are no whole numbers") }
        #expect(try joints.load() == [0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0])
        let skeleton = try #require(read.scene.skeletons.first)
        #expect(skeleton.joints == ["hip", "hip/knee"])
        #expect(skeleton.bindTransforms[1].rows.3 == [0, 3, 0, 1])
        #expect(skeleton.restTransforms[1].rows.3 == [0, 2, 0, 1])
        #expect(read.scene.nodes.map(\.typeName) == ["Mesh", "Joint", "Joint"])
    }

    @Test func animationsAreReadWhenAskedFor() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"n\"}]",
            "\"animations\":[{\"name\":\"walk\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}],"
                + "\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"STEP\"}]}]")
        file.add([0, 0.5], "SCALAR")
        file.add([0, 0, 0, 1, 2, 3], "VEC3")
        #expect(try readGLTF(file.text).scene.animations.isEmpty)
        let read = try readGLTF(file.text) { $0.wantsAnimation = true }
        sound(read)
        #expect(read.scene.nodes[0].isAnimated)
        let track = try #require(read.scene.animations.first?.tracks.first)
        #expect(track.targetPath == "/n")
        #expect(track.interpolation == .held)
        #expect(track.times == [0, 0.5])
        #expect(track.values == [0, 0, 0, 1, 2, 3])
    }

    @Test func instancesOfAMesh() throws {
        var file = GLTFFile(
            "\"extensionsRequired\":[\"EXT_mesh_gpu_instancing\"]",
            "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"n\",\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":1}}}}]",
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]")
        file.add(Self.triangle, "VEC3")
        file.add([1, 0, 0, 0, 5, 0], "VEC3")
        let read = try readGLTF(file.text)
        sound(read)
        #expect(read.scene.nodes.map(\.typeName) == ["PointInstancer", "Mesh"])
        #expect(read.scene.instancers[0].prototypePaths == ["/n/prototype"])
        #expect(read.scene.instancers[0].transforms.map { $0.rows.3 } == [[1, 0, 0, 1], [0, 5, 0, 1]])
    }

    @Test func camerasAndLights() throws {
        let read = try readGLTF(
            "\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"camera\":0},{\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}}],"
                + "\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"aspectRatio\":2,\"znear\":0.1}}],"
                + "\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[{\"type\":\"spot\",\"intensity\":20,\"color\":[1,0.5,0],\"spot\":{}}]}}")
        sound(read)
        let camera = try #require(read.scene.cameras.first)
        #expect((2 * atanOfHalf(camera.verticalAperture / camera.focalLength) - 1).magnitude < 1e-6)
        #expect(camera.horizontalAperture == camera.verticalAperture * 2)
        let light = try #require(read.scene.lights.first)
        #expect(light.kind == "spot")
        #expect(light.intensity == 20)
        #expect(light.color == Vector3f(1, 0.5, 0))
        #expect(light.parameters.map(\.key) == ["innerConeAngle", "outerConeAngle"])
    }

    /// The arc tangent of half of x, by its series' continued halving: no library of functions is at hand in tests.
    private func atanOfHalf(_ x: Float) -> Double {
        var (t, n) = (Double(x) / 2, 1.0)
        for _ in 0..<20 {
            t = t / (1 + (1 + t * t).squareRoot())
            n *= 2
        }
        return t * n
    }
}
