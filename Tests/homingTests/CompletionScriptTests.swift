import Foundation
import TestSupport
import Testing

@testable import homing

/// Names of lists complete as commands.
@Suite struct CompletionScriptTests {
    /// In place of `homing`: its answers to the script.
    private static let program = #"""
        homing() {
            case "$2 $4" in
            "roster positional@0") printf 'people\n' ;;
            "roster positional@2") printf 'Ben\\ Sample\n' ;;
            "roster --set") printf 'first_name=\nlast_name=\n' ;;
            esac
        }
        """#

    /// What bash offers at the end of the line; it then escapes spaces itself.
    private func offered(_ line: String) async throws -> [String] {
        let words = line.components(separatedBy: " ").map { "'\($0)'" }
        let bash = Process()
        bash.executableURL = URL(fileURLWithPath: "/bin/bash")
        bash.arguments = ["--norc", "-s"]
        let script = """
            \(CompletionScript.text(for: .bash))
            \(Self.program)
            COMP_LINE='\(line)'
            COMP_POINT=${#COMP_LINE}
            COMP_WORDS=(\(words.joined(separator: " ")))
            COMP_CWORD=\(words.count - 1)
            COMPREPLY=()
            _homing homing "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try await bash.ended(input: script).text.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        ("homing pe", ["people"]), ("homing people ", ["add", "edit", "delete"]), ("homing people delete ", ["Ben Sample"]),
        ("homing people edit Ben", ["Ben Sample"]), ("homing roster people delete ", ["Ben Sample"]),
        ("homing people add --fi", ["--find", "--first-name"]), ("homing roster people edit x --last", ["--last-name"]),
        ("homing people add --first-name Anna --la", ["--last-name"]), ("homing people --fi", ["--find"]),
        ("homing stat", ["status", "stats"]),
        ("homing check --warning-a", ["--warning-age"]),
    ]) func shortFormsCompleteInBash(line: String, words: [String]) async throws {
        #expect(try await offered(line) == words)
    }

    @Test(arguments: CompletionsCommand.Shell.allCases) func everyScriptAsksForTheLists(shell: CompletionsCommand.Shell) {
        let script = CompletionScript.text(for: shell)
        #expect(script.contains("__homing_commands") && script.contains("completions version doctor check bugreport help"))
        guard shell != .fish else { return }
        for function in ["_homing", "_homing_words"] { #expect(script.components(separatedBy: "\n\(function)() {\n").count == 2) }
    }

    /// The file is the function that zsh loads: it must end with the call.
    @Test func scriptOfZshEndsWithItsCall() throws {
        let script = CompletionScript.text(for: .zsh)
        let call = try #require(script.range(of: "if [[ \"${funcstack[1]}\""))
        #expect(try #require(script.range(of: "\n_homing() {")).upperBound < call.lowerBound)
    }

    @Test func optionOfTheParserPrintsTheSameScript() {
        #expect(CompletionScript.command(["--generate-completion-script", "zsh"]) == ["completions", "zsh"])
        #expect(CompletionScript.command(["status"]) == ["status"])
    }
}
