import Testing

@testable import AssetOps
