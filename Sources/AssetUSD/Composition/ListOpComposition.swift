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
