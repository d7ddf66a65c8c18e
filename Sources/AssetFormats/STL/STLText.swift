import AssetIO
import AssetModel

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
        return i >= head.count || matches(head, i, "facet") || matches(head, i, "endsolid") || matches(head, i, "color")
    }

    private static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 || c == 0x0B || c == 0x0C }
    private static func isLineEnd(_ c: UInt8) -> Bool { c == 0x0A || c == 0x0D }

    private static func matches(_ text: UnsafeRawBufferPointer, _ i: Int, _ word: StaticString) -> Bool {
        let n = word.utf8CodeUnitCount
        guard i + n <= text.count else { return false }
        for k in 0..<n where text[i + k] | 0x20 != word.utf8Start[k] { return false }
        return i + n == text.count || isBlank(text[i + n]) || isLineEnd(text[i + n])
    }

    static func read(_ file: FileBytes, _ diagnostics: inout Diagnostics) throws(AssetError) -> [STLDocument.Solid] {
        var reader = STLTextReader(file, keepsDoubles: false)
        reader.read()
        if reader.needsDoubles {
            reader = STLTextReader(file, keepsDoubles: true)
            reader.read()
        }
        guard reader.facetCount > 0 || reader.sawSolid else {
            throw AssetError("stl.not-stl", "no statement of STL", at: file.location(0))
        }
        reader.report(&diagnostics)
        return reader.solids
    }
}

/// Reads the whole text once; statements that are none are passed over and counted.
private struct STLTextReader {
    private let file: FileBytes
    private(set) var solids: [STLDocument.Solid] = []
    private(set) var sawSolid = false
    private(set) var facetCount = 0
    private var name = ""
    private var points: [Point3f] = []
    /// Points of the facet at hand.
    private var corners: [Point3d] = []
    private var isOpen = false
    private var hasFacet = false
    private var isBroken = false
    private var colored: (count: Int, first: Int) = (0, 0)
    private var facetStart = 0
    private var farthest = 0.0
    private let powers = DecimalPowers.shared
    private var strange: (count: Int, first: Int) = (0, 0)
    private var badFacets: (count: Int, first: Int) = (0, 0)

    /// Whether positions are kept in double precision beside single: a second reading of the few files that need it.
    private let keepsDoubles: Bool
    /// Whether a solid has positions that single precision would move by more than a millionth of its size.
    private(set) var needsDoubles = false
    private var doubles: [Point3d] = []

    init(_ file: FileBytes, keepsDoubles: Bool) {
        self.file = file
        self.keepsDoubles = keepsDoubles
    }

    mutating func report(_ diagnostics: inout Diagnostics) {
        func place(_ offset: Int) -> SourceLocation {
            let (line, column) = lineAndColumn(of: offset, in: file.byteSpan)
            return SourceLocation(file: file.name, position: .line(line, column: column))
        }
        if strange.count > 0 {
            diagnostics.warning("stl.strange-statement", "\(strange.count) lines hold no statement of STL: left out", at: place(strange.first))
        }
        if colored.count > 0 {
            diagnostics.warning("stl.dropped.color", "\(colored.count) colours of facets in text are not read", at: place(colored.first))
        }
        if badFacets.count > 0 {
            diagnostics.warning("stl.bad-facet", "\(badFacets.count) facets without three whole points: left out", at: place(badFacets.first))
        }
    }

    // MARK: Statements

    mutating func read() {
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let end = base + raw.count
            var p = base
            var released = 0
            if raw.count >= 3, p[0] == 0xEF, p[1] == 0xBB, p[2] == 0xBF { p += 3 }
            while true {
                while p < end, p.pointee <= 0x20 { p += 1 }
                guard p < end else { break }
                statement(&p, end, base)
                if p - base - released >= 4 << 20 {
                    file.release(released, count: p - base - released)
                    released = p - base
                }
            }
            file.release(released, count: raw.count - released)
        }
        if !corners.isEmpty { endFacet(at: file.count) }
        if isOpen { close() }
    }

    private mutating func statement(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ base: UnsafePointer<UInt8>) {
        let start = p - base
        // In the order of how often they come.
        if take(&p, end, "vertex") {
            guard let x = number(&p, end), let y = number(&p, end), let z = number(&p, end) else {
                isBroken = true
                return skipLine(&p, end)
            }
            if corners.isEmpty { facetStart = start }
            corners.append(Point3d(x, y, z))
        } else if take(&p, end, "facet") {
            if !corners.isEmpty { endFacet(at: start) }
            (facetStart, isBroken, hasFacet) = (start, false, true)
            // The normal says nothing that the points do not.
            skipLine(&p, end)
        } else if take(&p, end, "outer") {
            if !take(&p, end, "loop") { strangeLine(&p, end, start) }
        } else if take(&p, end, "endloop") {
        } else if take(&p, end, "endfacet") {
            endFacet(at: start)
        } else if take(&p, end, "solid") {
            if !corners.isEmpty { endFacet(at: start) }
            if isOpen { close() }
            (isOpen, sawSolid) = (true, true)
            name = restOfLine(&p, end)
        } else if take(&p, end, "endsolid") {
            if !corners.isEmpty { endFacet(at: start) }
            skipLine(&p, end)
            close()
        } else if take(&p, end, "color") {
            if colored.count == 0 { colored.first = start }
            colored.count += 1
            skipLine(&p, end)
        } else {
            strangeLine(&p, end, start)
        }
    }

    private mutating func endFacet(at offset: Int) {
        defer {
            corners.removeAll(keepingCapacity: true)
            (isBroken, hasFacet) = (false, false)
        }
        guard hasFacet || !corners.isEmpty else { return }
        isOpen = true
        guard corners.count == 3, !isBroken else {
            if badFacets.count == 0 { badFacets.first = facetStart }
            badFacets.count += 1
            return
        }
        facetCount += 1
        for c in corners {
            let f = Point3f(Float(c.x), Float(c.y), Float(c.z))
            points.append(f)
            if keepsDoubles { doubles.append(c) }
            note(c.x, f.x)
            note(c.y, f.y)
            note(c.z, f.z)
        }
    }

    /// How far the text is from what single precision holds.
    @inline(__always)
    private mutating func note(_ exact: Double, _ held: Float) {
        farthest = max(farthest, abs(exact - Double(held)))
    }

    private mutating func close() {
        let isCoarse = farthest > 0 && farthest > size() * 1e-6
        if isCoarse { needsDoubles = true }
        let held: PointArray = isCoarse && keepsDoubles ? .double(.loaded(doubles)) : .float(.loaded(points))
        solids.append(STLDocument.Solid(name: name, points: held, colors: nil))
        (name, points, doubles, isOpen, farthest) = ("", [], [], false, 0)
    }

    /// The diagonal of the solid's box.
    private func size() -> Double {
        guard var low = points.first else { return 0 }
        var high = low
        for p in points {
            low = Point3f(min(low.x, p.x), min(low.y, p.y), min(low.z, p.z))
            high = Point3f(max(high.x, p.x), max(high.y, p.y), max(high.z, p.z))
        }
        let (x, y, z) = (Double(high.x) - Double(low.x), Double(high.y) - Double(low.y), Double(high.z) - Double(low.z))
        return (x * x + y * y + z * z).squareRoot()
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
        if end - p >= 48, let plain = PlainNumber.quickReal(&p, powers) { return plain }
        var i = 0
        let span = unsafe Span(_unsafeStart: p, count: min(end - p, 400))
        guard let value = FloatParser.double(span, at: &i) else { return nil }
        p += i
        return value
    }
}
