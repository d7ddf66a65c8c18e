import AssetIO
import Facet
import TestSupport
import Testing

@testable import AssetCommands

/// `convert` to PLY and STL, as far as the command line has a say.
@Suite struct ConvertFormatsTests {
    private let stl =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
        + "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"
    private let points = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n"

    private func tool() -> ToolHarness {
        let tool = ToolHarness()
        tool.registry = .standard
        tool.addBytes("a.stl", stl)
        tool.addBytes("p.ply", points)
        return tool
    }

    private func header(_ tool: ToolHarness, _ path: String) -> [String] {
        String(decoding: tool.outputs[path]?.files.first?.bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func cornersOfAnSTLAreJoinedUnlessAskedNotTo() {
        let tool = tool()
        for (output, vertices) in [("b.ply", "element vertex"), ("b.obj", "v ")] {
            let joined = tool.run("convert", "a.stl", output, "-q")
            #expect(joined.status == .done, "\(joined.error)")
            let apart = tool.run("convert", "a.stl", "apart_" + output, "-q", "--no-weld")
            #expect(apart.status == .done)
            func count(_ path: String) -> Int {
                let lines = header(tool, path)
                if output.hasSuffix("obj") { return lines.filter { $0.hasPrefix(vertices) }.count }
                return lines.first { $0.hasPrefix(vertices) }.flatMap { Int($0.split(separator: " ")[2]) } ?? 0
            }
            #expect(count(output) == 4 && count("apart_" + output) == 6)
        }
    }

    @Test func encodingsAreThoseThatAFormatHas() {
        let tool = tool()
        #expect(tool.run("convert", "a.stl", "l.ply").status == .done)
        #expect(header(tool, "l.ply")[1] == "format binary_little_endian 1.0")
        #expect(tool.run("convert", "a.stl", "b.ply", "--encoding", "big-endian").status == .done)
        #expect(header(tool, "b.ply")[1] == "format binary_big_endian 1.0")
        #expect(tool.run("convert", "a.stl", "t.ply", "--encoding", "ascii").status == .done)
        #expect(header(tool, "t.ply")[1] == "format ascii 1.0")
        #expect(tool.run("convert", "a.stl", "t.stl", "--encoding=ascii").status == .done)
        #expect(header(tool, "t.stl").first == "solid a")
        let wrong: [(arguments: [String], message: String)] = [
            (["a.stl", "c.stl", "--encoding", "big-endian"], "--encoding is 'big-endian', and STL knows only binary or ascii"),
            (["a.stl", "c.obj", "--encoding", "ascii"], "--encoding is for ply or stl output, and this one is Wavefront OBJ"),
            (["a.stl", "c.ply", "--encoding", "text"], "--encoding is 'text', expected binary, ascii or big-endian"),
            (["a.stl", "c.ply", "--textures", "embed"], "--textures embed is not for PLY"),
        ]
        for (arguments, message) in wrong {
            let result = tool.run(["convert"] + arguments)
            #expect(result.status == .usage && result.error.contains(message), "\(result.error)")
        }
    }

    @Test func whatATargetCannotHoldAtAllIsNothingToWrite() {
        let tool = tool()
        let none = tool.run("convert", "p.ply", "p.stl")
        #expect(none.status == .input && none.error.contains("[stl.nothing-to-write]"))
        #expect(tool.outputs["p.stl"]?.files.isEmpty ?? true)
        let empty = tool.run("convert", "p.ply", "e.stl", "--allow-empty")
        #expect(empty.status == .done && tool.outputs["e.stl"]?.files.first?.bytes.count == 84)
        #expect(tool.run("convert", "p.ply", "q.ply").status == .done)
        #expect(tool.run("convert", "--strict", "a.stl", "s.ply").status == .done)
    }

    @Test func standardOutputTakesEither() {
        let tool = tool()
        for format in ["ply", "stl"] {
            #expect(tool.run("convert", "a.stl", "-", "--to", format).status == .done)
            #expect(tool.outputs["-"]?.files.count == 1)
        }
    }

    @Test func unitsAxesAndPartsAreThoseAskedFor() {
        let tool = tool()
        tool.addBytes(
            "b.usda",
            "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n)\ndef Cube \"A\"\n{\n}\ndef Xform \"B\"\n{\n    def Cube \"C\"\n    {\n"
                + "        double3 xformOp:translate = (0, 100, 0)\n        uniform token[] xformOpOrder = [\"xformOp:translate\"]\n    }\n}\n")
        let result = tool.run(
            "convert", "b.usda", "b.ply", "--units", "mm", "--up", "z", "--node", "/B", "--encoding", "ascii", "--triangulate")
        #expect(result.status == .done, "\(result.error)")
        let lines = header(tool, "b.ply")
        #expect(lines.contains("comment Z up, 0.001 metres a unit") && lines.contains("element vertex 8") && lines.contains("element face 12"))
        #expect(Set(lines.filter { $0.hasSuffix(" 990") || $0.hasSuffix(" 1010") }).count == 8)
    }

    @Test func storedNormalsThatDisagreeAreToldByConvertAlone() {
        let tool = tool()
        tool.addBytes("n.stl", stl.replacing("facet normal 0 0 1", with: "facet normal 0 0 -1"))
        #expect(tool.run("convert", "n.stl", "n.ply").error.contains("2 of 2 stored normals"))
        #expect(tool.run("info", "n.stl").error == "" && tool.run("tree", "n.stl").error == "")
    }
}
