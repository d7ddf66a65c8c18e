public import AssetModel

/// One attribute of a mesh's corners for telling vertices apart, as words of 32 bits.
public struct WeldColumn: Sendable {
    fileprivate enum Values: Sendable {
        case vector4([Vector4f])
        case vector3([Vector3f])
        case vector2([Vector2f])
        case floats([Float])
        case words([UInt32])
    }

    fileprivate let values: Values
    /// Words a value.
    fileprivate let width: Int
    fileprivate let indices: [Int32]?
    fileprivate let domain: Domain

    fileprivate enum Domain: Sendable { case whole, face, point, corner }

    private init<E>(_ attribute: MeshAttribute<E>, _ values: Values, width: Int) {
        self.values = values
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

    public init(_ attribute: MeshAttribute<Vector4f>) { self.init(attribute, .vector4(attribute.values), width: 4) }
    public init(_ attribute: MeshAttribute<Vector3f>) { self.init(attribute, .vector3(attribute.values), width: 3) }
    public init(_ attribute: MeshAttribute<Vector2f>) { self.init(attribute, .vector2(attribute.values), width: 2) }
    public init(_ attribute: MeshAttribute<Float>) { self.init(attribute, .floats(attribute.values), width: 1) }

    /// A vector a point.
    public init(ofPoints vectors: [Vector3f]) { self.init(MeshAttribute(domain: .point, values: vectors)) }

    /// `width` numbers a point.
    public init(ofPoints numbers: [Float], width: Int) {
        self.init(MeshAttribute(domain: .point, values: numbers), .floats(numbers), width: width)
    }

    /// `width` whole numbers a point.
    public init(ofPoints numbers: [UInt32], width: Int) {
        self.init(MeshAttribute(domain: .point, values: numbers), .words(numbers), width: width)
    }

    /// Calls `body` with the words of all columns, in place.
    fileprivate static func withKeys(_ columns: [WeldColumn], _ keys: [WeldKey] = [], _ body: ([WeldKey]) -> Void) {
        guard keys.count < columns.count else { return body(keys) }
        let column = columns[keys.count]
        func with<E>(_ array: [E]) {
            array.withUnsafeBytes { raw in
                guard let base = raw.bindMemory(to: UInt32.self).baseAddress else { return withKeys(columns, keys + [WeldKey.empty], body) }
                guard let indices = column.indices else {
                    return withKeys(columns, keys + [WeldKey(words: base, width: column.width, indices: nil, ofFaces: column.domain == .face)], body)
                }
                indices.withUnsafeBufferPointer {
                    withKeys(
                        columns, keys + [WeldKey(words: base, width: column.width, indices: $0.baseAddress, ofFaces: column.domain == .face)], body)
                }
            }
        }
        switch column.values {
        case .vector4(let a): with(a)
        case .vector3(let a): with(a)
        case .vector2(let a): with(a)
        case .floats(let a): with(a)
        case .words(let a): with(a)
        }
    }
}

/// A column while vertices are told apart. Minus zero is zero.
private struct WeldKey {
    let words: UnsafePointer<UInt32>
    let width: Int
    let indices: UnsafePointer<Int32>?
    let ofFaces: Bool

    /// Of a column without values, which no element asks for.
    static var empty: WeldKey { WeldKey(words: UnsafePointer(bitPattern: 8).unsafelyUnwrapped, width: 0, indices: nil, ofFaces: false) }

    @inline(__always) private static func word(_ w: UInt32) -> UInt32 { w == 0x8000_0000 ? 0 : w }

    @inline(__always) func start(_ element: Int) -> UnsafePointer<UInt32> {
        words + (indices.map { Int($0[element]) } ?? element) &* width
    }

    @inline(__always) func element(_ corner: Int, _ face: Int) -> Int { ofFaces ? face : corner }

    @inline(__always) func isSame(_ a: Int, _ b: Int) -> Bool {
        let (p, q) = (start(a), start(b))
        if p == q { return true }
        for k in 0..<width where p[k] != q[k] && WeldKey.word(p[k]) != WeldKey.word(q[k]) { return false }
        return true
    }

    @inline(__always) func hash(_ element: Int, _ hash: inout UInt64) {
        let p = start(element)
        for k in 0..<width { hash = (hash ^ (hash >> 29) ^ UInt64(WeldKey.word(p[k]))) &* 0xbf58_476d_1ce4_e5b9 }
    }
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
    ///   - positions: of the points; points that faces use are finite.
    ///   - columns: the other attributes.
    public init(_ polygons: PolygonMesh, positions: WeldColumn, columns: [WeldColumn]) {
        let classes = PointClasses.classes(polygons.points.count, [positions] + columns.filter { $0.domain == .point })
        ofCorner = []
        points.reserveCapacity(polygons.points.count)
        corners.reserveCapacity(polygons.points.count)
        faces.reserveCapacity(polygons.points.count)
        WeldColumn.withKeys(columns.filter { $0.domain == .face || $0.domain == .corner }) { keys in
            classes.withUnsafeBufferPointer { classes in
                if keys.isEmpty { takeCorners(polygons, classes) } else { takeCorners(polygons, classes, keys) }
            }
        }
    }

    /// Where nothing but points tells corners apart.
    private mutating func takeCorners(_ polygons: PolygonMesh, _ classes: UnsafeBufferPointer<Int32>) {
        var first = [Int32](filled: polygons.points.count, with: -1)
        first.withUnsafeMutableBufferPointer { first in
            polygons.faceVertexIndices.withUnsafeBufferPointer { indices in
                func vertex(_ corner: Int, _ face: @autoclosure () -> Int, _ made: inout VertexWeld) -> Int32 {
                    let source = Int(indices[corner])
                    let point = classes.isEmpty ? source : Int(classes[source])
                    if first[point] < 0 { first[point] = made.add(source, corner, face()) }
                    return first[point]
                }
                if let size = polygons.faceSize, size > 0, polygons.keptFaces == nil {
                    ofCorner = [Int32](unsafeUninitializedCapacity: indices.count) { out, count in
                        HugePages.advise(out)
                        for corner in indices.indices { out[corner] = vertex(corner, corner / size, &self) }
                        count = indices.count
                    }
                    return
                }
                ofCorner = [Int32](filled: indices.count, with: -1)
                for k in 0..<polygons.drawnFaceCount {
                    let face = polygons.keptFaces.map { Int($0[k]) } ?? k
                    for corner in polygons.corners(face) { ofCorner[corner] = vertex(corner, face, &self) }
                }
            }
        }
    }

    private mutating func takeCorners(_ polygons: PolygonMesh, _ classes: UnsafeBufferPointer<Int32>, _ keys: [WeldKey]) {
        ofCorner = [Int32](filled: polygons.faceVertexIndices.count, with: -1)
        // The first vertex at each point.
        var first = [Int32](filled: polygons.points.count, with: -1)
        var extras = ExtraVertices()
        for k in 0..<polygons.drawnFaceCount {
            let face = polygons.keptFaces.map { Int($0[k]) } ?? k
            for corner in polygons.corners(face) {
                let source = Int(polygons.faceVertexIndices[corner])
                let point = classes.isEmpty ? source : Int(classes[source])
                let known = first[point]
                if known < 0 {
                    first[point] = add(source, corner, face)
                    ofCorner[corner] = first[point]
                    continue
                }
                if isSame(Int(known), corner, face, keys) {
                    ofCorner[corner] = known
                    continue
                }
                var hash = UInt64(truncatingIfNeeded: point) &* 0x9e37_79b9_7f4a_7c15
                for key in keys { key.hash(key.element(corner, face), &hash) }
                let extra = extras.vertex(hash) { vertex in
                    let other = Int(points[vertex])
                    return (classes.isEmpty ? other : Int(classes[other])) == point && isSame(vertex, corner, face, keys)
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
    private func isSame(_ vertex: Int, _ corner: Int, _ face: Int, _ keys: [WeldKey]) -> Bool {
        for key in keys where !key.isSame(key.element(corner, face), key.element(Int(corners[vertex]), Int(faces[vertex]))) { return false }
        return true
    }
}

/// Points that are equal in everything that belongs to points.
private enum PointClasses {
    /// The first point that each is equal to; empty where no two are.
    static func classes(_ count: Int, _ columns: [WeldColumn]) -> [Int32] {
        var classes: [Int32] = []
        WeldColumn.withKeys(columns) { keys in
            // A column a time: each runs through its values in order.
            var hashes = [UInt64](filled: count, with: 0x9e37_79b9_7f4a_7c15)
            hashes.withUnsafeMutableBufferPointer { hashes in
                for key in keys { for point in 0..<count { key.hash(point, &hashes[point]) } }
                classes = join(hashes, keys)
            }
        }
        return classes
    }

    private static func join(_ hashes: UnsafeMutableBufferPointer<UInt64>, _ keys: [WeldKey]) -> [Int32] {
        let count = hashes.count
        var size = 16
        while size < count + count / 2 { size *= 2 }
        var slots = [Int32](filled: size, with: -1)
        var classes: [Int32] = []
        slots.withUnsafeMutableBufferPointer { slots in
            for point in 0..<count {
                let hash = hashes[point]
                var at = Int(truncatingIfNeeded: hash ^ hash >> 32) & (size &- 1)
                var found: Int32 = -1
                while slots[at] >= 0 {
                    let other = Int(slots[at])
                    if hashes[other] == hash, keys.allSatisfy({ $0.isSame(point, other) }) {
                        found = slots[at]
                        break
                    }
                    at = (at &+ 1) & (size &- 1)
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
        }
        return classes
    }
}
