public import AssetModel

/// Writes JSON (RFC 8259) as it goes: keys in the order they are given, shortest numbers, `null` for the non-finite ones.
///
/// ```swift
/// var json = JSONWriter()
/// json.beginObject()
/// json.key("points"); json.value(8)
/// json.endObject()
/// ```
public struct JSONWriter: ~Copyable {
    /// The text so far; flush it from time to time where it may grow large.
    public var out: TextWriter
    private let isPretty: Bool
    /// One entry a level: whether something stands in it, and whether it is kept on one line.
    private var levels: [(hasItems: Bool, isInline: Bool)] = []
    private var followsKey = false

    /// `pretty`: two blanks a level and a line an item, except within `inline` arrays.
    public init(pretty: Bool = true, blockSize: Int = 1 << 16) {
        isPretty = pretty
        out = TextWriter(blockSize: blockSize)
    }

    // MARK: Structure

    public mutating func beginObject() { begin(UInt8(ascii: "{"), isInline: false) }
    public mutating func endObject() { end(UInt8(ascii: "}")) }

    /// `inline` keeps the items on one line: coordinates, matrices.
    public mutating func beginArray(inline: Bool = false) { begin(UInt8(ascii: "["), isInline: inline) }
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    public mutating func key(_ name: String) {
        separate()
        string(name)
        out.write(byte: UInt8(ascii: ":"))
        if isPretty { out.write(byte: 0x20) }
        followsKey = true
    }

    private mutating func begin(_ bracket: UInt8, isInline: Bool) {
        separate()
        out.write(byte: bracket)
        levels.append((false, isInline || levels.last?.isInline == true))
    }

    private mutating func end(_ bracket: UInt8) {
        if let level = levels.popLast(), level.hasItems, !level.isInline { newLine() }
        out.write(byte: bracket)
        if levels.isEmpty, isPretty { out.write(byte: 0x0A) }
    }

    /// What stands between the last item and the next one.
    private mutating func separate() {
        if followsKey {
            followsKey = false
            return
        }
        guard !levels.isEmpty else { return }
        let level = levels[levels.count - 1]
        if level.hasItems {
            out.write(byte: UInt8(ascii: ","))
            if isPretty, level.isInline { out.write(byte: 0x20) }
        }
        levels[levels.count - 1].hasItems = true
        if !level.isInline { newLine() }
    }

    private mutating func newLine() {
        guard isPretty else { return }
        out.write(byte: 0x0A)
        for _ in 0..<levels.count {
            out.write(byte: 0x20)
            out.write(byte: 0x20)
        }
    }

    // MARK: Values

    public mutating func value(_ text: String) {
        separate()
        string(text)
    }

    public mutating func value(_ flag: Bool) {
        separate()
        out.write(flag ? "true" : "false" as StaticString)
    }

    public mutating func value(_ number: Int) {
        separate()
        out.write(number)
    }

    public mutating func value(_ number: Float) {
        guard number.isFinite else { return null() }
        separate()
        out.write(number)
    }

    public mutating func value(_ number: Double) {
        guard number.isFinite else { return null() }
        separate()
        out.write(number)
    }

    public mutating func null() {
        separate()
        out.write("null" as StaticString)
    }

    /// An array of numbers on one line.
    public mutating func value(_ numbers: [Float]) {
        beginArray(inline: true)
        for n in numbers { value(n) }
        endArray()
    }

    public mutating func value(_ numbers: [Double]) {
        beginArray(inline: true)
        for n in numbers { value(n) }
        endArray()
    }

    public mutating func value(_ numbers: [Int]) {
        beginArray(inline: true)
        for n in numbers { value(n) }
        endArray()
    }

    /// A key with its value; nil is `null`.
    public mutating func member(_ name: String, _ text: String?) {
        key(name)
        if let text { value(text) } else { null() }
    }

    public mutating func member(_ name: String, _ number: Int?) {
        key(name)
        if let number { value(number) } else { null() }
    }

    public mutating func member(_ name: String, _ number: Float?) {
        key(name)
        if let number { value(number) } else { null() }
    }

    public mutating func member(_ name: String, _ number: Double?) {
        key(name)
        if let number { value(number) } else { null() }
    }

    public mutating func member(_ name: String, _ flag: Bool?) {
        key(name)
        if let flag { value(flag) } else { null() }
    }

    private mutating func string(_ text: String) {
        out.write(byte: UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for (i, byte) in bytes.enumerated() {
                let escape: StaticString
                switch byte {
                case UInt8(ascii: "\""): escape = "\\\""
                case UInt8(ascii: "\\"): escape = "\\\\"
                case 0x0A: escape = "\\n"
                case 0x0D: escape = "\\r"
                case 0x09: escape = "\\t"
                case 0..<0x20, 0x7F: escape = "\\u00"
                default: continue
                }
                out.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start..<i]))
                out.write(escape)
                if escape.utf8CodeUnitCount == 4 {
                    out.write(byte: Self.hexDigit(byte >> 4))
                    out.write(byte: Self.hexDigit(byte & 15))
                }
                start = i + 1
            }
            out.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start...]))
        }
        out.write(byte: UInt8(ascii: "\""))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    /// The text so far as a String.
    public var text: String { out.text }
}

extension JSONWriter {
    /// A value in the open; numbers of an array stand on one line.
    public mutating func value(_ value: Value) {
        switch value {
        case .bool(let flag): self.value(flag)
        case .int(let number): self.value(Int(number))
        case .double(let number): self.value(number)
        case .float(let number): self.value(number)
        case .string(let text): self.value(text)
        case .floats(let numbers): self.value(numbers)
        case .doubles(let numbers): self.value(numbers)
        case .ints(let numbers): self.value(numbers.map { Int($0) })
        case .array(let items):
            beginArray()
            for item in items { self.value(item) }
            endArray()
        case .dictionary(let entries):
            beginObject()
            for entry in entries {
                key(entry.key)
                self.value(entry.value)
            }
            endObject()
        }
    }
}
