/// The plain raster formats.
extension ImageHeader {
    /// PNG (ISO/IEC 15948): the IHDR chunk comes first; a palette has alpha where a tRNS chunk stands before the data.
    static func png(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.png)
        guard r.has("IHDR", at: 12), let width = r.big32(16), let height = r.big32(20), let depth = r.byte(24), let type = r.byte(25) else {
            return header
        }
        (header.width, header.height) = (width, height)
        header.bitDepth = type == 3 ? 8 : depth
        switch type {
        case 0: header.channels = 1
        case 2, 3: header.channels = 3
        case 4: header.channels = 2
        case 6: header.channels = 4
        default: return header
        }
        guard type != 4, type != 6 else { return header }
        var at = 33
        for _ in 0..<256 {
            guard let length = r.big32(at), !r.has("IDAT", at: at + 4) else { break }
            if r.has("tRNS", at: at + 4) {
                header.channels = header.channels.map { $0 + 1 }
                break
            }
            at += 12 + length
        }
        return header
    }

    /// JPEG (ITU T.81): segments up to the frame header.
    static func jpeg(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.jpeg)
        var at = 2
        while let mark = r.byte(at) {
            guard mark == 0xFF, let marker = r.byte(at + 1) else { break }
            switch marker {
            case 0xFF:
                // Fill bytes.
                at += 1
            case 0x01, 0xD0...0xD8: at += 2
            case 0xD9, 0xDA: return header
            case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
                header.bitDepth = r.byte(at + 4)
                header.height = r.big16(at + 5)
                header.width = r.big16(at + 7)
                header.channels = r.byte(at + 9)
                return header
            default:
                guard let length = r.big16(at + 2), length >= 2 else { return header }
                at += 2 + length
            }
        }
        return header
    }

    static func gif(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.gif)
        header.width = r.little16(6)
        header.height = r.little16(8)
        header.channels = 3
        header.bitDepth = 8
        return header
    }

    /// Windows bitmaps, OS/2 headers included.
    static func bmp(_ r: borrowing ImageBytes) -> ImageHeader? {
        guard r.has("BM", at: 0), let size = r.little32(14), (12...512).contains(size) else { return nil }
        var header = ImageHeader(.bmp)
        let bits: Int?
        if size == 12 {
            header.width = r.little16(18)
            header.height = r.little16(20)
            bits = r.little16(24)
        } else {
            header.width = r.little32(18)
            // Negative: stored top down.
            header.height = r.little32(22).map { Int(Int32(truncatingIfNeeded: $0).magnitude) }
            bits = r.little16(28)
        }
        header.channels = bits.map { $0 == 32 ? 4 : 3 }
        header.bitDepth = 8
        return header
    }

    /// Truevision TGA: a footer tells the second version; the first has no mark at all.
    static func tga(_ r: borrowing ImageBytes, isNamed: Bool) -> ImageHeader? {
        guard let mapType = r.byte(1), let type = r.byte(2), let bits = r.byte(16), let width = r.little16(12), let height = r.little16(14)
        else { return nil }
        let isSound =
            mapType <= 1 && [1, 2, 3, 9, 10, 11].contains(type) && [8, 15, 16, 24, 32].contains(bits) && width > 0 && height > 0
            && ((type & 7) != 1 || mapType == 1)
        guard isSound, isNamed || r.has("TRUEVISION-XFILE.", at: r.count - 18) else { return nil }
        var header = ImageHeader(.tga)
        (header.width, header.height, header.bitDepth) = (width, height, 8)
        switch type & 7 {
        case 3: header.channels = bits == 16 ? 2 : 1
        case 1: header.channels = r.byte(7) == 32 ? 4 : 3
        default: header.channels = bits == 32 ? 4 : 3
        }
        return header
    }

    /// WebP: one of three first chunks (RFC 9649).
    static func webp(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.webp)
        header.bitDepth = 8
        if r.has("VP8 ", at: 12), r.has([0x9D, 0x01, 0x2A], at: 23) {
            header.width = r.little16(26).map { $0 & 0x3FFF }
            header.height = r.little16(28).map { $0 & 0x3FFF }
            header.channels = 3
        } else if r.has("VP8L", at: 12), r.byte(20) == 0x2F, let bits = r.little32(21) {
            header.width = bits & 0x3FFF + 1
            header.height = bits >> 14 & 0x3FFF + 1
            header.channels = bits >> 28 & 1 == 1 ? 4 : 3
        } else if r.has("VP8X", at: 12), let flags = r.byte(20), let w = r.little32(23), let h = r.little32(26) {
            header.width = w >> 8 + 1
            header.height = h >> 8 + 1
            header.channels = flags & 0x10 != 0 ? 4 : 3
        }
        return header
    }

    /// Radiance RGBE: lines of text, an empty one, then the resolution.
    static func hdr(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.hdr)
        header.channels = 3
        header.bitDepth = 32
        var lineStart = 0
        var wasEmpty = false
        for i in 0..<min(r.count, 65_536) where r.byte(i) == 0x0A {
            if wasEmpty {
                let line = r.bytes.withUnsafeBytes { String(decoding: $0[lineStart..<i], as: UTF8.self) }
                let words = line.split(separator: " ")
                guard words.count == 4 else { break }
                for k in [0, 2] {
                    let size = Int(words[k + 1])
                    if words[k].hasSuffix("Y") { header.height = size } else if words[k].hasSuffix("X") { header.width = size }
                }
                break
            }
            wasEmpty = i == lineStart
            lineStart = i + 1
        }
        return header
    }
}
