import AssetModel

/// Attribute statements that a text was seen to hold, so that others of the same letters need not be taken apart: prims of
/// one kind say the same things in the same order, and half of them with the same values.
struct StatementMemo {
    struct Entry {
        /// In `bytes`: the statement from its first letter to the blanks behind `=`, and on to the end of the value.
        var start: Int
        var prefixLength: Int
        /// Zero where the value is not kept.
        var valueLength = 0
        var typeName: Token
        var name: Token
        var isUniform: Bool
        var isCustom: Bool
        /// The value as the layer keeps it.
        var value = PackedField(.empty, .block, 0)
        /// The statement that came after this one last.
        var next: Int32 = -1
        /// In `bytes`: the metadata behind the value, with their brackets; the length is zero where they are not kept.
        var metadataStart = 0
        var metadataLength = 0
        var metadata: [PackedField] = []
        /// How often other values came.
        var misses: UInt8 = 0
    }

    /// What an entry says, without what else is kept of it.
    struct Statement {
        var prefixLength: Int
        var valueLength: Int
        var typeName: Token
        var name: Token
        var isUniform: Bool
        var isCustom: Bool
        var value: PackedField
    }

    @inline(__always)
    func statement(_ i: Int32) -> Statement {
        let k = Int(i)
        return Statement(
            prefixLength: entries[k].prefixLength, valueLength: entries[k].valueLength, typeName: entries[k].typeName, name: entries[k].name,
            isUniform: entries[k].isUniform, isCustom: entries[k].isCustom, value: entries[k].value)
    }

    private struct Key: Hashable {
        var typeName: Token
        var name: Token
        var flags: Int
        var length: Int
    }

    private(set) var entries: ContiguousArray<Entry> = []
    private var bytes: ContiguousArray<UInt8> = []
    private var known: [Key: Int32] = [:]
    /// The statement before the one at hand, -1 at the start.
    private var last: Int32 = -1

    private static let mostEntries = 4096
    private static let mostBytes = 1 << 20
    static let longestValue = 4096

    /// The entry whose beginning the text at `at` has, judging by the statement before; -1 where it is another one.
    @inline(__always)
    mutating func predict(_ text: Span<UInt8>, _ at: Int) -> Int32 {
        guard last >= 0 else { return -1 }
        let i = entries[Int(last)].next
        guard i >= 0 else { return -1 }
        guard matches(text, at, entries[Int(i)].start, entries[Int(i)].prefixLength) else { return -1 }
        last = i
        return i
    }

    /// Whether the text goes on with the value of an entry, and the value ends there.
    @inline(__always)
    func hasValue(_ i: Int32, _ text: Span<UInt8>, _ at: Int) -> Bool {
        let n = entries[Int(i)].valueLength
        guard n > 0, at + n < text.count else { return false }
        let end = text[at + n]
        guard end == UInt8(ascii: "\n") || end == UInt8(ascii: "\r") || end == UInt8(ascii: " ") else { return false }
        return matches(text, at, entries[Int(i)].start + entries[Int(i)].prefixLength, n)
    }

    /// The fields of the metadata that a text goes on with, where an entry has had them before.
    func metadata(_ i: Int32, _ text: Span<UInt8>, _ at: Int) -> [PackedField]? {
        let e = entries[Int(i)]
        return e.metadataLength > 0 && matches(text, at, e.metadataStart, e.metadataLength) ? e.metadata : nil
    }

    func metadataLength(_ i: Int32) -> Int { entries[Int(i)].metadataLength }

    /// Notes the metadata behind a statement; the first are kept.
    mutating func noteMetadata(_ i: Int32, _ text: Span<UInt8>, _ start: Int, _ end: Int, _ fields: [PackedField]) {
        guard entries[Int(i)].metadataLength == 0, end - start <= 256, bytes.count < Self.mostBytes else { return }
        entries[Int(i)].metadataStart = bytes.count
        append(text, start, end)
        entries[Int(i)].metadataLength = end - start
        entries[Int(i)].metadata = fields
    }

    private func matches(_ text: Span<UInt8>, _ at: Int, _ start: Int, _ n: Int) -> Bool {
        guard at + n <= text.count else { return false }
        return text.withUnsafeBufferPointer { t in
            bytes.withUnsafeBufferPointer { b in
                guard let p = t.baseAddress, let q = b.baseAddress else { return false }
                return memoryEqual(p + at, q + start, n)
            }
        }
    }

    /// Notes a statement that had to be taken apart. `value` is nil where it depends on where it stands.
    mutating func note(
        _ text: Span<UInt8>, from start: Int, valueStart: Int, valueEnd: Int, _ typeName: Token, _ name: Token, isUniform: Bool, isCustom: Bool,
        _ value: PackedField?
    ) {
        let key = Key(typeName: typeName, name: name, flags: (isUniform ? 1 : 0) | (isCustom ? 2 : 0), length: valueStart - start)
        var i = known[key] ?? -1
        if i < 0 {
            guard entries.count < Self.mostEntries, bytes.count < Self.mostBytes, key.length <= 256 else { return }
            i = Int32(entries.count)
            entries.append(
                Entry(
                    start: bytes.count, prefixLength: key.length, typeName: typeName, name: name, isUniform: isUniform, isCustom: isCustom))
            append(text, start, valueStart)
            keep(i, text, valueStart, valueEnd, value)
            known[key] = i
        }
        if last >= 0 { entries[Int(last)].next = i }
        last = i
    }

    /// Notes that an entry's statement came with another value.
    mutating func noteValue(_ i: Int32, _ text: Span<UInt8>, valueStart: Int, valueEnd: Int, _ value: PackedField?) {
        // Values that differ every time are not worth keeping.
        guard entries[Int(i)].misses < 4, bytes.count < Self.mostBytes else { return }
        entries[Int(i)].misses += 1
        let e = entries[Int(i)]
        // The beginning must stand before the value.
        entries[Int(i)].start = bytes.count
        for k in 0..<e.prefixLength { bytes.append(bytes[e.start + k]) }
        keep(i, text, valueStart, valueEnd, value)
    }

    private mutating func keep(_ i: Int32, _ text: Span<UInt8>, _ start: Int, _ end: Int, _ value: PackedField?) {
        entries[Int(i)].valueLength = 0
        guard let value, end - start <= Self.longestValue, end > start else { return }
        append(text, start, end)
        entries[Int(i)].valueLength = end - start
        entries[Int(i)].value = value
    }

    private mutating func append(_ text: Span<UInt8>, _ start: Int, _ end: Int) {
        text.extracting(start..<end).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }
}
