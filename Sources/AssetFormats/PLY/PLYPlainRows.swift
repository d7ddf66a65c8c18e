import AssetIO
import AssetModel
import AssetOps

/// Which properties of a row go into which columns.
struct PLYRowPlan: Sendable {
    struct Column: Sendable {
        var width: Int
        var isDouble: Bool
    }
    /// What becomes of a property.
    struct Slot: BitwiseCopyable, Sendable {
        var type: PLYValueType
        /// Below zero: it is passed over.
        var column = -1
        var component = 0
        var divisor: Float = 1
    }
    var columns: [Column] = []
    var slots: [Slot]
    /// Whether the first column are positions, which are measured.
    let hasPositions: Bool

    /// - Parameters:
    ///   - wanted: the columns, in order.
    ///   - hasPositions: whether the first of them are positions.
    init(_ element: PLYElement, _ wanted: [PLYVertexLayout.Column], hasPositions: Bool, positionsAreDouble: Bool) {
        slots = element.properties.map { Slot(type: $0.type) }
        self.hasPositions = hasPositions
        for (c, column) in wanted.enumerated() {
            columns.append(Column(width: column.properties.count, isDouble: c == 0 && hasPositions && positionsAreDouble))
            for (k, i) in column.properties.enumerated() {
                let divisor = column.isColor ? element.properties[i].scalar.colorMaximum : 1
                slots[i] = Slot(type: slots[i].type, column: c, component: k, divisor: Float(divisor))
            }
        }
    }

    /// Whether all properties are single values.
    var isPlain: Bool { slots.allSatisfy { $0.type.length == nil } }
}

/// The columns of a number of rows.
final class PLYRowColumns: Sendable {
    let rows: Int
    let floats: [PLYStore<Float>?]
    let doubles: [PLYStore<Double>?]

    init(_ plan: PLYRowPlan, rows: Int) {
        self.rows = rows
        floats = plan.columns.map { $0.isDouble ? nil : PLYStore<Float>(rows * $0.width) }
        doubles = plan.columns.map { $0.isDouble ? PLYStore<Double>(rows * $0.width) : nil }
    }

    /// Takes over the first rows of others.
    func copy(_ other: PLYRowColumns, _ plan: PLYRowPlan, rows n: Int, to row: Int) {
        for (c, column) in plan.columns.enumerated() {
            let (at, count) = (row * column.width, n * column.width)
            if let to = floats[c], let from = other.floats[c] { (to.base + at).update(from: from.base, count: count) }
            if let to = doubles[c], let from = other.doubles[c] { (to.base + at).update(from: from.base, count: count) }
        }
    }

    /// Adds positions to what was measured.
    func measure(_ plan: PLYRowPlan, _ row: Int, _ n: Int, _ measure: inout PointMeasure) {
        guard plan.hasPositions, n > 0 else { return }
        if let store = floats[0] {
            (store.base + row * 3).withMemoryRebound(to: Point3f.self, capacity: n) { measure.add(UnsafeBufferPointer(start: $0, count: n)) }
        } else if let store = doubles[0] {
            (store.base + row * 3).withMemoryRebound(to: Point3d.self, capacity: n) { measure.add(UnsafeBufferPointer(start: $0, count: n)) }
        }
    }

    /// Reads one row value by value.
    @inline(__always)
    func read<Values: PLYValues>(_ values: inout Values, _ plan: PLYRowPlan, row: Int) throws(PLYFault) {
        for slot in plan.slots {
            guard slot.column >= 0 else {
                try values.skip(slot.type)
                continue
            }
            let value = try values.value(slot.type.scalar)
            let at = row * plan.columns[slot.column].width + slot.component
            if let store = floats[slot.column] {
                store.base[at] = Float(value) / slot.divisor
            } else if let store = doubles[slot.column] {
                store.base[at] = value
            }
        }
    }
}

/// Rows of an element of a text that are read at once.
protocol PLYRowPiece: TextPiece {
    /// Rows that were read.
    var rows: Int { get }
    /// How many rows may be read at most; nil where the bytes alone say.
    func limit(rows: Int?)
}

extension PLYTextValues {
    /// Reads the rows of an element: plain ones in pieces, what is not plain row by row.
    mutating func rows<Piece: PLYRowPiece>(
        _ count: Int, in file: FileBytes, pieceSize: Int, row: inout Int, make: @escaping () -> Piece, take: (Piece, Int) -> Void,
        other: (inout PLYTextValues, Int) throws(PLYFault) -> Void
    ) throws(PLYFault) {
        let begin = offset
        let pieces = TextPieces(file, from: begin, size: pieceSize, make: make)
        let single = make()
        let chunk = min(pieceSize, 1 << 16)
        row = 0
        var isNearEnd = false
        while row < count {
            passBlanks()
            let start = offset
            // Where the element ends is not known, only how long its rows are so far: the last of them are read one piece at a time.
            let left = row == 0 ? 0 : Double(count - row) * Double(start - begin) / Double(row)
            if pieceSize > 0, !isNearEnd, left > Double(2 * pieceSize) {
                var done = row
                let stop = pieces.read(
                    from: start, upTo: start + Int(min(Double(file.count - start), left * 0.9)), begin: { lineStart(behind: $0) }
                ) { piece in
                    guard piece.rows <= count - done else {
                        isNearEnd = true
                        return false
                    }
                    take(piece, done)
                    done += piece.rows
                    return true
                }
                row = done
                move(to: stop)
            } else if pieceSize > 0 {
                single.limit(rows: count - row)
                single.read(from: start, upTo: min(file.count, start + chunk))
                take(single, row)
                row += single.rows
                move(to: single.stop)
            }
            dropBehind()
            if row < count, offset == start || pieceSize == 0 {
                try other(&self, row)
                row += 1
            }
        }
    }
}

/// Reads rows of single values that are written as nearly all are.
final class PLYPlainRows: PLYRowPiece {
    private let file: FileBytes
    private let plan: PLYRowPlan
    private let keeps: Bool
    nonisolated(unsafe) private(set) var stop = 0
    nonisolated(unsafe) private(set) var rows = 0
    nonisolated(unsafe) private(set) var measure = PointMeasure()
    /// The numbers of the rows, where they are kept.
    nonisolated(unsafe) private(set) var columns: PLYRowColumns
    nonisolated(unsafe) private var most: Int?

    /// Rows that are read before they are measured: few enough to stay in the processor's nearest memory.
    private static let block = 256

    init(_ file: FileBytes, _ plan: PLYRowPlan, keeps: Bool) {
        self.file = file
        self.plan = plan
        self.keeps = keeps
        columns = PLYRowColumns(plan, rows: PLYPlainRows.block)
    }

    func limit(rows: Int?) { most = rows }

    func read(from start: Int, upTo limit: Int) {
        (stop, rows, measure) = (start, 0, PointMeasure())
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self), start < limit, limit <= raw.count else { return }
            var largest = most ?? .max
            if keeps {
                // A word and a blank each.
                largest = min(largest, (limit - start) / (2 * max(1, plan.slots.count)) + 1)
                if columns.rows < largest { columns = PLYRowColumns(plan, rows: largest) }
            }
            var p = base + start
            while rows < largest {
                let first = keeps ? rows : 0
                let wanted = min(PLYPlainRows.block, largest - rows)
                let n = PLYPlainRows.read(&p, base + limit, base + raw.count, steps(from: first), wanted)
                columns.measure(plan, first, n, &measure)
                rows += n
                if n < wanted { break }
            }
            stop = p - base
        }
    }

    private struct Step: BitwiseCopyable {
        /// Words that are passed over; 0 for a number.
        var skip = 0
        var floats: UnsafeMutablePointer<Float>?
        var doubles: UnsafeMutablePointer<Double>?
        var stride = 0
        var divisor: Float = 1
    }

    private func steps(from row: Int) -> [Step] {
        var steps: [Step] = []
        for slot in plan.slots {
            if slot.column >= 0 {
                let width = plan.columns[slot.column].width
                let at = row * width + slot.component
                steps.append(
                    Step(
                        floats: columns.floats[slot.column].map { $0.base + at }, doubles: columns.doubles[slot.column].map { $0.base + at },
                        stride: width, divisor: slot.divisor))
            } else if let last = steps.last, last.skip > 0 {
                steps[steps.count - 1].skip += 1
            } else {
                steps.append(Step(skip: 1))
            }
        }
        return steps
    }

    /// Reads up to `most` rows; the last begins before `limit`. Moves `start` behind them and the blanks after.
    private static func read(
        _ start: inout UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ steps: [Step], _ most: Int
    ) -> Int {
        let powers = DecimalPowers.shared
        // So much can be read at any place before.
        let safe = end - 48
        var p = start
        var n = 0
        steps.withUnsafeBufferPointer { steps in
            rows: while n < most, p < limit {
                for step in steps {
                    if step.skip > 0 {
                        guard p < safe, PlainText.passWords(&p, step.skip, safe) else { break rows }
                    } else {
                        guard p < safe, let number = PlainNumber.quickNumber(&p, powers), p.pointee <= 32 else { break rows }
                        if let floats = step.floats {
                            floats[n &* step.stride] = Float(number) / step.divisor
                        } else if let doubles = step.doubles {
                            doubles[n &* step.stride] = number
                        }
                    }
                    p += 1
                    PlainText.passBlanks(&p, safe)
                }
                start = p
                n += 1
            }
        }
        return n
    }
}
