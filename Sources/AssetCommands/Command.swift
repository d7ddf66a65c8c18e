import AssetModel

/// A command: its specification as data, a pure reading of the parsed arguments, and the work.
protocol Command {
    static var spec: CommandSpec { get }
    /// Checks values that the specification cannot express. No I/O.
    init(_ parsed: ParsedArguments) throws(UsageError)
    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus
}

/// Why a command ended early.
enum CommandFailure: Error {
    /// The message is for the person who typed the command line.
    case usage(UsageError)
    /// An input cannot be read.
    case input(AssetError)
    /// An output cannot be written.
    case output(AssetError)
    /// Warnings about an input that count as errors; they have been printed.
    case strict(Diagnostics)
    /// Everything worth saying was said.
    case said(ExitStatus)

    var isAboutInput: Bool {
        switch self {
        case .input, .strict: true
        case .usage, .output, .said: false
        }
    }
}

/// What a command has at hand while it runs.
struct ToolRun: ~Copyable {
    let environment: ToolEnvironment
    /// Standard output for people or programs.
    let out: TextBuffer
    let diagnostics: DiagnosticPrinter

    var isVerbose: Bool { diagnostics.verbosity == .verbose }

    /// Begins to show how far a piece of work is; nil where that is not to be seen. It must end before anything else is printed.
    ///
    /// - Parameters:
    ///   - activity: what is done to the file: `reading`.
    ///   - always: whether it is shown where standard error is no terminal as well, and its last state stays.
    func startProgress(_ activity: String, _ file: String, always: Bool = false) -> ProgressLine? {
        guard diagnostics.verbosity != .quiet, environment.isErrorTerminal || always, let terminal = environment.progress else { return nil }
        return ProgressLine(activity, file, on: terminal, endsVisibly: always)
    }
}

/// The commands, in the order in which help lists them.
enum CommandRegistry {
    static var all: [any Command.Type] {
        [
            TreeCommand.self, InfoCommand.self, BoundsCommand.self, MaterialsCommand.self, ConvertCommand.self, CatCommand.self,
            FormatsCommand.self, CompletionsCommand.self, HelpCommand.self,
        ]
    }

    static func command(_ name: String) -> (any Command.Type)? { all.first { $0.spec.name == name } }
}
