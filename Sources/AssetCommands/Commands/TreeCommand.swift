import AssetIO
import AssetModel
import AssetOps

/// `facet tree FILE`
struct TreeCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "tree", summary: "Show the hierarchy of an asset, a line a node",
            details: [
                """
                Each line names a node, its type and what it holds: points, faces and triangles of a mesh, its material, and \
                marks for what is hidden, of another purpose than default, an instance, or animated.
                """
            ],
            operands: [OperandSpec("FILE", help: "the asset; - reads standard input")],
            options: [
                OptionSpec("depth", short: "d", .value("N"), help: "show N levels") { (v) throws(UsageError) in
                    _ = try v.integer("depth", in: 1...Int.max)
                },
                OptionSpec("path", .value("/A/B"), help: "show this node and what lies below it") { (v) throws(UsageError) in
                    try v.checkPath("path")
                },
                OptionSpec("type", .value("TYPE"), help: "show nodes of this type only (Mesh, Xform, Camera …)"),
                OptionSpec("bounds", help: "add world bounds, in file units"),
                OptionSpec("transforms", help: "add the transform ops as authored and the matrices"),
                OptionSpec("values", help: "add the attributes of a USD prim with their values"),
                OptionSpec("arcs", help: "add what composed a USD prim"),
                CommonOptions.Spec.json,
            ],
            commonOptions: CommonOptions.reading,
            examples: [
                .init("facet tree chair.usdz", "everything inside"),
                .init("facet tree --depth 2 --bounds room.usdc", "two levels, with sizes"),
                .init("facet tree --json chair.usdz", "the same for programs"),
            ])
    }

    let file: String
    let common: CommonOptions
    let depth: Int?
    let path: ParsedArguments.Value?
    let type: String?
    let showsBounds, showsTransforms, showsValues, showsArcs: Bool

    init(_ parsed: ParsedArguments) throws(UsageError) {
        file = parsed.operands[0].text
        common = try CommonOptions(parsed)
        depth = try parsed.integer("depth", in: 1...Int.max)
        path = parsed.value("path")
        type = parsed.value("type")?.text
        showsBounds = parsed.has("bounds")
        showsTransforms = parsed.has("transforms")
        showsValues = parsed.has("values")
        showsArcs = parsed.has("arcs")
    }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        var reading = common.read
        reading.wantsArcs = showsArcs
        reading.wantsTransformOps = showsTransforms
        reading.wantsAttributes = showsValues
        reading.wantsArrays = false
        var (scene, diagnostics) = try run.read(file, common, reading)
        var options = Outline.Options()
        options.path = path?.text
        options.depth = depth
        options.type = type
        options.wantsBounds = common.json || showsBounds
        options.filter.purposes = common.purposes
        if let path, path.text != "/", !scene.nodes.contains(where: { $0.path == path.text }) {
            throw .usage(unknownNode(path, "path", in: scene))
        }
        let outline: Outline
        do {
            outline = try Outline(scene, options, diagnostics: &diagnostics)
        } catch {
            throw .input(error)
        }
        if let type, outline.entries.isEmpty { diagnostics.add(missingType(type, outline)) }
        try run.checkStrict(common, diagnostics)
        if common.json {
            let extras = TreeJSON.Extras(transformOps: showsTransforms, attributes: showsValues, arcs: showsArcs)
            TreeJSON(outline: outline, extras: extras).print(diagnostics, to: run.out)
        } else {
            let details = TreeText.Details(bounds: showsBounds, transforms: showsTransforms, values: showsValues, arcs: showsArcs)
            TreeText(
                outline: outline, details: details, width: run.environment.width, isFlat: type != nil,
                isFolding: run.environment.isOutputTerminal && !run.isVerbose && details.isEmpty
            )
            .print(to: run.out)
            run.out.flush()
            run.diagnostics.print(diagnostics)
        }
        return .done
    }
}

extension TreeCommand {
    /// Says that no node is of the type that was asked for, and which types there are.
    private func missingType(_ type: String, _ outline: Outline) -> Diagnostic {
        let scene = outline.scene
        var known: [String] = []
        for node in scene.nodes where !node.typeName.isEmpty && known.count < 1000 && !known.contains(node.typeName) { known.append(node.typeName) }
        let hint = nearest(type, known).map { "; did you mean '\($0)'?" }
        if known.contains(where: { $0.lowercased() == type.lowercased() }) {
            return Diagnostic(
                .warning, "tree.no-such-type", "no node shown is of type '\(type)'; there are some outside of what is shown",
                at: SourceLocation(file: scene.source.file))
        }
        let shown = known.isEmpty ? "" : ", expected \(listed(known.count > 8 ? known.prefix(8) + ["another"] : known))"
        return Diagnostic(
            .warning, "tree.no-such-type", "no node shown is of type '\(type)'\(hint ?? shown)", at: SourceLocation(file: scene.source.file))
    }
}

/// The message for a node path of the command line that the file does not have.
func unknownNode(_ value: ParsedArguments.Value, _ option: String, in scene: Scene) -> UsageError {
    let paths = scene.nodes.lazy.map(\.path)
    var hint = ""
    if let found = paths.first(where: { $0.lowercased() == value.text.lowercased() }) ?? nearest(value.text, Array(paths.prefix(20_000))) {
        hint = "; did you mean '\(found)'?"
    } else if let name = value.text.split(separator: "/").last, let found = scene.nodes.first(where: { $0.name == name }) {
        hint = "; there is '\(found.path)'"
    }
    return value.error("--\(option) is '\(value.text)', but the file has no such node\(hint)")
}
