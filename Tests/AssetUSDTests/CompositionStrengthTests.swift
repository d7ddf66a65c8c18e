import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// Which opinions a prim has and in which order, with the answers of OpenUSD 26.11.
@Suite struct CompositionStrengthTests {
    /// What an ancestor specializes and an arc of the prim implies again is taken from where the latter implies it: a place that
    /// only keeps the hierarchy's shape, where the site is the same.
    @Test(arguments: [
        ("def \"T\" (references = [</B>, </E>]) {\n}\ndef \"B\" {\n def \"B\" (references = </E/B>) {\n }\n}\n", []),
        ("def \"T\" (references = [</B>, </E2>]) {\n}\ndef \"B\" {\n def \"B\" (references = </E/B>) {\n }\n}\n", ["e2"]),
        ("def \"T\" (references = </E>) {\n}\n", ["x"]),
        ("def \"T\" (references = [</E>, </E2>]) {\n}\n", ["e2", "x"]),
        ("def \"T\" (references = </E>) {\n def \"B\" (references = </E2/B>) {\n }\n}\n", ["e2"]),
        ("def \"T\" (specializes = </F>) {\n def \"B\" (references = </E2/B>) {\n }\n}\n", ["e2", "x"]),
        ("def \"T\" (references = </E>) {\n def \"B\" (specializes = </F/B>) {\n }\n}\n", ["x"]),
        ("def \"T\" (\n references = </B>\n specializes = </F>\n) {\n}\ndef \"B\" {\n def \"B\" (specializes = </F/B>) {\n }\n}\n", ["x"]),
    ])
    func specializedByAnAncestorAndAgain(_ text: String, _ properties: [String]) throws {
        let s = try TextStage(
            """
            def "E" (specializes = </F>) {
            }
            def "F" {
             def "B" {
              int x
             }
            }
            def "E2" (specializes = </F>) {
             def "B" {
              int e2
             }
            }

            """ + text)
        #expect(try s.stage.propertyNames(s.prim("/T/B")).map { s.stage.session.string($0) }.sorted() == properties)
    }

    /// Where two arcs of one prim imply the same specialized site, the stronger one's place counts, in whatever order they are met:
    /// a place that only keeps the hierarchy's shape, where the site is the same.
    @Test(arguments: [
        ("references = [</E/A>, </E>]", []),
        ("references = [</E>, </E/A>]", ["f"]),
        ("references = [</G>, </E>]", ["f"]),
        ("references = [</H/I>, </G>]", []),
        ("references = </G>\n payload = </E/A>", ["f"]),
        ("payload = </G>\n references = </E/A>", []),
        ("payload = </C/I>", ["f"]),
        ("references = [</C/I>, </G>]", []),
        ("references = [</G>, </C/I>]", ["f"]),
    ])
    func specializedByTwoArcs(_ arcs: String, _ properties: [String]) throws {
        let s = try TextStage(
            """
            def "F" {
             int f
            }
            def "E" (specializes = </F>) {
             def "A" (specializes = </F>) {
             }
            }
            def "G" (specializes = </F>) {
            }
            def "H" {
             def "I" (specializes = </F>) {
             }
            }
            def "C" {
             def "I" (references = </H/I>) {
             }
            }
            def "T" (
             \(arcs)
            ) {
            }

            """)
        #expect(try s.stage.propertyNames(s.prim("/T")).map { s.stage.session.string($0) } == properties)
    }

    /// A specialized site that has a node already gets no copy; then it is not implied to stronger layers either.
    @Test func whatHasNoCopyIsNotImplied() throws {
        let s = try TextStage([
            (
                "root.usda",
                """
                def "B" {
                 def "C" {
                  double implied = 1
                 }
                }
                def "P" (specializes = </F>) {
                }
                def "F" {
                 over "C" (references = [@m.usda@</B/C>, @m.usda@</A>]) {
                 }
                }
                def "Q" (references = @m.usda@</A>) {
                }
                """
            ),
            ("m.usda", "over \"A\" (specializes = </B/C>) {\n double a = 1\n}\n"),
        ])
        #expect(try s.number("/P/C", "a") == 1)
        #expect(try !s.stage.hasProperty(s.prim("/P/C"), s.token("implied")))
        #expect(try s.number("/Q", "implied") == 1)
        #expect(try s.number("/F/C", "implied") == 1)
    }

    /// A class that another class's variant specializes is specialized by who specializes the outer one, from its own namespace.
    @Test func specializesInAVariantAreImplied() throws {
        let s = try TextStage(
            """
            class "K"
            {
                class "impl"
                {
                    custom double x = 1
                }
                def "render" (
                    variants = {
                        string i = "d"
                    }
                    prepend variantSets = "i"
                )
                {
                    variantSet "i" = {
                        "d" (
                            prepend specializes = </K/impl>
                        ) {
                        }
                    }
                }
            }
            def "A" (
                prepend specializes = </K>
            )
            {
                over "impl"
                {
                    custom double x = 2
                }
            }
            """)
        #expect(try s.number("/K/render", "x") == 1)
        #expect(try s.number("/A/render", "x") == 2)
    }

    /// Only a class that is inherited directly says nothing about the specifier of what inherits it.
    @Test func inheritedDefinitionsDefine() throws {
        let s = try TextStage(
            """
            class "C"
            {
            }
            def "D"
            {
            }
            over "OfClass" (
                inherits = [</C>, </D>]
            )
            {
            }
            over "OfDef" (
                inherits = [</D>, </C>]
            )
            {
            }
            """)
        #expect(try s.stage.specifier(s.prim("/OfClass")) == .def)
        #expect(try s.stage.specifier(s.prim("/OfDef")) == .def)
    }

    /// Sources and targets are named as they are after all other relocations; what conflicts is left out, the rest counts.
    @Test func relocationsMoveDeleteAndConflict() throws {
        let s = try TextStage(
            """
            (
                relocates = {
                    </M/Rig/Arm>: </M/Arm>,
                    </M/Rig/Leg>: <>,
                    </M/Rig/Hand>: </M/Rig/Arm/Hand>
                }
            )
            def "R"
            {
                def "Rig"
                {
                    def "Arm"
                    {
                        custom double x = 1
                    }
                    def "Leg"
                    {
                    }
                    def "Hand"
                    {
                    }
                }
            }
            def "M" (
                references = </R>
            )
            {
                over "Rig"
                {
                    over "Arm"
                    {
                        custom double x = 2
                    }
                }
                over "Arm"
                {
                    custom double y = 3
                }
            }
            def "N" (
                references = </M>
            )
            {
            }
            """)
        #expect(
            s.all() == [
                "/R", "/R/Rig", "/R/Rig/Arm", "/R/Rig/Leg", "/R/Rig/Hand", "/M", "/M/Rig", "/M/Rig/Hand", "/M/Arm", "/N", "/N/Rig",
                "/N/Rig/Hand", "/N/Arm",
            ])
        // What is authored at the source does not count.
        #expect(try s.number("/M/Arm", "x") == 1)
        #expect(try s.number("/N/Arm", "y") == 3)
        let codes = s.codes()
        #expect(codes.contains("usd.bad-relocate"))
        #expect(codes.contains("usd.opinion-at-relocation-source"))
    }

    /// Instances share a prototype where arcs and selections are the same; opinions about their contents do not count.
    @Test func instancesOfOtherVariantsAreOthers() throws {
        var text = """
            def "P" (
                variants = {
                    string v = "one"
                }
                prepend variantSets = "v"
            )
            {
                variantSet "v" = {
                    "one" {
                        custom double x = 1
                    }
                    "two" {
                        custom double x = 2
                    }
                }
                def "C"
                {
                }
            }

            """
        for (name, more, body) in [("I1", "", ""), ("I2", "variants = { string v = \"two\" }", ""), ("I3", "", "over \"C\" { custom double y = 9 }")]
        {
            text += "def \"\(name)\" (\n    references = </P>\n    instanceable = true\n    \(more)\n)\n{\n    \(body)\n}\n"
        }
        text = text.replacing("{ string", with: "{\n string").replacing("\" }\n)", with: "\"\n }\n)")
        text = text.replacing("{ custom", with: "{\n custom").replacing("9 }", with: "9\n }")
        let s = try TextStage(text)
        #expect(try s.number("/I1", "x") == 1)
        #expect(try s.number("/I2", "x") == 2)
        #expect(try s.number("/I3/C", "y") == nil)
        let key = { try s.stage.sharingKey(s.prim($0)) }
        #expect(try key("/I1/C") == key("/I3/C"))
        #expect(try key("/I1/C") != key("/I2/C"))
    }

    // MARK: Invariants

    /// A small generator of scenes; every opinion has a value of its own.
    private struct Generator {
        var state: UInt64
        var value = 0

        mutating func pick(_ n: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: (state >> 33) % UInt64(n))
        }

        mutating func path() -> String { (0...pick(2)).map { _ in "/" + ["A", "B", "C"][pick(3)] }.joined() }

        mutating func prim(_ name: String, _ depth: Int) -> String {
            var text = "\(["def", "def", "over", "class"][pick(4)]) \"\(name)\" (\n"
            // Sparse: classes within classes within references soon take longer than a test may.
            for arc in ["references", "inherits", "specializes", "payload"] where pick(14) == 0 { text += "prepend \(arc) = <\(path())>\n" }
            text += ")\n{\n"
            for property in ["x", "y"] where pick(2) == 0 {
                value += 1
                text += "custom double \(property) = \(value)\n"
            }
            if depth < 3 {
                for child in ["A", "B", "C"] where pick(3) == 0 { text += prim(child, depth + 1) }
            }
            return text + "}\n"
        }

        mutating func scene() -> String { ["A", "B", "C"].map { prim($0, 1) }.joined() }
    }

    /// Every composed value by path; nil where arcs within arcs make more prims than a test can look at.
    private func values(_ s: TextStage, below top: String = "") -> [String: String]? {
        var out: [String: String] = [:]
        var left: [StagePrim] = [s.stage.pseudoRoot]
        var visited = 0
        while let p = left.popLast() {
            for c in s.stage.allChildren(p) {
                let path = s.stage.session.string(s.stage.path(c)) + "/"
                guard path.hasPrefix(top) || top.hasPrefix(path) else { continue }
                visited += 1
                if visited > 1000 { return nil }
                left.append(c)
                if !path.hasPrefix(top) || path == top { continue }
                var text = ""
                for name in s.stage.propertyNames(c) {
                    if case .double(let d)? = s.stage.value(c, name, at: .default) { text += "\(s.stage.session.string(name))=\(d) " }
                }
                out[path] = text
            }
        }
        return out
    }

    /// A sublayer that is the whole scene changes nothing.
    @Test(arguments: 1...40) func aSublayerAloneChangesNothing(seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        let scene = generator.scene()
        let plain = try TextStage(scene)
        let wrapped = try TextStage([("root.usda", "(\n    subLayers = [@scene.usda@]\n)\n"), ("scene.usda", scene)])
        guard let inside = values(plain), let outside = values(wrapped) else { return }
        #expect(inside == outside, "seed \(seed)")
    }

    /// Prims keep their values where they are referenced with all that their arcs lead to.
    @Test(arguments: 1...40) func aReferenceAroundAPrimKeepsItsValues(seed: Int) throws {
        var generator = Generator(state: UInt64(seed) &* 7919)
        let scene = generator.scene()
        let plain = try TextStage(scene)
        let wrapped = try TextStage([
            ("root.usda", "def \"W\" (\n    references = @scene.usda@</A>\n)\n{\n}\n"), ("scene.usda", scene),
        ])
        guard let inside = values(plain, below: "/A/") else { return }
        // An arc that leads back to the prim itself leads to another one from within a reference.
        if plain.stage.takeDiagnostics().entries.contains(where: { $0.code == "usd.arc-cycle" }) { return }
        guard let outside = values(wrapped, below: "/W/") else { return }
        #expect(Dictionary(uniqueKeysWithValues: outside.map { ("/A" + $0.key.dropFirst(2), $0.value) }) == inside, "seed \(seed)")
    }
}
