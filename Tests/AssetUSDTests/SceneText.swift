import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// A scene from USDA text, with other files in memory beside it.
struct SceneText {
    let scene: Scene
    let diagnostics: Diagnostics

    init(_ text: String, files: [String: String] = [:], _ change: (inout ReadOptions) -> Void = { _ in }) throws {
        let resolver = InMemoryResolver()
        let whole = text.hasPrefix("#usda") ? text : "#usda 1.0\n(\n    upAxis = \"Y\"\n    metersPerUnit = 1\n)\n" + text
        resolver.add("test/main.usda", text: whole)
        for (name, content) in files { resolver.add("test/" + name, text: content) }
        var options = ReadOptions()
        change(&options)
        var context = ReadContext(resolver: resolver, options: options)
        let document = try USDDocument(try resolver.open("test/main.usda"), &context)
        scene = try document.scene(&context)
        diagnostics = context.diagnostics
        #expect(SceneInvariants.violations(in: scene).map(\.description) == [])
    }

    /// The node at a path. Fails the test where there is none.
    func node(_ path: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> Node {
        try #require(scene.nodes.first { $0.path == path }, sourceLocation: sourceLocation)
    }

    func mesh(_ path: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> Mesh {
        guard case .mesh(let id) = try node(path, sourceLocation: sourceLocation).content else {
            throw AssetError("test.no-mesh", "no mesh", at: SourceLocation(file: path))
        }
        return scene.meshes[id]
    }

    func material(_ name: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> Material {
        try #require(scene.materials.first { $0.name == name }, sourceLocation: sourceLocation)
    }

    /// Path of the material bound to a node, or nil.
    func bound(_ path: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> String? {
        try node(path, sourceLocation: sourceLocation).material.map { scene.materials[$0].path }
    }

    func preview(_ path: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> String? {
        try node(path, sourceLocation: sourceLocation).previewMaterial.map { scene.materials[$0].path }
    }

    /// Codes of the diagnostics, in order.
    /// Codes of the warnings, but for that of prims on one line, which tests write to be short.
    var codes: [String] { diagnostics.entries.map(\.code).filter { $0 != "usda.missing-line-end" } }
}
