import AssetFormats
import AssetIO
import AssetImages
import AssetModel
import AssetOps
import TestSupport
import Testing

@Suite struct GLTFWriterTests {
    private let triangle = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0)])

    private func write(_ scene: Scene, files: [String: [UInt8]] = [:], _ change: (inout WriteOptions) -> Void = { _ in }) throws -> Written {
        try Written(GLTFFormat(.gltf), scene, files: files, change)
    }

    private func scene(_ meshes: Mesh...) -> Scene {
        var builder = SceneBuilder()
        for mesh in meshes { builder.mesh("part", mesh) }
        return builder.scene
    }

    /// The JSON without the white space that makes it readable.
    private func plain(_ written: Written) -> String { written.text.filter { $0 != "\n" && $0 != " " } }

    private func png(_ pixels: [[UInt8]]) throws -> [UInt8] {
        let channels = pixels[0].count
        let raster = try #require(Raster(width: pixels.count, height: 1, channels: channels, bytes: pixels.flatMap { $0 }))
        return try ImageCodec.encodePNG(raster)
    }

    /// A quad with texture coordinates, and a material that the body changes.
    private func textured(
        _ textures: [String], _ change: (inout Surface, [ID<Texture>]) -> Void, mesh: Mesh = SampleMesh.grid(columns: 1, rows: 1)
    ) -> Scene {
        var builder = SceneBuilder()
        let material = builder.material("paint")
        builder.mesh("part", mesh, material: material)
        builder.changeScene { scene in
            var ids: [ID<Texture>] = []
            for name in textures { ids.append(scene.textures.append(Texture(authoredPath: name, source: .file(name)))) }
            var surface = Surface()
            change(&surface, ids)
            scene.materials[material].surface = surface
        }
        return builder.scene
    }

    private func image(_ written: Written, _ name: String) throws -> Raster {
        let bytes = try #require(written.files["textures/\(name)"])
        return try bytes.withUnsafeBytes { raw throws in try ImageCodec.decode(raw, name: name) }
    }

    // MARK: Exact small files

    @Test func aTriangle() throws {
        let written = try write(scene(triangle))
        #expect(
            plain(written) == """
                {"asset":{"version":"2.0","generator":"Facet"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"part","mesh":0}],\
                "meshes":[{"name":"part","primitives":[{"attributes":{"POSITION":0},"indices":1}]}],\
                "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},\
                {"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],\
                "bufferViews":[{"buffer":0,"byteLength":36,"target":34962},{"buffer":0,"byteOffset":36,"byteLength":6,"target":34963}],\
                "buffers":[{"uri":"out.bin","byteLength":44}]}
                """)
        let floats: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]
        #expect(
            written.files["out.bin"] == floats.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) } + [0, 0, 1, 0, 2, 0, 0, 0])
        #expect(written.codes == [])
    }

    /// Two chunks, each a multiple of four bytes: JSON filled up with blanks, the rest with zeros (section 4.4).
    @Test func aBinaryFile() throws {
        let written = try Written(GLTFFormat(.glb), scene(triangle))
        let bytes = written.bytes
        func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
        #expect(bytes.starts(with: Array("glTF".utf8)) && word(4) == 2 && word(8) == bytes.count)
        let json = word(12)
        #expect(json % 4 == 0 && Array(bytes[16..<20]) == Array("JSON".utf8) && bytes[20 + json - 1] != 0)
        #expect(word(20 + json) == 44 && Array(bytes[(24 + json)..<(28 + json)]) == Array("BIN\0".utf8) && 28 + json + 44 == bytes.count)
        #expect(written.files.count == 1)
        let again = try Written(GLTFFormat(.glb), scene(triangle))
        #expect(again.bytes == bytes)
    }

    /// The bounds are those of the stored floats, to the bit.
    @Test func boundsAreThoseOfTheFloats() throws {
        let mesh = SampleMesh.polygon([Point3f(0.1, 0.2, -8.310236e-08), Point3f(1.1, 0.7, 0.3), Point3f(0.5, 0.3, 0.25)])
        let text = plain(try write(scene(mesh)))
        #expect(text.contains("\"min\":[0.1,0.2,-8.310236e-8],\"max\":[1.1,0.7,0.3]"))
    }

    // MARK: Vertices

    /// Corners share a vertex where everything is equal, whichever points say so.
    @Test func verticesAreTheFewest() throws {
        // Two triangles without a common point, of which two positions are equal.
        let soup = Mesh(
            points: PointArray([
                Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0), Point3f(1, 0, 0), Point3f(1, 1, 0), Point3f(-0.0, 1, 0), Point3f(9, 9, 9),
            ]),
            faceVertexCounts: .loaded([3, 3]), faceVertexIndices: .loaded([0, 1, 2, 3, 4, 5]))
        #expect(plain(try write(scene(soup))).contains("\"count\":4,\"type\":\"VEC3\""))
        var flat = SampleMesh.cube()
        #expect(plain(try write(scene(flat))).contains("\"count\":8,\"type\":\"VEC3\""))
        let sides = [Vector3f(0, 0, -1), Vector3f(0, 0, 1), Vector3f(0, -1, 0), Vector3f(0, 1, 0), Vector3f(1, 0, 0), Vector3f(-1, 0, 0)]
        flat.normals = Primvar(
            name: "normals", interpolation: .uniform, values: .float3(.loaded(sides.map { Vector3f($0.x * 3, $0.y * 3, $0.z * 3) })))
        let written = try write(scene(flat))
        #expect(plain(written).contains("\"count\":24,\"type\":\"VEC3\""))
        let read = try written.read(GLTFFormat(.gltf))
        guard case .float3(let normals) = try #require(read.meshes[0].normals).values else { throw TestFailure("no normals") }
        #expect(try normals.load().allSatisfy { ($0.x * $0.x + $0.y * $0.y + $0.z * $0.z) == 1 })
    }

    @Test(arguments: [65535, 65536]) func indicesGrowWithTheVertices(count: Int) throws {
        var points: [Point3f] = []
        for i in 0..<count { points.append(Point3f(Float(i), Float(i & 1), 0)) }
        var indices = (0..<Int32(count / 3 * 3)).map { $0 }
        for i in indices.count..<count { indices += [0, 1, Int32(i)] }
        let mesh = Mesh(
            points: PointArray(points), faceVertexCounts: .loaded([Int32](repeating: 3, count: indices.count / 3)),
            faceVertexIndices: .loaded(indices))
        let text = plain(try write(scene(mesh)))
        #expect(text.contains("\"count\":\(count),\"type\":\"VEC3\"") && text.contains("\"componentType\":\(count <= 65535 ? 5123 : 5125)"))
    }

    /// Clockwise faces are turned round, and keep what belongs to their corners.
    @Test func leftHandedFacesAreTurnedRound() throws {
        var mesh = triangle
        mesh.orientation = .leftHanded
        mesh.primvars.append(
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: .faceVarying,
                values: .float2(.loaded([Vector2f(0, 0), Vector2f(0.25, 0.5), Vector2f(1, 1)]))))
        let read = try write(scene(mesh)).read(GLTFFormat(.gltf)).meshes[0]
        let corners = try read.faces()[0]
        let points = try read.points.triples()
        guard case .float2(let st) = read.primvars[0].values else { throw TestFailure("no coordinates") }
        #expect(corners.map { points[$0] } == [[0, 0, 0], [0, 1, 0], [1, 0, 0]])
        let values = try st.load()
        #expect(corners.map { values[$0] } == [Vector2f(0, 0), Vector2f(1, 1), Vector2f(0.25, 0.5)])
    }

    /// A primitive a material; each has its own vertices.
    @Test func subsetsArePrimitives() throws {
        var builder = SceneBuilder()
        let (red, blue) = (builder.material("red"), builder.material("blue"))
        var mesh = SampleMesh.cube()
        mesh.subsets = [
            GeomSubset(name: "a", family: "materialBind", faces: .loaded([0, 1])), GeomSubset(name: "b", family: "materialBind", faces: .loaded([2])),
        ]
        let id = builder.mesh("cube", mesh, material: red)
        builder.change(id) { $0.subsetPreviewMaterials = [blue, nil] }
        let written = try write(builder.scene)
        let text = plain(written)
        #expect(
            text.contains(
                "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":0},{\"attributes\":{\"POSITION\":2},\"indices\":3,\"material\":1}]"
            ))
        #expect(text.contains("\"name\":\"blue\"") && text.contains("\"name\":\"red\""))
        #expect(written.codes == [])
    }

    // MARK: Nodes

    @Test func oneRootTakesAllToMetresAndYUp() throws {
        var builder = SceneBuilder(upAxis: "Z", metersPerUnit: 0.01)
        builder.node("top", transform: .translation(Vector3d(1, 2, 3))) { $0.mesh("part", SampleMesh.cube()) }
        let written = try write(builder.scene)
        #expect(
            plain(written).contains(
                "\"nodes\":[{\"name\":\"root\",\"children\":[1],\"rotation\":[-0.70710677,0,0,0.70710677],\"scale\":[0.01,0.01,0.01]},{\"name\":\"top\",\"children\":[2],\"translation\":[1,2,3]},{\"name\":\"part\",\"mesh\":0}]"
            ))
        var diagnostics = Diagnostics()
        let box = try #require(SceneBounds(try written.read(GLTFFormat(.gltf)), diagnostics: &diagnostics).total)
        for (a, b) in [(box.min.x, 0.0), (box.max.x, 0.02), (box.min.y, 0.02), (box.max.y, 0.04), (box.min.z, -0.03), (box.max.z, -0.01)] {
            #expect((a - b).magnitude < 1e-8)
        }
    }

    /// A transform that shears is none that a node may have: it becomes a scale between two rotations.
    @Test func aShearBecomesTwoNodes() throws {
        let shear = Matrix4d([1, 0, 0, 0], [0.5, 1, 0, 0], [0.25, -0.3, 2, 0], [4, 5, 6, 1])
        var builder = SceneBuilder()
        builder.mesh("part", SampleMesh.cube(), transform: shear)
        let before = builder.scene
        let written = try write(before)
        let after = try written.read(GLTFFormat(.gltf))
        #expect(after.nodes.map(\.name) == ["part_shear", "part"])
        let (a, b) = (before.nodes[0].worldTransform.elements, after.nodes[1].worldTransform.elements)
        for (x, y) in zip(a, b) { #expect((x - y).magnitude < 1e-5) }
    }

    @Test func nodesThatShowTheSameMeshShareIt() throws {
        var builder = SceneBuilder()
        let first = builder.mesh("a", triangle)
        guard case .mesh(let mesh) = builder.scene.nodes[first].content else { throw TestFailure("no mesh") }
        builder.node("a", type: "Mesh", transform: .translation(Vector3d(5, 0, 0)), content: .mesh(mesh))
        let text = plain(try write(builder.scene))
        #expect(text.contains("\"nodes\":[{\"name\":\"a\",\"mesh\":0},{\"name\":\"a_2\",\"mesh\":0,\"translation\":[5,0,0]}]"))
    }

    @Test func hiddenThingsAreLeftOutAndEmptyNodesKept() throws {
        var builder = SceneBuilder()
        builder.node("group") { $0.node("empty") }
        builder.mesh("shown", triangle)
        let hidden = builder.mesh("hidden", SampleMesh.cube())
        let guide = builder.mesh("guide", SampleMesh.cube())
        builder.change(hidden) { $0.isVisible = false }
        builder.change(guide) { $0.purpose = .guide }
        let read = try write(builder.scene).read(GLTFFormat(.gltf))
        #expect(read.nodes.map(\.name) == ["group", "empty", "shown"])
        let all = try write(builder.scene) {
            $0.includeHidden = true
            $0.purposes = [.default, .guide]
        }
        #expect(try all.read(GLTFFormat(.gltf)).nodes.map(\.name) == ["group", "empty", "shown", "hidden", "guide"])
    }

    private func instanced() -> Scene {
        var builder = SceneBuilder()
        var instancer = PointInstancer(prototypePaths: ["/copies/proto"])
        instancer.protoIndices = [0, 0, 0]
        instancer.transforms = [
            .translation(Vector3d(1, 0, 0)), .scale(Vector3d(2, 2, 2)) * .translation(Vector3d(2, 0, 0)), .translation(Vector3d(3, 0, 0)),
        ]
        instancer.maskedInstances = [2]
        var id = ID<PointInstancer>(0)
        builder.changeScene { id = $0.instancers.append(instancer) }
        let triangle = triangle
        builder.node("copies", type: "PointInstancer", transform: .translation(Vector3d(0, 7, 0)), content: .instancer(id)) {
            $0.mesh("proto", triangle)
        }
        return builder.scene
    }

    @Test func copiesAreNodesThatShareTheMesh() throws {
        let text = plain(try write(instanced()))
        #expect(
            text.contains(
                "\"nodes\":[{\"name\":\"copies\",\"children\":[1,2],\"translation\":[0,7,0]},{\"name\":\"proto_2\",\"mesh\":0,\"translation\":[1,0,0]},{\"name\":\"proto_3\",\"mesh\":0,\"translation\":[2,0,0],\"scale\":[2,2,2]}]"
            ))
    }

    @Test func copiesForTheGraphicsProcessor() throws {
        let written = try write(instanced()) { $0.instancing = .gpu }
        let text = plain(written)
        #expect(
            text.contains("\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":")
                && text.contains("\"extensionsRequired\":[\"EXT_mesh_gpu_instancing\"]"))
        var diagnostics = Diagnostics()
        let (a, b) = (
            SceneBounds(instanced(), diagnostics: &diagnostics).total,
            SceneBounds(try written.read(GLTFFormat(.gltf)), diagnostics: &diagnostics).total
        )
        #expect(a == b)
    }

    @Test func bakedCopiesAreGeometry() throws {
        let written = try write(instanced()) { $0.instancing = .bake }
        let read = try written.read(GLTFFormat(.gltf))
        #expect(read.meshes.count == 1 && read.meshes[0].faceVertexCounts.count == 2)
        var diagnostics = Diagnostics()
        #expect(SceneBounds(instanced(), diagnostics: &diagnostics).total == SceneBounds(read, diagnostics: &diagnostics).total)
    }

    // MARK: Materials

    @Test func constantsAreFactors() throws {
        let scene = textured([]) { s, _ in
            s.diffuseColor.value = Vector3f(0.5, 0.25, 1)
            s.metallic.value = 1
            s.roughness.value = 0.75
            s.emissiveColor.value = Vector3f(4, 2, 0)
            s.ior = 1.33
            s.clearcoat.value = 0.5
        }
        let text = plain(try write(scene))
        #expect(text.contains("\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.25,1,1],\"metallicFactor\":1,\"roughnessFactor\":0.75}"))
        #expect(text.contains("\"emissiveFactor\":[1,0.5,0]") && text.contains("\"KHR_materials_emissive_strength\":{\"emissiveStrength\":4}"))
        #expect(text.contains("\"KHR_materials_ior\":{\"ior\":1.33}"))
        #expect(text.contains("\"KHR_materials_clearcoat\":{\"clearcoatFactor\":0.5,\"clearcoatRoughnessFactor\":0.01}"))
    }

    /// F0 = s: `specularColorFactor · ((ior − 1)/(ior + 1))²`.
    @Test(arguments: [Vector3f(0.04, 0.02, 0.01), Vector3f(0.5, 0.25, 1), Vector3f(0, 0, 0)]) func aSpecularColourIsExact(s: Vector3f) throws {
        let scene = textured([]) { surface, _ in
            surface.useSpecularWorkflow = true
            surface.specularColor.value = s
        }
        let read = try write(scene).read(GLTFFormat(.gltf)).materials[0]
        func number(_ name: String) -> Value? { read.inputs.first { $0.name == name }?.value }
        var ior = 1.5
        if case .double(let x) = number("ior") { ior = x }
        var color = [1.0, 1, 1]
        if case .doubles(let c) = number("specularColorFactor") { color = c }
        var factor = 1.0
        if case .double(let x) = number("specularFactor") { factor = x }
        let f0 = ((ior - 1) / (ior + 1)) * ((ior - 1) / (ior + 1)) * factor
        for (c, expected) in zip(color, [s.x, s.y, s.z]) { #expect((c * f0 - Double(expected)).magnitude < 1e-5) }
    }

    @Test func alphaModes() throws {
        func mode(_ change: (inout Surface) -> Void, _ options: (inout WriteOptions) -> Void = { _ in }) throws -> String {
            let text = plain(try write(textured([]) { s, _ in change(&s) }, options))
            let end = text.components(after: "\"roughnessFactor\":0.5}")
            return String(text.firstNumber(after: "\"baseColorFactor\":[0.18,0.18,0.18,")) + end.prefix { $0 != "]" && $0 != "{" }
        }
        #expect(try mode { _ in }.hasPrefix("1}"))
        #expect(try mode { $0.opacity.value = 0.4 }.hasPrefix("0.4,\"alphaMode\":\"BLEND\"}"))
        #expect(
            try mode {
                $0.opacity.value = 0.3
                $0.opacityThreshold = 0.25
            }.hasPrefix("0.3,\"alphaMode\":\"MASK\",\"alphaCutoff\":0.25}"))
        #expect(try mode({ $0.opacity.value = 0.25 }, { $0.opacity = .transmission }).hasPrefix("1,\"extensions\":"))
    }

    /// An image that fits is written byte by byte; metallic and roughness share it with occlusion.
    @Test func anImageThatFitsIsTakenAsItIs() throws {
        let orm = try png([[250, 120, 60]])
        let scene = textured(["orm.png"]) { s, t in
            func bind(_ output: String) -> TextureBinding {
                var b = TextureBinding(texture: t[0], output: output)
                b.colorSpace = .raw
                (b.wrapS, b.wrapT) = (.repeat, .clamp)
                return b
            }
            (s.occlusion.texture, s.roughness.texture, s.metallic.texture) = (bind("r"), bind("g"), bind("b"))
        }
        let written = try write(scene, files: ["orm.png": orm])
        let text = plain(written)
        #expect(
            text.contains("\"metallicRoughnessTexture\":{\"index\":0},\"metallicFactor\":1,\"roughnessFactor\":1}")
                && text.contains("\"occlusionTexture\":{\"index\":0}"))
        #expect(text.contains("\"samplers\":[{\"wrapS\":10497,\"wrapT\":33071}]") && text.contains("\"uri\":\"textures/orm.png\""))
        #expect(written.files["textures/orm.png"] == orm && written.files.count == 3)
    }

    /// Channels that stand elsewhere are put together in a new image: G is roughness, B metal.
    @Test func channelsArePacked() throws {
        let files = ["r.png": try png([[200, 1, 1], [40, 1, 1]]), "m.png": try png([[30, 9, 9]])]
        let scene = textured(["r.png", "m.png"]) { s, t in
            s.roughness.texture = TextureBinding(texture: t[0], output: "r")
            s.metallic.texture = TextureBinding(texture: t[1], output: "r")
            s.roughness.texture?.colorSpace = .raw
            s.metallic.texture?.colorSpace = .raw
        }
        let written = try write(scene, files: files)
        let packed = try image(written, "paint_metallicRoughness.png")
        #expect(packed.width == 2 && packed.bytes == [255, 200, 30, 255, 40, 30])
        #expect(plain(written).contains("\"metallicFactor\":1,\"roughnessFactor\":1"))
    }

    @Test func aSingleTextureLeavesTheOtherAConstant() throws {
        let scene = textured(["r.png"]) { s, t in
            s.roughness.texture = TextureBinding(texture: t[0], output: "g")
            s.roughness.texture?.colorSpace = .raw
            s.metallic.value = 0.5
        }
        let written = try write(scene, files: ["r.png": try png([[1, 77, 3]])])
        #expect(try image(written, "paint_metallicRoughness.png").bytes == [255, 77, 255])
        #expect(plain(written).contains("\"metallicFactor\":0.5,\"roughnessFactor\":1"))
    }

    /// An opacity from another image goes into the base colour's alpha.
    @Test func opacityIsPacked() throws {
        let files = ["c.png": try png([[10, 20, 30]]), "o.png": try png([[128, 0, 0]])]
        let scene = textured(["c.png", "o.png"]) { s, t in
            s.diffuseColor.texture = TextureBinding(texture: t[0])
            s.opacity.texture = TextureBinding(texture: t[1], output: "r")
            s.opacity.texture?.colorSpace = .raw
            s.opacityMode = .presence
        }
        let written = try write(scene, files: files)
        #expect(try image(written, "paint_baseColor.png").bytes == [10, 20, 30, 128])
        #expect(plain(written).contains("\"alphaMode\":\"BLEND\"") && written.codes == [])
    }

    @Test func alphaThatIsFullEverywhereIsOpaque() throws {
        let scene = textured(["c.png"]) { s, t in
            s.diffuseColor.texture = TextureBinding(texture: t[0])
            s.opacity.texture = TextureBinding(texture: t[0], output: "a")
        }
        let full = try write(scene, files: ["c.png": try png([[10, 20, 30, 255], [1, 2, 3, 255]])])
        #expect(!plain(full).contains("alphaMode"))
        let clear = try write(scene, files: ["c.png": try png([[10, 20, 30, 255], [1, 2, 3, 0]])])
        #expect(plain(clear).contains("\"alphaMode\":\"BLEND\"") && clear.files["textures/c.png"] != nil)
    }

    @Test func normalMapsKeepTheirStrengthOrAreBaked() throws {
        let map = try png([[128, 200, 255]])
        func scene(_ scale: Vector4f, _ bias: Vector4f) -> Scene {
            textured(["n.png"]) { s, t in
                s.normal.texture = TextureBinding(texture: t[0])
                s.normal.texture?.colorSpace = .raw
                s.normal.texture?.scale = scale
                s.normal.texture?.bias = bias
            }
        }
        let usual = try write(scene(Vector4f(2, 2, 2, 1), Vector4f(-1, -1, -1, 0)), files: ["n.png": map])
        #expect(plain(usual).contains("\"normalTexture\":{\"index\":0}") && usual.files["textures/n.png"] == map)
        let half = try write(scene(Vector4f(1, 1, 2, 1), Vector4f(-0.5, -0.5, -1, 0)), files: ["n.png": map])
        #expect(plain(half).contains("\"normalTexture\":{\"index\":0,\"scale\":0.5}"))
        // Green points down: baked.
        let down = try write(scene(Vector4f(2, -2, 2, 1), Vector4f(-1, 1, -1, 0)), files: ["n.png": map])
        #expect(try image(down, "paint_normal.png").bytes == [128, 55, 255])
    }

    @Test func occlusionStrength() throws {
        let scene = textured(["o.png"]) { s, t in
            s.occlusion.texture = TextureBinding(texture: t[0], output: "r")
            s.occlusion.texture?.colorSpace = .raw
            s.occlusion.texture?.scale = Vector4f(0.25, 0.25, 0.25, 0.25)
            s.occlusion.texture?.bias = Vector4f(0.75, 0.75, 0.75, 0.75)
        }
        #expect(plain(try write(scene, files: ["o.png": try png([[1, 2, 3]])])).contains("\"occlusionTexture\":{\"index\":0,\"strength\":0.25}"))
    }

    /// A raw base colour is written as sRGB, which glTF's slot is.
    @Test func aRawColourIsEncoded() throws {
        let scene = textured(["c.png"]) { s, t in
            s.diffuseColor.texture = TextureBinding(texture: t[0])
            s.diffuseColor.texture?.colorSpace = .raw
        }
        let written = try write(scene, files: ["c.png": try png([[0, 55, 255]])])
        #expect(try image(written, "paint_baseColor.png").bytes == [0, 128, 255])
    }

    /// The table of the Khronos sample TextureTransformTest, from USD's numbers.
    @Test(arguments: [
        (Float(0), Vector2f(1, 1), Vector2f(0.5, 0), "\"offset\":[0.5,0]"), (0, Vector2f(1, 1), Vector2f(0, -0.5), "\"offset\":[0,0.5]"),
        (0, Vector2f(1.5, 1.5), Vector2f(0, -0.5), "\"scale\":[1.5,1.5]"),
    ]) func textureTransforms(rotation: Float, scale: Vector2f, translation: Vector2f, expected: String) throws {
        let scene = textured(["c.png"]) { s, t in
            s.diffuseColor.texture = TextureBinding(texture: t[0])
            s.diffuseColor.texture?.transform = TextureTransform(rotation: rotation, scale: scale, translation: translation)
        }
        #expect(plain(try write(scene, files: ["c.png": try png([[0, 55, 255]])])).contains("\"KHR_texture_transform\":{\(expected)}"))
    }

    @Test func textureTransformsComeBack() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<40 {
            func number(_ limit: Double) -> Float { Float(random.int(in: -1000...1000)) / 1000 * Float(limit) }
            let given = TextureTransform(rotation: number(180), scale: Vector2f(number(3), number(3)), translation: Vector2f(number(2), number(2)))
            let scene = textured(["c.png"]) { s, t in
                s.diffuseColor.texture = TextureBinding(texture: t[0])
                s.diffuseColor.texture?.transform = given
            }
            let written = try write(scene, files: ["c.png": try png([[0, 55, 255]])])
            let found = try #require(try written.read(GLTFFormat(.gltf)).materials[0].surface?.diffuseColor.texture?.transform)
            #expect((found.rotation - given.rotation).magnitude < 1e-4)
            for (a, b) in [
                (found.scale.x, given.scale.x), (found.scale.y, given.scale.y), (found.translation.x, given.translation.x),
                (found.translation.y, given.translation.y),
            ] {
                #expect((a - b).magnitude < 1e-5)
            }
        }
    }

    /// Whether a mesh is double-sided is its own matter in USD: the material is there twice.
    @Test func doubleSidedMeshesHaveAMaterialOfTheirOwn() throws {
        var builder = SceneBuilder()
        let material = builder.material("paint")
        builder.mesh("one", triangle, material: material)
        var both = SampleMesh.cube()
        both.doubleSided = true
        builder.mesh("two", both, material: material)
        let text = plain(try write(builder.scene))
        #expect(text.contains("\"name\":\"paint\",") && text.contains("\"name\":\"paint_2\",") && text.contains("\"doubleSided\":true"))
    }

    /// Variants of materials are read as they were written.
    @Test func variantsOfMaterials() throws {
        var builder = SceneBuilder()
        let (red, blue) = (builder.material("red"), builder.material("blue"))
        let id = builder.mesh("part", triangle, material: red)
        builder.changeScene { $0.materialVariants = ["day", "night"] }
        builder.change(id) { $0.variantMaterials = [VariantMaterial(variant: 1, material: blue)] }
        let written = try write(builder.scene)
        #expect(plain(written).contains("\"KHR_materials_variants\":{\"mappings\":[{\"material\":1,\"variants\":[1]}]}"))
        let read = try written.read(GLTFFormat(.gltf))
        #expect(read.materialVariants == ["day", "night"] && read.nodes[0].variantMaterials.map(\.variant) == [1])
        #expect(read.materials[try #require(read.nodes[0].variantMaterials.first).material].name == "blue")
    }

    // MARK: Motion

    /// A skinned strip that bends: joints, weights, bind transforms and keys come back.
    @Test func skinsAndAnimationComeBack() throws {
        var builder = SceneBuilder()
        builder.changeScene { $0.metadata.timeCodesPerSecond = 24 }
        var skeleton = Skeleton(
            joints: ["Hip", "Hip/Knee"], bindTransforms: [.identity, .translation(Vector3d(0, 1, 0))],
            restTransforms: [.identity, .translation(Vector3d(0, 1, 0))])
        skeleton.jointNodes = []
        var id = ID<Skeleton>(0)
        builder.changeScene { id = $0.skeletons.append(skeleton) }
        let bones = builder.node("bones", type: "Skeleton", content: .skeleton(id))
        var mesh = SampleMesh.polygon([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 2, 0)])
        mesh.skin = SkinBinding(
            skeletonPath: "/bones",
            jointIndices: Primvar(name: "skel:jointIndices", interpolation: .vertex, elementSize: 2, values: .int(.loaded([0, 1, 0, 1, 1, 0]))),
            jointWeights: Primvar(name: "skel:jointWeights", interpolation: .vertex, elementSize: 2, values: .float(.loaded([1, 0, 3, 1, 1, 0]))))
        mesh.blendShapes = [BlendShape(name: "tall", offsets: .loaded([Vector3f(0, 5, 0)]), pointIndices: .loaded([2]))]
        mesh.blendShapeCount = 1
        builder.mesh("strip", mesh)
        var turn = Track(
            targetPath: "/anim", property: "rotations", interpolation: .linear, times: [0, 24],
            values: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.70710678, 0.70710678])
        turn.elements = ["Hip", "Hip/Knee"]
        var weights = Track(targetPath: "/anim", property: "blendShapeWeights", interpolation: .linear, times: [0, 12], values: [0, 1])
        weights.elements = ["tall"]
        builder.changeScene {
            $0.animations = [AnimationClip(name: "bend", tracks: [turn, weights])]
            $0.skeletonAnimations = [bones: "/anim"]
        }
        let written = try write(builder.scene)
        var context = ReadContext(resolver: InMemoryResolver(written.files))
        context.options.wantsAnimation = true
        let read = try GLTFFormat(.gltf).open(FileBytes(name: "out.gltf", bytes: written.bytes), &context).scene(&context)
        #expect(read.skeletons.count == 1 && read.skeletons[0].joints.map { $0.split(separator: "/").last } == ["Hip", "Knee"])
        #expect(read.skeletons[0].bindTransforms[1].rows.3.y == 1)
        let back = try #require(read.meshes.first { $0.skin != nil })
        guard case .float(let w) = try #require(back.skin?.jointWeights).values, case .int(let j) = try #require(back.skin).jointIndices.values else {
            throw TestFailure("no influences")
        }
        #expect(try w.load() == [1, 0, 0, 0, 0.75, 0.25, 0, 0, 1, 0, 0, 0] && j.load() == [0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0])
        #expect(try back.blendShapes[0].name == "tall" && back.blendShapes[0].offsets.load()[2] == Vector3f(0, 5, 0))
        let tracks = read.animations[0].tracks
        #expect(tracks.contains { $0.property == "rotation" && $0.times == [0, 1] && $0.targetPath.hasSuffix("Knee") })
        #expect(tracks.contains { $0.property == "weights" && $0.times == [0, 0.5] && $0.values == [0, 1] })
    }

    @Test func animatedTransformsBecomeKeys() throws {
        var builder = SceneBuilder()
        builder.changeScene { $0.metadata.timeCodesPerSecond = 10 }
        builder.mesh("part", triangle)
        let matrices = [Matrix4d.identity, .translation(Vector3d(3, 0, 0)), .scale(Vector3d(2, 2, 2)) * .translation(Vector3d(3, 0, 0))]
        builder.changeScene {
            $0.animations = [
                AnimationClip(
                    name: "move",
                    tracks: [
                        Track(
                            targetPath: "/part", property: "transform", interpolation: .linear, times: [-10, 0, 10],
                            values: matrices.flatMap { $0.elements.map { Float($0) } })
                    ])
            ]
        }
        let written = try write(builder.scene)
        #expect(written.codes == ["gltf.moved-animation"])
        var context = ReadContext(resolver: InMemoryResolver(written.files))
        context.options.wantsAnimation = true
        let read = try GLTFFormat(.gltf).open(FileBytes(name: "out.gltf", bytes: written.bytes), &context).scene(&context)
        let tracks = read.animations[0].tracks
        #expect(tracks.map(\.property) == ["translation", "scale"] && tracks.allSatisfy { $0.times == [0, 1, 2] })
        #expect(tracks[0].values == [0, 0, 0, 3, 0, 0, 3, 0, 0] && tracks[1].values == [1, 1, 1, 1, 1, 1, 2, 2, 2])
    }

    // MARK: Colours

    @Test func colours() throws {
        var whole = triangle
        whole.primvars = [Primvar(name: "displayColor", role: .color, interpolation: .constant, values: .float3(.loaded([Vector3f(1, 0.5, 0)])))]
        #expect(
            plain(try write(scene(whole))).contains(
                "{\"name\":\"color\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0.5,0,1],\"metallicFactor\":0}}"))
        var each = triangle
        each.primvars = [
            Primvar(
                name: "displayColor", role: .color, interpolation: .vertex,
                values: .float3(.loaded([Vector3f(1, 0, 0), Vector3f(0, 2, 0), Vector3f(0, 0, -1)])))
        ]
        let written = try write(scene(each))
        #expect(plain(written).contains("\"COLOR_0\":1") && written.codes == ["gltf.lost.color-range"])
        let read = try written.read(GLTFFormat(.gltf))
        guard case .float3(let colors) = read.meshes[0].primvars[0].values else { throw TestFailure("no colours") }
        #expect(try colors.load() == [Vector3f(1, 0, 0), Vector3f(0, 1, 0), Vector3f(0, 0, 0)])
    }

    // MARK: Nothing

    @Test func nothingToWrite() throws {
        var builder = SceneBuilder()
        builder.node("empty")
        let empty = builder.scene
        #expect(throws: AssetError.self) { try write(empty) }
        let written = try write(empty) { $0.allowEmpty = true }
        #expect(plain(written).contains("\"nodes\":[{\"name\":\"empty\"}]") && written.files.count == 1)
    }
}

extension String {
    /// What follows a text; empty where it does not occur.
    fileprivate func components(after text: String) -> Substring {
        guard let range = ranges(of: text).first else { return "" }
        return self[range.upperBound...]
    }

    fileprivate func firstNumber(after text: String) -> Substring { components(after: text).prefix { $0.isNumber || $0 == "." } }
}
