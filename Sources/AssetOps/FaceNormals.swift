public import AssetModel

extension PolygonMesh {
    /// The unit normals of the faces, one a face, of faces without area (0, 0, 1): what a mesh without normals is shaded with.
    public func flatNormals(_ orientation: Orientation) -> MeshAttribute<Vector3f> {
        var values = [Vector3f](repeating: Vector3f(0, 0, 1), count: faceCount)
        forEachFaceNormal(orientation) { face, normal in values[face] = NormalTransform.unit(normal) }
        return MeshAttribute(domain: .face, values: values)
    }

    /// Unit normals of the points, the means of those of the faces round them by area: what a subdivision surface is shaded with.
    public func smoothNormals(_ orientation: Orientation) -> MeshAttribute<Vector3f> {
        var sums = [Vector3d](repeating: Vector3d(0, 0, 0), count: points.count)
        forEachFaceNormal(orientation) { face, normal in
            for corner in corners(face) {
                let point = Int(faceVertexIndices[corner])
                sums[point] = sums[point] + normal
            }
        }
        return MeshAttribute(domain: .point, values: sums.map { NormalTransform.unit($0) })
    }

    /// Twice the area vector of each drawn face, in its outward direction.
    private func forEachFaceNormal(_ orientation: Orientation, _ body: (Int, Vector3d) -> Void) {
        let sign: Double = orientation == .leftHanded ? -1 : 1
        var positions: [Point3d] = []
        for k in 0..<drawnFaceCount {
            let face = keptFaces.map { Int($0[k]) } ?? k
            positions.removeAll(keepingCapacity: true)
            for corner in corners(face) { positions.append(points[Int(faceVertexIndices[corner])]) }
            body(face, newellNormal(positions) * sign)
        }
    }
}
