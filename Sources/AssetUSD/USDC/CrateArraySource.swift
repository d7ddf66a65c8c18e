import AssetIO
import AssetModel

/// What arrays need of their file: shared by all of them.
final class CrateArrayFile: Sendable {
    let bytes: CrateBytes
    let version: CrateVersion

    init(_ bytes: CrateBytes, _ version: CrateVersion) {
        self.bytes = bytes
        self.version = version
    }
}

/// An array in a crate file, to be read from any thread. Small, so that it needs no memory of its own where it is kept as a
/// source: where it lies is found anew each time it is read. `Element` is one of the types of `CrateElementLayout`: plain
/// numbers without padding, so that bytes of the file are elements.
struct CrateArraySource<Element: Sendable>: DeferredArraySource {
    let file: CrateArrayFile
    let rep: ValueRep
    private let number: Int32

    /// Throws where the array does not fit into its file.
    init(_ file: CrateArrayFile, _ rep: ValueRep) throws(AssetError) {
        self.file = file
        self.rep = rep
        let count = try CrateArrayPlace(rep, file)?.count ?? 0
        // Beyond, it is counted anew each time.
        number = Int32(exactly: count) ?? -1
    }

    /// The same for an array that was found.
    init(_ file: CrateArrayFile, _ rep: ValueRep, count: Int) {
        self.file = file
        self.rep = rep
        number = Int32(exactly: count) ?? -1
    }

    var count: Int {
        if number >= 0 { return Int(number) }
        return (try? CrateArrayPlace(rep, file))?.count ?? 0
    }

    /// Bytes handed out at a time.
    private static var blockBytes: Int { 1 << 18 }

    func load() throws(AssetError) -> [Element] {
        guard let place = try CrateArrayPlace(rep, file) else { return [] }
        return try Self.array(place, file.bytes, place.count)
    }

    /// The array as its components, where `Element` is the component type.
    static func components(_ place: CrateArrayPlace, _ bytes: CrateBytes) throws(AssetError) -> [Element] {
        try array(place, bytes, place.count * place.type.components)
    }

    private static func array(_ place: CrateArrayPlace, _ bytes: CrateBytes, _ n: Int) throws(AssetError) -> [Element] {
        switch place.coding {
        case .raw:
            let p = try bytes.pointer(place.offset, place.size, .array)
            return [Element](unsafeUninitializedCapacity: n) { out, done in
                if let to = out.baseAddress, n > 0 { UnsafeMutableRawPointer(to).copyMemory(from: p, byteCount: place.size) }
                done = n
            }
        default:
            var packed = try PackedNumbers(bytes, place)
            let result = [Element](unsafeUninitializedCapacity: n) { out, done in
                if let to = out.baseAddress, n > 0 { packed.next(n, into: UnsafeMutableRawPointer(to)) }
                done = n
            }
            try packed.check(bytes, place)
            return result
        }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        guard let place = try CrateArrayPlace(rep, file), place.count > 0 else { return }
        let bytes = file.bytes
        let stride = MemoryLayout<Element>.stride
        let perBlock = Self.blockBytes / (stride * 4) * 4
        switch place.coding {
        case .raw:
            let p = try bytes.pointer(place.offset, place.size, .array)
            let isAligned = Int(bitPattern: p) & (MemoryLayout<Element>.alignment - 1) == 0
            // Short arrays are by far the most: they are passed on at once.
            if place.size <= 4096 {
                if isAligned {
                    body(UnsafeBufferPointer(start: p.assumingMemoryBound(to: Element.self), count: place.count))
                } else {
                    withUnsafeTemporaryAllocation(of: Element.self, capacity: place.count) { copy in
                        UnsafeMutableRawBufferPointer(copy).copyMemory(from: UnsafeRawBufferPointer(start: p, count: place.size))
                        body(UnsafeBufferPointer(copy))
                    }
                }
                return
            }
            let copy = RawMemory(isAligned ? 0 : perBlock * stride)
            var done = 0
            while done < place.count {
                let n = min(perBlock, place.count - done)
                let from = p + done * stride
                if isAligned {
                    body(UnsafeBufferPointer(start: from.assumingMemoryBound(to: Element.self), count: n))
                } else {
                    copy.base.copyMemory(from: from, byteCount: n * stride)
                    body(UnsafeBufferPointer(start: copy.base.assumingMemoryBound(to: Element.self), count: n))
                }
                bytes.file.release(place.offset + done * stride, count: n * stride)
                done += n
            }
        default:
            var packed = try PackedNumbers(bytes, place)
            bytes.file.release(place.offset, count: place.size)
            let block = RawMemory(perBlock * stride)
            var done = 0
            while done < place.count {
                let n = min(perBlock, place.count - done)
                packed.next(n, into: block.base)
                try packed.check(bytes, place)
                body(UnsafeBufferPointer(start: block.base.assumingMemoryBound(to: Element.self), count: n))
                done += n
            }
        }
    }
}

/// Numbers that come from packed integers, a part at a time.
private struct PackedNumbers {
    private var decoder: EncodedIntegers.Decoder
    private let coding: CrateArrayPlace.Coding
    private let type: ValueType
    private let table: UnsafeRawPointer?
    private var badIndex: Int32?

    init(_ bytes: CrateBytes, _ place: CrateArrayPlace) throws(AssetError) {
        coding = place.coding
        type = place.type
        var wide = false
        if case .integers = place.coding { wide = place.type == .int64 || place.type == .uint64 }
        if case .table(let offset, let size) = place.coding {
            table = try bytes.pointer(offset, size * place.type.componentBytes, .array)
        } else {
            table = nil
        }
        decoder = try EncodedIntegers(bytes, place.offset, place.size, count: place.count, wide: wide, .array).decoder(wide: wide)
    }

    /// Throws where an index was outside the table.
    func check(_ bytes: CrateBytes, _ place: CrateArrayPlace) throws(AssetError) {
        guard let badIndex, case .table(_, let size) = coding else { return }
        throw bytes.error(.array, place.offset, "index \(UInt32(bitPattern: badIndex)) into a table of \(amount(size, "number"))")
    }

    /// The next `n` numbers (a multiple of four unless they are the last).
    mutating func next(_ n: Int, into raw: UnsafeMutableRawPointer) {
        switch (coding, type) {
        case (.integers, .int64), (.integers, .uint64):
            let p = raw.assumingMemoryBound(to: Int64.self)
            decoder.decode64(n) { p[$0] = $1 }
        case (.integers, _):
            let p = raw.assumingMemoryBound(to: Int32.self)
            decoder.decode32(n) { p[$0] = $1 }
        case (.floatsAsIntegers, .half):
            let p = raw.assumingMemoryBound(to: UInt16.self)
            decoder.decode32(n) { p[$0] = Self.half($1) }
        case (.floatsAsIntegers, .float):
            let p = raw.assumingMemoryBound(to: Float.self)
            decoder.decode32(n) { p[$0] = Float($1) }
        case (.floatsAsIntegers, _):
            let p = raw.assumingMemoryBound(to: Double.self)
            decoder.decode32(n) { p[$0] = Double($1) }
        case (.table(_, let size), _):
            guard let table else { return }
            switch type.componentBytes {
            case 2: look(n, raw.assumingMemoryBound(to: UInt16.self), table, size)
            case 4: look(n, raw.assumingMemoryBound(to: UInt32.self), table, size)
            default: look(n, raw.assumingMemoryBound(to: UInt64.self), table, size)
            }
        case (.raw, _): break
        }
    }

    @inline(__always)
    private mutating func look<T: BitwiseCopyable & FixedWidthInteger>(
        _ n: Int, _ out: UnsafeMutablePointer<T>, _ table: UnsafeRawPointer, _ size: Int
    ) {
        var bad: Int32?
        decoder.decode32(n) { i, index in
            if UInt32(bitPattern: index) < UInt32(truncatingIfNeeded: size) {
                out[i] = table.loadUnaligned(fromByteOffset: Int(index) * MemoryLayout<T>.size, as: T.self)
            } else {
                bad = index
                out[i] = 0
            }
        }
        if let bad { badIndex = bad }
    }

    /// The bits of the half nearest to an integer.
    private static func half(_ value: Int32) -> UInt16 {
        let sign: UInt16 = value < 0 ? 0x8000 : 0
        let m = value.magnitude
        guard m != 0 else { return 0 }
        let top = 31 - m.leadingZeroBitCount
        guard top <= 15 else { return sign | 0x7C00 }
        var fraction: UInt32
        if top <= 10 {
            fraction = m << UInt32(10 - top)
        } else {
            // Round to nearest, ties to even.
            let drop = UInt32(top - 10)
            let half = UInt32(1) << (drop - 1)
            fraction = m >> drop
            let rest = m & ((1 << drop) - 1)
            if rest > half || (rest == half && fraction & 1 == 1) { fraction += 1 }
        }
        // A fraction that rounded up to two moves the exponent by itself.
        return sign | UInt16(truncatingIfNeeded: (UInt32(top + 15) << 10) + (fraction - 1024))
    }
}
