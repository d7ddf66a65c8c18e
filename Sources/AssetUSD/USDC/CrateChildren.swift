import AssetIO
import AssetModel

/// Puts the children of specs into the order that the lists of names in the file give.
struct CrateChildren {
    private(set) var children = ContiguousArray<SpecIndex>()

    private let crate: CrateFile
    private let bytes: CrateBytes
    private let tokens: ContiguousArray<Token>
    /// By spec: the crate token of its path's last element.
    private let elements: NumberTable
    /// Children of each spec in file order, as lists.
    private let first: NumberTable
    private let next: NumberTable
    private let parents: NumberTable
    /// Specs of names among the children at hand, by crate token; prims and properties may have the same name.
    private let prims: NumberTable
    private let properties: NumberTable
    /// By spec: 0 once a list has named it.
    private let unnamed: NumberTable

    init(_ crate: CrateFile, _ specs: borrowing SpecTable, _ tree: CratePaths, _ pathOfSpec: ContiguousArray<Int32>) throws(AssetError) {
        self.crate = crate
        bytes = crate.bytes
        tokens = crate.tokens
        let n = specs.count
        let paths = crate.session.paths
        let names = crate.tokens.count
        let tables = NumberTable.together([n, n, n, n, n, names, names])
        (first, next, parents, elements, unnamed) = (tables[0], tables[1], tables[2], tables[3], tables[4])
        (prims, properties) = (tables[5], tables[6])
        children.reserveCapacity(n)
        for i in (1..<max(n, 1)).reversed() {
            let spec = specs[SpecIndex(truncatingIfNeeded: i)]
            var parent = spec.parent
            if spec.kind == .variant {
                // A variant's path hangs from the prim, the spec from the variant set.
                parent = specs.find(paths.variant(paths.parent(spec.path), set: paths.name(spec.path), selection: .empty)) ?? -1
            }
            elements[i] = tree.elements[Int(pathOfSpec[i])]
            parents[i] = parent
            guard parent >= 0 else { continue }
            next[i] = first[Int(parent)]
            first[Int(parent)] = SpecIndex(truncatingIfNeeded: i)
        }
    }

    func hasChildren(_ spec: Int) -> Bool { first[spec] >= 0 }

    private var count: Int32 { Int32(truncatingIfNeeded: children.count) }

    /// Sets the ranges of one spec's children.
    mutating func link(
        _ i: SpecIndex, _ specs: inout SpecTable, primChildren: ValueRep?, properties propertyList: ValueRep?, variantSets: ValueRep?,
        variants variantList: ValueRep?, _ diagnostics: inout Diagnostics
    ) throws(AssetError) {
        var others: [SpecIndex] = []
        var c = first[Int(i)]
        while c >= 0 {
            switch specs[c].kind {
            case .prim: prims[Int(elements[Int(c)])] = c
            case .attribute, .relationship: properties[Int(elements[Int(c)])] = c
            case .variantSet, .variant: break
            default:
                others.append(c)
                unnamed[Int(c)] = 0
            }
            c = next[Int(c)]
        }
        let start = count
        if let primChildren { try names(primChildren, of: i, .prim, &specs, &diagnostics) }
        let primEnd = count
        if let propertyList { try names(propertyList, of: i, .attribute, &specs, &diagnostics) }
        let propertyEnd = count
        if let list = specs[i].kind == .variantSet ? variantList : variantSets {
            try variantNames(list, of: i, &specs, &diagnostics)
        }
        let variantEnd = count
        if !others.isEmpty { children.append(contentsOf: others) }
        specs[i].setChildren(from: start, prims: primEnd, properties: propertyEnd, variants: variantEnd, others: count)
        // What the lists do not name is not part of the scene, for OpenUSD either.
        c = first[Int(i)]
        while c >= 0 {
            let element = Int(elements[Int(c)])
            if unnamed[Int(c)] != 0 {
                warn(
                    "usdc.dropped.spec", specs[c].path,
                    "the spec is not among the children of <\(crate.session.string(specs[i].path))>", &diagnostics)
            }
            prims[element] = -1
            properties[element] = -1
            specs[c].parent = i
            c = next[Int(c)]
        }
    }

    /// Appends the children that a list names, in its order.
    private mutating func names(
        _ rep: ValueRep, of parent: SpecIndex, _ kind: SpecKind, _ specs: inout SpecTable, _ diagnostics: inout Diagnostics
    ) throws(AssetError) {
        let (list, offset, n) = try tokenVector(rep)
        for k in 0..<n {
            let t = Int(list.loadUnaligned(fromByteOffset: 4 * k, as: UInt32.self))
            guard t < tokens.count else { throw bytes.error(.value, offset + 4 * k, "token \(t) of \(tokens.count)") }
            var child = kind == .prim ? prims[t] : properties[t]
            if child < 0 {
                // The same name may have several token numbers.
                let paths = crate.session.paths
                let above = specs[parent].path
                child = specs.find(kind == .prim ? paths.child(above, tokens[t]) : paths.property(above, tokens[t])) ?? -1
                guard child >= 0, parents[Int(child)] == parent, unnamed[Int(child)] != 0, (specs[child].kind == .prim) == (kind == .prim)
                else {
                    warn(
                        "usdc.missing-child", specs[parent].path,
                        "\(child < 0 ? "no" : "no further") spec for the child \"\(crate.session.string(tokens[t]))\"", &diagnostics)
                    continue
                }
            }
            let own = Int(elements[Int(child)])
            if kind == .prim { prims[own] = -1 } else { properties[own] = -1 }
            unnamed[Int(child)] = 0
            children.append(child)
        }
    }

    private mutating func variantNames(
        _ rep: ValueRep, of parent: SpecIndex, _ specs: inout SpecTable, _ diagnostics: inout Diagnostics
    ) throws(AssetError) {
        let paths = crate.session.paths
        let (list, offset, n) = try tokenVector(rep)
        for k in 0..<n {
            let name = try crate.token(list.loadUnaligned(fromByteOffset: 4 * k, as: UInt32.self), .value, offset + 4 * k)
            let above = specs[parent].path
            let path =
                specs[parent].kind == .variantSet
                ? paths.variant(paths.parent(above), set: paths.name(above), selection: name)
                : paths.variant(above, set: name, selection: .empty)
            guard let child = specs.find(path), parents[Int(child)] == parent, unnamed[Int(child)] != 0 else {
                warn("usdc.missing-child", above, "no spec for the child \"\(crate.session.string(name))\"", &diagnostics)
                continue
            }
            unnamed[Int(child)] = 0
            children.append(child)
        }
    }

    /// Warns of specs that hang from nothing.
    func reportOrphans(_ specs: borrowing SpecTable, _ diagnostics: inout Diagnostics) {
        for i in 1..<max(1, specs.count) where parents[i] < 0 {
            warn("usdc.dropped.spec", specs[SpecIndex(truncatingIfNeeded: i)].path, "the spec has no parent", &diagnostics)
        }
    }

    private func warn(_ code: String, _ path: Path, _ message: String, _ diagnostics: inout Diagnostics) {
        var location = bytes.file.location((try? crate.section(.specs).start) ?? 0)
        location.primPath = crate.session.string(path)
        diagnostics.warning(code, message, at: location)
    }

    /// The token indices of a token vector, their offset and number.
    private func tokenVector(_ rep: ValueRep) throws(AssetError) -> (list: UnsafeRawPointer, offset: Int, count: Int) {
        guard rep.type == .tokenVector, !rep.isArray, !rep.isInlined else {
            throw bytes.error(.value, rep.payload, "children of type \(rep.typeNumber), expected token names")
        }
        let n = try bytes.elementCount(rep.payload, stride: 4, .value)
        return (try bytes.pointer(rep.payload + 8, 4 * n, .value), rep.payload + 8, n)
    }
}
