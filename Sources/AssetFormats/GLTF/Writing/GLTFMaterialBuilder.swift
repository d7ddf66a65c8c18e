import AssetIO
import AssetImages
import AssetModel
import AssetOps

/// Makes one material of glTF of a surface in UsdPreviewSurface's terms: factors for constants, the images of textures where they fit
/// and new ones where channels, ranges or colour spaces differ.
struct GLTFMaterialBuilder {
    private typealias Channel = GLTFImageWriter.Channel

    private let source: Material
    private let place: SourceLocation
    private let options: WriteOptions
    /// The number of each set of coordinates; −1 where the mesh has none.
    private let sets: [String: Int]
    private var pbr: [Value.Entry] = []
    private var maps: [Value.Entry] = []
    private var factors: [Value.Entry] = []
    private var extensions: [Value.Entry] = []
    private var alphaMode = "OPAQUE"
    private var alphaCutoff: Float?

    init(_ source: Material, _ place: SourceLocation, _ options: WriteOptions, sets: [String: Int]) {
        self.source = source
        self.place = place
        self.options = options
        self.sets = sets
    }

    func entries(isDoubleSided: Bool) -> [Value.Entry] {
        var entries: [Value.Entry] = [.init("pbrMetallicRoughness", .dictionary(pbr))] + maps + factors
        if alphaMode != "OPAQUE" { entries.append(.init("alphaMode", .string(alphaMode))) }
        if let alphaCutoff { entries.append(.init("alphaCutoff", .float(alphaCutoff))) }
        if isDoubleSided { entries.append(.init("doubleSided", .bool(true))) }
        if !extensions.isEmpty { entries.append(.init("extensions", .dictionary(extensions))) }
        return entries
    }

    mutating func build(
        _ use: GLTFMaterialUse, _ images: GLTFImageWriter, _ out: inout GLTFOutput, _ diagnostics: inout Diagnostics
    ) {
        guard let s = source.surface else {
            diagnostics.warning(
                "gltf.lost.material", "the shading model \(source.shader ?? "(none)") is not understood; the material is written grey", at: place)
            pbr = [.init("baseColorFactor", .floats([0.8, 0.8, 0.8, 1])), .init("metallicFactor", .int(0))]
            return
        }
        var context = Context(images: images, out: out, diagnostics: diagnostics)
        // What is handed over is not held twice.
        (out, diagnostics) = (GLTFOutput(), Diagnostics())
        let textures = Maps(s, sets, place, &context)
        baseColor(s, textures, use.color, &context)
        if s.useSpecularWorkflow { specular(s, textures, &context) } else { metal(s, textures, &context) }
        normal(s, textures, &context)
        occlusion(s, textures, &context)
        emission(s, textures, &context)
        ior(s, &context)
        clearcoat(s, textures, &context)
        if source.shader == "KHR_materials_unlit" {
            extend("KHR_materials_unlit", [], &context)
        }
        if s.displacement.texture != nil || s.displacement.value != 0 {
            context.lost("displacement", "displacement is not written: glTF has none", place)
        }
        (out, diagnostics) = (context.out, context.diagnostics)
    }

    /// Where images go and what is told.
    struct Context {
        let images: GLTFImageWriter
        var out: GLTFOutput
        var diagnostics: Diagnostics

        mutating func lost(_ what: String, _ message: String, _ place: SourceLocation) {
            diagnostics.warning("gltf.lost." + what, message, at: place)
        }
    }

    // MARK: Textures of the surface

    /// A texture whose image is there.
    struct Map {
        var binding: TextureBinding
        var header: ImageHeader
        var input: String

        /// The channels that feed the input, 0 to 3.
        var channels: [Int] {
            switch binding.output {
            case "r": [0]
            case "g": [1]
            case "b": [2]
            case "a": [3]
            default: [0, 1, 2]
            }
        }

        func scale(_ channel: Int) -> Float { binding.scale.map { Self.component($0, channel) } ?? 1 }
        func bias(_ channel: Int) -> Float { binding.bias.map { Self.component($0, channel) } ?? 0 }

        static func component(_ v: Vector4f, _ channel: Int) -> Float {
            switch channel {
            case 0: v.x
            case 1: v.y
            case 2: v.z
            default: v.w
            }
        }

        /// Whether the values that are stored are sRGB: as the texture says, else by the file: 8 bits of three or four channels.
        var isSRGB: Bool {
            switch binding.colorSpace {
            case .sRGB: true
            case .raw: false
            case .auto: (header.channels ?? 3) >= 3 && (header.bitDepth ?? 8) <= 8
            }
        }

        /// Whether the stored texels are the colours, a factor aside.
        var isPlainColor: Bool { channels.count == 3 && isSRGB && (0..<3).allSatisfy { bias($0) == 0 } }

        /// Whether one image can serve both: the same coordinates and transform, wrapped alike as far as they say.
        func samplesLike(_ other: Map) -> Bool {
            func agree(_ a: WrapMode, _ b: WrapMode) -> Bool { a == b || a == .useMetadata || b == .useMetadata }
            return (binding.primvar ?? "st") == (other.binding.primvar ?? "st") && binding.transform == other.binding.transform
                && agree(binding.wrapS, other.binding.wrapS) && agree(binding.wrapT, other.binding.wrapT)
        }
    }

    struct Maps {
        var diffuse, opacity, roughness, metallic, specular, normal, emissive, occlusion, clearcoat, clearcoatRoughness: Map?

        init(_ s: Surface, _ sets: [String: Int], _ place: SourceLocation, _ context: inout Context) {
            func map(_ binding: TextureBinding?, _ input: String) -> Map? {
                guard let binding, let image = context.images.source(binding.texture, place, &context.diagnostics) else { return nil }
                guard sets[binding.primvar ?? "st", default: -1] >= 0 else {
                    context.lost("texture", "\(input)'s texture is not written: the mesh has no coordinates", place)
                    return nil
                }
                return Map(binding: binding, header: image.header, input: input)
            }
            diffuse = map(s.diffuseColor.texture, "diffuseColor")
            opacity = map(s.opacity.texture, "opacity")
            roughness = map(s.roughness.texture, "roughness")
            if s.useSpecularWorkflow {
                specular = map(s.specularColor.texture, "specularColor")
            } else {
                metallic = map(s.metallic.texture, "metallic")
            }
            normal = map(s.normal.texture, "normal")
            emissive = map(s.emissiveColor.texture, "emissiveColor")
            occlusion = map(s.occlusion.texture, "occlusion")
            clearcoat = map(s.clearcoat.texture, "clearcoat")
            clearcoatRoughness = map(s.clearcoatRoughness.texture, "clearcoatRoughness")
        }
    }

    /// A texture whose file is missing counts as its fallback.
    private func constant(_ channel: AssetModel.Channel<Vector3f>, _ map: Map?) -> Vector3f {
        if map == nil, let f = channel.texture?.fallback { return Vector3f(f.x, f.y, f.z) }
        return channel.value
    }

    private func constant(_ channel: AssetModel.Channel<Float>, _ map: Map?) -> Float {
        if map == nil, let t = channel.texture, let f = t.fallback {
            return Map.component(f, ["r": 0, "g": 1, "b": 2, "a": 3][t.output] ?? 0)
        }
        return channel.value
    }

    private func clamped(_ x: Float) -> Float { x >= 0 ? min(x, 1) : 0 }

    // MARK: Writing textures

    /// The `textureInfo` of an image that a map samples.
    private func info(_ image: Int, _ map: Map, _ context: inout Context, _ more: [Value.Entry] = []) -> Value {
        let wrap = [map.binding.wrapS, map.binding.wrapT]
        if wrap.contains(.black) {
            context.lost("wrap", "black outside \(map.input)'s texture becomes its edge: glTF has no border", place)
        }
        var entries: [Value.Entry] = [.init("index", .int(Int64(context.images.texture(image, wrap, &context.out))))]
        let set = sets[map.binding.primvar ?? "st"] ?? 0
        if set > 0 { entries.append(.init("texCoord", .int(Int64(set)))) }
        entries += more
        if let t = map.binding.transform, !t.isIdentity {
            context.out.use("KHR_texture_transform")
            entries.append(.init("extensions", .dictionary([.init("KHR_texture_transform", .dictionary(Self.transform(t)))])))
        }
        return .dictionary(entries)
    }

    /// KHR_texture_transform counts v from the top: offset = (tx − sy·sin φ, 1 − ty − sy·cos φ).
    static func transform(_ t: TextureTransform) -> [Value.Entry] {
        let (cosine, sine) = turn(degrees: Double(t.rotation))
        let (sx, sy) = (Double(t.scale.x), Double(t.scale.y))
        let offset = [Float(Double(t.translation.x) - sy * sine), Float(1 - Double(t.translation.y) - sy * cosine)]
        var entries: [Value.Entry] = []
        if offset != [0, 0] { entries.append(.init("offset", .floats(offset))) }
        if t.rotation != 0 { entries.append(.init("rotation", .float(Float(Double(t.rotation) * .pi / 180)))) }
        if sx != 1 || sy != 1 { entries.append(.init("scale", .floats([t.scale.x, t.scale.y]))) }
        return entries
    }

    private mutating func extend(_ name: String, _ entries: [Value.Entry], _ context: inout Context) {
        context.out.use(name)
        extensions.append(.init(name, .dictionary(entries)))
    }

    /// A channel of an image that is made of a map's: for data, whose texels count as they are.
    private func data(_ map: Map, _ channel: Int, _ context: inout Context) -> GLTFImageWriter.Channel {
        Channel(
            texture: map.binding.texture, index: channel, scale: map.scale(channel), bias: map.bias(channel),
            isSRGB: channel < 3 && map.binding.colorSpace == .sRGB)
    }

    /// The three channels of an image that is made of a map's: for colours, stored as sRGB.
    private func colors(_ map: Map) -> [GLTFImageWriter.Channel] {
        (0..<3).map { k in
            let index = map.channels.count == 1 ? map.channels[0] : k
            return Channel(
                texture: map.binding.texture, index: index, scale: map.scale(index), bias: map.bias(index), isSRGB: map.isSRGB && index < 3,
                storesSRGB: true)
        }
    }

    /// Data that says nothing of its colour space is nearly always meant as it stands.
    private func noteAssumedData(_ map: Map, _ context: inout Context) {
        guard map.binding.colorSpace == .auto, map.isSRGB, map.channels.contains(where: { $0 < 3 }) else { return }
        context.diagnostics.warning(
            "gltf.assumed.color-space",
            "\(map.input)'s texture does not say that it is raw and would count as sRGB; its values are taken as they are", at: place)
    }

    // MARK: Base colour and opacity

    private mutating func baseColor(_ s: Surface, _ maps: Maps, _ color: GLTFColorUse, _ context: inout Context) {
        var factor = constant(s.diffuseColor, maps.diffuse)
        var alpha = constant(s.opacity, maps.opacity)
        var opacity = maps.opacity
        if let map = opacity, map.binding.output == "a", (map.header.channels ?? 4) % 2 != 0 {
            // There is no alpha: opaque throughout.
            (opacity, alpha) = (nil, clamped(map.scale(3) + map.bias(3)))
        }
        if let map = opacity, let diffuse = maps.diffuse, !map.samplesLike(diffuse) {
            context.lost("opacity-texture", "opacity's texture is not written: it is placed otherwise than diffuseColor's", place)
            (opacity, alpha) = (nil, 1)
        }
        var isTransparent = opacity != nil || alpha < 1
        if isTransparent, s.opacityThreshold <= 0, let map = opacity, isOpaque(map, &context) {
            // Every texel is opaque.
            (opacity, alpha, isTransparent) = (nil, 1, false)
        }
        var image: (index: Int, map: Map)?
        if let diffuse = maps.diffuse {
            if let fits = directBase(diffuse, opacity, isTransparent, alpha, &context) {
                image = (fits, diffuse)
                factor = Vector3f(diffuse.scale(0), diffuse.scale(1), diffuse.scale(2))
                if let map = opacity { alpha = map.scale(3) }
            } else {
                var channels = colors(diffuse)
                if let map = opacity { channels.append(data(map, map.channels[0], &context)) }
                if let made = context.images.image(channels, named: "\(source.name)_baseColor", place, &context.out, &context.diagnostics) {
                    image = (made, diffuse)
                    factor = Vector3f(1, 1, 1)
                    if opacity != nil { alpha = 1 }
                }
            }
        } else if let map = opacity {
            let white = Channel.constant(1)
            let channels = [white, white, white, data(map, map.channels[0], &context)]
            if let made = context.images.image(channels, named: "\(source.name)_opacity", place, &context.out, &context.diagnostics) {
                image = (made, map)
                alpha = 1
            }
        }
        if case .whole(let tint, let tintAlpha) = color {
            let reads = s.diffuseColor.texture == nil && s.diffuseColor.primvar != nil
            factor = reads ? tint : Vector3f(factor.x * tint.x, factor.y * tint.y, factor.z * tint.z)
            if !reads { alpha *= tintAlpha }
        } else if case .vertices = color, s.diffuseColor.texture == nil, s.diffuseColor.primvar != nil {
            factor = Vector3f(1, 1, 1)
        }
        transparency(s, alpha, isTransparent: isTransparent, hasTexture: image != nil && opacity != nil, &context)
        if options.opacity == .transmission, alphaMode == "OPAQUE" { alpha = 1 }
        let numbers = [clamped(factor.x), clamped(factor.y), clamped(factor.z), clamped(alpha)]
        if [factor.x, factor.y, factor.z].contains(where: { $0 > 1 || $0 < 0 }) {
            context.lost("color-range", "a diffuse colour outside 0 to 1 is written at the end of the range", place)
        }
        if numbers != [1, 1, 1, 1] { pbr.append(.init("baseColorFactor", .floats(numbers))) }
        if let image { pbr.append(.init("baseColorTexture", info(image.index, image.map, &context))) }
    }

    /// The source's own image, where colour and alpha stand in it as glTF reads them.
    private mutating func directBase(
        _ map: Map, _ opacity: Map?, _ isTransparent: Bool, _ alpha: Float, _ context: inout Context
    ) -> Int? {
        guard map.channels.count == 3, (0..<3).allSatisfy({ map.bias($0) == 0 && map.scale($0) >= 0 && map.scale($0) <= 1 }), map.isSRGB else {
            return nil
        }
        if let opacity {
            guard opacity.binding.texture == map.binding.texture, opacity.binding.output == "a", opacity.bias(3) == 0, opacity.scale(3) >= 0,
                opacity.scale(3) <= 1
            else { return nil }
        } else if isTransparent, (map.header.channels ?? 3) % 2 == 0 {
            // The image's own alpha is not meant.
            return nil
        }
        return context.images.image(map.binding.texture, place, &context.out, &context.diagnostics)
    }

    /// Whether an alpha channel is full everywhere.
    private func isOpaque(_ map: Map, _ context: inout Context) -> Bool {
        guard map.binding.output == "a", map.scale(3) == 1, map.bias(3) == 0 else { return false }
        guard let raster = context.images.raster(map.binding.texture, place, &context.diagnostics) else { return false }
        return raster.isFull(channel: raster.channels - 1)
    }

    private mutating func transparency(
        _ s: Surface, _ alpha: Float, isTransparent: Bool, hasTexture: Bool, _ context: inout Context
    ) {
        if s.opacityThreshold > 0 {
            // Both keep what is not below (glTF 3.9.4).
            (alphaMode, alphaCutoff) = ("MASK", s.opacityThreshold == 0.5 ? nil : s.opacityThreshold)
            return
        }
        guard isTransparent else { return }
        guard s.opacityMode == .transparent else {
            alphaMode = "BLEND"
            return
        }
        if options.opacity == .transmission {
            guard !hasTexture else {
                alphaMode = "BLEND"
                context.diagnostics.info("gltf.assumed.blend", "an opacity with a texture is written as blended, not as transmission", at: place)
                return
            }
            extend("KHR_materials_transmission", [.init("transmissionFactor", .float(1 - clamped(alpha)))], &context)
            return
        }
        alphaMode = "BLEND"
        context.diagnostics.info(
            "gltf.assumed.blend", "opacity is written as coverage (BLEND), which takes the highlights along; --opacity transmission keeps them",
            at: place)
    }

    // MARK: Metal and roughness

    private mutating func metal(_ s: Surface, _ maps: Maps, _ context: inout Context) {
        var (metallic, roughness) = (constant(s.metallic, maps.metallic), constant(s.roughness, maps.roughness))
        var (metalMap, roughMap) = (maps.metallic, maps.roughness)
        if let a = metalMap, let b = roughMap, !a.samplesLike(b) {
            context.lost("metallic-texture", "metallic's texture is not written: it is placed otherwise than roughness's", place)
            (metalMap, metallic) = (nil, 0)
        }
        for map in [metalMap, roughMap].compactMap({ $0 }) { noteAssumedData(map, &context) }
        if let lead = roughMap ?? metalMap {
            var image: Int?
            // A factor of zero needs no channel; any other constant would be multiplied by one that nobody asked for.
            let isDirect =
                (roughMap.map { isPlain($0, channel: 1, lead) } ?? true) && (metalMap.map { isPlain($0, channel: 2, lead) } ?? true)
                && (roughMap != nil || roughness == 0) && (metalMap != nil || metallic == 0)
            if isDirect {
                image = context.images.image(lead.binding.texture, place, &context.out, &context.diagnostics)
                if let map = roughMap { roughness = map.scale(1) }
                if let map = metalMap { metallic = map.scale(2) }
            } else {
                let full = Channel.constant(1)
                let channels = [
                    full, roughMap.map { data($0, $0.channels[0], &context) } ?? full, metalMap.map { data($0, $0.channels[0], &context) } ?? full,
                ]
                image = context.images.image(channels, named: "\(source.name)_metallicRoughness", place, &context.out, &context.diagnostics)
                if image != nil {
                    if roughMap != nil { roughness = 1 }
                    if metalMap != nil { metallic = 1 }
                }
            }
            if let image { pbr.append(.init("metallicRoughnessTexture", info(image, lead, &context))) }
        }
        pbr.append(.init("metallicFactor", .float(clamped(metallic))))
        pbr.append(.init("roughnessFactor", .float(clamped(roughness))))
    }

    /// Whether an image holds a map's values where glTF looks for them, and a factor does the rest.
    private func isPlain(_ map: Map, channel: Int, _ lead: Map) -> Bool {
        map.binding.texture == lead.binding.texture && map.binding.colorSpace != .sRGB && map.bias(channel) == 0 && map.scale(channel) >= 0
            && map.scale(channel) <= 1 && (map.channels == [channel] || map.binding.output == "r" && (map.header.channels ?? 3) < 3)
    }

    // MARK: Specular workflow

    /// Exact: F0 = s and F90 = 1 come of `specularColorFactor · ((ior − 1)/(ior + 1))²`.
    private mutating func specular(_ s: Surface, _ maps: Maps, _ context: inout Context) {
        pbr.append(.init("metallicFactor", .int(0)))
        var roughness = constant(s.roughness, maps.roughness)
        if let map = maps.roughness {
            noteAssumedData(map, &context)
            let full = Channel.constant(1)
            if let image = context.images.image(
                [full, data(map, map.channels[0], &context), full], named: "\(source.name)_roughness", place, &context.out, &context.diagnostics)
            {
                pbr.append(.init("metallicRoughnessTexture", info(image, map, &context)))
                roughness = 1
            }
        }
        pbr.append(.init("roughnessFactor", .float(clamped(roughness))))
        if let map = maps.specular {
            var image: Int?
            if map.isPlainColor {
                image = context.images.image(map.binding.texture, place, &context.out, &context.diagnostics)
            } else {
                image = context.images.image(colors(map), named: "\(source.name)_specularColor", place, &context.out, &context.diagnostics)
            }
            if let image {
                var entries: [Value.Entry] = []
                if map.isPlainColor, map.binding.scale != nil {
                    entries.append(.init("specularColorFactor", .floats([map.scale(0), map.scale(1), map.scale(2)])))
                }
                entries.append(.init("specularColorTexture", info(image, map, &context)))
                extend("KHR_materials_specular", entries, &context)
                extend("KHR_materials_ior", [.init("ior", .int(1000))], &context)
                return
            }
        }
        let color = constant(s.specularColor, maps.specular)
        let m = min(max(Double(max(color.x, color.y, color.z)), 0), 0.998)
        // Black is black at any index of refraction.
        func part(_ x: Float) -> Float { m > 0 ? Float(Double(max(0, x)) / m) : 0 }
        extend("KHR_materials_specular", [.init("specularColorFactor", .floats([part(color.x), part(color.y), part(color.z)]))], &context)
        let ior = (1 + m.squareRoot()) / (1 - m.squareRoot())
        if m > 0, (ior - 1.5).magnitude > 1e-5 { extend("KHR_materials_ior", [.init("ior", .float(Float(ior)))], &context) }
    }

    private mutating func ior(_ s: Surface, _ context: inout Context) {
        guard !s.useSpecularWorkflow, s.ior != 1.5 else { return }
        guard s.ior >= 1, s.ior.isFinite else {
            context.lost("ior", "an index of refraction of \(FloatPrinter.text(s.ior)) is not written: glTF's are 1 or more", place)
            return
        }
        extend("KHR_materials_ior", [.init("ior", .float(s.ior))], &context)
    }

    // MARK: Normal, occlusion, emission, clearcoat

    private mutating func normal(_ s: Surface, _ maps: Maps, _ context: inout Context) {
        guard let map = maps.normal, let found = normalImage(map, &context) else { return }
        let more: [Value.Entry] = found.scale == 1 ? [] : [.init("scale", .float(found.scale))]
        let value = info(found.image, map, &context, more)
        add(.init("normalTexture", value))
        clearcoatNormal = value
    }

    private var clearcoatNormal: Value?

    private mutating func add(_ entry: Value.Entry) { maps.append(entry) }

    /// n' = t·scale + bias is glTF's n = (2t − 1)·(s, s, 1) where scale is (2s, 2s, 2) and bias (−s, −s, −1).
    private func normalImage(_ map: Map, _ context: inout Context) -> (image: Int, scale: Float)? {
        func direct(_ scale: Float) -> (Int, Float)? {
            context.images.image(map.binding.texture, place, &context.out, &context.diagnostics).map { ($0, scale) }
        }
        guard map.binding.scale != nil || map.binding.bias != nil else {
            context.diagnostics.warning("gltf.assumed.normal-scale", "the normal map has no scale and bias, taken as 2 and -1", at: place)
            return direct(1)
        }
        func near(_ a: Float, _ b: Float) -> Bool { (a - b).magnitude <= 1e-4 }
        let s = map.scale(0) / 2
        if near(map.scale(1), 2 * s), near(map.scale(2), 2), near(map.bias(0), -s), near(map.bias(1), -s), near(map.bias(2), -1), s.isFinite,
            map.binding.colorSpace != .sRGB
        {
            return direct(s)
        }
        // Anything else is baked: t' = (n' + 1) / 2.
        let channels = (0..<3).map { k in
            Channel(
                texture: map.binding.texture, index: k, scale: map.scale(k) / 2, bias: (map.bias(k) + 1) / 2,
                isSRGB: map.binding.colorSpace == .sRGB)
        }
        return context.images.image(channels, named: "\(source.name)_normal", place, &context.out, &context.diagnostics).map { ($0, 1) }
    }

    private mutating func occlusion(_ s: Surface, _ textures: Maps, _ context: inout Context) {
        guard let map = textures.occlusion else {
            let value = constant(s.occlusion, nil)
            if value != 1 { context.lost("occlusion", "a constant occlusion is not written: glTF has none", place) }
            return
        }
        noteAssumedData(map, &context)
        let channel = map.channels[0]
        let (scale, bias) = (map.scale(channel), map.bias(channel))
        let isRed = channel == 0 || (map.header.channels ?? 3) < 3 && channel < 3
        // 1 + strength · (t − 1)
        let fits = isRed && map.binding.colorSpace != .sRGB && scale >= 0 && scale <= 1 && (bias - (1 - scale)).magnitude <= 1e-5
        let image =
            fits
            ? context.images.image(map.binding.texture, place, &context.out, &context.diagnostics)
            : context.images.image([data(map, channel, &context)], named: "\(source.name)_occlusion", place, &context.out, &context.diagnostics)
        guard let image else { return }
        add(.init("occlusionTexture", info(image, map, &context, fits && scale != 1 ? [.init("strength", .float(scale))] : [])))
    }

    private mutating func emission(_ s: Surface, _ textures: Maps, _ context: inout Context) {
        var factor = constant(s.emissiveColor, textures.emissive)
        if let map = textures.emissive {
            var image: Int?
            if map.isPlainColor {
                image = context.images.image(map.binding.texture, place, &context.out, &context.diagnostics)
                factor = Vector3f(map.scale(0), map.scale(1), map.scale(2))
            } else {
                image = context.images.image(colors(map), named: "\(source.name)_emissive", place, &context.out, &context.diagnostics)
                if image != nil { factor = Vector3f(1, 1, 1) }
            }
            if let image { add(.init("emissiveTexture", info(image, map, &context))) }
        }
        let parts = [factor.x, factor.y, factor.z].map { $0 > 0 && $0.isFinite ? $0 : 0 }
        let strength = parts.max() ?? 0
        guard strength > 0 else { return }
        factors.append(.init("emissiveFactor", .floats(strength > 1 ? parts.map { $0 / strength } : parts)))
        if strength > 1 { extend("KHR_materials_emissive_strength", [.init("emissiveStrength", .float(strength))], &context) }
    }

    private mutating func clearcoat(_ s: Surface, _ textures: Maps, _ context: inout Context) {
        var factor = constant(s.clearcoat, textures.clearcoat)
        var roughness = constant(s.clearcoatRoughness, textures.clearcoatRoughness)
        guard factor > 0 || textures.clearcoat != nil else { return }
        var entries: [Value.Entry] = []
        func texture(_ map: Map?, _ channel: Int, _ name: String, _ value: inout Float, _ context: inout Context) {
            guard let map else { return }
            noteAssumedData(map, &context)
            var image: Int?
            if isPlain(map, channel: channel, map) {
                image = context.images.image(map.binding.texture, place, &context.out, &context.diagnostics)
                value = map.scale(channel)
            } else {
                let full = Channel.constant(1)
                let own = data(map, map.channels[0], &context)
                let channels = channel == 0 ? [own] : [full, own, full]
                image = context.images.image(channels, named: "\(source.name)_\(name)", place, &context.out, &context.diagnostics)
                if image != nil { value = 1 }
            }
            if let image { entries.append(.init(name + "Texture", info(image, map, &context))) }
        }
        texture(textures.clearcoat, 0, "clearcoat", &factor, &context)
        texture(textures.clearcoatRoughness, 1, "clearcoatRoughness", &roughness, &context)
        entries.insert(.init("clearcoatFactor", .float(clamped(factor))), at: 0)
        entries.append(.init("clearcoatRoughnessFactor", .float(clamped(roughness))))
        // The coat of a UsdPreviewSurface has the surface's normals; glTF's would have the mesh's.
        if let clearcoatNormal { entries.append(.init("clearcoatNormalTexture", clearcoatNormal)) }
        if s.ior != 1.5, !s.useSpecularWorkflow {
            context.diagnostics.warning(
                "gltf.lost.clearcoat-ior", "the coat's index of refraction is 1.5 in glTF, not \(FloatPrinter.text(s.ior))", at: place)
        }
        extend("KHR_materials_clearcoat", entries, &context)
    }
}
