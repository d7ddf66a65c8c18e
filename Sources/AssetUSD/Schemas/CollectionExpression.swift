import AssetModel

/// The membership expression of a collection: patterns of paths, put together as sets (SdfPathExpression).
///
/// `/World//{isa:Mesh} - //Hidden*` holds the meshes below `/World` but those whose name begins with `Hidden`.
indirect enum CollectionExpression {
    case nothing
    case pattern(PathPattern)
    case complement(CollectionExpression)
    case union(CollectionExpression, CollectionExpression)
    case intersection(CollectionExpression, CollectionExpression)
    case difference(CollectionExpression, CollectionExpression)

    func includes(_ lineage: PathPattern.Lineage) -> Bool {
        switch self {
        case .nothing: false
        case .pattern(let pattern): pattern.matches(lineage)
        case .complement(let a): !a.includes(lineage)
        case .union(let a, let b): a.includes(lineage) || b.includes(lineage)
        case .intersection(let a, let b): a.includes(lineage) && b.includes(lineage)
        case .difference(let a, let b): a.includes(lineage) && !b.includes(lineage)
        }
    }
}

/// A pattern of prim paths: names with wildcards, `//` for any number of levels, `{…}` for what a prim must be.
struct PathPattern {
    enum Component {
        /// Any number of levels, none too.
        case stretch
        case child(Glob?, PrimPredicate?)
    }

    /// The prims from the root down to the one in question, with what predicates ask of them.
    struct Lineage {
        var names: [[UInt8]]
        var prims: [StagePrim]
        var facts: any PrimFactSource
    }

    var components: [Component] = []
    /// Patterns of properties match no prim.
    var isOfProperties = false

    func matches(_ lineage: Lineage) -> Bool {
        if isOfProperties { return false }
        return matchesWithStretches(components.count, lineage.names.count) { c in
            if case .stretch = components[c] { true } else { false }
        } fits: { c, n in
            guard case .child(let glob, let predicate) = components[c] else { return false }
            return glob?.matches(lineage.names[n]) ?? true && predicate?.holds(lineage.prims[n], lineage.facts) ?? true
        }
    }
}

/// Whether a pattern of pieces matches all of a row of items. A stretch stands for any number of items; every other piece for
/// one that it fits. At a mismatch the last stretch takes one item more.
private func matchesWithStretches(_ pieces: Int, _ items: Int, isStretch: (Int) -> Bool, fits: (_ piece: Int, _ item: Int) -> Bool) -> Bool {
    var p = 0
    var n = 0
    var stretch = -1
    var resume = 0
    while n < items {
        if p < pieces {
            if isStretch(p) {
                stretch = p
                resume = n
                p += 1
                continue
            }
            if fits(p, n) {
                p += 1
                n += 1
                continue
            }
        }
        guard stretch >= 0 else { return false }
        resume += 1
        n = resume
        p = stretch + 1
    }
    while p < pieces, isStretch(p) { p += 1 }
    return p == pieces
}

/// A name with `*`, `?` and `[a-z]`.
struct Glob {
    private enum Piece {
        case byte(UInt8)
        case any, many
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)
    }
    private var pieces: [Piece] = []

    init(_ text: Substring.UTF8View) {
        var i = text.startIndex
        while i < text.endIndex {
            let c = text[i]
            i = text.index(after: i)
            switch c {
            case UInt8(ascii: "*"): pieces.append(.many)
            case UInt8(ascii: "?"): pieces.append(.any)
            case UInt8(ascii: "["):
                guard let set = Self.set(text, &i) else {
                    pieces.append(.byte(c))
                    break
                }
                pieces.append(set)
            default: pieces.append(.byte(c))
            }
        }
    }

    /// What stands in brackets; nil where they do not close.
    private static func set(_ text: Substring.UTF8View, _ i: inout Substring.UTF8View.Index) -> Piece? {
        guard let close = text[i...].dropFirst().firstIndex(of: UInt8(ascii: "]")) else { return nil }
        var inside = Array(text[i..<close])
        i = text.index(after: close)
        var isNegated = false
        if let first = inside.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "^"), inside.count > 1 {
            isNegated = true
            inside.removeFirst()
        }
        var ranges: [ClosedRange<UInt8>] = []
        var k = 0
        while k < inside.count {
            if k + 2 < inside.count, inside[k + 1] == UInt8(ascii: "-") {
                if inside[k] <= inside[k + 2] { ranges.append(inside[k]...inside[k + 2]) }
                k += 3
            } else {
                ranges.append(inside[k]...inside[k])
                k += 1
            }
        }
        return .oneOf(ranges, isNegated: isNegated)
    }

    func matches(_ name: [UInt8]) -> Bool {
        matchesWithStretches(pieces.count, name.count) { p in
            if case .many = pieces[p] { true } else { false }
        } fits: { p, n in
            switch pieces[p] {
            case .any, .many: true
            case .byte(let c): c == name[n]
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(name[n]) } != isNegated
            }
        }
    }
}

/// What predicates ask about prims.
protocol PrimFactSource {
    func holds(_ call: PredicateCall, _ prim: StagePrim) -> Bool
}

/// What stands in braces: `isa:Mesh and not abstract`.
indirect enum PrimPredicate {
    case call(PredicateCall)
    case not(PrimPredicate)
    case and(PrimPredicate, PrimPredicate)
    case or(PrimPredicate, PrimPredicate)

    func holds(_ prim: StagePrim, _ facts: any PrimFactSource) -> Bool {
        switch self {
        case .call(let call): facts.holds(call, prim)
        case .not(let a): !a.holds(prim, facts)
        case .and(let a, let b): a.holds(prim, facts) && b.holds(prim, facts)
        case .or(let a, let b): a.holds(prim, facts) || b.holds(prim, facts)
        }
    }
}

/// A question with its arguments: `kind(component, strict=true)`, `isa:Mesh,Points`, `model`.
struct PredicateCall {
    var name: String
    var arguments: [(name: String, value: String)] = []

    /// Those that `UsdCollectionAPI` knows.
    static let known: Set<String> = ["abstract", "defined", "model", "group", "kind", "specifier", "isa", "hasAPI", "variant"]

    /// The first argument as a yes or no; yes where there is none.
    var flag: Bool { arguments.first.map { Self.flag($0.value) } ?? true }
    var isStrict: Bool { arguments.first { $0.name == "strict" }.map { Self.flag($0.value) } ?? false }
    var words: [String] { arguments.filter(\.name.isEmpty).map(\.value) }

    static func flag(_ text: String) -> Bool { text == "true" || ["1", "y", "Y"].contains { text.hasPrefix($0) } }
}
