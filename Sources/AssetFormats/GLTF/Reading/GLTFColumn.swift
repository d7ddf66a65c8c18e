import AssetIO
import AssetModel

/// An accessor that was held against the bytes that are there: whatever is read of it is inside them.
struct GLTFColumn: Sendable {
    /// The kinds of components, by OpenGL's numbers.
    enum Component: Int, Sendable {
        case int8 = 5120
        case uint8 = 5121
        case int16 = 5122
        case uint16 = 5123
        case uint32 = 5125
        case float = 5126

        var size: Int {
            switch self {
            case .int8, .uint8: 1
            case .int16, .uint16: 2
            case .uint32, .float: 4
            }
        }
    }

    /// Elements that replace some of the others.
    struct Sparse: Sendable {
        /// Growing.
        var indices: [Int32]
        /// Which value belongs to each index; nil: they stand in the same order.
        var slots: [Int]?
        var values: FileBytes
        var valuesOffset: Int

        /// Which of the indices are of elements `first` to `first + n`.
        func range(_ first: Int, _ n: Int) -> Range<Int> {
            func place(_ element: Int) -> Int {
                var (low, high) = (0, indices.count)
                while low < high {
                    let middle = (low + high) / 2
                    if Int(indices[middle]) < element { low = middle + 1 } else { high = middle }
                }
                return low
            }
            return place(first)..<place(first + n)
        }
    }

    /// Nil: all elements are zeros.
    var bytes: FileBytes?
    var offset = 0
    var stride = 0
    var count = 0
    /// Components of an element.
    var width = 1
    var component = Component.float
    var isNormalized = false
    var sparse: Sparse?

    /// Whether the elements of `width` floats lie one behind the other as memory has them.
    var isPlain: Bool { bytes != nil && sparse == nil && component == .float && stride == width * 4 }

    // MARK: Numbers

    /// Writes `n` elements from `first`, components `from` to `from + take` of each, as floats.
    func read(_ first: Int, _ n: Int, from: Int, take: Int, into out: UnsafeMutablePointer<Float>) {
        guard first >= 0, n > 0, n <= count, first <= count - n, from >= 0, take > 0, from + take <= width else { return }
        // The pointer is taken out of the closure: with the work inside it, Swift 6.3 merges it with a like one and returns an error that
        // nobody threw. The column holds the bytes.
        if let bytes, let base = bytes.withUnsafeBytes({ $0.baseAddress }) {
            // The last element's end was held against the bytes when the column was made.
            let start = base + offset + first * stride + from * component.size
            switch component {
            case .float:
                if stride == take * 4 {
                    UnsafeMutableRawPointer(out).copyMemory(from: start, byteCount: n * take * 4)
                } else {
                    Self.gather(start, stride, n, take, out, Float.self) { $0 }
                }
            case .int8: integers(start, n, take, out, Int8.self, 127)
            case .uint8: integers(start, n, take, out, UInt8.self, 255)
            case .int16: integers(start, n, take, out, Int16.self, 32767)
            case .uint16: integers(start, n, take, out, UInt16.self, 65535)
            case .uint32: integers(start, n, take, out, UInt32.self, Float(UInt32.max))
            }
        } else {
            out.update(repeating: 0, count: n * take)
        }
        if let sparse { replace(sparse, first, n, from, take, out) }
    }

    /// Normalised integers: c / max, not below -1 (the specification's 3.11).
    private func integers<T: FixedWidthInteger & BitwiseCopyable>(
        _ start: UnsafeRawPointer, _ n: Int, _ take: Int, _ out: UnsafeMutablePointer<Float>, _ type: T.Type, _ largest: Float
    ) {
        if isNormalized {
            Self.gather(start, stride, n, take, out, type) { max(Float($0) / largest, -1) }
        } else {
            Self.gather(start, stride, n, take, out, type) { Float($0) }
        }
    }

    @inline(__always)
    private static func gather<T: BitwiseCopyable>(
        _ start: UnsafeRawPointer, _ stride: Int, _ n: Int, _ take: Int, _ out: UnsafeMutablePointer<Float>, _ type: T.Type,
        _ convert: (T) -> Float
    ) {
        var (from, to) = (start, out)
        for _ in 0..<n {
            for k in 0..<take { to[k] = convert((from + k &* MemoryLayout<T>.size).loadUnaligned(as: T.self)) }
            from += stride
            to += take
        }
    }

    private func replace(_ sparse: Sparse, _ first: Int, _ n: Int, _ from: Int, _ take: Int, _ out: UnsafeMutablePointer<Float>) {
        var values = self
        values.bytes = sparse.values
        values.offset = sparse.valuesOffset
        values.stride = width * component.size
        values.count = sparse.indices.count
        values.sparse = nil
        for k in sparse.range(first, n) {
            values.read(sparse.slots?[k] ?? k, 1, from: from, take: take, into: out + (Int(sparse.indices[k]) - first) * take)
        }
    }

    /// Writes `n` elements from `first` as whole numbers; what does not fit is -1. For indices and joints.
    func readIntegers(_ first: Int, _ n: Int, into out: UnsafeMutablePointer<Int32>) {
        guard first >= 0, n > 0, n <= count, first <= count - n else { return }
        if let bytes, let base = bytes.withUnsafeBytes({ $0.baseAddress }) {
            let start = base + offset + first * stride
            func gather<T: BinaryInteger & BitwiseCopyable>(_ type: T.Type) {
                var (from, to) = (start, out)
                for _ in 0..<n {
                    for k in 0..<width { to[k] = Int32(exactly: (from + k &* MemoryLayout<T>.size).loadUnaligned(as: T.self)) ?? -1 }
                    from += stride
                    to += width
                }
            }
            switch component {
            case .int8: gather(Int8.self)
            case .uint8: gather(UInt8.self)
            case .int16: gather(Int16.self)
            case .uint16: gather(UInt16.self)
            case .uint32: gather(UInt32.self)
            case .float:
                var (from, to) = (start, out)
                for _ in 0..<n {
                    for k in 0..<width { to[k] = Int32(exactly: (from + k &* 4).loadUnaligned(as: Float.self)) ?? -1 }
                    from += stride
                    to += width
                }
            }
        } else {
            out.update(repeating: 0, count: n * width)
        }
        guard let sparse else { return }
        var values = self
        values.bytes = sparse.values
        values.offset = sparse.valuesOffset
        values.stride = width * component.size
        values.count = sparse.indices.count
        values.sparse = nil
        for k in sparse.range(first, n) {
            values.readIntegers(sparse.slots?[k] ?? k, 1, into: out + (Int(sparse.indices[k]) - first) * width)
        }
    }

    /// All elements as floats, `width` each.
    func floats() -> [Float] {
        [Float](unsafeUninitializedCapacity: count * width) { buffer, made in
            if let base = buffer.baseAddress, count > 0 { read(0, count, from: 0, take: width, into: base) }
            made = count * width
        }
    }

    /// All elements as whole numbers, `width` each.
    func integers() -> [Int32] {
        [Int32](unsafeUninitializedCapacity: count * width) { buffer, made in
            if let base = buffer.baseAddress, count > 0 { readIntegers(0, count, into: base) }
            made = count * width
        }
    }

    /// The largest of all whole numbers, -1 counting as larger than any; nil where there are none.
    func largestInteger() -> UInt32? {
        guard count > 0 else { return nil }
        if let largest = largestOfPlain() { return largest }
        var largest: UInt32 = 0
        GLTFColumn.blocks(count) { first, n in
            var block = [Int32](repeating: 0, count: n * width)
            block.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { readIntegers(first, n, into: base) } }
            for i in block { largest = max(largest, UInt32(bitPattern: i)) }
        }
        return largest
    }

    /// The same where the numbers lie one behind the other as memory has them.
    private func largestOfPlain() -> UInt32? {
        guard let bytes, sparse == nil, width == 1, stride == component.size else { return nil }
        func largest<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> UInt32 {
            var all: T = 0
            Self.blocks(count, 1 << 18) { first, n in
                bytes.withUnsafeBytes { raw in
                    guard let base = raw.baseAddress else { return }
                    let start = base + offset + first * stride
                    var found: T = 0
                    for i in 0..<n { found = max(found, (start + i &* MemoryLayout<T>.size).loadUnaligned(as: T.self)) }
                    all = max(all, found)
                }
                // Pages of large ones are given back as they are read.
                if count > 1 << 18 { release(first, n) }
            }
            return UInt32(truncatingIfNeeded: all)
        }
        switch component {
        case .uint8: return largest(UInt8.self)
        case .uint16: return largest(UInt16.self)
        case .uint32: return largest(UInt32.self)
        default: return nil
        }
    }

    /// How many elements are read at a time.
    static let blockCount = 1 << 14

    static func blocks(_ count: Int, _ size: Int = blockCount, _ body: (_ first: Int, _ n: Int) -> Void) {
        var first = 0
        while first < count {
            let n = min(count - first, size)
            body(first, n)
            first += n
        }
    }

    /// Calls `body` with the elements where they lie, if that is as memory has them; false, and nothing done, elsewhere.
    func withPlainBlocks<V: GLTFVector>(of type: V.Type, from: Int, isLarge: Bool, _ body: (UnsafeBufferPointer<V>) -> Void) -> Bool {
        guard let bytes, isPlain, from == 0, width == V.componentCount else { return false }
        let isAligned = bytes.withUnsafeBytes { raw in (UInt(bitPattern: raw.baseAddress) &+ UInt(bitPattern: offset)) % 4 == 0 }
        guard isAligned else { return false }
        Self.blocks(count) { first, n in
            bytes.withUnsafeBytes { raw in
                guard let base = raw.baseAddress else { return }
                body(UnsafeBufferPointer(start: (base + offset + first * stride).assumingMemoryBound(to: V.self), count: n))
            }
            if isLarge { release(first, n) }
        }
        return true
    }

    /// Tells the system that the elements' pages are not needed for now.
    func release(_ first: Int, _ n: Int) {
        guard let bytes, stride > 0 else { return }
        bytes.release(offset + first * stride, count: min(n * stride, bytes.count - offset - first * stride))
    }
}
