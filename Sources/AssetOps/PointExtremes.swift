public import AssetModel

/// The box of an array of points under any number of transforms.
///
/// Few uses: the array is streamed through the transform. Many uses: transforms that only move and scale along the
/// axes take the box of the untransformed points, which is exact; others search runs of points whose own boxes say
/// which of them can reach furthest.
final class PointExtremes {
    private let points: PointArray
    private let expectedUses: Int
    private var local: BoundingBox?
    private var search: ExtremeSearch?
    /// Points that are not finite, as far as anything was measured yet.
    private(set) var leftOut = 0

    init(_ points: PointArray, expectedUses: Int) {
        self.points = points
        self.expectedUses = expectedUses
    }

    /// The box of all finite points under a transform; empty where there are none.
    func bounds(_ m: Matrix4d) throws(AssetError) -> BoundingBox {
        if points.isEmpty { return BoundingBox() }
        if m.keepsAxes {
            let box = try localBox()
            return box.isEmpty ? box : box.transformed(m)
        }
        if expectedUses < 4 {
            var skipped = 0
            defer { leftOut = skipped }
            return try streamedBounds(points, m, leftOut: &skipped)
        }
        if search == nil {
            let made = try ExtremeSearch(points)
            search = made
            leftOut = points.count - made.count
        }
        return search?.bounds(m) ?? BoundingBox()
    }

    /// Whether the points may reach out of a box; false only where they surely do not.
    func reaches(_ outer: BoundingBox, _ m: Matrix4d) throws(AssetError) -> Bool {
        guard expectedUses >= 4, !outer.isEmpty else { return true }
        let box = try localBox()
        if box.isEmpty { return false }
        // The box of the transformed box: its centre, and how far the halves of its edges reach along each axis.
        let c = m.transform(point: box.center)
        let h = box.size * 0.5
        func reach(_ x: Double, _ y: Double, _ z: Double) -> Double { (h.x * x).magnitude + (h.y * y).magnitude + (h.z * z).magnitude }
        let (r0, r1, r2) = (m.rows.0, m.rows.1, m.rows.2)
        let e = Vector3d(reach(r0.x, r1.x, r2.x), reach(r0.y, r1.y, r2.y), reach(r0.z, r1.z, r2.z))
        // A hair more for rounding.
        let slack = 1e-9 * (c.x.magnitude + c.y.magnitude + c.z.magnitude + e.x + e.y + e.z)
        let inside =
            c.x - e.x - slack >= outer.min.x && c.y - e.y - slack >= outer.min.y && c.z - e.z - slack >= outer.min.z
            && c.x + e.x + slack <= outer.max.x && c.y + e.y + slack <= outer.max.y && c.z + e.z + slack <= outer.max.z
        return !inside
    }

    private func localBox() throws(AssetError) -> BoundingBox {
        if let local { return local }
        var skipped = 0
        let box = try localBounds(points, leftOut: &skipped)
        local = box
        leftOut = skipped
        return box
    }
}

/// The box of points that are measured once. Adds how many are not finite.
func oneUse(_ points: PointArray, _ m: Matrix4d, leftOut: inout Int) throws(AssetError) -> BoundingBox {
    if points.isEmpty { return BoundingBox() }
    guard m.keepsAxes else { return try streamedBounds(points, m, leftOut: &leftOut) }
    let box = try localBounds(points, leftOut: &leftOut)
    return box.isEmpty ? box : box.transformed(m)
}

extension BoundingBox {
    /// Exact where the transform keeps axes: the eight corners become the box's corners.
    fileprivate func transformed(_ m: Matrix4d) -> BoundingBox {
        var result = BoundingBox()
        for i in 0..<8 {
            let corner = Vector3d(i & 1 == 0 ? min.x : max.x, i & 2 == 0 ? min.y : max.y, i & 4 == 0 ? min.z : max.z)
            result.formUnion(m.transform(point: corner))
        }
        return result
    }
}

extension Matrix4d {
    /// Whether boxes stay boxes: each source axis feeds at most one target axis and the other way round.
    var keepsAxes: Bool {
        let (a, b, c) = (rows.0, rows.1, rows.2)
        func single(_ x: Double, _ y: Double, _ z: Double) -> Bool {
            (x == 0 ? 0 : 1) + (y == 0 ? 0 : 1) + (z == 0 ? 0 : 1) <= 1
        }
        return single(a.x, a.y, a.z) && single(b.x, b.y, b.z) && single(c.x, c.y, c.z)
            && single(a.x, b.x, c.x) && single(a.y, b.y, c.y) && single(a.z, b.z, c.z)
    }
}

/// The box of points as they are. Adds how many are not finite.
func localBounds(_ points: PointArray, leftOut: inout Int) throws(AssetError) -> BoundingBox {
    if let known = try points.finiteBounds() {
        leftOut += known.leftOut
        return known.box
    }
    var box = BoundingBox()
    var skipped = 0
    switch points {
    case .float(let array):
        try array.forEachBlock { block in box.formUnion(floatBounds(block, leftOut: &skipped)) }
    case .double(let array):
        try array.forEachBlock { block in
            for p in block { if p.isFinite { box.formUnion(p) } else { skipped += 1 } }
        }
    }
    leftOut += skipped
    return box
}

/// The box of packed float triples, four at a time. Comparisons with NaN are false, so NaN never enters; a block with
/// an infinity is looked at again point by point. Adds how many points are not finite.
public func floatBounds(_ block: UnsafeBufferPointer<Point3f>, leftOut: inout Int) -> BoundingBox {
    var box = BoundingBox()
    let quads = block.count / 4
    var sawNaN = false
    if quads > 0, let base = UnsafeRawPointer(block.baseAddress) {
        var (lo0, lo1, lo2) = (SIMD4<Float>(repeating: .infinity), SIMD4<Float>(repeating: .infinity), SIMD4<Float>(repeating: .infinity))
        var (hi0, hi1, hi2) = (-lo0, -lo1, -lo2)
        // The sum of x·0 is NaN where any x is not finite: one check for the whole block.
        var probe = SIMD4<Float>(repeating: 0)
        for i in 0..<quads {
            let a = base.loadUnaligned(fromByteOffset: i &* 48, as: SIMD4<Float>.self)
            let b = base.loadUnaligned(fromByteOffset: i &* 48 &+ 16, as: SIMD4<Float>.self)
            let c = base.loadUnaligned(fromByteOffset: i &* 48 &+ 32, as: SIMD4<Float>.self)
            lo0.replace(with: a, where: a .< lo0)
            lo1.replace(with: b, where: b .< lo1)
            lo2.replace(with: c, where: c .< lo2)
            hi0.replace(with: a, where: a .> hi0)
            hi1.replace(with: b, where: b .> hi1)
            hi2.replace(with: c, where: c .> hi2)
            probe += (a * 0 + b * 0) + c * 0
        }
        sawNaN = probe.sum() != 0 || probe.sum().isNaN
        if !sawNaN {
            // Lanes: a = x y z x, b = y z x y, c = z x y z.
            func fold(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ f: (Float, Float) -> Float) -> Vector3d {
                Vector3d(
                    Double(f(f(a[0], a[3]), f(b[2], c[1]))), Double(f(f(a[1], b[0]), f(b[3], c[2]))),
                    Double(f(f(a[2], b[1]), f(c[0], c[3]))))
            }
            box.formUnion(fold(lo0, lo1, lo2, Swift.min))
            box.formUnion(fold(hi0, hi1, hi2, Swift.max))
        }
    }
    for i in (sawNaN ? 0 : quads * 4)..<block.count {
        if block[i].isFinite { box.formUnion(Vector3d(block[i])) } else { leftOut += 1 }
    }
    return box
}

/// The box of points under a transform, in one pass. Adds how many of the points are not finite.
private func streamedBounds(_ points: PointArray, _ m: Matrix4d, leftOut: inout Int) throws(AssetError) -> BoundingBox {
    var box = BoundingBox()
    var skipped = 0
    switch points {
    case .float(let array):
        try array.forEachBlock { block in
            var (lo, hi) = (SIMD4<Double>(repeating: .infinity), SIMD4<Double>(repeating: -.infinity))
            let (r0, r1, r2, r3) = m.rows
            for p in block {
                let q = Double(p.x) * r0 + Double(p.y) * r1 + Double(p.z) * r2 + r3
                // Not finite in any lane (an infinity times zero is NaN): leave the point out.
                guard (q - q).sum() == 0 else {
                    if !p.isFinite { skipped += 1 }
                    continue
                }
                lo.replace(with: q, where: q .< lo)
                hi.replace(with: q, where: q .> hi)
            }
            box.formUnion(Vector3d(lo.x, lo.y, lo.z))
            box.formUnion(Vector3d(hi.x, hi.y, hi.z))
        }
    case .double(let array):
        try array.forEachBlock { block in
            for p in block { if p.isFinite { box.formUnion(m.transform(point: p)) } else { skipped += 1 } }
        }
    }
    leftOut += skipped
    return box
}

/// Finds the furthest of many points along a direction without looking at all of them: points in file order lie near
/// each other, so runs of 16 and runs of 16 runs have small boxes that rule most of them out.
struct ExtremeSearch {
    private var points: [Vector3d] = []
    private var runs: [BoundingBox] = []
    private var groups: [BoundingBox] = []
    private static let run = 16
    /// The points that are finite.
    var count: Int { points.count }

    init(_ array: PointArray) throws(AssetError) {
        var kept: [Vector3d] = []
        kept.reserveCapacity(array.count)
        switch array {
        case .float(let a): try a.forEachBlock { for p in $0 where p.isFinite { kept.append(Vector3d(p)) } }
        case .double(let a): try a.forEachBlock { for p in $0 where p.isFinite { kept.append(p) } }
        }
        points = kept
        for start in stride(from: 0, to: points.count, by: Self.run) {
            var box = BoundingBox()
            for p in points[start..<Swift.min(start + Self.run, points.count)] { box.formUnion(p) }
            runs.append(box)
        }
        for start in stride(from: 0, to: runs.count, by: Self.run) {
            var box = BoundingBox()
            for r in runs[start..<Swift.min(start + Self.run, runs.count)] { box.formUnion(r) }
            groups.append(box)
        }
    }

    func bounds(_ m: Matrix4d) -> BoundingBox {
        if points.isEmpty { return BoundingBox() }
        let (r0, r1, r2, r3) = m.rows
        func range(_ d: Vector3d, _ offset: Double) -> (Double, Double) {
            (offset - support(Vector3d(-d.x, -d.y, -d.z)), offset + support(d))
        }
        let x = range(Vector3d(r0.x, r1.x, r2.x), r3.x)
        let y = range(Vector3d(r0.y, r1.y, r2.y), r3.y)
        let z = range(Vector3d(r0.z, r1.z, r2.z), r3.z)
        var box = BoundingBox()
        box.formUnion(Vector3d(x.0, y.0, z.0))
        box.formUnion(Vector3d(x.1, y.1, z.1))
        return box
    }

    private func support(_ d: Vector3d) -> Double {
        func reach(_ b: BoundingBox) -> Double {
            Swift.max(d.x * b.min.x, d.x * b.max.x) + Swift.max(d.y * b.min.y, d.y * b.max.y)
                + Swift.max(d.z * b.min.z, d.z * b.max.z)
        }
        var best = -Double.infinity
        // A first guess from the group that reaches furthest rules out most of the others.
        var first = 0
        var firstReach = -Double.infinity
        for (g, box) in groups.enumerated() {
            let r = reach(box)
            if r > firstReach { (first, firstReach) = (g, r) }
        }
        func visit(_ g: Int) {
            for r in (g * Self.run)..<Swift.min((g + 1) * Self.run, runs.count) where reach(runs[r]) > best {
                for i in (r * Self.run)..<Swift.min((r + 1) * Self.run, points.count) {
                    let value = d.dot(points[i])
                    if value > best { best = value }
                }
            }
        }
        visit(first)
        for g in groups.indices where g != first && reach(groups[g]) > best { visit(g) }
        return best
    }
}
