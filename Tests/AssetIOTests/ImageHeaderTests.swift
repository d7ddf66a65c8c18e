import AssetIO
import TestSupport
import Testing

/// Headers byte by byte, as the formats' specifications give them.
@Suite struct ImageHeaderTests {
    struct Sample: Sendable {
        var name: String
        var bytes: [UInt8]
        var kind: ImageHeader.Kind
        var width: Int
        var height: Int
        var channels: Int
        var bitDepth: Int

        init(_ name: String, _ bytes: [UInt8], _ kind: ImageHeader.Kind, _ width: Int, _ height: Int, _ channels: Int, _ bitDepth: Int) {
            (self.name, self.bytes, self.kind) = (name, bytes, kind)
            (self.width, self.height, self.channels, self.bitDepth) = (width, height, channels, bitDepth)
        }
    }

    private static func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    private static func little(_ value: Int, _ count: Int = 4) -> [UInt8] { big(value, count).reversed() }
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] { big(data.count) + type.utf8 + data + zeros(4) }

    private static func png(_ width: Int, _ height: Int, depth: UInt8, type: UInt8, _ further: [UInt8] = []) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", big(width) + big(height) + [depth, type, 0, 0, 0]) + further
            + chunk("IDAT", [1, 2, 3])
    }

    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0] + big(16, 2) + Array("JFIF\0".utf8) + zeros(9) + [0xFF, 0xFF, 0xC4] + big(3, 2) + [0]
        + [0xFF, 0xC2] + big(17, 2) + [8] + big(300, 2) + big(400, 2) + [3] + zeros(9) + [0xFF, 0xDA, 0, 2]

    private static func bmp(_ bits: Int, _ height: Int) -> [UInt8] {
        Array("BM".utf8) + zeros(12) + little(40) + little(17) + little(height) + little(1, 2) + little(bits, 2) + zeros(24)
    }

    private static func tga(_ type: UInt8, _ bits: UInt8, footer: Bool = false) -> [UInt8] {
        [0, 0, type] + zeros(9) + little(7, 2) + little(9, 2) + [bits, 0] + zeros(8) + (footer ? zeros(8) + Array("TRUEVISION-XFILE.\0".utf8) : [])
    }

    private static func tiff(isBig: Bool) -> [UInt8] {
        func n(_ value: Int, _ count: Int) -> [UInt8] { isBig ? big(value, count) : little(value, count) }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] { n(tag, 2) + n(type, 2) + n(count, 4) + value }
        return Array((isBig ? "MM" : "II").utf8) + n(42, 2) + n(8, 4) + n(4, 2)
            + entry(256, 3, 1, n(640, 2) + [0, 0]) + entry(257, 4, 1, n(480, 4)) + entry(258, 3, 3, n(62, 4)) + entry(277, 3, 1, n(3, 2) + [0, 0])
            + n(0, 4) + n(16, 2) + n(16, 2) + n(16, 2)
    }

    private static let exr: [UInt8] = {
        func attribute(_ name: String, _ type: String, _ data: [UInt8]) -> [UInt8] {
            Array(name.utf8) + [0] + Array(type.utf8) + [0] + little(data.count) + data
        }
        func channel(_ name: String) -> [UInt8] { Array(name.utf8) + [0] + little(1) + zeros(12) }
        let channels = channel("A") + channel("B") + channel("G") + channel("R") + [0]
        return [0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0] + attribute("channels", "chlist", channels) + attribute("compression", "compression", [3])
            + attribute("dataWindow", "box2i", little(-10) + little(5) + little(53) + little(36)) + [0]
    }()

    private static func riff(_ chunk: String, _ data: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + little(data.count + 12) + Array("WEBP".utf8) + Array(chunk.utf8) + little(data.count) + data
    }

    private static let ktx2: [UInt8] = {
        let mark: [UInt8] = [0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A]
        let index = little(0) + little(1) + little(64) + little(32) + zeros(16) + little(0) + little(80) + little(44)
        let sample: [UInt8] = [0, 0, 127, 3] + zeros(12)
        return mark + index + zeros(80 - 12 - index.count) + little(44) + zeros(4) + little(2, 2) + little(40, 2) + [166, 1, 1, 0] + zeros(12)
            + sample
    }()

    private static func box(_ type: String, _ contents: [UInt8]) -> [UInt8] { big(contents.count + 8) + Array(type.utf8) + contents }

    private static func heif(_ brand: String) -> [UInt8] {
        // Two items: a thumbnail with the first property, the primary one with the second and third.
        let ipco = box(
            "ipco", box("ispe", big(0) + big(16) + big(8)) + box("ispe", big(0) + big(1024) + big(512)) + box("pixi", big(0) + [3, 10, 10, 10]))
        let ipma = box("ipma", big(0) + big(2) + big(1, 2) + [1, 1] + big(2, 2) + [2, 0x82, 3])
        let meta = box("meta", big(0) + box("hdlr", zeros(20)) + box("pitm", big(0) + big(2, 2)) + box("iprp", ipco + ipma))
        return box("ftyp", Array(brand.utf8) + big(0) + Array("mif1".utf8)) + meta
    }

    static let samples = [
        Sample("grey.png", png(3, 4, depth: 16, type: 0), .png, 3, 4, 1, 16),
        Sample("rgb.png", png(3, 4, depth: 8, type: 2), .png, 3, 4, 3, 8),
        Sample("palette.png", png(300, 4, depth: 4, type: 3, chunk("gAMA", [0, 0, 0, 1])), .png, 300, 4, 3, 8),
        Sample("clear palette.png", png(3, 4, depth: 4, type: 3, chunk("PLTE", zeros(3)) + chunk("tRNS", [0])), .png, 3, 4, 4, 8),
        Sample("ga.png", png(3, 4, depth: 8, type: 4), .png, 3, 4, 2, 8),
        Sample("rgba.png", png(3, 70_000, depth: 8, type: 6), .png, 3, 70_000, 4, 8),
        Sample("a.jpg", jpeg, .jpeg, 400, 300, 3, 8),
        Sample("a.gif", Array("GIF89a".utf8) + little(5, 2) + little(6, 2) + zeros(3), .gif, 5, 6, 3, 8),
        Sample("a.bmp", bmp(24, 20), .bmp, 17, 20, 3, 8), Sample("top down.bmp", bmp(32, -20), .bmp, 17, 20, 4, 8),
        Sample("os2.bmp", Array("BM".utf8) + zeros(12) + little(12) + little(5, 2) + little(6, 2) + little(1, 2) + little(8, 2), .bmp, 5, 6, 3, 8),
        Sample("a.tga", tga(2, 32), .tga, 7, 9, 4, 8), Sample("grey.TGA", tga(11, 8), .tga, 7, 9, 1, 8),
        Sample("footer.bin", tga(10, 24, footer: true), .tga, 7, 9, 3, 8),
        Sample("a.tif", tiff(isBig: false), .tiff, 640, 480, 3, 16), Sample("b.tif", tiff(isBig: true), .tiff, 640, 480, 3, 16),
        Sample("a.exr", exr, .exr, 64, 32, 4, 16),
        Sample("lossy.webp", riff("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A] + little(100, 2) + little(50 | 0x4000, 2)), .webp, 100, 50, 3, 8),
        Sample("lossless.webp", riff("VP8L", [0x2F] + little(99 | 49 << 14 | 1 << 28)), .webp, 100, 50, 4, 8),
        Sample("extended.webp", riff("VP8X", [0x10, 0, 0, 0] + little(69_999, 3) + little(49, 3)), .webp, 70_000, 50, 4, 8),
        Sample("a.hdr", Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 20 +X 30\n".utf8) + zeros(4), .hdr, 30, 20, 3, 32),
        Sample("a.ktx2", ktx2, .ktx2, 64, 32, 4, 8),
        Sample("a.dds", Array("DDS ".utf8) + little(124) + little(7) + little(9) + little(11) + zeros(60) + little(0x41), .dds, 11, 9, 4, 8),
        Sample("a.avif", heif("avif"), .avif, 1024, 512, 3, 10), Sample("a.heic", heif("heic"), .heif, 1024, 512, 3, 10),
    ]

    @Test(arguments: samples)
    func reads(_ sample: Sample) throws {
        let header = try #require(ImageHeader(FileBytes(name: sample.name, bytes: sample.bytes)))
        #expect(header.kind == sample.kind)
        #expect((header.width, header.height) == (sample.width, sample.height))
        #expect((header.channels, header.bitDepth) == (sample.channels, sample.bitDepth))
        #expect(header.mediaType == sample.kind.mediaType)
    }

    @Test(arguments: ["", "solid x", "PNG", "BM", "II*", "v 0 0 0\n", "RIFF....WAVE", "{\"a\": 1}", "    ftypisom"])
    func othersAreNoImages(_ text: String) {
        #expect(ImageHeader(FileBytes(name: "a.png", bytes: Array(text.utf8))) == nil)
    }

    @Test func tgaWithoutMarkNeedsItsName() {
        #expect(ImageHeader(FileBytes(name: "a.bin", bytes: Self.tga(2, 32))) == nil)
        #expect(ImageHeader(FileBytes(name: "a.tga", bytes: Self.tga(5, 32))) == nil)
        #expect(ImageHeader(FileBytes(name: "a.tga", bytes: Array("this is just text, not pixels at all".utf8))) == nil)
    }

    @Test func damagedHeadersNeverTrap() {
        var random = SplitMix64(seed: 31)
        for sample in Self.samples {
            for length in 0..<sample.bytes.count { _ = ImageHeader(FileBytes(name: sample.name, bytes: Array(sample.bytes[..<length]))) }
            for _ in 0..<200 { _ = ImageHeader(FileBytes(name: sample.name, bytes: Mutations.edited(sample.bytes, edits: 4, using: &random))) }
        }
    }

    @Test func kindsHaveExtensionsAndMediaTypes() {
        for kind in ImageHeader.Kind.allCases {
            #expect(kind.fileExtensions.contains(kind.fileExtension))
            #expect(kind.mediaType.hasPrefix("image/"))
        }
    }
}
