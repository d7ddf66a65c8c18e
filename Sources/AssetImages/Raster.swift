/// Pixels in memory: rows from top to bottom, interleaved channels of 8 or 16 bits.
public struct Raster: Sendable, Hashable {
    public enum Depth: Int, Sendable, Hashable { case eight = 1, sixteen = 2 }

    public let width: Int
    public let height: Int
    /// 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha.
    public let channels: Int
    public let depth: Depth
    /// `width · height · channels` values; 16-bit values in the machine's byte order.
    public var bytes: [UInt8]

    /// Nil where the sizes make no image or the bytes are not as many as they ask for.
    public init?(width: Int, height: Int, channels: Int, depth: Depth = .eight, bytes: [UInt8]) {
        guard let count = Raster.byteCount(width, height, channels, depth), bytes.count == count else { return nil }
        (self.width, self.height, self.channels, self.depth, self.bytes) = (width, height, channels, depth, bytes)
    }

    /// Bytes an image takes; nil where the sizes make none.
    static func byteCount(_ width: Int, _ height: Int, _ channels: Int, _ depth: Depth) -> Int? {
        guard width > 0, height > 0, (1...4).contains(channels) else { return nil }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        let (count, again) = pixels.multipliedReportingOverflow(by: channels * depth.rawValue)
        return overflow || again ? nil : count
    }

    /// A value between 0 and 1.
    public func value(x: Int, y: Int, channel: Int) -> Float {
        let i = (y * width + x) * channels + channel
        switch depth {
        case .eight: return Float(bytes[i]) / 255
        case .sixteen: return Float(word(i)) / 65535
        }
    }

    func word(_ i: Int) -> UInt16 {
        UInt16(littleEndian: UInt16(bytes[2 * i]) | UInt16(bytes[2 * i + 1]) << 8)
    }
}

/// Ceilings that keep a small file from asking for much memory.
public struct ImageLimits: Sendable, Hashable {
    public var pixels: Int
    public init(pixels: Int = 1 << 28) { self.pixels = pixels }
}
