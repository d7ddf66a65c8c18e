import AssetIO
import AssetModel
import Testing

@testable import AssetUSD

/// Parses USDA text that starts behind its header line.
func parseUSDA(_ body: String, header: String = "#usda 1.0\n", limits: ReadLimits = ReadLimits()) throws(AssetError) -> USDLayer {
    try parseUSDA(bytes: Array((header + body).utf8), limits: limits)
}

func parseUSDA(bytes: [UInt8], limits: ReadLimits = ReadLimits()) throws(AssetError) -> USDLayer {
    var diagnostics = Diagnostics()
    return try USDA.parse(
        FileBytes(name: "test.usda", bytes: bytes), session: USDSession(), identifier: "test.usda", limits: limits, &diagnostics)
}

/// The printed text of a layer.
func printUSDA(_ layer: USDLayer) throws(AssetError) -> String {
    String(decoding: try USDA.text(of: layer), as: UTF8.self)
}

extension USDLayer {
    /// The value of a field at a path given as text.
    func value(_ path: String, _ field: String = "default") -> USDValue? {
        guard let p = session.paths.parse(path), let spec = spec(at: p) else { return nil }
        return try? self.field(spec, session.token(field))?.resolved()
    }

    /// What `description` says of a field's value, with tokens and paths spelled out.
    func text(_ path: String, _ field: String = "default") throws(AssetError) -> String? {
        guard let value = value(path, field) else { return nil }
        var writer = USDAWriter(self) { _ throws(AssetError) in }
        try writer.write(value)
        return writer.out.text
    }
}
