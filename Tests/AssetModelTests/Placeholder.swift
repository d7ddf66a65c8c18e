import Testing

@testable import AssetModel
