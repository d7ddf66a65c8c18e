import AssetIO
import AssetModel
import AssetOps

/// Writes a scene as glTF 2.0: JSON with a buffer and images beside it, or all in one binary file.
///
/// Nodes stay nodes. One root carries the change to metres and Y up where there is one; geometry keeps its numbers. Nodes that show
/// the same mesh share it, and copies of point instancers are nodes that share theirs.
struct GLTFWriter {
    let scene: Scene
    let options: WriteOptions
    private let output: any OutputSink
    private let isBinary: Bool
    let filter: NodeFilter
    var out = GLTFOutput()
    var meshes: GLTFMeshWriter
    var diagnostics: Diagnostics
    var names = UniqueNames()
    /// The output's node of each node that is written.
    var nodes: [ID<Node>: Int] = [:]
    /// Meshes drawn, for what is told of the whole.
    var survey = OutputSurvey(code: "gltf", name: "glTF")
    var losses = LossList()
    private let images: GLTFImageWriter
    /// The output's nodes of the joints of each skeleton.
    var joints: [ID<Node>: [Int]] = [:]
    var nodesByPath: [String: ID<Node>] = [:]

    init(_ scene: Scene, _ context: WriteContext, isBinary: Bool) {
        self.scene = scene
        self.isBinary = isBinary
        options = context.options
        output = context.output
        diagnostics = context.diagnostics
        filter = NodeFilter(purposes: options.purposes, includeHidden: options.includeHidden, nodePath: options.nodePath)
        images = GLTFImageWriter(scene, context, areFiles: !isBinary && options.textures != .embed)
        meshes = GLTFMeshWriter(scene, GLTFMaterialWriter(scene, context, images))
    }

    private var here: SourceLocation { SourceLocation(file: scene.source.file, primPath: options.nodePath) }

    mutating func write() throws(AssetError) {
        out.copyright = scene.metadata.comment.flatMap { scene.source.format.hasPrefix("gl") ? $0 : nil }
        for node in scene.nodes { names.announce(node.name) }
        for skeleton in scene.skeletons {
            for joint in skeleton.joints { names.announce(joint.split(separator: "/").last.map(String.init) ?? joint) }
        }
        try addNodes()
        if !scene.animations.isEmpty { for i in scene.nodes.indices { nodesByPath[scene.nodes[i].path] = ID(i) } }
        try addSkins()
        addAnimations()
        if out.meshes.isEmpty {
            let message = "nothing to write: no visible mesh, curve or point of purpose \(listed(options.purposes))"
            guard options.allowEmpty else { throw AssetError("gltf.nothing-to-write", message, at: here) }
            diagnostics.warning("gltf.nothing-to-write", message, at: SourceLocation(file: scene.source.file))
        }
        meshes.report()
        diagnostics.add(meshes.diagnostics)
        reportWhole()
        try isBinary ? writeBinary() : writeText()
    }

    // MARK: Files

    /// The largest file of the binary form, whose lengths are 32 bits (section 4.4).
    private static let largestBinary = Int(UInt32.max)

    private mutating func writeBinary() throws(AssetError) {
        var json = JSONWriter(pretty: false)
        out.write(to: &json)
        while json.out.count % 4 != 0 { json.out.write(byte: 0x20) }
        let jsonCount = json.out.count
        let total = 12 + 8 + jsonCount + (out.buffer.count > 0 ? 8 + out.buffer.count : 0)
        guard total <= Self.largestBinary else {
            throw AssetError("gltf.too-large", "\(total) bytes, a binary glTF holds at most \(Self.largestBinary): write .gltf", at: here)
        }
        let file = try output.create(options.fileName)
        try file.write(Self.words([0x4654_6C67, 2, total, jsonCount, 0x4E4F_534A]))
        try file.write(&json.out)
        if out.buffer.count > 0 {
            try file.write(Self.words([out.buffer.count, 0x004E_4942]))
            try writeBuffer(to: file)
        }
        try file.close()
    }

    private static func words(_ words: [Int]) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }

    private mutating func writeText() throws(AssetError) {
        if out.buffer.count > 0 {
            let name = splitExtension(options.fileName).stem + ".bin"
            if options.hasFolder {
                out.bufferURI = Self.encodedURI(name)
                let file = try output.create(name)
                try writeBuffer(to: file)
                try file.close()
            } else {
                throw AssetError("output.several-files", "glTF is several files: write .glb to standard output", at: here)
            }
        }
        try images.write(to: output)
        var json = JSONWriter(pretty: true)
        out.write(to: &json)
        let file = try output.create(options.fileName)
        try file.write(&json.out)
        try file.close()
    }

    private mutating func writeBuffer(to file: any OutputFile) throws(AssetError) {
        var progress = WritingProgress(options.progress, options.fileName, total: out.buffer.count)
        progress.begin(out.buffer.count)
        try out.buffer.write(to: file, &progress)
    }

    /// A relative path as a URI (RFC 3986): what is no letter, digit or plain mark is percent-encoded.
    static func encodedURI(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = Array("0123456789ABCDEF".unicodeScalars)
                text.unicodeScalars.append("%")
                text.unicodeScalars.append(digits[Int(byte >> 4)])
                text.unicodeScalars.append(digits[Int(byte & 15)])
            }
        }
        return text
    }

    // MARK: What concerns the whole

    private mutating func reportWhole() {
        let whole = SourceLocation(file: scene.source.file)
        var isDeforming = false
        var cages = 0
        for (id, _) in survey.meshUses {
            if scene.meshes[id].isDeforming { isDeforming = true }
            if scene.meshes[id].subdivisionScheme != "none" { cages += 1 }
        }
        if cages > 0 {
            diagnostics.info(
                "gltf.cage",
                cages == 1
                    ? "a subdivision surface is written as its control cage"
                    : "\(cages) subdivision surfaces are written as their control cages", at: whole)
        }
        if isDeforming {
            diagnostics.warning("gltf.lost.deformation", "points that vary over time are written as they are at the time that was read", at: whole)
        }
        func lost(_ kind: String, _ severity: Severity = .warning, _ message: (Int) -> String) {
            losses.report(kind, code: "gltf.lost", file: scene.source.file, severity: severity, to: &diagnostics, message)
        }
        lost("lights") { "\(amount($0, "light")) not written: glTF has points, spots and directions only: \(losses.names("lights"))" }
        lost("light-shapes") { "\(amount($0, "light")) written without the size of the source: \(losses.names("light-shapes"))" }
        lost("projections") { "\(amount($0, "transform")) with a last column other than 0 0 0 1 written without it" }
        lost("shears") { "\(amount($0, "transform")) of copies shear, which instances cannot: written as nodes" }
        if options.textures == .skip, !scene.textures.isEmpty {
            diagnostics.info("gltf.textures-skipped", "\(amount(scene.textures.count, "texture")) left out as asked", at: whole)
        }
        let materials = scene.materials.count - meshes.materials.used.count
        let textures = options.textures == .skip ? 0 : scene.textures.count - images.usedTextures.count
        if materials > 0 || textures > 0 {
            let parts = [(materials, "material"), (textures, "texture")].filter { $0.0 > 0 }.map { amount($0.0, $0.1) }
            diagnostics.info("gltf.unused", "\(parts.joined(separator: " and ")) not used by what is written left out", at: whole)
        }
    }
}
