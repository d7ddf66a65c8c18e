import AssetIO
import AssetModel

/// The tree of a prim that only the stage's own layers and its references and payloads make, for other prims that name the
/// same ones: scenes place one asset thousands of times.
struct SharedIndex {
    /// Equal for prims whose arcs are the same by construction.
    struct Key: Hashable {
        var references: Stage.ValueKey?
        var payload: Stage.ValueKey?
    }

    /// The tree as the first prim has it; the first node is the prim's own site.
    var nodes: NodeArray
    /// The opinions of all other sites, in order.
    var opinions: ContiguousArray<Opinion>
    var hasPayload: Bool
    var hasUnloadedPayload: Bool
    var hasInstanceableArc: Bool
    /// The prototype of its instances, -1 before there is one.
    var prototype: Int32 = -1
}

extension Stage {
    /// What tells a prim's arcs from others', where they may be shared: nil where anything but references and payloads is
    /// authored that a tree depends on.
    func sharedKey(_ view: LayerView, _ layer: LayerIndex, _ spec: SpecIndex) -> SharedIndex.Key? {
        guard options.variants.isEmpty, stacks.stacks[0].relocates == nil else { return nil }
        var key = SharedIndex.Key()
        let range = view.specs[Int(spec)].fields
        for f in Int(range.lowerBound)..<Int(range.upperBound) {
            let field = view.fields[f]
            switch field.name {
            case .references, .payload:
                guard field.form == .source || field.form == .other else { return nil }
                let k = ValueKey(layer: layer, isOther: field.form == .other, payload: field.payload)
                if field.name == .references { key.references = k } else { key.payload = k }
            case .inheritPaths, .specializes, .variantSetNames, .variantSelection, .permission, .relocates: return nil
            default: break
            }
        }
        return key
    }

    /// Keeps a tree for other prims; only where nothing in it depends on where the prim is.
    func share(_ build: PrimBuild, _ opinions: ContiguousArray<Opinion>.SubSequence, as key: SharedIndex.Key) {
        // Scenes of many different assets gain nothing.
        if sharedIndexes.count >= 10_000 { return }
        let own = build.nodes[0].path
        for (i, node) in build.nodes.enumerated().dropFirst() {
            // Classes are implied at places below the prim, variants may be chosen by what lies about it.
            if node.arc != .reference && node.arc != .payload { return }
            if stacks.stacks[Int(node.stack)].relocates != nil { return }
            if paths.hasPrefix(node.path, own) || paths.hasPrefix(own, node.path) { return }
            if node.parent != 0, maps.mentions(node.mapToParent, below: own) { return }
            if node.parent == 0, maps.pairs(node.mapToParent).count > 1 { return }
            if i > 64 { return }
        }
        guard opinions.first?.node == 0, opinions.dropFirst().allSatisfy({ $0.node != 0 }) else { return }
        sharedIndexes[key] = SharedIndex(
            nodes: build.nodes, opinions: ContiguousArray(opinions.dropFirst()), hasPayload: build.hasPayload,
            hasUnloadedPayload: build.hasUnloadedPayload, hasInstanceableArc: build.nodes.isShared().contains(true))
    }

    /// A prim with a tree like another's.
    func makeShared(_ parent: StagePrim, _ path: Path, _ own: Opinion, _ key: SharedIndex.Key) -> StagePrim? {
        guard let at = sharedIndexes.index(forKey: key) else { return nil }
        let shared = sharedIndexes.values[at]
        // A prim within what it refers to is a cycle.
        for node in shared.nodes.dropFirst() where node.stack == 0 {
            if paths.hasPrefix(node.path, path) || paths.hasPrefix(path, node.path) { return nil }
        }
        var r = PrimRecord(path: path, parent: parent.index)
        r.nodeStart = Int32(nodes.count)
        r.nodeCount = Int32(shared.nodes.count)
        let base = nodes.count
        for i in shared.nodes.indices {
            var node = shared.nodes[i]
            if i == 0 {
                node.path = path
                node.depth = Int16(clamping: paths.depth(path))
                node.firstLayer = own.entry
                node.firstSpec = own.spec
            } else {
                if node.parent == 0 {
                    node.mapToParent = maps.retargeted(node.mapToParent, to: path)
                    node.namespaceDepth = Int16(clamping: paths.depth(path))
                }
                node.mapToRoot = maps.compose(nodes[base + Int(node.parent)].mapToRoot, node.mapToParent)
            }
            nodes.append(node)
        }
        r.opinionStart = Int32(opinions.count)
        opinions.append(own)
        opinions.append(contentsOf: shared.opinions)
        r.opinionCount = Int32(opinions.count) - r.opinionStart
        let wantsInstance = describe(&r, tree: nil)
        if shared.hasUnloadedPayload { r.flags.remove(.loaded) }
        if shared.hasPayload { r.flags.insert(.hasPayload) }
        inheritFlags(&r)
        if wantsInstance, r.flags.contains(.active), shared.hasInstanceableArc {
            r.flags.insert(.instance)
            if shared.prototype >= 0 {
                r.prototype = shared.prototype
            } else {
                r.prototype = prototype(r, NodeArray(nodes[base...]))
                sharedIndexes.values[at].prototype = r.prototype
            }
        }
        return add(r)
    }
}
