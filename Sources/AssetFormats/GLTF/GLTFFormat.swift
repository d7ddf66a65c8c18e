public import AssetIO
public import AssetModel

/// glTF 2.0 (Khronos; ISO/IEC 12113:2022): JSON with buffers and images beside it, or all in one binary file. What a file is is told
/// by its content, whichever of the two is asked.
public struct GLTFFormat: Format {
    public enum Container: String, Sendable { case gltf, glb }

    private let container: Container

    public init(_ container: Container) { self.container = container }

    public var info: FormatInfo {
        let notes = [
            "glTF 2.0; the default scene is read, further ones are named",
            "primitives of a mesh are one mesh with a subset for each material; lines and points are nodes of their own",
        ]
        switch container {
        case .gltf:
            return FormatInfo(
                id: "gltf", name: "glTF", fileExtensions: ["gltf"], mediaType: "model/gltf+json", canRead: true, canWrite: false,
                isSingleFile: false, notes: notes)
        case .glb:
            return FormatInfo(
                id: "glb", name: "glTF binary", fileExtensions: ["glb"], mediaType: "model/gltf-binary", canRead: true, canWrite: false,
                notes: notes)
        }
    }

    public func recognizes(_ head: RawSpan) -> Bool {
        switch container {
        case .gltf: GLTFText.isGLTF(head)
        case .glb: GLBContainer.isGLB(head)
        }
    }

    public func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        try GLTFDecoder.decode(file, &context)
    }
}
