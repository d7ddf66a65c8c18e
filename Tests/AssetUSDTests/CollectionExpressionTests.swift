import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// Bindings through collections that an expression describes. The right answers are OpenUSD's.
@Suite struct CollectionExpressionTests {
    private func bound(_ expression: String, _ more: String = "") throws -> [String] {
        let mesh = "point3f[] points = [(0, 0, 0)]"
        let s = try SceneText(
            """
            def Xform "W" (
                prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:a", "CollectionAPI:b", "CollectionAPI:paths"]
            )
            {
                uniform pathExpression collection:a:membershipExpression = "\(expression)"
                uniform pathExpression collection:b:membershipExpression = "/W/Y//"
                rel collection:paths:includes = </W/Z>
                rel material:binding:collection:one = [</W.collection:a>, </M>]
                \(more)
                def Xform "X" ( kind = "group" )
                {
                    def Mesh "m" { \(mesh) }
                }
                def Xform "Y" ( kind = "component" )
                {
                    def Mesh "m" { \(mesh) }
                    def Mesh "n" ( prepend apiSchemas = ["MaterialBindingAPI"] ) { \(mesh) }
                }
                def Xform "Z"
                {
                    def Points "m" { \(mesh) }
                }
            }
            def Material "M"
            {
                token outputs:surface.connect = </M/S.outputs:surface>
                def Shader "S" { uniform token info:id = "UsdPreviewSurface" }
            }
            """)
        return s.scene.nodes.filter { $0.material != nil }.map { String($0.path.dropFirst(3)) }
    }

    static let all = ["X/m", "Y/m", "Y/n", "Z/m"]
    static let cases: [(String, [String])] = [
        ("/W/X//", ["X/m"]), ("/W/*/m", ["X/m", "Y/m", "Z/m"]), ("//m - /W/Z/*", ["X/m", "Y/m"]), ("/W//n", ["Y/n"]),
        ("~/W/X//", ["Y/m", "Y/n", "Z/m"]), ("/W/X// + /W/Y//", ["X/m", "Y/m", "Y/n"]), ("/W// & //m", ["X/m", "Y/m", "Z/m"]),
        ("(/W/X// /W/Y//) - //n", ["X/m", "Y/m"]), ("//?", all), ("/W/[XY]/m", ["X/m", "Y/m"]), ("/W/[!X]/m", ["Y/m", "Z/m"]),
        (".//n", ["Y/n"]), ("X//", ["X/m"]), ("..//n", ["Y/n"]), (".", []), ("/W", []), ("/W/X/m.x", []), ("", []), ("//", all),
        ("//{isa:Mesh}", ["X/m", "Y/m", "Y/n"]), ("//{isa:Gprim}", all), ("//{isa(Mesh, strict=true)}", ["X/m", "Y/m", "Y/n"]),
        ("//{isa(Gprim, strict=true)}", []), ("//{isa:Points,Mesh}", all), ("//{not isa:Mesh}", ["Z/m"]),
        ("//{hasAPI:MaterialBindingAPI}", ["Y/n"]), ("/W/{kind:component}//", ["Y/m", "Y/n"]), ("/W/{kind:model}//", ["X/m", "Y/m", "Y/n"]),
        ("/W/{kind:group or kind:component}/m", ["X/m", "Y/m"]), ("//m{isa:Mesh and defined}", ["X/m", "Y/m"]),
        ("//m{isa:Mesh abstract}", []), ("%:b", ["Y/m", "Y/n"]), ("%/W:b - //n", ["Y/m"]), ("%/W:paths", []), ("%:a", []), ("%:none", []),
        ("/W/X// /W/Y// & //m", ["X/m", "Y/m"]), ("//m - /W/X// + /W/Z//", ["Y/m"]),
    ]

    @Test(arguments: cases.indices)
    func whatAnExpressionHolds(_ i: Int) throws {
        let (expression, expected) = Self.cases[i]
        #expect(try bound(expression) == expected, "\(expression)")
    }

    @Test func includedPathsCountBeforeAnExpression() throws {
        #expect(try bound("//n", "rel collection:a:includes = </W/X>") == ["X/m"])
    }

    @Test func brokenExpressionsHoldNothingAndAreTold() throws {
        for text in [
            "/W/X//(", "(/W", "//{", "//{purpose:default}", "//{isa:}", "& /W", "/W +", "/W ++ /X", "%", "%/W", "//{(isa:Mesh}", "/W/[ab", "./X",
            "\u{1}",
            String(repeating: "(", count: 5000), String(repeating: "~", count: 5000), "//{" + String(repeating: "(", count: 5000),
        ] {
            let s = try SceneText(
                """
                def Mesh "W" ( prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:a"] )
                {
                    uniform pathExpression collection:a:membershipExpression = "\(text)"
                    rel material:binding:collection:one = [</W.collection:a>, </M>]
                }
                def Material "M" {}
                """)
            #expect(try s.bound("/W") == nil, "\(text.prefix(20))")
            #expect(s.codes.contains("usd.bad-membership-expression"), "\(text.prefix(20))")
        }
    }

    /// Expressions that name others twice, level by level, would double without end.
    @Test func expressionsThatMultiplyEnd() throws {
        let levels = 30
        let text = (0..<levels).map { i in
            "uniform pathExpression collection:c\(i):membershipExpression = \"%/W:c\(i + 1) + %/W:c\(i + 1)\""
        }.joined(separator: "\n")
        func scene(_ start: Int) throws -> SceneText {
            try SceneText(
                """
                def Mesh "W" ( prepend apiSchemas = ["MaterialBindingAPI"] )
                {
                    \(text)
                    uniform pathExpression collection:c\(levels):membershipExpression = "/W"
                    rel material:binding:collection:one = [</W.collection:c\(start)>, </M>]
                }
                def Material "M" {}
                """)
        }
        let endless = try scene(0)
        #expect(try endless.bound("/W") == nil)
        #expect(endless.codes.contains("usd.bad-membership-expression"))
        #expect(try scene(levels - 6).bound("/W") == "/M")
    }

    /// Whatever stands there, an answer comes in time; a pattern with many stretches is no trap.
    @Test func anyTextIsAnswered() throws {
        var random = SplitMix64(seed: 11)
        let pieces = ["/", "//", "W", "*", "m", "{", "}", "isa:Mesh", "(", ")", " ", "+", "-", "&", "~", "%", ":", ".", "..", "[", "]", "not ", "é"]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
            var parser = CollectionExpressionParser(text, anchor: "/W") { _, _ in .nothing }
            _ = try? parser.parse()
        }
        var parser = CollectionExpressionParser(String(repeating: "//a*", count: 2000) + "//b", anchor: "/") { _, _ in .nothing }
        let expression = try parser.parse()
        struct Nothing: PrimFactSource {
            func holds(_ call: PredicateCall, _ prim: StagePrim) -> Bool { false }
        }
        let names = (0..<2000).map { _ in Array("aaaaaaaa".utf8) }
        let lineage = PathPattern.Lineage(names: names, prims: names.map { _ in StagePrim(index: 0) }, facts: Nothing())
        #expect(!expression.includes(lineage))
    }
}

@Suite struct NestedCollectionTests {
    private func scene(_ count: Int, next: (Int) -> [Int]) throws -> SceneText {
        let collections = (0..<count).map { i in
            let targets = next(i).map { "</W.collection:c\($0)>" }
            return "rel collection:c\(i):includes = [\((targets + (i == count - 1 ? ["</W>"] : [])).joined(separator: ", "))]\n"
                + "rel material:binding:collection:b\(i) = [</W.collection:c\(i)>, </M>]\n"
        }
        return try SceneText("def Mesh \"W\"\n{\n\(collections.joined())}\ndef Material \"M\"\n{\n}\n")
    }

    /// Each is found out once: two ways at every step are not two to the power of all steps.
    @Test(.timeLimit(.minutes(1))) func collectionsThatShareTheirCollections() throws {
        let s = try scene(400) { i in [i + 1, i + 2].filter { $0 < 400 } }
        #expect(try s.bound("/W") == "/M")
    }

    @Test(.timeLimit(.minutes(1))) func ringsOfCollectionsEnd() throws {
        let s = try scene(50) { i in [(i + 1) % 50, (i + 7) % 50, i] }
        #expect(try s.bound("/W") == "/M")
    }
}
