import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

@Suite struct SchemasInstancerTests {
    private func instancer(_ s: SceneText, _ path: String = "/i") throws -> PointInstancer {
        guard case .instancer(let id) = try s.node(path).content else {
            throw AssetError("test.no-instancer", "no instancer", at: SourceLocation(file: path))
        }
        return s.scene.instancers[id]
    }

    private let prototypes = """
        rel prototypes = [</i/P/a>, </i/P/b>]
        def Scope "P" {
            def Xform "a" { double3 xformOp:translate = (0, 0, 5)
                uniform token[] xformOpOrder = ["xformOp:translate"] }
            def Xform "b" {} }
        """

    @Test func instancesAreScaledTurnedAndMoved() throws {
        let s = try SceneText(
            """
            def PointInstancer "i" {
                int[] protoIndices = [1, 0]
                point3f[] positions = [(1, 2, 3), (10, 0, 0)]
                quath[] orientations = [(1, 0, 0, 0), (0, 0, 1, 0)]
                float3[] scales = [(2, 2, 2), (1, 1, 1)]
                \(prototypes) }
            """)
        let i = try instancer(s)
        #expect(i.prototypePaths == ["/i/P/a", "/i/P/b"])
        #expect(i.transforms[0] == Matrix4d([2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [1, 2, 3, 1]))
        // Half a turn about y after the prototype's own translation.
        #expect(i.transforms[1].transform(point: Vector3d(0, 0, 0)) == Vector3d(10, 0, -5))
        #expect(i.maskedInstances.isEmpty)
    }

    @Test func idsNameTheMaskedOnes() throws {
        let s = try SceneText(
            """
            def PointInstancer "i" ( inactiveIds = [7] ) {
                int64[] ids = [5, 6, 7]
                int64[] invisibleIds = [5]
                int[] protoIndices = [0, 0, 0]
                point3f[] positions = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
                \(prototypes) }
            """)
        #expect(try instancer(s).maskedInstances == [0, 2])
    }

    @Test func withoutIdsTheIndexIsTheId() throws {
        let s = try SceneText(
            """
            def PointInstancer "i" {
                int64[] invisibleIds = [1, 9]
                int[] protoIndices = [0, 0]
                point3f[] positions = [(0, 0, 0), (1, 0, 0)]
                \(prototypes) }
            """)
        #expect(try instancer(s).maskedInstances == [1])
    }

    @Test func instancerWithinItsPrototypeIsTold() throws {
        let s = try SceneText(
            "def Xform \"P\" { def PointInstancer \"i\" { int[] protoIndices = [0]\n point3f[] positions = [(0, 0, 0)]\n rel prototypes = </P> }\n}")
        #expect(s.codes == ["usd.instancer.prototype-cycle"])
    }

    @Test func whatCannotBePlacedIsLeftOut() throws {
        let index = try SceneText(
            "def PointInstancer \"i\" { int[] protoIndices = [0, 2]\n point3f[] positions = [(0, 0, 0), (1, 0, 0)]\n \(prototypes) }")
        #expect(try instancer(index).transforms.isEmpty && instancer(index).protoIndices.count == 2)
        #expect(index.codes == ["usd.instancer.bad-index"])
        let short = try SceneText(
            "def PointInstancer \"i\" { int[] protoIndices = [0, 1]\n point3f[] positions = [(0, 0, 0)]\n \(prototypes) }")
        #expect(try instancer(short).transforms.isEmpty)
        #expect(short.codes == ["usd.instancer.bad-positions"])
        let none = try SceneText("def PointInstancer \"i\" { int[] protoIndices = [0]\n point3f[] positions = [(0, 0, 0)] }")
        #expect(none.codes == ["usd.instancer.no-prototypes"])
        let scales = try SceneText(
            "def PointInstancer \"i\" { int[] protoIndices = [0]\n float3[] scales = []\n float3[] positions = [(0, 0, 0)]\n quath[] orientations = [(1, 0, 0, 0), (1, 0, 0, 0)]\n \(prototypes) }"
        )
        #expect(try instancer(scales).transforms.count == 1)
        #expect(scales.codes == ["usd.instancer.wrong-length"])
    }

    @Test func velocitiesMoveTheEarlierSample() throws {
        let s = try SceneText(
            """
            #usda 1.0
            (
                upAxis = "Y"
                metersPerUnit = 1
                timeCodesPerSecond = 10
            )
            def PointInstancer "i" {
                int[] protoIndices = [1]
                point3f[] positions.timeSamples = { 0: [(0, 0, 0)], 10: [(100, 0, 0)] }
                vector3f[] velocities.timeSamples = { 0: [(2, 0, 0)], 10: [(2, 0, 0)] }
                \(prototypes) }
            """
        ) { $0.time = .at(5) }
        #expect(try instancer(s).positions == [Point3f(1, 0, 0)])
    }
}
