#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Expected text kept in a file beside its input, for people to review.
public enum Golden {
    /// Compares text with a golden file (absolute, or relative to the repository) and throws with a line diff where they
    /// differ. A missing file, or `FACET_RECORD=1` in the environment, writes the file and still fails: recording is
    /// never a pass.
    public static func check(_ actual: String, _ file: String) throws {
        let bytes = Array(actual.utf8)
        guard getenv("FACET_RECORD") == nil, let expected = try? Repository.bytes(file) else {
            try Repository.write(bytes, to: file)
            throw TestFailure("recorded \(file); look at it and run again without FACET_RECORD")
        }
        if expected == bytes { return }
        let difference = TextDiff.describe(expected: String(decoding: expected, as: UTF8.self), actual: actual)
        throw TestFailure("\(file) differs (FACET_RECORD=1 records the new text)\n" + difference)
    }
}

public enum TextDiff {
    /// Throws with a line diff where two texts differ.
    public static func check(_ actual: String, equals expected: String, _ what: String = "text") throws {
        // Strings that look the same but hold other code points must not pass.
        if Array(actual.utf8) == Array(expected.utf8) { return }
        throw TestFailure("\(what) differs\n" + describe(expected: expected, actual: actual))
    }

    /// The lines that differ, `-` expected and `+` found, with their line numbers; at most 40 lines.
    public static func describe(expected: String, actual: String) -> String {
        let a = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let b = actual.split(separator: "\n", omittingEmptySubsequences: false)
        // Equal lines at both ends are cut first, so that the quadratic part stays small.
        var start = 0
        while start < min(a.count, b.count), a[start] == b[start] { start += 1 }
        var end = 0
        while end < min(a.count, b.count) - start, a[a.count - 1 - end] == b[b.count - 1 - end] { end += 1 }
        let difference = b[start..<(b.count - end)].difference(from: a[start..<(a.count - end)])
        var lines = difference.map { change in
            switch change {
            case .remove(let offset, let line, _): (offset + start, "-", line)
            case .insert(let offset, let line, _): (offset + start, "+", line)
            }
        }
        lines.sort { ($0.0, $0.1 == "-" ? 0 : 1) < ($1.0, $1.1 == "-" ? 0 : 1) }
        if lines.isEmpty { return "the lines are equal as text, the bytes are not" }
        var text = lines.prefix(40).map { "\($0.1)\($0.0 + 1): \($0.2)" }.joined(separator: "\n")
        if lines.count > 40 { text += "\n… \(lines.count - 40) more" }
        return text
    }
}
