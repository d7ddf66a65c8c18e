import AssetCommands
import AssetIO
import AssetModel
import TestSupport

/// Runs the tool in process: scenes and outputs in memory, nothing else in reach.
final class ToolHarness {
    var scenes: [String: (scene: Scene, diagnostics: [Diagnostic])] = [:]
    /// Files that exist where outputs go.
    var existing: Set<String> = []
    /// What standard input holds.
    var input: [UInt8] = []
    var width: Int?
    var isTerminal = false
    var allowsColor = true
    var outputSink: (any ByteSink)?
    /// Whether files are read on one thread whatever the command wants.
    var readsOneByOne = false
    /// Where progress is shown.
    var progress: ProgressTerminal?
    /// The formats; those of this file unless given.
    var registry: FormatRegistry?
    private(set) var outputs: [String: MemoryOutput] = [:]
    private let resolver = InMemoryResolver()

    struct Result {
        var status: AssetCommands.ExitStatus
        var output: String
        var error: String
    }

    func add(_ file: String, _ scene: Scene, _ diagnostics: [Diagnostic] = []) {
        var scene = scene
        scene.source.file = file
        scenes[file] = (scene, diagnostics)
        resolver.add(file, text: "SCENE")
    }

    func addBytes(_ file: String, _ text: String) { resolver.add(file, text: text) }

    func run(_ arguments: String...) -> Result { run(arguments) }

    func run(_ arguments: [String]) -> Result {
        let output = MemorySink()
        let error = MemorySink()
        var environment = ToolEnvironment(
            standardOutput: outputSink ?? output, standardError: error, resolver: readsOneByOne ? OneByOne(resolver) : resolver,
            registry: registry ?? FormatRegistry([SceneFormat(scenes: scenes), LayerFormat(), ListFormat()]),
            readInput: { [input] () throws(AssetError) in input },
            openOutput: { [self] (path, overwrite) throws(AssetError) in
                if resolver.opened.contains(path) {
                    throw AssetError("output.is-the-input", "was read", at: SourceLocation(file: path))
                }
                if existing.contains(path), !overwrite {
                    throw AssetError("output.exists", "exists already", at: SourceLocation(file: path))
                }
                let sink = MemoryOutput()
                outputs[path] = sink
                return sink
            })
        environment.isOutputTerminal = isTerminal
        environment.isErrorTerminal = isTerminal
        environment.width = width
        environment.progress = progress
        environment.allowsColor = allowsColor
        let status = runTool(arguments, environment)
        return Result(status: status, output: output.text, error: error.text)
    }
}

/// A resolver for one thread only.
final class OneByOne: AssetResolver {
    private let resolver: any AssetResolver
    init(_ resolver: any AssetResolver) { self.resolver = resolver }
    func open(_ path: String) throws(AssetError) -> FileBytes { try resolver.open(path) }
    func exists(_ path: String) -> Bool { resolver.exists(path) }
    func list(_ folder: String) -> [String] { resolver.list(folder) }
    func give(_ file: FileBytes, as path: String) { resolver.give(file, as: path) }
    func obey(_ limits: ReadLimits) { resolver.obey(limits) }
}

/// Hands out scenes by file name.
struct SceneFormat: Format {
    var scenes: [String: (scene: Scene, diagnostics: [Diagnostic])]
    var info: FormatInfo { FormatInfo(id: "test", name: "Test scene", fileExtensions: ["test"], canRead: true, canWrite: false) }

    func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        guard let entry = scenes[file.name] ?? (file.name == "-" ? scenes.values.first : nil) else {
            throw AssetError(
                "test.malformed", "not a scene, expected one", at: SourceLocation(file: file.name, position: .line(3, column: 5)))
        }
        for d in entry.diagnostics { context.diagnostics.add(d) }
        return SceneDocument(entry: entry.scene, options: context.options)
    }
}

struct SceneDocument: Document {
    var entry: Scene
    var options: ReadOptions

    func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        var scene = entry
        scene.metadata.comment = "time \(options.time), payloads \(options.loadPayloads), variants \(options.variants.count)"
        return scene
    }
}

/// Text that `cat` prints as it is.
struct LayerFormat: Format {
    var info: FormatInfo { FormatInfo(id: "layer", name: "Test layer", fileExtensions: ["layer"], canRead: true, canWrite: false) }
    func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        context.diagnostics.warning("layer.odd", "odd, expected even", at: SourceLocation(file: file.name))
        return LayerDocument(file: file)
    }
}

struct LayerDocument: Document {
    var file: FileBytes
    func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        Scene(source: SourceDescription(file: file.name, format: "layer"))
    }
    func writeText(flatten: Bool, _ context: inout ReadContext, to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        if flatten { try Array("flat ".utf8).withUnsafeBytes { try sink($0) } }
        try file.withUnsafeBytes { try sink($0) }
    }
}

/// Writes a list of node paths and a side file.
struct ListFormat: Format {
    var info: FormatInfo {
        FormatInfo(id: "list", name: "Test list", fileExtensions: ["list"], canRead: false, canWrite: true, isSingleFile: false)
    }

    func write(_ scene: Scene, _ context: inout WriteContext) throws(AssetError) {
        if let path = context.options.nodePath, !scene.nodes.contains(where: { $0.path == path }) {
            throw AssetError("scene.no-such-node", "there is no node \(path)", at: SourceLocation(file: scene.source.file))
        }
        if scene.nodes.contains(where: { $0.name == "Unwritable" }) {
            throw AssetError("list.cannot-hold", "cannot hold this", at: SourceLocation(file: context.options.fileName))
        }
        if scene.nodes.contains(where: { !$0.isVisible }) {
            context.diagnostics.warning(
                "list.lost.hidden", "hidden nodes are not written", at: SourceLocation(file: context.options.fileName))
        }
        let side = try context.output.create("side.txt")
        try side.write(
            "unit \(scene.metadata.metersPerUnit ?? 0), up \(scene.metadata.upAxis ?? "none"), "
                + "to \(context.options.metersPerUnit ?? 0) \(context.options.upAxis ?? "keep")\n"
        )
        try side.close()
        let main = try context.output.create(context.options.fileName)
        try main.write(scene.nodes.map(\.path).joined(separator: "\n") + "\n")
        try main.close()
    }
}

/// Fails as a closed pipe or a full disk does.
final class FailingSink: ByteSink {
    let failure: SinkError
    private(set) var calls = 0
    init(_ failure: SinkError) { self.failure = failure }
    func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
        calls += 1
        throw failure
    }
}

/// A scene with one of everything that the printers tell of.
enum SampleScene {
    static func room() -> Scene {
        var builder = SceneBuilder(format: "test")
        builder.changeScene { scene in
            scene.metadata.metersPerUnit = 0.01
            scene.metadata.isUpAxisAuthored = true
            scene.metadata.defaultPrim = "/Room"
            scene.metadata.startTimeCode = 1
            scene.metadata.endTimeCode = 48
            scene.metadata.timeCodesPerSecond = 24
            scene.source.version = "1.0"
            scene.source.byteCount = 123_456
        }
        let wood = builder.material("Wood", color: Vector3f(0.5, 0.25, 0.1))
        let metal = builder.material("Metal")
        builder.changeScene { scene in
            let texture = scene.textures.append(Texture(authoredPath: "textures/wood.png", source: .file("textures/wood.png")))
            let lost = scene.textures.append(Texture(authoredPath: "textures/gone.png", source: .missing))
            var binding = TextureBinding(texture: texture)
            binding.primvar = "st"
            binding.wrapS = .repeat
            binding.wrapT = .repeat
            binding.colorSpace = .sRGB
            binding.transform = TextureTransform(rotation: 45, scale: Vector2f(2, 2), translation: Vector2f(0.5, 0))
            scene.materials[wood].inputs[0] = MaterialInput(name: "diffuseColor", texture: binding)
            var rough = TextureBinding(texture: lost, output: "g")
            rough.wrapS = .clamp
            rough.wrapT = .mirror
            rough.scale = Vector4f(1, 1, 1, 1)
            rough.bias = Vector4f(0, 0.1, 0, 0)
            scene.materials[wood].inputs.append(MaterialInput(name: "roughness", texture: rough))
            scene.materials[metal].inputs.append(MaterialInput(name: "metallic", value: .float(1)))
        }
        let room = builder.node("Room") { b in
            b.node("Chair", transform: .translation(Vector3d(10, 0, 0))) { b in
                b.mesh("Seat", SampleMesh.cube(half: 0.1), material: wood)
                let leg = b.mesh(
                    "Leg", SampleMesh.grid(columns: 40, rows: 30), transform: .translation(Vector3d(0, -4, 0.5)), material: metal)
                b.change(leg) { $0.isVisible = false }
            }
            let key = b.node("Key light", type: "SphereLight")
            b.changeScene { scene in
                var light = Light(kind: "SphereLight")
                light.intensity = 500
                let id = scene.lights.append(light)
                scene.nodes[key].content = .light(id)
                scene.nodes[key].light = id
            }
            let view = b.node("View", type: "Camera")
            b.changeScene { scene in scene.nodes[view].content = .camera(scene.cameras.append(Camera())) }
            let ball = b.node("球", type: "Sphere", content: .implicit(.sphere(radius: 2)))
            b.change(ball) { node in
                node.purpose = .guide
                node.isAnimated = true
            }
            b.node("bad\u{1b}[31m\nname", type: "Scope")
        }
        builder.change(room) { node in
            node.kind = "assembly"
            node.variantSets = [VariantSet(name: "look", selection: "oak", choices: ["oak", "walnut"])]
        }
        builder.changeScene { scene in
            let chair = scene.nodes.elements.firstIndex { $0.name == "Chair" } ?? 0
            scene.nodes[chair].transformOps = [TransformOp(name: "xformOp:translate", value: .doubles([10, 0, 0]))]
            scene.nodes[chair].isInstance = true
            scene.nodes[chair].arcs = [
                CompositionArc(kind: "reference", file: "chair.test", path: "/Chair"),
                CompositionArc(kind: "payload", file: "gone.test", path: "/Chair", state: .missing),
            ]
            scene.nodes[chair].attributes = [Node.Attribute(name: "note", typeName: "string", value: "\"hi\"", timeSampleCount: 2)]
        }
        return builder.scene
    }

    /// `count` cubes below one node.
    static func crowd(_ count: Int) -> Scene {
        var builder = SceneBuilder(format: "test")
        builder.node("Crowd") { b in
            for i in 0..<count { b.mesh("Cube_\(i)", SampleMesh.cube()) }
        }
        return builder.scene
    }

    static func nothing() -> Scene {
        var builder = SceneBuilder(format: "test")
        builder.node("Empty", type: "Scope")
        return builder.scene
    }
}
