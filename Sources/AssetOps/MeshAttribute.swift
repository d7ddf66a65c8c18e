public import AssetModel

/// A primvar in memory, its length and indices checked against a mesh.
public struct MeshAttribute<Element: Sendable>: Sendable {
    /// What one element belongs to.
    public enum Domain: Sendable, Hashable { case whole, face, point, corner }

    public let domain: Domain
    public let values: [Element]
    /// Where present, element `i` is `values[indices[i]]`.
    public let indices: [Int32]?
    /// The value that stands for none; nil where every element has one.
    public let absent: Int?

    public init(domain: Domain, values: [Element], indices: [Int32]? = nil, absent: Int? = nil) {
        self.domain = domain
        self.values = values
        self.indices = indices
        self.absent = absent
    }

    /// The index into `values` for a corner of a face at a point.
    @inlinable public func valueIndex(face: Int, corner: Int, point: Int) -> Int {
        let element =
            switch domain {
            case .whole: 0
            case .face: face
            case .point: point
            case .corner: corner
            }
        if let indices { return Int(indices[element]) }
        return element
    }

    /// The same spread with other values.
    @inlinable public func map<Other: Sendable>(_ change: (Element) -> Other) -> MeshAttribute<Other> {
        let other: MeshAttribute<Other>.Domain =
            switch domain {
            case .whole: .whole
            case .face: .face
            case .point: .point
            case .corner: .corner
            }
        let changed = [Other](unsafeUninitializedCapacity: values.count) { buffer, count in
            HugePages.advise(buffer)
            for i in values.indices { (buffer.baseAddress.unsafelyUnwrapped + i).initialize(to: change(values[i])) }
            count = values.count
        }
        return MeshAttribute<Other>(domain: other, values: changed, indices: indices, absent: absent)
    }
}

/// Why a primvar cannot be used.
public struct AttributeDefect: Error, Hashable, Sendable {
    public var found: Int
    public var expected: Int
    /// Whether an index is outside the values; otherwise the length is wrong.
    public var isIndex: Bool

    /// `12 values, expected 24`.
    public var message: String { isIndex ? "index \(found) into \(amount(expected, "value"))" : "\(amount(found, "value")), expected \(expected)" }
}

public enum LoadedAttribute<Element: Sendable>: Sendable {
    case good(MeshAttribute<Element>)
    case bad(AttributeDefect)
}

/// Checks a primvar's length and indices against what it is spread over, and loads it.
/// Throws where the bytes are damaged.
public func loadAttribute<Element: Sendable>(
    _ values: DeferredArray<Element>, of primvar: Primvar, faces: Int, points: Int, corners: Int
) throws(AssetError) -> LoadedAttribute<Element> {
    let domain: MeshAttribute<Element>.Domain
    let expected: Int
    switch primvar.interpolation {
    case .constant: (domain, expected) = (.whole, 1)
    case .uniform: (domain, expected) = (.face, faces)
    case .varying, .vertex: (domain, expected) = (.point, points)
    case .faceVarying: (domain, expected) = (.corner, corners)
    }
    guard let deferredIndices = primvar.indices else {
        guard values.count == expected else {
            return .bad(AttributeDefect(found: values.count, expected: expected, isIndex: false))
        }
        return .good(MeshAttribute(domain: domain, values: try values.load()))
    }
    guard deferredIndices.count == expected else {
        return .bad(AttributeDefect(found: deferredIndices.count, expected: expected, isIndex: false))
    }
    let indices = try deferredIndices.load()
    guard areInside(indices, values.count) else {
        let wrong = indices.first { $0 < 0 || Int($0) >= values.count } ?? 0
        return .bad(AttributeDefect(found: Int(wrong), expected: values.count, isIndex: true))
    }
    return .good(MeshAttribute(domain: domain, values: try values.load(), indices: indices, absent: primvar.unauthoredValuesIndex.map(Int.init)))
}
