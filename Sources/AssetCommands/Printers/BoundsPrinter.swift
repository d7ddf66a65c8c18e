import AssetIO
import AssetModel
import AssetOps

/// Bounds as text and as `facet.bounds/1`.
struct BoundsPrinter {
    let scene: Scene
    /// What counts in the whole.
    let filter: NodeFilter
    let total: BoundingBox?
    /// One a node.
    let nodes: [BoundingBox?]

    func json(to buffer: TextBuffer) {
        var json = JSONWriter()
        json.beginObject()
        json.schema("facet.bounds/1")
        json.box("bounds", total)
        json.key("nodes")
        json.beginArray()
        for case (let i, let box?) in nodes.enumerated() {
            json.beginObject()
            json.member("path", scene.nodes[i].path)
            json.vector("min", box.min)
            json.vector("max", box.max)
            json.vector("size", box.size)
            json.vector("center", box.center)
            json.endObject()
            json.flushIfFull(buffer)
        }
        json.endArray()
        json.endObject()
        json.flush(buffer)
    }

    func text(to out: TextBuffer, width: Int?) {
        out.put(escaped(scene.source.file), .bold)
        for fact in metadataFacts(scene.metadata).prefix(2) {
            out.put("  ")
            out.put(fact, .dim)
        }
        out.endLine()
        guard let total else {
            out.line("no bounds: nothing to see has points")
            return
        }
        let unit = scene.metadata.metersPerUnit
        out.put("size", .blue)
        out.put("  " + sizeText(total.size))
        if let unit, unit != 1 { out.put("  = \(sizeText(total.size * unit)) m", .dim) }
        out.endLine()
        out.endLine()
        // A column of marks only where there are some.
        let hasMarks = nodes.indices.contains { nodes[$0] != nil && !mark($0).isEmpty }
        let names = hasMarks ? 2 : 1
        var table = TextTable(
            Array(repeating: .left, count: names) + Array(repeating: .right, count: 12),
            head: Array(repeating: "", count: names) + ["", "min", "", "", "max", "", "", "size", "", "", "centre", ""])
        table.add([TextItem("everything", .bold)] + (hasMarks ? [TextItem("")] : []) + cells(total))
        for case (let i, let box?) in nodes.enumerated() {
            table.add([TextItem(shortName(scene.nodes[i].path))] + (hasMarks ? [TextItem(mark(i), .yellow)] : []) + cells(box))
        }
        if let width, table.width(indent: 0) > width {
            stacked("everything", "", total, out)
            for case (let i, let box?) in nodes.enumerated() { stacked(shortName(scene.nodes[i].path), mark(i), box, out) }
        } else {
            table.print(to: out)
        }
    }

    private func cells(_ box: BoundingBox) -> [TextItem] {
        [(box.min, TextStyle.plain), (box.max, .plain), (box.size, .bold), (box.center, .dim)].flatMap { v, style in
            [v.x, v.y, v.z].map { TextItem(significant($0, 5), style) }
        }
    }

    /// Why a node's own geometry does not count in the whole; empty where it does.
    private func mark(_ i: Int) -> String {
        let node = scene.nodes[i]
        // Without geometry of its own its box is that of what counts below it.
        if !node.hasGeometry || filter.shows(node) { return "" }
        return node.isVisible ? node.purpose.rawValue : "hidden"
    }

    /// The same below each other, where a row would not fit.
    private func stacked(_ name: String, _ mark: String, _ box: BoundingBox, _ out: TextBuffer) {
        out.put(name, .bold)
        if !mark.isEmpty { out.put("  " + mark, .yellow) }
        out.endLine()
        for (label, v) in [("min   ", box.min), ("max   ", box.max), ("size  ", box.size), ("centre", box.center)] {
            out.put("  ")
            out.put(label, .blue)
            out.line("  " + tupleText(v))
        }
    }
}
