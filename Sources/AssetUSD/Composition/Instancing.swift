/// Instances: prims that share everything below them with others of the same arcs. Their contents are composed once, in a
/// prototype, and shown below each instance by proxies.
extension Stage {
    /// The prototype of an instance, made where it is the first of its kind.
    func prototype(_ r: PrimRecord, _ tree: NodeArray) -> Int32 {
        var key: [Int32] = []
        // Without payloads, which may be left out, the first shared node of each branch tells of all below it.
        for n in tree.sharedNodes(onlyTopmost: !r.flags.contains(.hasPayload)) {
            let node = tree[Int(n)]
            let offset = maps.offset(node.mapToRoot)
            var number: Int32 = 0
            if !offset.isIdentity {
                number = offsetNumbers[offset] ?? Int32(offsetNumbers.count + 1)
                offsetNumbers[offset] = number
            }
            key.append(node.path.id)
            key.append(node.stack)
            key.append(Int32(node.arc.rawValue))
            key.append(number)
        }
        key.append(contentsOf: indexer.selections(tree, at: r.path))
        if let known = prototypes[key] { return known }
        var p = PrimRecord(path: r.path, parent: -1)
        p.typeName = r.typeName
        p.flags = [.active, .loaded, .isDef, .defined, .prototype]
        if r.flags.contains(.hasClips) { p.flags.insert(.hasClips) }
        p.nodeStart = Int32(nodes.count)
        p.nodeCount = Int32(tree.count)
        var inside = tree
        indexer.restrictToInstanceable(&inside, inFrame: false)
        nodes.append(contentsOf: inside)
        p.opinionStart = Int32(opinions.count)
        gatherOpinions(inside)
        p.opinionCount = Int32(opinions.count) - p.opinionStart
        let index = Int32(prims.count)
        prims.append(p)
        prototypes[key] = index
        return index
    }

    /// Proxies for the contents of an instance, or for the children of a proxy.
    func makeProxies(_ prim: StagePrim) -> [StagePrim] {
        let r = prims[Int(prim.index)]
        let sourceParent: Int32
        let instanceRoot: Int32
        if r.source >= 0, !prims[Int(r.source)].flags.contains(.instance) {
            sourceParent = r.source
            instanceRoot = r.instanceRoot
        } else {
            sourceParent = prims[holder(prim)].prototype
            instanceRoot = prim.index
        }
        let sources = composedChildren(StagePrim(index: sourceParent))
        var list: [StagePrim] = []
        list.reserveCapacity(sources.count)
        for s in sources {
            let from = prims[Int(s.index)]
            var p = PrimRecord(path: paths.child(r.path, paths.name(from.path)), parent: prim.index)
            p.typeName = from.typeName
            p.flags = from.flags
            p.source = s.index
            p.instanceRoot = instanceRoot
            list.append(add(p))
        }
        return list
    }

    /// A path that a proxy's opinions name, below the instance that the proxy lies in.
    func translate(_ path: Path, for prim: StagePrim) -> Path {
        let r = prims[Int(prim.index)]
        guard r.instanceRoot >= 0 else { return path }
        let instance = StagePrim(index: r.instanceRoot)
        let prototype = prims[holder(instance)].prototype
        guard prototype >= 0 else { return path }
        let from = prims[Int(prototype)].path
        let to = prims[Int(instance.index)].path
        return from == to ? path : paths.replacingPrefix(path, from, with: to) ?? path
    }
}

extension NodeArray {
    /// Which nodes instances share: those with a say that a direct arc of the prim brought in. In a frame, the tree of an arc's
    /// target on its way down, what the ancestors of such an arc's own target brought along is not among them.
    func isShared(inFrame: Bool = false) -> [Bool] {
        var isDirect = [Bool](repeating: false, count: count)
        var shared = isDirect
        for i in 1..<Swift.max(1, count) where !self[i].isCulled {
            let p = Int(self[i].parent)
            if p > 0, self[p].isCulled { continue }
            isDirect[i] = !self[i].isDueToAncestor || isDirect[p] && !inFrame
            shared[i] = isDirect[i] && self[i].contributes
        }
        return shared
    }

    /// The shared nodes in order of strength, all or only the first of each branch.
    func sharedNodes(onlyTopmost: Bool) -> [Int32] {
        let shared = isShared()
        var out: [Int32] = []
        var stack: [Int32] = [0]
        while let n = stack.popLast() {
            if shared[Int(n)] {
                out.append(n)
                if onlyTopmost { continue }
            }
            for c in children(n).reversed() where !self[Int(c)].isCulled { stack.append(c) }
        }
        return out
    }
}

extension PrimIndexer {
    /// Whether a tree is that of an instance: it has something to share, and asks to be one.
    func isInstanceable(_ tree: NodeArray, inFrame: Bool) -> Bool {
        guard tree.count > 1, tree.isShared(inFrame: inFrame).contains(true) else { return false }
        for n in tree.strengthOrder() where tree[Int(n)].contributes {
            var found: Bool?
            forEachSpec(tree[Int(n)]) { entry, spec in
                if found == nil, case .bool(let b)? = entry.layer.value(spec, .instanceable) { found = b }
            }
            if let found { return found }
        }
        return false
    }

    /// Leaves only what instances share, with all below it, a say about what is below them.
    func restrictToInstanceable(_ tree: inout NodeArray, inFrame: Bool) {
        let shared = tree.isShared(inFrame: inFrame)
        var stack: [Int32] = [0]
        while let n = stack.popLast() {
            if shared[Int(n)] || tree[Int(n)].isCulled { continue }
            restrict(&tree[Int(n)])
            stack.append(contentsOf: tree.children(n))
        }
    }

    /// The composed selections of variants of an instance, for comparison: what was chosen for it, then what is authored.
    func selections(_ tree: NodeArray, at path: Path) -> [Int32] {
        var chosen = chosenVariants[path] ?? [:]
        for n in tree.strengthOrder() where tree[Int(n)].contributes {
            let variables = stacks.stacks[Int(tree[Int(n)].stack)].variables
            forEachSpec(tree[Int(n)]) { entry, spec in
                guard case .variantSelections(let list)? = entry.layer.value(spec, .variantSelection) else { return }
                for (set, variant) in list where chosen[set] == nil {
                    let text = session.string(variant)
                    if ExpressionText.isExpression(text) {
                        if case .success(let s) = variables.evaluateString(text) { chosen[set] = session.token(s) }
                    } else {
                        chosen[set] = variant
                    }
                }
            }
        }
        return chosen.sorted { $0.key.id < $1.key.id }.flatMap { [$0.key.id, $0.value.id] }
    }
}
