import AssetIO
import AssetModel

/// Index into a stage's layer stacks.
typealias StackIndex = Int32

/// A root layer with its sublayers, strongest first.
final class LayerStack {
    struct Entry {
        var layer: USDLayer
        var index: LayerIndex
        /// From the layer's time to the stack's.
        var offset: LayerOffset
    }

    let index: StackIndex
    let entries: ContiguousArray<Entry>
    /// Expression variables in force, for asset paths and variant selections.
    let variables: ExpressionVariables
    let timeCodesPerSecond: Double
    /// Prims moved within the stack's namespace; `.empty` as a target deletes.
    let relocates: RelocationTable?

    init(
        index: StackIndex, entries: ContiguousArray<Entry>, variables: ExpressionVariables, timeCodesPerSecond: Double,
        relocates: RelocationTable?
    ) {
        self.index = index
        self.entries = entries
        self.variables = variables
        self.timeCodesPerSecond = timeCodesPerSecond
        self.relocates = relocates
    }

    var rootLayer: USDLayer { entries[0].layer }
}

extension USDLayer {
    /// The value of a field, decoded; nil where there is none or it is damaged.
    func value(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        guard let v = field(spec, name) else { return nil }
        if case .deferred = v { return try? v.resolved() }
        return v
    }

    /// What `SdfLayer::GetTimeCodesPerSecond` answers: frames a second where nothing else is said, 24 where nothing is.
    var timeCodesPerSecond: Double {
        for name in [Token.timeCodesPerSecond, .framesPerSecond] {
            if case .double(let d)? = value(0, name), d.isFinite { return d }
        }
        return 24
    }
}

/// Builds layer stacks, each once.
final class LayerStackBuilder {
    private struct Key: Hashable {
        var layer: LayerIndex
        var variables: ExpressionVariables
    }

    let cache: LayerCache
    @exclusivity(unchecked) private(set) var stacks: ContiguousArray<LayerStack> = []
    private var known: [Key: StackIndex] = [:]
    /// What could not be opened.
    var missing: [(assetPath: String, layer: String, prim: String, role: String)] = []
    /// How each layer first came in, in order.
    private(set) var roles: [(layer: LayerIndex, role: String)] = []
    private var noted: Set<LayerIndex> = []
    var diagnostics = Diagnostics()

    init(cache: LayerCache) { self.cache = cache }

    /// The stack below a layer; `outer` are the variables of the stack that refers to it, which win.
    func stack(root layer: LayerIndex, outer: ExpressionVariables?, role: String) -> LayerStack {
        var variables = ExpressionVariables(cache.layers[Int(layer)].field(0, .expressionVariables))
        if let outer { variables.override(with: outer) }
        let key = Key(layer: layer, variables: variables)
        if let i = known[key] { return stacks[Int(i)] }
        note(layer, role)
        var entries: ContiguousArray<LayerStack.Entry> = []
        add(layer, .identity, variables, &entries)
        let index = StackIndex(stacks.count)
        let relocates = RelocationTable(entries.map(\.layer), paths: cache.session.paths, &diagnostics)
        let stack = LayerStack(
            index: index, entries: entries, variables: variables,
            timeCodesPerSecond: cache.layers[Int(layer)].timeCodesPerSecond, relocates: relocates)
        stacks.append(stack)
        // A stage's own stack has a session layer on top in OpenUSD: a reference to the same file is to another stack.
        if outer != nil { known[key] = index }
        return stack
    }

    private func note(_ layer: LayerIndex, _ role: String) {
        if noted.insert(layer).inserted { roles.append((layer, role)) }
    }

    /// A layer whose sublayers are being gone through.
    private struct Level {
        var layer: LayerIndex
        var offset: LayerOffset
        var names: [String]
        var offsets: [LayerOffset]
        var next = 0
    }

    /// Lists a layer and its sublayers, strongest first. Without recursion: thousands may lie in each other.
    private func add(_ root: LayerIndex, _ offset: LayerOffset, _ variables: ExpressionVariables, _ entries: inout ContiguousArray<LayerStack.Entry>)
    {
        var path: [Level] = []
        var open: Set<LayerIndex> = []
        func enter(_ layer: LayerIndex, _ offset: LayerOffset) {
            let l = cache.layers[Int(layer)]
            // A diamond of sublayers names a layer twice; OpenUSD keeps both. Hostile files could double it at every level.
            guard entries.count < cache.limits.layers else { return exceed("\(cache.limits.layers) sublayers", "layers", l) }
            guard path.count < cache.limits.nestingDepth else {
                return exceed("\(cache.limits.nestingDepth) sublayers in each other", "nesting-depth", l)
            }
            entries.append(LayerStack.Entry(layer: l, index: layer, offset: offset.isNegligible ? .identity : offset))
            var level = Level(layer: layer, offset: offset, names: [], offsets: [])
            if case .strings(let names)? = l.value(0, .subLayers) { level.names = names }
            if case .layerOffsets(let o)? = l.value(0, .subLayerOffsets) { level.offsets = o }
            path.append(level)
            open.insert(layer)
        }
        enter(root, offset)
        while let level = path.last {
            guard level.next < level.names.count else {
                open.remove(level.layer)
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let own = level.next < level.offsets.count ? level.offsets[level.next] : .identity
            guard let (sub, inner) = sublayer(level.names[level.next], own, of: level.layer, variables, isOpen: open.contains) else { continue }
            enter(sub, level.offset.concatenating(inner: inner))
        }
    }

    private func exceed(_ what: String, _ limit: String, _ layer: USDLayer) {
        cache.exceed(
            AssetError("usd.too-many-sublayers", "more than \(what) (the limit '\(limit)')", at: SourceLocation(file: layer.identifier)))
    }

    /// A sublayer that a layer names and its offset, frame rates included; nil, with a warning, where there is none.
    private func sublayer(
        _ name: String, _ offset: LayerOffset, of layer: LayerIndex, _ variables: ExpressionVariables, isOpen: (LayerIndex) -> Bool
    ) -> (LayerIndex, LayerOffset)? {
        let l = cache.layers[Int(layer)]
        var assetPath = name
        if ExpressionText.isExpression(name) {
            switch variables.evaluateString(name) {
            case .success(let s): assetPath = s
            case .failure(let e):
                diagnostics.warning("usd.bad-expression", "sublayer \(name): \(e.message)", at: SourceLocation(file: l.identifier))
                return nil
            }
        }
        if assetPath.isEmpty { return nil }
        let place = SourceLocation(file: l.identifier, primPath: "/")
        guard let found = cache.locate(assetPath, from: layer) else {
            missing.append((assetPath, l.identifier, "/", "sublayer"))
            diagnostics.warning(
                "usd.missing-sublayer", MissingAsset.message("sublayer", assetPath, authored: name, variables, namedBy: l.identifier), at: place)
            return nil
        }
        if let w = found.warning(assetPath, at: place) { diagnostics.add(w) }
        switch cache.open(found.path) {
        case .failure(let failure):
            missing.append((assetPath, l.identifier, "/", "sublayer"))
            diagnostics.add(failure.diagnostic("usd.bad-sublayer", "sublayer '\(assetPath)'", place))
            return nil
        case .success(let sub):
            if isOpen(sub) {
                diagnostics.warning("usd.sublayer-cycle", "sublayer '\(assetPath)' is already above this layer", at: place)
                return nil
            }
            note(sub, "sublayer")
            var o = offset
            if !o.isUsable {
                diagnostics.warning("usd.bad-layer-offset", "sublayer '\(assetPath)' \(o.complaint)", at: place)
                o = .identity
            }
            let inner = cache.layers[Int(sub)].timeCodesPerSecond
            let outer = l.timeCodesPerSecond
            // Below zero time runs backwards; with none at all there is no rate to bring to another.
            if inner != outer, inner != 0 { o.scale = o.scale * outer / inner }
            return (sub, o)
        }
    }
}

extension LayerOffset {
    /// Whether OpenUSD takes the offset: times are mapped both ways and never run backwards.
    var isUsable: Bool { offset.isFinite && scale.isFinite && scale > 0 && (1 / scale).isFinite && (offset * (1 / scale)).isFinite }
    /// Why an offset that is not usable counts as none.
    var complaint: String {
        let fault =
            offset.isFinite && scale.isFinite && scale <= 0
            ? "scale \(scale), expected one above 0" : "offset \(offset) and scale \(scale), expected finite numbers that can be inverted"
        return "has \(fault); it counts as none"
    }
    /// Whether OpenUSD takes the offset of a sublayer for none.
    var isNegligible: Bool { abs(offset) < 1e-6 && abs(scale - 1) < 1e-6 }
    var inverse: LayerOffset {
        if isNegligible { return self }
        let inverted = 1 / scale
        return LayerOffset(offset: -offset * inverted, scale: inverted)
    }
}

extension LayerCache.Failure {
    /// A warning about the asset that names the file, with what is wrong with it as a note.
    func diagnostic(_ code: String, _ what: String, _ location: SourceLocation) -> Diagnostic {
        switch self {
        case .notFound: return Diagnostic(.warning, code, what + " not found", at: location)
        case .tooMany: return Diagnostic(.warning, "usd.too-many-layers", what + ": more layers than the limit allows", at: location)
        case .unreadable(let e):
            // The place inside the asset says more than the layer that names it; that one is a note.
            var inner = e.diagnostic
            let namedBy = "named by \(location.file)"
            if inner.location.position == .unknown {
                return Diagnostic(.warning, code, what + " cannot be read: " + inner.message, at: location, notes: [inner.location.file])
            }
            inner.location.primPath = inner.location.primPath ?? location.primPath
            return Diagnostic(.warning, code, what + " cannot be read: " + inner.message, at: inner.location, notes: [namedBy])
        }
    }
}
