/// Writes small crate files of any version, so that tests say what is in them. Compressed blocks are valid LZ4 that
/// holds literals only.
struct CrateWriter {
    typealias Version = (major: UInt8, minor: UInt8, patch: UInt8)

    struct SpecRecord {
        var path: UInt32
        var set: UInt32
        var type: UInt32
    }

    var version: Version
    var bytes = [UInt8](repeating: 0, count: 88)
    var tokens: [String] = [";-)"]
    var strings: [UInt32] = []
    var fields: [(name: UInt32, rep: UInt64)] = []
    var fieldSets: [UInt32] = []
    var specs: [SpecRecord] = []
    /// Elements of each path: a name or `{set=variant}`, `[/target]`; a property begins with a dot.
    var paths: [[String]] = []
    /// Where each section was put, by name.
    var sections: [String: Range<Int>] = [:]

    init(_ major: UInt8 = 0, _ minor: UInt8 = 8, _ patch: UInt8 = 0) { version = (major, minor, patch) }

    func isAtLeast(_ minor: UInt8) -> Bool { version.minor >= minor }

    // MARK: Names

    mutating func token(_ s: String) -> UInt32 {
        if let i = tokens.firstIndex(of: s) { return UInt32(i) }
        tokens.append(s)
        return UInt32(tokens.count - 1)
    }

    mutating func string(_ s: String) -> UInt32 {
        let t = token(s)
        if let i = strings.firstIndex(of: t) { return UInt32(i) }
        strings.append(t)
        return UInt32(strings.count - 1)
    }

    mutating func path(_ elements: [String]) -> UInt32 {
        if let i = paths.firstIndex(of: elements) { return UInt32(i) }
        if let last = elements.last {
            _ = path(Array(elements.dropLast()))
            _ = token(Self.elementText(last, below: elements.dropLast().last))
        }
        paths.append(elements)
        return UInt32(paths.count - 1)
    }

    /// Properties of prims are stored without their dot.
    static func isPrimProperty(_ element: String, below parent: String?) -> Bool {
        element.hasPrefix(".") && !(parent?.hasPrefix("[") ?? false)
    }

    static func elementText(_ element: String, below parent: String?) -> String {
        isPrimProperty(element, below: parent) ? String(element.dropFirst()) : element
    }

    // MARK: Values

    mutating func put<T: BitwiseCopyable>(_ values: T...) {
        for v in values { withUnsafeBytes(of: v) { bytes.append(contentsOf: $0) } }
    }

    mutating func put<T: BitwiseCopyable>(all values: [T]) {
        values.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// The representation of a value that begins here.
    func here(_ type: UInt8, array: Bool = false, compressed: Bool = false) -> UInt64 {
        UInt64(type) << 48 | UInt64(bytes.count) | (array ? 1 << 63 : 0) | (compressed ? 1 << 61 : 0)
    }

    static func inlined(_ type: UInt8, _ bits: UInt32) -> UInt64 { UInt64(type) << 48 | 1 << 62 | UInt64(bits) }

    /// A value that is written by `body`.
    mutating func value(_ type: UInt8, _ body: (inout CrateWriter) -> Void) -> UInt64 {
        let rep = here(type)
        body(&self)
        return rep
    }

    /// An array as its bytes, with the sizes of this version in front.
    mutating func array<T: BitwiseCopyable>(_ type: UInt8, count: Int? = nil, _ components: [T]) -> UInt64 {
        while bytes.count % 8 != 0 { bytes.append(0) }
        let rep = here(type, array: true)
        putArraySize(count ?? components.count)
        put(all: components)
        return rep
    }

    mutating func putArraySize(_ n: Int) {
        if !isAtLeast(5) { put(UInt32(1)) }
        if isAtLeast(7) { put(UInt64(n)) } else { put(UInt32(n)) }
    }

    /// A packed array of integers.
    mutating func packedArray(_ type: UInt8, _ values: [Int64], wide: Bool) -> UInt64 {
        let rep = here(type, array: true, compressed: true)
        putArraySize(values.count)
        putPacked(values, wide: wide)
        return rep
    }

    /// A vector with its 64-bit count.
    mutating func putVector<T: BitwiseCopyable>(_ items: [T]) {
        put(UInt64(items.count))
        put(all: items)
    }

    /// A representation behind the offset that leads to it.
    mutating func putNested(_ rep: UInt64) { put(8, rep) }

    mutating func tokenVector(_ names: [String]) -> UInt64 {
        let items = names.map { token($0) }
        return value(41) { $0.putVector(items) }
    }

    // MARK: Packing

    /// One LZ4 sequence of literals behind the chunk count.
    static func pack(_ data: [UInt8]) -> [UInt8] { [0] + literals(data) }

    static func literals(_ data: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        if data.count < 15 {
            out.append(UInt8(data.count) << 4)
        } else {
            out.append(0xF0)
            var rest = data.count - 15
            while rest >= 255 {
                out.append(255)
                rest -= 255
            }
            out.append(UInt8(rest))
        }
        return out + data
    }

    /// Crate's integer coding before LZ4.
    static func encode(_ values: [Int64], wide: Bool) -> [UInt8] {
        guard !values.isEmpty else { return [] }
        var differences: [Int64] = []
        var previous: Int64 = 0
        for v in values {
            let d = v &- previous
            differences.append(wide ? d : Int64(Int32(truncatingIfNeeded: d)))
            previous = v
        }
        var counts: [Int64: Int] = [:]
        for d in differences { counts[d, default: 0] += 1 }
        let common = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
        var out: [UInt8] = []
        func put<T: FixedWidthInteger>(_ v: T) { withUnsafeBytes(of: v.littleEndian) { out.append(contentsOf: $0) } }
        if wide { put(common) } else { put(Int32(truncatingIfNeeded: common)) }
        var codes = [UInt8](repeating: 0, count: (values.count + 3) / 4)
        var rest: [UInt8] = []
        func putRest<T: FixedWidthInteger>(_ v: T) { withUnsafeBytes(of: v.littleEndian) { rest.append(contentsOf: $0) } }
        for (i, d) in differences.enumerated() where d != common {
            let code: UInt8
            if wide {
                if let small = Int16(exactly: d) {
                    code = 1
                    putRest(small)
                } else if let medium = Int32(exactly: d) {
                    code = 2
                    putRest(medium)
                } else {
                    code = 3
                    putRest(d)
                }
            } else if let small = Int8(exactly: d) {
                code = 1
                putRest(small)
            } else if let medium = Int16(exactly: d) {
                code = 2
                putRest(medium)
            } else {
                code = 3
                putRest(Int32(truncatingIfNeeded: d))
            }
            codes[i / 4] |= code << UInt8(2 * (i % 4))
        }
        return out + codes + rest
    }

    mutating func putPacked(_ values: [Int64], wide: Bool = false) {
        let packed = Self.pack(Self.encode(values, wide: wide))
        put(UInt64(packed.count))
        put(all: packed)
    }

    // MARK: Specs

    static let typeNumbers = [
        "attribute": 1, "connection": 2, "prim": 6, "pseudoRoot": 7, "relationship": 8, "relationshipTarget": 9, "variant": 10,
        "variantSet": 11,
    ]

    mutating func spec(_ type: String, _ elements: [String], _ values: [(String, UInt64)]) {
        var set: [UInt32] = []
        for (name, rep) in values {
            let t = token(name)
            if let i = fields.firstIndex(where: { $0.name == t && $0.rep == rep }) {
                set.append(UInt32(i))
            } else {
                fields.append((t, rep))
                set.append(UInt32(fields.count - 1))
            }
        }
        let start = UInt32(fieldSets.count)
        fieldSets += set + [.max]
        specs.append(SpecRecord(path: path(elements), set: start, type: UInt32(Self.typeNumbers[type] ?? 0)))
    }

    // MARK: The file

    /// A node of the path tree, in file order.
    private struct Item {
        var path: UInt32
        var element: UInt32
        var isProperty: Bool
        var hasChild: Bool
        /// Items to the next sibling, zero for none.
        var sibling: Int
    }

    private mutating func pathItems() -> [Item] {
        var items: [Item] = []
        func add(_ elements: [String], _ writer: inout CrateWriter) -> Int {
            let at = items.count
            let last = elements.last ?? ""
            let parent = elements.dropLast().last
            items.append(
                Item(
                    path: writer.path(elements), element: writer.token(Self.elementText(last, below: parent)),
                    isProperty: Self.isPrimProperty(last, below: parent), hasChild: false, sibling: 0))
            let below = writer.paths.filter { $0.count == elements.count + 1 && Array($0.dropLast()) == elements }
            var before: Int?
            for child in below {
                let i = add(child, &writer)
                if let before { items[before].sibling = i - before }
                before = i
            }
            items[at].hasChild = !below.isEmpty
            return at
        }
        _ = path([])
        var copy = self
        _ = add([], &copy)
        self = copy
        return items
    }

    private mutating func section(_ name: String, _ body: (inout CrateWriter) -> Void) {
        let start = bytes.count
        body(&self)
        sections[name] = start..<bytes.count
    }

    mutating func finish() -> [UInt8] {
        let items = pathItems()
        let packs = isAtLeast(4)
        let lead = version.minor == 0
        section("TOKENS") { w in
            var text: [UInt8] = []
            for t in w.tokens { text += Array(t.utf8) + [0] }
            w.put(UInt64(w.tokens.count), UInt64(text.count))
            if packs {
                let packed = Self.pack(text)
                w.put(UInt64(packed.count))
                w.put(all: packed)
            } else {
                w.put(all: text)
            }
        }
        section("STRINGS") { $0.putVector($0.strings) }
        section("FIELDS") { w in
            w.put(UInt64(w.fields.count))
            if packs {
                w.putPacked(w.fields.map { Int64($0.name) })
                var raw: [UInt8] = []
                for f in w.fields { withUnsafeBytes(of: f.rep) { raw += Array($0) } }
                let reps = Self.pack(raw)
                w.put(UInt64(reps.count))
                w.put(all: reps)
            } else {
                for f in w.fields { w.put(UInt64(f.name) << 32, f.rep) }
            }
        }
        section("FIELDSETS") { w in
            w.put(UInt64(w.fieldSets.count))
            if packs {
                w.putPacked(w.fieldSets.map { Int64(Int32(bitPattern: $0)) })
            } else {
                w.put(all: w.fieldSets)
            }
        }
        section("PATHS") { w in
            w.put(UInt64(w.paths.count))
            if packs {
                w.put(UInt64(items.count))
                w.putPacked(items.map { Int64($0.path) })
                w.putPacked(items.map { $0.isProperty ? -Int64($0.element) : Int64($0.element) })
                w.putPacked(items.map { $0.sibling > 0 ? ($0.hasChild ? Int64($0.sibling) : 0) : ($0.hasChild ? -1 : -2) })
                return
            }
            // Offsets first: an item is followed by its sibling's offset where it has children and siblings.
            var offsets: [Int] = []
            var at = w.bytes.count
            for item in items {
                offsets.append(at)
                at += (lead ? 16 : 12) + (item.hasChild && item.sibling > 0 ? 8 : 0)
            }
            for (i, item) in items.enumerated() {
                if lead { w.put(UInt32(0xDEAD_BEEF)) }
                let flags: UInt8 = (item.hasChild ? 1 : 0) | (item.sibling > 0 ? 2 : 0) | (item.isProperty ? 4 : 0)
                w.put(item.path, item.element, UInt32(flags))
                if item.hasChild, item.sibling > 0 { w.put(Int64(offsets[i + item.sibling])) }
            }
        }
        section("SPECS") { w in
            w.put(UInt64(w.specs.count))
            if packs {
                w.putPacked(w.specs.map { Int64($0.path) })
                w.putPacked(w.specs.map { Int64($0.set) })
                w.putPacked(w.specs.map { Int64($0.type) })
            } else {
                for s in w.specs {
                    if lead { w.put(UInt32(0xDEAD_BEEF)) }
                    w.put(s.path, s.set, s.type)
                }
            }
        }
        let contents = bytes.count
        put(UInt64(6))
        for name in ["TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"] {
            let letters = Array(name.utf8)
            put(all: letters)
            put(all: [UInt8](repeating: 0, count: 16 - letters.count))
            let range = sections[name] ?? 0..<0
            put(Int64(range.lowerBound), Int64(range.count))
        }
        sections["contents"] = contents..<bytes.count
        var head = CrateWriter()
        head.bytes = Array("PXR-USDC".utf8)
        head.put(version.major, version.minor, version.patch, 0, 0, 0, 0, 0)
        head.put(Int64(contents))
        bytes.replaceSubrange(0..<24, with: head.bytes)
        return bytes
    }
}
