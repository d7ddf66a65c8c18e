import AssetIO
import AssetModel

extension USDAParser {
    private func typeError(_ type: ValueType) -> USDAError {
        USDAError(scan.at, "usda.bad-value", "found \(scan.found()), expected a value of type \(type.name)")
    }

    // MARK: Scalars

    /// One value of a type, tuples included.
    mutating func scalar(_ type: ValueType) throws(USDAError) -> USDValue {
        switch type {
        case .bool: return .bool(try bool())
        case .uchar: return .uchar(try integer(type))
        case .int: return .int(try integer(type))
        case .uint: return .uint(try integer(type))
        case .int64: return .int64(try integer(type))
        case .uint64: return .uint64(try integer(type))
        case .half: return .half(halfBits(try real(type)))
        case .float: return .float(Float(try real(type)))
        case .double: return .double(try real(type))
        case .timeCode: return .timeCode(try real(type))
        case .duration: return .duration(try real(type))
        case .string: return .string(try string(type))
        case .token: return .token(try tokenValue(type))
        case .asset: return .asset(try asset())
        case .pathExpression: return .pathExpression(try string(type))
        case .opaque, .group: throw USDAError(scan.at, "usda.bad-value", "found a value, expected none for type \(type.name)")
        default: return .tuple(type, try tuple(type))
        }
    }

    private mutating func bool() throws(USDAError) -> Bool {
        if let n = scan.takeNumber() { return n.double != 0 }
        let start = scan.at
        let word: String
        if scan.peek() == UInt8(ascii: "\"") || scan.peek() == UInt8(ascii: "'") {
            word = try scan.takeString()
        } else {
            let end = try scan.identifierEnd()
            word = scan.string(start, end)
            scan.at = end
        }
        switch word.lowercased() {
        case "true", "yes": return true
        case "false", "no": return false
        default:
            scan.at = start
            throw typeError(.bool)
        }
    }

    /// Reals are cut to integers as OpenUSD does; values out of range are errors.
    private mutating func integer<T: FixedWidthInteger>(_ type: ValueType) throws(USDAError) -> T {
        let start = scan.at
        guard let n = scan.takeNumber() else { throw typeError(type) }
        guard let value: T = Self.integer(n) else {
            throw USDAError(start, "usda.value-out-of-range", "found \(scan.string(start, scan.at)), expected a value of type \(type.name)")
        }
        return value
    }

    @inline(__always)
    static func integer<T: FixedWidthInteger>(_ n: USDANumber) -> T? {
        switch n.kind {
        case .unsigned: T(exactly: n.bits)
        case .negative: T(exactly: Int64(bitPattern: n.bits))
        case .real: T(exactly: n.double.rounded(.towardZero))
        }
    }

    /// A number; also `inf`, `-inf` and `nan`, quoted or not.
    mutating func real(_ type: ValueType) throws(USDAError) -> Double {
        let plain = scan.takePlainReal()
        if !plain.isNaN { return plain }
        if let n = scan.takeNumber() { return n.double }
        return try realWord(type)
    }

    private mutating func realWord(_ type: ValueType) throws(USDAError) -> Double {
        if scan.takeWord("inf") { return .infinity }
        if scan.takeWord("nan") { return .nan }
        let start = scan.at
        if scan.peek() == UInt8(ascii: "\"") || scan.peek() == UInt8(ascii: "'") {
            switch try scan.takeString() {
            case "inf": return .infinity
            case "-inf": return -.infinity
            case "nan": return .nan
            default: scan.at = start
            }
        }
        throw typeError(type)
    }

    private mutating func string(_ type: ValueType) throws(USDAError) -> String {
        guard scan.peek() == UInt8(ascii: "\"") || scan.peek() == UInt8(ascii: "'") else { throw typeError(type) }
        return try scan.takeString()
    }

    private mutating func tokenValue(_ type: ValueType) throws(USDAError) -> Token {
        guard scan.peek() == UInt8(ascii: "\"") || scan.peek() == UInt8(ascii: "'") else { throw typeError(type) }
        return try stringToken("a quoted string")
    }

    private mutating func asset() throws(USDAError) -> String {
        if scan.peek() == UInt8(ascii: "@") { return try scan.takeAssetPath() }
        return try string(.asset)
    }

    /// The components of one tuple, quaternions with the real part last.
    private mutating func tuple(_ type: ValueType) throws(USDAError) -> [Double] {
        let numbers = try components(type)
        return (0..<type.components).map { numbers[$0] }
    }

    mutating func components(_ type: ValueType) throws(USDAError) -> SixteenNumbers {
        if let plain = plainComponents(type) { return plain }
        let rows = type.matrixRows
        var out = SixteenNumbers()
        var n = 0
        if rows > 0 { try openTuple(type) }
        for r in 0..<max(1, rows) {
            if r > 0 { try comma() }
            try scan.skipSpace()
            try openTuple(type)
            for i in 0..<(rows > 0 ? rows : type.components) {
                if i > 0 { try comma() }
                try scan.skipSpace()
                switch type.scalar {
                case .int:
                    let whole: Int32 = try integer(type)
                    out[n] = Double(whole)
                case .half: out[n] = halfValue(halfBits(try real(type)))
                case .float: out[n] = Double(Float(try real(type)))
                default: out[n] = try real(type)
                }
                n += 1
            }
            try closeTuple()
        }
        if rows > 0 { try closeTuple() }
        if type.isQuaternion {
            let real = out[0]
            for i in 0..<3 { out[i] = out[i + 1] }
            out[3] = real
        }
        return out
    }

    /// Two to four numbers written as nearly all are, `(1.5, -2, 0.25)`; nil, with the cursor unmoved, for whatever else.
    private mutating func plainComponents(_ type: ValueType) -> SixteenNumbers? {
        let n = type.components
        guard n <= 4, type.matrixRows == 0, !type.isQuaternion, type.scalar == .float || type.scalar == .double, scan.text.count - scan.at > 256
        else { return nil }
        let isFloat = type.scalar == .float
        let start = scan.at
        var end = start
        var out = SixteenNumbers()
        scan.text.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return }
            let powers = DecimalPowers.shared
            var p = base + start
            guard p.pointee == UInt8(ascii: "(") else { return }
            p += 1
            for i in 0..<n {
                if i > 0 {
                    guard p[0] == UInt8(ascii: ","), p[1] == UInt8(ascii: " ") else { return }
                    p += 2
                }
                guard let number = Double.takeQuickly(&p, powers) else { return }
                out[i] = isFloat ? Double(Float(number)) : number
            }
            guard p.pointee == UInt8(ascii: ")") else { return }
            end = p + 1 - base
        }
        guard end > start else { return nil }
        scan.at = end
        return out
    }

    @inline(__always)
    private mutating func openTuple(_ type: ValueType) throws(USDAError) {
        guard scan.take(UInt8(ascii: "(")) else { throw typeError(type) }
    }

    @inline(__always)
    private mutating func comma() throws(USDAError) {
        if scan.take(UInt8(ascii: ",")) { return }
        try scan.skipSpace()
        try scan.expect(UInt8(ascii: ","), "','")
    }

    @inline(__always)
    private mutating func closeTuple() throws(USDAError) {
        if scan.take(UInt8(ascii: ")")) { return }
        try scan.skipSpace()
        if scan.take(UInt8(ascii: ",")) { try scan.skipSpace() }
        try scan.expect(UInt8(ascii: ")"), "')'")
    }

    // MARK: Arrays

    /// A bracketed list of values of one type.
    mutating func array(_ type: ValueType) throws(USDAError) -> USDValue {
        guard scan.peek() == UInt8(ascii: "[") else { throw typeError(type) }
        if let deferred = deferredArray(type) { return deferred }
        let storage: ArrayStorage
        switch type.scalar {
        case .none: throw typeError(type)
        case .bool:
            var out: [UInt8] = []
            try list { (self: inout Self) throws(USDAError) in out.append(try self.bool() ? 1 : 0) }
            storage = .bytes(out)
        case .string:
            var out: [String] = []
            if type == .asset {
                try list { (self: inout Self) throws(USDAError) in out.append(try self.asset()) }
            } else {
                try list { (self: inout Self) throws(USDAError) in out.append(try self.string(type)) }
            }
            storage = .string(out)
        case .token:
            var out: [Token] = []
            try list { (self: inout Self) throws(USDAError) in out.append(try self.tokenValue(type)) }
            storage = .token(out)
        case .uchar: storage = .bytes(try numbers(type))
        case .int: storage = .int(try numbers(type))
        case .uint: storage = .uint(try numbers(type))
        case .int64: storage = .int64(try numbers(type))
        case .uint64: storage = .uint64(try numbers(type))
        case .half:
            let doubles: [Float] = try numbers(type)
            storage = .half(rotated(type, doubles.map { halfBits(Double($0)) }))
        case .float: storage = .float(rotated(type, try numbers(type)))
        case .double: storage = .double(rotated(type, try numbers(type)))
        }
        return .array(USDArray(type, storage))
    }

    /// Below this many bytes an array is read at once.
    private static var shortArray: Int { 48 }

    /// Leaves an array of plain numbers where it is; nil for all that need a closer look.
    private mutating func deferredArray(_ type: ValueType) -> USDValue? {
        switch type {
        // Times are moved by layer offsets, halves and bytes are not kept as they are written.
        case .timeCode, .duration, .uchar: return nil
        default: break
        }
        switch type.scalar {
        case .int, .uint, .int64, .uint64, .float, .double: break
        default: return nil
        }
        guard type.matrixRows == 0, let (count, end) = TextArrays.measure(scan.text, from: scan.at + 1, columns: type.components),
            end - scan.at >= Self.shortArray
        else { return nil }
        let number = arrays.add(TextArrays.Place(offset: scan.at + 1, count: Int32(count), type: type))
        scan.at = end + 1
        releasePages()
        return .deferred(arrays, number)
    }

    /// Quaternions come with the real part first and are kept with it last.
    private func rotated<T>(_ type: ValueType, _ a: [T]) -> [T] {
        guard type.isQuaternion else { return a }
        var a = a
        var i = 0
        while i + 3 < a.count {
            (a[i], a[i + 1], a[i + 2], a[i + 3]) = (a[i + 1], a[i + 2], a[i + 3], a[i])
            i += 4
        }
        return a
    }

    /// A list whose items `item` reads. Lists within lists are flattened, as OpenUSD does.
    private mutating func list(_ item: (inout Self) throws(USDAError) -> Void) throws(USDAError) {
        try enter(at: scan.at)
        try scan.expect(UInt8(ascii: "["), "'['")
        var first = true
        while try nextListItem(first: first, closing: UInt8(ascii: "]")) {
            if scan.peek() == UInt8(ascii: "[") {
                try list(item)
            } else {
                try item(&self)
            }
            first = false
        }
        leave()
    }

    /// A list of numbers or of tuples of numbers, flat.
    private mutating func numbers<T: ArrayComponent>(_ type: ValueType) throws(USDAError) -> [T] {
        var out: [T] = []
        out.reserveCapacity(commas() + 1)
        var isReserved = false
        try numberList(type, into: &out, &isReserved, since: scan.at)
        return out
    }

    private mutating func numberList<T: ArrayComponent>(
        _ type: ValueType, into out: inout [T], _ isReserved: inout Bool, since open: Int
    ) throws(USDAError) {
        try enter(at: scan.at)
        try scan.expect(UInt8(ascii: "["), "'['")
        let rows = type.matrixRows
        let columns = rows > 0 ? rows : type.components
        var first = true
        while try nextListItem(first: first, closing: UInt8(ascii: "]")) {
            first = false
            if scan.peek() == UInt8(ascii: "[") {
                try numberList(type, into: &out, &isReserved, since: open)
                continue
            }
            if columns == 1 {
                out.append(try component(type))
            } else {
                if rows > 0 {
                    try openTuple(type)
                    try scan.skipSpace()
                }
                for r in 0..<max(1, rows) {
                    if r > 0 {
                        try comma()
                        try scan.skipSpace()
                    }
                    try openTuple(type)
                    for c in 0..<columns {
                        if c > 0 { try comma() }
                        try scan.skipSpace()
                        out.append(try component(type))
                    }
                    try closeTuple()
                }
                if rows > 0 { try closeTuple() }
            }
            if out.count >= 3072, !isReserved {
                isReserved = true
                reserve(&out, since: open)
            }
            releasePages()
        }
        leave()
    }

    @inline(__always)
    private mutating func component<T: ArrayComponent>(_ type: ValueType) throws(USDAError) -> T {
        if let value = T.takePlain(&scan) { return value }
        return try slowComponent(type)
    }

    @inline(never)
    private mutating func slowComponent<T: ArrayComponent>(_ type: ValueType) throws(USDAError) -> T {
        let start = scan.at
        var n = scan.takeNumber()
        if n == nil, T.isReal { n = USDANumber(kind: .real, bits: 0, double: try realWord(type)) }
        guard let n else { throw typeError(type) }
        guard let value = T(n) else {
            throw USDAError(start, "usda.value-out-of-range", "found \(scan.string(start, scan.at)), expected a value of type \(type.name)")
        }
        return value
    }

    /// Commas up to the closing bracket, which is one fewer than the components of a short list.
    private func commas() -> Int {
        var n = 0
        let end = min(scan.text.count, scan.at &+ 1024)
        var i = scan.at
        while i < end {
            let b = scan.text[i]
            if b == UInt8(ascii: "]") { return n }
            if b == UInt8(ascii: ",") { n &+= 1 }
            i &+= 1
        }
        return n &* 4
    }

    /// Reserves what the list will need, judging by its first items and the distance to its closing bracket.
    private func reserve<T>(_ out: inout [T], since open: Int) {
        var end = scan.at
        while end < scan.text.count, scan.text[end] != UInt8(ascii: "]") { end += 1 }
        let perByte = Double(out.count) / Double(scan.at - open)
        out.reserveCapacity(out.count + Int(Double(end - scan.at) * perByte * 1.02))
    }

    // MARK: Dictionaries

    /// `{ type key = value … }`
    mutating func dictionary() throws(USDAError) -> USDDictionary {
        let open = scan.at
        try scan.expect(UInt8(ascii: "{"), "'{'")
        try enter(at: open)
        var d = USDDictionary()
        var known: [String: Int] = [:]
        while true {
            try scan.skipSpace()
            if scan.take(UInt8(ascii: "}")) { break }
            let typeStart = scan.at
            let typeEnd = try scan.identifierEnd()
            guard typeEnd > typeStart else { throw scan.unexpected("a value type or '}'") }
            scan.at = typeEnd
            let value: USDValue
            let key: String
            if scan.equals(typeStart, typeEnd, "dictionary") {
                try scan.skipBlanks()
                key = try dictionaryKey()
                value = .dictionary(try dictionary())
            } else {
                let isArray = try takeArrayBrackets()
                guard let type = valueType(token(typeStart, typeEnd)) else {
                    throw USDAError(
                        typeStart, "usda.unknown-type", "'\(scan.string(typeStart, typeEnd))' is not a value type")
                }
                try scan.skipBlanks()
                key = try dictionaryKey()
                if isArray, scan.peek() == UInt8(ascii: "e"), scan.takeWord("edit") {
                    value = try arrayEdit(type.type)
                } else {
                    value = isArray ? try array(type.type) : try scalar(type.type)
                }
            }
            if let i = known[key] {
                d.entries[i].value = value
            } else {
                known[key] = d.entries.count
                d.entries.append((key, value))
            }
            try separator(closing: UInt8(ascii: "}"))
        }
        leave()
        return d
    }

    /// A key with the `=` behind it.
    private mutating func dictionaryKey() throws(USDAError) -> String {
        let key: String
        if scan.peek() == UInt8(ascii: "\"") || scan.peek() == UInt8(ascii: "'") {
            key = try scan.takeString()
        } else {
            let start = scan.at
            var end = start
            guard PathTextParser.propertyNameEnd(scan.text, &end) else { throw scan.unexpected("a key") }
            key = scan.string(start, end)
            scan.at = end
        }
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "="), "'='")
        try scan.skipBlanks()
        return key
    }

    // MARK: Values without a schema

    mutating func unregisteredField(_ name: Token, _ edit: ListEdit, of spec: SpecIndex, at start: Int) throws(USDAError) {
        if edit == .explicit {
            if scan.peek() == UInt8(ascii: "{") {
                builder.set(spec, name, .unregistered(.dictionary(try dictionary())))
            } else {
                builder.set(spec, name, .unregistered(.text(try recordedText())))
            }
            return
        }
        var op = ListOp<USDValue>()
        if case .unregistered(.listOp(let old)) = builder.field(spec, name) { op = old }
        var items: [USDValue] = []
        if !scan.takeWord("None") {
            try scan.expect(UInt8(ascii: "["), "'['")
            while try nextListItem(first: items.isEmpty, closing: UInt8(ascii: "]")) {
                items.append(.unregistered(.text(try recordedText())))
            }
        }
        op.set(edit, items)
        builder.set(spec, name, .unregistered(.listOp(op)))
    }

    /// The text of a value of unknown type, with the blanks normalised.
    mutating func recordedText() throws(USDAError) -> String {
        var out = ""
        try record(into: &out)
        return out
    }

    private mutating func record(into out: inout String) throws(USDAError) {
        let start = scan.at
        switch scan.peek() {
        case UInt8(ascii: "["), UInt8(ascii: "("):
            let isList = scan.peek() == UInt8(ascii: "[")
            scan.at += 1
            try enter(at: start)
            out += isList ? "[" : "("
            var first = true
            while try nextListItem(first: first, closing: isList ? UInt8(ascii: "]") : UInt8(ascii: ")")) {
                if !first { out += ", " }
                try record(into: &out)
                first = false
            }
            out += isList ? "]" : ")"
            leave()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            _ = try scan.takeString()
            out += scan.string(start, scan.at)
        case UInt8(ascii: "@"):
            _ = try scan.takeAssetPath()
            out += scan.string(start, scan.at)
        case UInt8(ascii: "<"):
            _ = try scan.takePathText()
            out += scan.string(start, scan.at)
        default:
            if let n = scan.takeNumber() {
                switch n.kind {
                case .unsigned: out += String(n.bits)
                case .negative: out += String(Int64(bitPattern: n.bits))
                case .real: out += FloatPrinter.text(n.double)
                }
                return
            }
            let end = try scan.identifierEnd()
            guard end > start else { throw scan.unexpected("a value") }
            scan.at = end
            out += scan.string(start, end)
        }
    }
}

extension ValueType {
    /// The name as layers spell it.
    var name: String {
        switch self {
        case .timeCode: "timecode"
        default: "\(self)"
        }
    }

    var isQuaternion: Bool { self == .quath || self == .quatf || self == .quatd }

    /// Rows of a square matrix, 0 for other types.
    var matrixRows: Int {
        switch self {
        case .matrix2d: 2
        case .matrix3d: 3
        case .matrix4d: 4
        default: 0
        }
    }
}

/// The half nearest to a double, by way of the nearest float as OpenUSD rounds.
func halfBits(_ d: Double) -> UInt16 {
    let bits = Float(d).bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let magnitude = bits & 0x7fff_ffff
    if magnitude > 0x7f80_0000 { return sign | 0x7e00 }
    if magnitude >= 0x4780_0000 { return sign | 0x7c00 }
    if magnitude >= 0x3880_0000 {
        // Normal: round the mantissa to ten bits, ties to even; a carry runs into the exponent, up to infinity.
        let rounded = magnitude &+ 0xfff &+ (magnitude >> 13 & 1)
        return sign | UInt16(truncatingIfNeeded: (rounded &- 0x3800_0000) >> 13)
    }
    if magnitude < 0x3300_0000 { return sign }
    // Subnormal: the unit is 2^-24.
    let exponent = magnitude >> 23
    let mantissa = magnitude & 0x7f_ffff | 0x80_0000
    let shift = 126 &- exponent
    var half = mantissa >> shift
    let rest = mantissa & ((1 << shift) &- 1)
    let tie = UInt32(1) << (shift &- 1)
    if rest > tie || (rest == tie && half & 1 == 1) { half &+= 1 }
    return sign | UInt16(truncatingIfNeeded: half)
}

/// The value of a half.
func halfValue(_ h: UInt16) -> Double {
    let sign: Double = h & 0x8000 != 0 ? -1 : 1
    let exponent = Int(h >> 10 & 31)
    let mantissa = Double(h & 0x3ff)
    if exponent == 31 { return mantissa == 0 ? sign * .infinity : .nan }
    if exponent == 0 { return sign * mantissa * 0x1p-24 }
    return sign * (1024 + mantissa) * Double(sign: .plus, exponent: exponent - 25, significand: 1)
}
