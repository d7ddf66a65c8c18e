import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// Functions of many pairs are found by dictionaries; they answer as those do of which every pair is looked at.
@Suite struct MapFunctionTests {
    @Test func manyPairsMapAsFewDo() {
        let session = USDSession()
        let paths = session.paths
        var random = SplitMix64(seed: 5)
        let names = ["a", "b", "c"].map { session.token($0) }
        func path() -> Path {
            var p = Path.root
            for _ in 0..<Int.random(in: 0...4, using: &random) { p = paths.child(p, names[Int.random(in: 0..<3, using: &random)]) }
            return p
        }
        var mapped = 0
        for _ in 0..<3000 {
            let tables = [MapTable(paths: paths, fewPairs: .max), MapTable(paths: paths, fewPairs: 0)]
            var functions: [[MapID]] = [[], []]
            for _ in 0..<2 {
                var pairs: [PathPair] = []
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    pairs.append(PathPair(source: path(), target: Int.random(in: 0..<6, using: &random) == 0 ? .empty : path()))
                }
                // Mostly as relocations are: no source twice.
                if Bool.random(using: &random) {
                    var seen = Set<Path>()
                    pairs = pairs.filter { seen.insert($0.source).inserted }
                }
                let hasRoot = Bool.random(using: &random)
                for i in 0..<2 { functions[i].append(tables[i].add(pairs, rootIdentity: hasRoot, offset: .identity)) }
            }
            for i in 0..<2 {
                let (f, g) = (functions[i][0], functions[i][1])
                functions[i].append(tables[i].compose(f, g))
                functions[i].append(tables[i].impliedClass(f, g))
                functions[i].append(tables[i].inverse(f))
            }
            for (f, g) in zip(functions[0], functions[1]) {
                #expect(Array(tables[0].pairs(f)) == Array(tables[1].pairs(g)))
                #expect(tables[0].hasRootIdentity(f) == tables[1].hasRootIdentity(g))
                let p = path()
                #expect(tables[0].toTarget(f, p) == tables[1].toTarget(g, p))
                #expect(tables[0].toSource(f, p) == tables[1].toSource(g, p))
                if !tables[0].toTarget(f, p).isEmpty, tables[0].toTarget(f, p) != p { mapped += 1 }
            }
        }
        #expect(mapped > 300)
    }

    /// Thousands of relocations in a layer take no longer than so many prims.
    @Test func manyRelocations() throws {
        let n = 4000
        let s = try SceneText(
            "#usda 1.0\n(\n    upAxis = \"Y\"\n    relocates = {"
                + (0..<n).map { "</A/B\($0)>: </A/C\(n - $0)>" }.joined(separator: ",\n") + "}\n)\n"
                + "def \"A\" (references = </R>) {\n}\ndef \"R\" {\n"
                + (0..<n).map { "def \"B\($0)\" {\n}" }.joined(separator: "\n") + "\n}\n")
        #expect(s.scene.nodes.count == 2 + 2 * n)
        let names = Set(s.scene.nodes.map(\.path))
        #expect(names.contains("/A/C1") && names.contains("/A/C\(n)") && !names.contains("/A/B1"))
    }
}
