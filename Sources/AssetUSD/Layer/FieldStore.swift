import AssetIO
import AssetModel

/// A source of values that a layer's fields name by 64 bits: the file the layer came from.
protocol FieldSource: DeferredValueSource {
    /// The value of a field: decoded where the bits hold it, `.deferred` where it lies in the file or is damaged.
    func fieldValue(_ bits: UInt64) -> USDValue
    /// The components of a vector, quaternion or matrix, or a single number; nil for any other value and for damaged ones.
    func numbers(_ bits: UInt64, _ numbers: inout SixteenNumbers) -> ValueType?
    /// Arrays of one layout as `deferredArray` gives them: without asking for the layout at run time, which takes longer than
    /// all else of finding a short array.
    func int32s(_ bits: UInt64) throws(AssetError) -> DeferredArray<Int32>?
    func floats(_ bits: UInt64) throws(AssetError) -> DeferredArray<Float>?
    func vectors2(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector2f>?
    func vectors3(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector3f>?
    func vectors4(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector4f>?
    /// The path of a list op that prepends or sets exactly one; nil for any other value.
    func singlePath(_ bits: UInt64) -> Path?
}

/// A field as a layer keeps it: sixteen bytes without references, because a layer of many prims has millions of them.
struct PackedField {
    enum Form: UInt8 {
        case bool, uchar, int, uint, int64, uint64, half, float, double, timeCode, duration, token, specifier, variability, permission
        case block, animationBlock
        /// An explicit list of one path: the targets of nearly all relationships and connections.
        case path
        /// `payload` is where the components stand in the store's numbers.
        case tuple
        /// `payload` is what the store's source understands.
        case source
        /// `payload` is where the value stands in the store's values.
        case other
    }

    var name: Token
    var form: Form
    /// Of tuples; of values of the source `.timeCode` where they hold times, which layer offsets move, and `.asset` where they
    /// hold asset paths or path expressions, which are seen from where they are.
    var type: ValueType
    var payload: UInt64

    init(_ name: Token, _ form: Form, _ payload: UInt64, type: ValueType = .opaque) {
        self.name = name
        self.form = form
        self.payload = payload
        self.type = type
    }

    /// An explicit list of one path.
    init(_ name: Token, path: Path) { self.init(name, .path, UInt64(UInt32(bitPattern: path.id))) }

    var token: Token? { form == .token ? Token(id: Int32(truncatingIfNeeded: payload)) : nil }
    var bool: Bool? { form == .bool ? payload != 0 : nil }
    var specifier: Specifier? { form == .specifier ? Specifier(rawValue: UInt8(truncatingIfNeeded: payload)) : nil }
    /// Whether the value is a block of either kind.
    var isBlock: Bool { form == .block || form == .animationBlock }
}

/// The fields of a layer, packed.
struct FieldStore {
    private(set) var packed: ContiguousArray<PackedField> = []
    private(set) var numbers: ContiguousArray<Double> = []
    private(set) var values: ContiguousArray<USDValue> = []
    var source: (any FieldSource)?
    /// Short lists of tokens that many prims have alike (`xformOpOrder`, `apiSchemas`): kept once.
    private var lists: [TokenListKey: UInt64] = [:]

    /// The same for references and payloads to one prim.
    private var arcs: [ArcKey: UInt64] = [:]

    private struct ArcKey: Hashable {
        var isPayload: Bool
        var isExplicit: Bool
        var asset: String
        var path: Path
        var offset: LayerOffset
    }

    private struct TokenListKey: Hashable {
        var isListOp: Bool
        var isExplicit: Bool
        var tokens: [Token]
    }

    init() {}
    init(_ packed: ContiguousArray<PackedField>, values: ContiguousArray<USDValue> = [], source: any FieldSource) {
        self.packed = packed
        self.values = values
        self.source = source
    }

    var count: Int { packed.count }

    mutating func reserve(_ n: Int) {
        packed.reserveCapacity(n)
        HugePages.advise(&packed)
    }

    /// Makes room for so many times the numbers there are.
    mutating func makeRoom(_ share: Double) {
        numbers.reserveCapacity(Int(Double(numbers.count) * share))
        HugePages.advise(&numbers)
    }

    mutating func append(_ name: Token, _ value: USDValue) { packed.append(pack(name, value)) }
    mutating func pack(_ name: Token, _ type: ValueType, _ components: SixteenNumbers) -> PackedField {
        let start = numbers.count
        for i in 0..<type.components { numbers.append(components[i]) }
        return PackedField(name, .tuple, UInt64(start), type: type)
    }
    mutating func append(_ field: PackedField) { packed.append(field) }
    mutating func put(_ i: Int, _ field: PackedField) { packed[i] = field }
    mutating func put(_ i: Int, _ name: Token, _ value: USDValue) { packed[i] = pack(name, value) }
    mutating func set(_ i: Int, _ value: USDValue) { packed[i] = pack(packed[i].name, value) }

    func value(_ i: Int) -> USDValue { value(packed[i]) }

    private mutating func pack(_ name: Token, _ value: USDValue) -> PackedField {
        switch value {
        case .bool(let b): return PackedField(name, .bool, b ? 1 : 0)
        case .uchar(let v): return PackedField(name, .uchar, UInt64(v))
        case .int(let v): return PackedField(name, .int, UInt64(UInt32(bitPattern: v)))
        case .uint(let v): return PackedField(name, .uint, UInt64(v))
        case .int64(let v): return PackedField(name, .int64, UInt64(bitPattern: v))
        case .uint64(let v): return PackedField(name, .uint64, v)
        case .half(let v): return PackedField(name, .half, UInt64(v))
        case .float(let v): return PackedField(name, .float, UInt64(v.bitPattern))
        case .double(let v): return PackedField(name, .double, v.bitPattern)
        case .timeCode(let v): return PackedField(name, .timeCode, v.bitPattern)
        case .duration(let v): return PackedField(name, .duration, v.bitPattern)
        case .token(let t): return PackedField(name, .token, UInt64(UInt32(bitPattern: t.id)))
        case .specifier(let s): return PackedField(name, .specifier, UInt64(s.rawValue))
        case .variability(let v): return PackedField(name, .variability, UInt64(v.rawValue))
        case .permission(let p): return PackedField(name, .permission, UInt64(p.rawValue))
        case .block: return PackedField(name, .block, 0)
        case .animationBlock: return PackedField(name, .animationBlock, 0)
        case .tuple(let type, let c) where c.count == type.components:
            let start = numbers.count
            numbers.append(contentsOf: c)
            return PackedField(name, .tuple, UInt64(start), type: type)
        case .pathListOp(let op) where op.isExplicit && op.explicit.count == 1:
            return PackedField(name, path: op.explicit[0])
        case .deferred(let s, let bits) where s === source:
            return PackedField(name, .source, bits)
        case .array(let a):
            if a.type == .token, case .token(let tokens) = a.storage, tokens.count <= 16 {
                return PackedField(name, .other, list(TokenListKey(isListOp: false, isExplicit: true, tokens: tokens), value))
            }
            return other(name, value)
        case .tokenListOp(let op) where op.appended.isEmpty && op.deleted.isEmpty && op.added.isEmpty && op.ordered.isEmpty:
            let tokens = op.isExplicit ? op.explicit : op.prepended
            guard tokens.count <= 16, op.isExplicit ? op.prepended.isEmpty : op.explicit.isEmpty else { return other(name, value) }
            return PackedField(name, .other, list(TokenListKey(isListOp: true, isExplicit: op.isExplicit, tokens: tokens), value))
        case .referenceListOp(let op), .payloadListOp(let op):
            var isPayload = false
            if case .payloadListOp = value { isPayload = true }
            guard op.isExplicit == op.prepended.isEmpty, op.explicit.count + op.prepended.count == 1, op.added.isEmpty, op.appended.isEmpty,
                op.deleted.isEmpty, op.ordered.isEmpty, let only = op.explicit.first ?? op.prepended.first, only.customData.isEmpty
            else { return other(name, value) }
            let key = ArcKey(
                isPayload: isPayload, isExplicit: op.isExplicit, asset: only.assetPath, path: only.primPath, offset: only.layerOffset)
            if let known = arcs[key] { return PackedField(name, .other, known) }
            values.append(value)
            arcs[key] = UInt64(values.count - 1)
            return PackedField(name, .other, UInt64(values.count - 1))
        default: return other(name, value)
        }
    }

    private mutating func other(_ name: Token, _ value: USDValue) -> PackedField {
        values.append(value)
        return PackedField(name, .other, UInt64(values.count - 1))
    }

    private mutating func list(_ key: TokenListKey, _ value: USDValue) -> UInt64 {
        if let known = lists[key] { return known }
        values.append(value)
        lists[key] = UInt64(values.count - 1)
        return UInt64(values.count - 1)
    }

    func value(_ f: PackedField) -> USDValue {
        let bits = f.payload
        switch f.form {
        case .bool: return .bool(bits != 0)
        case .uchar: return .uchar(UInt8(truncatingIfNeeded: bits))
        case .int: return .int(Int32(truncatingIfNeeded: bits))
        case .uint: return .uint(UInt32(truncatingIfNeeded: bits))
        case .int64: return .int64(Int64(bitPattern: bits))
        case .uint64: return .uint64(bits)
        case .half: return .half(UInt16(truncatingIfNeeded: bits))
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case .double: return .double(Double(bitPattern: bits))
        case .timeCode: return .timeCode(Double(bitPattern: bits))
        case .duration: return .duration(Double(bitPattern: bits))
        case .token: return .token(Token(id: Int32(truncatingIfNeeded: bits)))
        case .specifier: return .specifier(Specifier(rawValue: UInt8(truncatingIfNeeded: bits)) ?? .over)
        case .variability: return .variability(Variability(rawValue: UInt8(truncatingIfNeeded: bits)) ?? .varying)
        case .permission: return .permission(Permission(rawValue: UInt8(truncatingIfNeeded: bits)) ?? .public)
        case .block: return .block
        case .animationBlock: return .animationBlock
        case .path: return .pathListOp(ListOp(explicit: [Path(id: Int32(truncatingIfNeeded: bits))]))
        case .tuple: return .tuple(f.type, Array(numbers[Int(bits)..<(Int(bits) + f.type.components)]))
        case .source: return source?.fieldValue(bits) ?? .block
        case .other: return values[Int(bits)]
        }
    }
}

/// The fields of a spec or of a whole layer, unpacked one by one when asked for.
public struct FieldList: RandomAccessCollection {
    let store: FieldStore
    public let startIndex: Int
    public let endIndex: Int

    public subscript(i: Int) -> Field {
        precondition(i >= startIndex && i < endIndex)
        let f = store.packed[i]
        return Field(f.name, store.value(f))
    }
}
