import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A shader input that reads a primvar of the mesh.
struct PrimvarInput {
    var input: String
    var primvar: String
    var fallback: Value?
}

/// A shader's inputs in the common terms of `Surface`.
enum SurfaceTerms {
    private static func number(_ value: Value?) -> Float? {
        switch value {
        case .float(let v): v
        case .double(let v): Float(v)
        case .int(let v): Float(v)
        case .bool(let v): v ? 1 : 0
        default: nil
        }
    }

    private static func vector(_ value: Value?) -> Vector3f? {
        switch value {
        case .floats(let v) where v.count == 3: return Vector3f(v[0], v[1], v[2])
        case .doubles(let v) where v.count == 3: return Vector3f(Float(v[0]), Float(v[1]), Float(v[2]))
        default: return nil
        }
    }

    private static func set(_ channel: inout Channel<Float>, _ input: MaterialInput) {
        channel.texture = input.texture
        channel.isAuthored = true
        if let v = number(input.value) { channel.value = v }
    }

    private static func set(_ channel: inout Channel<Vector3f>, _ input: MaterialInput) {
        channel.texture = input.texture
        channel.isAuthored = true
        if let v = vector(input.value) { channel.value = v }
    }

    /// UsdPreviewSurface (specification 2.6), the inputs under its own names.
    static func previewSurface(_ inputs: [MaterialInput], _ readers: [PrimvarInput] = []) -> Surface {
        var s = Surface()
        for reader in readers {
            func read(_ channel: inout Channel<Float>) {
                channel = Channel(number(reader.fallback) ?? channel.value, isAuthored: true)
                channel.primvar = reader.primvar
            }
            func read(_ channel: inout Channel<Vector3f>) {
                channel = Channel(vector(reader.fallback) ?? channel.value, isAuthored: true)
                channel.primvar = reader.primvar
            }
            switch reader.input {
            case "diffuseColor": read(&s.diffuseColor)
            case "metallic": read(&s.metallic)
            case "roughness": read(&s.roughness)
            case "specularColor": read(&s.specularColor)
            case "emissiveColor": read(&s.emissiveColor)
            case "opacity": read(&s.opacity)
            case "occlusion": read(&s.occlusion)
            case "clearcoat": read(&s.clearcoat)
            case "clearcoatRoughness": read(&s.clearcoatRoughness)
            default: break
            }
        }
        for input in inputs {
            switch input.name {
            case "diffuseColor": set(&s.diffuseColor, input)
            case "metallic": set(&s.metallic, input)
            case "roughness": set(&s.roughness, input)
            case "useSpecularWorkflow": s.useSpecularWorkflow = number(input.value) == 1
            case "specularColor": set(&s.specularColor, input)
            case "emissiveColor": set(&s.emissiveColor, input)
            case "opacity": set(&s.opacity, input)
            case "opacityThreshold": s.opacityThreshold = number(input.value) ?? 0
            case "opacityMode": if case .string(let text)? = input.value { s.opacityMode = OpacityMode(rawValue: text) ?? .transparent }
            case "normal": set(&s.normal, input)
            case "occlusion": set(&s.occlusion, input)
            case "ior": s.ior = number(input.value) ?? 1.5
            case "clearcoat": set(&s.clearcoat, input)
            case "clearcoatRoughness": set(&s.clearcoatRoughness, input)
            case "displacement": set(&s.displacement, input)
            default: break
            }
        }
        return s
    }

    /// The constants of MaterialX's standard_surface, open_pbr_surface and gltf_pbr; nil for other shaders.
    static func materialX(_ id: String, _ inputs: [MaterialInput]) -> Surface? {
        func input(_ name: String) -> MaterialInput? { inputs.first { $0.name == name } }
        func number(_ name: String) -> Float? { Self.number(input(name)?.value) }
        func vector(_ name: String) -> Vector3f? { Self.vector(input(name)?.value) }
        func scaled(_ v: Vector3f, _ f: Float) -> Vector3f { Vector3f(v.x * f, v.y * f, v.z * f) }
        var s = Surface()
        func take(_ channel: inout Channel<Float>, _ name: String, _ fallback: Float) {
            channel = Channel(number(name) ?? fallback, texture: input(name)?.texture, isAuthored: input(name) != nil)
        }
        func take(_ channel: inout Channel<Vector3f>, _ name: String, _ fallback: Vector3f, weight: Float = 1) {
            channel = Channel(scaled(vector(name) ?? fallback, weight), texture: input(name)?.texture, isAuthored: input(name) != nil)
        }
        if id.hasPrefix("ND_standard_surface") {
            take(&s.diffuseColor, "base_color", Vector3f(0.8, 0.8, 0.8), weight: number("base") ?? 1)
            take(&s.metallic, "metalness", 0)
            take(&s.roughness, "specular_roughness", 0.2)
            s.ior = number("specular_IOR") ?? 1.5
            take(&s.clearcoat, "coat", 0)
            take(&s.clearcoatRoughness, "coat_roughness", 0.1)
            take(&s.emissiveColor, "emission_color", Vector3f(1, 1, 1), weight: number("emission") ?? 0)
            if let o = vector("opacity") { s.opacity = Channel((o.x + o.y + o.z) / 3, isAuthored: true) }
        } else if id.hasPrefix("ND_open_pbr_surface") {
            take(&s.diffuseColor, "base_color", Vector3f(0.8, 0.8, 0.8), weight: number("base_weight") ?? 1)
            take(&s.metallic, "base_metalness", 0)
            take(&s.roughness, "specular_roughness", 0.3)
            s.ior = number("specular_ior") ?? 1.5
            take(&s.clearcoat, "coat_weight", 0)
            take(&s.clearcoatRoughness, "coat_roughness", 0)
            take(&s.emissiveColor, "emission_color", Vector3f(1, 1, 1), weight: number("emission_luminance") == nil ? 0 : 1)
            take(&s.opacity, "geometry_opacity", 1)
        } else if id.hasPrefix("ND_gltf_pbr") {
            take(&s.diffuseColor, "base_color", Vector3f(1, 1, 1))
            take(&s.metallic, "metallic", 1)
            take(&s.roughness, "roughness", 1)
            take(&s.occlusion, "occlusion", 1)
            s.ior = number("ior") ?? 1.5
            take(&s.clearcoat, "clearcoat", 0)
            take(&s.clearcoatRoughness, "clearcoat_roughness", 0)
            take(&s.emissiveColor, "emissive", Vector3f(0, 0, 0), weight: number("emissive_strength") ?? 1)
            take(&s.opacity, "alpha", 1)
            // alpha_mode: 0 opaque, 1 mask, 2 blend.
            switch number("alpha_mode") ?? 0 {
            case 1: s.opacityThreshold = number("alpha_cutoff") ?? 0.5
            case 2: s.opacityMode = .presence
            default: s.opacity = Channel(1)
            }
        } else {
            return nil
        }
        return s
    }
}

/// Chains of UsdTransform2d.
enum TextureTransforms {
    /// One transform that does what `inner` and then `outer` do; nil where the two together shear.
    ///
    /// `st' = R(θ)·S·st + t`, so the product's linear part is `Ro·So·Ri·Si`, which is a rotation times a scale when its
    /// columns stay at right angles.
    static func composed(_ outer: TextureTransform, after inner: TextureTransform) -> TextureTransform? {
        func linear(_ t: TextureTransform) -> (a: Double, b: Double, c: Double, d: Double) {
            let r = Double(t.rotation) * .pi / 180
            let (sx, sy) = (Double(t.scale.x), Double(t.scale.y))
            return (cos(r) * sx, -sin(r) * sy, sin(r) * sx, cos(r) * sy)
        }
        let o = linear(outer)
        let i = linear(inner)
        let m = (a: o.a * i.a + o.b * i.c, b: o.a * i.b + o.b * i.d, c: o.c * i.a + o.d * i.c, d: o.c * i.b + o.d * i.d)
        let (ix, iy) = (Double(inner.translation.x), Double(inner.translation.y))
        let sx = (m.a * m.a + m.c * m.c).squareRoot()
        let sy = (m.b * m.b + m.d * m.d).squareRoot()
        guard abs(m.a * m.b + m.c * m.d) <= 1e-6 * max(sx * sy, 1e-12) else { return nil }
        let turn = sx > 0 ? atan2(m.c, m.a) : atan2(-m.b, m.d)
        // A mirror shows in the sign of the second scale.
        let mirrored = m.a * m.d - m.b * m.c < 0
        return TextureTransform(
            rotation: Float(turn * 180 / .pi), scale: Vector2f(Float(sx), Float(mirrored ? -sy : sy)),
            translation: Vector2f(
                Float(o.a * ix + o.b * iy + Double(outer.translation.x)), Float(o.c * ix + o.d * iy + Double(outer.translation.y))))
    }
}
