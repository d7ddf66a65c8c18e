public import AssetModel

/// Flat components of an array value; a `float3[]` of n elements has 3n floats. Booleans are bytes 0 and 1, halves
/// their bits, asset paths and path expressions strings.
public enum ArrayStorage: Sendable {
    case bytes([UInt8])
    case int([Int32])
    case uint([UInt32])
    case int64([Int64])
    case uint64([UInt64])
    case half([UInt16])
    case float([Float])
    case double([Double])
    case token([Token])
    case string([String])

    public var count: Int {
        switch self {
        case .bytes(let a): a.count
        case .int(let a): a.count
        case .uint(let a): a.count
        case .int64(let a): a.count
        case .uint64(let a): a.count
        case .half(let a): a.count
        case .float(let a): a.count
        case .double(let a): a.count
        case .token(let a): a.count
        case .string(let a): a.count
        }
    }
}

/// An array value in memory.
public struct USDArray: Sendable {
    public var type: ValueType
    public var storage: ArrayStorage

    public init(_ type: ValueType, _ storage: ArrayStorage) {
        self.type = type
        self.storage = storage
    }

    /// Number of elements.
    public var count: Int { storage.count / type.components }
}

/// A value that stays in its file until it is asked for (crate arrays, dictionaries, time samples).
public protocol DeferredValueSource: AnyObject {
    /// The whole value. Throws where the bytes are damaged.
    func decode(_ representation: UInt64) throws(AssetError) -> USDValue
    /// Element type and count of an array value without decoding it; nil for other values.
    func arrayShape(_ representation: UInt64) throws(AssetError) -> (type: ValueType, count: Int)?
    /// The array as a source that outlives the session and can be read from any thread; nil for arrays that are not
    /// numeric. `T` must be the component layout of the array (`Vector3f` for `float3[]`, `Int32` for `int[]`).
    func deferredArray<T: Sendable>(_ representation: UInt64, as type: T.Type) throws(AssetError) -> DeferredArray<T>?
}

/// Offsets and scale that an arc applies to time.
public struct LayerOffset: Hashable, Sendable {
    public var offset: Double
    public var scale: Double
    public init(offset: Double = 0, scale: Double = 1) {
        self.offset = offset
        self.scale = scale
    }
    public static let identity = LayerOffset()
    public var isIdentity: Bool { offset == 0 && scale == 1 }
    /// Inner time to outer time: `scale * t + offset`.
    public func apply(_ t: Double) -> Double { t * scale + offset }
    /// The offset that applies `inner` first, then this one.
    public func concatenating(inner: LayerOffset) -> LayerOffset {
        LayerOffset(offset: scale * inner.offset + offset, scale: scale * inner.scale)
    }
}

/// A reference or payload.
public struct Reference {
    /// Empty: the same layer stack.
    public var assetPath: String
    /// `.empty`: the default prim.
    public var primPath: Path
    public var layerOffset: LayerOffset
    /// References only.
    public var customData: USDDictionary
    public init(
        assetPath: String, primPath: Path = .empty, layerOffset: LayerOffset = .identity, customData: USDDictionary = USDDictionary()
    ) {
        self.assetPath = assetPath
        self.primPath = primPath
        self.layerOffset = layerOffset
        self.customData = customData
    }
}

/// Edits to a list, as layers hold them.
public struct ListOp<Item> {
    public var isExplicit = false
    public var explicit: [Item] = []
    public var prepended: [Item] = []
    public var appended: [Item] = []
    public var deleted: [Item] = []
    /// The old `add`.
    public var added: [Item] = []
    /// `reorder`.
    public var ordered: [Item] = []
    public init() {}
    public init(explicit: [Item]) {
        isExplicit = true
        self.explicit = explicit
    }
}

extension ListOp: Sendable where Item: Sendable {}

/// Keys and values; keys are paths through nested dictionaries nowhere, always plain. Kept in file order.
public struct USDDictionary {
    public var entries: [(key: String, value: USDValue)] = []
    public init() {}
    public subscript(key: String) -> USDValue? { entries.first { $0.key.utf8.elementsEqual(key.utf8) }?.value }
    public var isEmpty: Bool { entries.isEmpty }
}

/// Time samples: sorted times with a value each (`.block` for none, arrays may be deferred).
public struct TimeSamples {
    public var times: [Double]
    public var values: [USDValue]
    public init(times: [Double] = [], values: [USDValue] = []) {
        self.times = times
        self.values = values
    }
}

/// The value of a field.
public enum USDValue {
    case bool(Bool)
    case uchar(UInt8)
    case int(Int32)
    case uint(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    /// Bits of an IEEE half.
    case half(UInt16)
    case float(Float)
    case double(Double)
    case timeCode(Double)
    case duration(Double)
    case string(String)
    case token(Token)
    /// The path as authored.
    case asset(String)
    case pathExpression(String)
    /// A vector, quaternion or matrix: its components, exact. Quaternions are (i, j, k, real) as crate stores them.
    case tuple(ValueType, [Double])
    indirect case array(USDArray)
    /// A value still in its file.
    case deferred(any DeferredValueSource, UInt64)
    /// `None`: the value is blocked.
    case block
    /// `AnimationBlock`
    case animationBlock
    indirect case dictionary(USDDictionary)
    indirect case timeSamples(TimeSamples)
    case specifier(Specifier)
    case variability(Variability)
    case permission(Permission)
    indirect case tokenListOp(ListOp<Token>)
    indirect case stringListOp(ListOp<String>)
    indirect case pathListOp(ListOp<Path>)
    indirect case referenceListOp(ListOp<Reference>)
    indirect case payloadListOp(ListOp<Reference>)
    indirect case intListOp(ListOp<Int32>)
    indirect case uintListOp(ListOp<UInt32>)
    indirect case int64ListOp(ListOp<Int64>)
    indirect case uint64ListOp(ListOp<UInt64>)
    /// A list op or value of a type nobody registered: its text.
    indirect case unregistered(UnregisteredValue)
    indirect case tokens([Token])
    indirect case strings([String])
    indirect case doubles([Double])
    indirect case paths([Path])
    indirect case layerOffsets([LayerOffset])
    /// variant set → selection
    indirect case variantSelections([(set: Token, variant: Token)])
    /// source → target, for `relocates`
    indirect case relocates([(source: Path, target: Path)])
    indirect case spline(Spline)
    /// Edits to an array value, kept as they are.
    indirect case arrayEdit(ArrayEdit)

    /// The value with a deferred one decoded. Throws where the file is damaged.
    public func resolved() throws(AssetError) -> USDValue {
        if case .deferred(let source, let rep) = self { return try source.decode(rep) }
        return self
    }
}

public enum Specifier: UInt8, Sendable, Hashable { case def, over, `class` }
public enum Variability: UInt8, Sendable, Hashable { case varying, uniform }
public enum Permission: UInt8, Sendable, Hashable { case `public`, `private` }

/// A field that no schema knows: quoted text, a dictionary, or a list op of such.
public enum UnregisteredValue {
    case text(String)
    case dictionary(USDDictionary)
    case listOp(ListOp<USDValue>)
}

/// A spline (TsSpline): knots in time order.
public struct Spline {
    public enum CurveType: UInt8, Sendable { case bezier, hermite }
    public enum Segment: UInt8, Sendable { case valueBlock, held, linear, curve }
    public enum ExtrapolationMode: UInt8, Sendable { case valueBlock, held, linear, sloped, loopRepeat, loopReset, loopOscillate }
    public struct Extrapolation: Sendable {
        public var mode = ExtrapolationMode.held
        public var slope = 0.0
        /// Looping modes: the knot time where the loop ends that is not at the spline's own end (crate 0.15, `loop repeat(3)`).
        public var loopBoundaryTime: Double?
        public init() {}
    }
    public struct Knot {
        public var time = 0.0
        public var value = 0.0
        public var preValue: Double?
        public var next = Segment.held
        public var preTangentWidth = 0.0
        public var preTangentSlope = 0.0
        public var postTangentWidth = 0.0
        public var postTangentSlope = 0.0
        /// How the tangent is computed (crate 0.13): 0 none, 1 `custom`, 2 `autoEase`.
        public var preTangentAlgorithm: UInt8 = 0
        public var postTangentAlgorithm: UInt8 = 0
        /// Hermite curves have no widths; text may say which of value/slope/height was authored.
        public var customData = USDDictionary()
        public init() {}
    }
    public struct InnerLoop: Sendable {
        public var protoStart = 0.0
        public var protoEnd = 0.0
        public var preLoops: Int32 = 0
        public var postLoops: Int32 = 0
        public var valueOffset = 0.0
        public init() {}
    }
    public var valueType: ValueType = .double
    public var curveType = CurveType.bezier
    public var preExtrapolation = Extrapolation()
    public var postExtrapolation = Extrapolation()
    public var innerLoop: InnerLoop?
    public var knots: [Knot] = []
    /// Whether times are time codes that layer offsets move.
    public var isTimeValued = false
    public init() {}
}
