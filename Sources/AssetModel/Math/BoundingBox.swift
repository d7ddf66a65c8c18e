/// An axis-aligned box of doubles. Points that are not finite are left out.
@frozen public struct BoundingBox: Hashable, Sendable {
    public var min: Vector3d
    public var max: Vector3d

    /// The box that holds nothing.
    @inlinable public init() {
        min = Vector3d(.infinity, .infinity, .infinity)
        max = Vector3d(-.infinity, -.infinity, -.infinity)
    }

    @inlinable public init(min: Vector3d, max: Vector3d) {
        self.min = min
        self.max = max
    }

    @inlinable public var isEmpty: Bool { !(min.x <= max.x && min.y <= max.y && min.z <= max.z) }
    @inlinable public var size: Vector3d { max - min }
    @inlinable public var center: Vector3d { (min + max) * 0.5 }

    @inlinable public mutating func formUnion(_ p: Vector3d) {
        guard p.isFinite else { return }
        min = Vector3d(Swift.min(min.x, p.x), Swift.min(min.y, p.y), Swift.min(min.z, p.z))
        max = Vector3d(Swift.max(max.x, p.x), Swift.max(max.y, p.y), Swift.max(max.z, p.z))
    }

    @inlinable public mutating func formUnion(_ other: BoundingBox) {
        guard !other.isEmpty else { return }
        formUnion(other.min)
        formUnion(other.max)
    }
}
