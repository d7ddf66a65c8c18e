import AssetIO
import AssetModel

/// The paths of a crate file as a tree.
struct CratePaths {
    /// By path index: the parent's path index, -1 for `/` and undefined ones.
    var parents = NumberTable(0)
    /// By path index: the crate token of the last element.
    var elements = NumberTable(0)
    /// Path indices, parents first, a subtree in one piece.
    private(set) var order = NumberTable(0)
    private(set) var count = 0

    init() {}

    /// Room for paths with indices below `count`, and for `items` of them.
    init(count: Int, items: Int) {
        let tables = NumberTable.together([count, count, items])
        (parents, elements, order) = (tables[0], tables[1], tables[2])
    }

    mutating func append(_ index: Int32) {
        order[count] = index
        count += 1
    }
}

extension CrateFile {
    /// Reads the PATHS section into `paths`.
    func readPaths() throws(AssetError) -> CratePaths {
        var at = try cursor(.paths)
        let countOffset = at.offset
        let count = try at.next(UInt64.self)
        guard count <= UInt64(Int32.max) else { throw bytes.error(.paths, countOffset, "\(amount(count, "path"))") }
        pathCount = Int(count)
        return version < CrateVersion(0, 4, 0) ? try readPathItems(&at, pathCount) : try readPackedPaths(&at, pathCount)
    }

    // MARK: Since 0.4.0: three packed arrays

    private func readPackedPaths(_ at: inout CrateCursor, _ pathCount: Int) throws(AssetError) -> CratePaths {
        let start = at.offset
        let n = try packedCount(&at)
        let (indices, elements, jumps) = try threeColumns(&at, n)
        var most: Int32 = -1
        for k in 0..<n {
            let i = indices[k]
            guard i >= 0, Int(i) < pathCount else {
                throw bytes.error(.paths, start, "path \(UInt32(bitPattern: i)) of \(pathCount)")
            }
            most = max(most, i)
        }
        // Numbers have few gaps (OpenUSD leaves out the empty path); more would be memory for nothing.
        guard Int(most) < 2 * n + 1024 else { throw bytes.error(.paths, start, "path \(most), but only \(n) are defined") }
        var tree = PathBuilder(self, count: Int(most) + 1, items: n)
        // Subtrees left to do: where their first item is, and what they hang from.
        var pending: [(item: Int, parent: Int32, depth: Int)] = []
        var item = 0
        var parent: Int32 = -1
        var depth = 0
        var done = 0
        while n > 0 {
            guard done < n else { throw bytes.error(.paths, start, "paths are visited twice") }
            done += 1
            let index = indices[item]
            let element = elements[item]
            let jump = Int(jumps[item])
            try tree.add(index, parent, element.magnitude, isProperty: element < 0, depth, start)
            if parent < 0 {
                parent = index
                depth = 1
            }
            if jump > 0 || jump == -1 {
                if jump > 0 {
                    guard jump < n - item else { throw bytes.error(.paths, start, "jump of \(jump) from path \(item) of \(n)") }
                    pending.append((item + jump, parent, depth))
                }
                if parent != index {
                    parent = index
                    depth += 1
                }
                item += 1
            } else if jump == 0 {
                item += 1
            } else {
                guard let next = pending.popLast() else { break }
                (item, parent, depth) = next
            }
            guard item < n else { throw bytes.error(.paths, start, "the last path claims a successor") }
        }
        paths = tree.paths
        return tree.tree
    }

    // MARK: Before 0.4.0: items with the offset of their sibling

    private func readPathItems(_ at: inout CrateCursor, _ pathCount: Int) throws(AssetError) -> CratePaths {
        guard pathCount > 0 else { return CratePaths() }
        // The first version had four bytes of padding in front and three behind.
        let lead = version < CrateVersion(0, 1, 0) ? 4 : 0
        let itemSize = 12 + lead
        let start = at.offset
        let most = (bytes.count - start) / itemSize
        guard pathCount <= most + 1 else {
            throw bytes.error(.paths, start - 8, "\(amount(pathCount, "path")) in \(amount(bytes.count - start, "byte"))")
        }
        var tree = PathBuilder(self, count: pathCount, items: pathCount)
        var pending: [(offset: Int, parent: Int32, depth: Int)] = []
        var parent: Int32 = -1
        var depth = 0
        var done = 0
        while true {
            guard done < pathCount else { throw bytes.error(.paths, at.offset, "more paths than the \(pathCount) claimed") }
            done += 1
            let itemOffset = at.offset
            let index = try bytes.load(itemOffset + lead, as: UInt32.self, .paths)
            let element = try bytes.load(itemOffset + lead + 4, as: UInt32.self, .paths)
            let flags = try bytes.load(itemOffset + lead + 8, as: UInt8.self, .paths)
            at.offset = itemOffset + itemSize
            guard index < UInt32(pathCount) else { throw bytes.error(.paths, itemOffset, "path \(index) of \(pathCount)") }
            let index32 = Int32(bitPattern: index)
            try tree.add(index32, parent, element, isProperty: flags & 4 != 0, depth, itemOffset)
            if parent < 0 {
                parent = index32
                depth = 1
            }
            let hasChild = flags & 1 != 0
            let hasSibling = flags & 2 != 0
            if hasChild {
                if hasSibling {
                    let sibling = try at.next(Int64.self)
                    guard sibling > Int64(itemOffset), sibling < Int64(bytes.count) else {
                        throw bytes.error(.paths, itemOffset, "sibling at byte \(sibling), expected behind \(itemOffset)")
                    }
                    pending.append((Int(sibling), parent, depth))
                }
                if parent != index32 {
                    parent = index32
                    depth += 1
                }
            } else if !hasSibling {
                guard let next = pending.popLast() else { break }
                (at.offset, parent, depth) = next
            }
        }
        paths = tree.paths
        return tree.tree
    }
}

/// Collects paths and their tree; holds what it needs of the file by itself, because that is faster than asking an object.
private struct PathBuilder {
    var paths: ContiguousArray<Path>
    var tree: CratePaths
    private let crate: CrateFile
    private let table: PathTable
    private let tokens: ContiguousArray<Token>
    private let leads: ContiguousArray<UInt8>
    private let deepest: Int

    init(_ crate: CrateFile, count: Int, items: Int) {
        self.crate = crate
        table = crate.session.paths
        tokens = crate.tokens
        leads = crate.leads
        deepest = crate.limits.nestingDepth
        paths = ContiguousArray(repeating: .empty, count: count)
        tree = CratePaths(count: count, items: items)
        table.reserve(items)
    }

    mutating func add(
        _ index: Int32, _ parent: Int32, _ element: UInt32, isProperty: Bool, _ depth: Int, _ offset: Int
    ) throws(AssetError) {
        let i = Int(index)
        guard paths[i].isEmpty else { throw crate.bytes.error(.paths, offset, "path \(index) is defined twice") }
        tree.append(index)
        guard parent >= 0 else {
            paths[i] = .root
            return
        }
        guard depth <= deepest else {
            throw AssetError(
                "limit.nesting-depth", "PATHS section: paths of more than \(deepest) element\(deepest == 1 ? "" : "s")",
                at: crate.bytes.file.location(offset))
        }
        guard element < tokens.count else { throw crate.bytes.error(.paths, offset, "token \(element) of \(tokens.count)") }
        let token = tokens[Int(element)]
        let above = paths[Int(parent)]
        if isProperty {
            paths[i] = table.property(above, token)
        } else {
            switch leads[Int(element)] {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "."), 0:
                guard let p = CratePathText.element(token, below: above, crate.session) else {
                    throw crate.bytes.error(.paths, offset, "\"\(crate.session.string(token))\" is not an element of a path")
                }
                paths[i] = p
            default: paths[i] = table.child(above, token)
            }
        }
        tree.parents[i] = parent
        tree.elements[i] = Int32(bitPattern: element)
    }
}

/// Path elements that are not plain names.
enum CratePathText {
    /// `{set=variant}`, `[/target]`, `.name`, `.mapper[/target]`, `.expression` behind a path; nil for anything else.
    static func element(_ token: Token, below parent: Path, _ session: USDSession) -> Path? {
        let text = Array(session.string(token).utf8)[...]
        guard let first = text.first, let last = text.last else { return nil }
        let paths = session.paths
        switch first {
        case UInt8(ascii: "{"):
            guard last == UInt8(ascii: "}"), let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let set = text[1..<equals]
            let variant = text[equals + 1..<text.endIndex - 1]
            guard !set.isEmpty else { return nil }
            return paths.variant(parent, set: intern(set, session), selection: intern(variant, session))
        case UInt8(ascii: "["):
            guard last == UInt8(ascii: "]"), paths.kind(parent) == .property else { return nil }
            return path(text.dropFirst().dropLast(), session).map { paths.target(parent, $0) }
        case UInt8(ascii: "."):
            let name = text.dropFirst()
            guard !name.isEmpty else { return nil }
            switch paths.kind(parent) {
            case .property, .relationalAttribute:
                if name.elementsEqual("expression".utf8) { return paths.expression(parent) }
                guard name.starts(with: "mapper[".utf8), last == UInt8(ascii: "]") else { return nil }
                return path(name.dropFirst("mapper[".utf8.count).dropLast(), session).map { paths.mapper(parent, $0) }
            case .mapper: return paths.mapperArg(parent, intern(name, session))
            case .target: return paths.relationalAttribute(parent, intern(name, session))
            case .prim, .root, .variantSelection: return paths.property(parent, intern(name, session))
            default: return nil
            }
        default: return nil
        }
    }

    private static func intern(_ text: ArraySlice<UInt8>, _ session: USDSession) -> Token {
        text.withUnsafeBufferPointer { session.tokens.intern($0) }
    }

    private static func path(_ text: ArraySlice<UInt8>, _ session: USDSession) -> Path? {
        let text = Array(text)
        var parser = PathTextParser(text.span, session.paths)
        return parser.parse(anchor: .root)
    }
}
