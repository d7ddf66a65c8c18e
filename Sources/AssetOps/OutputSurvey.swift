public import AssetModel

/// What a writer of plain geometry learns on a first walk over what it draws, and what it tells of the whole: such formats hold one
/// moment, without cameras, lights, skins and blend shapes.
public struct OutputSurvey {
    /// The prefix of the codes of what is told: `obj`.
    private let code: String
    /// The format's name in messages: `OBJ`.
    private let name: String
    /// How often each mesh is drawn.
    public var meshUses: [ID<Mesh>: Int] = [:]
    private var cages: [String] = []
    private var skinned: [String] = []
    private var shaped: [String] = []
    private var isDeforming = false
    private var seen = Set<ID<Mesh>>()

    public init(code: String, name: String) {
        self.code = code
        self.name = name
    }

    /// Takes a mesh into account that a node draws.
    public mutating func meet(_ id: ID<Mesh>, _ mesh: borrowing Mesh, _ node: borrowing Node) {
        meshUses[id, default: 0] += 1
        guard seen.insert(id).inserted else { return }
        if mesh.subdivisionScheme != "none" { cages.append(node.path) }
        if mesh.skin != nil { skinned.append(node.path) }
        if mesh.blendShapeCount > 0 { shaped.append(node.path) }
        if mesh.isDeforming { isDeforming = true }
    }

    /// Tells of meshes that stand as they are at rest.
    public func reportMeshes(at location: SourceLocation, to diagnostics: inout Diagnostics) {
        func info(_ code: String, _ paths: [String], _ what: String, _ many: String) {
            guard let first = paths.first else { return }
            let message = paths.count == 1 ? what : "\(paths.count) \(many)"
            var entry = Diagnostic(.info, self.code + code, message, at: location)
            if paths.count == 1 { entry.location.primPath = first }
            entry.notes = paths.count == 1 ? [] : Array(paths.prefix(20)) + (paths.count > 20 ? ["and \(paths.count - 20) more"] : [])
            diagnostics.add(entry)
        }
        info(".cage", cages, "a subdivision surface is written as its control cage", "subdivision surfaces are written as their control cages")
        info(".rest-pose", skinned, "a skinned mesh is written at rest", "skinned meshes are written at rest")
        info(".rest-shape", shaped, "a mesh is written without its blend shapes", "meshes are written without their blend shapes")
    }

    /// Tells of cameras, lights and animation among the nodes of a range; what lies outside the part that was asked for is not lost.
    public func reportNodes(_ scene: Scene, _ part: Range<Int>, at location: SourceLocation, to diagnostics: inout Diagnostics) {
        var (cameras, lights, isAnimated) = (0, 0, false)
        for i in part {
            if case .camera = scene.nodes[i].content { cameras += 1 }
            if case .light = scene.nodes[i].content { lights += 1 }
            if scene.nodes[i].isAnimated { isAnimated = true }
        }
        func lost(_ count: Int, _ what: String) {
            guard count > 0 else { return }
            diagnostics.warning(
                "\(code).lost.\(what)s", "\(amount(count, what)) not written: \(name) has none", at: location)
        }
        lost(cameras, "camera")
        lost(lights, "light")
        if isAnimated || isDeforming {
            diagnostics.info(code + ".one-moment", "animation is not written: things stand as they are at the time that was read", at: location)
        }
    }
}

/// Names of drawn things that are unique in an output: a node's own where it is the only one of that name, else with the parent's
/// before it (`LegLeft_Geometry`), else numbered.
public struct ObjectNames {
    private let scene: Scene
    /// Makes a name one that the format can hold.
    private let safe: @Sendable (String) -> String
    private var names = UniqueNames()
    private var met = Set<String>()
    private var shared = Set<String>()
    /// The names that the format cannot hold as they are, and those that others have, too. A copy's is not its own.
    public private(set) var renames = RenameList()
    public private(set) var numbered = RenameList()

    public init(_ scene: Scene, safe: @escaping @Sendable (String) -> String) {
        self.scene = scene
        self.safe = safe
    }

    /// Announces a thing that will be drawn.
    public mutating func meet(_ node: Node) {
        let name = safe(Self.naturalName(node))
        names.announce(name)
        let key = name.lowercased()
        if !met.insert(key).inserted { shared.insert(key) }
    }

    /// A name for a thing, another one each time.
    public mutating func name(_ item: DrawItem, _ node: Node) -> String {
        let name = safe(Self.naturalName(node))
        var made: String
        if item.copies.isEmpty, let parent = node.parent, shared.contains(name.lowercased()) {
            made = names.unique(made: safe(Self.naturalName(scene.nodes[parent])) + "_" + name)
        } else {
            made = names.unique(name)
        }
        if item.copies.isEmpty {
            if name != node.name { renames.note(node.name, as: made, at: node.path) } else { numbered.note(node.name, as: made, at: node.path) }
        }
        return made
    }

    /// A node's name, or the last part of its path where it has none.
    public static func naturalName(_ node: Node) -> String {
        node.name.isEmpty ? String(node.path.split(separator: "/").last ?? "") : node.name
    }
}

/// `Y up, 0.01 metres a unit`: what a comment of an output tells of its numbers; nil where nothing is known.
///
/// - Parameter text: spells a number.
public func unitsComment(_ scene: Scene, metersPerUnit: Double?, upAxis: String?, text: (Double) -> String) -> String? {
    let unit = metersPerUnit ?? scene.metadata.metersPerUnit
    let up = upAxis ?? scene.metadata.upAxis
    let parts = [up.map { "\($0) up" }, unit.map { "\(text($0)) metres a unit" }].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
}

/// `default or render`
public func listed(_ purposes: Set<Purpose>) -> String {
    Purpose.allCases.filter { purposes.contains($0) }.map(\.rawValue).joined(separator: " or ")
}
