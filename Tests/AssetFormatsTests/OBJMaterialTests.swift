import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct OBJMaterialTests {
    /// The start of an image; nothing here decodes it.
    private func png(colorType: UInt8 = 2, salt: UInt8 = 0) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0, 4, 0, 0, 0, 4, 8, colorType, 0, 0, 0, salt, 0, 0, 0]
    }

    /// The library is named like the file as far as the line that names it can say so.
    @Test(arguments: [
        ("chair.obj", "chair.mtl"), ("a b.obj", "a b.mtl"), ("out\\slash.obj", "out_slash.mtl"), ("two\nlines\r.obj", "two_lines_.mtl"),
        ("\u{1B}[31m\u{2028}.obj", "_[31m_.mtl"), ("  x.obj", "_ x.mtl"),
    ])
    func libraryNames(_ name: String, _ library: String) throws {
        var model = Model()
        let red = model.material("red") { $0.diffuseColor.value = Vector3f(1, 0, 0) }
        model.builder.mesh("m", grid, material: red)
        let output = MemoryOutput(main: name)
        var context = WriteContext(resolver: InMemoryResolver(), options: WriteOptions(fileName: name), output: output)
        try OBJFormat().write(model.builder.scene, &context)
        try output.commit()
        #expect(output.files.map(\.path) == [name, library])
        #expect(output[name]?.text.contains("\nmtllib \(library)\n") == true)
    }

    private struct Model {
        var builder = SceneBuilder()
        var files: [String: [UInt8]] = [:]

        mutating func texture(_ path: String, _ bytes: [UInt8]?) -> ID<Texture> {
            if let bytes { files["/in/" + path] = bytes }
            var id = ID<Texture>(0)
            builder.changeScene {
                id = $0.textures.append(Texture(authoredPath: path, source: bytes == nil ? .missing : .file("/in/" + path)))
            }
            return id
        }

        mutating func material(_ name: String, path: String? = nil, _ change: (inout Surface) -> Void) -> ID<Material> {
            var material = Material(name: name, path: path ?? "/mat/" + name, shader: "UsdPreviewSurface")
            var surface = Surface()
            change(&surface)
            material.surface = surface
            var id = ID<Material>(0)
            builder.changeScene { id = $0.materials.append(material) }
            return id
        }

        func write(_ change: (inout WriteOptions) -> Void = { _ in }) throws -> WrittenOBJ {
            try writeOBJ(builder.scene, files: files, change)
        }
    }

    private func binding(_ texture: ID<Texture>, _ output: String = "rgb", primvar: String? = "st") -> TextureBinding {
        var binding = TextureBinding(texture: texture, output: output)
        binding.primvar = primvar
        binding.wrapS = .repeat
        binding.wrapT = .repeat
        return binding
    }

    private let grid = SampleMesh.grid(columns: 1, rows: 1)

    @Test func everyMapOfASurface() throws {
        var model = Model()
        let (color, orm, bump) = (
            model.texture("t/col.png", png(colorType: 6)), model.texture("t/orm.png", png()), model.texture("t/n.png", png(salt: 1))
        )
        let glow = model.texture("glow map.png", png(salt: 2))
        let material = model.material("M") { s in
            s.diffuseColor.texture = binding(color)
            s.opacity.texture = binding(color, "a")
            s.opacityThreshold = 0.5
            s.occlusion.texture = binding(orm, "r")
            s.roughness.texture = binding(orm, "g")
            s.metallic.texture = binding(orm, "b")
            s.emissiveColor.texture = binding(glow)
            s.normal.texture = binding(bump)
            s.normal.texture?.scale = Vector4f(2, 2, 2, 1)
            s.normal.texture?.bias = Vector4f(-1, -1, -1, 0)
            s.clearcoat.value = 0.4
            s.ior = 1.4
        }
        model.builder.mesh("m", grid, material: material)
        let written = try model.write()
        try TextDiff.check(
            written.text("out.mtl"),
            equals: """
                # Facet

                newmtl M
                Kd 1 1 1
                Ks 0.027777774 0.027777774 0.027777774
                Ni 1.4
                # opacity threshold 0.5
                d 1
                Ke 1 1 1
                illum 6
                Pr 1
                Pm 1
                Pc 0.4
                Pcr 0.01
                map_Kd textures/col.png
                map_Ke textures/glow_map.png
                map_d textures/col.png
                map_Pr -imfchan g textures/orm.png
                map_Pm -imfchan b textures/orm.png
                map_Ka -imfchan r textures/orm.png
                norm textures/n.png
                map_Bump -bm 1 textures/n.png

                """)
        #expect(written.codes == ["obj.renamed-image"])
        #expect(written.files["textures/orm.png"] == png())
        #expect(
            written.files.keys.sorted() == ["out.mtl", "out.obj", "textures/col.png", "textures/glow_map.png", "textures/n.png", "textures/orm.png"])
    }

    @Test func specularWorkflowHasClassicKeysOnly() throws {
        var model = Model()
        let material = model.material("S") { s in
            s.useSpecularWorkflow = true
            s.specularColor.value = Vector3f(0.5, 0.25, 0.125)
            s.roughness.value = 0.75
            s.opacity.value = 0.25
        }
        model.builder.mesh("m", grid, material: material)
        let text = try model.write().text("out.mtl")
        #expect(text.contains("\nKd 0.18 0.18 0.18\nKs 0.5 0.25 0.125\nNs 62.5\nNi 1.5\nd 0.25\nillum 9\n"))
        #expect(!text.contains("Pr") && !text.contains("Pm"))
    }

    @Test func metalTakesItsColourAsReflection() throws {
        var model = Model()
        let material = model.material("S") { s in
            s.diffuseColor.value = Vector3f(1, 0.5, 0)
            s.metallic.value = 1
        }
        model.builder.mesh("m", grid, material: material)
        #expect(try model.write().text("out.mtl").contains("\nKs 1 0.5 0\nNi 1.5\nd 1\nillum 3\nPr 0.5\nPm 1\n"))
    }

    @Test func constantOpacityAgainstItsThreshold() throws {
        var model = Model()
        let gone = model.material("gone") { s in
            s.opacity.value = 0.3
            s.opacityThreshold = 0.5
        }
        let there = model.material("there") { s in
            s.opacity.value = 0.5
            s.opacityThreshold = 0.5
        }
        model.builder.mesh("a", grid, material: gone)
        model.builder.mesh("b", grid, material: there)
        let text = try model.write().text("out.mtl")
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("d ") } == ["d 0", "d 1"])
    }

    @Test func copiesOfAMaterialAreOne() throws {
        var model = Model()
        let ids = ["/a/Red", "/b/Red", "/c/Red"].map { path in
            model.material("Red", path: path) { $0.diffuseColor.value = path == "/c/Red" ? Vector3f(0, 1, 0) : Vector3f(1, 0, 0) }
        }
        for (i, id) in ids.enumerated() { model.builder.mesh("m\(i)", grid, material: id) }
        let written = try model.write()
        #expect(try written.read().faces.map(\.material) == ["Red", "Red", "Red_2"])
        #expect(try written.text("out.mtl").split(separator: "\n").filter { $0.hasPrefix("newmtl") } == ["newmtl Red", "newmtl Red_2"])
    }

    @Test func subsetsGroupFacesByMaterial() throws {
        var model = Model()
        let (red, blue) = (model.material("red") { _ in }, model.material("blue") { $0.metallic.value = 1 })
        var mesh = SampleMesh.cube()
        mesh.subsets = [
            GeomSubset(name: "b", family: "materialBind", faces: DeferredArray([1, 4, 99])),
            GeomSubset(name: "none", family: "materialBind", faces: DeferredArray([5])),
        ]
        let node = model.builder.mesh("m", mesh, material: red)
        model.builder.change(node) { $0.subsetPreviewMaterials = [blue, nil] }
        let written = try model.write()
        let read = try written.read()
        #expect(read.faces.map(\.material) == ["red", "red", "red", "red", "blue", "blue"])
        let corners = try mesh.faceVertexIndices.load().map { Int($0) }
        #expect(read.faces[4].corners.map(\.v) == Array(corners[4..<8]))
        #expect(read.faces[5].corners.map(\.v) == Array(corners[16..<20]))
        #expect(written.codes == ["mesh.subset-index-out-of-range"])
    }

    @Test func onlyTheCoordinatesThatMaterialsUse() throws {
        var model = Model()
        let texture = model.texture("a.png", png())
        let material = model.material("M") { $0.diffuseColor.texture = binding(texture, primvar: "UVMap") }
        var mesh = grid
        var other = mesh.primvars[0]
        other.name = "UVMap"
        other.values = .float2(DeferredArray([Vector2f(0, 0), Vector2f(0.25, 0), Vector2f(0, 0.25), Vector2f(0.25, 0.25)]))
        mesh.primvars.append(other)
        model.builder.mesh("m", mesh, material: material)
        let written = try model.write()
        #expect(try written.read().coordinates == [[0, 0], [0.25, 0], [0, 0.25], [0.25, 0.25]])
        #expect(written.codes == ["obj.lost.uv-set"])
        #expect(written.diagnostics.first?.message.contains("'st'") == true)
    }

    @Test func textureTransforms() throws {
        var model = Model()
        let texture = model.texture("a.png", png())
        let moved = model.material("moved") { s in
            s.diffuseColor.texture = binding(texture)
            s.diffuseColor.texture?.transform = TextureTransform(scale: Vector2f(2, 3), translation: Vector2f(0.5, -0.25))
        }
        let turned = model.material("turned") { s in
            s.diffuseColor.texture = binding(texture)
            s.diffuseColor.texture?.transform = TextureTransform(rotation: 90, scale: Vector2f(2, 1), translation: Vector2f(1, 0))
        }
        model.builder.mesh("a", grid, material: moved)
        model.builder.mesh("b", grid, material: turned)
        let written = try model.write()
        let text = try written.text("out.mtl")
        #expect(text.contains("map_Kd -o 0.5 -0.25 0 -s 2 3 1 textures/a.png\n"))
        #expect(text.contains("map_Kd textures/a.png\n"))
        let read = try written.read()
        // (s, t) becomes (1 - t, 2 s).
        #expect(Array(read.coordinates[4...]) == [[1, 0], [1, 2], [0, 0], [0, 2]])
        #expect(written.diagnostics.isEmpty)
    }

    @Test func wrapModes() throws {
        var model = Model()
        let texture = model.texture("a.png", png())
        var mesh = grid
        mesh.primvars[0].values = .float2(DeferredArray([Vector2f(-1, 0), Vector2f(2, 0), Vector2f(0, 1), Vector2f(1, 1)]))
        for (name, s, t) in [
            ("rep", WrapMode.repeat, WrapMode.repeat), ("cl", .clamp, .clamp), ("mixed", .clamp, .mirror), ("blk", .black, .black),
            ("none", .useMetadata, .useMetadata),
        ] {
            let material = model.material(name) { surface in
                surface.diffuseColor.texture = binding(texture)
                surface.diffuseColor.texture?.wrapS = s
                surface.diffuseColor.texture?.wrapT = t
            }
            model.builder.mesh("m_" + name, mesh, material: material)
        }
        let written = try model.write()
        let maps = try written.text("out.mtl").split(separator: "\n").filter { $0.hasPrefix("map_Kd") }.map { $0.contains("-clamp on") }
        #expect(maps == [false, true, true, true, false])
        let warned = Set(written.diagnostics.filter { $0.code == "obj.lost.wrap" }.compactMap(\.location.primPath))
        #expect(warned == ["/mat/mixed", "/mat/blk", "/mat/none"])
    }

    @Test func texturesThatCannotBeWritten() throws {
        var model = Model()
        let missing = model.texture("gone.png", nil)
        let text = model.texture("secret.png", Array("root:x:0:0".utf8))
        let udim = model.texture("a.<UDIM>.png", png())
        let material = model.material("M") { s in
            s.diffuseColor.texture = binding(missing)
            s.diffuseColor.texture?.fallback = Vector4f(0.5, 0.25, 0, 1)
            s.roughness.texture = binding(text, "r")
            s.metallic.texture = binding(udim, "r")
        }
        model.builder.mesh("m", grid, material: material)
        let written = try model.write()
        let mtl = try written.text("out.mtl")
        #expect(!mtl.contains("map_"))
        #expect(mtl.contains("Kd 0.5 0.25 0\n"))
        #expect(written.files.keys.sorted() == ["out.mtl", "out.obj"])
        #expect(written.codes == ["obj.lost.udim", "obj.lost.texture"])
    }

    @Test func textureNamesAreSafeAndUnique() throws {
        var model = Model()
        let paths = ["a/wood.png", "b/WOOD.png", "c/../-x y.png", "con.png", "wood_2.png"]
        for (i, path) in paths.enumerated() {
            let texture = model.texture(path, png(salt: UInt8(i)))
            let material = model.material("m\(i)") { $0.diffuseColor.texture = binding(texture) }
            model.builder.mesh("m\(i)", grid, material: material)
        }
        var embedded = ID<Texture>(0)
        model.builder.changeScene { embedded = $0.textures.append(Texture(authoredPath: "", source: .embedded(EmbeddedBytes(png(salt: 9))))) }
        let material = model.material("e") { $0.diffuseColor.texture = binding(embedded) }
        model.builder.mesh("e", grid, material: material)
        let written = try model.write()
        let names = written.files.keys.filter { $0.hasPrefix("textures/") }.sorted()
        #expect(
            names == [
                "textures/WOOD_3.png", "textures/_con.png", "textures/image_1.png", "textures/wood.png", "textures/wood_2.png", "textures/x_y.png",
            ])
        #expect(written.files["textures/WOOD_3.png"] == png(salt: 1))
    }

    @Test func oneFileForASourceUsedTwice() throws {
        var model = Model()
        let a = model.texture("a.png", png())
        let again = model.texture("a.png", png())
        let material = model.material("M") { s in
            s.diffuseColor.texture = binding(a)
            s.emissiveColor.texture = binding(again)
        }
        model.builder.mesh("m", grid, material: material)
        #expect(try model.write().files.keys.sorted() == ["out.mtl", "out.obj", "textures/a.png"])
        let skipped = try model.write { $0.textures = .skip }
        #expect(skipped.files.keys.sorted() == ["out.mtl", "out.obj"])
        #expect(skipped.codes == ["obj.textures-skipped"])
    }

    @Test func factorsAndWhatMTLHasNoWordFor() throws {
        var model = Model()
        let texture = model.texture("a.png", png())
        let material = model.material("M") { s in
            s.diffuseColor.texture = binding(texture)
            s.diffuseColor.texture?.scale = Vector4f(0.5, 0.25, 1, 1)
            s.roughness.texture = binding(texture, "g")
            s.roughness.texture?.bias = Vector4f(0, 1, 0, 0)
            s.occlusion.value = 0.5
            s.displacement.value = 2
        }
        model.builder.mesh("m", grid, material: material)
        let written = try model.write()
        #expect(try written.text("out.mtl").contains("Kd 0.5 0.25 1\n"))
        #expect(written.codes == ["obj.lost.texture-bias", "obj.lost.occlusion", "obj.lost.displacement"])
        #expect(written.diagnostics.allSatisfy { $0.location.primPath == "/mat/M" })
    }

    @Test func unknownShadingModelIsGreyWithAWarning() throws {
        var model = Model()
        let material = model.material("M") { _ in }
        model.builder.changeScene { $0.materials[material].surface = nil }
        model.builder.mesh("m", grid, material: material)
        let written = try model.write()
        #expect(written.codes == ["obj.lost.material"])
        #expect(try written.read().faces.map(\.material) == ["M"])
    }
}
