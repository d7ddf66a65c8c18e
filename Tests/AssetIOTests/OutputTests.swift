import AssetIO
import AssetModel
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct OutputTests {
    private func put(_ sink: some OutputSink, _ name: String, _ text: String) throws {
        let file = try sink.create(name)
        try file.write(text)
        #expect(file.count == text.utf8.count)
        try file.close()
    }

    private func code(_ body: () throws -> Void) -> String? {
        #expect(throws: AssetError.self) { try body() }?.diagnostic.code
    }

    @Test func filesAppearOnCommitOnly() throws {
        let folder = try TemporaryFolder()
        try folder.write("out/note", "x")
        let output = try DiskOutput(folder.path + "/out/chair.obj")
        try put(output, "chair.obj", "v 0 0 0\n")
        try put(output, "chair.mtl", "newmtl m\n")
        try put(output, "textures/a.png", String(repeating: "x", count: 3 << 20))
        #expect(folder.contents.filter { !$0.hasSuffix("/") && !$0.contains(".tmp") } == ["out/note"])
        try output.commit()
        #expect(folder.contents == ["out/", "out/chair.mtl", "out/chair.obj", "out/note", "out/textures/", "out/textures/a.png"])
        #expect(try folder.text("out/chair.obj") == "v 0 0 0\n")
        #expect(try folder.text("out/textures/a.png").utf8.count == 3 << 20)
        output.discard()
        #expect(folder.contents.count == 6)
    }

    @Test func discardRemovesEverything() throws {
        let folder = try TemporaryFolder()
        try folder.write("keep/x", "x")
        do {
            let output = try DiskOutput(folder.path + "/keep/chair.obj")
            try put(output, "chair.obj", "v\n")
            _ = try output.create("textures/deep/a.png")
            output.discard()
            #expect(folder.contents == ["keep/", "keep/x"])
            #expect(code { _ = try output.create("late") } == "output.interrupted")
            #expect(code { try output.commit() } == "output.interrupted")
        }
        do {
            // Never committed: the same when it is let go.
            let output = try DiskOutput(folder.path + "/keep/chair.obj")
            try put(output, "b/chair.mtl", "v\n")
        }
        #expect(folder.contents == ["keep/", "keep/x"])
    }

    @Test func existingFilesAreKept() throws {
        let folder = try TemporaryFolder()
        try folder.write("chair.obj", "old")
        #expect(code { _ = try DiskOutput(folder.path + "/chair.obj") } == "output.exists")
        try folder.write("same.png", "same")
        try folder.write("other.png", "mine")
        do {
            let output = try DiskOutput(folder.path + "/new.obj")
            try put(output, "new.obj", "v\n")
            try put(output, "fresh.png", "fresh")
            try put(output, "same.png", "same")
            try put(output, "other.png", "theirs")
            #expect(code { try output.commit() } == "output.exists")
        }
        #expect(folder.contents == ["chair.obj", "other.png", "same.png"])
        #expect(try folder.text("other.png") == "mine")
        do {
            let output = try DiskOutput(folder.path + "/new.obj")
            try put(output, "new.obj", "v\n")
            try put(output, "same.png", "same")
            try output.commit()
        }
        #expect(folder.contents == ["chair.obj", "new.obj", "other.png", "same.png"])
    }

    @Test func overwriting() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.obj", "old")
        try folder.write("a.mtl", "old")
        let output = try DiskOutput(folder.path + "/a.obj", overwrite: true)
        try put(output, "a.obj", "new")
        try put(output, "a.mtl", "new too")
        #expect(try folder.text("a.obj") == "old")
        try output.commit()
        #expect(folder.contents == ["a.mtl", "a.obj"])
        #expect(try folder.text("a.obj") == "new")
        #expect(try folder.text("a.mtl") == "new too")
    }

    /// The main file cannot be put in place: what was replaced before it comes back.
    @Test func aFailedCommitPutsEverythingBack() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.mtl", "old")
        let output = try DiskOutput(folder.path + "/a.obj", overwrite: true)
        try put(output, "a.obj", "new")
        try put(output, "a.mtl", "new")
        try put(output, "tex/t.png", "new")
        try folder.write("a.obj/in-the-way", "x")
        #expect(code { try output.commit() } == "output.cannot-rename")
        #expect(folder.contents == ["a.mtl", "a.obj/", "a.obj/in-the-way"])
        #expect(try folder.text("a.mtl") == "old")
    }

    @Test func onePlaceUnderSeveralNames() throws {
        let folder = try TemporaryFolder()
        try folder.write("a", "x")
        try folder.write("b", "x")
        let known = FileIdentities()
        known.insert(folder.path + "/a")
        known.insert(folder.path + "/none")
        #expect(known.contains(folder.path + "/./a"))
        #expect(!known.contains(folder.path + "/b"))
        #expect(!known.contains(folder.path + "/none"))
    }

    /// What is read after the output was begun is kept all the same.
    @Test func whatIsReadLaterIsNotReplaced() throws {
        let folder = try TemporaryFolder()
        try folder.write("in.usda", "layer")
        let resolver = DiskResolver()
        let output = try DiskOutput(folder.path + "/in.usda", overwrite: true, keeping: resolver.opened)
        _ = try resolver.open(folder.path + "/in.usda")
        try put(output, "in.usda", "new")
        #expect(code { try output.commit() } == "output.is-the-input")
        #expect(try folder.text("in.usda") == "layer")
    }

    /// A device may never end.
    @Test(arguments: ["/dev/zero", "/dev/null"]) func devicesAreNotRead(_ path: String) {
        #expect(code { _ = try FileBytes(mapping: path) } == "io.is-a-device")
    }

    @Test func whatWasReadIsNotReplaced() throws {
        let folder = try TemporaryFolder()
        try folder.write("in.usda", "layer")
        try folder.write("texture.png", "picture")
        let resolver = DiskResolver()
        _ = try resolver.open(folder.path + "/in.usda")
        _ = try resolver.open(folder.path + "/./texture.png")
        // As the main file or beside it, by any name.
        for (main, side) in [("in.usda", "a.mtl"), ("out.obj", "texture.png")] {
            let refused = code {
                let output = try DiskOutput(folder.path + "/" + main, overwrite: true, keeping: resolver.opened)
                // A main file is refused before there is any work.
                #expect(main == "out.obj")
                try put(output, main, "new")
                try put(output, side, "new")
                try output.commit()
            }
            #expect(refused == "output.is-the-input")
            #expect(folder.contents == ["in.usda", "texture.png"])
            #expect(try folder.text("in.usda") == "layer" && folder.text("texture.png") == "picture")
        }
        // A file that is the same anyway stays.
        let same = try DiskOutput(folder.path + "/out.obj", overwrite: true, keeping: resolver.opened)
        try put(same, "out.obj", "new")
        try put(same, "texture.png", "picture")
        try same.commit()
        #expect(folder.contents == ["in.usda", "out.obj", "texture.png"])
    }

    /// Who asks for what is the standard anyway has asked for it.
    @Test func limitsThatWereSetAreKnown() {
        var limits = ReadLimits()
        #expect(!limits.primsWereSet && !limits.arcsWereSet)
        limits.prims = ReadLimits().prims
        #expect(limits.primsWereSet && !limits.arcsWereSet)
        limits.arcs = ReadLimits().arcs
        #expect(limits.arcsWereSet)
    }

    /// Nobody may ever write to a pipe that a file names.
    @Test func pipesAreNotWaitedFor() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(code { _ = try FileBytes(mapping: path) } == "io.is-a-pipe")
        #expect(code { _ = try DiskResolver().open(path) } == "io.is-a-pipe")
    }

    @Test func placesThatCannotBe() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "x")
        #expect(code { _ = try DiskOutput(folder.path) } == "output.is-a-directory")
        #expect(code { _ = try DiskOutput(folder.path + "/") } == "output.is-a-directory")
        #expect(code { _ = try DiskOutput("/dev/null", overwrite: true) } == "output.not-a-file")
        #expect(code { _ = try DiskOutput(folder.path + "/file/chair.obj") } == "output.no-folder")
        #expect(code { _ = try DiskOutput(folder.path + "/none/chair.obj") } == "output.no-folder")
        let beside = try DiskOutput(folder.path + "/chair.obj")
        #expect(code { _ = try beside.create("file/a.png") } == "output.not-a-directory")
        let open = try DiskOutput(folder.path + "/open.obj")
        _ = try open.create("open.obj")
        #expect(code { try open.commit() } == "output.not-closed")
        #expect(folder.contents == ["file"])
    }

    @Test(arguments: ["", "/a", "../a", "a/../b", "a//b", "./a", "a/", "a\\b", "a\nb", "a\u{0}b", String(repeating: "n", count: 256)])
    func unsafeNames(_ name: String) throws {
        let folder = try TemporaryFolder()
        let disk = try DiskOutput(folder.path + "/x.obj")
        #expect(code { _ = try disk.create(name) } == "output.unsafe-name")
        #expect(code { _ = try MemoryOutput().create(name) } == "output.unsafe-name")
        #expect(folder.contents == [])
    }

    /// The file that the user names is named as the user likes; only its neighbours keep to plain names.
    @Test(arguments: ["out\\slash.obj", "new\nline.obj", "\u{1B}[31m.obj", " .obj", "a:b?.obj"])
    func theMainFileMayHaveAnyName(_ name: String) throws {
        let folder = try TemporaryFolder()
        let disk = try DiskOutput(folder.path + "/" + name)
        try put(disk, name, "v")
        #expect(code { _ = try disk.create(name) } == "output.name-clash")
        try disk.commit()
        #expect(folder.contents == [name])
        try put(MemoryOutput(main: name), name, "v")
    }

    @Test func namesThatNoFileHas() throws {
        let folder = try TemporaryFolder()
        for name in [String(repeating: "n", count: 256), "a\u{0}b"] {
            #expect(code { _ = try DiskOutput(folder.path + "/" + name) } == "output.unsafe-name")
        }
        _ = try DiskOutput(folder.path + "/" + String(repeating: "n", count: 255))
    }

    @Test func namesClashIgnoringLetterCase() throws {
        let output = MemoryOutput()
        try put(output, "textures/Wood.png", "1")
        #expect(code { _ = try output.create("Textures/wood.PNG") } == "output.name-clash")
        try put(output, "b.mtl", "2")
        try output.commit()
        #expect(output.files.map(\.path) == ["textures/Wood.png", "b.mtl"])
        #expect(output["b.mtl"]?.text == "2")
        #expect(output.isCommitted)
    }

    @Test func streamsTakeOneFile() throws {
        let output = StreamOutput(descriptor: -1)
        try put(output, "a.stl", "solid")
        #expect(code { _ = try output.create("b.png") } == "output.several-files")
        #expect(code { try output.commit() } == "output.cannot-write")
        let dropped = StreamOutput(descriptor: -1)
        try put(dropped, "a.stl", "solid")
        dropped.discard()
        try dropped.commit()
    }
}
