import AssetIO
import AssetModel
import AssetOps

/// A mesh of the file on a skin of it: the same mesh on another skin is another one.
struct GLTFMeshKey: Hashable {
    var mesh: Int
    var skin: Int?
}

/// What one scene node can hold of a mesh: triangles of the same attributes, or the lines or points of one primitive.
struct GLTFPiece {
    var content: Node.Content
    var typeName: String
    var material: ID<Material>?
    var subsets: [ID<Material>?] = []
}

/// Primitives of triangles that have the same attributes, and become one mesh.
private struct GLTFGroup {
    /// What primitives must have in common.
    struct Key: Hashable {
        var attributes: [Attribute]
        var targets: [[GLTFDocument.Semantic]]
        var isDoubleSided: Bool
    }

    struct Attribute: Hashable {
        var semantic: GLTFDocument.Semantic
        /// Components of an element.
        var width: Int
    }

    /// The accessors that primitives share: their points are there once.
    struct Vertices: Hashable {
        var accessors: [Int]
        var targets: [[Int]]
    }

    let key: Key
    var positions: [GLTFColumn] = []
    /// In the order of the key's.
    var columns: [[GLTFColumn]]
    /// By target, in the order of the key's.
    var targets: [[[GLTFColumn]]]
    var bases: [Vertices: Int32] = [:]
    var pointCount = 0
    var triangles: [GLTFTriangles.Part] = []
    var faceCount = 0
    var materials: [(material: ID<Material>?, faces: GLTFFaces)] = []
    var hasMaterial: [ID<Material>?: Int] = [:]

    init(_ key: Key) {
        self.key = key
        columns = key.attributes.map { _ in [] }
        targets = key.targets.map { $0.map { _ in [] } }
    }
}

/// A primitive's accessors, held against each other.
private struct GLTFVertices {
    var position: GLTFColumn
    var positionAccessor: Int
    var attributes: [(attribute: GLTFGroup.Attribute, accessor: Int, column: GLTFColumn)] = []
    var targets: [[(semantic: GLTFDocument.Semantic, accessor: Int, column: GLTFColumn)]] = []
}

extension GLTFToScene {
    /// A mesh as the parts that scene nodes can hold, made once.
    mutating func pieces(of mesh: Int, skin: Int?) throws(AssetError) -> [GLTFPiece] {
        let key = GLTFMeshKey(mesh: mesh, skin: skin)
        if let known = pieces[key] { return known }
        let source = document.meshes[mesh]
        var groups: [GLTFGroup] = []
        var known: [GLTFGroup.Key: Int] = [:]
        var others: [GLTFPiece] = []
        for index in source.primitives {
            let primitive = document.primitives[index]
            let place = document.place("meshes", mesh, "primitives/\(index - source.primitives.lowerBound)")
            guard let mode = GLTFMode(rawValue: primitive.mode) else {
                diagnostics.add(warn("gltf.bad-mode", "the mode is \(primitive.mode), expected 0 to 6: the primitive is left out", place))
                continue
            }
            guard let vertices = try vertices(primitive, skin: skin, place) else { continue }
            let (indices, fault) = try indices(primitive, points: vertices.position.count, place)
            let material = material(primitive.material, place)
            guard mode.isTriangles else {
                if let fault { throw fault }
                others.append(piece(mode, vertices, indices, material))
                continue
            }
            let isDoubleSided = primitive.material.map { $0 < self.isDoubleSided.count && self.isDoubleSided[$0] } ?? false
            let key = GLTFGroup.Key(
                attributes: vertices.attributes.map(\.attribute), targets: vertices.targets.map { $0.map(\.semantic) },
                isDoubleSided: isDoubleSided)
            let at: Int
            if let group = known[key] {
                at = group
            } else {
                at = groups.count
                known[key] = at
                groups.append(GLTFGroup(key))
            }
            try add(vertices, mode, indices, fault, material, to: &groups[at], place)
        }
        var all: [GLTFPiece] = []
        for group in groups { all.append(finish(group, source, skin)) }
        all.append(contentsOf: others)
        pieces[key] = all
        return all
    }

    private mutating func material(_ index: Int?, _ place: SourceLocation) -> ID<Material>? {
        guard let index else { return nil }
        if index < materials.count { return materials[index] }
        diagnostics.add(warn("gltf.bad-reference", "material \(index) is asked for, there are \(materials.count)", place))
        return nil
    }

    // MARK: Accessors

    /// The accessors of a primitive; nil where it has no positions.
    private mutating func vertices(
        _ primitive: GLTFDocument.Primitive, skin: Int?, _ place: SourceLocation
    ) throws(AssetError) -> GLTFVertices? {
        guard let position = document.attributes[primitive.attributes].first(where: { $0.semantic == .position }) else {
            diagnostics.add(warn("gltf.no-positions", "the primitive has no positions and is left out", place))
            return nil
        }
        let column = try accessors.column(position.accessor, &diagnostics)
        guard column.width == 3 else {
            throw AssetError("gltf.bad-accessor", "positions have \(column.width) components, expected 3", at: document.place("accessors", position.accessor))
        }
        var out = GLTFVertices(position: column, positionAccessor: position.accessor)
        let isSkinned = skin != nil
        for attribute in document.attributes[primitive.attributes] where attribute.semantic != .position {
            switch attribute.semantic {
            case .joints, .weights: if !isSkinned { continue }
            default: if !options.wantsMeshPrimvars { continue }
            }
            let column = try accessors.column(attribute.accessor, &diagnostics)
            guard fits(column, attribute.semantic, points: out.position.count, place) else { continue }
            out.attributes.append((GLTFGroup.Attribute(semantic: attribute.semantic, width: column.width), attribute.accessor, column))
        }
        // Files name attributes in any order.
        out.attributes.sort { $0.attribute.semantic < $1.attribute.semantic }
        for target in primitive.targets {
            var columns: [(GLTFDocument.Semantic, Int, GLTFColumn)] = []
            for attribute in document.attributes[target] where attribute.semantic == .position || attribute.semantic == .normal {
                let column = try accessors.column(attribute.accessor, &diagnostics)
                guard fits(column, attribute.semantic, points: out.position.count, place) else { continue }
                columns.append((attribute.semantic, attribute.accessor, column))
            }
            columns.sort { $0.0 < $1.0 }
            out.targets.append(columns)
        }
        return out
    }

    /// Whether an attribute has an element for each point, of a width that it may have; else it is left out.
    private mutating func fits(_ column: GLTFColumn, _ semantic: GLTFDocument.Semantic, points: Int, _ place: SourceLocation) -> Bool {
        let widths: ClosedRange<Int>
        switch semantic {
        case .position, .normal: widths = 3...3
        case .tangent, .joints, .weights: widths = 4...4
        case .texcoord: widths = 2...2
        case .color: widths = 3...4
        case .other: widths = 1...4
        }
        guard widths.contains(column.width) else {
            diagnostics.add(
                warn("gltf.bad-attribute", "\(semantic.name) has \(column.width) components, expected \(widths.lowerBound): left out", place))
            return false
        }
        guard column.count == points else {
            diagnostics.add(warn("gltf.wrong-length", "\(semantic.name) has \(column.count) elements for \(points) points: left out", place))
            return false
        }
        return true
    }

    /// The indices of a primitive; nil where points are drawn in their order. Where one of them names no point there is a fault:
    /// what the mesh counts can be told, its triangles cannot be had.
    private mutating func indices(
        _ primitive: GLTFDocument.Primitive, points: Int, _ place: SourceLocation
    ) throws(AssetError) -> (column: GLTFColumn?, fault: AssetError?) {
        guard let index = primitive.indices else { return (nil, nil) }
        let column = try accessors.column(index, &diagnostics)
        guard column.width == 1, column.component != .float, column.component != .int8, column.component != .int16 else {
            throw AssetError("gltf.bad-accessor", "indices are no whole numbers from 0", at: document.place("accessors", index))
        }
        let largest: UInt32
        if let known = largestIndices[index] {
            largest = known
        } else {
            guard let found = column.largestInteger() else { return (column, nil) }
            largestIndices[index] = found
            largest = found
        }
        guard Int(largest) >= points else { return (column, nil) }
        let fault = AssetError("gltf.index-out-of-range", "index \(largest) of \(points) points", at: place)
        return (column, fault)
    }

    // MARK: Triangles

    private mutating func add(
        _ vertices: GLTFVertices, _ mode: GLTFMode, _ indices: GLTFColumn?, _ fault: AssetError?, _ material: ID<Material>?,
        to group: inout GLTFGroup, _ place: SourceLocation
    ) throws(AssetError) {
        let key = GLTFGroup.Vertices(
            accessors: [vertices.positionAccessor] + vertices.attributes.map(\.accessor), targets: vertices.targets.map { $0.map(\.accessor) })
        let base: Int32
        if let known = group.bases[key] {
            base = known
        } else {
            let after = group.pointCount.adding(checked: vertices.position.count) ?? .max
            guard let first = Int32(exactly: group.pointCount), after <= Int(Int32.max) else {
                throw AssetError("gltf.too-many-points", "the mesh has more than \(Int32.max) points", at: place)
            }
            base = first
            group.bases[key] = base
            group.pointCount = after
            group.positions.append(vertices.position)
            for (i, attribute) in vertices.attributes.enumerated() { group.columns[i].append(attribute.column) }
            for (i, target) in vertices.targets.enumerated() {
                for (k, attribute) in target.enumerated() { group.targets[i][k].append(attribute.column) }
            }
        }
        let part = GLTFTriangles.Part(
            mode: mode, indices: indices, corners: indices?.count ?? vertices.position.count, base: base, fault: fault)
        if let fault {
            var warning = fault.diagnostic
            warning.severity = .warning
            warning.message += ": the triangles cannot be had"
            diagnostics.add(warning)
        }
        if mode == .triangles, part.corners % 3 != 0 {
            diagnostics.add(warn("gltf.incomplete-triangle", "\(part.corners) corners, expected a multiple of 3: the last triangle is left out", place))
        }
        guard part.triangles <= (Int(Int32.max) / 3) - group.faceCount else {
            throw AssetError("gltf.too-many-points", "the mesh has more than \(Int32.max) corners", at: place)
        }
        guard part.triangles > 0 else { return }
        group.triangles.append(part)
        let at: Int
        if let known = group.hasMaterial[material] {
            at = known
        } else {
            at = group.materials.count
            group.hasMaterial[material] = at
            group.materials.append((material, GLTFFaces()))
        }
        group.materials[at].faces.append(group.faceCount..<(group.faceCount + part.triangles))
        group.faceCount += part.triangles
    }

    private mutating func finish(_ group: GLTFGroup, _ source: GLTFDocument.Mesh, _ skin: Int?) -> GLTFPiece {
        let corners = GLTFTriangles(group.triangles)
        var mesh = Mesh(
            points: .float(.deferred(GLTFVectors(group.positions))),
            faceVertexCounts: .deferred(RepeatedArray(3, count: group.faceCount)), faceVertexIndices: .deferred(corners))
        mesh.doubleSided = group.key.isDoubleSided
        if options.wantsMeshPrimvars {
            for (attribute, columns) in zip(group.key.attributes, group.columns) { add(attribute, columns, to: &mesh) }
        }
        mesh.blendShapeCount = group.key.targets.count
        for (i, target) in group.key.targets.enumerated() {
            let name = i < source.targetNames.count && !source.targetNames[i].isEmpty ? source.targetNames[i] : "target\(i)"
            var shape = BlendShape(name: name, offsets: .init())
            for (semantic, columns) in zip(target, group.targets[i]) {
                let vectors = DeferredArray<Vector3f>.deferred(GLTFVectors(columns))
                if semantic == .position { shape.offsets = vectors } else { shape.normalOffsets = vectors }
            }
            if shape.offsets.isEmpty { shape.offsets = .deferred(RepeatedArray(Vector3f(0, 0, 0), count: group.pointCount)) }
            mesh.blendShapes.append(shape)
        }
        if skin != nil { mesh.skin = influences(group) }
        var piece = GLTFPiece(content: .none, typeName: "Mesh")
        if group.materials.count == 1 {
            piece.material = group.materials[0].material
        } else {
            var names = UniqueNames()
            for (material, faces) in group.materials {
                guard let material else { continue }
                let name = scene.materials[material].name
                let subset = name.isEmpty ? names.unique(made: "material") : names.unique(Self.pathName(name))
                mesh.subsets.append(GeomSubset(name: subset, family: "materialBind", faces: .deferred(faces)))
                piece.subsets.append(material)
            }
        }
        let id = scene.meshes.append(mesh)
        if let skin, scene.meshes[id].skin != nil { skinned[skin, default: []].append(id) }
        piece.content = .mesh(id)
        return piece
    }

    // MARK: Primvars

    private mutating func add(_ attribute: GLTFGroup.Attribute, _ columns: [GLTFColumn], to mesh: inout Mesh) {
        switch attribute.semantic {
        case .position, .joints, .weights: break
        case .normal:
            mesh.normals = Primvar(
                name: "normals", role: .normal, interpolation: .vertex, values: .float3(.deferred(GLTFVectors(columns))))
        case .tangent:
            mesh.primvars.append(
                Primvar(name: "tangents", role: .vector, interpolation: .vertex, values: .float4(.deferred(GLTFVectors(columns)))))
        case .texcoord(let set):
            // glTF counts v from the top.
            mesh.primvars.append(
                Primvar(
                    name: Self.textureCoordinateName(set), role: .textureCoordinate, interpolation: .vertex,
                    values: .float2(.deferred(GLTFVectors(columns, flipsV: true)))))
        case .color(let set): mesh.primvars.append(contentsOf: Self.colors(set, attribute.width, columns))
        case .other(let name):
            let values: PrimvarValues
            switch attribute.width {
            case 1: values = .float(.deferred(GLTFVectors(columns)))
            case 2: values = .float2(.deferred(GLTFVectors(columns)))
            case 3: values = .float3(.deferred(GLTFVectors(columns)))
            default: values = .float4(.deferred(GLTFVectors(columns)))
            }
            guard !name.isEmpty, !mesh.primvars.contains(where: { $0.name == name }) else { return }
            mesh.primvars.append(Primvar(name: name, interpolation: .vertex, values: values))
        }
    }

    /// `st`, `st1`, …
    static func textureCoordinateName(_ set: Int) -> String { set == 0 ? "st" : "st\(set)" }

    /// Colours are linear in both worlds; the fourth component is an opacity of its own.
    private static func colors(_ set: Int, _ width: Int, _ columns: [GLTFColumn]) -> [Primvar] {
        let end = set == 0 ? "" : "\(set)"
        var out = [
            Primvar(
                name: "displayColor" + end, role: .color, interpolation: .vertex,
                values: .float3(.deferred(GLTFVectors<Vector3f>(columns))))
        ]
        if width == 4 {
            out.append(
                Primvar(
                    name: "displayOpacity" + end, interpolation: .vertex, values: .float(.deferred(GLTFVectors<Float>(columns, from: 3)))))
        }
        return out
    }

    /// Joints and weights of the sets that have both.
    private func influences(_ group: GLTFGroup) -> SkinBinding? {
        var (joints, weights): ([[GLTFColumn]], [[GLTFColumn]]) = (group.positions.map { _ in [] }, group.positions.map { _ in [] })
        var sets = 0
        func columns(_ semantic: GLTFDocument.Semantic) -> [GLTFColumn]? {
            group.key.attributes.firstIndex { $0.semantic == semantic }.map { group.columns[$0] }
        }
        while let j = columns(.joints(sets)), let w = columns(.weights(sets)) {
            for i in joints.indices {
                joints[i].append(j[i])
                weights[i].append(w[i])
            }
            sets += 1
        }
        guard sets > 0 else { return nil }
        return SkinBinding(
            skeletonPath: nil,
            jointIndices: Primvar(
                name: "skel:jointIndices", interpolation: .vertex, elementSize: 4 * sets, values: .int(.deferred(GLTFJoints(joints)))),
            jointWeights: Primvar(
                name: "skel:jointWeights", interpolation: .vertex, elementSize: 4 * sets, values: .float(.deferred(GLTFWeights(weights)))))
    }

    // MARK: Lines and points

    /// The lines or points of one primitive. Points that indices name again are there again.
    private mutating func piece(
        _ mode: GLTFMode, _ vertices: GLTFVertices, _ indices: GLTFColumn?, _ material: ID<Material>?
    ) -> GLTFPiece {
        var order = indices?.integers()
        var corners = indices?.count ?? vertices.position.count
        if mode == .lines, corners % 2 != 0 {
            // An end without a beginning.
            corners -= 1
            order = order.map { Array($0.prefix(corners)) } ?? (0..<Int32(truncatingIfNeeded: corners)).map { $0 }
        }
        var primvars: [Primvar] = []
        for attribute in vertices.attributes {
            guard case .color(let set) = attribute.attribute.semantic else { continue }
            primvars.append(contentsOf: Self.colors(set, attribute.attribute.width, [attribute.column]).map { picked($0, order) })
        }
        let all = GLTFVectors<Point3f>([vertices.position])
        let points: PointArray = .float(order.map { .deferred(GLTFPicked(all: all, order: $0)) } ?? .deferred(all))
        if mode == .points {
            let id = scene.points.append(PointCloud(points: points, primvars: primvars))
            return GLTFPiece(content: .points(id), typeName: "Points", material: material)
        }
        let counts: DeferredArray<Int32>
        switch mode {
        case .lines: counts = .deferred(RepeatedArray(2, count: corners / 2))
        default: counts = .loaded(corners > 0 ? [Int32(truncatingIfNeeded: corners)] : [])
        }
        var curves = Curves(kind: .basis, points: points, curveVertexCounts: counts)
        if mode == .lineLoop { curves.wrap = "periodic" }
        curves.primvars = primvars
        return GLTFPiece(content: .curves(scene.curves.append(curves)), typeName: "Lines", material: material)
    }

    private func picked(_ primvar: Primvar, _ order: [Int32]?) -> Primvar {
        guard let order else { return primvar }
        var primvar = primvar
        primvar.indices = .loaded(order)
        return primvar
    }
}

/// Elements of an array in an order of their own; every index was held against its count.
private struct GLTFPicked<V: GLTFVector>: DeferredArraySource {
    let all: GLTFVectors<V>
    let order: [Int32]
    var count: Int { order.count }

    func load() -> [V] {
        let loaded = all.load()
        return order.map { loaded[Int($0)] }
    }
}

extension GLTFDocument.Semantic: Comparable {
    private var rank: (Int, Int) {
        switch self {
        case .position: (0, 0)
        case .normal: (1, 0)
        case .tangent: (2, 0)
        case .texcoord(let set): (3, set)
        case .color(let set): (4, set)
        case .joints(let set): (5, set)
        case .weights(let set): (6, set)
        case .other: (7, 0)
        }
    }

    static func < (a: Self, b: Self) -> Bool {
        if case .other(let x) = a, case .other(let y) = b { return x.utf8.lexicographicallyPrecedes(y.utf8) }
        return a.rank < b.rank
    }

    /// As files write it.
    var name: String {
        switch self {
        case .position: "POSITION"
        case .normal: "NORMAL"
        case .tangent: "TANGENT"
        case .texcoord(let set): "TEXCOORD_\(set)"
        case .color(let set): "COLOR_\(set)"
        case .joints(let set): "JOINTS_\(set)"
        case .weights(let set): "WEIGHTS_\(set)"
        case .other(let name): name
        }
    }
}
