import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

@Suite struct SchemasMaterialTests {
    @Test func aNetworkIsFollowedThroughGraphsAndInterfaces() throws {
        let s = try SceneText(
            """
            def Material "m" {
                float inputs:rough = 0.25
                string inputs:uv = "map1"
                asset inputs:image = @tex/wood.png@
                token outputs:surface.connect = </m/graph.outputs:surface>
                def NodeGraph "graph" {
                    float inputs:r.connect = </m.inputs:rough>
                    token outputs:surface.connect = </m/graph/s.outputs:surface>
                    color3f outputs:tint.connect = </m/graph/t.outputs:rgb>
                    def Shader "s" { uniform token info:id = "UsdPreviewSurface"
                        color3f inputs:diffuseColor.connect = </m/graph.outputs:tint>
                        float inputs:roughness.connect = </m/graph.inputs:r>
                        float inputs:metallic = 1
                        int inputs:useSpecularWorkflow = 0
                        float inputs:opacity.connect = </m/nowhere.outputs:a>
                        token outputs:surface }
                    def Shader "t" { uniform token info:id = "UsdUVTexture"
                        asset inputs:file.connect = </m.inputs:image>
                        float2 inputs:st.connect = </m/graph/x.outputs:result>
                        token inputs:wrapS = "repeat"
                        token inputs:sourceColorSpace = "sRGB"
                        float4 inputs:scale = (1, 0.5, 0.25, 1)
                        float4 inputs:fallback = (1, 0, 0, 1)
                        float3 outputs:rgb }
                    def Shader "x" { uniform token info:id = "UsdTransform2d"
                        float2 inputs:in.connect = </m/graph/p.outputs:result>
                        float inputs:rotation = 90
                        float2 inputs:translation = (0.5, 0)
                        float2 outputs:result }
                    def Shader "p" { uniform token info:id = "UsdPrimvarReader_float2"
                        string inputs:varname.connect = </m.inputs:uv>
                        float2 outputs:result } } }
            """, files: ["tex/wood.png": "png"])
        let m = try s.material("m")
        #expect(m.shader == "UsdPreviewSurface")
        #expect(m.inputs.map(\.name) == ["diffuseColor", "metallic", "roughness", "useSpecularWorkflow"])
        #expect(m.inputs.first { $0.name == "roughness" }?.value == .float(0.25))
        let t = try #require(m.inputs.first { $0.name == "diffuseColor" }?.texture)
        let texture = s.scene.textures[t.texture]
        #expect(texture.authoredPath == "tex/wood.png" && texture.resolvedPath == "test/tex/wood.png")
        #expect(t.output == "rgb" && t.primvar == "map1" && t.wrapS == .repeat && t.wrapT == .useMetadata && t.colorSpace == .sRGB)
        #expect(t.scale == Vector4f(1, 0.5, 0.25, 1) && t.bias == nil && t.fallback == Vector4f(1, 0, 0, 1))
        #expect(t.transform == TextureTransform(rotation: 90, translation: Vector2f(0.5, 0)))
        let surface = try #require(m.surface)
        #expect(surface.roughness.value == 0.25 && surface.metallic.value == 1 && surface.diffuseColor.texture == t)
        #expect(surface.diffuseColor.isAuthored && !surface.opacity.isAuthored)
        #expect(s.codes.isEmpty)
    }

    @Test func cyclesEnd() throws {
        let s = try SceneText(
            """
            def Material "m" {
                float inputs:a.connect = </m.inputs:b>
                float inputs:b.connect = </m.inputs:a>
                token outputs:surface.connect = </m/s.outputs:surface>
                def Shader "s" { uniform token info:id = "UsdPreviewSurface"
                    float inputs:roughness.connect = </m.inputs:a>
                    token outputs:surface } }
            """)
        #expect(try s.material("m").inputs.isEmpty)
    }

    @Test func missingTexturesAreNamed() throws {
        let s = try SceneText(
            """
            def Material "m" {
                token outputs:surface.connect = </m/s.outputs:surface>
                def Shader "s" { uniform token info:id = "UsdPreviewSurface"
                    float inputs:roughness.connect = </m/t.outputs:g>
                    token outputs:surface }
                def Shader "t" { uniform token info:id = "UsdUVTexture"
                    asset inputs:file = @gone.png@
                    float outputs:g } }
            """)
        let warning = try #require(s.diagnostics.entries.first { $0.code == "usd.missing-texture" })
        #expect(warning.location.primPath == "/m/t" && warning.message.contains("gone.png"))
        let t = try #require(try s.material("m").inputs.first?.texture)
        #expect(t.output == "g" && s.scene.textures[t.texture].resolvedPath == nil)
    }

    @Test func materialXConstantsAreTakenAndToldOf() throws {
        let s = try SceneText(
            """
            def Material "m" {
                token outputs:mtlx:surface.connect = </m/s.outputs:out>
                def Shader "s" { uniform token info:id = "ND_standard_surface_surfaceshader"
                    color3f inputs:base_color = (1, 0, 0)
                    float inputs:base = 0.5
                    float inputs:metalness = 1
                    token outputs:out } }
            """)
        let m = try s.material("m")
        #expect(m.shader == "ND_standard_surface_surfaceshader")
        #expect(m.surface?.diffuseColor.value == Vector3f(0.5, 0, 0) && m.surface?.metallic.value == 1 && m.surface?.roughness.value == 0.2)
        #expect(s.codes == ["usd.materialx"])
    }

    @Test func primvarReadersNameTheirPrimvar() throws {
        let s = try SceneText(
            """
            def Material "m" {
                token outputs:surface.connect = </m/s.outputs:surface>
                def Shader "s" { uniform token info:id = "UsdPreviewSurface"
                    color3f inputs:diffuseColor.connect = </m/c.outputs:result>
                    float inputs:opacity.connect = </m/o.outputs:result>
                    token outputs:surface }
                def Shader "c" { uniform token info:id = "UsdPrimvarReader_float3"
                    token inputs:varname = "displayColor"
                    float3 inputs:fallback = (1, 0, 0)
                    float3 outputs:result }
                def Shader "o" { uniform token info:id = "UsdPrimvarReader_float"
                    string inputs:varname = "displayOpacity"
                    float outputs:result } }
            """)
        let surface = try #require(try s.material("m").surface)
        #expect(surface.diffuseColor.primvar == "displayColor" && surface.diffuseColor.value == Vector3f(1, 0, 0))
        #expect(surface.opacity.primvar == "displayOpacity" && surface.opacity.value == 1)
        #expect(try s.material("m").inputs.isEmpty && s.codes.isEmpty)
    }

    @Test func expressionsInAssetPathsAreEvaluated() throws {
        let s = try SceneText(
            """
            #usda 1.0
            (
                expressionVariables = { string NAME = "wood" }
                metersPerUnit = 1
                upAxis = "Y"
            )
            def Material "m" {
                token outputs:surface.connect = </m/s.outputs:surface>
                def Shader "s" { uniform token info:id = "UsdPreviewSurface"
                    color3f inputs:diffuseColor.connect = </m/t.outputs:rgb>
                    token outputs:surface }
                def Shader "t" { uniform token info:id = "UsdUVTexture"
                    asset inputs:file = @`"./${NAME}.png"`@
                    float3 outputs:rgb } }
            """, files: ["wood.png": "png"])
        #expect(s.scene.textures.map(\.authoredPath) == ["./wood.png"])
        #expect(s.scene.textures.map(\.resolvedPath) == ["test/wood.png"])
    }

    /// A material whose colour comes from a texture.
    private static func textured(_ file: String, output: String) -> String {
        """
        def Material "m" {
            token outputs:surface.connect = </m/s.outputs:surface>
            def Shader "s" { uniform token info:id = "UsdPreviewSurface"
                color3f inputs:diffuseColor.connect = </m/t.outputs:\(output)>
                token outputs:surface }
            def Shader "t" { uniform token info:id = "UsdUVTexture"
                \(file)
                float3 outputs:\(output) } }
        """
    }

    @Test(arguments: [("", false), ("asset inputs:file", false), ("asset inputs:file = @@", true)])
    func aTextureWithoutAPathIsNotOneWithAnEmptyPath(_ line: String, _ namesFile: Bool) throws {
        let s = try SceneText(Self.textured(line, output: "rgb"))
        #expect(s.scene.textures.map(\.authoredPath) == [""])
        #expect(s.scene.textures.map(\.namesFile) == [namesFile])
        #expect(s.codes.contains("usd.texture-without-file"))
    }

    @Test func anOutputThatTexturesDoNotHaveIsReadAsColour() throws {
        let s = try SceneText(Self.textured("asset inputs:file = @a.png@", output: "result"), files: ["a.png": "png"])
        let binding = try #require(s.material("m").surface?.diffuseColor.texture)
        #expect(binding.output == "rgb" && binding.authoredOutput == "result")
        #expect(s.codes == ["usd.bad-texture-output"])
    }

    @Test func unknownShadersHaveNoCommonTerms() throws {
        let s = try SceneText(
            """
            def Material "m" {
                token outputs:surface.connect = </m/s.outputs:out>
                def Shader "s" { uniform token info:id = "Other"
                    token outputs:out } }
            def Material "empty" {}
            """)
        #expect(try s.material("m").surface == nil && s.material("m").shader == "Other")
        #expect(try s.material("empty").shader == nil)
        #expect(s.codes == ["usd.unknown-shader"])
    }
}

@Suite struct SchemasBindingTests {
    @Test func theNearestBindingWinsUnlessOneAboveIsStronger() throws {
        let s = try SceneText(
            """
            def Material "weak" {}
            def Material "strong" {}
            def Material "near" {}
            def Xform "a" { rel material:binding = </weak>
                def Sphere "plain" {}
                def Sphere "own" { rel material:binding = </near> } }
            def Xform "b" { rel material:binding = </strong> ( bindMaterialAs = "strongerThanDescendants" )
                def Sphere "own" { rel material:binding = </near> } }
            def Sphere "free" {}
            def Sphere "wrong" { rel material:binding = </a> }
            def Sphere "gone" { rel material:binding = </nowhere> }
            """)
        #expect(try s.bound("/a/plain") == "/weak")
        #expect(try s.bound("/a/own") == "/near")
        #expect(try s.bound("/b/own") == "/strong")
        #expect(try s.bound("/free") == nil)
        #expect(try s.bound("/wrong") == nil && s.bound("/gone") == nil)
        #expect(s.codes == ["usd.bad-binding", "usd.missing-material"])
        // Only gprims are drawn with a material.
        #expect(try s.bound("/a") == nil)
    }

    /// Nothing is on the stage below an inactive prim; the binding holds all the same, so that none from above shows.
    @Test func aMaterialBelowAnInactivePrimIsNone() throws {
        let s = try SceneText(
            """
            def Material "m" {}
            def Scope "off" ( active = false ) { def Material "m" {}
                def Scope "in" { def Material "m" {} } }
            def Material "self" ( active = false ) {}
            def Xform "a" { rel material:binding = </m>
                def Sphere "x" { rel material:binding = </off/m> }
                def Sphere "y" { rel material:binding = </off/in/m> }
                def Sphere "z" {} }
            """)
        #expect(try s.bound("/a/x") == nil && s.bound("/a/y") == nil && s.bound("/a/z") == "/m")
        #expect(s.codes == ["usd.missing-material", "usd.missing-material"])
    }

    @Test func previewFallsBackToAllPurpose() throws {
        let s = try SceneText(
            """
            def Material "all" {}
            def Material "preview" {}
            def Xform "a" { rel material:binding:preview = </preview>
                def Sphere "below" { rel material:binding = </all> }
                def Sphere "heir" {} }
            def Sphere "plain" { rel material:binding = </all>
                rel material:binding:full = </preview> }
            """)
        #expect(try s.bound("/a/below") == "/all")
        // A binding for the purpose wins from anywhere above.
        #expect(try s.preview("/a/below") == "/preview")
        #expect(try s.bound("/a/heir") == nil && s.preview("/a/heir") == "/preview")
        #expect(try s.preview("/plain") == "/all")
    }

    @Test func collectionsBindWhatTheyHold() throws {
        let s = try SceneText(
            """
            def Material "direct" {}
            def Material "collected" {}
            def Xform "a" ( prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:shiny", "CollectionAPI:more"] ) {
                uniform token collection:shiny:expansionRule = "expandPrims"
                rel collection:shiny:includes = [</a/in>, </a.collection:more>]
                rel collection:shiny:excludes = </a/in/not>
                uniform token collection:more:expansionRule = "explicitOnly"
                rel collection:more:includes = </a/far>
                rel material:binding = </direct>
                rel material:binding:collection:c = [</a.collection:shiny>, </collected>]
                def Xform "in" { def Sphere "yes" {}
                    def Sphere "not" {}
                    def Sphere "own" { rel material:binding = </direct> } }
                def Sphere "out" {}
                def Xform "far" { def Sphere "below" {} } }
            """)
        // On one prim a collection wins over the direct binding.
        #expect(try s.bound("/a/in/yes") == "/collected")
        #expect(try s.bound("/a/in/not") == "/direct")
        #expect(try s.bound("/a/in/own") == "/direct")
        #expect(try s.bound("/a/out") == "/direct")
        #expect(try s.bound("/a/far/below") == "/direct")
    }

    @Test func collectionsThatHoldThemselvesEnd() throws {
        let s = try SceneText(
            """
            def Material "m" {}
            def Xform "a" ( prepend apiSchemas = ["CollectionAPI:x", "CollectionAPI:y"] ) {
                rel collection:x:includes = </a.collection:y>
                rel collection:y:includes = [</a.collection:x>, </a/s>]
                rel material:binding:collection:c = [</a.collection:x>, </m>]
                def Sphere "s" {} }
            """)
        #expect(try s.bound("/a/s") == "/m")
    }
}
