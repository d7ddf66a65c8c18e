import AssetIO

/// `facet formats`
struct FormatsCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "formats", summary: "List the formats that can be read and written",
            options: [
                CommonOptions.Spec.json,
                OptionSpec("markdown", help: "print the list as Markdown"),
            ],
            commonOptions: [CommonOptions.Spec.color])
    }

    let json: Bool
    let markdown: Bool

    init(_ parsed: ParsedArguments) throws(UsageError) {
        json = parsed.has("json")
        markdown = parsed.has("markdown")
        if json, markdown { throw UsageError("--json and --markdown exclude each other") }
    }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        let registry = run.environment.registry
        if markdown {
            MarkdownPrinter(out: run.out).formats(registry)
        } else if json {
            FormatsPrinter(registry: registry).json(to: run.out)
        } else {
            FormatsPrinter(registry: registry).text(to: run.out)
        }
        return .done
    }
}
