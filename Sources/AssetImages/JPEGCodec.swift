import AssetModel
import CTurboJPEG

/// JPEG by TurboJPEG, which needs no setjmp.
enum JPEGCodec {
    static func decode(_ bytes: UnsafeRawBufferPointer, _ name: String, _ limits: ImageLimits) throws(AssetError) -> Raster {
        guard let handle = tjInitDecompress() else {
            throw AssetError("image.damaged", "no decoder", at: SourceLocation(file: name))
        }
        defer { tjDestroy(handle) }
        let source = bytes.bindMemory(to: UInt8.self)
        var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard tjDecompressHeader3(handle, source.baseAddress, UInt(source.count), &width, &height, &sampling, &space) == 0 else {
            throw failure(handle, name)
        }
        try ImageCodec.checkSize(Int(width), Int(height), limits, name)
        let isInk = space == Int32(TJCS_CMYK.rawValue) || space == Int32(TJCS_YCCK.rawValue)
        let isGrey = space == Int32(TJCS_GRAY.rawValue)
        let stored = isInk ? 4 : isGrey ? 1 : 3
        let format = isInk ? TJPF_CMYK.rawValue : isGrey ? TJPF_GRAY.rawValue : TJPF_RGB.rawValue
        guard let count = Raster.byteCount(Int(width), Int(height), stored, .eight) else { throw failure(handle, name) }
        var out = [UInt8](repeating: 0, count: count)
        let status = out.withUnsafeMutableBufferPointer {
            tjDecompress2(handle, source.baseAddress, UInt(source.count), $0.baseAddress, width, 0, height, Int32(format), 0)
        }
        // A warning tells of damage that was passed over: what is there is shown, as browsers do.
        if status != 0, tjGetErrorCode(handle) != Int32(TJERR_WARNING.rawValue) { throw failure(handle, name) }
        if isInk { out = colors(ofInk: out) }
        guard let raster = Raster(width: Int(width), height: Int(height), channels: isGrey ? 1 : 3, bytes: out) else {
            throw failure(handle, name)
        }
        return raster
    }

    /// Inks as Adobe's programs store them: 255 is none.
    private static func colors(ofInk ink: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(ink.count / 4 * 3)
        for i in stride(from: 0, to: ink.count - 3, by: 4) {
            let k = Int(ink[i + 3])
            for c in 0..<3 { out.append(UInt8(truncatingIfNeeded: (Int(ink[i + c]) * k + 127) / 255)) }
        }
        return out
    }

    static func encode(_ raster: Raster, _ quality: Int, _ name: String) throws(AssetError) -> [UInt8] {
        guard raster.depth == .eight, raster.width <= 65500, raster.height <= 65500 else {
            throw AssetError("image.cannot-encode", "JPEG holds 8 bits and at most 65500 pixels a side", at: SourceLocation(file: name))
        }
        guard let handle = tjInitCompress() else {
            throw AssetError("image.cannot-encode", "no encoder", at: SourceLocation(file: name))
        }
        defer { tjDestroy(handle) }
        let plain = raster.channels % 2 == 0 ? raster.extracting(Array(0..<(raster.channels - 1))) : raster
        let isGrey = plain.channels == 1
        var target: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(target) }
        let status = plain.bytes.withUnsafeBufferPointer {
            tjCompress2(
                handle, $0.baseAddress, Int32(plain.width), 0, Int32(plain.height), Int32(isGrey ? TJPF_GRAY.rawValue : TJPF_RGB.rawValue),
                &target, &size, Int32(isGrey ? TJSAMP_GRAY.rawValue : TJSAMP_444.rawValue), Int32(min(max(quality, 1), 100)), 0)
        }
        guard status == 0, let target else { throw failure(handle, name, "image.cannot-encode") }
        return Array(UnsafeBufferPointer(start: target, count: Int(size)))
    }

    private static func failure(_ handle: tjhandle, _ name: String, _ code: String = "image.damaged") -> AssetError {
        let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "not a sound JPEG"
        return AssetError(code, text, at: SourceLocation(file: name))
    }
}
