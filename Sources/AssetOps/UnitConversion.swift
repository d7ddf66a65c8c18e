public import AssetModel

/// The transform that takes a scene's numbers to other units and another up axis; identity where both are kept.
///
/// - Parameters:
///   - metersPerUnit: the target's unit in metres, or nil to keep the scene's.
///   - upAxis: `Y` or `Z`, or nil to keep the scene's. A scene without a say counts as metres, Y up.
public func conversion(of scene: Scene, metersPerUnit: Double?, upAxis: String?) -> Matrix4d {
    var result = Matrix4d.identity
    if let upAxis {
        switch (scene.metadata.upAxis ?? "Y", upAxis) {
        case ("Z", "Y"): result = Matrix4d([1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1])
        case ("Y", "Z"): result = Matrix4d([1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1])
        case ("X", "Y"): result = Matrix4d([0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1])
        case ("X", "Z"): result = Matrix4d([0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1])
        default: break
        }
    }
    if let metersPerUnit, metersPerUnit > 0 {
        let source = scene.metadata.metersPerUnit ?? 1
        // A quotient, so that 0.01 to 0.001 is 10 and not 10.000000000000002.
        let factor = source / metersPerUnit
        if factor != 1, factor.isFinite, factor > 0 { result = result * .scale(Vector3d(factor, factor, factor)) }
    }
    return result
}
