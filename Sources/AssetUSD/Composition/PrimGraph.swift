/// How an opinion got to a prim, in order of strength among siblings.
enum ArcType: UInt8 {
    case root, inherit, variant, relocate, reference, payload, specialize

    /// Inherits and specializes: class hierarchies that are implied across other arcs.
    var isClassBased: Bool { self == .inherit || self == .specialize }
}

/// A site that contributes to a prim: a path in a layer stack, and the arc that brought it in.
///
/// The nodes of one prim are a tree in a flat array; links are positions in it. Children are kept in order of strength.
struct IndexNode {
    var path: Path
    var stack: StackIndex
    var parent: Int32 = -1
    /// The node whose opinions introduced the arc; the parent unless the arc was implied.
    var origin: Int32 = -1
    var firstChild: Int32 = -1
    var nextSibling: Int32 = -1
    var mapToParent: MapID = MapTable.identity
    var mapToRoot: MapID = MapTable.identity
    /// Position of the strongest layer with a spec in the stack and the spec there; -1 where there is none.
    var firstLayer: Int32 = -1
    var firstSpec: SpecIndex = -1
    /// Position of the arc in the list that introduced it.
    var sibling: Int32 = 0
    /// Elements of `path`, variant selections not counted.
    var depth: Int16 = 0
    /// Elements of the parent's path where the arc was introduced.
    var namespaceDepth: Int16 = 0
    var arc: ArcType = .root
    /// A placeholder that keeps the shape of the tree but has no say.
    var isInert = false
    /// Brought in with opinions about namespace above it, whose variants are still to be looked at.
    var hasAncestralVariants = false

    var hasSpecs: Bool { firstSpec >= 0 }
    var contributes: Bool { !isInert && firstSpec >= 0 }
}

typealias NodeArray = ContiguousArray<IndexNode>

extension NodeArray {
    /// Levels of namespace between the arc's introduction and this node.
    func depthBelowIntroduction(_ n: Int32) -> Int {
        let p = self[Int(n)].parent
        return p < 0 ? 0 : Int(self[Int(p)].depth) - Int(self[Int(n)].namespaceDepth)
    }

    func isDueToAncestor(_ n: Int32) -> Bool { depthBelowIntroduction(n) > 0 }

    func isAncestor(_ a: Int32, of b: Int32) -> Bool {
        var b = b
        while b >= 0 {
            if b == a { return true }
            b = self[Int(b)].parent
        }
        return false
    }

    func children(_ n: Int32) -> [Int32] {
        var out: [Int32] = []
        var c = self[Int(n)].firstChild
        while c >= 0 {
            out.append(c)
            c = self[Int(c)].nextSibling
        }
        return out
    }

    func hasClassBasedChild(_ n: Int32) -> Bool {
        var c = self[Int(n)].firstChild
        while c >= 0 {
            if self[Int(c)].arc.isClassBased { return true }
            c = self[Int(c)].nextSibling
        }
        return false
    }

    /// Puts a node among its parent's children by strength.
    mutating func link(_ n: Int32, below parent: Int32) {
        var previous: Int32 = -1
        var c = self[Int(parent)].firstChild
        // Equal ones stay in the order in which they came.
        while c >= 0, compareSiblings(c, n) <= 0 {
            previous = c
            c = self[Int(c)].nextSibling
        }
        self[Int(n)].nextSibling = c
        if previous < 0 {
            self[Int(parent)].firstChild = n
        } else {
            self[Int(previous)].nextSibling = n
        }
    }

    // MARK: Strength

    /// Below zero where `a` is the stronger of two children of one node.
    func compareSiblings(_ a: Int32, _ b: Int32, limit: Int = 100) -> Int {
        let x = self[Int(a)]
        let y = self[Int(b)]
        if x.arc != y.arc { return Int(x.arc.rawValue) - Int(y.arc.rawValue) }
        if x.namespaceDepth != y.namespaceDepth { return Int(y.namespaceDepth) - Int(x.namespaceDepth) }
        if x.origin != y.origin, limit > 0 {
            // Of implied arcs the one with the stronger origin.
            let o = compareNodes(x.origin, y.origin, limit: limit - 1)
            if o != 0 { return o }
        }
        return Int(x.sibling) - Int(y.sibling)
    }

    /// Below zero where `a` comes before `b` in order of strength, by place in the tree.
    func compareNodes(_ a: Int32, _ b: Int32, limit: Int = 100) -> Int {
        if a == b { return 0 }
        if a < 0 || b < 0 { return Int(a) - Int(b) }
        var x = a
        var y = b
        var dx = level(a)
        var dy = level(b)
        while dx > dy {
            x = self[Int(x)].parent
            dx -= 1
        }
        while dy > dx {
            y = self[Int(y)].parent
            dy -= 1
        }
        if x == y { return level(a) - level(b) }
        while self[Int(x)].parent != self[Int(y)].parent {
            x = self[Int(x)].parent
            y = self[Int(y)].parent
        }
        return compareSiblings(x, y, limit: limit)
    }

    private func level(_ n: Int32) -> Int {
        var d = 0
        var p = self[Int(n)].parent
        while p >= 0 {
            d += 1
            p = self[Int(p)].parent
        }
        return d
    }

    /// All nodes, strongest first: depth first, but what is specialized is weaker than everything else.
    func strengthOrder() -> [Int32] {
        var out: [Int32] = []
        out.reserveCapacity(count)
        var pending: [Int32] = []
        collect(0, &out, &pending)
        if pending.isEmpty { return out }
        // Specialized subtrees may specialize further; each counts by where it was introduced.
        var next = 0
        var all: [Int32] = []
        while next < pending.count {
            let s = pending[next]
            next += 1
            all.append(s)
            var inner: [Int32] = []
            var ignored: [Int32] = []
            collect(s, &ignored, &inner, isTop: true)
            pending.append(contentsOf: inner)
        }
        all.sort { compareSpecializes($0, $1) < 0 }
        for s in all {
            var inner: [Int32] = []
            collect(s, &out, &inner, isTop: true)
        }
        return out
    }

    /// Appends a subtree but for specialized nodes, which go to `specializes`.
    private func collect(_ start: Int32, _ out: inout [Int32], _ specializes: inout [Int32], isTop: Bool = false) {
        // Iterative: chains of arcs may be long.
        var stack: [Int32] = [start]
        var first = true
        while let n = stack.popLast() {
            if self[Int(n)].arc == .specialize, !(first && isTop) {
                specializes.append(n)
                first = false
                continue
            }
            first = false
            out.append(n)
            let kids = children(n)
            stack.append(contentsOf: kids.reversed())
        }
    }

    /// Below zero where `a` is stronger, of two specialized nodes anywhere in the tree.
    private func compareSpecializes(_ a: Int32, _ b: Int32) -> Int {
        if a == b { return 0 }
        let da = introductionDepth(a)
        let db = introductionDepth(b)
        if da != db { return db - da }
        let (oa, na) = originRoot(a)
        let (ob, nb) = originRoot(b)
        if oa == ob {
            // The same arc: the farther it was implied upwards the stronger.
            if na != nb { return nb - na }
        } else {
            let o = compareNodes(oa, ob)
            if o != 0 { return o }
        }
        return compareNodes(a, b)
    }

    /// Elements of the root's path where a node's arc came in.
    private func introductionDepth(_ n: Int32) -> Int { Int(self[0].depth) - depthBelowIntroduction(n) }

    /// The node that holds the authored arc behind an implied one, and over how many steps it was implied.
    private func originRoot(_ n: Int32) -> (node: Int32, steps: Int) {
        var n = n
        var steps = 0
        while self[Int(n)].origin >= 0, self[Int(n)].origin != self[Int(n)].parent, steps < 1000 {
            n = self[Int(n)].origin
            steps += 1
        }
        return (n, steps)
    }
}
