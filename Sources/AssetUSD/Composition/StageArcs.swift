public import AssetModel

/// An arc that could not be followed, noted where it was authored. They are few: what is there costs nothing.
struct LostArc {
    var kind: ArcType
    /// The asset as authored; empty for arcs within a layer stack.
    var assetPath: String
    /// The target; empty where the target is the default prim of what is missing.
    var target: Path
    var state: CompositionArc.State
}

extension Stage {
    /// What composed the prim, strongest first: the layers of the stage that speak of it, then each arc with the layers below
    /// it. Arcs that could not be followed and payloads that were left out are named at the prim that authors them.
    public func arcs(_ prim: StagePrim) -> [CompositionArc] {
        let h = holder(prim)
        let r = prims[h]
        var out: [CompositionArc] = []
        if prims[Int(prim.index)].flags.contains(.instance), r.prototype >= 0 {
            out.append(CompositionArc(kind: "prototype", path: paths.string(prims[Int(r.prototype)].path)))
        }
        let tree = r.nodeCount > 0 ? NodeArray(tree(h)) : ownTree(r.path)
        var levels = [Int](repeating: 0, count: tree.count)
        var isShown = [Bool](repeating: false, count: tree.count)
        for n in tree.count > 1 ? tree.strengthOrder() : [0] {
            let node = tree[Int(n)]
            let stack = stacks.stacks[Int(node.stack)]
            if n == 0 {
                isShown[0] = true
                addLayers(of: node, stack, kind: "root", level: 0, to: &out)
                continue
            }
            let above = levels[Int(node.parent)]
            levels[Int(n)] = above
            let isDirect = node.origin == node.parent && !tree.isDueToAncestor(n)
            // Placeholders say nothing; a relocation says where its prim was.
            if node.isInert, node.arc != .relocate || !isDirect { continue }
            if !node.hasSpecs, !isDirect { continue }
            levels[Int(n)] = above + 1
            isShown[Int(n)] = true
            out.append(arc(tree, n, level: above, isBelowShown: isShown[Int(node.parent)]))
            addLayers(of: node, stack, kind: nil, level: above + 1, to: &out)
        }
        for lost in indexer.lostArcs[r.path] ?? [] {
            let path = lost.target.isEmpty ? "" : paths.string(lost.target)
            let kind = lost.kind == .relocate ? "relocate" : indexer.name(of: lost.kind)
            out.append(
                CompositionArc(kind: kind, file: lost.assetPath.isEmpty ? nil : lost.assetPath, path: path, state: lost.state))
        }
        return out
    }

    /// The tree of a prim that the stage's own layers alone speak of.
    private func ownTree(_ path: Path) -> NodeArray {
        var node = IndexNode(path: path, stack: 0)
        indexer.findSpecs(&node)
        return [node]
    }

    private func arc(_ tree: NodeArray, _ n: Int32, level: Int, isBelowShown: Bool) -> CompositionArc {
        let node = tree[Int(n)]
        let parent = tree[Int(node.parent)]
        let stack = stacks.stacks[Int(node.stack)]
        var arc = CompositionArc(
            kind: node.arc == .relocate ? "relocate" : indexer.name(of: node.arc),
            file: parent.stack == node.stack && isBelowShown ? nil : stack.rootLayer.identifier, path: paths.string(node.path))
        arc.level = level
        if !node.hasSpecs, node.arc != .relocate { arc.state = .empty }
        if node.arc == .variant {
            // The selection stands where the set is: at the node or, for what lies in a variant, above it.
            var p = node.path
            while p.id > 1, paths.kind(p) != .variantSelection { p = paths.parent(p) }
            arc.selection = session.string(paths.name(p)) + "=" + session.string(paths.variantName(p))
        }
        arc.isImplied = node.origin != node.parent
        let levels = tree.depthBelowIntroduction(n)
        if levels > 0 {
            var p = parent.path
            for _ in 0..<levels where p.id > 1 {
                while paths.kind(p) == .variantSelection { p = paths.parent(p) }
                p = paths.parent(p)
            }
            arc.introducedAt = paths.string(p)
            if !isBelowShown { arc.introducingFile = stacks.stacks[Int(parent.stack)].rootLayer.identifier }
        }
        let offset = maps.offset(node.mapToParent)
        arc.timeOffset = offset.offset
        arc.timeScale = offset.scale
        return arc
    }

    /// Names the layers of a stack that have a say at a node. The first of a stack is its arc's own file, told already
    /// where `kind` is nil.
    private func addLayers(of node: IndexNode, _ stack: LayerStack, kind: String?, level: Int, to out: inout [CompositionArc]) {
        guard node.contributes else { return }
        for (i, e) in stack.entries.enumerated() where i >= Int(node.firstLayer) {
            if i == 0, kind == nil { continue }
            guard e.layer.spec(at: node.path) != nil else { continue }
            var arc = CompositionArc(kind: i == 0 ? kind ?? "" : "sublayer", file: e.layer.identifier, path: paths.string(node.path))
            arc.level = level
            arc.timeOffset = e.offset.offset
            arc.timeScale = e.offset.scale
            out.append(arc)
        }
    }
}
