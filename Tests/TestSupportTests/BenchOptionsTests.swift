import TestSupport
import Testing

struct BenchOptionsTests {
    private func read(_ arguments: String...) throws -> BenchOptions {
        try BenchOptions(
            ["bench"] + arguments, defaults: ["--seed": "1", "--json": ""], flags: ["--verbose"])
    }

    @Test func whatIsNotGivenHasItsDefault() throws {
        let options = try read("--verbose", "--seed", "7")
        #expect(try options.number("--seed") == 7)
        #expect(options["--json"].isEmpty && options.has("--verbose"))
        #expect(try read().number("--seed") == 1)
        #expect(try !read().has("--verbose"))
    }

    @Test(arguments: [["--sed", "7"], ["--seed"], ["7"]])
    func anUnknownNameOrAMissingValueIsNamed(_ arguments: [String]) {
        let problem = #expect(throws: BenchOptions.Problem.self) {
            try BenchOptions(["bench"] + arguments, defaults: ["--seed": "1"])
        }
        #expect(problem?.description.hasPrefix("\(arguments[0]): expected one of [\"--seed\"]") == true)
    }

    @Test func whatIsNoNumberIsNamed() {
        let problem = #expect(throws: BenchOptions.Problem.self) {
            try read("--seed", "-1").number("--seed", as: UInt64.self)
        }
        #expect(problem?.description == "--seed: expected a number (UInt64), got '-1'")
    }
}
