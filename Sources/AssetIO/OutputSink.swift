public import AssetModel

/// Where a writer puts its files: all appear or none.
public protocol OutputSink: AnyObject {
    /// Starts a file at a path relative to the output's folder (`chair.mtl`, `textures/wood.png`). Throws where the
    /// name is unsafe, was used already (ignoring letter case), or the place cannot be written.
    func create(_ relativePath: String) throws(AssetError) -> any OutputFile
    /// Gives every file its final name, the main one last. On failure nothing new remains.
    func commit() throws(AssetError)
    /// Drops everything written so far.
    func discard()
}

/// One output file, written front to back.
public protocol OutputFile: AnyObject {
    /// Appends bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(AssetError)
    /// Bytes written so far.
    var count: Int { get }
    /// No more bytes will come.
    func close() throws(AssetError)
}

extension OutputFile {
    public func write(_ bytes: [UInt8]) throws(AssetError) {
        var failure: AssetError?
        bytes.withUnsafeBytes { raw in
            do throws(AssetError) { try write(raw) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    public func write(_ text: String) throws(AssetError) { try write(Array(text.utf8)) }

    /// Appends all bytes of a file as they are, in pieces, so that a large mapped one does not stay in memory.
    public func write(_ file: FileBytes) throws(AssetError) {
        var at = 0
        while at < file.count {
            let n = min(1 << 20, file.count - at)
            var failure: AssetError?
            file.withUnsafeBytes { raw in
                do throws(AssetError) { try write(UnsafeRawBufferPointer(rebasing: raw[at..<(at + n)])) } catch { failure = error }
            }
            if let failure { throw failure }
            file.release(at, count: n)
            at += n
        }
    }

    /// Appends what a writer has collected, and empties it.
    public func write(_ text: inout TextWriter) throws(AssetError) {
        var failure: AssetError?
        text.flush { raw in
            do throws(AssetError) { try write(raw) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

/// The rules that names of output files keep, whatever the sink.
struct OutputNames {
    /// Lower-cased paths in use.
    private var used: Set<String> = []

    /// Takes the name that the user chose: any that the system has.
    mutating func take(main name: String) throws(AssetError) { try reserve(name) }

    /// Takes a name. Throws `output.unsafe-name` for anything but a plain relative path, `output.name-clash` for one that is used.
    mutating func take(_ path: String) throws(AssetError) {
        let isPlain = path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard isPlain, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.utf8.count > 255 }) else {
            throw AssetError("output.unsafe-name", "'\(path)' is not a plain relative path", at: SourceLocation(file: path))
        }
        try reserve(path)
    }

    private mutating func reserve(_ path: String) throws(AssetError) {
        guard used.insert(path.lowercased()).inserted else {
            throw AssetError(
                "output.name-clash", "the name '\(path)' is used by another file of this output", at: SourceLocation(file: path))
        }
    }
}

/// Files in memory, for tests and for programs that want the bytes.
public final class MemoryOutput: OutputSink {
    /// A file of the output.
    public final class File: OutputFile {
        public let path: String
        public private(set) var bytes: [UInt8] = []
        public private(set) var isClosed = false

        init(path: String) { self.path = path }

        public var count: Int { bytes.count }
        public func write(_ more: UnsafeRawBufferPointer) throws(AssetError) { bytes.append(contentsOf: more) }
        public func close() throws(AssetError) { isClosed = true }
        public var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// In the order in which they were started.
    public private(set) var files: [File] = []
    public private(set) var isCommitted = false
    private var names = OutputNames()
    private let mainName: String?

    /// - Parameter main: the file that the user named, which may be named in any way.
    public init(main name: String? = nil) { mainName = name }

    public func create(_ relativePath: String) throws(AssetError) -> any OutputFile {
        if relativePath == mainName { try names.take(main: relativePath) } else { try names.take(relativePath) }
        let file = File(path: relativePath)
        files.append(file)
        return file
    }

    public func commit() throws(AssetError) { isCommitted = true }

    public func discard() {
        files = []
        names = OutputNames()
    }

    public subscript(path: String) -> File? { files.first { $0.path == path } }
}

/// A descriptor (standard output) as the place of a single file. The bytes are held until `commit`, so that a failed run
/// writes nothing.
public final class StreamOutput: OutputSink {
    private final class File: OutputFile {
        var bytes: [UInt8] = []
        var count: Int { bytes.count }
        func write(_ more: UnsafeRawBufferPointer) throws(AssetError) { bytes.append(contentsOf: more) }
        func close() throws(AssetError) {}
    }

    private let descriptor: Int32
    private let name: String
    private var file: File?

    public init(descriptor: Int32 = 1, name: String = "-") {
        self.descriptor = descriptor
        self.name = name
    }

    public func create(_ relativePath: String) throws(AssetError) -> any OutputFile {
        guard file == nil else {
            throw AssetError(
                "output.several-files", "standard output takes one file, '\(relativePath)' would be a second", at: SourceLocation(file: name))
        }
        let made = File()
        file = made
        return made
    }

    /// Writes the bytes. Throws `output.closed-pipe` where nobody reads any more, which is a quiet end for a command.
    public func commit() throws(AssetError) {
        guard let bytes = file?.bytes else { return }
        file = nil
        try OutputDescriptor.write(bytes, to: descriptor, name)
    }

    public func discard() { file = nil }
}
