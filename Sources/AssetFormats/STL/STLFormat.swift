public import AssetIO
public import AssetModel
import AssetOps

/// Stereolithography (3D Systems, "StereoLithography Interface Specification", 1989): triangles, as text or as records of
/// fifty bytes. Binary files are told by their size, since many of their headers begin with `solid`.
public struct STLFormat: Format {
    public init() {}

    public var info: FormatInfo {
        FormatInfo(
            id: "stl", name: "STL", fileExtensions: ["stl", "stla", "stlb"], mediaType: "model/stl", canRead: true, canWrite: true,
            notes: [
                "triangles stand as they are stored, three points each; stored normals are not trusted",
                "facet colours (VisCAM, Magics) are read, and not written",
                "written as triangles with the normals of their winding, binary or as text; text holds a solid for each object",
            ])
    }

    public func recognizes(_ head: RawSpan) -> Bool { head.withUnsafeBytes { STLText.isText($0) } }

    public func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        try STLDocument(file, context.options, &context.diagnostics)
    }

    public func write(_ scene: Scene, _ context: inout WriteContext) throws(AssetError) {
        var writer = STLWriter(scene, context)
        defer { context.diagnostics = writer.diagnostics }
        try writer.write()
    }
}

/// What an STL file holds: solids of triangles.
struct STLDocument: Document {
    struct Solid {
        /// As the file has it; empty where it has none.
        var name: String
        var points: PointArray
        /// One a triangle; nil where the file colours nothing.
        var colors: DeferredArray<Vector3f>?
    }

    let file: FileBytes
    let isBinary: Bool
    let solids: [Solid]

    init(_ file: FileBytes, _ options: ReadOptions, _ diagnostics: inout Diagnostics) throws(AssetError) {
        self.file = file
        isBinary = STLBinary.isBinary(file)
        if isBinary {
            solids = [try STLBinary.read(file, options, &diagnostics)]
        } else {
            solids = try STLText.read(file, wantsArrays: options.wantsArrays, pieceSize: options.pieceSize, &diagnostics)
        }
    }

    func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        var scene = Scene(
            source: SourceDescription(
                file: file.name, format: "stl", version: isBinary ? "binary" : "ascii", byteCount: file.count,
                files: [SourceDescription.File(path: file.name, role: "root", byteCount: file.count, resolved: file.name)]))
        scene.source.isUnwelded = true
        if context.options.checksStoredNormals { STLNormals.check(self, &context.diagnostics) }
        var names = UniqueNames()
        for solid in solids { names.announce(pathPart(solid.name)) }
        scene.nodes.reserveCapacity(solids.count)
        scene.meshes.reserveCapacity(solids.count)
        for solid in solids {
            let triangles = solid.points.count / 3
            var mesh = Mesh(
                points: solid.points, faceVertexCounts: .deferred(RepeatedArray(3, count: triangles)),
                faceVertexIndices: .deferred(CountingArray(count: triangles * 3)))
            if let colors = solid.colors {
                mesh.primvars.append(Primvar(name: "displayColor", role: .color, interpolation: .uniform, values: .float3(colors)))
            }
            let unique = solid.name.isEmpty ? names.unique(made: "mesh") : names.unique(pathPart(solid.name))
            var node = Node(name: solid.name, path: "/" + unique, typeName: "Mesh")
            node.content = .mesh(scene.meshes.append(mesh))
            node.isTransformable = true
            node.isImageable = true
            _ = scene.nodes.append(node)
        }
        return scene
    }

}
