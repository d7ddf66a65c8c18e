import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension [UInt8] {
    /// Where a text starts, every time. Debug builds search bytes slowly, so the C library does.
    func positions(of text: String) -> [Int] {
        var found: [Int] = []
        var text = text
        withUnsafeBytes { haystack in
            text.withUTF8 { needle in
                guard let base = haystack.baseAddress, let word = needle.baseAddress else { return }
                var from = 0
                while haystack.count - from >= needle.count, let hit = memchr(base + from, Int32(needle[0]), haystack.count - from) {
                    let at = UnsafeRawPointer(hit) - base
                    from = at + 1
                    if haystack.count - at >= needle.count, memcmp(hit, word, needle.count) == 0 { found.append(at) }
                }
            }
        }
        return found
    }

    /// The one-based line of a position.
    func line(of position: Int) -> Int { Array(self[..<position]).positions(of: "\n").count + 1 }
}

/// A Swift file of the package, looked at as text.
struct SourceFile: Sendable {
    /// Relative to the repository: `Sources/AssetIO/Format.swift`.
    let path: String
    /// The text with comments and the insides of string literals blanked out.
    let code: [UInt8]

    init(_ path: String) throws {
        self.path = path
        code = Self.blanked(try Repository.bytes(path))
    }

    /// Every Swift file of the package below `Sources` and `Tests`.
    static let all = Result { try ["Sources", "Tests"].flatMap { try files(under: $0) } }

    static func files(under folder: String) throws -> [SourceFile] {
        try Repository.files(under: folder, suffix: ".swift").map { try SourceFile($0) }
    }

    var lineCount: Int { code.positions(of: "\n").count }

    /// `AssetIO` for `Sources/AssetIO/Zip/ZipReader.swift`.
    var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }

    /// Names of the modules it imports.
    var imports: [String] {
        String(decoding: code, as: UTF8.self).split(separator: "\n").compactMap { line in
            guard line.utf8.first != 32, line.contains("import ") else { return nil }
            let words = line.split(separator: " ")
            guard let at = words.firstIndex(of: "import"), at + 1 < words.count else { return nil }
            let allowed: Set<Substring> = ["public", "internal", "package", "private", "fileprivate", "@testable", "@_exported"]
            guard words[..<at].allSatisfy(allowed.contains) else { return nil }
            return String(words[at + 1].split(separator: ".")[0])
        }
    }

    /// `path:line: text` for each place in the code that holds one of the given texts as a word of its own: without a
    /// letter, digit, underscore or dot before it, and where the text ends in a letter, without one after it.
    func uses(of texts: [String]) -> [String] {
        func isWord(_ c: UInt8) -> Bool {
            c == UInt8(ascii: "_") || (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122)
        }
        var found: [String] = []
        for text in texts {
            let length = text.utf8.count
            for start in code.positions(of: text) {
                let before = start == 0 ? 10 : code[start - 1]
                let after = start + length == code.count ? 10 : code[start + length]
                if isWord(before) || before == UInt8(ascii: ".") { continue }
                if let last = text.utf8.last, isWord(last), isWord(after) { continue }
                found.append("\(path):\(code.line(of: start)): \(text)")
            }
        }
        return found
    }

    /// Blanks comments and string literals, keeping line breaks. Interpolations count as part of the string.
    static func blanked(_ bytes: [UInt8]) -> [UInt8] {
        enum State: Equatable { case code, lineComment, blockComment(Int), string, longString }
        var (out, state, i) = (bytes, State.code, 0)
        func at(_ offset: Int, _ text: StaticString) -> Bool {
            let n = text.utf8CodeUnitCount
            guard offset + n <= bytes.count else { return false }
            return text.withUTF8Buffer { $0.elementsEqual(bytes[offset..<(offset + n)]) }
        }
        while i < bytes.count {
            let isNewline = bytes[i] == UInt8(ascii: "\n")
            var step = 1
            switch state {
            case .code:
                if at(i, "//") {
                    state = .lineComment
                } else if at(i, "/*") {
                    (state, step) = (.blockComment(1), 2)
                } else if at(i, "\"\"\"") {
                    (state, step) = (.longString, 3)
                } else if at(i, "\"") {
                    state = .string
                } else {
                    i += 1
                    continue
                }
            case .lineComment: if isNewline { state = .code }
            case .blockComment(let depth):
                if at(i, "*/") { (state, step) = (depth == 1 ? .code : .blockComment(depth - 1), 2) }
                if at(i, "/*") { (state, step) = (.blockComment(depth + 1), 2) }
            case .string:
                if at(i, "\\") { step = 2 } else if at(i, "\"") || isNewline { state = .code }
            case .longString:
                if at(i, "\\") { step = 2 } else if at(i, "\"\"\"") { (state, step) = (.code, 3) }
            }
            for j in i..<min(i + step, bytes.count) where bytes[j] != UInt8(ascii: "\n") { out[j] = UInt8(ascii: " ") }
            i += step
        }
        return out
    }
}
