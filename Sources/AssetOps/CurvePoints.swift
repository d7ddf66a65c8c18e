public import AssetModel

/// A curve as points on it.
public struct Polyline: Sendable {
    public var points: [Point3d]
    /// Whether the last point joins the first.
    public var isClosed: Bool
    /// Which points of the curves these are; nil where they are others on the curve.
    public var source: Range<Int>?
}

/// Evaluates curves of every kind: linear ones are their points, cubic and NURBS ones are sampled.
public struct CurvePoints: Sendable {
    private let curves: Curves
    private let points: PolygonMesh.Points
    private let counts: [Int32]
    /// Hermite curves: one a point, or none.
    private let tangents: [Vector3f]
    /// Samples a segment of a cubic curve, a span of a NURBS.
    public var samples = 8

    /// Loads the points. Throws where their bytes are damaged.
    public init(_ curves: Curves) throws(AssetError) {
        self.curves = curves
        points = try MeshRepair.loadPoints(curves.points).points
        let loaded = try curves.curveVertexCounts.load()
        var tangents: [Vector3f] = []
        if curves.kind == .hermite, let primvar = curves.primvars.first(where: { $0.name == "tangents" }),
            case .float3(let values) = primvar.values
        {
            tangents = try values.load()
        }
        self.tangents = tangents.count == points.count ? tangents : []
        // Without counts all points are one curve.
        counts = loaded.isEmpty && points.count > 0 ? [Int32(truncatingIfNeeded: points.count)] : loaded
    }

    public var curveCount: Int { counts.count }

    /// The colours of points, where they have one each and are written as they are.
    public func pointColors() throws(AssetError) -> [Vector3f]? {
        guard curves.isLinear, let primvar = curves.primvars.first(where: { $0.name == "displayColor" }),
            case .float3(let values) = primvar.values, primvar.interpolation == .vertex || primvar.interpolation == .varying,
            primvar.indices == nil, primvar.elementSize == 1, values.count == points.count
        else { return nil }
        return try values.load()
    }

    /// Calls `body` with every curve in order. Curves that reach beyond the points, have under two of them or one that is
    /// not finite are left out; returns how many.
    public func forEach(_ body: (Int, Polyline) throws(AssetError) -> Void) throws(AssetError) -> Int {
        var leftOut = 0
        var start = 0
        var knotStart = 0
        for (i, n) in counts.enumerated() {
            let count = Int(n)
            guard count >= 0, count <= points.count - start else {
                leftOut += counts.count - i
                break
            }
            var control: [Point3d] = []
            control.reserveCapacity(count)
            for p in start..<(start + count) { control.append(points[p]) }
            start += count
            let order = i < curves.orders.count ? Int(curves.orders[i]) : 0
            let knotCount = curves.kind == .nurbs && order > 0 ? count + order : 0
            let knots: ArraySlice<Double>
            if knotCount > 0, knotStart <= curves.knots.count, knotCount <= curves.knots.count - knotStart {
                knots = curves.knots[knotStart..<(knotStart + knotCount)]
            } else {
                knots = []
            }
            knotStart += knotCount
            guard count >= 2, control.allSatisfy(\.isFinite) else {
                leftOut += 1
                continue
            }
            let own = start <= tangents.count ? tangents[(start - count)..<start] : []
            var line = evaluate(control, tangents: own, order: order, knots: Array(knots))
            if curves.isLinear { line.source = (start - count)..<start }
            try body(i, line)
        }
        return leftOut
    }

    private func evaluate(_ p: [Point3d], tangents: ArraySlice<Vector3f>, order: Int, knots: [Double]) -> Polyline {
        switch curves.kind {
        case .nurbs: return Polyline(points: nurbs(p, order, knots), isClosed: false)
        case .hermite: return Polyline(points: hermite(p, tangents), isClosed: false)
        case .basis: break
        }
        let isPeriodic = curves.wrap == "periodic"
        if curves.type != "cubic" { return Polyline(points: p, isClosed: isPeriodic && p.count > 2) }
        if curves.basis == "bezier" { return bezier(p, isPeriodic) }
        return uniform(p, isPeriodic)
    }

    private func hermite(_ p: [Point3d], _ tangents: ArraySlice<Vector3f>) -> [Point3d] {
        guard tangents.count == p.count, tangents.allSatisfy(\.isFinite) else { return p }
        let t = tangents.map { Vector3d($0) }
        var out: [Point3d] = [p[0]]
        for s in 0..<(p.count - 1) {
            for k in 1...samples {
                let u = Double(k) / Double(samples)
                let (u2, u3) = (u * u, u * u * u)
                let ends = p[s] * (2 * u3 - 3 * u2 + 1) + p[s + 1] * (3 * u2 - 2 * u3)
                out.append(ends + t[s] * (u3 - 2 * u2 + u) + t[s + 1] * (u3 - u2))
            }
        }
        return out
    }

    private func bezier(_ p: [Point3d], _ isPeriodic: Bool) -> Polyline {
        let segments = isPeriodic ? p.count / 3 : (p.count - 1) / 3
        guard segments > 0 else { return Polyline(points: p, isClosed: false) }
        var out: [Point3d] = [p[0]]
        for s in 0..<segments {
            let (a, b, c, d) = (p[s * 3], p[s * 3 + 1], p[s * 3 + 2], p[(s * 3 + 3) % p.count])
            let isClosing = isPeriodic && s == segments - 1
            for k in 1...samples where !(isClosing && k == samples) {
                let t = Double(k) / Double(samples)
                let u = 1 - t
                out.append(a * (u * u * u) + b * (3 * u * u * t) + c * (3 * u * t * t) + d * (t * t * t))
            }
        }
        return Polyline(points: out, isClosed: isPeriodic)
    }

    /// B-splines and Catmull-Rom curves: a segment for every four points in a row.
    private func uniform(_ original: [Point3d], _ isPeriodic: Bool) -> Polyline {
        var p = original
        if curves.wrap == "pinned", p.count >= 2 {
            // Phantom points, mirrored at the ends, make the curve start and end at its own.
            let n = p.count
            p = [p[0] * 2 - p[1]] + p + [p[n - 1] * 2 - p[n - 2]]
        }
        let isSpline = curves.basis == "bspline"
        let segments = isPeriodic ? p.count : p.count - 3
        guard segments > 0, p.count >= 3 else { return Polyline(points: original, isClosed: false) }
        var out: [Point3d] = []
        for s in 0..<segments {
            let (a, b, c, d) = (p[s], p[(s + 1) % p.count], p[(s + 2) % p.count], p[(s + 3) % p.count])
            for k in (s == 0 ? 0 : 1)...samples {
                if isPeriodic, s == segments - 1, k == samples { continue }
                let t = Double(k) / Double(samples)
                let (t2, t3) = (t * t, t * t * t)
                let w: (Double, Double, Double, Double)
                if isSpline {
                    w = ((1 - 3 * t + 3 * t2 - t3) / 6, (4 - 6 * t2 + 3 * t3) / 6, (1 + 3 * t + 3 * t2 - 3 * t3) / 6, t3 / 6)
                } else {
                    w = (
                        (-t + 2 * t2 - t3) / 2, (2 - 5 * t2 + 3 * t3) / 2, (t + 4 * t2 - 3 * t3) / 2, (-t2 + t3) / 2
                    )
                }
                out.append(a * w.0 + b * w.1 + c * w.2 + d * w.3)
            }
        }
        return Polyline(points: out, isClosed: isPeriodic)
    }

    /// De Boor's algorithm; control points as they are where order or knots make no curve.
    private func nurbs(_ p: [Point3d], _ order: Int, _ knots: [Double]) -> [Point3d] {
        let degree = order - 1
        guard degree >= 1, degree <= 32, p.count >= order, knots.count == p.count + order,
            knots.allSatisfy(\.isFinite), zip(knots, knots.dropFirst()).allSatisfy({ $0 <= $1 }), knots[degree] < knots[p.count]
        else { return p }
        if degree == 1 { return p }
        var out: [Point3d] = []
        for span in degree..<p.count where knots[span] < knots[span + 1] {
            for k in (out.isEmpty ? 0 : 1)...samples {
                let t = knots[span] + (knots[span + 1] - knots[span]) * Double(k) / Double(samples)
                var d = Array(p[(span - degree)...span])
                for r in 1...degree {
                    for j in stride(from: degree, through: r, by: -1) {
                        let low = knots[span - degree + j]
                        let width = knots[span + 1 + j - r] - low
                        let a = width > 0 ? (t - low) / width : 0
                        d[j] = d[j - 1] * (1 - a) + d[j] * a
                    }
                }
                out.append(d[degree])
            }
        }
        return out.count >= 2 ? out : p
    }
}
