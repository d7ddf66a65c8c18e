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
            let welded = Weld(all.count) { i in
                let p = all[i]
                guard p.isFinite else { return nil }
                // Minus zero is zero.
                return (UInt64((p.x + 0).bitPattern), UInt64((p.y + 0).bitPattern), UInt64((p.z + 0).bitPattern))
            }
            points = .float(.loaded(welded.firsts.map { all[Int($0)] }))
            return try take(welded)
        case .double(let array):
            let all = try array.load()
            let welded = Weld(all.count) { i in
                let p = all[i]
                guard p.isFinite else { return nil }
                return ((p.x + 0).bitPattern, (p.y + 0).bitPattern, (p.z + 0).bitPattern)
            }
            points = .double(.loaded(welded.firsts.map { all[Int($0)] }))
            return try take(welded)
        }
    }

    private mutating func take(_ welded: Weld) throws(AssetError) -> Int {
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

/// Equal keys found with a table of open addressing: the first corner of each stands for all.
private struct Weld {
    typealias Key = (UInt64, UInt64, UInt64)
    /// Corner by corner: which of `firsts` it is.
    private(set) var indices: [Int32] = []
    /// The corner that each welded point was met at first.
    private(set) var firsts: [Int32] = []
    /// Triangles with a corner that has no key.
    private(set) var leftOut: [Int] = []

    init(_ count: Int, _ key: (Int) -> Key?) {
        var size = 16
        while size < count { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        indices.reserveCapacity(count)
        func place(_ i: Int, _ k: Key) -> Int32 {
            var h = k.0 &* 0x9e37_79b9_7f4a_7c15
            h = (h ^ (h >> 29) ^ k.1) &* 0xbf58_476d_1ce4_e5b9
            h = (h ^ (h >> 31) ^ k.2) &* 0x94d0_49bb_1331_11eb
            var at = Int(truncatingIfNeeded: h >> 24) & (size - 1)
            while slots[at] >= 0 {
                let known = slots[at]
                if let other = key(Int(firsts[Int(known)])), other == k { return known }
                at = (at + 1) & (size - 1)
            }
            let new = Int32(truncatingIfNeeded: firsts.count)
            slots[at] = new
            firsts.append(Int32(truncatingIfNeeded: i))
            return new
        }
        var triangle = 0
        while 3 * triangle + 2 < count {
            let i = 3 * triangle
            if let a = key(i), let b = key(i + 1), let c = key(i + 2) {
                indices.append(place(i, a))
                indices.append(place(i + 1, b))
                indices.append(place(i + 2, c))
            } else {
                leftOut.append(triangle)
            }
            triangle += 1
        }
    }
}
