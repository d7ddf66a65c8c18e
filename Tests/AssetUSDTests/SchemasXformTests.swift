import AssetModel
import Testing

@testable import AssetUSD

@Suite struct XformOpTests {
    private let session = USDSession()

    private func op(_ name: String) -> XformOp { XformOp(session.token(name), session) }

    private func near(_ a: Matrix4d, _ b: Matrix4d) -> Bool {
        zip(a.elements, b.elements).allSatisfy { abs($0 - $1) < 1e-12 }
    }

    @Test func namesAreTakenApart() {
        let pivot = op("!invert!xformOp:translate:pivot")
        #expect(pivot.kind == .translate)
        #expect(pivot.isInverse)
        #expect(session.string(pivot.attribute) == "xformOp:translate:pivot")
        #expect(op("xformOp:rotateYZX").kind == .rotateYZX)
        #expect(op("xformOp:wobble").kind == nil)
        #expect(op("translate").kind == nil)
    }

    @Test func translationAndScale() {
        #expect(op("xformOp:translate").matrix(.double3, SixteenNumbers([1, 2, 3])).0 == .translation(Vector3d(1, 2, 3)))
        #expect(op("!invert!xformOp:translate").matrix(.float3, SixteenNumbers([1, 2, 3])).0 == .translation(Vector3d(-1, -2, -3)))
        #expect(op("!invert!xformOp:scale").matrix(.float3, SixteenNumbers([2, 4, 8])).0 == .scale(Vector3d(0.5, 0.25, 0.125)))
        #expect(op("xformOp:translateY").matrix(.double, SixteenNumbers([5])).0 == .translation(Vector3d(0, 5, 0)))
    }

    @Test func opsOfOneNumberAreInvertedByTheirSign() {
        // As in OpenUSD, a scale along one axis too; zero stays finite.
        #expect(op("!invert!xformOp:scaleX").matrix(.half, SixteenNumbers([4])).0 == .scale(Vector3d(-4, 1, 1)))
        #expect(op("!invert!xformOp:scaleY").matrix(.double, SixteenNumbers([0.5])).0 == .scale(Vector3d(1, -0.5, 1)))
        #expect(op("!invert!xformOp:scaleZ").matrix(.float, SixteenNumbers([4])).0 == .scale(Vector3d(1, 1, -4)))
        #expect(op("!invert!xformOp:scaleZ").matrix(.float, SixteenNumbers([0])).0 == .scale(Vector3d(1, 1, 0)))
        #expect(op("!invert!xformOp:translateX").matrix(.half, SixteenNumbers([3])).0 == .translation(Vector3d(-3, 0, 0)))
        #expect(
            near(
                op("!invert!xformOp:rotateY").matrix(.float, SixteenNumbers([30])).0,
                op("xformOp:rotateY").matrix(.float, SixteenNumbers([-30])).0))
    }

    @Test func aTurnAboutZTakesXToY() {
        let m = op("xformOp:rotateZ").matrix(.float, SixteenNumbers([90])).0
        let p = m.transform(point: Vector3d(1, 0, 0))
        #expect(abs(p.x) < 1e-12 && abs(p.y - 1) < 1e-12)
    }

    @Test(arguments: ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
    func threeAxisTurnsApplyTheirAxesInOrder(order: String) {
        let degrees = [10.0, 20, 30]
        let numbers = SixteenNumbers(degrees)
        let single = order.map { axis in
            op("xformOp:rotate\(axis)").matrix(.double, SixteenNumbers([degrees[axis == "X" ? 0 : axis == "Y" ? 1 : 2]])).0
        }
        let m = op("xformOp:rotate\(order)").matrix(.float3, numbers).0
        #expect(near(m, single[0] * single[1] * single[2]))
        #expect(near(m * op("!invert!xformOp:rotate\(order)").matrix(.float3, numbers).0, .identity))
    }

    @Test func quaternionsTurnWhateverTheirLength() {
        // 90° about x; (i, j, k, real).
        let half = 0.5.squareRoot()
        let m = op("xformOp:orient").matrix(.quatf, SixteenNumbers([half, 0, 0, half])).0
        #expect(near(m, op("xformOp:rotateX").matrix(.double, SixteenNumbers([90])).0))
        // The axis is normalised, the real part gives the angle.
        #expect(near(op("xformOp:orient").matrix(.quatd, SixteenNumbers([7, 0, 0, half])).0, m))
        #expect(op("xformOp:orient").matrix(.quatf, SixteenNumbers([0, 0, 0, 1])).0 == .identity)
        #expect(near(op("!invert!xformOp:orient").matrix(.quath, SixteenNumbers([half, 0, 0, half])).0 * m, .identity))
    }

    @Test func valuesThatDoNotFitAreIdentity() {
        for (name, type, numbers) in [
            ("xformOp:translate", ValueType.double, [1.0]), ("xformOp:rotateX", .float3, [1, 2, 3]), ("xformOp:orient", .double, [1]),
            ("xformOp:transform", .double3, [1, 2, 3]), ("xformOp:wobble", .double3, [1, 2, 3]),
            ("!invert!xformOp:transform", .matrix4d, Array(repeating: 0, count: 16)), ("xformOp:translate", .opaque, []),
        ] {
            let (m, fits) = op(name).matrix(type, SixteenNumbers(numbers))
            #expect(m == .identity && !fits, "\(name)")
        }
    }
}

@Suite struct TextureTransformTests {
    private func apply(_ t: TextureTransform, _ s: Double, _ v: Double) -> (Double, Double) {
        let (c, n) = (cosine(Double(t.rotation)), sine(Double(t.rotation)))
        let (x, y) = (s * Double(t.scale.x), v * Double(t.scale.y))
        return (c * x - n * y + Double(t.translation.x), n * x + c * y + Double(t.translation.y))
    }

    // Only quarter turns are used here.
    private func cosine(_ degrees: Double) -> Double { [0: 1, 90: 0, 180: -1, -180: -1, -90: 0][degrees] ?? .nan }
    private func sine(_ degrees: Double) -> Double { [0: 0, 90: 1, 180: 0, -180: 0, -90: -1][degrees] ?? .nan }

    @Test func chainsBecomeOneTransform() throws {
        let inner = TextureTransform(rotation: 90, scale: Vector2f(2, 3), translation: Vector2f(0.5, -0.25))
        let outer = TextureTransform(rotation: 0, scale: Vector2f(4, -4), translation: Vector2f(1, 2))
        let whole = try #require(TextureTransforms.composed(outer, after: inner))
        for (s, t) in [(0.0, 0.0), (1, 0), (0, 1), (0.25, 0.75)] {
            let a = apply(inner, s, t)
            let expected = apply(outer, a.0, a.1)
            var rounded = whole
            rounded.rotation = whole.rotation.rounded()
            let got = apply(rounded, s, t)
            #expect(abs(got.0 - expected.0) < 1e-5 && abs(got.1 - expected.1) < 1e-5)
        }
    }

    @Test func shearIsRefused() {
        let inner = TextureTransform(rotation: 30, scale: Vector2f(1, 1))
        let outer = TextureTransform(rotation: 0, scale: Vector2f(1, 2))
        #expect(TextureTransforms.composed(outer, after: inner) == nil)
    }
}
