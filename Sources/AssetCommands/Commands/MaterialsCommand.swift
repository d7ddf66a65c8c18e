import AssetIO
import AssetModel
import AssetOps

/// `facet materials FILE`
struct MaterialsCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "materials", summary: "Show each material: its inputs, its textures, and what uses it",
            details: [
                """
                An input shows its value, or the texture that replaces it: the file, the channels taken, the primvar with the \
                coordinates, how the texture goes on beyond its edges, its colour space, and where it is moved, turned or \
                scaled.
                """
            ],
            operands: [OperandSpec("FILE", help: "the asset; - reads standard input")],
            options: [CommonOptions.Spec.json], commonOptions: CommonOptions.reading,
            examples: [.init("facet materials chair.usdz", "every material with its textures")])
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
        let (scene, diagnostics) = try run.read(file, common, options, warnsOfNothing: false)
        try run.checkStrict(common, diagnostics)
        let printer = MaterialsPrinter(scene: scene, users: scene.materialUsers)
        if common.json {
            printer.json(to: run.out)
        } else {
            printer.text(to: run.out, isVerbose: run.isVerbose)
        }
        run.out.flush()
        run.diagnostics.print(diagnostics)
        return .done
    }
}
