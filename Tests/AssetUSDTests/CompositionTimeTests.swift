import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// Values at times, with the answers that OpenUSD gives.
@Suite struct CompositionTimeTests {
    private func evaluated(_ expression: String) -> String? {
        var dictionary = USDDictionary()
        dictionary.entries = [
            ("S", .string("abc")), ("B", .bool(true)), ("I", .int(3)), ("D", .double(4.5)), ("L", .array(USDArray(.string, .string(["a", "b"])))),
            ("E", .array(USDArray(.int, .int([])))), ("X", .string("`\"${NO:'q'}\"`")),
        ]
        switch ExpressionVariables(.dictionary(dictionary)).evaluateString("`\(expression)`") {
        case .success(let s): return s
        case .failure: return nil
        }
    }

    @Test(
        arguments: [
            ("\"a${S}b\"", "aabcb"), ("${NO:\"fb\"}", "fb"), ("\"x${NO:'fb'}y\"", "xfby"), ("${S:'fb'}", "abc"), ("${X}", "q"),
            ("if(lt(${I}, 4), 'y', 'n')", "y"), ("at(${L}, -1)", "b"), ("if(contains(${E}, 2), 'y', 'n')", "n"), ("if( true , 'y' )", "y"),
            ("at([1 ,'a'], 1)", nil), ("at(['x' , 'y'], 1)", "y"), ("None", ""), ("if (eq(None, None), 'y')", "y"),
            ("'a\\qb'", "aqb"), ("if(and(false, ${NO}), 'y', 'n')", nil), ("if(and(true, false), 'y', 'n')", "n"),
        ] as [(String, String?)])
    func expressionsAreEvaluated(_ text: String, _ answer: String?) {
        if text.contains("and(false, ${NO})") {
            // What cannot change the answer is not evaluated.
            #expect(evaluated(text) == "n")
        } else {
            #expect(evaluated(text) == answer)
        }
    }

    @Test(arguments: [
        "${NO}", "${D}", "\"${D}\"", "\"${I}\"", "${1u}", "${NO:${S}}", "${NO: 'a'}", "\"x${NO:'${S}'}\"", " 'x'", "'x' ", "[ 1]", "at([1 ], 0)",
        "if(lt(None, None), 'y')", "if(contains(${L}, 2), 'y')", "-", "if(lt(1, 'a'), 'y')", "foo(1)", "if(true, 'a'", "'a' 'b'", "defined(S)",
    ])
    func badExpressionsHaveNoValue(_ text: String) { #expect(evaluated(text) == nil) }

    @Test func productsAreRoundedBeforeTheyAreAdded() throws {
        let s = try TextStage(
            """
            def "P" {
             float3 v.timeSamples = { 1: (0.1, 2, 3), 3: (2.7, 5.3, 8.1) }
             float f.timeSamples = { 1: 0.1, 3: 2.7 }
             quath q.timeSamples = { 0: (1, 0, 0, 0), 3: (0.5, 0.5, -0.5, 0.5) }
             float b.timeSamples = { 1: 0.1, 3: None, 5: 2 }
             double n = 4
             double n.timeSamples = { -inf: 1, 2: 2, inf: 3 }
            }
            """)
        let p = try s.prim("/P")
        guard case .tuple(.float3, let v)? = s.stage.value(p, s.token("v"), at: .at(1.3)) else { throw TestProblem() }
        let first = Float(0.85 * Double(Float(0.1))) + Float(Double(Float(2.7)) * 0.15000000000000002)
        #expect(Float(v[0]) == first)
        #expect(try s.number("/P", "b", .at(2)) == Double(Float(0.1)))
        #expect(try s.number("/P", "b", .at(4)) == nil)
        #expect(s.stage.timeSamples(p, s.token("n")) == [2])
        guard case .tuple(.quath, let q)? = s.stage.value(p, s.token("q"), at: .at(1.5)) else { throw TestProblem() }
        #expect(q.allSatisfy { halfValue(halfBits($0)) == $0 })
    }

    @Test func offsetsThatRunBackwardsCountAsNone() throws {
        for scale in ["-1", "0", "-0.5", "inf"] {
            let s = try TextStage([
                ("root.usda", "def \"P\" (references = @a.usda@</P> (offset = 10; scale = \(scale))) {\n}\n"),
                ("a.usda", "def \"P\" {\n double x.timeSamples = { 1: 1, 3: 3 }\n}\n"),
            ])
            #expect(try s.stage.timeSamples(s.prim("/P"), s.token("x")) == [1, 3], "scale \(scale)")
        }
    }

    @Test func timeCodesInMetadataMoveWithTheLayer() throws {
        let s = try TextStage([
            ("root.usda", "def \"P\" (references = @a.usda@</P> (offset = 10; scale = 2)) {\n}\n"),
            (
                "a.usda",
                "def \"P\" (customData = {\n timecode t = 4\n timecode[] a = [1, 2]\n dictionary d = {\n timecode t = 7\n double n = 7\n }\n}) {\n}\n"
            ),
        ])
        guard case .dictionary(let d)? = try s.stage.metadata(s.prim("/P"), .customData), case .timeCode(18)? = d["t"],
            case .array(let a)? = d["a"], case .double([12, 14]) = a.storage, case .dictionary(let inner)? = d["d"],
            case .timeCode(24)? = inner["t"], case .double(7)? = inner["n"]
        else { throw TestProblem() }
    }

    @Test func theWeakestSpecSaysWhatIsCustomAndWhatVaries() throws {
        let s = try TextStage([
            ("root.usda", "(subLayers = [@a.usda@])\nover \"P\" {\n custom double a\n uniform double b\n double c\n double d\n}\n"),
            ("a.usda", "def \"P\" {\n double a\n double b\n custom double c\n uniform double d\n}\n"),
        ])
        let p = try s.prim("/P")
        func isCustom(_ n: String) -> Bool { if case .bool(true)? = s.stage.metadata(p, s.token(n), .custom) { true } else { false } }
        func isUniform(_ n: String) -> Bool {
            if case .variability(.uniform)? = s.stage.metadata(p, s.token(n), .variability) { true } else { false }
        }
        #expect(["a", "b", "c", "d"].map(isCustom) == [false, false, true, false])
        #expect(["a", "b", "c", "d"].map(isUniform) == [false, false, false, true])
    }

    @Test func clipsOfSeveralLayersAndTheirTimes() throws {
        let s = try TextStage([
            (
                "root.usda",
                """
                (subLayers = [@sub.usda@ (offset = 3; scale = 0.5)])
                over "M" {
                 double x
                 timecode t
                 double y = 7
                 double z
                }
                """
            ),
            (
                "sub.usda",
                """
                def "M" (
                 clips = {
                  dictionary one = {
                   asset[] assetPaths = [@c.usda@, @no.usda@]
                   string primPath = "/C"
                   double2[] active = [(0, 0), (20, 1)]
                   double2[] times = [(0, 20), (10, 10), (10, 0)]
                  }
                  dictionary bad = {
                   asset[] assetPaths = [@c.usda@]
                   string primPath = "/C"
                   double2[] active = [(0, 3)]
                  }
                 }
                ) {
                 double z = 9
                }
                """
            ),
            (
                "c.usda",
                """
                over "C" {
                 double x.timeSamples = { 0: 0, 10: 100, 20: 200 }
                 timecode t.timeSamples = { 0: 30 }
                 double y.timeSamples = { 0: 5 }
                 double z.timeSamples = { 0: 5 }
                }
                """
            ),
        ])
        let m = try s.prim("/M")
        // The clip runs backwards from 20 to 10, in the stage's time from 3 to 8.
        #expect(try s.number("/M", "x", .at(3)) == 200)
        #expect(try s.number("/M", "x", .at(5.5)) == 150)
        #expect(try s.number("/M", "x", .at(8)) == 0)
        // A clip that is missing has no value.
        #expect(try s.number("/M", "x", .at(14)) == nil)
        #expect(s.stage.timeSamples(m, s.token("x")) == [3, 10 - 2 - 10_000_000 * Double.ulpOfOne, 8, 13])
        // Time codes move as the clip's times do: 30 lies 10 units of clip time before the first.
        #expect(try s.number("/M", "t", .at(3)) == -2)
        // A default of a stronger layer hides clips, one of the clips' own layer too.
        #expect(try s.number("/M", "y", .at(5)) == 7)
        #expect(try s.number("/M", "z", .at(5)) == 9)
    }

    @Test func missingClipsAreFilledFromTheirNeighbours() throws {
        for (fills, value) in [("true", 50.0), ("false", -1.0)] {
            let s = try TextStage([
                (
                    "root.usda",
                    """
                    def "M" (
                     clips = {
                      dictionary default = {
                       asset[] assetPaths = [@a.usda@, @b.usda@, @c.usda@]
                       asset manifestAssetPath = @m\(fills).usda@
                       string primPath = "/C"
                       double2[] active = [(0, 0), (10, 1), (20, 2)]
                       bool interpolateMissingClipValues = \(fills)
                      }
                     }
                    ) {
                     double x
                    }
                    """
                ),
                ("mtrue.usda", "over \"C\" {\n double x\n}\n"), ("mfalse.usda", "over \"C\" {\n double x = -1\n}\n"),
                ("a.usda", "over \"C\" {\n double x.timeSamples = { 0: 0 }\n}\n"), ("b.usda", "over \"C\" {\n}\n"),
                ("c.usda", "over \"C\" {\n double x.timeSamples = { 20: 100 }\n}\n"),
            ])
            #expect(try s.number("/M", "x", .at(10)) == value)
            #expect(try s.number("/M", "x", .at(30)) == 100)
        }
    }

    /// Rates of opposite signs make time run backwards: the layer's earlier sample holds, nothing is interpolated.
    @Test(arguments: [
        ("timeCodesPerSecond = -24", "", "over"), ("", "timeCodesPerSecond = -24", "over"), ("", "timeCodesPerSecond = -24", "def"),
    ])
    func samplesHoldWhereTimeRunsBackwards(_ outer: String, _ inner: String, _ arc: String) throws {
        let text =
            "(\n\(inner)\n)\ndef \"P\" {\n double a.timeSamples = { 0: 0, 10: 10, 20: 40 }\n timecode t = 3\n}\n"
        let head = arc == "over" ? "subLayers = [@a.usda@]" : ""
        let tail = arc == "over" ? "" : "def \"P\" (references = @a.usda@</P>) {\n}\n"
        let s = try TextStage([("root.usda", "(\n\(outer)\n\(head)\n)\n" + tail), ("a.usda", text)])
        for (time, value) in [(-45.0, 40.0), (-20, 40), (-15, 10), (-10, 10), (-9, 0), (-1, 0), (0, 0), (3, 0), (40, 0)] {
            #expect(try s.number("/P", "a", .at(time)) == value, "\(time)")
        }
        #expect(try s.number("/P", "a", .earliest) == 40)
        #expect(try s.number("/P", "t", .default) == -3)
    }

    /// The earliest time lies before all knots; what is without end there is answered by the first knot.
    @Test(
        arguments: [
            ("", "2: 3 & 5; post linear, 4: 1", 3.0), ("pre: none,", "2: 5; post linear, 4: 1", nil), ("pre: sloped(0),", "2: 3 & 5; post held", 3),
            ("pre: linear,", "2: 5; post linear, 4: 1", 5), ("pre: sloped(2),", "2: 5; post held", 5),
            ("pre: loop oscillate,", "2: 5; post linear, 4: 1", 5), ("loop: (2, 4, 2, 0, -3),", "2: 5; post linear, 4: 1", 11),
        ] as [(String, String, Double?)])
    func splinesAtTheEarliestTime(_ head: String, _ knots: String, _ value: Double?) throws {
        let lines = (head.isEmpty ? [] : [head]) + knots.split(separator: ",").map { $0 + "," }
        let s = try TextStage("def \"P\" {\n double a.spline = {\n\(lines.joined(separator: "\n"))\n}\n}\n")
        #expect(try s.number("/P", "a", .earliest) == value)
        // Whatever its knots, a spline counts as something that may vary.
        #expect(s.stage.mightBeTimeVarying(try s.prim("/P"), s.token("a")))
    }

    /// Where the inner loop ends with the last knot, that knot goes on and not the loop's copy.
    @Test func behindAnInnerLoopTheLastKnotGoesOn() throws {
        let s = try TextStage(
            """
            def "P" {
             double a.spline = {
              post: linear,
              loop: (-5, 5, 2, 0, 3),
              -5: 4; post curve (3, 1),
              5: -3; post linear,
             }
            }
            """)
        #expect(try s.number("/P", "a", .at(40)) == -3)
        #expect(try s.number("/P", "a", .at(5.5)) == -3)
        #expect(try s.number("/P", "a", .at(-25)) == -2)
    }

    /// What a file says of tangents that are computed is replaced: third of the way, between the slopes to both neighbours.
    @Test func easedTangentsAreComputed() throws {
        let s = try TextStage(
            """
            def "P" {
             double a.spline = {
              bezier,
              0: 0; post curve (2, 5, autoEase),
              3: 1; pre (0.1, 9, autoEase); post curve (0.2, 7, autoEase),
              6: 6; pre (1, 3, autoEase),
             }
            }
            """)
        for (time, value) in [
            (0.5, 0.004629629629629629), (1, 0.037037037037037035), (2, 0.2962962962962963), (3, 1), (4, 2.7407407407407405),
            (5, 4.925925925925926), (5.5, 5.6990740740740735), (7, 6),
        ] {
            #expect(abs(try #require(try s.number("/P", "a", .at(time))) - value) < 1e-15)
        }
        func slope(_ values: [(Double, Double)], _ change: (inout Spline) -> Void = { _ in }) -> Double {
            var spline = Spline()
            for (time, value) in values {
                var knot = Spline.Knot()
                (knot.time, knot.value, knot.next, knot.preTangentSlope, knot.preTangentAlgorithm) = (time, value, .curve, 9, 2)
                spline.knots.append(knot)
            }
            change(&spline)
            spline.computeTangents()
            return spline.knots[1].preTangentSlope
        }
        #expect(slope([(0, 0), (2, 1), (6, 6)]) == 0.8055555555555555)
        #expect(slope([(0, 0), (-2, -1), (-6, -6)]) == 0.8055555555555555)
        #expect(slope([(0, 0), (3, 3), (6, 0)]) == 0)
        #expect(slope([(0, 0), (3, 3), (6, 9)]) == 1.5)
        #expect(slope([(0, 0), (3, 3), (6, 9)]) { $0.knots[2].preValue = 4 } == 2.0 / 3)
        #expect(slope([(0, 0), (3, 3), (6, 9)]) { $0.knots[1].preValue = 3 } == 0)
        #expect(slope([(0, 0), (3, 3), (6, 9)]) { $0.knots[0].next = .valueBlock } == 0)
        #expect(slope([(0, 0), (3, 3)]) == 0)
        // Steeper than the type holds: as steep as it does.
        #expect(slope([(0, 0), (1e-9, 1), (2e-9, 2)]) { $0.valueType = .half } == 65504)
        #expect(slope([(0, 0), (3, 3), (6, 9)]) { $0.knots[1].preTangentAlgorithm = 1 } == 9)
    }

    /// Tangents of crates are shortened when they are read, to the bits that OpenUSD has.
    @Test func tangentsOfCratesAreShortened() {
        var spline = Spline()
        for (time, post, pre) in [
            (1.4358819126897702, 0.09337203267127919, 0.169875025891699), (2.953799476975978, 11.959622311317595, 1.8389222690671374),
            (13.65234849009012, 4.523442889852229, 4.703659916725388),
        ] {
            var knot = Spline.Knot()
            (knot.time, knot.next, knot.postTangentWidth, knot.preTangentWidth) = (time, .curve, post, pre)
            spline.knots.append(knot)
        }
        spline.knots[1].next = .held
        spline.shortenTangents()
        #expect(spline.knots.map(\.postTangentWidth) == [0.0933565439551859, 11.959622311317595, 4.523442889852229])
        #expect(spline.knots.map(\.preTangentWidth) == [0.169875025891699, 1.838900993624645, 4.703659916725388])
    }

    @Test func splinesLoopAndAreShortened() {
        var spline = Spline()
        func knot(_ t: Double, _ v: Double, _ next: Spline.Segment) -> Spline.Knot {
            var k = Spline.Knot()
            k.time = t
            k.value = v
            k.next = next
            return k
        }
        spline.knots = [knot(0, 0, .linear), knot(2, 4, .linear), knot(4, 2, .linear)]
        spline.knots[0].preValue = 1
        spline.postExtrapolation.mode = .loopRepeat
        // The loop's next turn begins with the last knot and rises by what the outgoing values differ.
        #expect(spline.evaluate(at: 4) == 2)
        #expect(spline.evaluate(at: 6) == 6)
        spline.postExtrapolation.mode = .loopOscillate
        #expect(spline.evaluate(at: 5) == 3)
        // Flat before a knot with two values.
        spline.preExtrapolation.mode = .linear
        #expect(spline.evaluate(at: -7) == 1)
        // Tangents twice as long as the segment: time still rises.
        var curve = Spline()
        curve.knots = [knot(0, 0, .curve), knot(1, 1, .curve)]
        curve.knots[0].postTangentWidth = 2
        curve.knots[1].preTangentWidth = 2
        var last = -1.0
        for i in 0...100 {
            let v = curve.evaluate(at: Double(i) / 100) ?? -9
            #expect(v >= last)
            last = v
        }
        #expect(abs((curve.evaluate(at: 0.5) ?? 0) - 0.5) < 1e-4)
    }

    @Test func editsAndExpressionsShowWhatIsBelow() throws {
        let s = try TextStage([
            (
                "root.usda",
                """
                (subLayers = [@a.usda@])
                over "P" {
                 int[] a = edit [append 3]
                 pathExpression e = "%_ - /P/Q"
                 int[] n = edit [append 3]
                }
                """
            ),
            ("a.usda", "def \"P\" (references = @b.usda@</B>) {\n int[] a = edit [prepend 0]\n}\n"),
            ("b.usda", "def \"B\" {\n int[] a = [1, 2]\n pathExpression e = \"/B//x C\"\n}\n"),
        ])
        let p = try s.prim("/P")
        guard case .array(let a)? = try s.stage.value(p, s.token("a"), at: .default)?.resolved(), case .int([0, 1, 2, 3]) = a.storage,
            case .array(let n)? = try s.stage.value(p, s.token("n"), at: .default)?.resolved(), case .int([3]) = n.storage,
            case .pathExpression(let e)? = s.stage.value(p, s.token("e"), at: .default)
        else { throw TestProblem() }
        #expect(e == "/P//x /P/C - /P/Q")
    }
}
