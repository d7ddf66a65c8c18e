public import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A texture transform applied to coordinates: scale, then rotation, then translation.
public struct CoordinateTransform: Sendable {
    private let a, b, c, d, x, y: Double

    public init(_ t: TextureTransform) {
        let (cosine, sine) = turn(degrees: Double(t.rotation))
        (a, b) = (cosine * Double(t.scale.x), -sine * Double(t.scale.y))
        (c, d) = (sine * Double(t.scale.x), cosine * Double(t.scale.y))
        (x, y) = (Double(t.translation.x), Double(t.translation.y))
    }

    public func apply(_ v: Vector2f) -> Vector2f {
        let (s, t) = (Double(v.x), Double(v.y))
        return Vector2f(Float(a * s + b * t + x), Float(c * s + d * t + y))
    }
}

/// Cosine and sine of an angle; quarter turns exactly.
public func turn(degrees: Double) -> (cosine: Double, sine: Double) {
    let quarter = degrees / 90
    if quarter == quarter.rounded(), quarter.magnitude < 1e9 {
        switch ((Int(quarter) % 4) + 4) % 4 {
        case 0: return (1, 0)
        case 1: return (0, 1)
        case 2: return (-1, 0)
        default: return (0, -1)
        }
    }
    let angle = degrees * .pi / 180
    return (cos(angle), sin(angle))
}
