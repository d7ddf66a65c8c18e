public import AssetModel

/// Names that an output has otherwise than its source: told once, with the first of them and what became of it.
public struct RenameList: Sendable {
    private var seen = Set<String>()
    private var first: (name: String, made: String, path: String?)?

    public init() {}

    /// Notes what a name became; where it stayed as it was, or there was none, nothing is noted.
    ///
    /// - Parameter path: of the node whose name it is; without one the name counts once.
    public mutating func note(_ name: String, as made: String, at path: String?) {
        guard !name.isEmpty, name != made, seen.insert(path ?? name).inserted else { return }
        if first == nil { first = (name, made, path) }
    }

    /// Tells of the names where any changed.
    ///
    /// - Parameter what: whose names: `material`.
    public func report(_ what: String, code: String, file: String, severity: Severity = .warning, to diagnostics: inout Diagnostics) {
        guard let first else { return }
        let names = seen.count == 1 ? "another name" : "other names"
        let more = seen.count > 1 ? " and \(seen.count - 1) more" : ""
        diagnostics.add(
            Diagnostic(
                severity, code, "\(amount(seen.count, what)) written under \(names): '\(first.name)' as '\(first.made)'\(more)",
                at: SourceLocation(file: file, primPath: first.path)))
    }
}
