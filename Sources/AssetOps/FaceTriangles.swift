import AssetModel

/// Faces of a mesh cut into triangles: polygons by ear clipping, faces without area left out.
public struct FaceTriangles: Sendable {
    /// Three corners a triangle; nil where all faces are triangles and none is left out.
    @usableFromInline let corners: [Int32]?
    /// The face of each triangle; empty where all faces are drawn and are triangles.
    @usableFromInline let faces: [Int32]
    public let count: Int
    /// Faces without area, left out.
    public let degenerate: Int

    /// Some faces of a mesh whose faces are triangles with an area, every one.
    init(triangles list: [Int32]) { (corners, faces, count, degenerate) = (nil, list, list.count, 0) }

    /// Whether every face of the mesh is a triangle and none is left out, so that no corners had to be listed.
    var isPlain: Bool { corners == nil && faces.isEmpty }

    /// - Parameter list: the faces, or nil for all that `polygons` has.
    public init(_ polygons: PolygonMesh, _ list: [Int32]?) {
        if list == nil, polygons.faceSize == 3, FaceTriangles.haveArea(polygons) {
            (corners, faces, count, degenerate) = (nil, [], polygons.faceCount, 0)
            return
        }
        var triangulator = Triangulator()
        var positions: [Point3d] = []
        var local: [Int32] = []
        var cut: [Int32] = []
        var owners: [Int32] = []
        var without = 0
        let faceCount = list?.count ?? polygons.faceCount
        let corners = list == nil ? polygons.faceVertexIndices.count : faceCount * (polygons.faceSize ?? 4)
        cut.reserveCapacity(Swift.max(0, corners - 2 * faceCount) * 3)
        owners.reserveCapacity(Swift.max(0, corners - 2 * faceCount))
        for k in 0..<faceCount {
            let face = list.map { Int($0[k]) } ?? k
            let range = polygons.corners(face)
            positions.removeAll(keepingCapacity: true)
            for corner in range { positions.append(polygons.points[Int(polygons.faceVertexIndices[corner])]) }
            local.removeAll(keepingCapacity: true)
            guard triangulator.triangulate(positions, into: &local) else {
                without += 1
                continue
            }
            for c in local { cut.append(Int32(truncatingIfNeeded: range.lowerBound) &+ c) }
            for _ in 0..<(local.count / 3) { owners.append(Int32(truncatingIfNeeded: face)) }
        }
        self.corners = cut
        faces = owners
        count = owners.count
        degenerate = without
    }

    /// Bytes of memory held, roughly.
    public var byteCount: Int { (corners?.count ?? 0) * 4 + faces.count * 4 }

    /// The face that a triangle is cut from.
    @inlinable public func face(_ k: Int) -> Int { faces.isEmpty ? k : Int(faces[k]) }

    /// The corners of a triangle, in the face's winding.
    @inlinable public func corners(_ k: Int) -> (Int, Int, Int) {
        guard let corners else {
            let at = 3 &* face(k)
            return (at, at &+ 1, at &+ 2)
        }
        let at = 3 &* k
        return (Int(corners[at]), Int(corners[at &+ 1]), Int(corners[at &+ 2]))
    }

    /// Whether every one of many triangles has an area, by the measure of `Triangulator`.
    private static func haveArea(_ polygons: PolygonMesh) -> Bool {
        polygons.faceVertexIndices.withUnsafeBufferPointer { indices in
            func check(_ point: (Int) -> Point3d) -> Bool {
                var k = 0
                while k + 2 < indices.count {
                    let o = point(Int(indices[k]))
                    let (a, b) = (point(Int(indices[k + 1])) - o, point(Int(indices[k + 2])) - o)
                    let normal = a.cross(b)
                    let extent = Swift.max(a.dot(a), b.dot(b))
                    let square = normal.dot(normal)
                    // Squares that vanish or overflow are looked at again by the triangulator.
                    guard square > 1e-28 * extent * extent, square > 0, square.isFinite else { return false }
                    k += 3
                }
                return true
            }
            switch polygons.points {
            case .float(let points): return points.withUnsafeBufferPointer { points in check { Point3d(points[$0]) } }
            case .double(let points): return points.withUnsafeBufferPointer { points in check { points[$0] } }
            }
        }
    }
}
