public import AssetModel

/// Finding the file that an asset names, the same way for every format.
public enum AssetLookup {
    /// How a file was found. Everything but the first is worth a warning.
    public enum Way: String, Sendable, Hashable, CaseIterable {
        case asWritten
        case slashes
        case percentDecoded
        case quotesStripped
        case openedFolder
        case letterCase
        case baseName
    }

    public struct Found: Sendable, Hashable {
        /// The exact path, to be opened by the resolver that was asked.
        public var path: String
        public var way: Way

        public init(path: String, way: Way) {
            self.path = path
            self.way = way
        }

        /// What to tell about it: nil where the path was right (escapes in a URI are right).
        public func warning(_ authored: String, at location: SourceLocation) -> Diagnostic? {
            let (code, how): (String, String)
            switch way {
            case .asWritten, .percentDecoded: return nil
            case .slashes: (code, how) = ("path.backslash", "with / for \\")
            case .quotesStripped: (code, how) = ("path.quotes", "without its quotes")
            case .openedFolder: (code, how) = ("path.other-folder", "from the folder of the opened file")
            case .letterCase: (code, how) = ("path.letter-case", "in another letter case")
            case .baseName: (code, how) = ("path.base-name", "by its name alone")
            }
            return Diagnostic(.warning, code, "'\(authored)' is not there as written, found \(how): \(path)", at: location)
        }
    }

    /// Looks for an asset in turn: as written, seen from the folder of the file that names it; with `\` as `/`, `%xx` decoded
    /// (where the format has escapes), quotes stripped; the same from the opened file's folder; each ignoring letter case;
    /// then the base name in both folders, likewise. A file within a package is only ever led to members of that package.
    ///
    /// - Parameters:
    ///   - authored: the path as the file has it; `file:` URIs are taken as the path they hold.
    ///   - namingFile: the file that names it, e.g. `a.usdz[b/c.usda]`.
    ///   - openedFile: the file the user asked for.
    ///   - packageRoot: where the naming file is in a package, the package's root layer: paths that do not begin with a dot are
    ///     seen from there as well.
    ///   - allowsBaseName: false leaves the last way out, which may lead to quite another file.
    public static func find(
        _ authored: String, from namingFile: String, opened openedFile: String, packageRoot: String? = nil, decodingPercent: Bool = false,
        allowsBaseName: Bool = true, in resolver: any AssetResolver
    ) -> Found? {
        guard !authored.isEmpty, authored.utf8.count <= 4096 else { return nil }
        var written = authored
        var isSomewhereElse = false
        switch AssetPath.scheme(authored) {
        case nil: break
        case "file": written = pathOfFileURI(authored)
        case "data", "anon": return nil
        // Not reachable, but a copy of the file may lie beside.
        default: isSomewhereElse = authored.contains("://")
        }

        var spellings: [(path: String, way: Way)] = [(written, .asWritten)]
        func respell(_ way: Way, _ change: (String) -> String) {
            guard let last = spellings.last?.path else { return }
            let changed = change(last)
            if changed != last, !changed.isEmpty { spellings.append((changed, way)) }
        }
        respell(.slashes) { String($0.map { $0 == "\\" ? "/" : $0 }) }
        if decodingPercent { respell(.percentDecoded, AssetPath.decodingPercent) }
        respell(.quotesStripped, strippingQuotes)

        var folders = [AssetPath.folder(namingFile)]
        let second: String
        if let (package, _) = AssetPath.splitMember(namingFile) {
            second = AssetPath.member("", of: package)
        } else {
            second = AssetPath.folder(openedFile)
        }
        // A place to search by the rules, not a way out.
        var searched: String?
        if let packageRoot, !written.hasPrefix(".") {
            let folder = AssetPath.folder(packageRoot)
            if folder != folders[0] {
                folders.append(folder)
                searched = folder
            }
        }
        if !folders.contains(second) { folders.append(second) }

        if !isSomewhereElse {
            for (f, folder) in folders.enumerated() {
                for (path, way) in spellings {
                    if let joined = AssetPath.join(folder, path), resolver.exists(joined) {
                        return Found(path: joined, way: f == 0 || folder == searched ? way : .openedFolder)
                    }
                }
            }
            for folder in folders {
                for (path, _) in spellings {
                    if let joined = AssetPath.join(folder, path), let match = ignoringCase(joined, resolver) {
                        return Found(path: match, way: .letterCase)
                    }
                }
            }
        }
        guard allowsBaseName else { return nil }
        let name = AssetPath.baseName(spellings.last?.path ?? written)
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        for folder in folders {
            if let joined = AssetPath.join(folder, name), resolver.exists(joined) { return Found(path: joined, way: .baseName) }
        }
        for folder in folders {
            if let joined = AssetPath.join(folder, name), let match = ignoringCase(joined, resolver) {
                return Found(path: match, way: .baseName)
            }
        }
        return nil
    }

    private static func pathOfFileURI(_ uri: String) -> String {
        var rest = uri.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            // An authority (`localhost`) ends at the next slash.
            rest = rest.firstIndex(of: "/").map { rest[$0...] } ?? rest
        }
        return AssetPath.decodingPercent(String(rest))
    }

    private static func strippingQuotes(_ path: String) -> String {
        var trimmed = Substring(path)
        while let first = trimmed.first, first == " " || first == "\t" { trimmed.removeFirst() }
        while let last = trimmed.last, last == " " || last == "\t" { trimmed.removeLast() }
        if trimmed.count >= 2, let first = trimmed.first, first == "\"" || first == "'", trimmed.last == first {
            trimmed = trimmed.dropFirst().dropLast()
        }
        return String(trimmed)
    }

    // MARK: Letter case

    /// The file at a path whose components may be in another letter case; of several the first in order.
    private static func ignoringCase(_ path: String, _ resolver: any AssetResolver) -> String? {
        // The match may be a folder.
        anything(path, resolver).flatMap { resolver.exists($0) ? $0 : nil }
    }

    private static func anything(_ path: String, _ resolver: any AssetResolver) -> String? {
        if let (package, member) = AssetPath.splitPackage(path), !member.isEmpty {
            guard let outer = resolver.exists(package) ? package : ignoringCase(package, resolver) else { return nil }
            let inner = AssetPath.asked(member, of: outer)
            if resolver.exists(inner) { return inner }
            guard AssetPath.splitPackage(member) == nil else { return nil }
            return match(inner, resolver, depth: 0)
        }
        return match(path, resolver, depth: 0)
    }

    private static func match(_ path: String, _ resolver: any AssetResolver, depth: Int) -> String? {
        guard depth < 64 else { return nil }
        let name = AssetPath.baseName(path)
        guard !name.isEmpty else { return nil }
        var place = AssetPath.folder(path)
        var names = resolver.names(in: place)
        if names.isEmpty {
            guard let other = match(place, resolver, depth: depth + 1) else { return nil }
            place = other
            names = resolver.names(in: other)
        }
        return names.ignoringCase(name).flatMap { AssetPath.join(place, $0) }
    }
}
