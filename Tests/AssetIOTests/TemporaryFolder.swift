import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is removed with everything in it when the test ends.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/facet-test-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            throw TestFailure("no temporary folder")
        }
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    func write(_ name: String, _ bytes: [UInt8]) throws { try Repository.write(bytes, to: path + "/" + name) }
    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }
    func text(_ name: String) throws -> String { try Repository.text(path + "/" + name) }

    /// Everything below, files and folders (with a slash), sorted.
    var contents: [String] {
        var found: [String] = []
        func walk(_ folder: String, _ prefix: String) {
            guard let stream = opendir(folder) else { return }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name == "." || name == ".." { continue }
                var status = stat()
                if lstat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                    found.append(prefix + name + "/")
                    walk(folder + "/" + name, prefix + name + "/")
                } else {
                    found.append(prefix + name)
                }
            }
        }
        walk(path, "")
        return found.sorted()
    }

    deinit {
        for name in contents.reversed() {
            if name.hasSuffix("/") { rmdir(path + "/" + name) } else { unlink(path + "/" + name) }
        }
        rmdir(path)
    }
}
