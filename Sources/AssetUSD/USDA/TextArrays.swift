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
/// What is known of them is that their bytes are digits, signs, brackets and commas in an order that numbers have, with the
/// right number of each. That a number has two points, or does not fit its type, is found when it is read.
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
            Pairs.classes.withUnsafeBufferPointer { classes in
                Pairs.classPairs.withUnsafeBufferPointer { classPairs in
                    Pairs.pairs.withUnsafeBufferPointer { pairs in
                        Pairs.triples.withUnsafeBufferPointer { triples -> Found? in
                            guard let base = bytes.baseAddress, let classes = classes.baseAddress, let classPairs = classPairs.baseAddress,
                                let pairs = pairs.baseAddress, let triples = triples.baseAddress
                            else { return nil }
                            let tables = Tables(classes: classes, classPairs: classPairs, pairs: pairs, triples: triples)
                            return count(base + start, bytes.count - start, tables)
                        }
                    }
                }
            }
        }
        guard let found else { return nil }
        // Behind a number or a tuple there is no space but before the closing bracket.
        let end = start + found.length
        var last = end - 1
        while last >= start, text[last] == 32 || text[last] == 10 || text[last] == 13 || text[last] == 9 { last -= 1 }
        let isTrailing = last >= start && text[last] == UInt8(ascii: ",")
        guard found.spaces == (last < end - 1 && !isTrailing ? 1 : 0), found.numbers == found.commas + (isTrailing ? 0 : 1) else { return nil }
        let elements = columns == 1 ? found.numbers : columns == 3 ? found.numbers / 3 : found.numbers / columns
        guard elements > 0, elements * columns == found.numbers, found.opens == found.closes, found.opens == (columns == 1 ? 0 : elements),
            elements <= Int(Int32.max)
        else { return nil }
        return (elements, end)
    }

    private struct Found {
        var (commas, opens, closes, numbers, spaces) = (0, 0, 0, 0, 0)
        /// Up to the closing bracket.
        var length = 0
    }

    private struct Tables {
        var classes: UnsafePointer<UInt8>
        var classPairs: UnsafePointer<UInt8>
        var pairs: UnsafePointer<UInt64>
        var triples: UnsafePointer<UInt64>
    }

    /// Counts up to the closing bracket; nil where two bytes cannot follow each other, or there is none. The tables have an
    /// entry for whatever they are asked, and no byte at or behind `text + size` is looked at.
    private static func count(_ text: UnsafePointer<UInt8>, _ size: Int, _ tables: Tables) -> Found? {
        var found = Found()
        var state = Int(Pairs.Class.open.rawValue)
        var p = text
        let end = text + size
        // The closing bracket is sought first, a stretch at a time, so that counting needs not to look for it.
        while p < end {
            let window = min(end - p, 4096)
            let bracket = memchr(p, Int32(UInt8(ascii: "]")), window)
            let stop = bracket.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) } ?? p + window
            while p < stop {
                // The fields of the sum hold what a stretch can count.
                let part = min(stop, p + 500)
                var sum: UInt64 = 0
                // Two bytes at a time, in the order the tables were made in.
                while part - p >= 8 {
                    var eight = UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
                    for _ in 0..<4 {
                        let c = Int(tables.classPairs[Int(eight & 0xFFFF)])
                        sum &+= tables.triples[state &<< 8 | c]
                        state = c & 15
                        eight &>>= 16
                    }
                    p += 8
                }
                while part - p >= 2 {
                    let two = Int(UnsafeRawPointer(p).loadUnaligned(as: UInt16.self).littleEndian)
                    let c = Int(tables.classPairs[two])
                    sum &+= tables.triples[state &<< 8 | c]
                    state = c & 15
                    p += 2
                }
                if p < part {
                    let c = Int(tables.classes[Int(p.pointee)])
                    sum &+= tables.pairs[state &<< 4 | c]
                    state = c
                    p += 1
                }
                if sum >> 55 != 0 { return nil }
                found.commas += Int(sum & 0x7FF)
                found.opens += Int(sum >> 11 & 0x7FF)
                found.closes += Int(sum >> 22 & 0x7FF)
                found.numbers += Int(sum >> 33 & 0x7FF)
                found.spaces += Int(sum >> 44 & 0x7FF)
            }
            if bracket != nil {
                if tables.pairs[state &<< 4 | Int(Pairs.Class.end.rawValue)] >> 55 != 0 { return nil }
                found.length = p - text
                return found
            }
        }
        return nil
    }
}

/// The tables of `TextArrays.measure`.
private enum Pairs {
    enum Class: UInt8 { case digit, minus, plus, point, exponent, comma, open, close, space, end, other }

    static let classes: [UInt8] = (0..<256).map { b in
        switch UInt8(b) {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Class.digit.rawValue
        case UInt8(ascii: "-"): Class.minus.rawValue
        case UInt8(ascii: "+"): Class.plus.rawValue
        case UInt8(ascii: "."): Class.point.rawValue
        case UInt8(ascii: "e"), UInt8(ascii: "E"): Class.exponent.rawValue
        case UInt8(ascii: ","): Class.comma.rawValue
        case UInt8(ascii: "("): Class.open.rawValue
        case UInt8(ascii: ")"): Class.close.rawValue
        case 9, 10, 13, 32: Class.space.rawValue
        case UInt8(ascii: "]"): Class.end.rawValue
        default: Class.other.rawValue
        }
    }

    /// By class of a byte and the next one: five counts of 11 bits for the next one — commas, opening brackets, closing
    /// brackets, beginnings of numbers, spaces behind a value — and in nine more bits how often one cannot follow the other.
    static let pairs: [UInt64] = {
        var table = [UInt64](repeating: 1 << 55, count: 256)
        func allow(_ a: Class, _ next: [Class]) {
            for b in next {
                var value: UInt64 = 0
                switch b {
                case .comma: value = 1
                case .open: value = 1 << 11
                case .close: value = 1 << 22
                case .digit, .minus, .point:
                    let isInside = a == .digit || a == .minus || a == .plus || a == .point || a == .exponent
                    value = isInside ? 0 : 1 << 33
                case .space: value = a == .digit || a == .point || a == .close ? 1 << 44 : 0
                default: break
                }
                table[Int(a.rawValue) << 4 | Int(b.rawValue)] = value
            }
        }
        allow(.digit, [.digit, .point, .exponent, .comma, .close, .space, .end])
        allow(.minus, [.digit, .point])
        allow(.plus, [.digit])
        allow(.point, [.digit, .exponent, .comma, .close, .space, .end])
        allow(.exponent, [.digit, .minus, .plus])
        allow(.comma, [.digit, .minus, .point, .open, .space, .end])
        allow(.open, [.digit, .minus, .point, .open, .space, .end])
        allow(.close, [.comma, .space, .end])
        allow(.space, [.digit, .minus, .point, .open, .space, .end])
        return table
    }()

    /// Classes of two bytes at once, the first in the upper half.
    static let classPairs: [UInt8] = (0..<65536).map { classes[$0 & 0xFF] << 4 | classes[$0 >> 8] }

    /// What `pairs` says of two bytes behind one of a class.
    static let triples: [UInt64] = (0..<4096).map { pairs[$0 >> 4] &+ pairs[$0 & 0xFF] }
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
            PowersOfTen.with { powers in
                Pairs.classes.withUnsafeBufferPointer { classes in
                    guard let classes = classes.baseAddress else { return }
                    let text = Text(base: base, count: raw.count, classes: classes, powers: powers)
                    (filled, cursor) = Self.fill(out, from: cursor, of: text, columns: columns, isAtStart: isAtStart)
                }
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
        var powers: PowersOfTen
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
        let (opening, closing): (UInt32, UInt32) = (1 << UInt32(Pairs.Class.open.rawValue), 1 << UInt32(Pairs.Class.close.rawValue))
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
                if c <= Pairs.Class.point.rawValue { break }
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
