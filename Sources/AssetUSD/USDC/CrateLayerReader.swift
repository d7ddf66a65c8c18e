import AssetIO
import AssetModel

/// Fills a layer from the tables of a crate file.
struct CrateLayerReader {
    /// What a field is for the layer: a value, or one of the lists that say the order of children.
    private enum Role: UInt8 { case value, primChildren, properties, variantSets, variants, dropped }

    private struct FieldSet {
        var fields: Range<Int32> = 0..<0
        /// Representations of the children lists, zero for none.
        var primChildren: UInt64 = 0
        var properties: UInt64 = 0
        var variantSets: UInt64 = 0
        var variants: UInt64 = 0
        var isRead = false
    }

    let crate: CrateFile
    let layer: USDLayer
    private var bytes: CrateBytes { crate.bytes }

    private var fields: ContiguousArray<Field> = []
    private var fieldReps: ContiguousArray<UInt64> = []
    private var roles: ContiguousArray<Role> = []
    private var fieldSets: [Int32] = []
    /// By index of a field set's first entry.
    private var sets: ContiguousArray<FieldSet> = []
    private var tree = CratePaths()
    /// By path index: the spec in the layer.
    private var specOfPath: ContiguousArray<SpecIndex> = []
    /// By spec: its path index and field set.
    private var pathOfSpec: ContiguousArray<Int32> = []
    private var setOfSpec: ContiguousArray<Int32> = []

    init(_ crate: CrateFile, identifier: String) {
        self.crate = crate
        layer = USDLayer(
            session: crate.session, identifier: identifier, encoding: "usdc", version: crate.version.description,
            byteCount: crate.bytes.count)
    }

    consuming func read(_ diagnostics: inout Diagnostics) throws(AssetError) -> USDLayer {
        try readFields()
        try readFieldSets()
        tree = try crate.readPaths()
        try makeFields()
        try readSpecs(&diagnostics)
        layer.finish()
        try linkChildren(&diagnostics)
        return layer
    }

    // MARK: Tables

    private mutating func readFields() throws(AssetError) {
        var at = try crate.cursor(.fields)
        var names: [Int32]
        if crate.version < CrateVersion(0, 4, 0) {
            let n = try at.elementCount(stride: 16)
            names = []
            names.reserveCapacity(n)
            fieldReps.reserveCapacity(n)
            for _ in 0..<n {
                names.append(try bytes.load(at.offset + 4, as: Int32.self, .fields))
                fieldReps.append(try bytes.load(at.offset + 8, as: UInt64.self, .fields))
                at.offset += 16
            }
        } else {
            let n = try crate.packedCount(&at)
            names = try crate.integers(&at, n)
            let size = try at.blockSize()
            let packed = try bytes.pointer(at.offset, size, .fields)
            guard n <= CrateCompression.mostUnpacked(size) / 8 else {
                throw at.error("\(n) values cannot be packed into \(size) bytes")
            }
            let memory = RawMemory(n * 8)
            if n > 0 {
                guard let unpacked = CrateCompression.unpack(packed, size, into: memory.base, n * 8), unpacked == n * 8 else {
                    throw at.error("damaged compressed values")
                }
            }
            fieldReps.reserveCapacity(n)
            for i in 0..<n { fieldReps.append(memory.base.load(fromByteOffset: i * 8, as: UInt64.self)) }
        }
        let section = try crate.section(.fields).start
        fields.reserveCapacity(names.count)
        roles.reserveCapacity(names.count)
        let session = crate.session
        let dropped = ["connectionChildren", "targetChildren", "mapperChildren", "mapperArgChildren", "expressionChildren"].map {
            session.token($0)
        }
        for name in names {
            let token = try crate.token(UInt32(bitPattern: name), .fields, section)
            fields.append(Field(token, .block))
            switch token {
            case .primChildren: roles.append(.primChildren)
            case .properties: roles.append(.properties)
            case .variantSetChildren: roles.append(.variantSets)
            case .variantChildren: roles.append(.variants)
            default: roles.append(dropped.contains(token) ? .dropped : .value)
            }
        }
    }

    /// Values that are in their representation are decoded once for all specs that share the field.
    private mutating func makeFields() throws(AssetError) {
        for i in fields.indices where roles[i] == .value {
            let rep = ValueRep(fieldReps[i])
            fields[i].value = try crate.value(rep)
            if fields[i].name == .payload, rep.type == .payload { fields[i].value = try crate.decode(rep.bits) }
        }
    }

    private mutating func readFieldSets() throws(AssetError) {
        var at = try crate.cursor(.fieldSets)
        let start = at.offset
        if crate.version < CrateVersion(0, 4, 0) {
            let n = try at.elementCount(stride: 4)
            fieldSets.reserveCapacity(n)
            for _ in 0..<n { fieldSets.append(try at.next(Int32.self)) }
        } else {
            let n = try crate.packedCount(&at)
            fieldSets = try crate.integers(&at, n)
        }
        for f in fieldSets where f != -1 {
            guard f >= 0, Int(f) < fields.count else {
                throw bytes.error(.fieldSets, start, "field \(UInt32(bitPattern: f)) of \(fields.count)")
            }
        }
        if let last = fieldSets.last, last != -1 {
            throw bytes.error(.fieldSets, start, "the last field set is not terminated")
        }
        sets = ContiguousArray(repeating: FieldSet(), count: fieldSets.count)
    }

    /// The fields of the set that begins at `start`, put into the layer the first time.
    private mutating func fieldSet(_ start: Int, _ offset: Int) throws(AssetError) -> Range<Int32> {
        guard start < fieldSets.count, start == 0 || fieldSets[start - 1] == -1 else {
            throw bytes.error(.specs, offset, "no field set begins at \(start) of \(fieldSets.count)")
        }
        if sets[start].isRead { return sets[start].fields }
        sets[start].isRead = true
        let first = Int32(truncatingIfNeeded: layer.fields.count)
        var i = start
        while fieldSets[i] != -1 {
            let f = Int(fieldSets[i])
            switch roles[f] {
            case .value: layer.fields.append(fields[f])
            case .primChildren: sets[start].primChildren = fieldReps[f]
            case .properties: sets[start].properties = fieldReps[f]
            case .variantSets: sets[start].variantSets = fieldReps[f]
            case .variants: sets[start].variants = fieldReps[f]
            case .dropped: break
            }
            i += 1
        }
        sets[start].fields = first..<Int32(truncatingIfNeeded: layer.fields.count)
        return sets[start].fields
    }

    // MARK: Specs

    private struct RawSpecs {
        var paths: [Int32] = []
        var sets: [Int32] = []
        var types: [Int32] = []
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
            for _ in 0..<n {
                raw.paths.append(try bytes.load(at.offset + lead, as: Int32.self, .specs))
                raw.sets.append(try bytes.load(at.offset + lead + 4, as: Int32.self, .specs))
                raw.types.append(try bytes.load(at.offset + lead + 8, as: Int32.self, .specs))
                at.offset += 12 + lead
            }
        } else {
            let n = try crate.packedCount(&at)
            raw.paths = try crate.integers(&at, n)
            raw.sets = try crate.integers(&at, n)
            raw.types = try crate.integers(&at, n)
        }
        return raw
    }

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

    private mutating func readSpecs(_ diagnostics: inout Diagnostics) throws(AssetError) {
        let raw = try readRawSpecs()
        let n = raw.paths.count
        // Where each path's spec is in the file.
        var fileSpec = ContiguousArray<Int32>(repeating: -1, count: crate.paths.count)
        for i in 0..<n {
            let p = raw.paths[i]
            guard p >= 0, Int(p) < crate.paths.count, !crate.paths[Int(p)].isEmpty else {
                throw bytes.error(.specs, raw.start, "spec \(i) has no path: \(UInt32(bitPattern: p)) of \(crate.paths.count)")
            }
            guard fileSpec[Int(p)] < 0 else {
                throw bytes.error(.specs, raw.start, "two specs for <\(crate.session.string(crate.paths[Int(p)]))>")
            }
            guard Self.kind(raw.types[i]) != nil else {
                throw bytes.error(.specs, raw.start, "spec \(i) has the unknown type \(raw.types[i])")
            }
            fileSpec[Int(p)] = Int32(truncatingIfNeeded: i)
        }
        specOfPath = ContiguousArray(repeating: -1, count: crate.paths.count)
        layer.specs.reserveCapacity(n + 1)
        pathOfSpec.reserveCapacity(n + 1)
        setOfSpec.reserveCapacity(n + 1)
        layer.fields.reserveCapacity(fieldSets.count)
        let dropsTargets = crate.version < CrateVersion(0, 1, 0)
        for p in tree.order {
            let path = crate.paths[Int(p)]
            let i = Int(fileSpec[Int(p)])
            if path.isRoot {
                layer.specs.append(Spec(path: .root, kind: .pseudoRoot, parent: -1))
                pathOfSpec.append(p)
                setOfSpec.append(-1)
                specOfPath[Int(p)] = 0
                if i >= 0 {
                    layer.specs[0].fields = try fieldSet(Int(UInt32(bitPattern: raw.sets[i])), raw.start)
                    setOfSpec[0] = raw.sets[i]
                }
                continue
            }
            guard i >= 0, let kind = Self.kind(raw.types[i]) else { continue }
            // Files of version 0.0.1 hold specs for targets, which say nothing.
            if dropsTargets, kind == .relationshipTarget || kind == .connection { continue }
            guard kind != .pseudoRoot else {
                throw bytes.error(.specs, raw.start, "a second pseudo-root at <\(crate.session.string(path))>")
            }
            let index = SpecIndex(truncatingIfNeeded: layer.specs.count)
            var spec = Spec(path: path, kind: kind, parent: specOfPath[Int(tree.parents[Int(p)])])
            spec.fields = try fieldSet(Int(UInt32(bitPattern: raw.sets[i])), raw.start)
            layer.specs.append(spec)
            pathOfSpec.append(p)
            setOfSpec.append(raw.sets[i])
            specOfPath[Int(p)] = index
        }
        if layer.specs.isEmpty {
            layer.specs.append(Spec(path: .root, kind: .pseudoRoot, parent: -1))
            pathOfSpec.append(-1)
            setOfSpec.append(-1)
        }
    }

    // MARK: Children

    private mutating func linkChildren(_ diagnostics: inout Diagnostics) throws(AssetError) {
        let n = layer.specs.count
        let paths = crate.session.paths
        // Children of each spec, last first, as lists.
        var first = ContiguousArray<SpecIndex>(repeating: -1, count: n)
        var next = ContiguousArray<SpecIndex>(repeating: -1, count: n)
        for i in (1..<max(n, 1)).reversed() {
            if layer.specs[i].kind == .variant {
                // A variant's path hangs from the prim, the spec from the variant set.
                let path = layer.specs[i].path
                layer.specs[i].parent = layer.spec(at: paths.variant(paths.parent(path), set: paths.name(path), selection: .empty)) ?? -1
            }
            let parent = layer.specs[i].parent
            guard parent >= 0 else {
                drop(SpecIndex(i), "has no parent", &diagnostics)
                continue
            }
            next[i] = first[Int(parent)]
            first[Int(parent)] = SpecIndex(truncatingIfNeeded: i)
        }
        // Spec of a name among the children at hand, prims and properties apart.
        var prims = ContiguousArray<SpecIndex>(repeating: -1, count: crate.tokens.count)
        var properties = prims
        layer.children.reserveCapacity(n)
        for i in 0..<n where setOfSpec[i] >= 0 {
            let set = sets[Int(setOfSpec[i])]
            guard first[i] >= 0 || set.primChildren | set.properties | set.variantSets | set.variants != 0 else { continue }
            var others: [SpecIndex] = []
            var variants: [SpecIndex] = []
            var c = first[i]
            while c >= 0 {
                let element = Int(tree.elements[Int(pathOfSpec[Int(c)])])
                switch layer.specs[Int(c)].kind {
                case .prim: prims[element] = c
                case .attribute, .relationship: properties[element] = c
                case .variantSet, .variant: variants.append(c)
                default: others.append(c)
                }
                c = next[Int(c)]
            }
            layer.specs[i].primChildren = try link(i, set.primChildren, &prims, .prim, &diagnostics)
            layer.specs[i].properties = try link(i, set.properties, &properties, .attribute, &diagnostics)
            layer.specs[i].variantChildren = try linkVariants(
                i, layer.specs[i].kind == .variantSet ? set.variants : set.variantSets, &variants, &diagnostics)
            let start = childCount
            layer.children.append(contentsOf: others)
            layer.specs[i].otherChildren = start..<childCount
            // What the lists do not name is not part of the scene, for OpenUSD either.
            c = first[i]
            while c >= 0 {
                let element = Int(tree.elements[Int(pathOfSpec[Int(c)])])
                if prims[element] == c || properties[element] == c || variants.contains(c) {
                    drop(c, "is not among the children of <\(crate.session.string(layer.specs[i].path))>", &diagnostics)
                }
                prims[element] = -1
                properties[element] = -1
                c = next[Int(c)]
            }
        }
    }

    private var childCount: Int32 { Int32(truncatingIfNeeded: layer.children.count) }

    private func drop(_ spec: SpecIndex, _ why: String, _ diagnostics: inout Diagnostics) {
        var location = bytes.file.location((try? crate.section(.specs).start) ?? 0)
        location.primPath = crate.session.string(layer.specs[Int(spec)].path)
        diagnostics.warning("usdc.dropped.spec", "the spec \(why)", at: location)
    }

    private func missing(_ spec: Int, _ name: Token, _ diagnostics: inout Diagnostics) {
        var location = bytes.file.location((try? crate.section(.specs).start) ?? 0)
        location.primPath = crate.session.string(layer.specs[spec].path)
        diagnostics.warning("usdc.missing-child", "no spec for the child \"\(crate.session.string(name))\"", at: location)
    }

    /// Appends the children that a list names, in its order.
    private mutating func link(
        _ parent: Int, _ rep: UInt64, _ byName: inout ContiguousArray<SpecIndex>, _ kind: SpecKind, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> Range<Int32> {
        guard rep != 0 else { return 0..<0 }
        let start = childCount
        let (offset, count) = try tokenVector(ValueRep(rep))
        for k in 0..<count {
            let t = try bytes.load(offset + 4 * k, as: UInt32.self, .value)
            guard t < byName.count else { throw bytes.error(.value, offset + 4 * k, "token \(t) of \(byName.count)") }
            var child = byName[Int(t)]
            if child >= 0 {
                byName[Int(t)] = -1
            } else {
                // The same name may have several token numbers.
                let paths = crate.session.paths
                let name = crate.tokens[Int(t)]
                let above = layer.specs[parent].path
                let path = kind == .prim ? paths.child(above, name) : paths.property(above, name)
                child = layer.spec(at: path) ?? -1
                guard child >= 0, layer.specs[Int(child)].parent == SpecIndex(parent) else {
                    missing(parent, name, &diagnostics)
                    continue
                }
                let element = Int(tree.elements[Int(pathOfSpec[Int(child)])])
                guard byName[element] == child else { continue }
                byName[element] = -1
            }
            layer.children.append(child)
        }
        return start..<childCount
    }

    private mutating func linkVariants(
        _ parent: Int, _ rep: UInt64, _ specs: inout [SpecIndex], _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> Range<Int32> {
        guard rep != 0 else { return 0..<0 }
        let start = childCount
        let paths = crate.session.paths
        let (offset, count) = try tokenVector(ValueRep(rep))
        for k in 0..<count {
            let name = try crate.token(try bytes.load(offset + 4 * k, as: UInt32.self, .value), .value, offset + 4 * k)
            let above = layer.specs[parent].path
            let path =
                layer.specs[parent].kind == .variantSet
                ? paths.variant(paths.parent(above), set: paths.name(above), selection: name)
                : paths.variant(above, set: name, selection: .empty)
            guard let child = layer.spec(at: path), let i = specs.firstIndex(of: child) else {
                missing(parent, name, &diagnostics)
                continue
            }
            specs.remove(at: i)
            layer.children.append(child)
        }
        return start..<childCount
    }

    /// Offset of the first token index and number of tokens of a token vector.
    private func tokenVector(_ rep: ValueRep) throws(AssetError) -> (offset: Int, count: Int) {
        guard rep.type == .tokenVector, !rep.isArray else {
            throw bytes.error(.value, rep.payload, "children of type \(rep.typeNumber), expected token names")
        }
        if rep.isInlined { return (0, 0) }
        return (rep.payload + 8, try bytes.elementCount(rep.payload, stride: 4, .value))
    }
}
