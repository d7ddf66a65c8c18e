/// Instances: prims that share everything below them with others of the same arcs. Their contents are composed once, in a
/// prototype, and shown below each instance by proxies.
extension Stage {
    /// Which nodes of a tree are shared by all instances: those that a direct arc of the prim brought in.
    private func instanceable(_ tree: NodeArray) -> [Bool] {
        var shared = [Bool](repeating: false, count: tree.count)
        for i in 1..<max(1, tree.count) {
            let p = tree[i].parent
            shared[i] = (p >= 0 && shared[Int(p)]) || !tree.isDueToAncestor(Int32(i))
        }
        return shared
    }

    func hasInstanceableArc(_ tree: NodeArray) -> Bool {
        for i in 1..<max(1, tree.count) where tree[i].hasSpecs && !tree.isDueToAncestor(Int32(i)) { return true }
        return false
    }

    /// The prototype of an instance, made where it is the first of its kind.
    func prototype(_ r: PrimRecord, _ tree: NodeArray) -> Int32 {
        let shared = instanceable(tree)
        var key: [Int32] = []
        for n in tree.count == 2 ? [0, 1] : tree.strengthOrder() where shared[Int(n)] {
            let node = tree[Int(n)]
            let offset = maps.offset(node.mapToRoot)
            var number: Int32 = 0
            if !offset.isIdentity {
                number = offsetNumbers[offset] ?? Int32(offsetNumbers.count + 1)
                offsetNumbers[offset] = number
            }
            key.append(node.path.id)
            key.append(node.stack)
            key.append(Int32(node.arc.rawValue) << 1 | (node.isInert ? 1 : 0))
            key.append(number)
        }
        if let known = prototypes[key] { return known }
        var p = PrimRecord(path: r.path, parent: -1)
        p.typeName = r.typeName
        p.flags = [.active, .loaded, .isDef, .defined, .prototype]
        if r.flags.contains(.hasClips) { p.flags.insert(.hasClips) }
        p.nodeStart = Int32(nodes.count)
        p.nodeCount = Int32(tree.count)
        var inside = tree
        for i in 0..<inside.count where !shared[i] { inside[i].isInert = true }
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
