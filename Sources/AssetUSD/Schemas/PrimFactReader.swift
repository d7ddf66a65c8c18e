import AssetModel

/// Answers what the predicates of membership expressions ask (UsdGetCollectionPredicateLibrary).
struct PrimFactReader: PrimFactSource {
    private let reader: SceneReader
    init(_ reader: SceneReader) { self.reader = reader }

    private var stage: Stage { reader.stage }
    private var session: USDSession { reader.session }

    func holds(_ call: PredicateCall, _ prim: StagePrim) -> Bool {
        switch call.name {
        case "abstract": return stage.isAbstract(prim) == call.flag
        case "defined": return stage.isDefined(prim) == call.flag
        case "model": return isModel(prim) == call.flag
        case "group": return isGroup(prim) == call.flag
        case "kind":
            guard let kind = kind(prim) else { return false }
            return call.words.contains { kind == $0 || !call.isStrict && Self.kinds(of: kind).contains($0) }
        case "specifier":
            let word =
                switch stage.specifier(prim) {
                case .def: "def"
                case .over: "over"
                case .class: "class"
                }
            return call.words.contains(word)
        case "isa":
            let type = session.string(stage.typeName(prim))
            return call.words.contains { call.isStrict ? type == $0 : reader.definitions.isA(type, $0) }
        case "hasAPI":
            let instance = call.arguments.first { $0.name == "instanceName" }?.value
            let applied = stage.apiSchemas(prim).map { session.string($0) } + reader.definitions.builtinAPIs(session.string(stage.typeName(prim)))
            return call.words.contains { word in
                applied.contains { name in
                    if let instance { return name == word + ":" + instance }
                    return name == word || name.hasPrefix(word + ":")
                }
            }
        case "variant":
            let sets = stage.variantSets(prim)
            return call.arguments.allSatisfy { argument in
                let selection = sets.first { $0.name == argument.name }?.selection ?? ""
                return Glob(Substring(argument.value).utf8).matches(Array(selection.utf8))
            }
        default: return false
        }
    }

    private func kind(_ prim: StagePrim) -> String? { stage.metadata(prim, .kind)?.text(session) }

    /// The kinds that a kind is one of.
    private static func kinds(of kind: String) -> [String] {
        switch kind {
        case "assembly": ["group", "model"]
        case "group", "component": ["model"]
        default: []
        }
    }

    /// A model stands below groups alone.
    private func isModel(_ prim: StagePrim) -> Bool {
        guard let kind = kind(prim), ["assembly", "group", "component", "model"].contains(kind) else { return false }
        return areGroups(above: prim)
    }

    private func isGroup(_ prim: StagePrim) -> Bool {
        guard let kind = kind(prim), ["assembly", "group"].contains(kind) else { return false }
        return areGroups(above: prim)
    }

    private func areGroups(above prim: StagePrim) -> Bool {
        var p = stage.parent(prim)
        while let above = p, above != stage.pseudoRoot {
            guard let kind = kind(above), ["assembly", "group"].contains(kind) else { return false }
            p = stage.parent(above)
        }
        return true
    }
}
