public import AssetModel
import Synchronization

/// A member of a zip archive, as the central directory has it.
public struct ZipEntry: Sendable, Hashable {
    /// The name with `/` between components.
    public var name: String
    /// 0 stored, 8 deflated.
    public var method: UInt16
    public var flags: UInt16
    public var crc32: UInt32
    /// Bytes in the archive.
    public var compressedSize: Int
    /// Bytes of the contents.
    public var size: Int
    /// Where the local header begins, in bytes from the start of the file.
    public var headerOffset: Int
    /// Where the contents begin.
    public var dataOffset: Int

    public var isStored: Bool { method == 0 }
    public var isEncrypted: Bool { flags & 1 != 0 }
    /// Whether sizes and checksum follow the contents instead of standing in the local header.
    public var hasDataDescriptor: Bool { flags & 8 != 0 }
    public var isFolder: Bool { name.utf8.last == UInt8(ascii: "/") }
    /// The largest power of two that divides the place of the contents, at most 4096.
    public var alignment: Int { dataOffset == 0 ? 4096 : min(dataOffset & (0 &- dataOffset), 4096) }
    /// Whether the entry may be opened by its name.
    public var isSafe: Bool { refusal == nil }
    /// Why no path leads to the entry, as the end of a sentence about its name; nil where one does. Names are relative and stay
    /// within the archive; which characters they hold is their own affair.
    public var refusal: String? {
        if name.isEmpty { return "is empty" }
        if AssetPath.isAbsolute(name) { return "leads out of the archive" }
        if name.utf8.contains(0) { return "holds a zero byte" }
        if let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), name.utf8.distance(from: name.startIndex, to: colon) == 1 {
            return "begins with the letter of a drive"
        }
        return name.split(separator: "/", omittingEmptySubsequences: true).contains("..") ? "leads out of the archive" : nil
    }
    /// How the contents are compressed, in words (APPNOTE 4.4.5).
    public var methodName: String {
        let known: [UInt16: String] = [
            0: "stored", 1: "shrunk", 6: "imploded", 8: "deflated", 9: "deflate64", 12: "bzip2", 14: "lzma", 20: "zstd", 93: "zstd",
            94: "mp3", 95: "xz", 96: "jpeg", 97: "wavpack", 98: "ppmd", 99: "aes",
        ]
        return known[method].map { "\($0) (method \(method))" } ?? "method \(method)"
    }
    /// Whether the compression is one that can be undone here.
    public var isMethodKnown: Bool { method == 0 || method == 8 }
}

/// Something about an archive that is unusual but does not keep it from being read. Formats judge what it means to them.
public struct ZipIssue: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        /// Bytes before the first entry: a self-extractor, a download wrapper.
        case prependedData
        /// Bytes between the end record and the end of the file.
        case appendedData
        case archiveComment
        /// Name or sizes in the local header are not those of the central directory.
        case headerMismatch
        case duplicateName
        /// A name that leads out of the archive or is none; such an entry cannot be opened.
        case unsafeName
        /// `\` between components.
        case backslashName
    }
    public var kind: Kind
    /// The entry's name, nil where it is about the archive.
    public var entry: String?
    public var offset: Int
    public var message: String
}

/// A zip archive over bytes in memory (APPNOTE 6.3.10): the central directory, and contents on demand.
public final class ZipArchive: Sendable {
    public let file: FileBytes
    /// In the order of the local headers within the file, which is the order in which a package was written.
    public let entries: [ZipEntry]
    public let issues: [ZipIssue]
    private let index: [String: Int]
    public let limits: ReadLimits
    private let allowance: UnpackAllowance

    /// Reads the central directory. Throws `zip.*` with the byte offset where the archive contradicts itself.
    ///
    /// - Parameter outer: the archive that the file is a member of; what both unpack is counted together.
    public init(_ file: FileBytes, limits: ReadLimits, within outer: ZipArchive? = nil) throws(AssetError) {
        var reader = ZipDirectoryReader(file: file, limits: limits)
        try reader.read()
        self.file = file
        self.limits = limits
        allowance = UnpackAllowance(outer?.allowance, packed: file.count)
        entries = reader.entries
        issues = reader.issues
        var index: [String: Int] = [:]
        for (i, entry) in entries.enumerated() where entry.isSafe && !entry.isFolder && index[entry.name] == nil {
            index[entry.name] = i
        }
        self.index = index
    }

    /// The entry with a name; of several with one name the first. Unsafe names and folders are never found.
    public func entry(_ name: String) -> ZipEntry? {
        if let i = index[name] { return entries[i] }
        guard name.utf8.starts(with: "./".utf8) else { return nil }
        return index[String(name.dropFirst(2))].map { entries[$0] }
    }

    /// Names of the entries that can be opened, in the file's order.
    public var names: [String] { entries.filter { index[$0.name] != nil }.map(\.name) }

    /// The contents: a part of the archive's own bytes where they are stored, else inflated. Inflated contents are checked
    /// against size and checksum; stored ones only by `hasRightChecksum`, since that has to read all of them.
    public func contents(of entry: ZipEntry) throws(AssetError) -> FileBytes {
        let name = AssetPath.member(entry.name, of: file.name)
        let location = SourceLocation(file: name, position: .byteOffset(entry.headerOffset))
        guard !entry.isEncrypted else {
            throw AssetError("zip.encrypted", "the entry '\(entry.name)' is encrypted", at: location)
        }
        guard let packed = file.slice(entry.dataOffset, count: entry.compressedSize, name: name) else {
            throw AssetError(
                "zip.out-of-range", "the contents of '\(entry.name)' lie outside the file", at: location)
        }
        switch entry.method {
        case 0:
            guard entry.size == entry.compressedSize else {
                throw AssetError(
                    "zip.size-mismatch",
                    "the stored entry '\(entry.name)' has \(amount(entry.compressedSize, "byte")), expected \(entry.size)", at: location)
            }
            return packed
        case 8:
            return try inflated(packed, entry, location)
        default:
            throw AssetError(
                "zip.unsupported-method",
                "the compression of the entry '\(entry.name)' is \(entry.methodName), which is not supported, expected stored or deflated",
                at: location)
        }
    }

    /// The first bytes of the contents, at most `count`; nil where they cannot be had. Does not unpack the rest.
    public func head(of entry: ZipEntry, count: Int) -> [UInt8]? {
        guard !entry.isEncrypted, let packed = file.slice(entry.dataOffset, count: entry.compressedSize) else { return nil }
        switch entry.method {
        case 0: return packed.withUnsafeBytes { Array($0.prefix(count)) }
        case 8: return Inflate.head(packed, count: min(count, entry.size))
        default: return nil
        }
    }

    private func inflated(_ packed: FileBytes, _ entry: ZipEntry, _ location: SourceLocation) throws(AssetError) -> FileBytes {
        guard entry.size <= limits.unpackedBytes else {
            throw AssetError(
                "limit.unpacked-bytes",
                "the entry '\(entry.name)' unpacks to \(amount(entry.size, "byte")), the limit is \(limits.unpackedBytes)", at: location)
        }
        guard limits.unpackedBytesWereSet || allowance.take(entry) else {
            throw AssetError(
                "limit.unpacked-bytes",
                "the entry '\(entry.name)' unpacks to \(amount(entry.size, "byte")), with what was unpacked before more than the"
                    + " \(allowance.total) for a package of this size; a limit 'unpacked-bytes' of one's own lets it be", at: location)
        }
        guard let contents = Inflate.contents(packed, size: entry.size) else {
            throw AssetError(
                "zip.bad-deflate",
                "the \(entry.compressedSize) compressed bytes of '\(entry.name)' do not unpack to \(entry.size)", at: location)
        }
        let found = Inflate.checksum(contents)
        guard found == entry.crc32 else {
            throw AssetError(
                "zip.bad-checksum",
                "the checksum of '\(entry.name)' is \(hex(found)), expected \(hex(entry.crc32))", at: location)
        }
        return contents
    }

    /// Whether the contents have the checksum of the directory. Reads all of them.
    public func hasRightChecksum(_ entry: ZipEntry) throws(AssetError) -> Bool {
        let contents = try contents(of: entry)
        return Inflate.checksum(contents) == entry.crc32
    }

    private func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// What the members of an archive, and of those within it, may unpack to together: in proportion to the bytes of the outermost.
private final class UnpackAllowance: Sendable {
    private struct State {
        /// Places of the entries that were counted; each is unpacked as often as it is asked for.
        var seen: Set<Int> = []
        var left: Int
    }

    let total: Int
    private let outer: UnpackAllowance?
    private let state: Mutex<State>

    init(_ outer: UnpackAllowance?, packed: Int) {
        let (perByte, overflow) = packed.multipliedReportingOverflow(by: 64)
        total = outer?.total ?? (overflow ? Int.max : perByte + min(512 << 20, Int.max - perByte))
        self.outer = outer
        state = Mutex(State(left: total))
    }

    /// Counts an entry; false where that is too much.
    func take(_ entry: ZipEntry) -> Bool {
        if state.withLock({ $0.seen.contains(entry.headerOffset) }) { return true }
        guard take(entry.size) else { return false }
        state.withLock { _ = $0.seen.insert(entry.headerOffset) }
        return true
    }

    private func take(_ size: Int) -> Bool {
        if let outer { return outer.take(size) }
        return state.withLock { state in
            guard size <= state.left else { return false }
            state.left -= size
            return true
        }
    }
}
