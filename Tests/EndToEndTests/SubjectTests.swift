import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Answers name the person of each entry while the account is signed in. Names are never stored with entries.
@Suite struct SubjectTests {
    /// Signed in as the manager, with the list.
    private func station() async throws -> TestStation {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        return station
    }

    private static func anna(_ label: String? = "Anna Example") -> SubjectReport {
        SubjectReport(resource: "managed_users", field: "user_id", id: "7", label: label)
    }

    /// The subjects in all answers about the only entry.
    private func subjects(_ station: TestStation) async throws -> [SubjectReport?] {
        let client = station.client
        let reference = EntryReference(id: Samples.id(1).description)
        var events: [Event] = []
        try await client.events(EventQuery(since: 0, follow: false)) { event in
            events.append(event)
            return true
        }
        let ofEntry = events.filter { $0.entry == reference.id }
        #expect(events.allSatisfy { $0.entry != nil || $0.subject == nil })
        var subjects = ofEntry.map(\.subject)
        subjects.append(try await client.call(Endpoints.entry, reference).entry.subject)
        subjects.append(try await client.call(Endpoints.why, reference).subject)
        subjects.append(try await client.call(Endpoints.receipt, reference).subject)
        subjects += try await client.call(Endpoints.receipts, ReceiptQuery()).receipts.map(\.subject)
        subjects += try await station.entries().map(\.subject)
        return subjects
    }

    @Test func namesPersonUntilSignOut() async throws {
        let station = try await station()
        let receipt = try await station.submit(user: 7, id: 1)
        #expect(receipt.subject == Self.anna() && receipt.warning == nil)
        try await station.event("delivered")
        #expect(Set(try await subjects(station).map { $0?.text }) == ["Anna Example (7)"])

        _ = try await station.client.call(Endpoints.signOut, SignOut())
        for subject in try await subjects(station) { #expect(subject == Self.anna(nil)) }
        try await station.login("other@lab.test")
        for subject in try await subjects(station) { #expect(subject == Self.anna(nil)) }
        try await station.end(SIGTERM)
    }

    /// The entry that creates a person is about that person, as is the one that gives the name.
    @Test func namesCreatedPersonByTheServersID() async throws {
        let station = try await station()
        let then = try #require(
            try await station.submit("create_managed_user", 1, #"{"first_name":"Nora","last_name":"Berg"}"#).then)
        try await station.event("delivered") { $0.entry == then }
        try await station.refreshedPeople()
        let user = "\(try #require(station.sandbox.ledger.created.first))"
        var nora = SubjectReport(resource: "managed_users", field: "user_id", id: user, label: "Nora Berg")
        nora.reference = "@\(Samples.id(1))"
        #expect(try await subjects(station).allSatisfy { $0 == nora })
        let receipts = try await station.homing("receipts")
        #expect(receipts.text.split(separator: "\n").count { $0.contains("Nora Berg (\(user))") } == 2, "\(receipts.text)")

        _ = try await station.client.call(Endpoints.signOut, SignOut())
        nora.label = nil
        #expect(try await subjects(station).allSatisfy { $0 == nora })
        try await station.end(SIGTERM)
    }

    @Test func warnsAboutUnlistedPersonAndRefusesItIfStrict() async throws {
        let station = try await station()
        func submit(_ user: Int, _ id: Int, strict: Bool) async throws -> SubmissionReceipt {
            try await station.client.call(
                Endpoints.submit,
                ControlAPI.Submission(
                    route: "measurement", id: Samples.id(id).description, fields: ["user_id": String(user)],
                    payload: TestStation.measurement(id), strict: strict))
        }
        let problem = await #expect(throws: Problem.self) { try await submit(77, 1, strict: true) }
        #expect(problem?.code == .notListed && problem?.status == 409)
        #expect(problem?.detail.hasPrefix("Nothing was accepted: 77 is not one of your people, as of ") == true)
        #expect(problem?.next?.contains("homing people --find TEXT") == true)
        #expect(try await station.entries().isEmpty)

        let warned = try await submit(77, 1, strict: false)
        #expect(warned.warning?.hasPrefix("77 is not one of your people, as of ") == true)
        #expect(warned.subject?.text == "77")
        let again = try await submit(77, 1, strict: true)
        #expect(again.duplicate && again.warning == nil)
        #expect(try await submit(7, 2, strict: true).warning == nil)
        try await station.end(SIGTERM)
    }

    @Test func listNamesTheFieldsThatTakeItsIDs() async throws {
        let station = try await TestStation.people()
        try await station.start()
        let list = try #require(try await station.client.call(Endpoints.rosters, RosterListQuery()).rosters.first)
        #expect(list.state == "signedOut")
        #expect(
            list.references?.map(\.route) == [
                "delete_managed_user", "edit_fit_test", "fit_test", "manual_measurement", "measurement", "profile",
            ])
        #expect(list.references?.allSatisfy { $0.field == "user_id" && $0.type == "integer" } == true)
        try await station.end(SIGTERM)
    }
}
