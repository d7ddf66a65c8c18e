import AssetIO
import AssetModel

/// Reads binary data value by value.
struct PLYBinaryValues: PLYValues {
    private let file: FileBytes
    private let base: UnsafeRawPointer?
    private let end: Int
    private let isBig: Bool
    private(set) var offset: Int
    private var dropped: Int

    init(_ file: FileBytes, at offset: Int, isBig: Bool) {
        self.file = file
        // The storage lives as long as `file` does, which is held beside it.
        base = file.withUnsafeBytes { $0.baseAddress }
        end = base == nil ? 0 : file.count
        self.isBig = isBig
        self.offset = offset
        dropped = offset
    }

    @inline(__always)
    mutating func value(_ scalar: PLYScalar) throws(PLYFault) -> Double {
        let size = scalar.size
        guard let base, end - offset >= size else { throw .ended(at: offset) }
        let p = base + offset
        offset += size
        return PLYBinary.value(p, scalar, isBig)
    }

    @inline(__always)
    mutating func index(_ scalar: PLYScalar) throws(PLYFault) -> Double { try value(scalar) }

    mutating func skip(_ scalar: PLYScalar, count: Int) throws(PLYFault) {
        guard holds(count, of: scalar) else { throw .ended(at: offset) }
        offset += count * scalar.size
    }

    func holds(_ count: Int, of scalar: PLYScalar) -> Bool { count <= (end - offset) / scalar.size }

    mutating func dropBehind() {
        guard offset - dropped >= 4 << 20 else { return }
        file.release(dropped, count: offset - dropped)
        dropped = offset
    }
}

enum PLYBinary {
    /// One value; its bytes must be there.
    @inline(__always)
    static func value(_ p: UnsafeRawPointer, _ scalar: PLYScalar, _ isBig: Bool) -> Double {
        switch scalar {
        case .int8: Double(p.load(as: Int8.self))
        case .uint8: Double(p.load(as: UInt8.self))
        case .int16: Double(Int16(truncatingIfNeeded: integer(p, UInt16.self, isBig)))
        case .uint16: Double(integer(p, UInt16.self, isBig))
        case .int32: Double(Int32(truncatingIfNeeded: integer(p, UInt32.self, isBig)))
        case .uint32: Double(integer(p, UInt32.self, isBig))
        case .float32: Double(Float(bitPattern: integer(p, UInt32.self, isBig)))
        case .float64: Double(bitPattern: integer(p, UInt64.self, isBig))
        }
    }

    @inline(__always)
    static func integer<I: FixedWidthInteger & BitwiseCopyable>(_ p: UnsafeRawPointer, _ type: I.Type, _ isBig: Bool) -> I {
        let raw = p.loadUnaligned(as: I.self)
        return isBig ? I(bigEndian: raw) : I(littleEndian: raw)
    }

    /// Rows read at once.
    static let blockRows = 1 << 14

    /// Whether every face is a triangle whose length is a byte and whose indices are four bytes each, and none is outside. Then the
    /// rows have all the same size, and the indices can stay in the file.
    static func triangles(
        _ file: FileBytes, at start: Int, _ element: PLYElement, list: Int, points: Int, isBig: Bool
    ) -> PLYTriangleSource? {
        var (before, after) = (0, 0)
        for (i, p) in element.properties.enumerated() {
            if i == list {
                guard p.length == .uint8 || p.length == .int8, p.scalar == .int32 || p.scalar == .uint32 else { return nil }
            } else {
                guard p.length == nil else { return nil }
                if i < list { before += p.scalar.size } else { after += p.scalar.size }
            }
        }
        let stride = before + 13 + after
        guard element.count > 0, element.count <= (file.count - start) / stride else { return nil }
        let limit = UInt32(clamping: min(points, Int(Int32.max)))
        var row = 0
        while row < element.count {
            let n = min(element.count - row, blockRows * 8)
            let isSound = file.withUnsafeBytes { bytes -> Bool in
                guard let base = bytes.baseAddress else { return false }
                var p = base + start + row * stride + before
                var bad = false
                for _ in 0..<n {
                    let a = integer(p + 1, UInt32.self, isBig)
                    let b = integer(p + 5, UInt32.self, isBig)
                    let c = integer(p + 9, UInt32.self, isBig)
                    bad = bad || p.load(as: UInt8.self) != 3 || max(a, max(b, c)) >= limit
                    p += stride
                }
                return !bad
            }
            guard isSound else { return nil }
            file.release(start + row * stride, count: n * stride)
            row += n
        }
        return PLYTriangleSource(file: file, start: start + before + 1, stride: stride, rows: element.count, isBig: isBig)
    }
}

/// The indices of triangles, from rows of one size.
struct PLYTriangleSource: DeferredArraySource {
    let file: FileBytes
    /// Of the first index of the first row.
    let start: Int
    let stride: Int
    let rows: Int
    let isBig: Bool
    var count: Int { rows * 3 }

    func load() throws(AssetError) -> [Int32] {
        [Int32](unsafeUninitializedCapacity: count) { out, done in
            guard let base = out.baseAddress else { return }
            var row = 0
            while row < rows {
                let n = min(rows - row, PLYBinary.blockRows)
                fill(base + row * 3, row, n)
                row += n
            }
            done = count
        }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Int32>) -> Void) throws(AssetError) {
        let block = PLYStore<Int32>(min(rows, PLYBinary.blockRows) * 3)
        var row = 0
        while row < rows {
            let n = min(rows - row, PLYBinary.blockRows)
            fill(block.base, row, n)
            body(UnsafeBufferPointer(start: block.base, count: n * 3))
            row += n
        }
    }

    private func fill(_ out: UnsafeMutablePointer<Int32>, _ row: Int, _ n: Int) {
        file.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var p = base + start + row * stride
            var q = out
            for _ in 0..<n {
                q[0] = Int32(truncatingIfNeeded: PLYBinary.integer(p, UInt32.self, isBig))
                q[1] = Int32(truncatingIfNeeded: PLYBinary.integer(p + 4, UInt32.self, isBig))
                q[2] = Int32(truncatingIfNeeded: PLYBinary.integer(p + 8, UInt32.self, isBig))
                q += 3
                p += stride
            }
        }
        file.release(start + row * stride, count: n * stride)
    }
}

/// Some properties of an element whose rows have all the same size.
struct PLYColumnSource<Element: PLYPacked>: DeferredArraySource {
    struct Component: Sendable {
        var offset: Int
        var scalar: PLYScalar
        var divisor: Double
    }
    let file: FileBytes
    /// Of the first row; all rows are in the file.
    let start: Int
    let stride: Int
    let count: Int
    let components: [Component]
    let isBig: Bool

    func load() throws(AssetError) -> [Element] {
        [Element](unsafeUninitializedCapacity: count) { out, done in
            guard let base = out.baseAddress else { return }
            var row = 0
            while row < count {
                let n = min(count - row, PLYBinary.blockRows)
                (base + row).withMemoryRebound(to: Element.Number.self, capacity: n * Element.width) { fill($0, row, n) }
                row += n
            }
            done = count
        }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        let block = PLYStore<Element.Number>(min(count, PLYBinary.blockRows) * Element.width)
        var row = 0
        while row < count {
            let n = min(count - row, PLYBinary.blockRows)
            fill(block.base, row, n)
            block.base.withMemoryRebound(to: Element.self, capacity: n) { body(UnsafeBufferPointer(start: $0, count: n)) }
            row += n
        }
    }

    private func fill(_ out: UnsafeMutablePointer<Element.Number>, _ row: Int, _ n: Int) {
        let width = Element.width
        file.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for (k, component) in components.enumerated() {
                var p = base + start + row * stride + component.offset
                var q = out + k
                switch component.scalar {
                case .float32:
                    for _ in 0..<n {
                        q.pointee = Element.Number(Float(bitPattern: PLYBinary.integer(p, UInt32.self, isBig)))
                        p += stride
                        q += width
                    }
                case .uint8:
                    let divisor = Element.Number(component.divisor)
                    for _ in 0..<n {
                        q.pointee = Element.Number(p.load(as: UInt8.self)) / divisor
                        p += stride
                        q += width
                    }
                default:
                    for _ in 0..<n {
                        q.pointee = Element.Number(PLYBinary.value(p, component.scalar, isBig) / component.divisor)
                        p += stride
                        q += width
                    }
                }
            }
        }
        file.release(start + row * stride, count: n * stride)
    }
}
