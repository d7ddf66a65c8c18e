public import AssetModel

/// World bounds of a scene and of every node that draws something, in file units.
///
/// Exact: the points themselves through the world transform, never an authored extent; an implicit shape's box is
/// exact for the shape; a point instancer's covers its unmasked instances. Points that are not finite are left out, with
/// a warning for each array that holds some.
public struct SceneBounds: Sendable {
    /// The box of all that the filter shows; nil where nothing is. What lies below a point instancer counts only
    /// through it.
    public private(set) var total: BoundingBox?
    /// One a node, nil where the node has no geometry of its own. Hidden nodes have theirs, too.
    public private(set) var nodes: [BoundingBox?]

    /// Measures every node. An array whose bytes are damaged leaves its node without bounds, with a warning.
    public init(_ scene: Scene, filter: NodeFilter = NodeFilter(), diagnostics: inout Diagnostics) {
        self.init(scene, filter: filter, wantsNodes: true, diagnostics: &diagnostics)
    }

    /// The box of the whole alone, without measuring what cannot reach out of the box so far.
    public static func total(of scene: Scene, filter: NodeFilter = NodeFilter(), diagnostics: inout Diagnostics) -> BoundingBox? {
        SceneBounds(scene, filter: filter, wantsNodes: false, diagnostics: &diagnostics).total
    }

    private init(_ scene: Scene, filter: NodeFilter, wantsNodes: Bool, diagnostics: inout Diagnostics) {
        var boxes: [BoundingBox?] = wantsNodes ? Array(repeating: nil, count: scene.nodes.count) : []
        var measurer = BoundsMeasurer(scene, filter: filter)
        var sum = BoundingBox()
        var belowInstancerUntil = 0
        let quick = filter.quick
        var warnings: [Diagnostic] = []
        scene.nodes.elements.withUnsafeBufferPointer { all in
            for i in all.indices where all[i].hasGeometry {
                let counts = i >= belowInstancerUntil && quick.shows(all[i])
                if wantsNodes || counts {
                    do throws(AssetError) {
                        let box = try measurer.bounds(
                            i, all[i].worldTransform, depth: 0, beyond: wantsNodes ? nil : sum)
                        if !box.isEmpty {
                            if wantsNodes { boxes[i] = box }
                            if counts { sum.formUnion(box) }
                        }
                    } catch {
                        var warning = error.diagnostic
                        warning.severity = .warning
                        if warning.location.primPath == nil { warning.location.primPath = all[i].path }
                        warnings.append(warning)
                    }
                }
                if case .instancer = all[i].content {
                    belowInstancerUntil = Swift.max(belowInstancerUntil, i + 1 + Swift.max(0, all[i].descendantCount))
                }
            }
        }
        for warning in warnings { diagnostics.add(warning) }
        for warning in measurer.warnings { diagnostics.add(warning) }
        nodes = boxes
        total = sum.isEmpty ? nil : sum
    }
}

/// Keeps what is shared between nodes: each point array is measured once, each prototype is looked at once.
private struct BoundsMeasurer {
    private let scene: Scene
    private var prototypes: PrototypeFinder
    private var meshes: [PointExtremes?]
    private var curves: [PointExtremes?]
    private var points: [PointExtremes?]
    private let meshUses: [Int]
    private let curveUses: [Int]
    private let pointUses: [Int]
    /// Copies that instancers made so far.
    private var copies = 0
    /// Told of arrays with points that are not finite, once each.
    private(set) var warnings: [Diagnostic] = []
    private var told: Set<String> = []
    private var counter = CopyCounter()
    /// The instancers whose prototypes are being measured.
    private var open: [ID<PointInstancer>] = []

    init(_ scene: Scene, filter: NodeFilter) {
        self.scene = scene
        meshes = Array(repeating: nil, count: scene.meshes.count)
        curves = Array(repeating: nil, count: scene.curves.count)
        points = Array(repeating: nil, count: scene.points.count)
        var finder = PrototypeFinder(scene, filter: filter)
        var meshUses = Array(repeating: 0, count: scene.meshes.count)
        var curveUses = Array(repeating: 0, count: scene.curves.count)
        var pointUses = Array(repeating: 0, count: scene.points.count)
        func count(_ content: Node.Content, _ n: Int) {
            switch content {
            case .mesh(let id): meshUses[Int(id.index)] = meshUses[Int(id.index)].saturatingAdding(n)
            case .curves(let id): curveUses[Int(id.index)] = curveUses[Int(id.index)].saturatingAdding(n)
            case .points(let id): pointUses[Int(id.index)] = pointUses[Int(id.index)].saturatingAdding(n)
            default: break
            }
        }
        scene.nodes.elements.withUnsafeBufferPointer { all in
            for i in all.indices {
                count(all[i].content, 1)
                guard case .instancer(let id) = all[i].content else { continue }
                let instancer = scene.instancers[id]
                for path in Set(instancer.prototypePaths) {
                    guard let prototype = finder.prototype(path) else { continue }
                    for part in prototype.parts { count(all[Int(part.node.index)].content, instancer.protoIndices.count) }
                }
            }
        }
        prototypes = finder
        (self.meshUses, self.curveUses, self.pointUses) = (meshUses, curveUses, pointUses)
    }

    /// The box of what the node at an index draws, under a transform from its own space. Where a box is given that it surely does not
    /// reach out of, it may be left empty.
    mutating func bounds(_ node: Int, _ m: Matrix4d, depth: Int, beyond: BoundingBox? = nil) throws(AssetError) -> BoundingBox {
        switch scene.nodes.elements[node].content {
        case .mesh(let id):
            let i = Int(id.index)
            if meshUses[i] < 2 {
                var leftOut = 0
                let box = try oneUse(scene.meshes.elements[i].points, m, leftOut: &leftOut)
                if leftOut > 0 { tell(leftOut, node) }
                return box
            }
            let extremes = meshes[i] ?? PointExtremes(scene.meshes[i].points, expectedUses: meshUses[i])
            meshes[i] = extremes
            if let beyond, try !extremes.reaches(beyond, m) {
                if extremes.leftOut > 0 { tell(extremes.leftOut, node) }
                return BoundingBox()
            }
            return try bounds(extremes, node, m)
        case .curves(let id):
            let i = Int(id.index)
            let extremes = curves[i] ?? PointExtremes(scene.curves[i].points, expectedUses: curveUses[i])
            curves[i] = extremes
            return try bounds(extremes, node, m)
        case .points(let id):
            let i = Int(id.index)
            let extremes = points[i] ?? PointExtremes(scene.points[i].points, expectedUses: pointUses[i])
            points[i] = extremes
            return try bounds(extremes, node, m)
        case .implicit(let shape):
            return shape.bounds(m)
        case .instancer(let id):
            // One within its own prototype would have no end.
            if open.contains(id) { return BoundingBox() }
            if open.isEmpty, copies.saturatingAdding(counter.copies(id, scene, &prototypes)) > DrawList.maximumCopies {
                copies = .max
                throw DrawList.tooManyCopies(DrawList.maximumCopies, SourceLocation(file: scene.source.file))
            }
            open.append(id)
            defer { open.removeLast() }
            return try bounds(scene.instancers[id], m, depth: depth)
        case .none, .camera, .light, .skeleton:
            return BoundingBox()
        }
    }

    private mutating func bounds(_ extremes: PointExtremes, _ node: Int, _ m: Matrix4d) throws(AssetError) -> BoundingBox {
        let box = try extremes.bounds(m)
        if extremes.leftOut > 0 { tell(extremes.leftOut, node) }
        return box
    }

    /// Says that points of a node's array are not finite, where that was not said yet.
    private mutating func tell(_ count: Int, _ node: Int) {
        let (kind, index): (String, Int32)
        switch scene.nodes.elements[node].content {
        case .mesh(let id): (kind, index) = ("mesh", id.index)
        case .curves(let id): (kind, index) = ("curves", id.index)
        case .points(let id): (kind, index) = ("points", id.index)
        default: return
        }
        guard told.insert("\(kind) \(index)").inserted else { return }
        let warning = Diagnostic(
            .warning, kind + ".position-not-finite",
            "\(count == 1 ? "a point that is not finite is" : "\(count) points that are not finite are") left out of the bounds",
            at: SourceLocation(file: scene.source.file, primPath: scene.nodes.elements[node].path))
        warnings.append(warning)
    }

    private mutating func bounds(_ instancer: PointInstancer, _ m: Matrix4d, depth: Int) throws(AssetError) -> BoundingBox {
        var box = BoundingBox()
        guard depth < DrawList.maximumDepth else { return box }
        var parts: [[Prototype.Part]] = []
        for path in instancer.prototypePaths { parts.append(prototypes.prototype(path)?.parts ?? []) }
        let masked = Set(instancer.maskedInstances)
        let count = Swift.min(instancer.protoIndices.count, instancer.transforms.count)
        for i in 0..<count {
            let which = Int(instancer.protoIndices[i])
            guard parts.indices.contains(which), masked.isEmpty || !masked.contains(Int32(truncatingIfNeeded: i)) else { continue }
            copies = copies.saturatingAdding(1)
            if copies > DrawList.maximumCopies {
                throw DrawList.tooManyCopies(DrawList.maximumCopies, SourceLocation(file: scene.source.file))
            }
            let place = instancer.transforms[i] * m
            for part in parts[which] {
                box.formUnion(try bounds(Int(part.node.index), part.transform * place, depth: depth + 1))
            }
        }
        return box
    }
}

extension Int {
    /// The sum, or the largest number where it would not fit.
    func saturatingAdding(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
