import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Values between two time samples, for the types that OpenUSD interpolates: floating-point scalars, vectors, matrices,
/// quaternions (along the great circle), and arrays of them of one length.
enum SampleInterpolation {
    /// Nil where the values cannot be interpolated: the earlier one holds.
    static func linear(_ a: USDValue, _ b: USDValue, _ u: Double) throws(AssetError) -> USDValue? {
        switch (a, b) {
        case (.float(let x), .float(let y)): return .float(Float(lerp(Double(x), Double(y), u)))
        case (.double(let x), .double(let y)): return .double(lerp(x, y, u))
        case (.timeCode(let x), .timeCode(let y)): return .timeCode(lerp(x, y, u))
        case (.half(let x), .half(let y)): return .half(halfBits(lerp(halfValue(x), halfValue(y), u)))
        case (.tuple(let t, let x), .tuple(let s, let y)):
            guard t == s, x.count == y.count else { return nil }
            switch t.scalar {
            case .half, .float, .double: break
            default: return nil
            }
            let isQuaternion = t == .quath || t == .quatf || t == .quatd
            var out = isQuaternion ? slerp(x, y, u) : zip(x, y).map { lerp($0, $1, u) }
            if t.scalar == .float { for i in out.indices { out[i] = Double(Float(out[i])) } }
            if t.scalar == .half { for i in out.indices { out[i] = halfValue(halfBits(out[i])) } }
            return .tuple(t, out)
        case (.array, _), (.deferred, _):
            guard try mayInterpolate(a, b) else { return nil }
            guard case .array(let x) = try a.resolved(), case .array(let y) = try b.resolved() else { return nil }
            return array(x, y, u).map { .array($0) }
        default: return nil
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
        let isQuaternion = a.type == .quath || a.type == .quatf || a.type == .quatd
        switch (a.storage, b.storage) {
        case (.float(let x), .float(let y)):
            if isQuaternion { return USDArray(a.type, .float(slerps(x.map(Double.init), y.map(Double.init), u).map { Float($0) })) }
            var out = x
            for i in out.indices { out[i] = Float(lerp(Double(x[i]), Double(y[i]), u)) }
            return USDArray(a.type, .float(out))
        case (.double(let x), .double(let y)):
            if isQuaternion { return USDArray(a.type, .double(slerps(x, y, u))) }
            var out = x
            for i in out.indices { out[i] = lerp(x[i], y[i], u) }
            return USDArray(a.type, .double(out))
        case (.half(let x), .half(let y)):
            let p = x.map(halfValue)
            let q = y.map(halfValue)
            let out = isQuaternion ? slerps(p, q, u) : zip(p, q).map { lerp($0, $1, u) }
            return USDArray(a.type, .half(out.map(halfBits)))
        default: return nil
        }
    }

    @inline(__always)
    private static func lerp(_ a: Double, _ b: Double, _ u: Double) -> Double { (1 - u) * a + u * b }

    private static func slerps(_ a: [Double], _ b: [Double], _ u: Double) -> [Double] {
        var out: [Double] = []
        out.reserveCapacity(a.count)
        var i = 0
        while i + 4 <= a.count {
            out.append(contentsOf: slerp(Array(a[i..<(i + 4)]), Array(b[i..<(i + 4)]), u))
            i += 4
        }
        return out
    }

    /// Between quaternions on the shorter way round.
    static func slerp(_ a: [Double], _ b: [Double], _ u: Double) -> [Double] {
        var cosine = zip(a, b).reduce(0) { $0 + $1.0 * $1.1 }
        var sign = 1.0
        if cosine < 0 {
            cosine = -cosine
            sign = -1
        }
        var p = 1 - u
        var q = u
        if 1 - cosine > 0.00001 {
            let angle = acos(cosine)
            let s = sin(angle)
            p = sin((1 - u) * angle) / s
            q = sin(u * angle) / s
        }
        return zip(a, b).map { p * $0 + sign * q * $1 }
    }
}
