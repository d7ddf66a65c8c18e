#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Turns a trap or a bad access, always a fault of the program's own, into a message and status 70, and lets an output
/// in the making be removed. Calls nothing that a signal handler may not.
enum FaultGuard {
    static func install() {
        // A stack of its own: the fault may be that the stack is full.
        let size = 64 << 10
        var stack = stack_t()
        stack.ss_sp = malloc(size)
        stack.ss_size = size
        guard stack.ss_sp != nil, sigaltstack(&stack, nil) == 0 else { return }
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGFPE, SIGABRT, SIGBUS] {
            var action = sigaction()
            action.sa_flags = Int32(SA_ONSTACK) | Int32(truncatingIfNeeded: SA_RESETHAND)
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { FaultGuard.end($0) }
            #else
            action.__sigaction_handler.sa_handler = { FaultGuard.end($0) }
            #endif
            sigaction(number, &action, nil)
        }
    }

    private static func end(_ number: Int32) {
        // A mapped file that shrinks while it is read is the one bad access that is an input's doing.
        let isInput = number == SIGBUS
        let message: StaticString =
            isInput
            ? "\nfacet: error: an input changed while it was read\n" : "\nfacet: error: a fault of the program's own; please report it\n"
        _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
        var blocked = sigset_t()
        sigemptyset(&blocked)
        pthread_sigmask(SIG_BLOCK, nil, &blocked)
        // Where an `InterruptGuard` waits, it is told to clean up; a second is more than it needs.
        if sigismember(&blocked, InterruptGuard.faultSignal) == 1 {
            kill(getpid(), isInput ? InterruptGuard.inputSignal : InterruptGuard.faultSignal)
            usleep(1_000_000)
        }
        _exit(isInput ? ExitStatus.input.rawValue : ExitStatus.fault.rawValue)
    }
}
