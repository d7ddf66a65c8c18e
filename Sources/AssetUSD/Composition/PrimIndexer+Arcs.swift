import AssetModel

/// What an arc adds to a tree.
struct NewArc {
    var type: ArcType
    var parent: Int32
    var origin: Int32
    var stack: StackIndex
    var path: Path
    var map: MapID
    /// Position in the list that introduced the arc.
    var sibling = 0
    /// Levels of namespace where the arc was introduced; the parent's where nil.
    var namespaceDepth: Int?
    /// False for placeholders that only keep the shape of class hierarchies and relocations.
    var contributes = true
    /// Whether opinions about namespace above the site count too.
    var isAncestral = false
    /// Whether the arc is left out where its site has a node already.
    var skipsDuplicates = false
    /// Whether a class is implied to where the arc's parent comes from.
    var isImplied = true
}

extension PrimIndexer {
    /// Adds a node for an arc, with everything its site brings along. Returns its position, or -1 where the arc cannot be.
    @discardableResult
    func addArc(_ build: PrimBuild, _ arc: NewArc) -> Int32 {
        work &+= 4 + build.nodes.count / 64 + Int(build.nodes[Int(arc.parent)].depth)
        if isExhausted { return -1 }
        guard build.nodes.count < Self.maximalNodes else {
            if !hasWarnedOfNodes {
                hasWarnedOfNodes = true
                warn("usd.too-many-arcs", "more arcs than a prim may have; the rest is left out", build.nodes[Int(arc.parent)].stack)
            }
            return -1
        }
        if isCycle(build, arc) { return -1 }
        let skipsDuplicates = arc.skipsDuplicates || build.previous?.skipsDuplicates ?? false
        if skipsDuplicates, hasNode(build, arc.stack, arc.path) { return -1 }

        let n = Int32(build.nodes.count)
        let mapToRoot = maps.compose(build.nodes[Int(arc.parent)].mapToRoot, arc.map)
        if !arc.isAncestral {
            var node = node(arc.stack, arc.path)
            if !arc.contributes {
                node.isInert = true
                node.restrictedDepth = 1
            }
            build.nodes.append(node)
        } else {
            let frame = PrimFrame(build: build, parent: arc.parent, arc: arc.type, skipsDuplicates: skipsDuplicates)
            let sub = siteIndex(arc.stack, arc.path, frame, contributes: arc.contributes)
            work &+= sub.nodes.count
            for node in sub.nodes {
                var node = node
                node.parent = node.parent < 0 ? -1 : node.parent + n
                node.origin = node.origin < 0 ? -1 : node.origin + n
                if node.firstChild >= 0 { node.firstChild += n }
                if node.nextSibling >= 0 { node.nextSibling += n }
                node.mapToRoot = maps.compose(mapToRoot, node.mapToRoot)
                build.nodes.append(node)
            }
            if sub.hasUnloadedPayload { build.hasUnloadedPayload = true }
            if sub.hasPayload { build.hasPayload = true }
            recycle(sub)
        }
        let parentDepth = Int(build.nodes[Int(arc.parent)].depth)
        build.nodes[Int(n)].arc = arc.type
        build.nodes[Int(n)].parent = arc.parent
        build.nodes[Int(n)].origin = arc.origin
        build.nodes[Int(n)].mapToParent = arc.map
        build.nodes[Int(n)].mapToRoot = mapToRoot
        build.nodes[Int(n)].sibling = Int32(clamping: arc.sibling)
        build.nodes[Int(n)].namespaceDepth = Int16(clamping: arc.namespaceDepth ?? parentDepth)
        build.nodes.link(n, below: arc.parent)
        addTasks(build, n, isCompleted: arc.isAncestral, isImplied: arc.isImplied)
        return n
    }

    /// Whether a site has a node in a build or in those that wait for it.
    private func hasNode(_ build: PrimBuild, _ stack: StackIndex, _ path: Path) -> Bool {
        var build = build
        var path = path
        while true {
            for node in build.nodes where node.path == path && node.stack == stack && node.canContribute { return true }
            guard let frame = build.previous else { return false }
            path = completed(path, build)
            build = frame.build
        }
    }

    /// A frame is at an ancestor of the site it was made for; the path of one of its sites with what is still to come.
    private func completed(_ path: Path, _ build: PrimBuild) -> Path {
        var names: [Token] = []
        var p = build.site
        while p != build.nodes[0].path, p.id > 1 {
            names.append(paths.name(p))
            p = paths.parent(p)
        }
        var path = path
        for name in names.reversed() { path = paths.child(path, name) }
        return path
    }

    /// Whether an arc leads back to a site it comes from, or to one above or below such a site.
    private func isCycle(_ build: PrimBuild, _ arc: NewArc) -> Bool {
        if arc.type == .variant { return false }
        if arc.type.isClassBased, arc.parent != arc.origin, isBelowRelocation(build, arc.parent) { return false }
        var build = build
        var path = arc.path
        var n = arc.parent
        var depth = 0
        while true {
            let node = build.nodes[Int(n)]
            if node.stack == arc.stack, paths.hasPrefix(node.path, path) || paths.hasPrefix(path, node.path) {
                warn(
                    "usd.arc-cycle", "\(name(of: arc.type)) to <\(paths.string(path))> leads back to <\(paths.string(node.path))>", arc.stack)
                lose(arc.type, "", path, .circular)
                // The warning spells both paths out.
                work &+= 32 + 4 * Int(node.depth)
                return true
            }
            depth += 1
            if depth > maximalArcDepth {
                cache.exceed(
                    AssetError(
                        "usd.arcs-too-deep", "more than \(maximalArcDepth) arcs in a row (the limit 'nesting-depth')",
                        at: SourceLocation(file: stacks.stacks[Int(arc.stack)].entries[0].layer.identifier, primPath: paths.string(stagePath))))
                return true
            }
            work &+= 1
            n = node.parent
            if n < 0 {
                guard let frame = build.previous else { return false }
                path = completed(path, build)
                build = frame.build
                n = frame.parent
            }
        }
    }

    /// Whether classes hang from a relocation, across frames: such placeholders may name sites that mean nothing.
    private func isBelowRelocation(_ build: PrimBuild, _ n: Int32) -> Bool {
        var build = build
        var n = n
        while build.arc(n).isClassBased {
            if n == 0, let frame = build.previous {
                build = frame.build
                n = frame.parent
            } else {
                n = build.nodes[Int(n)].parent
            }
            if n < 0 { return false }
        }
        return build.arc(n) == .relocate
    }
}
