import AssetIO
import AssetImages
import AssetModel
import AssetOps

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The images, samplers and textures of an output. An image that fits is taken as it is, byte by byte; one whose channels must be
/// picked, put together or counted anew is made once and written as PNG.
final class GLTFImageWriter {
    /// One channel of an image that is made: a constant, or a channel of a texture, `value · scale + bias`.
    struct Channel: Hashable {
        var texture: ID<Texture>?
        /// 0 to 3.
        var index = 0
        var scale: Float = 1
        var bias: Float = 0
        /// Whether the stored value is sRGB and must be made linear, and whether the result is stored as sRGB.
        var isSRGB = false
        var storesSRGB = false

        static func constant(_ value: Float) -> Channel { Channel(texture: nil, scale: 0, bias: value) }
    }

    /// An image of the source.
    struct Source {
        var header: ImageHeader
        var file: FileBytes
        var name: String
    }

    private let scene: Scene
    private let resolver: any AssetResolver
    private let isSkipped: Bool
    /// Whether images stand beside the file, and not within its buffer.
    private let areFiles: Bool
    private var sources: [ID<Texture>: Source?] = [:]
    private var rasters: [(id: ID<Texture>, raster: Raster)] = []
    private var plain: [ID<Texture>: Int?] = [:]
    private var plainBySource: [Texture.Source: Int?] = [:]
    private var made: [[Channel]: Int?] = [:]
    private var samplers: [[WrapMode]: Int] = [:]
    private var textures: [[Int]: Int] = [:]
    private var names = UniqueNames()
    private var unnamed = 0
    /// Files beside the output, in order of first use.
    private var copies: [(path: String, bytes: FileBytes)] = []
    private(set) var usedTextures = Set<ID<Texture>>()

    init(_ scene: Scene, _ context: WriteContext, areFiles: Bool) {
        self.scene = scene
        self.areFiles = areFiles
        resolver = context.resolver
        isSkipped = context.options.textures == .skip
        for texture in scene.textures { names.announce(Self.fileName(texture)) }
    }

    private static func fileName(_ texture: Texture) -> String {
        AssetPath.baseName(texture.authoredPath.replacing("\\", with: "/").replacing("\"", with: ""))
    }

    // MARK: Sources

    /// The image of a texture; nil where there is none: missing (the reader has said so), not an image, skipped.
    func source(_ id: ID<Texture>, _ place: SourceLocation, _ diagnostics: inout Diagnostics) -> Source? {
        if let known = sources[id] { return known }
        let source = made(of: scene.textures[id], place, &diagnostics)
        sources[id] = .some(source)
        return source
    }

    private func made(of texture: Texture, _ place: SourceLocation, _ diagnostics: inout Diagnostics) -> Source? {
        if texture.authoredPath.contains("<UDIM>") {
            diagnostics.warning("gltf.lost.udim", "image tiles \(texture.authoredPath) are not written: glTF has one image a texture", at: place)
            return nil
        }
        if isSkipped { return nil }
        let file: FileBytes
        switch texture.source {
        case .missing: return nil
        case .embedded, .file:
            do throws(AssetError) {
                if case .embedded(let bytes) = texture.source {
                    file = try FileBytes.of(bytes, name: texture.authoredPath)
                } else {
                    file = try resolver.open(texture.resolvedPath ?? "")
                }
            } catch {
                diagnostics.warning("gltf.lost.texture", "\(texture.authoredPath): \(error.diagnostic.message)", at: place)
                return nil
            }
        }
        guard let header = ImageHeader(file) else {
            diagnostics.warning(
                "gltf.lost.texture", "\(texture.authoredPath) is not written: its bytes are not those of an image", at: place)
            return nil
        }
        return Source(header: header, file: file, name: Self.fileName(texture))
    }

    /// The pixels of a texture; the last few stay in memory, as several channels of one image are asked for in a row.
    func raster(_ id: ID<Texture>, _ place: SourceLocation, _ diagnostics: inout Diagnostics) -> Raster? {
        if let known = rasters.first(where: { $0.id == id }) { return known.raster }
        guard let source = source(id, place, &diagnostics) else { return nil }
        var raster: Raster?
        var failure: AssetError?
        source.file.withUnsafeBytes { raw in
            do throws(AssetError) { raster = try ImageCodec.decode(raw, name: source.name).eightBits() } catch { failure = error }
        }
        if let failure {
            diagnostics.warning("gltf.lost.texture", "\(source.name) cannot be decoded: \(failure.diagnostic.message)", at: place)
        }
        guard let raster else { return nil }
        if rasters.count >= 2 { rasters.removeFirst() }
        rasters.append((id, raster))
        return raster
    }

    // MARK: Images

    /// The image as it is; nil where it is none of glTF's kinds and cannot be made one.
    func image(_ id: ID<Texture>, _ place: SourceLocation, _ out: inout GLTFOutput, _ diagnostics: inout Diagnostics) -> Int? {
        if let known = plain[id] { return known }
        let key: Texture.Source =
            if case .file(let path) = scene.textures[id].source { .file(resolver.absolute(path)) } else { scene.textures[id].source }
        if let known = plainBySource[key] {
            plain[id] = .some(known)
            return known
        }
        var index: Int?
        if let source = source(id, place, &diagnostics) {
            usedTextures.insert(id)
            switch source.header.kind {
            case .png, .jpeg: index = add(source.file, source.name, source.header.kind, &out)
            case .webp:
                out.use("EXT_texture_webp", isRequired: true)
                index = add(source.file, source.name, .webp, &out)
            case .ktx2:
                out.use("KHR_texture_basisu", isRequired: true)
                index = add(source.file, source.name, .ktx2, &out)
            default:
                if let raster = raster(id, place, &diagnostics) {
                    index = encode(raster, splitExtension(source.name).stem, place, &out, &diagnostics)
                    if index != nil {
                        diagnostics.info(
                            "gltf.recoded-texture", "\(source.name) is written as PNG: glTF has no \(source.header.kind.rawValue) images", at: place)
                    }
                }
            }
        }
        plain[id] = .some(index)
        plainBySource[key] = .some(index)
        return index
    }

    /// An image made of channels, one to four; nil where none of the sources can be decoded.
    func image(
        _ channels: [Channel], named name: String, _ place: SourceLocation, _ out: inout GLTFOutput, _ diagnostics: inout Diagnostics
    ) -> Int? {
        if let known = made[channels] { return known }
        var index: Int?
        var parts: [Raster.Source] = []
        for channel in channels {
            guard let id = channel.texture else {
                parts.append(.constant(channel.storesSRGB ? Self.encodeSRGB(channel.bias) : channel.bias))
                continue
            }
            guard let raster = raster(id, place, &diagnostics) else {
                made[channels] = .some(nil)
                return nil
            }
            usedTextures.insert(id)
            // One channel counts for red, green and blue; what has no alpha is opaque (UsdPreviewSurface, UsdUVTexture's outputs).
            let isAlpha = channel.index == 3
            guard !isAlpha || raster.channels % 2 == 0 else {
                parts.append(.constant(min(max(channel.scale + channel.bias, 0), 1)))
                continue
            }
            let stored = isAlpha ? raster.channels - 1 : raster.channels < 3 ? 0 : channel.index
            parts.append(.channel(raster.mapping(stored, Self.table(channel)), 0))
        }
        if let raster = Raster.packing(parts) { index = encode(raster, name, place, &out, &diagnostics) }
        made[channels] = .some(index)
        return index
    }

    /// What each of 256 levels becomes.
    private static func table(_ channel: Channel) -> [UInt8] {
        (0..<256).map { level in
            var x = Float(level) / 255
            if channel.isSRGB { x = decodeSRGB(x) }
            x = x * channel.scale + channel.bias
            x = x >= 0 ? min(x, 1) : 0
            if channel.storesSRGB { x = encodeSRGB(x) }
            return UInt8(x * 255 + 0.5)
        }
    }

    static func decodeSRGB(_ x: Float) -> Float { x <= 0.04045 ? x / 12.92 : Float(pow(Double((x + 0.055) / 1.055), 2.4)) }
    static func encodeSRGB(_ x: Float) -> Float { x <= 0.0031308 ? x * 12.92 : 1.055 * Float(pow(Double(x), 1 / 2.4)) - 0.055 }

    private func encode(
        _ raster: Raster, _ name: String, _ place: SourceLocation, _ out: inout GLTFOutput, _ diagnostics: inout Diagnostics
    ) -> Int? {
        do throws(AssetError) {
            let bytes = try ImageCodec.encodePNG(raster, name: name)
            return add(FileBytes(name: name, bytes: bytes), name + ".png", .png, &out)
        } catch {
            diagnostics.warning("gltf.lost.texture", "\(name) cannot be written: \(error.diagnostic.message)", at: place)
            return nil
        }
    }

    private func add(_ file: FileBytes, _ given: String, _ kind: ImageHeader.Kind, _ out: inout GLTFOutput) -> Int {
        var name = given
        if name.isEmpty {
            unnamed += 1
            name = "image_\(unnamed)"
        }
        if !kind.fileExtensions.contains(AssetPath.fileExtension(name)) { name += "." + kind.fileExtension }
        var image = GLTFOutput.Image(mediaType: kind.mediaType)
        let unique = names.uniqueFile(safeFileName(name))
        image.name = splitExtension(unique).stem
        if areFiles {
            let path = TextureCopies.folder + unique
            copies.append((path, file))
            image.uri = GLTFWriter.encodedURI(path)
        } else {
            image.view = out.buffer.view(.file(file))
        }
        out.images.append(image)
        return out.images.count - 1
    }

    // MARK: Textures

    /// The texture of an image as a material's binding samples it.
    func texture(_ image: Int, _ wrap: [WrapMode], _ out: inout GLTFOutput) -> Int {
        let sampler: Int
        if let known = samplers[wrap] {
            sampler = known
        } else {
            sampler = out.samplers.count
            samplers[wrap] = sampler
            out.samplers.append(
                .dictionary([.init("wrapS", .int(Self.number(wrap[0]))), .init("wrapT", .int(Self.number(wrap[1])))]))
        }
        if let known = textures[[image, sampler]] { return known }
        var entries: [Value.Entry] = [.init("sampler", .int(Int64(sampler)))]
        switch out.images[image].mediaType {
        case "image/webp":
            entries.append(.init("extensions", .dictionary([.init("EXT_texture_webp", .dictionary([.init("source", .int(Int64(image)))]))])))
        case "image/ktx2":
            entries.append(.init("extensions", .dictionary([.init("KHR_texture_basisu", .dictionary([.init("source", .int(Int64(image)))]))])))
        default: entries.append(.init("source", .int(Int64(image))))
        }
        out.textures.append(.dictionary(entries))
        textures[[image, sampler]] = out.textures.count - 1
        return out.textures.count - 1
    }

    private static func number(_ mode: WrapMode) -> Int64 {
        switch mode {
        case .clamp, .black: 33071
        case .mirror: 33648
        case .repeat, .useMetadata: 10497
        }
    }

    /// Writes the images that stand beside the file.
    func write(to output: any OutputSink) throws(AssetError) {
        for (path, bytes) in copies {
            let file = try output.create(path)
            try file.write(bytes)
            try file.close()
        }
    }
}
