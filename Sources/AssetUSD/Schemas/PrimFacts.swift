import AssetModel

/// Which of the well-known names a prim has properties of: asking for what is not there costs nothing.
struct PropertySet {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    mutating func insert(_ name: Token) {
        let bit = UInt64(1) << UInt64(name.id & 63)
        switch name.id >> 6 {
        case 0: words.0 |= bit
        case 1: words.1 |= bit
        case 2: words.2 |= bit
        case 3: words.3 |= bit
        default: break
        }
    }

    /// Only for tokens of `Tokens.swift`.
    func contains(_ name: Token) -> Bool {
        let bit = UInt64(1) << UInt64(name.id & 63)
        switch name.id >> 6 {
        case 0: return words.0 & bit != 0
        case 1: return words.1 & bit != 0
        case 2: return words.2 & bit != 0
        case 3: return words.3 & bit != 0
        // Not one that is kept: it may be there.
        default: return true
        }
    }
}

/// What a prim's own opinions say: the same for all prims that share them. An object, because it is large and handed around.
final class PrimFacts {
    @exclusivity(unchecked) var type = SchemaType.unknown
    @exclusivity(unchecked) var typeName = ""
    @exclusivity(unchecked) var properties = PropertySet()
    @exclusivity(unchecked) var localTransform = Matrix4d.identity
    @exclusivity(unchecked) var resetsTransformStack = false
    @exclusivity(unchecked) var isAnimated = false
    /// `visibility` is `invisible` here.
    @exclusivity(unchecked) var isHidden = false
    /// The authored purpose.
    @exclusivity(unchecked) var purpose: Purpose?
    @exclusivity(unchecked) var content = Node.Content.none
    @exclusivity(unchecked) var light: ID<Light>?
    /// Primvars with a value of their own, built; constant ones are handed down.
    @exclusivity(unchecked) var primvars: [OwnPrimvar] = []
    /// Names of `material:binding…` relationships, in order.
    @exclusivity(unchecked) var bindings: [Token] = []
    /// Whether the prim names a skeleton or an animation of its own.
    @exclusivity(unchecked) var hasSkeletonRelationship = false
    /// Whether there are primvars of a skin among the prim's own.
    @exclusivity(unchecked) var hasSkin = false
    /// Number of the mesh's subsets.
    @exclusivity(unchecked) var subsetCount = 0
    /// What varies over time, and what else has tracks.
    @exclusivity(unchecked) var varying: UInt8 = 0
    /// One where the prim has any of it, else empty.
    @exclusivity(unchecked) private var rareOnes: [Rare] = []

    /// What few prims have; the others are handed around without it.
    struct Rare {
        var kind: String?
        /// The authored purpose where that is none of USD's.
        var purposeWord: String?
        var transformOps: [TransformOp] = []
        var variantSets: [VariantSet] = []
        /// What a mesh's skin needs besides the skeleton.
        var skin: OwnSkin?
        var customData: [Value.Entry] = []
        var attributes: [Node.Attribute] = []
    }

    var hasRare: Bool { !rareOnes.isEmpty }
    var rare: Rare {
        get { rareOnes.isEmpty ? Rare() : rareOnes[0] }
        _modify {
            if rareOnes.isEmpty { rareOnes.append(Rare()) }
            yield &rareOnes[0]
        }
    }
    var skin: OwnSkin? { rareOnes.isEmpty ? nil : rareOnes[0].skin }
    var purposeWord: String? { rareOnes.isEmpty ? nil : rareOnes[0].purposeWord }

    /// As new, for another prim.
    func clear() {
        type = .unknown
        typeName = ""
        properties = PropertySet()
        localTransform = .identity
        (resetsTransformStack, isAnimated, isHidden, hasSkeletonRelationship, hasSkin) = (false, false, false, false, false)
        purpose = nil
        content = .none
        light = nil
        if !primvars.isEmpty { primvars.removeAll(keepingCapacity: true) }
        if !bindings.isEmpty { bindings.removeAll(keepingCapacity: true) }
        subsetCount = 0
        varying = 0
        if !rareOnes.isEmpty { rareOnes.removeAll() }
    }

    static let transformVaries: UInt8 = 1
    static let visibilityVaries: UInt8 = 2
    static let pointsVary: UInt8 = 4
    static let isSkeletonAnimation: UInt8 = 8
}

struct OwnPrimvar {
    /// With its prefix: `primvars:st`.
    var name: Token
    var primvar: Primvar
}
