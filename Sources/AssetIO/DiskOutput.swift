public import AssetModel
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files on disk that appear whole or not at all.
///
/// Every file is written under a temporary name beside its place. `commit` renames them, the main file last; when a step
/// fails, what was replaced is put back and everything new is removed, made folders included. A signal handler's thread may
/// call `discard` at any time.
public final class DiskOutput: OutputSink, Sendable {
    private struct Entry {
        var finalPath: String
        var temporaryPath: String
        var isMain: Bool
        var isClosed = false
    }

    private struct State: Sendable {
        var names = OutputNames()
        var entries: [Entry] = []
        /// Made by this run, outer ones first.
        var folders: [String] = []
        var isOver = false
        var serial = 0
    }

    private let folder: String
    private let mainPath: String
    private let mainName: String
    private let overwrites: Bool
    private let inputs: FileIdentities?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: the main file; side files lie beside or below it.
    ///   - overwrite: whether files that exist are replaced.
    ///   - inputs: files that are never replaced: what is written is made of them.
    /// - Throws: `output.is-the-input`, `output.exists`, `output.is-a-directory`, `output.unsafe-name` or `output.no-folder` where the main file cannot be put there, before any work is done.
    public init(_ path: String, overwrite: Bool = false, keeping inputs: FileIdentities? = nil) throws(AssetError) {
        self.inputs = inputs
        folder = AssetPath.plainFolder(path)
        mainPath = path
        mainName = AssetPath.plainName(path)
        overwrites = overwrite
        guard !mainName.isEmpty else {
            throw AssetError("output.is-a-directory", "a folder, expected the name of a file", at: SourceLocation(file: path))
        }
        let length = SystemPath.encode(mainName).count - 1
        guard length <= 255, !mainName.utf8.contains(0) else {
            throw AssetError(
                "output.unsafe-name", length > 255 ? "the name has \(amount(length, "byte")), expected at most 255" : "the name holds a zero byte",
                at: SourceLocation(file: path))
        }
        // A folder that is not there is more likely a slip of the hand than a wish; only folders below it are made.
        if !folder.isEmpty, DiskOutput.kind(folder) != .folder {
            let found =
                DiskOutput.kind(folder) == .nothing ? "there is no folder '\(folder)' to write into" : "'\(folder)' is a file, expected a folder"
            throw AssetError("output.no-folder", found, at: SourceLocation(file: path))
        }
        try refuseInput(path)
        try refuseExisting(path, overwrite: overwrite)
    }

    /// An input is never replaced by what is made of it, whatever `overwrite` says.
    private func refuseInput(_ path: String) throws(AssetError) {
        guard let inputs, inputs.contains(path) else { return }
        throw AssetError("output.is-the-input", "is a file that the input is made of, expected another file", at: SourceLocation(file: path))
    }

    private func refuseExisting(_ path: String, overwrite: Bool) throws(AssetError) {
        switch DiskOutput.kind(path) {
        case .nothing: return
        case .folder: throw AssetError("output.is-a-directory", "is a folder, expected a file", at: SourceLocation(file: path))
        case .special: throw AssetError("output.not-a-file", "is a device or pipe, expected a file", at: SourceLocation(file: path))
        case .file:
            if !overwrite { throw AssetError("output.exists", "exists already", at: SourceLocation(file: path)) }
        }
    }

    // MARK: Writing

    public func create(_ relativePath: String) throws(AssetError) -> any OutputFile {
        let finalPath =
            relativePath == mainName ? mainPath : folder.isEmpty ? relativePath : folder == "/" ? "/" + relativePath : folder + "/" + relativePath
        var failure: AssetError?
        var made: DiskFile?
        state.withLock { state in
            do throws(AssetError) {
                guard !state.isOver else {
                    throw AssetError("output.interrupted", "the output was given up", at: SourceLocation(file: mainPath))
                }
                if relativePath == mainName { try state.names.take(main: mainName) } else { try state.names.take(relativePath) }
                try makeFolders(AssetPath.plainFolder(finalPath), &state)
                // Whether a side file that exists may stay shows only when its new bytes are known.
                try refuseExisting(finalPath, overwrite: true)
                let (descriptor, temporary) = try openTemporary(finalPath, &state)
                let index = state.entries.count
                state.entries.append(Entry(finalPath: finalPath, temporaryPath: temporary, isMain: relativePath == mainName))
                made = DiskFile(output: self, index: index, descriptor: descriptor, name: finalPath)
            } catch {
                failure = error
            }
        }
        if let made { return made }
        throw failure ?? AssetError("output.cannot-create", "cannot create", at: SourceLocation(file: finalPath))
    }

    private func makeFolders(_ path: String, _ state: inout State) throws(AssetError) {
        guard !path.isEmpty, path != "/" else { return }
        switch DiskOutput.kind(path) {
        case .folder: return
        case .file, .special: throw AssetError("output.not-a-directory", "is a file, expected a folder", at: SourceLocation(file: path))
        case .nothing: break
        }
        try makeFolders(AssetPath.plainFolder(path), &state)
        if mkdir(SystemPath.encode(path), 0o777) == 0 {
            state.folders.append(path)
        } else if errno != EEXIST {
            throw FileBytes.systemError("output.cannot-create", "cannot create the folder", path)
        }
    }

    private func openTemporary(_ finalPath: String, _ state: inout State) throws(AssetError) -> (Int32, String) {
        for _ in 0..<100 {
            let path = temporaryPath(finalPath, &state)
            let descriptor = open(SystemPath.encode(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return (descriptor, path) }
            guard errno == EEXIST || errno == EINTR else { break }
        }
        throw FileBytes.systemError("output.cannot-create", "cannot create", finalPath)
    }

    private func temporaryPath(_ finalPath: String, _ state: inout State) -> String {
        state.serial += 1
        let name = ".facet-\(getpid())-\(state.serial)-\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).tmp"
        let folder = AssetPath.plainFolder(finalPath)
        return folder.isEmpty ? name : folder == "/" ? "/" + name : folder + "/" + name
    }

    fileprivate func didClose(_ index: Int) {
        state.withLock { state in
            if state.entries.indices.contains(index) { state.entries[index].isClosed = true }
        }
    }

    // MARK: Finishing

    public func commit() throws(AssetError) {
        var failure: AssetError?
        state.withLock { state in
            guard !state.isOver else {
                failure = AssetError("output.interrupted", "the output was given up", at: SourceLocation(file: mainPath))
                return
            }
            state.isOver = true
            do throws(AssetError) {
                try publish(&state)
            } catch {
                failure = error
                removeMade(&state)
            }
        }
        if let failure { throw failure }
    }

    /// A file that has its final name, and where what it replaced is kept until all have theirs.
    private struct Published {
        var path: String
        var backup: String?
    }

    private func publish(_ state: inout State) throws(AssetError) {
        if let open = state.entries.first(where: { !$0.isClosed }) {
            throw AssetError("output.not-closed", "was not written to its end", at: SourceLocation(file: open.finalPath))
        }
        var published: [Published] = []
        do throws(AssetError) {
            for entry in state.entries.filter({ !$0.isMain }) + state.entries.filter(\.isMain) {
                if !entry.isMain, DiskOutput.kind(entry.finalPath) == .file, DiskOutput.isSame(entry.finalPath, entry.temporaryPath) {
                    unlink(SystemPath.encode(entry.temporaryPath))
                    continue
                }
                published.append(try place(entry, &state))
            }
        } catch {
            for done in published.reversed() {
                if let backup = done.backup {
                    rename(SystemPath.encode(backup), SystemPath.encode(done.path))
                } else {
                    unlink(SystemPath.encode(done.path))
                }
            }
            throw error
        }
        for case let backup? in published.map(\.backup) { unlink(SystemPath.encode(backup)) }
        for place in Set(published.map { AssetPath.plainFolder($0.path) }) { DiskOutput.syncFolder(place.isEmpty ? "." : place) }
        state.entries = []
        state.folders = []
    }

    private func place(_ entry: Entry, _ state: inout State) throws(AssetError) -> Published {
        let from = entry.temporaryPath
        let to = entry.finalPath
        if !overwrites {
            // A link fails where something exists, without a moment in between; not every file system has links.
            if link(SystemPath.encode(from), SystemPath.encode(to)) == 0 {
                unlink(SystemPath.encode(from))
                return Published(path: to, backup: nil)
            }
            if errno == EEXIST { try refuseExisting(to, overwrite: false) }
        }
        try refuseInput(to)
        var backup: String?
        if overwrites, DiskOutput.kind(to) == .file {
            let kept = temporaryPath(to, &state)
            let (old, new) = (SystemPath.encode(to), SystemPath.encode(kept))
            if link(old, new) == 0 || rename(old, new) == 0 { backup = kept }
        }
        if rename(SystemPath.encode(from), SystemPath.encode(to)) != 0 {
            let error = FileBytes.systemError("output.cannot-rename", "cannot put in place", to)
            if let backup { rename(SystemPath.encode(backup), SystemPath.encode(to)) }
            throw error
        }
        return Published(path: to, backup: backup)
    }

    /// Removes whatever this run has made and not committed. May be called from another thread, and more than once.
    public func discard() {
        state.withLock { state in
            state.isOver = true
            removeMade(&state)
        }
    }

    private func removeMade(_ state: inout State) {
        for entry in state.entries { unlink(SystemPath.encode(entry.temporaryPath)) }
        for folder in state.folders.reversed() { rmdir(SystemPath.encode(folder)) }
        state.entries = []
        state.folders = []
    }

    deinit { discard() }

    // MARK: Disk

    private enum Kind { case nothing, file, folder, special }

    private static func kind(_ path: String) -> Kind {
        var status = stat()
        if stat(SystemPath.encode(path), &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFDIR: return .folder
            case S_IFREG: return .file
            default: return .special
            }
        }
        // A link that leads nowhere is in the way, too.
        return lstat(SystemPath.encode(path), &status) == 0 ? .file : .nothing
    }

    private static func isSame(_ a: String, _ b: String) -> Bool {
        do {
            let (a, b) = (try FileBytes(mapping: a), try FileBytes(mapping: b))
            guard a.count == b.count else { return false }
            return a.withUnsafeBytes { x in
                b.withUnsafeBytes { y in
                    guard let p = x.baseAddress, let q = y.baseAddress else { return true }
                    return memcmp(p, q, x.count) == 0
                }
            }
        } catch {
            return false
        }
    }

    private static func syncFolder(_ path: String) {
        let descriptor = open(SystemPath.encode(path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// A file being written: small pieces are collected, large ones go straight to the disk.
private final class DiskFile: OutputFile {
    private let output: DiskOutput
    private let index: Int
    private var descriptor: Int32
    private let name: String
    private var waiting: [UInt8] = []
    private(set) var count = 0
    private static let blockSize = 1 << 20

    init(output: DiskOutput, index: Int, descriptor: Int32, name: String) {
        self.output = output
        self.index = index
        self.descriptor = descriptor
        self.name = name
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(AssetError) {
        // Large pieces go straight through: they are in the processor's cache now, and a copy would only push them out.
        if bytes.count >= 1 << 16 {
            try flush()
            try OutputDescriptor.write(bytes, to: descriptor, name)
            count += bytes.count
            return
        }
        if waiting.count + bytes.count >= Self.blockSize { try flush() }
        waiting.append(contentsOf: bytes)
        count += bytes.count
    }

    private func flush() throws(AssetError) {
        try OutputDescriptor.write(waiting, to: descriptor, name)
        waiting.removeAll(keepingCapacity: true)
    }

    func close() throws(AssetError) {
        guard descriptor >= 0 else { return }
        try flush()
        waiting = []
        // Some file systems know no fsync; a full disk shows here.
        if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP {
            throw FileBytes.systemError("output.cannot-write", "cannot write", name)
        }
        let result = systemClose(descriptor)
        descriptor = -1
        if result != 0, errno != EINTR { throw FileBytes.systemError("output.cannot-write", "cannot write", name) }
        output.didClose(index)
    }

    deinit { if descriptor >= 0 { _ = systemClose(descriptor) } }
}

/// The C library's `close`, which a method of that name hides.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

enum OutputDescriptor {
    static func write(_ bytes: [UInt8], to descriptor: Int32, _ name: String) throws(AssetError) {
        var failure: AssetError?
        bytes.withUnsafeBytes { raw in
            do throws(AssetError) { try write(raw, to: descriptor, name) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// All bytes, however many calls it takes. Throws `output.closed-pipe` or `output.cannot-write`.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ name: String) throws(AssetError) {
        guard let base = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            let n = systemWrite(descriptor, base + done, min(bytes.count - done, 1 << 30))
            if n < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { throw AssetError("output.closed-pipe", "nobody reads the output", at: SourceLocation(file: name)) }
                throw FileBytes.systemError("output.cannot-write", "cannot write", name)
            }
            done += n
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, bytes, count) }

extension AssetPath {
    /// Folder and name of a path on disk, brackets taken as they are.
    static func plainFolder(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func plainName(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}
