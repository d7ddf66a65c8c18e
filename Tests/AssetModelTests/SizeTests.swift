@testable import AssetModel
import Testing

/// A file of a few megabytes may hold some hundred thousand nodes or materials that say nothing but their names.
@Suite struct SizeTests {
    @Test func whatThereMayBeVeryManyOfIsSmall() {
        #expect(MemoryLayout<Node>.stride <= 160)
        #expect(MemoryLayout<Mesh>.stride <= 272)
        #expect(MemoryLayout<Material>.stride <= 72)
        #expect(MemoryLayout<MaterialInput>.stride <= 32)
        #expect(MemoryLayout<Surface>.stride <= 384)
    }

    @Test func aNodeAtTheOriginKeepsNoMatrices() {
        var node = Node(name: "a", path: "/a", typeName: "Xform")
        #expect(node.localTransform == .identity && node.worldTransform == .identity && node.placements.isEmpty)
        let moved = Matrix4d.translation(Vector3d(1, 2, 3))
        node.worldTransform = moved
        #expect(node.localTransform == .identity && node.worldTransform == moved)
        node.localTransform = moved
        node.worldTransform = .identity
        #expect(node.localTransform == moved && node.worldTransform == .identity)
        node.localTransform = .identity
        #expect(node.placements.isEmpty)
        // A negative zero is kept, as what is written is.
        node.localTransform = .translation(Vector3d(-0.0, 0, 0))
        #expect(node.localTransform.elements[12].sign == .minus && node.worldTransform == .identity)
    }

    @Test func aChannelIsWhatWasSet() {
        var channel = Channel<Float>(0.5)
        let plain = channel
        #expect(channel.texture == nil && channel.primvar == nil)
        channel.texture = TextureBinding(texture: ID(3))
        channel.primvar = "a"
        #expect(channel.texture?.texture == ID(3) && channel.primvar == "a" && channel != plain)
        channel.texture?.output = "r"
        #expect(channel.texture?.output == "r")
        channel.texture = nil
        #expect(channel.texture == nil && channel.primvar == "a")
        channel.primvar = nil
        #expect(channel == plain)
        #expect(Channel(Float(1), texture: TextureBinding(texture: ID(1))).texture == TextureBinding(texture: ID(1)))
        var input = MaterialInput(name: "a", texture: TextureBinding(texture: ID(1)))
        #expect(input.texture?.texture == ID(1))
        input.texture = nil
        #expect(input == MaterialInput(name: "a"))
    }
}
