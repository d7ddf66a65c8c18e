import AssetIO

/// `facet completions bash|zsh|fish`
struct CompletionsCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "completions", summary: "Print a completion script for a shell",
            operands: [OperandSpec("SHELL", help: "bash, zsh or fish", choices: ["bash", "zsh", "fish"])],
            commonOptions: [CommonOptions.Spec.color],
            examples: [
                .init("facet completions bash > /etc/bash_completion.d/facet", "for bash"),
                .init("facet completions zsh > \"${fpath[1]}/_facet\"", "for zsh"),
                .init("facet completions fish > ~/.config/fish/completions/facet.fish", "for fish"),
            ])
    }

    let shell: String

    init(_ parsed: ParsedArguments) throws(UsageError) { shell = parsed.operands[0].text }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        let printer = CompletionPrinter(
            out: run.out, specs: CommandRegistry.all.map { $0.spec },
            formats: run.environment.registry)
        switch shell {
        case "bash": printer.bash()
        case "zsh": printer.zsh()
        default: printer.fish()
        }
        return .done
    }
}
