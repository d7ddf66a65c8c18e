/// A material library in the format's own words (Wavefront Technologies, "Material Library File", 1995; P-keys after Exocortex, 2014).
struct MTLLibrary: Sendable {
    /// The library's path: names of textures are seen from its folder.
    var file: String
    /// In file order, equal names included.
    var materials: [MTLMaterial] = []
    private var byName: [String: Int] = [:]
    private var byShortName: [String: Int] = [:]

    init(file: String) { self.file = file }

    mutating func append(_ material: MTLMaterial) {
        if byName[material.name] == nil { byName[material.name] = materials.count }
        if let short = MTLLibrary.beforeComment(material.name), byShortName[short] == nil { byShortName[short] = materials.count }
        materials.append(material)
    }

    /// The first material of exactly this name.
    func material(named name: String) -> MTLMaterial? { byName[name].map { materials[$0] } }

    /// The first material whose name is this one before ` #`: names may hold `#`, so this comes after every exact match.
    func material(beforeComment name: String) -> MTLMaterial? {
        let short = MTLLibrary.beforeComment(name)
        if let short, let found = material(named: short) { return found }
        return byShortName[short ?? name].map { materials[$0] }
    }

    /// A name without what may be a comment behind it; nil where there is none.
    static func beforeComment(_ name: String) -> String? {
        var last: Unicode.Scalar = "x"
        var cut = ""
        for c in name.unicodeScalars {
            if c == "#", last == " " || last == "\t" {
                while let end = cut.unicodeScalars.last, end == " " || end == "\t" { cut.unicodeScalars.removeLast() }
                return cut.isEmpty ? nil : cut
            }
            cut.unicodeScalars.append(c)
            last = c
        }
        return nil
    }
}

/// One `newmtl` with what follows it. A key said twice has its last value.
struct MTLMaterial: Sendable {
    enum ColorKey: String, CaseIterable, Sendable { case Ka, Kd, Ks, Ke, Tf }

    enum NumberKey: String, CaseIterable, Sendable {
        case Ns, Ni, d, Tr, illum, sharpness, Pr, Pm, Ps, Pc, Pcr, aniso, anisor
        case antialiasing = "map_aat"

        var isPhysical: Bool {
            switch self {
            case .Pr, .Pm, .Ps, .Pc, .Pcr, .aniso, .anisor: true
            default: false
            }
        }
    }

    enum MapKey: String, CaseIterable, Sendable {
        case map_Ka, map_Kd, map_Ks, map_Ke, map_Tf, map_Ns, map_Ni, map_d, map_Tr, map_Bump, disp, decal, refl, norm, map_Pr, map_Pm, map_Ps, map_Pc
        case map_Pcr, map_ao, map_aniso

        var isPhysical: Bool {
            switch self {
            case .map_Pr, .map_Pm, .map_Ps, .map_Pc, .map_Pcr, .map_aniso: true
            default: false
            }
        }
    }

    struct Color: Sendable, Hashable {
        enum Space: Sendable { case rgb, xyz }
        var space = Space.rgb
        var values: (Float, Float, Float)
        var line: Int

        static func == (a: Color, b: Color) -> Bool { a.space == b.space && a.values == b.values && a.line == b.line }
        func hash(into hasher: inout Hasher) { hasher.combine(line) }
    }

    struct Number: Sendable, Hashable {
        var value: Float
        var line: Int
    }

    /// `newmtl`'s name, to the end of its line.
    var name: String
    /// The line of `newmtl`, from one.
    var line: Int
    var colors = MTLValues<ColorKey, Color>()
    var numbers = MTLValues<NumberKey, Number>()
    /// In the order of the file.
    var maps: [MTLMap] = []
    /// The line of `d -halo`.
    var haloLine: Int?

    func map(_ key: MapKey) -> MTLMap? { maps.last { $0.key == key } }
    func number(_ key: NumberKey) -> Float? { numbers[key]?.value }

    /// Whether anything is said in the terms of physically based shading.
    var isPhysical: Bool { numbers.contains { $0.key.isPhysical } || maps.contains { $0.key.isPhysical } }
}

/// What a material says, by key. There is little of it, and there may be very many materials: a dictionary for each would be large.
struct MTLValues<Key: Equatable & Sendable, Value: Sendable>: Sequence, Sendable {
    private var entries: [(key: Key, value: Value)] = []

    subscript(key: Key) -> Value? {
        get { entries.first { $0.key == key }?.value }
        set {
            let known = entries.firstIndex { $0.key == key }
            switch (known, newValue) {
            case (let i?, let value?): entries[i].value = value
            case (nil, let value?): entries.append((key, value))
            case (let i?, nil): entries.remove(at: i)
            case (nil, nil): break
            }
        }
    }

    func makeIterator() -> IndexingIterator<[(key: Key, value: Value)]> { entries.makeIterator() }
}

/// A texture of a material with its options.
struct MTLMap: Sendable, Hashable {
    var key: MTLMaterial.MapKey
    /// As written: quotes, backslashes and what may be a comment included.
    var fileName: String
    var line: Int
    var options = MTLMapOptions()
}

/// The options of a map; nil where not said.
struct MTLMapOptions: Sendable, Hashable {
    /// `-s u v w`, numbers left out are 1.
    var scale: [Float]?
    /// `-o u v w`, numbers left out are 0.
    var offset: [Float]?
    /// `-t u v w`, numbers left out are 0.
    var turbulence: [Float]?
    /// `-mm base gain`: the value is `base + gain · texel`.
    var base: Float?
    var gain: Float?
    /// `-bm`.
    var bumpMultiplier: Float?
    var isClamped: Bool?
    /// `-imfchan`: r, g, b, m (matte: alpha), l (luminance) or z (depth).
    var channel: UInt8?
    var blendsU: Bool?
    var blendsV: Bool?
    var boost: Float?
    var correctsColor: Bool?
    /// `-texres`, as written.
    var resolution: String?
    /// `-type` of a reflection map: sphere, cube_top, …
    var type: String?
    var colorSpace: String?
}
