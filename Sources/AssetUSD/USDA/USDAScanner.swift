import AssetIO
import AssetModel

/// Classes of bytes, by table: one look-up answers what a byte may start or continue.
enum ByteClass {
    static let identifierStart: UInt8 = 1
    static let identifier: UInt8 = 2
    static let digit: UInt8 = 4
    static let blank: UInt8 = 8
    static let newline: UInt8 = 16

    static func of(_ b: UInt8) -> UInt8 {
        switch b {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...0xff:
            identifierStart | identifier
        case UInt8(ascii: "0")...UInt8(ascii: "9"): identifier | digit
        case UInt8(ascii: " "), UInt8(ascii: "\t"): blank
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): newline
        default: 0
        }
    }
}

/// A number as the text has it: integers stay integers so that 64-bit values keep their digits.
struct USDANumber {
    enum Kind: UInt8 { case unsigned, negative, real }
    var kind: Kind
    /// The value of an integer: of `.unsigned` itself, of `.negative` its two's complement.
    var bits: UInt64
    var double: Double
}

/// A cursor over the bytes of a USDA text. All access is bounds-checked.
struct USDAScanner: ~Escapable {
    let text: Span<UInt8>
    var at = 0
    /// The first place in strings, asset paths and comments that is not UTF-8.
    private(set) var firstBroken: Int?
    /// Whether a string held a zero.
    private(set) var sawNull = false
    /// Whether a carriage return alone ends the lines, and with them the comments.
    var linesEndWithReturn = false

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) { self.text = text }

    @inline(__always) var isAtEnd: Bool { at >= text.count }
    /// The byte at the cursor, 0 at the end.
    @inline(__always) func peek() -> UInt8 { at < text.count ? text[at] : 0 }
    @inline(__always) func peek(_ ahead: Int) -> UInt8 { at + ahead < text.count ? text[at + ahead] : 0 }

    // MARK: Space

    /// Skips blanks and comments, but no line ends.
    @inline(__always)
    mutating func skipBlanks() throws(USDAError) {
        while at < text.count {
            let b = text[at]
            if b == UInt8(ascii: " ") || b == UInt8(ascii: "\t") {
                at += 1
            } else if b == UInt8(ascii: "#") || b == UInt8(ascii: "/") {
                guard try skipComment() else { return }
            } else {
                return
            }
        }
    }

    /// Skips blanks, comments and line ends; whether there was a line end.
    @inline(__always) @discardableResult
    mutating func skipSpace() throws(USDAError) -> Bool {
        var newline = false
        while at < text.count {
            let b = text[at]
            if b == UInt8(ascii: " ") || b == UInt8(ascii: "\t") {
                at += 1
                skipIndentation()
            } else if b == UInt8(ascii: "\n") || b == UInt8(ascii: "\r") {
                newline = true
                at += 1
                skipIndentation()
            } else if b == UInt8(ascii: "#") || b == UInt8(ascii: "/") {
                guard try skipComment() else { return newline }
            } else {
                return newline
            }
        }
        return newline
    }

    /// Skips spaces, eight at a time.
    @inline(__always)
    private mutating func skipIndentation() {
        let bytes = text.bytes
        while at &+ 8 <= text.count {
            let others = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ 0x2020_2020_2020_2020
            at &+= others.trailingZeroBitCount >> 3
            if others != 0 { return }
        }
    }

    /// Skips a `#`, `//` or `/* */` comment at the cursor; false where there is none.
    private mutating func skipComment() throws(USDAError) -> Bool {
        if text[at] == UInt8(ascii: "/") {
            if peek(1) == UInt8(ascii: "*") {
                let start = at
                var high: UInt8 = 0
                at += 2
                while true {
                    guard at + 1 < text.count else {
                        at = start
                        throw USDAError(start, "usda.unterminated-comment", "found the end of the file, expected '*/' to end a comment")
                    }
                    if text[at] == UInt8(ascii: "*"), text[at + 1] == UInt8(ascii: "/") { break }
                    high |= text[at]
                    at += 1
                }
                if high >= 0x80 { noteEncoding(start, at) }
                at += 2
                return true
            }
            guard peek(1) == UInt8(ascii: "/") else { return false }
        }
        let start = at
        var high: UInt8 = 0
        while at < text.count {
            let b = text[at]
            if b == UInt8(ascii: "\n") || b == UInt8(ascii: "\r") && linesEndWithReturn { break }
            high |= b
            at += 1
        }
        if high >= 0x80 { noteEncoding(start, at) }
        return true
    }

    // MARK: Punctuation

    /// Takes the byte if it is next.
    @inline(__always)
    mutating func take(_ b: UInt8) -> Bool {
        if at < text.count, text[at] == b {
            at += 1
            return true
        }
        return false
    }

    @inline(__always)
    mutating func expect(_ b: UInt8, _ what: StaticString) throws(USDAError) {
        if at < text.count, text[at] == b {
            at += 1
        } else {
            throw unexpected(what)
        }
    }

    /// An error at the cursor that says what is there and what should be.
    func unexpected(_ expected: StaticString) -> USDAError { unexpected("\(expected)") }

    func unexpected(_ expected: String) -> USDAError {
        USDAError(at, "usda.syntax", "found \(found()), expected \(expected)")
    }

    /// What is at the cursor, for messages.
    func found() -> String {
        guard at < text.count else { return "the end of the file" }
        let b = text[at]
        if ByteClass.of(b) & ByteClass.newline != 0 { return "the end of the line" }
        var end = at + 1
        if ByteClass.of(b) & ByteClass.identifier != 0 {
            while end < text.count, end - at < 40, ByteClass.of(text[end]) & ByteClass.identifier != 0 { end += 1 }
        } else if b < 32 || b == 127 {
            return "byte \(b)"
        }
        return "'" + string(at, end) + "'"
    }

    func string(_ start: Int, _ end: Int) -> String {
        guard start < end, end <= text.count else { return "" }
        return text.extracting(start..<end).withUnsafeBufferPointer { SystemPath.decode($0) }
    }

    // MARK: Words

    /// The end of the identifier at the cursor, the cursor itself where there is none. Non-ASCII letters are checked
    /// against XID_Start and XID_Continue.
    @inline(__always)
    func identifierEnd() throws(USDAError) -> Int {
        try identifierEnd(from: at)
    }

    func identifierEnd(from start: Int) throws(USDAError) -> Int {
        var i = start
        guard i < text.count else { return start }
        var b = text[i]
        guard ByteClass.of(b) & ByteClass.identifierStart != 0 else { return start }
        var high = b
        i += 1
        while i < text.count {
            b = text[i]
            guard ByteClass.of(b) & ByteClass.identifier != 0 else { break }
            high |= b
            i += 1
        }
        if high >= 0x80, !Self.isIdentifier(text.extracting(start..<i)) {
            throw USDAError(start, "usda.bad-identifier", "'\(string(start, i))' is not a valid identifier")
        }
        return i
    }

    /// Whether the bytes are one identifier by the rules of USD: `_` or XID_Start, then XID_Continue.
    static func isIdentifier(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty else { return false }
        var i = 0
        var first = true
        while i < bytes.count {
            let b = bytes[i]
            if b < 0x80 {
                let c = ByteClass.of(b)
                guard c & (first ? ByteClass.identifierStart : ByteClass.identifier) != 0 else { return false }
                i += 1
            } else {
                guard let (scalar, length) = decodeScalar(bytes, i) else { return false }
                guard first ? scalar.properties.isXIDStart : scalar.properties.isXIDContinue else { return false }
                i += length
            }
            first = false
        }
        return true
    }

    /// Decodes the UTF-8 sequence at an index; nil where it is malformed.
    static func decodeScalar(_ s: Span<UInt8>, _ i: Int) -> (Unicode.Scalar, Int)? {
        let b = UInt32(s[i])
        if b < 0x80 { return (Unicode.Scalar(UInt8(b)), 1) }
        let length = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2
        guard b >= 0xc2, b <= 0xf4, i + length <= s.count else { return nil }
        var value = b & (0xff >> UInt32(length + 1))
        for k in 1..<length {
            let c = UInt32(s[i + k])
            guard c & 0xc0 == 0x80 else { return nil }
            value = value << 6 | (c & 0x3f)
        }
        guard value >= (length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000), let scalar = Unicode.Scalar(value) else { return nil }
        return (scalar, length)
    }

    /// Whether the word from `start` to `end` is `w`.
    @inline(__always)
    func equals(_ start: Int, _ end: Int, _ w: StaticString) -> Bool {
        let n = w.utf8CodeUnitCount
        guard end - start == n else { return false }
        let p = w.utf8Start
        for i in 0..<n where text[start + i] != p[i] { return false }
        return true
    }

    /// Takes the keyword if it is the next word. A colon makes a word a part of a longer name, unless `beforeColon` says
    /// that the keyword itself comes before one.
    mutating func takeWord(_ w: StaticString, beforeColon: Bool = false) -> Bool {
        let n = w.utf8CodeUnitCount
        guard at + n <= text.count, equals(at, at + n, w) else { return false }
        if at + n < text.count {
            let next = text[at + n]
            if ByteClass.of(next) & ByteClass.identifier != 0 || next == UInt8(ascii: ":") && !beforeColon { return false }
        }
        at += n
        return true
    }

    // MARK: Numbers

    /// The number at the cursor; nil, with the cursor unmoved, where there is none. `-inf` counts, `inf` and `nan` are
    /// words.
    @inline(never)
    mutating func takeNumber() -> USDANumber? {
        var i = at
        guard i < text.count else { return nil }
        let negative = text[i] == UInt8(ascii: "-")
        if negative { i += 1 }
        let digitsStart = i
        while i < text.count, text[i] &- 48 < 10 { i += 1 }
        var digits = i - digitsStart
        var isReal = false
        if i < text.count, text[i] == UInt8(ascii: ".") {
            let dot = i
            i += 1
            while i < text.count, text[i] &- 48 < 10 { i += 1 }
            digits += i - dot - 1
            isReal = true
        }
        if digits == 0 {
            guard negative, !isReal, i + 3 <= text.count, equals(i, i + 3, "inf"),
                !(i + 3 < text.count && ByteClass.of(text[i + 3]) & ByteClass.identifier != 0)
            else { return nil }
            at = i + 3
            return USDANumber(kind: .real, bits: 0, double: -.infinity)
        }
        if i < text.count, text[i] | 0x20 == UInt8(ascii: "e") {
            var k = i + 1
            if k < text.count, text[k] == UInt8(ascii: "+") || text[k] == UInt8(ascii: "-") { k += 1 }
            isReal = isReal || (k < text.count && text[k] &- 48 < 10)
        }
        if !isReal {
            let start = at
            if !negative {
                if case .value(let n) = FloatParser.uint64(text, at: &at) { return USDANumber(kind: .unsigned, bits: n, double: Double(n)) }
            } else if case .value(let n) = FloatParser.int64(text, at: &at) {
                // There is no negative zero among the integers.
                if n == 0 { return USDANumber(kind: .real, bits: 0, double: -0.0) }
                return USDANumber(kind: .negative, bits: UInt64(bitPattern: n), double: Double(n))
            }
            at = start
        }
        guard let d = FloatParser.double(text, at: &at) else { return nil }
        return USDANumber(kind: .real, bits: 0, double: d)
    }

    /// A plain decimal at the cursor: at most 19 digits whose value one division makes exact (Clinger 1990), which is
    /// nearly every number of nearly every array. NaN, with the cursor unmoved, for everything else.
    @inline(__always)
    mutating func takePlainReal() -> Double {
        var i = at
        let count = text.count
        guard i < count else { return .nan }
        var b = text[i]
        let negative = b == UInt8(ascii: "-")
        if negative {
            i &+= 1
            guard i < count else { return .nan }
            b = text[i]
        }
        var mantissa: UInt64 = 0
        let digitsStart = i
        var digit = b &- 48
        while digit < 10 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            i &+= 1
            guard i < count else { return .nan }
            digit = text[i] &- 48
        }
        var digits = i &- digitsStart
        var decimals = 0
        if digit == UInt8(ascii: ".") &- 48 {
            i &+= 1
            let dot = i
            while i < count {
                digit = text[i] &- 48
                guard digit < 10 else { break }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                i &+= 1
            }
            decimals = i &- dot
            digits &+= decimals
        }
        // 'e' and 'E' go the long way.
        guard digits &- 1 < 19, digits > 0, mantissa < 1 << 53, decimals <= 22, (digit &+ 48) | 0x20 != UInt8(ascii: "e") else { return .nan }
        at = i
        let d = decimals == 0 ? Double(mantissa) : Double(mantissa) / exactPowersOfTen[decimals]
        return negative ? -d : d
    }

    /// A plain integer at the cursor of at most 18 digits; `Int64.min`, with the cursor unmoved, for everything else.
    @inline(__always)
    mutating func takePlainInteger() -> Int64 {
        var i = at
        let count = text.count
        guard i < count else { return .min }
        let negative = text[i] == UInt8(ascii: "-")
        if negative { i &+= 1 }
        let digitsStart = i
        var value: Int64 = 0
        while i < count {
            let digit = text[i] &- 48
            guard digit < 10 else { break }
            value = value &* 10 &+ Int64(digit)
            i &+= 1
        }
        let digits = i &- digitsStart
        guard digits > 0, digits <= 18, i < count else { return .min }
        let next = text[i]
        guard next != UInt8(ascii: "."), next | 0x20 != UInt8(ascii: "e") else { return .min }
        at = i
        return negative ? 0 &- value : value
    }

    // MARK: Strings

    /// The string literal at the cursor (`"…"`, `'…'`, and both tripled), its escapes resolved.
    mutating func takeString() throws(USDAError) -> String {
        var buffer: [UInt8] = []
        let range = try takeString(into: &buffer)
        if let range { return string(range.lowerBound, range.upperBound) }
        return SystemPath.decode(buffer)
    }

    /// The string literal as a range of the text where it holds no escape, otherwise its bytes in `buffer`.
    mutating func takeString(into buffer: inout [UInt8]) throws(USDAError) -> Range<Int>? {
        let quote = peek()
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw unexpected("a quoted string") }
        let open = at
        let triple = peek(1) == quote && peek(2) == quote
        at += triple ? 3 : 1
        let start = at
        var escaped = false
        var high: UInt8 = 0
        while true {
            guard at < text.count else {
                at = open
                throw USDAError(open, "usda.unterminated-string", "found the end of the file, expected a quote to end the string")
            }
            let b = text[at]
            high |= b
            if b == UInt8(ascii: "\\") {
                escaped = true
                at += 2
            } else if b == quote {
                if !triple { break }
                // The first three quotes in a row end it, as the grammar has it.
                if peek(1) == quote, peek(2) == quote { break }
                at += 1
            } else if b < 32 {
                if !triple, b == UInt8(ascii: "\n") || b == UInt8(ascii: "\r") {
                    at = open
                    throw USDAError(open, "usda.unterminated-string", "found the end of the line, expected a quote to end the string")
                }
                if b == 0 { sawNull = true }
                at += 1
            } else {
                at += 1
            }
        }
        let end = at
        if high >= 0x80 { noteEncoding(start, end) }
        at += triple ? 3 : 1
        if !escaped { return start..<end }
        unescape(start, end, into: &buffer)
        if buffer.contains(0) { sawNull = true }
        return nil
    }

    /// Notes where a part of the text is not UTF-8.
    private mutating func noteEncoding(_ start: Int, _ end: Int) {
        guard firstBroken == nil else { return }
        let part = text.extracting(start..<min(end, text.count))
        var i = 0
        while i < part.count {
            guard let (_, n) = Self.decodeScalar(part, i) else {
                firstBroken = start + i
                return
            }
            i += n
        }
    }

    /// Resolves the escapes of a string as OpenUSD does: those of C, with up to two hexadecimal or three octal digits;
    /// a backslash before anything else vanishes.
    private func unescape(_ start: Int, _ end: Int, into out: inout [UInt8]) {
        out.removeAll(keepingCapacity: true)
        var i = start
        while i < end {
            let b = text[i]
            i += 1
            guard b == UInt8(ascii: "\\"), i < end else {
                out.append(b)
                continue
            }
            let e = text[i]
            i += 1
            switch e {
            case UInt8(ascii: "a"): out.append(7)
            case UInt8(ascii: "b"): out.append(8)
            case UInt8(ascii: "f"): out.append(12)
            case UInt8(ascii: "n"): out.append(10)
            case UInt8(ascii: "r"): out.append(13)
            case UInt8(ascii: "t"): out.append(9)
            case UInt8(ascii: "v"): out.append(11)
            case UInt8(ascii: "x"):
                var value: UInt8 = 0
                var n = 0
                while n < 2, i < end, let digit = Self.hexDigit(text[i]) {
                    value = value << 4 | digit
                    i += 1
                    n += 1
                }
                out.append(value)
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                var value = e - 48
                var n = 1
                while n < 3, i < end, text[i] >= 48, text[i] < 56 {
                    value = value << 3 | (text[i] - 48)
                    i += 1
                    n += 1
                }
                out.append(value)
            default: out.append(e)
            }
        }
    }

    static func hexDigit(_ b: UInt8) -> UInt8? {
        switch b {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): b - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): b - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): b - 55
        default: nil
        }
    }

    /// The asset path at the cursor: `@…@` without escapes, or `@@@…@@@` in which `\@@@` stands for `@@@`.
    mutating func takeAssetPath() throws(USDAError) -> String {
        let open = at
        guard take(UInt8(ascii: "@")) else { throw unexpected("an asset path '@…@'") }
        func unterminated() -> USDAError {
            USDAError(open, "usda.unterminated-asset-path", "found the end of the line, expected '@' to end the asset path")
        }
        if peek() == UInt8(ascii: "@"), peek(1) == UInt8(ascii: "@") {
            at += 2
            var out: [UInt8] = []
            while true {
                guard at < text.count, text[at] != UInt8(ascii: "\n") else {
                    at = open
                    throw unterminated()
                }
                let b = text[at]
                if b == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "@"), peek(2) == UInt8(ascii: "@"), peek(3) == UInt8(ascii: "@") {
                    out.append(contentsOf: [b, b, b].map { _ in UInt8(ascii: "@") })
                    at += 4
                } else if b == UInt8(ascii: "@"), peek(1) == UInt8(ascii: "@"), peek(2) == UInt8(ascii: "@") {
                    at += 3
                    // Up to two more belong to the path: the delimiter is the last three of a run.
                    var extra = 0
                    while extra < 2, peek() == UInt8(ascii: "@") {
                        out.append(UInt8(ascii: "@"))
                        at += 1
                        extra += 1
                    }
                    noteEncoding(open, at)
                    return SystemPath.decode(out)
                } else {
                    out.append(b)
                    at += 1
                }
            }
        }
        let start = at
        while at < text.count, text[at] != UInt8(ascii: "@") {
            if text[at] == UInt8(ascii: "\n") {
                at = open
                throw unterminated()
            }
            at += 1
        }
        guard at < text.count else {
            at = open
            throw unterminated()
        }
        at += 1
        noteEncoding(start, at - 1)
        return string(start, at - 1)
    }

    /// The text between `<` and `>`.
    mutating func takePathText() throws(USDAError) -> Range<Int> {
        let open = at
        try expect(UInt8(ascii: "<"), "a path '<…>'")
        let start = at
        while at < text.count, text[at] != UInt8(ascii: ">") {
            let b = text[at]
            if b == UInt8(ascii: "\n") || b == UInt8(ascii: "\r") || b == UInt8(ascii: "<") { break }
            at += 1
        }
        guard at < text.count, text[at] == UInt8(ascii: ">") else {
            at = open
            throw USDAError(open, "usda.unterminated-path", "found a path without an end, expected '>'")
        }
        at += 1
        return start..<(at - 1)
    }
}

/// The powers of ten that are doubles without rounding.
let exactPowersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]
