import AssetIO
import AssetModel
import AssetOps

/// The joints that move the points of a mesh, as sets of four (glTF 2.0, section 3.7.3.3): strongest first, each joint once, weights
/// that sum to one, unused places zero.
struct GLTFInfluences {
    /// Sets of four, at least one.
    private let sets: Int
    /// `4 * sets` numbers a point.
    private let joints: [UInt16]
    private let weights: [Float]
    private let largest: UInt16

    /// Nil where the mesh has no skin that can be used.
    init?(_ mesh: Mesh, points: Int, jointCount: Int) throws(AssetError) {
        guard let skin = mesh.skin, case .int(let jointValues) = skin.jointIndices.values else { return nil }
        let width = skin.jointIndices.elementSize
        guard width > 0, width <= 4096 else { return nil }
        let isWhole = skin.jointIndices.interpolation == .constant
        let rows = isWhole ? 1 : points
        guard jointValues.count == rows * width else { return nil }
        let indices = try jointValues.load()
        var given: [Float]?
        if let primvar = skin.jointWeights, case .float(let values) = primvar.values {
            guard values.count == indices.count else { return nil }
            given = try values.load()
        }
        var kept: [[(joint: UInt16, weight: Float)]] = []
        kept.reserveCapacity(rows)
        var most = 1
        for row in 0..<rows {
            var own: [(joint: UInt16, weight: Float)] = []
            for k in (row * width)..<((row + 1) * width) {
                let weight = given?[k] ?? 1
                guard weight > 0, weight.isFinite, Int(indices[k]) < jointCount, let joint = UInt16(exactly: indices[k]) else { continue }
                if let known = own.firstIndex(where: { $0.joint == joint }) { own[known].weight += weight } else { own.append((joint, weight)) }
            }
            own.sort { $0.weight > $1.weight }
            most = max(most, own.count)
            kept.append(own)
        }
        sets = (most + 3) / 4
        var joints = [UInt16](repeating: 0, count: rows * sets * 4)
        var weights = [Float](repeating: 0, count: rows * sets * 4)
        var largest: UInt16 = 0
        for (row, own) in kept.enumerated() {
            let at = row * sets * 4
            let sum = own.reduce(0) { $0 + Double($1.weight) }
            for (k, influence) in own.enumerated() {
                joints[at + k] = influence.joint
                weights[at + k] = sum > 0 ? Float(Double(influence.weight) / sum) : 0
                largest = max(largest, influence.joint)
            }
            // A point that nothing moves goes with the first joint.
            if own.isEmpty { weights[at] = 1 }
        }
        if isWhole {
            joints = (0..<points).flatMap { _ in joints }
            weights = (0..<points).flatMap { _ in weights }
        }
        (self.joints, self.weights, self.largest) = (joints, weights, largest)
    }

    var columns: [WeldColumn] {
        [
            WeldColumn(ofPoints: joints.map { UInt32($0) }, width: sets * 4),
            WeldColumn(ofPoints: weights, width: sets * 4),
        ]
    }

    /// - Parameter points: the values of the primitive's vertices from those of the points.
    func add(_ points: ([Int32]) -> [Int32], to primitive: inout GLTFOutput.Primitive, _ out: inout GLTFOutput) {
        let count = joints.count / (sets * 4)
        let order = points((0..<count).map { Int32(truncatingIfNeeded: $0) })
        for set in 0..<sets {
            var rowJoints: [UInt16] = []
            var rowWeights: [Vector4f] = []
            rowJoints.reserveCapacity(order.count * 4)
            rowWeights.reserveCapacity(order.count)
            for point in order {
                let at = Int(point) * sets * 4 + set * 4
                rowJoints.append(contentsOf: joints[at..<(at + 4)])
                rowWeights.append(Vector4f(weights[at], weights[at + 1], weights[at + 2], weights[at + 3]))
            }
            let isSmall = largest < 256
            let view = out.buffer.view(
                isSmall ? .bytes(rowJoints.map { UInt8(truncatingIfNeeded: $0) }) : .shorts(rowJoints), target: .vertices)
            let accessor = GLTFBuffer.Accessor(view: view, component: isSmall ? .uint8 : .uint16, type: "VEC4", count: order.count)
            primitive.attributes.append(("JOINTS_\(set)", out.buffer.add(accessor)))
            primitive.attributes.append(("WEIGHTS_\(set)", out.buffer.vectors(rowWeights)))
        }
    }
}

/// A blend shape with an offset for every point.
struct GLTFShape {
    var offsets: [Vector3f]
    var normals: [Vector3f]?

    init(_ shape: BlendShape, points: Int) throws(AssetError) {
        let indices = try shape.pointIndices?.load()
        func spread(_ values: [Vector3f]) -> [Vector3f] {
            var all = [Vector3f](repeating: Vector3f(0, 0, 0), count: points)
            for (k, value) in values.enumerated() where value.isFinite {
                let point = indices.map { k < $0.count ? Int($0[k]) : -1 } ?? k
                if all.indices.contains(point) { all[point] = value }
            }
            return all
        }
        offsets = spread(try shape.offsets.load())
        if let given = shape.normalOffsets, !given.isEmpty { normals = spread(try given.load()) } else { normals = nil }
    }
}
