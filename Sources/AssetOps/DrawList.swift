public import AssetModel

/// One thing to draw: a node's content at a place. Instancers come as the copies they make.
public struct DrawItem: Sendable {
    public var node: ID<Node>
    /// From the content's own space to the world.
    public var transform: Matrix4d
    /// The copies this item stands in, outermost first: instancer and index. Empty for what stands in the tree itself.
    public var copies: [Copy]

    public struct Copy: Sendable, Hashable {
        public var instancer: ID<Node>
        public var index: Int
        /// The root of the prototype.
        public var root: ID<Node>
    }
}

/// Walks what a scene draws: meshes, curves, points and shapes that the filter shows, point instancers expanded.
/// What lies below an instancer is drawn through it only.
public struct DrawList {
    private let scene: Scene
    private let filter: NodeFilter
    /// Instancers within prototypes of instancers stop here.
    static let maximumDepth = 16
    /// Copies of a whole scene: nested instancers multiply, and a small file could ask for more than anyone can draw.
    static let maximumCopies = 20_000_000

    private let limit: Int

    public init(_ scene: Scene, filter: NodeFilter) { self.init(scene, filter: filter, maximumCopies: Self.maximumCopies) }

    init(_ scene: Scene, filter: NodeFilter, maximumCopies: Int) {
        self.scene = scene
        self.filter = filter
        limit = maximumCopies
    }

    /// Calls `body` for every item in node order. Throws what `body` throws, `scene.no-such-node`, and
    /// `scene.too-many-copies` where instancers ask for more than 20 million.
    public func forEach(_ body: (DrawItem) throws(AssetError) -> Void) throws(AssetError) {
        var prototypes = PrototypeFinder(scene, filter: filter)
        var skipUntil = 0
        var copies = 0
        var counter = CopyCounter()
        for i in try filter.range(in: scene) where i >= skipUntil {
            let node = scene.nodes[i]
            if case .instancer(let id) = node.content {
                skipUntil = i + 1 + Swift.max(0, node.descendantCount)
                if filter.shows(node) {
                    if copies.saturatingAdding(counter.copies(id, scene, &prototypes)) > limit {
                        throw Self.tooManyCopies(limit, SourceLocation(file: scene.source.file, primPath: node.path))
                    }
                    try expand(scene.instancers[id], ID(i), node.worldTransform, [], &copies, &prototypes, body)
                }
            } else if node.hasGeometry, filter.shows(node) {
                try body(DrawItem(node: ID(i), transform: node.worldTransform, copies: []))
            }
        }
    }

    private func draws(_ node: Node, _ instancer: ID<PointInstancer>) -> Bool {
        if case .instancer(let id) = node.content { id == instancer } else { false }
    }

    static func tooManyCopies(_ limit: Int, _ location: SourceLocation) -> AssetError {
        AssetError("scene.too-many-copies", "point instancers make more than \(limit) copies", at: location)
    }

    private func expand(
        _ instancer: PointInstancer, _ node: ID<Node>, _ place: Matrix4d, _ copies: [DrawItem.Copy], _ total: inout Int,
        _ prototypes: inout PrototypeFinder, _ body: (DrawItem) throws(AssetError) -> Void
    ) throws(AssetError) {
        guard copies.count < Self.maximumDepth else { return }
        var found: [Prototype?] = []
        for path in instancer.prototypePaths { found.append(prototypes.prototype(path)) }
        let masked = Set(instancer.maskedInstances)
        let count = Swift.min(instancer.protoIndices.count, instancer.transforms.count)
        for i in 0..<count {
            let which = Int(instancer.protoIndices[i])
            guard found.indices.contains(which), let prototype = found[which] else { continue }
            if !masked.isEmpty, masked.contains(Int32(truncatingIfNeeded: i)) { continue }
            total += 1
            if total > limit {
                throw Self.tooManyCopies(limit, SourceLocation(file: scene.source.file, primPath: scene.nodes[node].path))
            }
            let copyPlace = instancer.transforms[i] * place
            for part in prototype.parts {
                let all = copies + [DrawItem.Copy(instancer: node, index: i, root: prototype.root)]
                let partNode = scene.nodes[part.node]
                if case .instancer(let inner) = partNode.content {
                    // One within its own prototype would have no end.
                    if all.contains(where: { draws(scene.nodes[$0.instancer], inner) }) { continue }
                    try expand(scene.instancers[inner], part.node, part.transform * copyPlace, all, &total, &prototypes, body)
                } else {
                    try body(DrawItem(node: part.node, transform: part.transform * copyPlace, copies: all))
                }
            }
        }
    }
}

/// Finds out how many copies point instancers make, without making them: those within prototypes multiply.
struct CopyCounter {
    private struct Key: Hashable {
        var instancer: ID<PointInstancer>
        var depth: Int
    }
    private var known: [Key: Int] = [:]
    private var open: [ID<PointInstancer>] = []

    /// The copies that an instancer makes, with those that its copies make; the largest number where there are more. Where
    /// instancers lead back to each other it is an estimate.
    mutating func copies(_ id: ID<PointInstancer>, _ scene: Scene, _ prototypes: inout PrototypeFinder) -> Int {
        let key = Key(instancer: id, depth: open.count)
        if let count = known[key] { return count }
        guard open.count < DrawList.maximumDepth, !open.contains(id) else { return 0 }
        open.append(id)
        defer { open.removeLast() }
        let instancer = scene.instancers[id]
        var each: [Int?] = []
        for path in instancer.prototypePaths {
            guard let prototype = prototypes.prototype(path) else {
                each.append(nil)
                continue
            }
            var count = 1
            for part in prototype.parts {
                if case .instancer(let inner) = scene.nodes[part.node].content {
                    count = count.saturatingAdding(copies(inner, scene, &prototypes))
                }
            }
            each.append(count)
        }
        let masked = Set(instancer.maskedInstances)
        var total = 0
        for i in 0..<Swift.min(instancer.protoIndices.count, instancer.transforms.count) {
            let which = Int(instancer.protoIndices[i])
            guard each.indices.contains(which), let count = each[which] else { continue }
            if masked.isEmpty || !masked.contains(Int32(truncatingIfNeeded: i)) { total = total.saturatingAdding(count) }
        }
        known[key] = total
        return total
    }
}
