public import AssetModel

/// Takes normals along with a transform of points: the cofactors of the upper 3×3, which work for flattening transforms,
/// too, turned round where the transform mirrors.
@frozen public struct NormalTransform: Sendable {
    @usableFromInline let x, y, z: Vector3d
    /// Equal for transforms that treat normals alike.
    public var key: [Double] { [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z] }

    public init(_ m: Matrix4d) {
        let a = Vector3d(m.rows.0.x, m.rows.0.y, m.rows.0.z)
        let b = Vector3d(m.rows.1.x, m.rows.1.y, m.rows.1.z)
        let c = Vector3d(m.rows.2.x, m.rows.2.y, m.rows.2.z)
        let sign: Double = m.determinant3 < 0 ? -1 : 1
        (x, y, z) = (b.cross(c) * sign, c.cross(a) * sign, a.cross(b) * sign)
    }

    @inlinable public func apply(_ n: Vector3f) -> Vector3f {
        Self.unit(x * Double(n.x) + y * Double(n.y) + z * Double(n.z))
    }

    @inlinable public static func unit(_ n: Vector3d) -> Vector3f {
        let length = n.length
        // A transform that flattens everything leaves no direction.
        guard length > 0, length.isFinite else { return Vector3f(0, 0, 1) }
        return Vector3f(Float(n.x / length), Float(n.y / length), Float(n.z / length))
    }

    /// A normal of unit length; what is that as floats go stays as it is, to the last digit.
    @inlinable public static func normalized(_ n: Vector3f) -> Vector3f {
        let square = n.x * n.x + n.y * n.y + n.z * n.z
        return (square - 1).magnitude < 1e-6 ? n : unit(Vector3d(n))
    }
}
