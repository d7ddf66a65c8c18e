import AssetIO
import AssetModel

extension GLTFToScene {
    /// A clip an animation, a track a channel; times are seconds. A cubic spline's values stand as the file has them: the tangent
    /// in, the value, and the tangent out of each time.
    mutating func addAnimations() throws(AssetError) {
        for (index, animation) in document.animations.enumerated() {
            var clip = AnimationClip(name: animation.name ?? "animation\(index)")
            for (k, channel) in animation.channels.enumerated() {
                let place = document.place("animations", index, "channels", k)
                if let track = try track(channel, animation, place) { clip.tracks.append(track) }
            }
            scene.animations.append(clip)
        }
    }

    private mutating func track(
        _ channel: GLTFDocument.Animation.Channel, _ animation: GLTFDocument.Animation, _ place: GLTFPlace
    ) throws(AssetError) -> Track? {
        // Channels without a node belong to an extension.
        guard let node = channel.node else {
            diagnostics.add(warn("gltf.dropped.channel", "the channel names no node and is left out", place))
            return nil
        }
        // Of another scene.
        guard let target = sceneNodes[node] else { return nil }
        let width: Int?
        switch channel.path {
        case "translation", "scale": width = 3
        case "rotation": width = 4
        case "weights": width = nil
        default:
            diagnostics.add(warn("gltf.dropped.channel", "'\(channel.path)' is not animated and is left out", place))
            return nil
        }
        guard channel.sampler >= 0, channel.sampler < animation.samplers.count else {
            diagnostics.add(warn("gltf.bad-reference", "sampler \(channel.sampler) is asked for, there are \(animation.samplers.count)", place))
            return nil
        }
        let sampler = animation.samplers[channel.sampler]
        let interpolation: Track.Interpolation
        switch sampler.interpolation {
        case "STEP": interpolation = .held
        case "CUBICSPLINE": interpolation = .cubicSpline
        case "LINEAR": interpolation = .linear
        default:
            diagnostics.add(warn("gltf.bad-interpolation", "'\(sampler.interpolation)' is none, taken as LINEAR", place))
            interpolation = .linear
        }
        let input = try accessors.column(sampler.input, &diagnostics)
        let output = try accessors.column(sampler.output, &diagnostics)
        try accessors.buffers.budget.take(elements: input.count, place)
        try accessors.buffers.budget.take(elements: output.count.multiplied(checked: output.width) ?? .max, place)
        let times = input.width == 1 ? input.floats() : []
        let values = output.floats()
        let perTime = times.isEmpty ? 0 : values.count / times.count
        let rows = interpolation == .cubicSpline ? 3 : 1
        guard !times.isEmpty, perTime > 0, perTime * times.count == values.count, perTime % rows == 0,
            width.map({ perTime == $0 * rows }) ?? true
        else {
            diagnostics.add(warn("gltf.wrong-length", "\(values.count) numbers for \(times.count) times: the channel is left out", place))
            return nil
        }
        guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
            diagnostics.add(warn("gltf.bad-times", "the times do not grow: the channel is left out", place))
            return nil
        }
        return Track(
            targetPath: scene.nodes[target].path, property: channel.path, interpolation: interpolation, times: times.map { Double($0) },
            values: values)
    }
}
