import AssetModel

/// Inherits and specializes, and how they are implied across other arcs.
///
/// Where `/Model_1` references `/Model`, which inherits `/_class_Model`, the layers of `/Model_1` may have opinions about
/// `/_class_Model` too: the class is implied one arc up, and so on to the root.
extension PrimIndexer {
    func evaluateClasses(_ build: PrimBuild, _ n: Int32, _ arc: ArcType) {
        let node = build.nodes[Int(n)]
        let field = arc == .inherit ? Token.inheritPaths : .specializes
        var targets: [Path] = []
        for (_, value) in fields(node.stack, node.path, field).reversed() {
            if case .pathListOp(let op) = value { op.apply(to: &targets) }
        }
        let stack = stacks.stacks[Int(node.stack)]
        let here = paths.strippingVariants(node.path)
        for (number, target) in targets.enumerated() {
            let path = paths.strippingVariants(target)
            guard paths.kind(path) == .prim else {
                warn("usd.bad-prim-path", "\(name(of: arc)) of <\(paths.string(target))>, expected the path of a prim", node.stack)
                continue
            }
            if path == here {
                warn("usd.arc-cycle", "\(name(of: arc)) of <\(paths.string(path))> by itself", node.stack)
                lose(arc, "", path, .circular)
                continue
            }
            var map = maps.arc(path, to: here, rootIdentity: true, offset: .identity)
            if let relocates = stack.relocates { map = maps.compose(relocates.map(at: here, maps, paths), map) }
            addClass(build, arc, parent: n, origin: n, map: map, sibling: number, namespaceDepth: Int(node.depth), sameAs: nil)
        }
    }

    /// - Parameter sameAs: a site that has a node already; another one for it only keeps the hierarchy's shape.
    @discardableResult
    private func addClass(
        _ build: PrimBuild, _ arc: ArcType, parent: Int32, origin: Int32, map: MapID, sibling: Int, namespaceDepth: Int,
        sameAs: (stack: StackIndex, path: Path)?
    ) -> Int32 {
        let node = build.nodes[Int(parent)]
        let here = paths.strippingVariants(node.path)
        let path = maps.toSource(map, here)
        if path.isEmpty || path.isRoot { return -1 }
        let isSame = path == here || sameAs.map { $0.stack == node.stack && $0.path == path } ?? false
        return addArc(
            build, arc, parent: parent, origin: origin, stack: node.stack, path: path, map: map, sibling: sibling,
            namespaceDepth: namespaceDepth, contributes: !isSame, ancestral: !isSame && !paths.parent(path).isRoot)
    }

    /// Asks for a new class to be implied upwards from the nodes that its hierarchies hang from. A class that was introduced
    /// at another level of namespace than the one it stands below starts a hierarchy of its own.
    func scheduleImplied(_ build: PrimBuild, _ n: Int32) {
        var n = n
        while n >= 0, build.nodes[Int(n)].arc.isClassBased {
            let depth = build.nodes.depthBelowIntroduction(n)
            while n >= 0, build.nodes[Int(n)].arc.isClassBased, build.nodes.depthBelowIntroduction(n) == depth {
                n = build.nodes[Int(n)].parent
            }
            // At the root there is nowhere to imply a class to.
            guard n >= 0, build.nodes[Int(n)].parent >= 0 else { return }
            build.add(.impliedClasses, n)
        }
    }

    func evaluateImpliedClasses(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        guard node.parent >= 0, build.nodes.hasClassBasedChild(n) else { return }
        let transfer = maps.addingRootIdentity(node.mapToParent)
        imply(build, to: node.parent, from: n, transfer, isStart: true, limit: Self.maximalArcDepth)
    }

    private func imply(_ build: PrimBuild, to dest: Int32, from source: Int32, _ transfer: MapID, isStart: Bool, limit: Int) {
        guard limit > 0 else { return }
        if build.nodes[Int(dest)].arc == .relocate, build.nodes[Int(dest)].parent >= 0 {
            // Relocation sources are placeholders: the class belongs to where the prim was moved to.
            let up = maps.compose(build.nodes[Int(dest)].mapToParent, transfer)
            imply(build, to: build.nodes[Int(dest)].parent, from: source, up, isStart: isStart, limit: limit - 1)
            return
        }
        // From weak to strong.
        for child in build.nodes.children(source).reversed() {
            let c = build.nodes[Int(child)]
            guard c.arc.isClassBased else { continue }
            // Below the start only the classes of this level of namespace belong to the hierarchy.
            let isSameLevel = build.nodes.depthBelowIntroduction(child) == build.nodes.depthBelowIntroduction(source)
            if isStart ? build.nodes[Int(source)].arc.isClassBased && isSameLevel : !isSameLevel { continue }
            let map = impliedMap(transfer, c.mapToParent)
            var found = matchingChild(build, dest, c, map, depth: build.nodes.depthBelowIntroduction(child))
            if found < 0 {
                let depth = Int(build.nodes[Int(dest)].depth) - build.nodes.depthBelowIntroduction(child)
                found = addClass(
                    build, c.arc, parent: dest, origin: child, map: map, sibling: Int(c.sibling), namespaceDepth: depth,
                    sameAs: (c.stack, c.path))
            }
            if found >= 0, build.nodes[Int(child)].firstChild >= 0, build.nodes.hasClassBasedChild(child) {
                let inner = maps.compose(maps.inverse(map), maps.compose(transfer, build.nodes[Int(child)].mapToParent))
                imply(build, to: found, from: child, inner, isStart: false, limit: limit - 1)
            }
        }
    }

    private func impliedMap(_ transfer: MapID, _ classMap: MapID) -> MapID {
        if transfer == MapTable.identity { return classMap }
        let composed = maps.compose(transfer, maps.compose(classMap, maps.inverse(transfer)))
        return maps.addingRootIdentity(composed)
    }

    private func matchingChild(_ build: PrimBuild, _ parent: Int32, _ node: IndexNode, _ map: MapID, depth: Int) -> Int32 {
        let here = paths.strippingVariants(build.nodes[Int(parent)].path)
        let path = maps.toSource(map, here)
        for c in build.nodes.children(parent) {
            let n = build.nodes[Int(c)]
            if n.arc == node.arc, n.path == path, n.stack == build.nodes[Int(parent)].stack,
                build.nodes.depthBelowIntroduction(c) == depth
            {
                return c
            }
        }
        return -1
    }
}
