import AssetIO
import AssetModel

/// The clip sets of a stage's prims, and the values of attributes in them.
final class ClipTable {
    private var known: [Int: [ClipSet]] = [:]

    /// The sets that speak for a prim: its own, then those of the prims above it.
    func sets(_ stage: Stage, _ holder: Int) -> [ClipSet] {
        if let sets = known[holder] { return sets }
        var sets = own(stage, holder)
        let up = stage.prims[holder].parent
        if up >= 0, stage.prims[Int(up)].flags.contains(.hasClips) { sets += self.sets(stage, Int(up)) }
        known[holder] = sets
        return sets
    }

    // MARK: Layers

    private func open(_ stage: Stage, _ set: ClipSet, _ assetPath: String) -> LayerIndex? {
        let namedBy = stage.cache.layers[Int(set.layer)].identifier
        let place = SourceLocation(file: namedBy, primPath: stage.paths.string(set.path))
        guard let found = stage.cache.locate(assetPath, from: set.layer) else {
            stage.stacks.missing.append((assetPath, namedBy, stage.paths.string(set.path), "clip"))
            let variables = stage.stacks.stacks[Int(set.stack)].variables
            stage.ownDiagnostics.warning(
                "usd.missing-clip", MissingAsset.message("clip", assetPath, authored: assetPath, variables, namedBy: namedBy), at: place)
            return nil
        }
        switch stage.cache.open(found.path) {
        case .success(let layer): return layer
        case .failure(let failure):
            stage.stacks.missing.append((assetPath, namedBy, stage.paths.string(set.path), "clip"))
            stage.ownDiagnostics.add(failure.diagnostic("usd.missing-clip", "clip '\(assetPath)'", place))
            return nil
        }
    }

    private func clipLayer(_ stage: Stage, _ set: ClipSet, _ clip: Int) -> USDLayer? {
        if let known = set.opened[clip] { return known.map { stage.cache.layers[Int($0)] } }
        let layer = open(stage, set, set.clips[clip].assetPath)
        set.opened[clip] = .some(layer)
        return layer.map { stage.cache.layers[Int($0)] }
    }

    private func manifestLayer(_ stage: Stage, _ set: ClipSet) -> USDLayer? {
        guard let name = set.manifest else { return nil }
        if set.manifestLayer == nil { set.manifestLayer = .some(open(stage, set, name)) }
        return (set.manifestLayer ?? nil).map { stage.cache.layers[Int($0)] }
    }

    /// The attribute's path in the clips.
    private func clipPath(_ stage: Stage, _ site: Path, _ set: ClipSet, _ attribute: Token) -> Path? {
        stage.paths.replacingPrefix(site, set.path, with: set.clipPrim).map { stage.paths.property($0, attribute) }
    }

    /// Whether a set speaks for an attribute: its manifest, or where it has none the first clip with samples of it, has it as
    /// one that may vary.
    func declares(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet) -> Bool {
        guard let path = clipPath(stage, site, set, attribute) else { return false }
        func varies(_ layer: USDLayer?) -> Bool? {
            guard let layer, let spec = layer.spec(at: path) else { return nil }
            if case .variability(let v)? = layer.field(spec, .variability) { return v == .varying }
            return layer.specs[Int(spec)].kind == .attribute
        }
        if set.manifest != nil { return varies(manifestLayer(stage, set)) ?? false }
        for i in set.clips.indices where isAnimated(clipLayer(stage, set, i), path) { return varies(clipLayer(stage, set, i)) ?? false }
        return false
    }

    private func samples(_ layer: USDLayer?, _ path: Path) -> TimeSamples? {
        guard let layer, let spec = layer.spec(at: path), case .timeSamples(let s)? = layer.value(spec, .timeSamples), !s.times.isEmpty,
            s.times.count == s.values.count
        else { return nil }
        return s
    }

    private func spline(_ layer: USDLayer?, _ path: Path) -> Spline? {
        guard let layer, let spec = layer.spec(at: path), case .spline(let s)? = layer.value(spec, .spline), !s.knots.isEmpty else { return nil }
        return s
    }

    /// Whether a clip holds animation of an attribute.
    private func isAnimated(_ layer: USDLayer?, _ path: Path) -> Bool { samples(layer, path) != nil || spline(layer, path) != nil }

    // MARK: Values

    /// The value at a stage time; `.block` where the clips have none.
    func value(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet, _ time: Double) -> USDValue? {
        guard let path = clipPath(stage, site, set, attribute) else { return nil }
        let (lower, upper) = bracket(stage, set, path, set.local(time))
        guard let a = sample(stage, set, path, lower) else { return .block }
        // Interpolation is one of the stage's time.
        let start = set.outer(lower)
        let end = set.outer(upper)
        if abs(start - end) < 1e-6 { return a }
        if case .block = a { return a }
        guard SampleInterpolation.isInterpolated(a), let b = sample(stage, set, path, upper) else { return a }
        // Before a block the value holds.
        if case .block = b { return a }
        return (try? SampleInterpolation.linear(a, b, (time - start) / (end - start))) ?? a
    }

    /// The value at a time of the set, with time codes brought to the stage's time.
    private func sample(_ stage: Stage, _ set: ClipSet, _ path: Path, _ time: Double) -> USDValue? {
        let value = localSample(stage, set, path, time)
        return set.offset.isNegligible ? value : value.map { stage.movedTimeCodes($0, set.offset.apply) }
    }

    /// The value of the clip that counts at a time, else the manifest's default.
    private func localSample(_ stage: Stage, _ set: ClipSet, _ path: Path, _ time: Double) -> USDValue? {
        let clip = set.clip(at: time)
        if let s = samples(clipLayer(stage, set, clip), path) {
            let t = set.times.clipTime(time)
            // Time codes in clips move with the clip's time.
            if let v = stage.interpolated(s, t) { return stage.movedTimeCodes(v, set.times.moved(at: time)) }
        }
        if let s = spline(clipLayer(stage, set, clip), path) {
            return s.value(at: set.times.clipTime(time)).map { stage.movedTimeCodes($0, set.times.moved(at: time)) } ?? .block
        }
        guard let manifest = manifestLayer(stage, set), let spec = manifest.spec(at: path), let v = manifest.value(spec, .default) else { return nil }
        if case .block = v { return nil }
        return v
    }

    /// Whether a clip has a say: any, unless missing values are interpolated from other clips.
    private func contributes(_ stage: Stage, _ set: ClipSet, _ path: Path, _ clip: Int) -> Bool {
        guard set.interpolatesMissing else { return true }
        let manifest = manifestLayer(stage, set)
        let declared = manifest?.spec(at: path)
        // A block in the manifest says that a clip has none, without a look into it.
        var isBlocked = false
        if let s = samples(manifest, path) {
            let i = ClipTimes.lowerBound(s.times, set.clips[clip].authoredStart)
            if i < s.times.count, s.times[i] == set.clips[clip].authoredStart, case .block = s.values[i] { isBlocked = true }
        }
        if !isBlocked, isAnimated(clipLayer(stage, set, clip), path) { return true }
        if let manifest, let declared { return manifest.field(declared, .default) != nil }
        return false
    }

    /// The sample times on both sides of a time of the set in one clip.
    private func bracket(_ stage: Stage, _ set: ClipSet, _ path: Path, clip: Int, _ time: Double) -> (Double, Double) {
        let c = set.clips[clip]
        var times = [c.authoredStart]
        if let s = samples(clipLayer(stage, set, clip), path), let (low, high) = ClipTimes.bracket(s.times, set.times.clipTime(time)) {
            let (a, b) = set.times.stageTimes(low, high, around: time)
            times += [a, b]
        } else if spline(clipLayer(stage, set, clip), path) != nil {
            return (time, time)
        }
        if let (a, b) = set.times.bracket(time) { times += [a, b] }
        times.removeAll { $0 < c.start || $0 >= c.end }
        times.sort()
        return ClipTimes.bracket(times, time) ?? (c.authoredStart, c.authoredStart)
    }

    /// The sample times on both sides of a time of the set, in several clips where missing values are interpolated.
    private func bracket(_ stage: Stage, _ set: ClipSet, _ path: Path, _ time: Double) -> (Double, Double) {
        let now = set.clip(at: time)
        var lower: Double?
        var upper: Double?
        if contributes(stage, set, path, now) {
            let (a, b) = bracket(stage, set, path, clip: now, time)
            lower = a
            if !(a == b && time > b) { upper = b }
        }
        if lower == nil {
            for i in stride(from: now - 1, through: 0, by: -1) where contributes(stage, set, path, i) {
                lower = bracket(stage, set, path, clip: i, time).1
                break
            }
        }
        if upper == nil {
            for i in (now + 1)..<max(now + 1, set.clips.count) where contributes(stage, set, path, i) {
                upper = set.clips[i].start
                break
            }
        }
        guard let known = lower ?? upper else { return (set.clips[0].authoredStart, set.clips[0].authoredStart) }
        return (lower ?? known, upper ?? known)
    }

    /// Sample times in the stage's time.
    func times(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet) -> [Double] {
        guard let path = clipPath(stage, site, set, attribute) else { return [] }
        var out = Set<Double>()
        // Times that run to and fro multiply the samples of a clip by their entries.
        let most = 4_000_000 + 8 * stage.layerBytes
        for (i, c) in set.clips.enumerated() where contributes(stage, set, path, i) {
            guard out.count <= most else { break }
            set.times.stageTimes(samples(clipLayer(stage, set, i), path)?.times ?? [], c.start, c.end) {
                out.insert($0)
                return out.count <= most
            }
            out.insert(c.authoredStart)
        }
        if out.count > most {
            stage.ownDiagnostics.warning(
                "usd.too-many-clip-samples", "clip set '\(set.name)' gives more than \(amount(most, "sample")); the rest is left out",
                at: SourceLocation(file: stage.cache.layers[Int(set.layer)].identifier, primPath: stage.paths.string(set.path)))
        }
        if out.isEmpty { out.insert(set.clips[0].authoredStart) }
        return out.sorted().map(set.outer)
    }

    func mightVary(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet) -> Bool {
        guard set.clips.count == 1, let path = clipPath(stage, site, set, attribute) else { return true }
        let layer = clipLayer(stage, set, 0)
        if samples(layer, path) == nil, spline(layer, path) != nil { return true }
        var out: Set<Double> = [set.clips[0].authoredStart]
        set.times.stageTimes(samples(layer, path)?.times ?? [], set.clips[0].start, set.clips[0].end) {
            out.insert($0)
            return out.count < 2
        }
        return out.count > 1
    }

    /// The layer that the value at a time comes from: the clip, or where that has none the manifest.
    func layer(_ stage: Stage, _ site: Path, _ attribute: Token, _ set: ClipSet, _ time: Double?) -> USDLayer? {
        let clip = clipLayer(stage, set, time.map { set.clip(at: set.local($0)) } ?? 0)
        guard let path = clipPath(stage, site, set, attribute), !isAnimated(clip, path) else { return clip }
        return manifestLayer(stage, set) ?? clip
    }
}
