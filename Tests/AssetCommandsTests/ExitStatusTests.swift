import AssetCommands
import AssetIO
import AssetModel
import TestSupport
import Testing

/// The table of docs and contract: which run ends with which status, and what it leaves.
@Suite struct ExitStatusTests {
    func harness() -> ToolHarness {
        let tool = ToolHarness()
        tool.add("room.test", SampleScene.room())
        tool.add("crowd.test", SampleScene.crowd(2))
        tool.add("nothing.test", SampleScene.nothing())
        tool.add(
            "warned.test", SampleScene.crowd(1),
            [Diagnostic(.warning, "test.missing", "a.png is missing", at: SourceLocation(file: "warned.test"))])
        tool.add("told.test", SampleScene.crowd(1), [Diagnostic(.info, "test.choice", "chose", at: SourceLocation(file: "told.test"))])
        var unwritable = SceneBuilder()
        unwritable.mesh("Unwritable", SampleMesh.cube())
        tool.add("unwritable.test", unwritable.scene)
        tool.addBytes("broken.test", "SCENE")
        tool.addBytes("empty.test", "")
        tool.addBytes("text.layer", "words\n")
        tool.addBytes("picture.jpg", "\u{fffd}")
        tool.existing = ["there.list"]
        return tool
    }

    static let table: [([String], AssetCommands.ExitStatus)] = [
        (["--version"], .done), (["help"], .done), (["--help"], .done), (["help", "tree"], .done), (["tree", "--help"], .done),
        (["help", "limits"], .done), (["formats"], .done), (["completions", "bash"], .done),
        (["tree", "room.test"], .done), (["tree", "--json", "room.test"], .done), (["info", "room.test", "crowd.test"], .done),
        (["tree", "nothing.test"], .done), (["bounds", "nothing.test"], .done), (["materials", "nothing.test"], .done),
        (["tree", "warned.test"], .done), (["tree", "--strict", "told.test"], .done), (["cat", "text.layer"], .done),
        (["convert", "crowd.test", "out.list"], .done), (["convert", "--overwrite", "crowd.test", "there.list"], .done),
        (["convert", "--allow-empty", "nothing.test", "out.list"], .done), (["convert", "room.test", "out.list"], .done),

        ([], .usage), (["nonsense"], .usage), (["--json", "tree"], .usage), (["tree"], .usage), (["tree", "a", "b"], .usage),
        (["tree", "--nonsense", "room.test"], .usage), (["tree", "-"], .usage), (["tree", "--from", "nonsense", "room.test"], .usage),
        (["tree", "--path", "Room", "room.test"], .usage), (["tree", "--path", "/Rom", "room.test"], .usage),
        (["tree", "--variant", "x", "room.test"], .usage), (["tree", "--purpose", "x", "room.test"], .usage),
        (["tree", "--limit", "x=1", "room.test"], .usage), (["tree", "--limit", "prims=0", "room.test"], .usage),
        (["completions"], .usage), (["completions", "tcsh"], .usage), (["help", "nonsense"], .usage), (["convert", "crowd.test"], .usage),
        (["convert", "crowd.test", "out.nonsense"], .usage), (["convert", "crowd.test", "out"], .usage),
        (["convert", "crowd.test", "out.list", "--to", "nonsense"], .usage), (["convert", "crowd.test", "-"], .usage),
        (["convert", "crowd.test", "-", "--to", "list"], .usage), (["convert", "--compress", "draco", "crowd.test", "out.list"], .usage),
        (["convert", "--node", "/None", "crowd.test", "out.list"], .usage), (["convert", "missing.test", "out.nonsense"], .usage),

        (["tree", "missing.test"], .input), (["tree", "broken.test"], .input), (["tree", "empty.test"], .input),
        (["tree", "picture.jpg"], .input),
        (["info", "room.test", "missing.test"], .input), (["tree", "--strict", "warned.test"], .input), (["cat", "room.test"], .input),
        (["cat", "missing.layer"], .input), (["cat", "--strict", "text.layer"], .input), (["tree", "--strict", "nothing.test"], .input),
        (["convert", "missing.test", "out.list"], .input), (["convert", "nothing.test", "out.list"], .input),
        (["convert", "--strict", "warned.test", "out.list"], .input),

        (["convert", "crowd.test", "there.list"], .output), (["convert", "missing.test", "there.list"], .input),
        (["convert", "--strict", "room.test", "out.list"], .output), (["convert", "unwritable.test", "out.list"], .output),
        (["cat", "text.layer", "-o", "there.list"], .output),
    ]

    @Test(arguments: table.indices)
    func status(_ i: Int) {
        let (arguments, expected) = Self.table[i]
        let tool = harness()
        let result = tool.run(arguments)
        #expect(result.status == expected, "facet \(arguments.joined(separator: " "))\n\(result.error)")
        if expected == .done {
            #expect(!result.error.contains("error"))
        } else {
            #expect(!result.error.isEmpty)
            #expect(tool.outputs.values.allSatisfy { !$0.isCommitted && $0.files.isEmpty }, "a failed run leaves nothing")
        }
        // Standard output holds data only.
        if expected == .usage { #expect(result.output.isEmpty) }
    }

    @Test func aClosedPipeIsAQuietEnd() {
        for arguments in [["tree", "room.test"], ["tree", "--json", "crowd.test"], ["cat", "text.layer"], ["help"], ["--version"]] {
            let tool = harness()
            tool.outputSink = FailingSink(.closed)
            let result = tool.run(arguments)
            #expect(result.status == .done)
            #expect(!result.error.contains("error"))
        }
    }

    @Test func aFullDiskIsAnOutputThatCannotBeWritten() {
        for arguments in [["tree", "crowd.test"], ["cat", "text.layer"], ["--version"]] {
            let tool = harness()
            tool.outputSink = FailingSink(.failed("No space left on device"))
            let result = tool.run(arguments)
            #expect(result.status == .output)
            #expect(result.error.contains("cannot write standard output: No space left on device"))
        }
    }

    @Test func strictPrintsNothingButTheReasons() {
        let tool = harness()
        #expect(tool.run("tree", "--strict", "warned.test").output.isEmpty)
        let result = tool.run("tree", "--strict", "--json", "warned.test")
        #expect(result.status == .input && !result.output.contains("nodes"))
        #expect(result.output.contains("\"file\": \"warned.test\"") && result.output.contains("\"severity\": \"error\""))
        #expect(result.error == "warned.test: error: a.png is missing [test.missing]\n")
    }

    @Test func quietHidesWarningsAndVerboseShowsChoices() {
        let tool = harness()
        #expect(tool.run("tree", "warned.test").error == "warned.test: warning: a.png is missing [test.missing]\n")
        #expect(tool.run("tree", "-q", "warned.test").error.isEmpty)
        #expect(tool.run("tree", "told.test").error.isEmpty)
        #expect(tool.run("tree", "-v", "told.test").error == "told.test: info: chose [test.choice]\n")
    }

    @Test func anInputIsNeverReplaced() {
        let tool = harness()
        for arguments in [
            ["cat", "text.layer", "-o", "text.layer", "--overwrite"], ["convert", "warned.test", "warned.test", "--to", "list", "--overwrite"],
        ] {
            let result = tool.run(arguments)
            #expect(result.status == .output, "\(arguments)")
            #expect(result.error.contains("[output.is-the-input]"), "\(arguments)")
        }
        #expect(tool.outputs.isEmpty)
    }

    /// The output is not begun before the input is known to be readable.
    @Test func catBeginsNoOutputForWhatItCannotRead() {
        let tool = harness()
        #expect(tool.run(["cat", "nowhere.layer", "-o", "out.usda"]).status == .input)
        #expect(tool.outputs.isEmpty)
    }

    @Test func standardInputIsReadWithAFormat() {
        let tool = harness()
        tool.input = Array("SCENE".utf8)
        #expect(tool.run("tree", "-", "--from", "test").status == .done)
        #expect(tool.run("cat", "-", "--from", "layer").output == "SCENE")
        #expect(tool.run("cat", "--flatten", "text.layer").output == "flat words\n")
    }

    @Test func catWritesAFile() {
        let tool = harness()
        #expect(tool.run("cat", "text.layer", "-o", "out/text.usda").output.isEmpty)
        #expect(tool.outputs["out/text.usda"]?["text.usda"]?.text == "words\n")
        #expect(tool.outputs["out/text.usda"]?.isCommitted == true)
    }

    @Test func convertHandsItsOptionsOn() {
        let tool = harness()
        var scene = SampleScene.crowd(1)
        scene.metadata.metersPerUnit = nil
        scene.metadata.upAxis = nil
        tool.add("plain.test", scene)
        let result = tool.run("convert", "plain.test", "out/a.list", "--from-units=in", "--from-up=z", "--units", "mm", "--up=y")
        #expect(result.status == .done)
        #expect(result.output == "wrote out/a.list and 1 file beside it, 51 B\n")
        #expect(tool.outputs["out/a.list"]?["side.txt"]?.text == "unit 0.0254, up Z, to 0.001 Y\n")
        #expect(tool.outputs["out/a.list"]?["a.list"]?.text == "/Crowd\n/Crowd/Cube_0\n")
        #expect(tool.run("convert", "-q", "plain.test", "b.list").output.isEmpty)
    }

    @Test func manyWarningsAreCutShort() {
        let tool = harness()
        let many = (0..<50).map { Diagnostic(.warning, "test.many", "number \($0)", at: SourceLocation(file: "many.test")) }
        tool.add("many.test", SampleScene.crowd(1), many)
        let result = tool.run("tree", "many.test")
        #expect(result.error.split(separator: "\n").count == 21)
        #expect(result.error.hasSuffix("facet: 30 more warnings not shown; --verbose shows all\n"))
        #expect(tool.run("tree", "-v", "many.test").error.split(separator: "\n").count == 50)
    }

    @Test func aWrongArgumentIsPointedAt() {
        let tool = harness()
        #expect(
            tool.run("tree", "room.test", "--dpeth=3").error == """
                facet: error: unknown option '--dpeth' for tree; did you mean '--depth'?
                  facet tree room.test --dpeth=3
                                       ^^^^^^^
                `facet help tree` shows how it is used

                """)
        #expect(tool.run("tee").error.contains("unknown command 'tee'; did you mean 'tree'?"))
        #expect(tool.run("tree", "--path", "/room/chair", "room.test").error.contains("did you mean '/Room/Chair'?"))
    }
}
