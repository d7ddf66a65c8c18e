import AssetIO
import AssetModel

/// What a vector of floats is made of.
protocol GLTFVector: Sendable, BitwiseCopyable {
    static var componentCount: Int { get }
}
extension Float: GLTFVector { static var componentCount: Int { 1 } }
extension Vector2f: GLTFVector { static var componentCount: Int { 2 } }
extension Vector3f: GLTFVector { static var componentCount: Int { 3 } }
extension Vector4f: GLTFVector { static var componentCount: Int { 4 } }

/// Elements of one or several accessors, one behind the other, read when they are asked for.
struct GLTFVectors<V: GLTFVector>: DeferredArraySource {
    let parts: [GLTFColumn]
    /// The component of the file's elements that is the vector's first.
    let from: Int
    /// Whether the elements are texture coordinates, of which the second component counts from the other end in the file: `1 - v`;
    /// or tangents, of which the fourth is the side that v grows to: `-w`.
    let flipsV: Bool
    let count: Int

    init(_ parts: [GLTFColumn], from: Int = 0, flipsV: Bool = false) {
        self.parts = parts
        self.from = from
        self.flipsV = flipsV
        count = parts.reduce(0) { $0 &+ $1.count }
    }

    func load() -> [V] {
        [V](unsafeUninitializedCapacity: count) { buffer, made in
            var at = 0
            for part in parts where part.count > 0 {
                if let base = buffer.baseAddress { read(part, 0, part.count, into: base + at) }
                at += part.count
            }
            made = at
        }
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<V>) -> Void) {
        for part in parts where part.count > 0 {
            // Pages of large accessors are given back as they are read.
            let isLarge = part.count > 1 << 16
            if !flipsV, part.withPlainBlocks(of: V.self, from: from, isLarge: isLarge, body) { continue }
            let room = UnsafeMutablePointer<V>.allocate(capacity: min(part.count, GLTFColumn.blockCount))
            defer { room.deallocate() }
            GLTFColumn.blocks(part.count) { first, n in
                read(part, first, n, into: room)
                body(UnsafeBufferPointer(start: room, count: n))
                if isLarge { part.release(first, n) }
            }
        }
    }

    private func read(_ part: GLTFColumn, _ first: Int, _ n: Int, into out: UnsafeMutablePointer<V>) {
        let width = V.componentCount
        UnsafeMutableRawPointer(out).withMemoryRebound(to: Float.self, capacity: n * width) { floats in
            part.read(first, n, from: from, take: width, into: floats)
            guard flipsV else { return }
            if width == 2 {
                for i in 0..<n { floats[i &* 2 &+ 1] = 1 - floats[i &* 2 &+ 1] }
            } else if width == 4 {
                for i in 0..<n { floats[i &* 4 &+ 3] = -floats[i &* 4 &+ 3] }
            }
        }
    }
}

/// Which triangles, lines or points a primitive draws.
enum GLTFMode: Int, Sendable {
    case points = 0
    case lines = 1
    case lineLoop = 2
    case lineStrip = 3
    case triangles = 4
    case triangleStrip = 5
    case triangleFan = 6

    var isTriangles: Bool { rawValue >= 4 }

    /// How many triangles come of so many corners.
    func triangles(_ corners: Int) -> Int {
        switch self {
        case .triangles: corners / 3
        case .triangleStrip, .triangleFan: max(0, corners - 2)
        default: 0
        }
    }
}

/// The corners of triangles: three indices each, of one or several primitives.
struct GLTFTriangles: DeferredArraySource {
    struct Part: Sendable {
        var mode: GLTFMode
        /// Nil: the points in their order.
        var indices: GLTFColumn?
        /// Corners as the file has them: indices, or points.
        var corners: Int
        /// What stands before this part's points.
        var base: Int32
        /// Where an index names a point that is not there: the error that loading ends with.
        var fault: AssetError?

        var triangles: Int { mode.triangles(corners) }
    }

    let parts: [Part]
    let count: Int

    init(_ parts: [Part]) {
        self.parts = parts
        count = parts.reduce(0) { $0 &+ $1.triangles &* 3 }
    }

    func load() throws(AssetError) -> [Int32] {
        var out: [Int32] = []
        out.reserveCapacity(count)
        try forEachBlock { out.append(contentsOf: $0) }
        return out
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Int32>) -> Void) throws(AssetError) {
        if let fault = parts.lazy.compactMap(\.fault).first { throw fault }
        for part in parts where part.triangles > 0 {
            switch part.mode {
            case .triangles: list(part, body)
            default: strip(part, body)
            }
        }
    }

    /// Corners `first` to `first + n` of a part, as points of the mesh.
    private func corners(_ part: Part, _ first: Int, _ n: Int) -> [Int32] {
        guard let indices = part.indices else { return (first..<(first + n)).map { part.base &+ Int32(truncatingIfNeeded: $0) } }
        return [Int32](unsafeUninitializedCapacity: n) { buffer, made in
            if let base = buffer.baseAddress { indices.readIntegers(first, n, into: base) }
            if part.base != 0 { for i in 0..<n { buffer[i] &+= part.base } }
            made = n
        }
    }

    private func list(_ part: Part, _ body: (UnsafeBufferPointer<Int32>) -> Void) {
        let all = part.triangles * 3
        var first = 0
        while first < all {
            let n = min(all - first, 3 << 14)
            corners(part, first, n).withUnsafeBufferPointer { body($0) }
            first += n
        }
    }

    /// The specification's order (3.7.2.1): strips (i, i+1+i%2, i+2-i%2), fans (i+1, i+2, 0).
    private func strip(_ part: Part, _ body: (UnsafeBufferPointer<Int32>) -> Void) {
        let isFan = part.mode == .triangleFan
        let hub = isFan ? corners(part, 0, 1)[0] : 0
        GLTFColumn.blocks(part.triangles) { first, n in
            let c = corners(part, first, n + 2)
            var out: [Int32] = []
            out.reserveCapacity(n * 3)
            for k in 0..<n {
                if isFan {
                    out.append(c[k + 1])
                    out.append(c[k + 2])
                    out.append(hub)
                } else {
                    let odd = (first &+ k) & 1
                    out.append(c[k])
                    out.append(c[k + 1 + odd])
                    out.append(c[k + 2 - odd])
                }
            }
            out.withUnsafeBufferPointer { body($0) }
        }
    }
}

/// Faces of a mesh, as ranges of them.
struct GLTFFaces: DeferredArraySource {
    private(set) var ranges: [Range<Int>] = []
    private(set) var count = 0

    mutating func append(_ range: Range<Int>) {
        count += range.count
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    func load() -> [Int32] {
        var out: [Int32] = []
        out.reserveCapacity(count)
        for range in ranges { for i in range { out.append(Int32(truncatingIfNeeded: i)) } }
        return out
    }
}

/// Joints' numbers of all sets, `4 * sets` a point, as a skin wants them side by side. A joint that the skin does not have is its
/// first, and has no weight (`GLTFWeights`).
struct GLTFJoints: DeferredArraySource {
    /// The sets of each part. Every set of a part has as many elements, four components each: the reader left others out.
    let parts: [[GLTFColumn]]
    let jointCount: Int
    let count: Int

    init(_ parts: [[GLTFColumn]], _ jointCount: Int) {
        self.parts = parts
        self.jointCount = jointCount
        count = parts.reduce(0) { $0 + ($1.first?.count ?? 0) * 4 * $1.count }
    }

    func load() -> [Int32] { sideBySide(parts, count) { $0.integers() }.map { isJoint($0) ? $0 : 0 } }

    func isJoint(_ index: Int32) -> Bool { index >= 0 && Int(index) < jointCount }

    /// How many of the numbers are none of the skin's joints, and the first of them.
    func strangers() -> (count: Int, first: Int32)? {
        var found: (count: Int, first: Int32)?
        for sets in parts {
            for set in sets {
                GLTFColumn.blocks(set.count) { first, n in
                    var block = [Int32](repeating: 0, count: n * set.width)
                    block.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { set.readIntegers(first, n, into: base) } }
                    for index in block where !isJoint(index) { found = ((found?.count ?? 0) + 1, found?.first ?? index) }
                }
            }
        }
        return found
    }
}

/// Weights of all sets, beside the joints.
struct GLTFWeights: DeferredArraySource {
    let parts: [[GLTFColumn]]
    let joints: GLTFJoints
    var count: Int { joints.count }

    init(_ parts: [[GLTFColumn]], _ joints: GLTFJoints) {
        self.parts = parts
        self.joints = joints
    }

    func load() -> [Float] {
        var weights = sideBySide(parts, count) { $0.floats() }
        guard joints.strangers() != nil else { return weights }
        for (i, joint) in sideBySide(joints.parts, count, { $0.integers() }).enumerated() where !joints.isJoint(joint) { weights[i] = 0 }
        return weights
    }
}

private func sideBySide<T: Numeric>(_ parts: [[GLTFColumn]], _ count: Int, _ values: (GLTFColumn) -> [T]) -> [T] {
    var out: [T] = []
    out.reserveCapacity(count)
    for sets in parts {
        if sets.count == 1 {
            out.append(contentsOf: values(sets[0]))
            continue
        }
        let all = sets.map(values)
        for i in 0..<(sets.first?.count ?? 0) { for set in all { out.append(contentsOf: set[(i * 4)..<(i * 4 + 4)]) } }
    }
    return out
}
