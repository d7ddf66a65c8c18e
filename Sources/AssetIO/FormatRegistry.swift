/// The formats a program knows, in the order in which they are tried on a file's first bytes. A value, composed where
/// the program starts; nothing registers itself.
public struct FormatRegistry: Sendable {
    public var formats: [any Format]

    public init(_ formats: [any Format]) { self.formats = formats }

    public func format(id: String) -> (any Format)? { formats.first { $0.info.id == id } }

    /// Formats that use a file extension (any letter case, without dot).
    public func formats(fileExtension: String) -> [any Format] {
        formats.filter { $0.info.fileExtensions.contains(fileExtension.lowercased()) }
    }
}
