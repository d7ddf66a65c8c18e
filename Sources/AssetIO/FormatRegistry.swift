public import AssetModel

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

    /// How many bytes a format sees to recognise a file.
    public static let headCount = 4096

    /// The format of a file: told by its first bytes, by its name only where they say nothing. A name that says something
    /// else than the bytes is a warning (`format.misleading-extension`).
    ///
    /// - Parameter forced: the id of a format that overrules both.
    /// - Throws: `format.empty-file`; `format.unknown` with what was seen and what is known.
    public func recognize(
        _ file: FileBytes, forced: String? = nil, diagnostics: inout Diagnostics
    ) throws(AssetError) -> any Format {
        let location = SourceLocation(file: file.name)
        if let forced {
            guard let format = format(id: forced) else {
                let known = formats.filter(\.info.canRead).map(\.info.id).joined(separator: ", ")
                throw AssetError("format.unknown-name", "no format is called '\(forced)', expected one of \(known)", at: location)
            }
            return format
        }
        guard file.count > 0 else { throw AssetError("format.empty-file", "the file has no bytes", at: location) }

        let head = file.bytes.extracting(first: Self.headCount)
        let byContent = formats.filter { $0.info.canRead && $0.recognizes(head) }
        let fileExtension = AssetPath.fileExtension(file.name)
        if let first = byContent.first {
            if let both = byContent.first(where: { $0.info.fileExtensions.contains(fileExtension) }) { return both }
            if !fileExtension.isEmpty {
                let expected = first.info.fileExtensions.map { "." + $0 }.joined(separator: ", ")
                diagnostics.warning(
                    "format.misleading-extension",
                    "the name ends in .\(fileExtension), the content is \(first.info.name) (\(expected))", at: location)
            }
            return first
        }
        if let named = formats(fileExtension: fileExtension).first(where: \.info.canRead) { return named }
        let known = formats.filter(\.info.canRead).flatMap(\.info.fileExtensions)
        var unique: [String] = []
        for name in known where !unique.contains(name) { unique.append(name) }
        throw AssetError(
            "format.unknown",
            "neither content (\(ContentGuess.describe(head))) nor name is of a known format; known extensions are "
                + unique.map { "." + $0 }.joined(separator: ", "),
            at: location)
    }
}

/// Words for bytes that are of no format of ours, for messages.
enum ContentGuess {
    private static let signatures: [(bytes: [UInt8], name: String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"), (Array("GIF8".utf8), "a GIF image"),
        (Array("%PDF".utf8), "a PDF document"), ([0x7F, 0x45, 0x4C, 0x46], "an ELF program"), ([0x1F, 0x8B], "gzip data"),
        (Array("PK".utf8), "a zip archive"), (Array("Rar!".utf8), "a RAR archive"), (Array("7z".utf8) + [0xBC, 0xAF], "a 7-Zip archive"),
        (Array("BLENDER".utf8), "a Blender file"), ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data"), (Array("<?xml".utf8), "XML text"),
        (Array("<!DOCTYPE".utf8), "an HTML page"), (Array("<html".utf8), "an HTML page"), (Array("{".utf8), "JSON text"),
    ]

    static func describe(_ head: RawSpan) -> String {
        let bytes = head.withUnsafeBytes { Array($0.prefix(64)) }
        for (signature, name) in signatures where bytes.starts(with: signature) { return name }
        let isText = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        if isText, let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first {
            return "text that begins '\(line.prefix(24))'"
        }
        let hex = bytes.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return "bytes \(hex.joined(separator: " "))"
    }
}
