import AssetCommands
import AssetIO
import AssetModel
import Facet
import TestSupport
import Testing

/// What a run cannot read, leaves out or changes is to be seen in what it prints.
@Suite struct NothingSilentTests {
    private func tool(_ files: [String: String] = [:]) -> ToolHarness {
        let tool = ToolHarness()
        tool.registry = .standard
        for (name, text) in files { tool.addBytes(name, text) }
        return tool
    }

    private func triangle(_ name: String, _ more: String = "") -> String { "\(more)o \(name)\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" }

    @Test(arguments: ["tree", "info", "bounds", "materials"]) func aFileThatCannotBeReadIsInTheJSON(_ command: String) {
        let result = tool().run(command, "--json", "missing.obj")
        #expect(result.status == .input && result.error.contains("missing.obj: error: "))
        #expect(result.output.contains("\"schema\": \"facet.\(command)/1\"") && result.output.contains("\"file\": \"missing.obj\""))
        #expect(result.output.contains("\"severity\": \"error\"") && result.output.contains("\"code\": \"io.cannot-open\""))
    }

    @Test func ofSeveralFilesEachIsInTheJSON() {
        let result = tool(["a.obj": triangle("a"), "c.obj": triangle("c")]).run("info", "--json", "a.obj", "b.obj", "c.obj")
        #expect(result.status == .input)
        let files = result.output.split(separator: "\n").filter { $0.hasPrefix("      \"file\": ") }.map { $0.dropFirst(14) }
        #expect(files == ["\"a.obj\",", "\"b.obj\",", "\"c.obj\","])
        #expect(result.output.contains("\"severity\": \"error\""))
    }

    /// What a strict run refuses is in the list as well.
    @Test func ofSeveralFilesEachIsInTheStrictJSON() {
        let tool = tool(["a.obj": triangle("a"), "b.obj": triangle("b") + "f 9 9 9\n"])
        let result = tool.run("info", "--json", "--strict", "a.obj", "b.obj")
        #expect(result.status == .input)
        let files = result.output.split(separator: "\n").filter { $0.hasPrefix("      \"file\": ") }.map { $0.dropFirst(14) }
        #expect(files == ["\"a.obj\",", "\"b.obj\","] && result.output.contains("\"severity\": \"error\""))
    }

    @Test func endlessNamesAreCutForPeople() {
        for letter in ["n", "é", "日", "e\u{301}"] {
            let name = String(repeating: letter, count: 5000)
            let tool = tool(["a.obj": triangle(name)])
            for command in ["tree", "bounds"] {
                let text = tool.run(command, "a.obj").output
                #expect(text.contains("…") && text.utf8.count < 3000, "\(command) \(text.utf8.count)")
            }
            #expect(tool.run("tree", "--json", "a.obj").output.contains("\"\(name)\""))
        }
        #expect(tool(["a.obj": triangle("short")]).run("tree", "a.obj").output.contains("short  Mesh"))
    }

    @Test func changedNamesAreTold() {
        let text = "mtllib a.mtl\nusemtl r 1\n" + triangle("a b") + "o c\nf 1 3 2\no c\nf 1 3 2\n"
        let tool = tool(["a.obj": text, "a.mtl": "newmtl r 1\nKd 1 0 0\n"])
        let obj = tool.run("convert", "a.obj", "b.obj").error
        #expect(obj.contains("1 object written under another name: 'a b' as 'a_b' [obj.lost.names]"), "\(obj)")
        #expect(obj.contains("1 material written under another name: 'r 1' as 'r_1' [obj.lost.material-names]"), "\(obj)")
        // A solid's name runs to the end of its line, blanks included.
        let stl = tool.run("convert", "-v", "--encoding", "ascii", "a.obj", "b.stl").error
        #expect(stl.contains("1 object written under another name: 'c' as 'c_2' [stl.unique-names]"), "\(stl)")
        #expect(!stl.contains("stl.lost.names"))
        let plain = self.tool(["a.obj": triangle("a")]).run("convert", "a.obj", "b.obj").error
        #expect(!plain.contains("name"), "\(plain)")
    }

    /// The limit `image-bytes`, and textures that are no images: `convert` leaves them out, `info` says so too.
    @Test func everyImageHasALimit() {
        let mesh = "mtllib a.mtl\nusemtl r\n" + triangle("a", "vt 0 0\n").replacing("f 1 2 3", with: "f 1/1 2/1 3/1")
        let tool = tool(["a.obj": mesh, "a.mtl": "newmtl r\nmap_Kd a.png\n", "a.png": "no image at all"])
        #expect(tool.run("info", "a.obj").error.contains("[texture.not-an-image]"))
        #expect(tool.run("convert", "a.obj", "b.obj").error.contains("its bytes are not those of an image [obj.lost.texture]"))
        for (limit, told) in [("14", "it has 15 bytes, the limit 'image-bytes' is 14"), ("15", "its bytes are not those of an image")] {
            let result = tool.run("convert", "--limit", "image-bytes=\(limit)", "a.obj", "b.obj")
            #expect(result.status == .done && result.error.contains(told), "\(result.error)")
        }
    }
}
