/// How a run of the tool ended, as the process reports it.
public enum ExitStatus: Int32, Sendable, Hashable, CaseIterable {
    case done = 0
    /// What was looked for was found: a problem, a difference.
    case finding = 1
    /// The command line is wrong.
    case usage = 2
    /// An input cannot be read.
    case input = 3
    /// An output cannot be written; what was there before is untouched.
    case output = 4
    /// A fault of the program's own.
    case fault = 70

    /// What the status means, for help pages.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .finding: "what was looked for was found"
        case .usage: "the command line is wrong"
        case .input: "an input cannot be read: missing, unknown format, malformed"
        case .output: "an output cannot be written; what was there before is untouched"
        case .fault: "a fault of the program's own"
        }
    }
}
