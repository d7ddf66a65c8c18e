import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetFormats

/// Material libraries by hand: what is read of each kind of statement, and what is said of those that are wrong.
@Suite struct MTLTests {
    /// A library and what was told about it.
    struct Parsed {
        var library: MTLLibrary
        var diagnostics: [Diagnostic]
        var codes: [String] { diagnostics.map(\.code) }
        func line(_ code: String) -> Int? {
            guard case .line(let line, _) = diagnostics.first(where: { $0.code == code })?.location.position else { return nil }
            return line
        }
    }

    /// A library's materials in the model's terms.
    struct Made {
        var scene: Scene
        var diagnostics: [Diagnostic]
        var codes: [String] { diagnostics.map(\.code) }
        func material(_ name: String) throws -> Material { try #require(scene.materials.first { $0.name == name }) }
        func surface(_ name: String = "m") throws -> Surface { try #require(try material(name).surface) }
        func texture(_ binding: TextureBinding?) throws -> Texture { scene.textures[try #require(binding).texture] }
    }

    static func parse(_ bytes: [UInt8]) -> Parsed {
        var diagnostics = Diagnostics()
        let library = MTLLibrary.parse(FileBytes(name: "d/a.mtl", bytes: bytes), diagnostics: &diagnostics)
        return Parsed(library: library, diagnostics: diagnostics.entries)
    }
    static func parse(_ text: String) -> Parsed { parse(Array(text.utf8)) }

    static func make(
        _ text: String, files: [String] = [], images: [String: [UInt8]] = [:], roughness: MTLRoughness = .blender
    ) -> Made {
        let resolver = InMemoryResolver(images)
        for file in files { resolver.add(file, [1]) }
        var diagnostics = Diagnostics()
        let library = MTLLibrary.parse(FileBytes(name: "d/a.mtl", bytes: Array(text.utf8)), diagnostics: &diagnostics)
        var scene = Scene(source: SourceDescription(file: "a.obj", format: "obj"))
        var maker = MTLToMaterial(resolver: resolver, openedFile: "a.obj", roughness: roughness)
        for (i, source) in library.materials.enumerated() {
            let made = maker.material(source, of: library, path: "/m\(i)", into: &scene, &diagnostics)
            scene.materials.append(made)
        }
        #expect(SceneInvariants.violations(in: scene, level: .geometry) == [])
        return Made(scene: scene, diagnostics: diagnostics.entries)
    }

    // MARK: Lines and names

    @Test func marksLineEndsAndTrailingBlanks() throws {
        for end in ["\n", "\r\n", "\r"] {
            let p = Self.parse("\u{FEFF}newmtl red\t \(end)\tKd 1 0 0 \(end)\(end)# newmtl no\\\(end)  NEWMTL  two\(end)kD .5 +2.5e-1 1.\(end)Bad 1")
            #expect(p.library.materials.map(\.name) == ["red", "two"])
            #expect(p.library.materials.map(\.line) == [1, 5])
            #expect(p.library.material(named: "red")?.colors[.Kd]?.values.0 == 1)
            #expect(try #require(p.library.material(named: "two")?.colors[.Kd]).values == (0.5, 0.25, 1))
            #expect(p.codes == ["mtl.unknown-statement"])
            #expect(p.line("mtl.unknown-statement") == 7)
        }
    }

    @Test func namesRunToTheEndOfTheLine() {
        let p = Self.parse("newmtl Anodized Rough  Grey #1\nmap_Kd tex ture #2.png\nnewmtl red # warm\n")
        #expect(p.library.material(named: "Anodized Rough  Grey #1")?.map(.map_Kd)?.fileName == "tex ture #2.png")
        #expect(p.library.material(named: "red") == nil)
        #expect(p.library.material(beforeComment: "red")?.name == "red # warm")
        #expect(p.library.material(beforeComment: "red # other")?.name == "red # warm")
        #expect(p.library.material(beforeComment: "blue") == nil)
        #expect(p.codes.isEmpty)
    }

    @Test func bytesThatAreNoUTF8AreKept() {
        let p = Self.parse([UInt8]("newmtl gr".utf8) + [0xFC] + [UInt8]("n\n".utf8))
        #expect(p.library.materials.first?.name == SystemPath.decode([0x67, 0x72, 0xFC, 0x6E]))
    }

    @Test func continuesOnlyAtTheVeryEnd() {
        let p = Self.parse("newmtl a\nKd 1 \\\n 0.5 \\\r\n0.25\nKs 1 1 1 # c \\\nNs 5\nmap_Kd x\\y.png\nKe 1 1 1\\")
        let m = p.library.materials[0]
        #expect(m.colors[.Kd]?.values.1 == 0.5 && m.colors[.Kd]?.values.2 == 0.25 && m.colors[.Kd]?.line == 2)
        #expect(m.number(.Ns) == 5)
        #expect(m.map(.map_Kd)?.fileName == "x\\y.png")
        #expect(p.codes == ["mtl.bad-number"])
        #expect(p.line("mtl.bad-number") == 8)
    }

    @Test func theFirstOfEqualNamesCounts() throws {
        let p = Self.parse("newmtl a\nKd 1 1 1\nnewmtl a\nKd 0 0 0\nnewmtl a\n")
        #expect(p.library.material(named: "a")?.colors[.Kd]?.values.0 == 1)
        #expect(p.codes == ["mtl.repeated-material"] && p.diagnostics[0].count == 2 && p.line("mtl.repeated-material") == 3)
    }

    // MARK: Values

    @Test func coloursInEveryForm() throws {
        let m = Self.parse("newmtl a\nKa 0.5\nKd rgb 1 2 3 # c\nKs xyz 0.1 0.2 0.3\nKe .1 .2 .3 1\nTf spectral a.rfl 1\n")
        let colors = try #require(m.library.materials.first).colors
        #expect(colors[.Ka]?.values.2 == 0.5 && colors[.Kd]?.values.2 == 3 && colors[.Ks]?.space == .xyz && colors[.Tf] == nil)
        #expect(m.codes == ["mtl.extra-values", "mtl.spectral"])
        #expect(m.line("mtl.spectral") == 6)
    }

    static let badValues: [(String, String)] = [
        ("Kd a 0 0", "mtl.bad-number"), ("Kd nan 0 0", "mtl.not-finite"), ("Ns 1e999", "mtl.not-finite"), ("Kd", "mtl.no-value"),
        ("d # none", "mtl.no-value"), ("Kd 1 2", "mtl.two-numbers"), ("Ns 0,5", "mtl.decimal-comma"), ("Ns 1 2", "mtl.extra-values"),
        ("map_Kd", "mtl.no-file"), ("map_Kd -clamp on", "mtl.no-file"), ("map_Kd -bm x.png", "mtl.bad-option"), ("newmtl", "mtl.no-name"),
        ("\u{1}\u{2} 3", "mtl.unknown-statement"), ("Ns 1.0f", "mtl.bad-number"), ("Ns 1-2", "mtl.bad-number"),
    ]
    @Test(arguments: badValues) func eachFaultIsToldWithItsLine(_ statement: String, _ code: String) {
        let p = Self.parse("newmtl a\n\n\(statement)\n")
        #expect(p.codes == [code])
        #expect(p.line(code) == 3)
    }

    @Test func whatIsNoLibraryIsToldOnce() {
        #expect(Self.parse("hello\nworld\n").codes == ["mtl.no-statement"])
        #expect(Self.parse([0xFF, 0xD8, 0xFF, 0xE0, 10, 0, 0, 1]).codes == ["mtl.no-statement"])
        #expect(Self.parse("Kd 1 1 1\nKs 1 1 1\nnewmtl a\n").codes == ["mtl.outside-material"])
        let p = Self.parse("newmtl a\nfoo 1\nbar 2\nfoo 3\n")
        #expect(p.diagnostics.map(\.count) == [3] && p.diagnostics[0].message.hasPrefix("'foo', 'bar' is no"))
    }

    // MARK: Map options

    static let forms: [(String, String)] = [
        ("-s 2 3 4 -o .5 -clamp on a b.png", "a b.png"), ("a b.png -s 2 3 4 -o 0.5 -clamp ON", "a b.png"),
        ("-s 2 3 4\ta b.png   -clamp on -o .5 # c", "a b.png"), ("-S 2 3 4 -O .5 -Clamp on 7", "7"), ("-clamp on -s 2 3 4 -o .5 7", "7"),
    ]
    @Test(arguments: forms) func optionsStandBeforeOrBehind(_ text: String, _ name: String) throws {
        let p = Self.parse("newmtl a\nmap_Kd \(text)\n")
        let map = try #require(p.library.materials[0].map(.map_Kd))
        #expect(map.fileName == name)
        #expect(map.options.scale == [2, 3, 4] && map.options.offset == [0.5, 0, 0] && map.options.isClamped == true)
        #expect(p.codes.isEmpty)
    }

    @Test func everyOption() throws {
        let text = "-t 1 2 -mm 0.1 2 -bm .5 -imfchan G -texres 512 -type cube_top -blendu off -blendv on -boost 3 -cc on -colorspace sRGB a-s 1.png"
        let map = try #require(Self.parse("newmtl a\nbump \(text)").library.materials[0].map(.map_Bump))
        let o = map.options
        #expect(map.fileName == "a-s 1.png")
        #expect(o.turbulence == [1, 2, 0] && o.base == 0.1 && o.gain == 2 && o.bumpMultiplier == 0.5 && o.channel == UInt8(ascii: "g"))
        #expect(o.resolution == "512" && o.type == "cube_top" && o.blendsU == false && o.blendsV == true && o.boost == 3)
        #expect(o.correctsColor == true && o.colorSpace == "srgb")
    }

    static let names = ["a -s b.png", "-x.png", "\"q r.png\"", "..\\t\\x.png", "a #1.png", "C:\\x y\\z.png", "a -clamp", "é 日.png"]
    @Test(arguments: names) func oddNamesAreKept(_ name: String) {
        let p = Self.parse("newmtl a\nmap_Kd -clamp on \(name)\n")
        #expect(p.library.materials[0].map(.map_Kd)?.fileName == name)
        #expect(p.codes.isEmpty)
    }

    // MARK: In the model's terms

    @Test func opacity() throws {
        let made = Self.make("newmtl A\nd 1\nTr 0\nnewmtl B\nTr 0.25\nnewmtl C\nd 0.4\nnewmtl D\nTr 1\nd 0\nnewmtl E\nTr 1\nd 1\nnewmtl F\n")
        for (name, alpha) in [("A", 1), ("B", 0.75), ("C", 0.4), ("D", 0), ("E", 1), ("F", 1)] as [(String, Float)] {
            #expect(try made.surface(name).opacity.value == alpha)
        }
        #expect(try !made.surface("F").opacity.isAuthored)
        #expect(made.codes.isEmpty)
    }

    @Test func roughnessAndMetal() throws {
        let text = """
            newmtl ns\nNs 250\nnewmtl none\nillum 1\nnewmtl pr\nNs 250\nPr 0.3\nPm 0.75\nPc 1\nPcr 0.25
            newmtl chrome\nKd 0 0 0\nKs .8 .7 .6\nillum 3\nnewmtl grey\nKd .5 .5 .5\nKs .8 .8 .8\nillum 3\nNs 2000
            """
        let made = Self.make(text)
        #expect(try made.surface("ns").roughness.value == 0.5)
        #expect(try made.surface("none").roughness.value == 1)
        let pr = try made.surface("pr")
        #expect(pr.roughness.value == 0.3 && pr.metallic.value == 0.75 && pr.clearcoat.value == 1 && pr.clearcoatRoughness.value == 0.25)
        #expect(try made.surface("chrome").metallic.value == 1 && made.surface("chrome").diffuseColor.value == Vector3f(0.8, 0.7, 0.6))
        #expect(try made.surface("grey").metallic.value == 0 && made.surface("grey").roughness.value == 0)
        #expect(made.codes == ["obj.assumed.roughness", "obj.assumed.metal"])
        #expect(made.diagnostics[0].count == 2 && made.diagnostics[0].severity == .info)
        let phong = Self.make(text, roughness: .phong)
        #expect(try phong.surface("ns").roughness.value == Float((2.0 / 252).squareRoot()))
        #expect(try phong.surface("none").roughness.value == 1 && phong.surface("pr").roughness.value == 0.3)
        #expect(phong.diagnostics[0].message.contains("√(2 / (Ns + 2))"))
    }

    @Test func shininessAndRoughnessUndoEachOther() {
        for rule in MTLRoughness.allCases {
            for ns in [0, 1, 10, 96.078431, 225, 500, 999, 1000] as [Float] {
                let back = rule.shininess(ofRoughness: rule.roughness(ofShininess: ns))
                #expect(abs(back - ns) <= 1e-4 * max(ns, 1))
            }
            #expect(rule.roughness(ofShininess: -5) == 1 && rule.shininess(ofRoughness: 7) == 0 && rule.shininess(ofRoughness: -1) == 1000)
        }
        // The table of the programs that have these rules.
        for (ns, blender, phong) in [(10, 0.900, 0.408), (96.08, 0.690, 0.143), (500, 0.293, 0.063)] as [(Float, Float, Float)] {
            #expect(abs(MTLRoughness.blender.roughness(ofShininess: ns) - blender) < 6e-4)
            #expect(abs(MTLRoughness.phong.roughness(ofShininess: ns) - phong) < 6e-4)
        }
    }

    @Test func factorsOfOpacityMaps() throws {
        let text = "newmtl a\nTr .25\nmap_d d.png\nnewmtl b\nTr .25\nmap_Tr d.png\nnewmtl c\nTr 0\nmap_Tr d.png\nnewmtl e\nd .5\nTr .9\nmap_d d.png"
        let made = Self.make(text, files: ["d/d.png"])
        func one(_ x: Float) -> Vector4f { Vector4f(x, x, x, x) }
        #expect(try made.surface("a").opacity.texture?.scale == one(0.75) && made.surface("a").opacity.texture?.bias == nil)
        #expect(try made.surface("b").opacity.texture?.scale == one(-0.25) && made.surface("b").opacity.texture?.bias == one(1))
        #expect(try made.surface("c").opacity.texture?.scale == one(-1))
        #expect(try made.surface("e").opacity.texture?.scale == one(0.5))
        #expect(made.codes == ["obj.assumed.map-factor"])
    }

    @Test func bumpMapsOfOneChannelAreHeights() throws {
        let made = Self.make("newmtl m\nmap_Bump -imfchan r b.png", files: ["d/b.png"])
        #expect(try made.surface().normal.texture == nil)
        #expect(made.codes == ["obj.dropped.bump"])
    }

    @Test func inputsAreInTheFormatsWords() throws {
        let material = try Self.make("newmtl m\nillum 2\nNs 10\nKd 1 0 .5\nMAP_KD x.png", files: ["d/x.png"]).material("m")
        #expect(material.shader == "MTL")
        #expect(material.inputs.map(\.name) == ["Kd", "Ns", "illum", "map_Kd"])
        #expect(material.inputs[0].value == .floats([1, 0, 0.5]) && material.inputs[2].value == .int(2))
    }

    @Test func texturesOfAMaterial() throws {
        let text = """
            newmtl m
            Kd 1 0.5 1
            map_Kd -o 1 2 -s 3 c.png
            map_d C.png
            map_Pr -imfchan g -clamp on orm.png
            Pm 0
            map_Pm orm.png -imfchan b
            map_Ka -imfchan r orm.png
            norm n.png
            map_Bump -bm 0.5 n.png
            disp -mm -1 2 h.png
            Ke 0 0 0
            map_Ke gone.png
            """
        let made = Self.make(text, files: ["d/c.png", "d/orm.png", "d/n.png", "d/h.png"])
        let s = try made.surface()
        let diffuse = try #require(s.diffuseColor.texture)
        #expect(diffuse.transform == TextureTransform(scale: Vector2f(3, 1), translation: Vector2f(1, 2)))
        #expect(diffuse.scale == Vector4f(1, 0.5, 1, 1) && diffuse.output == "rgb" && diffuse.primvar == "st" && diffuse.wrapS == .repeat)
        #expect(try made.texture(diffuse).resolvedPath == "d/c.png")
        // The same file in another letter case.
        #expect(s.opacity.texture?.output == "a")
        #expect(s.roughness.texture?.output == "g" && s.roughness.texture?.wrapT == .clamp && s.roughness.texture?.colorSpace == .raw)
        #expect(s.metallic.texture?.output == "b" && s.metallic.texture?.scale == nil && s.occlusion.texture?.output == "r")
        #expect(s.normal.texture?.scale == Vector4f(1, 1, 2, 1) && s.normal.texture?.bias == Vector4f(-0.5, -0.5, -1, 0))
        #expect(s.displacement.texture?.scale == Vector4f(2, 2, 2, 2) && s.displacement.texture?.bias == Vector4f(-1, -1, -1, -1))
        #expect(try made.texture(s.emissiveColor.texture).source == .missing)
        #expect(made.codes.sorted() == ["obj.assumed.map-factor", "obj.assumed.map-factor", "obj.missing-texture", "path.letter-case"])
        let missing = try #require(made.diagnostics.first { $0.code == "obj.missing-texture" })
        #expect(missing.location == SourceLocation(file: "d/a.mtl", position: .line(13, column: 1)))
    }

    @Test func texturesLieBesideTheLibrary() throws {
        let made = Self.make(
            "newmtl m\nmap_Kd foo.png\nmap_Ke sub\\e.png\nmap_Pr r.png # rough\nmap_Pm \"m m.png\"",
            files: ["d/foo.png", "foo.png", "d/sub/e.png", "d/r.png", "d/m m.png"])
        let s = try made.surface()
        #expect(try made.texture(s.diffuseColor.texture).resolvedPath == "d/foo.png")
        #expect(try made.texture(s.emissiveColor.texture).resolvedPath == "d/sub/e.png")
        #expect(try made.texture(s.roughness.texture).resolvedPath == "d/r.png")
        #expect(try made.texture(s.metallic.texture).resolvedPath == "d/m m.png")
        #expect(made.codes == ["path.backslash", "path.quotes"])
    }

    @Test func whatHasNoPlaceIsTold() throws {
        let made = Self.make("newmtl m\nPs 1\naniso 0\nd -halo 0.5\nmap_Ks k.png\nmap_Kd -blendu off -t 1 k.png\nmap_Ka k.png", files: ["d/k.png"])
        #expect(made.codes == ["obj.dropped.sheen", "obj.dropped.halo", "obj.dropped.map-option", "obj.dropped.map"])
        #expect(try made.surface().opacity.value == 0.5)
        #expect(try made.surface().occlusion.texture == nil)
    }

    // MARK: Round trip

    /// What is written of a surface is read again, to the last bit.
    @Test func ourOwnLibrariesComeBack() throws {
        var random = SplitMix64(seed: 0x52_54)
        func number() -> Float { Float(random.int(in: 1...999_983)) / 1_000_003 }
        let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 4, 0, 0, 0, 4, 8, 6, 0, 0, 0, 0, 0, 0, 0]
        for round in 0..<30 {
            var builder = SceneBuilder()
            var image = ID<Texture>(0)
            builder.changeScene { image = $0.textures.append(Texture(authoredPath: "i.png", source: .file("/in/i.png"))) }
            func binding(_ output: String, _ scale: Vector4f?) -> TextureBinding {
                var b = TextureBinding(texture: image, output: output)
                b.primvar = "st"
                let wrap: WrapMode = round % 2 == 0 ? .repeat : .clamp
                (b.wrapS, b.wrapT, b.scale) = (wrap, wrap, scale)
                b.colorSpace = output == "rgb" ? .sRGB : .raw
                b.transform = TextureTransform(scale: Vector2f(number(), number()), translation: Vector2f(number(), -number()))
                return b
            }
            var s = Surface()
            s.diffuseColor = Channel(Vector3f(number(), number(), number()), isAuthored: true)
            s.emissiveColor = Channel(Vector3f(number(), 0, 5 * number()), isAuthored: true)
            s.roughness = Channel(number(), isAuthored: true)
            s.metallic = Channel(number(), isAuthored: true)
            s.opacity = Channel(number(), isAuthored: true)
            s.opacityMode = .presence
            s.clearcoat = Channel(number(), isAuthored: true)
            s.clearcoatRoughness = Channel(number(), isAuthored: true)
            s.ior = 1 + number()
            if round % 3 > 0 {
                let f = number()
                s.diffuseColor.texture = binding("rgb", Vector4f(number(), number(), number(), 1))
                s.roughness.texture = binding("g", Vector4f(f, f, f, f))
                s.metallic.texture = binding("b", nil)
                s.opacity.texture = binding("a", nil)
                var normal = binding("rgb", Vector4f(2 * f, 2 * f, 2, 1))
                (normal.bias, normal.colorSpace) = (Vector4f(-f, -f, -1, 0), .raw)
                s.normal = Channel(Vector3f(0, 0, 1), texture: normal, isAuthored: true)
            }
            var source = Material(name: "m", path: "/m", shader: "UsdPreviewSurface")
            source.surface = s
            var id = ID<Material>(0)
            builder.changeScene { id = $0.materials.append(source) }
            builder.mesh("g", SampleMesh.grid(columns: 1, rows: 1), material: id)
            let written = try writeOBJ(builder.scene, files: ["/in/i.png": png])
            let images = Dictionary(uniqueKeysWithValues: written.files.map { ("d/" + $0.key, $0.value) })
            let made = Self.make(try written.text("out.mtl"), images: images)
            let read = try made.surface()
            #expect(made.codes.isEmpty)
            #expect(read.ior == s.ior && read.clearcoat == s.clearcoat && read.clearcoatRoughness == s.clearcoatRoughness)
            #expect(read.emissiveColor == s.emissiveColor && read.opacityMode == .presence)
            if round % 3 > 0 {
                let maps = [s.diffuseColor.texture, s.roughness.texture, s.metallic.texture, s.opacity.texture, s.normal.texture]
                let back = [
                    read.diffuseColor.texture, read.roughness.texture, read.metallic.texture, read.opacity.texture, read.normal.texture,
                ]
                #expect(back == maps)
            } else {
                #expect(read.diffuseColor == s.diffuseColor && read.roughness == s.roughness)
                #expect(read.metallic == s.metallic && read.opacity == s.opacity)
            }
        }
    }

    // MARK: Damage

    static let all = """
        \u{FEFF}newmtl a b #1\r\nKd xyz .1 .2 .3\r\nKs 1\r\nd -halo 0.5\r\nTr 0,5\r\nillum illum_2\r\nmap_Kd -s 1 2 3 -o 1 c d.png -clamp on\r\n\
        map_Bump -bm 1e38 -mm 1e38 1e38 c.png\r\nrefl -type sphere x\\y.png\r\nKe 3e38 \\\r\n 3e38 3e38\r\nmap_Ke -mm 0 3e38 -imfchan z c.png\r\n
        """

    @Test func damagedLibrariesGiveSoundMaterials() {
        let bytes = Array(Self.all.utf8)
        for length in 0...bytes.count { _ = Self.make(String(decoding: bytes[..<length], as: UTF8.self), files: ["d/c.png"]) }
        var random = SplitMix64(seed: 0x4D54)
        for _ in 0..<300 {
            let damaged = Mutations.edited(bytes, edits: 4, using: &random)
            _ = Self.make(String(decoding: damaged, as: UTF8.self), files: ["d/c.png"])
            _ = Self.parse(damaged)
        }
    }

    @Test(.timeLimit(.minutes(1))) func longLinesTakeNoLongTime() {
        _ = Self.parse("newmtl a\nmap_Kd " + String(repeating: "-cc on ", count: 100_000) + "x -clamp\n")
        _ = Self.parse("newmtl a\nmap_Kd x" + String(repeating: " -cc on", count: 100_000) + " x\n")
        _ = Self.parse("newmtl a\nKd " + String(repeating: "1 \\\n", count: 200_000))
    }
}
