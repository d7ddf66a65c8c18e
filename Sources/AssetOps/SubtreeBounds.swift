public import AssetModel

extension SceneBounds {
    /// For every node the box of its own geometry and of all that is shown below it; nil where there is neither. What lies
    /// below a point instancer counts for the nodes above only through it.
    public func subtrees(_ scene: Scene, filter: NodeFilter = NodeFilter()) -> [BoundingBox?] {
        var boxes = nodes
        var isBelowInstancer = [Bool](repeating: false, count: scene.nodes.count)
        for i in scene.nodes.indices {
            guard let parent = scene.nodes[i].parent else { continue }
            let p = Int(parent.index)
            if case .instancer = scene.nodes[p].content { isBelowInstancer[i] = true } else { isBelowInstancer[i] = isBelowInstancer[p] }
        }
        // Children stand behind their parents: going backwards, a node's box is whole when it is handed up.
        var shown = [BoundingBox?](repeating: nil, count: scene.nodes.count)
        for i in scene.nodes.indices.reversed() {
            let node = scene.nodes[i]
            var up = shown[i] ?? BoundingBox()
            boxes[i].map { own in if filter.shows(node) { up.formUnion(own) } }
            if let below = shown[i] {
                var box = boxes[i] ?? BoundingBox()
                box.formUnion(below)
                boxes[i] = box
            }
            guard let parent = node.parent, !up.isEmpty else { continue }
            if isBelowInstancer[i], !isBelowInstancer[Int(parent.index)] { continue }
            var sum = shown[Int(parent.index)] ?? BoundingBox()
            sum.formUnion(up)
            shown[Int(parent.index)] = sum
        }
        return boxes
    }
}
