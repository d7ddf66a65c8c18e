import AssetModel

extension USDAParser {
    // MARK: Splines

    /// `{ … }` behind `.spline =`: curve type, extrapolation, loops and knots, in any order, separated by commas.
    mutating func spline(_ type: ValueType) throws(USDAError) -> Spline {
        switch type {
        case .double, .float, .half, .timeCode, .duration: break
        default: throw USDAError(scan.at, "usda.bad-spline", "found a spline of type \(type.name), expected a floating point type")
        }
        let start = scan.at
        try scan.expect(UInt8(ascii: "{"), "'{'")
        var spline = Spline()
        spline.valueType = type
        spline.isTimeValued = type == .timeCode || type == .duration
        var isFirst = true
        while try nextListItem(first: isFirst, closing: UInt8(ascii: "}")) {
            isFirst = false
            if scan.takeWord("bezier") {
                spline.curveType = .bezier
            } else if scan.takeWord("hermite") {
                spline.curveType = .hermite
            } else if scan.takeWord("pre", beforeColon: true) {
                spline.preExtrapolation = try extrapolation()
            } else if scan.takeWord("post", beforeColon: true) {
                spline.postExtrapolation = try extrapolation()
            } else if scan.takeWord("loop", beforeColon: true) {
                spline.innerLoop = try innerLoop()
            } else {
                try knot(into: &spline)
            }
            releasePages()
        }
        try sortKnots(&spline, start)
        spline.computeTangents()
        return spline
    }

    /// Knots by time; the first of one time counts, as for OpenUSD.
    private mutating func sortKnots(_ spline: inout Spline, _ start: Int) throws(USDAError) {
        guard zip(spline.knots, spline.knots.dropFirst()).contains(where: { !($0.time < $1.time) }) else { return }
        var sorted: [Spline.Knot] = []
        sorted.reserveCapacity(spline.knots.count)
        let order = spline.knots.indices.sorted { (spline.knots[$0].time, $0) < (spline.knots[$1].time, $1) }
        for i in order {
            if let last = sorted.last, last.time == spline.knots[i].time {
                warn("usda.duplicate-knot", "the knot at time \(last.time) is there twice: the first one counts", at: start)
            } else {
                sorted.append(spline.knots[i])
            }
        }
        spline.knots = sorted
    }

    /// A word that may end in a colon, which belongs to the grammar and not to the word.
    private mutating func colon() throws(USDAError) {
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: ":"), "':'")
        try scan.skipSpace()
    }

    private mutating func extrapolation() throws(USDAError) -> Spline.Extrapolation {
        try colon()
        var e = Spline.Extrapolation()
        if scan.takeWord("none") {
            e.mode = .valueBlock
        } else if scan.takeWord("held") {
            e.mode = .held
        } else if scan.takeWord("linear") {
            e.mode = .linear
        } else if scan.takeWord("sloped") {
            e.mode = .sloped
            try scan.skipBlanks()
            try scan.expect(UInt8(ascii: "("), "'('")
            try scan.skipSpace()
            e.slope = try number()
            try scan.skipSpace()
            try scan.expect(UInt8(ascii: ")"), "')'")
        } else if scan.takeWord("loop") {
            try scan.skipBlanks()
            if scan.takeWord("repeat") {
                e.mode = .loopRepeat
            } else if scan.takeWord("reset") {
                e.mode = .loopReset
            } else if scan.takeWord("oscillate") {
                e.mode = .loopOscillate
            } else {
                throw scan.unexpected("'repeat', 'reset' or 'oscillate'")
            }
            try scan.skipBlanks()
            if scan.take(UInt8(ascii: "(")) {
                try scan.skipSpace()
                e.loopBoundaryTime = try number()
                try scan.skipSpace()
                try scan.expect(UInt8(ascii: ")"), "')'")
            }
        } else {
            throw scan.unexpected("'none', 'held', 'linear', 'sloped' or 'loop'")
        }
        return e
    }

    private mutating func number() throws(USDAError) -> Double {
        guard let d = try takeReal() else { throw scan.unexpected("a number") }
        return d
    }

    private mutating func innerLoop() throws(USDAError) -> Spline.InnerLoop {
        try colon()
        try scan.expect(UInt8(ascii: "("), "'('")
        var n: [Double] = []
        while try nextListItem(first: n.isEmpty, closing: UInt8(ascii: ")")) {
            guard n.count < 5 else { throw scan.unexpected("')'") }
            n.append(try number())
        }
        guard n.count == 5 else { throw USDAError(scan.at, "usda.bad-spline", "found \(n.count) loop parameters, expected 5") }
        var loop = Spline.InnerLoop()
        loop.protoStart = n[0]
        loop.protoEnd = n[1]
        guard let pre = Int32(exactly: n[2]), let post = Int32(exactly: n[3]) else {
            throw USDAError(scan.at, "usda.bad-spline", "found loop counts \(n[2]) and \(n[3]), expected 32-bit integers")
        }
        loop.preLoops = pre
        loop.postLoops = post
        loop.valueOffset = n[4]
        return loop
    }

    /// `time: [pre &] value; pre (…); post held; { … }`
    private mutating func knot(into spline: inout Spline) throws(USDAError) {
        var knot = Spline.Knot()
        guard let time = try takeReal() else { throw scan.unexpected("a knot's time, 'bezier', 'hermite', 'pre', 'post', 'loop' or '}'") }
        knot.time = time
        try colon()
        knot.value = rounded(try number(), spline)
        try scan.skipBlanks()
        if scan.take(UInt8(ascii: "&")) {
            try scan.skipBlanks()
            knot.preValue = knot.value
            knot.value = rounded(try number(), spline)
            try scan.skipBlanks()
        }
        while scan.take(UInt8(ascii: ";")) {
            try scan.skipSpace()
            if scan.takeWord("pre") {
                try scan.skipBlanks()
                try tangent(&knot.preTangentWidth, &knot.preTangentSlope, &knot.preTangentAlgorithm, spline)
            } else if scan.takeWord("post") {
                try scan.skipBlanks()
                if scan.takeWord("none") {
                    knot.next = .valueBlock
                } else if scan.takeWord("held") {
                    knot.next = .held
                } else if scan.takeWord("linear") {
                    knot.next = .linear
                } else if scan.takeWord("curve") {
                    knot.next = .curve
                } else {
                    throw scan.unexpected("'none', 'held', 'linear' or 'curve'")
                }
                try scan.skipBlanks()
                if scan.peek() == UInt8(ascii: "(") {
                    try tangent(&knot.postTangentWidth, &knot.postTangentSlope, &knot.postTangentAlgorithm, spline)
                }
            } else if scan.peek() == UInt8(ascii: "{") {
                knot.customData = try dictionary()
            } else {
                throw scan.unexpected("'pre', 'post' or '{'")
            }
            try scan.skipBlanks()
        }
        spline.knots.append(knot)
    }

    /// A number in the precision of the spline.
    private func rounded(_ d: Double, _ spline: Spline) -> Double {
        switch spline.valueType {
        case .float: Double(Float(d))
        case .half: halfValue(halfBits(d))
        default: d
        }
    }

    /// `(width, slope)` or `(slope)`, with an algorithm behind where one is set.
    private mutating func tangent(
        _ width: inout Double, _ slope: inout Double, _ algorithm: inout UInt8, _ spline: Spline
    ) throws(USDAError) {
        try scan.expect(UInt8(ascii: "("), "'('")
        var n: [Double] = []
        var isFirst = true
        let start = scan.at
        while try nextListItem(first: isFirst, closing: UInt8(ascii: ")")) {
            isFirst = false
            if scan.takeWord("none") {
                algorithm = 0
            } else if scan.takeWord("custom") {
                algorithm = 1
            } else if scan.takeWord("autoEase") {
                algorithm = 2
            } else {
                n.append(try number())
            }
            if n.count > 2 { throw scan.unexpected("')'") }
        }
        if n.count == 1 {
            slope = rounded(n[0], spline)
        } else if n.count == 2 {
            width = n[0]
            slope = rounded(n[1], spline)
        } else {
            throw USDAError(start, "usda.bad-spline", "found a tangent of \(amount(n.count, "number")), expected 1 or 2")
        }
    }

    // MARK: Array edits

    /// `edit [ … ]` of an array attribute, the word taken.
    mutating func arrayEdit(_ type: ValueType) throws(USDAError) -> USDValue {
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "["), "'['")
        var steps: [ArrayEdit.Step] = []
        var literals: [USDValue] = []
        while true {
            try scan.skipSpace()
            if scan.take(UInt8(ascii: "]")) { break }
            if scan.takeWord("write") {
                let what = try operand(type, &literals)
                guard scan.takeWord("to") else { throw scan.unexpected("'to'") }
                steps.append(.write(what, at: try index()))
            } else if scan.takeWord("insert") {
                let what = try operand(type, &literals)
                guard scan.takeWord("at") else { throw scan.unexpected("'at'") }
                steps.append(.insert(what, at: try index()))
            } else if scan.takeWord("prepend") {
                steps.append(.insert(try operand(type, &literals), at: 0))
            } else if scan.takeWord("append") {
                steps.append(.insert(try operand(type, &literals), at: ArrayEdit.end))
            } else if scan.takeWord("erase") {
                steps.append(.erase(try index()))
            } else if scan.takeWord("minsize") {
                steps.append(try sizing(.minimum, type, &literals))
            } else if scan.takeWord("resize") {
                steps.append(try sizing(.exact, type, &literals))
            } else if scan.takeWord("maxsize") {
                steps.append(try sizing(.maximum, type, &literals))
            } else {
                throw scan.unexpected("'write', 'insert', 'prepend', 'append', 'erase', 'minsize', 'resize', 'maxsize' or ']'")
            }
            try separator(closing: UInt8(ascii: "]"))
        }
        return .arrayEdit(
            ArrayEdit(type: type, literals: .array(USDArray(type, values: literals)), instructions: ArrayEdit.instructions(steps)))
    }

    private mutating func operand(_ type: ValueType, _ literals: inout [USDValue]) throws(USDAError) -> ArrayEdit.Operand {
        try scan.skipBlanks()
        if scan.peek() == UInt8(ascii: "[") { return .element(try index()) }
        literals.append(try scalar(type))
        try scan.skipBlanks()
        return .literal(literals.count - 1)
    }

    /// `[n]`
    private mutating func index() throws(USDAError) -> Int64 {
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "["), "'['")
        try scan.skipBlanks()
        guard let n = scan.takeNumber(), n.kind != .real || n.double == 0, let i: Int64 = Self.integer(n) else {
            throw scan.unexpected("an index")
        }
        try scan.skipBlanks()
        try scan.expect(UInt8(ascii: "]"), "']'")
        try scan.skipBlanks()
        return i
    }

    private mutating func sizing(
        _ kind: ArrayEdit.Sizing, _ type: ValueType, _ literals: inout [USDValue]
    ) throws(USDAError) -> ArrayEdit.Step {
        try scan.skipBlanks()
        guard let n = scan.takeNumber(), n.kind == .unsigned, let size: Int64 = Self.integer(n) else {
            throw scan.unexpected("a size")
        }
        try scan.skipBlanks()
        guard kind != .maximum, scan.takeWord("fill") else { return .size(kind, size, fill: nil) }
        guard case .literal(let i) = try operand(type, &literals) else { throw scan.unexpected("a value to fill with") }
        return .size(kind, size, fill: i)
    }
}

extension USDArray {
    /// An array of scalars of its type; values of other types are left out.
    init(_ type: ValueType, values: [USDValue]) {
        var bytes: [UInt8] = []
        var ints: [Int32] = []
        var uints: [UInt32] = []
        var longs: [Int64] = []
        var ulongs: [UInt64] = []
        var halves: [UInt16] = []
        var floats: [Float] = []
        var doubles: [Double] = []
        var tokens: [Token] = []
        var strings: [String] = []
        for v in values {
            switch v {
            case .bool(let b): bytes.append(b ? 1 : 0)
            case .uchar(let n): bytes.append(n)
            case .int(let n): ints.append(n)
            case .uint(let n): uints.append(n)
            case .int64(let n): longs.append(n)
            case .uint64(let n): ulongs.append(n)
            case .half(let h): halves.append(h)
            case .float(let f): floats.append(f)
            case .double(let d), .timeCode(let d), .duration(let d): doubles.append(d)
            case .token(let t): tokens.append(t)
            case .string(let s), .asset(let s), .pathExpression(let s): strings.append(s)
            case .tuple(let tupleType, let c):
                switch tupleType.scalar {
                case .int: ints.append(contentsOf: c.map { Int32(exactly: $0) ?? 0 })
                case .half: halves.append(contentsOf: c.map { halfBits($0) })
                case .float: floats.append(contentsOf: c.map { Float($0) })
                default: doubles.append(contentsOf: c)
                }
            default: break
            }
        }
        let storage: ArrayStorage =
            switch type.scalar {
            case .bool, .uchar: .bytes(bytes)
            case .int: .int(ints)
            case .uint: .uint(uints)
            case .int64: .int64(longs)
            case .uint64: .uint64(ulongs)
            case .half: .half(halves)
            case .float: .float(floats)
            case .double: .double(doubles)
            case .token: .token(tokens)
            case .string, .none: .string(strings)
            }
        self.init(type, storage)
    }
}
