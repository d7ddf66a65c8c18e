@_exported public import AssetIO
@_exported public import AssetModel
import AssetFormats
import AssetUSD

/// An asset that was read: the common scene, what was noteworthy on the way, and the file in its format's own words.
public struct Asset {
    /// Nodes, meshes, materials and all else, whatever the format.
    public var scene: Scene
    /// Warnings and infos in the order in which they were met.
    public var diagnostics: Diagnostics
    /// The format that was recognised.
    public var format: FormatInfo
    /// The file in its format's own words.
    public let document: any Document
}

/// An opened file that is not yet a scene.
public struct OpenedFile {
    let file: FileBytes
    public let document: any Document
    public let format: FormatInfo
    /// Where the reader goes on: options, further files, and the diagnostics so far.
    public var context: ReadContext
}

/// Opens a file and reads its scene.
///
/// ```swift
/// let asset = try Facet.open("chair.usdz")
/// for node in asset.scene.nodes { print(node.path, node.typeName) }
/// ```
///
/// - Parameters:
///   - path: a file, or a member of a package (`chair.usdz[geo.usda]`).
///   - options: what to read; see `ReadOptions`.
///   - resolver: where bytes come from; the disk unless given.
///   - registry: the formats to try.
/// - Throws: `AssetError` where no scene can be had; what could be repaired is in the asset's diagnostics.
public func open(
    _ path: String, options: ReadOptions = ReadOptions(), resolver: any AssetResolver = DiskResolver(),
    registry: FormatRegistry = .standard
) throws(AssetError) -> Asset {
    try open(resolver.open(path), options: options, resolver: resolver, registry: registry)
}

/// Reads the scene of bytes that are at hand. Relative paths in them belong to the folder of the bytes' name.
public func open(
    _ file: FileBytes, options: ReadOptions = ReadOptions(), resolver: any AssetResolver = DiskResolver(),
    registry: FormatRegistry = .standard
) throws(AssetError) -> Asset {
    var opened = try openDocument(file, options: options, resolver: resolver, registry: registry)
    let scene = try opened.document.scene(&opened.context)
    opened.file.endWatch()
    if !(opened.document is USDDocument) {
        try scene.checkSelections(options.variants, opened.format)
        try scene.checkLimits(options.limits)
    }
    return Asset(scene: scene, diagnostics: opened.context.diagnostics, format: opened.format, document: opened.document)
}

/// Opens a file without making a scene of it.
public func openDocument(
    _ file: FileBytes, options: ReadOptions = ReadOptions(), resolver: any AssetResolver = DiskResolver(),
    registry: FormatRegistry = .standard
) throws(AssetError) -> OpenedFile {
    let file = file.watched(by: options.progress)
    var context = ReadContext(resolver: resolver, options: options)
    resolver.obey(options.limits)
    let format = try registry.recognize(file, forced: options.format, diagnostics: &context.diagnostics)
    let document = try format.open(file, &context)
    return OpenedFile(file: file, document: document, format: format.info, context: context)
}

extension FormatRegistry {
    /// Every format that this version reads or writes.
    public static var standard: FormatRegistry { FormatRegistry(USDFormat.all + builtinFormats) }
}

extension Scene {
    /// Refuses a scene of more nodes, or longer paths, than asked for; composing a stage has limits of its own.
    fileprivate func checkLimits(_ limits: ReadLimits) throws(AssetError) {
        let here = SourceLocation(file: source.file)
        if limits.primsWereSet, nodes.count > limits.prims {
            throw AssetError("limit.prims", "the file has \(amount(nodes.count, "node")), the limit is \(limits.prims)", at: here)
        }
        guard limits.pathBytesWereSet else { return }
        let bytes = nodes.reduce(0) { $0 + $1.path.utf8.count }
        if bytes > limits.pathBytes {
            throw AssetError("limit.path-bytes", "the paths of the nodes take \(amount(bytes, "byte")), the limit is \(limits.pathBytes)", at: here)
        }
    }

    /// Refuses selections that the scene of a format without composition cannot follow.
    fileprivate func checkSelections(_ wanted: [VariantChoice], _ format: FormatInfo) throws(AssetError) {
        for choice in wanted {
            let sets = nodes.first { $0.path == choice.path }?.variantSets ?? []
            if let set = sets.first(where: { $0.name == choice.set }), set.choices.contains(choice.choice) { continue }
            throw AssetError(
                "scene.no-such-variant", "this is \(format.name), which has no such variant",
                at: SourceLocation(file: source.file, primPath: "\(choice.path){\(choice.set)=\(choice.choice)}"))
        }
    }
}
