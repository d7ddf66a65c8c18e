/// Where a text stops being JSON, and what was expected there. The library that parses it says only that it does.
struct JSONFault {
    let offset: Int
    /// `found …, expected …`.
    let message: String

    /// Nil where nothing is found wrong.
    static func find(in text: UnsafeBufferPointer<UInt8>, depth: Int) -> JSONFault? {
        var scanner = Scanner(text: text, depth: depth)
        scanner.document()
        return scanner.fault
    }

    private struct Scanner {
        let text: UnsafeBufferPointer<UInt8>
        let depth: Int
        var at = 0
        var fault: JSONFault?

        init(text: UnsafeBufferPointer<UInt8>, depth: Int) {
            self.text = text
            self.depth = depth
        }

        var byte: UInt8? { at < text.count ? text[at] : nil }

        mutating func fail(_ expected: String) {
            guard fault == nil else { return }
            fault = JSONFault(offset: at, message: "found \(shown), expected \(expected)")
        }

        /// What stands here, for people.
        private var shown: String {
            guard let byte else { return "the end" }
            guard byte > 0x20, byte < 0x7F else { return byte == 0x20 ? "a blank" : "byte \(byte)" }
            return "'\(Character(UnicodeScalar(byte)))'"
        }

        mutating func blanks() {
            while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
        }

        mutating func document() {
            // What is open: true for objects.
            var open: [Bool] = []
            var wantsValue = true
            blanks()
            while fault == nil {
                if wantsValue {
                    blanks()
                    guard let byte else { return fail(open.last.map { $0 ? "a value" : "a value or ']'" } ?? "a value") }
                    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                        guard open.count < depth else {
                            fault = JSONFault(offset: at, message: "values are nested deeper than \(depth)")
                            return
                        }
                        at += 1
                        open.append(byte == UInt8(ascii: "{"))
                        blanks()
                        if self.byte == (open.last == true ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                            at += 1
                            open.removeLast()
                            wantsValue = false
                        } else if open.last == true {
                            key()
                        }
                        continue
                    }
                    scalar(byte)
                    wantsValue = false
                    continue
                }
                blanks()
                guard let isObject = open.last else {
                    if byte != nil { fail("the end") }
                    return
                }
                switch byte {
                case UInt8(ascii: ","):
                    at += 1
                    blanks()
                    if isObject { key() }
                    wantsValue = true
                case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
                    at += 1
                    open.removeLast()
                default: fail(isObject ? "',' or '}'" : "',' or ']'")
                }
            }
        }

        mutating func key() {
            guard byte == UInt8(ascii: "\"") else { return fail("a name in quotes") }
            string()
            blanks()
            guard fault == nil else { return }
            guard byte == UInt8(ascii: ":") else { return fail("':'") }
            at += 1
        }

        mutating func scalar(_ first: UInt8) {
            switch first {
            case UInt8(ascii: "\""): string()
            case UInt8(ascii: "t"): word("true")
            case UInt8(ascii: "f"): word("false")
            case UInt8(ascii: "n"): word("null")
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number()
            default: fail("a value")
            }
        }

        mutating func word(_ word: StaticString) {
            for i in 0..<word.utf8CodeUnitCount {
                guard byte == word.utf8Start[i] else { return fail("'\(word)'") }
                at += 1
            }
        }

        mutating func digits() {
            let first = at
            while let byte, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { at += 1 }
            if at == first { fail("a digit") }
        }

        mutating func number() {
            if byte == UInt8(ascii: "-") { at += 1 }
            if byte == UInt8(ascii: "0") {
                at += 1
                if let byte, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { return fail("no digit behind a first 0") }
            } else {
                digits()
            }
            if byte == UInt8(ascii: ".") {
                at += 1
                digits()
            }
            if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
                at += 1
                if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
                digits()
            }
        }

        mutating func string() {
            at += 1
            while fault == nil {
                guard let byte else { return fail("'\"'") }
                switch byte {
                case UInt8(ascii: "\""):
                    at += 1
                    return
                case UInt8(ascii: "\\"): escape()
                case 0..<0x20: fail("no control character in a string")
                case 0x80...: scalarOfUTF8(byte)
                default: at += 1
                }
            }
        }

        mutating func escape() {
            at += 1
            switch byte {
            case UInt8(ascii: "u"):
                at += 1
                for _ in 0..<4 {
                    switch byte ?? 0 {
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): at += 1
                    default: return fail("four hexadecimal digits")
                    }
                }
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
                UInt8(ascii: "r"), UInt8(ascii: "t"):
                at += 1
            default: fail("a letter that may be escaped")
            }
        }

        mutating func scalarOfUTF8(_ first: UInt8) {
            let count =
                switch first {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 0
                }
            guard count > 0, count <= text.count - at,
                String(validating: text[at..<(at + count)], as: UTF8.self) != nil
            else { return fail("UTF-8") }
            at += count
        }
    }
}
