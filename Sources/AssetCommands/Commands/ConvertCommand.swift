import AssetIO
import AssetModel
import Facet

/// `facet convert IN OUT`
struct ConvertCommand: Command {
    /// Options that belong to some outputs only, with the formats that have them.
    private static let outputsOf: [(option: String, formats: [String])] = [
        ("encoding", ["ply", "stl"]), ("instancing", ["gltf", "glb"]),
        ("opacity", ["gltf", "glb"]),
        ("usdc-version", ["usdc", "usdz"]), ("flatten", ["usda", "usdc", "usdz"]), ("profile", ["usdz"]),
    ]

    static var spec: CommandSpec {
        CommandSpec(
            name: "convert", summary: "Convert an asset to another format",
            details: [
                """
                OUT's extension picks the format. What is visible and of purpose default or render is written, with materials \
                and textures beside OUT. Files appear whole or not at all, OUT last.
                """,
                "A warning tells of everything that the format cannot hold.",
            ],
            operands: [
                OperandSpec("IN", help: "the asset; - reads standard input"),
                OperandSpec("OUT", help: "the file to write; - writes standard output where the format is one file"),
            ],
            options: [
                OptionSpec("to", .value("FORMAT"), help: "write this format, whatever OUT's extension", completion: .writableFormats),
                OptionSpec("overwrite", help: "replace files that exist"),
                OptionSpec("node", .value("/PATH"), help: "write only this node and what lies below it") { (v) throws(UsageError) in
                    try v.checkPath("node")
                },
                OptionSpec("include-hidden", help: "write hidden nodes, too"),
                OptionSpec("units", .choice(["keep", "m", "cm", "mm"]), help: "unit of the output (keep: the file's numbers)"),
                OptionSpec("up", .choice(["keep", "y", "z"]), help: "up axis of the output (keep: the file's own)"),
                OptionSpec("from-units", .choice(["m", "cm", "mm", "in", "ft"]), help: "unit of an input that does not say (m)"),
                OptionSpec("from-up", .choice(["y", "z"]), help: "up axis of an input that does not say (y)"),
                OptionSpec("triangulate", help: "cut polygons into triangles"),
                OptionSpec("no-weld", help: "keep the triangles of an STL apart: three points each"),
                OptionSpec(
                    "textures", .choice(WriteOptions.Textures.allCases.map(\.rawValue)),
                    help: "copy textures beside OUT, embed them in it, or skip them (copy)"),
                OptionSpec(
                    "mtl-roughness", .choice(MTLRoughness.allCases.map(\.rawValue)),
                    help: "how Ns of an MTL and roughness translate (blender)"),
                OptionSpec(
                    "encoding", .choice(WriteOptions.Encoding.allCases.map(\.rawValue)),
                    help: "how PLY and STL are written; big-endian is PLY's (binary)"),
                OptionSpec(
                    "instancing", .choice(WriteOptions.Instancing.allCases.map(\.rawValue)),
                    help: "what copies of point instancers are in glTF: nodes, GPU instances, or geometry of their own (nodes)"),
                OptionSpec(
                    "opacity", .choice(WriteOptions.Opacity.allCases.map(\.rawValue)),
                    help: "what transparency that keeps its highlights is in glTF (blend)"),
                OptionSpec("allow-empty", help: "write a file although nothing is in it"),
                OptionSpec(
                    "progress", .choice(["auto", "always", "never"]), help: "a progress line; auto: on a terminal, when it takes long"),
                OptionSpec("usdc-version", .value("V"), help: "crate version to write", hidden: true),
                OptionSpec("flatten", help: "compose the stage into one layer", hidden: true),
                OptionSpec("profile", .value("NAME"), help: "rules that a package keeps", hidden: true),
            ],
            commonOptions: CommonOptions.reading,
            examples: [
                .init("facet convert chair.usdz chair.obj", "chair.obj, chair.mtl and the textures"),
                .init("facet convert --up z --units mm room.usdc room.obj", "for a program with another up axis"),
                .init("facet convert --node /World/Chair room.usdc chair.obj", "one part"),
                .init("facet convert --units mm --up z part.usda part.stl", "for a printer"),
                .init("facet convert --opacity transmission glass.usdz glass.glb", "one binary glTF"),
                .init("facet convert --encoding ascii scan.obj scan.ply", "as text"),
            ])
    }

    let input: String
    let output: ParsedArguments.Value
    let to: ParsedArguments.Value?
    let node: ParsedArguments.Value?
    let common: CommonOptions
    let options: ConversionOptions
    let progress: String
    /// Options that only some formats have, as given.
    private let special: [(name: String, value: ParsedArguments.Value)]
    private let embedsTextures: ParsedArguments.Value?
    private let encoding: ParsedArguments.Value?

    init(_ parsed: ParsedArguments) throws(UsageError) {
        input = parsed.operands[0].text
        output = parsed.operands[1]
        to = parsed.value("to")
        node = parsed.value("node")
        common = try CommonOptions(parsed)
        if output.text == "-", to == nil { throw output.error("writing standard output needs --to FORMAT") }
        var options = ConversionOptions()
        options.read = common.read
        options.write.imageBytes = common.read.limits.imageBytes
        options.format = to?.text
        options.overwrite = parsed.has("overwrite")
        options.isStrict = common.isStrict
        options.write.metersPerUnit = parsed.value("units").flatMap { Self.unit($0.text) }
        options.write.upAxis = parsed.value("up").flatMap { $0.text == "keep" ? nil : $0.text.uppercased() }
        options.inputMetersPerUnit = parsed.value("from-units").flatMap { Self.unit($0.text) }
        options.inputUpAxis = parsed.value("from-up")?.text.uppercased()
        options.write.triangulate = parsed.has("triangulate")
        options.weldsCorners = !parsed.has("no-weld")
        options.write.includeHidden = parsed.has("include-hidden")
        options.write.purposes = common.purposes
        options.write.nodePath = node.flatMap { $0.text == "/" ? nil : $0.text }
        options.write.allowEmpty = parsed.has("allow-empty")
        if let t = parsed.value("textures"), let textures = WriteOptions.Textures(rawValue: t.text) { options.write.textures = textures }
        if let m = parsed.value("mtl-roughness"), let roughness = MTLRoughness(rawValue: m.text) {
            options.read.mtlRoughness = roughness
            options.write.mtlRoughness = roughness
        }
        if let e = parsed.value("encoding"), let encoding = WriteOptions.Encoding(rawValue: e.text) { options.write.encoding = encoding }
        if let i = parsed.value("instancing"), let instancing = WriteOptions.Instancing(rawValue: i.text) { options.write.instancing = instancing }
        if let o = parsed.value("opacity"), let opacity = WriteOptions.Opacity(rawValue: o.text) { options.write.opacity = opacity }
        options.write.hasFolder = output.text != "-"
        self.options = options
        encoding = parsed.value("encoding")
        embedsTextures = parsed.value("textures").flatMap { $0.text == "embed" ? $0 : nil }
        progress = parsed.value("progress")?.text ?? "auto"
        special = Self.outputsOf.compactMap { o in parsed.value(o.option).map { (o.option, $0) } }
    }

    private static func unit(_ name: String) -> Double? {
        switch name {
        case "m": 1
        case "cm": 0.01
        case "mm": 0.001
        case "in": 0.0254
        case "ft": 0.3048
        default: nil
        }
    }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        let format = try format(run)
        // First the input: the output must know what it may not replace.
        let bytes: FileBytes
        do {
            bytes = try run.bytes(input)
        } catch {
            throw .input(error)
        }
        let sink: any OutputSink
        do {
            sink = try run.environment.openOutput(output.text, options.overwrite)
        } catch {
            throw .output(error)
        }
        let name = output.text == "-" ? "out." + (format.info.fileExtensions.first ?? format.info.id) : AssetPath.baseName(output.text)
        let line = progress == "never" ? nil : run.startProgress("converting", input, always: progress == "always")
        var options = options
        if let line { (options.read.progress, options.write.progress) = (line.reporter, line.reporter) }
        let done: Conversion
        do throws(ConversionFailure) {
            done = try convert(
                from: bytes, as: format, named: name, into: sink, options: options, resolver: run.environment.resolver,
                registry: run.environment.registry)
            line?.stop()
        } catch {
            line?.stop()
            run.diagnostics.print(error.diagnostics)
            guard let problem = error.error else { throw .said(error.cause == .input ? .input : .output) }
            if problem.diagnostic.code == "output.closed-pipe" { return .done }
            if problem.diagnostic.code == "scene.no-such-node", let node {
                // Read again: only a command line that is wrong pays for its hint.
                let asset = try? Facet.open(
                    bytes, options: common.read, resolver: run.environment.resolver, registry: run.environment.registry)
                if let scene = asset?.scene { throw .usage(unknownNode(node, "node", in: scene)) }
                throw .usage(node.error("--node is '\(node.text)', but the file has no such node"))
            }
            if let wrong = common.selectionError(problem) { throw .usage(wrong) }
            // That nothing is left to write is a fault of what was given, whoever notices it.
            let isInput = error.cause == .input || problem.diagnostic.code.hasSuffix(".nothing-to-write")
            throw isInput ? .input(problem) : .output(problem)
        }
        if output.text != "-", run.diagnostics.verbosity != .quiet {
            let others = done.fileCount > 1 ? " and \(counted(done.fileCount - 1, "file")) beside it" : ""
            run.out.line("wrote \(escaped(output.text))\(others), \(byteText(done.byteCount))")
            run.out.flush()
        }
        var diagnostics = done.inputDiagnostics
        diagnostics.add(done.outputDiagnostics)
        run.diagnostics.print(diagnostics)
        return .done
    }

    /// The format to write, and whether the options fit it.
    private func format(_ run: borrowing ToolRun) throws(CommandFailure) -> any Format {
        let format: any Format
        do {
            format = try run.environment.registry.writer(of: output.text, named: to?.text)
        } catch {
            throw .usage((to ?? output).error(error.diagnostic.message))
        }
        let info = format.info
        if output.text == "-", !info.isSingleFile {
            throw .usage(output.error("\(info.name) is more than one file, and standard output takes one: give OUT a name"))
        }
        for (name, value) in special {
            let formats = Self.outputsOf.first { $0.option == name }?.formats ?? []
            if !formats.contains(info.id) {
                throw .usage(value.error("--\(name) is for \(listed(formats)) output, and this one is \(info.name)"))
            }
        }
        if let encoding, encoding.text == WriteOptions.Encoding.bigEndian.rawValue, info.id == "stl" {
            throw .usage(encoding.error("--encoding is 'big-endian', and STL knows only binary or ascii"))
        }
        if let embedsTextures, ["obj", "ply", "stl"].contains(info.id) {
            throw .usage(
                embedsTextures.error("--textures embed is not for \(info.name): it has no place for images, expected copy or skip"))
        }
        return format
    }
}
