/// Paths of assets as text: folders, names, joins, and members of packages (`a.usdz[b/c.png]`, nested
/// `a.usdz[b.usdz[c.usda]]`). The folder of a member is written with brackets too: `a.usdz[b]`, at the top `a.usdz[]`. Brackets that
/// belong to a member's name stand behind a backslash (`a.usdz[b\[1\].png]`), as OpenUSD writes them; members' names hold no others.
public enum AssetPath {
    // MARK: Packages

    /// The outermost package and what is asked of it, as it is written: `a.usdz[b.usdz[c.usda]]` is `a.usdz` and `b.usdz[c.usda]`.
    public static func splitPackage(_ path: String) -> (package: String, member: String)? {
        let bytes = path.utf8
        guard bytes.last == UInt8(ascii: "]"), bytes.count <= longestPath, !isEscaped(bytes.index(before: bytes.endIndex), bytes) else { return nil }
        var depth = 0
        var i = bytes.endIndex
        while i > bytes.startIndex {
            i = bytes.index(before: i)
            if bytes[i] == UInt8(ascii: "]"), !isEscaped(i, bytes) {
                depth += 1
                if depth > mostNested { return nil }
            } else if bytes[i] == UInt8(ascii: "["), !isEscaped(i, bytes) {
                depth -= 1
                if depth == 0 {
                    guard i > bytes.startIndex else { return nil }
                    return (String(path[..<i]), String(path[bytes.index(after: i)..<bytes.index(before: bytes.endIndex)]))
                }
            }
        }
        return nil
    }

    /// What nests deeper, or is longer, is no path into a package: nothing that can be opened is, and taking it apart would take the
    /// third power of its brackets.
    private static let mostNested = 32
    private static let longestPath = 16 << 10

    private static func isEscaped(_ i: String.Index, _ bytes: String.UTF8View) -> Bool {
        i > bytes.startIndex && bytes[bytes.index(before: i)] == UInt8(ascii: "\\")
    }

    /// The innermost package and the member's own name: `a.usdz[b.usdz[c.usda]]` is `a.usdz[b.usdz]` and `c.usda`.
    public static func splitMember(_ path: String) -> (package: String, member: String)? {
        guard var (package, member) = splitPackage(path) else { return nil }
        while let (inner, rest) = splitPackage(member) {
            package = written(inner, of: package)
            member = rest
        }
        return (package, withoutEscapes(member))
    }

    /// The path of a member: `b` of `a.usdz` is `a.usdz[b]`, `c` of `a.usdz[b.usdz]` is `a.usdz[b.usdz[c]]`.
    public static func member(_ name: String, of package: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else { return written(name, of: package) }
        return written(name.replacing("[", with: "\\[").replacing("]", with: "\\]"), of: package)
    }

    /// What is asked of a package, as `splitPackage` gives it: `b.usdz[c]` of `a.usdz` is `a.usdz[b.usdz[c]]`. Brackets of names
    /// that stand as they are get their backslashes.
    public static func asked(_ member: String, of package: String) -> String {
        // Names in names that nobody writes would be taken apart and put together again and again.
        guard member.utf8.count <= 512 else { return written(member, of: package) }
        guard let (inner, rest) = splitPackage(member) else { return self.member(withoutEscapes(member), of: package) }
        return asked(rest, of: self.member(withoutEscapes(inner), of: package))
    }

    private static func written(_ member: String, of package: String) -> String {
        guard let (outer, inner) = splitPackage(package) else { return "\(package)[\(member)]" }
        return "\(outer)[\(written(member, of: inner))]"
    }

    /// The name of a member that stands in a path.
    static func withoutEscapes(_ member: String) -> String {
        guard member.utf8.contains(UInt8(ascii: "\\")) else { return member }
        return member.replacing("\\[", with: "[").replacing("\\]", with: "]")
    }

    // MARK: Names

    /// The folder, without a closing slash: `a/b.png` gives `a`, `b.png` gives the empty string, `/b` gives `/`,
    /// `a.usdz[b.png]` gives `a.usdz[]`.
    public static func folder(_ path: String) -> String {
        if let (package, member) = splitMember(path) { return self.member(folder(plain: member), of: package) }
        return folder(plain: path)
    }

    private static func folder(plain path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last component: `a/b.png` and `x.usdz[a/b.png]` give `b.png`.
    public static func baseName(_ path: String) -> String {
        let name = splitMember(path)?.member ?? path
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
        return String(name[name.utf8.index(after: slash)...])
    }

    /// The extension in lower case without dot, empty where there is none: `A.PNG` gives `png`, `.hidden` none.
    public static func fileExtension(_ path: String) -> String {
        let name = baseName(path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
        return name[name.utf8.index(after: dot)...].lowercased()
    }

    /// The base name without its extension.
    public static func stem(_ path: String) -> String {
        let name = baseName(path)
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }

    public static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    /// The scheme of a URI in lower case (`file`, `data`, `https`); nil for plain paths and for drive letters (`C:\a`).
    public static func scheme(_ path: String) -> String? {
        guard let colon = path.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = path[..<colon]
        guard scheme.utf8.count >= 2, let first = scheme.utf8.first, first | 0x20 >= 97, first | 0x20 <= 122 else { return nil }
        for byte in scheme.utf8 {
            let isLetter = byte | 0x20 >= 97 && byte | 0x20 <= 122
            guard isLetter || (48...57).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E else { return nil }
        }
        return scheme.lowercased()
    }

    // MARK: Joining

    /// A path seen from a folder, made plain (no `.`, no `a/..`). Absolute paths stay as they are outside packages. From a
    /// folder within a package nothing leads out: nil for absolute paths and for `..` beyond the package's top.
    public static func join(_ folder: String, _ path: String) -> String? {
        // Only the outermost part is seen from the folder: what is in brackets belongs to the package named there.
        if let (package, member) = splitPackage(path) {
            guard let outer = join(folder, package) else { return nil }
            return asked(member, of: outer)
        }
        if let (package, inner) = splitMember(folder) {
            guard !isAbsolute(path), let joined = normalise(inner.isEmpty ? path : inner + "/" + path, isInPackage: true) else {
                return nil
            }
            return member(joined, of: package)
        }
        if isAbsolute(path) || folder.isEmpty { return normalise(path, isInPackage: false) }
        return normalise(folder.hasSuffix("/") ? folder + path : folder + "/" + path, isInPackage: false)
    }

    /// The same place with fewer words: without `.`, empty components and `a/..`. A leading `..` stays.
    public static func normalise(_ path: String) -> String {
        if let (package, member) = splitMember(path) {
            return self.member(normalise(member, isInPackage: true) ?? member, of: normalise(package))
        }
        return normalise(path, isInPackage: false) ?? path
    }

    private static func normalise(_ path: String, isInPackage: Bool) -> String? {
        let isAbsolute = isAbsolute(path)
        var parts: [Substring] = []
        for part in path.split(separator: "/", omittingEmptySubsequences: true) where part != "." {
            if part == ".." {
                if let last = parts.last, last != ".." {
                    parts.removeLast()
                    continue
                }
                if isInPackage { return nil }
                if isAbsolute { continue }
            }
            parts.append(part)
        }
        let joined = parts.joined(separator: "/")
        return isAbsolute ? "/" + joined : joined
    }

    /// `%xx` taken as the byte it stands for; what is no escape stays.
    public static func decodingPercent(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
        let bytes = Array(path.utf8)
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var i = 0
        while i < bytes.count {
            if bytes[i] == UInt8(ascii: "%"), i + 2 < bytes.count, let high = hexValue(bytes[i + 1]), let low = hexValue(bytes[i + 2]),
                high | low != 0
            {
                out.append(high << 4 | low)
                i += 3
            } else {
                out.append(bytes[i])
                i += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
