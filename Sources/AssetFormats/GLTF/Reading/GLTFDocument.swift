import AssetIO
import AssetModel

/// A glTF 2.0 asset in the specification's own words: flat tables, linked by the file's own indices, which nobody has checked yet.
struct GLTFDocument: Document {
    var asset = Asset()
    var extensionsUsed: [String] = []
    var extensionsRequired: [String] = []
    var buffers: [Buffer] = []
    var bufferViews: [BufferView] = []
    var accessors: [Accessor] = []
    var images: [Image] = []
    var samplers: [Sampler] = []
    var textures: [Texture] = []
    var materials: [Material] = []
    var meshes: [Mesh] = []
    var primitives: [Primitive] = []
    var attributes: [Attribute] = []
    var nodes: [Node] = []
    var children: [Int] = []
    var scenes: [Scene] = []
    var scene: Int?
    var skins: [Skin] = []
    var animations: [Animation] = []
    var cameras: [Camera] = []
    var lights: [Light] = []
    /// KHR_materials_variants: their names.
    var variants: [String] = []
    /// Tables and members with `extras` that the scene has no place for.
    var openExtras: [String] = []
    var extras: [Value.Entry] = []

    /// The file that was opened, and the binary chunk of a GLB.
    let file: FileBytes
    let isBinary: Bool
    let binary: FileBytes?

    init(file: FileBytes, isBinary: Bool, binary: FileBytes?) {
        self.file = file
        self.isBinary = isBinary
        self.binary = binary
    }

    struct Asset {
        var version = ""
        var minVersion: String?
        var generator: String?
        var copyright: String?
    }

    /// Where bytes come from.
    enum Source {
        /// The GLB's binary chunk, or nothing.
        case none
        /// As the file has it, percent escapes included.
        case uri(String)
        /// A data URI, decoded.
        case data(FileBytes, mediaType: String)
        case view(Int)
    }

    struct Buffer {
        var source = Source.none
        var byteLength = 0
    }

    struct BufferView {
        var buffer = -1
        var byteOffset = 0
        var byteLength = 0
        var byteStride: Int?
        /// EXT_meshopt_compression: where the bytes lie packed, and how; nil where they are plain.
        var packed: Packed?
    }

    /// A view that is packed with one of meshoptimizer's codecs.
    struct Packed {
        /// `EXT_meshopt_compression` or `KHR_meshopt_compression`.
        var owner = ""
        var buffer = -1
        var byteOffset = 0
        var byteLength = 0
        var byteStride = 0
        var count = 0
        var mode = ""
        var filter = "NONE"
    }

    struct Accessor {
        var bufferView: Int?
        var byteOffset = 0
        var componentType = 0
        var isNormalized = false
        var count = 0
        var type = ""
        var sparse: Sparse?
    }

    struct Sparse {
        var count = 0
        var indicesView = -1
        var indicesOffset = 0
        var indicesType = 0
        var valuesView = -1
        var valuesOffset = 0
    }

    struct Image {
        var name: String?
        var source = Source.none
        var mediaType: String?
    }

    struct Sampler {
        /// OpenGL's numbers; 10497 (repeat) where none is said.
        var wrapS = 10497
        var wrapT = 10497
    }

    struct Texture {
        var name: String?
        var source: Int?
        var sampler: Int?
        /// The extension that the image comes from (`KHR_texture_basisu`, `EXT_texture_webp`); nil where it is the plain one.
        var sourceExtension: String?
    }

    /// How a material uses a texture.
    struct TextureInfo: Hashable {
        var index = -1
        var texCoord = 0
        /// `scale` of a normal texture.
        var scale = 1.0
        /// `strength` of an occlusion texture.
        var strength = 1.0
        /// KHR_texture_transform; nil where there is none.
        var transform: Transform?

        struct Transform: Hashable {
            var offset = [0.0, 0.0]
            /// Radians, counter-clockwise with v down.
            var rotation = 0.0
            var scale = [1.0, 1.0]
        }
    }

    /// A material as a list of what it says: its own members, those of `pbrMetallicRoughness`, and those of its extensions.
    struct Material {
        struct Member {
            var name: String
            /// The extension it belongs to; empty for the core.
            var owner: String
            var value: Value?
            var texture: TextureInfo?
        }

        var name: String?
        var members: [Member] = []
        var extensions: [String] = []
        var extras: Value?
    }

    struct Mesh {
        var name: String?
        var primitives = 0..<0
        var weights: [Double] = []
        /// `extras.targetNames`, as exporters agreed.
        var targetNames: [String] = []
    }

    struct Primitive {
        var attributes = 0..<0
        var indices: Int?
        var material: Int?
        var mode = 4
        /// One range of attributes a morph target.
        var targets: [Range<Int>] = []
        /// KHR_draco_mesh_compression: the view, and the packed attributes by their ids there.
        var draco: Draco?
        /// KHR_materials_variants: which material counts in which variants.
        var mappings: [Mapping] = []
    }

    struct Draco {
        var view = -1
        var ids: [Semantic: UInt32] = [:]
    }

    struct Mapping {
        var material = -1
        var variants: [Int] = []
    }

    struct Attribute {
        var semantic: Semantic
        var accessor: Int
    }

    enum Semantic: Hashable {
        case position, normal, tangent
        case texcoord(Int)
        case color(Int)
        case joints(Int)
        case weights(Int)
        case other(String)
    }

    struct Node {
        var name: String?
        var children = 0..<0
        var mesh: Int?
        var skin: Int?
        var camera: Int?
        var light: Int?
        /// 16 numbers, column by column; empty where there is none.
        var matrix: [Double] = []
        var translation: [Double] = []
        var rotation: [Double] = []
        var scale: [Double] = []
        var weights: [Double] = []
        /// EXT_mesh_gpu_instancing: `TRANSLATION`, `ROTATION`, `SCALE` and their accessors.
        var instancing: [Attribute]?
        /// KHR_node_visibility.
        var isVisible = true
        var extras: Value?
    }

    struct Scene {
        var name: String?
        var nodes: [Int] = []
        var extras: Value?
    }

    struct Skin {
        var name: String?
        var inverseBindMatrices: Int?
        var skeleton: Int?
        var joints: [Int] = []
    }

    struct Animation {
        struct Channel {
            var sampler = -1
            var node: Int?
            var path = ""
        }
        struct Sampler {
            var input = -1
            var output = -1
            var interpolation = "LINEAR"
        }
        var name: String?
        var channels: [Channel] = []
        var samplers: [Sampler] = []
    }

    struct Camera {
        var name: String?
        var type = ""
        var aspectRatio: Double?
        var yfov = 0.0
        var xmag = 0.0
        var ymag = 0.0
        var znear = 0.0
        var zfar: Double?
    }

    /// KHR_lights_punctual.
    struct Light {
        var name: String?
        var type = ""
        var color = [1.0, 1.0, 1.0]
        var intensity = 1.0
        var range: Double?
        var innerConeAngle: Double?
        var outerConeAngle: Double?
    }

    func scene(_ context: inout ReadContext) throws(AssetError) -> AssetModel.Scene {
        var maker = GLTFToScene(self, context)
        // More warnings fit while they are found than there will be.
        let capacity = context.diagnostics.capacity
        maker.diagnostics.capacity = max(capacity, 20_000)
        defer { context.diagnostics = GLTFReport.fold(maker.diagnostics, capacity) }
        return try maker.make()
    }

    /// A place in the JSON, for messages.
    func place(_ table: StaticString, _ index: Int, _ field: StaticString = "", _ item: Int? = nil) -> GLTFPlace {
        GLTFPlace(file: file.name, table: table, index: index, field: field, item: item)
    }
}

/// A place in the JSON, which becomes text only for a message.
struct GLTFPlace {
    let file: String
    let table: StaticString
    let index: Int
    let field: StaticString
    let item: Int?

    var location: SourceLocation {
        var pointer = "/\(table)/\(index)"
        if field.utf8CodeUnitCount > 0 { pointer += "/\(field)" }
        if let item { pointer += "/\(item)" }
        return SourceLocation(file: file, position: .jsonPointer(pointer))
    }
}

extension AssetError {
    init(_ code: String, _ message: String, at place: GLTFPlace) { self.init(code, message, at: place.location) }
}

extension Diagnostics {
    mutating func info(_ code: String, _ message: String, at place: GLTFPlace) { info(code, message, at: place.location) }
    mutating func warning(_ code: String, _ message: String, at place: GLTFPlace) { warning(code, message, at: place.location) }
}
