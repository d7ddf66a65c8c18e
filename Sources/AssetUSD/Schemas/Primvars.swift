import AssetModel

/// A primvar's attribute name taken apart.
struct PrimvarName {
    /// Without `primvars:`.
    var short: String
    /// `primvars:st:indices`.
    var indices: Token
}

/// The declared type of an attribute.
struct AttributeType {
    var type: ValueTypeName
    var role: PrimvarRole
    var text: String
}

extension SceneReader {
    func primvarName(_ name: Token) -> PrimvarName {
        if let known = primvarNames[name] { return known }
        let full = session.string(name)
        let made = PrimvarName(short: String(full.dropFirst(9)), indices: session.token(full + ":indices"))
        primvarNames[name] = made
        return made
    }

    /// The declared type of an attribute; nil where it is unknown.
    func attributeType(_ prim: StagePrim, _ name: Token) -> AttributeType? {
        guard let token = stage.token(prim, name, metadata: .typeName) else { return nil }
        if token == lastValueType.token { return lastValueType.type }
        if let known = valueTypes[token] {
            lastValueType = (token, known)
            return known
        }
        let text = session.string(token)
        let made = ValueTypeName(text).map { AttributeType(type: $0, role: Self.role(text, $0), text: text) }
        valueTypes[token] = .some(made)
        return made
    }

    private static func role(_ text: String, _ type: ValueTypeName) -> PrimvarRole {
        if text.hasPrefix("texCoord") { return .textureCoordinate }
        if text.hasPrefix("color") || text.hasPrefix("Color") { return .color }
        if text.hasPrefix("normal") || text.hasPrefix("Normal") { return .normal }
        if text.hasPrefix("vector") || text.hasPrefix("Vector") { return .vector }
        if text.hasPrefix("point") || text.hasPrefix("Point") { return .point }
        // Old exporters wrote texture coordinates as plain pairs.
        if type.type == .float2, type.isArray { return .textureCoordinate }
        return .none
    }

    func interpolation(_ prim: StagePrim, _ name: Token, default fallback: Interpolation) -> Interpolation {
        guard let token = stage.token(prim, name, metadata: .interpolation) else { return fallback }
        guard let known = interpolation(token) else {
            let text = session.string(token)
            warn("usd.bad-interpolation", "\(session.string(name)) has the interpolation \"\(text)\": taken as \(fallback.rawValue)", prim)
            return fallback
        }
        return known
    }

    /// Adds a primvar with a value of its own; none where the attribute has none (then it is as if it were not there).
    /// One that is not wanted is left out unless there may be something to say about it.
    func readPrimvar(_ prim: StagePrim, _ name: Token, isWanted: Bool, into list: inout [OwnPrimvar]) throws(AssetError) {
        guard stage.propertyKind(prim, name) == .attribute, stage.hasValue(prim, name) else { return }
        let declared = attributeType(prim, name)
        let interpolation = interpolation(prim, name, default: .constant)
        if !isWanted, name != .primvarsNormals, let type = declared?.type.type, Self.isHeld(type) { return }
        let parts = primvarName(name)
        var elementSize = 1
        if let n = stage.metadata(prim, name, .elementSize)?.number, n >= 1, n <= 1_000_000 { elementSize = Int(n) }
        var role = declared?.role ?? .none
        if parts.short.hasPrefix("skel:") { role = .none }
        // A single pair is no set of texture coordinates.
        if role == .textureCoordinate, declared?.type.isArray == false { role = .none }
        var indices: DeferredArray<Int32>?
        if stage.hasValue(prim, parts.indices) {
            indices = try ArrayValues.ints(stage.value(prim, parts.indices, at: time)) ?? .init()
        }
        var primvar = Primvar(name: parts.short, role: role, interpolation: interpolation, elementSize: elementSize, values: .float(.init()))
        primvar.indices = consume indices
        if let values = try plainPrimvarValues(prim, name, declared) {
            primvar.values = values
        } else if let (values, factor) = try primvarValues(stage.value(prim, name, at: time), declared) {
            primvar.values = values
            primvar.elementSize = elementSize * factor
        } else {
            warn(
                "usd.dropped.primvar",
                "primvar \(parts.short) has a value of type \(declared?.text ?? "unknown") that cannot be held: left out", prim)
            return
        }
        list.append(OwnPrimvar(name: name, primvar: primvar))
    }

    /// Whether values of a type are held by the model as they are.
    private static func isHeld(_ type: ValueType) -> Bool {
        switch type {
        case .float, .float2, .float3, .float4, .int: true
        default: false
        }
    }

    /// Values that lie in a file as the model holds them; nil for others.
    private func plainPrimvarValues(
        _ prim: StagePrim, _ name: Token, _ declared: AttributeType?
    ) throws(AssetError) -> PrimvarValues? {
        switch declared?.type.type {
        case .float: try stage.plainFloats(prim, name, at: time).map { .float($0) }
        case .float2: try stage.plainVectors2(prim, name, at: time).map { .float2($0) }
        case .float3: try stage.plainVectors3(prim, name, at: time).map { .float3($0) }
        case .float4: try stage.plainVectors4(prim, name, at: time).map { .float4($0) }
        case .int: try stage.plainInts(prim, name, at: time).map { .int($0) }
        default: nil
        }
    }

    /// Values of any type in the model's types, and how many of them make one element. No value is an empty array.
    private func primvarValues(_ value: USDValue?, _ declared: AttributeType?) throws(AssetError) -> (PrimvarValues, Int)? {
        guard let value else { return (Self.empty(declared?.type.type ?? .float), 1) }
        let type = try ArrayValues.shape(value)?.type
        switch type {
        case .float, .half: return try ArrayValues.floats(value).map { (.float($0), 1) }
        case .double, .timeCode: return try ArrayValues.doubles(value).map { (.double($0), 1) }
        case .float2, .half2, .double2, .int2: return try ArrayValues.vectors2(value).map { (.float2($0), 1) }
        case .float3, .half3, .double3, .int3: return try ArrayValues.vectors3(value).map { (.float3($0), 1) }
        case .float4, .half4, .double4, .int4, .quath, .quatf, .quatd: return try ArrayValues.vectors4(value).map { (.float4($0), 1) }
        case .int, .uint, .int64, .uint64, .bool, .uchar: return try ArrayValues.ints(value).map { (.int($0), 1) }
        case .string, .token, .asset: return (.string(.loaded(try ArrayValues.strings(value, session))), 1)
        case .matrix2d, .matrix3d, .matrix4d:
            let n = type == .matrix2d ? 4 : type == .matrix3d ? 9 : 16
            let resolved = try value.resolved()
            if case .tuple(_, let c) = resolved { return (.double(.loaded(c)), n) }
            guard case .array(let a) = resolved, case .double(let v) = a.storage else { return nil }
            return (.double(.loaded(v)), n)
        default: break
        }
        // A single value counts as an array of one.
        switch try value.resolved() {
        case .float(let v): return (.float(.loaded([v])), 1)
        case .half(let bits): return (.float(.loaded([Half.float(bits)])), 1)
        case .double(let v), .timeCode(let v): return (.double(.loaded([v])), 1)
        case .string, .token, .asset: return (.string(.loaded(try ArrayValues.strings(value, session))), 1)
        case let other:
            guard let n = other.number, let whole = Int32(exactly: n) else { return nil }
            return (.int(.loaded([whole])), 1)
        }
    }

    private static func empty(_ type: ValueType) -> PrimvarValues {
        switch type.components {
        case 2: .float2(.init())
        case 3: .float3(.init())
        case 4: .float4(.init())
        default:
            switch type.scalar {
            case .string, .token: .string(.init())
            case .int, .uint, .int64, .uint64, .bool, .uchar: .int(.init())
            default: .float(.init())
            }
        }
    }

    /// Hands constant primvars down: a constant one replaces one from above, any other ends it. Gives gprims what they
    /// inherit, nearest first.
    func handDownPrimvars(_ i: Int, _ facts: PrimFacts, _ node: inout Node) throws(AssetError) {
        let parent = Int(visits[i].parent)
        let above = parent < 0 ? 0 : primvarLists[parent]
        if above == 0, facts.primvars.isEmpty { return }
        if facts.type.isGprim, above > 0 {
            node.inheritedPrimvars = inheritable[Int(above)].reversed().compactMap { inherited in
                facts.primvars.contains { $0.name == inherited.name } || inherited.primvar.name.hasPrefix("skel:") ? nil : inherited.primvar
            }
        }
        // Shapes have no mesh that could hold their own.
        if case .implicit = facts.content, !facts.primvars.isEmpty {
            let own = facts.primvars.filter { !$0.primvar.name.hasPrefix("skel:") }.map(\.primvar)
            node.inheritedPrimvars = own + node.inheritedPrimvars
        }
        primvarLists[i] = above
        // Most gprims have no children: a list is only made where someone inherits it.
        guard !facts.primvars.isEmpty, i + 1 < visits.count, visits[i + 1].parent == Int32(i) else { return }
        var list = inheritable[Int(above)]
        var changed = false
        for own in facts.primvars {
            let isConstant = own.primvar.interpolation == .constant
            if let k = list.firstIndex(where: { $0.name == own.name }) {
                list.remove(at: k)
                changed = true
            }
            if isConstant {
                list.append(own)
                changed = true
            }
        }
        guard changed else { return }
        if list.isEmpty {
            primvarLists[i] = 0
        } else {
            primvarLists[i] = Int32(inheritable.count)
            inheritable.append(list)
        }
    }
}
