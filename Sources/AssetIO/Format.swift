public import AssetModel

/// What a format can do, as data.
public struct FormatInfo: Sendable, Hashable {
    public enum Maturity: String, Sendable { case tested, reads, experimental }
    /// `usda`, `obj`: the value of `"format"` in JSON and of `--from`/`--to`.
    public var id: String
    /// For people: `Wavefront OBJ`.
    public var name: String
    /// Lower case, without dot; the first is the usual one.
    public var fileExtensions: [String]
    public var mediaType: String?
    public var canRead: Bool
    public var canWrite: Bool
    /// Whether standard output can take it: the format is one file.
    public var isSingleFile: Bool
    /// Whether a file can hold motion: then a conversion reads it.
    public var holdsAnimation: Bool
    public var maturity: Maturity
    /// What is lost or special, a sentence each.
    public var notes: [String]

    public init(
        id: String, name: String, fileExtensions: [String], mediaType: String? = nil, canRead: Bool, canWrite: Bool,
        isSingleFile: Bool = true, holdsAnimation: Bool = false, maturity: Maturity = .tested, notes: [String] = []
    ) {
        self.id = id
        self.name = name
        self.fileExtensions = fileExtensions
        self.mediaType = mediaType
        self.canRead = canRead
        self.canWrite = canWrite
        self.isSingleFile = isSingleFile
        self.holdsAnimation = holdsAnimation
        self.maturity = maturity
        self.notes = notes
    }
}

/// An opened file in its format's own words.
public protocol Document {
    /// The common scene. What could not be read or held is in `context.diagnostics`.
    func scene(_ context: inout ReadContext) throws(AssetError) -> Scene
    /// The document as text in its format's text form (`facet cat`), in pieces. Throws `format.no-text` where there is none.
    func writeText(flatten: Bool, _ context: inout ReadContext, to sink: (UnsafeRawBufferPointer) throws -> Void) throws
}

extension Document {
    public func writeText(flatten: Bool, _ context: inout ReadContext, to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        throw AssetError("format.no-text", "only USD layers have a text form", at: SourceLocation(file: ""))
    }
}

/// A file format: recognise, open, write.
public protocol Format: Sendable {
    var info: FormatInfo { get }
    /// Whether the first bytes (up to 4096) are of this format. No I/O.
    func recognizes(_ head: RawSpan) -> Bool
    func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document
    /// Writes a scene; `context.diagnostics` says what was lost (`<format>.lost.<what>`). Does not commit the output.
    func write(_ scene: Scene, _ context: inout WriteContext) throws(AssetError)
}

extension Format {
    public func recognizes(_ head: RawSpan) -> Bool { false }

    public func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        throw AssetError("format.cannot-read", "\(info.name) cannot be read", at: SourceLocation(file: file.name))
    }

    public func write(_ scene: Scene, _ context: inout WriteContext) throws(AssetError) {
        throw AssetError("format.cannot-write", "\(info.name) cannot be written", at: SourceLocation(file: context.options.fileName))
    }
}
