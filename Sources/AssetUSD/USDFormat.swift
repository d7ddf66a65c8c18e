public import AssetIO
public import AssetModel

/// The USD family: text layers, crate layers, packages. `.usd` is told by its content.
public struct USDFormat: Format {
    enum Encoding: String { case usda, usdc, usdz }

    let encoding: Encoding
    public let info: FormatInfo

    /// Text layers.
    public static let usda = USDFormat(
        .usda, name: "USD text", fileExtensions: ["usda", "usd"], mediaType: "model/vnd.usda",
        notes: ["Layers of version 1.0 to 1.4.", "Splines and value clips are kept by cat and evaluated where a scene needs them."])
    /// Crate (binary) layers.
    public static let usdc = USDFormat(
        .usdc, name: "USD crate", fileExtensions: ["usdc", "usd"], mediaType: nil,
        notes: ["Every crate version up to 0.16; arrays stay in the file until they are asked for."])
    /// Packages.
    public static let usdz = USDFormat(
        .usdz, name: "USD package", fileExtensions: ["usdz"], mediaType: "model/vnd.usdz+zip",
        notes: ["Packages that break the packing rules are read with a warning.", "Nothing outside the package is read."])

    /// In sniffing order.
    public static let all: [any Format] = [usdc, usda, usdz]

    private init(_ encoding: Encoding, name: String, fileExtensions: [String], mediaType: String?, notes: [String]) {
        self.encoding = encoding
        info = FormatInfo(
            id: encoding.rawValue, name: name, fileExtensions: fileExtensions, mediaType: mediaType, canRead: true, canWrite: false,
            notes: notes)
    }

    public func recognizes(_ head: RawSpan) -> Bool {
        switch encoding {
        case .usda: return USDA.recognizes(head)
        case .usdc: return USDC.recognizes(head)
        case .usdz:
            // A local file header, or the directory's end of an empty archive.
            guard head.byteCount >= 4 else { return false }
            let word = head.unsafeLoadUnaligned(as: UInt32.self)
            return word == 0x0403_4b50 || word == 0x0605_4b50
        }
    }

    public func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        try USDDocument(file, &context)
    }
}
