import AssetIO

/// The generated pages `docs/generated/cli.md` and `docs/generated/formats.md`.
struct MarkdownPrinter {
    let out: TextBuffer

    /// Every command with its operands and options.
    func commands(_ specs: [CommandSpec]) {
        out.line("# The command line")
        out.line()
        out.line("<!-- Written by `facet help --markdown`. Do not edit. -->")
        out.line()
        out.line("`facet COMMAND [OPTIONS] FILE…`; `facet --help` lists the commands, `facet --version` shows the version.")
        out.line()
        table(["Command", "What it does"], specs.map { ["[`\($0.name)`](#\($0.name))", $0.summary] })
        for spec in specs {
            out.line()
            out.line("## \(spec.name)")
            out.line()
            out.line("`\(spec.usage)`")
            out.line()
            out.line(spec.summary.sentence)
            for p in spec.details {
                out.line()
                out.line(p)
            }
            if !spec.operands.isEmpty {
                out.line()
                table(["Operand", ""], spec.operands.map { ["`\($0.name)`", $0.help] })
            }
            let options = spec.allOptions.filter { !$0.isHidden } + [CommonOptions.Spec.help]
            out.line()
            table(["Option", ""], options.map { ["`\($0.usage)`", $0.help] })
            if !spec.examples.isEmpty {
                out.line()
                table(["Example", ""], spec.examples.map { ["`\($0.command)`", $0.meaning] })
            }
        }
        out.line()
        out.line("## Limits")
        out.line()
        table(
            ["`--limit NAME=VALUE`", "What it bounds", "Unless set"],
            ReadLimit.all.map { ["`\($0.name)`", $0.help, grouped($0.standard)] })
        out.line()
        out.line("## Exit status")
        out.line()
        // A status that none of these commands ends with is left out.
        table(["Status", "Meaning"], ExitStatus.allCases.filter { $0 != .finding }.map { ["\($0.rawValue)", $0.meaning] })
    }

    /// Every format of a registry.
    func formats(_ registry: FormatRegistry) {
        out.line("# Formats")
        out.line()
        out.line("<!-- Written by `facet formats --markdown`. Do not edit. -->")
        out.line()
        table(
            ["Format", "Name", "Extensions", "Reads", "Writes", "State"],
            registry.formats.map { format in
                let info = format.info
                return [
                    "`\(info.id)`", info.name, info.fileExtensions.map { "`.\($0)`" }.joined(separator: " "), info.canRead ? "yes" : "",
                    info.canWrite ? "yes" : "", info.maturity.rawValue,
                ]
            })
        for format in registry.formats where !format.info.notes.isEmpty {
            out.line()
            out.line("## \(format.info.name)")
            out.line()
            for note in format.info.notes { out.line("- \(note)") }
        }
    }

    private func table(_ head: [String], _ rows: [[String]]) {
        row(head)
        out.line("|" + String(repeating: " --- |", count: head.count))
        for r in rows { row(r) }
    }

    private func row(_ cells: [String]) {
        out.line(
            "| "
                + cells.map { $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") }.joined(separator: " | ")
                + " |")
    }
}
