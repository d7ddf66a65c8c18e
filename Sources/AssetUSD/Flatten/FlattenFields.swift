/// Which fields a flattened layer may have: what the schema of OpenUSD knows for a kind of spec and what is no composition arc,
/// no value and no list of children.
struct FlattenFields {
    struct Kinds: OptionSet {
        var rawValue: UInt8
        static let layer = Kinds(rawValue: 1)
        static let prim = Kinds(rawValue: 2)
        static let attribute = Kinds(rawValue: 4)
        static let relationship = Kinds(rawValue: 8)
        static let property: Kinds = [.attribute, .relationship]
    }

    /// By number of the name's token.
    private var kinds: ContiguousArray<Kinds>

    init(_ session: USDSession) {
        var all: [(Token, Kinds)] = []
        for (kinds, names) in Self.names {
            for name in names.split(separator: " ") { all.append((session.token(String(name)), kinds)) }
        }
        kinds = ContiguousArray(repeating: [], count: (all.map { Int($0.0.id) }.max() ?? 0) + 1)
        for (token, k) in all { kinds[Int(token.id)].formUnion(k) }
    }

    @inline(__always)
    func has(_ name: Token, _ kind: Kinds) -> Bool {
        let i = Int(name.id)
        return i < kinds.count && !kinds[i].isDisjoint(with: kind)
    }

    /// Specifier, type name, custom and variability have rules of their own and are not here.
    private static let names: [(Kinds, String)] = [
        (
            .layer,
            """
            colorConfiguration colorManagementSystem comment customLayerData defaultPrim documentation endFrame endTimeCode\
             expressionVariables fallbackPrimTypes framePrecision framesPerSecond hasOwnedSubLayers kilogramsPerUnit metersPerUnit\
             owner primOrder renderSettingsPrimPath sessionOwner startFrame startTimeCode timeCodesPerSecond upAxis
            """
        ),
        (
            .prim,
            """
            active apiSchemas assetInfo comment customData displayGroupOrder displayName documentation hidden inactiveIds\
             instanceable kind payloadAssetDependencies permission prefix prefixSubstitutions primOrder propertyOrder sdrMetadata\
             suffix suffixSubstitutions symmetricPeer symmetryArguments symmetryFunction uiHints
            """
        ),
        (
            .property,
            """
            assetInfo comment customData displayGroup displayName documentation hidden permission prefix renderType suffix\
             symmetricPeer symmetryArguments symmetryFunction uiHints
            """
        ),
        (
            .attribute,
            """
            allowedTokens arraySizeConstraint colorSpace connectability constraintTargetIdentifier displayUnit elementSize\
             interpolation limits sdrMetadata unauthoredValuesIndex weight
            """
        ),
        (.relationship, "bindMaterialAs noLoadHint outputName"),
    ]
}
