import AssetFormats
import AssetIO
import AssetModel
import CDraco
import CMeshopt
import TestSupport
import Testing

/// Meshes packed by the libraries themselves, read back, and damaged.
@Suite struct GLTFCompressionTests {
    private static let corners: [Float] = [0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0]
    private static let faces: [UInt32] = [0, 1, 2, 0, 2, 3]

    private static func document(_ members: String) -> [UInt8] {
        Array(
            ("{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]," + members + "}").utf8)
    }

    private func survives(_ bytes: [UInt8]) {
        let result = Exercise(bytes, name: "a.gltf", format: "gltf", registry: FormatRegistry(builtinFormats), writes: false)
        #expect(result.violations.isEmpty)
    }

    // MARK: meshoptimizer

    private static func vertices(_ values: [Float], stride: Int) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: facet_meshopt_bound(values.count * 4 / stride, stride, Int32(FACET_MESHOPT_ATTRIBUTES), 0))
        let n = values.withUnsafeBytes { facet_meshopt_encode_vertices(&out, out.count, $0.baseAddress, values.count * 4 / stride, stride) }
        return Array(out.prefix(n))
    }

    private static func indices(_ values: [UInt32], _ mode: Int) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: facet_meshopt_bound(values.count, 4, Int32(mode), 4))
        let n = facet_meshopt_encode_indices(&out, out.count, values, values.count, Int32(mode))
        return Array(out.prefix(n))
    }

    private struct Packed {
        var points = GLTFCompressionTests.vertices(GLTFCompressionTests.corners, stride: 12)
        var indices = GLTFCompressionTests.indices(GLTFCompressionTests.faces, FACET_MESHOPT_TRIANGLES)
        var count = 4
        var stride = 12
        var filter = "NONE"
        var mode = "TRIANGLES"
        var required = true

        /// The plain buffer has no bytes at all.
        var text: [UInt8] {
            let name = "EXT_meshopt_compression"
            func packed(_ offset: Int, _ length: Int, _ count: Int, _ stride: Int, _ mode: String, _ filter: String) -> String {
                "\"extensions\":{\"\(name)\":{\"buffer\":1,\"byteOffset\":\(offset),\"byteLength\":\(length),\"byteStride\":\(stride),"
                    + "\"count\":\(count),\"mode\":\"\(mode)\",\"filter\":\"\(filter)\"}}"
            }
            return GLTFCompressionTests.document(
                "\"extensionsUsed\":[\"\(name)\"],\"extensionsRequired\":[\"\(name)\"],"
                    + "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
                    + "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
                    + "{\"bufferView\":1,\"componentType\":5125,\"count\":6,\"type\":\"SCALAR\"}],"
                    + "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,\"byteStride\":12,"
                    + packed(0, points.count, count, stride, "ATTRIBUTES", filter) + "},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":24,"
                    + packed(points.count, indices.count, 6, 4, mode, "NONE") + "}],"
                    + "\"buffers\":[{\"byteLength\":72,\"extensions\":{\"\(name)\":{\"fallback\":true}}},{\"byteLength\":"
                    + "\(points.count + indices.count),\"uri\":\"data:;base64,\(GLTFFile.base64(points + indices))\"}]")
        }
    }

    @Test func viewsOfMeshoptimizer() throws {
        var packed = Packed()
        for mode in [FACET_MESHOPT_TRIANGLES, FACET_MESHOPT_INDICES] {
            packed.indices = Self.indices(Self.faces, mode)
            packed.mode = mode == FACET_MESHOPT_INDICES ? "INDICES" : "TRIANGLES"
            let read = try readGLTF(packed.text)
            #expect(try read.points() == [[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]])
            // Triangles may begin with another of their corners.
            #expect(try read.faces().map { Set($0) } == [[0, 1, 2], [0, 2, 3]])
            #expect(read.codes.isEmpty)
        }
    }

    @Test func exponentsOfMeshoptimizer() throws {
        var filtered = [UInt8](repeating: 0, count: 48)
        #expect(facet_meshopt_encode_filter(&filtered, 4, 12, Int32(FACET_MESHOPT_EXPONENTIAL), 15, Self.corners) == 1)
        var room = [UInt8](repeating: 0, count: 1024)
        let n = facet_meshopt_encode_vertices(&room, room.count, filtered, 4, 12)
        var packed = Packed()
        packed.points = Array(room.prefix(n))
        packed.filter = "EXPONENTIAL"
        #expect(try readGLTF(packed.text).points() == [[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]])
    }

    @Test func lyingViewsOfMeshoptimizer() {
        func code(_ change: (inout Packed) -> Void) -> String? {
            var packed = Packed()
            change(&packed)
            return failureOfGLTF(packed.text)
        }
        #expect(code { $0.count = 1 << 40 } == "gltf.bad-compression")
        #expect(code { $0.count = 100_000 } == "gltf.bad-compression")
        #expect(code { $0.count = 3 } == "gltf.accessor-out-of-range")
        #expect(code { $0.stride = 10 } == "gltf.bad-compression")
        #expect(code { $0.stride = 0 } == "gltf.bad-compression")
        #expect(code { $0.filter = "QUATERNION" } == "gltf.bad-compression")
        #expect(code { $0.filter = "COLOR" } == "gltf.unsupported-compression")
        #expect(code { $0.mode = "LINES" } == "gltf.bad-compression")
        #expect(code { $0.points[0] = 0xA7 } == "gltf.unsupported-compression")
        #expect(code { $0.points.removeLast() } == "gltf.bad-compression")
        #expect(code { $0.indices = [] } == "gltf.bad-compression")
    }

    @Test func damagedViewsOfMeshoptimizer() {
        for i in Packed().points.indices {
            var packed = Packed()
            packed.points[i] ^= 0x55
            survives(packed.text)
        }
        for i in Packed().indices.indices {
            for bit in 0..<8 {
                var packed = Packed()
                packed.indices[i] ^= 1 << bit
                survives(packed.text)
            }
        }
    }

    // MARK: Draco

    private static func draco(order: Bool, bits: Int32 = 0) throws -> (bytes: [UInt8], points: Int) {
        let uvs: [Float] = [0, 0, 1, 0, 1, 1, 0, 1]
        let joints: [UInt16] = [0, 1, 0, 0, 2, 1, 0, 0, 3, 1, 0, 0, 4, 1, 0, 0]
        return try corners.withUnsafeBytes { corners in
            try uvs.withUnsafeBytes { uvs in
                try joints.withUnsafeBytes { joints in
                    let all = [
                        FacetDracoAttribute(
                            values: corners.baseAddress, componentType: 5126, components: 3, isNormalized: 0, kind: Int32(FACET_DRACO_POSITION),
                            quantizationBits: bits),
                        FacetDracoAttribute(
                            values: uvs.baseAddress, componentType: 5126, components: 2, isNormalized: 0, kind: Int32(FACET_DRACO_TEXCOORD),
                            quantizationBits: bits),
                        FacetDracoAttribute(
                            values: joints.baseAddress, componentType: 5123, components: 4, isNormalized: 0, kind: Int32(FACET_DRACO_GENERIC),
                            quantizationBits: 0),
                    ]
                    let packed = facet_draco_encode(all, all.count, 4, faces, faces.count, 5, order ? 1 : 0)
                    defer { facet_draco_free_packed(packed.owner) }
                    guard packed.owner != nil, packed.faceCount == 2 else { throw TestFailure("Draco packed nothing") }
                    return (Array(UnsafeBufferPointer(start: packed.bytes, count: packed.count)), packed.pointCount)
                }
            }
        }
    }

    private static func packed(_ bytes: [UInt8], required: Bool = true, accessor: String = "") -> [UInt8] {
        let name = "KHR_draco_mesh_compression"
        return document(
            "\"extensionsUsed\":[\"\(name)\"]," + (required ? "\"extensionsRequired\":[\"\(name)\"]," : "")
                + "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,\"_JOINTS\":2},\"indices\":3,"
                + "\"extensions\":{\"\(name)\":{\"bufferView\":0,\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,\"_JOINTS\":2}}}}]}],"
                + "\"accessors\":[{\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"\(accessor)},"
                + "{\"componentType\":5126,\"count\":4,\"type\":\"VEC2\"\(accessor)},"
                + "{\"componentType\":5123,\"count\":4,\"type\":\"VEC4\"\(accessor)},{\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"\(accessor)}],"
                + "\"bufferViews\":[{\"buffer\":0,\"byteLength\":\(bytes.count)},{\"buffer\":1,\"byteLength\":64}],"
                + "\"buffers\":[{\"byteLength\":\(bytes.count),\"uri\":\"data:;base64,\(GLTFFile.base64(bytes))\"},"
                + "{\"byteLength\":64,\"uri\":\"data:;base64,\(GLTFFile.base64([UInt8](repeating: 0, count: 64)))\"}]")
    }

    @Test(arguments: [true, false]) func meshesOfDraco(order: Bool) throws {
        let (bytes, count) = try Self.draco(order: order)
        #expect(count == 4)
        let read = try readGLTF(Self.packed(bytes))
        #expect(read.codes.isEmpty)
        // Points stand in another order: look at each corner.
        let (points, faces) = (try read.points(), try read.faces())
        let drawn = Set(faces.map { Set($0.map { points[Int($0)] }) })
        #expect(drawn == [[[0, 0, 0], [1, 0, 0], [1, 2, 0]], [[0, 0, 0], [1, 2, 0], [0, 2, 0]]])
        let (uvs, joints) = (try read.numbers("st"), try read.numbers("_JOINTS"))
        for (i, point) in points.enumerated() {
            #expect(uvs[i] == [point[0], 1 - point[1] / 2])
            let corner = (0..<4).first { Array(Self.corners[($0 * 3)..<($0 * 3 + 3)]) == point } ?? -1
            #expect(joints[i][0] == [0, 2, 3, 4][corner])
        }
        if order { #expect(faces == [[0, 1, 2], [0, 2, 3]]) }
    }

    @Test func quantisedMeshesOfDraco() throws {
        let read = try readGLTF(Self.packed(try Self.draco(order: false, bits: 12).bytes))
        for point in try read.points() {
            #expect([0, 1].contains { (point[0] - $0).magnitude < 1e-3 } && [0, 2].contains { (point[1] - $0).magnitude < 1e-3 })
        }
    }

    @Test func dracoThatCannotBeUnpacked() throws {
        let broken: [UInt8] = Array("DRACO".utf8) + [2, 2, 1, 1, 0, 0, 0]
        #expect(failureOfGLTF(Self.packed(broken)) == "gltf.bad-compression")
        #expect(failureOfGLTF(Self.packed([])) == "gltf.bad-compression")
        // Ten million faces in no bytes.
        #expect(failureOfGLTF(Self.packed(broken + [0, 255, 255, 255, 255, 15, 255, 255, 255, 255, 15, 0, 0])) == "gltf.bad-compression")
        // What the plain accessors have is taken where the file allows it.
        let read = try readGLTF(Self.packed(broken, required: false, accessor: ",\"bufferView\":1"))
        #expect(read.codes == ["gltf.bad-compression"])
        #expect(try read.points().count == 4)
    }

    @Test func damagedDraco() throws {
        var random = SplitMix64(seed: 11)
        for order in [true, false] {
            let bytes = try Self.draco(order: order, bits: 8).bytes
            for n in 0..<bytes.count { survives(Self.packed(Array(bytes[0..<n]))) }
            for _ in 0..<300 { survives(Self.packed(Mutations.edited(bytes, edits: 3, using: &random))) }
        }
    }
}
