public import AssetModel

/// Ceilings that keep a hostile or broken file from eating the machine. Every one can be set with `--limit NAME=VALUE`.
public struct ReadLimits: Sendable {
    /// Nesting of prims, nodes, dictionaries, packages.
    public var nestingDepth = 512
    /// Prims of a composed stage, nodes of a scene, instance contents included. Left as it is, layers may make at most
    /// a million and 32 more for each of their bytes, where that is less.
    public var prims = 20_000_000 { didSet { primsWereSet = true } }
    /// Whether `prims` was set: then it alone counts.
    public private(set) var primsWereSet = false
    /// Arcs that composing a stage may take over all prims, those of their ancestors included, in a measure of work that grows
    /// with the arcs of one prim. Left as it is, layers may take at most thirty millions and 32 more for each
    /// of their bytes, where that is less.
    public var arcs = 100_000_000_000 { didSet { arcsWereSet = true } }
    /// Whether `arcs` was set: then it alone counts.
    public private(set) var arcsWereSet = false
    /// Layers a stage may pull in.
    public var layers = 20_000
    /// Bytes a compressed member may unpack to. Left as it is, all members of a package together, packages within it included,
    /// may unpack to at most 512 MB and 64 times the package's bytes.
    public var unpackedBytes = 8 << 30 { didSet { unpackedBytesWereSet = true } }
    /// Whether `unpackedBytes` was set: then it alone counts.
    public private(set) var unpackedBytesWereSet = false
    /// Bytes that the paths of a scene's nodes may take together. Left as it is, they may take at most 512 MB and 32 bytes more for each
    /// byte of the layers, where that is less.
    public var pathBytes = 64 << 30 { didSet { pathBytesWereSet = true } }
    /// Whether `pathBytes` was set: then it alone counts.
    public private(set) var pathBytesWereSet = false
    /// Entries of a package.
    public var packageEntries = 1_000_000
    /// Bytes of an image that is copied beside an output.
    public var imageBytes = 4 << 30
    /// Bytes of the lines before a file's data, where only their end says how many they are (PLY).
    public var headerBytes = 16_000_000
    public init() {}
}

/// The moment at which time-sampled values are read.
public enum TimeChoice: Sendable, Hashable {
    /// The stage's start where a range is authored, otherwise each value's earliest sample.
    case automatic
    case at(Double)
}

/// What a reader is asked for.
public struct ReadOptions: Sendable {
    public var limits = ReadLimits()
    public var time = TimeChoice.automatic
    public var loadPayloads = true
    /// Variant selections that overrule the file's: prim path, set, choice.
    public var variants: [VariantChoice] = []
    /// Format id that overrules recognition (`--from`).
    public var format: String?
    /// Whether to fill `Node.arcs`.
    public var wantsArcs = false
    /// Whether to fill `Node.transformOps`.
    public var wantsTransformOps = false
    /// Whether to fill `Node.attributes`.
    public var wantsAttributes = false
    /// Whether to fill the primvars and normals of meshes. Without, they are looked at as far as a warning may come of them; a
    /// skin's are always there.
    public var wantsMeshPrimvars = true
    /// Whether to hold normals that a file stores against its faces where nothing else reads them (STL); `convert` asks for it.
    public var checksStoredNormals = false
    /// Whether the arrays of meshes and points are going to be loaded. Without, a reader that must go through all numbers to count them
    /// keeps none, and reads them again where they are asked for after all.
    public var wantsArrays = true
    /// Bytes of the pieces in which long texts are read on all cores, more or less; 0 reads them statement by statement.
    public var pieceSize = 1 << 20
    /// Whether to read animation clips.
    public var wantsAnimation = false
    /// How `Ns` of an MTL becomes roughness.
    public var mtlRoughness = MTLRoughness.blender
    /// Whom to tell how far the reading is.
    public var progress = ProgressReporter()
    public init() {}
}

public struct VariantChoice: Sendable, Hashable {
    public var path: String
    public var set: String
    public var choice: String
    public init(path: String, set: String, choice: String) {
        self.path = path
        self.set = set
        self.choice = choice
    }
}

/// How the shininess `Ns` of an MTL and roughness translate.
public enum MTLRoughness: String, Sendable, CaseIterable {
    /// As Blender does: roughness = 1 − √(Ns / 1000).
    case blender
    /// As the exponent of Phong's highlight: roughness = √(2 / (Ns + 2)).
    case phong
}

/// What a read has at hand: the door to further files, the options, and where warnings go.
public struct ReadContext {
    public var resolver: any AssetResolver
    public var options: ReadOptions
    public var diagnostics = Diagnostics()

    public init(resolver: any AssetResolver, options: ReadOptions = ReadOptions()) {
        self.resolver = resolver
        self.options = options
    }
}

/// What a write is asked for; names are those of `facet convert`.
public struct WriteOptions: Sendable {
    public enum Textures: String, Sendable, CaseIterable { case copy, embed, skip }
    /// How PLY and STL are written: little-endian binary, text, or big-endian binary, which only PLY has.
    public enum Encoding: String, Sendable, CaseIterable {
        case binary, ascii
        case bigEndian = "big-endian"
    }
    /// File name of the output without folder, e.g. `chair.obj`; side files take their names from it.
    public var fileName: String
    /// Scale of the output in metres a unit; nil keeps the file's numbers.
    public var metersPerUnit: Double?
    /// `Y` or `Z`; nil keeps.
    public var upAxis: String?
    public var triangulate = false
    public var includeHidden = false
    public var purposes: Set<Purpose> = [.default, .render]
    public var textures = Textures.copy
    /// How roughness becomes `Ns` where MTL says it so.
    public var mtlRoughness = MTLRoughness.blender
    public var encoding = Encoding.binary
    /// How an opacity that keeps the highlights is written where the target tells the two apart (glTF).
    public enum Opacity: String, Sendable, CaseIterable { case blend, transmission }
    public var opacity = Opacity.blend
    /// What copies of point instancers become where the target has nodes: nodes that share their meshes, instances for the graphics
    /// processor, or geometry of their own.
    public enum Instancing: String, Sendable, CaseIterable { case nodes, gpu, bake }
    public var instancing = Instancing.nodes
    /// Whether files can stand beside the main one; false for standard output.
    public var hasFolder = true
    /// Only the subtree below this node path.
    public var nodePath: String?
    public var allowEmpty = false
    /// Bytes that an image may have to be copied.
    public var imageBytes = ReadLimits().imageBytes
    /// Whom to tell how far the writing is.
    public var progress = ProgressReporter()
    public init(fileName: String) { self.fileName = fileName }
}

/// What a write has at hand.
public struct WriteContext {
    public var resolver: any AssetResolver
    public var options: WriteOptions
    /// Where the files go; nothing appears under its final name before `commit`.
    public var output: any OutputSink
    public var diagnostics = Diagnostics()

    public init(resolver: any AssetResolver, options: WriteOptions, output: any OutputSink) {
        self.resolver = resolver
        self.options = options
        self.output = output
    }
}
