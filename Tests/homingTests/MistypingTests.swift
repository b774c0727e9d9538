import ArgumentParser
import ControlAPI
import Testing

@testable import homing

@Suite struct MistypingTests {
    private func problem(_ line: String) -> Problem? {
        Mistyping(lists: ["people", "Tasks"]).problem(in: line.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        ("stauts", "‘homing stats’ or ‘homing status’"), ("Status", "‘homing status’"), ("Stats", "‘homing stats’"),
        ("stattus --json", "‘homing status’"), ("lst", "‘homing list’"),
        ("logn", "‘homing login’"), ("peple", "‘homing people’"), ("task", "‘homing tasks’"),
        ("rec", "‘homing receipt’ or ‘homing receipts’"), ("completion", "‘homing completions’"),
        ("recieptz", "‘homing receipt’ or ‘homing receipts’"),
    ])
    func suggestsSimilarCommands(line: String, commands: String) {
        #expect(problem(line)?.detail == "There is no command ‘\(line.prefix { $0 != " " })’.")
        #expect(problem(line)?.next == "Did you mean \(commands)?" && problem(line)?.code == .invalidRequest)
    }

    @Test(arguments: ["dance", "x", "tidyingup"]) func unlikeWordLeadsToTheListOfCommands(word: String) {
        #expect(problem(word)?.next == "To see the commands, run: homing --help")
    }

    @Test(arguments: [
        ("--json list", "homing list --json"), ("--socket /x events --follow", "homing events --socket '/x' --follow"),
        ("-y discard 3", "homing discard -y 3"), ("--find anna people", "homing people --find anna"),
    ])
    func optionBeforeTheCommandIsExplained(line: String, right: String) {
        #expect(problem(line)?.next == "Options come after the command: \(right)")
    }

    @Test func optionWithOneHyphenIsExplained() {
        #expect(problem("list -json")?.detail == "There is no option ‘-json’.")
        #expect(problem("list -json")?.next == "Did you mean ‘--json’?")
        #expect(problem("list -limit=5")?.next == "Did you mean ‘--limit=5’?")
    }

    @Test(arguments: ["", "list --limit 0", "list -x", "list -all", "discard -y", "help stauts", "--hepl", "list -- -json"])
    func otherMistakesAreLeftToTheParser(line: String) { #expect(problem(line) == nil) }

    /// The parser itself makes this suggestion.
    @Test func mistypedOptionIsSuggested() async throws {
        let error = await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot(["list", "--stat", "dead"]) }
        #expect(Homing.message(for: try #require(error)).contains("Did you mean '--state'?"))
    }
}
