import AssetIO
import AssetModel
import AssetOps

/// Animations (glTF 2.0, section 3.11): the samples of the source, in seconds.
extension GLTFWriter {
    mutating func addAnimations() {
        for clip in scene.animations {
            var writer = GLTFClipWriter(clip, scene)
            var skeletonsOf: [String: [ID<Node>]] = [:]
            for (node, path) in scene.skeletonAnimations.sorted(by: { $0.key.index < $1.key.index }) {
                skeletonsOf[path, default: []].append(node)
            }
            for track in clip.tracks {
                switch track.property {
                case "translation", "rotation", "scale", "weights":
                    for node in targets(track.targetPath) { writer.add(track, node, track.property, &out) }
                case "transform":
                    for node in targets(track.targetPath) { addTransforms(track, node, &writer) }
                case "translations", "rotations", "scales":
                    for skeleton in skeletonsOf[track.targetPath] ?? [] { addJoints(track, skeleton, &writer) }
                case "blendShapeWeights":
                    for skeleton in skeletonsOf[track.targetPath] ?? [] { addWeights(track, skeleton, &writer) }
                case "visibility": losses.note("visibility", at: track.targetPath, name: track.targetPath)
                case "points": break
                default: losses.note("tracks", at: track.targetPath, name: track.property)
                }
            }
            writer.finish(&out, &diagnostics)
        }
        losses.report("visibility", code: "gltf.lost", file: scene.source.file, to: &diagnostics) {
            "the visibility of \(amount($0, "node")) varies over time, which glTF does not hold: written as at the time that was read"
        }
        losses.report("tracks", code: "gltf.lost", file: scene.source.file, to: &diagnostics) {
            "\(amount($0, "animated property", "animated properties")) not written: \(losses.names("tracks"))"
        }
    }

    private func targets(_ path: String) -> [Int] {
        guard let i = nodesByPath[path], let node = nodes[i] else { return [] }
        return [node]
    }

    /// Matrices as translation, rotation and scale.
    private mutating func addTransforms(_ track: Track, _ node: Int, _ writer: inout GLTFClipWriter) {
        guard track.times.count > 0, track.values.count == track.times.count * 16 else { return }
        var (translations, rotations, scales): ([Float], [Float], [Float]) = ([], [], [])
        var last: (x: Double, y: Double, z: Double, w: Double)?
        for k in track.times.indices {
            let m = Matrix4d(track.values[(k * 16)..<(k * 16 + 16)].map { Double($0) }) ?? .identity
            guard let parts = TransformParts(m, tolerance: 1e-4) else {
                diagnostics.warning(
                    "gltf.lost.animation", "the animation of a transform that shears is not written",
                    at: SourceLocation(file: scene.source.file, primPath: track.targetPath))
                return
            }
            translations += [parts.translation.x, parts.translation.y, parts.translation.z].map { Float($0) }
            var q = parts.rotation
            // The nearer of two quaternions that are one rotation.
            if let last, last.x * q.x + last.y * q.y + last.z * q.z + last.w * q.w < 0 { q = (-q.x, -q.y, -q.z, -q.w) }
            last = q
            rotations += [Float(q.x), Float(q.y), Float(q.z), Float(q.w)]
            scales += [parts.scale.x, parts.scale.y, parts.scale.z].map { Float($0) }
        }
        for (path, values, width) in [("translation", translations, 3), ("rotation", rotations, 4), ("scale", scales, 3)] {
            // What never changes stands on the node.
            let first = values.prefix(width)
            let isStill = (0..<track.times.count).allSatisfy { values[($0 * width)..<(($0 + 1) * width)] == first }
            if isStill, track.times.count > 1, isOnNode(Array(first), path, node) { continue }
            var own = Track(targetPath: track.targetPath, property: path, interpolation: track.interpolation, times: track.times, values: values)
            if isStill { (own.times, own.values) = (Array(track.times.prefix(1)), Array(first)) }
            writer.add(own, node, path, &out)
        }
    }

    private func isOnNode(_ value: [Float], _ path: String, _ node: Int) -> Bool {
        guard let t = out.nodes[node].transform else { return false }
        let own: [Double]
        switch path {
        case "translation": own = [t.translation.x, t.translation.y, t.translation.z]
        case "rotation": own = [t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w]
        default: own = [t.scale.x, t.scale.y, t.scale.z]
        }
        return zip(value, own).allSatisfy { (Double($0) - $1).magnitude <= 1e-6 * max(1, $1.magnitude) }
    }

    /// One track of all joints as a channel a joint.
    private mutating func addJoints(_ track: Track, _ id: ID<Node>, _ writer: inout GLTFClipWriter) {
        guard case .skeleton(let skeletonID) = scene.nodes[id].content, nodes[id] != nil, !track.times.isEmpty else { return }
        let skeleton = scene.skeletons[skeletonID]
        let width = track.property == "rotations" ? 4 : 3
        let perSample = track.values.count / track.times.count
        guard perSample == track.elements.count * width else { return }
        let all = jointNodes(skeleton, id)
        var places: [String: Int] = [:]
        for (i, joint) in skeleton.joints.enumerated() where places[joint] == nil { places[joint] = i }
        for (k, joint) in track.elements.enumerated() {
            guard let place = places[joint] else { continue }
            var values: [Float] = []
            values.reserveCapacity(track.times.count * width)
            for t in track.times.indices { values += track.values[(t * perSample + k * width)..<(t * perSample + (k + 1) * width)] }
            let path = String(track.property.dropLast())
            if path == "rotation" { Self.alignQuaternions(&values) }
            writer.add(
                Track(targetPath: track.targetPath, property: path, interpolation: track.interpolation, times: track.times, values: values),
                all[place], path, &out)
        }
    }

    /// Unit quaternions, each the nearer of the two that are its rotation.
    static func alignQuaternions(_ values: inout [Float]) {
        for k in stride(from: 0, to: values.count - 3, by: 4) {
            let q = values[k..<(k + 4)]
            let length = q.reduce(0) { $0 + $1 * $1 }.squareRoot()
            guard length > 0, length.isFinite else {
                (values[k], values[k + 1], values[k + 2], values[k + 3]) = (0, 0, 0, 1)
                continue
            }
            var sign: Float = 1
            if k >= 4, (0..<4).reduce(0, { $0 + values[k - 4 + $1] * values[k + $1] }) < 0 { sign = -1 }
            for i in k..<(k + 4) { values[i] *= sign / length }
        }
    }

    /// The weights of blend shapes for every mesh on a skeleton.
    private mutating func addWeights(_ track: Track, _ skeleton: ID<Node>, _ writer: inout GLTFClipWriter) {
        guard !track.times.isEmpty, track.values.count == track.elements.count * track.times.count else { return }
        let path = scene.nodes[skeleton].path
        for (id, node) in nodes.sorted(by: { $0.value < $1.value }) {
            guard case .mesh(let mesh) = scene.nodes[id].content, scene.meshes[mesh].skin?.skeletonPath == path, let index = out.nodes[node].mesh,
                !out.meshes[index].targetNames.isEmpty
            else { continue }
            let places = scene.meshes[mesh].blendShapes.map { track.elements.firstIndex(of: $0.name) }
            guard places.contains(where: { $0 != nil }) else { continue }
            var values: [Float] = []
            for t in track.times.indices {
                for place in places { values.append(place.map { track.values[t * track.elements.count + $0] } ?? 0) }
            }
            writer.add(
                Track(targetPath: track.targetPath, property: "weights", interpolation: track.interpolation, times: track.times, values: values),
                node, "weights", &out)
        }
    }
}

/// One animation that is being put together.
struct GLTFClipWriter {
    private var animation: GLTFOutput.Animation
    private let scene: Scene
    private var inputs: [[Double]: Int] = [:]
    private var targets = Set<String>()
    private let perSecond: Double
    /// glTF's times are not below zero: what begins earlier is moved.
    private let start: Double

    init(_ clip: AnimationClip, _ scene: Scene) {
        animation = GLTFOutput.Animation(name: clip.name)
        self.scene = scene
        let rate = scene.metadata.timeCodesPerSecond ?? 1
        perSecond = rate > 0 && rate.isFinite ? rate : 24
        var earliest = 0.0
        for track in clip.tracks { if let first = track.times.first, first.isFinite { earliest = min(earliest, first) } }
        start = earliest
    }

    mutating func add(_ track: Track, _ node: Int, _ path: String, _ out: inout GLTFOutput) {
        let rows = track.interpolation == .cubicSpline ? 3 : 1
        let widths = ["translation": 3, "rotation": 4, "scale": 3]
        let count = track.times.count
        guard count > 0, track.values.count % count == 0, track.values.allSatisfy(\.isFinite), track.times.allSatisfy(\.isFinite),
            targets.insert("\(node) \(path)").inserted
        else { return }
        let width = track.values.count / count / rows
        guard width > 0, widths[path] ?? width == width else { return }
        let input: Int
        if let known = inputs[track.times] {
            input = known
        } else {
            let times = track.times.map { Float(($0 - start) / perSecond) }
            input = out.buffer.floats(times, type: "SCALAR", width: 1, bounds: true)
            inputs[track.times] = input
        }
        let type = path == "rotation" ? "VEC4" : path == "weights" ? "SCALAR" : "VEC3"
        let output = out.buffer.floats(track.values, type: type, width: path == "weights" ? 1 : width)
        let interpolation: String
        switch track.interpolation {
        case .linear: interpolation = "LINEAR"
        case .held: interpolation = "STEP"
        case .cubicSpline: interpolation = "CUBICSPLINE"
        }
        animation.samplers.append(.init(input: input, output: output, interpolation: interpolation))
        animation.channels.append(.init(sampler: animation.samplers.count - 1, node: node, path: path))
    }

    func finish(_ out: inout GLTFOutput, _ diagnostics: inout Diagnostics) {
        guard !animation.channels.isEmpty else { return }
        if start < 0 {
            diagnostics.info(
                "gltf.moved-animation", "the animation begins at \(FloatPrinter.text(start)), before zero, where glTF's begin: moved",
                at: SourceLocation(file: scene.source.file))
        }
        out.animations.append(animation)
    }
}
