public import AssetModel

/// How much a mesh holds, as its arrays say, before any repair.
public struct MeshCounts: Sendable, Hashable {
    public var points = 0
    public var faces = 0
    public var faceVertices = 0
    /// The sum of n − 2 over the faces.
    public var triangles = 0
    public init() {}
}

/// Sums over all nodes of a scene: hidden ones, guides, prototypes and each instance's contents included.
public struct SceneTotals: Sendable, Hashable {
    public var meshes = 0
    public var points = 0
    public var faces = 0
    public var triangles = 0
    public var materials = 0
    public var textures = 0
    /// Material parts of all that is shown; what an instancer draws counts once a prototype.
    public var drawCalls = 0
    public init() {}
}

/// Counts of every mesh and of the whole. Each mesh is counted once, however many nodes show it.
public struct SceneMeasurements: Sendable {
    /// One a mesh of `Scene.meshes`.
    public private(set) var meshes: [MeshCounts]
    public private(set) var totals: SceneTotals

    /// Counts. An array whose bytes are damaged counts as far as its header says, with a warning.
    public init(_ scene: Scene, filter: NodeFilter = NodeFilter(), diagnostics: inout Diagnostics) {
        meshes = []
        meshes.reserveCapacity(scene.meshes.count)
        for i in scene.meshes.indices {
            var counts = MeshCounts()
            counts.points = scene.meshes.elements[i].points.count
            counts.faces = scene.meshes.elements[i].faceVertexCounts.count
            counts.faceVertices = scene.meshes.elements[i].faceVertexIndices.count
            do throws(AssetError) {
                counts.triangles = try triangleCount(scene.meshes.elements[i].faceVertexCounts)
            } catch {
                var warning = error.diagnostic
                warning.severity = .warning
                diagnostics.add(warning)
            }
            meshes.append(counts)
        }
        totals = SceneTotals()
        totals.materials = scene.materials.count
        totals.textures = scene.textures.count
        let countsPoints = scene.source.format == "ply"
        var belowInstancerUntil = 0
        var shownPrototypes = Set<Int32>()
        var prototypes = PrototypeFinder(scene, filter: filter)
        let quick = filter.quick
        scene.nodes.elements.withUnsafeBufferPointer { all in
            for i in all.indices {
                switch all[i].content {
                case .mesh(let id):
                    let counts = meshes[Int(id.index)]
                    totals.meshes += 1
                    totals.points = totals.points.saturatingAdding(counts.points)
                    totals.faces = totals.faces.saturatingAdding(counts.faces)
                    totals.triangles = totals.triangles.saturatingAdding(counts.triangles)
                case .points(let id) where countsPoints:
                    totals.points = totals.points.saturatingAdding(scene.points.elements[Int(id.index)].points.count)
                case .curves(let id) where countsPoints:
                    totals.points = totals.points.saturatingAdding(scene.curves.elements[Int(id.index)].ownPointCount)
                default: break
                }
                guard all[i].hasGeometry, i >= belowInstancerUntil, quick.shows(all[i]) else { continue }
                if case .instancer(let id) = all[i].content {
                    belowInstancerUntil = i + 1 + Swift.max(0, all[i].descendantCount)
                    for path in scene.instancers[id].prototypePaths {
                        guard let prototype = prototypes.prototype(path), shownPrototypes.insert(prototype.root.index).inserted else { continue }
                        for part in prototype.parts { totals.drawCalls += drawCalls(all[Int(part.node.index)], scene) }
                    }
                } else {
                    totals.drawCalls += drawCalls(all[i], scene)
                }
            }
        }
    }
}

private func triangleCount(_ counts: DeferredArray<Int32>) throws(AssetError) -> Int {
    var sum = 0
    try counts.forEachBlock { block in
        // Blocks are far below 2^31 elements of at most 2^31: the sum of one fits.
        var part = 0
        for n in block { part &+= n > 2 ? Int(n) &- 2 : 0 }
        sum = sum.saturatingAdding(part)
    }
    return sum
}

/// How many draws a node takes: one a material part with faces.
private func drawCalls(_ node: borrowing Node, _ scene: Scene) -> Int {
    guard case .mesh(let id) = node.content else {
        if case .instancer = node.content { return 0 }
        return 1
    }
    let faces = scene.meshes.elements[Int(id.index)].faceVertexCounts.count
    if faces == 0 { return 0 }
    if scene.meshes.elements[Int(id.index)].subsets.isEmpty { return 1 }
    let mesh = scene.meshes[id]
    var covered = 0
    var materials = Set<Int32>()
    for (i, subset) in mesh.subsets.enumerated() where i < node.subsetPreviewMaterials.count && !subset.faces.isEmpty {
        guard let material = node.subsetPreviewMaterials[i] else { continue }
        materials.insert(material.index)
        covered = covered.saturatingAdding(subset.faces.count)
    }
    if covered < faces { materials.insert(node.previewMaterial?.index ?? -1) }
    return Swift.max(1, materials.count)
}
