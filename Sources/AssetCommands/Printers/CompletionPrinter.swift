import AssetIO

/// Completion scripts from the specifications.
struct CompletionPrinter {
    let out: TextBuffer
    let specs: [CommandSpec]
    let formats: FormatRegistry

    private func options(_ spec: CommandSpec) -> [OptionSpec] {
        spec.allOptions.filter { !$0.isHidden } + [CommonOptions.Spec.help]
    }

    /// The words that a shell may offer for an option's value; nil for file names.
    private func words(_ option: OptionSpec) -> [String]? {
        if case .choice(let choices) = option.kind { return choices }
        switch option.completion {
        case .readableFormats, .writableFormats: return formats.names(option.completion)
        case .words(let words): return words
        case .files: return nil
        case .none: return []
        }
    }

    private func operandWords(_ spec: CommandSpec) -> [String]? {
        if spec.name == "help" { return specs.map(\.name) + ["limits"] }
        guard let operand = spec.operands.first else { return [] }
        return operand.choices
    }

    // MARK: bash

    func bash() {
        out.line("# Completion of facet for bash: `facet completions bash`")
        out.line("_facet() {")
        out.line("    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}")
        out.line("    COMPREPLY=()")
        out.line("    if [ \"$COMP_CWORD\" -eq 1 ]; then")
        out.line("        COMPREPLY=($(compgen -W \"\(specs.map(\.name).joined(separator: " ")) --help --version\" -- \"$cur\"))")
        out.line("        return")
        out.line("    fi")
        out.line("    case $command in")
        for spec in specs {
            out.line("    \(spec.name))")
            let valued = options(spec).filter(\.takesValue)
            if !valued.isEmpty {
                out.line("        case $prev in")
                for option in valued {
                    let names = "--" + option.long + (option.short.map { "|-\($0)" } ?? "")
                    if let words = words(option) {
                        // Behind NAME= the value follows, without a blank.
                        let open = words.contains { $0.hasSuffix("=") } ? "compopt -o nospace; " : ""
                        out.line("        \(names)) \(open)COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$cur\")); return ;;")
                    } else {
                        out.line("        \(names)) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); return ;;")
                    }
                }
                out.line("        esac")
            }
            out.line("        if [[ $cur == -* ]]; then")
            out.line("            COMPREPLY=($(compgen -W \"\(options(spec).map { "--" + $0.long }.joined(separator: " "))\" -- \"$cur\"))")
            if let words = operandWords(spec) {
                out.line("        else")
                out.line("            COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$cur\"))")
            } else {
                out.line("        else")
                out.line("            compopt -o filenames")
                out.line("            COMPREPLY=($(compgen -f -- \"$cur\"))")
            }
            out.line("        fi ;;")
        }
        out.line("    esac")
        out.line("}")
        out.line("complete -F _facet facet")
    }

    // MARK: zsh

    func zsh() {
        out.line("#compdef facet")
        out.line("# Completion of facet for zsh: `facet completions zsh`")
        out.line("_facet() {")
        out.line("    if (( CURRENT == 2 )); then")
        out.line("        local -a commands")
        out.line("        commands=(")
        for spec in specs { out.line("            '\(spec.name):\(zshText(spec.summary))'") }
        out.line("        )")
        out.line("        _describe command commands")
        out.line("        return")
        out.line("    fi")
        out.line("    local command=$words[2]")
        out.line("    shift words")
        out.line("    (( CURRENT-- ))")
        out.line("    case $command in")
        for spec in specs {
            out.line("    \(spec.name))")
            out.put("        _arguments -s")
            for option in options(spec) {
                out.line(" \\")
                out.put("            " + zshOption(option))
            }
            out.line(" \\")
            out.line("            '*:operand:\(operandWords(spec).map { "(\($0.joined(separator: " ")))" } ?? "_files")' ;;")
        }
        out.line("    esac")
        out.line("}")
        out.line("_facet \"$@\"")
    }

    private func zshOption(_ option: OptionSpec) -> String {
        let repeated = option.isRepeatable ? "*" : ""
        let value =
            option.takesValue ? ":value:" + (words(option).map { $0.isEmpty ? " " : "(\($0.joined(separator: " ")))" } ?? "_files") : ""
        let long = "'\(repeated)--\(option.long)\(option.takesValue ? "=" : "")[\(zshText(option.help))]\(value)'"
        guard let short = option.short else { return long }
        return long + " '\(repeated)-\(short)[\(zshText(option.help))]\(value)'"
    }

    private func zshText(_ text: String) -> String {
        var out = ""
        for c in text {
            switch c {
            case "'": out += "'\\''"
            case "[", "]", ":", "\\": out += "\\\(c)"
            default: out.append(c)
            }
        }
        return out
    }

    // MARK: fish

    func fish() {
        out.line("# Completion of facet for fish: `facet completions fish`")
        out.line("complete -c facet -f -n __fish_use_subcommand -l version -d 'show the version'")
        for spec in specs { out.line("complete -c facet -f -n __fish_use_subcommand -a \(spec.name) -d '\(fishText(spec.summary))'") }
        for spec in specs {
            let condition = "-n '__fish_seen_subcommand_from \(spec.name)'"
            for option in options(spec) {
                var line = "complete -c facet \(condition) -l \(option.long)"
                if let short = option.short { line += " -s \(short)" }
                if option.takesValue {
                    line += words(option).map { $0.isEmpty ? " -x" : " -x -a '\($0.joined(separator: " "))'" } ?? " -r"
                }
                out.line(line + " -d '\(fishText(option.help))'")
            }
            if let words = operandWords(spec) {
                out.line("complete -c facet -f \(condition)" + (words.isEmpty ? "" : " -a '\(words.joined(separator: " "))'"))
            }
        }
    }

    private func fishText(_ text: String) -> String {
        var out = ""
        for c in text {
            if c == "'" || c == "\\" { out.append("\\") }
            out.append(c)
        }
        return out
    }
}
