/// How an opinion got to a prim, in order of strength among siblings.
enum ArcType: UInt8 {
    case root, inherit, variant, relocate, reference, payload, specialize

    /// Inherits and specializes: class hierarchies that are implied across other arcs.
    var isClassBased: Bool { self == .inherit || self == .specialize }
}

/// A site that contributes to a prim: a path in a layer stack, and the arc that brought it in.
///
/// The nodes of one prim are a tree in a flat array; links are positions in it. Children are kept in order of strength. The
/// nodes of a finished tree stand in order of strength themselves.
struct IndexNode {
    var path: Path
    var stack: StackIndex
    var parent: Int32 = -1
    /// The node whose opinions introduced the arc; the parent unless the arc was implied or propagated.
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
    /// Elements of the highest path that the node may not speak of, with all below it; 0 where it may speak of all.
    var restrictedDepth: Int16 = 0
    var arc: ArcType = .root
    /// A placeholder that keeps the shape of the tree but has no say.
    var isInert = false
    /// Without a say and without anything below that has one: left out of the finished tree.
    var isCulled = false
    /// Brought in by an arc of a prim above.
    var isDueToAncestor = false

    var hasSpecs: Bool { firstSpec >= 0 }
    var canContribute: Bool { !isInert && !isCulled }
    var contributes: Bool { canContribute && firstSpec >= 0 }
}

typealias NodeArray = ContiguousArray<IndexNode>

extension NodeArray {
    /// Levels of namespace between the arc's introduction and this node.
    func depthBelowIntroduction(_ n: Int32) -> Int {
        let p = self[Int(n)].parent
        return p < 0 ? 0 : Int(self[Int(p)].depth) - Int(self[Int(n)].namespaceDepth)
    }

    func isDueToAncestor(_ n: Int32) -> Bool { self[Int(n)].isDueToAncestor }

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

    /// Whether inherits or specializes hang from a node. Of a specialized node they hang from its copy below the root.
    func hasClassBasedChild(_ n: Int32) -> Bool {
        var c = self[Int(propagated(n) ?? n)].firstChild
        while c >= 0 {
            if self[Int(c)].arc.isClassBased { return true }
            c = self[Int(c)].nextSibling
        }
        return false
    }

    func hasSameSite(_ a: Int32, _ b: Int32) -> Bool {
        self[Int(a)].path == self[Int(b)].path && self[Int(a)].stack == self[Int(b)].stack
    }

    /// An arc that another node's opinions introduced, on their way up.
    func isImplied(_ n: Int32) -> Bool { self[Int(n)].arc.isClassBased && self[Int(n)].origin != self[Int(n)].parent }

    // MARK: Specializes

    /// Whether a node is the copy below the root of a specialized node further down, which is there as a placeholder only.
    func isPropagated(_ n: Int32) -> Bool {
        let node = self[Int(n)]
        return node.arc == .specialize && node.parent == 0 && node.origin > 0 && hasSameSite(n, node.origin)
    }

    /// The copy below the root of a specialized node.
    func propagated(_ n: Int32) -> Int32? {
        guard self[Int(n)].arc == .specialize else { return nil }
        var c = self[0].firstChild
        while c >= 0 {
            if self[Int(c)].origin == n, isPropagated(c) { return c }
            c = self[Int(c)].nextSibling
        }
        return nil
    }

    func hasSpecializes(below n: Int32) -> Bool {
        for i in Int(n)..<count where self[i].arc == .specialize && isAncestor(n, of: Int32(i)) { return true }
        return false
    }

    // MARK: Class hierarchies

    /// The node that the class hierarchy of a class-based node hangs from, and the topmost class of the hierarchy.
    func classHierarchy(_ n: Int32) -> (instance: Int32, topClass: Int32) {
        var instance = isPropagated(n) ? self[Int(n)].origin : n
        var top = instance
        let depth = depthBelowIntroduction(instance)
        while instance >= 0, self[Int(instance)].arc.isClassBased, depthBelowIntroduction(instance) == depth {
            top = instance
            instance = self[Int(instance)].parent
            if instance >= 0, isPropagated(instance) { instance = self[Int(instance)].origin }
        }
        return (instance, top)
    }

    // MARK: Links

    /// Puts a node among its parent's children by strength.
    mutating func link(_ n: Int32, below parent: Int32) {
        let first = self[Int(parent)].firstChild
        if first < 0 || compareSiblings(n, first) < 0 {
            self[Int(n)].nextSibling = first
            self[Int(parent)].firstChild = n
            return
        }
        var last = first
        while self[Int(last)].nextSibling >= 0 { last = self[Int(last)].nextSibling }
        if compareSiblings(n, last) >= 0 {
            self[Int(n)].nextSibling = -1
            self[Int(last)].nextSibling = n
            return
        }
        var previous = first
        var c = self[Int(first)].nextSibling
        while c >= 0, compareSiblings(n, c) >= 0 {
            previous = c
            c = self[Int(c)].nextSibling
        }
        self[Int(n)].nextSibling = c
        self[Int(previous)].nextSibling = n
    }
}
