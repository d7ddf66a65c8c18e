/// Passing over text eight bytes at a time, straight from a pointer: for loops over millions of words.
public enum PlainText {
    @inlinable @inline(__always)
    static func eightBytes(_ p: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
    }

    /// The highest bit of each byte that is below `33 - lowered`, so a blank or a control character; `lowered` makes fewer of them count.
    @inlinable @inline(__always)
    static func blanks(_ eight: UInt64, lowered: UInt64 = 0) -> UInt64 {
        ~((eight & 0x7F7F_7F7F_7F7F_7F7F) &+ (0x5F5F_5F5F_5F5F_5F5F &+ lowered &* 0x0101_0101_0101_0101) | eight) & 0x8080_8080_8080_8080
    }

    /// Whether the bytes at a pointer are those of a word of at most eight lower-case letters and blanks, in any letter case. It reads
    /// eight bytes; `mask` has ones where the word has bytes, `word` their lower case.
    @inlinable @inline(__always)
    public static func matches(_ p: UnsafePointer<UInt8>, _ word: UInt64, mask: UInt64) -> Bool {
        (eightBytes(p) | 0x2020_2020_2020_2020) & mask == word
    }

    /// A word as `matches` takes it.
    public static func word(_ text: StaticString) -> (word: UInt64, mask: UInt64) {
        var (word, mask): (UInt64, UInt64) = (0, 0)
        for k in 0..<min(8, text.utf8CodeUnitCount) {
            word |= UInt64(text.utf8Start[k]) << UInt64(8 * k)
            mask |= 0xFF << UInt64(8 * k)
        }
        return (word, mask)
    }

    /// Passes over blanks and control characters, line ends among them, up to `end`.
    @inlinable @inline(__always)
    public static func passBlanks(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        while p < end, p.pointee <= 32 { p += 1 }
    }

    /// Passes over a number of words with the blanks between them, from the first byte of the first one to the first byte behind the last.
    /// False, and the place as it was, where `end` is less than eight bytes behind that.
    @inlinable @inline(__always)
    public static func passWords(_ p: inout UnsafePointer<UInt8>, _ count: Int, _ end: UnsafePointer<UInt8>) -> Bool {
        var left = count
        if left == 0 { return true }
        var q = p
        // Whether the byte before these eight is a blank, in the lowest byte's highest bit.
        var before: UInt64 = 0
        while end - q >= 8 {
            let blank = blanks(eightBytes(q))
            var wordEnds = blank & ~(blank &<< 8 | before)
            // Not all processors count bits; a product does: the sum of the bytes is in the highest.
            let found = Int(truncatingIfNeeded: ((wordEnds &>> 7) &* 0x0101_0101_0101_0101) &>> 56)
            if found >= left {
                while left > 1 {
                    wordEnds &= wordEnds &- 1
                    left -= 1
                }
                p = q + wordEnds.trailingZeroBitCount >> 3
                return true
            }
            left -= found
            before = blank &>> 56
            q += 8
        }
        return false
    }

    /// The next line feed or carriage return, or `end`.
    @inlinable @inline(__always)
    public static func passLine(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        while end - p >= 8 {
            // Control characters, tabs among them, stop the eight steps.
            let controls = blanks(eightBytes(p), lowered: 1)
            if controls == 0 {
                p += 8
                continue
            }
            p += controls.trailingZeroBitCount >> 3
            if p.pointee == 0x0A || p.pointee == 0x0D { return }
            p += 1
        }
        while p < end, p.pointee != 0x0A, p.pointee != 0x0D { p += 1 }
    }
}
