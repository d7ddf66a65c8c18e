import AssetModel
import AssetIO

extension USDAWriter {
    /// The fields of a spec that stand in brackets, in the order in which they are printed.
    func metadata(of spec: SpecIndex, _ isMetadata: (Token) -> Bool) throws(AssetError) -> [Field] {
        var fields: [Field] = []
        for f in layer.fields(of: spec) where f.name != .comment && isMetadata(f.name) {
            fields.append(Field(f.name, try f.value.resolved()))
        }
        let tokens = session.tokens
        fields.sort { tokens.precedes($0.name, $1.name) }
        return fields
    }

    /// The value of a field, out of its file; nil where the spec has no such field.
    func value(_ spec: SpecIndex, _ name: Token) throws(AssetError) -> USDValue? {
        guard let value = layer.field(spec, name) else { return nil }
        return try value.resolved()
    }

    /// ` ( … )` with a comment first; nothing where there is nothing to say.
    mutating func metadataBlock(
        _ spec: SpecIndex, _ fields: [Field], _ depth: Int, _ field: (inout USDAWriter, Field, Int) throws(AssetError) -> Void
    ) throws(AssetError) {
        var comment = ""
        if case .string(let s) = try value(spec, .comment) { comment = s }
        if comment.isEmpty, fields.isEmpty { return }
        out.write(" (\n")
        if !comment.isEmpty {
            indent(depth + 1)
            quoted(comment)
            out.write("\n")
        }
        for f in fields {
            switch (f.name, f.value) {
            case (.documentation, .string(let s)):
                indent(depth + 1)
                out.write("doc = ")
                quoted(s)
                out.write("\n")
            case (.permission, .permission(let p)):
                indent(depth + 1)
                out.write(p == .public ? "permission = public\n" : "permission = private\n")
            case (.symmetryFunction, .token(let t)):
                indent(depth + 1)
                out.write("symmetryFunction = ")
                write(t)
                out.write("\n")
            default: try field(&self, f, depth + 1)
            }
        }
        indent(depth)
        out.write(")")
    }

    /// A field whose grammar follows from its value.
    mutating func simpleField(_ name: Token, _ value: USDValue, _ depth: Int) throws(AssetError) {
        let label = session.string(name)
        switch value {
        case .tokenListOp(let op):
            try listOp(label, op, depth) { (self: inout USDAWriter, t, _) in self.quoted(self.session.string(t)) }
        case .stringListOp(let op): try listOp(label, op, depth) { (self: inout USDAWriter, s, _) in self.quoted(s) }
        case .intListOp(let op): try listOp(label, op, depth) { (self: inout USDAWriter, n, _) in self.out.write(Int(n)) }
        case .uintListOp(let op): try listOp(label, op, depth) { (self: inout USDAWriter, n, _) in self.out.write(Int(n)) }
        case .int64ListOp(let op): try listOp(label, op, depth) { (self: inout USDAWriter, n, _) in self.out.write(Int(n)) }
        case .uint64ListOp(let op): try listOp(label, op, depth) { (self: inout USDAWriter, n, _) in self.write(unsigned: n) }
        case .pathListOp(let op): try pathListOp(label, op, depth)
        case .unregistered(.listOp(let op)):
            try listOp(label, op, depth) { (self: inout USDAWriter, v, _) throws(AssetError) in
                if case .unregistered(.dictionary(let d)) = v {
                    try self.dictionary(d, 0, multiLine: false)
                } else {
                    try self.write(v)
                }
            }
        default:
            indent(depth)
            out.write(label)
            out.write(" = ")
            switch value {
            case .dictionary(let d), .unregistered(.dictionary(let d)): try dictionary(d, depth, multiLine: true)
            case .bool(let b): out.write(b ? "true" : "false")
            default: try write(value)
            }
            out.write("\n")
        }
    }

    // MARK: List ops

    mutating func listOp<Item>(
        _ name: String, _ op: ListOp<Item>, _ depth: Int, itemPerLine: Bool = false, needsBrackets: (Item) -> Bool = { _ in true },
        item: (inout USDAWriter, Item, Int) throws(AssetError) -> Void
    ) throws(AssetError) {
        func list(_ self: inout USDAWriter, _ keyword: StaticString, _ items: [Item]) throws(AssetError) {
            self.indent(depth)
            self.out.write(keyword)
            self.out.write(name)
            self.out.write(" = ")
            if items.isEmpty {
                self.out.write("None\n")
                return
            }
            if items.count == 1, !needsBrackets(items[0]) {
                try item(&self, items[0], depth)
                self.out.write("\n")
                return
            }
            self.out.write(itemPerLine ? "[\n" : "[")
            for (i, it) in items.enumerated() {
                if itemPerLine { self.indent(depth + 1) }
                try item(&self, it, depth + 1)
                if i + 1 < items.count {
                    self.out.write(itemPerLine ? ",\n" : ", ")
                } else if itemPerLine {
                    self.out.write("\n")
                }
            }
            if itemPerLine { self.indent(depth) }
            self.out.write("]\n")
        }
        if op.isExplicit {
            try list(&self, "", op.explicit)
            return
        }
        if !op.deleted.isEmpty { try list(&self, "delete ", op.deleted) }
        if !op.added.isEmpty { try list(&self, "add ", op.added) }
        if !op.prepended.isEmpty { try list(&self, "prepend ", op.prepended) }
        if !op.appended.isEmpty { try list(&self, "append ", op.appended) }
        if !op.ordered.isEmpty { try list(&self, "reorder ", op.ordered) }
    }

    mutating func pathListOp(_ name: String, _ op: ListOp<Path>, _ depth: Int) throws(AssetError) {
        try listOp(name, op, depth, itemPerLine: true, needsBrackets: { _ in false }) { (self: inout USDAWriter, p, _) in self.path(p) }
    }

    mutating func path(_ p: Path) {
        out.write("<")
        out.write(session.string(p))
        out.write(">")
    }

    mutating func reference(_ r: Reference, _ depth: Int) throws(AssetError) {
        if !r.assetPath.isEmpty { assetPath(r.assetPath) }
        if r.assetPath.isEmpty || !r.primPath.isEmpty { path(r.primPath) }
        if r.customData.isEmpty {
            layerOffset(r.layerOffset)
            return
        }
        out.write(" (\n")
        if r.layerOffset.offset != 0 {
            indent(depth + 1)
            out.write("offset = ")
            out.write(r.layerOffset.offset)
            out.write("\n")
        }
        if r.layerOffset.scale != 1 {
            indent(depth + 1)
            out.write("scale = ")
            out.write(r.layerOffset.scale)
            out.write("\n")
        }
        indent(depth + 1)
        out.write("customData = ")
        try dictionary(r.customData, depth + 1, multiLine: true)
        out.write("\n")
        indent(depth)
        out.write(")")
    }

    mutating func relocates(_ pairs: [(source: Path, target: Path)], _ depth: Int) {
        indent(depth)
        out.write("relocates = {\n")
        for (i, p) in pairs.enumerated() {
            indent(depth + 1)
            path(p.source)
            out.write(": ")
            path(p.target)
            out.write(i + 1 < pairs.count ? ", \n" : "\n")
        }
        indent(depth)
        out.write("}\n")
    }

    // MARK: Dictionaries

    /// `{ … }` sorted by key; the caller ends the line.
    mutating func dictionary(_ d: USDDictionary, _ depth: Int, multiLine: Bool) throws(AssetError) {
        out.write(multiLine ? "{\n" : "{ ")
        let entries = d.entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (i, e) in entries.enumerated() {
            if multiLine { indent(depth + 1) }
            let value = try e.value.resolved()
            if case .dictionary(let inner) = value {
                out.write("dictionary ")
                key(e.key)
                out.write(" = ")
                try dictionary(inner, depth + 1, multiLine: multiLine)
            } else {
                out.write(value.typeName)
                out.write(" ")
                key(e.key)
                out.write(" = ")
                try write(value)
            }
            if multiLine {
                out.write("\n")
            } else if i + 1 < entries.count {
                out.write("; ")
            }
        }
        if multiLine {
            indent(depth)
            out.write("}")
        } else {
            out.write(" }")
        }
    }

    /// A key, quoted unless it is an identifier of ASCII.
    private mutating func key(_ k: String) {
        let isPlain = !k.isEmpty && k.utf8.allSatisfy { $0 < 0x80 && ByteClass.of($0) & ByteClass.identifier != 0 }
        if isPlain, let first = k.utf8.first, ByteClass.of(first) & ByteClass.identifierStart != 0 {
            out.write(k)
        } else {
            quoted(k)
        }
    }

    /// `{ "a": "b", … }`
    mutating func stringDictionary(_ d: USDDictionary, _ depth: Int) {
        out.write("{\n")
        let entries = d.entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (i, e) in entries.enumerated() {
            guard case .string(let s) = e.value else { continue }
            indent(depth + 1)
            quoted(e.key)
            out.write(": ")
            quoted(s)
            out.write(i + 1 < entries.count ? ", \n" : "\n")
        }
        indent(depth)
        out.write("}\n")
    }
}
