import AssetIO
import AssetModel

/// The edge element: lines from one vertex to another.
struct PLYEdges {
    /// The vertices of all lines, and how many each line has: an edge that goes on where the one before ended belongs to its line.
    private(set) var vertices: [Int32] = []
    private(set) var counts: [Int32] = []
    /// Edges that were left out: how many, and where the first of them stands.
    private(set) var leftOut = 0
    private(set) var firstLeftOut: (edge: Int, offset: Int)?
    /// Properties of which nothing is made.
    private(set) var unknown: [String] = []

    /// The properties with the two ends of an edge.
    static func ends(_ element: PLYElement) -> (first: Int, second: Int)? {
        guard let first = element.property("vertex1"), let second = element.property("vertex2") else { return nil }
        return (first, second)
    }

    init<Values: PLYValues>(
        _ values: inout Values, _ element: PLYElement, _ ends: (first: Int, second: Int), points: Int, row: inout Int
    ) throws(PLYFault) {
        for (i, property) in element.properties.enumerated() where i != ends.first && i != ends.second { unknown.append(property.name) }
        row = 0
        while row < element.count {
            let start = values.offset
            var (first, second) = (Double.nan, Double.nan)
            for (i, property) in element.properties.enumerated() {
                if i == ends.first {
                    first = try values.index(property.scalar)
                } else if i == ends.second {
                    second = try values.index(property.scalar)
                } else {
                    try values.skip(property.type)
                }
            }
            add(first, second, points, row, start)
            row += 1
            if row & 0x3FFF == 0 { values.dropBehind() }
        }
    }

    private mutating func add(_ first: Double, _ second: Double, _ points: Int, _ row: Int, _ offset: Int) {
        guard let a = Int32(exactly: first), let b = Int32(exactly: second), a >= 0, b >= 0, a < points, b < points else {
            leftOut += 1
            if firstLeftOut == nil { firstLeftOut = (row, offset) }
            return
        }
        if let last = vertices.last, last == a {
            vertices.append(b)
            counts[counts.count - 1] += 1
        } else {
            vertices += [a, b]
            counts.append(2)
        }
    }
}

/// Some elements of an array, one after the other.
struct PLYPicked<Element: Sendable>: DeferredArraySource {
    let array: DeferredArray<Element>
    /// All of them are in the array.
    let indices: [Int32]
    var count: Int { indices.count }

    func load() throws(AssetError) -> [Element] {
        let all = try array.load()
        return indices.map { all[Int($0)] }
    }
}

extension PointArray {
    func picked(_ indices: [Int32]) -> PointArray {
        switch self {
        case .float(let array): .float(.deferred(PLYPicked(array: array, indices: indices)))
        case .double(let array): .double(.deferred(PLYPicked(array: array, indices: indices)))
        }
    }
}

extension Primvar {
    /// The same of some vertices; nil for a type that no vertex of a PLY has.
    func picked(_ indices: [Int32]) -> Primvar? {
        var primvar = self
        switch values {
        case .float(let array): primvar.values = .float(.deferred(PLYPicked(array: array, indices: indices)))
        case .float2(let array): primvar.values = .float2(.deferred(PLYPicked(array: array, indices: indices)))
        case .float3(let array): primvar.values = .float3(.deferred(PLYPicked(array: array, indices: indices)))
        default: return nil
        }
        return primvar
    }
}
