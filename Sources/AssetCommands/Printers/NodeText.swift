import AssetModel
import AssetOps

/// A piece of a line, kept whole when lines are broken.
struct TextItem {
    var text: String
    var style: TextStyle
    init(_ text: String, _ style: TextStyle = .plain) { (self.text, self.style) = (text, style) }
}

/// What is told about a node beside its name and type.
struct NodeText {
    let scene: Scene
    /// Materials by path: the prims of USD that are materials.
    private let materials: [String: Int]
    /// Material names that several materials share are shown as paths.
    private let sharedNames: Set<String>
    /// Widths of the three numbers of a mesh, so that they stand in columns.
    private let numberWidths: (points: Int, faces: Int, triangles: Int)
    /// How much is said of them.
    private var form = NumberForm.full

    private enum NumberForm: CaseIterable { case full, short, fewest }

    init(_ outline: Outline) {
        scene = outline.scene
        var byPath: [String: Int] = [:]
        var names: Set<String> = []
        var shared: Set<String> = []
        for (i, m) in scene.materials.enumerated() {
            byPath[m.path] = i
            if !names.insert(m.name).inserted { shared.insert(m.name) }
        }
        materials = byPath
        sharedNames = shared
        var most = (points: 0, faces: 0, triangles: 0)
        for case let counts? in outline.entries.lazy.map(\.counts) {
            most = (max(most.points, counts.points), max(most.faces, counts.faces), max(most.triangles, counts.triangles))
        }
        numberWidths = (grouped(most.points).utf8.count, grouped(most.faces).utf8.count, grouped(most.triangles).utf8.count)
    }

    /// Says less of the numbers where a mesh would not fit in `width` columns with its material.
    mutating func fit(_ outline: Outline, width: Int) {
        var material = 0
        for entry in outline.entries where entry.counts != nil {
            material = max(material, materialText(scene.nodes[entry.node]).map { displayWidth($0) + 2 } ?? 0)
        }
        for form in NumberForm.allCases {
            self.form = form
            if displayWidth(numbers(MeshCounts())) + min(material, 10) <= width { return }
        }
    }

    func items(_ node: Node, _ counts: MeshCounts?) -> [TextItem] {
        var items: [TextItem] = []
        content(node, counts, &items)
        if let id = node.light, scene.lights.contains(id) {
            let light = scene.lights[id]
            items.append(
                TextItem(
                    "intensity \(numberText(light.intensity))" + (light.exposure != 0 ? ", exposure \(numberText(light.exposure))" : "")))
        }
        if let kind = node.kind { items.append(TextItem(shortName(kind), .dim)) }
        for set in node.variantSets { items.append(TextItem(variant(set), .blue)) }
        boundMaterials(node, &items)
        marks(node, &items)
        return items
    }

    private func content(_ node: Node, _ counts: MeshCounts?, _ items: inout [TextItem]) {
        switch node.content {
        case .mesh: items.append(TextItem(numbers(counts ?? MeshCounts())))
        case .curves(let id):
            let curves = scene.curves[id]
            items.append(TextItem(counted(curves.curveVertexCounts.count, "curve")))
            items.append(TextItem(counted(curves.points.count, "point")))
        case .points(let id): items.append(TextItem(counted(scene.points[id].points.count, "point")))
        case .implicit(let shape): items.append(TextItem(parameters(shape)))
        case .instancer(let id):
            let instancer = scene.instancers[id]
            items.append(
                TextItem(counted(instancer.protoIndices.count, "instance") + " of " + counted(instancer.prototypePaths.count, "prototype")))
            if !instancer.maskedInstances.isEmpty { items.append(TextItem("\(grouped(instancer.maskedInstances.count)) masked", .yellow)) }
        case .camera(let id):
            let camera = scene.cameras[id]
            items.append(TextItem("\(escaped(camera.projection)), focal length \(numberText(camera.focalLength))"))
        case .light: break
        case .skeleton(let id): items.append(TextItem(counted(scene.skeletons[id].joints.count, "joint")))
        case .none:
            guard let i = materials[node.path] else { return }
            let material = scene.materials[i]
            items.append(TextItem(material.shader.map(escaped) ?? "no surface shader"))
            let textures = material.inputs.count { $0.texture != nil }
            if textures > 0 { items.append(TextItem(counted(textures, "texture"))) }
        }
    }

    private func numbers(_ c: MeshCounts) -> String {
        func column(_ n: Int, _ width: Int, _ one: String) -> String {
            leftPadded(grouped(n), to: width) + " " + (n == 1 ? one + " " : one + "s")
        }
        switch form {
        case .full:
            let text = column(c.points, numberWidths.points, "point") + "  " + column(c.faces, numberWidths.faces, "face")
            return text + "  " + column(c.triangles, numberWidths.triangles, "triangle")
        case .short:
            let text = column(c.points, numberWidths.points, "pt") + "  " + column(c.faces, numberWidths.faces, "face")
            return text + "  " + column(c.triangles, numberWidths.triangles, "tri")
        case .fewest: return column(c.triangles, numberWidths.triangles, "tri")
        }
    }

    private func variant(_ set: VariantSet) -> String {
        let others = set.choices.filter { $0 != set.selection }
        let selection = set.selection.isEmpty ? "none" : set.selection
        let shown = others.prefix(4).joined(separator: ", ") + (others.count > 4 ? ", … \(others.count - 4) more" : "")
        return shortName(set.name) + "=" + shortName(selection) + (others.isEmpty ? "" : " (or \(shortName(shown)))")
    }

    func name(of id: ID<Material>) -> String {
        guard scene.materials.contains(id) else { return "?" }
        let material = scene.materials[id]
        return shortName(sharedNames.contains(material.name) || material.name.isEmpty ? material.path : material.name)
    }

    private func boundMaterials(_ node: Node, _ items: inout [TextItem]) {
        guard node.hasGeometry || node.material != nil else { return }
        if let text = materialText(node) { items.append(TextItem(text, .magenta)) }
        if case .mesh(let id) = node.content, !scene.meshes[id].subsets.isEmpty {
            items.append(TextItem(counted(scene.meshes[id].subsets.count, "subset"), .dim))
        }
    }

    private func materialText(_ node: Node) -> String? {
        var ids: [ID<Material>] = []
        var seen = Set<ID<Material>>()
        for case let id? in [node.material] + node.subsetMaterials where seen.insert(id).inserted { ids.append(id) }
        guard !ids.isEmpty else { return nil }
        return "→ " + ids.prefix(3).map(name(of:)).joined(separator: ", ") + (ids.count > 3 ? ", … \(ids.count - 3) more" : "")
    }

    private func marks(_ node: Node, _ items: inout [TextItem]) {
        if node.isImageable, !node.isVisible { items.append(TextItem("hidden", .yellow)) }
        if node.isImageable, node.purpose != .default { items.append(TextItem(node.purpose.rawValue, .yellow)) }
        if node.isInstance { items.append(TextItem("instance", .green)) }
        if node.isAnimated { items.append(TextItem("animated", .green)) }
        if node.resetsTransformStack { items.append(TextItem("resets transforms", .yellow)) }
        guard case .mesh(let id) = node.content else { return }
        let mesh = scene.meshes[id]
        if mesh.isDeforming { items.append(TextItem("deforming", .green)) }
        if mesh.skin != nil { items.append(TextItem("skinned", .green)) }
        if mesh.blendShapeCount > 0 { items.append(TextItem(counted(mesh.blendShapeCount, "blend shape"), .green)) }
        if mesh.orientation == .leftHanded { items.append(TextItem("left-handed", .dim)) }
    }

    private func range(_ a: Double, _ b: Double) -> String { a == b ? significant(a) : significant(a) + " to " + significant(b) }

    private func parameters(_ shape: ImplicitShape) -> String {
        switch shape {
        case .cube(let size): "size \(significant(size))"
        case .sphere(let radius): "radius \(significant(radius))"
        case .cylinder(let bottom, let top, let height, let axis):
            "radius \(range(bottom, top)), height \(significant(height)), axis \(axis)"
        case .cone(let radius, let height, let axis): "radius \(significant(radius)), height \(significant(height)), axis \(axis)"
        case .capsule(let bottom, let top, let height, let axis):
            "radius \(range(bottom, top)), height \(significant(height)), axis \(axis)"
        case .plane(let width, let length, let axis): "\(significant(width)) × \(significant(length)), axis \(axis)"
        }
    }
}

/// `Y up`, `centimetres`, frames: what a file says of itself, in a few words each.
func metadataFacts(_ metadata: SceneMetadata) -> [String] {
    var facts: [String] = []
    if let up = metadata.upAxis { facts.append("\(escaped(up)) up") }
    if let unit = metadata.metersPerUnit { facts.append(unitName(unit)) }
    if let start = metadata.startTimeCode, let end = metadata.endTimeCode {
        let rate = metadata.timeCodesPerSecond.map { " at \(numberText($0))/s" } ?? ""
        facts.append("time \(numberText(start)) to \(numberText(end))\(rate)")
    }
    if let prim = metadata.defaultPrim { facts.append("default \(shortName(prim))") }
    return facts
}

/// `centimetres`, or `0.5 m a unit`.
func unitName(_ metersPerUnit: Double) -> String {
    switch metersPerUnit {
    case 1: "metres"
    case 0.1: "decimetres"
    case 0.01: "centimetres"
    case 0.001: "millimetres"
    case 0.0254: "inches"
    case 0.3048: "feet"
    case 1000: "kilometres"
    default: "\(numberText(metersPerUnit)) m a unit"
    }
}

/// `(0, 1.5, 0)`
func tupleText(_ v: Vector3d) -> String { "(\(significant(v.x)), \(significant(v.y)), \(significant(v.z)))" }

/// A value on one line, long arrays shortened.
func valueText(_ value: Value, limit: Int = 16) -> String {
    func tuple(_ items: [String], _ count: Int) -> String {
        "(" + items.joined(separator: ", ") + (count > items.count ? ", … \(grouped(count)) in all" : "") + ")"
    }
    switch value {
    case .bool(let b): return b ? "true" : "false"
    case .int(let i): return String(i)
    case .double(let d): return numberText(d)
    case .float(let f): return numberText(f)
    case .string(let s): return "\"" + escaped(s) + "\""
    case .floats(let a): return tuple(a.prefix(limit).map { numberText($0) }, a.count)
    case .doubles(let a): return tuple(a.prefix(limit).map { numberText($0) }, a.count)
    case .ints(let a): return tuple(a.prefix(limit).map { String($0) }, a.count)
    case .array(let a):
        return "[" + a.prefix(limit).map { valueText($0, limit: 4) }.joined(separator: ", ") + (a.count > limit ? ", …" : "") + "]"
    case .dictionary(let entries):
        return "{" + entries.prefix(limit).map { escaped($0.key) + ": " + valueText($0.value, limit: 4) }.joined(separator: ", ")
            + (entries.count > limit ? ", …" : "") + "}"
    }
}
