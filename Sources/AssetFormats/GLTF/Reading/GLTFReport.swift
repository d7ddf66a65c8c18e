import AssetModel

/// Warnings of the kinds that a file may give cause for in each of its primitives: the first few with their places, the others as
/// a number.
enum GLTFReport {
    private static let folded: Set<String> = [
        "gltf.accessor-beyond-view", "gltf.bad-attribute", "gltf.bad-mode", "gltf.bad-times", "gltf.dropped.attribute", "gltf.dropped.channel",
        "gltf.dropped.target", "gltf.incomplete-triangle", "gltf.joint-out-of-range", "gltf.no-positions", "gltf.node-used-twice",
        "gltf.sparse-out-of-order", "gltf.wrong-length", "gltf.wrong-type",
    ]
    private static let shown = 3

    static func fold(_ all: Diagnostics, _ capacity: Int) -> Diagnostics {
        var counts: [String: Int] = [:]
        for entry in all.entries where folded.contains(entry.code) { counts[entry.code, default: 0] += 1 }
        guard all.entries.count > capacity || counts.values.contains(where: { $0 > shown + 1 }) else {
            var all = all
            all.capacity = capacity
            return all
        }
        var out = Diagnostics(capacity: capacity)
        var seen: [String: Int] = [:]
        for entry in all.entries {
            guard let count = counts[entry.code], count > shown + 1 else {
                out.add(entry)
                continue
            }
            let n = seen[entry.code, default: 0]
            seen[entry.code] = n + 1
            guard n <= shown else { continue }
            var entry = entry
            if n == shown {
                entry.message += ", and \(count - n - 1) more places like it"
                entry.count += count - n - 1
            }
            out.add(entry)
        }
        return out
    }
}
