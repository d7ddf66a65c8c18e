import AssetIO
import Facet
import TestSupport
import Testing

@testable import AssetCommands

/// What the commands say of files with faults in them, and how they mark what does not count.
@Suite struct ReportedFaultsTests {
    static let head = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n"

    private func tool(_ files: [String: String]) -> ToolHarness {
        let tool = ToolHarness()
        tool.registry = .standard
        for (name, text) in files { tool.addBytes(name, text) }
        return tool
    }

    private func mesh(_ name: String, _ points: String, counts: String = "3") -> String {
        """
        def Mesh "\(name)"
        {
            int[] faceVertexCounts = [\(counts)]
            int[] faceVertexIndices = [0, 1, 2]
            point3f[] points = [\(points)]
        }

        """
    }

    @Test func pointsThatAreNotFiniteAreTold() {
        for transform in ["", "    double xformOp:rotateZ = 30\n    uniform token[] xformOpOrder = [\"xformOp:rotateZ\"]\n"] {
            let text =
                Self.head + "def Xform \"A\"\n{\n\(transform)"
                + mesh("One", "(0, 0, 0), (1, 0, 0), (0, 0, inf)") + mesh("Two", "(nan, 0, 0), (1, -inf, 0), (0, 1, 0)")
                + mesh("Good", "(0, 0, 0), (1, 0, 0), (0, 1, 0)")
                + "def Points \"P\"\n{\n    point3f[] points = [(inf, 0, 0)]\n}\n}\n"
            let tool = tool(["a.usda": text])
            for command in [["bounds"], ["info"], ["tree", "--bounds"]] {
                let error = tool.run(command + ["a.usda"]).error
                let expected = """
                    a.usda: warning: a point that is not finite is left out of the bounds [mesh.position-not-finite] </A/One>
                    a.usda: warning: 2 points that are not finite are left out of the bounds [mesh.position-not-finite] </A/Two>
                    a.usda: warning: a point that is not finite is left out of the bounds [points.position-not-finite] </A/P>

                    """
                #expect(error == expected, "\(command)")
                #expect(tool.run(command + ["--strict", "a.usda"]).status == .input)
            }
            #expect(tool.run("tree", "--json", "a.usda").output.contains("mesh.position-not-finite"))
        }
    }

    @Test func blockedSamplesAreNone() {
        let text =
            Self.head
                + """
                def Cube "A"
                {
                    double x = None
                    double y.timeSamples = {
                        0: 1,
                        5: None,
                        9: 2,
                    }
                }

                """
        let blocked = tool(["a.usda": text]).run("tree", "--values", "--time", "6", "a.usda").output
        #expect(blocked.contains("double = None (3 time samples)"), "\(blocked)")
        #expect(blocked.contains("x  double = None\n"), "\(blocked)")
        #expect(tool(["a.usda": text]).run("tree", "--values", "--time", "0", "a.usda").output.contains("double = 1 (3 time samples)"))
    }

    @Test func offsetsThatCountAsNoneSayWhy() {
        let part = Self.head + "def Cube \"P\"\n{\n}\n"
        let text =
            "#usda 1.0\n(\n    metersPerUnit = 1\n    subLayers = [\n        @part.usda@ (scale = -1)\n    ]\n    upAxis = \"Y\"\n)\n"
            + "def \"A\" (\n    references = @part.usda@</P> (offset = 2; scale = 0)\n)\n{\n}\n"
        let error = tool(["a.usda": text, "part.usda": part]).run("tree", "a.usda").error
        #expect(error.contains("sublayer 'part.usda' has scale -1.0, expected one above 0; it counts as none [usd.bad-layer-offset]"))
        #expect(error.contains("reference 'part.usda' has scale 0.0, expected one above 0; it counts as none [usd.bad-layer-offset]"))
    }

    @Test func whatIsMissingIsExplained() {
        let text =
            Self.head
                + """
                def Cube "A"
                {
                    def "Inner" (
                        references = </A/S>
                    )
                    {
                    }

                    def "Outer" (
                        references = @`"./x_${UNDEFINED}.usda"`@
                    )
                    {
                    }
                }

                """
        let error = tool(["a.usda": text]).run("tree", "a.usda").error
        #expect(error.contains("warning: reference to </A/S>, which has no prim there"), "\(error)")
        #expect(error.contains("reference './x_${UNDEFINED}.usda' not found: variable 'UNDEFINED' has no value"), "\(error)")
    }

    @Test func faultsOfReferencedLayersKeepTheirPlace() {
        let text = Self.head + "def Cube \"A\" (\n    references = @broken.usda@\n)\n{\n}\n"
        let tool = tool(["a.usda": text, "broken.usda": "#usda 1.0\ndef Cube \"B\"\n{\n    double size = = 1\n}\n"])
        let direct = tool.run("tree", "broken.usda").error
        #expect(direct.hasPrefix("broken.usda:4:19: error"), "\(direct)")
        #expect(tool.run("tree", "a.usda").error.hasPrefix("broken.usda:4:19: warning: reference 'broken.usda' cannot be read"))
        let json = tool.run("tree", "--json", "a.usda").output
        #expect(json.contains("\"line\": 4") && json.contains("\"file\": \"broken.usda\""), "\(json)")
    }

    @Test func packagesAreNotLedOutsideThemselves() {
        let tool = ToolHarness()
        tool.registry = .standard
        tool.input = ZipBuilder([ZipBuilder.Entry("a.usda", Self.head + "def Cube \"A\" (\n    references = @../b.usda@\n)\n{\n}\n")]).bytes()
        let error = tool.run("tree", "--from", "usdz", "-").error
        #expect(error.contains("reference '../b.usda' not found; a package is not led outside itself"), "\(error)")
        tool.addBytes("b.usda", Self.head)
        #expect(tool.run("tree", "b.usda[x]").error.contains("is not a package, expected a zip archive"))
    }

    @Test func oneIsNotMany() {
        let text = Self.head + "def Cube \"A\"\n{\n    def Cube \"B\" (\n        inherits = </A>\n    )\n    {\n    }\n}\n"
        let error = tool(["a.usda": text]).run("tree", "--limit", "prims=1", "a.usda").error
        #expect(error.contains("more than 1 prim (the limit 'prims')"), "\(error)")
    }

    @Test func badFaceCountsAreNamed() {
        let tool = tool([
            "a.usda": Self.head + mesh("A", "(0, 0, 0), (1, 0, 0), (0, 1, 0)", counts: "3, -4") + mesh("B", "(0, 0, 0), (1, 0, 0), (0, 1, 0)")
        ])
        let error = tool.run("convert", "a.usda", "out.obj").error
        #expect(error.contains("face 1 asks for -4 corners; the mesh is left out"), "\(error)")
    }

    @Test func whatDoesNotCountIsMarked() {
        let text =
            Self.head
                + """
                def Cube "Seen"
                {
                }

                def Cube "Hidden"
                {
                    token visibility = "invisible"
                }

                def Cube "Help"
                {
                    uniform token purpose = "guide"
                }

                """
        let tool = tool(["a.usda": text])
        for width in [nil, 60] as [Int?] {
            tool.width = width
            let lines = tool.run("bounds", "a.usda").output.split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.contains { $0.prefix(2) == ["/Hidden", "hidden"] })
            #expect(lines.contains { $0.prefix(2) == ["/Help", "guide"] })
            #expect(lines.contains { $0.first == "/Seen" && !$0.contains("default") && !$0.contains("hidden") })
        }
        #expect(!tool.run("bounds", "--purpose", "guide", "a.usda").output.contains("guide"))
    }

    /// The example of docs/usd-composition.md is what the tool prints for the files of that name.
    @Test func theExampleOfThePageHolds() throws {
        let files = ["shot.usda", "chair.usda"]
        let tool = tool(Dictionary(uniqueKeysWithValues: try files.map { ($0, try Repository.text("Tests/Fixtures/composition/" + $0)) }))
        let result = tool.run("tree", "--arcs", "shot.usda")
        #expect(result.error.isEmpty)
        #expect(try Repository.text("docs/usd-composition.md").contains("facet tree --arcs shot.usda\n" + result.output + "```"))
    }
}
