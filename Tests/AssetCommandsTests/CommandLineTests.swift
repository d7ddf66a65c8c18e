import AssetIO
import Facet
import TestSupport
import Testing

@testable import AssetCommands

/// What the command line says before a file is read: values of options, help, completions.
@Suite struct CommandLineTests {
    private func tool() -> ToolHarness {
        let tool = ToolHarness()
        tool.registry = .standard
        return tool
    }

    /// A value that took the operand's place is told, not the operand that seems to be missing.
    @Test func valuesAreCheckedBeforeOperandsAreMissed() {
        let wrong: [(arguments: [String], message: String)] = [
            (["tree", "--time", "a.usdz"], "--time is 'a.usdz', expected a number"),
            (["tree", "-d", "a.usdz"], "--depth is 'a.usdz', expected a whole number from 1 on"),
            (["tree", "--path", "a.usdz"], "--path is 'a.usdz', expected a path from the root: /a.usdz"),
            (["info", "--variant", "a.usdz"], "--variant is 'a.usdz', expected /Path{set=choice}"),
            (["info", "--purpose", "a.usdz"], "--purpose holds 'a.usdz', expected default, render, proxy or guide"),
            (["bounds", "--limit", "a.usdz"], "--limit is 'a.usdz', expected NAME=VALUE"),
            (["bounds", "--limit", "prim=9", "a.usdz"], "unknown limit 'prim'; did you mean 'prims'? `facet help limits` lists the names"),
            (["bounds", "--limit", "x=9", "a.usdz"], "unknown limit 'x'; `facet help limits` lists the names"),
            (["cat", "--from", "a.usdz"], "--from is 'a.usdz', expected usdc, usda, usdz, glb, gltf, obj, ply or stl"),
            (["convert", "--to", "a.usdz"], "--to is 'a.usdz', expected obj, ply or stl"),
            (["convert", "--node", "a.usdz"], "--node is 'a.usdz', expected a path from the root: /a.usdz"),
        ]
        for (arguments, message) in wrong {
            let result = tool().run(arguments)
            #expect(result.status == .usage)
            #expect(result.error.contains(message), "\(result.error)")
            #expect(!result.error.contains("needs"), "\(result.error)")
        }
    }

    @Test func completionsOfferWhatAnOptionTakes() {
        let names = "nesting-depth= prims= arcs= layers= path-bytes= unpacked-bytes= package-entries= image-bytes= header-bytes="
        let bash = tool().run("completions", "bash").output
        #expect(bash.contains("--from) COMPREPLY=($(compgen -W \"usdc usda usdz glb gltf obj ply stl\""))
        #expect(bash.contains("--to) COMPREPLY=($(compgen -W \"obj ply stl\""))
        #expect(bash.contains("--purpose) COMPREPLY=($(compgen -W \"default render proxy guide\""))
        #expect(bash.contains("--limit) compopt -o nospace; COMPREPLY=($(compgen -W \"\(names)\""))
        let zsh = tool().run("completions", "zsh").output
        for words in ["(usdc usda usdz glb gltf obj ply stl)", ":value:(obj ply stl)'", "(default render proxy guide)", "(\(names))"] {
            #expect(zsh.contains(words))
        }
        let fish = tool().run("completions", "fish").output
        for words in [
            "-l from -x -a 'usdc usda usdz glb gltf obj ply stl'", "-l to -x -a 'obj ply stl'", "-l purpose -x -a 'default render proxy guide'",
            "-l limit -x -a '\(names)'",
        ] {
            #expect(fish.contains(words))
        }
    }

    @Test func theVersionStandsAlone() {
        #expect(tool().run("--version").status == .done)
        let extra = tool().run("--version", "extra")
        #expect(extra.status == .usage)
        #expect(extra.output.isEmpty)
        #expect(extra.error.contains("unexpected 'extra': --version stands alone"))
    }

    @Test func helpTellsOfItself() {
        let overview = tool().run("help").output
        #expect(overview.contains("-h, --help"))
        #expect(overview.contains("-V, --version"))
        #expect(tool().run("tree", "--help").output.contains("-h, --help"))
        // Nothing is promised of commands that are not there.
        #expect(!tool().run("help", "--markdown").output.contains("audit"))
    }

    @Test func noSuggestionIsWhatWasTyped() {
        #expect(nearest("Mesh", ["Mesh"]) == nil)
        #expect(nearest("Mesh", ["Mesh", "mesh"]) == "mesh")
        let tool = tool()
        tool.addBytes(
            "a.usda", "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\ndef Xform \"A\"\n{\n    def Cube \"B\"\n    {\n    }\n}\n")
        let result = tool.run("tree", "--type", "Cube", "--depth", "1", "a.usda")
        #expect(
            result.error
                == "a.usda: warning: no node shown is of type 'Cube'; there are some outside of what is shown [tree.no-such-type]\n")
        let node = tool.run("convert", "--node", "/A/B/", "a.usda", "out.obj")
        #expect(node.status == .usage)
        #expect(node.error.contains("--node is '/A/B/', but the file has no such node; did you mean '/A/B'?"))
    }
}
