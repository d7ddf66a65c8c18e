/// Zip archives byte by byte, odd and wrong ones included.
public struct ZipBuilder {
    public struct Entry {
        public var name: [UInt8]
        public var contents: [UInt8]
        /// Wraps the contents in deflate's stored blocks, so that no compressor is needed.
        public var isDeflated = false
        public var hasDescriptor = false
        /// Sizes and place go to a zip64 field.
        public var isZip64 = false
        public var flags: UInt16 = 0
        /// Extra bytes of the local header, e.g. to align the contents.
        public var padding = 0
        public var extra: [UInt8] = []
        public var localName: [UInt8]?
        /// What the directory says instead of the truth.
        public var statedSize: UInt32?
        public var statedPackedSize: UInt32?
        public var statedCRC: UInt32?
        public var statedMethod: UInt16?
        public var statedOffset: UInt32?

        public init(_ name: String, _ contents: [UInt8]) {
            self.name = Array(name.utf8)
            self.contents = contents
        }

        public init(_ name: String, _ text: String, _ change: (inout Entry) -> Void = { _ in }) {
            self.init(name, Array(text.utf8))
            change(&self)
        }
    }

    public var entries: [Entry]
    /// Bytes before the archive, which its offsets do not count.
    public var prefix: [UInt8] = []
    public var suffix: [UInt8] = []
    public var comment: [UInt8] = []
    public var isZip64 = false
    public var statedCount: UInt16?
    public var statedDirectoryOffset: UInt32?
    public var statedDirectorySize: UInt32?
    /// The directory lists the entries backwards.
    public var isDirectoryReversed = false

    public init(_ entries: [Entry]) { self.entries = entries }

    /// Entries that are padded to begin at multiples of 64 bytes.
    public static func aligned(_ entries: [(String, [UInt8])]) -> ZipBuilder {
        var builder = ZipBuilder([])
        var place = 0
        for (name, contents) in entries {
            var entry = Entry(name, contents)
            let start = place + 30 + entry.name.count
            entry.padding = (64 - start % 64) % 64
            if entry.padding > 0, entry.padding < 4 { entry.padding += 64 }
            place = start + entry.padding + contents.count
            builder.entries.append(entry)
        }
        return builder
    }

    public func bytes() -> [UInt8] {
        var out = Writer()
        out.bytes = prefix
        var directory: [[UInt8]] = []
        for entry in entries {
            let packed = entry.isDeflated ? Self.storedDeflate(entry.contents) : entry.contents
            let crc = entry.statedCRC ?? Self.crc32(entry.contents)
            let method = entry.statedMethod ?? (entry.isDeflated ? 8 : 0)
            let flags = entry.flags | (entry.hasDescriptor ? 8 : 0)
            let offset = UInt32(out.bytes.count - prefix.count)
            let localName = entry.localName ?? entry.name
            var extra = entry.extra
            if entry.padding >= 4 {
                extra += [0x86, 0x19, UInt8((entry.padding - 4) & 255), UInt8((entry.padding - 4) >> 8)]
                extra += [UInt8](repeating: 0, count: entry.padding - 4)
            }
            out.u32(0x0403_4B50)
            out.u16(20, flags, method, 0, 0x21)
            if entry.hasDescriptor {
                out.u32(0, 0, 0)
            } else {
                out.u32(crc, UInt32(packed.count), UInt32(entry.contents.count))
            }
            out.u16(UInt16(localName.count), UInt16(extra.count))
            out.bytes += localName + extra + packed
            if entry.hasDescriptor { out.u32(0x0807_4B50, crc, UInt32(packed.count), UInt32(entry.contents.count)) }

            var record = Writer()
            record.u32(0x0201_4B50)
            record.u16(20, 20, flags, method, 0, 0x21)
            var field = entry.extra
            if entry.isZip64 {
                var wide = Writer()
                wide.u16(1, 24)
                wide.u64(UInt64(entry.statedSize ?? UInt32(entry.contents.count)), UInt64(packed.count), UInt64(offset))
                field = wide.bytes + field
                record.u32(crc, .max, .max)
            } else {
                record.u32(crc, entry.statedPackedSize ?? UInt32(packed.count), entry.statedSize ?? UInt32(entry.contents.count))
            }
            record.u16(UInt16(entry.name.count), UInt16(field.count), 0, 0, 0)
            record.u32(0, entry.isZip64 ? .max : entry.statedOffset ?? offset)
            record.bytes += entry.name + field
            directory.append(record.bytes)
        }
        let start = out.bytes.count - prefix.count
        for record in isDirectoryReversed ? directory.reversed() : directory { out.bytes += record }
        let size = out.bytes.count - prefix.count - start
        if isZip64 {
            let end = out.bytes.count - prefix.count
            out.u32(0x0606_4B50)
            out.u64(44)
            out.u16(45, 45)
            out.u32(0, 0)
            out.u64(UInt64(entries.count), UInt64(entries.count), UInt64(size), UInt64(start))
            out.u32(0x0706_4B50, 0)
            out.u64(UInt64(end))
            out.u32(1)
        }
        out.u32(0x0605_4B50)
        let count = statedCount ?? UInt16(entries.count)
        out.u16(0, 0, isZip64 ? .max : count, isZip64 ? .max : count)
        out.u32(isZip64 ? .max : statedDirectorySize ?? UInt32(size), isZip64 ? .max : statedDirectoryOffset ?? UInt32(start))
        out.u16(UInt16(comment.count))
        out.bytes += comment + suffix
        return out.bytes
    }

    private struct Writer {
        var bytes: [UInt8] = []
        mutating func u16(_ values: UInt16...) {
            for v in values { bytes += [UInt8(v & 255), UInt8(v >> 8)] }
        }
        mutating func u32(_ values: UInt32...) {
            for v in values { u16(UInt16(v & 0xFFFF), UInt16(v >> 16)) }
        }
        mutating func u64(_ values: UInt64...) {
            for v in values { u32(UInt32(truncatingIfNeeded: v), UInt32(truncatingIfNeeded: v >> 32)) }
        }
    }

    /// A raw deflate stream of stored blocks.
    public static func storedDeflate(_ contents: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        var at = 0
        repeat {
            let count = min(0xFFFF, contents.count - at)
            let isLast = at + count == contents.count
            out += [isLast ? 1 : 0, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
            out += contents[at..<(at + count)]
            at += count
        } while at < contents.count
        return out
    }

    public static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~crc
    }
}
