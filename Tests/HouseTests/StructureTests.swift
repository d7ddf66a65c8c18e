import TestSupport
import Testing

/// The rules of docs/architecture.md that a compiler does not check: who may know whom, who may touch the world outside,
/// and what no source file may hold.
@Suite struct StructureTests {
    static let system: Set<String> = ["Glibc", "Musl", "Darwin"]

    /// What each room may import, besides what every Swift program has.
    static let mayImport: [String: Set<String>] = [
        "AssetModel": [],
        "AssetIO": ["AssetModel", "CZlib", "Synchronization"],
        "AssetOps": ["AssetModel"],
        "AssetImages": ["AssetModel", "CPNG", "CTurboJPEG"],
        "AssetFormats": ["AssetModel", "AssetIO", "AssetOps", "AssetImages", "CSimdJSON", "CDraco", "CMeshopt"],
        "AssetUSD": ["AssetModel", "AssetIO", "AssetOps", "AssetImages", "CLZ4"],
        "Facet": ["AssetModel", "AssetIO", "AssetOps", "AssetFormats", "AssetUSD"],
        "AssetCommands": ["AssetModel", "AssetIO", "AssetOps", "Facet"],
        "FacetCLI": ["AssetModel", "AssetIO", "AssetCommands", "Facet"],
    ]

    static func sources(_ folder: String = "Sources/") throws -> [SourceFile] {
        try SourceFile.all.get().filter { $0.path.hasPrefix(folder) }
    }

    @Test func everyRoomKnowsOnlyTheRoomsBelowIt() throws {
        var violations: [String] = []
        for file in try Self.sources() {
            let allowed = try #require(Self.mayImport[file.module], "\(file.module) is missing from the table of this test")
            for module in file.imports
            where !allowed.contains(module) && !Self.system.contains(module) && !["Dispatch", "Synchronization"].contains(module) {
                violations.append("\(file.path) imports \(module)")
            }
        }
        #expect(violations == [])
    }

    @Test func theModelTouchesTheSystemInItsMathematicsOnly() throws {
        let importers = try Self.sources("Sources/AssetModel/").filter { !$0.imports.isEmpty }.map(\.path)
        #expect(importers.allSatisfy { $0.hasPrefix("Sources/AssetModel/Math/") })
    }

    @Test func aCLibraryIsImportedByOneRoom() throws {
        var importers: [String: Set<String>] = [:]
        for file in try Self.sources() {
            for module in file.imports where module.hasPrefix("C") { importers[module, default: []].insert(file.module) }
        }
        #expect(importers.allSatisfy { $0.value.count == 1 })
    }

    @Test func onlyTheDoorsOpenFiles() throws {
        let calls = ["open(", "fopen(", "openat(", "opendir(", "mmap(", "mkstemp(", "rename(", "unlink(", "O_RDONLY", "O_CREAT"]
        var violations: [String] = []
        for file in try Self.sources() where !file.imports.filter(Self.system.contains).isEmpty {
            let isDoor = ["FileBytes", "Resolver", "Output"].contains { file.path.hasPrefix("Sources/AssetIO/") && file.path.contains($0) }
            if !isDoor { violations += file.uses(of: calls) }
        }
        #expect(violations == [])
    }

    @Test func onlyThePrintersPrint() throws {
        let ownPrint = Set(try Self.sources().filter { !$0.uses(of: ["func print("]).isEmpty }.map(\.module))
        let calls = ["print(", "debugPrint(", "dump(", "fputs(", "puts(", "printf(", "fwrite(", "stdout", "stderr", "STDOUT_FILENO", "STDERR_FILENO"]
        var violations: [String] = []
        for file in try Self.sources() {
            if file.path == "Sources/FacetCLI/main.swift" || file.path.hasPrefix("Sources/AssetCommands/") { continue }
            // A room's types may have a `print` of their own.
            violations += file.uses(of: ownPrint.contains(file.module) ? Array(calls.dropFirst()) : calls)
        }
        #expect(violations == [])
    }

    @Test func noSourceFileTrapsOnPurpose() throws {
        let banned = ["try!", "as!", "fatalError(", "preconditionFailure(", "unsafeBitCast(", "@unchecked"]
        let violations = try Self.sources().flatMap { $0.uses(of: banned) }
        #expect(violations == [])
    }

    @Test func nothingStandsOnFoundation() throws {
        let all = try SourceFile.all.get()
        #expect(all.filter { $0.imports.contains { $0.hasPrefix("Foundation") } }.map(\.path) == [])
    }

    @Test func sourceFilesStayShort() throws {
        let long = try Self.sources().filter { $0.lineCount > 600 }.map { "\($0.path): \($0.lineCount) lines" }
        #expect(long == [])
    }

    @Test func everyFormatFolderIsRegistered() throws {
        for folder in Repository.folders(in: "Sources/AssetFormats") {
            let list = try SourceFile("Sources/AssetFormats/BuiltinFormats.swift")
            let type = folder + "Format"
            #expect(Repository.files(under: "Sources/AssetFormats/\(folder)").contains("Sources/AssetFormats/\(folder)/\(type).swift"))
            #expect(!list.uses(of: [type + "("]).isEmpty, "\(type) is missing from BuiltinFormats.swift")
        }
    }

    @Test func formatsDoNotKnowEachOther() throws {
        let folders = Repository.folders(in: "Sources/AssetFormats")
        var violations: [String] = []
        for folder in folders {
            let others = folders.filter { $0 != folder }.flatMap { ["\($0)Format", "\($0)Document", "\($0)Reader", "\($0)Writer"] }
            violations += try Self.sources("Sources/AssetFormats/\(folder)/").flatMap { $0.uses(of: others) }
        }
        #expect(violations == [])
    }

    @Test func everyRoomHasTests() {
        let rooms = Repository.folders(in: "Sources").filter { $0.hasPrefix("Asset") }
        let tested = Repository.folders(in: "Tests")
        #expect(rooms.filter { !tested.contains($0 + "Tests") } == [])
    }

    /// Text that any editor shows alike, and that tells nothing about the machine it was written on.
    @Test func textFilesAreClean() throws {
        let places = ["home", "root", "Users", "work"].map { "/\($0)/" }
        let binary = [".usdz", ".usdc", ".stl", ".ply", ".png", ".jpg", ".jpeg", ".exr", ".bin", ".zip"]
        var violations: [String] = []
        let folders = ["Sources", "Tests", "docs", "scripts", "Assets"]
        let files = folders.flatMap { Repository.files(under: $0) } + ["README.md", "Makefile", "Package.swift", ".ci/run"]
        for path in files where !binary.contains(where: path.hasSuffix) && !path.contains("Fixtures/") {
            let bytes = try Repository.bytes(path)
            if bytes.contains(13) { violations.append("\(path): carriage return") }
            if let last = bytes.last, last != 10 { violations.append("\(path): no line break at the end") }
            for blank in [" \n", "\t\n"] {
                violations += bytes.positions(of: blank).map { "\(path):\(bytes.line(of: $0)): blanks at the end of the line" }
            }
            if path.hasSuffix(".swift") { violations += bytes.positions(of: "\t").map { "\(path):\(bytes.line(of: $0)): tab" } }
            for place in places {
                violations += bytes.positions(of: place).map { "\(path):\(bytes.line(of: $0)): a path of one machine" }
            }
        }
        #expect(violations == [])
    }

    @Test func blankingLeavesOnlyCode() {
        let source = "a // try!\n\"try! \\\" x\" b /* c /* d */ e */ f\n\"\"\"\ntry!\n\"\"\" g\n"
        let code = String(decoding: SourceFile.blanked(Array(source.utf8)), as: UTF8.self)
        #expect(code.split(whereSeparator: { $0 == " " || $0 == "\n" }) == ["a", "b", "f", "g"])
        #expect(code.filter { $0 == "\n" }.count == source.filter { $0 == "\n" }.count)
    }
}
