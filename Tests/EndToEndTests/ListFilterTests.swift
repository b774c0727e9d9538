import ControlAPI
import Foundation
import StationSupport
import TestSupport
import Testing

@Suite struct ListFilterTests {
    /// Three captures wait, two of them for Anna Example.
    private func station() async throws -> TestStation {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        #expect(try await station.homing("pause", "--reason", "so that they wait").code == 0)
        for (number, user) in [7, 9, 7].enumerated() { try await station.submit(user: user, id: number + 1) }
        return station
    }

    @Test func listsEntriesOfNamedPerson() async throws {
        let station = try await station()
        let anna = try await station.homing("list", "--user", "anna example", "--limit", "1")
        #expect(anna.code == 0 && anna.text.contains("Anna Example (7)") && !anna.text.contains("Zoë"), "\(anna.text)")
        #expect(anna.text.contains("\n1 of 2 shown, the newest."), "\(anna.text)")
        let zoe = try await station.homing("list", "--user", "9", "--route", "measurement", "--state", "waiting", "--json")
        let page = try JSONCoding.decoder.decode(EntryPage.self, from: Data(zoe.text.utf8))
        #expect(page.entries.map(\.sequence) == [2] && page.total == 1)
        #expect(try await station.homing("list", "--until", "2020-01-01").text == "There are no matching entries.\n")
        let nobody = try await station.homing("list", "--user", "Ana Example")
        #expect(nobody.code == 2 && nobody.text.contains("Similar: Anna Example (7)."), "\(nobody.text)")
        try await station.end(SIGTERM)
    }

    @Test func mistypedNamesAreExplained() async throws {
        let station = try await station()
        let route = try await station.homing("list", "--route", "measurment")
        #expect(route.code == 1 && route.text.contains("There is no route ‘measurment’; configured: "), "\(route.text)")
        let command = try await station.homing("peopel", "--find", "anna")
        #expect(command.code == 2, "\(command.text)")
        #expect(command.text == "There is no command ‘peopel’.\nDid you mean ‘homing people’?\n", "\(command.text)")
        let routes = try await station.suggestions("list", "--", "--route", "2", "0", "homing", "list", "")
        #expect(routes.contains("measurement"), "\(routes)")
        try await station.end(SIGTERM)
    }

    @Test func changingCommandsPrintArrays() async throws {
        let station = try await station()
        try station.directory.write(String(decoding: TestStation.measurement(4), as: UTF8.self), to: "a.json")
        let submitted = try await station.homing("submit", station.directory("a.json"), "--user", "7", "--json")
        let receipts = try JSONCoding.decoder.decode([SubmissionReceipt].self, from: Data(submitted.text.utf8))
        #expect(receipts.map(\.sequence) == [4])
        for command in [["retry", "4", "--json"], ["discard", "4", "--yes", "--json"]] {
            let changed = try await station.homing(command)
            let entries = try JSONCoding.decoder.decode([EntrySummary].self, from: Data(changed.text.utf8))
            #expect(entries.map(\.sequence) == [4], "\(command)")
        }
        let none = try await station.homing("retry", "--all", "--state", "dead", "--json")
        #expect(none.code == 0 && none.text == "[]\n", "\(none.text)")
        try await station.end(SIGTERM)
    }
}
