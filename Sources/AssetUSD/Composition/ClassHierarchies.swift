/// What inherits and specializes share: class hierarchies, and how they are implied across other arcs.
///
/// Where `/Model_1` references `/Model`, which inherits `/_class_Model`, the layers of `/Model_1` may have opinions about
/// `/_class_Model` too: the class is implied one arc up, and so on to the root.
extension PrimIndexer {
    func evaluateClasses(_ build: PrimBuild, _ n: Int32, _ arc: ArcType, _ field: Token) {
        let node = build.nodes[Int(n)]
        guard node.canContribute else { return }
        var targets: [Path] = []
        for (_, value) in fields(node.stack, node.path, field).reversed() {
            if case .pathListOp(let op) = value { op.apply(to: &targets) }
        }
        let here = paths.strippingVariants(node.path)
        for (number, target) in targets.enumerated() {
            let path = paths.strippingVariants(target)
            guard paths.kind(path) == .prim else {
                warn("usd.bad-prim-path", "\(name(of: arc)) of <\(paths.string(target))>, expected the path of a prim", node.stack)
                continue
            }
            let map = map(from: path, to: here, node.stack, rootIdentity: true)
            addClass(build, arc, parent: n, origin: n, map: map, sibling: number, sameAs: nil)
        }
    }

    /// The mapping of an arc to a path, with what the layer stack relocates at and below it.
    func map(from source: Path, to target: Path, _ stack: StackIndex, rootIdentity: Bool, offset: LayerOffset = .identity) -> MapID {
        let relocates = stacks.stacks[Int(stack)].relocates
        // With many relocations the same arc, come upon again, is not mapped again.
        let key = RelocationTable.Arc(source: source, target: target, rootIdentity: rootIdentity, offset: offset)
        if let known = relocates?.arcs[key] { return known }
        let map = maps.arc(source, to: target, rootIdentity: false, offset: offset)
        let relocated = relocates.map { maps.compose($0.map(at: target, maps, paths), map) } ?? map
        let made = rootIdentity ? maps.addingRootIdentity(relocated) : relocated
        relocates?.arcs[key] = made
        return made
    }

    /// Adds a class to a node. Returns its node, or the one that the class has there already.
    ///
    /// - Parameter sameAs: the site of the class that is implied; another node for it only keeps the hierarchy's shape.
    @discardableResult
    func addClass(
        _ build: PrimBuild, _ arc: ArcType, parent: Int32, origin: Int32, map: MapID, sibling: Int, sameAs: (stack: StackIndex, path: Path)?
    ) -> Int32 {
        let node = build.nodes[Int(parent)]
        let path = classPath(node.path, map)
        if path.isEmpty || path.isRoot { return -1 }
        var new = NewArc(type: arc, parent: parent, origin: origin, stack: node.stack, path: path, map: map, sibling: sibling)
        if let known = matchingChild(
            build, parent, node.stack, path, arc, map, depth: build.nodes.depthBelowIntroduction(origin))
        {
            guard isReplaced(build, known, new) else { return known }
            elide(build, known)
        }
        let isSame = path == node.path || sameAs.map { $0.stack == node.stack && $0.path == path } ?? false
        if arc == .specialize, parent != 0 || !build.isTop { return addPlaceholder(build, new) }
        new.contributes = !isSame
        new.skipsDuplicates = !isSame
        new.isAncestral = !isSame && !paths.parent(path).isRoot
        return addArc(build, new)
    }

    /// Whether a specialized node that is at the root already gives way to what an arc of the prim implies there: where it came from
    /// an arc of a prim above, or from a weaker one.
    private func isReplaced(_ build: PrimBuild, _ known: Int32, _ new: NewArc) -> Bool {
        guard new.type == .specialize, new.parent == 0, new.origin != 0, build.isTop else { return false }
        let node = build.nodes[Int(known)]
        guard node.arc == .specialize, node.origin > 0, node.origin != new.origin else { return false }
        var n = new.origin
        while n > 0, build.nodes.isDueToAncestor(n) { n = build.nodes[Int(n)].parent }
        // What arcs of prims above imply was settled there.
        if n <= 0 { return false }
        return node.isDueToAncestor || build.nodes.compareNodes(new.origin, node.origin) < 0
    }

    /// The site that a class has for a node's path: mapped back across the arc, within the variants of the path.
    private func classPath(_ path: Path, _ map: MapID) -> Path {
        let plain = paths.strippingVariants(path)
        let mapped = maps.toSource(map, plain)
        if plain == path || mapped.isEmpty { return mapped }
        var variant = path
        while paths.kind(variant) != .variantSelection { variant = paths.parent(variant) }
        return paths.replacingPrefix(mapped, paths.strippingVariants(variant), with: variant) ?? mapped
    }

    /// A node for a class below a node. Below a relocation sites mean nothing: there the mapping and the level are compared.
    func matchingChild(
        _ build: PrimBuild, _ parent: Int32, _ stack: StackIndex, _ path: Path, _ arc: ArcType, _ map: MapID, depth: Int
    ) -> Int32? {
        let isRelocation = build.arc(parent) == .relocate
        var c = build.nodes[Int(parent)].firstChild
        while c >= 0 {
            let child = build.nodes[Int(c)]
            if child.isCulled, child.arc == .specialize, arc == .specialize {
                c = child.nextSibling
                continue
            }
            if isRelocation {
                if child.arc == arc, maps.isSame(child.mapToParent, map), build.nodes.depthBelowIntroduction(child.origin) == depth { return c }
            } else if child.stack == stack, child.path == path {
                return c
            }
            c = child.nextSibling
        }
        return nil
    }

    // MARK: Implied classes

    /// The node from which a class is to be implied upwards: the one that its hierarchy hangs from, so that the hierarchy goes
    /// as a whole. A class that does not lie within an ancestral one takes that hierarchy along.
    func startOfImpliedClasses(_ build: PrimBuild, _ n: Int32) -> Int32 {
        var start = n
        while start > 0, build.nodes[Int(start)].arc.isClassBased {
            let (instance, topClass) = build.nodes.classHierarchy(start)
            start = instance
            guard start > 0, build.nodes[Int(start)].arc.isClassBased else { break }
            if paths.hasPrefix(build.nodes[Int(topClass)].path, build.nodes.pathAtIntroduction(start, paths)) { break }
        }
        return max(0, start)
    }

    func evaluateImpliedClasses(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        // At the root there is nowhere to imply a class to.
        guard node.parent >= 0, build.nodes.hasClassBasedChild(n) else { return }
        let transfer = maps.addingRootIdentity(node.mapToParent)
        imply(build, to: node.parent, from: n, transfer, isStart: true, limit: maximalArcDepth)
    }

    private func imply(_ build: PrimBuild, to dest: Int32, from source: Int32, _ transfer: MapID, isStart: Bool, limit: Int) {
        work &+= 1 + build.nodes.count / 64
        guard limit > 0, !isExhausted else { return }
        if build.nodes[Int(dest)].arc == .relocate {
            // Relocation sources are placeholders: the class belongs to where the prim was moved to.
            let up = maps.compose(maps.addingRootIdentity(build.nodes[Int(dest)].mapToParent), transfer)
            imply(build, to: build.nodes[Int(dest)].parent, from: source, up, isStart: isStart, limit: limit - 1)
            build.add(.impliedClasses, dest)
            return
        }
        // Of a specialized node the classes hang from its copy.
        for child in build.nodes.children(build.nodes.propagated(source) ?? source) {
            let c = build.nodes[Int(child)]
            guard c.arc.isClassBased else { continue }
            // What continues a chain of classes is no class of the node that the chain starts at.
            if isStart, build.nodes[Int(source)].arc.isClassBased,
                build.nodes.depthBelowIntroduction(child) == build.nodes.depthBelowIntroduction(source)
            {
                continue
            }
            let map = maps.impliedClass(transfer, c.mapToParent)
            var found = impliedChild(build, dest, child, map)
            if found < 0 {
                found = addClass(
                    build, c.arc, parent: dest, origin: child, map: map, sibling: Int(c.sibling), sameAs: (c.stack, c.path))
            }
            if found >= 0, build.nodes.hasClassBasedChild(child) {
                imply(build, to: build.nodes.propagated(found) ?? found, from: child, transfer, isStart: false, limit: limit - 1)
            }
        }
    }

    /// The node that a class was implied to before.
    private func impliedChild(_ build: PrimBuild, _ dest: Int32, _ child: Int32, _ map: MapID) -> Int32 {
        var c = build.nodes[Int(dest)].firstChild
        while c >= 0 {
            let node = build.nodes[Int(c)]
            if node.origin == child, !build.nodes.isPropagated(c), maps.isSame(node.mapToParent, map) { return c }
            c = node.nextSibling
        }
        return -1
    }
}
