import AssetModel

/// Reads membership expressions.
///
/// From tight to loose: `~`, blanks (a union), `+`, `&`, `-`. Operators of one rank group from the left.
struct CollectionExpressionParser {
    struct Failure: Error {
        var message: String
    }

    /// In order of rank, tightest first.
    private enum Operation: Int {
        case impliedUnion, union, intersection, difference
    }

    private let text: Substring.UTF8View
    private var at: Substring.UTF8View.Index
    private var depth = 0
    /// The prim that relative patterns are below, from the root.
    private let anchor: [Substring]
    /// The expression of a collection that this one names.
    private let resolve: (_ primPath: String, _ name: String) -> CollectionExpression

    init(_ text: String, anchor: String, resolve: @escaping (_ primPath: String, _ name: String) -> CollectionExpression) {
        self.text = Substring(text).utf8
        at = self.text.startIndex
        self.anchor = anchor.split(separator: "/")
        self.resolve = resolve
    }

    mutating func parse() throws(Failure) -> CollectionExpression {
        blanks()
        if at == text.endIndex { return .nothing }
        let result = try expression()
        if at < text.endIndex { throw unexpected() }
        return result
    }

    // MARK: Sets

    private mutating func expression() throws(Failure) -> CollectionExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 64 else { throw Failure(message: "parentheses nested deeper than 64") }
        var operands = [try factor()]
        var pending: [Operation] = []
        func reduce() {
            guard let op = pending.popLast(), let b = operands.popLast(), let a = operands.popLast() else { return }
            switch op {
            case .impliedUnion, .union: operands.append(.union(a, b))
            case .intersection: operands.append(.intersection(a, b))
            case .difference: operands.append(.difference(a, b))
            }
        }
        var count = 0
        while let op = operation() {
            count += 1
            guard count <= 10_000 else { throw Failure(message: "more than 10000 operators") }
            while let last = pending.last, last.rawValue <= op.rawValue { reduce() }
            pending.append(op)
            operands.append(try factor())
        }
        while !pending.isEmpty { reduce() }
        return operands.first ?? .nothing
    }

    private mutating func factor() throws(Failure) -> CollectionExpression {
        var isComplement = false
        blanks()
        if take("~") {
            isComplement = true
            blanks()
        }
        let inner: CollectionExpression
        if take("(") {
            inner = try expression()
            blanks()
            guard take(")") else { throw unexpected() }
        } else if take("%") {
            inner = try reference()
        } else {
            inner = .pattern(try pattern())
        }
        return isComplement ? .complement(inner) : inner
    }

    /// The operator between two operands; nil where the expression ends.
    private mutating func operation() -> Operation? {
        let start = at
        blanks()
        guard at < text.endIndex, text[at] != UInt8(ascii: ")") else { return nil }
        if take("+") { return .union }
        if take("&") { return .intersection }
        if take("-") { return .difference }
        return at > start ? .impliedUnion : nil
    }

    /// `%name:of`, `%/World:set`, `%:own`; `%_` is what weaker layers say, which is composed into the value already.
    private mutating func reference() throws(Failure) -> CollectionExpression {
        if take("_") { return .nothing }
        let start = at
        while at < text.endIndex, Self.isWord(text[at]) || text[at] == UInt8(ascii: "/") || text[at] == UInt8(ascii: ".") { next() }
        let path = String(Substring(text[start..<at]))
        guard take(":") else { throw unexpected() }
        let nameStart = at
        while at < text.endIndex, Self.isWord(text[at]) || text[at] == UInt8(ascii: ":") { next() }
        let name = String(Substring(text[nameStart..<at]))
        guard !name.isEmpty else { throw unexpected() }
        return resolve(absolute(path), name)
    }

    private func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        var parts = anchor
        for part in path.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    // MARK: Patterns

    private mutating func pattern() throws(Failure) -> PathPattern {
        var pattern = PathPattern()
        func add(_ name: Substring) { pattern.components.append(.child(Glob(name.utf8), nil)) }
        let start = at
        if !take("/") {
            var below = anchor
            while starts(with: "..") {
                next()
                next()
                _ = below.popLast()
                if !take("/") { break }
            }
            for name in below { pattern.components.append(.child(Self.exact(name), nil)) }
            if at == start, take(".") {
                guard starts(with: "//"), take("/") else { return pattern }
            }
        }
        // A slash is behind us, or a relative name follows.
        if at > start, take("/") { pattern.components.append(.stretch) }
        while at < text.endIndex {
            if take(".") {
                pattern.isOfProperties = true
                _ = try element()
                return pattern
            }
            guard let child = try element() else { break }
            pattern.components.append(child)
            guard starts(with: "/") else {
                if starts(with: ".") { continue }
                break
            }
            next()
            if take("/") { pattern.components.append(.stretch) }
        }
        if at == start { throw unexpected() }
        return pattern
    }

    private static func exact(_ name: Substring) -> Glob? {
        // Names of prims hold no wildcards.
        Glob(name.utf8)
    }

    /// A name, a predicate, or a name with a predicate; nil where there is none of them.
    private mutating func element() throws(Failure) -> PathPattern.Component? {
        let start = at
        while at < text.endIndex {
            let c = text[at]
            if c == UInt8(ascii: "[") {
                guard let close = text[at...].firstIndex(of: UInt8(ascii: "]")) else { throw unexpected() }
                at = text.index(after: close)
            } else if Self.isWord(c) || c == UInt8(ascii: "*") || c == UInt8(ascii: "?") || c == UInt8(ascii: ":") {
                next()
            } else {
                break
            }
        }
        let name = Substring(text[start..<at])
        var predicate: PrimPredicate?
        if take("{") {
            predicate = try self.predicate()
            blanks()
            guard take("}") else { throw unexpected() }
        }
        if name.isEmpty, predicate == nil { return nil }
        return .child(name.isEmpty ? nil : Glob(name.utf8), predicate)
    }

    // MARK: Predicates

    /// `or` binds loosest, then `and`, blanks (an `and`) and `not`.
    private mutating func predicate() throws(Failure) -> PrimPredicate {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 64 else { throw Failure(message: "parentheses nested deeper than 64") }
        var result = try conjunction()
        while word("or") { result = .or(result, try conjunction()) }
        return result
    }

    private mutating func conjunction() throws(Failure) -> PrimPredicate {
        var result = try negation()
        while true {
            if word("and") {
                result = .and(result, try negation())
                continue
            }
            blanks()
            guard at < text.endIndex, Self.isWord(text[at]) || text[at] == UInt8(ascii: "("), !peek("or") else { return result }
            result = .and(result, try negation())
        }
    }

    private mutating func negation() throws(Failure) -> PrimPredicate {
        var isNot = false
        while word("not") { isNot.toggle() }
        blanks()
        let inner: PrimPredicate
        if take("(") {
            inner = try predicate()
            blanks()
            guard take(")") else { throw unexpected() }
        } else {
            inner = .call(try call())
        }
        return isNot ? .not(inner) : inner
    }

    private mutating func call() throws(Failure) -> PredicateCall {
        let name = identifier()
        guard !name.isEmpty else { throw unexpected() }
        guard PredicateCall.known.contains(name) else { throw Failure(message: "the predicate '\(name)' is not one of those known") }
        var call = PredicateCall(name: name)
        if take(":") {
            repeat { call.arguments.append(("", try value())) } while take(",")
        } else if take("(") {
            blanks()
            while !take(")") {
                blanks()
                let start = at
                let key = identifier()
                blanks()
                if !key.isEmpty, take("=") {
                    blanks()
                    call.arguments.append((key, try value()))
                } else {
                    at = start
                    call.arguments.append(("", try value()))
                }
                blanks()
                _ = take(",")
                guard at < text.endIndex else { throw unexpected() }
            }
        }
        return call
    }

    private mutating func value() throws(Failure) -> String {
        if at < text.endIndex, text[at] == UInt8(ascii: "\"") || text[at] == UInt8(ascii: "'") {
            let quote = text[at]
            next()
            guard let close = text[at...].firstIndex(of: quote) else { throw unexpected() }
            let inside = String(Substring(text[at..<close]))
            at = text.index(after: close)
            return inside
        }
        let start = at
        let others = Array("*?[]-+.!:".utf8)
        while at < text.endIndex, Self.isWord(text[at]) || others.contains(text[at]) { next() }
        guard at > start else { throw unexpected() }
        return String(Substring(text[start..<at]))
    }

    private mutating func identifier() -> String {
        let start = at
        while at < text.endIndex, Self.isWord(text[at]) { next() }
        return String(Substring(text[start..<at]))
    }

    // MARK: Characters

    private mutating func next() { at = text.index(after: at) }

    private mutating func blanks() {
        while at < text.endIndex, text[at] == 0x20 || text[at] == 0x09 { next() }
    }

    private func starts(with word: StaticString) -> Bool {
        word.withUTF8Buffer { w in text[at...].starts(with: w) }
    }

    private mutating func take(_ word: StaticString) -> Bool {
        guard starts(with: word) else { return false }
        for _ in 0..<word.utf8CodeUnitCount { next() }
        return true
    }

    private func peek(_ word: StaticString) -> Bool {
        guard starts(with: word) else { return false }
        let end = text.index(at, offsetBy: word.utf8CodeUnitCount)
        return end == text.endIndex || !Self.isWord(text[end])
    }

    /// A word by itself, with the blanks before it.
    private mutating func word(_ word: StaticString) -> Bool {
        let start = at
        blanks()
        if peek(word) { return take(word) }
        at = start
        return false
    }

    private static func isWord(_ c: UInt8) -> Bool {
        c == UInt8(ascii: "_") || c >= 0x80 || (c | 0x20) >= UInt8(ascii: "a") && (c | 0x20) <= UInt8(ascii: "z")
            || c >= UInt8(ascii: "0") && c <= UInt8(ascii: "9")
    }

    private func unexpected() -> Failure {
        let offset = text.distance(from: text.startIndex, to: at)
        guard at < text.endIndex else { return Failure(message: "it ends too early") }
        return Failure(message: "found '\(Substring(text[at...]).prefix(1))' at byte \(offset)")
    }
}
