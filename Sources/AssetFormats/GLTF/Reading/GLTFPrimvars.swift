import AssetModel

extension GLTFToScene {
    mutating func add(_ attribute: GLTFGroup.Attribute, _ columns: [GLTFColumn], to mesh: inout Mesh) {
        switch attribute.semantic {
        case .position, .joints, .weights: break
        case .normal:
            mesh.normals = Primvar(
                name: "normals", role: .normal, interpolation: .vertex, values: .float3(.deferred(GLTFVectors(columns))))
        case .tangent:
            mesh.primvars.append(
                Primvar(name: "tangents", role: .vector, interpolation: .vertex, values: .float4(.deferred(GLTFVectors(columns, flipsV: true)))))
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
    static func colors(_ set: Int, _ width: Int, _ columns: [GLTFColumn]) -> [Primvar] {
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
    func skinBinding(_ group: GLTFGroup, _ jointCount: Int) -> (binding: SkinBinding, joints: GLTFJoints)? {
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
        let indices = GLTFJoints(joints, jointCount)
        let binding = SkinBinding(
            skeletonPath: nil,
            jointIndices: Primvar(
                name: "skel:jointIndices", interpolation: .vertex, elementSize: 4 * sets, values: .int(.deferred(indices))),
            jointWeights: Primvar(
                name: "skel:jointWeights", interpolation: .vertex, elementSize: 4 * sets,
                values: .float(.deferred(GLTFWeights(weights, indices)))))
        return (binding, indices)
    }
}
