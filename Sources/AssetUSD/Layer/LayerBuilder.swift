/// Fills a layer spec by spec; children are listed in the order of `add`.
///
/// Texts are read in order: a spec's fields mostly follow each other, and stand where they were added. A spec that gets one
/// later, behind those of others, has all of its fields moved to the end.
public struct LayerBuilder {
    private let session: USDSession
    private let identifier: String
    private let encoding: String
    private let version: String
    private let byteCount: Int
    private var specs = SpecTable()
    private var fields = FieldStore()
    private var children: ContiguousArray<SpecIndex> = []
    /// Where the fields of specs with very many of them are, counted from the spec's first, so that setting one stays quick
    /// whatever the file holds.
    private var wide: [UInt64: Int32] = [:]
    private static let wideCount = 64
    /// Of specs whose fields were moved: the end of the room there.
    private var room: [SpecIndex: Int32] = [:]

    public init(session: USDSession, identifier: String, encoding: String, version: String, byteCount: Int) {
        self.session = session
        self.identifier = identifier
        self.encoding = encoding
        self.version = version
        self.byteCount = byteCount
        _ = specs.append(Spec(path: .root, kind: .pseudoRoot, parent: -1))
    }

    public var root: SpecIndex { 0 }

    /// Makes room for specs and about as many fields as they have.
    mutating func reserve(specs n: Int) {
        specs.reserve(n)
        fields.reserve(n * 2)
    }

    /// Makes room for so many times what there is, in what `reserve` does not know about: growing copies.
    mutating func makeRoom(_ share: Double) {
        specs.makeRoom(share)
        fields.makeRoom(share)
    }

    /// Says whose deferred values are kept without a reference each.
    mutating func takeFieldsFrom(_ source: any FieldSource) { fields.source = source }

    /// Adds a spec below another.
    public mutating func add(_ kind: SpecKind, _ path: Path, below parent: SpecIndex) -> SpecIndex {
        specs.append(Spec(path: path, kind: kind, parent: parent))
    }

    /// Adds an attribute's spec with what its declaration says.
    mutating func addAttribute(_ path: Path, below parent: SpecIndex, _ typeName: Token, isCustom: Bool, isUniform: Bool) -> SpecIndex {
        let start = fields.count
        fields.append(PackedField(.typeName, .token, UInt64(UInt32(bitPattern: typeName.id))))
        if isCustom { fields.append(PackedField(.custom, .bool, 1)) }
        if isUniform { fields.append(PackedField(.variability, .variability, UInt64(Variability.uniform.rawValue))) }
        var spec = Spec(path: path, kind: .attribute, parent: parent)
        spec.fields = Range(uncheckedBounds: (Int32(truncatingIfNeeded: start), Int32(truncatingIfNeeded: fields.count)))
        return specs.append(spec)
    }

    var specCount: Int { specs.count }

    /// The spec added for a path, or nil.
    public func spec(at path: Path) -> SpecIndex? { specs.find(path) }
    public func kind(_ spec: SpecIndex) -> SpecKind { specs[spec].kind }

    private func find(_ spec: SpecIndex, _ name: Token) -> Int {
        let range = specs[spec].fields
        if range.count > Self.wideCount { return wide[Self.key(spec, name)].map { Int(range.lowerBound + $0) } ?? -1 }
        for i in Int(range.lowerBound)..<Int(range.upperBound) where fields.packed[i].name == name { return i }
        return -1
    }

    private static func key(_ spec: SpecIndex, _ name: Token) -> UInt64 {
        UInt64(UInt32(bitPattern: spec)) << 32 | UInt64(UInt32(bitPattern: name.id))
    }

    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        let i = find(spec, name)
        return i < 0 ? nil : fields.value(i)
    }

    /// A field as the layer keeps it.
    func packed(_ spec: SpecIndex, _ name: Token) -> PackedField? {
        let i = find(spec, name)
        return i < 0 ? nil : fields.packed[i]
    }

    func fieldCount(_ spec: SpecIndex) -> Int { specs[spec].fields.count }

    /// The fields of a spec as the layer keeps them.
    func fields(of spec: SpecIndex) -> ContiguousArray<PackedField>.SubSequence {
        let range = specs[spec].fields
        return fields.packed[Int(range.lowerBound)..<Int(range.upperBound)]
    }

    func value(_ field: PackedField) -> USDValue { fields.value(field) }

    /// Sets a field to the value of another one.
    mutating func set(_ spec: SpecIndex, _ name: Token, packed other: PackedField) {
        var field = other
        field.name = name
        let i = find(spec, name)
        if i >= 0 { return fields.put(i, field) }
        let at = place(spec)
        if at == fields.count { fields.append(field) } else { fields.put(at, field) }
        extend(spec, name)
    }

    /// Sets a field to a vector, quaternion or matrix.
    mutating func set(_ spec: SpecIndex, _ name: Token, _ type: ValueType, _ components: SixteenNumbers) {
        set(spec, name, packed: fields.pack(name, type, components))
    }

    /// Sets a field, replacing an earlier value.
    public mutating func set(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        let i = find(spec, name)
        if i >= 0 {
            fields.set(i, value)
        } else {
            append(spec, name, value)
        }
    }

    /// Adds a field that the spec is known not to have yet.
    public mutating func append(_ spec: SpecIndex, _ name: Token, _ value: USDValue) {
        let at = place(spec)
        if at == fields.count { fields.append(name, value) } else { fields.put(at, name, value) }
        extend(spec, name)
    }

    /// The same for a field as the layer keeps it.
    mutating func append(_ spec: SpecIndex, _ field: PackedField) {
        let at = place(spec)
        if at == fields.count { fields.append(field) } else { fields.put(at, field) }
        extend(spec, field.name)
    }

    /// Adds a token field that the spec is known not to have yet.
    mutating func append(_ spec: SpecIndex, _ name: Token, token: Token) {
        let at = place(spec)
        if at == fields.count {
            fields.append(PackedField(name, .token, UInt64(UInt32(bitPattern: token.id))))
        } else {
            fields.put(at, name, .token(token))
        }
        extend(spec, name)
    }

    /// Where the next field of a spec goes: behind its last one, for which its fields may have to move to the end.
    private mutating func place(_ spec: SpecIndex) -> Int {
        let range = specs[spec].fields
        let end = Int32(fields.count)
        if range.upperBound == end { return Int(end) }
        if range.isEmpty {
            specs[spec].fields = end..<end
            return Int(end)
        }
        if let limit = room[spec], limit > range.upperBound { return Int(range.upperBound) }
        // With room for as many again, so that a spec that grows time and again is not moved each time.
        for i in range { fields.append(fields.packed[Int(i)]) }
        for _ in range { fields.append(PackedField(.empty, .block, 0)) }
        specs[spec].fields = end..<(end + Int32(range.count))
        room[spec] = Int32(fields.count)
        return Int(end) + range.count
    }

    private mutating func extend(_ spec: SpecIndex, _ name: Token) {
        let range = specs[spec].fields
        specs[spec].fields = range.lowerBound..<(range.upperBound + 1)
        guard range.count >= Self.wideCount else { return }
        if range.count == Self.wideCount {
            for (k, i) in range.enumerated() { wide[Self.key(spec, fields.packed[Int(i)].name)] = Int32(k) }
        }
        wide[Self.key(spec, name)] = Int32(range.count)
    }

    /// Lists the children of all specs; nothing is added afterwards. In place: what is finished is a copy, and the lists would
    /// copy all specs once more.
    mutating func close() { children = specs.listChildren() }

    /// The finished layer.
    public consuming func finish() -> USDLayer {
        var children = self.children
        if children.count != specs.count - 1 { children = specs.listChildren() }
        return USDLayer(
            session: session, identifier: identifier, encoding: encoding, version: version, byteCount: byteCount, specs: specs,
            fields: fields, children: children)
    }
}
