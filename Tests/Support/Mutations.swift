/// Ways to damage a file.
public enum Mutations {
    /// Lengths at which a file is cut: every one up to `dense` bytes, then every `stride`th.
    public static func truncationLengths(_ count: Int, dense: Int = 32 << 10, stride step: Int = 97) -> [Int] {
        Array(0..<min(count, dense)) + Array(Swift.stride(from: dense, to: max(count, dense), by: step))
    }

    /// The bytes with one bit turned over.
    public static func flippingBit(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
        var copy = bytes
        copy[bit / 8] ^= 1 << UInt8(bit % 8)
        return copy
    }

    /// The bytes with up to `count` random edits: bits, bytes and little-endian words replaced by telling values, ranges
    /// removed, doubled or moved.
    public static func edited(_ bytes: [UInt8], edits count: Int, using random: inout SplitMix64) -> [UInt8] {
        let words: [UInt64] = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, .max, .max >> 1, 1 << 63]
        var copy = bytes
        for _ in 0..<random.int(in: 1...max(1, count)) where !copy.isEmpty {
            let at = random.int(in: 0...(copy.count - 1))
            switch random.int(in: 0...6) {
            case 0: copy[at] ^= 1 << UInt8(random.int(in: 0...7))
            case 1: copy[at] = UInt8(truncatingIfNeeded: random.next())
            case 2, 3:
                let width = [1, 2, 4, 8][random.int(in: 0...3)]
                let word = words[random.int(in: 0...(words.count - 1))]
                for i in 0..<width where at + i < copy.count { copy[at + i] = UInt8(truncatingIfNeeded: word >> UInt64(8 * i)) }
            case 4: copy.removeSubrange(at..<min(copy.count, at + random.int(in: 1...16)))
            case 5: copy.insert(contentsOf: copy[at..<min(copy.count, at + random.int(in: 1...16))], at: at)
            default: copy.swapAt(at, random.int(in: 0...(copy.count - 1)))
            }
        }
        return copy
    }
}
