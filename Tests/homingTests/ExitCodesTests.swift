import ArgumentParser
import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct ExitCodesTests {
    @Test(arguments: [
        ("invalid-request", 2), ("daemon-not-running", 3), ("not-permitted", 4), ("sign-in-required", 5), ("sign-in-refused", 5),
        ("timeout", 7), ("not-found", 1), ("wrong-state", 1), ("storage-failed", 1), ("backend-unreachable", 1), ("from-the-future", 1),
    ])
    func everyProblemHasItsCode(code: String, expected: Int32) {
        let problem = Problem(Problem.Code(code), status: 500, title: "", detail: "")
        #expect(ExitCode(for: problem).rawValue == expected)
    }

    @Test(
        arguments: [
            ([], 0), (["sign-in-required"], 5), (["sign-in-required", "sign-in-required"], 5), (["dead"], 6),
            (["sign-in-required", "dead"], 6),
            (["other-account"], 6),
        ] as [([String], Int32)])
    func statusExitCodeReflectsAttention(codes: [String], expected: Int32) {
        let attention = codes.map { Attention(code: $0, text: "", next: "") }
        #expect(ExitCode(for: attention).rawValue == expected)
    }

    /// Only a sign-in has a code of its own.
    @Test(arguments: Attention.Code.allCases) func everyNoticeHasItsExitCode(code: Attention.Code) {
        #expect(ExitCode(for: [Attention(code, "", next: "")]).rawValue == (code == .signInRequired ? 5 : 6))
    }

    @Test(
        arguments: [
            ([], 0), (["--help"], 0), (["--version"], 0), (["status", "--help"], 0), (["dance"], 2),
            (["stauts", "--json"], 2), (["--json", "list"], 2), (["show"], 2),
            (["list", "--state", "gone"], 2), (["status", "--socket", "/nowhere/homing.sock"], 3),
            (["status", "--socket", "/nowhere/homing.sock", "--json"], 3), (["version", "--socket", "/nowhere/homing.sock"], 0),
            (["show", "?", "--socket", "/nowhere/homing.sock"], 2),
            (["check", "--socket", "/nowhere/homing.sock"], 2), (["check", "--json", "--socket", "/nowhere/homing.sock"], 2),
            (["check", "--warning-age", "x"], 3),
            (["check", "--help"], 0), (["doctor", "--socket", "/nowhere/homing.sock"], 1),
            (["bugreport", "--socket", "/nowhere/homing.sock"], 2),
            (["bugreport", "--output", "-", "--socket", "/nowhere/homing.sock"], 0),
        ] as [([String], Int32)])
    func programExitsWithDocumentedCode(arguments: [String], expected: Int32) async {
        let console = Console(
            inputIsTerminal: false, outputIsTerminal: false, errorIsTerminal: false, style: .plain, errorStyle: .plain)
        #expect(await Homing.run(arguments, on: console, environment: [:]).rawValue == expected)
    }

    @Test func commandUsesTheGivenEnvironment() async {
        let console = Console(
            inputIsTerminal: false, outputIsTerminal: false, errorIsTerminal: false, style: .plain, errorStyle: .plain)
        #expect(await Homing.run(["status"], on: console, environment: ["HOMING_SOCKET": "/nowhere/homing.sock"]).rawValue == 3)
    }

    @Test func confirmationWithoutTerminalRequiresYes() throws {
        func console(terminal: Bool) -> Console {
            Console(inputIsTerminal: terminal, outputIsTerminal: false, errorIsTerminal: false, style: .plain, errorStyle: .plain)
        }
        #expect(try Confirmation(console: console(terminal: true), skipped: false).isNeeded)
        #expect(try !Confirmation(console: console(terminal: false), skipped: true).isNeeded)
        let problem = #expect(throws: Problem.self) { try Confirmation(console: console(terminal: false), skipped: false).isNeeded }
        #expect(problem?.code == .invalidRequest && problem?.next == "To confirm, add --yes.")
    }
}
