import AssetModel

extension USDAParser {
    /// An attribute or relationship statement.
    mutating func propertyStatement(in prim: SpecIndex) throws(USDAError) {
        let start = scan.at
        let known = memo.predict(scan.text, start)
        if known >= 0 { return try knownAttribute(in: prim, known) }
        let edit = try listEdit()
        var isCustom = false
        // The first byte rules most words out.
        if scan.peek() == UInt8(ascii: "c"), scan.takeWord("custom") {
            isCustom = true
            try scan.skipBlanks()
        }
        var variability: Variability?
        switch scan.peek() {
        case UInt8(ascii: "u"): if scan.takeWord("uniform") { variability = .uniform }
        case UInt8(ascii: "c"): if scan.takeWord("config") { variability = .uniform }
        case UInt8(ascii: "v"): if scan.takeWord("varying") { variability = .varying }
        default: break
        }
        if variability != nil { try scan.skipBlanks() }
        if scan.peek() == UInt8(ascii: "r"), scan.takeWord("rel") {
            guard variability != .uniform else { throw USDAError(start, "usda.syntax", "found a uniform relationship, expected an attribute's type") }
            try relationship(in: prim, edit, isCustom: isCustom, isVarying: variability == .varying, at: start)
            return
        }
        guard variability != .varying else { throw scan.unexpected("'rel'") }
        let typeStart = scan.at
        let typeEnd = try attributeTypeEnd()
        // Dictionaries are values of metadata alone.
        guard typeEnd > typeStart, typeEnd - typeStart != 10 || scan.string(typeStart, typeEnd) != "dictionary" else {
            throw scan.unexpected("a prim, a property, 'variantSet' or '}'")
        }
        scan.at = typeEnd
        let isArray = try takeArrayBrackets()
        // With blanks inside the brackets the name's text is not the type's name.
        let typeName: Token
        if isArray, scan.at != typeEnd + 2 {
            typeName = session.token(scan.string(typeStart, typeEnd) + "[]")
        } else {
            typeName = token(typeStart, scan.at)
        }
        try skipBlanksBehindWord()
        try attribute(in: prim, edit, typeName, isArray: isArray, isCustom: isCustom, isUniform: variability == .uniform, at: start)
    }

    private func attributeTypeEnd() throws(USDAError) -> Int {
        var end = try scan.identifierEnd()
        while end > scan.at, end + 2 < scan.text.count, scan.text[end] == UInt8(ascii: ":"), scan.text[end + 1] == UInt8(ascii: ":") {
            let next = try scan.identifierEnd(from: end + 2)
            guard next > end + 2 else { break }
            end = next
        }
        return end
    }

    /// `[]` behind a type name.
    mutating func takeArrayBrackets() throws(USDAError) -> Bool {
        let end = scan.at
        try scan.skipBlanks()
        guard scan.take(UInt8(ascii: "[")) else {
            scan.at = end
            return false
        }
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "]"), "']'")
        return true
    }

    /// The name of a property: identifiers joined by `:`.
    private mutating func propertyName(_ what: StaticString) throws(USDAError) -> Token {
        let start = scan.at
        var end = start
        guard PathTextParser.propertyNameEnd(scan.text, &end) else { throw scan.unexpected(what) }
        scan.at = end
        return token(start, end)
    }

    // MARK: Attributes

    private mutating func attribute(
        in prim: SpecIndex, _ edit: ListEdit, _ typeName: Token, isArray: Bool, isCustom: Bool, isUniform: Bool, at start: Int
    ) throws(USDAError) {
        let nameStart = scan.at
        let name = try propertyName("an attribute's name")
        let outer = path
        let known = session.paths.count
        path = session.paths.property(outer, name)
        let spec: SpecIndex
        if !isNew(path, known), let old = builder.spec(at: path) {
            spec = old
            try checkSame(old, typeName, isUniform: isUniform, at: nameStart)
            if isCustom { builder.set(spec, .custom, .bool(true)) }
        } else {
            spec = builder.addAttribute(path, below: prim, typeName, isCustom: isCustom, isUniform: isUniform)
        }
        if scan.take(UInt8(ascii: ".")) {
            try scan.skipBlanks()
            if scan.takeWord("connect") {
                try assignment()
                try connections(of: spec, edit, at: start)
            } else if edit == .explicit, scan.takeWord("timeSamples") {
                try assignment()
                builder.set(spec, .timeSamples, .timeSamples(try timeSamples(typeName)))
            } else if edit == .explicit, scan.takeWord("spline") {
                try assignment()
                guard !isArray, let type = valueType(typeName)?.type else {
                    throw USDAError(
                        scan.at, "usda.bad-spline", "found a spline of type \(session.string(typeName)), expected a floating point type")
                }
                builder.set(spec, .spline, .spline(try spline(type)))
            } else {
                throw scan.unexpected("'connect', 'timeSamples' or 'spline'")
            }
        } else {
            guard edit == .explicit else { throw scan.unexpected("'.connect'") }
            try scan.skipBlanks()
            if scan.take(UInt8(ascii: "=")) {
                try scan.skipBlanks()
                let valueStart = scan.at
                try defaultValue(of: spec, typeName)
                memo.note(
                    scan.text, from: start, valueStart: valueStart, valueEnd: scan.at, typeName, name, isUniform: isUniform, isCustom: isCustom,
                    sharedValue(of: spec))
                try scan.skipBlanks()
            }
            if scan.peek() == UInt8(ascii: "(") { try metadataBlock(of: spec, .attribute) }
        }
        path = outer
        releasePages()
    }

    /// An attribute statement whose beginning was seen before; the cursor is at its first letter.
    private mutating func knownAttribute(in prim: SpecIndex, _ number: Int32) throws(USDAError) {
        let entry = memo.statement(number)
        let outer = path
        let known = session.paths.count
        path = session.paths.property(outer, entry.name)
        let spec: SpecIndex
        var isFresh = true
        if !isNew(path, known), let old = builder.spec(at: path) {
            spec = old
            isFresh = false
            try checkSame(old, entry.typeName, isUniform: entry.isUniform, at: scan.at)
            if entry.isCustom { builder.set(spec, .custom, .bool(true)) }
        } else {
            spec = builder.addAttribute(path, below: prim, entry.typeName, isCustom: entry.isCustom, isUniform: entry.isUniform)
        }
        scan.at += entry.prefixLength
        if memo.hasValue(number, scan.text, scan.at) {
            if isFresh { builder.append(spec, entry.value) } else { builder.set(spec, .default, packed: entry.value) }
            scan.at += entry.valueLength
        } else {
            let valueStart = scan.at
            try defaultValue(of: spec, entry.typeName)
            memo.noteValue(number, scan.text, valueStart: valueStart, valueEnd: scan.at, sharedValue(of: spec))
        }
        try scan.skipBlanks()
        if scan.peek() == UInt8(ascii: "(") { try knownMetadata(of: spec, number, isFresh: isFresh) }
        path = outer
        releasePages()
    }

    /// The metadata behind a statement that was seen before: mostly they are the same as well.
    private mutating func knownMetadata(of spec: SpecIndex, _ number: Int32, isFresh: Bool) throws(USDAError) {
        let start = scan.at
        let before = builder.fieldCount(spec)
        if let fields = memo.metadata(number, scan.text, start) {
            if isFresh { for f in fields { builder.append(spec, f) } } else { for f in fields { builder.set(spec, f.name, packed: f) } }
            scan.at += memo.metadataLength(number)
            return
        }
        try metadataBlock(of: spec, .attribute)
        // What a block adds to a new attribute is what it says.
        let added = builder.fields(of: spec).dropFirst(before)
        let isShared = added.allSatisfy { $0.form != .other && $0.form != .path && $0.name != .default }
        if isFresh, isShared { memo.noteMetadata(number, scan.text, start, scan.at, Array(added)) }
    }

    private mutating func defaultValue(of spec: SpecIndex, _ typeName: Token) throws(USDAError) {
        // A vector needs no array of its own.
        if scan.peek() == UInt8(ascii: "("), let type = valueType(typeName), !type.isArray, type.type.components > 1 {
            builder.set(spec, .default, type.type, try components(type.type))
        } else {
            builder.set(spec, .default, try attributeValue(typeName))
        }
    }

    /// The default value of a spec as the layer keeps it, where the same letters mean the same at another place: not where it
    /// names paths, which may be relative.
    private func sharedValue(of spec: SpecIndex) -> PackedField? {
        guard let field = builder.packed(spec, .default) else { return nil }
        if field.form == .other {
            switch builder.value(field) {
            case .array, .string, .asset: break
            default: return nil
            }
        }
        return field
    }

    private func checkSame(_ spec: SpecIndex, _ typeName: Token, isUniform: Bool, at offset: Int) throws(USDAError) {
        guard builder.kind(spec) == .attribute else {
            throw USDAError(offset, "usda.property-kind-changed", "'\(session.string(path))' is already a relationship, found an attribute")
        }
        if case .token(let old) = builder.field(spec, .typeName), old != typeName {
            throw USDAError(
                offset, "usda.attribute-type-changed",
                "the attribute '\(session.string(path))' already has type '\(session.string(old))', found '\(session.string(typeName))'")
        }
        let wasUniform = if case .variability(.uniform) = builder.field(spec, .variability) { true } else { false }
        guard wasUniform == isUniform else {
            throw USDAError(
                offset, "usda.attribute-variability-changed",
                "the attribute '\(session.string(path))' was \(wasUniform ? "uniform" : "varying") before, found \(isUniform ? "uniform" : "varying")"
            )
        }
    }

    private mutating func assignment() throws(USDAError) {
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "="), "'='")
        try scan.skipBlanks()
    }

    private mutating func connections(of spec: SpecIndex, _ edit: ListEdit, at start: Int) throws(USDAError) {
        let all = try pathItems(allowsProperties: true)
        guard !all.isEmpty || edit == .explicit else {
            throw USDAError(start, "usda.empty-list-edit", "found no connections, expected at least one in a list edit that is not explicit")
        }
        setPaths(of: spec, .connectionPaths, edit, all)
    }

    /// The value of an attribute or of a sample of it; `None` blocks.
    mutating func attributeValue(_ typeName: Token) throws(USDAError) -> USDValue {
        if scan.peek() == UInt8(ascii: "N"), scan.takeWord("None") { return .block }
        if scan.peek() == UInt8(ascii: "A"), scan.takeWord("AnimationBlock") { return .animationBlock }
        guard let type = valueType(typeName) else { return .unregistered(.text(try recordedText())) }
        if scan.peek() == UInt8(ascii: "<") { return .paths([try pathLiteral(anchor: primAnchor(), allowsEmpty: true)]) }
        if type.isArray, scan.peek() == UInt8(ascii: "e"), scan.takeWord("edit") { return try arrayEdit(type.type) }
        return type.isArray ? try array(type.type) : try scalar(type.type)
    }

    // MARK: Time samples

    private mutating func timeSamples(_ typeName: Token) throws(USDAError) -> TimeSamples {
        try scan.expect(UInt8(ascii: "{"), "'{'")
        var samples = TimeSamples()
        var isSorted = true
        while try nextListItem(first: samples.times.isEmpty, closing: UInt8(ascii: "}")) {
            guard let time = try takeReal() else { throw scan.unexpected("a time") }
            try scan.skipBlanks()
            try scan.expect(UInt8(ascii: ":"), "':'")
            try scan.skipBlanks()
            let value = try attributeValue(typeName)
            if let last = samples.times.last, !(last < time) { isSorted = false }
            samples.times.append(time)
            samples.values.append(value)
            releasePages()
        }
        if !isSorted {
            // Of equal times the last one stands.
            var order = Array(samples.times.indices)
            order.sort { samples.times[$0] != samples.times[$1] ? samples.times[$0] < samples.times[$1] : $0 < $1 }
            var times: [Double] = []
            var values: [USDValue] = []
            for i in order {
                if let last = times.last, last == samples.times[i] {
                    values[values.count - 1] = samples.values[i]
                } else {
                    times.append(samples.times[i])
                    values.append(samples.values[i])
                }
            }
            samples = TimeSamples(times: times, values: values)
        }
        return samples
    }

    /// A number, `inf`, `-inf` or `nan`.
    mutating func takeReal() throws(USDAError) -> Double? {
        if let n = scan.takeNumber() { return n.double }
        if scan.takeWord("inf", beforeColon: true) { return .infinity }
        if scan.takeWord("nan", beforeColon: true) { return .nan }
        return nil
    }

    // MARK: Relationships

    private mutating func relationship(
        in prim: SpecIndex, _ edit: ListEdit, isCustom: Bool, isVarying: Bool, at start: Int
    ) throws(USDAError) {
        try scan.skipBlanks()
        let nameStart = scan.at
        let name = try propertyName("a relationship's name")
        let outer = path
        let known = session.paths.count
        path = session.paths.property(outer, name)
        let spec: SpecIndex
        if !isNew(path, known), let old = builder.spec(at: path) {
            if builder.kind(old) != .relationship {
                try relationshipOfAttribute(old, edit, isCustom: isCustom, isVarying: isVarying, at: nameStart)
                path = outer
                return
            }
            spec = old
        } else {
            spec = builder.add(.relationship, path, below: prim)
        }
        if isVarying { builder.set(spec, .variability, .variability(.varying)) }
        if isCustom { builder.set(spec, .custom, .bool(true)) }

        if scan.peek() == UInt8(ascii: "."), edit == .explicit {
            scan.at += 1
            guard scan.takeWord("default") else { throw scan.unexpected("'default'") }
            try assignment()
            builder.set(spec, .default, .paths([try pathLiteral(anchor: primAnchor(), allowsEmpty: true)]))
            path = outer
            return
        }
        try scan.skipBlanks()
        if scan.peek() == UInt8(ascii: "["), edit == .explicit {
            // `rel r[</target>]` only says that the target has a spec.
            scan.at += 1
            try scan.skipBlanks()
            let target = session.paths.target(path, try pathLiteral(anchor: primAnchor()))
            try scan.skipBlanks()
            try scan.expect(UInt8(ascii: "]"), "']'")
            if builder.spec(at: target) == nil { _ = builder.add(.relationshipTarget, target, below: spec) }
            path = outer
            return
        }
        if scan.take(UInt8(ascii: "=")) {
            try scan.skipBlanks()
            if edit == .explicit, scan.peek() == UInt8(ascii: "<"), builder.packed(spec, .targetPaths) == nil {
                let target = try targetPath(anchor: primAnchor())
                builder.append(spec, PackedField(.targetPaths, path: target))
            } else {
                let all = try pathItems(allowsProperties: true)
                guard !all.isEmpty || edit == .explicit else {
                    throw USDAError(start, "usda.empty-list-edit", "found no targets, expected at least one in a list edit that is not explicit")
                }
                setPaths(of: spec, .targetPaths, edit, all)
            }
            try scan.skipBlanks()
        }
        if edit == .explicit, scan.peek() == UInt8(ascii: "(") { try metadataBlock(of: spec, .relationship) }
        path = outer
    }
    /// The rest of a statement that makes a relationship of what is an attribute: as in OpenUSD the attribute stays, is uniform from
    /// then on, and takes the metadata. Its targets mean nothing.
    private mutating func relationshipOfAttribute(
        _ spec: SpecIndex, _ edit: ListEdit, isCustom: Bool, isVarying: Bool, at nameStart: Int
    ) throws(USDAError) {
        remark(
            "usda.property-kind-changed",
            "'\(session.string(path))' is already an attribute, found a relationship: it stays an attribute, and targets are left out", at: nameStart)
        builder.set(spec, .variability, .variability(isVarying ? .varying : .uniform))
        if isCustom { builder.set(spec, .custom, .bool(true)) }
        if edit == .explicit, scan.take(UInt8(ascii: ".")) {
            guard scan.takeWord("default") else { throw scan.unexpected("'default'") }
            try assignment()
            _ = try pathLiteral(anchor: primAnchor(), allowsEmpty: true)
            return
        }
        try scan.skipBlanks()
        if edit == .explicit, scan.take(UInt8(ascii: "[")) {
            try scan.skipBlanks()
            _ = try pathLiteral(anchor: primAnchor())
            try scan.skipBlanks()
            try scan.expect(UInt8(ascii: "]"), "']'")
            return
        }
        if scan.take(UInt8(ascii: "=")) {
            try scan.skipBlanks()
            _ = try pathItems(allowsProperties: true)
            try scan.skipBlanks()
        }
        if edit == .explicit, scan.peek() == UInt8(ascii: "(") { try metadataBlock(of: spec, .relationship) }
    }
}
