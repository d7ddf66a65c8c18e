public import AssetModel

/// Bytes for a path: the only door to the disk, and a map in memory for tests.
///
/// Paths are plain (`/dir/a.usda`, `dir/a.png`) or lead into packages (`dir/a.usdz[b/c.png]`, nested:
/// `a.usdz[b.usdz[c.usda]]`).
public protocol AssetResolver {
    /// The bytes at an exact path. Throws `io.cannot-open` where there is none.
    func open(_ path: String) throws(AssetError) -> FileBytes
    /// Whether something readable is at an exact path.
    func exists(_ path: String) -> Bool
    /// File names in a folder; empty where there is none. Used to find names in another letter case.
    func list(_ folder: String) -> [String]
}
