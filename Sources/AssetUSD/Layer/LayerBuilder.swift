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
    private var fields = FieldStore()
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

    /// Makes room for specs and about as many fields as they have.
    mutating func reserve(specs n: Int) {
        specs.reserve(n)
        links.reserveCapacity(n)
        fields.reserve(n * 2)
        nextField.reserveCapacity(n * 2)
    }

    /// Says whose deferred values are kept without a reference each.
    mutating func takeFieldsFrom(_ source: any FieldSource) { fields.source = source }

    /// Adds a spec below another.
    public mutating func add(_ kind: SpecKind, _ path: Path, below parent: SpecIndex) -> SpecIndex {
        let i = specs.append(Spec(path: path, kind: kind, parent: parent))
        links.append(Links())
        let last = links[Int(parent)].lastChild
        if last >= 0 { links[Int(last)].next = i } else { links[Int(parent)].firstChild = i }
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
        while i >= 0, fields.packed[Int(i)].name != name { i = nextField[Int(i)] }
        return i
    }

    private static func key(_ spec: SpecIndex, _ name: Token) -> UInt64 {
        UInt64(UInt32(bitPattern: spec)) << 32 | UInt64(UInt32(bitPattern: name.id))
    }

    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        let i = find(spec, name)
        return i < 0 ? nil : fields.value(Int(i))
    }

    /// Sets a field, replacing an earlier value.
    public mutating func set(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        let i = find(spec, name)
        if i >= 0 {
            fields.set(Int(i), value)
        } else {
            append(spec, name, value)
        }
    }

    /// Adds a field that the spec is known not to have yet.
    public mutating func append(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        fields.append(name, value)
        linkLast(spec, name)
    }

    /// Adds a token field that the spec is known not to have yet.
    mutating func append(_ spec: SpecIndex, _ name: Token, token: Token) {
        fields.append(PackedField(name, .token, UInt64(UInt32(bitPattern: token.id))))
        linkLast(spec, name)
    }

    private mutating func linkLast(_ spec: SpecIndex, _ name: Token) {
        let i = Int32(fields.count - 1)
        let s = Int(spec)
        nextField.append(-1)
        let last = links[s].lastField
        if last >= 0 { nextField[Int(last)] = i } else { links[s].firstField = i }
        links[s].lastField = i
        links[s].fieldCount += 1
        if links[s].fieldCount > Self.wideCount { widen(spec, name, i) }
    }

    private mutating func widen(_ spec: SpecIndex, _ name: Token, _ i: Int32) {
        if links[Int(spec)].fieldCount == Self.wideCount + 1 {
            var f = links[Int(spec)].firstField
            while f >= 0 {
                wide[Self.key(spec, fields.packed[Int(f)].name)] = f
                f = nextField[Int(f)]
            }
        }
        wide[Self.key(spec, name)] = i
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
                        fields.append(fields.packed[Int(f)])
                        f = nextField[Int(f)]
                    }
                    specs[SpecIndex(i)].fields = start..<Int32(fields.count)
                }
            }
            guard links[i].firstChild >= 0 else { continue }
            // One pass each for the kinds of children: prims, properties, variants, the rest.
            let start = Int32(children.count)
            var ends = (start, start, start, start)
            for group in 0..<4 {
                var c = links[i].firstChild
                while c >= 0 {
                    if Self.group(specs[c].kind) == group { children.append(c) }
                    c = links[Int(c)].next
                }
                let end = Int32(children.count)
                switch group {
                case 0: ends.0 = end
                case 1: ends.1 = end
                case 2: ends.2 = end
                default: ends.3 = end
                }
            }
            specs[SpecIndex(i)].setChildren(from: start, prims: ends.0, properties: ends.1, variants: ends.2, others: ends.3)
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
