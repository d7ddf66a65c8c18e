import AssetIO
import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Arrays of numbers that stay in their text until they are asked for: where each is, and how many elements it has.
///
/// What is known of them is that their bytes have the shape of such lists, with the right number of each bracket and comma. That
/// a number does not fit its type, an exponent has two signs or one tuple too many numbers where another has too few, is found
/// when it is read.
final class TextArrays: FieldSource {
    struct Place {
        /// Of the byte behind the opening bracket.
        var offset: Int
        var count: Int32
        var type: ValueType
    }

    private let file: FileBytes
    private(set) var places: ContiguousArray<Place> = []

    init(_ file: FileBytes) { self.file = file }

    /// Notes an array; the result names it.
    func add(_ place: Place) -> UInt64 {
        places.append(place)
        return UInt64(places.count - 1)
    }

    /// Makes room for so many times what there is.
    func makeRoom(_ share: Double) { places.reserveCapacity(Int(Double(places.count) * share)) }

    func fieldValue(_ bits: UInt64) -> USDValue { .deferred(self, bits) }
    func numbers(_ bits: UInt64, _ numbers: inout SixteenNumbers) -> ValueType? { nil }
    func singlePath(_ bits: UInt64) -> Path? { nil }

    func arrayShape(_ representation: UInt64) throws(AssetError) -> (type: ValueType, count: Int)? {
        let place = places[Int(representation)]
        return (place.type, Int(place.count))
    }

    func decode(_ representation: UInt64) throws(AssetError) -> USDValue {
        let place = places[Int(representation)]
        let storage: ArrayStorage
        switch place.type.scalar {
        case .int: storage = .int(try components(place))
        case .uint: storage = .uint(try components(place))
        case .int64: storage = .int64(try components(place))
        case .uint64: storage = .uint64(try components(place))
        case .double: storage = .double(try components(place))
        default: storage = .float(try components(place))
        }
        return .array(USDArray(place.type, storage))
    }

    private func components<C: ArrayComponent>(_ place: Place) throws(AssetError) -> [C] {
        let n = Int(place.count) * place.type.components
        var failure: AssetError?
        let all = [C](unsafeUninitializedCapacity: n) { out, done in
            var reader = TextNumberReader(file, place)
            do throws(AssetError) {
                try reader.next(out)
                done = n
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return all
    }

    func deferredArray<T: Sendable>(_ representation: UInt64, as type: T.Type) throws(AssetError) -> DeferredArray<T>? {
        let place = places[Int(representation)]
        guard let layout = CrateElementLayout(T.self), layout.scalar == place.type.scalar, layout.components == place.type.components else {
            return nil
        }
        return .deferred(TextArraySource<T>(file: file, offset: place.offset, number: place.count, type: place.type))
    }

    func int32s(_ bits: UInt64) throws(AssetError) -> DeferredArray<Int32>? { packed(bits, .int, 1) }
    func floats(_ bits: UInt64) throws(AssetError) -> DeferredArray<Float>? { packed(bits, .float, 1) }
    func vectors2(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector2f>? { packed(bits, .float, 2) }
    func vectors3(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector3f>? { packed(bits, .float, 3) }
    func vectors4(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector4f>? { packed(bits, .float, 4) }

    @inline(__always)
    private func packed<T: Sendable>(_ bits: UInt64, _ scalar: ValueType.Scalar, _ components: Int) -> DeferredArray<T>? {
        let place = places[Int(bits)]
        guard place.type.scalar == scalar, place.type.components == components else { return nil }
        return .deferred(TextArraySource<T>(file: file, offset: place.offset, number: place.count, type: place.type))
    }

    // MARK: Recognising

    /// Looks from behind an opening bracket for the end of a list of plain numbers, or of tuples of `columns` of them.
    /// Returns the number of elements and the offset of the closing bracket; nil for whatever needs the grammar: words,
    /// comments, lists in lists, errors.
    static func measure(_ text: Span<UInt8>, from start: Int, columns: Int) -> (count: Int, end: Int)? {
        guard start < text.count else { return nil }
        let found = text.withUnsafeBufferPointer { bytes in
            ListShape.classPairs.withUnsafeBufferPointer { classes in
                (columns == 1 ? ListShape.numbers : ListShape.tuples).withUnsafeBufferPointer { rows -> Found? in
                    guard let base = bytes.baseAddress, let classes = classes.baseAddress, let rows = rows.baseAddress else { return nil }
                    return count(base + start, bytes.count - start, classes, rows)
                }
            }
        }
        guard let found, found.length > 0 else { return nil }
        let isTrailing: Bool
        switch found.state {
        case .item: isTrailing = true
        case .whole, .fraction, .power: isTrailing = false
        case .closed: isTrailing = false
        default: return nil
        }
        let numbers = found.commas + (isTrailing ? 0 : 1)
        let elements = columns == 1 ? numbers : columns == 3 ? numbers / 3 : numbers / columns
        guard elements > 0, elements * columns == numbers, found.opens == found.closes, found.opens == (columns == 1 ? 0 : elements),
            elements <= Int(Int32.max)
        else { return nil }
        return (elements, start + found.length)
    }

    private struct Found {
        var (commas, opens, closes) = (0, 0, 0)
        /// Up to the closing bracket.
        var length = 0
        var state = ListShape.State.item
    }

    /// Follows the shape of a list up to the closing bracket; nil where it has another, or there is no bracket. No byte at or
    /// behind `text + size` is looked at.
    private static func count(
        _ text: UnsafePointer<UInt8>, _ size: Int, _ classes: UnsafePointer<UInt8>, _ rows: UnsafePointer<ListShape.Row>
    ) -> Found? {
        var found = Found()
        var state = ListShape.State.item.offset
        var p = text
        let end = text + size
        // The closing bracket is sought first, a stretch at a time, so that counting needs not to look for it.
        while p < end {
            let window = min(end - p, 4096)
            let bracket = memchr(p, Int32(UInt8(ascii: "]")), window)
            let limit = bracket.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) } ?? p + window
            // Spaces may stand before the closing bracket, but not between a value and what follows it.
            var stop = limit
            while stop > p, stop[-1] == 32 || stop[-1] == 10 || stop[-1] == 13 || stop[-1] == 9 { stop -= 1 }
            if bracket == nil, stop == p { return nil }
            var sum: UInt64 = 0
            // Two bytes at a time: half as many steps that wait for each other.
            while stop - p >= 8 {
                var eight = UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
                for _ in 0..<4 {
                    let row = rows[Int(classes[Int(eight & 0xFFFF)])]
                    state = row.next &>> state
                    sum &+= row.count
                    eight &>>= 16
                }
                p += 8
            }
            while stop - p >= 2 {
                let row = rows[Int(classes[Int(UnsafeRawPointer(p).loadUnaligned(as: UInt16.self).littleEndian)])]
                state = row.next &>> state
                sum &+= row.count
                p += 2
            }
            if stop > p {
                // The upper half of a pair alone.
                let row = rows[Int(classes[Int(p.pointee)] & 0xF0)]
                state = row.next &>> state
                sum &+= row.count
                p += 1
            }
            if state & 63 == 0 { return nil }
            found.commas += Int(sum & 0x1F_FFFF)
            found.opens += Int(sum >> 21 & 0x1F_FFFF)
            found.closes += Int(sum >> 42)
            if bracket != nil {
                guard let last = ListShape.State(offset: state & 63) else { return nil }
                found.state = last
                found.length = limit - text
                return found
            }
        }
        return nil
    }
}

/// How lists of numbers and of tuples of numbers are written, as two automata. One step of an automaton is a shift: a row has
/// for each state, at the state's offset, the offset of the next one.
private enum ListShape {
    enum State: UInt64, CaseIterable {
        case wrong
        /// Before a number or a tuple.
        case item
        /// Within a tuple, before a number.
        case column
        case sign
        /// Within the digits before a point.
        case whole
        /// Behind a point that has no digits before it.
        case point
        case fraction
        /// Behind an `e`, and its sign.
        case exponent
        /// Within the digits of an exponent.
        case power
        /// Behind a tuple.
        case closed

        var offset: UInt64 { rawValue * 6 }
        init?(offset: UInt64) { self.init(rawValue: offset / 6) }
    }

    struct Row {
        var next: UInt64 = 0
        /// What is counted: commas, opening and closing brackets, in 21 bits each.
        var count: UInt64 = 0
    }

    /// Bytes that mean the same; `none` is the class of no byte at all, and changes nothing.
    private enum Class: UInt8, CaseIterable { case none, digit, minus, plus, point, exponent, comma, open, close, space, other }

    /// The classes of two bytes, that of the first in the upper half.
    static let classPairs: [UInt8] = (0..<65536).map { bytes[$0 & 0xFF].rawValue << 4 | bytes[$0 >> 8].rawValue }
    /// By the classes of two bytes.
    static let numbers = rows(ofTuples: false)
    static let tuples = rows(ofTuples: true)

    private static let bytes: [Class] = (0..<256).map { byte in
        switch UInt8(byte) {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        case UInt8(ascii: "-"): .minus
        case UInt8(ascii: "+"): .plus
        case UInt8(ascii: "."): .point
        case UInt8(ascii: "e"), UInt8(ascii: "E"): .exponent
        case UInt8(ascii: ","): .comma
        case UInt8(ascii: "("): .open
        case UInt8(ascii: ")"): .close
        case 9, 10, 13, 32: .space
        default: .other
        }
    }

    private static func rows(ofTuples: Bool) -> [Row] {
        var rows = [Row](repeating: Row(), count: 256)
        for first in Class.allCases {
            for second in Class.allCases {
                var row = Row(next: 0, count: count(first) + count(second))
                for state in State.allCases {
                    row.next |= next(next(state, first, ofTuples), second, ofTuples).offset << state.offset
                }
                rows[Int(first.rawValue << 4 | second.rawValue)] = row
            }
        }
        return rows
    }

    private static func count(_ c: Class) -> UInt64 {
        switch c {
        case .comma: 1
        case .open: 1 << 21
        case .close: 1 << 42
        default: 0
        }
    }

    private static func next(_ state: State, _ c: Class, _ ofTuples: Bool) -> State {
        if c == .none { return state }
        switch state {
        case .wrong: return .wrong
        case .item where ofTuples: return c == .open ? .column : c == .space ? .item : .wrong
        case .item, .column:
            if c == .space { return state }
            return c == .digit ? .whole : c == .minus ? .sign : c == .point ? .point : .wrong
        case .sign: return c == .digit ? .whole : c == .point ? .point : .wrong
        case .point: return c == .digit ? .fraction : .wrong
        case .exponent: return c == .digit ? .power : c == .minus || c == .plus ? .exponent : .wrong
        case .whole, .fraction, .power:
            switch c {
            case .digit: return state
            case .point: return state == .whole ? .fraction : .wrong
            case .exponent: return state == .power ? .wrong : .exponent
            case .comma: return ofTuples ? .column : .item
            case .close: return ofTuples ? .closed : .wrong
            default: return .wrong
            }
        case .closed: return c == .comma ? .item : .wrong
        }
    }
}

/// What may stand before a number of a list.
private enum Before {
    static let number: UInt8 = 0
    static let opening: UInt8 = 1
    static let closing: UInt8 = 2
    static let other: UInt8 = 3

    static let classes: [UInt8] = (0..<256).map { b in
        switch UInt8(b) {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): number
        case UInt8(ascii: "("): opening
        case UInt8(ascii: ")"): closing
        default: other
        }
    }
}

/// Numbers of a list that `TextArrays.measure` has seen, some at a time.
struct TextNumberReader {
    private let file: FileBytes
    private let type: ValueType
    private let start: Int
    private(set) var at: Int
    /// Bytes before this were handed back to the system.
    private var released: Int

    init(_ file: FileBytes, _ place: TextArrays.Place) {
        self.file = file
        type = place.type
        start = place.offset
        at = place.offset
        released = at
    }

    /// Fills a buffer with the next components; quaternions come with the real part first and are kept with it last.
    mutating func next<C: ArrayComponent>(_ out: UnsafeMutableBufferPointer<C>) throws(AssetError) {
        var cursor = at
        let isAtStart = at == start
        let columns = type.components
        var filled = 0
        file.withUnsafeBytes { raw in
            guard let base = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let powers = DecimalPowers.shared
            Before.classes.withUnsafeBufferPointer { classes in
                guard let classes = classes.baseAddress else { return }
                let text = Text(base: base, count: raw.count, classes: classes, powers: powers)
                (filled, cursor) = Self.fill(out, from: cursor, of: text, columns: columns, isAtStart: isAtStart)
            }
        }
        if filled < out.count { throw error(at: cursor, C.self) }
        at = cursor
        if at - released >= 4 << 20 {
            file.release(released, count: at - released)
            released = at
        }
        guard type.isQuaternion else { return }
        var i = 0
        while i + 3 < out.count {
            (out[i], out[i + 1], out[i + 2], out[i + 3]) = (out[i + 1], out[i + 2], out[i + 3], out[i])
            i += 4
        }
    }

    /// A text and the tables it is read with.
    private struct Text {
        var base: UnsafePointer<UInt8>
        var count: Int
        var classes: UnsafePointer<UInt8>
        var powers: DecimalPowers
    }

    /// Fills a buffer from an offset on. Returns how many components there are, and the offset behind the last one or, where
    /// they are too few, of what is no component.
    @inline(__always)
    private static func fill<C: ArrayComponent>(
        _ out: UnsafeMutableBufferPointer<C>, from offset: Int, of text: Text, columns: Int, isAtStart: Bool
    ) -> (filled: Int, offset: Int) {
        let end = text.base + text.count
        // So many bytes before it nothing needs to be asked about the end.
        let safe = end - min(text.count, 64)
        let (opening, closing): (UInt32, UInt32) = (1 << UInt32(Before.opening), 1 << UInt32(Before.closing))
        let (commaSpace, closeToOpen) = (UInt16(littleEndian: 0x202C), UInt32(littleEndian: 0x2820_2C29))
        var p = text.base + offset
        var column = 0
        for i in out.indices {
            // As nearly all texts are laid out: `, ` before a number, `), (` before a tuple.
            if p < safe {
                var q = p
                if column > 0 || columns == 1 {
                    if UnsafeRawPointer(p).loadUnaligned(as: UInt16.self) == commaSpace { q += 2 }
                } else if UnsafeRawPointer(p).loadUnaligned(as: UInt32.self) == closeToOpen {
                    q += 4
                }
                if q != p, let value = C.takeQuickly(&q, text.powers) {
                    out.initializeElement(at: i, to: value)
                    p = q
                    column &+= 1
                    if column == columns { column = 0 }
                    continue
                }
            }
            // Which classes of bytes stand before the number.
            var seen: UInt32 = 0
            while p < end {
                let c = text.classes[Int(p.pointee)]
                if c == Before.number { break }
                seen |= 1 &<< UInt32(c)
                p += 1
            }
            if columns > 1 {
                let expected = column == 0 ? (isAtStart && i == 0 ? opening : opening | closing) : 0
                guard seen & (opening | closing) == expected else { return (i, p - text.base) }
                column &+= 1
                if column == columns { column = 0 }
            }
            if let value = C.takePlain(&p, end, text.powers) {
                out.initializeElement(at: i, to: value)
                continue
            }
            guard let value: C = slow(&p, text.base, text.count) else { return (i, p - text.base) }
            out.initializeElement(at: i, to: value)
        }
        return (out.count, p - text.base)
    }

    /// A number that needs a closer look; nil where there is none, or one that the type does not hold.
    @inline(never)
    private static func slow<C: ArrayComponent>(_ p: inout UnsafePointer<UInt8>, _ base: UnsafePointer<UInt8>, _ count: Int) -> C? {
        var scan = USDAScanner(Span(_unsafeElements: UnsafeBufferPointer(start: base, count: count)))
        scan.at = p - base
        guard let n = scan.takeNumber(), let value = C(n) else { return nil }
        // A number with two points or exponents.
        if scan.at < count, scan.text[scan.at] == UInt8(ascii: ".") || scan.text[scan.at] | 0x20 == UInt8(ascii: "e") { return nil }
        p = base + scan.at
        return value
    }

    /// What is wrong at an offset.
    private func error<C: ArrayComponent>(at offset: Int, _: C.Type) -> AssetError {
        var scan = USDAScanner(Span<UInt8>(_bytes: file.bytes))
        scan.at = offset
        let (line, column) = lineAndColumn(of: offset, in: scan.text)
        let location = SourceLocation(file: file.name, position: .line(line, column: column))
        if let n = scan.takeNumber(), C(n) == nil {
            return AssetError("usda.value-out-of-range", "found \(scan.string(offset, scan.at)), expected a value of type \(type.name)", at: location)
        }
        scan.at = offset
        return AssetError("usda.bad-value", "found \(scan.found()), expected a value of type \(type.name)", at: location)
    }
}

/// An array in a text, to be read from any thread. `Element` is one of the types of `CrateElementLayout`.
struct TextArraySource<Element: Sendable>: DeferredArraySource {
    let file: FileBytes
    let offset: Int
    let number: Int32
    let type: ValueType

    var count: Int { Int(number) }
    private var place: TextArrays.Place { TextArrays.Place(offset: offset, count: number, type: type) }

    func load() throws(AssetError) -> [Element] {
        var failure: AssetError?
        let all = [Element](unsafeUninitializedCapacity: count) { out, done in
            var reader = TextNumberReader(file, place)
            do throws(AssetError) {
                try read(&reader, out, count)
                done = count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return all
    }

    func forEachBlock(_ body: (UnsafeBufferPointer<Element>) -> Void) throws(AssetError) {
        var failure: AssetError?
        withUnsafeTemporaryAllocation(of: Element.self, capacity: max(1, min(count, 4096))) { block in
            var reader = TextNumberReader(file, place)
            var done = 0
            do throws(AssetError) {
                while done < count {
                    let n = min(block.count, count - done)
                    try read(&reader, block, n)
                    body(UnsafeBufferPointer(rebasing: block[0..<n]))
                    done += n
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func read(_ reader: inout TextNumberReader, _ out: UnsafeMutableBufferPointer<Element>, _ n: Int) throws(AssetError) {
        guard let base = out.baseAddress, n > 0 else { return }
        let raw = UnsafeMutableRawPointer(base)
        let components = n * type.components
        switch type.scalar {
        case .int: try reader.next(UnsafeMutableBufferPointer(start: raw.assumingMemoryBound(to: Int32.self), count: components))
        case .uint: try reader.next(UnsafeMutableBufferPointer(start: raw.assumingMemoryBound(to: UInt32.self), count: components))
        case .int64: try reader.next(UnsafeMutableBufferPointer(start: raw.assumingMemoryBound(to: Int64.self), count: components))
        case .uint64: try reader.next(UnsafeMutableBufferPointer(start: raw.assumingMemoryBound(to: UInt64.self), count: components))
        case .double: try reader.next(UnsafeMutableBufferPointer(start: raw.assumingMemoryBound(to: Double.self), count: components))
        default: try reader.next(UnsafeMutableBufferPointer(start: raw.assumingMemoryBound(to: Float.self), count: components))
        }
    }
}
