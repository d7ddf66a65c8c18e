import AssetIO
import AssetModel
import AssetOps

/// Makes glTF meshes of what nodes show, each once: nodes that show the same thing in the same look share one.
struct GLTFMeshWriter {
    /// What meshes are alike: the same source, under the same materials, without anything of the node's own.
    private struct Key: Hashable {
        var source: MeshLoader.Key
        var node: ID<Node>?
        var material: ID<Material>?
        var subsetMaterials: [ID<Material>?] = []
        var variants: [VariantMaterial] = []
    }

    let scene: Scene
    var loader: MeshLoader
    var materials: GLTFMaterialWriter
    let skeletons: GLTFSkeletons
    var losses = LossList()
    var diagnostics = Diagnostics()
    private var known: [Key: Int?] = [:]
    private var names = UniqueNames()
    /// What the points of a mesh are moved by where float32 holds them.
    private var float = FloatLoss()
    private var floatPath: String?
    /// Materials of which it was told that they are repeated.
    private var toldWraps = Set<Int>()

    init(_ scene: Scene, _ materials: GLTFMaterialWriter) {
        self.scene = scene
        self.materials = materials
        skeletons = GLTFSkeletons(scene)
        loader = MeshLoader(scene, keeping: 32 << 20)
        for node in scene.nodes where node.hasGeometry { names.announce(node.name) }
    }

    func location(_ node: Node) -> SourceLocation { SourceLocation(file: scene.source.file, primPath: node.path) }

    /// The mesh of a node; nil where it shows nothing.
    mutating func mesh(_ id: ID<Node>, _ out: inout GLTFOutput) throws(AssetError) -> Int? {
        let node = scene.nodes[id]
        let key: Key
        switch node.content {
        case .mesh, .implicit, .points, .curves:
            var made = Key(source: loader.key(id) ?? .node(id))
            if !node.inheritedPrimvars.isEmpty { made.node = id }
            (made.material, made.subsetMaterials, made.variants) = (node.previewMaterial, node.subsetPreviewMaterials, node.variantMaterials)
            key = made
        case .instancer, .none, .camera, .light, .skeleton: return nil
        }
        if let known = known[key] { return known }
        let made = try make(id, node, &out)
        let index = add(made, node, &out)
        known[key] = .some(index)
        return index
    }

    /// One mesh of many copies of what a node shows; nil where that has no faces.
    mutating func bakedMesh(_ id: ID<Node>, _ transforms: [Matrix4d], _ out: inout GLTFOutput) throws(AssetError) -> Int? {
        let node = scene.nodes[id]
        guard let arrays = try loader.arrays(id, &diagnostics), arrays.polygons.drawnFaceCount > 0 else { return nil }
        let copies = try arrays.copies(transforms, at: location(node))
        diagnostics.add(arrays.takeDiagnostics())
        var made = GLTFOutput.Mesh()
        try addMesh(try MeshArrays(copies, at: location(node)), node, &made, &out)
        return add(made, node, &out)
    }

    private mutating func add(_ mesh: GLTFOutput.Mesh, _ node: Node, _ out: inout GLTFOutput) -> Int? {
        guard !mesh.primitives.isEmpty else { return nil }
        var mesh = mesh
        mesh.name = node.name.isEmpty ? "" : names.unique(node.name)
        out.meshes.append(mesh)
        return out.meshes.count - 1
    }

    private mutating func make(_ id: ID<Node>, _ node: Node, _ out: inout GLTFOutput) throws(AssetError) -> GLTFOutput.Mesh {
        var made = GLTFOutput.Mesh()
        switch node.content {
        case .curves(let curves): try addCurves(scene.curves[curves], node, &made, &out)
        case .points(let points) where scene.points[points].surface == nil: try addCloud(scene.points[points], node, &made, &out)
        default:
            if let arrays = try loader.arrays(id, &diagnostics) {
                try addMesh(arrays, node, &made, &out)
                diagnostics.add(arrays.takeDiagnostics())
            }
        }
        return made
    }

    // MARK: Faces

    private mutating func addMesh(_ arrays: MeshArrays, _ node: Node, _ made: inout GLTFOutput.Mesh, _ out: inout GLTFOutput) throws(AssetError) {
        let polygons = arrays.polygons
        guard polygons.drawnFaceCount > 0 else {
            if arrays.mesh.faceVertexCounts.isEmpty, polygons.points.count > 0 {
                diagnostics.warning(
                    "mesh.no-faces", "a mesh of \(polygons.points.count) points has no faces; its points are written", at: location(node))
                try addCloud(PointCloud(points: arrays.mesh.points, primvars: arrays.mesh.primvars), node, &made, &out)
            }
            return
        }
        let subsets = arrays.mesh.subsets.indices.map { i -> Int? in
            guard i < node.subsetPreviewMaterials.count, !arrays.mesh.subsets[i].faces.isEmpty else { return nil }
            return node.subsetPreviewMaterials[i].map { Int($0.index) }
        }
        let parts = try arrays.materialParts(base: node.previewMaterial.map { Int($0.index) }, subsets: subsets)
        var look = try GLTFMeshLook(arrays, node, parts.map { $0.material.map { ID<Material>($0) } }, materials)
        look.takeOthers(arrays, node, &losses)
        if look.writesColors, let colors = look.colors {
            let outside = colors.values.count { !($0.x >= 0 && $0.x <= 1 && $0.y >= 0 && $0.y <= 1 && $0.z >= 0 && $0.z <= 1) }
            if outside > 0 { losses.note("color-range", at: node.path, count: outside) }
        }
        if let wanted = look.missingSet {
            diagnostics.warning(
                "gltf.assumed.uv-set",
                "the material asks for the coordinates '\(wanted)', the mesh has none of that name: \(look.sets.first.map { "'\($0.name)' is taken" } ?? "it has no texture")",
                at: location(node))
        }
        let vertices = try GLTFWeldedVertices(arrays, look, jointCount: arrays.mesh.skin.flatMap { skeletons.jointCount($0, scene) })
        note(vertices.loss, node)
        checkDefaultWraps(look, parts)

        var degenerate = 0
        var compaction = GLTFCompaction(vertices.weld.count)
        for part in parts {
            let triangles = arrays.triangles(part.faces)
            degenerate += triangles.degenerate
            guard triangles.count > 0 else { continue }
            let isFlipped = arrays.mesh.orientation == .leftHanded
            var indices = vertices.indices(triangles, isFlipped: isFlipped)
            // One part of whole faces uses every vertex, in order.
            let picked = parts.count == 1 && triangles.degenerate == 0 ? nil : compaction.compact(&indices)
            let material = part.material.map { ID<Material>($0) }
            let color = materials.colors(look.colors, look.opacity, material)
            var primitive = GLTFOutput.Primitive()
            vertices.add(picked, color: color, to: &primitive, &out)
            primitive.indices = out.buffer.indices(indices, vertexCount: picked?.count ?? vertices.weld.count)
            primitive.material = materials.material(
                material, GLTFMaterialUse(sets: look.sets.map(\.name), isDoubleSided: arrays.mesh.doubleSided, color: color), &out, &diagnostics)
            let subset = part.material.flatMap { m in subsets.firstIndex { $0 == m } }
            addVariants(node, subset, &primitive, &out) { materials, material, out, diagnostics in
                materials.material(
                    material, GLTFMaterialUse(sets: look.sets.map(\.name), isDoubleSided: arrays.mesh.doubleSided, color: color), &out, &diagnostics)
            }
            made.primitives.append(primitive)
        }
        if degenerate > 0 {
            diagnostics.add(
                Diagnostic(
                    .warning, "mesh.face-degenerate", "\(degenerate == 1 ? "a face" : "\(degenerate) faces") left out: no area",
                    at: location(node), count: degenerate))
        }
        guard !made.primitives.isEmpty, !vertices.shapes.isEmpty else { return }
        made.targetNames = arrays.mesh.blendShapes.map(\.name)
    }

    /// Tells once a material that the target repeats where the source shows black: beyond a texture that says nothing of it.
    private mutating func checkDefaultWraps(_ look: GLTFMeshLook, _ parts: [MaterialPart]) {
        for part in parts {
            guard let index = part.material, !toldWraps.contains(index), let surface = scene.materials[index].surface else { continue }
            for binding in surface.bindings where binding.wrapS == .useMetadata || binding.wrapT == .useMetadata {
                guard let set = look.sets.first(where: { $0.name == binding.primvar ?? "st" }),
                    set.values.values.contains(where: { !($0.x >= -1e-4 && $0.x <= 1.0001 && $0.y >= -1e-4 && $0.y <= 1.0001) })
                else { continue }
                toldWraps.insert(index)
                diagnostics.warning(
                    "gltf.lost.wrap", "a texture without a wrap mode is black outside 0 to 1, where its coordinates go; glTF repeats it",
                    at: SourceLocation(file: scene.source.file, primPath: scene.materials[index].path))
                break
            }
        }
    }

    /// The materials of a primitive in variants of the scene (KHR_materials_variants).
    private mutating func addVariants(
        _ node: Node, _ subset: Int?, _ primitive: inout GLTFOutput.Primitive, _ out: inout GLTFOutput,
        _ material: (inout GLTFMaterialWriter, ID<Material>, inout GLTFOutput, inout Diagnostics) -> Int?
    ) {
        var variants: [Int: [Int]] = [:]
        var order: [Int] = []
        for change in node.variantMaterials where change.subset == subset {
            guard let index = material(&materials, change.material, &out, &diagnostics) else { continue }
            if variants[index] == nil { order.append(index) }
            variants[index, default: []].append(change.variant)
        }
        guard !order.isEmpty else { return }
        let mappings = order.map { index -> Value in
            .dictionary([.init("material", .int(Int64(index))), .init("variants", .ints((variants[index] ?? []).map { Int64($0) }))])
        }
        primitive.extensions.append(.init("KHR_materials_variants", .dictionary([.init("mappings", .array(mappings))])))
        out.variants = scene.materialVariants
        out.use("KHR_materials_variants")
    }

    private mutating func note(_ loss: FloatLoss, _ node: Node) {
        if loss.moved > 0, floatPath == nil { floatPath = node.path }
        float.formUnion(loss)
    }

    // MARK: Points and curves

    private mutating func addCloud(_ cloud: PointCloud, _ node: Node, _ made: inout GLTFOutput.Mesh, _ out: inout GLTFOutput) throws(AssetError) {
        let loaded = try MeshRepair.loadPoints(cloud.points)
        let kept = (0..<loaded.points.count).filter { loaded.points[$0].isFinite }
        guard !kept.isEmpty else { return }
        if kept.count < loaded.points.count {
            diagnostics.warning(
                "points.position-not-finite", "\(amount(loaded.points.count - kept.count, "point")) not finite: left out", at: location(node))
        }
        var primitive = GLTFOutput.Primitive(mode: 0)
        primitive.attributes.append(("POSITION", out.buffer.vectors(kept.map { Self.point(loaded.points[$0]) }, bounds: true)))
        let color = try loose(cloud.primvars, kept, loaded.points.count, node, &primitive, &out)
        primitive.material = materials.material(node.previewMaterial, GLTFMaterialUse(color: color), &out, &diagnostics)
        made.primitives.append(primitive)
    }

    static func point(_ p: Point3d) -> Point3f { Point3f(Float(p.x), Float(p.y), Float(p.z)) }

    /// Colours and normals of loose points.
    private mutating func loose(
        _ primvars: [Primvar], _ kept: [Int], _ count: Int, _ node: Node, _ primitive: inout GLTFOutput.Primitive, _ out: inout GLTFOutput
    ) throws(AssetError) -> GLTFColorUse {
        var (colors, opacity): (MeshAttribute<Vector3f>?, MeshAttribute<Float>?)
        for primvar in primvars + node.inheritedPrimvars {
            switch (primvar.name, primvar.values) {
            case ("displayColor", .float3(let values)) where colors == nil: colors = try attribute(values, primvar, count, node)
            case ("displayOpacity", .float(let values)) where opacity == nil: opacity = try attribute(values, primvar, count, node)
            case ("normals", .float3(let values)):
                guard let normals = try attribute(values, primvar, count, node) else { continue }
                let unit = kept.map { NormalTransform.normalized(normals.values[normals.valueIndex(face: 0, corner: 0, point: $0)]) }
                primitive.attributes.append(("NORMAL", out.buffer.vectors(unit)))
            case ("displayColor", _), ("displayOpacity", _): break
            default:
                if !primvar.name.hasPrefix("skel:"), primvar.interpolation != .constant { losses.note("primvars", at: node.path, name: primvar.name) }
            }
        }
        let use = materials.colors(colors, opacity, node.previewMaterial)
        if case .vertices = use {
            func all<E: Sendable>(_ attribute: MeshAttribute<E>) -> [E] {
                kept.map { attribute.values[attribute.valueIndex(face: 0, corner: 0, point: $0)] }
            }
            let white = [Vector3f](repeating: Vector3f(1, 1, 1), count: kept.count)
            primitive.attributes.append(("COLOR_0", GLTFWeldedVertices.colors(colors.map(all) ?? white, opacity.map(all), &out)))
        }
        return use
    }

    private mutating func attribute<E: Sendable>(
        _ values: DeferredArray<E>, _ primvar: Primvar, _ count: Int, _ node: Node
    ) throws(AssetError) -> MeshAttribute<E>? {
        switch try loadAttribute(values, of: primvar, faces: 0, points: count, corners: 0) {
        case .good(let attribute) where attribute.domain == .whole || attribute.domain == .point: return attribute
        case .good: return nil
        case .bad(let defect):
            diagnostics.warning("points.primvar-mismatch", "primvar '\(primvar.name)' is left out: \(defect.message)", at: location(node))
            return nil
        }
    }

    /// One curve is a strip; many are lines in one primitive, as each primitive is a draw call.
    private mutating func addCurves(_ curves: Curves, _ node: Node, _ made: inout GLTFOutput.Mesh, _ out: inout GLTFOutput) throws(AssetError) {
        let evaluated = try CurvePoints(curves)
        var points: [Point3f] = []
        var lines: [(range: Range<Int>, isClosed: Bool)] = []
        let leftOut = try evaluated.forEach { _, line throws(AssetError) in
            let start = points.count
            for p in line.points { points.append(Self.point(p)) }
            lines.append((start..<points.count, line.isClosed))
        }
        if leftOut > 0 {
            diagnostics.add(
                Diagnostic(
                    .warning, "curves.left-out", "\(amount(leftOut, "curve")) left out: under two points, not finite or beyond the points",
                    at: location(node), count: leftOut))
        }
        guard !points.isEmpty else { return }
        let position = out.buffer.vectors(points, bounds: true)
        // Colours that are not the same all along belong to control points.
        let whole = (curves.primvars + node.inheritedPrimvars).filter { $0.interpolation == .constant }
        for primvar in curves.primvars where primvar.interpolation != .constant && !["widths", "tangents"].contains(primvar.name) {
            losses.note("curve-primvars", at: node.path, name: primvar.name)
        }
        var scratch = GLTFOutput.Primitive()
        let color = try loose(whole, [], points.count, node, &scratch, &out)
        let material = materials.material(node.previewMaterial, GLTFMaterialUse(color: color), &out, &diagnostics)
        var primitive = GLTFOutput.Primitive(mode: 3, material: material)
        primitive.attributes.append(("POSITION", position))
        guard lines.count > Self.mostStrips || lines.count > 1 && lines.allSatisfy({ $0.range.count == 2 && !$0.isClosed }) else {
            for line in lines {
                primitive.mode = line.isClosed ? 2 : 3
                if lines.count > 1 {
                    primitive.indices = out.buffer.indices(line.range.map { UInt32(truncatingIfNeeded: $0) }, vertexCount: points.count)
                }
                made.primitives.append(primitive)
            }
            return
        }
        var indices: [UInt32] = []
        for (range, isClosed) in lines {
            for i in range.dropLast() { indices += [UInt32(truncatingIfNeeded: i), UInt32(truncatingIfNeeded: i + 1)] }
            if isClosed { indices += [UInt32(truncatingIfNeeded: range.upperBound - 1), UInt32(truncatingIfNeeded: range.lowerBound)] }
        }
        primitive.mode = 1
        primitive.indices = out.buffer.indices(indices, vertexCount: points.count)
        made.primitives.append(primitive)
    }

    private static let mostStrips = 16

    // MARK: What is lost

    mutating func report() {
        let file = scene.source.file
        func lost(_ kind: String, _ message: (Int) -> String) {
            losses.report(kind, code: "gltf.lost", file: file, to: &diagnostics, message)
        }
        lost("primvars") { "\(amount($0, "primvar")) not written: glTF has no place for them: \(losses.names("primvars"))" }
        lost("curve-primvars") { "\(amount($0, "primvar")) of curves not written: they belong to control points: \(losses.names("curve-primvars"))" }
        lost("color-range") { "\(amount($0, "colour")) outside 0 to 1 written at the end of the range" }
        lost("subsets") { "\(amount($0, "set")) of faces without a material not written: glTF has none: \(losses.names("subsets"))" }
        if float.moved > 0 {
            diagnostics.warning(
                "gltf.lost.precision", "single precision moves points by up to \(FloatPrinter.text(Float(float.moved)))",
                at: SourceLocation(file: file, primPath: floatPath))
        }
    }
}

/// Numbers the vertices that a primitive uses anew, in the order in which it uses them.
struct GLTFCompaction {
    private var numbers: [Int32]
    private var touched: [Int32] = []

    init(_ count: Int) { numbers = [Int32](repeating: -1, count: count) }

    /// The vertices in use; the indices become places in them.
    mutating func compact(_ indices: inout [UInt32]) -> [Int32] {
        touched.removeAll(keepingCapacity: true)
        numbers.withUnsafeMutableBufferPointer { numbers in
            indices.withUnsafeMutableBufferPointer { indices in
                for i in indices.indices {
                    let vertex = Int(indices[i])
                    if numbers[vertex] < 0 {
                        numbers[vertex] = Int32(truncatingIfNeeded: touched.count)
                        touched.append(Int32(truncatingIfNeeded: vertex))
                    }
                    indices[i] = UInt32(truncatingIfNeeded: numbers[vertex])
                }
            }
            for vertex in touched { numbers[Int(vertex)] = -1 }
        }
        return touched
    }
}
