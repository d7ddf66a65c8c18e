public import AssetModel

/// Where a writer puts its files: all appear or none.
public protocol OutputSink: AnyObject {
    /// Starts a file at a path relative to the output's folder (`chair.mtl`, `textures/wood.png`). Throws where the
    /// name is unsafe, was used already (ignoring letter case), or the place cannot be written.
    func create(_ relativePath: String) throws(AssetError) -> any OutputFile
    /// Gives every file its final name, the main one last. On failure nothing new remains.
    func commit() throws(AssetError)
    /// Drops everything written so far.
    func discard()
}

/// One output file, written front to back.
public protocol OutputFile: AnyObject {
    /// Appends bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(AssetError)
    /// Bytes written so far.
    var count: Int { get }
    /// No more bytes will come.
    func close() throws(AssetError)
}
