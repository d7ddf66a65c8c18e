import AssetIO
import AssetModel
import AssetOps

/// Reads facets that are written as nearly all are: words of the format alone, one blank between `outer` and `loop`, plain numbers.
final class STLPlainFacets: TextPiece {
    private let file: FileBytes
    private let keepsDoubles: Bool
    private let keepsPoints: Bool
    nonisolated(unsafe) private(set) var stop = 0
    /// Facets that were read.
    nonisolated(unsafe) private(set) var count = 0
    nonisolated(unsafe) private(set) var measure = PointMeasure()
    /// The points, where they are kept.
    nonisolated(unsafe) private(set) var points: [Point3f] = []
    nonisolated(unsafe) private(set) var doubles: [Point3d] = []

    /// Facets that are read before they are measured: few enough to stay in the processor's nearest memory.
    private static let block = 256

    init(_ file: FileBytes, keepsDoubles: Bool, keepsPoints: Bool) {
        self.file = file
        self.keepsDoubles = keepsDoubles
        self.keepsPoints = keepsPoints
    }

    func read(from start: Int, upTo limit: Int) {
        (stop, count, measure) = (start, 0, PointMeasure())
        points.removeAll(keepingCapacity: true)
        doubles.removeAll(keepingCapacity: true)
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self), start < raw.count else { return }
            if keepsDoubles {
                read(base, start, min(limit, raw.count), raw.count, Double.self)
            } else {
                read(base, start, min(limit, raw.count), raw.count, Float.self)
            }
        }
    }

    private func read<N: BinaryFloatingPoint>(_ base: UnsafePointer<UInt8>, _ start: Int, _ limit: Int, _ end: Int, _ type: N.Type) {
        var p = base + start
        withUnsafeTemporaryAllocation(of: N.self, capacity: STLPlainFacets.block * 9) { block in
            guard let numbers = block.baseAddress else { return }
            while true {
                let n = STLPlainFacets.facets(&p, base + limit, base + end, numbers, STLPlainFacets.block)
                count += n
                if let floats = numbers as? UnsafeMutablePointer<Float> {
                    take(UnsafeRawPointer(floats).assumingMemoryBound(to: Point3f.self), n * 3)
                } else if let doubles = numbers as? UnsafeMutablePointer<Double> {
                    take(UnsafeRawPointer(doubles).assumingMemoryBound(to: Point3d.self), n * 3)
                }
                if n < STLPlainFacets.block { break }
            }
        }
        stop = p - base
    }

    private func take(_ new: UnsafePointer<Point3f>, _ n: Int) {
        let block = UnsafeBufferPointer(start: new, count: n)
        measure.add(block)
        if keepsPoints { points.append(contentsOf: block) }
    }

    private func take(_ new: UnsafePointer<Point3d>, _ n: Int) {
        let block = UnsafeBufferPointer(start: new, count: n)
        measure.add(block)
        guard keepsPoints else { return }
        doubles.append(contentsOf: block)
        for p in block { points.append(Point3f(Float(p.x), Float(p.y), Float(p.z))) }
    }

    private static let facet = PlainText.word("facet no")
    private static let outer = PlainText.word("outer lo")
    private static let loopEnd = PlainText.word("op")
    private static let vertex = PlainText.word("vertex")
    private static let endloop = PlainText.word("endloop")
    private static let endfacet = PlainText.word("endfacet")

    /// Passes over a word and what blanks follow it; there must be one.
    @inline(__always)
    private static func pass(
        _ p: inout UnsafePointer<UInt8>, _ safe: UnsafePointer<UInt8>, _ word: (word: UInt64, mask: UInt64), _ length: Int
    ) -> Bool {
        guard p < safe, PlainText.matches(p, word.word, mask: word.mask), p[length] <= 32 else { return false }
        p += length + 1
        PlainText.passBlanks(&p, safe)
        return true
    }

    /// Reads up to `most` facets, nine numbers each; the last begins before `limit`. Moves `p` behind them and the blanks after.
    @inline(__always)
    private static func facets<N: BinaryFloatingPoint>(
        _ start: inout UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ out: UnsafeMutablePointer<N>,
        _ most: Int
    ) -> Int {
        let powers = DecimalPowers.shared
        let (facet, outer, loopEnd, vertex, endloop, endfacet) = (facet, outer, loopEnd, vertex, endloop, endfacet)
        // So much can be read at any place before.
        let safe = end - 48
        var p = start
        var n = 0
        var q = out

        while n < most, p < limit {
            // The normal says nothing that the points do not.
            guard p < safe, PlainText.matches(p, facet.word, mask: facet.mask) else { break }
            p += 8
            PlainText.passLine(&p, safe)
            PlainText.passBlanks(&p, safe)
            guard p < safe, PlainText.matches(p, outer.word, mask: outer.mask), p[5] == 0x20 else { break }
            p += 8
            guard pass(&p, safe, loopEnd, 2) else { break }
            var isPlain = true
            for corner in 0..<3 {
                guard pass(&p, safe, vertex, 6) else {
                    isPlain = false
                    break
                }
                for axis in 0..<3 {
                    guard p < safe, let number = PlainNumber.quickNumber(&p, powers), p.pointee <= 32 else {
                        isPlain = false
                        break
                    }
                    p += 1
                    PlainText.passBlanks(&p, safe)
                    q[corner * 3 + axis] = N(number)
                }
                if !isPlain { break }
            }
            guard isPlain, pass(&p, safe, endloop, 7), pass(&p, safe, endfacet, 8) else { break }
            start = p
            q += 9
            n += 1
        }
        return n
    }
}
