import AssetIO
import AssetModel
import AssetOps
import Facet

extension ToolRun {
    /// The bytes of an operand: a file, or standard input for `-`.
    func bytes(_ path: String) throws(AssetError) -> FileBytes {
        if path == "-" {
            // Packages are opened by their path: it must lead to the same bytes.
            let input = FileBytes(name: path, bytes: try environment.readInput())
            environment.resolver.give(input, as: path)
            return input
        }
        do {
            return try environment.resolver.open(path)
        } catch {
            guard error.diagnostic.code == "io.is-a-pipe" else { throw error }
            let input = try FileBytes(mapping: path, readsPipes: true)
            environment.resolver.give(input, as: path)
            return input
        }
    }

    /// Opens an operand and reads its scene.
    func open(_ path: String, _ common: CommonOptions, _ options: ReadOptions) throws(CommandFailure) -> Asset {
        let file: FileBytes
        do {
            file = try bytes(path)
        } catch {
            throw .input(error)
        }
        let progress = startProgress("reading", path)
        defer { progress?.stop() }
        var options = options
        if let progress { options.progress = progress.reporter }
        return try common.open(file, options, environment.resolver, environment.registry)
    }

    /// Reads the scene of an operand for a command that shows it. Says so where nothing is inside.
    func read(_ path: String, _ common: CommonOptions, _ options: ReadOptions? = nil, warnsOfNothing: Bool = true)
        throws(CommandFailure) -> (scene: Scene, diagnostics: Diagnostics)
    {
        let asset = try open(path, common, options ?? common.read)
        environment.keepsake.value = asset.scene
        return (asset.scene, warnsOfNothing ? asset.diagnosticsOfShown : asset.diagnostics)
    }

    /// What `--strict` makes of warnings about an input: nothing is printed but the warnings, which are errors then.
    func checkStrict(_ common: CommonOptions, _ diagnostics: Diagnostics) throws(CommandFailure) {
        guard common.isStrict, diagnostics.entries.contains(where: { $0.severity >= .warning }) else { return }
        self.diagnostics.print(diagnostics)
        throw .strict(diagnostics)
    }
}

extension CommonOptions {
    /// Reads the scene of a file; on any thread that has a resolver of its own.
    func open(
        _ file: FileBytes, _ options: ReadOptions, _ resolver: any AssetResolver, _ registry: FormatRegistry
    ) throws(CommandFailure) -> Asset {
        do {
            return try Facet.open(file, options: options, resolver: resolver, registry: registry)
        } catch {
            throw selectionError(error).map { .usage($0) } ?? .input(error)
        }
    }
}

extension Asset {
    /// The diagnostics, and that nothing is inside where nothing is.
    var diagnosticsOfShown: Diagnostics {
        guard !scene.hasGeometry else { return diagnostics }
        var all = diagnostics
        all.warning(
            "scene.nothing-inside", "no geometry inside: no mesh, curves, points or shape", at: SourceLocation(file: scene.source.file))
        return all
    }
}
