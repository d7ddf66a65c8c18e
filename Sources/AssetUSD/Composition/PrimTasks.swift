/// What is still to be done for a tree.
struct PrimTask {
    /// In order of urgency: always the kind of arc first that can change what later kinds find.
    enum Kind: UInt8 {
        case relocations, impliedRelocations, references, payloads, inherits, specializes, impliedSpecializes, impliedClasses
        case ancestralVariantSets, ancestralVariant, variantSets, variant
    }

    var kind: Kind
    var node: Int32
    /// For variants: where the set is, its name, and its place in the list of sets.
    var path = Path.empty
    var set = Token.empty
    var number: Int32 = 0
}

/// Tasks in order: by kind, then by node. Classes are implied from below up, those of the strongest node first: what reaches a
/// site first stays there. Of variants the most urgent one depends on the tree as it is by then.
struct TaskQueue {
    /// A heap with the most urgent task on top: the kind in the upper half, the node in the lower one.
    private var heap: ContiguousArray<UInt64> = []
    private var impliedClasses: ContiguousArray<Int32> = []
    /// Selected variants of sets that ancestors have, and of sets of the prim's own.
    private var ancestralVariants: ContiguousArray<PrimTask> = []
    private var variants: ContiguousArray<PrimTask> = []

    mutating func append(_ kind: PrimTask.Kind, _ node: Int32) {
        if kind == .impliedClasses {
            // To imply a node's classes twice in a row is in vain.
            if !impliedClasses.contains(node) { impliedClasses.append(node) }
            return
        }
        heap.append(UInt64(kind.rawValue) << 32 | UInt64(UInt32(bitPattern: node)))
        var i = heap.count - 1
        while i > 0, heap[i] < heap[(i - 1) / 2] {
            heap.swapAt(i, (i - 1) / 2)
            i = (i - 1) / 2
        }
    }

    mutating func append(_ task: PrimTask) {
        if task.kind == .ancestralVariant { ancestralVariants.append(task) } else { variants.append(task) }
    }

    /// Variants that are yet to be evaluated.
    var variantCount: Int { ancestralVariants.count + variants.count }

    mutating func append(contentsOf tasks: ContiguousArray<PrimTask>) {
        for task in tasks { append(task) }
    }

    /// The next task, taken out. `isUrgenter` compares variants.
    mutating func popFirst(_ nodes: NodeArray, _ isUrgenter: (PrimTask, PrimTask) -> Bool) -> PrimTask? {
        let kind = heap.first.flatMap { PrimTask.Kind(rawValue: UInt8(truncatingIfNeeded: $0 >> 32)) }
        if let kind, kind.rawValue < PrimTask.Kind.impliedClasses.rawValue { return popHeap(kind) }
        if !impliedClasses.isEmpty {
            var best = 0
            for i in 1..<max(1, impliedClasses.count) where Self.isImpliedBefore(impliedClasses[i], impliedClasses[best], nodes) { best = i }
            return PrimTask(kind: .impliedClasses, node: impliedClasses.remove(at: best))
        }
        if kind == .ancestralVariantSets { return popHeap(.ancestralVariantSets) }
        if !ancestralVariants.isEmpty { return Self.pop(&ancestralVariants, isUrgenter) }
        if let kind { return popHeap(kind) }
        return variants.isEmpty ? nil : Self.pop(&variants, isUrgenter)
    }

    private static func pop(_ tasks: inout ContiguousArray<PrimTask>, _ isUrgenter: (PrimTask, PrimTask) -> Bool) -> PrimTask {
        var best = 0
        for i in 1..<max(1, tasks.count) where isUrgenter(tasks[i], tasks[best]) { best = i }
        return tasks.remove(at: best)
    }

    private static func isImpliedBefore(_ a: Int32, _ b: Int32, _ nodes: NodeArray) -> Bool {
        if nodes.isAncestor(b, of: a) { return true }
        if nodes.isAncestor(a, of: b) { return false }
        return nodes.compareNodes(a, b) < 0
    }

    private mutating func popHeap(_ kind: PrimTask.Kind) -> PrimTask {
        let key = removeTop()
        // To copy a node's specialized nodes twice in a row is in vain.
        while kind == .impliedSpecializes, heap.first == key { _ = removeTop() }
        return PrimTask(kind: kind, node: Int32(truncatingIfNeeded: key))
    }

    private mutating func removeTop() -> UInt64 {
        let n = heap.count - 1
        heap.swapAt(0, n)
        let key = heap.removeLast()
        var i = 0
        while 2 * i + 1 < n {
            var c = 2 * i + 1
            if c + 1 < n, heap[c + 1] < heap[c] { c += 1 }
            if heap[i] <= heap[c] { break }
            heap.swapAt(i, c)
            i = c
        }
        return key
    }

    mutating func removeAll() {
        heap.removeAll(keepingCapacity: true)
        impliedClasses.removeAll(keepingCapacity: true)
        ancestralVariants.removeAll(keepingCapacity: true)
        variants.removeAll(keepingCapacity: true)
    }
}

/// A build of one tree.
final class PrimBuild {
    @exclusivity(unchecked) var nodes: NodeArray = []
    @exclusivity(unchecked) var tasks = TaskQueue()
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

    func add(_ kind: PrimTask.Kind, _ node: Int32) { tasks.append(kind, node) }
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
