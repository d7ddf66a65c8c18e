/// What is still to be done for a tree.
struct PrimTask {
    /// In order of urgency: always the kind of arc first that can change what later kinds find.
    enum Kind: UInt8 {
        case relocations, impliedRelocations, references, payloads, inherits, specializes, impliedSpecializes, impliedClasses
        case ancestralVariantSets, ancestralVariant, variantSets, variant

        var isOfVariants: Bool { rawValue >= Kind.ancestralVariantSets.rawValue }
    }

    var kind: Kind
    var node: Int32
    /// For variants: where the set is, its name, and its place in the list of sets.
    var path = Path.empty
    var set = Token.empty
    var number: Int32 = 0
}

/// Tasks that do not depend on variants: by kind, then by node. Classes are implied from below up, those of the strongest node
/// first: what reaches a site first stays there. Everything else is done from the first node on.
struct TaskQueue {
    private static let kinds = Int(PrimTask.Kind.ancestralVariantSets.rawValue)
    private var lists = [ContiguousArray<Int32>](repeating: [], count: kinds)
    private var count = 0

    mutating func append(_ kind: PrimTask.Kind, _ node: Int32) {
        let k = Int(kind.rawValue)
        // A heap with the most urgent node on top.
        let key = node
        // To imply a node's classes twice in a row is in vain.
        if kind == .impliedClasses || kind == .impliedSpecializes, lists[k].contains(key) { return }
        lists[k].append(key)
        count += 1
        var i = lists[k].count - 1
        while i > 0, lists[k][i] < lists[k][(i - 1) / 2] {
            lists[k].swapAt(i, (i - 1) / 2)
            i = (i - 1) / 2
        }
    }

    mutating func popFirst(_ nodes: NodeArray) -> PrimTask? {
        if count == 0 { return nil }
        for k in 0..<Self.kinds where !lists[k].isEmpty {
            guard let kind = PrimTask.Kind(rawValue: UInt8(k)) else { return nil }
            count -= 1
            if kind == .impliedClasses, lists[k].count > 1 {
                var best = 0
                for i in 1..<lists[k].count where isImpliedBefore(lists[k][i], lists[k][best], nodes) { best = i }
                return PrimTask(kind: kind, node: lists[k].remove(at: best))
            }
            let last = lists[k].count - 1
            lists[k].swapAt(0, last)
            let key = lists[k].removeLast()
            sink(k)
            return PrimTask(kind: kind, node: key)
        }
        return nil
    }

    private func isImpliedBefore(_ a: Int32, _ b: Int32, _ nodes: NodeArray) -> Bool {
        if nodes.isAncestor(b, of: a) { return true }
        if nodes.isAncestor(a, of: b) { return false }
        return nodes.compareNodes(a, b) < 0
    }

    private mutating func sink(_ k: Int) {
        let n = lists[k].count
        var i = 0
        while 2 * i + 1 < n {
            var c = 2 * i + 1
            if c + 1 < n, lists[k][c + 1] < lists[k][c] { c += 1 }
            if lists[k][i] <= lists[k][c] { return }
            lists[k].swapAt(i, c)
            i = c
        }
    }

    mutating func removeAll() {
        if count == 0 { return }
        for k in 0..<Self.kinds { lists[k].removeAll(keepingCapacity: true) }
        count = 0
    }
}

/// A build of one tree.
final class PrimBuild {
    @exclusivity(unchecked) var nodes: NodeArray = []
    /// What does not depend on variants.
    @exclusivity(unchecked) var tasks = TaskQueue()
    @exclusivity(unchecked) var variantTasks: ContiguousArray<PrimTask> = []
    /// Variant sets without a selection so far; another variant may bring one.
    var unselected: ContiguousArray<PrimTask> = []
    /// Where an arc's target is needed by a build in progress.
    var previous: PrimFrame?
    /// The site that a frame was made for; the build may be at one of its ancestors yet.
    var site = Path.empty
    /// Arcs whose targets had no specs when they were added.
    var unresolved: [(node: Int32, layer: USDLayer, code: String, message: String)] = []
    var hasUnloadedPayload = false
    var hasPayload = false

    /// Whether this is the tree of a prim: what depends on the whole tree (variants, copies of specialized nodes) is left to it.
    var isTop: Bool { previous == nil }

    /// The arc of a node, where a frame's root has the arc it was made for.
    func arc(_ n: Int32) -> ArcType { n == 0 ? previous?.arc ?? .root : nodes[Int(n)].arc }

    func add(_ kind: PrimTask.Kind, _ node: Int32) {
        if kind.isOfVariants {
            variantTasks.append(PrimTask(kind: kind, node: node))
        } else {
            tasks.append(kind, node)
        }
    }
}

/// The place in another build for which a site is indexed.
final class PrimFrame {
    let build: PrimBuild
    let parent: Int32
    let arc: ArcType
    /// Whether sites that have a node already are left out.
    let skipsDuplicates: Bool

    init(build: PrimBuild, parent: Int32, arc: ArcType, skipsDuplicates: Bool) {
        self.build = build
        self.parent = parent
        self.arc = arc
        self.skipsDuplicates = skipsDuplicates
    }
}

/// Which arcs a spec authors.
enum ArcMask {
    static let references: UInt8 = 1
    static let payload: UInt8 = 2
    static let inherits: UInt8 = 4
    static let specializes: UInt8 = 8
    static let variants: UInt8 = 16

    static func of(_ layer: USDLayer, _ spec: SpecIndex) -> UInt8 { of(layer.view, spec) }

    static func of(_ layer: LayerView, _ spec: SpecIndex) -> UInt8 {
        let range = layer.specs[Int(spec)].fields
        var mask: UInt8 = 0
        for i in Int(range.lowerBound)..<Int(range.upperBound) { mask |= of(layer.fields[i].name) }
        return mask
    }

    /// The bit of a field's name.
    @inline(__always)
    static func of(_ field: Token) -> UInt8 {
        switch field {
        case .references: references
        case .payload: payload
        case .inheritPaths: inherits
        case .specializes: specializes
        case .variantSetNames: variants
        default: 0
        }
    }
}
