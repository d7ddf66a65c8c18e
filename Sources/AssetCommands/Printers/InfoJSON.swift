import AssetIO
import AssetModel
import AssetOps

/// `facet.info/1`, of one file or of several.
struct InfoJSON: ~Copyable {
    private var json = JSONWriter()
    private let isList: Bool
    private var isBegun = false

    init(isList: Bool) { self.isList = isList }

    mutating func add(_ summary: Summary, _ diagnostics: Diagnostics, to buffer: TextBuffer) {
        begin()
        if isList { json.beginObject() }
        members(summary)
        json.warnings(diagnostics, of: summary.source.file)
        if isList { json.endObject() }
        json.flushIfFull(buffer)
    }

    /// A file that could not be read.
    mutating func add(_ problem: CommandFailure, of file: String, to buffer: TextBuffer) {
        begin()
        if isList { json.beginObject() }
        json.failure(problem, of: file)
        if isList { json.endObject() }
        json.flushIfFull(buffer)
    }

    private mutating func begin() {
        if isBegun { return }
        isBegun = true
        json.beginObject()
        json.schema("facet.info/1")
        guard isList else { return }
        json.key("assets")
        json.beginArray()
    }

    mutating func finish(to buffer: TextBuffer) {
        if isList { begin() }
        guard isBegun else { return }
        if isList { json.endArray() }
        json.endObject()
        json.flush(buffer)
    }

    private mutating func members(_ s: Summary) {
        json.member("file", s.source.file)
        json.member("format", s.source.format)
        json.member("version", s.source.version)
        json.member("generator", s.metadata.generator)
        json.member("bytes", s.source.byteCount)
        json.units(s.metadata)
        json.key("nodesByType")
        json.beginObject()
        for t in s.nodesByType { json.member(t.type, t.count) }
        json.endObject()
        json.key("totals")
        json.beginObject()
        json.member("meshes", s.totals.meshes)
        json.member("points", s.totals.points)
        json.member("faces", s.totals.faces)
        json.member("triangles", s.totals.triangles)
        json.member("materials", s.totals.materials)
        json.member("textures", s.totals.textures)
        json.member("drawCalls", s.totals.drawCalls)
        json.endObject()
        json.key("materials")
        json.beginArray()
        for m in s.materials {
            json.beginObject()
            json.member("path", m.path)
            json.member("name", m.name)
            json.member("shader", m.shader)
            json.endObject()
        }
        json.endArray()
        textures(s)
        contents(s)
        json.key("files")
        json.beginArray()
        for f in s.source.files {
            json.beginObject()
            json.member("path", f.path)
            json.member("role", f.role)
            json.member("bytes", f.byteCount)
            json.member("resolved", f.resolved)
            json.endObject()
        }
        json.endArray()
        json.box("bounds", s.bounds)
        json.box("boundsMeters", s.boundsMeters)
    }

    private mutating func textures(_ s: Summary) {
        json.key("textures")
        json.beginArray()
        for t in s.textures {
            json.beginObject()
            json.member("file", t.file)
            json.member("resolved", t.resolved)
            json.member("mediaType", t.mediaType)
            json.member("width", t.width)
            json.member("height", t.height)
            json.member("channels", t.channels)
            json.member("bytes", t.bytes)
            json.endObject()
        }
        json.endArray()
    }

    private mutating func contents(_ s: Summary) {
        json.key("animations")
        json.beginArray()
        for a in s.animations {
            json.beginObject()
            json.member("name", a.name)
            json.short("start", a.start)
            json.short("end", a.end)
            json.short("fps", a.fps)
            json.member("channels", a.channels)
            json.endObject()
        }
        json.endArray()
        json.key("skeletons")
        json.beginArray()
        for k in s.skeletons {
            json.beginObject()
            json.member("path", k.path)
            json.member("joints", k.joints)
            json.endObject()
        }
        json.endArray()
        json.strings("cameras", s.cameras)
        json.strings("lights", s.lights)
        json.key("variants")
        json.beginObject()
        for v in s.variants {
            json.key(v.path)
            json.beginObject()
            for set in v.sets {
                json.key(set.name)
                json.beginObject()
                json.member("selected", set.selection)
                json.strings("choices", set.choices)
                json.endObject()
            }
            json.endObject()
        }
        json.endObject()
    }
}
