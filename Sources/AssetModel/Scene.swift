/// What an asset is: tables of plain structs, linked by typed indices.
public struct Scene: Sendable {
    public var metadata = SceneMetadata()
    public var nodes = Table<Node>()
    public var meshes = Table<Mesh>()
    public var curves = Table<Curves>()
    public var points = Table<PointCloud>()
    public var instancers = Table<PointInstancer>()
    public var cameras = Table<Camera>()
    public var lights = Table<Light>()
    public var materials = Table<Material>()
    public var textures = Table<Texture>()
    public var skeletons = Table<Skeleton>()
    public var animations: [AnimationClip] = []
    /// Names of what the materials of the whole scene can be switched to together (glTF's KHR_materials_variants); nodes say which
    /// material they have then (`Node.variantMaterials`).
    public var materialVariants: [String] = []
    /// What nodes of purpose `other` say instead, by their index.
    public var purposeWords: [Int32: String] = [:]
    public var source: SourceDescription

    public init(source: SourceDescription) { self.source = source }
}

/// What the file says of itself. Optional where it may say nothing: a fallback is not a fact.
public struct SceneMetadata: Sendable {
    /// `X`, `Y`, `Z`, or nil where the format has no say. A word that is none of these is kept, with a warning, and counts as Y.
    public var upAxis: String?
    public var metersPerUnit: Double?
    /// Whether the file says the two above itself; false for a format's fallback.
    public var isUpAxisAuthored = false
    public var isMetersPerUnitAuthored = false
    public var defaultPrim: String?
    public var startTimeCode: Double?
    public var endTimeCode: Double?
    public var timeCodesPerSecond: Double?
    public var framesPerSecond: Double?
    public var comment: String?
    public var generator: String?
    public var customData: [Value.Entry] = []
    public init() {}
}

/// The file a scene came from.
public struct SourceDescription: Sendable {
    public struct File: Sendable, Hashable {
        public var path: String
        /// `root`, `sublayer`, `reference`, `payload`, `texture`, `buffer`, `material-library`, …
        public var role: String
        public var byteCount: Int?
        public var packageOffset: Int?
        public var isCompressed: Bool
        /// The file taken, or nil where it was not found.
        public var resolved: String?
        public init(path: String, role: String, byteCount: Int? = nil, packageOffset: Int? = nil, isCompressed: Bool = false, resolved: String? = nil)
        {
            self.path = path
            self.role = role
            self.byteCount = byteCount
            self.packageOffset = packageOffset
            self.isCompressed = isCompressed
            self.resolved = resolved
        }
    }
    /// As the user gave it.
    public var file: String
    /// The format's id: `usda`, `obj`, …
    public var format: String
    /// The format's version as the file says it, or nil.
    public var version: String?
    public var byteCount: Int
    public var files: [File]
    /// Whether the corners of the meshes share no points, because the format has no way to say it.
    public var isUnwelded = false

    public init(file: String, format: String, version: String? = nil, byteCount: Int = 0, files: [File] = []) {
        self.file = file
        self.format = format
        self.version = version
        self.byteCount = byteCount
        self.files = files
    }
}
