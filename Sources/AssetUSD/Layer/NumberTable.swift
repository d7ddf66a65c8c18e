import AssetIO

/// A table of numbers that begin as -1. Every access is checked against its size, but not for other owners, and a large table
/// begins where the system can put large pages behind it.
final class NumberTable {
    private let base: UnsafeMutablePointer<Int32>
    let count: Int

    init(_ count: Int) {
        self.count = count
        base = HugePages.allocate(Int32.self, count: max(1, count))
        base.initialize(repeating: -1, count: count)
    }

    deinit { base.deallocate() }

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
}
