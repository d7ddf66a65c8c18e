import AssetIO
import AssetModel

/// An open crate file: its string and path tables, and the door to its values.
final class CrateFile {
    static let headerSize = 88

    struct Section {
        var start: Int
        var size: Int
    }

    let bytes: CrateBytes
    let session: USDSession
    let limits: ReadLimits
    let version: CrateVersion
    let arrayFile: CrateArrayFile
    private(set) var sections: [String: Section] = [:]

    /// Tokens of the session, by crate token index.
    private(set) var tokens: ContiguousArray<Token> = []
    /// First byte of each token, zero for the empty one.
    private(set) var leads: ContiguousArray<UInt8> = []
    /// Token of each string, by crate string index.
    private(set) var strings: ContiguousArray<Token> = []
    /// Paths of the session, by crate path index; `.empty` where the file defines none.
    var paths: ContiguousArray<Path> = []
    /// Number of paths the file claims; those past `paths` are empty.
    var pathCount = 0

    /// What is left of the work that a single `decode` may do; see `CrateValues`.
    var budget = 0
    /// The sample times read last: those of one object are shared.
    var lastTimes: (rep: ValueRep, times: [Double])?
    var depth = 0

    init(_ bytes: CrateBytes, session: USDSession, limits: ReadLimits) throws(AssetError) {
        self.bytes = bytes
        self.session = session
        self.limits = limits
        guard try bytes.load(0, as: UInt64.self, .header) == USDC.magic else {
            throw bytes.error(.header, 0, "\"PXR-USDC\" expected")
        }
        version = CrateVersion(
            try bytes.load(8, as: UInt8.self, .header), try bytes.load(9, as: UInt8.self, .header),
            try bytes.load(10, as: UInt8.self, .header))
        guard version.major == CrateVersion.newest.major, version <= .newest else {
            throw AssetError(
                "usdc.unsupported-version", "header: crate version \(version), expected at most \(CrateVersion.newest)",
                at: bytes.file.location(8))
        }
        arrayFile = CrateArrayFile(bytes, version)
        try readContents()
        try readTokens()
        try readStrings()
    }

    /// A section that must be there.
    func section(_ part: CratePart) throws(AssetError) -> Section {
        guard let s = sections[part.rawValue] else {
            throw bytes.error(.contents, 16, "no \(part.rawValue) section")
        }
        return s
    }

    func cursor(_ part: CratePart) throws(AssetError) -> CrateCursor {
        CrateCursor(bytes, part, at: try section(part).start)
    }

    private func readContents() throws(AssetError) {
        let offset = try bytes.load(16, as: Int64.self, .header)
        guard offset >= Int64(Self.headerSize), offset <= Int64(bytes.count - 8) else {
            throw bytes.error(.header, 16, "table of contents at byte \(offset) of a file of \(amount(bytes.count, "byte"))")
        }
        var at = CrateCursor(bytes, .contents, at: Int(offset))
        let n = try at.elementCount(stride: 32)
        for _ in 0..<n {
            let entry = at.offset
            let raw = try bytes.pointer(entry, 16, .contents)
            let letters = UnsafeRawBufferPointer(start: raw, count: 16)
            let name = String(decoding: letters.prefix { $0 != 0 }, as: UTF8.self)
            let start = try bytes.load(entry + 16, as: Int64.self, .contents)
            let size = try bytes.load(entry + 24, as: Int64.self, .contents)
            guard start >= 0, size >= 0, start <= Int64(bytes.count), size <= Int64(bytes.count) - start else {
                throw bytes.error(
                    .contents, entry, "\(name) section of \(amount(size, "byte")) at byte \(start) of a file of \(amount(bytes.count, "byte"))")
            }
            // The first of a name counts.
            if sections[name] == nil { sections[name] = Section(start: Int(start), size: Int(size)) }
            at.offset = entry + 32
        }
    }

    private func readTokens() throws(AssetError) {
        var at = try cursor(.tokens)
        let count = try at.next(UInt64.self)
        let textOffset: Int
        let text: UnsafeRawPointer
        let textSize: Int
        var unpacked: RawMemory?
        if version < CrateVersion(0, 4, 0) {
            textSize = try at.blockSize()
            textOffset = at.offset
            text = try bytes.pointer(at.offset, textSize, .tokens)
        } else {
            let sizeOffset = at.offset
            textSize = try at.size(atMost: Int.max, "unpacked size")
            let packedSize = try at.blockSize()
            textOffset = at.offset
            let packed = try bytes.pointer(at.offset, packedSize, .tokens)
            guard textSize <= CrateCompression.mostUnpacked(packedSize) else {
                throw bytes.error(.tokens, sizeOffset, "\(textSize) bytes cannot be packed into \(packedSize)")
            }
            try checkProportion(textSize, "bytes", 64 << 20, .tokens, sizeOffset)
            let memory = RawMemory(textSize)
            if textSize > 0 {
                guard let n = CrateCompression.unpack(packed, packedSize, into: memory.base, textSize), n == textSize else {
                    throw bytes.error(.tokens, textOffset, "damaged compressed text")
                }
            }
            unpacked = memory
            text = UnsafeRawPointer(memory.base)
        }
        let all = UnsafeBufferPointer(start: text.assumingMemoryBound(to: UInt8.self), count: textSize)
        guard count <= UInt64(textSize) else {
            throw AssetError(
                "usdc.token-count-mismatch", "TOKENS section: \(amount(count, "token")) in \(amount(textSize, "byte")) of text",
                at: bytes.file.location(at.offset))
        }
        if textSize > 0, all[textSize - 1] != 0 {
            throw bytes.error(.tokens, textOffset, "the last token is not terminated")
        }
        try checkProportion(Int(count), "tokens", 10_000_000, .tokens, textOffset)
        var tokens = ContiguousArray<Token>()
        var leads = ContiguousArray<UInt8>()
        tokens.reserveCapacity(Int(count))
        leads.reserveCapacity(Int(count))
        let table = session.tokens
        table.reserve(Int(count), bytes: textSize)
        var start = 0
        while start < textSize, tokens.count < Int(count) {
            var end = start
            while all[end] != 0 { end &+= 1 }
            leads.append(all[start])
            tokens.append(table.intern(UnsafeBufferPointer(rebasing: all[start..<end])))
            start = end &+ 1
        }
        withExtendedLifetime(unpacked) {}
        self.tokens = tokens
        self.leads = leads
        guard tokens.count == Int(count) else {
            throw AssetError(
                "usdc.token-count-mismatch", "TOKENS section: \(amount(tokens.count, "token")) found, \(count) expected",
                at: bytes.file.location(textOffset))
        }
    }

    private func readStrings() throws(AssetError) {
        var at = try cursor(.strings)
        let n = try at.elementCount(stride: 4)
        var strings = ContiguousArray<Token>()
        strings.reserveCapacity(n)
        let tokens = tokens
        for _ in 0..<n {
            let offset = at.offset
            let i = try at.next(UInt32.self)
            guard i < tokens.count else { throw bytes.error(.strings, offset, "token \(i) of \(tokens.count)") }
            strings.append(tokens[Int(i)])
        }
        self.strings = strings
    }

    /// `count` compressed 32-bit integers with their size in front.
    func integers(_ at: inout CrateCursor, _ count: Int) throws(AssetError) -> [Int32] {
        let size = try at.blockSize()
        let encoded = try EncodedIntegers(bytes, at.offset, size, count: count, wide: false, at.part)
        at.offset += size
        return encoded.all32()
    }

    /// Three times `count` compressed 32-bit integers, each with their size in front.
    func threeColumns(_ at: inout CrateCursor, _ count: Int) throws(AssetError) -> (NumberTable, NumberTable, NumberTable) {
        var encoded: [EncodedIntegers] = []
        for _ in 0..<3 {
            let size = try at.blockSize()
            encoded.append(try EncodedIntegers(bytes, at.offset, size, count: count, wide: false, at.part))
            at.offset += size
        }
        let tables = NumberTable.together([count, count, count])
        for (integers, table) in zip(encoded, tables) { integers.all32(into: table) }
        return (tables[0], tables[1], tables[2])
    }

    /// A count of elements that are packed: checked against what the file could hold at best (a quarter byte each
    /// before LZ4).
    func packedCount(_ at: inout CrateCursor) throws(AssetError) -> Int {
        let most = CrateCompression.mostUnpacked(bytes.count)
        let limit = most > Int(Int32.max) / 4 ? Int(Int32.max) : most * 4
        let offset = at.offset
        let n = try at.size(atMost: limit, "number of elements")
        try checkProportion(n, "elements", 10_000_000, at.part, offset)
        return n
    }

    /// Equal numbers are packed a thousand to a byte: what so few bytes stand for is held in proportion to the file, unless the
    /// limit on prims was set.
    private func checkProportion(_ n: Int, _ what: String, _ free: Int, _ part: CratePart, _ offset: Int) throws(AssetError) {
        guard !limits.primsWereSet, n > free, (n - free) / 32 > bytes.count else { return }
        throw AssetError(
            "limit.prims",
            "\(part.name): \(n) \(what) in a file of \(amount(bytes.count, "byte")), expected at most \(free) + 32 for each byte;"
                + " a limit 'prims' of one's own lets them be", at: bytes.file.location(offset))
    }

    // MARK: Names

    func token(_ index: UInt32, _ part: CratePart, _ offset: Int) throws(AssetError) -> Token {
        guard index < tokens.count else { throw bytes.error(part, offset, "token \(index) of \(tokens.count)") }
        return tokens[Int(index)]
    }

    func string(_ index: UInt32, _ part: CratePart, _ offset: Int) throws(AssetError) -> String {
        guard index < strings.count else { throw bytes.error(part, offset, "string \(index) of \(strings.count)") }
        return session.string(strings[Int(index)])
    }

    func path(_ index: UInt32, _ part: CratePart, _ offset: Int) throws(AssetError) -> Path {
        if index < paths.count { return paths[Int(index)] }
        guard index < pathCount else { throw bytes.error(part, offset, "path \(index) of \(pathCount)") }
        return .empty
    }
}
