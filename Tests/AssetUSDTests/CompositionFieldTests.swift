import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// Fields and values over layers and arcs, with the answers that OpenUSD gives.
@Suite struct CompositionFieldTests {
    private static let edits = ["", "prepend ", "append ", "delete ", "add ", "reorder "]

    /// What an edit of A and B makes of a weaker one of B and C, by the kinds of both: as a field, and as the schemas applied.
    @Test(
        arguments: [
            ("", "AB AB AB AB AB AB", "AB AB AB AB AB AB"), ("prepend ", "ABC ABC ABC AB AB AB", "ABC ABC ABC AB ABC AB"),
            ("append ", "CAB CAB CAB AB AB AB", "CAB CAB CAB AB CAB AB"), ("delete ", "C C C - - -", "C C C - C -"),
            ("add ", "AB AB AB AB AB AB", "BCA BCA BCA AB BCA AB"), ("reorder ", "- - - - - -", "BC BC BC - BC -"),
        ])
    func editsOfListsAreCombined(_ edit: String, _ field: String, _ applied: String) throws {
        func list(_ s: Substring) -> [String] { s == "-" ? [] : s.map { String($0) } }
        func text(_ edit: String, _ items: String) -> String {
            "over \"P\" (\n    \(edit)apiSchemas = [\(items)]\n    \(edit)clipSets = [\(items)]\n) {\n}\n"
        }
        for (i, weaker) in Self.edits.enumerated() {
            let s = try TextStage([
                ("root.usda", "(\n    subLayers = [@weak.usda@]\n)\n" + text(edit, "\"A\", \"B\"")),
                ("weak.usda", text(weaker, "\"B\", \"C\"")),
            ])
            let p = try s.prim("/P")
            guard case .stringListOp(let sets)? = s.stage.metadata(p, s.token("clipSets")),
                case .tokenListOp(let schemas)? = s.stage.metadata(p, .apiSchemas)
            else { throw TestProblem() }
            let expected = list(field.split(separator: " ")[i])
            #expect(sets.isExplicit && sets.explicit == expected, "\(edit)over \(weaker)")
            #expect(schemas.isExplicit && schemas.explicit.map { s.stage.session.string($0) } == expected, "\(edit)over \(weaker)")
            #expect(s.stage.apiSchemas(p).map { s.stage.session.string($0) } == list(applied.split(separator: " ")[i]), "\(edit)over \(weaker)")
        }
    }

    @Test func editsOfArcsStayThoseOfTheStrongestLayer() throws {
        let s = try TextStage([
            ("root.usda", "def \"R\" (\n    references = @a.usda@</P>\n) {\n}\ndef \"Z\" {\n}\n"),
            ("a.usda", "(\n    subLayers = [@b.usda@]\n)\ndef \"P\" (\n    prepend inherits = </C>\n    delete specializes = </Z>\n) {\n}\n"),
            ("b.usda", "def \"P\" (\n    inherits = </Z>\n    specializes = </Z>\n) {\n}\ndef \"C\" {\n}\ndef \"Z\" {\n}\n"),
        ])
        let p = try s.prim("/R")
        guard case .pathListOp(let inherits)? = s.stage.metadata(p, s.token("inheritPaths")),
            case .pathListOp(let specializes)? = s.stage.metadata(p, s.token("specializes"))
        else { throw TestProblem() }
        #expect(!inherits.isExplicit && inherits.prepended.map { s.stage.session.string($0) } == ["/C"])
        #expect(!specializes.isExplicit && specializes.deleted.map { s.stage.session.string($0) } == ["/Z"])
    }

    @Test func pathExpressionsInDictionariesGoOnTopOfWeakerOnes() throws {
        let strong = "    customData = {\n        pathExpression x = \"%_ + /Q\"\n    }\n"
        let s = try TextStage([
            ("root.usda", "def \"S\" (\n    references = @a.usda@</P>\n\(strong)) {\n}\n"),
            ("a.usda", "def \"P\" (\n    customData = {\n        pathExpression x = \"/P/C\"\n    }\n) {\n}\n"),
        ])
        guard case .dictionary(let d)? = try s.stage.metadata(s.prim("/S"), s.token("customData")), case .pathExpression(let x)? = d["x"]
        else { throw TestProblem() }
        #expect(x == "/S/C + /Q")
    }

    // MARK: Expressions

    @Test func expressionsInAssetPathsAreEvaluatedWhereTheyAre() throws {
        let s = try TextStage([
            (
                "root.usda",
                """
                (
                    expressionVariables = {
                        string A = "root"
                    }
                )
                def "P" (
                    references = @a.usda@</P>
                ) {
                }

                """
            ),
            (
                "a.usda",
                """
                (
                    expressionVariables = {
                        string A = "weak"
                        string C = "inner"
                    }
                )
                def "P" (
                    customData = {
                        asset a = @`"${A}/${C}.png"`@
                        asset[] l = [@`${NO}`@, @`${C}`@]
                    }
                ) {
                    asset x = @`"${A}/${C}"`@
                    asset[] l = [@`${NO}`@, @`"${C}"`@, @plain@]
                    asset t.timeSamples = {
                        1: @`${C}`@,
                        2: @`${A}`@,
                    }
                    asset none = @`None`@
                }

                """
            ),
        ])
        let p = try s.prim("/P")
        func path(_ name: String, _ time: EvalTime = .default) -> String? {
            if case .asset(let a)? = s.stage.value(p, s.token(name), at: time) { a } else { nil }
        }
        #expect(path("x") == "root/inner")
        #expect(path("t", .at(1)) == "inner")
        #expect(path("t", .at(3)) == "root")
        // What has no value stays as it is written.
        #expect(path("none") == "`None`")
        guard case .array(let list)? = s.stage.value(p, s.token("l"), at: .default), case .string(let paths) = list.storage,
            case .dictionary(let d)? = s.stage.metadata(p, s.token("customData")), case .asset(let a)? = d["a"],
            case .array(let l)? = d["l"], case .string(let inner) = l.storage
        else { throw TestProblem() }
        #expect(paths == ["`${NO}`", "inner", "plain"])
        #expect(a == "root/inner.png")
        #expect(inner == ["`${NO}`", "inner"])
        #expect(s.stage.takeDiagnostics().entries.contains { $0.code == "usd.bad-expression" && $0.message.contains("${NO}") })
    }

    // MARK: Layer offsets

    /// Sample times 1 and 3 of arcs in a sublayer that has an offset of its own: of a reference to a file, and of one within the stack.
    @Test(
        arguments: [
            ("", [12, 16], [11, 13]), ("(offset = 7)", [19, 23], [18, 20]), ("(scale = nan)", [2, 6], [11, 13]),
            ("(offset = inf)", [2, 6], [11, 13]), ("(scale = 0)", [2, 6], [11, 13]), ("(scale = -2)", [2, 6], [11, 13]),
            ("(offset = nan; scale = 2)", [2, 6], [11, 13]), ("(offset = 1e-7)", [12.0000001, 16.0000001], [11.0000001, 13.0000001]),
            ("(scale = 1e-320)", [2, 6], [11, 13]),
        ] as [(String, [Double], [Double])])
    func offsetsThatCannotBeUsedAreNone(_ offset: String, _ external: [Double], _ within: [Double]) throws {
        let samples = "{\n    double a.timeSamples = { 1: 1, 3: 3 }\n}\n"
        let sub =
            "(\n    timeCodesPerSecond = 48\n)\ndef \"E\" (\n    references = @t.usda@</A> \(offset)\n) {\n}\n"
            + "def \"I\" (\n    references = </A> \(offset)\n) {\n}\ndef \"A\" " + samples
        let s = try TextStage([
            ("root.usda", "(\n    subLayers = [@sub.usda@ (offset = 10; scale = 2)]\n)\n"), ("sub.usda", sub), ("t.usda", "def \"A\" " + samples),
        ])
        #expect(try s.stage.timeSamples(s.prim("/E"), s.token("a")) == external)
        #expect(try s.stage.timeSamples(s.prim("/I"), s.token("a")) == within)
    }

    @Test func betweenSamplesTheStagesTimeCounts() throws {
        let weak = """
            def "P" {
                double d.timeSamples = { 0: 0, 10: 10 }
                timecode[] c.timeSamples = { 0: [0, 1], 10: [10, 12] }
            }

            """
        let s = try TextStage([("root.usda", "(\n    subLayers = [@a.usda@ (offset = 0.1; scale = 0.3)]\n)\n"), ("a.usda", weak)])
        #expect(try s.number("/P", "d", .at(2.5)) == 7.999999999999999)
        guard case .array(let c)? = try s.stage.value(s.prim("/P"), s.token("c"), at: .at(2.5)), case .double(let times) = c.storage
        else { throw TestProblem() }
        #expect(times == [2.5, 3.0399999999999996])
        // So little is nothing for a sublayer, but not for a reference.
        let sub = try TextStage([("root.usda", "(\n    subLayers = [@a.usda@ (offset = 1e-7)]\n)\n"), ("a.usda", weak)])
        #expect(try sub.stage.timeSamples(sub.prim("/P"), sub.token("d")) == [0, 10])
        let reference = try TextStage([("root.usda", "def \"P\" (\n    references = @a.usda@</P> (offset = 1e-7)\n) {\n}\n"), ("a.usda", weak)])
        #expect(try reference.stage.timeSamples(reference.prim("/P"), reference.token("d")) == [1e-7, 10.0000001])
        #expect(try reference.number("/P", "d", .at(0)) == -1e-7)
    }

    // MARK: Splines

    private static let times: [Double] = [-7, -5, -2.5, 0, 1, 2, 3.3, 5, 6, 7.25, 9, 10, 13]

    @Test(
        arguments: [
            (
                "bezier,\n0: 0; post curve (1, 3),\n10: 10; pre (2, 1); post held,",
                [
                    0.0, 0.0, 0.0, 0.0, 1.7096960085134034, 2.870264686433702, 4.168335095639493, 5.703571793958608,
                    6.561427290338762, 7.611032359887448, 9.086965675667079, 10.0, 10.0,
                ]
            ),
            (
                "bezier,\n0: 0; post curve (12, 0.5),\n10: 10; pre (9, -1); post held,",
                [
                    0.0, 0.0, 0.0, 0.0, 0.5504718859497445, 1.2238918221398385, 2.370586121862577, 4.8288020962407865,
                    8.798859875732319, 12.498538757328133, 10.982166141788463, 10.0, 10.0,
                ]
            ),
            (
                "hermite,\n0.5: -1; post curve (2),\n7: 4 & 5; pre (0.25); post curve (-1),\n9: 2; pre (3); post held,",
                [
                    -1.0, -1.0, -1.0, -1.0, -0.07259899863450148, 1.3845015930814748, 2.6269749658625403, 3.4836140191169775,
                    3.762744651797906, 4.59765625, 2.0, 2.0, 2.0,
                ]
            ),
            (
                "bezier,\npre: loop repeat,\npost: loop repeat,\n0: 4 & 0; post linear,\n2: 1; post linear,\n5: 9 & 7; post linear,",
                [
                    -6.333333333333334, -5.0, -2.666666666666667, 0.0, 0.5, 1.0, 4.466666666666666, 7.0, 7.5, 8.666666666666666,
                    13.333333333333332, 14.0, 17.666666666666668,
                ]
            ),
            (
                "bezier,\npre: loop oscillate,\npost: loop oscillate,\n0: 4 & 0; post linear,\n2: 1; post held,\n5: 9 & 7; post linear,",
                [
                    1.0, 1.0, 1.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0, 1.0,
                ]
            ),
            (
                "bezier,\npre: loop repeat(2),\npost: loop reset(3),\n0: 0; post linear,\n2: 1; post linear,\n5: 7; post linear,",
                [
                    -3.5, -2.5, -1.25, 0.0, 0.5, 1.0, 3.5999999999999996, nil, nil, nil, nil, nil, nil,
                ]
            ),
            (
                "bezier,\npost: linear,\nloop: (2, 4, 1, 2, 1.5),\n"
                    + "0: 0; post linear,\n2: 1; post curve (0.5, 1),\n3: 2; pre (0.25, 0); post linear,\n9: 7; post linear,\n12: 6; post linear,",
                [
                    0.0, 0.0, 0.0, -0.5, 0.5, 1.0, 2.15, 3.5, 4.0, 5.125, 7.0, 6.666666666666667, 5.666666666666667,
                ]
            ),
            (
                "bezier,\npre: linear,\npost: none,\n0: 0; post none,\n2: 1; post curve (0.5, 1),\n5: 7; pre (0.5, 3); post held,",
                [
                    0.0, 0.0, 0.0, nil, nil, 1.0, 3.2292862409197083, nil, nil, nil, nil, nil, nil,
                ]
            ),
        ] as [(String, [Double?])])
    func splinesHaveTheValuesOfOpenUSD(_ spline: String, _ answers: [Double?]) throws {
        let s = try TextStage("def \"P\" {\n    double a.spline = {\n\(spline)\n}\n}\n")
        for (time, answer) in zip(Self.times, answers) {
            let value = try s.number("/P", "a", .at(time))
            guard let answer else {
                #expect(value == nil, "at \(time)")
                continue
            }
            #expect(abs((value ?? .nan) - answer) < 1e-12, "at \(time): \(String(describing: value)), not \(answer)")
        }
    }

    @Test func aSplineWithoutKnotsHidesWeakerAnimation() throws {
        let s = try TextStage([
            ("root.usda", "(\n    subLayers = [@a.usda@]\n)\ndef \"P\" {\n    double a = 3\n    double a.spline = {\n    }\n}\n"),
            ("a.usda", "def \"P\" {\n    double a = 4\n    double a.timeSamples = { 1: 5 }\n}\n"),
        ])
        #expect(try s.number("/P", "a") == 3)
        #expect(try s.number("/P", "a", .at(1)) == nil)
        #expect(try s.stage.timeSamples(s.prim("/P"), s.token("a")).isEmpty)
    }
}
