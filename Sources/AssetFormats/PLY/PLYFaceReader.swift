import AssetIO
import AssetModel

/// How many corners each face has: one number as long as all have as many.
struct PLYCounts {
    private(set) var count = 0
    /// Of all faces; zero where they differ.
    private var each: Int32 = 0
    private var all: [Int32] = []

    mutating func append(_ n: Int32) { append(n, times: 1) }

    mutating func append(_ n: Int32, times: Int) {
        guard times > 0 else { return }
        if count == 0 || n == each {
            each = n
        } else {
            spread()
            all.append(contentsOf: repeatElement(n, count: times))
        }
        count += times
    }

    mutating func append(_ counts: UnsafeBufferPointer<Int32>, areEqual: Bool) {
        guard let first = counts.first else { return }
        if areEqual, count == 0 || first == each { return append(first, times: counts.count) }
        spread()
        all.append(contentsOf: counts)
        count += counts.count
    }

    /// Gives each face a number of its own.
    private mutating func spread() {
        if each != 0 || count == 0 {
            all.append(contentsOf: repeatElement(each, count: count))
            each = 0
        }
    }

    var array: DeferredArray<Int32> { each > 0 ? .deferred(RepeatedArray(each, count: count)) : .loaded(all) }
}

/// Makes faces of the rows of an element that has a list of indices.
struct PLYFaceReader {
    /// What a property of a face is.
    private enum Use { case none, corners, coordinates, texture, color(Int), opacity }

    let table: PLYTable
    let element: PLYElement
    let points: Int
    private let wantsPrimvars: Bool
    /// Whether the indices are kept.
    let keeps: Bool
    private var uses: [Use]
    private let types: [PLYValueType]
    /// The list of indices among the properties.
    let list: Int
    private var divisors = [1.0, 1.0, 1.0]
    private var alphaDivisor = 1.0
    private var (hasCoordinates, hasTexture, hasColors, hasOpacity) = (false, false, false, false)

    private var faces = PLYFaces()
    var counts = PLYCounts()
    var indices: [Int32] = []
    /// All corners, kept or not.
    var corners = 0
    private var (coordinates, textures, colors, opacity): ([Vector2f], [Int32], [Vector3f], [Float]) = ([], [], [], [])
    /// Of the face at hand.
    private var face: [Int32] = []
    private var faceCoordinates: [Float] = []

    init(_ table: PLYTable, points: Int, wantsPrimvars: Bool, keeps: Bool) {
        (self.table, element, self.points, self.wantsPrimvars, self.keeps) = (table, table.element, points, wantsPrimvars, keeps)
        types = element.properties.map(\.type)
        uses = [Use](repeating: .none, count: element.properties.count)
        list = element.property("vertex_indices", "vertex_index", isList: true) ?? 0
        uses[list] = .corners
        if let i = element.property("texcoord", "texcoords", isList: true) {
            uses[i] = .coordinates
            hasCoordinates = true
        }
        if let i = element.property("texnumber") {
            uses[i] = .texture
            hasTexture = true
        }
        for names in [["red", "green", "blue"], ["diffuse_red", "diffuse_green", "diffuse_blue"]] where !hasColors {
            let found = names.compactMap { element.property($0) }
            guard found.count == 3 else { continue }
            hasColors = true
            for (k, i) in found.enumerated() {
                uses[i] = .color(k)
                divisors[k] = element.properties[i].scalar.colorMaximum
            }
        }
        if let i = element.property("alpha", "diffuse_alpha") {
            uses[i] = .opacity
            alphaDivisor = element.properties[i].scalar.colorMaximum
            hasOpacity = true
        }
        for (i, use) in uses.enumerated() { if case .none = use { faces.unknown.append(element.properties[i].name) } }
    }

    /// Whether nothing but the list of indices is wanted of a row, and all else are single values.
    var isPlain: Bool {
        let wanted = hasCoordinates || hasTexture || wantsPrimvars && (hasColors || hasOpacity)
        return !wanted && types.indices.allSatisfy { $0 == list || types[$0].length == nil }
    }

    /// Properties of which nothing is made, wanted or not.
    var unknown: [String] { faces.unknown }

    /// Reads a row value by value.
    mutating func row<Values: PLYValues>(_ values: inout Values, _ row: Int) throws(PLYFault) {
        face.removeAll(keepingCapacity: true)
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
                        face.append(exact)
                    } else {
                        bad = bad ?? index
                        face.append(-1)
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
        if bad != nil || face.count < 3 {
            faces.leftOut += 1
            if faces.firstLeftOut == nil {
                let reason =
                    bad.map { "the index \(PLYFaces.text($0)), expected one of \(points)" }
                    ?? "\(face.count) \(face.count == 1 ? "corner" : "corners"), expected three or more"
                faces.firstLeftOut = (row, start, reason)
            }
            return
        }
        counts.append(Int32(truncatingIfNeeded: face.count))
        corners += face.count
        if keeps { indices.append(contentsOf: face) }
        if hasCoordinates { addCoordinates(row) }
        if hasTexture { textures.append(number) }
        guard wantsPrimvars else { return }
        if hasColors { colors.append(Vector3f(Float(color.0), Float(color.1), Float(color.2))) }
        if hasOpacity { opacity.append(Float(opacityValue)) }
    }

    private mutating func addCoordinates(_ row: Int) {
        if faceCoordinates.isEmpty {
            faces.withoutCoordinates += 1
        } else if faceCoordinates.count != face.count * 2 {
            if faces.mismatched == 0 { faces.firstMismatched = row }
            faces.mismatched += 1
            faceCoordinates.removeAll(keepingCapacity: true)
        }
        guard wantsPrimvars else { return }
        for k in 0..<face.count {
            let at = k * 2
            coordinates.append(faceCoordinates.isEmpty ? Vector2f(0, 0) : Vector2f(faceCoordinates[at], faceCoordinates[at + 1]))
        }
    }

    /// What the rows were. Indices that were not kept are read again when they are loaded.
    func finished() -> PLYFaces {
        var faces = self.faces
        faces.counts = counts.array
        faces.indices = keeps ? .loaded(indices) : .deferred(PLYRereadIndices(table: table, points: points, count: corners))
        if hasCoordinates, faces.mismatched == 0, faces.withoutCoordinates < counts.count, wantsPrimvars { faces.coordinates = coordinates }
        if hasColors, wantsPrimvars { faces.colors = colors }
        if hasOpacity, wantsPrimvars { faces.opacity = opacity }
        if hasTexture { faces.textures = textures }
        return faces
    }
}

/// The indices of faces, read again.
private struct PLYRereadIndices: DeferredArraySource {
    let table: PLYTable
    let points: Int
    let count: Int

    func load() throws(AssetError) -> [Int32] {
        var row = 0
        do throws(PLYFault) {
            if table.header.isText {
                var values = PLYTextValues(table.file, at: table.start)
                return try values.faces(table, points: points, wantsPrimvars: false, keeps: true, row: &row).loadedIndices
            }
            var values = PLYBinaryValues(table.file, at: table.start, isBig: table.header.encoding == .bigEndian)
            return try values.faces(table, points: points, wantsPrimvars: false, keeps: true, row: &row).loadedIndices
        } catch {
            throw table.failure(error, row)
        }
    }
}

extension PLYFaces {
    fileprivate var loadedIndices: [Int32] { (try? indices.load()) ?? [] }
}
