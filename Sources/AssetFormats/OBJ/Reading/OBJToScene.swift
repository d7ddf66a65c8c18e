import AssetIO
import AssetModel
import AssetOps

/// Makes the scene of a parsed file: a node for each object's faces, lines and points.
struct OBJToScene {
    let tables: OBJTables
    let structure: OBJStructure
    private let file: FileBytes
    private let report: OBJReport
    private let wantsPrimvars: Bool
    private var libraries: OBJLibraries
    private var paths = UniqueNames()
    /// How many faces all groups may have together: a line of a thousand names before a million faces is a thousand million.
    private var groupRoom: Int
    private var droppedGroups = 0
    /// Positions in double precision, once an object needed them.
    private var doubles: OBJColumn<Point3d>?

    init(_ tables: OBJTables, wantsPrimvars: Bool) {
        self.tables = tables
        self.wantsPrimvars = wantsPrimvars
        file = tables.file
        groupRoom = 1_000_000 + 16 * tables.file.count
        structure = OBJStructure(tables)
        let places = OBJPlaces(tables.file, structure.places + OBJFaults.Kind.allCases.map { tables.faults.first($0) })
        report = OBJReport(faults: tables.faults, places: places)
        libraries = OBJLibraries(tables.file, places)
    }

    /// A name as a part of a path.
    static func pathName(_ name: String) -> String { name.isEmpty ? "unnamed" : pathPart(shownName(name)) }

    /// A name as text: bytes that are not UTF-8 are replaced.
    static func shownName(_ name: String) -> String {
        SystemPath.hasEscapes(name) ? String(decoding: SystemPath.bytes(name), as: UTF8.self) : name
    }

    mutating func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        var scene = Scene(
            source: SourceDescription(
                file: file.name, format: "obj", byteCount: file.count,
                files: [SourceDescription.File(path: file.name, role: "root", byteCount: file.count, resolved: file.name)]))
        scene.source.tintsMaterials = true
        report.tell(&context.diagnostics)
        libraries.load(structure, into: &scene, &context)
        for object in structure.objects where object.name >= 0 { paths.announce(OBJToScene.pathName(structure.names.text(object.name))) }
        if structure.objects.allSatisfy(\.isEmpty), tables.positions.count > 0 {
            addAllPoints(&scene)
        } else {
            scene.nodes.reserveCapacity(structure.objects.count)
            scene.meshes.reserveCapacity(structure.objects.reduce(0) { $0 + ($1.runs.isEmpty ? 0 : 1) })
            for object in structure.objects { try add(object, to: &scene) }
        }
        if droppedGroups > 0 {
            context.diagnostics.add(
                Diagnostic(
                    .warning, "obj.dropped.groups",
                    "\(droppedGroups) \(droppedGroups == 1 ? "group is" : "groups are") left out: "
                        + "faces are in more groups than a file of this size can mean", at: SourceLocation(file: file.name), count: droppedGroups))
        }
        return scene
    }

    // MARK: Nodes

    private mutating func add(_ object: OBJObject, to scene: inout Scene) throws(AssetError) {
        let name = object.name >= 0 ? OBJToScene.shownName(structure.names.text(object.name)) : ""
        if object.isEmpty {
            var node = Node(name: name, path: path(name, "object"), typeName: "Xform")
            node.isTransformable = true
            node.isImageable = true
            _ = scene.nodes.append(node)
            return
        }
        if !object.runs.isEmpty { try addMesh(object, name, &scene) }
        if !object.lines.isEmpty { addCurves(object, name, &scene) }
        if !object.points.isEmpty { addPoints(object, name, &scene) }
    }

    /// A path that no other node has; of one whose object has faces as well, with what it is.
    private mutating func path(_ name: String, _ kind: String) -> String {
        "/" + (name.isEmpty ? paths.unique(made: kind) : paths.unique(OBJToScene.pathName(name)))
    }

    private mutating func node(_ name: String, _ path: String, _ type: String) -> Node {
        var node = Node(name: name, path: path, typeName: type)
        node.isTransformable = true
        node.isImageable = true
        return node
    }

    // MARK: Meshes

    private mutating func addMesh(_ object: OBJObject, _ name: String, _ scene: inout Scene) throws(AssetError) {
        let selection = OBJSelection(tables, object.runs, .position, exactly: true)
        var mesh = Mesh(points: points(selection))
        if let size = OBJFaceSizes.same(tables, object.runs) {
            mesh.faceVertexCounts = .deferred(RepeatedArray(size, count: object.faceCount))
        } else {
            mesh.faceVertexCounts = .deferred(OBJFaceSizes(tables: tables, runs: object.runs, count: object.faceCount))
        }
        mesh.faceVertexIndices = .deferred(
            OBJIndices(tables: tables, runs: object.runs, count: object.cornerCount, kind: .position, selection: selection))
        if wantsPrimvars {
            addTexcoords(object, &mesh)
            try addNormals(object, &mesh)
            if let colors = colors(selection) {
                mesh.primvars.append(Primvar(name: "displayColor", role: .color, interpolation: .vertex, values: .float3(colors)))
            }
        }
        var node = node(name, path(name, "mesh"), "Mesh")
        addSubsets(object, name, &mesh, &node)
        node.content = .mesh(scene.meshes.append(mesh))
        _ = scene.nodes.append(node)
    }

    /// Whether corners of the runs have an index of a kind: all, some or none.
    private func presence(_ object: OBJObject, _ kind: OBJIndices.Kind) -> (any: Bool, all: Bool) {
        var (any, all) = (false, true)
        for run in object.runs {
            let indices = kind.column(tables, run.piece).elements(run.firstCorner..<(run.firstCorner + run.cornerCount))
            if indices.isEmpty {
                all = false
                continue
            }
            var (low, high) = (Int32.max, Int32.min)
            for i in indices { (low, high) = (min(low, i), max(high, i)) }
            if low < 0 { all = false }
            if high >= 0 { any = true }
        }
        return (any, all)
    }

    private func addTexcoords(_ object: OBJObject, _ mesh: inout Mesh) {
        let (any, all) = presence(object, .texcoord)
        guard any else { return }
        let selection = OBJSelection(tables, object.runs, .texcoord, exactly: false)
        let values = OBJValues(column: tables.texcoords, selection: selection, extra: all ? nil : Vector2f(0, 0))
        let indices = OBJIndices(tables: tables, runs: object.runs, count: object.cornerCount, kind: .texcoord, selection: selection)
        var primvar = Primvar(
            name: "st", role: .textureCoordinate, interpolation: .faceVarying, values: .float2(.deferred(values)), indices: .deferred(indices))
        if !all { primvar.unauthoredValuesIndex = Int32(truncatingIfNeeded: selection.count) }
        mesh.primvars.append(primvar)
    }

    private func addNormals(_ object: OBJObject, _ mesh: inout Mesh) throws(AssetError) {
        let (any, all) = presence(object, .normal)
        if any, all {
            let selection = OBJSelection(tables, object.runs, .normal, exactly: false)
            let indices = OBJIndices(tables: tables, runs: object.runs, count: object.cornerCount, kind: .normal, selection: selection)
            mesh.normals = Primvar(
                name: "normals", role: .normal, interpolation: .faceVarying,
                values: .float3(.deferred(OBJValues(column: tables.normals, selection: selection))), indices: .deferred(indices))
        } else if any || object.runs.contains(where: { $0.smoothing != 0 }) {
            // Of smoothing groups, and of what is flat among faces that have normals.
            let made = OBJSmoothNormals(
                tables: tables, runs: object.runs, points: mesh.points, sizes: mesh.faceVertexCounts, indices: mesh.faceVertexIndices)
            let (values, indices) = try made.load()
            mesh.normals = Primvar(
                name: "normals", role: .normal, interpolation: .faceVarying, values: .float3(.loaded(values)), indices: .loaded(indices))
        }
    }

    // MARK: Subsets

    /// Materials part the mesh, where it has more than one; groups are sets of faces, where they are no nodes.
    private mutating func addSubsets(_ object: OBJObject, _ name: String, _ mesh: inout Mesh, _ node: inout Node) {
        var ofMaterial: [Int32: OBJFaceRanges] = [:]
        var materials: [Int32] = []
        var ofStatement: [Int32: OBJFaceRanges] = [:]
        var statements: [Int32] = []
        var face = 0
        for run in object.runs {
            if ofMaterial[run.material] == nil { materials.append(run.material) }
            ofMaterial[run.material, default: OBJFaceRanges()].append(face, run.faceCount)
            if structure.hasObjects, run.group >= 0 {
                if ofStatement[run.group] == nil { statements.append(run.group) }
                ofStatement[run.group, default: OBJFaceRanges()].append(face, run.faceCount)
            }
            face += run.faceCount
        }
        if materials.count == 1 {
            node.material = libraries.material(materials[0])
            node.previewMaterial = node.material
            materials = []
        }
        var names = UniqueNames()
        var bindings: [ID<Material>?] = []
        for material in materials where material >= 0 {
            let faces = ofMaterial[material] ?? OBJFaceRanges()
            let subset = names.unique(OBJToScene.pathName(structure.names.text(material)))
            mesh.subsets.append(GeomSubset(name: subset, family: "materialBind", faces: .deferred(faces)))
            bindings.append(libraries.material(material))
        }
        for (group, faces) in groups(statements.map { ($0, ofStatement[$0] ?? OBJFaceRanges()) }) {
            // A group that is the whole object under the same name says nothing more.
            if group == name, faces.count == object.faceCount { continue }
            mesh.subsets.append(GeomSubset(name: names.unique(OBJToScene.pathName(group)), family: "", faces: .deferred(faces)))
            bindings.append(nil)
        }
        node.subsetMaterials = bindings
        node.subsetPreviewMaterials = bindings
    }

    /// The faces of each group, from those of each `g` statement, which may name several.
    private mutating func groups(_ statements: [(number: Int32, faces: OBJFaceRanges)]) -> [(name: String, faces: OBJFaceRanges)] {
        var order: [Substring] = []
        var ofName: [Substring: [Int]] = [:]
        for (i, statement) in statements.enumerated() {
            let text = structure.names.text(statement.number)
            for name in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
                if ofName[name] == nil { order.append(name) }
                if ofName[name]?.last != i { ofName[name, default: []].append(i) }
            }
        }
        var result: [(String, OBJFaceRanges)] = []
        for name in order {
            let parts = ofName[name] ?? []
            let size = parts.reduce(0) { $0 + statements[$1].faces.count }
            guard size <= groupRoom else {
                droppedGroups += 1
                continue
            }
            groupRoom -= size
            result.append((String(name), parts.count == 1 ? statements[parts[0]].faces : OBJFaceRanges(joining: parts.map { statements[$0].faces })))
        }
        return result
    }

    // MARK: Lines and points

    private mutating func addCurves(_ object: OBJObject, _ name: String, _ scene: inout Scene) {
        var counts: [Int32] = []
        var indices: [Int32] = []
        for run in object.lines {
            counts.append(contentsOf: tables.pieces[run.piece].lineSizes.elements(run.elements))
            indices.append(contentsOf: tables.pieces[run.piece].lineIndices.elements(run.vertices))
        }
        let selection = OBJSelection(list: indices)
        var curves = Curves(kind: .basis, points: points(selection), curveVertexCounts: .loaded(counts))
        if let colors = colors(selection) {
            curves.primvars.append(Primvar(name: "displayColor", role: .color, interpolation: .vertex, values: .float3(colors)))
        }
        var node = node(name, path(name, "lines"), "Lines")
        node.content = .curves(scene.curves.append(curves))
        bind(object.lines, &node)
        _ = scene.nodes.append(node)
    }

    private mutating func addPoints(_ object: OBJObject, _ name: String, _ scene: inout Scene) {
        var indices: [Int32] = []
        for run in object.points { indices.append(contentsOf: tables.pieces[run.piece].pointIndices.elements(run.vertices)) }
        addPoints(name, OBJSelection(list: indices), object.points, &scene)
    }

    private mutating func addAllPoints(_ scene: inout Scene) {
        let name = structure.objects.first { $0.name >= 0 }.map { OBJToScene.shownName(structure.names.text($0.name)) } ?? ""
        addPoints(name, .range(0..<tables.positions.count), [], &scene)
    }

    private mutating func addPoints(_ name: String, _ selection: OBJSelection, _ runs: [OBJElementRun], _ scene: inout Scene) {
        var cloud = PointCloud(points: points(selection))
        if let colors = colors(selection) {
            cloud.primvars.append(Primvar(name: "displayColor", role: .color, interpolation: .vertex, values: .float3(colors)))
        }
        var node = node(name, path(name, "points"), "Points")
        node.content = .points(scene.points.append(cloud))
        bind(runs, &node)
        _ = scene.nodes.append(node)
    }

    /// Lines and points have one material a node: the first.
    private func bind(_ runs: [OBJElementRun], _ node: inout Node) {
        node.material = runs.first.flatMap { libraries.material($0.material) }
        node.previewMaterial = node.material
    }

    // MARK: Positions

    private mutating func points(_ selection: OBJSelection) -> PointArray {
        let single = PointArray.float(.deferred(OBJValues(column: tables.positions, selection: selection)))
        guard needsDoubles(selection) else { return single }
        let exact = doubles ?? tables.doubles()
        doubles = exact
        guard OBJToScene.isCoarse(tables.positions, exact, selection) else { return single }
        return .double(.deferred(OBJValues(column: exact, selection: selection)))
    }

    /// Whether single precision may move a point by more than a millionth of the size of all: the error of the whole file
    /// against the box of a few points first, then of all.
    private func needsDoubles(_ selection: OBJSelection) -> Bool {
        let error = tables.largestError
        guard error > 0, selection.count > 0 else { return false }
        var few = BoundingBox()
        let all = tables.positions.elements
        for k in stride(from: 0, to: selection.count, by: max(1, selection.count / 64)) { few.formUnion(Point3d(all[selection.index(k)])) }
        if !few.isEmpty, error <= few.size.length * 1e-6 { return false }
        var box = BoundingBox()
        OBJValues(column: tables.positions, selection: selection).forEachBlock { for p in $0 { box.formUnion(Point3d(p)) } }
        return box.isEmpty || error > box.size.length * 1e-6
    }

    private static func isCoarse(_ single: OBJColumn<Point3f>, _ exact: OBJColumn<Point3d>, _ selection: OBJSelection) -> Bool {
        let (single, exact) = (single.elements, exact.elements)
        guard single.count == exact.count else { return false }
        var box = BoundingBox()
        var error = 0.0
        for k in 0..<selection.count {
            let i = selection.index(k)
            let (p, q) = (exact[i], Point3d(single[i]))
            guard p.isFinite else { continue }
            box.formUnion(p)
            for e in [p.x - q.x, p.y - q.y, p.z - q.z] where e.magnitude > error { error = e.magnitude }
        }
        return error > 0 && error > box.size.length * 1e-6
    }

    /// The colours of positions, white where one has none; nil where none has any.
    private func colors(_ selection: OBJSelection) -> DeferredArray<Vector3f>? {
        guard tables.colors.count > 0 else { return nil }
        let all = tables.colors.elements
        var (any, highest) = (false, Float(0))
        for k in 0..<selection.count {
            let c = all[selection.index(k)]
            guard !c.x.isNaN else { continue }
            any = true
            highest = max(highest, max(c.x, max(c.y, c.z)))
        }
        guard any else { return nil }
        // Some programs write bytes.
        let scale: Float = highest > 1 && highest <= 255 ? 1 / 255 : 1
        return .loaded(
            (0..<selection.count).map { k in
                let c = all[selection.index(k)]
                return c.x.isNaN ? Vector3f(1, 1, 1) : Vector3f(c.x * scale, c.y * scale, c.z * scale)
            })
    }
}

/// Normals of an object of which some corners have none of their own: those of its smoothing groups.
private struct OBJSmoothNormals {
    let tables: OBJTables
    let runs: [OBJRun]
    let points: PointArray
    let sizes: DeferredArray<Int32>
    let indices: DeferredArray<Int32>

    func load() throws(AssetError) -> (values: [Vector3f], indices: [Int32]) {
        let loaded: PolygonMesh.Points
        switch points {
        case .float(let array): loaded = .float(try array.load())
        case .double(let array): loaded = .double(try array.load())
        }
        var groups: [Int32] = []
        groups.reserveCapacity(sizes.count)
        for run in runs { for _ in 0..<run.faceCount { groups.append(run.smoothing) } }
        var (values, ofCorner) = SmoothNormals.perCorner(
            points: loaded, sizes: try sizes.load(), indices: try indices.load(), groups: groups)
        // Corners with a normal of their own keep it.
        var own: [Int32: Int32] = [:]
        let normals = tables.normals.elements
        var corner = 0
        for run in runs {
            let given = tables.pieces[run.piece].normalIndices.elements(run.firstCorner..<(run.firstCorner + run.cornerCount))
            for (k, i) in given.enumerated() where i >= 0 {
                if let known = own[i] {
                    ofCorner[corner + k] = known
                } else {
                    values.append(normals[Int(i)])
                    let made = Int32(truncatingIfNeeded: values.count - 1)
                    (own[i], ofCorner[corner + k]) = (made, made)
                }
            }
            corner += run.cornerCount
        }
        return (values, ofCorner)
    }
}
