/// The bytes of an image that the source holds itself: in memory, or in the source until somebody asks for them.
public struct EmbeddedBytes: Sendable, Hashable {
    public let source: any DeferredArraySource<UInt8>

    public var count: Int { source.count }

    public init(_ source: any DeferredArraySource<UInt8>) { self.source = source }

    public init(_ bytes: [UInt8]) { source = BytesInMemory(bytes: bytes) }

    /// All bytes. Throws where what they are made of is damaged.
    public func load() throws(AssetError) -> [UInt8] { try source.load() }

    public static func == (a: Self, b: Self) -> Bool {
        guard a.count == b.count else { return false }
        do throws(AssetError) { return try a.load() == b.load() } catch { return false }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

private struct BytesInMemory: DeferredArraySource {
    let bytes: [UInt8]
    var count: Int { bytes.count }
    func load() -> [UInt8] { bytes }
}
