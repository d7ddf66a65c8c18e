public import AssetModel

/// Which nodes an operation looks at: what is visible and of purpose default or render unless told otherwise.
public struct NodeFilter: Sendable, Hashable {
    public var purposes: Set<Purpose>
    /// Whether nodes count that the file hides.
    public var includeHidden: Bool
    /// Only the subtree at this node path; nil means the whole scene.
    public var nodePath: String?

    public init(purposes: Set<Purpose> = [.default, .render], includeHidden: Bool = false, nodePath: String? = nil) {
        self.purposes = purposes
        self.includeHidden = includeHidden
        self.nodePath = nodePath
    }

    /// Whether a node is shown, its place in the tree aside.
    public func shows(_ node: Node) -> Bool { quick.shows(node) }

    /// The same question for many nodes: words of a set are hashed as text.
    var quick: QuickFilter {
        var mask: UInt8 = 0
        for purpose in purposes { mask |= purpose.bit }
        return QuickFilter(purposes: mask, includeHidden: includeHidden)
    }

    /// The indices of the nodes in question, as one range: nodes stand depth first. Throws `scene.no-such-node` where
    /// `nodePath` names none.
    public func range(in scene: Scene) throws(AssetError) -> Range<Int> {
        guard let nodePath else { return 0..<scene.nodes.count }
        guard let first = scene.nodes.elements.firstIndex(where: { $0.path == nodePath }) else {
            throw AssetError(
                "scene.no-such-node", "there is no node \(nodePath)",
                at: SourceLocation(file: scene.source.file, primPath: nodePath))
        }
        return first..<Swift.min(first + 1 + Swift.max(0, scene.nodes[first].descendantCount), scene.nodes.count)
    }
}

/// What one prototype of a point instancer draws: nodes with content and their place relative to the prototype's root.
public struct Prototype: Sendable {
    public struct Part: Sendable {
        public var node: ID<Node>
        /// From the node's space to the prototype root's.
        public var transform: Matrix4d
    }
    public var root: ID<Node>
    public var parts: [Part]
}

/// Finds the prototypes of point instancers and what they draw; each is looked at once.
public struct PrototypeFinder {
    private let scene: Scene
    private let filter: NodeFilter
    private let indexByPath: [String: Int]
    private var found: [String: Prototype?] = [:]

    public init(_ scene: Scene, filter: NodeFilter) {
        self.scene = scene
        self.filter = filter
        var wanted = Set<String>()
        for instancer in scene.instancers { wanted.formUnion(instancer.prototypePaths) }
        var index: [String: Int] = [:]
        if !wanted.isEmpty {
            for i in scene.nodes.indices where wanted.contains(scene.nodes[i].path) { index[scene.nodes[i].path] = i }
        }
        indexByPath = index
    }

    /// The prototype at a path, or nil where there is none. Parts below an instancer inside the prototype are drawn by
    /// that instancer only, which is a part itself.
    public mutating func prototype(_ path: String) -> Prototype? {
        if let known = found[path] { return known }
        let made = indexByPath[path].map(parts)
        found[path] = .some(made)
        return made
    }

    private func parts(_ root: Int) -> Prototype {
        let nodes = scene.nodes
        let end = Swift.min(root + 1 + Swift.max(0, nodes[root].descendantCount), nodes.count)
        var relative = [Matrix4d](repeating: .identity, count: end - root)
        let rootInverse = nodes[root].worldTransform.inverse
        var parts: [Prototype.Part] = []
        var skipUntil = root
        for i in root..<end {
            let node = nodes[i]
            if i > root {
                let parent = node.parent.map { Int($0.index) } ?? root
                let above = parent >= root && parent < i ? relative[parent - root] : .identity
                if !node.isTransformable {
                    relative[i - root] = above
                } else if node.resetsTransformStack, let rootInverse {
                    relative[i - root] = node.worldTransform * rootInverse
                } else {
                    relative[i - root] = node.localTransform * above
                }
            }
            if i < skipUntil { continue }
            if case .instancer = node.content { skipUntil = i + 1 + Swift.max(0, node.descendantCount) }
            if node.hasGeometry, filter.shows(node) { parts.append(.init(node: ID(i), transform: relative[i - root])) }
        }
        return Prototype(root: ID(root), parts: parts)
    }
}

/// `NodeFilter` for loops over all nodes.
struct QuickFilter {
    let purposes: UInt8
    let includeHidden: Bool

    @inline(__always)
    func shows(_ node: borrowing Node) -> Bool {
        guard node.isImageable else { return true }
        return (includeHidden || node.isVisible) && purposes & node.purpose.bit != 0
    }
}

extension Purpose {
    fileprivate var bit: UInt8 {
        switch self {
        case .default: 1
        case .render: 2
        case .proxy: 4
        case .guide: 8
        case .other: 16
        }
    }
}

extension Node {
    /// Whether the node draws something: a mesh, curves, points, a shape, or copies of prototypes.
    public var hasGeometry: Bool {
        switch content {
        case .mesh, .curves, .points, .implicit, .instancer: true
        case .none, .camera, .light, .skeleton: false
        }
    }
}
