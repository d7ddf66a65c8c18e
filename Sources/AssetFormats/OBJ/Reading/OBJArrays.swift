import AssetModel

/// Which of a file's positions (or texture coordinates, or normals) an object has, in file order.
enum OBJSelection: Sendable {
    /// All of a range: indices are moved by its beginning.
    case range(Range<Int>)
    /// These, in order.
    case list([Int32])

    var count: Int {
        switch self {
        case .range(let range): range.count
        case .list(let list): list.count
        }
    }

    /// - Parameters:
    ///   - exactly: false lets values in that nobody uses, where they are not many: then indices need no look-up.
    init(_ tables: OBJTables, _ runs: [OBJRun], _ kind: OBJIndices.Kind, exactly: Bool) {
        var low = Int32.max
        var high = Int32.min
        var count = 0
        func forEachRun(_ body: (UnsafeBufferPointer<Int32>) -> Void) {
            for run in runs {
                body(kind.column(tables, run.piece).elements(run.firstCorner..<(run.firstCorner + run.cornerCount)))
            }
        }
        forEachRun { some in
            for i in some where i >= 0 {
                low = min(low, i)
                high = max(high, i)
            }
            count += some.count
        }
        guard high >= 0 else {
            self = .range(0..<0)
            return
        }
        let first = Int(low)
        let span = Int(high) - first + 1
        if !exactly, span <= count {
            self = .range(first..<(first + span))
            return
        }
        guard span <= count * 8 + 1024 else {
            // A few of very many: no table over all that lie between.
            var all: [Int32] = []
            all.reserveCapacity(count)
            forEachRun { for i in $0 where i >= 0 { all.append(i) } }
            all.sort()
            var list: [Int32] = []
            for i in all where i != list.last { list.append(i) }
            self = .list(list)
            return
        }
        var used = [UInt8](repeating: 0, count: span)
        var usedCount = 0
        used.withUnsafeMutableBufferPointer { used in
            forEachRun { for i in $0 where i >= 0 { used[Int(i) &- first] = 1 } }
            for flag in used { usedCount &+= Int(flag) }
        }
        if usedCount == span {
            self = .range(first..<(first + span))
        } else {
            var list: [Int32] = []
            list.reserveCapacity(usedCount)
            for i in 0..<span where used[i] != 0 { list.append(Int32(truncatingIfNeeded: first + i)) }
            self = .list(list)
        }
    }

    init(list: [Int32]) { self = .list(list) }

    /// The `k`th of them.
    func index(_ k: Int) -> Int {
        switch self {
        case .range(let range): range.lowerBound + k
        case .list(let list): Int(list[k])
        }
    }
}

/// The selected elements of a column.
struct OBJValues<Element: BitwiseCopyable & Sendable>: DeferredArraySource {
    let column: OBJColumn<Element>
    let selection: OBJSelection
    /// Stands behind the others where given: for corners that have no value.
    var extra: Element?

    var count: Int { selection.count + (extra == nil ? 0 : 1) }

    func load() -> [Element] {
        [Element](unsafeUninitializedCapacity: count) { out, filled in
            forEachBlock { block in
                guard let source = block.baseAddress, let target = out.baseAddress else { return }
                (target + filled).initialize(from: source, count: block.count)
                filled += block.count
            }
        }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) {
        switch selection {
        case .range(let range): body(column.elements(range))
        case .list(let list):
            let all = column.elements
            withUnsafeTemporaryAllocation(of: Element.self, capacity: 1024) { block in
                var n = 0
                for i in list {
                    block.initializeElement(at: n, to: all[Int(i)])
                    n += 1
                    if n == 1024 {
                        body(UnsafeBufferPointer(block))
                        n = 0
                    }
                }
                if n > 0 { body(UnsafeBufferPointer(rebasing: block[0..<n])) }
            }
        }
        if let extra { withUnsafePointer(to: extra) { body(UnsafeBufferPointer(start: $0, count: 1)) } }
    }
}

/// One of the three indices of an object's corners, into what is selected.
struct OBJIndices: DeferredArraySource {
    let tables: OBJTables
    let runs: [OBJRun]
    let count: Int
    let kind: Kind
    let selection: OBJSelection

    enum Kind: Sendable {
        case position, texcoord, normal

        func column(_ tables: OBJTables, _ piece: Int) -> OBJColumn<Int32> {
            switch self {
            case .position: tables.pieces[piece].positionIndices
            case .texcoord: tables.pieces[piece].texcoordIndices
            case .normal: tables.pieces[piece].normalIndices
            }
        }
    }

    func load() -> [Int32] {
        let ranks = Ranks(selection)
        return [Int32](unsafeUninitializedCapacity: count) { out, filled in
            // Corners without an index take the element behind all selected ones.
            let absent = Int32(truncatingIfNeeded: selection.count)
            for run in runs {
                let some = kind.column(tables, run.piece).elements(run.firstCorner..<(run.firstCorner + run.cornerCount))
                if some.isEmpty {
                    for k in filled..<min(filled + run.cornerCount, out.count) { out[k] = absent }
                } else {
                    for (k, i) in some.enumerated() { out[filled + k] = i < 0 ? absent : ranks.rank(i) }
                }
                filled += run.cornerCount
            }
        }
    }
}

/// From indices into a column to places in a selection of it.
private struct Ranks {
    private let first: Int32
    /// One an index from `first` on; empty where the selection is a range.
    private var table: [Int32] = []
    private var list: [Int32] = []

    init(_ selection: OBJSelection) {
        switch selection {
        case .range(let range): first = Int32(truncatingIfNeeded: range.lowerBound)
        case .list(let selected):
            first = selected.first ?? 0
            let span = Int(selected.last ?? 0) - Int(first) + 1
            if span <= selected.count * 16 + 1024 {
                table = [Int32](repeating: 0, count: span)
                for (rank, i) in selected.enumerated() { table[Int(i - first)] = Int32(truncatingIfNeeded: rank) }
            } else {
                list = selected
            }
        }
    }

    @inline(__always)
    func rank(_ i: Int32) -> Int32 {
        if table.isEmpty && list.isEmpty { return i &- first }
        return look(i)
    }

    private func look(_ i: Int32) -> Int32 {
        if !table.isEmpty { return table[Int(i &- first)] }
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < i { low = middle + 1 } else { high = middle }
        }
        return Int32(truncatingIfNeeded: low)
    }
}

/// How many corners each face of an object has.
struct OBJFaceSizes: DeferredArraySource {
    let tables: OBJTables
    let runs: [OBJRun]
    let count: Int

    /// The size of every face, where all have the same.
    static func same(_ tables: OBJTables, _ runs: [OBJRun]) -> Int32? {
        guard let first = runs.first else { return nil }
        let size = tables.pieces[first.piece].faceSize
        return runs.allSatisfy { tables.pieces[$0.piece].faceSizes.count == 0 && tables.pieces[$0.piece].faceSize == size } ? size : nil
    }

    func load() -> [Int32] {
        var out: [Int32] = []
        out.reserveCapacity(count)
        forEachBlock { out.append(contentsOf: $0) }
        return out
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Int32>) -> Void) {
        for run in runs {
            let piece = tables.pieces[run.piece]
            if piece.faceSizes.count == 0 {
                RepeatedArray(piece.faceSize, count: run.faceCount).forEachBlock(body)
            } else {
                body(piece.faceSizes.elements(run.firstFace..<(run.firstFace + run.faceCount)))
            }
        }
    }
}

/// Faces by ranges: those of a material or group, which alternate as the file likes.
struct OBJFaceRanges: DeferredArraySource {
    private(set) var ranges: [Range<Int32>] = []
    private(set) var count = 0

    init() {}

    /// The faces of several, in order. None is in two of them.
    init(joining parts: [OBJFaceRanges]) {
        for range in parts.flatMap(\.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            append(Int(range.lowerBound), range.count)
        }
    }

    mutating func append(_ first: Int, _ n: Int) {
        let (low, high) = (Int32(truncatingIfNeeded: first), Int32(truncatingIfNeeded: first + n))
        count += n
        if let last = ranges.indices.last, ranges[last].upperBound == low {
            ranges[last] = ranges[last].lowerBound..<high
        } else {
            ranges.append(low..<high)
        }
    }

    func load() -> [Int32] {
        var out: [Int32] = []
        out.reserveCapacity(count)
        for range in ranges { out.append(contentsOf: range) }
        return out
    }
}
