import AssetIO
import AssetModel
import AssetOps

/// What the vertices of the file have; one table holds those of all things.
struct PLYColumns {
    var isDouble = false
    var hasNormals = false
    var hasCoordinates = false
    var hasColors = false
    var hasAlpha = false
    /// Further numbers of points, by name.
    var others: [String] = []
    /// Whether a face says how many corners it has in four bytes: one has more than 255.
    var hasLargeFaces = false
    /// Whether faces say which texture they have.
    var hasTextureNumbers = false

    /// Bytes of a vertex in a binary file.
    var vertexSize: Int {
        (isDouble ? 24 : 12) + (hasNormals ? 12 : 0) + (hasCoordinates ? 8 : 0) + (hasAlpha ? 4 : hasColors ? 3 : 0) + others.count * 4
    }
}

/// The vertices that a thing puts into the file, before its transform.
struct PLYPartVertices {
    var count: Int
    var points: PolygonMesh.Points
    /// Nil: vertex i is point i.
    var pointOf: [Int32]?
    /// The corner and the face that a vertex stands for; −1 where it has none.
    var cornerOf: [Int32]?
    var faceOf: [Int32]?
    var normals: MeshAttribute<Vector3f>?
    var coordinates: MeshAttribute<Vector2f>?
    var colors: MeshAttribute<UInt32>?
    /// One a point, in the order of the file's columns; nil where the thing has none of a name.
    var others: [[Float]?] = []

    /// Where an attribute's value for a vertex is; nil where no face gives the vertex one.
    @inline(__always)
    func index<E>(_ attribute: MeshAttribute<E>, _ vertex: Int) -> Int? {
        let element: Int
        switch attribute.domain {
        case .whole: element = 0
        case .point: element = pointOf.map { Int($0[vertex]) } ?? vertex
        case .corner: element = cornerOf.map { Int($0[vertex]) } ?? -1
        case .face: element = faceOf.map { Int($0[vertex]) } ?? -1
        }
        guard element >= 0 else { return nil }
        if let indices = attribute.indices { return Int(indices[element]) }
        return element
    }
}

/// What one thing puts into the file: a mesh, points or curves. Copies share it.
final class PLYPart {
    /// Which texture faces have; −1 is none.
    enum Textures {
        case one(Int32)
        case each([Int32])
    }

    var vertices: PLYPartVertices
    /// Nil where there are no faces.
    var polygons: PolygonMesh?
    /// The vertex of each corner; nil: its point.
    var ofCorner: [Int32]?
    var triangles: FaceTriangles?
    var faceCount = 0
    var largestFace = 0
    var textures = Textures.one(-1)
    /// Pairs of vertices.
    var edges: [Int32] = []
    var isLeftHanded = false
    var bounds: BoundingBox
    var isDouble = false
    /// Whether it counts as a thing of its own: that something is written of it.
    var isEmpty: Bool { vertices.count == 0 }

    init(_ vertices: PLYPartVertices, bounds: BoundingBox) {
        self.vertices = vertices
        self.bounds = bounds
        if case .double = vertices.points { isDouble = true }
    }

    /// Bytes of memory held, roughly; a mesh's own arrays may be held elsewhere, too.
    var byteCount: Int {
        let pointBytes: Int =
            switch vertices.points {
            case .float(let a): a.count * 12
            case .double(let a): a.count * 24
            }
        var words = (vertices.pointOf?.count ?? 0) * 3 + (ofCorner?.count ?? 0) + edges.count + (vertices.colors?.values.count ?? 0)
        words += (vertices.normals?.values.count ?? 0) * 3 + (vertices.coordinates?.values.count ?? 0) * 2
        for other in vertices.others { words += other?.count ?? 0 }
        return pointBytes + words * 4 + (polygons?.byteCount ?? 0) + (triangles?.byteCount ?? 0)
    }
}
