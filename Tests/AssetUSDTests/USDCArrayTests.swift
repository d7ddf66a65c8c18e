import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

@Suite struct USDCArrayTests {
    private func text(_ r: (value: USDValue, session: USDSession, raw: USDValue)) throws -> String {
        try CrateText(r.session).text(r.value)
    }

    @Test(arguments: crateVersions.map(\.minor)) func plainArraysOfEveryVersion(_ minor: UInt8) throws {
        let v: CrateWriter.Version = (0, minor, minor == 0 ? 1 : 0)
        #expect(try text(roundTrip(v) { w in w.array(1, [UInt8(1), 0, 1]) }) == "bool[](1, 0, 1)")
        #expect(try text(roundTrip(v) { w in w.array(3, [Int32(-1), 2]) }) == "int[](-1, 2)")
        #expect(try text(roundTrip(v) { w in w.array(5, [Int64.min]) }) == "int64[](\(Int64.min))")
        #expect(try text(roundTrip(v) { w in w.array(7, [UInt16(0x3C00)]) }) == "half[](15360)")
        let points = try roundTrip(v) { w in w.array(24, count: 2, [Float(1), 2, 3, 4, 5, 6]) }
        #expect(try text(points) == "float3[](1.0, 2.0, 3.0, 4.0, 5.0, 6.0)")
        #expect(try text(roundTrip(v) { w in w.array(16, count: 1, [0.5, 0, 0, 1.0]) }) == "quatd[](0.5, 0.0, 0.0, 1.0)")
        #expect(try text(roundTrip(v) { w in w.array(11, [w.token("a"), w.token("b")]) }) == "token[](a, b)")
        #expect(try text(roundTrip(v) { w in w.array(10, [w.string("a"), w.string("b")]) }) == "string[](a, b)")
        #expect(try text(roundTrip(v) { w in w.array(30, count: 1, [Int32(1), 2, 3, 4]) }) == "int4[](1, 2, 3, 4)")
        // An empty array has no place in the file.
        #expect(try text(roundTrip(v) { _ in 24 << 48 | 1 << 63 }) == "float3[]()")
    }

    @Test func everyTypeOfArray() throws {
        for type in UInt8(1)...61 {
            guard let element = CrateType(rawValue: type)?.valueType else { continue }
            let isIndex = element.scalar == .string || element.scalar == .token
            let r = try roundTrip((0, 16, 0)) { w in
                let name = element.scalar == .string ? w.string("s") : w.token("t")
                return isIndex ? w.array(type, [name]) : w.array(type, count: 1, [UInt8](repeating: 0, count: element.elementBytes))
            }
            guard case .array(let a) = r.value, case .deferred(let source, let rep) = r.raw else {
                Issue.record("an array in the file expected for type \(type)")
                continue
            }
            #expect(a.type == element && a.count == 1)
            let shape = try #require(try source.arrayShape(rep))
            #expect(shape.type == element && shape.count == 1)
        }
    }

    @Test func packedIntegers() throws {
        let values = [123, 124, 125, 100_125, 100_125, 100_126, 100_126, -5, -2_000_000_000, 2_000_000_000, 0, 1, 2, 3, 4, 5, 6] as [Int64]
        for minor in [UInt8(5), 6, 7, 16] {
            #expect(
                try text(roundTrip((0, minor, 0)) { w in w.packedArray(3, values, wide: false) })
                    == "int[](" + values.map { "\($0)" }.joined(separator: ", ") + ")")
        }
        let unsigned = values.map { UInt32(truncatingIfNeeded: $0) }
        #expect(
            try text(roundTrip { w in w.packedArray(4, values, wide: false) })
                == "uint[](" + unsigned.map { "\($0)" }.joined(separator: ", ") + ")")
        let wide = values + [.max, .min, 70_000, 5_000_000_000]
        #expect(
            try text(roundTrip { w in w.packedArray(5, wide, wide: true) })
                == "int64[](" + wide.map { "\($0)" }.joined(separator: ", ") + ")")
        #expect(
            try text(roundTrip { w in w.packedArray(6, wide, wide: true) })
                == "uint64[](" + wide.map { "\(UInt64(bitPattern: $0))" }.joined(separator: ", ") + ")")
    }

    @Test func floatsAsIntegersAndTables() throws {
        func floats(_ type: UInt8, _ body: (inout CrateWriter) -> Void) throws -> String {
            try text(
                roundTrip { w in
                    let rep = w.here(type, array: true, compressed: true)
                    w.putArraySize(18)
                    body(&w)
                    return rep
                })
        }
        let integers = (0..<18).map { Int64($0 * $0 - 40) }
        let asDoubles = integers.map { "\(Double($0))" }.joined(separator: ", ")
        #expect(
            try floats(9) {
                $0.put(UInt8(ascii: "i")); $0.putPacked(integers)
            } == "double[](\(asDoubles))")
        #expect(
            try floats(8) {
                $0.put(UInt8(ascii: "i")); $0.putPacked(integers)
            } == "float[](\(asDoubles))")
        let indices = (0..<18).map { Int64($0 % 3) }
        let picked = indices.map { ["0.1", "2.5", "-7.0"][Int($0)] }.joined(separator: ", ")
        #expect(
            try floats(8) { w in
                w.put(UInt8(ascii: "t"))
                w.put(UInt32(3))
                w.put(Float(0.1), 2.5, -7)
                w.putPacked(indices)
            } == "float[](\(picked))")
        #expect(
            try floats(9) { w in
                w.put(UInt8(ascii: "t"))
                w.put(UInt32(3))
                w.put(0.1, 2.5, -7)
                w.putPacked(indices)
            } == "double[](\(picked))")
        #expect(throws: AssetError.self) {
            try floats(8) { w in
                w.put(UInt8(ascii: "t"))
                w.put(UInt32(2))
                w.put(Float(0.1), 2.5)
                w.putPacked(indices)
            }
        }
        #expect(throws: AssetError.self) {
            try floats(8) {
                $0.put(UInt8(ascii: "x")); $0.putPacked(integers)
            }
        }
    }

    @Test func integersAsHalves() throws {
        let values: [(Int64, UInt16)] = [
            (0, 0), (1, 0x3C00), (-1, 0xBC00), (2047, 0x67FF), (2048, 0x6800), (2049, 0x6800), (2051, 0x6802), (-4096, 0xEC00),
            (65504, 0x7BFF), (65519, 0x7BFF), (65520, 0x7C00), (100_000, 0x7C00), (-100_000, 0xFC00), (3, 0x4200), (5, 0x4500), (7, 0x4700),
        ]
        let r = try roundTrip { w in
            let rep = w.here(7, array: true, compressed: true)
            w.putArraySize(values.count)
            w.put(UInt8(ascii: "i"))
            w.putPacked(values.map(\.0))
            return rep
        }
        #expect(try text(r) == "half[](" + values.map { "\($0.1)" }.joined(separator: ", ") + ")")
    }

    // MARK: Integer coding

    @Test func randomIntegersComeBack() throws {
        var random = SplitMix64(seed: 7)
        for round in 0..<60 {
            let n = random.int(in: 0...70)
            let bits = UInt64(random.int(in: 1...64))
            let wide = round % 2 == 0
            let values = (0..<n).map { _ -> Int64 in
                let v = Int64(bitPattern: random.next() >> (64 - bits))
                return wide ? v : Int64(Int32(truncatingIfNeeded: v))
            }
            let packed = CrateWriter.pack(CrateWriter.encode(values, wide: wide))
            let bytes = try #require(CrateBytes(FileBytes(name: "x", bytes: [9] + packed)))
            let encoded = try EncodedIntegers(bytes, 1, packed.count, count: n, wide: wide, .array)
            if wide {
                #expect(encoded.all64() == values)
            } else {
                #expect(encoded.all32().map { Int64($0) } == values)
            }
            // In parts, too.
            var decoder = encoded.decoder(wide: wide)
            var parts: [Int64] = []
            while parts.count < n {
                let from = parts.count
                let step = min(8, n - from)
                if wide {
                    decoder.decode64(step) {
                        parts.append($1); #expect($0 == parts.count - 1 - from)
                    }
                }
                if !wide {
                    decoder.decode32(step) {
                        parts.append(Int64($1)); #expect($0 == parts.count - 1 - from)
                    }
                }
            }
            #expect(parts == values)
        }
    }

    @Test func packedIntegersMustBeComplete() throws {
        let good = CrateWriter.encode((0..<33).map { Int64($0 * 1000) }, wide: false)
        for cut in 0..<good.count {
            let packed = CrateWriter.pack(Array(good[..<cut]))
            let bytes = try #require(CrateBytes(FileBytes(name: "x", bytes: packed)))
            #expect(throws: AssetError.self) { try EncodedIntegers(bytes, 0, packed.count, count: 33, wide: false, .array) }
        }
        // More integers than the block could hold at best.
        let packed = CrateWriter.pack(good)
        let bytes = try #require(CrateBytes(FileBytes(name: "x", bytes: packed)))
        #expect(throws: AssetError.self) { try EncodedIntegers(bytes, 0, packed.count, count: 1 << 40, wide: false, .array) }
    }

    @Test func matchesAndChunks() throws {
        // One literal, then a match of it at distance 1: twenty equal bytes; the block ends with literals.
        let run: [UInt8] = [0x1A, 7, 1, 0, 0x50, 7, 7, 7, 7, 7]
        func unpack(_ input: [UInt8], _ capacity: Int) -> [UInt8]? {
            var out = [UInt8](repeating: 0, count: capacity)
            let n = input.withUnsafeBytes { i in
                out.withUnsafeMutableBytes { o -> Int? in
                    guard let from = i.baseAddress, let to = o.baseAddress else { return nil }
                    return CrateCompression.unpack(from, i.count, into: to, capacity)
                }
            }
            return n.map { Array(out[..<$0]) }
        }
        #expect(unpack([0] + run, 100) == [UInt8](repeating: 7, count: 20))
        #expect(unpack([0] + run, 19) == nil)
        let chunk = { (data: [UInt8]) -> [UInt8] in withUnsafeBytes(of: Int32(data.count)) { Array($0) } + data }
        #expect(unpack([2] + chunk(run) + chunk(CrateWriter.literals([1, 2, 3])), 100) == [UInt8](repeating: 7, count: 20) + [1, 2, 3])
        #expect(unpack([2] + chunk(run), 100) == nil)
        #expect(unpack([1, 0xFF, 0xFF, 0xFF, 0x7F], 100) == nil)
        #expect(unpack([1, 0xFF, 0xFF, 0xFF, 0xFF, 0], 100) == nil)
        #expect(unpack([], 100) == nil)
    }

    // MARK: Deferred arrays

    @Test func deferredArraysReadBlocks() throws {
        let n = 70_000
        let points = (0..<3 * n).map { Float($0) }
        for shift in 0..<4 {
            let r = try roundTrip { w in
                // No alignment: the array lies where it lies.
                for _ in 0..<shift { w.put(UInt8(0)) }
                let rep = w.here(24, array: true)
                w.putArraySize(n)
                w.put(all: points)
                return rep
            }
            guard case .deferred(let source, let rep) = r.raw else { continue }
            let array = try #require(try source.deferredArray(rep, as: Vector3f.self))
            #expect(array.count == n)
            var total = 0
            var last = Vector3f(0, 0, 0)
            var blocks = 0
            try array.forEachBlock { block in
                #expect(block.first.map { Int($0.x) } == total * 3)
                total += block.count
                blocks += 1
                if let l = block.last { last = l }
            }
            #expect(total == n && blocks > 1 && last == Vector3f(Float(3 * n - 3), Float(3 * n - 2), Float(3 * n - 1)))
            #expect(try array.load().count == n)
            // Other layouts are refused.
            #expect(try source.deferredArray(rep, as: Vector2f.self) == nil)
            #expect(try source.deferredArray(rep, as: Float.self) == nil)
            #expect(try source.deferredArray(rep, as: String.self) == nil)
        }
    }

    @Test func deferredPackedArraysReadBlocks() throws {
        let values = (0..<200_001).map { Int64(($0 * 37) % 1000) }
        let r = try roundTrip { w in w.packedArray(3, values, wide: false) }
        guard case .deferred(let source, let rep) = r.raw else {
            Issue.record("an array in the file expected")
            return
        }
        let array = try #require(try source.deferredArray(rep, as: Int32.self))
        #expect(array.count == values.count)
        var seen: [Int32] = []
        try array.forEachBlock { seen += $0 }
        #expect(seen == values.map { Int32($0) })
        #expect(try array.load() == seen)
    }

    @Test func sizesAreChecked() throws {
        func fails(_ version: CrateWriter.Version = (0, 8, 0), _ make: (inout CrateWriter) -> UInt64) -> Bool {
            do {
                let r = try roundTrip(version, make)
                if case .deferred(let s, let rep) = r.raw { _ = try s.arrayShape(rep) }
                return false
            } catch { return true }
        }
        #expect(
            fails { w in
                let rep = w.here(3, array: true); w.put(UInt64(1 << 40)); return rep
            })
        #expect(
            fails { w in
                let rep = w.here(3, array: true); w.put(UInt64.max); return rep
            })
        #expect(
            fails((0, 6, 0)) { w in
                let rep = w.here(24, array: true); w.put(UInt32.max); return rep
            })
        #expect(
            fails { w in
                let rep = w.here(3, array: true, compressed: true); w.put(UInt64(1 << 30), 4); return rep
            })
        #expect(
            fails { w in
                let rep = w.here(8, array: true, compressed: true)
                w.put(UInt64(100))
                w.put(UInt8(ascii: "t"))
                w.put(UInt32.max)
                return rep
            })
        #expect(fails { _ in 3 << 48 | 1 << 63 | 0xFFFF_FFFF })
        #expect(fails { w in w.array(11, [UInt32(9999)]) })
        #expect(fails { w in w.array(10, [UInt32(9999)]) })
    }
}
