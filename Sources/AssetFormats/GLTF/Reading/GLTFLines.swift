import AssetModel

extension GLTFToScene {
    /// The lines or points of one primitive. Points that indices name again are there again.
    mutating func piece(
        _ mode: GLTFMode, _ vertices: GLTFVertices, _ indices: GLTFColumn?, _ material: ID<Material>?
    ) -> GLTFPiece {
        var order = indices?.integers()
        var corners = indices?.count ?? vertices.position.count
        if mode == .lines, corners % 2 != 0 {
            // An end without a beginning.
            corners -= 1
            order = order.map { Array($0.prefix(corners)) } ?? (0..<Int32(truncatingIfNeeded: corners)).map { $0 }
        }
        var primvars: [Primvar] = []
        for attribute in vertices.attributes {
            guard case .color(let set) = attribute.attribute.semantic else { continue }
            primvars.append(contentsOf: Self.colors(set, attribute.attribute.width, [attribute.column]).map { picked($0, order) })
        }
        let all = GLTFVectors<Point3f>([vertices.position])
        let points: PointArray = .float(order.map { .deferred(GLTFPicked(all: all, order: $0)) } ?? .deferred(all))
        if mode == .points {
            let id = scene.points.append(PointCloud(points: points, primvars: primvars))
            return GLTFPiece(content: .points(id), typeName: "Points", material: material)
        }
        let counts: DeferredArray<Int32>
        switch mode {
        case .lines: counts = .deferred(RepeatedArray(2, count: corners / 2))
        default: counts = .loaded(corners > 0 ? [Int32(truncatingIfNeeded: corners)] : [])
        }
        var curves = Curves(kind: .basis, points: points, curveVertexCounts: counts)
        if mode == .lineLoop { curves.wrap = "periodic" }
        curves.primvars = primvars
        return GLTFPiece(content: .curves(scene.curves.append(curves)), typeName: "Lines", material: material)
    }

    private func picked(_ primvar: Primvar, _ order: [Int32]?) -> Primvar {
        guard let order else { return primvar }
        var primvar = primvar
        primvar.indices = .loaded(order)
        return primvar
    }
}

/// Elements of an array in an order of their own; every index was held against its count.
private struct GLTFPicked<V: GLTFVector>: DeferredArraySource {
    let all: GLTFVectors<V>
    let order: [Int32]
    var count: Int { order.count }

    func load() -> [V] {
        let loaded = all.load()
        return order.map { loaded[Int($0)] }
    }
}
