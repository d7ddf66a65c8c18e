import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// A stage over texts in memory; the first is the root.
struct TextStage {
    let stage: Stage
    var diagnostics: Diagnostics

    init(_ files: [(String, String)], _ change: (inout ReadOptions) -> Void = { _ in }) throws {
        let resolver = InMemoryResolver()
        for (name, text) in files { resolver.add(name, text: "#usda 1.0\n" + text) }
        var context = ReadContext(resolver: resolver)
        change(&context.options)
        stage = try Stage.open(resolver.open(files[0].0), &context)
        diagnostics = context.diagnostics
    }

    init(_ text: String, _ change: (inout ReadOptions) -> Void = { _ in }) throws { try self.init([("root.usda", text)], change) }

    func token(_ s: String) -> Token { stage.session.token(s) }
    func path(_ s: String) throws -> Path { try #require(stage.session.paths.parse(s)) }
    func prim(_ s: String) throws -> StagePrim { try #require(stage.prim(at: path(s)), "no prim at \(s)") }
    func has(_ s: String) throws -> Bool { try stage.prim(at: path(s)) != nil }

    func number(_ prim: String, _ name: String, _ time: EvalTime = .default) throws -> Double? {
        switch try stage.value(self.prim(prim), token(name), at: time) {
        case .double(let d)?: d
        case .float(let f)?: Double(f)
        case .int(let i)?: Double(i)
        case .timeCode(let t)?: t
        default: nil
        }
    }

    func children(_ s: String) throws -> [String] {
        try stage.children(s == "/" ? stage.pseudoRoot : prim(s)).map { stage.session.string(stage.name($0)) }
    }

    func targets(_ prim: String, _ name: String) throws -> [String] {
        try stage.targets(self.prim(prim), token(name)).map { stage.session.string($0) }
    }

    /// Everything a traversal shows.
    func all() -> [String] {
        var out: [String] = []
        func walk(_ p: StagePrim) {
            for c in stage.children(p) {
                out.append(stage.session.string(stage.path(c)))
                walk(c)
            }
        }
        walk(stage.pseudoRoot)
        return out
    }

    func codes() -> [String] { diagnostics.entries.map(\.code) + stage.takeDiagnostics().entries.map(\.code) }
}

@Suite struct CompositionTests {
    @Test func sublayersAreWeakerAndMovedInTime() throws {
        let s = try TextStage([
            ("root.usda", "(\n subLayers = [@./a.usda@ (offset = 10; scale = 2), @./b.usda@]\n)\nover \"P\" {\n double x = 1\n}\n"),
            ("a.usda", "def Scope \"P\" {\n double x = 2\n double y.timeSamples = { 0: 0, 1: 5 }\n}\n"),
            ("b.usda", "def Xform \"P\" {\n double y = 7\n double z = 3\n}\ndef \"Q\" {\n}\n"),
        ])
        #expect(try s.number("/P", "x") == 1)
        #expect(try s.stage.timeSamples(s.prim("/P"), s.token("y")) == [10, 12])
        #expect(try s.number("/P", "y", .at(11)) == 2.5)
        #expect(try s.number("/P", "y", .at(99)) == 5)
        #expect(try s.number("/P", "y", .earliest) == 0)
        #expect(try s.number("/P", "z") == 3)
        #expect(try s.stage.typeName(s.prim("/P")) == .Scope)
        #expect(s.all() == ["/P", "/Q"])
        #expect(s.stage.layers.map(\.role) == ["root", "sublayer", "sublayer"])
    }

    @Test func timeCodesPerSecondScaleSublayersAndReferences() throws {
        let s = try TextStage([
            ("root.usda", "(\n timeCodesPerSecond = 24\n subLayers = [@a.usda@]\n)\ndef \"R\" (references = @b.usda@) {\n}\n"),
            ("a.usda", "(\n timeCodesPerSecond = 48\n)\ndef \"S\" {\n double x.timeSamples = { 48: 1 }\n}\n"),
            ("b.usda", "(\n timeCodesPerSecond = 12\n defaultPrim = \"B\"\n)\ndef \"B\" {\n double x.timeSamples = { 12: 1 }\n timecode t = 6\n}\n"),
        ])
        #expect(try s.stage.timeSamples(s.prim("/S"), s.token("x")) == [24])
        #expect(try s.stage.timeSamples(s.prim("/R"), s.token("x")) == [24])
        #expect(try s.number("/R", "t") == 12)
    }

    @Test func referencesBringPrimsAndMapTargets() throws {
        let s = try TextStage([
            ("root.usda", "def \"A\" (\n prepend references = @m.usda@\n) {\n}\ndef \"B\" (\n references = @m.usda@</M/Part>\n) {\n}\n"),
            (
                "m.usda",
                """
                (
                 defaultPrim = "M"
                )
                def Xform "M" {
                 rel inside = [</M/Part>, </M/Part.v>]
                 rel outside = </Other>
                 def Scope "Part" {
                  double v = 4
                  double w.connect = </M/Part.v>
                 }
                }
                def "Other" {
                }
                """
            ),
        ])
        #expect(s.all() == ["/A", "/A/Part", "/B"])
        #expect(try s.targets("/A", "inside") == ["/A/Part", "/A/Part.v"])
        #expect(try s.targets("/A", "outside") == [])
        #expect(try s.number("/B", "v") == 4)
        #expect(try s.stage.connections(s.prim("/A/Part"), s.token("w")).map { s.stage.session.string($0) } == ["/A/Part.v"])
        #expect(s.codes().contains("usd.target-outside-arc"))
        #expect(try s.stage.layerOfValue(s.prim("/B"), s.token("v"))?.identifier == "m.usda")
    }

    @Test func strengthFollowsLIVRPS() throws {
        // Each kind of arc has one opinion that only stronger ones lack.
        let s = try TextStage(
            """
            def "P" (
             inherits = </I>
             references = </R>
             payload = </L>
             specializes = </S>
             variantSets = "v"
             variants = { string v = "on" }
            ) {
             double a = 1
             variantSet "v" = {
              "on" {
               double a = 3
               double b = 3
               double c = 3
              }
             }
            }
            class "I" {
             double a = 2
             double b = 2
            }
            class "R" {
             double a = 4
             double b = 4
             double c = 4
             double d = 4
            }
            class "L" {
             double d = 5
             double e = 5
            }
            class "S" {
             double e = 6
             double f = 6
            }
            """)
        #expect(try ["a", "b", "c", "d", "e", "f"].map { try s.number("/P", $0) } == [1, 2, 3, 4, 5, 6])
    }

    @Test func specializesIsWeakerThanReferencesFromAbove() throws {
        let s = try TextStage([
            ("root.usda", "def \"R\" (references = @m.usda@</M>) {\n}\ndef \"Base\" {\n double x = 9\n}\n"),
            (
                "m.usda",
                "def \"M\" (\n references = </Ref>\n specializes = </Base>\n) {\n}\ndef \"Ref\" {\n double x = 1\n}\ndef \"Base\" {\n double x = 2\n double y = 2\n}\n"
            ),
        ])
        // What specializes is weaker than what is referenced, though the referencing layer speaks of the base.
        #expect(try s.number("/R", "x") == 1)
        #expect(try s.number("/R", "y") == 2)
    }

    @Test func classesAreImpliedAcrossReferences() throws {
        let s = try TextStage([
            ("root.usda", "def \"A\" (references = @m.usda@</M>) {\n}\nover \"_class_M\" {\n double x = 9\n}\n"),
            (
                "m.usda",
                "def \"M\" (inherits = </_class_M>) {\n double x = 1\n def \"C\" (inherits = </M/Local>) {\n }\n def \"Local\" {\n double y = 1\n }\n}\nclass \"_class_M\" {\n double x = 2\n}\n"
            ),
        ])
        // The class is implied at /A, where it is stronger than what the reference brings.
        #expect(try s.number("/A", "x") == 9)
        #expect(try s.number("/A/C", "y") == 1)
        let t = try TextStage([
            ("root.usda", "def \"A\" (references = @m.usda@</M>) {\n}\nover \"_class_M\" {\n double x = 9\n}\n"),
            ("m.usda", "def \"M\" (inherits = </_class_M>) {\n}\nclass \"_class_M\" {\n double x = 2\n}\n"),
        ])
        #expect(try t.number("/A", "x") == 9)
    }

    @Test func variantsNestAndTakeSelectionsFromStrongerSites() throws {
        let text = """
            def "A" (
             references = </M>
             variants = { string size = "big" }
            ) {
            }
            def "M" (
             variantSets = "size"
             variants = { string size = "small" }
            ) {
             variantSet "size" = {
              "big" (
               variantSets = "colour"
               variants = { string colour = "red" }
              ) {
               def "Big" {
               }
               variantSet "colour" = {
                "red" {
                 def "Red" {
                 }
                }
                "blue" {
                 def "Blue" {
                 }
                }
               }
              }
              "small" {
               def "Small" {
               }
              }
             }
            }
            """
        let s = try TextStage(text)
        #expect(try Set(s.children("/A")) == ["Big", "Red"])
        #expect(try s.children("/M") == ["Small"])
        #expect(
            try s.stage.variantSets(s.prim("/A")) == [
                VariantSet(name: "size", selection: "big", choices: ["big", "small"]),
                VariantSet(name: "colour", selection: "red", choices: ["blue", "red"]),
            ])
        let chosen = try TextStage(text) {
            $0.variants = [VariantChoice(path: "/A", set: "colour", choice: "blue"), VariantChoice(path: "/M", set: "size", choice: "big")]
        }
        #expect(try Set(chosen.children("/A")) == ["Big", "Blue"])
        #expect(try Set(chosen.children("/M")) == ["Big", "Red"])
    }

    @Test func listOpsComposeAcrossLayers() throws {
        let s = try TextStage([
            (
                "root.usda",
                "(\n subLayers = [@a.usda@]\n)\nover \"P\" (\n prepend apiSchemas = [\"TopAPI\"]\n delete apiSchemas = [\"GoneAPI\"]\n) {\n append rel r = </C>\n}\n"
            ),
            ("a.usda", "def \"P\" (\n prepend apiSchemas = [\"GoneAPI\", \"KeptAPI\"]\n) {\n rel r = [</A>, </C>, </B>]\n}\ndef \"A\" {\n}\n"),
        ])
        #expect(try s.stage.apiSchemas(s.prim("/P")).map { s.stage.session.string($0) } == ["TopAPI", "KeptAPI"])
        #expect(try s.targets("/P", "r") == ["/A", "/B", "/C"])
    }

    @Test func traversalSkipsInactiveUndefinedAndAbstract() throws {
        let s = try TextStage(
            """
            def "A" {
             def "Off" (active = false) {
              def "Below" {
              }
             }
             over "Only" {
              def "Under" {
              }
             }
             class "Class" {
              def "InClass" {
              }
             }
             def "On" {
             }
            }
            """)
        #expect(s.all() == ["/A", "/A/On"])
        #expect(try s.stage.allChildren(s.prim("/A")).count == 4)
        #expect(try s.stage.isAbstract(s.prim("/A/Class/InClass")))
        #expect(try !s.stage.isDefined(s.prim("/A/Only/Under")))
    }

    @Test func childAndPropertyOrder() throws {
        let s = try TextStage(
            "def \"A\" {\n reorder nameChildren = [\"c\", \"a\"]\n double b2 = 1\n double b10 = 1\n double B1 = 1\n def \"a\" {\n }\n def \"b\" {\n }\n def \"c\" {\n }\n}\n"
        )
        #expect(try s.children("/A") == ["c", "a", "b"])
        #expect(try s.stage.propertyNames(s.prim("/A")).map { s.stage.session.string($0) } == ["B1", "b2", "b10"])
    }

    @Test func dictionariesMergeAndStrongestMetadataWins() throws {
        let s = try TextStage([
            (
                "root.usda",
                "(\n subLayers = [@a.usda@]\n)\nover \"P\" (\n customData = {\n dictionary d = {\n int x = 1\n }\n }\n kind = \"group\"\n) {\n}\n"
            ),
            (
                "a.usda",
                "def \"P\" (\n customData = {\n dictionary d = {\n int x = 2\n int y = 3\n }\n string s = \"t\"\n }\n kind = \"component\"\n) {\n}\n"
            ),
        ])
        guard case .token(let kind)? = try s.stage.metadata(s.prim("/P"), .kind) else { throw TestProblem() }
        #expect(s.stage.session.string(kind) == "group")
        guard case .dictionary(let d)? = try s.stage.metadata(s.prim("/P"), .customData), case .dictionary(let inner)? = d["d"] else {
            throw TestProblem()
        }
        #expect(d["s"] != nil)
        guard case .int(1)? = inner["x"], case .int(3)? = inner["y"] else { throw TestProblem() }
    }

    @Test func relocatesMovePrimsAndTheirTargets() throws {
        let s = try TextStage([
            ("root.usda", "(\n relocates = {\n </A/Old>: </A/New>\n }\n)\ndef \"A\" (references = @m.usda@</M>) {\n}\n"),
            ("m.usda", "def \"M\" {\n rel r = </M/Old/Leaf>\n def \"Old\" {\n double x = 1\n def \"Leaf\" {\n }\n }\n}\n"),
        ])
        #expect(s.all() == ["/A", "/A/New", "/A/New/Leaf"])
        #expect(try s.number("/A/New", "x") == 1)
        #expect(try s.targets("/A", "r") == ["/A/New/Leaf"])
    }

    @Test func expressionsNameLayersAndVariants() throws {
        let s = try TextStage([
            (
                "root.usda",
                "(\n expressionVariables = {\n string N = \"m\"\n string V = \"two\"\n }\n)\ndef \"A\" (\n references = @`\"${N}.usda\"`@</M>\n variants = { string v = \"`${V}`\" }\n) {\n}\n"
            ),
            ("m.usda", "def \"M\" (variantSets = \"v\") {\n variantSet \"v\" = {\n \"one\" {\n }\n \"two\" {\n def \"Two\" {\n }\n }\n }\n}\n"),
        ])
        #expect(try s.children("/A") == ["Two"])
    }

    @Test func blocksHideWeakerValues() throws {
        let s = try TextStage([
            ("root.usda", "(\n subLayers = [@a.usda@]\n)\nover \"P\" {\n double x = None\n double y.timeSamples = { 1: None, 2: 4 }\n}\n"),
            ("a.usda", "def \"P\" {\n double x = 1\n double y = 1\n}\n"),
        ])
        #expect(try s.number("/P", "x") == nil)
        #expect(try !s.stage.hasValue(s.prim("/P"), s.token("x")))
        #expect(try s.number("/P", "y", .at(1)) == nil)
        #expect(try s.number("/P", "y", .at(3)) == 4)
        #expect(try s.number("/P", "y") == 1)
    }

    @Test func forwardedTargetsFollowRelationships() throws {
        let s = try TextStage("def \"A\" {\n rel a = [</A.b>, </A/X>]\n rel b = [</A/Y>, </A.a>]\n def \"X\" {\n }\n def \"Y\" {\n }\n}\n")
        #expect(try s.stage.forwardedTargets(s.prim("/A"), s.token("a")).map { s.stage.session.string($0) } == ["/A/Y", "/A/X"])
    }
}

struct TestProblem: Error {}
