import AssetIO
import AssetModel

/// A number type of a PLY file, by either of its two names.
enum PLYScalar: Sendable {
    case int8, uint8, int16, uint16, int32, uint32, float32, float64

    init?(_ word: String) {
        switch word {
        case "char", "int8": self = .int8
        case "uchar", "uint8": self = .uint8
        case "short", "int16": self = .int16
        case "ushort", "uint16": self = .uint16
        case "int", "int32": self = .int32
        case "uint", "uint32": self = .uint32
        case "float", "float32": self = .float32
        case "double", "float64": self = .float64
        default: return nil
        }
    }

    /// Bytes of one in a binary file.
    var size: Int {
        switch self {
        case .int8, .uint8: 1
        case .int16, .uint16: 2
        case .int32, .uint32, .float32: 4
        case .float64: 8
        }
    }

    /// What a colour of this type is divided by.
    var colorMaximum: Double {
        switch self {
        case .int8: 127
        case .uint8: 255
        case .int16: 32767
        case .uint16: 65535
        case .int32: 2_147_483_647
        case .uint32: 4_294_967_295
        case .float32, .float64: 1
        }
    }

    var isReal: Bool { self == .float32 || self == .float64 }
    /// Whether a float32 may not hold each value.
    var needsDouble: Bool { self == .float64 || self == .int32 || self == .uint32 }
}

/// A value, or a list of values with its length before it, in each row of an element.
struct PLYProperty: Sendable {
    var name: String
    var scalar: PLYScalar
    /// The type of a list's length; nil for a single value.
    var length: PLYScalar?

    var type: PLYValueType { PLYValueType(scalar: scalar, length: length) }
}

/// How a property is written, without its name: for loops over millions of rows.
struct PLYValueType: BitwiseCopyable, Sendable {
    var scalar: PLYScalar
    var length: PLYScalar?
}

/// A table: rows of the same properties.
struct PLYElement: Sendable {
    var name: String
    var count: Int
    var properties: [PLYProperty] = []

    /// Bytes of a row in a binary file; nil where lists make them differ.
    var stride: Int? {
        var sum = 0
        for p in properties {
            if p.length != nil { return nil }
            sum += p.scalar.size
        }
        return sum
    }

    /// The fewest bytes that a row can take.
    func leastBytes(isText: Bool) -> Int {
        if isText { return properties.count * 2 }
        return properties.reduce(0) { $0 + ($1.length ?? $1.scalar).size }
    }

    /// The first property of one of these names, in the order of the names.
    func property(_ names: String..., isList: Bool = false) -> Int? {
        for name in names {
            if let i = properties.firstIndex(where: { $0.name == name && ($0.length != nil) == isList }) { return i }
        }
        return nil
    }
}

/// What stands before the data of a PLY file (G. Turk, "The PLY Polygon File Format", 1994).
struct PLYHeader: Sendable {
    enum Encoding: String, Sendable {
        case ascii
        case littleEndian = "binary_little_endian"
        case bigEndian = "binary_big_endian"
    }

    var encoding = Encoding.ascii
    var version = ""
    var elements: [PLYElement] = []
    /// The names behind `comment TextureFile`, in order.
    var textureFiles: [String] = []
    /// All other comments as they stand, one a line; nil where there are none.
    var comment: String?
    /// Where the data start.
    var dataOffset = 0

    var isText: Bool { encoding == .ascii }

    /// Bytes of a mark of UTF-8 that an editor put before the text.
    static func byteOrderMark(_ bytes: UnsafeRawBufferPointer) -> Int {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// Reads the header. Lines end as the first one does; blanks and tabs may stand anywhere between words.
    /// - Parameter limit: bytes that it may have. Throws `limit.header-bytes` where its end is not among them.
    init(_ file: FileBytes, limit: Int = ReadLimits().headerBytes) throws(AssetError) {
        let bytes = file.byteSpan
        let reach = min(bytes.count, limit)
        var end = 0
        while end < reach, bytes[end] != 10, bytes[end] != 13 { end += 1 }
        // A line feed ends a line also where a carriage return stands before it, which then is a blank like others.
        let isCarriageReturn = end < reach && bytes[end] == 13 && !(end + 1 < bytes.count && bytes[end + 1] == 10)
        let terminator: UInt8 = isCarriageReturn ? 13 : 10
        var start = file.withUnsafeBytes { PLYHeader.byteOrderMark($0) }
        var line = 0
        var hasFormat = false
        var released = 0
        while true {
            line += 1
            var stop = start
            while stop < reach, bytes[stop] != terminator { stop += 1 }
            func fail(_ code: String, _ message: String) -> AssetError {
                AssetError(code, message, at: SourceLocation(file: file.name, position: .line(line, column: 1)))
            }
            guard stop < reach || reach == bytes.count else {
                throw fail("limit.header-bytes", "no end_header within \(limit) bytes (the limit 'header-bytes'), expected one")
            }
            if stop - released >= 1 << 20 {
                file.release(released, count: stop - released)
                released = stop
            }
            let words = PLYHeader.words(bytes, start, stop)
            if stop == bytes.count, words.first != "end_header" {
                throw fail("ply.no-end-of-header", "the file ends within its header, expected end_header")
            }
            if line == 1 {
                guard words == ["ply"] else { throw fail("ply.not-a-ply", "the first line is not \"ply\"") }
            } else {
                switch words.first {
                case nil: break
                case "format":
                    guard words.count >= 2, let known = Encoding(rawValue: words[1]) else {
                        throw fail(
                            "ply.bad-format",
                            "the format is \(words.dropFirst().first.map { PLYHeader.shortened($0) } ?? "missing"), expected ascii or binary")
                    }
                    encoding = known
                    version = words.count > 2 ? words[2] : ""
                    hasFormat = true
                case "comment", "obj_info":
                    comment(words, bytes, start, stop)
                case "element":
                    guard words.count >= 3, let count = Int(words[2]), count >= 0 else {
                        throw fail("ply.bad-element", "an element without a name and a count, expected \"element name count\"")
                    }
                    elements.append(PLYElement(name: words[1], count: count))
                case "property":
                    guard !elements.isEmpty else { throw fail("ply.bad-property", "a property stands before the first element") }
                    guard let property = PLYHeader.property(words) else {
                        throw fail("ply.bad-property", "a property with a type that is not known, or without a name")
                    }
                    elements[elements.count - 1].properties.append(property)
                case "end_header":
                    guard hasFormat else { throw fail("ply.bad-format", "the header names no format") }
                    dataOffset = min(stop + 1, bytes.count)
                    return
                default:
                    throw fail("ply.bad-header", "a line of the header is none that is known")
                }
            }
            start = stop + 1
        }
    }

    private mutating func comment(_ words: [String], _ bytes: Span<UInt8>, _ start: Int, _ stop: Int) {
        // The text as it stands: names have blanks.
        var first = start
        func passBlanks() { while first < stop, PLYHeader.isBlank(bytes[first]) { first += 1 } }
        func passWord() { while first < stop, !PLYHeader.isBlank(bytes[first]) { first += 1 } }
        passBlanks()
        passWord()
        passBlanks()
        let isTexture = words.count > 2 && words[0] == "comment" && words[1].lowercased() == "texturefile"
        if isTexture {
            passWord()
            passBlanks()
        }
        var last = stop
        while last > first, PLYHeader.isBlank(bytes[last - 1]) { last -= 1 }
        if isTexture {
            // Bytes that are no UTF-8 still name a file.
            textureFiles.append(bytes.withUnsafeBufferPointer { SystemPath.decode(UnsafeBufferPointer(rebasing: $0[first..<last])) })
            return
        }
        guard words[0] == "comment", last > first else { return }
        let text = PLYHeader.text(bytes, first, last)
        if comment == nil {
            comment = text
        } else {
            comment?.append("\n")
            comment?.append(text)
        }
    }

    private static func property(_ words: [String]) -> PLYProperty? {
        guard words.count >= 3 else { return nil }
        if words[1] == "list" {
            guard words.count >= 5, let length = PLYScalar(words[2]), let scalar = PLYScalar(words[3]) else { return nil }
            return PLYProperty(name: words[4], scalar: scalar, length: length)
        }
        guard let scalar = PLYScalar(words[1]) else { return nil }
        return PLYProperty(name: words[2], scalar: scalar)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func text(_ bytes: Span<UInt8>, _ start: Int, _ stop: Int) -> String {
        bytes.extracting(start..<stop).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// A name as a message can hold it.
    static func shortened(_ name: String) -> String { name.utf8.count <= 80 ? name : name.prefix(80) + "…" }

    /// The words of a line, at most the few that a line of the header has.
    private static func words(_ bytes: Span<UInt8>, _ start: Int, _ stop: Int) -> [String] {
        var words: [String] = []
        var most = 6
        var k = start
        while words.count < most {
            while k < stop, isBlank(bytes[k]) { k += 1 }
            guard k < stop else { break }
            let first = k
            while k < stop, !isBlank(bytes[k]) { k += 1 }
            words.append(text(bytes, first, k))
            // Comments are looked at as far as they may name a texture.
            if words.count == 1, words[0] == "comment" || words[0] == "obj_info" { most = 3 }
        }
        return words
    }

    /// The names of elements, and of properties (`vertex.x`), that one before them has: the first is read.
    var repeatedNames: (elements: [String], properties: [String]) {
        var (elements, properties): ([String], [String]) = ([], [])
        var seenElements = Set<String>()
        for element in self.elements {
            if !seenElements.insert(element.name).inserted { elements.append(element.name) }
            var seen = Set<String>()
            for property in element.properties where !seen.insert(property.name).inserted {
                properties.append("\(element.name).\(property.name)")
            }
        }
        return (elements, properties)
    }

    /// The place of what comes next from an offset on: line and column in text, the offset in binary data.
    func location(_ offset: Int, in file: FileBytes) -> SourceLocation {
        guard isText else { return file.location(offset) }
        let bytes = file.byteSpan
        var (line, start, k) = (1, 0, 0)
        while k < bytes.count, k < offset || bytes[k] <= 32 {
            // A carriage return ends a line where no line feed follows.
            if bytes[k] == 10 || (bytes[k] == 13 && !(k + 1 < bytes.count && bytes[k + 1] == 10)) {
                line += 1
                start = k + 1
            }
            k += 1
        }
        return SourceLocation(file: file.name, position: .line(line, column: k - start + 1))
    }

    /// Holds the counts against the bytes that are there, before anything is made for them.
    func checkCounts(_ file: FileBytes) throws(AssetError) {
        // The last number of a text needs nothing behind it.
        var left = file.count - dataOffset + (isText ? 1 : 0)
        for element in elements {
            let row = element.leastBytes(isText: isText)
            guard row > 0 else { continue }
            let fitting = left / row
            guard element.count <= fitting else {
                throw AssetError(
                    "ply.truncated",
                    "\(amount(element.count, "row")) of \(PLYHeader.shortened(element.name)) declared, data for at most \(fitting) of them",
                    at: file.location(dataOffset))
            }
            left -= element.count * row
        }
    }
}
