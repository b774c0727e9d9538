import ArgumentParser
import ControlAPI
import Testing

@testable import homing

@Suite struct ContextTests {
    private func context(_ lists: RosterList?) throws -> Context {
        let console = Console(inputIsTerminal: false, outputIsTerminal: false, errorIsTerminal: false, style: .plain, errorStyle: .plain)
        return Context(try GlobalOptions.parse(["--socket", "/nowhere/homing.sock"]), console: console, environment: [:], lists: lists)
    }

    /// `homing people` has read them to recognise the command.
    @Test func asksOnceForTheLists() async throws {
        let lists = RosterList(rosters: [Sample.roster()])
        #expect(try await context(lists).lists(of: nil) == lists)
        await #expect(throws: Problem.self) { try await context(nil).lists(of: nil) }
        await #expect(throws: Problem.self) { try await context(lists).lists(of: "breathesafe") }
    }
}
