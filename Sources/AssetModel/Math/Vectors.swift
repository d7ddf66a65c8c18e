/// Two packed floats: texture coordinates and the like. Stored packed (stride 8), as files hold them.
@frozen public struct Vector2f: Hashable, Sendable {
    public var x, y: Float
    @inlinable public init(_ x: Float, _ y: Float) { (self.x, self.y) = (x, y) }
}

/// Three packed floats (stride 12, as files hold them; `SIMD3` has stride 16).
@frozen public struct Vector3f: Hashable, Sendable {
    public var x, y, z: Float
    @inlinable public init(_ x: Float, _ y: Float, _ z: Float) { (self.x, self.y, self.z) = (x, y, z) }
    @inlinable public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}

public typealias Point3f = Vector3f

/// Four packed floats.
@frozen public struct Vector4f: Hashable, Sendable {
    public var x, y, z, w: Float
    @inlinable public init(_ x: Float, _ y: Float, _ z: Float, _ w: Float) { (self.x, self.y, self.z, self.w) = (x, y, z, w) }
}

/// Three packed doubles (stride 24).
@frozen public struct Vector3d: Hashable, Sendable {
    public var x, y, z: Double
    @inlinable public init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }
    @inlinable public init(_ v: Vector3f) { self.init(Double(v.x), Double(v.y), Double(v.z)) }
    @inlinable public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

    @inlinable public static func + (a: Self, b: Self) -> Self { Self(a.x + b.x, a.y + b.y, a.z + b.z) }
    @inlinable public static func - (a: Self, b: Self) -> Self { Self(a.x - b.x, a.y - b.y, a.z - b.z) }
    @inlinable public static func * (a: Self, s: Double) -> Self { Self(a.x * s, a.y * s, a.z * s) }
    @inlinable public func dot(_ b: Self) -> Double { x * b.x + y * b.y + z * b.z }
    @inlinable public func cross(_ b: Self) -> Self { Self(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x) }
    @inlinable public var length: Double { dot(self).squareRoot() }
}

public typealias Point3d = Vector3d

/// A rotation: real part `w` and imaginary part `(x, y, z)`.
@frozen public struct Quaternionf: Hashable, Sendable {
    public var x, y, z, w: Float
    @inlinable public init(x: Float, y: Float, z: Float, w: Float) { (self.x, self.y, self.z, self.w) = (x, y, z, w) }
    public static let identity = Quaternionf(x: 0, y: 0, z: 0, w: 1)
}
