import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport
import Testing

@Suite struct SubmitByNameTests {
    /// Signed in, with the list read, and with a capture in `a.json`.
    private func station() async throws -> TestStation {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        try station.directory.write(String(decoding: TestStation.measurement(1), as: UTF8.self), to: "a.json")
        return station
    }

    private func submit(_ station: TestStation, _ options: String...) async throws -> (code: Int32, text: String) {
        try await station.homing(["submit", station.directory("a.json")] + options)
    }

    @Test func submitsForNamedPersonWhileOffline() async throws {
        let station = try await station()
        await station.sandbox.down()
        let told = try await submit(station, "--user", "anna example")
        #expect(
            told.code == 0 && told.text.contains(" for Anna Example (7). Homing sends it to breathesafe automatically."), "\(told.text)")
        #expect(!told.text.contains("Warning"), "\(told.text)")
        let item = try await submit(station, "--item", "user_id=Zoë Quiroga", "--strict")
        #expect(item.code == 0 && item.text.contains(" for Zoë Quiroga (9). "), "\(item.text)")
        let listed = try await station.homing("list")
        #expect(listed.text.contains(" FOR ") && listed.text.contains(" Anna Example (7)"), "\(listed.text)")
        #expect(try await station.homing("show", "1").text.contains(/for +Anna Example \(7\)\n/))
        #expect(try await station.homing("watch", "--once").text.contains("\nAnna Example (7) "))

        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered", count: 2)
        #expect(Set(station.sandbox.ledger.entries.map(\.user)) == [7, 9])
        #expect(try await station.homing("receipts").text.contains(" Anna Example (7)"))
        let csv = try await station.homing("receipts", "--csv").text
        #expect(csv.contains(",7,,\r\n") && csv.contains(",9,,\r\n") && !csv.contains("Anna"), "\(csv)")
        try await station.end(SIGTERM)
    }

    @Test func refusesNameOfNobodyAndOfSeveralPeople() async throws {
        let station = try await station()
        let unknown = try await submit(station, "--user", "Ana Example")
        #expect(unknown.code == 2, "\(unknown.text)")
        #expect(unknown.text.contains("No person is called ‘Ana Example’. Similar: Anna Example (7)."), "\(unknown.text)")
        // A person of another manager.
        #expect(try await submit(station, "--user", "Bob Other").code == 2)

        let ids = try (1...2).map { _ in try station.sandbox.addPerson(["first_name": "Edit", "last_name": "Me"]) }
        _ = try await station.refreshedPeople()
        let several = try await submit(station, "--user", "Edit Me")
        #expect(several.code == 2, "\(several.text)")
        #expect(several.text.contains("2 people are called ‘Edit Me’: Edit Me (\(ids[0])), Edit Me (\(ids[1]))."), "\(several.text)")
        #expect(several.text.contains("Give the id: --user ID"), "\(several.text)")
        #expect(try await station.entries().isEmpty)
        #expect(try await submit(station, "--user", "\(ids[1])").text.contains(" for Edit Me (\(ids[1])). "))
        try await station.end(SIGTERM)
    }

    @Test func unchangedFileIsStoredOnceUnlessAskedAgain() async throws {
        let station = try await station()
        await station.sandbox.down()
        #expect(try await submit(station, "--user", "7").code == 0)
        let again = try await submit(station, "--user", "7")
        #expect(again.code == 0 && again.text.contains("nothing new was stored. To submit it again, add --again"), "\(again.text)")
        #expect(try await station.entries().count == 1)
        #expect(try await submit(station, "--user", "7", "--again").code == 0)
        #expect(try await submit(station, "--user", "9").code == 0)
        #expect(try await station.entries().count == 3)
        try await station.end(SIGTERM)
    }

    @Test func warnsOfUnlistedPersonAndRefusesWithStrict() async throws {
        let station = try await station()
        let refused = try await submit(station, "--user", "10", "--strict")
        #expect(refused.code == 1 && refused.text.contains("Nothing was accepted: 10 is not one of your people"), "\(refused.text)")
        #expect(try await station.entries().isEmpty)
        let warned = try await submit(station, "--user", "10")
        #expect(warned.code == 0 && warned.text.contains(" for 10. "), "\(warned.text)")
        #expect(warned.text.contains("Warning: 10 is not one of your people"), "\(warned.text)")
        try await station.end(SIGTERM)
    }

    @Test func showsNewNameOfOldEntriesAfterRefresh() async throws {
        let station = try await station()
        #expect(try await submit(station, "--user", "Anna Example").code == 0)
        try station.directory.write(#"{"first_name":"Annika"}"#, to: "profile.json")
        let renamed = try await station.homing(
            "submit", station.directory("profile.json"), "--route", "profile", "--user", "Anna Example")
        #expect(renamed.code == 0, "\(renamed.text)")
        try await station.event("delivered", count: 2)
        _ = try await station.refreshedPeople()
        let listed = try await station.homing("list")
        #expect(listed.text.matches(of: /Annika Example \(7\)/).count == 2 && !listed.text.contains("Anna "), "\(listed.text)")
        #expect(try await submit(station, "--user", "Annika Example").code == 0)
        try await station.end(SIGTERM)
    }

    @Test func showsNoNamesAfterLogout() async throws {
        let station = try await station()
        #expect(try await submit(station, "--user", "Anna Example").code == 0)
        try await station.event("delivered")
        let names = try await station.suggestions("submit", "--", "--user", "3", "0", "homing", "submit", "--user")
        #expect(names.joined(separator: "\n").contains("Anna Example\nEve Lab\nZoë Quiroga"), "\(names)")
        let completions = ["---completion", "submit", "--", "--user", "3", "0", "homing", "submit", "--user"]
        #expect(try await station.homing("logout", "--yes").code == 0)
        for command in [["list"], ["show", "1"], ["receipts"], ["receipt", "1"], ["events"], ["watch", "--once"], completions] {
            let shown = try await station.homing(command)
            #expect(shown.code == 0 && !shown.text.contains("Anna") && !shown.text.contains("Example"), "\(command): \(shown.text)")
        }
        #expect(try await station.homing("list").text.contains(/measurement +7\s/))
        let refused = try await submit(station, "--user", "Anna Example")
        #expect(refused.code == 2 && refused.text.contains("Names cannot be looked up. "), "\(refused.text)")
        try await station.end(SIGTERM)
    }
}
