import AssetIO
import AssetModel
import AssetOps
import TestSupport
import Testing

@testable import AssetCommands

@Suite struct JSONTests {
    private func json(_ scene: Scene) -> String {
        let tool = ToolHarness()
        tool.add("a.test", scene)
        return tool.run("tree", "--json", "a.test").output
    }

    @Test func floatsArePrintedAsFloats() {
        var builder = SceneBuilder()
        builder.mesh("A", SampleMesh.polygon([Point3f(0.1, 0.2, 0.3), Point3f(1, 0, 0), Point3f(0, 0.7, 0)]))
        let text = json(builder.scene)
        #expect(text.contains("\"min\": [0, 0, 0]"))
        #expect(text.contains("\"max\": [1, 0.7, 0.3]"))
    }

    @Test func whatIsNotFiniteIsNull() {
        var builder = SceneBuilder()
        builder.node("A", transform: .scale(Vector3d(.nan, .infinity, 1)))
        let text = json(builder.scene)
        #expect(text.contains("[null, 0, 0, 0, 0, null, 0, 0,"))
        #expect(!text.contains("nan") && !text.contains("inf"))
    }

    @Test func boundsOfNothingAreNull() {
        var builder = SceneBuilder()
        builder.mesh("A", Mesh())
        #expect(json(builder.scene).contains("\"worldBounds\": null"))
        #expect(json(builder.scene).contains("\"bounds\": null"))
    }

    @Test func keysComeInAFixedOrder() {
        let text = json(SampleScene.room())
        let keys = [
            "schema", "file", "format", "upAxis", "metersPerUnit", "timeCodesPerSecond", "startTimeCode", "endTimeCode", "defaultPrim",
            "nodes", "materials", "bounds", "totals", "warnings",
        ]
        let places = keys.map { key in text.firstRange(of: "\n  \"\(key)\":")?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test func materialsThatAreNotInTheTreeAreLeftOut() {
        var builder = SceneBuilder()
        let hidden = builder.material("Hidden")
        builder.changeScene { $0.materials[hidden].isInTree = false }
        builder.mesh("A", SampleMesh.cube(), material: hidden)
        let text = json(builder.scene)
        #expect(text.contains("\"material\": \"/Materials/Hidden\""))
        #expect(text.contains("\"materials\": [],"))
    }

    @Test func manyNodesAreCheap() {
        let scene = SampleScene.crowd(20_000)
        let tool = ToolHarness()
        tool.add("a.test", scene)
        let clock = ContinuousClock()
        let time = clock.measure { #expect(tool.run("tree", "--json", "a.test").output.utf8.count > 10_000_000) }
        // A debug build on a busy machine is far from what a release build needs; a quadratic printer would take minutes.
        #expect(time < .seconds(60))
    }
}
