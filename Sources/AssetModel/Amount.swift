/// A count with its noun: `1 mesh`, `3 meshes`.
public func amount(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}
