import AssetModel

/// Faces that follow each other in one piece and belong to the same object, groups, material and smoothing group.
struct OBJRun: Sendable {
    var piece: Int
    var firstFace: Int
    var faceCount: Int
    var firstCorner: Int
    var cornerCount: Int
    /// Numbers of names, -1 for none.
    var material: Int32
    var group: Int32
    var smoothing: Int32
}

/// Lines or points that follow each other in one piece.
struct OBJElementRun: Sendable {
    var piece: Int
    var elements: Range<Int>
    /// Where their vertices are.
    var vertices: Range<Int>
    var material: Int32
}

/// What becomes a node: an `o`, a group where the file has no `o`, or what stands before any.
struct OBJObject: Sendable {
    /// The number of the name, -1 for none.
    var name: Int32
    var runs: [OBJRun] = []
    var lines: [OBJElementRun] = []
    var points: [OBJElementRun] = []
    var faceCount = 0
    var cornerCount = 0
    var isEmpty: Bool { runs.isEmpty && lines.isEmpty && points.isEmpty }
}

/// The objects of a file, told by its statements.
struct OBJStructure {
    private(set) var names = OBJNames()
    private(set) var objects: [OBJObject] = []
    /// Materials in the order in which the file first names them, with the place of the statement.
    private(set) var materials: [(name: Int32, offset: Int)] = []
    /// Libraries as named, with the place of the statement.
    private(set) var libraries: [(name: Int32, offset: Int)] = []
    /// Whether the file has `o` statements: groups are nodes where it has none.
    private(set) var hasObjects: Bool
    /// Places of `usemtl` and `mtllib` without a name.
    private(set) var namelessLibrary: Int?

    /// All places that are kept.
    var places: [Int] { materials.map(\.offset) + libraries.map(\.offset) + (namelessLibrary.map { [$0] } ?? []) }

    private var object = -1
    private var group: Int32 = -1
    private var material: Int32 = -1
    private var smoothing: Int32 = 0
    private var objectOfGroup: [Int32: Int] = [:]
    private var knownMaterials = Set<Int32>()
    private var defaultGroup: Int32 = -1

    init(_ tables: OBJTables) {
        hasObjects = tables.pieces.contains { $0.events.contains { $0.kind == .object } }
        let word = Array("default".utf8)
        defaultGroup = word.withUnsafeBufferPointer { names.number($0) }
        for i in tables.pieces.indices { add(tables.pieces[i], i) }
    }

    private mutating func add(_ piece: OBJPiece, _ index: Int) {
        // The piece's names among those of the file.
        let numbers = (0..<piece.names.count).map { i in piece.names.withBytes(Int32(truncatingIfNeeded: i)) { names.number($0) } }
        var at = OBJEvent(kind: .smoothing, value: 0, offset: 0, faces: 0, lines: 0, points: 0, corners: 0, lineVertices: 0)
        for event in piece.events {
            take(index, from: at, to: event)
            let value = event.kind == .smoothing || event.value < 0 ? event.value : numbers[Int(event.value)]
            apply(event, value)
            at = event
        }
        var end = at
        end.faces = Int32(truncatingIfNeeded: piece.faceCount)
        end.corners = piece.cornerCount
        end.lines = Int32(truncatingIfNeeded: piece.lineSizes.count)
        end.lineVertices = piece.lineIndices.count
        end.points = Int32(truncatingIfNeeded: piece.pointIndices.count)
        take(index, from: at, to: end)
    }

    private mutating func apply(_ event: OBJEvent, _ value: Int32) {
        switch event.kind {
        case .object:
            objects.append(OBJObject(name: value))
            object = objects.count - 1
        case .group: group = value == defaultGroup ? -1 : value
        case .smoothing: smoothing = value
        case .material:
            material = value
            if value >= 0, knownMaterials.insert(value).inserted { materials.append((value, event.offset)) }
        case .library:
            if value >= 0 { libraries.append((value, event.offset)) } else { namelessLibrary = namelessLibrary ?? event.offset }
        }
    }

    /// Gives what lies between two statements to the object at hand.
    private mutating func take(_ piece: Int, from a: OBJEvent, to b: OBJEvent) {
        guard b.faces > a.faces || b.lines > a.lines || b.points > a.points else { return }
        let i = owner()
        if b.faces > a.faces {
            let (faces, corners) = (Int(b.faces - a.faces), b.corners - a.corners)
            objects[i].faceCount += faces
            objects[i].cornerCount += corners
            if let last = objects[i].runs.indices.last, objects[i].runs[last].continues(piece, Int(a.faces), material, group, smoothing) {
                objects[i].runs[last].faceCount += faces
                objects[i].runs[last].cornerCount += corners
            } else {
                objects[i].runs.append(
                    OBJRun(
                        piece: piece, firstFace: Int(a.faces), faceCount: faces, firstCorner: a.corners, cornerCount: corners,
                        material: material, group: group, smoothing: smoothing))
            }
        }
        if b.lines > a.lines {
            objects[i].lines.append(
                OBJElementRun(
                    piece: piece, elements: Int(a.lines)..<Int(b.lines), vertices: a.lineVertices..<b.lineVertices, material: material))
        }
        if b.points > a.points {
            let points = Int(a.points)..<Int(b.points)
            objects[i].points.append(OBJElementRun(piece: piece, elements: points, vertices: points, material: material))
        }
    }

    /// The object that elements go to here.
    private mutating func owner() -> Int {
        if hasObjects {
            if object < 0 {
                objects.append(OBJObject(name: -1))
                object = objects.count - 1
            }
            return object
        }
        if let known = objectOfGroup[group] { return known }
        objects.append(OBJObject(name: group))
        objectOfGroup[group] = objects.count - 1
        return objects.count - 1
    }
}

extension OBJRun {
    fileprivate func continues(_ piece: Int, _ face: Int, _ material: Int32, _ group: Int32, _ smoothing: Int32) -> Bool {
        self.piece == piece && firstFace + faceCount == face && self.material == material && self.group == group && self.smoothing == smoothing
    }
}
