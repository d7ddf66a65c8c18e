import AssetModel

extension SceneReader {
    func prototypePaths(_ prim: StagePrim) -> [String] {
        stage.forwardedTargets(prim, .prototypes).map { session.string($0) }
    }

    /// A point instancer with one matrix an instance (UsdGeomPointInstancer::ComputeInstanceTransformsAtTime with the
    /// prototypes' own transforms). Where a prototype index is out of range OpenUSD draws nothing, and so does this.
    func readInstancer(_ prim: StagePrim) throws(AssetError) -> PointInstancer {
        let targets = stage.forwardedTargets(prim, .prototypes)
        var out = PointInstancer(prototypePaths: targets.map { session.string($0) })
        out.protoIndices = try ArrayValues.ints(stage.value(prim, .protoIndices, at: time))?.load() ?? []
        out.ids = try ArrayValues.int64s(stage.value(prim, .ids, at: time))
        out.maskedInstances = try maskedInstances(prim, out)
        if stage.mightBeTimeVarying(prim, .protoIndices) || stage.mightBeTimeVarying(prim, .positions)
            || stage.mightBeTimeVarying(prim, .orientations) || stage.mightBeTimeVarying(prim, .scales)
        {
            sawAnimation = true
        }
        let n = out.protoIndices.count
        guard n > 0 else { return out }
        if targets.isEmpty {
            warn("usd.instancer.no-prototypes", "the point instancer names no prototypes: its \(n) instances are left out", prim)
            return out
        }
        if let bad = out.protoIndices.first(where: { $0 < 0 || Int($0) >= targets.count }) {
            warn(
                "usd.instancer.bad-index",
                "prototype index \(bad) is out of range, expected 0 to \(targets.count - 1): the \(n) instances are left out", prim)
            return out
        }
        if let target = targets.first(where: { session.paths.hasPrefix(stage.path(prim), $0) }) {
            warn(
                "usd.instancer.prototype-cycle",
                "prototype \(session.string(target)) contains the point instancer itself, which is left out there", prim)
        }
        try readPlacement(prim, n, &out)
        guard out.positions.count == n else {
            warn(
                "usd.instancer.bad-positions",
                "\(amount(out.positions.count, "position")) for \(amount(n, "instance")): the instances are left out", prim)
            return out
        }
        var prototypes: [Matrix4d] = []
        for path in targets {
            let facts = PrimFacts()
            if let prototype = stage.prim(at: path) {
                if schemas[stage.typeName(prototype)].isXformable { try readTransform(prototype, at: time, into: facts) }
            } else {
                warn("usd.instancer.missing-prototype", "prototype \(session.string(path)) is not on the stage", prim)
            }
            prototypes.append(facts.localTransform)
        }
        out.transforms.reserveCapacity(n)
        let hasScales = out.scales.count == n
        let hasOrientations = out.orientations.count == n
        for i in 0..<n {
            var m = hasScales ? Matrix4d.scale(Vector3d(out.scales[i])) : .identity
            if hasOrientations {
                let q = out.orientations[i]
                let turn = XformOp.rotation(x: Double(q.x), y: Double(q.y), z: Double(q.z), w: Double(q.w))
                m = hasScales ? m * turn : turn
            }
            let p = Vector3d(out.positions[i])
            m.rows.3 = [p.x, p.y, p.z, 1]
            let prototype = prototypes[Int(out.protoIndices[i])]
            out.transforms.append(prototype == .identity ? m : prototype * m)
        }
        return out
    }

    /// Positions, orientations and scales; arrays of another length than the instances are left out.
    private func readPlacement(_ prim: StagePrim, _ n: Int, _ out: inout PointInstancer) throws(AssetError) {
        out.positions = try ArrayValues.vectors3(stage.value(prim, .positions, at: time))?.load() ?? []
        try move(prim, n, &out.positions)
        out.scales = try ArrayValues.vectors3(stage.value(prim, .scales, at: time))?.load() ?? []
        // The float orientations win where there are any.
        let fine = try ArrayValues.quaternions(stage.value(prim, .orientationsf, at: time)) ?? []
        out.orientations = try fine.isEmpty ? ArrayValues.quaternions(stage.value(prim, .orientations, at: time)) ?? [] : fine
        for (name, count) in [("scales", out.scales.count), ("orientations", out.orientations.count)] where count != 0 && count != n {
            warn("usd.instancer.wrong-length", "\(count) \(name) for \(amount(n, "instance")): left out", prim)
        }
        if out.scales.count != n { out.scales = [] }
        if out.orientations.count != n { out.orientations = [] }
    }

    /// Where velocities are sampled at the same times as positions, an instance's place between samples is the earlier
    /// sample moved along, not a blend of two samples.
    private func move(_ prim: StagePrim, _ n: Int, _ positions: inout [Vector3f]) throws(AssetError) {
        guard case .at(let t) = time, stage.hasValue(prim, .velocities) else { return }
        let samples = stage.timeSamples(prim, .positions)
        guard !samples.isEmpty, samples == stage.timeSamples(prim, .velocities),
            let sample = samples.last(where: { $0 <= t }) ?? samples.first,
            let velocities = try ArrayValues.vectors3(stage.value(prim, .velocities, at: .at(sample)))?.load(), velocities.count == n,
            let start = try ArrayValues.vectors3(stage.value(prim, .positions, at: .at(sample)))?.load(), start.count == n
        else { return }
        let delta = Float((t - sample) / (scene.metadata.timeCodesPerSecond ?? 24))
        var accelerations: [Vector3f] = []
        if samples == stage.timeSamples(prim, names.accelerations) {
            accelerations = try ArrayValues.vectors3(stage.value(prim, names.accelerations, at: .at(sample)))?.load() ?? []
        }
        let accelerate = accelerations.count == n
        positions = start
        for i in 0..<n {
            var v = velocities[i]
            if accelerate {
                let a = accelerations[i]
                v = Vector3f(v.x + delta * a.x * 0.5, v.y + delta * a.y * 0.5, v.z + delta * a.z * 0.5)
            }
            positions[i] = Vector3f(start[i].x + delta * v.x, start[i].y + delta * v.y, start[i].z + delta * v.z)
        }
    }

    /// Instances that `invisibleIds` or `inactiveIds` name, by their index.
    private func maskedInstances(_ prim: StagePrim, _ instancer: PointInstancer) throws(AssetError) -> [Int32] {
        var masked = Set(try ArrayValues.int64s(stage.value(prim, .invisibleIds, at: time)))
        if let inactive = try stage.metadata(prim, .inactiveIds)?.resolved() { masked.formUnion(inactive.integerList) }
        guard !masked.isEmpty else { return [] }
        if instancer.ids.isEmpty { return instancer.protoIndices.indices.filter { masked.contains(Int64($0)) }.map { Int32($0) } }
        let n = min(instancer.ids.count, instancer.protoIndices.count)
        return (0..<n).filter { masked.contains(instancer.ids[$0]) }.map { Int32($0) }
    }
}
