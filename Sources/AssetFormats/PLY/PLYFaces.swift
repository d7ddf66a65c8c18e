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

    /// What a property of a face is.
    private enum Use { case none, corners, coordinates, texture, color(Int), opacity }

    /// Triangles whose indices stay in the file.
    init(_ triangles: PLYTriangleSource, _ element: PLYElement, list: Int) {
        counts = .deferred(RepeatedArray(3, count: triangles.rows))
        indices = .deferred(triangles)
        for (i, property) in element.properties.enumerated() where i != list { unknown.append(property.name) }
    }

    /// Whether there is more to a face than its corners.
    static func hasAttributes(_ element: PLYElement) -> Bool {
        element.property("texcoord", "texcoords", isList: true) != nil
            || element.property("texnumber", "red", "diffuse_red", "alpha", "diffuse_alpha") != nil
    }

    /// Reads the rows one by one.
    init<Values: PLYValues>(
        _ values: inout Values, _ element: PLYElement, points: Int, wantsPrimvars: Bool, row: inout Int
    ) throws(PLYFault) {
        var uses = [Use](repeating: .none, count: element.properties.count)
        let list = element.property("vertex_indices", "vertex_index", isList: true)
        if let list { uses[list] = .corners }
        let coordinateList = element.property("texcoord", "texcoords", isList: true)
        if let coordinateList { uses[coordinateList] = .coordinates }
        let texture = element.property("texnumber")
        if let texture { uses[texture] = .texture }
        var divisors = [1.0, 1.0, 1.0]
        var hasColors = false
        for names in [["red", "green", "blue"], ["diffuse_red", "diffuse_green", "diffuse_blue"]] where !hasColors {
            let found = names.compactMap { element.property($0) }
            guard found.count == 3 else { continue }
            hasColors = true
            for (k, i) in found.enumerated() {
                uses[i] = .color(k)
                divisors[k] = element.properties[i].scalar.colorMaximum
            }
        }
        var alphaDivisor = 1.0
        let alpha = element.property("alpha", "diffuse_alpha")
        if let alpha {
            uses[alpha] = .opacity
            alphaDivisor = element.properties[alpha].scalar.colorMaximum
        }
        for (i, use) in uses.enumerated() { if case .none = use { unknown.append(element.properties[i].name) } }

        var outCounts: [Int32] = []
        var outIndices: [Int32] = []
        if list != nil {
            outCounts.reserveCapacity(element.count)
            outIndices.reserveCapacity(element.count * 3)
        }
        var (outCoordinates, outTextures, outColors, outOpacity): ([Vector2f], [Int32], [Vector3f], [Float]) = ([], [], [], [])
        let types = element.properties.map(\.type)
        var faceCoordinates: [Float] = []
        row = 0
        while row < element.count {
            let firstCorner = outIndices.count
            faceCoordinates.removeAll(keepingCapacity: true)
            var bad: Double?
            let start = values.offset
            var number: Int32 = 0
            var color = (0.0, 0.0, 0.0)
            var opacityValue = 1.0
            for i in 0..<uses.count {
                let type = types[i]
                switch uses[i] {
                case .none: try values.skip(type)
                case .corners:
                    let n = try values.length(type.length ?? .uint8, of: type.scalar)
                    for _ in 0..<n {
                        let index = try values.index(type.scalar)
                        if index >= 0, index < Double(points), let exact = Int32(exactly: index) {
                            outIndices.append(exact)
                        } else {
                            bad = bad ?? index
                            outIndices.append(-1)
                        }
                    }
                case .coordinates:
                    let n = try values.length(type.length ?? .uint8, of: type.scalar)
                    for _ in 0..<n { faceCoordinates.append(Float(try values.value(type.scalar))) }
                case .texture: number = Int32(exactly: try values.value(type.scalar)) ?? -1
                case .color(let k):
                    let value = try values.value(type.scalar) / divisors[k]
                    if k == 0 { color.0 = value } else if k == 1 { color.1 = value } else { color.2 = value }
                case .opacity: opacityValue = try values.value(type.scalar) / alphaDivisor
                }
            }
            row += 1
            if row & 0x3FFF == 0 { values.dropBehind() }
            let corners = outIndices.count - firstCorner
            if bad != nil || corners < 3 {
                outIndices.removeLast(corners)
                leftOut += 1
                if firstLeftOut == nil {
                    let reason =
                        bad.map { "the index \(PLYFaces.text($0)), expected one of \(points)" }
                        ?? "\(corners) \(corners == 1 ? "corner" : "corners"), expected three or more"
                    firstLeftOut = (row - 1, start, reason)
                }
                continue
            }
            outCounts.append(Int32(truncatingIfNeeded: corners))
            if coordinateList != nil {
                if faceCoordinates.isEmpty {
                    withoutCoordinates += 1
                } else if faceCoordinates.count != corners * 2 {
                    if mismatched == 0 { firstMismatched = row - 1 }
                    mismatched += 1
                    faceCoordinates.removeAll(keepingCapacity: true)
                }
                if wantsPrimvars {
                    for k in 0..<corners {
                        let at = k * 2
                        outCoordinates.append(faceCoordinates.isEmpty ? Vector2f(0, 0) : Vector2f(faceCoordinates[at], faceCoordinates[at + 1]))
                    }
                }
            }
            if texture != nil { outTextures.append(number) }
            guard wantsPrimvars else { continue }
            if hasColors { outColors.append(Vector3f(Float(color.0), Float(color.1), Float(color.2))) }
            if alpha != nil { outOpacity.append(Float(opacityValue)) }
        }
        counts = .loaded(outCounts)
        indices = .loaded(outIndices)
        if coordinateList != nil, mismatched == 0, withoutCoordinates < outCounts.count, wantsPrimvars { coordinates = outCoordinates }
        if hasColors, wantsPrimvars { colors = outColors }
        if alpha != nil, wantsPrimvars { opacity = outOpacity }
        if texture != nil { textures = outTextures }
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

    private static func text(_ number: Double) -> String {
        number.isNaN ? "that is no number" : Int64(exactly: number).map { String($0) } ?? "\(number)"
    }
}
