import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Servers whose lists show rows late or on later pages.
@Suite struct LateListsTests {
    /// No lookup during the test may conclude that an entry is absent.
    private static let patientLooks = "first_delay: 0.05, lookup_after: 600, first_pause: 0.1"

    private func waitForLookup(of user: Int, at station: TestStation) async {
        await station.sandbox.ledger.waits { $0.requestCount("GET", path: "/users/\(user)/facial_measurements", status: 200) > 0 }
    }

    /// The responses for both accounts are lost. Each entry is found under its own account.
    @Test func lookupsFindEntriesUnderTheirOwnAccount() async throws {
        let station = try await TestStation(delivery: Self.patientLooks)
        try station.sandbox.change(["list-lag": 600_000])
        try await station.start()
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit"))

        try await station.login()
        for (user, id) in [(5, 1), (6, 2)] { try await station.submit(user: user, id: id) }
        for user in [5, 6] { await waitForLookup(of: user, at: station) }
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.login("other@lab.test")
        try await station.submit(user: 10, id: 3)
        await waitForLookup(of: 10, at: station)
        #expect(try await station.entries("delivered").isEmpty)

        station.sandbox.clearFaults()
        station.sandbox.clock.advance(by: .seconds(600))
        try await station.sync()
        let third = try await station.event("delivered")
        #expect(third?.entry == Samples.id(3).description && third?.detail["foundByLookup"] == "true")
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.login()
        try await station.sync()
        try await station.event("delivered", count: 3)

        let ledger = station.sandbox.ledger
        let owners = Dictionary(uniqueKeysWithValues: [(1, 1), (2, 1), (3, 2)].map { (Samples.id($0).description, $1) })
        #expect(ledger.entries.compactMap(\.clientMutationID).sorted() == owners.keys.sorted())
        #expect(ledger.misattributed(owners: owners) == [])
        #expect(ledger.mixed.isEmpty)
        // Every request with a session carries that of the last sign-in.
        var present: Int?
        for request in ledger.requests {
            if let email = request.signingIn { present = email == "other@lab.test" ? 2 : 1 }
            if let account = request.account { #expect(account == present, "\(request.method) \(request.path)") }
        }
        try await station.end(SIGTERM)
    }

    /// Many ids beyond 2^63 share one double. The row is on the last page.
    @Test(arguments: ["numbers", "large", "text"]) func lookupFindsEntryOnLaterPage(ids: String) async throws {
        let paged = ("      echo: /arkit\n", "      echo: /arkit\n      pages: {page: page, per_page: per_page, total: /total_count}\n")
        let directory = try TemporaryDirectory()
        let shipped = try String(contentsOfFile: "\(TestStation.project)/config/backends/breathesafe.yaml", encoding: .utf8)
        try directory.write(shipped.replacing(paged.0, with: paged.1), to: "breathesafe.yaml")
        let station = try await TestStation(
            .described(DescribedConfiguration(file: directory("breathesafe.yaml"))), profile: "breathesafe", route: "measurement",
            edits: [paged], delivery: Self.patientLooks)
        try station.sandbox.change(["page-size": 2, "ids": .string(ids)])
        try await station.start()
        try await station.login()
        for id in 1...4 { try await station.submit(id: id) }
        try await station.event("delivered", count: 4)
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 5)
        #expect(try await station.event("delivered", count: 5)?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.count == 5)
        #expect(station.sandbox.ledger.requestCount("GET", path: "facial_measurements", status: 200) == 3)
        let receipts = try await station.client.call(Endpoints.receipts, ReceiptQuery()).receipts
        #expect(Set(receipts.compactMap(\.remoteID)).count == 5)
        try await station.end(SIGTERM)
    }
}
