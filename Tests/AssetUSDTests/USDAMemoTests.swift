import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// What a parser remembers of a text changes nothing: a prim among others reads as it does alone.
@Suite struct USDAMemoTests {
    /// Metadata that prims have alike, and some that mean something else at each place.
    static let blocks = [
        "", "prepend apiSchemas = [\"MaterialBindingAPI\"]", "prepend apiSchemas = [\"MaterialBindingAPI\"] # the same, said otherwise",
        "instanceable = true\n    prepend references = </Model>", "prepend references = </Model/Part>", "inherits = <../Class>",
        "specializes = <Own>", "prepend references = @./a.usda@<Own>",
        "prepend references = @./a.usda@</Model>", "prepend references = @./a.usda@<../Model>", "payload = @b.usda@ (offset = 2)",
        "kind = \"component\"\n    doc = \"\"\"two\nlines\"\"\"", "customData = {\n        int a = 1\n        double3 b = (1, 2, 3)\n    }",
        "variants = {\n        string look = \"red\"\n    }\n    prepend variantSets = \"look\"", "add variantSets = \"look\"", "active = false",
        "\"a comment\"", "delete apiSchemas = [\"A\"]\n    append apiSchemas = [\"B\", \"C\"]",
    ]

    static let properties = [
        "rel material:binding = </Materials/Red>", "rel material:binding = </Materials/Blue>", "rel material:binding = <../Red>", "rel local = <Own>",
        "rel local = <.points>",
        "rel material:binding = [</Materials/Red>, </Materials/Blue>]", "prepend rel more = </Materials/Red>", "custom rel own = </A{v=x}B>",
        "rel none = None", "token outputs:surface.connect = </Materials/Red/Shader.outputs:surface>",
        "double3 xformOp:translate = (1, 2.5, -3)", "double3 xformOp:translate = (1e3, inf, .5)", "double3 xformOp:translate = (-0, 1234567.5, 3)",
        "float3 scale = (0.1, 0.3333333333, 12345678.9)", "half3 h = (0.1, 0.2, 0.3)", "quatf q = (1, 0, 0, 0)", "double3 t = ( 1 , 2,3 )",
        "uniform token[] xformOpOrder = [\"xformOp:translate\"]", "point3f[] points = [(0, 0, 0), (1.5, 0.25, 1234.5678), (-0.001, 1e-3, 7)]",
        "int[] faceVertexIndices = [0, 1, 2, 2, 1, 3, 0, 1, 2, 2, 1, 3, 0, 1, 2, 2, 1, 3]",
        "float[] widths = [0.5, 0.25, 0.125] (\n    interpolation = \"vertex\"\n)",
        "float[] widths = [0.5, 0.25, 0.125]", "asset file = @./a.png@", "matrix2d m = ( (1, 2), (3, 4) )",
    ]

    static func prim(_ i: Int, _ random: inout SplitMix64) -> String {
        let block = blocks[random.int(in: 0...(blocks.count - 1))]
        var names = Set<String>()
        var text = "def Xform \"P\(i)\"" + (block.isEmpty ? "" : " (\n    \(block)\n)") + "\n{\n"
        for _ in 0..<random.int(in: 0...5) {
            let p = properties[random.int(in: 0...(properties.count - 1))]
            let name = p.split(separator: "=")[0].split(separator: " ").last.map(String.init) ?? ""
            if names.insert(name).inserted { text += "    " + p + "\n" }
        }
        return text + "}\n"
    }

    @Test(arguments: 0..<12) func aPrimAmongOthersReadsAsItDoesAlone(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let prims = (0..<60).map { Self.prim($0, &random) }
        let padding = "# " + String(repeating: ".", count: 300) + "\n"
        let together = try lines(prims.joined() + padding)
        let alone = try prims.flatMap { try lines($0 + padding) }
        for (i, line) in zip(together, alone).enumerated() where line.0 != line.1 {
            Issue.record("line \(i): \(line.0), alone \(line.1)")
            break
        }
        #expect(together.count == alone.count)
    }

    /// The printed lines of a text, but for empty ones and the header.
    private func lines(_ text: String) throws -> [Substring] { try printUSDA(parseUSDA(text)).split(separator: "\n").dropFirst().map { $0 } }

    @Test func pathsThatShareAPlaceAreToldApart() throws {
        // More paths than the memo has places, each named twice.
        let names = (0..<3000).map { "</World/Materials/Material_\($0)>" }
        let text = "def \"A\"\n{\n" + (names + names).enumerated().map { "    rel r\($0) = \($1)\n" }.joined() + "}\n"
        let layer = try parseUSDA(text)
        for (i, name) in (names + names).enumerated() {
            guard case .pathListOp(let op) = layer.value("/A.r\(i)", "targetPaths"), op.explicit.count == 1 else {
                Issue.record("no target of r\(i)")
                return
            }
            #expect("<\(layer.session.string(op.explicit[0]))>" == name)
        }
    }

    @Test func aKnownPathIsStillNoPrimWhereOneIsNeeded() {
        #expect(throws: AssetError.self) {
            try parseUSDA("def \"A\"\n{\n    rel r = </World/A.property>\n}\ndef \"B\" (\n    inherits = </World/A.property>\n)\n{\n}\n")
        }
    }
}
