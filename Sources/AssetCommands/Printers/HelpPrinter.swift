/// Help pages from the specifications.
struct HelpPrinter {
    let out: TextBuffer
    let width: Int

    init(out: TextBuffer, width: Int?) {
        self.out = out
        self.width = min(max(width ?? 100, 40), 100)
    }

    /// The list of commands.
    func overview() {
        out.put("facet", .bold)
        out.line(" looks into 3D assets and converts them.")
        out.line()
        heading("Usage")
        out.line("  facet COMMAND [OPTIONS] FILE…")
        out.line()
        heading("Commands")
        let specs = CommandRegistry.all.map { $0.spec }
        entries(specs.map { ($0.name, $0.summary) })
        out.line()
        heading("Options")
        entries([("-h, --help", "show this list; behind a command, its own page"), ("-V, --version", "show the version")])
        out.line()
        heading("Examples")
        entries([
            ("facet tree chair.usdz", "what is inside"),
            ("facet convert chair.usdz chair.obj", "an OBJ with its materials and textures"),
        ])
        out.line()
        out.line("`facet help COMMAND` shows a command's own page, `facet help limits` the ceilings.")
    }

    /// A command's own page.
    func page(_ spec: CommandSpec) {
        out.put(spec.usage, .bold)
        out.endLine()
        out.line()
        paragraph(spec.summary.sentence)
        for p in spec.details {
            out.line()
            paragraph(p)
        }
        let operands = spec.operands.filter { !$0.help.isEmpty }
        if !operands.isEmpty {
            out.line()
            heading("Operands")
            entries(operands.map { ($0.name, $0.help) })
        }
        options("Options", spec.options)
        options("Common options", spec.commonOptions + [CommonOptions.Spec.help])
        if !spec.examples.isEmpty {
            out.line()
            heading("Examples")
            entries(spec.examples.map { ($0.command, $0.meaning) }, share: 3)
        }
    }

    /// `facet help limits`
    func limits() {
        out.put("facet COMMAND --limit NAME=VALUE", .bold)
        out.endLine()
        out.line()
        paragraph(
            """
            Ceilings that keep a hostile or broken file from taking the machine. A file that passes one ends with an error that \
            names it. VALUE is a whole number, with K, M or G for thousands, millions, billions.
            """
        )
        out.line()
        heading("Limits")
        entries(ReadLimit.all.map { ($0.name, "\($0.help) (\(grouped($0.standard)))") })
    }

    private func options(_ title: String, _ options: [OptionSpec]) {
        let shown = options.filter { !$0.isHidden }
        guard !shown.isEmpty else { return }
        out.line()
        heading(title)
        entries(shown.map { ($0.usage, $0.help) })
    }

    private func heading(_ text: String) { out.line(text, .bold) }

    private func paragraph(_ text: String) {
        for l in wrapped(text, to: width) { out.line(l) }
    }

    /// Two columns; a left side longer than `share` fifths of the width gets a line of its own.
    private func entries(_ rows: [(String, String)], share: Int = 2) {
        let most = width * share / 5
        let left = min(most, rows.map { displayWidth($0.0) }.max() ?? 0)
        for (name, help) in rows {
            out.put("  ")
            out.put(name, .cyan)
            var lines = wrapped(help, to: width - left - 4)
            if displayWidth(name) <= left, !lines.isEmpty {
                out.put(spaces: left - displayWidth(name) + 2)
                out.line(lines.removeFirst())
            } else {
                out.endLine()
            }
            for l in lines {
                out.put(spaces: left + 4)
                out.line(l)
            }
        }
    }
}

extension String {
    /// With a capital and a full stop.
    var sentence: String { isEmpty ? "" : prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".") }
}
