import Testing

@testable import AssetUSD
