import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct BulkCommandTests {
    private static let path = "facial_measurements_from_arkit"

    /// Five measurements that took effect but lost their responses. They are held: the profile forbids a second send and has no lookup.
    private func fiveHeld() async throws -> (station: TestStation, profile: String) {
        let station = try await TestStation()
        let file = station.directory("backends/breathesafe.yaml")
        let profile = try String(contentsOfFile: file, encoding: .utf8)
        try station.directory.write(try Self.withoutLookup(profile), to: "backends/breathesafe.yaml")
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.commitThenCut, path: Self.path, count: 5))
        for number in 1...5 {
            try await station.submit(user: 4 + number, id: number)
            try await station.event("held", count: number)
        }
        #expect(station.sandbox.ledger.entries.count == 5)
        #expect(try await station.entries("held").allSatisfy { $0.holdReason == "unknownOutcome" && $0.uncertain })
        return (station, profile)
    }

    private static func withoutLookup(_ profile: String) throws -> String {
        let marker = "    marker: /arkit_data/client_mutation_id\n"
        #expect(profile.contains(marker))
        return profile.replacing(marker, with: marker + "    delivery: at-most-once\n")
            .replacing(try Regex("    find:\\n(      .*\\n)+"), with: "", maxReplacements: 1)
    }

    private func restoreProfile(_ profile: String, _ station: TestStation) async throws {
        try station.directory.write(profile, to: "backends/breathesafe.yaml")
        try station.reload()
        while try await station.event("reloaded") == nil {}
    }

    @Test func retryAllLooksUpEntriesBeforeSending() async throws {
        let (station, profile) = try await fiveHeld()
        try await restoreProfile(profile, station)
        let retried = try await station.homing("retry", "--all", "--state", "held")
        #expect(retried.code == 0, "\(retried.text)")
        #expect(retried.text.contains("They may already have taken effect. Homing looks them up"), "\(retried.text)")
        try await station.event("delivered", count: 5)
        #expect(station.sandbox.ledger.entries.count == 5)
        #expect(station.sandbox.ledger.requestCount("POST", path: Self.path) == 5)
        #expect(try await station.client.call(Endpoints.receipts, ReceiptQuery()).receipts.allSatisfy(\.foundByLookup))
        try await station.end(SIGTERM)
    }

    @Test func retryAllSkipsEntriesThatCannotBeLookedUp() async throws {
        let (station, _) = try await fiveHeld()
        let retried = try await station.homing("retry", "--all", "--state", "held")
        #expect(retried.code == 0, "\(retried.text)")
        #expect(retried.text.contains("5 entries were skipped: they may already have taken effect"), "\(retried.text)")
        #expect(try await station.entries("held").count == 5)
        try await station.end(SIGTERM)
        #expect(station.sandbox.ledger.entries.count == 5)
    }

    /// The negative control: retrying without a lookup creates duplicates, and the command warns about it.
    @Test func retryAllWithoutLookupWarnsAndCreatesDuplicates() async throws {
        let (station, _) = try await fiveHeld()
        let refused = try await station.homing("retry", "--all", "--state", "held", "--without-looking")
        #expect(refused.code == 2 && refused.text.contains("--yes"), "\(refused.text)")
        #expect(station.sandbox.ledger.entries.count == 5)
        let retried = try await station.homing("retry", "--all", "--state", "held", "--without-looking", "--yes")
        #expect(retried.code == 0, "\(retried.text)")
        #expect(
            retried.text.contains(
                "5 entries may already have taken effect at breathesafe. If sent without a look-up, each may exist there twice."))
        try await station.event("delivered", count: 5)
        #expect(station.sandbox.ledger.entries.count == 10)
        try await station.end(SIGTERM)
    }

    @Test func discardedEntriesAreNotSent() async throws {
        let (station, profile) = try await fiveHeld()
        try await restoreProfile(profile, station)
        let ids = try await station.entries("held").map(\.id)
        let discarded = try await station.homing(["discard"] + ids + ["--now", "--yes"])
        #expect(discarded.code == 0, "\(discarded.text)")
        try await station.sync()
        try await station.submit(user: 5, id: 6)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 6)
        #expect(try await station.entries("discarded").count == 5)
        try await station.end(SIGTERM)
    }

    /// After the first failure, an entry waits until the test asks for a sync.
    private static let longPauses = "first_pause: 600, longest_pause: 600"

    @Test func resubmittingADiscardedEntryIsRefused() async throws {
        let station = try await TestStation(delivery: Self.longPauses)
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        try await station.submit(id: 1)
        try await station.event("released")
        #expect(try await station.homing("discard", Samples.id(1).description, "--now", "--yes").code == 0)
        let problem = try #require(await #expect(throws: Problem.self) { try await station.submit(id: 1) })
        #expect(problem.status == 409 && problem.code == .discarded)
        #expect(problem.detail.contains("was discarded by ") && problem.detail.contains("will not be sent"), "\(problem.detail)")
        try station.directory.write(String(decoding: TestStation.measurement(1), as: UTF8.self), to: "again.json")
        let id = Samples.id(1).description
        let again = try await station.homing("submit", station.directory("again.json"), "--user", "5", "--id", id)
        #expect(again.code == 1 && again.text.contains("submit it under a new id"), "\(again.text)")
        try await station.sandbox.up()
        try await station.submit(id: 2)
        try await station.sync()
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.map(\.clientMutationID) == [Samples.id(2).description])
        try await station.end(SIGTERM)
    }

    /// A file dropped again is a new capture.
    @Test func droppingAFileAgainAfterADiscardSendsItOnce() async throws {
        let station = try await TestStation(delivery: Self.longPauses)
        try await station.start()
        try await station.login()
        func drop() throws { try station.drop(TestStation.measurement(1), as: "a.json") }
        await station.sandbox.down()
        try drop()
        let first = try #require(try await station.event("captured")?.entry)
        try await station.event("released")
        #expect(try await station.homing("discard", first, "--now", "--yes").code == 0)
        try drop()
        let second = try #require(try await station.event("captured", count: 2)?.entry)
        #expect(second != first)
        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func submissionReturnsDigestWithoutStoringIt() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        let receipt = try await station.submit(id: 1)
        let digest = LedgerEntry.digest(of: Array(TestStation.measurement(1)))
        #expect(receipt.sha256 == digest)
        #expect(try await station.submit(id: 1).sha256 == digest)
        try await station.event("delivered")
        for arguments in [["receipts", "--json"], ["receipt", receipt.id, "--json"], ["events", "--since", "0", "--json"]] {
            #expect(!(try await station.homing(arguments).text.contains(digest)))
        }
        try await station.end(SIGTERM)
    }
}
