import Synchronization

/// Whom readers and writers tell how far they are. Telling costs next to nothing, so it is done once a block of some hundred
/// kilobytes, from any thread; who listens decides what is worth showing.
public struct ProgressReporter: Sendable {
    public enum Activity: String, Sendable, Hashable { case reading, writing }

    /// How far a piece of work is.
    public struct Step: Sendable, Hashable {
        public var activity: Activity
        /// The file, as in messages.
        public var file: String
        /// What is done of what there is in all, in a measure of the work's own (bytes, lines).
        public var done: Int
        public var total: Int

        public init(_ activity: Activity, _ file: String, done: Int, of total: Int) {
            (self.activity, self.file, self.done, self.total) = (activity, file, done, total)
        }

        /// Done in hundredths, rounded down: all of them only where all is done. Nil where there is nothing to do.
        public var percent: Int? {
            guard total > 0 else { return nil }
            return Int(Double(min(max(done, 0), total)) / Double(total) * 100)
        }
    }

    private let listener: (@Sendable (Step) -> Void)?

    /// Tells nobody.
    public init() { listener = nil }

    public init(_ listener: @escaping @Sendable (Step) -> Void) { self.listener = listener }

    /// Whether anybody listens.
    public var isHeard: Bool { listener != nil }

    public func report(_ activity: Activity, _ file: String, done: Int, of total: Int) {
        listener?(Step(activity, file, done: done, of: total))
    }
}

/// How much of a file is read, counted by all threads that read it.
final class ReadingWatch: Sendable {
    private let reporter: ProgressReporter
    private let file: String
    private let total: Int
    private let done = Mutex(0)

    init(_ reporter: ProgressReporter, _ file: String, _ total: Int) { (self.reporter, self.file, self.total) = (reporter, file, total) }

    func advance(_ count: Int) {
        let now: Int? = done.withLock { done in
            guard done < total, count > 0 else { return nil }
            done = count < total - done ? done + count : total
            return done
        }
        if let now { reporter.report(.reading, file, done: now, of: total) }
    }

    /// All that was to be read is.
    func end() { advance(total) }
}

/// How far a writer is that writes one thing after the other: each has a weight, the runs of items within it show how much of it
/// is done.
public struct WritingProgress: Sendable {
    private let reporter: ProgressReporter
    private let file: String
    private let total: Int
    private var done = 0
    /// Where the thing at hand ends.
    private var end = 0

    /// Tells nobody.
    public init() { (reporter, file, total) = (ProgressReporter(), "", 0) }

    /// - Parameter total: the weights of all things together.
    public init(_ reporter: ProgressReporter, _ file: String, total: Int) {
        (self.reporter, self.file, self.total) = (reporter, file, total)
    }

    /// The thing before is done, and one of a weight begins.
    public mutating func begin(_ weight: Int) {
        guard reporter.isHeard else { return }
        done = end
        end = Self.sum(end, weight, limit: total)
    }

    /// So much more of the thing at hand is done. What was estimated too low stands still at its end.
    public mutating func advance(_ weight: Int) {
        guard reporter.isHeard else { return }
        done = Self.sum(done, weight, limit: end)
        reporter.report(.writing, file, done: done, of: total)
    }

    private static func sum(_ a: Int, _ weight: Int, limit: Int) -> Int { weight < limit - a ? a + max(0, weight) : limit }
}
