public import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes for a path: the only door to the disk, and a map in memory for tests.
///
/// Paths are plain (`/dir/a.usda`, `dir/a.png`) or lead into packages (`dir/a.usdz[b/c.png]`, nested:
/// `a.usdz[b.usdz[c.usda]]`).
public protocol AssetResolver {
    /// The bytes at an exact path. Throws `io.cannot-open` where there is none.
    func open(_ path: String) throws(AssetError) -> FileBytes
    /// Whether something readable is at an exact path.
    func exists(_ path: String) -> Bool
    /// Names in a folder, files and folders; empty where there is none.
    func list(_ folder: String) -> [String]
    /// The same, to find names in another letter case: worth keeping, since as many may be looked for as there are.
    func names(in folder: String) -> FolderNames
    /// The opened package at a path, kept for the next call.
    func package(_ path: String) throws(AssetError) -> ZipArchive
    /// Bytes to be had under a path from now on, whatever lies there: standard input under `-`.
    func give(_ file: FileBytes, as path: String)
    /// Sets the ceilings for packages that are opened from now on.
    func obey(_ limits: ReadLimits)
    /// The path from the root of the disk, made plain; as it is where there is no such thing.
    func absolute(_ path: String) -> String
    /// Makes resolvers of the same files, one for each thread that reads; nil where this one cannot.
    var forThreads: (@Sendable () -> any AssetResolver)? { get }
}

extension AssetResolver {
    public var forThreads: (@Sendable () -> any AssetResolver)? { nil }

    public func absolute(_ path: String) -> String { path }

    public func names(in folder: String) -> FolderNames { FolderNames(list(folder)) }

    public func package(_ path: String) throws(AssetError) -> ZipArchive { try ZipArchive(open(path), limits: ReadLimits()) }
}

/// The names in a folder, to be found whatever their letter case.
public struct FolderNames: Sendable {
    private let all: Set<String>
    /// Lower-cased name → the first of those in order.
    private let first: [String: String]

    public init(_ names: [String]) {
        all = Set(names)
        first = Dictionary(names.map { ($0.lowercased(), $0) }, uniquingKeysWith: min)
    }

    public var isEmpty: Bool { all.isEmpty }

    /// The name itself where it is there, else the first in order of those that differ in letter case alone.
    public func ignoringCase(_ name: String) -> String? { all.contains(name) ? name : first[name.lowercased()] }
}

/// The disk. Plain files are mapped; packages are opened once and kept.
public final class DiskResolver: AssetResolver {
    private let packages: PackageShelf
    private var given: [String: FileBytes] = [:]
    private var listings: [String: [String]] = [:]
    private var folderNames: [String: FolderNames] = [:]
    /// The files that were opened.
    public let opened: FileIdentities

    public init(limits: ReadLimits = ReadLimits()) {
        packages = PackageShelf(limits: limits)
        opened = FileIdentities()
    }

    private init(limits: ReadLimits, given: [String: FileBytes], opened: FileIdentities) {
        packages = PackageShelf(limits: limits)
        self.given = given
        self.opened = opened
    }

    public var forThreads: (@Sendable () -> any AssetResolver)? {
        let (limits, given, opened) = (packages.limits, given, opened)
        return { DiskResolver(limits: limits, given: given, opened: opened) }
    }

    public func obey(_ limits: ReadLimits) { packages.limits = limits }

    public func give(_ file: FileBytes, as path: String) { given[path] = file }

    public func open(_ path: String) throws(AssetError) -> FileBytes {
        if let file = given[path] { return file }
        if path.utf8.last == UInt8(ascii: "]"), !isFile(path) {
            if let file = try packages.open(path, isFile: { isFile($0) }, open: { (p) throws(AssetError) in try open(p) }) {
                return file
            }
        }
        let file = try FileBytes(mapping: path)
        opened.insert(path)
        return file
    }

    public func exists(_ path: String) -> Bool {
        if given[path] != nil || isFile(path) { return true }
        return packages.exists(path, isFile: { isFile($0) }, open: { (p) throws(AssetError) in try open(p) })
    }

    public func list(_ folder: String) -> [String] {
        if let names = listings[folder] { return names }
        let names = packages.list(folder, open: { (p) throws(AssetError) in try open(p) }) ?? entries(folder)
        listings[folder] = names
        return names
    }

    public func names(in folder: String) -> FolderNames {
        if let names = folderNames[folder] { return names }
        let names = FolderNames(list(folder))
        folderNames[folder] = names
        return names
    }

    public func package(_ path: String) throws(AssetError) -> ZipArchive {
        try packages.archive(path, open: { (p) throws(AssetError) in try open(p) })
    }

    public func absolute(_ path: String) -> String {
        if let (package, member) = AssetPath.splitPackage(path) { return AssetPath.asked(member, of: absolute(package)) }
        if AssetPath.isAbsolute(path) { return AssetPath.normalise(path) }
        guard let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return AssetPath.normalise(SystemPath.decode(folder) + "/" + path)
    }

    private func isFile(_ path: String) -> Bool {
        if given[path] != nil { return true }
        var status = stat()
        guard stat(SystemPath.encode(path), &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFDIR
    }

    private func entries(_ folder: String) -> [String] {
        guard let directory = opendir(SystemPath.encode(folder.isEmpty ? "." : folder)) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { SystemPath.decode($0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

/// Files in memory, for tests and for programs that have their bytes already.
public final class InMemoryResolver: AssetResolver {
    private let packages: PackageShelf
    private var files: [String: FileBytes] = [:] {
        didSet { folderNames = [:] }
    }
    private var folderNames: [String: FolderNames] = [:]
    /// The paths that were opened.
    public private(set) var opened: Set<String> = []

    public init(_ files: [String: [UInt8]] = [:], limits: ReadLimits = ReadLimits()) {
        packages = PackageShelf(limits: limits)
        for (path, bytes) in files { add(path, bytes) }
    }

    public var forThreads: (@Sendable () -> any AssetResolver)? {
        let (limits, files) = (packages.limits, files)
        return {
            let resolver = InMemoryResolver(limits: limits)
            resolver.files = files
            return resolver
        }
    }

    public func give(_ file: FileBytes, as path: String) { files[path] = file }
    public func obey(_ limits: ReadLimits) { packages.limits = limits }
    public func add(_ path: String, _ bytes: [UInt8]) { files[path] = FileBytes(name: path, bytes: bytes) }
    public func add(_ path: String, text: String) { add(path, Array(text.utf8)) }

    public func open(_ path: String) throws(AssetError) -> FileBytes {
        if let file = files[path] {
            opened.insert(path)
            return file
        }
        if let file = try packages.open(path, isFile: { files[$0] != nil }, open: { (p) throws(AssetError) in try open(p) }) {
            return file
        }
        throw AssetError("io.cannot-open", "cannot open: no such file", at: SourceLocation(file: path))
    }

    public func exists(_ path: String) -> Bool {
        files[path] != nil
            || packages.exists(path, isFile: { files[$0] != nil }, open: { (p) throws(AssetError) in try open(p) })
    }

    public func list(_ folder: String) -> [String] {
        if let names = packages.list(folder, open: { (p) throws(AssetError) in try open(p) }) { return names }
        let prefix = folder.isEmpty || folder == "/" ? folder : folder + "/"
        return childNames(files.keys.lazy.filter { folder.isEmpty ? !$0.hasPrefix("/") : true }, below: prefix)
    }

    public func names(in folder: String) -> FolderNames {
        if let names = folderNames[folder] { return names }
        let names = FolderNames(list(folder))
        folderNames[folder] = names
        return names
    }

    public func package(_ path: String) throws(AssetError) -> ZipArchive {
        try packages.archive(path, open: { (p) throws(AssetError) in try open(p) })
    }
}

/// First components of the paths below a prefix, each once, sorted.
private func childNames(_ paths: some Sequence<String>, below prefix: String) -> [String] {
    var names: Set<String> = []
    for path in paths where path.hasPrefix(prefix) {
        if let name = path.dropFirst(prefix.count).split(separator: "/", maxSplits: 1).first { names.insert(String(name)) }
    }
    return names.sorted()
}

/// The packages a resolver has opened, by path.
private final class PackageShelf {
    typealias Open = (String) throws(AssetError) -> FileBytes
    var limits: ReadLimits
    private var archives: [String: ZipArchive] = [:]

    init(limits: ReadLimits) { self.limits = limits }

    func archive(_ path: String, open: Open) throws(AssetError) -> ZipArchive {
        if let archive = archives[path] { return archive }
        let file = try open(path)
        // A member's package is at hand: it was opened to get there.
        let outer = AssetPath.splitMember(path).flatMap { archives[$0.package] }
        let archive = try ZipArchive(file, limits: limits, within: outer)
        archives[path] = archive
        return archive
    }

    /// Where a path leads into a package. Names of files and members may hold brackets, so each is tried.
    private func locate(_ path: String, isFile: (String) -> Bool, open: Open) throws(AssetError) -> (ZipArchive, ZipEntry)? {
        guard let (outer, rest) = split(path, isFile) else { return nil }
        var archive = try archive(outer, open: open)
        var place = outer
        var wanted = rest
        for _ in 0..<limits.nestingDepth {
            let package = archive
            func member(_ name: String) -> ZipEntry? { package.entry(name) ?? package.entry(AssetPath.withoutEscapes(name)) }
            if let entry = member(wanted) { return (archive, entry) }
            guard let (inner, rest) = split(wanted, { member($0) != nil }), let entry = member(inner) else { break }
            place = AssetPath.member(entry.name, of: place)
            if let nested = archives[place] {
                archive = nested
            } else {
                archive = try ZipArchive(archive.contents(of: entry), limits: limits, within: archive)
                archives[place] = archive
            }
            wanted = rest
        }
        throw AssetError(
            "io.no-such-member", "the package holds no '\(wanted)'", at: SourceLocation(file: place))
    }

    private func split(_ path: String, _ isFile: (String) -> Bool) -> (String, String)? {
        let bytes = path.utf8
        guard bytes.last == UInt8(ascii: "]") else { return nil }
        // No system opens longer paths; trying each of many brackets in a long text would take the square of it.
        for i in bytes.prefix(4096).indices where bytes[i] == UInt8(ascii: "[") {
            let outer = String(path[..<i])
            if isFile(outer) { return (outer, String(path[bytes.index(after: i)..<bytes.index(before: bytes.endIndex)])) }
        }
        return nil
    }

    func open(_ path: String, isFile: (String) -> Bool, open: Open) throws(AssetError) -> FileBytes? {
        guard let (archive, entry) = try locate(path, isFile: isFile, open: open) else { return nil }
        return try archive.contents(of: entry)
    }

    func exists(_ path: String, isFile: (String) -> Bool, open: Open) -> Bool {
        guard path.utf8.last == UInt8(ascii: "]") else { return false }
        do {
            return try locate(path, isFile: isFile, open: open) != nil
        } catch {
            return false
        }
    }

    func list(_ folder: String, open: Open) -> [String]? {
        guard let (package, inner) = AssetPath.splitMember(folder) else { return nil }
        do {
            let names = try archive(package, open: open).names
            return childNames(names, below: inner.isEmpty ? "" : inner + "/")
        } catch {
            return nil
        }
    }
}
