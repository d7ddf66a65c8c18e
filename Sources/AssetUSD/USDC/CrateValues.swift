import AssetIO
import AssetModel

extension CrateFile: FieldSource {
    /// A damaged value stays deferred: it is an error for those who ask for it.
    func fieldValue(_ bits: UInt64) -> USDValue { (try? value(ValueRep(bits))) ?? .deferred(self, bits) }

    /// The value of a field: decoded where the representation holds it, deferred where it lies in the file.
    func value(_ rep: ValueRep) throws(AssetError) -> USDValue {
        guard !rep.isArray, !rep.isArrayEdit, let type = rep.type else {
            if rep.isArray, rep.payload == 0, let element = rep.type?.valueType { return .array(Self.emptyArray(element)) }
            return .deferred(self, rep.bits)
        }
        if rep.isInlined || type.isAlwaysInlined { return try inlined(rep, type) }
        return .deferred(self, rep.bits)
    }

    func numbers(_ bits: UInt64, _ numbers: inout SixteenNumbers) -> ValueType? {
        let rep = ValueRep(bits)
        guard !rep.isArray, !rep.isArrayEdit, let type = rep.type, let element = type.valueType else { return nil }
        let n = element.components
        if rep.isInlined || type.isAlwaysInlined {
            switch type {
            case .float, .double, .timeCode: numbers[0] = Double(Float(bitPattern: rep.inlined))
            case .half: numbers[0] = Self.half(UInt16(truncatingIfNeeded: rep.inlined))
            case .vec2d, .vec2f, .vec2i, .vec3d, .vec3f, .vec3h, .vec3i, .vec4d, .vec4f, .vec4h, .vec4i:
                for i in 0..<n { numbers[i] = Double(Int8(truncatingIfNeeded: rep.inlined >> UInt32(8 * i))) }
            case .matrix4d:
                for i in 0..<16 { numbers[i] = i % 5 == 0 ? Double(Int8(truncatingIfNeeded: rep.inlined >> UInt32(8 * (i / 5)))) : 0 }
            default: return nil
            }
            return element
        }
        let width = element.componentBytes
        guard let p = try? bytes.pointer(rep.payload, n * width, .value) else { return nil }
        switch element.scalar {
        case .double: for i in 0..<n { numbers[i] = p.loadUnaligned(fromByteOffset: 8 * i, as: Double.self) }
        case .float: for i in 0..<n { numbers[i] = Double(p.loadUnaligned(fromByteOffset: 4 * i, as: Float.self)) }
        case .half: for i in 0..<n { numbers[i] = Self.half(p.loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self)) }
        default: return nil
        }
        return element
    }

    func singlePath(_ bits: UInt64) -> Path? {
        let rep = ValueRep(bits)
        guard rep.type == .pathListOp, !rep.isArray, !rep.isInlined, let p = try? bytes.pointer(rep.payload, 13, .value) else { return nil }
        let flags = p.load(as: UInt8.self)
        guard flags == 3 || flags == 32, p.loadUnaligned(fromByteOffset: 1, as: UInt64.self) == 1 else { return nil }
        return try? path(p.loadUnaligned(fromByteOffset: 9, as: UInt32.self), .value, rep.payload + 9)
    }

    func decode(_ representation: UInt64) throws(AssetError) -> USDValue {
        // A value may refer to others, and several may refer to the same one: what one call does is bounded by the size
        // of the file, so that a small file cannot describe a huge value.
        budget = max(1 << 16, bytes.count)
        depth = 0
        return try unpack(ValueRep(representation))
    }

    /// Takes `n` from what may still be done.
    func spend(_ n: Int, _ offset: Int) throws(AssetError) {
        guard n <= budget else { throw bytes.error(.value, offset, "values refer to each other without end") }
        budget -= n
    }

    func unpack(_ rep: ValueRep) throws(AssetError) -> USDValue {
        guard let type = rep.type else {
            throw bytes.error(.value, rep.payload, "unknown value type \(rep.typeNumber)")
        }
        if rep.isArray {
            guard let element = type.valueType else {
                throw bytes.error(.value, rep.payload, "value type \(rep.typeNumber) has no arrays")
            }
            return .array(try array(rep, element))
        }
        if rep.isArrayEdit {
            guard let element = type.valueType else {
                throw bytes.error(.value, rep.payload, "value type \(rep.typeNumber) has no array edits")
            }
            return try arrayEdit(rep, element)
        }
        if rep.isInlined || type.isAlwaysInlined { return try inlined(rep, type) }
        var at = CrateCursor(bytes, .value, at: rep.payload)
        if let scalar = type.valueType { return try scalarValue(&at, scalar) }
        return try otherValue(&at, type, rep)
    }

    // MARK: In the representation

    private func inlined(_ rep: ValueRep, _ type: CrateType) throws(AssetError) -> USDValue {
        let word = rep.inlined
        let number = Int32(bitPattern: word)
        @inline(__always) func byte(_ i: Int) -> Double { Double(Int8(truncatingIfNeeded: word >> UInt32(8 * i))) }
        @inline(__always) func decoded(_ value: Float) -> Double { Double(value) }
        switch type {
        case .bool: return .bool(word & 0xFF != 0)
        case .uchar: return .uchar(UInt8(truncatingIfNeeded: word))
        case .int: return .int(number)
        case .uint: return .uint(word)
        case .int64: return .int64(Int64(number))
        case .uint64: return .uint64(UInt64(word))
        case .half: return .half(UInt16(truncatingIfNeeded: word))
        case .float: return .float(Float(bitPattern: word))
        case .double: return .double(Double(Float(bitPattern: word)))
        case .timeCode: return .timeCode(Double(Float(bitPattern: word)))
        case .duration: return .duration(Double(Float(bitPattern: word)))
        case .string: return .string(try string(word, .value, 0))
        case .token: return .token(try token(word, .value, 0))
        case .assetPath: return .asset(session.string(try token(word, .value, 0)))
        case .vec2h:
            return .tuple(.half2, [Self.half(UInt16(truncatingIfNeeded: word)), Self.half(UInt16(truncatingIfNeeded: word >> 16))])
        case .vec2d, .vec2f, .vec2i: return .tuple(type.valueType ?? .double2, [byte(0), byte(1)])
        case .vec3d, .vec3f, .vec3h, .vec3i: return .tuple(type.valueType ?? .double3, [byte(0), byte(1), byte(2)])
        case .vec4d, .vec4f, .vec4h, .vec4i: return .tuple(type.valueType ?? .double4, [byte(0), byte(1), byte(2), byte(3)])
        case .matrix2d: return .tuple(.matrix2d, [byte(0), 0, 0, byte(1)])
        case .matrix3d: return .tuple(.matrix3d, [byte(0), 0, 0, 0, byte(1), 0, 0, 0, byte(2)])
        case .matrix4d:
            return .tuple(.matrix4d, [byte(0), 0, 0, 0, 0, byte(1), 0, 0, 0, 0, byte(2), 0, 0, 0, 0, byte(3)])
        case .specifier:
            guard let s = Specifier(rawValue: UInt8(clamping: word)) else { throw bytes.error(.value, 0, "specifier \(word)") }
            return .specifier(s)
        case .permission:
            guard let p = Permission(rawValue: UInt8(clamping: word)) else { throw bytes.error(.value, 0, "permission \(word)") }
            return .permission(p)
        case .variability:
            // 2 was `config`, which OpenUSD reads as uniform.
            guard word <= 2 else { throw bytes.error(.value, 0, "variability \(word)") }
            return .variability(word == 0 ? .varying : .uniform)
        case .valueBlock: return .block
        case .animationBlock: return .animationBlock
        case .dictionary: return .dictionary(USDDictionary())
        default:
            throw bytes.error(.value, 0, "a value of type \(rep.typeNumber) cannot be in its representation")
        }
    }

    /// A half as the number it stands for.
    static func half(_ bits: UInt16) -> Double {
        let sign: Double = bits & 0x8000 != 0 ? -1 : 1
        let exponent = Int(bits >> 10) & 31
        let fraction = Double(bits & 0x3FF)
        switch exponent {
        case 0: return sign * fraction * 0x1p-24
        case 31:
            // The payload of a NaN is kept.
            let wide = UInt64(bits & 0x8000) << 48 | 0x7FF0_0000_0000_0000 | UInt64(bits & 0x3FF) << 42
            return Double(bitPattern: wide)
        default: return sign * (1 + fraction * 0x1p-10) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
        }
    }

    // MARK: Single values

    private func scalarValue(_ at: inout CrateCursor, _ type: ValueType) throws(AssetError) -> USDValue {
        switch type {
        case .int64: return .int64(try at.next(Int64.self))
        case .uint64: return .uint64(try at.next(UInt64.self))
        case .double: return .double(try at.next(Double.self))
        case .timeCode: return .timeCode(try at.next(Double.self))
        case .duration: return .duration(try at.next(Double.self))
        case .pathExpression: return .pathExpression(try nextString(&at))
        default: break
        }
        let n = type.components
        var values: [Double] = []
        values.reserveCapacity(n)
        switch type.scalar {
        case .int: for _ in 0..<n { values.append(Double(try at.next(Int32.self))) }
        case .half: for _ in 0..<n { values.append(Self.half(try at.next(UInt16.self))) }
        case .float: for _ in 0..<n { values.append(Double(try at.next(Float.self))) }
        case .double: for _ in 0..<n { values.append(try at.next(Double.self)) }
        default: throw at.error("a value of type \(type) cannot lie in the file")
        }
        return .tuple(type, values)
    }

    func nextString(_ at: inout CrateCursor) throws(AssetError) -> String {
        let offset = at.offset
        return try string(try at.next(UInt32.self), .value, offset)
    }

    func nextToken(_ at: inout CrateCursor) throws(AssetError) -> Token {
        let offset = at.offset
        return try token(try at.next(UInt32.self), .value, offset)
    }

    func nextPath(_ at: inout CrateCursor) throws(AssetError) -> Path {
        let offset = at.offset
        return try path(try at.next(UInt32.self), .value, offset)
    }

    // MARK: Values of metadata

    private func otherValue(_ at: inout CrateCursor, _ type: CrateType, _ rep: ValueRep) throws(AssetError) -> USDValue {
        switch type {
        case .dictionary: return .dictionary(try dictionary(&at))
        case .tokenListOp: return .tokenListOp(try listOp(&at, 4) { at throws(AssetError) in try self.nextToken(&at) })
        case .stringListOp: return .stringListOp(try listOp(&at, 4) { at throws(AssetError) in try self.nextString(&at) })
        case .pathListOp: return .pathListOp(try listOp(&at, 4) { at throws(AssetError) in try self.nextPath(&at) })
        case .referenceListOp: return .referenceListOp(try listOp(&at, 32) { at throws(AssetError) in try self.reference(&at) })
        case .payloadListOp:
            return .payloadListOp(try listOp(&at, 8) { at throws(AssetError) in try self.payload(&at) })
        case .intListOp: return .intListOp(try listOp(&at, 4) { at throws(AssetError) in try at.next(Int32.self) })
        case .uintListOp: return .uintListOp(try listOp(&at, 4) { at throws(AssetError) in try at.next(UInt32.self) })
        case .int64ListOp: return .int64ListOp(try listOp(&at, 8) { at throws(AssetError) in try at.next(Int64.self) })
        case .uint64ListOp: return .uint64ListOp(try listOp(&at, 8) { at throws(AssetError) in try at.next(UInt64.self) })
        case .unregisteredValueListOp: return .unregistered(.listOp(try unregisteredListOp(&at)))
        case .pathVector: return .paths(try vector(&at, 4) { at throws(AssetError) in try self.nextPath(&at) })
        case .tokenVector: return .tokens(try vector(&at, 4) { at throws(AssetError) in try self.nextToken(&at) })
        case .stringVector: return .strings(try vector(&at, 4) { at throws(AssetError) in try self.nextString(&at) })
        case .doubleVector: return .doubles(try vector(&at, 8) { at throws(AssetError) in try at.next(Double.self) })
        case .layerOffsetVector: return .layerOffsets(try vector(&at, 16) { at throws(AssetError) in try self.layerOffset(&at) })
        case .variantSelectionMap:
            return .variantSelections(
                try vector(&at, 8) { at throws(AssetError) in
                    let set = self.session.token(try self.nextString(&at))
                    return (set, self.session.token(try self.nextString(&at)))
                })
        case .relocates:
            return .relocates(
                try vector(&at, 8) { at throws(AssetError) in
                    let source = try self.nextPath(&at)
                    return (source, try self.nextPath(&at))
                })
        case .payload:
            // Before payload lists there was one payload, and one without a file stood for none.
            let p = try payload(&at)
            return .payloadListOp(ListOp(explicit: p.assetPath.isEmpty ? [] : [p]))
        case .timeSamples: return .timeSamples(try timeSamples(&at))
        case .value: return try nestedValue(&at)
        case .unregisteredValue: return .unregistered(try unregisteredValue(&at))
        case .spline: return .spline(try spline(&at))
        default: throw at.error("a value of type \(rep.typeNumber) cannot lie in the file")
        }
    }

    private func vector<T>(
        _ at: inout CrateCursor, _ stride: Int, _ next: (inout CrateCursor) throws(AssetError) -> T
    ) throws(AssetError) -> [T] {
        let n = try at.elementCount(stride: stride)
        try spend(n, at.offset)
        var items: [T] = []
        items.reserveCapacity(n)
        for _ in 0..<n { items.append(try next(&at)) }
        return items
    }

    private func listOp<T>(
        _ at: inout CrateCursor, _ stride: Int, _ next: (inout CrateCursor) throws(AssetError) -> T
    ) throws(AssetError) -> ListOp<T> {
        let flags = try at.next(UInt8.self)
        var op = ListOp<T>()
        op.isExplicit = flags & 1 != 0
        if flags & 2 != 0 { op.explicit = try vector(&at, stride, next) }
        if flags & 4 != 0 { op.added = try vector(&at, stride, next) }
        if flags & 32 != 0 { op.prepended = try vector(&at, stride, next) }
        if flags & 64 != 0 { op.appended = try vector(&at, stride, next) }
        if flags & 8 != 0 { op.deleted = try vector(&at, stride, next) }
        if flags & 16 != 0 { op.ordered = try vector(&at, stride, next) }
        return op
    }

    private func layerOffset(_ at: inout CrateCursor) throws(AssetError) -> LayerOffset {
        let offset = try at.next(Double.self)
        return LayerOffset(offset: offset, scale: try at.next(Double.self))
    }

    private func reference(_ at: inout CrateCursor) throws(AssetError) -> Reference {
        let asset = try nextString(&at)
        let path = try nextPath(&at)
        let offset = try layerOffset(&at)
        return Reference(assetPath: asset, primPath: path, layerOffset: offset, customData: try dictionary(&at))
    }

    private func payload(_ at: inout CrateCursor) throws(AssetError) -> Reference {
        let asset = try nextString(&at)
        let path = try nextPath(&at)
        guard version >= CrateVersion(0, 8, 0) else { return Reference(assetPath: asset, primPath: path) }
        return Reference(assetPath: asset, primPath: path, layerOffset: try layerOffset(&at))
    }

    // MARK: Values within values

    func dictionary(_ at: inout CrateCursor) throws(AssetError) -> USDDictionary {
        let n = try at.elementCount(stride: 20)
        try spend(n, at.offset)
        var result = USDDictionary()
        result.entries.reserveCapacity(n)
        for _ in 0..<n {
            let key = try nextString(&at)
            result.entries.append((key, try nestedValue(&at)))
        }
        return result
    }

    /// A value behind a forward offset to its representation.
    func nestedValue(_ at: inout CrateCursor) throws(AssetError) -> USDValue {
        let rep = try nestedRep(&at)
        guard depth < limits.nestingDepth else {
            throw AssetError(
                "limit.nesting-depth", "value: more than \(limits.nestingDepth) value\(limits.nestingDepth == 1 ? "" : "s") within each other",
                at: bytes.file.location(at.offset))
        }
        try spend(1, at.offset)
        depth += 1
        defer { depth -= 1 }
        // Arrays stay in the file.
        if rep.isArray { return try value(rep) }
        return try unpack(rep)
    }

    /// The representation behind a forward offset; the cursor goes on behind it.
    private func nestedRep(_ at: inout CrateCursor) throws(AssetError) -> ValueRep {
        let start = at.offset
        let jump = try at.next(Int64.self)
        guard jump >= 8, jump <= Int64(bytes.count - start) else {
            throw bytes.error(.value, start, "offset \(jump) to a nested value, expected 8 to \(bytes.count - start)")
        }
        at.offset = start + Int(jump)
        return ValueRep(try at.next(UInt64.self))
    }

    private func unregisteredListOp(_ at: inout CrateCursor) throws(AssetError) -> ListOp<USDValue> {
        try listOp(&at, 16) { at throws(AssetError) in
            let v = try self.nestedValue(&at)
            // Items are unregistered values themselves.
            if case .unregistered = v { return v }
            return try self.unregistered(v, at.offset).map { .unregistered($0) } ?? v
        }
    }

    private func unregisteredValue(_ at: inout CrateCursor) throws(AssetError) -> UnregisteredValue {
        let v = try nestedValue(&at)
        guard let u = try unregistered(v, at.offset) else {
            throw at.error("an unregistered value that is neither text, dictionary nor list")
        }
        return u
    }

    private func unregistered(_ value: USDValue, _ offset: Int) throws(AssetError) -> UnregisteredValue? {
        switch value {
        case .string(let s): .text(s)
        case .dictionary(let d): .dictionary(d)
        case .unregistered(let u): u
        default: nil
        }
    }

    private func timeSamples(_ at: inout CrateCursor) throws(AssetError) -> TimeSamples {
        let start = at.offset
        let timesRep = try nestedRep(&at)
        let times = try sampleTimes(timesRep, start)
        // The values' representations are behind a second offset.
        let second = at.offset
        let jump = try at.next(Int64.self)
        guard jump >= 8, jump <= Int64(bytes.count - second) else {
            throw bytes.error(.value, second, "offset \(jump) to sample values, expected 8 to \(bytes.count - second)")
        }
        at.offset = second + Int(jump)
        let countOffset = at.offset
        let n = try at.elementCount(stride: 8)
        guard n == times.count else {
            throw bytes.error(.value, countOffset, "\(n) sample values for \(amount(times.count, "time"))")
        }
        try spend(n, at.offset)
        var samples = TimeSamples(times: times)
        samples.values.reserveCapacity(n)
        for _ in 0..<n { samples.values.append(try value(ValueRep(try at.next(UInt64.self)))) }
        if zip(times, times.dropFirst()).contains(where: { !($0 < $1) }) { sort(&samples) }
        return samples
    }

    private func sampleTimes(_ rep: ValueRep, _ offset: Int) throws(AssetError) -> [Double] {
        if let (known, times) = lastTimes, known == rep { return times }
        let times: [Double]
        switch rep.type {
        case .doubleVector where !rep.isArray:
            var at = CrateCursor(bytes, .value, at: rep.payload)
            let n = try at.elementCount(stride: 8)
            try spend(n, rep.payload)
            let p = try bytes.pointer(at.offset, n * 8, .value)
            times = [Double](unsafeUninitializedCapacity: n) { out, count in
                if let to = out.baseAddress, n > 0 { UnsafeMutableRawPointer(to).copyMemory(from: p, byteCount: n * 8) }
                count = n
            }
        case .double where rep.isArray:
            guard case .double(let d) = try array(rep, .double).storage else { return [] }
            times = d
        default: throw bytes.error(.value, offset, "sample times of type \(rep.typeNumber), expected doubles")
        }
        lastTimes = (rep, times)
        return times
    }

    /// OpenUSD keeps samples ordered and one for a time: the first.
    private func sort(_ samples: inout TimeSamples) {
        let order = samples.times.indices.filter { !samples.times[$0].isNaN }.sorted {
            samples.times[$0] != samples.times[$1] ? samples.times[$0] < samples.times[$1] : $0 < $1
        }
        var sorted = TimeSamples()
        for i in order where sorted.times.last != samples.times[i] {
            sorted.times.append(samples.times[i])
            sorted.values.append(samples.values[i])
        }
        samples = sorted
    }

    private func arrayEdit(_ rep: ValueRep, _ type: ValueType) throws(AssetError) -> USDValue {
        guard rep.payload != 0 else {
            return .arrayEdit(ArrayEdit(type: type, literals: .array(Self.emptyArray(type)), instructions: []))
        }
        var at = CrateCursor(bytes, .value, at: rep.payload)
        let literals = ValueRep(try at.next(UInt64.self))
        let program = ValueRep(try at.next(UInt64.self))
        let isDense = try at.next(UInt8.self) != 0
        guard literals.isArray, literals.type?.valueType == type else {
            throw bytes.error(.value, rep.payload, "literals of an array edit of type \(literals.typeNumber), expected \(rep.typeNumber)")
        }
        guard program.isArray, program.type == .int64 else {
            throw bytes.error(.value, rep.payload + 8, "instructions of an array edit of type \(program.typeNumber), expected int64")
        }
        let values = USDValue.array(try array(literals, type))
        // An edit that says the whole array is that array.
        if isDense { return values }
        guard case .int64(let instructions) = try array(program, .int64).storage else { return values }
        return .arrayEdit(ArrayEdit(type: type, literals: values, instructions: instructions))
    }
}
