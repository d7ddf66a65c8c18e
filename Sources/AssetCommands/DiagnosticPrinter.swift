import AssetModel

/// How much a run tells on standard error.
enum Verbosity { case quiet, normal, verbose }

/// The one printer of warnings and errors:
///
///     chair.usdz[a.usda]:12:7: warning: unknown field "foo" [usda.unknown-field] </World/Chair> (×12)
struct DiagnosticPrinter {
    /// Warnings shown without `--verbose`.
    static let limit = 20

    let out: TextBuffer
    var verbosity = Verbosity.normal
    /// Whether warnings are shown as the errors they count as.
    var isStrict = false

    func print(_ diagnostics: Diagnostics) {
        var shown = 0
        var hidden = 0
        for d in diagnostics.entries where wants(d.severity) {
            if d.severity != .error, verbosity != .verbose, shown >= Self.limit {
                hidden += 1
                continue
            }
            shown += 1
            print(d)
        }
        if hidden > 0 {
            out.line("facet: \(grouped(hidden)) more \(hidden == 1 ? "warning" : "warnings") not shown; --verbose shows all", .dim)
        }
        if diagnostics.omitted > 0, verbosity != .quiet {
            out.line("facet: \(grouped(diagnostics.omitted)) more were met and not kept", .dim)
        }
        out.flush()
    }

    private func wants(_ severity: Severity) -> Bool {
        switch severity {
        case .info: verbosity == .verbose
        case .warning: verbosity != .quiet || isStrict
        case .error: true
        }
    }

    func print(_ d: Diagnostic) {
        var place = escaped(d.location.file)
        switch d.location.position {
        case .line(let line, let column): place += ":\(line):\(column)"
        case .byteOffset(let offset): place += ":byte \(offset)"
        case .jsonPointer(let pointer): place += "#" + escaped(pointer)
        case .unknown: break
        }
        if place.isEmpty { place = "facet" }
        out.put(place, .bold)
        out.put(": ")
        switch d.severity {
        case .info: out.put("info", .cyan)
        case .warning where !isStrict: out.put("warning", .yellow)
        case .warning, .error: out.put("error", .red)
        }
        out.put(": " + shortMessage(d.message))
        out.put(" [\(escaped(d.code))]", .dim)
        if let path = d.location.primPath { out.put(" <\(shortName(path))>", .cyan) }
        if d.count > 1 { out.put(" (×\(grouped(d.count)))", .bold) }
        out.endLine()
        for note in d.notes { out.line("    " + escaped(note), .dim) }
    }

    func print(_ error: AssetError) {
        print(error.diagnostic)
        out.flush()
    }

    /// A fault of the tool's surroundings without a place: `facet: error: …`.
    func printError(_ message: String) {
        out.put("facet", .bold)
        out.put(": ")
        out.put("error", .red)
        out.line(": " + escaped(message))
        out.flush()
    }

    /// A command line that is wrong, with the argument marked:
    ///
    ///     facet: error: unknown option '--dpeth' for tree; did you mean '--depth'?
    ///       facet tree --dpeth 3 a.usda
    ///                  ^^^^^^^
    func print(_ error: UsageError, arguments: [String], help: String) {
        out.put("facet", .bold)
        out.put(": ")
        out.put("error", .red)
        out.line(": " + escaped(error.message))
        if let index = error.argument, arguments.indices.contains(index) {
            var before = "facet"
            for a in arguments[..<index] { before += " " + quoted(a) }
            before += " "
            let argument = quoted(arguments[index])
            var start = 0
            var width = displayWidth(argument)
            // A quoted argument is marked whole: its bytes are not those that were typed.
            if argument == arguments[index], let range = error.range, let marked = argument.utf8Slice(range) {
                start = displayWidth(marked.before)
                width = displayWidth(marked.text)
            }
            let after = arguments[(index + 1)...].map { " " + quoted($0) }.joined()
            out.line("  " + before + argument + after)
            out.put(spaces: 2 + displayWidth(before) + start)
            out.line(String(repeating: "^", count: max(1, width)), .red)
        }
        out.line(help, .dim)
        out.flush()
    }
}

/// A message, cut where it holds names of megabytes.
private func shortMessage(_ message: String) -> String {
    let limit = 2000
    return message.utf8.count <= limit ? escaped(message) : escaped(String(message.unicodeScalars.prefix(limit))) + "…"
}

/// An argument as a shell would take it.
func quoted(_ argument: String) -> String {
    let shown = escaped(argument)
    let isPlain =
        !shown.isEmpty
        && shown.utf8.allSatisfy { c in
            switch c {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case _ where c >= 0x80: true
            default: "-_./=:,+@%{}[]".utf8.contains(c)
            }
        }
    return isPlain ? shown : "'" + shown + "'"
}

extension String {
    /// The text in a range of UTF-8 bytes and the text before it; nil where the range is not inside or cuts a character.
    fileprivate func utf8Slice(_ range: Range<Int>) -> (before: String, text: String)? {
        guard range.upperBound <= utf8.count else { return nil }
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let end = utf8.index(utf8.startIndex, offsetBy: range.upperBound)
        guard let before = String(utf8[..<start]), let text = String(utf8[start..<end]) else { return nil }
        return (before, text)
    }
}
