import AssetModel

/// Decodes Targa files (Truevision TGA specification 2.0): true colour, grey and palette images, plain or run-length coded.
/// There is no library for it that both Debian and Homebrew carry.
enum TGACodec {
    /// Image types: 1 palette, 2 colour, 3 grey; 9 to 11 the same in runs.
    private struct Header {
        var type: Int
        var firstPaletteEntry: Int
        var paletteCount: Int
        var paletteBits: Int
        var width: Int
        var height: Int
        var bits: Int
        var alphaBits: Int
        var isRightToLeft: Bool
        var isTopDown: Bool
        /// Where the palette begins.
        var start: Int

        init?(_ b: UnsafeRawBufferPointer) {
            guard b.count >= 18 else { return nil }
            func word(_ i: Int) -> Int { Int(b[i]) | Int(b[i + 1]) << 8 }
            type = Int(b[2])
            (firstPaletteEntry, paletteCount, paletteBits) = (word(3), word(5), Int(b[7]))
            (width, height, bits) = (word(12), word(14), Int(b[16]))
            alphaBits = Int(b[17] & 15)
            isRightToLeft = b[17] & 16 != 0
            isTopDown = b[17] & 32 != 0
            start = 18 + Int(b[0])
            let hasPalette = b[1] == 1
            if !hasPalette { (paletteCount, paletteBits) = (0, 0) }
            switch type {
            case 1, 9: guard hasPalette, bits == 8 || bits == 16, [15, 16, 24, 32].contains(paletteBits) else { return nil }
            case 2, 10: guard [15, 16, 24, 32].contains(bits) else { return nil }
            case 3, 11: guard bits == 8 || bits == 16 else { return nil }
            default: return nil
            }
        }
    }

    /// Whether the first bytes can be those of a Targa file; it has no magic number.
    static func recognizes(_ bytes: UnsafeRawBufferPointer) -> Bool { Header(bytes) != nil }

    static func decode(_ bytes: UnsafeRawBufferPointer, _ name: String, _ limits: ImageLimits) throws(AssetError) -> Raster {
        func damaged(_ what: String, _ offset: Int) -> AssetError {
            AssetError("image.damaged", what, at: SourceLocation(file: name, position: .byteOffset(offset)))
        }
        guard let header = Header(bytes) else { throw damaged("not a Targa header", 0) }
        try ImageCodec.checkSize(header.width, header.height, limits, name)
        let pixels = header.width * header.height
        let bytesEach = (header.bits + 7) / 8
        let isGrey = header.type & 3 == 3
        let colourBits = header.type & 3 == 1 ? header.paletteBits : header.bits
        let channels = isGrey ? (header.bits == 16 ? 2 : 1) : colourBits == 32 || (colourBits == 16 && header.alphaBits == 1) ? 4 : 3
        let paletteBytes = (header.paletteBits + 7) / 8
        let palette = header.start
        var at = palette + header.paletteCount * paletteBytes
        let isPacked = header.type >= 8
        // A run packet is a count byte and one pixel for at most 128.
        let least = isPacked ? (pixels + 127) / 128 * (bytesEach + 1) : pixels * bytesEach
        guard at <= bytes.count, least <= bytes.count - at else {
            throw damaged("\(pixels) pixels take at least \(amount(least, "byte")), found \(max(0, bytes.count - at))", min(at, bytes.count))
        }

        var out = [UInt8](repeating: 0, count: pixels * channels)
        /// Puts one pixel, whose bytes are at `source`, at position `i` in file order.
        func put(_ i: Int, _ source: Int) throws(AssetError) {
            let (row, column) = (i / header.width, i % header.width)
            let y = header.isTopDown ? row : header.height - 1 - row
            let x = header.isRightToLeft ? header.width - 1 - column : column
            let to = (y * header.width + x) * channels
            if isGrey {
                for c in 0..<channels { out[to + c] = bytes[source + c] }
                return
            }
            var colour = source
            if header.type & 3 == 1 {
                let index = (bytesEach == 1 ? Int(bytes[source]) : Int(bytes[source]) | Int(bytes[source + 1]) << 8) - header.firstPaletteEntry
                guard index >= 0, index < header.paletteCount else {
                    throw damaged("palette entry \(index) of \(header.paletteCount)", source)
                }
                colour = palette + index * paletteBytes
            }
            if colourBits <= 16 {
                let v = Int(bytes[colour]) | Int(bytes[colour + 1]) << 8
                func five(_ shift: Int) -> UInt8 { UInt8((v >> shift & 31) * 255 / 31) }
                (out[to], out[to + 1], out[to + 2]) = (five(10), five(5), five(0))
                if channels == 4 { out[to + 3] = v & 0x8000 != 0 ? 255 : 0 }
            } else {
                (out[to], out[to + 1], out[to + 2]) = (bytes[colour + 2], bytes[colour + 1], bytes[colour])
                if channels == 4 { out[to + 3] = bytes[colour + 3] }
            }
        }

        var i = 0
        while i < pixels {
            var run = pixels
            var repeats = false
            if isPacked {
                guard at < bytes.count else { throw damaged("\(amount(pixels, "pixel")) expected, found \(i)", at) }
                run = min(Int(bytes[at] & 127) + 1, pixels - i)
                repeats = bytes[at] & 128 != 0
                at += 1
            }
            guard (repeats ? 1 : run) * bytesEach <= bytes.count - at else { throw damaged("\(amount(pixels, "pixel")) expected, found \(i)", at) }
            for _ in 0..<run {
                try put(i, at)
                i += 1
                if !repeats { at += bytesEach }
            }
            if repeats { at += bytesEach }
        }
        // Many programs write 32 bits and leave the alpha they do not use at zero.
        if channels == 4, header.alphaBits == 0 { for p in 0..<pixels { out[p * 4 + 3] = 255 } }
        guard let raster = Raster(width: header.width, height: header.height, channels: channels, bytes: out) else {
            throw damaged("not an image", 0)
        }
        return raster
    }
}
