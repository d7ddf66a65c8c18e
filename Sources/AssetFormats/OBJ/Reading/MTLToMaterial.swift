import AssetIO
import AssetModel

/// Makes the model's materials of MTL's, and puts their textures into the scene.
///
/// Classic keys become UsdPreviewSurface's terms as Blender takes them, roughness as `MTLRoughness` says; any of the P-keys overrules that.
/// `inputs` holds everything in MTL's own words.
struct MTLToMaterial {
    /// `Material.shader` of what comes from here.
    static let shader = "MTL"

    private let resolver: any AssetResolver
    private let openedFile: String
    private let primvar: String?
    private let roughness: MTLRoughness
    private var located: [String: Texture.Source] = [:]
    private var textureIDs: [Texture: ID<Texture>] = [:]

    /// - Parameters:
    ///   - openedFile: the file the user asked for; its folder is searched second.
    ///   - primvar: the name of the mesh's texture coordinates.
    ///   - roughness: what shininess becomes.
    init(resolver: any AssetResolver, openedFile: String, primvar: String? = "st", roughness: MTLRoughness = .blender) {
        (self.resolver, self.openedFile, self.primvar, self.roughness) = (resolver, openedFile, primvar, roughness)
    }

    /// The model's material; its textures are appended to the scene's, each once.
    mutating func material(
        _ source: MTLMaterial, of library: MTLLibrary, path: String, into scene: inout Scene, _ diagnostics: inout Diagnostics
    ) -> Material {
        var builder = MTLSurfaceBuilder(source, file: library.file)
        var material = Material(name: source.name, path: path, shader: Self.shader)
        for map in source.maps {
            let (texture, isGrey) = self.texture(map, of: library, into: &scene, &diagnostics)
            builder.textures[map.key] = MTLSurfaceBuilder.MapTexture(
                map: map, texture: texture, source: scene.textures[texture].source, isGrey: isGrey)
        }
        builder.primvar = primvar
        builder.roughness = roughness
        material.surface = builder.surface(&diagnostics)
        material.inputs = builder.inputs()
        return material
    }

    // MARK: Textures

    private mutating func texture(
        _ map: MTLMap, of library: MTLLibrary, into scene: inout Scene, _ diagnostics: inout Diagnostics
    ) -> (ID<Texture>, isGrey: Bool) {
        let place = SourceLocation(file: library.file, position: .line(map.line, column: 1))
        let source = locate(map, library.file, place, &diagnostics)
        let texture = Texture(authoredPath: map.fileName, source: source)
        let id = textureIDs[texture] ?? scene.textures.append(texture)
        textureIDs[texture] = id
        return (id, map.key == .map_Bump && isGrey(source))
    }

    private mutating func locate(_ map: MTLMap, _ file: String, _ place: SourceLocation, _ diagnostics: inout Diagnostics) -> Texture.Source {
        let key = file + "\u{0}" + map.fileName
        let missing = "'\(map.fileName)' is not found"
        if let known = located[key] {
            if known == .missing { diagnostics.warning("obj.missing-texture", missing, at: place) }
            return known
        }
        let sought = map.fileName.replacing("<UDIM>", with: "1001")
        if sought != map.fileName {
            diagnostics.warning("obj.udim", "'\(map.fileName)' is a set of tiles: only tile 1001 is taken", at: place)
        }
        var found = AssetLookup.find(sought, from: file, opened: openedFile, in: resolver)
        if found == nil, let short = MTLLibrary.beforeComment(sought) {
            found = AssetLookup.find(short, from: file, opened: openedFile, in: resolver)
        }
        let source: Texture.Source
        if let found {
            if let warning = found.warning(map.fileName, at: place) { diagnostics.add(warning) }
            source = .file(found.path)
        } else {
            diagnostics.warning("obj.missing-texture", missing, at: place)
            source = .missing
        }
        located[key] = source
        return source
    }

    /// Whether an image has no colours: then a bump map is heights, otherwise it is taken as normals.
    private func isGrey(_ source: Texture.Source) -> Bool {
        guard case .file(let path) = source else { return false }
        do throws(AssetError) {
            let channels = ImageHeader(try resolver.open(path))?.channels
            return channels == 1 || channels == 2
        } catch { return false }
    }
}
