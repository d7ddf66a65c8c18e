import AssetIO
import AssetModel

/// The bytes of the one buffer, in parts, and the views and accessors that look into it (glTF 2.0, sections 3.6 and 5.1).
struct GLTFBuffer {
    /// Bytes that are held, or those of a file, which are read when they are written.
    enum Part {
        case vector4([Vector4f])
        case vector3([Vector3f])
        case vector2([Vector2f])
        case floats([Float])
        case words([UInt32])
        case shorts([UInt16])
        case bytes([UInt8])
        case file(FileBytes)

        var count: Int {
            switch self {
            case .vector4(let a): a.count * 16
            case .vector3(let a): a.count * 12
            case .vector2(let a): a.count * 8
            case .floats(let a): a.count * 4
            case .words(let a): a.count * 4
            case .shorts(let a): a.count * 2
            case .bytes(let a): a.count
            case .file(let f): f.count
            }
        }
    }

    struct View {
        enum Target: Int { case vertices = 34962, indices = 34963 }
        var offset: Int
        var count: Int
        var stride: Int?
        var target: Target?
        var extensions: [Value.Entry] = []
    }

    struct Accessor {
        var view: Int?
        var component: Component
        var type: String
        var count: Int
        var isNormalized = false
        var bounds: (min: [Float], max: [Float])?
    }

    enum Component: Int {
        case int8 = 5120, uint8, int16, uint16
        case uint32 = 5125, float
    }

    private(set) var parts: [Part] = []
    private(set) var views: [View] = []
    private(set) var accessors: [Accessor] = []
    private(set) var count = 0

    /// Adds bytes as a view of their own, at a multiple of four (section 3.6.2.4).
    mutating func view(_ part: Part, target: View.Target? = nil, stride: Int? = nil) -> Int {
        let view = View(offset: count, count: part.count, stride: stride, target: target)
        parts.append(part)
        count += part.count
        let rest = (4 - count % 4) % 4
        if rest > 0 {
            parts.append(.bytes([UInt8](repeating: 0, count: rest)))
            count += rest
        }
        views.append(view)
        return views.count - 1
    }

    mutating func add(_ accessor: Accessor) -> Int {
        accessors.append(accessor)
        return accessors.count - 1
    }

    // MARK: Common kinds

    mutating func indices(_ indices: [UInt32], vertexCount: Int) -> Int {
        // The largest number of each type restarts a primitive and is no index (section 3.7.2.1).
        if vertexCount <= 65535 {
            let view = view(.shorts(indices.map { UInt16(truncatingIfNeeded: $0) }), target: .indices)
            return add(Accessor(view: view, component: .uint16, type: "SCALAR", count: indices.count))
        }
        return add(Accessor(view: view(.words(indices), target: .indices), component: .uint32, type: "SCALAR", count: indices.count))
    }

    mutating func vectors(_ values: [Vector3f], bounds: Bool = false, target: View.Target? = .vertices) -> Int {
        var accessor = Accessor(view: view(.vector3(values), target: target), component: .float, type: "VEC3", count: values.count)
        if bounds { accessor.bounds = Self.bounds(values) }
        return add(accessor)
    }

    mutating func vectors(_ values: [Vector2f]) -> Int {
        add(Accessor(view: view(.vector2(values), target: .vertices), component: .float, type: "VEC2", count: values.count))
    }

    mutating func vectors(_ values: [Vector4f], target: View.Target? = .vertices) -> Int {
        add(Accessor(view: view(.vector4(values), target: target), component: .float, type: "VEC4", count: values.count))
    }

    /// A number a vertex.
    mutating func scalars(_ values: [Float]) -> Int {
        add(Accessor(view: view(.floats(values), target: .vertices), component: .float, type: "SCALAR", count: values.count))
    }

    /// Numbers without a target: times, weights, matrices.
    mutating func floats(_ values: [Float], type: String, width: Int, bounds: Bool = false) -> Int {
        var accessor = Accessor(view: view(.floats(values)), component: .float, type: type, count: values.count / width)
        if bounds, let low = values.min(), let high = values.max() { accessor.bounds = ([low], [high]) }
        return add(accessor)
    }

    /// Of finite vectors, to the bit.
    static func bounds(_ values: [Vector3f]) -> (min: [Float], max: [Float])? {
        guard let first = values.first else { return nil }
        var (low, high) = (first, first)
        for v in values {
            low = Vector3f(Swift.min(low.x, v.x), Swift.min(low.y, v.y), Swift.min(low.z, v.z))
            high = Vector3f(Swift.max(high.x, v.x), Swift.max(high.y, v.y), Swift.max(high.z, v.z))
        }
        return ([low.x, low.y, low.z], [high.x, high.y, high.z])
    }

    // MARK: Output

    func write(uri: String?, to json: inout JSONWriter) {
        if !accessors.isEmpty {
            json.key("accessors")
            json.beginArray()
            for accessor in accessors {
                json.beginObject()
                if let view = accessor.view { json.member("bufferView", view) }
                json.member("componentType", accessor.component.rawValue)
                if accessor.isNormalized { json.member("normalized", true) }
                json.member("count", accessor.count)
                json.member("type", accessor.type)
                if let bounds = accessor.bounds {
                    json.key("min")
                    json.value(bounds.min)
                    json.key("max")
                    json.value(bounds.max)
                }
                json.endObject()
            }
            json.endArray()
        }
        guard !views.isEmpty else { return }
        json.key("bufferViews")
        json.beginArray()
        for view in views {
            json.beginObject()
            json.member("buffer", 0)
            if view.offset > 0 { json.member("byteOffset", view.offset) }
            json.member("byteLength", view.count)
            if let stride = view.stride { json.member("byteStride", stride) }
            if let target = view.target { json.member("target", target.rawValue) }
            if !view.extensions.isEmpty {
                json.key("extensions")
                json.value(.dictionary(view.extensions))
            }
            json.endObject()
        }
        json.endArray()
        json.key("buffers")
        json.beginArray()
        json.beginObject()
        if let uri { json.member("uri", uri) }
        json.member("byteLength", count)
        json.endObject()
        json.endArray()
    }

    /// Writes all parts, giving each back when it is written.
    mutating func write(to file: any OutputFile, _ progress: inout WritingProgress) throws(AssetError) {
        for i in parts.indices {
            let part = parts[i]
            parts[i] = .bytes([])
            switch part {
            case .vector4(let a): try Self.write(a, to: file)
            case .vector3(let a): try Self.write(a, to: file)
            case .vector2(let a): try Self.write(a, to: file)
            case .floats(let a): try Self.write(a, to: file)
            case .words(let a): try Self.write(a, to: file)
            case .shorts(let a): try Self.write(a, to: file)
            case .bytes(let a): try file.write(a)
            case .file(let f): try file.write(f)
            }
            progress.advance(part.count)
        }
    }

    /// Numbers as they lie in memory: little-endian, as glTF has them.
    private static func write<E>(_ values: [E], to file: any OutputFile) throws(AssetError) {
        var failure: AssetError?
        values.withUnsafeBytes { raw in
            do throws(AssetError) { try file.write(raw) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
