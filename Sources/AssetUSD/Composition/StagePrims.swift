import AssetIO
import AssetModel

/// What a stage keeps of a prim.
struct PrimRecord {
    struct Flags: OptionSet {
        var rawValue: UInt16
        static let active = Flags(rawValue: 1)
        static let loaded = Flags(rawValue: 2)
        /// The prim's own specifier.
        static let isDef = Flags(rawValue: 4)
        static let isClass = Flags(rawValue: 8)
        /// With everything above it.
        static let defined = Flags(rawValue: 16)
        static let abstract = Flags(rawValue: 32)
        static let instance = Flags(rawValue: 64)
        static let prototype = Flags(rawValue: 128)
        static let hasClips = Flags(rawValue: 256)
        static let hasPayload = Flags(rawValue: 512)
        static let shown: Flags = [.active, .loaded, .defined]
    }

    var path: Path
    var parent: Int32
    var typeName = Token.empty
    var flags: Flags = []
    /// The tree in `Stage.nodes`; without nodes it is the stage's layer stack at the prim's own path.
    var nodeStart: Int32 = 0
    var nodeCount: Int32 = 0
    var opinionStart: Int32 = 0
    var opinionCount: Int32 = 0
    /// In `Stage.childLists`; -1 before they are composed.
    var childStart: Int32 = -1
    var childCount: Int32 = 0
    /// Of an instance proxy: the prim in the prototype whose opinions count.
    var source: Int32 = -1
    /// Of an instance: its prototype.
    var prototype: Int32 = -1
    /// Of an instance proxy: the instance it lies in, the innermost one.
    var instanceRoot: Int32 = -1
}

/// One spec that has a say about a prim.
struct Opinion {
    var layer: LayerIndex
    var spec: SpecIndex
    /// Position in the prim's tree.
    var node: Int32
    /// Position of the layer in the node's layer stack.
    var entry: Int32
}

extension Stage {
    func makePseudoRoot() {
        // A scene has about as many prims as a fifth of its specs; memory that is not used costs nothing.
        let expected = min(rootLayer.specs.count / 4, options.limits.prims)
        prims.reserveCapacity(expected)
        opinions.reserveCapacity(expected)
        childLists.reserveCapacity(expected)
        var root = PrimRecord(path: .root, parent: -1)
        root.flags = [.active, .loaded, .isDef, .defined]
        for (i, e) in stacks.stacks[0].entries.enumerated() {
            opinions.append(Opinion(layer: e.index, spec: 0, node: 0, entry: Int32(i)))
        }
        root.opinionCount = Int32(opinions.count)
        prims.append(root)
        register(.root, 0)
    }

    func register(_ path: Path, _ index: Int32) {
        let i = Int(path.id)
        if i >= primOfPath.count {
            let n = max(paths.count, i + 1)
            if n > primOfPath.capacity { primOfPath.reserveCapacity(n + n / 2) }
            primOfPath.append(contentsOf: repeatElement(-1, count: n - primOfPath.count))
        }
        primOfPath[i] = index
    }

    func known(_ path: Path) -> StagePrim? {
        let i = Int(path.id)
        guard i < primOfPath.count, primOfPath[i] >= 0 else { return nil }
        return StagePrim(index: primOfPath[i])
    }

    /// The prim whose opinions count for a prim: itself, or for proxies the one in the prototype.
    @inline(__always)
    func holder(_ prim: StagePrim) -> Int {
        let s = prims[Int(prim.index)].source
        return Int(s >= 0 ? s : prim.index)
    }

    @inline(__always)
    func opinionRange(_ prim: StagePrim) -> Range<Int> {
        let h = holder(prim)
        let start = Int(prims[h].opinionStart)
        return start..<(start + Int(prims[h].opinionCount))
    }

    /// The tree of a prim; empty where the prim's own path in the stage's layer stack is all there is.
    func tree(_ holder: Int) -> NodeArray.SubSequence {
        let r = prims[holder]
        return nodes[Int(r.nodeStart)..<Int(r.nodeStart + r.nodeCount)]
    }

    // MARK: Children

    func shownChildren(_ prim: StagePrim) -> [StagePrim] {
        let all = composedChildren(prim)
        if all.isEmpty { return [] }
        var out: [StagePrim] = []
        out.reserveCapacity(all.count)
        for c in all {
            let f = prims[Int(c.index)].flags
            if f.isSuperset(of: .shown), !f.contains(.abstract) { out.append(c) }
        }
        return out
    }

    /// All children, composed now if they were not; of instances and proxies: proxies.
    func composedChildren(_ prim: StagePrim) -> ContiguousArray<StagePrim>.SubSequence {
        let i = Int(prim.index)
        if prims[i].childStart < 0 {
            var list: [StagePrim]
            if noteExhaustion() {
                list = []
            } else if let excess = exceededPrimLimit {
                exceed(AssetError("usd.too-many-prims", excess, at: SourceLocation(file: rootLayer.identifier)))
                list = []
            } else if prims[i].source >= 0 || prims[i].flags.contains(.instance) {
                list = makeProxies(prim)
            } else {
                list = makeChildren(prim)
                // Nobody may ask for what lies below those.
                _ = noteExhaustion()
            }
            prims[i].childStart = Int32(childLists.count)
            prims[i].childCount = Int32(list.count)
            childLists.append(contentsOf: list)
            list.removeAll()
        }
        let r = prims[i]
        return childLists[Int(r.childStart)..<Int(r.childStart + r.childCount)]
    }

    /// The limit on prims that the stage has passed. Unless one was asked for, prims and the sites they are composed of are
    /// in proportion to the layers: references within references can double at every level what a few lines hold.
    private var exceededPrimLimit: String? {
        let limit = options.limits.prims
        // The pseudo-root is none of them.
        if prims.count - 1 > limit { return "more than \(limit) prim\(limit == 1 ? "" : "s") (the limit 'prims')" }
        guard prims.count > 100_000, !options.limits.primsWereSet else { return nil }
        let byteCount = layerBytes
        let (most, mostSites) = (1_000_000 + 32 * byteCount, 2_000_000 + 64 * byteCount)
        let rest = "from \(amount(byteCount, "byte")) of layers; a limit 'prims' of one's own lets them be"
        if prims.count > most { return "more than \(amount(most, "prim")) \(rest)" }
        if nodes.count > mostSites { return "\(amount(prims.count - 1, "prim")) of more than \(mostSites) sites \(rest)" }
        return nil
    }

    /// Whether composition took more than it may; notes it for those who ask for the stage's limits.
    private func noteExhaustion() -> Bool {
        guard indexer.isExhausted else { return false }
        exceed(
            AssetError(
                "usd.too-many-arcs",
                "composing \(prims.count - 1) prim\(prims.count == 2 ? "" : "s") from \(amount(layerBytes, "byte")) of layers "
                    + "takes more than \(indexer.allowedWork) arc\(indexer.allowedWork == 1 ? "" : "s") "
                    + "(the limit 'arcs')",
                at: SourceLocation(file: rootLayer.identifier)))
        return true
    }

    /// The size of all layers that the stage uses.
    var layerBytes: Int { cache.layers.reduce(0) { $0 + $1.byteCount } }

    /// Notes that the stage is cut off at a limit, as a warning and for those who will not go on with a part.
    private func exceed(_ error: AssetError) {
        if ownExceededLimit == nil { ownExceededLimit = error }
        var warning = error.diagnostic
        warning.severity = .warning
        ownDiagnostics.add(warning)
    }

    private func makeChildren(_ prim: StagePrim) -> [StagePrim] {
        let i = Int(prim.index)
        let r = prims[i]
        let isRoot = r.path.isRoot
        var list: [StagePrim] = []
        let limit = options.limits.nestingDepth
        if r.nodeCount == 0, r.opinionCount == 0 { return [] }
        if paths.depth(r.path) >= limit {
            if childNames(i).isEmpty { return [] }
            exceed(
                AssetError(
                    "usd.nesting-too-deep", "prims nested deeper than \(limit)",
                    at: SourceLocation(file: rootLayer.identifier, primPath: paths.string(r.path))))
            return []
        }
        if r.nodeCount == 0, r.opinionCount == 1, stacks.stacks[0].relocates == nil {
            // One layer has a say: its children in its order.
            let o = opinions[Int(r.opinionStart)]
            let layer = cache.layers[Int(o.layer)]
            let range = layer.specs[Int(o.spec)].primChildren
            guard !range.isEmpty else { return [] }
            let order = layer.field(o.spec, .primOrder)
            list.reserveCapacity(range.count)
            if order == nil {
                for k in Int(range.lowerBound)..<Int(range.upperBound) {
                    let spec = layer.children[k]
                    let path = layer.specs[Int(spec)].path
                    list.append(makePlainChild(prim, path, isRoot, single: (layer, spec, o)))
                }
                return list
            }
        }
        let sites = r.nodeCount == 0 ? nil : indexer.childSites(tree(i))
        for name in childNames(i) {
            let path = paths.child(r.path, name)
            if r.nodeCount == 0 {
                list.append(makePlainChild(prim, path, isRoot, single: nil))
            } else {
                list.append(makeIndexed(prim, path, indexer.childIndex(tree(i), name, path, sites)))
            }
        }
        return list
    }

    /// A child of a prim that only the stage's own layers speak of.
    private func makePlainChild(_ parent: StagePrim, _ path: Path, _ isRoot: Bool, single: (USDLayer, SpecIndex, Opinion)?) -> StagePrim {
        var mask: UInt8 = 0
        let start = opinions.count
        if let (layer, spec, o) = single {
            mask = ArcMask.of(layer, spec)
            opinions.append(Opinion(layer: o.layer, spec: spec, node: 0, entry: o.entry))
        } else {
            for (k, e) in stacks.stacks[0].entries.enumerated() {
                guard let spec = e.layer.spec(at: path) else { continue }
                mask |= ArcMask.of(e.layer, spec)
                opinions.append(Opinion(layer: e.index, spec: spec, node: 0, entry: Int32(k)))
            }
        }
        if mask != 0 || stacks.stacks[0].relocates != nil {
            opinions.removeLast(opinions.count - start)
            if let (layer, spec, o) = single, mask & ~(ArcMask.references | ArcMask.payload) == 0,
                let key = sharedKey(layer.view, o.layer, spec)
            {
                let own = Opinion(layer: o.layer, spec: spec, node: 0, entry: o.entry)
                if let made = makeShared(parent, path, own, key) { return made }
                return makeIndexed(parent, path, plainIndex(parent, path, isRoot), sharedAs: key)
            }
            return makeIndexed(parent, path, plainIndex(parent, path, isRoot))
        }
        var r = PrimRecord(path: path, parent: parent.index)
        r.opinionStart = Int32(start)
        r.opinionCount = Int32(opinions.count - start)
        describe(&r, tree: nil)
        inheritFlags(&r)
        return add(r)
    }

    /// The tree of a prim whose parent only the stage's own layers speak of.
    private func plainIndex(_ parent: StagePrim, _ path: Path, _ isRoot: Bool) -> PrimBuild {
        indexer.isClean = true
        if isRoot { return indexer.rootPrimIndex(path) }
        var node = IndexNode(path: prims[Int(parent.index)].path, stack: 0)
        node.depth = Int16(clamping: paths.depth(node.path))
        indexer.findSpecs(&node)
        return indexer.childIndex([node], paths.name(path), path)
    }

    private func makeIndexed(_ parent: StagePrim, _ path: Path, _ build: PrimBuild, sharedAs key: SharedIndex.Key? = nil) -> StagePrim {
        var r = PrimRecord(path: path, parent: parent.index)
        r.nodeStart = Int32(nodes.count)
        r.nodeCount = Int32(build.nodes.count)
        nodes.append(contentsOf: build.nodes)
        r.opinionStart = Int32(opinions.count)
        gatherOpinions(build.nodes)
        r.opinionCount = Int32(opinions.count) - r.opinionStart
        if let key, indexer.isClean { share(build, opinions[Int(r.opinionStart)...], as: key) }
        let wantsInstance = describe(&r, tree: build.nodes)
        if build.hasUnloadedPayload { r.flags.remove(.loaded) }
        if build.hasPayload { r.flags.insert(.hasPayload) }
        inheritFlags(&r)
        if wantsInstance, r.flags.contains(.active), build.nodes.isShared().contains(true) {
            r.flags.insert(.instance)
            r.prototype = prototype(r, build.nodes)
        }
        indexer.recycle(build)
        return add(r)
    }

    func add(_ r: PrimRecord) -> StagePrim {
        let index = Int32(prims.count)
        prims.append(r)
        register(r.path, index)
        return StagePrim(index: index)
    }

    func gatherOpinions(_ tree: NodeArray) {
        if tree.count == 1 {
            gather(tree[0], 0)
        } else {
            for n in tree.strengthOrder() { gather(tree[Int(n)], n) }
        }
    }

    private func gather(_ node: IndexNode, _ n: Int32) {
        guard node.contributes else { return }
        let stack = stacks.stacks[Int(node.stack)]
        opinions.append(Opinion(layer: stack.entries[Int(node.firstLayer)].index, spec: node.firstSpec, node: n, entry: node.firstLayer))
        var k = Int(node.firstLayer) + 1
        while k < stack.entries.count {
            if let spec = stack.entries[k].layer.spec(at: node.path) {
                opinions.append(Opinion(layer: stack.entries[k].index, spec: spec, node: n, entry: Int32(k)))
            }
            k += 1
        }
    }

    /// Fills in what the opinions say of type, specifier and activity. Returns whether the prim asks to be an instance.
    @discardableResult
    func describe(_ r: inout PrimRecord, tree: NodeArray?) -> Bool {
        var active: Bool?
        var instanceable: Bool?
        var specifier = Specifier.over
        /// 0: only overs so far; 1: defined across a class arc of its own; 2: defined.
        var strength = 0
        for k in Int(r.opinionStart)..<Int(r.opinionStart + r.opinionCount) {
            let o = opinions[k]
            let layer = cache.views[Int(o.layer)]
            let range = layer.specs[Int(o.spec)].fields
            for f in Int(range.lowerBound)..<Int(range.upperBound) {
                let field = layer.fields[f]
                switch field.name {
                case .specifier:
                    guard strength < 2, let s = field.specifier, s != .over else { continue }
                    let mine = s == .class && tree.map { isDirectlyInherited($0, o.node) } ?? false ? 1 : 2
                    if mine > strength {
                        strength = mine
                        specifier = s
                    }
                case .typeName:
                    if r.typeName.isEmpty, let t = field.token, t != anyType { r.typeName = t }
                case .active:
                    if active == nil, let b = field.bool { active = b }
                case .instanceable:
                    if instanceable == nil, let b = field.bool { instanceable = b }
                case .clips:
                    r.flags.insert(.hasClips)
                default: break
                }
            }
        }
        r.flags.insert(.loaded)
        if active ?? true { r.flags.insert(.active) }
        switch specifier {
        case .def: r.flags.insert(.isDef)
        case .class: r.flags.insert(.isClass)
        case .over: break
        }
        return instanceable ?? false
    }

    /// Whether a prim has a node by an inherit of its own: that the class is one says nothing about the prim.
    private func isDirectlyInherited(_ tree: NodeArray, _ n: Int32) -> Bool {
        var n = n
        while n >= 0 {
            if tree[Int(n)].arc == .inherit, !tree[Int(n)].isDueToAncestor { return true }
            n = tree[Int(n)].parent
        }
        return false
    }

    func inheritFlags(_ r: inout PrimRecord) {
        let up = prims[Int(r.parent)].flags
        if !r.flags.isDisjoint(with: [.isDef, .isClass]), up.contains(.defined) { r.flags.insert(.defined) }
        if r.flags.contains(.isClass) || up.contains(.abstract) { r.flags.insert(.abstract) }
        if up.contains(.hasClips) { r.flags.insert(.hasClips) }
    }

    /// Names of a prim's children, from weak to strong opinions, reordered where a layer says so.
    func childNames(_ i: Int) -> [Token] {
        let r = prims[i]
        var names: [Token] = []
        var have = Set<Token>()
        var prohibited = Set<Token>()
        func site(_ stack: LayerStack, _ path: Path) {
            if let relocates = stack.relocates { relocate(relocates, path, &names, &have, &prohibited) }
            for e in stack.entries.reversed() {
                guard let spec = e.layer.spec(at: path) else { continue }
                for c in e.layer.children(e.layer.specs[Int(spec)].primChildren) {
                    let name = paths.name(e.layer.specs[Int(c)].path)
                    if have.insert(name).inserted { names.append(name) }
                }
                if case .tokens(let order)? = e.layer.value(spec, .primOrder) { applyOrder(order, to: &names) }
            }
        }
        if r.nodeCount == 0 {
            site(stacks.stacks[0], r.path)
        } else {
            let tree = NodeArray(tree(i))
            for n in tree.strengthOrder().reversed() {
                let node = tree[Int(n)]
                // A layer stack may relocate prims to where it has no specs.
                if node.canContribute { site(stacks.stacks[Int(node.stack)], node.path) }
            }
        }
        if !prohibited.isEmpty { names.removeAll { prohibited.contains($0) } }
        return names
    }

    /// Renames, removes and adds the children that a layer stack relocates.
    private func relocate(_ table: RelocationTable, _ path: Path, _ names: inout [Token], _ have: inout Set<Token>, _ prohibited: inout Set<Token>) {
        let departures = table.departures[path] ?? []
        if !departures.isEmpty {
            let places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
            var left = Set<Int>()
            for (source, target) in departures {
                let old = paths.name(source)
                prohibited.insert(old)
                guard let at = places[old] else { continue }
                have.remove(old)
                if !target.isEmpty, paths.parent(target) == path, have.insert(paths.name(target)).inserted {
                    names[at] = paths.name(target)
                } else {
                    left.insert(at)
                }
            }
            if !left.isEmpty { names = names.enumerated().filter { !left.contains($0.offset) }.map(\.element) }
        }
        var arrivals: [Token] = []
        for (target, source) in table.arrivals[path] ?? [] where paths.parent(source) != path {
            let name = paths.name(target)
            if have.insert(name).inserted { arrivals.append(name) }
        }
        if arrivals.count > 1 { arrivals.sort { session.string($0).utf8.lexicographicallyPrecedes(session.string($1).utf8) } }
        names.append(contentsOf: arrivals)
    }
}
