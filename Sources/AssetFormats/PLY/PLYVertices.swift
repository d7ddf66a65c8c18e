import AssetIO
import AssetModel

/// Which properties of the vertex element are what.
struct PLYVertexLayout {
    /// Properties that belong together, in the order of their components.
    struct Column {
        var name: String
        var properties: [Int]
        var isColor = false
    }

    var positions: Column?
    var normals: Column?
    var coordinates: Column?
    var colors: Column?
    var opacity: Column?
    /// Further single values, kept by name.
    var others: [Column] = []
    /// What nothing is made of.
    var unknown: [String] = []
    /// Whether the points are Gaussian splats (B. Kerbl and others, "3D Gaussian Splatting", 2023).
    var isSplats = false

    init(_ element: PLYElement) {
        func column(_ name: String, _ names: [String], isColor: Bool = false) -> Column? {
            let found = names.compactMap { element.property($0) }
            return found.count == names.count ? Column(name: name, properties: found, isColor: isColor) : nil
        }
        positions = column("points", ["x", "y", "z"])
        normals = column("normals", ["nx", "ny", "nz"])
        for pair in [["s", "t"], ["u", "v"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]] where coordinates == nil {
            coordinates = column("st", pair)
        }
        colors =
            column("displayColor", ["red", "green", "blue"], isColor: true)
            ?? column("displayColor", ["diffuse_red", "diffuse_green", "diffuse_blue"], isColor: true)
        opacity = column("displayOpacity", ["alpha"], isColor: true) ?? column("displayOpacity", ["diffuse_alpha"], isColor: true)
        isSplats = ["f_dc_0", "scale_0", "rot_0", "opacity"].allSatisfy { element.property($0) != nil }
        var used = Set<Int>()
        for column in [positions, normals, coordinates, colors, opacity] { used.formUnion(column?.properties ?? []) }
        var names: Set<String> = ["st", "normals", "displayColor", "displayOpacity"]
        for (i, property) in element.properties.enumerated() where !used.contains(i) {
            if isSplats, property.length == nil, names.insert(property.name).inserted {
                others.append(Column(name: property.name, properties: [i]))
            } else {
                unknown.append(property.name)
            }
        }
    }
}

/// The vertex element as arrays.
struct PLYVertices {
    var points = PointArray()
    var normals: DeferredArray<Vector3f>?
    var coordinates: DeferredArray<Vector2f>?
    var colors: DeferredArray<Vector3f>?
    var opacity: DeferredArray<Float>?
    var others: [(name: String, values: DeferredArray<Float>)] = []

    /// Arrays that stay in the file: for rows of one size.
    init(_ file: FileBytes, at start: Int, stride: Int, _ element: PLYElement, _ layout: PLYVertexLayout, isBig: Bool) {
        var offsets: [Int] = []
        var sum = 0
        for p in element.properties {
            offsets.append(sum)
            sum += p.scalar.size
        }
        func array<T: PLYPacked>(_ column: PLYVertexLayout.Column?, as type: T.Type) -> DeferredArray<T>? {
            guard let column else { return nil }
            let components = column.properties.map { i in
                let scalar = element.properties[i].scalar
                return PLYColumnSource<T>.Component(offset: offsets[i], scalar: scalar, divisor: column.isColor ? scalar.colorMaximum : 1)
            }
            return .deferred(
                PLYColumnSource<T>(file: file, start: start, stride: stride, count: element.count, components: components, isBig: isBig))
        }
        if let positions = layout.positions {
            let isDouble = positions.properties.contains { element.properties[$0].scalar.needsDouble }
            if isDouble {
                points = .double(array(positions, as: Point3d.self) ?? .init())
            } else {
                points = .float(array(positions, as: Point3f.self) ?? .init())
            }
        }
        normals = array(layout.normals, as: Vector3f.self)
        coordinates = array(layout.coordinates, as: Vector2f.self)
        colors = array(layout.colors, as: Vector3f.self)
        opacity = array(layout.opacity, as: Float.self)
        for column in layout.others { if let values = array(column, as: Float.self) { others.append((column.name, values)) } }
    }

    /// Arrays of columns that were read.
    init(_ columns: PLYRowColumns, _ kinds: [Kind]) {
        for (c, kind) in kinds.enumerated() {
            if let store = columns.doubles[c] {
                points = .double(stored(store))
            } else if let store = columns.floats[c] {
                switch kind {
                case .points: points = .float(stored(store))
                case .normals: normals = stored(store)
                case .coordinates: coordinates = stored(store)
                case .colors: colors = stored(store)
                case .opacity: opacity = stored(store)
                case .other(let name): others.append((name, stored(store)))
                }
            }
        }
    }

    init() {}

    /// What a column holds.
    enum Kind: Sendable, Hashable {
        case points, normals, coordinates, colors, opacity
        case other(String)
    }

    /// Reads binary rows with lists, one by one.
    init<Values: PLYValues>(
        rows values: inout Values, _ element: PLYElement, _ layout: PLYVertexLayout, wantsPrimvars: Bool, row: inout Int
    ) throws(PLYFault) {
        let wanted = layout.columns.filter { $0.kind == .points || wantsPrimvars }
        let isDouble = layout.positions?.properties.contains { element.properties[$0].scalar.needsDouble } ?? false
        let plan = PLYRowPlan(element, wanted.map(\.column), hasPositions: layout.positions != nil, positionsAreDouble: isDouble)
        let columns = PLYRowColumns(plan, rows: element.count)
        row = 0
        while row < element.count {
            try columns.read(&values, plan, row: row)
            row += 1
            if row & 0x3FFF == 0 { values.dropBehind() }
        }
        self.init(columns, wanted.map(\.kind))
    }
}

extension PLYVertexLayout {
    /// The columns that arrays are made of, positions first.
    var columns: [(kind: PLYVertices.Kind, column: Column)] {
        let known: [(PLYVertices.Kind, Column?)] = [
            (.points, positions), (.normals, normals), (.coordinates, coordinates), (.colors, colors), (.opacity, opacity),
        ]
        return known.compactMap { kind, column in column.map { (kind, $0) } } + others.map { (.other($0.name), $0) }
    }
}

private func stored<T: PLYPacked>(_ store: PLYStore<T.Number>) -> DeferredArray<T> { .deferred(PLYStoredSource<T>(store: store)) }
