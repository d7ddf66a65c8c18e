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

extension GLTFToScene {
    /// All materials, used or not, and all images.
    mutating func addMaterials() {
        var images = GLTFImages(document)
        var paths = UniqueNames()
        for material in document.materials { if let name = material.name, !name.isEmpty { paths.announce(Self.pathName(name)) } }
        for (index, source) in document.materials.enumerated() {
            let name = source.name ?? ""
            let path = "/materials/" + (name.isEmpty ? paths.unique(made: "material") : paths.unique(Self.pathName(name)))
            var maker = GLTFMaterialMaker(source, document, document.place("materials", index))
            maker.bindTextures(&images, &accessors, &scene, &diagnostics)
            var material = Material(name: name, path: path, shader: maker.shader)
            material.inputs = maker.inputs()
            material.surface = maker.surface(&diagnostics)
            materials.append(scene.materials.append(material))
            isDoubleSided.append(maker.isDoubleSided)
        }
        images.addRest(&accessors, &scene, &diagnostics)
        scene.source.files.append(contentsOf: images.files)
    }
}

/// One material's surface in common terms, and its inputs in glTF's.
struct GLTFMaterialMaker {
    private let source: GLTFDocument.Material
    private let document: GLTFDocument
    private let place: GLTFPlace
    /// By the member's place in the material.
    private var bindings: [Int: TextureBinding] = [:]

    static let specularGlossiness = "KHR_materials_pbrSpecularGlossiness"
    static let unlit = "KHR_materials_unlit"

    init(_ source: GLTFDocument.Material, _ document: GLTFDocument, _ place: GLTFPlace) {
        self.source = source
        self.document = document
        self.place = place
    }

    /// The shading model's name.
    var shader: String {
        if source.extensions.contains(Self.unlit) { return Self.unlit }
        return source.extensions.contains(Self.specularGlossiness) ? Self.specularGlossiness : "pbrMetallicRoughness"
    }

    var isDoubleSided: Bool { source.members.contains { $0.owner.isEmpty && $0.name == "doubleSided" && $0.value == .bool(true) } }

    // MARK: What the material says

    private func number(_ name: String, _ fallback: Double) -> Float { number(name, "", fallback) }

    private func number(_ name: String, _ owner: String, _ fallback: Double) -> Float {
        for member in source.members where member.owner == owner && member.name == name {
            if case .double(let value) = member.value { return Float(value) }
        }
        return Float(fallback)
    }

    private func numbers(_ name: String, _ fallback: [Float]) -> [Float] { numbers(name, "", fallback) }

    /// Numbers, exactly as many as the fallback has.
    private func numbers(_ name: String, _ owner: String, _ fallback: [Float]) -> [Float] {
        for member in source.members where member.owner == owner && member.name == name {
            if case .doubles(let values) = member.value, values.count == fallback.count { return values.map { Float($0) } }
        }
        return fallback
    }

    private func isSaid(_ name: String, _ owner: String = "") -> Bool { source.members.contains { $0.owner == owner && $0.name == name } }

    private func texture(_ name: String, _ owner: String = "") -> (binding: TextureBinding, info: GLTFDocument.TextureInfo)? {
        for (i, member) in source.members.enumerated() where member.owner == owner && member.name == name {
            if let binding = bindings[i], let info = member.texture { return (binding, info) }
        }
        return nil
    }

    // MARK: Textures

    mutating func bindTextures(
        _ images: inout GLTFImages, _ accessors: inout GLTFAccessors, _ scene: inout Scene, _ diagnostics: inout Diagnostics
    ) {
        for (i, member) in source.members.enumerated() {
            guard let info = member.texture else { continue }
            guard info.index < document.textures.count else {
                diagnostics.warning(
                    "gltf.bad-reference", "\(member.name) asks for texture \(info.index), there are \(document.textures.count)", at: place)
                continue
            }
            let texture = document.textures[info.index]
            guard let image = texture.source else {
                diagnostics.warning("gltf.missing-texture", "texture \(info.index) names no image that is read", at: place)
                continue
            }
            guard let id = images.texture(image, &accessors, &scene, &diagnostics) else {
                diagnostics.warning(
                    "gltf.bad-reference", "texture \(info.index) asks for image \(image), there are \(document.images.count)", at: place)
                continue
            }
            var binding = TextureBinding(texture: id)
            binding.primvar = GLTFToScene.textureCoordinateName(info.texCoord)
            let sampler = texture.sampler.flatMap { $0 < document.samplers.count ? document.samplers[$0] : nil } ?? GLTFDocument.Sampler()
            binding.wrapS = Self.wrap(sampler.wrapS)
            binding.wrapT = Self.wrap(sampler.wrapT)
            binding.transform = info.transform.flatMap(Self.transform)
            binding.colorSpace = Self.isColor(member.name) ? .sRGB : .raw
            bindings[i] = binding
        }
    }

    private static func wrap(_ mode: Int) -> WrapMode {
        switch mode {
        case 33071: .clamp
        case 33648: .mirror
        default: .repeat
        }
    }

    private static func isColor(_ name: String) -> Bool {
        [
            "baseColorTexture", "emissiveTexture", "specularColorTexture", "sheenColorTexture", "diffuseTexture", "specularGlossinessTexture",
            "diffuseTransmissionColorTexture",
        ].contains(name)
    }

    /// KHR_texture_transform, for texture coordinates that count from the bottom; nil for one that changes nothing.
    static func transform(_ source: GLTFDocument.TextureInfo.Transform) -> TextureTransform? {
        let (ox, oy, sx, sy, phi) = (source.offset[0], source.offset[1], source.scale[0], source.scale[1], source.rotation)
        let transform = TextureTransform(
            rotation: Float(phi * 180 / .pi), scale: Vector2f(Float(sx), Float(sy)),
            translation: Vector2f(Float(ox + sy * sin(phi)), Float(1 - oy - sy * cos(phi))))
        return transform.isIdentity ? nil : transform
    }

    // MARK: Inputs

    /// Everything that is said, in name order. A name that two extensions have stands behind its owner's.
    func inputs() -> [MaterialInput] {
        var counts: [String: Int] = [:]
        for member in source.members { counts[member.name, default: 0] += 1 }
        var byName: [String: MaterialInput] = [:]
        for (i, member) in source.members.enumerated() {
            let isShared = counts[member.name, default: 0] > 1
            let name = isShared && !member.owner.isEmpty ? "\(member.owner).\(member.name)" : member.name
            guard member.value != nil || bindings[i] != nil else { continue }
            byName[name] = MaterialInput(name: name, value: member.value, texture: bindings[i])
        }
        return byName.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    // MARK: Surface

    func surface(_ diagnostics: inout Diagnostics) -> Surface {
        var s = Surface()
        var alpha: Float
        var alphaTexture: TextureBinding?
        if source.extensions.contains(Self.specularGlossiness) {
            (alpha, alphaTexture) = specularGlossiness(&s)
        } else {
            (alpha, alphaTexture) = metallicRoughness(&s)
        }
        if source.extensions.contains(Self.unlit) {
            s.metallic = Channel(0, isAuthored: true)
            s.roughness = Channel(1, isAuthored: true)
            diagnostics.info("gltf.assumed.unlit", "the material is not lit: its colour is taken as a rough surface's", at: place)
        }
        opacity(alpha, alphaTexture, &s, &diagnostics)
        emission(&s)
        normalAndOcclusion(&s)
        if isSaid("ior", "KHR_materials_ior") { s.ior = number("ior", "KHR_materials_ior", 1.5) }
        clearcoat(&s, &diagnostics)
        specular(&s, &diagnostics)
        transmission(&s, &diagnostics)
        reportDropped(&diagnostics)
        return s
    }

    private func metallicRoughness(_ s: inout Surface) -> (Float, TextureBinding?) {
        let base = numbers("baseColorFactor", [1, 1, 1, 1])
        s.diffuseColor = color(base, "baseColorTexture")
        let metallic = number("metallicFactor", 1)
        let roughness = number("roughnessFactor", 1)
        s.metallic = scalar(metallic, "metallicRoughnessTexture", "", output: "b")
        s.roughness = scalar(roughness, "metallicRoughnessTexture", "", output: "g")
        return (base[3], texture("baseColorTexture").map { share($0.binding, base[3], output: "a") })
    }

    /// The archived extension: diffuse and specular colours, and glossiness, which is what roughness lacks.
    private func specularGlossiness(_ s: inout Surface) -> (Float, TextureBinding?) {
        let owner = Self.specularGlossiness
        let diffuse = numbers("diffuseFactor", owner, [1, 1, 1, 1])
        s.diffuseColor = color(diffuse, "diffuseTexture", owner)
        s.useSpecularWorkflow = true
        s.specularColor = color(numbers("specularFactor", owner, [1, 1, 1]) + [1], "specularGlossinessTexture", owner)
        let glossiness = number("glossinessFactor", owner, 1)
        s.roughness = Channel(1 - glossiness, isAuthored: true)
        if let (binding, _) = texture("specularGlossinessTexture", owner) {
            s.roughness.texture = inverted(binding, glossiness, output: "a")
        }
        return (diffuse[3], texture("diffuseTexture", owner).map { share($0.binding, diffuse[3], output: "a") })
    }

    /// OPAQUE ignores alpha; MASK and BLEND are coverage.
    private func opacity(_ alpha: Float, _ texture: TextureBinding?, _ s: inout Surface, _ diagnostics: inout Diagnostics) {
        var mode = "OPAQUE"
        for member in source.members where member.owner.isEmpty && member.name == "alphaMode" {
            if case .string(let text) = member.value { mode = text }
        }
        switch mode {
        case "OPAQUE": return
        case "MASK":
            let cutoff = number("alphaCutoff", 0.5)
            // Nothing lies below it.
            guard cutoff > 0 else { return }
            s.opacityThreshold = cutoff
        case "BLEND": break
        default:
            diagnostics.warning("gltf.bad-alpha-mode", "the alpha mode is '\(mode)', expected OPAQUE, MASK or BLEND: taken as OPAQUE", at: place)
            return
        }
        s.opacity = Channel(alpha, texture: texture, isAuthored: true)
        s.opacityMode = .presence
    }

    private func emission(_ s: inout Surface) {
        let strength = number("emissiveStrength", "KHR_materials_emissive_strength", 1)
        let factor = numbers("emissiveFactor", [0, 0, 0]).map { $0 * strength }
        s.emissiveColor = color(factor + [1], "emissiveTexture")
        s.emissiveColor.isAuthored = isSaid("emissiveFactor")
    }

    private func normalAndOcclusion(_ s: inout Surface) {
        if let (binding, info) = texture("normalTexture") {
            var bound = binding
            let scale = Float(info.scale)
            bound.scale = Vector4f(2 * scale, 2 * scale, 2, 1)
            bound.bias = Vector4f(-scale, -scale, -1, 0)
            s.normal = Channel(Vector3f(0, 0, 1), texture: bound, isAuthored: true)
        }
        if let (binding, info) = texture("occlusionTexture") {
            var bound = binding
            let strength = Float(info.strength)
            bound.output = "r"
            if strength != 1 {
                bound.scale = Vector4f(strength, strength, strength, strength)
                bound.bias = Vector4f(1 - strength, 1 - strength, 1 - strength, 1 - strength)
            }
            bound.fallback = Vector4f(1, 1, 1, 1)
            s.occlusion = Channel(1, texture: bound, isAuthored: true)
        }
    }

    private func clearcoat(_ s: inout Surface, _ diagnostics: inout Diagnostics) {
        let owner = "KHR_materials_clearcoat"
        guard source.extensions.contains(owner) else { return }
        let factor = number("clearcoatFactor", owner, 0)
        s.clearcoat = scalar(factor, "clearcoatTexture", owner, output: "r")
        s.clearcoatRoughness = scalar(number("clearcoatRoughnessFactor", owner, 0), "clearcoatRoughnessTexture", owner, output: "g")
        guard factor > 0 else { return }
        // The surface has one normal for both layers.
        let (own, base) = (texture("clearcoatNormalTexture", owner), texture("normalTexture"))
        if let own, own.info.index != base?.info.index || own.info.scale != base?.info.scale {
            diagnostics.warning(
                "gltf.dropped.clearcoat-normal", "the clearcoat's own normal texture is left out: the surface's counts for both", at: place)
        } else if own == nil, base != nil {
            diagnostics.info("gltf.assumed.clearcoat-normal", "the clearcoat takes the surface's normal texture: it has none of its own", at: place)
        }
    }

    /// Exact where nothing is metal and the specular factor is 1: the colour at normal incidence, white at grazing angles.
    private func specular(_ s: inout Surface, _ diagnostics: inout Diagnostics) {
        let owner = "KHR_materials_specular"
        guard source.extensions.contains(owner), !s.useSpecularWorkflow else { return }
        let factor = number("specularFactor", owner, 1)
        let color = numbers("specularColorFactor", owner, [1, 1, 1])
        let hasMap = texture("specularTexture", owner) != nil
        let colorMap = texture("specularColorTexture", owner)
        if factor == 1, color == [1, 1, 1], !hasMap, colorMap == nil { return }
        guard factor == 1, !hasMap, s.metallic.value == 0 else {
            diagnostics.warning(
                "gltf.dropped.specular", "the specular factor, or a colour beside metal, has no place in the surface and is only listed", at: place)
            return
        }
        let ratio = (s.ior - 1) / (s.ior + 1)
        // An index of 0 stands for a reflection of all light.
        let reflectance = s.ior > 0 ? ratio * ratio : 1
        s.useSpecularWorkflow = true
        s.specularColor = Channel(
            Vector3f(min(color[0] * reflectance, 1), min(color[1] * reflectance, 1), min(color[2] * reflectance, 1)), isAuthored: true)
        if let colorMap {
            var bound = colorMap.binding
            bound.scale = Vector4f(color[0] * reflectance, color[1] * reflectance, color[2] * reflectance, 1)
            s.specularColor.texture = bound
        }
    }

    private func transmission(_ s: inout Surface, _ diagnostics: inout Diagnostics) {
        let owner = "KHR_materials_transmission"
        let factor = number("transmissionFactor", owner, 0)
        guard source.extensions.contains(owner), factor > 0 else { return }
        guard !s.opacity.isAuthored else {
            diagnostics.warning("gltf.dropped.transmission", "transmission beside alpha has no place in the surface and is only listed", at: place)
            return
        }
        s.opacity = Channel(1 - factor, isAuthored: true)
        s.opacityMode = .transparent
        if let (binding, _) = texture("transmissionTexture", owner) { s.opacity.texture = inverted(binding, factor, output: "r") }
    }

    private func reportDropped(_ diagnostics: inout Diagnostics) {
        let without = [
            "KHR_materials_sheen", "KHR_materials_iridescence", "KHR_materials_anisotropy", "KHR_materials_volume", "KHR_materials_dispersion",
            "KHR_materials_diffuse_transmission",
        ]
        let used = source.extensions.filter { without.contains($0) }
        guard !used.isEmpty else { return }
        diagnostics.warning(
            "gltf.dropped.material-extension", "\(used.joined(separator: ", ")): no place in the surface, only listed", at: place)
    }

    // MARK: Channels

    /// A colour, and the texture that it is multiplied with.
    private func color(_ factor: [Float], _ name: String, _ owner: String = "") -> Channel<Vector3f> {
        var channel = Channel(Vector3f(factor[0], factor[1], factor[2]), isAuthored: true)
        guard let (binding, _) = texture(name, owner) else { return channel }
        var bound = binding
        if factor != [1, 1, 1, 1] { bound.scale = Vector4f(factor[0], factor[1], factor[2], factor[3]) }
        bound.fallback = Vector4f(1, 1, 1, 1)
        channel.texture = bound
        return channel
    }

    private func scalar(_ factor: Float, _ name: String, _ owner: String, output: String) -> Channel<Float> {
        Channel(factor, texture: texture(name, owner).map { share($0.binding, factor, output: output) }, isAuthored: true)
    }

    private func share(_ binding: TextureBinding, _ factor: Float, output: String) -> TextureBinding {
        var bound = binding
        bound.output = output
        if factor != 1 { bound.scale = Vector4f(factor, factor, factor, factor) }
        bound.fallback = Vector4f(1, 1, 1, 1)
        return bound
    }

    /// `1 - factor · texel`.
    private func inverted(_ binding: TextureBinding, _ factor: Float, output: String) -> TextureBinding {
        var bound = share(binding, factor, output: output)
        bound.scale = Vector4f(-factor, -factor, -factor, -factor)
        bound.bias = Vector4f(1, 1, 1, 1)
        return bound
    }
}
