import AssetIO
import AssetModel

/// Images of a document as textures of the scene, each once.
struct GLTFImages {
    private let document: GLTFDocument
    private var made: [ID<Texture>?]
    private(set) var files: [SourceDescription.File] = []

    init(_ document: GLTFDocument) {
        self.document = document
        made = [ID<Texture>?](repeating: nil, count: document.images.count)
    }

    /// The texture of an image; nil where there is no such image.
    mutating func texture(
        _ index: Int, _ accessors: inout GLTFAccessors, _ scene: inout Scene, _ diagnostics: inout Diagnostics
    ) -> ID<Texture>? {
        guard index < made.count else { return nil }
        if let known = made[index] { return known }
        let image = document.images[index]
        let place = document.place("images", index)
        let texture: Texture
        switch image.source {
        case .uri(let uri): texture = file(uri, place, accessors.resolver, &diagnostics)
        case .data(let bytes, let mediaType): texture = embedded(bytes, index, image.mediaType ?? mediaType)
        case .view(let view):
            do throws(AssetError) {
                let part = try accessors.buffers.view(view, accessors.resolver, &diagnostics)
                texture = embedded(part, index, image.mediaType)
            } catch {
                var warning = error.diagnostic
                warning.severity = .warning
                diagnostics.add(warning)
                texture = Texture(authoredPath: name(index, nil, nil), source: .missing)
            }
        case .none:
            diagnostics.warning("gltf.missing-texture", "the image has neither a file nor bytes", at: place)
            texture = Texture(authoredPath: name(index, nil, nil), source: .missing)
        }
        let id = scene.textures.append(texture)
        made[index] = id
        return id
    }

    /// Images that no material uses.
    mutating func addRest(_ accessors: inout GLTFAccessors, _ scene: inout Scene, _ diagnostics: inout Diagnostics) {
        for index in made.indices { _ = texture(index, &accessors, &scene, &diagnostics) }
    }

    private mutating func file(
        _ uri: String, _ place: GLTFPlace, _ resolver: any AssetResolver, _ diagnostics: inout Diagnostics
    ) -> Texture {
        let path = AssetPath.decodingPercent(uri)
        guard
            let found = AssetLookup.find(uri, from: document.file.name, opened: document.file.name, decodingPercent: true, in: resolver)
        else {
            diagnostics.warning("gltf.missing-texture", "the image '\(path)' is not found", at: place)
            files.append(SourceDescription.File(path: path, role: "texture"))
            return Texture(authoredPath: path, source: .missing)
        }
        if let warning = found.warning(path, at: place.location) { diagnostics.add(warning) }
        files.append(SourceDescription.File(path: path, role: "texture", resolved: found.path))
        return Texture(authoredPath: path, source: .file(found.path))
    }

    private func embedded(_ bytes: FileBytes, _ index: Int, _ mediaType: String?) -> Texture {
        Texture(authoredPath: name(index, mediaType, bytes), source: .embedded(EmbeddedBytes(FileRegion(bytes))))
    }

    /// The image's name, or its number, with the extension of its bytes.
    private func name(_ index: Int, _ mediaType: String?, _ bytes: FileBytes?) -> String {
        let kind = bytes.flatMap { ImageHeader($0) }?.kind ?? ImageHeader.Kind.allCases.first { $0.mediaType == mediaType }
        let stem = document.images[index].name.flatMap { $0.isEmpty ? nil : $0 } ?? "image_\(index)"
        guard let kind, !kind.fileExtensions.contains(AssetPath.fileExtension(stem)) else { return stem }
        return stem + "." + kind.fileExtension
    }
}
