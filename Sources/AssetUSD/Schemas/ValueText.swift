import AssetModel

/// Values as short text for people (`tree --values`): long arrays show their first elements and their count.
struct ValueText {
    let session: USDSession
    private static let shownElements = 4
    private static let shownCharacters = 80

    func text(_ value: USDValue) -> String {
        switch value {
        case .string(let s): return quoted(s)
        case .token(let t): return quoted(session.string(t))
        case .asset(let s): return "@\(cut(s))@"
        case .pathExpression(let s): return quoted(s)
        case .bool(let b): return b ? "true" : "false"
        case .float(let v): return number(v)
        case .half(let bits): return number(Half.float(bits))
        case .int, .uint, .uchar, .int64, .uint64, .double, .timeCode: return value.number.map { number($0) } ?? ""
        case .tuple(let type, let c): return tuple(c, isSingle: type.scalar != .double)
        case .block: return "None"
        case .animationBlock: return "AnimationBlock"
        case .array(let a): return array(a)
        case .tokens(let t): return list(t.count) { quoted(session.string(t[$0])) }
        case .strings(let s): return list(s.count) { quoted(s[$0]) }
        case .dictionary(let d): return d.isEmpty ? "{}" : "{ \(amount(d.entries.count, "entry", "entries")) }"
        case .deferred(let source, let rep):
            // A big array is not decoded to show its beginning.
            if let shape = try? source.arrayShape(rep), shape.count > 1000 { return "[\(shape.count) × \(shape.type)]" }
            return (try? value.resolved()).map { if case .deferred = $0 { "" } else { text($0) } } ?? "unreadable"
        default: return "(…)"
        }
    }

    private func array(_ a: USDArray) -> String {
        let k = a.type.components
        func element(_ i: Int, _ get: (Int) -> String) -> String {
            k == 1 ? get(i) : "(" + (0..<k).map { get(i * k + $0) }.joined(separator: ", ") + ")"
        }
        switch a.storage {
        case .bytes(let v): return list(a.count) { i in element(i) { a.type == .bool ? (v[$0] != 0 ? "true" : "false") : String(v[$0]) } }
        case .int(let v): return list(a.count) { i in element(i) { String(v[$0]) } }
        case .uint(let v): return list(a.count) { i in element(i) { String(v[$0]) } }
        case .int64(let v): return list(a.count) { i in element(i) { String(v[$0]) } }
        case .uint64(let v): return list(a.count) { i in element(i) { String(v[$0]) } }
        case .half(let v): return list(a.count) { i in element(i) { number(Half.float(v[$0])) } }
        case .float(let v): return list(a.count) { i in element(i) { number(v[$0]) } }
        case .double(let v): return list(a.count) { i in element(i) { number(v[$0]) } }
        case .token(let v): return list(a.count) { quoted(session.string(v[$0])) }
        case .string(let v): return list(a.count) { a.type == .asset ? "@\(cut(v[$0]))@" : quoted(v[$0]) }
        }
    }

    private func list(_ count: Int, _ element: (Int) -> String) -> String {
        let shown = (0..<min(count, Self.shownElements)).map(element).joined(separator: ", ")
        return count > Self.shownElements ? "[\(shown), … \(count) in all]" : "[\(shown)]"
    }

    private func tuple(_ c: [Double], isSingle: Bool) -> String {
        "(" + c.map { isSingle ? number(Float($0)) : number($0) }.joined(separator: ", ") + ")"
    }

    private func number<F: BinaryFloatingPoint & CustomStringConvertible>(_ v: F) -> String {
        let text = v.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private func cut(_ s: String) -> String { s.count > Self.shownCharacters ? s.prefix(Self.shownCharacters) + "…" : s }
    private func quoted(_ s: String) -> String { "\"\(cut(s))\"" }
}

extension SceneReader {
    /// The prim's own attributes and relationships as text.
    func readAttributes(_ prim: StagePrim) -> [Node.Attribute] {
        let printer = ValueText(session: session)
        return stage.propertyNames(prim).map { name in
            if stage.propertyKind(prim, name) == .relationship {
                let targets = stage.targets(prim, name).map { "<\(session.string($0))>" }
                return Node.Attribute(
                    name: session.string(name), typeName: "rel",
                    value: targets.count == 1 ? targets[0] : "[\(targets.joined(separator: ", "))]")
            }
            let type = stage.metadata(prim, name, .typeName)?.text(session) ?? ""
            let connections = stage.connections(prim, name).map { "<\(session.string($0))>" }
            let samples = stage.timeSamples(prim, name).count
            let value =
                stage.value(prim, name, at: time).map { printer.text($0) } ?? (stage.isBlocked(prim, name, at: time) ? printer.text(.block) : nil)
            let text = connections.isEmpty ? value ?? "" : (value.map { $0 + " " } ?? "") + "← " + connections.joined(separator: ", ")
            return Node.Attribute(
                name: session.string(name), typeName: type, value: text, timeSampleCount: samples)
        }
    }
}
