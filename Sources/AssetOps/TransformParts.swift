public import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A transform as translation, rotation and scale: `p' = ((p · scale) turned by rotation) + translation`.
public struct TransformParts: Hashable, Sendable {
    public var translation = Vector3d(0, 0, 0)
    /// A unit quaternion.
    public var rotation = (x: 0.0, y: 0.0, z: 0.0, w: 1.0)
    public var scale = Vector3d(1, 1, 1)

    public init() {}

    public static func == (a: TransformParts, b: TransformParts) -> Bool {
        a.translation == b.translation && a.scale == b.scale && a.rotation == b.rotation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(translation)
        hasher.combine(scale)
    }

    /// The parts of a matrix whose axes stay at right angles; nil where it shears or is not finite. A mirror becomes a scale below
    /// zero along x.
    ///
    /// - Parameter tolerance: how far from a right angle axes may be, as a cosine.
    public init?(_ m: Matrix4d, tolerance: Double = 1e-6) {
        let rows = [m.rows.0, m.rows.1, m.rows.2].map { Vector3d($0.x, $0.y, $0.z) }
        guard rows.allSatisfy(\.isFinite), m.rows.3.x.isFinite, m.rows.3.y.isFinite, m.rows.3.z.isFinite,
            m.rows.0.w == 0, m.rows.1.w == 0, m.rows.2.w == 0, m.rows.3.w == 1
        else { return nil }
        translation = Vector3d(m.rows.3.x, m.rows.3.y, m.rows.3.z)
        let lengths = rows.map(\.length)
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if rows[i].dot(rows[j]).magnitude > tolerance * lengths[i] * lengths[j] { return nil }
        }
        let isMirror = m.determinant3 < 0
        scale = Vector3d(isMirror ? -lengths[0] : lengths[0], lengths[1], lengths[2])
        guard let axes = Self.axes(rows, [scale.x, scale.y, scale.z]) else { return nil }
        rotation = Self.quaternion(axes)
    }

    /// Unit axes; those of length zero are made up at right angles to the others.
    private static func axes(_ rows: [Vector3d], _ lengths: [Double]) -> [Vector3d]? {
        var axes: [Vector3d?] = (0..<3).map { lengths[$0] == 0 ? nil : rows[$0] * (1 / lengths[$0]) }
        guard axes.allSatisfy({ $0?.isFinite ?? true }) else { return nil }
        if axes.compactMap({ $0 }).isEmpty { return [Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1)] }
        for i in 0..<3 where axes[i] == nil {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3)
            if let b = axes[j], let c = axes[k] {
                axes[i] = unit(b.cross(c))
            } else if let known = axes[j] ?? axes[k] {
                let other = known.x.magnitude < 0.9 ? Vector3d(1, 0, 0) : Vector3d(0, 1, 0)
                axes[i] = unit(known.cross(other))
            }
        }
        let made = axes.compactMap { $0 }
        guard made.count == 3 else { return nil }
        // Made-up axes can be the wrong way round.
        if made[0].cross(made[1]).dot(made[2]) < 0, let free = lengths.firstIndex(of: 0) {
            var turned = made
            turned[free] = turned[free] * -1
            return turned
        }
        return made
    }

    private static func unit(_ v: Vector3d) -> Vector3d {
        let length = v.length
        return length > 0 ? v * (1 / length) : v
    }

    /// Of rows that are unit axes, right-handed.
    static func quaternion(_ a: [Vector3d]) -> (x: Double, y: Double, z: Double, w: Double) {
        let (m00, m01, m02) = (a[0].x, a[0].y, a[0].z)
        let (m10, m11, m12) = (a[1].x, a[1].y, a[1].z)
        let (m20, m21, m22) = (a[2].x, a[2].y, a[2].z)
        let trace = m00 + m11 + m22
        var q: (x: Double, y: Double, z: Double, w: Double)
        if trace > 0 {
            let s = (trace + 1).squareRoot() * 2
            q = ((m12 - m21) / s, (m20 - m02) / s, (m01 - m10) / s, s / 4)
        } else if m00 > m11, m00 > m22 {
            let s = (1 + m00 - m11 - m22).squareRoot() * 2
            q = (s / 4, (m01 + m10) / s, (m02 + m20) / s, (m12 - m21) / s)
        } else if m11 > m22 {
            let s = (1 + m11 - m00 - m22).squareRoot() * 2
            q = ((m01 + m10) / s, s / 4, (m12 + m21) / s, (m20 - m02) / s)
        } else {
            let s = (1 + m22 - m00 - m11).squareRoot() * 2
            q = ((m02 + m20) / s, (m12 + m21) / s, s / 4, (m01 - m10) / s)
        }
        let length = (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w).squareRoot()
        guard length > 0, length.isFinite else { return (0, 0, 0, 1) }
        return (q.x / length, q.y / length, q.z / length, q.w / length)
    }

    /// The angle between two rotations in radians, 0 to π.
    public func turn(to other: TransformParts) -> Double {
        let (p, q) = (rotation, other.rotation)
        return 2 * acos(Swift.min((p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w).magnitude, 1))
    }

    /// What lies between two transforms as animations of parts have it: the rotation takes the shorter way.
    ///
    /// - Parameter share: how much of `other`, 0 to 1.
    public func mixed(with other: TransformParts, _ share: Double) -> TransformParts {
        var out = TransformParts()
        out.translation = translation * (1 - share) + other.translation * share
        out.scale = scale * (1 - share) + other.scale * share
        let (p, q) = (rotation, other.rotation)
        let dot = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w
        let angle = acos(Swift.min(dot.magnitude, 1))
        var (a, b) = (1 - share, share)
        if angle > 1e-9 { (a, b) = (sin((1 - share) * angle) / sin(angle), sin(share * angle) / sin(angle)) }
        if dot < 0 { b = -b }
        let r = (x: p.x * a + q.x * b, y: p.y * a + q.y * b, z: p.z * a + q.z * b, w: p.w * a + q.w * b)
        let length = (r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w).squareRoot()
        out.rotation = length > 0 ? (r.x / length, r.y / length, r.z / length, r.w / length) : p
        return out
    }

    /// The matrix of these parts.
    public var matrix: Matrix4d {
        let (x, y, z, w) = rotation
        let r0 = SIMD4(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0) * scale.x
        let r1 = SIMD4(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0) * scale.y
        let r2 = SIMD4(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0) * scale.z
        return Matrix4d(r0, r1, r2, SIMD4(translation.x, translation.y, translation.z, 1))
    }

    /// Any affine matrix as two transforms, inner and outer, `matrix = inner.matrix · outer.matrix`: a shear is a scale between two
    /// rotations. Nil where the matrix is not affine or not finite.
    public static func pair(_ m: Matrix4d) -> (inner: TransformParts, outer: TransformParts)? {
        guard m.rows.0.w == 0, m.rows.1.w == 0, m.rows.2.w == 0, m.rows.3.w == 1 else { return nil }
        let rows = [m.rows.0, m.rows.1, m.rows.2].map { Vector3d($0.x, $0.y, $0.z) }
        let last = Vector3d(m.rows.3.x, m.rows.3.y, m.rows.3.z)
        guard rows.allSatisfy(\.isFinite), last.isFinite else { return nil }
        // The eigenvectors of M·Mᵀ turn the points so that what follows is at right angles.
        var s = (0..<3).map { i in (0..<3).map { j in rows[i].dot(rows[j]) } }
        var v = [[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]
        for _ in 0..<32 {
            var largest = 0.0
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                let off = s[p][q]
                largest = Swift.max(largest, off.magnitude)
                guard off != 0 else { continue }
                let theta = (s[q][q] - s[p][p]) / (2 * off)
                let t = (theta < 0 ? -1.0 : 1.0) / (theta.magnitude + (theta * theta + 1).squareRoot())
                let c = 1 / (t * t + 1).squareRoot()
                let sine = t * c
                guard c.isFinite, sine.isFinite else { continue }
                for k in 0..<3 {
                    let (a, b) = (s[k][p], s[k][q])
                    (s[k][p], s[k][q]) = (c * a - sine * b, sine * a + c * b)
                }
                for k in 0..<3 {
                    let (a, b) = (s[p][k], s[q][k])
                    (s[p][k], s[q][k]) = (c * a - sine * b, sine * a + c * b)
                }
                for k in 0..<3 {
                    let (a, b) = (v[k][p], v[k][q])
                    (v[k][p], v[k][q]) = (c * a - sine * b, sine * a + c * b)
                }
            }
            if largest == 0 || largest < 1e-18 * (s[0][0] + s[1][1] + s[2][2]) { break }
        }
        // Columns of v are the eigenvectors: M = v · (vᵀ · M), the second with rows at right angles.
        func column(_ k: Int) -> Vector3d { Vector3d(v[0][k], v[1][k], v[2][k]) }
        var basis = [column(0), column(1), column(2)]
        if basis[0].cross(basis[1]).dot(basis[2]) < 0 { basis[2] = basis[2] * -1 }
        var outerRows: [Vector3d] = []
        for k in 0..<3 { outerRows.append(rows[0] * basis[k].x + rows[1] * basis[k].y + rows[2] * basis[k].z) }
        // What is left of an axis that is flattened is rounding, and points anywhere.
        let longest = outerRows.reduce(0) { Swift.max($0, $1.length) }
        for k in 0..<3 where outerRows[k].length < 1e-9 * longest { outerRows[k] = Vector3d(0, 0, 0) }
        func row(_ r: Vector3d, _ w: Double = 0) -> SIMD4<Double> { SIMD4(r.x, r.y, r.z, w) }
        let outerMatrix = Matrix4d(row(outerRows[0]), row(outerRows[1]), row(outerRows[2]), row(last, 1))
        let innerMatrix = Matrix4d(
            SIMD4(basis[0].x, basis[1].x, basis[2].x, 0), SIMD4(basis[0].y, basis[1].y, basis[2].y, 0),
            SIMD4(basis[0].z, basis[1].z, basis[2].z, 0), SIMD4(0, 0, 0, 1))
        guard let inner = TransformParts(innerMatrix), let outer = TransformParts(outerMatrix, tolerance: 1e-5) else { return nil }
        return (inner, outer)
    }
}
