import AssetModel

extension CrateFile {
    /// A spline: a blob of its own format (OpenUSD's pxr/base/ts/binary.cpp) and custom data by knot time.
    ///
    /// The blob's formats: 1 (crate 0.12), 2 with tangent algorithms (0.13), 3 with loop boundaries and time codes
    /// (0.15), 4 with durations (0.16).
    func spline(_ at: inout CrateCursor) throws(AssetError) -> Spline {
        let size = try at.elementCount(stride: 1)
        var blob = CrateCursor(bytes, .value, at: at.offset)
        let end = at.offset + size
        var spline = Spline()
        if size > 0 { try self.blob(&blob, end, &spline) }
        spline.computeTangents()
        spline.shortenTangents()
        at.offset = end
        let n = try at.elementCount(stride: 16)
        try spend(n, at.offset)
        for _ in 0..<n {
            let time = try at.next(Double.self)
            let data = try dictionary(&at)
            if let i = spline.knots.firstIndex(where: { $0.time == time }) { spline.knots[i].customData = data }
        }
        return spline
    }

    private func blob(_ at: inout CrateCursor, _ end: Int, _ spline: inout Spline) throws(AssetError) {
        let start = at.offset
        let head = try at.next(UInt8.self)
        let format = head & 15
        guard format >= 1, format <= 4 else { throw bytes.error(.value, start, "spline format \(format), expected 1 to 4") }
        // Formats 1 and 2 have two bits for the type and one for doubles that are times, later ones three for the type.
        let type = format < 3 ? (head >> 4) & 3 : (head >> 4) & 7
        let value: ValueType
        switch type {
        case 0, 1: value = .double
        case 2: value = .float
        case 3: value = .half
        case 4: value = .timeCode
        case 5: value = .duration
        default: throw bytes.error(.value, start, "spline value type \(type)")
        }
        spline.valueType = value
        spline.isTimeValued = format < 3 ? head & 0x40 != 0 : type >= 4
        spline.curveType = head & 0x80 != 0 ? .hermite : .bezier
        let flags = try at.next(UInt8.self)
        spline.preExtrapolation.mode = try extrapolation(flags & 7, start)
        spline.postExtrapolation.mode = try extrapolation((flags >> 3) & 7, start)
        if format >= 3 {
            let boundaries = try at.next(UInt8.self)
            if boundaries & 1 != 0 { spline.preExtrapolation.loopBoundaryTime = try at.next(Double.self) }
            if boundaries & 2 != 0 { spline.postExtrapolation.loopBoundaryTime = try at.next(Double.self) }
        }
        if spline.preExtrapolation.mode == .sloped { spline.preExtrapolation.slope = try at.next(Double.self) }
        if spline.postExtrapolation.mode == .sloped { spline.postExtrapolation.slope = try at.next(Double.self) }
        if flags & 0x40 != 0 {
            var loop = Spline.InnerLoop()
            loop.protoStart = try at.next(Double.self)
            loop.protoEnd = try at.next(Double.self)
            loop.preLoops = try at.next(Int32.self)
            loop.postLoops = try at.next(Int32.self)
            loop.valueOffset = try at.next(Double.self)
            spline.innerLoop = loop
        }
        func next(_ at: inout CrateCursor) throws(AssetError) -> Double {
            switch value {
            case .float: Double(try at.next(Float.self))
            case .half: Self.half(try at.next(UInt16.self))
            default: try at.next(Double.self)
            }
        }
        let count = Int(try at.next(UInt32.self))
        let least = 9 + 3 * value.componentBytes
        guard count <= max(0, end - at.offset) / least else {
            throw at.error("\(amount(count, "knot")) of a spline in \(amount(end - at.offset, "byte"))")
        }
        try spend(count, at.offset)
        spline.knots.reserveCapacity(count)
        for _ in 0..<count {
            var knot = Spline.Knot()
            let bits = try at.next(UInt8.self)
            switch (bits >> 1) & 3 {
            case 0: knot.next = .valueBlock
            case 1: knot.next = .held
            case 2: knot.next = .linear
            default: knot.next = .curve
            }
            knot.time = try at.next(Double.self)
            knot.value = try next(&at)
            if bits & 1 != 0 { knot.preValue = try next(&at) }
            if spline.curveType == .bezier {
                knot.preTangentWidth = try at.next(Double.self)
                knot.postTangentWidth = try at.next(Double.self)
            }
            knot.preTangentSlope = try next(&at)
            knot.postTangentSlope = try next(&at)
            if format >= 2 {
                let algorithms = try at.next(UInt8.self)
                knot.preTangentAlgorithm = algorithms & 15
                knot.postTangentAlgorithm = algorithms >> 4
            }
            spline.knots.append(knot)
        }
        guard at.offset <= end else { throw bytes.error(.value, end, "a spline of \(amount(end - start, "byte")) ends early") }
    }

    private func extrapolation(_ mode: UInt8, _ offset: Int) throws(AssetError) -> Spline.ExtrapolationMode {
        switch mode {
        case 0: .valueBlock
        case 1: .held
        case 2: .linear
        case 3: .sloped
        case 4: .loopRepeat
        case 5: .loopReset
        case 6: .loopOscillate
        default: throw bytes.error(.value, offset, "spline extrapolation \(mode)")
        }
    }
}
