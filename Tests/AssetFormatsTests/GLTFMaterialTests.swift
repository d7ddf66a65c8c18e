import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct GLTFMaterialTests {
    private func material(_ text: String, _ more: String = "") throws -> (surface: Surface, read: ReadGLTF) {
        let read = try readGLTF(
            "\"materials\":[{\(text)}],\"textures\":[{\"source\":0,\"sampler\":0}],\"samplers\":[{\"wrapS\":33071,\"wrapT\":33648}],"
                + "\"images\":[{\"uri\":\"a%20b.png\"}]" + more)
        #expect(SceneInvariants.violations(in: read.scene).isEmpty)
        return (try #require(read.scene.materials.first?.surface), read)
    }

    @Test func defaultsAreThoseOfGLTF() throws {
        let (s, read) = try material("\"name\":\"m\"")
        #expect(s.diffuseColor.value == Vector3f(1, 1, 1))
        #expect(s.metallic.value == 1)
        #expect(s.roughness.value == 1)
        #expect(s.opacity.value == 1)
        #expect(!s.opacity.isAuthored)
        #expect(read.scene.materials[0].shader == "pbrMetallicRoughness")
        #expect(read.scene.materials[0].path == "/materials/m")
    }

    @Test func alphaModeDecides() throws {
        func opacity(_ mode: String) throws -> [Float] {
            let s = try material("\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,0.5]}\(mode)").surface
            return [s.opacity.value, s.opacityThreshold]
        }
        #expect(try opacity("") == [1, 0])
        #expect(try opacity(",\"alphaMode\":\"MASK\"") == [0.5, 0.5])
        #expect(try opacity(",\"alphaMode\":\"MASK\",\"alphaCutoff\":0.3") == [0.5, 0.3])
        #expect(try opacity(",\"alphaMode\":\"BLEND\"") == [0.5, 0])
    }

    @Test func texturesAndTheirChannels() throws {
        let (s, read) = try material(
            "\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"texCoord\":1},\"baseColorFactor\":[0.5,1,1,1],"
                + "\"metallicRoughnessTexture\":{\"index\":0},\"metallicFactor\":0.25},"
                + "\"normalTexture\":{\"index\":0,\"scale\":0.5},\"occlusionTexture\":{\"index\":0,\"strength\":0.75}")
        let base = try #require(s.diffuseColor.texture)
        #expect(base.primvar == "st1")
        #expect(base.wrapS == .clamp)
        #expect(base.wrapT == .mirror)
        #expect(base.colorSpace == .sRGB)
        #expect(base.scale == Vector4f(0.5, 1, 1, 1))
        #expect(s.metallic.texture?.output == "b")
        #expect(s.metallic.texture?.scale == Vector4f(0.25, 0.25, 0.25, 0.25))
        #expect(s.roughness.texture?.output == "g")
        #expect(s.roughness.texture?.colorSpace == .raw)
        #expect(s.normal.texture?.scale == Vector4f(1, 1, 2, 1))
        #expect(s.normal.texture?.bias == Vector4f(-0.5, -0.5, -1, 0))
        #expect(s.occlusion.texture?.scale?.x == 0.75)
        #expect(s.occlusion.texture?.bias?.x == 0.25)
        #expect(read.scene.textures.map(\.authoredPath) == ["a b.png"])
        #expect(read.codes == ["gltf.missing-texture"])
    }

    @Test(
        arguments: [
            ("\"offset\":[0.5,0]", [0, 1, 1, 0.5, 0]), ("\"offset\":[0,0.5]", [0, 1, 1, 0, -0.5]),
            ("\"rotation\":0.3926991", [22.5, 1, 1, 0.3826834, 0.0761205]), ("\"scale\":[1.5,1.5]", [0, 1.5, 1.5, 0, -0.5]),
            ("\"rotation\":0.3,\"scale\":[1.5,1.5],\"offset\":[-0.2,-0.1]", [17.188734, 1.5, 1.5, 0.2432803, -0.3330046]),
        ] as [(String, [Float])])
    func textureTransform(_ text: String, _ expected: [Float]) throws {
        let (s, _) = try material(
            "\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"extensions\":{\"KHR_texture_transform\":{\(text)}}}}")
        let t = try #require(s.diffuseColor.texture?.transform)
        let got = [t.rotation, t.scale.x, t.scale.y, t.translation.x, t.translation.y]
        #expect(zip(got, expected).allSatisfy { ($0 - $1).magnitude < 1e-5 }, "\(got)")
    }

    @Test func extensions() throws {
        let emissive = try material(
            "\"emissiveFactor\":[1,0.5,0],\"extensions\":{\"KHR_materials_emissive_strength\":{\"emissiveStrength\":4},\"KHR_materials_ior\":{\"ior\":1.33}}"
        )
        #expect(emissive.surface.emissiveColor.value == Vector3f(4, 2, 0))
        #expect(emissive.surface.ior == 1.33)
        let glass = try material("\"extensions\":{\"KHR_materials_transmission\":{\"transmissionFactor\":0.75}}").surface
        #expect(glass.opacity.value == 0.25)
        #expect(glass.opacityMode == .transparent)
        let coat = try material("\"extensions\":{\"KHR_materials_clearcoat\":{\"clearcoatFactor\":0.5}}").surface
        #expect(coat.clearcoat.value == 0.5)
        #expect(coat.clearcoatRoughness.value == 0)
        // F0 of an index of 3 is a quarter.
        let plastic = try material(
            "\"pbrMetallicRoughness\":{\"metallicFactor\":0},\"extensions\":{\"KHR_materials_ior\":{\"ior\":3},"
                + "\"KHR_materials_specular\":{\"specularColorFactor\":[1,0.5,0]}}"
        ).surface
        #expect(plastic.useSpecularWorkflow)
        #expect(plastic.specularColor.value == Vector3f(0.25, 0.125, 0))
        let old = try material(
            "\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{\"diffuseFactor\":[1,0,0,1],\"specularFactor\":[0,1,0],\"glossinessFactor\":0.25}}"
        ).surface
        #expect(old.useSpecularWorkflow)
        #expect(old.diffuseColor.value == Vector3f(1, 0, 0))
        #expect(old.roughness.value == 0.75)
        let sheen = try material("\"extensions\":{\"KHR_materials_sheen\":{\"sheenColorFactor\":[1,1,1]}}").read
        #expect(sheen.codes.contains("gltf.dropped.material-extension"))
        #expect(sheen.scene.materials[0].inputs.map(\.name) == ["sheenColorFactor"])
    }

    @Test func embeddedImagesAreNamedByTheirBytes() throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let read = try readGLTF("\"images\":[{\"uri\":\"data:image/jpeg;base64,\(GLTFFile.base64(png))\"}]")
        #expect(read.scene.textures.map(\.authoredPath) == ["image_0.png"])
        #expect(read.scene.textures.first?.source == .embedded(EmbeddedBytes(png)))
    }
}
