import AssetIO

/// Payloads: references that may be left out, weaker than all references.
extension PrimIndexer {
    func evaluatePayloads(_ build: PrimBuild, _ n: Int32) {
        guard build.nodes[Int(n)].canContribute else { return }
        build.hasPayload = true
        if !options.loadPayloads {
            build.hasUnloadedPayload = true
            // What is left out is named where arcs are shown.
            if !options.wantsArcs { return }
        }
        evaluateReferences(build, n, .payload, .payload)
    }
}
