import AssetFormats
import AssetIO
import AssetModel
import TestSupport

/// A small glTF file, put together in a test: bytes are collected, the rest is JSON as it is written.
struct GLTFFile {
    private var bytes: [UInt8] = []
    private var views: [String] = []
    private var accessors: [String] = []
    /// Members of the outermost object besides those that are made here.
    var members: [String]

    init(_ members: String...) { self.members = members }

    /// The number of the accessor.
    @discardableResult mutating func add(_ values: [Float], _ type: String, extra: String = "") -> Int {
        accessor(values.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }, 5126, values.count, type, extra)
    }

    @discardableResult mutating func add(indices: [UInt16], extra: String = "") -> Int {
        accessor(indices.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, 5123, indices.count, "SCALAR", extra)
    }

    @discardableResult mutating func add(bytes: [UInt8], _ component: Int, numbers: Int, _ type: String, extra: String = "") -> Int {
        accessor(bytes, component, numbers, type, extra)
    }

    private mutating func accessor(_ data: [UInt8], _ component: Int, _ numbers: Int, _ type: String, _ extra: String) -> Int {
        let width = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16][type] ?? 1
        while bytes.count % 4 != 0 { bytes.append(0) }
        views.append("{\"buffer\":0,\"byteOffset\":\(bytes.count),\"byteLength\":\(data.count)}")
        bytes.append(contentsOf: data)
        let more = extra.isEmpty ? "" : "," + extra
        accessors.append(
            "{\"bufferView\":\(views.count - 1),\"componentType\":\(component),\"count\":\(numbers / width),\"type\":\"\(type)\"\(more)}")
        return accessors.count - 1
    }

    private func json(_ buffer: String) -> String {
        var all = ["\"asset\":{\"version\":\"2.0\"}"]
        if !accessors.isEmpty {
            all.append("\"buffers\":[\(buffer)]")
            all.append("\"bufferViews\":[\(views.joined(separator: ","))]")
            all.append("\"accessors\":[\(accessors.joined(separator: ","))]")
        }
        return "{" + (all + members).joined(separator: ",") + "}"
    }

    /// JSON alone, its buffer a data URI.
    var text: [UInt8] {
        Array(json("{\"byteLength\":\(bytes.count),\"uri\":\"data:application/octet-stream;base64,\(Self.base64(bytes))\"}").utf8)
    }

    /// The same as a binary file.
    var binary: [UInt8] {
        var json = Array(json("{\"byteLength\":\(bytes.count)}").utf8)
        while json.count % 4 != 0 { json.append(0x20) }
        var data = bytes
        while data.count % 4 != 0 { data.append(0) }
        func word(_ n: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(n).littleEndian, Array.init) }
        let chunks = word(json.count) + Array("JSON".utf8) + json + word(data.count) + Array("BIN\0".utf8) + data
        return Array("glTF".utf8) + word(2) + word(12 + chunks.count) + chunks
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var out = ""
        for i in stride(from: 0, to: bytes.count, by: 3) {
            let some = Array(bytes[i..<min(i + 3, bytes.count)]) + [0, 0]
            let word = Int(some[0]) << 16 | Int(some[1]) << 8 | Int(some[2])
            for k in 0..<4 { out.append(i + k <= bytes.count ? letters[word >> (18 - 6 * k) & 63] : "=") }
        }
        return out
    }
}

/// What was read of a file.
struct ReadGLTF {
    var scene: Scene
    var diagnostics: Diagnostics
    var codes: [String] { diagnostics.entries.map(\.code) }
    var mesh: Mesh { scene.meshes.first ?? Mesh() }
    var paths: [String] { scene.nodes.map(\.path) }

    func points(_ i: Int = 0) throws -> [[Float]] {
        guard case .float(let a) = scene.meshes[i].points else { throw TestFailure("points are doubles") }
        return try a.load().map { [$0.x, $0.y, $0.z] }
    }

    func faces(_ i: Int = 0) throws -> [[Int32]] {
        let all = try scene.meshes[i].faceVertexIndices.load()
        return stride(from: 0, to: all.count, by: 3).map { Array(all[$0..<($0 + 3)]) }
    }

    func numbers(_ name: String, _ i: Int = 0) throws -> [[Float]] {
        switch scene.meshes[i].primvars.first(where: { $0.name == name })?.values {
        case .float(let a): try a.load().map { [$0] }
        case .float2(let a): try a.load().map { [$0.x, $0.y] }
        case .float3(let a): try a.load().map { [$0.x, $0.y, $0.z] }
        case .float4(let a): try a.load().map { [$0.x, $0.y, $0.z, $0.w] }
        default: []
        }
    }
}

func readGLTF(
    _ bytes: [UInt8], siblings: [String: [UInt8]] = [:], _ change: (inout ReadOptions) -> Void = { _ in }
) throws(AssetError) -> ReadGLTF {
    var context = ReadContext(resolver: InMemoryResolver(siblings))
    change(&context.options)
    let document = try GLTFFormat(.gltf).open(FileBytes(name: "a.gltf", bytes: bytes), &context)
    let scene = try document.scene(&context)
    return ReadGLTF(scene: scene, diagnostics: context.diagnostics)
}

func readGLTF(_ members: String) throws(AssetError) -> ReadGLTF {
    try readGLTF(Array("{\"asset\":{\"version\":\"2.0\"}\(members.isEmpty ? "" : ",")\(members)}".utf8))
}

/// The code of the error that reading ends with; nil where it does not.
func failureOfGLTF(_ bytes: [UInt8]) -> String? {
    do throws(AssetError) {
        _ = try readGLTF(bytes)
        return nil
    } catch {
        return error.diagnostic.code
    }
}
