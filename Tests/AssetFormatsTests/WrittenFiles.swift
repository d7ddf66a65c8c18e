import AssetFormats
import AssetIO
import AssetModel
import TestSupport

/// What a writer made of a scene, and the scene that is read from it again.
struct Written {
    var files: [String: [UInt8]]
    var diagnostics: [Diagnostic]
    let main: String

    var bytes: [UInt8] { files[main] ?? [] }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var codes: [String] { diagnostics.map(\.code) }

    init(
        _ format: any Format, _ scene: Scene, files given: [String: [UInt8]] = [:], _ change: (inout WriteOptions) -> Void = { _ in }
    ) throws {
        main = "out." + format.info.id
        var options = WriteOptions(fileName: main)
        change(&options)
        let output = MemoryOutput()
        var context = WriteContext(resolver: InMemoryResolver(given), options: options, output: output)
        try format.write(scene, &context)
        try output.commit()
        files = Dictionary(output.files.map { ($0.path, $0.bytes) }, uniquingKeysWith: { a, _ in a })
        diagnostics = context.diagnostics.entries
    }

    /// Reads the main file again.
    func read(_ format: any Format) throws -> Scene {
        var context = ReadContext(resolver: InMemoryResolver(files))
        let scene = try format.open(FileBytes(name: main, bytes: bytes), &context).scene(&context)
        if !SceneInvariants.violations(in: scene, level: .geometry).isEmpty { throw TestFailure("broken promises") }
        let warnings = context.diagnostics.entries.filter { $0.severity >= .warning }
        if !warnings.isEmpty { throw TestFailure("reading what was written: \(warnings)") }
        return scene
    }
}

extension PointArray {
    /// As doubles, whatever they are stored as.
    func triples() throws -> [[Double]] {
        switch self {
        case .float(let a): try a.load().map { [Double($0.x), Double($0.y), Double($0.z)] }
        case .double(let a): try a.load().map { [$0.x, $0.y, $0.z] }
        }
    }
}

extension Mesh {
    /// The corners of each face, as indices of points.
    func faces() throws -> [[Int]] {
        let indices = try faceVertexIndices.load()
        var start = 0
        return try faceVertexCounts.load().map { n in
            defer { start += Int(n) }
            return indices[start..<start + Int(n)].map { Int($0) }
        }
    }

    /// The positions of each face's corners.
    func corners() throws -> [[[Double]]] {
        let points = try points.triples()
        return try faces().map { $0.map { points[$0] } }
    }

    /// A primvar's value at each corner of each face.
    func corners(_ name: String) throws -> [[[Float]]] {
        guard let primvar = name == "normals" ? normals : primvars.first(where: { $0.name == name }) else { return [] }
        let values: [[Float]] =
            switch primvar.values {
            case .float(let a): try a.load().map { [$0] }
            case .float2(let a): try a.load().map { [$0.x, $0.y] }
            case .float3(let a): try a.load().map { [$0.x, $0.y, $0.z] }
            default: []
            }
        let indices = try primvar.indices?.load()
        var corner = 0
        return try faces().enumerated().map { face, points in
            points.map { point in
                defer { corner += 1 }
                let element =
                    switch primvar.interpolation {
                    case .constant: 0
                    case .uniform: face
                    case .varying, .vertex: point
                    case .faceVarying: corner
                    }
                return values[indices.map { Int($0[element]) } ?? element]
            }
        }
    }
}

/// A mesh of random polygons; attributes of random interpolations, some with indices.
func randomMesh(_ random: inout SplitMix64, triangles: Bool = false, isDouble: Bool = false) -> Mesh {
    let pointCount = random.int(in: 3...40)
    var counts: [Int32] = []
    var indices: [Int32] = []
    for _ in 0..<random.int(in: 1...30) {
        let n = triangles ? 3 : random.int(in: 3...6)
        counts.append(Int32(n))
        for _ in 0..<n { indices.append(Int32(random.int(in: 0...(pointCount - 1)))) }
    }
    func number() -> Float { random.float(in: -10...10) }
    var mesh = Mesh(faceVertexCounts: .loaded(counts), faceVertexIndices: .loaded(indices))
    if isDouble {
        mesh.points = .double(.loaded((0..<pointCount).map { _ in Point3d(Double(number()) / 3, Double(number()) / 3, Double(number()) / 3) }))
    } else {
        mesh.points = PointArray((0..<pointCount).map { _ in Point3f(number(), number(), number()) })
    }
    func spread(_ allowed: [Interpolation]) -> (Interpolation, Int) {
        let interpolation = allowed[random.int(in: 0...(allowed.count - 1))]
        switch interpolation {
        case .constant: return (interpolation, 1)
        case .uniform: return (interpolation, counts.count)
        case .varying, .vertex: return (interpolation, pointCount)
        case .faceVarying: return (interpolation, indices.count)
        }
    }
    /// A few values again and again, so that some corners agree.
    func indexed(_ count: Int, of values: Int) -> DeferredArray<Int32> {
        .loaded((0..<count).map { _ in Int32(random.int(in: 0...(values - 1))) })
    }
    if random.bool() {
        let (interpolation, count) = spread([.vertex, .faceVarying, .uniform])
        let values = (0..<4).map { _ -> Vector3f in
            let v = Vector3d(Double(number()), Double(number()), Double(number()) + 20)
            return Vector3f(Float(v.x / v.length), Float(v.y / v.length), Float(v.z / v.length))
        }
        mesh.normals = Primvar(
            name: "normals", role: .normal, interpolation: interpolation, values: .float3(.loaded(values)), indices: indexed(count, of: 4))
    }
    if random.bool() {
        let (interpolation, count) = spread([.vertex, .faceVarying])
        mesh.primvars.append(
            Primvar(
                name: "st", role: .textureCoordinate, interpolation: interpolation,
                values: .float2(.loaded((0..<count).map { _ in Vector2f(Float(random.int(in: 0...3)), number()) }))))
    }
    if random.bool() {
        let (interpolation, count) = spread([.constant, .vertex, .faceVarying, .uniform])
        mesh.primvars.append(
            Primvar(
                name: "displayColor", role: .color, interpolation: interpolation,
                values: .float3(
                    .loaded((0..<3).map { _ in Vector3f(Float(random.int(in: 0...255)) / 255, Float(random.int(in: 0...255)) / 255, 1) })),
                indices: indexed(count, of: 3)))
    }
    if random.bool() {
        let (interpolation, count) = spread([.vertex, .faceVarying])
        mesh.primvars.append(
            Primvar(
                name: "displayOpacity", interpolation: interpolation,
                values: .float(.loaded((0..<count).map { _ in Float(random.int(in: 0...2)) * 51 / 255 }))))
    }
    return mesh
}
