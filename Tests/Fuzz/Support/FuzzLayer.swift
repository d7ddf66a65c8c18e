import AssetIO
import AssetModel
import AssetUSD
import Facet
import TestSupport

/// Which parser an input goes to, whatever its first bytes are.
public enum FuzzFormat {
    case usda, usdc, zip, obj, mtl, ply, stl, gltf, glb
}

/// Reads one input and goes on as far as it lets us: every value and every member, then the stage, the scene and all that can
/// be written of it. Errors are fine; traps and scenes that break a promise of the model are not.
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int, as format: FuzzFormat) {
    let bytes = Array(UnsafeBufferPointer(start: bytes, count: count))
    // `FileBytes` copies into an allocation of exactly this size, so that the sanitizer sees a read past the end.
    let file = FileBytes(name: "input", bytes: bytes)
    var limits = ReadLimits()
    // Frames are many times larger with the sanitizer.
    limits.nestingDepth = 100
    limits.unpackedBytes = 64 << 20
    limits.prims = 10_000
    var diagnostics = Diagnostics()
    switch format {
    case .usda:
        guard let layer = try? USDA.parse(file, session: USDSession(), identifier: file.name, limits: limits, &diagnostics) else { return }
        visit(layer)
    case .usdc:
        guard let layer = try? USDC.parse(file, session: USDSession(), identifier: file.name, limits: limits, &diagnostics) else { return }
        visit(layer)
    case .zip:
        guard let archive = try? ZipArchive(file, limits: limits) else { return }
        for entry in archive.entries {
            _ = try? archive.contents(of: entry)
            _ = try? archive.hasRightChecksum(entry)
        }
    case .obj:
        let library = "newmtl a\nKd 1 0 0\nmap_Kd x.png\nnewmtl b\n"
        let result = Exercise(
            bytes, name: "input.obj", registry: .standard, siblings: ["a.mtl": Array(library.utf8), "x.png": [1]], limits: limits)
        precondition(result.violations.isEmpty, "\(result.violations)")
        return
    case .gltf, .glb:
        let name = format == .glb ? "glb" : "gltf"
        let result = Exercise(
            bytes, name: "input." + name, format: name, registry: .standard,
            siblings: ["a.bin": [UInt8](repeating: 0, count: 256), "a.png": [1]], limits: limits)
        precondition(result.violations.isEmpty, "\(result.violations)")
        return
    case .mtl:
        // By way of a file that names the library: all its materials are used where their names are as simple as these.
        let object = "mtllib input.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1/1 2/1 3/1\n"
        let result = Exercise(
            Array(object.utf8), name: "input.obj", registry: .standard, siblings: ["input.mtl": bytes, "x.png": [1]], limits: limits)
        precondition(result.violations.isEmpty, "\(result.violations)")
        return
    case .ply, .stl:
        let name = format == .ply ? "input.ply" : "input.stl"
        let result = Exercise(bytes, name: name, registry: .standard, siblings: ["x.png": [1]], limits: limits)
        precondition(result.violations.isEmpty, "\(result.violations)")
        compareReadings(file, format == .ply ? "ply" : "stl")
        return
    }
    let result = Exercise(bytes, name: format == .zip ? "input.usdz" : "input.usd", registry: .standard, limits: limits)
    precondition(result.violations.isEmpty, "\(result.violations)")
}

/// Decodes every value of a layer.
private func visit(_ layer: USDLayer) {
    for field in layer.fields {
        if case .deferred(let source, let representation) = field.value {
            _ = try? source.arrayShape(representation)
        }
        visit(field.value, depth: 0)
    }
}

private func visit(_ value: USDValue, depth: Int) {
    guard depth < 200, let value = try? value.resolved() else { return }
    switch value {
    case .dictionary(let dictionary): for entry in dictionary.entries { visit(entry.value, depth: depth + 1) }
    case .timeSamples(let samples): for sample in samples.values { visit(sample, depth: depth + 1) }
    default: break
    }
}
