import AssetIO
import AssetModel

// One function a table. Each appends exactly one element.
extension GLTFDecoder {
    // MARK: Bytes

    mutating func buffer(_ value: JSONValue, _ at: Pointer) {
        var buffer = GLTFDocument.Buffer()
        for (key, value) in value.members {
            switch key {
            case "uri": buffer.source = source(value, at("uri"))
            case "byteLength": buffer.byteLength = int(value, at("byteLength")) ?? 0
            default: break
            }
        }
        document.buffers.append(buffer)
    }

    mutating func bufferView(_ value: JSONValue, _ at: Pointer) {
        var view = GLTFDocument.BufferView()
        for (key, value) in value.members {
            switch key {
            case "buffer": view.buffer = int(value, at("buffer")) ?? -1
            case "byteOffset": view.byteOffset = int(value, at("byteOffset")) ?? 0
            case "byteLength": view.byteLength = int(value, at("byteLength")) ?? 0
            case "byteStride": view.byteStride = int(value, at("byteStride"))
            case "extensions":
                for name: StaticString in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
                    if let packed = value[name] { view.packed = self.packed(packed, name, at) }
                }
            default: break
            }
        }
        document.bufferViews.append(view)
    }

    private mutating func packed(_ value: JSONValue, _ owner: StaticString, _ at: Pointer) -> GLTFDocument.Packed {
        var packed = GLTFDocument.Packed()
        let at = at("extensions", owner)
        packed.owner = "\(owner)"
        for (key, value) in value.members {
            switch key {
            case "buffer": packed.buffer = int(value, at) ?? -1
            case "byteOffset": packed.byteOffset = int(value, at) ?? 0
            case "byteLength": packed.byteLength = int(value, at) ?? 0
            case "byteStride": packed.byteStride = int(value, at) ?? 0
            case "count": packed.count = int(value, at) ?? 0
            case "mode": packed.mode = string(value, at) ?? ""
            case "filter": packed.filter = string(value, at) ?? "NONE"
            default: break
            }
        }
        return packed
    }

    mutating func accessor(_ value: JSONValue, _ at: Pointer) {
        var accessor = GLTFDocument.Accessor()
        for (key, value) in value.members {
            switch key {
            case "bufferView": accessor.bufferView = int(value, at("bufferView"))
            case "byteOffset": accessor.byteOffset = int(value, at("byteOffset")) ?? 0
            case "componentType": accessor.componentType = int(value, at("componentType")) ?? 0
            case "normalized": accessor.isNormalized = value.bool ?? false
            case "count": accessor.count = int(value, at("count")) ?? 0
            case "type": accessor.type = string(value, at("type")) ?? ""
            case "sparse":
                var sparse = GLTFDocument.Sparse()
                sparse.count = value["count"].flatMap { int($0, at("sparse")) } ?? 0
                if let indices = value["indices"] {
                    sparse.indicesView = indices["bufferView"].flatMap { int($0, at("sparse")) } ?? -1
                    sparse.indicesOffset = indices["byteOffset"].flatMap { int($0, at("sparse")) } ?? 0
                    sparse.indicesType = indices["componentType"].flatMap { int($0, at("sparse")) } ?? 0
                }
                if let values = value["values"] {
                    sparse.valuesView = values["bufferView"].flatMap { int($0, at("sparse")) } ?? -1
                    sparse.valuesOffset = values["byteOffset"].flatMap { int($0, at("sparse")) } ?? 0
                }
                accessor.sparse = sparse
            default: break
            }
        }
        document.accessors.append(accessor)
    }

    /// A URI, or the bytes of one that holds them.
    private mutating func source(_ value: JSONValue, _ at: Pointer) -> GLTFDocument.Source {
        guard let text = value.utf8 else {
            wrongType(value, "a string", at)
            return .none
        }
        guard GLTFDataURI.isOne(text) else { return .uri(String(decoding: text, as: UTF8.self)) }
        guard let (bytes, mediaType) = GLTFDataURI.decode(text, document.file.name) else {
            diagnostics.warning(
                "gltf.bad-data-uri", "the data URI is no base64 text, left out",
                at: SourceLocation(file: document.file.name, position: .jsonPointer(at.text)))
            return .data(FileBytes(name: document.file.name, bytes: []), mediaType: "")
        }
        return .data(bytes, mediaType: mediaType)
    }

    // MARK: Images

    mutating func image(_ value: JSONValue, _ at: Pointer) {
        var image = GLTFDocument.Image()
        for (key, value) in value.members {
            switch key {
            case "name": image.name = string(value, at("name"))
            case "uri": image.source = source(value, at("uri"))
            case "bufferView": if let view = int(value, at("bufferView")) { image.source = .view(view) }
            case "mimeType": image.mediaType = string(value, at("mimeType"))
            default: break
            }
        }
        document.images.append(image)
    }

    mutating func sampler(_ value: JSONValue, _ at: Pointer) {
        var sampler = GLTFDocument.Sampler()
        if let wrap = value["wrapS"] { sampler.wrapS = int(wrap, at("wrapS")) ?? 10497 }
        if let wrap = value["wrapT"] { sampler.wrapT = int(wrap, at("wrapT")) ?? 10497 }
        document.samplers.append(sampler)
    }

    mutating func texture(_ value: JSONValue, _ at: Pointer) {
        var texture = GLTFDocument.Texture()
        texture.name = value["name"]?.string
        texture.sampler = value["sampler"].flatMap { int($0, at("sampler")) }
        texture.source = value["source"].flatMap { int($0, at("source")) }
        // The plain image is there for those who know no better one: it is what every target can hold.
        if texture.source == nil, let extensions = value["extensions"] {
            for name: StaticString in ["EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif", "MSFT_texture_dds"] {
                guard let source = extensions[name]?["source"].flatMap({ int($0, at("extensions")) }) else { continue }
                texture.source = source
                texture.sourceExtension = "\(name)"
                break
            }
        }
        document.textures.append(texture)
    }

    // MARK: Materials

    mutating func material(_ value: JSONValue, _ at: Pointer) {
        var material = GLTFDocument.Material()
        for (key, value) in value.members {
            switch key {
            case "name": material.name = string(value, at("name"))
            case "extras": material.extras = value.value
            case "pbrMetallicRoughness": members(value, "", &material)
            case "extensions":
                for (name, value) in value.members {
                    guard let name = name.string else { continue }
                    material.extensions.append(name)
                    members(value, name, &material)
                }
            default: member(key, value, "", &material)
            }
        }
        if material.extras != nil { note("materials") }
        document.materials.append(material)
    }

    private func members(_ object: JSONValue, _ owner: String, _ material: inout GLTFDocument.Material) {
        for (key, value) in object.members { member(key, value, owner, &material) }
    }

    private func member(_ key: JSONValue, _ value: JSONValue, _ owner: String, _ material: inout GLTFDocument.Material) {
        guard let name = key.string, name != "extras", name != "extensions" else { return }
        var member = GLTFDocument.Material.Member(name: name, owner: owner)
        if value.isObject {
            guard let index = value["index"]?.int, index >= 0 else { return }
            member.texture = textureInfo(value, index)
        } else if value.isArray {
            let numbers = value.elements.compactMap(\.double)
            guard numbers.count == value.count else { return }
            member.value = .doubles(numbers)
        } else if let number = value.double {
            member.value = .double(number)
        } else if let open = value.value {
            member.value = open
        } else {
            return
        }
        material.members.append(member)
    }

    private func textureInfo(_ value: JSONValue, _ index: Int) -> GLTFDocument.TextureInfo {
        var info = GLTFDocument.TextureInfo()
        info.index = index
        info.texCoord = value["texCoord"]?.int ?? 0
        info.scale = value["scale"]?.double ?? 1
        info.strength = value["strength"]?.double ?? 1
        if let transform = value["extensions"]?["KHR_texture_transform"] {
            var own = GLTFDocument.TextureInfo.Transform()
            if let offset = transform["offset"]?.elements.compactMap(\.double), offset.count == 2 { own.offset = offset }
            if let scale = transform["scale"]?.elements.compactMap(\.double), scale.count == 2 { own.scale = scale }
            own.rotation = transform["rotation"]?.double ?? 0
            if let set = transform["texCoord"]?.int, set >= 0 { info.texCoord = set }
            info.transform = own
        }
        return info
    }

    // MARK: Meshes

    mutating func mesh(_ value: JSONValue, _ at: Pointer) {
        var mesh = GLTFDocument.Mesh()
        let first = document.primitives.count
        for (key, value) in value.members {
            switch key {
            case "name": mesh.name = string(value, at("name"))
            case "weights": mesh.weights = numbers(value, nil, at("weights"))
            case "primitives":
                if !value.isArray { wrongType(value, "an array", at("primitives")) }
                var i = 0
                for element in value.elements {
                    primitive(element, at("primitives", i))
                    i += 1
                }
            case "extras":
                mesh.targetNames = value["targetNames"]?.elements.map { $0.string ?? "" } ?? []
                if value.members.contains(where: { !("targetNames" ~= $0.key) }) { note("meshes") }
            default: break
            }
        }
        mesh.primitives = first..<document.primitives.count
        document.meshes.append(mesh)
    }

    private mutating func primitive(_ value: JSONValue, _ at: Pointer) {
        var primitive = GLTFDocument.Primitive()
        for (key, value) in value.members {
            switch key {
            case "attributes": primitive.attributes = attributes(value, at.inside("attributes"))
            case "indices": primitive.indices = int(value, at.inside("indices"))
            case "material": primitive.material = int(value, at.inside("material"))
            case "mode": primitive.mode = int(value, at.inside("mode")) ?? 4
            case "targets": primitive.targets = value.elements.map { attributes($0, at.inside("targets")) }
            case "extensions":
                if let draco = value["KHR_draco_mesh_compression"] { primitive.draco = self.draco(draco, at.inside("extensions")) }
                if let mappings = value["KHR_materials_variants"]?["mappings"] {
                    for element in mappings.elements {
                        var mapping = GLTFDocument.Mapping()
                        mapping.material = element["material"].flatMap { int($0, at.inside("extensions")) } ?? -1
                        if let variants = element["variants"] { mapping.variants = indices(variants, at.inside("extensions")) }
                        primitive.mappings.append(mapping)
                    }
                }
            case "extras": note("primitives")
            default: break
            }
        }
        document.primitives.append(primitive)
    }

    private mutating func draco(_ value: JSONValue, _ at: Pointer) -> GLTFDocument.Draco {
        var draco = GLTFDocument.Draco()
        draco.view = value["bufferView"].flatMap { int($0, at) } ?? -1
        for (key, value) in value["attributes"]?.members ?? value.noMembers {
            guard let id = int(value, at).flatMap({ UInt32(exactly: $0) }), let name = key.utf8 else { continue }
            draco.ids[GLTFDocument.Semantic(name)] = id
        }
        return draco
    }

    private mutating func attributes(_ value: JSONValue, _ at: Pointer) -> Range<Int> {
        let first = document.attributes.count
        for (key, value) in value.members {
            guard let accessor = int(value, at), let name = key.utf8 else { continue }
            document.attributes.append(GLTFDocument.Attribute(semantic: GLTFDocument.Semantic(name), accessor: accessor))
        }
        return first..<document.attributes.count
    }

    // MARK: Nodes

    mutating func node(_ value: JSONValue, _ at: Pointer) {
        var node = GLTFDocument.Node()
        for (key, value) in value.members {
            switch key {
            case "name": node.name = string(value, at("name"))
            case "mesh": node.mesh = int(value, at("mesh"))
            case "skin": node.skin = int(value, at("skin"))
            case "camera": node.camera = int(value, at("camera"))
            case "matrix": node.matrix = numbers(value, 16, at("matrix"))
            case "translation": node.translation = numbers(value, 3, at("translation"))
            case "rotation": node.rotation = numbers(value, 4, at("rotation"))
            case "scale": node.scale = numbers(value, 3, at("scale"))
            case "weights": node.weights = numbers(value, nil, at("weights"))
            case "children":
                let first = document.children.count
                document.children.append(contentsOf: indices(value, at("children")))
                node.children = first..<document.children.count
            case "extras": node.extras = value.value
            case "extensions":
                node.light = value["KHR_lights_punctual"]?["light"].flatMap { int($0, at("extensions")) }
                if let visible = value["KHR_node_visibility"]?["visible"]?.bool { node.isVisible = visible }
                if let instancing = value["EXT_mesh_gpu_instancing"]?["attributes"] {
                    node.instancing = []
                    for (key, value) in instancing.members {
                        guard let accessor = int(value, at("extensions")) else { continue }
                        node.instancing?.append(GLTFDocument.Attribute(semantic: .other(key.string ?? ""), accessor: accessor))
                    }
                }
            default: break
            }
        }
        document.nodes.append(node)
    }

    mutating func scene(_ value: JSONValue, _ at: Pointer) {
        var scene = GLTFDocument.Scene()
        scene.name = value["name"]?.string
        if let nodes = value["nodes"] { scene.nodes = indices(nodes, at("nodes")) }
        scene.extras = value["extras"]?.value
        document.scenes.append(scene)
    }

    mutating func skin(_ value: JSONValue, _ at: Pointer) {
        var skin = GLTFDocument.Skin()
        skin.name = value["name"]?.string
        skin.inverseBindMatrices = value["inverseBindMatrices"].flatMap { int($0, at("inverseBindMatrices")) }
        skin.skeleton = value["skeleton"].flatMap { int($0, at("skeleton")) }
        if let joints = value["joints"] { skin.joints = indices(joints, at("joints")) }
        if value["extras"] != nil { note("skins") }
        document.skins.append(skin)
    }

    // MARK: Animations, cameras, lights

    mutating func animation(_ value: JSONValue, _ at: Pointer) {
        var animation = GLTFDocument.Animation()
        animation.name = value["name"]?.string
        for element in value["channels"]?.elements ?? value.noElements {
            var channel = GLTFDocument.Animation.Channel()
            channel.sampler = element["sampler"].flatMap { int($0, at("channels")) } ?? -1
            channel.node = element["target"]?["node"].flatMap { int($0, at("channels")) }
            channel.path = element["target"]?["path"]?.string ?? ""
            animation.channels.append(channel)
        }
        for element in value["samplers"]?.elements ?? value.noElements {
            var sampler = GLTFDocument.Animation.Sampler()
            sampler.input = element["input"].flatMap { int($0, at("samplers")) } ?? -1
            sampler.output = element["output"].flatMap { int($0, at("samplers")) } ?? -1
            sampler.interpolation = element["interpolation"]?.string ?? "LINEAR"
            animation.samplers.append(sampler)
        }
        if value["extras"] != nil { note("animations") }
        document.animations.append(animation)
    }

    mutating func camera(_ value: JSONValue, _ at: Pointer) {
        var camera = GLTFDocument.Camera()
        camera.name = value["name"]?.string
        camera.type = value["type"]?.string ?? ""
        if let lens = value["perspective"] {
            camera.aspectRatio = lens["aspectRatio"].flatMap { number($0, at("perspective")) }
            camera.yfov = lens["yfov"].flatMap { number($0, at("perspective")) } ?? 0
            camera.znear = lens["znear"].flatMap { number($0, at("perspective")) } ?? 0
            camera.zfar = lens["zfar"].flatMap { number($0, at("perspective")) }
        } else if let lens = value["orthographic"] {
            camera.xmag = lens["xmag"].flatMap { number($0, at("orthographic")) } ?? 0
            camera.ymag = lens["ymag"].flatMap { number($0, at("orthographic")) } ?? 0
            camera.znear = lens["znear"].flatMap { number($0, at("orthographic")) } ?? 0
            camera.zfar = lens["zfar"].flatMap { number($0, at("orthographic")) }
        }
        if value["extras"] != nil { note("cameras") }
        document.cameras.append(camera)
    }

    mutating func light(_ value: JSONValue, _ at: Pointer) {
        var light = GLTFDocument.Light()
        light.name = value["name"]?.string
        light.type = value["type"]?.string ?? ""
        if let color = value["color"] {
            let numbers = numbers(color, 3, at("color"))
            if !numbers.isEmpty { light.color = numbers }
        }
        light.intensity = value["intensity"].flatMap { number($0, at("intensity")) } ?? 1
        light.range = value["range"].flatMap { number($0, at("range")) }
        if let spot = value["spot"] {
            light.innerConeAngle = spot["innerConeAngle"]?.double ?? 0
            light.outerConeAngle = spot["outerConeAngle"]?.double ?? .pi / 4
        }
        document.lights.append(light)
    }
}

extension GLTFDocument.Semantic {
    init(_ name: UnsafeBufferPointer<UInt8>) {
        func set(_ prefix: StaticString) -> Int? {
            let n = prefix.utf8CodeUnitCount
            guard name.count > n, name.count <= n + 3 else { return nil }
            for i in 0..<n where name[i] != prefix.utf8Start[i] { return nil }
            var set = 0
            for byte in name[n...] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                set = set * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return set
        }
        if let n = set("TEXCOORD_") {
            self = .texcoord(n)
        } else if let n = set("COLOR_") {
            self = .color(n)
        } else if let n = set("JOINTS_") {
            self = .joints(n)
        } else if let n = set("WEIGHTS_") {
            self = .weights(n)
        } else {
            switch String(decoding: name, as: UTF8.self) {
            case "POSITION": self = .position
            case "NORMAL": self = .normal
            case "TANGENT": self = .tangent
            case let other: self = .other(other)
            }
        }
    }
}
