import Testing

@testable import AssetCommands

@Suite struct DisplayTextTests {
    @Test func controlCharactersAreShown() {
        #expect(escaped("plain") == "plain")
        #expect(escaped("a\nb\tc\r") == "a\\nb\\tc\\r")
        #expect(escaped("\u{1b}[31m") == "\\u{1b}[31m")
        #expect(escaped("a\u{202e}b") == "a\\u{202e}b")
        #expect(escaped("Stühle 椅子") == "Stühle 椅子")
    }

    @Test func widthsAreThoseOfTerminals() {
        #expect(displayWidth("abc") == 3)
        #expect(displayWidth("椅子") == 4)
        #expect(displayWidth("é") == 1)
        #expect(displayWidth("e\u{301}") == 1)
        #expect(displayWidth("👍") == 2)
        #expect(displayWidth("👨‍👩‍👧") == 2)
        #expect(displayWidth("├─ ") == 3)
        #expect(truncated("abcdef", to: 4) == "abc…")
        #expect(truncated("椅子椅子", to: 4) == "椅…")
        #expect(padded("椅", to: 4) == "椅  ")
        #expect(leftPadded("7", to: 3) == "  7")
    }

    @Test func numbersForPeople() {
        #expect(grouped(0) == "0")
        #expect(grouped(999) == "999")
        #expect(grouped(1000) == "1,000")
        #expect(grouped(-1_234_567) == "-1,234,567")
        #expect(grouped(.min) == "-9,223,372,036,854,775,808")
        #expect(counted(1, "mesh", "meshes") == "1 mesh")
        #expect(counted(2000, "mesh", "meshes") == "2,000 meshes")
        #expect(byteText(812) == "812 B")
        #expect(byteText(1000) == "1 kB")
        #expect(byteText(4200) == "4.2 kB")
        #expect(byteText(17_000_000) == "17 MB")
        #expect(byteText(999_999) == "1 MB")
        #expect(byteText(9_223_372_036_854_775_807) == "9,223,372 TB")
    }

    @Test func lengthsForPeople() {
        #expect(significant(0) == "0")
        #expect(significant(0.1 + 0.2) == "0.3")
        #expect(significant(123456.789) == "123457")
        #expect(significant(-0.5) == "-0.5")
        #expect(significant(Double(Float(0.1))) == "0.1")
        #expect(significant(.infinity) == "inf")
        #expect(significant(1e300) == "1e+300")
        #expect(numberText(2.0) == "2")
        #expect(numberText(-0.0) == "0")
        #expect(numberText(Double(Float(0.7))) == "0.7")
    }

    @Test func wordsAreWrapped() {
        #expect(wrapped("one two three", to: 8) == ["one two", "three"])
        #expect(wrapped("", to: 8) == [])
        #expect(listed(["a"]) == "a")
        #expect(listed(["a", "b", "c"]) == "a, b or c")
    }
}
