import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// Scenes whose arcs multiply: they end with the limit's name, or soon with the right answer.
@Suite struct CompositionLimitTests {
    private func read(_ text: String, arcs: Int) throws -> Scene {
        try SceneText(text) { $0.limits.arcs = arcs }.scene
    }

    private static func every(_ n: Int, _ line: (Int) -> String) -> String { (0..<n).map(line).joined(separator: "\n") }

    /// Each of twelve prims refers to, inherits and specializes others, with children that do so too.
    private static let mesh = every(12) { i in
        """
        def "A\(i)" (
            references = [</A\((i + 1) % 12)>, </A\((i + 5) % 12)>]
            inherits = [</A\((i + 2) % 12)>, </A\((i + 3) % 12)>]
            specializes = </A\((i + 4) % 12)>
        ) {
            def "K\(i)" (references = </A\((i + 6) % 12)>) {
            }
        }
        """
    }

    private static let variants = every(12) { i in
        """
        def "P\(i)" (
            variants = {
                string v = "x"
                string u = "x"
            }
            prepend variantSets = ["v", "u"]
        ) {
            variantSet "v" = {
                "x" (references = </P\(i + 1)>) {
                }
            }
            variantSet "u" = {
                "x" (references = </P\(i + 1)>) {
                }
            }
        }
        """
    }

    private static let levels = every(60) { i in "def \"C\(i)\" {\ndef \"X\" (references = </C\(i + 1)>) {\n}\n}" }

    @Test(arguments: [mesh, variants, levels])
    func limitOnArcs(_ text: String) {
        let error = #expect(throws: AssetError.self) { try read(text, arcs: 2000) }
        #expect(error?.diagnostic.code == "usd.too-many-arcs")
        #expect(error?.diagnostic.message.contains("more than 2000 arcs (the limit 'arcs')") == true)
    }

    /// Prims without arcs and few arcs take nothing to speak of.
    @Test func plainPrimsTakeNoArcs() throws {
        let scene = try read(Self.every(3000) { "def Xform \"P\($0)\" {\n}" }, arcs: 1)
        #expect(scene.nodes.count == 3000)
    }

    /// Many arcs that each add a child: children look at what speaks of them, not at every arc.
    @Test(arguments: ["references", "inherits", "specializes", "payload"])
    func manyArcsWithAChildEach(_ arc: String) throws {
        let n = 600
        let text =
            "def \"A\" (\(arc) = [" + (0..<n).map { "</R\($0)>" }.joined(separator: ", ") + "]) {\n}\n"
            + Self.every(n) { "over \"R\($0)\" {\ndef \"C\($0)\" {\ndef \"D\" {\n}\n}\ndef \"Both\($0 / 2)\" {\n}\n}" }
        // Each child has a site or two; six hundred sites for each would pass the limit.
        let scene = try read(text, arcs: 400_000)
        #expect(scene.nodes.count == 1 + 2 * n + n / 2)
        let names = scene.nodes.map(\.path)
        #expect(names.contains("/A/C599/D") && names.contains("/A/Both299"))
    }
}
