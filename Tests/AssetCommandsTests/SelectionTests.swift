import AssetIO
import Facet
import TestSupport
import Testing

@testable import AssetCommands

/// `--variant`, `--time`, `--no-payloads` and `--purpose` in every command that reads: what is shown is kept in
/// `Tests/Fixtures/selections`.
@Suite struct SelectionTests {
    static let show = """
        #usda 1.0
        (
            defaultPrim = "Show"
            endTimeCode = 10
            metersPerUnit = 1
            startTimeCode = 0
            upAxis = "Y"
        )

        def Xform "Show" (
            prepend payload = @part.usda@
            variants = {
                string look = "red"
            }
            prepend variantSets = "look"
        )
        {
            double3 xformOp:translate.timeSamples = {
                0: (0, 0, 0),
                10: (10, 0, 0),
            }
            uniform token[] xformOpOrder = ["xformOp:translate"]

            def Cube "Handle"
            {
                uniform token purpose = "guide"
                double size = 8
            }

            def Cube "Stand"
            {
                uniform token purpose = "proxy"
                double size = 6
            }

            def Cube "Base"
            {
                double size = 1
            }

            variantSet "look" = {
                "blue" {
                    def Sphere "Ball"
                    {
                        double radius = 2
                    }
                }
                "red" {
                    def Cube "Box"
                    {
                        rel material:binding = </Show/Paint>
                    }

                    def Material "Paint"
                    {
                        token outputs:surface.connect = </Show/Paint/Surface.outputs:surface>

                        def Shader "Surface"
                        {
                            uniform token info:id = "UsdPreviewSurface"
                            float inputs:roughness.timeSamples = {
                                0: 0,
                                10: 1,
                            }
                            token outputs:surface
                        }
                    }
                }
            }
        }
        """
    static let part = """
        #usda 1.0
        (
            defaultPrim = "Part"
        )

        def "Part"
        {
            def Mesh "Flag"
            {
                int[] faceVertexCounts = [3]
                int[] faceVertexIndices = [0, 1, 2]
                point3f[] points.timeSamples = {
                    0: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
                    10: [(0, 0, 0), (21, 0, 0), (0, 21, 0)],
                }
            }
        }
        """

    static let selections: [(name: String, arguments: [String])] = [
        ("none", []),
        ("variant", ["--variant", "/Show{look=blue}"]),
        ("no-variant", ["--variant", "/Show{look=}"]),
        ("time", ["--time", "5"]),
        ("no-payloads", ["--no-payloads"]),
        ("purpose", ["--purpose", "default,guide"]),
        ("all", ["--variant=/Show{look=blue}", "--time=10", "--no-payloads", "--purpose=proxy"]),
    ]

    private func tool() -> ToolHarness {
        let tool = ToolHarness()
        tool.registry = .standard
        tool.addBytes("show.usda", Self.show)
        // What lies below the payload has no say of its own when it is left out.
        tool.addBytes("part.usda", Self.part)
        tool.addBytes("stage.usda", Self.show.replacing("prepend payload = @part.usda@\n", with: "") + "\n" + Self.holder)
        return tool
    }

    /// A prim that is there by its payload alone.
    static let holder = """
        def "Loaded" (
            prepend payload = @part.usda@
        )
        {
        }

        """

    @Test(arguments: ["tree", "info", "bounds", "materials"], selections.indices)
    func readingCommandsFollow(_ command: String, _ i: Int) throws {
        let selection = Self.selections[i]
        let result = tool().run([command] + selection.arguments + ["stage.usda"])
        #expect(result.status == .done)
        try Golden.check(
            result.output + (result.error.isEmpty ? "" : "--- standard error\n" + result.error),
            "Tests/Fixtures/selections/\(command)-\(selection.name).txt")
    }

    @Test(arguments: selections.indices)
    func convertFollows(_ i: Int) throws {
        let selection = Self.selections[i]
        let tool = tool()
        let result = tool.run(["convert", "--quiet", "stage.usda", "out.obj"] + selection.arguments)
        #expect(result.status == .done, "\(result.error)")
        let text = try #require(tool.outputs["out.obj"]?["out.obj"]?.text)
        let objects = text.split(separator: "\n").filter { $0.hasPrefix("o ") }.map { String($0.dropFirst(2)) }
        let expected: [String: [String]] = [
            "none": ["Base", "Box", "Flag"], "variant": ["Base", "Ball", "Flag"], "no-variant": ["Base", "Flag"],
            "time": ["Base", "Box", "Flag"], "no-payloads": ["Base", "Box"], "purpose": ["Base", "Box", "Flag", "Handle"],
            "all": ["Stand"],
        ]
        #expect(objects.sorted() == expected[selection.name]?.sorted())
        let x = text.split(separator: "\n").filter { $0.hasPrefix("v ") }.compactMap { $0.split(separator: " ").dropFirst().first }
            .compactMap { Double($0) }
        let greatest: [String: Double] = [
            "none": 1, "variant": 2, "no-variant": 1, "time": 11, "no-payloads": 1, "purpose": 4, "all": 13,
        ]
        #expect(x.max() == greatest[selection.name])
    }

    static let commands = [["tree"], ["info"], ["bounds"], ["materials"], ["convert", "--overwrite"]]

    @Test(arguments: commands.indices)
    func badValuesArePointedAt(_ i: Int) {
        let command = Self.commands[i]
        let rest = command[0] == "convert" ? ["show.usda", "out.obj"] : ["show.usda"]
        let wrong: [(String, String)] = [
            ("--variant=/Show{look=green}", "variant set 'look' of /Show has no 'green', expected one of blue, red"),
            ("--variant=/Show{lok=red}", "/Show has no variant set 'lok', expected look"),
            ("--variant=/Show/Base{look=red}", "/Show/Base has no variant set 'look', the prim has none"),
            ("--variant=/Nobody{look=red}", "there is no prim /Nobody to select a variant of"),
            ("--variant=Show{look=red}", "expected /Path{set=choice}"), ("--variant=/Show", "expected /Path{set=choice}"),
            ("--variant=/Show{look}", "expected /Path{set=choice}"), ("--variant=", "--variant is empty"),
            ("--time=soon", "--time is 'soon', expected a number"), ("--time=nan", "--time is 'nan', expected a number"),
            ("--time=1e999", "--time is '1e999', expected a number"), ("--purpose=gide", "did you mean 'guide'?"),
            ("--purpose=,", "--purpose names none of default, render, proxy or guide"), ("--no-payloads=1", "takes no value"),
        ]
        for (argument, message) in wrong {
            let tool = tool()
            let result = tool.run(command + [argument] + rest)
            #expect(result.status == .usage, "\(argument): \(result.error)")
            #expect(result.error.contains(message), "\(argument): \(result.error)")
            #expect(result.error.contains("^"))
            #expect(result.output.isEmpty)
            #expect(!(tool.outputs["out.obj"]?.isCommitted ?? false))
        }
    }

    @Test func aSelectionInsideAnInstanceIsRefused() {
        let tool = tool()
        tool.addBytes(
            "instance.usda",
            """
            #usda 1.0
            def "I" (
                instanceable = true
                references = @show.usda@
            )
            {
            }
            def "J" (
                references = </I>
            )
            {
            }
            """)
        #expect(tool.run("tree", "--variant", "/I{look=blue}", "instance.usda").output.contains("Ball"))
        #expect(tool.run("tree", "--variant", "/J{look=blue}", "instance.usda").output.contains("Ball"))
        tool.addBytes(
            "nest.usda",
            "#usda 1.0\ndef \"N\" (\n instanceable = true\n references = </R>\n)\n{\n}\nclass \"R\"\n{\n"
                + " def \"S\" (\n  references = @show.usda@\n )\n {\n }\n}\n")
        let refused = tool.run("tree", "--variant", "/N/S{look=blue}", "nest.usda")
        #expect(refused.status == .usage)
        #expect(refused.error.contains("/N/S lies inside an instance, whose contents it shares with others"))
    }

    @Test func aLayerByItselfIsNotComposed() {
        for argument in ["--variant=/Show{look=blue}", "--no-payloads"] {
            let result = tool().run("cat", argument, "show.usda")
            #expect(result.status == .usage)
            #expect(result.error.contains("goes with --flatten"))
        }
        #expect(tool().run("cat", "show.usda").status == .done)
    }

    @Test(arguments: ["none", "variant", "no-variant", "no-payloads"])
    func aFlatLayerHoldsWhatIsSelected(_ name: String) throws {
        let arguments = try #require(Self.selections.first { $0.name == name }).arguments
        let result = tool().run(["cat", "--flatten"] + arguments + ["show.usda"])
        #expect(result.status == .done)
        try Golden.check(result.output, "Tests/Fixtures/selections/cat-\(name).txt")
    }

    @Test func aFlatLayerOfASelectionThatIsNotThereIsRefused() {
        let result = tool().run("cat", "--flatten", "--variant=/Show{look=green}", "show.usda")
        #expect(result.status == .usage)
        #expect(result.error.contains("variant set 'look' of /Show has no 'green', expected one of blue, red"))
        #expect(result.output.isEmpty)
    }

    @Test func aFormatWithoutVariantsSaysSo() {
        let tool = ToolHarness()
        tool.add("room.test", SampleScene.room())
        #expect(tool.run("tree", "--variant", "/Room{look=walnut}", "room.test").status == .done)
        let refused = tool.run("tree", "--variant", "/Room{look=pine}", "room.test")
        #expect(refused.status == .usage)
        #expect(refused.error.contains("this is Test scene, which has no such variant"))
    }
}
