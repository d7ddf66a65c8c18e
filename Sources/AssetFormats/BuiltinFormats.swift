public import AssetIO

/// The formats of this room, one line each, in the order in which they are tried on a file's first bytes.
public var builtinFormats: [any Format] {
    [
        GLTFFormat(.glb),
        GLTFFormat(.gltf),
        OBJFormat(),
        PLYFormat(),
        STLFormat(),
    ]
}
