import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// What is missing, circular or hostile is told and left out; the rest is read.
@Suite struct CompositionRobustnessTests {
    @Test func missingFilesAreWarnings() throws {
        let s = try TextStage(
            "(\n subLayers = [@none.usda@]\n)\ndef \"A\" (\n references = [@gone.usda@, @gone.obj@]\n payload = @lost.usda@\n) {\n double x = 1\n}\n")
        #expect(s.all() == ["/A"])
        #expect(try s.number("/A", "x") == 1)
        let codes = s.codes()
        #expect(codes.contains("usd.missing-sublayer"))
        #expect(codes.filter { $0 == "usd.missing-reference" }.count == 2)
        #expect(codes.contains("usd.missing-payload"))
        #expect(s.stage.missing.map(\.role) == ["sublayer", "reference", "reference", "payload"])
    }

    @Test func unreadableLayersAndWrongPrimsAreWarnings() throws {
        let s = try TextStage([
            ("root.usda", "def \"A\" (references = [@bad.usda@, @ok.usda@, @ok.usda@</Nope>]) {\n}\n"),
            ("bad.usda", "def def def\n"),
            ("ok.usda", "def \"X\" {\n}\n"),
        ])
        #expect(s.all() == ["/A"])
        let codes = s.codes()
        for code in ["usd.bad-reference", "usd.no-default-prim", "usd.unresolved-prim"] { #expect(codes.contains(code), "\(code)") }
    }

    @Test func payloadsMayBeLeftOut() throws {
        let text = "def \"A\" (payload = </P>) {\n def \"Own\" {\n }\n}\ndef \"P\" {\n def \"C\" {\n }\n}\n"
        #expect(try TextStage(text).all() == ["/A", "/A/C", "/A/Own", "/P", "/P/C"])
        #expect(try TextStage(text) { $0.loadPayloads = false }.all() == ["/P", "/P/C"])
    }

    @Test(arguments: [
        "def \"A\" (references = </A>) {\n}\n",
        "def \"A\" (inherits = </A>) {\n}\n",
        "def \"A\" (specializes = </A/B>) {\n def \"B\" {\n }\n}\n",
        "def \"A\" (references = </B>) {\n}\ndef \"B\" (references = </A>) {\n}\n",
        "def \"A\" {\n def \"B\" (references = </A>) {\n }\n}\n",
        "def \"A\" (references = @root.usda@</A>) {\n}\n",
        "(\n subLayers = [@root.usda@]\n)\ndef \"A\" {\n}\n",
    ])
    func circlesAreCut(_ text: String) throws {
        let s = try TextStage(text)
        let all = s.all()
        #expect(all.contains("/A"))
        #expect(all.count < 10)
        #expect(s.codes().contains { $0 == "usd.arc-cycle" || $0 == "usd.sublayer-cycle" })
    }

    @Test func circlesThroughFilesEnd() throws {
        let s = try TextStage([
            ("root.usda", "def \"A\" (references = @b.usda@</B>) {\n}\n"),
            ("b.usda", "def \"B\" {\n def \"C\" (references = @root.usda@</A>) {\n }\n}\n"),
        ])
        #expect(s.all().count < 20)
        #expect(s.codes().contains("usd.arc-cycle"))
    }

    @Test func listEditsLikeOpenUSD() {
        var op = ListOp<Int32>()
        op.deleted = [1]
        op.prepended = [5, 2]
        op.appended = [3]
        op.ordered = [4, 5]
        var list: [Int32] = [1, 2, 3, 4]
        op.apply(to: &list)
        #expect(list == [4, 3, 5, 2])
        ListOp<Int32>(explicit: [7, 7, 8]).apply(to: &list)
        #expect(list == [7, 8])
    }

    @Test func mapFunctionsComposeAndInvert() throws {
        let session = USDSession()
        let maps = MapTable(paths: session.paths)
        func p(_ s: String) throws -> Path { try #require(session.paths.parse(s)) }
        let inner = try maps.arc(p("/M"), to: p("/G/A"), rootIdentity: false, offset: LayerOffset(offset: 1))
        let outer = try maps.arc(p("/G"), to: p("/World"), rootIdentity: false, offset: LayerOffset(scale: 2))
        let both = maps.compose(outer, inner)
        #expect(try maps.toTarget(both, p("/M/x.y")) == p("/World/A/x.y"))
        #expect(try maps.toTarget(both, p("/Other")) == .empty)
        #expect(try maps.toSource(both, p("/World/A/x")) == p("/M/x"))
        #expect(maps.offset(both) == LayerOffset(offset: 2, scale: 2))
        let back = maps.inverse(both)
        #expect(try maps.toTarget(back, p("/World/A/x")) == p("/M/x"))
        // A class keeps the rest of namespace, but nothing may land where the class itself lands.
        let implied = try maps.arc(p("/C"), to: p("/A"), rootIdentity: true, offset: .identity)
        #expect(try maps.toTarget(implied, p("/C/x")) == p("/A/x"))
        #expect(try maps.toTarget(implied, p("/D")) == p("/D"))
        #expect(try maps.toTarget(implied, p("/A")) == .empty)
    }

    @Test(arguments: [
        ("`\"a${A}\"`", "ax"), ("`${A}`", "x"), ("`if(eq(${A}, 'x'), 'p', 'q')`", "p"), ("`'${UNKNOWN}'`", "${UNKNOWN}"),
        ("`if(defined(\"UNKNOWN\"), ${UNKNOWN}, \"no\")`", "no"), ("`at(['a','b'], -1)`", "b"), ("`None`", ""),
        ("`if(contains(\"abc\",\"b\"), \"in\")`", "in"), ("`\"${E}\"`", "x!"),
    ])
    func expressions(_ text: String, _ expected: String) throws {
        let s = try TextStage("(\n expressionVariables = {\n string A = \"x\"\n string E = \"`\\\"${A}!\\\"`\"\n string L = \"`${L}`\"\n }\n)\n")
        let variables = s.stage.stacks.stacks[0].variables
        guard case .success(let found) = variables.evaluateString(text) else { throw TestProblem() }
        #expect(found == expected)
    }

    @Test(arguments: ["`${UNKNOWN}`", "`1`", "`\"a`", "`concat(\"a\")`", "`${L}`", "`if('a','b')`", "`at(['a'],3)`", "`[1,'a']`", "`\"a\" \"b\"`"])
    func badExpressions(_ text: String) throws {
        let s = try TextStage("(\n expressionVariables = {\n string L = \"`${L}`\"\n }\n)\n")
        guard case .failure = s.stage.stacks.stacks[0].variables.evaluateString(text) else { throw TestProblem() }
    }

    @Test func editedStagesNeverCrash() throws {
        let text = Array(
            """
            #usda 1.0
            (
             defaultPrim = "A"
             subLayers = [@b.usda@]
             relocates = { </A/X>: </A/Y> }
            )
            def "A" (
             references = [@b.usda@</B>, </C>]
             inherits = </C/D>
             specializes = </C>
             variantSets = "v"
             variants = { string v = "a" }
             instanceable = true
            ) {
             rel r = [</A/X>, </C>]
             variantSet "v" = {
              "a" (references = </C/D>) {
               def "X" {
               }
              }
             }
            }
            class "C" (inherits = </D>) {
             def "D" (references = </D>) {
              double x = 1
             }
            }
            def "D" {
             def "X" (inherits = </C>) {
             }
            }
            """.utf8)
        var random = SplitMix64(seed: 11)
        for _ in 0..<60 {
            let resolver = InMemoryResolver()
            resolver.add("root.usda", Mutations.edited(text, edits: 4, using: &random))
            resolver.add("b.usda", Mutations.edited(text, edits: 2, using: &random))
            var context = ReadContext(resolver: resolver)
            guard let stage = try? Stage.open(resolver.open("root.usda"), &context) else { continue }
            var stack = [stage.pseudoRoot]
            var count = 0
            while let p = stack.popLast(), count < 500 {
                count += 1
                for name in stage.propertyNames(p) {
                    _ = stage.value(p, name, at: .at(1))
                    _ = stage.forwardedTargets(p, name)
                }
                _ = stage.variantSets(p)
                stack += stage.children(p)
            }
        }
    }

    // MARK: Expressions within expressions

    private func variables(_ entries: [(String, String)]) -> ExpressionVariables {
        var dictionary = USDDictionary()
        for (name, text) in entries { dictionary.entries.append((name, .string(text))) }
        return ExpressionVariables(.dictionary(dictionary))
    }

    @Test func variablesMayHoldExpressionsOfOthers() throws {
        let chain = variables(Self.chain(150, times: 1, first: "one"))
        guard case .success(let found) = chain.evaluateString("`\"x_${A150}\"`") else { throw TestProblem() }
        #expect(found == "x_one")
        // Each is found once, however often it is named.
        let twice = variables(Self.chain(60, times: 2, first: ""))
        guard case .success(let empty) = twice.evaluateString("`\"${A60}\"`") else { throw TestProblem() }
        #expect(empty == "")
    }

    /// Variables that hold the one before so many times.
    private static func chain(_ n: Int, times: Int, first: String) -> [(String, String)] {
        var all = [("A0", first)]
        for i in 1...n { all.append(("A\(i)", "`\"" + String(repeating: "${A\(i - 1)}", count: times) + "\"`")) }
        return all + [("A", "`${A\(n)}`")]
    }

    static let endless: [([(String, String)], String)] = [
        ([("A", "`\"${A}\"`")], "leads back to itself"), ([("A", "`${B}`"), ("B", "`\"${A}\"`")], "leads back to itself"),
        (chain(40, times: 2, first: "two"), "bytes"), (chain(300, times: 1, first: "x"), "within each other"),
    ]

    @Test(arguments: endless.indices)
    func variablesThatNeverEnd(_ i: Int) throws {
        let (entries, message) = Self.endless[i]
        guard case .failure(let error) = variables(entries).evaluateString("`\"${A}\"`") else { throw TestProblem() }
        #expect(error.message.contains(message), "\(error.message)")
    }

    /// OpenUSD picks a layer's reader by its name, and looks for a layer where it is said to be.
    @Test func onlyLayersNamedLikeLayersAndWhereTheyAreSaidToBe() throws {
        let s = try TextStage([
            (
                "root.usda",
                """
                def "A" ( references = @./x.txt@</X> ) {}
                def "B" ( references = @./gone/x.usda@</X> ) {}
                def "C" ( references = @./X.usda@</X> ) {}

                """
            ),
            ("x.txt", "def \"X\" {\n double v = 1\n}\n"), ("x.usda", "def \"X\" {\n double v = 2\n}\n"),
        ])
        #expect(try s.number("/A", "v") == nil && s.number("/B", "v") == nil && s.number("/C", "v") == 2)
        let codes = s.stage.takeDiagnostics().entries.map(\.code)
        #expect(codes.contains("usd.missing-reference") && codes.contains("path.letter-case"))
    }

    /// Chains end with an error that names the limit, and go on where it is raised.
    @Test(arguments: ["subLayers = [@./NEXT@]", "references"])
    func longChainsEndAtALimit(_ kind: String) throws {
        let count = 40
        let files = (0..<count).map { i in
            let next = "l\(i + 1).usda"
            let isLast = i == count - 1
            if kind == "references" {
                return ("l\(i).usda", isLast ? "def Sphere \"A\" {\n}\n" : "def \"A\" (\n references = @./\(next)@</A>\n) {\n}\n")
            }
            return ("l\(i).usda", isLast ? "def Sphere \"A\" {\n}\n" : "(\n \(kind.replacing("NEXT", with: next))\n)\n")
        }
        let whole = try TextStage(files) { $0.limits.nestingDepth = count }
        #expect(whole.stage.exceededLimit == nil)
        #expect(try whole.stage.session.string(whole.stage.typeName(whole.prim("/A"))) == "Sphere")
        let cut = try? TextStage(files) { $0.limits.nestingDepth = count / 2 }
        if let cut {
            _ = cut.all()
            #expect(cut.stage.exceededLimit?.diagnostic.message.contains("\(count / 2)") == true)
            #expect(cut.stage.exceededLimit?.diagnostic.message.contains("nesting-depth") == true)
        }
    }
}
