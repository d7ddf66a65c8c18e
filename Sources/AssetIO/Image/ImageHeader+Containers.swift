/// Formats whose headers are lists of tags, attributes or boxes.
extension ImageHeader {
    /// TIFF 6.0 and BigTIFF: the first directory.
    static func tiff(_ r: borrowing ImageBytes) -> ImageHeader? {
        let isBig: Bool
        if r.has("II", at: 0) { isBig = false } else if r.has("MM", at: 0) { isBig = true } else { return nil }
        guard let version = isBig ? r.big16(2) : r.little16(2), version == 42 || version == 43 else { return nil }
        var header = ImageHeader(.tiff)
        let isLong = version == 43
        func short(_ r: borrowing ImageBytes, _ i: Int) -> Int? { isBig ? r.big16(i) : r.little16(i) }
        func long(_ r: borrowing ImageBytes, _ i: Int) -> Int? { isBig ? r.big32(i) : r.little32(i) }
        func offset(_ r: borrowing ImageBytes, _ i: Int) -> Int? {
            isLong ? (isBig ? r.big64(i) : r.little64(i)) : long(r, i)
        }
        guard let directory = offset(r, isLong ? 8 : 4), directory < r.count, let count = isLong ? offset(r, directory) : short(r, directory)
        else { return header }
        let first = directory + (isLong ? 8 : 2)
        let stride = isLong ? 20 : 12
        for i in 0..<min(count, 4096) {
            let at = first + i * stride
            guard let tag = short(r, at), let type = short(r, at + 2) else { break }
            guard [256, 257, 258, 277].contains(tag) else { continue }
            let valueAt = at + (isLong ? 12 : 8)
            let elements = isLong ? offset(r, at + 4) : long(r, at + 4)
            var value = type == 3 ? short(r, valueAt) : type == 4 ? long(r, valueAt) : type == 16 ? offset(r, valueAt) : r.byte(valueAt)
            // Several shorts that do not fit stand elsewhere.
            if tag == 258, type == 3, let elements, elements > (isLong ? 4 : 2), let place = offset(r, valueAt) { value = short(r, place) }
            switch tag {
            case 256: header.width = value
            case 257: header.height = value
            case 258: header.bitDepth = value
            default: header.channels = value
            }
        }
        // The default of both tags is one.
        if header.width != nil {
            header.channels = header.channels ?? 1
            header.bitDepth = header.bitDepth ?? 1
        }
        return header
    }

    /// OpenEXR: attributes of the first part.
    static func exr(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.exr)
        var at = 8
        func text(_ r: borrowing ImageBytes, _ place: inout Int) -> String? {
            let start = place
            while let byte = r.byte(place), byte != 0, place - start < 256 { place += 1 }
            guard r.byte(place) == 0 else { return nil }
            place += 1
            let end = place - 1
            return r.bytes.withUnsafeBytes { String(decoding: $0[start..<end], as: UTF8.self) }
        }
        for _ in 0..<1024 {
            guard let name = text(r, &at), !name.isEmpty, let type = text(r, &at), let size = r.little32(at) else { break }
            at += 4
            if name == "channels", type == "chlist" {
                var place = at
                var channels = 0
                while channels < 1024, place < at + size, let channel = text(r, &place), !channel.isEmpty {
                    if let pixel = r.little32(place), channels == 0 { header.bitDepth = pixel == 1 ? 16 : 32 }
                    channels += 1
                    place += 16
                }
                header.channels = channels
            } else if name == "dataWindow", let x0 = r.little32(at), let y0 = r.little32(at + 4), let x1 = r.little32(at + 8),
                let y1 = r.little32(at + 12)
            {
                func signed(_ value: Int) -> Int { Int(Int32(truncatingIfNeeded: value)) }
                header.width = signed(x1) - signed(x0) + 1
                header.height = signed(y1) - signed(y0) + 1
            }
            at += size
        }
        return header
    }

    /// KTX 2.0: the index, and the data format descriptor for the channels.
    static func ktx2(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.ktx2)
        header.width = r.little32(20)
        header.height = r.little32(24).map { max($0, 1) }
        guard let descriptor = r.little32(48), let model = r.byte(descriptor + 12), let blockSize = r.little16(descriptor + 10), blockSize >= 24
        else { return header }
        let samples = (blockSize - 24) / 16
        let firstSample = descriptor + 28
        switch model {
        // ETC1S keeps alpha as a second slice, UASTC tells it in the channel's type.
        case 163:
            header.channels = samples >= 2 ? 4 : 3
            header.bitDepth = 8
        case 166:
            header.channels = r.byte(firstSample + 3).map { $0 & 15 == 3 ? 4 : 3 }
            header.bitDepth = 8
        default:
            header.channels = samples
            header.bitDepth = r.byte(firstSample + 2).map { $0 + 1 }
        }
        return header
    }

    static func dds(_ r: borrowing ImageBytes) -> ImageHeader {
        var header = ImageHeader(.dds)
        header.height = r.little32(12)
        header.width = r.little32(16)
        // Uncompressed pixels tell their bits; block formats do not tell their channels here.
        if let flags = r.little32(80), flags & 0x40 != 0 {
            header.channels = flags & 1 != 0 ? 4 : 3
            header.bitDepth = 8
        }
        return header
    }

    // MARK: Boxes

    /// A box of an ISO media file: its four letters and the range of its contents.
    private struct Box {
        var type: Int
        var contents: Range<Int>
    }

    private static func fourCC(_ text: StaticString) -> Int {
        (0..<4).reduce(0) { $0 << 8 | Int(text.utf8Start[$1]) }
    }

    private static func boxes(_ r: borrowing ImageBytes, _ range: Range<Int>) -> [Box] {
        var found: [Box] = []
        var at = range.lowerBound
        while found.count < 4096, range.upperBound - at >= 8, let size = r.big32(at), let type = r.big32(at + 4) {
            var start = at + 8
            var end = range.upperBound
            if size == 1 {
                guard let long = r.big64(at + 8), long >= 16, long <= range.upperBound - at else { break }
                start = at + 16
                end = at + long
            } else if size != 0 {
                guard size >= 8, size <= range.upperBound - at else { break }
                end = at + size
            }
            found.append(Box(type: type, contents: start..<end))
            at = end
        }
        return found
    }

    /// AVIF and HEIF (ISO/IEC 23008-12): the properties of the primary item.
    static func heif(_ r: borrowing ImageBytes) -> ImageHeader? {
        guard r.has("ftyp", at: 4), let size = r.big32(0), size >= 16 else { return nil }
        var brands: [Int] = [r.big32(8) ?? 0]
        for at in stride(from: 16, to: min(size, 256, r.count) - 3, by: 4) { brands.append(r.big32(at) ?? 0) }
        let kind: Kind
        if brands.contains(fourCC("avif")) || brands.contains(fourCC("avis")) {
            kind = .avif
        } else if ["heic", "heix", "heif", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].contains(where: { brands.contains(fourCC($0)) }) {
            kind = .heif
        } else {
            return nil
        }
        var header = ImageHeader(kind)
        guard let meta = boxes(r, 0..<r.count).first(where: { $0.type == fourCC("meta") }), meta.contents.count >= 4 else { return header }
        let inner = boxes(r, meta.contents.lowerBound + 4..<meta.contents.upperBound)
        guard let iprp = inner.first(where: { $0.type == fourCC("iprp") }) else { return header }
        let properties = boxes(r, iprp.contents)
        guard let ipco = properties.first(where: { $0.type == fourCC("ipco") }) else { return header }
        let list = boxes(r, ipco.contents)
        var primary: Int?
        if let pitm = inner.first(where: { $0.type == fourCC("pitm") })?.contents.lowerBound {
            primary = r.byte(pitm) == 0 ? r.big16(pitm + 4) : r.big32(pitm + 4)
        }
        var used: [Box] = []
        if let primary, let ipma = properties.first(where: { $0.type == fourCC("ipma") }) {
            used = associations(r, ipma.contents, primary).filter { $0 >= 1 && $0 <= list.count }.map { list[$0 - 1] }
        }
        if !used.contains(where: { $0.type == fourCC("ispe") }) { used = list }
        if let ispe = used.first(where: { $0.type == fourCC("ispe") })?.contents.lowerBound {
            header.width = r.big32(ispe + 4)
            header.height = r.big32(ispe + 8)
        }
        if let pixi = used.first(where: { $0.type == fourCC("pixi") })?.contents.lowerBound {
            header.channels = r.byte(pixi + 4)
            header.bitDepth = r.byte(pixi + 5)
        }
        return header
    }

    /// Numbers, from one, of the properties that belong to an item.
    private static func associations(_ r: borrowing ImageBytes, _ range: Range<Int>, _ item: Int) -> [Int] {
        guard let version = r.byte(range.lowerBound), let flags = r.byte(range.lowerBound + 3), let count = r.big32(range.lowerBound + 4)
        else { return [] }
        var at = range.lowerBound + 8
        for _ in 0..<count {
            guard at < range.upperBound, let id = version < 1 ? r.big16(at) : r.big32(at) else { break }
            at += version < 1 ? 2 : 4
            guard let n = r.byte(at) else { break }
            at += 1
            var found: [Int] = []
            for _ in 0..<n {
                if flags & 1 != 0 {
                    found.append((r.big16(at) ?? 0) & 0x7FFF)
                    at += 2
                } else {
                    found.append((r.byte(at) ?? 0) & 0x7F)
                    at += 1
                }
            }
            if id == item { return found }
        }
        return []
    }
}
