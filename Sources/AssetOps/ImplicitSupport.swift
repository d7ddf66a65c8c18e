import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension ImplicitShape {
    /// How far the shape reaches along a direction in its own space: the largest dot product of `d` with any of its
    /// points. Exact for the shape, so that a turned sphere's box is a sphere's box.
    func support(_ d: Vector3d) -> Double {
        switch self {
        case .cube(let size):
            return size.magnitude / 2 * (d.x.magnitude + d.y.magnitude + d.z.magnitude)
        case .sphere(let radius):
            return radius.magnitude * d.length
        case .plane(let width, let length, let axis):
            // The width lies along x (z where the plane faces x), the length along y (z where it faces y).
            let (u, v) = axis == "X" ? (d.z, d.y) : axis == "Y" ? (d.x, d.z) : (d.x, d.y)
            return width.magnitude / 2 * u.magnitude + length.magnitude / 2 * v.magnitude
        case .cylinder(let bottom, let top, let height, let axis):
            let (along, across) = split(d, axis)
            let half = height.magnitude / 2
            return Swift.max(-half * along + bottom.magnitude * across, half * along + top.magnitude * across)
        case .cone(let radius, let height, let axis):
            let (along, across) = split(d, axis)
            let half = height.magnitude / 2
            return Swift.max(-half * along + radius.magnitude * across, half * along)
        case .capsule(let bottom, let top, let height, let axis):
            let (along, across) = split(d, axis)
            let ends = CapsuleEnds(bottom: bottom, top: top, height: height)
            if ends.lean != 0 || bottom.magnitude == top.magnitude {
                // The side touches both spheres: it is their hull.
                return Swift.max(ends.bottom.center * along + ends.bottom.radius * d.length, ends.top.center * along + ends.top.radius * d.length)
            }
            let low = ends.bottom.center * along + ends.bottom.radius * (along < 0 ? d.length : across)
            let high = ends.top.center * along + ends.top.radius * (along > 0 ? d.length : across)
            return Swift.max(low, high)
        }
    }

    /// The box of the shape after a transform.
    func bounds(_ m: Matrix4d) -> BoundingBox {
        func range(_ d: Vector3d, _ offset: Double) -> (Double, Double) {
            (offset - support(Vector3d(-d.x, -d.y, -d.z)), offset + support(d))
        }
        let (r0, r1, r2, r3) = m.rows
        let x = range(Vector3d(r0.x, r1.x, r2.x), r3.x)
        let y = range(Vector3d(r0.y, r1.y, r2.y), r3.y)
        let z = range(Vector3d(r0.z, r1.z, r2.z), r3.z)
        var box = BoundingBox()
        box.formUnion(Vector3d(x.0, y.0, z.0))
        box.formUnion(Vector3d(x.1, y.1, z.1))
        return box
    }

    /// A direction's part along an axis and the length of the rest.
    private func split(_ d: Vector3d, _ axis: String) -> (along: Double, across: Double) {
        switch axis {
        case "X": (d.x, (d.y * d.y + d.z * d.z).squareRoot())
        case "Y": (d.y, (d.x * d.x + d.z * d.z).squareRoot())
        default: (d.z, (d.x * d.x + d.y * d.y).squareRoot())
        }
    }
}

/// The spheres that close a capsule. Its radii are those of the side's rims; where they differ, the spheres lie so that the
/// side runs into them without an edge.
struct CapsuleEnds {
    var bottom: (center: Double, radius: Double)
    var top: (center: Double, radius: Double)
    /// The latitude of the rims, 0 at the spheres' equators.
    var lean: Double

    init(bottom: Double, top: Double, height: Double) {
        let (b, t, half) = (bottom.magnitude, top.magnitude, height.magnitude / 2)
        // Without a side there is nothing to run into: two halves of spheres, face to face.
        let slope = half > 0 ? (b - t) / (2 * half) : 0
        let stretch = (1 + slope * slope).squareRoot()
        self.bottom = (-half - slope * b, b * stretch)
        self.top = (half - slope * t, t * stretch)
        lean = atan(slope)
    }
}
