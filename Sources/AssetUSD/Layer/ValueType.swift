/// The types that USD values have. Roles (`color3f`, `point3f`) are names for one of these; see `ValueTypeName`.
public enum ValueType: UInt8, Sendable, Hashable, CaseIterable {
    case bool, uchar, int, uint, int64, uint64, half, float, double, timeCode
    /// A difference of time codes (crate 0.16, `#usda 1.4`): scaled by layer offsets, not shifted.
    case duration
    case string, token, asset, pathExpression
    case int2, int3, int4, half2, half3, half4, float2, float3, float4, double2, double3, double4
    case quath, quatf, quatd
    case matrix2d, matrix3d, matrix4d
    /// A type whose attributes hold no value.
    case opaque, group

    /// What a component is stored as.
    public enum Scalar: UInt8, Sendable, Hashable {
        case bool, uchar, int, uint, int64, uint64, half, float, double, string, token, none
    }

    public var scalar: Scalar {
        switch self {
        case .bool: .bool
        case .uchar: .uchar
        case .int, .int2, .int3, .int4: .int
        case .uint: .uint
        case .int64: .int64
        case .uint64: .uint64
        case .half, .half2, .half3, .half4, .quath: .half
        case .float, .float2, .float3, .float4, .quatf: .float
        case .double, .timeCode, .duration, .double2, .double3, .double4, .quatd, .matrix2d, .matrix3d, .matrix4d: .double
        case .string, .asset, .pathExpression: .string
        case .token: .token
        case .opaque, .group: .none
        }
    }

    /// Components of one value: 3 for `float3`, 16 for `matrix4d`.
    public var components: Int {
        switch self {
        case .int2, .half2, .float2, .double2: 2
        case .int3, .half3, .float3, .double3: 3
        case .int4, .half4, .float4, .double4, .quath, .quatf, .quatd, .matrix2d: 4
        case .matrix3d: 9
        case .matrix4d: 16
        default: 1
        }
    }
}

/// A type name as layers spell it: `point3f[]` is an array of `float3` with the role point.
public struct ValueTypeName: Sendable, Hashable {
    public var type: ValueType
    public var isArray: Bool

    /// Nil for a name that is not a USD value type.
    public init?(_ name: String) {
        var base = Substring(name)
        isArray = base.hasSuffix("[]")
        if isArray { base = base.dropLast(2) }
        guard let t = Self.names[String(base)] else { return nil }
        type = t
    }

    /// Every name, today's and the old ones that still parse.
    static let names: [String: ValueType] = {
        var n: [String: ValueType] = [
            "bool": .bool, "uchar": .uchar, "int": .int, "uint": .uint, "int64": .int64, "uint64": .uint64, "half": .half,
            "float": .float, "double": .double, "timecode": .timeCode, "duration": .duration, "string": .string, "token": .token, "asset": .asset,
            "pathExpression": .pathExpression, "int2": .int2, "int3": .int3, "int4": .int4, "half2": .half2, "half3": .half3,
            "half4": .half4, "float2": .float2, "float3": .float3, "float4": .float4, "double2": .double2,
            "double3": .double3, "double4": .double4, "quath": .quath, "quatf": .quatf, "quatd": .quatd,
            "matrix2d": .matrix2d, "matrix3d": .matrix3d, "matrix4d": .matrix4d, "frame4d": .matrix4d, "opaque": .opaque,
            "group": .group,
            // Names of before 2015 that OpenUSD still reads.
            "Vec2i": .int2, "Vec3i": .int3, "Vec4i": .int4, "Vec2h": .half2, "Vec3h": .half3, "Vec4h": .half4,
            "Vec2f": .float2, "Vec3f": .float3, "Vec4f": .float4, "Vec2d": .double2, "Vec3d": .double3, "Vec4d": .double4,
            "PointFloat": .float3, "Point": .double3, "NormalFloat": .float3, "Normal": .double3, "VectorFloat": .float3,
            "Vector": .double3, "ColorFloat": .float3, "Color": .double3, "Quath": .quath, "Quatf": .quatf, "Quatd": .quatd,
            "Matrix2d": .matrix2d, "Matrix3d": .matrix3d, "Matrix4d": .matrix4d, "Frame": .matrix4d, "Transform": .matrix4d,
            "PointIndex": .int, "EdgeIndex": .int, "FaceIndex": .int,
        ]
        for (suffix, two, three, four) in [
            ("h", ValueType.half2, ValueType.half3, ValueType.half4), ("f", .float2, .float3, .float4), ("d", .double2, .double3, .double4),
        ] {
            for role in ["point3", "normal3", "vector3", "color3", "texCoord3"] { n[role + suffix] = three }
            n["color4" + suffix] = four
            n["texCoord2" + suffix] = two
        }
        return n
    }()
}
