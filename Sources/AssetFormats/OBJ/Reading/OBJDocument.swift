import AssetIO
import AssetModel

/// What an OBJ file holds.
struct OBJDocument: Document {
    let tables: OBJTables
    private let wantsPrimvars: Bool

    /// Throws `obj.not-obj` where no line is a statement of OBJ.
    init(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) {
        var file = file
        if let text = OBJSniffing.fromUTF16(file) {
            context.diagnostics.warning("obj.utf-16", "the text is UTF-16, expected UTF-8", at: file.location(0))
            file = text
        }
        guard OBJSniffing.mayBeText(file) else {
            throw AssetError("obj.not-obj", "zeros and no end of a line at its beginning, expected text", at: file.location(0))
        }
        wantsPrimvars = context.options.wantsMeshPrimvars
        tables = try OBJTables(file, wantsPrimvars: wantsPrimvars)
        guard tables.hasStatements else {
            throw AssetError(
                "obj.not-obj", file.count == 0 ? "the file is empty" : "no line is a statement of OBJ", at: SourceLocation(file: file.name))
        }
    }

    func scene(_ context: inout ReadContext) throws(AssetError) -> Scene {
        var builder = OBJToScene(tables, wantsPrimvars: wantsPrimvars)
        return try builder.scene(&context)
    }
}

enum OBJSniffing {
    private static let certain: Set<String> = ["v", "vn", "vt", "f", "mtllib", "usemtl"]
    private static let known = certain.union(["o", "g", "s", "l", "p", "vp"])

    /// Whether every statement within the first bytes is one of OBJ, and one is a vertex, a face or a library.
    static func isOBJ(_ head: UnsafeRawBufferPointer) -> Bool {
        var isCertain = false
        let isWhole = head.count < FormatRegistry.headCount
        let lines = head.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        for (i, line) in lines.enumerated() where isWhole || i + 1 < lines.count {
            var words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).makeIterator()
            guard let key = words.next(), key.first != UInt8(ascii: "#") else { continue }
            guard key.count <= 6 else { return false }
            let word = String(decoding: key, as: UTF8.self)
            guard known.contains(word) else { return false }
            if certain.contains(word), words.next() != nil { isCertain = true }
        }
        return isCertain
    }

    /// Whether the first bytes of a large file have an end of a line, or no zero: otherwise all of it would be taken for one line.
    static func mayBeText(_ file: FileBytes) -> Bool {
        if file.count < 1 << 20 { return true }
        return file.withUnsafeBytes { bytes in
            let head = bytes.prefix(FormatRegistry.headCount)
            return head.contains { $0 == 0x0A || $0 == 0x0D } || !head.contains(0)
        }
    }

    /// Text of two bytes a letter, told by its mark, as UTF-8; nil where it is none.
    static func fromUTF16(_ file: FileBytes) -> FileBytes? {
        file.withUnsafeBytes { raw in
            guard raw.count >= 2 else { return nil }
            let isBig = raw[0] == 0xFE && raw[1] == 0xFF
            guard isBig || raw[0] == 0xFF && raw[1] == 0xFE else { return nil }
            let units = (1..<(raw.count / 2)).lazy.map { i -> UInt16 in
                let (a, b) = (UInt16(raw[2 * i]), UInt16(raw[2 * i + 1]))
                return isBig ? a << 8 | b : b << 8 | a
            }
            return FileBytes(name: file.name, bytes: Array(String(decoding: units, as: UTF16.self).utf8))
        }
    }
}
