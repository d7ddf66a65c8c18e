import AssetModel
import CPNG

/// PNG by libpng's simplified API, which needs no setjmp.
enum PNGCodec {
    static func decode(_ bytes: UnsafeRawBufferPointer, _ name: String, _ limits: ImageLimits) throws(AssetError) -> Raster {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { throw failure(image, name) }
        let (width, height) = (Int(image.width), Int(image.height))
        try ImageCodec.checkSize(width, height, limits, name)
        // Deflate makes at most 1032 bytes of one, and a byte holds at most 8 pixels.
        guard width * height <= bytes.count.multipliedReportingOverflow(by: 8256).partialValue + (1 << 16) else {
            throw AssetError(
                "image.damaged", "\(bytes.count) bytes cannot hold \(width) by \(height) pixels", at: SourceLocation(file: name))
        }
        let isDeep = image.format & png_uint_32(PNG_FORMAT_FLAG_LINEAR) != 0
        var format: png_uint_32 = isDeep ? png_uint_32(PNG_FORMAT_FLAG_LINEAR) : 0
        var channels = 1
        if image.format & png_uint_32(PNG_FORMAT_FLAG_COLOR) != 0 {
            format |= png_uint_32(PNG_FORMAT_FLAG_COLOR)
            channels = 3
        }
        if image.format & png_uint_32(PNG_FORMAT_FLAG_ALPHA) != 0 {
            format |= png_uint_32(PNG_FORMAT_FLAG_ALPHA)
            channels += 1
        }
        image.format = format
        let depth = isDeep ? Raster.Depth.sixteen : .eight
        guard let count = Raster.byteCount(width, height, channels, depth) else { throw failure(image, name) }
        var out = [UInt8](repeating: 0, count: count)
        let done = out.withUnsafeMutableBytes { png_image_finish_read(&image, nil, $0.baseAddress, png_int_32(width * channels), nil) }
        guard done != 0, let raster = Raster(width: width, height: height, channels: channels, depth: depth, bytes: out) else {
            throw failure(image, name)
        }
        return raster
    }

    static func encode(_ raster: Raster, _ name: String) throws(AssetError) -> [UInt8] {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        guard raster.width <= Int(Int32.max), raster.height <= Int(Int32.max), raster.width * raster.channels <= Int(Int32.max) else {
            throw AssetError("image.cannot-encode", "\(raster.width) by \(raster.height) pixels are too many for PNG", at: SourceLocation(file: name))
        }
        image.width = png_uint_32(raster.width)
        image.height = png_uint_32(raster.height)
        image.format =
            (raster.channels > 2 ? png_uint_32(PNG_FORMAT_FLAG_COLOR) : 0)
            | (raster.channels % 2 == 0 ? png_uint_32(PNG_FORMAT_FLAG_ALPHA) : 0)
            | (raster.depth == .sixteen ? png_uint_32(PNG_FORMAT_FLAG_LINEAR) : 0)
        defer { png_image_free(&image) }
        let stride = png_int_32(raster.width * raster.channels)
        var size = 0
        // Asked without memory the function tells the size.
        let measured = raster.bytes.withUnsafeBytes { png_image_write_to_memory(&image, nil, &size, 0, $0.baseAddress, stride, nil) }
        guard measured != 0, size > 0 else { throw failure(image, name, "image.cannot-encode") }
        var out = [UInt8](repeating: 0, count: size)
        let written = out.withUnsafeMutableBytes { target in
            raster.bytes.withUnsafeBytes { png_image_write_to_memory(&image, target.baseAddress, &size, 0, $0.baseAddress, stride, nil) }
        }
        guard written != 0, size <= out.count else { throw failure(image, name, "image.cannot-encode") }
        out.removeLast(out.count - size)
        return out
    }

    private static func failure(_ image: png_image, _ name: String, _ code: String = "image.damaged") -> AssetError {
        let message = withUnsafeBytes(of: image.message) { raw in String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self) }
        return AssetError(code, message.isEmpty ? "not a sound PNG" : message, at: SourceLocation(file: name))
    }
}
