public import AssetIO
public import AssetModel

/// Why bytes could not be handed on.
public enum SinkError: Error, Sendable, Hashable {
    /// The reader has gone (`| head`): a quiet end.
    case closed
    /// The system's reason.
    case failed(String)
}

/// Where a tool's bytes go: a descriptor, or memory in tests.
public protocol ByteSink: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError)
}

/// Collects what is written.
public final class MemorySink: ByteSink {
    public private(set) var bytes: [UInt8] = []
    public init() {}
    public func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Everything a run of the tool touches outside itself. Commands reach the world through nothing else, so that a test
/// runs them in process with files in memory.
public struct ToolEnvironment {
    final class Keepsake {
        var value: Any?
    }

    public var standardOutput: any ByteSink
    public var standardError: any ByteSink
    public var isOutputTerminal: Bool
    public var isErrorTerminal: Bool
    /// Columns of the terminal; nil where output is not one.
    public var width: Int?
    /// Whether colour is wanted where the command line does not say (`NO_COLOR`, `TERM=dumb`).
    public var allowsColor: Bool
    public var resolver: any AssetResolver
    public var registry: FormatRegistry
    /// Reads standard input to its end.
    public var readInput: () throws(AssetError) -> [UInt8]
    /// Opens the place of an output file and its side files: path of the main file, whether existing files may be replaced. Files
    /// that were opened for reading never are.
    public var openOutput: (_ path: String, _ overwrite: Bool) throws(AssetError) -> any OutputSink
    /// Where a progress line is shown; nil where none ever is.
    public var progress: ProgressTerminal?

    /// Holds what was read last for as long as the environment lives: a process that ends gives its memory back faster than
    /// millions of small pieces can be freed one by one.
    let keepsake = Keepsake()

    public init(
        standardOutput: any ByteSink, standardError: any ByteSink, resolver: any AssetResolver, registry: FormatRegistry,
        readInput: @escaping () throws(AssetError) -> [UInt8],
        openOutput: @escaping (_ path: String, _ overwrite: Bool) throws(AssetError) -> any OutputSink
    ) {
        self.standardOutput = standardOutput
        self.standardError = standardError
        isOutputTerminal = false
        isErrorTerminal = false
        allowsColor = true
        self.resolver = resolver
        self.registry = registry
        self.readInput = readInput
        self.openOutput = openOutput
    }
}
