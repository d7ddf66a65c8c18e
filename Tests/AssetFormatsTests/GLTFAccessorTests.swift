import AssetFormats
import AssetIO
import AssetModel
import TestSupport
import Testing

@Suite struct GLTFAccessorTests {
    private static let shown =
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"

    /// Three points, and whatever the accessor and its view say of them.
    private func file(_ accessor: String, _ view: String, _ more: String = "", bytes: [UInt8]) -> [UInt8] {
        Array(
            ("{\"asset\":{\"version\":\"2.0\"},\(Self.shown),\"accessors\":[{\(accessor)}],\"bufferViews\":[{\(view)}\(more)],"
                + "\"buffers\":[{\"byteLength\":\(bytes.count),\"uri\":\"data:;base64,\(GLTFFile.base64(bytes))\"}]}").utf8)
    }

    private func floats(_ values: [Float]) -> [UInt8] { values.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) } }

    @Test func lastElementNeedsNoPadding() throws {
        // A stride of 20, and 2 · 20 + 12 bytes.
        let bytes = floats([0, 0, 0, 9, 9, 1, 0, 0, 9, 9, 0, 1, 0])
        let read = try readGLTF(
            file(
                "\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"", "\"buffer\":0,\"byteLength\":52,\"byteStride\":20",
                bytes: bytes))
        #expect(try read.points() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    }

    @Test func integersAreNormalised() throws {
        let bytes: [UInt8] = [127, 0, 129, 0, 128, 0, 0, 0, 0, 64, 0, 0]
        let read = try readGLTF(
            file(
                "\"bufferView\":0,\"componentType\":5120,\"normalized\":true,\"count\":3,\"type\":\"VEC3\"",
                "\"buffer\":0,\"byteLength\":12,\"byteStride\":4", bytes: bytes))
        #expect(try read.points() == [[1, 0, -1], [-1, 0, 0], [0, 64.0 / 127, 0]])
    }

    @Test func integersThatAreNotNormalised() throws {
        let bytes: [UInt8] = [0, 0, 0, 0, 7, 0, 0, 0, 0, 9, 0, 0]
        let read = try readGLTF(
            file(
                "\"bufferView\":0,\"componentType\":5121,\"count\":3,\"type\":\"VEC3\"", "\"buffer\":0,\"byteLength\":12,\"byteStride\":4",
                bytes: bytes))
        #expect(try read.points() == [[0, 0, 0], [7, 0, 0], [0, 9, 0]])
    }

    @Test func sparseWithAndWithoutABase() throws {
        let bytes = floats([0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 6, 7]) + [2, 0, 0, 0]
        let views = ",{\"buffer\":0,\"byteOffset\":48,\"byteLength\":1},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":12}"
        let sparse = "\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":2}}"
        let common = "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\(sparse)"
        let based = try readGLTF(file("\"bufferView\":0," + common, "\"buffer\":0,\"byteLength\":36", views, bytes: bytes))
        #expect(try based.points() == [[0, 0, 0], [1, 0, 0], [5, 6, 7]])
        let zeros = try readGLTF(file(common, "\"buffer\":0,\"byteLength\":36", views, bytes: bytes))
        #expect(try zeros.points() == [[0, 0, 0], [0, 0, 0], [5, 6, 7]])
    }

    @Test func liesAboutBytes() {
        let bytes = floats([0, 0, 0, 1, 0, 0, 0, 1, 0])
        func code(_ accessor: String, _ view: String = "\"buffer\":0,\"byteLength\":36") -> String? {
            failureOfGLTF(file("\"componentType\":5126,\"type\":\"VEC3\",\(accessor)", view, bytes: bytes))
        }
        #expect(code("\"bufferView\":0,\"count\":3") == nil)
        #expect(code("\"bufferView\":0,\"count\":4") == "gltf.accessor-out-of-range")
        #expect(code("\"bufferView\":0,\"count\":1000000") == "gltf.accessor-out-of-range")
        #expect(code("\"bufferView\":0,\"count\":9223372036854775807") == "gltf.accessor-out-of-range")
        #expect(code("\"bufferView\":0,\"count\":3,\"byteOffset\":4") == "gltf.accessor-out-of-range")
        #expect(code("\"bufferView\":0,\"count\":3,\"byteOffset\":9223372036854775807") == "gltf.accessor-out-of-range")
        #expect(code("\"bufferView\":0,\"count\":3", "\"buffer\":0,\"byteLength\":36,\"byteOffset\":8") == "gltf.accessor-out-of-range")
        #expect(code("\"bufferView\":0,\"count\":3", "\"buffer\":0,\"byteLength\":36,\"byteStride\":0") == "gltf.bad-accessor")
        #expect(code("\"bufferView\":0,\"count\":3", "\"buffer\":7,\"byteLength\":36") == "gltf.bad-reference")
        #expect(code("\"bufferView\":9,\"count\":3") == "gltf.bad-reference")
        // Zeros need no bytes: their number has a limit of its own.
        #expect(code("\"count\":2000000000") == "gltf.accessor-out-of-range")
    }

    /// What the file says can be shown; its triangles cannot be had.
    @Test func indicesBeyondThePoints() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]")
        file.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
        file.add(indices: [0, 1, 7])
        let read = try readGLTF(file.text)
        #expect(read.codes == ["gltf.index-out-of-range"])
        #expect(read.mesh.faceVertexCounts.count == 1)
        #expect(throws: AssetError.self) { try read.mesh.faceVertexIndices.load() }
    }

    @Test func attributesOfAnotherLengthAreLeftOut() throws {
        var file = GLTFFile(
            "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}]}]")
        file.add([0, 0, 0, 1, 0, 0, 0, 1, 0], "VEC3")
        file.add([0, 0, 1], "VEC3")
        let read = try readGLTF(file.text)
        #expect(read.codes == ["gltf.wrong-length"])
        #expect(read.mesh.normals == nil)
        #expect(read.mesh.points.count == 3)
    }

    @Test func filesBeside() throws {
        let bytes = floats([0, 0, 0, 1, 0, 0, 0, 1, 0])
        func text(_ uri: String) -> [UInt8] {
            Array(
                ("{\"asset\":{\"version\":\"2.0\"},\(Self.shown),\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
                    + "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"\(uri)\"}]}").utf8)
        }
        for uri in ["data%20file.bin", "data file.bin"] {
            let read = try readGLTF(text(uri), siblings: ["data file.bin": bytes])
            #expect(read.codes == [])
            #expect(read.mesh.points.count == 3)
            #expect(read.scene.source.files.map(\.role) == ["root", "buffer"])
        }
        #expect(failureOfGLTF(text("gone.bin")) == "gltf.missing-buffer")
    }
}
