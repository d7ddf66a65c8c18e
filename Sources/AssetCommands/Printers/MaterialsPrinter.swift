import AssetIO
import AssetModel

/// Materials as text and as `facet.materials/1`.
struct MaterialsPrinter {
    let scene: Scene
    /// For each material the paths of the nodes that use it.
    let users: [[String]]

    func json(to buffer: TextBuffer) {
        var json = JSONWriter()
        json.beginObject()
        json.schema("facet.materials/1")
        json.materials(scene, users: users)
        json.endObject()
        json.flush(buffer)
    }

    func text(to out: TextBuffer, isVerbose: Bool) {
        let shown = scene.materials.indices.filter { scene.materials[$0].isInTree }
        out.put(escaped(scene.source.file), .bold)
        out.put("  ")
        out.line(counted(shown.count, "material"), .dim)
        // One width for the names of all materials' inputs: the eye goes down one column.
        let nameWidth = shown.flatMap { scene.materials[$0].inputs.map { displayWidth(shortName($0.name)) } }.max() ?? 0
        for i in shown {
            let material = scene.materials[i]
            out.endLine()
            out.put(shortName(material.name.isEmpty ? "(no name)" : material.name), .bold)
            out.put("  ")
            out.put(material.shader.map(escaped) ?? "no surface shader", .cyan)
            out.put("  ")
            out.line(shortName(material.path), .dim)
            inputs(material, nameWidth, out)
            usedBy(i < users.count ? users[i] : [], isVerbose, nameWidth, out)
        }
    }

    private func inputs(_ material: Material, _ nameWidth: Int, _ out: TextBuffer) {
        var table = TextTable(Array(repeating: .left, count: 7))
        for input in material.inputs {
            let name = TextItem(padded(shortName(input.name), to: nameWidth), .blue)
            if let binding = input.texture, scene.textures.contains(binding.texture) {
                table.add([name] + cells(binding, scene.textures[binding.texture]))
            } else if let value = input.value {
                table.add([name, TextItem(valueText(value))])
            }
        }
        table.print(to: out, indent: 2)
    }

    private func cells(_ binding: TextureBinding, _ texture: Texture) -> [TextItem] {
        let isMissing = texture.source == .missing
        var cells = [
            TextItem(shortName(texture.authoredPath) + (isMissing ? " (missing)" : ""), isMissing ? .red : .green),
            TextItem(escaped(binding.output)),
            TextItem(binding.primvar.map(escaped) ?? ""),
            TextItem(binding.wrapS == binding.wrapT ? binding.wrapS.rawValue : "\(binding.wrapS.rawValue)/\(binding.wrapT.rawValue)", .dim),
            TextItem(binding.colorSpace.rawValue, .dim),
        ]
        var more: [String] = []
        if let t = binding.transform, !t.isIdentity {
            if t.scale != Vector2f(1, 1) { more.append("scale (\(numberText(t.scale.x)), \(numberText(t.scale.y)))") }
            if t.rotation != 0 { more.append("rotate \(numberText(t.rotation))°") }
            if t.translation != Vector2f(0, 0) { more.append("move (\(numberText(t.translation.x)), \(numberText(t.translation.y)))") }
        }
        if let s = binding.scale { more.append("× \(vector(s))") }
        if let b = binding.bias { more.append("+ \(vector(b))") }
        if let f = binding.fallback { more.append("fallback \(vector(f))") }
        cells.append(TextItem(more.joined(separator: ", "), .dim))
        return cells
    }

    private func vector(_ v: Vector4f) -> String {
        if v.x == v.y, v.y == v.z, v.z == v.w { return numberText(v.x) }
        return "(" + [v.x, v.y, v.z, v.w].map { numberText($0) }.joined(separator: ", ") + ")"
    }

    private func usedBy(_ paths: [String], _ isVerbose: Bool, _ nameWidth: Int, _ out: TextBuffer) {
        out.put("  ")
        out.put(padded("used by", to: nameWidth), .blue)
        out.put("  ")
        if paths.isEmpty { return out.line("nothing", .yellow) }
        let limit = isVerbose ? paths.count : 6
        for (n, path) in paths.prefix(limit).enumerated() {
            if n > 0 { out.put(spaces: nameWidth + 4) }
            out.line(shortName(path))
        }
        if paths.count > limit {
            out.put(spaces: nameWidth + 4)
            out.line("… \(counted(paths.count - limit, "more node", "more nodes")); --verbose lists them all", .dim)
        }
    }
}
