import AssetModel

/// Which nodes of a prim's tree the trees of its children need: a prim with thousands of arcs and as many children would
/// otherwise have thousands of nodes that say nothing looked up, and left out again, for every child.
struct ChildSites {
    /// Nodes that every child keeps, in order.
    fileprivate var common: [Int32] = []
    /// Nodes with specs of a child, in order.
    fileprivate var withSpecs: [Token: [Int32]] = [:]

    /// The nodes that a child starts from, in order.
    fileprivate func nodes(_ name: Token) -> [Int32] {
        guard let own = withSpecs[name] else { return common }
        var out: [Int32] = []
        out.reserveCapacity(common.count + own.count)
        var i = 0
        for n in own {
            while i < common.count, common[i] < n {
                out.append(common[i])
                i += 1
            }
            out.append(n)
        }
        out.append(contentsOf: common[i...])
        return out
    }
}

extension PrimIndexer {
    /// Below this many nodes all are looked up.
    static let fewNodes = 32

    /// What children of a finished tree start from; nil where the tree is small. A node may be left out where nothing hangs from
    /// it or comes from it: without specs of the child it would be culled.
    func childSites(_ tree: NodeArray.SubSequence) -> ChildSites? {
        guard tree.count > Self.fewNodes else { return nil }
        let nodes = NodeArray(tree)
        work &+= nodes.count
        var isOrigin = [Bool](repeating: false, count: nodes.count)
        for node in nodes where node.origin >= 0 && node.origin != node.parent { isOrigin[Int(node.origin)] = true }
        var sites = ChildSites()
        for (i, node) in nodes.enumerated() {
            let n = Int32(i)
            let hasRelocates = stacks.stacks[Int(node.stack)].relocates != nil
            if i == 0 || node.firstChild >= 0 || isOrigin[i] || hasRelocates || nodes.staysAsClass(n, paths) {
                sites.common.append(n)
            } else if node.canContribute {
                forEachSpec(node) { entry, spec in
                    for c in entry.layer.children(entry.layer.specs[Int(spec)].primChildren) {
                        let name = paths.name(entry.layer.specs[Int(c)].path)
                        if sites.withSpecs[name]?.last != n { sites.withSpecs[name, default: []].append(n) }
                    }
                }
            }
        }
        return sites
    }

    /// Copies those nodes of a parent's tree one element down that a child starts from.
    func step(_ parent: NodeArray.SubSequence, _ name: Token, _ sites: ChildSites, into nodes: inout NodeArray) {
        let kept = sites.nodes(name)
        work &+= kept.count &* (1 + Int(parent.first?.depth ?? 0) / 8)
        if places.count < parent.count { places.append(contentsOf: repeatElement(-1, count: parent.count - places.count)) }
        let base = parent.startIndex
        // Origins may stand behind what they brought in.
        for (k, n) in kept.enumerated() { places[Int(n)] = Int32(k) }
        // Nodes stand in order of strength, parents before their children: links follow from that.
        var lastChild = [Int32](repeating: -1, count: kept.count)
        nodes.reserveCapacity(kept.count)
        for (k, n) in kept.enumerated() {
            var child = steppedNode(parent[base + Int(n)], name)
            child.firstChild = -1
            child.nextSibling = -1
            if child.parent >= 0 {
                child.parent = places[Int(child.parent)]
                if child.origin >= 0 { child.origin = places[Int(child.origin)] }
                let p = Int(child.parent)
                if lastChild[p] < 0 { nodes[p].firstChild = Int32(k) } else { nodes[Int(lastChild[p])].nextSibling = Int32(k) }
                lastChild[p] = Int32(k)
            }
            nodes.append(child)
        }
        for n in kept { places[Int(n)] = -1 }
    }
}
