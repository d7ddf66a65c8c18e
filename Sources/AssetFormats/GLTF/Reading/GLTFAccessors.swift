import AssetIO
import AssetModel

/// Accessors of a document, held against the bytes that are there when they are asked for.
struct GLTFAccessors {
    let document: GLTFDocument
    let resolver: any AssetResolver
    var buffers: GLTFBuffers
    private var made: [Int: GLTFColumn] = [:]
    var lastDraco: (view: Int, mesh: GLTFDracoMesh)?
    var dracoColumns: [DracoKey: GLTFColumn] = [:]

    init(_ document: GLTFDocument, _ resolver: any AssetResolver, _ limits: ReadLimits) {
        self.document = document
        self.resolver = resolver
        buffers = GLTFBuffers(document, limits)
    }

    /// Components of an element by its type, and how many stand between the starts of a matrix' columns.
    private static func width(_ type: String) -> Int? {
        switch type {
        case "SCALAR": 1
        case "VEC2": 2
        case "VEC3": 3
        case "VEC4", "MAT2": 4
        case "MAT3": 9
        case "MAT4": 16
        default: nil
        }
    }

    /// What the accessor says of its elements. Throws where it is none, or says what cannot be.
    func shape(_ index: Int) throws(AssetError) -> GLTFColumn {
        guard index >= 0, index < document.accessors.count else {
            throw AssetError(
                "gltf.bad-reference", "accessor \(index) is asked for, there are \(document.accessors.count)",
                at: SourceLocation(file: document.file.name))
        }
        let accessor = document.accessors[index]
        let place = document.place("accessors", index)
        guard let component = GLTFColumn.Component(rawValue: accessor.componentType) else {
            throw AssetError("gltf.bad-accessor", "the component type is \(accessor.componentType), expected one of 5120 to 5126", at: place)
        }
        guard let width = Self.width(accessor.type) else {
            throw AssetError("gltf.bad-accessor", "the type is '\(accessor.type)', expected SCALAR, VEC2 to VEC4 or MAT2 to MAT4", at: place)
        }
        if accessor.type.hasPrefix("MAT"), component.size < 4 {
            throw AssetError("gltf.bad-accessor", "the matrices are not of floats", at: place)
        }
        var column = GLTFColumn()
        column.count = accessor.count
        column.width = width
        column.component = component
        column.isNormalized = accessor.isNormalized && component != .float
        return column
    }

    /// Throws where the accessor is none, or asks for bytes that are not there (`gltf.accessor-out-of-range`).
    mutating func column(_ index: Int, _ diagnostics: inout Diagnostics) throws(AssetError) -> GLTFColumn {
        if let known = made[index] { return known }
        var column = try shape(index)
        let accessor = document.accessors[index]
        let place = document.place("accessors", index)
        if let view = accessor.bufferView {
            try fill(&column, view, accessor, place, &diagnostics)
        } else {
            // Zeros need no bytes: their number alone must not fill memory.
            guard accessor.count <= Self.largestCountOfZeros else {
                throw AssetError(
                    "gltf.accessor-out-of-range", "\(accessor.count) elements without bytes, at most \(Self.largestCountOfZeros)", at: place)
            }
        }
        if let sparse = accessor.sparse, sparse.count > 0 { column.sparse = try self.sparse(sparse, column, place, &diagnostics) }
        made[index] = column
        return column
    }

    private static let largestCountOfZeros = 1 << 24

    private mutating func fill(
        _ column: inout GLTFColumn, _ view: Int, _ accessor: GLTFDocument.Accessor, _ place: GLTFPlace, _ diagnostics: inout Diagnostics
    ) throws(AssetError) {
        let own = try buffers.known(view)
        let bytes: FileBytes
        // Where the view begins in the bytes.
        let start: Int
        if own.packed == nil {
            bytes = try buffers.buffer(own.buffer, resolver, &diagnostics)
            start = own.byteOffset
        } else {
            bytes = try buffers.view(view, resolver, &diagnostics)
            start = 0
        }
        let size = column.width * column.component.size
        let stride = own.byteStride ?? size
        // The specification wants 4 to 252; others are of no harm, as long as elements move on.
        guard stride > 0 else { throw AssetError("gltf.bad-accessor", "the stride is \(stride), expected \(size) or more", at: place) }
        guard let offset = start.adding(checked: accessor.byteOffset),
            let end = Self.end(offset, accessor.count, stride, size), end <= bytes.count
        else {
            let there = max(0, bytes.count - min(start, bytes.count))
            throw AssetError(
                "gltf.accessor-out-of-range",
                "\(accessor.count) elements of \(size) bytes from \(accessor.byteOffset), \(there) bytes are there", at: place)
        }
        if own.packed == nil, let last = start.adding(checked: own.byteLength), end > last {
            diagnostics.warning(
                "gltf.accessor-beyond-view", "the accessor reads \(end - last) bytes beyond its view of \(own.byteLength)", at: place)
        }
        column.bytes = bytes
        column.offset = offset
        column.stride = stride
    }

    /// Where the last element ends: it need not be filled up to the stride. Nil for what no number holds.
    private static func end(_ offset: Int, _ count: Int, _ stride: Int, _ size: Int) -> Int? {
        guard count > 0 else { return offset }
        return (count - 1).multiplied(checked: stride)?.adding(checked: offset)?.adding(checked: size)
    }

    private mutating func sparse(
        _ sparse: GLTFDocument.Sparse, _ base: GLTFColumn, _ place: GLTFPlace, _ diagnostics: inout Diagnostics
    ) throws(AssetError) -> GLTFColumn.Sparse {
        guard sparse.count <= base.count else {
            throw AssetError("gltf.bad-accessor", "\(sparse.count) sparse elements for \(base.count)", at: place)
        }
        guard let component = GLTFColumn.Component(rawValue: sparse.indicesType), [.uint8, .uint16, .uint32].contains(component) else {
            throw AssetError(
                "gltf.bad-accessor", "the sparse indices' component type is \(sparse.indicesType), expected 5121, 5123 or 5125", at: place)
        }
        var words = GLTFColumn()
        words.count = sparse.count
        words.component = component
        var accessor = GLTFDocument.Accessor()
        accessor.count = sparse.count
        accessor.byteOffset = sparse.indicesOffset
        try fill(&words, sparse.indicesView, accessor, place, &diagnostics)
        words.stride = component.size
        var values = base
        values.count = sparse.count
        accessor.byteOffset = sparse.valuesOffset
        try fill(&values, sparse.valuesView, accessor, place, &diagnostics)
        try buffers.budget.take(elements: sparse.count, place)
        guard let bytes = values.bytes else { throw AssetError("gltf.bad-accessor", "the sparse values have no bytes", at: place) }
        let indices = words.integers()
        if let bad = indices.first(where: { $0 < 0 || Int($0) >= base.count }) {
            throw AssetError("gltf.index-out-of-range", "sparse index \(bad) of \(base.count) elements", at: place)
        }
        if zip(indices, indices.dropFirst()).allSatisfy({ $0 < $1 }) {
            return GLTFColumn.Sparse(indices: indices, slots: nil, values: bytes, valuesOffset: values.offset)
        }
        diagnostics.warning("gltf.sparse-out-of-order", "the sparse indices do not grow, expected them to", at: place)
        // Of equal ones the last counts, as it would if they were taken one by one.
        let slots = indices.indices.sorted { (indices[$0], $0) < (indices[$1], $1) }
        return GLTFColumn.Sparse(indices: slots.map { indices[$0] }, slots: slots, values: bytes, valuesOffset: values.offset)
    }
}
