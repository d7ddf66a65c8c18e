/// How much a diagnostic matters. `info` tells of a choice, `warning` of something lost, missing or repaired,
/// `error` of a result that could not be had.
public enum Severity: String, Comparable, Hashable, Sendable, CaseIterable {
    case info, warning, error

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .error: 2
        }
    }

    public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
}

/// One thing worth telling about an input or an output.
public struct Diagnostic: Hashable, Sendable {
    /// Stable, dotted, lower case: `usdc.token-count-mismatch`.
    public var code: String
    public var severity: Severity
    /// What was found and what was expected; lower case, no full stop.
    public var message: String
    public var location: SourceLocation
    /// Further lines for people.
    public var notes: [String]
    /// How often it was met.
    public var count: Int

    public init(
        _ severity: Severity, _ code: String, _ message: String, at location: SourceLocation, notes: [String] = [],
        count: Int = 1
    ) {
        self.code = code
        self.severity = severity
        self.message = message
        self.location = location
        self.notes = notes
        self.count = count
    }
}

/// The only error type that crosses from one room of the house to another.
public struct AssetError: Error, Hashable, Sendable {
    public var diagnostic: Diagnostic

    public init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }

    public init(_ code: String, _ message: String, at location: SourceLocation, notes: [String] = []) {
        diagnostic = Diagnostic(.error, code, message, at: location, notes: notes)
    }
}

/// The diagnostics that flow beside a result, in first-seen order. Equal ones (code, file, prim path, JSON pointer)
/// are merged into one entry with a count; past `capacity` distinct entries the rest is only counted.
public struct Diagnostics: Sendable {
    private struct Key: Hashable {
        var code: String
        var file: String
        var primPath: String?
        var pointer: String?
        var message: String?
    }

    public private(set) var entries: [Diagnostic] = []
    /// How many distinct diagnostics did not fit.
    public private(set) var omitted = 0
    public var capacity: Int
    private var index: [Key: Int] = [:]

    public init(capacity: Int = 1000) { self.capacity = capacity }

    public var isEmpty: Bool { entries.isEmpty }
    public var isTruncated: Bool { omitted > 0 }

    /// Adds a diagnostic. Entries with equal code and place are merged; where neither prim path nor pointer tells them
    /// apart, the message must be equal too.
    public mutating func add(_ diagnostic: Diagnostic) {
        var pointer: String?
        if case .jsonPointer(let p) = diagnostic.location.position { pointer = p }
        let key = Key(
            code: diagnostic.code, file: diagnostic.location.file, primPath: diagnostic.location.primPath,
            pointer: pointer, message: diagnostic.message)
        if let i = index[key] {
            entries[i].count += diagnostic.count
        } else if entries.count < capacity {
            index[key] = entries.count
            entries.append(diagnostic)
        } else {
            omitted += 1
        }
    }

    public mutating func add(_ other: Diagnostics) {
        for d in other.entries { add(d) }
        omitted += other.omitted
    }

    public mutating func info(_ code: String, _ message: String, at location: SourceLocation) {
        add(Diagnostic(.info, code, message, at: location))
    }

    public mutating func warning(_ code: String, _ message: String, at location: SourceLocation) {
        add(Diagnostic(.warning, code, message, at: location))
    }
}
