import AssetModel

extension USDAParser {
    /// The `<…>` at the cursor; relative paths are below `anchor`. `<>` is the empty path where allowed.
    mutating func pathLiteral(anchor: Path, allowsEmpty: Bool = false) throws(USDAError) -> Path {
        let start = scan.at
        let range = try scan.takePathText()
        if range.isEmpty {
            guard allowsEmpty else { throw USDAError(start, "usda.bad-path", "found an empty path, expected a path") }
            return .empty
        }
        let place = PathMemo.place(scan.text, range)
        if let place, let known = pathMemo.path(place, scan.text, range) { return known }
        var parser = PathTextParser(scan.text.extracting(range), session.paths)
        guard let path = parser.parse(anchor: anchor) else {
            throw USDAError(start, "usda.bad-path", "'\(scan.string(range.lowerBound, range.upperBound))' is not a valid path")
        }
        if let place { pathMemo.note(place, scan.text, range, path) }
        return path
    }

    /// The current prim's path without variant selections: what relative targets start from.
    func primAnchor() -> Path {
        session.paths.strippingVariants(session.paths.primPath(path))
    }

    /// The path of a target. None lies within variants; old files that say so mean the prim itself.
    mutating func targetPath(anchor: Path, allowsEmpty: Bool = false) throws(USDAError) -> Path {
        let start = scan.at
        let written = try pathLiteral(anchor: anchor, allowsEmpty: allowsEmpty)
        let p = session.paths.strippingVariants(written)
        if p != written {
            lenient("usda.variant-in-path", "found '\(session.string(written))', expected a path without variants", at: start)
        }
        return p
    }

    /// Whether an item is in a list twice. Paths that the list names first come in the order of their numbers.
    func hasDuplicates(_ paths: [Path]) -> Bool {
        var last: Int32 = -1
        for p in paths {
            guard p.id > last else { return Self.hasDuplicates(paths) }
            last = p.id
        }
        return false
    }

    /// Up to a few dozen items comparing each with each takes less time than a set.
    static func hasDuplicates<T: Hashable>(_ items: [T]) -> Bool {
        if items.count > 32 { return Set(items).count < items.count }
        for (i, item) in items.enumerated() where items[..<i].contains(item) { return true }
        return false
    }

    mutating func warnOfDuplicates(at offset: Int) {
        lenient("usda.duplicate-item", "found an item twice in a list, expected each once", at: offset)
    }

    /// A list of paths, as targets, connections, inherits and specializes have it.
    mutating func pathItems(allowsProperties: Bool) throws(USDAError) -> [Path] {
        let anchor = primAnchor()
        var all: [Path] = []
        if scan.takeWord("None") { return [] }
        let listStart = scan.at
        let bracketed = scan.take(UInt8(ascii: "["))
        while true {
            if bracketed {
                guard try nextListItem(first: all.isEmpty, closing: UInt8(ascii: "]")) else {
                    if all.count > 1, hasDuplicates(all) { warnOfDuplicates(at: listStart) }
                    return all
                }
            }
            let start = scan.at
            let p = try targetPath(anchor: anchor)
            let kind = session.paths.kind(p)
            if !allowsProperties, kind != .prim {
                throw USDAError(start, "usda.bad-path", "found '\(session.string(p))', expected the path of a prim")
            }
            all.append(p)
            if !bracketed { return all }
        }
    }
}

/// Which list of a list op a statement edits.
enum ListEdit {
    case explicit, delete, add, prepend, append, reorder
}

extension ListOp {
    /// Sets one list, as the statement `prepend x = [...]` does; switching between explicit and edits drops the other.
    mutating func set(_ edit: ListEdit, _ items: [Item]) {
        if (edit == .explicit) != isExplicit {
            self = ListOp()
            isExplicit = edit == .explicit
        }
        switch edit {
        case .explicit: explicit = items
        case .delete: deleted = items
        case .add: added = items
        case .prepend: prepended = items
        case .append: appended = items
        case .reorder: ordered = items
        }
    }
}
