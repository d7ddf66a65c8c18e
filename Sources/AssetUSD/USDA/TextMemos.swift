import AssetModel

/// Absolute paths that a text was seen to name, by their letters: thousands of relationships name a few materials.
///
/// A table without chains: two paths that share a place take it from each other in turn.
struct PathMemo {
    private static let width = 64
    private static let places = 1024
    private var letters: ContiguousArray<UInt8> = []
    private var lengths: ContiguousArray<Int> = []
    private var paths: ContiguousArray<Path> = []

    /// The place of a text, or nil where it is one that is not kept: relative, or too long.
    @inline(__always)
    static func place(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard range.count >= 8, range.count <= width, text[range.lowerBound] == UInt8(ascii: "/") else { return nil }
        let bytes = text.bytes
        let last = bytes.unsafeLoadUnaligned(fromByteOffset: range.upperBound - 8, as: UInt64.self)
        let middle = bytes.unsafeLoadUnaligned(fromByteOffset: range.lowerBound + (range.count - 8) / 2, as: UInt64.self)
        let h = (last &* 0x9e37_79b9_7f4a_7c15) ^ (middle &* 0xc2b2_ae3d_27d4_eb4f) ^ UInt64(range.count)
        return Int(truncatingIfNeeded: ((h ^ (h >> 29)) &* 0xff51_afd7_ed55_8ccd) >> 54)
    }

    /// The path last noted at a place, where its letters are those of the text.
    @inline(__always)
    func path(_ place: Int, _ text: Span<UInt8>, _ range: Range<Int>) -> Path? {
        guard !lengths.isEmpty, lengths[place] == range.count else { return nil }
        let isSame = text.withUnsafeBufferPointer { t in
            letters.withUnsafeBufferPointer { l in
                guard let p = t.baseAddress, let q = l.baseAddress else { return false }
                return memoryEqual(p + range.lowerBound, q + place * Self.width, range.count)
            }
        }
        return isSame ? paths[place] : nil
    }

    mutating func note(_ place: Int, _ text: Span<UInt8>, _ range: Range<Int>, _ path: Path) {
        if lengths.isEmpty {
            letters = ContiguousArray(repeating: 0, count: Self.places * Self.width)
            lengths = ContiguousArray(repeating: 0, count: Self.places)
            paths = ContiguousArray(repeating: .empty, count: Self.places)
        }
        lengths[place] = range.count
        paths[place] = path
        for i in 0..<range.count { letters[place * Self.width + i] = text[range.lowerBound + i] }
    }
}

/// The metadata that prims of a text were seen to have, with their brackets: prims of one kind apply the same schemas and refer
/// to the same models.
struct MetadataMemo {
    private struct Entry {
        var start: Int
        var length: Int
        var fields: ContiguousArray<PackedField>
    }

    private var entries: ContiguousArray<Entry> = []
    private var bytes: ContiguousArray<UInt8> = []
    /// The entry that came last.
    private var last = 0
    /// How much more often blocks were met that are not kept.
    private var misses = 0

    private static let mostEntries = 16
    private static let longest = 512

    /// The fields of the block that the text goes on with, and its length; nil for one that was not met before.
    @inline(__always)
    mutating func find(_ text: Span<UInt8>, _ at: Int) -> (length: Int, fields: ContiguousArray<PackedField>)? {
        if last < entries.count, matches(last, text, at) { return (entries[last].length, entries[last].fields) }
        for i in entries.indices where i != last && matches(i, text, at) {
            last = i
            return (entries[i].length, entries[i].fields)
        }
        return nil
    }

    /// Whether a block is worth noting: not where each is another one.
    var isLearning: Bool { entries.count < Self.mostEntries && misses < 64 }

    mutating func note(_ text: Span<UInt8>, _ start: Int, _ end: Int, _ fields: ContiguousArray<PackedField>) {
        misses += 1
        guard end - start <= Self.longest else { return }
        entries.append(Entry(start: bytes.count, length: end - start, fields: fields))
        text.extracting(start..<end).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private func matches(_ i: Int, _ text: Span<UInt8>, _ at: Int) -> Bool {
        let (start, length) = (entries[i].start, entries[i].length)
        guard at + length <= text.count else { return false }
        return text.withUnsafeBufferPointer { t in
            bytes.withUnsafeBufferPointer { b in
                guard let p = t.baseAddress, let q = b.baseAddress else { return false }
                return memoryEqual(p + at, q + start, length)
            }
        }
    }
}
