/// A 4×4 matrix of doubles that transforms row vectors: `p' = p · M`, translation in elements 12 to 14.
///
/// USD's row-vector, row-major and glTF's column-vector, column-major matrices are the same 16 numbers in memory.
@frozen public struct Matrix4d: Hashable, Sendable {
    /// The rows; `rows.3` holds the translation.
    public var rows: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)

    @inlinable public init(_ r0: SIMD4<Double>, _ r1: SIMD4<Double>, _ r2: SIMD4<Double>, _ r3: SIMD4<Double>) {
        rows = (r0, r1, r2, r3)
    }

    // Component by component: array literals would make arrays first.
    @inlinable public static var identity: Matrix4d {
        Matrix4d(SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1))
    }

    /// Whether it is the identity bit by bit: no zero is negative.
    var isExactlyIdentity: Bool {
        func isBits(_ r: SIMD4<Double>, _ expected: SIMD4<Double>) -> Bool {
            r.x.bitPattern == expected.x.bitPattern && r.y.bitPattern == expected.y.bitPattern && r.z.bitPattern == expected.z.bitPattern
                && r.w.bitPattern == expected.w.bitPattern
        }
        let one = Matrix4d.identity.rows
        return isBits(rows.0, one.0) && isBits(rows.1, one.1) && isBits(rows.2, one.2) && isBits(rows.3, one.3)
    }

    /// 16 numbers, row by row; `nil` for any other count.
    public init?(_ m: [Double]) {
        guard m.count == 16 else { return nil }
        self.init(
            [m[0], m[1], m[2], m[3]], [m[4], m[5], m[6], m[7]], [m[8], m[9], m[10], m[11]], [m[12], m[13], m[14], m[15]])
    }

    /// The 16 numbers, row by row.
    public var elements: [Double] {
        [rows.0, rows.1, rows.2, rows.3].flatMap { [$0.x, $0.y, $0.z, $0.w] }
    }

    @inlinable public static func translation(_ t: Vector3d) -> Matrix4d {
        Matrix4d(SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(t.x, t.y, t.z, 1))
    }

    @inlinable public static func scale(_ s: Vector3d) -> Matrix4d {
        Matrix4d(SIMD4(s.x, 0, 0, 0), SIMD4(0, s.y, 0, 0), SIMD4(0, 0, s.z, 0), SIMD4(0, 0, 0, 1))
    }

    /// `a * b` applies `a` first: `p · (a · b) = (p · a) · b`.
    @inlinable public static func * (a: Matrix4d, b: Matrix4d) -> Matrix4d {
        @inline(__always) func row(_ r: SIMD4<Double>) -> SIMD4<Double> {
            r.x * b.rows.0 + r.y * b.rows.1 + r.z * b.rows.2 + r.w * b.rows.3
        }
        return Matrix4d(row(a.rows.0), row(a.rows.1), row(a.rows.2), row(a.rows.3))
    }

    /// Transforms a point, without a perspective divide.
    @inlinable public func transform(point p: Vector3d) -> Vector3d {
        let r = p.x * rows.0 + p.y * rows.1 + p.z * rows.2 + rows.3
        return Vector3d(r.x, r.y, r.z)
    }

    /// Transforms a direction: rotation and scale only.
    @inlinable public func transform(direction d: Vector3d) -> Vector3d {
        let r = d.x * rows.0 + d.y * rows.1 + d.z * rows.2
        return Vector3d(r.x, r.y, r.z)
    }

    /// The determinant of the upper left 3×3; negative where the transform mirrors.
    public var determinant3: Double {
        let (a, b, c) = (rows.0, rows.1, rows.2)
        return a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) + a.z * (b.x * c.y - b.y * c.x)
    }

    /// The inverse, or `nil` where the matrix is singular or not finite.
    public var inverse: Matrix4d? {
        var m = [elements[0..<4], elements[4..<8], elements[8..<12], elements[12..<16]].map(Array.init)
        var out = [[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        for column in 0..<4 {
            guard let pivot = (column..<4).max(by: { m[$0][column].magnitude < m[$1][column].magnitude }),
                m[pivot][column] != 0, m[pivot][column].isFinite
            else { return nil }
            m.swapAt(column, pivot)
            out.swapAt(column, pivot)
            let p = m[column][column]
            for j in 0..<4 {
                m[column][j] /= p
                out[column][j] /= p
            }
            for row in 0..<4 where row != column {
                let f = m[row][column]
                if f == 0 { continue }
                for j in 0..<4 {
                    m[row][j] -= f * m[column][j]
                    out[row][j] -= f * out[column][j]
                }
            }
        }
        return Matrix4d(out.flatMap { $0 })
    }

    @inlinable public static func == (a: Matrix4d, b: Matrix4d) -> Bool {
        a.rows.0 == b.rows.0 && a.rows.1 == b.rows.1 && a.rows.2 == b.rows.2 && a.rows.3 == b.rows.3
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rows.0)
        hasher.combine(rows.1)
        hasher.combine(rows.2)
        hasher.combine(rows.3)
    }
}
