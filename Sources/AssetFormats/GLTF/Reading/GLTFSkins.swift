import AssetIO
import AssetModel

extension GLTFToScene {
    /// Makes a skeleton of each skin that a mesh hangs on. It stands on a node of its own: the skin's root, else the first joint
    /// that is nothing else.
    mutating func addSkeletons() throws(AssetError) {
        for index in document.skins.indices {
            guard let meshes = skinned[index], !meshes.isEmpty else { continue }
            let skin = document.skins[index]
            let place = document.place("skins", index)
            let skeleton = try skeleton(skin, place)
            var candidates = skin.joints
            if let root = skin.skeleton { candidates.insert(root, at: 0) }
            var path: String?
            for candidate in candidates {
                guard let id = sceneNodes[candidate], case .none = scene.nodes[id].content else { continue }
                scene.nodes[id].content = .skeleton(scene.skeletons.append(skeleton))
                path = scene.nodes[id].path
                break
            }
            if path == nil {
                diagnostics.add(warn("gltf.dropped.skeleton", "no node of the skin can hold its skeleton: the skin is left out", place))
            }
            for mesh in meshes { try checkJoints(mesh, skin.joints.count, place) }
            for mesh in meshes { if path == nil { scene.meshes[mesh].skin = nil } else { scene.meshes[mesh].skin?.skeletonPath = path } }
        }
    }

    /// Points that name a joint that the skin does not have, and give it a weight.
    private mutating func checkJoints(_ mesh: ID<Mesh>, _ count: Int, _ place: SourceLocation) throws(AssetError) {
        guard let skin = scene.meshes[mesh].skin, case .int(let joints) = skin.jointIndices.values else { return }
        var highest: Int32 = 0
        try joints.forEachBlock { for joint in $0 { highest = max(highest, joint) } }
        guard Int(highest) >= count else { return }
        diagnostics.add(warn("gltf.joint-out-of-range", "joint \(highest) of a skin with \(count) joints", place))
    }

    private mutating func skeleton(_ skin: GLTFDocument.Skin, _ place: SourceLocation) throws(AssetError) -> Skeleton {
        // A joint's place in the skin, by its node in the scene.
        var order: [ID<Node>: Int] = [:]
        for (i, joint) in skin.joints.enumerated() {
            if let node = sceneNodes[joint] { if order[node] == nil { order[node] = i } }
        }
        var names: [String] = []
        var rest: [Matrix4d] = []
        for (i, joint) in skin.joints.enumerated() {
            guard let id = sceneNodes[joint] else {
                diagnostics.add(warn("gltf.joint-not-shown", "joint \(joint) is not in the scene that is shown", place))
                names.append("joint\(i)")
                rest.append(.identity)
                continue
            }
            var local = scene.nodes[id].localTransform
            var above = scene.nodes[id].parent
            // Nodes between two joints move the lower one with it.
            while let parent = above, order[parent] == nil {
                local = local * scene.nodes[parent].localTransform
                above = scene.nodes[parent].parent
            }
            names.append(scene.nodes[id].path)
            rest.append(local)
        }
        names = Self.relative(names)
        return Skeleton(joints: names, bindTransforms: try bindTransforms(skin, place), restTransforms: rest)
    }

    /// Joints by their paths below the node that all of them share.
    private static func relative(_ paths: [String]) -> [String] {
        let parts = paths.map { $0.split(separator: "/") }
        guard var common = parts.first?.dropLast() else { return paths }
        for part in parts.dropFirst() {
            let folder = part.dropLast()
            var n = 0
            for (a, b) in zip(common, folder) {
                guard a == b else { break }
                n += 1
            }
            common = common.prefix(n)
        }
        return parts.map { $0.dropFirst(common.count).joined(separator: "/") }
    }

    /// Where joints were when the mesh was bound: the inverses of the file's inverses.
    private mutating func bindTransforms(_ skin: GLTFDocument.Skin, _ place: SourceLocation) throws(AssetError) -> [Matrix4d] {
        guard let accessor = skin.inverseBindMatrices else { return [Matrix4d](repeating: .identity, count: skin.joints.count) }
        let column = try accessors.column(accessor, &diagnostics)
        guard column.width == 16, column.count >= skin.joints.count else {
            diagnostics.add(
                warn(
                    "gltf.wrong-length",
                    "the inverse bind matrices are \(column.count) of \(column.width) numbers, expected \(skin.joints.count) of 16: left out", place))
            return [Matrix4d](repeating: .identity, count: skin.joints.count)
        }
        let numbers = column.floats()
        var singular = 0
        let all = skin.joints.indices.map { i in
            let inverse = Matrix4d(numbers[(i * 16)..<(i * 16 + 16)].map { Double($0) })?.inverse
            if inverse == nil { singular += 1 }
            return inverse ?? .identity
        }
        if singular > 0 {
            diagnostics.add(warn("gltf.singular-bind", "\(singular) inverse bind matrices have no inverse, taken as none", place))
        }
        return all
    }
}
