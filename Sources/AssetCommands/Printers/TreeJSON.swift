import AssetIO
import AssetModel
import AssetOps

/// `facet.tree/1`
struct TreeJSON {
    /// What the command line asked for beyond the agreed fields.
    struct Extras {
        var transformOps = false
        var attributes = false
        var arcs = false
    }

    let outline: Outline
    let extras: Extras

    func print(_ diagnostics: Diagnostics, to buffer: TextBuffer) {
        let scene = outline.scene
        let metadata = scene.metadata
        var json = JSONWriter()
        json.beginObject()
        json.schema("facet.tree/1")
        json.member("file", scene.source.file)
        json.member("format", scene.source.format)
        json.units(metadata)
        json.short("timeCodesPerSecond", metadata.timeCodesPerSecond)
        json.short("startTimeCode", metadata.startTimeCode)
        json.short("endTimeCode", metadata.endTimeCode)
        json.member("defaultPrim", metadata.defaultPrim)
        json.key("nodes")
        json.beginArray()
        for entry in outline.entries {
            node(entry, &json)
            json.flushIfFull(buffer)
        }
        json.endArray()
        json.materials(scene, users: outline.materialUsers)
        json.box("bounds", outline.bounds)
        json.key("totals")
        json.beginObject()
        json.member("meshes", outline.totals.meshes)
        json.member("points", outline.totals.points)
        json.member("faces", outline.totals.faces)
        json.member("triangles", outline.totals.triangles)
        json.endObject()
        json.warnings(diagnostics, of: scene.source.file)
        json.endObject()
        json.flush(buffer)
    }

    private func node(_ entry: Outline.Entry, _ json: inout JSONWriter) {
        let scene = outline.scene
        let node = scene.nodes[entry.node]
        json.beginObject()
        json.member("path", node.path)
        json.member("name", node.name)
        json.member("type", node.typeName)
        json.member("kind", node.kind)
        json.key("variants")
        json.beginObject()
        for set in node.variantSets { json.member(set.name, set.selection) }
        json.endObject()
        json.key("variantChoices")
        json.beginObject()
        for set in node.variantSets { json.strings(set.name, set.choices) }
        json.endObject()
        json.member("instanceable", node.isInstance)
        if node.isImageable {
            json.member("visible", node.isVisible)
            json.member("purpose", scene.purposeWords[entry.node.index] ?? node.purpose.rawValue)
        }
        if node.isTransformable {
            json.matrix("localTransform", node.localTransform)
            json.matrix("worldTransform", node.worldTransform)
            json.member("animated", node.isAnimated)
        }
        if extras.transformOps, node.isTransformable { transformOps(node, &json) }
        content(node, entry, &json)
        if extras.attributes { attributes(node, &json) }
        if extras.arcs { arcs(node, &json) }
        json.endObject()
    }

    private func content(_ node: Node, _ entry: Outline.Entry, _ json: inout JSONWriter) {
        let scene = outline.scene
        var isDrawn = true
        var hasMaterial = true
        switch node.content {
        case .mesh(let id): mesh(scene.meshes[id], node, entry.counts ?? MeshCounts(), &json)
        case .curves(let id): json.member("pointCount", scene.curves[id].points.count)
        case .points(let id): json.member("pointCount", scene.points[id].points.count)
        case .implicit: break
        case .instancer(let id):
            hasMaterial = false
            let instancer = scene.instancers[id]
            json.key("instancer")
            json.beginObject()
            json.strings("prototypes", instancer.prototypePaths)
            json.member("instances", instancer.protoIndices.count)
            json.endObject()
        case .none, .camera, .light, .skeleton:
            isDrawn = false
            hasMaterial = false
        }
        // A gprim that is not understood (a Volume) has no content here, but may have a material.
        if hasMaterial || node.material != nil {
            json.member("material", node.material.flatMap { scene.materials.contains($0) ? scene.materials[$0].path : nil })
        }
        switch node.content {
        case .camera(let id):
            let camera = scene.cameras[id]
            json.key("camera")
            json.beginObject()
            json.member("projection", camera.projection)
            json.member("focalLength", camera.focalLength)
            json.member("horizontalAperture", camera.horizontalAperture)
            json.member("verticalAperture", camera.verticalAperture)
            json.member("near", camera.near)
            json.member("far", camera.far)
            json.endObject()
        case .skeleton(let id): json.member("joints", scene.skeletons[id].joints.count)
        default: break
        }
        if let id = node.light, scene.lights.contains(id) {
            let light = scene.lights[id]
            json.key("light")
            json.beginObject()
            json.member("intensity", light.intensity)
            json.member("exposure", light.exposure)
            json.vector("color", light.color)
            json.endObject()
        }
        if isDrawn { json.box("worldBounds", entry.bounds) }
    }

    private func mesh(_ mesh: Mesh, _ node: Node, _ counts: MeshCounts, _ json: inout JSONWriter) {
        json.key("mesh")
        json.beginObject()
        json.member("points", counts.points)
        json.member("faces", counts.faces)
        json.member("faceVertices", counts.faceVertices)
        json.member("triangles", counts.triangles)
        json.member("orientation", mesh.orientation.rawValue)
        json.member("doubleSided", mesh.doubleSided)
        json.member("subdivision", mesh.subdivisionScheme)
        json.member("deforming", mesh.isDeforming)
        json.member("skinned", mesh.skin != nil)
        json.member("blendShapes", mesh.blendShapeCount)
        json.key("uvSets")
        json.beginArray()
        for primvar in node.textureCoordinateSets(of: mesh) { self.primvar(primvar, &json) }
        json.endArray()
        json.key("displayColor")
        if let color = node.primvar("displayColor", of: mesh) { primvar(color, &json) } else { json.null() }
        // A primvar, inherited ones too, counts before the attribute of that name.
        let inherited = node.inheritedPrimvars.first { $0.name == "normals" }
        json.member("normals", (inherited ?? mesh.normals)?.interpolation.rawValue)
        json.key("subsets")
        json.beginArray()
        let order = mesh.subsets.indices.sorted { mesh.subsets[$0].name.utf8.lexicographicallyPrecedes(mesh.subsets[$1].name.utf8) }
        for i in order {
            let subset = mesh.subsets[i]
            json.beginObject()
            json.member("path", node.path + "/" + subset.name)
            json.member("family", subset.family)
            json.member("elements", subset.faces.count)
            let material = i < node.subsetMaterials.count ? node.subsetMaterials[i] : nil
            json.member("material", material.flatMap { outline.scene.materials.contains($0) ? outline.scene.materials[$0].path : nil })
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private func primvar(_ primvar: Primvar, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("name", primvar.name)
        json.member("interpolation", primvar.interpolation.rawValue)
        json.member("indexed", primvar.indices != nil)
        json.endObject()
    }

    private func transformOps(_ node: Node, _ json: inout JSONWriter) {
        json.member("resetsTransformStack", node.resetsTransformStack)
        json.key("transformOps")
        json.beginArray()
        for op in node.transformOps {
            json.beginObject()
            json.member("name", op.name)
            json.key("value")
            if let value = op.value { json.value(value) } else { json.null() }
            json.endObject()
        }
        json.endArray()
    }

    private func attributes(_ node: Node, _ json: inout JSONWriter) {
        json.key("attributes")
        json.beginArray()
        for attribute in node.attributes {
            json.beginObject()
            json.member("name", attribute.name)
            json.member("type", attribute.typeName)
            json.member("value", attribute.value)
            json.member("timeSamples", attribute.timeSampleCount)
            json.endObject()
        }
        json.endArray()
    }

    private func arcs(_ node: Node, _ json: inout JSONWriter) {
        json.key("arcs")
        json.beginArray()
        for arc in node.arcs {
            json.beginObject()
            json.member("kind", arc.kind)
            json.member("file", arc.file)
            json.member("path", arc.path.isEmpty ? nil : arc.path)
            json.member("loaded", arc.isLoaded)
            json.member("state", arc.state.rawValue)
            json.member("level", arc.level)
            if let selection = arc.selection { json.member("selection", selection) }
            if let place = arc.introducedAt { json.member("introducedAt", place) }
            if let file = arc.introducingFile { json.member("introducingFile", file) }
            if arc.isImplied { json.member("implied", true) }
            if arc.timeOffset != 0 || arc.timeScale != 1 {
                json.member("timeOffset", arc.timeOffset)
                json.member("timeScale", arc.timeScale)
            }
            json.endObject()
        }
        json.endArray()
    }
}

extension Node {
    /// The primvars with texture coordinates that the mesh has at this node, inherited ones too, sorted by name.
    func textureCoordinateSets(of mesh: Mesh) -> [Primvar] {
        func isSet(_ p: Primvar) -> Bool {
            guard case .float2 = p.values else { return false }
            return p.role == .textureCoordinate && !p.name.hasPrefix("skel:")
        }
        var sets = mesh.primvars.filter(isSet)
        for p in inheritedPrimvars
        where isSet(p) && !mesh.primvars.contains(where: { $0.name == p.name }) && !sets.contains(where: { $0.name == p.name }) {
            sets.append(p)
        }
        if sets.count > 1 { sets.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
        return sets
    }

    /// A primvar of the mesh or, where it has none of that name, of the nearest node above that hands one down.
    func primvar(_ name: String, of mesh: Mesh) -> Primvar? {
        mesh.primvars.first { $0.name == name } ?? inheritedPrimvars.first { $0.name == name }
    }
}
