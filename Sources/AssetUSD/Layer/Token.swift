import AssetIO

/// An interned string of a `USDSession`. Equal tokens have equal bytes (no Unicode normalisation, as in USD).
@frozen public struct Token: Hashable, Sendable {
    public let id: Int32
    @inlinable public init(id: Int32) { self.id = id }
    /// The empty token.
    public static let empty = Token(id: 0)
    @inlinable public var isEmpty: Bool { id == 0 }
}

/// The strings of a session, each once. Well-known tokens have fixed numbers (`Tokens.swift`).
public final class TokenTable {
    private struct Table {
        var bytes: ContiguousArray<UInt8> = []
        var ends: ContiguousArray<Int> = []
        /// Open addressing; -1 is free. Power of two.
        var slots: ContiguousArray<Int32> = []
        /// Hash of each token, to grow without reading the bytes again.
        var hashes: ContiguousArray<Int> = []
        /// Differs from run to run, so that no file can be made whose tokens all collide.
        let seed = UInt64.random(in: 0 ... .max)
        /// Tokens that were asked for as strings.
        var strings: ContiguousArray<String?> = []

        @inline(__always)
        func range(_ id: Int) -> (start: Int, end: Int) { (id == 0 ? 0 : ends[id - 1], ends[id]) }

        mutating func intern(_ s: UnsafeBufferPointer<UInt8>) -> Token {
            let mask = slots.count - 1
            let h = TokenTable.hash(s, seed)
            var slot = h & mask
            while slots[slot] >= 0 {
                let id = Int(slots[slot])
                if hashes[id] == h {
                    let (start, end) = range(id)
                    if end - start == s.count, bytes.withUnsafeBufferPointer({ TokenTable.equal($0[start..<end], s) }) {
                        return Token(id: Int32(truncatingIfNeeded: id))
                    }
                }
                slot = (slot + 1) & mask
            }
            let id = Int32(truncatingIfNeeded: ends.count)
            bytes.append(contentsOf: s)
            ends.append(bytes.count)
            hashes.append(h)
            slots[slot] = id
            if ends.count * 2 > slots.count { rehash(slots.count * 2) }
            return Token(id: id)
        }

        mutating func rehash(_ size: Int) {
            let mask = size - 1
            slots = ContiguousArray(repeating: -1, count: size)
            for (i, h) in hashes.enumerated() {
                var at = h & mask
                while slots[at] >= 0 { at = (at + 1) & mask }
                slots[at] = Int32(truncatingIfNeeded: i)
            }
        }
    }

    /// Behind a pointer that never changes, as the table of `PathTable` is.
    private let table: UnsafeMutablePointer<Table>

    public init() {
        table = .allocate(capacity: 1)
        table.initialize(to: Table())
        table.pointee.slots = ContiguousArray(repeating: -1, count: 4096)
        table.pointee.bytes.reserveCapacity(1 << 14)
        table.pointee.ends.reserveCapacity(1 << 10)
        _ = intern("")
        for name in Token.wellKnown { _ = intern(name) }
    }

    deinit {
        table.deinitialize(count: 1)
        table.deallocate()
    }

    public var count: Int { table.pointee.ends.count }

    /// Makes room for `n` more tokens of `size` bytes altogether.
    func reserve(_ n: Int, bytes size: Int) {
        let wanted = count + n
        table.pointee.ends.reserveCapacity(wanted)
        table.pointee.hashes.reserveCapacity(wanted)
        table.pointee.bytes.reserveCapacity(table.pointee.bytes.count + size)
        var slots = table.pointee.slots.count
        while slots < wanted * 2 { slots *= 2 }
        if slots > table.pointee.slots.count { table.pointee.rehash(slots) }
    }

    /// Eight bytes at a time (a byte-wise hash took longer than all else of interning).
    private static func hash(_ s: UnsafeBufferPointer<UInt8>, _ seed: UInt64) -> Int {
        var h = UInt64(truncatingIfNeeded: s.count) &* 0x9e37_79b9_7f4a_7c15 ^ seed
        let raw = UnsafeRawBufferPointer(s)
        var i = 0
        while i &+ 8 <= s.count {
            h = (h ^ raw.loadUnaligned(fromByteOffset: i, as: UInt64.self)) &* 0xff51_afd7_ed55_8ccd
            h ^= h >> 32
            i &+= 8
        }
        var rest: UInt64 = 0
        while i < s.count {
            rest = rest << 8 | UInt64(s[i])
            i &+= 1
        }
        h = (h ^ rest) &* 0xff51_afd7_ed55_8ccd
        return Int(truncatingIfNeeded: h ^ (h >> 29))
    }

    private static func equal(_ a: Slice<UnsafeBufferPointer<UInt8>>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count > 0, let p = a.base.baseAddress, let q = b.baseAddress else { return a.count == 0 }
        return memoryEqual(p + a.startIndex, q, a.count)
    }

    /// The token of these UTF-8 bytes.
    public func intern(_ s: UnsafeBufferPointer<UInt8>) -> Token { table.pointee.intern(s) }

    /// The token of a text; letters that stand for bytes which are no UTF-8 are those bytes (`SystemPath`).
    public func intern(_ s: String) -> Token {
        if SystemPath.hasEscapes(s) { return SystemPath.bytes(s).withUnsafeBufferPointer { intern($0) } }
        var s = s
        return s.withUTF8 { intern($0) }
    }

    public func string(_ t: Token) -> String {
        let i = Int(t.id)
        if i < table.pointee.strings.count, let s = table.pointee.strings[i] { return s }
        let s = withBytes(t) { SystemPath.decode($0) }
        let missing = table.pointee.ends.count - table.pointee.strings.count
        if missing > 0 { table.pointee.strings.append(contentsOf: repeatElement(nil, count: missing)) }
        table.pointee.strings[i] = s
        return s
    }

    /// The token's bytes; the pointer must not leave `body`, and `body` must not intern.
    public func withBytes<R>(_ t: Token, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let (start, end) = table.pointee.range(Int(t.id))
        return try table.pointee.bytes.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
    }
}

@inline(__always)
func memoryEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ n: Int) -> Bool {
    let (p, q) = (UnsafeRawPointer(a), UnsafeRawPointer(b))
    var i = 0
    while i &+ 8 <= n {
        if p.loadUnaligned(fromByteOffset: i, as: UInt64.self) != q.loadUnaligned(fromByteOffset: i, as: UInt64.self) { return false }
        i &+= 8
    }
    while i < n {
        if a[i] != b[i] { return false }
        i &+= 1
    }
    return true
}
