import AssetIO
import AssetModel
import TestSupport
import Testing

@testable import AssetUSD

@Suite struct USDCValueTests {
    private func text(_ r: (value: USDValue, session: USDSession, raw: USDValue)) throws -> String {
        try CrateText(r.session).text(r.value)
    }

    // MARK: In the representation

    struct Inlined: CustomTestStringConvertible {
        var type: UInt8
        var bits: UInt32
        var expected: String
        var testDescription: String { "\(type): \(expected)" }
    }

    @Test(arguments: [
        Inlined(type: 1, bits: 1, expected: "bool(true)"), Inlined(type: 2, bits: 200, expected: "uchar(200)"),
        Inlined(type: 3, bits: 0xFFFF_FFFE, expected: "int(-2)"), Inlined(type: 4, bits: 0xFFFF_FFFE, expected: "uint(4294967294)"),
        Inlined(type: 5, bits: 0xFFFF_FFFE, expected: "int64(-2)"),
        Inlined(type: 6, bits: 0xFFFF_FFFE, expected: "uint64(4294967294)"),
        Inlined(type: 7, bits: 0x3C00, expected: "half(15360)"), Inlined(type: 8, bits: Float(0.1).bitPattern, expected: "float(0.1)"),
        Inlined(type: 9, bits: Float(0.5).bitPattern, expected: "double(0.5)"),
        Inlined(type: 13, bits: 0x00FE_02FF, expected: "matrix2d(-1.0, 0.0, 0.0, 2.0)"),
        Inlined(type: 14, bits: 0x0003_02FF, expected: "matrix3d(-1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0)"),
        Inlined(
            type: 15, bits: 0x0101_0101,
            expected: "matrix4d(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)"),
        Inlined(type: 19, bits: 0x80_7F, expected: "double2(127.0, -128.0)"),
        Inlined(type: 20, bits: 0x02_01, expected: "float2(1.0, 2.0)"),
        Inlined(type: 21, bits: 0x4000_3C00, expected: "half2(1.0, 2.0)"), Inlined(type: 22, bits: 0x02_01, expected: "int2(1.0, 2.0)"),
        Inlined(type: 23, bits: 0x03_02_01, expected: "double3(1.0, 2.0, 3.0)"),
        Inlined(type: 24, bits: 0x03_02_01, expected: "float3(1.0, 2.0, 3.0)"),
        Inlined(type: 25, bits: 0x03_02_01, expected: "half3(1.0, 2.0, 3.0)"),
        Inlined(type: 26, bits: 0xFD_02_01, expected: "int3(1.0, 2.0, -3.0)"),
        Inlined(type: 27, bits: 0x04_03_02_01, expected: "double4(1.0, 2.0, 3.0, 4.0)"),
        Inlined(type: 28, bits: 0x04_03_02_01, expected: "float4(1.0, 2.0, 3.0, 4.0)"),
        Inlined(type: 29, bits: 0x04_03_02_01, expected: "half4(1.0, 2.0, 3.0, 4.0)"),
        Inlined(type: 30, bits: 0x04_03_02_01, expected: "int4(1.0, 2.0, 3.0, 4.0)"), Inlined(type: 31, bits: 0, expected: "{}"),
        Inlined(type: 42, bits: 1, expected: "over"), Inlined(type: 43, bits: 1, expected: "private"),
        Inlined(type: 44, bits: 0, expected: "varying"), Inlined(type: 44, bits: 1, expected: "uniform"),
        Inlined(type: 44, bits: 2, expected: "uniform"), Inlined(type: 51, bits: 0, expected: "block"),
        Inlined(type: 60, bits: 0, expected: "animationBlock"),
    ]) func inlinedValues(_ c: Inlined) throws {
        #expect(try text(roundTrip { _ in CrateWriter.inlined(c.type, c.bits) }) == c.expected)
    }

    @Test func inlinedNames() throws {
        #expect(try text(roundTrip { w in CrateWriter.inlined(10, w.string("héllo")) }) == "string(héllo)")
        #expect(try text(roundTrip { w in CrateWriter.inlined(11, w.token("名")) }) == "token(名)")
        // Asset paths refer to tokens here, to strings in arrays.
        #expect(try text(roundTrip { w in CrateWriter.inlined(12, w.token("a.png")) }) == "asset(a.png)")
        #expect(try text(roundTrip { w in w.array(12, [w.string("b"), w.string("a.png")]) }) == "asset[](b, a.png)")
    }

    // MARK: Values in the file

    @Test func scalars() throws {
        #expect(try text(roundTrip { w in w.value(5) { $0.put(Int64.min) } }) == "int64(-9223372036854775808)")
        #expect(try text(roundTrip { w in w.value(6) { $0.put(UInt64.max) } }) == "uint64(18446744073709551615)")
        #expect(try text(roundTrip { w in w.value(9) { $0.put(0.1) } }) == "double(0.1)")
        #expect(try text(roundTrip((0, 9, 0)) { w in w.value(56) { $0.put(3.5) } }) == "timeCode(3.5)")
        #expect(try text(roundTrip((0, 16, 0)) { w in w.value(61) { $0.put(3.5) } }) == "duration(3.5)")
        let expression = try roundTrip((0, 10, 0)) { w in
            let s = w.string("/A//*")
            return w.value(57) { $0.put(s) }
        }
        #expect(try text(expression) == "pathExpression(/A//*)")
    }

    @Test func tuples() throws {
        #expect(try text(roundTrip { w in w.value(24) { $0.put(Float(0.5), 1, 2) } }) == "float3(0.5, 1.0, 2.0)")
        #expect(try text(roundTrip { w in w.value(26) { $0.put(Int32(1000), -5, 2) } }) == "int3(1000.0, -5.0, 2.0)")
        #expect(try text(roundTrip { w in w.value(16) { $0.put(0.1, 0.2, 0.3, 1.0) } }) == "quatd(0.1, 0.2, 0.3, 1.0)")
        #expect(try text(roundTrip { w in w.value(17) { $0.put(Float(0.5), 0, 0, 1) } }) == "quatf(0.5, 0.0, 0.0, 1.0)")
        #expect(try text(roundTrip { w in w.value(18) { $0.put(UInt16(0x3800), 0, 0, 0x3C00) } }) == "quath(0.5, 0.0, 0.0, 1.0)")
        #expect(try text(roundTrip { w in w.value(13) { $0.put(1.5, 2, 3, 4) } }) == "matrix2d(1.5, 2.0, 3.0, 4.0)")
        let halves: [(UInt16, Double)] = [
            (0x0001, 0x1p-24), (0x8400, -0x1p-14), (0x7BFF, 65504), (0x7C00, .infinity), (0x3555, 0x1.554p-2),
        ]
        for (bits, expected) in halves { #expect(CrateFile.half(bits) == expected) }
        #expect(CrateFile.half(0x7E00).isNaN)
        #expect(CrateFile.half(0x8000).sign == .minus)
    }

    @Test func vectorsOfMetadata() throws {
        #expect(try text(roundTrip { w in w.tokenVector(["a", "", "c"]) }) == "tokens(a, , c)")
        let strings = try roundTrip { w in
            let s = [w.string("x"), w.string("y")]
            return w.value(50) { $0.putVector(s) }
        }
        #expect(try text(strings) == "strings(x, y)")
        #expect(try text(roundTrip { w in w.value(48) { $0.putVector([0.5, 1.5]) } }) == "doubles(0.5, 1.5)")
        #expect(
            try text(
                roundTrip { w in
                    w.value(49) {
                        $0.put(UInt64(2)); $0.put(1.0, 2.0, 3.0, 4.0)
                    }
                }) == "layerOffsets(1.0*2.0, 3.0*4.0)")
        let paths = try roundTrip { w in
            let p = [w.path(["A", "B"]), w.path([])]
            return w.value(40) { $0.putVector(p) }
        }
        #expect(try text(paths) == "paths(/A/B, /)")
        let selections = try roundTrip { w in
            let s = [w.string("set"), w.string("red")]
            return w.value(45) {
                $0.put(UInt64(1)); $0.put(all: s)
            }
        }
        #expect(try text(selections) == "selections(set=red)")
        let relocates = try roundTrip((0, 11, 0)) { w in
            let p = [w.path(["A", "B"]), w.path(["A", "C"])]
            return w.value(58) {
                $0.put(UInt64(1)); $0.put(all: p)
            }
        }
        #expect(try text(relocates) == "relocates(/A/B > /A/C)")
    }

    @Test func listOps() throws {
        // In the order of the file: explicit, added, prepended, appended, deleted, ordered.
        func op<T: BitwiseCopyable>(_ type: UInt8, _ items: [T], _ w: inout CrateWriter) -> UInt64 {
            w.value(type) { w in
                w.put(UInt8(0b111_1100))
                for i in 0..<5 { w.putVector([items[i]]) }
            }
        }
        let expected = "op(prepended: [2], appended: [3], deleted: [4], added: [1], ordered: [5])"
        #expect(try text(roundTrip { w in op(36, [Int32(1), 2, 3, 4, 5], &w) }) == "int" + expected)
        #expect(try text(roundTrip { w in op(37, [Int64(1), 2, 3, 4, 5], &w) }) == "int64" + expected)
        #expect(try text(roundTrip { w in op(38, [UInt32(1), 2, 3, 4, 5], &w) }) == "uint" + expected)
        #expect(try text(roundTrip { w in op(39, [UInt64(1), 2, 3, 4, 5], &w) }) == "uint64" + expected)
        let tokens = try roundTrip { w in op(32, (1...5).map { w.token("\($0)") }, &w) }
        #expect(try text(tokens) == "token" + expected)
        let strings = try roundTrip { w in op(33, (1...5).map { w.string("\($0)") }, &w) }
        #expect(try text(strings) == "string" + expected)
        let explicit = try roundTrip { w in
            w.value(36) {
                $0.put(UInt8(3)); $0.putVector([Int32(7)])
            }
        }
        #expect(try text(explicit) == "intop(explicit: [7])")
        #expect(try text(roundTrip { w in w.value(36) { $0.put(UInt8(1)) } }) == "intop(explicit: [])")
    }

    @Test func referencesAndPayloads() throws {
        let references = try roundTrip { w in
            let (asset, key, path) = (w.string("a.usd"), w.string("k"), w.path(["A"]))
            return w.value(35) { w in
                w.put(UInt8(32))
                w.put(UInt64(1))
                w.put(asset, path)
                w.put(1.5, 2.0)
                w.put(UInt64(1))
                w.put(key)
                w.putNested(CrateWriter.inlined(3, 7))
            }
        }
        #expect(try text(references) == "referenceop(prepended: [@a.usd@</A>1.5*2.0{k: int(7)}])")
        func payload(_ minor: UInt8, _ asset: String) throws -> String {
            try text(
                roundTrip((0, minor, 0)) { w in
                    let s = w.string(asset)
                    let p = w.path(["A"])
                    return w.value(47) { w in
                        w.put(s, p)
                        if w.isAtLeast(8) { w.put(1.5, 2.0) }
                    }
                })
        }
        #expect(try payload(7, "p.usd") == "payloadop(explicit: [@p.usd@</A>0.0*1.0{}])")
        #expect(try payload(8, "p.usd") == "payloadop(explicit: [@p.usd@</A>1.5*2.0{}])")
        // One without a file stands for none.
        #expect(try payload(8, "") == "payloadop(explicit: [])")
        let list = try roundTrip { w in
            let s = w.string("p.usd")
            let p = w.path(["A"])
            return w.value(55) { w in
                w.put(UInt8(64))
                w.put(UInt64(1))
                w.put(s, p)
                w.put(0.0, 1.0)
            }
        }
        #expect(try text(list) == "payloadop(appended: [@p.usd@</A>0.0*1.0{}])")
    }

    @Test func dictionariesAndNestedValues() throws {
        let nested = try roundTrip { w in
            let (a, b) = (w.string("a"), w.string("b"))
            let array = w.array(3, [Int32(1), 2, 3])
            let inner = w.value(31) { w in
                w.put(UInt64(1))
                w.put(b)
                w.putNested(array)
            }
            return w.value(31) { w in
                w.put(UInt64(2))
                w.put(a)
                // The value may be anywhere behind: what lies between is passed over.
                w.put(Int64(24), 0, 0)
                w.put(inner)
                w.put(b)
                w.putNested(CrateWriter.inlined(1, 1))
            }
        }
        #expect(try text(nested) == "{a: {b: int[](1, 2, 3)}, b: bool(true)}")
        #expect(try text(roundTrip { w in w.value(52) { $0.putNested(CrateWriter.inlined(3, 7)) } }) == "int(7)")
    }

    @Test func unregisteredValues() throws {
        let text1 = try roundTrip { w in
            let s = w.string("\"quoted\"")
            return w.value(53) { $0.putNested(CrateWriter.inlined(10, s)) }
        }
        #expect(try text(text1) == "unregistered(\"quoted\")")
        let list = try roundTrip { w in
            let s = w.string("x")
            return w.value(54) { w in
                w.put(UInt8(3))
                w.put(UInt64(1))
                w.putNested(w.here(53) & 0xFFFF_0000_0000_0000 | UInt64(w.bytes.count + 16))
                w.putNested(CrateWriter.inlined(10, s))
            }
        }
        #expect(try text(list) == "unregisteredop(explicit: [unregistered(x)])")
        #expect(throws: AssetError.self) { try roundTrip { w in w.value(53) { $0.putNested(CrateWriter.inlined(3, 7)) } } }
    }

    @Test func timeSamples() throws {
        func samples(_ times: [Double], _ reps: [UInt64]) throws -> String {
            try text(
                roundTrip { w in
                    let timesRep = w.value(48) { $0.putVector(times) }
                    return w.value(46) { w in
                        w.putNested(timesRep)
                        w.put(Int64(8))
                        w.putVector(reps)
                    }
                })
        }
        let seven = CrateWriter.inlined(3, 7)
        #expect(try samples([1, 2.5], [seven, CrateWriter.inlined(51, 0)]) == "samples(1.0: int(7), 2.5: block)")
        // Samples in disorder are put in order; of two at one time the first counts.
        #expect(
            try samples([3, 1, 3], [seven, CrateWriter.inlined(3, 1), CrateWriter.inlined(3, 9)]) == "samples(1.0: int(1), 3.0: int(7))")
        #expect(throws: AssetError.self) { try samples([1, 2], [seven]) }
    }

    @Test func samplesShareTimesAndKeepArraysInTheFile() throws {
        var arrayRep: UInt64 = 0
        let r = try roundTrip { w in
            let times = w.value(48) { $0.putVector([1.0, 2.0]) }
            arrayRep = w.array(8, [Float](repeating: 0.25, count: 20))
            let rep = arrayRep
            return w.value(46) { w in
                w.putNested(times)
                w.put(Int64(8))
                w.putVector([rep, rep])
            }
        }
        guard case .timeSamples(let s) = r.value, case .deferred(let source, let rep) = s.values[1] else {
            Issue.record("samples with arrays in the file expected")
            return
        }
        #expect(rep == arrayRep)
        let shape = try #require(try source.arrayShape(rep))
        #expect(shape.type == .float && shape.count == 20)
    }

    @Test func arrayEdits() throws {
        let edit = try roundTrip((0, 14, 0)) { w in
            let literals = w.array(3, [Int32(5), 6])
            let program = w.array(5, [Int64(3), 4, 5])
            return w.value(3) {
                $0.put(literals, program); $0.put(UInt8(0))
            } | 1 << 60
        }
        #expect(try text(edit) == "edit(int[](5, 6), [3, 4, 5])")
        let dense = try roundTrip((0, 14, 0)) { w in
            let literals = w.array(3, [Int32(5), 6])
            return w.value(3) {
                $0.put(literals, UInt64(5) << 48 | 1 << 63); $0.put(UInt8(1))
            } | 1 << 60
        }
        #expect(try text(dense) == "int[](5, 6)")
        #expect(try text(roundTrip((0, 14, 0)) { _ in UInt64(3) << 48 | 1 << 60 }) == "edit(int[](), [])")
    }

    @Test func splines() throws {
        func spline(_ minor: UInt8, _ body: @escaping (inout CrateWriter) -> Void) throws -> Spline? {
            let r = try roundTrip((0, minor, 0)) { w in
                var blob = CrateWriter()
                blob.bytes = []
                body(&blob)
                let data = blob.bytes
                let key = w.string("k")
                return w.value(59) { w in
                    w.putVector(data)
                    w.put(UInt64(1))
                    w.put(3.0)
                    w.put(UInt64(1))
                    w.put(key)
                    w.putNested(CrateWriter.inlined(3, 7))
                }
            }
            guard case .spline(let s) = r.value else { return nil }
            return s
        }
        // Bezier doubles, before linear, after sloped, inner loop, two knots, the second with two values.
        let one = try #require(
            try spline(12) { w in
                w.put(UInt8(0x11), 0x5A)
                w.put(0.5)
                w.put(1.0, 3.0)
                w.put(Int32(2), 1)
                w.put(4.5)
                w.put(UInt32(2))
                w.put(UInt8(0b110))
                w.put(1.0, 5.0, 0.0, 2.0, 0.0, 0.25)
                w.put(UInt8(0b011))
                w.put(3.0, 6.0, 7.0, 1.0, 0.0, 0.5, 0.0)
            })
        #expect(one.valueType == .double && one.curveType == .bezier && !one.isTimeValued)
        #expect(one.preExtrapolation.mode == .linear && one.postExtrapolation.mode == .sloped && one.postExtrapolation.slope == 0.5)
        #expect(one.innerLoop?.protoStart == 1 && one.innerLoop?.protoEnd == 3 && one.innerLoop?.valueOffset == 4.5)
        #expect(one.innerLoop?.preLoops == 2 && one.innerLoop?.postLoops == 1)
        #expect(one.knots.map(\.time) == [1, 3] && one.knots.map(\.value) == [5, 6])
        #expect(one.knots[0].next == .curve && one.knots[1].next == .held)
        #expect(one.knots[0].postTangentWidth == 2 && one.knots[0].postTangentSlope == 0.25 && one.knots[0].preValue == nil)
        #expect(one.knots[1].preValue == 7 && one.knots[1].preTangentWidth == 1 && one.knots[1].preTangentSlope == 0.5)
        #expect(one.knots[1].customData.entries.count == 1 && one.knots[0].customData.isEmpty)
        // Hermite floats: no widths. Format 2 has tangent algorithms.
        let two = try #require(
            try spline(13) { w in
                w.put(UInt8(0xA2), 0x29)
                w.put(UInt32(1))
                w.put(UInt8(0))
                w.put(3.0)
                w.put(Float(1.5), 0.5, 0.25)
                w.put(UInt8(0x21))
            })
        #expect(two.valueType == .float && two.curveType == .hermite && two.postExtrapolation.mode == .loopReset)
        #expect(two.knots[0].preTangentAlgorithm == 1 && two.knots[0].postTangentAlgorithm == 2)
        #expect(two.knots[0].next == .valueBlock && two.knots[0].preTangentSlope == 0.5)
        // Format 3: loop boundaries before slopes, time codes.
        let three = try #require(
            try spline(15) { w in
                w.put(UInt8(0x43), 0x23, 2)
                w.put(3.0, 0.75)
                w.put(UInt32(0))
            })
        #expect(three.valueType == .timeCode && three.isTimeValued)
        #expect(three.preExtrapolation.mode == .sloped && three.preExtrapolation.slope == 0.75)
        #expect(three.preExtrapolation.loopBoundaryTime == nil)
        #expect(three.postExtrapolation.mode == .loopRepeat && three.postExtrapolation.loopBoundaryTime == 3)
        let four = try #require(
            try spline(16) { w in
                w.put(UInt8(0x54), 0x09, 0); w.put(UInt32(0))
            })
        #expect(four.valueType == .duration)
        #expect(throws: AssetError.self) {
            try spline(16) { w in
                w.put(UInt8(0x15), 0x09); w.put(UInt32(0))
            }
        }
        #expect(throws: AssetError.self) {
            try spline(16) { w in
                w.put(UInt8(0x11), 0x09); w.put(UInt32(1000))
            }
        }
    }

    // MARK: Values that go wrong

    @Test func valuesThatContainThemselvesEnd() throws {
        #expect(throws: AssetError.self) {
            try roundTrip { w in
                let at = UInt64(w.bytes.count)
                return w.value(52) { $0.putNested(52 << 48 | at) }
            }
        }
        // Each level refers twice to the next one: the work is bounded, not only the depth.
        #expect(throws: AssetError.self) {
            try roundTrip { w in
                let key = w.string("k")
                var rep = CrateWriter.inlined(3, 1)
                for _ in 0..<40 {
                    let inner = rep
                    rep = w.value(31) { w in
                        w.put(UInt64(2))
                        for _ in 0..<2 {
                            w.put(key)
                            w.putNested(inner)
                        }
                    }
                }
                return rep
            }
        }
    }

    @Test func badValuesNameTheirPlace() throws {
        func fails(_ make: (inout CrateWriter) -> UInt64) -> AssetError? {
            do {
                _ = try roundTrip((0, 8, 0), make)
                return nil
            } catch { return error as? AssetError }
        }
        let far = fails { _ in 9 << 48 | 0xFFFF_FFFF_FFFF }
        #expect(far?.diagnostic.code == "usdc.bad-value")
        #expect(far?.diagnostic.location.position == .byteOffset(0xFFFF_FFFF_FFFF))
        #expect(fails { _ in CrateWriter.inlined(99, 0) }?.diagnostic.message.contains("99") == true)
        #expect(fails { _ in CrateWriter.inlined(42, 9) } != nil)
        #expect(fails { _ in CrateWriter.inlined(11, 9999) } != nil)
        #expect(fails { _ in CrateWriter.inlined(10, 9999) } != nil)
        #expect(fails { w in w.value(41) { $0.put(UInt64.max) } } != nil)
        #expect(fails { w in w.value(31) { $0.put(UInt64(1), 0, 0, 0) } } != nil)
        #expect(
            fails { w in
                w.value(40) {
                    $0.put(UInt64(1)); $0.put(UInt32(9999))
                }
            } != nil)
        // Types without arrays.
        #expect(fails { w in w.here(31, array: true) } != nil)
        #expect(fails { w in w.here(46, array: true) } != nil)
    }
}
