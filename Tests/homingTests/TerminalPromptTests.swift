import Foundation
import TestSupport
import Testing

@testable import homing

@Suite struct TerminalPromptTests {
    private struct Person {
        private let terminal: PseudoTerminal
        var keyboard: FileHandle { terminal.keyboard }
        var terminalPath: String { terminal.path }

        init() throws { terminal = try PseudoTerminal() }

        /// Returns the output up to and including `text`.
        func sees(_ text: String) throws -> String {
            var seen = ""
            while !seen.contains(text) { seen += String(decoding: keyboard.availableData, as: UTF8.self) }
            return seen
        }

        func types(_ text: String) throws { try keyboard.write(contentsOf: Data(text.utf8)) }
    }

    /// Types ‘secret’ at `question`, then ‘anna’ at a visible prompt. Returns the first answer and the output.
    ///
    /// - Parameter ask: also gets the terminal's path.
    private func answer(
        to question: String = "Password: ", _ ask: @escaping @Sendable (TerminalPrompt, String) throws -> String?
    ) async throws -> (answer: String?, shown: String) {
        let person = try Person()
        async let answer = Self.onThread {
            let prompt = try #require(TerminalPrompt(path: person.terminalPath))
            let answer = try ask(prompt, person.terminalPath)
            _ = try prompt.ask("Email: ")
            return answer
        }
        let shown = try await Self.onThread {
            var shown = try person.sees(question)
            try person.types("secret\n")
            shown += try person.sees("Email: ")
            try person.types("anna\n")
            return try shown + person.sees("anna")
        }
        return (try await answer, shown)
    }

    /// Runs blocking work on its own thread, so that other tests can continue.
    private static func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test func hidesPasswordAndRestoresTerminal() async throws {
        let (answer, shown) = try await answer { prompt, _ in try prompt.askHidden("Password: ") }
        #expect(answer == "secret")
        #expect(!shown.contains("secret"))  // the helper waits until ‘anna’ is shown
    }

    /// Standard input at a terminal is hidden as well, and ends with the line.
    @Test func hidesSecretFromStandardInputAtTerminal() async throws {
        let (answer, shown) = try await answer(to: "Refresh token: ") { prompt, path in
            let input = try #require(FileHandle(forReadingAtPath: path))
            return try PasswordSource.standardInput.secret("refresh token", terminal: prompt, input: input) { _ in }
        }
        #expect(answer == "secret")
        #expect(!shown.contains("secret"))
    }

    @Test func visiblePromptShowsAnswer() async throws {  // the control: a visible prompt shows the secret
        let (answer, shown) = try await answer { prompt, _ in try prompt.ask("Password: ") }
        #expect(answer == "secret")
        #expect(shown.contains("secret"))
    }

    @Test func withoutATerminalThereIsNoPrompt() {
        #expect(TerminalPrompt(path: "/nowhere/tty") == nil)
    }
}
