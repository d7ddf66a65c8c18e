import Testing

@testable import AssetIO
