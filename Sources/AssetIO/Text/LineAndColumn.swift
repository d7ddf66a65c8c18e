/// Line and column, both from 1 and the column in bytes, of a byte offset. `\n`, `\r\n` and a lone `\r` end a line.
public func lineAndColumn(of offset: Int, in text: Span<UInt8>) -> (line: Int, column: Int) {
    let end = min(max(offset, 0), text.count)
    let line = 1 + lineEnds(in: text, 0..<end)
    var start = end
    while start > 0, !endsLine(text, start - 1) { start -= 1 }
    return (line, end - start + 1)
}

/// How many lines end within a range.
public func lineEnds(in text: Span<UInt8>, _ range: Range<Int>) -> Int {
    var i = range.lowerBound
    var count = 0
    text.withUnsafeBytes { raw in
        // Eight letters at once, beside those that follow each.
        let last = min(range.upperBound, raw.count - 1) - 8
        while i <= last {
            let here = raw.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            let next = raw.loadUnaligned(fromByteOffset: i + 1, as: UInt64.self)
            let ended = flags(here, 0x0A0A_0A0A_0A0A_0A0A) | (flags(here, 0x0D0D_0D0D_0D0D_0D0D) & ~flags(next, 0x0A0A_0A0A_0A0A_0A0A))
            count &+= ended.nonzeroBitCount
            i &+= 8
        }
    }
    while i < range.upperBound {
        if endsLine(text, i) { count += 1 }
        i += 1
    }
    return count
}

/// The top bit of each of eight bytes that is the same as its counterpart.
@inline(__always)
private func flags(_ bytes: UInt64, _ letter: UInt64) -> UInt64 {
    let different = bytes ^ letter
    let low = (different & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
    return ~(low | different) & 0x8080_8080_8080_8080
}

/// Whether a line ends with this byte: a carriage return before a line feed does not.
private func endsLine(_ text: Span<UInt8>, _ i: Int) -> Bool {
    text[i] == UInt8(ascii: "\n") || (text[i] == UInt8(ascii: "\r") && !(i + 1 < text.count && text[i + 1] == UInt8(ascii: "\n")))
}
