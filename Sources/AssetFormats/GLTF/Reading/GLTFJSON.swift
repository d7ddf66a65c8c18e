import AssetIO
import AssetModel
import CSimdJSON

/// A parsed JSON text. simdjson's tape is walked as it lies: no value is copied before it is asked for.
final class GLTFJSON {
    private let parsed: FacetJSON

    /// Throws `gltf.bad-json` with the reason; `file` is the text alone.
    ///
    /// - Parameter readable: how many bytes of the file stand in memory from the text's start.
    init(_ file: FileBytes, _ range: Range<Int>, depth: Int) throws(AssetError) {
        guard range.lowerBound >= 0, range.upperBound <= file.count, range.count < 1 << 32 - 64 else {
            throw AssetError("gltf.bad-json", "the text has \(range.count) bytes, at most 4 GB can be read", at: file.location(range.lowerBound))
        }
        let result: FacetJSON = file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return FacetJSON() }
            let text = (base + range.lowerBound).assumingMemoryBound(to: UInt8.self)
            return facet_json_parse(text, range.count, raw.count - range.lowerBound, max(1, depth))
        }
        guard result.owner != nil else {
            let reason = result.message.map { String(cString: $0) } ?? "the file is empty"
            throw Self.error(reason, file, range, depth)
        }
        parsed = result
    }

    deinit { facet_json_free(parsed.owner) }

    /// The library's reason, or the place where the text stops being JSON: a line of a text, an offset into a binary file.
    private static func error(_ reason: String, _ file: FileBytes, _ range: Range<Int>, _ depth: Int) -> AssetError {
        let fault = file.withUnsafeBytes { raw in
            JSONFault.find(in: UnsafeBufferPointer(rebasing: raw.bindMemory(to: UInt8.self)[range]), depth: max(1, depth))
        }
        guard let fault else { return AssetError("gltf.bad-json", message(reason), at: file.location(range.lowerBound)) }
        let offset = range.lowerBound + fault.offset
        guard !GLBContainer.isGLB(file.bytes) else { return AssetError("gltf.bad-json", fault.message, at: file.location(offset)) }
        let (line, column) = lineAndColumn(of: offset, in: file.byteSpan)
        return AssetError("gltf.bad-json", fault.message, at: SourceLocation(file: file.name, position: .line(line, column: column)))
    }

    /// simdjson's texts are sentences for programmers.
    private static func message(_ reason: String) -> String {
        var text = reason[...]
        if let end = text.firstIndex(of: ".") { text = text[..<end] }
        if let colon = text.firstIndex(of: ":"), text[..<colon].allSatisfy({ $0.isUppercase || $0 == "_" }) {
            text = text[text.index(after: colon)...].drop { $0 == " " }
        }
        return "no JSON: " + (text.first.map { $0.lowercased() } ?? "") + text.dropFirst()
    }

    /// Calls `body` with the outermost value; values must not leave it.
    func withRoot<R>(_ body: (JSONValue) throws(AssetError) -> R) throws(AssetError) -> R {
        guard let tape = parsed.tape, let strings = parsed.strings else {
            throw AssetError("gltf.bad-json", "no JSON", at: SourceLocation(file: ""))
        }
        defer { withExtendedLifetime(self) {} }
        return try body(JSONValue(tape: tape, strings: strings, index: 1))
    }
}

/// A value on the tape. It lives as long as its text does.
///
/// A word's top byte says what it is: `{ } [ ]` with the place behind the other end, `"` with the place of the string, `l u d`
/// with a number in the next word, `t f n`.
struct JSONValue {
    private let tape: UnsafePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    private let index: Int

    @inline(__always) init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
        (self.tape, self.strings, self.index) = (tape, strings, index)
    }

    // The tape is the library's own and ends with its root: walks over it stay inside.
    @inline(__always) private var word: UInt64 { tape[index] }
    @inline(__always) private var kind: UInt8 { UInt8(truncatingIfNeeded: word &>> 56) }
    @inline(__always) private var payload: Int { Int(truncatingIfNeeded: word & 0x00FF_FFFF_FFFF_FFFF) }

    @inline(__always) var isObject: Bool { kind == UInt8(ascii: "{") }
    @inline(__always) var isArray: Bool { kind == UInt8(ascii: "[") }
    @inline(__always) var isString: Bool { kind == UInt8(ascii: "\"") }
    @inline(__always) var isNull: Bool { kind == UInt8(ascii: "n") }

    /// What it is, for messages.
    var typeName: String {
        switch kind {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): "a number"
        case UInt8(ascii: "n"): "null"
        default: "a truth value"
        }
    }

    // MARK: Scalars

    var bool: Bool? {
        switch kind {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    var double: Double? {
        switch kind {
        case UInt8(ascii: "d"): Double(bitPattern: tape[index &+ 1])
        case UInt8(ascii: "l"): Double(Int64(bitPattern: tape[index &+ 1]))
        case UInt8(ascii: "u"): Double(tape[index &+ 1])
        default: nil
        }
    }

    /// A whole number, also one that is written with a point.
    var int: Int? {
        switch kind {
        case UInt8(ascii: "l"): Int(exactly: Int64(bitPattern: tape[index &+ 1]))
        case UInt8(ascii: "u"): Int(exactly: tape[index &+ 1])
        case UInt8(ascii: "d"): Int(exactly: Double(bitPattern: tape[index &+ 1]))
        default: nil
        }
    }

    var string: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of a string; the library has checked that they are UTF-8.
    @inline(__always) var utf8: UnsafeBufferPointer<UInt8>? {
        guard isString else { return nil }
        let start = UnsafeRawPointer(strings) + payload
        return UnsafeBufferPointer(
            start: (start + 4).assumingMemoryBound(to: UInt8.self), count: Int(start.loadUnaligned(as: UInt32.self)))
    }

    /// Whether it is that string.
    @inline(__always) static func ~= (text: StaticString, value: JSONValue) -> Bool {
        guard let own = value.utf8, own.count == text.utf8CodeUnitCount else { return false }
        for i in 0..<own.count where own[i] != text.utf8Start[i] { return false }
        return true
    }

    // MARK: Containers

    /// The value that stands behind this one.
    @inline(__always) private var next: Int {
        switch kind {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index &+ 2
        default: index &+ 1
        }
    }

    @inline(__always) private func at(_ index: Int) -> JSONValue { JSONValue(tape: tape, strings: strings, index: index) }

    /// The elements of an array; none for anything else.
    @inline(__always) var elements: Elements { Elements(first: at(index &+ 1), end: isArray ? next &- 1 : index &+ 1) }
    /// The members of an object in their order; none for anything else.
    @inline(__always) var members: Members { Members(first: at(index &+ 1), end: isObject ? next &- 1 : index &+ 1) }

    var noElements: Elements { Elements(first: self, end: index) }
    var noMembers: Members { Members(first: self, end: index) }

    /// How many elements an array has.
    var count: Int {
        guard isArray else { return 0 }
        let known = Int(truncatingIfNeeded: (word &>> 32) & 0xFF_FFFF)
        // The tape counts so far and no farther.
        guard known == 0xFF_FFFF else { return known }
        var n = 0
        for _ in elements { n += 1 }
        return n
    }

    /// The member of that name; of several the last.
    subscript(name: StaticString) -> JSONValue? {
        var found: JSONValue?
        for (key, value) in members where name ~= key { found = value }
        return found
    }

    struct Elements: Sequence, IteratorProtocol {
        fileprivate var first: JSONValue
        fileprivate let end: Int

        @inline(__always) mutating func next() -> JSONValue? {
            guard first.index < end else { return nil }
            defer { first = first.at(first.next) }
            return first
        }
    }

    struct Members: Sequence, IteratorProtocol {
        fileprivate var first: JSONValue
        fileprivate let end: Int

        @inline(__always) mutating func next() -> (key: JSONValue, value: JSONValue)? {
            guard first.index < end else { return nil }
            let value = first.at(first.index &+ 1)
            defer { first = first.at(value.next) }
            return (first, value)
        }
    }

    // MARK: The open

    /// The value in the model's words; the library has limited its depth.
    var value: Value? {
        switch kind {
        case UInt8(ascii: "{"):
            return .dictionary(members.compactMap { key, value in value.value.map { Value.Entry(key.string ?? "", $0) } })
        case UInt8(ascii: "["):
            return .array(elements.compactMap(\.value))
        case UInt8(ascii: "\""): return string.map { .string($0) }
        case UInt8(ascii: "l"): return int.map { .int(Int64($0)) }
        case UInt8(ascii: "u"), UInt8(ascii: "d"): return double.map { .double($0) }
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return bool.map { .bool($0) }
        default: return nil
        }
    }
}
