public import AssetIO

/// The formats of the USD family, one line each, in the order in which they are tried on a file's first bytes.
public var usdFormats: [any Format] {
    []
}
