import AssetIO
import AssetModel
import AssetOps

/// Text STL: `solid NAME`, `facet normal`, `outer loop`, `vertex x y z`, `endloop`, `endfacet`, `endsolid`, in any letter case
/// and spacing, any number of solids.
enum STLText {
    /// `solid` first, and a word of the format or the end of the text behind its line.
    static func isText(_ head: UnsafeRawBufferPointer) -> Bool {
        var i = 0
        if head.count >= 3, head[0] == 0xEF, head[1] == 0xBB, head[2] == 0xBF { i = 3 }
        while i < head.count, isBlank(head[i]) || isLineEnd(head[i]) { i += 1 }
        guard matches(head, i, "solid") else { return false }
        while i < head.count, !isLineEnd(head[i]) {
            // The header of a binary file holds zeros, or has no line end within its first hundred bytes.
            if head[i] == 0 { return false }
            i += 1
        }
        while i < head.count, isBlank(head[i]) || isLineEnd(head[i]) { i += 1 }
        let words: [StaticString] = ["facet", "endsolid", "color", "outer", "vertex", "solid"]
        return i >= head.count || words.contains { matches(head, i, $0) }
    }

    private static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 || c == 0x0B || c == 0x0C }
    private static func isLineEnd(_ c: UInt8) -> Bool { c == 0x0A || c == 0x0D }

    private static func matches(_ text: UnsafeRawBufferPointer, _ i: Int, _ word: StaticString) -> Bool {
        let n = word.utf8CodeUnitCount
        guard i + n <= text.count else { return false }
        for k in 0..<n where text[i + k] | 0x20 != word.utf8Start[k] { return false }
        return i + n == text.count || isBlank(text[i + n]) || isLineEnd(text[i + n])
    }

    /// The first line behind an offset that begins with `facet`; nil where none is near.
    static func facet(behind offset: Int, _ base: UnsafePointer<UInt8>, _ end: Int) -> Int? {
        let text = UnsafeRawBufferPointer(start: base, count: end)
        let last = min(end, offset + 4096)
        var i = offset
        while i < last {
            while i < last, !isLineEnd(text[i]) { i += 1 }
            while i < last, isBlank(text[i]) || isLineEnd(text[i]) { i += 1 }
            if i < last, matches(text, i, "facet") { return i }
        }
        return nil
    }

    static func read(
        _ file: FileBytes, wantsArrays: Bool, pieceSize: Int, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> [STLDocument.Solid] {
        var reader = STLTextReader(file, 0..<file.count, keepsDoubles: false, keepsPoints: wantsArrays, pieceSize: pieceSize)
        reader.read()
        if reader.needsDoubles {
            reader = STLTextReader(file, 0..<file.count, keepsDoubles: true, keepsPoints: wantsArrays, pieceSize: pieceSize)
            reader.read()
        }
        guard reader.facetCount > 0 || reader.sawSolid else {
            throw AssetError("stl.not-stl", "no statement of STL", at: file.location(0))
        }
        reader.report(&diagnostics)
        return reader.solids
    }
}

/// The points of a solid that were counted and measured, but not kept: they are read again when they are asked for.
private struct STLTextPoints<Point: Sendable>: DeferredArraySource {
    let file: FileBytes
    /// Of the statements behind the line that begins the solid.
    let range: Range<Int>
    let count: Int
    let bounds: FiniteBounds
    let pieceSize: Int

    func finiteBounds() -> FiniteBounds? { bounds }

    func load() -> [Point] {
        var reader = STLTextReader(file, range, keepsDoubles: Point.self == Point3d.self, keepsPoints: true, pieceSize: pieceSize)
        reader.read()
        return reader.kept() as? [Point] ?? []
    }
}

/// Reads the whole text once, or the statements of one solid; statements that are none are passed over and counted.
private struct STLTextReader {
    private let file: FileBytes
    private let range: Range<Int>
    private(set) var solids: [STLDocument.Solid] = []
    private(set) var sawSolid = false
    private(set) var facetCount = 0
    private var name = ""
    private var points: [Point3f] = []
    /// All points of the solid at hand, kept or not.
    private var pointCount = 0
    /// Where the statements of the solid at hand begin.
    private var solidStart: Int
    /// Points of the facet at hand.
    private var corners: (Point3d, Point3d, Point3d) = (Point3d(0, 0, 0), Point3d(0, 0, 0), Point3d(0, 0, 0))
    private var cornerCount = 0
    private var isOpen = false
    private var hasFacet = false
    private var isBroken = false
    private var colored: (count: Int, first: Int) = (0, 0)
    private var facetStart = 0
    private var measure = PointMeasure()
    private let powers = DecimalPowers.shared
    private var strange: (count: Int, first: Int) = (0, 0)
    private var badFacets: (count: Int, first: Int) = (0, 0)
    /// What the end of the text cuts; nil where all that began has ended.
    private var cut: String?

    private let pieces: TextPieces<STLPlainFacets>
    private let pieceSize: Int
    /// Whether the points are kept.
    private let keepsPoints: Bool

    /// Whether positions are read in double precision beside single: a second reading of the few files that need it.
    private let keepsDoubles: Bool
    /// Whether a solid may have positions that single precision would move by more than a millionth of its size.
    private(set) var needsDoubles = false
    private var doubles: [Point3d] = []

    init(_ file: FileBytes, _ range: Range<Int>, keepsDoubles: Bool, keepsPoints: Bool, pieceSize: Int) {
        self.file = file
        self.range = range
        solidStart = range.lowerBound
        self.keepsDoubles = keepsDoubles
        self.keepsPoints = keepsPoints
        self.pieceSize = pieceSize
        pieces = TextPieces(file, from: range.lowerBound, size: pieceSize) {
            STLPlainFacets(file, keepsDoubles: keepsDoubles, keepsPoints: keepsPoints)
        }
    }

    /// The points of the one solid that was read.
    func kept() -> any Sendable {
        switch solids.first?.points {
        case .float(let array): (try? array.load()) ?? []
        case .double(let array): (try? array.load()) ?? []
        case nil: [Point3f]()
        }
    }

    mutating func report(_ diagnostics: inout Diagnostics) {
        func place(_ offset: Int) -> SourceLocation {
            let (line, column) = lineAndColumn(of: offset, in: file.byteSpan)
            return SourceLocation(file: file.name, position: .line(line, column: column))
        }
        if strange.count > 0 {
            diagnostics.warning(
                "stl.strange-statement", "\(amount(strange.count, "line")) without a statement of STL: left out", at: place(strange.first))
        }
        if colored.count > 0 {
            diagnostics.warning("stl.dropped.color", "\(amount(colored.count, "colour")) of facets in text not read", at: place(colored.first))
        }
        if badFacets.count > 0 {
            diagnostics.warning(
                "stl.bad-facet", "\(amount(badFacets.count, "facet")) without three whole points: left out", at: place(badFacets.first))
        }
        if let cut { diagnostics.warning("stl.truncated", "the text ends \(cut)", at: place(range.upperBound)) }
    }

    // MARK: Statements

    mutating func read() {
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let end = base + range.upperBound
            var p = base + range.lowerBound
            var released = range.lowerBound
            if range.lowerBound == 0, raw.count >= 3, p[0] == 0xEF, p[1] == 0xBB, p[2] == 0xBF { p += 3 }
            while true {
                PlainText.passBlanks(&p, end)
                if cornerCount == 0, !hasFacet, !isBroken, p < end, p.pointee | 0x20 == UInt8(ascii: "f") {
                    p = base + plainFacets(from: p - base, base)
                }
                guard p < end else { break }
                statement(&p, end, base)
                if p - base - released >= 4 << 20 {
                    file.release(released, count: p - base - released)
                    released = p - base
                }
            }
            file.release(released, count: range.upperBound - released)
        }
        if cornerCount > 0 || hasFacet {
            cut = "within a facet, expected endfacet"
        } else if isOpen {
            cut = "within a solid, expected endsolid"
        }
        endFacet(at: range.upperBound)
        if isOpen { close(at: range.upperBound) }
    }

    /// Reads facets as long as they are plainly written; returns where they end.
    private mutating func plainFacets(from start: Int, _ base: UnsafePointer<UInt8>) -> Int {
        let pieces = self.pieces
        let end = range.upperBound
        return pieces.read(from: start, upTo: end, begin: { STLText.facet(behind: $0, base, end) }) { piece in
            guard piece.count > 0 else { return true }
            isOpen = true
            facetCount += piece.count
            pointCount += 3 * piece.count
            measure.formUnion(piece.measure)
            if keepsPoints {
                // Room for the rest, as far as it is like this.
                if points.isEmpty, solids.isEmpty, piece.stop - start >= pieceSize {
                    points.reserveCapacity(3 * piece.count * ((end - start) / max(1, piece.stop - start) + 1))
                }
                points.append(contentsOf: piece.points)
                doubles.append(contentsOf: piece.doubles)
            }
            return true
        }
    }
    private mutating func statement(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ base: UnsafePointer<UInt8>) {
        let start = p - base
        // In the order of how often they come.
        if take(&p, end, "vertex") {
            guard let x = number(&p, end), let y = number(&p, end), let z = number(&p, end) else {
                isBroken = true
                return skipLine(&p, end)
            }
            if cornerCount == 0 { facetStart = start }
            switch cornerCount {
            case 0: corners.0 = Point3d(x, y, z)
            case 1: corners.1 = Point3d(x, y, z)
            default: corners.2 = Point3d(x, y, z)
            }
            cornerCount += 1
        } else if take(&p, end, "facet") {
            endFacet(at: start)
            (facetStart, isBroken, hasFacet) = (start, false, true)
            // The normal says nothing that the points do not.
            skipLine(&p, end)
        } else if take(&p, end, "outer") {
            if !take(&p, end, "loop") { strangeLine(&p, end, start) }
        } else if take(&p, end, "endloop") {
        } else if take(&p, end, "endfacet") {
            endFacet(at: start)
        } else if take(&p, end, "solid") {
            endFacet(at: start)
            if isOpen { close(at: start) }
            (isOpen, sawSolid) = (true, true)
            name = restOfLine(&p, end)
            solidStart = p - base
        } else if take(&p, end, "endsolid") {
            endFacet(at: start)
            skipLine(&p, end)
            close(at: start)
            solidStart = p - base
        } else if take(&p, end, "color") {
            if colored.count == 0 { colored.first = start }
            colored.count += 1
            skipLine(&p, end)
        } else {
            strangeLine(&p, end, start)
        }
    }

    /// Takes the facet at hand, if there is one: what is wrong with it ends with it.
    private mutating func endFacet(at offset: Int) {
        let count = cornerCount
        let (wasBroken, hadFacet) = (isBroken, hasFacet)
        (cornerCount, isBroken, hasFacet) = (0, false, false)
        guard hadFacet || count > 0 else { return }
        isOpen = true
        guard count == 3, !wasBroken else {
            if badFacets.count == 0 { badFacets.first = facetStart }
            badFacets.count += 1
            return
        }
        facetCount += 1
        pointCount += 3
        withUnsafeTemporaryAllocation(of: Point3d.self, capacity: 3) { block in
            (block[0], block[1], block[2]) = corners
            measure.add(UnsafeBufferPointer(block))
            guard keepsPoints else { return }
            for p in block { points.append(Point3f(Float(p.x), Float(p.y), Float(p.z))) }
            if keepsDoubles { doubles.append(contentsOf: block) }
        }
    }

    private mutating func close(at end: Int) {
        let isCoarse: Bool
        if keepsDoubles {
            isCoarse = measure.needsDoubles
        } else {
            isCoarse = false
            if measure.mayNeedDoubles { needsDoubles = true }
        }
        let held: PointArray
        if pointCount == 0 {
            held = PointArray()
        } else if keepsPoints {
            held = isCoarse ? .double(.loaded(doubles)) : .float(.loaded(points))
        } else if isCoarse {
            held = .double(.deferred(source(measure.exact, end)))
        } else {
            held = .float(.deferred(source(measure.bounds, end)))
        }
        solids.append(STLDocument.Solid(name: name, points: held, colors: nil))
        (name, points, doubles, pointCount, isOpen, measure) = ("", [], [], 0, false, PointMeasure())
    }

    private func source<Point>(_ bounds: FiniteBounds, _ end: Int) -> STLTextPoints<Point> {
        STLTextPoints(file: file, range: solidStart..<max(solidStart, end), count: pointCount, bounds: bounds, pieceSize: pieceSize)
    }

    private mutating func strangeLine(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ start: Int) {
        if strange.count == 0 { strange.first = start }
        strange.count += 1
        skipLine(&p, end)
    }

    // MARK: Words

    /// Passes over a word in any letter case; false, where it is none, leaves the place.
    @inline(__always)
    private func take(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ word: StaticString) -> Bool {
        let n = word.utf8CodeUnitCount
        var q = p
        while q < end, q.pointee == 0x20 || q.pointee == 0x09 { q += 1 }
        guard end - q >= n else { return false }
        for k in 0..<n where q[k] | 0x20 != word.utf8Start[k] { return false }
        q += n
        guard q == end || q.pointee <= 0x20 else { return false }
        p = q
        return true
    }

    private func skipLine(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        while p < end, p.pointee != 0x0A, p.pointee != 0x0D { p += 1 }
    }

    private func restOfLine(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> String {
        while p < end, p.pointee == 0x20 || p.pointee == 0x09 { p += 1 }
        let start = p
        skipLine(&p, end)
        var last = p
        while last > start, (last - 1).pointee <= 0x20 { last -= 1 }
        return String(decoding: UnsafeBufferPointer(start: start, count: last - start), as: UTF8.self)
    }

    @inline(__always)
    private func number(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Double? {
        while p < end, p.pointee <= 0x20 { p += 1 }
        if end - p >= 48, let plain = PlainNumber.quickNumber(&p, powers) { return plain }
        var i = 0
        let span = unsafe Span(_unsafeStart: p, count: min(end - p, 400))
        guard let value = FloatParser.double(span, at: &i) else { return nil }
        p += i
        return value
    }
}
