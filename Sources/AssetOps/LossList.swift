public import AssetModel

/// Counts what an output cannot hold, by kind: each is told once, with the first place and the names.
public struct LossList: Sendable {
    private struct Entry: Sendable {
        var count = 0
        var path: String
        var names: [String] = []
        var seen = Set<String>()

        init(path: String) { self.path = path }

        mutating func note(_ name: String?, _ more: Int) {
            if let name {
                guard seen.insert(name).inserted else { return }
                if names.count < 8 { names.append(name) }
            }
            count += more
        }
    }
    private var entries: [String: Entry] = [:]

    public init() {}

    /// Notes a loss.
    /// - Parameters:
    ///   - kind: the last part of the code: `materials`.
    ///   - path: where it was met.
    ///   - name: what is lost; each name counts once.
    public mutating func note(_ kind: String, at path: String, name: String? = nil, count: Int = 1) {
        entries[kind, default: Entry(path: path)].note(name, count)
    }

    public func count(_ kind: String) -> Int { entries[kind]?.count ?? 0 }

    /// The names noted: `'a', 'b' and 3 more`.
    public func names(_ kind: String) -> String {
        guard let entry = entries[kind] else { return "" }
        let more = entry.seen.count - entry.names.count
        return entry.names.map { "'\($0)'" }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// Tells of a kind where there was any; `message` gets the count.
    public func report(
        _ kind: String, code: String, file: String, severity: Severity = .warning, to diagnostics: inout Diagnostics, _ message: (Int) -> String
    ) {
        guard let entry = entries[kind], entry.count > 0 else { return }
        diagnostics.add(Diagnostic(severity, "\(code).\(kind)", message(entry.count), at: SourceLocation(file: file, primPath: entry.path)))
    }
}
