import AssetIO
import AssetModel

/// What is wrong with a value, by its place; the reader of the element adds where that is.
enum PLYFault: Error {
    case ended(at: Int)
    case notANumber(at: Int)
    case badLength(Double, at: Int)
}

/// The values of the data in their order, whatever they are written in.
protocol PLYValues {
    /// Where the next value stands in the file.
    var offset: Int { get }
    mutating func value(_ scalar: PLYScalar) throws(PLYFault) -> Double
    /// Like `value`, but NaN where something is written that is no number.
    mutating func index(_ scalar: PLYScalar) throws(PLYFault) -> Double
    mutating func skip(_ scalar: PLYScalar, count: Int) throws(PLYFault)
    /// Whether there can be so many more values.
    func holds(_ count: Int, of scalar: PLYScalar) -> Bool
    /// Lets go of what was read.
    mutating func dropBehind()
    /// Reads the vertex element from here on. Where its arrays are not kept, they are read again when they are asked for.
    mutating func vertices(
        _ table: PLYTable, _ layout: PLYVertexLayout, wantsPrimvars: Bool, keeps: Bool, row: inout Int
    ) throws(PLYFault) -> PLYVertices
    /// Reads the face element from here on, which has a list of indices.
    mutating func faces(_ table: PLYTable, points: Int, wantsPrimvars: Bool, keeps: Bool, row: inout Int) throws(PLYFault) -> PLYFaces
}

/// An element and where its rows begin.
struct PLYTable: Sendable {
    let file: FileBytes
    let header: PLYHeader
    let element: PLYElement
    let start: Int
    /// Bytes of the pieces in which a text is read; 0 reads it value by value.
    let pieceSize: Int

    func failure(_ fault: PLYFault, _ row: Int) -> AssetError {
        let place = "\(element.name) \(row)"
        switch fault {
        case .ended(let at):
            return AssetError("ply.truncated", "the file ends in \(place) of \(element.count)", at: header.location(at, in: file))
        case .notANumber(let at):
            return AssetError("ply.bad-number", "what stands in \(place) is not a number", at: header.location(at, in: file))
        case .badLength(let length, let at):
            let text = Int64(exactly: length).map { String($0) } ?? "\(length)"
            return AssetError("ply.bad-list-length", "a list of \(place) has the length \(text)", at: header.location(at, in: file))
        }
    }
}

extension PLYValues {
    /// The length of a list, held against the bytes that are left.
    @inline(__always)
    mutating func length(_ type: PLYScalar, of scalar: PLYScalar) throws(PLYFault) -> Int {
        let at = offset
        let length = try value(type)
        guard length >= 0, length < 4_294_967_296, let count = Int(exactly: length) else { throw .badLength(length, at: at) }
        guard holds(count, of: scalar) else { throw .ended(at: at) }
        return count
    }

    /// Passes over rows of one size.
    mutating func skip(rows: Int, of stride: Int) throws(PLYFault) {
        // No overflow: the counts were held against the bytes.
        let (bytes, overflow) = rows.multipliedReportingOverflow(by: stride)
        guard !overflow else { throw .ended(at: offset) }
        try skip(.uint8, count: bytes)
    }

    mutating func skip(_ type: PLYValueType) throws(PLYFault) {
        if let length = type.length {
            let count = try self.length(length, of: type.scalar)
            try skip(type.scalar, count: count)
        } else {
            try skip(type.scalar, count: 1)
        }
    }
}

/// Numbers that were read, side by side. Written by the reader that makes it, and by no one after.
final class PLYStore<Number: BitwiseCopyable & Sendable>: Sendable {
    nonisolated(unsafe) let base: UnsafeMutablePointer<Number>
    let count: Int

    init(_ count: Int) {
        base = HugePages.allocate(Number.self, count: max(1, count))
        self.count = count
    }

    deinit { base.deallocate() }
}

/// Tuples of one number type without anything between.
protocol PLYPacked: BitwiseCopyable, Sendable {
    associatedtype Number: BinaryFloatingPoint & BitwiseCopyable & Sendable
    static var width: Int { get }
}

extension Float: PLYPacked {
    typealias Number = Float
    static var width: Int { 1 }
}
extension Vector2f: PLYPacked {
    typealias Number = Float
    static var width: Int { 2 }
}
extension Vector3f: PLYPacked {
    typealias Number = Float
    static var width: Int { 3 }
}
extension Vector3d: PLYPacked {
    typealias Number = Double
    static var width: Int { 3 }
}

/// An array in a store.
struct PLYStoredSource<Element: PLYPacked>: DeferredArraySource {
    let store: PLYStore<Element.Number>
    var count: Int { store.count / Element.width }

    func load() throws(AssetError) -> [Element] {
        store.base.withMemoryRebound(to: Element.self, capacity: count) { Array(UnsafeBufferPointer(start: $0, count: count)) }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        store.base.withMemoryRebound(to: Element.self, capacity: count) { body(UnsafeBufferPointer(start: $0, count: count)) }
    }
}
