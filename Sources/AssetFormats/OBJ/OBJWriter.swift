import AssetIO
import AssetModel
import AssetOps

/// Writes a scene as OBJ, MTL and images. Two walks over what is drawn: the first learns names, materials and how often
/// each mesh comes; the second writes, one mesh in memory at a time.
struct OBJWriter {
    let scene: Scene
    let options: WriteOptions
    private let output: any OutputSink
    private let draws: DrawList
    /// From the scene's numbers to the output's.
    private let conversion: Matrix4d
    var diagnostics = Diagnostics()
    var library: OBJMaterialLibrary
    let text: OutputPieces
    private var survey = OutputSurvey(code: "obj", name: "OBJ")
    private var objectNames: ObjectNames
    /// Names of nodes above what is drawn and of sets of faces, which become groups.
    private var groupNames = RenameList()
    private var namedNodes = Set<ID<Node>>()

    /// Lines written so far of each kind; indices in the file count from 1.
    var vertexCount = 0
    var coordinateCount = 0
    var normalCount = 0
    /// Faces, lines and points written.
    var elementCount = 0
    /// About how many lines all things take.
    private var weight = 0
    private var currentMaterial: Int?
    private var currentGroup: String?
    private var loaded: [ID<Mesh>: OBJMeshData] = [:]
    private var loadedBytes = 0
    private var reportedMeshes = Set<ID<Mesh>>()
    var reportedPrimvars = Set<ID<Mesh>>()
    /// Materials whose default wrapping was reported.
    private var reportedWraps = Set<Int>()

    /// Meshes that come again are kept up to this many bytes.
    private static let cacheLimit = 48 << 20

    init(_ scene: Scene, _ context: WriteContext) throws(AssetError) {
        self.scene = scene
        options = context.options
        output = context.output
        diagnostics = context.diagnostics
        let filter = NodeFilter(purposes: options.purposes, includeHidden: options.includeHidden, nodePath: options.nodePath)
        draws = DrawList(scene, filter: filter)
        conversion = AssetOps.conversion(of: scene, metersPerUnit: options.metersPerUnit, upAxis: options.upAxis)
        library = OBJMaterialLibrary(
            scene,
            textures: TextureCopies(
                scene, context.resolver, isSkipped: options.textures == .skip, largest: options.imageBytes, code: "obj", format: "OBJ"),
            roughness: options.mtlRoughness)
        objectNames = ObjectNames(scene, safe: objName)
        text = OutputPieces(try output.create(options.fileName))
    }

    func location(_ node: Node) -> SourceLocation { SourceLocation(file: scene.source.file, primPath: node.path) }

    /// Beside the OBJ and named like it, except for what its line could not say: ends of lines and other control characters,
    /// `\`, which continues a line, and blanks at the front.
    private var libraryName: String {
        var name = ""
        for c in SystemPath.readable(splitExtension(options.fileName).stem).unicodeScalars {
            let isBad =
                c == "\\" || c == "\u{2028}" || c == "\u{2029}" || c.properties.generalCategory == .control
                || name.isEmpty && c.properties.isWhitespace
            name.unicodeScalars.append(isBad ? "_" : c)
        }
        return name + ".mtl"
    }

    mutating func write() throws(AssetError) {
        try takeSurvey()
        try text.text("# Facet\n")
        if let units = unitsComment(scene, metersPerUnit: options.metersPerUnit, upAxis: options.upAxis, text: { FloatPrinter.text($0) }) {
            try text.text("# \(units)\n")
        }
        if !library.isEmpty { try text.text("mtllib \(libraryName)\n") }
        let draws = draws
        text.progress = WritingProgress(options.progress, options.fileName, total: weight)
        try draws.forEach { item throws(AssetError) in
            text.progress.begin(weight(item))
            try draw(item)
        }
        if elementCount == 0 {
            let message = "nothing to write: no visible mesh, curve or point of purpose \(listed(options.purposes))"
            guard options.allowEmpty else {
                throw AssetError("obj.nothing-to-write", message, at: SourceLocation(file: scene.source.file, primPath: options.nodePath))
            }
            diagnostics.warning("obj.nothing-to-write", message, at: SourceLocation(file: scene.source.file))
        }
        try text.close()
        try library.write(libraryName, to: output)
        reportWhole()
    }

    // MARK: First walk

    private mutating func takeSurvey() throws(AssetError) {
        let draws = draws
        var hasMaterial = false
        try draws.forEach { item throws(AssetError) in
            let node = scene.nodes[item.node]
            weight += weight(item)
            objectNames.meet(node)
            meetGroups(above: node)
            var hasBare = node.previewMaterial == nil
            if case .mesh(let id) = node.content {
                let mesh = scene.meshes[id]
                survey.meet(id, mesh, node)
                var covered = 0
                for subset in mesh.subsets where subset.isOfFaces && subset.family != "materialBind" {
                    groupNames.note(subset.name, as: objName(subset.name), at: node.path + "/" + subset.name)
                }
                for (i, subset) in mesh.subsets.enumerated() where i < node.subsetPreviewMaterials.count {
                    guard let material = node.subsetPreviewMaterials[i], !subset.faces.isEmpty else { continue }
                    _ = library.index(material, &diagnostics)
                    hasMaterial = true
                    covered += subset.faces.count
                }
                if covered >= mesh.faceVertexCounts.count, covered > 0 { return }
                hasBare = node.previewMaterial == nil
            }
            if let material = node.previewMaterial {
                _ = library.index(material, &diagnostics)
                hasMaterial = true
            } else if hasBare, hasMaterial {
                _ = library.nameForUnassigned()
            }
        }
    }

    private mutating func meetGroups(above node: Node) {
        var parent = node.parent
        while let id = parent, namedNodes.insert(id).inserted {
            let group = scene.nodes[id]
            groupNames.note(group.name, as: objName(group.name), at: group.path)
            parent = group.parent
        }
    }

    /// About how many lines a thing takes.
    private func weight(_ item: DrawItem) -> Int {
        switch scene.nodes[item.node].content {
        case .mesh(let id):
            let mesh = scene.meshes[id]
            return mesh.points.count + mesh.faceVertexCounts.count + (mesh.normals?.values.count ?? 0)
                + (mesh.primvars.first(where: \.isTextureCoordinates)?.values.count ?? 0)
        case .curves(let id): return scene.curves[id].points.count
        case .points(let id): return scene.points[id].points.count
        default: return 100
        }
    }

    // MARK: Second walk

    private mutating func draw(_ item: DrawItem) throws(AssetError) {
        let node = scene.nodes[item.node]
        let m = conversion == .identity ? item.transform : item.transform * conversion
        switch node.content {
        case .mesh(let id):
            let data = try meshData(id, node)
            try drawMesh(data, item, node, m)
            finish(id, data)
        case .implicit(let shape):
            let data = try OBJMeshData(tessellate(shape), at: location(node))
            var plain = node
            plain.inheritedPrimvars.removeAll { $0.interpolation != .constant }
            if node.inheritedPrimvars.contains(where: { $0.name == "displayColor" && $0.interpolation != .constant }) {
                diagnostics.warning(
                    "obj.lost.display-color", "colours over a shape are not written: which of its parts they are for is not told",
                    at: location(node))
            }
            try drawMesh(data, item, plain, m)
            diagnostics.add(data.arrays.takeDiagnostics())
        case .curves(let id): try drawCurves(scene.curves[id], item, node, m)
        case .points(let id):
            if let surface = scene.points[id].surface {
                try drawMesh(OBJMeshData(surface, at: location(node)), item, node, m)
            } else {
                try drawPoints(scene.points[id], item, node, m)
            }
        case .instancer, .none, .camera, .light, .skeleton: break
        }
    }

    private mutating func meshData(_ id: ID<Mesh>, _ node: Node) throws(AssetError) -> OBJMeshData {
        if let data = loaded[id] { return data }
        let data = try OBJMeshData(scene.meshes[id], at: location(node))
        if reportedMeshes.insert(id).inserted { data.arrays.defects.report("obj", at: location(node), to: &diagnostics) }
        return data
    }

    /// Keeps a mesh that comes again, drops it after its last copy.
    private mutating func finish(_ id: ID<Mesh>, _ data: OBJMeshData) {
        diagnostics.add(data.arrays.takeDiagnostics())
        let left = (survey.meshUses[id] ?? 1) - 1
        survey.meshUses[id] = left
        if left <= 0 {
            if loaded.removeValue(forKey: id) != nil { loadedBytes -= data.arrays.byteCount }
        } else if loaded[id] == nil {
            let bytes = data.arrays.byteCount
            if loadedBytes + bytes > Self.cacheLimit {
                loaded = [:]
                loadedBytes = 0
            }
            if bytes <= Self.cacheLimit {
                loaded[id] = data
                loadedBytes += bytes
            }
        }
    }

    /// Starts an object: the group of its place in the hierarchy, where that changed, then `o` with a name of its own.
    mutating func startObject(_ item: DrawItem, _ node: Node) throws(AssetError) {
        try startGroup(groupName(item, node))
        try text.text("o \(objectNames.name(item, node))\n")
    }

    /// Says to which groups the following faces belong, where that changed; empty for none.
    mutating func startGroup(_ group: String) throws(AssetError) {
        if group == currentGroup { return }
        if !group.isEmpty || currentGroup != nil { try text.text("g \(group.isEmpty ? "default" : group)\n") }
        currentGroup = group
    }

    /// The path of the parent; for copies the instancer's with the copy's number.
    func groupName(_ item: DrawItem, _ node: Node) -> String {
        var parts: [String] = []
        func add(_ path: String) {
            for part in path.split(separator: "/") { parts.append(objName(String(part))) }
        }
        if let first = item.copies.first {
            add(scene.nodes[first.instancer].path)
            parts.append(String(first.index))
            for copy in item.copies.dropFirst() {
                parts.append(objName(scene.nodes[copy.instancer].name))
                parts.append(String(copy.index))
            }
        } else if let parent = node.parent {
            add(scene.nodes[parent].path)
        }
        return parts.joined(separator: "/")
    }

    /// Switches to a material; faces without one get a plain one where another came before.
    mutating func use(_ material: Int?) throws(AssetError) {
        guard let material else {
            if let current = currentMaterial, current >= 0 {
                try text.text("usemtl \(library.nameForUnassigned())\n")
                currentMaterial = -1
            }
            return
        }
        if currentMaterial == material { return }
        try text.text("usemtl \(library.materials[material].name)\n")
        currentMaterial = material
    }

    /// Tells once a material that the target repeats where the source shows black.
    mutating func checkDefaultWrap(_ material: Int, _ values: [Vector2f]) {
        guard library.materials[material].dependsOnDefaultWrap, !reportedWraps.contains(material) else { return }
        let leaves = values.contains { !($0.x >= -1e-4 && $0.x <= 1.0001 && $0.y >= -1e-4 && $0.y <= 1.0001) }
        guard leaves else { return }
        reportedWraps.insert(material)
        diagnostics.warning(
            "obj.lost.wrap", "a texture without a wrap mode is black outside 0 to 1, where its coordinates go; MTL repeats it",
            at: SourceLocation(file: scene.source.file, primPath: library.materials[material].path))
    }

    // MARK: What concerns the whole

    private mutating func reportWhole() {
        let here = SourceLocation(file: scene.source.file)
        survey.reportMeshes(at: here, to: &diagnostics)
        objectNames.renames.report("object", code: "obj.lost.names", file: here.file, to: &diagnostics)
        objectNames.numbered.report("object", code: "obj.unique-names", file: here.file, severity: .info, to: &diagnostics)
        groupNames.report("group", code: "obj.lost.group-names", file: here.file, to: &diagnostics)
        library.renames.report("material", code: "obj.lost.material-names", file: here.file, to: &diagnostics)
        library.reportImages(here.file, to: &diagnostics)
        if options.textures == .embed, library.usedTextureCount > 0 {
            diagnostics.warning("obj.lost.embedding", "textures are copied beside the output: OBJ cannot embed them", at: here)
        }
        if options.textures == .skip, library.usedTextureCount > 0 {
            diagnostics.info("obj.textures-skipped", "\(amount(library.usedTextureCount, "texture")) left out as asked", at: here)
        }
        let materials = scene.materials.count - library.usedMaterialCount
        let textures = options.textures == .skip ? 0 : scene.textures.count - library.usedTextureCount
        if materials > 0 || textures > 0 {
            let parts = [(materials, "material"), (textures, "texture")].filter { $0.0 > 0 }.map { amount($0.0, $0.1) }
            diagnostics.info("obj.unused", "\(parts.joined(separator: " and ")) not used by what is written left out", at: here)
        }
        let part = (try? NodeFilter(nodePath: options.nodePath).range(in: scene)) ?? 0..<scene.nodes.count
        survey.reportNodes(scene, part, at: here, to: &diagnostics)
    }
}
