/// What an image file says of itself in its first bytes: kind, pixels, channels. Nothing is decoded.
public struct ImageHeader: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case png, jpeg, exr, tiff, bmp, tga, gif, webp, hdr, ktx2, avif, heif, dds

        /// The usual extension, without dot.
        public var fileExtension: String {
            switch self {
            case .jpeg: "jpg"
            case .tiff: "tif"
            case .heif: "heic"
            default: rawValue
            }
        }

        /// Extensions that tell nothing else.
        public var fileExtensions: [String] {
            switch self {
            case .jpeg: ["jpg", "jpeg", "jpe"]
            case .tiff: ["tif", "tiff", "tx"]
            case .heif: ["heic", "heif", "hif"]
            case .hdr: ["hdr", "pic", "rgbe"]
            case .bmp: ["bmp", "dib"]
            case .tga: ["tga", "targa"]
            default: [rawValue]
            }
        }

        public var mediaType: String {
            switch self {
            case .png: "image/png"
            case .jpeg: "image/jpeg"
            case .exr: "image/x-exr"
            case .tiff: "image/tiff"
            case .bmp: "image/bmp"
            case .tga: "image/x-tga"
            case .gif: "image/gif"
            case .webp: "image/webp"
            case .hdr: "image/vnd.radiance"
            case .ktx2: "image/ktx2"
            case .avif: "image/avif"
            case .heif: "image/heic"
            case .dds: "image/vnd.ms-dds"
            }
        }
    }

    public var kind: Kind
    /// Pixels; nil where the file is cut off before it tells.
    public var width: Int?
    public var height: Int?
    /// 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha; nil where it is not told. Palettes count as colour.
    public var channels: Int?
    /// Bits a channel.
    public var bitDepth: Int?

    public var mediaType: String { kind.mediaType }

    init(_ kind: Kind) { self.kind = kind }

    /// Reads the header; nil where the bytes are not those of an image. TGA files of the first version have no signature: they
    /// are believed only where the name says so and the header is sound.
    ///
    /// - Parameters:
    ///   - bytes: the whole file, or as much of it as there is.
    ///   - fileExtension: in lower case without dot.
    public init?(_ bytes: RawSpan, fileExtension: String = "") {
        let reader = ImageBytes(bytes)
        if reader.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            self = Self.png(reader)
        } else if reader.has([0xFF, 0xD8, 0xFF], at: 0) {
            self = Self.jpeg(reader)
        } else if reader.has("GIF87a", at: 0) || reader.has("GIF89a", at: 0) {
            self = Self.gif(reader)
        } else if reader.has("RIFF", at: 0), reader.has("WEBP", at: 8) {
            self = Self.webp(reader)
        } else if reader.has([0x76, 0x2F, 0x31, 0x01], at: 0) {
            self = Self.exr(reader)
        } else if let tiff = Self.tiff(reader) {
            self = tiff
        } else if let bmp = Self.bmp(reader) {
            self = bmp
        } else if reader.has("#?RADIANCE", at: 0) || reader.has("#?RGBE", at: 0) {
            self = Self.hdr(reader)
        } else if reader.has([0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            self = Self.ktx2(reader)
        } else if reader.has("DDS ", at: 0), reader.little32(4) == 124 {
            self = Self.dds(reader)
        } else if let heif = Self.heif(reader) {
            self = heif
        } else if let tga = Self.tga(reader, isNamed: Kind.tga.fileExtensions.contains(fileExtension)) {
            self = tga
        } else {
            return nil
        }
    }

    public init?(_ file: FileBytes) { self.init(file.bytes, fileExtension: AssetPath.fileExtension(file.name)) }
}

/// Bounds-checked loads for the header readers: nil outside.
struct ImageBytes: ~Escapable {
    let bytes: RawSpan
    var count: Int { bytes.byteCount }

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    func byte(_ i: Int) -> Int? { i >= 0 && i < count ? Int(bytes.load8(i)) : nil }
    func little16(_ i: Int) -> Int? { i >= 0 && i <= count - 2 ? Int(bytes.load16(i)) : nil }
    func little32(_ i: Int) -> Int? { i >= 0 && i <= count - 4 ? Int(bytes.load32(i)) : nil }
    func big16(_ i: Int) -> Int? { i >= 0 && i <= count - 2 ? Int(bytes.load16(i).byteSwapped) : nil }
    func big32(_ i: Int) -> Int? { i >= 0 && i <= count - 4 ? Int(bytes.load32(i).byteSwapped) : nil }

    /// 64-bit places beyond any file are nil.
    func little64(_ i: Int) -> Int? { i >= 0 && i <= count - 8 ? Int(exactly: bytes.load64(i)) : nil }
    func big64(_ i: Int) -> Int? { i >= 0 && i <= count - 8 ? Int(exactly: bytes.load64(i).byteSwapped) : nil }

    func has(_ expected: [UInt8], at place: Int) -> Bool {
        guard place >= 0, count - place >= expected.count else { return false }
        for (k, byte) in expected.enumerated() where bytes.load8(place + k) != byte { return false }
        return true
    }

    func has(_ expected: StaticString, at place: Int) -> Bool {
        guard place >= 0, count - place >= expected.utf8CodeUnitCount else { return false }
        for k in 0..<expected.utf8CodeUnitCount where bytes.load8(place + k) != expected.utf8Start[k] { return false }
        return true
    }
}
