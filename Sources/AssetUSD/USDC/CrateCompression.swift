import AssetModel
import CLZ4

/// How crate files pack bytes: LZ4 blocks behind a chunk count, as OpenUSD's TfFastCompression writes them.
enum CrateCompression {
    /// What one LZ4 chunk holds at most (LZ4_MAX_INPUT_SIZE).
    static let chunkLimit = 0x7E00_0000

    /// The most that `size` compressed bytes can unpack to: a match token of LZ4 stands for at most 255 bytes a byte.
    static func mostUnpacked(_ size: Int) -> Int {
        let (n, overflow) = size.multipliedReportingOverflow(by: 255)
        return overflow ? Int.max : n
    }

    /// Unpacks into `output` and returns the number of bytes; nil for damaged data or data that does not fit.
    static func unpack(_ input: UnsafeRawPointer, _ inputSize: Int, into output: UnsafeMutableRawPointer, _ capacity: Int) -> Int? {
        guard inputSize > 0 else { return nil }
        let chunks = input.load(as: UInt8.self)
        var at = 1
        if chunks == 0 { return unpackChunk(input + at, inputSize - at, into: output, capacity) }
        var total = 0
        for _ in 0..<chunks {
            guard at <= inputSize - 4 else { return nil }
            let size = Int(input.loadUnaligned(fromByteOffset: at, as: Int32.self))
            at += 4
            guard size >= 0, size <= inputSize - at else { return nil }
            guard let n = unpackChunk(input + at, size, into: output + total, capacity - total) else { return nil }
            at += size
            total += n
        }
        return total
    }

    private static func unpackChunk(_ input: UnsafeRawPointer, _ size: Int, into output: UnsafeMutableRawPointer, _ capacity: Int) -> Int? {
        guard size > 0, size <= Int(Int32.max) else { return nil }
        let n = LZ4_decompress_safe(
            input.assumingMemoryBound(to: CChar.self), output.assumingMemoryBound(to: CChar.self), Int32(size),
            Int32(min(capacity, chunkLimit)))
        return n < 0 ? nil : Int(n)
    }
}

/// Integers of 32 or 64 bits in crate's coding (OpenUSD's integerCoding.cpp), unpacked from LZ4 but not yet decoded.
///
/// The code: the most common difference of neighbours, two bits for each integer (0: that difference; 1, 2, 3: a signed
/// difference of a quarter, a half, the whole width), then those differences.
struct EncodedIntegers {
    private let memory: RawMemory
    let count: Int

    private static let mostFree = 64_000_000

    /// Unpacks `size` bytes at `offset`. Afterwards all that `count` integers need is known to be there.
    init(_ bytes: CrateBytes, _ offset: Int, _ size: Int, count: Int, wide: Bool, _ part: CratePart) throws(AssetError) {
        let width = wide ? 8 : 4
        self.count = count
        guard count > 0 else {
            memory = RawMemory(0)
            return
        }
        let input = try bytes.pointer(offset, size, part)
        // Equal differences are packed a thousand integers to a byte: what they would take is held in proportion to the file.
        guard count <= Self.mostFree || (count - Self.mostFree) / 64 <= bytes.count else {
            throw bytes.error(
                part, offset,
                "\(amount(count, "integer")) in a file of \(amount(bytes.count, "byte")), expected at most \(Self.mostFree) and 64 a byte")
        }
        let most = CrateCompression.mostUnpacked(size)
        let codes = (count - 1) / 4 + 1
        guard count <= Int.max / 16, most - width >= codes else {
            throw bytes.error(part, offset, "\(count) integers cannot be packed into \(amount(size, "byte"))")
        }
        let capacity = min(most, width + codes + count * width)
        // The decoder loads whole words, also at the end.
        memory = RawMemory(capacity + 8)
        guard let n = CrateCompression.unpack(input, size, into: memory.base, capacity) else {
            throw bytes.error(part, offset, "damaged compressed integers")
        }
        guard n >= width + codes, Self.differenceBytes(memory.base + width, count) * (wide ? 2 : 1) <= n - width - codes else {
            throw bytes.error(part, offset, "compressed integers end early: \(amount(n, "byte")) for \(amount(count, "integer"))")
        }
    }

    /// Bytes that the differences of 32-bit integers take (half of what 64-bit ones take), from the codes.
    private static func differenceBytes(_ codes: UnsafeRawPointer, _ count: Int) -> Int {
        var total = 0
        var left = count
        var at = 0
        func add(_ word: UInt64) {
            let low = word & 0x5555_5555_5555_5555
            let high = (word >> 1) & 0x5555_5555_5555_5555
            total += low.nonzeroBitCount + 2 * high.nonzeroBitCount + (low & high).nonzeroBitCount
        }
        while left >= 32 {
            add(codes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            at += 8
            left -= 32
        }
        while left > 0 {
            var byte = UInt64(codes.load(fromByteOffset: at, as: UInt8.self))
            if left < 4 { byte &= (1 << UInt64(2 * left)) - 1 }
            add(byte)
            at += 1
            left -= 4
        }
        return total
    }

    /// Decodes in order, a part at a time.
    struct Decoder {
        private let memory: RawMemory
        private var codes: Int
        private var at: Int
        private var previous: Int64 = 0
        private let common: Int64
        private var left: Int

        fileprivate init(_ encoded: EncodedIntegers, wide: Bool) {
            memory = encoded.memory
            left = encoded.count
            let width = wide ? 8 : 4
            codes = width
            at = width + (encoded.count + 3) / 4
            guard encoded.count > 0 else {
                common = 0
                return
            }
            common =
                wide
                ? memory.base.loadUnaligned(as: Int64.self) : Int64(memory.base.loadUnaligned(as: Int32.self))
        }

        /// The next `n` integers; `n` is a multiple of four unless these are the last. `Integer` is Int32 or UInt32.
        @inline(__always)
        mutating func decode32(_ n: Int, _ put: (Int, Int32) -> Void) {
            let n = min(n, left)
            let base = UnsafeRawPointer(memory.base)
            let common = Int32(truncatingIfNeeded: common)
            var previous = Int32(truncatingIfNeeded: previous)
            var at = at
            var codes = codes
            // Without branches: width and shift come from the code, and the common difference is selected, not jumped to.
            @inline(__always) func step(_ code: UInt32) -> Int32 {
                let raw = base.loadUnaligned(fromByteOffset: at, as: Int32.self)
                let shift = Int32(bitPattern: (0x0010_1800 &>> (code &* 8)) & 0xFF)
                let difference = code == 0 ? common : (raw &<< shift) &>> shift
                at &+= Int((0x4210 &>> (code &* 4)) & 7)
                previous = previous &+ difference
                return previous
            }
            var i = 0
            while i &+ 4 <= n {
                let byte = UInt32(base.load(fromByteOffset: codes, as: UInt8.self))
                codes &+= 1
                put(i, step(byte & 3))
                put(i &+ 1, step((byte &>> 2) & 3))
                put(i &+ 2, step((byte &>> 4) & 3))
                put(i &+ 3, step(byte &>> 6))
                i &+= 4
            }
            if i < n {
                var byte = UInt32(base.load(fromByteOffset: codes, as: UInt8.self))
                codes &+= 1
                while i < n {
                    put(i, step(byte & 3))
                    byte &>>= 2
                    i &+= 1
                }
            }
            self.previous = Int64(previous)
            self.at = at
            self.codes = codes
            left -= n
        }

        /// As `decode32` for integers of 64 bits.
        @inline(__always)
        mutating func decode64(_ n: Int, _ put: (Int, Int64) -> Void) {
            let n = min(n, left)
            let base = UnsafeRawPointer(memory.base)
            var i = 0
            while i < n {
                var byte = UInt32(base.load(fromByteOffset: codes, as: UInt8.self))
                codes &+= 1
                let end = min(i &+ 4, n)
                while i < end {
                    let code = byte & 3
                    byte &>>= 2
                    let raw = base.loadUnaligned(fromByteOffset: at, as: Int64.self)
                    let shift = Int64((0x0020_3000 &>> (code &* 8)) & 0xFF)
                    let difference = code == 0 ? common : (raw &<< shift) &>> shift
                    at &+= Int((0x8420 &>> (code &* 4)) & 15)
                    previous = previous &+ difference
                    put(i, previous)
                    i &+= 1
                }
            }
            left -= n
        }
    }

    func decoder(wide: Bool) -> Decoder { Decoder(self, wide: wide) }

    /// All integers of 32 bits.
    func all32() -> [Int32] {
        [Int32](unsafeUninitializedCapacity: count) { out, n in
            if let p = out.baseAddress {
                var d = decoder(wide: false)
                d.decode32(count) { p[$0] = $1 }
            }
            n = count
        }
    }

    /// The same into a table of as many.
    func all32(into table: NumberTable) {
        table.withElements { out in
            precondition(out.count == count)
            guard let p = out.baseAddress else { return }
            var d = decoder(wide: false)
            d.decode32(count) { p[$0] = $1 }
        }
    }

    /// All integers of 64 bits.
    func all64() -> [Int64] {
        [Int64](unsafeUninitializedCapacity: count) { out, n in
            if let p = out.baseAddress {
                var d = decoder(wide: true)
                d.decode64(count) { p[$0] = $1 }
            }
            n = count
        }
    }
}
