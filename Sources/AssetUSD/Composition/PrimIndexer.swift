import AssetIO
import AssetModel

/// Builds the tree of sites that contribute to a prim: its own, and those that references, payloads, inherits,
/// specializes, variants and relocations bring in.
///
/// The procedure is that of OpenUSD's Pcp: a child starts from its parent's tree with every path one element longer, then
/// tasks add what is authored at this level, always the kind of arc first that can change what later kinds find. A target
/// below a root prim is indexed in a frame of its own first, so that opinions about its ancestors count; what depends on the
/// whole tree (variants, copies of specialized nodes) is left to the tree that asks. Each arc has a file of its own;
/// docs/usd-composition.md tells how they work together.
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
    /// What composition took so far: nodes made, and what was looked at for them.
    var work = 0
    /// What it may take; a few lines of hostile text can ask for billions.
    var allowedWork = 0
    var hasWarnedOfNodes = false
    /// The stage path that is being indexed, for diagnostics.
    var stagePath = Path.root
    /// Arcs that could not be followed, by the stage path of the prim that authors them.
    private(set) var lostArcs: [Path: [LostArc]] = [:]
    /// Where a child keeps its parent's nodes, while they are copied; -1 everywhere else.
    @exclusivity(unchecked) var places: [Int32] = []
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
    /// Arcs in a row, from a prim to what it refers to, and on.
    var maximalArcDepth: Int { options.limits.nestingDepth }

    /// Whether composition took more than it may. Unless a limit was asked for, that is in proportion to the layers: classes
    /// that inherit each other, and references within references, multiply what a few lines hold.
    var isExhausted: Bool {
        if work <= allowedWork { return false }
        allowedWork = options.limits.arcs
        if !options.limits.arcsWereSet {
            allowedWork = min(allowedWork, 30_000_000 + 32 * cache.layers.reduce(0) { $0 + $1.byteCount })
        }
        return work > allowedWork
    }

    // MARK: Entry

    /// The tree of a root prim in the stage's layer stack.
    func rootPrimIndex(_ path: Path) -> PrimBuild {
        stagePath = path
        let build = take(previous: nil)
        build.nodes.append(node(0, path))
        build.site = path
        run(build)
        build.nodes.finish(paths)
        return build
    }

    /// The tree of a child, from its parent's.
    func childIndex(_ parent: NodeArray.SubSequence, _ name: Token, _ path: Path, _ sites: ChildSites? = nil) -> PrimBuild {
        stagePath = path
        let build = take(previous: nil)
        if let sites { step(parent, name, sites, into: &build.nodes) } else { step(parent, name, into: &build.nodes) }
        build.site = path
        if !elideIfProhibited(build) { run(build) }
        build.nodes.finish(paths)
        return build
    }

    /// The tree of a site that is not a prim of the stage: an arc's target.
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
        build.nodes.append(node(stack, chain.first ?? path))
        if chain.count <= 1, !contributes { restrict(&build.nodes[0]) }
        run(build)
        for (i, p) in chain.enumerated().dropFirst() {
            if isInstanceable(build.nodes, inFrame: true) { restrictToInstanceable(&build.nodes, inFrame: true) }
            let parent = build.nodes
            build.nodes.removeAll(keepingCapacity: true)
            step(parent[...], paths.name(p), into: &build.nodes)
            if i == chain.count - 1, !contributes { restrict(&build.nodes[0]) }
            build.hasPayload = false
            build.hasUnloadedPayload = false
            if !elideIfProhibited(build) { run(build) }
        }
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
        build.unselected.removeAll(keepingCapacity: true)
        build.unresolved.removeAll(keepingCapacity: true)
        build.hasUnloadedPayload = false
        build.hasPayload = false
        build.previous = nil
        spare.append(build)
    }

    // MARK: Specs

    func node(_ stack: StackIndex, _ path: Path) -> IndexNode {
        var node = IndexNode(path: path, stack: stack)
        node.depth = Int16(clamping: depthWithoutVariants(path))
        findSpecs(&node)
        return node
    }

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

    /// The arcs that a node's specs author.
    func arcMask(_ node: IndexNode) -> UInt8 {
        var mask: UInt8 = 0
        forEachSpec(node) { entry, spec in mask |= ArcMask.of(entry.layer, spec) }
        return mask
    }

    // MARK: Namespace

    /// Copies a parent's tree one element down.
    private func step(_ parent: NodeArray.SubSequence, _ name: Token, into nodes: inout NodeArray) {
        nodes.reserveCapacity(parent.count)
        work &+= parent.count &* (1 + Int(parent.first?.depth ?? 0) / 8)
        for node in parent { nodes.append(steppedNode(node, name)) }
    }

    @inline(__always)
    func steppedNode(_ node: IndexNode, _ name: Token) -> IndexNode {
        var child = node
        child.path = paths.child(node.path, name)
        child.depth &+= 1
        child.isDueToAncestor = node.parent >= 0
        if child.firstSpec >= 0 { findSpecs(&child) }
        return child
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

    /// Takes a node's say about its own site and what lies below.
    func restrict(_ node: inout IndexNode) {
        if node.isInert { return }
        node.isInert = true
        node.restrictedDepth = Int16(clamping: paths.depth(node.path))
    }

    /// Whether a node may still speak of a path at or above its own.
    func maySpeak(_ node: IndexNode, of path: Path) -> Bool {
        node.restrictedDepth == 0 || Int(node.restrictedDepth) > paths.depth(path)
    }

    // MARK: Tasks

    /// Enqueues what is to be done about a new node and, unless its subtree was indexed in a frame of its own, about
    /// everything below it.
    func addTasks(_ build: PrimBuild, _ n: Int32, isCompleted: Bool, isImplied: Bool) {
        if build.nodes[Int(n)].arc.isClassBased {
            if isImplied { build.add(.impliedClasses, startOfImpliedClasses(build, n)) }
        } else if build.nodes.hasClassBasedChild(n) {
            build.add(.impliedClasses, n)
        }
        if build.isTop, build.nodes.hasSpecializes(below: n) { build.add(.impliedSpecializes, n) }
        addOwnTasks(build, n, isCompleted)
        guard build.nodes[Int(n)].firstChild >= 0 else { return }
        // Children always stand behind their parents, so that the subtree is found in one pass.
        for i in (n + 1)..<max(n + 1, Int32(build.nodes.count)) where build.nodes.isAncestor(n, of: i) { addOwnTasks(build, i, isCompleted) }
    }

    private func addOwnTasks(_ build: PrimBuild, _ n: Int32, _ isCompleted: Bool) {
        let node = build.nodes[Int(n)]
        if isCompleted, build.isTop { build.add(.ancestralVariantSets, n) }
        if node.arc == .relocate { build.add(.impliedRelocations, n) }
        guard node.canContribute else { return }
        if !isCompleted, stacks.stacks[Int(node.stack)].relocates != nil { build.add(.relocations, n) }
        let mask = arcMask(node)
        if mask == 0 { return }
        if !isCompleted {
            if mask & ArcMask.references != 0 { build.add(.references, n) }
            if mask & ArcMask.payload != 0 { build.add(.payloads, n) }
            if mask & ArcMask.inherits != 0 { build.add(.inherits, n) }
            if mask & ArcMask.specializes != 0 { build.add(.specializes, n) }
        }
        if mask & ArcMask.variants != 0, build.isTop { build.add(.variantSets, n) }
    }

    private func run(_ build: PrimBuild) {
        for i in 0..<Int32(build.nodes.count) { addOwnTasks(build, i, false) }
        while !isExhausted, let task = next(build) {
            switch task.kind {
            case .relocations: evaluateRelocations(build, task.node)
            case .impliedRelocations: evaluateImpliedRelocations(build, task.node)
            case .references: evaluateReferences(build, task.node)
            case .payloads: evaluatePayloads(build, task.node)
            case .inherits: evaluateInherits(build, task.node)
            case .specializes: evaluateSpecializes(build, task.node)
            case .impliedSpecializes: evaluateImpliedSpecializes(build, task.node)
            case .impliedClasses: evaluateImpliedClasses(build, task.node)
            case .ancestralVariantSets: evaluateAncestralVariantSets(build, task.node)
            case .variantSets: evaluateVariantSets(build, task.node)
            case .ancestralVariant, .variant: evaluateVariant(build, task)
            }
        }
        build.unselected.removeAll(keepingCapacity: true)
        reportUnresolved(build)
    }

    /// The next task: the most urgent kind; of variants those of the strongest node.
    private func next(_ build: PrimBuild) -> PrimTask? {
        build.tasks.popFirst(build.nodes) { isUrgenter($0, $1, build.nodes) }
    }

    private func isUrgenter(_ a: PrimTask, _ b: PrimTask, _ nodes: NodeArray) -> Bool {
        if a.node != b.node { return nodes.compareNodes(a.node, b.node) < 0 }
        // Selections of ancestors first.
        if a.path != b.path { return paths.depth(a.path) < paths.depth(b.path) }
        return a.number < b.number
    }

    // MARK: Messages

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
