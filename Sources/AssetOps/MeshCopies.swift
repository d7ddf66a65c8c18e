public import AssetModel

extension MeshArrays {
    /// One mesh of copies of this one, each under a transform; faces of copies that are mirrored are turned round, so that all wind
    /// alike. Skins and blend shapes are left behind.
    ///
    /// - Parameter names: the primvars to take along, besides normals.
    /// - Throws: what loading throws; `mesh.too-many-points` where indices cannot tell the points apart.
    public func copies(_ transforms: [Matrix4d], at location: SourceLocation) throws(AssetError) -> Mesh {
        let faces = polygons.keptFaces.map { $0.map { Int($0) } } ?? Array(0..<polygons.faceCount)
        let corners = faces.reduce(0) { $0 + polygons.corners($1).count }
        for count in [polygons.points.count, corners] {
            guard count.multipliedReportingOverflow(by: transforms.count).partialValue <= Int(Int32.max), transforms.count <= Int(Int32.max) else {
                throw AssetError("mesh.too-many-points", "\(transforms.count) copies of \(count) points, at most \(Int32.max) in all", at: location)
            }
        }
        var points: [Point3f] = []
        points.reserveCapacity(polygons.points.count * transforms.count)
        var (counts, indices): ([Int32], [Int32]) = ([], [])
        // Where each face and corner comes from.
        var (faceOrigins, cornerOrigins): ([Int32], [Int32]) = ([], [])
        for transform in transforms {
            let start = Int32(truncatingIfNeeded: points.count)
            for i in 0..<polygons.points.count {
                let p = transform.transform(point: polygons.points[i])
                points.append(Point3f(Float(p.x), Float(p.y), Float(p.z)))
            }
            let isTurned = transform.determinant3 < 0
            for face in faces {
                let range = polygons.corners(face)
                counts.append(Int32(truncatingIfNeeded: range.count))
                faceOrigins.append(Int32(truncatingIfNeeded: face))
                for k in 0..<range.count {
                    let corner = isTurned && k > 0 ? range.upperBound - k : range.lowerBound + k
                    indices.append(start + polygons.faceVertexIndices[corner])
                    cornerOrigins.append(Int32(truncatingIfNeeded: corner))
                }
            }
        }
        var made = Mesh(points: PointArray(points), faceVertexCounts: .loaded(counts), faceVertexIndices: .loaded(indices))
        made.orientation = mesh.orientation
        made.doubleSided = mesh.doubleSided
        made.subdivisionScheme = mesh.subdivisionScheme
        let spread = Spread(copies: transforms.count, points: polygons.points.count, faces: faceOrigins, corners: cornerOrigins)
        if let normals = try normals(), let primvar = mesh.normals {
            var values: [Vector3f] = []
            values.reserveCapacity(normals.values.count * transforms.count)
            for transform in transforms {
                let turn = NormalTransform(transform)
                for normal in normals.values { values.append(turn.apply(normal)) }
            }
            made.normals = primvar
            made.normals?.interpolation = normals.domain == .whole ? .faceVarying : primvar.interpolation
            made.normals?.values = .float3(.loaded(values))
            made.normals?.indices = .loaded(spread.indices(normals, valuesPerCopy: normals.values.count))
            made.normals?.interpolation = spread.interpolation(normals.domain)
        }
        for primvar in mesh.primvars where !primvar.name.hasPrefix("skel:") {
            var copy = primvar
            func take<E>(_ array: DeferredArray<E>) throws(AssetError) -> Bool {
                guard let attribute = try attribute(array, primvar) else { return false }
                if attribute.domain == .whole { return true }
                copy.indices = .loaded(spread.indices(attribute, valuesPerCopy: 0))
                copy.interpolation = spread.interpolation(attribute.domain)
                return true
            }
            let isTaken: Bool
            switch primvar.values {
            case .float(let a): isTaken = try take(a)
            case .float2(let a): isTaken = try take(a)
            case .float3(let a): isTaken = try take(a)
            case .float4(let a): isTaken = try take(a)
            case .double(let a): isTaken = try take(a)
            case .int(let a): isTaken = try take(a)
            case .string(let a): isTaken = try take(a)
            }
            if isTaken { made.primvars.append(copy) }
        }
        var place = [Int32](repeating: -1, count: polygons.faceCount)
        for (k, face) in faces.enumerated() { place[face] = Int32(truncatingIfNeeded: k) }
        for subset in mesh.subsets {
            let own = try subset.faces.load().compactMap { f -> Int32? in
                place.indices.contains(Int(f)) && place[Int(f)] >= 0 ? place[Int(f)] : nil
            }
            var all: [Int32] = []
            for copy in transforms.indices { for face in own { all.append(Int32(truncatingIfNeeded: copy * faces.count) + face) } }
            made.subsets.append(GeomSubset(name: subset.name, family: subset.family, faces: .loaded(all)))
        }
        return made
    }

    /// How values of one mesh are spread over its copies.
    private struct Spread {
        let copies: Int
        let points: Int
        let faces: [Int32]
        let corners: [Int32]

        func interpolation<E>(_ domain: MeshAttribute<E>.Domain) -> Interpolation {
            switch domain {
            case .whole: .faceVarying
            case .face: .uniform
            case .point: .vertex
            case .corner: .faceVarying
            }
        }

        /// - Parameter valuesPerCopy: how many values each copy has of its own; 0 where all share them.
        func indices<E>(_ attribute: MeshAttribute<E>, valuesPerCopy: Int) -> [Int32] {
            func value(_ element: Int) -> Int32 { attribute.indices.map { $0[element] } ?? Int32(truncatingIfNeeded: element) }
            var out: [Int32] = []
            switch attribute.domain {
            case .whole:
                let perCopy = corners.count / Swift.max(1, copies)
                for k in corners.indices { out.append(value(0) + Int32(truncatingIfNeeded: k / Swift.max(1, perCopy) * valuesPerCopy)) }
            case .face, .corner:
                let origins = attribute.domain == .face ? faces : corners
                let perCopy = origins.count / Swift.max(1, copies)
                for (k, origin) in origins.enumerated() {
                    out.append(value(Int(origin)) + Int32(truncatingIfNeeded: k / Swift.max(1, perCopy) * valuesPerCopy))
                }
            case .point:
                for copy in 0..<copies {
                    for point in 0..<points { out.append(value(point) + Int32(truncatingIfNeeded: copy * valuesPerCopy)) }
                }
            }
            return out
        }
    }
}
