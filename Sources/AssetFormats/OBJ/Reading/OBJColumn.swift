/// Numbers of one kind side by side, not to be changed any more, so that threads may share them.
final class OBJColumn<Element: BitwiseCopyable & Sendable>: Sendable {
    nonisolated(unsafe) private let base: UnsafeMutablePointer<Element>
    let count: Int

    /// Takes memory over that was allocated for at least `count` elements.
    init(taking base: UnsafeMutablePointer<Element>, count: Int) {
        self.base = base
        self.count = count
    }

    /// A column that `fill` writes whole.
    convenience init(count: Int, _ fill: (UnsafeMutablePointer<Element>) -> Void) {
        let base = UnsafeMutablePointer<Element>.allocate(capacity: max(count, 1))
        fill(base)
        self.init(taking: base, count: count)
    }

    static var empty: OBJColumn { OBJColumn(taking: .allocate(capacity: 1), count: 0) }

    deinit { base.deallocate() }

    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// Changes elements in place: only while nobody else has the column yet.
    func change(_ body: (UnsafeMutableBufferPointer<Element>) -> Void) { body(UnsafeMutableBufferPointer(start: base, count: count)) }

    /// Some of the elements; none where the range is not inside.
    func elements(_ range: Range<Int>) -> UnsafeBufferPointer<Element> {
        guard range.lowerBound >= 0, range.upperBound <= count else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }
}

/// A column that still grows: room is asked for once a line, then elements are stored without a question.
struct OBJGrowing<Element: BitwiseCopyable & Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init() {
        base = .allocate(capacity: 16)
        capacity = 16
    }

    deinit { base.deallocate() }

    /// Makes room for `extra` more elements.
    @inline(__always)
    mutating func reserve(_ extra: Int) {
        if capacity &- count < extra { grow(extra) }
    }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        let wanted = max(count + extra, capacity * 2, 4096)
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: wanted)
        larger.update(from: base, count: count)
        base.deallocate()
        (base, capacity) = (larger, wanted)
    }

    /// Where the next element goes; `reserve` made the room.
    var end: UnsafeMutablePointer<Element> {
        @inline(__always) get { base + count }
    }

    /// Counts elements that were stored at `end`.
    @inline(__always)
    mutating func advance(_ stored: Int) { count &+= stored }

    @inline(__always)
    mutating func append(_ element: Element) {
        reserve(1)
        base[count] = element
        count &+= 1
    }

    /// Repeats an element until there are `wanted`.
    mutating func fill(to wanted: Int, with element: Element) {
        guard wanted > count else { return }
        reserve(wanted - count)
        (base + count).update(repeating: element, count: wanted - count)
        count = wanted
    }

    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// The elements as a column of just their size; the next ones begin anew in the same memory.
    mutating func taken() -> OBJColumn<Element> {
        guard count > 0 else { return .empty }
        let column = OBJColumn<Element>(count: count) { $0.initialize(from: base, count: count) }
        count = 0
        return column
    }
}
