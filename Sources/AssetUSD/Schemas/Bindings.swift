import AssetModel

/// Which binding is asked for.
enum BindingPurpose {
    case all, preview
}

struct BindingName {
    enum Kind { case none, direct, collection }
    var kind: Kind
    /// Empty for the all-purpose binding.
    var purpose: Token
}

/// Material bindings authored on one prim.
struct BindingFrame {
    struct Direct {
        var material: Path
        var isStronger: Bool
        /// Empty for the all-purpose binding.
        var purpose: Token
    }
    struct Collection {
        var collection: Path
        var material: Path
        var isStronger: Bool
        var purpose: Token
    }
    var node: Int32
    /// The next frame above, or -1.
    var parent: Int32
    /// In `SceneReader.directBindings` and `collectionBindings`.
    var direct: Range<Int32>
    var collections: Range<Int32>
    /// Whether the nearest all-purpose binding decides: no binding from here up is by collection, stronger than those below
    /// it, or for previews.
    var isPlain = true
    /// What it is then.
    var nearest = Path.empty
}

extension SceneReader {
    /// Takes a prim's binding relationships in.
    func pushBindings(_ i: Int, _ relationships: [Token], _ prim: StagePrim) throws(AssetError) {
        let above = bindingFrames[i]
        let direct = Int32(directBindings.count)
        let collections = Int32(collectionBindings.count)
        for name in relationships where stage.propertyKind(prim, name) == .relationship {
            let parts = bindingName(name)
            guard parts.kind != .none else { continue }
            let isStronger = stage.token(prim, name, metadata: .bindMaterialAs) == .strongerThanDescendants
            if parts.kind == .direct, let target = stage.plainTarget(prim, name) {
                directBindings.append(BindingFrame.Direct(material: target, isStronger: isStronger, purpose: parts.purpose))
                continue
            }
            let targets = stage.forwardedTargets(prim, name)
            if parts.kind == .collection {
                guard targets.count == 2 else {
                    warn(
                        "usd.bad-binding",
                        "\(session.string(name)) has \(amount(targets.count, "target")), expected a collection and a material", prim)
                    continue
                }
                let first = session.paths.kind(targets[0]) == .prim
                guard first != (session.paths.kind(targets[1]) == .prim) else { continue }
                collectionBindings.append(
                    BindingFrame.Collection(
                        collection: targets[first ? 1 : 0], material: targets[first ? 0 : 1], isStronger: isStronger,
                        purpose: parts.purpose))
            } else {
                guard targets.count == 1, session.paths.kind(targets[0]) == .prim else {
                    if targets.count > 1 {
                        warn("usd.bad-binding", "\(session.string(name)) has \(amount(targets.count, "target")), expected one material", prim)
                    }
                    continue
                }
                directBindings.append(BindingFrame.Direct(material: targets[0], isStronger: isStronger, purpose: parts.purpose))
            }
        }
        var frame = BindingFrame(
            node: Int32(i), parent: above, direct: direct..<Int32(directBindings.count), collections: collections..<Int32(collectionBindings.count))
        guard !frame.direct.isEmpty || !frame.collections.isEmpty else { return }
        if above >= 0 { (frame.isPlain, frame.nearest) = (frames[Int(above)].isPlain, frames[Int(above)].nearest) }
        if !frame.collections.isEmpty { frame.isPlain = false }
        for d in directBindings[Int(direct)...] {
            if d.isStronger || d.purpose == previewToken { frame.isPlain = false }
            if d.purpose.isEmpty { frame.nearest = d.material }
        }
        bindingFrames[i] = Int32(frames.count)
        frames.append(frame)
    }

    /// A binding relationship's name taken apart: `material:binding`, `material:binding:PURPOSE`,
    /// `material:binding:collection:NAME` or `material:binding:collection:PURPOSE:NAME`.
    private func bindingName(_ name: Token) -> BindingName {
        if let known = bindingNames[name] { return known }
        let parts = session.string(name).split(separator: ":", omittingEmptySubsequences: false)
        var made = BindingName(kind: .none, purpose: .empty)
        if parts.count >= 4, parts[2] == "collection" {
            if parts.count <= 5 { made.kind = .collection }
            if parts.count == 5 { made.purpose = session.token(String(parts[3])) }
        } else if parts.count == 2 || parts.count == 3 {
            made.kind = .direct
            if parts.count == 3 { made.purpose = session.token(String(parts[2])) }
        }
        bindingNames[name] = made
        return made
    }

    /// The materials bound to a node for all purposes and for previews.
    func boundMaterials(_ i: Int) -> (all: ID<Material>?, preview: ID<Material>?) {
        let f = Int(bindingFrames[i])
        guard f >= 0 else { return (nil, nil) }
        guard frames[f].isPlain else { return (boundMaterial(i, .all), boundMaterial(i, .preview)) }
        let path = frames[f].nearest
        if path.isEmpty { return (nil, nil) }
        let bound = material(at: path, boundTo: i)
        return (bound, bound)
    }

    /// The material bound to a node (UsdShadeMaterialBindingAPI::ComputeBoundMaterial).
    func boundMaterial(_ i: Int, _ wanted: BindingPurpose) -> ID<Material>? {
        guard bindingFrames[i] >= 0 else { return nil }
        let purposes: [Token] = wanted == .all ? [.empty] : [previewToken, .empty]
        for purpose in purposes {
            var bound: Path?
            var winner: Int32 = -1
            var f = bindingFrames[i]
            while f >= 0 {
                let frame = frames[Int(f)]
                // A prim's binding for the wanted purpose stands in for its all-purpose one.
                let own = directBindings[Int(frame.direct.lowerBound)..<Int(frame.direct.upperBound)]
                let direct = own.first { wanted == .preview && $0.purpose == previewToken } ?? own.first { $0.purpose.isEmpty }
                if let direct, direct.purpose == purpose, bound == nil || direct.isStronger {
                    bound = direct.material
                    winner = f
                }
                for c in collectionBindings[Int(frame.collections.lowerBound)..<Int(frame.collections.upperBound)] where c.purpose == purpose {
                    // On the same prim a collection is stronger than the direct binding.
                    guard bound == nil || winner == f || c.isStronger, collection(c.collection, includes: i) else { continue }
                    bound = c.material
                    winner = f
                    break
                }
                f = frame.parent
            }
            if let bound { return material(at: bound, boundTo: i) }
        }
        return nil
    }

    private var previewToken: Token { names.preview }

    /// The material at a path; nil, with a warning, where there is none.
    private func material(at path: Path, boundTo i: Int) -> ID<Material>? {
        if let known = materialIDs[path] { return known.index < 0 ? nil : known }
        let prim = visits[i].prim
        guard let target = stage.prim(at: path) else {
            warn("usd.missing-material", "the bound material \(session.string(path)) is not on the stage", prim)
            materialIDs[path] = ID(-1)
            return nil
        }
        guard schemas[stage.typeName(target)].reader == .material else {
            warn(
                "usd.bad-binding",
                "the bound prim \(session.string(path)) is a \(session.string(stage.typeName(target))), expected a Material", prim)
            materialIDs[path] = ID(-1)
            return nil
        }
        // Bound but not among the prims a traversal shows (a class, an over).
        let id = addMaterial(target, isInTree: false)
        materialIDs[path] = id
        return id
    }

    // MARK: Collections

    private func collection(_ path: Path, includes i: Int) -> Bool {
        if collections[path] == nil { collections[path] = CollectionQuery(path, self) }
        guard let query = collections[path] else { return false }
        if let expression = query.expression { return expression.includes(lineage(of: i)) }
        return query.includes(stage.path(visits[i].prim), session.paths)
    }

    private func lineage(of i: Int) -> PathPattern.Lineage {
        var lineage = PathPattern.Lineage(names: [], prims: [], facts: PrimFactReader(self))
        var n = i
        while n >= 0 {
            lineage.names.append(Array(scene.nodes.elements.indices.contains(n) ? scene.nodes.elements[n].name.utf8 : ownName(n).utf8))
            lineage.prims.append(visits[n].prim)
            n = Int(visits[n].parent)
        }
        lineage.names.reverse()
        lineage.prims.reverse()
        return lineage
    }

    /// The name of a prim whose node is still being made.
    private func ownName(_ n: Int) -> String { session.string(stage.name(visits[n].prim)) }
}

/// Which prims a collection holds (UsdCollectionMembershipQuery with its path rules).
struct CollectionQuery {
    enum Rule { case explicitOnly, expandPrims, expandPrimsAndProperties, exclude }

    /// Letters of expressions that one may refer to, those that they refer to included: each reference repeats what it names.
    private static let maximalReferenced = 200_000
    private var rules: [Path: Rule] = [:]
    /// What counts where no path is included or excluded.
    private(set) var expression: CollectionExpression?

    init(_ path: Path, _ reader: SceneReader) {
        var open: [Path] = []
        rules = Self.rules(path, reader, &open)
        if rules.isEmpty {
            var budget = min(Self.maximalReferenced, reader.expressionBudget)
            expression = Self.expression(path, reader, chain: [], &budget)
            if budget < 0, let prim = reader.stage.prim(at: reader.session.paths.parent(path)) {
                reader.warn(
                    "usd.bad-membership-expression",
                    "the expressions that the one of collection \(reader.session.string(reader.session.paths.name(path)).dropFirst(11)) "
                        + "refers to are too many to follow, and it is taken as empty", prim)
                expression = .nothing
            }
        }
    }

    /// The membership expression of a collection; nil where it has none. One that cannot be read holds nothing.
    private static func expression(_ path: Path, _ reader: SceneReader, chain: [Path], _ budget: inout Int) -> CollectionExpression? {
        let session = reader.session
        guard session.paths.kind(path) == .property, let prim = reader.stage.prim(at: session.paths.parent(path)) else { return nil }
        let name = session.string(session.paths.name(path))
        guard let text = (try? reader.stage.value(prim, session.token(name + ":membershipExpression"), at: .default)?.resolved())?.text(session)
        else { return nil }
        if !chain.isEmpty {
            let cost = 64 + text.utf8.count
            budget -= cost
            reader.expressionBudget = max(0, reader.expressionBudget - cost)
        }
        let chain = chain + [path]
        var rest = budget
        defer { budget = rest }
        var parser = CollectionExpressionParser(text, anchor: session.paths.string(session.paths.parent(path))) { owner, other in
            guard let prim = session.paths.parse(owner) else { return .nothing }
            let named = session.paths.property(prim, session.token("collection:" + other))
            // One that leads back to itself adds nothing.
            if chain.contains(named) || chain.count > 32 || rest < 0 { return .nothing }
            return expression(named, reader, chain: chain, &rest) ?? .nothing
        }
        do {
            return try parser.parse()
        } catch {
            reader.warn(
                "usd.bad-membership-expression",
                "the expression of collection \(name.dropFirst(11)) cannot be followed, and it is taken as empty: \(error.message)", prim)
            return .nothing
        }
    }

    /// The rules of a collection and of those within it, each found out once. `open` are those that ask.
    private static func rules(_ path: Path, _ reader: SceneReader, _ open: inout [Path]) -> [Path: Rule] {
        if let known = reader.collectionRules[path] { return known }
        open.append(path)
        let made = readRules(path, reader, &open)
        open.removeLast()
        reader.collectionRules[path] = made
        return made
    }

    private static func readRules(_ path: Path, _ reader: SceneReader, _ open: inout [Path]) -> [Path: Rule] {
        let session = reader.session
        let stage = reader.stage
        var out: [Path: Rule] = [:]
        guard session.paths.kind(path) == .property, let prim = stage.prim(at: session.paths.parent(path)) else { return out }
        let name = session.string(session.paths.name(path))
        guard name.hasPrefix("collection:") else { return out }
        func property(_ last: String) -> Token { session.token(name + ":" + last) }

        let text = (try? stage.value(prim, property("expansionRule"), at: .default)?.resolved())?.text(session) ?? ""
        let rule: Rule =
            switch text {
            case "explicitOnly": .explicitOnly
            case "expandPrimsAndProperties": .expandPrimsAndProperties
            default: .expandPrims
            }
        if rule != .explicitOnly, (try? stage.value(prim, property("includeRoot"), at: .default)?.resolved())?.boolean == true {
            out[.root] = rule
        }
        for target in stage.targets(prim, property("includes")) {
            if session.paths.kind(target) == .property, session.string(session.paths.name(target)).hasPrefix("collection:") {
                // A collection within; one that leads back to itself is passed over.
                guard !open.contains(target) else { continue }
                guard open.count < 1000, reader.collectionBudget > 0 else {
                    reader.warn("usd.too-many-collections", "collections within collections, more than can be followed: left out", prim)
                    continue
                }
                let inner = Self.rules(target, reader, &open)
                // A few lines of hostile text could copy billions.
                reader.collectionBudget -= inner.count + 1
                for (p, r) in inner { out[p] = r }
            } else {
                out[target] = rule
            }
        }
        for target in stage.targets(prim, property("excludes")) { out[target] = .exclude }
        return out
    }

    /// Whether a prim is in the collection: the nearest rule at or above it decides.
    func includes(_ path: Path, _ paths: PathTable) -> Bool {
        guard !rules.isEmpty else { return false }
        var p = path
        while !p.isEmpty {
            if let rule = rules[p] {
                if rule == .exclude { return false }
                if rule != .explicitOnly || p == path { return true }
            }
            p = paths.parent(p)
        }
        return false
    }
}
