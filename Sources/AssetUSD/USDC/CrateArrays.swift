import AssetIO
import AssetModel

/// Where and how an array lies in the file.
struct CrateArrayPlace: Sendable {
    /// How the elements are stored.
    enum Coding: Sendable {
        case raw
        /// Packed integers.
        case integers
        /// Floating-point numbers as packed 32-bit integers.
        case floatsAsIntegers
        /// Floating-point numbers as packed indices into a table of `size` numbers at `offset`.
        case table(offset: Int, size: Int)
    }

    var type: ValueType
    var count: Int
    var coding: Coding
    /// Offset of the elements, or of the packed block.
    var offset: Int
    /// Bytes of the elements or the packed block.
    var size: Int
}

extension CrateFile {
    static func emptyArray(_ type: ValueType) -> USDArray {
        let storage: ArrayStorage =
            switch type.scalar {
            case .bool, .uchar, .none: .bytes([])
            case .int: .int([])
            case .uint: .uint([])
            case .int64: .int64([])
            case .uint64: .uint64([])
            case .half: .half([])
            case .float: .float([])
            case .double: .double([])
            case .string: .string([])
            case .token: .token([])
            }
        return USDArray(type, storage)
    }

    /// Finds an array; nil for an empty one. The elements, or the packed block, are inside the file.
    func place(_ rep: ValueRep, _ type: ValueType) throws(AssetError) -> CrateArrayPlace? {
        try CrateArrayPlace.find(rep, type, bytes, version)
    }

    func arrayShape(_ representation: UInt64) throws(AssetError) -> (type: ValueType, count: Int)? {
        let rep = ValueRep(representation)
        guard rep.isArray, let type = rep.type?.valueType else { return nil }
        return (type, try place(rep, type)?.count ?? 0)
    }

    func deferredArray<T: Sendable>(_ representation: UInt64, as type: T.Type) throws(AssetError) -> DeferredArray<T>? {
        let rep = ValueRep(representation)
        guard rep.isArray, let element = rep.type?.valueType else { return nil }
        guard let layout = CrateElementLayout(T.self), layout.scalar == element.scalar, layout.components == element.components else {
            return nil
        }
        if rep.payload == 0 { return .loaded([]) }
        return .deferred(try CrateArraySource<T>(arrayFile, rep))
    }

    func int32s(_ bits: UInt64) throws(AssetError) -> DeferredArray<Int32>? { try packed(bits, .int, 1) }
    func floats(_ bits: UInt64) throws(AssetError) -> DeferredArray<Float>? { try packed(bits, .float, 1) }
    func vectors2(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector2f>? { try packed(bits, .float, 2) }
    func vectors3(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector3f>? { try packed(bits, .float, 3) }
    func vectors4(_ bits: UInt64) throws(AssetError) -> DeferredArray<Vector4f>? { try packed(bits, .float, 4) }

    @inline(__always)
    private func packed<T: Sendable>(_ bits: UInt64, _ scalar: ValueType.Scalar, _ components: Int) throws(AssetError) -> DeferredArray<T>? {
        let rep = ValueRep(bits)
        guard rep.isArray, let element = rep.type?.valueType, element.scalar == scalar, element.components == components else { return nil }
        if rep.payload == 0 { return .loaded([]) }
        return .deferred(CrateArraySource<T>(arrayFile, rep, count: try place(rep, element)?.count ?? 0))
    }

    /// The whole array in memory.
    func array(_ rep: ValueRep, _ type: ValueType) throws(AssetError) -> USDArray {
        guard let place = try place(rep, type) else { return Self.emptyArray(type) }
        let storage: ArrayStorage
        switch type.scalar {
        case .bool, .uchar: storage = .bytes(try CrateArraySource<UInt8>.components(place, bytes))
        case .int: storage = .int(try CrateArraySource<Int32>.components(place, bytes))
        case .uint: storage = .uint(try CrateArraySource<UInt32>.components(place, bytes))
        case .int64: storage = .int64(try CrateArraySource<Int64>.components(place, bytes))
        case .uint64: storage = .uint64(try CrateArraySource<UInt64>.components(place, bytes))
        case .half: storage = .half(try CrateArraySource<UInt16>.components(place, bytes))
        case .float: storage = .float(try CrateArraySource<Float>.components(place, bytes))
        case .double: storage = .double(try CrateArraySource<Double>.components(place, bytes))
        case .token:
            var items: [Token] = []
            items.reserveCapacity(place.count)
            for i in 0..<place.count {
                let at = place.offset + 4 * i
                items.append(try token(try bytes.load(at, as: UInt32.self, .array), .array, at))
            }
            storage = .token(items)
        case .string:
            var items: [String] = []
            items.reserveCapacity(place.count)
            for i in 0..<place.count {
                let at = place.offset + 4 * i
                items.append(try string(try bytes.load(at, as: UInt32.self, .array), .array, at))
            }
            storage = .string(items)
        case .none: throw bytes.error(.array, rep.payload, "an array of a type without values")
        }
        return USDArray(type, storage)
    }
}

/// What an element type that arrays can be handed out as is made of: numbers of one kind, packed.
struct CrateElementLayout {
    var scalar: ValueType.Scalar
    var components: Int

    /// Nil for other types.
    init?<T>(_ type: T.Type) {
        switch type {
        case is UInt8.Type: self.init(.uchar, 1)
        case is Int32.Type: self.init(.int, 1)
        case is UInt32.Type: self.init(.uint, 1)
        case is Int64.Type: self.init(.int64, 1)
        case is UInt64.Type: self.init(.uint64, 1)
        case is UInt16.Type: self.init(.half, 1)
        case is Float.Type: self.init(.float, 1)
        case is Double.Type: self.init(.double, 1)
        case is Vector2f.Type: self.init(.float, 2)
        case is Vector3f.Type: self.init(.float, 3)
        case is Vector4f.Type, is Quaternionf.Type: self.init(.float, 4)
        case is Vector3d.Type: self.init(.double, 3)
        default: return nil
        }
    }

    private init(_ scalar: ValueType.Scalar, _ components: Int) {
        self.scalar = scalar
        self.components = components
    }
}

extension CrateArrayPlace {
    /// Finds an array whose type is known to have elements; nil for an empty one and for values that are no arrays.
    init?(_ rep: ValueRep, _ file: CrateArrayFile) throws(AssetError) {
        guard rep.isArray, let type = rep.type?.valueType, let place = try Self.find(rep, type, file.bytes, file.version) else { return nil }
        self = place
    }

    /// Finds an array; nil for an empty one. The elements, or the packed block, are inside the file.
    static func find(
        _ rep: ValueRep, _ type: ValueType, _ bytes: CrateBytes, _ version: CrateVersion
    ) throws(AssetError) -> CrateArrayPlace? {
        guard rep.payload != 0 else { return nil }
        var at = CrateCursor(bytes, .array, at: rep.payload)
        // Before 0.5.0 the number of dimensions came first, always one.
        if version < CrateVersion(0, 5, 0) { _ = try at.next(UInt32.self) }
        let countOffset = at.offset
        let claimed = version < CrateVersion(0, 7, 0) ? UInt64(try at.next(UInt32.self)) : try at.next(UInt64.self)
        guard claimed <= UInt64(Int32.max) * 64 else { throw bytes.error(.array, countOffset, "\(amount(claimed, "element"))") }
        let count = Int(claimed)
        var packs = false
        switch type {
        case .int, .uint, .int64, .uint64: packs = rep.isCompressed && version >= CrateVersion(0, 5, 0)
        case .half, .float, .double: packs = rep.isCompressed && version >= CrateVersion(0, 6, 0)
        default: break
        }
        // Short arrays are never packed.
        if !packs || count < 16 {
            let stride = type.elementBytes
            guard count <= (bytes.count - at.offset) / max(stride, 1) else {
                let left = bytes.count - at.offset
                throw bytes.error(
                    .array, countOffset, "\(amount(count, "element")) of \(stride) bytes do not fit into the \(amount(left, "byte")) that are left")
            }
            return CrateArrayPlace(type: type, count: count, coding: .raw, offset: at.offset, size: count * stride)
        }
        var coding = CrateArrayPlace.Coding.integers
        if type == .half || type == .float || type == .double {
            let letter = try at.next(UInt8.self)
            switch letter {
            case UInt8(ascii: "i"): coding = .floatsAsIntegers
            case UInt8(ascii: "t"):
                let size = Int(try at.next(UInt32.self))
                guard size <= (bytes.count - at.offset) / type.componentBytes else {
                    throw at.error("a table of \(amount(size, "number")) does not fit into the file")
                }
                coding = .table(offset: at.offset, size: size)
                at.offset += size * type.componentBytes
            default: throw at.error("the unknown array coding \(letter)")
            }
        }
        let size = try at.blockSize()
        // Two bits an element before LZ4 at the least.
        guard count / 4 <= CrateCompression.mostUnpacked(size) else {
            throw bytes.error(.array, countOffset, "\(count) elements cannot be packed into \(amount(size, "byte"))")
        }
        return CrateArrayPlace(type: type, count: count, coding: coding, offset: at.offset, size: size)
    }
}
