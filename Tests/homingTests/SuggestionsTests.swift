import ArgumentParser
import Testing

@testable import homing

/// Serialized, because the parser stores the shell in a global variable.
@Suite(.serialized) struct SuggestionsTests {
    @Test func findsSocketOnCommandLine() {
        #expect(Suggestions.socket(in: ["homing", "why", "--socket", "/a b", ""]) == "/a b")
        #expect(Suggestions.socket(in: ["homing", "--socket=/a=b", "why"]) == "/a=b")
        #expect(Suggestions.socket(in: ["homing", "why", "--socket"]).hasSuffix("homing.sock"))
    }

    @Test(arguments: [
        ["why", "--", "positional@0"], ["list", "--", "--backend"], ["retry", "--", "positional@0"], ["roster", "--", "positional@0"],
    ])
    func offersNothingSilentlyWithoutDaemon(what: [String]) async throws {
        let words = ["---completion"] + what + ["3", "0", "homing", "--socket", "/nowhere", ""]
        do {
            _ = try await Homing.asyncParseAsRoot(words)
            Issue.record("completions are told by an error")
        } catch {
            #expect(Homing.exitCode(for: error).isSuccess && Homing.fullMessage(for: error).isEmpty)
        }
    }

    @Test(arguments: [CompletionsCommand.Shell.bash, .zsh, .fish])
    func scriptsCompleteStatesBackendsAndIDs(shell: CompletionsCommand.Shell) {
        let script = Homing.completionScript(for: shell.completion)
        #expect(script.contains("inflight") && script.contains("---completion list") && script.contains("---completion why"))
    }
}
