public import AssetModel

/// A mesh being written: its arrays are loaded when first asked for, checked, and kept as long as further copies of it come.
public final class MeshArrays {
    public let mesh: Mesh
    public let polygons: PolygonMesh
    public let defects: MeshDefects
    private let location: SourceLocation
    /// What was found while loading; reported for the first node only.
    public private(set) var diagnostics = Diagnostics()
    /// Primvars that do not fit the mesh; they have been reported.
    public private(set) var refusedPrimvars = Set<String>()
    private var coordinates: [String: MeshAttribute<Vector2f>?] = [:]
    private var loadedNormals: MeshAttribute<Vector3f>??
    private var loadedColors: MeshAttribute<Vector3f>??
    private var loadedOpacity: MeshAttribute<Float>??
    private var loadedTriangles: FaceTriangles?
    private var parts: (materials: [Int], base: Int, parts: [MaterialPart])?

    /// Throws where the mesh's bytes are damaged.
    public init(_ mesh: Mesh, at location: SourceLocation) throws(AssetError) {
        self.mesh = mesh
        self.location = location
        (polygons, defects) = try MeshRepair.load(mesh)
    }

    /// What was found since this was asked for last.
    public func takeDiagnostics() -> Diagnostics {
        let taken = diagnostics
        diagnostics = Diagnostics()
        return taken
    }

    /// Bytes of memory held, roughly.
    public var byteCount: Int {
        func bytes<E>(_ attribute: MeshAttribute<E>?) -> Int {
            guard let attribute else { return 0 }
            return attribute.values.count * MemoryLayout<E>.stride + (attribute.indices?.count ?? 0) * 4
        }
        var sum = polygons.byteCount + bytes(loadedNormals ?? nil) + bytes(loadedColors ?? nil) + bytes(loadedOpacity ?? nil)
        for c in coordinates.values { sum += bytes(c) }
        return sum + (loadedTriangles?.byteCount ?? 0)
    }

    /// All drawn faces cut into triangles.
    public var triangles: FaceTriangles {
        if let loadedTriangles { return loadedTriangles }
        let made = FaceTriangles(polygons, polygons.keptFaces)
        loadedTriangles = made
        return made
    }

    /// Some of the drawn faces cut into triangles; nil means all.
    public func triangles(_ list: [Int32]?) -> FaceTriangles {
        guard let list else { return triangles }
        // All are looked at once, and need not be again for each part.
        if polygons.faceSize == 3, polygons.keptFaces == nil, triangles.isPlain { return FaceTriangles(triangles: list) }
        return FaceTriangles(polygons, list)
    }

    // MARK: Attributes

    /// The stored normals; nil where the mesh has none that can be used.
    public func normals() throws(AssetError) -> MeshAttribute<Vector3f>? {
        if let loadedNormals { return loadedNormals }
        var result: MeshAttribute<Vector3f>?
        // An empty array is how a file says that there are none.
        if let primvar = mesh.normals, case .float3(let values) = primvar.values, !values.isEmpty {
            result = try repaired(checked(values, primvar))
        }
        loadedNormals = .some(result)
        return result
    }

    /// The display colours; nil where there are none that can be used.
    public func colors(inherited: [Primvar]) throws(AssetError) -> MeshAttribute<Vector3f>? {
        let own = mesh.primvars.first { $0.name == "displayColor" }
        if own != nil, let loadedColors { return loadedColors }
        var result: MeshAttribute<Vector3f>?
        if let primvar = own ?? inherited.first(where: { $0.name == "displayColor" }) {
            switch primvar.values {
            case .float3(let values): result = try checked(values, primvar)
            case .float4(let values):
                // Colours with an alpha: the colour part.
                result = try checked(values, primvar)?.map { Vector3f($0.x, $0.y, $0.z) }
            default: break
            }
        }
        // Nodes that share the mesh inherit from different places.
        if own != nil { loadedColors = .some(result) }
        return result
    }

    /// The display opacities; nil where there are none that can be used.
    public func opacity(inherited: [Primvar]) throws(AssetError) -> MeshAttribute<Float>? {
        let own = mesh.primvars.first { $0.name == "displayOpacity" }
        if own != nil, let loadedOpacity { return loadedOpacity }
        var result: MeshAttribute<Float>?
        if let primvar = own ?? inherited.first(where: { $0.name == "displayOpacity" }), case .float(let values) = primvar.values {
            result = try checked(values, primvar)
        }
        if own != nil { loadedOpacity = .some(result) }
        return result
    }

    /// A set of texture coordinates by name.
    public func coordinates(_ name: String, inherited: [Primvar]) throws(AssetError) -> MeshAttribute<Vector2f>? {
        if let known = coordinates[name] { return known }
        var result: MeshAttribute<Vector2f>?
        let own = mesh.primvars.first { $0.name == name }
        if let primvar = own ?? inherited.first(where: { $0.name == name }) {
            switch primvar.values {
            case .float2(let values): result = try checked(values, primvar)
            case .float3(let values):
                result = try checked(values, primvar)?.map { Vector2f($0.x, $0.y) }
            default: break
            }
        }
        if own != nil { coordinates[name] = .some(result) }
        return result
    }

    /// Values of any of the mesh's primvars; nil where they do not fit the mesh, which is told.
    public func attribute<E>(_ values: DeferredArray<E>, _ primvar: Primvar) throws(AssetError) -> MeshAttribute<E>? {
        try checked(values, primvar)
    }

    /// Names of the sets of texture coordinates, in file order.
    public var coordinateNames: [String] { mesh.primvars.filter(\.isTextureCoordinates).map(\.name) }

    private func checked<E>(_ values: DeferredArray<E>, _ primvar: Primvar) throws(AssetError) -> MeshAttribute<E>? {
        switch try loadAttribute(
            values, of: primvar, faces: polygons.faceCount, points: polygons.points.count, corners: polygons.faceVertexIndices.count)
        {
        case .good(let attribute): return attribute
        case .bad(let defect):
            refusedPrimvars.insert(primvar.name)
            diagnostics.warning(
                "mesh.primvar-mismatch", "primvar '\(primvar.name)' (\(primvar.interpolation.rawValue)) is left out: \(defect.message)",
                at: location)
            return nil
        }
    }

    // MARK: Normals

    /// Normals of length zero or not finite are made anew from the faces that use them.
    private func repaired(_ normals: MeshAttribute<Vector3f>?) throws(AssetError) -> MeshAttribute<Vector3f>? {
        guard let normals else { return nil }
        var bad = 0
        for n in normals.values {
            let square = n.x * n.x + n.y * n.y + n.z * n.z
            // Squares of very small numbers vanish: such normals are looked at again in double precision.
            if !(square > 0 && square.isFinite) { bad += 1 }
        }
        if bad == 0 { return normals }
        var sums: [Int: Vector3d] = [:]
        bad = 0
        for (i, n) in normals.values.enumerated() {
            let length = Vector3d(n).length
            if !(length > 0 && length.isFinite) {
                sums[i] = Vector3d(0, 0, 0)
                bad += 1
            }
        }
        if bad == 0 { return normals }
        for k in 0..<polygons.drawnFaceCount {
            let face = polygons.keptFaces.map { Int($0[k]) } ?? k
            let corners = polygons.corners(face)
            var normal: Vector3d?
            for corner in corners {
                let value = normals.valueIndex(face: face, corner: corner, point: Int(polygons.faceVertexIndices[corner]))
                guard let sum = sums[value] else { continue }
                let made = normal ?? newellNormal(corners.map { polygons.points[Int(polygons.faceVertexIndices[$0])] })
                normal = made
                sums[value] = sum + made
            }
        }
        var values = normals.values
        let sign: Double = mesh.orientation == .leftHanded ? -1 : 1
        for (i, sum) in sums {
            let length = sum.length
            values[i] =
                length > 0 && length.isFinite
                ? Vector3f(Float(sign * sum.x / length), Float(sign * sum.y / length), Float(sign * sum.z / length)) : Vector3f(0, 0, 1)
        }
        diagnostics.add(
            Diagnostic(
                .warning, "mesh.normals-recomputed", "\(amount(bad, "normal")) of length zero or not finite made anew from the faces",
                at: location, count: bad))
        return MeshAttribute(domain: normals.domain, values: values, indices: normals.indices)
    }

    // MARK: Materials

    /// The drawn faces by material, in order of the first face. Faces of no subset keep the mesh's material; where subsets
    /// overlap the first one counts.
    public func materialParts(base: Int?, subsets: [Int?]) throws(AssetError) -> [MaterialPart] {
        let key = subsets.map { $0 ?? -1 }
        if let parts, parts.materials == key, parts.base == base ?? -1 { return parts.parts }
        let made = try makeParts(base: base, subsets: subsets)
        parts = (key, base ?? -1, made)
        return made
    }

    private func makeParts(base: Int?, subsets: [Int?]) throws(AssetError) -> [MaterialPart] {
        guard subsets.contains(where: { $0 != nil }) else { return [MaterialPart(material: base, faces: polygons.keptFaces)] }
        // Slot 0 is the mesh's own material.
        var slots: [Int?] = [base]
        var slotOfMaterial: [Int: Int] = base.map { [$0: 0] } ?? [:]
        var slotOfFace = [Int32](repeating: -1, count: polygons.faceCount)
        var outside = 0
        for (i, subset) in mesh.subsets.enumerated() where i < subsets.count {
            guard let material = subsets[i] else { continue }
            let slot = slotOfMaterial[material] ?? slots.count
            if slot == slots.count {
                slots.append(material)
                slotOfMaterial[material] = slot
            }
            let number = Int32(truncatingIfNeeded: slot)
            for face in try subset.faces.load() {
                guard face >= 0, Int(face) < slotOfFace.count else {
                    outside += 1
                    continue
                }
                if slotOfFace[Int(face)] < 0 { slotOfFace[Int(face)] = number }
            }
        }
        if outside > 0 {
            diagnostics.add(
                Diagnostic(
                    .warning, "mesh.subset-index-out-of-range", "\(outside) face indices of subsets lie outside the mesh", at: location,
                    count: outside))
        }
        var counts = [Int](repeating: 0, count: slots.count)
        var order: [Int] = []
        for k in 0..<polygons.drawnFaceCount {
            let face = polygons.keptFaces.map { Int($0[k]) } ?? k
            let slot = Int(max(0, slotOfFace[face]))
            if counts[slot] == 0 { order.append(slot) }
            counts[slot] += 1
        }
        if order.count == 1 { return [MaterialPart(material: slots[order[0]], faces: polygons.keptFaces)] }
        // One array for all, parted by slot.
        var starts = [Int](repeating: 0, count: slots.count)
        var sum = 0
        for slot in order { (starts[slot], sum) = (sum, sum + counts[slot]) }
        var all = [Int32](repeating: 0, count: sum)
        for k in 0..<polygons.drawnFaceCount {
            let face = polygons.keptFaces.map { Int($0[k]) } ?? k
            let slot = Int(max(0, slotOfFace[face]))
            all[starts[slot]] = Int32(truncatingIfNeeded: face)
            starts[slot] += 1
        }
        return order.map { MaterialPart(material: slots[$0], faces: Array(all[(starts[$0] - counts[$0])..<starts[$0]])) }
    }
}

/// Faces of a mesh that have one material.
public struct MaterialPart: Sendable {
    /// The material's number as given; nil where the faces have none.
    public var material: Int?
    /// Nil means all that are drawn.
    public var faces: [Int32]?
}

extension Primvar {
    /// Whether these can be a set of texture coordinates: the role says so, or two floats a value.
    public var isTextureCoordinates: Bool {
        if name.hasPrefix("skel:") { return false }
        if case .float2 = values { return true }
        if case .float3 = values { return role == .textureCoordinate }
        return false
    }

    /// Whether the values of a display opacity are all 1; those of very many are not looked at.
    public var isOpaque: Bool {
        guard case .float(let values) = values, values.count < 1 << 20 else { return false }
        var isOpaque = true
        do throws(AssetError) {
            try values.forEachBlock { block in for v in block where v != 1 { isOpaque = false } }
        } catch {
            return false
        }
        return isOpaque
    }
}
