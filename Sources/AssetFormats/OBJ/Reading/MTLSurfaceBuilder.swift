import AssetIO
import AssetModel

/// One material's surface in common terms, and its inputs in MTL's.
struct MTLSurfaceBuilder {
    /// A map whose texture is in the scene.
    struct MapTexture {
        var map: MTLMap
        var texture: ID<Texture>
        var source: Texture.Source
        /// Asked for bump maps only.
        var isGrey: Bool
    }

    private let source: MTLMaterial
    private let file: String
    var textures: [MTLMaterial.MapKey: MapTexture] = [:]
    var primvar: String?
    /// What shininess becomes.
    var roughness = MTLRoughness.blender

    init(_ source: MTLMaterial, file: String) { (self.source, self.file) = (source, file) }

    private func place(_ line: Int) -> SourceLocation { SourceLocation(file: file, position: .line(line, column: 1)) }

    // MARK: Inputs

    /// Everything that was said, in name order.
    func inputs() -> [MaterialInput] {
        var inputs: [MaterialInput] = []
        for (key, color) in source.colors {
            inputs.append(MaterialInput(name: key.rawValue, value: .floats([color.values.0, color.values.1, color.values.2])))
        }
        for (key, number) in source.numbers {
            let whole = Int64(exactly: number.value)
            let value: Value = if key == .illum, let whole { .int(whole) } else { .float(number.value) }
            inputs.append(MaterialInput(name: key.rawValue, value: value))
        }
        for (key, map) in textures {
            inputs.append(MaterialInput(name: key.rawValue, texture: binding(map, isColor: isColor(key), factor: Vector4f(1, 1, 1, 1))))
        }
        return inputs.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private func isColor(_ key: MTLMaterial.MapKey) -> Bool {
        switch key {
        case .map_Ka, .map_Kd, .map_Ks, .map_Ke, .map_Tf, .decal, .refl: true
        default: false
        }
    }

    // MARK: Surface

    func surface(_ diagnostics: inout Diagnostics) -> Surface {
        var s = Surface()
        // MTL says nothing of what is not said; most programs show a light grey.
        s.diffuseColor.value = Vector3f(0.8, 0.8, 0.8)
        if let c = color(.Kd, &diagnostics) { s.diffuseColor = Channel(c, isAuthored: true) }
        if let c = color(.Ke, &diagnostics) { s.emissiveColor = Channel(c, isAuthored: true) }
        reflectance(&s, &diagnostics)
        opacity(&s, &diagnostics)
        if let ior = source.numbers[.Ni] {
            if ior.value >= 1 {
                s.ior = ior.value
            } else {
                diagnostics.warning("mtl.out-of-range", "Ni is \(FloatPrinter.text(ior.value)), expected 1 or more, left out", at: place(ior.line))
            }
        }
        colorMap(.map_Kd, .Kd, &s.diffuseColor, &diagnostics)
        colorMap(.map_Ke, .Ke, &s.emissiveColor, &diagnostics)
        scalarMap(.map_Pr, .Pr, &s.roughness, &diagnostics)
        scalarMap(.map_Pm, .Pm, &s.metallic, &diagnostics)
        scalarMap(.map_Pc, .Pc, &s.clearcoat, &diagnostics)
        scalarMap(.map_Pcr, .Pcr, &s.clearcoatRoughness, &diagnostics)
        if let map = occlusionMap { s.occlusion = Channel(1, texture: binding(map, isColor: false, factor: Vector4f(1, 1, 1, 1)), isAuthored: true) }
        if let map = textures[.disp] {
            s.displacement = Channel(0, texture: binding(map, isColor: false, factor: Vector4f(1, 1, 1, 1)), isAuthored: true)
        }
        normal(&s, &diagnostics)
        reportDropped(&diagnostics)
        return s
    }

    private func color(_ key: MTLMaterial.ColorKey, _ diagnostics: inout Diagnostics) -> Vector3f? {
        guard let c = source.colors[key] else { return nil }
        let (x, y, z) = c.values
        guard c.space == .xyz else { return Vector3f(x, y, z) }
        diagnostics.info("obj.converted-xyz", "\(key.rawValue) is CIE XYZ, taken as linear RGB with Rec. 709's primaries", at: place(c.line))
        // IEC 61966-2-1, D65.
        let r = 3.2406 * x - 1.5372 * y - 0.4986 * z
        let g = -0.9689 * x + 1.8758 * y + 0.0415 * z
        let b = 0.0557 * x - 0.2040 * y + 1.0570 * z
        return Vector3f(max(r, 0), max(g, 0), max(b, 0))
    }

    /// A number that is meant to lie between 0 and 1.
    private func share(_ key: MTLMaterial.NumberKey, _ diagnostics: inout Diagnostics) -> Float? {
        guard let n = source.numbers[key] else { return nil }
        if n.value >= 0, n.value <= 1 { return n.value }
        diagnostics.warning(
            "mtl.out-of-range", "\(key.rawValue) is \(FloatPrinter.text(n.value)), expected 0 to 1, taken as the nearer", at: place(n.line))
        return n.value > 1 ? 1 : 0
    }

    /// Roughness, metallic and clearcoat.
    private func reflectance(_ s: inout Surface, _ diagnostics: inout Diagnostics) {
        let illum = source.number(.illum) ?? 0
        if let r = share(.Pr, &diagnostics) {
            s.roughness = Channel(r, isAuthored: true)
        } else if let ns = source.numbers[.Ns] {
            s.roughness = Channel(roughness.roughness(ofShininess: ns.value), isAuthored: true)
            diagnostics.info("obj.assumed.roughness", "Ns is taken as a roughness of \(roughness.formula)", at: place(ns.line))
        } else if !source.isPhysical {
            s.roughness.value = illum >= 2 ? 0 : 1
        }
        if let m = share(.Pm, &diagnostics) { s.metallic = Channel(m, isAuthored: true) }
        if let c = share(.Pc, &diagnostics) { s.clearcoat = Channel(c, isAuthored: true) }
        if let r = share(.Pcr, &diagnostics) { s.clearcoatRoughness = Channel(r, isAuthored: true) }
        guard !source.isPhysical, illum == 3 || illum == 5 || illum == 8, textures[.map_Kd] == nil, let ks = source.colors[.Ks],
            let kd = source.colors[.Kd]
        else { return }
        let (r, g, b) = ks.values
        guard (r + g + b) / 3 > 0.5, max(kd.values.0, kd.values.1, kd.values.2) < 0.04 else { return }
        // A black that mirrors: a metal, whose colour is that of its reflections.
        s.metallic = Channel(1, isAuthored: true)
        s.diffuseColor = Channel(Vector3f(r, g, b), isAuthored: true)
        diagnostics.info("obj.assumed.metal", "'\(source.name)' mirrors and has no diffuse colour: taken as a metal of colour Ks", at: place(ks.line))
    }

    /// `d` is opacity, `Tr` what it lacks; `d` wins.
    private func opacity(_ s: inout Surface, _ diagnostics: inout Diagnostics) {
        if let d = share(.d, &diagnostics) {
            s.opacity = Channel(d, isAuthored: true)
            s.opacityMode = .presence
        } else if let tr = share(.Tr, &diagnostics) {
            s.opacity = Channel(1 - tr, isAuthored: true)
            s.opacityMode = .presence
        }
        if let map = textures[.map_d] {
            let lack = source.numbers[.Tr].map { MTLMaterial.Number(value: 1 - $0.value, line: $0.line) }
            let f = factor(source.numbers[.d] ?? lack, map.map, &diagnostics)
            var bound = binding(map, isColor: false, factor: Vector4f(f, f, f, f))
            if map.map.options.channel == nil, isSameFile(map, textures[.map_Kd]) { bound.output = "a" }
            s.opacity.texture = bound
        } else if let map = textures[.map_Tr] {
            let f = factor(source.numbers[.Tr], map.map, &diagnostics)
            var bound = binding(map, isColor: false, factor: Vector4f(f, f, f, f))
            let (scale, bias) = (bound.scale ?? Vector4f(1, 1, 1, 1), bound.bias ?? Vector4f(0, 0, 0, 0))
            bound.scale = Vector4f(-scale.x, -scale.y, -scale.z, -scale.w)
            bound.bias = Vector4f(1 - bias.x, 1 - bias.y, 1 - bias.z, 1 - bias.w)
            s.opacity.texture = bound
        }
        if s.opacity.texture != nil {
            s.opacity.isAuthored = true
            s.opacityMode = .presence
        }
        let illum = source.number(.illum) ?? 0
        guard s.opacity.texture == nil, s.opacity.value == 1, [4, 6, 7, 9].contains(illum), let tf = source.colors[.Tf],
            let c = color(.Tf, &diagnostics)
        else { return }
        let transmission = min(max((c.x + c.y + c.z) / 3, 0), 1)
        guard transmission > 0 else { return }
        s.opacity = Channel(1 - transmission, isAuthored: true)
        s.opacityMode = .transparent
        diagnostics.info("obj.assumed.transmission", "'\(source.name)' lets light through (Tf): taken as opacity", at: place(tf.line))
    }

    /// Bump maps of grey are heights, which the model has no place for; others are taken as normals.
    private func normal(_ s: inout Surface, _ diagnostics: inout Diagnostics) {
        let bump = textures[.map_Bump]
        var strength = bump?.map.options.bumpMultiplier ?? 1
        let map: MapTexture
        if let norm = textures[.norm] {
            map = norm
            if let own = norm.map.options.bumpMultiplier { strength = own } else if !isSameFile(norm, bump) { strength = 1 }
            if let bump, !isSameFile(norm, bump) { dropped("bump", "map_Bump is left out beside norm", bump.map.line, &diagnostics) }
        } else if let bump {
            // One channel of many is heights as well.
            guard !bump.isGrey, bump.map.options.channel == nil else {
                let what = bump.isGrey ? "a grey image" : "one channel of an image"
                dropped("bump", "map_Bump is \(what), heights: there is no place for them", bump.map.line, &diagnostics)
                return
            }
            map = bump
            diagnostics.info("obj.assumed.normal-map", "map_Bump is taken as a normal map", at: place(bump.map.line))
        } else {
            return
        }
        var bound = binding(map, isColor: false, factor: Vector4f(1, 1, 1, 1))
        bound.output = "rgb"
        let held = min(max(strength, -1e6), 1e6)
        bound.scale = Vector4f(2 * held, 2 * held, 2, 1)
        bound.bias = Vector4f(-held, -held, -1, 0)
        s.normal = Channel(Vector3f(0, 0, 1), texture: bound, isAuthored: true)
    }

    // MARK: Maps

    /// `map_ao`, else `map_Ka`, unless that is the diffuse map once more.
    private var occlusionMap: MapTexture? {
        if let map = textures[.map_ao] { return map }
        guard let map = textures[.map_Ka], !isSameFile(map, textures[.map_Kd]) else { return nil }
        return map
    }

    private func isSameFile(_ a: MapTexture?, _ b: MapTexture?) -> Bool {
        guard let a, let b else { return false }
        return a.texture == b.texture || (a.source == b.source && a.source != .missing)
    }

    private func colorMap(
        _ key: MTLMaterial.MapKey, _ colorKey: MTLMaterial.ColorKey, _ channel: inout Channel<Vector3f>, _ diagnostics: inout Diagnostics
    ) {
        guard let map = textures[key] else { return }
        var f = Vector3f(1, 1, 1)
        if source.colors[colorKey] != nil {
            f = channel.value
            if f == Vector3f(0, 0, 0) {
                assumeFull(map.map, &diagnostics)
                f = Vector3f(1, 1, 1)
            }
        } else {
            channel.value = f
        }
        channel.texture = binding(map, isColor: true, factor: Vector4f(f.x, f.y, f.z, 1))
        channel.isAuthored = true
    }

    private func scalarMap(
        _ key: MTLMaterial.MapKey, _ numberKey: MTLMaterial.NumberKey, _ channel: inout Channel<Float>, _ diagnostics: inout Diagnostics
    ) {
        guard let map = textures[key] else { return }
        let f = factor(source.numbers[numberKey], map.map, &diagnostics)
        channel.texture = binding(map, isColor: false, factor: Vector4f(f, f, f, f))
        channel.isAuthored = true
    }

    /// What a map is multiplied with: the number of the same key, unless that would leave nothing of the map.
    private func factor(_ number: MTLMaterial.Number?, _ map: MTLMap, _ diagnostics: inout Diagnostics) -> Float {
        guard let number else { return 1 }
        if number.value > 0 { return min(number.value, 1) }
        assumeFull(map, &diagnostics)
        return 1
    }

    private func assumeFull(_ map: MTLMap, _ diagnostics: inout Diagnostics) {
        diagnostics.info("obj.assumed.map-factor", "the factor of \(map.key.rawValue) is 0: taken as 1", at: place(map.line))
    }

    private func binding(_ map: MapTexture, isColor: Bool, factor: Vector4f) -> TextureBinding {
        let o = map.map.options
        var b = TextureBinding(texture: map.texture, output: isColor ? "rgb" : "r")
        switch o.channel {
        case UInt8(ascii: "r"), UInt8(ascii: "l"), UInt8(ascii: "z"): b.output = "r"
        case UInt8(ascii: "g"): b.output = "g"
        case UInt8(ascii: "b"): b.output = "b"
        case UInt8(ascii: "m"): b.output = "a"
        default: if map.map.key == .norm || map.map.key == .map_Bump { b.output = "rgb" }
        }
        b.primvar = primvar
        let wrap: WrapMode = o.isClamped == true ? .clamp : .repeat
        (b.wrapS, b.wrapT) = (wrap, wrap)
        switch o.colorSpace {
        case "srgb": b.colorSpace = .sRGB
        case "raw", "linear", "non-color": b.colorSpace = .raw
        default: b.colorSpace = isColor ? .sRGB : .raw
        }
        var t = TextureTransform()
        if let s = o.scale { t.scale = Vector2f(s[0], s[1]) }
        if let m = o.offset { t.translation = Vector2f(m[0], m[1]) }
        if !t.isIdentity { b.transform = t }
        let (gain, base) = (o.gain ?? 1, o.base ?? 0)
        // Products of numbers that are finite each.
        func finite(_ x: Float) -> Float { min(max(x, -.greatestFiniteMagnitude), .greatestFiniteMagnitude) }
        let scale = Vector4f(finite(factor.x * gain), finite(factor.y * gain), finite(factor.z * gain), finite(factor.w * gain))
        if scale != Vector4f(1, 1, 1, 1) { b.scale = scale }
        if base != 0 { b.bias = Vector4f(finite(factor.x * base), finite(factor.y * base), finite(factor.z * base), finite(factor.w * base)) }
        return b
    }

    // MARK: What has no place

    private func dropped(_ what: String, _ message: String, _ line: Int, _ diagnostics: inout Diagnostics) {
        diagnostics.warning("obj.dropped." + what, message, at: place(line))
    }

    private func reportDropped(_ diagnostics: inout Diagnostics) {
        let missing: [(MTLMaterial.NumberKey, String)] = [(.Ps, "sheen"), (.aniso, "anisotropy")]
        for (key, what) in missing {
            if let n = source.numbers[key], n.value != 0 {
                dropped(what, "\(key.rawValue) has no place in the surface and is only listed", n.line, &diagnostics)
            }
        }
        if let line = source.haloLine { dropped("halo", "d -halo is taken as plain d: its fall-off has no place", line, &diagnostics) }
        for key in MTLMaterial.MapKey.allCases {
            guard let map = textures[key]?.map else { continue }
            switch key {
            case .map_Ks, .map_Ns, .map_Ni, .map_Tf, .map_Ps, .map_aniso, .decal, .refl:
                dropped("map", "\(key.rawValue) has no place in the surface and is only listed", map.line, &diagnostics)
            case .map_Tr where textures[.map_d] != nil:
                dropped("map", "map_Tr is left out beside map_d", map.line, &diagnostics)
            case .map_Ka where textures[.map_ao] != nil && !isSameFile(textures[.map_Ka], textures[.map_Kd]):
                dropped("map", "map_Ka is left out beside map_ao", map.line, &diagnostics)
            default: break
            }
            options(map, &diagnostics)
        }
    }

    private func options(_ map: MTLMap, _ diagnostics: inout Diagnostics) {
        let o = map.options
        var names: [String] = []
        if let t = o.turbulence, t.contains(where: { $0 != 0 }) { names.append("-t") }
        if o.blendsU == false { names.append("-blendu") }
        if o.blendsV == false { names.append("-blendv") }
        if let boost = o.boost, boost != 0 { names.append("-boost") }
        if o.correctsColor == true { names.append("-cc") }
        if o.resolution != nil { names.append("-texres") }
        if o.channel == UInt8(ascii: "z") { names.append("-imfchan z") }
        if o.type != nil, map.key != .refl { names.append("-type") }
        if o.bumpMultiplier != nil, map.key != .map_Bump, map.key != .norm { names.append("-bm") }
        if let s = o.scale, s[2] != 1 { names.append("w of -s") }
        if let m = o.offset, m[2] != 0 { names.append("w of -o") }
        if map.key == .norm || map.key == .map_Bump, o.base ?? 0 != 0 || o.gain ?? 1 != 1 { names.append("-mm") }
        guard !names.isEmpty else { return }
        dropped("map-option", "\(names.joined(separator: ", ")) of \(map.key.rawValue) has no place and is left out", map.line, &diagnostics)
    }
}
