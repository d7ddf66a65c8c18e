public import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Normals made from faces: those around a point that belong to the same smoothing group share theirs, each weighing as much as
/// its angle there (Thürmer and Wüthrich 1998), so that it does not matter how a face is cut into triangles.
public enum SmoothNormals {
    /// One unit normal a corner, as values and an index a corner.
    ///
    /// - Parameters:
    ///   - sizes: corners of each face; together as many as `indices`, which name `points`.
    ///   - groups: one a face: its smoothing group; 0 for a face that stays flat.
    public static func perCorner(
        points: PolygonMesh.Points, sizes: [Int32], indices: [Int32], groups: [Int32]
    ) -> (values: [Vector3f], indices: [Int32]) {
        var slots = Slots(pointCount: points.count)
        var ofCorner = [Int32](repeating: 0, count: indices.count)
        var corner = 0
        for (face, size) in sizes.enumerated() where Int(size) <= indices.count - corner {
            let corners = corner..<(corner + Int(size))
            corner += Int(size)
            let normal = unit(newell(points, indices, corners))
            if groups[face] == 0 {
                let slot = slots.append(normal)
                for c in corners { ofCorner[c] = slot }
                continue
            }
            for c in corners {
                let slot = slots.slot(Int(indices[c]), groups[face])
                ofCorner[c] = slot
                slots.sums[Int(slot)] = slots.sums[Int(slot)] + normal * angle(points, indices, corners, c)
            }
        }
        return (
            slots.sums.map { sum in
                let n = unit(sum)
                return Vector3f(Float(n.x), Float(n.y), Float(n.z))
            }, ofCorner
        )
    }

    /// The sum of the cross products around a face: twice its area along its normal.
    private static func newell(_ points: PolygonMesh.Points, _ indices: [Int32], _ corners: Range<Int>) -> Vector3d {
        guard let first = corners.first else { return Vector3d(0, 0, 0) }
        let origin = points[Int(indices[first])]
        var sum = Vector3d(0, 0, 0)
        var last = Vector3d(0, 0, 0)
        for c in corners.dropFirst() {
            let next = points[Int(indices[c])] - origin
            sum = sum + last.cross(next)
            last = next
        }
        return sum
    }

    /// The angle of a face at one of its corners, in radians.
    private static func angle(_ points: PolygonMesh.Points, _ indices: [Int32], _ corners: Range<Int>, _ c: Int) -> Double {
        let here = points[Int(indices[c])]
        let before = unit(points[Int(indices[c == corners.lowerBound ? corners.upperBound - 1 : c - 1])] - here)
        let after = unit(points[Int(indices[c + 1 == corners.upperBound ? corners.lowerBound : c + 1])] - here)
        // From the lengths of sum and difference: exact for small angles as well.
        return 2 * atan2((before - after).length, (before + after).length)
    }

    private static func unit(_ v: Vector3d) -> Vector3d {
        let length = v.length
        return length > 0 && length.isFinite ? v * (1 / length) : Vector3d(0, 0, 0)
    }

    /// Sums by point and group; nearly all points have one group only.
    private struct Slots {
        var sums: [Vector3d] = []
        private var first: [(group: Int32, slot: Int32)]
        private var others: [UInt64: Int32] = [:]

        init(pointCount: Int) { first = Array(repeating: (0, 0), count: pointCount) }

        mutating func append(_ normal: Vector3d) -> Int32 {
            sums.append(normal)
            return Int32(truncatingIfNeeded: sums.count - 1)
        }

        mutating func slot(_ point: Int, _ group: Int32) -> Int32 {
            if first[point].group == group { return first[point].slot }
            if first[point].group == 0 {
                first[point] = (group, append(Vector3d(0, 0, 0)))
                return first[point].slot
            }
            let key = UInt64(UInt32(truncatingIfNeeded: point)) << 32 | UInt64(UInt32(bitPattern: group))
            if let known = others[key] { return known }
            let made = append(Vector3d(0, 0, 0))
            others[key] = made
            return made
        }
    }
}
