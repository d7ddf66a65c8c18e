@testable import AssetUSD

/// Layers and values as text, to compare them: whatever the encoding, equal layers have equal lines.
struct CrateText {
    let session: USDSession

    init(_ session: USDSession) { self.session = session }

    /// Specs in the order of the scene, properties by name, as OpenUSD writes text; what text cannot say is left out.
    func lines(_ layer: USDLayer) throws -> [String] { try lines(layer, 0) }

    private func lines(_ layer: USDLayer, _ i: SpecIndex) throws -> [String] {
        let spec = layer.specs[Int(i)]
        var out = ["\(spec.kind) \(session.string(spec.path))"]
        var fields: [String] = []
        for f in layer.fields(of: i) {
            switch (f.name, f.value) {
            case (.variability, .variability(.varying)), (.custom, .bool(false)): continue
            case (.specifier, _) where spec.kind == .variant: continue
            case (.variability, _) where spec.kind == .relationship: continue
            default: fields.append("  \(session.string(f.name)) = \(try text(f.value))")
            }
        }
        out += fields.sorted()
        for range in [spec.properties, spec.variantChildren, spec.primChildren, spec.otherChildren] {
            var children = Array(layer.children(range))
            if range == spec.properties || range == spec.variantChildren {
                children.sort { session.string(layer.specs[Int($0)].path) < session.string(layer.specs[Int($1)].path) }
            }
            for c in children { out += try lines(layer, c) }
        }
        return out
    }

    func text(_ value: USDValue) throws -> String {
        switch value {
        case .deferred: return try text(value.resolved())
        case .bool(let v): return "bool(\(v))"
        case .uchar(let v): return "uchar(\(v))"
        case .int(let v): return "int(\(v))"
        case .uint(let v): return "uint(\(v))"
        case .int64(let v): return "int64(\(v))"
        case .uint64(let v): return "uint64(\(v))"
        case .half(let v): return "half(\(v))"
        case .float(let v): return "float(\(v))"
        case .double(let v): return "double(\(v))"
        case .timeCode(let v): return "timeCode(\(v))"
        case .duration(let v): return "duration(\(v))"
        case .string(let v): return "string(\(v))"
        case .token(let v): return "token(\(session.string(v)))"
        case .asset(let v): return "asset(\(v))"
        case .pathExpression(let v): return "pathExpression(\(v))"
        case .tuple(let type, let v): return "\(type)(\(list(v)))"
        case .array(let a): return "\(a.type)[](\(list(a.storage)))"
        case .block: return "block"
        case .animationBlock: return "animationBlock"
        case .dictionary(let d): return "{\(try dictionary(d))}"
        case .timeSamples(let s):
            return "samples(" + (try zip(s.times, s.values).map { "\($0): \(try text($1))" }.joined(separator: ", ")) + ")"
        case .specifier(let v): return "\(v)"
        case .variability(let v): return "\(v)"
        case .permission(let v): return "\(v)"
        case .tokenListOp(let o): return "token" + (try op(o) { session.string($0) })
        case .stringListOp(let o): return "string" + (try op(o) { $0 })
        case .pathListOp(let o): return "path" + (try op(o) { session.string($0) })
        case .referenceListOp(let o): return "reference" + (try op(o, reference))
        case .payloadListOp(let o): return "payload" + (try op(o, reference))
        case .intListOp(let o): return "int" + (try op(o) { "\($0)" })
        case .uintListOp(let o): return "uint" + (try op(o) { "\($0)" })
        case .int64ListOp(let o): return "int64" + (try op(o) { "\($0)" })
        case .uint64ListOp(let o): return "uint64" + (try op(o) { "\($0)" })
        case .unregistered(.text(let t)): return "unregistered(\(t))"
        case .unregistered(.dictionary(let d)): return "unregistered{\(try dictionary(d))}"
        case .unregistered(.listOp(let o)): return "unregistered" + (try op(o, text))
        case .tokens(let v): return "tokens(\(v.map { session.string($0) }.joined(separator: ", ")))"
        case .strings(let v): return "strings(\(v.joined(separator: ", ")))"
        case .doubles(let v): return "doubles(\(list(v)))"
        case .paths(let v): return "paths(\(v.map { session.string($0) }.joined(separator: ", ")))"
        case .layerOffsets(let v): return "layerOffsets(\(v.map { "\($0.offset)*\($0.scale)" }.joined(separator: ", ")))"
        case .variantSelections(let v):
            let pairs = v.map { "\(session.string($0.set))=\(session.string($0.variant))" }
            return "selections(\(pairs.sorted().joined(separator: ", ")))"
        case .relocates(let v):
            return "relocates(\(v.map { "\(session.string($0.source)) > \(session.string($0.target))" }.joined(separator: ", ")))"
        case .spline(let s): return "\(s)"
        case .arrayEdit(let e): return "edit(\(try text(e.literals)), \(e.instructions))"
        }
    }

    private func list<T>(_ items: [T]) -> String { items.map { "\($0)" }.joined(separator: ", ") }

    private func list(_ storage: ArrayStorage) -> String {
        switch storage {
        case .bytes(let a): list(a)
        case .int(let a): list(a)
        case .uint(let a): list(a)
        case .int64(let a): list(a)
        case .uint64(let a): list(a)
        case .half(let a): list(a)
        case .float(let a): list(a)
        case .double(let a): list(a)
        case .token(let a): list(a.map { session.string($0) })
        case .string(let a): list(a)
        }
    }

    private func dictionary(_ d: USDDictionary) throws -> String {
        try d.entries.sorted { $0.key < $1.key }.map { "\($0.key): \(try text($0.value))" }.joined(separator: ", ")
    }

    private func reference(_ r: Reference) throws -> String {
        "@\(r.assetPath)@<\(session.string(r.primPath))>\(r.layerOffset.offset)*\(r.layerOffset.scale){\(try dictionary(r.customData))}"
    }

    private func op<T>(_ o: ListOp<T>, _ item: (T) throws -> String) throws -> String {
        var parts: [String] = []
        for (name, items) in [
            ("prepended", o.prepended), ("appended", o.appended), ("deleted", o.deleted), ("added", o.added), ("ordered", o.ordered),
        ] where !items.isEmpty {
            parts.append("\(name): [\(try items.map(item).joined(separator: ", "))]")
        }
        if o.isExplicit { parts.insert("explicit: [\(try o.explicit.map(item).joined(separator: ", "))]", at: 0) }
        return "op(\(parts.joined(separator: ", ")))"
    }
}
