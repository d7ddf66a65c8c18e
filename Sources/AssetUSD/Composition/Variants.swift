import AssetModel

/// Variants: a set's chosen variant is another place in the layers for opinions about the same prim.
///
/// Which one is chosen may depend on the whole tree, so that variants are evaluated last, those of the strongest node first, and
/// again when another variant brought in new opinions.
extension PrimIndexer {
    func evaluateVariantSets(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        if node.canContribute { addVariantTasks(build, n, node.path, .variant) }
    }

    /// Variant sets of the prims above the site that a frame was indexed for: they were left to the tree that asked.
    func evaluateAncestralVariantSets(_ build: PrimBuild, _ n: Int32) {
        let node = build.nodes[Int(n)]
        var p = paths.parent(node.path)
        while p.id > 1 {
            if maySpeak(node, of: p) {
                addVariantTasks(build, n, p, .ancestralVariant)
                // Above the variant that brought a node in, variants are its parent's.
                if paths.kind(p) == .variantSelection { return }
            }
            p = paths.parent(p)
        }
    }

    private func addVariantTasks(_ build: PrimBuild, _ n: Int32, _ site: Path, _ kind: PrimTask.Kind) {
        for (number, set) in variantSetNames(build.nodes[Int(n)].stack, site).enumerated() {
            var task = PrimTask(kind: kind, node: n)
            task.path = site
            task.set = set
            task.number = Int32(clamping: number)
            build.tasks.append(task)
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
        work &+= 4 + (build.nodes.count + build.tasks.variantCount) / 8
        guard maySpeak(node, of: task.path) else { return }
        guard let selection = selection(build.nodes, task.node, task.path, task.set), !selection.isEmpty else {
            build.unselected.append(task)
            return
        }
        let inside = paths.variant(task.path, set: task.set, selection: selection)
        let isAncestral = task.kind == .ancestralVariant
        guard let path = isAncestral ? paths.replacingPrefix(node.path, task.path, with: inside) : inside else { return }
        var arc = NewArc(
            type: .variant, parent: task.node, origin: task.node, stack: node.stack, path: path, map: MapTable.identity,
            sibling: Int(task.number))
        if isAncestral {
            arc.namespaceDepth = depthWithoutVariants(task.path)
            arc.isAncestral = true
            arc.skipsDuplicates = hangsFromOwnClass(build, task.node)
        }
        if addArc(build, arc) >= 0 {
            build.tasks.append(contentsOf: build.unselected)
            build.unselected.removeAll(keepingCapacity: true)
        }
    }

    /// Whether a node came in with a class of the prim itself, whose duplicates are left out.
    private func hangsFromOwnClass(_ build: PrimBuild, _ n: Int32) -> Bool {
        var n = n
        while n > 0 {
            let node = build.nodes[Int(n)]
            if node.arc.isClassBased, node.canContribute, build.nodes.depthBelowIntroduction(n) == 0 { return true }
            n = node.parent
        }
        return false
    }

    /// The selection for a variant set at a site of a node: the strongest opinion of all nodes that can speak of it.
    func selection(_ nodes: NodeArray, _ n: Int32, _ site: Path, _ set: Token) -> Token? {
        // Upwards as far as the site's path can be named.
        var start = n
        var path = paths.strippingVariants(site)
        let rootPath = n == 0 ? path : maps.toTarget(nodes[Int(n)].mapToRoot, path)
        if !rootPath.isEmpty {
            path = rootPath
            start = 0
        } else {
            while nodes[Int(start)].parent >= 0 {
                let up = maps.toTarget(nodes[Int(start)].mapToParent, path)
                if up.isEmpty { break }
                path = up
                start = nodes[Int(start)].parent
            }
        }
        if start == 0, let chosen = chosenVariants[path]?[set] { return chosen }
        let introduced = nodes.pathAtIntroduction(start, paths)
        let plain = paths.strippingVariants(introduced)
        if plain != introduced { path = paths.replacingPrefix(path, plain, with: introduced) ?? path }

        // Downwards again, from strong to weak.
        var pathIn = [Path](repeating: .empty, count: nodes.count)
        pathIn[Int(start)] = path
        var order: [Int32] = []
        var stack: [Int32] = [start]
        while let m = stack.popLast() {
            order.append(m)
            let first = stack.count
            var c = nodes[Int(m)].firstChild
            while c >= 0 {
                pathIn[Int(c)] = maps.toSource(nodes[Int(c)].mapToParent, pathIn[Int(m)])
                if !pathIn[Int(c)].isEmpty { stack.append(c) }
                c = nodes[Int(c)].nextSibling
            }
            if stack.count - first > 1 { stack[first...].reverse() }
        }
        // A set that was expanded already keeps its selection.
        for m in order where nodes[Int(m)].arc == .variant {
            var p = nodes.pathAtIntroduction(m, paths)
            guard paths.kind(p) == .variantSelection, paths.name(p) == set else { continue }
            let selection = paths.variantName(p)
            while paths.kind(p) == .variantSelection { p = paths.parent(p) }
            if p == pathIn[Int(m)] { return selection }
        }
        for m in order where maySpeak(nodes[Int(m)], of: pathIn[Int(m)]) {
            var place = pathIn[Int(m)]
            if nodes[Int(m)].arc == .variant {
                let variant = nodes.pathAtIntroduction(m, paths)
                place = paths.replacingPrefix(place, paths.strippingVariants(variant), with: variant) ?? place
            }
            // As if the choice stood in a session layer: who refers to the prim within the stage's own layers follows it.
            if nodes[Int(m)].stack == 0, let chosen = chosenVariants[place]?[set] { return chosen }
            if let s = authoredSelection(nodes[Int(m)].stack, place, set) { return s }
        }
        return nil
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
