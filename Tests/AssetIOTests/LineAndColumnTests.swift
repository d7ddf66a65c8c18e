import AssetIO
import TestSupport
import Testing

@Suite struct LineAndColumnTests {
    /// Letter by letter: what the quick count has to agree with.
    private func plain(_ offset: Int, _ text: [UInt8]) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        for i in 0..<min(offset, text.count) {
            let ends = text[i] == 10 || (text[i] == 13 && !(i + 1 < text.count && text[i + 1] == 10))
            (line, column) = ends ? (line + 1, 1) : (line, column + 1)
        }
        return (line, column)
    }

    @Test(arguments: 0..<30) func anyMixtureOfEndsIsCounted(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let letters: [UInt8] = seed % 3 == 0 ? [10, 65, 66] : [10, 13, 13, 65, 66, 67, 10]
        let text = (0..<random.int(in: 1...400)).map { _ in letters[random.int(in: 0...letters.count - 1)] }
        for offset in 0...text.count {
            let found = lineAndColumn(of: offset, in: text.span)
            #expect(found == plain(offset, text), "seed \(seed), offset \(offset)")
        }
        #expect(lineEnds(in: text.span, 0..<text.count) == plain(text.count, text).line - 1)
    }
}
