import AssetIO
import AssetModel

/// The program's version.
public let toolVersion = "0.1.0"

/// Runs the tool once: `arguments` are those behind the program's name. Everything it reads and prints goes through
/// `environment`.
public func runTool(_ arguments: [String], _ environment: ToolEnvironment) -> ExitStatus {
    // Nothing is built before these: a version must be told as fast as the process starts.
    if let first = arguments.first, first == "--version" || first == "-V" {
        guard arguments.count == 1 else {
            DiagnosticPrinter(out: TextBuffer(environment.standardError, colored: environment.isErrorTerminal && environment.allowsColor)).print(
                UsageError("unexpected '\(arguments[1])': \(first) stands alone", argument: 1), arguments: arguments,
                help: "`facet help` lists the commands")
            return .usage
        }
        let out = TextBuffer(environment.standardOutput, colored: false)
        out.line("facet \(toolVersion)")
        return finish(out, .done, environment)
    }
    let plain = DiagnosticPrinter(
        out: TextBuffer(environment.standardError, colored: environment.isErrorTerminal && environment.allowsColor))
    guard let first = arguments.first else {
        HelpPrinter(out: plain.out, width: environment.width).overview()
        plain.out.flush()
        return .usage
    }
    let name = first == "--help" || first == "-h" ? "help" : first
    guard let type = CommandRegistry.command(name) else {
        plain.print(unknownCommand(name), arguments: arguments, help: "`facet help` lists the commands")
        return .usage
    }
    let spec = type.spec
    if asksForHelp(arguments.dropFirst()) {
        let out = TextBuffer(environment.standardOutput, colored: environment.isOutputTerminal && environment.allowsColor)
        HelpPrinter(out: out, width: environment.width).page(spec)
        return finish(out, .done, environment)
    }
    let help = "`facet help \(spec.name)` shows how it is used"
    do throws(UsageError) {
        let parsed = try ArgumentParser(spec, formats: environment.registry).parse(arguments, from: 1)
        let command = try type.init(parsed)
        let color = parsed.value("color")?.text ?? "auto"
        let colorsOutput = color == "always" || color == "auto" && environment.isOutputTerminal && environment.allowsColor
        let colorsError = color == "always" || color == "auto" && environment.isErrorTerminal && environment.allowsColor
        let out = TextBuffer(environment.standardOutput, colored: colorsOutput)
        let run = ToolRun(
            environment: environment, out: out,
            diagnostics: DiagnosticPrinter(
                out: TextBuffer(environment.standardError, colored: colorsError),
                verbosity: parsed.has("verbose") ? .verbose : parsed.has("quiet") ? .quiet : .normal, isStrict: parsed.has("strict")))
        do throws(CommandFailure) {
            return finish(out, try command.run(run), environment)
        } catch {
            // Programs that read the output find there what was wrong with the input.
            if error.isAboutInput, parsed.has("json"), let file = parsed.operands.first?.text {
                var json = JSONWriter()
                json.beginObject()
                json.schema("facet.\(spec.name)/1")
                json.failure(error, of: file)
                json.endObject()
                json.flush(out)
            }
            _ = finish(out, .done, environment)
            switch error {
            case .usage(let usage):
                run.diagnostics.print(usage, arguments: arguments, help: help)
                return .usage
            case .input(let problem):
                run.diagnostics.print(problem)
                return .input
            case .output(let problem):
                run.diagnostics.print(problem)
                return .output
            case .strict:
                return .input
            case .said(let status):
                return status
            }
        }
    } catch {
        plain.print(error, arguments: arguments, help: help)
        return .usage
    }
}

/// Hands on what is left of the output. A closed pipe is a quiet end; anything else that stops it is an output that
/// cannot be written.
private func finish(_ out: TextBuffer, _ status: ExitStatus, _ environment: ToolEnvironment) -> ExitStatus {
    out.flush()
    switch out.failure {
    case nil, .closed: return status
    case .failed(let reason):
        DiagnosticPrinter(out: TextBuffer(environment.standardError, colored: false)).printError("cannot write standard output: \(reason)")
        return .output
    }
}

private func unknownCommand(_ name: String) -> UsageError {
    if name.hasPrefix("-") {
        return UsageError("'\(name)' stands before the command; the command comes first: facet COMMAND [OPTIONS] FILE", argument: 0)
    }
    let hint = nearest(name, CommandRegistry.all.map { $0.spec.name }).map { "; did you mean '\($0)'?" } ?? ""
    return UsageError("unknown command '\(name)'\(hint)", argument: 0)
}

/// Whether `--help` or `-h` stands among the options, before any `--`.
private func asksForHelp(_ arguments: ArraySlice<String>) -> Bool {
    for a in arguments {
        if a == "--" { return false }
        if a == "--help" || a == "-h" { return true }
    }
    return false
}
