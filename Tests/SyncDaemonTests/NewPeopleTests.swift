import ControlAPI
import Foundation
import Sandbox
import SyncModel
import TestSupport
import Testing

/// A person is created, named and measured without the network.
@Suite struct NewPeopleTests {
    private static let names = Data(#"{"first_name":"Anna","last_name":"Example"}"#.utf8)

    private func create(_ station: DaemonStation, id: String? = nil) async throws -> SubmissionReceipt {
        try await station.client.call(
            Endpoints.submit, ControlAPI.Submission(route: "create_managed_user", id: id, payload: Self.names))
    }

    private func measure(_ station: DaemonStation, _ user: String, strict: Bool = false) async throws -> SubmissionReceipt {
        try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(route: "measurement", fields: ["user_id": user], payload: try station.capture(), strict: strict))
    }

    private func people(_ station: DaemonStation, _ find: String? = nil) async throws -> RosterPage {
        try await station.client.call(Endpoints.roster, RosterQuery(resource: "managed_users", find: find))
    }

    /// Signed in, with the people read, and then offline.
    private func offline(_ work: (DaemonStation) async throws -> Void) async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                try await station.event { $0.kind == "rosterChanged" }
                await station.sandbox.down()
                try await work(station)
            }
        }
    }

    @Test func personMadeOfflineIsMeasuredUnderTheServersID() async throws {
        try await offline { station in
            let created = try await create(station)
            let measured = try await measure(station, "@\(created.id.uppercased())", strict: true)
            #expect(measured.lane == "users/@\(created.id)" && measured.warning == nil)
            #expect(created.subject?.text == "Anna Example (new)" && measured.subject?.text == "Anna Example (new)")

            try await station.sandbox.up()
            try await station.delivered(measured.id)
            let receipt = try await station.client.call(Endpoints.receipt, EntryReference(id: created.id))
            let id = try #require(receipt.remoteID)
            let sent = station.sandbox.ledger.entries(clientMutationID: measured.id)
            #expect(sent.map(\.user) == [Int(id)])
            let entry = try await station.client.call(Endpoints.entry, EntryReference(id: measured.id)).entry
            #expect(entry.subject?.id == id && entry.subject?.reference == "@\(created.id)" && entry.subject?.isNew == nil)
            let then = try #require(created.then)
            try await station.delivered(then)
            #expect(station.sandbox.ledger.entries.filter { $0.resource == "profile" }.map(\.user) == [Int(id)])
        }
    }

    @Test func createWithoutANameHasItsRowInTheAnswer() async throws {
        try await offline { station in
            let submission = ControlAPI.Submission(route: "create_managed_user", id: Samples.id(1).description)
            let created = try await station.client.call(Endpoints.submit, submission)
            #expect(created.subject?.id == "@\(created.id)" && created.subject?.isNew == true && created.then == nil)
            let summary = try await station.client.call(Endpoints.entry, EntryReference(id: created.id)).entry
            #expect(summary.subject == created.subject)
            let again = try await station.client.call(Endpoints.submit, submission)
            #expect(again.duplicate && again.subject == created.subject)
        }
    }

    @Test func repeatedSubmissionMakesNoSecondPerson() async throws {
        try await offline { station in
            let first = try await create(station, id: Samples.id(1).description)
            let again = try await create(station, id: Samples.id(1).description)
            #expect(!first.duplicate && again.duplicate && again.then == first.then && first.then != nil)
            #expect(try await station.client.call(Endpoints.entries, EntryQuery()).entries.count == 2)
        }
    }

    @Test func repeatedSubmissionIsKnownWhileSignedOut() async throws {
        try await offline { station in
            let created = try await create(station, id: Samples.id(1).description)
            let measured = try await station.submit(id: Samples.id(2).description)
            _ = try await station.client.call(Endpoints.signOut, SignOut())

            let again = try await station.submit(id: measured.id)
            #expect(again.duplicate && again.sequence == measured.sequence && again.account == measured.account)
            #expect(again.sha256 == measured.sha256 && again.subject?.id == "5" && again.subject?.label == nil && again.warning == nil)
            let recreated = try await create(station, id: created.id)
            #expect(recreated.duplicate && recreated.then == created.then && recreated.subject?.id == "@\(created.id)")
            let problem = await #expect(throws: Problem.self) { try await station.submit(id: Samples.id(3).description) }
            #expect(problem?.code == .signInRequired)
        }
    }

    /// Created again under a third id, the person would exist twice at the server.
    @Test(arguments: [false, true]) func captureForAReplacedCreateIsRefusedAndNamesTheNewOne(isReplaced: Bool) async throws {
        try await offline { station in
            _ = try await station.client.call(Endpoints.pause, PauseRequest())
            let (old, new) = (Samples.id(1).description, Samples.id(2).description)
            func create(_ id: String, supersedes other: String? = nil) async throws {
                let submission = ControlAPI.Submission(route: "create_managed_user", id: id, supersedes: other)
                _ = try await station.client.call(Endpoints.submit, submission)
            }
            try await create(old)
            if isReplaced {
                try await create(new, supersedes: old)
            } else {
                _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: old, grace: 0, reason: nil))
            }
            let problem = await #expect(throws: Problem.self) { try await measure(station, "@\(old)") }
            #expect(problem?.code == .wrongState && problem?.facts?.reason == (isReplaced ? "createReplaced" : "createDiscarded"))
            #expect(problem?.detail.hasPrefix("The field \"user_id\" is @\(old), which ") == true, "\(problem?.detail ?? "")")
            #expect(problem?.next?.hasPrefix("Create the row again ") == !isReplaced, "\(problem?.next ?? "")")
            #expect(problem?.next?.contains(" @\(new) ") == isReplaced, "\(problem?.next ?? "")")
            if isReplaced { #expect(try await measure(station, "@\(new)").lane == "users/@\(new)") }
        }
    }

    @Test func correctionForAnUnknownReferenceNamesItsField() async throws {
        try await offline { station in
            _ = try await station.client.call(Endpoints.pause, PauseRequest())
            let measured = try await measure(station, "5")
            let unknown = Samples.id(9).description
            let fix = FixRequest(id: measured.id, fields: ["user_id": "@\(unknown)"])
            let problem = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.fix, fix) }
            #expect(problem?.detail.hasPrefix("The field \"user_id\" is @\(unknown), which ") == true, "\(problem?.detail ?? "")")
            #expect(problem?.facts?.reason == "noSuchCreate")
            let entry = try await station.client.call(Endpoints.entry, EntryReference(id: measured.id)).entry
            #expect(entry.state == "pending" && entry.supersededBy == nil)
        }
    }

    @Test func newPersonIsListedFirstAndCountedApart() async throws {
        try await offline { station in
            let before = try await people(station).roster.count
            let created = try await create(station)
            let page = try await people(station, "ANNA")
            let row = try #require(page.rows.first)
            #expect(row.id == "@\(created.id)" && row.label == "Anna Example" && row.pending == "new")
            let all = try await people(station)
            #expect(all.rows.first?.pending == "new" && all.rows.dropFirst().allSatisfy { $0.pending == nil })
            #expect(all.roster.count == before && all.roster.sentence.contains("1 new person is not created yet."))
            #expect(try await people(station, "nobody").rows.isEmpty)
            #expect(all.roster.actions?.add == "create_managed_user" && all.roster.actions?.change == "profile")
            #expect(all.roster.actions?.form.contains("first_name") == true)
        }
    }

    /// The list is read again only some seconds after the delivery.
    @Test func deliveredPersonStaysListedUnderTheServersID() async throws {
        try await offline { station in
            let before = try await people(station).matching
            let created = try await create(station)
            try await station.sandbox.up()
            try await station.delivered(try #require(created.then))
            let id = try #require(try await station.client.call(Endpoints.receipt, EntryReference(id: created.id)).remoteID)
            let page = try await people(station, "anna example")
            #expect(page.rows.map(\.id) == [id] && page.rows.first?.label == "Anna Example" && page.rows.first?.pending == nil)
            #expect(try await people(station).matching == before + 1)
            let measured = try await measure(station, id, strict: true)
            #expect(measured.subject?.text == "Anna Example (\(id))" && measured.warning == nil)

            _ = try await station.client.call(Endpoints.refreshRoster, RosterReference(resource: "managed_users"))
            let read = try await people(station)
            #expect(read.matching == before + 1 && read.rows.count { $0.id == id && $0.label == "Anna Example" } == 1)
        }
    }

    /// Two new people called "Edit Me" could not be told apart.
    @Test func newPersonHasTheSubmittedNameWhileTheDetailsWait() async throws {
        try await offline { station in
            let created = try await create(station)
            await station.sandbox.apply(Fault(.neverAnswer, path: "/profile"))
            try await station.sandbox.up()
            try await station.delivered(created.id)
            let id = try #require(try await station.client.call(Endpoints.receipt, EntryReference(id: created.id)).remoteID)
            _ = try await station.client.call(Endpoints.refreshRoster, RosterReference(resource: "managed_users"))
            let rows = try await people(station).rows
            #expect(rows.filter { $0.id == id }.map(\.label) == ["Anna Example"])
            let then = try await station.client.call(Endpoints.entry, EntryReference(id: try #require(created.then))).entry
            #expect(then.subject?.text == "Anna Example (\(id))")
        }
    }

    @Test func deletedPersonIsNotListedAnyMore() async throws {
        try await offline { station in
            let before = try await people(station)
            let person = try #require(before.rows.first)
            let deletion = try await station.client.call(
                Endpoints.submit, ControlAPI.Submission(route: "delete_managed_user", fields: ["user_id": person.id]))
            #expect(try await people(station).rows.first { $0.id == person.id }?.deletion == deletion.id)
            try await station.sandbox.up()
            try await station.delivered(deletion.id)
            let after = try await people(station)
            #expect(after.matching == before.matching - 1 && !after.rows.contains { $0.id == person.id })
        }
    }

    @Test func strictDeletionIsRefusedForARowThatIsBeingDeleted() async throws {
        try await offline { station in
            let person = try #require(try await people(station).rows.first)
            func delete(_ number: Int, strict: Bool) async throws -> SubmissionReceipt {
                try await station.client.call(
                    Endpoints.submit,
                    ControlAPI.Submission(
                        route: "delete_managed_user", id: Samples.id(number).description, fields: ["user_id": person.id], strict: strict))
            }
            #expect(try await delete(1, strict: true).warning == nil)
            let problem = await #expect(throws: Problem.self) { try await delete(2, strict: true) }
            #expect(problem?.code == .notListed && problem?.title == "Being deleted")
            // The first one does what the second wants.
            #expect(problem?.next == nil)
            // The same deletion again, and a second one that was not to be checked.
            #expect(try await delete(1, strict: true).duplicate)
            #expect(try await delete(2, strict: false).warning == nil)
        }
    }

    /// Before and after the list is read again.
    @Test(arguments: [false, true]) func deletedPersonIsNotListedUnderTheReferenceEither(isRead: Bool) async throws {
        try await offline { station in
            let created = try await create(station)
            try await station.sandbox.up()
            try await station.delivered(try #require(created.then))
            let id = try #require(try await station.client.call(Endpoints.receipt, EntryReference(id: created.id)).remoteID)
            let present = try await measure(station, "@\(created.id)", strict: true)
            #expect(present.warning == nil && present.subject?.text == "Anna Example (\(id))")
            let deletion = try await station.client.call(
                Endpoints.submit, ControlAPI.Submission(route: "delete_managed_user", fields: ["user_id": id]))
            try await station.delivered(deletion.id)
            if isRead { _ = try await station.client.call(Endpoints.refreshRoster, RosterReference(resource: "managed_users")) }

            for user in [id, "@\(created.id)"] {
                let problem = await #expect(throws: Problem.self) { try await measure(station, user, strict: true) }
                #expect(problem?.code == .notListed, "\(user)")
            }
            let warned = try await measure(station, "@\(created.id)")
            #expect(warned.subject?.id == id && warned.subject?.label == nil)
            #expect(warned.warning?.hasPrefix("\(id) is not one of your people, as of ") == true, "\(warned.warning ?? "")")
        }
    }

    /// The list cannot have the row yet, and no name was submitted.
    @Test func createdPersonWithoutANameIsListedBeforeTheListIsReadAgain() async throws {
        try await offline { station in
            let created = try await station.client.call(Endpoints.submit, ControlAPI.Submission(route: "create_managed_user"))
            try await station.sandbox.up()
            try await station.delivered(created.id)
            #expect(try await measure(station, "@\(created.id)", strict: true).warning == nil)
        }
    }

    /// The receipt of the create has the id.
    @Test(arguments: [true, false]) func createdPersonWithoutANameIsListedByItsPlainID(isStrict: Bool) async throws {
        try await offline { station in
            let created = try await station.client.call(Endpoints.submit, ControlAPI.Submission(route: "create_managed_user"))
            // The list is not read again.
            await station.sandbox.apply(Fault(.neverAnswer, path: "managed_users", method: "GET"))
            try await station.sandbox.up()
            try await station.delivered(created.id)
            let id = try #require(try await station.client.call(Endpoints.receipt, EntryReference(id: created.id)).remoteID)
            let measured = try await measure(station, id, strict: isStrict)
            #expect(measured.subject?.id == id && measured.warning == nil, "\(measured.warning ?? "")")
            let problem = await #expect(throws: Problem.self) { try await measure(station, "99999", strict: true) }
            #expect(problem?.code == .notListed)
        }
    }

    @Test func waitingEntryNamesItsCreate() async throws {
        try await offline { station in
            let created = try await create(station)
            let measured = try await measure(station, "@\(created.id)")
            let summary = try await station.client.call(Endpoints.entry, EntryReference(id: measured.id)).entry
            #expect(summary.needs == created.id && summary.subject?.isNew == true)
            _ = try await station.client.call(Endpoints.pause, PauseRequest())
            let none = try await station.client.call(Endpoints.why, EntryReference(id: measured.id)).sentence
            #expect(none.hasPrefix("Sending is paused by "))
            _ = try await station.client.call(Endpoints.resume, ResumeRequest())
            let why = try await station.client.call(Endpoints.why, EntryReference(id: measured.id))
            #expect(why.sentence.hasPrefix("This measurement of Anna Example (new) waits until entry \(created.id.suffix(12))"))
            let parent = try await station.client.call(Endpoints.why, EntryReference(id: created.id))
            #expect(parent.sentence.hasSuffix(" 2 entries wait for it."))
        }
    }

    @Test func createNamesThePersonAndTheEntryAcceptedWithIt() async throws {
        try await offline { station in
            let created = try await create(station)
            let then = try #require(created.then)
            let summary = try await station.client.call(Endpoints.entry, EntryReference(id: created.id)).entry
            #expect(summary.subject == created.subject && summary.subject?.label == "Anna Example" && summary.subject?.title == "person")
            #expect(summary.then == then && summary.needs == nil)
            let listed = try await station.client.call(Endpoints.entries, EntryQuery()).entries
            #expect(listed.map(\.subject?.text) == ["Anna Example (new)", "Anna Example (new)"] && listed.map(\.then) == [then, nil])
            let why = try await station.client.call(Endpoints.why, EntryReference(id: created.id))
            #expect(why.subject == created.subject)
            let found = try await station.client.call(Endpoints.entries, EntryQuery(user: "@\(created.id)")).entries
            #expect(found.map(\.id) == [then])

            try await station.sandbox.up()
            try await station.delivered(then)
            let delivered = try await station.client.call(Endpoints.entry, EntryReference(id: created.id)).entry
            #expect(delivered.subject?.id == delivered.remoteID && delivered.subject?.reference == "@\(created.id)")
            #expect(delivered.then == nil && delivered.subject?.isNew == nil && delivered.subject?.title == nil)
        }
    }

    @Test(arguments: [
        (#"{"colour":"blue"}"#, "It may only have these: first_name"), ("{}", "expected at least one of these members: first_name"),
    ]) func refusedPayloadCreatesNobody(payload: String, words: String) async throws {
        try await offline { station in
            let wrong = ControlAPI.Submission(route: "create_managed_user", payload: Data(payload.utf8))
            await #expect {
                _ = try await station.client.call(Endpoints.submit, wrong)
            } throws: {
                ($0 as? Problem)?.detail.contains(words) == true
            }
            let page = try await station.client.call(Endpoints.entries, EntryQuery())
            #expect(page.entries.isEmpty)
        }
    }

    /// The list is read again after the send, so that a person can say who it was.
    @Test func lostAnswerShowsWhoMayHaveBeenCreated() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                let first = try #require(try await station.event { $0.kind == "rosterChanged" })
                await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", count: 1))
                let created = try await create(station)
                try await station.event { $0.kind == "held" && $0.entry == created.id }
                try await station.event { $0.kind == "rosterChanged" && $0.cursor > first.cursor }
                let row = try #require(try await people(station, "Edit Me").rows.last)
                let why = try await station.client.call(Endpoints.why, EntryReference(id: created.id))
                #expect(why.sentence.contains("It is not known whether breathesafe has created Anna Example"))
                #expect(why.sentence.contains("Edit Me (\(row.id))"), "\(why.sentence)")
                #expect(why.next?.contains("homing resolve \(created.id.suffix(12)) --delivered ") == true)
                let then = try await station.client.call(Endpoints.why, EntryReference(id: created.then ?? ""))
                #expect(then.sentence.hasPrefix("This change of Anna Example (new) is on hold"), "\(then.sentence)")
                #expect(then.needsPerson)

                let wrong = await #expect(throws: Problem.self) {
                    try await station.client.call(
                        Endpoints.resolve, ResolveRequest(id: created.id, remoteID: "9999", delivered: true))
                }
                #expect(wrong?.detail.contains("no row that may be the new one has the id 9999") == true, "\(wrong?.detail ?? "")")
                #expect(wrong?.next?.contains("(\(row.id))") == true, "\(wrong?.next ?? "")")
                _ = try await station.client.call(
                    Endpoints.resolve, ResolveRequest(id: created.id, remoteID: row.id, delivered: true))
            }
        }
    }
}
