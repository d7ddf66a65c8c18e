import AssetIO
import AssetModel

/// A stage read into a scene: one pass in traversal order over the prims, everything a prim says of itself read once
/// (`PrimFacts`, shared by instances), everything inherited handed down.
final class SceneReader {
    let stage: Stage
    let session: USDSession
    let options: ReadOptions
    let resolver: any AssetResolver
    let time: EvalTime
    @exclusivity(unchecked) var scene: Scene
    @exclusivity(unchecked) var diagnostics = Diagnostics()
    @exclusivity(unchecked) var schemas: SchemaTable

    // Caches by token: names are taken apart once.
    @exclusivity(unchecked) var xformOrders: [Stage.ValueKey: XformOrder] = [:]
    @exclusivity(unchecked) private var lightAPIs: [Stage.ValueKey: Bool] = [:]
    @exclusivity(unchecked) private var lastLightAPI: (key: Stage.ValueKey?, has: Bool) = (nil, false)
    @exclusivity(unchecked) var lastXformOrder: (key: Stage.ValueKey?, order: XformOrder?) = (nil, nil)
    @exclusivity(unchecked) var lastValueType: (token: Token?, type: AttributeType?) = (nil, nil)
    @exclusivity(unchecked) var primvarNames: [Token: PrimvarName] = [:]
    @exclusivity(unchecked) var bindingNames: [Token: BindingName] = [:]
    @exclusivity(unchecked) var valueTypes: [Token: AttributeType?] = [:]
    private let interpolations: [(token: Token, interpolation: Interpolation)]
    private let anyType: Token
    @exclusivity(unchecked) private var nameClasses: [NameClass] = []
    /// The schemas, for whoever asks what a type derives from.
    lazy var definitions = PrimDefinitions(session, fallbackPrimTypes: nil)
    let resetXformStackToken: Token
    let names: SceneTokens

    /// Prims in traversal order; `nodes` has the same indices.
    struct Visit {
        var prim: StagePrim
        var parent: Int32
        var depth: Int32
    }
    @exclusivity(unchecked) var visits: ContiguousArray<Visit> = []
    /// Of prims that instances share, and where the facts of a prim stand by its number; -1 where they were not read yet.
    @exclusivity(unchecked) private var sharedFacts: ContiguousArray<PrimFacts> = []
    @exclusivity(unchecked) private var sharedFactsAt: ContiguousArray<Int32> = []

    // What is handed down, one entry a node.
    @exclusivity(unchecked) var hidden: ContiguousArray<Bool> = []
    @exclusivity(unchecked) var purposes: ContiguousArray<Purpose?> = []
    @exclusivity(unchecked) var primvarLists: ContiguousArray<Int32> = []
    @exclusivity(unchecked) var bindingFrames: ContiguousArray<Int32> = []
    @exclusivity(unchecked) var skelFrames: ContiguousArray<Int32> = []
    @exclusivity(unchecked) var varying: ContiguousArray<UInt8> = []
    /// The facts of the prim at hand.
    private let scratch = PrimFacts()
    /// Names of the primvars of the prim at hand.
    @exclusivity(unchecked) private var primvars: [Token] = []
    /// Lists of constant primvars that nodes below inherit, farthest first; 0 is empty.
    @exclusivity(unchecked) var inheritable: [[OwnPrimvar]] = [[]]
    @exclusivity(unchecked) var frames: ContiguousArray<BindingFrame> = []
    @exclusivity(unchecked) var directBindings: ContiguousArray<BindingFrame.Direct> = []
    @exclusivity(unchecked) var collectionBindings: ContiguousArray<BindingFrame.Collection> = []
    var collectionRules: [Path: [Path: CollectionQuery.Rule]] = [:]
    /// Rules that may still be taken over from collections within collections.
    var collectionBudget = 10_000_000
    /// What the nodes' paths take so far, and what they may: long names that nest say theirs at every level below. Whoever asks
    /// for a limit on prims has chosen.
    private var pathLetters = 0
    private var allowedPathLetters = Int.max
    /// Letters of membership expressions that others may still refer to.
    var expressionBudget = 20_000_000
    @exclusivity(unchecked) var collections: [Path: CollectionQuery] = [:]
    @exclusivity(unchecked) var materialIDs: [Path: ID<Material>] = [:]
    /// One a material of the scene.
    var materialPrims: [StagePrim] = []
    var sharedMaterials: [Int32: Material] = [:]
    var textureIDs: [Texture: ID<Texture>] = [:]
    var resolvedAssets: [String: Texture.Source] = [:]
    /// Skeleton path each `skelFrames` entry stands for.
    var skelPaths: [Path] = []
    var skinnedMeshes: [SkinnedMeshKey: ID<Mesh>] = [:]
    /// The mesh node whose subsets are being met, and the subset that comes next.
    private var subsetCursor = (mesh: -1, next: 0)
    /// Whether a value that varies over time was read.
    @exclusivity(unchecked) var sawAnimation = false

    init(stage: Stage, source: SourceDescription, context: borrowing ReadContext) throws(AssetError) {
        self.stage = stage
        session = stage.session
        options = context.options
        resolver = context.resolver
        scene = Scene(source: source)
        schemas = SchemaTable(stage.session)
        resetXformStackToken = stage.session.token(XformOp.resetName)
        names = SceneTokens(stage.session)
        anyType = stage.session.token("__AnyType__")
        interpolations = Interpolation.allCases.map { (stage.session.token($0.rawValue), $0) }
        time = Self.evalTime(stage, context.options.time, stage.session)
    }

    /// Reads the whole stage.
    func read() throws(AssetError) -> Scene {
        try readMetadata()
        try collect()
        scene.nodes.reserveCapacity(visits.count)
        HugePages.advise(&scene.nodes.elements)
        registerMaterials()
        for i in 0..<visits.count { try readNode(i) }
        for i in visits.indices.reversed() where visits[i].parent >= 0 {
            let below = scene.nodes.elements[i].descendantCount + 1
            scene.nodes.elements[Int(visits[i].parent)].descendantCount += below
        }
        try readMaterials()
        if options.wantsAnimation { try readAnimation() }
        tellTime()
        // Value clips are layers as well.
        if let error = stage.exceededLimit { throw error }
        return scene
    }

    // MARK: Traversal

    /// Lists the prims to show, depth first.
    private func collect() throws(AssetError) {
        struct Level {
            var next: Int
            var end: Int
            var parent: Int32
        }
        // To see what composed a stage is to see what was left out: those prims are named, without what is in them.
        let showsUnloaded = options.wantsArcs && !options.loadPayloads
        var shown = PrimRecord.Flags.shown
        if showsUnloaded { shown.remove(.loaded) }
        var meshCount = 0
        let top = stage.childRange(stage.pseudoRoot)
        var stack = [Level(next: top.lowerBound, end: top.upperBound, parent: -1)]
        while let level = stack.last {
            guard level.next < level.end else {
                stack.removeLast()
                continue
            }
            stack[stack.count - 1].next += 1
            let prim = stage.childLists[level.next]
            let flags = stage.prims[Int(prim.index)].flags
            guard flags.isSuperset(of: shown), !flags.contains(.abstract) else { continue }
            let index = Int32(visits.count)
            if schemas[stage.typeName(prim)].reader == .mesh, !stage.isInstanceProxy(prim) { meshCount += 1 }
            visits.append(Visit(prim: prim, parent: level.parent, depth: Int32(stack.count - 1)))
            if showsUnloaded, !stage.isLoaded(prim) { continue }
            let children = stage.childRange(prim)
            if !children.isEmpty { stack.append(Level(next: children.lowerBound, end: children.upperBound, parent: index)) }
        }
        scene.meshes.reserveCapacity(meshCount)
        HugePages.advise(&scene.meshes.elements)
        // A part of a scene is not passed off as the whole.
        if let error = stage.exceededLimit { throw error }
        allowedPathLetters = options.limits.pathBytes
        if !options.limits.pathBytesWereSet { allowedPathLetters = min(allowedPathLetters, (512 << 20) + 32 * stage.layerBytes) }
        let n = visits.count
        hidden = ContiguousArray(repeating: false, count: n)
        purposes = ContiguousArray(repeating: nil, count: n)
        primvarLists = ContiguousArray(repeating: 0, count: n)
        bindingFrames = ContiguousArray(repeating: -1, count: n)
        skelFrames = ContiguousArray(repeating: -1, count: n)
        varying = ContiguousArray(repeating: 0, count: n)
    }

    private func readNode(_ i: Int) throws(AssetError) {
        let visit = visits[i]
        let prim = visit.prim
        // Large ones, filled where they are: each would be copied on its way.
        let name = session.string(stage.name(prim))
        var node = Node(name: name, path: path(name, below: Int(visit.parent)), typeName: "")
        if stage.isInstanceProxy(prim) {
            let k = try sharedFacts(prim)
            try fill(&node, i, visit, sharedFacts[k])
        } else {
            scratch.clear()
            try readFacts(prim, into: scratch)
            try fill(&node, i, visit, scratch)
        }
        pathLetters += node.path.utf8.count
        if pathLetters > allowedPathLetters {
            throw AssetError(
                "usd.paths-too-long",
                "the paths of \(i + 1) prim\(i == 0 ? "" : "s") take more than \(amount(allowedPathLetters, "byte")) (the limit 'path-bytes')",
                at: SourceLocation(file: stage.rootLayer.identifier))
        }
        scene.nodes.elements.append(consume node)
        if visit.parent >= 0, schemas[stage.typeName(prim)].reader == .subset { noteSubset(i, below: Int(visit.parent)) }
    }

    /// The path of a node below another.
    private func path(_ name: String, below parent: Int) -> String {
        var above = parent >= 0 ? scene.nodes.elements[parent].path : ""
        var name = name
        return above.withUTF8 { a in
            name.withUTF8 { b in
                String(unsafeUninitializedCapacity: a.count + b.count + 1) { out in
                    _ = out.initialize(fromContentsOf: a)
                    out.initializeElement(at: a.count, to: UInt8(ascii: "/"))
                    _ = out[(a.count + 1)...].initialize(fromContentsOf: b)
                    return a.count + b.count + 1
                }
            }
        }
    }

    private func fill(_ node: inout Node, _ i: Int, _ visit: Visit, _ facts: PrimFacts) throws(AssetError) {
        let prim = visit.prim
        let parent = Int(visit.parent)
        node.typeName = facts.typeName
        node.parent = parent < 0 ? nil : ID(parent)
        node.depth = Int(visit.depth)
        node.isInstance = stage.isInstance(prim)
        if facts.hasRare {
            let rare = facts.rare
            node.kind = rare.kind
            node.variantSets = rare.variantSets
            node.customData = rare.customData
            node.attributes = rare.attributes
            node.transformOps = rare.transformOps
        }
        if options.wantsArcs { node.arcs = stage.arcs(prim) }

        // Place.
        node.isTransformable = facts.type.isXformable
        node.resetsTransformStack = facts.resetsTransformStack
        node.isAnimated = facts.isAnimated
        if facts.isAnimated { sawAnimation = true }
        let above = parent < 0 || facts.resetsTransformStack ? Matrix4d.identity : scene.nodes.elements[parent].worldTransform
        node.place(
            facts.localTransform,
            facts.localTransform == .identity ? above : (above == .identity ? facts.localTransform : facts.localTransform * above))

        // Visibility and purpose: hidden above is hidden here; a purpose authored above holds until another is.
        node.isImageable = facts.type.isImageable
        hidden[i] = facts.isHidden || (parent >= 0 && hidden[parent])
        purposes[i] = facts.purpose ?? (parent >= 0 ? purposes[parent] : nil)
        node.isVisible = !hidden[i]
        // An empty one is not handed down, and gives way to what is.
        node.purpose = purposes[i] ?? (facts.purposeWord == nil ? .default : .other)
        if node.purpose == .other { scene.purposeWords[Int32(i)] = facts.purposeWord ?? scene.purposeWords[Int32(parent)] }

        node.content = facts.content
        node.light = facts.light
        try handDownPrimvars(i, facts, &node)
        handDownSkeleton(i, facts, prim)
        switch facts.content {
        case .mesh(let id):
            node.content = .mesh(try skinned(id, facts, node: i, node))
            if facts.subsetCount > 0 {
                node.subsetMaterials = Array(repeating: nil, count: facts.subsetCount)
                node.subsetPreviewMaterials = node.subsetMaterials
            }
        case .instancer(let id) where stage.isInstanceProxy(prim):
            // Everything but the prototypes' paths is shared.
            var own = scene.instancers[id]
            own.prototypePaths = prototypePaths(prim)
            node.content = .instancer(scene.instancers.append(own))
        default: break
        }

        bindingFrames[i] = parent < 0 ? -1 : bindingFrames[parent]
        if !facts.bindings.isEmpty { try pushBindings(i, facts.bindings, prim) }
        if facts.type.isGprim {
            (node.material, node.previewMaterial) = boundMaterials(i)
        }
        varying[i] = facts.varying
    }

    /// Gives the mesh above the materials bound to one of its subsets. `subsetMaterials` is what OpenUSD says of each.
    private func noteSubset(_ i: Int, below parent: Int) {
        guard case .mesh(let id) = scene.nodes.elements[parent].content else { return }
        // Subsets are met in the mesh's order; only prims between them lead the cursor astray.
        if subsetCursor.mesh != parent { subsetCursor = (parent, 0) }
        let name = scene.nodes.elements[i].name
        var k = subsetCursor.next
        if k >= scene.meshes[id].subsets.count || scene.meshes[id].subsets[k].name != name {
            guard let found = scene.meshes[id].subsets.firstIndex(where: { $0.name == name }) else { return }
            k = found
        }
        subsetCursor.next = k + 1
        scene.nodes.elements[parent].subsetMaterials[k] = boundMaterial(i, .all)
        // What is drawn: only sets of faces that are for binding, or are bound themselves, part the mesh by material.
        let subset = scene.meshes[id].subsets[k]
        guard subset.isOfFaces, subset.family == "materialBind" || bindingFrames[i] != bindingFrames[parent] else { return }
        scene.nodes.elements[parent].subsetPreviewMaterials[k] = boundMaterial(i, .preview)
    }

    // MARK: Facts

    /// Where the facts of an instance proxy stand: they are read for the first of those that share them.
    private func sharedFacts(_ prim: StagePrim) throws(AssetError) -> Int {
        let key = Int(stage.sharingKey(prim))
        if key < sharedFactsAt.count, sharedFactsAt[key] >= 0 { return Int(sharedFactsAt[key]) }
        let facts = PrimFacts()
        try readFacts(prim, into: facts)
        if key >= sharedFactsAt.count { sharedFactsAt.append(contentsOf: repeatElement(-1, count: key + 1 - sharedFactsAt.count)) }
        sharedFactsAt[key] = Int32(sharedFacts.count)
        sharedFacts.append(facts)
        return sharedFacts.count - 1
    }

    private func readFacts(_ prim: StagePrim, into facts: PrimFacts) throws(AssetError) {
        let typeName = stage.typeName(prim)
        // The name that old layers write for "any type" is no type.
        if typeName != anyType { facts.typeName = session.string(typeName) }
        guard stage.isLoaded(prim) else {
            facts.type = schemas[.empty]
            return
        }
        let type = schemas[typeName]
        facts.type = type
        if stage.hasField(prim, .kind), let kind = stage.metadata(prim, .kind)?.text(session), !kind.isEmpty { facts.rare.kind = kind }
        var sets = stage.variantSets(prim)
        for i in sets.indices { sets[i].choices.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        if !sets.isEmpty { facts.rare.variantSets = sets }
        if stage.hasField(prim, .customData), case .dictionary(let d)? = try stage.metadata(prim, .customData)?.resolved() {
            facts.rare.customData = d.openEntries(session)
        }

        primvars.removeAll(keepingCapacity: true)
        stage.forEachPropertyName(prim) { name in
            facts.properties.insert(name)
            switch nameClass(name) {
            case .other: break
            case .primvar: primvars.append(name)
            case .binding: facts.bindings.append(name)
            case .skinPrimvar:
                primvars.append(name)
                facts.hasSkin = true
            case .skeleton: facts.hasSkeletonRelationship = true
            }
        }
        // Clips give values to attributes that only the schema declares.
        if stage.hasClips(prim) {
            for name in [Token.visibility, .purpose, .orientation, .subdivisionScheme, .doubleSided, .holeIndices, .normals] {
                facts.properties.insert(name)
            }
        }
        if primvars.count > 1 { stage.sortByName(&primvars) }
        if facts.bindings.count > 1 { stage.sortByName(&facts.bindings) }
        if type.isImageable {
            if facts.properties.contains(.visibility) {
                facts.isHidden = try stage.token(prim, .visibility, at: time) == .invisible
                if stage.mightBeTimeVarying(prim, .visibility) {
                    sawAnimation = true
                    facts.varying |= PrimFacts.visibilityVaries
                }
            }
            if facts.properties.contains(.purpose), let v = try stage.value(prim, .purpose, at: .default)?.resolved(), let t = v.tokenValue {
                facts.purpose = Purpose(rawValue: session.string(t)) ?? .other
                if facts.purpose == .other {
                    facts.rare.purposeWord = session.string(t)
                    if t.isEmpty { facts.purpose = nil }
                    warn("usd.bad-purpose", "purpose is \"\(session.string(t))\", expected default, render, proxy or guide", prim)
                }
            } else if facts.properties.contains(.purpose), stage.hasValue(prim, .purpose) {
                // Samples alone: it is authored, and its default is the schema's.
                facts.purpose = .default
            }
        }
        if type.isXformable, facts.properties.contains(.xformOpOrder) {
            try readTransform(prim, at: time, into: facts)
            if facts.isAnimated { facts.varying |= PrimFacts.transformVaries }
        }
        let schema = schemas.known(typeName)
        if schema == .SkelAnimation { facts.varying |= PrimFacts.isSkeletonAnimation }
        let wantsAll = options.wantsMeshPrimvars || type.reader != .mesh
        for name in primvars {
            try readPrimvar(prim, name, isWanted: wantsAll || nameClass(name) == .skinPrimvar, into: &facts.primvars)
        }
        if facts.hasSkin, let skin = try readSkin(prim, facts) { facts.rare.skin = skin }
        try readContent(prim, schema, facts)
        if type.isLight || hasLightAPI(prim) {
            let id = scene.lights.append(try readLight(prim, schema))
            facts.light = id
            if case .none = facts.content { facts.content = .light(id) }
        }
        if options.wantsAttributes { facts.rare.attributes = readAttributes(prim) }
    }

    private func readContent(_ prim: StagePrim, _ typeName: Token, _ facts: PrimFacts) throws(AssetError) {
        switch facts.type.reader {
        case .mesh:
            let mesh = try readMesh(prim, facts)
            facts.subsetCount = mesh.subsets.count
            if mesh.isDeforming { facts.varying |= PrimFacts.pointsVary }
            facts.content = .mesh(ID(scene.meshes.count))
            scene.meshes.elements.append(consume mesh)
        case .points: facts.content = .points(scene.points.append(try readPoints(prim, facts)))
        case .pointsOnly:
            var cloud = try readPoints(prim, facts)
            if typeName == .TetMesh { cloud.surface = try tetMeshSurface(prim, cloud) }
            facts.content = .points(scene.points.append(cloud))
        case .curves: facts.content = .curves(scene.curves.append(try readCurves(prim, typeName, facts)))
        case .shape: facts.content = try readShape(prim, typeName).map { .implicit($0) } ?? .none
        case .instancer: facts.content = .instancer(scene.instancers.append(try readInstancer(prim)))
        case .camera: facts.content = .camera(scene.cameras.append(try readCamera(prim)))
        case .skeleton: facts.content = .skeleton(scene.skeletons.append(try readSkeleton(prim)))
        case .none, .subset, .light, .material, .shader, .nodeGraph: break
        }
    }

    // MARK: Names

    enum NameClass: UInt8 { case other, primvar, skinPrimvar, binding, skeleton }

    /// What a property name means to a scene; each token is looked at once.
    private func nameClass(_ name: Token) -> NameClass {
        let i = Int(name.id)
        while nameClasses.count <= i {
            nameClasses.append(Self.classify(session.tokens, Token(id: Int32(nameClasses.count))))
        }
        return nameClasses[i]
    }

    private static func classify(_ tokens: TokenTable, _ name: Token) -> NameClass {
        guard Int(name.id) < tokens.count else { return .other }
        switch name {
        case .skelSkeleton, .skelAnimationSource: return .skeleton
        default:
            return tokens.withBytes(name) { bytes in
                if bytes.starts(with: "primvars:".utf8) {
                    if bytes.count > 8, bytes.suffix(8).elementsEqual(":indices".utf8) { return .other }
                    return bytes.starts(with: "primvars:skel:".utf8) ? .skinPrimvar : .primvar
                }
                return bytes.starts(with: "material:binding".utf8) ? .binding : .other
            }
        }
    }

    /// Interpolation by its token; nil for a word that is none.
    func interpolation(_ token: Token) -> Interpolation? {
        for known in interpolations where known.token == token { return known.interpolation }
        return nil
    }

    /// Whether LightAPI is applied, by itself or by an API schema that brings it along.
    private func hasLightAPI(_ prim: StagePrim) -> Bool {
        switch stage.plainMetadataKey(prim, .apiSchemas) {
        case .none: return false
        case .key(let key):
            // Neighbours mostly apply the same schemas.
            if key == lastLightAPI.key { return lastLightAPI.has }
            let has = lightAPIs[key] ?? appliesLightAPI(prim)
            lightAPIs[key] = has
            lastLightAPI = (key, has)
            return has
        case .other: return appliesLightAPI(prim)
        }
    }

    private func appliesLightAPI(_ prim: StagePrim) -> Bool {
        stage.apiSchemas(prim).contains { $0 == .LightAPI || $0 == names.meshLight || $0 == names.volumeLight }
    }

    // MARK: Diagnostics

    func location(_ prim: StagePrim) -> SourceLocation {
        SourceLocation(file: scene.source.file, primPath: session.string(stage.path(prim)))
    }

    func warn(_ code: String, _ message: String, _ prim: StagePrim) {
        diagnostics.warning(code, message, at: location(prim))
    }
}
