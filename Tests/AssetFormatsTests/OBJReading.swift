import AssetFormats
import AssetIO
import AssetModel
import TestSupport

/// What a plain reader of OBJ finds in our output.
struct ReadOBJ {
    struct Corner: Equatable {
        var v: Int
        var vt: Int?
        var vn: Int?
    }
    struct Face: Equatable {
        var corners: [Corner]
        var object: String
        var group: String
        var material: String?
    }
    var vertices: [[Double]] = []
    var coordinates: [[Double]] = []
    var normals: [[Double]] = []
    var faces: [Face] = []
    var lines: [[Int]] = []
    var pointElements: [Int] = []
    var objects: [String] = []
    var libraries: [String] = []

    init(_ text: String) throws {
        var object = ""
        var group = ""
        var material: String?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard let key = words.first, !key.hasPrefix("#") else { continue }
            let rest = Array(words.dropFirst())
            func numbers() throws -> [Double] {
                try rest.map { word in
                    guard let value = Double(word) else { throw TestFailure("not a number: \(line)") }
                    return value
                }
            }
            switch key {
            case "v": vertices.append(try numbers())
            case "vt": coordinates.append(try numbers())
            case "vn": normals.append(try numbers())
            case "o":
                object = rest.joined(separator: " ")
                objects.append(object)
            case "g": group = rest.joined(separator: " ")
            case "usemtl": material = rest.joined(separator: " ")
            case "mtllib": libraries.append(rest.joined(separator: " "))
            case "l": lines.append(try numbers().map { Int($0) - 1 })
            case "p": pointElements += try numbers().map { Int($0) - 1 }
            case "f":
                let corners = try rest.map { word in
                    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
                    guard let v = parts[0], v >= 1, v <= vertices.count else { throw TestFailure("bad vertex: \(line)") }
                    let vt = parts.count > 1 ? parts[1] : nil
                    let vn = parts.count > 2 ? parts[2] : nil
                    if let vt, vt < 1 || vt > coordinates.count { throw TestFailure("bad vt: \(line)") }
                    if let vn, vn < 1 || vn > normals.count { throw TestFailure("bad vn: \(line)") }
                    return Corner(v: v - 1, vt: vt.map { $0 - 1 }, vn: vn.map { $0 - 1 })
                }
                faces.append(Face(corners: corners, object: object, group: group, material: material))
            default: throw TestFailure("unknown statement: \(line)")
            }
        }
    }

    func positions(_ face: Face) -> [[Double]] { face.corners.map { Array(vertices[$0.v].prefix(3)) } }
}

/// A finished conversion in memory.
struct WrittenOBJ {
    var files: [String: [UInt8]]
    var diagnostics: [Diagnostic]

    func text(_ name: String) throws -> String {
        guard let bytes = files[name] else { throw TestFailure("no file \(name), only \(files.keys.sorted())") }
        return String(decoding: bytes, as: UTF8.self)
    }

    func read() throws -> ReadOBJ { try ReadOBJ(text("out.obj")) }
    var codes: [String] { diagnostics.map(\.code) }
}

func writeOBJ(
    _ scene: Scene, files: [String: [UInt8]] = [:], _ change: (inout WriteOptions) -> Void = { _ in }
) throws -> WrittenOBJ {
    var options = WriteOptions(fileName: "out.obj")
    change(&options)
    let output = MemoryOutput()
    var context = WriteContext(resolver: InMemoryResolver(files), options: options, output: output)
    try OBJFormat().write(scene, &context)
    try output.commit()
    let written = Dictionary(output.files.map { ($0.path, $0.bytes) }, uniquingKeysWith: { a, _ in a })
    return WrittenOBJ(files: written, diagnostics: context.diagnostics.entries)
}
