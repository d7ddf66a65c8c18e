public import AssetIO
public import AssetModel

/// When a value is asked for.
public enum EvalTime: Sendable, Hashable {
    /// The default, never a sample.
    case `default`
    /// The earliest sample; the default where there are no samples.
    case earliest
    case at(Double)
}

/// A prim of a `Stage`. Only valid with the stage it came from.
public struct StagePrim: Hashable, Sendable {
    public let index: Int32
    public init(index: Int32) { self.index = index }
}

/// A composed stage: the root layer, what it pulls in, and the strongest opinions about every prim.
public final class Stage {
    public let session: USDSession
    public let rootLayer: USDLayer

    init(session: USDSession, rootLayer: USDLayer) {
        self.session = session
        self.rootLayer = rootLayer
    }

    // MARK: Stage

    /// Layer metadata of the root layer (`upAxis`, `startTimeCode`, …), nil where not authored.
    public func metadata(_ name: Token) -> USDValue? { nil }

    /// Every layer in use, root first, with the role that brought it in.
    public var layers: [(layer: USDLayer, role: String)] { [] }

    /// Asset paths that could not be resolved or opened: what was named, by which layer, at which prim, in which role.
    public var missing: [(assetPath: String, layer: String, prim: String, role: String)] { [] }

    // MARK: Prims

    public var pseudoRoot: StagePrim { StagePrim(index: 0) }

    /// The prim at a path, instance proxies included; nil where nothing is composed there.
    public func prim(at path: Path) -> StagePrim? { nil }

    /// Children that a traversal shows: active, loaded, defined, not abstract; of instances the contents (proxies).
    public func children(_ prim: StagePrim) -> [StagePrim] { [] }

    /// All composed children, inactive, undefined and abstract ones included; none below instances.
    public func allChildren(_ prim: StagePrim) -> [StagePrim] { [] }

    public func parent(_ prim: StagePrim) -> StagePrim? { nil }
    public func path(_ prim: StagePrim) -> Path { .root }
    public func name(_ prim: StagePrim) -> Token { .empty }
    public func typeName(_ prim: StagePrim) -> Token { .empty }
    public func specifier(_ prim: StagePrim) -> Specifier { .over }
    public func isActive(_ prim: StagePrim) -> Bool { true }
    public func isInstance(_ prim: StagePrim) -> Bool { false }
    public func isInstanceProxy(_ prim: StagePrim) -> Bool { false }

    /// Equal for prims whose own opinions are the same by construction: the corresponding prims below instances of one
    /// prototype. Different for any other two prims. Lets readers build a mesh once.
    public func sharingKey(_ prim: StagePrim) -> Int32 { prim.index }

    /// Composed metadata of a prim: the strongest opinion; list ops are applied, dictionaries merged.
    public func metadata(_ prim: StagePrim, _ name: Token) -> USDValue? { nil }

    /// The applied API schemas, in order, instance names included (`CollectionAPI:plasticStuff`).
    public func apiSchemas(_ prim: StagePrim) -> [Token] { [] }

    public func variantSets(_ prim: StagePrim) -> [VariantSet] { [] }

    /// What composed the prim, strongest first.
    public func arcs(_ prim: StagePrim) -> [CompositionArc] { [] }

    // MARK: Properties

    /// Names of all composed properties, in order.
    public func propertyNames(_ prim: StagePrim) -> [Token] { [] }

    public func hasProperty(_ prim: StagePrim, _ name: Token) -> Bool { false }

    /// `.attribute` or `.relationship`, by the strongest spec; nil where there is none.
    public func propertyKind(_ prim: StagePrim, _ name: Token) -> SpecKind? { nil }

    /// Composed metadata of a property (`interpolation`, `elementSize`, `typeName`, `variability`, `custom`, …).
    public func metadata(_ prim: StagePrim, _ property: Token, _ name: Token) -> USDValue? { nil }

    /// The attribute's value at a time: time samples (through layer offsets), value clips, splines or the default; nil
    /// where there is none or it is blocked. Arrays may be `.deferred`.
    public func value(_ prim: StagePrim, _ attribute: Token, at time: EvalTime) -> USDValue? { nil }

    /// Whether the attribute has any value (default or samples).
    public func hasValue(_ prim: StagePrim, _ attribute: Token) -> Bool { false }

    /// Sample times of the attribute in stage time, sorted.
    public func timeSamples(_ prim: StagePrim, _ attribute: Token) -> [Double] { [] }

    /// Whether the value may change over time (more than one sample, a spline, clips).
    public func mightBeTimeVarying(_ prim: StagePrim, _ attribute: Token) -> Bool { false }

    /// Composed connections of an attribute, in stage namespace (below an instance: the instance's own).
    public func connections(_ prim: StagePrim, _ attribute: Token) -> [Path] { [] }

    /// Composed targets of a relationship, in stage namespace (below an instance: the instance's own).
    public func targets(_ prim: StagePrim, _ relationship: Token) -> [Path] { [] }

    /// Targets with relationships among them followed to what they target.
    public func forwardedTargets(_ prim: StagePrim, _ relationship: Token) -> [Path] { [] }

    /// The layer that holds the strongest opinion with a value for an attribute: asset paths in it are relative to it.
    public func layerOfValue(_ prim: StagePrim, _ attribute: Token) -> USDLayer? { nil }
}
