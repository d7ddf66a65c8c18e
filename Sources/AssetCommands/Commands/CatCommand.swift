import AssetIO
import AssetModel
import Facet

/// `facet cat FILE`
struct CatCommand: Command {
    static var spec: CommandSpec {
        CommandSpec(
            name: "cat", summary: "Print a USD layer as text, exact to the last digit",
            details: [
                """
                A crate layer or the root layer of a package comes out as USDA text that says the same. A layer inside a package\
                 is named chair.usdz[geo.usdc].
                """,
                """
                With --flatten the stage is composed first: one layer comes out that says the same without references, payloads,\
                 variants and sublayers. Asset paths that lead to a file become absolute, as OpenUSD writes them; instances share\
                 what they refer to.
                """,
            ],
            operands: [OperandSpec("FILE", help: "the layer; - reads standard input")],
            options: [
                OptionSpec("flatten", help: "compose the stage into one layer first"),
                OptionSpec(
                    "output", short: "o", .value("FILE"), help: "write to this file instead; - is standard output, as without it", completion: .files),
                OptionSpec("overwrite", help: "replace the file of -o where it exists"),
            ],
            commonOptions: CommonOptions.reading.filter { $0.long != "time" && $0.long != "purpose" },
            examples: [
                .init("facet cat chair.usdc | less", "read a crate layer"), .init("facet cat chair.usdc -o chair.usda", "keep it as text"),
                .init("facet cat --flatten --variant '/Chair{look=red}' chair.usda -o red.usda", "one choice, in one file"),
            ])
    }

    let file: String
    let common: CommonOptions
    let flatten: Bool
    let output: String?
    let overwrite: Bool

    init(_ parsed: ParsedArguments) throws(UsageError) {
        file = parsed.operands[0].text
        common = try CommonOptions(parsed)
        flatten = parsed.has("flatten")
        if !flatten {
            // A layer is printed as it stands: what only composition heeds would be passed over in silence.
            if let v = parsed.value("variant") { throw v.error("--variant goes with --flatten: a layer by itself is not composed") }
            if let v = parsed.value("no-payloads") {
                throw UsageError("--no-payloads goes with --flatten: a layer by itself is not composed", argument: v.argument)
            }
        }
        output = parsed.value("output").flatMap { $0.text == "-" ? nil : $0.text }
        overwrite = parsed.has("overwrite")
    }

    func run(_ run: borrowing ToolRun) throws(CommandFailure) -> ExitStatus {
        var opened: OpenedFile
        do {
            opened = try openDocument(
                run.bytes(file), options: common.read, resolver: run.environment.resolver, registry: run.environment.registry)
        } catch {
            throw .input(error)
        }
        var place: Place?
        if let output { place = try Place(output, overwrite, run) }
        do {
            // Under --strict nothing may appear before everything was seen.
            var held: [UInt8] = []
            let holds = common.isStrict && place == nil
            let out = run.out
            try opened.document.writeText(flatten: flatten, &opened.context) { piece in
                if let place {
                    try place.write(piece)
                } else if holds {
                    held.append(contentsOf: piece)
                } else {
                    out.append(piece)
                    if let failure = out.failure { throw failure }
                }
            }
            try run.checkStrict(common, opened.context.diagnostics)
            held.withUnsafeBytes { out.append($0) }
            try place?.commit()
        } catch let failure as CommandFailure {
            place?.discard()
            throw failure
        } catch is SinkError {
            // Told, or passed over, when the output is finished.
        } catch var error as AssetError {
            place?.discard()
            if error.diagnostic.location.file.isEmpty { error.diagnostic.location.file = file }
            run.out.flush()
            if let wrong = common.selectionError(error) { throw .usage(wrong) }
            run.diagnostics.print(opened.context.diagnostics)
            if error.diagnostic.code.hasPrefix("output.") { throw .output(error) }
            throw .input(error)
        } catch {
            throw .said(.fault)
        }
        run.out.flush()
        run.diagnostics.print(opened.context.diagnostics)
        return .done
    }

    /// The file of `-o`.
    private struct Place {
        private let sink: any OutputSink
        private let file: any OutputFile

        init(_ path: String, _ overwrite: Bool, _ run: borrowing ToolRun) throws(CommandFailure) {
            do {
                sink = try run.environment.openOutput(path, overwrite)
                file = try sink.create(AssetPath.baseName(path))
            } catch {
                throw .output(error)
            }
        }

        func write(_ bytes: UnsafeRawBufferPointer) throws(AssetError) { try file.write(bytes) }
        func discard() { sink.discard() }

        func commit() throws(CommandFailure) {
            do {
                try file.close()
                try sink.commit()
            } catch {
                throw .output(error)
            }
        }
    }
}
