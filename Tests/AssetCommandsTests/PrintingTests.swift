import AssetModel
import TestSupport
import Testing

@testable import AssetCommands

/// The text that people see, kept in files beside the tests: look at `Tests/Fixtures/commands`.
@Suite struct PrintingTests {
    static let runs: [(name: String, arguments: [String], width: Int?)] = [
        ("tree", ["tree", "room.test"], nil),
        ("tree-120", ["tree", "room.test"], 120),
        ("tree-60", ["tree", "room.test"], 60),
        ("tree-color", ["tree", "--color", "always", "room.test"], 100),
        ("tree-details", ["tree", "--bounds", "--transforms", "--values", "--arcs", "room.test"], nil),
        ("tree-depth", ["tree", "--depth", "2", "room.test"], nil),
        ("tree-path", ["tree", "--path", "/Room/Chair", "room.test"], nil),
        ("tree-type", ["tree", "--type", "mesh", "room.test"], nil),
        ("tree-json", ["tree", "--json", "room.test"], nil),
        (
            "tree-json-details",
            ["tree", "--json", "--transforms", "--values", "--arcs", "--path", "/Room/Chair", "--depth", "1", "room.test"], nil
        ),
        ("info", ["info", "room.test"], nil),
        ("info-60", ["info", "room.test"], 60),
        ("info-several", ["info", "room.test", "nothing.test"], nil),
        ("info-json", ["info", "--json", "room.test"], nil),
        ("info-json-several", ["info", "--json", "room.test", "nothing.test"], nil),
        ("bounds", ["bounds", "room.test"], nil),
        ("bounds-60", ["bounds", "room.test"], 60),
        ("bounds-json", ["bounds", "--json", "room.test"], nil),
        ("materials", ["materials", "room.test"], nil),
        ("materials-json", ["materials", "--json", "room.test"], nil),
        ("formats", ["formats"], nil),
        ("formats-json", ["formats", "--json"], nil),
        ("help", ["help"], nil),
        ("help-cat", ["help", "cat"], nil),
        ("help-convert", ["help", "convert"], nil),
        ("help-limits-60", ["help", "limits"], 60),
    ]

    /// Columns are filled up only where something follows.
    @Test func noLineEndsInBlanks() {
        var builder = SceneBuilder()
        let one = Mesh(
            points: PointArray([Point3f(0, 0, 0), Point3f(1, 0, 0), Point3f(0, 1, 0)]), faceVertexCounts: DeferredArray([3]),
            faceVertexIndices: DeferredArray([0, 1, 2]))
        builder.mesh("One", one)
        builder.change(builder.mesh("Marked", one)) { $0.isVisible = false }
        builder.mesh("Many", SampleMesh.cube())
        for width in [nil, 100, 60, 40, 30] as [Int?] {
            let tool = ToolHarness()
            tool.add("a.test", builder.scene)
            tool.width = width
            let text = tool.run("tree", "a.test").output
            #expect(text.contains("hidden"))
            #expect(!text.split(separator: "\n").contains { $0.hasSuffix(" ") }, "\(text)")
        }
    }

    @Test(arguments: runs.indices)
    func textForPeople(_ i: Int) throws {
        let run = Self.runs[i]
        let tool = ToolHarness()
        tool.add(
            "room.test", SampleScene.room(),
            [
                Diagnostic(
                    .warning, "test.no-such-thing", "found 3, expected 4",
                    at: SourceLocation(file: "room.test", position: .line(12, column: 7), primPath: "/Room/Chair"), count: 12),
                Diagnostic(.info, "test.choice", "took the first", at: SourceLocation(file: "room.test")),
            ])
        tool.add("nothing.test", SampleScene.nothing())
        tool.width = run.width
        let result = tool.run(run.arguments)
        #expect(result.status == .done)
        #expect(!result.output.split(separator: "\n").contains { $0.hasSuffix(" ") })
        try Golden.check(
            result.output + (result.error.isEmpty ? "" : "--- standard error\n" + result.error), "Tests/Fixtures/commands/\(run.name).txt")
    }

    @Test func noLineIsLongerThanTheTerminal() {
        for width in [50, 60, 80, 100, 140] {
            let tool = ToolHarness()
            tool.add("room.test", SampleScene.room())
            tool.width = width
            tool.isTerminal = true
            tool.allowsColor = false
            for line in tool.run("tree", "room.test").output.split(separator: "\n") {
                #expect(displayWidth(String(line)) <= width, "\(line)")
            }
        }
    }

    @Test func longRunsOfSiblingsAreFoldedOnATerminalOnly() {
        let tool = ToolHarness()
        tool.add("crowd.test", SampleScene.crowd(1000))
        #expect(tool.run("tree", "crowd.test").output.split(separator: "\n").count == 1003)
        tool.isTerminal = true
        tool.width = 100
        tool.allowsColor = false
        let folded = tool.run("tree", "crowd.test").output
        #expect(folded.split(separator: "\n").count < 20)
        #expect(folded.contains("989 more Mesh like these"))
        #expect(folded.contains("Cube_999"))
        #expect(tool.run("tree", "--verbose", "crowd.test").output.split(separator: "\n").count == 1003)
    }

    @Test func colourComesOnTerminalsOnly() {
        let tool = ToolHarness()
        tool.add("room.test", SampleScene.room())
        #expect(!tool.run("tree", "room.test").output.contains("\u{1b}"))
        tool.isTerminal = true
        #expect(tool.run("tree", "room.test").output.contains("\u{1b}["))
        #expect(!tool.run("tree", "--color=never", "room.test").output.contains("\u{1b}"))
        tool.allowsColor = false
        #expect(!tool.run("tree", "room.test").output.contains("\u{1b}"))
    }
}
