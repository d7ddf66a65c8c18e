/// An option as data: what the parser accepts, and what help, completions and the generated page say about it.
public struct OptionSpec: Sendable {
    public enum Kind: Sendable, Hashable {
        /// Present or not.
        case flag
        /// Takes a value; the name stands for it in help (`FILE`, `N`).
        case value(String)
        /// Takes one of these values.
        case choice([String])
    }

    /// What a shell may offer for the value: nothing, files, formats that can be read or written, or these words.
    public enum Completion: Sendable, Hashable { case none, files, readableFormats, writableFormats, words([String]) }

    /// Without the two dashes.
    public var long: String
    public var short: Character?
    public var kind: Kind
    /// Whether every occurrence counts; otherwise the last one wins.
    public var isRepeatable: Bool
    /// One line, lower case, no full stop.
    public var help: String
    public var completion: Completion
    /// Accepted and checked, but not shown: it belongs to an output that cannot be written yet.
    public var isHidden: Bool
    /// Throws where a value cannot be right whatever else is given.
    public var check: @Sendable (ParsedArguments.Value) throws(UsageError) -> Void

    public init(
        _ long: String, short: Character? = nil, _ kind: Kind = .flag, repeatable: Bool = false, help: String,
        completion: Completion = .none, hidden: Bool = false,
        check: @escaping @Sendable (ParsedArguments.Value) throws(UsageError) -> Void = { (_) throws(UsageError) in }
    ) {
        self.long = long
        self.short = short
        self.kind = kind
        isRepeatable = repeatable
        self.help = help
        self.completion = completion
        isHidden = hidden
        self.check = check
    }

    /// `--depth N`, `-o, --output FILE`, `--color auto|always|never`.
    public var usage: String {
        let name = (short.map { "-\($0), " } ?? "") + "--" + long
        switch kind {
        case .flag: return name
        case .value(let value): return name + " " + value
        case .choice(let choices): return name + " " + choices.joined(separator: "|")
        }
    }

    public var takesValue: Bool { kind != .flag }
}

/// A positional argument as data.
public struct OperandSpec: Sendable {
    /// `FILE`, `OUT`.
    public var name: String
    public var help: String
    public var isOptional: Bool
    /// Whether any number of further ones may follow.
    public var isRepeatable: Bool
    /// The words to choose from; nil for files.
    public var choices: [String]?

    public init(_ name: String, help: String, optional: Bool = false, repeatable: Bool = false, choices: [String]? = nil) {
        self.name = name
        self.help = help
        isOptional = optional
        isRepeatable = repeatable
        self.choices = choices
    }

    public var usage: String {
        let shown = name + (isRepeatable ? "…" : "")
        return isOptional ? "[\(shown)]" : shown
    }
}

/// A command as data. Parsing, help, completions and the generated page all come from here.
public struct CommandSpec: Sendable {
    public struct Example: Sendable {
        public var command: String
        public var meaning: String
        public init(_ command: String, _ meaning: String) { (self.command, self.meaning) = (command, meaning) }
    }

    public var name: String
    /// One line, no full stop.
    public var summary: String
    /// Paragraphs for the command's own page.
    public var details: [String]
    public var operands: [OperandSpec]
    public var options: [OptionSpec]
    /// Options shared with other commands; listed apart in help.
    public var commonOptions: [OptionSpec]
    public var examples: [Example]

    public init(
        name: String, summary: String, details: [String] = [], operands: [OperandSpec] = [], options: [OptionSpec] = [],
        commonOptions: [OptionSpec] = [], examples: [Example] = []
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.operands = operands
        self.options = options
        self.commonOptions = commonOptions
        self.examples = examples
    }

    public var allOptions: [OptionSpec] { options + commonOptions }

    /// `facet tree [OPTIONS] FILE`
    public var usage: String {
        (["facet", name] + (allOptions.isEmpty ? [] : ["[OPTIONS]"]) + operands.map(\.usage)).joined(separator: " ")
    }
}
