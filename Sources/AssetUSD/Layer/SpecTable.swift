import AssetModel

/// An index into `USDLayer.specs`.
public typealias SpecIndex = Int32

/// An opinion about one path. Ranges point into the layer's `fields` and `children`.
public struct Spec {
    public var path: Path
    public var parent: SpecIndex
    private var fieldStart: Int32 = 0
    private var fieldEnd: Int32 = 0
    /// The children stand together: prims, properties, variants, others.
    private var childStart: Int32 = 0
    private var primEnd: Int32 = 0
    private var propertyEnd: Int32 = 0
    private var variantEnd: Int32 = 0
    private var otherEnd: Int32 = 0
    public var kind: SpecKind

    public init(path: Path, kind: SpecKind, parent: SpecIndex) {
        self.path = path
        self.kind = kind
        self.parent = parent
    }

    public var fields: Range<Int32> {
        get { Range(uncheckedBounds: (fieldStart, fieldEnd)) }
        set { (fieldStart, fieldEnd) = (newValue.lowerBound, newValue.upperBound) }
    }
    /// Child prims, in order (of prims, the pseudo-root and variants).
    public var primChildren: Range<Int32> { Range(uncheckedBounds: (childStart, primEnd)) }
    /// Attributes and relationships, in order.
    public var properties: Range<Int32> { Range(uncheckedBounds: (primEnd, propertyEnd)) }
    /// Variant sets of a prim or variant; of a variant set: its variants.
    public var variantChildren: Range<Int32> { Range(uncheckedBounds: (propertyEnd, variantEnd)) }
    /// Connections, relationship targets, mappers: everything else below a property.
    public var otherChildren: Range<Int32> { Range(uncheckedBounds: (variantEnd, otherEnd)) }

    /// While children are listed, the ends hold counts, then places: of prims, properties, variants, others.
    mutating func countChild(_ kind: SpecKind) {
        switch kind.group {
        case 0: primEnd += 1
        case 1: propertyEnd += 1
        case 2: variantEnd += 1
        default: otherEnd += 1
        }
    }

    /// Turns the counts into places; returns where the next spec's children begin.
    mutating func placeChildren(from start: Int32) -> Int32 {
        let (prims, properties, variants, others) = (primEnd, propertyEnd, variantEnd, otherEnd)
        childStart = start
        primEnd = start
        propertyEnd = primEnd + prims
        variantEnd = propertyEnd + properties
        otherEnd = variantEnd + variants
        return otherEnd + others
    }

    /// The place of the next child of a kind; afterwards each end is behind the last.
    mutating func takePlace(_ kind: SpecKind) -> Int32 {
        switch kind.group {
        case 0:
            primEnd += 1
            return primEnd - 1
        case 1:
            propertyEnd += 1
            return propertyEnd - 1
        case 2:
            variantEnd += 1
            return variantEnd - 1
        default:
            otherEnd += 1
            return otherEnd - 1
        }
    }

    /// Says where the children stand: those of each kind end where the next begin.
    mutating func setChildren(from start: Int32, prims: Int32, properties: Int32, variants: Int32, others: Int32) {
        childStart = start
        primEnd = max(start, prims)
        propertyEnd = max(primEnd, properties)
        variantEnd = max(propertyEnd, variants)
        otherEnd = max(variantEnd, others)
    }
}

extension SpecKind {
    /// Children of one kind stand together, in this order.
    fileprivate var group: Int {
        switch self {
        case .pseudoRoot, .prim: 0
        case .attribute, .relationship: 1
        case .variantSet, .variant: 2
        case .connection, .relationshipTarget, .mapper, .mapperArg, .expression: 3
        }
    }
}

/// Where the spec of each path is. Paths are numbered as they are met, so that those of a layer mostly follow each other:
/// then a plain array does, else a hash table.
private struct SpecMap {
    private var base = 0
    private var dense: ContiguousArray<SpecIndex> = []
    /// Open addressing; -1 is free. Power of two; empty while the array does.
    private var slots: ContiguousArray<SpecIndex> = []

    @inline(__always)
    func find(_ path: Path, _ specs: ContiguousArray<Spec>) -> SpecIndex {
        if slots.isEmpty {
            let i = Int(path.id) - base
            return i >= 0 && i < dense.count ? dense[i] : -1
        }
        let mask = slots.count - 1
        var at = Self.hash(path) & mask
        while slots[at] >= 0 {
            if specs[Int(slots[at])].path == path { return slots[at] }
            at = (at + 1) & mask
        }
        return -1
    }

    mutating func makeRoom(_ share: Double) { dense.reserveCapacity(Int(Double(dense.count) * share)) }

    /// Notes the last of `specs`, unless its path has one already.
    mutating func insertLast(_ specs: ContiguousArray<Spec>) {
        let index = SpecIndex(truncatingIfNeeded: specs.count - 1)
        let path = specs[specs.count - 1].path
        if slots.isEmpty {
            let id = Int(path.id)
            if dense.isEmpty { base = id }
            if id >= base, id - base < max(1024, specs.count * 8) {
                let i = id - base
                if i >= dense.count {
                    if i > dense.count { dense.append(contentsOf: repeatElement(-1, count: i - dense.count)) }
                    dense.append(index)
                } else if dense[i] < 0 {
                    dense[i] = index
                }
                return
            }
            dense = []
            rehash(specs.dropLast())
        } else if specs.count * 2 > slots.count {
            rehash(specs.dropLast())
        }
        let mask = slots.count - 1
        var at = Self.hash(path) & mask
        while slots[at] >= 0 {
            if specs[Int(slots[at])].path == path { return }
            at = (at + 1) & mask
        }
        slots[at] = index
    }

    /// Notes all of `specs` but the first, the root. Returns the first one whose path another one has had.
    mutating func insertAll(_ specs: ContiguousArray<Spec>) -> Int? {
        var (least, most) = (Int32.max, Int32.min)
        for i in specs.indices.dropFirst() {
            if specs[i].path.isRoot { return i }
            least = min(least, specs[i].path.id)
            most = max(most, specs[i].path.id)
        }
        guard least <= most else { return nil }
        base = Int(least)
        let span = Int(most) - base + 1
        if span < max(1024, specs.count * 8) {
            dense = ContiguousArray(repeating: -1, count: span)
            return dense.withUnsafeMutableBufferPointer { dense in
                for i in specs.indices.dropFirst() {
                    let at = Int(specs[i].path.id) - Int(least)
                    if dense[at] >= 0 { return i }
                    dense[at] = SpecIndex(truncatingIfNeeded: i)
                }
                return nil
            }
        }
        rehash(specs[...])
        for i in specs.indices.dropFirst() where find(specs[i].path, specs) != SpecIndex(truncatingIfNeeded: i) { return i }
        return nil
    }

    private mutating func rehash(_ specs: ContiguousArray<Spec>.SubSequence) {
        var size = 16
        while size < specs.count * 4 { size *= 2 }
        slots = ContiguousArray(repeating: -1, count: size)
        let mask = size - 1
        for i in specs.indices where i > 0 {
            var at = Self.hash(specs[i].path) & mask
            var isKnown = false
            while slots[at] >= 0 {
                if specs[Int(slots[at])].path == specs[i].path { isKnown = true }
                at = (at + 1) & mask
            }
            if !isKnown { slots[at] = SpecIndex(truncatingIfNeeded: i) }
        }
    }

    /// Sixteen neighbours stay together, so that they share a cache line.
    @inline(__always) private static func hash(_ p: Path) -> Int {
        let line = UInt64(UInt32(bitPattern: p.id) >> 4) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: line >> 28 & ~15 | UInt64(p.id & 15))
    }
}

/// The specs of a layer and where each path's is. The first is the pseudo-root.
struct SpecTable {
    private(set) var specs: ContiguousArray<Spec> = []
    private var map = SpecMap()

    var count: Int { specs.count }

    subscript(_ i: SpecIndex) -> Spec {
        get { specs[Int(i)] }
        _modify { yield &specs[Int(i)] }
    }

    init() {}

    /// A table of specs, the root first. `second` becomes the first one whose path another one has had: that one is not found.
    init(_ specs: ContiguousArray<Spec>, second: inout Int?) {
        self.specs = specs
        second = map.insertAll(specs)
    }

    mutating func reserve(_ n: Int) {
        specs.reserveCapacity(n)
        HugePages.advise(&specs)
    }

    /// Makes room for the places of so many times the specs there are.
    mutating func makeRoom(_ share: Double) { map.makeRoom(share) }

    /// Appends a spec; of two specs with one path the first is found.
    mutating func append(_ spec: Spec) -> SpecIndex {
        specs.append(spec)
        // The root is always the first and needs no place.
        if specs.count > 1, !spec.path.isRoot { map.insertLast(specs) }
        return SpecIndex(truncatingIfNeeded: specs.count - 1)
    }

    /// Lists the children of all specs, in the order of the specs, and says in each spec where its own are.
    mutating func listChildren() -> ContiguousArray<SpecIndex> {
        var children = ContiguousArray<SpecIndex>(repeating: -1, count: max(0, specs.count - 1))
        specs.withUnsafeMutableBufferPointer { specs in
            for i in specs.indices.dropFirst() { specs[Int(specs[i].parent)].countChild(specs[i].kind) }
            var next: Int32 = 0
            for i in specs.indices { next = specs[i].placeChildren(from: next) }
            for i in specs.indices.dropFirst() {
                children[Int(specs[Int(specs[i].parent)].takePlace(specs[i].kind))] = SpecIndex(truncatingIfNeeded: i)
            }
        }
        return children
    }

    func find(_ path: Path) -> SpecIndex? {
        if path.isRoot { return specs.isEmpty ? nil : 0 }
        let i = map.find(path, specs)
        return i < 0 ? nil : i
    }
}
