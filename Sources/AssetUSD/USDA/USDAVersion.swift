import AssetModel

/// Which version of the text format a layer needs.
enum USDAVersion {
    /// The smallest minor version that holds everything in the layer: 1 for tangent algorithms of splines, 2 for array edits,
    /// 3 for loop boundaries of splines, 4 for durations.
    static func minor(for layer: USDLayer) throws(AssetError) -> Int {
        var minor = 0
        let duration = layer.session.token("duration")
        let durations = layer.session.token("duration[]")
        // Deferred values are only looked into where their file is new enough to hold edits.
        let mayHoldEdits = layer.encoding != "usdc" || isAtLeast(layer.version, 0, 14)
        for f in layer.fields {
            switch f.value {
            case .token(let t) where f.name == .typeName && (t == duration || t == durations): minor = 4
            case .deferred where f.name != .spline && !mayHoldEdits: break
            default: minor = max(minor, try needed(f.value))
            }
            if minor == USDA.newestMinorVersion { break }
        }
        return minor
    }

    private static func isAtLeast(_ version: String, _ major: Int, _ minor: Int) -> Bool {
        let parts = version.split(separator: ".").map { Int($0) ?? 0 }
        guard parts.count >= 2 else { return true }
        return (parts[0], parts[1]) >= (major, minor)
    }

    private static func largest(_ values: [USDValue]) throws(AssetError) -> Int {
        var most = 0
        for v in values { most = max(most, try needed(v)) }
        return most
    }

    private static func needed(_ value: USDValue) throws(AssetError) -> Int {
        switch value {
        // A plain array need not be decoded to know that it is one.
        case .deferred(let source, let rep):
            if let shape = try source.arrayShape(rep) { shape.type == .duration ? 4 : 0 } else { try needed(source.decode(rep)) }
        case .duration: 4
        case .array(let a) where a.type == .duration: 4
        case .arrayEdit(let e): e.type == .duration ? 4 : 2
        case .dictionary(let d), .unregistered(.dictionary(let d)): try largest(d.entries.map { $0.value })
        case .timeSamples(let s): try largest(s.values)
        case .spline(let s):
            if s.valueType == .duration {
                4
            } else if s.preExtrapolation.loopBoundaryTime != nil || s.postExtrapolation.loopBoundaryTime != nil {
                3
            } else if s.knots.contains(where: { $0.preTangentAlgorithm != 0 || $0.postTangentAlgorithm != 0 }) {
                1
            } else {
                0
            }
        default: 0
        }
    }
}
