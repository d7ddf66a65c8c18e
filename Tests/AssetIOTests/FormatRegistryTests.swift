import AssetIO
import AssetModel
import Testing

private struct MarkedFormat: Format {
    var info: FormatInfo
    var mark: String

    init(_ id: String, extensions: [String], mark: String, canRead: Bool = true) {
        info = FormatInfo(id: id, name: "\(id) files", fileExtensions: extensions, canRead: canRead, canWrite: false)
        self.mark = mark
    }

    func recognizes(_ head: RawSpan) -> Bool {
        !mark.isEmpty && head.withUnsafeBytes { $0.starts(with: mark.utf8) }
    }
}

@Suite struct FormatRegistryTests {
    private let registry = FormatRegistry([
        MarkedFormat("aaa", extensions: ["aa", "a"], mark: "AAA"), MarkedFormat("aab", extensions: ["ab"], mark: "AA"),
        MarkedFormat("txt", extensions: ["txt"], mark: ""), MarkedFormat("out", extensions: ["out"], mark: "OUT", canRead: false),
    ])

    private func recognise(_ name: String, _ text: String, forced: String? = nil) throws -> (id: String, codes: [String]) {
        var diagnostics = Diagnostics()
        let format = try registry.recognize(FileBytes(name: name, bytes: Array(text.utf8)), forced: forced, diagnostics: &diagnostics)
        return (format.info.id, diagnostics.entries.map(\.code))
    }

    @Test func contentDecides() throws {
        #expect(try recognise("x.aa", "AAA!") == ("aaa", []))
        #expect(try recognise("x.A", "AAA!") == ("aaa", []))
        #expect(try recognise("x", "AAA!") == ("aaa", []))
        #expect(try recognise("x.txt", "AAA!") == ("aaa", ["format.misleading-extension"]))
        #expect(try recognise("x.zip", "AAA!") == ("aaa", ["format.misleading-extension"]))
        // Two formats take the bytes: the name decides between them.
        #expect(try recognise("x.ab", "AAA!") == ("aab", []))
        #expect(try recognise("p.usdz[dir/x.aa]", "AAA!") == ("aaa", []))
        #expect(try recognise("x.txt", "free text") == ("txt", []))
        #expect(try recognise("x.aa", "other") == ("aaa", []))
        #expect(try recognise("x.aa", "AAA!", forced: "txt") == ("txt", []))
    }

    @Test func failures() {
        func failure(_ name: String, _ text: String, forced: String? = nil) -> Diagnostic? {
            #expect(throws: AssetError.self) { try recognise(name, text, forced: forced) }?.diagnostic
        }
        #expect(failure("x.aa", "")?.code == "format.empty-file")
        #expect(failure("x.aa", "AAA", forced: "zzz")?.code == "format.unknown-name")
        let unknown = failure("x.out", "OUT of luck")
        #expect(unknown?.code == "format.unknown")
        #expect(
            unknown?.message
                == "neither content (text that begins 'OUT of luck') nor name is of a known format; known extensions are .aa, .a, .ab, .txt")
        #expect(failure("x.zip", "PK\u{3}\u{4}")?.message.contains("a zip archive") == true)
        #expect(failure("x.bin", "\u{1}\u{2}")?.message.contains("bytes 01 02") == true)
    }
}
