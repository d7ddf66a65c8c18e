/// Every promise of the model, checked. Whatever a file holds, a scene that a reader returns keeps the promises of
/// `.structure`; those of `.geometry` are kept by scenes of sound files only, since readers hand on what was written.
///
/// Tests and fuzzers call this on every scene they read; debug builds do after each read.
public enum SceneInvariants {
    public enum Level: Sendable {
        /// Order, links, names and counts of the scene itself. Loads nothing.
        case structure
        /// The above, and that array lengths and indices agree with each other and numbers are finite. Loads arrays.
        case geometry
    }

    /// A promise that was broken, and where.
    public struct Violation: Hashable, Sendable, CustomStringConvertible {
        public var message: String
        public var path: String
        public var description: String { "<\(path)>: \(message)" }
    }

    /// All broken promises, at most `limit` of them, in the order of the scene's tables.
    public static func violations(in scene: Scene, level: Level = .structure, limit: Int = 100) -> [Violation] {
        var check = Check(scene: scene, limit: limit)
        check.nodes()
        check.contents()
        check.materials()
        check.meshes()
        check.others()
        if level == .geometry {
            check.transforms()
            check.geometry()
        }
        return check.found
    }
}

extension SceneInvariants {
    fileprivate struct Check {
        let scene: Scene
        let limit: Int
        var found: [Violation] = []

        mutating func require(_ holds: Bool, _ path: @autoclosure () -> String, _ message: @autoclosure () -> String) {
            if !holds, found.count < limit { found.append(Violation(message: message(), path: path())) }
        }
    }
}

// MARK: - Structure

extension SceneInvariants.Check {
    /// Depth-first order, parents, counts, unique paths.
    mutating func nodes() {
        var paths = Set<String>(minimumCapacity: scene.nodes.count)
        // The nodes above the current one: index, and the index after its last descendant.
        var open: [(index: Int, end: Int)] = []
        for (i, node) in scene.nodes.enumerated() {
            while let last = open.last, last.end <= i { open.removeLast() }
            require(node.parent.map { Int($0.index) } == open.last?.index, node.path, "parent is not the node that the order puts above it")
            require(node.depth == open.count, node.path, "depth is \(node.depth), expected \(open.count)")
            let end = i + 1 + max(0, node.descendantCount)
            let outer = open.last?.end ?? scene.nodes.count
            require(
                node.descendantCount >= 0 && end <= outer, node.path,
                "descendant count is \(node.descendantCount), at most \(outer - i - 1) nodes follow below its parent")
            require(node.path.hasPrefix("/") && node.path.utf8.count > 1, node.path, "path is not absolute")
            require(paths.insert(node.path).inserted, node.path, "path is used twice")
            if let parent = open.last {
                require(
                    node.path.utf8.starts(with: (scene.nodes[parent.index].path + "/").utf8), node.path,
                    "path does not lie below its parent's")
            }
            open.append((i, min(end, outer)))
        }
    }

    /// Links from nodes to the tables.
    mutating func contents() {
        for node in scene.nodes {
            var subsets = 0
            let inside: Bool
            switch node.content {
            case .none, .implicit: inside = true
            case .mesh(let id):
                inside = scene.meshes.contains(id)
                if inside { subsets = scene.meshes[id].subsets.count }
            case .curves(let id): inside = scene.curves.contains(id)
            case .points(let id): inside = scene.points.contains(id)
            case .instancer(let id): inside = scene.instancers.contains(id)
            case .camera(let id): inside = scene.cameras.contains(id)
            case .light(let id): inside = scene.lights.contains(id)
            case .skeleton(let id): inside = scene.skeletons.contains(id)
            }
            require(inside, node.path, "content is outside its table")
            for material in [node.material, node.previewMaterial] + node.subsetMaterials + node.subsetPreviewMaterials {
                require(material.map(scene.materials.contains) ?? true, node.path, "material is outside its table")
            }
            for bindings in [node.subsetMaterials, node.subsetPreviewMaterials] {
                require(bindings.count == subsets, node.path, "\(bindings.count) subset materials for \(subsets) subsets")
            }
            for set in node.variantSets {
                require(Set(set.choices).count == set.choices.count, node.path, "variant set \(set.name) names a choice twice")
            }
            for change in node.variantMaterials {
                require(
                    scene.materialVariants.indices.contains(change.variant) && scene.materials.contains(change.material), node.path,
                    "a variant's material is outside its table")
                require(change.subset.map { $0 >= 0 && $0 < subsets } ?? true, node.path, "a variant's subset is outside its mesh")
            }
            for primvar in node.inheritedPrimvars { self.primvar(primvar, node.path) }
        }
    }

    mutating func materials() {
        var paths = Set<String>()
        for material in scene.materials {
            require(paths.insert(material.path).inserted, material.path, "material path is used twice")
            let names = material.inputs.map(\.name)
            require(
                zip(names, names.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }, material.path,
                "inputs are not in name order")
            for input in material.inputs {
                require(
                    input.value != nil || input.texture != nil, material.path, "input \(input.name) has neither value nor texture")
                binding(input.texture, material.path)
            }
            guard let surface = material.surface else { continue }
            for texture in [
                surface.diffuseColor.texture, surface.metallic.texture, surface.roughness.texture, surface.specularColor.texture,
                surface.emissiveColor.texture, surface.opacity.texture, surface.normal.texture, surface.occlusion.texture,
                surface.clearcoat.texture, surface.clearcoatRoughness.texture, surface.displacement.texture,
            ] { binding(texture, material.path) }
        }
    }

    private mutating func binding(_ binding: TextureBinding?, _ path: String) {
        guard let binding else { return }
        require(scene.textures.contains(binding.texture), path, "texture is outside its table")
        require(["r", "g", "b", "a", "rgb"].contains(binding.output), path, "texture output is \"\(binding.output)\"")
    }

    private mutating func primvar(_ primvar: Primvar, _ path: String) {
        require(!primvar.name.isEmpty, path, "primvar has no name")
        require(primvar.elementSize >= 1, path, "primvar \(primvar.name) has element size \(primvar.elementSize)")
    }

    mutating func meshes() {
        for (i, mesh) in scene.meshes.enumerated() {
            let path = "mesh \(i)"
            for primvar in mesh.primvars { self.primvar(primvar, path) }
            require(Set(mesh.primvars.map(\.name)).count == mesh.primvars.count, path, "two primvars have the same name")
            require(mesh.blendShapes.count <= mesh.blendShapeCount, path, "more blend shapes than the source names")
            if let normals = mesh.normals {
                if case .float3 = normals.values {} else { require(false, path, "normals are not float triples") }
            }
        }
        for (i, curves) in scene.curves.enumerated() { for primvar in curves.primvars { self.primvar(primvar, "curves \(i)") } }
        for (i, points) in scene.points.enumerated() { for primvar in points.primvars { self.primvar(primvar, "points \(i)") } }
    }

    mutating func others() {
        for (i, instancer) in scene.instancers.enumerated() {
            let (path, count) = ("instancer \(i)", instancer.protoIndices.count)
            require(
                instancer.transforms.isEmpty || instancer.transforms.count == count, path,
                "\(instancer.transforms.count) transforms for \(count) instances")
            for masked in instancer.maskedInstances {
                require(masked >= 0 && masked < count, path, "masked instance \(masked) of \(count)")
            }
        }
        for clip in scene.animations {
            for track in clip.tracks {
                let path = "\(track.targetPath).\(track.property)"
                require(zip(track.times, track.times.dropFirst()).allSatisfy { $0 < $1 }, path, "times do not grow")
                require(
                    track.times.isEmpty ? track.values.isEmpty : track.values.count % track.times.count == 0, path,
                    "\(track.values.count) values for \(track.times.count) times")
            }
        }
        require(scene.metadata.upAxis != "", "/", "the up axis is empty")
        require(scene.source.byteCount >= 0, "/", "the source has a negative size")
        require(!scene.source.format.isEmpty, "/", "the source has no format")
    }
}

// MARK: - Geometry

extension SceneInvariants.Check {
    /// Finite, and worlds that are what the locals give.
    mutating func transforms() {
        var worlds: [Matrix4d] = []
        worlds.reserveCapacity(scene.nodes.count)
        for node in scene.nodes {
            let above = node.parent.flatMap { Int($0.index) < worlds.count ? worlds[Int($0.index)] : nil } ?? .identity
            guard node.isTransformable else {
                worlds.append(above)
                continue
            }
            let expected = node.resetsTransformStack ? node.localTransform : node.localTransform * above
            let (a, b) = (node.worldTransform.elements, expected.elements)
            require(a.allSatisfy(\.isFinite) && b.allSatisfy(\.isFinite), node.path, "transform is not finite")
            let size = b.reduce(1) { max($0, $1.magnitude) }
            require(zip(a, b).allSatisfy { ($0 - $1).magnitude <= size * 1e-9 }, node.path, "world transform is not local times parent's")
            worlds.append(node.worldTransform)
        }
    }

    mutating func geometry() {
        for (i, mesh) in scene.meshes.enumerated() { geometry(of: mesh, "mesh \(i)") }
        for (i, curves) in scene.curves.enumerated() {
            guard let counts = try? curves.curveVertexCounts.load() else { continue }
            let used = counts.reduce(0) { $0 + Int($1) }
            require(used == curves.points.count, "curves \(i)", "curves use \(used) points of \(curves.points.count)")
        }
        for (i, instancer) in scene.instancers.enumerated() {
            let (path, count) = ("instancer \(i)", instancer.protoIndices.count)
            for index in instancer.protoIndices {
                require(
                    index >= 0 && index < instancer.prototypePaths.count, path,
                    "prototype \(index) of \(instancer.prototypePaths.count)")
            }
            for (what, length) in [
                ("positions", instancer.positions.count), ("orientations", instancer.orientations.count),
                ("scales", instancer.scales.count), ("ids", instancer.ids.count),
            ] {
                let isOptional = what != "positions"
                require((isOptional && length == 0) || length == count, path, "\(length) \(what) for \(count) instances")
            }
        }
        for (i, skeleton) in scene.skeletons.enumerated() {
            require(
                skeleton.jointNodes.isEmpty || skeleton.jointNodes.count == skeleton.joints.count, "skeleton \(i)",
                "\(skeleton.jointNodes.count) nodes for \(skeleton.joints.count) joints")
            require(skeleton.jointNodes.allSatisfy { $0.map(scene.nodes.contains) ?? true }, "skeleton \(i)", "a joint's node is outside its table")
            for length in [skeleton.bindTransforms.count, skeleton.restTransforms.count] {
                require(
                    length == 0 || length == skeleton.joints.count, "skeleton \(i)",
                    "\(length) transforms for \(skeleton.joints.count) joints")
            }
        }
    }

    private mutating func geometry(of mesh: Mesh, _ path: String) {
        guard let counts = try? mesh.faceVertexCounts.load(), let indices = try? mesh.faceVertexIndices.load() else {
            require(false, path, "topology cannot be loaded")
            return
        }
        require(counts.allSatisfy { $0 >= 0 }, path, "a face has a negative number of corners")
        let corners = counts.reduce(0) { $0 + Int($1) }
        require(corners == indices.count, path, "faces have \(corners) corners, there are \(indices.count) indices")
        require(indices.allSatisfy { $0 >= 0 && Int($0) < mesh.points.count }, path, "an index is outside the \(mesh.points.count) points")
        for hole in mesh.holeIndices { require(hole >= 0 && hole < counts.count, path, "hole \(hole) of \(counts.count) faces") }
        for subset in mesh.subsets {
            guard let faces = try? subset.faces.load() else { continue }
            require(faces.allSatisfy { $0 >= 0 && $0 < counts.count }, path, "subset \(subset.name) names a face that is not there")
        }
        for primvar in mesh.primvars + (mesh.normals.map { [$0] } ?? []) {
            let expected: Int
            switch primvar.interpolation {
            case .constant: expected = 1
            case .uniform: expected = counts.count
            case .varying, .vertex: expected = mesh.points.count
            case .faceVarying: expected = indices.count
            }
            if let lookup = primvar.indices {
                guard let lookup = try? lookup.load() else { continue }
                let available = primvar.values.count / primvar.elementSize
                require(lookup.count == expected, path, "primvar \(primvar.name) has \(lookup.count) indices, expected \(expected)")
                require(
                    lookup.allSatisfy { $0 >= 0 && $0 < available }, path,
                    "primvar \(primvar.name) has an index outside its \(available) values")
            } else {
                require(
                    primvar.values.count == expected * primvar.elementSize, path,
                    "primvar \(primvar.name) has \(primvar.values.count) values, expected \(expected * primvar.elementSize)")
            }
        }
    }
}
