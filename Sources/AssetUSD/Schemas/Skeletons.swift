import AssetModel

/// What a mesh's own primvars say about its skin; the skeleton may come from above.
struct OwnSkin {
    var jointIndices: Primvar?
    var jointWeights: Primvar?
    var joints: [String] = []
    var geomBindTransform = Matrix4d.identity
}

struct SkinnedMeshKey: Hashable {
    var mesh: Int32
    var skeleton: Path
    var indicesFrom: Int32
}

extension SceneReader {
    func readSkeleton(_ prim: StagePrim) throws(AssetError) -> Skeleton {
        let joints = try ArrayValues.strings(stage.value(prim, .joints, at: .default), session)
        let bind = try ArrayValues.matrices(stage.value(prim, .bindTransforms, at: .default))
        let rest = try ArrayValues.matrices(stage.value(prim, .restTransforms, at: .default))
        for (name, count) in [("bindTransforms", bind.count), ("restTransforms", rest.count)] where count != 0 && count != joints.count {
            warn("usd.skeleton.wrong-length", "\(count) \(name) for \(amount(joints.count, "joint"))", prim)
        }
        return Skeleton(joints: joints, bindTransforms: bind, restTransforms: rest)
    }

    /// The skin primvars of a prim; nil where it has none.
    func readSkin(_ prim: StagePrim, _ facts: PrimFacts) throws(AssetError) -> OwnSkin? {
        if facts.primvars.isEmpty || !facts.primvars.contains(where: { $0.primvar.name.hasPrefix("skel:") }) { return nil }
        var skin = OwnSkin()
        for own in facts.primvars {
            switch own.name {
            case .primvarsSkelJointIndices: skin.jointIndices = own.primvar
            case .primvarsSkelJointWeights: skin.jointWeights = own.primvar
            case .primvarsSkelGeomBindTransform:
                if case .double(let v) = own.primvar.values { skin.geomBindTransform = Matrix4d(try v.load()) ?? .identity }
            default: break
            }
        }
        skin.joints = try ArrayValues.strings(stage.value(prim, .skelJoints, at: .default), session)
        return skin
    }

    /// The skeleton a prim names holds for everything below it.
    func handDownSkeleton(_ i: Int, _ facts: PrimFacts, _ prim: StagePrim) {
        let parent = Int(visits[i].parent)
        skelFrames[i] = parent < 0 ? -1 : skelFrames[parent]
        guard facts.hasSkeletonRelationship, let path = stage.forwardedTargets(prim, .skelSkeleton).first else { return }
        skelFrames[i] = Int32(skelPaths.count)
        skelPaths.append(path)
    }

    /// The mesh with its skin: joint influences are its own or a constant primvar from above, the skeleton the nearest
    /// one named. Instances of one mesh on different skeletons get a copy each (their arrays stay shared).
    func skinned(_ id: ID<Mesh>, _ facts: PrimFacts, node i: Int, _ node: Node) throws(AssetError) -> ID<Mesh> {
        let parent = Int(visits[i].parent)
        if facts.skin == nil, parent < 0 || primvarLists[parent] == 0 { return id }
        var skin = facts.skin ?? OwnSkin()
        var indicesFrom: Int32 = -1
        if parent >= 0, primvarLists[parent] > 0 {
            for own in inheritable[Int(primvarLists[parent])] {
                switch own.name {
                case .primvarsSkelJointIndices where skin.jointIndices == nil:
                    skin.jointIndices = own.primvar
                    indicesFrom = primvarLists[parent]
                case .primvarsSkelJointWeights where skin.jointWeights == nil: skin.jointWeights = own.primvar
                default: break
                }
            }
        }
        guard let indices = skin.jointIndices else { return id }
        let frame = skelFrames[i]
        let path = frame < 0 ? Path.empty : skelPaths[Int(frame)]
        let key = SkinnedMeshKey(mesh: id.index, skeleton: path, indicesFrom: indicesFrom)
        if let known = skinnedMeshes[key] { return known }
        let binding = SkinBinding(
            skeletonPath: path.isEmpty ? nil : session.string(path), jointIndices: indices, jointWeights: skin.jointWeights,
            joints: skin.joints, geomBindTransform: skin.geomBindTransform)
        if path.isEmpty {
            diagnostics.warning(
                "usd.skin-without-skeleton", "the mesh has joint indices but nothing names its skeleton",
                at: SourceLocation(file: scene.source.file, primPath: node.path))
        }
        let target: ID<Mesh>
        if scene.meshes[id].skin == nil {
            scene.meshes[id].skin = binding
            target = id
        } else {
            var copy = scene.meshes[id]
            copy.skin = binding
            target = scene.meshes.append(copy)
        }
        skinnedMeshes[key] = target
        return target
    }

    /// The blend shapes a mesh names; in-betweens are counted and left out.
    func readBlendShapes(_ prim: StagePrim, into mesh: inout Mesh) throws(AssetError) {
        let shapeNames = try ArrayValues.strings(stage.value(prim, .skelBlendShapes, at: .default), session)
        mesh.blendShapeCount = shapeNames.count
        guard !shapeNames.isEmpty else { return }
        let targets = stage.targets(prim, .skelBlendShapeTargets)
        if targets.count != shapeNames.count {
            warn("usd.blend-shapes.wrong-length", "\(amount(targets.count, "blend shape target")) for \(amount(shapeNames.count, "name"))", prim)
        }
        for (name, path) in zip(shapeNames, targets) {
            guard let shape = stage.prim(at: path), stage.typeName(shape) == .BlendShape else {
                warn("usd.blend-shapes.missing", "blend shape \(session.string(path)) is not on the stage", prim)
                continue
            }
            guard let offsets = try ArrayValues.vectors3(stage.value(shape, .offsets, at: .default)) else {
                warn("usd.blend-shapes.no-offsets", "the blend shape has no offsets", shape)
                continue
            }
            mesh.blendShapes.append(
                BlendShape(
                    name: name, offsets: offsets, normalOffsets: try ArrayValues.vectors3(stage.value(shape, .normalOffsets, at: .default)),
                    pointIndices: try ArrayValues.ints(stage.value(shape, .pointIndices, at: .default))))
            let inbetweens = stage.propertyNames(shape).count {
                let text = session.string($0)
                return text.hasPrefix("inbetweens:") && !text.dropFirst(11).contains(":")
            }
            if inbetweens > 0 {
                warn("usd.dropped.inbetween", "\(inbetweens) in-between shapes of \(name) are left out", shape)
            }
        }
    }
}
