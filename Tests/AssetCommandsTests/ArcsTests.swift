import AssetIO
import Facet
import TestSupport
import Testing

@testable import AssetCommands

/// `tree --arcs`: what is shown is kept in `Tests/Fixtures/arcs`.
@Suite struct ArcsTests {
    static let files: [(name: String, text: String)] = [
        (
            "room.usda",
            """
            #usda 1.0
            (
                defaultPrim = "Room"
                metersPerUnit = 1
                subLayers = [
                    @moves.usda@ (offset = 10; scale = 2),
                    @gone.usda@
                ]
                relocates = {
                    </Room/Rig/Old>: </Room/Rig/New>
                }
                upAxis = "Y"
            )

            class "_class_Chair"
            {
                double size = 3
            }

            def Xform "Room"
            {
                def "First" (
                    instanceable = true
                    references = @chair.usda@ (offset = 5)
                )
                {
                }

                def "Second" (
                    instanceable = true
                    references = @chair.usda@ (offset = 5)
                )
                {
                }

                def "Blue" (
                    references = @chair.usda@
                    variants = {
                        string look = "blue"
                    }
                )
                {
                }

                def "Broken" (
                    inherits = </_class_Nothing>
                    payload = [@broken.usda@, @part.usda@, @nowhere.usda@</Part>]
                    references = [@nope.usda@, @chair.usda@</None>, @nameless.usda@, </Room/Broken/Inner>]
                    specializes = </_class_Chair>
                )
                {
                    def "Inner"
                    {
                    }
                }

                def "Rig" (
                    references = @rig.usda@
                )
                {
                }
            }
            """
        ),
        (
            "moves.usda",
            """
            #usda 1.0
            over "Room"
            {
                double x.timeSamples = {
                    1: 2,
                }

                def "Moved"
                {
                }
            }
            """
        ),
        ("broken.usda", "#usda 1.0\nbroken("),
        ("nameless.usda", "#usda 1.0\ndef \"X\"\n{\n}\n"),
        (
            "part.usda",
            """
            #usda 1.0
            (
                defaultPrim = "Part"
            )
            def "Part"
            {
                def Cube "Box"
                {
                }
            }
            """
        ),
        (
            "rig.usda",
            """
            #usda 1.0
            (
                defaultPrim = "Rig"
            )
            def "Rig"
            {
                def "Old"
                {
                    def Cube "Bone"
                    {
                    }
                }
            }
            """
        ),
        (
            "chair.usda",
            """
            #usda 1.0
            (
                defaultPrim = "Chair"
                subLayers = [@paint.usda@]
            )
            class "_class_Chair"
            {
                def Cube "FromClass"
                {
                }
            }
            def Xform "Chair" (
                inherits = </_class_Chair>
                payload = @part.usda@
                prepend variantSets = "look"
                variants = {
                    string look = "red"
                }
            )
            {
                def Cube "Seat"
                {
                }
                variantSet "look" = {
                    "blue" {
                        def Sphere "Blue"
                        {
                        }
                    }
                    "red" {
                        def Sphere "Red" (
                            references = </Shape>
                        )
                        {
                        }
                    }
                }
            }
            def "Shape"
            {
                def Cone "Tip"
                {
                }
            }
            """
        ),
        ("paint.usda", "#usda 1.0\nover \"Chair\"\n{\n    over \"Seat\"\n    {\n        double size = 4\n    }\n}\n"),
    ]

    private func tool() -> ToolHarness {
        let tool = ToolHarness()
        tool.registry = .standard
        for (name, text) in Self.files { tool.addBytes(name, text) }
        return tool
    }

    static let runs: [(name: String, arguments: [String], width: Int?)] = [
        ("tree", ["tree", "--arcs", "room.usda"], nil),
        ("tree-80", ["tree", "--arcs", "room.usda"], 80),
        ("tree-json", ["tree", "--arcs", "--json", "--path", "/Room/Second", "room.usda"], nil),
        ("tree-json-broken", ["tree", "--arcs", "--json", "--path", "/Room/Broken", "room.usda"], nil),
        ("tree-no-payloads", ["tree", "--arcs", "--no-payloads", "room.usda"], nil),
        ("tree-variant", ["tree", "--arcs", "--variant", "/Room/Blue{look=red}", "--path", "/Room/Blue", "room.usda"], nil),
    ]

    @Test(arguments: runs.indices)
    func arcsAreShown(_ i: Int) throws {
        let run = Self.runs[i]
        let tool = tool()
        tool.width = run.width
        let result = tool.run(run.arguments)
        #expect(result.status == .done)
        try Golden.check(
            result.output + (result.error.isEmpty ? "" : "--- standard error\n" + result.error), "Tests/Fixtures/arcs/\(run.name).txt")
    }

    @Test func primsThatShareAReferenceEachNameWhatIsLost() {
        let tool = tool()
        let twins = ["A", "B"].map { "def \"\($0)\" (\n payload = @part.usda@\n references = [@part.usda@, @nope.usda@]\n)\n{\n}\n" }
        tool.addBytes("twins.usda", "#usda 1.0\n" + twins.joined())
        let loaded = tool.run("tree", "--arcs", "twins.usda").output
        #expect(loaded.components(of: "nope.usda  (missing)") == 2)
        let unloaded = tool.run("tree", "--arcs", "--no-payloads", "twins.usda").output
        #expect(unloaded.components(of: "part.usda  (not loaded)") == 2)
    }

    @Test func nothingIsSaidOfArcsUnlessAsked() {
        let tool = tool()
        #expect(!tool.run("tree", "room.usda").output.contains("reference"))
        #expect(!tool.run("tree", "--json", "room.usda").output.contains("\"arcs\""))
        // What was left out with its payload is only named where arcs are.
        #expect(!tool.run("tree", "--no-payloads", "room.usda").output.contains("Blue"))
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
