/// Which of two nodes is the stronger one.
///
/// Siblings are compared by the kind of arc (local, inherits, variants, relocates, references, payloads, specializes), then by
/// the depth of namespace at which it was authored, then by the strength of what introduced it, then by the place in the list.
/// Specialized nodes all hang from the root and need more care: each counts by where it was authored.
extension NodeArray {
    /// Below zero where `a` is the stronger of two children of one node.
    func compareSiblings(_ a: Int32, _ b: Int32) -> Int {
        let x = self[Int(a)]
        let y = self[Int(b)]
        if x.arc != y.arc { return Int(x.arc.rawValue) - Int(y.arc.rawValue) }
        if x.arc == .specialize {
            let s = compareSpecializes(a, b)
            if s != 0 { return s }
        } else {
            if x.namespaceDepth != y.namespaceDepth { return Int(y.namespaceDepth) - Int(x.namespaceDepth) }
            if x.origin != y.origin {
                // Of implied arcs the one with the stronger origin.
                let o = compareNodes(x.origin, y.origin)
                if o != 0 { return o }
            }
        }
        return x.sibling != y.sibling ? Int(x.sibling) - Int(y.sibling) : Int(a) - Int(b)
    }

    /// Zero where only the places in the list tell two specialized siblings apart.
    private func compareSpecializes(_ a: Int32, _ b: Int32) -> Int {
        let x = self[Int(a)]
        let y = self[Int(b)]
        let (rootA, stepsA) = originRoot(a)
        let (rootB, stepsB) = originRoot(b)
        // What is specialized is weaker than what specializes it, at whatever depth either was authored.
        if x.namespaceDepth != y.namespaceDepth, !isBelow(rootA, rootB), !isBelow(rootB, rootA) {
            return Int(y.namespaceDepth) - Int(x.namespaceDepth)
        }
        let isAuthoredA = x.origin == x.parent
        let isAuthoredB = y.origin == y.parent
        if x.origin == y.origin {
            return isAuthoredA || isAuthoredB ? 0 : compareImplied(a, b)
        }
        if rootA != rootB { return compareNodes(rootA, rootB) }
        // From the same authored arc: by the depth of the prim that has the class hierarchy, then the one that was implied
        // further up, then the one that was implied and not only propagated.
        let depthA = isAuthoredA ? 0 : hierarchyDepth(x.origin)
        let depthB = isAuthoredB ? 0 : hierarchyDepth(y.origin)
        if depthA != depthB { return depthA - depthB }
        if stepsA != stepsB { return stepsB - stepsA }
        if x.stack == self[0].stack, y.stack == self[0].stack, !isAuthoredA, !isAuthoredB {
            let c = compareImplied(a, b)
            if c != 0 { return c }
        }
        return compareNodes(x.origin, y.origin)
    }

    private func compareImplied(_ a: Int32, _ b: Int32) -> Int {
        let isImpliedA = !hasSameSite(a, self[Int(a)].origin)
        let isImpliedB = !hasSameSite(b, self[Int(b)].origin)
        return isImpliedA == isImpliedB ? 0 : isImpliedA ? -1 : 1
    }

    /// The node that holds the authored arc behind an implied one, and over how many steps it was implied.
    private func originRoot(_ n: Int32) -> (node: Int32, steps: Int) {
        var n = n
        var steps = 0
        while self[Int(n)].origin >= 0, self[Int(n)].origin != self[Int(n)].parent, steps <= count {
            n = self[Int(n)].origin
            steps += 1
        }
        return (n, steps)
    }

    /// Whether `n` lies below `top`, where copies of specialized nodes lie below their placeholders.
    private func isBelow(_ n: Int32, _ top: Int32) -> Bool {
        var n = n
        while n >= 0 {
            if n == top { return true }
            n = isPropagated(n) ? self[Int(n)].origin : self[Int(n)].parent
        }
        return false
    }

    private func hierarchyDepth(_ n: Int32) -> Int {
        var (n, _) = classHierarchy(n)
        // Placeholders of relocations have no classes of their own.
        while n >= 0, self[Int(n)].arc == .relocate { n = self[Int(n)].parent }
        return n < 0 ? 0 : Int(self[Int(n)].namespaceDepth)
    }

    /// Below zero where `a` comes before `b` in order of strength, by place in the tree.
    func compareNodes(_ a: Int32, _ b: Int32) -> Int {
        if a == b { return 0 }
        if a < 0 || b < 0 { return Int(a) - Int(b) }
        let dx = level(a)
        let dy = level(b)
        var x = a
        var y = b
        var d = dx
        while d > dy {
            x = self[Int(x)].parent
            d -= 1
        }
        d = dy
        while d > dx {
            y = self[Int(y)].parent
            d -= 1
        }
        if x == y { return dx - dy }
        while self[Int(x)].parent != self[Int(y)].parent {
            x = self[Int(x)].parent
            y = self[Int(y)].parent
        }
        // Siblings stand in order.
        var c = self[Int(x)].nextSibling
        while c >= 0 {
            if c == y { return -1 }
            c = self[Int(c)].nextSibling
        }
        return 1
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

    /// All nodes, strongest first: depth first.
    func strengthOrder() -> [Int32] {
        var out: [Int32] = []
        out.reserveCapacity(count)
        if isEmpty { return out }
        // Iterative: chains of arcs may be long.
        var stack: [Int32] = [0]
        while let n = stack.popLast() {
            out.append(n)
            let start = stack.count
            var c = self[Int(n)].firstChild
            while c >= 0 {
                stack.append(c)
                c = self[Int(c)].nextSibling
            }
            if stack.count - start > 1 { stack[start...].reverse() }
        }
        return out
    }
}
