import AssetIO
public import AssetModel

extension Stage {
    /// The stage as one layer without composition arcs, equal to what OpenUSD's `UsdStage::Flatten` makes: prims with their
    /// composed fields, values with the time offsets of their layers applied, clips as samples, targets in the stage's
    /// namespace, asset paths as they lead from where the stage is. Contents of instances stand once below
    /// `/Flattened_Prototype_N`, which the instances refer to. Inactive prims are left out. Big arrays stay in their files
    /// until they are written.
    ///
    /// Throws what is wrong with a damaged value, and the limit that was passed while prims were composed.
    public func flattened() throws(AssetError) -> USDLayer {
        let flattener = StageFlattener(self)
        return try flattener.flatten()
    }
}

/// A spec that has a say about a prim or property.
struct FlattenSite {
    var opinion: Opinion
    var layer: USDLayer
    var spec: SpecIndex
    /// The layer stack that the layer is in.
    var stack: StackIndex

    /// Another spec of the layer.
    func at(_ spec: SpecIndex) -> FlattenSite { FlattenSite(opinion: opinion, layer: layer, spec: spec, stack: stack) }
}

/// Walks a stage and fills a layer.
final class StageFlattener {
    let stage: Stage
    let session: USDSession
    let paths: PathTable
    let fields: FlattenFields
    let definitions: PrimDefinitions
    let anchor: AssetAnchor
    var builder: LayerBuilder
    /// Prototype → the root prim that its contents are written below.
    private var prototypes: [Int32: Path] = [:]
    private var prototypeOrder: [Int32] = []
    private var knownTypes: [Token: Bool] = [:]
    let pathExpressionType: Token
    /// Properties of the prim at hand: each name with a chain of its specs, strongest first.
    private var groups: ContiguousArray<(name: Token, first: Int32, last: Int32)> = []
    private var chain: ContiguousArray<(site: FlattenSite, next: Int32)> = []
    private var groupOf: [Token: Int32] = [:]

    /// The prim that is written, for values that depend on where they are.
    struct Place {
        var prim: StagePrim
        var path: Path
        /// Within a prototype: its path while it was composed, and the one it is written below.
        var from: Path?
        var to = Path.empty
    }

    init(_ stage: Stage) {
        self.stage = stage
        session = stage.session
        paths = stage.paths
        fields = FlattenFields(session)
        pathExpressionType = session.token("pathExpression")
        definitions = PrimDefinitions(session, fallbackPrimTypes: stage.rootLayer.field(0, session.token("fallbackPrimTypes")))
        anchor = AssetAnchor(stage.cache)
        builder = LayerBuilder(
            session: session, identifier: stage.rootLayer.identifier, encoding: "usda", version: "1.0",
            byteCount: stage.rootLayer.byteCount)
    }

    func flatten() throws(AssetError) -> USDLayer {
        findPrototypes()
        if let limit = stage.exceededLimit { throw limit }
        try layerMetadata()
        for p in prototypeOrder {
            guard let path = prototypes[p] else { continue }
            let spec = builder.add(.prim, path, below: 0)
            builder.append(spec, .specifier, .specifier(.over))
            let root = StagePrim(index: p)
            try copyChildren(of: Place(prim: root, path: path, from: stage.path(root), to: path), spec)
        }
        try copyChildren(of: Place(prim: stage.pseudoRoot, path: .root), 0)
        return builder.finish()
    }

    // MARK: Walking

    /// Composes every prim and numbers the prototypes in the order in which they are met.
    private func findPrototypes() {
        var stack = [stage.pseudoRoot]
        var next = 1
        while let prim = stack.popLast() {
            let r = stage.prims[Int(prim.index)]
            if r.flags.contains(.instance) {
                guard prototypes[r.prototype] == nil else { continue }
                var path = Path.root
                repeat {
                    path = paths.child(.root, session.token("Flattened_Prototype_\(next)"))
                    next += 1
                } while stage.prim(at: path) != nil
                prototypes[r.prototype] = path
                prototypeOrder.append(r.prototype)
                stack.append(StagePrim(index: r.prototype))
                continue
            }
            guard r.flags.contains(.active) else { continue }
            for child in stage.composedChildren(prim).reversed() { stack.append(child) }
        }
    }

    private func copyChildren(of top: Place, _ topSpec: SpecIndex) throws(AssetError) {
        var stack: [(place: Place, parent: SpecIndex)] = []
        func push(_ place: Place, _ spec: SpecIndex) {
            for child in stage.composedChildren(place.prim).reversed() where stage.prims[Int(child.index)].flags.contains(.active) {
                var c = place
                c.prim = child
                stack.append((c, spec))
            }
        }
        push(top, topSpec)
        while let (from, parent) = stack.popLast() {
            var place = from
            let path = stage.path(place.prim)
            place.path = place.from == nil ? path : mapped(path, place)
            let spec = try copyPrim(place, below: parent)
            if !stage.prims[Int(place.prim.index)].flags.contains(.instance) { push(place, spec) }
        }
    }

    /// A path of the stage, or of the prototype at hand, as it is written.
    func mapped(_ path: Path, _ place: Place) -> Path {
        guard let from = place.from else { return path }
        return paths.replacingPrefix(path, from, with: place.to) ?? path
    }

    // MARK: Layer and prims

    private func layerMetadata() throws(AssetError) {
        let place = Place(prim: stage.pseudoRoot, path: .root)
        let range = stage.opinionRange(stage.pseudoRoot)
        let site = FlattenSite(opinion: stage.opinions[range.lowerBound], layer: stage.rootLayer, spec: 0, stack: 0)
        try copyFields([site], .layer, place, to: 0)
        var documentation = ""
        if case .string(let s)? = builder.field(0, .documentation) { documentation = s }
        let origin = "Generated from Composed Stage of root layer "
        // A flattened layer keeps the origin that it has.
        if documentation.hasPrefix(origin) || documentation.contains("\n" + origin) { return }
        if !documentation.isEmpty { documentation += "\n\n" }
        let file = stage.cache.openedFile
        documentation += origin + (file == "-" ? file : stage.cache.resolver.absolute(file)) + "\n"
        builder.set(0, .documentation, .string(documentation))
    }

    private func copyPrim(_ place: Place, below parent: SpecIndex) throws(AssetError) -> SpecIndex {
        let prim = place.prim
        let spec = builder.add(.prim, place.path, below: parent)
        builder.append(spec, .specifier, .specifier(stage.specifier(prim)))
        let type = stage.typeName(prim)
        if !type.isEmpty { builder.append(spec, .typeName, .token(type)) }
        let record = stage.prims[Int(prim.index)]
        if record.flags.contains(.instance), let target = prototypes[record.prototype] {
            var op = ListOp<Reference>()
            op.appended = [Reference(assetPath: "", primPath: target)]
            builder.append(spec, .references, .referenceListOp(op))
        }
        var sites: [FlattenSite] = []
        let tree = stage.prims[stage.holder(prim)]
        for k in stage.opinionRange(prim) {
            let o = stage.opinions[k]
            let stack = tree.nodeCount == 0 ? 0 : stage.nodes[Int(tree.nodeStart + o.node)].stack
            sites.append(FlattenSite(opinion: o, layer: stage.cache.layers[Int(o.layer)], spec: o.spec, stack: stack))
        }
        try copyFields(sites, .prim, place, to: spec)
        // Every edit counts for what schemas are applied, those too that the field passes over.
        let apis = builder.field(spec, .apiSchemas) == nil ? [] : stage.apiSchemas(prim)
        try copyProperties(sites, place, definitions.definition(type, apis), to: spec)
        return spec
    }

    // MARK: Properties

    private func copyProperties(
        _ sites: [FlattenSite], _ place: Place, _ definition: PrimDefinition, to spec: SpecIndex
    ) throws(AssetError) {
        let hasClips = stage.prims[stage.holder(place.prim)].flags.contains(.hasClips)
        if sites.count == 1, !hasClips {
            let site = sites[0]
            for child in site.layer.children(site.layer.specs[Int(site.spec)].properties) {
                let name = paths.name(site.layer.specs[Int(child)].path)
                try copyProperty(name, [site.at(child)], place, definition, spec)
            }
            return
        }
        groups.removeAll(keepingCapacity: true)
        chain.removeAll(keepingCapacity: true)
        groupOf.removeAll(keepingCapacity: true)
        for site in sites {
            for child in site.layer.children(site.layer.specs[Int(site.spec)].properties) {
                let name = paths.name(site.layer.specs[Int(child)].path)
                let link = Int32(chain.count)
                chain.append((site.at(child), -1))
                if let g = groupOf[name] {
                    chain[Int(groups[Int(g)].last)].next = link
                    groups[Int(g)].last = link
                } else {
                    groupOf[name] = Int32(groups.count)
                    groups.append((name, link, link))
                }
            }
        }
        var own: [FlattenSite] = []
        for g in groups.indices {
            own.removeAll(keepingCapacity: true)
            var link = groups[g].first
            while link >= 0 {
                own.append(chain[Int(link)].site)
                link = chain[Int(link)].next
            }
            try copyProperty(groups[g].name, own, place, definition, spec)
        }
        guard hasClips else { return }
        // Clips may hold samples of what no layer speaks of but the prim has by its type.
        let names = definition.properties.filter { !$0.value.isRelationship && groupOf[$0.key] == nil }.keys
        for name in names.sorted(by: { session.string($0).utf8.lexicographicallyPrecedes(session.string($1).utf8) })
        where !stage.timeSamples(place.prim, name).isEmpty {
            try copyAttribute(name, [], place, definition[name], spec)
        }
    }

    private func copyProperty(
        _ name: Token, _ sites: [FlattenSite], _ place: Place, _ definition: PrimDefinition, _ parent: SpecIndex
    ) throws(AssetError) {
        let builtin = definition[name]
        if builtin?.isRelationship ?? (sites[0].layer.specs[Int(sites[0].spec)].kind == .relationship) {
            try copyRelationship(name, sites, place, builtin, parent)
        } else {
            try copyAttribute(name, sites, place, builtin, parent)
        }
    }

    /// Whether a property counts as custom: the weakest spec says so, schemas never do.
    private func isCustom(_ sites: [FlattenSite], _ builtin: BuiltinProperty?) -> Bool {
        guard builtin == nil, let weakest = sites.last, case .bool(true)? = weakest.layer.field(weakest.spec, .custom) else { return false }
        return true
    }

    private func copyRelationship(
        _ name: Token, _ sites: [FlattenSite], _ place: Place, _ builtin: BuiltinProperty?, _ parent: SpecIndex
    ) throws(AssetError) {
        let spec = builder.add(.relationship, paths.property(place.path, name), below: parent)
        if isCustom(sites, builtin) { builder.append(spec, .custom, .bool(true)) }
        if case .variability(.varying)? = sites[0].layer.field(sites[0].spec, .variability) {
            builder.append(spec, .variability, .variability(.varying))
        }
        try copyFields(sites, .relationship, place, to: spec)
        guard sites.contains(where: { $0.layer.field($0.spec, .targetPaths) != nil }) else { return }
        let targets = stage.composedTargets(place.prim, name, .targetPaths)
        if !targets.isEmpty {
            builder.append(spec, .targetPaths, .pathListOp(ListOp(explicit: targets.map { mapped($0, place) })))
        }
    }

    private func copyAttribute(
        _ name: Token, _ sites: [FlattenSite], _ place: Place, _ builtin: BuiltinProperty?, _ parent: SpecIndex
    ) throws(AssetError) {
        var type = builtin?.typeName ?? .empty
        if builtin == nil {
            if let strongest = sites.first, case .token(let t)? = strongest.layer.field(strongest.spec, .typeName) { type = t }
            guard isKnown(type) else {
                stage.ownDiagnostics.warning(
                    "usd.unknown-type", "\(session.string(name)) has the unknown type '\(session.string(type))' and is left out",
                    at: SourceLocation(file: stage.rootLayer.identifier, primPath: paths.string(place.path)))
                return
            }
        }
        let spec = builder.add(.attribute, paths.property(place.path, name), below: parent)
        builder.append(spec, .typeName, .token(type))
        if isCustom(sites, builtin) { builder.append(spec, .custom, .bool(true)) }
        var isUniform = builtin?.isUniform ?? false
        if builtin == nil, let weakest = sites.last, case .variability(.uniform)? = weakest.layer.field(weakest.spec, .variability) {
            isUniform = true
        }
        if isUniform { builder.append(spec, .variability, .variability(.uniform)) }
        try copyFields(sites, .attribute, place, to: spec)
        try copyValues(name, sites, place, builtin, to: spec)
        guard sites.contains(where: { $0.layer.field($0.spec, .connectionPaths) != nil }) else { return }
        let connections = stage.composedTargets(place.prim, name, .connectionPaths)
        if !connections.isEmpty {
            builder.append(spec, .connectionPaths, .pathListOp(ListOp(explicit: connections.map { mapped($0, place) })))
        }
    }

    private func isKnown(_ type: Token) -> Bool {
        if let known = knownTypes[type] { return known }
        let known = ValueTypeName(session.string(type)) != nil
        knownTypes[type] = known
        return known
    }
}
