import AssetIO
import AssetModel
import AssetOps

/// The vertex element of a text, which is read as often as it is asked for.
struct PLYTextVertices: Sendable {
    let table: PLYTable
    let layout: PLYVertexLayout

    /// Reads the rows. Positions that a float32 would move by more than a millionth of the whole's size are read again as doubles.
    /// - Parameters:
    ///   - wants: which columns are read.
    ///   - keeps: whether they are kept; else positions alone are measured, and the arrays are read when they are loaded.
    func read(
        _ values: inout PLYTextValues, wants: (PLYVertices.Kind) -> Bool, keeps: Bool, row: inout Int
    ) throws(PLYFault) -> PLYVertices {
        let element = table.element
        let hasPositions = layout.positions != nil && wants(.points)
        let isDeclaredDouble = layout.positions?.properties.contains { element.properties[$0].scalar.needsDouble } ?? false
        let wanted = layout.columns.filter { wants($0.kind) && (keeps || $0.kind == .points) }
        var plan = PLYRowPlan(element, wanted.map(\.column), hasPositions: hasPositions, positionsAreDouble: isDeclaredDouble)
        var (columns, measure) = try pass(&values, plan, keeps: keeps, row: &row)
        var isDouble = isDeclaredDouble
        var points: PointArray?
        if hasPositions, !isDeclaredDouble, measure.mayNeedDoubles {
            let end = values.offset
            values.move(to: table.start)
            plan = PLYRowPlan(element, [wanted[0].column], hasPositions: true, positionsAreDouble: true)
            let (doubles, exact) = try pass(&values, plan, keeps: keeps, row: &row)
            values.move(to: end)
            if exact.needsDoubles {
                (isDouble, measure) = (true, exact)
                points = doubles.map { PLYVertices($0, [.points]).points }
            }
        }
        if let kept = columns {
            var vertices = PLYVertices(kept, wanted.map(\.kind))
            if let points { vertices.points = points }
            columns = nil
            return vertices
        }
        return deferred(isDouble ? measure.exact : measure.bounds, isDouble: isDouble, wants)
    }

    private func pass(
        _ values: inout PLYTextValues, _ plan: PLYRowPlan, keeps: Bool, row: inout Int
    ) throws(PLYFault) -> (PLYRowColumns?, PointMeasure) {
        let (file, count) = (table.file, table.element.count)
        let kept = keeps ? PLYRowColumns(plan, rows: count) : nil
        // A row at a time, where none are kept.
        let passing = PLYRowColumns(plan, rows: 1)
        var measure = PointMeasure()
        try values.rows(
            count, in: file, pieceSize: plan.isPlain ? table.pieceSize : 0, row: &row, make: { PLYPlainRows(file, plan, keeps: keeps) },
            take: { piece, row in
                kept?.copy(piece.columns, plan, rows: piece.rows, to: row)
                measure.formUnion(piece.measure)
            },
            other: { (values, row) throws(PLYFault) in
                let columns = kept ?? passing
                try columns.read(&values, plan, row: keeps ? row : 0)
                columns.measure(plan, keeps ? row : 0, 1, &measure)
            })
        return (kept, measure)
    }

    /// Arrays that are read when they are loaded.
    private func deferred(_ bounds: FiniteBounds, isDouble: Bool, _ wants: (PLYVertices.Kind) -> Bool) -> PLYVertices {
        var vertices = PLYVertices()
        func array<Element>(
            _ kind: PLYVertices.Kind, _ bounds: FiniteBounds? = nil, _ pick: @escaping @Sendable (PLYVertices) -> DeferredArray<Element>?
        ) -> DeferredArray<Element> {
            .deferred(PLYRereadVertices(source: self, kind: kind, bounds: bounds, pick: pick))
        }
        for (kind, _) in layout.columns where wants(kind) {
            switch kind {
            case .points where isDouble:
                vertices.points = .double(array(kind, bounds) { if case .double(let points) = $0.points { points } else { nil } })
            case .points:
                vertices.points = .float(array(kind, bounds) { if case .float(let points) = $0.points { points } else { nil } })
            case .normals: vertices.normals = array(kind) { $0.normals }
            case .coordinates: vertices.coordinates = array(kind) { $0.coordinates }
            case .colors: vertices.colors = array(kind) { $0.colors }
            case .opacity: vertices.opacity = array(kind) { $0.opacity }
            case .other(let name): vertices.others.append((name, array(kind) { $0.others.first?.values }))
            }
        }
        return vertices
    }
}

/// A column that was not kept.
private struct PLYRereadVertices<Element: Sendable>: DeferredArraySource {
    let source: PLYTextVertices
    let kind: PLYVertices.Kind
    let bounds: FiniteBounds?
    let pick: @Sendable (PLYVertices) -> DeferredArray<Element>?
    var count: Int { source.table.element.count }

    func finiteBounds() -> FiniteBounds? { bounds }

    func load() throws(AssetError) -> [Element] {
        var values = PLYTextValues(source.table.file, at: source.table.start)
        var row = 0
        let vertices: PLYVertices
        do throws(PLYFault) {
            vertices = try source.read(&values, wants: { $0 == kind }, keeps: true, row: &row)
        } catch {
            throw source.table.failure(error, row)
        }
        return try pick(vertices)?.load() ?? []
    }
}
