import AssetModel

extension SceneReader {
    /// The outer faces of a TetMesh: those it names, otherwise the faces that belong to one tetrahedron only
    /// (UsdGeomTetMesh::ComputeSurfaceFaces).
    func tetMeshSurface(_ prim: StagePrim, _ cloud: PointCloud) throws(AssetError) -> Mesh? {
        var corners = try components(prim, names.surfaceFaceVertexIndices, of: 3)
        if corners.isEmpty { corners = Self.outerFaces(try components(prim, names.tetVertexIndices, of: 4)) }
        guard !corners.isEmpty else { return nil }
        var mesh = Mesh(
            points: cloud.points, faceVertexCounts: .loaded(Array(repeating: 3, count: corners.count / 3)),
            faceVertexIndices: .loaded(corners))
        // Only what belongs to points carries over: the primvars of tetrahedra have no faces to go to.
        mesh.primvars = cloud.primvars.filter { [.constant, .vertex, .varying].contains($0.interpolation) }
        if try stage.value(prim, .orientation, at: time)?.resolved().tokenValue == .leftHanded { mesh.orientation = .leftHanded }
        return mesh
    }

    /// All integers of an `int3[]` or `int4[]`.
    private func components(_ prim: StagePrim, _ name: Token, of size: Int) throws(AssetError) -> [Int32] {
        guard case .array(let a)? = try stage.value(prim, name, at: time)?.resolved(), a.type.components == size,
            case .int(let v) = a.storage
        else { return [] }
        return v
    }

    /// Faces that one tetrahedron has alone, wound outwards for the right-handed order of four corners.
    static func outerFaces(_ tetrahedra: [Int32]) -> [Int32] {
        struct Key: Hashable { var a, b, c: Int32 }
        var faces: [Key: (corners: (Int32, Int32, Int32), count: Int)] = [:]
        var order: [Key] = []
        for t in 0..<(tetrahedra.count / 4) {
            let v = (tetrahedra[4 * t], tetrahedra[4 * t + 1], tetrahedra[4 * t + 2], tetrahedra[4 * t + 3])
            for f in [(v.1, v.2, v.3), (v.0, v.3, v.2), (v.0, v.1, v.3), (v.0, v.2, v.1)] {
                let sorted = [f.0, f.1, f.2].sorted()
                let key = Key(a: sorted[0], b: sorted[1], c: sorted[2])
                if faces[key] == nil { order.append(key) }
                faces[key, default: (f, 0)].count += 1
            }
        }
        return order.flatMap { key -> [Int32] in
            guard let face = faces[key], face.count == 1 else { return [] }
            return [face.corners.0, face.corners.1, face.corners.2]
        }
    }
}
