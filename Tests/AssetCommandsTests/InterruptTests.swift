import AssetIO
import TestSupport
import Testing

@testable import AssetCommands

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What would end the process with half a file behind it.
@Suite struct InterruptTests {
    /// Every signal that somebody sends to end a program has the output removed.
    @Test func signalsThatEndAProgram() {
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXCPU] { #expect(InterruptGuard.signals.contains(number)) }
    }

    /// Pipes that nobody reads and files beyond `ulimit -f` are errors of the write, not ends of the process.
    @Test func signalsThatAreErrors() {
        _ = ToolEnvironment.system(registry: FormatRegistry([]), resolver: DiskResolver())
        for number in [SIGPIPE, SIGXFSZ] { #expect(InterruptGuard.isIgnored(number)) }
        #expect(!InterruptGuard.isIgnored(SIGTERM))
    }
}
