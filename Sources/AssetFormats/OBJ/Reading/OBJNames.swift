import AssetIO

/// Names by number, each once: files say the same few names again and again.
struct OBJNames: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// Open addressing: number + 1, or 0.
    private var table = [Int32](repeating: 0, count: 16)

    var count: Int { ends.count }

    /// The number of a name, new or known.
    mutating func number(_ name: UnsafeBufferPointer<UInt8>) -> Int32 {
        let mask = table.count &- 1
        var slot = Self.hash(name) & mask
        while table[slot] != 0 {
            if isEqual(Int(table[slot] &- 1), name) { return table[slot] &- 1 }
            slot = (slot &+ 1) & mask
        }
        bytes.append(contentsOf: name)
        ends.append(bytes.count)
        let number = Int32(truncatingIfNeeded: ends.count &- 1)
        table[slot] = number &+ 1
        if ends.count * 2 > table.count { enlarge() }
        return number
    }

    /// The name, whatever its bytes are.
    func text(_ number: Int32) -> String { withBytes(number) { SystemPath.decode($0) } }

    func withBytes<R>(_ number: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        bytes.withUnsafeBufferPointer { all in
            guard number >= 0, Int(number) < ends.count else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
            return body(UnsafeBufferPointer(rebasing: all[range(Int(number))]))
        }
    }

    private func range(_ i: Int) -> Range<Int> { (i == 0 ? 0 : ends[i - 1])..<ends[i] }

    private func isEqual(_ i: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let range = range(i)
        guard range.count == name.count else { return false }
        for k in 0..<name.count where bytes[range.lowerBound &+ k] != name[k] { return false }
        return true
    }

    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var h: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { h = (h ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: (h ^ (h &>> 29)) & 0x7FFF_FFFF)
    }

    private mutating func enlarge() {
        table = [Int32](repeating: 0, count: table.count * 4)
        let mask = table.count - 1
        for i in ends.indices {
            var slot = bytes.withUnsafeBufferPointer { Self.hash(UnsafeBufferPointer(rebasing: $0[range(i)])) } & mask
            while table[slot] != 0 { slot = (slot + 1) & mask }
            table[slot] = Int32(truncatingIfNeeded: i) + 1
        }
    }
}
