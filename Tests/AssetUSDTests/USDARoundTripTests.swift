import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

/// Generated layers: what is printed reads back as what was there, and prints the same again.
@Suite struct USDARoundTripTests {
    @Test(arguments: 0..<40) func generatedLayers(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var generator = LayerText(random: random)
        let text = generator.layer()
        let first = try parseUSDA(bytes: Array(text.utf8))
        let printed = try USDA.text(of: first)
        let second = try parseUSDA(bytes: printed)
        #expect(try USDA.text(of: second) == printed)
        #expect(first.specs.count == second.specs.count)
        for (i, spec) in first.specs.enumerated() {
            let path = first.session.string(spec.path)
            let other = try #require(second.session.paths.parse(path).flatMap { second.spec(at: $0) }, "\(path)")
            #expect(second.specs[Int(other)].kind == spec.kind)
            #expect(first.fields(of: SpecIndex(i)).count == second.fields(of: other).count)
            for f in first.fields(of: SpecIndex(i)) {
                let name = first.session.string(f.name)
                #expect(try first.text(path, name) == second.text(path, name), "\(path) \(name)")
            }
        }
        random = generator.random
    }

    @Test func floatsKeepTheirBits() throws {
        var random = SplitMix64(seed: 5)
        let floats = (0..<2000).map { _ in random.anyFiniteFloat() } + [0, -0.0, .infinity, -.infinity]
        let doubles = (0..<2000).map { _ in random.anyFiniteDouble() } + [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        let halves = (UInt16.min...UInt16.max).filter { $0 & 0x7fff <= 0x7c00 }
        var text = "def \"A\"\n{\n    float[] f = ["
        text += floats.map { FloatPrinter.text($0) }.joined(separator: ", ") + "]\n    double[] d = ["
        text += doubles.map { FloatPrinter.text($0) }.joined(separator: ", ") + "]\n    half[] h = ["
        text += halves.map { FloatPrinter.text(halfValue($0)) }.joined(separator: ", ") + "]\n}\n"
        var layer = try parseUSDA(text)
        for _ in 0..<2 {
            guard case .array(let f) = layer.value("/A.f"), case .float(let readFloats) = f.storage else { return #expect(Bool(false)) }
            guard case .array(let d) = layer.value("/A.d"), case .double(let readDoubles) = d.storage else { return #expect(Bool(false)) }
            guard case .array(let h) = layer.value("/A.h"), case .half(let readHalves) = h.storage else { return #expect(Bool(false)) }
            #expect(readFloats.map(\.bitPattern) == floats.map(\.bitPattern))
            #expect(readDoubles.map(\.bitPattern) == doubles.map(\.bitPattern))
            #expect(readHalves == halves)
            // And once more through the printer.
            layer = try parseUSDA(bytes: try USDA.text(of: layer))
        }
    }

    @Test func halvesRoundToNearestEven() {
        #expect(halfBits(1) == 0x3c00)
        #expect(halfBits(65504) == 0x7bff)
        #expect(halfBits(65519) == 0x7bff)
        #expect(halfBits(65520) == 0x7c00)
        #expect(halfBits(0x1p-24) == 1)
        #expect(halfBits(0x1p-25) == 0)
        #expect(halfBits(0x1.8p-24) == 2)
        #expect(halfBits(1 + 0x1p-11) == 0x3c00)
        #expect(halfBits(1 + 0x3p-11) == 0x3c02)
        #expect(halfBits(-.infinity) == 0xfc00)
        for h in UInt16(0)...0x7c00 { #expect(halfBits(halfValue(h)) == h) }
    }

    @Test func stringsKeepTheirCharacters() throws {
        for s in ["", "a", "\"", "'", "\"'", "a\nb", "\"\n", "'\"\n\\", "\u{1}\u{7f}\t\r", "größe 🪑", "\\n", "end\"", "\"\"\"", "'''\n\"\"\""] {
            let session = USDSession()
            var builder = LayerBuilder(session: session, identifier: "", encoding: "usda", version: "1.0", byteCount: 0)
            builder.set(builder.root, .documentation, .string(s.isEmpty ? "-" : s))
            let prim = builder.add(.prim, session.paths.child(.root, session.token("A")), below: builder.root)
            builder.set(prim, .specifier, .specifier(.def))
            let x = builder.add(.attribute, session.paths.property(session.paths.child(.root, session.token("A")), session.token("x")), below: prim)
            builder.set(x, .typeName, .token(session.token("string")))
            builder.set(x, .default, .string(s))
            let layer = try parseUSDA(bytes: try USDA.text(of: builder.finish()))
            guard case .string(let read) = layer.value("/A.x") else { return #expect(Bool(false)) }
            #expect(Array(read.utf8) == Array(s.utf8))
        }
    }

    @Test func assetPathsKeepTheirCharacters() throws {
        for s in ["", "a", "@", "a@b", "a@@", "@@@", "a@@@b", "@@@@@", "a@@@@b@"] {
            let session = USDSession()
            var builder = LayerBuilder(session: session, identifier: "", encoding: "usda", version: "1.0", byteCount: 0)
            let a = session.paths.child(.root, session.token("A"))
            let prim = builder.add(.prim, a, below: builder.root)
            let x = builder.add(.attribute, session.paths.property(a, session.token("x")), below: prim)
            builder.set(x, .typeName, .token(session.token("asset")))
            builder.set(x, .default, .asset(s))
            let layer = try parseUSDA(bytes: try USDA.text(of: builder.finish()))
            guard case .asset(let read) = layer.value("/A.x") else { return #expect(Bool(false)) }
            #expect(read == s)
        }
    }

    @Test func bigArraysInPieces() throws {
        let n = 300_000
        let session = USDSession()
        var builder = LayerBuilder(session: session, identifier: "", encoding: "usda", version: "1.0", byteCount: 0)
        let a = session.paths.child(.root, session.token("A"))
        let prim = builder.add(.prim, a, below: builder.root)
        let x = builder.add(.attribute, session.paths.property(a, session.token("x")), below: prim)
        builder.set(x, .typeName, .token(session.token("float3[]")))
        builder.set(x, .default, .array(USDArray(.float3, .float((0..<n).map { Float($0) / 7 }))))
        let layer = builder.finish()
        var pieces: [Int] = []
        var text: [UInt8] = []
        try USDA.write(layer) { (piece: UnsafeRawBufferPointer) throws(AssetError) in
            pieces.append(piece.count)
            text.append(contentsOf: piece)
        }
        #expect(pieces.count > 2)
        #expect(pieces.allSatisfy { $0 < 2 << 20 })
        guard case .array(let read) = try parseUSDA(bytes: text).value("/A.x"), case .float(let floats) = read.storage else {
            return #expect(Bool(false))
        }
        #expect(floats == (0..<n).map { Float($0) / 7 })
    }

    @Test func sinkErrorsComeThrough() throws {
        let layer = try parseUSDA("def \"A\"\n{\n}\n")
        let error = #expect(throws: AssetError.self) {
            try USDA.write(layer) { (_: UnsafeRawBufferPointer) throws(AssetError) in
                throw AssetError("test.full", "no room", at: SourceLocation(file: "out"))
            }
        }
        #expect(error?.diagnostic.code == "test.full")
    }
}

/// Random USDA text that is valid.
private struct LayerText {
    var random: SplitMix64
    private var names = 0

    init(random: SplitMix64) { self.random = random }

    private mutating func pick<T>(_ all: [T]) -> T { all[random.int(in: 0...(all.count - 1))] }
    private mutating func name() -> String {
        names += 1
        return pick(["a", "B", "long_name", "größe", "x9_"]) + "\(names)"
    }
    private mutating func number() -> String {
        switch random.int(in: 0...4) {
        case 0: "\(random.int(in: -100...100))"
        case 1: FloatPrinter.text(random.anyFiniteFloat())
        case 2: FloatPrinter.text(random.float(in: -1...1))
        case 3: pick(["inf", "-inf", "nan", "-0", "1e10", "1.", ".5"])
        default: "0"
        }
    }
    private mutating func string() -> String { pick(["\"a\"", "'b\"c'", "\"\"", "\"\"\"two\nlines\"\"\"", "\"\\x07é\\\\\"", "'''it\\'s'''"]) }

    private mutating func value(_ type: String) -> String {
        if type.hasSuffix("[]") {
            let element = String(type.dropLast(2))
            return "[" + (0..<random.int(in: 0...5)).map { _ in value(element) }.joined(separator: pick([", ", ",\n ", ","])) + "]"
        }
        switch type {
        case "bool": return pick(["true", "false", "0", "1"])
        case "uchar", "uint", "uint64": return "\(random.int(in: 0...255))"
        case "int", "int64": return "\(random.int(in: -1000...1000))"
        case "string", "token", "pathExpression": return string()
        case "asset": return pick(["@a.png@", "@@", "@@@a@b@@@"])
        case "float2": return "(\(number()), \(number()))"
        case "color3f", "double3": return "(\(number()), \(number()), \(number()))"
        case "quatf": return "(\(number()), \(number()), \(number()), \(number()))"
        case "matrix2d": return "((\(number()), \(number())), (\(number()), \(number())))"
        case "int2": return "(\(random.int(in: -9...9)), 3)"
        default: return number()
        }
    }

    private static let types = [
        "bool", "uchar", "int", "uint", "int64", "uint64", "half", "float", "double", "timecode", "string", "token", "asset", "float2", "color3f",
        "double3", "quatf", "matrix2d", "int2", "float[]", "color3f[]", "token[]", "string[]", "int[]", "matrix2d[]", "asset[]", "half[]", "bool[]",
        "quatf[]",
    ]

    private mutating func dictionary(_ depth: Int) -> String {
        var out = "{\n"
        for _ in 0..<random.int(in: 0...3) {
            if depth < 3, random.int(in: 0...3) == 0 {
                out += "dictionary \(name()) = \(dictionary(depth + 1))\n"
            } else {
                let type = pick(Self.types)
                out += "\(type) \(pick([name(), "\"k \(name())\""])) = \(value(type))\n"
            }
        }
        return out + "}"
    }

    private mutating func property() -> String {
        let n = pick(["", "ns:", "a:b:"]) + name()
        switch random.int(in: 0...6) {
        case 0: return pick(["", "custom ", "varying "]) + "rel \(n) = " + pick(["</A>", "None", "[</A>, <B.x>]"]) + "\n"
        case 1: return pick(["prepend", "append", "delete", "add", "reorder"]) + " rel \(n) = </A/B>\n"
        case 2:
            let type = pick(Self.types)
            let times = (0..<random.int(in: 0...4)).map { _ in "\(random.int(in: -5...5)): " + (random.bool() ? value(type) : "None") }
            return "\(type) \(n).timeSamples = { \(times.joined(separator: ", ")) }\n"
        case 3: return "float \(n).connect = " + pick(["</A.x>", "[<../B.y>, </C.z>]", "None"]) + "\n"
        default:
            let type = pick(Self.types)
            let qualifier = pick(["", "custom ", "uniform ", "custom uniform "])
            let metadata = random.bool() ? "" : " (\n doc = \(string())\n hidden = true\n customData = \(dictionary(0))\n)"
            return "\(qualifier)\(type) \(n) = \(random.int(in: 0...5) == 0 ? "None" : value(type))\(metadata)\n"
        }
    }

    private mutating func metadata() -> String {
        var out = " (\n"
        let all = [
            "kind = \"group\"", "active = false", "prepend apiSchemas = [\"A\", \"B\"]", "references = [@a@</B> (offset = 2), </C>]",
            "payload = None",
            "inherits = </Class>", "variants = { string v = \"x\" }", "prepend variantSets = [\"v\"]", "unknown = [1, (2, \"three\")]",
            "customData = \(dictionary(0))", "doc = \(string())", "instanceable = true", "specializes = [</A>, </B>]",
        ]
        for m in all where random.int(in: 0...3) == 0 { out += m + "\n" }
        return out + ")"
    }

    private mutating func prim(_ depth: Int) -> String {
        var out = pick(["def ", "over ", "class ", "def Xform ", "def Mesh "]) + "\"\(name())\"" + (random.bool() ? metadata() : "") + "\n{\n"
        for _ in 0..<random.int(in: 0...4) { out += property() }
        if depth < 4 {
            for _ in 0..<random.int(in: 0...2) { out += prim(depth + 1) }
            if random.int(in: 0...3) == 0 {
                out += "variantSet \"\(name())\" = {\n\"one\" \(metadata()) {\n\(property())\(prim(depth + 1))}\n\"two-2\" {\n}\n}\n"
            }
        }
        return out + "}\n"
    }

    mutating func layer() -> String {
        var out = "#usda 1.0\n(\n defaultPrim = \"A\"\n customLayerData = \(dictionary(0))\n subLayers = [@x@ (scale = 2), @y@]\n)\n"
        for _ in 0..<random.int(in: 1...4) { out += prim(0) }
        return out
    }
}
