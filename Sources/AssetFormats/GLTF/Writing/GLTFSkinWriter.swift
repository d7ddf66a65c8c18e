import AssetIO
import AssetModel
import AssetOps

/// Skeletons of a scene by their paths, and the joints of each.
struct GLTFSkeletons {
    private var found: [String: (node: ID<Node>, skeleton: ID<Skeleton>)] = [:]

    init(_ scene: Scene) {
        for i in scene.nodes.indices {
            if case .skeleton(let id) = scene.nodes[i].content { found[scene.nodes[i].path] = (ID(i), id) }
        }
    }

    subscript(path: String?) -> (node: ID<Node>, skeleton: ID<Skeleton>)? { path.flatMap { found[$0] } }

    /// How many joints a mesh's influences can name; nil where its skeleton is not there.
    func jointCount(_ skin: SkinBinding, _ scene: Scene) -> Int? {
        guard let (_, id) = self[skin.skeletonPath] else { return nil }
        let count = skin.joints.isEmpty ? scene.skeletons[id].joints.count : skin.joints.count
        return count > 0 ? count : nil
    }
}

/// Skins (glTF 2.0, section 3.7.3): joints as nodes below the skeleton's, in the order in which influences count them.
extension GLTFWriter {
    private struct SkinKey: Hashable {
        var skeleton: ID<Node>
        var joints: [String]
        var geomBind: Matrix4d
    }

    mutating func addSkins() throws(AssetError) {
        var skins: [SkinKey: Int] = [:]
        for (id, index) in nodes.sorted(by: { $0.value < $1.value }) {
            guard case .mesh(let mesh) = scene.nodes[id].content, out.nodes[index].mesh != nil, let skin = scene.meshes[mesh].skin,
                meshes.skeletons.jointCount(skin, scene) != nil, let (node, skeleton) = meshes.skeletons[skin.skeletonPath]
            else { continue }
            let key = SkinKey(skeleton: node, joints: skin.joints, geomBind: skin.geomBindTransform)
            if skins[key] == nil { skins[key] = addSkin(scene.skeletons[skeleton], node, skin, scene.nodes[id]) }
            out.nodes[index].skin = skins[key]
        }
    }

    private mutating func addSkin(_ skeleton: Skeleton, _ node: ID<Node>, _ skin: SkinBinding, _ mesh: Node) -> Int {
        let all = jointNodes(skeleton, node)
        var order = Array(skeleton.joints.indices)
        if !skin.joints.isEmpty {
            var places: [String: Int] = [:]
            for (i, joint) in skeleton.joints.enumerated() where places[joint] == nil { places[joint] = i }
            order = skin.joints.map { places[$0] ?? -1 }
            let missing = order.count { $0 < 0 }
            if missing > 0 {
                diagnostics.warning(
                    "gltf.lost.joints", "\(amount(missing, "joint")) of the mesh not in its skeleton: written as the first one",
                    at: SourceLocation(file: scene.source.file, primPath: mesh.path))
            }
        }
        var matrices: [Float] = []
        var singular = 0
        for i in order {
            var inverse = Matrix4d.identity
            if i >= 0, i < skeleton.bindTransforms.count {
                if let found = skeleton.bindTransforms[i].inverse { inverse = found } else { singular += 1 }
            }
            var m = skin.geomBindTransform * inverse
            // The last row of glTF's matrices is exactly 0 0 0 1 (section 3.7.3.1).
            (m.rows.0.w, m.rows.1.w, m.rows.2.w, m.rows.3.w) = (0, 0, 0, 1)
            matrices += m.elements.map { Float($0) }
        }
        if singular > 0 {
            diagnostics.warning(
                "gltf.lost.bind-transforms", "\(amount(singular, "bind transform")) without an inverse written as none",
                at: SourceLocation(file: scene.source.file, primPath: scene.nodes[node].path))
        }
        out.skins.append(
            GLTFOutput.Skin(
                name: scene.nodes[node].name, inverseBindMatrices: out.buffer.floats(matrices, type: "MAT4", width: 16),
                joints: order.map { all[max(0, $0)] }))
        return out.skins.count - 1
    }

    /// The output's nodes of a skeleton's joints: those that the scene has, or new ones at rest.
    mutating func jointNodes(_ skeleton: Skeleton, _ node: ID<Node>) -> [Int] {
        if let known = joints[node] { return known }
        let own = skeleton.jointNodes.compactMap { $0.flatMap { nodes[$0] } }
        if own.count == skeleton.joints.count, !own.isEmpty {
            joints[node] = own
            return own
        }
        let parent = nodes[node]
        var made: [Int] = []
        let parents = Self.parents(skeleton.joints)
        for (i, path) in skeleton.joints.enumerated() {
            var local = Matrix4d.identity
            if i < skeleton.restTransforms.count {
                local = skeleton.restTransforms[i]
            } else if i < skeleton.bindTransforms.count {
                let above = parents[i].flatMap { $0 < skeleton.bindTransforms.count ? skeleton.bindTransforms[$0].inverse : nil }
                local = skeleton.bindTransforms[i] * (above ?? .identity)
            }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            // Joints stand behind their parents.
            let above = parents[i].flatMap { $0 < made.count ? made[$0] : nil } ?? parent
            made.append(add(GLTFOutput.Node(name: name.isEmpty ? "" : names.unique(name)), local, below: above))
        }
        joints[node] = made
        return made
    }

    /// The nearest joint above each, by its path.
    static func parents(_ joints: [String]) -> [Int?] {
        var places: [String: Int] = [:]
        for (i, joint) in joints.enumerated() where places[joint] == nil { places[joint] = i }
        return joints.enumerated().map { i, joint in
            var path = Substring(joint)
            while let slash = path.lastIndex(of: "/") {
                path = path[..<slash]
                if let found = places[String(path)], found != i { return found }
            }
            return nil
        }
    }
}
