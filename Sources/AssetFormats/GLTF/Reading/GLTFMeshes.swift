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
    var variants: [VariantMaterial] = []
    /// Whether the mesh has blend shapes.
    var blends = false
}

/// What a primitive is drawn with.
struct GLTFPaint: Hashable {
    var material: ID<Material>?
    var variants: [VariantMaterial] = []
}

/// Primitives of triangles that have the same attributes, and become one mesh.
struct GLTFGroup {
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
        /// The view of packed ones.
        var draco: Int?
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
    var materials: [(paint: GLTFPaint, faces: GLTFFaces)] = []
    var hasMaterial: [GLTFPaint: Int] = [:]

    init(_ key: Key) {
        self.key = key
        columns = key.attributes.map { _ in [] }
        targets = key.targets.map { $0.map { _ in [] } }
    }
}

/// A primitive's accessors, held against each other.
struct GLTFVertices {
    var position: GLTFColumn
    var positionAccessor: Int
    var draco: GLTFDocument.Draco?
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
            let place = document.place("meshes", mesh, "primitives", index - source.primitives.lowerBound)
            guard let mode = GLTFMode(rawValue: primitive.mode) else {
                diagnostics.add(warn("gltf.bad-mode", "the mode is \(primitive.mode), expected 0 to 6: the primitive is left out", place))
                continue
            }
            guard let vertices = try vertices(primitive, skin: skin, place) else { continue }
            let (indices, fault) = try indices(primitive, vertices, place)
            let paint = paint(primitive, place)
            guard mode.isTriangles else {
                if let fault { throw fault }
                var piece = piece(mode, vertices, indices, paint.material)
                piece.variants = paint.variants
                others.append(piece)
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
            // Packed faces are triangles, whatever they are to be drawn as.
            try add(vertices, vertices.draco == nil ? mode : .triangles, indices, fault, paint, to: &groups[at], place)
        }
        var all: [GLTFPiece] = []
        for group in groups { all.append(finish(group, source, skin)) }
        all.append(contentsOf: others)
        pieces[key] = all
        return all
    }

    private mutating func paint(_ primitive: GLTFDocument.Primitive, _ place: GLTFPlace) -> GLTFPaint {
        var paint = GLTFPaint(material: material(primitive.material, place))
        for mapping in primitive.mappings {
            guard let material = material(mapping.material, place) else { continue }
            for variant in mapping.variants {
                guard variant < scene.materialVariants.count else {
                    diagnostics.add(warn("gltf.bad-reference", "variant \(variant) is asked for, there are \(scene.materialVariants.count)", place))
                    continue
                }
                // Of two for one variant the first counts.
                if paint.variants.contains(where: { $0.variant == variant }) { continue }
                paint.variants.append(VariantMaterial(variant: variant, material: material))
            }
        }
        paint.variants.sort { $0.variant < $1.variant }
        return paint
    }

    private mutating func material(_ index: Int?, _ place: GLTFPlace) -> ID<Material>? {
        guard let index else { return nil }
        if materials.indices.contains(index) { return materials[index] }
        diagnostics.add(warn("gltf.bad-reference", "material \(index) is asked for, there are \(materials.count)", place))
        return nil
    }

    // MARK: Accessors

    /// The accessors of a primitive; nil where it has no positions.
    private mutating func vertices(
        _ primitive: GLTFDocument.Primitive, skin: Int?, _ place: GLTFPlace
    ) throws(AssetError) -> GLTFVertices? {
        guard let position = document.attributes[primitive.attributes].first(where: { $0.semantic == .position }) else {
            diagnostics.add(warn("gltf.no-positions", "the primitive has no positions and is left out", place))
            return nil
        }
        let draco = try draco(primitive, place)
        let column = try column(position, draco, place)
        guard column.width == 3 else {
            throw AssetError(
                "gltf.bad-accessor", "positions have \(column.width) components, expected 3", at: document.place("accessors", position.accessor))
        }
        var out = GLTFVertices(position: column, positionAccessor: position.accessor, draco: draco)
        let isSkinned = skin != nil
        for attribute in document.attributes[primitive.attributes] where attribute.semantic != .position {
            switch attribute.semantic {
            case .joints, .weights: if !isSkinned { continue }
            default: if !options.wantsMeshPrimvars { continue }
            }
            let column = try self.column(attribute, draco, place)
            guard fits(column, attribute.semantic, points: out.position.count, place) else { continue }
            out.attributes.append((GLTFGroup.Attribute(semantic: attribute.semantic, width: column.width), attribute.accessor, column))
        }
        // Files name attributes in any order.
        out.attributes.sort { $0.attribute.semantic < $1.attribute.semantic }
        for target in primitive.targets {
            var columns: [(GLTFDocument.Semantic, Int, GLTFColumn)] = []
            for attribute in document.attributes[target] {
                guard attribute.semantic == .position || attribute.semantic == .normal else {
                    diagnostics.add(warn("gltf.dropped.target", "\(attribute.semantic.name) of morph targets is left out", place))
                    continue
                }
                let column = try accessors.column(attribute.accessor, &diagnostics)
                guard fits(column, attribute.semantic, points: out.position.count, place) else { continue }
                columns.append((attribute.semantic, attribute.accessor, column))
            }
            columns.sort { $0.0 < $1.0 }
            out.targets.append(columns)
        }
        return out
    }

    /// Where the primitive lies packed; nil where it does not, or where its plain form is all that can be read.
    private mutating func draco(_ primitive: GLTFDocument.Primitive, _ place: GLTFPlace) throws(AssetError) -> GLTFDocument.Draco? {
        guard let draco = primitive.draco else { return nil }
        do throws(AssetError) {
            _ = try accessors.draco(draco.view, place, &diagnostics)
            return draco
        } catch {
            let all = document.attributes[primitive.attributes].map(\.accessor) + (primitive.indices.map { [$0] } ?? [])
            let isPlain = all.allSatisfy { document.accessors.indices.contains($0) && document.accessors[$0].bufferView != nil }
            guard isPlain, !document.extensionsRequired.contains("KHR_draco_mesh_compression") else { throw error }
            var warning = error.diagnostic
            warning.severity = .warning
            warning.message += ": its plain form is taken"
            diagnostics.add(warning)
            return nil
        }
    }

    private mutating func column(
        _ attribute: GLTFDocument.Attribute, _ draco: GLTFDocument.Draco?, _ place: GLTFPlace
    ) throws(AssetError) -> GLTFColumn {
        if let draco, let id = draco.ids[attribute.semantic] {
            return try accessors.column(attribute.accessor, draco: draco.view, id: id, place, &diagnostics)
        }
        return try accessors.column(attribute.accessor, &diagnostics)
    }

    /// Whether an attribute has an element for each point, of a width that it may have; else it is left out.
    private mutating func fits(_ column: GLTFColumn, _ semantic: GLTFDocument.Semantic, points: Int, _ place: GLTFPlace) -> Bool {
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
        _ primitive: GLTFDocument.Primitive, _ vertices: GLTFVertices, _ place: GLTFPlace
    ) throws(AssetError) -> (column: GLTFColumn?, fault: AssetError?) {
        if let draco = vertices.draco {
            let column = try accessors.indices(draco: draco.view, place, &diagnostics)
            try accessors.buffers.budget.take(elements: column.count, place)
            return (column, nil)
        }
        guard let index = primitive.indices else { return (nil, nil) }
        let points = vertices.position.count
        let column = try accessors.column(index, &diagnostics)
        try accessors.buffers.budget.take(elements: column.count, place)
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
        _ vertices: GLTFVertices, _ mode: GLTFMode, _ indices: GLTFColumn?, _ fault: AssetError?, _ paint: GLTFPaint,
        to group: inout GLTFGroup, _ place: GLTFPlace
    ) throws(AssetError) {
        let key = GLTFGroup.Vertices(
            accessors: [vertices.positionAccessor] + vertices.attributes.map(\.accessor), targets: vertices.targets.map { $0.map(\.accessor) },
            draco: vertices.draco?.view)
        let base: Int32
        if let known = group.bases[key] {
            base = known
        } else {
            let after = group.pointCount.adding(checked: vertices.position.count) ?? .max
            guard let first = Int32(exactly: group.pointCount), after <= Int(Int32.max) else {
                throw AssetError("gltf.too-many-points", "the mesh has more than \(Int32.max) points", at: place)
            }
            let columns = 1 + vertices.attributes.count + vertices.targets.reduce(0) { $0 + $1.count }
            try accessors.buffers.budget.take(elements: vertices.position.count.multiplied(checked: columns) ?? .max, place)
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
            diagnostics.add(
                warn("gltf.incomplete-triangle", "\(part.corners) corners, expected a multiple of 3: the last triangle is left out", place))
        }
        guard part.triangles <= (Int(Int32.max) / 3) - group.faceCount else {
            throw AssetError("gltf.too-many-points", "the mesh has more than \(Int32.max) corners", at: place)
        }
        guard part.triangles > 0 else { return }
        group.triangles.append(part)
        let at: Int
        if let known = group.hasMaterial[paint] {
            at = known
        } else {
            at = group.materials.count
            group.hasMaterial[paint] = at
            group.materials.append((paint, GLTFFaces()))
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
        let influences = skin.flatMap { skinBinding(group, document.skins[$0].joints.count) }
        mesh.skin = influences?.binding
        var piece = GLTFPiece(content: .none, typeName: "Mesh")
        piece.blends = !mesh.blendShapes.isEmpty
        if group.materials.count == 1 {
            piece.material = group.materials[0].paint.material
            piece.variants = group.materials[0].paint.variants
        } else {
            var names = UniqueNames()
            for (paint, faces) in group.materials {
                guard paint.material != nil || !paint.variants.isEmpty else { continue }
                let name = paint.material.map { scene.materials[$0].name } ?? ""
                let subset = name.isEmpty ? names.unique(made: "material") : names.unique(Self.pathName(name))
                mesh.subsets.append(GeomSubset(name: subset, family: "materialBind", faces: .deferred(faces)))
                for var change in paint.variants {
                    change.subset = piece.subsets.count
                    piece.variants.append(change)
                }
                piece.subsets.append(paint.material)
            }
        }
        let id = scene.meshes.append(mesh)
        if let skin, let influences {
            skinned[skin, default: []].append(id)
            skinJoints[id] = influences.joints
        }
        piece.content = .mesh(id)
        return piece
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
