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

    mutating func vertices(
        _ table: PLYTable, _ layout: PLYVertexLayout, wantsPrimvars: Bool, keeps: Bool, row: inout Int
    ) throws(PLYFault) -> PLYVertices {
        let element = table.element
        guard let stride = element.stride else {
            return try PLYVertices(rows: &self, element, layout, wantsPrimvars: wantsPrimvars, row: &row)
        }
        try skip(rows: element.count, of: stride)
        return PLYVertices(table.file, at: table.start, stride: stride, element, layout, isBig: isBig)
    }

    mutating func faces(
        _ table: PLYTable, points: Int, wantsPrimvars: Bool, keeps: Bool, row: inout Int
    ) throws(PLYFault) -> PLYFaces {
        var reader = PLYFaceReader(table, points: points, wantsPrimvars: wantsPrimvars, keeps: keeps)
        row = 0
        if reader.isPlain, let triangles = PLYBinary.triangles(table, list: reader.list, points: points, isBig: isBig) {
            try skip(rows: triangles.rows, of: triangles.stride)
            if triangles.rows == table.element.count { return PLYFaces(triangles, unknown: reader.unknown) }
            reader.add(triangles)
            row = triangles.rows
        }
        try reader.read(&self, isBig: isBig, row: &row)
        return reader.finished()
    }

    /// Calls with the bytes from here on, and goes on by as many as the answer says.
    mutating func withRest(_ body: (UnsafeRawPointer, _ count: Int) -> Int) {
        guard let base else { return }
        offset += body(base + offset, end - offset)
    }

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

    /// The rows up to the first that is no triangle with sound indices, where the list's length is a byte and its indices are four bytes
    /// each. They have all the same size, so that the indices can stay in the file. Nil where there are none.
    static func triangles(_ table: PLYTable, list: Int, points: Int, isBig: Bool) -> PLYTriangleSource? {
        let element = table.element
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
        let fitting = min(element.count, (table.file.count - table.start) / stride)
        let limit = UInt32(clamping: min(points, Int(Int32.max)))
        var rows = 0
        table.file.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            while rows < fitting {
                let n = min(fitting - rows, blockRows)
                let start = table.start + rows * stride
                let sound = soundTriangles(base + start + before, n, stride, limit, isBig)
                table.file.release(start, count: n * stride)
                rows += sound
                if sound < n { break }
            }
        }
        guard rows > 0 else { return nil }
        return PLYTriangleSource(file: table.file, start: table.start + before + 1, stride: stride, rows: rows, isBig: isBig)
    }

    /// How many rows from the first on are triangles with indices below a limit. An index is below it where it has no highest bit, and
    /// still has one when the limit is taken away.
    private static func soundTriangles(_ start: UnsafeRawPointer, _ n: Int, _ stride: Int, _ limit: UInt32, _ isBig: Bool) -> Int {
        guard limit > 0 else { return 0 }
        let limits = SIMD4<UInt32>(repeating: limit)
        var (set, below) = (SIMD4<UInt32>(repeating: 0), SIMD4<UInt32>(repeating: .max))
        var lengths: UInt8 = 0
        var p = start
        // Four bytes are read beyond the last index: not in the last row.
        if isBig {
            for _ in 0..<(n - 1) {
                let three = bigEndian((p + 1).loadUnaligned(as: SIMD4<UInt32>.self))
                set |= three
                below &= three &- limits
                lengths |= p.load(as: UInt8.self) ^ 3
                p += stride
            }
        } else {
            for _ in 0..<(n - 1) {
                let three = (p + 1).loadUnaligned(as: SIMD4<UInt32>.self)
                set |= three
                below &= three &- limits
                lengths |= p.load(as: UInt8.self) ^ 3
                p += stride
            }
        }
        func isSound(_ p: UnsafeRawPointer) -> Bool {
            p.load(as: UInt8.self) == 3 && integer(p + 1, UInt32.self, isBig) < limit && integer(p + 5, UInt32.self, isBig) < limit
                && integer(p + 9, UInt32.self, isBig) < limit
        }
        let isSet = (set[0] | set[1] | set[2]) >> 31 != 0
        if lengths == 0, !isSet, (below[0] & below[1] & below[2]) >> 31 == 1, isSound(p) { return n }
        var first = 0
        while first < n, isSound(start + first * stride) { first += 1 }
        return first
    }

    @inline(__always)
    static func bigEndian(_ v: SIMD4<UInt32>) -> SIMD4<UInt32> {
        #if _endian(little)
        let halves = (v &<< 16) | (v &>> 16)
        return ((halves &<< 8) & SIMD4(repeating: 0xFF00_FF00)) | ((halves &>> 8) & SIMD4(repeating: 0x00FF_00FF))
        #else
        return v
        #endif
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
            PLYBinary.copyTriples(base + start + row * stride, n, stride, UnsafeMutableRawPointer(out), isBig)
        }
        file.release(start + row * stride, count: n * stride)
    }
}

extension PLYBinary {
    /// Puts three neighbouring four-byte values of each row side by side.
    static func copyTriples(_ start: UnsafeRawPointer, _ n: Int, _ stride: Int, _ out: UnsafeMutableRawPointer, _ isBig: Bool) {
        guard n > 0 else { return }
        var (p, q) = (start, out)
        // A fourth value is read and written, and written over: not in the last row.
        if isBig {
            for _ in 0..<(n - 1) {
                q.storeBytes(of: bigEndian(p.loadUnaligned(as: SIMD4<UInt32>.self)), as: SIMD4<UInt32>.self)
                p += stride
                q += 12
            }
        } else {
            for _ in 0..<(n - 1) {
                q.storeBytes(of: p.loadUnaligned(as: SIMD4<UInt32>.self), as: SIMD4<UInt32>.self)
                p += stride
                q += 12
            }
        }
        for k in 0..<3 { q.storeBytes(of: integer(p + k * 4, UInt32.self, isBig), toByteOffset: k * 4, as: UInt32.self) }
    }

    /// The box of three neighbouring floats of each row. Comparisons with NaN are false, so NaN never enters; where the sum of all is
    /// not finite, some number is not (or all are huge), and the rows are looked at again one by one.
    static func addBounds(_ start: UnsafeRawPointer, _ n: Int, _ stride: Int, _ isBig: Bool, _ bounds: inout FiniteBounds) {
        guard n > 0 else { return }
        func point(_ p: UnsafeRawPointer) -> Point3f {
            Point3f(
                Float(bitPattern: integer(p, UInt32.self, isBig)), Float(bitPattern: integer(p + 4, UInt32.self, isBig)),
                Float(bitPattern: integer(p + 8, UInt32.self, isBig)))
        }
        var (low, high) = (SIMD4<Float>(repeating: .infinity), SIMD4<Float>(repeating: -.infinity))
        var sum = SIMD4<Float>(repeating: 0)
        var p = start
        @inline(__always)
        func add(_ v: SIMD4<Float>) {
            low.replace(with: v, where: v .< low)
            high.replace(with: v, where: v .> high)
            sum += v
        }
        // A fourth value is read: not in the last row.
        if isBig {
            for _ in 0..<(n - 1) {
                let row = bigEndian(p.loadUnaligned(as: SIMD4<UInt32>.self))
                add(withUnsafeBytes(of: row) { $0.loadUnaligned(as: SIMD4<Float>.self) })
                p += stride
            }
        } else {
            for _ in 0..<(n - 1) {
                add(p.loadUnaligned(as: SIMD4<Float>.self))
                p += stride
            }
        }
        let last = point(p)
        if (sum.x + sum.y + sum.z).isFinite, last.isFinite {
            if n > 1 {
                bounds.box.formUnion(Vector3d(Double(low.x), Double(low.y), Double(low.z)))
                bounds.box.formUnion(Vector3d(Double(high.x), Double(high.y), Double(high.z)))
            }
            bounds.box.formUnion(Vector3d(last))
            return
        }
        for i in 0..<n {
            let q = point(start + i * stride)
            if q.isFinite { bounds.box.formUnion(Vector3d(q)) } else { bounds.leftOut += 1 }
        }
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

    /// Where three floats stand side by side in the order of their components: the first one's offset.
    private var triple: Int? {
        guard Element.self == Vector3f.self, components.count == 3, components.allSatisfy({ $0.scalar == .float32 && $0.divisor == 1 }),
            components[1].offset == components[0].offset + 4, components[2].offset == components[0].offset + 8
        else { return nil }
        return components[0].offset
    }

    func finiteBounds() throws(AssetError) -> FiniteBounds? {
        guard let triple else { return nil }
        var bounds = FiniteBounds()
        var row = 0
        while row < count {
            let n = min(count - row, PLYBinary.blockRows)
            let first = start + row * stride
            file.withUnsafeBytes { bytes in
                if let base = bytes.baseAddress { PLYBinary.addBounds(base + first + triple, n, stride, isBig, &bounds) }
            }
            file.release(first, count: n * stride)
            row += n
        }
        return bounds
    }

    private func fill(_ out: UnsafeMutablePointer<Element.Number>, _ row: Int, _ n: Int) {
        let width = Element.width
        if let triple {
            file.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                PLYBinary.copyTriples(base + start + row * stride + triple, n, stride, UnsafeMutableRawPointer(out), isBig)
            }
            file.release(start + row * stride, count: n * stride)
            return
        }
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
