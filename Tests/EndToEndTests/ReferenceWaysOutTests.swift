import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// If the create of a person fails, a person can still bring every entry that needs it to the server.
@Suite struct ReferenceWaysOutTests {
    private static let anna = TestStation.reference(to: 1)
    private static let refusal = Fault(.error, path: "managed_users", method: "POST") { ($0.status, $0.code) = (422, "Did not update.") }

    /// Each entry is on hold, and both `why` commands name the create.
    private func expectHeld(_ numbers: [Int], _ station: TestStation, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for number in numbers {
            let entry = try await station.settled(number, as: "held")
            #expect(entry.holdReason == "dependency" && entry.needs == Samples.id(1).description, sourceLocation: sourceLocation)
            let why = try await station.why(number)
            let text = "\(why.sentence) \(why.next ?? "")"
            #expect(text.contains(EntryName.short(Samples.id(1).description)) && why.needsPerson, "\(text)", sourceLocation: sourceLocation)
            let told = try await station.homing("why", Samples.id(number).description).text
            #expect(told.contains(EntryName.short(Samples.id(1).description)), "\(told)", sourceLocation: sourceLocation)
        }
    }

    private func resolve(_ number: Int, _ remoteID: String?, isDelivered: Bool = true, _ station: TestStation) async throws {
        _ = try await station.client.call(
            Endpoints.resolve, ResolveRequest(id: Samples.id(number).description, remoteID: remoteID, delivered: isDelivered))
    }

    @Test func refusedCreateHoldsItsDependentsUntilItIsRetried() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Self.refusal)
        try await station.pauseSending()
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        try await station.testFit(Self.anna, 3)
        try await station.measure("7", 4)
        try await station.resumeSending()
        try await station.settled(1, as: "dead")
        try await expectHeld([2, 3], station)
        try await station.event("held") { $0.entry == Samples.id(2).description }
        // Accepted, although its person may never exist.
        try await station.measure(Self.anna, 5)
        try await expectHeld([5], station)
        try await station.settled(4, as: "delivered")
        let ledger = station.sandbox.ledger
        #expect(ledger.arrivals.map(\.number) == [4] && ledger.paths(outside: [7]).isEmpty)

        await #expect(throws: Problem.self) { try await station.retry(2) }
        #expect(try await station.entry(2).state == "held")
        #expect(try await station.homing("status").code == 6)

        station.sandbox.clearFaults()
        #expect(try await station.homing("retry", Samples.id(1).description).code == 0)
        try await station.allSettled([1, 2, 3, 5])
        let (second, third, fifth) = (ledger.place(of: 2) ?? 0, ledger.place(of: 3) ?? 0, ledger.place(of: 5) ?? 0)
        #expect(second < third && second < fifth && ledger.created.count == 1)
        #expect(ledger.arrivals.count == 5 && ledger.paths(outside: [7] + ledger.created).isEmpty)
        try await station.end(SIGTERM)
    }

    @Test func entriesOfADiscardedCreateCanBeFixed() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.pauseSending()
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        try await station.measure(Self.anna, 3)
        _ = try await station.client.call(
            Endpoints.discard, DiscardRequest(id: Samples.id(1).description, grace: 0, reason: "added by mistake"))
        #expect(try await station.entry(1).state == "discarded")
        try await expectHeld([2, 3], station)
        let refused = await #expect(throws: Problem.self) { try await station.measure(Self.anna, 4) }
        #expect(refused?.detail.contains(EntryName.short(Samples.id(1).description)) == true)
        await #expect(throws: Problem.self) { try await station.retry(2) }
        let again = await #expect(throws: Problem.self) { try await station.create(1) }
        #expect(again?.code == .discarded)
        #expect(try await station.entries().count == 3)

        let fixed = try await station.client.call(
            Endpoints.fix,
            FixRequest(id: Samples.id(2).description, newID: Samples.id(5).description, fields: ["user_id": "7"], strict: false))
        #expect(fixed.id == Samples.id(5).description && !fixed.duplicate && fixed.subject?.text == "Anna Example (7)")
        _ = try await station.client.call(
            Endpoints.discard, DiscardRequest(id: Samples.id(3).description, grace: 0, reason: nil))
        try await station.resumeSending()
        try await station.settled(5, as: "delivered")
        #expect(try await station.entry(2).state == "discarded")
        #expect(try await station.receipt(2).supersededBy == Samples.id(5).description)
        let ledger = station.sandbox.ledger
        #expect(ledger.arrivals.map(\.number) == [5] && ledger.arrivals.map(\.user) == [7])
        #expect(ledger.requestCount("POST", path: "managed_users") == 0)
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }

    @Test func undoOfADiscardReleasesTheDependents() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.pauseSending()
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        let id = Samples.id(1).description
        let discarded = try await station.homing("discard", id, "--reason", "added twice", "--yes")
        #expect(discarded.code == 0 && discarded.text.contains("homing undo"), "\(discarded.text)")
        let create = try await station.entry(1)
        #expect(create.state == "held" && create.holdReason == "discarding" && create.discardAt != nil)
        try await expectHeld([2], station)
        try await station.resumeSending()
        try await station.measure("7", 3)
        try await station.settled(3, as: "delivered")
        #expect(station.sandbox.ledger.arrivals.map(\.number) == [3])

        let undone = try await station.homing("undo", id)
        #expect(undone.code == 0, "\(undone.text)")
        try await station.allSettled(1...2)
        #expect(station.sandbox.ledger.arrivals.map(\.number) == [3, nil, 2])
        try await station.end(SIGTERM)
    }

    /// The server has the person, but the answer was lost.
    @Test func createWithUnknownOutcomeIsResolvedAsDelivered() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", method: "POST", count: 1))
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        #expect(try await station.settled(1, as: "held").holdReason == "unknownOutcome")
        try await expectHeld([2], station)
        let ledger = station.sandbox.ledger
        let user = try #require(ledger.created.first)
        // Only the person that was made since the send can be the new one.
        try await station.refreshedPeople()
        let why = try await station.homing("why", Samples.id(1).description)
        #expect(why.text.contains("may be Edit Me (\(user)).") && why.text.contains("--delivered \(user)\n"), "\(why.text)")
        // Somebody who was there before the send cannot be the new person.
        await #expect(throws: Problem.self) { try await resolve(1, "5", station) }
        // Without the id nothing could be sent for the person.
        await #expect(throws: Problem.self) { try await resolve(1, nil, station) }
        await #expect(throws: Problem.self) { try await resolve(2, "\(user)", station) }
        #expect(try await station.entry(1).state == "held")
        #expect(try await station.entry(2).state == "held")

        let told = try await station.homing("resolve", Samples.id(1).description, "--delivered", "\(user)")
        #expect(told.code == 0, "\(told.text)")
        try await station.settled(2, as: "delivered")
        #expect(try await station.entry(1).state == "delivered")
        let receipt = try await station.receipt(1)
        #expect(receipt.outcome == "delivered" && receipt.remoteID == "\(user)" && receipt.resolvedBy != nil && receipt.status == nil)
        #expect(try await station.event("resolved")?.entry == Samples.id(1).description)
        try await station.measure(Self.anna, 3)
        try await station.settled(3, as: "delivered")
        #expect(ledger.arrivals.map(\.number) == [nil, 2, 3] && ledger.arrivals.allSatisfy { $0.user == user })
        #expect(ledger.requestCount("POST", path: "managed_users") == 1)
        await #expect(throws: Problem.self) { try await resolve(1, "7", station) }
        #expect(try await station.entry(1).remoteID == "\(user)")
        try await station.end(SIGTERM)
    }

    @Test func createOfUnknownOutcomeIsRetriedOnlyWithoutLooking() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", method: "POST", count: 1))
        try await station.create(1)
        try await station.settled(1, as: "held")
        let refused = await #expect(throws: Problem.self) { try await station.retry(1) }
        #expect(refused?.code == .mayDuplicate)
        let id = Samples.id(1).description
        let told = try await station.homing("retry", id)
        #expect(told.code == 1 && told.text.contains("homing resolve \(EntryName.short(id)) --delivered REMOTE-ID\n"), "\(told.text)")
        let all = try await station.homing("retry", "--all", "--state", "held")
        #expect(all.code == 0 && all.text.contains("1 entry was skipped: it may already have taken effect"), "\(all.text)")
        #expect(try await station.entry(1).retryMayDuplicate == true)
        let ledger = station.sandbox.ledger
        #expect(ledger.created.count == 1)

        // The negative control: it makes a second person.
        let sent = try await station.homing("retry", id, "--without-looking", "--yes")
        #expect(sent.code == 0, "\(sent.text)")
        try await station.settled(1, as: "delivered")
        #expect(ledger.created.count == 2)
        try await station.end(SIGTERM)
    }

    /// Made so shortly before that the time of creation cannot tell.
    @Test func personListedBeforeTheSendIsNotTheNewOne() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.create(1)
        try await station.settled(1, as: "delivered")
        let ledger = station.sandbox.ledger
        let known = try #require(ledger.created.first)
        try await station.refreshedPeople()
        await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", method: "POST", count: 1))
        try await station.create(2)
        try await station.settled(2, as: "held")
        try await station.refreshedPeople()
        let problem = await #expect(throws: Problem.self) { try await resolve(2, "\(known)", station) }
        #expect(problem?.detail.contains("was there before entry \(Samples.id(2)) was sent") == true, "\(problem?.detail ?? "")")
        let new = try #require(ledger.created.last)
        #expect(try await station.why(2).sentence.contains("may be Edit Me (\(new))."))
        try await resolve(2, "\(new)", station)
        try await station.end(SIGTERM)
    }

    /// The list was read only before the send: neither an older person, nor the number of a row, nor an unknown number is accepted.
    @Test func createIsNotResolvedByAListFromBeforeTheSend() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", method: "POST", count: 1))
        await station.sandbox.apply(Fault(.cut, path: "managed_users", method: "GET"))
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        try await station.settled(1, as: "held")
        let old = await #expect(throws: Problem.self) { try await resolve(1, "7", station) }
        #expect(old?.detail.contains("7 is Anna Example and was there before entry") == true, "\(old?.detail ?? "")")
        let user = try #require(station.sandbox.ledger.created.first)
        for id in ["3", "99999", "\(user)"] {
            let problem = await #expect(throws: Problem.self) { try await resolve(1, id, station) }
            #expect(problem?.detail.contains("cannot check \(id).") == true, "\(problem?.detail ?? "")")
            #expect(problem?.next?.contains("homing people --refresh\n") == true, "\(problem?.next ?? "")")
        }
        #expect(try await station.entry(1).state == "held")
        station.sandbox.clearFaults()
        try await station.refreshedPeople()
        for id in ["3", "99999"] { await #expect(throws: Problem.self) { try await resolve(1, id, station) } }
        try await resolve(1, "\(user)", station)
        try await station.allSettled(1...2)
        #expect(station.sandbox.ledger.arrivals.allSatisfy { $0.user == user })
        try await station.end(SIGTERM)
    }

    /// The request never had an effect, but Homing cannot know.
    @Test func createWithUnknownOutcomeIsResolvedAsNotDelivered() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.cut, path: "managed_users", method: "POST", count: 1))
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        #expect(try await station.settled(1, as: "held").holdReason == "unknownOutcome")
        try await expectHeld([2], station)
        #expect(station.sandbox.ledger.entries.isEmpty)
        let told = try await station.homing("resolve", Samples.id(1).description, "--not-delivered")
        #expect(told.code == 0, "\(told.text)")
        try await station.allSettled(1...2)
        let arrivals = station.sandbox.ledger.arrivals
        #expect(arrivals.map(\.number) == [nil, 2] && Set(arrivals.map(\.user)).count == 1)
        try await station.end(SIGTERM)
    }

    @Test func entryWithKnownOutcomeCannotBeResolved() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.pauseSending()
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        for number in 1...2 {
            await #expect(throws: Problem.self) { try await resolve(number, "7", station) }
            await #expect(throws: Problem.self) { try await resolve(number, nil, isDelivered: false, station) }
            #expect(try await station.entry(number).state == "pending")
        }
        try await station.resumeSending()
        try await station.allSettled(1...2)
        try await station.end(SIGTERM)
    }

    /// A list that is also a person's last way to find out which row is new.
    @Test func resolvedPersonAppearsOnceInTheList() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", method: "POST", count: 1))
        try await station.create(1)
        try await station.settled(1, as: "held")
        let user = try #require(station.sandbox.ledger.created.first)
        _ = try await station.refreshedPeople()
        #expect(try await station.people().rows.contains { $0.id == "\(user)" && $0.pending == nil })
        try await resolve(1, "\(user)", station)
        let rows = try await station.people().rows
        #expect(rows.count == 4 && rows.allSatisfy { $0.pending == nil })
        try await station.end(SIGTERM)
    }
}
