import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetFormats

/// Damaged files, and the same file read in many ways.
@Suite struct OBJRobustnessTests {
    /// Everything a scene says, as text.
    private func description(_ read: OBJRead) throws -> String {
        var text = ""
        for node in read.scene.nodes.elements {
            text += "\(node.path) \(node.name) \(node.typeName) \(node.material?.index ?? -1) \(node.subsetMaterials.map { $0?.index ?? -1 })\n"
            switch node.content {
            case .mesh(let id):
                let i = Int(id.index)
                text += "\(try read.points(i)) \(try read.faces(i)) \(try read.texcoords(i)) \(try read.normals(i))\n"
                for subset in read.scene.meshes[id].subsets { text += "\(subset.name) \(try subset.faces.load())\n" }
                for case let primvar in read.scene.meshes[id].primvars where primvar.name == "displayColor" {
                    if case .float3(let c) = primvar.values { text += "\(try c.load())\n" }
                }
            case .curves(let id):
                text += "\(try read.scene.curves[id].curveVertexCounts.load()) \(try OBJRead.points(read.scene.curves[id].points))\n"
            case .points(let id): text += "\(try OBJRead.points(read.scene.points[id].points))\n"
            default: break
            }
        }
        for d in read.diagnostics.entries { text += "\(d.code) \(d.message) \(d.count) \(d.location.position)\n" }
        return text
    }

    /// A file of all statements in all forms, with what is wrong now and then.
    private func anyFile(_ random: inout SplitMix64, lines: Int, faults: Bool) -> String {
        var text = ""
        var (v, vt, vn) = (0, 0, 0)
        func number() -> String {
            switch random.int(in: 0...9) {
            case 0: return "\(random.float(in: -1...1) * 1e-5)"
            case 1: return "\(random.int(in: -9...9))"
            case 2: return "+\(random.int(in: 0...9))."
            default: return "\(random.float(in: -100...100))"
            }
        }
        func index(_ count: Int) -> String {
            if faults, random.int(in: 0...60) == 0 { return ["0", "99999999", "-99999999", "x", ""][random.int(in: 0...4)] }
            let i = random.int(in: 1...max(count, 1))
            return random.bool() ? "\(i)" : "-\(i)"
        }
        for _ in 0..<lines {
            let end = ["\n", "\n", "\n", " \n", "\r\n", " # note\n"][random.int(in: 0...5)]
            switch random.int(in: 0...19) {
            case 0...5:
                text += "v \(number()) \(number()) \(number())" + (random.int(in: 0...9) == 0 ? " 0.5 0.25 1" : "") + end
                v += 1
            case 6, 7:
                text += "vt \(number()) \(number())" + end
                vt += 1
            case 8:
                text += "vn 0 \(number()) 1" + end
                vn += 1
            case 9...14:
                guard v > 2 else { continue }
                let form = random.int(in: 0...3)
                var corners = ""
                for _ in 0..<random.int(in: 3...6) {
                    corners += random.int(in: 0...30) == 0 ? " \\\n " : " "
                    corners += index(v)
                    if form == 1, vt > 0 { corners += "/" + index(vt) }
                    if form == 2, vn > 0 { corners += "//" + index(vn) }
                    if form == 3, vt > 0, vn > 0 { corners += "/" + index(vt) + "/" + index(vn) }
                }
                text += "f" + corners + end
            case 15: text += "usemtl m\(random.int(in: 0...3))\n"
            case 16: text += random.bool() ? "g g\(random.int(in: 0...3)) h\n" : "o o\(random.int(in: 0...3))\n"
            case 17: text += "s \(random.int(in: 0...2))\n"
            case 18: if v > 2 { text += "l \(index(v)) \(index(v))" + end }
            default: text += random.bool() ? "# comment\n" : (v > 0 ? "p \(index(v))\n" : "\n")
            }
        }
        return text
    }

    @Test(arguments: 0..<40) func piecesOfAnySizeGiveTheSame(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let bytes = Array(anyFile(&random, lines: 150, faults: seed % 2 == 1).utf8)
        guard let whole = try? OBJRead(bytes) else { return }
        let expected = try description(whole)
        for pieceSize in [1, 40, 333, 1000] {
            #expect(try description(OBJRead(bytes, pieceSize: pieceSize)) == expected, "seed \(seed), pieces of \(pieceSize)")
        }
    }

    /// Vertical tabs for blanks keep every line from the quick way.
    @Test(arguments: 0..<20) func theQuickAndTheCarefulWayGiveTheSame(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(1000 + seed))
        let text = anyFile(&random, lines: 150, faults: seed % 2 == 1)
        guard let quick = try? OBJRead(text) else { return }
        // Names keep their blanks.
        let tabs = Array(text.utf8).split(separator: 10, omittingEmptySubsequences: false).map { line in
            line.starts(with: Array("g ".utf8)) ? Array(line) : line.map { $0 == 32 ? 11 : $0 }
        }
        #expect(try description(OBJRead(Array(tabs.joined(separator: [10])))) == description(quick), "seed \(seed)")
    }

    @Test(arguments: 0..<10) func withoutPrimvarsTheRestIsTheSame(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(2000 + seed))
        let bytes = Array(anyFile(&random, lines: 150, faults: true).utf8)
        guard let all = try? OBJRead(bytes), let few = try? OBJRead(bytes, wantsPrimvars: false) else { return }
        #expect(few.codes == all.codes)
        for i in 0..<all.scene.meshes.count {
            #expect(try few.faces(i) == all.faces(i) && few.points(i) == all.points(i))
            #expect(few.scene.meshes[i].primvars.isEmpty && few.scene.meshes[i].normals == nil)
        }
    }

    @Test func truncatedFilesAreRead() throws {
        var random = SplitMix64(seed: 7)
        let bytes = Array(anyFile(&random, lines: 60, faults: false).utf8)
        for length in Mutations.truncationLengths(bytes.count) { _ = try? OBJRead(Array(bytes[0..<length])) }
    }

    @Test(arguments: 0..<8) func damagedFilesAreReadOrRefused(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(3000 + seed))
        let bytes = Array(anyFile(&random, lines: 40, faults: false).utf8)
        for _ in 0..<200 { _ = try? OBJRead(Mutations.edited(bytes, edits: random.int(in: 1...4), using: &random)) }
        for bit in stride(from: seed, to: min(bytes.count * 8, 4000), by: 8) { _ = try? OBJRead(Mutations.flippingBit(bit, of: bytes)) }
    }

    @Test func longLinesAndManyStatementsTakeNoLongTime() throws {
        let vertices = (0..<3).map { "v \($0) \($0 * $0) 0\n" }.joined()
        let long = try OBJRead(vertices + "f" + String(repeating: " 1 2 3", count: 50_000) + "\n# " + String(repeating: "\\", count: 100_000))
        #expect(long.scene.meshes[0].faceVertexIndices.count == 150_000)
        let joined = try OBJRead(vertices + "f 1 2 " + String(repeating: "\\\n", count: 20_000) + "3\n")
        #expect(try joined.faces() == [[0, 1, 2]])
        // Libraries that are not there are looked for a while only.
        let lost = try OBJRead((0..<900).map { "mtllib m\($0 % 800).mtl\n" }.joined() + vertices + "f 1 2 3\n")
        #expect(lost.codes.last == "obj.dropped.libraries" && lost.diagnostics.entries.count < 800)
        let line = try OBJRead("mtllib" + (0..<50_000).map { " l\($0).mtl" }.joined() + "\n" + vertices + "f 1 2 3\n")
        #expect(line.codes == ["obj.missing-library"] || line.codes == ["obj.dropped.libraries"], "\(line.codes)")
        // Many names before many faces: not all of them are kept, and that is told.
        let crowd = "o x\n" + vertices + "g" + (0..<3_000).map { " g\($0)" }.joined() + "\n" + String(repeating: "f 1 2 3\n", count: 2_000)
        let some = try OBJRead(crowd)
        #expect(some.scene.meshes[0].subsets.count > 100 && some.codes == ["obj.dropped.groups"])
        let groups = (0..<5_000).map { "g g\($0) all\nusemtl m\($0 % 100)\nf 1 2 3\n" }.joined()
        let many = try OBJRead("o x\n" + vertices + groups)
        #expect(many.scene.meshes[0].subsets.count == 5_101)
    }
}
