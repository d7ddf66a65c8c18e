/// Collects text for an output in one growing block of bytes: numbers and names go in without Strings in between.
///
/// Write a piece, then `flush(to:)` when `isFull`; a block of a megabyte makes few and large writes.
public struct TextWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    /// Bytes that wait to be flushed.
    public internal(set) var count = 0
    /// From this many bytes on `isFull` is true.
    public let blockSize: Int

    public init(blockSize: Int = 1 << 20) {
        self.blockSize = blockSize
        capacity = blockSize + 4096
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    public var isFull: Bool { count >= blockSize }

    @inline(__always)
    private mutating func require(_ room: Int) {
        if capacity &- count < room { grow(room) }
    }

    @inline(never)
    private mutating func grow(_ room: Int) {
        let larger = max(capacity * 2, count + room)
        let block = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        block.update(from: base, count: count)
        base.deallocate()
        base = block
        capacity = larger
    }

    public mutating func write(byte: UInt8) {
        require(1)
        base[count] = byte
        count &+= 1
    }

    public mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    public mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    public mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        require(bytes.count)
        UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
        count &+= bytes.count
    }

    public mutating func write(_ value: Float) {
        require(FloatPrinter.maximumCount)
        count &+= FloatPrinter.print(value, to: base + count)
    }

    public mutating func write(_ value: Double) {
        require(FloatPrinter.maximumCount)
        count &+= FloatPrinter.print(value, to: base + count)
    }

    public mutating func write(_ value: Int) {
        require(FloatPrinter.maximumCount)
        count &+= FloatPrinter.print(value, to: base + count)
    }

    /// ` a b c`: a blank before each.
    public mutating func writeSpaced(_ a: Float, _ b: Float, _ c: Float) {
        require(3 * (FloatPrinter.maximumCount + 1))
        var p = base + count
        p[0] = 0x20
        p += 1 &+ FloatPrinter.print(a, to: p + 1)
        p[0] = 0x20
        p += 1 &+ FloatPrinter.print(b, to: p + 1)
        p[0] = 0x20
        p += 1 &+ FloatPrinter.print(c, to: p + 1)
        count = p - base
    }

    /// What waits, as a String (tests, small texts).
    public var text: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }

    /// What waits, as bytes.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

    /// Hands what waits to `body` and forgets it.
    public mutating func flush(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        if count > 0 { try body(UnsafeRawBufferPointer(start: base, count: count)) }
        count = 0
    }
}
