import ArgumentParser
import ControlAPI
import Testing

@testable import homing

@Suite struct SuggestionsTests {
    @Test func findsSocketOnCommandLine() {
        #expect(Suggestions.socket(in: ["homing", "why", "--socket", "/a b", ""]) == "/a b")
        #expect(Suggestions.socket(in: ["homing", "--socket=/a=b", "why"]) == "/a=b")
        #expect(Suggestions.socket(in: ["homing", "why", "--socket"]).hasSuffix("homing.sock"))
    }

    @Test(arguments: [
        ["why", "--", "positional@0"], ["list", "--", "--backend"], ["retry", "--", "positional@0"], ["roster", "--", "positional@0"],
        ["submit", "--", "--user"], ["roster", "--", "positional@2"], ["undo", "--", "positional@0"], ["fix", "--", "--user"],
        ["discard", "--", "--user"], ["roster", "--", "--set"], ["resolve", "--", "positional@0"],
    ])
    func offersNothingSilentlyWithoutDaemon(what: [String]) async throws {
        let words = ["---completion"] + what + ["3", "0", "homing", "--socket", "/nowhere", ""]
        do {
            _ = try await Homing.asyncParseAsRoot(words)
            Issue.record("completions are told by an error")
        } catch {
            // For zsh, the parser answers a space in place of nothing; the last script of any test sets the shell.
            #expect(Homing.exitCode(for: error).isSuccess && Homing.fullMessage(for: error).allSatisfy(\.isWhitespace))
        }
    }

    @Test(arguments: [CompletionsCommand.Shell.bash, .zsh, .fish])
    func scriptsCompleteStatesBackendsAndIDs(shell: CompletionsCommand.Shell) {
        let script = CompletionScript.text(for: shell)
        #expect(script.contains("inflight") && script.contains("---completion list") && script.contains("---completion why"))
        #expect(script.contains("---completion submit") && script.contains("---completion undo") && script.contains("---completion fix"))
    }

    @Test(
        arguments: [
            (.bash, [#"Anna\ Example"#, #"Edit\ Me"#, #"Eve\ \$\(reboot\)\:\`x\`"#, "7"]),
            (.zsh, ["Anna Example:28", "Edit Me:26, 30", #"Eve $(reboot)\:`x`:31"#, "7:12"]),
            (.fish, ["Anna Example\t28", "Edit Me\t26, 30", "Eve $(reboot):`x`\t31", "7\t12"]),
            (nil, ["Anna Example", "Edit Me", "Eve $(reboot):`x`", "7"]),
        ] as [(CompletionShell?, [String])])
    func offersEachNameOnceSoThatNoShellRunsIt(shell: CompletionShell?, words: [String]) {
        let rows = [("28", "Anna Example"), ("26", "Edit Me"), ("30", "Edit Me"), ("31", "Eve $(reboot):`x`"), ("7", "12")]
        #expect(Suggestions.names(of: rows.map { RosterRow(id: $0.0, label: $0.1, values: [:]) }, for: shell) == words)
    }

    @Test func offersNewPeopleByNameOrShortReference() {
        let rows = [("@\(Sample.id(9))", "Nora New"), ("@\(Sample.id(8))", "Edit Me"), ("26", "Edit Me")]
        let names = rows.map { RosterRow(id: $0.0, label: $0.1, values: [:]) }
        #expect(Suggestions.names(of: names, for: nil) == ["Nora New", "Edit Me"])
        #expect(Suggestions.names(of: names, for: .fish).first == "Nora New\t@3f2a91c04b09")
    }

    @Test func onlyDoubtfulEntriesCanBeResolved() {
        var uncertain = Sample.entry(1)
        uncertain.uncertain = true
        #expect(uncertain.isDoubtful && Sample.entry(2, "held", hold: "unknownOutcome").isDoubtful)
        var delivered = Sample.entry(3, "delivered")
        delivered.uncertain = true
        let others = [delivered, Sample.entry(4, "held", hold: "discarding"), Sample.entry(5, "dead"), Sample.entry(6)]
        #expect(!others.contains { $0.isDoubtful })
    }

    /// Anyone may name a dropped file.
    @Test func fileNamesRunNoCommand() {
        #expect(Suggestions.escaped("a $(b);c.json", for: .bash) == #"a\ \$\(b\)\;c\.json"#)
        #expect(Suggestions.escaped(#"a:b\c"#, for: .zsh) == #"a\:b\\c"#)
        #expect(Suggestions.escaped("a b", for: .fish) == "a b")
    }

    @Test func offersTheMembersOfTheForm() {
        var actions = RosterActions(add: "a", change: "b", delete: "c", form: ["first_name", "last_name"])
        #expect(Suggestions.assignments(for: .edit, actions) == ["first_name=", "last_name="])
        #expect(Suggestions.assignments(for: .add, actions) == ["first_name=", "last_name="])
        actions.fields = ["title"]
        #expect(Suggestions.assignments(for: .add, actions) == ["title="])
        #expect(Suggestions.assignments(for: .delete, actions).isEmpty && Suggestions.assignments(for: .add, nil).isEmpty)
    }
}
