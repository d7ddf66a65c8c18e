public import AssetIO
public import AssetModel

/// The crate encoding of layers (`.usdc`, and `.usd` that begins with `PXR-USDC`).
///
/// There is no specification besides OpenUSD's pxr/usd/sdf/crateFile.cpp; versions 0.0.1 to 0.16.0 are read. The tables
/// (tokens, strings, fields, field sets, paths, specs) are read at once, values when they are asked for.
public enum USDC {
    /// Whether bytes begin as crate files do.
    public static func recognizes(_ head: RawSpan) -> Bool {
        guard head.byteCount >= 8 else { return false }
        return head.unsafeLoadUnaligned(as: UInt64.self) == magic
    }

    /// `PXR-USDC`
    static let magic: UInt64 = 0x4344_5355_2D52_5850

    /// Reads the tables of a crate file into a layer.
    ///
    /// Throws where the file is damaged so that no layer can be had; the error names the section and the byte offset.
    /// Warns (`usdc.…`) where parts had to be left out.
    public static func parse(
        _ file: FileBytes, session: USDSession, identifier: String, limits: ReadLimits, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> USDLayer {
        guard let bytes = CrateBytes(file), bytes.count >= CrateFile.headerSize else {
            throw AssetError(
                CratePart.header.code, "header: \(amount(CrateFile.headerSize, "byte")) expected, found \(file.count)", at: file.location(0))
        }
        let crate = try CrateFile(bytes, session: session, limits: limits)
        return try CrateLayerReader(crate, identifier: identifier).read(&diagnostics)
    }
}
