import AssetIO

/// MTL's shininess `Ns` and roughness, one from the other. Each pair of rules undoes itself.
extension MTLRoughness {
    /// What `Ns` commonly goes up to.
    private static var highest: Double { 1000 }

    /// The roughness, 0 to 1, of a shininess.
    func roughness(ofShininess ns: Float) -> Float {
        let ns = max(Double(ns), 0)
        switch self {
        case .blender: return Float(1 - (min(ns, Self.highest) / Self.highest).squareRoot())
        case .phong: return Float((2 / (ns + 2)).squareRoot())
        }
    }

    /// The shininess of a roughness; what is smoother than a shininess of 1000 says has that.
    func shininess(ofRoughness roughness: Float) -> Float {
        let r = min(max(Double(roughness), 0), 1)
        switch self {
        case .blender: return Float(Self.highest * (1 - r) * (1 - r))
        case .phong: return r > 0 ? Float(min(2 / (r * r) - 2, Self.highest)) : Float(Self.highest)
        }
    }

    /// The rule, for messages.
    var formula: String {
        switch self {
        case .blender: "1 − √(Ns / 1000)"
        case .phong: "√(2 / (Ns + 2))"
        }
    }
}
