import AssetModel

/// An interned path of a `USDSession`: `/World/Chair`, `/World/Chair.points`, `/World{look=red}Chair`.
/// Always absolute; relative ones are made absolute where they are read. Equal paths have equal numbers.
@frozen public struct Path: Hashable, Sendable {
    public let id: Int32
    @inlinable public init(id: Int32) { self.id = id }
    /// No path at all: the target of a reference to the default prim.
    public static let empty = Path(id: 0)
    /// `/`
    public static let root = Path(id: 1)
    @inlinable public var isEmpty: Bool { id == 0 }
    @inlinable public var isRoot: Bool { id == 1 }
}

/// The paths of a session, each once, as a tree.
public final class PathTable {
    public enum Kind: UInt8, Sendable {
        case empty, root, prim
        /// `{set=variant}` behind a prim; `element` is the set, `extra` the variant's token.
        case variantSelection
        case property
        /// `[/target]` behind a property; `extra` is the target's path.
        case target
        /// `.attr` behind a target: `element` is the name.
        case relationalAttribute
        /// `.mapper[/target]`; `extra` is the target's path.
        case mapper
        /// `.arg` behind a mapper.
        case mapperArg
        /// `.expression` behind a property.
        case expression
    }

    struct Entry {
        var parent: Int32
        var element: Int32
        var extra: Int32
        var kind: Kind
    }

    private struct Table {
        var entries: ContiguousArray<Entry> = []
        /// Buckets of sixteen slots, a cache line each; -1 is free. Paths whose parents have neighbouring numbers share one, so
        /// that a file read in order walks through the table in order. A power of two.
        var buckets = NumberTable(4096)
        /// What did not fit into its bucket: open addressing, a power of two.
        var overflow: ContiguousArray<Int32> = []
        var overflowCount = 0

        mutating func intern(_ e: Entry) -> Path {
            let bucket = ((Int(e.parent) >> 3) << 4) & (buckets.count - 1)
            let first = Int(e.element) & 15
            for k in 0..<16 {
                let slot = bucket | ((first &+ k) & 15)
                let id = buckets[slot]
                if id < 0 {
                    let new = append(e)
                    // Growing places all anew.
                    if entries.count * 2 > buckets.count { rehash(buckets.count * 2) } else { buckets[slot] = new }
                    return Path(id: new)
                }
                if PathTable.same(entries[Int(id)], e) { return Path(id: id) }
            }
            return internOverflow(e)
        }

        private mutating func internOverflow(_ e: Entry) -> Path {
            let mask = overflow.count - 1
            var at = PathTable.hash(e) & mask
            while overflow[at] >= 0 {
                if PathTable.same(entries[Int(overflow[at])], e) { return Path(id: overflow[at]) }
                at = (at + 1) & mask
            }
            let new = append(e)
            if entries.count * 2 > buckets.count { rehash(buckets.count * 2) } else { placeInOverflow(new) }
            return Path(id: new)
        }

        private mutating func append(_ e: Entry) -> Int32 {
            entries.append(e)
            return Int32(truncatingIfNeeded: entries.count - 1)
        }

        private mutating func placeInOverflow(_ id: Int32) {
            overflowCount += 1
            if overflowCount * 2 > overflow.count {
                var ids = overflow.filter { $0 >= 0 }
                ids.append(id)
                overflow = ContiguousArray(repeating: -1, count: overflow.count * 2)
                for i in ids { probe(i) }
            } else {
                probe(id)
            }
        }

        private mutating func probe(_ id: Int32) {
            let mask = overflow.count - 1
            var at = PathTable.hash(entries[Int(id)]) & mask
            while overflow[at] >= 0 { at = (at + 1) & mask }
            overflow[at] = id
        }

        mutating func rehash(_ size: Int) {
            buckets = NumberTable(size)
            overflow = ContiguousArray(repeating: -1, count: max(64, overflow.count))
            overflowCount = 0
            for i in 2..<max(2, entries.count) {
                let e = entries[i]
                let bucket = ((Int(e.parent) >> 3) << 4) & (size - 1)
                let first = Int(e.element) & 15
                var isPlaced = false
                for k in 0..<16 where buckets[bucket | ((first &+ k) & 15)] < 0 {
                    buckets[bucket | ((first &+ k) & 15)] = Int32(truncatingIfNeeded: i)
                    isPlaced = true
                    break
                }
                if !isPlaced { placeInOverflow(Int32(truncatingIfNeeded: i)) }
            }
        }
    }

    /// Behind a pointer that never changes: properties of the class would be checked for exclusive access at every use,
    /// which took half the time of opening a big layer.
    private let table: UnsafeMutablePointer<Table>
    public let tokens: TokenTable

    @inline(__always) private func entry(_ id: Int32) -> Entry { table.pointee.entries[Int(id)] }

    public init(tokens: TokenTable) {
        self.tokens = tokens
        table = .allocate(capacity: 1)
        table.initialize(to: Table())
        table.pointee.overflow = ContiguousArray(repeating: -1, count: 64)
        table.pointee.entries.append(Entry(parent: -1, element: 0, extra: 0, kind: .empty))
        table.pointee.entries.append(Entry(parent: -1, element: 0, extra: 0, kind: .root))
    }

    deinit {
        table.deinitialize(count: 1)
        table.deallocate()
    }

    /// Makes room for `n` more paths.
    func reserve(_ n: Int) {
        let wanted = table.pointee.entries.count + n
        table.pointee.entries.reserveCapacity(wanted)
        HugePages.advise(&table.pointee.entries)
        var size = table.pointee.buckets.count
        while size < wanted * 2 { size *= 2 }
        if size > table.pointee.buckets.count { table.pointee.rehash(size) }
    }

    /// Reserves memory for `n` more paths, without filling any of it.
    func reserveEntries(_ n: Int) {
        table.pointee.entries.reserveCapacity(table.pointee.entries.count + n)
        HugePages.advise(&table.pointee.entries)
    }

    public var count: Int { table.pointee.entries.count }

    @inline(__always)
    private static func hash(_ e: Entry) -> Int {
        var h = UInt64(UInt32(bitPattern: e.parent)) &* 0x9e37_79b9_7f4a_7c15
        h ^= UInt64(UInt32(bitPattern: e.element)) &* 0xc2b2_ae3d_27d4_eb4f
        h ^= (UInt64(UInt32(bitPattern: e.extra)) << 3 | UInt64(e.kind.rawValue)) &* 0x1656_67b1_9e37_79f9
        h ^= h >> 32
        return Int(truncatingIfNeeded: (h &* 0x9e37_79b9_7f4a_7c15) >> 20)
    }

    @inline(__always)
    private static func same(_ a: Entry, _ b: Entry) -> Bool {
        a.parent == b.parent && a.element == b.element && a.extra == b.extra && a.kind == b.kind
    }

    private func intern(_ e: Entry) -> Path { table.pointee.intern(e) }

    // MARK: Building

    public func child(_ parent: Path, _ name: Token) -> Path {
        intern(Entry(parent: parent.id, element: name.id, extra: 0, kind: .prim))
    }
    public func property(_ prim: Path, _ name: Token) -> Path {
        intern(Entry(parent: prim.id, element: name.id, extra: 0, kind: .property))
    }
    public func variant(_ prim: Path, set: Token, selection: Token) -> Path {
        intern(Entry(parent: prim.id, element: set.id, extra: selection.id, kind: .variantSelection))
    }
    public func target(_ property: Path, _ target: Path) -> Path {
        intern(Entry(parent: property.id, element: 0, extra: target.id, kind: .target))
    }
    public func relationalAttribute(_ target: Path, _ name: Token) -> Path {
        intern(Entry(parent: target.id, element: name.id, extra: 0, kind: .relationalAttribute))
    }
    public func mapper(_ property: Path, _ target: Path) -> Path {
        intern(Entry(parent: property.id, element: 0, extra: target.id, kind: .mapper))
    }
    public func mapperArg(_ mapper: Path, _ name: Token) -> Path {
        intern(Entry(parent: mapper.id, element: name.id, extra: 0, kind: .mapperArg))
    }
    public func expression(_ property: Path) -> Path { intern(Entry(parent: property.id, element: 0, extra: 0, kind: .expression)) }

    // MARK: Asking

    public func kind(_ p: Path) -> Kind { entry(p.id).kind }
    /// The path one element shorter; `.empty` for `/`.
    public func parent(_ p: Path) -> Path { Path(id: max(0, entry(p.id).parent)) }
    /// The last element's name: a prim's, a property's, a variant set's.
    public func name(_ p: Path) -> Token { Token(id: entry(p.id).element) }
    /// The variant of a variant selection.
    public func variantName(_ p: Path) -> Token { Token(id: entry(p.id).extra) }
    /// The target of a `.target` or `.mapper` path.
    public func targetPath(_ p: Path) -> Path { Path(id: entry(p.id).extra) }
    public func isPrimOrRoot(_ p: Path) -> Bool { kind(p) == .prim || kind(p) == .root }

    /// The prim (or variant selection) that a property, target or deeper path belongs to; the path itself for prims.
    public func primPath(_ p: Path) -> Path {
        var p = p
        while true {
            switch kind(p) {
            case .empty, .root, .prim, .variantSelection: return p
            default: p = parent(p)
            }
        }
    }

    /// Number of elements.
    public func depth(_ p: Path) -> Int {
        var n = 0
        var p = p
        while entry(p.id).parent >= 0 {
            n += 1
            p = parent(p)
        }
        return n
    }

    /// Whether `p` is `prefix` or lies below it.
    public func hasPrefix(_ p: Path, _ prefix: Path) -> Bool {
        var p = p
        while p.id > 0 {
            if p == prefix { return true }
            p = parent(p)
        }
        return false
    }

    /// `p` with its beginning `old` replaced by `new`; nil where it does not begin with `old`. Targets within the path
    /// are replaced too where they begin with `old`.
    public func replacingPrefix(_ p: Path, _ old: Path, with new: Path, limit: Int = 1000) -> Path? {
        if p == old { return new }
        guard p.id > 1, limit > 0 else { return nil }
        let e = entry(p.id)
        guard let parent = replacingPrefix(Path(id: max(0, e.parent)), old, with: new, limit: limit - 1) else { return nil }
        var extra = e.extra
        if e.kind == .target || e.kind == .mapper {
            extra = replacingPrefix(Path(id: extra), old, with: new, limit: limit - 1)?.id ?? extra
        }
        return intern(Entry(parent: parent.id, element: e.element, extra: extra, kind: e.kind))
    }

    /// The path without variant selections: `/A{v=x}B` is `/A/B`.
    public func strippingVariants(_ p: Path) -> Path {
        let e = entry(p.id)
        guard e.parent >= 0 else { return p }
        let parent = strippingVariants(Path(id: e.parent))
        if e.kind == .variantSelection { return parent }
        if parent.id == e.parent { return p }
        return intern(Entry(parent: parent.id, element: e.element, extra: e.extra, kind: e.kind))
    }

    /// The elements from the root down, the path itself last, `/` left out.
    public func prefixes(_ p: Path) -> [Path] {
        var out: [Path] = []
        var p = p
        while p.id > 1 {
            out.append(p)
            p = parent(p)
        }
        return out.reversed()
    }

    // MARK: Text

    /// The path as USD writes it.
    public func string(_ p: Path) -> String {
        switch p.id {
        case 0: return ""
        case 1: return "/"
        default: break
        }
        var out = ""
        var previous = Kind.root
        for step in prefixes(p) {
            let e = entry(step.id)
            let name = tokens.string(Token(id: e.element))
            switch e.kind {
            case .empty, .root: break
            case .prim:
                // A child follows a variant selection without a slash.
                if previous != .variantSelection { out += "/" }
                out += name
            case .variantSelection: out += "{\(name)=\(tokens.string(Token(id: e.extra)))}"
            case .property, .relationalAttribute, .mapperArg: out += "." + name
            case .target: out += "[" + string(Path(id: e.extra)) + "]"
            case .mapper: out += ".mapper[" + string(Path(id: e.extra)) + "]"
            case .expression: out += ".expression"
            }
            previous = e.kind
        }
        return out
    }
}
