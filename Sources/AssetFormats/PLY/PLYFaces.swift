import AssetIO
import AssetModel

/// The face element, or the triangles of strips.
struct PLYFaces {
    var counts = DeferredArray<Int32>()
    var indices = DeferredArray<Int32>()
    /// One a corner.
    var coordinates: [Vector2f]?
    /// One a face.
    var colors: [Vector3f]?
    var opacity: [Float]?
    /// One a face: which of the texture files.
    var textures: [Int32]?
    /// Faces that were left out: how many, the first of them, and why that was.
    var leftOut = 0
    var firstLeftOut: (face: Int, offset: Int, reason: String)?
    /// Faces that have no texture coordinates while others do, and ones with a number of them that is not that of their corners.
    var withoutCoordinates = 0
    var mismatched = 0
    var firstMismatched = 0
    /// Properties of which nothing is made.
    var unknown: [String] = []

    init() {}

    /// Triangles whose indices stay in the file.
    init(_ triangles: PLYTriangleSource, unknown: [String]) {
        counts = .deferred(RepeatedArray(3, count: triangles.rows))
        indices = .deferred(triangles)
        self.unknown = unknown
    }

    /// Reads strips: each index from the third on makes a triangle, and a negative one begins a new strip (Stanford's `tristrips`).
    init<Values: PLYValues>(strips values: inout Values, _ element: PLYElement, points: Int, row: inout Int) throws(PLYFault) {
        let list = element.property("vertex_indices", "vertex_index", isList: true)
        for (i, p) in element.properties.enumerated() where i != list { unknown.append(p.name) }
        var outIndices: [Int32] = []
        row = 0
        while row < element.count {
            let start = values.offset
            for (i, property) in element.properties.enumerated() {
                guard i == list, let type = property.length else {
                    try values.skip(property.type)
                    continue
                }
                let n = try values.length(type, of: property.scalar)
                var (a, b): (Int32, Int32) = (-1, -1)
                var run = 0
                for _ in 0..<n {
                    let index = try values.index(property.scalar)
                    if index < 0 {
                        run = 0
                        continue
                    }
                    let c = index < Double(points) ? Int32(exactly: index) ?? -1 : -1
                    run += 1
                    if run >= 3 {
                        if a >= 0, b >= 0, c >= 0 {
                            // Every other one is drawn backwards, so that all of them face the same way.
                            outIndices.append(run & 1 == 1 ? a : b)
                            outIndices.append(run & 1 == 1 ? b : a)
                            outIndices.append(c)
                        } else {
                            leftOut += 1
                            if firstLeftOut == nil { firstLeftOut = (row, start, "an index that is not one of \(points)") }
                        }
                    }
                    (a, b) = (b, c)
                }
            }
            row += 1
            values.dropBehind()
        }
        counts = .deferred(RepeatedArray(3, count: outIndices.count / 3))
        indices = .loaded(outIndices)
    }

    static func text(_ number: Double) -> String {
        number.isNaN ? "that is no number" : Int64(exactly: number).map { String($0) } ?? "\(number)"
    }
}
