#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Cosine and sine of an angle; quarter turns exactly.
func turn(degrees: Double) -> (cosine: Double, sine: Double) {
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
