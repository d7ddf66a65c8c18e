import AssetFormats
import AssetIO
import AssetModel
import AssetOps
import TestSupport
import Testing

/// What is read of a file does not depend on how it is read: value by value, or in pieces of any size, kept or read again.
@Suite struct PLYPiecesTests {
    private struct Read: Equatable {
        var error: String?
        var points: [Double] = []
        var isDouble = false
        var counts: [Int32] = []
        var indices: [Int32] = []
        var primvars: [String: [Float]] = [:]
        var messages: [String] = []
        var bounds: [BoundingBox?] = []

        init(_ bytes: [UInt8], pieceSize: Int, wantsArrays: Bool) {
            let resolver = InMemoryResolver([:])
            var context = ReadContext(resolver: resolver)
            context.options.pieceSize = pieceSize
            context.options.wantsArrays = wantsArrays
            do {
                let document = try PLYFormat().open(FileBytes(name: "a.ply", bytes: bytes), &context)
                let scene = try document.scene(&context)
                #expect(SceneInvariants.violations(in: scene, level: .geometry).isEmpty)
                let mesh = scene.meshes.first
                counts = try mesh?.faceVertexCounts.load() ?? []
                indices = try mesh?.faceVertexIndices.load() ?? []
                #expect(indices.count == mesh?.faceVertexIndices.count ?? 0 && counts.count == mesh?.faceVertexCounts.count ?? 0)
                let array = mesh?.points ?? scene.points.first?.points ?? PointArray()
                switch array {
                case .float(let a): points = try a.load().flatMap { [Double($0.x), Double($0.y), Double($0.z)] }
                case .double(let a):
                    points = try a.load().flatMap { [$0.x, $0.y, $0.z] }
                    isDouble = true
                }
                #expect(points.count == array.count * 3)
                points = points.map { $0.isNaN ? 12345.678 : $0 }
                var all = mesh?.primvars ?? scene.points.first?.primvars ?? []
                if let normals = mesh?.normals { all.append(normals) }
                for primvar in all {
                    switch primvar.values {
                    case .float(let a): primvars[primvar.name] = try a.load()
                    case .float2(let a): primvars[primvar.name] = try a.load().flatMap { [$0.x, $0.y] }
                    case .float3(let a): primvars[primvar.name] = try a.load().flatMap { [$0.x, $0.y, $0.z] }
                    default: primvars[primvar.name] = []
                    }
                    primvars[primvar.name] = primvars[primvar.name]?.map { $0.isNaN ? 12345.678 : $0 }
                }
                var diagnostics = context.diagnostics
                bounds = SceneBounds(scene, diagnostics: &diagnostics).nodes
                messages = diagnostics.entries.map { "\($0.code) \($0.message) \($0.location)" }
            } catch {
                self.error = "\(error.diagnostic.code) \(error.diagnostic.message) \(error.diagnostic.location)"
            }
        }
    }

    private func number(_ random: inout SplitMix64, _ scale: Double, isOdd: Bool) -> String {
        let value = Double(random.int(in: -1_000_000...1_000_000)) / 1e6 * scale
        switch random.int(in: 0...(isOdd ? 14 : 9)) {
        case 0: return "\(Int(value))"
        case 1: return "\(value)"
        case 2: return "\(Float(value))e\(random.int(in: -3...3))"
        case 3: return "0.\(random.int(in: 0...9_999_999))\(random.int(in: 0...9_999_999))"
        case 10: return "+\(value)"
        case 11: return ["nan", "-inf", "1.#QNAN"][random.int(in: 0...2)]
        case 12: return ".5"
        case 13: return "1e-400"
        default: return "\(random.bool() ? "-" : "")\(random.int(in: 0...9)).\(random.int(in: 100_000...999_999))"
        }
    }

    /// A text file: columns in some order, faces of triangles, quads or any size, oddities in some.
    private func text(_ seed: UInt64) -> String {
        var random = SplitMix64(seed: seed)
        let end = ["\n", "\n", "\r\n", "\r"][random.int(in: 0...3)]
        let isOdd = random.int(in: 0...2) == 0
        let scale = [1.0, 100, 4_000_000][random.int(in: 0...2)]
        let positionType = ["float", "float", "double", "int"][random.int(in: 0...3)]
        var columns = [(positionType, "x"), (positionType, "y"), (positionType, "z")]
        if random.bool() { columns += [("float", "nx"), ("float", "ny"), ("float", "nz")] }
        if random.bool() { columns.insert(contentsOf: [("uchar", "red"), ("uchar", "green"), ("uchar", "blue")], at: random.int(in: 0...3)) }
        if random.bool() { columns.append(("float", "s")); columns.append(("float", "t")) }
        if random.bool() { columns.insert(("float", "quality"), at: 0) }
        let points = random.int(in: 0...90)
        let faces = random.int(in: 0...120)
        let list =
            random.int(in: 0...3) == 0
            ? "property uchar flags\(end)property list uchar int vertex_index\(end)property float area\(end)"
            : "property list uchar int vertex_indices\(end)"
        let (hasFlags, hasTexcoords) = (list.contains("flags"), random.int(in: 0...4) == 0)
        var out = (isOdd && random.bool() ? "\u{FEFF}" : "") + "ply\(end)format ascii 1.0\(end)element vertex \(points)\(end)"
        for (type, name) in columns { out += "property \(type) \(name)\(end)" }
        out += "element face \(faces)\(end)\(list)"
        if hasTexcoords { out += "property list uchar float texcoord\(end)" }
        out += "end_header\(end)"
        let blank = isOdd ? "  " : " "
        for _ in 0..<points {
            let words = columns.map { type, _ in
                type == "uchar"
                    ? "\(random.int(in: 0...255))" : type == "int" ? "\(random.int(in: -5000...5000))" : number(&random, scale, isOdd: isOdd)
            }
            out += words.joined(separator: blank)
            // Lines may be broken anywhere.
            out += isOdd && random.int(in: 0...3) == 0 ? " " : end
        }
        let corners = random.int(in: 3...5)
        for _ in 0..<faces {
            let n = corners == 5 ? random.int(in: 3...6) : corners
            var words = ["\(isOdd && random.int(in: 0...9) == 0 ? 2 : n)"]
            for _ in 0..<(Int(words[0]) ?? n) {
                let oddity = isOdd ? random.int(in: 0...30) : 30
                words.append(oddity == 0 ? "-1" : oddity == 1 ? "\(points)" : oddity == 2 ? "x" : "\(random.int(in: 0...max(0, points - 1)))")
            }
            if hasFlags { words = ["7"] + words + ["0.5"] }
            if hasTexcoords { words += ["\(2 * n)"] + (0..<2 * n).map { _ in "0.25" } }
            out += words.joined(separator: blank) + end
        }
        if isOdd, random.int(in: 0...3) == 0 { out.removeLast(min(out.count, random.int(in: 1...40))) }
        return out
    }

    @Test(arguments: 0..<80) func anyWayOfReadingTextGivesTheSame(seed: Int) {
        let bytes = Array(text(UInt64(seed)).utf8)
        let careful = Read(bytes, pieceSize: 0, wantsArrays: true)
        for size in [1, 37, 300, 1111, 1 << 20] {
            for wantsArrays in [true, false] {
                check(Read(bytes, pieceSize: size, wantsArrays: wantsArrays), careful, wantsArrays, "pieces of \(size) bytes, seed \(seed)")
            }
        }
        check(Read(bytes, pieceSize: 0, wantsArrays: false), careful, false, "seed \(seed)")
    }

    /// Columns that are not kept are found bad only when they are loaded: another fault may come first.
    private func check(_ read: Read, _ careful: Read, _ wantsArrays: Bool, _ comment: Comment) {
        if careful.error != nil, !wantsArrays {
            #expect(read.error != nil, comment)
        } else {
            #expect(read == careful, comment)
        }
    }

    @Test func bordersFallAnywhere() {
        for seed in [2, 5, 11] as [UInt64] {
            let bytes = Array(text(seed).utf8)
            let careful = Read(bytes, pieceSize: 0, wantsArrays: true)
            for size in stride(from: 1, to: 500, by: 9) {
                #expect(Read(bytes, pieceSize: size, wantsArrays: size & 1 == 0) == careful, "pieces of \(size) bytes, seed \(seed)")
            }
        }
    }

    /// The same faces in binary files of all types and both byte orders are those of the text.
    @Test(arguments: 0..<60) func binaryIsReadAsTheTextIs(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let isBig = random.bool()
        func put<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: isBig ? value.bigEndian : value.littleEndian) { Array($0) } }
        let lengths: [(String, (Int) -> [UInt8])] = [
            ("uchar", { put(UInt8(truncatingIfNeeded: $0)) }), ("char", { put(Int8(truncatingIfNeeded: $0)) }),
            ("ushort", { put(UInt16(truncatingIfNeeded: $0)) }), ("int", { put(Int32(truncatingIfNeeded: $0)) }),
        ]
        let scalars: [(String, (Int) -> [UInt8])] =
            lengths + [
                ("uint", { put(UInt32(truncatingIfNeeded: $0)) }), ("short", { put(Int16(truncatingIfNeeded: $0)) }),
                ("float", { put(Float($0).bitPattern) }),
            ]
        let length = lengths[random.int(in: 0...3)]
        let index = random.bool() ? scalars[3] : scalars[random.int(in: 0...6)]
        let (before, after) = (random.int(in: 0...2) == 0, random.int(in: 0...2) == 0)
        let points = random.int(in: 3...100)
        let kind = random.int(in: 0...3)
        let hasColor = random.bool()
        func header(_ encoding: String, _ faces: Int) -> String {
            "ply\nformat \(encoding) 1.0\nelement vertex \(points)\n" + (hasColor ? "property uchar flags\n" : "")
                + "property float x\nproperty float y\nproperty float z\n" + "element face \(faces)\n"
                + (before ? "property short a\n" : "") + "property list \(length.0) \(index.0) vertex_indices\n"
                + (after ? "property double b\n" : "") + "end_header\n"
        }
        let faces = random.int(in: 0...80)
        var text = header("ascii", faces)
        var data = Array(header(isBig ? "binary_big_endian" : "binary_little_endian", faces).utf8)
        for _ in 0..<points {
            let p = (0..<3).map { _ in random.int(in: 0...40) == 0 ? Float.nan : random.float(in: -8...8) }
            text += (hasColor ? "9 " : "") + p.map { "\($0)" }.joined(separator: " ") + "\n"
            data += (hasColor ? [9] : []) + p.flatMap { put($0.bitPattern) }
        }
        for _ in 0..<faces {
            let n = kind == 0 ? random.int(in: 1...7) : kind == 1 ? 4 : random.int(in: 0...20) == 0 && kind == 2 ? 4 : 3
            let ids = (0..<n).map { _ in random.int(in: 0...60) == 0 ? points : random.int(in: 0...(points - 1)) }
            text += (before ? "3 " : "") + "\(n) " + ids.map { "\($0)" }.joined(separator: " ") + (after ? " 0.5" : "") + "\n"
            data += (before ? put(Int16(3)) : []) + length.1(n) + ids.flatMap { index.1($0) } + (after ? put((0.5).bitPattern) : [])
        }
        var expected = Read(Array(text.utf8), pieceSize: 0, wantsArrays: true)
        for wantsArrays in [true, false] {
            var read = Read(data, pieceSize: 1 << 20, wantsArrays: wantsArrays)
            // Where something stands is told in other words, and only text has floats that are no floats.
            (expected.messages, read.messages) = (expected.messages.map { String($0.prefix(50)) }, read.messages.map { String($0.prefix(50)) })
            #expect(read == expected, "seed \(seed)")
        }
    }

    /// A colour that nobody asks for is no property that is not known.
    @Test func whatIsNotAskedForIsNotTold() throws {
        var data = Array(
            ("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
                + "property list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n").utf8)
        data += [UInt8](repeating: 0, count: 36) + [3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 9, 9]
        var context = ReadContext(resolver: InMemoryResolver([:]))
        context.options.wantsMeshPrimvars = false
        context.options.wantsArrays = false
        let scene = try PLYFormat().open(FileBytes(name: "a.ply", bytes: data), &context).scene(&context)
        #expect(scene.meshes.first?.faceVertexCounts.count == 1 && context.diagnostics.isEmpty)
    }

    @Test func marksOfByteOrderMayStandBefore() {
        let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n"
        #expect(Read([0xEF, 0xBB, 0xBF] + Array(text.utf8), pieceSize: 1 << 20, wantsArrays: true).points == [1, 2, 3])
        let data =
            Array(text.replacing("ascii", with: "binary_little_endian").dropLast(6).utf8) + [0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40]
        #expect(Read([0xEF, 0xBB, 0xBF] + data, pieceSize: 1 << 20, wantsArrays: true).points == [1, 2, 3])
        let head = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        #expect(head.withUnsafeBytes { PLYFormat().recognizes(RawSpan(_unsafeBytes: $0)) })
    }
}
