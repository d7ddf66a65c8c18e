import AssetIO
import AssetModel

/// What schemas say of a property of a prim.
struct BuiltinProperty {
    var typeName: Token
    var isUniform: Bool
    var isRelationship: Bool
    /// The value it has where nothing is said, as text; empty where it has none.
    var fallback = ""
}

/// The properties that a prim has by its type and its applied API schemas.
final class PrimDefinition {
    private(set) var properties: [Token: BuiltinProperty] = [:]

    subscript(_ name: Token) -> BuiltinProperty? { properties[name] }

    /// Adds a property unless a stronger schema has it.
    fileprivate func add(_ name: Token, _ property: BuiltinProperty) {
        if properties[name] == nil { properties[name] = property }
    }
}

/// The schemas as a table, and the definitions of the prims of a session, each made once.
final class PrimDefinitions {
    private struct Schema {
        var base: Substring
        var apis: [Substring] = []
        var lines: [Substring] = []
    }

    private let session: USDSession
    private let schemas: [Substring: Schema]
    private var byType: [Token: PrimDefinition] = [:]
    private var byKey: [String: PrimDefinition] = [:]
    /// For types that nobody knows: those that stand in, in order.
    private let fallbackTypes: [String: [Token]]

    /// - Parameter fallbackPrimTypes: the root layer's field of that name.
    init(_ session: USDSession, fallbackPrimTypes: USDValue?) {
        self.session = session
        var schemas: [Substring: Schema] = [:]
        var name: Substring = ""
        for line in SchemaProperties.text.split(separator: "\n") {
            if line.first != " " {
                let parts = line.split(separator: " ")
                name = parts[0]
                var schema = Schema(base: "")
                for i in stride(from: 1, to: parts.count - 1, by: 2) {
                    if parts[i] == ":" { schema.base = parts[i + 1] } else { schema.apis.append(parts[i + 1]) }
                }
                schemas[name] = schema
            } else if let plus = line.firstIndex(where: { $0 != " " }), line[plus] == "+" {
                schemas[name]?.apis += line.split(separator: " ").filter { $0 != "+" }
            } else {
                schemas[name]?.lines.append(line)
            }
        }
        self.schemas = schemas
        var fallbacks: [String: [Token]] = [:]
        if case .dictionary(let d)? = try? fallbackPrimTypes?.resolved() {
            for (type, value) in d.entries {
                switch try? value.resolved() {
                case .array(let a)?:
                    if case .token(let list) = a.storage { fallbacks[type] = list }
                case .tokens(let list)?: fallbacks[type] = list
                default: break
                }
            }
        }
        fallbackTypes = fallbacks
    }

    /// Whether a type is another one or derived from it.
    func isA(_ type: String, _ base: String) -> Bool { chain(type).contains { $0 == base } }

    /// The API schemas that a type brings along.
    func builtinAPIs(_ type: String) -> [String] {
        var found: [Substring] = []
        func add(_ name: Substring) {
            for api in schemas[name]?.apis ?? [] where !found.contains(api) {
                found.append(api)
                add(api)
            }
        }
        for name in chain(type) { add(name) }
        return found.map(String.init)
    }

    /// A type and what it derives from.
    private func chain(_ type: String) -> [Substring] {
        var out: [Substring] = []
        var name = Substring(type)
        while !name.isEmpty, !out.contains(name) {
            out.append(name)
            name = schemas[name]?.base ?? ""
        }
        return out
    }

    /// The definition of prims of a type with some applied schemas, strongest first.
    func definition(_ type: Token, _ apis: [Token]) -> PrimDefinition {
        if apis.isEmpty {
            if let known = byType[type] { return known }
            let made = make(type, [])
            byType[type] = made
            return made
        }
        let key = "\(type.id) " + apis.map { "\($0.id)" }.joined(separator: " ")
        if let known = byKey[key] { return known }
        let made = make(type, apis)
        byKey[key] = made
        return made
    }

    private func make(_ type: Token, _ apis: [Token]) -> PrimDefinition {
        let definition = PrimDefinition()
        var name = session.string(type)
        if !isConcrete(name), let stand = fallbackTypes[name]?.first(where: { isConcrete(session.string($0)) }) { name = session.string(stand) }
        if isConcrete(name) { add(name[...], instance: "", to: definition, depth: 0) }
        for api in apis {
            let full = session.string(api)
            let colon = full.firstIndex(of: ":") ?? full.endIndex
            let instance = colon == full.endIndex ? "" : full[full.index(after: colon)...]
            guard full[..<colon].hasSuffix("API"), isMultiple(full[..<colon]) != instance.isEmpty else { continue }
            add(full[..<colon], instance: instance, to: definition, depth: 0)
        }
        return definition
    }

    private func isConcrete(_ name: String) -> Bool {
        guard let schema = schemas[name[...]] else { return false }
        return !schema.base.isEmpty && !Self.abstract.contains(name)
    }

    /// Types that only other types derive from.
    private static let abstract: Set<String> = [
        "Typed", "Imageable", "Xformable", "Boundable", "Gprim", "PointBased", "Curves", "BoundableLightBase", "NonboundableLightBase",
        "VolumeFieldBase", "FieldBase", "VolumeFieldAsset", "FieldAsset", "LODHeuristic", "RenderSettingsBase",
    ]

    private func isMultiple(_ api: Substring) -> Bool { schemas[api]?.lines.contains { $0.contains("*") } ?? false }

    private func add(_ name: Substring, instance: Substring, to definition: PrimDefinition, depth: Int) {
        guard depth < 16, let schema = schemas[name] else { return }
        for line in schema.lines {
            for declaration in line.split(separator: ";") {
                let equals = declaration.firstRange(of: " = ")
                var words = declaration[..<(equals?.lowerBound ?? declaration.endIndex)].split(separator: " ")
                guard var property = words.popLast().map(String.init), !words.isEmpty else { continue }
                if let star = property.firstIndex(of: "*") { property.replaceSubrange(star...star, with: instance) }
                definition.add(
                    session.token(property),
                    BuiltinProperty(
                        typeName: session.token(String(words[words.count - 1])), isUniform: words[0] == "uniform",
                        isRelationship: words[0] == "rel", fallback: equals.map { String(declaration[$0.upperBound...]) } ?? ""))
            }
        }
        if !schema.base.isEmpty { add(schema.base, instance: "", to: definition, depth: depth + 1) }
        for api in schema.apis {
            let parts = api.split(separator: ":", maxSplits: 1)
            add(parts[0], instance: parts.count > 1 ? parts[1] : "", to: definition, depth: depth + 1)
        }
    }

    /// The value that a property has where nothing is said.
    func fallback(of property: BuiltinProperty) -> USDValue? {
        if property.fallback.isEmpty { return nil }
        let text = "#usda 1.0\nover \"a\"\n{\n    \(session.string(property.typeName)) a = \(property.fallback)\n}\n"
        var ignored = Diagnostics()
        let file = FileBytes(name: "schema", bytes: Array(text.utf8))
        guard let layer = try? USDA.parse(file, session: session, identifier: "schema", &ignored), let path = session.paths.parse("/a.a"),
            let spec = layer.spec(at: path)
        else { return nil }
        return layer.field(spec, .default)
    }
}
