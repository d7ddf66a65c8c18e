import AssetModel

/// Values that need nothing but to be picked up: the strongest opinion is a default, unmoved by layer offsets, with no
/// samples, splines or clips before it. Most values of most scenes are; they are read without being made whole.
extension Stage {
    enum Plain {
        /// No opinion has a value, or the strongest blocks it.
        case none
        /// The field, and its layer.
        case field(PackedField, LayerIndex)
        /// Components that are kept in memory.
        case array(USDArray)
        /// Anything else: `value` knows.
        case other
    }

    private static func isPlain(_ array: USDArray) -> Bool {
        switch array.type {
        case .int, .float, .float2, .float3, .float4: true
        default: false
        }
    }

    /// The strongest value of an attribute, where it is plain. `time` only says whether animation counts.
    func plain(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) -> Plain {
        let animated = time != .default
        let h = holder(prim)
        let record = prims[h]
        if animated, record.flags.contains(.hasClips) { return .other }
        let start = Int(record.opinionStart)
        for k in start..<(start + Int(record.opinionCount)) {
            let o = opinions[k]
            let view = cache.views[Int(o.layer)]
            let spec = property(o, view, attribute)
            if spec < 0 { continue }
            let fields = view.specs[Int(spec)].fields
            var found = -1
            for f in Int(fields.lowerBound)..<Int(fields.upperBound) {
                switch view.fields[f].name {
                case .default: found = f
                case .timeSamples, .spline: if animated { return .other }
                default: break
                }
            }
            if found < 0 { continue }
            let field = view.fields[found]
            switch field.form {
            case .block: return .none
            case .animationBlock: return .other
            case .timeCode, .duration: return .other
            case .other:
                // Short arrays of numbers that hold no times.
                if case .array(let a) = cache.layers[Int(o.layer)].store.values[Int(field.payload)], Self.isPlain(a) { return .array(a) }
                return .other
            // A source says of its fields whether they hold times or what is evaluated, in `type`.
            case .source where field.type == .timeCode || field.type == .asset: return .other
            default: return .field(field, o.layer)
            }
        }
        return .none
    }

    /// The value of a plain field.
    @inline(__always)
    func value(_ field: PackedField, _ layer: LayerIndex) -> USDValue { cache.layers[Int(layer)].store.value(field) }

    enum PlainKey {
        case none
        /// Equal for values that are the same by construction: layers keep many equal lists once.
        case key(ValueKey)
        case other
    }

    struct ValueKey: Hashable {
        var layer: LayerIndex
        var isOther: Bool
        var payload: UInt64
    }

    /// What tells the value of an attribute from others without reading it.
    func plainKey(_ prim: StagePrim, _ attribute: Token) -> PlainKey {
        let record = prims[holder(prim)]
        let start = Int(record.opinionStart)
        for k in start..<(start + Int(record.opinionCount)) {
            let view = cache.views[Int(opinions[k].layer)]
            let spec = property(opinions[k], view, attribute)
            if spec < 0 { continue }
            let f = view.find(spec, .default)
            if f < 0 { continue }
            return Self.key(view.fields[f], opinions[k].layer)
        }
        return .none
    }

    /// What tells the list ops of a field from others, where a single opinion has it.
    func plainMetadataKey(_ prim: StagePrim, _ name: Token) -> PlainKey {
        let record = prims[holder(prim)]
        let start = Int(record.opinionStart)
        var result = PlainKey.none
        for k in start..<(start + Int(record.opinionCount)) {
            let view = cache.views[Int(opinions[k].layer)]
            let f = view.find(opinions[k].spec, name)
            if f < 0 { continue }
            if case .none = result {} else { return .other }
            result = Self.key(view.fields[f], opinions[k].layer)
        }
        return result
    }

    private static func key(_ field: PackedField, _ layer: LayerIndex) -> PlainKey {
        switch field.form {
        case .source, .other: .key(ValueKey(layer: layer, isOther: field.form == .other, payload: field.payload))
        default: .other
        }
    }

    // MARK: Typed reads

    /// The value of an attribute that holds a token; nil where it has none or one of another type.
    func token(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) throws(AssetError) -> Token? {
        switch plain(prim, attribute, at: time) {
        case .none: return nil
        case .field(let f, _) where f.form == .token: return f.token
        default: return try value(prim, attribute, at: time)?.resolved().tokenValue
        }
    }

    /// The value of an attribute as numbers: a scalar is one, a vector, quaternion (i, j, k, real) or matrix its components.
    /// Returns nil, leaving `numbers` as it is, where there is no value; a value of another kind is of type `.opaque`.
    func numbers(_ prim: StagePrim, _ attribute: Token, at time: EvalTime, _ numbers: inout SixteenNumbers) throws(AssetError) -> ValueType? {
        if case .none = plain(prim, attribute, at: time) { return nil }
        if let type = plainNumbers(prim, attribute, at: time, &numbers) { return type }
        guard let value = try value(prim, attribute, at: time)?.resolved() else { return nil }
        switch value {
        case .tuple(let type, let c) where c.count <= 16:
            for (i, x) in c.enumerated() { numbers[i] = x }
            return type
        case .double(let v):
            numbers[0] = v
            return .double
        case .float(let v):
            numbers[0] = Double(v)
            return .float
        case .half(let bits):
            numbers[0] = Double(Half.float(bits))
            return .half
        default: return .opaque
        }
    }

    /// The same for plain values alone; nil where `numbers` is to be asked. With a time, the value is then the same at all times.
    func plainNumbers(_ prim: StagePrim, _ attribute: Token, at time: EvalTime, _ numbers: inout SixteenNumbers) -> ValueType? {
        guard case .field(let f, let layer) = plain(prim, attribute, at: time) else { return nil }
        switch f.form {
        case .tuple:
            let from = cache.views[Int(layer)].numbers + Int(f.payload)
            for i in 0..<f.type.components { numbers[i] = from[i] }
            return f.type
        case .source: return cache.layers[Int(layer)].store.source?.numbers(f.payload, &numbers)
        default: return nil
        }
    }

    /// An array where it lies in a file and nothing stands between: the source of the layer's values and what names it there;
    /// or its components, where they are in memory.
    private enum Stored {
        case source(any FieldSource, UInt64)
        case array(USDArray)
    }

    @inline(__always)
    private func stored(_ prim: StagePrim, _ attribute: Token, _ time: EvalTime) -> Stored? {
        switch plain(prim, attribute, at: time) {
        case .field(let f, let layer) where f.form == .source: cache.layers[Int(layer)].store.source.map { .source($0, f.payload) }
        case .array(let a): .array(a)
        default: nil
        }
    }

    /// The vectors of an array in memory, where it has the type.
    private func vectors<V: BitwiseCopyable & Sendable>(_ array: USDArray, _ type: ValueType) -> DeferredArray<V>? {
        guard array.type == type, case .float(let components) = array.storage else { return nil }
        return .deferred(PackedArray<Float, V>(components))
    }

    // These return nil where `value` is to be asked.

    func plainInts(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) throws(AssetError) -> DeferredArray<Int32>? {
        switch stored(prim, attribute, time) {
        case .source(let source, let bits)?: return try source.int32s(bits)
        case .array(let a)?: if a.type == .int, case .int(let v) = a.storage { return .loaded(v) }
        case nil: break
        }
        return nil
    }

    func plainFloats(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) throws(AssetError) -> DeferredArray<Float>? {
        switch stored(prim, attribute, time) {
        case .source(let source, let bits)?: return try source.floats(bits)
        case .array(let a)?: if a.type == .float, case .float(let v) = a.storage { return .loaded(v) }
        case nil: break
        }
        return nil
    }

    func plainVectors2(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) throws(AssetError) -> DeferredArray<Vector2f>? {
        switch stored(prim, attribute, time) {
        case .source(let source, let bits)?: try source.vectors2(bits)
        case .array(let a)?: vectors(a, .float2)
        case nil: nil
        }
    }

    func plainVectors3(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) throws(AssetError) -> DeferredArray<Vector3f>? {
        switch stored(prim, attribute, time) {
        case .source(let source, let bits)?: try source.vectors3(bits)
        case .array(let a)?: vectors(a, .float3)
        case nil: nil
        }
    }

    func plainVectors4(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) throws(AssetError) -> DeferredArray<Vector4f>? {
        switch stored(prim, attribute, time) {
        case .source(let source, let bits)?: try source.vectors4(bits)
        case .array(let a)?: vectors(a, .float4)
        case nil: nil
        }
    }

    // MARK: Metadata

    /// Whether any opinion about a prim has a field. Costs little; most prims have few fields.
    func hasField(_ prim: StagePrim, _ name: Token) -> Bool {
        let record = prims[holder(prim)]
        let start = Int(record.opinionStart)
        for k in start..<(start + Int(record.opinionCount)) where cache.views[Int(opinions[k].layer)].find(opinions[k].spec, name) >= 0 {
            return true
        }
        return false
    }

    /// A token of a property's metadata (`interpolation`, `typeName`), by the strongest opinion.
    func token(_ prim: StagePrim, _ property: Token, metadata name: Token) -> Token? {
        let record = prims[holder(prim)]
        let start = Int(record.opinionStart)
        for k in start..<(start + Int(record.opinionCount)) {
            let view = cache.views[Int(opinions[k].layer)]
            let spec = self.property(opinions[k], view, property)
            if spec < 0 { continue }
            let f = view.find(spec, name)
            if f < 0 { continue }
            if let token = view.fields[f].token { return token }
            return metadata(prim, property, name)?.text(session).map { session.token($0) }
        }
        return nil
    }
}

/// Room for the components of any value but an array.
struct SixteenNumbers {
    private var storage: (SIMD8<Double>, SIMD8<Double>) = (.zero, .zero)

    init() {}

    /// Further numbers than sixteen are left out.
    init(_ numbers: [Double]) {
        for (i, n) in numbers.prefix(16).enumerated() { self[i] = n }
    }

    subscript(i: Int) -> Double {
        @inline(__always) get { i < 8 ? storage.0[i] : storage.1[i - 8] }
        @inline(__always) set { if i < 8 { storage.0[i] = newValue } else { storage.1[i - 8] = newValue } }
    }

    var matrix: Matrix4d { Matrix4d(storage.0.lowHalf, storage.0.highHalf, storage.1.lowHalf, storage.1.highHalf) }
}
