/// One value again and again, without the memory for it: the three corners of every triangle.
public struct RepeatedArray<Element: Sendable>: DeferredArraySource {
    public let value: Element
    public let count: Int

    public init(_ value: Element, count: Int) {
        self.value = value
        self.count = count
    }

    public func load() -> [Element] { [Element](repeating: value, count: count) }

    public func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) {
        let block = [Element](repeating: value, count: min(count, 4096))
        block.withUnsafeBufferPointer { block in
            var left = count
            while left > 0 {
                let n = min(left, block.count)
                body(UnsafeBufferPointer(rebasing: block[0..<n]))
                left -= n
            }
        }
    }
}

/// 0, 1, 2, …: the indices of corners that share nothing.
public struct CountingArray: DeferredArraySource {
    public let count: Int

    /// - Parameter count: at most as many as an index can name.
    public init(count: Int) { self.count = min(count, Int(Int32.max)) }

    public func load() -> [Int32] { [Int32](0..<Int32(truncatingIfNeeded: count)) }

    public func forEachBlock(_ body: (UnsafeBufferPointer<Int32>) -> Void) {
        var block = [Int32](repeating: 0, count: min(count, 4096))
        var first = 0
        while first < count {
            let n = min(count - first, block.count)
            for i in 0..<n { block[i] = Int32(truncatingIfNeeded: first &+ i) }
            block.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[0..<n])) }
            first += n
        }
    }
}
