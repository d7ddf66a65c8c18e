import AssetIO
import AssetModel

/// Which extensions are read, and what is said of others.
enum GLTFExtensions {
    /// Read into the scene, or of no effect on it.
    static let known: Set<String> = [
        "KHR_lights_punctual", "KHR_materials_anisotropy", "KHR_materials_clearcoat", "KHR_materials_diffuse_transmission",
        "KHR_materials_dispersion", "KHR_materials_emissive_strength", "KHR_materials_ior", "KHR_materials_iridescence",
        "KHR_materials_pbrSpecularGlossiness", "KHR_materials_sheen", "KHR_materials_specular", "KHR_materials_transmission",
        "KHR_materials_unlit", "KHR_materials_volume", "KHR_mesh_quantization", "KHR_node_visibility", "KHR_texture_transform",
        "KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_materials_variants",
        "KHR_node_selectability", "KHR_node_hoverability", "KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds",
        "EXT_mesh_gpu_instancing", "KHR_xmp",
        "KHR_xmp_json_ld",
    ]

    /// Throws `gltf.required-extension` where the file cannot do without one that is not read.
    static func check(_ document: GLTFDocument, _ diagnostics: inout Diagnostics) throws(AssetError) {
        let file = document.file.name
        for (i, name) in document.extensionsRequired.enumerated() where !known.contains(name) {
            throw AssetError(
                "gltf.required-extension", "the file needs \(name), which is not read",
                at: SourceLocation(file: file, position: .jsonPointer("/extensionsRequired/\(i)")))
        }
        for (i, name) in document.extensionsUsed.enumerated() where !known.contains(name) {
            diagnostics.warning(
                "gltf.dropped.extension", "\(name) is not read: what it says is left out",
                at: SourceLocation(file: file, position: .jsonPointer("/extensionsUsed/\(i)")))
        }
    }
}
