import AssetModel
import AssetOps
import TestSupport
import Testing

@Suite struct TriangulateTests {
    private func triangles(_ p: [Point3d]) -> [[Int32]]? {
        var triangulator = Triangulator()
        var flat: [Int32] = []
        guard triangulator.triangulate(p, into: &flat) else { return nil }
        return stride(from: 0, to: flat.count, by: 3).map { Array(flat[$0..<($0 + 3)]) }
    }

    /// The sum of the triangles' areas along the polygon's normal; with every triangle the right way round it is the area.
    private func check(_ p: [Point3d], _ what: String) {
        let normal = newellNormal(p)
        let area = normal.length / 2
        guard let made = triangles(p) else {
            Issue.record("\(what): no triangles")
            return
        }
        var sum = 0.0
        for t in made {
            let (a, b, c) = (p[Int(t[0])], p[Int(t[1])], p[Int(t[2])])
            let part = (b - a).cross(c - a).dot(normal) / normal.length / 2
            #expect(part > -1e-9 * area, "\(what): a triangle is the wrong way round")
            sum += part
        }
        #expect(abs(sum - area) <= 1e-6 * area, "\(what): area \(sum), expected \(area)")
        #expect(made.count <= p.count - 2)
    }

    @Test func quadThatIsAnArrowHead() {
        // Concave at corner 2: only the diagonal through it is inside.
        let p = [Point3d(0, 0, 0), Point3d(4, 4, 0), Point3d(0, 1, 0), Point3d(-4, 4, 0)]
        check(p, "arrow head")
        #expect(triangles(p)?.allSatisfy { $0.contains(0) && $0.contains(2) } == true)
    }

    @Test func convexPolygonsAreFans() {
        let p = [Point3d(0, 0, 0), Point3d(1, 0, 0), Point3d(1, 1, 0), Point3d(0, 1, 0)]
        #expect(triangles(p) == [[0, 1, 2], [0, 2, 3]])
        #expect(triangles(p.reversed()) == [[0, 1, 2], [0, 2, 3]])
    }

    @Test func lettersAndCombs() {
        let l = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)].map { Point3d(Double($0.0), Double($0.1), 0) }
        check(l, "L")
        var comb: [Point3d] = []
        for i in 0..<20 {
            comb += [Point3d(Double(i), 0, 0), Point3d(Double(i) + 0.5, 9, 0)]
        }
        comb += [Point3d(20, 0, 0), Point3d(20, -1, 0), Point3d(0, -1, 0)]
        check(comb.reversed(), "comb")
        check(comb, "comb, other way round")
    }

    @Test func cornersOnAStraightEdge() {
        let p = [(0, 0), (1, 0), (2, 0), (2, 2), (1, 2), (0, 2), (0, 1)].map { Point3d(Double($0.0), Double($0.1), 0) }
        check(p, "square with corners on its edges")
    }

    @Test func holeByWayOfASeam() {
        let outer = [(0, 0), (6, 0), (6, 6), (0, 6)].map { Point3d(Double($0.0), Double($0.1), 0) }
        let inner = [(2, 2), (2, 4), (4, 4), (4, 2)].map { Point3d(Double($0.0), Double($0.1), 0) }
        check(outer + [outer[0]] + inner + [inner[0]], "square ring")
    }

    @Test func polygonsWithoutAreaAreRefused() {
        #expect(triangles([Point3d(0, 0, 0), Point3d(1, 1, 1), Point3d(2, 2, 2)]) == nil)
        #expect(triangles([Point3d(0, 0, 0), Point3d(0, 0, 0), Point3d(1, 0, 0), Point3d(1, 0, 0)]) == nil)
        #expect(triangles([Point3d(0, 0, 0), Point3d(1, 0, 0)]) == nil)
        #expect(triangles([Point3d(.nan, 0, 0), Point3d(1, 0, 0), Point3d(1, 1, 0)]) == nil)
    }

    /// Stars with random radii around a centre: simple, concave, tilted anyhow.
    @Test func tiltedRandomStarsKeepTheirArea() {
        var random = SplitMix64(seed: 42)
        for round in 0..<300 {
            let n = random.int(in: 3...40)
            var flat: [(Double, Double)] = []
            for i in 0..<n {
                // A fraction of the turn, by a rational point on the circle.
                let t = Double(i) / Double(n) * 2 - 1
                let (c, s) = circle(t)
                let r = Double(random.float(in: 0.2...3))
                flat.append((r * c, r * s))
            }
            let u = Vector3d(Double(random.float(in: -1...1)), Double(random.float(in: -1...1)), Double(random.float(in: -1...1)))
            let w = Vector3d(Double(random.float(in: -1...1)), Double(random.float(in: -1...1)), Double(random.float(in: -1...1)))
            let v = u.cross(w)
            guard u.length > 0.1, v.length > 0.1 else { continue }
            let (uu, vv) = (u * (1 / u.length), v * (1 / v.length))
            let far = Vector3d(100, -50, 25)
            let p = flat.map { far + uu * $0.0 + vv * $0.1 }
            if newellNormal(p).length < 0.05 { continue }
            check(p, "round \(round)")
        }
    }

    @Test func aFoldedQuadIsCoveredWhole() throws {
        // Seen from any side two of its corners or two of its triangles fall together.
        let p = [Point3d(0, 0, 0), Point3d(0, -1, 0), Point3d(-1, -1, -1), Point3d(0, -1, -1)]
        #expect(try #require(triangles(p)).count == 2)
    }

    /// Whatever a polygon in space looks like, its triangles have its edges for a boundary: what was closed stays closed.
    /// Corners that come again and again turn nowhere: the search for ears ends all the same.
    @Test func manyEqualCornersTakeNoLongTime() {
        var triangulator = Triangulator()
        var triangles: [Int32] = []
        let three = [Point3d(0, 0, 0), Point3d(1, 0, 0), Point3d(0, 1, 0)]
        #expect(triangulator.triangulate((0..<6_000).map { three[$0 % 3] }, into: &triangles))
        #expect(triangles.count >= 3 && triangles.count % 3 == 0 && triangles.allSatisfy { $0 >= 0 && $0 < 6_000 })
    }

    @Test(arguments: [false, true]) func aVeryLargePolygonTakesNoLongTime(turns: Bool) {
        var triangulator = Triangulator()
        var triangles: [Int32] = []
        let n = 300_000
        var corners = [Point3d(0, -1e6, 0)]
        for i in 0..<n {
            let height: Int = turns ? i % 2 : i * i % 1_000_003
            corners.append(Point3d(Double(i), Double(height), 0))
        }
        #expect(triangulator.triangulate(corners, into: &triangles))
        #expect(triangles.count % 3 == 0 && triangles.allSatisfy { $0 >= 0 && $0 <= n })
    }

    @Test func nothingIsLeftOutOfTwistedPolygons() throws {
        var random = SplitMix64(seed: 7)
        func number() -> Double { Double(random.float(in: -1...1)) }
        for _ in 0..<500 {
            let n = random.int(in: 4...12)
            let p = (0..<n).map { _ in Point3d(number(), number(), number()) }
            guard let made = triangles(p) else { continue }
            #expect(made.count == n - 2)
            var edges: [[Int32]: Int] = [:]
            for t in made {
                for k in 0..<3 {
                    let (a, b) = (t[k], t[(k + 1) % 3])
                    edges[a < b ? [a, b] : [b, a], default: 0] += a < b ? 1 : -1
                }
            }
            edges = edges.filter { $0.value != 0 }
            #expect(edges.count == n)
            for i in 0..<Int32(n - 1) { #expect(edges[[i, i + 1]] == 1) }
            #expect(edges[[0, Int32(n - 1)]] == -1)
        }
    }

    /// Points of the unit circle for t from -1 to 1, once around.
    private func circle(_ t: Double) -> (Double, Double) {
        let half = t <= 0 ? t * 2 + 1 : t * 2 - 1
        let d = 1 + half * half
        let (c, s) = ((1 - half * half) / d, 2 * half / d)
        return t <= 0 ? (c, s) : (-c, -s)
    }
}
