public import AssetModel

/// What was made for later walks over a scene, kept as long as it is small: writers of formats that begin with counts walk several
/// times. Past the limit all but the newest goes and is made again when it is asked for.
public struct KeptCache<Key: Hashable, Value> {
    private let limit: Int
    private var kept: [Key: Value] = [:]
    private var bytes = 0
    /// Bytes that are counted for each value beside its own: small things are many.
    private static var overhead: Int { 1 << 10 }

    /// - Parameter limit: bytes that are kept.
    public init(limit: Int) { self.limit = limit }

    public subscript(key: Key) -> Value? { kept[key] }

    /// Keeps a value that takes so many bytes.
    public mutating func keep(_ value: Value, for key: Key, bytes count: Int) {
        let count = count.saturatingAdding(Self.overhead)
        if bytes.saturatingAdding(count) > limit {
            kept.removeAll()
            bytes = 0
        }
        kept[key] = value
        bytes = bytes.saturatingAdding(count)
    }
}

/// Loads what draw items show as meshes: meshes, implicit shapes as polygons, the surfaces of patches and volumes.
public struct MeshLoader {
    /// What a mesh comes from: nodes can share one, shapes and surfaces are a node's own.
    public enum Key: Hashable, Sendable {
        case mesh(ID<Mesh>)
        case node(ID<Node>)
    }

    private let scene: Scene
    private var cache: KeptCache<Key, MeshArrays>
    private var reported = Set<Key>()

    public init(_ scene: Scene, keeping limit: Int) {
        self.scene = scene
        cache = KeptCache(limit: limit)
    }

    /// Where a node's mesh comes from; nil where it shows none.
    public func key(_ id: ID<Node>) -> Key? {
        switch scene.nodes[id].content {
        case .mesh(let mesh): return .mesh(mesh)
        case .implicit: return .node(id)
        case .points(let points): return scene.points[points].surface == nil ? nil : .node(id)
        case .curves, .instancer, .none, .camera, .light, .skeleton: return nil
        }
    }

    /// A node's mesh; nil where it shows none. What is wrong with one is told the first time. Throws where its bytes are damaged.
    public mutating func arrays(_ id: ID<Node>, _ diagnostics: inout Diagnostics) throws(AssetError) -> MeshArrays? {
        guard let key = key(id) else { return nil }
        if let known = cache[key] { return known }
        let node = scene.nodes[id]
        let location = SourceLocation(file: scene.source.file, primPath: node.path)
        let made: MeshArrays
        switch node.content {
        case .mesh(let mesh): made = try MeshArrays(scene.meshes[mesh], at: location)
        case .implicit(let shape): made = try MeshArrays(tessellate(shape), at: location)
        case .points(let points):
            guard let surface = scene.points[points].surface else { return nil }
            made = try MeshArrays(surface, at: location)
        case .curves, .instancer, .none, .camera, .light, .skeleton: return nil
        }
        if reported.insert(key).inserted { made.defects.report("", at: location, to: &diagnostics) }
        // Attributes come later: about as much again.
        cache.keep(made, for: key, bytes: made.byteCount * 2)
        return made
    }
}
