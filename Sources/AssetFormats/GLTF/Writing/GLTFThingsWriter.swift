import AssetIO
import AssetModel
import AssetOps

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Cameras and lights.
extension GLTFWriter {
    /// A camera's index (section 3.10). Lengths of film and lens are tenths of a unit; only their ratio counts for a perspective.
    mutating func addCamera(_ camera: Camera, _ node: Node) -> Int {
        var entries: [Value.Entry] = []
        if !node.name.isEmpty { entries.append(.init("name", .string(node.name))) }
        let (near, far) = (max(0, Double(camera.near)), Double(camera.far))
        let (width, height) = (Double(camera.horizontalAperture), Double(camera.verticalAperture))
        if camera.projection == "orthographic" {
            func half(_ x: Double) -> Float { x > 0 && x.isFinite ? Float(x / 20) : 1 }
            let end = far > near && far.isFinite ? far : near + 1000
            let numbers: [Value.Entry] = [
                .init("xmag", .float(half(width))), .init("ymag", .float(half(height))), .init("zfar", .float(Float(end))),
                .init("znear", .float(Float(near))),
            ]
            entries += [.init("type", .string("orthographic")), .init("orthographic", .dictionary(numbers))]
        } else {
            var numbers: [Value.Entry] = []
            if width > 0, height > 0, (width / height).isFinite { numbers.append(.init("aspectRatio", .float(Float(width / height)))) }
            let yfov = 2 * atan(height / 2 / Double(camera.focalLength))
            numbers.append(.init("yfov", .float(yfov > 0 && yfov.isFinite ? Float(yfov) : 0.8)))
            // The near plane is above zero.
            let start = near > 0 ? near : 0.01
            if far > start, far.isFinite { numbers.append(.init("zfar", .float(Float(far)))) }
            numbers.append(.init("znear", .float(Float(start))))
            entries += [.init("type", .string("perspective")), .init("perspective", .dictionary(numbers))]
        }
        out.cameras.append(.dictionary(entries))
        return out.cameras.count - 1
    }

    /// A light's index (KHR_lights_punctual): candela for points and spots, lux for directions. Nil where glTF has none like it.
    ///
    /// USD's lights are surfaces with a luminance in nits (UsdLux): a sphere of radius r seen from afar is `L · π · r²` candela, a
    /// distant disc of half-angle θ gives `L · π · sin² θ` lux.
    mutating func addLight(_ light: Light, _ node: Node) -> Int? {
        func number(_ name: String) -> Double? {
            for entry in light.parameters where entry.key == name || entry.key == "inputs:" + name {
                switch entry.value {
                case .double(let x): return x
                case .float(let x): return Double(x)
                case .int(let x): return Double(x)
                case .bool(let flag): return flag ? 1 : 0
                default: return nil
                }
            }
            return nil
        }
        let luminance = Double(light.intensity) * exp2(Double(light.exposure))
        let isNormalized = number("normalize") == 1
        // Lengths count in metres.
        let unit = scene.metadata.metersPerUnit ?? 1
        func length(_ name: String, _ fallback: Double) -> Double { (number(name) ?? fallback) * unit }
        var (type, intensity): (String, Double)
        var spot: [Value.Entry] = []
        var hasShape = true
        switch light.kind {
        case "point", "spot", "directional":
            (type, intensity, hasShape) = (light.kind, luminance, false)
            if light.kind == "spot" {
                if let inner = number("innerConeAngle") { spot.append(.init("innerConeAngle", .float(Float(inner)))) }
                if let outer = number("outerConeAngle") { spot.append(.init("outerConeAngle", .float(Float(outer)))) }
            }
        case "DistantLight":
            let half = (number("angle") ?? 0.53) / 2 * .pi / 180
            let area = Double.pi * sin(half) * sin(half)
            (type, intensity) = ("directional", isNormalized || area == 0 ? luminance : luminance * area)
            hasShape = false
        case "SphereLight":
            let isPoint = number("treatAsPoint") == 1
            let r = length("radius", 0.5)
            (type, intensity) = ("point", isNormalized || isPoint ? luminance / 4 : luminance * .pi * r * r)
            hasShape = !isPoint
        case "DiskLight":
            let r = length("radius", 0.5)
            (type, intensity) = ("spot", isNormalized ? luminance : luminance * .pi * r * r)
        case "RectLight":
            (type, intensity) = ("spot", isNormalized ? luminance : luminance * length("width", 1) * length("height", 1))
        case "CylinderLight":
            (type, intensity) = ("point", isNormalized ? luminance / .pi : luminance * 2 * length("radius", 0.5) * length("length", 1))
        default:
            losses.note("lights", at: node.path, name: node.path)
            return nil
        }
        if light.kind == "DiskLight" || light.kind == "RectLight" { spot = [.init("outerConeAngle", .float(.pi / 2))] }
        if let cone = number("shaping:cone:angle"), cone < 90, type != "directional" {
            type = "spot"
            let outer = max(0, cone) * .pi / 180
            let softness = min(max(number("shaping:cone:softness") ?? 0, 0), 1)
            spot = [
                .init("innerConeAngle", .float(Float(min(outer * (1 - softness), outer * 0.999)))), .init("outerConeAngle", .float(Float(outer))),
            ]
        }
        if hasShape { losses.note("light-shapes", at: node.path, name: node.path) }
        var entries: [Value.Entry] = []
        if !node.name.isEmpty { entries.append(.init("name", .string(node.name))) }
        entries.append(.init("type", .string(type)))
        let c = light.color
        if c != Vector3f(1, 1, 1), c.isFinite { entries.append(.init("color", .floats([c.x, c.y, c.z].map { max(0, $0) }))) }
        entries.append(.init("intensity", .float(intensity >= 0 && intensity.isFinite ? Float(intensity) : 0)))
        if type != "directional", let range = number("range"), range > 0 { entries.append(.init("range", .float(Float(range)))) }
        if type == "spot" { entries.append(.init("spot", .dictionary(spot))) }
        out.lights.append(.dictionary(entries))
        out.use("KHR_lights_punctual")
        return out.lights.count - 1
    }
}
