/// Specializes: like inherits, but weaker than everything else that the prim has, across all arcs.
///
/// A specialized node is a placeholder where the arc was authored or implied, without a say. Its copy hangs from the root of
/// the tree, after all other arcs, and brings in what the site has.
extension PrimIndexer {
    func evaluateSpecializes(_ build: PrimBuild, _ n: Int32) { evaluateClasses(build, n, .specialize, .specializes) }

    /// Adds a placeholder and, in the tree of a prim, its copy. Returns the copy where there is one.
    func addPlaceholder(_ build: PrimBuild, _ arc: NewArc) -> Int32 {
        var arc = arc
        arc.contributes = false
        arc.isAncestral = false
        arc.skipsDuplicates = false
        arc.isImplied = !build.isTop
        let n = addArc(build, arc)
        guard n >= 0, build.isTop else { return n }
        if isImpliedRelocationPlaceholder(build, n) {
            build.add(.impliedClasses, startOfImpliedClasses(build, n))
            return n
        }
        // What has no copy, since its site has a node elsewhere, is not implied any further either.
        let copy = propagate(build, n)
        if copy < 0 { return copy }
        build.add(.impliedClasses, startOfImpliedClasses(build, n))
        if build.nodes[Int(copy)].origin != n { build.add(.impliedClasses, n) }
        return copy
    }

    /// Copies the specialized nodes of a subtree that was indexed in a frame of its own.
    func evaluateImpliedSpecializes(_ build: PrimBuild, _ n: Int32) {
        guard build.nodes[Int(n)].parent >= 0 else { return }
        propagateAll(build, n)
    }

    private func propagateAll(_ build: PrimBuild, _ n: Int32) {
        if isImpliedRelocationPlaceholder(build, n) { return }
        if build.nodes[Int(n)].arc == .specialize { propagate(build, n) }
        for c in build.nodes.children(n) { propagateAll(build, c) }
    }

    /// Hangs a copy of a specialized node from the root. Returns it, or the node that the site has there already.
    @discardableResult
    private func propagate(_ build: PrimBuild, _ n: Int32) -> Int32 {
        let node = build.nodes[Int(n)]
        // All copies are siblings, and are compared by what they hang from.
        work &+= build.nodes.count / 64
        if let known = matchingChild(
            build, 0, node.stack, node.path, .specialize, node.mapToRoot, depth: build.nodes.depthBelowIntroduction(n))
        {
            return known
        }
        var arc = NewArc(
            type: .specialize, parent: 0, origin: n, stack: node.stack, path: node.path, map: node.mapToRoot, sibling: Int(node.sibling))
        arc.skipsDuplicates = true
        arc.isAncestral = !paths.parent(node.path).isRoot
        return addArc(build, arc)
    }

    /// Classes that are implied to the source of a relocation name the source itself: they are no source of opinions.
    private func isImpliedRelocationPlaceholder(_ build: PrimBuild, _ n: Int32) -> Bool {
        let node = build.nodes[Int(n)]
        guard node.parent >= 0, node.origin != node.parent else { return false }
        return build.nodes[Int(node.parent)].arc == .relocate && build.nodes.hasSameSite(node.parent, n)
    }
}
