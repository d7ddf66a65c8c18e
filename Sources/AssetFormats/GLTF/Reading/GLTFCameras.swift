import AssetIO
import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Cameras and lights in the model's terms.
enum GLTFCameras {
    /// A film of USD's usual height: only the ratio of film and focal length counts. Lengths of film are tenths of a unit.
    static func camera(_ source: GLTFDocument.Camera, _ place: GLTFPlace, _ diagnostics: inout Diagnostics) -> Camera {
        var camera = Camera()
        camera.near = Float(source.znear)
        camera.far = source.zfar.map { Float($0) } ?? .infinity
        if source.type == "orthographic" {
            camera.projection = "orthographic"
            // `xmag` is half of what is seen.
            camera.horizontalAperture = Float(source.xmag.magnitude * 20)
            camera.verticalAperture = Float(source.ymag.magnitude * 20)
            return camera
        }
        if source.type != "perspective" {
            diagnostics.warning("gltf.bad-camera", "the type is '\(source.type)', expected perspective or orthographic", at: place)
        }
        let height = Double(camera.verticalAperture)
        let tangent = source.yfov > 0 && source.yfov < .pi ? tan(source.yfov / 2) : 0
        if tangent > 0 {
            camera.focalLength = Float(height / 2 / tangent)
        } else {
            diagnostics.warning("gltf.bad-camera", "yfov is \(FloatPrinter.text(source.yfov)), expected 0 to π", at: place)
        }
        // Without a ratio the picture's own counts.
        if let ratio = source.aspectRatio, ratio > 0 { camera.horizontalAperture = Float(height * ratio) }
        return camera
    }

    /// Candela for point and spot lights, lux for directional ones: the numbers of the file.
    static func light(_ source: GLTFDocument.Light) -> Light {
        var light = Light(kind: source.type)
        light.intensity = Float(source.intensity)
        light.color = Vector3f(Float(source.color[0]), Float(source.color[1]), Float(source.color[2]))
        let more: [(String, Double?)] = [
            ("innerConeAngle", source.innerConeAngle), ("outerConeAngle", source.outerConeAngle), ("range", source.range),
        ]
        for (name, value) in more { if let value { light.parameters.append(Value.Entry(name, .double(value))) } }
        return light
    }
}
