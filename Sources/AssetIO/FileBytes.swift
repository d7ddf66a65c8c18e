public import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of a file or of a part of one: mapped read-only, or owned. Immutable, so it may be shared by threads.
public final class FileBytes: Sendable {
    /// Owns a mapping or an allocation for as long as any `FileBytes` looks into it.
    final class Storage: Sendable {
        nonisolated(unsafe) let base: UnsafeRawPointer?
        let count: Int
        let isMapped: Bool

        init(base: UnsafeRawPointer?, count: Int, isMapped: Bool) {
            self.base = base
            self.count = count
            self.isMapped = isMapped
        }

        deinit {
            guard let base else { return }
            if isMapped {
                munmap(UnsafeMutableRawPointer(mutating: base), count)
            } else {
                UnsafeMutableRawPointer(mutating: base).deallocate()
            }
        }
    }

    /// The name for messages: what the user typed, or `a.usdz[b.usdc]`.
    public let name: String
    let storage: Storage
    let offset: Int
    public let count: Int
    private let watch: ReadingWatch?

    init(name: String, storage: Storage, offset: Int, count: Int, watch: ReadingWatch? = nil) {
        self.name = name
        self.storage = storage
        self.offset = offset
        self.count = count
        self.watch = watch
    }

    /// A copy of bytes in memory.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        count = bytes.count
        offset = 0
        watch = nil
        if bytes.isEmpty {
            storage = Storage(base: nil, count: 0, isMapped: false)
        } else {
            let p = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 64)
            bytes.withUnsafeBytes { p.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: bytes.count) }
            storage = Storage(base: UnsafeRawPointer(p), count: bytes.count, isMapped: false)
        }
    }

    /// Owns `count` bytes that `fill` writes; nil where it says that they are none.
    public convenience init?(name: String, count: Int, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        let p = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 64)
        guard fill(UnsafeMutableRawBufferPointer(start: p, count: count)) else {
            p.deallocate()
            return nil
        }
        self.init(name: name, storage: Storage(base: UnsafeRawPointer(p), count: count, isMapped: false), offset: 0, count: count)
    }

    /// The bytes of an image in a file: where they lie, if that is in a file, else a copy.
    public static func of(_ bytes: EmbeddedBytes, name: String) throws(AssetError) -> FileBytes {
        if let region = bytes.source as? FileRegion { return region.file }
        return FileBytes(name: name, bytes: try bytes.load())
    }

    /// Maps a file. A pipe is read to its end where `readsPipes` says so, and an error (`io.is-a-pipe`) elsewhere: what a file
    /// names may be one that nobody ever writes to. Throws `io.cannot-open` with the system's reason.
    public convenience init(mapping path: String, name: String? = nil, readsPipes: Bool = false) throws(AssetError) {
        let shown = name ?? path
        // Opening a pipe that nobody writes to would wait.
        let fd = open(SystemPath.encode(path), O_RDONLY | O_CLOEXEC | (readsPipes ? 0 : O_NONBLOCK))
        guard fd >= 0 else { throw FileBytes.systemError("io.cannot-open", "cannot open", shown) }
        defer { close(fd) }
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw FileBytes.systemError("io.cannot-open", "cannot read", shown) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw AssetError("io.is-a-directory", "is a directory, expected a file", at: SourceLocation(file: shown))
        case S_IFCHR, S_IFBLK:
            throw AssetError("io.is-a-device", "is a device, expected a file", at: SourceLocation(file: shown))
        case S_IFIFO where !readsPipes:
            throw AssetError("io.is-a-pipe", "is a pipe, expected a file", at: SourceLocation(file: shown))
        default:
            // Pipes cannot be mapped: read them to the end.
            let bytes = try FileBytes.readAll(fd, shown)
            self.init(name: shown, bytes: bytes)
            return
        }
        let size = Int(status.st_size)
        if size == 0 {
            self.init(name: shown, bytes: [])
            return
        }
        guard let p = mmap(nil, size, PROT_READ, MAP_PRIVATE, fd, 0), p != MAP_FAILED else {
            throw FileBytes.systemError("io.cannot-map", "cannot map", shown)
        }
        self.init(name: shown, storage: Storage(base: UnsafeRawPointer(p), count: size, isMapped: true), offset: 0, count: size)
    }

    /// What comes without a known end is held in memory, and only so much of it.
    private static let largestStream = 1 << 30

    /// Reads a descriptor to its end (standard input, pipes).
    public static func readAll(_ fd: Int32, _ name: String) throws(AssetError) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let n = block.withUnsafeMutableBytes { read(fd, $0.baseAddress, $0.count) }
            if n < 0 {
                if errno == EINTR { continue }
                throw systemError("io.cannot-read", "cannot read", name)
            }
            if n == 0 { return bytes }
            guard bytes.count + n <= largestStream else {
                throw AssetError(
                    "io.too-large", "more than \(amount(largestStream, "byte")), expected a file for so many", at: SourceLocation(file: name))
            }
            bytes.append(contentsOf: block[0..<n])
        }
    }

    static func systemError(_ code: String, _ what: String, _ file: String) -> AssetError {
        AssetError(code, "\(what): \(String(cString: strerror(errno)))", at: SourceLocation(file: file))
    }

    /// All bytes. Checked access; valid as long as `self` lives.
    public var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            let raw = UnsafeRawBufferPointer(start: storage.base.map { $0 + offset }, count: count)
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: raw), borrowing: self)
        }
    }

    /// All bytes for text: checked access to single bytes is fastest this way.
    public var byteSpan: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let base = storage.base.map { ($0 + offset).assumingMemoryBound(to: UInt8.self) }
            let buffer = UnsafeBufferPointer(start: base, count: count)
            let span = unsafe Span(_unsafeElements: buffer)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// A part of these bytes that shares their storage; `nil` where the range is not inside.
    public func slice(_ start: Int, count length: Int, name: String? = nil) -> FileBytes? {
        guard start >= 0, length >= 0, start <= count, length <= count - start else { return nil }
        return FileBytes(name: name ?? self.name, storage: storage, offset: offset + start, count: length)
    }

    /// The bytes for C calls. The pointer must not leave `body`.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: storage.base.map { $0 + offset }, count: count))
    }

    /// The same bytes; a reporter is told how many are read, as far as the reader gives them back (`release`).
    public func watched(by reporter: ProgressReporter) -> FileBytes {
        guard reporter.isHeard else { return self }
        return FileBytes(
            name: name, storage: storage, offset: offset, count: count, watch: ReadingWatch(reporter, name, count))
    }

    /// Nothing more is told: what is read from now on is read once more.
    public func endWatch() { watch?.end() }

    /// Tells the system that mapped pages within the range are not needed for now, so that they stop counting as
    /// memory in use. Reading them again is always possible.
    ///
    /// - Parameter isRead: whether they have been read, for those who watch; false after a look at a few of them.
    public func release(_ start: Int, count length: Int, isRead: Bool = true) {
        if isRead { watch?.advance(length) }
        guard storage.isMapped, let base = storage.base, start >= 0, length > 0, start <= count, length <= count - start else { return }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let first = (offset + start + page - 1) / page * page
        let last = (offset + start + length) / page * page
        guard last > first else { return }
        madvise(UnsafeMutableRawPointer(mutating: base + first), last - first, MADV_DONTNEED)
    }

    public func location(_ offset: Int) -> SourceLocation { SourceLocation(file: name, position: .byteOffset(offset)) }
}

/// The bytes of a file or of a part of one as an array that is loaded when it is needed.
public struct FileRegion: DeferredArraySource {
    public let file: FileBytes
    public var count: Int { file.count }

    public init(_ file: FileBytes) { self.file = file }

    public func load() -> [UInt8] { file.withUnsafeBytes { Array($0) } }

    public func forEachBlock(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        file.withUnsafeBytes { raw in raw.withMemoryRebound(to: UInt8.self) { body($0) } }
    }
}
