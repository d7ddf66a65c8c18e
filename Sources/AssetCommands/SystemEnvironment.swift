public import AssetIO
import AssetModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes to a file descriptor.
public final class DescriptorSink: ByteSink {
    private let descriptor: Int32
    public init(_ descriptor: Int32) { self.descriptor = descriptor }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
        var rest = bytes
        while !rest.isEmpty {
            #if canImport(Darwin)
            let n = Darwin.write(descriptor, rest.baseAddress, rest.count)
            #elseif canImport(Musl)
            let n = Musl.write(descriptor, rest.baseAddress, rest.count)
            #else
            let n = Glibc.write(descriptor, rest.baseAddress, rest.count)
            #endif
            if n < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { throw .closed }
                throw .failed(String(cString: strerror(errno)))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[n...])
        }
    }
}

extension ToolEnvironment {
    /// The process's own surroundings: its descriptors, its terminal, the disk. A closed pipe and a file that grows beyond
    /// `ulimit -f` no longer end the process but show as errors when written to.
    public static func system(registry: FormatRegistry, resolver: DiskResolver) -> ToolEnvironment {
        let opened = resolver.opened
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        #if !DEBUG
        FaultGuard.install()
        #endif
        var environment = ToolEnvironment(
            standardOutput: DescriptorSink(STDOUT_FILENO), standardError: DescriptorSink(STDERR_FILENO), resolver: resolver,
            registry: registry, readInput: { () throws(AssetError) in try FileBytes.readAll(STDIN_FILENO, "-") },
            openOutput: { (path, overwrite) throws(AssetError) in
                if path == "-" { return StreamOutput() }
                let output = try DiskOutput(path, overwrite: overwrite, keeping: opened)
                InterruptGuard.watch(output)
                return output
            })
        environment.isOutputTerminal = isatty(STDOUT_FILENO) == 1
        environment.isErrorTerminal = isatty(STDERR_FILENO) == 1
        let isDumb = variable("TERM").map { $0.isEmpty || $0 == "dumb" } ?? true
        environment.allowsColor = (variable("NO_COLOR") ?? "").isEmpty && !isDumb
        if environment.isOutputTerminal { environment.width = terminalWidth(STDOUT_FILENO) }
        environment.progress = ProgressTerminal(
            width: environment.isErrorTerminal ? terminalWidth(STDERR_FILENO) ?? 80 : 80, now: { milliseconds() },
            write: { text in try? Array(text.utf8).withUnsafeBytes { try DescriptorSink(STDERR_FILENO).write($0) } },
            everyTenth: { body in
                // The thread outlives nothing: it looks ten times a second whether it may end.
                _ = Threads.start { repeat { usleep(100_000) } while body() }
            })
        return environment
    }

    private static func milliseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func terminalWidth(_ descriptor: Int32) -> Int? {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }
}
