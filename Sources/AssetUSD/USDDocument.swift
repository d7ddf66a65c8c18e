public import AssetIO
public import AssetModel

/// An opened USD file: its root layer, and the stage it composes to.
public final class USDDocument: Document {
    /// The name the user gave.
    public let name: String
    /// `usda`, `usdc` or `usdz`.
    public let format: String
    public let byteCount: Int
    /// Of a package: what it holds.
    public let package: USDZPackage?
    public let rootLayer: USDLayer

    /// Reads the root layer. Of a package that is its first layer.
    ///
    /// Throws `usd.not-a-layer`, or what is wrong with the layer or the package.
    public init(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) {
        name = file.name
        byteCount = file.count
        let session = USDSession()
        if let encoding = Self.encoding(file.bytes) {
            format = encoding
            package = nil
            rootLayer = try Self.parse(file, session, file.name, &context)
        } else {
            guard file.count > 0 else {
                throw AssetError(
                    "usd.empty-file", "the file is empty, expected a USD layer or package", at: SourceLocation(file: file.name))
            }
            guard USDFormat.usdz.recognizes(file.bytes) else {
                throw AssetError(
                    "usd.not-a-layer", "the content is neither a usda nor a usdc layer nor a package", at: SourceLocation(file: file.name))
            }
            format = "usdz"
            let opened = try USDZPackage(file.name, resolver: context.resolver, diagnostics: &context.diagnostics)
            package = opened
            rootLayer = try Self.parse(context.resolver.open(opened.rootPath), session, opened.rootPath, &context)
        }
    }

    private static func encoding(_ bytes: RawSpan) -> String? { USDC.recognizes(bytes) ? "usdc" : USDA.recognizes(bytes) ? "usda" : nil }

    private static func parse(
        _ file: FileBytes, _ session: USDSession, _ identifier: String, _ context: inout ReadContext
    ) throws(AssetError) -> USDLayer {
        if USDC.recognizes(file.bytes) {
            return try USDC.parse(file, session: session, identifier: identifier, limits: context.options.limits, &context.diagnostics)
        }
        return try USDA.parse(file, session: session, identifier: identifier, limits: context.options.limits, &context.diagnostics)
    }

    /// Composes the stage.
    public func stage(_ context: inout ReadContext) throws(AssetError) -> Stage {
        let stage = Stage(layer: rootLayer, opened: name, resolver: context.resolver, options: context.options)
        context.diagnostics.add(stage.takeDiagnostics())
        return stage
    }

    public func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        let stage = try stage(&context)
        try stage.checkSelections()
        let source = SourceDescription(file: name, format: format, version: rootLayer.version, byteCount: byteCount)
        let reader = try SceneReader(stage: stage, source: source, context: context)
        var scene: Scene
        do throws(AssetError) {
            scene = try reader.read()
        } catch {
            context.diagnostics.add(stage.takeDiagnostics())
            context.diagnostics.add(reader.diagnostics)
            throw error
        }
        // Prims are composed as they are read: only now it is known what they pulled in.
        context.diagnostics.add(stage.takeDiagnostics())
        context.diagnostics.add(reader.diagnostics)
        scene.source.files = files(of: stage)
        addTextures(to: &scene, context.resolver)
        return scene
    }

    /// The root layer, or the whole stage as one layer, as USDA text. A value whose bytes are damaged ends it with the error that
    /// names them.
    public func writeText(flatten: Bool, _ context: inout ReadContext, to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        let layer = flatten ? try flattened(&context) : rootLayer
        var failure: (any Error)?
        do {
            try USDA.write(layer) { piece throws(AssetError) in
                do {
                    try sink(piece)
                } catch {
                    failure = error
                    throw AssetError("output.failed", "the text could not be taken", at: SourceLocation(file: name))
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// The stage as one layer.
    private func flattened(_ context: inout ReadContext) throws(AssetError) -> USDLayer {
        let stage = try stage(&context)
        do throws(AssetError) {
            try stage.checkSelections()
            let layer = try stage.flattened()
            context.diagnostics.add(stage.takeDiagnostics())
            return layer
        } catch {
            context.diagnostics.add(stage.takeDiagnostics())
            throw error
        }
    }

    // MARK: Files

    private func files(of stage: Stage) -> [SourceDescription.File] {
        var files: [SourceDescription.File] = []
        for (layer, role) in stage.layers {
            var file = SourceDescription.File(path: layer.identifier, role: role, byteCount: layer.byteCount, resolved: layer.identifier)
            describeMember(layer.identifier, &file)
            files.append(file)
        }
        for miss in stage.missing { files.append(SourceDescription.File(path: miss.assetPath, role: miss.role)) }
        return files
    }

    private func addTextures(to scene: inout Scene, _ resolver: any AssetResolver) {
        var seen = Set<String>()
        for texture in scene.textures where seen.insert(texture.resolvedPath ?? texture.authoredPath).inserted {
            var file = SourceDescription.File(path: texture.authoredPath, role: "texture", resolved: texture.resolvedPath)
            if let path = texture.resolvedPath {
                describeMember(path, &file)
                // Mapped, not read: only its size is asked for. A member was measured by the package's directory.
                if file.byteCount == nil { file.byteCount = try? resolver.open(path).count }
            }
            scene.source.files.append(file)
        }
    }

    /// Fills in what the package's directory says of a member.
    private func describeMember(_ path: String, _ file: inout SourceDescription.File) {
        guard let package, let (outer, member) = AssetPath.splitMember(path), outer == package.path,
            let entry = package.archive.entry(member)
        else { return }
        file.byteCount = entry.size
        file.packageOffset = entry.dataOffset
        file.isCompressed = !entry.isStored
    }
}
