/// The variables that expressions in asset paths and variant selections may use.
struct ExpressionVariables: Hashable {
    enum Value: Hashable {
        case none
        case bool(Bool)
        case int(Int64)
        case string(String)
        case list([Value])
        /// Of a type that expressions do not know: using it is an error.
        case unsupported

        fileprivate var kind: String {
            switch self {
            case .unsupported: "unsupported"
            case .none: "None"
            case .bool: "bool"
            case .int: "int"
            case .string: "string"
            case .list: "list"
            }
        }
    }

    private(set) var values: [String: Value] = [:]

    init() {}

    /// From a layer's `expressionVariables` dictionary.
    init(_ field: USDValue?) {
        guard let field, let resolved = try? field.resolved(), case .dictionary(let d) = resolved else { return }
        for (key, value) in d.entries {
            values[key] = Self.convert(value) ?? .unsupported
        }
    }

    private static func convert(_ value: USDValue) -> Value? {
        guard let value = try? value.resolved() else { return nil }
        switch value {
        case .string(let s): return .string(s)
        case .bool(let b): return .bool(b)
        case .int(let i): return .int(Int64(i))
        case .uint(let i): return .int(Int64(i))
        case .int64(let i): return .int(i)
        case .uint64(let i): return Int64(exactly: i).map { .int($0) }
        case .block: return Value.none
        case .strings(let s): return .list(s.map { .string($0) })
        case .array(let a):
            switch a.storage {
            case .string(let s): return .list(s.map { .string($0) })
            case .int(let s): return .list(s.map { .int(Int64($0)) })
            case .int64(let s): return .list(s.map { .int($0) })
            case .bytes(let s) where a.type == .bool: return .list(s.map { .bool($0 != 0) })
            default: return nil
            }
        default: return nil
        }
    }

    /// Lets stronger variables win.
    mutating func override(with stronger: ExpressionVariables) {
        if values.isEmpty { values = stronger.values } else { values.merge(stronger.values) { $1 } }
    }

    /// The text an expression stands for: `None` is the empty string.
    func evaluateString(_ text: String) -> Result<String, ExpressionError> {
        var evaluator = ExpressionText(text, self)
        do {
            switch try evaluator.evaluateAll() {
            case .string(let s): return .success(s)
            case .none: return .success("")
            case let v: return .failure(ExpressionError("a string was expected, found \(v.kind)"))
            }
        } catch {
            return .failure(error)
        }
    }
}

struct ExpressionError: Error {
    var message: String
    init(_ message: String) { self.message = message }
}

/// Evaluates variable expressions as OpenUSD's `SdfVariableExpression` does: strings with `${NAME}` inside, bare
/// `${NAME}` and `${NAME:fallback}`, numbers, booleans, `None`, lists, and the functions if, and, or, not, eq, neq, lt, leq, gt, geq, contains,
/// at, len, defined.
struct ExpressionText {
    typealias Value = ExpressionVariables.Value

    private let bytes: [UInt8]
    private let variables: ExpressionVariables
    private var at = 0
    /// Nesting of brackets.
    private var depth = 0
    /// The variables whose expressions this one is part of, the outermost first.
    private var open: [String] = []
    /// Values of variables that hold expressions: each is found once, however often it is named.
    private let known: KnownValues

    private final class KnownValues {
        var values: [String: Value] = [:]
    }

    /// Variables within variables go no deeper than this.
    private static let deepest = 200
    /// An expression gives no more bytes than this: variables that are named twice by others double what they hold.
    private static let longest = 1 << 20

    /// Whether a text is an expression: it stands between backquotes.
    static func isExpression(_ text: String) -> Bool {
        let u = text.utf8
        return u.count > 2 && u.first == UInt8(ascii: "`") && u.last == UInt8(ascii: "`")
    }

    private var allowsVariables = true

    private init(bytes: [UInt8], _ variables: ExpressionVariables, at: Int) {
        self.bytes = bytes
        self.variables = variables
        self.at = at
        known = KnownValues()
    }

    init(_ text: String, _ variables: ExpressionVariables) { self.init(text, variables, [], KnownValues()) }

    private init(_ text: String, _ variables: ExpressionVariables, _ open: [String], _ known: KnownValues) {
        bytes = Array(text.utf8.dropFirst().dropLast())
        self.variables = variables
        self.open = open
        self.known = known
    }

    mutating func evaluateAll() throws(ExpressionError) -> Value {
        guard let v = try value(live: true) else { return .none }
        guard at == bytes.count else { throw ExpressionError("unexpected text at character \(at + 1)") }
        return v
    }

    private func peek() -> UInt8 { at < bytes.count ? bytes[at] : 0 }

    private mutating func skipBlanks() {
        while at < bytes.count, bytes[at] == 32 || bytes[at] == 9 { at += 1 }
    }

    /// Nil only where `live` is false: the text is checked but nothing is evaluated.
    private mutating func value(live: Bool) throws(ExpressionError) -> Value? {
        depth += 1
        defer { depth -= 1 }
        guard depth < 64 else { throw ExpressionError("nested too deep") }
        let c = peek()
        switch c {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return try string(c, live)
        case UInt8(ascii: "$"):
            let (name, fallback) = try reference()
            return live ? try variable(name, fallback) : nil
        case UInt8(ascii: "["): return try list(live)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = at
            at += 1
            while at < bytes.count, bytes[at] >= 48, bytes[at] <= 57 { at += 1 }
            let text = String(decoding: bytes[start..<at], as: UTF8.self)
            guard text != "-" else { throw ExpressionError("unexpected expression at character \(start + 1)") }
            guard let i = Int64(text) else { throw ExpressionError("integer \(text) out of range") }
            return .int(i)
        default:
            let start = at
            while at < bytes.count, isNamePart(bytes[at]) { at += 1 }
            let word = String(decoding: bytes[start..<at], as: UTF8.self)
            switch word {
            case "True", "true": return .bool(true)
            case "False", "false": return .bool(false)
            case "None", "none": return Value.none
            case "": throw ExpressionError("unexpected expression at character \(at + 1)")
            default: return try call(word, live)
            }
        }
    }

    private func isNamePart(_ c: UInt8) -> Bool {
        c == 95 || (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122)
    }

    /// `${NAME}` or `${NAME:fallback}`, which stands for the fallback where there is no such variable.
    private mutating func reference() throws(ExpressionError) -> (name: String, fallback: Value?) {
        at += 1
        guard peek() == UInt8(ascii: "{") else { throw ExpressionError("'{' expected at character \(at + 1)") }
        at += 1
        let start = at
        while at < bytes.count, isNamePart(bytes[at]) { at += 1 }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        guard let first = name.utf8.first, first < 48 || first > 57 else {
            throw ExpressionError("variables must be identifiers, at character \(start + 1)")
        }
        var fallback: Value?
        if peek() == UInt8(ascii: ":") {
            at += 1
            fallback = try self.fallback()
        }
        guard peek() == UInt8(ascii: "}") else { throw ExpressionError("'}' expected at character \(at + 1)") }
        at += 1
        return (name, fallback)
    }

    /// A plain string, number or boolean, or a list of such.
    private mutating func fallback() throws(ExpressionError) -> Value {
        let start = at
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            var inner = ExpressionText(bytes: bytes, ExpressionVariables(), at: at)
            inner.allowsVariables = false
            guard let v = try inner.string(peek(), true) else { break }
            at = inner.at
            return v
        case UInt8(ascii: "["), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: "F"),
            UInt8(ascii: "f"):
            var inner = ExpressionText(bytes: bytes, ExpressionVariables(), at: at)
            inner.allowsVariables = false
            guard let v = try inner.value(live: true) else { break }
            at = inner.at
            return v
        default: break
        }
        throw ExpressionError("expected a fallback value after ':' at character \(start)")
    }

    private func variable(_ name: String, _ fallback: Value?) throws(ExpressionError) -> Value {
        guard let v = variables.values[name] else {
            if let fallback { return fallback }
            throw ExpressionError("no value for variable '\(name)'")
        }
        if v == .unsupported { throw ExpressionError("variable '\(name)' has a type that expressions do not know") }
        if case .string(let s) = v, Self.isExpression(s) {
            if let value = known.values[name] { return value }
            guard !open.contains(name) else { throw ExpressionError("variable '\(name)' leads back to itself") }
            guard open.count < Self.deepest else { throw ExpressionError("more than \(Self.deepest) variables within each other") }
            var inner = ExpressionText(s, variables, open + [name], known)
            let value = try inner.evaluateAll()
            known.values[name] = value
            return value
        }
        return v
    }

    private mutating func string(_ quote: UInt8, _ live: Bool) throws(ExpressionError) -> Value? {
        at += 1
        var out: [UInt8] = []
        while at < bytes.count, bytes[at] != quote {
            let c = bytes[at]
            if c == UInt8(ascii: "\\"), at + 1 < bytes.count {
                at += 1
                switch bytes[at] {
                case UInt8(ascii: "n"): out.append(10)
                case UInt8(ascii: "t"): out.append(9)
                case UInt8(ascii: "r"): out.append(13)
                case let other: out.append(other)
                }
                at += 1
            } else if c == UInt8(ascii: "$"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "{") {
                guard allowsVariables else { throw ExpressionError("no variables in fallback strings, at character \(at + 1)") }
                let (name, fallback) = try reference()
                guard live else { continue }
                guard variables.values[name] != nil || fallback != nil else {
                    // OpenUSD leaves unknown ones as they are.
                    out.append(contentsOf: "${\(name)}".utf8)
                    continue
                }
                switch try variable(name, fallback) {
                case .string(let s):
                    out.append(contentsOf: s.utf8)
                    guard out.count <= Self.longest else { throw ExpressionError("more than \(Self.longest) bytes") }
                case .none: break
                case let v: throw ExpressionError("a string was expected for variable '\(name)', found \(v.kind)")
                }
            } else {
                out.append(c)
                at += 1
            }
            guard out.count < 1 << 20 else { throw ExpressionError("the text is too long") }
        }
        guard at < bytes.count else { throw ExpressionError("missing ending quote") }
        at += 1
        return .string(String(decoding: out, as: UTF8.self))
    }

    /// Values between brackets; `isLoose` allows blanks next to the brackets.
    private mutating func items(_ end: UInt8, isLoose: Bool, _ live: (Int, [Value?]) -> Bool) throws(ExpressionError) -> [Value?] {
        at += 1
        var out: [Value?] = []
        if isLoose { skipBlanks() }
        if peek() == end {
            at += 1
            return out
        }
        while true {
            out.append(try value(live: live(out.count, out)))
            let behind = at
            skipBlanks()
            let c = peek()
            if c == end, isLoose || at == behind {
                at += 1
                return out
            }
            guard c == UInt8(ascii: ",") else { throw ExpressionError("missing ending '\(UnicodeScalar(end))' at character \(behind + 1)") }
            at += 1
            skipBlanks()
        }
    }

    private mutating func list(_ live: Bool) throws(ExpressionError) -> Value? {
        let found = try items(UInt8(ascii: "]"), isLoose: false) { _, _ in live }
        guard live else { return nil }
        var out: [Value] = []
        for v in found {
            guard let v, v.kind != "list", out.isEmpty || out[0].kind == v.kind else { throw ExpressionError("list elements of different types") }
            out.append(v)
        }
        return .list(out)
    }

    private mutating func call(_ name: String, _ live: Bool) throws(ExpressionError) -> Value? {
        let known = ["if", "and", "or", "not", "eq", "neq", "lt", "leq", "gt", "geq", "contains", "at", "len", "defined"]
        guard known.contains(name) else { throw ExpressionError("unknown function \(name)") }
        skipBlanks()
        guard peek() == UInt8(ascii: "(") else { throw ExpressionError("'(' expected at character \(at + 1)") }
        let args = try items(UInt8(ascii: ")"), isLoose: true) { index, sofar in
            guard live else { return false }
            switch name {
            case "if": return index == 0 || sofar.first.map { ($0 == .bool(true)) == (index == 1) } ?? false
            // What cannot change the answer is not evaluated.
            case "and": return !sofar.contains(.bool(false))
            case "or": return !sofar.contains(.bool(true))
            default: return true
            }
        }
        guard live else { return nil }
        func bool(_ v: Value?) throws(ExpressionError) -> Bool {
            guard case .bool(let b)? = v else { throw ExpressionError("\(name): a boolean was expected") }
            return b
        }
        func need(_ n: ClosedRange<Int>) throws(ExpressionError) {
            guard n.contains(args.count) else { throw ExpressionError("\(name): \(args.count) arguments") }
        }
        switch name {
        case "if":
            try need(2...3)
            if try bool(args[0]) { return args[1] ?? Value.none }
            return args.count == 3 ? args[2] ?? Value.none : Value.none
        case "and", "or":
            try need(2...1024)
            for a in args {
                guard let a else { break }
                let b = try bool(a)
                if b != (name == "and") { return .bool(b) }
            }
            return .bool(name == "and")
        case "not":
            try need(1...1)
            return .bool(!(try bool(args[0])))
        case "defined":
            try need(1...1024)
            for a in args {
                guard case .string(let s)? = a else { throw ExpressionError("defined: a name was expected") }
                if variables.values[s] == nil { return .bool(false) }
            }
            return .bool(true)
        case "len":
            try need(1...1)
            switch args[0] {
            case .string(let s)?: return .int(Int64(s.utf8.count))
            case .list(let l)?: return .int(Int64(l.count))
            default: throw ExpressionError("len: a string or list was expected")
            }
        case "contains":
            try need(2...2)
            switch (args[0], args[1]) {
            case (.string(let s)?, .string(let part)?): return .bool(s.contains(part))
            case (.list(let l)?, let v?):
                if let first = l.first, first.kind != v.kind { throw ExpressionError("contains: the list holds no values of type \(v.kind)") }
                return .bool(l.contains(v))
            default: throw ExpressionError("contains: a string or list was expected")
            }
        case "at":
            try need(2...2)
            guard case .int(let i)? = args[1] else { throw ExpressionError("at: an index was expected") }
            func index(_ n: Int) throws(ExpressionError) -> Int {
                let k = i < 0 ? Int64(n).addingReportingOverflow(i).partialValue : i
                guard k >= 0, k < Int64(n) else { throw ExpressionError("at: index out of range") }
                return Int(k)
            }
            switch args[0] {
            case .string(let s)?:
                let u = Array(s.utf8)
                return .string(String(decoding: [u[try index(u.count)]], as: UTF8.self))
            case .list(let l)?: return l[try index(l.count)]
            default: throw ExpressionError("at: a string or list was expected")
            }
        default:
            try need(2...2)
            guard let a = args[0], let b = args[1], a.kind == b.kind, a.kind != "list" else {
                throw ExpressionError("\(name): cannot compare values of different types")
            }
            let order: Int
            switch (a, b) {
            case (.int(let x), .int(let y)): order = x < y ? -1 : x > y ? 1 : 0
            case (.string(let x), .string(let y)): order = x == y ? 0 : x.utf8.lexicographicallyPrecedes(y.utf8) ? -1 : 1
            case (.bool(let x), .bool(let y)): order = x == y ? 0 : x ? 1 : -1
            default: order = 0
            }
            if a == .none, name != "eq", name != "neq" { throw ExpressionError("\(name): None cannot be compared") }
            switch name {
            case "eq": return .bool(order == 0)
            case "neq": return .bool(order != 0)
            case "lt": return .bool(order < 0)
            case "leq": return .bool(order <= 0)
            case "gt": return .bool(order > 0)
            default: return .bool(order >= 0)
            }
        }
    }
}
