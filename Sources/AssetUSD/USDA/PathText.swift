/// Reads the text of a path (`/A{v=x}B.rel[/T].attr`, `../B.points`) into the path table.
///
/// Follows the path grammar of OpenUSD's Sdf: names are identifiers by XID, variant sets and variants may also hold
/// digits first, `|` and `-`, and a child follows a variant selection directly.
struct PathTextParser: ~Escapable {
    private let text: Span<UInt8>
    private var at = 0
    private let paths: PathTable

    @_lifetime(copy text)
    init(_ text: Span<UInt8>, _ paths: PathTable) {
        self.text = text
        self.paths = paths
    }

    /// The path, relative ones below `anchor` (a prim's path); nil where the text is not a path.
    mutating func parse(anchor: Path, depth: Int = 0) -> Path? {
        guard let path = path(anchor: anchor, depth: depth), at == text.count else { return nil }
        return path
    }

    @inline(__always) private func peek(_ ahead: Int = 0) -> UInt8 { at + ahead < text.count ? text[at + ahead] : 0 }

    private mutating func skipBlanks() {
        while at < text.count, text[at] == UInt8(ascii: " ") || text[at] == UInt8(ascii: "\t") { at += 1 }
    }

    /// Targets within targets go no deeper than this.
    private static let maximumDepth = 32
    /// Elements of one path; keeps walks up a path within bounds.
    private static let maximumElements = 2048

    private mutating func path(anchor: Path, depth: Int) -> Path? {
        guard depth < Self.maximumDepth, at < text.count else { return nil }
        var path = anchor
        var elements = paths.depth(anchor)
        var expectsName = false
        if peek() == UInt8(ascii: "/") {
            path = .root
            elements = 0
            at += 1
            if at == text.count || peek() == UInt8(ascii: "]") { return path }
            expectsName = true
        } else if peek() == UInt8(ascii: ".") {
            if peek(1) == UInt8(ascii: ".") {
                while peek() == UInt8(ascii: "."), peek(1) == UInt8(ascii: ".") {
                    guard !path.isRoot, !path.isEmpty else { return nil }
                    repeat { path = paths.parent(path) } while paths.kind(path) == .variantSelection
                    at += 2
                    expectsName = false
                    if peek() == UInt8(ascii: "/") {
                        at += 1
                        expectsName = peek() != UInt8(ascii: ".")
                        continue
                    }
                    break
                }
            } else if at + 1 == text.count || peek(1) == UInt8(ascii: "]") {
                at += 1
                return path
            }
        }
        // Prims and variant selections.
        while at < text.count {
            let b = text[at]
            if ByteClass.of(b) & ByteClass.identifierStart != 0 {
                guard let name = name() else { return nil }
                path = paths.child(path, name)
                expectsName = false
                elements += 1
                guard elements < Self.maximumElements else { return nil }
                if peek() == UInt8(ascii: "/") {
                    at += 1
                    expectsName = true
                }
                while peek() == UInt8(ascii: "{") {
                    guard !expectsName, let selected = variantSelection(of: path) else { return nil }
                    path = selected
                    elements += 1
                    guard elements < Self.maximumElements else { return nil }
                }
            } else if b == UInt8(ascii: "{"), !expectsName, paths.kind(path) == .prim || paths.kind(path) == .variantSelection {
                guard let selected = variantSelection(of: path) else { return nil }
                path = selected
            } else {
                break
            }
        }
        if expectsName { return nil }
        guard peek() == UInt8(ascii: ".") else { return path }
        return property(of: path, depth: depth)
    }

    private mutating func name() -> Token? {
        let start = at
        var high: UInt8 = 0
        while at < text.count, ByteClass.of(text[at]) & ByteClass.identifier != 0 {
            high |= text[at]
            at += 1
        }
        let bytes = text.extracting(start..<at)
        if high >= 0x80, !USDAScanner.isIdentifier(bytes) { return nil }
        return bytes.withUnsafeBufferPointer { paths.tokens.intern($0) }
    }

    /// `ns:name`
    private mutating func propertyName() -> Token? {
        let start = at
        guard Self.propertyNameEnd(text, &at) else { return nil }
        return text.extracting(start..<at).withUnsafeBufferPointer { paths.tokens.intern($0) }
    }

    /// Moves past a namespaced identifier; false where there is none or it is malformed.
    static func propertyNameEnd(_ text: Span<UInt8>, _ at: inout Int) -> Bool {
        while true {
            let start = at
            var high: UInt8 = 0
            while at < text.count, ByteClass.of(text[at]) & ByteClass.identifier != 0 {
                high |= text[at]
                at += 1
            }
            guard at > start, ByteClass.of(text[start]) & ByteClass.identifierStart != 0 else { return false }
            if high >= 0x80, !USDAScanner.isIdentifier(text.extracting(start..<at)) { return false }
            guard at < text.count, text[at] == UInt8(ascii: ":") else { return true }
            at += 1
        }
    }

    private mutating func variantSelection(of prim: Path) -> Path? {
        at += 1
        skipBlanks()
        var start = at
        while at < text.count, isVariantByte(text[at]) { at += 1 }
        guard at > start else { return nil }
        let set = text.extracting(start..<at).withUnsafeBufferPointer { paths.tokens.intern($0) }
        skipBlanks()
        guard peek() == UInt8(ascii: "=") else { return nil }
        at += 1
        skipBlanks()
        start = at
        if peek() == UInt8(ascii: ".") { at += 1 }
        while at < text.count, isVariantByte(text[at]) { at += 1 }
        let selection = text.extracting(start..<at).withUnsafeBufferPointer { paths.tokens.intern($0) }
        skipBlanks()
        guard peek() == UInt8(ascii: "}") else { return nil }
        at += 1
        return paths.variant(prim, set: set, selection: selection)
    }

    private func isVariantByte(_ b: UInt8) -> Bool {
        ByteClass.of(b) & ByteClass.identifier != 0 || b == UInt8(ascii: "|") || b == UInt8(ascii: "-")
    }

    private mutating func property(of prim: Path, depth: Int) -> Path? {
        at += 1
        guard let name = propertyName() else { return nil }
        var path = paths.property(prim, name)
        var steps = 0
        while at < text.count {
            steps += 1
            guard steps < Self.maximumDepth else { return nil }
            if peek() == UInt8(ascii: "[") {
                at += 1
                guard let target = self.path(anchor: paths.primPath(prim), depth: depth + 1), peek() == UInt8(ascii: "]") else { return nil }
                at += 1
                path = paths.target(path, target)
            } else if peek() == UInt8(ascii: ".") {
                let kind = paths.kind(path)
                at += 1
                guard let name = propertyName() else { return nil }
                switch kind {
                case .target: path = paths.relationalAttribute(path, name)
                case .mapper: path = paths.mapperArg(path, name)
                case .property, .relationalAttribute:
                    if peek() == UInt8(ascii: "["), paths.tokens.string(name) == "mapper" {
                        at += 1
                        guard let target = self.path(anchor: paths.primPath(prim), depth: depth + 1), peek() == UInt8(ascii: "]") else { return nil }
                        at += 1
                        path = paths.mapper(path, target)
                    } else if paths.tokens.string(name) == "expression" {
                        path = paths.expression(path)
                    } else {
                        return nil
                    }
                default: return nil
                }
            } else {
                return path
            }
        }
        return path
    }
}

extension PathTable {
    /// The path of a text, relative ones below `anchor`; nil where the text is not a path.
    public func parse(_ text: String, anchor: Path = .root) -> Path? {
        var text = text
        return text.withUTF8 {
            var parser = PathTextParser(Span(_unsafeElements: $0), self)
            return parser.parse(anchor: anchor)
        }
    }
}
