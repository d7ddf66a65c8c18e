import AssetModel
import AssetOps

/// A mesh's arrays, and where what was written of them stands in the file.
final class OBJMeshData {
    let arrays: MeshArrays
    /// Where the texture coordinates of a kind start in the file, so that copies share them.
    var coordinateStarts: [WrittenCoordinates: Int] = [:]
    /// Where the normals start that were written last, and the transform they were written with.
    var writtenNormals: (rotation: [Double], start: Int)?

    struct WrittenCoordinates: Hashable {
        var name: String
        var baked: TextureTransform?
    }

    /// Throws where the mesh's bytes are damaged.
    init(_ mesh: Mesh, at location: SourceLocation) throws(AssetError) { arrays = try MeshArrays(mesh, at: location) }

    var mesh: Mesh { arrays.mesh }
    var polygons: PolygonMesh { arrays.polygons }
}
