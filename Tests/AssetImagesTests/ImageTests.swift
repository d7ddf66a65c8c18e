import AssetImages
import AssetModel
import TestSupport
import Testing

@Suite struct ImageTests {
    private func noise(_ width: Int, _ height: Int, _ channels: Int, _ depth: Raster.Depth = .eight) throws -> Raster {
        var random = SplitMix64(seed: UInt64(width * 31 + channels))
        let bytes = random.bytes(width * height * channels * depth.rawValue)
        return try #require(Raster(width: width, height: height, channels: channels, depth: depth, bytes: bytes))
    }

    private func decode(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) throws -> Raster {
        var result: Result<Raster, AssetError>?
        bytes.withUnsafeBytes { raw in
            do throws(AssetError) { result = .success(try ImageCodec.decode(raw, name: "x", limits: limits)) } catch { result = .failure(error) }
        }
        return try #require(result).get()
    }

    @Test func pngComesBackAsItWas() throws {
        for channels in 1...4 {
            let image = try noise(13, 7, channels)
            #expect(try decode(ImageCodec.encodePNG(image)) == image, "\(channels) channels")
        }
        for channels in [1, 3] {
            let image = try noise(5, 4, channels, .sixteen)
            #expect(try decode(ImageCodec.encodePNG(image)) == image, "\(channels) channels of 16 bits")
        }
    }

    /// 3 by 2 pixels, bottom row first, blue green red; the run of the packed one crosses a row.
    @Test func targaInEveryOrder() throws {
        func header(_ type: UInt8, _ bits: UInt8, _ flags: UInt8) -> [UInt8] {
            [0, type == 9 ? 1 : 0, type, 0, 0, type == 9 ? 2 : 0, 0, type == 9 ? 24 : 0, 0, 0, 0, 0, 3, 0, 2, 0, bits, flags]
        }
        let a: [UInt8] = [1, 2, 3]
        let b: [UInt8] = [4, 5, 6]
        // Top row a b b, bottom row b a a, as red green blue.
        let wanted = try #require(Raster(width: 3, height: 2, channels: 3, bytes: [3, 2, 1, 6, 5, 4, 6, 5, 4, 6, 5, 4, 3, 2, 1, 3, 2, 1]))
        #expect(try decode(header(2, 24, 0) + b + a + a + a + b + b) == wanted)
        #expect(try decode(header(2, 24, 32) + a + b + b + b + a + a) == wanted)
        #expect(try decode(header(2, 24, 48) + b + b + a + a + a + b) == wanted)
        #expect(try decode(header(10, 24, 0) + [0] + b + [0x82] + a + [1] + b + b) == wanted)
        #expect(try decode(header(9, 8, 0) + a + b + [0, 1, 0x82, 0, 0x81, 1]) == wanted)
        let grey = try decode(header(3, 8, 32) + [1, 2, 3, 4, 5, 6])
        #expect(grey.channels == 1 && grey.bytes == [1, 2, 3, 4, 5, 6])
        let five = try decode(header(2, 16, 33) + [0, 0xFC] + Array(repeating: 0, count: 10))
        #expect(five.channels == 4 && Array(five.bytes[0..<4]) == [255, 0, 0, 255])
    }

    @Test func damagedTargaIsRefused() throws {
        let whole: [UInt8] = [0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0, 0x8F, 9, 8, 7]
        #expect(try decode(whole).bytes.count == 48)
        for n in 0..<whole.count { #expect(throws: AssetError.self, "\(n) bytes") { try decode(Array(whole[..<n])) } }
        // A palette entry that is not there.
        #expect(throws: AssetError.self) { try decode([0, 1, 1, 0, 0, 1, 0, 24, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0, 1, 2, 3, 1]) }
    }

    @Test func jpegComesBackNearly() throws {
        let flat = try #require(Raster(width: 16, height: 8, channels: 3, bytes: (0..<128).flatMap { _ in [200, 100, 50] as [UInt8] }))
        let back = try decode(ImageCodec.encodeJPEG(flat, quality: 95))
        #expect(back.width == 16 && back.height == 8 && back.channels == 3)
        for i in back.bytes.indices { #expect(abs(Int(back.bytes[i]) - Int(flat.bytes[i])) <= 3) }
        let grey = try #require(Raster(width: 8, height: 8, channels: 2, bytes: Array(repeating: 77, count: 128)))
        let greyBack = try decode(ImageCodec.encodeJPEG(grey))
        #expect(greyBack.channels == 1)
        #expect(abs(Int(greyBack.bytes[0]) - 77) <= 2)
    }

    @Test func damagedImagesAreErrorsNotCrashes() throws {
        let png = try ImageCodec.encodePNG(noise(20, 20, 3))
        let jpeg = try ImageCodec.encodeJPEG(noise(20, 20, 3))
        for bytes in [png, jpeg] {
            for length in stride(from: 0, to: bytes.count, by: 7) { _ = try? decode(Array(bytes[..<length])) }
            for bit in stride(from: 0, to: bytes.count * 8, by: 53) { _ = try? decode(Mutations.flippingBit(bit, of: bytes)) }
        }
        let error = #expect(throws: AssetError.self) { try decode(Array("not an image".utf8)) }
        #expect(error?.diagnostic.code == "image.unknown-format")
        #expect(throws: AssetError.self) { try decode(Array(png[..<60])) }
    }

    @Test func sizesAreLimited() throws {
        let png = try ImageCodec.encodePNG(noise(20, 20, 1))
        let error = #expect(throws: AssetError.self) { try decode(png, ImageLimits(pixels: 399)) }
        #expect(error?.diagnostic.code == "image.too-large")
        // A header that promises 16384 by 16384 pixels in a few hundred bytes; the check sum is mended.
        var bomb = png
        bomb.replaceSubrange(16..<24, with: [0, 0, 0x40, 0, 0, 0, 0x40, 0])
        bomb.replaceSubrange(29..<33, with: crc32(Array(bomb[12..<29])))
        let refused = #expect(throws: AssetError.self) { try decode(bomb) }
        #expect(refused?.diagnostic.message.contains("cannot hold 16384 by 16384 pixels") == true)
    }

    private func crc32(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        crc = ~crc
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: crc >> $0) }
    }

    @Test func channelsAreTakenOutAndPutTogether() throws {
        let orm = try #require(Raster(width: 2, height: 1, channels: 3, bytes: [250, 120, 60, 10, 20, 30]))
        #expect(orm.extracting([1]).bytes == [120, 20])
        #expect(orm.extracting([2, 0]).bytes == [60, 250, 30, 10])
        let packed = try #require(Raster.packing([.constant(1), .channel(orm, 2), .channel(orm, 1)]))
        #expect(packed.bytes == [255, 60, 120, 255, 30, 20])
        #expect(Raster.packing([.constant(1)]) == nil)
    }

    @Test func resizing() throws {
        let image = try #require(Raster(width: 4, height: 2, channels: 1, bytes: [0, 100, 200, 40, 0, 100, 200, 40]))
        #expect(image.resized(width: 2, height: 1).bytes == [50, 120])
        #expect(image.resized(width: 4, height: 2) == image)
        #expect(image.resized(width: 8, height: 2).bytes.prefix(8) == [0, 25, 75, 125, 175, 160, 80, 40])
        let flat = try #require(Raster(width: 3, height: 3, channels: 1, depth: .sixteen, bytes: Array(repeating: 0x34, count: 18)))
        #expect(flat.resized(width: 7, height: 2).bytes.allSatisfy { $0 == 0x34 })
    }
}
