/// What a prim's type is, as far as a scene cares. Data from the schemas that come with OpenUSD 26.11.
struct SchemaType {
    /// How a prim of the type is read.
    enum Reader: UInt8 {
        case none, mesh, points, curves, pointsOnly, shape, instancer, subset, camera, light, skeleton, material, shader, nodeGraph
    }

    struct Traits: OptionSet {
        let rawValue: UInt8
        /// Can be seen or hidden: has `visibility` and `purpose`.
        static let imageable = Traits(rawValue: 1)
        /// Has a place in space: `xformOpOrder`.
        static let xformable = Traits(rawValue: 2)
        /// Is drawn itself, with a material.
        static let gprim = Traits(rawValue: 4)
        /// Is a light without any API schema applied.
        static let light = Traits(rawValue: 8)
        /// Holds a shading network that connections pass through.
        static let container = Traits(rawValue: 16)
    }

    var reader: Reader
    var traits: Traits

    static let unknown = SchemaType(reader: .none, traits: [])

    var isImageable: Bool { traits.contains(.imageable) }
    var isXformable: Bool { traits.contains(.xformable) }
    var isGprim: Bool { traits.contains(.gprim) }
    var isLight: Bool { traits.contains(.light) }
    var isContainer: Bool { traits.contains(.container) }
}

/// Type name → `SchemaType`. Types that are not here hold nothing a scene shows.
struct SchemaTable {
    private var types: [Token: SchemaType] = [:]
    /// The same by the token's number: asked for every prim.
    private var byNumber: ContiguousArray<SchemaType> = []

    /// Unknown types of a stage with the known one that each is taken for.
    private var standIns: [Token: Token] = [:]

    private static let scoped: SchemaType.Traits = [.imageable]
    private static let placed: SchemaType.Traits = [.imageable, .xformable]
    private static let drawn: SchemaType.Traits = [.imageable, .xformable, .gprim]
    private static let lit: SchemaType.Traits = [.imageable, .xformable, .light, .container]

    /// Concrete types only: a prim of an abstract type (`Gprim`) is of no type.
    private static let rows: [(names: [String], reader: SchemaType.Reader, traits: SchemaType.Traits)] = [
        (["Xform", "SkelRoot", "GenerativeProcedural", "SpatialAudio", "Field3DAsset", "OpenVDBAsset"], .none, placed),
        (["Scope"], .none, scoped),
        (
            [
                "PhysicsJoint", "PhysicsDistanceJoint", "PhysicsFixedJoint", "PhysicsPrismaticJoint", "PhysicsRevoluteJoint",
                "PhysicsSphericalJoint",
            ],
            .none, scoped
        ),
        (["Mesh"], .mesh, drawn),
        (["Points"], .points, drawn),
        (["BasisCurves", "NurbsCurves", "HermiteCurves"], .curves, drawn),
        (["NurbsPatch", "TetMesh"], .pointsOnly, drawn),
        (["Cube", "Sphere", "Cylinder", "Cylinder_1", "Cone", "Capsule", "Capsule_1", "Plane"], .shape, drawn),
        (["Volume", "ParticleField", "ParticleField3DGaussianSplat"], .none, drawn),
        (["PointInstancer"], .instancer, placed),
        (["GeomSubset"], .subset, []),
        (["Camera"], .camera, placed),
        (
            [
                "SphereLight", "RectLight", "DiskLight", "CylinderLight", "PortalLight", "DistantLight", "DomeLight", "DomeLight_1",
                "GeometryLight", "PluginLight",
            ], .light, lit
        ),
        (["LightFilter", "PluginLightFilter"], .none, [.imageable, .xformable, .container]),
        (["Skeleton"], .skeleton, placed),
        (["Material"], .material, [.container]),
        (["NodeGraph"], .nodeGraph, [.container]),
        (["Shader"], .shader, []),
    ]

    init(_ session: USDSession) {
        for row in Self.rows {
            for name in row.names { types[session.token(name)] = SchemaType(reader: row.reader, traits: row.traits) }
        }
        number()
    }

    private mutating func number() {
        let most = types.keys.map { Int($0.id) }.max() ?? 0
        byNumber = ContiguousArray(repeating: .unknown, count: most + 1)
        for (name, type) in types { byNumber[Int(name.id)] = type }
    }

    subscript(_ typeName: Token) -> SchemaType {
        let i = Int(typeName.id)
        return i < byNumber.count ? byNumber[i] : .unknown
    }

    /// The type whose schema a prim has: its own, or the one that stands in for it.
    func known(_ typeName: Token) -> Token { standIns.isEmpty ? typeName : standIns[typeName] ?? typeName }

    func knows(_ typeName: Token) -> Bool { types[typeName] != nil }

    /// `fallbackPrimTypes` of a stage: unknown type → the types to take instead, the first known one wins.
    mutating func add(fallbacks: USDDictionary, _ session: USDSession) {
        // What stands in for a type is a type that is known by itself.
        let own = types
        for entry in fallbacks.entries {
            let name = session.token(entry.key)
            guard own[name] == nil, let value = try? entry.value.resolved(),
                let candidate = value.tokenList(session).first(where: { own[$0] != nil })
            else { continue }
            types[name] = own[candidate]
            standIns[name] = candidate
        }
        number()
    }
}
