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
        #expect(op("xformOp:translate").matrix(.tuple(.double3, [1, 2, 3])).0 == .translation(Vector3d(1, 2, 3)))
        #expect(op("!invert!xformOp:translate").matrix(.tuple(.float3, [1, 2, 3])).0 == .translation(Vector3d(-1, -2, -3)))
        #expect(op("!invert!xformOp:scale").matrix(.tuple(.float3, [2, 4, 8])).0 == .scale(Vector3d(0.5, 0.25, 0.125)))
        #expect(op("xformOp:translateY").matrix(.double(5)).0 == .translation(Vector3d(0, 5, 0)))
        #expect(op("!invert!xformOp:scaleZ").matrix(.float(4)).0 == .scale(Vector3d(1, 1, 0.25)))
    }

    @Test func aTurnAboutZTakesXToY() {
        let m = op("xformOp:rotateZ").matrix(.float(90)).0
        let p = m.transform(point: Vector3d(1, 0, 0))
        #expect(abs(p.x) < 1e-12 && abs(p.y - 1) < 1e-12)
    }

    @Test(arguments: ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
    func threeAxisTurnsApplyTheirAxesInOrder(order: String) {
        let degrees = [10.0, 20, 30]
        let value = USDValue.tuple(.float3, degrees)
        let single = order.map { axis in
            op("xformOp:rotate\(axis)").matrix(.double(degrees[axis == "X" ? 0 : axis == "Y" ? 1 : 2])).0
        }
        let m = op("xformOp:rotate\(order)").matrix(value).0
        #expect(near(m, single[0] * single[1] * single[2]))
        #expect(near(m * op("!invert!xformOp:rotate\(order)").matrix(value).0, .identity))
    }

    @Test func quaternionsTurnWhateverTheirLength() {
        // 90° about x; (i, j, k, real).
        let half = 0.5.squareRoot()
        let m = op("xformOp:orient").matrix(.tuple(.quatf, [half, 0, 0, half])).0
        #expect(near(m, op("xformOp:rotateX").matrix(.double(90)).0))
        // The axis is normalised, the real part gives the angle.
        #expect(near(op("xformOp:orient").matrix(.tuple(.quatd, [7, 0, 0, half])).0, m))
        #expect(op("xformOp:orient").matrix(.tuple(.quatf, [0, 0, 0, 1])).0 == .identity)
        #expect(near(op("!invert!xformOp:orient").matrix(.tuple(.quath, [half, 0, 0, half])).0 * m, .identity))
    }

    @Test func valuesThatDoNotFitAreIdentity() {
        for (name, value) in [
            ("xformOp:translate", USDValue.double(1)), ("xformOp:rotateX", .tuple(.float3, [1, 2, 3])), ("xformOp:orient", .double(1)),
            ("xformOp:transform", .tuple(.double3, [1, 2, 3])), ("xformOp:wobble", .tuple(.double3, [1, 2, 3])),
            ("!invert!xformOp:transform", .tuple(.matrix4d, Array(repeating: 0, count: 16))),
        ] {
            let (m, fits) = op(name).matrix(value)
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
