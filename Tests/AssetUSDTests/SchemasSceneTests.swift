import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

@Suite struct SchemasMetadataTests {
    /// An unknown type is read as the first type of its list that is known by itself.
    @Test func typesThatStandInAreReadAsThemselves() throws {
        let s = try SceneText(
            """
            #usda 1.0
            (
                fallbackPrimTypes = {
                    token[] Ball = ["Globe", "Sphere"]
                    token[] Globe = ["Ball", "Cube"]
                    token[] Nothing = ["Nowhere"]
                    token[] Lamp = ["SphereLight"]
                }
                metersPerUnit = 1
                upAxis = "Y"
            )
            def Ball "a" { double radius = 3 }
            def Globe "b" { double size = 5 }
            def Nothing "c" {}
            def Lamp "d" {}
            """)
        #expect(s.scene.nodes.map(\.typeName) == ["Ball", "Globe", "Nothing", "Lamp"])
        guard case .implicit(.sphere(radius: 3)) = try s.node("/a").content, case .implicit(.cube(size: 5)) = try s.node("/b").content,
            case .none = try s.node("/c").content, case .light(let light) = try s.node("/d").content
        else {
            Issue.record("\(s.scene.nodes.map(\.content))")
            return
        }
        #expect(s.scene.lights[light].kind == "SphereLight")
    }

    @Test func fallbacksAreNotFacts() throws {
        let s = try SceneText("#usda 1.0\n")
        #expect(s.scene.metadata.upAxis == "Y" && !s.scene.metadata.isUpAxisAuthored)
        #expect(s.scene.metadata.metersPerUnit == 0.01 && !s.scene.metadata.isMetersPerUnitAuthored)
        #expect(s.scene.metadata.timeCodesPerSecond == 24)
        #expect(s.scene.metadata.startTimeCode == nil && s.scene.metadata.endTimeCode == nil)
        #expect(s.codes == ["usd.no-up-axis", "usd.no-meters-per-unit"])
    }

    @Test func whatTheStageSaysIsKept() throws {
        let s = try SceneText(
            """
            #usda 1.0
            (
                "a comment"
                customLayerData = { string creator = "a tool" }
                defaultPrim = "A"
                endTimeCode = 10
                framesPerSecond = 30
                metersPerUnit = 1
                startTimeCode = 1
                upAxis = "Z"
            )
            def Xform "A" {}
            """)
        let m = s.scene.metadata
        #expect(m.upAxis == "Z" && m.metersPerUnit == 1 && m.isUpAxisAuthored && m.isMetersPerUnitAuthored)
        #expect(m.startTimeCode == 1 && m.endTimeCode == 10)
        // Without time codes a second, frames a second count.
        #expect(m.timeCodesPerSecond == 30 && m.framesPerSecond == 30)
        #expect(m.defaultPrim == "/A" && m.comment == "a comment" && m.generator == "a tool")
        #expect(s.codes.isEmpty)
    }

    @Test func halfARangeIsNone() throws {
        let s = try SceneText("#usda 1.0\n(\n    startTimeCode = 5\n    upAxis = \"Y\"\n    metersPerUnit = 1\n)\n")
        #expect(s.scene.metadata.startTimeCode == nil)
    }

    @Test func aDefaultPrimThatIsNotThereIsNone() throws {
        let s = try SceneText("#usda 1.0\n(\n    defaultPrim = \"B\"\n    upAxis = \"Y\"\n    metersPerUnit = 1\n)\ndef \"A\" {}\n")
        #expect(s.scene.metadata.defaultPrim == nil)
        #expect(s.codes == ["usd.default-prim-missing"])
    }
}

@Suite struct SchemasNodeTests {
    @Test func nodesStandDepthFirst() throws {
        let s = try SceneText(
            """
            def Xform "A" ( kind = "assembly" )
            {
                def Scope "B" { def "C" {} }
                def Mesh "D" {}
                over "E" {}
                class "F" {}
                def "G" ( active = false ) {}
            }
            def Xform "H" {}
            """)
        #expect(s.scene.nodes.map(\.path) == ["/A", "/A/B", "/A/B/C", "/A/D", "/H"])
        #expect(s.scene.nodes.map(\.descendantCount) == [3, 1, 0, 0, 0])
        #expect(s.scene.nodes.map(\.depth) == [0, 1, 2, 1, 0])
        #expect(s.scene.nodes.map(\.isTransformable) == [true, false, false, true, true])
        #expect(s.scene.nodes.map(\.isImageable) == [true, true, false, true, true])
        #expect(try s.node("/A").kind == "assembly")
    }

    @Test func visibilityAndPurposeComeFromAbove() throws {
        let s = try SceneText(
            """
            def Xform "hidden" { token visibility = "invisible"
                def "untyped" { def Xform "shown" { token visibility = "inherited" } } }
            def Xform "guide" { uniform token purpose = "guide"
                def Scope "plain" { def Xform "own" { uniform token purpose = "render" } }
                def "untyped" { uniform token purpose = "proxy"
                    def Xform "below" {} } }
            def Xform "free" {}
            """)
        #expect(try !s.node("/hidden").isVisible)
        #expect(try !s.node("/hidden/untyped/shown").isVisible)
        #expect(try s.node("/guide/plain").purpose == .guide)
        #expect(try s.node("/guide/plain/own").purpose == .render)
        // A prim that is not imageable has no purpose to hand down.
        #expect(try s.node("/guide/untyped/below").purpose == .guide)
        #expect(try s.node("/free").purpose == .default && s.node("/free").isVisible)
    }

    @Test func transformsMultiplyDown() throws {
        let s = try SceneText(
            """
            def Xform "A" { double3 xformOp:translate = (1, 2, 3)
                uniform token[] xformOpOrder = ["xformOp:translate"]
                def Scope "scope" {
                    def Xform "B" { float3 xformOp:scale = (2, 2, 2)
                        double3 xformOp:translate:pivot = (5, 0, 0)
                        uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:scale", "!invert!xformOp:translate:pivot"] }
                    def Xform "reset" { double3 xformOp:translate = (7, 0, 0)
                        double3 xformOp:translate:lost = (9, 9, 9)
                        uniform token[] xformOpOrder = ["xformOp:translate:lost", "!resetXformStack!", "xformOp:translate"] } } }
            """
        ) { $0.wantsTransformOps = true }
        let b = try s.node("/A/scope/B")
        #expect(b.localTransform == Matrix4d([2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [-5, 0, 0, 1]))
        #expect(b.worldTransform == Matrix4d([2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [-4, 2, 3, 1]))
        #expect(b.transformOps.map(\.name) == ["xformOp:translate:pivot", "xformOp:scale", "!invert!xformOp:translate:pivot"])
        #expect(b.transformOps[1].value == .floats([2, 2, 2]))
        let reset = try s.node("/A/scope/reset")
        #expect(reset.resetsTransformStack && reset.worldTransform == .translation(Vector3d(7, 0, 0)))
    }

    @Test func badOrdersArePassedOver() throws {
        let s = try SceneText(
            """
            def Xform "A" { double3 xformOp:translate = (1, 0, 0)
                string xformOp:scale = "big"
                uniform token[] xformOpOrder = ["xformOp:gone", "xformOp:translate", "xformOp:scale"] }
            def Xform "B" { double3 xformOp:translate = (1, 0, 0) }
            """)
        #expect(try s.node("/A").localTransform == .translation(Vector3d(1, 0, 0)))
        #expect(s.codes == ["usd.xform-op-without-attribute", "usd.bad-xform-op"])
        // Ops that no order names do nothing.
        #expect(try s.node("/B").localTransform == .identity)
    }

    @Test func timeIsTheStartOrTheEarliestSample() throws {
        let text = """
            def Xform "A" { double3 xformOp:translate = (100, 0, 0)
                double3 xformOp:translate.timeSamples = { 5: (5, 0, 0), 10: (10, 0, 0) }
                uniform token[] xformOpOrder = ["xformOp:translate"] }
            """
        let free = try SceneText(text)
        #expect(try free.node("/A").worldTransform == .translation(Vector3d(5, 0, 0)))
        #expect(try free.node("/A").isAnimated)
        #expect(free.codes == ["usd.time"])
        let ranged = try SceneText("#usda 1.0\n(\n startTimeCode = 10\n endTimeCode = 20\n upAxis = \"Y\"\n metersPerUnit = 1\n)\n" + text)
        #expect(try ranged.node("/A").worldTransform == .translation(Vector3d(10, 0, 0)))
        let asked = try SceneText(text) { $0.time = .at(7.5) }
        #expect(try asked.node("/A").worldTransform == .translation(Vector3d(7.5, 0, 0)))
        #expect(asked.codes.isEmpty)
    }

    @Test func customDataAndAttributesAreShownWhenAsked() throws {
        let s = try SceneText(
            """
            def Xform "A" ( customData = { int n = 3
                dictionary inner = { string s = "x" } } )
            { custom float size = 0.1
              custom rel other = </A> }
            """
        ) { $0.wantsAttributes = true }
        let a = try s.node("/A")
        #expect(Set(a.customData) == [Value.Entry("n", .int(3)), Value.Entry("inner", .dictionary([Value.Entry("s", .string("x"))]))])
        #expect(
            Set(a.attributes) == [
                Node.Attribute(name: "other", typeName: "rel", value: "</A>"),
                Node.Attribute(name: "size", typeName: "float", value: "0.1"),
            ])
    }

    @Test func selectionsWithoutEffectAreRefused() throws {
        let text = """
            def "A" (
                variants = { string v = "x" }
                prepend variantSets = "v"
            )
            {
                variantSet "v" = {
                    "x" {
                    }
                }
            }
            """
        let wanted = [
            VariantChoice(path: "/A", set: "v", choice: "x"), VariantChoice(path: "/A", set: "v", choice: "y"),
            VariantChoice(path: "/A", set: "w", choice: "x"), VariantChoice(path: "/B", set: "v", choice: "x"),
        ]
        let codes = wanted.map { choice -> String in
            do {
                _ = try SceneText(text) { $0.variants = [choice] }
                return ""
            } catch {
                return (error as? AssetError)?.diagnostic.code ?? "?"
            }
        }
        #expect(codes == ["", "usd.no-such-variant", "usd.no-such-variant-set", "usd.no-such-prim"])
    }

    @Test func tooManyPrimsAreRefused() {
        #expect(throws: AssetError.self) {
            try SceneText("def \"A\" { def \"B\" {} }\ndef \"C\" {}") { $0.limits.prims = 2 }
        }
        #expect(throws: AssetError.self) {
            try SceneText("def \"A\" { def \"B\" { def \"C\" {} } }") { $0.limits.nestingDepth = 2 }
        }
    }
}

@Suite struct SchemasGeometryTests {
    private let square = """
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        """

    @Test func meshesKeepWhatTheySay() throws {
        let s = try SceneText(
            """
            def Mesh "a" { \(square)
                uniform bool doubleSided = 1
                int[] holeIndices = [0]
                uniform token orientation = "leftHanded"
                uniform token subdivisionScheme = "none" }
            def Mesh "b" { \(square) }
            def Mesh "c" {}
            """)
        let a = try s.mesh("/a")
        #expect(a.points.count == 4 && a.faceVertexCounts.count == 1 && a.faceVertexIndices.count == 4)
        #expect(a.doubleSided && a.orientation == .leftHanded && a.subdivisionScheme == "none" && a.holeIndices == [0])
        let b = try s.mesh("/b")
        #expect(!b.doubleSided && b.orientation == .rightHanded && b.subdivisionScheme == "catmullClark" && b.normals == nil)
        #expect(try s.mesh("/c").points.isEmpty)
    }

    @Test func primvarsOfEveryKind() throws {
        let s = try SceneText(
            """
            def Mesh "a" { \(square)
                texCoord2f[] primvars:st = [(0, 0), (1, 1)] ( interpolation = "faceVarying" )
                int[] primvars:st:indices = [0, 1, 1, 0]
                float2[] primvars:old = [(0, 0)] ( interpolation = "vertex" )
                float[] primvars:pairs = [1, 2, 3, 4] ( elementSize = 2
                    interpolation = "uniform" )
                color3f primvars:tint = (1, 0, 0)
                texCoord2f[] primvars:blocked = None
                texCoord2f[] primvars:declared
                string[] primvars:name = ["x"]
                double3[] primvars:fine = [(0.5, 1, 2)] }
            """)
        let mesh = try s.mesh("/a")
        let byName = Dictionary(uniqueKeysWithValues: mesh.primvars.map { ($0.name, $0) })
        #expect(Set(byName.keys) == ["st", "old", "pairs", "tint", "name", "fine"])
        let st = try #require(byName["st"])
        #expect(st.role == .textureCoordinate && st.interpolation == .faceVarying)
        #expect(try st.indices?.load() == [0, 1, 1, 0])
        #expect(byName["old"]?.role == .textureCoordinate && byName["old"]?.indices == nil)
        #expect(byName["pairs"]?.elementSize == 2 && byName["pairs"]?.interpolation == .uniform)
        guard case .float3(let tint)? = byName["tint"]?.values else { return #expect(Bool(false)) }
        #expect(try tint.load() == [Vector3f(1, 0, 0)])
        #expect(byName["tint"]?.interpolation == .constant)
        guard case .float3(let fine)? = byName["fine"]?.values else { return #expect(Bool(false)) }
        #expect(try fine.load() == [Vector3f(0.5, 1, 2)])
    }

    @Test func constantPrimvarsComeFromAbove() throws {
        let s = try SceneText(
            """
            def Xform "top" {
                color3f[] primvars:displayColor = [(1, 0, 0)]
                float[] primvars:wear = [0.5]
                def Xform "mid" {
                    float[] primvars:wear = [1, 2] ( interpolation = "vertex" )
                    def Mesh "heir" { \(square) }
                    def Mesh "own" { \(square)
                        color3f[] primvars:displayColor = [(0, 1, 0)] }
                    def Xform "nothing" {} } }
            """)
        // The vertex primvar on the way ends the constant one.
        #expect(try s.node("/top/mid/heir").inheritedPrimvars.map(\.name) == ["displayColor"])
        #expect(try s.node("/top/mid/own").inheritedPrimvars.isEmpty)
        #expect(try s.node("/top/mid/nothing").inheritedPrimvars.isEmpty)
    }

    @Test func primvarNormalsWin() throws {
        let s = try SceneText(
            """
            def Mesh "both" { \(square)
                normal3f[] normals = [(0, 0, 1)] ( interpolation = "uniform" )
                normal3f[] primvars:normals = [(0, 0, 1)] ( interpolation = "constant" ) }
            def Mesh "attribute" { \(square)
                normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)] }
            """)
        #expect(try s.mesh("/both").normals?.interpolation == .constant)
        #expect(try s.mesh("/both").primvars.isEmpty)
        #expect(try s.mesh("/attribute").normals?.interpolation == .vertex)
    }

    @Test func subsetsCarryTheirMaterials() throws {
        let s = try SceneText(
            """
            def Material "red" {}
            def Material "blue" {}
            def Mesh "a" ( prepend apiSchemas = ["MaterialBindingAPI"] ) { \(square)
                rel material:binding = </red>
                def GeomSubset "one" ( prepend apiSchemas = ["MaterialBindingAPI"] ) {
                    uniform token elementType = "face"
                    uniform token familyName = "materialBind"
                    int[] indices = [0]
                    rel material:binding = </blue> }
                def GeomSubset "two" { int[] indices = [] } }
            """)
        let mesh = try s.mesh("/a")
        #expect(mesh.subsets.map(\.name) == ["one", "two"])
        #expect(mesh.subsets.map(\.family) == ["materialBind", ""])
        #expect(try mesh.subsets[0].faces.load() == [0])
        let node = try s.node("/a")
        #expect(node.subsetMaterials.map { $0.map { s.scene.materials[$0].path } } == ["/blue", "/red"])
        #expect(try s.bound("/a") == "/red")
    }

    @Test func onlySetsOfFacesPartTheMesh() throws {
        let s = try SceneText(
            """
            def Material "red" {}
            def Mesh "a" { \(square)
                rel material:binding = </red>
                def GeomSubset "selection" { uniform token familyName = "picked"
                    int[] indices = [0] }
                def GeomSubset "corners" { uniform token elementType = "point"
                    uniform token familyName = "materialBind"
                    int[] indices = [0, 3] }
                def GeomSubset "faces" { uniform token familyName = "materialBind"
                    int[] indices = [0] } }
            """)
        let node = try s.node("/a")
        // All have the mesh's material, but only one says which faces are drawn with it.
        #expect(node.subsetMaterials.map { $0 != nil } == [true, true, true])
        #expect(node.subsetPreviewMaterials.map { $0 != nil } == [false, false, true])
        #expect(try s.mesh("/a").subsets.map(\.isOfFaces) == [true, false, true])
    }

    @Test func instancesShareOneMesh() throws {
        let s = try SceneText(
            """
            class Xform "c" { def Mesh "m" { \(square)
                rel material:binding = </c/look> }
                def Material "look" {} }
            def Xform "i" ( instanceable = true
                inherits = </c> ) { double3 xformOp:translate = (1, 0, 0)
                uniform token[] xformOpOrder = ["xformOp:translate"] }
            def Xform "j" ( instanceable = true
                inherits = </c> ) { token visibility = "invisible" }
            """)
        #expect(s.scene.meshes.count == 1)
        #expect(try s.node("/i").isInstance && s.node("/j").isInstance && !s.node("/i/m").isInstance)
        #expect(try s.node("/i/m").worldTransform == .translation(Vector3d(1, 0, 0)) && s.node("/i/m").isVisible)
        #expect(try !s.node("/j/m").isVisible)
        #expect(try s.bound("/i/m") == "/i/look" && s.bound("/j/m") == "/j/look")
        #expect(s.scene.materials.count == 2)
    }

    @Test func curvesPointsAndShapes() throws {
        let s = try SceneText(
            """
            def BasisCurves "c" { int[] curveVertexCounts = [4]
                point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)]
                float[] widths = [0.1] ( interpolation = "constant" )
                uniform token basis = "bspline" }
            def NurbsCurves "n" { int[] curveVertexCounts = [2]
                int[] order = [2]
                double[] knots = [0, 0, 1, 1]
                point3f[] points = [(0, 0, 0), (1, 0, 0)] }
            def Points "p" { double3[] points = [(0, 0, 0.1)] }
            def TetMesh "t" { point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
                int4[] tetVertexIndices = [(0, 1, 2, 3), (1, 4, 2, 3)] }
            def TetMesh "u" { point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
                int3[] surfaceFaceVertexIndices = [(2, 1, 0)] }
            def Sphere "s" {}
            def Capsule_1 "k" { double height = 3
                double radiusTop = 2
                uniform token axis = "X" }
            """)
        guard case .curves(let c) = try s.node("/c").content, case .curves(let n) = try s.node("/n").content else {
            return #expect(Bool(false))
        }
        #expect(s.scene.curves[c].type == "cubic" && s.scene.curves[c].basis == "bspline" && s.scene.curves[c].wrap == "nonperiodic")
        #expect(s.scene.curves[c].primvars.map(\.name) == ["widths"])
        #expect(s.scene.curves[n].kind == .nurbs && s.scene.curves[n].orders == [2] && s.scene.curves[n].knots == [0, 0, 1, 1])
        guard case .points(let p) = try s.node("/p").content else { return #expect(Bool(false)) }
        guard case .double = s.scene.points[p].points else { return #expect(Bool(false)) }
        guard case .points(let t) = try s.node("/t").content else { return #expect(Bool(false)) }
        #expect(s.scene.points[t].points.count == 5)
        // Two tetrahedra share a face: six of eight are outside.
        let surface = try #require(s.scene.points[t].surface)
        #expect(surface.faceVertexCounts.count == 6)
        #expect(try surface.faceVertexIndices.load().prefix(3) == [0, 3, 2])
        guard case .points(let u) = try s.node("/u").content else { return #expect(Bool(false)) }
        #expect(try s.scene.points[u].surface?.faceVertexIndices.load() == [2, 1, 0])
        guard case .implicit(.sphere(radius: 1)) = try s.node("/s").content else { return #expect(Bool(false)) }
        guard case .implicit(.capsule(radiusBottom: 0.5, radiusTop: 2, height: 3, axis: "X")) = try s.node("/k").content else {
            return #expect(Bool(false))
        }
    }

    @Test func camerasAndLightsHaveFallbacks() throws {
        let s = try SceneText(
            """
            def Camera "c" { float focalLength = 35
                float2 clippingRange = (0.1, 10) }
            def DistantLight "sun" {}
            def SphereLight "lamp" { float inputs:intensity = 3
                color3f inputs:color = (1, 0.5, 0)
                float inputs:radius = 0.25 }
            def Mesh "screen" ( prepend apiSchemas = ["MeshLightAPI"] ) { float inputs:exposure = 2 }
            """)
        guard case .camera(let c) = try s.node("/c").content else { return #expect(Bool(false)) }
        let camera = s.scene.cameras[c]
        #expect(camera.focalLength == 35 && camera.near == 0.1 && camera.far == 10 && camera.horizontalAperture == 20.955)
        let sun = s.scene.lights[try #require(try s.node("/sun").light)]
        #expect(sun.intensity == 50000 && sun.color == Vector3f(1, 1, 1))
        let lamp = s.scene.lights[try #require(try s.node("/lamp").light)]
        #expect(lamp.intensity == 3 && lamp.color == Vector3f(1, 0.5, 0) && lamp.parameters == [Value.Entry("radius", .float(0.25))])
        #expect(s.scene.lights[try #require(try s.node("/screen").light)].exposure == 2)
        guard case .mesh = try s.node("/screen").content else { return #expect(Bool(false)) }
    }
}

@Suite struct SchemasPurposeWordTests {
    /// Purposes and the families of subsets are uniform: their defaults count, and samples alone mean the schema's default.
    @Test func uniformAttributesAreAskedForTheirDefaults() throws {
        let s = try SceneText(
            """
            def Xform "A" {
                uniform token purpose = "proxy"
                def Xform "B" {
                    uniform token purpose.timeSamples = { 1: "guide" }
                    def Xform "C" {
                    }
                }
                def Xform "D" {
                    uniform token purpose = None
                }
            }
            def Mesh "M" {
                def GeomSubset "S" {
                    uniform token familyName.timeSamples = { 1: "materialBind" }
                    int[] indices = [0]
                }
                def GeomSubset "T" {
                    uniform token familyName = "f"
                    uniform token familyName.timeSamples = { 1: "materialBind" }
                }
            }
            """)
        #expect(try s.node("/A").purpose == .proxy)
        for path in ["/A/B", "/A/B/C"] { #expect(try s.node(path).purpose == .default) }
        #expect(try s.node("/A/D").purpose == .proxy)
        #expect(try s.mesh("/M").subsets.map(\.family) == ["", "f"])
    }

    /// Value clips give values to attributes of the schema that no layer of the stage has a spec of.
    @Test func clipsHideAndTurnWhatNoLayerSpeaksOf() throws {
        let clip =
            """
            #usda 1.0
            over "P" {
                over "M" {
                    token visibility.timeSamples = { 1: "inherited", 5: "invisible" }
                    uniform token orientation.timeSamples = { 1: "leftHanded" }
                    bool doubleSided.timeSamples = { 1: true }
                }
            }
            """
        let text =
            """
            def Xform "P" (
                clips = {
                    dictionary default = {
                        asset[] assetPaths = [@clip.usda@]
                        string primPath = "/P"
                        double2[] active = [(0, 0)]
                        asset manifestAssetPath = @clip.usda@
                    }
                }
            ) {
                def Mesh "M" {
                }
            }
            """
        for (time, visible) in [(1.0, true), (5, false), (9, false)] {
            let s = try SceneText(text, files: ["clip.usda": clip]) { $0.time = .at(time) }
            #expect(try s.node("/P/M").isVisible == visible)
            // What the clips say is uniform does not come from them.
            #expect(try s.mesh("/P/M").orientation == .rightHanded)
            #expect(try s.mesh("/P/M").doubleSided)
        }
    }

    /// What is wrong with a clip is said as of any other layer, and a missing one explains itself as references do.
    @Test(arguments: [
        ("@gone.usda@", ["clip 'gone.usda' not found"]), ("@`\"${NO}.usda\"`@", ["variable 'NO' has no value"]),
        ("@bad.usda@", ["clip 'bad.usda'", "cannot be read"]),
    ])
    func clipsThatAreMissingOrDamagedAreToldOf(_ path: String, _ words: [String]) throws {
        let text =
            """
            def Xform "P" (
                clips = {
                    dictionary default = {
                        asset[] assetPaths = [\(path)]
                        string primPath = "/P"
                        double2[] active = [(0, 0)]
                    }
                }
            ) {
                double3 xformOp:translate
                uniform token[] xformOpOrder = ["xformOp:translate"]
            }
            """
        let s = try SceneText(text, files: ["bad.usda": "#usda 1.0\ndef {"])
        let warning = try #require(s.diagnostics.entries.first { $0.code == "usd.missing-clip" })
        let said = warning.message + warning.notes.joined() + warning.location.file
        #expect(words.allSatisfy { said.contains($0) }, "\(said)")
    }

    @Test func anEmptyPurposeGivesWayToOneFromAbove() throws {
        let s = try SceneText(
            """
            def Xform "g" { uniform token purpose = "guide"
                def Scope "e" { uniform token purpose = ""
                    def Scope "f" {} } }
            def Xform "e" { uniform token purpose = ""
                def Scope "f" {} }
            def Xform "j" { uniform token purpose = "junk"
                def Scope "f" {} }
            """)
        func purpose(_ path: String) throws -> String {
            let i = try #require(s.scene.nodes.elements.firstIndex { $0.path == path })
            return s.scene.purposeWords[Int32(i)].map { "\"\($0)\"" } ?? s.scene.nodes.elements[i].purpose.rawValue
        }
        // What OpenUSD answers.
        let paths = ["/g", "/g/e", "/g/e/f", "/e", "/e/f", "/j", "/j/f"]
        #expect(try paths.map(purpose) == ["guide", "guide", "guide", "\"\"", "default", "\"junk\"", "\"junk\""])
        #expect(s.scene.nodes.elements.filter { $0.purpose == .other }.count == 3)
    }
}
