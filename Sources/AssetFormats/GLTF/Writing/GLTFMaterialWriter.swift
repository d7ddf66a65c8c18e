import AssetIO
import AssetModel
import AssetOps

/// What a primitive's colours do for its material.
enum GLTFColorUse: Hashable {
    case none
    /// One colour and opacity for all, which become factors.
    case whole(Vector3f, Float)
    /// Colours of vertices.
    case vertices(hasAlpha: Bool)
}

/// How a primitive uses its material: another use is another material of the output.
struct GLTFMaterialUse {
    /// The primitive's sets of coordinates in order.
    var sets: [String] = []
    var isDoubleSided = false
    var color = GLTFColorUse.none
}

/// The materials of an output (glTF 2.0, section 3.9, and the extensions of Khronos).
struct GLTFMaterialWriter {
    private struct Key: Hashable {
        var material: ID<Material>?
        /// The number of each set that the material reads.
        var sets: [Int]
        var isDoubleSided: Bool
        var color: GLTFColorUse
    }

    let scene: Scene
    let options: WriteOptions
    let images: GLTFImageWriter
    private var known: [Key: Int] = [:]
    private var names = UniqueNames()
    private(set) var used = Set<ID<Material>>()

    init(_ scene: Scene, _ context: WriteContext, _ images: GLTFImageWriter) {
        self.scene = scene
        self.images = images
        options = context.options
        for material in scene.materials { names.announce(material.name) }
    }

    /// The sets of coordinates that a material reads, in the order of its inputs.
    func coordinateNames(_ id: ID<Material>) -> [String] {
        guard let surface = scene.materials[id].surface else { return [] }
        var names: [String] = []
        for binding in surface.bindings {
            let name = binding.primvar ?? "st"
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// What colours do for a material: in USD they count where there is none, or where it reads them; elsewhere they tint it.
    func colors(_ colors: MeshAttribute<Vector3f>?, _ opacity: MeshAttribute<Float>?, _ id: ID<Material>?) -> GLTFColorUse {
        guard colors != nil || opacity != nil else { return .none }
        if let id {
            let reads = scene.materials[id].surface.map { $0.diffuseColor.texture == nil && $0.diffuseColor.primvar == "displayColor" } ?? false
            guard reads || scene.source.tintsMaterials else { return .none }
        }
        let isWhole = (colors?.domain ?? .whole) == .whole && (opacity?.domain ?? .whole) == .whole
        guard isWhole else { return .vertices(hasAlpha: opacity != nil) }
        func first<E>(_ attribute: MeshAttribute<E>) -> E? {
            let i = attribute.indices?.first.map { Int($0) } ?? 0
            return attribute.values.indices.contains(i) ? attribute.values[i] : nil
        }
        return .whole(colors.flatMap(first) ?? Vector3f(1, 1, 1), opacity.flatMap(first) ?? 1)
    }

    /// The material's index; nil where there is nothing to say.
    mutating func material(
        _ id: ID<Material>?, _ use: GLTFMaterialUse, _ out: inout GLTFOutput, _ diagnostics: inout Diagnostics
    ) -> Int? {
        if id == nil, !use.isDoubleSided {
            if use.color == .none { return nil }
            // The format's own material for what has none takes colours, too.
            if case .vertices = use.color, scene.source.format == "gltf" || scene.source.format == "glb" { return nil }
        }
        var numbers: [String: Int] = [:]
        for (i, name) in use.sets.enumerated() { numbers[name] = i }
        let sets = id.map { coordinateNames($0).map { numbers[$0] ?? (use.sets.isEmpty ? -1 : 0) } } ?? []
        let key = Key(material: id, sets: sets, isDoubleSided: use.isDoubleSided, color: use.color)
        if let known = known[key] { return known }
        let entries: [Value.Entry]
        if let id {
            used.insert(id)
            let source = scene.materials[id]
            let place = SourceLocation(file: scene.source.file, primPath: source.path)
            var builder = GLTFMaterialBuilder(source, place, options, sets: Dictionary(uniqueKeysWithValues: zip(coordinateNames(id), sets)))
            builder.build(use, images, &out, &diagnostics)
            let name = source.name.isEmpty ? "" : names.unique(source.name)
            entries = (name.isEmpty ? [] : [.init("name", .string(name))]) + builder.entries(isDoubleSided: use.isDoubleSided)
        } else {
            entries = plain(use)
        }
        out.materials.append(.dictionary(entries))
        known[key] = out.materials.count - 1
        return out.materials.count - 1
    }

    /// A rough surface in the colours of what has no material.
    private mutating func plain(_ use: GLTFMaterialUse) -> [Value.Entry] {
        var factor: [Float] = [1, 1, 1, 1]
        var hasAlpha = false
        switch use.color {
        case .none: break
        case .whole(let color, let opacity):
            factor = [color.x, color.y, color.z, opacity].map { $0 >= 0 ? min($0, 1) : 0 }
            hasAlpha = factor[3] < 1
        case .vertices(let alpha): hasAlpha = alpha
        }
        var pbr: [Value.Entry] = []
        if factor != [1, 1, 1, 1] { pbr.append(.init("baseColorFactor", .floats(factor))) }
        pbr.append(.init("metallicFactor", .int(0)))
        var entries: [Value.Entry] = [
            .init("name", .string(names.unique(made: "color"))), .init("pbrMetallicRoughness", .dictionary(pbr)),
        ]
        if hasAlpha { entries.append(.init("alphaMode", .string("BLEND"))) }
        if use.isDoubleSided { entries.append(.init("doubleSided", .bool(true))) }
        return entries
    }
}

extension Surface {
    /// All textures, in the order in which their coordinates are numbered.
    var bindings: [TextureBinding] {
        [
            diffuseColor.texture, opacity.texture, useSpecularWorkflow ? specularColor.texture : metallic.texture, roughness.texture, normal.texture,
            emissiveColor.texture, occlusion.texture, clearcoat.texture, clearcoatRoughness.texture,
        ].compactMap { $0 }
    }
}
