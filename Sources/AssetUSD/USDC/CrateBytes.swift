import AssetIO
import AssetModel

/// A part of a crate file, for messages.
enum CratePart: String, Sendable {
    case header
    case contents = "table of contents"
    case tokens = "TOKENS"
    case strings = "STRINGS"
    case fields = "FIELDS"
    case fieldSets = "FIELDSETS"
    case paths = "PATHS"
    case specs = "SPECS"
    case value
    case array

    var code: String {
        switch self {
        case .header: "usdc.bad-header"
        case .contents: "usdc.bad-contents"
        case .tokens: "usdc.bad-tokens"
        case .strings: "usdc.bad-strings"
        case .fields: "usdc.bad-fields"
        case .fieldSets: "usdc.bad-field-sets"
        case .paths: "usdc.bad-paths"
        case .specs: "usdc.bad-specs"
        case .value: "usdc.bad-value"
        case .array: "usdc.bad-array"
        }
    }

    var name: String {
        switch self {
        case .header, .contents, .value, .array: rawValue
        default: rawValue + " section"
        }
    }
}

/// The bytes of a crate file. Every read is checked against the end of the file; numbers are little-endian.
struct CrateBytes: Sendable {
    let file: FileBytes
    /// The first byte of `file`, which keeps it alive.
    private nonisolated(unsafe) let base: UnsafeRawPointer
    let count: Int

    init?(_ file: FileBytes) {
        guard let base = file.withUnsafeBytes({ $0.baseAddress }) else { return nil }
        self.file = file
        self.base = base
        count = file.count
    }

    func error(_ part: CratePart, _ offset: Int, _ what: String) -> AssetError {
        AssetError(part.code, "\(part.name): \(what)", at: file.location(offset))
    }

    func truncated(_ part: CratePart, _ offset: Int, _ wanted: Int) -> AssetError {
        error(part, offset, "\(amount(wanted, "byte")) expected, found \(max(0, min(count, count - offset))) before the end of the file")
    }

    @inline(__always)
    func load<T: BitwiseCopyable>(_ offset: Int, as type: T.Type, _ part: CratePart) throws(AssetError) -> T {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size else { throw truncated(part, offset, MemoryLayout<T>.size) }
        return base.loadUnaligned(fromByteOffset: offset, as: T.self)
    }

    /// The start of `size` bytes at `offset`; valid as long as the file.
    @inline(__always)
    func pointer(_ offset: Int, _ size: Int, _ part: CratePart) throws(AssetError) -> UnsafeRawPointer {
        guard offset >= 0, size >= 0, offset <= count, size <= count - offset else { throw truncated(part, offset, size) }
        return base + offset
    }

    /// A 64-bit count of elements that take at least `stride` bytes each behind `offset + 8`.
    func elementCount(_ offset: Int, stride: Int, _ part: CratePart) throws(AssetError) -> Int {
        let n = try load(offset, as: UInt64.self, part)
        guard n <= UInt64((count - offset - 8) / stride) else {
            throw error(
                part, offset, "\(amount(n, "element")) of \(stride) bytes do not fit into the \(amount(count - offset - 8, "byte")) that are left")
        }
        return Int(n)
    }

    /// A 64-bit size or count that must not exceed `limit`.
    func size(_ offset: Int, atMost limit: Int, _ what: String, _ part: CratePart) throws(AssetError) -> Int {
        let n = try load(offset, as: UInt64.self, part)
        guard n <= UInt64(limit) else { throw error(part, offset, "\(what) \(n), expected at most \(limit)") }
        return Int(n)
    }
}

/// Memory that is freed with its owner; uninitialised at first.
final class RawMemory {
    let base: UnsafeMutableRawPointer
    let size: Int

    init(_ size: Int) {
        self.size = size
        base = .allocate(byteCount: max(size, 1), alignment: 64)
    }

    deinit { base.deallocate() }
}

/// A forward reader over crate bytes.
struct CrateCursor {
    let bytes: CrateBytes
    let part: CratePart
    var offset: Int

    init(_ bytes: CrateBytes, _ part: CratePart, at offset: Int) {
        self.bytes = bytes
        self.part = part
        self.offset = offset
    }

    @inline(__always)
    mutating func next<T: BitwiseCopyable>(_ type: T.Type) throws(AssetError) -> T {
        let v = try bytes.load(offset, as: type, part)
        offset += MemoryLayout<T>.size
        return v
    }

    /// A count of elements of at least `stride` bytes each.
    mutating func elementCount(stride: Int) throws(AssetError) -> Int {
        let n = try bytes.elementCount(offset, stride: stride, part)
        offset += 8
        return n
    }

    mutating func size(atMost limit: Int, _ what: String) throws(AssetError) -> Int {
        let n = try bytes.size(offset, atMost: limit, what, part)
        offset += 8
        return n
    }

    /// The size in front of a compressed block; the block is inside the file.
    mutating func blockSize() throws(AssetError) -> Int {
        let n = try size(atMost: max(0, bytes.count - offset - 8), "compressed size")
        return n
    }

    func error(_ what: String) -> AssetError { bytes.error(part, offset, what) }
}
