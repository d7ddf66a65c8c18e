import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

@Suite struct CompositionValueTests {
    @Test func samplesAreInterpolatedByType() throws {
        let s = try TextStage(
            """
            def "P" {
             float f.timeSamples = { 0: 0, 2: 4 }
             int i.timeSamples = { 0: 0, 2: 4 }
             float3 v.timeSamples = { 0: (0, 0, 0), 2: (2, 4, 6) }
             float[] a.timeSamples = { 0: [0, 10], 2: [2, 20] }
             float[] odd.timeSamples = { 0: [0], 2: [2, 20] }
             quatf q.timeSamples = { 0: (1, 0, 0, 0), 2: (0, 1, 0, 0) }
            }
            """)
        let p = try s.prim("/P")
        #expect(try s.number("/P", "f", .at(1)) == 2)
        #expect(try s.number("/P", "i", .at(1)) == 0)
        guard case .tuple(.float3, [1, 2, 3])? = s.stage.value(p, s.token("v"), at: .at(1)) else { throw TestProblem() }
        guard case .array(let a)? = s.stage.value(p, s.token("a"), at: .at(1)), case .float([1, 15]) = a.storage else { throw TestProblem() }
        guard case .array(let odd)? = s.stage.value(p, s.token("odd"), at: .at(1)), odd.count == 1 else { throw TestProblem() }
        // Halfway of a half turn about x, in the order i, j, k, real.
        guard case .tuple(.quatf, let q)? = s.stage.value(p, s.token("q"), at: .at(1)) else { throw TestProblem() }
        let h = Double(0.5).squareRoot()
        #expect(abs(q[0] - h) < 1e-6 && abs(q[3] - h) < 1e-6 && q[1] == 0 && q[2] == 0)
        #expect(s.stage.mightBeTimeVarying(p, s.token("f")))
    }

    @Test func clipsHoldSamples() throws {
        let s = try TextStage([
            (
                "root.usda",
                """
                def "M" (
                 clips = {
                  dictionary default = {
                   asset[] assetPaths = [@c1.usda@, @c2.usda@]
                   asset manifestAssetPath = @manifest.usda@
                   string primPath = "/C"
                   double2[] active = [(0, 0), (10, 1)]
                   double2[] times = [(0, 0), (10, 10), (10, 0), (20, 10)]
                  }
                 }
                ) {
                 double other = 5
                 def "K" {
                  double x
                 }
                }
                """
            ),
            ("manifest.usda", "over \"C\" {\n over \"K\" {\n double x\n }\n}\n"),
            ("c1.usda", "over \"C\" {\n over \"K\" {\n double x.timeSamples = { 0: 0, 10: 100 }\n }\n}\n"),
            ("c2.usda", "over \"C\" {\n over \"K\" {\n double x.timeSamples = { 0: 1000, 10: 2000 }\n }\n}\n"),
        ])
        #expect(try s.number("/M/K", "x", .at(5)) == 50)
        #expect(try s.number("/M/K", "x", .at(15)) == 1500)
        #expect(try s.number("/M", "other", .at(5)) == 5)
        #expect(try s.stage.timeSamples(s.prim("/M/K"), s.token("x")) == [0, 10 - 20_000_000 * Double.ulpOfOne, 10, 20])
        func template(_ text: String) throws -> ClipTemplate { try ClipTemplate(text, start: 0, end: 9, stride: 1, activeOffset: nil) }
        #expect(try template("a.###.usd").path(7) == "a.007.usd")
        #expect(try template("d/a.##.##.usd").path(1.5) == "d/a.01.50.usd")
        #expect(try template("a.###.usd").path(-7) == "a.-07.usd")
        #expect(throws: ClipTemplate.Problem.self) { try template("a.usd") }
        #expect(throws: ClipTemplate.Problem.self) { try template("a.#.b.#.usd") }
    }

    @Test func splinesAreEvaluated() {
        var spline = Spline()
        func knot(_ t: Double, _ v: Double, _ next: Spline.Segment, _ slope: Double = 0, _ width: Double = 1) -> Spline.Knot {
            var k = Spline.Knot()
            k.time = t
            k.value = v
            k.next = next
            k.preTangentSlope = slope
            k.postTangentSlope = slope
            k.preTangentWidth = width
            k.postTangentWidth = width
            return k
        }
        spline.knots = [knot(0, 0, .linear), knot(2, 4, .held), knot(4, 8, .curve), knot(7, 8, .curve)]
        spline.postExtrapolation.mode = .sloped
        spline.postExtrapolation.slope = 2
        #expect(spline.evaluate(at: -5) == 0)
        #expect(spline.evaluate(at: 1) == 2)
        #expect(spline.evaluate(at: 3) == 4)
        #expect(spline.evaluate(at: 5.5) == 8)
        #expect(spline.evaluate(at: 9) == 12)
        spline.preExtrapolation.mode = .loopReset
        #expect(spline.evaluate(at: -6) == 2)
    }
}
