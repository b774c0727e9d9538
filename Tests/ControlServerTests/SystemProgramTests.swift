import ControlAPI
import Testing

@Suite(.timeLimit(.minutes(10))) struct SystemProgramTests {
    @Test func reportsExitCodeAndOutput() async {
        let outcome = await SystemProgram.run("/bin/sh", ["-c", "echo one; echo two >&2; exit 3"], within: .seconds(500))
        #expect(outcome == SystemProgram.Outcome(code: 3, text: "one\n"))
    }

    @Test func programWithoutInputSeesItsEnd() async {
        #expect(await SystemProgram.run("/bin/cat", [], within: .seconds(500)) == SystemProgram.Outcome(code: 0, text: ""))
    }

    @Test func missingProgramHasNoOutcome() async {
        #expect(await SystemProgram.run("/nowhere/program", []) == nil)
    }

    @Test func endlessProgramIsEnded() async {
        #expect(await SystemProgram.run("/bin/sleep", ["1000"], within: .milliseconds(20)) == nil)
    }
}
