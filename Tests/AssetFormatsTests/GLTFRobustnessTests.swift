import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct GLTFRobustnessTests {
    /// A little of everything.
    private static var sample: GLTFFile {
        var file = GLTFFile(
            "\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}]",
            "\"nodes\":[{\"name\":\"a\",\"mesh\":0,\"skin\":0,\"children\":[2]},{\"name\":\"b\",\"rotation\":[0,0,0,1]},{\"camera\":0}]",
            "\"skins\":[{\"joints\":[1]}]",
            "\"cameras\":[{\"type\":\"orthographic\",\"orthographic\":{\"xmag\":1,\"ymag\":1,\"znear\":0,\"zfar\":9}}]",
            "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}]", "\"textures\":[{\"source\":0}]",
            "\"images\":[{\"bufferView\":0}]",
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"indices\":2,"
                + "\"material\":0,\"mode\":5,\"targets\":[{\"POSITION\":0}]},{\"attributes\":{\"POSITION\":0},\"mode\":2}]}]")
        file.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
        file.add([0, 0, 1, 0, 0, 1], "VEC2")
        file.add(indices: [0, 1, 2, 1])
        file.add(bytes: [UInt8](repeating: 0, count: 12), 5121, numbers: 12, "VEC4")
        file.add([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], "VEC4")
        return file
    }

    private func survives(_ bytes: [UInt8]) {
        let result = Exercise(bytes, name: "a.glb", format: "glb", registry: FormatRegistry(builtinFormats), writes: false)
        #expect(result.violations.isEmpty)
    }

    @Test func sampleIsSound() throws {
        for bytes in [Self.sample.text, Self.sample.binary] {
            let read = try readGLTF(bytes)
            #expect(SceneInvariants.violations(in: read.scene, level: .geometry).isEmpty)
        }
    }

    @Test func cutAnywhere() {
        for bytes in [Self.sample.text, Self.sample.binary] {
            for n in 0..<bytes.count { #expect(failureOfGLTF(Array(bytes[0..<n])) != nil, "cut at \(n)") }
        }
    }

    @Test func damagedAnywhere() {
        var random = SplitMix64(seed: 5)
        for bytes in [Self.sample.text, Self.sample.binary] {
            for _ in 0..<1500 { survives(Mutations.edited(bytes, edits: 4, using: &random)) }
        }
    }

    @Test func nestedDeeply() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(failureOfGLTF(Array("{\"asset\":{\"version\":\"2.0\"},\"extras\":\(deep)".utf8)) == "gltf.bad-json")
    }

    @Test func whatIsNoGLTF() {
        #expect(failureOfGLTF([]) == "gltf.bad-json")
        #expect(failureOfGLTF(Array("[]".utf8)) == "gltf.not-gltf")
        #expect(failureOfGLTF(Array("{}".utf8)) == "gltf.not-gltf")
        #expect(failureOfGLTF(Array("{\"asset\":{\"version\":\"1.0\"}}".utf8)) == "gltf.unsupported-version")
        #expect(failureOfGLTF(Array("{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"X_y\"]}".utf8)) == "gltf.required-extension")
        #expect(failureOfGLTF(Array("{\"asset\":{\"version\":\"2.0\"}}".utf8)) == nil)
    }
}
