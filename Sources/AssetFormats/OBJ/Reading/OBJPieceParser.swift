import AssetIO
import AssetModel

/// Parses a run of whole lines. Lines written as nearly all are go the quick way, straight from the bytes; whatever does not
/// fit it is left to the careful way (`OBJCarefulLines.swift`), line by line, which gives the same for the same line.
struct OBJPieceParser: ~Copyable {
    /// How a piece is read.
    struct Settings: Sendable {
        /// Whether texture coordinates, normals and their indices are kept; they are looked at all the same.
        var wantsPrimvars = true
        /// What stands before the piece, and which indices are good there. Nil while that is not known: then indices are
        /// taken as they are, and the piece says what it needs.
        var known: (before: OBJBases, limit: OBJBases?)?
        /// Whether positions are kept in double precision as well.
        var keepsDoubles = false
    }

    /// Bytes behind the piece that can be read as well: the quick way looks ahead of the line's end.
    static let lookahead = 64
    /// Corners of a face that the quick way takes.
    private static let quickCorners = 64

    var settings: Settings
    let keeps: Bool
    private let powers = DecimalPowers.shared

    var positions = OBJGrowing<Point3f>()
    private var doubles = OBJGrowing<Point3d>()
    var colors = OBJGrowing<Vector3f>()
    var texcoords = OBJGrowing<Vector2f>()
    var normals = OBJGrowing<Vector3f>()
    var counts = OBJBases()

    var faceCount = 0
    private var faceSize: Int32 = 0
    private var faceSizes = OBJGrowing<Int32>()
    var positionIndices = OBJGrowing<Int32>()
    var texcoordIndices = OBJGrowing<Int32>()
    var normalIndices = OBJGrowing<Int32>()
    var lineSizes = OBJGrowing<Int32>()
    var lineIndices = OBJGrowing<Int32>()
    var pointIndices = OBJGrowing<Int32>()

    var events: [OBJEvent] = []
    var names = OBJNames()
    var faults = OBJFaults()
    var statementCount = 0
    /// Whether any line is a comment.
    private var hasComments = false
    /// Faces before the first position.
    private var facesBeforePositions = 0
    private var largestError = 0.0
    /// The indices that were met.
    struct Seen {
        /// The highest ones, from 1, since the last position, texture coordinate or normal.
        var highest = OBJBases()
        /// The lowest running ones, as the piece's own count: below zero where they reach before it.
        var lowest = OBJBases()
        var hasRunningIndices = false
    }
    var seen = Seen()
    private var needed = OBJBases()

    private var lengths = (position: Length(), texcoord: Length(), normal: Length())
    /// Where stores go that nobody wants.
    private let nowhere = UnsafeMutablePointer<Int32>.allocate(capacity: OBJPieceParser.quickCorners)
    /// The first byte of the piece, and its place in the file.
    var start: UnsafePointer<UInt8>
    var fileOffset = 0
    /// The end of what can be read.
    private var readable: UnsafePointer<UInt8>
    /// A line in one part, for the careful way.
    var line: [UInt8] = []

    init(_ settings: Settings) {
        self.settings = settings
        keeps = settings.wantsPrimvars
        start = UnsafePointer(UnsafeMutableRawPointer(nowhere).assumingMemoryBound(to: UInt8.self))
        readable = start
    }

    deinit { nowhere.deallocate() }

    /// Parses the lines from a pointer on. `lookahead` bytes behind them can be read as well.
    mutating func parse(_ bytes: UnsafePointer<UInt8>, count: Int, fileOffset: Int) {
        start = bytes
        self.fileOffset = fileOffset
        let end = bytes + count
        readable = end + Self.lookahead
        // Exact indices are a careful matter.
        let isQuick = settings.known == nil
        var p = bytes
        while p < end {
            switch p.pointee {
            case UInt8(ascii: "f"):
                if isQuick, Self.isBlank(p[1]), face(&p) { continue }
            case UInt8(ascii: "v"):
                switch p[1] {
                case 0x20, 0x09: if position(&p) { continue }
                case UInt8(ascii: "t"): if Self.isBlank(p[2]), texcoord(&p) { continue }
                case UInt8(ascii: "n"): if Self.isBlank(p[2]), normal(&p) { continue }
                default: break
                }
            case 0x0A, 0x0D, 0x20, 0x09:
                p += 1
                continue
            case UInt8(ascii: "#"):
                hasComments = true
                skipLine(&p, end)
                continue
            default: break
            }
            carefulLine(&p, end)
        }
        noteNeeds()
    }

    @inline(__always)
    private static func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 }

    @inline(__always)
    func offset(_ p: UnsafePointer<UInt8>) -> Int { fileOffset + (p - start) }

    func skipLine(_ p: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        while p < end, p.pointee != 0x0A, p.pointee != 0x0D { p += 1 }
    }

    // MARK: Vertices

    /// `v x y z` with or without a colour.
    @inline(__always)
    private mutating func position(_ p: inout UnsafePointer<UInt8>) -> Bool {
        var q = p + 1
        guard let x = Self.number(&q, powers, readable), let y = Self.number(&q, powers, readable), let z = Self.number(&q, powers, readable)
        else { return false }
        if Self.atLineEnd(&q) {
            p = q
            add(x, y, z)
            return true
        }
        guard let r = Self.number(&q, powers, readable), let g = Self.number(&q, powers, readable), let b = Self.number(&q, powers, readable),
            Self.atLineEnd(&q)
        else { return false }
        p = q
        add(x, y, z)
        addColor(Vector3f(Float(r), Float(g), Float(b)))
        return true
    }

    @inline(__always)
    mutating func add(_ x: Double, _ y: Double, _ z: Double) {
        if seen.highest.positions > 0 { noteNeeds() }
        if counts.positions == 0 { facesBeforePositions = faceCount }
        let point = Point3f(Float(x), Float(y), Float(z))
        positions.append(point)
        if settings.keepsDoubles { doubles.append(Point3d(x, y, z)) }
        counts.positions &+= 1
        statementCount &+= 1
        note(x, point.x)
        note(y, point.y)
        note(z, point.z)
    }

    /// How far the text is from what single precision holds; not a number compares as no error.
    @inline(__always)
    private mutating func note(_ exact: Double, _ held: Float) {
        let error = (exact - Double(held)).magnitude
        if error > largestError { largestError = error }
    }

    /// The colour of the position that was just added.
    mutating func addColor(_ color: Vector3f) {
        colors.fill(to: positions.count - 1, with: Vector3f(.nan, .nan, .nan))
        colors.append(color)
    }

    /// `vt u v` with or without a third number.
    @inline(__always)
    private mutating func texcoord(_ p: inout UnsafePointer<UInt8>) -> Bool {
        var q = p + 2
        if !keeps, Self.skip(&q, numbers: 2) {
            p = q
            add(texcoord: Vector2f(0, 0))
            return true
        }
        q = p + 2
        guard let u = Self.number(&q, powers, readable), let v = Self.number(&q, powers, readable) else { return false }
        if !Self.atLineEnd(&q) {
            guard let w = Self.number(&q, powers, readable), Self.atLineEnd(&q) else { return false }
            if w != 0 { faults.add(.depths, at: offset(p)) }
        }
        p = q
        add(texcoord: Vector2f(Float(u), Float(v)))
        return true
    }

    @inline(__always)
    mutating func add(texcoord: Vector2f) {
        if seen.highest.texcoords > 0 { noteNeeds() }
        if keeps { texcoords.append(texcoord) }
        counts.texcoords &+= 1
        statementCount &+= 1
    }

    /// `vn x y z`.
    @inline(__always)
    private mutating func normal(_ p: inout UnsafePointer<UInt8>) -> Bool {
        var q = p + 2
        if !keeps, Self.skip(&q, numbers: 3) {
            p = q
            add(normal: Vector3f(0, 0, 0))
            return true
        }
        q = p + 2
        guard let x = Self.number(&q, powers, readable), let y = Self.number(&q, powers, readable), let z = Self.number(&q, powers, readable),
            Self.atLineEnd(&q)
        else { return false }
        p = q
        add(normal: Vector3f(Float(x), Float(y), Float(z)))
        return true
    }

    @inline(__always)
    mutating func add(normal: Vector3f) {
        if seen.highest.normals > 0 { noteNeeds() }
        if keeps { normals.append(normal) }
        counts.normals &+= 1
        statementCount &+= 1
    }

    /// A number behind blanks. What is no number, or does not end where a word ends, is nil. (A method would take a copy of the
    /// whole parser each time.)
    @inline(__always)
    private static func number(
        _ q: inout UnsafePointer<UInt8>, _ powers: DecimalPowers, _ readable: UnsafePointer<UInt8>
    ) -> Double? {
        while isBlank(q.pointee) { q += 1 }
        var r = q
        if let plain = PlainNumber.quickReal(&r, powers), r.pointee <= 0x20 {
            q = r
            return plain
        }
        return unusualNumber(&q, readable)
    }

    /// Passes over so many plain numbers and the line's end, where nobody wants to know them; false where anything else stands there.
    @inline(__always)
    private static func skip(_ q: inout UnsafePointer<UInt8>, numbers: Int) -> Bool {
        for _ in 0..<numbers {
            while isBlank(q.pointee) { q += 1 }
            if q.pointee == UInt8(ascii: "-") { q += 1 }
            let first = q
            while q.pointee &- 48 <= 9 { q += 1 }
            guard q > first else { return false }
            if q.pointee == UInt8(ascii: ".") {
                q += 1
                let letters = UInt64(littleEndian: UnsafeRawPointer(q).loadUnaligned(as: UInt64.self)) ^ 0x3030_3030_3030_3030
                let others = (letters | (letters &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080
                guard others != 0 else { return false }
                q += others.trailingZeroBitCount &>> 3
            }
            guard q.pointee <= 0x20 else { return false }
        }
        return atLineEnd(&q)
    }

    /// Exponents, many digits, signs.
    @inline(never)
    private static func unusualNumber(_ q: inout UnsafePointer<UInt8>, _ readable: UnsafePointer<UInt8>) -> Double? {
        while isBlank(q.pointee) { q += 1 }
        var i = 0
        let text = unsafe Span(_unsafeStart: q, count: min(readable - q, 512))
        guard let value = FloatParser.double(text, at: &i), i < text.count, text[i] <= 0x20 else { return nil }
        q += i
        return value
    }

    /// Passes over blanks and the line's end; false, where more follows, leaves the place behind the blanks.
    @inline(__always)
    private static func atLineEnd(_ q: inout UnsafePointer<UInt8>) -> Bool {
        while isBlank(q.pointee) { q += 1 }
        guard q.pointee == 0x0A || q.pointee == 0x0D else { return false }
        q += 1
        return true
    }

    // MARK: Faces

    /// `f` with corners of any form whose indices are plain numbers. Nothing is taken where it gives up.
    @inline(__always)
    private mutating func face(_ p: inout UnsafePointer<UInt8>) -> Bool {
        positionIndices.reserve(Self.quickCorners)
        if keeps {
            texcoordIndices.reserve(Self.quickCorners)
            normalIndices.reserve(Self.quickCorners)
        }
        let (tracksTexcoords, tracksNormals) = (texcoordIndices.count > 0, normalIndices.count > 0)
        let a = positionIndices.end
        let b = tracksTexcoords ? texcoordIndices.end : nowhere
        let c = tracksNormals ? normalIndices.end : nowhere
        var top: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var q = p + 1
        var n = 0
        while true {
            while Self.isBlank(q.pointee) { q += 1 }
            if q.pointee &- 48 > 9 {
                if q.pointee == 0x0A || q.pointee == 0x0D { break }
                return q.pointee == UInt8(ascii: "-") && runningFace(&p)
            }
            let position = Self.digits(&q, &lengths.position)
            guard position > 0, n < Self.quickCorners else { return false }
            var (texcoord, normal): (UInt64, UInt64) = (0, 0)
            if q.pointee == UInt8(ascii: "/") {
                q += 1
                if q.pointee != UInt8(ascii: "/") {
                    texcoord = Self.digits(&q, &lengths.texcoord)
                    guard texcoord > 0 else { return q.pointee == UInt8(ascii: "-") && runningFace(&p) }
                }
                if q.pointee == UInt8(ascii: "/") {
                    q += 1
                    normal = Self.digits(&q, &lengths.normal)
                    guard normal > 0 else { return q.pointee == UInt8(ascii: "-") && runningFace(&p) }
                }
            }
            guard q.pointee <= 0x20 else { return false }
            a[n] = Int32(bitPattern: Self.value(position) &- 1)
            if keeps {
                b[n] = Int32(bitPattern: Self.value(texcoord) &- 1)
                c[n] = Int32(bitPattern: Self.value(normal) &- 1)
            }
            // Digits with the last one lowest are in the order of the numbers.
            top = (max(top.0, position.byteSwapped), max(top.1, texcoord.byteSwapped), max(top.2, normal.byteSwapped))
            n &+= 1
        }
        guard n >= 3 else { return false }
        // The first corners with an attribute: those before have none.
        if keeps, top.1 > 0 && !tracksTexcoords || top.2 > 0 && !tracksNormals { return false }
        p = q + 1
        seen.highest.positions = max(seen.highest.positions, Int(Self.value(top.0.byteSwapped)))
        seen.highest.texcoords = max(seen.highest.texcoords, Int(Self.value(top.1.byteSwapped)))
        seen.highest.normals = max(seen.highest.normals, Int(Self.value(top.2.byteSwapped)))
        positionIndices.advance(n)
        if tracksTexcoords { texcoordIndices.advance(n) }
        if tracksNormals { normalIndices.advance(n) }
        addFace(n)
        return true
    }

    /// How many digits the last index of a kind had: the flag of the first letter behind them, and their bits.
    private struct Length {
        var flag: UInt64 = 0x8000
        var bits: UInt64 = 8
    }

    /// The digits of a whole number of at most eight, moved to the top; 0 where there is none, where it is zero, or longer.
    ///
    /// Most indices are as long as the one before. Taking that length where it is right, and not the one found, lets the processor
    /// go on to the next index before this one is understood.
    @inline(__always)
    private static func digits(_ q: inout UnsafePointer<UInt8>, _ length: inout Length) -> UInt64 {
        // Eight letters at once, up to the first that is no digit.
        let letters = UInt64(littleEndian: UnsafeRawPointer(q).loadUnaligned(as: UInt64.self)) ^ 0x3030_3030_3030_3030
        let others = (letters | (letters &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080
        let flag = others & (0 &- others)
        if flag != length.flag {
            guard flag > 0x80 else {
                guard flag == 0, q[8] &- 48 > 9 else { return 0 }
                q += 8
                return letters
            }
            length = Length(flag: flag, bits: UInt64(truncatingIfNeeded: flag.trailingZeroBitCount & 0x78))
        }
        q += Int(truncatingIfNeeded: length.bits &>> 3)
        return letters &<< (64 &- length.bits)
    }

    /// What digits at the top are together: pairwise, then by fours, then all.
    @inline(__always)
    private static func value(_ digits: UInt64) -> UInt32 {
        var v = digits
        v = (v &* 10 &+ (v &>> 8)) & 0x00FF_00FF_00FF_00FF
        v = (v &* 100 &+ (v &>> 16)) & 0x0000_FFFF_0000_FFFF
        v = (v &* 10000 &+ (v &>> 32)) & 0xFFFF_FFFF
        return UInt32(truncatingIfNeeded: v)
    }

    /// A face of running indices, the other way of those who write OBJ line by line.
    private mutating func runningFace(_ p: inout UnsafePointer<UInt8>) -> Bool {
        let (tracksTexcoords, tracksNormals) = (texcoordIndices.count > 0, normalIndices.count > 0)
        let a = positionIndices.end
        let b = tracksTexcoords ? texcoordIndices.end : nowhere
        let c = tracksNormals ? normalIndices.end : nowhere
        var low = (0, 0, 0)
        var (sawTexcoord, sawNormal) = (false, false)
        var q = p + 1
        var n = 0
        while true {
            while Self.isBlank(q.pointee) { q += 1 }
            if q.pointee == 0x0A || q.pointee == 0x0D { break }
            guard let position = Self.backIndex(&q), n < Self.quickCorners else { return false }
            a[n] = Self.running(counts.positions - position, &low.0)
            (b[n], c[n]) = (OBJPiece.absent, OBJPiece.absent)
            if q.pointee == UInt8(ascii: "/") {
                q += 1
                if q.pointee != UInt8(ascii: "/") {
                    guard let texcoord = Self.backIndex(&q) else { return false }
                    b[n] = Self.running(counts.texcoords - texcoord, &low.1)
                    sawTexcoord = true
                }
                if q.pointee == UInt8(ascii: "/") {
                    q += 1
                    guard let normal = Self.backIndex(&q) else { return false }
                    c[n] = Self.running(counts.normals - normal, &low.2)
                    sawNormal = true
                }
            }
            guard q.pointee <= 0x20 else { return false }
            n &+= 1
        }
        guard n >= 3 else { return false }
        if keeps, sawTexcoord && !tracksTexcoords || sawNormal && !tracksNormals { return false }
        p = q + 1
        seen.lowest.positions = min(seen.lowest.positions, low.0)
        seen.lowest.texcoords = min(seen.lowest.texcoords, low.1)
        seen.lowest.normals = min(seen.lowest.normals, low.2)
        seen.hasRunningIndices = true
        positionIndices.advance(n)
        if tracksTexcoords { texcoordIndices.advance(n) }
        if tracksNormals { normalIndices.advance(n) }
        addFace(n)
        return true
    }

    @inline(__always)
    private static func backIndex(_ q: inout UnsafePointer<UInt8>) -> Int? {
        guard q.pointee == UInt8(ascii: "-") else { return nil }
        q += 1
        var length = Length()
        let digits = Self.digits(&q, &length)
        return digits > 0 ? Int(Self.value(digits)) : nil
    }

    @inline(__always)
    private static func running(_ own: Int, _ low: inout Int) -> Int32 {
        low = min(low, own)
        return OBJPiece.running &+ Int32(truncatingIfNeeded: own)
    }

    /// Counts a face whose corners have been stored.
    @inline(__always)
    mutating func addFace(_ n: Int) {
        let size = Int32(truncatingIfNeeded: n)
        if size != faceSize || faceSizes.count > 0 { addSize(size) }
        faceCount &+= 1
        statementCount &+= 1
    }

    private mutating func addSize(_ size: Int32) {
        if faceCount == 0 {
            faceSize = size
        } else {
            faceSizes.fill(to: faceCount, with: faceSize)
            faceSizes.append(size)
        }
    }

    // MARK: What the piece needs

    /// Takes the highest indices so far together with what the piece has defined until now.
    mutating func noteNeeds() {
        if seen.highest.positions > 0 { needed.positions = max(needed.positions, seen.highest.positions - counts.positions) }
        if seen.highest.texcoords > 0 { needed.texcoords = max(needed.texcoords, seen.highest.texcoords - counts.texcoords) }
        if seen.highest.normals > 0 { needed.normals = max(needed.normals, seen.highest.normals - counts.normals) }
        seen.highest = OBJBases()
    }

    /// What has been parsed, as columns of exactly the size they need. The parser begins anew with the memory it has.
    mutating func finished(_ range: Range<Int>) -> OBJPiece {
        // Colours that the last positions have not.
        if colors.count > 0 { colors.fill(to: positions.count, with: Vector3f(.nan, .nan, .nan)) }
        defer { reset() }
        return OBJPiece(
            range: range, positions: positions.taken(), doubles: doubles.taken(), colors: colors.taken(), texcoords: texcoords.taken(),
            normals: normals.taken(), counts: counts, faceCount: faceCount, faceSize: faceSize, faceSizes: faceSizes.taken(),
            positionIndices: positionIndices.taken(), texcoordIndices: texcoordIndices.taken(), normalIndices: normalIndices.taken(),
            lineSizes: lineSizes.taken(), lineIndices: lineIndices.taken(), pointIndices: pointIndices.taken(), events: events, names: names,
            faults: faults, largestError: largestError, statementCount: statementCount, hasComments: hasComments,
            facesBeforePositions: facesBeforePositions, needed: needed,
            reach: OBJBases(positions: -seen.lowest.positions, texcoords: -seen.lowest.texcoords, normals: -seen.lowest.normals),
            hasRunningIndices: seen.hasRunningIndices)
    }

    private mutating func reset() {
        (counts, faceCount, faceSize, statementCount) = (OBJBases(), 0, 0, 0)
        (events, names, faults) = ([], OBJNames(), OBJFaults())
        (hasComments, facesBeforePositions, largestError) = (false, 0, 0)
        (seen, needed) = (Seen(), OBJBases())
    }
}
