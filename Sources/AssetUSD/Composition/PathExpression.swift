/// A path expression (`/World//{isa:Mesh} - /World/Hidden`, OpenUSD's `SdfPathExpression`) as a tree: what composing one needs.
/// Patterns and predicates stay text.
indirect enum PathExpression {
    /// Matches nothing: the empty text.
    case nothing
    /// A pattern or a reference to another expression (`%_` is the weaker opinion).
    case atom(String)
    case complement(PathExpression)
    case pair(Operation, PathExpression, PathExpression)

    /// From the tightest to the loosest.
    enum Operation: Int {
        case impliedUnion, union, intersection, difference

        fileprivate var text: String {
            switch self {
            case .impliedUnion: " "
            case .union: " + "
            case .intersection: " & "
            case .difference: " - "
            }
        }
    }

    static var everything: PathExpression { .atom("//") }

    /// Nil for a text that is no expression, or one of very many parts.
    init?(_ text: String) {
        var parser = PathExpressionParser(text)
        guard let parsed = parser.parse() else { return nil }
        self = parsed
    }

    // MARK: Making

    private var isNothing: Bool { if case .nothing = self { true } else { false } }
    private var isEverything: Bool { if case .atom("//") = self { true } else { false } }

    /// The complement, simplified where it matches nothing or everything.
    static func not(_ e: PathExpression) -> PathExpression {
        if e.isNothing { return everything }
        if e.isEverything { return .nothing }
        if case .complement(let inner) = e { return inner }
        return .complement(e)
    }

    /// Two expressions as one, simplified where one of them matches nothing or everything.
    static func combine(_ op: Operation, _ a: PathExpression, _ b: PathExpression) -> PathExpression {
        switch op {
        case .impliedUnion, .union:
            if a.isEverything || b.isEverything { return everything }
            if a.isNothing { return b }
            if b.isNothing { return a }
        case .intersection:
            if a.isNothing || b.isNothing { return .nothing }
            if a.isEverything { return b }
            if b.isEverything { return a }
        case .difference:
            if a.isNothing || b.isEverything { return .nothing }
            if a.isEverything { return not(b) }
            if b.isNothing { return a }
        }
        return .pair(op, a, b)
    }

    /// Every atom replaced.
    func replacing(_ atom: (String) -> PathExpression) -> PathExpression {
        switch self {
        case .nothing: self
        case .atom(let text): atom(text)
        case .complement(let e): Self.not(e.replacing(atom))
        case .pair(let op, let a, let b): Self.combine(op, a.replacing(atom), b.replacing(atom))
        }
    }

    private static let weaker = "%_"

    /// Whether a weaker opinion has a say.
    var refersToWeaker: Bool {
        switch self {
        case .nothing: false
        case .atom(let text): text == Self.weaker
        case .complement(let e): e.refersToWeaker
        case .pair(_, let a, let b): a.refersToWeaker || b.refersToWeaker
        }
    }

    /// The expression with `%_` as the weaker one; nil for none: it matches nothing.
    func composed(over weaker: PathExpression?) -> PathExpression {
        replacing { $0 == Self.weaker ? weaker ?? .nothing : .atom($0) }
    }

    // MARK: Paths

    /// The expression with its paths mapped; patterns that begin with `//` stay, what the mapping does not reach matches nothing.
    ///
    /// - Parameters:
    ///   - anchor: the prim that relative patterns are seen from.
    ///   - keepsRelative: without an anchor, whether relative patterns stay; else they match nothing.
    ///   - map: `.empty` for paths that are not reached.
    func mapped(_ paths: PathTable, anchor: Path?, keepsRelative: Bool = true, _ map: (Path) -> Path) -> PathExpression {
        replacing { Self.mapped($0, paths, anchor, keepsRelative, map) }
    }

    private static func mapped(_ atom: String, _ paths: PathTable, _ anchor: Path?, _ keepsRelative: Bool, _ map: (Path) -> Path) -> PathExpression {
        if atom.hasPrefix("//") || atom.hasPrefix("%_") || atom.hasPrefix("%:") { return .atom(atom) }
        // `./a` is no pattern: it stays, for whoever evaluates it to refuse.
        if atom.hasPrefix("./"), !atom.hasPrefix(".//") { return .atom(atom) }
        guard let anchor = anchor ?? (atom.hasPrefix("/") || atom.hasPrefix("%/") ? .root : nil) else {
            return keepsRelative ? .atom(atom) : .nothing
        }
        if atom.hasPrefix("%") {
            // `%path:name`
            let body = atom.dropFirst()
            guard let colon = body.firstIndex(of: ":"), colon != body.startIndex else { return .atom(atom) }
            let (prefix, rest) = split(body[..<colon], paths, anchor)
            let target = rest.isEmpty ? map(prefix) : .empty
            return target.isEmpty ? .nothing : .atom("%" + paths.string(target) + body[colon...])
        }
        let (prefix, rest) = split(atom[...], paths, anchor)
        let target = map(prefix)
        if target.isEmpty { return .nothing }
        if rest.isEmpty { return .atom(paths.string(target)) }
        if target.isRoot { return .atom(rest.hasPrefix("/") || rest.hasPrefix(".") ? String(rest) : "/" + rest) }
        let joint = rest.hasPrefix("/") || rest.hasPrefix(".") ? "" : "/"
        return .atom(paths.string(target) + joint + rest)
    }

    /// The beginning of a pattern that is a plain path, and what follows.
    private static func split(_ pattern: Substring, _ paths: PathTable, _ anchor: Path) -> (prefix: Path, rest: Substring) {
        var path = pattern.hasPrefix("/") ? Path.root : anchor
        var rest = pattern.hasPrefix("/") ? pattern.dropFirst() : pattern
        while !rest.isEmpty {
            let bytes = rest.utf8
            let end = bytes.firstIndex { $0 == UInt8(ascii: "/") } ?? rest.endIndex
            let component = rest[..<end]
            if component.isEmpty { return (path, pattern[pattern.index(before: rest.startIndex)...]) }
            // A `/` within a predicate ends no component, but a predicate is no plain path anyway.
            if component.utf8.contains(where: { "*?[]{}".utf8.contains($0) }) {
                guard let dot = component.utf8.firstIndex(of: UInt8(ascii: ".")), dot > component.startIndex else { return (path, rest) }
                let name = component[..<dot]
                if name.utf8.contains(where: { "*?[]{}".utf8.contains($0) }) { return (path, rest) }
                // `a.*`: the prim is plain, its property is not.
                return (paths.child(path, paths.tokens.intern(String(name))), rest[dot...])
            }
            let isLast = end == rest.endIndex
            if component == ".." {
                if path.isRoot { return (path, rest) }
                path = paths.parent(path)
            } else if component != "." {
                if let dot = component.utf8.firstIndex(of: UInt8(ascii: ".")), dot > component.startIndex {
                    let prim = paths.child(path, paths.tokens.intern(String(component[..<dot])))
                    let property = component[component.utf8.index(after: dot)...]
                    return (paths.property(prim, paths.tokens.intern(String(property))), rest[end...])
                }
                path = paths.child(path, paths.tokens.intern(String(component)))
            }
            if isLast { return (path, "") }
            let next = bytes.index(after: end)
            // `a//b`: the stretch belongs to the rest.
            if next < rest.endIndex, bytes[next] == UInt8(ascii: "/") { return (path, rest[end...]) }
            if next == rest.endIndex { return (path, rest[end...]) }
            rest = rest[next...]
        }
        return (path, "")
    }

    // MARK: Text

    var text: String {
        var out = ""
        write(to: &out)
        return out
    }

    private func write(to out: inout String) {
        switch self {
        case .nothing: break
        case .atom(let text): out += text
        case .complement(let e):
            out += "~"
            if case .atom = e { e.write(to: &out) } else { Self.bracketed(e, &out) }
        case .pair(let op, let a, let b):
            if case .pair(let inner, _, _) = a, inner.rawValue > op.rawValue { Self.bracketed(a, &out) } else { a.write(to: &out) }
            out += op.text
            if case .pair(let inner, _, _) = b, inner.rawValue >= op.rawValue { Self.bracketed(b, &out) } else { b.write(to: &out) }
        }
    }

    private static func bracketed(_ e: PathExpression, _ out: inout String) {
        out += "("
        e.write(to: &out)
        out += ")"
    }
}

/// Reads the text of a path expression.
private struct PathExpressionParser {
    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0
    private var count = 0
    /// Parts and brackets beyond these are not looked into: trees are walked by recursion.
    private static let maximalCount = 2000
    private static let maximalDepth = 100

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func parse() -> PathExpression? {
        skipBlanks()
        if at == bytes.count { return .nothing }
        guard let e = expression(.difference) else { return nil }
        skipBlanks()
        return at == bytes.count ? e : nil
    }

    private mutating func skipBlanks() {
        while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
    }

    private static func isBlank(_ c: UInt8) -> Bool { c == 32 || (c >= 9 && c <= 13) }

    /// The operation that follows, where it is at least as tight as `loosest`.
    private mutating func operation(_ loosest: PathExpression.Operation) -> PathExpression.Operation? {
        let start = at
        skipBlanks()
        guard at < bytes.count else { return nil }
        let op: PathExpression.Operation
        switch bytes[at] {
        case UInt8(ascii: "+"): op = .union
        case UInt8(ascii: "&"): op = .intersection
        case UInt8(ascii: "-"): op = .difference
        case UInt8(ascii: ")"): return nil
        default:
            guard at > start else { return nil }
            return .impliedUnion
        }
        if op.rawValue > loosest.rawValue {
            at = start
            return nil
        }
        at += 1
        return op
    }

    private mutating func expression(_ loosest: PathExpression.Operation) -> PathExpression? {
        guard var left = loosest == .impliedUnion ? operand() : expression(Self.tighter(loosest)) else { return nil }
        while let op = operation(loosest) {
            skipBlanks()
            guard let right = op == .impliedUnion ? operand() : expression(Self.tighter(op)) else { return nil }
            left = .pair(op, left, right)
        }
        return left
    }

    private static func tighter(_ op: PathExpression.Operation) -> PathExpression.Operation {
        PathExpression.Operation(rawValue: op.rawValue - 1) ?? .impliedUnion
    }

    private mutating func operand() -> PathExpression? {
        count += 1
        guard at < bytes.count, count < Self.maximalCount else { return nil }
        switch bytes[at] {
        case UInt8(ascii: "~"):
            at += 1
            skipBlanks()
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.maximalDepth, let e = operand() else { return nil }
            return PathExpression.not(e)
        case UInt8(ascii: "("):
            at += 1
            skipBlanks()
            depth += 1
            defer { depth -= 1 }
            guard depth < Self.maximalDepth, let e = expression(.difference) else { return nil }
            skipBlanks()
            guard at < bytes.count, bytes[at] == UInt8(ascii: ")") else { return nil }
            at += 1
            return e
        default: return atom()
        }
    }

    private mutating func atom() -> PathExpression? {
        let start = at
        var isQuoted: UInt8 = 0
        var braces = 0
        var brackets = 0
        while at < bytes.count {
            let c = bytes[at]
            if isQuoted != 0 {
                if c == UInt8(ascii: "\\") { at += 1 } else if c == isQuoted { isQuoted = 0 }
            } else if braces > 0 {
                switch c {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): isQuoted = c
                case UInt8(ascii: "{"): braces += 1
                case UInt8(ascii: "}"): braces -= 1
                default: break
                }
            } else if brackets > 0 {
                if c == UInt8(ascii: "]") { brackets = 0 }
            } else if c == UInt8(ascii: "{") {
                braces = 1
            } else if c == UInt8(ascii: "[") {
                brackets = 1
            } else if Self.isBlank(c) || "+&-()~".utf8.contains(c) {
                break
            }
            at += 1
        }
        at = min(at, bytes.count)
        guard at > start, braces == 0, brackets == 0 else { return nil }
        return .atom(String(decoding: bytes[start..<at], as: UTF8.self))
    }
}
