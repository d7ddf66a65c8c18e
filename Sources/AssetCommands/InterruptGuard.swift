import AssetIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps an interrupted run from leaving anything behind: a thread waits for the signals that end a process, drops what
/// the output has made so far, and lets the signal do its work.
enum InterruptGuard {
    /// Sent by `FaultGuard` to have an output removed: after a fault of the program's own, and where an input changed.
    static var faultSignal: Int32 { SIGUSR1 }
    static var inputSignal: Int32 { SIGUSR2 }
    /// Those that end a process from outside: Ctrl-C, Ctrl-\, `kill`, a closed terminal, a limit on processor time; and our own.
    static var signals: [Int32] { [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXCPU, faultSignal, inputSignal] }

    static func watch(_ output: DiskOutput) {
        var watched = sigset_t()
        sigemptyset(&watched)
        for s in signals where !isIgnored(s) { sigaddset(&watched, s) }
        // Threads made from here on inherit the mask, so that the signals reach the waiting one only.
        pthread_sigmask(SIG_BLOCK, &watched, nil)
        let box = Unmanaged.passRetained(output)
        #if canImport(Darwin)
        var thread: pthread_t?
        let made = pthread_create(
            &thread, nil,
            { raw in
                InterruptGuard.wait(Unmanaged<DiskOutput>.fromOpaque(raw).takeRetainedValue())
                return nil
            }, box.toOpaque())
        if made == 0, let thread { pthread_detach(thread) } else { box.release() }
        #else
        var thread = pthread_t()
        let made = pthread_create(
            &thread, nil,
            { raw in
                if let raw { InterruptGuard.wait(Unmanaged<DiskOutput>.fromOpaque(raw).takeRetainedValue()) }
                return nil
            }, box.toOpaque())
        if made == 0 { pthread_detach(thread) } else { box.release() }
        #endif
        if made != 0 { pthread_sigmask(SIG_UNBLOCK, &watched, nil) }
    }

    /// What the process was told to ignore (`nohup`) stays ignored.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // The handler is the first member of the structure; SIG_IGN is 1 on every system.
        return withUnsafeBytes(of: &action) { $0.loadUnaligned(as: UInt.self) } == 1
    }

    private static func wait(_ output: DiskOutput) {
        var watched = sigset_t()
        sigemptyset(&watched)
        for s in signals { sigaddset(&watched, s) }
        var number: Int32 = 0
        guard sigwait(&watched, &number) == 0 else { return }
        output.discard()
        if number == faultSignal { _exit(ExitStatus.fault.rawValue) }
        if number == inputSignal { _exit(ExitStatus.input.rawValue) }
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &watched, nil)
        kill(getpid(), number)
    }
}
