import AssetModel

extension SceneReader {
    /// The stage's time range as one clip, with a track for each property that varies: sample times are stage time codes.
    func readAnimation() throws(AssetError) {
        var clip = AnimationClip(name: scene.metadata.defaultPrim.map { String($0.dropFirst()) } ?? "animation")
        for i in visits.indices {
            let varying = varying[i]
            if varying == 0 { continue }
            let prim = visits[i].prim
            let path = scene.nodes.elements[i].path
            if varying & PrimFacts.transformVaries != 0 { try addTransformTrack(prim, path, &clip) }
            if varying & PrimFacts.visibilityVaries != 0 {
                let times = stage.timeSamples(prim, .visibility)
                var values: [Float] = []
                for t in times {
                    let v = try stage.value(prim, .visibility, at: .at(t))?.resolved().tokenValue
                    values.append(v == .invisible ? 0 : 1)
                }
                clip.tracks.append(Track(targetPath: path, property: "visibility", interpolation: .held, times: times, values: values))
            }
            if varying & PrimFacts.pointsVary != 0 {
                // The points themselves stay in the file: the track says when they change.
                clip.tracks.append(Track(targetPath: path, property: "points", interpolation: .linear, times: [], values: []))
            }
            if varying & PrimFacts.isSkeletonAnimation != 0 { try addSkeletonTracks(prim, path, &clip) }
        }
        guard !clip.tracks.isEmpty else { return }
        scene.animations = [clip]
        nameSkeletonAnimations()
    }

    /// What animates each skeleton: the nearest `skel:animationSource` at or above it (UsdSkel, "Binding").
    private func nameSkeletonAnimations() {
        for i in visits.indices {
            guard case .skeleton = scene.nodes[i].content else { continue }
            var at = i
            while at >= 0 {
                if let path = stage.forwardedTargets(visits[at].prim, .skelAnimationSource).first {
                    scene.skeletonAnimations[ID(i)] = session.string(path)
                    break
                }
                at = Int(visits[at].parent)
            }
        }
    }

    /// A matrix a sample: op stacks have no other common form.
    private func addTransformTrack(_ prim: StagePrim, _ path: String, _ clip: inout AnimationClip) throws(AssetError) {
        var times: [Double] = []
        guard let order = try stage.value(prim, .xformOpOrder, at: .default)?.resolved().tokenList(session) else { return }
        for name in order { times.append(contentsOf: stage.timeSamples(prim, XformOp(name, session).attribute)) }
        times = Array(Set(times)).sorted()
        guard times.count <= 1_000_000 else { return }
        var values: [Float] = []
        values.reserveCapacity(times.count * 16)
        for t in times {
            let facts = PrimFacts()
            try readTransform(prim, at: .at(t), into: facts, quietly: true)
            values.append(contentsOf: facts.localTransform.elements.map { Float($0) })
        }
        clip.tracks.append(Track(targetPath: path, property: "transform", interpolation: .linear, times: times, values: values))
    }

    private func addSkeletonTracks(_ prim: StagePrim, _ path: String, _ clip: inout AnimationClip) throws(AssetError) {
        let joints = try ArrayValues.strings(stage.value(prim, .joints, at: .default), session)
        let shapes = try ArrayValues.strings(stage.value(prim, names.blendShapes, at: .default), session)
        for (name, property) in [
            (names.translations, "translations"), (names.rotations, "rotations"), (Token.scales, "scales"),
            (names.blendShapeWeights, "blendShapeWeights"),
        ] {
            let times = stage.timeSamples(prim, name)
            guard !times.isEmpty else { continue }
            var values: [Float] = []
            var width: Int?
            for t in times {
                let value = stage.value(prim, name, at: .at(t))
                var row: [Float] = []
                if let q = try ArrayValues.quaternions(value) {
                    for r in q { row.append(contentsOf: [r.x, r.y, r.z, r.w]) }
                } else if let v = try ArrayValues.vectors3(value)?.load() {
                    for r in v { row.append(contentsOf: [r.x, r.y, r.z]) }
                } else if let f = try ArrayValues.floats(value)?.load() {
                    row = f
                }
                guard width == nil || width == row.count else {
                    warn("usd.animation.wrong-length", "\(property) change their length over time: left out", prim)
                    values = []
                    break
                }
                width = row.count
                values.append(contentsOf: row)
            }
            guard !values.isEmpty else { continue }
            var track = Track(targetPath: path, property: property, interpolation: .linear, times: times, values: values)
            track.elements = property == "blendShapeWeights" ? shapes : joints
            clip.tracks.append(track)
        }
    }
}
