import AssetIO

/// The registry as text and as `facet.formats/1`.
struct FormatsPrinter {
    let registry: FormatRegistry

    func text(to out: TextBuffer) {
        var table = TextTable(
            [.left, .left, .left, .left, .left, .left], head: ["format", "name", "extensions", "reads", "writes", "state"])
        for format in registry.formats {
            let info = format.info
            table.add([
                TextItem(info.id, .cyan), TextItem(info.name), TextItem(info.fileExtensions.map { "." + $0 }.joined(separator: " ")),
                TextItem(info.canRead ? "own reader" : "", .green), TextItem(info.canWrite ? "own writer" : "", .green),
                TextItem(info.maturity.rawValue, .dim),
            ])
        }
        table.print(to: out)
    }

    func json(to buffer: TextBuffer) {
        var json = JSONWriter()
        json.beginObject()
        json.schema("facet.formats/1")
        json.key("formats")
        json.beginArray()
        for format in registry.formats {
            let info = format.info
            json.beginObject()
            json.member("id", info.id)
            json.member("name", info.name)
            json.strings("extensions", info.fileExtensions)
            json.member("mediaType", info.mediaType)
            json.member("reads", info.canRead)
            json.member("writes", info.canWrite)
            json.member("state", info.maturity.rawValue)
            json.strings("notes", info.notes)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.flush(buffer)
    }
}
