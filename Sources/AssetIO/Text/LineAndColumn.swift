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
        // Sixty-four letters at once. Where one is a carriage return they are looked at singly.
        while i + 64 <= range.upperBound {
            let a = raw.loadUnaligned(fromByteOffset: i, as: SIMD64<UInt8>.self)
            var ends = SIMD64<UInt8>(repeating: 0)
            ends.replace(with: 1, where: a .== UInt8(ascii: "\n"))
            var returns = SIMD64<UInt8>(repeating: 0)
            returns.replace(with: 1, where: a .== UInt8(ascii: "\r"))
            if returns.wrappedSum() == 0 {
                count += Int(ends.wrappedSum())
            } else {
                for k in i..<(i + 64) where endsLine(text, k) { count += 1 }
            }
            i += 64
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
