import AssetIO
import AssetModel

/// Fills a document's tables from JSON. What has the wrong type is left out with a warning: whether it is missed shows later.
struct GLTFDecoder {
    var document: GLTFDocument
    var diagnostics: Diagnostics

    /// Throws for what is no glTF 2.0, and for extensions that it cannot do without.
    static func decode(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> GLTFDocument {
        let isBinary = GLBContainer.isGLB(file.bytes)
        var range = 0..<file.count
        var binary: FileBytes?
        if isBinary {
            let container = try GLBContainer(file, &context.diagnostics)
            range = container.json
            binary = container.binary.flatMap { file.slice($0.lowerBound, count: $0.count) }
        } else if GLTFText.hasMark(file.bytes) {
            context.diagnostics.warning("gltf.byte-order-mark", "the text begins with a byte order mark, expected none", at: file.location(0))
            range = 3..<file.count
        }
        let json = try GLTFJSON(file, range, depth: context.options.limits.nestingDepth)
        var decoder = GLTFDecoder(
            document: GLTFDocument(file: file, isBinary: isBinary, binary: binary), diagnostics: context.diagnostics)
        defer { context.diagnostics = decoder.diagnostics }
        try json.withRoot { root throws(AssetError) in try decoder.root(root) }
        return decoder.document
    }

    // MARK: Top level

    private mutating func root(_ root: JSONValue) throws(AssetError) {
        let file = document.file.name
        guard root.isObject else {
            throw AssetError("gltf.not-gltf", "the text is \(root.typeName), expected an object", at: SourceLocation(file: file))
        }
        guard let asset = root["asset"], let version = asset["version"] else {
            throw AssetError("gltf.not-gltf", "nothing says the version (asset.version)", at: SourceLocation(file: file))
        }
        document.asset.version = version.string ?? version.double.map { FloatPrinter.text($0) } ?? ""
        document.asset.minVersion = asset["minVersion"]?.string
        document.asset.generator = asset["generator"]?.string
        document.asset.copyright = asset["copyright"]?.string
        let needed = document.asset.minVersion ?? document.asset.version
        guard needed.hasPrefix("2.") || needed == "2" else {
            throw AssetError(
                "gltf.unsupported-version", "the version is \(needed), expected 2.0",
                at: SourceLocation(file: file, position: .jsonPointer("/asset/version")))
        }
        for (key, value) in root.members { member(key, value) }
        try GLTFExtensions.check(document, &diagnostics)
    }

    private mutating func member(_ key: JSONValue, _ value: JSONValue) {
        switch key {
        case "asset": break
        case "extras":
            if case .dictionary(let entries) = value.value { document.extras = entries } else { note("the outermost object") }
        case "extensionsUsed": document.extensionsUsed = value.elements.compactMap(\.string)
        case "extensionsRequired": document.extensionsRequired = value.elements.compactMap(\.string)
        case "scene": document.scene = int(value, "scene")
        case "accessors": each(value, "accessors") { $0.accessor($1, $2) }
        case "bufferViews": each(value, "bufferViews") { $0.bufferView($1, $2) }
        case "buffers": each(value, "buffers") { $0.buffer($1, $2) }
        case "nodes": each(value, "nodes") { $0.node($1, $2) }
        case "meshes": each(value, "meshes") { $0.mesh($1, $2) }
        case "materials": each(value, "materials") { $0.material($1, $2) }
        case "textures": each(value, "textures") { $0.texture($1, $2) }
        case "images": each(value, "images") { $0.image($1, $2) }
        case "samplers": each(value, "samplers") { $0.sampler($1, $2) }
        case "scenes": each(value, "scenes") { $0.scene($1, $2) }
        case "skins": each(value, "skins") { $0.skin($1, $2) }
        case "animations": each(value, "animations") { $0.animation($1, $2) }
        case "cameras": each(value, "cameras") { $0.camera($1, $2) }
        case "extensions":
            if let lights = value["KHR_lights_punctual"]?["lights"] {
                each(lights, "extensions/KHR_lights_punctual/lights") { $0.light($1, $2) }
            }
            if let variants = value["KHR_materials_variants"]?["variants"] {
                each(variants, "extensions/KHR_materials_variants/variants") { decoder, variant, _ in
                    decoder.document.variants.append(variant["name"]?.string ?? "")
                }
            }
        default: break
        }
    }

    /// Calls `body` with each element and its pointer. An element that is no object counts as an empty one: indices must hold.
    private mutating func each(_ array: JSONValue, _ table: StaticString, _ body: (inout Self, JSONValue, Pointer) -> Void) {
        guard array.isArray else {
            wrongType(array, "an array", Pointer(table: table))
            return
        }
        var i = 0
        for element in array.elements {
            let pointer = Pointer(table: table, index: i)
            if !element.isObject { wrongType(element, "an object", pointer) }
            body(&self, element, pointer)
            i += 1
        }
    }

    // MARK: Places and types

    /// Where a value stands; made to text only for a message.
    struct Pointer {
        var table: StaticString
        var index: Int?
        var field: StaticString = ""
        var item: Int?
        var member: StaticString = ""

        func callAsFunction(_ field: StaticString) -> Pointer { Pointer(table: table, index: index, field: field) }
        func callAsFunction(_ field: StaticString, _ item: Int) -> Pointer { Pointer(table: table, index: index, field: field, item: item) }
        func callAsFunction(_ field: StaticString, _ member: StaticString) -> Pointer {
            Pointer(table: table, index: index, field: field, member: member)
        }
        func inside(_ member: StaticString) -> Pointer { Pointer(table: table, index: index, field: field, item: item, member: member) }

        var text: String {
            "/\(table)" + (index.map { "/\($0)" } ?? "") + (field.utf8CodeUnitCount > 0 ? "/\(field)" : "")
                + (item.map { "/\($0)" } ?? "") + (member.utf8CodeUnitCount > 0 ? "/\(member)" : "")
        }
    }

    /// Extras that the scene has no place for, to be told of once.
    mutating func note(_ owner: String) { if !document.openExtras.contains(owner) { document.openExtras.append(owner) } }

    mutating func wrongType(_ value: JSONValue, _ expected: String, _ pointer: Pointer) {
        diagnostics.warning(
            "gltf.wrong-type", "found \(value.typeName), expected \(expected), left out",
            at: SourceLocation(file: document.file.name, position: .jsonPointer(pointer.text)))
    }

    private mutating func int(_ value: JSONValue, _ field: StaticString) -> Int? { int(value, Pointer(table: field)) }

    /// A whole number from 0.
    mutating func int(_ value: JSONValue, _ pointer: Pointer) -> Int? {
        if let n = value.int, n >= 0 { return n }
        wrongType(value, "a whole number from 0", pointer)
        return nil
    }

    mutating func number(_ value: JSONValue, _ pointer: Pointer) -> Double? {
        if let n = value.double { return n }
        wrongType(value, "a number", pointer)
        return nil
    }

    mutating func string(_ value: JSONValue, _ pointer: Pointer) -> String? {
        if let s = value.string { return s }
        wrongType(value, "a string", pointer)
        return nil
    }

    /// Numbers, exactly `count` of them where that is said; empty for anything else.
    mutating func numbers(_ value: JSONValue, _ count: Int?, _ pointer: Pointer) -> [Double] {
        var out: [Double] = []
        for element in value.elements {
            guard let n = element.double else {
                wrongType(element, "a number", pointer)
                return []
            }
            out.append(n)
        }
        guard value.isArray, count == nil || out.count == count else {
            wrongType(value, count.map { "\($0) numbers" } ?? "numbers", pointer)
            return []
        }
        return out
    }

    mutating func indices(_ value: JSONValue, _ pointer: Pointer) -> [Int] {
        guard value.isArray else {
            wrongType(value, "an array", pointer)
            return []
        }
        var out: [Int] = []
        for element in value.elements { if let i = int(element, pointer) { out.append(i) } }
        return out
    }
}

/// Text files' first bytes.
enum GLTFText {
    static func hasMark(_ bytes: RawSpan) -> Bool {
        bytes.byteCount >= 3 && bytes.unsafeLoad(as: UInt8.self) == 0xEF
            && bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self) == 0xBB && bytes.unsafeLoad(fromByteOffset: 2, as: UInt8.self) == 0xBF
    }

    /// Whether the first bytes are an object that names `asset`, or one of the words that only glTF has.
    static func isGLTF(_ head: RawSpan) -> Bool {
        head.withUnsafeBytes { raw in
            var bytes = raw[...]
            if hasMark(head) { bytes = bytes.dropFirst(3) }
            bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            guard bytes.first == UInt8(ascii: "{") else { return false }
            bytes = bytes.dropFirst().drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            guard bytes.first == UInt8(ascii: "\"") || bytes.first == UInt8(ascii: "}") && bytes.count == 1 else { return false }
            let words: [StaticString] = [
                "\"asset\"", "\"accessors\"", "\"bufferViews\"", "\"buffers\"", "\"extensionsUsed\"", "\"extensionsRequired\"", "\"meshes\"",
            ]
            return words.contains { contains(bytes, $0) }
        }
    }

    private static func contains(_ bytes: Slice<UnsafeRawBufferPointer>, _ word: StaticString) -> Bool {
        let n = word.utf8CodeUnitCount
        guard bytes.count >= n else { return false }
        for start in bytes.startIndex...(bytes.endIndex - n) where bytes[start] == UInt8(ascii: "\"") {
            var k = 1
            while k < n, bytes[start + k] == word.utf8Start[k] { k += 1 }
            if k == n { return true }
        }
        return false
    }
}
