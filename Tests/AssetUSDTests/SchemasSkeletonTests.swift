import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

@Suite struct SchemasSkeletonTests {
    private let mesh = """
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        """

    @Test func aMeshHangsOnTheNearestSkeleton() throws {
        let s = try SceneText(
            """
            def SkelRoot "r" {
                rel skel:skeleton = </r/S>
                def Skeleton "S" { uniform token[] joints = ["A", "A/B"]
                    uniform matrix4d[] bindTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)), ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 5, 0, 1))]
                    uniform matrix4d[] restTransforms = [((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))] }
                def Mesh "skin" { \(mesh)
                    int[] primvars:skel:jointIndices = [0, 1, 0, 1, 0, 1] ( elementSize = 2
                        interpolation = "vertex" )
                    float[] primvars:skel:jointWeights = [1, 0, 0.5, 0.5, 0, 1] ( elementSize = 2
                        interpolation = "vertex" )
                    matrix4d primvars:skel:geomBindTransform = ((2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (0, 0, 0, 1))
                    uniform token[] skel:joints = ["A/B", "A"] }
                def Mesh "plain" { \(mesh) } }
            """)
        guard case .skeleton(let id) = try s.node("/r/S").content else { return #expect(Bool(false)) }
        #expect(s.scene.skeletons[id].joints == ["A", "A/B"])
        #expect(s.scene.skeletons[id].bindTransforms.last == .translation(Vector3d(0, 5, 0)))
        let skin = try #require(try s.mesh("/r/skin").skin)
        #expect(skin.skeletonPath == "/r/S" && skin.joints == ["A/B", "A"] && skin.jointIndices.elementSize == 2)
        #expect(skin.geomBindTransform == .scale(Vector3d(2, 2, 2)))
        #expect(try s.mesh("/r/skin").primvars.isEmpty)
        #expect(try s.mesh("/r/plain").skin == nil)
        #expect(s.codes == ["usd.skeleton.wrong-length"])
    }

    @Test func constantInfluencesComeFromAbove() throws {
        let s = try SceneText(
            """
            def SkelRoot "r" {
                rel skel:skeleton = </r/S>
                int[] primvars:skel:jointIndices = [0] ( interpolation = "constant" )
                def Skeleton "S" { uniform token[] joints = ["A"] }
                def Mesh "m" { \(mesh) } }
            """)
        #expect(try s.mesh("/r/m").skin?.jointIndices.interpolation == .constant)
    }

    @Test func blendShapesAreCountedAndRead() throws {
        let s = try SceneText(
            """
            def Mesh "m" { \(mesh)
                uniform token[] skel:blendShapes = ["smile", "gone"]
                rel skel:blendShapeTargets = [</m/smile>, </m/gone>]
                def BlendShape "smile" { uniform vector3f[] offsets = [(0, 1, 0)]
                    uniform int[] pointIndices = [2]
                    uniform vector3f[] inbetweens:half = [(0, 0.5, 0)] } }
            """)
        let m = try s.mesh("/m")
        #expect(m.blendShapeCount == 2 && m.blendShapes.map(\.name) == ["smile"])
        #expect(try m.blendShapes[0].offsets.load() == [Vector3f(0, 1, 0)])
        #expect(try m.blendShapes[0].pointIndices?.load() == [2])
        #expect(s.codes == ["usd.dropped.inbetween", "usd.blend-shapes.missing"])
    }

    @Test func animationBecomesTracks() throws {
        let s = try SceneText(
            """
            def Xform "x" { double3 xformOp:translate.timeSamples = { 1: (1, 0, 0), 3: (3, 0, 0) }
                token visibility.timeSamples = { 1: "inherited", 2: "invisible" }
                uniform token[] xformOpOrder = ["xformOp:translate"] }
            def SkelAnimation "a" { float[] blendShapeWeights.timeSamples = { 0: [0, 1], 5: [1, 0] } }
            """
        ) { $0.wantsAnimation = true }
        let clip = try #require(s.scene.animations.first)
        #expect(clip.tracks.map(\.property) == ["transform", "visibility", "blendShapeWeights"])
        #expect(clip.tracks[0].times == [1, 3] && clip.tracks[0].values.count == 32 && clip.tracks[0].values[28] == 3)
        #expect(clip.tracks[1].values == [1, 0] && clip.tracks[1].interpolation == .held)
        #expect(clip.tracks[2].values == [0, 1, 1, 0])
    }

    /// A full turn between two samples would be none for whoever mixes rotations: samples are added. A plain move needs none.
    @Test func turnsGetSamplesInBetween() throws {
        let s = try SceneText(
            """
            def Xform "turn" { float xformOp:rotateZ.timeSamples = { 0: 0, 8: 360 }
                uniform token[] xformOpOrder = ["xformOp:rotateZ"] }
            def Xform "move" { double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 8: (3, 4, 5) }
                uniform token[] xformOpOrder = ["xformOp:translate"] }
            def Xform "quarter" { float xformOp:rotateZ.timeSamples = { 0: 0, 8: 90 }
                uniform token[] xformOpOrder = ["xformOp:rotateZ"] }
            """
        ) { $0.wantsAnimation = true }
        let tracks = try #require(s.scene.animations.first).tracks
        #expect(tracks[0].times == [0, 2, 4, 6, 8] && tracks[1].times == [0, 8] && tracks[2].times == [0, 8])
        // Half way round: x points the other way.
        #expect((tracks[0].values[32] + 1).magnitude < 1e-6)
        #expect(s.scene.animations.count == 1 && s.codes.contains("usd.animation.resampled"))
    }
}
