import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport
import Testing

/// A list is shown only while the account that read it is signed in.
@Suite struct RosterSessionTests {
    /// From now on, rows can only come from the store.
    private static let noLists = Fault(.internalError, path: "managed_users")

    /// Signed in as the manager, with the list.
    private func station() async throws -> TestStation {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        #expect(try await station.people().rows.count == 3)
        await station.sandbox.apply(Self.noLists)
        return station
    }

    private func expectHidden(_ station: TestStation, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let problem = await #expect(throws: Problem.self, sourceLocation: sourceLocation) { try await station.people() }
        #expect(problem?.code == .signInRequired && problem?.status == 409, sourceLocation: sourceLocation)
    }

    @Test func signOutDeletesTheList() async throws {
        let station = try await station()
        let out = try await station.homing("logout", "--yes")
        #expect(out.code == 0 && out.text.contains("lists of people and fit tests were deleted"), "\(out.text)")
        try await expectHidden(station)
        let shown = try await station.homing("people")
        #expect(shown.code == 5 && shown.text.contains("homing login") && !shown.text.contains("Anna"), "\(shown.text)")

        try await station.login()
        let page = try await station.people()
        #expect(page.rows.isEmpty && page.roster.state == "unread" && page.roster.readAt == nil)
        station.sandbox.clearFaults()
        #expect(try await station.refreshedPeople().total == 3)
        try await station.end(SIGTERM)
    }

    @Test func keptListIsHiddenUntilItsAccountReturns() async throws {
        let station = try await station()
        let report = try await station.client.call(Endpoints.signOut, SignOut(keepData: true))
        #expect(report.dataKept == true)
        try await expectHidden(station)

        station.sandbox.clearFaults()
        try await station.login("other@lab.test")
        try await station.event("rosterChanged", count: 2)
        #expect(try await station.people().rows.map(\.label) == ["Bob Other"])
        _ = try await station.client.call(Endpoints.signOut, SignOut())
        await station.sandbox.apply(Self.noLists)

        try await station.end(SIGTERM)
        try await station.start()
        try await expectHidden(station)
        try await station.login()
        #expect(try await station.people().rows.map(\.label) == ["Anna Example", "Eve Lab", "Zoë Quiroga"])
        try await station.end(SIGTERM)
    }

    @Test func endedSessionHidesTheListAndItsAccountSeesItAgain() async throws {
        let station = try await station()
        station.sandbox.clearFaults()
        station.sandbox.expireSessions(rememberTokens: true)
        // `try?`: the read ends the session, and its answer may say so.
        _ = try? await station.refreshPeople()
        try await station.event("signInRequired")
        try await expectHidden(station)
        await station.sandbox.apply(Self.noLists)
        try await station.login()
        #expect(try await station.people().rows.count == 3)
        try await station.end(SIGTERM)
    }

    @Test func anotherAccountAfterEndedSessionDeletesTheList() async throws {
        let station = try await station()
        station.sandbox.clearFaults()
        station.sandbox.expireSessions(rememberTokens: true)
        // `try?`: the read ends the session, and its answer may say so.
        _ = try? await station.refreshPeople()
        try await station.event("signInRequired")
        await station.sandbox.apply(Self.noLists)
        try await station.login("other@lab.test")
        #expect(try await station.people().rows.isEmpty)
        _ = try await station.client.call(Endpoints.signOut, SignOut())
        try await station.login()
        #expect(try await station.people().roster.state == "unread")
        try await station.end(SIGTERM)
    }
}
