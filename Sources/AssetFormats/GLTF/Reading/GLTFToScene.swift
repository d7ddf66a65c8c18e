import AssetIO
import AssetModel
import AssetOps

/// Makes the scene of a document: the nodes of its default scene, and what hangs on them.
struct GLTFToScene {
    let document: GLTFDocument
    let options: ReadOptions
    var diagnostics: Diagnostics
    var accessors: GLTFAccessors
    var scene: Scene
    /// Where glTF's materials, images and nodes went.
    var materials: [ID<Material>] = []
    var isDoubleSided: [Bool] = []
    var pieces: [GLTFMeshKey: [GLTFPiece]] = [:]
    /// The largest index of an accessor, once it was looked for.
    var largestIndices: [Int: UInt32] = [:]
    /// The first scene node that came of a glTF node.
    var sceneNodes: [Int: ID<Node>] = [:]
    /// Meshes that hang on a skin, by the skin.
    var skinned: [Int: [ID<Mesh>]] = [:]
    var skinJoints: [ID<Mesh>: GLTFJoints] = [:]
    /// What `materials` of a node can be switched to; the names are unique.
    private var toldOfVariants = false
    private var pathBytes = 0
    private var joints = Set<Int>()
    private var animated = Set<Int>()
    private var cameras: [Int: ID<Camera>] = [:]
    private var lights: [Int: ID<Light>] = [:]

    init(_ document: GLTFDocument, _ context: ReadContext) {
        self.document = document
        options = context.options
        diagnostics = context.diagnostics
        accessors = GLTFAccessors(document, context.resolver, context.options.limits)
        let file = document.file
        scene = Scene(
            source: SourceDescription(
                file: file.name, format: document.isBinary ? "glb" : "gltf", version: document.asset.version, byteCount: file.count,
                files: [SourceDescription.File(path: file.name, role: "root", byteCount: file.count, resolved: file.name)]))
    }

    mutating func make() throws(AssetError) -> Scene {
        // The specification's own (3.4): metres, Y up.
        scene.metadata.upAxis = "Y"
        scene.metadata.metersPerUnit = 1
        scene.metadata.isUpAxisAuthored = true
        scene.metadata.isMetersPerUnitAuthored = true
        scene.metadata.generator = document.asset.generator
        scene.metadata.comment = document.asset.copyright
        addExtras()
        addVariants()
        addMaterials()
        for skin in document.skins { joints.formUnion(skin.joints) }
        for animation in document.animations {
            for channel in animation.channels where ["translation", "rotation", "scale"].contains(channel.path) {
                if let node = channel.node { animated.insert(node) }
            }
        }
        try addNodes()
        try addSkeletons()
        if options.wantsAnimation { try addAnimations() }
        scene.source.files.append(contentsOf: accessors.buffers.files)
        return scene
    }

    /// What the file says in the open: its own and its scene's stand with the scene, those of nodes with the nodes.
    private mutating func addExtras() {
        scene.metadata.customData = document.extras
        let shown = document.scene ?? 0
        if document.scenes.indices.contains(shown), case .dictionary(let entries) = document.scenes[shown].extras {
            for entry in entries where !scene.metadata.customData.contains(where: { $0.key == entry.key }) {
                scene.metadata.customData.append(entry)
            }
        }
        guard !document.openExtras.isEmpty else { return }
        diagnostics.info(
            "gltf.dropped.extras", "extras of \(document.openExtras.joined(separator: ", ")) have no place in the scene and are left out",
            at: SourceLocation(file: document.file.name))
    }

    private mutating func addVariants() {
        var names = UniqueNames()
        for name in document.variants { names.announce(name) }
        scene.materialVariants = document.variants.map { $0.isEmpty ? names.unique(made: "variant") : names.unique($0) }
    }

    /// The variant that was asked for: `/Path{materials=name}` is for a node and all below it.
    private mutating func variant(at path: String) -> Int? {
        guard let choice = options.variants.last(where: { $0.set == Self.variantSet && Self.holds($0.path, path) }) else { return nil }
        if let found = scene.materialVariants.firstIndex(of: choice.choice) { return found }
        if !toldOfVariants {
            toldOfVariants = true
            diagnostics.warning(
                "gltf.unknown-variant",
                "there is no variant '\(choice.choice)' of materials: \(scene.materialVariants.map { "'\($0)'" }.joined(separator: ", "))",
                at: SourceLocation(file: document.file.name, position: .jsonPointer("/extensions/KHR_materials_variants/variants")))
        }
        return nil
    }

    private static func holds(_ above: String, _ path: String) -> Bool {
        above == "/" || path == above || path.hasPrefix(above + "/")
    }

    /// The name under which nodes show what their materials can be switched to.
    static let variantSet = "materials"

    // MARK: Names

    /// A slash in a name would begin another node.
    static func pathName(_ name: String) -> String {
        name.utf8.contains(UInt8(ascii: "/")) ? name.replacing("/", with: "_") : name
    }

    func warn(_ code: String, _ message: String, _ place: GLTFPlace, _ severity: Severity = .warning) -> Diagnostic {
        Diagnostic(severity, code, message, at: place.location)
    }

    // MARK: Nodes

    /// A node that waits for its turn.
    private struct Visit {
        var node: Int
        var parent: Int
        var depth: Int
        var path: String
    }

    private mutating func addNodes() throws(AssetError) {
        guard let roots = defaultScene() else { return }
        var waiting: [Visit] = []
        push(roots, parent: -1, depth: 0, path: "", onto: &waiting)
        // The nodes above the current one.
        var open: [Int] = []
        var isOpen = [Bool](repeating: false, count: document.nodes.count)
        var visits = [UInt8](repeating: 0, count: document.nodes.count)
        let file = document.file.name
        while let visit = waiting.popLast() {
            while open.count > visit.depth { isOpen[open.removeLast()] = false }
            let place = document.place("nodes", visit.node)
            guard !isOpen[visit.node] else {
                throw AssetError("gltf.node-loop", "node \(visit.node) is among its own descendants", at: place)
            }
            guard visit.depth < options.limits.nestingDepth else {
                throw AssetError("gltf.too-deep", "nodes are nested deeper than \(options.limits.nestingDepth)", at: place)
            }
            if visits[visit.node] == 1 {
                diagnostics.add(warn("gltf.node-used-twice", "the node has more than one parent: it is shown below each", place))
            }
            visits[visit.node] = 2 - (visits[visit.node] == 0 ? 1 : 0)
            pathBytes += visit.path.utf8.count
            guard scene.nodes.count < min(options.limits.prims, document.nodes.count.multiplied(checked: 16) ?? .max),
                pathBytes <= largestPathBytes
            else {
                throw AssetError(
                    "gltf.too-many-nodes", "the scene has more nodes, or longer paths, than its file allows for", at: SourceLocation(file: file))
            }
            isOpen[visit.node] = true
            open.append(visit.node)
            let index = try add(visit)
            let own = document.nodes[visit.node]
            guard !own.children.isEmpty else { continue }
            push(Array(document.children[own.children]), parent: index, depth: visit.depth + 1, path: visit.path, onto: &waiting)
        }
        countDescendants()
    }

    private var largestPathBytes: Int {
        if options.limits.pathBytesWereSet { return options.limits.pathBytes }
        return min(options.limits.pathBytes, 512 << 20 + 32 * document.file.count)
    }

    /// The nodes of the scene that is shown; nil where there is none.
    private mutating func defaultScene() -> [Int]? {
        guard !document.scenes.isEmpty else {
            if !document.nodes.isEmpty {
                diagnostics.warning(
                    "gltf.no-scene", "there are \(document.nodes.count) nodes and no scene that shows them",
                    at: SourceLocation(file: document.file.name))
            }
            return nil
        }
        var shown = document.scene ?? 0
        if shown >= document.scenes.count {
            diagnostics.warning(
                "gltf.bad-reference", "scene \(shown) is to be shown, there are \(document.scenes.count): the first is taken",
                at: SourceLocation(file: document.file.name, position: .jsonPointer("/scene")))
            shown = 0
        }
        let others = document.scenes.indices.filter { $0 != shown }
        if !others.isEmpty {
            let names = others.prefix(8).map { document.scenes[$0].name.map { "'\($0)'" } ?? "\($0)" }.joined(separator: ", ")
            diagnostics.info(
                "gltf.other-scenes",
                "\(others.count) further \(others.count == 1 ? "scene is" : "scenes are") not shown: \(names)"
                    + (others.count > 8 ? ", …" : ""), at: SourceLocation(file: document.file.name, position: .jsonPointer("/scenes")))
        }
        return document.scenes[shown].nodes
    }

    /// Siblings, to be visited in their order. Names are unique among them.
    private mutating func push(_ nodes: [Int], parent: Int, depth: Int, path: String, onto waiting: inout [Visit]) {
        var known: [Int] = []
        for node in nodes {
            guard node < document.nodes.count else {
                diagnostics.warning(
                    "gltf.bad-reference", "node \(node) is asked for, there are \(document.nodes.count)", at: SourceLocation(file: document.file.name)
                )
                continue
            }
            known.append(node)
        }
        var names = UniqueNames()
        if known.count > 1 { for node in known { if let name = document.nodes[node].name, !name.isEmpty { names.announce(Self.pathName(name)) } } }
        let first = waiting.count
        for node in known {
            let name = document.nodes[node].name ?? ""
            let unique = name.isEmpty ? names.unique(made: "node\(node)") : names.unique(Self.pathName(name))
            waiting.append(Visit(node: node, parent: parent, depth: depth, path: path + "/" + unique))
        }
        waiting[first...].reverse()
    }

    private mutating func add(_ visit: Visit) throws(AssetError) -> Int {
        let source = document.nodes[visit.node]
        var node = Node(name: source.name ?? "", path: visit.path, typeName: joints.contains(visit.node) ? "Joint" : "Xform")
        place(&node, below: visit.parent)
        node.localTransform = GLTFTransform.matrix(source)
        node.isAnimated = animated.contains(visit.node)
        if !source.isVisible { node.isVisible = false }
        if case .dictionary(let entries) = source.extras {
            node.customData = entries
        } else if let extras = source.extras {
            node.customData = [Value.Entry("extras", extras)]
        }
        let id = append(node)
        let index = Int(id.index)
        if sceneNodes[visit.node] == nil { sceneNodes[visit.node] = id }
        if let camera = source.camera { add(camera: camera, index) }
        if let light = source.light { add(light: light, index) }
        if let mesh = source.mesh { try add(mesh: mesh, source, visit.node, index) }
        return index
    }

    private func place(_ node: inout Node, below parent: Int) {
        node.isTransformable = true
        node.isImageable = true
        guard parent >= 0 else { return }
        node.parent = ID(parent)
        node.depth = scene.nodes[parent].depth + 1
        node.isVisible = scene.nodes[parent].isVisible
    }

    private mutating func append(_ node: Node) -> ID<Node> {
        var node = node
        node.worldTransform = node.parent.map { node.localTransform * scene.nodes[$0].worldTransform } ?? node.localTransform
        return scene.nodes.append(node)
    }

    /// A node below another one for what that has no room for. Its name is made.
    mutating func child(_ name: String, below parent: Int, named names: inout UniqueNames) -> Int {
        var node = Node(name: "", path: scene.nodes[parent].path + "/" + names.unique(made: name), typeName: "Xform")
        place(&node, below: parent)
        return Int(append(node).index)
    }

    private mutating func countDescendants() {
        for i in scene.nodes.indices.reversed() {
            guard let parent = scene.nodes[i].parent else { continue }
            scene.nodes[parent].descendantCount += scene.nodes[i].descendantCount + 1
        }
    }

    // MARK: Meshes

    private mutating func add(mesh: Int, _ source: GLTFDocument.Node, _ node: Int, _ index: Int) throws(AssetError) {
        guard mesh < document.meshes.count else {
            throw AssetError(
                "gltf.bad-reference", "mesh \(mesh) is asked for, there are \(document.meshes.count)", at: document.place("nodes", node, "mesh"))
        }
        var skin = source.skin
        if let asked = skin, asked >= document.skins.count {
            diagnostics.add(
                warn("gltf.bad-reference", "skin \(asked) is asked for, there are \(document.skins.count)", document.place("nodes", node, "skin")))
            skin = nil
        }
        let all = try pieces(of: mesh, skin: skin)
        var names = UniqueNames()
        for child in document.children[source.children] where child < document.nodes.count {
            names.announce(Self.pathName(document.nodes[child].name ?? "node\(child)"))
        }
        var target = index
        if let instancing = source.instancing {
            target = child("prototype", below: index, named: &names)
            try addInstancer(instancing, node, index, prototype: target)
        }
        for (k, piece) in all.enumerated() {
            var at = target
            var isFree = false
            if case .none = scene.nodes[target].content { isFree = true }
            if k > 0 || !isFree { at = child(piece.typeName.lowercased(), below: target, named: &names) }
            scene.nodes[at].typeName = piece.typeName
            scene.nodes[at].content = piece.content
            bind(piece, to: at)
            let weights = source.weights.isEmpty ? document.meshes[mesh].weights : source.weights
            if piece.blends, weights.contains(where: { $0 != 0 }) { scene.nodes[at].blendWeights = weights.map { Float($0) } }
        }
    }

    /// The materials of a mesh's part, as the variant that was asked for has them.
    private mutating func bind(_ piece: GLTFPiece, to node: Int) {
        var (material, subsets) = (piece.material, piece.subsets)
        if !piece.variants.isEmpty {
            let chosen = variant(at: scene.nodes[node].path)
            for change in piece.variants where change.variant == chosen {
                if let subset = change.subset { subsets[subset] = change.material } else { material = change.material }
            }
            scene.nodes[node].variantMaterials = piece.variants
            scene.nodes[node].variantSets = [
                VariantSet(name: Self.variantSet, selection: chosen.map { scene.materialVariants[$0] } ?? "", choices: scene.materialVariants)
            ]
        }
        scene.nodes[node].material = material
        scene.nodes[node].previewMaterial = material
        if !subsets.isEmpty {
            scene.nodes[node].subsetMaterials = subsets
            scene.nodes[node].subsetPreviewMaterials = subsets
        }
    }

    /// EXT_mesh_gpu_instancing: the node's mesh again and again, below the node's own transform.
    private mutating func addInstancer(_ attributes: [GLTFDocument.Attribute], _ node: Int, _ index: Int, prototype: Int) throws(AssetError) {
        let place = document.place("nodes", node, "extensions/EXT_mesh_gpu_instancing")
        var instancer = PointInstancer(prototypePaths: [scene.nodes[prototype].path])
        var count: Int?
        var columns: [String: [Float]] = [:]
        for attribute in attributes {
            guard case .other(let name) = attribute.semantic else { continue }
            let column = try accessors.column(attribute.accessor, &diagnostics)
            try accessors.buffers.budget.take(elements: column.count * 4, place)
            if let count, count != column.count {
                throw AssetError("gltf.bad-instancing", "\(name) has \(column.count) elements, expected \(count)", at: place)
            }
            count = column.count
            let width = name == "ROTATION" ? 4 : 3
            guard ["TRANSLATION", "ROTATION", "SCALE"].contains(name), column.width == width else {
                diagnostics.add(warn("gltf.dropped.attribute", "\(name) of instances is left out", place))
                continue
            }
            columns[name] = column.floats()
        }
        let n = count ?? 0
        instancer.protoIndices = [Int32](repeating: 0, count: n)
        let (t, r, s) = (columns["TRANSLATION"], columns["ROTATION"], columns["SCALE"])
        instancer.positions = (0..<n).map { i in t.map { Point3f($0[3 * i], $0[3 * i + 1], $0[3 * i + 2]) } ?? Point3f(0, 0, 0) }
        if let r { instancer.orientations = (0..<n).map { Quaternionf(x: r[4 * $0], y: r[4 * $0 + 1], z: r[4 * $0 + 2], w: r[4 * $0 + 3]) } }
        if let s { instancer.scales = (0..<n).map { Vector3f(s[3 * $0], s[3 * $0 + 1], s[3 * $0 + 2]) } }
        instancer.transforms = (0..<n).map { i in
            GLTFTransform.matrix(
                translation: Vector3d(instancer.positions[i]), rotation: instancer.orientations.isEmpty ? nil : instancer.orientations[i],
                scale: instancer.scales.isEmpty ? nil : instancer.scales[i])
        }
        scene.nodes[index].typeName = "PointInstancer"
        scene.nodes[index].content = .instancer(scene.instancers.append(instancer))
    }

    // MARK: Cameras and lights

    private mutating func add(camera: Int, _ index: Int) {
        guard camera < document.cameras.count else {
            diagnostics.warning(
                "gltf.bad-reference", "camera \(camera) is asked for, there are \(document.cameras.count)",
                at: SourceLocation(file: document.file.name))
            return
        }
        let id =
            cameras[camera] ?? scene.cameras.append(GLTFCameras.camera(document.cameras[camera], document.place("cameras", camera), &diagnostics))
        cameras[camera] = id
        scene.nodes[index].typeName = "Camera"
        scene.nodes[index].content = .camera(id)
    }

    /// A node may be a light beside what else it is.
    private mutating func add(light: Int, _ index: Int) {
        guard light < document.lights.count else {
            diagnostics.warning(
                "gltf.bad-reference", "light \(light) is asked for, there are \(document.lights.count)", at: SourceLocation(file: document.file.name))
            return
        }
        let id = lights[light] ?? scene.lights.append(GLTFCameras.light(document.lights[light]))
        lights[light] = id
        scene.nodes[index].light = id
        if case .none = scene.nodes[index].content {
            scene.nodes[index].typeName = "Light"
            scene.nodes[index].content = .light(id)
        }
    }
}

/// Local transforms.
enum GLTFTransform {
    /// A matrix of the file stands in memory as the model's does: column by column there, row by row here.
    static func matrix(_ node: GLTFDocument.Node) -> Matrix4d {
        if let own = Matrix4d(node.matrix) { return own }
        let (t, r, s) = (node.translation, node.rotation, node.scale)
        if t.isEmpty, r.isEmpty, s.isEmpty { return .identity }
        var m = s.count == 3 ? Matrix4d.scale(Vector3d(s[0], s[1], s[2])) : .identity
        if r.count == 4 { m = m * rotation(r[0], r[1], r[2], r[3]) }
        if t.count == 3 { m.rows.3 = [t[0], t[1], t[2], 1] }
        return m
    }

    static func matrix(translation t: Vector3d, rotation r: Quaternionf?, scale s: Vector3f?) -> Matrix4d {
        var m = s.map { Matrix4d.scale(Vector3d($0)) } ?? .identity
        if let r { m = m * rotation(Double(r.x), Double(r.y), Double(r.z), Double(r.w)) }
        m.rows.3 = [t.x, t.y, t.z, 1]
        return m
    }

    /// A quaternion's rotation, for row vectors; it is taken as it is, as viewers do.
    private static func rotation(_ x: Double, _ y: Double, _ z: Double, _ w: Double) -> Matrix4d {
        Matrix4d(
            SIMD4(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0),
            SIMD4(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0),
            SIMD4(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0), SIMD4(0, 0, 0, 1))
    }
}
