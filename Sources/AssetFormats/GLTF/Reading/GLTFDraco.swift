import AssetIO
import AssetModel
import CDraco

/// A mesh that was packed with Draco (KHR_draco_mesh_compression). Immutable.
final class GLTFDracoMesh: Sendable {
    nonisolated(unsafe) private let owner: UnsafeMutableRawPointer
    let pointCount: Int
    let faceCount: Int

    /// Throws `gltf.bad-compression` with the library's reason; `limit` is how many bytes the mesh may take.
    init(_ packed: FileBytes, limit: Int, _ place: GLTFPlace) throws(AssetError) {
        let made = packed.withUnsafeBytes { raw in
            raw.baseAddress.map { facet_draco_decode($0.assumingMemoryBound(to: UInt8.self), raw.count, max(0, limit)) } ?? FacetDracoMesh()
        }
        guard let owner = made.owner else {
            var message = made.message
            let reason = withUnsafeBytes(of: &message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw AssetError(
                "gltf.bad-compression", "Draco cannot unpack the mesh" + (reason.isEmpty ? "" : ": \(Self.plain(reason))"), at: place)
        }
        self.owner = owner
        pointCount = made.pointCount
        faceCount = made.faceCount
    }

    deinit { facet_draco_free_mesh(owner) }

    /// The library's sentences as ours.
    private static func plain(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
        return (text.first.map { $0.lowercased() } ?? "") + text.dropFirst()
    }

    /// Three indices a face, 32 bits each; nil where one of them names no point.
    func indices(_ name: String) -> FileBytes? {
        guard let size = faceCount.multiplied(checked: 12) else { return nil }
        return FileBytes(name: name, count: size) { out in
            guard size > 0, let base = out.baseAddress else { return true }
            return facet_draco_read_indices(owner, base.assumingMemoryBound(to: UInt32.self)) != 0
        }
    }

    /// An element a point; nil where there is no such attribute.
    func attribute(_ id: UInt32, _ component: GLTFColumn.Component, width: Int, _ name: String) -> FileBytes? {
        guard facet_draco_components(owner, id) > 0, let size = pointCount.multiplied(checked: width * component.size) else { return nil }
        return FileBytes(name: name, count: size) { out in
            guard size > 0, let base = out.baseAddress else { return true }
            return facet_draco_read_attribute(owner, id, Int32(component.rawValue), Int32(width), base) != 0
        }
    }
}

extension GLTFAccessors {
    /// The mesh of a view: the last one stays at hand, as a primitive asks for it several times.
    mutating func draco(_ view: Int, _ place: GLTFPlace, _ diagnostics: inout Diagnostics) throws(AssetError) -> GLTFDracoMesh {
        if let last = lastDraco, last.view == view { return last.mesh }
        let packed = try buffers.view(view, resolver, &diagnostics)
        let mesh = try GLTFDracoMesh(packed, limit: buffers.budget.unpackedLeft, place)
        lastDraco = (view, mesh)
        return mesh
    }

    /// An attribute of a packed mesh in the words of its accessor, which has no bytes of its own.
    mutating func column(
        _ accessor: Int, draco view: Int, id: UInt32, _ place: GLTFPlace, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> GLTFColumn {
        let key = DracoKey(view: view, id: id, accessor: accessor)
        if let known = dracoColumns[key] { return known }
        var column = try shape(accessor)
        let mesh = try draco(view, place, &diagnostics)
        if column.count != mesh.pointCount {
            diagnostics.warning(
                "gltf.wrong-length", "the accessor says \(column.count) elements, the packed mesh has \(mesh.pointCount)",
                at: document.place("accessors", accessor))
        }
        column.count = mesh.pointCount
        column.stride = column.width * column.component.size
        try buffers.budget.take(unpacked: column.count.multiplied(checked: column.stride) ?? .max, place)
        guard let bytes = mesh.attribute(id, column.component, width: column.width, document.file.name) else {
            throw AssetError("gltf.bad-compression", "the packed mesh has no attribute \(id) that could be read", at: place)
        }
        column.bytes = bytes
        dracoColumns[key] = column
        return column
    }

    /// The corners of a packed mesh's faces.
    mutating func indices(draco view: Int, _ place: GLTFPlace, _ diagnostics: inout Diagnostics) throws(AssetError) -> GLTFColumn {
        let key = DracoKey(view: view, id: nil, accessor: -1)
        if let known = dracoColumns[key] { return known }
        let mesh = try draco(view, place, &diagnostics)
        var column = GLTFColumn()
        column.component = .uint32
        column.count = mesh.faceCount * 3
        column.stride = 4
        try buffers.budget.take(unpacked: column.count * 4, place)
        guard let bytes = mesh.indices(document.file.name) else {
            throw AssetError("gltf.index-out-of-range", "a packed face names a point that is not there", at: place)
        }
        column.bytes = bytes
        dracoColumns[key] = column
        return column
    }
}

/// What was unpacked of a mesh; nil is its faces.
struct DracoKey: Hashable {
    var view: Int
    var id: UInt32?
    var accessor: Int
}
