import AssetIO
import Facet
import TestSupport
import Testing

@testable import AssetCommands

/// Inputs that say odd things of themselves, and questions that nothing answers.
@Suite struct OddInputTests {
    private func tool(_ files: [String: String]) -> ToolHarness {
        let tool = ToolHarness()
        tool.registry = .standard
        for (name, text) in files { tool.addBytes(name, name.hasSuffix(".ply") ? text : "#usda 1.0\n" + text) }
        return tool
    }

    @Test func unitsAndRatesOutsideTheirRangeAreTold() {
        for value in ["0", "-1", "inf", "-inf", "nan"] {
            let odd = "(\n    metersPerUnit = \(value)\n    timeCodesPerSecond = \(value)\n    upAxis = \"Y\"\n)\ndef Cube \"A\"\n{\n}\n"
            let tool = tool(["a.usda": odd])
            for command in ["tree", "info", "bounds"] {
                let result = tool.run(command, "a.usda")
                #expect(result.status == .done)
                #expect(result.error.contains("[usd.bad-meters-per-unit]"), "\(command) \(value)")
                #expect(result.error.contains("[usd.bad-time-codes-per-second]"), "\(command) \(value)")
                #expect(tool.run(command, "--strict", "a.usda").status == .input)
            }
        }
        let plain = tool(["a.usda": "(\n    metersPerUnit = 0.001\n    timeCodesPerSecond = 30\n    upAxis = \"Y\"\n)\ndef Cube \"A\"\n{\n}\n"])
        #expect(plain.run("tree", "a.usda").error.isEmpty)
    }

    @Test func aTypeThatNothingHasIsSaid() {
        let tool = tool(["a.usda": "(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\ndef Xform \"A\"\n{\n    def Cube \"B\"\n    {\n    }\n}\n"])
        let nothing = tool.run("tree", "--type", "Nope", "a.usda")
        #expect(nothing.status == .done)
        #expect(nothing.error == "a.usda: warning: no node shown is of type 'Nope', expected Xform or Cube [tree.no-such-type]\n")
        #expect(tool.run("tree", "--type", "cubes", "a.usda").error.contains("did you mean 'Cube'?"))
        #expect(tool.run("tree", "--json", "--type", "Nope", "a.usda").output.contains("\"tree.no-such-type\""))
        #expect(tool.run("tree", "--strict", "--type", "Nope", "a.usda").status == .input)
        #expect(tool.run("tree", "--type", "cube", "a.usda").error.isEmpty)
    }

    @Test func whatLiesOutsideThePartIsNotLost() {
        let files = [
            "a.usda": """
            (
                metersPerUnit = 1
                upAxis = "Y"
            )
            def Xform "A"
            {
                def Cube "Box"
                {
                }
                def Camera "Inside"
                {
                }
            }
            def Camera "View"
            {
            }
            def SphereLight "Lamp"
            {
            }

            """
        ]
        let whole = tool(files).run("convert", "a.usda", "out.obj")
        #expect(whole.error.contains("2 cameras not written") && whole.error.contains("1 light not written"))
        let part = tool(files).run("convert", "--node", "/A", "a.usda", "out.obj")
        #expect(part.error.contains("1 camera not written") && !part.error.contains("light"))
        let box = tool(files).run("convert", "--strict", "--node", "/A/Box", "a.usda", "out.obj")
        #expect(box.status == .done, "\(box.error)")
    }

    /// Every ceiling that help lists can be set, and stops what passes it with an error that names it.
    @Test func limitsHold() {
        let nested = String(repeating: "def \"a\"\n{\n", count: 9) + String(repeating: "}\n", count: 9)
        let files = [
            "deep.usda": nested,
            "wide.usda": (0..<9).map { "def \"a\($0)\"\n{\n}\n" }.joined(),
            "layers.usda": "(\n    subLayers = [@one.usda@, @two.usda@, @three.usda@]\n)\n", "one.usda": "", "two.usda": "", "three.usda": "",
        ]
        for (limit, file) in [("nesting-depth", "deep.usda"), ("prims", "wide.usda")] {
            let tool = tool(files)
            #expect(tool.run("tree", "--limit", "\(limit)=9", file).status == .done)
            for command in [["tree"], ["info"], ["bounds"], ["materials"], ["cat", "--flatten"]] {
                let result = tool.run(command + ["--limit", "\(limit)=4", file])
                #expect(result.status == .input || command[0] == "cat", "\(command) \(limit): \(result.error)")
                #expect(result.error.contains("limit") && result.error.contains("4"), "\(command) \(limit): \(result.error)")
            }
        }
        let classes = (0..<9).map { "class \"C\($0)\" (\n    inherits = </C\($0 + 1)>\n)\n{\n}\n" }.joined()
        let dense = tool(["dense.usda": classes])
        #expect(dense.run("tree", "dense.usda").status == .done)
        for command in ["tree", "info", "bounds", "materials"] {
            let result = dense.run(command, "--limit", "arcs=20", "dense.usda")
            #expect(result.status == .input && result.error.contains("more than 20 arcs (the limit 'arcs')"), "\(command): \(result.error)")
        }
        let layers = tool(files).run("tree", "--limit", "layers=2", "layers.usda")
        #expect(layers.status == .input && layers.error.contains("more than 2 layers (the limit 'layers')"), "\(layers.error)")
        #expect(!tool(files).run("tree", "layers.usda").error.contains("limit"))
    }

    /// For each ceiling what passes it, the value at which it does and one at which it does not.
    @Test func everyLimitIsHitAndRaised() throws {
        func nested(_ n: Int) -> String { String(repeating: "def \"a\"\n{\n", count: n) + String(repeating: "}\n", count: n) }
        let layer = "#usda 1.0\n"
        let zip = ZipBuilder([ZipBuilder.Entry("a.usda", layer) { $0.isDeflated = true }, ZipBuilder.Entry("b.txt", "b")]).bytes()
        let classes = (0..<9).map { "class \"C\($0)\" (\n    inherits = </C\($0 + 1)>\n)\n{\n}\n" }.joined()
        let header = "ply\nformat ascii 1.0\ncomment a\nend_header\n"
        // Prims /a to /a/a/a…: paths of 2, 4, … 18 bytes.
        let cases: [String: (files: [String: String], fails: Int, passes: Int)] = [
            "nesting-depth": (["a.usda": nested(600)], 512, 700), "prims": (["a.usda": nested(9)], 8, 9),
            "arcs": (["a.usda": classes], 20, 100_000_000), "path-bytes": (["a.usda": nested(9)], 89, 90),
            "layers": (["a.usda": "(\n    subLayers = [@one.usda@, @two.usda@]\n)\n", "one.usda": "", "two.usda": ""], 2, 3),
            "unpacked-bytes": ([:], layer.utf8.count - 1, layer.utf8.count), "package-entries": ([:], 1, 2),
            "header-bytes": (["a.ply": header], header.utf8.count - 1, header.utf8.count),
        ]
        // Of writing: `everyImageHasALimit`.
        #expect(Set(cases.keys).union(["image-bytes"]) == Set(ReadLimit.all.map(\.name)))
        for (name, c) in cases {
            func run(_ value: Int?) -> ToolHarness.Result {
                let tool = tool(c.files)
                tool.input = zip
                let file = c.files.isEmpty ? ["--from", "usdz", "-"] : [c.files.keys.sorted()[0]]
                return tool.run(["info"] + (value.map { ["--limit", "\(name)=\($0)"] } ?? []) + file)
            }
            let hit = run(c.fails)
            #expect(hit.status == .input && hit.error.contains("\(c.fails)"), "\(name): \(hit.error)")
            let raised = run(c.passes)
            #expect(raised.status == .done, "\(name): \(raised.error)")
            // Only what stands above the usual ceiling needs one of its own.
            #expect((run(nil).status == .done) == (name != "nesting-depth"), "\(name)")
        }
    }

    /// The ceilings of packages: entries, and bytes that a compressed one unpacks to.
    @Test func limitsOfPackagesHold() {
        let layer = "#usda 1.0\ndef Xform \"A\"\n{\n}\n"
        let zip = ZipBuilder([ZipBuilder.Entry("a.usda", layer) { $0.isDeflated = true }, ZipBuilder.Entry("b.txt", "b")]).bytes()
        for command in ["tree", "info", "bounds", "materials", "cat"] {
            // Each time anew: a resolver keeps the packages it has opened.
            func run(_ limits: String...) -> ToolHarness.Result {
                let tool = ToolHarness()
                tool.registry = .standard
                tool.input = zip
                return tool.run([command, "--from", "usdz"] + limits.flatMap { ["--limit", $0] } + ["-"])
            }
            let whole = run("package-entries=2", "unpacked-bytes=\(layer.utf8.count)")
            #expect(whole.status == .done, "\(command): \(whole.error)")
            let entries = run("package-entries=1")
            #expect(entries.status == .input && entries.error.contains("the archive has 2 entries, the limit is 1"), "\(entries.error)")
            let bytes = run("unpacked-bytes=\(layer.utf8.count - 1)")
            #expect(
                bytes.status == .input && bytes.error.contains("unpacks to \(layer.utf8.count) bytes, the limit is \(layer.utf8.count - 1)"),
                "\(bytes.error)")
        }
    }
}
