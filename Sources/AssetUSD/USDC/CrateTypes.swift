/// Version of a crate file's layout.
struct CrateVersion: Comparable, CustomStringConvertible, Sendable {
    var major: UInt8
    var minor: UInt8
    var patch: UInt8

    init(_ major: UInt8, _ minor: UInt8, _ patch: UInt8) { (self.major, self.minor, self.patch) = (major, minor, patch) }

    /// The newest version that is read (OpenUSD 26.11).
    static let newest = CrateVersion(0, 16, 0)

    var description: String { "\(major).\(minor).\(patch)" }

    private var number: Int { Int(major) << 16 | Int(minor) << 8 | Int(patch) }
    static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

/// The type numbers of value representations (OpenUSD's crateDataTypes.h).
enum CrateType: UInt8 {
    case bool = 1, uchar, int, uint, int64, uint64, half, float, double, string, token, assetPath
    case matrix2d, matrix3d, matrix4d, quatd, quatf, quath
    case vec2d, vec2f, vec2h, vec2i, vec3d, vec3f, vec3h, vec3i, vec4d, vec4f, vec4h, vec4i
    case dictionary
    case tokenListOp, stringListOp, pathListOp, referenceListOp, intListOp, int64ListOp, uintListOp, uint64ListOp
    case pathVector, tokenVector
    case specifier, permission, variability
    case variantSelectionMap, timeSamples, payload
    case doubleVector, layerOffsetVector, stringVector
    case valueBlock, value, unregisteredValue, unregisteredValueListOp, payloadListOp
    case timeCode, pathExpression, relocates, spline, animationBlock, duration

    /// The type of elements and single values; nil for those that are not attribute values.
    var valueType: ValueType? {
        switch self {
        case .bool: .bool
        case .uchar: .uchar
        case .int: .int
        case .uint: .uint
        case .int64: .int64
        case .uint64: .uint64
        case .half: .half
        case .float: .float
        case .double: .double
        case .string: .string
        case .token: .token
        case .assetPath: .asset
        case .matrix2d: .matrix2d
        case .matrix3d: .matrix3d
        case .matrix4d: .matrix4d
        case .quatd: .quatd
        case .quatf: .quatf
        case .quath: .quath
        case .vec2d: .double2
        case .vec2f: .float2
        case .vec2h: .half2
        case .vec2i: .int2
        case .vec3d: .double3
        case .vec3f: .float3
        case .vec3h: .half3
        case .vec3i: .int3
        case .vec4d: .double4
        case .vec4f: .float4
        case .vec4h: .half4
        case .vec4i: .int4
        case .timeCode: .timeCode
        case .pathExpression: .pathExpression
        case .duration: .duration
        default: nil
        }
    }

    /// Whether values are in the representation itself, whatever its inlined bit says: all that take at most four bytes.
    var isAlwaysInlined: Bool {
        switch self {
        case .bool, .uchar, .int, .uint, .half, .float, .vec2h, .string, .token, .assetPath, .specifier, .permission,
            .variability, .valueBlock, .animationBlock:
            true
        default: false
        }
    }
}

extension ValueType {
    /// Bytes of a component in crate arrays; strings, tokens and the like are 32-bit indices.
    var componentBytes: Int {
        switch scalar {
        case .bool, .uchar: 1
        case .half: 2
        case .int, .uint, .float, .string, .token: 4
        case .int64, .uint64, .double: 8
        case .none: 0
        }
    }

    /// Bytes of an element in crate arrays.
    var elementBytes: Int { componentBytes * components }
}

/// How a field's value is found: type, flags, and either the value itself or its offset in the file.
struct ValueRep: Hashable {
    var bits: UInt64
    init(_ bits: UInt64) { self.bits = bits }

    var isArray: Bool { bits & (1 << 63) != 0 }
    var isInlined: Bool { bits & (1 << 62) != 0 }
    var isCompressed: Bool { bits & (1 << 61) != 0 }
    var isArrayEdit: Bool { bits & (1 << 60) != 0 }
    var typeNumber: UInt8 { UInt8(truncatingIfNeeded: bits >> 48) }
    var type: CrateType? { CrateType(rawValue: typeNumber) }
    /// Offset of the value, 48 bits.
    var payload: Int { Int(bits & 0xFFFF_FFFF_FFFF) }
    /// The value of an inlined one.
    var inlined: UInt32 { UInt32(truncatingIfNeeded: bits) }
}
