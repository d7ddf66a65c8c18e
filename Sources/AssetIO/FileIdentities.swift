import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files on disk, told apart by what they are and not by how they are spelled: those that a run has read, so that what it writes
/// does not take their place.
public final class FileIdentities: Sendable {
    private struct Identity: Hashable {
        var device: UInt64
        var number: UInt64
    }

    private let known = Mutex(Set<Identity>())

    public init() {}

    /// Takes in the file at a path; nothing where there is none.
    public func insert(_ path: String) {
        guard let identity = Self.identity(path) else { return }
        _ = known.withLock { $0.insert(identity) }
    }

    /// Whether a path leads to one of the files, through links as well.
    public func contains(_ path: String) -> Bool {
        guard let identity = Self.identity(path) else { return false }
        return known.withLock { $0.contains(identity) }
    }

    private static func identity(_ path: String) -> Identity? {
        var status = stat()
        guard stat(SystemPath.encode(path), &status) == 0 else { return nil }
        return Identity(device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }
}
