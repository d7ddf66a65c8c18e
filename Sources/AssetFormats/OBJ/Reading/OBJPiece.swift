import AssetModel

/// How many positions, texture coordinates and normals stand before a place in the file: what running indices count from.
struct OBJBases: Sendable, Hashable {
    var positions = 0
    var texcoords = 0
    var normals = 0

    subscript(kind: OBJIndices.Kind) -> Int {
        @inline(__always) get {
            switch kind {
            case .position: positions
            case .texcoord: texcoords
            case .normal: normals
            }
        }
        @inline(__always) set {
            switch kind {
            case .position: positions = newValue
            case .texcoord: texcoords = newValue
            case .normal: normals = newValue
            }
        }
    }
}

/// A statement that changes what the following elements belong to, and how many of them stand before it in its piece.
struct OBJEvent: BitwiseCopyable, Sendable {
    enum Kind: UInt8 { case object, group, material, smoothing, library }

    var kind: Kind
    /// The number of the name among the piece's; the group of a smoothing statement, 0 for none.
    var value: Int32
    /// Where the statement begins in the file.
    var offset: Int
    var faces: Int32
    var lines: Int32
    var points: Int32
    /// Corners of the faces before.
    var corners: Int
    var lineVertices: Int
}

/// What was found wrong or strange in a piece, by kind: how often, and where first.
struct OBJFaults: Sendable {
    enum Kind: Int, CaseIterable {
        /// Faces left out.
        case badIndex, usedBeforeDefined, zeroIndex, unreadableIndex, tooFewCorners
        /// Lines and points left out.
        case badElement
        /// Corners that lose an attribute.
        case badTexcoordIndex, badNormalIndex
        case badPosition, badTexcoord, badNormal, badColor, extraNumbers, weights, depths
        case lineTexcoords
        case unknown, surfaces, display, calls, badSmoothing
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)
    private var firsts = [Int](repeating: .max, count: Kind.allCases.count)
    /// The first few words that are no statement.
    var unknownWords: [String] = []
    /// The words of curves and surfaces, display and calls that were met.
    var words: [Kind: Set<String>] = [:]

    func count(_ kind: Kind) -> Int { counts[kind.rawValue] }
    func first(_ kind: Kind) -> Int { firsts[kind.rawValue] }

    mutating func add(_ kind: Kind, at offset: Int, _ count: Int = 1) {
        counts[kind.rawValue] += count
        firsts[kind.rawValue] = min(firsts[kind.rawValue], offset)
    }

    mutating func add(_ other: OBJFaults) {
        for kind in Kind.allCases where other.count(kind) > 0 { add(kind, at: other.first(kind), other.count(kind)) }
        for word in other.unknownWords where unknownWords.count < 8 && !unknownWords.contains(word) { unknownWords.append(word) }
        for (kind, found) in other.words { words[kind, default: []].formUnion(found) }
    }
}

/// A run of whole lines, parsed. Indices are from 0 and count over the whole file once `OBJTables` has seen all pieces.
struct OBJPiece: Sendable {
    /// Where an index is none: a corner without that attribute.
    static let absent: Int32 = -1
    /// Running indices are kept as this and the piece's own count, until it is known what stands before the piece.
    static let running: Int32 = Int32.min / 2

    let range: Range<Int>
    var positions: OBJColumn<Point3f>
    /// The same in double precision, where that was asked for.
    var doubles: OBJColumn<Point3d>
    /// One a position; empty where none of the piece has a colour. NaN where a position has none.
    var colors: OBJColumn<Vector3f>
    /// Empty where primvars are not wanted; the counts are right all the same.
    var texcoords: OBJColumn<Vector2f>
    var normals: OBJColumn<Vector3f>
    let counts: OBJBases

    let faceCount: Int
    /// Corners of every face where all have as many.
    let faceSize: Int32
    /// One a face, empty where `faceSize` says it.
    let faceSizes: OBJColumn<Int32>
    /// One a corner. The other two are empty where no corner has any, or primvars are not wanted.
    let positionIndices: OBJColumn<Int32>
    let texcoordIndices: OBJColumn<Int32>
    let normalIndices: OBJColumn<Int32>

    let lineSizes: OBJColumn<Int32>
    let lineIndices: OBJColumn<Int32>
    let pointIndices: OBJColumn<Int32>

    let events: [OBJEvent]
    let names: OBJNames
    let faults: OBJFaults
    /// How far single precision is from the text, at most.
    let largestError: Double
    /// Statements of the format, known ones.
    let statementCount: Int
    let hasComments: Bool
    /// How many of the faces stand before the piece's first position.
    let facesBeforePositions: Int
    /// The highest index of each kind, from 1, less what the piece itself had defined by then.
    let needed: OBJBases
    /// How far running indices reach back before the piece.
    let reach: OBJBases
    let hasRunningIndices: Bool

    /// The piece's corner counts, corner by corner.
    var cornerCount: Int { positionIndices.count }

    func size(ofFace face: Int) -> Int { faceSizes.count == 0 ? Int(faceSize) : Int(faceSizes.elements[face]) }

    /// Whether every index can be resolved as it was read.
    func isSound(after bases: OBJBases) -> Bool {
        needed.positions <= bases.positions && needed.texcoords <= bases.texcoords && needed.normals <= bases.normals
            && reach.positions <= bases.positions && reach.texcoords <= bases.texcoords && reach.normals <= bases.normals
    }

    /// Makes indices of running ones, once it is known what stands before the piece.
    func resolve(after bases: OBJBases) {
        guard hasRunningIndices else { return }
        func resolve(_ column: OBJColumn<Int32>, _ base: Int) {
            let base = Int32(truncatingIfNeeded: base) &- Self.running
            column.change { indices in
                for i in indices.indices where indices[i] < Self.absent { indices[i] &+= base }
            }
        }
        resolve(positionIndices, bases.positions)
        resolve(texcoordIndices, bases.texcoords)
        resolve(normalIndices, bases.normals)
        resolve(lineIndices, bases.positions)
        resolve(pointIndices, bases.positions)
    }
}
