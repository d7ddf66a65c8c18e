import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

@Suite struct CompositionInstancingTests {
    @Test func instancesShareTheirContents() throws {
        let s = try TextStage(
            """
            def "A" (
             instanceable = true
             references = </P>
            ) {
             double own = 1
             over "Mesh" {
              double ignored = 1
             }
            }
            def "B" (
             instanceable = true
             references = </P>
            ) {
            }
            class "P" {
             def Mesh "Mesh" {
              rel here = </P/Mesh>
              double x = 2
             }
            }
            """)
        #expect(s.all() == ["/A", "/A/Mesh", "/B", "/B/Mesh"])
        let a = try s.prim("/A/Mesh")
        let b = try s.prim("/B/Mesh")
        #expect(s.stage.sharingKey(a) == s.stage.sharingKey(b))
        #expect(try s.stage.sharingKey(s.prim("/A")) != s.stage.sharingKey(s.prim("/B")))
        #expect(s.stage.isInstanceProxy(a))
        #expect(try s.stage.isInstance(s.prim("/A")))
        #expect(!s.stage.hasProperty(a, s.token("ignored")))
        #expect(try s.number("/A", "own") == 1)
        #expect(try s.targets("/A/Mesh", "here") == ["/A/Mesh"])
        #expect(try s.targets("/B/Mesh", "here") == ["/B/Mesh"])
        #expect(try s.stage.allChildren(s.prim("/A")).isEmpty)
    }

    @Test func nestedInstancesAndTheirTargets() throws {
        let s = try TextStage(
            """
            def "A" (
             instanceable = true
             references = </Outer>
            ) {
            }
            def "B" (
             instanceable = true
             references = </Outer>
            ) {
            }
            class "Outer" {
             def "In1" (
              instanceable = true
              references = </Inner>
             ) {
             }
             def "In2" (
              instanceable = true
              references = </Inner>
             ) {
             }
            }
            class "Inner" {
             def "Leaf" {
              rel here = </Inner/Leaf>
             }
            }
            """)
        #expect(s.all() == ["/A", "/A/In1", "/A/In1/Leaf", "/A/In2", "/A/In2/Leaf", "/B", "/B/In1", "/B/In1/Leaf", "/B/In2", "/B/In2/Leaf"])
        #expect(try s.targets("/B/In2/Leaf", "here") == ["/B/In2/Leaf"])
        let keys = try ["/A/In1/Leaf", "/A/In2/Leaf", "/B/In1/Leaf", "/B/In2/Leaf"].map { try s.stage.sharingKey(s.prim($0)) }
        #expect(Set(keys).count == 1)
    }

    @Test func differentSelectionsMakeDifferentPrototypes() throws {
        func instance(_ name: String, _ choice: String) -> String {
            "def \"\(name)\" (\n instanceable = true\n references = </P>\n variants = { string v = \"\(choice)\" }\n) {\n}\n"
        }
        let s = try TextStage(
            instance("A", "one") + instance("B", "two") + instance("C", "one")
                + "class \"P\" (variantSets = \"v\") {\n variantSet \"v\" = {\n \"one\" {\n def \"One\" {\n }\n }\n \"two\" {\n def \"Two\" {\n }\n }\n }\n}\n"
        )
        #expect(s.all() == ["/A", "/A/One", "/B", "/B/Two", "/C", "/C/One"])
        #expect(try s.stage.sharingKey(s.prim("/A/One")) == s.stage.sharingKey(s.prim("/C/One")))
    }

    @Test func aPrimWithoutArcsIsNoInstance() throws {
        let s = try TextStage("def \"A\" (instanceable = true) {\n def \"B\" {\n }\n}\n")
        #expect(try !s.stage.isInstance(s.prim("/A")))
        #expect(s.all() == ["/A", "/A/B"])
    }

    /// What a reference finds below an instance: the instance's own overrides do not count there either, where a direct arc
    /// has a say. With OpenUSD's answers.
    @Test(arguments: [
        ("</E>", ["e"]), ("</F/D>", ["fd"]), ("</G/D>", ["a", "b", "hd"]), ("</B/D>", ["a", "b", "d"]), ("</A/D>", ["d"]),
        ("</K/D>", ["hd"]), ("</G/D>, </E>", ["e"]), ("</K/D>, </G/D>", ["hd"]), ("</L>", ["hd"]),
    ])
    func referencesBelowInstances(_ target: String, _ properties: [String]) throws {
        func child(_ name: String) -> String { "def \"C\" {\n int \(name)\n }\n" }
        let s = try TextStage(
            """
            class "A" {
             def "A" (
              prepend references = [\(target)]
              instanceable = true
             ) {
              \(child("a"))
             }
             def "D" {
              \(child("d"))
             }
            }
            def "B" (references = </A>) {
             def "A" {
              \(child("b"))
             }
            }
            def "E" {
             \(child("e"))
            }
            def "F" {
             def "D" {
              \(child("fd"))
             }
            }
            def "G" (references = </H>) {
            }
            def "H" {
             def "D" {
              \(child("hd"))
             }
            }
            def "K" (references = </H>) {
             def "D" {
             }
            }
            def "L" (references = </G/D>) {
            }
            def "T" (references = </B/A/C>) {
            }
            """)
        #expect(try s.stage.propertyNames(s.prim("/T")).map { s.stage.session.string($0) }.sorted() == properties)
        #expect(try s.stage.isInstance(s.prim("/B/A")))
    }

    /// A target whose own specs lie below an instance brings nothing to share.
    @Test func whatLiesBelowAnInstanceMakesNone() throws {
        let s = try TextStage(
            """
            def "I" (
             instanceable = true
             references = </C/A>
            ) {
            }
            def "P" {
            }
            def "C" (
             instanceable = true
             references = </P>
            ) {
             def "A" {
             }
            }
            """)
        #expect(try !s.stage.isInstance(s.prim("/I")))
        #expect(try s.stage.isInstance(s.prim("/C")))
    }

    /// Variant sets are named even where an instance leaves them without effect; only a variant that is there is selected.
    @Test func variantSetsWithoutASay() throws {
        let s = try TextStage(
            """
            def "C" (
             instanceable = true
             inherits = </F>
            ) {
             over "A" (variantSets = "v") {
              variantSet "v" = {
               "two" {
               }
              }
             }
            }
            class "F" {
             def "A" (variants = { string v = "two" }) {
             }
            }
            def "D" (
             references = </E>
             variants = { string w = "one" }
            ) {
            }
            def "E" (variantSets = "w") {
             variantSet "w" = {
              "one" (inherits = </V>) {
              }
             }
            }
            class "V" (variantSets = "x") {
             variantSet "x" = {
              "only" {
              }
             }
            }
            """)
        #expect(try s.stage.variantSets(s.prim("/C/A")) == [VariantSet(name: "v", selection: "", choices: ["two"])])
        #expect(
            try s.stage.variantSets(s.prim("/D")) == [
                VariantSet(name: "x", selection: "", choices: ["only"]), VariantSet(name: "w", selection: "one", choices: ["one"]),
            ])
    }

    /// What is chosen for one instance is not for the others; what is chosen for what they refer to is for all.
    @Test(arguments: [("/I", ["S", "M"]), ("/J", ["M", "S"]), ("/W", ["S", "S"])])
    func choicesTellInstancesApart(_ path: String, _ contents: [String]) throws {
        let text = """
            def "W" ( variants = { string v = "one" }
                prepend variantSets = "v" ) { variantSet "v" = { "one" { def Cube "M" {} }
                    "two" { def Sphere "S" {} } } }
            def "I" ( instanceable = true
                references = </W> ) {}
            def "J" ( instanceable = true
                references = </W> ) {}

            """
        let s = try TextStage(text) { $0.variants = [VariantChoice(path: path, set: "v", choice: "two")] }
        #expect(try s.children("/I") + s.children("/J") == contents)
    }
}
