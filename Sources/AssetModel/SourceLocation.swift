/// Where in an input something was found.
public struct SourceLocation: Hashable, Sendable {
    /// The place within the file, in the unit that suits the format.
    public enum Position: Hashable, Sendable {
        /// One-based line and column (columns count bytes) of a text file.
        case line(Int, column: Int)
        /// Zero-based offset in bytes from the start of the file.
        case byteOffset(Int)
        /// A JSON pointer (RFC 6901).
        case jsonPointer(String)
        case unknown
    }

    /// The file as the user typed it or as the asset names it; a package member is `model.usdz[geo.usda]`.
    public var file: String
    public var position: Position
    public var primPath: String?

    public init(file: String, position: Position = .unknown, primPath: String? = nil) {
        self.file = file
        self.position = position
        self.primPath = primPath
    }
}
