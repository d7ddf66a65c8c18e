#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Large tables in large pages: a table of many megabytes is filled faster when the system need not hand its memory out in
/// thousands of small pieces. Advice only, and only where a system takes it.
public enum HugePages {
    private static var size: Int { 2 << 20 }

    /// Asks for large pages behind the room that an array has reserved and not yet used.
    public static func advise<T>(_ array: inout ContiguousArray<T>) {
        let bytes = array.capacity * MemoryLayout<T>.stride
        // A few small tables are not worth a call.
        guard bytes >= 2 * size else { return }
        array.withUnsafeMutableBufferPointer { buffer in
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            advise(base, bytes)
        }
    }

    /// Memory for `count` elements, not filled; that of a large table can lie in large pages altogether. The caller
    /// deallocates it.
    public static func allocate<T: BitwiseCopyable>(_ type: T.Type, count: Int) -> UnsafeMutablePointer<T> {
        var bytes = count * MemoryLayout<T>.stride
        guard bytes >= size else { return .allocate(capacity: count) }
        // Whole pages, so that the last ones are large as well.
        bytes = (bytes + size - 1) / size * size
        let start = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: size)
        advise(start, bytes)
        return start.bindMemory(to: T.self, capacity: count)
    }

    /// Asks for large pages behind memory that is about to be filled.
    @inlinable public static func advise<T>(_ buffer: UnsafeMutableBufferPointer<T>) {
        let bytes = buffer.count &* MemoryLayout<T>.stride
        guard bytes >= 4 << 20, let base = buffer.baseAddress else { return }
        advise(UnsafeMutableRawPointer(base), bytes)
    }

    @usableFromInline static func advise(_ start: UnsafeMutableRawPointer, _ count: Int) {
        #if os(Linux)
        let first = (UInt(bitPattern: start) + UInt(size - 1)) & ~UInt(size - 1)
        let last = (UInt(bitPattern: start) + UInt(count)) & ~UInt(size - 1)
        guard last > first, let from = UnsafeMutableRawPointer(bitPattern: first) else { return }
        // MADV_HUGEPAGE, which not every C library declares.
        madvise(from, Int(last - first), 14)
        #endif
    }
}

extension Array where Element: BitwiseCopyable {
    /// An array of one value, in large pages where it is large.
    @inlinable public init(filled count: Int, with value: Element) {
        self.init(unsafeUninitializedCapacity: count) { buffer, used in
            HugePages.advise(buffer)
            buffer.initialize(repeating: value)
            used = count
        }
    }
}
