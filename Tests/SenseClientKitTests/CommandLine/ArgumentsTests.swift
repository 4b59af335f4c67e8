import Testing

@testable import sense_client

@Suite struct ArgumentsTests {
    private static let spec = CommandSpec(
        name: "try", summary: "", positionals: ["FILE"],
        options: [
            OptionSpec("--speed", "X", ""), OptionSpec("--ack", nil, ""), OptionSpec("--expect", "LABEL", ""),
        ])

    private func arguments(_ words: [String]) throws(UsageError) -> Arguments {
        try Arguments(words, spec: Self.spec)
    }

    @Test func readsOptionsAndTheRest() throws {
        let found = try arguments(["--speed", "2", "a.wav", "--ack", "--expect=dog", "--expect", "siren"])
        #expect(found.positionals == ["a.wav"])
        #expect(found.text("--speed") == "2")
        #expect(found.has("--ack"))
        #expect(found.texts("--expect") == ["dog", "siren"])
        #expect(!found.has("--json"))
        #expect(found.text("--server") == nil)
    }

    @Test func aDashIsAFileAndTwoEndTheOptions() throws {
        #expect(try arguments(["-"]).positionals == ["-"])
        #expect(try arguments(["--", "--ack"]).positionals == ["--ack"])
        #expect(try arguments(["-h"]).has("--help"))
        #expect(try arguments(["a", "--expect", "--x"]).text("--expect") == "--x")
        #expect(try arguments(["a", "--expect="]).text("--expect") == "")
    }

    @Test(arguments: [
        [], ["a", "b"], ["a", "--bogus"], ["a", "--speed"], ["a", "--ack=1"], ["a", "-x"],
    ])
    func refuses(words: [String]) {
        #expect(throws: UsageError.self) { try Arguments(words, spec: Self.spec) }
    }

    @Test func numbersHaveRanges() throws {
        let found = try arguments(["a", "--speed", "4"])
        #expect(try found.number("--speed", in: 1...4) == 4)
        #expect(try found.number("--expect", in: 1...4) == nil)
        #expect(throws: UsageError(message: "--speed takes 1…3, not 4")) {
            try found.number("--speed", in: 1...3)
        }
        for text in ["x", "", "1e400", "nan", "9999999999999999999999"] {
            let bad = try arguments(["a", "--speed", text])
            #expect(throws: UsageError.self) { try bad.number("--speed", in: 0...10) }
            #expect(throws: UsageError.self) { try bad.number("--speed", in: 0.0...10.0) }
        }
    }

    @Test func choicesAreWords() throws {
        let found = try arguments(["a", "--speed", "up"])
        #expect(try found.choice("--speed", ["up": 1, "down": 2]) == 1)
        #expect(throws: UsageError.self) { try found.choice("--speed", ["left": 1]) }
    }

    @Test func everyCommandHasHelpAndNoOptionTwice() {
        // Key paths through metatypes crash the compiler of Swift 6.3, hence plain loops.
        var commands: Set<String> = []
        for command in Program.commands {
            let spec = command.spec
            let names = spec.allOptions.map(\.name)
            #expect(Set(names).count == names.count)
            let isHelpful = spec.help.contains("usage: sense-client \(spec.name)")
            #expect(isHelpful)
            let isNew = commands.insert(spec.name).inserted
            #expect(isNew)
        }
    }
}

@Suite struct OutputTests {
    @Test func linesAreJSON() {
        let line = JSONLine([
            "text": .text("a\"b\\c\n\u{1}é"), "number": .number(1.23456), "bad": .number(.nan), "none": .null,
            "count": .count(3 as UInt8), "list": .list([.flag(true), .integer(-1), .unsigned(.max)]),
        ])
        #expect(
            line.text
                == #"{"text":"a\"b\\c\n\u0001é","number":1.235,"bad":null,"none":null,"count":3,"list":[true,-1,18446744073709551615]}"#
        )
    }

    @Test(arguments: [
        (0, 2, "0.00"), (1.005, 1, "1.0"), (-0.04, 1, "0.0"), (-2.5, 1, "-2.5"), (12.345, 0, "12"),
        (0.05, 1, "0.1"),
    ])
    func decimals(value: Double, places: Int, text: String) {
        #expect(value.fixed(places) == text)
    }

    @Test func bars() {
        let style = TerminalStyle(isOn: false)
        #expect(style.bar(0.5, width: 4) == "██··")
        #expect(style.bar(.nan, width: 2) == "··")
        #expect(style.bar(7, width: 2) == "██")
        #expect(style.red("x") == "x")
        #expect("a\u{1b}[2Jb\n".printable == "a·[2Jb·")
    }

    @Test func percentiles() {
        var values = Percentiles()
        #expect(values.at(0.5) == nil)
        for value in 1...100 { values.add(Double(value)) }
        #expect(values.at(0.5) == 51)
        #expect(values.at(0.99) == 100)
    }

    @Test func timesOfPeople() throws {
        let now: UInt64 = 1_000_000_000_000_000
        #expect(CivilTime.text(unixUs: 1_709_210_096_000_000) == "2024-02-29 12:34:56Z")
        #expect(CivilTime.text(unixUs: 0) == "1970-01-01 00:00:00Z")
        #expect(
            try CivilTime.unixUs("2024-02-29T12:34:56", nowUnixUs: now, option: "--from")
                == 1_709_210_096_000_000)
        #expect(try CivilTime.unixUs("2h", nowUnixUs: now, option: "--from") == now - 7_200_000_000)
        #expect(try CivilTime.unixUs("12", nowUnixUs: now, option: "--from") == 12_000_000)
        for text in [
            "", "x", "2024-13-01", "2024-02-29T25:00", "9999999999999999999", "-1h", "2024-02-29T12:60",
        ] {
            #expect(throws: UsageError.self) { try CivilTime.unixUs(text, nowUnixUs: now, option: "--from") }
        }
    }
}
