/// What a node is for. `other` is any word USD does not know: such a node is shown by no one who does not ask for it.
public enum Purpose: String, Sendable, Hashable, CaseIterable { case `default`, render, proxy, guide, other }

/// One transform op as authored, for display.
public struct TransformOp: Sendable, Hashable {
    /// USD's op name with its prefix: `xformOp:translate:pivot`, `!invert!xformOp:translate:pivot`.
    public var name: String
    public var value: Value?
    public init(name: String, value: Value?) {
        self.name = name
        self.value = value
    }
}

/// One variant set of a node.
public struct VariantSet: Sendable, Hashable {
    public var name: String
    /// Empty where nothing is selected.
    public var selection: String
    public var choices: [String]
    public init(name: String, selection: String, choices: [String]) {
        self.name = name
        self.selection = selection
        self.choices = choices
    }
}

/// The material of a node, or of a subset of its mesh, in one of the scene's material variants.
public struct VariantMaterial: Sendable, Hashable {
    /// Into `Scene.materialVariants`.
    public var variant: Int
    /// Into `Mesh.subsets`; nil: what no subset covers.
    public var subset: Int?
    public var material: ID<Material>
    public init(variant: Int, subset: Int? = nil, material: ID<Material>) {
        self.variant = variant
        self.subset = subset
        self.material = material
    }
}

/// One thing that composed a prim, for `tree --arcs`.
public struct CompositionArc: Sendable, Hashable {
    public enum State: String, Sendable, Hashable {
        case loaded
        /// A payload that was left out.
        case unloaded
        /// The file is not there, or names no prim.
        case missing
        case unreadable
        /// It leads back to where it comes from.
        case circular
        /// Nothing is authored at the target.
        case empty
    }

    /// `root`, `sublayer`, `reference`, `payload`, `inherit`, `specialize`, `variant`, `relocate`, or `prototype` for the
    /// instance whose contents are shared.
    public var kind: String
    /// Layer file, or nil for arcs within the same layer stack. As authored where it could not be opened.
    public var file: String?
    /// The prim in that file; empty where it is the default prim of a file that is not there.
    public var path: String
    public var state: State
    /// How many arcs it hangs below.
    public var level = 0
    /// Of variants: `set=choice`.
    public var selection: String?
    /// The prim above that the arc is authored at, in the words of what it hangs below; nil where it is this one.
    public var introducedAt: String?
    /// The file of `introducedAt`, where it is not that of the arc this one hangs below.
    public var introducingFile: String?
    /// Whether a class is meant that an arc further down names.
    public var isImplied = false
    /// From the time of the file to that of what it hangs below: `time * timeScale + timeOffset`.
    public var timeOffset = 0.0
    public var timeScale = 1.0

    /// Classes may well be empty; a reference to a prim that is not there brings nothing in.
    public var isLoaded: Bool { state == .loaded || state == .empty && kind != "reference" && kind != "payload" }

    public init(kind: String, file: String? = nil, path: String, state: State = .loaded) {
        self.kind = kind
        self.file = file
        self.path = path
        self.state = state
    }
}

/// A node of the scene. Nodes stand in `Scene.nodes` depth first, parents before children, siblings in order.
public struct Node: Sendable {
    public enum Content: Sendable {
        /// Nothing of its own: `typeName` says what the source calls it.
        case none
        case mesh(ID<Mesh>)
        case curves(ID<Curves>)
        case points(ID<PointCloud>)
        indirect case implicit(ImplicitShape)
        case instancer(ID<PointInstancer>)
        case camera(ID<Camera>)
        case light(ID<Light>)
        case skeleton(ID<Skeleton>)
    }

    public var name: String
    public var path: String
    /// The source's own type name: `Mesh`, `Xform`, `SphereLight`, empty where it has none.
    public var typeName: String
    public var parent: ID<Node>?
    /// Number of nodes below this one; they follow it directly in the table.
    public var descendantCount: Int
    public var depth: Int
    /// Whether the node has a place in space; `localTransform` and `worldTransform` count only then.
    public var isTransformable: Bool
    public var localTransform: Matrix4d {
        @inlinable get { placements.isEmpty ? .identity : placements[0].local }
        set { place(newValue, worldTransform) }
    }
    public var worldTransform: Matrix4d {
        @inlinable get { placements.isEmpty ? .identity : placements[0].world }
        set { place(localTransform, newValue) }
    }
    public var resetsTransformStack: Bool
    /// Whether the local transform may vary over time.
    public var isAnimated: Bool
    public var content: Content
    /// The light that the node is, also where it is a mesh or volume that shines; nil for nodes that are none.
    public var light: ID<Light>?
    /// Whether the node can be seen or hidden at all; `isVisible` and `purpose` count only then.
    public var isImageable: Bool
    /// Computed, inherited.
    public var isVisible: Bool
    public var purpose: Purpose
    /// Whether the node is an instance (its contents are shared with other instances).
    public var isInstance: Bool
    /// All-purpose binding, strongest by inheritance, strength and collections.
    public var material: ID<Material>?
    /// Binding for previews, falling back to the all-purpose one; what `convert` uses.
    public var previewMaterial: ID<Material>?

    public var transformOps: [TransformOp] {
        @inlinable get { extras.isEmpty ? [] : extras[0].transformOps }
        @inlinable _modify { yield &more.transformOps }
    }
    public var kind: String? {
        @inlinable get { extras.isEmpty ? nil : extras[0].kind }
        @inlinable _modify { yield &more.kind }
    }
    public var variantSets: [VariantSet] {
        @inlinable get { extras.isEmpty ? [] : extras[0].variantSets }
        @inlinable _modify { yield &more.variantSets }
    }
    /// One a subset of the node's mesh, in the order of `Mesh.subsets`; empty where the mesh has none.
    public var subsetMaterials: [ID<Material>?] {
        @inlinable get { extras.isEmpty ? [] : extras[0].subsetMaterials }
        @inlinable _modify { yield &more.subsetMaterials }
    }
    /// What `convert` uses: nil for subsets that do not part the mesh by material.
    public var subsetPreviewMaterials: [ID<Material>?] {
        @inlinable get { extras.isEmpty ? [] : extras[0].subsetPreviewMaterials }
        @inlinable _modify { yield &more.subsetPreviewMaterials }
    }
    /// Materials that replace the ones above in variants of the whole scene.
    public var variantMaterials: [VariantMaterial] {
        @inlinable get { extras.isEmpty ? [] : extras[0].variantMaterials }
        @inlinable _modify { yield &more.variantMaterials }
    }
    /// How far each blend shape of the node's mesh is applied, at rest; empty: none is.
    public var blendWeights: [Float] {
        @inlinable get { extras.isEmpty ? [] : extras[0].blendWeights }
        @inlinable _modify { yield &more.blendWeights }
    }
    /// Constant primvars from nodes above, nearest first, that the node's own do not replace. On implicit shapes also
    /// their own, which come first and may have any interpolation.
    public var inheritedPrimvars: [Primvar] {
        @inlinable get { extras.isEmpty ? [] : extras[0].inheritedPrimvars }
        @inlinable _modify { yield &more.inheritedPrimvars }
    }
    public var arcs: [CompositionArc] {
        @inlinable get { extras.isEmpty ? [] : extras[0].arcs }
        @inlinable _modify { yield &more.arcs }
    }
    public var customData: [Value.Entry] {
        @inlinable get { extras.isEmpty ? [] : extras[0].customData }
        @inlinable _modify { yield &more.customData }
    }
    /// Printable `name = value` pairs of the source's own attributes, filled only when asked for (`tree --values`).
    public var attributes: [Attribute] {
        @inlinable get { extras.isEmpty ? [] : extras[0].attributes }
        @inlinable _modify { yield &more.attributes }
    }

    @usableFromInline struct Placement: Sendable {
        @usableFromInline var local: Matrix4d
        @usableFromInline var world: Matrix4d
    }

    /// One where the node is anywhere but at the origin, else empty: the two matrices are larger than all the rest.
    @usableFromInline var placements: [Placement] = []

    /// Sets both transforms at once.
    public mutating func place(_ local: Matrix4d, _ world: Matrix4d) {
        if local.isExactlyIdentity, world.isExactlyIdentity {
            if !placements.isEmpty { placements = [] }
        } else if placements.isEmpty {
            placements = [Placement(local: local, world: world)]
        } else {
            placements[0] = Placement(local: local, world: world)
        }
    }

    /// What few nodes have stands apart, so that the others stay small and are copied at little cost.
    @usableFromInline struct Extras: Sendable {
        @usableFromInline init() {}
        @usableFromInline var transformOps: [TransformOp] = []
        @usableFromInline var kind: String?
        @usableFromInline var variantSets: [VariantSet] = []
        @usableFromInline var subsetMaterials: [ID<Material>?] = []
        @usableFromInline var subsetPreviewMaterials: [ID<Material>?] = []
        @usableFromInline var variantMaterials: [VariantMaterial] = []
        @usableFromInline var blendWeights: [Float] = []
        @usableFromInline var inheritedPrimvars: [Primvar] = []
        @usableFromInline var arcs: [CompositionArc] = []
        @usableFromInline var customData: [Value.Entry] = []
        @usableFromInline var attributes: [Attribute] = []
    }

    /// One where the node has any of it, else empty.
    @usableFromInline var extras: [Extras] = []

    @usableFromInline var more: Extras {
        @inlinable get { extras.isEmpty ? Extras() : extras[0] }
        _modify {
            if extras.isEmpty { extras.append(Extras()) }
            yield &extras[0]
        }
    }

    public struct Attribute: Sendable, Hashable {
        public var name: String
        public var typeName: String
        /// The value as text, shortened where long.
        public var value: String
        public var timeSampleCount: Int
        public init(name: String, typeName: String, value: String, timeSampleCount: Int = 0) {
            self.name = name
            self.typeName = typeName
            self.value = value
            self.timeSampleCount = timeSampleCount
        }
    }

    public init(name: String, path: String, typeName: String) {
        self.name = name
        self.path = path
        self.typeName = typeName
        descendantCount = 0
        depth = 0
        isTransformable = false
        resetsTransformStack = false
        isAnimated = false
        content = .none
        isImageable = false
        isVisible = true
        purpose = .default
        isInstance = false
    }
}

/// A camera, in USD's terms (apertures and focal length in tenths of a unit, as authored).
public struct Camera: Sendable {
    public var projection = "perspective"
    public var focalLength: Float = 50
    public var horizontalAperture: Float = 20.955
    public var verticalAperture: Float = 15.2908
    public var near: Float = 1
    public var far: Float = 1_000_000
    public init() {}
}

/// A light; `kind` is the source's type name (`SphereLight`, `point`, …).
public struct Light: Sendable {
    public var kind: String
    public var intensity: Float = 1
    public var exposure: Float = 0
    public var color = Vector3f(1, 1, 1)
    /// Further authored parameters (radius, angle, width…), by name.
    public var parameters: [Value.Entry] = []
    public init(kind: String) { self.kind = kind }
}

/// Joints as paths (`Hips/Spine`), one transform a joint. Bind transforms are in world space, rest transforms local.
public struct Skeleton: Sendable {
    public var joints: [String]
    public var bindTransforms: [Matrix4d]
    public var restTransforms: [Matrix4d]
    /// The nodes that the joints are, where the source has nodes for them (glTF); empty elsewhere. Nil for one that is not shown.
    public var jointNodes: [ID<Node>?] = []
    public init(joints: [String], bindTransforms: [Matrix4d] = [], restTransforms: [Matrix4d] = []) {
        self.joints = joints
        self.bindTransforms = bindTransforms
        self.restTransforms = restTransforms
    }
}

/// How a mesh hangs on a skeleton.
public struct SkinBinding: Sendable {
    /// Path of the skeleton's node, or nil where the source names none.
    public var skeletonPath: String?
    /// `elementSize` values a point (vertex) or for the whole mesh (constant).
    public var jointIndices: Primvar
    public var jointWeights: Primvar?
    /// The joint order of this mesh, where it differs from the skeleton's.
    public var joints: [String]
    public var geomBindTransform: Matrix4d
    public init(skeletonPath: String?, jointIndices: Primvar, jointWeights: Primvar?, joints: [String] = [], geomBindTransform: Matrix4d = .identity)
    {
        self.skeletonPath = skeletonPath
        self.jointIndices = jointIndices
        self.jointWeights = jointWeights
        self.joints = joints
        self.geomBindTransform = geomBindTransform
    }
}

/// Offsets of some or all points of a mesh.
public struct BlendShape: Sendable {
    public var name: String
    public var offsets: DeferredArray<Vector3f>
    public var normalOffsets: DeferredArray<Vector3f>?
    /// Points the offsets are for; nil: all, in order.
    public var pointIndices: DeferredArray<Int32>?
    public init(
        name: String, offsets: DeferredArray<Vector3f>, normalOffsets: DeferredArray<Vector3f>? = nil, pointIndices: DeferredArray<Int32>? = nil
    ) {
        self.name = name
        self.offsets = offsets
        self.normalOffsets = normalOffsets
        self.pointIndices = pointIndices
    }
}

/// A named stretch of animation.
public struct AnimationClip: Sendable {
    public var name: String
    public var tracks: [Track]
    public init(name: String, tracks: [Track] = []) {
        self.name = name
        self.tracks = tracks
    }
}

/// The samples of one property of one node, times in the file's time codes.
public struct Track: Sendable {
    public enum Interpolation: String, Sendable { case held, linear, cubicSpline }
    public var targetPath: String
    public var property: String
    public var interpolation: Interpolation
    public var times: [Double]
    /// `values.count / times.count` numbers a sample.
    public var values: [Float]
    public init(targetPath: String, property: String, interpolation: Interpolation, times: [Double], values: [Float]) {
        self.targetPath = targetPath
        self.property = property
        self.interpolation = interpolation
        self.times = times
        self.values = values
    }
}
