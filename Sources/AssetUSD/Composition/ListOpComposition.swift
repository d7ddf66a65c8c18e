/// Applying list edits, as OpenUSD's `SdfListOp::ApplyOperations` does.
extension ListOp where Item: Hashable {
    /// Applies these edits to a weaker list.
    func apply(to list: inout [Item]) { apply(to: &list, map: { $0 }) }

    /// Applies these edits; `map` translates every item first and drops those it has no translation for.
    func apply(to list: inout [Item], map: (Item) -> Item?) {
        if isExplicit {
            list = Self.unique(explicit.compactMap(map))
            return
        }
        if !deleted.isEmpty {
            let gone = Set(deleted.compactMap(map))
            list.removeAll { gone.contains($0) }
        }
        if !added.isEmpty {
            var have = Set(list)
            for item in added.compactMap(map) where have.insert(item).inserted { list.append(item) }
        }
        if !prepended.isEmpty {
            let front = Self.unique(prepended.compactMap(map))
            if list.isEmpty {
                list = front
            } else {
                let have = Set(front)
                list = front + list.filter { !have.contains($0) }
            }
        }
        if !appended.isEmpty {
            let back = Self.uniqueKeepingLast(appended.compactMap(map))
            if list.isEmpty {
                list = back
            } else {
                let have = Set(back)
                list = list.filter { !have.contains($0) } + back
            }
        }
        if !ordered.isEmpty { applyOrder(ordered.compactMap(map), to: &list) }
    }

    var hasEdits: Bool {
        isExplicit || !(prepended.isEmpty && appended.isEmpty && deleted.isEmpty && added.isEmpty && ordered.isEmpty)
    }

    /// The value of a field with edits of several strengths, as an explicit list. Where `add` or `reorder` have a say, OpenUSD
    /// knows no outcome of two edits and passes the weaker one over.
    func combined(over weaker: [ListOp]) -> ListOp {
        var list: [Item] = []
        if !isExplicit, added.isEmpty, ordered.isEmpty {
            for op in weaker.reversed() where op.isExplicit || op.added.isEmpty && op.ordered.isEmpty { op.apply(to: &list) }
        }
        apply(to: &list)
        return ListOp(explicit: list)
    }

    static func unique(_ items: [Item]) -> [Item] {
        if items.count < 2 { return items }
        var seen = Set<Item>()
        return items.filter { seen.insert($0).inserted }
    }

    static func uniqueKeepingLast(_ items: [Item]) -> [Item] {
        if items.count < 2 { return items }
        var seen = Set<Item>()
        return Array(items.reversed().filter { seen.insert($0).inserted }.reversed())
    }
}

extension USDValue {
    /// Whether the value is edits that weaker ones are combined with.
    var isCombined: Bool {
        switch self {
        case .tokenListOp, .stringListOp, .intListOp, .uintListOp, .int64ListOp, .uint64ListOp: true
        default: false
        }
    }

    /// Edits of a list with weaker ones below them; other values as they are.
    func combined(over weaker: [USDValue]) -> USDValue {
        switch self {
        case .tokenListOp(let op): .tokenListOp(op.combined(over: weaker.compactMap { if case .tokenListOp(let o) = $0 { o } else { nil } }))
        case .stringListOp(let op): .stringListOp(op.combined(over: weaker.compactMap { if case .stringListOp(let o) = $0 { o } else { nil } }))
        case .intListOp(let op): .intListOp(op.combined(over: weaker.compactMap { if case .intListOp(let o) = $0 { o } else { nil } }))
        case .uintListOp(let op): .uintListOp(op.combined(over: weaker.compactMap { if case .uintListOp(let o) = $0 { o } else { nil } }))
        case .int64ListOp(let op): .int64ListOp(op.combined(over: weaker.compactMap { if case .int64ListOp(let o) = $0 { o } else { nil } }))
        case .uint64ListOp(let op): .uint64ListOp(op.combined(over: weaker.compactMap { if case .uint64ListOp(let o) = $0 { o } else { nil } }))
        default: self
        }
    }
}

/// Moves the items named in `order` into that order; items between them stay behind the one they followed.
func applyOrder<Item: Hashable>(_ order: [Item], to list: inout [Item]) {
    guard !order.isEmpty, !list.isEmpty else { return }
    var wanted: [Item: Int] = [:]
    for item in order where wanted[item] == nil { wanted[item] = wanted.count }
    var runs = [ArraySlice<Item>?](repeating: nil, count: wanted.count)
    var head: ArraySlice<Item> = []
    var start = 0
    var current = -1
    for (i, item) in list.enumerated() {
        guard let w = wanted[item] else { continue }
        if current < 0 { head = list[start..<i] } else { runs[current] = list[start..<i] }
        current = w
        start = i
    }
    if current < 0 { return }
    runs[current] = list[start...]
    list = Array(head) + runs.compactMap { $0 }.joined()
}
