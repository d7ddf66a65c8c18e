public import AssetIO

/// A command line that is wrong: what was found and what would be right, and which argument it is about.
public struct UsageError: Error, Sendable, Hashable {
    public var message: String
    /// Index into the arguments of the argument that the message is about, where there is one.
    public var argument: Int?
    /// Which UTF-8 bytes of that argument; nil for all of it.
    public var range: Range<Int>?

    public init(_ message: String, argument: Int? = nil, range: Range<Int>? = nil) {
        self.message = message
        self.argument = argument
        self.range = range
    }
}

/// What the parser found. Every value keeps the index of the argument it came from, so that a later check can point at it.
public struct ParsedArguments: Sendable {
    public struct Value: Sendable, Hashable {
        public var text: String
        /// Index into the arguments as given.
        public var argument: Int
        /// Where in that argument the value begins, in UTF-8 bytes: behind the `=` of `--depth=3`.
        public var start: Int

        /// An error that points at this value.
        public func error(_ message: String) -> UsageError {
            UsageError(message, argument: argument, range: start..<(start + text.utf8.count))
        }

        /// The value as a whole number. Throws where it is none or lies outside `range`.
        public func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
            guard let n = Int(text), range.contains(n) else {
                let limit =
                    range.upperBound == .max
                    ? "a whole number from \(range.lowerBound) on" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
                throw error("--\(option) is '\(text)', expected \(limit)")
            }
            return n
        }

        /// The value as a finite number. Throws where it is none.
        public func number(_ option: String) throws(UsageError) -> Double {
            guard let n = Double(text), n.isFinite else { throw error("--\(option) is '\(text)', expected a number") }
            return n
        }

        /// Throws where the value is no path from the root.
        func checkPath(_ option: String) throws(UsageError) {
            if !text.hasPrefix("/") { throw error("--\(option) is '\(text)', expected a path from the root: /\(text)") }
        }
    }

    public internal(set) var operands: [Value] = []
    var values: [String: [Value]] = [:]

    /// Whether an option was given.
    public func has(_ option: String) -> Bool { values[option] != nil }

    /// The last value of an option.
    public func value(_ option: String) -> Value? { values[option]?.last }

    /// All values of an option in the order given.
    public func all(_ option: String) -> [Value] { values[option] ?? [] }

    /// The last value of an option as a number. Throws where it is none or lies outside `range`.
    public func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? { try value(option)?.integer(option, in: range) }

    /// The last value of an option as a finite number.
    public func number(_ option: String) throws(UsageError) -> Double? { try value(option)?.number(option) }
}

/// Reads arguments against a specification. Pure: no I/O, no environment.
///
/// `--name value` and `--name=value`, `-n value` and `-nvalue`, several short flags in one (`-qv`), options anywhere
/// among the operands, `--` ends the options, a single `-` is an operand.
public struct ArgumentParser: Sendable {
    let spec: CommandSpec
    let options: [OptionSpec]
    /// What a format option may name; nil where that is not known.
    let formats: FormatRegistry?

    public init(_ spec: CommandSpec, formats: FormatRegistry? = nil) {
        self.spec = spec
        options = spec.allOptions
        self.formats = formats
    }

    /// Parses the arguments from `start` on; the ones before it are only there so that indices fit what was typed.
    public func parse(_ arguments: [String], from start: Int) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var onlyOperands = false
        var i = start
        while i < arguments.count {
            let argument = arguments[i]
            if onlyOperands || argument == "-" || !argument.hasPrefix("-") {
                parsed.operands.append(.init(text: argument, argument: i, start: 0))
                i += 1
            } else if argument == "--" {
                onlyOperands = true
                i += 1
            } else if argument.hasPrefix("--") {
                i = try long(argument, at: i, arguments, &parsed)
            } else {
                i = try short(argument, at: i, arguments, &parsed)
            }
        }
        try checkOperands(parsed)
        return parsed
    }

    private func long(_ argument: String, at i: Int, _ arguments: [String], _ parsed: inout ParsedArguments) throws(UsageError) -> Int {
        let body = argument.dropFirst(2)
        let name: Substring
        var value: String?
        if let equals = body.firstIndex(of: "=") {
            name = body[..<equals]
            value = String(body[body.index(after: equals)...])
        } else {
            name = body
        }
        let nameEnd = 2 + name.utf8.count
        guard let option = options.first(where: { $0.long == name }) else {
            let known = options.filter { !$0.isHidden }.map(\.long) + ["help"]
            let hint = nearest(String(name), known).map { "; did you mean '--\($0)'?" } ?? ""
            throw UsageError("unknown option '--\(name)' for \(spec.name)\(hint)", argument: i, range: 0..<nameEnd)
        }
        if !option.takesValue {
            if value != nil { throw UsageError("--\(option.long) takes no value", argument: i, range: nameEnd..<argument.utf8.count) }
            return store(option, .init(text: "", argument: i, start: 0), &parsed, next: i + 1)
        }
        if let value {
            let v = ParsedArguments.Value(text: value, argument: i, start: nameEnd + 1)
            try check(option, v)
            return store(option, v, &parsed, next: i + 1)
        }
        let v = try following(option, "--" + option.long, i, arguments)
        return store(option, v, &parsed, next: i + 2)
    }

    private func short(_ argument: String, at i: Int, _ arguments: [String], _ parsed: inout ParsedArguments) throws(UsageError) -> Int {
        var at = argument.index(after: argument.startIndex)
        while at < argument.endIndex {
            let letter = argument[at]
            let offset = argument.utf8.distance(from: argument.startIndex, to: at)
            guard let option = options.first(where: { $0.short == letter }) else {
                throw UsageError(
                    "unknown option '-\(letter)' for \(spec.name)", argument: i, range: offset..<(offset + String(letter).utf8.count))
            }
            at = argument.index(after: at)
            if !option.takesValue {
                _ = store(option, .init(text: "", argument: i, start: 0), &parsed, next: 0)
                continue
            }
            guard at < argument.endIndex else {
                let v = try following(option, "-\(letter)", i, arguments)
                return store(option, v, &parsed, next: i + 2)
            }
            let v = ParsedArguments.Value(
                text: String(argument[at...]), argument: i, start: argument.utf8.distance(from: argument.startIndex, to: at))
            try check(option, v)
            return store(option, v, &parsed, next: i + 1)
        }
        return i + 1
    }

    /// The value in the next argument. One that looks like another option is refused: a value is more likely forgotten
    /// than meant to begin with a dash, and `--name=-value` still says it.
    private func following(_ option: OptionSpec, _ shown: String, _ i: Int, _ arguments: [String]) throws(UsageError)
        -> ParsedArguments.Value
    {
        guard i + 1 < arguments.count else { throw UsageError("\(shown) needs a value: \(option.usage)", argument: i) }
        let next = arguments[i + 1]
        if next.hasPrefix("-"), next != "-", Double(next) == nil {
            throw UsageError(
                "\(shown) needs a value: \(option.usage); one that begins with a dash is given as --\(option.long)=\(next)", argument: i)
        }
        let v = ParsedArguments.Value(text: next, argument: i + 1, start: 0)
        try check(option, v)
        return v
    }

    private func check(_ option: OptionSpec, _ value: ParsedArguments.Value) throws(UsageError) {
        if case .choice(let choices) = option.kind, !choices.contains(value.text) {
            let hint = nearest(value.text, choices).map { "; did you mean '\($0)'?" } ?? ""
            throw value.error("--\(option.long) is '\(value.text)', expected \(listed(choices))\(hint)")
        }
        if value.text.isEmpty { throw value.error("--\(option.long) is empty: \(option.usage)") }
        if let known = formats?.names(option.completion), !known.contains(value.text.lowercased()) {
            let hint = nearest(value.text, known).map { "; did you mean '\($0)'?" } ?? ""
            throw value.error("--\(option.long) is '\(value.text)', expected \(listed(known))\(hint)")
        }
        try option.check(value)
    }

    private func store(_ option: OptionSpec, _ value: ParsedArguments.Value, _ parsed: inout ParsedArguments, next: Int) -> Int {
        if option.isRepeatable {
            parsed.values[option.long, default: []].append(value)
        } else {
            parsed.values[option.long] = [value]
        }
        return next
    }

    private func checkOperands(_ parsed: ParsedArguments) throws(UsageError) {
        let required = spec.operands.filter { !$0.isOptional }
        if parsed.operands.count < required.count {
            let missing = required[parsed.operands.count]
            throw UsageError("\(spec.name) needs \(missing.name): \(missing.help)")
        }
        let isOpen = spec.operands.last?.isRepeatable ?? false
        if !isOpen, parsed.operands.count > spec.operands.count {
            let extra = parsed.operands[spec.operands.count]
            let takes = spec.operands.isEmpty ? "no operand" : spec.operands.map(\.name).joined(separator: " and ")
            throw extra.error("unexpected '\(extra.text)': \(spec.name) takes \(takes)")
        }
        for (i, value) in parsed.operands.enumerated() {
            let operand = spec.operands[min(i, spec.operands.count - 1)]
            if value.text.isEmpty { throw value.error("\(operand.name) is empty") }
            if let choices = operand.choices, !choices.contains(value.text) {
                let hint = nearest(value.text, choices).map { "; did you mean '\($0)'?" } ?? ""
                throw value.error("\(operand.name) is '\(value.text)', expected \(listed(choices))\(hint)")
            }
        }
    }
}

extension FormatRegistry {
    /// The names that an option for a format may have; nil for other options.
    func names(_ completion: OptionSpec.Completion) -> [String]? {
        switch completion {
        case .readableFormats: formats.filter(\.info.canRead).map(\.info.id)
        case .writableFormats: formats.filter(\.info.canWrite).map(\.info.id)
        default: nil
        }
    }
}

/// `a`, `a or b`, `a, b or c`.
func listed(_ words: [String], _ last: String = "or") -> String {
    guard let end = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) " + end
}

/// The known word that `word` was most likely meant to be, or nil where none is near. Never the word itself.
func nearest(_ word: String, _ known: [String]) -> String? {
    let typed = Array(word.lowercased().utf8.prefix(64))
    guard !typed.isEmpty else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in known where candidate != word {
        let c = Array(candidate.lowercased().utf8)
        // A beginning of a word is a better guess than a few letters in common.
        let distance = typed.count >= 2 && c.starts(with: typed) ? 1 : editDistance(typed, c)
        if distance <= max(1, min(typed.count, c.count) / 3), distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var before = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    var row = previous
    for i in 1...max(1, a.count) where i <= a.count {
        row[0] = i
        for j in 1...max(1, b.count) where j <= b.count {
            row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], before[j - 2] + 1) }
        }
        (before, previous, row) = (previous, row, before)
    }
    return previous[b.count]
}
