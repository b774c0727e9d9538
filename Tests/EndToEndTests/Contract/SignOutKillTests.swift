import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@testable import homing_torture

@Suite struct SignOutKillTests {
    private static let wal = "outbox.sqlite-wal"
    private static let told = "send:after:POST /api/mobile/auth/logout:1"
    private static let asked = "request:after:DELETE /v1/sessions:1"
    /// SQLite may write and sync a new header of the log before the first frame.
    private static let marked = "\(asked);write:after:\(wal):2"

    /// The sign-out begins once its marker is in place.
    @Test(
        "20: kill -9 before the marker changes nothing",
        arguments: ["\(asked);write:before:\(wal):1", "\(asked);write:after:\(wal):1"])
    func killBeforeTheMarkerChangesNothing(place: String) async throws {
        let station = try await killed(at: place)
        #expect(try await station.status().backends[0].session.state == "signedIn")
        #expect(try await station.entries("pending").count == 3)
        #expect(try await station.homing("resume").code == 0)
        try await station.event("delivered", count: 3)
        #expect(station.sandbox.ledger.requestCount("POST", path: "auth/logout") == 0)
        try await station.end(SIGTERM)
    }

    @Test(
        "20: after kill -9 past the marker, the next start completes the sign-out",
        arguments: [
            "\(marked);sync:before:\(wal):1", "\(marked);sync:after:\(wal):1", "send:before:POST /api/mobile/auth/logout:1", told,
            "\(told);receive:after:HTTP/1.1 200:1", "\(told);write:before:\(wal):1", "\(told);write:after:\(wal):5",
            "\(told);sync:before:\(wal):1", "\(told);sync:after:\(wal):1", "\(told);answer:before:HTTP/1.1 200:1",
        ])
    func nextStartFinishesSignOutAfterTheMarker(place: String) async throws {
        let station = try await killed(at: place)
        let end = try #require(try await station.event("signedOut"))
        #expect(end.detail["by"]?.hasPrefix("uid \(geteuid()), pid ") == true)
        #expect(try await station.status().backends[0].session.state == "signedOut")
        #expect(try await station.entries("discarded").count == 3)
        #expect(try await station.entries("pending").isEmpty)
        let receipts = try await station.client.call(Endpoints.receipts, ReceiptQuery()).receipts
        #expect(receipts.map(\.outcome) == ["discarded", "discarded", "discarded"])
        #expect(station.sandbox.ledger.entries.isEmpty)
        let calls = station.sandbox.ledger.requestCount("POST", path: "auth/logout")
        #expect(calls <= 1)
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "none")
        #expect(station.sandbox.ledger.requestCount("POST", path: "auth/logout") == calls)
        try await station.end(SIGTERM)
    }

    /// Until the server's failure is stored, the next start does not know of it and completes the sign-out.
    @Test(
        "20: kill -9 before a kept session is stored again signs out and loses nothing",
        arguments: ["\(told);receive:after:HTTP/1.1 500:1", "\(told);write:before:\(wal):1"])
    func killBeforeKeptSessionIsStoredSignsOut(place: String) async throws {
        let station = try await killed(at: place, Self.keeping)
        let end = try #require(try await station.event("signedOut"))
        #expect(end.detail["server"] == "unknown" && end.detail["discarded"] == nil, "\(end.detail)")
        #expect(try await station.status().backends[0].session.state == "signedOut")
        #expect(try await station.entries("pending").count == 3)
        try await station.login()
        #expect(try await station.homing("resume").code == 0)
        try await station.event("delivered", count: 3)
        #expect(station.sandbox.ledger.requestCount("POST", path: "auth/logout") == 1)
        try await station.end(SIGTERM)
    }

    @Test(
        "20: kill -9 after a kept session is stored again keeps it and reports the failure",
        arguments: ["\(told);sync:before:\(wal):1", "\(told);sync:after:\(wal):1"])
    func killAfterKeptSessionIsStoredKeepsIt(place: String) async throws {
        let station = try await killed(at: place, Self.keeping)
        #expect(try await station.status().backends[0].session.state == "signedIn")
        #expect(try await station.event("signOutFailed") != nil)
        #expect(try await station.entries("pending").count == 3)
        #expect(try await station.homing("resume").code == 0)
        try await station.event("delivered", count: 3)
        try await station.stillSignedIn()
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "ended")
        #expect(station.sandbox.ledger.requestCount("POST", path: "auth/logout") == 2)
        try await station.end(SIGTERM)
    }

    private static let dropping = ("on_failure: clear\n    owed: retry", "on_failure: clear\n    outbox: drop")
    private static let keeping = ("on_failure: clear\n    owed: retry", "on_failure: keep")

    /// Kills the daemon at `place` during a sign-out with three entries, and restarts it. If the profile keeps sessions, the server fails once.
    private func killed(at place: String, _ edit: (String, String) = dropping) async throws -> TestStation {
        let station = try await TestStation(.labLoop(), profile: "labloop", route: "appointment", edits: [edit])
        try await station.signedIn()
        if edit == Self.keeping { await station.sandbox.apply(Fault(.internalError, path: "auth/logout", count: 1)) }
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        for number in 1...3 { try await station.appointment(number) }
        try await station.end(SIGTERM)

        try await station.dies(at: place) {
            // The last commit of the start, so that the next one is the sign-out's.
            try await station.event("gateChanged", count: 2) { $0.detail["gate"] == "paused" }
        } during: {
            _ = try await station.client.call(Endpoints.signOut, SignOut())
        }
        try await station.start()
        return station
    }
}
