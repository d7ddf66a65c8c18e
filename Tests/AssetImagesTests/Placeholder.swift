import Testing

@testable import AssetImages
