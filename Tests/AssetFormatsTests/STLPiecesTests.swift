import AssetFormats
import AssetIO
import AssetModel
import AssetOps
import TestSupport
import Testing

/// What is read of a text does not depend on how it is read: statement by statement, or in pieces of any size, kept or read again.
@Suite struct STLPiecesTests {
    private struct Read: Equatable {
        var names: [String]
        var points: [[Double]]
        var isDouble: [Bool]
        var warnings: [String]
        var bounds: [BoundingBox?]

        init(_ text: String, pieceSize: Int, wantsArrays: Bool) throws {
            let resolver = InMemoryResolver(["a.stl": Array(text.utf8)])
            var context = ReadContext(resolver: resolver)
            context.options.pieceSize = pieceSize
            context.options.wantsArrays = wantsArrays
            let scene = try STLFormat().open(try resolver.open("a.stl"), &context).scene(&context)
            names = scene.nodes.map(\.name)
            points = []
            isDouble = []
            for mesh in scene.meshes {
                #expect(mesh.faceVertexIndices.count == mesh.points.count)
                switch mesh.points {
                case .float(let a):
                    points.append(try a.load().flatMap { [Double($0.x), Double($0.y), Double($0.z)] })
                    isDouble.append(false)
                case .double(let a):
                    points.append(try a.load().flatMap { [$0.x, $0.y, $0.z] })
                    isDouble.append(true)
                }
                #expect(points.last?.count == mesh.points.count * 3)
            }
            warnings = context.diagnostics.entries.map { "\($0.code) \($0.message) \($0.location)" }
            var diagnostics = Diagnostics()
            bounds = SceneBounds(scene, diagnostics: &diagnostics).nodes
            warnings += diagnostics.entries.map { "\($0.code) \($0.message)" }
            // NaN differs from itself.
            points = points.map { $0.map { $0.isNaN ? 12345.678 : $0 } }
        }
    }

    private func number(_ random: inout SplitMix64, _ scale: Double) -> String {
        let value = (Double(random.int(in: -1_000_000...1_000_000)) / 1e6) * scale
        switch random.int(in: 0...11) {
        case 0: return "\(Int(value))"
        case 1: return "\(value)"
        case 2: return "\(Float(value))e\(random.int(in: -3...3))"
        case 3: return "+\(value)"
        case 4: return "\(Int(value)).\(random.int(in: 0...9_999_999))\(random.int(in: 0...9_999_999))"
        case 5: return "\(Int(value)).5e+000"
        case 6: return "-.25"
        default:
            // As C prints them.
            let digits = "\(random.int(in: 1_000_000...9_999_999))"
            let exponent = random.int(in: -9...2)
            return "\(random.bool() ? "-" : "")\(digits.first ?? "1").\(digits.dropFirst())e\(exponent < 0 ? "-0" : "+0")\(exponent.magnitude)"
        }
    }

    private func text(_ seed: UInt64) -> String {
        var random = SplitMix64(seed: seed)
        var out = random.int(in: 0...3) == 0 ? "\u{FEFF}" : ""
        let scale = [1.0, 1.0, 100.0, 4_000_000.0][random.int(in: 0...3)]
        let end = ["\n", "\n", "\r\n", "\r"][random.int(in: 0...3)]
        let isOdd = random.int(in: 0...2) == 0
        let indent = ["", "  ", "\t"][random.int(in: 0...2)]
        let upper = random.int(in: 0...5) == 0
        let origin = random.int(in: 0...3) == 0 ? 446_522.125 : 0
        for solid in 0..<random.int(in: 1...4) {
            out += "solid part \(solid)\(end)"
            for _ in 0..<random.int(in: 0...60) {
                let oddity = isOdd ? random.int(in: 0...40) : 40
                if oddity == 0 { out += "what is this\(end)" }
                if oddity == 1 { out += "color 1 0 0\(end)" }
                if oddity != 8 { out += "\(indent)facet normal \(number(&random, 1)) 0 \(number(&random, 1))\(end)" }
                out += "\(indent)\(indent)outer\(oddity == 2 ? "  " : " ")loop\(end)"
                for corner in 0..<(oddity == 3 ? 2 : oddity == 9 ? 0 : 3) {
                    let numbers = (0..<3).map { _ in
                        oddity == 4 && corner == 1
                            || oddity == 10 && corner == 0
                            ? ["nan", "inf", "x", "1e999", "1.2.3"][random.int(in: 0...4)]
                            : origin == 0 ? number(&random, scale) : "\(origin + Double(random.int(in: 0...1000)) / 1000)"
                    }
                    out += "\(indent)vertex \(numbers.joined(separator: oddity == 5 ? "\t \(end)" : " "))\(end)"
                }
                out += oddity == 6 ? end : "\(indent)\(indent)endloop\(end)"
                if oddity != 7, oddity != 10 { out += "\(indent)endfacet\(end)" }
            }
            if random.int(in: 0...6) > 0 { out += "endsolid part \(solid)\(end)" }
        }
        return upper ? out.uppercased() : out
    }

    @Test(arguments: 0..<60) func anyWayOfReadingGivesTheSame(seed: Int) throws {
        let text = text(UInt64(seed))
        let careful = try Read(text, pieceSize: 0, wantsArrays: true)
        for size in [1, 50, 300, 1111, 1 << 20] {
            for wantsArrays in [true, false] {
                let read = try Read(text, pieceSize: size, wantsArrays: wantsArrays)
                #expect(read == careful, "pieces of \(size) bytes, seed \(seed)")
            }
        }
        #expect(try Read(text, pieceSize: 0, wantsArrays: false) == careful)
    }

    /// A facet that never ends is over with its solid: what is wrong with it is no matter of the next one.
    @Test(arguments: ["vertex x 0 0", "outer loop", "vertex 0 0 0", "vertex 0 0 0 vertex 1 1 q"])
    func aFacetEndsWithItsSolid(cut: String) throws {
        let whole = "vertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendfacet\n"
        for end in ["endsolid\nsolid b\n", "solid b\n"] {
            let text = "solid a\nfacet normal 0 0 1\n\(cut)\n\(end)\(whole)endsolid\n"
            let read = try Read(text, pieceSize: 0, wantsArrays: true)
            #expect(read.points.map(\.count) == [0, 9], "\(text)")
            #expect(try Read(text, pieceSize: 0, wantsArrays: false) == read)
        }
    }

    /// Solids without facets, and lines that are no statement, are passed over one by one.
    @Test func manySolidsOfNothingTakeNoLongTime() throws {
        let read = try Read(String(repeating: "solid a\nendsolid a\n", count: 40_000), pieceSize: 1 << 14, wantsArrays: false)
        #expect(read.points.count == 40_000 && read.points.allSatisfy(\.isEmpty) && read.warnings.isEmpty)
        let odd = try Read("solid a\nendsolid a\n" + String(repeating: "f\n", count: 100_000), pieceSize: 1 << 14, wantsArrays: true)
        #expect(odd.points == [[]] && odd.warnings.count == 1)
    }

    @Test func bordersFallAnywhere() throws {
        let text = text(3)
        let careful = try Read(text, pieceSize: 0, wantsArrays: true)
        for size in stride(from: 1, to: 400, by: 7) {
            #expect(try Read(text, pieceSize: size, wantsArrays: size & 1 == 0) == careful, "pieces of \(size) bytes")
        }
    }

    /// A number that a float32 would move too far is found in whichever piece it stands.
    @Test func oneLargeNumberMakesAllDouble() throws {
        let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
        let far = facet.replacing("1 1 0", with: "4000000.1 1 0").replacing("1 0 0", with: "4000001 0 0").replacing(
            "vertex 0", with: "vertex 4000000")
        let all = "solid\n" + String(repeating: far, count: 50) + "endsolid\nsolid b\n" + String(repeating: facet, count: 20) + "endsolid\n"
        for size in [0, 1, 500, 1 << 20] {
            let read = try Read(all, pieceSize: size, wantsArrays: size > 1)
            #expect(read.isDouble == [true, false] && read.points[0].contains(4000000.1))
        }
    }
}
