import Testing

@testable import AssetFormats
