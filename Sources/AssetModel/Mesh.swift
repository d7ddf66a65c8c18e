public enum Orientation: String, Sendable, Hashable { case rightHanded, leftHanded }

/// A polygon mesh. Polygons of any size; attributes keep their interpolation and their indices.
///
///     faceVertexCounts   [3, 4, …]              one a face
///     faceVertexIndices  [0, 1, 2, 2, 1, 3, 4 …]  one a face vertex (corner), into points
public struct Mesh: Sendable {
    public var points: PointArray
    public var faceVertexCounts: DeferredArray<Int32>
    public var faceVertexIndices: DeferredArray<Int32>
    /// A primvar called "normals" (float3), or nil: the mesh is flat.
    public var normals: Primvar? {
        get { ownNormals.first }
        set { ownNormals = newValue.map { [$0] } ?? [] }
    }
    /// One or none: apart, as a primvar is large.
    private var ownNormals: [Primvar] = []
    /// The mesh's own primvars, texture coordinates and colours among them, in file order.
    public var primvars: [Primvar]
    /// Parts of the mesh by faces; their materials are on the node (`Node.subsetMaterials`).
    public var subsets: [GeomSubset]
    /// Faces that are holes.
    public var holeIndices: [Int32]
    public var orientation: Orientation
    /// USD's scheme: `none`, `catmullClark`, `loop`, `bilinear`.
    public var subdivisionScheme: String
    public var doubleSided: Bool
    /// Whether the points vary over time.
    public var isDeforming: Bool
    public var skin: SkinBinding? {
        get { binding.first }
        set { binding = newValue.map { [$0] } ?? [] }
    }
    /// The skin apart, as it is large and few meshes have one.
    private var binding: [SkinBinding] = []
    public var blendShapes: [BlendShape]
    /// How many blend shapes the source names, resolved or not.
    public var blendShapeCount: Int

    public init(
        points: PointArray = PointArray(), faceVertexCounts: DeferredArray<Int32> = .init(),
        faceVertexIndices: DeferredArray<Int32> = .init()
    ) {
        self.points = points
        self.faceVertexCounts = faceVertexCounts
        self.faceVertexIndices = faceVertexIndices
        primvars = []
        subsets = []
        holeIndices = []
        orientation = .rightHanded
        subdivisionScheme = "none"
        doubleSided = false
        isDeforming = false
        blendShapes = []
        blendShapeCount = 0
    }
}

/// A named set of a mesh's faces.
public struct GeomSubset: Sendable {
    public var name: String
    /// USD's family: `materialBind` partitions the mesh by material; others are for selection. Empty where none is said.
    public var family: String
    /// Face indices.
    public var faces: DeferredArray<Int32>
    /// False for a subset of points or edges, which `faces` then counts: only for show.
    public var isOfFaces = true

    public init(name: String, family: String, faces: DeferredArray<Int32>) {
        self.name = name
        self.family = family
        self.faces = faces
    }
}

/// Curves in any basis, in USD's words (BasisCurves, NurbsCurves, HermiteCurves).
public struct Curves: Sendable {
    public enum Kind: String, Sendable { case basis, nurbs, hermite }
    public var kind: Kind
    public var points: PointArray
    /// Points of each curve.
    public var curveVertexCounts: DeferredArray<Int32>
    /// USD's `linear` or `cubic`; `basis` is `bezier`, `bspline`, `catmullRom`; `wrap` is `nonperiodic`, `periodic`, `pinned`.
    public var type: String
    public var basis: String
    public var wrap: String
    /// NURBS only: per curve order, and all knots.
    public var orders: [Int32]
    public var knots: [Double]
    public var primvars: [Primvar]
    /// Points of the source that the curves pass, each once, where it has a table of points and no other node holds these; else 0.
    public var ownPointCount: Int

    public init(kind: Kind, points: PointArray, curveVertexCounts: DeferredArray<Int32>) {
        self.kind = kind
        self.points = points
        self.curveVertexCounts = curveVertexCounts
        (type, basis, wrap) = ("linear", "bezier", "nonperiodic")
        orders = []
        knots = []
        primvars = []
        ownPointCount = 0
    }

    /// Whether the curves go straight from point to point.
    public var isLinear: Bool { kind == .basis && type != "cubic" }
}

/// Points without faces, and point-based prims of which only the points are understood.
public struct PointCloud: Sendable {
    public var points: PointArray
    public var primvars: [Primvar]
    /// Where the prim is a volume or patch: the surface that writers draw in its place.
    public var surface: Mesh?

    public init(points: PointArray, primvars: [Primvar] = []) {
        self.points = points
        self.primvars = primvars
    }
}

/// A shape given by parameters instead of points. Lengths are in file units, `axis` is `X`, `Y` or `Z`.
public enum ImplicitShape: Sendable, Hashable {
    case cube(size: Double)
    case sphere(radius: Double)
    case cylinder(radiusBottom: Double, radiusTop: Double, height: Double, axis: String)
    case cone(radius: Double, height: Double, axis: String)
    case capsule(radiusBottom: Double, radiusTop: Double, height: Double, axis: String)
    case plane(width: Double, length: Double, axis: String)
}

/// Many copies of prototypes. One entry an instance in `protoIndices`, `positions` (and the optional ones).
public struct PointInstancer: Sendable {
    /// Paths of the prototype roots; `protoIndices` points into them.
    public var prototypePaths: [String]
    public var protoIndices: [Int32]
    public var positions: [Point3f]
    public var orientations: [Quaternionf]
    public var scales: [Vector3f]
    public var ids: [Int64]
    /// Instances that are masked out, by index into `protoIndices`.
    public var maskedInstances: [Int32]
    /// World-independent matrices, one an instance, prototype root transform included, masked ones included.
    public var transforms: [Matrix4d]

    public init(prototypePaths: [String] = []) {
        self.prototypePaths = prototypePaths
        protoIndices = []
        positions = []
        orientations = []
        scales = []
        ids = []
        maskedInstances = []
        transforms = []
    }
}
