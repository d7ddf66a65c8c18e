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

    /// Builds the look-up table; call once after the tables are filled.
    func finish() {
        var n = 16
        while n < specs.count * 2 { n *= 2 }
        slots = [SpecIndex](repeating: -1, count: n)
        let mask = n - 1
        for (i, s) in specs.enumerated() {
            var at = Self.hash(s.path) & mask
            while slots[at] >= 0 { at = (at + 1) & mask }
            slots[at] = SpecIndex(i)
        }
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
    private struct Links { var first: SpecIndex = -1, last: SpecIndex = -1, next: SpecIndex = -1 }
    private var links: ContiguousArray<Links> = []
    private var fieldLists: ContiguousArray<[Field]> = []

    public init(session: USDSession, identifier: String, encoding: String, version: String, byteCount: Int) {
        layer = USDLayer(session: session, identifier: identifier, encoding: encoding, version: version, byteCount: byteCount)
        layer.specs.append(Spec(path: .root, kind: .pseudoRoot, parent: -1))
        links.append(Links())
        fieldLists.append([])
    }

    public var root: SpecIndex { 0 }

    public mutating func add(_ kind: SpecKind, _ path: Path, below parent: SpecIndex) -> SpecIndex {
        let i = SpecIndex(layer.specs.count)
        layer.specs.append(Spec(path: path, kind: kind, parent: parent))
        links.append(Links())
        fieldLists.append([])
        if links[Int(parent)].last >= 0 {
            links[Int(links[Int(parent)].last)].next = i
        } else {
            links[Int(parent)].first = i
        }
        links[Int(parent)].last = i
        return i
    }

    public func kind(_ spec: SpecIndex) -> SpecKind { layer.specs[Int(spec)].kind }
    public mutating func setKind(_ spec: SpecIndex, _ kind: SpecKind) { layer.specs[Int(spec)].kind = kind }
    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? { fieldLists[Int(spec)].first { $0.name == name }?.value }

    /// Sets a field, replacing an earlier value.
    public mutating func set(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        if let i = fieldLists[Int(spec)].firstIndex(where: { $0.name == name }) {
            fieldLists[Int(spec)][i].value = value
        } else {
            fieldLists[Int(spec)].append(Field(name, value))
        }
    }

    /// The finished layer.
    public consuming func finish() -> USDLayer {
        let n = layer.specs.count
        for i in 0..<n {
            let start = Int32(layer.fields.count)
            layer.fields.append(contentsOf: fieldLists[i])
            layer.specs[i].fields = start..<Int32(layer.fields.count)
            func gather(_ wanted: (SpecKind) -> Bool) -> Range<Int32> {
                let start = Int32(layer.children.count)
                var c = links[i].first
                while c >= 0 {
                    if wanted(layer.specs[Int(c)].kind) { layer.children.append(c) }
                    c = links[Int(c)].next
                }
                return start..<Int32(layer.children.count)
            }
            guard links[i].first >= 0 else { continue }
            layer.specs[i].primChildren = gather { $0 == .prim }
            layer.specs[i].properties = gather { $0 == .attribute || $0 == .relationship }
            layer.specs[i].variantChildren = gather { $0 == .variantSet || $0 == .variant }
            layer.specs[i].otherChildren = gather {
                switch $0 {
                case .connection, .relationshipTarget, .mapper, .mapperArg, .expression: true
                default: false
                }
            }
        }
        layer.finish()
        return layer
    }
}
