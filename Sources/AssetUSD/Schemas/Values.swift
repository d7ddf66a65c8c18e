import AssetModel

/// Reading values of fields leniently: numbers of any precision, lists in any of their forms.
extension USDValue {
    /// A number of any type.
    var number: Double? {
        switch self {
        case .bool(let v): v ? 1 : 0
        case .uchar(let v): Double(v)
        case .int(let v): Double(v)
        case .uint(let v): Double(v)
        case .int64(let v): Double(v)
        case .uint64(let v): Double(v)
        case .half(let bits): Double(Half.float(bits))
        case .float(let v): Double(v)
        case .double(let v), .timeCode(let v): v
        default: nil
        }
    }

    /// The components of a vector, quaternion or matrix; one for a plain number.
    var components: [Double]? {
        switch self {
        case .tuple(_, let c): c
        default: number.map { [$0] }
        }
    }

    var boolean: Bool? {
        switch self {
        case .bool(let v): v
        default: number.map { $0 != 0 }
        }
    }

    var tokenValue: Token? {
        if case .token(let t) = self { t } else { nil }
    }

    /// Text of a string, token, asset path or path expression.
    func text(_ session: USDSession) -> String? {
        switch self {
        case .string(let s), .asset(let s), .pathExpression(let s): s
        case .token(let t): session.string(t)
        default: nil
        }
    }

    /// The tokens of a list in any of its forms (array, list, list op with its items in order).
    func tokenList(_ session: USDSession) -> [Token] {
        switch self {
        case .array(let a):
            switch a.storage {
            case .token(let t): t
            case .string(let s): s.map { session.token($0) }
            default: []
            }
        case .tokens(let t): t
        case .strings(let s): s.map { session.token($0) }
        case .tokenListOp(let op): op.isExplicit ? op.explicit : op.prepended + op.added + op.appended
        case .stringListOp(let op): (op.isExplicit ? op.explicit : op.prepended + op.added + op.appended).map { session.token($0) }
        case .token(let t): [t]
        default: []
        }
    }

    /// The integers of a list op or array.
    var integerList: [Int64] {
        func items<I: BinaryInteger>(_ op: ListOp<I>) -> [Int64] {
            (op.isExplicit ? op.explicit : op.prepended + op.added + op.appended).map { Int64(truncatingIfNeeded: $0) }
        }
        switch self {
        case .int64ListOp(let op): return items(op)
        case .uint64ListOp(let op): return items(op)
        case .intListOp(let op): return items(op)
        case .uintListOp(let op): return items(op)
        case .array(let a):
            switch a.storage {
            case .int64(let v): return v
            case .uint64(let v): return v.map { Int64(truncatingIfNeeded: $0) }
            case .int(let v): return v.map { Int64($0) }
            case .uint(let v): return v.map { Int64($0) }
            default: return []
            }
        default: return []
        }
    }

    /// The value in the open model's terms; nil for values it has no form for.
    func openValue(_ session: USDSession, depth: Int = 0) -> Value? {
        switch self {
        case .bool(let v): return .bool(v)
        case .uchar(let v): return .int(Int64(v))
        case .int(let v): return .int(Int64(v))
        case .uint(let v): return .int(Int64(v))
        case .int64(let v): return .int(v)
        case .uint64(let v): return v <= UInt64(Int64.max) ? .int(Int64(v)) : .double(Double(v))
        case .half(let bits): return .float(Half.float(bits))
        case .float(let v): return .float(v)
        case .double(let v), .timeCode(let v): return .double(v)
        case .string, .token, .asset, .pathExpression: return text(session).map { .string($0) }
        case .tuple(let type, let c):
            switch type.scalar {
            case .int: return .ints(c.map { Int64($0) })
            case .double: return .doubles(c)
            default: return .floats(c.map { Float($0) })
            }
        case .array(let a):
            switch a.storage {
            case .bytes(let v): return .ints(v.map { Int64($0) })
            case .int(let v): return .ints(v.map { Int64($0) })
            case .uint(let v): return .ints(v.map { Int64($0) })
            case .int64(let v): return .ints(v)
            case .uint64(let v): return .ints(v.map { Int64(truncatingIfNeeded: $0) })
            case .half(let v): return .floats(v.map { Half.float($0) })
            case .float(let v): return .floats(v)
            case .double(let v): return .doubles(v)
            case .token(let v): return .array(v.map { .string(session.string($0)) })
            case .string(let v): return .array(v.map { .string($0) })
            }
        case .tokens(let v): return .array(v.map { .string(session.string($0)) })
        case .strings(let v): return .array(v.map { .string($0) })
        case .doubles(let v): return .doubles(v)
        case .dictionary(let d): return .dictionary(d.openEntries(session, depth: depth))
        case .deferred:
            // A damaged file can nest without end.
            guard depth < 64, let value = try? resolved() else { return nil }
            return value.openValue(session, depth: depth + 1)
        default: return nil
        }
    }
}

extension USDDictionary {
    /// The entries in the open model's terms; values it has no form for are left out.
    func openEntries(_ session: USDSession, depth: Int = 0) -> [Value.Entry] {
        guard depth < 64 else { return [] }
        return entries.compactMap { key, value in value.openValue(session, depth: depth + 1).map { Value.Entry(key, $0) } }
    }
}

/// IEEE 754 binary16 by its bits.
enum Half {
    static func float(_ bits: UInt16) -> Float {
        let sign = UInt32(bits & 0x8000) << 16
        let exponent = UInt32(bits >> 10) & 0x1f
        let mantissa = UInt32(bits & 0x3ff)
        switch exponent {
        case 0:
            // Zero and subnormals: mantissa · 2^-24 is exact in a float.
            let magnitude = Float(mantissa) * 0x1p-24
            return sign == 0 ? magnitude : -magnitude
        case 31: return Float(bitPattern: sign | 0x7f80_0000 | mantissa << 13)
        default: return Float(bitPattern: sign | (exponent + 112) << 23 | mantissa << 13)
        }
    }
}
