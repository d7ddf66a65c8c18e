import AssetIO
import AssetModel

/// Reads the grammar of a USDA text into a layer. One value is used for one text.
struct USDAParser: ~Escapable {
    var scan: USDAScanner
    let file: FileBytes
    let session: USDSession
    let limits: ReadLimits
    var builder: LayerBuilder
    var memo = StatementMemo()
    private var metadataMemo = MetadataMemo()
    var pathMemo = PathMemo()
    /// Arrays that are left in the text.
    let arrays: TextArrays
    var diagnostics = Diagnostics()
    /// The minor version the header claims.
    var version = "1.0"
    /// Where the parser is: a prim, a variant or a property.
    var path = Path.root
    var depth = 0
    /// Value types by token, looked up once each; `unknown` for names that are none.
    private var types = TokenMemo<ValueTypeName>()
    private var metadataFields = TokenMemo<MetadataField>()
    /// Names of fields with a grammar of their own.
    private var specialFields = TokenMemo<Bool>()
    /// Bytes before this were handed back to the system.
    var released = 0
    /// Whether tables were made as large as the text needs them.
    private var isSized = false
    /// What was said of odd text, by code: the first of each, and how many there were.
    private var remarks: [String: Diagnostic] = [:]
    private var remarkCount = 0
    private let headerVersion: HeaderVersion?
    var scratch: [UInt8] = []

    @_lifetime(copy text)
    init(_ text: Span<UInt8>, of file: FileBytes, session: USDSession, identifier: String, limits: ReadLimits) {
        scan = USDAScanner(text)
        self.file = file
        self.session = session
        self.limits = limits
        scan.at = USDA.markLength(text.bytes)
        let header = HeaderVersion(scan)
        let version = if let header { scan.string(header.range.lowerBound, header.range.upperBound) } else { "" }
        builder = LayerBuilder(
            session: session, identifier: identifier, encoding: "usda", version: header == nil ? "1.0" : version, byteCount: file.count)
        headerVersion = header
        self.version = version
        arrays = TextArrays(file)
        builder.takeFieldsFrom(arrays)
        // Text that is prims has a spec a hundred bytes or so; memory that is not used costs nothing.
        if file.count > 1 << 20 {
            builder.reserve(specs: file.count / 100)
            session.paths.reserveEntries(file.count / 100)
        }
    }

    /// The error with file, line, column and prim.
    func located(_ error: USDAError) -> AssetError {
        let (line, column) = lineAndColumn(of: error.offset, in: scan.text)
        return AssetError(
            error.code, error.message,
            at: SourceLocation(file: file.name, position: .line(line, column: column), primPath: path.isRoot ? nil : session.string(path)))
    }

    mutating func warn(_ code: String, _ message: String, at offset: Int) {
        let (line, column) = lineAndColumn(of: offset, in: scan.text)
        diagnostics.warning(
            code, message,
            at: SourceLocation(file: file.name, position: .line(line, column: column), primPath: path.isRoot ? nil : session.string(path)))
    }

    /// Warns of what is read without trouble here but refused by OpenUSD; once for each kind, with a count.
    mutating func lenient(_ code: String, _ message: String, at offset: Int? = nil) {
        remark(code, message + ": OpenUSD does not read such text", at: offset ?? scan.at)
    }

    /// Warns of odd text; once for each code, where it was first met, with a count.
    mutating func remark(_ code: String, _ message: String, at offset: Int) {
        remarkCount += 1
        if remarks[code] != nil {
            remarks[code]?.count += 1
            return
        }
        let (line, column) = lineAndColumn(of: offset, in: scan.text)
        let first = Diagnostic(
            .warning, code, message,
            at: SourceLocation(file: file.name, position: .line(line, column: column), primPath: path.isRoot ? nil : session.string(path)))
        // Those to come are added once the text was read.
        remarks[code] = first
        remarks[code]?.count = 0
        diagnostics.add(first)
    }

    /// Ends the warnings: counts those that came more than once, and says where text is not UTF-8.
    mutating func finishWarnings() {
        for remark in remarks.values where remark.count > 0 { diagnostics.add(remark) }
        guard let offset = scan.firstBroken else { return }
        warn("usda.invalid-utf8", "found text that is not UTF-8: its bytes are kept as they are; OpenUSD does not read such text", at: offset)
    }

    /// Skips the blanks behind a word, which OpenUSD needs.
    @inline(__always)
    mutating func skipBlanksBehindWord() throws(USDAError) {
        let end = scan.at
        try scan.skipBlanks()
        if scan.at == end, ByteClass.of(scan.peek()) & ByteClass.newline == 0 {
            lenient("usda.missing-blank", "found \(scan.found()) right behind a word, expected a space first")
        }
    }

    /// How much was warned of so far, known kinds included.
    private var warningCount: Int { diagnostics.entries.count + diagnostics.omitted + remarkCount }

    consuming func finish() -> USDLayer { builder.finish() }

    // MARK: Header

    private mutating func header() throws(USDAError) {
        guard let header = headerVersion else {
            throw USDAError(scan.at, "usda.bad-header", "found \(scan.found()), expected '#usda 1.0'")
        }
        guard let (major, minor, patch) = header.numbers(scan) else {
            throw USDAError(scan.at, "usda.bad-version", "found version '\(version)', expected '1.0'")
        }
        guard major == 1, minor < USDA.newestMinorVersion || minor == USDA.newestMinorVersion && patch == 0 else {
            throw USDAError(
                scan.at, "usda.unknown-version",
                "found version \(version), expected at most 1.\(USDA.newestMinorVersion)")
        }
        if scan.at > 0 { lenient("usda.byte-order-mark", "found a byte order mark, expected '#usda 1.0'", at: 0) }
        if header.isOld { lenient("usda.old-header", "found '#sdf', expected '#usda 1.0'") }
        scan.at = header.range.upperBound
        if header.endsWithReturn {
            scan.linesEndWithReturn = true
            lenient("usda.lone-carriage-return", "found a carriage return alone, expected a line feed to end the first line")
            return
        }
        // Whatever else stands on the line is a comment.
        while !scan.isAtEnd, scan.peek() != UInt8(ascii: "\n") { scan.at += 1 }
    }

    // MARK: Layer

    mutating func parse() throws(USDAError) {
        try header()
        try scan.skipSpace()
        if scan.peek() == UInt8(ascii: "(") {
            try metadataBlock(of: builder.root, .layer)
        }
        while true {
            try scan.skipSpace()
            if scan.isAtEnd { return }
            if try primStatement(in: builder.root) {
                try separator(closing: 0, allowsSemicolon: false)
            } else if scan.takeWord("reorder") {
                try scan.skipBlanks()
                guard scan.takeWord("rootPrims") else { throw scan.unexpected("'rootPrims'") }
                try order(into: builder.root, .primOrder)
                try separator(closing: 0, allowsSemicolon: false)
            } else {
                throw scan.unexpected("'def', 'over', 'class' or 'reorder rootPrims'")
            }
        }
    }

    /// After a statement: a line end, `;` where allowed, the closing bracket or the end of the text.
    ///
    /// OpenUSD wants one before a `}` as well where prims and properties end; that it is missing harms nobody, and is said.
    mutating func separator(closing: UInt8, allowsSemicolon: Bool = true, isOfPrim: Bool = false) throws(USDAError) {
        try scan.skipBlanks()
        if allowsSemicolon, scan.take(UInt8(ascii: ";")) {
            try scan.skipSpace()
            return
        }
        if scan.isAtEnd { return }
        if scan.peek() == closing {
            if isOfPrim { lenient("usda.missing-line-end", "found '}' behind a statement, expected the end of the line or ';' first") }
            return
        }
        guard try scan.skipSpace() else {
            throw scan.unexpected(allowsSemicolon ? "the end of the line or ';' after a statement" : "the end of the line after a prim")
        }
    }

    /// What a thread's stack bears, whatever the limits say.
    private static let deepest = 2000

    mutating func enter(at offset: Int) throws(USDAError) {
        depth += 1
        guard depth <= min(limits.nestingDepth, Self.deepest) else {
            throw USDAError(offset, "usda.nesting-too-deep", "nested deeper than the limit of \(min(limits.nestingDepth, Self.deepest))")
        }
    }

    mutating func leave() { depth -= 1 }

    /// Whether a path came into being after the table had `known` paths; then no spec has it yet.
    @inline(__always)
    func isNew(_ path: Path, _ known: Int) -> Bool { Int(path.id) >= known }

    // MARK: Prims

    /// `def Type "name" (…) {…}` and its siblings; false where none starts here.
    mutating func primStatement(in parent: SpecIndex) throws(USDAError) -> Bool {
        let specifier: Specifier
        switch scan.peek() {
        case UInt8(ascii: "d") where scan.takeWord("def"): specifier = .def
        case UInt8(ascii: "o") where scan.takeWord("over"): specifier = .over
        case UInt8(ascii: "c") where scan.takeWord("class"): specifier = .class
        default: return false
        }
        try skipBlanksBehindWord()
        var typeName = Token.empty
        let typeStart = scan.at
        if ByteClass.of(scan.peek()) & ByteClass.identifierStart != 0 {
            scan.at = try typeNameEnd()
            typeName = token(typeStart, scan.at)
            try skipBlanksBehindWord()
        }
        let nameStart = scan.at
        let name = try stringToken("a prim's name in quotes")
        guard isIdentifier(name) else {
            throw USDAError(nameStart, "usda.bad-prim-name", "'\(session.string(name))' is not a valid prim name")
        }
        let outer = path
        let known = session.paths.count
        path = session.paths.child(path, name)
        guard isNew(path, known) || builder.spec(at: path) == nil else {
            throw USDAError(nameStart, "usda.duplicate-prim", "the prim '\(session.string(path))' is defined twice")
        }
        try enter(at: nameStart)
        let spec = builder.add(.prim, path, below: parent)
        builder.append(spec, .specifier, .specifier(specifier))
        if !typeName.isEmpty { builder.append(spec, .typeName, token: typeName) }
        try scan.skipSpace()
        if scan.peek() == UInt8(ascii: "(") {
            try primMetadata(of: spec)
            try scan.skipSpace()
        }
        try primContents(of: spec)
        leave()
        path = outer
        releasePages()
        if !isSized { makeRoom() }
        return true
    }

    /// The metadata of a prim that has none yet.
    private mutating func primMetadata(of spec: SpecIndex) throws(USDAError) {
        let start = scan.at
        if let known = metadataMemo.find(scan.text, start) {
            for f in known.fields { builder.set(spec, f.name, packed: f) }
            scan.at += known.length
            return
        }
        let (before, specs, warnings) = (builder.fieldCount(spec), builder.specCount, warningCount)
        try metadataBlock(of: spec, .prim)
        guard metadataMemo.isLearning, builder.specCount == specs, warningCount == warnings else { return }
        // What depends on where the prim stands are relative paths.
        var hasRelativePath = false
        for i in start..<scan.at where scan.text[i] == UInt8(ascii: "<") && scan.text[i + 1] != UInt8(ascii: "/") { hasRelativePath = true }
        if !hasRelativePath { metadataMemo.note(scan.text, start, scan.at, ContiguousArray(builder.fields(of: spec).dropFirst(before))) }
    }

    /// Makes room for all that the rest of the text will hold, judging by the part that was read.
    private mutating func makeRoom() {
        guard scan.at > scan.text.count / 16, scan.text.count > 1 << 20 else { return }
        isSized = true
        let share = Double(scan.text.count) / Double(scan.at) * 1.05
        let missing = Double(builder.specCount) * (share - 1)
        guard missing > 1000, missing < Double(scan.text.count / 16) else { return }
        session.paths.reserve(Int(missing))
        builder.makeRoom(share)
        arrays.makeRoom(share)
    }

    /// The end of a type name: identifiers joined by `::` or `.`.
    private func typeNameEnd() throws(USDAError) -> Int {
        var end = try scan.identifierEnd()
        while end < scan.text.count {
            if scan.text[end] == UInt8(ascii: ":"), end + 1 < scan.text.count, scan.text[end + 1] == UInt8(ascii: ":") {
                let next = try scan.identifierEnd(from: end + 2)
                guard next > end + 2 else { break }
                end = next
            } else if scan.text[end] == UInt8(ascii: ".") {
                let next = try scan.identifierEnd(from: end + 1)
                guard next > end + 1 else { break }
                end = next
            } else {
                break
            }
        }
        return end
    }

    /// `{ … }` of a prim or a variant.
    private mutating func primContents(of spec: SpecIndex) throws(USDAError) {
        try scan.expect(UInt8(ascii: "{"), "'{'")
        while true {
            try scan.skipSpace()
            if scan.take(UInt8(ascii: "}")) { return }
            if scan.isAtEnd { throw scan.unexpected("'}'") }
            let b = scan.peek()
            switch b {
            case UInt8(ascii: "d"), UInt8(ascii: "o"), UInt8(ascii: "c"):
                if try primStatement(in: spec) {
                    try separator(closing: UInt8(ascii: "}"), allowsSemicolon: false, isOfPrim: true)
                    continue
                }
            case UInt8(ascii: "v"):
                if scan.takeWord("variantSet") {
                    try variantSet(in: spec)
                    try separator(closing: UInt8(ascii: "}"), allowsSemicolon: false, isOfPrim: true)
                    continue
                }
            case UInt8(ascii: "r"):
                let start = scan.at
                if scan.takeWord("reorder") {
                    try scan.skipBlanks()
                    if scan.takeWord("nameChildren") {
                        try order(into: spec, .primOrder)
                        try separator(closing: UInt8(ascii: "}"), isOfPrim: true)
                        continue
                    }
                    if scan.takeWord("properties") {
                        try order(into: spec, .propertyOrder)
                        try separator(closing: UInt8(ascii: "}"), isOfPrim: true)
                        continue
                    }
                    scan.at = start
                }
            default: break
            }
            try propertyStatement(in: spec)
            try separator(closing: UInt8(ascii: "}"), isOfPrim: true)
        }
    }

    /// `= "a"` or `= ["a", "b"]` of a reorder statement.
    private mutating func order(into spec: SpecIndex, _ field: Token) throws(USDAError) {
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "="), "'='")
        try scan.skipBlanks()
        builder.set(spec, field, .tokens(try nameList()))
    }

    /// `"a"` or `["a", "b"]`
    mutating func nameList() throws(USDAError) -> [Token] {
        guard scan.take(UInt8(ascii: "[")) else { return [try stringToken("a name in quotes")] }
        var names: [Token] = []
        while try nextListItem(first: names.isEmpty, closing: UInt8(ascii: "]")) { names.append(try stringToken("a name in quotes")) }
        return names
    }

    /// Moves to the next item of a comma-separated list; false once the closing bracket was taken.
    @inline(__always)
    mutating func nextListItem(first: Bool, closing: UInt8) throws(USDAError) -> Bool {
        try scan.skipSpace()
        if scan.take(closing) { return false }
        if first { return true }
        guard scan.take(UInt8(ascii: ",")) else {
            throw scan.unexpected(closing == UInt8(ascii: "]") ? "',' or ']'" : closing == UInt8(ascii: ")") ? "',' or ')'" : "',' or '}'")
        }
        try scan.skipSpace()
        return !scan.take(closing)
    }

    // MARK: Variants

    private mutating func variantSet(in prim: SpecIndex) throws(USDAError) {
        try skipBlanksBehindWord()
        let nameStart = scan.at
        let set = try stringToken("a variant set's name in quotes")
        guard isVariantIdentifier(set) else {
            throw USDAError(nameStart, "usda.bad-variant-set-name", "'\(session.string(set))' is not a valid variant set name")
        }
        let outer = path
        let setPath = session.paths.variant(outer, set: set, selection: .empty)
        let setSpec = builder.spec(at: setPath) ?? builder.add(.variantSet, setPath, below: prim)
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "="), "'='")
        try scan.skipSpace()
        try scan.expect(UInt8(ascii: "{"), "'{'")
        try scan.skipSpace()
        // A set without variants is no text that OpenUSD reads.
        if scan.peek() == UInt8(ascii: "}") { throw scan.unexpected("a variant's name in quotes") }
        while true {
            try scan.skipSpace()
            if scan.take(UInt8(ascii: "}")) { break }
            let start = scan.at
            let name = try stringToken("a variant's name in quotes or '}'")
            guard isVariantIdentifier(name, allowsDot: true) else {
                throw USDAError(start, "usda.bad-variant-name", "'\(session.string(name))' is not a valid variant name")
            }
            path = session.paths.variant(outer, set: set, selection: name)
            try enter(at: start)
            let variant = builder.spec(at: path) ?? builder.add(.variant, path, below: setSpec)
            try scan.skipSpace()
            if scan.peek() == UInt8(ascii: "(") {
                try metadataBlock(of: variant, .prim)
                try scan.skipSpace()
            }
            try primContents(of: variant)
            leave()
            path = outer
        }
    }

    // MARK: Names

    /// The token of a part of the text.
    @inline(__always)
    func token(_ start: Int, _ end: Int) -> Token {
        scan.text.extracting(start..<end).withUnsafeBufferPointer { session.tokens.intern($0) }
    }

    /// A quoted string as a token.
    mutating func stringToken(_ what: StaticString) throws(USDAError) -> Token {
        guard scan.peek() == UInt8(ascii: "\"") || scan.peek() == UInt8(ascii: "'") else { throw scan.unexpected(what) }
        let start = scan.at
        let range = try scan.takeString(into: &scratch)
        if scan.sawNull { return cutToken(range, at: start) }
        if let range { return token(range.lowerBound, range.upperBound) }
        return scratch.withUnsafeBufferPointer { session.tokens.intern($0) }
    }

    /// The token of a string that may hold a zero: it ends there, as in OpenUSD.
    private mutating func cutToken(_ range: Range<Int>?, at start: Int) -> Token {
        var bytes = range.map { range in scan.text.extracting(range).withUnsafeBufferPointer { Array($0) } } ?? scratch
        if let end = bytes.firstIndex(of: 0) {
            bytes.removeSubrange(end...)
            remark("usda.null-in-token", "found a zero byte in a token: the token ends there", at: start)
        }
        return bytes.withUnsafeBufferPointer { session.tokens.intern($0) }
    }

    func isIdentifier(_ t: Token) -> Bool {
        session.tokens.withBytes(t) { USDAScanner.isIdentifier(Span(_unsafeElements: $0)) }
    }

    /// Names of variant sets and variants: letters, digits, `_`, `|` and `-`, in variants also a leading dot.
    func isVariantIdentifier(_ t: Token, allowsDot: Bool = false) -> Bool {
        session.tokens.withBytes(t) { bytes in
            var first = true
            var i = 0
            let span = Span(_unsafeElements: bytes)
            while i < span.count {
                let b = span[i]
                if b >= 0x80 {
                    guard let (scalar, n) = USDAScanner.decodeScalar(span, i), scalar.properties.isXIDContinue else { return false }
                    i += n
                } else {
                    let ok = ByteClass.of(b) & ByteClass.identifier != 0 || b == UInt8(ascii: "|") || b == UInt8(ascii: "-")
                    guard ok || (first && allowsDot && b == UInt8(ascii: ".")) else { return false }
                    i += 1
                }
                first = false
            }
            return span.count > 0
        }
    }

    /// The value type of a name, with `[]` or without.
    mutating func valueType(_ name: Token) -> ValueTypeName? {
        types.value(of: name) { ValueTypeName(session.string(name)) }
    }

    mutating func metadataField(_ name: Token) -> MetadataField? {
        metadataFields.value(of: name) { MetadataField.table[session.string(name)] }
    }

    mutating func isSpecialField(_ name: Token) -> Bool {
        specialFields.value(of: name) { Self.specialFieldNames.contains(session.string(name)) } ?? false
    }

    // MARK: Memory

    /// Hands the pages behind the cursor back, once enough have gathered.
    @inline(__always)
    mutating func releasePages() {
        if scan.at - released >= 4 << 20 {
            file.release(released, count: scan.at - released)
            released = scan.at
        }
    }
}

/// What was found out about tokens, each asked for once. Tokens a text meets early have small numbers.
struct TokenMemo<Value> {
    private var known: ContiguousArray<Value?> = []
    private var isKnown: ContiguousArray<Bool> = []
    private static var most: Int { 1 << 16 }

    mutating func value(of token: Token, _ find: () -> Value?) -> Value? {
        let i = Int(token.id)
        if i < known.count, isKnown[i] { return known[i] }
        let found = find()
        if i < Self.most {
            if i >= known.count {
                known.append(contentsOf: repeatElement(nil, count: i + 1 - known.count))
                isKnown.append(contentsOf: repeatElement(false, count: i + 1 - isKnown.count))
            }
            known[i] = found
            isKnown[i] = true
        }
        return found
    }
}
