import AssetModel
import AssetOps

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

    /// A matrix a sample: op stacks have no other common form. Where the ops between two samples go another way than a translation, a
    /// rotation and a scale would (a turn of more than half a circle, an axis that is not the centre), samples are added.
    private func addTransformTrack(_ prim: StagePrim, _ path: String, _ clip: inout AnimationClip) throws(AssetError) {
        var times: [Double] = []
        guard let order = try stage.value(prim, .xformOpOrder, at: .default)?.resolved().tokenList(session) else { return }
        for name in order { times.append(contentsOf: stage.timeSamples(prim, XformOp(name, session).attribute)) }
        times = Array(Set(times)).sorted()
        guard times.count <= 1_000_000 else { return }
        func sample(_ t: Double) throws(AssetError) -> Matrix4d {
            let facts = PrimFacts()
            try readTransform(prim, at: .at(t), into: facts, quietly: true)
            return facts.localTransform
        }
        var keys: [(time: Double, matrix: Matrix4d)] = []
        for t in times {
            let key = (time: t, matrix: try sample(t))
            if let last = keys.last { try refine(last, key, depth: 0, sample, &keys) }
            keys.append(key)
        }
        if keys.count > times.count {
            diagnostics.add(
                Diagnostic(
                    .info, "usd.animation.resampled",
                    "\(amount(keys.count - times.count, "sample")) added where a transform turns between its own",
                    at: SourceLocation(file: scene.source.file, primPath: path)))
        }
        var values: [Float] = []
        values.reserveCapacity(keys.count * 16)
        for key in keys { values.append(contentsOf: key.matrix.elements.map { Float($0) }) }
        clip.tracks.append(
            Track(targetPath: path, property: "transform", interpolation: .linear, times: keys.map(\.time), values: values))
    }

    /// Adds the samples between two that are needed so that parts in between are right to a thousandth.
    private func refine(
        _ a: (time: Double, matrix: Matrix4d), _ b: (time: Double, matrix: Matrix4d), depth: Int,
        _ sample: (Double) throws(AssetError) -> Matrix4d, _ keys: inout [(time: Double, matrix: Matrix4d)]
    ) throws(AssetError) {
        // Values that are held make steps, which no number of samples makes smooth: six halvings place them well enough.
        guard depth < 6, keys.count < 1_000_000, a.matrix != b.matrix || depth == 0 else { return }
        let time = a.time + (b.time - a.time) / 2
        guard time > a.time, time < b.time, let first = TransformParts(a.matrix), let last = TransformParts(b.matrix) else { return }
        let middle = (time: time, matrix: try sample(time))
        let expected = first.mixed(with: last, 0.5).matrix
        let size = middle.matrix.elements.reduce(0) { Swift.max($0, $1.magnitude) }
        let error = zip(middle.matrix.elements, expected.elements).reduce(0) { Swift.max($0, ($1.0 - $1.1).magnitude) }
        // Which way half a turn goes cannot be told from its ends.
        guard error > 1e-3 * size || first.turn(to: last) > 2.1 else { return }
        try refine(a, middle, depth: depth + 1, sample, &keys)
        keys.append(middle)
        try refine(middle, b, depth: depth + 1, sample, &keys)
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
