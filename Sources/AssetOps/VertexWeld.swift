public import AssetModel

/// One attribute of a mesh's corners as words of 32 bits, in which equal values are equal: what vertices are told apart by.
public struct WeldColumn: Sendable {
    let words: [UInt32]
    /// Words a value.
    let width: Int
    let indices: [Int32]?
    let domain: MeshAttribute<Float>.Domain

    /// - Parameter words: `width` words a value; see `bits`.
    public init<E>(_ attribute: MeshAttribute<E>, words: [UInt32], width: Int) {
        self.words = words
        self.width = width
        indices = attribute.indices
        domain =
            switch attribute.domain {
            case .whole: .whole
            case .face: .face
            case .point: .point
            case .corner: .corner
            }
    }

    /// Words that belong to points.
    public init(ofPoints words: [UInt32], width: Int) {
        self.words = words
        self.width = width
        indices = nil
        domain = .point
    }

    public init(_ attribute: MeshAttribute<Vector3f>) {
        self.init(attribute, words: Self.bits(attribute.values), width: 3)
    }

    public init(_ attribute: MeshAttribute<Vector2f>) {
        var words: [UInt32] = []
        words.reserveCapacity(attribute.values.count * 2)
        for v in attribute.values {
            words.append((v.x + 0).bitPattern)
            words.append((v.y + 0).bitPattern)
        }
        self.init(attribute, words: words, width: 2)
    }

    public init(_ attribute: MeshAttribute<Vector4f>) {
        var words: [UInt32] = []
        words.reserveCapacity(attribute.values.count * 4)
        for v in attribute.values {
            words.append((v.x + 0).bitPattern)
            words.append((v.y + 0).bitPattern)
            words.append((v.z + 0).bitPattern)
            words.append((v.w + 0).bitPattern)
        }
        self.init(attribute, words: words, width: 4)
    }

    /// Minus zero is zero.
    public static func bits(_ values: [Vector3f]) -> [UInt32] {
        var words: [UInt32] = []
        words.reserveCapacity(values.count * 3)
        for v in values {
            words.append((v.x + 0).bitPattern)
            words.append((v.y + 0).bitPattern)
            words.append((v.z + 0).bitPattern)
        }
        return words
    }

    public static func bits(_ values: [Float]) -> [UInt32] { values.map { ($0 + 0).bitPattern } }
}

/// The fewest vertices of a mesh for formats in which a vertex has one value of each attribute: corners share one where position
/// and all attributes are equal, whichever points and indices say so.
///
/// Points are put together first, by position and everything else that belongs to points; then corners at one point are told
/// apart by what belongs to faces and corners. Vertices are numbered in the order in which faces use them.
public struct VertexWeld: Sendable {
    /// The point of each vertex, and a corner and a face that it stands for.
    public private(set) var points: [Int32] = []
    public private(set) var corners: [Int32] = []
    public private(set) var faces: [Int32] = []
    /// The vertex of each corner of a drawn face; −1 elsewhere.
    public private(set) var ofCorner: [Int32]

    public var count: Int { points.count }

    /// - Parameters:
    ///   - positions: words of the points' positions; points that faces use are finite.
    ///   - columns: the other attributes.
    public init(_ polygons: PolygonMesh, positions: WeldColumn, columns: [WeldColumn]) {
        let ofPoints = columns.filter { $0.domain == .point }
        let ofCorners = columns.filter { $0.domain == .face || $0.domain == .corner }
        let classes = PointClasses.classes(polygons.points.count, [positions] + ofPoints)
        ofCorner = [Int32](repeating: -1, count: polygons.faceVertexIndices.count)
        // The first vertex at each point.
        var first = [Int32](repeating: -1, count: polygons.points.count)
        points.reserveCapacity(polygons.points.count)
        corners.reserveCapacity(polygons.points.count)
        faces.reserveCapacity(polygons.points.count)
        var extras = ExtraVertices()
        for k in 0..<polygons.drawnFaceCount {
            let face = polygons.keptFaces.map { Int($0[k]) } ?? k
            for corner in polygons.corners(face) {
                let source = Int(polygons.faceVertexIndices[corner])
                let point = classes.isEmpty ? source : Int(classes[source])
                let known = first[point]
                if known < 0 {
                    first[point] = Int32(truncatingIfNeeded: points.count)
                    ofCorner[corner] = add(source, corner, face)
                    continue
                }
                if ofCorners.isEmpty || isSame(known, corner, face, ofCorners) {
                    ofCorner[corner] = known
                    continue
                }
                var hash = UInt64(truncatingIfNeeded: point) &* 0x9e37_79b9_7f4a_7c15
                for column in ofCorners { column.hash(column.index(corner, face), &hash) }
                let extra = extras.vertex(hash) { vertex in
                    let other = Int(points[vertex])
                    return (classes.isEmpty ? other : Int(classes[other])) == point
                        && isSame(Int32(truncatingIfNeeded: vertex), corner, face, ofCorners)
                }
                if let extra {
                    ofCorner[corner] = extra
                } else {
                    extras.add(Int32(truncatingIfNeeded: points.count), hash)
                    ofCorner[corner] = add(source, corner, face)
                }
            }
        }
    }

    @inline(__always)
    private mutating func add(_ point: Int, _ corner: Int, _ face: Int) -> Int32 {
        points.append(Int32(truncatingIfNeeded: point))
        corners.append(Int32(truncatingIfNeeded: corner))
        faces.append(Int32(truncatingIfNeeded: face))
        return Int32(truncatingIfNeeded: points.count - 1)
    }

    @inline(__always)
    private func isSame(_ vertex: Int32, _ corner: Int, _ face: Int, _ columns: [WeldColumn]) -> Bool {
        let (otherCorner, otherFace) = (Int(corners[Int(vertex)]), Int(faces[Int(vertex)]))
        for column in columns {
            let (a, b) = (column.index(corner, face), column.index(otherCorner, otherFace))
            if a != b, !column.isSame(a, b) { return false }
        }
        return true
    }
}

extension WeldColumn {
    @inline(__always)
    fileprivate func index(_ corner: Int, _ face: Int) -> Int {
        let element = domain == .face ? face : corner
        guard let indices else { return element }
        return Int(indices[element])
    }

    @inline(__always)
    fileprivate func isSame(_ a: Int, _ b: Int) -> Bool {
        let (i, j) = (a * width, b * width)
        for k in 0..<width where words[i + k] != words[j + k] { return false }
        return true
    }

    @inline(__always)
    fileprivate func hash(_ value: Int, _ hash: inout UInt64) {
        let i = value * width
        for k in 0..<width { hash = (hash ^ (hash >> 29) ^ UInt64(words[i + k])) &* 0xbf58_476d_1ce4_e5b9 }
    }
}

/// Points that are equal in everything that belongs to points.
private enum PointClasses {
    /// The first point that each is equal to; empty where no two are.
    static func classes(_ count: Int, _ columns: [WeldColumn]) -> [Int32] {
        var size = 16
        while size < count + count / 2 { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        var classes: [Int32] = []
        for point in 0..<count {
            var hash: UInt64 = 0x9e37_79b9_7f4a_7c15
            for column in columns { column.hash(column.indices.map { Int($0[point]) } ?? point, &hash) }
            hash ^= hash >> 32
            var at = Int(truncatingIfNeeded: hash) & (size - 1)
            var found: Int32 = -1
            while slots[at] >= 0 {
                let other = Int(slots[at])
                let isEqual = columns.allSatisfy { column in
                    guard let indices = column.indices else { return column.isSame(point, other) }
                    return indices[point] == indices[other] || column.isSame(Int(indices[point]), Int(indices[other]))
                }
                if isEqual {
                    found = slots[at]
                    break
                }
                at = (at + 1) & (size - 1)
            }
            if found < 0 {
                slots[at] = Int32(truncatingIfNeeded: point)
                if !classes.isEmpty { classes.append(Int32(truncatingIfNeeded: point)) }
            } else {
                if classes.isEmpty {
                    classes.reserveCapacity(count)
                    for earlier in 0..<point { classes.append(Int32(truncatingIfNeeded: earlier)) }
                }
                classes.append(found)
            }
        }
        return classes
    }
}
