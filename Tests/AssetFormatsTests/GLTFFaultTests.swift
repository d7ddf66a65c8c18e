import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

/// One fault of a file each, and what is said of it.
@Suite struct GLTFFaultTests {
    private static let triangle: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]

    private func failure(_ text: String) -> AssetModel.SourceLocation.Position? {
        do throws(AssetError) {
            _ = try readGLTF(Array(text.utf8))
            return nil
        } catch {
            return error.diagnostic.code == "gltf.bad-json" ? error.diagnostic.location.position : nil
        }
    }

    private func message(_ text: String) -> String? {
        do throws(AssetError) {
            _ = try readGLTF(Array(text.utf8))
            return nil
        } catch { return error.diagnostic.message }
    }

    @Test func brokenTextHasAPlace() {
        #expect(failure("{\"asset\":\n{\"version\":\"2.0\",}}") == .line(2, column: 18))
        #expect(failure("{\"asset\":{\"version\":\"2.0\"}\n,\"nodes\":[1 2]}") == .line(2, column: 13))
        #expect(failure("{\"asset\":{\"version\":\"2.0\"},\n\"a\":tru}") == .line(2, column: 8))
        #expect(failure("{\"asset\":{\"version\":\"2.0\"},\n\"a\":01}") == .line(2, column: 6))
        #expect(failure("{\"asset\":{\"version\":\"2.0\"}") == .line(1, column: 27))
        #expect(failure("{\"asset\":{\"version\":\"2.0\"}} {") == .line(1, column: 29))
        #expect(failure("{\"asset\":{\"version\":\"2.0") == .line(1, column: 25))
        #expect(failure("{\"asset\":{\"version\":\"2\\q0\"}}") == .line(1, column: 24))
        #expect(message("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[1 2]}") == "found '2', expected ',' or ']'")
    }

    @Test func brokenTextInABinaryFile() {
        var bytes = GLTFFile("\"nodes\":[1 2]").binary
        #expect(failureOfGLTF(bytes) == "gltf.bad-json")
        bytes[20] = UInt8(ascii: "[")
        do throws(AssetError) {
            _ = try readGLTF(bytes)
        } catch { #expect(error.diagnostic.location.position == .byteOffset(28)) }
    }

    @Test func wrongTypesHaveAPointer() throws {
        let read = try readGLTF("\"meshes\":[{\"primitives\":[{\"attributes\":{}},{\"attributes\":{\"POSITION\":\"x\"}}]}]")
        let places = read.diagnostics.entries.map(\.location.position)
        #expect(places.contains(.jsonPointer("/meshes/0/primitives/1/attributes")))
    }

    @Test func tangentsChangeSidesWithTextureCoordinates() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]",
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TANGENT\":1,\"TEXCOORD_0\":2}}]}]")
        file.add(Self.triangle, "VEC3")
        file.add([1, 0, 0, 1, 1, 0, 0, -1, 0, 1, 0, 1], "VEC4")
        file.add([0, 0, 1, 0.25, 0, 1], "VEC2")
        let read = try readGLTF(file.text)
        #expect(try read.numbers("tangents") == [[1, 0, 0, -1], [1, 0, 0, 1], [0, 1, 0, -1]])
        #expect(try read.numbers("st") == [[0, 1], [1, 0.75], [0, 0]])
    }

    @Test func jointsThatTheSkinDoesNotHave() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{\"name\":\"top\",\"translation\":[0,5,0],\"children\":[2]},"
                + "{\"name\":\"hip\",\"translation\":[1,0,0]}]",
            "\"skins\":[{\"joints\":[2]}]",
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}]")
        file.add(Self.triangle, "VEC3")
        file.add(bytes: [0, 7, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0], 5121, numbers: 12, "VEC4")
        file.add([0.5, 0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], "VEC4")
        let read = try readGLTF(file.text)
        #expect(read.codes == ["gltf.joint-out-of-range"])
        let skin = try #require(read.mesh.skin)
        guard case .int(let joints) = skin.jointIndices.values, case .float(let weights)? = skin.jointWeights?.values else {
            throw TestFailure("another type")
        }
        #expect(try joints.load() == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(try weights.load() == [0.5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        // The skeleton stands above its joints, and theirs are counted from there.
        #expect(skin.skeletonPath == "/top")
        let skeleton = try #require(read.scene.skeletons.first)
        #expect(skeleton.restTransforms[0].rows.3 == [1, 0, 0, 1])
        #expect(skeleton.jointNodes.map { $0.map { read.scene.nodes[$0].path } } == ["/top/hip"])
    }

    @Test func sharedBytesHaveTheirPrice() {
        // A thousand meshes of sixteen million points that nobody wrote.
        let meshes = (0..<1000).map { "{\"primitives\":[{\"attributes\":{\"POSITION\":\($0)}}]}" }.joined(separator: ",")
        let accessors = [String](repeating: "{\"componentType\":5126,\"count\":16777216,\"type\":\"VEC3\"}", count: 1000).joined(separator: ",")
        let nodes = (0..<1000).map { "{\"mesh\":\($0)}" }.joined(separator: ",")
        let roots = (0..<1000).map(String.init).joined(separator: ",")
        let text =
            "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[\(roots)]}],\"nodes\":[\(nodes)],\"meshes\":[\(meshes)],\"accessors\":[\(accessors)]}"
        #expect(failureOfGLTF(Array(text.utf8)) == "gltf.too-much-data")
    }

    @Test func sparseIndicesOutOfOrder() throws {
        func floats(_ values: [Float]) -> [UInt8] { values.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) } }
        let bytes = floats([7, 7, 7, 8, 8, 8]) + [2, 0, 0, 0]
        let read = try readGLTF(
            "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                + "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,\"indices\":"
                + "{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":0}}}],"
                + "\"bufferViews\":[{\"buffer\":0,\"byteLength\":24},{\"buffer\":0,\"byteOffset\":24,\"byteLength\":2}],"
                + "\"buffers\":[{\"byteLength\":28,\"uri\":\"data:;base64,\(GLTFFile.base64(bytes))\"}]")
        #expect(read.codes == ["gltf.sparse-out-of-order"])
        #expect(try read.points() == [[8, 8, 8], [0, 0, 0], [7, 7, 7]])
    }

    // MARK: Variants, weights, extras

    @Test func materialsOfVariants() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"name\":\"one\",\"mesh\":0},{\"name\":\"two\",\"mesh\":1}]",
            "\"materials\":[{\"name\":\"red\"},{\"name\":\"green\"},{\"name\":\"blue\"}]",
            "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"day\"},{\"name\":\"night\"}]}}",
            "\"meshes\":[{\"primitives\":[\(Self.switched(0, "1", "[1]"))]},"
                + "{\"primitives\":[\(Self.switched(0, "2", "[0,1]")),{\"attributes\":{\"POSITION\":0},\"material\":0}]}]")
        file.add(Self.triangle, "VEC3")
        let read = try readGLTF(file.text)
        #expect(SceneInvariants.violations(in: read.scene, level: .geometry).isEmpty)
        #expect(read.scene.materialVariants == ["day", "night"])
        let (one, two) = (read.scene.nodes[0], read.scene.nodes[1])
        #expect(one.variantSets == [VariantSet(name: "materials", selection: "", choices: ["day", "night"])])
        #expect(one.variantMaterials == [VariantMaterial(variant: 1, material: ID(1))])
        #expect(two.subsetMaterials == [ID(0), ID(0)])
        #expect(
            two.variantMaterials == [
                VariantMaterial(variant: 0, subset: 0, material: ID(2)), VariantMaterial(variant: 1, subset: 0, material: ID(2)),
            ])
        let night = try readGLTF(file.text) { $0.variants = [VariantChoice(path: "/", set: "materials", choice: "night")] }
        #expect(night.scene.nodes[0].material == ID(1))
        #expect(night.scene.nodes[1].subsetMaterials == [ID(2), ID(0)])
        #expect(night.scene.nodes[0].variantSets.first?.selection == "night")
        let other = try readGLTF(file.text) { $0.variants = [VariantChoice(path: "/two", set: "materials", choice: "day")] }
        #expect(other.scene.nodes[0].material == ID(0))
        #expect(other.scene.nodes[1].subsetMaterials == [ID(2), ID(0)])
        let unknown = try readGLTF(file.text) { $0.variants = [VariantChoice(path: "/", set: "materials", choice: "dusk")] }
        #expect(unknown.codes == ["gltf.unknown-variant"])
    }

    private static func switched(_ material: Int, _ other: String, _ variants: String) -> String {
        "{\"attributes\":{\"POSITION\":0},\"material\":\(material),\"extensions\":{\"KHR_materials_variants\":{\"mappings\":"
            + "[{\"material\":\(other),\"variants\":\(variants)}]}}}"
    }

    @Test func weightsAtRest() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"weights\":[0.25]}]",
            "\"meshes\":[{\"weights\":[0.5],\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":0}]}]}]")
        file.add(Self.triangle, "VEC3")
        let read = try readGLTF(file.text)
        #expect(read.scene.nodes.map(\.blendWeights) == [[0.5], [0.25]])
        #expect(read.mesh.blendShapes.map(\.name) == ["target0"])
    }

    @Test func whatIsSaidInTheOpen() throws {
        let read = try readGLTF(
            "\"extras\":{\"a\":1},\"scenes\":[{\"nodes\":[0],\"extras\":{\"b\":true}}],\"nodes\":[{\"extras\":{\"c\":\"x\"}}],"
                + "\"materials\":[{\"extras\":{\"d\":2}}]")
        #expect(read.scene.metadata.customData == [Value.Entry("a", .int(1)), Value.Entry("b", .bool(true))])
        #expect(read.scene.nodes[0].customData == [Value.Entry("c", .string("x"))])
        #expect(read.codes == ["gltf.dropped.extras"])
    }

    @Test func imagesStayInTheFile() throws {
        var file = GLTFFile("\"images\":[{\"bufferView\":0,\"mimeType\":\"image/png\"}]")
        file.add(bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], 5121, numbers: 8, "SCALAR")
        let read = try readGLTF(file.binary)
        let texture = try #require(read.scene.textures.first)
        guard case .embedded(let bytes) = texture.source else { throw TestFailure("not in the file") }
        #expect(bytes.source is FileRegion)
        #expect(try bytes.load() == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(texture.authoredPath == "image_0.png")
    }

    @Test func warningsOfOneKindAreCounted() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]",
            "\"meshes\":[{\"primitives\":[\([String](repeating: "{\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}", count: 20).joined(separator: ","))]}]"
        )
        file.add(Self.triangle, "VEC3")
        file.add([0, 0, 1], "VEC3")
        let read = try readGLTF(file.text)
        #expect(read.codes == ["gltf.wrong-length", "gltf.wrong-length", "gltf.wrong-length", "gltf.wrong-length"])
        #expect(read.diagnostics.entries.map(\.count).reduce(0, +) == 20)
    }
}
