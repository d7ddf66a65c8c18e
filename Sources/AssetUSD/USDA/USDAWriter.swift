public import AssetModel
import AssetIO

extension USDA {
    /// Prints a layer as USDA text, laid out as OpenUSD lays it out. Numbers are the shortest that read back as the same
    /// value. The text goes to `sink` in pieces of about a megabyte; values still in their file are decoded one at a time.
    ///
    /// Throws what `sink` throws, and `usdc.…` errors where a value that is still in its file turns out damaged.
    public static func write(
        _ layer: USDLayer, to sink: (UnsafeRawBufferPointer) throws(AssetError) -> Void
    ) throws(AssetError) {
        try withoutActuallyEscaping(sink) { sink throws(AssetError) in
            var writer = USDAWriter(layer, sink)
            try writer.writeLayer()
        }
    }

    /// The text of a layer as one block.
    public static func text(of layer: USDLayer) throws(AssetError) -> [UInt8] {
        var all: [UInt8] = []
        try write(layer) { piece throws(AssetError) in all.append(contentsOf: piece) }
        return all
    }
}

/// Prints one layer.
struct USDAWriter: ~Copyable {
    typealias Sink = (UnsafeRawBufferPointer) throws(AssetError) -> Void

    let layer: USDLayer
    let session: USDSession
    var out = TextWriter()
    private let sink: Sink
    var typeNames = CanonicalTypeNames()

    init(_ layer: USDLayer, _ sink: @escaping Sink) {
        self.layer = layer
        session = layer.session
        self.sink = sink
    }

    // MARK: Output

    mutating func flush() throws(AssetError) {
        let sink = sink
        var failure: AssetError?
        out.flush { bytes in
            do throws(AssetError) {
                try sink(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    @inline(__always)
    mutating func flushIfFull() throws(AssetError) {
        if out.isFull { try flush() }
    }

    mutating func indent(_ depth: Int) {
        for _ in 0..<depth { out.write("    ") }
    }

    mutating func write(_ token: Token) {
        session.tokens.withBytes(token) { out.write(UnsafeRawBufferPointer($0)) }
    }

    // MARK: Layer

    mutating func writeLayer() throws(AssetError) {
        out.write("#usda 1.")
        out.write(try USDAVersion.minor(for: layer))
        out.write("\n")
        try layerMetadata()
        if case .tokens(let order) = try value(0, .primOrder), order.count > 1 {
            out.write("\nreorder rootPrims = ")
            nameList(order)
            out.write("\n")
        }
        for prim in layer.children(layer.specs[0].primChildren) {
            out.write("\n")
            try writePrim(prim, 0)
        }
        out.write("\n")
        try flush()
    }

    private mutating func layerMetadata() throws(AssetError) {
        var fields = try metadata(of: 0) { $0 != .primOrder && $0 != .subLayerOffsets }
        let tokens = session.tokens
        // Plain byte order here, unlike everywhere else; relocates last.
        fields.sort { a, b in
            if (a.name == .layerRelocates) != (b.name == .layerRelocates) { return b.name == .layerRelocates }
            return tokens.bytesPrecede(a.name, b.name)
        }
        var open = false
        func start(_ out: inout TextWriter) {
            if !open { out.write("(\n") }
            open = true
        }
        if case .string(let comment) = try value(0, .comment), !comment.isEmpty {
            start(&out)
            indent(1)
            quoted(comment)
            out.write("\n")
        }
        for f in fields {
            switch (f.name, f.value) {
            case (.documentation, .string(let s)):
                if s.isEmpty { continue }
                start(&out)
                indent(1)
                out.write("doc = ")
                quoted(s)
                out.write("\n")
            case (.subLayers, .strings(let paths)):
                start(&out)
                try subLayers(paths)
            case (.layerRelocates, .relocates(let pairs)):
                start(&out)
                relocates(pairs, 1)
            case (.hasOwnedSubLayers, .bool(false)): continue
            default:
                start(&out)
                try simpleField(f.name, f.value, 1)
            }
        }
        if open { out.write(")\n") }
    }

    private mutating func subLayers(_ paths: [String]) throws(AssetError) {
        var offsets: [LayerOffset] = []
        if case .layerOffsets(let o) = try value(0, .subLayerOffsets) { offsets = o }
        indent(1)
        out.write("subLayers = [\n")
        for (i, p) in paths.enumerated() {
            indent(2)
            assetPath(p)
            if i < offsets.count { layerOffset(offsets[i]) }
            out.write(i + 1 < paths.count ? ",\n" : "\n")
        }
        indent(1)
        out.write("]\n")
    }

    /// ` (offset = 1; scale = 2)`, nothing for the identity.
    mutating func layerOffset(_ o: LayerOffset) {
        if o.isIdentity { return }
        out.write(" (")
        if o.offset != 0 {
            out.write("offset = ")
            out.write(o.offset)
        }
        if o.scale != 1 {
            if o.offset != 0 { out.write("; ") }
            out.write("scale = ")
            out.write(o.scale)
        }
        out.write(")")
    }

    // MARK: Prims

    private mutating func writePrim(_ prim: SpecIndex, _ depth: Int) throws(AssetError) {
        let spec = layer.specs[Int(prim)]
        indent(depth)
        switch try value(prim, .specifier) {
        case .specifier(.def): out.write("def ")
        case .specifier(.class): out.write("class ")
        default: out.write("over ")
        }
        if case .token(let type) = try value(prim, .typeName), !type.isEmpty, session.string(type) != "__AnyType__" {
            write(type)
            out.write(" ")
        }
        quoted(session.string(session.paths.name(spec.path)))
        try primMetadata(prim, depth)
        out.write("\n")
        indent(depth)
        out.write("{\n")
        try primBody(prim, depth)
        indent(depth)
        out.write("}\n")
        try flushIfFull()
    }

    private mutating func primMetadata(_ prim: SpecIndex, _ depth: Int) throws(AssetError) {
        let fields = try metadata(of: prim) {
            $0 != .specifier && $0 != .typeName && $0 != .primOrder && $0 != .propertyOrder
        }
        try metadataBlock(prim, fields, depth) { (self: inout USDAWriter, f, depth) throws(AssetError) in
            switch (f.name, f.value) {
            case (.references, .referenceListOp(let op)), (.payload, .payloadListOp(let op)):
                try self.listOp(f.name == .references ? "references" : "payload", op, depth, itemPerLine: true) {
                    // References with custom data stand in brackets even alone.
                    !$0.customData.isEmpty
                } item: { (self: inout USDAWriter, r, depth) throws(AssetError) in
                    try self.reference(r, depth)
                }
            case (.inheritPaths, .pathListOp(let op)): try self.pathListOp("inherits", op, depth)
            case (.specializes, .pathListOp(let op)): try self.pathListOp("specializes", op, depth)
            case (.variantSetNames, .stringListOp(let op)): self.variantSetNames(op, depth)
            case (.variantSelection, .variantSelections(let selections)):
                if selections.isEmpty { return }
                self.indent(depth)
                self.out.write("variants = ")
                var d = USDDictionary()
                for s in selections { d.entries.append((self.session.string(s.set), .string(self.session.string(s.variant)))) }
                try self.dictionary(d, depth, multiLine: true)
                self.out.write("\n")
            case (.relocates, .relocates(let pairs)): self.relocates(pairs, depth)
            case (.prefixSubstitutions, .dictionary(let d)), (.suffixSubstitutions, .dictionary(let d)):
                self.indent(depth)
                self.write(f.name)
                self.out.write(" = ")
                self.stringDictionary(d, depth)
            default: try self.simpleField(f.name, f.value, depth)
            }
        }
    }

    private mutating func variantSetNames(_ op: ListOp<String>, _ depth: Int) {
        func list(_ self: inout USDAWriter, _ keyword: StaticString, _ names: [String]) {
            self.indent(depth)
            self.out.write(keyword)
            self.out.write("variantSets = ")
            self.nameList(names.map { self.session.token($0) })
            self.out.write("\n")
        }
        if op.isExplicit {
            list(&self, "", op.explicit)
            return
        }
        if !op.deleted.isEmpty { list(&self, "delete ", op.deleted) }
        if !op.added.isEmpty { list(&self, "add ", op.added) }
        if !op.prepended.isEmpty { list(&self, "prepend ", op.prepended) }
        if !op.appended.isEmpty { list(&self, "append ", op.appended) }
        if !op.ordered.isEmpty { list(&self, "reorder ", op.ordered) }
    }

    /// `"a"` or `["a", "b"]`
    mutating func nameList(_ names: [Token]) {
        if names.count != 1 { out.write("[") }
        for (i, n) in names.enumerated() {
            if i > 0 { out.write(", ") }
            quoted(session.string(n))
        }
        if names.count != 1 { out.write("]") }
    }

    private mutating func primBody(_ prim: SpecIndex, _ depth: Int) throws(AssetError) {
        let spec = layer.specs[Int(prim)]
        if case .tokens(let order) = try value(prim, .propertyOrder), order.count > 1 {
            indent(depth + 1)
            out.write("reorder properties = ")
            nameList(order)
            out.write("\n")
        }
        if case .tokens(let order) = try value(prim, .primOrder), order.count > 1 {
            indent(depth + 1)
            out.write("reorder nameChildren = ")
            nameList(order)
            out.write("\n")
        }
        var properties = Array(layer.children(spec.properties))
        let (tokens, paths, specs) = (session.tokens, session.paths, layer.specs)
        properties.sort { tokens.precedes(paths.name(specs[Int($0)].path), paths.name(specs[Int($1)].path)) }
        for p in properties {
            if layer.specs[Int(p)].kind == .relationship {
                try writeRelationship(p, depth + 1)
            } else {
                try writeAttribute(p, depth + 1)
            }
            try flushIfFull()
        }
        let children = layer.children(spec.primChildren)
        if !properties.isEmpty, !children.isEmpty { out.write("\n") }
        var isFirst = true
        for c in children {
            if !isFirst { out.write("\n") }
            isFirst = false
            try writePrim(c, depth + 1)
        }
        for set in layer.children(spec.variantChildren) where layer.specs[Int(set)].kind == .variantSet {
            try writeVariantSet(set, depth + 1)
        }
    }

    func name(_ spec: SpecIndex) -> Token { session.paths.name(layer.specs[Int(spec)].path) }

    private mutating func writeVariantSet(_ set: SpecIndex, _ depth: Int) throws(AssetError) {
        var variants: [(name: Token, spec: SpecIndex)] = []
        for v in layer.children(layer.specs[Int(set)].variantChildren) where layer.specs[Int(v)].kind == .variant {
            variants.append((session.paths.variantName(layer.specs[Int(v)].path), v))
        }
        if variants.isEmpty { return }
        let tokens = session.tokens
        variants.sort { tokens.bytesPrecede($0.name, $1.name) }
        indent(depth)
        out.write("variantSet ")
        quoted(session.string(name(set)))
        out.write(" = {\n")
        for (name, v) in variants {
            indent(depth + 1)
            quoted(session.string(name))
            try primMetadata(v, depth + 1)
            out.write(" {\n")
            try primBody(v, depth + 1)
            out.write("\n")
            indent(depth + 1)
            out.write("}\n")
        }
        indent(depth)
        out.write("}\n")
    }
}
