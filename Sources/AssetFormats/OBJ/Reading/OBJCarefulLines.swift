import AssetIO
import AssetModel

/// The careful way: one statement at a time, whatever it is and however it is written.
extension OBJPieceParser {
    /// Reads the statement that begins at a pointer, its continuations included, and moves behind it.
    mutating func carefulLine(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        let first = p
        line.removeAll(keepingCapacity: true)
        var (isComment, hasComment) = (false, false)
        while p < end {
            let from = p
            skipLine(&p, end)
            if line.isEmpty { isComment = isCommentLine(from, p) }
            hasComment = hasComment || beginsComment(from, p)
            line.append(contentsOf: UnsafeBufferPointer(start: from, count: p - from))
            if p < end { p += p.pointee == 0x0D && p + 1 < end && p[1] == 0x0A ? 2 : 1 }
            // Only as the very last character, and never of a comment.
            guard !isComment, line.last == UInt8(ascii: "\\"), !hasComment else { break }
            line[line.count - 1] = 0x20
        }
        guard !isComment else { return }
        // The line is lent out and comes back, so that its memory is used again.
        var statement: [UInt8] = []
        swap(&statement, &line)
        statement.withUnsafeBufferPointer { self.statement(OBJWords($0), offset(first)) }
        swap(&statement, &line)
    }

    private func isCommentLine(_ from: UnsafePointer<UInt8>, _ to: UnsafePointer<UInt8>) -> Bool {
        var q = from
        while q < to, q.pointee == 0x20 || q.pointee == 0x09 { q += 1 }
        return q < to && q.pointee == UInt8(ascii: "#")
    }

    /// Whether a comment begins behind a blank.
    private func beginsComment(_ from: UnsafePointer<UInt8>, _ to: UnsafePointer<UInt8>) -> Bool {
        var q = from
        var isAfterBlank = !line.isEmpty
        while q < to {
            if q.pointee == UInt8(ascii: "#"), isAfterBlank { return true }
            isAfterBlank = q.pointee == 0x20 || q.pointee == 0x09
            q += 1
        }
        return false
    }

    private mutating func statement(_ words: OBJWords, _ offset: Int) {
        var words = words
        guard let key = words.next() else { return }
        switch OBJWords.text(key) {
        case "v": carefulPosition(&words, offset)
        case "vt":
            let (numbers, isGood) = words.numbers(3)
            if !isGood || numbers.isEmpty { faults.add(.badTexcoord, at: offset) }
            if numbers.count > 2, numbers[2] != 0 { faults.add(.depths, at: offset) }
            add(texcoord: Vector2f(Float(numbers.first ?? 0), numbers.count > 1 ? Float(numbers[1]) : 0))
        case "vn":
            let (numbers, isGood) = words.numbers(3)
            let isWhole = isGood && numbers.count == 3
            if !isWhole { faults.add(.badNormal, at: offset) }
            add(normal: isWhole ? Vector3f(Float(numbers[0]), Float(numbers[1]), Float(numbers[2])) : Vector3f(0, 0, 0))
        case "f", "fo": carefulFace(&words, offset)
        case "l": element(&words, offset, isLine: true)
        case "p": element(&words, offset, isLine: false)
        case "o": event(.object, words.rest(), offset)
        case "g": event(.group, words.rest(), offset)
        case "usemtl": event(.material, words.rest(), offset)
        case "mtllib": event(.library, words.rest(), offset)
        case "s": smoothing(&words, offset)
        case let key: otherStatement(key, offset)
        }
    }

    // MARK: Vertices

    /// Three numbers; a fourth is the weight of a rational curve, three more are a colour.
    private mutating func carefulPosition(_ words: inout OBJWords, _ offset: Int) {
        let (numbers, isGood) = words.numbers(7)
        if numbers.count < 3 || !isGood { faults.add(.badPosition, at: offset) }
        func number(_ i: Int) -> Double { i < numbers.count ? numbers[i] : i == 0 || numbers.isEmpty ? .nan : 0 }
        // A word that is no number leaves nothing that could be meant.
        if isGood || numbers.count >= 3 {
            add(number(0), number(1), number(2))
        } else {
            add(.nan, .nan, .nan)
        }
        switch numbers.count {
        case 4: if numbers[3] != 1 { faults.add(.weights, at: offset) }
        case 6: addColor(Vector3f(Float(numbers[3]), Float(numbers[4]), Float(numbers[5])))
        case 5: faults.add(.badColor, at: offset)
        case 7: faults.add(.extraNumbers, at: offset)
        default: break
        }
    }

    // MARK: Elements

    private mutating func carefulFace(_ words: inout OBJWords, _ offset: Int) {
        statementCount += 1
        var reader = OBJIndexReader(counts: counts, known: settings.known, seen: seen)
        var corners: [(position: Int32, texcoord: Int32, normal: Int32)] = []
        var lost: (texcoord: Bool, normal: Bool) = (false, false)
        while let word = words.next() {
            let parts = OBJWords.parts(word)
            guard let position = reader.index(parts.position, .position) else { continue }
            var (texcoord, normal) = (OBJPiece.absent, OBJPiece.absent)
            let fault = reader.fault
            if let part = parts.texcoord, !part.isEmpty {
                let i = reader.index(part, .texcoord)
                texcoord = i ?? OBJPiece.absent
                lost.texcoord = lost.texcoord || i == nil
            }
            if let part = parts.normal, !part.isEmpty {
                let i = reader.index(part, .normal)
                normal = i ?? OBJPiece.absent
                lost.normal = lost.normal || i == nil
            }
            // A face stays without an attribute.
            reader.fault = fault
            corners.append((position, texcoord, normal))
        }
        // What a face that is left out names is needed by nobody: then `seen` stays as it was.
        guard reader.fault == nil, corners.count >= 3 else { return faults.add(reader.fault ?? .tooFewCorners, at: offset) }
        seen = reader.seen
        if lost.texcoord { faults.add(.badTexcoordIndex, at: offset) }
        if lost.normal { faults.add(.badNormalIndex, at: offset) }
        if keeps {
            let before = positionIndices.count
            Self.append(corners.lazy.map(\.texcoord), to: &texcoordIndices, before)
            Self.append(corners.lazy.map(\.normal), to: &normalIndices, before)
        }
        for corner in corners { positionIndices.append(corner.position) }
        statementCount -= 1
        addFace(corners.count)
    }

    /// Appends the indices of a face's corners to a column that begins with the first index there is.
    private static func append(_ indices: some Sequence<Int32>, to column: inout OBJGrowing<Int32>, _ before: Int) {
        if column.count == 0 {
            guard indices.contains(where: { $0 != OBJPiece.absent }) else { return }
            column.fill(to: before, with: OBJPiece.absent)
        }
        for i in indices { column.append(i) }
    }

    /// `l` and `p`: left out as a whole where a vertex is none.
    private mutating func element(_ words: inout OBJWords, _ offset: Int, isLine: Bool) {
        statementCount += 1
        var reader = OBJIndexReader(counts: counts, known: settings.known, seen: seen)
        var indices: [Int32] = []
        var hasTexcoord = false
        while let word = words.next() {
            let parts = OBJWords.parts(word)
            if let i = reader.index(parts.position, .position) { indices.append(i) }
            if let texcoord = parts.texcoord, !texcoord.isEmpty { hasTexcoord = true }
        }
        guard reader.fault == nil, indices.count >= (isLine ? 2 : 1) else { return faults.add(.badElement, at: offset) }
        seen = reader.seen
        if hasTexcoord { faults.add(.lineTexcoords, at: offset) }
        if isLine {
            lineSizes.append(Int32(truncatingIfNeeded: indices.count))
            for i in indices { lineIndices.append(i) }
        } else {
            for i in indices { pointIndices.append(i) }
        }
    }

    // MARK: State

    private mutating func event(_ kind: OBJEvent.Kind, _ name: UnsafeBufferPointer<UInt8>, _ offset: Int) {
        event(kind, name.isEmpty ? -1 : names.number(name), offset)
    }

    private mutating func event(_ kind: OBJEvent.Kind, _ value: Int32, _ offset: Int) {
        statementCount += 1
        events.append(
            OBJEvent(
                kind: kind, value: value, offset: offset, faces: Int32(truncatingIfNeeded: faceCount),
                lines: Int32(truncatingIfNeeded: lineSizes.count), points: Int32(truncatingIfNeeded: pointIndices.count),
                corners: positionIndices.count, lineVertices: lineIndices.count))
    }

    private mutating func smoothing(_ words: inout OBJWords, _ offset: Int) {
        guard let word = words.next() else { return event(.smoothing, 0, offset) }
        if let group = OBJWords.integer(word[...]), let group = Int32(exactly: group), group >= 0 {
            event(.smoothing, group, offset)
        } else {
            let text = OBJWords.text(word)
            if text != "off" && text != "OFF" && text != "Off" {
                if text == "on" || text == "ON" || text == "On" { return event(.smoothing, 1, offset) }
                faults.add(.badSmoothing, at: offset)
            }
            event(.smoothing, 0, offset)
        }
    }

    private mutating func otherStatement(_ key: String, _ offset: Int) {
        let kind: OBJFaults.Kind
        switch key {
        case "vp", "deg", "bmat", "step", "cstype", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con",
            "bsp", "bzp", "cdc", "cdp", "res":
            kind = .surfaces
        case "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "ctech", "stech", "maplib", "usemap", "mg":
            kind = .display
        case "call", "csh": kind = .calls
        default:
            faults.add(.unknown, at: offset)
            if faults.unknownWords.count < 8, !faults.unknownWords.contains(key) { faults.unknownWords.append(key) }
            return
        }
        statementCount += 1
        faults.add(kind, at: offset)
        faults.words[kind, default: []].insert(key)
    }
}

/// Turns the indices of one statement into what is kept of them.
private struct OBJIndexReader {
    /// What the piece has defined so far.
    let counts: OBJBases
    let known: (before: OBJBases, limit: OBJBases?)?
    var seen: OBJPieceParser.Seen
    /// What is wrong with the first index that is none.
    var fault: OBJFaults.Kind?

    init(counts: OBJBases, known: (before: OBJBases, limit: OBJBases?)?, seen: OBJPieceParser.Seen) {
        (self.counts, self.known, self.seen) = (counts, known, seen)
    }

    /// An index from 0; nil, with the fault, where it is none or names nothing.
    mutating func index(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ kind: OBJIndices.Kind) -> Int32? {
        guard let value = OBJWords.integer(text) else {
            fault = fault ?? .unreadableIndex
            return nil
        }
        guard value != 0 else {
            fault = fault ?? .zeroIndex
            return nil
        }
        let own = counts[kind]
        if let known {
            let before = known.before[kind] + own
            let i = value > 0 ? value - 1 : before + value
            guard i >= 0, i < known.limit?[kind] ?? before else {
                fault = fault ?? .badIndex
                return nil
            }
            return Int32(truncatingIfNeeded: i)
        }
        if value > 0 {
            seen.highest[kind] = max(seen.highest[kind], value)
            return Int32(truncatingIfNeeded: value - 1)
        }
        seen.lowest[kind] = min(seen.lowest[kind], own + value)
        seen.hasRunningIndices = true
        return OBJPiece.running &+ Int32(truncatingIfNeeded: own + value)
    }
}

/// The words of a statement.
struct OBJWords {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Separators of information (28 to 31) are blanks as well.
    private static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) }

    /// The next word; nil at the end, or where a comment begins.
    mutating func next() -> UnsafeBufferPointer<UInt8>? {
        while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
        guard at < bytes.count, bytes[at] != UInt8(ascii: "#") else { return nil }
        let start = at
        while at < bytes.count, !Self.isBlank(bytes[at]), bytes[at] != UInt8(ascii: "#") { at += 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<at])
    }

    /// What is left, without the blanks around it: a name, which may hold blanks and `#`.
    func rest() -> UnsafeBufferPointer<UInt8> {
        var (start, end) = (at, bytes.count)
        while start < end, Self.isBlank(bytes[start]) { start += 1 }
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// Up to `most` numbers, and whether every word so far was one.
    mutating func numbers(_ most: Int) -> (values: [Double], isGood: Bool) {
        var values: [Double] = []
        while values.count < most, let word = next() {
            var i = 0
            let span = unsafe Span(_unsafeElements: word)
            guard let value = FloatParser.double(span, at: &i), i == word.count else { return (values, false) }
            values.append(value)
        }
        return (values, true)
    }

    static func text(_ word: UnsafeBufferPointer<UInt8>) -> String {
        word.count <= 64 ? SystemPath.decode(word) : SystemPath.decode(UnsafeBufferPointer(rebasing: word[0..<64])) + "…"
    }

    /// A corner's parts between slashes; nil where there is no such part.
    static func parts(
        _ word: UnsafeBufferPointer<UInt8>
    ) -> (position: Slice<UnsafeBufferPointer<UInt8>>, texcoord: Slice<UnsafeBufferPointer<UInt8>>?, normal: Slice<UnsafeBufferPointer<UInt8>>?) {
        let slash = UInt8(ascii: "/")
        guard let first = word.firstIndex(of: slash) else { return (word[...], nil, nil) }
        let rest = word[(first + 1)...]
        guard let second = rest.firstIndex(of: slash) else { return (word[..<first], rest, nil) }
        let last = rest[(second + 1)...]
        return (word[..<first], rest[..<second], last[..<(last.firstIndex(of: slash) ?? last.endIndex)])
    }

    /// A whole number with or without sign; nil where it is none, or beyond what an index can be.
    static func integer(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var i = text.startIndex
        guard i < text.endIndex else { return nil }
        let isNegative = text[i] == UInt8(ascii: "-")
        if isNegative || text[i] == UInt8(ascii: "+") { i += 1 }
        guard i < text.endIndex else { return nil }
        var value = 0
        while i < text.endIndex {
            let digit = text[i] &- 48
            guard digit <= 9 else { return nil }
            // Beyond any count of lines: a number all the same, and out of range.
            value = min(value * 10 + Int(digit), 1 << 40)
            i += 1
        }
        return isNegative ? -value : value
    }
}
