public import AssetModel

extension FormatRegistry {
    /// The format of a file: the one asked for in the options, else by its first bytes, else by its extension. A name that
    /// says something else than the content is a warning, and the content is followed.
    ///
    /// - Throws: `format.empty` for a file without bytes, `format.unknown` where neither content nor name is known.
    public func recognize(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Format {
        let place = SourceLocation(file: file.name)
        guard file.count > 0 else { throw AssetError("format.empty", "the file has no bytes", at: place) }
        let content = format(of: file)
        if let wanted = context.options.format {
            // An extension that several formats share (`usd`) leaves the choice to the content.
            let candidates = format(id: wanted).map { [$0] } ?? formats(fileExtension: wanted)
            if let content, candidates.contains(where: { $0.info.id == content.info.id }) { return content }
            if let format = candidates.first { return format }
            throw AssetError("format.unknown", "there is no format '\(wanted)'", at: place)
        }
        let name = AssetPath.fileExtension(file.name)
        let named = formats(fileExtension: name)
        if let content {
            if !name.isEmpty, !named.isEmpty, !named.contains(where: { $0.info.id == content.info.id }) {
                context.diagnostics.warning("format.misleading-name", "the name ends with .\(name), but the content is \(content.info.name)", at: place)
            }
            return content
        }
        if let format = named.first { return format }
        let known = formats.filter { $0.info.canRead }.map(\.info.id).joined(separator: ", ")
        throw AssetError("format.unknown", "the format is not known; expected one of \(known)", at: place)
    }

    /// The first format that recognises the file's first bytes.
    private func format(of file: FileBytes) -> (any Format)? {
        let head = file.bytes.extracting(first: 4096)
        for format in formats where format.recognizes(head) { return format }
        return nil
    }
}
