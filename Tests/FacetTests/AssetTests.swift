import AssetIO
import AssetModel
import AssetOps
import Facet
import TestSupport
import Testing

/// The library as another program uses it, on small USD text in memory.
@Suite struct AssetTests {
    static let chair = """
        #usda 1.0
        (
            metersPerUnit = 0.01
            upAxis = "Z"
        )
        def Xform "Chair" (
            variants = {
                string look = "plain"
            }
            append variantSets = "look"
        ) {
            double3 xformOp:translate = (1, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
            def Mesh "Seat" {
                point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
                int[] faceVertexCounts = [4]
                int[] faceVertexIndices = [0, 1, 2, 3]
            }
            def Mesh "Guide" {
                uniform token purpose = "guide"
                point3f[] points = [(0, 0, 5), (1, 0, 5), (1, 1, 5)]
                int[] faceVertexCounts = [3]
                int[] faceVertexIndices = [0, 1, 2]
            }
            variantSet "look" = {
                "plain" {
                }
                "tall" {
                    def Sphere "Knob" {
                    }
                }
            }
        }

        """

    private func resolver(_ text: String = chair) -> InMemoryResolver {
        let resolver = InMemoryResolver()
        resolver.add("chair.usda", text: text)
        return resolver
    }

    private func convert(_ text: String = chair, _ change: (inout ConversionOptions) -> Void = { _ in }) throws -> (
        Conversion, MemoryOutput
    ) {
        var options = ConversionOptions()
        change(&options)
        let resolver = resolver(text)
        let output = MemoryOutput()
        let format = try FormatRegistry.standard.writer(of: "chair.obj")
        let done = try Facet.convert(
            from: resolver.open("chair.usda"), as: format, named: "chair.obj", into: output, options: options, resolver: resolver)
        return (done, output)
    }

    private func cause(_ text: String = chair, _ change: (inout ConversionOptions) -> Void = { _ in }) -> ConversionFailure.Cause? {
        do {
            _ = try convert(text, change)
            return nil
        } catch {
            return (error as? ConversionFailure)?.cause
        }
    }

    @Test func anAssetIsOpened() throws {
        let asset = try Facet.open("chair.usda", resolver: resolver())
        #expect(asset.format.id == "usda")
        #expect(asset.scene.nodes.map(\.path) == ["/Chair", "/Chair/Seat", "/Chair/Guide"])
        #expect(asset.scene.metadata.upAxis == "Z")
        #expect(asset.diagnostics.isEmpty)
        #expect(throws: AssetError.self) { try Facet.open("none.usda", resolver: resolver()) }
    }

    @Test func optionsReachTheReader() throws {
        var options = ReadOptions()
        options.variants = [VariantChoice(path: "/Chair", set: "look", choice: "tall")]
        let asset = try Facet.open("chair.usda", options: options, resolver: resolver())
        #expect(asset.scene.nodes.contains { $0.path == "/Chair/Knob" })
    }

    @Test func anAssetIsConverted() throws {
        let (done, output) = try convert()
        #expect(done.inputFormat.id == "usda" && done.outputFormat.id == "obj")
        #expect(output.isCommitted)
        let text = try #require(output["chair.obj"]?.text)
        let vertices = text.split(separator: "\n").filter { $0.hasPrefix("v ") }
        #expect(vertices == ["v 1 0 0", "v 2 0 0", "v 2 1 0", "v 1 1 0"])
        #expect(text.split(separator: "\n").count { $0.hasPrefix("f ") } == 1)
        #expect(done.byteCount == output.files.reduce(0) { $0 + $1.count })
    }

    @Test func unitsAndAxesOfTheInputCountWhereItHasNoSay() throws {
        let silent = String(
            Self.chair.split(separator: "\n").filter { !$0.contains("metersPerUnit") && !$0.contains("upAxis") }.joined(separator: "\n"))
        #expect(cause(silent) { $0.isStrict = true } == .input)
        let (done, output) = try convert(silent) { options in
            options.isStrict = true
            options.inputMetersPerUnit = 1
            options.inputUpAxis = "Y"
            options.write.metersPerUnit = 0.01
        }
        #expect(done.inputDiagnostics.isEmpty)
        #expect(output["chair.obj"]?.text.contains("v 200 100 0") == true)
    }

    @Test func aFailureSaysWhichSideItIsOn() {
        #expect(cause() == nil)
        #expect(cause("#usda 1.0\ndef Scope \"A\" {\n}\n") == .input)
        #expect(cause("no layer") == .input)
        #expect(cause { $0.write.nodePath = "/None" } == .input)
    }

    @Test func writersAreFoundByNameAndExtension() throws {
        let registry = FormatRegistry.standard
        #expect(try registry.writer(of: "a/b.OBJ").info.id == "obj")
        #expect(try registry.writer(of: "a.txt", named: "OBJ").info.id == "obj")
        #expect(throws: AssetError.self) { try registry.writer(of: "a.txt") }
        #expect(throws: AssetError.self) { try registry.writer(of: "a.obj", named: "nonsense") }
        #expect(throws: AssetError.self) { try registry.writer(of: "obj") }
    }

    @Test func aSummaryCountsAndMeasures() throws {
        var asset = try Facet.open("chair.usda", resolver: resolver())
        let summary = Facet.summary(of: asset.scene, resolver: resolver(), diagnostics: &asset.diagnostics)
        #expect(summary.totals.meshes == 2 && summary.totals.triangles == 3)
        #expect(summary.bounds == BoundingBox(min: Vector3d(1, 0, 0), max: Vector3d(2, 1, 0)))
    }

    @Test func anOutlineIsCutAndCounted() throws {
        var asset = try Facet.open("chair.usda", resolver: resolver())
        var options = Outline.Options()
        options.depth = 1
        options.wantsBounds = true
        let outline = try Outline(asset.scene, options, diagnostics: &asset.diagnostics)
        #expect(outline.entries.count == 1)
        #expect(outline.entries[0].omittedBelow == 2 && outline.entries[0].omittedTriangles == 3)
        options.depth = nil
        options.type = "MESH"
        options.path = "/Chair"
        #expect(try Outline(asset.scene, options, diagnostics: &asset.diagnostics).entries.count == 2)
        options.path = "/None"
        #expect(throws: AssetError.self) { try Outline(asset.scene, options, diagnostics: &asset.diagnostics) }
    }

    @Test func boundsOfASubtreeLeaveOutWhatIsNotShown() throws {
        var asset = try Facet.open("chair.usda", resolver: resolver())
        let bounds = SceneBounds(asset.scene, diagnostics: &asset.diagnostics)
        let boxes = bounds.subtrees(asset.scene)
        #expect(boxes[0] == BoundingBox(min: Vector3d(1, 0, 0), max: Vector3d(2, 1, 0)))
        #expect(boxes[2] == BoundingBox(min: Vector3d(1, 0, 5), max: Vector3d(2, 1, 5)))
    }
}
