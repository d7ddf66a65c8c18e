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
        do {
            return try Facet.open(bytes(path), options: options, resolver: environment.resolver, registry: environment.registry)
        } catch {
            throw common.selectionError(error).map { .usage($0) } ?? .input(error)
        }
    }

    /// Reads the scene of an operand for a command that shows it. Says so where nothing is inside.
    func read(_ path: String, _ common: CommonOptions, _ options: ReadOptions? = nil, warnsOfNothing: Bool = true)
        throws(CommandFailure) -> (scene: Scene, diagnostics: Diagnostics)
    {
        let asset = try open(path, common, options ?? common.read)
        environment.keepsake.value = asset.scene
        var diagnostics = asset.diagnostics
        if warnsOfNothing, !asset.scene.hasGeometry {
            diagnostics.warning(
                "scene.nothing-inside", "no geometry inside: no mesh, curves, points or shape",
                at: SourceLocation(file: asset.scene.source.file))
        }
        return (asset.scene, diagnostics)
    }

    /// What `--strict` makes of warnings about an input: nothing is printed but the warnings.
    func checkStrict(_ common: CommonOptions, _ diagnostics: Diagnostics) throws(CommandFailure) {
        guard common.isStrict, diagnostics.entries.contains(where: { $0.severity >= .warning }) else { return }
        self.diagnostics.print(diagnostics)
        throw .said(.input)
    }
}
