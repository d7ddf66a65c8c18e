extension ArrayEdit {
    /// The edits done to an array, as OpenUSD's `VtArrayEdit` does them: indices below zero count from the end, steps whose index
    /// is not there are passed over.
    ///
    /// Nil where the types differ, and where a few words ask for more than can be meant: a length of millions, or elements
    /// moved about again and again.
    func applied(to array: USDArray) -> USDArray? {
        guard array.type == type, case .array(let literals)? = try? literals.resolved(), literals.type == type else { return nil }
        let steps = steps
        let editing = ArrayEditing(steps: steps, components: type.components, limit: max(1 << 20, array.count + steps.count))
        return array.storage.edited(by: literals.storage, editing).map { USDArray(type, $0) }
    }
}

extension ArrayStorage {
    fileprivate func edited(by literals: ArrayStorage, _ edit: ArrayEditing) -> ArrayStorage? {
        switch (self, literals) {
        case (.bytes(let a), .bytes(let b)): edit(a, b, 0).map { .bytes($0) }
        case (.int(let a), .int(let b)): edit(a, b, 0).map { .int($0) }
        case (.uint(let a), .uint(let b)): edit(a, b, 0).map { .uint($0) }
        case (.int64(let a), .int64(let b)): edit(a, b, 0).map { .int64($0) }
        case (.uint64(let a), .uint64(let b)): edit(a, b, 0).map { .uint64($0) }
        case (.half(let a), .half(let b)): edit(a, b, 0).map { .half($0) }
        case (.float(let a), .float(let b)): edit(a, b, 0).map { .float($0) }
        case (.double(let a), .double(let b)): edit(a, b, 0).map { .double($0) }
        case (.token(let a), .token(let b)): edit(a, b, .empty).map { .token($0) }
        case (.string(let a), .string(let b)): edit(a, b, "").map { .string($0) }
        default: nil
        }
    }
}

/// Runs the steps of an edit over flat components.
private struct ArrayEditing {
    var steps: [ArrayEdit.Step]
    var components: Int
    var limit: Int

    func callAsFunction<T>(_ array: [T], _ literals: [T], _ zero: T) -> [T]? {
        var out = array
        let n = components
        var moves = 0
        var count: Int { out.count / n }
        /// The place of an element; nil where there is none. `end` also takes the place behind the last.
        func place(_ index: Int64, orEnd: Bool = false) -> Int? {
            let count = out.count / n
            if index == ArrayEdit.end { return orEnd ? count : nil }
            guard let i = Int(exactly: index), i >= -count, i < count + (orEnd ? 1 : 0) else { return nil }
            return i < 0 ? i + count : i
        }
        func element(_ operand: ArrayEdit.Operand) -> [T]? {
            switch operand {
            case .literal(let i):
                guard i >= 0, i < literals.count / n else { return nil }
                return Array(literals[(i * n)..<(i * n + n)])
            case .element(let index):
                guard let i = place(index) else { return nil }
                return Array(out[(i * n)..<(i * n + n)])
            }
        }
        for step in steps {
            switch step {
            case .write(let what, let at):
                if let e = element(what), let i = place(at) { out.replaceSubrange((i * n)..<(i * n + n), with: e) }
            case .insert(let what, let at):
                if let e = element(what), let i = place(at, orEnd: true) {
                    moves += out.count - i * n
                    out.insert(contentsOf: e, at: i * n)
                }
            case .erase(let at):
                if let i = place(at) {
                    moves += out.count - i * n
                    out.removeSubrange((i * n)..<(i * n + n))
                }
            case .size(let kind, let size, let fill):
                guard let size = Int(exactly: size), size >= 0, size <= limit else { return nil }
                let grows = size > count && kind != .maximum
                let shrinks = size < count && kind != .minimum
                if shrinks { out.removeLast(out.count - size * n) }
                if grows {
                    let e = fill.flatMap { element(.literal($0)) } ?? Array(repeating: zero, count: n)
                    out.reserveCapacity(size * n)
                    for _ in count..<size { out.append(contentsOf: e) }
                }
            }
            if out.count > limit * n || moves > 1 << 33 { return nil }
        }
        return out
    }
}
