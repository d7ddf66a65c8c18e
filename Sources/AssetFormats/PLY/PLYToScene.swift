import AssetIO
import AssetModel

/// A PLY file: what its header says, and the bytes behind it.
struct PLYDocument: Document {
    let file: FileBytes
    let header: PLYHeader

    func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        var tables = PLYTables()
        if header.isText {
            var values = PLYTextValues(file, at: header.dataOffset)
            try read(&values, into: &tables, context.options)
        } else {
            var values = PLYBinaryValues(file, at: header.dataOffset, isBig: header.encoding == .bigEndian)
            try read(&values, into: &tables, context.options)
        }
        return try PLYSceneBuilder(file: file, header: header, tables: tables).scene(&context)
    }

    /// Reads all elements in their order.
    private func read<Values: PLYValues>(_ values: inout Values, into tables: inout PLYTables, _ options: ReadOptions) throws(AssetError) {
        // Without positions there is nothing that an index could mean.
        let vertex = header.elements.first { $0.name == "vertex" }
        let points = vertex.map { PLYVertexLayout($0).positions == nil ? 0 : $0.count } ?? 0
        let hasFaces = header.elements.contains { ($0.name == "face" || $0.name == "tristrips") && $0.count > 0 }
        for element in header.elements {
            // Rows of nothing: there may be any number of them.
            if element.properties.isEmpty {
                tables.unknown.append("\(element.name) (\(element.count))")
                continue
            }
            var row = 0
            let table = PLYTable(file: file, header: header, element: element, start: values.offset, pieceSize: options.pieceSize)
            do throws(PLYFault) {
                switch element.name {
                case "vertex" where tables.vertices == nil:
                    let layout = PLYVertexLayout(element)
                    tables.layout = layout
                    let wantsPrimvars = options.wantsMeshPrimvars || !hasFaces
                    tables.vertices = try values.vertices(
                        table, layout, wantsPrimvars: wantsPrimvars, keeps: options.wantsArrays, row: &row)
                case "face" where tables.faces == nil && element.property("vertex_indices", "vertex_index", isList: true) != nil:
                    tables.faces = try values.faces(
                        table, points: points, wantsPrimvars: options.wantsMeshPrimvars, keeps: options.wantsArrays, row: &row)
                case "tristrips" where tables.strips == nil:
                    tables.strips = try PLYFaces(strips: &values, element, points: points, row: &row)
                case "edge" where tables.edges == nil && PLYEdges.ends(element) != nil:
                    if let ends = PLYEdges.ends(element) { tables.edges = try PLYEdges(&values, element, ends, points: points, row: &row) }
                default:
                    tables.unknown.append("\(element.name) (\(element.count))")
                    if let stride = element.stride, !header.isText {
                        try values.skip(rows: element.count, of: stride)
                    } else {
                        try skipRows(&values, element, &row)
                    }
                }
            } catch {
                throw table.failure(error, row)
            }
        }
        tables.end = values.offset
    }

    private func skipRows<Values: PLYValues>(_ values: inout Values, _ element: PLYElement, _ row: inout Int) throws(PLYFault) {
        guard !element.properties.isEmpty else { return }
        let types = element.properties.map(\.type)
        while row < element.count {
            for type in types { try values.skip(type) }
            row += 1
            if row & 0x3FFF == 0 { values.dropBehind() }
        }
    }
}

/// What the elements of a file hold.
struct PLYTables {
    var layout: PLYVertexLayout?
    var vertices: PLYVertices?
    var faces: PLYFaces?
    var strips: PLYFaces?
    var edges: PLYEdges?
    /// Elements of which nothing is made, with their counts.
    var unknown: [String] = []
    /// Where the last element ends.
    var end = 0
}

/// Makes a scene of one node.
struct PLYSceneBuilder {
    let file: FileBytes
    let header: PLYHeader
    var tables: PLYTables

    func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        var scene = Scene(
            source: SourceDescription(
                file: file.name, format: "ply", version: header.version.isEmpty ? nil : header.version, byteCount: file.count,
                files: [SourceDescription.File(path: file.name, role: "root", byteCount: file.count, resolved: file.name)]))
        scene.source.tintsMaterials = true
        scene.metadata.comment = header.comment
        tell(&context.diagnostics)
        guard let vertices = tables.vertices else { return scene }
        let hasFaces = (tables.faces?.counts.count ?? 0) > 0 || (tables.strips?.counts.count ?? 0) > 0
        // Faces that were all left out make a mesh as well, and so does an empty table of faces where there are no points.
        let leftOut = (tables.faces?.leftOut ?? 0) + (tables.strips?.leftOut ?? 0)
        let isMesh = hasFaces || leftOut > 0 || tables.faces != nil && vertices.points.isEmpty
        let wantsPrimvars = context.options.wantsMeshPrimvars || !isMesh
        var primvars: [Primvar] = []
        if wantsPrimvars { primvars = try vertexPrimvars(vertices, &context.diagnostics) }
        let materials = try self.materials(&scene, &context)
        if isMesh {
            var node = PLYSceneBuilder.node("/mesh", "Mesh")
            var mesh = Mesh(points: vertices.points)
            if wantsPrimvars, let normals = vertices.normals {
                mesh.normals = Primvar(name: "normals", role: .normal, interpolation: .vertex, values: .float3(normals))
            }
            mesh.primvars = primvars
            try addFaces(&mesh, &node, materials, &context.diagnostics)
            if let first = materials.first, mesh.subsets.isEmpty, node.material == nil {
                node.material = first
                node.previewMaterial = first
            }
            node.content = .mesh(scene.meshes.append(mesh))
            _ = scene.nodes.append(node)
            addLines(vertices.points, primvars, ownPointCount: 0, &scene)
        } else {
            if let normals = vertices.normals {
                primvars.append(Primvar(name: "normals", role: .normal, interpolation: .vertex, values: .float3(normals)))
            }
            addPoints(vertices.points, primvars, materials.first, &scene, &context.diagnostics)
        }
        return scene
    }

    private static func node(_ path: String, _ typeName: String) -> Node {
        var node = Node(name: "", path: path, typeName: typeName)
        node.isTransformable = true
        node.isImageable = true
        return node
    }

    /// The lines of the edges, and the points that no edge ends at.
    private func addPoints(
        _ points: PointArray, _ primvars: [Primvar], _ material: ID<Material>?, _ scene: inout Scene, _ diagnostics: inout Diagnostics
    ) {
        var (points, primvars) = (points, primvars)
        if let edges = tables.edges, !edges.counts.isEmpty {
            let onEdges = Set(edges.vertices)
            addLines(points, primvars, ownPointCount: onEdges.count, &scene)
            let lost = primvars.filter { !PLYSceneBuilder.ofLines($0) }.map(\.name)
            if !lost.isEmpty {
                diagnostics.warning(
                    "ply.dropped.edge-attributes", "edges become lines, which are read without \(lost.joined(separator: ", "))", at: location)
            }
            let rest = (0..<Int32(clamping: points.count)).filter { !onEdges.contains($0) }
            if rest.isEmpty { return }
            points = points.picked(rest)
            primvars = primvars.compactMap { $0.picked(rest) }
        }
        var node = PLYSceneBuilder.node("/points", "Points")
        node.content = .points(scene.points.append(PointCloud(points: points, primvars: primvars)))
        node.material = material
        node.previewMaterial = material
        _ = scene.nodes.append(node)
    }

    /// What a line can have of its vertices: colours. Normals and texture coordinates are of surfaces.
    private static func ofLines(_ primvar: Primvar) -> Bool { ["displayColor", "displayOpacity"].contains(primvar.name) }

    private func addLines(_ points: PointArray, _ primvars: [Primvar], ownPointCount: Int, _ scene: inout Scene) {
        guard let edges = tables.edges, !edges.counts.isEmpty else { return }
        var curves = Curves(kind: .basis, points: points.picked(edges.vertices), curveVertexCounts: .loaded(edges.counts))
        for primvar in primvars where PLYSceneBuilder.ofLines(primvar) && primvar.interpolation == .vertex {
            if let picked = primvar.picked(edges.vertices) { curves.primvars.append(picked) }
        }
        curves.ownPointCount = ownPointCount
        var node = PLYSceneBuilder.node("/lines", "Lines")
        node.content = .curves(scene.curves.append(curves))
        _ = scene.nodes.append(node)
    }

    private var location: SourceLocation { SourceLocation(file: file.name) }

    // MARK: What is told

    private func tell(_ diagnostics: inout Diagnostics) {
        if header.version != "1.0" {
            diagnostics.warning(
                "ply.version", "the version is \(header.version.isEmpty ? "missing" : PLYHeader.shortened(header.version)), expected 1.0",
                at: location)
        }
        let repeated = header.repeatedNames
        if !repeated.elements.isEmpty {
            diagnostics.warning(
                "ply.repeated-element",
                "\(amount(repeated.elements.count, "element")) with the name of one before, which is read: \(shown(repeated.elements))",
                at: location)
        }
        if !repeated.properties.isEmpty {
            diagnostics.warning(
                "ply.repeated-property",
                "\(amount(repeated.properties.count, "property", "properties")) with the name of one before, which is read: "
                    + shown(repeated.properties), at: location)
        }
        if tables.faces == nil, let faces = header.elements.first(where: { $0.name == "face" && $0.count > 0 }) {
            diagnostics.warning(
                "ply.no-corners", "\(amount(faces.count, "face")) without a list vertex_indices or vertex_index", at: location)
        }
        if !tables.unknown.isEmpty {
            diagnostics.info("ply.dropped.element", "not read: \(list(tables.unknown, "element"))", at: location)
        }
        var properties: [String] = []
        if let layout = tables.layout {
            properties += layout.unknown.map { "vertex.\($0)" }
            if layout.positions == nil, tables.vertices != nil {
                diagnostics.warning("ply.no-positions", "the vertex element has no x, y and z", at: location)
            }
            if layout.isSplats {
                diagnostics.info(
                    "ply.gaussian-splats",
                    "the points are Gaussian splats, their attributes are kept as they are: "
                        + list(layout.others.map(\.name), "attribute"), at: location)
            }
        }
        properties += (tables.faces?.unknown ?? []).map { "face.\($0)" }
        properties += (tables.strips?.unknown ?? []).map { "tristrips.\($0)" }
        properties += (tables.edges?.unknown ?? []).map { "edge.\($0)" }
        if !properties.isEmpty {
            diagnostics.info("ply.dropped.property", "not read: \(list(properties, "property", "properties"))", at: location)
        }
        if let edges = tables.edges, let first = edges.firstLeftOut {
            diagnostics.add(
                Diagnostic(
                    .warning, "ply.bad-edge",
                    "\(amount(edges.leftOut, "edge")) left out, the first at edge \(first.edge): an index that is not one of the vertices",
                    at: header.location(first.offset, in: file)))
        }
        for (name, faces) in [("face", tables.faces), ("tristrips", tables.strips)] {
            guard let faces else { continue }
            if let first = faces.firstLeftOut {
                diagnostics.add(
                    Diagnostic(
                        .warning, "ply.bad-face",
                        "\(faces.leftOut) \(faces.leftOut == 1 ? "face is" : "faces are") left out, the first at \(name) \(first.face): "
                            + first.reason, at: header.location(first.offset, in: file)))
            }
            if faces.mismatched > 0 {
                diagnostics.warning(
                    "ply.dropped.texture-coordinates",
                    "\(amount(faces.mismatched, "face")) with another number of texture coordinates than corners, the first is face "
                        + "\(faces.firstMismatched); the mesh has none", at: location)
            } else if faces.withoutCoordinates > 0, faces.withoutCoordinates < faces.counts.count {
                diagnostics.info(
                    "ply.faces-without-texture-coordinates",
                    "\(amount(faces.withoutCoordinates, "face")) without texture coordinates, zeros are taken", at: location)
            }
        }
        let bytes = file.byteSpan
        var end = tables.end
        if header.isText { while end < bytes.count, bytes[end] <= 32 { end += 1 } }
        if end < bytes.count {
            diagnostics.warning(
                "ply.trailing-data", "\(amount(bytes.count - end, "byte")) behind the last element, expected none", at: file.location(end))
        }
    }

    private func list(_ names: [String], _ one: String, _ many: String? = nil) -> String {
        "\(amount(names.count, one, many)): \(shown(names))"
    }

    private func shown(_ names: [String]) -> String {
        names.prefix(12).map(PLYHeader.shortened).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    }

    // MARK: Primvars

    private func vertexPrimvars(_ vertices: PLYVertices, _ diagnostics: inout Diagnostics) throws(AssetError) -> [Primvar] {
        var primvars: [Primvar] = []
        if let coordinates = vertices.coordinates {
            primvars.append(Primvar(name: "st", role: .textureCoordinate, interpolation: .vertex, values: .float2(coordinates)))
        }
        if var colors = vertices.colors {
            let isReal = tables.layout?.colors?.properties.contains { vertexProperty($0)?.scalar.isReal ?? false } ?? false
            if isReal {
                var largest: Float = 0
                try colors.forEachBlock { block in
                    for c in block { largest = max(largest, max(c.x, max(c.y, c.z))) }
                }
                if largest > 1 {
                    tellScale(&diagnostics)
                    colors = .loaded(try colors.load().map { Vector3f($0.x / 255, $0.y / 255, $0.z / 255) })
                }
            }
            primvars.append(Primvar(name: "displayColor", role: .color, interpolation: .vertex, values: .float3(colors)))
        }
        if let opacity = vertices.opacity {
            var opacity = opacity
            if let i = tables.layout?.opacity?.properties.first, vertexProperty(i)?.scalar.isReal ?? false {
                var largest: Float = 0
                try opacity.forEachBlock { block in
                    for value in block { largest = max(largest, value) }
                }
                if largest > 1 {
                    tellScale(&diagnostics)
                    opacity = .loaded(try opacity.load().map { $0 / 255 })
                }
            }
            primvars.append(Primvar(name: "displayOpacity", interpolation: .vertex, values: .float(opacity)))
        }
        for (name, values) in vertices.others { primvars.append(Primvar(name: name, interpolation: .vertex, values: .float(values))) }
        return primvars
    }

    private func vertexProperty(_ i: Int) -> PLYProperty? {
        guard let element = header.elements.first(where: { $0.name == "vertex" }), element.properties.indices.contains(i) else { return nil }
        return element.properties[i]
    }

    private func tellScale(_ diagnostics: inout Diagnostics) {
        diagnostics.info("ply.colour-scale", "colours are real numbers beyond 1, taken as parts of 255", at: location)
    }

    // MARK: Faces

    private func addFaces(
        _ mesh: inout Mesh, _ node: inout Node, _ materials: [ID<Material>], _ diagnostics: inout Diagnostics
    ) throws(AssetError) {
        let faces = tables.faces ?? PLYFaces()
        mesh.faceVertexCounts = faces.counts
        mesh.faceVertexIndices = faces.indices
        if let strips = tables.strips, strips.counts.count > 0 {
            if faces.counts.count == 0 {
                mesh.faceVertexCounts = strips.counts
                mesh.faceVertexIndices = strips.indices
                return
            }
            mesh.faceVertexCounts = .loaded(try faces.counts.load() + strips.counts.load())
            mesh.faceVertexIndices = .loaded(try faces.indices.load() + strips.indices.load())
            if faces.coordinates != nil || faces.colors != nil || faces.opacity != nil {
                diagnostics.warning("ply.dropped.face-attributes", "the faces have attributes that the strips have not", at: location)
            }
            return
        }
        add(&mesh, "st", .textureCoordinate, .faceVarying, faces.coordinates.map { .float2(.loaded($0)) }, replaces: true, &diagnostics)
        var isScaled = false
        if var colors = faces.colors {
            if let element = header.elements.first(where: { $0.name == "face" }),
                element.property("red", "diffuse_red").map({ element.properties[$0].scalar.isReal }) ?? false,
                colors.contains(where: { max($0.x, max($0.y, $0.z)) > 1 })
            {
                colors = colors.map { Vector3f($0.x / 255, $0.y / 255, $0.z / 255) }
                isScaled = true
            }
            add(&mesh, "displayColor", .color, .uniform, .float3(.loaded(colors)), replaces: false, &diagnostics)
        }
        if var opacity = faces.opacity {
            if opacity.contains(where: { $0 > 1 }) {
                opacity = opacity.map { $0 / 255 }
                isScaled = true
            }
            add(&mesh, "displayOpacity", .none, .uniform, .float(.loaded(opacity)), replaces: false, &diagnostics)
        }
        if isScaled { tellScale(&diagnostics) }
        addSubsets(&mesh, &node, faces, materials, &diagnostics)
    }

    /// Adds a primvar of the faces; where the vertices have one of its name, one of the two goes.
    private func add(
        _ mesh: inout Mesh, _ name: String, _ role: PrimvarRole, _ interpolation: Interpolation, _ values: PrimvarValues?, replaces: Bool,
        _ diagnostics: inout Diagnostics
    ) {
        guard let values else { return }
        let primvar = Primvar(name: name, role: role, interpolation: interpolation, values: values)
        guard let i = mesh.primvars.firstIndex(where: { $0.name == name }) else {
            mesh.primvars.append(primvar)
            return
        }
        if replaces { mesh.primvars[i] = primvar }
        diagnostics.warning(
            "ply.dropped.\(name == "st" ? "texture-coordinates" : "colours")",
            "both vertices and faces have \(name), those of the \(replaces ? "faces" : "vertices") are taken", at: location)
    }

    private func addSubsets(
        _ mesh: inout Mesh, _ node: inout Node, _ faces: PLYFaces, _ materials: [ID<Material>], _ diagnostics: inout Diagnostics
    ) {
        guard let textures = faces.textures, !materials.isEmpty, textures.count == faces.counts.count else { return }
        var parts = [[Int32]](repeating: [], count: materials.count)
        var (outside, firstOutside) = (0, Int32(0))
        for (face, texture) in textures.enumerated() {
            if texture >= 0, Int(texture) < parts.count {
                parts[Int(texture)].append(Int32(truncatingIfNeeded: face))
            } else {
                if outside == 0 { firstOutside = texture }
                outside += 1
            }
        }
        if outside > 0 {
            diagnostics.info(
                "ply.faces-without-texture",
                "\(amount(outside, "face")) without a texture (the first names \(firstOutside)), expected one of \(materials.count)", at: location)
        }
        if let whole = parts.firstIndex(where: { $0.count == textures.count }) {
            node.material = materials[whole]
            node.previewMaterial = materials[whole]
            return
        }
        var bindings: [ID<Material>?] = []
        for (i, part) in parts.enumerated() where !part.isEmpty {
            mesh.subsets.append(GeomSubset(name: "texture_\(i)", family: "materialBind", faces: .loaded(part)))
            bindings.append(materials[i])
        }
        node.subsetMaterials = bindings
        node.subsetPreviewMaterials = bindings
    }

    // MARK: Materials

    /// A material for each texture file.
    private func materials(_ scene: inout Scene, _ context: inout ReadContext) throws(AssetError) -> [ID<Material>] {
        var ids: [ID<Material>] = []
        var located: [String: AssetLookup.Found?] = [:]
        for (i, name) in header.textureFiles.enumerated() {
            let found = located[name] ?? AssetLookup.find(name, from: file.name, opened: file.name, in: context.resolver)
            located[name] = .some(found)
            if let warning = found?.warning(name, at: location) { context.diagnostics.add(warning) }
            if found == nil { context.diagnostics.warning("ply.missing-texture", "the texture '\(name)' is not there", at: location) }
            let texture = scene.textures.append(Texture(authoredPath: name, source: found.map { .file($0.path) } ?? .missing))
            scene.source.files.append(SourceDescription.File(path: name, role: "texture", resolved: found?.path))
            var binding = TextureBinding(texture: texture)
            binding.primvar = "st"
            (binding.wrapS, binding.wrapT) = (.repeat, .repeat)
            var material = Material(name: "texture_\(i)", path: "/materials/texture_\(i)")
            material.inputs = [MaterialInput(name: "diffuseColor", texture: binding)]
            var surface = Surface()
            surface.diffuseColor = Channel(Vector3f(1, 1, 1), texture: binding, isAuthored: true)
            material.surface = surface
            ids.append(scene.materials.append(material))
        }
        return ids
    }
}
