import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// Text in, text out: what a statement means shows in how it is printed.
@Suite struct USDAGrammarTests {
    /// A statement in a prim's body and what is printed for it (nil: the same).
    struct Case: Sendable, CustomTestStringConvertible {
        var statement: String
        var printed: String?
        var testDescription: String { statement }
        init(_ statement: String, _ printed: String? = nil) {
            self.statement = statement
            self.printed = printed
        }
    }

    static let values: [Case] = [
        Case("bool x = true", "bool x = 1"), Case("bool x = \"no\"", "bool x = 0"), Case("bool x = 2", "bool x = 1"),
        Case("uchar x = 255"), Case("int x = -2147483648"), Case("int x = 1.9", "int x = 1"), Case("uint x = 4294967295"),
        Case("int64 x = -9223372036854775808"), Case("uint64 x = 18446744073709551615"),
        Case("half x = 0.1", "half x = 0.0999756"), Case("half x = 65520", "half x = inf"), Case("half x = 1e-7", "half x = 1.19209e-07"),
        Case("float x = 0.1"), Case("float x = 16777217", "float x = 16777216"), Case("float x = -0"), Case("float x = \"-inf\"", "float x = -inf"),
        Case("double x = 1e400", "double x = inf"), Case("double x = nan"), Case("double x = .5e1", "double x = 5"),
        Case("double x = 1.", "double x = 1"),
        Case("double x = 1e15"), Case("double x = 0.000001"), Case("double x = 1e-7"), Case("double x = 5e-324"),
        Case("double x = 123456789012345678901234567890", "double x = 1.2345678901234568e29"),
        Case("timecode x = 24.5"), Case("token x = 'a'", "token x = \"a\""), Case("string x = ''", "string x = \"\""),
        Case("string x = \"\\x41\\102\\q\\n\"", "string x = \"\"\"ABq\n\"\"\""), Case("string x = 'say \"hi\"'"),
        Case("string x = \"both ' and \\\"\""), Case("string x = \"\\x07\\t\\r\\\\\""),
        Case("string x = \"\"\"a\"b\"\"c\"\"\"", "string x = 'a\"b\"\"c'"),
        Case("asset x = @a/b.png@"), Case("asset x = @@"), Case("asset x = \"a\"", "asset x = @a@"), Case("asset x = @@@a@b@@@"),
        Case("asset x = @@@a\\@@@b@@@"), Case("asset x = @@@a@@@@@"), Case("pathExpression x = \"/a//b\""),
        Case("float3 x = (1,2, 3 ,)", "float3 x = (1, 2, 3)"), Case("quatf x = (1, 2, 3, 4)"), Case("quath[] x = [(1, 0, 0, 0), (0.5, 2, 3, 4)]"),
        Case("matrix2d x = ((1,2),(3,4))", "matrix2d x = ( (1, 2), (3, 4) )"), Case("int2[] x = [(1, -2), (3, 4)]"),
        Case("float[] x = []"), Case("float[] x = [ ]", "float[] x = []"), Case("float[] x = [1,\n 2 , # two\n 3,]", "float[] x = [1, 2, 3]"),
        Case("float[] x = [[1, 2], [3, 4]]", "float[] x = [1, 2, 3, 4]"), Case("float[] x = [inf, -inf, nan, -0]"),
        Case("matrix3d[] x = [((1,2,3),(4,5,6),(7,8,9))]", "matrix3d[] x = [( (1, 2, 3), (4, 5, 6), (7, 8, 9) )]"),
        Case("string[] x = [\"a\", 'b\"']"), Case("token[] x = [\"a\", \"\"]"), Case("asset[] x = [@a@, @@]"), Case("bool[] x = [1, 0]"),
        Case("uchar[] x = [0, 255]"), Case("int64[] x = [-1, 9223372036854775807]"), Case("uint64[] x = [18446744073709551615]"),
        Case("half[] x = [0.5, 100.312]"), Case("double[] x = [0.1, 1e22]"), Case("timecode[] x = [1, 2.5]"),
        Case("float x = None"), Case("float[] x = None"), Case("float x = AnimationBlock"), Case("opaque x"),
        Case("Vec3f x = (1, 2, 3)", "float3 x = (1, 2, 3)"), Case("PointFloat[] x = [(1, 2, 3)]", "point3f[] x = [(1, 2, 3)]"),
        Case("Transform x = ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))", "Transform x = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )"),
        Case("strange x = (1.50, \"a\", b)", "strange x = (1.5, \"a\", b)"), Case("strange[] x = [1,2]", "strange[] x = [1, 2]"),
        Case("strange::type x"), Case("float [] x = [1]", "float[] x = [1]"),
        Case("token x = </Other.y>"),
    ]

    static let properties: [Case] = [
        Case("float x"), Case("custom float x"), Case("uniform token x = \"a\""), Case("config int x", "uniform int x"),
        Case("custom uniform int a:b:c = 1"), Case("float größe = 1"), Case("float def = 1"), Case("float inputs:rel"),
        Case("float x;float y", "float x\n    float y"), Case("float x = 1 // c\n    float y # d", "float x = 1\n    float y"),
        Case("float x = 1 /* c\n d */", "float x = 1"),
        Case("float x.connect = </B.y>"), Case("float x.connect = <C.y>", "float x.connect = </A/C.y>"),
        Case("float x.connect = [</B.y>, <../D.z>,]", "float x.connect = [\n        </B.y>,\n        </D.z>,\n    ]"),
        Case("float x.connect = None"), Case("prepend float x.connect = </B.y>"), Case("delete float x.connect = </B.y>"),
        Case("add float x.connect = </B.y>"), Case("append float x.connect = </B.y>"), Case("reorder float x.connect = </B.y>"),
        Case("float x.timeSamples = {\n        1: 2,\n        2: None,\n    }"),
        Case("float x.timeSamples = { 2: 3, 1: 1, 2: 4 }", "float x.timeSamples = {\n        1: 1,\n        2: 4,\n    }"),
        Case("float x.timeSamples = {}", "float x.timeSamples = {\n    }"),
        Case("float[] x.timeSamples = { -1.5: [1, 2], inf: [] }", "float[] x.timeSamples = {\n        -1.5: [1, 2],\n        inf: [],\n    }"),
        Case("float x = 1\n    float x.timeSamples = {\n        0: 2,\n    }\n    float x.connect = </B.y>"),
        Case("float x (\n        \"note\"\n        doc = \"text\"\n        hidden = true\n        interpolation = \"vertex\"\n    )"),
        Case(
            "float x = 1 (elementSize = 3; displayUnit = meter; symmetryFunction = )",
            "float x = 1 (\n        displayUnit = meter\n        elementSize = 3\n        symmetryFunction = \n    )"),
        Case("float x = 1 ( )", "float x = 1"),
        Case("rel r"), Case("custom rel r"), Case("varying rel r"), Case("custom varying rel r = </B>"), Case("rel r = None"),
        Case("rel r = []", "rel r = None"), Case("rel r = </B>"), Case("rel r = <C>", "rel r = </A/C>"), Case("rel r = <.x>", "rel r = </A.x>"),
        Case("rel r = <..>", "rel r = </>"), Case("rel r = [</B>, </C.x>]", "rel r = [\n        </B>,\n        </C.x>,\n    ]"),
        Case("prepend rel r = </B>"), Case("delete rel r = </B>\n    append rel r = </C>"), Case("reorder rel r = </B>"),
        Case("append custom varying rel r = </B>", "custom varying rel r\n    append varying rel r = </B>"),
        Case("delete custom float x.connect = </B.y>", "custom float x\n    delete float x.connect = </B.y>"),
        Case("rel r = </B> (doc = \"x\")", "rel r = </B> (\n        doc = \"x\"\n    )"),
        Case("rel r.default = </B>", "rel r\n    rel r.default = </B>"),
        Case("rel r[</B>]", "rel r\n    rel r[</B>]"), Case("rel r = </B.r[/C].x>"),
        Case("reorder properties = [\"b\", \"a\"]"), Case("reorder nameChildren = [\"b\", \"a\"]"),
        // A slope alone; no curve type where no segment is a curve.
        Case(
            "float x.spline = {\n        bezier,\n        1: 2; pre (1); post curve (1),\n    }",
            "float x.spline = {\n        1: 2; pre (0, 1); post curve (0, 1),\n    }"),
        Case("float x.spline = {\n        1: 2; post held,\n    }", "float x.spline = {\n        1: 2; pre (0, 0); post held,\n    }"),
        Case(
            "double x.spline = {\n        bezier,\n        pre: sloped(0.5),\n        post: loop oscillate,\n        loop: (1, 3, 2, 1, 5.5),\n        1: 3.5 & 5; pre (1.5, 2.25); post curve (1, -1); { string foo = \"bar\"; int n = 1 },\n        2: 6; pre (0, 0); post none,\n        3: 6; post linear,\n    }"
        ),
        Case(
            "float x.spline = {\n        hermite,\n        pre: none,\n        post: loop reset,\n        1: 5; pre (2.25); post curve (-1),\n    }"),
    ]

    static let metadata: [Case] = [
        Case("\"a comment\""), Case("doc = \"\"\"two\nlines\"\"\""), Case("kind = \"component\""), Case("active = 0", "active = false"),
        Case("instanceable = true"), Case("hidden = yes", "hidden = true"), Case("displayName = \"x\""), Case("permission = private"),
        Case("symmetryFunction = mirror"), Case("apiSchemas = [\"A\", \"B\"]"), Case("prepend apiSchemas = [\"A\"]"),
        Case(
            "delete apiSchemas = [\"A\"]\n    add apiSchemas = [\"B\"]\n    prepend apiSchemas = [\"C\"]\n    append apiSchemas = [\"D\"]\n    reorder apiSchemas = [\"E\"]"
        ),
        Case("apiSchemas = None"), Case("clipSets = [\"a\"]"), Case("inactiveIds = [1, -2]"), Case("displayGroupOrder = [\"a\"]"),
        Case("inherits = </B>"), Case("inherits = <../B>", "inherits = </B>"), Case("inherits = None"),
        Case("prepend inherits = [</B>, </C>]", "prepend inherits = [\n        </B>,\n        </C>\n    ]"), Case("append specializes = </B>"),
        Case("references = @a.usda@"), Case("references = @a.usda@</B>"), Case("references = </B> (offset = 1; scale = 2)"),
        Case("references = <>"), Case("references = None"), Case("prepend references = @a@ (scale = 0.5)"),
        Case("references = [@a@, </B>]", "references = [\n        @a@,\n        </B>\n    ]"),
        Case(
            "references = @a@ (offset = 3; customData = { int a = 1 })",
            "references = [\n        @a@ (\n            offset = 3\n            customData = {\n                int a = 1\n            }\n        )\n    ]"
        ),
        Case("payload = @a@</B> (offset = 2)"), Case("delete payload = @a@"), Case("payload = None"),
        Case("variants = { string v = \"x\" }", "variants = {\n        string v = \"x\"\n    }"), Case("prepend variantSets = \"v\""),
        Case("prepend variantSets = [\"v\", \"w\"]"),
        Case("relocates = { <B>: <C>, </A/D>: <> }", "relocates = {\n        </A/B>: </A/C>, \n        </A/D>: <>\n    }"),
        Case("prefixSubstitutions = { \"a\": \"b\" }", "prefixSubstitutions = {\n        \"a\": \"b\"\n    }"),
        Case(
            "customData = { int b = 1; dictionary d = { float[] \"x y\" = [1] }\n string a = \"s\" }",
            "customData = {\n        string a = \"s\"\n        int b = 1\n        dictionary d = {\n            float[] \"x y\" = [1]\n        }\n    }"
        ),
        Case("customData = {}", "customData = {\n    }"), Case("unknown = 1.50", "unknown = 1.5"),
        Case("unknown = [1,(2,3)]", "unknown = [1, (2, 3)]"),
        Case("unknown = \"text\""), Case("unknown = word"), Case("prepend unknown = [1,2]", "prepend unknown = [1, 2]"),
        Case("unknown = { int a = 1 }", "unknown = {\n        int a = 1\n    }"), Case("elementSize = 3"), Case("name::space = 1"),
        Case("kind = \"a\"; active = true", "active = true\n    kind = \"a\""),
    ]

    @Test(arguments: values + properties) func statement(_ c: Case) throws {
        let layer = try parseUSDA("def \"A\"\n{\n    \(c.statement)\n}\n", header: "#usda 1.0\n\n")
        let expected = "#usda 1.0\n\ndef \"A\"\n{\n    \(c.printed ?? c.statement)\n}\n\n"
        #expect(try printUSDA(layer) == expected)
        // What is printed reads back as the same.
        #expect(try printUSDA(parseUSDA(bytes: Array(expected.utf8))) == expected)
    }

    @Test(arguments: metadata) func primMetadata(_ c: Case) throws {
        let layer = try parseUSDA("def \"A\" (\n    \(c.statement)\n)\n{\n}\n")
        let expected = "#usda 1.0\n\ndef \"A\" (\n    \(c.printed ?? c.statement)\n)\n{\n}\n\n"
        #expect(try printUSDA(layer) == expected)
        #expect(try printUSDA(parseUSDA(bytes: Array(expected.utf8))) == expected)
    }

    static let layers: [Case] = [
        Case("#usda 1.0\n\n"), Case("#usda 1.0", "#usda 1.0\n\n"), Case("#sdf 1.4.32\n", "#usda 1.0\n\n"),
        Case("\u{feff}#usda 1.3\n", "#usda 1.0\n\n"),
        Case("#usda 1.0\r\n(\r\n    doc = \"a\"\r\n)\r\n", "#usda 1.0\n(\n    doc = \"a\"\n)\n\n"),
        Case(
            "#usda 1.0\n(\n    \"comment\"\n    defaultPrim = \"A\"\n    endTimeCode = 10\n    subLayers = [\n        @a@,\n        @b@ (offset = 1; scale = 2)\n    ]\n    upAxis = \"Y\"\n    relocates = {\n        </A/B>: </A/C>\n    }\n)\n\n"
        ),
        Case("#usda 1.0\n(\n    customLayerData = {\n        double x = 1\n    }\n    startTimeCode = 1.5\n    unknown = [1, 2]\n)\n\n"),
        Case("#usda 1.0\n\nreorder rootPrims = [\"B\", \"A\"]\n\ndef \"A\"\n{\n}\n\nover Some.Type \"B\"\n{\n}\n\nclass Xform \"C\"\n{\n}\n\n"),
        Case("#usda 1.0\n\ndef \"A\"\n{\n    float x\n\n    def \"B\"\n    {\n    }\n\n    def \"C\"\n    {\n    }\n}\n\n"),
        Case(
            "#usda 1.0\n\ndef \"A\" (\n    prepend variantSets = \"v\"\n)\n{\n    variantSet \"v\" = {\n        \"a\" (\n            active = false\n        ) {\n            float x = 1\n\n            def \"B\"\n            {\n            }\n            variantSet \"inner\" = {\n                \"x\" {\n\n                }\n            }\n\n        }\n        \"b\" {\n\n        }\n    }\n}\n\n"
        ),
        Case("#usda 1.4\n\ndef \"A\"\n{\n    duration x = 1.5\n}\n\n"),
        Case("#usda 1.3\n\ndef \"A\"\n{\n    double x.spline = {\n        pre: loop repeat(3.5),\n    }\n}\n\n"),
        Case(
            "#usda 1.1\n\ndef \"A\"\n{\n    double x.spline = {\n        1: 2; pre (0, 0, autoEase); post curve (1, 0, custom),\n    }\n}\n\n"
        ),
        Case(
            "#usda 1.2\n\ndef \"A\"\n{\n    float2[] v = edit [append (1, 2); write (3, 4) to [0]]\n    float[] x = edit [append 1.5; prepend 2; write 3 to [2]; write [1] to [2]; insert 4 at [1]; prepend [-1]; erase [3]; append [0]; minsize 5; minsize 6 fill 9; maxsize 10; resize 7; resize 8 fill 1]\n    token[] y = edit [append 'a\"b']\n    int[] z = edit []\n}\n\n"
        ),
    ]

    @Test(arguments: layers) func wholeLayer(_ c: Case) throws {
        #expect(try printUSDA(parseUSDA(bytes: Array(c.statement.utf8))) == c.printed ?? c.statement)
    }

    @Test func propertiesComeInDictionaryOrder() throws {
        let names = ["b", "a10", "aB", "a9", "A9", "b:c", "a_", "Ab", "bb"]
        let layer = try parseUSDA("def \"A\"\n{\n" + names.map { "float \($0)\n" }.joined() + "}\n")
        let printed = try printUSDA(layer).split(separator: "\n").compactMap { $0.hasPrefix("    float ") ? String($0.dropFirst(10)) : nil }
        #expect(printed == ["A9", "a9", "a10", "a_", "Ab", "aB", "b", "b:c", "bb"])
    }

    @Test func fieldsHaveTheTypesOfTheSchema() throws {
        let layer = try parseUSDA(
            """
            (
                startTimeCode = 1
                framePrecision = 3
                upAxis = "Z"
                owner = "me"
            )
            def "A" (
                kind = "group"
                doc = "d"
                elementSize = 1
                assetInfo = { uint64 n = 1 }
            )
            {
                float x = 1 (
                    elementSize = 3
                    colorSpace = "raw"
                )
            }
            """)
        func kind(_ path: String, _ field: String) -> String {
            switch layer.value(path, field) {
            case .double: "double"
            case .int: "int"
            case .token: "token"
            case .string: "string"
            case .unregistered: "unregistered"
            case .dictionary(let d): if case .uint64 = d["n"] { "dictionary of uint64" } else { "dictionary" }
            default: "other"
            }
        }
        #expect(kind("/", "startTimeCode") == "double")
        #expect(kind("/", "framePrecision") == "int")
        #expect(kind("/", "upAxis") == "token")
        #expect(kind("/", "owner") == "string")
        #expect(kind("/A", "kind") == "token")
        #expect(kind("/A", "documentation") == "string")
        #expect(kind("/A", "elementSize") == "unregistered")
        #expect(kind("/A", "assetInfo") == "dictionary of uint64")
        #expect(kind("/A.x", "elementSize") == "int")
        #expect(kind("/A.x", "colorSpace") == "token")
    }
}
