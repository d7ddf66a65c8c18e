#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

private func systemWrite(_ fd: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(fd, bytes, count) }

/// A failure whose text is all a reader needs; thrown out of a test it becomes the test's message.
public struct TestFailure: Error, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }
}

/// The checkout the tests were built from.
public enum Repository {
    /// Absolute path of the package's folder, without a slash at the end.
    public static let root: String = {
        // …/Tests/Support/Repository.swift
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// Absolute path of something in the repository: `Repository.path("Assets/lamp.usdz")`.
    public static func path(_ relative: String) -> String { root + "/" + relative }

    /// Absolute path below `Tests/Fixtures`: `Repository.fixture("usda/bad/x.usda")`.
    public static func fixture(_ relative: String) -> String { path("Tests/Fixtures/" + relative) }

    /// The bytes of a file, by absolute path or by path relative to the repository.
    public static func bytes(_ file: String) throws -> [UInt8] {
        let full = file.hasPrefix("/") ? file : path(file)
        let fd = open(full, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw TestFailure("cannot open \(full)") }
        defer { close(fd) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let n = block.withUnsafeMutableBytes { read(fd, $0.baseAddress, $0.count) }
            guard n >= 0 else { throw TestFailure("cannot read \(full)") }
            if n == 0 { return bytes }
            bytes.append(contentsOf: block[0..<n])
        }
    }

    /// A text file; bytes that are not UTF-8 become replacement characters.
    public static func text(_ file: String) throws -> String { String(decoding: try bytes(file), as: UTF8.self) }

    /// Writes a file and the folders above it.
    public static func write(_ bytes: [UInt8], to file: String) throws {
        let full = file.hasPrefix("/") ? file : path(file)
        var folder = ""
        for part in full.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o755)
        }
        let fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard fd >= 0 else { throw TestFailure("cannot write \(full)") }
        defer { close(fd) }
        var done = 0
        while done < bytes.count {
            let n = bytes[done...].withUnsafeBytes { systemWrite(fd, $0.baseAddress, $0.count) }
            guard n > 0 else { throw TestFailure("cannot write \(full)") }
            done += n
        }
    }

    /// Regular files below a folder, relative to the repository, sorted; hidden ones and build products are left out.
    /// Empty where the folder does not exist.
    public static func files(under folder: String, suffix: String = "") -> [String] {
        var found: [String] = []
        func walk(_ relative: String) {
            for entry in entries(relative) where !entry.name.hasPrefix(".") {
                let child = relative.isEmpty ? entry.name : relative + "/" + entry.name
                if entry.isFolder {
                    walk(child)
                } else if child.hasSuffix(suffix) {
                    found.append(child)
                }
            }
        }
        walk(folder)
        return found.sorted()
    }

    /// Names of the folders directly in a folder, sorted.
    public static func folders(in folder: String) -> [String] {
        entries(folder).filter { $0.isFolder && !$0.name.hasPrefix(".") }.map(\.name).sorted()
    }

    private static func entries(_ relative: String) -> [(name: String, isFolder: Bool)] {
        let full = relative.isEmpty ? root : path(relative)
        guard let stream = opendir(full) else { return [] }
        defer { closedir(stream) }
        var result: [(name: String, isFolder: Bool)] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            var status = stat()
            guard stat(full + "/" + name, &status) == 0 else { continue }
            result.append((name, status.st_mode & S_IFMT == S_IFDIR))
        }
        return result
    }
}
