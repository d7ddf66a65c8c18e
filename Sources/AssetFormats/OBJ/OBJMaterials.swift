import AssetIO
import AssetModel
import AssetOps

/// Which texture coordinates a material wants of the meshes that use it.
struct CoordinateUse: Hashable {
    /// The primvar's name; nil where the material's textures name none.
    var primvar: String?
    /// A transform that MTL cannot say (it turns) and that goes into the coordinates.
    var baked: TextureTransform?
}

/// A material as MTL.
struct OBJMaterial {
    var name: String
    /// The lines after `newmtl`.
    var body: String
    /// Nil where nothing is textured.
    var coordinates: CoordinateUse?
    /// Whether a texture leaves its wrapping to the default: black outside 0 to 1 in USD, repeated in OBJ.
    var dependsOnDefaultWrap = false
    var path: String
}

/// Turns a scene's materials into MTL entries; those with one name and one content are one.
struct OBJMaterialLibrary {
    private let scene: Scene
    private let roughness: MTLRoughness
    private var textures: TextureCopies
    private var names = UniqueNames()
    private var indexByID: [ID<Material>: Int] = [:]
    private var indexByContent: [String: Int] = [:]
    private(set) var materials: [OBJMaterial] = []
    /// Names of materials that are not written as they are.
    private(set) var renames = RenameList()
    /// The entry for faces without a material that come after faces with one.
    private(set) var unassignedName: String?

    init(_ scene: Scene, textures: TextureCopies, roughness: MTLRoughness) {
        self.scene = scene
        self.roughness = roughness
        self.textures = textures
        for material in scene.materials { names.announce(objName(material.name)) }
    }

    var usedMaterialCount: Int { indexByID.count }
    var usedTextureCount: Int { textures.usedTextureCount }
    func reportImages(_ file: String, to diagnostics: inout Diagnostics) { textures.report(file, to: &diagnostics) }
    var isEmpty: Bool { materials.isEmpty && unassignedName == nil }

    /// The entry for a material, made at first use.
    mutating func index(_ id: ID<Material>, _ diagnostics: inout Diagnostics) -> Int {
        if let known = indexByID[id] { return known }
        let source = scene.materials[id]
        var builder = OBJMaterialBuilder(scene, source, roughness)
        var own = Diagnostics()
        builder.build(&textures, &own)
        let key = source.name + "\n" + builder.body + "\n\(String(describing: builder.coordinates))"
        let index: Int
        if let same = indexByContent[key] {
            index = same
        } else {
            index = materials.count
            // Once for all copies of a material: instances bring many.
            diagnostics.add(own)
            let name = names.unique(objName(source.name))
            renames.note(source.name, as: name, at: source.path)
            materials.append(
                OBJMaterial(
                    name: name, body: builder.body, coordinates: builder.coordinates,
                    dependsOnDefaultWrap: builder.dependsOnDefaultWrap, path: source.path))
            indexByContent[key] = index
        }
        indexByID[id] = index
        return index
    }

    /// The name for faces without a material: OBJ cannot go back to none.
    mutating func nameForUnassigned() -> String {
        if let unassignedName { return unassignedName }
        let name = names.unique("no_material")
        unassignedName = name
        return name
    }

    func write(_ fileName: String, to output: any OutputSink) throws(AssetError) {
        try textures.write(to: output)
        guard !isEmpty else { return }
        let text = OutputPieces(try output.create(fileName))
        try text.text("# Facet\n")
        for material in materials { try text.text("\nnewmtl \(material.name)\n\(material.body)") }
        // White, so that vertex colours show as they are.
        if let unassignedName { try text.text("\nnewmtl \(unassignedName)\nKd 1 1 1\nd 1\nillum 1\n") }
        try text.close()
    }
}

/// A name as OBJ and MTL can hold it: no blanks and no character that starts a comment or continues a line.
func objName(_ name: String) -> String {
    if name.isEmpty { return "unnamed" }
    var safe = ""
    for c in name.unicodeScalars {
        let isBad =
            c.properties.isWhitespace || c == "#" || c == "\\" || c.properties.generalCategory == .control
            || c.properties.generalCategory == .format
        safe.unicodeScalars.append(isBad ? "_" : c)
    }
    return safe
}

/// Makes the lines of one material.
private struct OBJMaterialBuilder {
    let scene: Scene
    let source: Material
    let roughness: MTLRoughness
    var body = ""
    var coordinates: CoordinateUse?
    var dependsOnDefaultWrap = false
    private var base: TextureBinding?

    init(_ scene: Scene, _ source: Material, _ roughness: MTLRoughness) {
        self.scene = scene
        self.source = source
        self.roughness = roughness
    }

    private var location: SourceLocation { SourceLocation(file: scene.source.file, primPath: source.path) }

    mutating func build(_ textures: inout TextureCopies, _ diagnostics: inout Diagnostics) {
        guard let surface = source.surface else {
            diagnostics.warning(
                "obj.lost.material", "the shading model \(source.shader ?? "(none)") is not understood; the material is written grey",
                at: location)
            body = "Kd 0.8 0.8 0.8\nd 1\nillum 1\n"
            return
        }
        let maps = Maps(surface, source, &textures, &diagnostics)
        settleCoordinates(maps.all, &diagnostics)
        writeValues(surface, maps, &diagnostics)
        writeMaps(surface, maps, &diagnostics)
        reportLosses(surface, maps, &diagnostics)
    }

    /// A texture that has a file in the output.
    struct Map {
        var binding: TextureBinding
        var entry: TextureCopies.Entry
        var input: String
    }

    struct Maps {
        var diffuse, opacity, roughness, metallic, normal, emissive, occlusion, specular, displacement, clearcoat, clearcoatRoughness: Map?

        init(_ s: Surface, _ material: Material, _ textures: inout TextureCopies, _ diagnostics: inout Diagnostics) {
            func map(_ binding: TextureBinding?, _ input: String) -> Map? {
                guard let binding, let entry = textures.entry(binding.texture, usedBy: material, &diagnostics) else { return nil }
                return Map(binding: binding, entry: entry, input: input)
            }
            diffuse = map(s.diffuseColor.texture, "diffuseColor")
            opacity = map(s.opacity.texture, "opacity")
            if s.useSpecularWorkflow {
                specular = map(s.specularColor.texture, "specularColor")
            } else {
                metallic = map(s.metallic.texture, "metallic")
                roughness = map(s.roughness.texture, "roughness")
            }
            normal = map(s.normal.texture, "normal")
            emissive = map(s.emissiveColor.texture, "emissiveColor")
            occlusion = map(s.occlusion.texture, "occlusion")
            displacement = map(s.displacement.texture, "displacement")
        }

        var all: [Map] {
            [diffuse, opacity, roughness, metallic, normal, emissive, occlusion, specular, displacement].compactMap { $0 }
        }
    }

    /// OBJ has one set of coordinates for all maps: that of the first. A turned transform goes into the coordinates where
    /// all maps share it.
    private mutating func settleCoordinates(_ maps: [Map], _ diagnostics: inout Diagnostics) {
        guard let first = maps.first else { return }
        base = first.binding
        coordinates = CoordinateUse(primvar: first.binding.primvar)
        for map in maps where map.binding.primvar != first.binding.primvar {
            diagnostics.warning(
                "obj.lost.uv-set",
                "\(map.input) uses the coordinates '\(map.binding.primvar ?? "st")', written with those of \(first.input) ('\(first.binding.primvar ?? "st")'): OBJ has one set",
                at: location)
        }
        let isTurned = maps.contains { ($0.binding.transform?.rotation ?? 0) != 0 }
        if isTurned {
            if maps.allSatisfy({ $0.binding.transform == first.binding.transform }) {
                coordinates?.baked = first.binding.transform
            } else {
                for map in maps where (map.binding.transform?.rotation ?? 0) != 0 {
                    diagnostics.warning(
                        "obj.lost.texture-rotation", "the rotation of \(map.input)'s texture is not written: the maps turn differently",
                        at: location)
                }
            }
        }
    }

    private mutating func line(_ key: String, _ values: Float...) {
        body += key
        for v in values { body += " " + FloatPrinter.text(v.isFinite ? v : 0) }
        body += "\n"
    }

    private func factor(_ map: Map?, _ value: Vector3f) -> Vector3f {
        guard let map else { return value }
        return map.binding.scale.map { Vector3f($0.x, $0.y, $0.z) } ?? Vector3f(1, 1, 1)
    }

    /// A scalar map's factor: the scale of the channel it reads.
    private func factor(_ map: Map?, _ value: Float) -> Float {
        guard let map else { return value }
        return map.binding.scale.map { component($0, map.binding.output) } ?? 1
    }

    private func component(_ v: Vector4f, _ output: String) -> Float {
        switch output {
        case "g": v.y
        case "b": v.z
        case "a": v.w
        default: v.x
        }
    }

    /// A texture whose file is missing counts as its fallback.
    private func constant(_ channel: Channel<Vector3f>, _ map: Map?) -> Vector3f {
        if map == nil, let f = channel.texture?.fallback { return Vector3f(f.x, f.y, f.z) }
        return channel.value
    }

    private func constant(_ channel: Channel<Float>, _ map: Map?) -> Float {
        if map == nil, let t = channel.texture, let f = t.fallback { return component(f, t.output) }
        return channel.value
    }

    private mutating func writeValues(_ s: Surface, _ maps: Maps, _ diagnostics: inout Diagnostics) {
        let diffuse = factor(maps.diffuse, constant(s.diffuseColor, maps.diffuse))
        line("Kd", diffuse.x, diffuse.y, diffuse.z)

        let metallic = s.useSpecularWorkflow ? 0 : factor(maps.metallic, constant(s.metallic, maps.metallic))
        let roughness = factor(maps.roughness, constant(s.roughness, maps.roughness))
        var specular = factor(maps.specular, constant(s.specularColor, maps.specular))
        if !s.useSpecularWorkflow {
            // In double, so that the usual 0.04 prints as that.
            let f = (Double(s.ior) - 1) / (Double(s.ior) + 1)
            let f0 = f.isFinite ? f * f : 0.04
            let m = maps.metallic == nil ? Double(min(max(metallic, 0), 1)) : 0
            func mix(_ c: Float) -> Float { Float(f0 * (1 - m) + Double(c) * m) }
            specular = Vector3f(mix(diffuse.x), mix(diffuse.y), mix(diffuse.z))
        }
        line("Ks", specular.x, specular.y, specular.z)
        // Classic readers' shininess stands only where no PBR keys do.
        if s.useSpecularWorkflow { line("Ns", self.roughness.shininess(ofRoughness: roughness)) }
        line("Ni", s.ior)

        var alpha = factor(maps.opacity, constant(s.opacity, maps.opacity))
        if s.opacityThreshold > 0 {
            if maps.opacity == nil {
                alpha = alpha >= s.opacityThreshold ? 1 : 0
            } else {
                body += "# opacity threshold \(FloatPrinter.text(s.opacityThreshold))\n"
            }
        }
        line("d", alpha)
        let emissive = factor(maps.emissive, constant(s.emissiveColor, maps.emissive))
        if maps.emissive != nil || emissive != Vector3f(0, 0, 0) { line("Ke", emissive.x, emissive.y, emissive.z) }

        let isTransparent = maps.opacity != nil || alpha < 1
        let isMetal = metallic > 0 || maps.metallic != nil
        let isDull = specular == Vector3f(0, 0, 0) && maps.specular == nil
        body += "illum \(isMetal ? (isTransparent ? 6 : 3) : isTransparent ? 9 : isDull ? 1 : 2)\n"

        if !s.useSpecularWorkflow {
            line("Pr", roughness)
            line("Pm", metallic)
        }
        let clearcoat = constant(s.clearcoat, nil)
        if clearcoat > 0 {
            line("Pc", clearcoat)
            line("Pcr", constant(s.clearcoatRoughness, nil))
        }
    }

    private mutating func writeMaps(_ s: Surface, _ maps: Maps, _ diagnostics: inout Diagnostics) {
        if let m = maps.diffuse { map("map_Kd", m, "", &diagnostics) }
        if let m = maps.specular { map("map_Ks", m, "", &diagnostics) }
        if let m = maps.emissive { map("map_Ke", m, "", &diagnostics) }
        if let m = maps.opacity {
            // Readers take the alpha channel where the file is that of the diffuse colour.
            let isOwnAlpha = m.binding.output == "a" && maps.diffuse?.entry.path == m.entry.path
            map("map_d", m, isOwnAlpha ? "" : channelOption(m), &diagnostics)
        }
        if let m = maps.roughness { map("map_Pr", m, channelOption(m), &diagnostics) }
        if let m = maps.metallic { map("map_Pm", m, channelOption(m), &diagnostics) }
        if let m = maps.occlusion { map("map_Ka", m, channelOption(m), &diagnostics) }
        if let m = maps.normal {
            let bump = normalScale(m, &diagnostics)
            map("norm", m, "", &diagnostics)
            map("map_Bump", m, "-bm \(FloatPrinter.text(bump)) ", &diagnostics)
        }
        if let m = maps.displacement {
            let bias = m.binding.bias.map { component($0, m.binding.output) } ?? 0
            let scale = m.binding.scale.map { component($0, m.binding.output) } ?? 1
            let range = bias != 0 || scale != 1 ? "-mm \(FloatPrinter.text(bias)) \(FloatPrinter.text(scale)) " : ""
            map("disp", m, channelOption(m) + range, &diagnostics)
        }
    }

    /// `-imfchan` for one channel of several. Grey images need none.
    private func channelOption(_ map: Map) -> String {
        switch map.binding.output {
        case "r" where map.entry.channels == 1 || map.entry.channels == 2: ""
        case "r", "g", "b": "-imfchan \(map.binding.output) "
        case "a": "-imfchan m "
        default: ""
        }
    }

    private mutating func map(_ key: String, _ map: Map, _ options: String, _ diagnostics: inout Diagnostics) {
        body += "\(key) \(options)\(wrapOption(map, &diagnostics))"
        if coordinates?.baked == nil, let t = map.binding.transform {
            if t.translation != Vector2f(0, 0) {
                body += "-o \(FloatPrinter.text(t.translation.x)) \(FloatPrinter.text(t.translation.y)) 0 "
            }
            if t.scale != Vector2f(1, 1) { body += "-s \(FloatPrinter.text(t.scale.x)) \(FloatPrinter.text(t.scale.y)) 1 " }
        }
        body += map.entry.path + "\n"
    }

    /// One switch for both directions: on where both clamp or are black.
    private mutating func wrapOption(_ map: Map, _ diagnostics: inout Diagnostics) -> String {
        let modes = [map.binding.wrapS, map.binding.wrapT]
        if modes.contains(.useMetadata) { dependsOnDefaultWrap = true }
        if modes.contains(.mirror) {
            diagnostics.warning("obj.lost.wrap", "mirrored wrapping of \(map.input)'s texture is not written: MTL has none", at: location)
        }
        if modes.contains(.black) {
            diagnostics.warning("obj.lost.wrap", "black outside \(map.input)'s texture becomes its edge: MTL can only clamp", at: location)
        }
        let ends = modes.filter { $0 == .clamp || $0 == .black }.count
        if ends == 1 {
            diagnostics.warning(
                "obj.lost.wrap", "\(map.input)'s texture wraps as \(modes[0].rawValue) and \(modes[1].rawValue), written as clamped both ways",
                at: location)
        }
        return ends > 0 ? "-clamp on " : ""
    }

    /// The strength of a normal map. USD's usual scale 2 and bias −1 is 1.
    private func normalScale(_ map: Map, _ diagnostics: inout Diagnostics) -> Float {
        guard let scale = map.binding.scale, let bias = map.binding.bias else {
            if map.binding.scale == nil, map.binding.bias == nil {
                diagnostics.info(
                    "obj.assumed.normal-scale", "the normal map has no scale and bias, taken as 2 and -1", at: location)
            } else {
                diagnostics.warning("obj.lost.normal-scale", "scale or bias of the normal map is not written", at: location)
            }
            return 1
        }
        let s = scale.x / 2
        func near(_ a: Float, _ b: Float) -> Bool { (a - b).magnitude <= 1e-4 }
        guard near(scale.y, scale.x), near(bias.x, -s), near(bias.y, -s), near(scale.z, 2), near(bias.z, -1), s.isFinite, s > 0 else {
            diagnostics.warning("obj.lost.normal-scale", "scale and bias of the normal map are not written: MTL has one strength", at: location)
            return 1
        }
        return s
    }

    private func reportLosses(_ s: Surface, _ maps: Maps, _ diagnostics: inout Diagnostics) {
        func lost(_ what: String, _ message: String) { diagnostics.warning("obj.lost." + what, message, at: location) }
        for m in maps.all where m.input != "normal" && m.input != "displacement" {
            if let bias = m.binding.bias, bias != Vector4f(0, 0, 0, 0) {
                lost("texture-bias", "the bias of \(m.input)'s texture is not written: MTL has none")
            }
            let isColor = ["diffuseColor", "emissiveColor", "specularColor"].contains(m.input)
            if m.binding.colorSpace == (isColor ? .raw : .sRGB) {
                lost("color-space", "\(m.input)'s texture is \(m.binding.colorSpace.rawValue); MTL has no colour spaces")
            }
            if m.input == "occlusion", let scale = m.binding.scale, scale != Vector4f(1, 1, 1, 1) {
                lost("occlusion-strength", "the scale of occlusion's texture is not written: MTL has none")
            }
        }
        if s.clearcoat.texture != nil { lost("clearcoat-texture", "clearcoat's texture is not written: MTL has a number only") }
        if s.clearcoatRoughness.texture != nil {
            lost("clearcoat-texture", "clearcoatRoughness's texture is not written: MTL has a number only")
        }
        if s.useSpecularWorkflow, s.roughness.texture != nil {
            lost("roughness-texture", "roughness's texture is not written beside a specular colour: Ns has none")
        }
        if s.occlusion.texture == nil, s.occlusion.value != 1 { lost("occlusion", "a constant occlusion is not written: MTL has none") }
        if s.displacement.texture == nil, s.displacement.value != 0 {
            lost("displacement", "a constant displacement is not written: MTL has none")
        }
    }
}
