import AssetModel

/// Relocates: a prim that a layer stack moves takes its opinions from its source, not from what its new place would get from
/// above. The source is a placeholder: what was authored at it directly does not count, what its ancestors bring in does.
extension PrimIndexer {
    func evaluateRelocations(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        guard node.canContribute, let source = stacks.stacks[Int(node.stack)].relocates?.sources[node.path] else { return }
        for c in build.nodes.children(n) where build.nodes[Int(c)].arc != .variant { elide(build, c) }
        var arc = NewArc(type: .relocate, parent: n, origin: n, stack: node.stack, path: source, map: MapTable.identity)
        arc.contributes = false
        arc.isAncestral = true
        let added = addArc(build, arc)
        if added < 0 { return }
        for e in stacks.stacks[Int(node.stack)].entries where e.layer.spec(at: source) != nil {
            diagnostics.warning(
                "usd.opinion-at-relocation-source", "<\(paths.string(source))> was relocated: opinions about it there are left out",
                at: SourceLocation(file: e.layer.identifier, primPath: paths.string(stagePath)))
        }
        elideRelocated(build, added)
    }

    /// Takes the say of a whole subtree.
    func elide(_ build: PrimBuild, _ n: Int32) {
        for i in Int(n)..<build.nodes.count where build.nodes.isAncestor(n, of: Int32(i)) {
            build.nodes[i].isCulled = true
            build.nodes[i].restrictedDepth = 1
        }
    }

    /// Takes the say of what another relocation moves elsewhere.
    private func elideRelocated(_ build: PrimBuild, _ n: Int32) {
        for c in build.nodes.children(n) {
            let child = build.nodes[Int(c)]
            if child.arc == .relocate { continue }
            if child.canContribute, stacks.stacks[Int(child.stack)].relocates?.targets[child.path] != nil {
                elide(build, c)
            } else {
                elideRelocated(build, c)
            }
        }
    }

    /// A relocation within an arc's target is implied to the prim that has the arc.
    func evaluateImpliedRelocations(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        guard node.arc == .relocate, !node.isDueToAncestor, node.parent >= 0 else { return }
        let parent = build.nodes[Int(node.parent)]
        guard parent.parent >= 0 else { return }
        let source = maps.toTarget(parent.mapToParent, node.path)
        if source.isEmpty { return }
        for c in build.nodes.children(parent.parent) where build.nodes[Int(c)].arc == .relocate && build.nodes[Int(c)].path == source { return }
        var arc = NewArc(
            type: .relocate, parent: parent.parent, origin: n, stack: build.nodes[Int(parent.parent)].stack, path: source,
            map: MapTable.identity)
        arc.contributes = false
        addArc(build, arc)
    }

    /// Where a layer stack moved a prim away there is none, whatever arc leads there. Returns whether the tree is empty for it.
    func elideIfProhibited(_ build: PrimBuild) -> Bool {
        var isProhibited = false
        for i in build.nodes.indices where build.nodes[i].canContribute {
            let node = build.nodes[i]
            guard let relocates = stacks.stacks[Int(node.stack)].relocates, relocates.targets[node.path] != nil else { continue }
            if hasCulledAncestor(build.nodes, Int32(i)) { continue }
            isProhibited = true
            if let frame = build.previous {
                warn(
                    "usd.arc-to-relocated-prim",
                    "\(name(of: frame.arc)) to <\(paths.string(build.site))>, but <\(paths.string(node.path))> was relocated", node.stack)
            }
            break
        }
        if !isProhibited { return false }
        restrict(&build.nodes[0])
        for c in build.nodes.children(0) { elide(build, c) }
        return true
    }

    private func hasCulledAncestor(_ nodes: NodeArray, _ n: Int32) -> Bool {
        var n = n
        while n >= 0 {
            if nodes[Int(n)].isCulled { return true }
            n = nodes[Int(n)].parent
        }
        return false
    }
}
