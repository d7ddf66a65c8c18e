import AssetIO

/// The words for an asset that is not there, with what explains it.
enum MissingAsset {
    /// - Parameters:
    ///   - authored: what the layer says, which may be an expression.
    ///   - path: what was looked for.
    ///   - namingFile: the layer that names it.
    static func message(
        _ role: String, _ path: String, authored: String, _ variables: ExpressionVariables, namedBy namingFile: String
    ) -> String {
        var text = "\(role) '\(path)' not found"
        if ExpressionText.isExpression(authored) {
            let undefined = variables.undefinedNames(in: authored)
            if let first = undefined.first {
                text += undefined.count == 1 ? ": variable '\(first)' has no value" : ": variables \(quoted(undefined)) have no value"
            }
        }
        if AssetPath.splitMember(namingFile) != nil { text += "; a package is not led outside itself" }
        return text
    }

    private static func quoted(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
}

extension ExpressionVariables {
    /// The variables that a text names as `${NAME}`, without a fallback, and that have no value; each once, in order.
    func undefinedNames(in text: String) -> [String] {
        var names: [String] = []
        var rest = Substring(text)
        while let open = rest.firstRange(of: "${") {
            rest = rest[open.upperBound...]
            let name = rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
            let end = rest[name.endIndex...].first
            if end == "}", !name.isEmpty, values[String(name)] == nil, !names.contains(String(name)) { names.append(String(name)) }
        }
        return names
    }
}
