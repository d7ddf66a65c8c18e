/// The version in the first line of a USDA text: behind `#usda ` and more spaces, up to a blank or the line's end. The rest of the
/// line is a comment.
struct HeaderVersion {
    /// Where the version stands.
    var range: Range<Int>
    /// Whether it is the `#sdf 1.4.32` of files older than USD.
    var isOld: Bool
    /// Whether a carriage return without a line feed ends the line right behind the version.
    var endsWithReturn: Bool

    /// Nil for a text that begins in another way.
    init?(_ scan: borrowing USDAScanner) {
        let text = scan.text
        var at = scan.at
        if at + 6 <= text.count, scan.equals(at, at + 6, "#usda ") {
            isOld = false
            at += 6
        } else if at + 5 <= text.count, scan.equals(at, at + 5, "#sdf ") {
            isOld = true
            at += 5
        } else {
            return nil
        }
        while at < text.count, text[at] == UInt8(ascii: " ") { at += 1 }
        let start = at
        while at < text.count, ByteClass.of(text[at]) & (ByteClass.blank | ByteClass.newline) == 0, at - start < 64 { at += 1 }
        range = start..<at
        endsWithReturn = at + 1 < text.count && text[at] == UInt8(ascii: "\r") && text[at + 1] != UInt8(ascii: "\n")
    }

    /// `1.0` or `1.0.0`, each number at most 255; nil for anything else.
    func numbers(_ scan: borrowing USDAScanner) -> (major: Int, minor: Int, patch: Int)? {
        var numbers = [0]
        var digits = 0
        for i in range {
            let digit = Int(scan.text[i]) - 48
            if scan.text[i] == UInt8(ascii: "."), digits > 0, numbers.count < 3 {
                numbers.append(0)
                digits = 0
            } else if (0..<10).contains(digit), numbers[numbers.count - 1] * 10 + digit <= 255 {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + digit
                digits += 1
            } else {
                return nil
            }
        }
        guard digits > 0, numbers.count >= 2 else { return nil }
        // Of old files only the first two numbers say something.
        return (numbers[0], numbers[1], isOld || numbers.count < 3 ? 0 : numbers[2])
    }
}
