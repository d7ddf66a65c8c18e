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

    /// As a glob is matched: at a mismatch the last stretch takes one level more.
    func matches(_ lineage: Lineage) -> Bool {
        if isOfProperties { return false }
        var c = 0
        var n = 0
        var stretch = -1
        var resume = 0
        while n < lineage.names.count {
            if c < components.count {
                switch components[c] {
                case .stretch:
                    stretch = c
                    resume = n
                    c += 1
                    continue
                case .child(let glob, let predicate):
                    if glob?.matches(lineage.names[n]) ?? true, predicate?.holds(lineage.prims[n], lineage.facts) ?? true {
                        c += 1
                        n += 1
                        continue
                    }
                }
            }
            guard stretch >= 0 else { return false }
            resume += 1
            n = resume
            c = stretch + 1
        }
        while c < components.count, case .stretch = components[c] { c += 1 }
        return c == components.count
    }
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
        var p = 0
        var n = 0
        var many = -1
        var resume = 0
        while n < name.count {
            if p < pieces.count {
                var fits = false
                switch pieces[p] {
                case .many:
                    many = p
                    resume = n
                    p += 1
                    continue
                case .any: fits = true
                case .byte(let c): fits = c == name[n]
                case .oneOf(let ranges, let isNegated): fits = ranges.contains { $0.contains(name[n]) } != isNegated
                }
                if fits {
                    p += 1
                    n += 1
                    continue
                }
            }
            guard many >= 0 else { return false }
            resume += 1
            n = resume
            p = many + 1
        }
        while p < pieces.count, case .many = pieces[p] { p += 1 }
        return p == pieces.count
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
