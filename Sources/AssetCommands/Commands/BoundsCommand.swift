import AssetIO
import AssetModel
import AssetOps

/// `facet bounds FILE`
struct BoundsCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "bounds", summary: "Show the world bounds of the whole and of each node",
            details: [
                """
                Bounds are exact: the points themselves, never an authored extent. They are in file units and cover what is \
                visible and of purpose default or render, unless --purpose says otherwise. A node's bounds cover what lies below\
                 it, too. A word marks each node that does not count in the whole: hidden, or its purpose.
                """
            ],
            operands: [OperandSpec("FILE", help: "the asset; - reads standard input")],
            options: [CommonOptions.Spec.json], commonOptions: CommonOptions.reading,
            examples: [.init("facet bounds chair.usdz", "how large is it, and where")])
    }

    let file: String
    let common: CommonOptions

    init(_ parsed: ParsedArguments) throws(UsageError) {
        file = parsed.operands[0].text
        common = try CommonOptions(parsed)
    }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        var options = common.read
        options.wantsArrays = false
        var (scene, diagnostics) = try run.read(file, common, options)
        let filter = NodeFilter(purposes: common.purposes)
        let bounds = SceneBounds(scene, filter: filter, diagnostics: &diagnostics)
        try run.checkStrict(common, diagnostics)
        let printer = BoundsPrinter(scene: scene, filter: filter, total: bounds.total, nodes: bounds.subtrees(scene, filter: filter))
        if common.json {
            printer.json(to: run.out)
        } else {
            printer.text(to: run.out, width: run.environment.width)
        }
        run.out.flush()
        run.diagnostics.print(diagnostics)
        return .done
    }
}
