import AssetIO
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

    /// The op's matrix for a value of `type` (UsdGeomXformOp::GetOpTransform): the identity where the value does not fit the
    /// kind. The second result says whether it did.
    func matrix(_ type: ValueType, _ c: SixteenNumbers) -> (Matrix4d, fits: Bool) {
        guard let kind else { return (.identity, false) }
        let sign = isInverse ? -1.0 : 1.0
        switch (kind, type) {
        case (.transform, .matrix4d):
            guard isInverse else { return (c.matrix, true) }
            guard let inverse = c.matrix.inverse else { return (.identity, false) }
            return (inverse, true)
        case (.orient, .quath), (.orient, .quatf), (.orient, .quatd):
            // A quaternion of any length turns by its normalised axis and the arc cosine of its real part.
            let axis = Vector3d(c[0], c[1], c[2])
            let length = axis.length
            guard length > 1e-10 else { return (.identity, true) }
            let half = acos(max(-1, min(1, c[3])))
            return (Self.rotation(axis * (1 / length), halfAngle: sign * half), true)
        case (_, .float3), (_, .double3), (_, .half3):
            switch kind {
            case .translate: return (.translation(Vector3d(c[0], c[1], c[2]) * sign), true)
            case .scale:
                return (isInverse ? .scale(Vector3d(1 / c[0], 1 / c[1], 1 / c[2])) : .scale(Vector3d(c[0], c[1], c[2])), true)
            case .rotateXYZ: return (turn(c, 0, 1, 2), true)
            case .rotateXZY: return (turn(c, 0, 2, 1), true)
            case .rotateYXZ: return (turn(c, 1, 0, 2), true)
            case .rotateYZX: return (turn(c, 1, 2, 0), true)
            case .rotateZXY: return (turn(c, 2, 0, 1), true)
            case .rotateZYX: return (turn(c, 2, 1, 0), true)
            default: return (.identity, false)
            }
        case (_, .double), (_, .float), (_, .half):
            // OpenUSD inverts every op of a single number by its sign, a scale along one axis too.
            let v = sign * c[0]
            switch kind {
            case .rotateX: return (Self.rotation(axis: 0, degrees: v), true)
            case .rotateY: return (Self.rotation(axis: 1, degrees: v), true)
            case .rotateZ: return (Self.rotation(axis: 2, degrees: v), true)
            case .translateX: return (.translation(Vector3d(v, 0, 0)), true)
            case .translateY: return (.translation(Vector3d(0, v, 0)), true)
            case .translateZ: return (.translation(Vector3d(0, 0, v)), true)
            case .scaleX: return (.scale(Vector3d(v, 1, 1)), true)
            case .scaleY: return (.scale(Vector3d(1, v, 1)), true)
            case .scaleZ: return (.scale(Vector3d(1, 1, v)), true)
            default: return (.identity, false)
            }
        default: return (.identity, false)
        }
    }

    /// Rotations about three axes, that about `a` applied first; the inverse undoes them from the last.
    private func turn(_ degrees: SixteenNumbers, _ a: Int, _ b: Int, _ c: Int) -> Matrix4d {
        let sign = isInverse ? -1.0 : 1.0
        let (x, y, z) = (
            Self.rotation(axis: a, degrees: sign * degrees[a]), Self.rotation(axis: b, degrees: sign * degrees[b]),
            Self.rotation(axis: c, degrees: sign * degrees[c])
        )
        return isInverse ? z * y * x : x * y * z
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
            SIMD4(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (z * x - y * w), 0),
            SIMD4(2 * (x * y - z * w), 1 - 2 * (z * z + x * x), 2 * (y * z + x * w), 0),
            SIMD4(2 * (z * x + y * w), 2 * (y * z - x * w), 1 - 2 * (y * y + x * x), 0),
            SIMD4(0, 0, 0, 1))
    }
}

/// An `xformOpOrder`, taken apart once for all prims that have it.
struct XformOrder {
    /// What counts: what stands before `!resetXformStack!` does not.
    var ops: [XformOp] = []
    var resets = false
    /// Whether an op and its inverse stand next to each other, which then cancel.
    var mayCancel = false

    init(_ names: [Token], _ session: USDSession, reset: Token) {
        for name in names {
            if name == reset {
                resets = true
                ops.removeAll()
            } else {
                ops.append(XformOp(name, session))
            }
        }
        for op in ops where op.isInverse { mayCancel = ops.contains { $0.attribute == op.attribute && !$0.isInverse } || mayCancel }
    }
}

extension SceneReader {
    /// The order of a prim's ops; nil where it has none.
    private func xformOrder(_ prim: StagePrim) throws(AssetError) -> XformOrder? {
        var key: Stage.ValueKey?
        switch stage.plainKey(prim, .xformOpOrder) {
        case .none: return nil
        case .key(let k):
            // Neighbours mostly have the same ops.
            if k == lastXformOrder.key { return lastXformOrder.order }
            if let known = xformOrders[k] {
                lastXformOrder = (k, known)
                return known
            }
            key = k
        case .other: break
        }
        guard let names = try stage.value(prim, .xformOpOrder, at: .default)?.resolved().tokenList(session), !names.isEmpty else { return nil }
        let order = XformOrder(names, session, reset: resetXformStackToken)
        if let key { xformOrders[key] = order }
        return order
    }

    /// The local transform of a prim (UsdGeomXformable's query): ops whose attribute does not exist are passed over, an
    /// op and its inverse next to each other cancel, what stands before `!resetXformStack!` does not count.
    func readTransform(
        _ prim: StagePrim, at time: EvalTime, into facts: PrimFacts, quietly: Bool = false
    ) throws(AssetError) {
        guard let order = try xformOrder(prim) else { return }
        if order.resets { facts.resetsTransformStack = true }
        if !order.mayCancel, !options.wantsTransformOps, let local = plainTransform(prim, order) {
            facts.localTransform = local
            return
        }
        var ops = order.ops
        for op in ops where stage.propertyKind(prim, op.attribute) != .attribute {
            if !quietly {
                warn(
                    "usd.xform-op-without-attribute", "xformOpOrder names \(session.string(op.name)), which has no attribute: left out",
                    prim)
            }
            ops.removeAll { $0.name == op.name }
        }
        if options.wantsTransformOps { try showOps(prim, order, ops, at: time, into: facts) }
        var local = Matrix4d.identity
        var isIdentity = true
        var i = ops.count - 1
        while i >= 0 {
            let op = ops[i]
            if !facts.isAnimated, stage.mightBeTimeVarying(prim, op.attribute) { facts.isAnimated = true }
            if order.mayCancel, i > 0, op.attribute == ops[i - 1].attribute, op.isInverse != ops[i - 1].isInverse {
                i -= 2
                continue
            }
            i -= 1
            var numbers = SixteenNumbers()
            guard let type = try stage.numbers(prim, op.attribute, at: time, &numbers) else { continue }
            let (matrix, fits) = op.matrix(type, numbers)
            if !fits, !quietly {
                warn("usd.bad-xform-op", "\(session.string(op.name)) cannot use its value: taken as identity", prim)
            }
            if matrix == .identity { continue }
            local = isIdentity ? matrix : local * matrix
            isIdentity = false
        }
        facts.localTransform = local
    }

    /// The transform of ops that all have a plain value, the same at all times, that fits them: nearly all have. Nil for others.
    private func plainTransform(_ prim: StagePrim, _ order: XformOrder) -> Matrix4d? {
        var local = Matrix4d.identity
        var isIdentity = true
        for i in order.ops.indices.reversed() {
            var numbers = SixteenNumbers()
            guard let type = stage.plainNumbers(prim, order.ops[i].attribute, at: .earliest, &numbers) else { return nil }
            let (matrix, fits) = order.ops[i].matrix(type, numbers)
            if !fits { return nil }
            if matrix == .identity { continue }
            local = isIdentity ? matrix : local * matrix
            isIdentity = false
        }
        return local
    }

    /// Lists the ops for display.
    private func showOps(
        _ prim: StagePrim, _ order: XformOrder, _ ops: [XformOp], at time: EvalTime, into facts: PrimFacts
    ) throws(AssetError) {
        if order.resets { facts.rare.transformOps.append(TransformOp(name: XformOp.resetName, value: nil)) }
        for op in ops {
            let value = try stage.value(prim, op.attribute, at: time)?.resolved().openValue(session)
            facts.rare.transformOps.append(TransformOp(name: session.string(op.name), value: value))
        }
    }
}
