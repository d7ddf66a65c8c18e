/// Inherits: opinions about a class count for every prim that inherits it, stronger than its variants and references.
extension PrimIndexer {
    func evaluateInherits(_ build: PrimBuild, _ n: Int32) { evaluateClasses(build, n, .inherit, .inheritPaths) }
}
