public import AssetOps

/// What a scene is, in numbers: the facts behind `facet info`. Image files are opened only as far as their headers.
public func summary(
    of scene: Scene, filter: NodeFilter = NodeFilter(), resolver: any AssetResolver = DiskResolver(), diagnostics: inout Diagnostics
) -> Summary {
    var summary = Summary(scene, filter: filter, diagnostics: &diagnostics)
    for i in summary.textures.indices {
        let name = summary.textures[i].file
        let here = SourceLocation(file: scene.source.file)
        let file: FileBytes
        do throws(AssetError) {
            guard let found = try imageFile(summary.textures[i].source, resolver) else { continue }
            file = found
        } catch {
            diagnostics.warning("texture.unreadable", "the texture '\(name)' cannot be read: \(error.diagnostic.message)", at: here)
            continue
        }
        summary.textures[i].bytes = file.count
        guard let header = ImageHeader(file) else {
            diagnostics.warning("texture.not-an-image", "the bytes of the texture '\(name)' are not those of an image", at: here)
            continue
        }
        summary.textures[i].mediaType = header.mediaType
        summary.textures[i].width = header.width
        summary.textures[i].height = header.height
        summary.textures[i].channels = header.channels
    }
    return summary
}

/// The bytes of a texture, or nil where there are none; the reader has warned of missing ones already.
private func imageFile(_ source: Texture.Source, _ resolver: any AssetResolver) throws(AssetError) -> FileBytes? {
    switch source {
    case .missing: return nil
    case .embedded(let bytes):
        do throws(AssetError) { return try FileBytes.of(bytes, name: "") } catch { return nil }
    case .file(let path):
        guard resolver.exists(path) else { return nil }
        return try resolver.open(path)
    }
}
