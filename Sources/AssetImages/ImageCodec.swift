public import AssetModel

/// Decodes PNG, JPEG and Targa, encodes PNG and JPEG.
public enum ImageCodec {
    /// Decodes an image by its first bytes. 8-bit files come as they are; 16-bit PNG files with linear values.
    ///
    /// - Parameter name: for messages.
    /// - Throws: `image.unknown-format`, `image.too-large`, `image.damaged`.
    public static func decode(_ bytes: UnsafeRawBufferPointer, name: String, limits: ImageLimits = ImageLimits()) throws(AssetError) -> Raster {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47] as [UInt8]) { return try PNGCodec.decode(bytes, name, limits) }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF] as [UInt8]) { return try JPEGCodec.decode(bytes, name, limits) }
        if TGACodec.recognizes(bytes) { return try TGACodec.decode(bytes, name, limits) }
        throw AssetError("image.unknown-format", "neither PNG, JPEG nor Targa", at: SourceLocation(file: name))
    }

    /// The bytes of a PNG file. Throws `image.cannot-encode`.
    public static func encodePNG(_ raster: Raster, name: String = "image") throws(AssetError) -> [UInt8] {
        try PNGCodec.encode(raster, name)
    }

    /// The bytes of a JPEG file; an alpha channel is left out. 8-bit images only.
    /// - Parameter quality: 1 to 100.
    /// - Throws: `image.cannot-encode`.
    public static func encodeJPEG(_ raster: Raster, quality: Int = 90, name: String = "image") throws(AssetError) -> [UInt8] {
        try JPEGCodec.encode(raster, quality, name)
    }

    static func checkSize(_ width: Int, _ height: Int, _ limits: ImageLimits, _ name: String) throws(AssetError) {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0 else {
            throw AssetError("image.damaged", "an image of \(width) by \(height) pixels", at: SourceLocation(file: name))
        }
        guard !overflow, pixels <= limits.pixels else {
            throw AssetError(
                "image.too-large", "\(width) by \(height) pixels, at most \(limits.pixels) in all are read", at: SourceLocation(file: name))
        }
    }
}
