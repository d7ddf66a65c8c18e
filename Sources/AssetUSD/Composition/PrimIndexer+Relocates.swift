/// Relocations: a prim that a layer stack moves takes its opinions from its source, not from what its new place would get
/// from above.
extension PrimIndexer {
    func evaluateRelocations(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        guard let source = stacks.stacks[Int(node.stack)].relocates?.sources[node.path] else { return }
        elideBelow(build, n)
        addArc(
            build, .relocate, parent: n, origin: n, stack: node.stack, path: source, map: MapTable.identity, sibling: 0,
            namespaceDepth: Int(node.depth), contributes: false, ancestral: true)
    }

    /// What ancestors brought in has no say about a relocated prim.
    private func elideBelow(_ build: PrimBuild, _ n: Int32) {
        for child in build.nodes.children(n) {
            let c = build.nodes[Int(child)]
            if c.arc == .relocate { continue }
            if c.arc == .variant {
                elideBelow(build, child)
                continue
            }
            elide(build, child)
        }
    }

    private func elide(_ build: PrimBuild, _ n: Int32) {
        for i in Int(n)..<build.nodes.count where build.nodes.isAncestor(n, of: Int32(i)) { build.nodes[i].isInert = true }
    }

    func evaluateImpliedRelocations(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        guard node.parent >= 0 else { return }
        let parent = build.nodes[Int(node.parent)]
        guard parent.parent >= 0 else { return }
        let above = parent.parent
        let source = maps.toTarget(parent.mapToParent, node.path)
        if source.isEmpty { return }
        for c in build.nodes.children(above) where build.nodes[Int(c)].arc == .relocate && build.nodes[Int(c)].path == source { return }
        addArc(
            build, .relocate, parent: above, origin: n, stack: build.nodes[Int(above)].stack, path: source, map: MapTable.identity,
            sibling: Int(node.sibling), namespaceDepth: Int(build.nodes[Int(above)].depth), contributes: false, ancestral: false)
    }
}
