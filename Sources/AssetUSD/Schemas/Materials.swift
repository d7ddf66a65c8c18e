import AssetIO
import AssetModel

extension SceneReader {
    var network: ShadingNetwork { ShadingNetwork(stage: stage, session: session, schemas: schemas) }

    /// Gives every material that the traversal shows its place, in traversal order, before anything is bound to it.
    func registerMaterials() {
        for visit in visits where schemas[stage.typeName(visit.prim)].reader == .material {
            materialIDs[stage.path(visit.prim)] = addMaterial(visit.prim, isInTree: true)
        }
    }

    func addMaterial(_ prim: StagePrim, isInTree: Bool) -> ID<Material> {
        var material = Material(name: session.string(stage.name(prim)), path: session.string(stage.path(prim)))
        material.isInTree = isInTree
        materialPrims.append(prim)
        return scene.materials.append(material)
    }

    /// Reads the materials; those that instances share are read once.
    func readMaterials() throws(AssetError) {
        for (i, prim) in materialPrims.enumerated() {
            let isShared = stage.isInstanceProxy(prim)
            let key = stage.sharingKey(prim)
            var material: Material
            if isShared, let known = sharedMaterials[key] {
                material = known
            } else {
                material = scene.materials[i]
                try readMaterial(prim, into: &material)
                if isShared { sharedMaterials[key] = material }
            }
            material.name = scene.materials[i].name
            material.path = scene.materials[i].path
            material.isInTree = scene.materials[i].isInTree
            scene.materials[i] = material
        }
    }

    /// The surface shader: the universal output first, then MaterialX's.
    private func surfaceShader(_ prim: StagePrim) -> StagePrim? {
        for output in [Token.outputsSurface, .outputsMtlxSurface] where stage.propertyKind(prim, output) == .attribute {
            if let source = network.source(ShadingAttribute(prim: prim, name: output), outputsOnly: true) { return source.prim }
        }
        return nil
    }

    func shaderID(_ prim: StagePrim) throws(AssetError) -> String? {
        try stage.value(prim, .infoId, at: .default)?.resolved().text(session)
    }

    private func readMaterial(_ prim: StagePrim, into material: inout Material) throws(AssetError) {
        guard let shader = surfaceShader(prim) else { return }
        material.shader = try shaderID(shader)
        guard let id = material.shader else { return }
        let isPreviewSurface = id == "UsdPreviewSurface" || id == "ND_UsdPreviewSurface_surfaceshader"
        var connected: [String] = []
        var inputs: [MaterialInput] = []
        var readers: [PrimvarInput] = []
        for name in stage.propertyNames(shader) where network.direction(name) == .input && stage.propertyKind(shader, name) == .attribute {
            let base = String(session.string(name).dropFirst(7))
            guard !base.isEmpty, let source = network.source(ShadingAttribute(prim: shader, name: name)) else { continue }
            var input = MaterialInput(name: base)
            if network.direction(source.name) == .output {
                input.texture = try texture(source, feeding: base, of: prim)
                if input.texture == nil {
                    if let reader = try primvarInput(source, feeding: base) { readers.append(reader) } else { connected.append(base) }
                }
            } else {
                input.value = try stage.value(source.prim, source.name, at: time)?.resolved().openValue(session)
            }
            if input.value != nil || input.texture != nil { inputs.append(input) }
        }
        inputs.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        material.inputs = inputs
        if isPreviewSurface {
            for name in connected {
                warn("usd.dropped.shader-input", "\(name) is wired to a shader that is no texture: left out", shader)
            }
            material.surface = SurfaceTerms.previewSurface(inputs, readers)
        } else if let surface = SurfaceTerms.materialX(id, inputs) {
            material.surface = surface
            warn(
                "usd.materialx",
                "the material is MaterialX (\(id)) only: its constant inputs are taken"
                    + (connected.isEmpty ? "" : ", \(connected.joined(separator: ", ")) left out"), prim)
        } else {
            warn("usd.unknown-shader", "the surface shader \(id) is not understood: the material has no common terms", prim)
        }
    }

    // MARK: Textures

    /// A texture that feeds a material input; nil where the source is another kind of shader.
    private func texture(_ source: ShadingAttribute, feeding input: String, of material: StagePrim) throws(AssetError) -> TextureBinding? {
        guard let id = try shaderID(source.prim) else { return nil }
        if id == "UsdUVTexture" { return try uvTexture(source) }
        guard id.hasPrefix("ND_image_") || id.hasPrefix("ND_tiledimage_") || id.hasPrefix("ND_UsdUVTexture") else { return nil }
        return try materialXImage(source, id)
    }

    /// A primvar reader that feeds a material input; nil where the source is another kind of shader.
    private func primvarInput(_ source: ShadingAttribute, feeding input: String) throws(AssetError) -> PrimvarInput? {
        guard let id = try shaderID(source.prim), id.hasPrefix("UsdPrimvarReader"),
            let name = try inputValue(source.prim, .inputsVarname)?.text(session), !name.isEmpty
        else { return nil }
        return PrimvarInput(input: input, primvar: name, fallback: try inputValue(source.prim, .inputsFallback)?.openValue(session))
    }

    /// The value an input of a shader ends up with: its own or that of the interface input it is wired to.
    private func inputValue(_ shader: StagePrim, _ name: Token) throws(AssetError) -> USDValue? {
        guard let source = network.source(ShadingAttribute(prim: shader, name: name)), network.direction(source.name) != .output else {
            return nil
        }
        return try stage.value(source.prim, source.name, at: time)?.resolved()
    }

    private func vector4(_ shader: StagePrim, _ name: Token) throws(AssetError) -> Vector4f? {
        guard let c = try inputValue(shader, name)?.components, c.count == 4 else { return nil }
        return Vector4f(Float(c[0]), Float(c[1]), Float(c[2]), Float(c[3]))
    }

    private func wrap(_ shader: StagePrim, _ name: Token) throws(AssetError) -> WrapMode {
        guard let text = try inputValue(shader, name)?.text(session) else { return .useMetadata }
        if let mode = WrapMode(rawValue: text) { return mode }
        warn("usd.bad-wrap", "\(session.string(name)) is \"\(text)\", expected repeat, mirror, clamp, black or useMetadata", shader)
        return .useMetadata
    }

    private func uvTexture(_ source: ShadingAttribute) throws(AssetError) -> TextureBinding {
        let shader = source.prim
        var binding = TextureBinding(texture: try textureFile(shader), output: "rgb")
        // GetBaseName: what stands behind the last colon.
        let output = session.string(source.name).split(separator: ":").last.map(String.init) ?? "rgb"
        if ["r", "g", "b", "a", "rgb"].contains(output) {
            binding.output = output
        } else {
            binding.authoredOutput = output
            warn("usd.bad-texture-output", "a texture is read through its output \"\(output)\", expected r, g, b, a or rgb", shader)
        }
        binding.wrapS = try wrap(shader, .inputsWrapS)
        binding.wrapT = try wrap(shader, .inputsWrapT)
        binding.scale = try vector4(shader, .inputsScale)
        binding.bias = try vector4(shader, .inputsBias)
        binding.fallback = try vector4(shader, .inputsFallback)
        if let text = try inputValue(shader, .inputsSourceColorSpace)?.text(session) {
            if let space = ColorSpace(rawValue: text) {
                binding.colorSpace = space
            } else {
                warn("usd.bad-color-space", "sourceColorSpace is \"\(text)\", expected auto, raw or sRGB: taken as auto", shader)
            }
        }
        try readCoordinates(shader, .inputsSt, into: &binding)
        return binding
    }

    /// Follows texture coordinates through transforms to the reader that names the primvar.
    private func readCoordinates(_ shader: StagePrim, _ input: Token, into binding: inout TextureBinding) throws(AssetError) {
        var attribute = ShadingAttribute(prim: shader, name: input)
        var chain: [TextureTransform] = []
        while chain.count < 32, let source = network.source(attribute), network.direction(source.name) == .output {
            let id = try shaderID(source.prim) ?? ""
            if id == "UsdTransform2d" {
                var t = TextureTransform()
                t.rotation = try inputValue(source.prim, .inputsRotation)?.number.map { Float($0) } ?? 0
                if let c = try inputValue(source.prim, .inputsScale)?.components, c.count == 2 {
                    t.scale = Vector2f(Float(c[0]), Float(c[1]))
                }
                if let c = try inputValue(source.prim, .inputsTranslation)?.components, c.count == 2 {
                    t.translation = Vector2f(Float(c[0]), Float(c[1]))
                }
                chain.append(t)
                attribute = ShadingAttribute(prim: source.prim, name: .inputsIn)
            } else if id.hasPrefix("UsdPrimvarReader") {
                binding.primvar = try inputValue(source.prim, .inputsVarname)?.text(session)
                break
            } else if id.hasPrefix("ND_geompropvalue") {
                binding.primvar = try inputValue(source.prim, names.inputsGeomprop)?.text(session)
                break
            } else if id.hasPrefix("ND_texcoord") {
                binding.primvar = "st"
                break
            } else {
                warn(
                    "usd.dropped.texture-coordinates", "texture coordinates come from \(id.isEmpty ? "a shader without id" : id): left out",
                    shader)
                break
            }
        }
        guard let first = chain.first else { return }
        // The transform nearest the texture is applied last.
        var whole = first
        for next in chain.dropFirst() {
            guard let both = TextureTransforms.composed(whole, after: next) else {
                warn(
                    "usd.dropped.texture-transform",
                    "the chain of texture transforms shears, which one transform cannot: the last one is kept", shader)
                break
            }
            whole = both
        }
        binding.transform = whole
    }

    private func materialXImage(_ source: ShadingAttribute, _ id: String) throws(AssetError) -> TextureBinding {
        let shader = source.prim
        let output = session.string(source.name).split(separator: ":").last.map(String.init) ?? "out"
        let isScalar = id.hasSuffix("_float")
        var binding = TextureBinding(
            texture: try textureFile(shader), output: ["r", "g", "b", "a", "rgb"].contains(output) ? output : isScalar ? "r" : "rgb")
        // MaterialX repeats unless told otherwise.
        func mode(_ text: String?) -> WrapMode {
            switch text {
            case "clamp": .clamp
            case "mirror": .mirror
            case "constant": .black
            default: .repeat
            }
        }
        binding.wrapS = mode(try inputValue(shader, names.inputsUAddressMode)?.text(session))
        binding.wrapT = mode(try inputValue(shader, names.inputsVAddressMode)?.text(session))
        if stage.metadata(shader, .inputsFile, .colorSpace)?.text(session)?.hasPrefix("srgb") == true { binding.colorSpace = .sRGB }
        binding.primvar = "st"
        try readCoordinates(shader, names.inputsTexcoord, into: &binding)
        return binding
    }

    /// The image of a texture shader.
    private func textureFile(_ shader: StagePrim) throws(AssetError) -> ID<Texture> {
        var texture = Texture(authoredPath: "", source: .missing)
        texture.namesFile = false
        if let source = network.source(ShadingAttribute(prim: shader, name: .inputsFile)), network.direction(source.name) != .output {
            if let written = try stage.value(source.prim, source.name, at: time)?.resolved().text(session) {
                let text = ExpressionText.isExpression(written) ? "" : written
                texture.authoredPath = text
                texture.namesFile = true
                let layer = stage.layerOfValue(source.prim, source.name) ?? stage.rootLayer
                texture.source = resolve(text, layer, shader)
            }
        }
        if texture.authoredPath.isEmpty { warn("usd.texture-without-file", "the texture names no file", shader) }
        if let known = textureIDs[texture] { return known }
        let id = scene.textures.append(texture)
        textureIDs[texture] = id
        return id
    }

    private func resolve(_ path: String, _ layer: USDLayer, _ shader: StagePrim) -> Texture.Source {
        guard !path.isEmpty else { return .missing }
        let place = SourceLocation(file: layer.identifier, primPath: session.string(stage.path(shader)))
        // A name for a set of tiles: the first tile stands for it.
        var sought = path
        if let tile = Self.firstTile(path) {
            sought = tile
            diagnostics.warning("usd.udim", "'\(path)' is a set of tiles: only tile 1001 is taken", at: place)
        }
        let key = layer.identifier + "\u{0}" + path
        if let known = resolvedAssets[key] {
            if case .missing = known { missing(path, place) }
            return known
        }
        var source = Texture.Source.missing
        if let found = AssetLookup.find(
            sought, from: layer.identifier, opened: stage.rootLayer.identifier, packageRoot: stage.cache.packageRoot(of: layer.identifier),
            in: resolver)
        {
            if let warning = found.warning(path, at: place) { diagnostics.add(warning) }
            source = .file(found.path)
        } else {
            missing(path, place)
        }
        resolvedAssets[key] = source
        return source
    }

    private func missing(_ path: String, _ place: SourceLocation) {
        let message = MissingAsset.message("texture", path, authored: path, ExpressionVariables(nil), namedBy: place.file)
        diagnostics.warning("usd.missing-texture", message, at: place)
    }

    private static func firstTile(_ path: String) -> String? {
        guard let start = path.range("<UDIM>") else { return nil }
        return path.prefix(start) + "1001" + path.dropFirst(start + 6)
    }
}

extension String {
    /// Characters before the first occurrence of `part`; nil where there is none.
    fileprivate func range(_ part: String) -> Int? {
        var rest = self[...]
        var n = 0
        while !rest.isEmpty {
            if rest.hasPrefix(part) { return n }
            rest = rest.dropFirst()
            n += 1
        }
        return nil
    }
}
