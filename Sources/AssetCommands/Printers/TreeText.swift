import AssetModel
import AssetOps

/// The outline for people: lines that show the hierarchy, a column of types, and what each node holds.
struct TreeText {
    /// What is told below a node's line.
    struct Details {
        var bounds = false
        var transforms = false
        var values = false
        var arcs = false
        var isEmpty: Bool { !(bounds || transforms || values || arcs) }
    }

    /// Runs of siblings alike in type and in number of nodes below are folded where they are longer than this.
    private static let longestRun = 20
    private static let shownOfRun = 10

    /// Siblings that one line stands for.
    private struct Fold {
        var siblings = 0
        /// The index behind the last entry that is folded away.
        var end = 0
        var type = ""
    }

    private let outline: Outline
    private let details: Details
    private let width: Int?
    private var nodeText: NodeText
    /// Whether nodes stand alone, named by their paths: with `--type` those between them are missing.
    private let isFlat: Bool
    private var ends: [Int]
    private var isLast: [Bool]
    private var folds: [Int: Fold] = [:]
    private var typeWidth = 0
    private var nameWidth = 0

    init(outline: Outline, details: Details, width: Int?, isFlat: Bool, isFolding: Bool) {
        self.outline = outline
        self.details = details
        self.width = width
        self.isFlat = isFlat
        nodeText = NodeText(outline)
        let entries = outline.entries
        ends = [Int](repeating: entries.count, count: entries.count)
        isLast = [Bool](repeating: false, count: entries.count)
        var open: [Int] = []
        for i in entries.indices {
            while let last = open.last, entries[last].depth >= entries[i].depth { ends[open.removeLast()] = i }
            open.append(i)
        }
        for i in entries.indices { isLast[i] = ends[i] == entries.count || entries[ends[i]].depth < entries[i].depth }
        if isFolding, !isFlat {
            fold(from: 0, to: entries.count)
            for i in entries.indices { fold(from: i + 1, to: ends[i]) }
        }
        measureColumns()
        if let width { nodeText.fit(outline, width: width - (nameWidth + typeWidth + 4)) }
    }

    /// Folds the long runs among the siblings that begin at `start`.
    private mutating func fold(from start: Int, to end: Int) {
        var i = start
        while i < end {
            let type = node(i).typeName
            let below = ends[i] - i
            var run = [i]
            var next = ends[i]
            while next < end, ends[next] - next == below, node(next).typeName == type {
                run.append(next)
                next = ends[next]
            }
            if run.count > Self.longestRun {
                folds[run[Self.shownOfRun]] = Fold(siblings: run.count - Self.shownOfRun - 1, end: run[run.count - 1], type: type)
            }
            i = next
        }
    }

    private func node(_ i: Int) -> Node { outline.scene.nodes[outline.entries[i].node] }

    /// Wide enough for most lines; a line that needs more pushes its own columns.
    private mutating func measureColumns() {
        let most = max(24, (width ?? 120) * 2 / 5)
        var i = 0
        while i < outline.entries.count {
            if let fold = folds[i] {
                i = fold.end
                continue
            }
            let n = node(i)
            let w = leadWidth(outline.entries[i].depth) + displayWidth(shownName(i))
            if w <= most { nameWidth = max(nameWidth, w) }
            let type = displayWidth(shortName(n.typeName))
            if type <= 20 { typeWidth = max(typeWidth, type) }
            i += 1
        }
    }

    /// Whether the first entry is a node that was asked for by its path, and all else lies below it.
    private var hasRoot: Bool { outline.entries.first.map { outline.scene.nodes[$0.node].parent != nil } ?? false }

    private func leadWidth(_ depth: Int) -> Int { isFlat ? 0 : 3 * (hasRoot ? depth : depth + 1) }

    private func shownName(_ i: Int) -> String {
        let n = node(i)
        let name = isFlat || i == 0 && hasRoot ? shortName(n.path) : n.name.isEmpty ? "(no name)" : shortName(n.name)
        guard let width else { return name }
        return truncated(name, to: max(8, width - leadWidth(outline.entries[i].depth)))
    }

    // MARK: Printing

    func print(to out: TextBuffer) {
        header(out)
        // What stands before the nodes of each level: `│  ` where a sibling above has more to come.
        var leads = [""]
        var folded = 0
        var i = 0
        while i < outline.entries.count {
            let depth = outline.entries[i].depth
            let isRoot = isFlat || i == 0 && hasRoot
            let level = isFlat ? 0 : hasRoot ? depth - 1 : depth
            if level + 1 < leads.count { leads.removeLast(leads.count - max(1, level + 1)) }
            let above = isRoot ? "" : leads[min(max(0, level), leads.count - 1)]
            if let fold = folds[i] {
                foldLine(fold, from: i, lead: above, to: out)
                folded += fold.end - i
                i = fold.end
                continue
            }
            let inner = isRoot ? "" : above + (isLast[i] ? "   " : "│  ")
            line(i, lead: isRoot ? "" : above + (isLast[i] ? "└─ " : "├─ "), inner: inner, to: out)
            if !isFlat, !isRoot { leads.append(inner) }
            i += 1
        }
        footer(folded, to: out)
    }

    private func header(_ out: TextBuffer) {
        let source = outline.scene.source
        let name = width.map { truncated(escaped(source.file), to: $0) } ?? escaped(source.file)
        var facts = [escaped(source.format) + (source.version.map { " " + escaped($0) } ?? "")] + metadataFacts(outline.scene.metadata)
        out.put(name, .bold)
        var used = displayWidth(name)
        // The least of the facts go where the line is short.
        while let width, !facts.isEmpty, used + facts.reduce(0, { $0 + displayWidth($1) + 2 }) > width { facts.removeLast() }
        for f in facts {
            out.put("  ")
            out.put(f, .dim)
            used += displayWidth(f) + 2
        }
        out.endLine()
    }

    private func line(_ i: Int, lead: String, inner: String, to out: TextBuffer) {
        let entry = outline.entries[i]
        let n = node(i)
        let name = shownName(i)
        let isHidden = n.isImageable && !n.isVisible
        out.put(lead, .dim)
        out.put(name, isHidden ? .dim : ends[i] > i + 1 || isFlat ? .plain : .bold)
        let column = displayWidth(lead) + displayWidth(name)
        var items = nodeText.items(n, entry.counts)
        if entry.omittedBelow > 0 {
            let triangles = entry.omittedTriangles > 0 ? ", \(counted(entry.omittedTriangles, "triangle"))" : ""
            items.append(TextItem("… \(counted(entry.omittedBelow, "node"))\(triangles) below", .dim))
        }
        if n.typeName.isEmpty && items.isEmpty {
            out.endLine()
        } else {
            let type = TextItem(shortName(n.typeName), .cyan)
            let start = nameWidth + 2
            // The type stands in its column, also where a node has none.
            items.insert(type.text.isEmpty ? TextItem("") : type, at: 0)
            let hasBelow = ends[i] > i + 1
            put(items, column: column, starts: [start, start + typeWidth + 2], continuation: inner + (hasBelow ? "│  " : "   "), to: out)
        }
        if !details.isEmpty { detailLines(entry, n, lead: inner + (ends[i] > i + 1 ? "│  " : "   ") + "  ", to: out) }
    }

    /// Puts items behind each other, the first ones at their columns where the line is not past them. On a terminal those
    /// that do not fit go on in the next line, below the others.
    private func put(_ items: [TextItem], column: Int, starts: [Int], continuation: String, to out: TextBuffer) {
        var column = column
        var isFresh = false
        // Blanks that fill a column stand only before something else.
        var owed = 0
        for (n, item) in items.enumerated() {
            var text = item.text
            if text.isEmpty { continue }
            var w = displayWidth(text)
            var gap = isFresh || n >= starts.count ? 2 : max(2, starts[n] - column)
            if let width, column + gap + w > width, !isFresh || column > displayWidth(continuation) {
                out.endLine()
                out.put(continuation, .dim)
                let at = displayWidth(continuation)
                text = truncated(text, to: max(8, width - at - 2))
                w = displayWidth(text)
                gap = max(2, min(starts[starts.count - 1], width - w) - at)
                column = at
                isFresh = true
                owed = 0
            }
            out.put(spaces: owed + gap)
            owed = text.utf8.reversed().prefix { $0 == 0x20 }.count
            out.put(String(text.dropLast(owed)), item.style)
            column += gap + w
        }
        out.endLine()
    }

    private func foldLine(_ fold: Fold, from start: Int, lead: String, to out: TextBuffer) {
        var totals = SceneTotals()
        for entry in outline.entries[start..<fold.end] {
            guard let c = entry.counts else { continue }
            totals.meshes += 1
            totals.points += c.points
            totals.faces += c.faces
            totals.triangles += c.triangles
        }
        out.put(lead + "⋮  ", .dim)
        out.put("\(grouped(fold.siblings)) more\(fold.type.isEmpty ? "" : " \(shortName(fold.type))") like these", .dim)
        if totals.meshes > 0 {
            out.put(
                "  \(counted(totals.points, "point"))  \(counted(totals.faces, "face"))  \(counted(totals.triangles, "triangle"))", .dim)
        }
        out.endLine()
    }

    private func footer(_ folded: Int, to out: TextBuffer) {
        let t = outline.totals
        let omitted = outline.entries.reduce(0) { $0 + $1.omittedBelow }
        var parts = [
            omitted > 0
                ? "\(grouped(outline.entries.count)) of \(counted(outline.entries.count + omitted, "node"))"
                : counted(outline.entries.count, "node")
        ]
        if t.meshes > 0 { parts.append(counted(t.meshes, "mesh", "meshes")) }
        if t.points > 0 { parts.append(counted(t.points, "point")) }
        if t.faces > 0 { parts.append(counted(t.faces, "face")) }
        if t.triangles > 0 { parts.append(counted(t.triangles, "triangle")) }
        if t.materials > 0 { parts.append(counted(t.materials, "material")) }
        out.endLine()
        var line = ""
        for part in parts {
            if let width, !line.isEmpty, displayWidth(line) + 2 + displayWidth(part) > width {
                out.line(line, .bold)
                line = ""
            }
            line += line.isEmpty ? part : "  " + part
        }
        out.line(line, .bold)
        if details.bounds {
            out.put("bounds", .blue)
            out.line("  " + (outline.bounds.map(boxText) ?? "none"))
        }
        if folded > 0 { out.line("\(counted(folded, "node")) folded; --verbose lists them all", .dim) }
    }

    // MARK: Details

    private func detailLines(_ entry: Outline.Entry, _ n: Node, lead: String, to out: TextBuffer) {
        func detail(_ label: String, _ text: String) {
            out.put(lead, .dim)
            out.put(label, .blue)
            out.put("  ")
            out.line(width.map { truncated(text, to: max(16, $0 - displayWidth(lead) - displayWidth(label) - 2)) } ?? text)
        }
        if details.bounds, let box = entry.bounds { detail("bounds", boxText(box)) }
        if details.transforms, n.isTransformable {
            let w = n.transformOps.map { displayWidth(escaped($0.name)) }.max() ?? 0
            for op in n.transformOps { detail(padded(shortName(op.name), to: w), op.value.map { valueText($0) } ?? "") }
            if n.localTransform != .identity || !n.transformOps.isEmpty { detail("local", matrixText(n.localTransform)) }
            if n.worldTransform != n.localTransform { detail("world", matrixText(n.worldTransform)) }
        }
        if details.values {
            let w = min(40, n.attributes.map { displayWidth(escaped($0.name)) }.max() ?? 0)
            for a in n.attributes {
                let samples = a.timeSampleCount > 0 ? " (\(counted(a.timeSampleCount, "time sample")))" : ""
                detail(padded(shortName(a.name), to: w), shortName(a.typeName) + " = " + escaped(a.value) + samples)
            }
        }
        if details.arcs {
            let w = n.arcs.map { 2 * $0.level + $0.kind.utf8.count }.max() ?? 0
            for arc in n.arcs { detail(padded(String(repeating: " ", count: 2 * arc.level) + escaped(arc.kind), to: w), arcText(arc, n)) }
        }
    }
}

/// `chair.usda </Chair>  missing`
func arcText(_ arc: CompositionArc, _ node: Node) -> String {
    var parts: [String] = []
    if let selection = arc.selection { parts.append(shortName(selection)) }
    if let file = arc.file { parts.append(escaped(file)) }
    if !arc.path.isEmpty { parts.append("<\(shortName(arc.path))>") }
    var text = parts.joined(separator: " ")
    var notes: [String] = []
    switch arc.state {
    case .loaded: break
    case .unloaded: notes.append("not loaded")
    case .missing: notes.append("missing")
    case .unreadable: notes.append("cannot be read")
    case .circular: notes.append("circular")
    case .empty: notes.append(arc.kind == "reference" || arc.kind == "payload" ? "no such prim" : "nothing authored there")
    }
    if arc.kind == "prototype", arc.path == node.path { notes.append("this one, shared with others like it") }
    if let place = arc.introducedAt { notes.append("of \(arc.introducingFile.map { escaped($0) + " " } ?? "")<\(shortName(place))>") }
    if arc.isImplied { notes.append("implied") }
    if arc.timeScale != 1 || arc.timeOffset != 0 {
        let scale = arc.timeScale == 1 ? "" : " × \(numberText(arc.timeScale))"
        let offset = arc.timeOffset == 0 ? "" : " \(arc.timeOffset < 0 ? "−" : "+") \(numberText(abs(arc.timeOffset)))"
        notes.append("time" + scale + offset)
    }
    if !notes.isEmpty { text += "  (" + notes.joined(separator: ", ") + ")" }
    return text
}

/// `(-1, 0, -1) to (1, 2, 1), size (2, 2, 2)`
func boxText(_ box: BoundingBox) -> String {
    "\(tupleText(box.min)) to \(tupleText(box.max)), size \(sizeText(box.size))"
}

/// `2 × 2 × 2`
func sizeText(_ v: Vector3d) -> String { [v.x, v.y, v.z].map { significant($0, 5) }.joined(separator: " × ") }

func matrixText(_ m: Matrix4d) -> String {
    if m == .identity { return "identity" }
    return [m.rows.0, m.rows.1, m.rows.2, m.rows.3].map { r in
        "(" + [r.x, r.y, r.z, r.w].map { significant($0) }.joined(separator: ", ") + ")"
    }.joined(separator: " ")
}
