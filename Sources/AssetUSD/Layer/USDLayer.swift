/// What a spec describes.
public enum SpecKind: UInt8, Sendable, Hashable {
    case pseudoRoot, prim, variantSet, variant, attribute, relationship
    /// Rare ones that are kept for `cat` and otherwise passed over.
    case connection, relationshipTarget, mapper, mapperArg, expression
}

/// A field of a spec.
public struct Field {
    public var name: Token
    public var value: USDValue
    public init(_ name: Token, _ value: USDValue) {
        self.name = name
        self.value = value
    }
}

/// An index into `USDLayer.specs`.
public typealias SpecIndex = Int32

/// An opinion about one path. Ranges point into the layer's `fields` and `children`.
public struct Spec {
    public var path: Path
    public var kind: SpecKind
    public var parent: SpecIndex
    public var fields: Range<Int32>
    /// Child prims, in order (of prims, the pseudo-root and variants).
    public var primChildren: Range<Int32>
    /// Attributes and relationships, in order.
    public var properties: Range<Int32>
    /// Variant sets of a prim or variant; of a variant set: its variants.
    public var variantChildren: Range<Int32>
    /// Connections, relationship targets, mappers: everything else below a property.
    public var otherChildren: Range<Int32>

    public init(path: Path, kind: SpecKind, parent: SpecIndex) {
        self.path = path
        self.kind = kind
        self.parent = parent
        fields = 0..<0
        primChildren = 0..<0
        properties = 0..<0
        variantChildren = 0..<0
        otherChildren = 0..<0
    }
}

/// The specs of a layer and where each path's is.
struct SpecTable {
    private(set) var specs: ContiguousArray<Spec> = []
    /// Path → spec, open addressing; -1 is free. Power of two.
    private var slots: ContiguousArray<SpecIndex> = []

    var count: Int { specs.count }

    subscript(_ i: SpecIndex) -> Spec {
        get { specs[Int(i)] }
        _modify { yield &specs[Int(i)] }
    }

    init() {}

    /// A table of specs; `duplicate` becomes a path that two of them have.
    init(_ specs: ContiguousArray<Spec>, duplicate: inout Path?) {
        self.specs = specs
        var size = 16
        while size < specs.count * 2 { size *= 2 }
        rehash(size, &duplicate)
    }

    /// Appends a spec; of two specs with one path the first is found.
    mutating func append(_ spec: Spec) -> SpecIndex {
        let i = SpecIndex(truncatingIfNeeded: specs.count)
        specs.append(spec)
        if specs.count * 2 > slots.count {
            rehash(max(16, slots.count * 2))
        } else {
            let mask = slots.count - 1
            var at = Self.hash(spec.path) & mask
            while slots[at] >= 0 { at = (at + 1) & mask }
            slots[at] = i
        }
        return i
    }

    private mutating func rehash(_ n: Int) {
        var duplicate: Path?
        rehash(n, &duplicate)
    }

    private mutating func rehash(_ n: Int, _ duplicate: inout Path?) {
        var slots = ContiguousArray<SpecIndex>(repeating: -1, count: n)
        let mask = n - 1
        for i in specs.indices {
            let path = specs[i].path
            var at = Self.hash(path) & mask
            while slots[at] >= 0 {
                if specs[Int(slots[at])].path == path { duplicate = path }
                at = (at + 1) & mask
            }
            slots[at] = SpecIndex(truncatingIfNeeded: i)
        }
        self.slots = slots
    }

    /// Path numbers grow along a file: sixteen neighbours stay together, so that they share a cache line.
    @inline(__always) private static func hash(_ p: Path) -> Int {
        let line = UInt64(UInt32(bitPattern: p.id) >> 4) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: line >> 28 & ~15 | UInt64(p.id & 15))
    }

    func find(_ path: Path) -> SpecIndex? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        var at = Self.hash(path) & mask
        while slots[at] >= 0 {
            if specs[Int(slots[at])].path == path { return slots[at] }
            at = (at + 1) & mask
        }
        return nil
    }
}

/// One file of opinions: paths → specs → fields, whatever the encoding it came from.
///
/// `specs[0]` is the pseudo-root, whose fields are the layer's metadata. Children lists
/// (`primChildren`, `properties`, …) are not fields here; order is the order in the ranges. Layers do not change.
public final class USDLayer {
    public let session: USDSession
    /// What the user typed or what an asset path resolved to; `a.usdz[b.usda]` inside packages.
    public let identifier: String
    /// `usda` or `usdc`.
    public let encoding: String
    /// Version as the file says it: `1.0`, `0.8.0`.
    public let version: String
    public let byteCount: Int
    private let table: SpecTable
    public var specs: ContiguousArray<Spec> { table.specs }
    public let fields: ContiguousArray<Field>
    public let children: ContiguousArray<SpecIndex>

    init(
        session: USDSession, identifier: String, encoding: String, version: String, byteCount: Int, specs: consuming SpecTable,
        fields: ContiguousArray<Field>, children: ContiguousArray<SpecIndex>
    ) {
        self.session = session
        self.identifier = identifier
        self.encoding = encoding
        self.version = version
        self.byteCount = byteCount
        table = specs
        self.fields = fields
        self.children = children
    }

    /// The spec at a path, or nil.
    public func spec(at path: Path) -> SpecIndex? { table.find(path) }

    public func fields(of spec: SpecIndex) -> ContiguousArray<Field>.SubSequence {
        let r = table[spec].fields
        return fields[Int(r.lowerBound)..<Int(r.upperBound)]
    }

    /// The value of a field, possibly deferred.
    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        let r = table[spec].fields
        for i in Int(r.lowerBound)..<Int(r.upperBound) where fields[i].name == name { return fields[i].value }
        return nil
    }

    public func children(_ range: Range<Int32>) -> ContiguousArray<SpecIndex>.SubSequence {
        children[Int(range.lowerBound)..<Int(range.upperBound)]
    }
}

/// Fills a layer spec by spec; children are linked in the order of `add`.
public struct LayerBuilder {
    private let session: USDSession
    private let identifier: String
    private let encoding: String
    private let version: String
    private let byteCount: Int
    private var specs = SpecTable()
    /// Lists through indices, -1 is the end: of a spec's children and of its fields.
    private struct Links {
        var firstChild: SpecIndex = -1, lastChild: SpecIndex = -1, next: SpecIndex = -1
        var firstField: Int32 = -1, lastField: Int32 = -1, fieldCount: Int32 = 0
    }
    private var links: ContiguousArray<Links> = []
    private var fields: ContiguousArray<Field> = []
    /// The next field of the same spec, for each field.
    private var nextField: ContiguousArray<Int32> = []
    /// Where the fields of specs with very many of them are, so that setting one stays quick whatever the file holds.
    private var wide: [UInt64: Int32] = [:]
    private static let wideCount = 64

    public init(session: USDSession, identifier: String, encoding: String, version: String, byteCount: Int) {
        self.session = session
        self.identifier = identifier
        self.encoding = encoding
        self.version = version
        self.byteCount = byteCount
        _ = specs.append(Spec(path: .root, kind: .pseudoRoot, parent: -1))
        links.append(Links())
    }

    public var root: SpecIndex { 0 }

    /// Adds a spec below another.
    public mutating func add(_ kind: SpecKind, _ path: Path, below parent: SpecIndex) -> SpecIndex {
        let i = specs.append(Spec(path: path, kind: kind, parent: parent))
        links.append(Links())
        if links[Int(parent)].lastChild >= 0 {
            links[Int(links[Int(parent)].lastChild)].next = i
        } else {
            links[Int(parent)].firstChild = i
        }
        links[Int(parent)].lastChild = i
        return i
    }

    /// The spec added for a path, or nil.
    public func spec(at path: Path) -> SpecIndex? { specs.find(path) }
    public func kind(_ spec: SpecIndex) -> SpecKind { specs[spec].kind }
    public mutating func setKind(_ spec: SpecIndex, _ kind: SpecKind) { specs[spec].kind = kind }

    private func find(_ spec: SpecIndex, _ name: Token) -> Int32 {
        if links[Int(spec)].fieldCount > Self.wideCount { return wide[Self.key(spec, name)] ?? -1 }
        var i = links[Int(spec)].firstField
        while i >= 0, fields[Int(i)].name != name { i = nextField[Int(i)] }
        return i
    }

    private static func key(_ spec: SpecIndex, _ name: Token) -> UInt64 {
        UInt64(UInt32(bitPattern: spec)) << 32 | UInt64(UInt32(bitPattern: name.id))
    }

    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        let i = find(spec, name)
        return i < 0 ? nil : fields[Int(i)].value
    }

    /// Sets a field, replacing an earlier value.
    public mutating func set(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        let i = find(spec, name)
        if i >= 0 {
            fields[Int(i)].value = value
        } else {
            append(spec, name, value)
        }
    }

    /// Adds a field that the spec is known not to have yet.
    public mutating func append(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        let i = Int32(fields.count)
        fields.append(Field(name, value))
        nextField.append(-1)
        if links[Int(spec)].lastField >= 0 {
            nextField[Int(links[Int(spec)].lastField)] = i
        } else {
            links[Int(spec)].firstField = i
        }
        links[Int(spec)].lastField = i
        links[Int(spec)].fieldCount += 1
        if links[Int(spec)].fieldCount > Self.wideCount {
            if links[Int(spec)].fieldCount == Self.wideCount + 1 {
                var f = links[Int(spec)].firstField
                while f >= 0 {
                    wide[Self.key(spec, fields[Int(f)].name)] = f
                    f = nextField[Int(f)]
                }
            }
            wide[Self.key(spec, name)] = i
        }
    }

    /// The finished layer.
    public consuming func finish() -> USDLayer {
        let n = specs.count
        var children = ContiguousArray<SpecIndex>()
        children.reserveCapacity(n)
        for i in 0..<n {
            // Fields that were added one after the other stay where they are; scattered ones are gathered at the end.
            let first = links[i].firstField
            if first >= 0 {
                let count = links[i].fieldCount
                if links[i].lastField - first == count - 1 {
                    specs[SpecIndex(i)].fields = first..<(first + count)
                } else {
                    let start = Int32(fields.count)
                    var f = first
                    while f >= 0 {
                        fields.append(fields[Int(f)])
                        f = nextField[Int(f)]
                    }
                    specs[SpecIndex(i)].fields = start..<Int32(fields.count)
                }
            }
            guard links[i].firstChild >= 0 else { continue }
            // One pass each for the kinds of children: prims, properties, variants, the rest.
            for group in 0..<4 {
                let start = Int32(children.count)
                var c = links[i].firstChild
                while c >= 0 {
                    if Self.group(specs[c].kind) == group { children.append(c) }
                    c = links[Int(c)].next
                }
                let range = start..<Int32(children.count)
                switch group {
                case 0: specs[SpecIndex(i)].primChildren = range
                case 1: specs[SpecIndex(i)].properties = range
                case 2: specs[SpecIndex(i)].variantChildren = range
                default: specs[SpecIndex(i)].otherChildren = range
                }
            }
        }
        return USDLayer(
            session: session, identifier: identifier, encoding: encoding, version: version, byteCount: byteCount, specs: specs,
            fields: fields, children: children)
    }

    private static func group(_ kind: SpecKind) -> Int {
        switch kind {
        case .pseudoRoot, .prim: 0
        case .attribute, .relationship: 1
        case .variantSet, .variant: 2
        case .connection, .relationshipTarget, .mapper, .mapperArg, .expression: 3
        }
    }
}
