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
        var show = Showing(json: InfoJSON(isList: files.count > 1))
        if let file = files.first, files.count == 1 {
            let facts = try read(file, run)
            try run.checkStrict(common, facts.diagnostics)
            print(facts, run, &show)
        } else {
            try runMany(run, &show)
        }
        if common.json { show.json.finish(to: run.out) }
        return show.status
    }

    // MARK: Reading

    /// What is told of a file.
    private struct Facts: Sendable {
        var summary: Summary
        var diagnostics: Diagnostics
    }

    private enum Answer: Sendable {
        case facts(Facts)
        case failure(CommandFailure)
        /// Must be read when its turn comes: standard input and pipes, which are read once.
        case inTurn
    }

    private var readOptions: ReadOptions {
        var options = common.read
        options.wantsAnimation = true
        options.wantsMeshPrimvars = false
        options.wantsArrays = false
        return options
    }

    private func read(_ file: String, _ run: borrowing ToolRun) throws(CommandFailure) -> Facts {
        let (scene, diagnostics) = try run.read(file, common, readOptions)
        return facts(scene, diagnostics, run.environment.resolver)
    }

    private func facts(_ scene: Scene, _ diagnostics: Diagnostics, _ resolver: any AssetResolver) -> Facts {
        var diagnostics = diagnostics
        let filter = NodeFilter(purposes: common.purposes)
        let summary = Facet.summary(of: scene, filter: filter, resolver: resolver, diagnostics: &diagnostics)
        return Facts(summary: summary, diagnostics: diagnostics)
    }

    /// Reads a file on any thread.
    private func answer(_ file: String, _ resolver: any AssetResolver, _ registry: FormatRegistry) -> Answer {
        guard file != "-" else { return .inTurn }
        let bytes: FileBytes
        do {
            bytes = try resolver.open(file)
        } catch {
            return error.diagnostic.code == "io.is-a-pipe" ? .inTurn : .failure(.input(error))
        }
        do throws(CommandFailure) {
            let asset = try common.open(bytes, readOptions, resolver, registry)
            return .facts(facts(asset.scene, asset.diagnosticsOfShown, resolver))
        } catch {
            return .failure(error)
        }
    }

    /// Reads several files at a time and shows each as soon as those before it are shown: what is printed does not tell how many
    /// cores there are.
    private func runMany(_ run: borrowing ToolRun, _ show: inout Showing) throws(CommandFailure) {
        let (files, registry) = (files, run.environment.registry)
        let resolvers = run.environment.resolver.forThreads
        var failure: CommandFailure?
        OrderedWork.run(
            count: files.count, width: resolvers == nil ? 1 : Threads.coreCount,
            work: { i in resolvers.map { answer(files[i], $0(), registry) } ?? .inTurn },
            take: { (i, answer) in
                do throws(CommandFailure) {
                    let facts: Facts
                    switch answer {
                    case .facts(let read): facts = read
                    case .inTurn: facts = try read(files[i], run)
                    case .failure(let error): throw error
                    }
                    try run.checkStrict(common, facts.diagnostics)
                    print(facts, run, &show)
                } catch {
                    // One file that cannot be read does not keep the others from being shown.
                    switch error {
                    case .input, .strict:
                        if common.json { show.json.add(error, of: files[i], to: run.out) }
                        run.out.flush()
                        if case .input(let problem) = error { run.diagnostics.print(problem) }
                        show.status = .input
                    case .said(let said): show.status = said
                    case .usage, .output:
                        failure = error
                        return false
                    }
                }
                return run.out.failure == nil
            })
        if let failure { throw failure }
    }

    // MARK: Showing

    private struct Showing: ~Copyable {
        var json: InfoJSON
        var isFirst = true
        var status = ExitStatus.done
        init(json: consuming InfoJSON) { self.json = json }
    }

    private func print(_ facts: Facts, _ run: borrowing ToolRun, _ show: inout Showing) {
        if common.json {
            show.json.add(facts.summary, facts.diagnostics, to: run.out)
        } else {
            if !show.isFirst { run.out.endLine() }
            InfoText(summary: facts.summary, diagnostics: facts.diagnostics, width: run.environment.width, isVerbose: run.isVerbose).print(
                to: run.out)
            run.out.flush()
            run.diagnostics.print(facts.diagnostics)
        }
        show.isFirst = false
    }
}
