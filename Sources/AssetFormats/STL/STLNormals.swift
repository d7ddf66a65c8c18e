import AssetIO
import AssetModel

/// Holds the normals that a file stores against the winding of its triangles. Nothing else reads them: the points say all.
enum STLNormals {
    /// What one normal is wrong in, none of it where its triangle has no area: then there is nothing to hold it against.
    private struct Count {
        var wrong = 0
        var first = 0
        var facets = 0

        /// A length further from 1 than a text of three digits brings, or a direction more than 60 degrees off.
        mutating func look(_ n: Vector3f, _ a: Vector3d, _ b: Vector3d, _ c: Vector3d, at offset: Int) {
            facets += 1
            let w = (b - a).cross(c - a)
            let area = w.length
            guard area > 0, area.isFinite else { return }
            let n = Vector3d(n)
            let square = n.dot(n)
            if square > 0.98, square < 1.02, n.dot(w) > 0.5 * area { return }
            if wrong == 0 { first = offset }
            wrong += 1
        }
    }

    /// Warns of all that disagree, once.
    static func check(_ document: STLDocument, _ diagnostics: inout Diagnostics) {
        let file = document.file
        var count = Count()
        if document.isBinary {
            let triangles = document.solids.reduce(0) { $0 + $1.points.count / 3 }
            binary(STLRecords(file: file, count: triangles), &count)
        } else {
            do throws(AssetError) { try text(document, &count) } catch { return }
        }
        guard count.wrong > 0 else { return }
        let (line, column) = document.isBinary ? (0, 0) : lineAndColumn(of: count.first, in: file.byteSpan)
        let location =
            document.isBinary
            ? file.location(count.first) : SourceLocation(file: file.name, position: .line(line, column: column))
        diagnostics.warning(
            "stl.normals-disagree",
            "\(count.wrong) of \(count.facets) stored normals are not those of the winding of their triangles, which are taken", at: location)
    }

    private static func binary(_ records: STLRecords, _ count: inout Count) {
        var offset = STLBinary.headerSize
        func vector(_ p: UnsafeRawPointer) -> Vector3f {
            func number(_ k: Int) -> Float { Float(bitPattern: UInt32(littleEndian: p.loadUnaligned(fromByteOffset: k, as: UInt32.self))) }
            return Vector3f(number(0), number(4), number(8))
        }
        records.forEachRun { start, n in
            for i in 0..<n {
                let p = start + i * STLBinary.recordSize
                count.look(
                    vector(p), Vector3d(vector(p + 12)), Vector3d(vector(p + 24)), Vector3d(vector(p + 36)), at: offset + i * STLBinary.recordSize)
            }
            offset += n * STLBinary.recordSize
            return true
        }
    }

    /// The points are there already; the normals are those of the lines that begin with `facet normal`. Where another number of them
    /// is found than there are triangles, nothing can be said.
    private static func text(_ document: STLDocument, _ count: inout Count) throws(AssetError) {
        let triangles = document.solids.reduce(0) { $0 + $1.points.count / 3 }
        var normals: [(normal: Vector3f, offset: Int)] = []
        normals.reserveCapacity(triangles)
        let bytes = document.file.byteSpan
        var i = 0
        while i < bytes.count {
            while i < bytes.count, bytes[i] <= 0x20 { i += 1 }
            let start = i
            if let numbers = afterWords(bytes, i) {
                i = numbers
                let normal = Vector3f(number(bytes, &i), number(bytes, &i), number(bytes, &i))
                if normals.count == triangles { return }
                normals.append((normal, start))
            }
            while i < bytes.count, bytes[i] != 0x0A, bytes[i] != 0x0D { i += 1 }
        }
        guard normals.count == triangles else { return }
        var k = 0
        for solid in document.solids {
            var corners: [Vector3d] = []
            func add(_ p: Vector3d) {
                corners.append(p)
                guard corners.count == 3 else { return }
                count.look(normals[k].normal, corners[0], corners[1], corners[2], at: normals[k].offset)
                corners.removeAll(keepingCapacity: true)
                k += 1
            }
            switch solid.points {
            case .float(let points): try points.forEachBlock { for p in $0 { add(Vector3d(p)) } }
            case .double(let points): try points.forEachBlock { for p in $0 { add(p) } }
            }
        }
    }

    /// The place behind `facet normal`, in any letter case; nil where something else stands.
    @inline(__always)
    private static func afterWords(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
        guard start < bytes.count, bytes[start] | 0x20 == 0x66 else { return nil }
        var i = start
        func take(_ word: StaticString) -> Bool {
            let n = word.utf8CodeUnitCount
            guard i + n < bytes.count else { return false }
            for k in 0..<n where bytes[i + k] | 0x20 != word.utf8Start[k] { return false }
            guard bytes[i + n] <= 0x20 else { return false }
            i += n
            while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
            return true
        }
        return take("facet") && take("normal") ? i : nil
    }

    /// The next number; NaN where none stands.
    @inline(__always)
    private static func number(_ bytes: Span<UInt8>, _ i: inout Int) -> Float {
        while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
        guard i < bytes.count, bytes[i] > 0x20 else { return .nan }
        if let value = FloatParser.double(bytes, at: &i) { return Float(value) }
        while i < bytes.count, bytes[i] > 0x20 { i += 1 }
        return .nan
    }
}
