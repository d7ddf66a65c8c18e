public import AssetModel

/// What `facet tree` shows: the nodes of a scene that were asked for, with counts and, where wanted, bounds.
public struct Outline: Sendable {
    public struct Options: Sendable {
        /// Only this node and what lies below it; nil for everything.
        public var path: String?
        /// Levels shown, the top one being 1; nil for all.
        public var depth: Int?
        /// Only nodes of this type, any letter case; nil for all.
        public var type: String?
        /// Whether to measure bounds: every point is looked at.
        public var wantsBounds = false
        public var filter = NodeFilter()
        public init() {}
    }

    /// A node of the outline.
    public struct Entry: Sendable {
        public var node: ID<Node>
        /// Levels below the outline's top.
        public var depth: Int
        /// Nodes below this one that `depth` leaves out, and the triangles of their meshes.
        public var omittedBelow = 0
        public var omittedTriangles = 0
        /// What the node's mesh holds.
        public var counts: MeshCounts?
        /// World bounds of the node's own geometry, in file units.
        public var bounds: BoundingBox?
    }

    public var scene: Scene
    /// Depth first, parents before children.
    public var entries: [Entry]
    /// All that is visible and of the purposes asked for, below `path`, in file units.
    public var bounds: BoundingBox?
    /// Sums over the entries, hidden ones, guides, prototypes and the contents of instances included.
    public var totals: SceneTotals
    /// For each material the paths of the nodes that use it.
    public var materialUsers: [[String]]

    /// The nodes that `options` ask for. Throws `scene.no-such-node` where there is none at `path`.
    public init(_ scene: Scene, _ options: Options = Options(), diagnostics: inout Diagnostics) throws(AssetError) {
        self.scene = scene
        entries = []
        totals = SceneTotals()
        totals.materials = scene.materials.count
        totals.textures = scene.textures.count
        materialUsers = scene.materialUsers
        var filter = options.filter
        filter.nodePath = options.path == "/" ? nil : options.path
        let range = try filter.range(in: scene)
        let measured = SceneMeasurements(scene, filter: filter, diagnostics: &diagnostics)
        let boxes = options.wantsBounds ? SceneBounds(scene, filter: filter, diagnostics: &diagnostics) : nil
        bounds = filter.nodePath == nil ? boxes?.total : boxes?.total(of: range, in: scene, filter: filter)
        totals.drawCalls = measured.totals.drawCalls
        // In USD only the points of meshes count, in PLY every vertex does.
        let countsPoints = scene.source.format == "ply"
        let top = range.first.map { scene.nodes[$0].depth } ?? 0
        let type = options.type?.lowercased()
        entries.reserveCapacity(range.count)
        /// The listed entries that the node at hand lies below.
        var above: [Int] = []
        for i in range {
            let depth = scene.nodes[i].depth - top
            while let last = above.last, entries[last].depth >= depth { above.removeLast() }
            if let limit = options.depth, depth >= limit {
                guard let last = above.last else { continue }
                entries[last].omittedBelow += 1
                if case .mesh(let id) = scene.nodes[i].content {
                    entries[last].omittedTriangles = entries[last].omittedTriangles.saturatingAdding(
                        measured.meshes[Int(id.index)].triangles)
                }
                continue
            }
            if let type, scene.nodes[i].typeName.lowercased() != type { continue }
            var entry = Entry(node: ID(i), depth: depth)
            entry.bounds = boxes?.nodes[i]
            switch scene.nodes[i].content {
            case .mesh(let id):
                let c = measured.meshes[Int(id.index)]
                entry.counts = c
                totals.meshes += 1
                totals.points = totals.points.saturatingAdding(c.points)
                totals.faces = totals.faces.saturatingAdding(c.faces)
                totals.triangles = totals.triangles.saturatingAdding(c.triangles)
            case .points(let id) where countsPoints:
                totals.points = totals.points.saturatingAdding(scene.points[id].points.count)
            case .curves(let id) where countsPoints:
                totals.points = totals.points.saturatingAdding(scene.curves[id].ownPointCount)
            default: break
            }
            above.append(entries.count)
            entries.append(entry)
        }
    }
}

extension SceneBounds {
    /// The box of what the filter shows in a range of nodes.
    func total(of range: Range<Int>, in scene: Scene, filter: NodeFilter) -> BoundingBox? {
        var sum = BoundingBox()
        var belowInstancerUntil = 0
        for i in range {
            let node = scene.nodes[i]
            if i >= belowInstancerUntil, let box = nodes[i], filter.shows(node) { sum.formUnion(box) }
            if case .instancer = node.content { belowInstancerUntil = max(belowInstancerUntil, i + 1 + node.descendantCount) }
        }
        return sum.isEmpty ? nil : sum
    }
}

extension Scene {
    /// For each material the paths of the nodes that use it, for the whole or for a subset, in node order.
    public var materialUsers: [[String]] {
        var users = [[String]](repeating: [], count: materials.count)
        for node in nodes where node.hasGeometry {
            if let id = node.material, materials.contains(id) { users[Int(id.index)].append(node.path) }
            for case let id? in node.subsetMaterials where materials.contains(id) && users[Int(id.index)].last != node.path {
                users[Int(id.index)].append(node.path)
            }
        }
        return users
    }

    /// Whether anything in the scene has points or a shape, seen or not.
    public var hasGeometry: Bool {
        nodes.contains { node in
            switch node.content {
            case .mesh(let id): !meshes[id].points.isEmpty
            case .curves(let id): !curves[id].points.isEmpty
            case .points(let id): !points[id].points.isEmpty
            case .implicit: true
            case .instancer(let id): !instancers[id].protoIndices.isEmpty
            case .none, .camera, .light, .skeleton: false
            }
        }
    }
}
