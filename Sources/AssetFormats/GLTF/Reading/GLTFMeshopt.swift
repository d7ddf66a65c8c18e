import AssetIO
import AssetModel
import CMeshopt

/// EXT_meshopt_compression: views packed with meshoptimizer's codecs.
enum GLTFMeshopt {
    /// Unpacks `packed`, which are the bytes that the view's extension names.
    ///
    /// Throws `gltf.bad-compression` for what is none of the codec's, `gltf.unsupported-compression` for a version or a filter that
    /// the library does not know, `gltf.too-much-data` for more than such bytes can come to.
    static func unpack(
        _ view: GLTFDocument.Packed, _ packed: FileBytes, _ budget: inout GLTFBudget, _ place: GLTFPlace
    ) throws(AssetError) -> FileBytes {
        let mode = try mode(view.mode, place)
        let filter = try filter(view.filter, place)
        let isOfIndices = mode != Int32(FACET_MESHOPT_ATTRIBUTES)
        let isStride = isOfIndices ? view.byteStride == 2 || view.byteStride == 4 : view.byteStride % 4 == 0 && 4...256 ~= view.byteStride
        guard isStride else {
            throw AssetError("gltf.bad-compression", "\(view.mode) of \(view.byteStride) bytes each cannot be packed", at: place)
        }
        guard !isOfIndices || filter == Int32(FACET_MESHOPT_NO_FILTER) else {
            throw AssetError("gltf.bad-compression", "\(view.mode) have the filter \(view.filter), expected NONE", at: place)
        }
        guard let size = view.count.multiplied(checked: view.byteStride), view.count <= most(mode, packed.count, view.byteStride) else {
            throw AssetError(
                "gltf.bad-compression", "\(view.count) elements of \(view.byteStride) bytes cannot come of \(packed.count) packed bytes", at: place)
        }
        try budget.take(unpacked: size, place)
        var result = Int32(FACET_MESHOPT_DONE)
        let out = FileBytes(name: packed.name, count: size) { out in
            packed.withUnsafeBytes { raw in
                result = facet_meshopt_decode(
                    out.baseAddress, view.count, view.byteStride, mode, filter, raw.baseAddress?.assumingMemoryBound(to: UInt8.self), raw.count)
            }
            return result == Int32(FACET_MESHOPT_DONE)
        }
        if let out { return out }
        switch Int(result) {
        case FACET_MESHOPT_BAD_VERSION:
            throw AssetError("gltf.unsupported-compression", "the view is packed by a version of the codec that is not known", at: place)
        case FACET_MESHOPT_NO_MEMORY: throw AssetError("gltf.too-much-data", "there is not enough memory to unpack the view", at: place)
        case FACET_MESHOPT_BAD_ARGUMENT:
            throw AssetError(
                "gltf.bad-compression",
                "\(view.count) elements of \(view.byteStride) bytes, mode \(view.mode), filter \(view.filter): they do not go together", at: place)
        default: throw AssetError("gltf.bad-compression", "the packed bytes are damaged", at: place)
        }
    }

    private static func mode(_ name: String, _ place: GLTFPlace) throws(AssetError) -> Int32 {
        switch name {
        case "ATTRIBUTES": return Int32(FACET_MESHOPT_ATTRIBUTES)
        case "TRIANGLES": return Int32(FACET_MESHOPT_TRIANGLES)
        case "INDICES": return Int32(FACET_MESHOPT_INDICES)
        default:
            throw AssetError("gltf.bad-compression", "the mode is '\(name)', expected ATTRIBUTES, TRIANGLES or INDICES", at: place)
        }
    }

    private static func filter(_ name: String, _ place: GLTFPlace) throws(AssetError) -> Int32 {
        switch name {
        case "NONE": return Int32(FACET_MESHOPT_NO_FILTER)
        case "OCTAHEDRAL": return Int32(FACET_MESHOPT_OCTAHEDRAL)
        case "QUATERNION": return Int32(FACET_MESHOPT_QUATERNION)
        case "EXPONENTIAL": return Int32(FACET_MESHOPT_EXPONENTIAL)
        default:
            throw AssetError(
                "gltf.unsupported-compression", "the filter is '\(name)', expected NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL", at: place)
        }
    }

    /// The most elements that so many bytes can hold: an index takes a third of a byte or a whole one, 64 equal bytes of vertices
    /// take one.
    private static func most(_ mode: Int32, _ packed: Int, _ stride: Int) -> Int {
        switch Int(mode) {
        case FACET_MESHOPT_TRIANGLES: return packed.multiplied(checked: 3) ?? .max
        case FACET_MESHOPT_INDICES: return packed
        default: return ((packed.multiplied(checked: 64) ?? .max) / stride).adding(checked: 64) ?? .max
        }
    }
}
