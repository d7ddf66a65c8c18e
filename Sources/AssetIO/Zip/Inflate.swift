import CZlib

/// zlib: raw deflate streams and checksums.
enum Inflate {
    /// No deflate stream unpacks to more than about 1032 times its size: a larger claim is a lie.
    static func isPlausible(packed: Int, size: Int) -> Bool {
        let (most, overflow) = packed.multipliedReportingOverflow(by: 1032)
        return overflow || size <= most + 1032
    }

    /// Exactly `size` bytes from a raw deflate stream; nil where it is damaged or gives another count.
    static func contents(_ packed: FileBytes, size: Int) -> FileBytes? {
        guard size >= 0, isPlausible(packed: packed.count, size: size) else { return nil }
        let block = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: 64)
        let isComplete = packed.withUnsafeBytes { input in
            inflate(input, into: UnsafeMutableRawBufferPointer(start: block, count: size))
        }
        guard isComplete else {
            block.deallocate()
            return nil
        }
        let storage = FileBytes.Storage(base: UnsafeRawPointer(block), count: size, isMapped: false)
        return FileBytes(name: packed.name, storage: storage, offset: 0, count: size)
    }

    /// The first `count` bytes of a raw deflate stream, or as many as there are; nil where it is damaged.
    static func head(_ packed: FileBytes, count: Int) -> [UInt8]? {
        guard count > 0 else { return [] }
        var isGood = true
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
            var stream = z_stream()
            guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
                isGood = false
                return
            }
            defer { inflateEnd(&stream) }
            packed.withUnsafeBytes { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) })
                stream.avail_in = UInt32(min(input.count, 1 << 20))
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(min(count, 1 << 20))
                let status = CZlib.inflate(&stream, Z_SYNC_FLUSH)
                made = min(count, 1 << 20) - Int(stream.avail_out)
                isGood = status == Z_OK || status == Z_STREAM_END || (status == Z_BUF_ERROR && made > 0)
            }
        }
        return isGood ? bytes : nil
    }

    private static func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        var stream = z_stream()
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return false }
        defer { inflateEnd(&stream) }
        // zlib counts in 32 bits.
        let piece = 1 << 30
        var consumed = 0
        var produced = 0
        var spare: UInt8 = 0
        return withUnsafeMutablePointer(to: &spare) { spare in
            while true {
                let inCount = min(piece, input.count - consumed)
                let outCount = min(piece, output.count - produced)
                stream.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress.map { ($0 + consumed).assumingMemoryBound(to: UInt8.self) })
                stream.avail_in = UInt32(inCount)
                // A full output may still wait for the end mark of the stream: one byte of room tells it from too much.
                let isFull = outCount == 0
                stream.next_out = isFull ? spare : output.baseAddress.map { ($0 + produced).assumingMemoryBound(to: UInt8.self) }
                stream.avail_out = isFull ? 1 : UInt32(outCount)
                let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                let took = inCount - Int(stream.avail_in)
                let gave = (isFull ? 1 : outCount) - Int(stream.avail_out)
                consumed += took
                produced += gave
                if isFull, gave > 0 { return false }
                if status == Z_STREAM_END { return produced == output.count }
                guard status == Z_OK, took > 0 || gave > 0 else { return false }
            }
        }
    }

    static func checksum(_ file: FileBytes) -> UInt32 {
        file.withUnsafeBytes { checksum($0) }
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = crc32_z(0, nil, 0)
        if let base = bytes.baseAddress {
            crc = crc32_z(crc, base.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        return UInt32(truncatingIfNeeded: crc)
    }
}
