import AssetIO
import AssetModel
import AssetOps

/// Writes a scene as one PLY: a table of all vertices, one of faces, one of edges for curves. The header tells how many there are, so
/// the scene is walked several times: to learn what the vertices must hold, to count, and once for each table. What is small is kept
/// between the walks, otherwise one mesh is in memory at a time.
struct PLYWriter {
    private let scene: Scene
    private let options: WriteOptions
    private let output: any OutputSink
    private let draws: DrawList
    /// From the scene's numbers to the output's.
    private let conversion: Matrix4d
    private var columns = PLYColumns()
    private var loader: MeshLoader
    private var maker: PLYPartMaker
    private var parts: KeptCache<Key, PLYPart>
    private var told = Set<Key>()
    private var survey = OutputSurvey(code: "ply", name: "PLY")
    private var losses = LossList()
    private(set) var diagnostics: Diagnostics

    private var vertexCount = 0
    private var faceCount = 0
    private var edgeCount = 0
    /// Things of which something is written, and the names of those that have one.
    private var objects = 0
    private var named = 0
    private var textured: (with: Bool, without: Bool) = (false, false)

    /// What parts are alike: the same mesh, under the same materials, without anything of the node's own.
    private struct Key: Hashable {
        var source: MeshLoader.Key
        var node: ID<Node>?
        var material: ID<Material>?
        var subsetMaterials: [ID<Material>?] = []
    }

    init(_ scene: Scene, _ context: WriteContext) {
        self.scene = scene
        options = context.options
        output = context.output
        diagnostics = context.diagnostics
        draws = DrawList(
            scene, filter: NodeFilter(purposes: options.purposes, includeHidden: options.includeHidden, nodePath: options.nodePath))
        conversion = AssetOps.conversion(of: scene, metersPerUnit: options.metersPerUnit, upAxis: options.upAxis)
        loader = MeshLoader(scene, keeping: 64 << 20)
        parts = KeptCache(limit: 192 << 20)
        maker = PLYPartMaker(scene: scene, options: options, columns: columns, looks: PLYLooks(scene, context))
    }

    private var here: SourceLocation { SourceLocation(file: scene.source.file, primPath: options.nodePath) }

    private var encoding: PLYHeader.Encoding {
        switch options.encoding {
        case .binary: .littleEndian
        case .ascii: .ascii
        case .bigEndian: .bigEndian
        }
    }

    mutating func write() throws(AssetError) {
        try takeSurvey()
        maker.columns = columns
        try count()
        if vertexCount == 0 {
            let message = "nothing to write: no visible mesh, curve or point of purpose \(listed(options.purposes))"
            guard options.allowEmpty else { throw AssetError("ply.nothing-to-write", message, at: here) }
            diagnostics.warning("ply.nothing-to-write", message, at: SourceLocation(file: scene.source.file))
        }
        let file = OutputPieces(try output.create(options.fileName))
        let rowCount = vertexCount + faceCount + edgeCount
        file.progress = WritingProgress(options.progress, options.fileName, total: rowCount)
        file.progress.begin(rowCount)
        try file.text(header())
        let (columns, encoding) = (columns, encoding)
        try forEachPart { part, m, _ throws(AssetError) in
            let rows = PLYVertexRows(part, columns, m)
            if encoding == .ascii { try rows.text(to: file) } else { try rows.binary(isBig: encoding == .bigEndian, to: file) }
        }
        if faceCount > 0 {
            try forEachPart { part, m, start throws(AssetError) in
                let rows = PLYFaceRows(columns: columns, start: start, isFlipped: part.isLeftHanded != (m.determinant3 < 0))
                try rows.faces(part, encoding, to: file)
            }
        }
        if edgeCount > 0 {
            try forEachPart { part, _, start throws(AssetError) in
                try PLYFaceRows(columns: columns, start: start, isFlipped: false).edges(part, encoding, to: file)
            }
        }
        try file.close()
        try maker.looks.write(to: output)
        report()
    }

    private func header() -> String {
        var text = "ply\nformat \(encoding.rawValue) 1.0\ncomment Facet\n"
        let units = unitsComment(scene, metersPerUnit: options.metersPerUnit, upAxis: options.upAxis) { FloatPrinter.text($0) }
        if let units { text += "comment \(units)\n" }
        for name in maker.looks.textureFiles { text += "comment TextureFile \(name)\n" }
        text += "element vertex \(vertexCount)\n"
        func add(_ type: String, _ names: [String]) {
            for name in names { text += "property \(type) \(name)\n" }
        }
        add(columns.isDouble ? "double" : "float", ["x", "y", "z"])
        if columns.hasNormals { add("float", ["nx", "ny", "nz"]) }
        if columns.hasCoordinates { add("float", ["s", "t"]) }
        if columns.hasColors { add("uchar", ["red", "green", "blue"]) }
        if columns.hasAlpha { add("uchar", ["alpha"]) }
        add("float", columns.others)
        if faceCount > 0 || vertexCount == 0 {
            text += "element face \(faceCount)\nproperty list \(columns.hasLargeFaces ? "int" : "uchar") int vertex_indices\n"
            if columns.hasTextureNumbers { add("int", ["texnumber"]) }
        }
        if edgeCount > 0 {
            text += "element edge \(edgeCount)\n"
            add("int", ["vertex1", "vertex2"])
        }
        return text + "end_header\n"
    }

    // MARK: First walk

    /// Learns what vertices must hold.
    private mutating func takeSurvey() throws(AssetError) {
        let draws = draws
        var isKnown = Set<ID<Node>>()
        var hasOnlyPoints = true
        var others: [String] = []
        try draws.forEach { item throws(AssetError) in
            let node = scene.nodes[item.node]
            if case .mesh(let id) = node.content { survey.meet(id, scene.meshes[id], node) }
            // Copies lose what the first one does.
            guard isKnown.insert(item.node).inserted else { return }
            switch node.content {
            case .mesh(let id):
                hasOnlyPoints = false
                look(scene.meshes[id], node)
            case .points(let id):
                if let surface = scene.points[id].surface {
                    hasOnlyPoints = false
                    look(surface, node)
                } else {
                    look(scene.points[id].primvars, node)
                    for primvar in scene.points[id].primvars {
                        if let name = ofPoints(primvar) {
                            if !others.contains(name) { others.append(name) }
                        } else if !["normals", "displayColor", "displayOpacity"].contains(primvar.name) {
                            losses.note("primvars", at: node.path, name: primvar.name)
                        }
                    }
                }
            case .curves(let id):
                hasOnlyPoints = false
                // Of surfaces alone: points of curves have no normals to be written.
                var plain = node
                plain.inheritedPrimvars.removeAll { $0.name == "normals" }
                let isLinear = scene.curves[id].isLinear
                look(scene.curves[id].primvars.filter { $0.name == "displayColor" && ($0.interpolation == .constant || isLinear) }, plain)
            case .implicit:
                hasOnlyPoints = false
                look(node.inheritedPrimvars.filter { $0.interpolation == .constant }, node)
                if node.inheritedPrimvars.contains(where: { $0.name == "displayColor" && $0.interpolation != .constant }) {
                    losses.note("shape-colors", at: node.path, name: node.path)
                }
            case .instancer, .none, .camera, .light, .skeleton: break
            }
        }
        if hasOnlyPoints {
            columns.others = others
        } else {
            for name in others { losses.note("primvars", at: here.primPath ?? "", name: name) }
        }
        if columns.hasAlpha { columns.hasColors = true }
    }

    /// The column of further numbers of points; nil where a primvar has no place in one.
    private func ofPoints(_ primvar: Primvar) -> String? {
        guard case .float = primvar.values, primvar.interpolation == .vertex, primvar.elementSize == 1, primvar.name != "displayOpacity",
            !primvar.name.isEmpty, primvar.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !["x", "y", "z", "nx", "ny", "nz", "s", "t", "red", "green", "blue", "alpha"].contains(primvar.name)
        else { return nil }
        return primvar.name
    }

    private mutating func look(_ mesh: Mesh, _ node: Node) {
        if let normals = mesh.normals, normals.values.count > 0 { columns.hasNormals = true }
        if mesh.primvars.contains(where: \.isTextureCoordinates) { columns.hasCoordinates = true }
        look(mesh.primvars, node)
        for primvar in mesh.primvars {
            if primvar.name.hasPrefix("skel:") || ["normals", "displayColor", "displayOpacity"].contains(primvar.name) { continue }
            if !primvar.isTextureCoordinates { losses.note("primvars", at: node.path, name: primvar.name) }
        }
        for (i, subset) in mesh.subsets.enumerated() where subset.family != "materialBind" {
            let hasMaterial = i < node.subsetPreviewMaterials.count && node.subsetPreviewMaterials[i] != nil
            if !hasMaterial { losses.note("subsets", at: node.path, name: subset.name) }
        }
    }

    private mutating func look(_ primvars: [Primvar], _ node: Node) {
        for primvar in primvars + node.inheritedPrimvars {
            switch primvar.name {
            case "displayColor": columns.hasColors = true
            case "displayOpacity": if !primvar.isOpaque { columns.hasAlpha = true }
            case "normals": columns.hasNormals = true
            default: break
            }
        }
        for case let material? in [node.previewMaterial] + node.subsetPreviewMaterials {
            let look = maker.looks.look(material, isSkipping: options.textures == .skip, &maker.diagnostics)
            if let color = look.color {
                if color != PLYColor.white { columns.hasColors = true }
                if color | PLYColor.withoutAlpha != PLYColor.white { columns.hasAlpha = true }
            }
        }
    }

    // MARK: Parts

    /// Calls `body` with the parts, their transforms to the output and the number of their first vertex, in the same order each time.
    private mutating func forEachPart(_ body: (PLYPart, Matrix4d, Int) throws(AssetError) -> Void) throws(AssetError) {
        let draws = draws
        var start = 0
        try draws.forEach { item throws(AssetError) in
            guard let part = try part(item), !part.isEmpty else { return }
            try body(part, conversion == .identity ? item.transform : item.transform * conversion, start)
            start += part.vertices.count
        }
    }

    private mutating func part(_ item: DrawItem) throws(AssetError) -> PLYPart? {
        let node = scene.nodes[item.node]
        var key = Key(source: loader.key(item.node) ?? .node(item.node))
        if !node.inheritedPrimvars.isEmpty { key.node = item.node }
        (key.material, key.subsetMaterials) = (node.previewMaterial, node.subsetPreviewMaterials)
        if let known = parts[key] { return known }
        let made: PLYPart?
        switch node.content {
        case .curves(let id): made = try maker.curves(scene.curves[id], node)
        case .points(let id) where scene.points[id].surface == nil: made = try maker.cloud(scene.points[id], node)
        default:
            if let arrays = try loader.arrays(item.node, &maker.diagnostics) {
                made = try maker.mesh(arrays, shown(node))
                maker.diagnostics.add(arrays.takeDiagnostics())
            } else {
                made = nil
            }
        }
        // What is made again has been told of.
        if told.insert(key).inserted { diagnostics.add(maker.diagnostics) }
        maker.diagnostics = Diagnostics()
        if let made { parts.keep(made, for: key, bytes: made.byteCount) }
        return made
    }

    /// A shape's colours count where there is one for all of it.
    private func shown(_ node: Node) -> Node {
        guard case .implicit = node.content else { return node }
        var plain = node
        plain.inheritedPrimvars.removeAll { $0.interpolation != .constant }
        return plain
    }

    /// The walk that counts.
    private mutating func count() throws(AssetError) {
        var (vertices, faces, edges, things, withNames) = (0, 0, 0, 0, 0)
        var (isDouble, largest) = (false, 0)
        let draws = draws
        try draws.forEach { item throws(AssetError) in
            guard let part = try part(item), !part.isEmpty else { return }
            let m = conversion == .identity ? item.transform : item.transform * conversion
            vertices += part.vertices.count
            faces += part.faceCount
            edges += part.edges.count / 2
            things += 1
            if !scene.nodes[item.node].name.isEmpty { withNames += 1 }
            isDouble = isDouble || part.isDouble || needsDoubles(part.bounds, m)
            largest = max(largest, part.largestFace)
            if part.faceCount > 0 {
                switch part.textures {
                case .one(let number): if number >= 0 { textured.with = true } else { textured.without = true }
                case .each: textured = (true, true)
                }
            }
            // Before sums can be more than numbers hold.
            guard vertices <= Int(Int32.max) else {
                throw AssetError(
                    "ply.too-many-vertices", "more than \(Int32.max) vertices, which the indices of faces cannot tell apart", at: here)
            }
        }
        (vertexCount, faceCount, edgeCount, objects, named) = (vertices, faces, edges, things, withNames)
        columns.isDouble = isDouble
        columns.hasLargeFaces = largest > 255
        let textures = maker.looks.textureFiles.count
        columns.hasTextureNumbers = textures > 1 || textures == 1 && textured.with && textured.without
    }

    // MARK: What is lost

    private mutating func report() {
        let file = scene.source.file
        let whole = SourceLocation(file: file)
        survey.reportMeshes(at: whole, to: &diagnostics)
        let looks = maker.looks.lost
        func lost(_ list: LossList, _ kind: String, _ message: (Int) -> String) {
            list.report(kind, code: "ply.lost", file: file, to: &diagnostics, message)
        }
        if objects > 1 {
            diagnostics.warning("ply.lost.objects", "\(objects) objects become one, their names are not written: PLY holds one mesh", at: whole)
        } else if named > 0 {
            diagnostics.info("ply.lost.name", "the name of the object is not written: PLY has none", at: whole)
        }
        lost(looks, "materials") {
            "\(amount($0, "material")) not written, only the base colours, in the vertices, and their images: \(looks.names("materials"))"
        }
        let hasFolder = options.hasFolder
        looks.report("material-names", code: "ply.lost", file: file, severity: .info, to: &diagnostics) {
            "the \($0 == 1 ? "name" : "names") of \(amount($0, "material")) not written: \(looks.names("material-names"))"
        }
        lost(looks, "textures") {
            "\(amount($0, "texture")) not written: \(hasFolder ? "PLY has images for the base colour only" : "standard output takes one file"): "
                + looks.names("textures")
        }
        maker.looks.reportImages(file, to: &diagnostics)
        if maker.looks.skipped > 0 {
            diagnostics.info("ply.textures-skipped", "\(amount(maker.looks.skipped, "texture")) left out as asked", at: whole)
        }
        let made = maker.losses
        lost(made, "uv-sets") { "\(amount($0, "set")) of texture coordinates not written: PLY has one: \(made.names("uv-sets"))" }
        lost(made, "color-range") { "colours of \(amount($0, "mesh", "meshes")) are beyond 1 and written as 1" }
        lost(made, "curve-primvars") { "\(amount($0, "primvar")) of curves not written: \(made.names("curve-primvars"))" }
        let own = losses
        lost(own, "primvars") { "\(amount($0, "primvar")) not written: PLY has no place for it: \(own.names("primvars"))" }
        lost(own, "subsets") { "\(amount($0, "face set")) without material not written: \(own.names("subsets"))" }
        lost(own, "shape-colors") { "colours over \(amount($0, "shape")) not written: which of its parts they are for is not told" }
        made.report("made-normals", code: "ply", file: file, severity: .info, to: &diagnostics) {
            "\(amount($0, "mesh", "meshes")) without normals get those of their faces, as other things in the file have some"
        }
        if columns.others.contains("rot_0"), conversion != .identity {
            diagnostics.warning(
                "ply.lost.splat-orientation", "the points are moved to another unit or axis, the turns and sizes of splats stay as they are",
                at: whole)
        }
        let part = (try? NodeFilter(nodePath: options.nodePath).range(in: scene)) ?? 0..<scene.nodes.count
        survey.reportNodes(scene, part, at: whole, to: &diagnostics)
    }
}
