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
        // Sixty-four letters at once, each beside the one that follows it.
        let last = min(range.upperBound, raw.count - 1) - 64
        while i <= last {
            var ends = SIMD64<UInt8>(repeating: 0)
            // Each place counts to 255 at most.
            var blocks = 0
            while i <= last, blocks < 255 {
                let here = raw.loadUnaligned(fromByteOffset: i, as: SIMD64<UInt8>.self)
                let next = raw.loadUnaligned(fromByteOffset: i + 1, as: SIMD64<UInt8>.self)
                let ended = (here .== UInt8(ascii: "\n")) .| ((here .== UInt8(ascii: "\r")) .& (next .!= UInt8(ascii: "\n")))
                ends.replace(with: ends &+ 1, where: ended)
                i += 64
                blocks += 1
            }
            for k in 0..<64 { count += Int(ends[k]) }
        }
    }
    while i < range.upperBound {
        if endsLine(text, i) { count += 1 }
        i += 1
    }
    return count
}

/// Whether a line ends with this byte: a carriage return before a line feed does not.
private func endsLine(_ text: Span<UInt8>, _ i: Int) -> Bool {
    text[i] == UInt8(ascii: "\n") || (text[i] == UInt8(ascii: "\r") && !(i + 1 < text.count && text[i + 1] == UInt8(ascii: "\n")))
}
