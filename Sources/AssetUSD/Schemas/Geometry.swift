import AssetIO
import AssetModel

extension SceneReader {
    /// The value of an attribute of one token, the fallback where there is none or it is no token.
    private func token(_ prim: StagePrim, _ name: Token, _ fallback: Token) throws(AssetError) -> Token {
        try stage.token(prim, name, at: time) ?? fallback
    }

    func number(_ prim: StagePrim, _ name: Token, _ fallback: Double) throws(AssetError) -> Double {
        try stage.value(prim, name, at: time)?.resolved().number ?? fallback
    }

    /// Points of a point-based prim; a value of another type is a warning and counts as none.
    private func points(_ prim: StagePrim) throws(AssetError) -> PointArray {
        if let plain = try stage.plainVectors3(prim, .points, at: time) { return .float(plain) }
        guard let value = stage.value(prim, .points, at: time) else { return PointArray() }
        if let points = try ArrayValues.points(value) { return points }
        if case .array(let a) = value, a.count == 0 { return PointArray() }
        warn("usd.bad-points", "points are not an array of three numbers each: left out", prim)
        return PointArray()
    }

    private func ints(_ prim: StagePrim, _ name: Token) throws(AssetError) -> DeferredArray<Int32> {
        if let plain = try stage.plainInts(prim, name, at: time) { return plain }
        guard let value = stage.value(prim, name, at: time) else { return .init() }
        if let ints = try ArrayValues.ints(value) { return ints }
        if case .array(let a) = value, a.count == 0 { return .init() }
        warn("usd.bad-value", "\(session.string(name)) is not an array of integers: left out", prim)
        return .init()
    }

    /// Primvars that are neither normals nor a skin's.
    private func plainPrimvars(_ facts: PrimFacts) -> [Primvar] {
        var own: [Primvar] = []
        guard !facts.primvars.isEmpty else { return own }
        own.reserveCapacity(facts.primvars.count)
        for i in facts.primvars.indices
        where facts.primvars[i].name != .primvarsNormals && !(facts.hasSkin && facts.primvars[i].primvar.name.hasPrefix("skel:")) {
            own.append(facts.primvars[i].primvar)
        }
        return own
    }
    // MARK: Meshes

    func readMesh(_ prim: StagePrim, _ facts: PrimFacts) throws(AssetError) -> Mesh {
        var mesh = Mesh(
            points: try points(prim), faceVertexCounts: try ints(prim, .faceVertexCounts), faceVertexIndices: try ints(prim, .faceVertexIndices))
        mesh.isDeforming = stage.mightBeTimeVarying(prim, .points)
        if mesh.isDeforming { sawAnimation = true }
        mesh.primvars = plainPrimvars(facts)
        mesh.normals = try normals(prim, facts)
        let has = facts.properties
        if has.contains(.holeIndices) { mesh.holeIndices = try ints(prim, .holeIndices).load() }
        if has.contains(.orientation), try token(prim, .orientation, .rightHanded) == .leftHanded { mesh.orientation = .leftHanded }
        mesh.subdivisionScheme = "catmullClark"
        if has.contains(.subdivisionScheme), let scheme = try stage.token(prim, .subdivisionScheme, at: time) {
            mesh.subdivisionScheme = session.string(scheme)
        }
        if has.contains(.doubleSided) { mesh.doubleSided = try stage.value(prim, .doubleSided, at: time)?.resolved().boolean ?? false }
        for child in stage.children(prim) where schemas[stage.typeName(child)].reader == .subset {
            // Uniform ones: OpenUSD asks for their defaults.
            let family = try stage.value(child, .familyName, at: .default)?.resolved().text(session) ?? ""
            let elementType = try stage.value(child, .elementType, at: .default)?.resolved().text(session) ?? "face"
            var subset = GeomSubset(name: session.string(stage.name(child)), family: family, faces: try ints(child, .indices))
            subset.isOfFaces = elementType == "face"
            mesh.subsets.append(subset)
        }
        if has.contains(.skelBlendShapes) { try readBlendShapes(prim, into: &mesh) }
        return mesh
    }

    /// The primvar wins over the attribute.
    private func normals(_ prim: StagePrim, _ facts: PrimFacts) throws(AssetError) -> Primvar? {
        for i in facts.primvars.indices where facts.primvars[i].name == .primvarsNormals {
            if case .float3 = facts.primvars[i].primvar.values { return facts.primvars[i].primvar }
            warn("usd.dropped.normals", "normals are not three numbers each: left out", prim)
            return nil
        }
        guard facts.properties.contains(.normals) else { return nil }
        guard options.wantsMeshPrimvars else {
            _ = interpolation(prim, .normals, default: .vertex)
            return nil
        }
        if let plain = try stage.plainVectors3(prim, .normals, at: time) {
            return Primvar(
                name: "normals", role: .normal, interpolation: interpolation(prim, .normals, default: .vertex), values: .float3(plain))
        }
        guard stage.hasValue(prim, .normals) else { return nil }
        guard let values = try ArrayValues.vectors3(stage.value(prim, .normals, at: time)) else {
            return Primvar(
                name: "normals", role: .normal, interpolation: interpolation(prim, .normals, default: .vertex), values: .float3(.init()))
        }
        return Primvar(
            name: "normals", role: .normal, interpolation: interpolation(prim, .normals, default: .vertex), values: .float3(values))
    }

    // MARK: Other point-based prims

    func readPoints(_ prim: StagePrim, _ facts: PrimFacts) throws(AssetError) -> PointCloud {
        if stage.mightBeTimeVarying(prim, .points) { sawAnimation = true }
        return PointCloud(points: try points(prim), primvars: plainPrimvars(facts))
    }

    func readCurves(_ prim: StagePrim, _ typeName: Token, _ facts: PrimFacts) throws(AssetError) -> Curves {
        let kind: Curves.Kind = typeName == .NurbsCurves ? .nurbs : typeName == .HermiteCurves ? .hermite : .basis
        var curves = Curves(kind: kind, points: try points(prim), curveVertexCounts: try ints(prim, .curveVertexCounts))
        if stage.mightBeTimeVarying(prim, .points) { sawAnimation = true }
        switch kind {
        case .basis:
            curves.type = try stage.value(prim, .type, at: time)?.resolved().text(session) ?? "cubic"
            curves.basis = try stage.value(prim, .basis, at: time)?.resolved().text(session) ?? "bezier"
            curves.wrap = try stage.value(prim, .wrap, at: time)?.resolved().text(session) ?? "nonperiodic"
        case .nurbs:
            curves.type = "cubic"
            curves.orders = try ints(prim, .order).load()
            curves.knots = try ArrayValues.doubles(stage.value(prim, .knots, at: time))?.load() ?? []
        case .hermite:
            curves.type = "cubic"
        }
        curves.primvars = plainPrimvars(facts)
        // Widths and tangents are plain attributes; carried like primvars so that nothing is lost.
        for (name, token) in [("widths", Token.widths), ("tangents", names.tangents)] where stage.hasValue(prim, token) {
            if curves.primvars.contains(where: { $0.name == name }) { continue }
            let value = stage.value(prim, token, at: time)
            if let v = try ArrayValues.floats(value) {
                curves.primvars.append(
                    Primvar(name: name, interpolation: interpolation(prim, token, default: .vertex), values: .float(v)))
            } else if let v = try ArrayValues.vectors3(value) {
                curves.primvars.append(
                    Primvar(name: name, role: .vector, interpolation: interpolation(prim, token, default: .vertex), values: .float3(v)))
            }
        }
        return curves
    }

    // MARK: Implicit shapes

    /// The shape with the schema's fallbacks where a parameter has no value.
    func readShape(_ prim: StagePrim, _ typeName: Token) throws(AssetError) -> ImplicitShape? {
        let axis = try stage.value(prim, .axis, at: time)?.resolved().text(session) ?? "Z"
        switch typeName {
        case .Cube: return .cube(size: try number(prim, .size, 2))
        case .Sphere: return .sphere(radius: try number(prim, .radius, 1))
        case .Cone: return .cone(radius: try number(prim, .radius, 1), height: try number(prim, .height, 2), axis: axis)
        case .Cylinder:
            let r = try number(prim, .radius, 1)
            return .cylinder(radiusBottom: r, radiusTop: r, height: try number(prim, .height, 2), axis: axis)
        case .Cylinder1:
            return .cylinder(
                radiusBottom: try number(prim, .radiusBottom, 1), radiusTop: try number(prim, .radiusTop, 1),
                height: try number(prim, .height, 2), axis: axis)
        case .Capsule:
            let r = try number(prim, .radius, 0.5)
            return .capsule(radiusBottom: r, radiusTop: r, height: try number(prim, .height, 1), axis: axis)
        case .Capsule1:
            return .capsule(
                radiusBottom: try number(prim, .radiusBottom, 0.5), radiusTop: try number(prim, .radiusTop, 0.5),
                height: try number(prim, .height, 1), axis: axis)
        case .Plane: return .plane(width: try number(prim, .width, 2), length: try number(prim, .length, 2), axis: axis)
        default: return nil
        }
    }

    // MARK: Cameras and lights

    func readCamera(_ prim: StagePrim) throws(AssetError) -> Camera {
        var camera = Camera()
        camera.projection = try stage.value(prim, .projection, at: time)?.resolved().text(session) ?? "perspective"
        camera.focalLength = Float(try number(prim, .focalLength, Double(camera.focalLength)))
        camera.horizontalAperture = Float(try number(prim, .horizontalAperture, Double(camera.horizontalAperture)))
        camera.verticalAperture = Float(try number(prim, .verticalAperture, Double(camera.verticalAperture)))
        if let range = try stage.value(prim, .clippingRange, at: time)?.resolved().components, range.count == 2 {
            camera.near = Float(range[0])
            camera.far = Float(range[1])
        }
        return camera
    }

    func readLight(_ prim: StagePrim, _ typeName: Token) throws(AssetError) -> Light {
        var light = Light(kind: session.string(typeName))
        // The sun's fallback is another than all other lights'.
        light.intensity = Float(try number(prim, .inputsIntensity, light.kind == "DistantLight" ? 50000 : 1))
        light.exposure = Float(try number(prim, .inputsExposure, 0))
        if let c = try stage.value(prim, .inputsColor, at: time)?.resolved().components, c.count == 3 {
            light.color = Vector3f(Float(c[0]), Float(c[1]), Float(c[2]))
        }
        for name in stage.propertyNames(prim) where ![.inputsIntensity, .inputsExposure, .inputsColor].contains(name) {
            let text = session.string(name)
            guard text.hasPrefix("inputs:"), stage.propertyKind(prim, name) == .attribute,
                let value = try stage.value(prim, name, at: time)?.resolved().openValue(session)
            else { continue }
            light.parameters.append(Value.Entry(String(text.dropFirst(7)), value))
        }
        return light
    }
}
