public import AssetModel

/// Scenes made in memory. Nodes are added depth first; `build` computes paths, world transforms and counts.
public struct SceneBuilder {
    public private(set) var scene: Scene
    private var open: [ID<Node>] = []

    public init(format: String = "test", upAxis: String? = "Y", metersPerUnit: Double? = 1) {
        scene = Scene(source: SourceDescription(file: "built in memory", format: format))
        scene.metadata.upAxis = upAxis
        scene.metadata.metersPerUnit = metersPerUnit
    }

    /// Adds a node below the open one and calls `body` to add its children.
    @discardableResult public mutating func node(
        _ name: String, type: String = "Xform", transform: Matrix4d = .identity, content: Node.Content = .none,
        _ body: (inout SceneBuilder) -> Void = { _ in }
    ) -> ID<Node> {
        let parent = open.last
        var node = Node(name: name, path: (parent.map { scene.nodes[$0].path } ?? "") + "/" + name, typeName: type)
        node.parent = parent
        node.depth = open.count
        node.isTransformable = true
        node.isImageable = true
        node.localTransform = transform
        node.worldTransform = parent.map { transform * scene.nodes[$0].worldTransform } ?? transform
        node.content = content
        let id = scene.nodes.append(node)
        open.append(id)
        body(&self)
        open.removeLast()
        scene.nodes[id].descendantCount = scene.nodes.count - 1 - Int(id.index)
        return id
    }

    /// Adds a mesh node.
    @discardableResult public mutating func mesh(
        _ name: String, _ mesh: Mesh, transform: Matrix4d = .identity, material: ID<Material>? = nil
    ) -> ID<Node> {
        let mesh = scene.meshes.append(mesh)
        let id = node(name, type: "Mesh", transform: transform, content: .mesh(mesh))
        change(id) { node in
            node.material = material
            node.previewMaterial = material
        }
        return id
    }

    /// Adds a material with a constant colour.
    @discardableResult public mutating func material(_ name: String, color: Vector3f = Vector3f(0.18, 0.18, 0.18)) -> ID<Material> {
        var material = Material(name: name, path: "/Materials/" + name, shader: "UsdPreviewSurface")
        var surface = Surface()
        surface.diffuseColor = Channel(color, isAuthored: true)
        material.surface = surface
        material.inputs = [MaterialInput(name: "diffuseColor", value: .floats([color.x, color.y, color.z]))]
        return scene.materials.append(material)
    }

    /// Changes a mesh that was added before.
    public mutating func changeMesh(_ id: ID<Mesh>, _ body: (inout Mesh) -> Void) { body(&scene.meshes[id]) }

    /// Changes a node that was added before.
    public mutating func change(_ id: ID<Node>, _ body: (inout Node) -> Void) { body(&scene.nodes[id]) }

    /// Changes the scene as a whole: tables, metadata.
    public mutating func changeScene(_ body: (inout Scene) -> Void) { body(&scene) }
}

/// Meshes to test with.
public enum SampleMesh {
    /// An axis-aligned cube of six quads, counter-clockwise from outside, with points at ±half.
    public static func cube(half h: Float = 1) -> Mesh {
        let points = [
            Point3f(-h, -h, -h), Point3f(h, -h, -h), Point3f(h, h, -h), Point3f(-h, h, -h),
            Point3f(-h, -h, h), Point3f(h, -h, h), Point3f(h, h, h), Point3f(-h, h, h),
        ]
        let corners: [Int32] = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 2, 3, 7, 6, 1, 2, 6, 5, 0, 4, 7, 3]
        return Mesh(
            points: PointArray(points), faceVertexCounts: DeferredArray(Array(repeating: 4, count: 6)),
            faceVertexIndices: DeferredArray(corners))
    }

    /// A flat grid in the xz plane of `columns × rows` quads facing up, with texture coordinates "st" one a point.
    public static func grid(columns: Int, rows: Int, size: Float = 1) -> Mesh {
        var points: [Point3f] = []
        var st: [Vector2f] = []
        var indices: [Int32] = []
        for r in 0...rows {
            for c in 0...columns {
                let (u, v) = (Float(c) / Float(columns), Float(r) / Float(rows))
                points.append(Point3f(u * size, 0, -v * size))
                st.append(Vector2f(u, v))
            }
        }
        for r in 0..<rows {
            for c in 0..<columns {
                let a = Int32(r * (columns + 1) + c)
                let b = a + Int32(columns + 1)
                indices += [a, a + 1, b + 1, b]
            }
        }
        var mesh = Mesh(
            points: PointArray(points), faceVertexCounts: DeferredArray(Array(repeating: 4, count: columns * rows)),
            faceVertexIndices: DeferredArray(indices))
        mesh.primvars = [
            Primvar(name: "st", role: .textureCoordinate, interpolation: .vertex, values: .float2(DeferredArray(st)))
        ]
        return mesh
    }

    /// One polygon.
    public static func polygon(_ points: [Point3f]) -> Mesh {
        Mesh(
            points: PointArray(points), faceVertexCounts: DeferredArray([Int32(points.count)]),
            faceVertexIndices: DeferredArray((0..<Int32(points.count)).map { $0 }))
    }
}
