import Dispatch

/// Calls `body` with each number below `count`, on as many cores as there are, and returns when all calls have. Each call has
/// its own number: what it writes must be its own as well.
public func concurrently(_ count: Int, _ body: (Int) -> Void) {
    guard count > 1 else {
        if count == 1 { body(0) }
        return
    }
    // Dispatch asks for a closure that may be sent; it returns only when all of them have run.
    nonisolated(unsafe) let body = body
    DispatchQueue.concurrentPerform(iterations: count) { body($0) }
}
