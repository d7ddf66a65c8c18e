public import AssetModel

/// A mesh's vertices for formats in which a vertex has one value of each attribute: points are split where faces or corners give them
/// several, and points that are not finite are left out.
///
/// The first vertex of a point stands where the point does, further ones follow behind all points, so what needs no split keeps its
/// numbers. Points that no face uses are kept.
public struct VertexSplit: Sendable {
    public private(set) var count: Int
    /// The point of each vertex.
    public private(set) var points: [Int32]
    /// A corner that the vertex stands for, and its face; −1 where no face uses it.
    public private(set) var corners: [Int32]
    public private(set) var faces: [Int32]
    /// The vertex of each corner of a drawn face.
    public private(set) var ofCorner: [Int32]

    /// Whether a mesh needs more, or fewer, vertices than it has points.
    public static func isNeeded(
        _ polygons: PolygonMesh, normals: MeshAttribute<Vector3f>?, coordinates: MeshAttribute<Vector2f>?, colors: MeshAttribute<UInt32>?
    ) -> Bool {
        if !polygons.isFinite { return true }
        return normals?.splits ?? false || coordinates?.splits ?? false || colors?.splits ?? false
    }

    /// Vertices that are unique by their point and the values of all attributes; minus zero is zero.
    public init(
        _ polygons: PolygonMesh, normals: MeshAttribute<Vector3f>?, coordinates: MeshAttribute<Vector2f>?, colors: MeshAttribute<UInt32>?
    ) {
        let pointCount = polygons.points.count
        points = [Int32](0..<Int32(truncatingIfNeeded: pointCount))
        corners = [Int32](repeating: -1, count: pointCount)
        faces = [Int32](repeating: -1, count: pointCount)
        ofCorner = [Int32](repeating: 0, count: polygons.faceVertexIndices.count)
        count = pointCount
        let keys = (normals.flatMap(CornerKey.init), coordinates.flatMap(CornerKey.init), colors.flatMap(CornerKey.init))
        var extras = ExtraVertices()
        for k in 0..<polygons.drawnFaceCount {
            let face = polygons.keptFaces.map { Int($0[k]) } ?? k
            for corner in polygons.corners(face) {
                let point = Int(polygons.faceVertexIndices[corner])
                if corners[point] < 0 {
                    corners[point] = Int32(truncatingIfNeeded: corner)
                    faces[point] = Int32(truncatingIfNeeded: face)
                    ofCorner[corner] = Int32(truncatingIfNeeded: point)
                    continue
                }
                func isSame(_ vertex: Int) -> Bool {
                    let (c, f) = (Int(corners[vertex]), Int(faces[vertex]))
                    return (keys.0?.isSame(corner, face, c, f) ?? true) && (keys.1?.isSame(corner, face, c, f) ?? true)
                        && (keys.2?.isSame(corner, face, c, f) ?? true)
                }
                if isSame(point) {
                    ofCorner[corner] = Int32(truncatingIfNeeded: point)
                    continue
                }
                var hash = UInt64(truncatingIfNeeded: point) &* 0x9e37_79b9_7f4a_7c15
                keys.0?.hash(corner, face, &hash)
                keys.1?.hash(corner, face, &hash)
                keys.2?.hash(corner, face, &hash)
                let known = extras.vertex(hash) { vertex in points[vertex] == point && isSame(vertex) }
                if let known {
                    ofCorner[corner] = known
                } else {
                    let vertex = Int32(truncatingIfNeeded: points.count)
                    points.append(Int32(truncatingIfNeeded: point))
                    corners.append(Int32(truncatingIfNeeded: corner))
                    faces.append(Int32(truncatingIfNeeded: face))
                    extras.add(vertex, hash)
                    ofCorner[corner] = vertex
                }
            }
        }
        count = points.count
        if !polygons.isFinite { leaveOutNotFinite(polygons) }
    }

    private mutating func leaveOutNotFinite(_ polygons: PolygonMesh) {
        var numbers = [Int32](repeating: 0, count: count)
        var kept = 0
        for v in 0..<count where polygons.points[Int(points[v])].isFinite {
            numbers[v] = Int32(truncatingIfNeeded: kept)
            (points[kept], corners[kept], faces[kept]) = (points[v], corners[v], faces[v])
            kept += 1
        }
        points.removeLast(count - kept)
        corners.removeLast(count - kept)
        faces.removeLast(count - kept)
        count = kept
        for c in ofCorner.indices where Int(ofCorner[c]) < numbers.count { ofCorner[c] = numbers[Int(ofCorner[c])] }
    }

    /// Bytes of memory held, roughly.
    public var byteCount: Int { (points.count * 3 + ofCorner.count) * 4 }
}

extension MeshAttribute {
    /// Whether corners at one point can have different values.
    var splits: Bool { domain == .face || domain == .corner }
}

/// What tells vertices apart, as bits in which equal values are equal.
protocol SplitValue: Sendable {
    var splitBits: (UInt64, UInt64) { get }
}

extension Vector3f: SplitValue {
    @inline(__always) var splitBits: (UInt64, UInt64) {
        (UInt64((x + 0).bitPattern) << 32 | UInt64((y + 0).bitPattern), UInt64((z + 0).bitPattern))
    }
}

extension Vector2f: SplitValue {
    @inline(__always) var splitBits: (UInt64, UInt64) { (UInt64((x + 0).bitPattern) << 32 | UInt64((y + 0).bitPattern), 0) }
}

extension UInt32: SplitValue {
    @inline(__always) var splitBits: (UInt64, UInt64) { (UInt64(self), 0) }
}

/// One attribute of faces or corners, for comparing.
private struct CornerKey<Element: SplitValue> {
    private let values: [Element]
    private let indices: [Int32]?
    private let isOfFaces: Bool

    /// Nil where corners at one point cannot differ.
    init?(_ attribute: MeshAttribute<Element>) {
        guard attribute.splits else { return nil }
        values = attribute.values
        indices = attribute.indices
        isOfFaces = attribute.domain == .face
    }

    @inline(__always)
    private func index(_ corner: Int, _ face: Int) -> Int {
        let element = isOfFaces ? face : corner
        guard let indices else { return element }
        return Int(indices[element])
    }

    @inline(__always)
    func isSame(_ corner: Int, _ face: Int, _ otherCorner: Int, _ otherFace: Int) -> Bool {
        let (a, b) = (index(corner, face), index(otherCorner, otherFace))
        return a == b || values[a].splitBits == values[b].splitBits
    }

    @inline(__always)
    func hash(_ corner: Int, _ face: Int, _ hash: inout UInt64) {
        let bits = values[index(corner, face)].splitBits
        hash = (hash ^ (hash >> 29) ^ bits.0) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 31) ^ bits.1) &* 0x94d0_49bb_1331_11eb
    }
}

/// Further vertices of points, found by a hash of point and values: a point can have any number of them.
struct ExtraVertices {
    private var slots: [Int32] = []
    private var hashes: [UInt64] = []
    private var vertices: [Int32] = []

    func vertex(_ hash: UInt64, _ isIt: (Int) -> Bool) -> Int32? {
        guard !slots.isEmpty else { return nil }
        var at = Int(truncatingIfNeeded: hash >> 24) & (slots.count - 1)
        while slots[at] >= 0 {
            let k = Int(slots[at])
            if hashes[k] == hash, isIt(Int(vertices[k])) { return vertices[k] }
            at = (at + 1) & (slots.count - 1)
        }
        return nil
    }

    mutating func add(_ vertex: Int32, _ hash: UInt64) {
        if vertices.count * 2 >= slots.count { grow() }
        place(Int32(truncatingIfNeeded: vertices.count), hash)
        vertices.append(vertex)
        hashes.append(hash)
    }

    private mutating func place(_ k: Int32, _ hash: UInt64) {
        var at = Int(truncatingIfNeeded: hash >> 24) & (slots.count - 1)
        while slots[at] >= 0 { at = (at + 1) & (slots.count - 1) }
        slots[at] = k
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: Swift.max(64, slots.count * 2))
        for (k, hash) in hashes.enumerated() { place(Int32(truncatingIfNeeded: k), hash) }
    }
}
