import AssetIO
import AssetModel
import TestSupport
import Testing

enum ZipSupport {
    /// An archive by our own writer.
    static func archive(_ entries: [(String, [UInt8])]) throws -> [UInt8] {
        let output = MemoryOutput()
        let file = try output.create("a.zip")
        var writer = ZipWriter()
        for (name, bytes) in entries { try writer.add(name, FileBytes(name: name, bytes: bytes), to: file) }
        try writer.finish(file)
        return output["a.zip"]?.bytes ?? []
    }

    static func text(_ file: FileBytes) -> String { file.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    static func open(_ bytes: [UInt8], limits: ReadLimits = ReadLimits()) throws(AssetError) -> ZipArchive {
        try ZipArchive(FileBytes(name: "t.zip", bytes: bytes), limits: limits)
    }

    /// The code with which an archive is refused, nil where it is not.
    static func refusal(_ bytes: [UInt8], limits: ReadLimits = ReadLimits()) -> String? {
        do throws(AssetError) {
            let archive = try open(bytes, limits: limits)
            for entry in archive.entries { _ = try archive.contents(of: entry) }
            return nil
        } catch {
            return error.diagnostic.code
        }
    }

    static func contents(_ archive: ZipArchive, _ name: String) throws -> String {
        text(try archive.contents(of: try #require(archive.entry(name), "no \(name)")))
    }
}

@Suite struct ZipTests {
    typealias Entry = ZipBuilder.Entry

    @Test func plainArchive() throws {
        let bytes = ZipBuilder([Entry("a.txt", "alpha"), Entry("dir/", ""), Entry("dir/b.txt", ""), Entry("c", "gamma")]).bytes()
        let archive = try ZipSupport.open(bytes)
        #expect(archive.entries.map(\.name) == ["a.txt", "dir/", "dir/b.txt", "c"])
        #expect(archive.names == ["a.txt", "dir/b.txt", "c"])
        #expect(try ZipSupport.contents(archive, "a.txt") == "alpha")
        #expect(try ZipSupport.contents(archive, "dir/b.txt") == "")
        #expect(try ZipSupport.contents(archive, "./c") == "gamma")
        #expect(archive.entry("dir/") == nil)
        #expect(archive.issues == [])
        let first = archive.entries[0]
        #expect(first.isStored && !first.hasDataDescriptor && !first.isEncrypted)
        #expect((first.headerOffset, first.dataOffset, first.size) == (0, 35, 5))
        #expect(first.alignment == 1)
        #expect(try archive.hasRightChecksum(first))
        #expect(try archive.contents(of: first).name == "t.zip[a.txt]")
        #expect(archive.head(of: first, count: 3) == Array("alp".utf8))
        #expect(archive.head(of: first, count: 30) == Array("alpha".utf8))
    }

    @Test func emptyArchive() throws { #expect(try ZipSupport.open(ZipBuilder([]).bytes()).entries == []) }

    @Test func deflatedDescriptorAndZip64() throws {
        let long = String(repeating: "0123456789", count: 20_000)
        var builder = ZipBuilder([
            Entry("d", long) { $0.isDeflated = true }, Entry("s", "stored") { $0.hasDescriptor = true },
            Entry("both", "both") { ($0.isDeflated, $0.hasDescriptor) = (true, true) }, Entry("w", "wide") { $0.isZip64 = true },
        ])
        for isZip64 in [false, true] {
            builder.isZip64 = isZip64
            let archive = try ZipSupport.open(builder.bytes())
            #expect(try ZipSupport.contents(archive, "d") == long)
            #expect(try ZipSupport.contents(archive, "s") == "stored")
            #expect(try ZipSupport.contents(archive, "both") == "both")
            #expect(try ZipSupport.contents(archive, "w") == "wide")
            #expect(archive.entries.map(\.hasDataDescriptor) == [false, true, true, false])
            #expect(archive.entries.map(\.isStored) == [false, true, false, true])
            #expect(archive.head(of: archive.entries[0], count: 12) == Array("012345678901".utf8))
            #expect(archive.issues == [])
        }
    }

    @Test func bytesAroundTheArchive() throws {
        var builder = ZipBuilder([Entry("a", "alpha"), Entry("b", "beta")])
        builder.prefix = Array("#!/bin/sh\n".utf8)
        builder.comment = Array("PK\u{5}\u{6} is only a comment".utf8)
        builder.suffix = [0, 0, 0]
        let archive = try ZipSupport.open(builder.bytes())
        #expect(try ZipSupport.contents(archive, "b") == "beta")
        #expect(Set(archive.issues.map(\.kind)) == [.prependedData, .archiveComment, .appendedData])
        #expect(archive.entries[0].headerOffset == 10)
        builder.isZip64 = true
        #expect(try ZipSupport.contents(ZipSupport.open(builder.bytes()), "b") == "beta")
    }

    @Test func entriesComeInTheFilesOrder() throws {
        var builder = ZipBuilder([Entry("first", "1"), Entry("second", "2")])
        builder.isDirectoryReversed = true
        #expect(try ZipSupport.open(builder.bytes()).entries.map(\.name) == ["first", "second"])
    }

    @Test func names() throws {
        var old = Entry("x", "old")
        old.name = [0x81, 0x62, 0x65, 0x72]
        var unicode = Entry("y", "unicode")
        unicode.name = [0x84]
        let path = Array("日本.usda".utf8)
        let crc = ZipBuilder.crc32(unicode.name)
        unicode.extra =
            [0x75, 0x70, UInt8(path.count + 5), 0, 1] + (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * UInt32($0))) } + path
        let bytes = ZipBuilder([
            old, unicode, Entry("größe.png", "flagged") { $0.flags = 0x800 }, Entry("größer.png", "not flagged"),
            Entry("././dot.png", "dot"), Entry("sub\\file.png", "backslash"), Entry("twice", "1"), Entry("twice", "2"), Entry("../out", "x"),
            Entry("/abs", "x"),
            Entry("a/../../b", "x"), Entry("C:/x", "x"),
        ]).bytes()
        let archive = try ZipSupport.open(bytes)
        #expect(try ZipSupport.contents(archive, "über") == "old")
        #expect(try ZipSupport.contents(archive, "日本.usda") == "unicode")
        #expect(try ZipSupport.contents(archive, "größe.png") == "flagged")
        #expect(try ZipSupport.contents(archive, "größer.png") == "not flagged")
        #expect(try ZipSupport.contents(archive, "sub/file.png") == "backslash")
        #expect(try ZipSupport.contents(archive, "twice") == "1")
        #expect(archive.names.contains("dot.png"))
        for unsafe in ["../out", "/abs", "a/../../b", "C:/x"] { #expect(archive.entry(unsafe) == nil) }
        #expect(archive.issues.filter { $0.kind == .unsafeName }.count == 4)
        #expect(archive.issues.filter { $0.kind == .duplicateName }.map(\.entry) == ["twice"])
        #expect(archive.issues.filter { $0.kind == .backslashName }.count == 1)
    }

    @Test func localHeadersThatDisagree() throws {
        var entry = Entry("a", "alpha")
        entry.localName = [0x62]
        entry.statedMethod = nil
        let archive = try ZipSupport.open(ZipBuilder([entry]).bytes())
        #expect(archive.issues.map(\.kind) == [.headerMismatch])
        #expect(try ZipSupport.contents(archive, "a") == "alpha")
    }

    @Test func refusals() throws {
        func one(_ change: (inout Entry) -> Void) -> [UInt8] { ZipBuilder([Entry("a", "alpha", change), Entry("b", "beta")]).bytes() }
        #expect(ZipSupport.refusal(one { _ in }) == nil)
        #expect(ZipSupport.refusal([]) == "zip.no-central-directory")
        #expect(ZipSupport.refusal(Array("PK\u{3}\u{4}".utf8)) == "zip.no-central-directory")
        #expect(ZipSupport.refusal(one { $0.flags = 1 }) == "zip.encrypted")
        #expect(ZipSupport.refusal(one { $0.statedMethod = 12 }) == "zip.unsupported-method")
        // The local header keeps the true size.
        #expect(ZipSupport.refusal(one { $0.statedSize = 4 }) == "zip.size-mismatch")
        #expect(ZipSupport.refusal(one { ($0.hasDescriptor, $0.statedSize) = (true, 4) }) == "zip.size-mismatch")
        #expect(ZipSupport.refusal(one { $0.statedPackedSize = 4_000_000_000 }) == "zip.out-of-range")
        #expect(ZipSupport.refusal(one { $0.statedOffset = 4_000_000_000 }) == "zip.out-of-range")
        #expect(ZipSupport.refusal(one { $0.statedOffset = 3 }) == "zip.no-local-header")
        #expect(ZipSupport.refusal(one { ($0.isDeflated, $0.statedCRC) = (true, 1) }) == "zip.bad-checksum")
        #expect(ZipSupport.refusal(one { ($0.isDeflated, $0.hasDescriptor, $0.statedSize) = (true, true, 4) }) == "zip.bad-deflate")
        #expect(ZipSupport.refusal(one { ($0.isDeflated, $0.hasDescriptor, $0.statedSize) = (true, true, 6) }) == "zip.bad-deflate")
        #expect(ZipSupport.refusal(one { $0.statedMethod = 8 }) == "zip.bad-deflate")
        // Ten bytes do not unpack to a gigabyte, whatever they are.
        #expect(ZipSupport.refusal(one { ($0.isDeflated, $0.statedSize) = (true, 1 << 30) }) == "zip.size-mismatch")
        #expect(ZipSupport.refusal(one { ($0.isZip64, $0.isDeflated, $0.statedSize) = (true, true, 1 << 31) }) == "zip.size-mismatch")

        // Both entries over the same bytes.
        var overlapping = ZipBuilder([Entry("a", "alpha"), Entry("b", "bravo")])
        overlapping.entries[1].statedOffset = 0
        #expect(ZipSupport.refusal(overlapping.bytes()) == "zip.overlapping-entries")

        var builder = ZipBuilder([Entry("a", "alpha"), Entry("b", "beta")])
        builder.statedCount = 60_000
        #expect(ZipSupport.refusal(builder.bytes()) == "zip.bad-entry-count")
        builder.statedCount = 1
        #expect(ZipSupport.refusal(builder.bytes()) == "zip.bad-entry-count")
        builder.statedCount = nil
        builder.statedDirectoryOffset = 1 << 30
        #expect(ZipSupport.refusal(builder.bytes()) == "zip.directory-out-of-range")
        builder.statedDirectoryOffset = nil
        builder.statedDirectorySize = 1 << 30
        #expect(ZipSupport.refusal(builder.bytes()) == "zip.directory-out-of-range")
    }

    @Test func refusalsSayWhere() throws {
        var builder = ZipBuilder([Entry("a", "alpha"), Entry("b", "beta")])
        builder.entries[1].statedOffset = 3
        let error = #expect(throws: AssetError.self) { try ZipSupport.open(builder.bytes()) }
        #expect(error?.diagnostic.location == SourceLocation(file: "t.zip", position: .byteOffset(3)))
        #expect(error?.diagnostic.message.contains("'b'") == true)
    }

    @Test func limits() throws {
        var limits = ReadLimits()
        limits.unpackedBytes = 4
        #expect(ZipSupport.refusal(ZipBuilder([Entry("a", "alpha") { $0.isDeflated = true }]).bytes(), limits: limits) == "limit.unpacked-bytes")
        limits.packageEntries = 1
        #expect(ZipSupport.refusal(ZipBuilder([Entry("a", ""), Entry("b", "")]).bytes(), limits: limits) == "limit.package-entries")
    }

    /// Without a limit of one's own all members together unpack to no more than their package's size allows.
    @Test func whatAllUnpackToIsInProportion() throws {
        // Said to be 350 MB each: nothing of that size is made for what is refused before or turns out to be damaged.
        func large(_ name: String) -> Entry {
            var entry = Entry(name, [UInt8](repeating: 0, count: 400_000))
            entry.isDeflated = true
            entry.hasDescriptor = true
            entry.statedSize = 350_000_000
            return entry
        }
        let bytes = ZipBuilder([large("a"), large("b")]).bytes()
        func code(_ archive: ZipArchive, _ name: String) throws -> String? {
            let entry = try #require(archive.entry(name))
            return #expect(throws: AssetError.self) { try archive.contents(of: entry) }?.diagnostic.code
        }
        let archive = try ZipSupport.open(bytes)
        #expect(try code(archive, "a") == "zip.bad-deflate")
        #expect(try code(archive, "b") == "limit.unpacked-bytes")
        #expect(try code(archive, "a") == "zip.bad-deflate")
        var limits = ReadLimits()
        limits.unpackedBytes = 1 << 30
        let raised = try ZipSupport.open(bytes, limits: limits)
        #expect(try code(raised, "a") == "zip.bad-deflate")
        #expect(try code(raised, "b") == "zip.bad-deflate")
        // Packages within a package share what it may.
        let outer = try ZipSupport.open(ZipBuilder([Entry("one", bytes), Entry("two", bytes)]).bytes())
        for (inner, expected) in [("one", "zip.bad-deflate"), ("two", "limit.unpacked-bytes")] {
            let entry = try #require(outer.entry(inner))
            let nested = try ZipArchive(outer.contents(of: entry), limits: ReadLimits(), within: outer)
            #expect(try code(nested, "a") == expected)
        }
    }

    @Test func everyTruncationIsRefused() {
        var builder = ZipBuilder([Entry("a", "alpha") { $0.isDeflated = true }, Entry("b/c", "beta") { $0.hasDescriptor = true }, Entry("w", "w")])
        for isZip64 in [false, true] {
            builder.isZip64 = isZip64
            let bytes = builder.bytes()
            for length in Mutations.truncationLengths(bytes.count) where ZipSupport.refusal(Array(bytes[..<length])) == nil {
                Issue.record("cut at \(length) of \(bytes.count) is read")
            }
        }
    }

    @Test func bitFlipsNeverTrap() {
        var builder = ZipBuilder([Entry("a", "alpha") { $0.isDeflated = true }, Entry("b/c", "beta") { $0.hasDescriptor = true }, Entry("w", "w")])
        builder.entries[2].isZip64 = true
        builder.isZip64 = true
        let bytes = builder.bytes()
        var refused = 0
        for bit in 0..<(bytes.count * 8) where ZipSupport.refusal(Mutations.flippingBit(bit, of: bytes)) != nil { refused += 1 }
        #expect(refused > bytes.count)
        var random = SplitMix64(seed: 21)
        for _ in 0..<3_000 { _ = ZipSupport.refusal(Mutations.edited(bytes, edits: 6, using: &random)) }
    }

    @Test func writerAlignsAndIsRead() throws {
        var random = SplitMix64(seed: 4)
        var entries: [(String, [UInt8])] = []
        for k in 0..<40 { entries.append(("folder/name-\(String(repeating: "x", count: k))ü.bin", random.bytes(random.int(in: 0...300)))) }
        let bytes = try ZipSupport.archive(entries)
        let archive = try ZipSupport.open(bytes)
        #expect(archive.issues == [])
        #expect(archive.entries.map(\.name) == entries.map(\.0))
        for (entry, (_, expected)) in zip(archive.entries, entries) {
            #expect(entry.dataOffset % 64 == 0)
            #expect(try archive.contents(of: entry).withUnsafeBytes { Array($0) } == expected)
            #expect(try archive.hasRightChecksum(entry))
        }
        #expect(try ZipSupport.archive(entries) == bytes)
    }

    @Test(arguments: ["", "../a", "/a", "a/", "x"])
    func writerRefusesNames(_ name: String) throws {
        let file = try MemoryOutput().create("a.zip")
        var writer = ZipWriter()
        try writer.add("x", FileBytes(name: "x", bytes: []), to: file)
        let error = #expect(throws: AssetError.self) { try writer.add(name, FileBytes(name: "x", bytes: []), to: file) }
        #expect(error?.diagnostic.code == "zip.bad-name")
    }
}
