import AssetIO
import AssetModel
import AssetOps
import TestSupport
import Testing

@testable import AssetFormats

/// What is written is read again as it was, bit by bit, in all that OBJ can hold.
@Suite struct OBJRoundTripTests {
    private func written(_ scene: Scene) throws -> OBJRead {
        var files = try writeOBJ(scene).files
        return try OBJRead(files.removeValue(forKey: "out.obj") ?? [], siblings: files)
    }

    /// Meshes of polygons with all attributes, materials and groups, all values of any bits.
    private func anyScene(_ seed: Int) -> Scene {
        var random = SplitMix64(seed: UInt64(seed))
        var builder = SceneBuilder()
        let materials = (0..<3).map { builder.material("m\($0)", color: Vector3f(0.25, 0.5, Float($0) / 4)) }
        for i in 0..<random.int(in: 1...3) {
            let count = random.int(in: 3...40)
            func float() -> Float { random.bool() ? random.float(in: -10...10) : random.float(in: -1...1) * 1e-3 }
            var mesh = Mesh(points: PointArray((0..<count).map { _ in Point3f(float(), float(), float()) }))
            var sizes: [Int32] = []
            var indices: [Int32] = []
            // Every point is used, and in any order.
            var all = Array(0..<Int32(count)).shuffled(using: &random)
            all += (0..<random.int(in: 3...60)).map { _ in Int32(random.int(in: 0...count - 1)) }
            while indices.count < all.count {
                var size = min(random.int(in: 3...6), all.count - indices.count)
                if all.count - indices.count - size < 3 { size = all.count - indices.count }
                sizes.append(Int32(size))
                indices += all[indices.count..<(indices.count + size)]
            }
            mesh.faceVertexCounts = .loaded(sizes)
            mesh.faceVertexIndices = .loaded(indices)
            if random.bool() {
                let values = (0..<random.int(in: 1...20)).map { _ in Vector2f(float(), float()) }
                var st = Primvar(
                    name: "st", role: .textureCoordinate, interpolation: .faceVarying, values: .float2(.loaded(values)),
                    indices: .loaded(indices.map { _ in Int32(random.int(in: 0...values.count - 1)) }))
                if random.bool() { st.unauthoredValuesIndex = Int32(values.count - 1) }
                mesh.primvars.append(st)
            }
            if random.bool() {
                let values = (0..<random.int(in: 1...20)).map { _ in Vector3f(float(), float(), 1) }
                mesh.normals = Primvar(
                    name: "normals", role: .normal, interpolation: .faceVarying,
                    values: .float3(
                        .loaded(
                            values.map { v in
                                let length = (v.x * v.x + v.y * v.y + v.z * v.z).squareRoot()
                                return Vector3f(v.x / length, v.y / length, v.z / length)
                            })), indices: .loaded(indices.map { _ in Int32(random.int(in: 0...values.count - 1)) }))
            }
            if random.bool() {
                mesh.primvars.append(
                    Primvar(
                        name: "displayColor", role: .color, interpolation: .vertex,
                        values: .float3(.loaded((0..<count).map { _ in Vector3f(random.float(in: 0...1), 0.5, 0) }))))
            }
            let node = builder.mesh("object\(i)", mesh, material: materials[i])
            if random.bool() {
                let faces = Array(0..<Int32(sizes.count))
                builder.changeMesh(ID(builder.scene.meshes.count - 1)) {
                    $0.subsets = [
                        GeomSubset(name: "m0", family: "materialBind", faces: .loaded(faces.filter { $0 % 2 == 0 })),
                        GeomSubset(name: "left", family: "", faces: .loaded(faces.filter { $0 % 3 == 0 })),
                        GeomSubset(name: "arm", family: "", faces: .loaded(faces.filter { $0 % 4 < 2 })),
                    ]
                }
                builder.change(node) {
                    $0.subsetMaterials = [materials[0], nil, nil]
                    $0.subsetPreviewMaterials = $0.subsetMaterials
                }
            }
        }
        return builder.scene
    }

    /// A mesh as a set of faces: corners with all that they have, and what each face belongs to. Order of faces is the writer's.
    private func faces(_ scene: Scene, _ i: Int) throws -> [String] {
        let node = scene.nodes[i]
        guard case .mesh(let id) = node.content else { return [] }
        let mesh = scene.meshes[id]
        let points = try OBJRead.points(mesh.points)
        let indices = try mesh.faceVertexIndices.load()
        let colors: [Vector3f] =
            try mesh.primvars.first { $0.name == "displayColor" }.map { if case .float3(let c) = $0.values { try c.load() } else { [] } } ?? []
        var words = [String](repeating: "", count: indices.count)
        for (c, p) in indices.enumerated() { words[c] = "\(points[Int(p)])" + (colors.isEmpty ? "" : "\(colors[Int(p)])") }
        func add(_ primvar: Primvar?, _ text: (Int) -> String) throws {
            guard let primvar, let lookup = try primvar.indices?.load() else { return }
            for (c, k) in lookup.enumerated() where k != primvar.unauthoredValuesIndex { words[c] += text(Int(k)) }
        }
        let st = mesh.primvars.first { $0.name == "st" }
        if case .float2(let values)? = st?.values { let loaded = try values.load(); try add(st) { "vt\(loaded[$0])" } }
        if case .float3(let values)? = mesh.normals?.values { let loaded = try values.load(); try add(mesh.normals) { "vn\(loaded[$0])" } }
        var belongs = [String](repeating: "", count: mesh.faceVertexCounts.count)
        var covered = Set<Int32>()
        for (s, subset) in mesh.subsets.enumerated() {
            let material = node.subsetMaterials[s].map { scene.materials[$0].name }
            for face in try subset.faces.load() {
                if material != nil { covered.insert(face) }
                belongs[Int(face)] += " " + (material ?? "g:" + subset.name)
            }
        }
        let own = node.material.map { scene.materials[$0].name } ?? ""
        var start = 0
        return try mesh.faceVertexCounts.load().enumerated().map { f, n in
            defer { start += Int(n) }
            let parts = belongs[f].split(separator: " ").map(String.init) + (covered.contains(Int32(f)) ? [] : [own])
            return words[start..<start + Int(n)].joined(separator: " ") + " \(parts.sorted())"
        }.sorted()
    }

    @Test(arguments: 0..<60) func whatIsWrittenIsReadAgain(seed: Int) throws {
        let scene = anyScene(seed)
        let read = try written(scene)
        #expect(read.scene.nodes.elements.map(\.name) == scene.nodes.elements.map(\.name))
        for i in 0..<min(scene.nodes.count, read.scene.nodes.count) {
            #expect(try faces(read.scene, i) == faces(scene, i), "seed \(seed), object \(i)")
        }
        for (a, b) in zip(read.scene.meshes.elements, scene.meshes.elements) {
            #expect(try OBJRead.points(a.points) == OBJRead.points(b.points), "seed \(seed)")
        }
        // Once more is the same file.
        #expect(try written(read.scene).scene.meshes.count == scene.meshes.count)
    }

    @Test func cornersWithoutCoordinatesStayWithout() throws {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.25\nf 1 2 3\nf 1/1 2 3/1\n"
        let again = try written(OBJRead(text).scene)
        #expect(try again.texcoords() == [nil, nil, nil, [0.5, 0.25], nil, [0.5, 0.25]])
    }

    @Test func aFaceMayBeInSeveralGroups() throws {
        let text = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\ng left arm\nf 1 2 3\ng arm\nf 3 2 1\ng\nf 2 3 1\no b\nf 1 2 3\n"
        let again = try written(OBJRead(text).scene)
        #expect(try again.subsets(0) == ["left": [0], "arm": [0, 1]])
        #expect(try again.subsets(1).isEmpty)
    }
}
