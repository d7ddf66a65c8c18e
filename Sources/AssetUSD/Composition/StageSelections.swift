import AssetIO
public import AssetModel

extension Stage {
    /// Refuses variant selections of the options that have no effect: a slip of the pen would otherwise lose geometry, or keep
    /// it, in silence. An empty choice selects none of the variants.
    ///
    /// Throws `usd.no-such-prim`, `usd.no-such-variant-set`, `usd.no-such-variant` or `usd.variant-in-instance`; the error's
    /// prim path is the selection as it was asked for, `/Chair{look=red}`.
    public func checkSelections() throws(AssetError) {
        for wanted in options.variants {
            let place = SourceLocation(file: rootLayer.identifier, primPath: "\(wanted.path){\(wanted.set)=\(wanted.choice)}")
            guard let path = paths.parse(wanted.path), paths.kind(path) == .prim, let prim = prim(at: path) else {
                throw AssetError("usd.no-such-prim", "there is no prim \(wanted.path) to select a variant of", at: place)
            }
            if isInstanceProxy(prim) {
                throw AssetError(
                    "usd.variant-in-instance", "\(wanted.path) lies inside an instance, whose contents it shares with others", at: place)
            }
            let sets = variantSets(prim)
            guard let set = sets.first(where: { $0.name == wanted.set }) else {
                let known = sets.isEmpty ? "the prim has none" : "expected \(Self.listed(sets.map(\.name)))"
                throw AssetError("usd.no-such-variant-set", "\(wanted.path) has no variant set '\(wanted.set)', \(known)", at: place)
            }
            if !wanted.choice.isEmpty, !set.choices.contains(wanted.choice) {
                let known = set.choices.isEmpty ? "the set is empty" : "expected \(Self.listed(set.choices))"
                throw AssetError(
                    "usd.no-such-variant", "variant set '\(wanted.set)' of \(wanted.path) has no '\(wanted.choice)', \(known)", at: place)
            }
        }
    }

    private static func listed(_ words: [String]) -> String {
        let shown = words.prefix(12).joined(separator: ", ")
        return words.count == 1 ? shown : "one of \(shown)" + (words.count > 12 ? " … (\(words.count) in all)" : "")
    }
}
