import AssetIO
import AssetImages
import AssetModel
import AssetOps

/// The images that go beside an output: one file for each source image, bytes as they are, names safe and unique.
struct TextureCopies {
    struct Entry {
        /// Relative to the output: `textures/wood.png`.
        var path: String
        var channels: Int?
    }

    /// Beside the output, so that two outputs in one folder can share it.
    static let folder = "textures/"

    private let scene: Scene
    private let resolver: any AssetResolver
    private let isSkipped: Bool
    /// Bytes that an image may have.
    private let largest: Int
    private var renames = RenameList()
    /// The prefix of the codes of what is told, and the format's name in messages.
    private let code: String
    private let format: String
    private var names = UniqueNames()
    private var entries: [ID<Texture>: Entry?] = [:]
    private var bySource: [Texture.Source: Entry?] = [:]
    private var unnamedCount = 0
    /// What to write in the end, in order of first use.
    private var copies: [(path: String, source: Texture.Source)] = []
    /// Images that few readers know, written anew.
    private var recoded: [(path: String, bytes: [UInt8])] = []
    var usedTextureCount: Int { entries.count }

    init(_ scene: Scene, _ resolver: any AssetResolver, isSkipped: Bool, largest: Int, code: String, format: String) {
        self.largest = largest
        (self.code, self.format) = (code, format)
        self.scene = scene
        self.resolver = resolver
        self.isSkipped = isSkipped
        for texture in scene.textures { names.announce(Self.fileName(texture)) }
    }

    /// The output's name for a texture, or nil where there is none: missing (the reader has said so), not an image, skipped.
    mutating func entry(_ id: ID<Texture>, usedBy material: Material, _ diagnostics: inout Diagnostics) -> Entry? {
        if let known = entries[id] { return known }
        let made = make(scene.textures[id], usedBy: material, &diagnostics)
        entries[id] = .some(made)
        return made
    }

    private mutating func make(_ texture: Texture, usedBy material: Material, _ diagnostics: inout Diagnostics) -> Entry? {
        let location = SourceLocation(file: scene.source.file, primPath: material.path)
        if texture.authoredPath.contains("<UDIM>") {
            diagnostics.warning(
                "\(code).lost.udim", "image tiles \(texture.authoredPath) are not written: \(format) has one image a map", at: location)
            return nil
        }
        if case .missing = texture.source { return nil }
        if isSkipped { return nil }
        // However its path is spelled: one file is one image.
        var source = texture.source
        if case .file(let path) = source { source = .file(resolver.absolute(path)) }
        if let known = bySource[source] { return known }
        let made = copy(texture, location, &diagnostics)
        bySource[source] = .some(made)
        return made
    }

    private mutating func copy(_ texture: Texture, _ location: SourceLocation, _ diagnostics: inout Diagnostics) -> Entry? {
        let bytes: FileBytes
        do throws(AssetError) {
            bytes = try open(texture.source)
        } catch {
            diagnostics.warning("\(code).lost.texture", "\(texture.authoredPath): \(error.diagnostic.message)", at: location)
            return nil
        }
        guard bytes.count <= largest else {
            diagnostics.warning(
                "\(code).lost.texture",
                "\(texture.authoredPath) is not copied: it has \(amount(bytes.count, "byte")), the limit 'image-bytes' is \(largest)", at: location)
            return nil
        }
        guard let image = ImageHeader(bytes) else {
            diagnostics.warning(
                "\(code).lost.texture", "\(texture.authoredPath) is not copied: its bytes are not those of an image", at: location)
            return nil
        }
        let own = Self.fileName(texture)
        var name = SystemPath.readable(own)
        if name.isEmpty {
            unnamedCount += 1
            name = "image_\(unnamedCount)." + image.kind.fileExtension
        } else if splitExtension(name).ext.isEmpty {
            name += "." + image.kind.fileExtension
        }
        if image.kind == .tga, let recodedBytes = recode(bytes) {
            let path = Self.folder + names.uniqueFile(safeFileName(splitExtension(name).stem + ".png"))
            recoded.append((path, recodedBytes))
            diagnostics.info("\(code).recoded-texture", "\(texture.authoredPath) is written as PNG: few programs read Targa files", at: location)
            return Entry(path: path, channels: image.channels)
        }
        let written = names.uniqueFile(safeFileName(name))
        renames.note(own, as: written, at: nil)
        let path = Self.folder + written
        copies.append((path, texture.source))
        return Entry(path: path, channels: image.channels)
    }

    /// The image as PNG; nil where it cannot be decoded, and is better copied as it is.
    private func recode(_ file: FileBytes) -> [UInt8]? {
        var result: [UInt8]?
        file.withUnsafeBytes { raw in
            do throws(AssetError) { result = try ImageCodec.encodePNG(ImageCodec.decode(raw, name: file.name), name: file.name) } catch {}
        }
        return result
    }

    private static func fileName(_ texture: Texture) -> String {
        // Quotes belong to the language that names the file.
        let plain = texture.authoredPath.replacing("\\", with: "/").replacing("\"", with: "")
        return AssetPath.baseName(plain)
    }

    private func open(_ source: Texture.Source) throws(AssetError) -> FileBytes {
        switch source {
        case .file(let path): return try resolver.open(path)
        case .embedded(let bytes): return try FileBytes.of(bytes, name: "image")
        case .missing: throw AssetError("\(code).missing-texture", "not found", at: SourceLocation(file: scene.source.file))
        }
    }

    /// Tells of images whose files have other names than those they were copied from.
    func report(_ file: String, to diagnostics: inout Diagnostics) {
        renames.report("image", code: "\(code).renamed-image", file: file, severity: .info, to: &diagnostics)
    }

    /// Copies the images that were asked for.
    func write(to output: any OutputSink) throws(AssetError) {
        for (path, bytes) in recoded {
            let file = try output.create(path)
            var failure: AssetError?
            bytes.withUnsafeBytes { raw in
                do throws(AssetError) { try file.write(raw) } catch { failure = error }
            }
            if let failure { throw failure }
            try file.close()
        }
        for (path, source) in copies {
            let bytes = try open(source)
            let file = try output.create(path)
            var at = 0
            // In pieces, so that a large mapped image does not stay in memory.
            while at < bytes.count {
                let n = min(1 << 20, bytes.count - at)
                var failure: AssetError?
                bytes.withUnsafeBytes { raw in
                    do throws(AssetError) { try file.write(UnsafeRawBufferPointer(rebasing: raw[at..<(at + n)])) } catch { failure = error }
                }
                if let failure { throw failure }
                bytes.release(at, count: n)
                at += n
            }
            try file.close()
        }
    }
}
