import AssetIO
import AssetModel
import AssetOps

extension OBJWriter {
    /// Curves as `l` elements through their evaluated points.
    mutating func drawCurves(_ curves: Curves, _ item: DrawItem, _ node: Node, _ m: Matrix4d) throws(AssetError) {
        let evaluated = try CurvePoints(curves)
        guard evaluated.curveCount > 0 else { return }
        let color = constantColor(curves.primvars, node)
        let ofPoints = try evaluated.pointColors()
        try startObject(item, node)
        try use(node.previewMaterial.map { library.index($0, &diagnostics) })
        var written = 0
        let leftOut = try evaluated.forEach { _, line throws(AssetError) in
            let points = PolygonMesh.Points.double(line.points)
            var colors = color
            if let ofPoints, let source = line.source { colors = MeshAttribute(domain: .point, values: Array(ofPoints[source])) }
            try OBJLines.vertices(
                OBJVertices(count: line.points.count), points, m, asDouble: isDouble(curves.points), colors: colors, to: text)
            let start = vertexCount + 1
            vertexCount += line.points.count
            try elements("l", start, line.points.count, closesTo: line.isClosed ? start : nil)
            written += 1
        }
        elementCount += written
        if leftOut > 0 {
            diagnostics.add(
                Diagnostic(
                    .warning, "curves.left-out", "\(amount(leftOut, "curve")) left out: too few points, or some that are not finite",
                    at: location(node), count: leftOut))
        }
        if ofPoints == nil, curves.primvars.contains(where: { $0.name == "displayColor" && $0.interpolation != .constant }) {
            diagnostics.warning("obj.lost.display-color", "colours along curves are not written", at: location(node))
        }
        if curves.primvars.contains(where: { $0.name == "widths" }) {
            diagnostics.warning("obj.lost.widths", "widths of curves are not written: OBJ lines have none", at: location(node))
        }
    }

    /// Points as `p` elements.
    mutating func drawPoints(_ cloud: PointCloud, _ item: DrawItem, _ node: Node, _ m: Matrix4d) throws(AssetError) {
        if node.typeName == "NurbsPatch" || node.typeName == "TetMesh" {
            diagnostics.warning("obj.lost.surface", "the surface of a \(node.typeName) is not written, only its points", at: location(node))
        }
        let (points, bounds, isFinite) = try MeshRepair.loadPoints(cloud.points)
        guard points.count > 0 else { return }
        var colors: MeshAttribute<Vector3f>? = constantColor(cloud.primvars, node)
        if let primvar = cloud.primvars.first(where: { $0.name == "displayColor" }), case .float3(let values) = primvar.values {
            switch try loadAttribute(values, of: primvar, faces: 0, points: points.count, corners: 0) {
            case .good(let attribute): colors = attribute
            case .bad(let defect):
                diagnostics.warning("points.primvar-mismatch", "primvar 'displayColor' is left out: \(defect.message)", at: location(node))
            }
        }
        if colors?.domain == .whole, node.previewMaterial != nil { colors = nil }
        try drawPoints(points, colors: colors, bounds: bounds, isFinite: isFinite, item, node, m)
        if cloud.primvars.contains(where: { $0.name == "widths" }) {
            diagnostics.warning("obj.lost.widths", "widths of points are not written: OBJ points have none", at: location(node))
        }
    }

    mutating func drawPoints(
        _ points: PolygonMesh.Points, colors: MeshAttribute<Vector3f>?, bounds: BoundingBox, isFinite: Bool, _ item: DrawItem,
        _ node: Node, _ m: Matrix4d
    ) throws(AssetError) {
        var vertices = OBJVertices(count: points.count)
        if !isFinite {
            var kept: [Int32] = []
            for i in 0..<points.count where points[i].isFinite { kept.append(Int32(truncatingIfNeeded: i)) }
            diagnostics.add(
                Diagnostic(
                    .warning, "points.not-finite", "\(amount(points.count - kept.count, "point")) left out: not finite", at: location(node),
                    count: points.count - kept.count))
            vertices = OBJVertices(count: kept.count, points: kept)
        }
        guard vertices.count > 0 else { return }
        try startObject(item, node)
        try use(node.previewMaterial.map { library.index($0, &diagnostics) })
        var asDouble = needsDoubles(bounds, m)
        if case .double = points { asDouble = true }
        try OBJLines.vertices(vertices, points, m, asDouble: asDouble, colors: colors, to: text)
        let start = vertexCount + 1
        vertexCount += vertices.count
        elementCount += vertices.count
        // Lines of 16 points stay readable.
        let count = vertices.count
        let lines = (count + 15) / 16
        try text.items(lines, perPiece: 4096, room: { $0.count * (2 + 16 * 24) }) { range, out in
            var p = out
            for line in range {
                p[0] = UInt8(ascii: "p")
                p += 1
                for i in line * 16..<min(count, line * 16 + 16) {
                    p[0] = UInt8(ascii: " ")
                    p += 1 + FloatPrinter.print(start + i, to: p + 1)
                }
                p[0] = UInt8(ascii: "\n")
                p += 1
            }
            return p - out
        }
    }

    /// One element through consecutive vertices.
    private func elements(_ key: String, _ start: Int, _ count: Int, closesTo: Int?) throws(AssetError) {
        try text.text(key)
        try text.items(count, perPiece: 1 << 14, room: { $0.count * 24 }) { range, out in
            var p = out
            for i in range {
                p[0] = UInt8(ascii: " ")
                p += 1 + FloatPrinter.print(start + i, to: p + 1)
            }
            return p - out
        }
        try text.text(closesTo.map { " \($0)\n" } ?? "\n")
    }

    private func isDouble(_ points: PointArray) -> Bool {
        if case .double = points { return true }
        return false
    }

    /// The one display colour of something without a material.
    private func constantColor(_ primvars: [Primvar], _ node: Node) -> MeshAttribute<Vector3f>? {
        guard node.previewMaterial == nil else { return nil }
        let found = primvars.first { $0.name == "displayColor" } ?? node.inheritedPrimvars.first { $0.name == "displayColor" }
        guard let found, found.interpolation == .constant, case .float3(let values) = found.values, values.count == 1 else { return nil }
        do throws(AssetError) {
            return MeshAttribute(domain: .whole, values: try values.load())
        } catch {
            return nil
        }
    }
}
