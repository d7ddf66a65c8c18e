import AssetIO
import AssetModel
import AssetOps
import Facet

/// `facet info FILE…`
struct InfoCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "info", summary: "Show what an asset is, a screen a file",
            details: [
                """
                Format and version, size on disk, axes and units, what is inside and how much of it, textures with their pixels,\
                 and bounds in file units and in metres.
                """
            ],
            operands: [OperandSpec("FILE", help: "the assets; - reads standard input", repeatable: true)],
            options: [CommonOptions.Spec.json], commonOptions: CommonOptions.reading,
            examples: [
                .init("facet info chair.usdz", "a screen about one file"),
                .init("facet info --json *.usdz", "the same of many for programs"),
            ])
    }

    let files: [String]
    let common: CommonOptions

    init(_ parsed: ParsedArguments) throws(UsageError) {
        files = parsed.operands.map(\.text)
        common = try CommonOptions(parsed)
    }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        var status = ExitStatus.done
        var json = InfoJSON(isList: files.count > 1)
        var isFirst = true
        for file in files {
            do throws(CommandFailure) {
                let (summary, diagnostics) = try summarize(file, run)
                if common.json {
                    json.add(summary, diagnostics, to: run.out)
                } else {
                    if !isFirst { run.out.endLine() }
                    InfoText(summary: summary, diagnostics: diagnostics, width: run.environment.width, isVerbose: run.isVerbose).print(
                        to: run.out)
                    run.out.flush()
                    run.diagnostics.print(diagnostics)
                }
                isFirst = false
            } catch {
                // One file that cannot be read does not keep the others from being shown.
                switch error {
                case .input(let problem) where files.count > 1:
                    run.out.flush()
                    run.diagnostics.print(problem)
                    status = .input
                case .said(let said) where files.count > 1: status = said
                default: throw error
                }
            }
        }
        if common.json { json.finish(to: run.out) }
        return status
    }

    private func summarize(_ file: String, _ run: borrowing ToolRun) throws(CommandFailure) -> (Summary, Diagnostics) {
        var options = common.read
        options.wantsAnimation = true
        options.wantsMeshPrimvars = false
        var (scene, diagnostics) = try run.read(file, common, options)
        let filter = NodeFilter(purposes: common.purposes)
        let summary = Facet.summary(of: scene, filter: filter, resolver: run.environment.resolver, diagnostics: &diagnostics)
        try run.checkStrict(common, diagnostics)
        return (summary, diagnostics)
    }
}
