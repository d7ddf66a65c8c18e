public import AssetModel

/// Splits polygons into triangles by ear clipping: concave and tilted ones, too. Corners keep their numbers, so
/// face-varying data stays where it was.
public struct Triangulator: Sendable {
    private var flat: [(x: Double, y: Double)] = []
    private var next: [Int32] = []
    private var previous: [Int32] = []
    private var isReflex: [Bool] = []

    public init() {}

    /// Triangulates one polygon.
    /// - Parameters:
    ///   - corners: the positions in order.
    ///   - triangles: the corners of each triangle are appended, three numbers from `0..<corners.count`, in the polygon's
    ///     winding.
    /// - Returns: false where the polygon has no area; nothing is appended then.
    public mutating func triangulate(_ corners: [Point3d], into triangles: inout [Int32]) -> Bool {
        let n = corners.count
        guard n >= 3 else { return false }
        let normal = newellNormal(corners)
        let area = normal.length
        guard area > 0, area.isFinite, area > 1e-14 * squaredExtent(corners) else { return false }
        if n == 3 {
            triangles += [0, 1, 2]
            return true
        }
        project(corners, normal)
        if isConvex() {
            fan(n, &triangles)
            return true
        }
        clip(corners, &triangles)
        return true
    }

    /// Drops the coordinate that the normal points along most; the signs keep the winding counter-clockwise.
    private mutating func project(_ p: [Point3d], _ n: Vector3d) {
        let (x, y, z) = (n.x.magnitude, n.y.magnitude, n.z.magnitude)
        flat.removeAll(keepingCapacity: true)
        // Relative to the first corner, so that far-away polygons lose no digits.
        let o = p[0]
        if z >= x, z >= y {
            let s = n.z > 0 ? 1.0 : -1
            for q in p { flat.append(((q.x - o.x) * s, q.y - o.y)) }
        } else if y >= x {
            let s = n.y > 0 ? 1.0 : -1
            for q in p { flat.append(((q.z - o.z) * s, q.x - o.x)) }
        } else {
            let s = n.x > 0 ? 1.0 : -1
            for q in p { flat.append(((q.y - o.y) * s, q.z - o.z)) }
        }
    }

    /// Twice the signed area of a triangle.
    @inline(__always) private func cross(_ a: Int, _ b: Int, _ c: Int) -> Double {
        (flat[b].x - flat[a].x) * (flat[c].y - flat[a].y) - (flat[b].y - flat[a].y) * (flat[c].x - flat[a].x)
    }

    /// Whether every corner turns left and the polygon goes round once, so that a fan is right.
    private func isConvex() -> Bool {
        let n = flat.count
        for i in 0..<n where cross(i, (i + 1) % n, (i + 2) % n) <= 0 { return false }
        // Left turns only, but perhaps several times around: the fan's triangles must all turn left, too.
        for i in 1..<(n - 1) where cross(0, i, i + 1) <= 0 { return false }
        return true
    }

    private func fan(_ n: Int, _ triangles: inout [Int32]) {
        for i in 1..<(n - 1) {
            triangles.append(0)
            triangles.append(Int32(truncatingIfNeeded: i))
            triangles.append(Int32(truncatingIfNeeded: i + 1))
        }
    }

    /// Cuts off one ear after another. Where none is left, because the polygon is folded or crosses itself, it is cut as it comes:
    /// what is left out leaves a hole, so only what has no area in space is.
    private mutating func clip(_ corners: [Point3d], _ triangles: inout [Int32]) {
        let n = corners.count
        next = (0..<n).map { Int32(truncatingIfNeeded: ($0 + 1) % n) }
        previous = (0..<n).map { Int32(truncatingIfNeeded: ($0 + n - 1) % n) }
        isReflex = Array(repeating: false, count: n)
        for i in 0..<n { isReflex[i] = cross(Int(previous[i]), i, Int(next[i])) <= 0 }
        var left = n
        var at = 0
        var sinceEar = 0
        // The search is quadratic: past this many corners a polygon is cut as it comes, and before that there is an end to it.
        let isHuge = n > 1 << 15
        var reflex = isHuge ? [] : (0..<n).filter { isReflex[$0] }
        var (looks, idleSteps) = (n * 4096, n * (isHuge ? 4 : 64))
        while left > 3 {
            let (a, c) = (Int(previous[at]), Int(next[at]))
            let turn = cross(a, at, c)
            // After a whole round without an ear the polygon crosses itself: take what turns left, at last anything.
            let isSpent = looks <= 0 || idleSteps <= 0
            let isSearched = !isHuge && !isSpent && sinceEar <= left
            if isSearched, turn > 0 { looks -= reflex.count }
            let isEar = turn > 0 && !(isSearched && holdsReflex(a, at, c, reflex))
            if isEar || sinceEar > (isSpent ? 8 : 2 * left) {
                if turn > 0 || hasArea(corners[a], corners[at], corners[c]) {
                    triangles.append(Int32(truncatingIfNeeded: a))
                    triangles.append(Int32(truncatingIfNeeded: at))
                    triangles.append(Int32(truncatingIfNeeded: c))
                }
                next[a] = Int32(truncatingIfNeeded: c)
                previous[c] = Int32(truncatingIfNeeded: a)
                left -= 1
                sinceEar = 0
                isReflex[at] = false
                for neighbour in [a, c] {
                    isReflex[neighbour] = cross(Int(previous[neighbour]), neighbour, Int(next[neighbour])) <= 0
                }
                if reflex.count > 16, left % 16 == 0 { reflex = reflex.filter { isReflex[$0] } }
                // Skipping a corner gives better-shaped triangles than peeling off one after another.
                at = Int(next[c])
            } else {
                sinceEar += 1
                idleSteps -= 1
                at = c
            }
        }
        let (a, c) = (Int(previous[at]), Int(next[at]))
        if cross(a, at, c) > 0 || hasArea(corners[a], corners[at], corners[c]) {
            triangles.append(Int32(truncatingIfNeeded: a))
            triangles.append(Int32(truncatingIfNeeded: at))
            triangles.append(Int32(truncatingIfNeeded: c))
        }
    }

    /// Whether a triangle has an area, by the measure for polygons.
    private func hasArea(_ a: Point3d, _ b: Point3d, _ c: Point3d) -> Bool {
        let (u, v) = (b - a, c - a)
        let area = u.cross(v).length
        return area > 0 && area.isFinite && area > 1e-14 * Swift.max(u.dot(u), v.dot(v))
    }

    /// Whether a triangle holds one of the corners that turn right (only those can be inside an ear).
    private func holdsReflex(_ a: Int, _ b: Int, _ c: Int, _ reflex: [Int]) -> Bool {
        for r in reflex where isReflex[r] && r != a && r != b && r != c {
            // The same place as a corner of the triangle: polygons with a seam visit a point twice.
            if flat[r] == flat[a] || flat[r] == flat[b] || flat[r] == flat[c] { continue }
            if cross(a, b, r) >= 0, cross(b, c, r) >= 0, cross(c, a, r) >= 0 { return true }
        }
        return false
    }
}

/// Twice the area of a polygon along its normal (Newell's sum, exact for tilted and concave ones).
public func newellNormal(_ p: [Point3d]) -> Vector3d {
    var n = Vector3d(0, 0, 0)
    guard let o = p.first else { return n }
    for i in p.indices {
        let (a, b) = (p[i] - o, p[i + 1 < p.count ? i + 1 : 0] - o)
        n = n + a.cross(b)
    }
    return n
}

private func squaredExtent(_ p: [Point3d]) -> Double {
    var largest = 0.0
    for q in p { largest = Swift.max(largest, (q - p[0]).dot(q - p[0])) }
    return largest
}
