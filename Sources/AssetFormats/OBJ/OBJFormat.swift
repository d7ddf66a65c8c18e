public import AssetIO
public import AssetModel

/// Wavefront OBJ with its MTL material library (Wavefront Technologies, "Object Files" and "Material Library File",
/// 1995; PBR keys after Exocortex, 2014).
public struct OBJFormat: Format {
    public init() {}

    public var info: FormatInfo {
        FormatInfo(
            id: "obj", name: "Wavefront OBJ", fileExtensions: ["obj"], mediaType: "model/obj", canRead: true, canWrite: true,
            isSingleFile: false,
            notes: [
                "objects are nodes, groups sets of faces (nodes where a file has no objects); curves, surfaces and statements of display are "
                    + "told of, not read",
                "no cameras, lights, animation, skins or blend shapes: things stand as they are at one moment",
                "instances are written out one by one; implicit shapes become polygons, curves become lines",
                "one set of texture coordinates for each material; image tiles (UDIM) are reported, not written",
            ])
    }

    public func recognizes(_ head: RawSpan) -> Bool { head.withUnsafeBytes { OBJSniffing.isOBJ($0) } }

    public func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        try OBJDocument(file, &context)
    }

    public func write(_ scene: Scene, _ context: inout WriteContext) throws(AssetError) {
        var writer = try OBJWriter(scene, context)
        defer { context.diagnostics = writer.diagnostics }
        try writer.write()
    }
}
