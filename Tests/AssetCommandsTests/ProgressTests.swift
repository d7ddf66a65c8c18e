import AssetCommands
import AssetIO
import AssetModel
import Synchronization
import TestSupport
import Testing

/// The progress line, on a terminal whose clock the work moves.
@Suite struct ProgressTests {
    /// A terminal that keeps what is written, and its clock.
    final class Screen: Sendable {
        private let state = Mutex((now: 1000, writes: [String]()))
        var writes: [String] { state.withLock { $0.writes } }
        func pass(_ milliseconds: Int) { state.withLock { $0.now += milliseconds } }
        func terminal(width: Int = 80) -> ProgressTerminal {
            ProgressTerminal(
                width: width, now: { [self] in state.withLock { $0.now } }, write: { [self] text in state.withLock { $0.writes.append(text) } })
        }

        /// What is to be seen on the line after all writes.
        var line: String {
            var cells: [Character] = []
            var column = 0
            for c in writes.joined() {
                if c == "\r" {
                    column = 0
                    continue
                }
                if column < cells.count { cells[column] = c } else { cells.append(c) }
                column += 1
            }
            while cells.last == " " { cells.removeLast() }
            return String(cells)
        }
    }

    /// Takes its time to read and to write, and tells of it.
    struct SlowFormat: Format {
        var screen: Screen
        /// Milliseconds that pass before each of ten steps.
        var step: Int
        /// What is to be seen while the last step is at work.
        var info: FormatInfo { FormatInfo(id: "slow", name: "Slow", fileExtensions: ["slow"], canRead: true, canWrite: true) }

        func open(_ file: FileBytes, _ context: inout ReadContext) throws(AssetError) -> any Document {
            for i in 0...10 {
                if i > 0 { screen.pass(step) }
                context.options.progress.report(.reading, file.name, done: i * 1000, of: 10_000)
            }
            context.diagnostics.warning("slow.odd", "odd, expected even", at: SourceLocation(file: file.name))
            return SceneDocument(entry: SampleScene.crowd(2), options: context.options)
        }

        func write(_ scene: Scene, _ context: inout WriteContext) throws(AssetError) {
            let pieces = OutputPieces(try context.output.create(context.options.fileName))
            pieces.progress = WritingProgress(context.options.progress, context.options.fileName, total: 40)
            for i in 0..<4 {
                pieces.progress.begin(10)
                screen.pass(step)
                try pieces.items(i == 3 ? 100 : 5, perPiece: 10, room: { $0.count }) { range, out in
                    for k in 0..<range.count { out[k] = 0x2E }
                    return range.count
                }
            }
            try pieces.close()
        }
    }

    private static func run(step: Int, _ arguments: String..., isTerminal: Bool = true, width: Int = 80) -> (Screen, ToolHarness.Result) {
        let screen = Screen()
        let harness = ToolHarness()
        harness.registry = FormatRegistry([SlowFormat(screen: screen, step: step)])
        harness.addBytes("parts/chair.slow", "S")
        harness.isTerminal = isTerminal
        harness.allowsColor = false
        harness.progress = screen.terminal(width: width)
        return (screen, harness.run(arguments))
    }

    @Test func itIsRewrittenInPlaceAndWiped() {
        let (screen, result) = Self.run(step: 200, "convert", "parts/chair.slow", "out.slow")
        #expect(result.status == .done)
        #expect(
            screen.writes == [
                "\rreading chair.slow 30 %", "\rreading chair.slow 40 %", "\rreading chair.slow 50 %", "\rreading chair.slow 60 %",
                "\rreading chair.slow 70 %", "\rreading chair.slow 80 %", "\rreading chair.slow 90 %", "\rconverting chair.slow … 2.0 s",
                "\rwriting out.slow 12 %        ", "\rwriting out.slow 37 %", "\rwriting out.slow 62 %", "\rconverting chair.slow … 2.8 s",
                "\r                             \r",
            ])
        #expect(screen.line == "")
        // Nothing of it is among what is said.
        #expect(result.error == "parts/chair.slow: warning: odd, expected even [slow.odd]\n")
        #expect(!result.output.contains("\r"))
    }

    @Test func shortWorkShowsNothing() {
        #expect(Self.run(step: 35, "convert", "parts/chair.slow", "out.slow").0.writes == [])
        #expect(Self.run(step: 49, "info", "parts/chair.slow").0.writes == [])
    }

    @Test func itChangesTenTimesASecondAtMost() {
        let (screen, _) = Self.run(step: 55, "info", "parts/chair.slow")
        #expect(screen.writes == ["\rreading chair.slow … 0.5 s", "\r" + String(repeating: " ", count: 26) + "\r"])
        #expect(Self.run(step: 75, "tree", "parts/chair.slow").0.writes.count == 3)
    }

    @Test(arguments: ["tree", "info", "bounds", "materials"]) func readingCommandsShowItToo(command: String) {
        let (screen, result) = Self.run(step: 100, command, "parts/chair.slow")
        #expect(result.status == .done)
        #expect(screen.writes.contains("\rreading chair.slow 70 %"))
        #expect(screen.line == "")
    }

    @Test func itIsForTerminalsUnlessAskedFor() {
        #expect(Self.run(step: 200, "convert", "parts/chair.slow", "out.slow", isTerminal: false).0.writes == [])
        #expect(Self.run(step: 200, "convert", "--progress", "never", "parts/chair.slow", "out.slow").0.writes == [])
        #expect(Self.run(step: 200, "convert", "--progress", "auto", "parts/chair.slow", "out.slow").0.writes.count == 13)
        #expect(Self.run(step: 200, "convert", "--progress", "always", "parts/chair.slow", "out.slow", isTerminal: false).0.writes.count == 13)
        // However short the work is, something stays to be seen.
        for step in [0, 200] {
            let writes = Self.run(step: step, "convert", "--progress", "always", "parts/chair.slow", "out.slow", isTerminal: false).0.writes
            #expect(writes.last?.hasPrefix("\rconverting chair.slow … ") == true && writes.last?.last == "\n", "\(writes)")
        }
        for command in ["convert", "info"] {
            #expect(Self.run(step: 200, command, "--quiet", "parts/chair.slow", "out.slow").0.writes == [])
        }
    }

    @Test func theLineFitsTheTerminal() {
        for width in 1...60 {
            let (screen, _) = Self.run(step: 200, "convert", "parts/chair.slow", "out.slow", width: width)
            let longest = screen.writes.map { $0.filter { $0 != "\r" }.count }.max() ?? 0
            #expect(longest < max(width, 2), "\(width)")
        }
        #expect(Self.run(step: 200, "info", "parts/chair.slow", width: 22).0.writes.first == "\rreading …ir.slow 30 %")
    }

    @Test func namesAreEscaped() {
        let screen = Screen()
        let harness = ToolHarness()
        harness.registry = FormatRegistry([SlowFormat(screen: screen, step: 200)])
        harness.addBytes("a\u{1b}[31m.slow", "S")
        harness.isTerminal = true
        harness.progress = screen.terminal()
        _ = harness.run("info", "a\u{1b}[31m.slow")
        #expect(screen.writes.first == "\rreading a\\u{1b}[31m.slow 30 %")
    }
}

@Suite struct ProgressReporterTests {
    @Test func percentIsAllOnlyWhereAllIsDone() {
        func percent(_ done: Int, _ total: Int) -> Int? { ProgressReporter.Step(.reading, "", done: done, of: total).percent }
        #expect(percent(0, 0) == nil && percent(5, -1) == nil)
        #expect(percent(-5, 10) == 0 && percent(0, 10) == 0 && percent(999_999, 1_000_000) == 99 && percent(7, 7) == 100 && percent(9, 7) == 100)
    }

    @Test func writingNeverGoesBackOrBeyond() {
        let steps = Mutex([Int]())
        var progress = WritingProgress(ProgressReporter { step in steps.withLock { $0.append(step.done) } }, "a", total: 30)
        progress.advance(5)
        progress.begin(10)
        progress.advance(4)
        progress.advance(400)
        progress.begin(10)
        progress.advance(-3)
        progress.begin(100)
        progress.advance(1)
        progress.advance(.max)
        #expect(steps.withLock { $0 } == [0, 4, 10, 10, 21, 30])
    }

    @Test func whatIsGivenBackIsRead() {
        let steps = Mutex([ProgressReporter.Step]())
        let file = FileBytes(name: "d/a.obj", bytes: [UInt8](repeating: 1, count: 100))
        let watched = file.watched(by: ProgressReporter { step in steps.withLock { $0.append(step) } })
        file.release(0, count: 10)
        watched.release(0, count: 30)
        watched.release(30, count: 50, isRead: false)
        watched.release(30, count: 0)
        watched.release(30, count: 45)
        watched.endWatch()
        watched.endWatch()
        watched.release(0, count: 100)
        #expect(steps.withLock { $0.map(\.done) } == [30, 75, 100])
        #expect(steps.withLock { $0.allSatisfy { $0.file == "d/a.obj" && $0.total == 100 && $0.activity == .reading } })
        #expect(file.watched(by: ProgressReporter()) === file)
    }
}
