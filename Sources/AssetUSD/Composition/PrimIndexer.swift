import AssetIO
import AssetModel

/// Builds the tree of sites that contribute to a prim: its own, and those that references, payloads, inherits,
/// specializes, variants and relocations bring in.
///
/// The procedure is that of OpenUSD's Pcp: a child starts from its parent's tree with every path one element longer, then
/// tasks add what is authored at this level, always the kind of arc first that can change what later kinds find. A target
/// below a root prim is indexed in a frame of its own first, so that opinions about its ancestors count.
final class PrimIndexer {
    let session: USDSession
    let paths: PathTable
    let maps: MapTable
    let cache: LayerCache
    let stacks: LayerStackBuilder
    let options: ReadOptions
    var diagnostics = Diagnostics() { didSet { isClean = false } }
    /// False once something was found to be told of since it was set: a tree that others take over would tell it only once.
    var isClean = true
    /// Selections from the options, by stage path.
    private(set) var chosenVariants: [Path: [Token: Token]] = [:]
    /// Nodes that may still be made; a few lines of hostile text can ask for billions.
    var nodeBudget = 20_000_000
    /// The stage path that is being indexed, for diagnostics.
    var stagePath = Path.root
    private var budgetWarned = false
    /// Arcs that could not be followed, by the stage path of the prim that authors them.
    private(set) var lostArcs: [Path: [LostArc]] = [:]
    /// Builds that are not in use.
    @exclusivity(unchecked) private var spare: [PrimBuild] = []

    init(session: USDSession, cache: LayerCache, stacks: LayerStackBuilder, maps: MapTable, options: ReadOptions) {
        self.session = session
        self.cache = cache
        self.stacks = stacks
        self.maps = maps
        self.options = options
        paths = session.paths
        for v in options.variants {
            guard let path = paths.parse(v.path) else { continue }
            chosenVariants[path, default: [:]][session.token(v.set)] = session.token(v.choice)
        }
    }

    static let maximalNodes = 10_000
    static let maximalArcDepth = 100

    // MARK: Entry

    /// The tree of a root prim in the stage's layer stack.
    func rootPrimIndex(_ path: Path) -> PrimBuild {
        stagePath = path
        let build = take(previous: nil)
        var node = IndexNode(path: path, stack: 0)
        node.depth = 1
        build.nodes.append(node)
        findSpecs(&build.nodes[0])
        addTasks(build, 0, isCompleted: false)
        run(build)
        return build
    }

    /// The tree of a child, from its parent's.
    func childIndex(_ parent: ContiguousArray<IndexNode>.SubSequence, _ name: Token, _ path: Path) -> PrimBuild {
        stagePath = path
        let build = take(previous: nil)
        step(parent, name, into: &build.nodes)
        addTasks(build, 0, isCompleted: false)
        run(build)
        return build
    }

    private func take(previous: PrimFrame?) -> PrimBuild {
        let build = spare.popLast() ?? PrimBuild()
        build.previous = previous
        return build
    }

    /// Hands a build back for further use.
    func recycle(_ build: PrimBuild) {
        build.nodes.removeAll(keepingCapacity: true)
        build.tasks.removeAll()
        build.variantTasks.removeAll(keepingCapacity: true)
        build.unresolved.removeAll(keepingCapacity: true)
        build.hasUnloadedPayload = false
        build.hasPayload = false
        build.previous = nil
        build.skipsDuplicates = false
        spare.append(build)
    }

    // MARK: Specs

    /// Finds the strongest layer with a spec at a node's path.
    func findSpecs(_ node: inout IndexNode) {
        let stack = stacks.stacks[Int(node.stack)]
        for (i, e) in stack.entries.enumerated() {
            if let spec = e.layer.spec(at: node.path) {
                node.firstLayer = Int32(i)
                node.firstSpec = spec
                return
            }
        }
        node.firstLayer = -1
        node.firstSpec = -1
    }

    /// Calls `body` with every spec of a node, strongest first.
    @inline(__always)
    func forEachSpec(_ node: IndexNode, _ body: (LayerStack.Entry, SpecIndex) -> Void) {
        guard node.firstSpec >= 0 else { return }
        let stack = stacks.stacks[Int(node.stack)]
        body(stack.entries[Int(node.firstLayer)], node.firstSpec)
        var i = Int(node.firstLayer) + 1
        while i < stack.entries.count {
            if let spec = stack.entries[i].layer.spec(at: node.path) { body(stack.entries[i], spec) }
            i += 1
        }
    }

    /// Values of a field at a site, strongest first.
    func fields(_ stack: StackIndex, _ path: Path, _ name: Token) -> [(entry: LayerStack.Entry, value: USDValue)] {
        var out: [(LayerStack.Entry, USDValue)] = []
        for e in stacks.stacks[Int(stack)].entries {
            guard let spec = e.layer.spec(at: path), let value = e.layer.value(spec, name) else { continue }
            out.append((e, value))
        }
        return out
    }

    // MARK: Namespace

    /// Copies a parent's tree one element down. Subtrees without specs are left out where nothing needs them.
    private func step(_ parent: ContiguousArray<IndexNode>.SubSequence, _ name: Token, into nodes: inout NodeArray, keepsClasses: Bool = false) {
        let n = parent.count
        nodes.reserveCapacity(n)
        for node in parent {
            var child = node
            child.path = paths.child(node.path, name)
            child.depth &+= 1
            if child.firstSpec >= 0 { findSpecs(&child) }
            nodes.append(child)
        }
        if n > 1 { prune(&nodes, keepsClasses) }
    }

    /// Leaves out nodes without specs that no other node needs.
    private func prune(_ nodes: inout NodeArray, _ keepsClasses: Bool) {
        let n = nodes.count
        var keep = [Bool](repeating: false, count: n)
        keep[0] = true
        var dropped = 0
        for i in stride(from: n - 1, through: 1, by: -1) {
            let node = nodes[i]
            if !keep[i], node.firstSpec >= 0, !node.isInert || node.arc == .relocate { keep[i] = true }
            // What a frame's classes imply for the tree that asks is still to be found out.
            if keepsClasses, node.arc.isClassBased { keep[i] = true }
            if !keep[i], stacks.stacks[Int(node.stack)].relocates != nil { keep[i] = true }
            if keep[i] {
                if node.parent >= 0 { keep[Int(node.parent)] = true }
                if node.origin >= 0 { keep[Int(node.origin)] = true }
            } else {
                dropped += 1
            }
        }
        if dropped == 0 { return }
        var place = [Int32](repeating: -1, count: n)
        var next: Int32 = 0
        for i in 0..<n where keep[i] {
            place[i] = next
            next += 1
        }
        func moved(_ i: Int32) -> Int32 { i < 0 ? -1 : place[Int(i)] }
        let old = nodes
        for i in 0..<n where keep[i] {
            var node = old[i]
            node.parent = moved(node.parent)
            node.origin = moved(node.origin)
            var c = node.firstChild
            while c >= 0, !keep[Int(c)] { c = old[Int(c)].nextSibling }
            node.firstChild = moved(c)
            c = node.nextSibling
            while c >= 0, !keep[Int(c)] { c = old[Int(c)].nextSibling }
            node.nextSibling = moved(c)
            nodes[Int(place[i])] = node
        }
        nodes.removeLast(n - Int(next))
    }

    /// The tree of a site that is not a prim of the stage: an arc's target. Variants are left to the frame that asks.
    func siteIndex(_ stack: StackIndex, _ path: Path, _ frame: PrimFrame, contributes: Bool) -> PrimBuild {
        // From the root prim, or from the variant that the site lies in, down.
        var chain: [Path] = []
        var p = path
        while p.id > 1 {
            chain.append(p)
            if paths.kind(p) == .variantSelection { break }
            p = paths.parent(p)
        }
        chain.reverse()
        let build = take(previous: frame)
        build.site = path
        build.skipsDuplicates = frame.skipsDuplicates
        build.evaluatesVariants = false
        var node = IndexNode(path: chain.first ?? path, stack: stack)
        node.depth = Int16(clamping: depthWithoutVariants(node.path))
        build.nodes.append(node)
        findSpecs(&build.nodes[0])
        if chain.count <= 1, !contributes { build.nodes[0].isInert = true }
        addTasks(build, 0, isCompleted: false)
        run(build)
        for (i, p) in chain.enumerated().dropFirst() {
            let parent = build.nodes
            build.nodes.removeAll(keepingCapacity: true)
            step(parent[...], paths.name(p), into: &build.nodes, keepsClasses: true)
            if i == chain.count - 1, !contributes { build.nodes[0].isInert = true }
            addTasks(build, 0, isCompleted: false)
            run(build)
        }
        build.evaluatesVariants = true
        return build
    }

    func depthWithoutVariants(_ path: Path) -> Int {
        var n = 0
        var p = path
        while p.id > 1 {
            if paths.kind(p) == .prim { n += 1 }
            p = paths.parent(p)
        }
        return n
    }

    // MARK: Tasks

    /// Enqueues what is to be done about a new node and, unless its subtree was indexed in a frame of its own, about
    /// everything below it.
    func addTasks(_ build: PrimBuild, _ n: Int32, isCompleted: Bool) {
        if build.nodes[Int(n)].arc.isClassBased {
            scheduleImplied(build, n)
        } else if build.nodes.hasClassBasedChild(n), build.nodes[Int(n)].parent >= 0 {
            build.add(.impliedClasses, n)
        }
        // Children always stand behind their parents, so that the subtree is found in one pass.
        if n == 0 {
            for i in 0..<Int32(build.nodes.count) { addOwnTasks(build, i, isCompleted) }
        } else {
            addOwnTasks(build, n, isCompleted)
            guard build.nodes[Int(n)].firstChild >= 0 else { return }
            for i in (n + 1)..<Int32(build.nodes.count) where build.nodes.isAncestor(n, of: i) { addOwnTasks(build, i, isCompleted) }
        }
    }

    private func addOwnTasks(_ build: PrimBuild, _ n: Int32, _ isCompleted: Bool) {
        let node = build.nodes[Int(n)]
        if !isCompleted {
            if let relocates = stacks.stacks[Int(node.stack)].relocates, relocates.sources[node.path] != nil { build.add(.relocations, n) }
            if node.arc == .relocate, !build.nodes.isDueToAncestor(n) { build.add(.impliedRelocations, n) }
        }
        if node.hasAncestralVariants, build.evaluatesVariants { build.add(.ancestralVariantSets, n) }
        guard node.contributes else { return }
        let mask = arcMask(node)
        if mask == 0 { return }
        if !isCompleted {
            if mask & ArcMask.references != 0 { build.add(.references, n) }
            if mask & ArcMask.payload != 0 { build.add(.payloads, n) }
            if mask & ArcMask.inherits != 0 { build.add(.inherits, n) }
            if mask & ArcMask.specializes != 0 { build.add(.specializes, n) }
        } else if mask & ArcMask.payload != 0 {
            build.hasPayload = true
        }
        if mask & ArcMask.variants != 0, build.evaluatesVariants { build.add(.variantSets, n) }
    }

    /// The arcs that a node's specs author.
    func arcMask(_ node: IndexNode) -> UInt8 {
        var mask: UInt8 = 0
        forEachSpec(node) { entry, spec in mask |= ArcMask.of(entry.layer, spec) }
        return mask
    }

    func run(_ build: PrimBuild) {
        while let task = next(build) {
            switch task.kind {
            case .relocations: evaluateRelocations(build, task.node)
            case .impliedRelocations: evaluateImpliedRelocations(build, task.node)
            case .references: evaluateReferences(build, task.node, .reference)
            case .payloads: evaluateReferences(build, task.node, .payload)
            case .inherits: evaluateClasses(build, task.node, .inherit)
            case .impliedClasses: evaluateImpliedClasses(build, task.node)
            case .specializes: evaluateClasses(build, task.node, .specialize)
            case .ancestralVariantSets: evaluateAncestralVariantSets(build, task.node)
            case .variantSets: evaluateVariantSets(build, task.node, build.nodes[Int(task.node)].path, isAncestral: false)
            case .ancestralVariant, .variant: evaluateVariant(build, task)
            }
        }
        reportUnresolved(build)
    }

    /// The next task: the most urgent kind; of variants those of the strongest node.
    private func next(_ build: PrimBuild) -> PrimTask? {
        if let task = build.tasks.popFirst() { return task }
        guard !build.variantTasks.isEmpty else { return nil }
        var best = 0
        for i in 1..<max(1, build.variantTasks.count) where isUrgenter(build.variantTasks[i], build.variantTasks[best], build.nodes) { best = i }
        return build.variantTasks.remove(at: best)
    }

    private func isUrgenter(_ a: PrimTask, _ b: PrimTask, _ nodes: NodeArray) -> Bool {
        if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
        if a.node != b.node { return nodes.compareNodes(a.node, b.node) < 0 }
        // Selections of ancestors first.
        if a.path != b.path { return paths.depth(a.path) < paths.depth(b.path) }
        return a.number < b.number
    }

    // MARK: Arcs

    /// Adds a node for an arc, with everything its site brings along. Returns its position, or -1 where the arc cannot be.
    ///
    /// - Parameters:
    ///   - contributes: false for placeholders that only keep the shape of class hierarchies.
    ///   - ancestral: whether opinions about namespace above the site count too.
    @discardableResult
    func addArc(
        _ build: PrimBuild, _ arc: ArcType, parent: Int32, origin: Int32, stack: StackIndex, path: Path, map: MapID,
        sibling: Int, namespaceDepth: Int, contributes: Bool, ancestral: Bool
    ) -> Int32 {
        guard nodeBudget > 0, build.nodes.count < Self.maximalNodes else {
            if !budgetWarned {
                budgetWarned = true
                warn("usd.too-many-arcs", "more arcs than a prim may have; the rest is left out", build.nodes[Int(parent)].stack)
            }
            return -1
        }
        // Placeholders bring nothing along that could lead back.
        if arc != .variant, contributes || ancestral, isCycle(build, parent, arc, stack, path) { return -1 }
        // A class that is there already, however it came, is not added again; nor is anything that only such a class needs.
        let skipsDuplicates = arc.isClassBased && contributes || build.skipsDuplicates
        if skipsDuplicates, arc != .variant, arc != .relocate, hasNode(build, stack, path) { return -1 }

        let n = Int32(build.nodes.count)
        let mapToRoot = maps.compose(build.nodes[Int(parent)].mapToRoot, map)
        if !ancestral {
            var node = IndexNode(path: path, stack: stack)
            node.depth = Int16(clamping: depthWithoutVariants(path))
            node.isInert = !contributes
            findSpecs(&node)
            build.nodes.append(node)
            nodeBudget -= 1
        } else {
            let frame = PrimFrame(build: build, parent: parent, skipsDuplicates: skipsDuplicates)
            let sub = siteIndex(stack, path, frame, contributes: contributes)
            nodeBudget -= sub.nodes.count
            for node in sub.nodes {
                var node = node
                node.parent = node.parent < 0 ? -1 : node.parent + n
                node.origin = node.origin < 0 ? -1 : node.origin + n
                if node.firstChild >= 0 { node.firstChild += n }
                if node.nextSibling >= 0 { node.nextSibling += n }
                node.mapToRoot = maps.compose(mapToRoot, node.mapToRoot)
                node.hasAncestralVariants = true
                build.nodes.append(node)
            }
            if sub.hasUnloadedPayload { build.hasUnloadedPayload = true }
            if sub.hasPayload { build.hasPayload = true }
            recycle(sub)
        }
        build.nodes[Int(n)].arc = arc
        build.nodes[Int(n)].parent = parent
        build.nodes[Int(n)].origin = origin
        build.nodes[Int(n)].mapToParent = map
        build.nodes[Int(n)].mapToRoot = mapToRoot
        build.nodes[Int(n)].sibling = Int32(clamping: sibling)
        build.nodes[Int(n)].namespaceDepth = Int16(clamping: namespaceDepth)
        build.nodes.link(n, below: parent)
        addTasks(build, n, isCompleted: ancestral)
        return n
    }

    /// Whether a site has a node in a build or in those that wait for it.
    private func hasNode(_ build: PrimBuild, _ stack: StackIndex, _ path: Path) -> Bool {
        var build = build
        var path = path
        while true {
            for node in build.nodes where node.path == path && node.stack == stack && !node.isInert { return true }
            guard let frame = build.previous else { return false }
            path = completed(path, build)
            build = frame.build
        }
    }

    /// A frame is at an ancestor of the site it was made for; the path of one of its sites with what is still to come.
    private func completed(_ path: Path, _ build: PrimBuild) -> Path {
        var names: [Token] = []
        var p = build.site
        while p != build.nodes[0].path, p.id > 1 {
            names.append(paths.name(p))
            p = paths.parent(p)
        }
        var path = path
        for name in names.reversed() { path = paths.child(path, name) }
        return path
    }

    /// Whether an arc leads back to a site it comes from, or to one above or below such a site.
    private func isCycle(_ build: PrimBuild, _ parent: Int32, _ arc: ArcType, _ stack: StackIndex, _ path: Path) -> Bool {
        var build = build
        var path = path
        var n = parent
        var depth = 0
        while true {
            let node = build.nodes[Int(n)]
            if node.stack == stack, paths.hasPrefix(node.path, path) || paths.hasPrefix(path, node.path) {
                if arc == .relocate { return false }
                warn(
                    "usd.arc-cycle", "\(name(of: arc)) to <\(paths.string(path))> leads back to <\(paths.string(node.path))>", stack)
                lose(arc, "", path, .circular)
                return true
            }
            depth += 1
            if depth > Self.maximalArcDepth {
                warn("usd.arcs-too-deep", "more than \(Self.maximalArcDepth) arcs in a row", stack)
                return true
            }
            n = node.parent
            if n < 0 {
                guard let frame = build.previous else { return false }
                path = completed(path, build)
                build = frame.build
                n = frame.parent
            }
        }
    }

    func name(of arc: ArcType) -> String {
        switch arc {
        case .root: "root"
        case .inherit: "inherit"
        case .variant: "variant"
        case .relocate: "relocation"
        case .reference: "reference"
        case .payload: "payload"
        case .specialize: "specialize"
        }
    }

    func lose(_ arc: ArcType, _ assetPath: String, _ target: Path, _ state: CompositionArc.State) {
        // A tree that other prims take over would lose it there.
        isClean = false
        lostArcs[stagePath, default: []].append(LostArc(kind: arc, assetPath: assetPath, target: target, state: state))
    }

    func warn(_ code: String, _ message: String, _ stack: StackIndex) {
        let file = stacks.stacks[Int(stack)].rootLayer.identifier
        diagnostics.warning(code, message, at: SourceLocation(file: file, primPath: paths.string(stagePath)))
    }
}

/// A build of one tree.
final class PrimBuild {
    @exclusivity(unchecked) var nodes: NodeArray = []
    /// What does not depend on variants.
    @exclusivity(unchecked) var tasks = TaskQueue()
    @exclusivity(unchecked) var variantTasks: ContiguousArray<PrimTask> = []
    /// Where an arc's target is needed by a build in progress.
    var previous: PrimFrame?
    var evaluatesVariants = true
    /// The site that a frame was made for; the build may be at one of its ancestors yet.
    var site = Path.empty
    /// Whether sites that have a node already are left out.
    var skipsDuplicates = false
    /// Arcs whose targets had no specs when they were added.
    var unresolved: [(node: Int32, layer: USDLayer, code: String, message: String)] = []
    var hasUnloadedPayload = false
    var hasPayload = false

    func add(_ kind: PrimTask.Kind, _ node: Int32) {
        switch kind {
        case .ancestralVariantSets, .ancestralVariant, .variantSets, .variant: variantTasks.append(PrimTask(kind: kind, node: node))
        default: tasks.append(kind, node)
        }
    }
}

/// Tasks by kind, each kind first in, first out.
struct TaskQueue {
    private static let kinds = Int(PrimTask.Kind.specializes.rawValue) + 1
    private var lists = [ContiguousArray<Int32>](repeating: [], count: kinds)
    private var heads = [Int](repeating: 0, count: kinds)
    private var count = 0

    mutating func append(_ kind: PrimTask.Kind, _ node: Int32) {
        let k = Int(kind.rawValue)
        // To imply a node's classes twice in a row is in vain.
        if kind == .impliedClasses, lists[k].count > heads[k], lists[k].last == node { return }
        lists[k].append(node)
        count += 1
    }

    mutating func popFirst() -> PrimTask? {
        if count == 0 { return nil }
        for k in 0..<Self.kinds where heads[k] < lists[k].count {
            let node = lists[k][heads[k]]
            heads[k] += 1
            if heads[k] == lists[k].count {
                lists[k].removeAll(keepingCapacity: true)
                heads[k] = 0
            }
            count -= 1
            return PrimTask(kind: PrimTask.Kind(rawValue: UInt8(k)) ?? .relocations, node: node)
        }
        return nil
    }

    mutating func removeAll() {
        if count == 0 { return }
        for k in 0..<Self.kinds {
            lists[k].removeAll(keepingCapacity: true)
            heads[k] = 0
        }
        count = 0
    }
}

/// The place in another build for which a site is indexed.
final class PrimFrame {
    let build: PrimBuild
    let parent: Int32
    let skipsDuplicates: Bool
    init(build: PrimBuild, parent: Int32, skipsDuplicates: Bool) {
        self.build = build
        self.parent = parent
        self.skipsDuplicates = skipsDuplicates
    }
}

struct PrimTask {
    /// In order of urgency.
    enum Kind: UInt8 {
        case relocations, impliedRelocations, references, payloads, inherits, impliedClasses, specializes
        case ancestralVariantSets, ancestralVariant, variantSets, variant
    }
    var kind: Kind
    var node: Int32
    /// For variants: where the set is, its name, and its place in the list of sets.
    var path = Path.empty
    var set = Token.empty
    var number: Int32 = 0
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
