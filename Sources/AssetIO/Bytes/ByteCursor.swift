/// A read that the bytes do not allow.
public struct ByteError: Error, Hashable, Sendable {
    public var offset: Int
    public var wanted: Int
    public var available: Int

    public init(offset: Int, wanted: Int, available: Int) {
        self.offset = offset
        self.wanted = wanted
        self.available = available
    }
}

/// A place in bytes that moves forward; every read is checked against the end.
///
/// Check once a record with `require`, or once an array with the bulk reads, rather than once a number: the checks are
/// cheap, throwing calls in a loop are not.
@frozen
public struct ByteCursor: ~Escapable {
    public let bytes: RawSpan
    /// In bytes from the start of `bytes`; never beyond the end.
    @inlinable public var offset: Int { place }
    @usableFromInline var place: Int

    @_lifetime(copy bytes)
    @inlinable
    public init(_ bytes: RawSpan) {
        self.bytes = bytes
        place = 0
    }

    @inlinable public var remaining: Int { bytes.byteCount &- offset }

    @inlinable @inline(__always)
    public func require(_ count: Int) throws(ByteError) {
        guard count >= 0, count <= remaining else { throw ByteError(offset: offset, wanted: count, available: remaining) }
    }

    @inlinable @inline(__always)
    public mutating func skip(_ count: Int) throws(ByteError) {
        try require(count)
        place &+= count
    }

    public mutating func seek(to offset: Int) throws(ByteError) {
        guard offset >= 0, offset <= bytes.byteCount else {
            throw ByteError(offset: offset, wanted: 0, available: bytes.byteCount)
        }
        place = offset
    }

    /// The next number, low byte first.
    @inlinable @inline(__always)
    public mutating func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(ByteError) -> T {
        try require(MemoryLayout<T>.size)
        let value = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self)
        place &+= MemoryLayout<T>.size
        return T(littleEndian: value)
    }

    /// The next number, high byte first.
    @inlinable @inline(__always)
    public mutating func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type = T.self) throws(ByteError) -> T {
        try require(MemoryLayout<T>.size)
        let value = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self)
        place &+= MemoryLayout<T>.size
        return T(bigEndian: value)
    }

    /// The next `count` elements as they lie in the bytes (little-endian machines: as they are meant).
    @inlinable
    public mutating func array<T: BitwiseCopyable>(of type: T.Type = T.self, count: Int) throws(ByteError) -> [T] {
        guard count >= 0, let size = count.multiplied(checked: MemoryLayout<T>.stride), size <= remaining else {
            throw ByteError(offset: offset, wanted: count, available: remaining / max(1, MemoryLayout<T>.stride))
        }
        let start = offset
        let span = bytes
        let result = unsafe span.withUnsafeBytes { raw in
            unsafe [T](unsafeUninitializedCapacity: count) { buffer, made in
                if size > 0, let to = buffer.baseAddress, let from = raw.baseAddress {
                    unsafe UnsafeMutableRawPointer(to).copyMemory(from: from + start, byteCount: size)
                }
                made = count
            }
        }
        place &+= size
        return result
    }
}
