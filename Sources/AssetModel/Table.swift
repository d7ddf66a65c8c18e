/// A typed index into a `Table`.
@frozen public struct ID<Element>: Hashable, Sendable {
    public let index: Int32

    @inlinable public init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }

    @inlinable public static func == (a: ID, b: ID) -> Bool { a.index == b.index }
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}

/// The one generic container of the scene: an array addressed by typed indices.
@frozen public struct Table<Element>: RandomAccessCollection, MutableCollection {
    public var elements: ContiguousArray<Element>

    @inlinable public init() { elements = [] }
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { elements.count }
    @inlinable public subscript(position: Int) -> Element {
        get { elements[position] }
        _modify { yield &elements[position] }
    }
    @inlinable public subscript(id: ID<Element>) -> Element {
        get { elements[Int(id.index)] }
        _modify { yield &elements[Int(id.index)] }
    }
    @inlinable public var ids: some RandomAccessCollection<ID<Element>> { elements.indices.lazy.map { ID<Element>($0) } }

    /// Adds an element and returns its index.
    @inlinable @discardableResult public mutating func append(_ element: consuming Element) -> ID<Element> {
        elements.append(element)
        return ID(elements.count - 1)
    }
    @inlinable public mutating func reserveCapacity(_ n: Int) { elements.reserveCapacity(n) }
    /// Whether the index is one of this table's.
    @inlinable public func contains(_ id: ID<Element>) -> Bool { id.index >= 0 && Int(id.index) < elements.count }
}

extension Table: Sendable where Element: Sendable {}
