import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A line on the terminal that says what goes on and for how long. It shows only when the work lasts longer than half a
/// second, and is wiped when the work ends.
final class ProgressLine: Sendable {
    private let title: String
    private let state = Mutex(State())

    private struct State {
        var isDone = false
        var isShown = false
    }

    init(_ title: String) {
        self.title = title
        // The thread outlives nothing: it looks ten times a second whether it may end.
        let box = Unmanaged.passRetained(self)
        #if canImport(Darwin)
        var thread: pthread_t?
        let made = pthread_create(
            &thread, nil,
            { raw in
                Unmanaged<ProgressLine>.fromOpaque(raw).takeRetainedValue().show()
                return nil
            }, box.toOpaque())
        if made == 0, let thread { pthread_detach(thread) } else { box.release() }
        #else
        var thread = pthread_t()
        let made = pthread_create(
            &thread, nil,
            { raw in
                if let raw { Unmanaged<ProgressLine>.fromOpaque(raw).takeRetainedValue().show() }
                return nil
            }, box.toOpaque())
        if made == 0 { pthread_detach(thread) } else { box.release() }
        #endif
    }

    private func show() {
        var ticks = 0
        while true {
            usleep(100_000)
            ticks += 1
            let isDone = state.withLock { state in
                if state.isDone { return true }
                if ticks >= 5 {
                    state.isShown = true
                    write("\r\u{1b}[K\(title) … \(ticks / 10).\(ticks % 10) s")
                }
                return false
            }
            if isDone { return }
        }
    }

    /// Wipes the line. No more of it is written afterwards.
    func stop() {
        state.withLock { state in
            state.isDone = true
            if state.isShown { write("\r\u{1b}[K") }
        }
    }

    private func write(_ text: String) {
        try? Array(text.utf8).withUnsafeBytes { try DescriptorSink(STDERR_FILENO).write($0) }
    }
}
