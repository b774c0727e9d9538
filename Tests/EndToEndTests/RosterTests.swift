import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport
import Testing

@Suite struct RosterTests {
    @Test func listsPeopleByNameAfterSignIn() async throws {
        let station = try await TestStation.people()
        try await station.signedIn()
        let event = try #require(try await station.event("rosterChanged"))
        #expect(event.detail["resource"] == "managed_users" && event.detail["rows"] == "3" && event.detail["added"] == "3")
        let page = try await station.people()
        #expect(page.rows.map(\.label) == ["Anna Example", "Eve Lab", "Zoë Quiroga"])
        // The ids of captures, not those of the rows.
        #expect(page.rows.map(\.id) == ["7", "5", "9"])
        #expect(page.roster.state == "complete" && page.roster.total == 3 && page.roster.email == "manager@lab.test")
        #expect(try #require(page.rows.first).values["/id"] == "3")
        let kept = ["/created_at", "/first_name", "/fm_percent_complete", "/id", "/last_name", "/managed_id"]
        #expect(page.rows.allSatisfy { $0.values.keys.sorted() == kept })
        #expect(try await station.people(find: "zoe").rows.map(\.id) == ["9"])
        #expect(try await station.people(find: "bob").rows.isEmpty)

        let shown = try await station.homing("people")
        #expect(shown.code == 0 && shown.text.contains(/Anna Example +7\n/), "\(shown.text)")
        #expect(shown.text.contains("3 people of manager@lab.test at breathesafe"), "\(shown.text)")
        let found = try await station.homing("roster", "managed_users", "--find", "anna")
        #expect(found.code == 0 && found.text.contains("Anna Example") && !found.text.contains("Eve"), "\(found.text)")
        try await station.end(SIGTERM)
    }

    @Test(arguments: [["help", "people"], ["help", "people", "add"]])
    func helpOfAListIsThatOfItsCommand(arguments: [String]) async throws {
        let station = try await TestStation.signedInWithPeople()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["HOMING_SOCKET": station.directory("homing.sock")]) { $1 }
        let help = try await process.ended()
        #expect(help.code == 0 && help.text.contains("USAGE: homing roster"), "\(help.text)")
        #expect(try await station.homing("people", "--help").text == help.text)
        try await station.end(SIGTERM)
    }

    @Test func readsAllPagesOfUnrequestedSize() async throws {
        let station = try await TestStation.people()
        try station.sandbox.change(["people": 130, "ignore-per-page": true, "list-etag": false])
        try await station.signedIn()
        #expect(try await station.event("rosterChanged")?.detail["rows"] == "130")
        let page = try await station.people()
        #expect(Set(page.rows.map(\.id)).count == 130 && page.rows.count == 130)
        #expect(page.roster.state == "complete" && page.roster.total == 130)
        try await station.end(SIGTERM)
    }

    @Test func keepsListWhileServerIsUnreachableAndAfterKill() async throws {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        let read = try await station.people()
        await station.sandbox.down()
        try await station.end(SIGKILL)
        try await station.start()
        let kept = try await station.people()
        #expect(kept.rows == read.rows)
        #expect(kept.roster.readAt == read.roster.readAt && kept.roster.state == "complete")
        let refused = try await station.homing("people", "--refresh")
        #expect(refused.code == 1, "\(refused.text)")
        #expect(refused.text.contains("Not refreshed: ") && refused.text.contains("Anna Example"), "\(refused.text)")
        try await station.end(SIGTERM)
    }

    @Test func refreshFindsChangesAndUnchangedListMakesNoEvent() async throws {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        let again = try await station.refreshPeople()
        #expect(again.failure == nil && again.state == "complete")
        #expect(station.pageReads(304) >= 1)

        let id = try station.sandbox.addPerson(["first_name": "Ida", "last_name": "New"])
        try station.sandbox.removePerson(5)
        try await station.refreshPeople()
        // The second event: the unchanged read has made none.
        let change = try #require(try await station.event("rosterChanged", count: 2))
        #expect(change.detail["added"] == "1" && change.detail["removed"] == "1" && change.detail["rows"] == "3")
        #expect(try await station.people().rows.map(\.id) == ["7", "\(id)", "9"])
        try await station.end(SIGTERM)
    }

    @Test func accountWithoutPeopleHasSentenceInsteadOfEmptyTable() async throws {
        let station = try await TestStation.people()
        try station.sandbox.removePerson(10)
        try await station.start()
        try await station.login("other@lab.test")
        let report = try await station.refreshedPeople()
        #expect(report.state == "complete" && report.total == 0)
        #expect(try await station.people().rows.isEmpty)
        let shown = try await station.homing("people")
        #expect(shown.code == 0 && shown.text.contains("other@lab.test has no people at breathesafe"), "\(shown.text)")
        try await station.end(SIGTERM)
    }

    @Test func reloadWithOtherKeptValuesReadsTheListAgain() async throws {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        try station.keepResources(edits: [(", /fm_percent_complete", "")])
        try station.reload()
        // A reload ends the stream of events.
        while try await station.event("rosterChanged", count: 2) == nil {}
        let rows = try await station.people().rows
        #expect(rows.count == 3 && rows.allSatisfy { $0.values["/fm_percent_complete"] == nil && $0.values["/managed_id"] == $0.id })
        try await station.end(SIGTERM)
    }

    @Test func refreshShowsNewListAtLists() async throws {
        let station = try await TestStation.lists2026()
        try station.keepResources(of: "lists-2026")
        try await station.signedIn()
        try await station.createList(1)
        try await station.event("delivered")
        let lists = RosterQuery(resource: "lists")
        // A read that began before the delivery may end after it.
        while try await station.client.call(Endpoints.roster, lists).rows.isEmpty {
            _ = try await station.client.call(Endpoints.refreshRoster, RosterReference(resource: "lists"))
        }
        let page = try await station.client.call(Endpoints.roster, lists)
        #expect(page.roster.state == "complete" && page.rows.map(\.label) == ["list 1"])
        try await station.end(SIGTERM)
    }
}
