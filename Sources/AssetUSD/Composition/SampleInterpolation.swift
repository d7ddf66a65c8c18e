import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Values between two time samples, for the types that OpenUSD interpolates: floating-point scalars, time codes, vectors,
/// matrices, quaternions (along the great circle), and arrays of them of one length. Rounding is that of OpenUSD, so that the
/// bits agree: a vector's two products are rounded to its components' type before they are added, a scalar's sum is rounded once.
enum SampleInterpolation {
    /// Nil where the values cannot be interpolated: the earlier one holds.
    static func linear(_ a: USDValue, _ b: USDValue, _ u: Double) throws(AssetError) -> USDValue? {
        switch (a, b) {
        case (.float(let x), .float(let y)): return .float(Float(lerp(Double(x), Double(y), u)))
        case (.double(let x), .double(let y)): return .double(lerp(x, y, u))
        case (.timeCode(let x), .timeCode(let y)): return .timeCode(lerp(x, y, u))
        case (.duration(let x), .duration(let y)): return .duration(lerp(x, y, u))
        case (.half(let x), .half(let y)): return .half(halfBits(lerp(halfValue(x), halfValue(y), u)))
        case (.tuple(let t, let x), .tuple(let s, let y)):
            guard t == s, x.count == y.count else { return nil }
            switch t.scalar {
            case .half, .float, .double: break
            default: return nil
            }
            let round = Rounding(t.scalar)
            if t.isQuaternion { return x.count == 4 ? .tuple(t, slerp(x, y, u, round)) : nil }
            var out = x
            for i in out.indices { out[i] = round.sum(x[i], 1 - u, y[i], u) }
            return .tuple(t, out)
        case (.array, _), (.deferred, _):
            guard try mayInterpolate(a, b) else { return nil }
            guard case .array(let x) = try a.resolved(), case .array(let y) = try b.resolved() else { return nil }
            return array(x, y, u).map { .array($0) }
        default: return nil
        }
    }

    /// Whether values of the kind of this one are interpolated, where they are of one length.
    static func isInterpolated(_ v: USDValue) -> Bool {
        switch v {
        case .float, .double, .timeCode, .duration, .half: return true
        case .tuple(let t, _): return t.scalar == .half || t.scalar == .float || t.scalar == .double
        default:
            guard let scalar = try? shape(v)?.type.scalar else { return false }
            return scalar == .half || scalar == .float || scalar == .double
        }
    }

    /// Looks at type and length before anything is decoded.
    private static func mayInterpolate(_ a: USDValue, _ b: USDValue) throws(AssetError) -> Bool {
        guard let x = try shape(a), let y = try shape(b), x.type == y.type, x.count == y.count else { return false }
        switch x.type.scalar {
        case .half, .float, .double: return true
        default: return false
        }
    }

    private static func shape(_ v: USDValue) throws(AssetError) -> (type: ValueType, count: Int)? {
        switch v {
        case .array(let a): return (a.type, a.count)
        case .deferred(let source, let rep): return try source.arrayShape(rep)
        default: return nil
        }
    }

    private static func array(_ a: USDArray, _ b: USDArray, _ u: Double) -> USDArray? {
        guard a.type == b.type, a.storage.count == b.storage.count else { return nil }
        // Vectors round each product, scalars only the sum.
        let isScalar = a.type.components == 1
        let v = 1 - u
        switch (a.storage, b.storage) {
        case (.float(let x), .float(let y)):
            if a.type.isQuaternion {
                return USDArray(a.type, .float(slerps(x.map(Double.init), y.map(Double.init), u, .float).map { Float($0) }))
            }
            var out = x
            if isScalar {
                for i in out.indices { out[i] = Float(lerp(Double(x[i]), Double(y[i]), u)) }
            } else {
                for i in out.indices { out[i] = Float(Double(x[i]) * v) + Float(Double(y[i]) * u) }
            }
            return USDArray(a.type, .float(out))
        case (.double(let x), .double(let y)):
            if a.type.isQuaternion { return USDArray(a.type, .double(slerps(x, y, u, .double))) }
            var out = x
            for i in out.indices { out[i] = lerp(x[i], y[i], u) }
            return USDArray(a.type, .double(out))
        case (.half(let x), .half(let y)):
            let p = x.map(halfValue)
            let q = y.map(halfValue)
            if a.type.isQuaternion { return USDArray(a.type, .half(slerps(p, q, u, .half).map(halfBits))) }
            let out = zip(p, q).map { isScalar ? lerp($0, $1, u) : Rounding.half.sum($0, v, $1, u) }
            return USDArray(a.type, .half(out.map(halfBits)))
        default: return nil
        }
    }

    @inline(__always)
    private static func lerp(_ a: Double, _ b: Double, _ u: Double) -> Double { (1 - u) * a + u * b }

    /// Arithmetic in the type of a vector's components.
    private enum Rounding {
        case half, float, double

        init(_ scalar: ValueType.Scalar) { self = scalar == .half ? .half : scalar == .float ? .float : .double }

        func round(_ x: Double) -> Double {
            switch self {
            case .half: halfValue(halfBits(x))
            case .float: Double(Float(x))
            case .double: x
            }
        }

        /// Half vectors are scaled by the factor as a float.
        func product(_ a: Double, _ s: Double) -> Double {
            self == .half ? round(Double(Float(a) * Float(s))) : round(a * s)
        }

        func sum(_ a: Double, _ s: Double, _ b: Double, _ t: Double) -> Double { round(product(a, s) + product(b, t)) }
    }

    private static func slerps(_ a: [Double], _ b: [Double], _ u: Double, _ round: Rounding) -> [Double] {
        var out: [Double] = []
        out.reserveCapacity(a.count)
        var i = 0
        while i + 4 <= a.count {
            out.append(contentsOf: slerp(Array(a[i..<(i + 4)]), Array(b[i..<(i + 4)]), u, round))
            i += 4
        }
        return out
    }

    /// Between quaternions (i, j, k, real) on the shorter way round; angle and factors are as coarse as the components.
    private static func slerp(_ a: [Double], _ b: [Double], _ u: Double, _ round: Rounding) -> [Double] {
        var cosine: Double
        switch round {
        case .double: cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
        case .float, .half:
            func product(_ i: Int) -> Float { Float(a[i]) * Float(b[i]) }
            let imaginary = product(0) + product(1) + product(2)
            cosine = Double(Float(round.round(Double(imaginary))) + product(3))
        }
        var sign = 1.0
        if cosine < 0 {
            cosine = -cosine
            sign = -1
        }
        var p = 1 - u
        var q = u
        if 1 - cosine > 0.00001 {
            let angle = round.round(acos(cosine))
            let s = round == .double ? sin(angle) : round.round(Double(sin(Float(angle))))
            p = sin((1 - u) * angle) / s
            q = sin(u * angle) / s
        }
        p = round.round(p)
        q = round.round(sign * q)
        return a.indices.map { round.round(round.round(p * a[$0]) + round.round(q * b[$0])) }
    }
}
