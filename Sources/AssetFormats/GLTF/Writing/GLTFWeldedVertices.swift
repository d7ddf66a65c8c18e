import AssetIO
import AssetModel
import AssetOps

/// What a mesh's vertices have: coordinates in the order of their sets, normals, colours, and further numbers.
struct GLTFMeshLook {
    struct Set {
        var name: String
        var values: MeshAttribute<Vector2f>
    }

    var normals: MeshAttribute<Vector3f>?
    var tangents: MeshAttribute<Vector4f>?
    var sets: [Set] = []
    /// The first set that a material asks for and the mesh does not have.
    var missingSet: String?
    var colors: MeshAttribute<Vector3f>?
    var opacity: MeshAttribute<Float>?
    /// Application-specific attributes, which begin with an underscore (section 3.7.2.1).
    var others: [(name: String, values: Other)] = []
    /// Whether any primitive writes colours.
    var writesColors = false

    enum Other {
        case float(MeshAttribute<Float>)
        case float2(MeshAttribute<Vector2f>)
        case float3(MeshAttribute<Vector3f>)
        case float4(MeshAttribute<Vector4f>)
    }

    init(_ arrays: MeshArrays, _ node: Node, _ used: [ID<Material>?], _ materials: GLTFMaterialWriter) throws(AssetError) {
        let inherited = node.inheritedPrimvars
        normals = try arrays.normals().map { $0.map(NormalTransform.normalized) }
        // The names in order: what materials use, `st` first, then the rest.
        let own = arrays.coordinateNames
        var names: [String] = own.contains("st") ? ["st"] : []
        for case let material? in used {
            for wanted in materials.coordinateNames(material) where !names.contains(wanted) {
                if own.contains(wanted) || inherited.contains(where: { $0.name == wanted && $0.isTextureCoordinates }) {
                    names.append(wanted)
                } else if missingSet == nil {
                    missingSet = wanted
                }
            }
        }
        for name in own where !names.contains(name) { names.append(name) }
        for name in names {
            if let values = try arrays.coordinates(name, inherited: inherited) {
                sets.append(Set(name: name, values: values.map { Vector2f($0.x, 1 - $0.y) }))
            }
        }
        colors = try arrays.colors(inherited: inherited)
        opacity = try arrays.opacity(inherited: inherited)
        if opacity?.values.allSatisfy({ $0 >= 1 }) == true { opacity = nil }
        if opacity != nil, colors == nil { colors = MeshAttribute(domain: .whole, values: [Vector3f(1, 1, 1)]) }
        writesColors = used.contains { if case .vertices = materials.colors(colors, opacity, $0) { true } else { false } }
    }

    /// Numbers that only those who wrote them understand, under their names.
    mutating func takeOthers(_ arrays: MeshArrays, _ node: Node, _ losses: inout LossList) {
        for primvar in arrays.mesh.primvars {
            let name = primvar.name
            if name.hasPrefix("skel:") || ["normals", "displayColor", "displayOpacity"].contains(name) { continue }
            if sets.contains(where: { $0.name == name }) || arrays.refusedPrimvars.contains(name) { continue }
            do throws(AssetError) {
                if name == "tangents", case .float4(let values) = primvar.values {
                    // Its fourth number goes with v, which is turned round.
                    tangents = try arrays.attribute(values, primvar)?.map { Vector4f($0.x, $0.y, $0.z, $0.w < 0 ? 1 : -1) }
                    continue
                }
                guard primvar.elementSize == 1, primvar.interpolation != .constant, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                    losses.note("primvars", at: node.path, name: name)
                    continue
                }
                let values: Other?
                switch primvar.values {
                case .float(let array): values = try arrays.attribute(array, primvar).map { .float($0) }
                case .float2(let array): values = try arrays.attribute(array, primvar).map { .float2($0) }
                case .float3(let array): values = try arrays.attribute(array, primvar).map { .float3($0) }
                case .float4(let array): values = try arrays.attribute(array, primvar).map { .float4($0) }
                case .double, .int, .string:
                    losses.note("primvars", at: node.path, name: name)
                    continue
                }
                if let values { others.append((name.hasPrefix("_") ? name : "_" + name, values)) }
            } catch {
                losses.note("primvars", at: node.path, name: name)
            }
        }
        for (i, subset) in arrays.mesh.subsets.enumerated() where subset.family != "materialBind" {
            let hasMaterial = i < node.subsetPreviewMaterials.count && node.subsetPreviewMaterials[i] != nil
            if !hasMaterial { losses.note("subsets", at: node.path, name: subset.name) }
        }
    }
}

/// The vertices of a mesh, welded, and what belongs to each.
struct GLTFWeldedVertices {
    let weld: VertexWeld
    private let positions: [Point3f]
    private let look: GLTFMeshLook
    private let skin: GLTFInfluences?
    let shapes: [GLTFShape]
    /// What float32 does to the points.
    private(set) var loss = FloatLoss()

    init(_ arrays: MeshArrays, _ look: GLTFMeshLook, jointCount: Int?) throws(AssetError) {
        self.look = look
        let polygons = arrays.polygons
        let positions: [Point3f]
        switch polygons.points {
        case .float(let points): positions = points
        case .double(let points):
            positions = points.map(GLTFMeshWriter.point)
            var moved = 0.0
            for (a, b) in zip(points, positions) where a.isFinite {
                moved = max(moved, (a.x - Double(b.x)).magnitude, (a.y - Double(b.y)).magnitude, (a.z - Double(b.z)).magnitude)
            }
            if moved > 1e-6 * polygons.bounds.diagonal(.identity) { loss.moved = moved }
        }
        self.positions = positions
        if let jointCount { skin = try GLTFInfluences(arrays.mesh, points: positions.count, jointCount: jointCount) } else { skin = nil }
        var shapes: [GLTFShape] = []
        for shape in arrays.mesh.blendShapes { shapes.append(try GLTFShape(shape, points: positions.count)) }
        self.shapes = shapes
        var columns: [WeldColumn] = []
        if let normals = look.normals { columns.append(WeldColumn(normals)) }
        if let tangents = look.tangents { columns.append(WeldColumn(tangents)) }
        for set in look.sets { columns.append(WeldColumn(set.values)) }
        if look.writesColors {
            if let colors = look.colors { columns.append(WeldColumn(colors)) }
            if let opacity = look.opacity { columns.append(WeldColumn(opacity)) }
        }
        for other in look.others {
            switch other.values {
            case .float(let a): columns.append(WeldColumn(a))
            case .float2(let a): columns.append(WeldColumn(a))
            case .float3(let a): columns.append(WeldColumn(a))
            case .float4(let a): columns.append(WeldColumn(a))
            }
        }
        if let skin { columns += skin.columns }
        for shape in shapes {
            columns.append(WeldColumn(ofPoints: shape.offsets))
            if let normals = shape.normals { columns.append(WeldColumn(ofPoints: normals)) }
        }
        weld = VertexWeld(polygons, positions: WeldColumn(ofPoints: positions), columns: columns)
    }

    /// Three vertices a triangle.
    func indices(_ triangles: FaceTriangles, isFlipped: Bool) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: triangles.count * 3) { out, count in
            HugePages.advise(out)
            weld.ofCorner.withUnsafeBufferPointer { vertices in
                for k in 0..<triangles.count {
                    let (a, b, c) = triangles.corners(k)
                    out[3 * k] = UInt32(truncatingIfNeeded: vertices[a])
                    out[3 * k + 1] = UInt32(truncatingIfNeeded: vertices[isFlipped ? c : b])
                    out[3 * k + 2] = UInt32(truncatingIfNeeded: vertices[isFlipped ? b : c])
                }
            }
            count = triangles.count * 3
        }
    }

    /// Adds the attributes of the vertices picked, or of all.
    func add(_ picked: [Int32]?, color: GLTFColorUse, to primitive: inout GLTFOutput.Primitive, _ out: inout GLTFOutput) {
        let count = picked?.count ?? weld.count
        func gather<E: Sendable>(_ attribute: MeshAttribute<E>) -> [E] {
            let origins =
                switch attribute.domain {
                case .whole: [Int32](repeating: 0, count: weld.count)
                case .face: weld.faces
                case .point: weld.points
                case .corner: weld.corners
                }
            return [E](unsafeUninitializedCapacity: count) { target, filled in
                HugePages.advise(target)
                let base = target.baseAddress.unsafelyUnwrapped
                attribute.values.withUnsafeBufferPointer { values in
                    origins.withUnsafeBufferPointer { origins in
                        for k in 0..<count {
                            let element = Int(origins[picked.map { Int($0[k]) } ?? k])
                            (base + k).initialize(to: values[attribute.indices.map { Int($0[element]) } ?? element])
                        }
                    }
                }
                filled = count
            }
        }
        func points<E: Sendable>(_ values: [E]) -> [E] { gather(MeshAttribute(domain: .point, values: values)) }
        primitive.attributes.append(("POSITION", out.buffer.vectors(points(positions), bounds: true)))
        if let normals = look.normals { primitive.attributes.append(("NORMAL", out.buffer.vectors(gather(normals)))) }
        if let tangents = look.tangents { primitive.attributes.append(("TANGENT", out.buffer.vectors(gather(tangents)))) }
        for (i, set) in look.sets.enumerated() { primitive.attributes.append(("TEXCOORD_\(i)", out.buffer.vectors(gather(set.values)))) }
        if case .vertices = color, let colors = look.colors {
            primitive.attributes.append(("COLOR_0", Self.colors(gather(colors), look.opacity.map(gather), &out)))
        }
        if let skin { skin.add({ points($0) }, to: &primitive, &out) }
        for other in look.others {
            let accessor: Int
            switch other.values {
            case .float(let a): accessor = out.buffer.scalars(gather(a))
            case .float2(let a): accessor = out.buffer.vectors(gather(a))
            case .float3(let a): accessor = out.buffer.vectors(gather(a))
            case .float4(let a): accessor = out.buffer.vectors(gather(a))
            }
            primitive.attributes.append((other.name, accessor))
        }
        for shape in shapes {
            var target: [(semantic: String, accessor: Int)] = [("POSITION", out.buffer.vectors(points(shape.offsets), bounds: true))]
            if let normals = shape.normals, look.normals != nil { target.append(("NORMAL", out.buffer.vectors(points(normals)))) }
            primitive.targets.append(target)
        }
    }

    /// Linear colours, within 0 to 1 as validators ask, with the opacity as a fourth number where there is one.
    static func colors(_ colors: [Vector3f], _ opacity: [Float]?, _ out: inout GLTFOutput) -> Int {
        func unit(_ x: Float) -> Float { x >= 0 ? min(x, 1) : 0 }
        guard let opacity else { return out.buffer.vectors(colors.map { Vector3f(unit($0.x), unit($0.y), unit($0.z)) }) }
        return out.buffer.vectors(zip(colors, opacity).map { Vector4f(unit($0.x), unit($0.y), unit($0.z), unit($1)) })
    }
}
