/// What a finished tree keeps: nodes with a say, arcs of the prim itself, and what either hangs from.
extension NodeArray {
    /// Leaves out the nodes that nothing needs, and puts the rest in order of strength.
    mutating func finish(_ paths: PathTable) {
        if count == 1 { return }
        cull(paths)
        var isKept = [Bool](repeating: false, count: count)
        isKept[0] = true
        for n in 1..<count where !self[n].isCulled {
            isKept[n] = true
            // Strength is compared by origins: they stay, with all that they hang from.
            var o = Int32(n)
            while self[Int(o)].origin >= 0, self[Int(o)].origin != self[Int(o)].parent {
                o = self[Int(o)].origin
                if isKept[Int(o)] { break }
                var up = o
                while up >= 0, !isKept[Int(up)] {
                    isKept[Int(up)] = true
                    up = self[Int(up)].parent
                }
            }
        }
        let order = strengthOrder()
        var place = [Int32](repeating: -1, count: count)
        var next: Int32 = 0
        var isInPlace = true
        for n in order where isKept[Int(n)] {
            if n != next { isInPlace = false }
            place[Int(n)] = next
            next += 1
        }
        if isInPlace, Int(next) == count { return }
        let old = self
        func moved(_ i: Int32) -> Int32 { i < 0 ? -1 : place[Int(i)] }
        func kept(from c: Int32) -> Int32 {
            var c = c
            while c >= 0, place[Int(c)] < 0 { c = old[Int(c)].nextSibling }
            return moved(c)
        }
        for n in order where isKept[Int(n)] {
            var node = old[Int(n)]
            node.parent = moved(node.parent)
            node.origin = moved(node.origin)
            node.firstChild = kept(from: node.firstChild)
            node.nextSibling = kept(from: node.nextSibling)
            self[Int(place[Int(n)])] = node
        }
        removeLast(count - Int(next))
    }

    private mutating func cull(_ paths: PathTable) {
        // Whether something below has a say.
        var isNeeded = [Bool](repeating: false, count: count)
        for n in strengthOrder().reversed() where n > 0 {
            if !isNeeded[Int(n)], canBeCulled(n, paths) {
                self[Int(n)].isCulled = true
                continue
            }
            if self[Int(n)].isCulled { continue }
            isNeeded[Int(self[Int(n)].parent)] = true
        }
    }

    private func canBeCulled(_ n: Int32, _ paths: PathTable) -> Bool {
        let node = self[Int(n)]
        if node.isCulled { return true }
        if node.contributes || depthBelowIntroduction(n) == 0 { return false }
        return !staysAsClass(n, paths)
    }

    /// A class within a model stays: it is there in the prim's namespace, and others may be implied by it.
    func staysAsClass(_ n: Int32, _ paths: PathTable) -> Bool {
        let node = self[Int(n)]
        guard node.arc == .inherit, node.stack == self[0].stack else { return false }
        var o = n
        while self[Int(o)].origin >= 0, self[Int(o)].origin != self[Int(o)].parent { o = self[Int(o)].origin }
        return !paths.parent(pathAtIntroduction(o, paths)).isRoot
    }

    /// The path of a node where its arc was introduced: without what was added below.
    func pathAtIntroduction(_ n: Int32, _ paths: PathTable) -> Path {
        var p = self[Int(n)].path
        for _ in 0..<Swift.max(0, depthBelowIntroduction(n)) {
            // Selections of variants are no level of namespace; those above the arc stay.
            while paths.kind(p) == .variantSelection { p = paths.parent(p) }
            p = paths.parent(p)
        }
        return p
    }
}
