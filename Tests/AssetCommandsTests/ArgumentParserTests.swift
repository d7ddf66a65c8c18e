import Testing

@testable import AssetCommands

@Suite struct ArgumentParserTests {
    static let spec = CommandSpec(
        name: "go", summary: "Go",
        operands: [OperandSpec("FILE", help: "a file"), OperandSpec("MORE", help: "more files", optional: true, repeatable: true)],
        options: [
            OptionSpec("depth", short: "d", .value("N"), help: "levels"),
            OptionSpec("json", help: "JSON"),
            OptionSpec("quiet", short: "q", help: "say less"),
            OptionSpec("verbose", short: "v", help: "say more"),
            OptionSpec("color", .choice(["auto", "always", "never"]), help: "colour"),
            OptionSpec("variant", .value("V"), repeatable: true, help: "variants"),
            OptionSpec("secret", .value("X"), help: "hidden", hidden: true),
        ])

    func parse(_ arguments: String...) throws(UsageError) -> ParsedArguments {
        try ArgumentParser(Self.spec).parse(["go"] + arguments, from: 1)
    }

    func message(_ arguments: String...) -> String? {
        do {
            _ = try ArgumentParser(Self.spec).parse(["go"] + arguments, from: 1)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func valuesComeBehindABlankOrAnEqualsSign() throws {
        #expect(try parse("a", "--depth", "3").value("depth")?.text == "3")
        #expect(try parse("a", "--depth=3").value("depth")?.text == "3")
        #expect(try parse("-d", "3", "a").value("depth")?.text == "3")
        #expect(try parse("-d3", "a").value("depth")?.text == "3")
        #expect(try parse("a", "--variant=/A{b=c}").value("variant")?.text == "/A{b=c}")
    }

    @Test func shortFlagsStandTogether() throws {
        let parsed = try parse("-qvd2", "a")
        #expect(parsed.has("quiet") && parsed.has("verbose"))
        #expect(parsed.value("depth")?.text == "2")
    }

    @Test func theLastValueWinsUnlessEveryOneCounts() throws {
        let parsed = try parse("a", "--depth=1", "--depth=2", "--variant=x", "--variant=y")
        #expect(parsed.value("depth")?.text == "2")
        #expect(parsed.all("variant").map(\.text) == ["x", "y"])
    }

    @Test func twoDashesEndTheOptions() throws {
        let parsed = try parse("--json", "--", "--depth", "-q")
        #expect(parsed.operands.map(\.text) == ["--depth", "-q"])
        #expect(!parsed.has("quiet"))
    }

    @Test func oneDashIsAnOperand() throws { #expect(try parse("-").operands.map(\.text) == ["-"]) }

    @Test func negativeNumbersAreValues() throws { #expect(try parse("a", "--depth", "-5.5").value("depth")?.text == "-5.5") }

    @Test func everyValueKnowsItsArgument() throws {
        let parsed = try parse("a", "--depth=33", "b")
        #expect(parsed.operands.map(\.argument) == [1, 3])
        let error = parsed.value("depth")?.error("no")
        #expect(error?.argument == 2)
        #expect(error?.range == 8..<10)
    }

    @Test func messagesSayWhatWouldBeRight() {
        #expect(message() == "go needs FILE: a file")
        #expect(message("a", "--dpeth", "3") == "unknown option '--dpeth' for go; did you mean '--depth'?")
        #expect(message("a", "--vari=1") == "unknown option '--vari' for go; did you mean '--variant'?")
        #expect(message("a", "--secre") == "unknown option '--secre' for go")
        #expect(message("a", "-x") == "unknown option '-x' for go")
        #expect(message("a", "--depth") == "--depth needs a value: -d, --depth N")
        #expect(
            message("a", "--depth", "--json")
                == "--depth needs a value: -d, --depth N; one that begins with a dash is given as --depth=--json")
        #expect(message("a", "--json=yes") == "--json takes no value")
        #expect(message("a", "--color=alway") == "--color is 'alway', expected auto, always or never; did you mean 'always'?")
        #expect(message("a", "--depth=") == "--depth is empty: -d, --depth N")
        #expect(message("") == "FILE is empty")
    }

    @Test func numbersAreChecked() throws {
        let parsed = try parse("a", "--depth=x")
        #expect(throws: UsageError.self) { try parsed.integer("depth", in: 1...9) }
        #expect(throws: UsageError.self) { try parsed.number("depth") }
        #expect(throws: UsageError.self) { try parse("a", "--depth=10").integer("depth", in: 1...9) }
        #expect(throws: UsageError.self) { try parse("a", "--depth=inf").number("depth") }
        #expect(try parse("a", "--depth=9").integer("depth", in: 1...9) == 9)
    }

    @Test func distances() {
        #expect(editDistance(Array("abc".utf8), Array("abc".utf8)) == 0)
        #expect(editDistance(Array("abc".utf8), Array("acb".utf8)) == 1)
        #expect(editDistance([], Array("ab".utf8)) == 2)
        #expect(editDistance(Array("ab".utf8), []) == 2)
        #expect(nearest("konvert", ["convert", "cat"]) == "convert")
        #expect(nearest("zzz", ["convert", "cat"]) == nil)
    }
}
