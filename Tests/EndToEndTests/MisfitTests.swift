import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct MisfitTests {
    private static let count = 40

    private func stationWithWaitingEntries() async throws -> (station: TestStation, profile: String) {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...Self.count { try await station.submit(user: 5 + number % 5, id: number) }
        return (station, try String(contentsOfFile: station.directory("backends/breathesafe.yaml"), encoding: .utf8))
    }

    private func check(_ station: TestStation) async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["check", "--config", station.directory("homing.yaml")]
        return try await process.ended()
    }

    @Test(arguments: [
        ("\n  measurement:\n", "\n  scan:\n", "The backend \"breathesafe\" has no route \"measurement\"."),
        ("{arkit_data: \"{item.payload}\"}", "{arkit_data: \"{item.payload}\", room: \"{item.room}\"}", "The route \"measurement\" needs"),
    ])
    func entriesAreHeldUntilTheProfileFitsAgain(old: String, new: String, words: String) async throws {
        let (station, profile) = try await stationWithWaitingEntries()
        #expect(try await check(station).text.contains("cannot send") == false)
        #expect(profile.contains(old))
        try station.directory.write(profile.replacing(old, with: new), to: "backends/breathesafe.yaml")
        try station.directory.write(
            "state_directory: state\nsocket: homing.sock\nspool: {enabled: false}\ndelivery: {\(TestStation.shortPauses)}\n",
            to: "homing.yaml")
        let told = try await check(station)
        #expect(told.code == 0, "\(told.text)")
        #expect(told.text.contains("40 entries of the route \"measurement\" at breathesafe: \(words)"), "\(told.text)")

        try station.reload()
        // The event stream ends when the daemon replaces itself.
        while try await station.event("reloaded") == nil {}
        try await station.sandbox.up()
        try await station.sync()
        try await station.event("held", count: Self.count)
        #expect(try await station.entries("held").allSatisfy { $0.holdReason == "profile" && $0.attempts == 0 })
        let why = try await station.homing("why", Samples.id(1).description).text
        #expect(why.contains("does not fit the changed profile of breathesafe. \(words)"), "\(why)")
        #expect(why.contains("put the route \"measurement\" back"), "\(why)")
        #expect(station.sandbox.ledger.entries.isEmpty)

        try station.directory.write(profile, to: "backends/breathesafe.yaml")
        try station.reload()
        while try await station.event("delivered", count: Self.count) == nil {}
        #expect(station.sandbox.ledger.entries.count == Self.count)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }

    @Test func checkCountsEntriesForAFormerAddress() async throws {
        let (station, profile) = try await stationWithWaitingEntries()
        let old = station.sandbox.baseURL
        let moved = profile.replacing(old, with: old + "/clinic-b")
        try station.directory.write(moved, to: "backends/breathesafe.yaml")
        let told = try await check(station).text
        #expect(told.contains("40 entries of breathesafe accepted for \(old)") && told.contains("add: formerly: [\(old)]"), "\(told)")
        try station.directory.write(moved + "\nformerly: [\"\(old)\"]\n", to: "backends/breathesafe.yaml")
        #expect(try await check(station).text.contains("cannot send") == false)
        try await station.end(SIGTERM)
    }

    @Test func checkWithoutKeySaysThatTheDaemonCannotStart() async throws {
        let (station, _) = try await stationWithWaitingEntries()
        try await station.end(SIGTERM)
        try FileManager.default.moveItem(atPath: station.directory("state/homing.key"), toPath: station.directory("homing.key"))
        let told = try await check(station)
        #expect(told.code == 1 && told.text.contains("homing.key is missing. Without it, Homing cannot decrypt"), "\(told.text)")
    }
}
