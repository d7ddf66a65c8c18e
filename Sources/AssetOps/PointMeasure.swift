public import AssetModel

/// Positions of a text as they are read, block by block: their box, and whether single precision holds them.
public struct PointMeasure: Sendable {
    /// Of what single precision holds.
    public private(set) var bounds = FiniteBounds()
    /// Of the positions in double precision, as far as they were added so.
    public private(set) var exact = FiniteBounds()
    /// How far single precision moves a coordinate at most.
    private var farthest = 0.0

    public init() {}

    public mutating func formUnion(_ other: PointMeasure) {
        bounds.formUnion(other.bounds)
        exact.formUnion(other.exact)
        farthest = max(farthest, other.farthest)
    }

    public mutating func add(_ block: UnsafeBufferPointer<Point3f>) {
        bounds.box.formUnion(floatBounds(block, leftOut: &bounds.leftOut))
    }

    /// Adds positions in double precision, and what single precision holds of them.
    public mutating func add(_ block: UnsafeBufferPointer<Point3d>) {
        for p in block {
            let held = Vector3d(Double(Float(p.x)), Double(Float(p.y)), Double(Float(p.z)))
            if held.isFinite { bounds.box.formUnion(held) } else { bounds.leftOut += 1 }
            guard p.isFinite else {
                exact.leftOut += 1
                continue
            }
            exact.box.formUnion(p)
            let moved = p - held
            farthest = max(farthest, max(moved.x.magnitude, max(moved.y.magnitude, moved.z.magnitude)))
        }
    }

    /// Whether single precision may move a position by more than a millionth of the whole's size, as far as the positions in single
    /// precision tell: not where even the largest number is moved by less.
    public var mayNeedDoubles: Bool {
        if bounds.leftOut > 0 { return true }
        if bounds.box.isEmpty { return false }
        let (low, high) = (bounds.box.min, bounds.box.max)
        let largest = max(max(-low.x, high.x), max(max(-low.y, high.y), max(-low.z, high.z)))
        // Numbers near zero are held less well.
        return largest < 0x1p-120 || largest * 0x1p-24 > diagonal * 1e-6
    }

    /// Whether it does so, where all were added in double precision.
    public var needsDoubles: Bool { farthest > 0 && farthest > diagonal * 1e-6 }

    private var diagonal: Double {
        if bounds.box.isEmpty { return 0 }
        let size = bounds.box.size
        return (size.x * size.x + size.y * size.y + size.z * size.z).squareRoot()
    }
}
