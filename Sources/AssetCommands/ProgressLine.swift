import AssetIO
import Synchronization

/// What shows how far a piece of work is: the terminal, its clock and whoever lets it look at the clock.
public struct ProgressTerminal: Sendable {
    /// Columns that a line may take.
    public var width: Int
    /// Milliseconds since any moment.
    public var now: @Sendable () -> Int
    public var write: @Sendable (String) -> Void
    /// Calls a body about ten times a second, beside the work, until it returns false.
    public var everyTenth: @Sendable (@escaping @Sendable () -> Bool) -> Void

    public init(
        width: Int = 80, now: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void,
        everyTenth: @escaping @Sendable (@escaping @Sendable () -> Bool) -> Void = { _ in }
    ) {
        (self.width, self.now, self.write, self.everyTenth) = (width, now, write, everyTenth)
    }
}

/// A line on the terminal that says what goes on and how far it is, `reading chair.obj 43 %`, or for how long where that is not known,
/// `converting chair.usdc … 1.2 s`. It shows only when the work lasts longer than half a second, changes ten times a second at most,
/// and is wiped when the work ends, unless it was asked for in any case: then a last one stays.
final class ProgressLine: Sendable {
    private struct State {
        var isDone = false
        var step: ProgressReporter.Step?
        var drawnAt: Int?
        /// Columns of the line as it stands.
        var columns = 0
    }

    private static var delay: Int { 500 }
    private static var pause: Int { 100 }

    private let activity: String
    private let file: String
    private let terminal: ProgressTerminal
    private let start: Int
    private let endsVisibly: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - activity: what is said while nobody reports anything: `converting`.
    ///   - file: the path of the file that is said of.
    ///   - endsVisibly: whether a line with the time that the work took stays, however short that was.
    init(_ activity: String, _ file: String, on terminal: ProgressTerminal, endsVisibly: Bool = false) {
        self.endsVisibly = endsVisibly
        (self.activity, self.file, self.terminal, start) = (activity, file, terminal, terminal.now())
        terminal.everyTenth { [self] in look() }
    }

    /// Where the work tells how far it is.
    var reporter: ProgressReporter { ProgressReporter { [self] step in take(step) } }

    private func take(_ step: ProgressReporter.Step) {
        let now = terminal.now()
        state.withLock { state in
            // Threads may report out of order, but work does not go backwards unless it begins anew.
            if let known = state.step, known.activity == step.activity, known.file == step.file, step.done < known.done, step.done > 0 { return }
            // Of what is done nothing more is to be told.
            state.step = step.done < step.total ? step : nil
            draw(now, &state)
        }
    }

    /// Draws if it is time; false when the work is done.
    private func look() -> Bool {
        let now = terminal.now()
        return state.withLock { state in
            if !state.isDone { draw(now, &state) }
            return !state.isDone
        }
    }

    private func draw(_ now: Int, _ state: inout State) {
        guard !state.isDone, now - start >= Self.delay, state.drawnAt.map({ now - $0 >= Self.pause }) ?? true else { return }
        state.drawnAt = now
        let text = line(state.step, now)
        let columns = displayWidth(text)
        terminal.write("\r" + text + String(repeating: " ", count: max(0, state.columns - columns)))
        state.columns = columns
    }

    private func line(_ step: ProgressReporter.Step?, _ now: Int) -> String {
        if let step, let percent = step.percent { return fitted(step.activity.rawValue, step.file, " \(percent) %") }
        let tenths = (now - start) / 100
        return fitted(activity, file, " … \(tenths / 10).\(tenths % 10) s")
    }

    /// The parts in one line; of the name as much of its end as there is room for. The last column stays free: some terminals
    /// break the line behind it.
    private func fitted(_ activity: String, _ path: String, _ rest: String) -> String {
        let room = terminal.width - 1 - displayWidth(activity) - 1 - displayWidth(rest)
        var name = escaped(AssetPath.baseName(path))
        if displayWidth(name) > room {
            guard room >= 8 else { return terminal.width > displayWidth(rest) ? String(rest.drop { $0 == " " }) : "" }
            while displayWidth(name) > room - 1 { name.removeFirst() }
            name = "…" + name
        }
        return activity + " " + name + rest
    }

    /// Wipes the line, or ends it. No more of it is written afterwards.
    func stop() {
        let now = terminal.now()
        state.withLock { state in
            guard !state.isDone else { return }
            state.isDone = true
            if endsVisibly {
                let text = line(nil, now)
                terminal.write("\r" + text + String(repeating: " ", count: max(0, state.columns - displayWidth(text))) + "\n")
            } else if state.columns > 0 {
                terminal.write("\r" + String(repeating: " ", count: state.columns) + "\r")
            }
            state.columns = 0
        }
    }
}
