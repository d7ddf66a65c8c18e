import AssetIO
import AssetModel
import AssetOps

/// Writes a scene as STL. A first walk over what is drawn learns what will be lost, a second one counts the triangles where the
/// file begins with their number, the last one writes, one mesh in memory at a time.
struct STLWriter {
    private let scene: Scene
    private let options: WriteOptions
    private let output: any OutputSink
    private let draws: DrawList
    /// From the scene's numbers to the output's.
    private let conversion: Matrix4d
    private var loader: MeshLoader
    private var survey = OutputSurvey(code: "stl", name: "STL")
    private var names: ObjectNames
    private var losses = LossList()
    /// Things that have triangles.
    private var objects = 0
    /// Whether one of them has a name.
    private var named = false
    private var triangles = 0
    private var float = FloatLoss()
    private var movedMeshes = 0
    private var loss: (path: String, farthest: Double)?
    /// Meshes of which a loss was told that copies share.
    private var told = Set<MeshLoader.Key>()
    private(set) var diagnostics: Diagnostics

    private var isText: Bool { options.encoding == .ascii }

    init(_ scene: Scene, _ context: WriteContext) {
        self.scene = scene
        options = context.options
        output = context.output
        diagnostics = context.diagnostics
        draws = DrawList(
            scene, filter: NodeFilter(purposes: options.purposes, includeHidden: options.includeHidden, nodePath: options.nodePath))
        conversion = AssetOps.conversion(of: scene, metersPerUnit: options.metersPerUnit, upAxis: options.upAxis)
        loader = MeshLoader(scene, keeping: 128 << 20)
        names = ObjectNames(scene, safe: STLWriter.safeName)
    }

    private var here: SourceLocation { SourceLocation(file: scene.source.file, primPath: options.nodePath) }

    mutating func write() throws(AssetError) {
        try takeSurvey()
        let draws = draws
        if !isText {
            try draws.forEach { item throws(AssetError) in
                guard let arrays = try loader.arrays(item.node, &diagnostics) else { return }
                // No overflow: 20 million copies at most, of under 2^31 triangles each.
                triangles += arrays.triangles.count
            }
            guard triangles <= Int(UInt32.max) else {
                throw AssetError(
                    "stl.too-many-triangles", "\(amount(triangles, "triangle")), a binary STL holds at most \(UInt32.max)", at: here)
            }
        }
        let file = OutputPieces(try output.create(options.fileName))
        if !isText {
            try file.bytes(header(triangles))
            file.progress = WritingProgress(options.progress, options.fileName, total: triangles)
            file.progress.begin(triangles)
        }
        triangles = 0
        try draws.forEach { item throws(AssetError) in try draw(item, to: file) }
        if objects == 0 {
            let message = "nothing to write: no visible mesh with faces of purpose \(listed(options.purposes))"
            guard options.allowEmpty else { throw AssetError("stl.nothing-to-write", message, at: here) }
            diagnostics.warning("stl.nothing-to-write", message, at: SourceLocation(file: scene.source.file))
            if isText { try file.text("solid\nendsolid\n") }
        }
        try file.close()
        report()
    }

    /// 80 bytes that do not begin with `solid`, by which many tell text, and say no colour.
    private func header(_ count: Int) -> [UInt8] {
        let units = unitsComment(scene, metersPerUnit: options.metersPerUnit, upAxis: options.upAxis) { FloatPrinter.text($0) }
        var bytes = Array("Facet binary STL\(units.map { ", " + $0 } ?? "")".utf8.prefix(80))
        bytes += [UInt8](repeating: 0, count: 80 - bytes.count)
        let number = UInt32(truncatingIfNeeded: count)
        for k in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(8 * k))) }
        return bytes
    }

    /// A solid's name runs to the end of the line; blanks at its ends would not be its own.
    private static func safeName(_ name: String) -> String {
        var safe = ""
        for c in name.unicodeScalars {
            let isBad = c.properties.generalCategory == .control || c == "\u{2028}" || c == "\u{2029}"
            safe.unicodeScalars.append(isBad ? "_" : c)
        }
        while let first = safe.unicodeScalars.first, first.properties.isWhitespace { safe.unicodeScalars.removeFirst() }
        while let last = safe.unicodeScalars.last, last.properties.isWhitespace { safe.unicodeScalars.removeLast() }
        return safe
    }

    // MARK: First walk

    private mutating func takeSurvey() throws(AssetError) {
        let draws = draws
        var isKnown = Set<ID<Node>>()
        try draws.forEach { item throws(AssetError) in
            let node = scene.nodes[item.node]
            // Copies lose what the first one does.
            let isNew = isKnown.insert(item.node).inserted
            switch node.content {
            case .mesh(let id):
                survey.meet(id, scene.meshes[id], node)
                if scene.meshes[id].faceVertexCounts.isEmpty {
                    let points = scene.meshes[id].points.count
                    if points > 0, isNew { losses.note("points", at: node.path, count: points) }
                    return
                }
                names.meet(node)
                if isNew { noteLosses(scene.meshes[id].primvars, node) }
            case .implicit:
                names.meet(node)
                if isNew { noteLosses([], node) }
            case .points(let id):
                if let surface = scene.points[id].surface {
                    names.meet(node)
                    if isNew { noteLosses(surface.primvars, node) }
                } else if isNew, !scene.points[id].points.isEmpty {
                    losses.note("points", at: node.path, count: scene.points[id].points.count)
                }
            case .curves(let id):
                if isNew { losses.note("curves", at: node.path, count: Swift.max(1, scene.curves[id].curveVertexCounts.count)) }
            case .instancer, .none, .camera, .light, .skeleton: break
            }
        }
    }

    private mutating func noteLosses(_ primvars: [Primvar], _ node: Node) {
        for primvar in primvars + node.inheritedPrimvars {
            if primvar.name.hasPrefix("skel:") || primvar.name == "normals" { continue }
            if primvar.name == "displayColor" || primvar.name == "displayOpacity" {
                losses.note("colors", at: node.path, name: node.path)
            } else if primvar.isTextureCoordinates {
                losses.note("texture-coordinates", at: node.path, name: node.path)
            } else {
                losses.note("primvars", at: node.path, name: primvar.name)
            }
        }
        for case let material? in [node.previewMaterial] + node.subsetPreviewMaterials {
            losses.note("materials", at: node.path, name: scene.materials[material].name)
        }
    }

    private mutating func report() {
        let file = scene.source.file
        survey.reportMeshes(at: SourceLocation(file: file), to: &diagnostics)
        func lost(_ kind: String, _ message: (Int) -> String) {
            losses.report(kind, code: "stl.lost", file: file, to: &diagnostics, message)
        }
        names.renames.report("object", code: "stl.lost.names", file: file, to: &diagnostics)
        names.numbered.report("object", code: "stl.unique-names", file: file, severity: .info, to: &diagnostics)
        lost("curves") { "\(amount($0, "curve")) not written: STL has triangles only" }
        lost("points") { "\(amount($0, "point")) not written: STL has triangles only" }
        lost("colors") { "colours of \(amount($0, "mesh", "meshes")) not written: STL has none that all programs read" }
        lost("texture-coordinates") { "texture coordinates of \(amount($0, "mesh", "meshes")) not written: STL has none" }
        lost("materials") { "\(amount($0, "material")) not written: STL has none: \(losses.names("materials"))" }
        lost("primvars") { "\(amount($0, "primvar")) not written: STL has none: \(losses.names("primvars"))" }
        if !isText, objects > 1 {
            diagnostics.warning(
                "stl.lost.objects", "\(objects) objects become one: only text STL holds several, with their names (--encoding ascii)",
                at: SourceLocation(file: file))
        }
        if let loss {
            var parts: [String] = []
            if loss.farthest > 0 {
                parts.append("moves points of \(amount(movedMeshes, "mesh", "meshes")) by up to \(FloatPrinter.text(Float(loss.farthest)))")
            }
            if float.merged > 0 { parts.append("makes corners of \(amount(float.merged, "triangle")) one") }
            diagnostics.warning(
                "stl.lost.precision", "single precision \(parts.joined(separator: " and "))", at: SourceLocation(file: file, primPath: loss.path))
        }
        let part = (try? NodeFilter(nodePath: options.nodePath).range(in: scene)) ?? 0..<scene.nodes.count
        survey.reportNodes(scene, part, at: SourceLocation(file: file), to: &diagnostics)
        if !isText, objects == 1, named {
            diagnostics.info(
                "stl.lost.name", "the name of the object is not written: only text STL has one (--encoding ascii)",
                at: SourceLocation(file: file))
        }
    }

    // MARK: Last walk

    private mutating func draw(_ item: DrawItem, to file: OutputPieces) throws(AssetError) {
        guard let key = loader.key(item.node), let arrays = try loader.arrays(item.node, &diagnostics) else { return }
        let node = scene.nodes[item.node]
        let location = SourceLocation(file: scene.source.file, primPath: node.path)
        let cut = arrays.triangles
        if told.insert(key).inserted {
            diagnostics.add(arrays.takeDiagnostics())
            let degenerate = cut.degenerate
            if degenerate > 0 {
                diagnostics.add(
                    Diagnostic(
                        .warning, "mesh.face-degenerate", "\(degenerate == 1 ? "a face" : "\(degenerate) faces") left out: no area",
                        at: location, count: degenerate))
            }
        }
        guard cut.count > 0 else { return }
        objects += 1
        if !node.name.isEmpty { named = true }
        let m = conversion == .identity ? item.transform : item.transform * conversion
        let isFlipped = (arrays.mesh.orientation == .leftHanded) != (m.determinant3 < 0)
        let facets = STLFacets(polygons: arrays.polygons, triangles: cut, transform: m == .identity ? nil : m, isFlipped: isFlipped)
        if isText {
            let name = node.name.isEmpty ? "" : " " + names.name(item, node)
            try file.text("solid\(name)\n")
            try facets.text(asDouble: arrays.polygons.needsDoubles(m), to: file)
            try file.text("endsolid\(name)\n")
        } else {
            let change = try facets.records(to: file)
            let isMoved = change.moved > 1e-6 * arrays.polygons.bounds.diagonal(m)
            if isMoved { movedMeshes += 1 }
            if isMoved || change.merged > 0 {
                loss = (loss?.path ?? node.path, Swift.max(loss?.farthest ?? 0, isMoved ? change.moved : 0))
                float.formUnion(change)
            }
        }
    }
}
