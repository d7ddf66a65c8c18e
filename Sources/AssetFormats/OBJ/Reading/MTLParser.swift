import AssetIO
import AssetModel

extension MTLLibrary {
    /// Reads a library. Nothing of it is an error: what cannot be read is left out, with a warning of its line.
    static func parse(_ file: FileBytes, diagnostics: inout Diagnostics) -> MTLLibrary {
        var parser = MTLParser(file.name)
        parser.parse(file)
        parser.report(&diagnostics)
        return parser.library
    }
}

/// Bytes to `MTLLibrary`, line by line.
struct MTLParser {
    private(set) var library: MTLLibrary
    private var current: MTLMaterial?
    private var faults: [(code: String, message: String, line: Int, count: Int)] = []
    private var faultIndex: [String: Int] = [:]
    private var unknownKeys: [String] = []
    private var unknownCount = 0
    private var unknownLine = 0
    private var statementCount = 0
    private var line = 1

    init(_ file: String) { library = MTLLibrary(file: file) }

    // MARK: Lines

    mutating func parse(_ file: FileBytes) {
        let bytes = file.byteSpan
        var at = 0
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { at = 3 }
        var statement: [UInt8] = []
        var physicalLine = 1
        while at < bytes.count {
            statement.removeAll(keepingCapacity: true)
            line = physicalLine
            var hasComment = false
            var isAfterBlank = true
            while true {
                let start = statement.count
                while at < bytes.count, bytes[at] != 10, bytes[at] != 13 {
                    let c = bytes[at]
                    if c == UInt8(ascii: "#"), isAfterBlank { hasComment = true }
                    isAfterBlank = c == 32 || c == 9
                    statement.append(c)
                    at += 1
                }
                if at < bytes.count {
                    at += bytes[at] == 13 && at + 1 < bytes.count && bytes[at + 1] == 10 ? 2 : 1
                    physicalLine += 1
                }
                // Only as the very last character, and never of a comment.
                guard statement.count > start, statement.last == UInt8(ascii: "\\"), !hasComment, at < bytes.count else { break }
                statement[statement.count - 1] = UInt8(ascii: " ")
                isAfterBlank = true
            }
            read(MTLWords(statement))
        }
        finishMaterial()
    }

    private mutating func finishMaterial() {
        guard let done = current else { return }
        if library.material(named: done.name) != nil {
            warn("mtl.repeated-material", "'\(done.name)' is there already: the first one counts", done.line)
        }
        library.append(done)
        current = nil
    }

    // MARK: Statements

    private mutating func read(_ text: MTLWords) {
        var words = text
        guard let keyBytes = words.next(), keyBytes.first != UInt8(ascii: "#") else { return }
        let key = keyBytes.count <= 32 ? String(decoding: keyBytes.map(asciiLowercase), as: UTF8.self) : ""
        if key == "newmtl" {
            statementCount += 1
            finishMaterial()
            let name = words.rest()
            if name.isEmpty { warn("mtl.no-name", "newmtl has no name", line) }
            current = MTLMaterial(name: name, line: line)
            return
        }
        let color = MTLKeys.colors[key]
        let number = MTLKeys.numbers[key]
        let map = MTLKeys.maps[key]
        guard color != nil || number != nil || map != nil else {
            unknownCount += 1
            if unknownCount == 1 { unknownLine = line }
            let shown = SystemPath.decode(Array(keyBytes.prefix(32)))
            if unknownKeys.count < 8, !unknownKeys.contains(shown) { unknownKeys.append(shown) }
            return
        }
        statementCount += 1
        guard current != nil else {
            warn("mtl.outside-material", "\(key) stands before the first newmtl, left out", line)
            return
        }
        if let color { readColor(color, words) }
        if let number { readNumber(number, words) }
        if let map { readMap(map, words) }
    }

    private mutating func readColor(_ key: MTLMaterial.ColorKey, _ text: MTLWords) {
        var words = text
        var color = MTLMaterial.Color(values: (0, 0, 0), line: line)
        switch words.keyword() {
        case "spectral":
            warn("mtl.spectral", "\(key.rawValue) is a spectral curve, expected rgb, left out", line)
            return
        case "xyz":
            color.space = .xyz
            _ = words.next()
        case "rgb": _ = words.next()
        default: break
        }
        var numbers: [Float] = []
        while numbers.count < 3, let word = words.next(), word.first != UInt8(ascii: "#") {
            guard let value = readNumber(word, key.rawValue) else { return }
            numbers.append(value)
        }
        guard let first = numbers.first else {
            warn("mtl.no-value", "\(key.rawValue) has no number, left out", line)
            return
        }
        if numbers.count == 2 {
            warn("mtl.two-numbers", "\(key.rawValue) has two numbers, expected one or three: the second counts for the third", line)
        }
        reportRest(words, key.rawValue)
        // One number is a grey.
        let second = numbers.count > 1 ? numbers[1] : first
        color.values = (first, second, numbers.count > 2 ? numbers[2] : second)
        current?.colors[key] = color
    }

    private mutating func readNumber(_ key: MTLMaterial.NumberKey, _ text: MTLWords) {
        var words = text
        if key == .antialiasing {
            let word = words.keyword()
            current?.numbers[key] = MTLMaterial.Number(value: word == "on" ? 1 : 0, line: line)
            return
        }
        if key == .d, words.keyword() == "-halo" {
            current?.haloLine = line
            _ = words.next()
        }
        guard var word = words.next(), word.first != UInt8(ascii: "#") else {
            warn("mtl.no-value", "\(key.rawValue) has no number, left out", line)
            return
        }
        // As the format's description spells it.
        if key == .illum, word.count > 6, word.prefix(6).map(asciiLowercase).elementsEqual("illum_".utf8) { word = word.dropFirst(6) }
        guard let value = readNumber(word, key.rawValue) else { return }
        if key == .d, words.keyword() == "-halo" {
            current?.haloLine = line
            _ = words.next()
        }
        reportRest(words, key.rawValue)
        current?.numbers[key] = MTLMaterial.Number(value: value, line: line)
    }

    private mutating func reportRest(_ text: MTLWords, _ key: String) {
        var words = text
        guard let more = words.next(), more.first != UInt8(ascii: "#") else { return }
        warn("mtl.extra-values", "\(key) has more values than expected, left out", line)
    }

    private mutating func readNumber(_ word: ArraySlice<UInt8>, _ key: String) -> Float? {
        if let value = MTLWords.number(word) {
            if value.isFinite { return value }
            warn("mtl.not-finite", "\(key) is not finite, left out", line)
            return nil
        }
        // Written by a program that counts in another language.
        if let comma = word.firstIndex(of: UInt8(ascii: ",")), !word.contains(UInt8(ascii: ".")) {
            var point = word
            point[comma] = UInt8(ascii: ".")
            if let value = MTLWords.number(point), value.isFinite {
                warn("mtl.decimal-comma", "\(key) has a decimal comma, taken as a point", line)
                return value
            }
        }
        warn("mtl.bad-number", "\(key) has '\(SystemPath.decode(Array(word.prefix(32))))', expected a number, left out", line)
        return nil
    }

    private mutating func readMap(_ key: MTLMaterial.MapKey, _ words: MTLWords) {
        var reader = MTLMapReader(words)
        reader.read()
        for option in reader.badOptions {
            warn("mtl.bad-option", "\(option) of \(key.rawValue) lacks its value, left out", line)
        }
        guard !reader.fileName.isEmpty else {
            warn("mtl.no-file", "\(key.rawValue) names no file, left out", line)
            return
        }
        let map = MTLMap(key: key, fileName: reader.fileName, line: line, options: reader.options)
        if let known = current?.maps.firstIndex(where: { $0.key == key }), key != .refl {
            current?.maps[known] = map
        } else if (current?.maps.count ?? 0) < 64 {
            current?.maps.append(map)
        }
    }

    // MARK: Reports

    private mutating func warn(_ code: String, _ message: String, _ line: Int) {
        if let known = faultIndex[code] {
            faults[known].count += 1
        } else {
            faultIndex[code] = faults.count
            faults.append((code, message, line, 1))
        }
    }

    /// One warning a kind: the first place, and how many.
    func report(_ diagnostics: inout Diagnostics) {
        func place(_ line: Int) -> SourceLocation { SourceLocation(file: library.file, position: .line(line, column: 1)) }
        for f in faults { diagnostics.add(Diagnostic(.warning, f.code, f.message, at: place(f.line), count: f.count)) }
        if statementCount == 0 {
            diagnostics.warning("mtl.no-statement", "no statement of a material library is in it", at: SourceLocation(file: library.file))
        } else if unknownCount > 0 {
            let names = unknownKeys.map { "'\($0)'" }.joined(separator: ", ")
            diagnostics.add(
                Diagnostic(
                    .warning, "mtl.unknown-statement", "\(names) is no statement of a material library, left out", at: place(unknownLine),
                    count: unknownCount))
        }
    }
}

func asciiLowercase(_ c: UInt8) -> UInt8 { c >= 65 && c <= 90 ? c + 32 : c }

/// The keys in lower case: programs write them in any.
enum MTLKeys {
    static let colors = Dictionary(uniqueKeysWithValues: MTLMaterial.ColorKey.allCases.map { ($0.rawValue.lowercased(), $0) })
    static let numbers = Dictionary(uniqueKeysWithValues: MTLMaterial.NumberKey.allCases.map { ($0.rawValue.lowercased(), $0) })
    static let maps: [String: MTLMaterial.MapKey] = {
        var keys = Dictionary(uniqueKeysWithValues: MTLMaterial.MapKey.allCases.map { ($0.rawValue.lowercased(), $0) })
        let more: [(String, MTLMaterial.MapKey)] = [
            ("bump", .map_Bump), ("map_disp", .disp), ("map_decal", .decal), ("map_refl", .refl), ("map_norm", .norm), ("map_kn", .norm),
            ("map_normal", .norm), ("map_opacity", .map_d), ("map_emissive", .map_Ke), ("map_roughness", .map_Pr), ("map_metallic", .map_Pm),
        ]
        for (name, key) in more { keys[name] = key }
        return keys
    }()
}
