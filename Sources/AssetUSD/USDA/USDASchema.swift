/// What type of value a metadata field has, as OpenUSD's Sdf schema and the plug-ins that ship with it register them.
/// A field that is not valid for the kind of spec it is on is kept as an unregistered value.
struct MetadataField {
    enum Form {
        case value(ValueType)
        case array(ValueType)
        case dictionary
        case tokenListOp, stringListOp, int64ListOp
        /// Fields with a grammar of their own or that metadata may not set.
        case reserved
    }

    struct Owners: OptionSet {
        let rawValue: UInt8
        static let layer = Owners(rawValue: 1)
        static let prim = Owners(rawValue: 2)
        static let attribute = Owners(rawValue: 4)
        static let relationship = Owners(rawValue: 8)
        static let property: Owners = [.attribute, .relationship]
        static let any: Owners = [.prim, .attribute, .relationship]
    }

    var form: Form
    var owners: Owners

    /// The fields by name.
    static let table: [String: MetadataField] = {
        var t: [String: MetadataField] = [:]
        func add(_ owners: Owners, _ form: Form, _ names: String...) {
            for n in names { t[n] = MetadataField(form: form, owners: owners) }
        }
        add(.layer, .value(.double), "timeCodesPerSecond", "framesPerSecond", "startTimeCode", "endTimeCode", "startFrame", "endFrame")
        add(.layer, .value(.double), "metersPerUnit", "kilogramsPerUnit")
        add(.layer, .value(.token), "defaultPrim", "upAxis", "colorManagementSystem")
        add(.layer, .value(.string), "owner", "sessionOwner", "renderSettingsPrimPath")
        add(.layer, .value(.bool), "hasOwnedSubLayers")
        add(.layer, .value(.int), "framePrecision")
        add(.layer, .value(.asset), "colorConfiguration")
        add(.layer, .dictionary, "customLayerData", "fallbackPrimTypes", "expressionVariables")
        add([.layer, .prim, .attribute, .relationship], .value(.string), "documentation")
        add(.prim, .tokenListOp, "apiSchemas")
        add(.prim, .stringListOp, "clipSets")
        add(.prim, .int64ListOp, "inactiveIds")
        add(.prim, .value(.bool), "active", "instanceable")
        add(.prim, .value(.token), "kind", "typeName")
        add(.prim, .array(.string), "displayGroupOrder")
        add(.prim, .array(.asset), "payloadAssetDependencies")
        add(.prim, .dictionary, "clips", "prefixSubstitutions", "suffixSubstitutions")
        add([.prim, .attribute], .dictionary, "sdrMetadata")
        add(.any, .dictionary, "assetInfo", "customData", "symmetryArguments", "uiHints")
        add(.any, .value(.string), "displayName", "prefix", "suffix", "symmetricPeer")
        add(.any, .value(.token), "symmetryFunction")
        add(.any, .value(.bool), "hidden")
        add(.property, .value(.string), "displayGroup")
        add(.property, .value(.token), "renderType")
        add(.attribute, .value(.token), "colorSpace", "connectability", "constraintTargetIdentifier", "interpolation")
        add(.attribute, .value(.int), "elementSize", "unauthoredValuesIndex")
        add(.attribute, .value(.int64), "arraySizeConstraint")
        add(.attribute, .value(.float), "weight")
        add(.attribute, .array(.token), "allowedTokens")
        add(.attribute, .dictionary, "limits")
        add(.relationship, .value(.token), "outputName", "bindMaterialAs")
        add(.relationship, .value(.bool), "noLoadHint")
        add(
            [.layer, .prim, .attribute, .relationship], .reserved, "default", "timeSamples", "specifier", "variability", "custom",
            "targetPaths", "connectionPaths", "primChildren", "properties", "subLayerOffsets", "variantSelection",
            "variantSetNames", "inheritPaths", "primOrder", "propertyOrder", "layerRelocates", "spline")
        return t
    }()
}
