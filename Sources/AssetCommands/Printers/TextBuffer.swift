/// How a piece of text looks on a terminal.
public enum TextStyle: Sendable, Hashable {
    case plain, bold, dim, red, green, yellow, blue, magenta, cyan

    var code: StaticString {
        switch self {
        case .plain: ""
        case .bold: "\u{1b}[1m"
        case .dim: "\u{1b}[2m"
        case .red: "\u{1b}[31m"
        case .green: "\u{1b}[32m"
        case .yellow: "\u{1b}[33m"
        case .blue: "\u{1b}[34m"
        case .magenta: "\u{1b}[35m"
        case .cyan: "\u{1b}[36m"
        }
    }
}

/// Text on its way out: collected in large pieces, coloured only where that is wanted.
public final class TextBuffer {
    private var bytes: [UInt8] = []
    private let sink: any ByteSink
    let isColored: Bool
    /// What went wrong with the sink, if anything; later text is dropped.
    private(set) var failure: SinkError?

    init(_ sink: any ByteSink, colored: Bool) {
        self.sink = sink
        isColored = colored
    }

    func put(_ text: String, _ style: TextStyle = .plain) {
        if isColored, style != .plain {
            put(style.code)
            bytes.append(contentsOf: text.utf8)
            put("\u{1b}[0m" as StaticString)
        } else {
            bytes.append(contentsOf: text.utf8)
        }
    }

    func put(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func put(spaces n: Int) {
        if n > 0 { bytes.append(contentsOf: repeatElement(0x20, count: n)) }
    }

    func line(_ text: String = "", _ style: TextStyle = .plain) {
        put(text, style)
        endLine()
    }

    func endLine() {
        bytes.append(0x0a)
        if bytes.count >= 1 << 16 { flush() }
    }

    /// Appends bytes that are text already.
    func append(_ raw: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: raw)
        if bytes.count >= 1 << 16 { flush() }
    }

    func flush() {
        defer { bytes.removeAll(keepingCapacity: true) }
        guard failure == nil, !bytes.isEmpty else { return }
        do {
            try bytes.withUnsafeBytes { try sink.write($0) }
        } catch {
            failure = error as? SinkError ?? .failed("\(error)")
        }
    }
}
