import AssetIO
import AssetModel

extension GLTFToScene {
    /// Makes a skeleton of each skin that a mesh hangs on. It stands on a node that is nothing else: the skin's root, else the closest
    /// node above its joints, else a joint.
    mutating func addSkeletons() throws(AssetError) {
        for index in document.skins.indices {
            guard let meshes = skinned[index], !meshes.isEmpty else { continue }
            let skin = document.skins[index]
            let place = document.place("skins", index)
            for mesh in meshes { checkJoints(mesh, skin.joints.count, place) }
            guard let home = home(skin) else {
                diagnostics.add(warn("gltf.dropped.skeleton", "no node of the skin can hold its skeleton: the skin is left out", place))
                for mesh in meshes { scene.meshes[mesh].skin = nil }
                continue
            }
            let bind = try bindTransforms(skin, place)
            let nodes = jointNodes(skin)
            for (joint, node) in zip(skin.joints, nodes) where node == nil {
                diagnostics.add(warn("gltf.joint-not-shown", "joint \(joint) is not in the scene that is shown", place))
            }
            let skeleton = Self.skeleton(nodes, bind, home, scene.nodes)
            scene.nodes[home].content = .skeleton(scene.skeletons.append(skeleton))
            for mesh in meshes { scene.meshes[mesh].skin?.skeletonPath = scene.nodes[home].path }
        }
    }

    /// The node that holds the skeleton.
    private func home(_ skin: GLTFDocument.Skin) -> ID<Node>? {
        func isFree(_ id: ID<Node>) -> Bool { if case .none = scene.nodes[id].content { true } else { false } }
        let nodes = jointNodes(skin)
        let joints = Set(nodes.compactMap { $0 })
        var second: ID<Node>?
        if let number = skin.skeleton, let root = sceneNodes[number], isFree(root) {
            if !joints.contains(root) { return root }
            second = root
        }
        // Nodes above all joints are above the first one.
        if let first = nodes.first ?? nil {
            var above = scene.nodes[first].parent
            while let node = above {
                let last = Int(node.index) + scene.nodes[node].descendantCount
                let holdsAll = joints.allSatisfy { Int($0.index) > Int(node.index) && Int($0.index) <= last }
                if holdsAll, !joints.contains(node), isFree(node) { return node }
                above = scene.nodes[node].parent
            }
        }
        return second ?? nodes.lazy.compactMap { $0 }.first(where: isFree)
    }

    /// The nodes of a skin's joints; nil for those that are not shown.
    private func jointNodes(_ skin: GLTFDocument.Skin) -> [ID<Node>?] {
        var nodes: [ID<Node>?] = []
        for joint in skin.joints { nodes.append(sceneNodes[joint]) }
        return nodes
    }

    /// Points that name a joint that the skin does not have.
    private mutating func checkJoints(_ mesh: ID<Mesh>, _ count: Int, _ place: GLTFPlace) {
        guard let joints = skinJoints[mesh], let strangers = joints.strangers() else { return }
        diagnostics.add(
            warn(
                "gltf.joint-out-of-range",
                "joint \(strangers.first) of a skin with \(count) joints, and \(strangers.count - 1) more like it: their weights are left out", place)
        )
    }

    /// - Parameter joints: the joints' nodes; nil for those that are not shown.
    private static func skeleton(_ joints: [ID<Node>?], _ bind: [Matrix4d], _ home: ID<Node>, _ nodes: Table<Node>) -> Skeleton {
        let shown = Set(joints.compactMap { $0 })
        // Transforms of the outermost joints count from the skeleton's node.
        let fromWorld = nodes[home].worldTransform.inverse ?? .identity
        var names: [String] = []
        var rest: [Matrix4d] = []
        for (i, joint) in joints.enumerated() {
            guard let joint else {
                names.append("joint\(i)")
                rest.append(.identity)
                continue
            }
            var local = nodes[joint].localTransform
            var above = nodes[joint].parent
            // Nodes between two joints move the lower one with it.
            while let parent = above, !shown.contains(parent) {
                local = local * nodes[parent].localTransform
                above = nodes[parent].parent
            }
            if above == nil { local = local * fromWorld }
            names.append(nodes[joint].path)
            rest.append(local)
        }
        var skeleton = Skeleton(joints: relative(names), bindTransforms: bind, restTransforms: rest)
        skeleton.jointNodes = joints
        return skeleton
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
    private mutating func bindTransforms(_ skin: GLTFDocument.Skin, _ place: GLTFPlace) throws(AssetError) -> [Matrix4d] {
        guard let accessor = skin.inverseBindMatrices else { return [Matrix4d](repeating: .identity, count: skin.joints.count) }
        let column = try accessors.column(accessor, &diagnostics)
        guard column.width == 16, column.count >= skin.joints.count else {
            diagnostics.add(
                warn(
                    "gltf.wrong-length",
                    "the inverse bind matrices are \(column.count) of \(column.width) numbers, expected \(skin.joints.count) of 16: left out", place))
            return [Matrix4d](repeating: .identity, count: skin.joints.count)
        }
        let count = skin.joints.count
        let numbers = column.floats()
        var singular = 0
        var all: [Matrix4d] = []
        all.reserveCapacity(count)
        for i in 0..<count {
            func row(_ k: Int) -> SIMD4<Double> {
                let at = i * 16 + k * 4
                return SIMD4(Double(numbers[at]), Double(numbers[at + 1]), Double(numbers[at + 2]), Double(numbers[at + 3]))
            }
            if let inverse = Matrix4d(row(0), row(1), row(2), row(3)).inverse {
                all.append(inverse)
            } else {
                singular += 1
                all.append(.identity)
            }
        }
        if singular > 0 {
            diagnostics.add(warn("gltf.singular-bind", "\(singular) inverse bind matrices have no inverse, taken as none", place))
        }
        return all
    }
}
