import AssetIO
import AssetModel

/// The binary container (glTF 2.0, chapter 4): a header of twelve bytes, a chunk of JSON, at most one of binary data.
struct GLBContainer {
    /// Where the JSON lies.
    let json: Range<Int>
    /// Where the first binary chunk lies; nil where there is none.
    let binary: Range<Int>?

    static let magic: UInt32 = 0x4654_6C67  // "glTF"
    private static let jsonType: UInt32 = 0x4E4F_534A
    private static let binaryType: UInt32 = 0x004E_4942

    static func isGLB(_ head: RawSpan) -> Bool {
        head.byteCount >= 4 && UInt32(littleEndian: head.unsafeLoadUnaligned(as: UInt32.self)) == magic
    }

    /// Throws `gltf.bad-glb` for what is cut off or has no JSON, `gltf.unsupported-version` for another version than 2.
    init(_ file: FileBytes, _ diagnostics: inout Diagnostics) throws(AssetError) {
        let words = Words(file: file)
        guard let version = words[4], let length = words[8] else {
            throw AssetError("gltf.bad-glb", "the file has \(file.count) bytes, expected a header of 12", at: file.location(0))
        }
        guard version == 2 else {
            throw AssetError("gltf.unsupported-version", "the container's version is \(version), expected 2", at: file.location(4))
        }
        guard length <= file.count else {
            throw AssetError("gltf.bad-glb", "the header says \(length) bytes, the file has \(file.count)", at: file.location(8))
        }
        if length < file.count {
            diagnostics.warning(
                "gltf.trailing-bytes", "\(file.count - length) bytes stand behind the \(length) that the header says, left out", at: file.location(8))
        }
        var json: Range<Int>?
        var binary: Range<Int>?
        var offset = 12
        while offset < length {
            guard let size = words[offset], let type = words[offset + 4], offset + 8 <= length else {
                throw AssetError("gltf.bad-glb", "\(length - offset) bytes are left, expected a chunk's header of 8", at: file.location(offset))
            }
            let start = offset + 8
            guard size <= length - start else {
                throw AssetError("gltf.bad-glb", "a chunk says \(size) bytes, \(length - start) are there", at: file.location(offset))
            }
            let range = start..<(start + size)
            switch UInt32(truncatingIfNeeded: type) {
            case Self.jsonType where json == nil: json = range
            case Self.binaryType where binary == nil: binary = range
            default:
                diagnostics.info(
                    "gltf.unknown-chunk", "a chunk of \(size) bytes is neither the JSON nor the binary one, left out", at: file.location(offset))
            }
            offset = start + size
        }
        guard let json else { throw AssetError("gltf.bad-glb", "there is no chunk of JSON", at: file.location(12)) }
        self.json = json
        self.binary = binary
    }

    private struct Words {
        let file: FileBytes

        subscript(offset: Int) -> Int? {
            guard offset >= 0, offset <= file.count - 4 else { return nil }
            return Int(UInt32(littleEndian: file.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
    }
}
