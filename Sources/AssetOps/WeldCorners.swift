public import AssetModel

extension Scene {
    /// Joins corners with exactly equal positions in every mesh whose corners share nothing, so that triangles that touch become
    /// one surface. Triangles with a position that is not finite are left out, with a warning; those that become lines or
    /// points stay, since a writer says what it does with them.
    ///
    /// - Throws: what loading the points throws.
    public mutating func weldCorners(_ diagnostics: inout Diagnostics) throws(AssetError) {
        var leftOut = 0
        var first: String?
        for node in nodes {
            guard case .mesh(let id) = node.content else { continue }
            let dropped = try meshes[id].weldCorners()
            if dropped > 0, first == nil { first = node.path }
            leftOut += dropped
        }
        if leftOut > 0 {
            diagnostics.warning(
                "mesh.position-not-finite", "\(amount(leftOut, "triangle")) with a position that is not finite: left out",
                at: SourceLocation(file: source.file, primPath: first))
        }
    }
}

extension Mesh {
    /// Welds a mesh of loose triangles; returns how many were left out.
    fileprivate mutating func weldCorners() throws(AssetError) -> Int {
        switch points {
        case .float(let array):
            let all = try array.load()
            let welded = Weld(all)
            points = .float(.loaded(welded.points))
            return try take(welded)
        case .double(let array):
            let all = try array.load()
            let welded = Weld(all)
            points = .double(.loaded(welded.points))
            return try take(welded)
        }
    }

    private mutating func take<P>(_ welded: Weld<P>) throws(AssetError) -> Int {
        faceVertexIndices = .loaded(welded.indices)
        faceVertexCounts = .deferred(RepeatedArray(3, count: welded.indices.count / 3))
        if !welded.leftOut.isEmpty {
            for i in primvars.indices where primvars[i].interpolation == .uniform { try primvars[i].leaveOut(welded.leftOut) }
        }
        return welded.leftOut.count
    }
}

extension Primvar {
    /// Drops the values of faces that are gone; those are in order.
    fileprivate mutating func leaveOut(_ faces: [Int]) throws(AssetError) {
        guard case .float3(let array) = values else { return }
        var kept: [Vector3f] = []
        var next = faces[...]
        for (face, value) in try array.load().enumerated() {
            if next.first == face { next.removeFirst() } else { kept.append(value) }
        }
        values = .float3(.loaded(kept))
    }
}

/// A point whose equals are found by a hash. Minus zero is zero.
private protocol WeldPoint: Equatable, Sendable {
    var isFinite: Bool { get }
    var weldHash: UInt64 { get }
}

extension Point3f: WeldPoint {
    @inline(__always) fileprivate var weldHash: UInt64 {
        mixed(UInt64((x + 0).bitPattern) << 32 | UInt64((y + 0).bitPattern), UInt64((z + 0).bitPattern))
    }
}

extension Point3d: WeldPoint {
    @inline(__always) fileprivate var weldHash: UInt64 { mixed(mixed((x + 0).bitPattern, (y + 0).bitPattern), (z + 0).bitPattern) }
}

@inline(__always) private func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var h = a &* 0x9e37_79b9_7f4a_7c15
    h = (h ^ (h >> 29) ^ b) &* 0xbf58_476d_1ce4_e5b9
    return h ^ (h >> 32)
}

/// Equal corners found with a table of open addressing, which grows with the points that are different: of those there are far fewer
/// than corners.
private struct Weld<P: WeldPoint> {
    /// Corner by corner: which of `points` it is.
    private(set) var indices: [Int32] = []
    private(set) var points: [P] = []
    /// Triangles with a corner that is not finite.
    private(set) var leftOut: [Int] = []
    /// A point's number and one, below the upper half of its hash; 0 is empty.
    private var slots: [UInt64]

    init(_ corners: [P]) {
        slots = [UInt64](filled: 1 << 12, with: 0)
        indices.reserveCapacity(corners.count)
        points.reserveCapacity(corners.count / 4)
        corners.withUnsafeBufferPointer { corners in
            var triangle = 0
            while 3 * triangle + 2 < corners.count {
                let i = 3 * triangle
                let (a, b, c) = (corners[i], corners[i + 1], corners[i + 2])
                if a.isFinite, b.isFinite, c.isFinite {
                    if (points.count + 3) * 2 > slots.count { grow() }
                    indices.append(place(a))
                    indices.append(place(b))
                    indices.append(place(c))
                } else {
                    leftOut.append(triangle)
                }
                triangle += 1
            }
        }
        slots = []
    }

    @inline(__always) private mutating func place(_ p: P) -> Int32 {
        let hash = p.weldHash
        let mask = slots.count &- 1
        let tag = hash & 0xFFFF_FFFF_0000_0000
        var at = Int(truncatingIfNeeded: hash) & mask
        while slots[at] != 0 {
            if slots[at] & 0xFFFF_FFFF_0000_0000 == tag {
                let known = Int(truncatingIfNeeded: slots[at] & 0xFFFF_FFFF) &- 1
                if points[known] == p { return Int32(truncatingIfNeeded: known) }
            }
            at = (at &+ 1) & mask
        }
        points.append(p)
        slots[at] = tag | UInt64(truncatingIfNeeded: points.count)
        return Int32(truncatingIfNeeded: points.count &- 1)
    }

    private mutating func grow() {
        let mask = slots.count * 4 - 1
        slots = [UInt64](filled: mask + 1, with: 0)
        for (k, point) in points.enumerated() {
            let hash = point.weldHash
            var at = Int(truncatingIfNeeded: hash) & mask
            while slots[at] != 0 { at = (at + 1) & mask }
            slots[at] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: k + 1)
        }
    }
}
