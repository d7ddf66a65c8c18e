import AssetIO
import AssetModel
import AssetOps

extension OBJWriter {
    /// One copy of a mesh under a transform to the output's space.
    mutating func drawMesh(_ data: OBJMeshData, _ item: DrawItem, _ node: Node, _ m: Matrix4d) throws(AssetError) {
        let polygons = data.polygons
        guard polygons.drawnFaceCount > 0 else {
            if data.mesh.faceVertexCounts.isEmpty, polygons.points.count > 0 {
                diagnostics.warning(
                    "mesh.no-faces", "a mesh of \(amount(polygons.points.count, "point")) has no faces; its points are written", at: location(node))
                try drawPoints(polygons.points, colors: nil, bounds: polygons.bounds, isFinite: polygons.isFinite, item, node, m)
            }
            return
        }
        let groups = try materialGroups(data, node)
        let normals = try data.arrays.normals()
        var colors = try data.arrays.colors(inherited: node.inheritedPrimvars)
        let hasMaterial = groups.contains { $0.material != nil }
        if let found = colors, found.domain == .whole, hasMaterial {
            // One colour for all is what shows where there is no material; beside one it would only tint it.
            colors = nil
        }
        let sets = try coordinateSets(data, node, groups)
        reportLostPrimvars(data, node, sets)

        try startObject(item, node)
        let vertices = plan(polygons, colors)
        let isMoved = m != .identity
        try OBJLines.vertices(
            vertices, polygons.points, isMoved ? m : nil, asDouble: polygons.needsDoubles(m), colors: colors, to: text)
        let vertexStart = vertexCount + 1
        vertexCount += vertices.count

        for set in sets where data.coordinateStarts[set.written] == nil {
            data.coordinateStarts[set.written] = coordinateCount + 1
            // The value that stands for none, which is the last, is no line.
            let values = set.values.absent == set.values.values.count - 1 ? Array(set.values.values.dropLast()) : set.values.values
            try OBJLines.coordinates(values, baked: set.written.baked, to: text)
            coordinateCount += values.count
        }
        var normalSource: OBJIndexSource?
        if let normals {
            let rotation = isMoved ? NormalTransform(m) : nil
            let key = rotation?.key ?? []
            let start: Int
            if let written = data.writtenNormals, written.rotation == key {
                start = written.start
            } else {
                start = normalCount + 1
                try OBJLines.normals(normals.values, rotation, to: text)
                normalCount += normals.values.count
                data.writtenNormals = (key, start)
            }
            normalSource = OBJIndexSource(normals, start: start)
        }

        let faceSets = try OBJFaceSets(data.mesh) { data.mesh.subsets[$0].family != "materialBind" && !isMaterial($0, node) }
        let parentGroup = groupName(item, node)
        let isFlipped = (data.mesh.orientation == .leftHanded) != (m.determinant3 < 0)
        var degenerate = 0
        for (k, group) in groups.enumerated() {
            try use(group.material)
            let set = sets.first { $0.groups.contains(k) }
            if let material = group.material, let set { checkDefaultWrap(material, set.values.values) }
            let faces = OBJFaces(
                polygons: polygons, vertices: vertices, vertexStart: vertexStart,
                coordinates: set.flatMap { set in data.coordinateStarts[set.written].map { OBJIndexSource(set.values, start: $0) } },
                normals: normalSource, isFlipped: isFlipped)
            let parts: [(name: String?, faces: [Int32]?)] = faceSets?.parts(group.faces).map { ($0.name, $0.faces) } ?? [(nil, group.faces)]
            for part in parts {
                if let name = part.name { try startGroup([parentGroup, name].filter { !$0.isEmpty }.joined(separator: " ")) }
                if options.triangulate {
                    let triangles = FaceTriangles(polygons, part.faces)
                    degenerate += triangles.degenerate
                    elementCount += triangles.count
                    try faces.triangles(triangles, to: text)
                } else {
                    elementCount += part.faces?.count ?? polygons.faceCount
                    try faces.polygons(part.faces, to: text)
                }
            }
        }
        if degenerate > 0 {
            diagnostics.add(
                Diagnostic(
                    .warning, "mesh.face-degenerate", "\(degenerate == 1 ? "a face" : "\(degenerate) faces") left out: no area",
                    at: location(node), count: degenerate))
        }
    }

    private mutating func materialGroups(_ data: OBJMeshData, _ node: Node) throws(AssetError) -> [MaterialPart] {
        var subsets: [Int?] = []
        for i in data.mesh.subsets.indices {
            let material = i < node.subsetPreviewMaterials.count ? node.subsetPreviewMaterials[i] : nil
            subsets.append(material.flatMap { data.mesh.subsets[i].faces.isEmpty ? nil : library.index($0, &diagnostics) })
        }
        let base = node.previewMaterial.map { library.index($0, &diagnostics) }
        return try data.arrays.materialParts(base: base, subsets: subsets)
    }

    // MARK: Texture coordinates

    /// A set of coordinates that is written, and the face groups that use it.
    struct CoordinateSet {
        var written: OBJMeshData.WrittenCoordinates
        var values: MeshAttribute<Vector2f>
        var groups: [Int]
    }

    /// The sets that the materials use; where no material is textured, "st" or the first there is.
    private mutating func coordinateSets(
        _ data: OBJMeshData, _ node: Node, _ groups: [MaterialPart]
    ) throws(AssetError) -> [CoordinateSet] {
        let available = data.arrays.coordinateNames
        let inherited = node.inheritedPrimvars
        let usual = available.contains("st") ? "st" : available.first
        var sets: [CoordinateSet] = []
        for (k, group) in groups.enumerated() {
            let use = group.material.flatMap { library.materials[$0].coordinates }
            var name = use.map { $0.primvar ?? "st" } ?? usual
            if let wanted = name, !available.contains(wanted), !inherited.contains(where: { $0.name == wanted }) {
                if use != nil, let usual {
                    diagnostics.warning(
                        "obj.assumed.uv-set",
                        "the material asks for the coordinates '\(wanted)', the mesh has none of that name: '\(usual)' is taken",
                        at: location(node))
                }
                name = usual
            }
            guard let name, let values = try data.arrays.coordinates(name, inherited: inherited) else { continue }
            let written = OBJMeshData.WrittenCoordinates(name: name, baked: use?.baked)
            if let known = sets.firstIndex(where: { $0.written == written }) {
                sets[known].groups.append(k)
            } else {
                sets.append(CoordinateSet(written: written, values: values, groups: [k]))
            }
        }
        return sets
    }

    private mutating func reportLostPrimvars(_ data: OBJMeshData, _ node: Node, _ sets: [CoordinateSet]) {
        // Copies of a mesh lose what it loses: once is enough.
        guard case .mesh(let id) = node.content, reportedPrimvars.insert(id).inserted else { return }
        for primvar in data.mesh.primvars {
            if primvar.name.hasPrefix("skel:") || primvar.name == "displayColor" || primvar.name == "normals" { continue }
            if sets.contains(where: { $0.written.name == primvar.name }) || data.arrays.refusedPrimvars.contains(primvar.name) { continue }
            if primvar.isTextureCoordinates {
                diagnostics.warning(
                    "obj.lost.uv-set", "the coordinates '\(primvar.name)' are not written: no material uses them and OBJ has one set",
                    at: location(node))
            } else if primvar.name == "displayOpacity" {
                if primvar.isOpaque { continue }
                diagnostics.warning("obj.lost.display-opacity", "the display opacity is not written: OBJ has none", at: location(node))
            } else {
                diagnostics.warning("obj.lost.primvar", "primvar '\(primvar.name)' is not written: OBJ has no place for it", at: location(node))
            }
        }
        for (i, subset) in data.mesh.subsets.enumerated() where subset.family != "materialBind" {
            if !subset.isOfFaces, !isMaterial(i, node) {
                diagnostics.warning("obj.lost.subset", "the set '\(subset.name)' is not written: it is of points or edges", at: location(node))
            }
        }
    }

    private func isMaterial(_ subset: Int, _ node: Node) -> Bool {
        subset < node.subsetPreviewMaterials.count && node.subsetPreviewMaterials[subset] != nil
    }

    // MARK: Vertices

    /// Which vertices the file gets: one a point, unless colours differ between faces or points are not finite.
    private func plan(_ polygons: PolygonMesh, _ colors: MeshAttribute<Vector3f>?) -> OBJVertices {
        if let colors, colors.domain == .face || colors.domain == .corner { return split(polygons, colors) }
        let count = polygons.points.count
        if polygons.isFinite { return OBJVertices(count: count) }
        var ofPoint = [Int32](repeating: 0, count: count)
        var points: [Int32] = []
        for i in 0..<count where polygons.points[i].isFinite {
            ofPoint[i] = Int32(truncatingIfNeeded: points.count)
            points.append(Int32(truncatingIfNeeded: i))
        }
        return OBJVertices(count: points.count, points: points, ofPoint: ofPoint)
    }

    /// A vertex for every colour at a point. The vertices of a point form a chain.
    private func split(_ polygons: PolygonMesh, _ colors: MeshAttribute<Vector3f>) -> OBJVertices {
        var firstOfPoint = [Int32](repeating: -1, count: polygons.points.count)
        var nextOfVertex: [Int32] = []
        var points: [Int32] = []
        var colorIndices: [Int32] = []
        var ofCorner = [Int32](repeating: 0, count: polygons.faceVertexIndices.count)
        for k in 0..<polygons.drawnFaceCount {
            let face = polygons.keptFaces.map { Int($0[k]) } ?? k
            for corner in polygons.corners(face) {
                let point = Int(polygons.faceVertexIndices[corner])
                let color = colors.valueIndex(face: face, corner: corner, point: point)
                let value = colors.values[color]
                var vertex = firstOfPoint[point]
                while vertex >= 0, colors.values[Int(colorIndices[Int(vertex)])] != value { vertex = nextOfVertex[Int(vertex)] }
                if vertex < 0 {
                    vertex = Int32(truncatingIfNeeded: points.count)
                    points.append(Int32(truncatingIfNeeded: point))
                    colorIndices.append(Int32(truncatingIfNeeded: color))
                    nextOfVertex.append(firstOfPoint[point])
                    firstOfPoint[point] = vertex
                }
                ofCorner[corner] = vertex
            }
        }
        return OBJVertices(count: points.count, points: points, ofCorner: ofCorner, colorIndices: colorIndices)
    }
}
