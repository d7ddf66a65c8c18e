import AssetIO
import AssetModel
import AssetOps

/// The pieces that the JSON documents of the reading commands share. Keys come in a fixed order; numbers are finite or null.
extension JSONWriter {
    mutating func schema(_ name: String) { member("schema", name) }

    /// A double that came from a float is printed as the float: 0.1, not 0.10000000149011612.
    mutating func short(_ number: Double) {
        let asFloat = Float(number)
        if Double(asFloat) == number { value(asFloat) } else { value(number) }
    }

    mutating func short(_ name: String, _ number: Double?) {
        key(name)
        if let number { short(number) } else { null() }
    }

    mutating func vector(_ name: String, _ v: Vector3d) {
        key(name)
        beginArray(inline: true)
        short(v.x)
        short(v.y)
        short(v.z)
        endArray()
    }

    mutating func vector(_ name: String, _ v: Vector3f) {
        key(name)
        beginArray(inline: true)
        value(v.x)
        value(v.y)
        value(v.z)
        endArray()
    }

    mutating func vector(_ name: String, _ v: Vector2f) {
        key(name)
        beginArray(inline: true)
        value(v.x)
        value(v.y)
        endArray()
    }

    mutating func vector(_ name: String, _ v: Vector4f?) {
        key(name)
        guard let v else { return null() }
        beginArray(inline: true)
        value(v.x)
        value(v.y)
        value(v.z)
        value(v.w)
        endArray()
    }

    mutating func box(_ name: String, _ box: BoundingBox?) {
        key(name)
        guard let box, !box.isEmpty else { return null() }
        beginObject()
        vector("min", box.min)
        vector("max", box.max)
        endObject()
    }

    mutating func matrix(_ name: String, _ m: Matrix4d) {
        key(name)
        beginArray(inline: true)
        for row in [m.rows.0, m.rows.1, m.rows.2, m.rows.3] {
            short(row.x)
            short(row.y)
            short(row.z)
            short(row.w)
        }
        endArray()
    }

    mutating func strings(_ name: String, _ texts: [String]) {
        key(name)
        beginArray()
        for t in texts { value(t) }
        endArray()
    }

    /// `upAxis` and `metersPerUnit`.
    mutating func units(_ metadata: SceneMetadata) {
        member("upAxis", metadata.upAxis)
        short("metersPerUnit", metadata.metersPerUnit)
    }

    mutating func warnings(_ diagnostics: Diagnostics, of file: String) {
        key("warnings")
        beginArray()
        for d in diagnostics.entries {
            beginObject()
            member("severity", d.severity.rawValue)
            member("code", d.code)
            member("message", d.message)
            if let path = d.location.primPath { member("path", path) }
            switch d.location.position {
            case .line(let line, _): member("line", line)
            case .byteOffset(let offset): member("offset", offset)
            case .jsonPointer(let pointer): member("pointer", pointer)
            case .unknown: break
            }
            if d.location.file != file, !d.location.file.isEmpty { member("file", d.location.file) }
            if d.count > 1 { member("count", d.count) }
            endObject()
        }
        endArray()
    }

    /// A file of which nothing is shown: its name, and the errors among the warnings.
    mutating func failure(_ problem: CommandFailure, of file: String) {
        member("file", file)
        var all = Diagnostics()
        switch problem {
        case .input(let error), .output(let error): all.add(error.diagnostic)
        case .strict(let met):
            for var d in met.entries {
                if d.severity == .warning { d.severity = .error }
                all.add(d)
            }
        case .usage, .said: break
        }
        warnings(all, of: file)
    }

    mutating func materials(_ scene: Scene, users: [[String]]) {
        key("materials")
        beginArray()
        for (i, material) in scene.materials.enumerated() where material.isInTree {
            beginObject()
            member("path", material.path)
            member("name", material.name)
            member("shader", material.shader)
            key("inputs")
            beginObject()
            for input in material.inputs {
                guard let v = input.value else { continue }
                key(input.name)
                value(v)
            }
            endObject()
            key("textures")
            beginObject()
            for input in material.inputs {
                guard let binding = input.texture, scene.textures.contains(binding.texture) else { continue }
                key(input.name)
                texture(binding, scene.textures[binding.texture])
            }
            endObject()
            strings("usedBy", i < users.count ? users[i] : [])
            endObject()
        }
        endArray()
    }

    private mutating func texture(_ binding: TextureBinding, _ texture: Texture) {
        beginObject()
        member("file", texture.namesFile ? texture.authoredPath : nil)
        member("resolved", texture.resolvedPath)
        member("output", binding.authoredOutput ?? binding.output)
        member("uvSet", binding.primvar)
        member("wrapS", binding.wrapS.rawValue)
        member("wrapT", binding.wrapT.rawValue)
        key("transform")
        if let t = binding.transform {
            beginObject()
            member("rotation", t.rotation)
            vector("scale", t.scale)
            vector("translation", t.translation)
            endObject()
        } else {
            null()
        }
        vector("scale", binding.scale)
        vector("bias", binding.bias)
        member("colorSpace", binding.colorSpace.rawValue)
        vector("fallback", binding.fallback)
        endObject()
    }

    /// Hands what is written so far to the output, where it is much.
    mutating func flushIfFull(_ buffer: TextBuffer) {
        if out.isFull { out.flush { buffer.append($0) } }
    }

    mutating func flush(_ buffer: TextBuffer) {
        out.flush { buffer.append($0) }
    }
}
