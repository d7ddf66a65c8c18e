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

    /// Where a property's value goes.
    private struct Slot: BitwiseCopyable {
        var type: PLYValueType
        var floats: UnsafeMutablePointer<Float>?
        var doubles: UnsafeMutablePointer<Double>?
        var width = 0
        var divisor: Float = 1
    }

    /// Reads the rows one by one: for text, and for rows with lists. Where primvars are not wanted, only the points.
    init<Values: PLYValues>(
        _ values: inout Values, _ element: PLYElement, _ layout: PLYVertexLayout, isText: Bool, wantsPrimvars: Bool, row: inout Int
    ) throws(PLYFault) {
        let count = element.count
        var slots = element.properties.map { Slot(type: $0.type) }
        func store(_ column: PLYVertexLayout.Column?) -> PLYStore<Float>? {
            guard let column, wantsPrimvars else { return nil }
            let store = PLYStore<Float>(count * column.properties.count)
            for (k, i) in column.properties.enumerated() {
                let divisor = column.isColor ? element.properties[i].scalar.colorMaximum : 1
                slots[i].floats = store.base + k
                slots[i].width = column.properties.count
                slots[i].divisor = Float(divisor)
            }
            return store
        }
        let (normalStore, coordinateStore) = (store(layout.normals), store(layout.coordinates))
        let (colorStore, opacityStore) = (store(layout.colors), store(layout.opacity))
        let otherStores = layout.others.map { ($0.name, store($0)) }
        var positions: PLYStore<Double>?
        if let column = layout.positions {
            let store = PLYStore<Double>(count * 3)
            for (k, i) in column.properties.enumerated() { slots[i].doubles = store.base + k }
            positions = store
        }
        row = 0
        while row < count {
            for i in 0..<slots.count {
                let slot = slots[i]
                if let p = slot.doubles {
                    p[row * 3] = try values.value(slot.type.scalar)
                } else if let p = slot.floats {
                    p[row * slot.width] = Float(try values.value(slot.type.scalar)) / slot.divisor
                } else {
                    try values.skip(slot.type)
                }
            }
            row += 1
            if row & 0x3FFF == 0 { values.dropBehind() }
        }
        if let positions {
            let isDouble = layout.positions?.properties.contains { element.properties[$0].scalar.needsDouble } ?? false
            points = isDouble || (isText && PLYVertices.needsDouble(positions)) ? .double(stored(positions)) : .float(stored(narrow(positions)))
        }
        normals = normalStore.map { stored($0) }
        coordinates = coordinateStore.map { stored($0) }
        colors = colorStore.map { stored($0) }
        opacity = opacityStore.map { stored($0) }
        for (name, store) in otherStores { if let store { others.append((name, stored(store))) } }
    }

    /// Whether a float32 would move one of the numbers by more than a millionth of what they span.
    private static func needsDouble(_ store: PLYStore<Double>) -> Bool {
        var (low, high, moved) = (SIMD4(repeating: Double.infinity), SIMD4(repeating: -Double.infinity), 0.0)
        var k = 0
        while k < store.count {
            for c in 0..<3 {
                let value = store.base[k + c]
                guard value.isFinite else { continue }
                low[c] = min(low[c], value)
                high[c] = max(high[c], value)
                let step = (value - Double(Float(value))).magnitude
                if step.isFinite { moved = max(moved, step) } else { moved = .infinity }
            }
            k += 3
        }
        let size = max(high[0] - low[0], max(high[1] - low[1], high[2] - low[2]))
        return size.isFinite && size > 0 && moved > size * 1e-6
    }
}

private func narrow(_ store: PLYStore<Double>) -> PLYStore<Float> {
    let floats = PLYStore<Float>(store.count)
    for k in 0..<store.count { floats.base[k] = Float(store.base[k]) }
    return floats
}

private func stored<T: PLYPacked>(_ store: PLYStore<T.Number>) -> DeferredArray<T> { .deferred(PLYStoredSource<T>(store: store)) }
