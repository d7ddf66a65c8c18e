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
