import AssetModel

/// A property of a prim on the stage.
struct ShadingAttribute: Hashable {
    var prim: StagePrim
    var name: Token
}

/// Following connections through node graphs and interface inputs (UsdShadeUtils::GetValueProducingAttributes).
struct ShadingNetwork {
    let stage: Stage
    let session: USDSession
    let schemas: SchemaTable
    /// Connections are followed this far, and this many of them for one input: a fan of graphs can hold any number.
    private static let maximumHops = 256
    private static let maximumConnections = 20_000

    enum Direction { case input, output }

    func direction(_ name: Token) -> Direction? {
        session.tokens.withBytes(name) { bytes in
            bytes.starts(with: "inputs:".utf8) ? .input : bytes.starts(with: "outputs:".utf8) ? .output : nil
        }
    }

    /// The attributes that give an input or output its value: outputs of shaders, and inputs with a value of their own.
    func sources(_ attribute: ShadingAttribute, outputsOnly: Bool = false) -> [ShadingAttribute] {
        var found: [ShadingAttribute] = []
        var trail: [ShadingAttribute] = []
        var budget = Self.maximumConnections
        _ = follow(attribute, &trail, &found, &budget, outputsOnly)
        return found
    }

    /// The first of `sources`, the one that counts.
    func source(_ attribute: ShadingAttribute, outputsOnly: Bool = false) -> ShadingAttribute? {
        sources(attribute, outputsOnly: outputsOnly).first
    }

    private func follow(
        _ attribute: ShadingAttribute, _ trail: inout [ShadingAttribute], _ found: inout [ShadingAttribute], _ budget: inout Int,
        _ outputsOnly: Bool
    ) -> Bool {
        guard trail.count < Self.maximumHops, !trail.contains(attribute), found.count < Self.maximumHops else { return false }
        trail.append(attribute)
        defer { trail.removeLast() }
        var isFound = false
        for path in stage.connections(attribute.prim, attribute.name) {
            budget -= 1
            guard budget > 0 else { break }
            guard session.paths.kind(path) == .property, let prim = stage.prim(at: session.paths.parent(path)) else { continue }
            let next = ShadingAttribute(prim: prim, name: session.paths.name(path))
            guard let direction = direction(next.name) else { continue }
            let isContainer = schemas[stage.typeName(prim)].isContainer
            guard exists(next, isContainer: isContainer) else { continue }
            switch (direction, isContainer) {
            case (.output, false):
                found.append(next)
                isFound = true
            case (_, true): if follow(next, &trail, &found, &budget, outputsOnly) { isFound = true }
            case (.input, false): break
            }
        }
        if !isFound, !outputsOnly, stage.hasValue(attribute.prim, attribute.name) {
            found.append(attribute)
            isFound = true
        }
        return isFound
    }

    /// Whether the attribute is there; a material has its terminals without anyone writing them.
    private func exists(_ attribute: ShadingAttribute, isContainer: Bool) -> Bool {
        if stage.propertyKind(attribute.prim, attribute.name) == .attribute { return true }
        return attribute.name == .outputsSurface && schemas[stage.typeName(attribute.prim)].reader == .material
    }
}
