import AssetOps

/// What a conversion is asked for.
public struct ConversionOptions: Sendable {
    /// How the input is read.
    public var read = ReadOptions()
    /// How the output is written; the file name in it is not used, the output's path has it.
    public var write = WriteOptions(fileName: "")
    /// The id of the format to write; nil takes the output's extension.
    public var format: String?
    /// Whether files that exist are replaced.
    public var overwrite = false
    /// Whether a warning ends the conversion, with nothing written.
    public var isStrict = false
    /// The unit in metres and the up axis (`Y` or `Z`) of an input that does not say.
    public var inputMetersPerUnit: Double?
    public var inputUpAxis: String?
    /// Whether equal corners are joined where the input's format has no way to share points (STL).
    public var weldsCorners = true
    public init() {}
}

/// What a conversion did.
public struct Conversion: Sendable {
    public var inputFormat: FormatInfo
    public var outputFormat: FormatInfo
    /// About the input: what was missing, repaired or left out.
    public var inputDiagnostics: Diagnostics
    /// About the output: what its format cannot hold.
    public var outputDiagnostics: Diagnostics
    /// How many files were written, and their bytes.
    public var fileCount: Int
    public var byteCount: Int
}

/// Why a conversion wrote nothing.
public struct ConversionFailure: Error, Sendable {
    public enum Cause: Sendable, Hashable {
        /// The input cannot be read, nothing is in it, or it earned a warning under `isStrict`.
        case input
        /// The output cannot be written, or cannot hold all under `isStrict`.
        case output
    }
    public var cause: Cause
    /// nil where warnings alone are to blame.
    public var error: AssetError?
    /// What was met before.
    public var diagnostics: Diagnostics

    public init(cause: Cause, error: AssetError?, diagnostics: Diagnostics = Diagnostics()) {
        self.cause = cause
        self.error = error
        self.diagnostics = diagnostics
    }
}

extension FormatRegistry {
    /// The format that writes a path: the one named, else the one of the extension. Throws `output.unknown-format` with the
    /// formats that can be written.
    public func writer(of path: String, named id: String? = nil) throws(AssetError) -> any Format {
        let writers = formats.filter { $0.info.canWrite }
        let name = id?.lowercased() ?? AssetPath.fileExtension(path)
        if let format = writers.first(where: { $0.info.id == name || id == nil && $0.info.fileExtensions.contains(name) }) { return format }
        let known = writers.map(\.info.id).joined(separator: ", ")
        let what =
            if let id {
                "'\(id)' is not a format that can be written"
            } else if name.isEmpty {
                "'\(path)' has no extension to tell the format"
            } else {
                "'.\(name)' is not a format that can be written"
            }
        throw AssetError("output.unknown-format", "\(what), expected one of \(known)", at: SourceLocation(file: path))
    }
}

/// Reads an asset and writes it in another format. All files of the output appear, or none.
///
/// ```swift
/// let done = try Facet.convert(from: "chair.usdz", to: "chair.obj")
/// for warning in done.outputDiagnostics.entries { print(warning.message) }
/// ```
///
/// - Throws: `ConversionFailure`, which tells whether the input or the output is to blame. Nothing is written then.
public func convert(
    from input: String, to output: String, options: ConversionOptions = ConversionOptions(),
    resolver: any AssetResolver = DiskResolver(), registry: FormatRegistry = .standard
) throws(ConversionFailure) -> Conversion {
    let sink: DiskOutput
    let format: any Format
    do {
        format = try registry.writer(of: output, named: options.format)
        sink = try DiskOutput(output, overwrite: options.overwrite)
    } catch {
        throw ConversionFailure(cause: .output, error: error)
    }
    let file: FileBytes
    do {
        file = try resolver.open(input)
    } catch {
        throw ConversionFailure(cause: .input, error: error)
    }
    return try convert(
        from: file, as: format, named: AssetPath.baseName(output), into: sink, options: options, resolver: resolver, registry: registry)
}

/// Reads an asset and writes it into a sink, which is committed when all went well and emptied otherwise.
///
/// - Parameters:
///   - format: the format to write.
///   - name: the main file's name, without folder.
/// - Throws: `ConversionFailure`; the sink holds nothing then.
public func convert(
    from file: FileBytes, as format: any Format, named name: String, into sink: any OutputSink,
    options: ConversionOptions = ConversionOptions(), resolver: any AssetResolver = DiskResolver(),
    registry: FormatRegistry = .standard
) throws(ConversionFailure) -> Conversion {
    var met = Diagnostics()
    func fail(_ cause: ConversionFailure.Cause, _ error: AssetError?) -> ConversionFailure {
        sink.discard()
        return ConversionFailure(cause: cause, error: error, diagnostics: met)
    }

    var asset: Asset
    do {
        var read = options.read
        read.checksStoredNormals = true
        if format.info.holdsAnimation { read.wantsAnimation = true }
        asset = try open(file, options: read, resolver: resolver, registry: registry)
    } catch {
        throw fail(.input, error)
    }
    asset.applyFallbacks(options)
    if options.weldsCorners, asset.scene.source.isUnwelded {
        do throws(AssetError) {
            try asset.scene.weldCorners(&asset.diagnostics)
        } catch {
            throw fail(.input, error)
        }
    }
    met = asset.diagnostics
    if !asset.scene.hasGeometry, !options.write.allowEmpty {
        throw fail(
            .input, AssetError("scene.nothing-inside", "no geometry inside, nothing to convert", at: SourceLocation(file: file.name)))
    }
    if options.isStrict, met.holdsWarnings { throw fail(.input, nil) }

    var write = options.write
    write.fileName = name
    let counting = CountingOutput(sink)
    var context = WriteContext(resolver: resolver, options: write, output: counting)
    do {
        try format.write(asset.scene, &context)
    } catch {
        met.add(context.diagnostics)
        throw fail(error.isAboutOutput(format.info) ? .output : .input, error)
    }
    // A writer reads what was deferred and opens images: what it says of them is about the input.
    var lost = Diagnostics(capacity: context.diagnostics.capacity)
    for d in context.diagnostics.entries {
        if d.code.hasPrefix(format.info.id + ".") { lost.add(d) } else { asset.diagnostics.add(d) }
    }
    met.add(context.diagnostics)
    if options.isStrict, met.holdsWarnings { throw fail(asset.diagnostics.holdsWarnings ? .input : .output, nil) }
    do {
        try sink.commit()
    } catch {
        throw fail(.output, error)
    }
    return Conversion(
        inputFormat: asset.format, outputFormat: format.info, inputDiagnostics: asset.diagnostics, outputDiagnostics: lost,
        fileCount: counting.fileCount, byteCount: counting.byteCount)
}

extension Asset {
    /// Takes the caller's unit and axis where the file has no say, and drops the warnings that it has none.
    fileprivate mutating func applyFallbacks(_ options: ConversionOptions) {
        var answered: Set<String> = []
        if let unit = options.inputMetersPerUnit, !scene.metadata.isMetersPerUnitAuthored {
            scene.metadata.metersPerUnit = unit
            answered.insert("usd.no-meters-per-unit")
        }
        if let axis = options.inputUpAxis, !scene.metadata.isUpAxisAuthored {
            scene.metadata.upAxis = axis
            answered.insert("usd.no-up-axis")
        }
        guard !answered.isEmpty else { return }
        var kept = Diagnostics(capacity: diagnostics.capacity)
        for d in diagnostics.entries where !answered.contains(d.code) { kept.add(d) }
        diagnostics = kept
    }
}

extension Diagnostics {
    /// Whether anything weighs as much as a warning.
    public var holdsWarnings: Bool { entries.contains { $0.severity >= .warning } }
}

extension AssetError {
    /// Whether an error met while writing is about the place or the format written, and not about what is read meanwhile.
    fileprivate func isAboutOutput(_ format: FormatInfo) -> Bool {
        diagnostic.code.hasPrefix("output.") || diagnostic.code.hasPrefix(format.id + ".") || diagnostic.code == "format.cannot-write"
    }
}

/// Counts what passes on its way to a sink.
private final class CountingOutput: OutputSink {
    private let sink: any OutputSink
    private(set) var files: [any OutputFile] = []

    init(_ sink: any OutputSink) { self.sink = sink }

    var fileCount: Int { files.count }
    var byteCount: Int { files.reduce(0) { $0 + $1.count } }

    func create(_ relativePath: String) throws(AssetError) -> any OutputFile {
        let file = try sink.create(relativePath)
        files.append(file)
        return file
    }
    func commit() throws(AssetError) { try sink.commit() }
    func discard() { sink.discard() }
}
