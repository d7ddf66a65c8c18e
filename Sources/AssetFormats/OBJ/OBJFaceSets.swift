import AssetModel
import AssetOps

/// The named sets of a mesh's faces that are no materials, as OBJ has them: groups, of which a face may be in several.
struct OBJFaceSets {
    /// The sets that a face is in, together, by number; 0 for none.
    private var combination: [Int32]
    /// Each combination is another one and one set more.
    private var chain: [(rest: Int32, name: String)] = [(0, "")]

    /// Nil where the mesh has none. Throws where the mesh's bytes are damaged.
    init?(_ mesh: Mesh, isWritten: (Int) -> Bool) throws(AssetError) {
        let count = mesh.faceVertexCounts.count
        combination = []
        for (i, subset) in mesh.subsets.enumerated() where isWritten(i) && subset.isOfFaces && !subset.faces.isEmpty {
            if combination.isEmpty { combination = [Int32](repeating: 0, count: count) }
            let name = objName(subset.name)
            var joined: [Int32: Int32] = [:]
            let first = Int32(truncatingIfNeeded: chain.count)
            for face in try subset.faces.load() where face >= 0 && Int(face) < count {
                let rest = combination[Int(face)]
                // A set that names a face twice.
                if rest >= first { continue }
                if joined[rest] == nil {
                    joined[rest] = Int32(truncatingIfNeeded: chain.count)
                    chain.append((rest, name))
                }
                combination[Int(face)] = joined[rest] ?? 0
            }
        }
        if combination.isEmpty { return nil }
    }

    /// The names of a combination with blanks between, in the order of the sets.
    private func names(_ combination: Int32) -> String {
        var names: [String] = []
        var at = Int(combination)
        while at > 0 {
            names.append(chain[at].name)
            at = Int(chain[at].rest)
        }
        return names.reversed().joined(separator: " ")
    }

    /// Faces by combination, in the order of the first of each.
    func parts(_ faces: [Int32]?) -> [(name: String, faces: [Int32])] {
        var lists: [Int32: [Int32]] = [:]
        var order: [Int32] = []
        func take(_ face: Int32) {
            let c = combination[Int(face)]
            if lists[c] == nil { order.append(c) }
            lists[c, default: []].append(face)
        }
        if let faces {
            for face in faces { take(face) }
        } else {
            for face in combination.indices { take(Int32(truncatingIfNeeded: face)) }
        }
        return order.map { (names($0), lists[$0] ?? []) }
    }
}
