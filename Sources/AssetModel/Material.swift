/// A value in the open: a shader input's constant, custom data.
public indirect enum Value: Sendable, Hashable {
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// A float32, kept apart so that it prints as short as it was written.
    case float(Float)
    case string(String)
    /// A tuple or array of numbers.
    case floats([Float])
    case doubles([Double])
    case ints([Int64])
    case array([Value])
    case dictionary([Entry])

    public struct Entry: Sendable, Hashable {
        public var key: String
        public var value: Value
        public init(_ key: String, _ value: Value) { (self.key, self.value) = (key, value) }
    }
}

/// How texture coordinates outside 0 to 1 are taken.
public enum WrapMode: String, Sendable, Hashable { case `repeat`, mirror, clamp, black, useMetadata }

public enum ColorSpace: String, Sendable, Hashable { case auto, sRGB, raw }

/// A 2D transform of texture coordinates, in UsdTransform2d's terms: `st' = R(rotation)·(scale∘st) + translation`,
/// rotation in degrees counter-clockwise, t up.
public struct TextureTransform: Sendable, Hashable {
    public var rotation: Float
    public var scale: Vector2f
    public var translation: Vector2f
    public init(rotation: Float = 0, scale: Vector2f = Vector2f(1, 1), translation: Vector2f = Vector2f(0, 0)) {
        self.rotation = rotation
        self.scale = scale
        self.translation = translation
    }
    public var isIdentity: Bool { self == TextureTransform() }
}

/// A texture wired to a material input.
public struct TextureBinding: Sendable, Hashable {
    public var texture: ID<Texture>
    /// Which channels feed the input: `r`, `g`, `b`, `a` or `rgb`.
    public var output: String
    /// The primvar with the coordinates; nil where the network names none.
    public var primvar: String?
    public var transform: TextureTransform?
    public var wrapS: WrapMode
    public var wrapT: WrapMode
    /// The value is `texel · scale + bias`, a component each; nil where not authored.
    public var scale: Vector4f?
    public var bias: Vector4f?
    public var colorSpace: ColorSpace
    /// Used where the file is missing; nil where not authored.
    public var fallback: Vector4f?

    /// The output's name where that is none of the five: then `output` is `rgb`.
    public var authoredOutput: String?

    public init(texture: ID<Texture>, output: String = "rgb") {
        self.texture = texture
        self.output = output
        wrapS = .useMetadata
        wrapT = .useMetadata
        colorSpace = .auto
    }
}

/// One authored input of a material's surface shader, in its own shading model's words.
public struct MaterialInput: Sendable, Hashable {
    public var name: String
    public var value: Value?
    public var texture: TextureBinding? {
        get { wired.first }
        set { wired = newValue.map { [$0] } ?? [] }
    }
    /// One or none. Apart, as most inputs are constants.
    private var wired: [TextureBinding] = []

    public init(name: String, value: Value? = nil, texture: TextureBinding? = nil) {
        self.name = name
        self.value = value
        self.texture = texture
    }
}

/// A material input in common terms: a constant, and a texture that replaces it where there is one.
public struct Channel<V: Sendable & Hashable>: Sendable, Hashable {
    public var value: V
    public var texture: TextureBinding? {
        get { source.first?.texture }
        set { setSource(newValue, primvar) }
    }
    /// A primvar of the mesh that gives the value (`displayColor`); where it is missing, `value` counts.
    public var primvar: String? {
        get { source.first?.primvar }
        set { setSource(texture, newValue) }
    }
    /// One where there is a texture or a primvar, else empty. Apart, as a surface has many channels and most are constants.
    private var source: [ChannelSource] = []
    /// Whether the source said anything about it; otherwise `value` is the shading model's default.
    public var isAuthored: Bool
    public init(_ value: V, texture: TextureBinding? = nil, isAuthored: Bool = false) {
        self.value = value
        self.isAuthored = isAuthored
        if texture != nil { self.texture = texture }
    }

    private mutating func setSource(_ texture: TextureBinding?, _ primvar: String?) {
        source = texture == nil && primvar == nil ? [] : [ChannelSource(texture: texture, primvar: primvar)]
    }
}

/// What replaces the constant of a channel.
private struct ChannelSource: Sendable, Hashable {
    var texture: TextureBinding?
    var primvar: String?
}

/// How opacity is meant: USD's `transparent` keeps the specular reflection, `presence` is coverage.
public enum OpacityMode: String, Sendable, Hashable { case transparent, presence }

/// A surface in UsdPreviewSurface's terms, whatever the source. Colours are linear; `nil` texture means constant.
public struct Surface: Sendable, Hashable {
    public var diffuseColor = Channel(Vector3f(0.18, 0.18, 0.18))
    public var metallic = Channel<Float>(0)
    public var roughness = Channel<Float>(0.5)
    public var useSpecularWorkflow = false
    public var specularColor = Channel(Vector3f(0, 0, 0))
    public var emissiveColor = Channel(Vector3f(0, 0, 0))
    public var opacity = Channel<Float>(1)
    public var opacityThreshold: Float = 0
    public var opacityMode = OpacityMode.transparent
    public var normal = Channel(Vector3f(0, 0, 1))
    public var occlusion = Channel<Float>(1)
    public var ior: Float = 1.5
    public var clearcoat = Channel<Float>(0)
    public var clearcoatRoughness = Channel<Float>(0.01)
    public var displacement = Channel<Float>(0)
    public init() {}
}

public struct Material: Sendable {
    public var name: String
    /// Unique path; for USD the prim path.
    public var path: String
    /// The surface shader's id (`UsdPreviewSurface`), or nil.
    public var shader: String?
    /// Every authored input that resolves to a value or a texture, in name order.
    public var inputs: [MaterialInput]
    /// The same in common terms; nil where the shading model is not understood.
    public var surface: Surface? {
        get { known.first }
        set { known = newValue.map { [$0] } ?? [] }
    }
    /// One or none. Apart, as a surface is large and a file may name materials that nobody describes.
    private var known: [Surface] = []
    /// Whether the material is among what the source shows; false for one that is only bound, from a place that is not
    /// shown (USD: below a class).
    public var isInTree = true

    public init(name: String, path: String, shader: String? = nil) {
        self.name = name
        self.path = path
        self.shader = shader
        inputs = []
    }
}

public struct Texture: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        /// A file that was found: the path to hand to the resolver (`/dir/a.png`, `a.usdz[b/c.png]` inside packages).
        case file(String)
        /// The bytes themselves.
        case embedded(EmbeddedBytes)
        /// Named by the source but not found.
        case missing
    }
    /// The path as authored; for embedded images a name.
    public var authoredPath: String
    public var source: Source
    /// False where the texture says no path at all, not even an empty one.
    public var namesFile = true

    public init(authoredPath: String, source: Source) {
        self.authoredPath = authoredPath
        self.source = source
    }

    /// The file taken, or nil.
    public var resolvedPath: String? {
        if case .file(let p) = source { p } else { nil }
    }
}
