public import AssetModel

/// Whether float32 would move points of a box by more than a millionth of its size after a transform; no transform moves none that
/// were float32 before.
public func needsDoubles(_ bounds: BoundingBox, _ m: Matrix4d) -> Bool {
    guard m != .identity, !bounds.isEmpty else { return false }
    var box = BoundingBox()
    for i in 0..<8 {
        box.formUnion(
            m.transform(
                point: Vector3d(
                    i & 1 == 0 ? bounds.min.x : bounds.max.x, i & 2 == 0 ? bounds.min.y : bounds.max.y,
                    i & 4 == 0 ? bounds.min.z : bounds.max.z)))
    }
    let far = [box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z].reduce(0) { Swift.max($0, $1.magnitude) }
    // Half a unit in the last place of a float is 2^-25 of the number.
    return far * 0x1p-25 > 1e-6 * box.size.length && box.size.length > 0
}

extension PolygonMesh {
    /// Whether the points need doubles after a transform: the source has some, or float32 would move them (`needsDoubles`).
    public func needsDoubles(_ m: Matrix4d) -> Bool {
        if case .double = points { return true }
        return AssetOps.needsDoubles(bounds, m)
    }
}

extension BoundingBox {
    /// The length of the diagonal after a transform, roughly.
    public func diagonal(_ m: Matrix4d) -> Double {
        guard !isEmpty else { return 0 }
        let (x, y, z) = (size.x, size.y, size.z)
        let far = [(x, y, z), (-x, y, z), (x, -y, z), (x, y, -z)].map { m.transform(direction: Vector3d($0.0, $0.1, $0.2)).length }
        return far.reduce(0) { Swift.max($0, $1) }
    }
}

/// What float32 does to points that were not float32 before.
public struct FloatLoss: Sendable {
    /// How far a coordinate was moved at most.
    public var moved = 0.0
    /// Triangles of which two corners that were apart became one.
    public var merged = 0

    public init() {}

    public mutating func formUnion(_ other: FloatLoss) {
        moved = Swift.max(moved, other.moved)
        merged += other.merged
    }
}
