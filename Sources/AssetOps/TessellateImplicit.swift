public import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How finely round shapes become polygons.
public struct TessellationOptions: Sendable, Hashable {
    /// Faces around an axis, at least 3. Multiples of four put points where a sphere reaches furthest.
    public var segments: Int
    /// Faces from pole to pole of a sphere, at least 2; half of them for each end of a capsule.
    public var rings: Int
    public init(segments: Int = 32, rings: Int = 16) {
        self.segments = Swift.max(3, segments)
        self.rings = Swift.max(2, rings)
    }
}

/// A shape as a polygon mesh: counter-clockwise from outside, with normals and texture coordinates "st", both
/// face-varying and indexed. Flat ends are one polygon.
public func tessellate(_ shape: ImplicitShape, options: TessellationOptions = TessellationOptions()) -> Mesh {
    switch shape {
    case .cube(let size): return cube(size)
    case .plane(let width, let length, let axis): return plane(width, length, axis)
    case .sphere(let radius):
        var lathe = Lathe(axis: "Z", segments: options.segments)
        let r = radius.magnitude
        lathe.arc(radius: r, center: 0, from: -.pi / 2, to: .pi / 2, steps: options.rings)
        return lathe.mesh()
    case .cylinder(let bottom, let top, let height, let axis):
        var lathe = Lathe(axis: axis, segments: options.segments)
        lathe.side(bottom.magnitude, top.magnitude, height.magnitude)
        return lathe.mesh()
    case .cone(let radius, let height, let axis):
        var lathe = Lathe(axis: axis, segments: options.segments)
        lathe.side(radius.magnitude, 0, height.magnitude)
        return lathe.mesh()
    case .capsule(let bottom, let top, let height, let axis):
        var lathe = Lathe(axis: axis, segments: options.segments)
        let half = height.magnitude / 2
        let steps = Swift.max(1, options.rings / 2)
        let ends = CapsuleEnds(bottom: bottom, top: top, height: height)
        // Beyond a sphere's equator in a piece of its own: there it reaches furthest.
        let beyond = Swift.max(1, Int((Double(steps) * ends.lean.magnitude / (.pi / 2)).rounded()))
        lathe.arc(radius: ends.bottom.radius, center: ends.bottom.center, from: -.pi / 2, to: Swift.min(ends.lean, 0), steps: steps)
        if ends.lean > 0 { lathe.arc(radius: ends.bottom.radius, center: ends.bottom.center, from: 0, to: ends.lean, steps: beyond) }
        lathe.line(bottom.magnitude, -half, top.magnitude, half)
        if ends.lean < 0 { lathe.arc(radius: ends.top.radius, center: ends.top.center, from: ends.lean, to: 0, steps: beyond) }
        lathe.arc(radius: ends.top.radius, center: ends.top.center, from: Swift.max(ends.lean, 0), to: .pi / 2, steps: steps)
        return lathe.mesh()
    }
}

/// Collects polygons whose corners have their own normals and texture coordinates.
private struct PolygonCollector {
    var points: [Point3f] = []
    var normals: [Vector3f] = []
    var st: [Vector2f] = []
    var counts: [Int32] = []
    var pointIndices: [Int32] = []
    var normalIndices: [Int32] = []
    var stIndices: [Int32] = []

    mutating func point(_ p: Vector3d) -> Int {
        points.append(Point3f(Float(p.x), Float(p.y), Float(p.z)))
        return points.count - 1
    }

    mutating func normal(_ n: Vector3d) -> Int {
        normals.append(Vector3f(Float(n.x), Float(n.y), Float(n.z)))
        return normals.count - 1
    }

    mutating func coordinate(_ s: Double, _ t: Double) -> Int {
        st.append(Vector2f(Float(s), Float(t)))
        return st.count - 1
    }

    mutating func face(_ corners: [(point: Int, normal: Int, st: Int)]) {
        counts.append(Int32(corners.count))
        for c in corners {
            pointIndices.append(Int32(c.point))
            normalIndices.append(Int32(c.normal))
            stIndices.append(Int32(c.st))
        }
    }

    func mesh() -> Mesh {
        var mesh = Mesh(
            points: PointArray(points), faceVertexCounts: DeferredArray(counts), faceVertexIndices: DeferredArray(pointIndices))
        mesh.normals = Primvar(
            name: "normals", role: .normal, interpolation: .faceVarying, values: .float3(DeferredArray(normals)),
            indices: DeferredArray(normalIndices))
        mesh.primvars = [
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: .faceVarying, values: .float2(DeferredArray(st)),
                indices: DeferredArray(stIndices))
        ]
        return mesh
    }
}

private func cube(_ size: Double) -> Mesh {
    var out = PolygonCollector()
    let h = size.magnitude / 2
    for i in 0..<8 { _ = out.point(Vector3d(i & 1 == 0 ? -h : h, i & 2 == 0 ? -h : h, i & 4 == 0 ? -h : h)) }
    let st = [(0.0, 0.0), (1, 0), (1, 1), (0, 1)].map { out.coordinate($0.0, $0.1) }
    let sides: [(Vector3d, [Int])] = [
        (Vector3d(1, 0, 0), [5, 1, 3, 7]), (Vector3d(-1, 0, 0), [0, 4, 6, 2]), (Vector3d(0, 1, 0), [6, 7, 3, 2]),
        (Vector3d(0, -1, 0), [0, 1, 5, 4]), (Vector3d(0, 0, 1), [4, 5, 7, 6]), (Vector3d(0, 0, -1), [1, 0, 2, 3]),
    ]
    for (normal, corners) in sides {
        let n = out.normal(normal)
        out.face(corners.enumerated().map { (point: $1, normal: n, st: st[$0]) })
    }
    return out.mesh()
}

private func plane(_ width: Double, _ length: Double, _ axis: String) -> Mesh {
    var out = PolygonCollector()
    let (w, l) = (width.magnitude / 2, length.magnitude / 2)
    // The width lies along x (z where the plane faces x), the length along y (z where it faces y).
    func place(_ u: Double, _ v: Double) -> Vector3d {
        switch axis {
        case "X": Vector3d(0, v, u)
        case "Y": Vector3d(u, 0, v)
        default: Vector3d(u, v, 0)
        }
    }
    let normal: Vector3d
    switch axis {
    case "X": normal = Vector3d(1, 0, 0)
    case "Y": normal = Vector3d(0, 1, 0)
    default: normal = Vector3d(0, 0, 1)
    }
    let n = out.normal(normal)
    // Facing x and y the (u, v) frame is left-handed seen from the front: the other way round.
    let order: [(Double, Double)] =
        axis == "X" || axis == "Y" ? [(-1, -1), (-1, 1), (1, 1), (1, -1)] : [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    var corners: [(point: Int, normal: Int, st: Int)] = []
    for (u, v) in order {
        corners.append((point: out.point(place(u * w, v * l)), normal: n, st: out.coordinate((u + 1) / 2, (v + 1) / 2)))
    }
    out.face(corners)
    return out.mesh()
}

/// Turns a profile (radius, height) around an axis.
private struct Lathe {
    private struct Ring {
        var points: [Int]
    }
    private var out = PolygonCollector()
    private let axis: String
    private let segments: Int
    private var rings: [(radius: Double, height: Double, ring: Ring)] = []
    private let directions: [(Double, Double)]

    init(axis: String, segments: Int) {
        self.axis = axis
        self.segments = segments
        // The quarter points are exact, so that a sphere reaches exactly as far as its radius.
        directions = (0..<segments).map { i in
            if i * 4 % segments == 0 { return [(1, 0), (0, 1), (-1, 0), (0, -1)][i * 4 / segments] }
            let angle = 2 * Double.pi * Double(i) / Double(segments)
            return (cos(angle), sin(angle))
        }
    }

    /// (u, v, w) with w along the axis, in a right-handed order.
    private func place(_ u: Double, _ v: Double, _ w: Double) -> Vector3d {
        switch axis {
        case "X": Vector3d(w, u, v)
        case "Y": Vector3d(v, w, u)
        default: Vector3d(u, v, w)
        }
    }

    /// The ring at a radius and height; equal neighbours are one, a radius of zero is a single point.
    private mutating func ring(_ radius: Double, _ height: Double) -> Ring {
        // The rims of a leaning capsule are computed twice: a hair's breadth is no ring of its own.
        let slack = 1e-12 * (radius + height.magnitude)
        if let last = rings.last, abs(last.radius - radius) <= slack, abs(last.height - height) <= slack, (last.radius == 0) == (radius == 0) {
            return last.ring
        }
        let made: Ring
        if radius == 0 {
            let p = out.point(place(0, 0, height))
            made = Ring(points: Array(repeating: p, count: segments))
        } else {
            var points: [Int] = []
            for (c, s) in directions { points.append(out.point(place(radius * c, radius * s, height))) }
            made = Ring(points: points)
        }
        rings.append((radius, height, made))
        return made
    }

    /// A band between two rings whose normals lean by (radial, axial) at each.
    private mutating func band(
        _ r0: Double, _ h0: Double, _ r1: Double, _ h1: Double, _ n0: (Double, Double), _ n1: (Double, Double), _ t0: Double,
        _ t1: Double
    ) {
        if r0 == r1, h0 == h1 { return }
        let (low, high) = (ring(r0, h0), ring(r1, h1))
        var lowNormals: [Int] = []
        var highNormals: [Int] = []
        for (c, s) in directions {
            lowNormals.append(out.normal(place(n0.0 * c, n0.0 * s, n0.1)))
            highNormals.append(out.normal(place(n1.0 * c, n1.0 * s, n1.1)))
        }
        var lowST: [Int] = []
        var highST: [Int] = []
        for i in 0...segments {
            let s = Double(i) / Double(segments)
            lowST.append(out.coordinate(s, t0))
            highST.append(out.coordinate(s, t1))
        }
        for i in 0..<segments {
            let j = (i + 1) % segments
            var corners: [(point: Int, normal: Int, st: Int)] = [(low.points[i], lowNormals[i], lowST[i])]
            if r0 != 0 { corners.append((low.points[j], lowNormals[j], lowST[i + 1])) }
            if r1 != 0 { corners.append((high.points[j], highNormals[j], highST[i + 1])) }
            corners.append((high.points[i], highNormals[i], highST[i]))
            if corners.count > 2 { out.face(corners) }
        }
    }

    /// A round end, from one latitude to another.
    mutating func arc(radius: Double, center: Double, from: Double, to: Double, steps: Int) {
        guard radius > 0 else { return }
        func at(_ i: Int) -> (c: Double, s: Double) {
            let angle = from + (to - from) * Double(i) / Double(steps)
            // Poles and equator exactly.
            if angle == .pi / 2 { return (0, 1) }
            if angle == -.pi / 2 { return (0, -1) }
            if angle.magnitude < 1e-12 { return (1, 0) }
            return (cos(angle), sin(angle))
        }
        for i in 0..<steps {
            let (a, b) = (at(i), at(i + 1))
            let t = (from + .pi / 2) / .pi
            let span = (to - from) / .pi
            band(
                radius * a.c, center + radius * a.s, radius * b.c, center + radius * b.s, (a.c, a.s), (b.c, b.s),
                t + span * Double(i) / Double(steps), t + span * Double(i + 1) / Double(steps))
        }
    }

    /// A straight side.
    mutating func line(_ r0: Double, _ h0: Double, _ r1: Double, _ h1: Double) {
        let (dr, dh) = (r1 - r0, h1 - h0)
        let length = (dr * dr + dh * dh).squareRoot()
        guard length > 0 else { return }
        let n = (dh / length, -dr / length)
        band(r0, h0, r1, h1, n, n, 0, 1)
    }

    /// A cylinder or cone with flat ends.
    mutating func side(_ bottom: Double, _ top: Double, _ height: Double) {
        let half = height / 2
        if bottom > 0 { cap(bottom, -half, isTop: false) }
        line(bottom, -half, top, half)
        if top > 0 { cap(top, half, isTop: true) }
    }

    private mutating func cap(_ radius: Double, _ height: Double, isTop: Bool) {
        let edge = ring(radius, height)
        let n = out.normal(place(0, 0, isTop ? 1 : -1))
        var corners: [(point: Int, normal: Int, st: Int)] = []
        for (i, (c, s)) in directions.enumerated() {
            corners.append((edge.points[i], n, out.coordinate(0.5 + 0.5 * (isTop ? c : -c), 0.5 + 0.5 * s)))
        }
        out.face(isTop ? corners : corners.reversed())
    }

    func mesh() -> Mesh { out.mesh() }
}
