/// `facet help [COMMAND|limits]`
struct HelpCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "help", summary: "Show how facet or one of its commands is used",
            operands: [OperandSpec("TOPIC", help: "a command, or `limits`", optional: true)],
            options: [
                OptionSpec("markdown", help: "print the pages of all commands as Markdown")
            ],
            commonOptions: [CommonOptions.Spec.color],
            examples: [.init("facet help convert", "the page of convert"), .init("facet help limits", "the ceilings that --limit sets")])
    }

    let topic: ParsedArguments.Value?
    let markdown: Bool

    init(_ parsed: ParsedArguments) throws(UsageError) {
        topic = parsed.operands.first
        markdown = parsed.has("markdown")
        guard let topic, topic.text != "limits", CommandRegistry.command(topic.text) == nil else { return }
        let known = CommandRegistry.all.map { $0.spec.name } + ["limits"]
        let hint = nearest(topic.text, known).map { "; did you mean '\($0)'?" } ?? ""
        throw topic.error("no help on '\(topic.text)', expected \(listed(known))\(hint)")
    }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        let printer = HelpPrinter(out: run.out, width: run.environment.width)
        if markdown {
            MarkdownPrinter(out: run.out).commands(CommandRegistry.all.map { $0.spec })
        } else if topic?.text == "limits" {
            printer.limits()
        } else if let topic, let command = CommandRegistry.command(topic.text) {
            printer.page(command.spec)
        } else {
            printer.overview()
        }
        return .done
    }
}
