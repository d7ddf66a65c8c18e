public import AssetModel

/// A mesh's points and faces in memory, checked: what every writer starts from.
///
/// Index spaces: a *face* indexes `faceVertexCounts` of the source, a *corner* (face vertex) `faceVertexIndices`, and the
/// value there a *point*. Faces that are left out keep their numbers, so attributes need no renumbering.
public struct PolygonMesh: Sendable {
    public enum Points: Sendable {
        case float([Point3f])
        case double([Point3d])

        public var count: Int {
            switch self {
            case .float(let a): a.count
            case .double(let a): a.count
            }
        }

        public subscript(i: Int) -> Point3d {
            switch self {
            case .float(let a): Point3d(a[i])
            case .double(let a): a[i]
            }
        }
    }

    public let points: Points
    /// All corners, those of left-out faces included.
    public let faceVertexIndices: [Int32]
    /// All faces, left-out ones included.
    public let faceCount: Int
    /// The size of every face where all are the same.
    public let faceSize: Int?
    /// First corner of each face, and one past the last; empty where `faceSize` says it all.
    public let faceStarts: [Int32]
    /// The faces to draw, in order; nil means all.
    public let keptFaces: [Int32]?
    /// The box of the finite points; empty where there are none.
    public let bounds: BoundingBox
    /// Whether every point is finite; drawn faces use finite ones only.
    public let isFinite: Bool

    public var drawnFaceCount: Int { keptFaces?.count ?? faceCount }

    /// The corners of a face.
    @inlinable public func corners(_ face: Int) -> Range<Int> {
        if let faceSize { return face * faceSize..<(face + 1) * faceSize }
        return Int(faceStarts[face])..<Int(faceStarts[face + 1])
    }

    /// Bytes of memory held, roughly.
    public var byteCount: Int {
        let pointBytes =
            switch points {
            case .float(let a): a.count * 12
            case .double(let a): a.count * 24
            }
        return pointBytes + (faceVertexIndices.count + faceStarts.count + (keptFaces?.count ?? 0)) * 4
    }
}

/// What was wrong with a mesh's faces.
public struct MeshDefects: Sendable, Hashable {
    /// Set where counts and indices disagree: corners by counts, and indices. The mesh is left out as a whole.
    public var cornersByCounts: Int?
    public var indexCount = 0
    /// The first face whose count is below zero, where there is one.
    public var negativeFace: (face: Int, count: Int32)? {
        get { negativeFaceIndex.map { ($0, negativeFaceCount) } }
        set { (negativeFaceIndex, negativeFaceCount) = (newValue?.face, newValue?.count ?? 0) }
    }
    private var negativeFaceIndex: Int?
    private var negativeFaceCount: Int32 = 0
    /// Faces left out, by reason.
    public var facesUnderThreeCorners = 0
    public var facesWithBadIndex = 0
    public var facesWithBadPosition = 0
    /// Faces that the file declares holes; no defect.
    public var holes = 0
    public init() {}

    /// Tells what was left out, one warning a reason.
    public func report(_ format: String, at location: SourceLocation, to diagnostics: inout Diagnostics) {
        if let negativeFace {
            diagnostics.warning(
                "mesh.topology-mismatch", "face \(negativeFace.face) asks for \(amount(negativeFace.count, "corner")); the mesh is left out",
                at: location)
        } else if let cornersByCounts {
            diagnostics.warning(
                "mesh.topology-mismatch",
                "face counts ask for \(amount(cornersByCounts, "corner")), found \(amount(indexCount, "index", "indices")); the mesh is left out",
                at: location)
        }
        func report(_ count: Int, _ code: String, _ what: String) {
            guard count > 0 else { return }
            diagnostics.add(
                Diagnostic(.warning, code, "\(count == 1 ? "a face" : "\(count) faces") left out: \(what)", at: location, count: count))
        }
        report(facesUnderThreeCorners, "mesh.face-too-small", "under three corners")
        report(facesWithBadIndex, "mesh.index-out-of-range", "an index without a point")
        report(facesWithBadPosition, "mesh.position-not-finite", "a position that is not finite")
    }
}

/// Loads and checks meshes: faces that cannot be drawn are left out one by one, a mesh whose counts and indices
/// disagree as a whole.
public enum MeshRepair {
    /// Loads a mesh. Throws where its bytes are damaged. Where counts and indices disagree the result has no faces.
    public static func load(_ mesh: Mesh) throws(AssetError) -> (mesh: PolygonMesh, defects: MeshDefects) {
        var defects = MeshDefects()
        defects.indexCount = mesh.faceVertexIndices.count
        let sizes = try faceSizes(mesh.faceVertexCounts)
        let (points, bounds, isFinite) = try loadPoints(mesh.points)
        if sizes.smallest < 0 { defects.negativeFace = try firstNegative(mesh.faceVertexCounts) }
        guard sizes.smallest >= 0, sizes.sum == mesh.faceVertexIndices.count, sizes.sum < Int(Int32.max) else {
            defects.cornersByCounts = sizes.sum
            let empty = PolygonMesh(
                points: points, faceVertexIndices: [], faceCount: 0, faceSize: nil, faceStarts: [], keptFaces: nil, bounds: bounds,
                isFinite: isFinite)
            return (empty, defects)
        }
        let indices = try mesh.faceVertexIndices.load()
        let faceCount = mesh.faceVertexCounts.count
        let pointCount = points.count
        let whole = PolygonMesh(
            points: points, faceVertexIndices: indices, faceCount: faceCount, faceSize: sizes.same, faceStarts: sizes.starts,
            keptFaces: nil, bounds: bounds, isFinite: isFinite)
        let holes = holeFlags(mesh.holeIndices, faceCount)
        let sizesAreGood = sizes.smallest >= 3
        if sizesAreGood, isFinite, holes == nil, areInside(indices, pointCount) { return (whole, defects) }

        var kept: [Int32] = []
        kept.reserveCapacity(faceCount)
        for face in 0..<faceCount {
            let corners = whole.corners(face)
            if corners.count < 3 {
                defects.facesUnderThreeCorners += 1
            } else if !indices[corners].allSatisfy({ $0 >= 0 && Int($0) < pointCount }) {
                defects.facesWithBadIndex += 1
            } else if !isFinite, !indices[corners].allSatisfy({ points[Int($0)].isFinite }) {
                defects.facesWithBadPosition += 1
            } else if let holes, holes[face] {
                defects.holes += 1
            } else {
                kept.append(Int32(truncatingIfNeeded: face))
            }
        }
        let repaired = PolygonMesh(
            points: points, faceVertexIndices: indices, faceCount: faceCount, faceSize: sizes.same, faceStarts: sizes.starts,
            keptFaces: kept.count == faceCount ? nil : kept, bounds: bounds, isFinite: isFinite)
        return (repaired, defects)
    }

    private struct FaceSizes {
        var sum = 0
        var smallest = Int.max
        /// All faces' size where it is one.
        var same: Int?
        var starts: [Int32] = []
    }

    /// Sizes of the faces; only the smallest and the sum where one is negative or the sum has no place in 32 bits.
    private static func faceSizes(_ counts: DeferredArray<Int32>) throws(AssetError) -> FaceSizes {
        var sizes = FaceSizes()
        var first: Int32?
        var areSame = true
        var (smallest, sum) = (Int32.max, 0)
        try counts.forEachBlock { block in
            guard let head = block.first else { return }
            let expected = first ?? head
            first = expected
            // Blocks are far below 2^31 elements: the sums of 32-bit numbers fit.
            var (low, high, total) = (expected, expected, 0)
            for n in block {
                low = Swift.min(low, n)
                high = Swift.max(high, n)
                total &+= Int(n)
            }
            smallest = Swift.min(smallest, low)
            sum = sum.saturatingAdding(total)
            if low != expected || high != expected { areSame = false }
        }
        guard let first else { return sizes }
        sizes.sum = sum
        sizes.smallest = Int(smallest)
        guard smallest >= 0, sum < Int(Int32.max) else { return sizes }
        if areSame {
            sizes.same = Int(first)
            return sizes
        }
        var starts: [Int32] = []
        starts.reserveCapacity(counts.count + 1)
        starts.append(0)
        var at: Int32 = 0
        try counts.forEachBlock { block in
            for n in block {
                at &+= n
                starts.append(at)
            }
        }
        sizes.starts = starts
        return sizes
    }

    /// The first count below zero and which face has it.
    private static func firstNegative(_ counts: DeferredArray<Int32>) throws(AssetError) -> (face: Int, count: Int32)? {
        var found: (face: Int, count: Int32)?
        var start = 0
        try counts.forEachBlock { block in
            if found == nil, let i = block.firstIndex(where: { $0 < 0 }) { found = (start + i, block[i]) }
            start += block.count
        }
        return found
    }

    private static func holeFlags(_ holes: [Int32], _ faceCount: Int) -> [Bool]? {
        if holes.isEmpty { return nil }
        var flags = [Bool](repeating: false, count: faceCount)
        for h in holes where h >= 0 && Int(h) < faceCount { flags[Int(h)] = true }
        return flags
    }

    /// Loads points with their box. Throws where the bytes are damaged.
    public static func loadPoints(
        _ points: PointArray
    ) throws(AssetError) -> (points: PolygonMesh.Points, bounds: BoundingBox, isFinite: Bool) {
        switch points {
        case .float(let array):
            let loaded = try array.load()
            var leftOut = 0
            let box = loaded.withUnsafeBufferPointer { floatBounds($0, leftOut: &leftOut) }
            return (.float(loaded), box, leftOut == 0)
        case .double(let array):
            let loaded = try array.load()
            var box = BoundingBox()
            var isFinite = true
            for p in loaded {
                box.formUnion(p)
                if !p.isFinite { isFinite = false }
            }
            return (.double(loaded), box, isFinite)
        }
    }
}

/// Whether every index is in `0..<count`.
func areInside(_ indices: [Int32], _ count: Int) -> Bool {
    let limit = UInt32(truncatingIfNeeded: Swift.min(count, Int(Int32.max)))
    // A negative index is a huge unsigned one.
    var largest: UInt32 = 0
    for i in indices { largest = Swift.max(largest, UInt32(bitPattern: i)) }
    return indices.isEmpty || largest < limit
}
