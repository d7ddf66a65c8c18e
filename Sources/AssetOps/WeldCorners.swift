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
    let indices: [Int32]
    let points: [P]
    /// Triangles with a corner that is not finite.
    let leftOut: [Int]

    init(_ corners: [P]) {
        var table = WeldTable<P>()
        var leftOut: [Int] = []
        indices = [Int32](unsafeUninitializedCapacity: corners.count) { out, count in
            HugePages.advise(out)
            corners.withUnsafeBufferPointer { corners in
                for triangle in 0..<(corners.count / 3) {
                    let i = 3 &* triangle
                    let (a, b, c) = (corners[i], corners[i &+ 1], corners[i &+ 2])
                    guard a.isFinite, b.isFinite, c.isFinite else {
                        leftOut.append(triangle)
                        continue
                    }
                    table.makeRoom()
                    out[count] = table.place(a)
                    out[count &+ 1] = table.place(b)
                    out[count &+ 2] = table.place(c)
                    count &+= 3
                }
            }
        }
        points = table.points
        self.leftOut = leftOut
    }
}

/// The different points met so far.
private struct WeldTable<P: WeldPoint>: ~Copyable {
    /// A point's number and one, below the upper half of its hash; 0 is empty.
    private var slots: UnsafeMutablePointer<UInt64>
    private var mask: Int
    private var met: UnsafeMutablePointer<P>
    private var count = 0

    init() {
        mask = (1 << 12) - 1
        slots = HugePages.allocate(UInt64.self, count: mask + 1)
        slots.update(repeating: 0, count: mask + 1)
        met = .allocate(capacity: (mask + 1) / 2)
    }

    deinit {
        slots.deallocate()
        met.deallocate()
    }

    var points: [P] { Array(UnsafeBufferPointer(start: met, count: count)) }

    /// Room for three more points.
    @inline(__always) mutating func makeRoom() {
        if (count &+ 3) &* 2 > mask { grow() }
    }

    @inline(__always) mutating func place(_ p: P) -> Int32 {
        let hash = p.weldHash
        let tag = hash & 0xFFFF_FFFF_0000_0000
        var at = Int(truncatingIfNeeded: hash) & mask
        while slots[at] != 0 {
            let slot = slots[at]
            if slot & 0xFFFF_FFFF_0000_0000 == tag {
                let known = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) &- 1
                if met[known] == p { return Int32(truncatingIfNeeded: known) }
            }
            at = (at &+ 1) & mask
        }
        (met + count).initialize(to: p)
        count &+= 1
        slots[at] = tag | UInt64(truncatingIfNeeded: count)
        return Int32(truncatingIfNeeded: count &- 1)
    }

    private mutating func grow() {
        let room = (mask + 1) * 4
        slots.deallocate()
        slots = HugePages.allocate(UInt64.self, count: room)
        slots.update(repeating: 0, count: room)
        mask = room - 1
        let larger = UnsafeMutablePointer<P>.allocate(capacity: room / 2)
        larger.moveInitialize(from: met, count: count)
        met.deallocate()
        met = larger
        for k in 0..<count {
            let hash = met[k].weldHash
            var at = Int(truncatingIfNeeded: hash) & mask
            while slots[at] != 0 { at = (at + 1) & mask }
            slots[at] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: k + 1)
        }
    }
}
