import AssetIO
import AssetModel
import AssetOps

/// What PLY can show of a material: an image for the base colour, or a plain colour in the vertices.
struct PLYLook {
    /// Nil where an image gives it, or nothing is known of it.
    var color: UInt32?
    /// Which of the texture files.
    var texture: Int?
    /// The primvar with the image's coordinates, and the transform that goes into them.
    var primvar: String?
    var transform: TextureTransform?
}

/// The materials that are drawn, and the images that go beside the output for them.
struct PLYLooks {
    private let scene: Scene
    private var textures: TextureCopies
    private var looks: [ID<Material>: PLYLook] = [:]
    private var numbers: [String: Int] = [:]
    /// Paths relative to the output, in the order of their first use.
    private(set) var textureFiles: [String] = []
    /// Images that are not written: further ones of materials, and all where the output has no folder.
    private(set) var lost = LossList()
    private let hasFolder: Bool
    /// Images left out as asked.
    private(set) var skipped = 0

    init(_ scene: Scene, _ context: WriteContext) {
        self.scene = scene
        hasFolder = context.options.hasFolder
        let isSkipped = context.options.textures == .skip || !hasFolder
        textures = TextureCopies(scene, context.resolver, isSkipped: isSkipped, largest: context.options.imageBytes, code: "ply", format: "PLY")
    }

    func reportImages(_ file: String, to diagnostics: inout Diagnostics) { textures.report(file, to: &diagnostics) }

    func write(to output: any OutputSink) throws(AssetError) { try textures.write(to: output) }

    mutating func look(_ id: ID<Material>, isSkipping: Bool, _ diagnostics: inout Diagnostics) -> PLYLook {
        if let known = looks[id] { return known }
        let made = make(scene.materials[id], isSkipping, &diagnostics)
        looks[id] = made
        return made
    }

    private mutating func make(_ material: Material, _ isSkipping: Bool, _ diagnostics: inout Diagnostics) -> PLYLook {
        var look = PLYLook()
        guard let surface = material.surface else {
            lost.note("materials", at: material.path, name: material.name)
            return look
        }
        // A plain colour or image is all kept, but for the name.
        let isPlain = material.inputs.allSatisfy { ["diffuseColor", "opacity"].contains($0.name) }
        lost.note(isPlain ? "material-names" : "materials", at: material.path, name: material.name)
        let others = [
            surface.metallic.texture, surface.roughness.texture, surface.normal.texture, surface.emissiveColor.texture,
            surface.occlusion.texture, surface.specularColor.texture, surface.displacement.texture, surface.clearcoat.texture,
        ].compactMap { $0 }
        for binding in others where binding.texture != surface.diffuseColor.texture?.texture { note(binding, material) }
        if let binding = surface.opacity.texture, binding.texture != surface.diffuseColor.texture?.texture { note(binding, material) }

        var color = surface.diffuseColor.value
        if let binding = surface.diffuseColor.texture {
            if let entry = textures.entry(binding.texture, usedBy: material, &diagnostics) {
                look.texture = number(entry.path)
                (look.primvar, look.transform) = (binding.primvar, binding.transform)
                if look.transform?.isIdentity ?? false { look.transform = nil }
                return look
            }
            if case .missing = scene.textures[binding.texture].source {
            } else {
                if isSkipping { skipped += 1 } else if !hasFolder { note(binding, material) }
                (look.primvar, look.transform) = (binding.primvar, binding.transform)
                if look.transform?.isIdentity ?? false { look.transform = nil }
            }
            guard let fallback = binding.fallback else { return look }
            color = Vector3f(fallback.x, fallback.y, fallback.z)
        } else if !surface.diffuseColor.isAuthored {
            return look
        }
        var opacity = surface.opacity.texture == nil ? surface.opacity.value : 1
        if surface.opacityThreshold > 0 { opacity = opacity >= surface.opacityThreshold ? 1 : 0 }
        look.color = PLYColor.packed(color) & PLYColor.withoutAlpha | PLYColor.alpha(opacity)
        return look
    }

    private mutating func note(_ binding: TextureBinding, _ material: Material) {
        if case .missing = scene.textures[binding.texture].source { return }
        lost.note("textures", at: material.path, name: scene.textures[binding.texture].authoredPath)
    }

    private mutating func number(_ path: String) -> Int {
        if let known = numbers[path] { return known }
        numbers[path] = textureFiles.count
        textureFiles.append(path)
        return textureFiles.count - 1
    }
}

/// Colours as four bytes in a word, red lowest.
enum PLYColor {
    static let white: UInt32 = 0xFFFF_FFFF
    static let withoutAlpha: UInt32 = 0x00FF_FFFF

    @inline(__always)
    private static func byte(_ value: Float) -> UInt32 {
        // Not a number is black; so is all below.
        guard value > 0 else { return 0 }
        return value >= 1 ? 255 : UInt32((value * 255).rounded())
    }

    @inline(__always)
    static func packed(_ c: Vector3f) -> UInt32 { byte(c.x) | byte(c.y) << 8 | byte(c.z) << 16 | 0xFF00_0000 }

    @inline(__always)
    static func alpha(_ value: Float) -> UInt32 { byte(value) << 24 }
}
