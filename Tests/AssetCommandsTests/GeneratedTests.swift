import AssetCommands
import AssetIO
import AssetModel
import Facet
import TestSupport
import Testing

/// Pages and scripts that are made from the specifications.
@Suite struct GeneratedTests {
    private func run(_ arguments: String...) -> String {
        let output = MemorySink()
        let environment = ToolEnvironment(
            standardOutput: output, standardError: MemorySink(), resolver: InMemoryResolver(), registry: .standard,
            readInput: { () throws(AssetError) in [] }, openOutput: { (_, _) throws(AssetError) in MemoryOutput() })
        #expect(runTool(arguments, environment) == .done)
        return output.text
    }

    private func check(_ actual: String, _ file: String, madeBy command: String) throws {
        let expected = try? Repository.text(file)
        if expected == actual { return }
        throw TestFailure(
            "\(file) is out of date: run `\(command) > \(file)`\n" + TextDiff.describe(expected: expected ?? "", actual: actual))
    }

    @Test func theCommandLinePageIsUpToDate() throws {
        try check(run("help", "--markdown"), "docs/generated/cli.md", madeBy: "swift run facet help --markdown")
    }

    @Test func theFormatsPageIsUpToDate() throws {
        try check(run("formats", "--markdown"), "docs/generated/formats.md", madeBy: "swift run facet formats --markdown")
    }

    /// Commands and their options as the overview and the pages show them.
    private func commands() -> [String] {
        let page = run("help").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = page.firstIndex(of: "Commands").map { $0 + 1 } ?? 0
        return page[start...].prefix { !$0.isEmpty }.compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    @Test func everyCommandHasAPageAndIsCompleted() {
        let commands = commands()
        #expect(commands == ["tree", "info", "bounds", "materials", "convert", "cat", "formats", "completions", "help"])
        for shell in ["bash", "zsh", "fish"] {
            let script = run("completions", shell)
            for command in commands {
                #expect(script.contains(command))
                let page = run("help", command)
                #expect(page.hasPrefix("facet \(command)"))
                for line in page.split(separator: "\n") where line.hasPrefix("  --") || line.hasPrefix("  -") {
                    guard let option = line.split(separator: " ").first(where: { $0.hasPrefix("--") }) else { continue }
                    #expect(script.contains(shell == "fish" ? "-l \(option.dropFirst(2))" : option), "\(shell): \(option)")
                }
            }
        }
    }

    @Test func quotesInScriptsArePaired() {
        for shell in ["bash", "zsh", "fish"] {
            for line in run("completions", shell).split(separator: "\n") where !line.hasPrefix("#") {
                var quotes = 0
                var isEscaped = false
                for c in line {
                    if c == "'", !isEscaped { quotes += 1 }
                    isEscaped = c == "\\" && !isEscaped
                }
                #expect(quotes.isMultiple(of: 2), "\(shell): \(line)")
            }
        }
    }

    @Test func helpTextsAreInTheHouseStyle() {
        for command in commands() {
            for line in run("help", command).split(separator: "\n") {
                #expect(line.count <= 100, "\(line)")
                #expect(line.last != " ", "\(line)")
            }
        }
    }
}
