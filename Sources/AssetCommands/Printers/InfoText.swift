import AssetModel
import AssetOps

/// A screen about one file.
struct InfoText {
    let summary: Summary
    let diagnostics: Diagnostics
    let width: Int?
    let isVerbose: Bool

    private static let labelWidth = 11

    func print(to out: TextBuffer) {
        let s = summary
        out.line(escaped(s.source.file), .bold)
        var format = formatName(s.source.format)
        if let version = s.source.version { format += " \(escaped(version))" }
        row(
            "format",
            [format, byteText(s.source.byteCount) + (s.source.byteCount >= 1000 ? " (\(grouped(s.source.byteCount)) bytes)" : "")], out)
        if let generator = s.metadata.generator { row("made by", [shortName(generator)], out) }
        axes(out)
        if let start = s.metadata.startTimeCode, let end = s.metadata.endTimeCode {
            row(
                "time",
                [
                    "\(numberText(start)) to \(numberText(end))"
                        + (s.metadata.timeCodesPerSecond.map { ", \(numberText($0)) a second" } ?? "")
                ], out)
        }
        size(out)
        nodes(out)
        let t = s.totals
        row(
            "geometry",
            [
                counted(t.meshes, "mesh", "meshes"), counted(t.points, "point"), counted(t.faces, "face"), counted(t.triangles, "triangle"),
                counted(t.drawCalls, "draw call"),
            ], out)
        list("materials", s.materials.map { shortName($0.name) + ($0.shader.map { _ in "" } ?? " (no surface shader)") }, out)
        textures(out)
        list("skeletons", s.skeletons.map { "\(shortName($0.path)) (\(counted($0.joints, "joint")))" }, out)
        list("animations", s.animations.map(animation), out)
        list("cameras", s.cameras.map(escaped), out)
        list("lights", s.lights.map(escaped), out)
        variants(out)
        files(out)
        let warnings = diagnostics.entries.count { $0.severity == .warning } + diagnostics.omitted
        if warnings > 0 {
            label("warnings", out)
            out.line(grouped(warnings), .yellow)
        }
    }

    private func label(_ text: String, _ out: TextBuffer) {
        out.put("  ")
        out.put(padded(text, to: Self.labelWidth), .blue)
        out.put("  ")
    }

    /// Parts in one line, or in more where they do not fit.
    private func row(_ name: String, _ parts: [String], _ out: TextBuffer) {
        label(name, out)
        let indent = Self.labelWidth + 4
        var column = indent
        for (i, part) in parts.enumerated() {
            let text = part + (i < parts.count - 1 ? "," : "")
            let w = displayWidth(text)
            if i > 0 {
                if column + 1 + w > (width ?? 100) {
                    out.endLine()
                    out.put(spaces: indent)
                    column = indent
                } else {
                    out.put(" ")
                    column += 1
                }
            }
            out.put(text)
            column += w
        }
        out.endLine()
    }

    private func formatName(_ id: String) -> String {
        switch id {
        case "usda": "USD text (usda)"
        case "usdc": "USD crate (usdc)"
        case "usdz": "USD package (usdz)"
        case "obj": "Wavefront OBJ"
        case "ply": "PLY"
        case "stl": "STL"
        case "gltf": "glTF"
        case "glb": "glTF binary (glb)"
        case "abc": "Alembic"
        default: escaped(id)
        }
    }

    private func axes(_ out: TextBuffer) {
        let m = summary.metadata
        guard m.upAxis != nil || m.metersPerUnit != nil else { return row("axes, units", ["the file does not say"], out) }
        let up = m.upAxis.map { "\(escaped($0)) up" + (m.isUpAxisAuthored ? "" : " (not said: the fallback)") } ?? "up axis not said"
        let unit = m.metersPerUnit.map { unitName($0) + (m.isMetersPerUnitAuthored ? "" : " (not said: the fallback)") } ?? "unit not said"
        row("axes, units", [up, unit], out)
    }

    private func size(_ out: TextBuffer) {
        guard let b = summary.bounds else { return row("size", ["nothing to see has points"], out) }
        label("size", out)
        out.put(sizeText(b.size), .bold)
        if let m = summary.boundsMeters, m.size != b.size { out.put("  = \(sizeText(m.size)) m") }
        out.endLine()
        out.put(spaces: Self.labelWidth + 4)
        out.line("\(tupleText(b.min)) to \(tupleText(b.max))", .dim)
    }

    private func nodes(_ out: TextBuffer) {
        let count = summary.nodesByType.reduce(0) { $0 + $1.count }
        let most = summary.nodesByType.sorted { ($1.count, $0.type) < ($0.count, $1.type) }
        let limit = isVerbose ? most.count : 10
        var parts = most.prefix(limit).map { "\(grouped($0.count)) \($0.type.isEmpty ? "without a type" : shortName($0.type))" }
        if most.count > limit { parts.append("… \(most.count - limit) more types") }
        if parts.isEmpty { return row("nodes", ["none"], out) }
        parts[0] = "\(grouped(count)): " + parts[0]
        row("nodes", parts, out)
    }

    private func list(_ name: String, _ items: [String], _ out: TextBuffer) {
        guard !items.isEmpty else { return }
        let limit = isVerbose ? items.count : 8
        var parts = Array(items.prefix(limit))
        if items.count > limit { parts.append("… \(grouped(items.count - limit)) more") }
        parts[0] = "\(grouped(items.count)): " + parts[0]
        row(name, parts, out)
    }

    private func animation(_ a: Summary.AnimationEntry) -> String {
        var text = a.name.isEmpty ? "(no name)" : shortName(a.name)
        if let start = a.start, let end = a.end { text += " \(numberText(start)) to \(numberText(end))" }
        if let fps = a.fps { text += " at \(numberText(fps))/s" }
        return text + " (\(counted(a.channels, "channel")))"
    }

    private func textures(_ out: TextBuffer) {
        let textures = summary.textures
        guard !textures.isEmpty else { return }
        let bytes = textures.reduce(0) { $0 + ($1.bytes ?? 0) }
        row("textures", ["\(grouped(textures.count))" + (bytes > 0 ? " with \(byteText(bytes))" : "")], out)
        var table = TextTable([.left, .right, .left, .left, .right])
        let limit = isVerbose ? textures.count : 8
        for t in textures.prefix(limit) {
            let isMissing = t.source == .missing
            table.add([
                TextItem(shortName(t.file), isMissing ? .red : .green),
                TextItem(isMissing ? "missing" : t.width.flatMap { w in t.height.map { "\(w) × \($0)" } } ?? "", isMissing ? .red : .plain),
                TextItem(t.channels.map { counted($0, "channel") } ?? ""),
                TextItem(t.mediaType.map { $0.hasPrefix("image/") ? String($0.dropFirst(6)) : $0 } ?? "", .dim),
                TextItem(t.bytes.map(byteText) ?? ""),
            ])
        }
        table.print(to: out, indent: Self.labelWidth + 4)
        if textures.count > limit {
            out.put(spaces: Self.labelWidth + 4)
            out.line("… \(grouped(textures.count - limit)) more", .dim)
        }
    }

    private func variants(_ out: TextBuffer) {
        var items: [String] = []
        for v in summary.variants {
            for set in v.sets {
                items.append(
                    "\(shortName(v.path)){\(shortName(set.name))=\(shortName(set.selection))} of \(shortName(set.choices.joined(separator: ", ")))")
            }
        }
        let limit = isVerbose ? items.count : 4
        for (i, item) in items.prefix(limit).enumerated() { row(i == 0 ? "variants" : "", [item], out) }
        if items.count > limit { row("", ["… \(grouped(items.count - limit)) more"], out) }
    }

    private func files(_ out: TextBuffer) {
        // The file itself and its textures are told above.
        let others = summary.source.files.filter { $0.role != "root" && $0.role != "texture" }
        guard !others.isEmpty else { return }
        list("files", others.map { shortName($0.path) + " (\(escaped($0.role))\($0.resolved == nil ? ", missing" : ""))" }, out)
    }
}
