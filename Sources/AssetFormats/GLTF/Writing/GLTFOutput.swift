import AssetIO
import AssetModel
import AssetOps

/// A glTF document that is being put together: its tables in the order of the specification (glTF 2.0, section 5), with what few
/// entries have as JSON values.
struct GLTFOutput {
    struct Node {
        var name = ""
        var children: [Int] = []
        var transform: TransformParts?
        var mesh: Int?
        var skin: Int?
        var camera: Int?
        var light: Int?
        var weights: [Float] = []
        /// `EXT_mesh_gpu_instancing`: accessors by attribute.
        var instancing: [(attribute: String, accessor: Int)] = []
        var extras: [Value.Entry] = []
    }

    struct Primitive {
        var attributes: [(semantic: String, accessor: Int)] = []
        var indices: Int?
        var mode = 4
        var material: Int?
        /// A target: accessors by attribute.
        var targets: [[(semantic: String, accessor: Int)]] = []
        var extensions: [Value.Entry] = []
    }

    struct Mesh {
        var name = ""
        var primitives: [Primitive] = []
        var weights: [Float] = []
        var targetNames: [String] = []
    }

    struct Skin {
        var name = ""
        var inverseBindMatrices: Int?
        var joints: [Int]
        var skeleton: Int?
    }

    struct Animation {
        struct Sampler {
            var input: Int
            var output: Int
            var interpolation: String
        }
        struct Channel {
            var sampler: Int
            var node: Int
            var path: String
        }
        var name = ""
        var samplers: [Sampler] = []
        var channels: [Channel] = []
    }

    struct Image {
        var name = ""
        var uri: String?
        var view: Int?
        var mediaType: String
    }

    var nodes: [Node] = []
    var roots: [Int] = []
    var meshes: [Mesh] = []
    var skins: [Skin] = []
    var animations: [Animation] = []
    var cameras: [Value] = []
    var lights: [Value] = []
    /// Names of variants of materials (KHR_materials_variants).
    var variants: [String] = []
    var materials: [Value] = []
    var textures: [Value] = []
    var samplers: [Value] = []
    var images: [Image] = []
    var buffer = GLTFBuffer()
    /// Names of extensions, and whether a reader must know them.
    var extensions: [String: Bool] = [:]
    /// Where the buffer lies; nil within a binary file.
    var bufferURI: String?
    var generator = "Facet"
    var copyright: String?

    mutating func use(_ name: String, isRequired: Bool = false) {
        extensions[name] = extensions[name] == true || isRequired
    }

    // MARK: JSON

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("asset")
        json.beginObject()
        json.member("version", "2.0")
        json.member("generator", generator)
        if let copyright { json.member("copyright", copyright) }
        json.endObject()
        names("extensionsUsed", extensions.keys.sorted(), &json)
        names("extensionsRequired", extensions.filter(\.value).keys.sorted(), &json)
        var whole: [Value.Entry] = []
        if !lights.isEmpty { whole.append(.init("KHR_lights_punctual", .dictionary([.init("lights", .array(lights))]))) }
        if !variants.isEmpty {
            let named = variants.map { Value.dictionary([.init("name", .string($0))]) }
            whole.append(.init("KHR_materials_variants", .dictionary([.init("variants", .array(named))])))
        }
        if !whole.isEmpty {
            json.key("extensions")
            json.value(.dictionary(whole))
        }
        json.member("scene", 0)
        json.key("scenes")
        json.beginArray()
        json.beginObject()
        if !roots.isEmpty {
            json.key("nodes")
            json.value(roots)
        }
        json.endObject()
        json.endArray()
        list("nodes", nodes, &json) { node, json in write(node, &json) }
        list("meshes", meshes, &json) { mesh, json in write(mesh, &json) }
        values("materials", materials, &json)
        values("textures", textures, &json)
        list("images", images, &json) { image, json in
            json.beginObject()
            if !image.name.isEmpty { json.member("name", image.name) }
            if let uri = image.uri { json.member("uri", uri) }
            if let view = image.view {
                json.member("mimeType", image.mediaType)
                json.member("bufferView", view)
            }
            json.endObject()
        }
        values("samplers", samplers, &json)
        list("skins", skins, &json) { skin, json in
            json.beginObject()
            if !skin.name.isEmpty { json.member("name", skin.name) }
            if let matrices = skin.inverseBindMatrices { json.member("inverseBindMatrices", matrices) }
            if let skeleton = skin.skeleton { json.member("skeleton", skeleton) }
            json.key("joints")
            json.value(skin.joints)
            json.endObject()
        }
        list("animations", animations, &json) { animation, json in write(animation, &json) }
        values("cameras", cameras, &json)
        buffer.write(uri: bufferURI, to: &json)
        json.endObject()
    }

    private func names(_ key: String, _ names: [String], _ json: inout JSONWriter) {
        if !names.isEmpty { values(key, names.map { .string($0) }, &json) }
    }

    private func values(_ key: String, _ values: [Value], _ json: inout JSONWriter) {
        list(key, values, &json) { value, json in json.value(value) }
    }

    private func list<E>(_ key: String, _ items: [E], _ json: inout JSONWriter, _ write: (E, inout JSONWriter) -> Void) {
        // Arrays have one item at least (section 3.1).
        guard !items.isEmpty else { return }
        json.key(key)
        json.beginArray()
        for item in items { write(item, &json) }
        json.endArray()
    }

    private func write(_ node: Node, _ json: inout JSONWriter) {
        json.beginObject()
        if !node.name.isEmpty { json.member("name", node.name) }
        if let mesh = node.mesh { json.member("mesh", mesh) }
        if let skin = node.skin { json.member("skin", skin) }
        if let camera = node.camera { json.member("camera", camera) }
        if !node.children.isEmpty {
            json.key("children")
            json.value(node.children)
        }
        if let t = node.transform {
            let parts: [(String, [Float], [Float])] = [
                ("translation", Self.numbers([t.translation.x, t.translation.y, t.translation.z]), [0, 0, 0]),
                ("rotation", Self.numbers([t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w]), [0, 0, 0, 1]),
                ("scale", Self.numbers([t.scale.x, t.scale.y, t.scale.z]), [1, 1, 1]),
            ]
            for (key, value, usual) in parts where value != usual {
                json.key(key)
                json.value(value)
            }
        }
        if !node.weights.isEmpty {
            json.key("weights")
            json.value(node.weights)
        }
        if node.light != nil || !node.instancing.isEmpty {
            json.key("extensions")
            json.beginObject()
            if let light = node.light {
                json.key("KHR_lights_punctual")
                json.value(.dictionary([.init("light", .int(Int64(light)))]))
            }
            if !node.instancing.isEmpty {
                json.key("EXT_mesh_gpu_instancing")
                let attributes = node.instancing.map { Value.Entry($0.attribute, .int(Int64($0.accessor))) }
                json.value(.dictionary([.init("attributes", .dictionary(attributes))]))
            }
            json.endObject()
        }
        if !node.extras.isEmpty {
            json.key("extras")
            json.value(.dictionary(node.extras))
        }
        json.endObject()
    }

    /// Transforms are floats to all who read them.
    private static func numbers(_ values: [Double]) -> [Float] { values.map { Float($0) } }

    private func write(_ mesh: Mesh, _ json: inout JSONWriter) {
        json.beginObject()
        if !mesh.name.isEmpty { json.member("name", mesh.name) }
        json.key("primitives")
        json.beginArray()
        for primitive in mesh.primitives {
            json.beginObject()
            json.key("attributes")
            json.value(Self.accessors(primitive.attributes))
            if let indices = primitive.indices { json.member("indices", indices) }
            if primitive.mode != 4 { json.member("mode", primitive.mode) }
            if let material = primitive.material { json.member("material", material) }
            if !primitive.targets.isEmpty {
                json.key("targets")
                json.value(.array(primitive.targets.map(Self.accessors)))
            }
            if !primitive.extensions.isEmpty {
                json.key("extensions")
                json.value(.dictionary(primitive.extensions))
            }
            json.endObject()
        }
        json.endArray()
        if !mesh.weights.isEmpty {
            json.key("weights")
            json.value(mesh.weights)
        }
        if !mesh.targetNames.isEmpty {
            json.key("extras")
            json.value(.dictionary([.init("targetNames", .array(mesh.targetNames.map { .string($0) }))]))
        }
        json.endObject()
    }

    private static func accessors(_ list: [(semantic: String, accessor: Int)]) -> Value {
        .dictionary(list.map { Value.Entry($0.semantic, .int(Int64($0.accessor))) })
    }

    private func write(_ animation: Animation, _ json: inout JSONWriter) {
        json.beginObject()
        if !animation.name.isEmpty { json.member("name", animation.name) }
        json.key("channels")
        json.beginArray()
        for channel in animation.channels {
            json.beginObject()
            json.member("sampler", channel.sampler)
            json.key("target")
            json.beginObject()
            json.member("node", channel.node)
            json.member("path", channel.path)
            json.endObject()
            json.endObject()
        }
        json.endArray()
        json.key("samplers")
        json.beginArray()
        for sampler in animation.samplers {
            json.beginObject()
            json.member("input", sampler.input)
            if sampler.interpolation != "LINEAR" { json.member("interpolation", sampler.interpolation) }
            json.member("output", sampler.output)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
