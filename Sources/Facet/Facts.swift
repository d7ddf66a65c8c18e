public import AssetOps

/// What a scene is, in numbers: the facts behind `facet info`. Image files are opened only as far as their headers.
public func summary(
    of scene: Scene, filter: NodeFilter = NodeFilter(), resolver: any AssetResolver = DiskResolver(), diagnostics: inout Diagnostics
) -> Summary {
    var summary = Summary(scene, filter: filter, diagnostics: &diagnostics)
    for i in summary.textures.indices {
        guard let file = imageFile(summary.textures[i].source, resolver) else { continue }
        summary.textures[i].bytes = file.count
        guard let header = ImageHeader(file) else { continue }
        summary.textures[i].mediaType = header.mediaType
        summary.textures[i].width = header.width
        summary.textures[i].height = header.height
        summary.textures[i].channels = header.channels
    }
    return summary
}

/// The bytes of a texture, or nil where there are none; the reader has warned of missing ones already.
private func imageFile(_ source: Texture.Source, _ resolver: any AssetResolver) -> FileBytes? {
    switch source {
    case .missing: return nil
    case .embedded(let bytes):
        do throws(AssetError) { return try FileBytes.of(bytes, name: "") } catch { return nil }
    case .file(let path):
        do throws(AssetError) { return try resolver.open(path) } catch { return nil }
    }
}
