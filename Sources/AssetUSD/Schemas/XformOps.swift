import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One op of an `xformOpOrder`, taken apart.
struct XformOp {
    enum Kind: String, CaseIterable {
        case transform, translate, translateX, translateY, translateZ, scale, scaleX, scaleY, scaleZ, rotateX, rotateY, rotateZ
        case rotateXYZ, rotateXZY, rotateYXZ, rotateYZX, rotateZXY, rotateZYX, orient
    }

    /// The name in the order, `!invert!` included.
    var name: Token
    /// The attribute that holds the value.
    var attribute: Token
    /// Nil for a name that is no op's: the identity.
    var kind: Kind?
    var isInverse: Bool

    static let resetName = "!resetXformStack!"
    static let invertPrefix = "!invert!"

    init(_ name: Token, _ session: USDSession) {
        self.name = name
        let text = session.string(name)
        isInverse = text.hasPrefix(Self.invertPrefix)
        let plain = isInverse ? Substring(text).dropFirst(Self.invertPrefix.count) : Substring(text)
        attribute = isInverse ? session.token(String(plain)) : name
        let parts = plain.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        kind = parts.count >= 2 ? Kind(rawValue: String(parts[1])) : nil
    }

    /// The op's matrix for a value (UsdGeomXformOp::GetOpTransform): the identity where the value does not fit the kind.
    /// The second result says whether it did.
    func matrix(_ value: USDValue) -> (Matrix4d, fits: Bool) {
        guard let kind else { return (.identity, false) }
        let sign = isInverse ? -1.0 : 1.0
        switch (kind, value) {
        case (.transform, .tuple(.matrix4d, let c)):
            guard let m = Matrix4d(c) else { return (.identity, false) }
            guard isInverse else { return (m, true) }
            guard let inverse = m.inverse else { return (.identity, false) }
            return (inverse, true)
        case (.orient, .tuple(let type, let c)) where [.quath, .quatf, .quatd].contains(type) && c.count == 4:
            // A quaternion of any length turns by its normalised axis and the arc cosine of its real part.
            let axis = Vector3d(c[0], c[1], c[2])
            let length = axis.length
            guard length > 1e-10 else { return (.identity, true) }
            let half = acos(max(-1, min(1, c[3])))
            return (Self.rotation(axis * (1 / length), halfAngle: sign * half), true)
        case (_, .tuple(let type, let c)) where [.float3, .double3, .half3].contains(type) && c.count == 3:
            switch kind {
            case .translate: return (.translation(Vector3d(c[0], c[1], c[2]) * sign), true)
            case .scale:
                return (isInverse ? .scale(Vector3d(1 / c[0], 1 / c[1], 1 / c[2])) : .scale(Vector3d(c[0], c[1], c[2])), true)
            case .rotateXYZ: return (turn(c, [0, 1, 2]), true)
            case .rotateXZY: return (turn(c, [0, 2, 1]), true)
            case .rotateYXZ: return (turn(c, [1, 0, 2]), true)
            case .rotateYZX: return (turn(c, [1, 2, 0]), true)
            case .rotateZXY: return (turn(c, [2, 0, 1]), true)
            case .rotateZYX: return (turn(c, [2, 1, 0]), true)
            default: return (.identity, false)
            }
        case (_, .double), (_, .float), (_, .half):
            guard let v = value.number else { return (.identity, false) }
            switch kind {
            case .rotateX: return (Self.rotation(axis: 0, degrees: sign * v), true)
            case .rotateY: return (Self.rotation(axis: 1, degrees: sign * v), true)
            case .rotateZ: return (Self.rotation(axis: 2, degrees: sign * v), true)
            case .translateX: return (.translation(Vector3d(sign * v, 0, 0)), true)
            case .translateY: return (.translation(Vector3d(0, sign * v, 0)), true)
            case .translateZ: return (.translation(Vector3d(0, 0, sign * v)), true)
            case .scaleX: return (.scale(Vector3d(isInverse ? 1 / v : v, 1, 1)), true)
            case .scaleY: return (.scale(Vector3d(1, isInverse ? 1 / v : v, 1)), true)
            case .scaleZ: return (.scale(Vector3d(1, 1, isInverse ? 1 / v : v)), true)
            default: return (.identity, false)
            }
        default: return (.identity, false)
        }
    }

    /// Rotations about the three axes, the first of `order` applied first; the inverse undoes them from the last.
    private func turn(_ degrees: [Double], _ order: [Int]) -> Matrix4d {
        let sign = isInverse ? -1.0 : 1.0
        let m = order.map { Self.rotation(axis: $0, degrees: sign * degrees[$0]) }
        return isInverse ? m[2] * m[1] * m[0] : m[0] * m[1] * m[2]
    }

    static func rotation(axis: Int, degrees: Double) -> Matrix4d {
        let half = degrees * (Double.pi / 180) / 2
        return rotation(Vector3d(axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0), halfAngle: half)
    }

    private static func rotation(_ axis: Vector3d, halfAngle: Double) -> Matrix4d {
        let s = sin(halfAngle)
        return rotation(x: axis.x * s, y: axis.y * s, z: axis.z * s, w: cos(halfAngle))
    }

    /// The rotation of a quaternion as it is, without normalising it (GfMatrix4d::SetRotate).
    static func rotation(x: Double, y: Double, z: Double, w: Double) -> Matrix4d {
        Matrix4d(
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (z * x - y * w), 0],
            [2 * (x * y - z * w), 1 - 2 * (z * z + x * x), 2 * (y * z + x * w), 0],
            [2 * (z * x + y * w), 2 * (y * z - x * w), 1 - 2 * (y * y + x * x), 0],
            [0, 0, 0, 1])
    }
}

extension SceneReader {
    /// The local transform of a prim (UsdGeomXformable's query): ops whose attribute does not exist are passed over, an
    /// op and its inverse next to each other cancel, what stands before `!resetXformStack!` does not count.
    func readTransform(
        _ prim: StagePrim, at time: EvalTime, into facts: inout PrimFacts, quietly: Bool = false
    ) throws(AssetError) {
        guard let order = stage.value(prim, .xformOpOrder, at: .default) else { return }
        let names = try order.resolved().tokenList(session)
        if names.isEmpty { return }
        var ops: [XformOp] = []
        for name in names {
            if name == resetXformStackToken {
                facts.resetsTransformStack = true
                facts.transformOps.append(TransformOp(name: XformOp.resetName, value: nil))
                ops.removeAll()
                continue
            }
            let op = xformOp(name)
            guard stage.propertyKind(prim, op.attribute) == .attribute else {
                if !quietly {
                    warn(
                        "usd.xform-op-without-attribute", "xformOpOrder names \(session.string(name)), which has no attribute: left out",
                        prim)
                }
                continue
            }
            ops.append(op)
        }
        // Each op's value is read once, for the matrix and for display.
        var matrices: [Matrix4d] = []
        for op in ops {
            var matrix = Matrix4d.identity
            var shown: Value?
            if let value = try stage.value(prim, op.attribute, at: time)?.resolved() {
                let (m, fits) = op.matrix(value)
                if !fits, !quietly {
                    warn("usd.bad-xform-op", "\(session.string(op.name)) cannot use its value: taken as identity", prim)
                }
                matrix = m
                shown = value.openValue(session)
            }
            matrices.append(matrix)
            facts.transformOps.append(TransformOp(name: session.string(op.name), value: shown))
            if !facts.isAnimated, stage.mightBeTimeVarying(prim, op.attribute) { facts.isAnimated = true }
        }
        var local = Matrix4d.identity
        var i = ops.count - 1
        while i >= 0 {
            if i > 0, ops[i].attribute == ops[i - 1].attribute, ops[i].isInverse != ops[i - 1].isInverse {
                i -= 2
                continue
            }
            if matrices[i] != .identity { local = local == .identity ? matrices[i] : local * matrices[i] }
            i -= 1
        }
        facts.localTransform = local
    }

    private func xformOp(_ name: Token) -> XformOp {
        if let op = xformOps[name] { return op }
        let op = XformOp(name, session)
        xformOps[name] = op
        return op
    }
}
