/// How many values a primvar has over a mesh or curve: one; one a face or curve; one a segment end; one a point;
/// one a face corner. Raw values are USD's words.
public enum Interpolation: String, Sendable, Hashable, CaseIterable {
    case constant, uniform, varying, vertex, faceVarying
}

/// What a primvar's values mean.
public enum PrimvarRole: String, Sendable, Hashable {
    case none, textureCoordinate, color, normal, vector, point
}

/// Flat, typed values.
public enum PrimvarValues: Sendable {
    case float(DeferredArray<Float>)
    case float2(DeferredArray<Vector2f>)
    case float3(DeferredArray<Vector3f>)
    case float4(DeferredArray<Vector4f>)
    case double(DeferredArray<Double>)
    case int(DeferredArray<Int32>)
    case string(DeferredArray<String>)

    public var count: Int {
        switch self {
        case .float(let a): a.count
        case .float2(let a): a.count
        case .float3(let a): a.count
        case .float4(let a): a.count
        case .double(let a): a.count
        case .int(let a): a.count
        case .string(let a): a.count
        }
    }
}

/// Data that varies over a mesh or curve. glTF's TEXCOORD_0 is called "st", COLOR_0 "displayColor".
public struct Primvar: Sendable {
    public var name: String
    public var role: PrimvarRole
    public var interpolation: Interpolation
    /// Values an element: 1, or the length of one element's array.
    public var elementSize: Int
    public var values: PrimvarValues
    /// Where present, element `i` is `values[indices[i]]`.
    public var indices: DeferredArray<Int32>?
    /// The value that stands for none, where some elements have no value (USD's `unauthoredValuesIndex`): corners of an OBJ
    /// without texture coordinates.
    public var unauthoredValuesIndex: Int32?

    public init(
        name: String, role: PrimvarRole = .none, interpolation: Interpolation, elementSize: Int = 1, values: PrimvarValues,
        indices: DeferredArray<Int32>? = nil
    ) {
        self.name = name
        self.role = role
        self.interpolation = interpolation
        self.elementSize = elementSize
        self.values = values
        self.indices = indices
    }
}
