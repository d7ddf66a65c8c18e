public import AssetIO
public import AssetModel

/// Polygon File Format, also Stanford Triangle Format (G. Turk, "The PLY Polygon File Format", 1994): tables of numbers, as text or
/// binary in either byte order. Tristrips are Stanford's, texture files and coordinates of faces MeshLab's.
public struct PLYFormat: Format {
    public init() {}

    public var info: FormatInfo {
        FormatInfo(
            id: "ply", name: "PLY", fileExtensions: ["ply"], mediaType: "model/ply", canRead: true, canWrite: true,
            notes: [
                "one mesh, or points where a file has no faces; Gaussian splats are read as points with their attributes",
                "colours, normals, texture coordinates and texture files are read; further properties and elements are named in an info",
                "written as one mesh, little-endian unless asked otherwise; faces of any size, curves as edges, points split where corners differ",
                "texture coordinates are written as s and t, which most programs read, images of base colours are named and copied; without "
                    + "display colours the plain base colours of materials are those of the vertices, as they are, without a gamma",
            ])
    }

    public func recognizes(_ head: RawSpan) -> Bool {
        head.withUnsafeBytes { bytes in
            let mark = PLYHeader.byteOrderMark(bytes)
            guard bytes.count >= mark + 4, bytes[mark] == UInt8(ascii: "p"), bytes[mark + 1] == UInt8(ascii: "l"),
                bytes[mark + 2] == UInt8(ascii: "y")
            else { return false }
            // Only blanks may follow in the line.
            for byte in bytes[(mark + 3)...] {
                if byte == 10 || byte == 13 { return true }
                if byte != 32, byte != 9 { return false }
            }
            return false
        }
    }

    public func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
        let header = try PLYHeader(file, limit: context.options.limits.headerBytes)
        try header.checkCounts(file)
        return PLYDocument(file: file, header: header)
    }

    public func write(_ scene: Scene, _ context: inout WriteContext) throws(AssetError) {
        var writer = PLYWriter(scene, context)
        defer { context.diagnostics = writer.diagnostics }
        try writer.write()
    }
}
