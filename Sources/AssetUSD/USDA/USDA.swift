public import AssetIO
public import AssetModel

/// The text encoding of USD layers (`.usda`), as OpenUSD 26.11 reads and writes it.
public enum USDA {
    /// The newest minor version of `#usda 1.x` that is read.
    static let newestMinorVersion = 4

    /// Whether the bytes start as a USDA text does: `#usda 1.0`, or `#sdf 1.4.32` of old files; a byte order mark may
    /// come first.
    public static func recognizes(_ head: RawSpan) -> Bool {
        let start = markLength(head)
        return matches(head, start, "#usda ") || matches(head, start, "#sdf ")
    }

    /// Reads a whole layer.
    ///
    /// Throws `usda.…` errors with line, column and prim path where the text breaks the grammar or a limit.
    public static func parse(
        _ file: FileBytes, session: USDSession, identifier: String, limits: ReadLimits = ReadLimits(), _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> USDLayer {
        var parser = USDAParser(Span<UInt8>(_bytes: file.bytes), of: file, session: session, identifier: identifier, limits: limits)
        do {
            try parser.parse()
        } catch {
            throw parser.located(error)
        }
        parser.finishWarnings()
        diagnostics.add(parser.diagnostics)
        parser.builder.close()
        return parser.finish()
    }

    static func markLength(_ head: RawSpan) -> Int { matches(head, 0, "\u{feff}") ? 3 : 0 }

    private static func matches(_ head: RawSpan, _ start: Int, _ word: StaticString) -> Bool {
        let n = word.utf8CodeUnitCount
        guard head.byteCount >= start + n else { return false }
        for i in 0..<n where head.unsafeLoad(fromByteOffset: start + i, as: UInt8.self) != word.utf8Start[i] { return false }
        return true
    }
}
