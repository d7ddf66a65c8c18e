import AssetIO
import AssetModel

/// Fills a layer from the tables of a crate file: fields and field sets first, then specs, then the order of children.
struct CrateLayerReader {
    /// What a field is for the layer: a value, or one of the lists that say the order of children.
    private enum Role: UInt8 { case value, primChildren, properties, variantSets, variants, dropped }

    /// Fields that specs share.
    private struct FieldSet {
        var fields: Range<Int32> = 0..<0
        /// Which of `lists` says the order of children; -1 where none does.
        var list: Int32 = -1
    }

    /// The fields that list children (-1 for none).
    private struct ChildLists {
        var primChildren: Int32 = -1
        var properties: Int32 = -1
        var variantSets: Int32 = -1
        var variants: Int32 = -1

        /// All are -1 where there is no list.
        var isNone: Bool { primChildren & properties & variantSets & variants == -1 }
    }

    let crate: CrateFile
    let identifier: String
    private var bytes: CrateBytes { crate.bytes }

    private var reps: ContiguousArray<UInt64> = []
    private var fields: ContiguousArray<PackedField> = []
    /// Values that no packed field can hold.
    private var values: ContiguousArray<USDValue> = []
    private var sets: ContiguousArray<FieldSet> = []
    private var lists: ContiguousArray<ChildLists> = []
    /// By index of a field set's first entry: its place in `sets`, -1 where none begins.
    private var setAt: [Int32] = []
    private var tree = CratePaths()
    private var specs = SpecTable()
    /// By spec: its path index and its place in `sets`.
    private var pathOfSpec: ContiguousArray<Int32> = []
    private var setOfSpec: ContiguousArray<Int32> = []

    init(_ crate: CrateFile, identifier: String) {
        self.crate = crate
        self.identifier = identifier
    }

    consuming func read(_ diagnostics: inout Diagnostics) throws(AssetError) -> USDLayer {
        let names = try readFields()
        // Values name paths, so those come first.
        tree = try crate.readPaths()
        try readFieldSets(names)
        try readSpecs()
        var specs = specs
        self.specs = SpecTable()
        var links = try CrateChildren(crate, specs, tree, pathOfSpec)
        let (reps, sets, setOfSpec, childLists) = (reps, sets, setOfSpec, lists)
        @inline(__always) func list(_ field: Int32) -> ValueRep? { field < 0 ? nil : ValueRep(reps[Int(field)]) }
        for i in 0..<specs.count {
            let set = setOfSpec[i]
            let which = set >= 0 ? sets[Int(set)].list : -1
            guard which >= 0 || links.hasChildren(i) else { continue }
            let lists = which >= 0 ? childLists[Int(which)] : ChildLists()
            try links.link(
                SpecIndex(truncatingIfNeeded: i), &specs, primChildren: list(lists.primChildren), properties: list(lists.properties),
                variantSets: list(lists.variantSets), variants: list(lists.variants), &diagnostics)
        }
        links.reportOrphans(specs, &diagnostics)
        return USDLayer(
            session: crate.session, identifier: identifier, encoding: "usdc", version: crate.version.description,
            byteCount: bytes.count, specs: specs, fields: FieldStore(fields, values: values, source: crate), children: links.children)
    }

    // MARK: Fields

    /// Reads the representations of all fields and returns their names' token indices.
    private mutating func readFields() throws(AssetError) -> [Int32] {
        var at = try crate.cursor(.fields)
        var names: [Int32]
        if crate.version < CrateVersion(0, 4, 0) {
            let n = try at.elementCount(stride: 16)
            names = []
            names.reserveCapacity(n)
            reps.reserveCapacity(n)
            for _ in 0..<n {
                names.append(try bytes.load(at.offset + 4, as: Int32.self, .fields))
                reps.append(try bytes.load(at.offset + 8, as: UInt64.self, .fields))
                at.offset += 16
            }
            return names
        }
        let n = try crate.packedCount(&at)
        names = try crate.integers(&at, n)
        let size = try at.blockSize()
        let packed = try bytes.pointer(at.offset, size, .fields)
        guard n <= CrateCompression.mostUnpacked(size) / 8 else { throw at.error("\(n) values cannot be packed into \(amount(size, "byte"))") }
        guard n > 0 else { return names }
        var unpacked: Int?
        reps = ContiguousArray(unsafeUninitializedCapacity: n) { out, count in
            if let to = out.baseAddress { unpacked = CrateCompression.unpack(packed, size, into: UnsafeMutableRawPointer(to), n * 8) }
            // A short block leaves the array empty; that is an error below.
            count = unpacked == n * 8 ? n : 0
        }
        guard unpacked == n * 8 else { throw at.error("damaged compressed values") }
        return names
    }

    private func role(_ name: Token, _ dropped: [Token]) -> Role {
        switch name {
        case .primChildren: .primChildren
        case .properties: .properties
        case .variantSetChildren: .variantSets
        case .variantChildren: .variants
        default: dropped.contains(name) ? .dropped : .value
        }
    }

    private mutating func readFieldSets(_ names: [Int32]) throws(AssetError) {
        // What each field is, and its value: decoded once for all specs that share the field.
        let section = try crate.section(.fields).start
        let session = crate.session
        let dropped = ["connectionChildren", "targetChildren", "mapperChildren", "mapperArgChildren", "expressionChildren"].map {
            session.token($0)
        }
        var values = ContiguousArray<PackedField>()
        var roles = ContiguousArray<Role>()
        values.reserveCapacity(names.count)
        roles.reserveCapacity(names.count)
        let tokens = crate.tokens
        for (i, name) in names.enumerated() {
            guard name >= 0, Int(name) < tokens.count else {
                throw bytes.error(.fields, section, "token \(UInt32(bitPattern: name)) of \(tokens.count)")
            }
            let token = tokens[Int(name)]
            let role = role(token, dropped)
            roles.append(role)
            values.append(role == .value ? try field(token, ValueRep(reps[i])) : PackedField(token, .block, 0))
        }

        var at = try crate.cursor(.fieldSets)
        let start = at.offset
        var entries: [Int32] = []
        if crate.version < CrateVersion(0, 4, 0) {
            let n = try at.elementCount(stride: 4)
            entries.reserveCapacity(n)
            for _ in 0..<n { entries.append(try at.next(Int32.self)) }
        } else {
            let n = try crate.packedCount(&at)
            entries = try crate.integers(&at, n)
        }
        if let last = entries.last, last != -1 { throw bytes.error(.fieldSets, start, "the last field set is not terminated") }
        var setCount = 0
        for f in entries where f == -1 { setCount &+= 1 }
        var sets = ContiguousArray<FieldSet>()
        sets.reserveCapacity(setCount)
        HugePages.advise(&sets)
        var lists = ContiguousArray<ChildLists>()
        var fields = ContiguousArray<PackedField>()
        fields.reserveCapacity(entries.count - setCount)
        HugePages.advise(&fields)
        var list = ChildLists()
        var isOpen = false
        var first: Int32 = 0
        // What has been read gives way to the set's place where one begins, and to -1 elsewhere.
        try entries.withUnsafeMutableBufferPointer { entries throws(AssetError) in
            for i in entries.indices {
                let f = entries[i]
                if isOpen {
                    entries[i] = -1
                } else {
                    isOpen = true
                    list = ChildLists()
                    first = Int32(truncatingIfNeeded: fields.count)
                    entries[i] = Int32(truncatingIfNeeded: sets.count)
                }
                if f == -1 {
                    isOpen = false
                    var set = FieldSet(fields: first..<Int32(truncatingIfNeeded: fields.count))
                    if !list.isNone {
                        set.list = Int32(truncatingIfNeeded: lists.count)
                        lists.append(list)
                    }
                    sets.append(set)
                    continue
                }
                guard f >= 0, Int(f) < values.count else {
                    throw bytes.error(.fieldSets, start, "field \(UInt32(bitPattern: f)) of \(values.count)")
                }
                switch roles[Int(f)] {
                case .value: fields.append(values[Int(f)])
                case .primChildren: list.primChildren = f
                case .properties: list.properties = f
                case .variantSets: list.variantSets = f
                case .variants: list.variants = f
                case .dropped: break
                }
            }
        }
        setAt = entries
        self.sets = sets
        self.lists = lists
        self.fields = fields
    }

    /// Scalars that a packed field holds are taken from the representation; everything else stays in the file.
    private mutating func field(_ name: Token, _ rep: ValueRep) throws(AssetError) -> PackedField {
        let word = UInt64(rep.inlined)
        switch rep.type {
        case .token? where !rep.isArray && !rep.isArrayEdit && word < crate.tokens.count:
            return PackedField(name, .token, UInt64(UInt32(bitPattern: crate.tokens[Int(word)].id)))
        case .specifier? where !rep.isArray && word <= 2: return PackedField(name, .specifier, word)
        case .bool? where !rep.isArray && !rep.isArrayEdit: return PackedField(name, .bool, word & 0xFF != 0 ? 1 : 0)
        // Old files hold one payload where newer ones have a list.
        case .payload? where name == .payload:
            values.append(try crate.decode(rep.bits))
            return PackedField(name, .other, UInt64(values.count - 1))
        case .valueBlock? where !rep.isArray: return PackedField(name, .block, 0)
        case .animationBlock? where !rep.isArray: return PackedField(name, .animationBlock, 0)
        case .timeCode?, .duration?: return PackedField(name, .source, rep.bits, type: .timeCode)
        case .assetPath?, .pathExpression?: return PackedField(name, .source, rep.bits, type: .asset)
        default: return PackedField(name, .source, rep.bits)
        }
    }

    // MARK: Specs

    private struct RawSpecs {
        var paths = NumberTable(0)
        var sets = NumberTable(0)
        var types = NumberTable(0)
        var start = 0
    }

    private func readRawSpecs() throws(AssetError) -> RawSpecs {
        var at = try crate.cursor(.specs)
        var raw = RawSpecs()
        raw.start = at.offset
        if crate.version < CrateVersion(0, 4, 0) {
            // The first version had four bytes of padding in front.
            let lead = crate.version < CrateVersion(0, 1, 0) ? 4 : 0
            let n = try at.elementCount(stride: 12 + lead)
            let tables = NumberTable.together([n, n, n])
            (raw.paths, raw.sets, raw.types) = (tables[0], tables[1], tables[2])
            for i in 0..<n {
                raw.paths[i] = try bytes.load(at.offset + lead, as: Int32.self, .specs)
                raw.sets[i] = try bytes.load(at.offset + lead + 4, as: Int32.self, .specs)
                raw.types[i] = try bytes.load(at.offset + lead + 8, as: Int32.self, .specs)
                at.offset += 12 + lead
            }
        } else {
            let n = try crate.packedCount(&at)
            (raw.paths, raw.sets, raw.types) = try crate.threeColumns(&at, n)
        }
        return raw
    }

    /// OpenUSD's SdfSpecType.
    private static func kind(_ type: Int32) -> SpecKind? {
        switch type {
        case 1: .attribute
        case 2: .connection
        case 3: .expression
        case 4: .mapper
        case 5: .mapperArg
        case 6: .prim
        case 7: .pseudoRoot
        case 8: .relationship
        case 9: .relationshipTarget
        case 10: .variant
        case 11: .variantSet
        default: nil
        }
    }

    private mutating func readSpecs() throws(AssetError) {
        let raw = try readRawSpecs()
        let n = raw.paths.count
        let paths = crate.paths
        // Where each path's spec is in the file.
        let tables = NumberTable.together([paths.count, paths.count])
        let fileSpec = tables[0]
        for i in 0..<n {
            let p = raw.paths[i]
            guard p >= 0, Int(p) < paths.count, !paths[Int(p)].isEmpty else {
                throw bytes.error(.specs, raw.start, "spec \(i) has no path: \(UInt32(bitPattern: p)) of \(paths.count)")
            }
            guard fileSpec[Int(p)] < 0 else {
                throw bytes.error(.specs, raw.start, "two specs for <\(crate.session.string(paths[Int(p)]))>")
            }
            fileSpec[Int(p)] = Int32(truncatingIfNeeded: i)
        }
        var specs = ContiguousArray<Spec>()
        var pathOfSpec = ContiguousArray<Int32>()
        var setOfSpec = ContiguousArray<Int32>()
        specs.reserveCapacity(n + 1)
        HugePages.advise(&specs)
        pathOfSpec.reserveCapacity(n + 1)
        setOfSpec.reserveCapacity(n + 1)
        let (sets, setAt) = (sets, setAt)
        // By path index: the spec in the layer.
        let specOfPath = tables[1]
        let table = crate.session.paths
        let dropsTargets = crate.version < CrateVersion(0, 1, 0)
        // In the order of the path tree: parents come first, and what belongs together is together.
        for k in 0..<tree.count {
            let p = tree.order[k]
            let i = Int(fileSpec[Int(p)])
            var path = paths[Int(p)]
            guard i >= 0 || path.isRoot else { continue }
            var kind = SpecKind.pseudoRoot
            if i >= 0 {
                guard let k = Self.kind(raw.types[i]) else {
                    throw bytes.error(.specs, raw.start, "spec \(i) has the unknown type \(raw.types[i])")
                }
                guard (k == .pseudoRoot) == path.isRoot else {
                    throw bytes.error(.specs, raw.start, "a \(k) at <\(crate.session.string(path))>")
                }
                kind = k
            }
            // Property names that are token 0 lose their sign in packed paths: early writers made such files.
            if tree.elements[Int(p)] == 0, kind == .attribute || kind == .relationship, table.kind(path) == .prim {
                path = table.property(table.parent(path), table.name(path))
                crate.paths[Int(p)] = path
            }
            // Files of version 0.0.1 hold specs for targets, which say nothing.
            if dropsTargets, kind == .relationshipTarget || kind == .connection { continue }
            let parent = tree.parents[Int(p)]
            var spec = Spec(path: path, kind: kind, parent: parent < 0 ? -1 : specOfPath[Int(parent)])
            var set: Int32 = -1
            if i >= 0 {
                let start = Int(UInt32(bitPattern: raw.sets[i]))
                guard start < setAt.count, setAt[start] >= 0 else {
                    throw bytes.error(.specs, raw.start, "no field set begins at \(start) of \(setAt.count)")
                }
                set = setAt[start]
                spec.fields = sets[Int(set)].fields
            }
            pathOfSpec.append(p)
            setOfSpec.append(set)
            specOfPath[Int(p)] = SpecIndex(truncatingIfNeeded: specs.count)
            specs.append(spec)
        }
        if specs.isEmpty {
            specs.append(Spec(path: .root, kind: .pseudoRoot, parent: -1))
            pathOfSpec.append(-1)
            setOfSpec.append(-1)
        }
        // Two entries of the path table may spell the same path.
        var second: Int?
        self.specs = SpecTable(specs, second: &second)
        if let second { throw bytes.error(.specs, raw.start, "two specs for <\(crate.session.string(specs[second].path))>") }
        self.pathOfSpec = pathOfSpec
        self.setOfSpec = setOfSpec
    }
}
