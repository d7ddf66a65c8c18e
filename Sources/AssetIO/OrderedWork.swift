import Dispatch
import Synchronization

/// Many pieces of work of any size, done on all cores, their results taken in order: what stands behind a command that is given
/// many files.
public enum OrderedWork {
    /// Calls `work` with each number below `count`, on `width` threads, and `take` with the results in order, on the calling
    /// thread: each as soon as it and all before it are there.
    ///
    /// - Parameters:
    ///   - width: pieces that are worked on at a time; 1 does all on the calling thread, one after the other.
    ///   - take: returns false to have no more. What is being worked on then ends by itself and its results are dropped; nobody
    ///     waits for it.
    public static func run<Result: Sendable>(
        count: Int, width: Int = Threads.coreCount, work: @escaping @Sendable (Int) -> Result, take: (Int, Result) -> Bool
    ) {
        let queue = Queue(count: count, waiting: width * resultsPerThread, work: work)
        var threads = 0
        if width > 1 {
            while threads < min(width, count), Threads.start({ queue.serve() }) { threads += 1 }
        }
        for i in 0..<max(0, count) {
            let result = threads > 0 ? queue.result(i) : work(i)
            guard take(i, result) else { return queue.stop(threads) }
        }
    }

    /// Results that may wait for those before them, for each thread: a big file among small ones does not keep a core idle.
    private static var resultsPerThread: Int { 16 }
}

/// What the threads share: the next number to work on, and the results that wait to be taken.
private final class Queue<Result: Sendable>: Sendable {
    private struct State {
        var next = 0
        var isStopped = false
        var results: [Int: Result] = [:]
    }

    private let count: Int
    private let work: @Sendable (Int) -> Result
    private let state = Mutex(State())
    /// Places for results, taken before work on one begins.
    private let places: DispatchSemaphore
    /// A signal for each result, by its number: the results in work never differ by as much as there are places.
    private let signals: [DispatchSemaphore]

    init(count: Int, waiting: Int, work: @escaping @Sendable (Int) -> Result) {
        self.count = count
        self.work = work
        let room = max(1, waiting)
        places = DispatchSemaphore(value: 0)
        signals = (0..<room).map { _ in DispatchSemaphore(value: 0) }
        // A semaphore must not end with less than it began with.
        for _ in 0..<room { places.signal() }
    }

    /// Works until nothing is left.
    func serve() {
        while true {
            places.wait()
            let number = state.withLock { state in
                guard !state.isStopped, state.next < count else { return -1 }
                state.next += 1
                return state.next - 1
            }
            guard number >= 0 else {
                // The next that waits must see it, too.
                places.signal()
                return
            }
            let result = work(number)
            state.withLock { $0.results[number] = result }
            signals[number % signals.count].signal()
        }
    }

    /// Waits for a result and makes room for another. Results are asked for in order.
    func result(_ number: Int) -> Result {
        while true {
            // Given behind the result: one time is enough.
            signals[number % signals.count].wait()
            if let result = state.withLock({ $0.results.removeValue(forKey: number) }) {
                places.signal()
                return result
            }
        }
    }

    /// No further work is begun.
    func stop(_ threads: Int) {
        state.withLock { $0.isStopped = true }
        for _ in 0..<threads { places.signal() }
    }
}
