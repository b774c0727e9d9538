import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport
import Testing

/// Kills the daemon in a read and in a sign-out. The next run has no list from the server.
@Suite struct RosterKillTests {
    private static let wal = "outbox.sqlite-wal"
    private static let asked = "request:after:DELETE /v1/sessions:1"
    private static let told = "send:after:DELETE /users/log_out:1"
    private static let lastPage = "send:after:GET /managed_users:3"

    private func kill(
        _ station: TestStation, at place: String, whileOffline isOffline: Bool, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await station.dies(at: place, during: work)
        if isOffline { await station.sandbox.down() }
        try await station.start()
    }

    /// The list has 25 rows a page, so each read asks for three pages.
    @Test func killedReadLeavesOldOrNewListWhole() async throws {
        let station = try await TestStation.people()
        try station.sandbox.change(["people": 60, "ignore-per-page": true])
        try await station.signedIn()
        try await station.event("rosterChanged")
        try await station.end(SIGTERM)
        let writes = ["write:before", "write:after", "sync:before", "sync:after"].map { "\(Self.lastPage);\($0):\(Self.wal):1" }
        var present = 60
        for (number, place) in ((1...3).map { "send:after:GET /managed_users:\($0)" } + writes).enumerated() {
            let next = 61 + number
            try station.sandbox.change(["people": .int(next)])
            try await kill(station, at: place, whileOffline: true) { _ = try await station.refreshedPeople() }
            let page = try await station.people()
            #expect(page.roster.state == "complete" && page.roster.total == page.rows.count, "\(place)")
            #expect([present, next].contains(page.rows.count), "\(place)")
            #expect(Set(page.rows.map(\.id)).count == page.rows.count, "\(place)")
            present = page.rows.count
            try await station.end(SIGTERM)
            try await station.sandbox.up()
        }
    }

    @Test(arguments: [
        "\(asked);write:before:\(wal):1", "\(asked);write:after:\(wal):2", "\(asked);sync:before:\(wal):1", "\(asked);sync:after:\(wal):1",
        "send:before:DELETE /users/log_out:1", told, "\(told);write:before:\(wal):1", "\(told);sync:before:\(wal):1",
        "\(told);sync:after:\(wal):1",
    ])
    func killedSignOutKeepsTheListWithTheSession(place: String) async throws {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        try await station.end(SIGTERM)
        await station.sandbox.apply(Fault(.internalError, path: "managed_users"))
        try await kill(station, at: place, whileOffline: false) { _ = try await station.client.call(Endpoints.signOut, SignOut()) }
        try await until { try await station.status().backends[0].session.state != "signingOut" }
        if try await station.status().backends[0].session.state == "signedIn" {
            #expect(try await station.people().rows.count == 3)
        } else {
            await #expect(throws: Problem.self) { try await station.people() }
            try await station.login()
            let page = try await station.people()
            #expect(page.rows.isEmpty && page.roster.state == "unread")
        }
        try await station.end(SIGTERM)
    }
}
