/// Something that can produce a flat array when asked: a mapped file region, a compressed block.
///
/// Implementations are immutable, so that arrays can be loaded from several threads.
public protocol DeferredArraySource<Element>: Sendable {
    associatedtype Element: Sendable
    /// Number of elements, known without loading them.
    var count: Int { get }
    /// All elements. Throws where the bytes behind them are damaged.
    func load() throws(AssetError) -> [Element]
    /// Calls `body` with consecutive blocks that together are all elements, in order, without keeping them.
    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError)
    /// The box of elements that are positions, where it is known or found faster than from their blocks; nil elsewhere.
    func finiteBounds() throws(AssetError) -> FiniteBounds?
}

/// The box of all positions that are finite, and how many are not.
public struct FiniteBounds: Sendable {
    public var box: BoundingBox
    public var leftOut: Int

    public init(box: BoundingBox = BoundingBox(), leftOut: Int = 0) {
        self.box = box
        self.leftOut = leftOut
    }

    public mutating func formUnion(_ other: FiniteBounds) {
        box.formUnion(other.box)
        leftOut += other.leftOut
    }
}

extension DeferredArraySource {
    public func finiteBounds() throws(AssetError) -> FiniteBounds? { nil }

    public func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        let all = try load()
        all.withUnsafeBufferPointer { body($0) }
    }
}

/// An array that is loaded when it is needed. Its count is always known.
@frozen public struct DeferredArray<Element: Sendable>: Sendable {
    @usableFromInline enum Storage: Sendable {
        case loaded([Element])
        case deferred(any DeferredArraySource<Element>)
    }

    @usableFromInline let storage: Storage
    /// Number of elements; kept beside them, because it is asked for far more often than they are.
    public let count: Int

    @inlinable public init(_ elements: [Element] = []) {
        storage = .loaded(elements)
        count = elements.count
    }

    @inlinable init(_ source: any DeferredArraySource<Element>) {
        count = source.count
        storage = .deferred(source)
    }

    /// Elements in memory.
    @inlinable public static func loaded(_ elements: [Element]) -> Self { Self(elements) }
    /// Elements that a source has.
    @inlinable public static func deferred(_ source: any DeferredArraySource<Element>) -> Self { Self(source) }

    @inlinable public var isEmpty: Bool { count == 0 }

    /// All elements. Throws where the bytes behind them are damaged.
    @inlinable public func load() throws(AssetError) -> [Element] {
        switch storage {
        case .loaded(let a): return a
        case .deferred(let s): return try s.load()
        }
    }

    /// Calls `body` with consecutive blocks that together are all elements, in order; memory stays flat.
    @inlinable public func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        switch storage {
        case .loaded(let a): a.withUnsafeBufferPointer { body($0) }
        case .deferred(let s): try s.forEachBlock(body)
        }
    }

    /// The box of elements that are positions, where the source knows it or finds it faster than from their blocks; nil elsewhere.
    @inlinable public func finiteBounds() throws(AssetError) -> FiniteBounds? {
        switch storage {
        case .loaded: return nil
        case .deferred(let s): return try s.finiteBounds()
        }
    }
}

/// Positions: packed float triples, or doubles for the whole array where the source needs them.
@frozen public enum PointArray: Sendable {
    case float(DeferredArray<Point3f>)
    case double(DeferredArray<Point3d>)

    @inlinable public init(_ points: [Point3f] = []) { self = .float(.loaded(points)) }

    @inlinable public var count: Int {
        switch self {
        case .float(let a): a.count
        case .double(let a): a.count
        }
    }

    @inlinable public var isEmpty: Bool { count == 0 }

    /// The box of the points, where their source knows it or finds it faster than from their blocks; nil elsewhere.
    @inlinable public func finiteBounds() throws(AssetError) -> FiniteBounds? {
        switch self {
        case .float(let a): try a.finiteBounds()
        case .double(let a): try a.finiteBounds()
        }
    }
}
