public import AssetIO
public import AssetModel

/// glTF 2.0 (Khronos; ISO/IEC 12113:2022): JSON with buffers and images beside it, or all in one binary file. What a file is is told
/// by its content.
public struct GLTFFormat: Format {
    private let isBinary: Bool
    public let info: FormatInfo

    /// JSON.
    public static let gltf = GLTFFormat(
        isBinary: false,
        FormatInfo(
            id: "gltf", name: "glTF", fileExtensions: ["gltf"], mediaType: "model/gltf+json", canRead: true, canWrite: false,
            isSingleFile: false, notes: notes))
    /// The binary container.
    public static let glb = GLTFFormat(
        isBinary: true,
        FormatInfo(
            id: "glb", name: "glTF binary", fileExtensions: ["glb"], mediaType: "model/gltf-binary", canRead: true, canWrite: false, notes: notes))


    private static let notes = [
        "glTF 2.0; the default scene is read, further ones are named",
        "primitives of a mesh are one mesh with a subset for each material; lines and points are nodes of their own",
    ]

    private init(isBinary: Bool, _ info: FormatInfo) {
        self.isBinary = isBinary
        self.info = info
    }

    public func recognizes(_ head: RawSpan) -> Bool { isBinary ? GLBContainer.isGLB(head) : GLTFText.isGLTF(head) }

    public func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        try GLTFDecoder.decode(file, &context)
    }
}
