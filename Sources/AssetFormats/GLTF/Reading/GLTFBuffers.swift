import AssetIO
import AssetModel

/// The bytes of a document's buffers, opened when one of them is asked for.
struct GLTFBuffers {
    private let document: GLTFDocument
    private var opened: [Int: FileBytes] = [:]
    /// The files that buffers lie in, in the order in which they were opened.
    private(set) var files: [SourceDescription.File] = []
    private var unpacked: [Int: FileBytes] = [:]
    var budget: GLTFBudget

    init(_ document: GLTFDocument, _ limits: ReadLimits) {
        self.document = document
        budget = GLTFBudget(document.file.count, limits)
    }

    /// The bytes of a buffer: those that are there, whatever it says of itself.
    ///
    /// Throws `gltf.missing-buffer` where there are none.
    mutating func buffer(_ index: Int, _ resolver: any AssetResolver, _ diagnostics: inout Diagnostics) throws(AssetError) -> FileBytes {
        if let known = opened[index] { return known }
        guard index >= 0, index < document.buffers.count else {
            throw AssetError(
                "gltf.bad-reference", "buffer \(index) is asked for, there are \(document.buffers.count)",
                at: SourceLocation(file: document.file.name))
        }
        let place = document.place("buffers", index)
        let bytes: FileBytes
        switch document.buffers[index].source {
        case .none:
            guard index == 0, let binary = document.binary else {
                throw AssetError("gltf.missing-buffer", "the buffer names no file, and there is no binary chunk", at: place)
            }
            bytes = binary
        case .data(let data, _): bytes = data
        case .view: throw AssetError("gltf.missing-buffer", "the buffer has no bytes", at: place)
        case .uri(let uri):
            guard
                let found = AssetLookup.find(
                    uri, from: document.file.name, opened: document.file.name, decodingPercent: true, in: resolver)
            else { throw AssetError("gltf.missing-buffer", "the buffer's file '\(uri)' is not found", at: place) }
            if let warning = found.warning(uri, at: place.location) { diagnostics.add(warning) }
            bytes = try resolver.open(found.path)
            budget.byteCount = budget.byteCount.adding(checked: bytes.count) ?? budget.byteCount
            files.append(SourceDescription.File(path: uri, role: "buffer", byteCount: bytes.count, resolved: found.path))
        }
        let said = document.buffers[index].byteLength
        if bytes.count < said {
            diagnostics.warning("gltf.short-buffer", "the buffer says \(said) bytes, \(bytes.count) are there", at: place)
        }
        opened[index] = bytes
        return bytes
    }

    /// The bytes of a view, unpacked. Throws where it lies outside its buffer, or its bytes are damaged.
    mutating func view(_ index: Int, _ resolver: any AssetResolver, _ diagnostics: inout Diagnostics) throws(AssetError) -> FileBytes {
        let view = try known(index)
        if let packed = view.packed { return try unpack(packed, index, resolver, &diagnostics) }
        return try slice(view.buffer, view.byteOffset, view.byteLength, index, resolver, &diagnostics)
    }

    /// The view's own words.
    func known(_ index: Int) throws(AssetError) -> GLTFDocument.BufferView {
        guard index >= 0, index < document.bufferViews.count else {
            throw AssetError(
                "gltf.bad-reference", "buffer view \(index) is asked for, there are \(document.bufferViews.count)",
                at: SourceLocation(file: document.file.name))
        }
        return document.bufferViews[index]
    }

    private mutating func slice(
        _ buffer: Int, _ offset: Int, _ count: Int, _ view: Int, _ resolver: any AssetResolver, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> FileBytes {
        let whole = try self.buffer(buffer, resolver, &diagnostics)
        guard let part = whole.slice(offset, count: count) else {
            throw AssetError(
                "gltf.view-out-of-range", "the view asks for \(count) bytes from \(offset), the buffer has \(whole.count)",
                at: document.place("bufferViews", view))
        }
        return part
    }

    private mutating func unpack(
        _ packed: GLTFDocument.Packed, _ view: Int, _ resolver: any AssetResolver, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> FileBytes {
        if let known = unpacked[view] { return known }
        let bytes = try slice(packed.buffer, packed.byteOffset, packed.byteLength, view, resolver, &diagnostics)
        let all = try GLTFMeshopt.unpack(packed, bytes, &budget, document.place("bufferViews", view, "extensions"))
        unpacked[view] = all
        return all
    }
}
