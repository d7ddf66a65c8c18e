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

/// What hot loops read of a layer: tables without references, which need no counting. Valid while the layer lives.
struct LayerView {
    let specs: UnsafePointer<Spec>
    let fields: UnsafePointer<PackedField>
    let numbers: UnsafePointer<Double>
    let children: UnsafePointer<SpecIndex>
    /// The last element's name of each child's path.
    let childNames: UnsafePointer<Token>

    /// The field of a spec: its place in `fields`, -1 where there is none.
    @inline(__always)
    func find(_ spec: SpecIndex, _ name: Token) -> Int {
        let r = specs[Int(spec)].fields
        var i = Int(r.lowerBound)
        let end = Int(r.upperBound)
        while i < end {
            if fields[i].name == name { return i }
            i &+= 1
        }
        return -1
    }

    /// The spec of a property of a prim's spec, -1 where there is none.
    @inline(__always)
    func property(_ prim: SpecIndex, _ name: Token) -> SpecIndex {
        let r = specs[Int(prim)].properties
        var i = Int(r.lowerBound)
        let end = Int(r.upperBound)
        while i < end {
            if childNames[i] == name { return children[i] }
            i &+= 1
        }
        return -1
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
    let store: FieldStore
    public let children: ContiguousArray<SpecIndex>
    private let childNames: ContiguousArray<Token>
    let view: LayerView

    init(
        session: USDSession, identifier: String, encoding: String, version: String, byteCount: Int, specs: consuming SpecTable,
        fields: consuming FieldStore, children: ContiguousArray<SpecIndex>
    ) {
        self.session = session
        self.identifier = identifier
        self.encoding = encoding
        self.version = version
        self.byteCount = byteCount
        let paths = session.paths
        var names = ContiguousArray<Token>()
        names.reserveCapacity(children.count)
        for c in children { names.append(paths.name(specs[c].path)) }
        table = specs
        store = fields
        self.children = children
        childNames = names
        // The arrays belong to the layer and never change, so that their elements stay where they are.
        view = LayerView(
            specs: Self.base(table.specs), fields: Self.base(store.packed), numbers: Self.base(store.numbers), children: Self.base(self.children),
            childNames: Self.base(childNames))
    }

    private static func base<T>(_ array: ContiguousArray<T>) -> UnsafePointer<T> {
        // An empty array has no elements that anyone asks for.
        array.withUnsafeBufferPointer { $0.baseAddress } ?? UnsafePointer(bitPattern: MemoryLayout<T>.alignment).unsafelyUnwrapped
    }

    public var specs: ContiguousArray<Spec> { table.specs }

    /// All fields of all specs.
    public var fields: FieldList { FieldList(store: store, startIndex: 0, endIndex: store.count) }

    /// The spec at a path, or nil.
    public func spec(at path: Path) -> SpecIndex? { table.find(path) }

    public func fields(of spec: SpecIndex) -> FieldList {
        let r = table[spec].fields
        return FieldList(store: store, startIndex: Int(r.lowerBound), endIndex: Int(r.upperBound))
    }

    /// The value of a field, possibly deferred.
    public func field(_ spec: SpecIndex, _ name: Token) -> USDValue? {
        precondition(spec >= 0 && Int(spec) < table.count)
        let i = view.find(spec, name)
        return i < 0 ? nil : store.value(view.fields[i])
    }

    public func children(_ range: Range<Int32>) -> ContiguousArray<SpecIndex>.SubSequence {
        children[Int(range.lowerBound)..<Int(range.upperBound)]
    }
}
