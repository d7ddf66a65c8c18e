import AssetModel
import Testing

@testable import AssetUSD

@Suite struct SchemasValuesTests {
    @Test(arguments: [
        (0x0000, 0 as Float), (0x8000, -0.0), (0x3c00, 1), (0xc000, -2), (0x7bff, 65504), (0x0001, 0x1p-24), (0x03ff, 1023 * 0x1p-24),
        (0x0400, 0x1p-14), (0x3555, 0.333251953125), (0x7c00, .infinity), (0xfc00, -.infinity),
    ])
    func halvesAreExact(bits: Int, value: Float) {
        #expect(Half.float(UInt16(bits)).bitPattern == value.bitPattern)
    }

    @Test func halfNaNStaysNaN() { #expect(Half.float(0x7e01).isNaN) }

    @Test func packedArraysShowTheirComponents() throws {
        let array = USDArray(.float3, .float([1, 2, 3, 4, 5, 6]))
        let points = try #require(try ArrayValues.points(.array(array)))
        #expect(points.count == 2)
        guard case .float(let f) = points else { return #expect(Bool(false), "floats stay floats") }
        #expect(try f.load() == [Point3f(1, 2, 3), Point3f(4, 5, 6)])
        var seen: [Point3f] = []
        try f.forEachBlock { seen.append(contentsOf: $0) }
        #expect(seen == [Point3f(1, 2, 3), Point3f(4, 5, 6)])
    }

    @Test func doublePointsStayDoubles() throws {
        let points = try #require(try ArrayValues.points(.array(USDArray(.double3, .double([0.1, 0.2, 1e-17])))))
        guard case .double(let d) = points else { return #expect(Bool(false), "doubles stay doubles") }
        #expect(try d.load() == [Point3d(0.1, 0.2, 1e-17)])
    }

    @Test func halvesAndDoublesBecomeFloats() throws {
        let half = USDValue.array(USDArray(.half2, .half([0x3c00, 0xc000])))
        #expect(try ArrayValues.vectors2(half)?.load() == [Vector2f(1, -2)])
        let double = USDValue.array(USDArray(.double2, .double([0.5, 0.25])))
        let converted = try #require(try ArrayValues.vectors2(double))
        var seen: [Vector2f] = []
        try converted.forEachBlock { seen.append(contentsOf: $0) }
        #expect(seen == [Vector2f(0.5, 0.25)])
    }

    @Test func integersOfAnyWidthAreClamped() throws {
        let wide = USDValue.array(USDArray(.int64, .int64([5_000_000_000, -1, .min])))
        #expect(try ArrayValues.ints(wide)?.load() == [.max, -1, .min])
        #expect(try isNone(ArrayValues.ints(.array(USDArray(.float, .float([1]))))))
    }

    private func isNone<T>(_ value: T?) -> Bool { value == nil }

    @Test func wrongTypesAreNoArrays() throws {
        #expect(try isNone(ArrayValues.vectors3(.array(USDArray(.float2, .float([1, 2]))))))
        #expect(try isNone(ArrayValues.points(.string("x"))))
        #expect(try ArrayValues.quaternions(.array(USDArray(.float4, .float([0, 0, 0, 1])))) == nil)
    }

    @Test func openValuesKeepTheirPrecision() {
        let session = USDSession()
        #expect(USDValue.tuple(.float3, [0.5, 1, 2]).openValue(session) == .floats([0.5, 1, 2]))
        #expect(USDValue.tuple(.double3, [0.1, 1, 2]).openValue(session) == .doubles([0.1, 1, 2]))
        #expect(USDValue.token(session.token("raw")).openValue(session) == .string("raw"))
        #expect(USDValue.uint64(.max).openValue(session) == .double(Double(UInt64.max)))
        #expect(USDValue.block.openValue(session) == nil)
    }
}

@Suite struct SchemaTableTests {
    @Test func typesHaveTheirTraits() {
        let session = USDSession()
        let table = SchemaTable(session)
        #expect(table[.Mesh].isGprim && table[.Mesh].isXformable && table[.Mesh].isImageable)
        #expect(table[.Scope].isImageable && !table[.Scope].isXformable)
        #expect(table[.Material].isContainer && !table[.Material].isImageable)
        #expect(table[session.token("DomeLight_1")].isLight)
        #expect(!table[.PointInstancer].isGprim && table[.PointInstancer].isXformable)
        // Abstract types are none: no prim can be of them.
        #expect(!table.knows(session.token("Gprim")))
        #expect(!table[session.token("Nonsense")].isImageable)
    }

    @Test func fallbackTypesStandIn() {
        let session = USDSession()
        var table = SchemaTable(session)
        var fallbacks = USDDictionary()
        fallbacks.entries = [("Shape_7", .tokens([session.token("Shape_6"), .Mesh])), ("Mesh", .tokens([.Scope]))]
        table.add(fallbacks: fallbacks, session)
        #expect(table[session.token("Shape_7")].isGprim)
        #expect(table[.Mesh].isGprim)
    }
}
