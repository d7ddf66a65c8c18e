import Testing

@testable import AssetCommands
