public import AssetModel

/// What `facet info` tells about a scene. Facts about image files are the caller's to fill in: this room opens nothing.
public struct Summary: Sendable {
    public struct TypeCount: Sendable, Hashable {
        public var type: String
        public var count: Int
    }
    public struct MaterialEntry: Sendable, Hashable {
        public var path: String
        public var name: String
        public var shader: String?
    }
    public struct TextureEntry: Sendable, Hashable {
        /// As authored.
        public var file: String
        public var resolved: String?
        public var source: Texture.Source
        public var mediaType: String?
        public var width: Int?
        public var height: Int?
        public var channels: Int?
        public var bytes: Int?
    }
    public struct AnimationEntry: Sendable, Hashable {
        public var name: String
        public var start: Double?
        public var end: Double?
        public var fps: Double?
        public var channels: Int
    }
    public struct SkeletonEntry: Sendable, Hashable {
        public var path: String
        public var joints: Int
    }
    public struct VariantEntry: Sendable, Hashable {
        public var path: String
        public var sets: [VariantSet]
    }

    public var source: SourceDescription
    public var metadata: SceneMetadata
    /// Sorted by type; nodes without a type name count as "".
    public var nodesByType: [TypeCount]
    public var totals: SceneTotals
    public var materials: [MaterialEntry]
    public var textures: [TextureEntry]
    public var animations: [AnimationEntry]
    public var skeletons: [SkeletonEntry]
    public var cameras: [String]
    public var lights: [String]
    public var variants: [VariantEntry]
    /// In file units; nil where nothing is shown.
    public var bounds: BoundingBox?
    /// In metres; nil where nothing is shown or the unit is not known.
    public var boundsMeters: BoundingBox?

    /// Counts and measures a scene.
    public init(_ scene: Scene, filter: NodeFilter = NodeFilter(), diagnostics: inout Diagnostics) {
        source = scene.source
        metadata = scene.metadata
        let measurements = SceneMeasurements(scene, filter: filter, diagnostics: &diagnostics)
        totals = measurements.totals
        bounds = SceneBounds.total(of: scene, filter: filter, diagnostics: &diagnostics)
        boundsMeters = nil
        if let bounds, let unit = scene.metadata.metersPerUnit, unit.isFinite {
            boundsMeters = BoundingBox(min: bounds.min * unit, max: bounds.max * unit)
        }
        var types: [TypeCount] = []
        var typeNumbers: [String: Int] = [:]
        var last = -1
        var (skeletons, cameras, lights, variants) = ([SkeletonEntry](), [String](), [String](), [VariantEntry]())
        scene.nodes.elements.withUnsafeBufferPointer { all in
            for i in all.indices {
                // Neighbours are often of one type.
                if last < 0 || types[last].type != all[i].typeName {
                    if let near = types.prefix(8).firstIndex(where: { $0.type == all[i].typeName }) {
                        last = near
                    } else if let known = typeNumbers[all[i].typeName] {
                        last = known
                    } else {
                        last = types.count
                        typeNumbers[all[i].typeName] = last
                        types.append(TypeCount(type: all[i].typeName, count: 0))
                    }
                }
                types[last].count += 1
                if !all[i].variantSets.isEmpty { variants.append(VariantEntry(path: all[i].path, sets: all[i].variantSets)) }
                switch all[i].content {
                case .camera: cameras.append(all[i].path)
                case .light: lights.append(all[i].path)
                case .skeleton(let id): skeletons.append(SkeletonEntry(path: all[i].path, joints: scene.skeletons[id].joints.count))
                default: break
                }
            }
        }
        (self.skeletons, self.cameras, self.lights, self.variants) = (skeletons, cameras, lights, variants)
        nodesByType = types.sorted { $0.type < $1.type }
        materials = scene.materials.map { MaterialEntry(path: $0.path, name: $0.name, shader: $0.shader) }
        textures = scene.textures.map {
            TextureEntry(
                file: $0.authoredPath, resolved: $0.resolvedPath, source: $0.source, mediaType: nil, width: nil, height: nil, channels: nil,
                bytes: nil)
        }
        let metadata = scene.metadata
        animations = scene.animations.map { clip in
            let starts = clip.tracks.compactMap(\.times.first)
            let ends = clip.tracks.compactMap(\.times.last)
            return AnimationEntry(
                name: clip.name, start: starts.min(), end: ends.max(), fps: metadata.timeCodesPerSecond ?? metadata.framesPerSecond,
                channels: clip.tracks.count)
        }
    }
}
