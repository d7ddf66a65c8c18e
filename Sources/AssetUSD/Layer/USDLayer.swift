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

/// One file of opinions: paths → specs → fields, whatever the encoding it came from.
///
/// `specs[0]` is the pseudo-root, whose fields are the layer's metadata. Children lists
/// (`primChildren`, `properties`, …) are not fields here; order is the order in the ranges.
public final class USDLayer {
    public let session: USDSession
    /// What the user typed or what an asset path resolved to; `a.usdz[b.usda]` inside packages.
    public let identifier: String
    /// `usda` or `usdc`.
    public let encoding: String
    /// Version as the file says it: `1.0`, `0.8.0`.
    public let version: String
    public let byteCount: Int
    public internal(set) var specs: ContiguousArray<Spec> = []
    public internal(set) var fields: ContiguousArray<Field> = []
    public internal(set) var children: ContiguousArray<SpecIndex> = []
    /// Path → spec, open addressing; built by `finish`.
    private var slots: [SpecIndex] = []

    public init(session: USDSession, identifier: String, encoding: String, version: String, byteCount: Int) {
        self.session = session
        self.identifier = identifier
        self.encoding = encoding
        self.version = version
        self.byteCount = byteCount
    }

    /// Builds the look-up table; call once after `specs` was filled by hand (`LayerBuilder` keeps it as it goes).
    func finish() {
        var n = 16
        while n < specs.count * 2 { n *= 2 }
        rehash(n)
    }

    private func rehash(_ n: Int) {
        slots = [SpecIndex](repeating: -1, count: n)
        let mask = n - 1
        for (i, s) in specs.enumerated() {
            var at = Self.hash(s.path) & mask
            while slots[at] >= 0 { at = (at + 1) & mask }
            slots[at] = SpecIndex(i)
        }
    }

    /// Appends a spec and enters it into the look-up table; of two specs with one path the first is found.
    func append(_ spec: Spec) -> SpecIndex {
        let i = SpecIndex(specs.count)
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

    @inline(__always) private static func hash(_ p: Path) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt32(bitPattern: p.id)) &* 0x9e37_79b9_7f4a_7c15) >> 24)
    }

    /// The spec at a path, or nil.
    public func spec(at path: Path) -> SpecIndex? {
        guard !slots.isEmpty else { return nil }
        let mask = slots.count - 1
        var at = Self.hash(path) & mask
        while slots[at] >= 0 {
            if specs[Int(slots[at])].path == path { return slots[at] }
            at = (at + 1) & mask
        }
        return nil
    }

    public func fields(of spec: SpecIndex) -> ContiguousArray<Field>.SubSequence {
        let r = specs[Int(spec)].fields
        return fields[Int(r.lowerBound)..<Int(r.upperBound)]
    }

    /// The value of a field, possibly deferred.
    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        let r = specs[Int(spec)].fields
        for i in Int(r.lowerBound)..<Int(r.upperBound) where fields[i].name == name { return fields[i].value }
        return nil
    }

    public func children(_ range: Range<Int32>) -> ContiguousArray<SpecIndex>.SubSequence {
        children[Int(range.lowerBound)..<Int(range.upperBound)]
    }
}

/// Fills a layer spec by spec; children are linked in the order of `add`.
public struct LayerBuilder {
    public let layer: USDLayer
    /// Lists through indices, -1 is the end: of a spec's children and of its fields.
    private struct Links {
        var firstChild: SpecIndex = -1, lastChild: SpecIndex = -1, next: SpecIndex = -1
        var firstField: Int32 = -1, lastField: Int32 = -1
    }
    private struct Pending {
        var field: Field
        var next: Int32
    }
    private var links: ContiguousArray<Links> = []
    private var pending: ContiguousArray<Pending> = []

    public init(session: USDSession, identifier: String, encoding: String, version: String, byteCount: Int) {
        layer = USDLayer(session: session, identifier: identifier, encoding: encoding, version: version, byteCount: byteCount)
        _ = layer.append(Spec(path: .root, kind: .pseudoRoot, parent: -1))
        links.append(Links())
    }

    public var root: SpecIndex { 0 }

    /// Adds a spec below another.
    public mutating func add(_ kind: SpecKind, _ path: Path, below parent: SpecIndex) -> SpecIndex {
        let i = layer.append(Spec(path: path, kind: kind, parent: parent))
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
    public func spec(at path: Path) -> SpecIndex? { layer.spec(at: path) }
    public func kind(_ spec: SpecIndex) -> SpecKind { layer.specs[Int(spec)].kind }
    public mutating func setKind(_ spec: SpecIndex, _ kind: SpecKind) { layer.specs[Int(spec)].kind = kind }

    private func find(_ spec: SpecIndex, _ name: Token) -> Int32 {
        var i = links[Int(spec)].firstField
        while i >= 0, pending[Int(i)].field.name != name { i = pending[Int(i)].next }
        return i
    }

    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        let i = find(spec, name)
        return i < 0 ? nil : pending[Int(i)].field.value
    }

    /// Sets a field, replacing an earlier value.
    public mutating func set(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        let i = find(spec, name)
        if i >= 0 {
            pending[Int(i)].field.value = value
        } else {
            append(spec, name, value)
        }
    }

    /// Adds a field that the spec is known not to have yet.
    public mutating func append(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        let i = Int32(pending.count)
        pending.append(Pending(field: Field(name, value), next: -1))
        if links[Int(spec)].lastField >= 0 {
            pending[Int(links[Int(spec)].lastField)].next = i
        } else {
            links[Int(spec)].firstField = i
        }
        links[Int(spec)].lastField = i
    }

    /// The finished layer.
    public consuming func finish() -> USDLayer {
        let n = layer.specs.count
        var fields = ContiguousArray<Field>()
        fields.reserveCapacity(pending.count)
        var children = ContiguousArray<SpecIndex>()
        children.reserveCapacity(n)
        var specs = layer.specs
        layer.specs = []
        for i in 0..<n {
            let start = Int32(fields.count)
            var f = links[i].firstField
            while f >= 0 {
                fields.append(pending[Int(f)].field)
                f = pending[Int(f)].next
            }
            specs[i].fields = start..<Int32(fields.count)
            guard links[i].firstChild >= 0 else { continue }
            // One pass each for the kinds of children: prims, properties, variants, the rest.
            for group in 0..<4 {
                let start = Int32(children.count)
                var c = links[i].firstChild
                while c >= 0 {
                    if Self.group(specs[Int(c)].kind) == group { children.append(c) }
                    c = links[Int(c)].next
                }
                let range = start..<Int32(children.count)
                switch group {
                case 0: specs[i].primChildren = range
                case 1: specs[i].properties = range
                case 2: specs[i].variantChildren = range
                default: specs[i].otherChildren = range
                }
            }
        }
        layer.specs = specs
        layer.fields = fields
        layer.children = children
        return layer
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
