import AssetModel

/// A table of numbers that begin as -1. Every access is checked against its size, but not for other owners. Tables that are
/// needed together share one piece of memory, which the system can back with large pages.
final class NumberTable {
    private final class Block {
        let base: UnsafeMutablePointer<Int32>
        init(_ count: Int) { base = HugePages.allocate(Int32.self, count: max(1, count)) }
        deinit { base.deallocate() }
    }

    private let base: UnsafeMutablePointer<Int32>
    let count: Int
    private let block: Block

    private init(_ block: Block, at offset: Int, _ count: Int) {
        self.block = block
        base = block.base + offset
        self.count = count
        base.initialize(repeating: -1, count: count)
    }

    convenience init(_ count: Int) { self.init(Block(count), at: 0, count) }

    /// Tables of these sizes, side by side.
    static func together(_ counts: [Int]) -> [NumberTable] {
        let block = Block(counts.reduce(0, +))
        var at = 0
        return counts.map { count in
            defer { at += count }
            return NumberTable(block, at: at, count)
        }
    }

    subscript(i: Int) -> Int32 {
        @inline(__always) get {
            precondition(i >= 0 && i < count)
            return base[i]
        }
        @inline(__always) set {
            precondition(i >= 0 && i < count)
            base[i] = newValue
        }
    }

    /// All numbers, in place.
    func withElements(_ body: (UnsafeMutableBufferPointer<Int32>) -> Void) { body(UnsafeMutableBufferPointer(start: base, count: count)) }
}
