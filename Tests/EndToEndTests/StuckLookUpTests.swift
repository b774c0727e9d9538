import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// The outcome of the entry stays unknown.
@Suite struct StuckLookUpTests {
    /// The server answers with an error, and the look-ups do not find the capture yet.
    @Test func doubtfulCaptureIsExplainedWithoutADiscard() async throws {
        let station = try await TestStation(delivery: "first_delay: 0.05, lookup_after: 600, first_pause: 0.1")
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.internalError, path: "facial_measurements_from_arkit", count: 1))
        for number in 1...2 { try await station.submit(user: 5, id: number) }
        // After 1, 3 and 10 seconds; the next one is 10 minutes later.
        let look = try await station.event("released", count: 3) { $0.detail["reason"] == "lostAnswer" }
        let why = try await station.homing("why", Samples.id(1).description)
        #expect(why.text.hasPrefix("breathesafe answered with status 500, so it is not known"), "\(why.text)")
        #expect(why.text.contains(" Homing looks the entry up at ") && !why.text.contains("discard"), "\(why.text)")
        let next = try #require(try await station.status().backends.first?.nextTry)
        #expect(next > Date(timeIntervalSinceNow: 60))
        let sync = try await station.homing("sync")
        #expect(sync.text.contains("Homing looks that up first") && !sync.text.contains("Sending has started"), "\(sync.text)")
        try await station.event("released", since: try #require(look).cursor) { $0.detail["reason"] == "lostAnswer" }
        #expect(station.sandbox.ledger.entries.isEmpty)
        try await station.end(SIGTERM)
    }

    /// The server forgot the measurement with the person, so only a person can say what became of it.
    @Test func captureOfAPersonRemovedOnTheServerIsResolvedAndFixed() async throws {
        let station = try await TestStation.people(delivery: "first_delay: 0.05, lookup_after: 0.05, first_pause: 0.1")
        try await station.signedIn()
        try await station.event("rosterChanged")
        try station.sandbox.removePerson(5)
        await station.sandbox.apply(Fault(.internalError, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(user: 5, id: 1)
        try await until { try await station.status().backends.first?.queue.unseen == 1 }
        let id = Samples.id(1).description
        var why = ""
        // The next look-up may be on its way.
        try await until {
            why = try await station.homing("why", id).text
            return !why.contains("is being sent")
        }
        #expect(why.contains("as if the person no longer existed (404)"), "\(why)")
        let short = EntryName.short(id)
        #expect(why.contains("homing resolve \(short) --not-delivered"), "\(why)")
        #expect(why.contains("homing fix \(short) --user USER") && !why.contains("administrator"), "\(why)")
        #expect(station.sandbox.ledger.requestCount("POST", path: "facial_measurements_from_arkit") == 1)

        // Refused only during a look-up, and while the refused send that follows is in flight.
        try await until { try await station.homing("resolve", id, "--not-delivered").code == 0 }
        try await until { try await station.homing("fix", id, "--user", "7").code == 0 }
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.map(\.user) == [7])
        try await station.end(SIGTERM)
    }

    @Test func failingLookupNeedsAttentionAndSyncRetriesIt() async throws {
        let station = try await TestStation(
            delivery: "first_delay: 0.05, lookup_after: 0.05, first_pause: 0.1, longest_delay: 600, delay_factor: 10")
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit", count: 1))
        var blind = Fault(.internalError, path: "users/5/facial_measurements")
        blind.method = "GET"
        await station.sandbox.apply(blind)
        try await station.submit(user: 5, id: 1)
        try await station.submit(user: 5, id: 2)
        try await until { try await station.status().backends.first?.queue.unseen == 1 }
        // A fit test gets the newest measurement, so the second one must not go first.
        #expect(try await station.status().backends.first?.queue.blocked == 1)

        let status = try await station.homing("status")
        #expect(status.code == 6, "\(status.text)")
        #expect(try await station.status().attention.contains { $0.code == "look-up-failing" })
        let check = try await station.homing("check")
        #expect(check.code == 1 && check.text.hasPrefix("HOMING WARNING - "), "\(check.text)")
        let why = try await station.homing("why", Samples.id(1).description)
        #expect(why.text.hasPrefix("This measurement") && !why.text.contains("user_id"), "\(why.text)")
        #expect(why.text.contains(" may already have taken effect at breathesafe"), "\(why.text)")
        #expect(why.text.contains("run: homing sync"), "\(why.text)")
        station.sandbox.clearFaults()
        try await station.homing("sync")
        #expect(try await station.event("delivered") { $0.entry == Samples.id(1).description }?.detail["foundByLookup"] == "true")
        try await station.event("delivered", count: 2)
        #expect(station.sandbox.ledger.entries.map(\.clientMutationID) == [1, 2].map { Samples.id($0).description })
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }
}
