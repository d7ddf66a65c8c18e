import AssetModel

/// Packed tuples that only occur in files; the model holds floats.
struct Half2: Sendable { var x, y: UInt16 }
struct Half3: Sendable { var x, y, z: UInt16 }
struct Half4: Sendable { var x, y, z, w: UInt16 }
struct Double2: Sendable { var x, y: Double }
struct Double4: Sendable { var x, y, z, w: Double }
struct Int2: Sendable { var x, y: Int32 }
struct Int3: Sendable { var x, y, z: Int32 }
struct Int4: Sendable { var x, y, z, w: Int32 }

/// Elements seen in an array of their components, without a copy until one is asked for.
struct PackedArray<Component: BitwiseCopyable & Sendable, Element: BitwiseCopyable & Sendable>: DeferredArraySource {
    let components: [Component]
    let count: Int

    init(_ components: [Component]) {
        self.components = components
        count = components.count / (MemoryLayout<Element>.stride / MemoryLayout<Component>.stride)
    }

    func load() throws(AssetError) -> [Element] {
        let n = count
        return [Element](unsafeUninitializedCapacity: n) { target, written in
            components.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(target).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[0..<(n * MemoryLayout<Element>.stride)]))
            }
            written = n
        }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        components.withUnsafeBytes { raw in
            // The components' alignment is the elements' own: both are made of the same scalar.
            body(UnsafeBufferPointer(start: raw.baseAddress?.assumingMemoryBound(to: Element.self), count: count))
        }
    }
}

/// Elements made from others when they are asked for: halves and doubles where the model holds floats.
struct ConvertedArray<Source: Sendable, Element: Sendable>: DeferredArraySource {
    let source: DeferredArray<Source>
    let convert: @Sendable (Source) -> Element
    var count: Int { source.count }

    func load() throws(AssetError) -> [Element] {
        var out: [Element] = []
        out.reserveCapacity(count)
        try source.forEachBlock { block in for e in block { out.append(convert(e)) } }
        return out
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        try source.forEachBlock { block in
            let out = block.map(convert)
            out.withUnsafeBufferPointer { body($0) }
        }
    }
}

/// Array values as arrays of the model, still deferred where the file's are.
enum ArrayValues {
    /// Element type and count of an array value; nil for other values.
    static func shape(_ value: USDValue) throws(AssetError) -> (type: ValueType, count: Int)? {
        switch value {
        case .array(let a): (a.type, a.count)
        case .deferred(let source, let rep): try source.arrayShape(rep)
        case .tuple(let type, _): (type, 1)
        case .tokens(let t): (.token, t.count)
        default: nil
        }
    }

    private static func packed<C: BitwiseCopyable & Sendable, E: BitwiseCopyable & Sendable>(_ components: [C], _: E.Type) -> DeferredArray<
        E
    > {
        .deferred(PackedArray<C, E>(components))
    }

    private static func converted<S: Sendable, E: Sendable>(
        _ source: DeferredArray<S>?, _ convert: @escaping @Sendable (S) -> E
    ) -> DeferredArray<E>? {
        source.map { .deferred(ConvertedArray(source: $0, convert: convert)) }
    }

    /// The array as elements of a packed type: from the file where it is deferred, seen in place where it is in memory.
    private static func raw<C: BitwiseCopyable & Sendable, E: BitwiseCopyable & Sendable>(
        _ value: USDValue, _ pick: (ArrayStorage) -> [C]?, _: E.Type
    ) throws(AssetError) -> DeferredArray<E>? {
        switch value {
        case .array(let a): return pick(a.storage).map { packed($0, E.self) }
        case .deferred(let source, let rep):
            if let array = try source.deferredArray(rep, as: E.self) { return array }
            let decoded = try source.decode(rep)
            guard case .array(let a) = decoded else { return nil }
            return pick(a.storage).map { packed($0, E.self) }
        default: return nil
        }
    }

    private static func floatsOf(_ s: ArrayStorage) -> [Float]? { if case .float(let v) = s { v } else { nil } }
    private static func doublesOf(_ s: ArrayStorage) -> [Double]? { if case .double(let v) = s { v } else { nil } }
    private static func halvesOf(_ s: ArrayStorage) -> [UInt16]? { if case .half(let v) = s { v } else { nil } }
    private static func intsOf(_ s: ArrayStorage) -> [Int32]? { if case .int(let v) = s { v } else { nil } }
    private static func uintsOf(_ s: ArrayStorage) -> [UInt32]? { if case .uint(let v) = s { v } else { nil } }
    private static func int64sOf(_ s: ArrayStorage) -> [Int64]? { if case .int64(let v) = s { v } else { nil } }
    private static func uint64sOf(_ s: ArrayStorage) -> [UInt64]? { if case .uint64(let v) = s { v } else { nil } }
    private static func bytesOf(_ s: ArrayStorage) -> [UInt8]? { if case .bytes(let v) = s { v } else { nil } }

    private static func clamped<I: BinaryInteger>(_ v: I) -> Int32 { Int32(clamping: v) }

    /// Integers of any width as 32 bits (clamped); nil for other values.
    static func ints(_ value: USDValue?) throws(AssetError) -> DeferredArray<Int32>? {
        guard let value, let shape = try shape(value) else { return try single(value).map { .loaded([Int32(clamping: Int64($0))]) } }
        switch shape.type {
        case .int:
            if case .array(let a) = value, case .int(let v) = a.storage { return .loaded(v) }
            return try raw(value, intsOf, Int32.self)
        case .uint: return converted(try raw(value, uintsOf, UInt32.self)) { clamped($0) }
        case .int64: return converted(try raw(value, int64sOf, Int64.self)) { clamped($0) }
        case .uint64: return converted(try raw(value, uint64sOf, UInt64.self)) { clamped($0) }
        case .bool, .uchar: return converted(try raw(value, bytesOf, UInt8.self)) { Int32($0) }
        default: return nil
        }
    }

    /// 64-bit integers; nil for other values.
    static func int64s(_ value: USDValue?) throws(AssetError) -> [Int64] {
        guard let value else { return [] }
        let resolved = try value.resolved()
        return resolved.integerList
    }

    private static func single(_ value: USDValue?) throws(AssetError) -> Double? {
        guard let value else { return nil }
        let n = try value.resolved().number
        return n.flatMap { $0.isFinite && abs($0) < 9e18 ? $0 : nil }
    }

    static func floats(_ value: USDValue?) throws(AssetError) -> DeferredArray<Float>? {
        guard let value, let shape = try shape(value) else { return try value?.resolved().number.map { .loaded([Float($0)]) } }
        switch shape.type {
        case .float:
            if case .array(let a) = value, case .float(let v) = a.storage { return .loaded(v) }
            return try raw(value, floatsOf, Float.self)
        case .double, .timeCode: return converted(try raw(value, doublesOf, Double.self)) { Float($0) }
        case .half: return converted(try raw(value, halvesOf, UInt16.self)) { Half.float($0) }
        default: return nil
        }
    }

    static func doubles(_ value: USDValue?) throws(AssetError) -> DeferredArray<Double>? {
        guard let value, let shape = try shape(value) else { return try value?.resolved().number.map { .loaded([$0]) } }
        switch shape.type {
        case .double, .timeCode:
            if case .array(let a) = value, case .double(let v) = a.storage { return .loaded(v) }
            return try raw(value, doublesOf, Double.self)
        case .float: return converted(try raw(value, floatsOf, Float.self)) { Double($0) }
        case .half: return converted(try raw(value, halvesOf, UInt16.self)) { Double(Half.float($0)) }
        default: return nil
        }
    }

    static func vectors2(_ value: USDValue?) throws(AssetError) -> DeferredArray<Vector2f>? {
        guard let value, let shape = try shape(value) else { return nil }
        if case .tuple(_, let c) = value, c.count == 2 { return .loaded([Vector2f(Float(c[0]), Float(c[1]))]) }
        switch shape.type {
        case .float2: return try raw(value, floatsOf, Vector2f.self)
        case .double2: return converted(try raw(value, doublesOf, Double2.self)) { Vector2f(Float($0.x), Float($0.y)) }
        case .half2: return converted(try raw(value, halvesOf, Half2.self)) { Vector2f(Half.float($0.x), Half.float($0.y)) }
        case .int2: return converted(try raw(value, intsOf, Int2.self)) { Vector2f(Float($0.x), Float($0.y)) }
        default: return nil
        }
    }

    static func vectors3(_ value: USDValue?) throws(AssetError) -> DeferredArray<Vector3f>? {
        guard let value, let shape = try shape(value) else { return nil }
        if case .tuple(_, let c) = value, c.count == 3 { return .loaded([Vector3f(Float(c[0]), Float(c[1]), Float(c[2]))]) }
        switch shape.type {
        case .float3: return try raw(value, floatsOf, Vector3f.self)
        case .double3: return converted(try raw(value, doublesOf, Vector3d.self)) { Vector3f(Float($0.x), Float($0.y), Float($0.z)) }
        case .half3:
            return converted(try raw(value, halvesOf, Half3.self)) { Vector3f(Half.float($0.x), Half.float($0.y), Half.float($0.z)) }
        case .int3: return converted(try raw(value, intsOf, Int3.self)) { Vector3f(Float($0.x), Float($0.y), Float($0.z)) }
        default: return nil
        }
    }

    static func vectors4(_ value: USDValue?) throws(AssetError) -> DeferredArray<Vector4f>? {
        guard let value, let shape = try shape(value) else { return nil }
        if case .tuple(_, let c) = value, c.count == 4 {
            return .loaded([Vector4f(Float(c[0]), Float(c[1]), Float(c[2]), Float(c[3]))])
        }
        switch shape.type {
        case .float4, .quatf: return try raw(value, floatsOf, Vector4f.self)
        case .double4, .quatd:
            return converted(try raw(value, doublesOf, Double4.self)) { Vector4f(Float($0.x), Float($0.y), Float($0.z), Float($0.w)) }
        case .half4, .quath:
            return converted(try raw(value, halvesOf, Half4.self)) {
                Vector4f(Half.float($0.x), Half.float($0.y), Half.float($0.z), Half.float($0.w))
            }
        case .int4:
            return converted(try raw(value, intsOf, Int4.self)) { Vector4f(Float($0.x), Float($0.y), Float($0.z), Float($0.w)) }
        default: return nil
        }
    }

    /// Quaternions; the file's order (i, j, k, real) is the model's.
    static func quaternions(_ value: USDValue?) throws(AssetError) -> [Quaternionf]? {
        guard let value, let shape = try shape(value), [.quatf, .quath, .quatd].contains(shape.type) else { return nil }
        guard let packed = try vectors4(value) else { return nil }
        return try packed.load().map { Quaternionf(x: $0.x, y: $0.y, z: $0.z, w: $0.w) }
    }

    /// Points: doubles stay doubles.
    static func points(_ value: USDValue?) throws(AssetError) -> PointArray? {
        guard let value, let shape = try shape(value) else { return nil }
        if shape.type == .double3, let array = try raw(value, doublesOf, Point3d.self) { return .double(array) }
        return try vectors3(value).map { .float($0) }
    }

    static func matrices(_ value: USDValue?) throws(AssetError) -> [Matrix4d] {
        guard let value else { return [] }
        let resolved = try value.resolved()
        if case .tuple(.matrix4d, let c) = resolved { return Matrix4d(c).map { [$0] } ?? [] }
        guard case .array(let a) = resolved, a.type == .matrix4d, case .double(let v) = a.storage else { return [] }
        return (0..<(v.count / 16)).compactMap { Matrix4d(Array(v[($0 * 16)..<($0 * 16 + 16)])) }
    }

    static func strings(_ value: USDValue?, _ session: USDSession) throws(AssetError) -> [String] {
        guard let value else { return [] }
        let resolved = try value.resolved()
        switch resolved {
        case .array(let a):
            switch a.storage {
            case .token(let t): return t.map { session.string($0) }
            case .string(let s): return s
            default: return []
            }
        case .tokens(let t): return t.map { session.string($0) }
        case .strings(let s): return s
        default: return resolved.text(session).map { [$0] } ?? []
        }
    }
}
