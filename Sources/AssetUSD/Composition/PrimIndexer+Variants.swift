import AssetModel

/// Variant sets and their selections.
extension PrimIndexer {
    func evaluateAncestralVariantSets(_ build: PrimBuild, _ n: Int32) {
        build.nodes[Int(n)].hasAncestralVariants = false
        // Above the variant that brought a node in, variants are its parent's.
        var p = build.nodes[Int(n)].path
        if paths.kind(p) == .variantSelection { return }
        p = paths.parent(p)
        while p.id > 1 {
            evaluateVariantSets(build, n, p, isAncestral: true)
            if paths.kind(p) == .variantSelection { return }
            p = paths.parent(p)
        }
    }

    func evaluateVariantSets(_ build: PrimBuild, _ n: Int32, _ site: Path, isAncestral: Bool) {
        for (number, set) in variantSetNames(build.nodes[Int(n)].stack, site).enumerated() {
            var task = PrimTask(kind: isAncestral ? .ancestralVariant : .variant, node: n)
            task.path = site
            task.set = set
            task.number = Int32(clamping: number)
            build.variantTasks.append(task)
        }
    }

    /// The names of a site's variant sets.
    func variantSetNames(_ stack: StackIndex, _ site: Path) -> [Token] {
        let values = fields(stack, site, .variantSetNames)
        if values.isEmpty { return [] }
        var names: [String] = []
        for (_, value) in values.reversed() {
            if case .stringListOp(let op) = value { op.apply(to: &names) }
        }
        return names.map { session.token($0) }
    }

    func evaluateVariant(_ build: PrimBuild, _ task: PrimTask) {
        let node = build.nodes[Int(task.node)]
        guard let selection = selection(build.nodes, task.node, task.path, task.set), !selection.isEmpty else { return }
        let inside = paths.variant(task.path, set: task.set, selection: selection)
        let isAncestral = task.kind == .ancestralVariant
        guard let path = isAncestral ? paths.replacingPrefix(node.path, task.path, with: inside) : inside else { return }
        addArc(
            build, .variant, parent: task.node, origin: task.node, stack: node.stack, path: path, map: MapTable.identity,
            sibling: Int(task.number), namespaceDepth: depthWithoutVariants(task.path), contributes: true, ancestral: isAncestral)
    }

    /// The selection for a variant set at a site of a node: the strongest opinion of all nodes that can speak of it.
    func selection(_ nodes: NodeArray, _ n: Int32, _ site: Path, _ set: Token) -> Token? {
        // Upwards as far as the site's path can be named.
        var start = n
        var path = paths.strippingVariants(site)
        while nodes[Int(start)].parent >= 0 {
            let up = maps.toTarget(nodes[Int(start)].mapToParent, path)
            if up.isEmpty || up.isRoot { break }
            path = up
            start = nodes[Int(start)].parent
        }
        if start == 0, let chosen = chosenVariants[path]?[set] { return chosen }

        // Downwards again, from strong to weak.
        var pathIn = [Path](repeating: .empty, count: nodes.count)
        pathIn[Int(start)] = path
        for i in (Int(start) + 1)..<max(Int(start) + 1, nodes.count) {
            let p = nodes[i].parent
            if p >= 0, !pathIn[Int(p)].isEmpty { pathIn[i] = maps.toSource(nodes[i].mapToParent, pathIn[Int(p)]) }
        }
        for m in nodes.strengthOrder() where !pathIn[Int(m)].isEmpty {
            let node = nodes[Int(m)]
            if node.isInert { continue }
            let place = withVariants(of: node.path, pathIn[Int(m)])
            // A set that was expanded here keeps its selection.
            var p = place
            while paths.kind(p) == .variantSelection {
                if paths.name(p) == set { return paths.variantName(p) }
                p = paths.parent(p)
            }
            if let s = authoredSelection(node.stack, place, set) { return s }
        }
        return nil
    }

    /// A path in a node's stripped namespace with the variants that the node's own path goes through.
    private func withVariants(of nodePath: Path, _ path: Path) -> Path {
        var p = nodePath
        while p.id > 1 {
            if paths.strippingVariants(p) == path { return p }
            p = paths.parent(p)
        }
        return path
    }

    private func authoredSelection(_ stack: StackIndex, _ path: Path, _ set: Token) -> Token? {
        let layers = stacks.stacks[Int(stack)]
        for e in layers.entries {
            guard let spec = e.layer.spec(at: path), case .variantSelections(let list)? = e.layer.value(spec, .variantSelection) else { continue }
            for (name, variant) in list where name == set {
                let text = session.string(variant)
                guard ExpressionText.isExpression(text) else { return variant }
                switch layers.variables.evaluateString(text) {
                case .success(let s): return session.token(s)
                case .failure(let error):
                    warn("usd.bad-expression", "selection of variant set \(session.string(set)): \(error.message)", stack)
                    return .empty
                }
            }
        }
        return nil
    }
}
