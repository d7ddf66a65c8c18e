import AssetModel

/// The central directory of a zip archive, read once front to back and held against the local headers.
struct ZipDirectoryReader {
    let file: FileBytes
    let limits: ReadLimits
    private(set) var entries: [ZipEntry] = []
    private(set) var issues: [ZipIssue] = []

    /// How far all offsets in the archive are shifted by bytes before it.
    private var shift = 0

    init(file: FileBytes, limits: ReadLimits) {
        self.file = file
        self.limits = limits
    }

    private func failure(_ code: String, _ message: String, _ offset: Int) -> AssetError {
        AssetError(code, message, at: file.location(offset))
    }

    private func u16(_ offset: Int) -> Int { Int(file.bytes.load16(offset)) }
    private func u32(_ offset: Int) -> Int { Int(file.bytes.load32(offset)) }

    /// A 64-bit number that is used as a count or place: beyond any file it is nil.
    private func u64(_ offset: Int) -> Int? { Int(exactly: file.bytes.load64(offset)) }

    private func isSignature(_ signature: Int, at offset: Int) -> Bool {
        offset >= 0 && offset <= file.count - 4 && u32(offset) == signature
    }

    mutating func read() throws(AssetError) {
        guard let end = findEnd() else {
            // Every archive begins with the signature of a record.
            if file.count >= 2, file.bytes.load16(0) != 0x4B50 {
                throw failure("zip.not-an-archive", "is not a package, expected a zip archive", 0)
            }
            throw failure(
                "zip.no-central-directory", "no end of central directory in the last 65,557 bytes of \(file.count): cut off, or not a zip archive",
                max(0, file.count - 22))
        }
        var count = u16(end + 10)
        var size = u32(end + 12)
        var offset = u32(end + 16)
        var disk = u16(end + 4)
        var directoryEnd = end
        if count == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF, isSignature(0x0706_4B50, at: end - 20) {
            (count, size, offset, directoryEnd) = try readZip64End(locator: end - 20)
            disk = 0
        }
        guard disk == 0 || disk == 0xFFFF else {
            throw failure("zip.several-disks", "the archive is split over several files", end)
        }
        // The directory ends where its end record begins; a smaller stated offset means that something stands before the archive.
        guard size <= directoryEnd else {
            throw failure(
                "zip.directory-out-of-range", "the central directory has \(amount(size, "byte")), only \(directoryEnd) are before its end record", end
            )
        }
        let start = directoryEnd - size
        if offset > start {
            throw failure(
                "zip.directory-out-of-range", "the central directory is said to be at byte \(offset), expected \(start)", end)
        }
        if offset < start {
            if isSignature(0x0201_4B50, at: offset), offset + size <= directoryEnd {
                // The offset is right and something (a signature block) stands between directory and end record.
                try readDirectory(at: offset, size: size, count: count)
                return
            }
            shift = start - offset
            issues.append(
                ZipIssue(kind: .prependedData, entry: nil, offset: 0, message: "\(shift) bytes stand before the archive"))
        }
        try readDirectory(at: start, size: size, count: count)
    }

    /// The end record: the last place whose comment fits in the file, best one whose comment ends with it.
    private mutating func findEnd() -> Int? {
        guard file.count >= 22 else { return nil }
        let last = file.count - 22
        let first = max(0, last - 0xFFFF)
        var found: Int?
        var i = last
        while i >= first {
            if isSignature(0x0605_4B50, at: i) {
                let rest = last - i
                let comment = u16(i + 20)
                if comment == rest {
                    found = i
                    break
                }
                if comment < rest, found == nil { found = i }
            }
            i -= 1
        }
        guard let found else { return nil }
        let comment = u16(found + 20)
        if comment > 0 {
            issues.append(
                ZipIssue(kind: .archiveComment, entry: nil, offset: found, message: "the archive has a comment of \(amount(comment, "byte"))"))
        }
        let rest = last - found - comment
        if rest > 0 {
            issues.append(
                ZipIssue(kind: .appendedData, entry: nil, offset: found + 22 + comment, message: "\(rest) bytes stand after the archive"))
        }
        return found
    }

    private func readZip64End(locator: Int) throws(AssetError) -> (count: Int, size: Int, offset: Int, end: Int) {
        guard var end = u64(locator + 8) else {
            throw failure("zip.directory-out-of-range", "the zip64 end record lies outside the file", locator)
        }
        // Prepended bytes shift it too; the record stands right before its locator where it has its usual size.
        if !isSignature(0x0606_4B50, at: end), isSignature(0x0606_4B50, at: locator - 56) { end = locator - 56 }
        guard isSignature(0x0606_4B50, at: end), end <= locator - 56 else {
            throw failure("zip.directory-out-of-range", "no zip64 end record at byte \(end)", locator)
        }
        guard let count = u64(end + 32), let size = u64(end + 40), let offset = u64(end + 48) else {
            throw failure("zip.directory-out-of-range", "the zip64 end record has numbers beyond the file", end)
        }
        return (count, size, offset, end)
    }

    private mutating func readDirectory(at start: Int, size: Int, count: Int) throws(AssetError) {
        // An entry takes 46 bytes at least.
        guard count <= size / 46 else {
            throw failure(
                "zip.bad-entry-count",
                "the archive is said to have \(amount(count, "entry", "entries")), its directory of \(amount(size, "byte")) has room for \(size / 46)",
                start)
        }
        guard count <= limits.packageEntries else {
            throw failure(
                "limit.package-entries", "the archive has \(amount(count, "entry", "entries")), the limit is \(limits.packageEntries)", start)
        }
        entries.reserveCapacity(count)
        var at = start
        let end = start + size
        for i in 0..<count { at = try readEntry(i, at, end, directory: start) }
        if at < end, isSignature(0x0201_4B50, at: at) {
            throw failure("zip.bad-entry-count", "the directory goes on after the stated \(amount(count, "entry", "entries"))", at)
        }
        try checkOverlaps()
    }

    /// Reads one entry and returns where the next one begins.
    private mutating func readEntry(_ i: Int, _ at: Int, _ end: Int, directory: Int) throws(AssetError) -> Int {
        guard end - at >= 46, isSignature(0x0201_4B50, at: at) else {
            throw failure("zip.bad-directory-entry", "no entry \(i) in the central directory", at)
        }
        let nameCount = u16(at + 28)
        let extraCount = u16(at + 30)
        let next = at + 46 + nameCount + extraCount + u16(at + 32)
        guard next <= end else {
            throw failure("zip.bad-directory-entry", "entry \(i) runs \(amount(next - end, "byte")) beyond the central directory", at)
        }
        let flags = UInt16(u16(at + 8))
        var size = u32(at + 24)
        var packed = u32(at + 20)
        var header = u32(at + 42)
        let nameAt = at + 46
        let extra = (nameAt + nameCount)..<(nameAt + nameCount + extraCount)

        if size == 0xFFFF_FFFF || packed == 0xFFFF_FFFF || header == 0xFFFF_FFFF, let field = extraField(1, extra) {
            // The field holds only those numbers that did not fit, in this order.
            var place = field.lowerBound
            func long(_ short: Int) throws(AssetError) -> Int {
                guard short == 0xFFFF_FFFF else { return short }
                guard field.upperBound - place >= 8, let value = u64(place) else {
                    throw failure("zip.out-of-range", "the zip64 numbers of entry \(i) are beyond the file", at)
                }
                place += 8
                return value
            }
            size = try long(size)
            packed = try long(packed)
            header = try long(header)
        }
        var name = decodeName(nameAt, nameCount, isUTF8: flags & 0x800 != 0)
        if flags & 0x800 == 0, let field = extraField(0x7075, extra), let unicode = unicodeName(field, nameAt, nameCount) { name = unicode }
        if name.utf8.contains(UInt8(ascii: "\\")) {
            issues.append(
                ZipIssue(kind: .backslashName, entry: name, offset: at, message: "the entry '\(name)' is named with \\ between folders"))
            name = String(name.map { $0 == "\\" ? "/" : $0 })
        }
        // Some tools write `./scene.usda`: the same place as `scene.usda`.
        while name.utf8.starts(with: "./".utf8) { name = String(name.dropFirst(2)) }

        guard header <= directory - 30 - shift, header >= 0 else {
            throw failure(
                "zip.out-of-range", "the local header of '\(name)' is said to be at byte \(header), the directory begins at \(directory)", at)
        }
        let local = header + shift
        guard isSignature(0x0403_4B50, at: local) else {
            throw failure("zip.no-local-header", "no local header of '\(name)' at byte \(local)", local)
        }
        let localNameCount = u16(local + 26)
        let data = local + 30 + localNameCount + u16(local + 28)
        guard data <= directory, packed <= directory - data else {
            throw failure(
                "zip.out-of-range",
                "the contents of '\(name)' have \(amount(packed, "byte")), only \(max(0, directory - data)) are before the central directory", local)
        }
        let method = UInt16(u16(at + 10))
        if method == 8, !Inflate.isPlausible(packed: packed, size: size) {
            throw failure(
                "zip.size-mismatch", "'\(name)' is said to unpack \(amount(packed, "byte")) to \(size), more than deflate can", at)
        }
        let entry = ZipEntry(
            name: name, method: method, flags: flags, crc32: UInt32(truncatingIfNeeded: u32(at + 16)), compressedSize: packed, size: size,
            headerOffset: local, dataOffset: data)
        try compareHeaders(entry, directoryEntry: at, nameCount: nameCount, localNameCount: localNameCount)
        if let refusal = entry.refusal {
            issues.append(ZipIssue(kind: .unsafeName, entry: name, offset: local, message: "the name '\(name)' \(refusal)"))
        }
        entries.append(entry)
        return next
    }

    /// What the local header says otherwise. Sizes may be left to the data descriptor or to zip64 fields there, or be left
    /// at zero; other sizes contradict the directory, and nothing tells which of the two is right.
    private mutating func compareHeaders(
        _ entry: ZipEntry, directoryEntry at: Int, nameCount: Int, localNameCount: Int
    ) throws(AssetError) {
        let local = entry.headerOffset
        func note(_ what: String) {
            issues.append(
                ZipIssue(
                    kind: .headerMismatch, entry: entry.name, offset: local,
                    message: "local header and central directory of '\(entry.name)' disagree about \(what)"))
        }
        var isSameName = nameCount == localNameCount
        if isSameName {
            for k in 0..<nameCount where file.bytes.load8(at + 46 + k) != file.bytes.load8(local + 30 + k) {
                isSameName = false
                break
            }
        }
        if !isSameName { note("the name") }
        if u16(local + 8) != Int(entry.method) { note("the compression method") }
        guard !entry.hasDataDescriptor else { return }
        for (what, found, expected) in [
            ("the compressed size", u32(local + 18), entry.compressedSize), ("the size", u32(local + 22), entry.size),
        ] where found != expected && found != 0xFFFF_FFFF {
            guard found == 0 else {
                throw failure(
                    "zip.size-mismatch", "\(what) of '\(entry.name)' is \(found) in its header, \(expected) in the central directory", local)
            }
            note(what)
        }
    }

    /// Entries whose bytes are shared make small files unpack to anything: refused. Puts the entries in the file's order.
    private mutating func checkOverlaps() throws(AssetError) {
        entries.sort { $0.headerOffset < $1.headerOffset }
        var names: Set<String> = []
        var end = 0
        var before = ""
        for entry in entries {
            guard entry.headerOffset >= end else {
                throw failure(
                    "zip.overlapping-entries", "the entries '\(before)' and '\(entry.name)' overlap", entry.headerOffset)
            }
            end = entry.dataOffset + entry.compressedSize
            before = entry.name
            if !names.insert(entry.name).inserted {
                issues.append(
                    ZipIssue(
                        kind: .duplicateName, entry: entry.name, offset: entry.headerOffset,
                        message: "the name '\(entry.name)' was used before; the first entry counts"))
            }
        }
    }

    // MARK: Names and extra fields

    private func extraField(_ id: Int, _ extra: Range<Int>) -> Range<Int>? {
        var at = extra.lowerBound
        while extra.upperBound - at >= 4 {
            let size = u16(at + 2)
            guard size <= extra.upperBound - at - 4 else { return nil }
            if u16(at) == id { return (at + 4)..<(at + 4 + size) }
            at += 4 + size
        }
        return nil
    }

    private func decodeName(_ at: Int, _ count: Int, isUTF8: Bool) -> String {
        let bytes = file.withUnsafeBytes { Array($0[at..<(at + count)]) }
        // Most writers put UTF-8 without setting the flag.
        if let name = String(validating: bytes, as: UTF8.self) { return name }
        return String(String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : codePage437[Int($0) - 0x80] }))
    }

    /// The Info-ZIP unicode path: used where its checksum shows that it belongs to the name.
    private func unicodeName(_ field: Range<Int>, _ nameAt: Int, _ nameCount: Int) -> String? {
        guard field.count > 5, file.bytes.load8(field.lowerBound) == 1 else { return nil }
        let checksum = file.withUnsafeBytes {
            Inflate.checksum(UnsafeRawBufferPointer(rebasing: $0[nameAt..<(nameAt + nameCount)]))
        }
        guard u32(field.lowerBound + 1) == Int(checksum) else { return nil }
        let bytes = file.withUnsafeBytes { Array($0[(field.lowerBound + 5)..<field.upperBound]) }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The upper half of the IBM PC's character set, in which old zip tools write names.
private let codePage437: [Unicode.Scalar] = Array(
    """
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
    """.unicodeScalars)

extension RawSpan {
    /// Little-endian numbers at a place that the caller has checked; checked again here, zero outside.
    func load8(_ offset: Int) -> UInt8 {
        offset >= 0 && offset < byteCount ? unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self) : 0
    }

    func load16(_ offset: Int) -> UInt16 {
        guard offset >= 0, offset <= byteCount - 2 else { return 0 }
        return UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
    }

    func load32(_ offset: Int) -> UInt32 {
        guard offset >= 0, offset <= byteCount - 4 else { return 0 }
        return UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    func load64(_ offset: Int) -> UInt64 {
        guard offset >= 0, offset <= byteCount - 8 else { return 0 }
        return UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
}
