public import AssetModel

/// Writes a zip archive of stored entries whose contents begin at multiples of a power of two, by padding in the local
/// header's extra field as the usdz specification asks. The same entries give the same bytes.
public struct ZipWriter {
    private struct Entry {
        var name: [UInt8]
        var crc32: UInt32
        var size: Int
        var headerOffset: Int
    }

    /// The id of the padding field in usdz files.
    private static let paddingID: UInt16 = 0x1986

    private let alignment: Int
    private var entries: [Entry] = []
    private var names: Set<String> = []
    /// Bytes handed out so far.
    private var place = 0

    /// - Parameter alignment: 64 for usdz; 1 for none.
    public init(alignment: Int = 64) { self.alignment = max(1, alignment) }

    /// Appends an entry. Throws `zip.bad-name` for a name that is empty, used, not relative, leads out of the archive or holds
    /// control characters, and
    /// `zip.too-large` from 4 GiB on, which usdz readers do not take.
    public mutating func add(_ name: String, _ contents: FileBytes, to file: any OutputFile) throws(AssetError) {
        let bytes = Array(name.utf8)
        let probe = ZipEntry(
            name: name, method: 0, flags: 0, crc32: 0, compressedSize: 0, size: 0, headerOffset: 0, dataOffset: 0)
        guard probe.isSafe, !probe.isFolder, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }), bytes.count < 0xFFFF, names.insert(name).inserted
        else {
            throw AssetError("zip.bad-name", "'\(name)' cannot be the name of an entry", at: SourceLocation(file: name))
        }
        let limit = 0xFFFF_FFFF - 1
        guard contents.count < limit - place - bytes.count - alignment - 64, entries.count < 0xFFFE else {
            throw AssetError("zip.too-large", "the archive would need zip64", at: SourceLocation(file: name))
        }
        let unpadded = place + 30 + bytes.count
        var padding = 0
        if unpadded % alignment != 0 {
            // The field's own head takes four bytes.
            padding = 4
            while (unpadded + padding) % alignment != 0 { padding += 1 }
        }
        let entry = Entry(name: bytes, crc32: Inflate.checksum(contents), size: contents.count, headerOffset: place)
        var header: [UInt8] = []
        header.reserveCapacity(30 + bytes.count + padding)
        header.append(0x0403_4B50 as UInt32)
        header.appendCommon(entry.crc32, entry.size, bytes)
        header.append(UInt16(padding))
        header.append(contentsOf: bytes)
        if padding > 0 {
            header.append(Self.paddingID)
            header.append(UInt16(padding - 4))
            header.append(contentsOf: repeatElement(0, count: padding - 4))
        }
        try file.write(header)
        try file.write(contents)
        place += header.count + contents.count
        entries.append(entry)
    }

    /// Appends the central directory. No entry may follow.
    public mutating func finish(_ file: any OutputFile) throws(AssetError) {
        var directory: [UInt8] = []
        for entry in entries {
            directory.append(0x0201_4B50 as UInt32)
            directory.append(20 as UInt16)
            directory.appendCommon(entry.crc32, entry.size, entry.name)
            // No extra field, no comment, first disk, no attributes.
            directory.append(contentsOf: repeatElement(0, count: 12))
            directory.append(UInt32(entry.headerOffset))
            directory.append(contentsOf: entry.name)
        }
        let size = directory.count
        directory.append(0x0605_4B50 as UInt32)
        directory.append(0 as UInt32)
        directory.append(UInt16(entries.count))
        directory.append(UInt16(entries.count))
        directory.append(UInt32(size))
        directory.append(UInt32(place))
        directory.append(0 as UInt16)
        try file.write(directory)
        place += directory.count
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    fileprivate mutating func append(_ value: UInt32) {
        append(UInt16(truncatingIfNeeded: value))
        append(UInt16(truncatingIfNeeded: value >> 16))
    }

    /// What local header and directory have in common, from the version needed to the length of the name.
    fileprivate mutating func appendCommon(_ crc32: UInt32, _ size: Int, _ name: [UInt8]) {
        append(20 as UInt16)
        // Names beyond ASCII are UTF-8, which a flag tells.
        append(name.contains { $0 >= 0x80 } ? 0x0800 : 0 as UInt16)
        append(0 as UInt16)
        // 1 January 1980, midnight: the first moment that the format has, so that equal entries give equal bytes.
        append(0 as UInt16)
        append(0x0021 as UInt16)
        append(crc32)
        append(UInt32(size))
        append(UInt32(size))
        append(UInt16(name.count))
    }
}
