import AssetIO
import AssetModel
import AssetOps

extension GLTFWriter {
    /// The nodes that are written: what has a place in space and is shown, and all that leads to it.
    mutating func addNodes() throws(AssetError) {
        let range = try filter.range(in: scene)
        let kept = keptNodes(range)
        let root = addRoot(range)
        var skipUntil = range.lowerBound
        for i in range where i >= skipUntil && kept[i - range.lowerBound] {
            let node = scene.nodes[i]
            let id = ID<Node>(i)
            let parent = node.parent.flatMap { Int($0.index) >= range.lowerBound ? nodes[$0] : nil }
            // What does not move with its parents hangs on the root.
            let isLoose = node.resetsTransformStack && parent != nil
            let transform: Matrix4d
            if i == range.lowerBound, options.nodePath != nil || isLoose {
                transform = node.worldTransform
            } else {
                transform = node.isTransformable ? (node.resetsTransformStack ? node.worldTransform : node.localTransform) : .identity
            }
            var made = GLTFOutput.Node(name: node.name.isEmpty ? "" : names.unique(node.name))
            made.extras = node.customData
            if case .instancer(let instancer) = node.content {
                skipUntil = i + 1 + max(0, node.descendantCount)
                let index = add(made, transform, below: isLoose ? root : parent ?? root)
                nodes[id] = index
                if filter.shows(node) { try addCopies(scene.instancers[instancer], id, below: index) }
                continue
            }
            if node.hasGeometry, filter.shows(node) {
                if case .mesh(let mesh) = node.content { survey.meet(mesh, scene.meshes[mesh], node) }
                made.mesh = try meshes.mesh(id, &out)
                if let mesh = made.mesh, node.blendWeights.contains(where: { $0 != 0 }), node.blendWeights.allSatisfy(\.isFinite),
                    out.meshes[mesh].targetNames.count == node.blendWeights.count
                {
                    made.weights = node.blendWeights
                }
            }
            if case .camera(let camera) = node.content { made.camera = addCamera(scene.cameras[camera], node) }
            if let light = node.light, filter.shows(node) { made.light = addLight(scene.lights[light], node) }
            nodes[id] = add(made, transform, below: isLoose ? root : parent ?? root)
        }
    }

    /// Which nodes of a range are written. Materials and other things that are nowhere in space are not, unless something within is.
    private func keptNodes(_ range: Range<Int>) -> [Bool] {
        var kept = [Bool](repeating: false, count: range.count)
        for i in range.reversed() {
            let node = scene.nodes[i]
            let k = i - range.lowerBound
            if node.isTransformable, filter.shows(node) || !node.hasGeometry && (options.includeHidden || node.isVisible || !node.isImageable) {
                kept[k] = true
            }
            if kept[k], let parent = node.parent, Int(parent.index) >= range.lowerBound { kept[Int(parent.index) - range.lowerBound] = true }
        }
        return kept
    }

    /// The node that takes the scene's numbers to metres and Y up (section 3.4); nil where they are that.
    private mutating func addRoot(_ range: Range<Int>) -> Int? {
        let m = conversion(of: scene, metersPerUnit: 1, upAxis: "Y")
        guard m != .identity, let parts = TransformParts(m) else { return nil }
        var node = GLTFOutput.Node(name: names.unique(made: "root"))
        node.transform = parts
        out.nodes.append(node)
        out.roots.append(out.nodes.count - 1)
        return out.nodes.count - 1
    }

    /// Adds a node with a transform. One that shears becomes two nodes: a scale between two rotations.
    @discardableResult
    mutating func add(_ node: GLTFOutput.Node, _ given: Matrix4d, below parent: Int?) -> Int {
        var node = node
        // OpenUSD takes the last column for what it should be.
        var transform = given
        (transform.rows.0.w, transform.rows.1.w, transform.rows.2.w, transform.rows.3.w) = (0, 0, 0, 1)
        if transform != given { losses.note("projections", at: node.name) }
        var above = parent
        if let parts = TransformParts(transform) {
            node.transform = parts
        } else if let (inner, outer) = TransformParts.pair(transform) {
            var helper = GLTFOutput.Node(name: node.name.isEmpty ? "" : names.unique(made: node.name + "_shear"))
            helper.transform = outer
            above = append(helper, below: parent)
            node.transform = inner
        } else {
            diagnostics.warning(
                "gltf.lost.transform", "a transform that is not finite is left out",
                at: SourceLocation(file: scene.source.file, primPath: node.name))
        }
        return append(node, below: above)
    }

    private mutating func append(_ node: GLTFOutput.Node, below parent: Int?) -> Int {
        out.nodes.append(node)
        let index = out.nodes.count - 1
        if let parent { out.nodes[parent].children.append(index) } else { out.roots.append(index) }
        return index
    }

    // MARK: Copies

    /// The copies of a point instancer below its node.
    private mutating func addCopies(_ instancer: PointInstancer, _ id: ID<Node>, below parent: Int) throws(AssetError) {
        // What is drawn comes in the world's space: what stands between is the instancer's own place.
        guard let inverse = scene.nodes[id].worldTransform.inverse else {
            diagnostics.warning(
                "gltf.lost.instances", "the copies of an instancer without extent are not written",
                at: SourceLocation(file: scene.source.file, primPath: scene.nodes[id].path))
            return
        }
        var own = filter
        own.nodePath = scene.nodes[id].path
        var groups: [ID<Node>: [Matrix4d]] = [:]
        var order: [ID<Node>] = []
        let draws = DrawList(scene, filter: own)
        try draws.forEach { item throws(AssetError) in
            if groups[item.node] == nil { order.append(item.node) }
            groups[item.node, default: []].append(item.transform * inverse)
        }
        for node in order {
            if case .mesh(let mesh) = scene.nodes[node].content { survey.meet(mesh, scene.meshes[mesh], scene.nodes[node]) }
            let transforms = groups[node] ?? []
            if options.instancing == .bake, let mesh = try meshes.bakedMesh(node, transforms, &out) {
                var made = GLTFOutput.Node(name: scene.nodes[node].name.isEmpty ? "" : names.unique(made: scene.nodes[node].name))
                made.mesh = mesh
                add(made, .identity, below: parent)
                continue
            }
            guard let mesh = try meshes.mesh(node, &out) else { continue }
            addCopies(transforms, of: mesh, scene.nodes[node], below: parent)
        }
    }

    private mutating func addCopies(_ transforms: [Matrix4d], of mesh: Int, _ node: Node, below parent: Int) {
        if options.instancing == .gpu {
            let parts = transforms.compactMap { TransformParts($0) }
            if parts.count == transforms.count {
                var made = GLTFOutput.Node(name: node.name.isEmpty ? "" : names.unique(made: node.name))
                made.mesh = mesh
                made.instancing = instancing(parts)
                out.use("EXT_mesh_gpu_instancing", isRequired: true)
                add(made, .identity, below: parent)
                return
            }
            losses.note("shears", at: node.path, count: transforms.count - parts.count)
        }
        for transform in transforms {
            var made = GLTFOutput.Node(name: node.name.isEmpty ? "" : names.unique(made: node.name))
            made.mesh = mesh
            add(made, transform, below: parent)
        }
    }

    private mutating func instancing(_ parts: [TransformParts]) -> [(attribute: String, accessor: Int)] {
        func vector(_ v: Vector3d) -> Vector3f { Vector3f(Float(v.x), Float(v.y), Float(v.z)) }
        var list: [(attribute: String, accessor: Int)] = []
        list.append(("TRANSLATION", out.buffer.vectors(parts.map { vector($0.translation) }, target: nil)))
        list.append(
            (
                "ROTATION",
                out.buffer.vectors(
                    parts.map { Vector4f(Float($0.rotation.x), Float($0.rotation.y), Float($0.rotation.z), Float($0.rotation.w)) }, target: nil)
            ))
        list.append(("SCALE", out.buffer.vectors(parts.map { vector($0.scale) }, target: nil)))
        return list
    }
}
