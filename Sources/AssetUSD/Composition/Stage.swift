public import AssetIO
public import AssetModel

/// When a value is asked for.
public enum EvalTime: Sendable, Hashable {
    /// The default, never a sample.
    case `default`
    /// The earliest sample; the default where there are no samples.
    case earliest
    case at(Double)
}

/// A prim of a `Stage`. Only valid with the stage it came from.
public struct StagePrim: Hashable, Sendable {
    public let index: Int32
    public init(index: Int32) { self.index = index }
}

/// A composed stage: the root layer, what it pulls in, and the strongest opinions about every prim.
///
/// Prims are composed when their parent's children are first asked for. Not for use by several threads at a time.
public final class Stage {
    public let session: USDSession
    public let rootLayer: USDLayer
    let paths: PathTable
    let options: ReadOptions
    let cache: LayerCache
    let stacks: LayerStackBuilder
    let maps: MapTable
    let indexer: PrimIndexer
    let clips: ClipTable
    /// The old way to write no type.
    let anyType: Token

    @exclusivity(unchecked) var prims: ContiguousArray<PrimRecord> = []
    /// Trees of all prims whose tree is more than the stage's own layers.
    @exclusivity(unchecked) var nodes: NodeArray = []
    @exclusivity(unchecked) var opinions: ContiguousArray<Opinion> = []
    @exclusivity(unchecked) var childLists: ContiguousArray<StagePrim> = []
    /// Path → prim, -1 where none was made.
    @exclusivity(unchecked) var primOfPath: ContiguousArray<Int32> = []
    var prototypes: [[Int32]: Int32] = [:]
    @exclusivity(unchecked) var sharedIndexes: [SharedIndex.Key: SharedIndex] = [:]
    var offsetNumbers: [LayerOffset: Int32] = [:]
    var ownDiagnostics = Diagnostics()
    /// The first limit that was reached while prims were composed: what lies beyond is missing.
    public var exceededLimit: AssetError? { ownExceededLimit ?? cache.exceeded }
    var ownExceededLimit: AssetError?

    /// Opens the stage below a layer's bytes. Throws where the layer itself cannot be read; everything else that goes wrong
    /// is a warning, now or when prims are composed (`takeDiagnostics`).
    public static func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> Stage {
        let session = USDSession()
        let cache = LayerCache(session: session, resolver: context.resolver, limits: context.options.limits)
        do throws(AssetError) {
            _ = try cache.open(root: file)
        } catch {
            context.diagnostics.add(cache.takeDiagnostics())
            throw error
        }
        let stage = Stage(cache, context.options)
        context.diagnostics.add(stage.takeDiagnostics())
        return stage
    }

    /// A stage below a layer that is already there; `file` is what the user named, where that is not the layer itself.
    public convenience init(layer: USDLayer, opened file: String? = nil, resolver: any AssetResolver, options: ReadOptions = ReadOptions()) {
        let cache = LayerCache(session: layer.session, resolver: resolver, limits: options.limits)
        _ = cache.add(root: layer, opened: file)
        self.init(cache, options)
    }

    init(_ cache: LayerCache, _ options: ReadOptions) {
        self.cache = cache
        self.options = options
        session = cache.session
        paths = session.paths
        rootLayer = cache.layers[0]
        stacks = LayerStackBuilder(cache: cache)
        maps = MapTable(paths: session.paths)
        _ = stacks.stack(root: 0, outer: nil, role: "root")
        indexer = PrimIndexer(session: session, cache: cache, stacks: stacks, maps: maps, options: options)
        clips = ClipTable()
        anyType = session.token("__AnyType__")
        makePseudoRoot()
    }

    /// The warnings since the last call.
    public func takeDiagnostics() -> Diagnostics {
        var all = cache.takeDiagnostics()
        all.add(stacks.diagnostics)
        all.add(indexer.diagnostics)
        all.add(ownDiagnostics)
        stacks.diagnostics = Diagnostics()
        indexer.diagnostics = Diagnostics()
        ownDiagnostics = Diagnostics()
        return all
    }

    // MARK: Stage

    /// Layer metadata of the root layer (`upAxis`, `startTimeCode`, …), nil where not authored.
    public func metadata(_ name: Token) -> USDValue? {
        guard let value = rootLayer.field(0, name) else { return nil }
        return try? value.resolved()
    }

    /// Every layer in use, root first, with the role that brought it in.
    public var layers: [(layer: USDLayer, role: String)] { stacks.roles.map { (cache.layers[Int($0.layer)], $0.role) } }

    /// Asset paths that could not be resolved or opened: what was named, by which layer, at which prim, in which role.
    public var missing: [(assetPath: String, layer: String, prim: String, role: String)] { stacks.missing }

    // MARK: Prims

    public var pseudoRoot: StagePrim { StagePrim(index: 0) }

    /// The prim at a path, instance proxies included; nil where nothing is composed there.
    public func prim(at path: Path) -> StagePrim? {
        if path.isRoot { return pseudoRoot }
        guard paths.kind(path) == .prim else { return nil }
        if let known = known(path) { return isBelowInactive(known) ? nil : known }
        var parent = pseudoRoot
        for p in paths.prefixes(path) {
            guard paths.kind(p) == .prim else { return nil }
            _ = composedChildren(parent)
            guard prims[Int(parent.index)].flags.contains(.active), let next = known(p) else { return nil }
            parent = next
        }
        return parent
    }

    /// An inactive prim is on the stage, but nothing below it.
    private func isBelowInactive(_ prim: StagePrim) -> Bool {
        let above = prims[Int(prim.index)].parent
        return above >= 0 && !prims[Int(above)].flags.contains(.active)
    }

    /// Children that a traversal shows: active, loaded, defined, not abstract; of instances the contents (proxies).
    public func children(_ prim: StagePrim) -> [StagePrim] { shownChildren(prim) }

    /// All composed children as a range of `childLists`, contents of instances included; which of them are shown is left to ask.
    @inline(__always)
    func childRange(_ prim: StagePrim) -> Range<Int> {
        let all = composedChildren(prim)
        return all.startIndex..<all.endIndex
    }

    /// All composed children, inactive, undefined and abstract ones included; none below instances.
    public func allChildren(_ prim: StagePrim) -> [StagePrim] {
        let r = prims[Int(prim.index)]
        if r.flags.contains(.instance) || r.source >= 0 { return [] }
        return Array(composedChildren(prim))
    }

    public func parent(_ prim: StagePrim) -> StagePrim? {
        let p = prims[Int(prim.index)].parent
        return p < 0 ? nil : StagePrim(index: p)
    }

    public func path(_ prim: StagePrim) -> Path { prims[Int(prim.index)].path }
    public func name(_ prim: StagePrim) -> Token { paths.name(prims[Int(prim.index)].path) }
    public func typeName(_ prim: StagePrim) -> Token { prims[Int(prim.index)].typeName }

    public func specifier(_ prim: StagePrim) -> Specifier {
        let f = prims[Int(prim.index)].flags
        return f.contains(.isClass) ? .class : f.contains(.isDef) ? .def : .over
    }

    public func isActive(_ prim: StagePrim) -> Bool { prims[Int(prim.index)].flags.contains(.active) }
    public func isInstance(_ prim: StagePrim) -> Bool { prims[Int(prim.index)].flags.contains(.instance) }
    public func isInstanceProxy(_ prim: StagePrim) -> Bool { prims[Int(prim.index)].source >= 0 }
    /// Whether the prim and all above it are defined by `def` or `class`.
    public func isDefined(_ prim: StagePrim) -> Bool { prims[Int(prim.index)].flags.contains(.defined) }
    /// Whether the prim or one above it is a class.
    public func isAbstract(_ prim: StagePrim) -> Bool { prims[Int(prim.index)].flags.contains(.abstract) }
    /// False where the prim has a payload that was left out.
    public func isLoaded(_ prim: StagePrim) -> Bool { prims[Int(prim.index)].flags.contains(.loaded) }

    /// Equal for prims whose own opinions are the same by construction: the corresponding prims below instances of one
    /// prototype. Different for any other two prims. Lets readers build a mesh once.
    public func sharingKey(_ prim: StagePrim) -> Int32 {
        let r = prims[Int(prim.index)]
        return r.source >= 0 ? r.source : prim.index
    }

    /// Names of all composed properties, in order.
    public func propertyNames(_ prim: StagePrim) -> [Token] { composedPropertyNames(prim) }

    /// Composed targets of a relationship, in stage namespace (below an instance: the instance's own).
    public func targets(_ prim: StagePrim, _ relationship: Token) -> [Path] { composedTargets(prim, relationship, .targetPaths) }

    /// Composed connections of an attribute, in stage namespace (below an instance: the instance's own).
    public func connections(_ prim: StagePrim, _ attribute: Token) -> [Path] { composedTargets(prim, attribute, .connectionPaths) }
}
