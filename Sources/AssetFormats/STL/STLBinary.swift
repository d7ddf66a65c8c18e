import AssetIO
import AssetModel

/// Binary STL: 80 bytes of anything, a count, and fifty bytes a triangle: normal, three points, attribute bytes.
enum STLBinary {
    static let headerSize = 84
    static let recordSize = 50

    /// The size says so, whatever the first bytes are; without it, only text is not binary.
    static func isBinary(_ file: FileBytes) -> Bool {
        file.withUnsafeBytes { raw in
            if let declared = declaredCount(raw), raw.count - headerSize == declared * recordSize { return true }
            return !STLText.isText(UnsafeRawBufferPointer(rebasing: raw[0..<min(raw.count, FormatRegistry.headCount)]))
        }
    }

    private static func declaredCount(_ raw: UnsafeRawBufferPointer) -> Int? {
        raw.count >= headerSize ? Int(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 80, as: UInt32.self))) : nil
    }

    static func read(_ file: FileBytes, _ options: ReadOptions, _ diagnostics: inout Diagnostics) throws(AssetError) -> STLDocument.Solid {
        let place = file.location(80)
        guard let declared = file.withUnsafeBytes({ declaredCount($0) }) else {
            throw AssetError(
                "stl.not-stl", "\(amount(file.count, "byte")) of no text of STL, expected a header of \(headerSize)", at: file.location(0))
        }
        let complete = (file.count - headerSize) / recordSize
        if complete != declared || (file.count - headerSize) % recordSize != 0 {
            guard complete > 0 || declared == 0, isPlausible(file, complete) else {
                throw AssetError(
                    "stl.not-stl", "neither text nor binary STL: \(amount(declared, "triangle")) said, \(complete) would fit", at: place)
            }
            let spare = (file.count - headerSize) - complete * recordSize
            diagnostics.warning(
                "stl.count-mismatch",
                "\(amount(declared, "triangle")) said, \(amount(complete, "complete one")) found\(spare > 0 ? " and \(amount(spare, "byte")) more" : "")",
                at: place)
        }
        let records = STLRecords(file: file, count: complete)
        // Where nobody loads the points, what is asked for is found in one pass.
        let survey = options.wantsMeshPrimvars && !options.wantsArrays ? records.survey() : nil
        let colors = options.wantsMeshPrimvars ? colors(records, survey) : nil
        return STLDocument.Solid(name: "", points: .float(.deferred(STLPoints(records: records, known: survey?.bounds))), colors: colors)
    }

    /// Whether the first triangle could be one: the bytes of other files read as numbers are beyond all measure.
    private static func isPlausible(_ file: FileBytes, _ complete: Int) -> Bool {
        guard complete > 0 else { return true }
        return file.withUnsafeBytes { raw in
            // Words alone are text of something else.
            let isText = raw[0..<min(raw.count, 512)].allSatisfy { $0 >= 0x20 && $0 < 0x7F || (0x09...0x0D).contains($0) }
            return !isText
                && (3..<12).allSatisfy { i in
                    let bits = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: headerSize + 4 * i, as: UInt32.self))
                    let value = Float(bitPattern: bits)
                    return value == 0 || (value.magnitude > 1e-20 && value.magnitude < 1e20)
                }
        }
    }

    // MARK: Colours

    /// `COLOR=` in the header is Magics: bit 15 clear means an own colour, red in the low bits, else the header's. Without it
    /// bit 15 set is VisCAM: red in the high bits. Nil where nothing is coloured.
    private static func colors(_ records: STLRecords, _ survey: STLRecords.Survey?) -> DeferredArray<Vector3f>? {
        let header = records.file.withUnsafeBytes { Array($0[0..<80]) }
        let word = Array("COLOR=".utf8)
        for i in 0..<(80 - word.count - 4) where header[i..<(i + word.count)].elementsEqual(word) {
            let c = header[(i + word.count)...].prefix(3).map { Float($0) / 255 }
            return .deferred(STLColors(records: records, fallback: Vector3f(c[0], c[1], c[2]), isMagics: true))
        }
        let source = STLColors(records: records, fallback: Vector3f(1, 1, 1), isMagics: false)
        return survey?.hasColor ?? source.hasColor() ? .deferred(source) : nil
    }
}

/// The triangles of a binary file, read in blocks; pages behind the cursor are let go.
struct STLRecords: Sendable {
    let file: FileBytes
    let count: Int

    func forEachRun(_ body: (UnsafeRawPointer, Int) -> Bool) {
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return }
            var done = 0
            var released = 0
            while done < count {
                let n = min(count - done, 20_000)
                let offset = STLBinary.headerSize + done * STLBinary.recordSize
                if !body(base + offset, n) { break }
                done += n
                let end = offset + n * STLBinary.recordSize
                if end - released >= 4 << 20 {
                    file.release(released, count: end - released)
                    released = end
                }
            }
            file.release(released, count: STLBinary.headerSize + done * STLBinary.recordSize - released)
        }
    }
}

extension STLRecords {
    struct Survey {
        var bounds = FiniteBounds()
        /// Whether the highest bit of an attribute word is set.
        var hasColor = false
    }

    /// Measures all points and looks at all attribute words, straight in the records.
    func survey() -> Survey {
        var survey = Survey()
        forEachRun { start, n in
            STLRecords.survey(start, n, &survey)
            return true
        }
        return survey
    }

    /// Comparisons with NaN are false, so NaN never enters a box; where the sum of all numbers is not finite, some number is not
    /// (or all are huge), and the records are looked at again point by point.
    private static func survey(_ start: UnsafeRawPointer, _ n: Int, _ survey: inout Survey) {
        var (low, high) = (SIMD4<Float>(repeating: .infinity), SIMD4<Float>(repeating: -.infinity))
        var (lowest, highest) = (low, high)
        var sum = SIMD4<Float>(repeating: 0)
        var words: UInt16 = 0
        var p = start
        for _ in 0..<n {
            // x y z and the next x, twice; then z and x y z.
            let a = (p + 12).loadUnaligned(as: SIMD4<Float>.self)
            let b = (p + 24).loadUnaligned(as: SIMD4<Float>.self)
            let c = (p + 32).loadUnaligned(as: SIMD4<Float>.self)
            low.replace(with: a, where: a .< low)
            high.replace(with: a, where: a .> high)
            lowest.replace(with: c, where: c .< lowest)
            highest.replace(with: c, where: c .> highest)
            low.replace(with: b, where: b .< low)
            high.replace(with: b, where: b .> high)
            sum += (a + b) + c
            words |= (p + 48).loadUnaligned(as: UInt16.self)
            p += STLBinary.recordSize
        }
        if UInt16(littleEndian: words) & 0x8000 != 0 { survey.hasColor = true }
        if sum.sum().isFinite {
            func corner(_ a: SIMD4<Float>, _ c: SIMD4<Float>, _ f: (Float, Float) -> Float) -> Vector3d {
                Vector3d(Double(f(f(a[0], a[3]), c[1])), Double(f(a[1], c[2])), Double(f(f(a[2], c[0]), c[3])))
            }
            survey.bounds.box.formUnion(corner(low, lowest, min))
            survey.bounds.box.formUnion(corner(high, highest, max))
            return
        }
        for i in 0..<n {
            for corner in 0..<3 {
                let q = start + i * STLBinary.recordSize + 12 + corner * 12
                let p = Point3f(
                    q.loadUnaligned(as: Float.self), (q + 4).loadUnaligned(as: Float.self), (q + 8).loadUnaligned(as: Float.self))
                if p.isFinite { survey.bounds.box.formUnion(Vector3d(p)) } else { survey.bounds.leftOut += 1 }
            }
        }
    }
}

private struct STLPoints: DeferredArraySource {
    let records: STLRecords
    let known: FiniteBounds?
    var count: Int { records.count * 3 }

    func finiteBounds() -> FiniteBounds? { known ?? records.survey().bounds }

    func load() -> [Point3f] {
        [Point3f](unsafeUninitializedCapacity: count) { out, filled in
            guard let target = UnsafeMutableRawPointer(out.baseAddress) else { return }
            records.forEachRun { start, n in
                copy(start, n, to: target + filled * 12)
                filled += 3 * n
                return true
            }
        }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Point3f>) -> Void) {
        let perBlock = 1000
        let block = UnsafeMutablePointer<Point3f>.allocate(capacity: 3 * perBlock)
        defer { block.deallocate() }
        records.forEachRun { start, n in
            var done = 0
            while done < n {
                let some = min(perBlock, n - done)
                copy(start + done * STLBinary.recordSize, some, to: UnsafeMutableRawPointer(block))
                body(UnsafeBufferPointer(start: block, count: 3 * some))
                done += some
            }
            return true
        }
    }

    /// The points of triangles side by side: 36 of each 50 bytes.
    @inline(__always)
    private func copy(_ start: UnsafeRawPointer, _ n: Int, to target: UnsafeMutableRawPointer) {
        for i in 0..<n {
            let from = start + (i &* STLBinary.recordSize &+ 12)
            let to = target + (i &* 36)
            to.storeBytes(of: from.loadUnaligned(as: SIMD4<UInt32>.self), as: SIMD4<UInt32>.self)
            (to + 16).storeBytes(of: (from + 16).loadUnaligned(as: SIMD4<UInt32>.self), as: SIMD4<UInt32>.self)
            (to + 32).storeBytes(of: (from + 32).loadUnaligned(as: UInt32.self), as: UInt32.self)
        }
    }
}

private struct STLColors: DeferredArraySource {
    let records: STLRecords
    let fallback: Vector3f
    let isMagics: Bool
    var count: Int { records.count }

    private func word(_ start: UnsafeRawPointer, _ i: Int) -> UInt16 {
        UInt16(littleEndian: (start + i * STLBinary.recordSize + 48).loadUnaligned(as: UInt16.self))
    }

    /// Whether any triangle says a colour.
    func hasColor() -> Bool {
        var found = false
        records.forEachRun { start, n in
            for i in 0..<n where word(start, i) & 0x8000 != 0 {
                found = true
                return false
            }
            return true
        }
        return found
    }

    func load() -> [Vector3f] {
        var out: [Vector3f] = []
        out.reserveCapacity(count)
        records.forEachRun { start, n in
            for i in 0..<n {
                let w = word(start, i)
                let (low, middle, high) = (Float(w & 31) / 31, Float(w >> 5 & 31) / 31, Float(w >> 10 & 31) / 31)
                if isMagics {
                    out.append(w & 0x8000 == 0 ? Vector3f(low, middle, high) : fallback)
                } else {
                    out.append(w & 0x8000 != 0 ? Vector3f(high, middle, low) : fallback)
                }
            }
            return true
        }
        return out
    }
}
