import AssetIO
import Facet
import TestSupport
import Testing

@testable import AssetCommands

/// What `tree --json` counts as texture coordinates and normals, inherited ones too.
@Suite struct PrimvarListingTests {
    private func mesh(_ lines: String, above: String = "") -> String {
        """
        #usda 1.0
        def Xform "X"
        {
            \(above)
            def Mesh "M"
            {
                point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
                int[] faceVertexCounts = [3]
                int[] faceVertexIndices = [0, 1, 2]
                \(lines)
            }
        }
        """
    }

    private func listing(_ text: String) -> String {
        let tool = ToolHarness()
        tool.registry = .standard
        tool.addBytes("m.usda", text)
        return tool.run("tree", "--json", "m.usda").output
    }

    @Test func onlyPairsAreTextureCoordinates() {
        let pairs = ["texCoord2f[]", "texCoord2h[]", "texCoord2d[]", "float2[]"]
        for type in pairs { #expect(listing(mesh("\(type) primvars:st = [(0, 0)]")).contains("\"name\": \"st\""), "\(type)") }
        #expect(!listing(mesh("texCoord3f[] primvars:st = [(0, 0, 0)]")).contains("\"name\": \"st\""))
        for type in ["texCoord2f", "float2"] {
            #expect(!listing(mesh("\(type) primvars:st = (0, 0)")).contains("\"name\": \"st\""), "\(type)")
        }
        for type in ["double2[]", "half2[]", "int2[]"] {
            #expect(!listing(mesh("\(type) primvars:st = [(0, 0)]")).contains("\"name\": \"st\""), "\(type)")
        }
    }

    @Test func normalsAreInheritedAsPrimvars() {
        let own = "normal3f[] normals = [(0, 0, 1)] ( interpolation = \"uniform\" )"
        let ownPrimvar = "normal3f[] primvars:normals = [(0, 0, 1)] ( interpolation = \"varying\" )"
        let above = "normal3f[] primvars:normals = [(0, 0, 1)]"
        let notConstant = above + " ( interpolation = \"vertex\" )"
        for (text, expected) in [
            (mesh(""), "null"), (mesh(own), "\"uniform\""), (mesh(own, above: above), "\"constant\""),
            (mesh("", above: above), "\"constant\""), (mesh(ownPrimvar, above: above), "\"varying\""),
            (mesh(own + "\n" + ownPrimvar), "\"varying\""), (mesh(own, above: notConstant), "\"uniform\""),
        ] {
            #expect(listing(text).contains("\"normals\": \(expected)"), "\(text)")
        }
    }
}
