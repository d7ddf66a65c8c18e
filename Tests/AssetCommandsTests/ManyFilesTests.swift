import AssetCommands
import AssetIO
import AssetModel
import TestSupport
import Testing

/// `info` of many files reads several at a time; what it prints does not tell.
@Suite struct ManyFilesTests {
    /// Scenes of any size, among them one that is malformed, one that is empty and one with warnings.
    private static func harness(_ count: Int) -> (ToolHarness, [String]) {
        let harness = ToolHarness()
        var files: [String] = []
        for i in 0..<count {
            let name = "part \(i).test"
            files.append(name)
            switch i % 9 {
            case 3: harness.addBytes(name, "BROKEN")
            case 4: harness.add(name, SampleScene.nothing())
            case 5:
                let warning = Diagnostic(.warning, "test.odd", "odd, expected even", at: SourceLocation(file: name))
                harness.add(name, SampleScene.room(), [warning])
            case 6: files[i] = "gone \(i).test"
            default: harness.add(name, SampleScene.crowd(i % 50 == 0 ? 3000 : i % 11))
            }
        }
        return (harness, files)
    }

    @Test(arguments: [["info"], ["info", "--json"], ["info", "--strict"], ["info", "--verbose"], ["info", "--quiet", "--json"]])
    func theSameIsPrintedAsByOneCore(command: [String]) {
        let (harness, files) = Self.harness(120)
        let together = harness.run(command + files)
        harness.readsOneByOne = true
        let apart = harness.run(command + files)
        #expect(together.output == apart.output)
        #expect(together.error == apart.error)
        #expect(together.status == apart.status && together.status == .input)
    }

    @Test func filesAreShownInTheirOrder() {
        let (harness, files) = Self.harness(60)
        let result = harness.run(["info"] + files)
        let shown = result.output.split(separator: "\n").map(String.init).filter { files.contains($0) }
        #expect(shown == files.filter { shown.contains($0) })
        #expect(shown.count == files.count - files.indices.count { $0 % 9 == 3 || $0 % 9 == 6 })
        let faults = result.error.split(separator: "\n").filter { $0.contains("error: ") }
        #expect(faults.count == files.indices.count { $0 % 9 == 3 || $0 % 9 == 6 })
        #expect(faults.first?.hasPrefix("part 3.test:3:5: error: ") == true)
    }

    @Test func oneFileAlone() {
        let (harness, files) = Self.harness(9)
        let all = files.indices.map { harness.run("info", files[$0]) }
        let together = harness.run(["info"] + files)
        #expect(together.output == all.map(\.output).filter { !$0.isEmpty }.joined(separator: "\n"))
        #expect(together.error == all.map(\.error).joined())
    }

    @Test func standardInputIsReadInItsTurn() {
        let harness = ToolHarness()
        harness.add("a.test", SampleScene.crowd(2))
        harness.input = Array("SCENE".utf8)
        let result = harness.run("info", "--from", "test", "a.test", "-", "a.test", "-")
        #expect(result.status == .done)
        #expect(result.output == Array(repeating: harness.run("info", "a.test").output, count: 4).joined(separator: "\n"))
    }

    @Test func aClosedPipeEndsTheWork() {
        let harness = ToolHarness()
        var files: [String] = []
        for i in 0..<500 {
            files.append("\(i).test")
            harness.add(files[i], SampleScene.nothing())
        }
        let sink = FailingSink(.closed)
        harness.outputSink = sink
        let result = harness.run(["info"] + files)
        #expect(result.status == .done)
        #expect(sink.calls == 1)
        // Nothing is said of files that nobody is shown.
        #expect(result.error.split(separator: "\n").count <= 1)
    }

    @Test func aWrongSelectionIsToldOnce() {
        let (harness, files) = Self.harness(8)
        let result = harness.run(["info", "--variant", "/Nowhere{look=red}"] + files)
        #expect(result.status == .usage)
        #expect(result.output == "")
    }
}
