import AssetModel

extension USDAParser {
    /// `{ … }` behind `.spline =`.
    mutating func spline(_ type: ValueType) throws(USDAError) -> Spline {
        throw scan.unexpected("TODO")
    }
}
