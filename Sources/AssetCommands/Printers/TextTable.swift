/// Rows of cells in aligned columns.
struct TextTable {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private let head: [String]?
    private var rows: [[TextItem]] = []
    private var widths: [Int]

    init(_ alignments: [Alignment], head: [String]? = nil) {
        self.alignments = alignments
        self.head = head
        widths = head?.map(displayWidth) ?? Array(repeating: 0, count: alignments.count)
    }

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ cells: [TextItem]) {
        for (i, cell) in cells.enumerated() where i < widths.count { widths[i] = max(widths[i], displayWidth(cell.text)) }
        rows.append(cells)
    }

    /// Columns that the widest row takes, `indent` included.
    func width(indent: Int) -> Int { indent + widths.reduce(0) { $0 + ($1 > 0 ? $1 + 2 : 0) } - 2 }

    /// Prints the rows; columns without any text take no room, and the last column is not filled up.
    func print(to out: TextBuffer, indent: Int = 0) {
        if let head { row(head.map { TextItem($0, .dim) }, indent, out) }
        for cells in rows { row(cells, indent, out) }
    }

    private func row(_ cells: [TextItem], _ indent: Int, _ out: TextBuffer) {
        out.put(spaces: indent)
        let last = cells.lastIndex { !$0.text.isEmpty } ?? -1
        for (i, cell) in cells.enumerated() where i <= last && widths[i] > 0 {
            let fill = widths[i] - displayWidth(cell.text)
            if alignments[i] == .right { out.put(spaces: fill) }
            out.put(cell.text, cell.style)
            if i < last { out.put(spaces: (alignments[i] == .left ? fill : 0) + 2) }
        }
        out.endLine()
    }
}
