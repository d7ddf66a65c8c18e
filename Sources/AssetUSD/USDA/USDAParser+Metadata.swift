import AssetModel

extension USDAParser {
    /// `( … )` behind a layer's header, a prim, a variant or a property.
    mutating func metadataBlock(of spec: SpecIndex, _ owner: MetadataField.Owners) throws(USDAError) {
        try scan.expect(UInt8(ascii: "("), "'('")
        while true {
            try scan.skipSpace()
            if scan.take(UInt8(ascii: ")")) { return }
            try metadataStatement(of: spec, owner)
            try separator(closing: UInt8(ascii: ")"))
        }
    }

    /// The list-op keyword at the cursor, taken with the blanks behind it.
    mutating func listEdit() throws(USDAError) -> ListEdit {
        let edit: ListEdit
        switch scan.peek() {
        case UInt8(ascii: "p"): edit = scan.takeWord("prepend") ? .prepend : .explicit
        case UInt8(ascii: "a"): edit = scan.takeWord("append") ? .append : scan.takeWord("add") ? .add : .explicit
        case UInt8(ascii: "d"): edit = scan.takeWord("delete") ? .delete : .explicit
        case UInt8(ascii: "r"): edit = scan.takeWord("reorder") ? .reorder : .explicit
        default: return .explicit
        }
        if edit != .explicit { try scan.skipBlanks() }
        return edit
    }

    private mutating func metadataStatement(of spec: SpecIndex, _ owner: MetadataField.Owners) throws(USDAError) {
        let b = scan.peek()
        if b == UInt8(ascii: "\"") || b == UInt8(ascii: "'") {
            builder.set(spec, .comment, .string(try scan.takeString()))
            return
        }
        let start = scan.at
        let edit = try listEdit()
        let nameStart = scan.at
        let end = try metadataNameEnd()
        guard end > nameStart else { throw scan.unexpected(edit == .explicit ? "a metadata field or ')'" : "a metadata field") }
        let name = token(nameStart, end)
        scan.at = end
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "="), "'='")
        try scan.skipBlanks()
        if name == .comment {
            throw USDAError(nameStart, "usda.reserved-field", "found 'comment' as a field, expected the comment as a string alone")
        }

        if isSpecialField(name), try specialField(session.string(name), edit, of: spec, owner, at: start) { return }
        try genericField(name, edit, of: spec, owner, at: nameStart)
    }

    /// Identifiers, also joined by `::`.
    private func metadataNameEnd() throws(USDAError) -> Int {
        var end = try scan.identifierEnd()
        while end > scan.at, end + 2 < scan.text.count, scan.text[end] == UInt8(ascii: ":"), scan.text[end + 1] == UInt8(ascii: ":") {
            let next = try scan.identifierEnd(from: end + 2)
            guard next > end + 2 else { break }
            end = next
        }
        return end
    }

    // MARK: Fields with a grammar of their own

    static let specialFieldNames: Set<String> = [
        "displayUnit", "doc", "inherits", "kind", "payload", "permission",
        "prefixSubstitutions", "references", "relocates", "specializes", "subLayers", "suffixSubstitutions",
        "symmetryFunction", "variantSets", "variants",
    ]

    private mutating func specialField(
        _ name: String, _ edit: ListEdit, of spec: SpecIndex, _ owner: MetadataField.Owners, at start: Int
    ) throws(USDAError) -> Bool {
        switch name {
        case "doc" where edit == .explicit:
            builder.set(spec, .documentation, .string(try scan.takeString()))
        case "permission" where edit == .explicit && owner != .layer:
            if scan.takeWord("public") {
                builder.set(spec, .permission, .permission(.public))
            } else if scan.takeWord("private") {
                builder.set(spec, .permission, .permission(.private))
            } else {
                throw scan.unexpected("'public' or 'private'")
            }
        case "symmetryFunction" where edit == .explicit && owner != .layer:
            let end = try scan.identifierEnd()
            builder.set(spec, .symmetryFunction, .token(end > scan.at ? token(scan.at, end) : .empty))
            scan.at = end
        case "displayUnit" where edit == .explicit && owner == .attribute:
            let end = try scan.identifierEnd()
            guard end > scan.at else { throw scan.unexpected("a unit") }
            builder.set(spec, session.token("displayUnit"), .token(token(scan.at, end)))
            scan.at = end
        case "subLayers" where edit == .explicit && owner == .layer:
            try subLayers(of: spec)
        case "relocates" where edit == .explicit && owner == .layer:
            builder.set(spec, .layerRelocates, .relocates(try relocates()))
        case "relocates" where edit == .explicit && owner == .prim:
            builder.set(spec, .relocates, .relocates(try relocates()))
        case "kind" where edit == .explicit && owner == .prim:
            builder.set(spec, .kind, .token(try stringToken("a quoted string")))
        case "references" where owner == .prim:
            try references(of: spec, .references, edit, isPayload: false, at: start)
        case "payload" where owner == .prim:
            try references(of: spec, .payload, edit, isPayload: true, at: start)
        case "inherits" where owner == .prim:
            try paths(of: spec, .inheritPaths, edit, allowsProperties: false, at: start)
        case "specializes" where owner == .prim:
            try paths(of: spec, .specializes, edit, allowsProperties: false, at: start)
        case "variants" where edit == .explicit && owner == .prim:
            try variantSelections(of: spec)
        case "variantSets" where owner == .prim:
            try variantSetNames(of: spec, edit)
        case "prefixSubstitutions" where edit == .explicit && owner == .prim,
            "suffixSubstitutions" where edit == .explicit && owner == .prim:
            builder.set(spec, session.token(name), .dictionary(try stringDictionary()))
        default: return false
        }
        return true
    }

    private mutating func subLayers(of spec: SpecIndex) throws(USDAError) {
        try scan.expect(UInt8(ascii: "["), "'['")
        var names: [String] = []
        var offsets: [LayerOffset] = []
        while try nextListItem(first: names.isEmpty, closing: UInt8(ascii: "]")) {
            names.append(try scan.takeAssetPath())
            try scan.skipBlanks()
            var offset = LayerOffset.identity
            if scan.take(UInt8(ascii: "(")) {
                var ignored = USDDictionary()
                try layerOffset(&offset, customData: &ignored, allowsCustomData: false)
            }
            offsets.append(offset)
        }
        guard !names.isEmpty else { return }
        builder.set(spec, .subLayers, .strings(names))
        builder.set(spec, .subLayerOffsets, .layerOffsets(offsets))
    }

    /// `offset = 1; scale = 2; customData = {…} )`, the opening bracket taken.
    private mutating func layerOffset(
        _ offset: inout LayerOffset, customData: inout USDDictionary, allowsCustomData: Bool
    ) throws(USDAError) {
        while true {
            try scan.skipSpace()
            if scan.take(UInt8(ascii: ")")) { return }
            if scan.takeWord("offset") {
                offset.offset = try assignedNumber()
            } else if scan.takeWord("scale") {
                offset.scale = try assignedNumber()
            } else if allowsCustomData, scan.takeWord("customData") {
                try scan.skipBlanks()
                try scan.expect(UInt8(ascii: "="), "'='")
                try scan.skipBlanks()
                customData = try dictionary()
            } else {
                throw scan.unexpected(allowsCustomData ? "'offset', 'scale', 'customData' or ')'" : "'offset', 'scale' or ')'")
            }
            try separator(closing: UInt8(ascii: ")"))
        }
    }

    private mutating func assignedNumber() throws(USDAError) -> Double {
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "="), "'='")
        try scan.skipBlanks()
        guard let n = try takeReal() else { throw scan.unexpected("a number") }
        return n
    }

    private mutating func references(
        of spec: SpecIndex, _ field: Token, _ edit: ListEdit, isPayload: Bool, at start: Int
    ) throws(USDAError) {
        var all: [Reference] = []
        let listStart = scan.at
        if !scan.takeWord("None") {
            let bracketed = scan.take(UInt8(ascii: "["))
            while true {
                if bracketed {
                    guard try nextListItem(first: all.isEmpty, closing: UInt8(ascii: "]")) else { break }
                }
                all.append(try reference(isPayload: isPayload))
                if !bracketed { break }
            }
        }
        try requireItems(!all.isEmpty, edit, at: start)
        if all.count > 1, hasDuplicates(all) { warnOfDuplicates(at: listStart) }
        var op = ListOp<Reference>()
        switch builder.field(spec, field) {
        case .referenceListOp(let old): op = old
        case .payloadListOp(let old): op = old
        default: break
        }
        op.set(edit, all)
        builder.set(spec, field, isPayload ? .payloadListOp(op) : .referenceListOp(op))
    }

    /// Whether two references are the same; those with data of their own are taken for different ones.
    private func hasDuplicates(_ all: [Reference]) -> Bool {
        struct Key: Hashable {
            var asset: Token
            var prim: Path
            var offset: Double
            var scale: Double
        }
        let plain = all.filter { $0.customData.isEmpty }
        return Self.hasDuplicates(
            plain.map {
                Key(asset: session.token($0.assetPath), prim: $0.primPath, offset: $0.layerOffset.offset, scale: $0.layerOffset.scale)
            })
    }

    /// Whether a list edit counts for nothing, as in OpenUSD, because it has an item twice.
    private mutating func isDropped<T: Hashable>(_ items: [T], _ name: Token, at offset: Int) -> Bool {
        guard items.count > 1, Self.hasDuplicates(items) else { return false }
        remark(
            "usda.dropped-list-edit", "found an item twice in a list of '\(session.string(name))': the list counts for nothing, as in OpenUSD",
            at: offset)
        return true
    }

    private func requireItems(_ hasItems: Bool, _ edit: ListEdit, at start: Int) throws(USDAError) {
        guard hasItems || edit == .explicit else {
            throw USDAError(start, "usda.empty-list-edit", "found no items, expected at least one in a list edit that is not explicit")
        }
    }

    private mutating func reference(isPayload: Bool) throws(USDAError) -> Reference {
        var reference = Reference(assetPath: "")
        let start = scan.at
        let anchor = primAnchor()
        if scan.peek() == UInt8(ascii: "@") {
            reference.assetPath = try scan.takeAssetPath()
            guard !reference.assetPath.isEmpty else {
                throw USDAError(start, "usda.empty-asset-path", "found an empty asset path, expected a path to a layer")
            }
            try scan.skipBlanks()
        } else if scan.peek() != UInt8(ascii: "<") {
            throw scan.unexpected("'@…@' or '<…>'")
        }
        if scan.peek() == UInt8(ascii: "<") {
            let pathStart = scan.at
            let isRelative = scan.peek(1) != UInt8(ascii: "/")
            reference.primPath = try targetPath(anchor: anchor, allowsEmpty: true)
            if isRelative, !reference.primPath.isEmpty {
                lenient("usda.relative-reference", "found a relative path in a reference, expected an absolute one", at: pathStart)
            }
            guard reference.primPath.isEmpty || session.paths.kind(reference.primPath) == .prim else {
                throw USDAError(pathStart, "usda.bad-path", "found '\(session.string(reference.primPath))', expected the path of a prim")
            }
            try scan.skipBlanks()
        }
        if scan.take(UInt8(ascii: "(")) {
            try layerOffset(&reference.layerOffset, customData: &reference.customData, allowsCustomData: !isPayload)
        }
        return reference
    }

    private mutating func paths(
        of spec: SpecIndex, _ field: Token, _ edit: ListEdit, allowsProperties: Bool, at start: Int
    ) throws(USDAError) {
        let all = try pathItems(allowsProperties: allowsProperties)
        try requireItems(!all.isEmpty, edit, at: start)
        setPaths(of: spec, field, edit, all)
    }

    mutating func setPaths(of spec: SpecIndex, _ field: Token, _ edit: ListEdit, _ items: [Path]) {
        var op = ListOp<Path>()
        if case .pathListOp(let old) = builder.field(spec, field) { op = old }
        op.set(edit, items)
        builder.set(spec, field, .pathListOp(op))
    }

    private mutating func relocates() throws(USDAError) -> [(source: Path, target: Path)] {
        try scan.expect(UInt8(ascii: "{"), "'{'")
        let anchor = session.paths.primPath(path)
        var all: [(source: Path, target: Path)] = []
        while try nextListItem(first: all.isEmpty, closing: UInt8(ascii: "}")) {
            let source = try pathLiteral(anchor: anchor)
            try scan.skipSpace()
            try scan.expect(UInt8(ascii: ":"), "':'")
            try scan.skipSpace()
            let target = try pathLiteral(anchor: anchor, allowsEmpty: true)
            all.append((source, target))
        }
        return all
    }

    private mutating func variantSelections(of spec: SpecIndex) throws(USDAError) {
        let start = scan.at
        let d = try dictionary()
        var all: [(set: Token, variant: Token)] = []
        if case .variantSelections(let old) = builder.field(spec, .variantSelection) { all = old }
        var known: [Token: Int] = [:]
        for (i, s) in all.enumerated() { known[s.set] = i }
        for (key, value) in d.entries {
            guard case .string(let s) = value else {
                throw USDAError(start, "usda.bad-variant-selection", "the selection of '\(key)' is not a string")
            }
            let set = session.token(key)
            let variant = session.token(s)
            if let i = known[set] {
                all[i].variant = variant
            } else {
                known[set] = all.count
                all.append((set, variant))
            }
        }
        builder.set(spec, .variantSelection, .variantSelections(all))
    }

    private mutating func variantSetNames(of spec: SpecIndex, _ edit: ListEdit) throws(USDAError) {
        let start = scan.at
        let names = try nameList()
        if names.count > 1, Self.hasDuplicates(names) { warnOfDuplicates(at: start) }
        for n in names where !isVariantIdentifier(n) {
            throw USDAError(start, "usda.bad-variant-set-name", "'\(session.string(n))' is not a valid variant set name")
        }
        var op = ListOp<String>()
        if case .stringListOp(let old) = builder.field(spec, .variantSetNames) { op = old }
        op.set(edit, names.map { session.string($0) })
        builder.set(spec, .variantSetNames, .stringListOp(op))
        if edit == .add || edit == .explicit {
            for n in names {
                let p = session.paths.variant(path, set: n, selection: .empty)
                if builder.spec(at: p) == nil { _ = builder.add(.variantSet, p, below: spec) }
            }
        }
    }

    /// `{ "a": "b", … }`
    private mutating func stringDictionary() throws(USDAError) -> USDDictionary {
        try scan.expect(UInt8(ascii: "{"), "'{'")
        var d = USDDictionary()
        while try nextListItem(first: d.isEmpty, closing: UInt8(ascii: "}")) {
            let key = try scan.takeString()
            try scan.skipBlanks()
            try scan.expect(UInt8(ascii: ":"), "':'")
            try scan.skipBlanks()
            d.entries.append((key, .string(try scan.takeString())))
        }
        return d
    }

    // MARK: Fields by schema

    private mutating func genericField(
        _ name: Token, _ edit: ListEdit, of spec: SpecIndex, _ owner: MetadataField.Owners, at start: Int
    ) throws(USDAError) {
        guard let field = metadataField(name), !field.owners.isDisjoint(with: owner) else {
            try unregisteredField(name, edit, of: spec, at: start)
            return
        }
        func notAList() -> USDAError {
            USDAError(start, "usda.not-a-list-op", "'\(session.string(name))' is not a list that can be edited")
        }
        switch field.form {
        case .reserved:
            throw USDAError(start, "usda.reserved-field", "'\(session.string(name))' cannot be set as metadata")
        case .value(let type):
            guard edit == .explicit else { throw notAList() }
            builder.set(spec, name, try scalar(type))
        case .array(let type):
            guard edit == .explicit else { throw notAList() }
            builder.set(spec, name, try array(type))
        case .dictionary:
            guard edit == .explicit else { throw notAList() }
            builder.set(spec, name, .dictionary(try dictionary()))
        case .tokenListOp:
            var op = ListOp<Token>()
            if case .tokenListOp(let old) = builder.field(spec, name) { op = old }
            var items: [Token] = []
            let value = try listOpItems(.token)
            if case .array(let a) = value, case .token(let t) = a.storage {
                items = t
                try requireItems(!items.isEmpty, edit, at: start)
                if isDropped(items, name, at: start) { return }
            }
            op.set(edit, items)
            builder.set(spec, name, .tokenListOp(op))
        case .stringListOp:
            var op = ListOp<String>()
            if case .stringListOp(let old) = builder.field(spec, name) { op = old }
            var items: [String] = []
            if case .array(let a) = try listOpItems(.string), case .string(let s) = a.storage { items = s }
            if items.count > 1, isDropped(items.map { session.token($0) }, name, at: start) { return }
            op.set(edit, items)
            builder.set(spec, name, .stringListOp(op))
        case .int64ListOp:
            var op = ListOp<Int64>()
            if case .int64ListOp(let old) = builder.field(spec, name) { op = old }
            var items: [Int64] = []
            if case .array(let a) = try listOpItems(.int64), case .int64(let n) = a.storage { items = n }
            if isDropped(items, name, at: start) { return }
            op.set(edit, items)
            builder.set(spec, name, .int64ListOp(op))
        }
    }

    /// `None` or a bracketed list.
    private mutating func listOpItems(_ type: ValueType) throws(USDAError) -> USDValue {
        scan.takeWord("None") ? .block : try array(type)
    }
}
