import AssetIO
import AssetModel
import Facet

/// What a reading of a mesh file gave, number by number.
private struct Reading: Equatable {
    var hasFailed = false
    var numbers: [UInt64] = []
    var codes: [String] = []

    init(_ file: FileBytes, _ format: String, pieceSize: Int, wantsArrays: Bool) {
        var context = ReadContext(resolver: InMemoryResolver([:]))
        context.options.pieceSize = pieceSize
        context.options.wantsArrays = wantsArrays
        do throws(AssetError) {
            guard let format = FormatRegistry.standard.format(id: format) else { return }
            let scene = try format.open(file, &context).scene(&context)
            for mesh in scene.meshes {
                numbers += try mesh.faceVertexCounts.load().map { UInt64(bitPattern: Int64($0)) }
                numbers += try mesh.faceVertexIndices.load().map { UInt64(bitPattern: Int64($0)) }
                try add(mesh.points)
            }
            for cloud in scene.points { try add(cloud.points) }
        } catch {
            (hasFailed, numbers) = (true, [])
        }
        codes = hasFailed ? [] : context.diagnostics.entries.map { "\($0.code) \($0.message) \($0.location)" }
    }

    private mutating func add(_ points: PointArray) throws(AssetError) {
        // One NaN is as good as another.
        func bits(_ x: Double) -> UInt64 { x.isNaN ? 0x7FF8_0000_0000_0000 : x.bitPattern }
        switch points {
        case .float(let array): for p in try array.load() { numbers += [bits(Double(p.x)), bits(Double(p.y)), bits(Double(p.z))] }
        case .double(let array): for p in try array.load() { numbers += [bits(p.x), bits(p.y), bits(p.z)] }
        }
    }
}

/// Reads a file value by value, in small pieces, and without keeping arrays: all ways must give the same.
func compareReadings(_ file: FileBytes, _ format: String) {
    let careful = Reading(file, format, pieceSize: 0, wantsArrays: true)
    for (pieceSize, wantsArrays) in [(64, true), (1 << 20, false)] {
        let reading = Reading(file, format, pieceSize: pieceSize, wantsArrays: wantsArrays)
        // Columns that are not kept are not looked at, so that what is wrong in them is not found.
        if !wantsArrays, careful.hasFailed { continue }
        precondition(reading == careful, "pieces of \(pieceSize) bytes differ")
    }
}
