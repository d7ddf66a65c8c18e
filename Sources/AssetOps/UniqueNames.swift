/// Gives out names that are unique ignoring letter case and never take a name that the file itself uses.
///
/// All natural names are announced first; then each is asked for in order: the first who asks for a natural name has it,
/// the others get `name_2`, `name_3`, …
public struct UniqueNames: Sendable {
    private var natural = Set<String>()
    private var given = Set<String>()
    private var counters: [String: Int] = [:]

    public init() {}

    /// Says that a name occurs in the file.
    public mutating func announce(_ name: String) { natural.insert(name.lowercased()) }

    /// A name no other caller has got or will get.
    public mutating func unique(_ name: String) -> String {
        let key = name.lowercased()
        natural.insert(key)
        if given.insert(key).inserted { return name }
        return numbered(name, key)
    }

    private mutating func numbered(_ name: String, _ key: String) -> String {
        // `a_2` is made from `a` alone, and `a_2` as a natural name is passed over: made names need no remembering.
        var n = counters[key] ?? 1
        while true {
            n += 1
            if !natural.contains(key + "_\(n)") { break }
        }
        counters[key] = n
        return name + "_\(n)"
    }

    /// A name made for something whose own name others have, too. Unlike a natural name it yields to any that the file uses.
    public mutating func unique(made name: String) -> String {
        let key = name.lowercased()
        // What looks like a numbered name could be one that was given out: it gets a number of its own.
        let stem = key.utf8.reversed().drop { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        let looksNumbered = stem.first == UInt8(ascii: "_") && stem.count < key.utf8.count
        if !looksNumbered, natural.insert(key).inserted {
            given.insert(key)
            return name
        }
        return numbered(name, key)
    }

    /// The same for file names: the number goes before the extension.
    public mutating func uniqueFile(_ name: String) -> String {
        let (stem, ext) = splitExtension(name)
        let key = name.lowercased()
        if given.insert(key).inserted { return name }
        var n = counters[key] ?? 1
        while true {
            n += 1
            let made = "\(stem)_\(n)\(ext)"
            if !natural.contains(made.lowercased()), given.insert(made.lowercased()).inserted {
                counters[key] = n
                return made
            }
        }
    }
}

/// A name as a part of a node's path: a slash in it would begin another node.
public func pathPart(_ name: String) -> String {
    name.utf8.contains(UInt8(ascii: "/")) ? name.replacing("/", with: "_") : name
}

/// `wood.png` is `wood` and `.png`; the dot belongs to the extension.
public func splitExtension(_ name: String) -> (stem: String, ext: String) {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
}

/// A file name that every system takes: no separators, blanks, control or reserved characters, no leading dot or dash,
/// none of the names Windows keeps for devices, at most 100 bytes. The extension is kept.
public func safeFileName(_ name: String) -> String {
    var safe = ""
    for c in name.unicodeScalars {
        let isBad =
            c.value < 33 || c.value == 127 || c.properties.isWhitespace || c.properties.generalCategory == .control
            || c.properties.generalCategory == .format || "/\\:*?\"<>|#%".unicodeScalars.contains(c)
        safe.unicodeScalars.append(isBad ? "_" : c)
    }
    while let first = safe.first, first == "." || first == "-" { safe.removeFirst() }
    while let last = safe.last, last == "." { safe.removeLast() }
    var (stem, ext) = splitExtension(safe)
    let devices: Set<String> = ["con", "prn", "aux", "nul"]
    let lower = stem.lowercased()
    let isNumbered =
        lower.utf8.count == 4 && (lower.hasPrefix("com") || lower.hasPrefix("lpt")) && lower.utf8.last.map { $0 >= 48 && $0 <= 57 } == true
    if devices.contains(lower) || isNumbered { stem = "_" + stem }
    while stem.utf8.count > 100 { stem.removeLast() }
    while ext.utf8.count > 20 { ext.removeLast() }
    return stem.isEmpty ? "_" + ext : stem + ext
}
