import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// Clip sets whose metadata lies in several layers of different times, with the answers that OpenUSD gives.
@Suite struct CompositionClipTests {
    private static let keys: [Character: String] = [
        "P": "asset[] assetPaths = [@c.usda@]", "A": "double2[] active = [(1, 0)]",
        "T": "double2[] times = [(0, 0), (10, 10), (10, 0), (40, 30)]",
        "X": """
        string templateAssetPath = "c.#.usda"
        double templateStartTime = 0
        double templateEndTime = 0
        double templateStride = 1
        """,
        "M": "string primPath = \"/C\"\nasset manifestAssetPath = @m.usda@",
    ]

    private static func prim(_ names: String, _ arcs: String = "") -> String {
        """
        def "P" (
         \(arcs)
         clips = {
          dictionary one = {
        \(names.compactMap { keys[$0] }.joined(separator: "\n"))
          }
         }
        ) {
         double a
         timecode t
         timecode u
        }
        """
    }

    private static let clip = "over \"C\" {\n double a.timeSamples = { 2: 124, 12: 2, 17: None }\n timecode t.timeSamples = { 10: 100 }\n}\n"

    struct Case: Sendable {
        /// Which entries the root layer, its sublayer, the referenced layer and its sublayer have.
        var entries: [String]
        var times: [Double]
        /// Of `a` at 107.3, of `t` at 110, and of the manifest's `u` at 107.3.
        var a: Double?
        var t: Double
        var u: Double
    }

    static let cases = [
        Case(entries: ["", "", "PA", ""], times: [102, 104, 124, 134], a: 103.87000000000002, t: 300, u: 200),
        Case(
            entries: ["", "", "A", "PT"], times: [102, 180, 184, 199.99999999111822, 200, 204, 224, 234, 260], a: 124, t: 380, u: 200),
        Case(
            entries: ["A", "", "P", "T"], times: [100, 102, 104, 119.99999999111822, 120, 124, 144, 154, 180], a: 103.87, t: 300, u: 200),
        Case(
            entries: ["", "", "P", "AT"], times: [100, 102, 104, 119.99999999111822, 120, 124, 144, 154, 180], a: 103.87, t: 300, u: 200),
        Case(
            entries: ["PA", "", "T", "P"], times: [-40, -38, -30.000000004440892, -30, -28, -18, -13, 0, 1], a: nil, t: 70, u: 50),
        Case(entries: ["P", "", "A", "T"], times: [0, 1, 2, 9.999999995559108, 10, 12, 22, 27, 40], a: nil, t: 110, u: 50),
        Case(entries: ["", "A", "T", "PA"], times: [60, 64, 79.99999999111822, 80, 84, 104, 114, 140, 142], a: 2, t: 280, u: 240),
        Case(
            entries: ["T", "", "", "PA"], times: [140, 142, 144, 159.99999999111822, 160, 164, 184, 194, 220], a: 124, t: 340, u: 240),
        Case(entries: ["A", "", "", "X"], times: [140], a: 124, t: 140, u: 240),
        Case(
            entries: ["A", "T", "PAT", ""], times: [100, 102, 104, 119.99999999111822, 120, 124, 144, 154, 180], a: 103.87, t: 300, u: 200),
        Case(entries: ["", "", "T", "X"], times: [60, 140], a: 124, t: 60, u: 240),
        Case(entries: ["X", "", "PA", "T"], times: [0, 1, 2, 9.999999995559108, 10, 12, 22, 27, 40], a: nil, t: 110, u: 50),
    ]

    /// A set runs in the time of the layers that say which clips there are and when; entries for times from elsewhere do not move it.
    @Test(arguments: cases) func setsOfSeveralLayersRunInOneTime(_ c: Case) throws {
        let s = try TextStage([
            (
                "root.usda",
                "(subLayers = [@s.usda@ (offset = 1000)])\n"
                    + Self.prim(c.entries[0] + "M", "references = @r.usda@</P> (offset = 100; scale = 2)")
            ),
            ("s.usda", Self.prim(c.entries[1])),
            ("r.usda", "(subLayers = [@g.usda@ (offset = 20)])\n" + Self.prim(c.entries[2])),
            ("g.usda", Self.prim(c.entries[3])),
            ("m.usda", "over \"C\" {\n double a\n timecode t\n timecode u = 50\n}\n"),
            ("c.usda", Self.clip), ("c.0.usda", Self.clip),
        ])
        let p = try s.prim("/P")
        #expect(s.stage.timeSamples(p, s.token("a")) == c.times)
        #expect(try s.number("/P", "a", .at(107.3)) == c.a)
        #expect(try s.number("/P", "t", .at(110)) == c.t)
        #expect(try s.number("/P", "u", .at(107.3)) == c.u)
    }

    /// Weights that sum to one only nearly would change these values in their last bits.
    @Test func beforeABlockValuesHoldToTheLastBit() throws {
        let samples = """
             double x.timeSamples = { 0: 124, 17: 61, 30: None }
             double y.timeSamples = { 0: 124, 30: None }
             float3 v.timeSamples = { 17: (-4.802, 61, -3.746), 30: None }
             double[] l.timeSamples = { 17: [61, 978], 30: None }
            """
        let s = try TextStage([
            (
                "root.usda",
                """
                def "P" {
                \(samples)
                }
                def "Q" (
                 clips = {
                  dictionary one = {
                   asset[] assetPaths = [@c.usda@]
                   string primPath = "/C"
                   double2[] active = [(0, 0)]
                   double2[] times = [(0, 0), (60, 60)]
                  }
                 }
                ) {
                 double x
                 double y
                 float3 v
                 double[] l
                }
                """
            ),
            ("c.usda", "over \"C\" {\n\(samples)\n}\n"),
        ])
        for path in ["/P", "/Q"] {
            let prim = try s.prim(path)
            for t in [18, 19, 20, 21.3, 22, 24, 26, 29.9] {
                #expect(try s.number(path, "x", .at(t)) == 61)
                #expect(try s.number(path, "y", .at(t)) == 124)
                guard case .tuple(_, let v)? = s.stage.value(prim, s.token("v"), at: .at(t)) else {
                    Issue.record("no value of v at \(t)")
                    continue
                }
                #expect(Array(v) == [Double(Float(-4.802)), 61, Double(Float(-3.746))])
                let list = try s.stage.value(prim, s.token("l"), at: .at(t))?.resolved()
                guard case .array(let a)? = list, case .double(let l) = a.storage else {
                    Issue.record("no value of l at \(t)")
                    continue
                }
                #expect(Array(l) == [61, 978])
            }
        }
    }

    /// Whatever part of its times a clip counts for: jumps, entries of one time and time that runs backwards included.
    @Test func timesOfAClipAreThoseOfAllEntriesWithinItsTime() {
        var random = SplitMix64(seed: 20)
        for _ in 0..<300 {
            let pairs = (0..<random.int(in: 1...12)).map { _ in
                (stage: Double(random.int(in: 0...8)), clip: Double(random.int(in: -3...6)))
            }
            let times = ClipTimes(pairs, offset: .identity)
            let samples = (0..<random.int(in: 0...5)).map { Double($0) * 1.5 - 1 }
            func found(_ start: Double, _ end: Double) -> Set<Double> {
                var out: Set<Double> = []
                times.stageTimes(samples, start, end) {
                    out.insert($0)
                    return true
                }
                return out
            }
            let all = found(ClipTimes.earliest, ClipTimes.latest)
            let start = Double(random.int(in: -1...9))
            let end = start + Double(random.int(in: 0...5))
            #expect(found(start, end) == all.filter { start <= $0 && $0 < end }, "\(pairs) \(start) \(end)")
        }
    }

    /// Forty thousand clips with as many entries of times: no product of the two.
    @Test(.timeLimit(.minutes(1))) func manyClipsWithManyTimes() {
        let n = 40_000
        let times = ClipTimes((0..<n).map { (stage: Double($0), clip: Double($0)) }, offset: .identity)
        var found: Set<Double> = []
        for i in 0..<n {
            times.stageTimes([0, 9], Double(i), Double(i + 1)) {
                found.insert($0)
                return true
            }
        }
        #expect(found.count == n)
    }

    /// Entries that run to and fro, each over all samples: a few thousand times a thousand million are not listed.
    @Test(.timeLimit(.minutes(1))) func timesEndWhereNoMoreAreWanted() {
        let times = ClipTimes((0..<50_000).map { (stage: Double($0), clip: Double($0 % 2) * 50_000) }, offset: .identity)
        var found: Set<Double> = []
        times.stageTimes((0..<50_000).map { Double($0) }, ClipTimes.earliest, ClipTimes.latest) {
            found.insert($0)
            return found.count < 1000
        }
        #expect(found.count == 1000)
        // What no entry reaches is not looked for in all of them.
        for i in 0..<20_000 { #expect(times.stageTimes(-5, 60_000, around: Double(i)) == (0, 49_999)) }
    }
}
