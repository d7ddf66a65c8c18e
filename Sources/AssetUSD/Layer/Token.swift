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
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var strings: [String?] = []
    /// Open addressing; -1 is free. Power of two.
    private var slots: [Int32] = []

    public init() {
        slots = [Int32](repeating: -1, count: 4096)
        bytes.reserveCapacity(1 << 14)
        ends.reserveCapacity(1 << 10)
        _ = intern("")
        for name in Token.wellKnown { _ = intern(name) }
    }

    public var count: Int { ends.count }

    private static func hash(_ s: UnsafeBufferPointer<UInt8>) -> Int {
        var h: UInt64 = 0xcbf2_9ce4_8422_2325
        for b in s { h = (h ^ UInt64(b)) &* 0x100_0000_01b3 }
        return Int(truncatingIfNeeded: h ^ (h >> 29))
    }

    /// The token of these UTF-8 bytes.
    public func intern(_ s: UnsafeBufferPointer<UInt8>) -> Token {
        var mask = slots.count - 1
        let h = Self.hash(s)
        var slot = h & mask
        while slots[slot] >= 0 {
            let id = Int(slots[slot])
            let start = id == 0 ? 0 : ends[id - 1]
            let n = ends[id] - start
            if n == s.count, n == 0 || bytes.withUnsafeBufferPointer({ memoryEqual($0.baseAddress.unsafelyUnwrapped + start, s.baseAddress.unsafelyUnwrapped, n) }) {
                return Token(id: Int32(id))
            }
            slot = (slot + 1) & mask
        }
        let id = Int32(ends.count)
        bytes.append(contentsOf: s)
        ends.append(bytes.count)
        strings.append(nil)
        slots[slot] = id
        if ends.count * 2 > slots.count {
            mask = slots.count * 2 - 1
            slots = [Int32](repeating: -1, count: mask + 1)
            bytes.withUnsafeBufferPointer { all in
                var start = 0
                for (i, end) in ends.enumerated() {
                    var at = Self.hash(UnsafeBufferPointer(rebasing: all[start..<end])) & mask
                    while slots[at] >= 0 { at = (at + 1) & mask }
                    slots[at] = Int32(i)
                    start = end
                }
            }
        }
        return Token(id: id)
    }

    public func intern(_ s: String) -> Token {
        var s = s
        return s.withUTF8 { intern($0) }
    }

    public func string(_ t: Token) -> String {
        let i = Int(t.id)
        if let s = strings[i] { return s }
        let s = withBytes(t) { String(decoding: $0, as: UTF8.self) }
        strings[i] = s
        return s
    }

    /// The token's bytes; the pointer must not leave `body`, and `body` must not intern.
    public func withBytes<R>(_ t: Token, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let start = t.id == 0 ? 0 : ends[Int(t.id) - 1]
        let end = ends[Int(t.id)]
        return try bytes.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
    }
}

@inline(__always)
func memoryEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ n: Int) -> Bool {
    for i in 0..<n where a[i] != b[i] { return false }
    return true
}
