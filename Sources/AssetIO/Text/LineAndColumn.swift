/// Line and column, both from 1 and the column in bytes, of a byte offset. `\n`, `\r\n` and a lone `\r` end a line.
public func lineAndColumn(of offset: Int, in text: Span<UInt8>) -> (line: Int, column: Int) {
    var line = 1
    var start = 0
    var i = 0
    let end = min(offset, text.count)
    while i < end {
        let b = text[i]
        i += 1
        if b == UInt8(ascii: "\n") || (b == UInt8(ascii: "\r") && !(i < text.count && text[i] == UInt8(ascii: "\n"))) {
            line += 1
            start = i
        }
    }
    return (line, end - start + 1)
}
