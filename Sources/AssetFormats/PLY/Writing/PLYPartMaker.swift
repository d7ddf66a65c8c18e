import AssetIO
import AssetModel
import AssetOps

/// Makes parts of what is drawn.
struct PLYPartMaker {
    let scene: Scene
    let options: WriteOptions
    var columns: PLYColumns
    var looks: PLYLooks
    var losses = LossList()
    var diagnostics = Diagnostics()

    private func location(_ node: Node) -> SourceLocation { SourceLocation(file: scene.source.file, primPath: node.path) }

    // MARK: Meshes

    mutating func mesh(_ arrays: MeshArrays, _ node: Node) throws(AssetError) -> PLYPart? {
        let polygons = arrays.polygons
        guard polygons.drawnFaceCount > 0 else {
            guard arrays.mesh.faceVertexCounts.isEmpty, polygons.points.count > 0 else { return nil }
            diagnostics.warning(
                "mesh.no-faces", "a mesh of \(amount(polygons.points.count, "point")) has no faces; its points are written", at: location(node))
            return points(polygons.points, bounds: polygons.bounds, isFinite: polygons.isFinite, node)
        }
        // So many that the splitting of points could make more than an index can tell.
        guard polygons.points.count + polygons.faceVertexIndices.count <= Int(Int32.max) else {
            throw AssetError(
                "ply.too-many-vertices", "\(amount(polygons.points.count, "point")) in one mesh, too many for the indices of faces",
                at: location(node))
        }
        let parts = try materialParts(arrays, node)
        var normals: MeshAttribute<Vector3f>?
        if columns.hasNormals { normals = try arrays.normals() ?? madeNormals(arrays, node) }
        let coordinates = columns.hasCoordinates ? try self.coordinates(arrays, node, parts) : nil
        let colors = columns.hasColors ? try self.colors(arrays, node, parts) : nil
        if arrays.mesh.primvars.contains(where: { $0.name == "displayColor" }), columns.hasColors { try noteRange(arrays, node) }

        var vertices = PLYPartVertices(count: polygons.points.count, points: polygons.points)
        (vertices.normals, vertices.coordinates, vertices.colors) = (normals, coordinates, colors)
        var ofCorner: [Int32]?
        if VertexSplit.isNeeded(polygons, normals: normals, coordinates: coordinates, colors: colors) {
            let split = VertexSplit(polygons, normals: normals, coordinates: coordinates, colors: colors)
            (vertices.count, vertices.pointOf, vertices.cornerOf, vertices.faceOf) = (split.count, split.points, split.corners, split.faces)
            ofCorner = split.ofCorner
        }
        let part = PLYPart(vertices, bounds: polygons.bounds)
        part.polygons = polygons
        part.ofCorner = ofCorner
        part.isLeftHanded = arrays.mesh.orientation == .leftHanded
        part.faceCount = polygons.drawnFaceCount
        if options.triangulate {
            let triangles = arrays.triangles
            part.triangles = triangles
            part.faceCount = triangles.count
            part.largestFace = 3
            if triangles.degenerate > 0 {
                diagnostics.add(
                    Diagnostic(
                        .warning, "mesh.face-degenerate",
                        "\(triangles.degenerate == 1 ? "a face" : "\(triangles.degenerate) faces") left out: no area", at: location(node),
                        count: triangles.degenerate))
            }
        } else if let size = polygons.faceSize {
            part.largestFace = size
        } else {
            for face in 0..<polygons.faceCount { part.largestFace = max(part.largestFace, polygons.corners(face).count) }
        }
        part.textures = textures(parts, polygons)
        return part
    }

    private mutating func materialParts(_ arrays: MeshArrays, _ node: Node) throws(AssetError) -> [MaterialPart] {
        var subsets: [Int?] = []
        for i in arrays.mesh.subsets.indices {
            let material = i < node.subsetPreviewMaterials.count ? node.subsetPreviewMaterials[i] : nil
            subsets.append(material.flatMap { arrays.mesh.subsets[i].faces.isEmpty ? nil : Int($0.index) })
        }
        return try arrays.materialParts(base: node.previewMaterial.map { Int($0.index) }, subsets: subsets)
    }

    mutating func look(_ part: MaterialPart) -> PLYLook? {
        part.material.map { looks.look(ID($0), isSkipping: options.textures == .skip, &diagnostics) }
    }

    /// Where other things in the file have normals, a mesh without is given those that it is shaded with: flat, or smooth where it is
    /// the cage of a subdivision surface.
    private mutating func madeNormals(_ arrays: MeshArrays, _ node: Node) -> MeshAttribute<Vector3f> {
        losses.note("made-normals", at: node.path, name: node.path)
        let isSmooth = arrays.mesh.subdivisionScheme != "none"
        return isSmooth ? arrays.polygons.smoothNormals(arrays.mesh.orientation) : arrays.polygons.flatNormals(arrays.mesh.orientation)
    }

    // MARK: Texture coordinates

    /// The one set of coordinates of a mesh: what its textures use, else "st" or the first there is.
    private mutating func coordinates(_ arrays: MeshArrays, _ node: Node, _ parts: [MaterialPart]) throws(AssetError) -> MeshAttribute<Vector2f>? {
        let available = arrays.coordinateNames
        let usual = available.contains("st") ? "st" : available.first
        var uses: [(name: String, transform: TextureTransform?)?] = []
        var firstTextured: (name: String, transform: TextureTransform?)?
        for part in parts {
            guard let look = look(part), look.texture != nil || look.primvar != nil else {
                uses.append(nil)
                continue
            }
            var name = look.primvar ?? "st"
            if !available.contains(name), !node.inheritedPrimvars.contains(where: { $0.name == name }) {
                guard let usual else {
                    uses.append(nil)
                    continue
                }
                diagnostics.warning(
                    "ply.assumed.uv-set",
                    "the material asks for the coordinates '\(name)', the mesh has none of that name: '\(usual)' is taken", at: location(node))
                name = usual
            }
            uses.append((name, look.transform))
            firstTextured = firstTextured ?? (name, look.transform)
        }
        let fallback = firstTextured ?? usual.map { ($0, nil) }
        var sets: [(name: String, transform: TextureTransform?, values: MeshAttribute<Vector2f>)] = []
        var setOfPart: [Int?] = []
        for use in uses {
            guard let (name, transform) = use ?? fallback else {
                setOfPart.append(nil)
                continue
            }
            if let known = sets.firstIndex(where: { $0.name == name && $0.transform == transform }) {
                setOfPart.append(known)
            } else if let values = try arrays.coordinates(name, inherited: node.inheritedPrimvars) {
                setOfPart.append(sets.count)
                sets.append((name, transform, transform.map { moved(values, CoordinateTransform($0)) } ?? values))
            } else {
                setOfPart.append(nil)
            }
        }
        for name in available where !sets.contains(where: { $0.name == name }) && !arrays.refusedPrimvars.contains(name) {
            losses.note("uv-sets", at: node.path, name: name)
        }
        guard let first = sets.first else { return nil }
        if sets.count == 1, setOfPart.allSatisfy({ $0 == 0 }) { return first.values }
        // Several sets become one, a value a corner.
        var corners = [Vector2f](repeating: Vector2f(0, 0), count: arrays.polygons.faceVertexIndices.count)
        for (k, part) in parts.enumerated() {
            guard let set = setOfPart[k] else { continue }
            arrays.polygons.forEachCorner(of: part.faces) { face, corner, point in
                corners[corner] = sets[set].values.values[sets[set].values.valueIndex(face: face, corner: corner, point: point)]
            }
        }
        return MeshAttribute(domain: .corner, values: corners)
    }

    private func moved(_ values: MeshAttribute<Vector2f>, _ transform: CoordinateTransform) -> MeshAttribute<Vector2f> {
        MeshAttribute(domain: values.domain, values: values.values.map { transform.apply($0) }, indices: values.indices)
    }

    // MARK: Colours

    /// Display colours; where there are none, or one for a mesh that has a material, the plain colours of materials.
    private mutating func colors(_ arrays: MeshArrays, _ node: Node, _ parts: [MaterialPart]) throws(AssetError) -> MeshAttribute<UInt32>? {
        let own = try arrays.colors(inherited: node.inheritedPrimvars)
        let opacity = columns.hasAlpha ? try arrays.opacity(inherited: node.inheritedPrimvars) : nil
        var colors: MeshAttribute<UInt32>
        if let own, own.domain != .whole {
            colors = packed(own)
        } else {
            let base = own.flatMap(one).map { PLYColor.packed($0) } ?? PLYColor.white
            let ofParts = parts.map { part in part.material == nil ? base : look(part)?.color ?? PLYColor.white }
            if let first = ofParts.first, ofParts.allSatisfy({ $0 == first }) {
                colors = MeshAttribute(domain: .whole, values: [first])
            } else {
                var ofFaces = [UInt32](repeating: PLYColor.white, count: arrays.polygons.faceCount)
                for (k, part) in parts.enumerated() {
                    for face in part.faces ?? [] { ofFaces[Int(face)] = ofParts[k] }
                }
                colors = MeshAttribute(domain: .face, values: ofFaces)
            }
        }
        guard let opacity else { return colors }
        colors = joined(colors, opacity, points: arrays.polygons.points.count, arrays.polygons)
        return colors
    }

    /// The value of an attribute that has one for all.
    private func one<E>(_ attribute: MeshAttribute<E>) -> E? {
        guard attribute.domain == .whole else { return nil }
        let i = attribute.valueIndex(face: 0, corner: 0, point: 0)
        return attribute.values.indices.contains(i) ? attribute.values[i] : nil
    }

    private func packed(_ colors: MeshAttribute<Vector3f>) -> MeshAttribute<UInt32> {
        let domain: MeshAttribute<UInt32>.Domain =
            switch colors.domain {
            case .whole: .whole
            case .face: .face
            case .point: .point
            case .corner: .corner
            }
        return MeshAttribute(domain: domain, values: colors.values.map { PLYColor.packed($0) }, indices: colors.indices)
    }

    /// Colours with the alpha of another attribute.
    private func joined(
        _ colors: MeshAttribute<UInt32>, _ opacity: MeshAttribute<Float>, points: Int, _ polygons: PolygonMesh?
    ) -> MeshAttribute<UInt32> {
        func join(_ color: UInt32, _ value: Float) -> UInt32 { color & PLYColor.withoutAlpha | PLYColor.alpha(value) }
        if opacity.domain == .whole, let value = one(opacity) {
            return MeshAttribute(domain: colors.domain, values: colors.values.map { join($0, value) }, indices: colors.indices)
        }
        let isOfPoints = opacity.domain == .point && (colors.domain == .point || colors.domain == .whole)
        guard let polygons, !isOfPoints else {
            let values = (0..<points).map { p in
                join(
                    colors.values[colors.valueIndex(face: 0, corner: 0, point: p)],
                    opacity.values[opacity.valueIndex(face: 0, corner: 0, point: p)])
            }
            return MeshAttribute(domain: .point, values: values)
        }
        var corners = [UInt32](repeating: PLYColor.white, count: polygons.faceVertexIndices.count)
        polygons.forEachCorner(of: polygons.keptFaces) { face, corner, point in
            corners[corner] = join(
                colors.values[colors.valueIndex(face: face, corner: corner, point: point)],
                opacity.values[opacity.valueIndex(face: face, corner: corner, point: point)])
        }
        return MeshAttribute(domain: .corner, values: corners)
    }

    /// Colours beyond 1 have no place in a byte.
    private mutating func noteRange(_ arrays: MeshArrays, _ node: Node) throws(AssetError) {
        guard let colors = try arrays.colors(inherited: []) else { return }
        var largest: Float = 0
        for c in colors.values { largest = max(largest, max(c.x, max(c.y, c.z))) }
        if largest > 1.002 { losses.note("color-range", at: node.path, name: node.path) }
    }

    private mutating func textures(_ parts: [MaterialPart], _ polygons: PolygonMesh) -> PLYPart.Textures {
        let numbers = parts.map { Int32(truncatingIfNeeded: look($0)?.texture ?? -1) }
        if let first = numbers.first, numbers.allSatisfy({ $0 == first }) { return .one(first) }
        var ofFaces = [Int32](repeating: -1, count: polygons.faceCount)
        for (k, part) in parts.enumerated() {
            for face in part.faces ?? [] { ofFaces[Int(face)] = numbers[k] }
        }
        return .each(ofFaces)
    }

    // MARK: Points

    private mutating func points(_ points: PolygonMesh.Points, bounds: BoundingBox, isFinite: Bool, _ node: Node) -> PLYPart {
        var vertices = PLYPartVertices(count: points.count, points: points)
        if !isFinite {
            var kept: [Int32] = []
            for i in 0..<points.count where points[i].isFinite { kept.append(Int32(truncatingIfNeeded: i)) }
            diagnostics.add(
                Diagnostic(
                    .warning, "points.not-finite", "\(amount(points.count - kept.count, "point")) left out: not finite", at: location(node),
                    count: points.count - kept.count))
            (vertices.count, vertices.pointOf) = (kept.count, kept)
        }
        return PLYPart(vertices, bounds: bounds)
    }

    mutating func cloud(_ cloud: PointCloud, _ node: Node) throws(AssetError) -> PLYPart? {
        if node.typeName == "NurbsPatch" || node.typeName == "TetMesh" {
            diagnostics.warning("ply.lost.surface", "the surface of a \(node.typeName) is not written, only its points", at: location(node))
        }
        let loaded = try MeshRepair.loadPoints(cloud.points)
        guard loaded.points.count > 0 else { return nil }
        let part = points(loaded.points, bounds: loaded.bounds, isFinite: loaded.isFinite, node)
        let count = loaded.points.count
        func primvar(_ name: String) -> Primvar? {
            cloud.primvars.first { $0.name == name } ?? node.inheritedPrimvars.first { $0.name == name }
        }
        if columns.hasNormals, let found = primvar("normals"), case .float3(let values) = found.values {
            part.vertices.normals = try attribute(values, found, count, node)
        }
        if columns.hasColors {
            var colors: MeshAttribute<UInt32>?
            if let found = primvar("displayColor"), case .float3(let values) = found.values {
                colors = try attribute(values, found, count, node).map(packed)
            }
            if colors == nil || colors?.domain == .whole, let material = node.previewMaterial {
                let look = looks.look(material, isSkipping: options.textures == .skip, &diagnostics)
                colors = MeshAttribute(domain: .whole, values: [look.color ?? PLYColor.white])
            }
            if columns.hasAlpha, let found = primvar("displayOpacity"), case .float(let values) = found.values,
                let opacity = try attribute(values, found, count, node)
            {
                colors = joined(colors ?? MeshAttribute(domain: .whole, values: [PLYColor.white]), opacity, points: count, nil)
            }
            part.vertices.colors = colors
        }
        for name in columns.others {
            guard let found = cloud.primvars.first(where: { $0.name == name }), case .float(let values) = found.values,
                let numbers = try attribute(values, found, count, node)
            else {
                part.vertices.others.append(nil)
                continue
            }
            part.vertices.others.append(
                numbers.domain == .point && numbers.indices == nil
                    ? numbers.values : (0..<count).map { numbers.values[numbers.valueIndex(face: 0, corner: 0, point: $0)] })
        }
        return part
    }

    private mutating func attribute<E>(
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

    // MARK: Curves

    /// Curves as edges between evaluated points.
    mutating func curves(_ curves: Curves, _ node: Node) throws(AssetError) -> PLYPart? {
        let evaluated = try CurvePoints(curves)
        var points: [Point3d] = []
        var edges: [Int32] = []
        let ofPoints = columns.hasColors ? try evaluated.pointColors() : nil
        var colors: [UInt32] = []
        let leftOut = try evaluated.forEach { _, line throws(AssetError) in
            if let ofPoints, let source = line.source { colors += ofPoints[source].map { PLYColor.packed($0) } }
            let start = Int32(truncatingIfNeeded: points.count)
            points += line.points
            let end = Int32(truncatingIfNeeded: points.count)
            for v in start..<(end - 1) { edges += [v, v + 1] }
            if line.isClosed { edges += [end - 1, start] }
        }
        if leftOut > 0 {
            diagnostics.add(
                Diagnostic(
                    .warning, "curves.left-out", "\(amount(leftOut, "curve")) left out: too few points, or some that are not finite",
                    at: location(node), count: leftOut))
        }
        guard !points.isEmpty else { return nil }
        var box = BoundingBox()
        for p in points { box.formUnion(p) }
        let part = PLYPart(PLYPartVertices(count: points.count, points: .double(points)), bounds: box)
        if case .float = curves.points { part.isDouble = false }
        part.edges = edges
        let found = curves.primvars.first { $0.name == "displayColor" } ?? node.inheritedPrimvars.first { $0.name == "displayColor" }
        if ofPoints != nil, colors.count == points.count {
            part.vertices.colors = MeshAttribute(domain: .point, values: colors)
        } else if columns.hasColors {
            var color: UInt32?
            if let material = node.previewMaterial {
                color = looks.look(material, isSkipping: options.textures == .skip, &diagnostics).color
            } else if let found, found.interpolation == .constant, case .float3(let values) = found.values, values.count == 1 {
                color = try values.load().first.map { PLYColor.packed($0) }
            }
            part.vertices.colors = MeshAttribute(domain: .whole, values: [color ?? PLYColor.white])
        }
        for primvar in curves.primvars where primvar.name != "normals" && primvar.name != "tangents" {
            if primvar.name == "displayColor", primvar.interpolation == .constant || ofPoints != nil { continue }
            losses.note("curve-primvars", at: node.path, name: primvar.name)
        }
        return part
    }
}

extension PolygonMesh {
    /// Calls `body` with face, corner and point of every corner of some faces; nil means all.
    func forEachCorner(of faces: [Int32]?, _ body: (Int, Int, Int) -> Void) {
        for k in 0..<(faces?.count ?? faceCount) {
            let face = faces.map { Int($0[k]) } ?? k
            for corner in corners(face) { body(face, corner, Int(faceVertexIndices[corner])) }
        }
    }
}
