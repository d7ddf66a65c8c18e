extension Raster {
    /// Some of the channels, in the order asked for (numbers from 0). A channel that is not there is the last one.
    public func extracting(_ wanted: [Int]) -> Raster {
        let picks = wanted.prefix(4).map { Swift.min(Swift.max(0, $0), channels - 1) }
        if picks.isEmpty { return self }
        let size = depth.rawValue
        var out: [UInt8] = []
        out.reserveCapacity(width * height * picks.count * size)
        for pixel in 0..<(width * height) {
            for c in picks {
                let at = (pixel * channels + c) * size
                for k in 0..<size { out.append(bytes[at + k]) }
            }
        }
        return Raster(width: width, height: height, channels: picks.count, depth: depth, bytes: out) ?? self
    }

    /// One channel of an image of 8 bits, its levels changed by a table of 256.
    public func mapping(_ channel: Int, _ table: [UInt8]) -> Raster {
        let one = eightBits()
        let picked = Swift.min(Swift.max(0, channel), channels - 1)
        guard table.count == 256 else { return one.extracting([picked]) }
        var out = [UInt8](repeating: 0, count: width * height)
        for pixel in out.indices { out[pixel] = table[Int(one.bytes[pixel * channels + picked])] }
        return Raster(width: width, height: height, channels: 1, bytes: out) ?? self
    }

    /// Whether a channel has its highest level everywhere.
    public func isFull(channel: Int) -> Bool {
        let one = eightBits()
        guard channel >= 0, channel < channels else { return false }
        for pixel in 0..<(width * height) where one.bytes[pixel * channels + channel] != 255 { return false }
        return true
    }

    /// What feeds one channel of a packed image.
    public enum Source: Sendable {
        case constant(Float)
        /// A channel of an image; counted from 0.
        case channel(Raster, Int)
    }

    /// Puts one to four channels together, 8 bits each, at the largest size among them; smaller images are resampled.
    /// Nil where there is none or none has a size.
    public static func packing(_ sources: [Source]) -> Raster? {
        guard (1...4).contains(sources.count) else { return nil }
        var (width, height) = (0, 0)
        for case .channel(let raster, _) in sources { (width, height) = (Swift.max(width, raster.width), Swift.max(height, raster.height)) }
        guard let count = byteCount(width, height, sources.count, .eight) else { return nil }
        var out = [UInt8](repeating: 0, count: count)
        for (c, source) in sources.enumerated() {
            switch source {
            case .constant(let value):
                let byte = UInt8(Swift.min(Swift.max(value.isFinite ? value : 0, 0), 1) * 255 + 0.5)
                for pixel in 0..<(width * height) { out[pixel * sources.count + c] = byte }
            case .channel(let raster, let channel):
                let one = raster.extracting([channel]).eightBits().resized(width: width, height: height)
                for pixel in 0..<(width * height) { out[pixel * sources.count + c] = one.bytes[pixel] }
            }
        }
        return Raster(width: width, height: height, channels: sources.count, bytes: out)
    }

    /// The same with 8 bits a channel.
    public func eightBits() -> Raster {
        if depth == .eight { return self }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count / 2)
        for i in 0..<(bytes.count / 2) { out.append(UInt8(truncatingIfNeeded: (Int(word(i)) * 255 + 32767) / 65535)) }
        return Raster(width: width, height: height, channels: channels, bytes: out) ?? self
    }

    /// Another size. Smaller: the mean over each new pixel's area; larger: linear between pixel centres.
    /// The image itself where the size is no size.
    public func resized(width newWidth: Int, height newHeight: Int) -> Raster {
        if newWidth == width, newHeight == height { return self }
        guard Raster.byteCount(newWidth, newHeight, channels, depth) != nil else { return self }
        // One direction at a time: rows first, then columns.
        let across = Weights(from: width, to: newWidth)
        let down = Weights(from: height, to: newHeight)
        var middle = [Float](repeating: 0, count: newWidth * height * channels)
        for y in 0..<height {
            for x in 0..<newWidth {
                for (source, weight) in across.of(x) {
                    for c in 0..<channels { middle[(y * newWidth + x) * channels + c] += weight * value(x: source, y: y, channel: c) }
                }
            }
        }
        let scale: Float = depth == .eight ? 255 : 65535
        var out: [UInt8] = []
        out.reserveCapacity(newWidth * newHeight * channels * depth.rawValue)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                for c in 0..<channels {
                    var sum: Float = 0
                    for (source, weight) in down.of(y) { sum += weight * middle[(source * newWidth + x) * channels + c] }
                    let level = UInt16(Swift.min(Swift.max(sum * scale + 0.5, 0), scale))
                    out.append(UInt8(truncatingIfNeeded: level))
                    if depth == .sixteen { out.append(UInt8(truncatingIfNeeded: level >> 8)) }
                }
            }
        }
        return Raster(width: newWidth, height: newHeight, channels: channels, depth: depth, bytes: out) ?? self
    }

    /// Which old pixels make each new one, and how much of each.
    private struct Weights {
        private var starts: [Int] = [0]
        private var entries: [(Int, Float)] = []

        init(from old: Int, to new: Int) {
            let step = Double(old) / Double(new)
            for i in 0..<new {
                if step > 1 {
                    let (low, high) = (Double(i) * step, Double(i + 1) * step)
                    var k = Int(low)
                    while k < old, Double(k) < high {
                        let part = Swift.min(high, Double(k + 1)) - Swift.max(low, Double(k))
                        if part > 0 { entries.append((k, Float(part / step))) }
                        k += 1
                    }
                } else {
                    let center = (Double(i) + 0.5) * step - 0.5
                    let low = Int(center.rounded(.down))
                    let part = Float(center - Double(low))
                    entries.append((Swift.min(Swift.max(low, 0), old - 1), 1 - part))
                    entries.append((Swift.min(Swift.max(low + 1, 0), old - 1), part))
                }
                starts.append(entries.count)
            }
        }

        func of(_ i: Int) -> ArraySlice<(Int, Float)> { entries[starts[i]..<starts[i + 1]] }
    }
}
